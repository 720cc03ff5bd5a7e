//! The place that a lexer has come to in its text.

use std::borrow::Cow;

use crate::{Diagnostic, Span};

/// A place in a text that moves forward, past what the languages here have in common: space, words, signs,
/// comments and quoted texts. Which of them there are, and what they mean, is the lexer's business.
///
/// ```
/// use fairly_source::{Cursor, Span};
/// let mut cursor = Cursor::new("count := 12 # so far");
/// assert_eq!(cursor.take_while(char::is_alphanumeric), "count");
/// cursor.skip_space();
/// assert_eq!(cursor.sign(&[":=", ":"]), Some(":="));
/// assert_eq!(cursor.skip(2), Span::new(6, 8));
/// assert_eq!(cursor.rest(), " 12 # so far");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text, behind the byte order mark that some editors leave there.
    pub fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at }
    }

    /// The beginning of a part of a text, which ends where the part does.
    pub fn within(text: &'a str, part: Span) -> Self {
        Cursor { text: &text[..part.end], at: part.start }
    }

    /// The byte that comes next.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Moves to a byte that starts a character.
    #[inline]
    pub fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// The whole text, up to where the cursor may go.
    #[inline]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The text that comes next.
    #[inline]
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The character that comes next.
    #[inline]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Tells whether this comes next.
    #[inline]
    pub fn sees(&self, what: &str) -> bool {
        self.rest().starts_with(what)
    }

    /// Passes this if it comes next.
    pub fn takes(&mut self, what: &str) -> bool {
        let sees = self.sees(what);
        if sees {
            self.at += what.len();
        }
        sees
    }

    /// Passes so many bytes, and gives their span.
    #[inline]
    pub fn skip(&mut self, bytes: usize) -> Span {
        let span = self.next(bytes);
        self.at += bytes;
        span
    }

    /// The span of the bytes that come next.
    #[inline]
    pub fn next(&self, bytes: usize) -> Span {
        Span::new(self.at, self.at + bytes)
    }

    /// The bytes that were passed since then.
    #[inline]
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The characters of a kind that come next.
    #[inline]
    pub fn word(&self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|sign| !is_part(sign)).unwrap_or(rest.len())]
    }

    /// Passes the characters of a kind.
    #[inline]
    pub fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let word = self.word(is_part);
        self.at += word.len();
        word
    }

    /// Passes white space.
    #[inline]
    pub fn skip_space(&mut self) -> &'a str {
        self.take_while(char::is_whitespace)
    }

    /// Passes the rest of a line, without its end.
    pub fn take_line(&mut self) -> &'a str {
        self.take_while(|sign| sign != '\n')
    }

    /// Passes what stands from `open`, which comes next, to `close`, and gives what is between them. Nothing is
    /// passed if it does not end.
    pub fn take_block(&mut self, open: &str, close: &str) -> Option<&'a str> {
        let inside = &self.rest()[open.len()..];
        let length = inside.find(close)?;
        self.at += open.len() + length + close.len();
        Some(&inside[..length])
    }

    /// Like [`Cursor::take_block`], where each `open` inside has its own `close`.
    pub fn take_nested(&mut self, open: &str, close: &str) -> Option<&'a str> {
        let rest = self.rest().as_bytes();
        let (mut depth, mut at) = (1usize, open.len());
        while at < rest.len() {
            if rest[at..].starts_with(close.as_bytes()) {
                depth -= 1;
                if depth == 0 {
                    let inside = &self.rest()[open.len()..at];
                    self.at += at + close.len();
                    return Some(inside);
                }
                at += close.len();
            } else if rest[at..].starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        None
    }

    /// Passes a text in double quotes, the first of which comes next, and gives what is between them as it is
    /// written: a backslash hides the character after it. Nothing is passed if it does not end.
    pub fn take_quoted(&mut self) -> Option<&'a str> {
        let inside = &self.rest()[1..];
        let bytes = inside.as_bytes();
        let mut at = 0;
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at += at + 2;
        Some(&inside[..at])
    }

    /// The sign that comes next; in the table, the longer stands before its own beginning.
    #[inline]
    pub fn sign(&self, table: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest();
        table.iter().copied().find(|sign| rest.starts_with(sign))
    }

    /// The error for a character that starts nothing, in words for where it cannot stand.
    pub fn stray(&self, code: &'static str, place: &str) -> Diagnostic {
        let found = self.peek().unwrap_or(' ');
        let message = format!("`{}` means nothing {place}", found.escape_debug());
        Diagnostic::error(code, message, self.next(found.len_utf8()))
    }
}

/// A quoted text in which a backslash stands for the character after it, if that is one of these.
pub fn unescaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        let next = signs.as_str().chars().next().filter(|&next| sign == '\\' && is_escaped(next));
        plain.push(next.unwrap_or(sign));
        if next.is_some() {
            signs.next();
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_their_own_end() {
        let mut cursor = Cursor::new("\u{feff}/* a /* b */ c */ d");
        assert_eq!(cursor.at(), 3);
        let mut nested = cursor;
        assert_eq!(cursor.take_block("/*", "*/"), Some(" a /* b "));
        assert_eq!(cursor.rest(), " c */ d");
        assert_eq!(nested.take_nested("/*", "*/"), Some(" a /* b */ c "));
        assert_eq!(nested.rest(), " d");
        for (text, inside) in [
            ("(a(b)c)d", Some("a(b)c")),
            ("(a(b)c", None),
            ("()", Some("")),
            ("(ö))", Some("ö")),
            ("(", None),
        ] {
            assert_eq!(Cursor::new(text).take_nested("(", ")"), inside, "{text}");
        }
        assert_eq!(Cursor::new("/*/ a */").take_nested("/*", "*/"), Some("/ a "));
        assert_eq!(Cursor::new("/* /*").take_nested("/*", "*/"), None);
    }

    #[test]
    fn a_backslash_hides_a_quote() {
        let mut cursor = Cursor::new(r#""a \" \\" b"#);
        assert_eq!(cursor.take_quoted(), Some(r#"a \" \\"#));
        assert_eq!(cursor.rest(), " b");
        assert_eq!(Cursor::new(r#""a\""#).take_quoted(), None);
        assert_eq!(Cursor::new(r#""a\"#).take_quoted(), None);
        assert_eq!(unescaped(r#"a \" \\ \n \"#, |_| true), r#"a " \ n \"#);
        assert_eq!(unescaped(r#"a \" \\ \n \"#, |sign| sign == '"'), r#"a " \\ \n \"#);
    }

    #[test]
    fn a_part_ends_where_it_ends() {
        let mut cursor = Cursor::within("one two three", Span::new(4, 7));
        assert_eq!(cursor.take_while(|_| true), "two");
        assert_eq!((cursor.since(4), cursor.peek()), (Span::new(4, 7), None));
        assert_eq!(Cursor::new("é").stray("E1", "here").span, Span::new(0, 2));
    }
}
