//! Text to tokens. What is wrong with a character or number is reported here; the parser sees a
//! text without it.

use fairly_source::{Diagnostic, Span, parts};

use super::codes;
use super::syntax::Remark;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word that is no keyword.
    Name,
    /// A word of [`KEYWORDS`].
    Keyword,
    /// A number.
    Number(i32),
    /// A text in double quotes.
    Text,
    /// A sign of [`SIGNS`].
    Sign(&'static str),
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether nothing but space stands before it on its line.
    pub(super) first: bool,
}

/// Words that cannot be names. PAT reserves some more (`min`, `with`); they are needed only where
/// they cannot be confused with a name.
pub(super) const KEYWORDS: &[&str] = &[
    "var",
    "hvar",
    "channel",
    "enum",
    "if",
    "ifa",
    "ifb",
    "else",
    "while",
    "case",
    "default",
    "atomic",
    "interrupt",
    "Stop",
    "Skip",
    "assert",
    "tau",
    "true",
    "false",
    "xor",
    "call",
    "new",
];

/// Signs, the longer before its own beginning.
const SIGNS: &[&str] = &[
    "|||", "[*]", "<->", "->", "..", "|=", "||", "[]", "<>", "&&", "==", "!=", "<=", ">=", "++",
    "--", "/\\", "\\/", ";", ",", ".", ":", "@", "=", "(", ")", "{", "}", "[", "]", "<", ">", "+",
    "-", "*", "/", "%", "!", "?", "\\", "&", "|", "^", "#", "$",
];

/// The tokens of a text, and the comments that mean something.
#[derive(Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) remarks: Vec<Remark>,
    /// `// capacity: 40`: the number and where it stands.
    pub(super) capacities: Vec<Remark>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Lexed {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { text, at, first: true, lexed: Lexed::default() };
    while lexer.step() {}
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    first: bool,
    lexed: Lexed,
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.lexed.tokens.push(Token { kind, span, first: self.first });
        self.first = false;
        self.at += length;
    }

    fn wrong(&mut self, wrong: Diagnostic) {
        // One more than are shown is enough to know that there are too many.
        if self.lexed.errors.len() <= super::MOST_ERRORS {
            self.lexed.errors.push(wrong);
        }
    }

    /// Reads one token, comment or stretch of space; false at the end.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c.is_whitespace() {
            let space = rest.len() - rest.trim_start().len();
            self.first |= rest[..space].contains('\n');
            self.at += space;
        } else if parts::is_header(c) {
            // The name of an included file.
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("//") {
            self.line_comment();
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if c.is_ascii_digit() {
            self.number();
        } else if in_word(c) {
            let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let keyword = KEYWORDS.contains(&&rest[..length]);
            self.push(if keyword { Kind::Keyword } else { Kind::Name }, length);
        } else if c == '"' {
            self.quoted();
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(Kind::Sign(sign), sign.len());
        } else {
            self.unknown(c);
        }
        true
    }

    fn line_comment(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        let body = &line[2..];
        let start = body.trim_start();
        for (word, expects) in [("expect:", true), ("capacity:", false)] {
            if let Some(remark) = start.strip_prefix(word) {
                let from = self.at + line.len() - remark.trim_start().len();
                let text = remark.trim().to_owned();
                let remark = Remark { span: Span::new(from, from + text.len()), text };
                if expects {
                    self.lexed.remarks.push(remark);
                } else {
                    self.lexed.capacities.push(remark);
                }
            }
        }
        self.at += line.len();
    }

    fn block_comment(&mut self) {
        let rest = self.rest();
        match rest[2..].find("*/") {
            Some(length) => {
                self.first |= rest[..length + 4].contains('\n');
                self.at += length + 4;
            }
            None => {
                let span = Span::new(self.at, self.at + 2);
                self.wrong(
                    Diagnostic::error(codes::COMMENT, "this comment does not end", span)
                        .label("the matching `*/` is missing")
                        .help("close the comment with `*/`; comments do not nest"),
                );
                self.at = self.text.len();
            }
        }
    }

    fn number(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let span = Span::new(self.at, self.at + length);
        let value = word.parse::<i32>();
        if word.bytes().any(|byte| !byte.is_ascii_digit()) {
            self.wrong(
                Diagnostic::error(codes::NUMBER_WORD, "this is neither a number nor a name", span)
                    .label("a name does not start with a digit")
                    .help("start the name with a letter, or put a sign after the number"),
            );
        } else if value.is_err() {
            self.wrong(
                Diagnostic::error(codes::NUMBER, "this number is too large", span)
                    .label("above 2147483647")
                    .help("integers are those of 32 bits, as in PAT"),
            );
        }
        // Something has to stand here, or the parser would report what is missing.
        self.push(Kind::Number(value.unwrap_or(1)), length);
    }

    fn quoted(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        match line[1..].find('"') {
            Some(length) => self.push(Kind::Text, length + 2),
            None => {
                let span = Span::new(self.at, self.at + line.len());
                self.wrong(
                    Diagnostic::error(codes::QUOTE, "this text does not end", span)
                        .label("the closing `\"` is missing on this line")
                        .help("close the text with `\"`"),
                );
                // Most likely it ends before the semicolon.
                let length = line.trim_end().trim_end_matches(';').len();
                self.push(Kind::Text, length);
            }
        }
    }

    fn unknown(&mut self, c: char) {
        let same = |other: char| other == c;
        let length = self.rest().find(|other| !same(other)).unwrap_or(self.rest().len());
        let span = Span::new(self.at, self.at + length);
        let message = format!("`{}` means nothing here", c.escape_debug());
        let help = match c {
            '\'' | '`' => "texts are written in double quotes",
            '~' => "not is written `!`",
            c if c.is_alphabetic() => {
                "names are made of the letters a to z and A to Z, digits and `_`"
            }
            _ => "remove it, or put it into a comment",
        };
        self.wrong(
            Diagnostic::error(codes::CHARACTER, message, span)
                .label("no sign or name of CSP# starts so")
                .help(help),
        );
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        let lexed = tokens(text);
        assert!(lexed.errors.is_empty(), "{:?}", lexed.errors);
        lexed.tokens.iter().map(|token| &text[token.span.start..token.span.end]).collect()
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(cut("a|||b||c|d|=e"), ["a", "|||", "b", "||", "c", "|", "d", "|=", "e"]);
        assert_eq!(cut("[][*][x]<>"), ["[]", "[*]", "[", "x", "]", "<>"]);
        assert_eq!(cut("0..3.x->-1"), ["0", "..", "3", ".", "x", "->", "-", "1"]);
        assert_eq!(cut("a<->b<-1"), ["a", "<->", "b", "<", "-", "1"]);
        assert_eq!(cut("x/**/y//z\n\"c!1\""), ["x", "y", "\"c!1\""]);
    }

    #[test]
    fn only_expectations_are_kept_of_comments() {
        let text = "// a\n//expect: holds  \r\n  // expect:\n/* expect: no */";
        let found: Vec<(String, &str)> = tokens(text)
            .remarks
            .into_iter()
            .map(|remark| (remark.text, &text[remark.span.start..remark.span.end]))
            .collect();
        assert_eq!(found, [("holds".to_owned(), "holds"), (String::new(), "")]);
    }
}
