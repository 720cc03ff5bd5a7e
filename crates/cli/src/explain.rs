//! `fairly explain E1034`, `fairly explain strong fairness`: what a code or a word means.
//!
//! The texts are those of the book's pages on errors and words, which tests keep complete and true. An error is
//! shown by a small text that has it, with what is said of that text, and by one that is right.

use std::process::ExitCode;

use clap::Args;

use fairly_front::include::NoFiles;
use fairly_front::languages::Language;
use fairly_front::loaded::{LoadError, Settings, Text, TextError};
use fairly_logic::Formulas;
use fairly_omega::formats::{self, hoa};
use fairly_source::{Style, render};

use crate::failure::CliError;
use crate::output;

// These are links to the pages of the book: a package holds what they lead to.
const ERRORS: &str = include_str!("explain/errors.md");
const WORDS: &str = include_str!("explain/words.md");
/// Texts with an error and without, where no file of the corpus shows it.
const EXAMPLES: &str = include_str!("explain/examples.txt");
/// The small files of `corpus/*/bad`, one for each error. A test writes this list anew: see `CONTRIBUTING.md`.
const CORPUS: &str = include_str!("explain/corpus.txt");

#[derive(Args)]
pub(crate) struct Explain {
    /// The code of a diagnostic, such as E1034, or words such as `strong fairness`; without any, the
    /// words that are explained.
    #[arg(value_name = "CODE|WORDS")]
    what: Vec<String>,
}

