//! The arithmetic of `#if`.

use std::rc::Rc;

use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign, Token};
use super::Preprocessor;

/// How deep a condition may nest.
const MAX_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// Whether the condition holds; one that cannot be read does not.
    pub(super) fn condition(&mut self, place: Place, line: &[Token]) -> bool {
        let mut tokens = Vec::new();
        let mut rest = line.iter();
        // `defined` is answered before macros are expanded.
        while let Some(token) = rest.next() {
            if !token.is_word("defined") {
                tokens.push(token.clone());
                continue;
            }
            let mut name = rest.next();
            let paren = name.is_some_and(|token| token.is(Sign::OpenParen));
            if paren {
                name = rest.next();
            }
            let closed = !paren || rest.next().is_some_and(|token| token.is(Sign::CloseParen));
            match name.map(|token| &token.kind) {
                Some(Kind::Word(name)) if closed => {
                    let kind = Kind::Number(i32::from(self.macros.contains_key(name)), true);
                    tokens.push(Token { kind, ..token.clone() });
                }
                _ => {
                    self.wrong(malformed("`defined` needs the name of a macro", token.place));
                    return false;
                }
            }
        }
        let tokens: Rc<[Token]> = tokens.into();
        let mut expanded = Vec::new();
        self.expand(tokens, 0, false, &mut expanded);
        let mut reader = Reader { tokens: &expanded, at: 0, depth: 0, end: place };
        match reader.conditional().and_then(|value| reader.finish(value)) {
            Ok(value) => value != 0,
            Err(wrong) => {
                self.wrong(wrong);
                false
            }
        }
    }
}

fn malformed(message: &str, place: Place) -> ParseError {
    ParseError::new("E1110", message, place)
        .help("a condition is made of numbers, macros and operators")
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    end: Place,
}

impl Reader<'_> {
    fn place(&self) -> Place {
        self.tokens.get(self.at).map_or(self.end, |token| token.place)
    }

    fn finish(&self, value: i64) -> Read<i64> {
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(token) => Err(malformed("expected an operator", token.place)),
        }
    }

    /// `a ? b : c`, or an expression without it.
    fn conditional(&mut self) -> Read<i64> {
        let condition = self.binary(0)?;
        if !self.tokens.get(self.at).is_some_and(|token| token.is(Sign::Receive)) {
            return Ok(condition);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(malformed("this condition is nested too deep", self.place()));
        }
        self.at += 1;
        let then = self.conditional()?;
        if !self.tokens.get(self.at).is_some_and(|token| token.is(Sign::Colon)) {
            return Err(malformed("expected `:`", self.place()));
        }
        self.at += 1;
        let otherwise = self.conditional()?;
        self.depth -= 1;
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn binary(&mut self, least: u8) -> Read<i64> {
        let mut left = self.unary()?;
        while let Some(Token { kind: Kind::Sign(sign), .. }) = self.tokens.get(self.at)
            && let Some((op, level)) = sign.operator()
            && level > least
        {
            let place = self.place();
            self.at += 1;
            let right = self.binary(level)?;
            let value = op.apply(left, right);
            left = value.ok_or_else(|| malformed("this has no value", place))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<i64> {
        let place = self.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(malformed("this condition is nested too deep", place));
        }
        let token = self.tokens.get(self.at).map(|token| token.kind.clone());
        self.at += 1;
        let value = match token {
            Some(Kind::Number(value, _)) => i64::from(value),
            // A name that is no macro counts as 0, as everywhere in C.
            Some(Kind::Word(_)) => 0,
            Some(Kind::Sign(Sign::Send)) => i64::from(self.unary()? == 0),
            Some(Kind::Sign(Sign::Minus)) => self.unary()?.wrapping_neg(),
            Some(Kind::Sign(Sign::Plus)) => self.unary()?,
            Some(Kind::Sign(Sign::BitNot)) => !self.unary()?,
            Some(Kind::Sign(Sign::OpenParen)) => {
                let value = self.conditional()?;
                if !self.tokens.get(self.at).is_some_and(|token| token.is(Sign::CloseParen)) {
                    return Err(malformed("expected `)`", self.place()));
                }
                self.at += 1;
                value
            }
            _ => return Err(malformed("expected a number or the name of a macro", place)),
        };
        self.depth -= 1;
        Ok(value)
    }
}
