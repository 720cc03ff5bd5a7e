//! Text to expressions. The grammar and the table of error codes are in [`super`].

use super::lexer::Kind;
use super::parse::{Parsed, Parser};
use super::print::{OPERATORS, PREFIXES, QUERIES};
use crate::expression::{AnyVariable, BinaryOp, Expr, Pattern, Pick, Place, UnaryOp};
use crate::ids::{LocalId, LocationId, TemplateId, VariableId};

/// Something with how deep it is nested.
#[derive(Debug)]
pub(super) struct Tall<T> {
    pub(super) value: T,
    pub(super) height: u32,
}

impl<T> Tall<T> {
    fn leaf(value: T) -> Tall<T> {
        Tall { value, height: 1 }
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        Ok(self.tall()?.value)
    }

    pub(super) fn exprs(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        self.several(")", Parser::expr)
    }

    /// An expression. Only brackets and conditionals recurse: how tightly operators bind is kept
    /// track of on a stack, and the height of what they build is counted.
    fn tall(&mut self) -> Parsed<Tall<Expr>> {
        self.enter()?;
        let condition = self.binary()?;
        let whole = if self.takes("?") {
            let yes = self.tall()?;
            self.expect(":")?;
            let no = self.tall()?;
            let height = condition.height.max(yes.height).max(no.height);
            let parts = Box::new((condition.value, yes.value, no.value));
            self.above(height, Expr::Conditional(parts))?
        } else {
            condition
        };
        self.leave();
        Ok(whole)
    }

    fn binary(&mut self) -> Parsed<Tall<Expr>> {
        let mut operands = vec![self.unary()?];
        let mut operators: Vec<(BinaryOp, u8)> = Vec::new();
        loop {
            let next = self.operator();
            let binds = next.map_or(0, |(_, binds)| binds);
            while let Some(&(op, before)) = operators.last()
                && before >= binds
            {
                operators.pop();
                let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else { break };
                let height = left.height.max(right.height);
                operands.push(self.above(height, Expr::binary(op, left.value, right.value))?);
            }
            let Some(next) = next else { break };
            self.advance();
            operators.push(next);
            operands.push(self.unary()?);
        }
        match operands.pop() {
            Some(whole) => Ok(whole),
            None => self.expected("an expression"),
        }
    }

