//! Text to tokens, with the comments that mean something to us.
//!
//! Directives and macros are the business of [`super::preprocess`], separators at the ends of lines
//! that of [`super::stream`]; here a token only remembers that a line ended before it.

use std::rc::Rc;

use fairly_source::{Cursor, Fragment, Span};
use fairly_system::Annotation;

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
    pub(super) expectations: Vec<Fragment>,
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
    cursor: Cursor<'a>,
    newline: bool,
    /// Whether the line is a directive, which a comment does not end.
    directive: bool,
    note: u32,
    out: Lexed,
}

pub(super) fn lex(text: &str) -> Lexed {
    let out = Lexed { tokens: Vec::new(), notes: Vec::new(), expectations: Vec::new(), cut: None };
    let cursor = Cursor::new(text);
    let mut lexer = Lexer { cursor, newline: true, directive: false, note: 0, out };
    while let Some(first) = lexer.cursor.peek() {
        if lexer.out.tokens.len() >= MAX_TOKENS {
            lexer.out.cut = Some(Span::at(lexer.cursor.at()));
            break;
        }
        lexer.step(first);
    }
    lexer.newline = true;
    lexer.push(Kind::End, lexer.cursor.at());
    lexer.out
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, start: usize) {
        self.out.tokens.push(Token {
            kind,
            place: Place::plain(self.cursor.since(start)),
            newline: std::mem::take(&mut self.newline),
            painted: false,
            note: std::mem::take(&mut self.note),
        });
    }

    fn step(&mut self, first: char) {
        let rest = self.cursor.rest();
        let start = self.cursor.at();
        match first {
            '\n' => {
                self.newline = true;
                self.directive = false;
                self.cursor.skip(1);
            }
            '\\' if continues(rest) > 0 => _ = self.cursor.skip(continues(rest)),
            _ if first.is_whitespace() => _ = self.cursor.skip(first.len_utf8()),
            '/' if rest.starts_with("/*") => self.block_comment(),
            '/' if rest.starts_with("//") => self.line_comment(),
            // SPIN reads over the end of a comment that has no start. It may be `*` before a comment.
            '*' if rest.starts_with("*/") && !rest[2..].starts_with(['*', '/']) => {
                self.cursor.skip(2);
            }
            '#' if self.newline => {
                self.directive = true;
                self.sign(start);
            }
            '"' => self.string(),
            '\'' => self.character(),
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => {
                let word = self.cursor.take_while(in_word);
                self.push(Kind::Word(Rc::from(word)), start);
            }
            _ => self.sign(start),
        }
    }

    fn sign(&mut self, start: usize) {
        let rest = self.cursor.rest();
        match SIGNS.iter().find(|sign| rest.starts_with(sign.text())) {
            Some(&sign) => {
                self.cursor.skip(sign.text().len());
                self.push(Kind::Sign(sign), start);
            }
            None => {
                self.cursor.skip(rest.chars().next().map_or(1, char::len_utf8));
                let bad = Kind::Bad("E1100", "a character that means nothing here", "");
                self.push(bad, start);
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.cursor.at();
        let Some(comment) = self.cursor.take_block("/*", "*/") else {
            self.cursor.skip(2);
            self.push(Kind::Bad("E1101", "this comment does not end", "expected `*/`"), start);
            return self.cursor.go(self.cursor.text().len());
        };
        // A comment counts as a space for the preprocessor, but SPIN sees the ends of lines in it.
        // Those in a directive are none: it goes on behind the comment.
        self.newline |= comment.contains('\n') && !self.directive;
        if let Some(annotation) = comment.strip_prefix('@') {
            let annotation = Annotation::named(annotation.trim());
            self.out.notes.push(Note { annotation, span: self.cursor.since(start) });
            self.note = u32::try_from(self.out.notes.len()).unwrap_or(0);
        }
        self.out.expectations.extend(Fragment::behind("expect:", comment, start + 2));
    }

    fn line_comment(&mut self) {
        self.cursor.skip(2);
        let start = self.cursor.at();
        let mut comment = self.cursor.take_line();
        while comment.trim_end_matches('\r').ends_with('\\') && self.cursor.takes("\n") {
            self.cursor.take_line();
            comment = &self.cursor.text()[start..self.cursor.at()];
        }
        self.out.expectations.extend(Fragment::behind("expect:", comment, start));
    }

    fn string(&mut self) {
        let start = self.cursor.at();
        let mut escaped = false;
        for (at, c) in self.cursor.rest().char_indices().skip(1) {
            match c {
                // A backslash hides the end of the line, also with a carriage return between them.
                '\n' if escaped => escaped = false,
                '\r' if escaped => {}
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let text = &self.cursor.rest()[..=at];
                    let text = text.replace("\\\r\n", "").replace("\\\n", "");
                    self.cursor.skip(at + 1);
                    self.push(Kind::Text(Rc::from(text)), start);
                    return;
                }
                _ => {}
            }
        }
        let bad = Kind::Bad("E1102", "this string does not end in its line", "expected `\"`");
        self.cursor.skip(1);
        self.push(bad, start);
        self.cursor.take_line();
    }

    fn character(&mut self) {
        let start = self.cursor.at();
        let mut rest = self.cursor.rest()[1..].chars();
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
                self.cursor.skip(length + 1);
                self.push(Kind::Number(value as i32, false), start);
            }
            _ => {
                self.cursor.skip(1);
                let what = "a character in quotes is one ASCII character, as in `'a'` or `'\\n'`";
                self.push(Kind::Bad("E1103", what, ""), start);
                // The rest of the line is part of the slip, so that one is said once.
                self.cursor.take_while(|sign| !['\n', '\'', ';'].contains(&sign));
                self.cursor.takes("'");
            }
        }
    }

    fn number(&mut self) {
        let start = self.cursor.at();
        let number = self.cursor.take_while(in_word);
        let kind = if number.bytes().any(|digit| !digit.is_ascii_digit()) {
            Kind::Bad("E1105", "a number with letters in it", "numbers are decimal")
        } else {
            match number.parse::<i64>() {
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

fn in_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
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
