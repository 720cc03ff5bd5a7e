//! The tokens of HOA, read byte by byte.
//!
//! The lexer holds one token and moves on when told to. Two shortcuts keep large files fast: the
//! parser can ask for everything up to a closing bracket as one slice ([`Lexer::enclosed`]), and
//! numbers are computed while they are read.

use std::borrow::Cow;

use fairly_source::{Cursor, Diagnostic, Span, unescaped};

/// Reasons to end the reading of one automaton early.
#[derive(Debug)]
pub(super) enum ParseError {
    /// `--ABORT--`: the automaton is to be discarded, the stream goes on.
    Abort,
    /// The text is wrong.
    Wrong(Box<Diagnostic>),
}

impl From<Diagnostic> for ParseError {
    fn from(diagnostic: Diagnostic) -> Self {
        ParseError::Wrong(Box::new(diagnostic))
    }
}

/// The kind of a token; its text is the lexer's span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A number; the value is in [`Lexer::value`].
    Int,
    /// An identifier, `t` and `f` included.
    Word,
    /// An identifier with a colon.
    Header,
    /// `@name`
    Alias,
    /// A quoted string.
    Text,
    /// One of `[ ] { } ( ) ! & |`.
    Sign(u8),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// The text is over.
    Finish,
    /// Something that is no token starts here.
    Wrong,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    /// Behind the current token.
    cursor: Cursor<'a>,
    /// The first byte of the current token.
    start: usize,
    /// The kind of the current token.
    pub(super) token: Token,
    /// The number, if it is one; `u64::MAX` stands for anything larger.
    pub(super) value: u64,
}

