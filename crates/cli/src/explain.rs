//! `fairly explain E1034`, `fairly explain strong fairness`: what a code or a word means.
//!
//! The texts are those of the book's pages on errors and words, which tests keep complete and true.

use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::output;

const ERRORS: &str = include_str!("../../../docs/book/errors.md");
const WORDS: &str = include_str!("../../../docs/book/words.md");

#[derive(Args)]
pub(crate) struct Explain {
    /// The code of a diagnostic, such as E1034, or words such as `strong fairness`; without any, the
    /// words that are explained.
    #[arg(value_name = "CODE|WORDS")]
    what: Vec<String>,
}

pub(crate) fn run(request: &Explain) -> Result<ExitCode, Failure> {
    let what = request.what.join(" ").trim().to_owned();
    if what.is_empty() {
        let words: Vec<&str> = words().map(|(word, _)| word).collect();
        output::write(&format!("{}\n", words.join("\n")), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let code = what.to_uppercase();
    let width = output::prose_width();
    let text = match (find(&code), word(&what, width)) {
        (Some((section, text)), _) => format!("{code}  {section}\n\n{}\n", wrapped(&text, width)),
        (None, Some((word, text))) => format!("{word}\n\n{text}"),
        (None, None) => {
            let all: Vec<&str> = words().map(|(word, _)| word).collect();
            return Err(Failure::Usage {
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

/// What a word means: by its name, or by a name that begins with it or with which it begins, such as
/// `strong`, or `machine closure`.
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
            let (said, _) = text.split_once("$ fairly").expect("an example");
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
