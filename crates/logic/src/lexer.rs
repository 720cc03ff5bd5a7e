//! Text to tokens. The grammar and the table of error codes are in [`crate::parser`].
//!
//! The whole text is cut up before parsing, so that a diagnostic can look at what stands around
//! it (the comparison that should have been quoted). What is wrong with a token itself becomes a
//! [`Kind::Bad`] token and is reported only when the parser reaches it: the first error in the
//! text is the one shown.

use fairly_source::{Diagnostic, Span};

use crate::atom::Atom;

/// An operator as the parser sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Not,
    Next,
    Finally,
    Globally,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    LeadsTo,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

impl Sign {
    pub(crate) fn is_prefix(self) -> bool {
        matches!(self, Sign::Not | Sign::Next | Sign::Finally | Sign::Globally)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Open,
    Close,
    True,
    False,
    Sign(Sign),
    Atom(Atom),
    /// A number other than 0 and 1, or a sign of arithmetic or comparison: part of an expression
    /// of the model that was not quoted.
    Foreign,
    Bad(Box<Diagnostic>),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Symbols, the longer before its own beginning.
const SYMBOLS: &[(&str, Sign)] = &[
    ("<-->", Sign::Iff),
    ("<->", Sign::Iff),
    ("<=>", Sign::Iff),
    ("-->", Sign::Implies),
    ("->", Sign::Implies),
    ("=>", Sign::Implies),
    ("~>", Sign::LeadsTo),
    ("[]", Sign::Globally),
    ("<>", Sign::Finally),
    ("&&", Sign::And),
    ("&", Sign::And),
    ("/\\", Sign::And),
    ("||", Sign::Or),
    ("|", Sign::Or),
    ("\\/", Sign::Or),
    ("^", Sign::Xor),
    ("!", Sign::Not),
    ("~", Sign::Not),
    ("□", Sign::Globally),
    ("◇", Sign::Finally),
    ("○", Sign::Next),
    ("¬", Sign::Not),
    ("∧", Sign::And),
    ("∨", Sign::Or),
    ("⊕", Sign::Xor),
    ("→", Sign::Implies),
    ("⇒", Sign::Implies),
    ("↔", Sign::Iff),
    ("⇔", Sign::Iff),
    ("↝", Sign::LeadsTo),
];

/// Words that are operators; a proposition of that name must be quoted.
const WORDS: &[(&str, Sign)] = &[
    ("not", Sign::Not),
    ("and", Sign::And),
    ("or", Sign::Or),
    ("xor", Sign::Xor),
    ("implies", Sign::Implies),
    ("equivalent", Sign::Iff),
    ("next", Sign::Next),
    ("eventually", Sign::Finally),
    ("always", Sign::Globally),
    ("until", Sign::Until),
    ("stronguntil", Sign::Until),
    ("weakuntil", Sign::WeakUntil),
    ("release", Sign::Release),
    ("strongrelease", Sign::StrongRelease),
    ("U", Sign::Until),
    ("R", Sign::Release),
    ("V", Sign::Release),
    ("W", Sign::WeakUntil),
    ("M", Sign::StrongRelease),
];

/// Signs of the model's language that no formula has; the longer first.
const FOREIGN: &[&str] =
    &["==", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "%", "[", "]", "@", "?", ":"];

/// What a word is.
enum Word<'a> {
    True,
    False,
    Sign(Sign),
    /// `GFp`: so many bytes of prefix operators, then the rest, which may be empty.
    Glued(usize, &'a str),
    Name,
}

/// A run of `F`, `G`, `X` is so many operators when nothing follows it, or a small letter or an
/// underscore does, as in Spot: `GFp` is `G F p`. Before a digit (also as in Spot) or another
/// capital (`FIFO`) it is part of a name.
fn word(text: &str) -> Word<'_> {
    if text.eq_ignore_ascii_case("true") {
        return Word::True;
    }
    if text.eq_ignore_ascii_case("false") {
        return Word::False;
    }
    if let Some(&(_, sign)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Word::Sign(sign);
    }
    let rest = text.trim_start_matches(['F', 'G', 'X']);
    let glued = text.len() - rest.len();
    if glued > 0 && rest.chars().next().is_none_or(|c| c.is_lowercase() || c == '_') {
        return Word::Glued(glued, rest);
    }
    Word::Name
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_word(text: &str) -> bool {
    text.chars().next().is_some_and(starts_word) && text.chars().all(in_word)
}

/// Whether `text`, standing alone, reads as the proposition of that name.
pub(crate) fn is_plain_name(text: &str) -> bool {
    is_word(text) && matches!(word(text), Word::Name)
}

/// Whether `text`, standing alone, reads as the event of that name.
pub(crate) fn is_bare_event(text: &str) -> bool {
    let Some((first, rest)) = text.split_once('.') else { return false };
    let splits = matches!(word(first), Word::Glued(_, rest) if !rest.is_empty());
    is_word(first)
        && !splits
        && rest
            .split('.')
            .all(|part| part == "*" || (!part.is_empty() && part.chars().all(in_word)))
}

/// Cuts `text` into tokens; the last is always [`Kind::End`]. `is_name` says of a word that looks
/// glued (`GFp`, `Finished`) whether it is a name after all.
pub(crate) fn tokens(text: &str, is_name: &dyn Fn(&str) -> bool) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), is_name };
    while lexer.step() {}
    let end = lexer.tokens.last().map_or(0, |token| token.span.end);
    lexer.tokens.push(Token { kind: Kind::End, span: Span::at(end) });
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    is_name: &'a dyn Fn(&str) -> bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// A token of the next `len` bytes.
    fn push(&mut self, kind: Kind, len: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.at, self.at + len) });
        self.at += len;
    }

    /// A token that is wrong; nothing after it is looked at.
    fn bad(&mut self, diagnostic: Diagnostic) -> bool {
        let span = diagnostic.span;
        self.tokens.push(Token { kind: Kind::Bad(Box::new(diagnostic)), span });
        false
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Reads one token; false at the end.
    fn step(&mut self) -> bool {
        self.skip_space();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        if starts_word(first) {
            return self.word();
        }
        if first.is_ascii_digit() {
            let len = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let kind = match &rest[..len] {
                "0" => Kind::False,
                "1" => Kind::True,
                _ => Kind::Foreign,
            };
            self.push(kind, len);
            return true;
        }
        match first {
            '(' => self.push(Kind::Open, 1),
            ')' => self.push(Kind::Close, 1),
            '"' => return self.quoted(),
            '{' => return self.braced(),
            _ => return self.symbol(first),
        }
        true
    }

    fn symbol(&mut self, first: char) -> bool {
        let rest = self.rest();
        let sign = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
        let foreign = FOREIGN.iter().find(|symbol| rest.starts_with(*symbol));
        match (sign, foreign) {
            // `!=` and `<=` are longer than `!` and are never the start of an operator, except
            // `<=>`; so the longer of the two wins.
            (Some((symbol, sign)), foreign) if foreign.is_none_or(|f| f.len() < symbol.len()) => {
                self.push(Kind::Sign(*sign), symbol.len());
            }
            (_, Some(symbol)) => self.push(Kind::Foreign, symbol.len()),
            (Some((symbol, sign)), _) => self.push(Kind::Sign(*sign), symbol.len()),
            (None, None) => {
                let span = Span::new(self.at, self.at + first.len_utf8());
                let mut diagnostic = Diagnostic::error(
                    "E0501",
                    format!("`{}` means nothing here", first.escape_debug()),
                    span,
                )
                .label("no operator or proposition starts so");
                if first == '\'' {
                    diagnostic = diagnostic
                        .help("expressions of the model are written in double quotes or braces");
                }
                return self.bad(diagnostic);
            }
        }
        true
    }

    fn word(&mut self) -> bool {
        let rest = self.rest();
        let len = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let text = &rest[..len];
        let kind = word(text);
        if let Word::Glued(glued, tail) = kind
            && !tail.is_empty()
            && !(self.is_name)(text)
        {
            self.prefixes(glued);
            return self.word();
        }
        if rest[len..].starts_with('.') {
            return self.dotted(len);
        }
        if (text == "event" || text == "state") && rest[len..].trim_start().starts_with('(') {
            return self.explicit(text);
        }
        match kind {
            Word::True => self.push(Kind::True, len),
            Word::False => self.push(Kind::False, len),
            Word::Sign(sign) => self.push(Kind::Sign(sign), len),
            Word::Glued(glued, "") if !(self.is_name)(text) => self.prefixes(glued),
            Word::Glued(..) | Word::Name => {
                self.push(Kind::Atom(Atom::Name(text.to_owned())), len);
            }
        }
        true
    }

    fn prefixes(&mut self, count: usize) {
        for _ in 0..count {
            let sign = match self.rest().as_bytes()[0] {
                b'F' => Sign::Finally,
                b'G' => Sign::Globally,
                _ => Sign::Next,
            };
            self.push(Kind::Sign(sign), 1);
        }
    }

    /// `eat.0`, `eat.*`: the first `len` bytes are the word before the first dot.
    fn dotted(&mut self, mut len: usize) -> bool {
        let rest = self.rest();
        while rest[len..].starts_with('.') {
            let after = &rest[len + 1..];
            let part = match after.strip_prefix('*') {
                Some(_) => 1,
                None => after.find(|c| !in_word(c)).unwrap_or(after.len()),
            };
            if part == 0 {
                let at = self.at + len;
                return self.bad(
                    Diagnostic::error(
                        "E0513",
                        "an event name stops at a dot",
                        Span::new(at, at + 1),
                    )
                    .label("expected a word, a number or `*` after it")
                    .help("other event names are written `event(…)`"),
                );
            }
            len += 1 + part;
        }
        self.push(Kind::Atom(Atom::event(&rest[..len])), len);
        true
    }

    /// `event(…)` or `state(…)`, with balanced parentheses or one quoted text inside.
    fn explicit(&mut self, keyword: &str) -> bool {
        let make = if keyword == "event" { Atom::event } else { Atom::state };
        let open = self.at + self.rest().find('(').expect("looked before");
        let inside = &self.text[open + 1..];
        let trimmed = inside.trim_start();
        if let Some(body) = trimmed.strip_prefix('"')
            && let Some((content, len)) = unquote(body)
            && body[len..].trim_start().starts_with(')')
        {
            let close = self.text.len() - body[len..].trim_start().len();
            return self.proposition(make(&content), close + 1);
        }
        match balanced(inside, '(', ')') {
            Some(len) => self.proposition(make(&inside[..len]), open + 1 + len + 1),
            None => self.unclosed(Span::new(self.at, open + 1), ")"),
        }
    }

    fn quoted(&mut self) -> bool {
        let body = &self.rest()[1..];
        match unquote(body) {
            Some((content, len)) => self.proposition(Atom::state(&content), self.at + 1 + len),
            None => self.unclosed(Span::new(self.at, self.at + 1), "\""),
        }
    }

    fn braced(&mut self) -> bool {
        let body = &self.rest()[1..];
        match balanced(body, '{', '}') {
            Some(len) => self.proposition(Atom::state(&body[..len]), self.at + 1 + len + 1),
            None => self.unclosed(Span::new(self.at, self.at + 1), "}"),
        }
    }

    fn proposition(&mut self, atom: Atom, end: usize) -> bool {
        if atom.text().is_empty() {
            return self.bad(
                Diagnostic::error("E0512", "an empty proposition", Span::new(self.at, end))
                    .label("there is nothing inside"),
            );
        }
        self.push(Kind::Atom(atom), end - self.at);
        true
    }

    fn unclosed(&mut self, span: Span, close: &str) -> bool {
        self.bad(
            Diagnostic::error("E0502", "a proposition that does not end", span)
                .label(format!("the matching `{close}` is missing")),
        )
    }
}

/// The text up to the closing quote with `\"` and `\\` undone, and how many bytes that took,
/// quote included.
fn unquote(body: &str) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((content, at + 1)),
            '\\' => match chars.peek() {
                Some(&(_, escaped)) if escaped == '"' || escaped == '\\' => {
                    content.push(escaped);
                    chars.next();
                }
                _ => content.push('\\'),
            },
            c => content.push(c),
        }
    }
    None
}

/// How many bytes there are before the `close` that no `open` in `body` pairs with.
fn balanced(body: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in body.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(at),
            }
        }
    }
    None
}
