//! Texts of strangers in documents: one function for each language of documents, and no other place that
//! escapes anything. [`fairly_source::escape`] does it for terminals.

use std::fmt::Write;

use fairly_source::escape::{in_line, visible};

/// Where a text stands in a workflow command of GitHub.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Behind a `name=`.
    Property,
    /// Behind the last `::`.
    Message,
}

/// A part of a workflow command of GitHub: no text ends the command or begins another one.
pub(crate) fn github(text: &str, place: Command) -> String {
    let mut out = String::new();
    for letter in visible(text).chars() {
        let ends = matches!(letter, '%' | '\n' | '\t')
            || (place == Command::Property && matches!(letter, ':' | ','));
        if ends {
            let _ = write!(out, "%{:02X}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Words between those of a paragraph or a table of Markdown.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::new();
    for letter in in_line(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A backslash does not keep GitHub from telling a person of that name.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '#' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            other => out.push(other),
        }
    }
    out
}

/// Code between the words of Markdown.
pub(crate) fn code(text: &str) -> String {
    let text = in_line(text);
    if text.contains('`') || text.trim() != text || text.is_empty() {
        return markdown(&text);
    }
    // The backslash is for tables; it is taken away before anything else is looked at.
    format!("`{}`", text.replace('|', "\\|"))
}

/// Lines of code in Markdown.
pub(crate) fn block(text: &str, language: &str) -> String {
    let text = visible(text);
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// XML and HTML, in text and in attributes.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::new();
    for letter in visible(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A path as a relative reference of the kind that SARIF wants.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A label of a diagram of Mermaid, which has codes for the signs that would end it.
pub(crate) fn mermaid(text: &str) -> String {
    coded(text, |letter| format!("#{};", u32::from(letter)))
}

/// A label of a diagram of PlantUML; a `%` would call a function of its preprocessor.
pub(crate) fn plantuml(text: &str) -> String {
    coded(text, |letter| format!("&#{};", u32::from(letter)))
}

fn coded(text: &str, code: impl Fn(char) -> String) -> String {
    let mut out = String::new();
    for letter in in_line(text).chars() {
        match letter {
            ';' | '#' | '"' | '<' | '>' | '&' | '%' | '\\' => out.push_str(&code(letter)),
            other => out.push(other),
        }
    }
    out
}

/// Escapes a text for quotes in Graphviz, in Aldebaran and in the Hanoi format.
pub(crate) fn quoted(text: &str) -> String {
    // In this order: a backslash of ours is one of the text then.
    in_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}]0;x\u{7}\r\n::error::`|<b>&\"'@me\u{202e}\u{9b}2J%0A";

    #[test]
    fn no_text_leaves_its_place() {
        let whole = [
            github(HOSTILE, Command::Property),
            github(HOSTILE, Command::Message),
            markdown(HOSTILE),
            code(HOSTILE),
            xml(HOSTILE),
            uri(HOSTILE),
            mermaid(HOSTILE),
            plantuml(HOSTILE),
            quoted(HOSTILE),
            block(HOSTILE, ""),
        ];
        for text in &whole {
            let is_kept = |sign: char| fairly_source::escape::is_harmless(sign) || sign == '\n';
            assert!(text.chars().all(is_kept), "{text:?}");
        }
        for text in &whole[..2] {
            assert!(!text.contains('\n') && !text.contains("%0A%0A"), "{text:?}");
            assert!(text.ends_with("%250A"), "{text:?}");
        }
        assert!(!whole[0].contains([':', ',']));
        assert!(!whole[2].contains(['<', '@']) && !whole[3].contains("<b>"));
        assert!(!whole[4].contains(['<', '"', '\'']));
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(block("```\n````\n", "x"), "`````x\n```\n````\n`````\n");
        assert_eq!(code("[] (a | b)"), "`[] (a \\| b)`");
    }
}