fn is_name(byte: u8) -> bool {
    // A dot is no part of version 1, but Spot writes `spot.highlight.edges:` into it.
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

impl<'a> Lexer<'a> {
    /// A lexer before the first token of `text`.
    pub(super) fn new(text: &'a str) -> Self {
        let cursor = Cursor::new(text);
        Lexer { cursor, start: cursor.at(), token: Token::Finish, value: 0 }
    }

    /// Where the current token stands.
    pub(super) fn span(&self) -> Span {
        self.cursor.since(self.start)
    }

    /// The current token as it is written; a header's name without the colon.
    pub(super) fn slice(&self) -> &'a str {
        let end = self.cursor.at() - usize::from(self.token == Token::Header);
        &self.cursor.text()[self.start..end]
    }

    /// The current token in words, for an error message.
    pub(super) fn found(&self) -> String {
        match self.token {
            Token::Finish => "the end of the text".into(),
            Token::Text => "a string".into(),
            _ => {
                let text = &self.cursor.text()[self.start..self.cursor.at()];
                let short: String = text.chars().take(40).collect();
                if short.len() < text.len() { format!("`{short}…`") } else { format!("`{text}`") }
            }
        }
    }

    /// The current token, which is a string, without quotes and escapes. A backslash stands for
    /// the character after it, whichever that is: the specification calls strings "C-like", and
    /// this is how Spot reads `\n`.
    pub(super) fn unquoted(&self) -> Cow<'a, str> {
        let written = self.slice();
        unescaped(&written[1..written.len() - 1], |_| true)
    }

    /// After an opening bracket: the text up to `close` as it is written, if it holds no comment
    /// and no string. The lexer does not move.
    pub(super) fn enclosed(&self, close: u8) -> Option<&'a str> {
        let rest = self.cursor.rest();
        let length = rest.bytes().position(|byte| byte == close || byte == b'/')?;
        (rest.as_bytes()[length] == close).then(|| &rest[..length])
    }

    /// Jumps over what [`Lexer::enclosed`] returned and the closing bracket to the next token.
    pub(super) fn skip_enclosed(&mut self, enclosed: &str) -> Result<(), ParseError> {
        self.cursor.skip(enclosed.len() + 1);
        self.advance()
    }

    /// Moves to the next token.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<(), ParseError> {
        let bytes = self.cursor.text().as_bytes();
        let mut at = self.cursor.at();
        self.token = Token::Wrong;
        loop {
            self.start = at;
            match bytes.get(at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => at += 1,
                Some(b'/') if bytes.get(at + 1) == Some(&b'*') => {
                    self.cursor.go(at);
                    if self.cursor.take_nested("/*", "*/").is_none() {
                        return Err(self.unclosed("E0202", "comment", 2));
                    }
                    at = self.cursor.at();
                }
                _ => break,
            }
        }
        let Some(&first) = bytes.get(at) else {
            self.cursor.go(at);
            self.token = Token::Finish;
            return Ok(());
        };
        self.cursor.go(at);
        self.token = match first {
            b'0'..=b'9' => {
                let mut value = u64::from(first - b'0');
                at += 1;
                while let Some(&digit @ b'0'..=b'9') = bytes.get(at) {
                    value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    at += 1;
                }
                self.value = value;
                Token::Int
            }
            b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'!' | b'&' | b'|' => {
                at += 1;
                Token::Sign(first)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while bytes.get(at).copied().is_some_and(is_name) {
                    at += 1;
                }
                if bytes.get(at) == Some(&b':') {
                    at += 1;
                    Token::Header
                } else {
                    Token::Word
                }
            }
            b'@' => {
                at += 1;
                while bytes.get(at).copied().is_some_and(is_name) {
                    at += 1;
                }
                if at == self.start + 1 {
                    return Err(self.stray());
                }
                Token::Alias
            }
            b'"' => {
                if self.cursor.take_quoted().is_none() {
                    return Err(self.unclosed("E0203", "string", 1));
                }
                at = self.cursor.at();
                Token::Text
            }
            b'-' => {
                let rest = &bytes[at..];
                let marker = [
                    (&b"--BODY--"[..], Token::Body),
                    (b"--END--", Token::End),
                    (b"--ABORT--", Token::Abort),
                ];
                match marker.into_iter().find(|(word, _)| rest.starts_with(word)) {
                    Some((word, token)) => {
                        at += word.len();
                        token
                    }
                    None => return Err(self.stray()),
                }
            }
            _ => return Err(self.stray()),
        };
        self.cursor.go(at);
        Ok(())
    }

    fn stray(&self) -> ParseError {
        self.cursor.stray("E0201", "in HOA").into()
    }

    /// The error for what opens here with so many bytes and does not end.
    fn unclosed(&self, code: &'static str, what: &str, bytes: usize) -> ParseError {
        let span = Span::new(self.start, self.start + bytes);
        let wrong = Diagnostic::error(code, format!("this {what} does not end"), span);
        let nests = (code == "E0202").then(|| "comments nest: each `/*` needs its own `*/`".into());
        wrong.help_if(nests).into()
    }

    /// Skips what is left of an automaton that is wrong: to its `--END--` or `--ABORT--`, or to the
    /// place before the next `HOA:`. Behind something that is no token the text is searched byte by
    /// byte, so a comment or string without its end hides nothing.
    pub(super) fn skip_automaton(&mut self) {
        while self.token != Token::Wrong {
            match self.token {
                Token::End | Token::Abort | Token::Finish => return,
                Token::Header if self.slice() == "HOA" => {
                    self.cursor.go(self.start);
                    return;
                }
                // The kind says whether it worked.
                _ => _ = self.advance(),
            }
        }
        let bytes = self.cursor.text().as_bytes();
        for at in self.start + 1..bytes.len() {
            let rest = &bytes[at..];
            let end = [&b"--END--"[..], b"--ABORT--"].into_iter().find(|end| rest.starts_with(end));
            if end.is_some() || rest.starts_with(b"HOA:") && !is_name(bytes[at - 1]) {
                return self.cursor.go(at + end.map_or(0, <[u8]>::len));
            }
        }
        self.cursor.go(bytes.len());
        self.token = Token::Finish;
    }

    /// An error at the current token, which is not what should stand there; or the abort that it
    /// announces.
    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        match self.token {
            Token::Abort => ParseError::Abort,
            Token::Finish => {
                let message = "the text ends in the middle of an automaton";
                Diagnostic::error("E0229", message, self.span())
                    .label(format!("expected {expected}"))
                    .help("an automaton ends with `--END--`")
                    .into()
            }
            _ => {
                let message = format!("expected {expected}, found {}", self.found());
                Diagnostic::error("E0205", message, self.span()).into()
            }
        }
    }

    /// Whether the automaton stops here, so that a missing part is not a mistake of its author.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.token, Token::Abort | Token::Finish)
    }

    /// Takes the sign, which must come now.
    pub(super) fn expect_sign(&mut self, sign: u8) -> Result<(), ParseError> {
        if self.token != Token::Sign(sign) {
            return Err(self.unexpected(&format!("`{}`", char::from(sign))));
        }
        self.advance()
    }

    /// Takes a number, which must come now, with its place. The specification bounds numbers by
    /// 2³¹ and forbids leading zeros.
    #[inline]
    pub(super) fn expect_number(&mut self, what: &str) -> Result<(u32, Span), ParseError> {
        if self.token != Token::Int {
            return Err(self.unexpected(what));
        }
        let span = self.span();
        let small = u32::try_from(self.value).ok().filter(|&value| value < 1 << 31);
        let Some(value) = small else {
            let message = "this number is too large";
            return Err(Diagnostic::error("E0204", message, span)
                .label("numbers in HOA are below 2147483648")
                .into());
        };
        if span.end - span.start > 1 && self.slice().starts_with('0') {
            let message = "a number does not start with `0`";
            return Err(Diagnostic::error("E0204", message, span).into());
        }
        self.advance()?;
        Ok((value, span))
    }
}