    /// The operator that comes next, if one does.
    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let sign = match self.kind() {
            Kind::Sign(sign) => sign,
            Kind::Word => self.word(),
            _ => return None,
        };
        let row = OPERATORS.iter().find(|(_, spelled, _)| *spelled == sign)?;
        Some((row.0, row.2))
    }

    fn unary(&mut self) -> Parsed<Tall<Expr>> {
        let mut prefixes: Vec<UnaryOp> = Vec::new();
        loop {
            // A minus just before a number belongs to it.
            if self.sees("-") && matches!(self.kind_after(), Kind::Number(_)) {
                break;
            }
            let sees = |sign: &str| self.sees(sign) || self.word() == sign;
            let prefix = PREFIXES.iter().find(|(_, sign)| sees(sign.trim_end()));
            let Some(&(prefix, _)) = prefix else { break };
            self.advance();
            prefixes.push(prefix);
        }
        let mut operand = self.primary()?;
        while let Some(prefix) = prefixes.pop() {
            operand = self.above(operand.height, Expr::unary(prefix, operand.value))?;
        }
        Ok(operand)
    }

    fn primary(&mut self) -> Parsed<Tall<Expr>> {
        if self.sees("-") || matches!(self.kind(), Kind::Number(_)) {
            return Ok(Tall::leaf(Expr::Const(self.integer()?)));
        }
        if self.takes("(") {
            let inner = self.tall()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("$") {
            return Ok(Tall::leaf(Expr::Received(self.number()?)));
        }
        let leaf = match self.word() {
            "own" => Some(Expr::Own),
            "running" => Some(Expr::Running),
            "last" => Some(Expr::LastMover),
            "timeout" => Some(Expr::Timeout),
            _ => None,
        };
        if let Some(leaf) = leaf {
            self.advance();
            return Ok(Tall::leaf(leaf));
        }
        if let Some(template) = self.sees_id('t') {
            return self.remote(TemplateId(template));
        }
        if self.sees_id('g').is_some() || self.sees_id('l').is_some() {
            let place = self.tall_place()?;
            return self.above(place.height, Expr::Load(place.value));
        }
        self.call()
    }

    /// A word with something in parentheses.
    fn call(&mut self) -> Parsed<Tall<Expr>> {
        let word = self.word();
        let query = QUERIES.iter().find(|(_, spelled)| *spelled == word);
        if query.is_none() && !["checked", "executable", "poll", "poll_first"].contains(&word) {
            return self.expected("an expression");
        }
        self.advance();
        self.expect("(")?;
        let first = self.tall()?;
        let mut height = first.height;
        let inner = Box::new(first.value);
        let whole = match word {
            "checked" => {
                self.expect(",")?;
                let length = self.number()?;
                self.expect(")")?;
                Expr::Checked { index: inner, length }
            }
            "poll" | "poll_first" => {
                self.expect(";")?;
                let pattern = self.several(")", |parser| {
                    if parser.takes("_") {
                        return Ok(Pattern::Any);
                    }
                    let value = parser.tall()?;
                    height = height.max(value.height);
                    Ok(Pattern::Equal(value.value))
                })?;
                let pick = if word == "poll" { Pick::Head } else { Pick::First };
                Expr::Poll { channel: inner, pattern, pick }
            }
            _ => {
                self.expect(")")?;
                match query {
                    Some(&(query, _)) => Expr::Channel(query, inner),
                    None => Expr::Executable(inner),
                }
            }
        };
        self.above(height, whole)
    }

    /// `t0[…]` with a variable or locations.
    fn remote(&mut self, template: TemplateId) -> Parsed<Tall<Expr>> {
        self.advance();
        self.expect("[")?;
        let slot = self.tall()?;
        self.expect("]")?;
        self.expect(".")?;
        if self.takes("{") {
            let locations = self.several("}", |parser| Ok(LocationId(parser.id('q')?)))?;
            let at = Expr::At { slot: Box::new(slot.value), template, locations };
            return self.above(slot.height, at);
        }
        let place = self.remote_place(slot, template)?;
        self.above(place.height, Expr::Load(place.value))
    }

    fn remote_place(&mut self, slot: Tall<Expr>, template: TemplateId) -> Parsed<Tall<Place>> {
        let local = LocalId(self.id('l')?);
        let variable = AnyVariable::Remote { slot: Box::new(slot.value), template, local };
        self.index(variable, slot.height)
    }

    pub(super) fn place(&mut self) -> Parsed<Place> {
        Ok(self.tall_place()?.value)
    }

    fn tall_place(&mut self) -> Parsed<Tall<Place>> {
        if let Some(template) = self.sees_id('t') {
            self.advance();
            self.expect("[")?;
            let slot = self.tall()?;
            self.expect("]")?;
            self.expect(".")?;
            return self.remote_place(slot, TemplateId(template));
        }
        let variable = match (self.sees_id('g'), self.sees_id('l')) {
            (Some(id), _) => AnyVariable::Global(VariableId(id)),
            (_, Some(id)) => AnyVariable::Local(LocalId(id)),
            _ => return self.expected("a variable"),
        };
        self.advance();
        self.index(variable, 0)
    }

    /// The index behind a variable, if there is one.
    fn index(&mut self, variable: AnyVariable, height: u32) -> Parsed<Tall<Place>> {
        if !self.takes("[") {
            return Ok(Tall { value: Place { variable, index: None }, height });
        }
        let index = self.tall()?;
        self.expect("]")?;
        let height = height.max(index.height);
        let index = Some(Box::new(index.value));
        Ok(Tall { value: Place { variable, index }, height })
    }

    pub(super) fn pattern(&mut self) -> Parsed<Vec<Pattern>> {
        self.expect("(")?;
        self.several(")", |parser| match parser.takes("_") {
            true => Ok(Pattern::Any),
            false => Ok(Pattern::Equal(parser.expr()?)),
        })
    }

    /// The expression, whose parts are this high at most.
    fn above(&mut self, height: u32, value: Expr) -> Parsed<Tall<Expr>> {
        self.check_height(height + 1)?;
        Ok(Tall { value, height: height + 1 })
    }
}
