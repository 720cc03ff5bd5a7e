//! Text to tokens, with the comments that mean something to us.
//!
//! Directives and macros are the business of [`super::preprocess`], separators at the ends of lines
//! that of [`super::stream`]; here a token only remembers that a line ended before it.

use std::rc::Rc;

use fairly_source::Span;
use fairly_system::Annotation;

use super::ast::Remark;
use super::place::Place;
use super::token::{Kind, SIGNS, Token};

/// How many tokens a text may have, before and after expansion.
pub(super) const MAX_TOKENS: usize = 1 << 20;

/// An annotation of ours in a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    pub(super) annotation: Option<Annotation>,
    pub(super) span: Span,
}

/// A text in tokens.
pub(super) struct Lexed {
    /// Ends with [`Kind::End`].
    pub(super) tokens: Vec<Token>,
    pub(super) notes: Vec<Note>,
    /// Comments that start with `expect:`.
    pub(super) expectations: Vec<Remark>,
    /// Whether there are more tokens than [`MAX_TOKENS`].
    pub(super) cut: Option<Span>,
}

impl Lexed {
    /// Moves everything to where the text begins in a larger one, which has so many notes before it.
    pub(super) fn shifted(mut self, by: usize, notes: usize) -> Lexed {
        let moved = |span: Span| Span::new(span.start + by, span.end + by);
        let notes = u32::try_from(notes).unwrap_or(0);
        for token in &mut self.tokens {
            token.place.span = moved(token.place.span);
            if token.note > 0 {
                token.note += notes;
            }
        }
        self.notes.iter_mut().for_each(|note| note.span = moved(note.span));
        self.expectations.iter_mut().for_each(|remark| remark.span = moved(remark.span));
        self.cut = self.cut.map(moved);
        self
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    newline: bool,
    /// Whether the line is a directive, which a comment does not end.
    directive: bool,
    note: u32,
    out: Lexed,
}

pub(super) fn lex(text: &str) -> Lexed {
    let out = Lexed { tokens: Vec::new(), notes: Vec::new(), expectations: Vec::new(), cut: None };
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { text, at, newline: true, directive: false, note: 0, out };
    while lexer.at < text.len() {
        if lexer.out.tokens.len() >= MAX_TOKENS {
            lexer.out.cut = Some(Span::at(lexer.at));
            break;
        }
        lexer.step();
    }
    lexer.newline = true;
    lexer.push(Kind::End, lexer.at);
    lexer.out
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.out.tokens.push(Token {
            kind,
            place: Place::plain(Span::new(start, self.at)),
            newline: std::mem::take(&mut self.newline),
            painted: false,
            note: std::mem::take(&mut self.note),
        });
    }

    fn step(&mut self) {
        let rest = self.rest();
        let start = self.at;
        let Some(first) = rest.chars().next() else { return };
        match first {
            '\n' => {
                self.newline = true;
                self.directive = false;
                self.at += 1;
            }
            '\\' if continues(rest) > 0 => self.at += continues(rest),
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            '/' if rest.starts_with("/*") => self.block_comment(),
            '/' if rest.starts_with("//") => self.line_comment(),
            // SPIN reads over the end of a comment that has no start. It may be `*` before a comment.
            '*' if rest.starts_with("*/") && !rest[2..].starts_with(['*', '/']) => self.at += 2,
            '#' if self.newline => {
                self.directive = true;
                self.sign(start);
            }
            '"' => self.string(),
            '\'' => self.character(),
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => {
                self.at += word(rest);
                self.push(Kind::Word(Rc::from(&self.text[start..self.at])), start);
            }
            _ => self.sign(start),
        }
    }

