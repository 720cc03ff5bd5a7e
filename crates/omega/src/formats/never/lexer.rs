//! The tokens of a never claim.
//!
//! Where a guard stops being a Boolean formula and becomes a Promela expression can only be told
//! from what follows a closing parenthesis: `(p) -> …` is a guard in parentheses, `(x + 1) == 3`
//! is one proposition. So all parentheses are matched beforehand, once.

use fairly_source::{Cursor, Diagnostic, Span};
use hashbrown::HashMap;

pub(super) type ParseError = Box<Diagnostic>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or keyword.
    Word,
    /// `never`-level punctuation: `{ } : ; ( ) !`, `::` as `#`, `->` as `>`, `&&` as `&`, `||` as `|`.
    Sign(u8),
    /// Something that can only be part of a Promela expression.
    Other,
    Finish,
}

#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// Behind the current token.
    cursor: Cursor<'a>,
    start: usize,
    pub(super) token: Token,
    /// For each opening parenthesis or bracket the byte after its partner.
    partners: HashMap<usize, usize>,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Lexer<'a> {
    /// A lexer at the first token of `text`.
    pub(super) fn new(text: &'a str) -> Result<Self, ParseError> {
        let cursor = Cursor::new(text);
        let mut lexer = Lexer { cursor, start: 0, token: Token::Finish, partners: HashMap::new() };
        lexer.match_parentheses()?;
        lexer.advance()?;
        Ok(lexer)
    }

    pub(super) fn span(&self) -> Span {
        self.cursor.since(self.start)
    }

    pub(super) fn slice(&self) -> &'a str {
        &self.cursor.text()[self.start..self.cursor.at()]
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.token == Token::Word && self.slice() == word
    }

    fn match_parentheses(&mut self) -> Result<(), ParseError> {
        let text = self.cursor.text();
        let lonely = |at: usize| {
            let message = format!("this `{}` has no partner", &text[at..=at]);
            Box::new(Diagnostic::error("E0308", message, Span::new(at, at + 1)))
        };
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find(['(', '[', ')', ']', '/']) {
            at += next;
            match text.as_bytes()[at] {
                b'(' | b'[' => open.push(at),
                close @ (b')' | b']') => {
                    let partner = open.pop().ok_or_else(|| lonely(at))?;
                    if text[partner..].starts_with('(') != (close == b')') {
                        return Err(lonely(partner));
                    }
                    self.partners.insert(partner, at + 1);
                }
                _ => at = self.skip_blank(at)?.max(at + 1) - 1,
            }
            at += 1;
        }
        open.pop().map_or(Ok(()), |at| Err(lonely(at)))
    }

    /// The first byte from `at` on that is neither white space nor in a comment.
    fn skip_blank(&self, at: usize) -> Result<usize, ParseError> {
        let mut cursor = self.cursor;
        cursor.go(at);
        loop {
            cursor.take_while(|sign| sign.is_ascii_whitespace());
            if cursor.sees("//") {
                cursor.take_line();
            } else if !cursor.sees("/*") {
                return Ok(cursor.at());
            } else if cursor.take_block("/*", "*/").is_none() {
                let message = "this comment does not end";
                let wrong = Diagnostic::error("E0301", message, cursor.next(2));
                return Err(Box::new(wrong));
            }
        }
    }

    /// The token at `at`, which is no blank, and the byte after it.
    fn token_at(&self, at: usize) -> (Token, usize) {
        let text = self.cursor.text();
        let bytes = text.as_bytes();
        let Some(&first) = bytes.get(at) else { return (Token::Finish, at) };
        match (first, bytes.get(at + 1)) {
            (b':', Some(b':')) => (Token::Sign(b'#'), at + 2),
            (b'-', Some(b'>')) => (Token::Sign(b'>'), at + 2),
            (b'&', Some(b'&')) => (Token::Sign(b'&'), at + 2),
            (b'|', Some(b'|')) => (Token::Sign(b'|'), at + 2),
            (b'!', Some(b'=')) => (Token::Other, at + 2),
            (b'{' | b'}' | b':' | b';' | b'(' | b')' | b'!', _) => (Token::Sign(first), at + 1),
            _ if is_name(first) => {
                let length = bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
                (Token::Word, at + length)
            }
            _ => (Token::Other, at + text[at..].chars().next().map_or(1, char::len_utf8)),
        }
    }

    pub(super) fn advance(&mut self) -> Result<(), ParseError> {
        self.start = self.skip_blank(self.cursor.at())?;
        let (token, end) = self.token_at(self.start);
        self.token = token;
        self.cursor.go(end);
        Ok(())
    }

    /// At an opening parenthesis: whether what it encloses is a formula by itself, rather than the
    /// beginning of a Promela expression.
    pub(super) fn encloses_formula(&self) -> Result<bool, ParseError> {
        let after = self.skip_blank(self.partners[&self.start])?;
        Ok(self.ends_atom(after))
    }

    /// Whether a proposition cannot go on at `at`.
    fn ends_atom(&self, at: usize) -> bool {
        let (token, end) = self.token_at(at);
        match token {
            Token::Word => matches!(&self.cursor.text()[at..end], "goto" | "fi" | "od"),
            Token::Sign(b'(') => false,
            Token::Sign(_) | Token::Finish => true,
            Token::Other => false,
        }
    }

    /// Takes a proposition: everything up to the next operator, closing parenthesis or the end of
    /// the guard. Comments inside are dropped and runs of white space made one space.
    pub(super) fn take_atom(&mut self) -> Result<String, ParseError> {
        let mut name = String::new();
        let mut at = self.start;
        loop {
            // Text in parentheses or brackets belongs to the proposition, and so does a single `:`, `!` or `{`,
            // but those cannot stand in an expression outside of them.
            let mut depth_end = at;
            let (_, mut end) = self.token_at(at);
            if let Some(&partner) = self.partners.get(&at) {
                depth_end = partner;
                end = at + 1;
            }
            name.push_str(&self.cursor.text()[at..end]);
            let mut last = end;
            while last < depth_end {
                let next = self.skip_blank(last)?;
                if next > last {
                    name.push(' ');
                }
                let (_, end) = self.token_at(next);
                name.push_str(&self.cursor.text()[next..end]);
                last = end;
            }
            self.cursor.go(last);
            let next = self.skip_blank(last)?;
            if self.ends_atom(next) {
                break;
            }
            if next > last {
                name.push(' ');
            }
            at = next;
        }
        self.advance()?;
        Ok(name)
    }

    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        if self.token == Token::Finish {
            let message = "the text ends in the middle of a never claim";
            let wrong = Diagnostic::error("E0304", message, self.span());
            return Box::new(wrong.label(format!("expected {expected}")));
        }
        let found: String = self.slice().chars().take(40).collect();
        let message = format!("expected {expected}, found `{}`", found.escape_debug());
        Box::new(Diagnostic::error("E0303", message, self.span()))
    }

    pub(super) fn expect(&mut self, sign: u8, written: &str) -> Result<(), ParseError> {
        if self.token != Token::Sign(sign) {
            return Err(self.unexpected(written));
        }
        self.advance()
    }

    /// Takes an identifier, with its place.
    pub(super) fn expect_word(&mut self, what: &str) -> Result<(&'a str, Span), ParseError> {
        if self.token != Token::Word {
            return Err(self.unexpected(what));
        }
        let found = (self.slice(), self.span());
        self.advance()?;
        Ok(found)
    }
}
