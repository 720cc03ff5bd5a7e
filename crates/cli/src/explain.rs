//! `fairly explain E1034`: what a code means.
//!
//! The texts are those of the book's page on errors, which a test keeps complete.

use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::output;

const ERRORS: &str = include_str!("../../../docs/book/errors.md");

#[derive(Args)]
pub(crate) struct Explain {
    /// The code of a diagnostic: E1034.
    #[arg(value_name = "CODE")]
    code: String,
}

pub(crate) fn run(request: &Explain) -> Result<ExitCode, Failure> {
    let code = request.code.trim().to_uppercase();
    let Some((section, text)) = find(&code) else {
        return Err(Failure::Usage {
            message: format!("no diagnostic has the code `{}`", request.code),
            help: Some("a code looks like E1034, and stands in brackets after `error`".to_owned()),
        });
    };
    output::write(&format!("{code}  {section}\n\n{}\n", wrapped(&text)), None)?;
    Ok(ExitCode::SUCCESS)
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

/// The text in lines of at most 90 characters.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 90 {
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
}