    fn sign(&mut self, start: usize) {
        let rest = self.rest();
        match SIGNS.iter().find(|sign| rest.starts_with(sign.text())) {
            Some(&sign) => {
                self.at += sign.text().len();
                self.push(Kind::Sign(sign), start);
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                let bad = Kind::Bad("E1100", "a character that means nothing here", "");
                self.push(bad, start);
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let inside = &self.rest()[2..];
        let Some(length) = inside.find("*/") else {
            self.at = start + 2;
            self.push(Kind::Bad("E1101", "this comment does not end", "expected `*/`"), start);
            self.at = self.text.len();
            return;
        };
        let comment = &inside[..length];
        self.at += length + 4;
        // A comment counts as a space for the preprocessor, but SPIN sees the ends of lines in it.
        // Those in a directive are none: it goes on behind the comment.
        self.newline |= comment.contains('\n') && !self.directive;
        if let Some(annotation) = comment.strip_prefix('@') {
            let annotation = match annotation.trim() {
                "wf" => Some(Annotation::WeakFair),
                "sf" => Some(Annotation::StrongFair),
                "wl" => Some(Annotation::WeakLive),
                "sl" => Some(Annotation::StrongLive),
                _ => None,
            };
            self.out.notes.push(Note { annotation, span: Span::new(start, self.at) });
            self.note = u32::try_from(self.out.notes.len()).unwrap_or(0);
        }
        self.expectation(comment, start + 2);
    }

    fn line_comment(&mut self) {
        let start = self.at + 2;
        let mut end = start;
        loop {
            end += self.text[end..].find('\n').unwrap_or(self.text.len() - end);
            let before = self.text[start..end].trim_end_matches('\r');
            if end < self.text.len() && before.ends_with('\\') {
                end += 1;
            } else {
                break;
            }
        }
        self.at = end;
        self.expectation(&self.text[start..end], start);
    }

    fn expectation(&mut self, comment: &str, start: usize) {
        let trimmed = comment.trim_start();
        if let Some(rest) = trimmed.strip_prefix("expect:") {
            let start = start + comment.len() - rest.len();
            let start = start + rest.len() - rest.trim_start().len();
            let text = rest.trim();
            let span = Span::new(start, start + text.len());
            self.out.expectations.push(Remark { span, text: text.to_owned() });
        }
    }

    fn string(&mut self) {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                // A backslash hides the end of the line, also with a carriage return between them.
                '\n' if escaped => escaped = false,
                '\r' if escaped => {}
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at += at + 1;
                    let text = &self.text[start..self.at];
                    let text = text.replace("\\\r\n", "").replace("\\\n", "");
                    self.push(Kind::Text(Rc::from(text)), start);
                    return;
                }
                _ => {}
            }
        }
        let bad = Kind::Bad("E1102", "this string does not end in its line", "expected `\"`");
        self.at += 1;
        self.push(bad, start);
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn character(&mut self) {
        let start = self.at;
        let mut rest = self.rest()[1..].chars();
        let (value, length) = match rest.next() {
            Some('\\') => match rest.next() {
                Some('n') => (Some('\n'), 3),
                Some('r') => (Some('\r'), 3),
                Some('t') => (Some('\t'), 3),
                Some('f') => (Some('\u{c}'), 3),
                Some(c) if c.is_ascii() && c != '\n' => (Some(c), 3),
                _ => (None, 0),
            },
            Some(c) if c.is_ascii() && c != '\n' && c != '\'' => (Some(c), 2),
            _ => (None, 0),
        };
        match (value, rest.next()) {
            (Some(value), Some('\'')) => {
                self.at += length + 1;
                self.push(Kind::Number(value as i32, false), start);
            }
            _ => {
                self.at += 1;
                let what = "a character in quotes is one ASCII character, as in `'a'` or `'\\n'`";
                self.push(Kind::Bad("E1103", what, ""), start);
                // The rest of the line is part of the slip, so that one is said once.
                self.at += self.rest().find(['\n', '\'', ';']).unwrap_or(self.rest().len());
                if self.rest().starts_with('\'') {
                    self.at += 1;
                }
            }
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let glued = word(&rest[digits..]);
        self.at += digits + glued;
        let kind = if glued > 0 {
            Kind::Bad("E1105", "a number with letters in it", "numbers are decimal")
        } else {
            match rest[..digits].parse::<i64>() {
                // SPIN cuts a number off at 32 bits: 4294967295 is -1.
                Ok(value) => Kind::Number(value as i32, true),
                Err(_) => {
                    Kind::Bad("E1104", "this number does not fit", "at most 9223372036854775807")
                }
            }
        };
        self.push(kind, start);
    }
}

/// The length of a backslash with the end of line it hides, or 0.
fn continues(rest: &str) -> usize {
    let after = &rest[1..];
    let spaces = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
    if after[spaces..].starts_with('\n') { spaces + 2 } else { 0 }
}

/// How many bytes at the start of `text` can belong to a word.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let words = lex(text).tokens.into_iter().map(|token| token.kind.to_string());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(kinds("a??<x>"), "`a` `??` `<` `x` `>` the end of the text");
        assert_eq!(kinds("x<-1->y"), "`x` `<` `-` `1` `->` `y` the end of the text");
        assert_eq!(kinds("1..3"), "`1` `..` `3` the end of the text");
        assert_eq!(kinds("'\\n' 'a'"), "a character a character the end of the text");
    }

    #[test]
    fn comments_are_kept_if_they_are_ours() {
        let lexed = lex("// expect: holds \n/*@ sf */ x /* no */ y /* expect: z */");
        let texts: Vec<&str> = lexed.expectations.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(texts, ["holds", "z"]);
        assert_eq!(lexed.tokens[0].note, 1);
        assert_eq!(lexed.notes[0].annotation, Some(Annotation::StrongFair));
        assert_eq!(lexed.tokens[1].note, 0);
    }

    #[test]
    fn a_comment_does_not_end_a_directive() {
        let lexed = lex("#define A 1 /* one \\\n two\n three */ + 2\nb /* c\n */ d");
        let newlines: Vec<bool> = lexed.tokens.iter().map(|token| token.newline).collect();
        let directive = [true, false, false, false, false, false];
        assert_eq!(newlines, [&directive[..], &[true, true, true]].concat());
    }

    #[test]
    fn the_end_of_no_comment_is_nothing() {
        assert_eq!(kinds("a */ b*/"), "`a` `b` the end of the text");
        assert_eq!(kinds("a */* c */ b *// d"), "`a` `*` `b` `*` the end of the text");
    }

    #[test]
    fn a_hidden_end_of_line_is_none() {
        let lexed = lex("a \\\n b\nc");
        let newlines: Vec<bool> = lexed.tokens.iter().map(|token| token.newline).collect();
        assert_eq!(newlines, [true, false, true, true]);
    }
}
