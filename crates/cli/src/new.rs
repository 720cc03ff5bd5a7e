//! `fairly new`: a model to begin with, which fails and teaches.
//!
//! Every template is there in every language. Its comments say what fails, and what to try: an assumption of
//! fairness, or a mistake that is mended where `FIXED` is 1. Tests keep them true.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fairly_source::escape;

use crate::failure::CliError;
use crate::output;

#[derive(Args)]
pub(crate) struct New {
    /// The language.
    #[arg(value_enum, required_unless_present = "list")]
    language: Option<Language>,
    /// Subject of the model; without it, `lock`. `fairly new --list` shows all.
    #[arg(value_name = "TEMPLATE")]
    template: Option<String>,
    /// Where to write it; without it, to a file with the name of the template. Nothing is written over.
    file: Option<String>,
    /// Print what there is.
    #[arg(long, exclusive = true)]
    list: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// CSP#, the language of PAT.
    Csp,
    /// Promela, the language of SPIN.
    #[value(alias = "pml")]
    Promela,
}

impl Language {
    /// How names of files end.
    fn ending(self) -> &'static str {
        match self {
            Language::Csp => "csp",
            Language::Promela => "pml",
        }
    }
}

/// A model to begin with.
struct Template {
    name: &'static str,
    /// Subject of the template.
    about: &'static str,
    csp: &'static str,
    promela: &'static str,
}

macro_rules! template {
    ($name:literal, $about:literal) => {
        Template {
            name: $name,
            about: $about,
            csp: include_str!(concat!("new/", $name, ".csp")),
            promela: include_str!(concat!("new/", $name, ".pml")),
        }
    };
}

const TEMPLATES: [Template; 6] = [
    template!("lock", "two processes and a lock that one of them may never get"),
    template!("two-phase-commit", "two participants decide together, until one loses patience"),
    template!("leader-election", "a ring of nodes that elects two leaders instead of one"),
    template!(
        "producer-consumer",
        "two producers that look before they fill the buffer, too early"
    ),
    template!("alternating-bit", "messages over a line that may lose every one of them"),
    template!("readers-writers", "readers that overlap for ever while a writer waits"),
];

pub(crate) fn run(request: &New) -> Result<ExitCode, CliError> {
    if request.list {
        output::write(&list(), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let language = request.language.expect("clap asks for it");
    let (template, file) = chosen(request)?;
    let file = match file {
        Some(file) => named(file, language)?,
        None => format!("{}.{}", template.name, language.ending()),
    };
    // Also if it is a link that leads nowhere.
    if Path::new(&file).symlink_metadata().is_ok() {
        return Err(CliError::Usage {
            message: format!("{file} exists already, and is left as it is"),
            help: Some(format!("give another name: fairly new … {} FILE", template.name)),
        });
    }
    let text = match language {
        Language::Csp => template.csp,
        Language::Promela => template.promela,
    };
    output::write(text, Some(&file))?;
    let shown = if file.starts_with('-') { format!("./{file}") } else { file.clone() };
    let next = fairly_report::shell::quoted(&shown);
    let said = format!("wrote {file}\n  {}\n\nnext: fairly {next}\n", template.about);
    output::write(&said, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Meaning of the words behind the language: a template, a file, or both.
fn chosen(request: &New) -> Result<(&'static Template, Option<&str>), CliError> {
    let Some(word) = request.template.as_deref() else { return Ok((&TEMPLATES[0], None)) };
    let plain = |text: &str| text.to_lowercase().replace(['_', ' ', '–'], "-");
    if let Some(template) = TEMPLATES.iter().find(|it| it.name == plain(word)) {
        return Ok((template, request.file.as_deref()));
    }
    // A file alone is for the first template.
    if request.file.is_none() && word.contains(['.', '/']) {
        return Ok((&TEMPLATES[0], Some(word)));
    }
    let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
    let near = fairly_source::suggest::near(&plain(word), names.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Err(CliError::Usage {
        message: format!("there is no template `{word}`"),
        help: Some(format!("{near}there are {}", names.join(", "))),
    })
}

/// The name of a file that `fairly` takes for one of the language: with the ending of it.
fn named(file: &str, language: Language) -> Result<String, CliError> {
    let ending = language.ending();
    if !file.chars().all(escape::is_harmless) || file.is_empty() {
        return Err(CliError::usage("the name of the file has characters that cannot be printed"));
    }
    let path = Path::new(file);
    if path.file_name().is_none() || file.ends_with('/') {
        return Err(CliError::usage(format!("{file} names a folder, not a file")));
    }
    match path.extension() {
        None => Ok(format!("{file}.{ending}")),
        Some(known) if known == ending => Ok(file.to_owned()),
        Some(known) if language == Language::Promela && (known == "promela" || known == "prom") => {
            Ok(file.to_owned())
        }
        Some(other) => Err(CliError::Usage {
            message: format!(
                "a file that ends with .{} is not read as this",
                other.to_string_lossy()
            ),
            help: Some(format!("let it end with .{ending}")),
        }),
    }
}

/// All templates, a line each.
fn list() -> String {
    let wide = TEMPLATES.iter().map(|template| template.name.len()).max().unwrap_or(0);
    let lines =
        TEMPLATES.iter().map(|Template { name, about, .. }| format!("{name:wide$}  {about}\n"));
    let all: String = lines.collect();
    format!("{all}\nEach is there in `csp` and in `promela`.\n\nnext: fairly new promela lock\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_as_the_language_has_it() {
        let pml = |file: &str| named(file, Language::Promela).ok();
        assert_eq!(pml("a").as_deref(), Some("a.pml"));
        assert_eq!(pml("b/a.pml").as_deref(), Some("b/a.pml"));
        for wrong in ["", "a.csp", "a/", "..", "a\u{1b}[2J.pml", "a\n.pml"] {
            assert_eq!(pml(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn templates_fit_a_page_and_their_names_are_plain() {
        for Template { name, csp, promela, about } in TEMPLATES {
            assert!(name.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-'));
            assert!(about.len() < 72, "{about}");
            for text in [csp, promela] {
                assert!((15..=50).contains(&text.lines().count()), "{name}");
                let long = text.lines().find(|line| line.chars().count() > 105);
                assert_eq!(long, None, "{name}");
            }
        }
    }
}
