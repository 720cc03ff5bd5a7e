//! Text to tokens. The grammar and the table of error codes are in [`crate::parser`].
//!
//! The whole text is cut up before parsing, so that a diagnostic can look at what stands around
//! it (the comparison that should have been quoted). What is wrong with a token itself becomes a
//! [`Kind::Bad`] token and is reported only when the parser reaches it: the first error in the
//! text is the one shown.

use std::borrow::Cow;

use fairly_source::{Cursor, Diagnostic, Span, unescaped};

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

/// Kind of a word.
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
    let mut lexer = Lexer { cursor: Cursor::new(text), tokens: Vec::new(), is_name };
    while lexer.step() {}
    let end = lexer.tokens.last().map_or(0, |token| token.span.end);
    lexer.tokens.push(Token { kind: Kind::End, span: Span::at(end) });
    lexer.tokens
}

struct Lexer<'a> {
    cursor: Cursor<'a>,
    tokens: Vec<Token>,
    is_name: &'a dyn Fn(&str) -> bool,
}

impl<'a> Lexer<'a> {
    /// A token of the next `len` bytes.
    fn push(&mut self, kind: Kind, len: usize) {
        self.tokens.push(Token { kind, span: self.cursor.skip(len) });
    }

    /// A token that is wrong; nothing after it is looked at.
    fn bad(&mut self, diagnostic: Diagnostic) -> bool {
        let span = diagnostic.span;
        self.tokens.push(Token { kind: Kind::Bad(Box::new(diagnostic)), span });
        false
    }

    /// Reads one token; false at the end.
    fn step(&mut self) -> bool {
        self.cursor.skip_space();
        let Some(first) = self.cursor.peek() else { return false };
        if starts_word(first) {
            return self.word();
        }
        if first.is_ascii_digit() {
            let (kind, len) = match self.cursor.word(in_word) {
                "0" => (Kind::False, 1),
                "1" => (Kind::True, 1),
                other => (Kind::Foreign, other.len()),
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
        let rest = self.cursor.rest();
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
                let help = "expressions of the model are written in double quotes or braces";
                let wrong = self.cursor.stray("E0501", "here");
                let wrong = wrong.label("no operator or proposition starts so");
                return self.bad(wrong.help_if((first == '\'').then(|| help.to_owned())));
            }
        }
        true
    }

    fn word(&mut self) -> bool {
        let rest = self.cursor.rest();
        let text = self.cursor.word(in_word);
        let (kind, len) = (word(text), text.len());
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
        if matches!(text, "event" | "state" | "enabled" | "taken")
            && rest[len..].trim_start().starts_with('(')
        {
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
            let sign = match self.cursor.rest().as_bytes()[0] {
                b'F' => Sign::Finally,
                b'G' => Sign::Globally,
                _ => Sign::Next,
            };
            self.push(Kind::Sign(sign), 1);
        }
    }

    /// `eat.0`, `eat.*`: the first `len` bytes are the word before the first dot.
    fn dotted(&mut self, mut len: usize) -> bool {
        let rest = self.cursor.rest();
        while rest[len..].starts_with('.') {
            let after = &rest[len + 1..];
            let part = match after.strip_prefix('*') {
                Some(_) => 1,
                None => after.find(|c| !in_word(c)).unwrap_or(after.len()),
            };
            if part == 0 {
                let at = self.cursor.at() + len;
                let message = "an event name stops at a dot";
                let wrong = Diagnostic::error("E0513", message, Span::new(at, at + 1))
                    .label("expected a word, a number or `*` after it");
                return self.bad(wrong.help("other event names are written `event(…)`"));
            }
            len += 1 + part;
        }
        self.push(Kind::Atom(Atom::event(&rest[..len])), len);
        true
    }

    /// `event(…)`, `state(…)`, `enabled(…)` or `taken(…)`, with balanced parentheses or one quoted text inside.
    fn explicit(&mut self, keyword: &str) -> bool {
        let make = |inside: &str| match keyword {
            "event" => Atom::event(inside),
            "state" => Atom::state(inside),
            _ if inside.is_empty() => Atom::state(""),
            _ => Atom::state(&format!("{keyword}({})", inside.trim())),
        };
        let mut inside = self.cursor;
        inside.skip(keyword.len());
        inside.skip_space();
        let mut quoted = inside;
        quoted.skip(1);
        quoted.skip_space();
        if quoted.sees("\"")
            && let Some(content) = quoted.take_quoted()
        {
            quoted.skip_space();
            if quoted.takes(")") {
                return self.proposition(make(&unquoted(content)), quoted.at());
            }
        }
        match inside.take_nested("(", ")") {
            Some(content) => self.proposition(make(content), inside.at()),
            None => self.unclosed(Span::new(self.cursor.at(), inside.at() + 1), ")"),
        }
    }

    fn quoted(&mut self) -> bool {
        let mut quoted = self.cursor;
        match quoted.take_quoted() {
            Some(content) => self.proposition(Atom::state(&unquoted(content)), quoted.at()),
            None => self.unclosed(self.cursor.next(1), "\""),
        }
    }

    fn braced(&mut self) -> bool {
        let mut braced = self.cursor;
        match braced.take_nested("{", "}") {
            Some(content) => self.proposition(Atom::state(content), braced.at()),
            None => self.unclosed(self.cursor.next(1), "}"),
        }
    }

    fn proposition(&mut self, atom: Atom, end: usize) -> bool {
        let span = Span::new(self.cursor.at(), end);
        if atom.text().is_empty() {
            let wrong = Diagnostic::error("E0512", "an empty proposition", span);
            return self.bad(wrong.label("there is nothing inside"));
        }
        self.push(Kind::Atom(atom), span.end - span.start);
        true
    }

    fn unclosed(&mut self, span: Span, close: &str) -> bool {
        self.bad(
            Diagnostic::error("E0502", "a proposition that does not end", span)
                .label(format!("the matching `{close}` is missing")),
        )
    }
}

/// A quoted text with `\"` and `\\` undone.
fn unquoted(text: &str) -> Cow<'_, str> {
    unescaped(text, |sign| sign == '"' || sign == '\\')
}
