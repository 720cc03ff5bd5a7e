//! The tokens as the parser sees them: with the text of inlines in place, and with the separators
//! that SPIN puts at the ends of lines.
//!
//! SPIN ends a statement at the end of a line if it stands inside a body or a typedef, outside all
//! parentheses, after a name, a constant, a closing bracket, `od`, `fi`, `else`, `break`, `++` or
//! `--`. That is done token by token, without regard to the grammar: `x = a` ends there even if the
//! next line starts with `+ b`.

use std::rc::Rc;

use super::place::Place;
use super::token::{Kind, Sign, Token, is_keyword};

/// A list of tokens that is being read. The outermost one ends with [`Kind::End`].
struct Frame {
    tokens: Rc<[Token]>,
    at: usize,
}

pub(super) struct Stream {
    frames: Vec<Frame>,
    /// The next token, if it has been looked at.
    ahead: Option<Token>,
    /// A token that waits behind a line end.
    held: Option<Token>,
    /// Whether a line end after the last token may end a statement.
    ends: bool,
    /// Whether the last token was `}`, after which a separator may be left out.
    after_brace: bool,
    after_else: bool,
    /// Whether the last token was the end of a line that counts as a separator.
    pub(super) after_line_end: bool,
    /// Whether the last token was an operator of arithmetic.
    pub(super) after_operator: bool,
    last: Place,
    /// Whether a body or a typedef is being read.
    pub(super) in_sequence: bool,
    /// How many parentheses are open.
    pub(super) parens: usize,
}

impl Stream {
    pub(super) fn new(tokens: Rc<[Token]>) -> Stream {
        let last = Place::plain(fairly_source::Span::at(0));
        Stream {
            frames: vec![Frame { tokens, at: 0 }],
            ahead: None,
            held: None,
            ends: false,
            after_brace: false,
            after_else: false,
            after_line_end: false,
            after_operator: false,
            last,
            in_sequence: false,
            parens: 0,
        }
    }

    fn raw(&mut self) -> Token {
        if let Some(token) = self.held.take() {
            return token;
        }
        loop {
            let outermost = self.frames.len() == 1;
            let Some(frame) = self.frames.last_mut() else { return end(self.last) };
            if let Some(token) = frame.tokens.get(frame.at) {
                if token.kind != Kind::End {
                    frame.at += 1;
                }
                return token.clone();
            }
            if outermost {
                return end(self.last);
            }
            self.frames.pop();
        }
    }

    /// The next token.
    pub(super) fn peek(&mut self) -> &Token {
        if self.ahead.is_none() {
            let mut token = self.raw();
            // SPIN looks only at the first letter to see whether an `unless` follows.
            let unless = self.after_brace && token.word().is_some_and(|word| word.starts_with('u'));
            if token.newline && self.ends && self.in_sequence && self.parens == 0 && !unless {
                token.newline = false;
                let place = self.last.end();
                let line_end =
                    Token { kind: Kind::LineEnd, place, newline: false, painted: false, note: 0 };
                self.held = Some(std::mem::replace(&mut token, line_end));
            }
            self.ahead = Some(token);
        }
        // The token was put there just now.
        self.ahead.get_or_insert_with(|| end(self.last))
    }

    /// The token after the next one, without regard to line ends.
    pub(super) fn peek_second(&mut self) -> Option<&Token> {
        self.peek();
        if self.held.is_some() {
            return self.held.as_ref();
        }
        self.frames.iter().rev().find_map(|frame| frame.tokens.get(frame.at))
    }

    /// Takes the next token.
    pub(super) fn bump(&mut self) -> Token {
        self.peek();
        let Some(token) = self.ahead.take() else { return end(self.last) };
        self.ends = match &token.kind {
            Kind::Number(..) => true,
            Kind::Word(word) => {
                let closing =
                    matches!(&**word, "od" | "fi" | "else" | "break" | "true" | "false" | "skip");
                closing || &**word == "timeout" || !is_keyword(word)
            }
            Kind::Sign(sign) => matches!(
                sign,
                Sign::CloseBrace
                    | Sign::CloseParen
                    | Sign::CloseBracket
                    | Sign::Increment
                    | Sign::Decrement
            ),
            _ => false,
        };
        self.after_brace = token.is(Sign::CloseBrace);
        self.after_line_end = token.kind == Kind::LineEnd;
        self.after_else = token.is_word("else");
        self.after_operator = matches!(
            token.kind,
            Kind::Sign(
                Sign::Plus
                    | Sign::Minus
                    | Sign::Times
                    | Sign::Divide
                    | Sign::Modulo
                    | Sign::BitAnd
                    | Sign::BitOr
                    | Sign::BitXor
            )
        );
        match token.kind {
            Kind::Sign(Sign::OpenParen) => self.parens += 1,
            Kind::Sign(Sign::CloseParen) => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
        self.last = token.place;
        token
    }

    /// Where the last token stands.
    pub(super) fn last(&self) -> Place {
        self.last
    }

    /// Whether a separator may be missing here.
    pub(super) fn separator_is_optional(&self) -> bool {
        self.after_brace || self.after_else
    }

    /// Puts tokens before what comes next. Nothing may have been looked at.
    pub(super) fn insert(&mut self, tokens: Rc<[Token]>) {
        if let Some(token) = self.ahead.take() {
            let rest: Vec<Token> = std::iter::once(token).chain(self.held.take()).collect();
            self.frames.push(Frame { tokens: rest.into(), at: 0 });
        }
        self.frames.push(Frame { tokens, at: 0 });
        self.ends = false;
    }
}

fn end(last: Place) -> Token {
    Token { kind: Kind::End, place: last.end(), newline: true, painted: false, note: 0 }
}
