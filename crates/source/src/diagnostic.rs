//! The data of a diagnostic; [`crate::render`] draws it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A range of bytes in a text, `start` included and `end` not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last one; equal to `start` for a place between two characters.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The place just before the byte `at`, for something that is missing there.
    pub fn at(at: usize) -> Self {
        Span { start: at, end: at }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A piece of a text and where it stands: a name, a formula, a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The piece, without surrounding space.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Fragment {
    /// The rest of a comment that begins with a word; the comment's own text begins at `start`.
    pub fn behind(word: &str, comment: &str, start: usize) -> Option<Fragment> {
        let rest = comment.trim_start().strip_prefix(word)?.trim_start();
        let start = start + comment.len() - rest.len();
        let text = rest.trim_end().to_owned();
        Some(Fragment { span: Span::new(start, start + text.len()), text })
    }
}

/// A line and a column, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// Where the byte `offset` stands in `text`. An offset past the end is the end.
    pub fn of(text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is read; a part of it may not mean what its author thinks.
    Warning,
}

/// One thing that is wrong with an input: a stable code, what it is, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the input is refused for it.
    pub severity: Severity,
    /// Stable code such as `E0203`; documented, never reused for something else.
    pub code: &'static str,
    /// Description of the error, without a full stop.
    pub message: String,
    /// Where; the caret goes under it.
    pub span: Span,
    /// Text beside the caret; may be empty.
    pub label: String,
    /// A suggestion, if there is a good one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
        }
    }

    /// A warning at `span`: the input is read all the same.
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message, span) }
    }

    /// The same with words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with a suggestion below.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a suggestion below if there is one.
    #[must_use]
    pub fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "aé\nbc";
        assert_eq!(Position::of(text, 0), Position { line: 1, column: 1 });
        assert_eq!(Position::of(text, 3), Position { line: 1, column: 3 });
        assert_eq!(Position::of(text, 2), Position { line: 1, column: 2 }, "inside é");
        assert_eq!(Position::of(text, 5), Position { line: 2, column: 2 });
        assert_eq!(Position::of(text, 99), Position { line: 2, column: 3 });
    }
}
