//! The lines of a text, and a cursor that reads names and signs in one.

use std::borrow::Cow;

pub(super) use fairly_source::Fragment as Name;
use fairly_source::{Diagnostic, Span};

/// The lines of `text` that hold something besides a comment, as spans without comment and
/// surrounding space.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut cursor = fairly_source::Cursor::new(text);
    std::iter::from_fn(move || {
        while cursor.peek().is_some() {
            cursor.skip_space();
            let start = cursor.at();
            let line = cursor.take_line();
            let end = start + line[..comment(line)].trim_end().len();
            if start < end {
                return Some(Span::new(start, end));
            }
        }
        None
    })
}

/// Where the comment of a line starts.
fn comment(line: &str) -> usize {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '#' if !quoted => return at,
            _ => {}
        }
    }
    line.len()
}

/// Reads one line from left to right.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a>(fairly_source::Cursor<'a>);

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, line: Span) -> Self {
        Cursor(fairly_source::Cursor::within(text, line))
    }

    /// The rest of the line, without space before and after it.
    pub(super) fn rest(&mut self) -> (&'a str, Span) {
        self.0.skip_space();
        let rest = self.0.rest().trim_end();
        (rest, self.0.next(rest.len()))
    }

    /// Whether the next sign is this one.
    pub(super) fn sees(&mut self, sign: &str) -> bool {
        self.rest().0.starts_with(sign)
    }

    /// Takes the sign if it is next.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        self.0.skip_space();
        self.0.takes(sign)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    pub(super) fn expect_end(&mut self) -> Result<(), Diagnostic> {
        if self.rest().0.is_empty() { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// The error that something else should stand here.
    pub(super) fn unexpected(&mut self, expected: &str) -> Diagnostic {
        let (rest, span) = self.rest();
        let found = rest.split(char::is_whitespace).next().unwrap_or_default();
        let (message, span) = if found.is_empty() {
            ("the line ends too early".to_owned(), Span::at(span.start))
        } else {
            let message = format!("`{}` cannot stand here", found.escape_debug());
            (message, Span::new(span.start, span.start + found.len()))
        };
        Diagnostic::error("E0704", message, span).label(format!("expected {expected}"))
    }

    /// The bare word here, without taking it; empty if there is none.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest().0;
        &rest[..bare(rest)]
    }

    /// Takes a name; `what` it is the name of is for the error.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let (rest, span) = self.rest();
        let (text, length) = match rest.starts_with('"') {
            true => self.quoted()?,
            false => (rest[..bare(rest)].to_owned(), bare(rest)),
        };
        if length == 0 {
            let odd = rest.split(char::is_whitespace).next().unwrap_or_default();
            let span = Span::new(span.start, span.start + odd.len());
            let mut wrong = Diagnostic::error("E0701", format!("{what} is missing"), span)
                .label("expected a name");
            if odd.chars().any(char::is_alphanumeric) {
                wrong = wrong.help("names with other signs than letters, digits, `_` and dots are written in quotes");
            }
            return Err(wrong);
        }
        Ok(Name { text, span: self.0.skip(length) })
    }

    /// The quoted name here and its length with the quotes.
    fn quoted(&mut self) -> Result<(String, usize), Diagnostic> {
        let (rest, span) = self.rest();
        let mut name = String::new();
        let mut characters = rest.char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' if name.is_empty() => break,
                '"' => return Ok((name, at + 1)),
                '\\' => match characters.next() {
                    Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                    _ => {
                        let message = "a `\\` in a name stands before `\"` or `\\`";
                        let span = Span::new(span.start + at, span.start + at + 1);
                        return Err(Diagnostic::error("E0702", message, span));
                    }
                },
                c => name.push(c),
            }
        }
        let message = if name.is_empty() { "this name is empty" } else { "this name does not end" };
        Err(Diagnostic::error("E0702", message, span).label("expected a closing `\"`"))
    }

    /// A list of names separated by commas, at least one.
    pub(super) fn names(&mut self, what: &str) -> Result<Vec<Name>, Diagnostic> {
        let mut names = vec![self.name(what)?];
        while self.takes(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }
}

/// How many bytes at the start of `text` are a bare name.
fn bare(text: &str) -> usize {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let dot = usize::from(end > 0);
        if dot == 1 && !rest.starts_with('.') {
            return end;
        }
        let word = &rest[dot..];
        let length = word.find(|c| !in_word(c)).unwrap_or(word.len());
        if length == 0 {
            return end;
        }
        end += dot + length;
    }
}

/// The name as it is written: bare if it can be.
pub(super) fn written(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && bare(name) == name.len() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_names_end_where_a_sign_starts() {
        for (text, name) in [
            ("eat.0-> 1", "eat.0"),
            ("0 -a-> 1", "0"),
            ("a.b.", "a.b"),
            ("a..b", "a"),
            (".a", ""),
            ("-a", ""),
            ("größe_1,x", "größe_1"),
        ] {
            assert_eq!(&text[..bare(text)], name, "{text}");
        }
        assert_eq!(written("get.0.1"), "get.0.1");
        assert_eq!(written("c!\"\\"), "\"c!\\\"\\\\\"");
        assert_eq!(written("a."), "\"a.\"");
    }

    #[test]
    fn comments_and_blank_lines_are_left_out() {
        let text = "\u{feff}# all\n  a # b\r\n\n\"#\" \"x\\\"#\" # c\n#";
        let found: Vec<&str> = lines(text).map(|span| &text[span.start..span.end]).collect();
        assert_eq!(found, ["a", "\"#\" \"x\\\"#\""]);
    }
}