pub(crate) fn run(request: &Explain) -> Result<ExitCode, CliError> {
    let what = request.what.join(" ").trim().to_owned();
    if what.is_empty() {
        let words: Vec<&str> = words().map(|(word, _)| word).collect();
        output::write(&format!("{}\n", words.join("\n")), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let code = what.to_uppercase();
    let width = output::prose_width();
    let text = match (find(&code), word(&what, width)) {
        (Some((section, text)), _) => {
            let said = wrapped(&sentence(&text), width);
            format!("{code}  {section}\n\n{said}\n{}", shown(&code, width))
        }
        (None, Some((word, text))) => format!("{word}\n\n{text}"),
        (None, None) => {
            let all: Vec<&str> = words().map(|(word, _)| word).collect();
            return Err(CliError::Usage {
                message: format!("`{what}` is neither a code nor a word that is explained"),
                help: Some(format!(
                    "a code looks like E1034, and stands in brackets after `error`; the words are {}",
                    all.join(", ")
                )),
            });
        }
    };
    output::write(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

/// The words that are explained, with their texts.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    WORDS.split("\n## ").skip(1).filter_map(|section| section.split_once("\n\n"))
}

/// Meaning of a word: by its name, or by a name that begins with it or with which it begins, such as `strong`,
/// or `machine closure`.
fn word(wanted: &str, width: usize) -> Option<(&'static str, String)> {
    let plain = |text: &str| -> String {
        text.to_lowercase().replace(['-', '_'], " ").trim_end_matches('s').to_owned()
    };
    let wanted = plain(wanted);
    let found = words()
        .find(|(word, _)| plain(word) == wanted)
        .or_else(|| words().find(|(word, _)| plain(word).starts_with(&wanted)))
        .or_else(|| {
            let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
            words().find(|(word, _)| word.contains(' ') && first(word) == first(&wanted))
        })?;
    // Examples stand without the marks of the page, and as they are printed.
    let mut out = String::new();
    for (at, part) in found.1.split("```").enumerate() {
        if at % 2 == 0 {
            let paragraphs = part.split("\n\n").map(|paragraph| wrapped(paragraph, width));
            let paragraphs: Vec<String> = paragraphs.filter(|it| !it.is_empty()).collect();
            out.push_str(&format!("{}\n\n", paragraphs.join("\n\n")));
        } else {
            let lines = part.lines().skip(1).map(|line| format!("{line}\n"));
            out.extend(lines.map(|line| line.replace("# exit", "# exit code")));
        }
    }
    Some((found.0, out.trim_end().to_owned() + "\n"))
}

/// A small text with the error, what is said of it, and one that is right.
fn shown(code: &str, width: usize) -> String {
    let mut out = String::new();
    let wrong = example(EXAMPLES, code, "wrong").or_else(|| example(CORPUS, code, "wrong"));
    if let Some((ending, text)) = wrong {
        out.push_str("\nwrong, for example:\n\n");
        out.push_str(&indented(text));
        if let Some(said) = said_of(code, ending, text) {
            out.push_str("\nwhat is said of it:\n\n");
            out.push_str(&indented(&said));
        }
    }
    match example(EXAMPLES, code, "right") {
        Some((_, text)) => out.push_str(&format!("\nright:\n\n{}", indented(text))),
        None if !out.is_empty() => {}
        None => {
            let none = "There is no small text that shows it: it is about a size, about files or traces, or \
                        about texts that only libraries read.";
            out.push_str(&format!("\n{}\n", wrapped(none, width)));
        }
    }
    out
}

/// A text of a list of examples, with the language of it.
fn example(list: &'static str, code: &str, which: &str) -> Option<(&'static str, &'static str)> {
    let blocks = list.split("\n== ").filter_map(|block| block.split_once('\n'));
    let mut found = blocks.filter_map(|(heading, text)| {
        let mut words = heading.trim_start_matches("== ").split(' ');
        let (of, ending, kind) = (words.next()?, words.next()?, words.next()?);
        (of == code && kind == which).then_some((ending, text))
    });
    found.next()
}

/// Report about a text that has the error, without colours.
fn said_of(code: &str, ending: &str, text: &str) -> Option<String> {
    let diagnostics = match ending {
        "csp" | "pml" | "net" => {
            let (name, text) = (format!("wrong.{ending}"), text.to_owned());
            let language = Language::of(&name)?;
            let texts = [Text { name, text }];
            match language.loader.load(&texts, Settings::new(&mut NoFiles)).err()? {
                LoadError::Wrong(TextError { diagnostics, .. }) => diagnostics,
                LoadError::Refused(_) => return None,
            }
        }
        "ltl" => vec![Formulas::new().parse(text.trim_end()).err()?],
        // Warnings as well as errors, of every automaton.
        "hoa" => hoa::Reader::new(text)
            .flat_map(|read| read.map_or_else(|error| vec![error], |read| read.warnings))
            .collect(),
        "never" | "aut" | "txt" => vec![formats::read_any(text).err()?],
        _ => return None,
    };
    let own = diagnostics.iter().find(|diagnostic| diagnostic.code == code)?;
    Some(render(own, &format!("wrong.{ending}"), text, Style::Plain))
}

fn indented(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect()
}

/// The error, as a sentence.
fn sentence(text: &str) -> String {
    let text = text.split(" | ").next().unwrap_or(text).trim();
    let mut letters = text.chars();
    let first = letters.next().filter(|letter| letter.is_lowercase());
    let text = match first {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => text.to_owned(),
    };
    if text.ends_with(['.', '?']) { text } else { format!("{text}.") }
}

/// The section and the text of a code.
fn find(code: &str) -> Option<(String, String)> {
    let mut section = "";
    for line in ERRORS.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        let Some(row) = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) else {
            continue;
        };
        // A bar inside a cell is escaped in the page.
        if let Some((first, text)) = row.split_once(" | ")
            && first == code
        {
            return Some((section.to_owned(), text.replace("\\|", "|")));
        }
    }
    None
}

/// The text in lines of at most so many characters, where words allow it.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_with_their_section() {
        let (section, text) = find("E1036").unwrap();
        assert!(section.contains("CSP#"), "{section}");
        assert!(text.contains("array"), "{text}");
        // Not written as one word: the book lists every code that the sources mention.
        assert_eq!(find(&format!("E{}", 9999)), None);
        assert!(find("E1096").unwrap().1.contains("of `||` carries"));
    }

    #[test]
    fn words_are_found_by_what_people_type() {
        let found = |wanted: &str| word(wanted, 80).map(|(word, _)| word);
        assert_eq!(found("Strong Fairness"), Some("strong fairness"));
        assert_eq!(found("strong"), Some("strong fairness"));
        assert_eq!(found("machine-closed"), Some("machine closed"));
        assert_eq!(found("machine closure"), Some("machine closed"));
        assert_eq!(found("live events"), Some("live event"));
        assert_eq!(found("nonsense"), None);
    }

    #[test]
    fn every_word_is_short_and_has_an_example() {
        for (word, text) in words() {
            let (said, example) = text.split_once("```console").expect(word);
            assert!(said.trim().lines().count() <= 10, "{word}");
            assert!(example.contains("$ fairly "), "{word}");
        }
        assert!(words().count() >= 15);
    }

    #[test]
    fn texts_are_as_wide_as_asked() {
        let prose = |text: &str| -> Vec<String> {
            let (said, _) = text.split_once("\n$ ").expect("an example");
            said.lines().map(str::to_owned).collect()
        };
        for (name, _) in words() {
            for width in [40, 80, 120] {
                let (_, text) = word(name, width).expect(name);
                assert!(prose(&text).iter().all(|line| line.chars().count() <= width), "{text}");
            }
            let narrow = word(name, 40).map(|(_, text)| prose(&text).join(" "));
            let wide = word(name, 120).map(|(_, text)| prose(&text).join(" "));
            assert_eq!(narrow, wide, "no word gets lost");
        }
    }
}
