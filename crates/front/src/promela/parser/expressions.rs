//! Expressions and formulas. They share their operators, so one reader serves both: in a formula an
//! operand may hold temporal operators, elsewhere it never does.
//!
//! SPIN's precedences, loosest first, all grouping to the left: `->` and `<->` (formulas only); `||`;
//! `&&`; `U` `W` `V` (formulas only); `|`; `^`; `&`; `==` `!=`; `<` `>` `<=` `>=`; `<<` `>>`;
//! `+` `-`; `*` `/` `%`; and the prefix operators `!` `-` `~`, and in formulas `[]` `<>` `X`.

use super::super::ast::{
    BinaryLtl, BinaryOp, Expr, ExprKind, Ltl, Type, UnaryLtl, UnaryOp, VarRef,
};
use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign};
use super::{MAX_HEIGHT, Parser, too_deep};

/// Operand of an operator.
pub(super) enum Operand {
    Plain(Expr),
    /// With a temporal operator in it.
    Temporal(Ltl, Place, u32),
}

impl Operand {
    fn place(&self) -> Place {
        match self {
            Operand::Plain(expr) => expr.place,
            Operand::Temporal(_, place, _) => *place,
        }
    }

    fn height(&self) -> u32 {
        match self {
            Operand::Plain(expr) => expr.height,
            Operand::Temporal(_, _, height) => *height,
        }
    }

    fn ltl(self) -> Ltl {
        match self {
            Operand::Plain(expr) => Ltl::Proposition(expr),
            Operand::Temporal(ltl, ..) => ltl,
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Plain(BinaryOp),
    Temporal(BinaryLtl),
}

const PREFIX: u8 = 13;

impl Parser<'_> {
    /// An expression in which `full`, `empty`, `nfull` and `nempty` may stand.
    pub(super) fn full_expression(&mut self) -> Read<Expr> {
        let operand = self.operand(0)?;
        self.plain(operand)
    }

    /// An expression in which they may not: SPIN's partial order reduction must see them.
    pub(super) fn value(&mut self) -> Read<Expr> {
        let expr = self.full_expression()?;
        self.no_probe(&expr)?;
        Ok(expr)
    }

    /// The expression that starts with this variable.
    pub(super) fn value_after(&mut self, variable: VarRef) -> Read<Expr> {
        let expr = self.full_after(variable)?;
        self.no_probe(&expr)?;
        Ok(expr)
    }

    /// The expression that starts with this one.
    pub(super) fn value_from(&mut self, first: Expr) -> Read<Expr> {
        let operand = self.operators(Operand::Plain(first), 0)?;
        self.plain(operand)
    }

    pub(super) fn full_after(&mut self, variable: VarRef) -> Read<Expr> {
        let first = self.after_reference(variable)?;
        let operand = self.operators(Operand::Plain(first), 0)?;
        self.plain(operand)
    }

    /// An expression or, in a formula, a formula.
    pub(super) fn whole_operand(&mut self) -> Read<Operand> {
        self.operand(0)
    }

    pub(super) fn temporal_formula(&mut self) -> Read<Ltl> {
        Ok(self.operand(0)?.ltl())
    }

    fn plain(&mut self, operand: Operand) -> Read<Expr> {
        match operand {
            Operand::Plain(expr) => Ok(expr),
            Operand::Temporal(_, place, _) => Err(not_boolean(place)),
        }
    }

    /// An operand with the operators that bind tighter than `least`.
    fn operand(&mut self, least: u8) -> Read<Operand> {
        let first = self.prefixed()?;
        self.operators(first, least)
    }

    fn operators(&mut self, first: Operand, least: u8) -> Read<Operand> {
        let mut left = first;
        while let Some((op, level)) = self.operator()
            && level > least
        {
            let sign = self.bump();
            let right = self.nested(sign.place, |parser| parser.operand(level))?;
            left = self.combine(op, left, right)?;
        }
        Ok(left)
    }

    fn operator(&mut self) -> Option<(Op, u8)> {
        let in_formula = self.in_formula;
        let op = match &self.peek().kind {
            Kind::Sign(sign) => {
                return sign.operator().map(|(op, level)| (Op::Plain(op), level));
            }
            Kind::Word(word) if in_formula => match &**word {
                "implies" => BinaryLtl::Implies,
                "equivalent" => BinaryLtl::Equivalent,
                "U" | "until" | "stronguntil" => BinaryLtl::Until,
                "W" | "weakuntil" => BinaryLtl::WeakUntil,
                "V" | "R" | "release" => BinaryLtl::Release,
                _ => return None,
            },
            _ => return None,
        };
        let is_loose = matches!(op, BinaryLtl::Implies | BinaryLtl::Equivalent);
        Some((Op::Temporal(op), if is_loose { 1 } else { 4 }))
    }

    fn combine(&mut self, op: Op, left: Operand, right: Operand) -> Read<Operand> {
        let place = self.expansions.join(left.place(), right.place());
        let height = left.height().max(right.height()) + 1;
        if height > MAX_HEIGHT {
            return Err(too_deep(place));
        }
        let temporal = |op, left: Operand, right: Operand| {
            let ltl = Ltl::Binary(op, Box::new(left.ltl()), Box::new(right.ltl()));
            Ok(Operand::Temporal(ltl, place, height))
        };
        match (op, left, right) {
            (Op::Plain(op), Operand::Plain(left), Operand::Plain(right)) => {
                if !matches!(op, BinaryOp::And | BinaryOp::Or) {
                    self.no_probe(&left)?;
                    self.no_probe(&right)?;
                }
                let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                Ok(Operand::Plain(self.make(kind, place)?))
            }
            (Op::Plain(BinaryOp::And), left, right) => temporal(BinaryLtl::And, left, right),
            (Op::Plain(BinaryOp::Or), left, right) => temporal(BinaryLtl::Or, left, right),
            (Op::Plain(op), left, right) => {
                let wrong = match &left {
                    Operand::Temporal(..) => &left,
                    Operand::Plain(_) => &right,
                };
                let wrong = not_boolean(wrong.place());
                Err(match op {
                    BinaryOp::BitAnd => wrong.help("between formulas, write `&&`"),
                    BinaryOp::BitOr => wrong.help("between formulas, write `||`"),
                    _ => wrong,
                })
            }
            // Without a temporal operator in them, these are propositions: `!a || b`, `!a == !b`.
            (Op::Temporal(BinaryLtl::Implies), Operand::Plain(left), Operand::Plain(right)) => {
                let left = self.negated(left)?;
                let kind = ExprKind::Binary(BinaryOp::Or, Box::new(left), Box::new(right));
                Ok(Operand::Plain(self.make(kind, place)?))
            }
            (Op::Temporal(BinaryLtl::Equivalent), Operand::Plain(left), Operand::Plain(right)) => {
                let (left, right) = (self.negated(left)?, self.negated(right)?);
                let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(left), Box::new(right));
                Ok(Operand::Plain(self.make(kind, place)?))
            }
            (Op::Temporal(op), left, right) => temporal(op, left, right),
        }
    }

    fn negated(&mut self, expr: Expr) -> Read<Expr> {
        let place = expr.place;
        self.make(ExprKind::Unary(UnaryOp::Not, Box::new(expr)), place)
    }

    /// Prefix operators and what they stand before.
    fn prefixed(&mut self) -> Read<Operand> {
        #[derive(Clone, Copy)]
        enum Prefix {
            Plain(UnaryOp),
            Temporal(UnaryLtl),
        }
        let in_formula = self.in_formula;
        let prefix = match &self.peek().kind {
            Kind::Sign(Sign::Send) => Prefix::Plain(UnaryOp::Not),
            // SPIN reads `!!` as one sign and refuses it here; two negations are meant.
            Kind::Sign(Sign::SortedSend) => Prefix::Plain(UnaryOp::Not),
            Kind::Sign(Sign::Minus) => Prefix::Plain(UnaryOp::Minus),
            Kind::Sign(Sign::BitNot) => Prefix::Plain(UnaryOp::BitNot),
            Kind::Word(word) if in_formula => {
                let word = word.clone();
                let prefix = match &*word {
                    "always" | "G" => Prefix::Temporal(UnaryLtl::Always),
                    "eventually" | "F" => Prefix::Temporal(UnaryLtl::Eventually),
                    "X" | "next" => Prefix::Temporal(UnaryLtl::Next),
                    "not" => Prefix::Plain(UnaryOp::Not),
                    _ => return self.primary(),
                };
                if self.is_operand(&word)? {
                    return self.primary();
                }
                prefix
            }
            _ => return self.primary(),
        };
        let sign = self.bump();
        let operand = self.nested(sign.place, |parser| parser.operand(PREFIX))?;
        let place = self.expansions.join(sign.place, operand.place());
        let height = operand.height() + 1;
        if height > MAX_HEIGHT {
            return Err(too_deep(place));
        }
        match (prefix, operand) {
            (Prefix::Plain(op), Operand::Plain(mut operand)) => {
                if !self.in_formula {
                    self.no_probe(&operand)?;
                }
                // The complement of a truth value is never 0, so no other reading makes sense.
                let op = match op {
                    UnaryOp::BitNot if self.in_formula && self.is_truth_value(&operand) => {
                        UnaryOp::Not
                    }
                    op => op,
                };
                if sign.is(Sign::SortedSend) {
                    operand = self.negated(operand)?;
                }
                let kind = ExprKind::Unary(op, Box::new(operand));
                Ok(Operand::Plain(self.make(kind, place)?))
            }
            (Prefix::Plain(UnaryOp::Not | UnaryOp::BitNot), Operand::Temporal(ltl, ..)) => {
                let mut ltl = Ltl::Unary(UnaryLtl::Not, Box::new(ltl));
                if sign.is(Sign::SortedSend) {
                    ltl = Ltl::Unary(UnaryLtl::Not, Box::new(ltl));
                }
                Ok(Operand::Temporal(ltl, place, height + 1))
            }
            (Prefix::Plain(_), Operand::Temporal(_, place, _)) => Err(not_boolean(place)),
            (Prefix::Temporal(op), operand) => {
                let ltl = Ltl::Unary(op, Box::new(operand.ltl()));
                Ok(Operand::Temporal(ltl, place, height))
            }
        }
    }

    /// Whether a word that can be an operator is a name of the model here. SPIN takes `X` and `next` for
    /// operators wherever they stand; they are read as names where an operator cannot be. `G`, `F` and `not`
    /// mean nothing to SPIN, so a name of the model comes first.
    fn is_operand(&mut self, word: &str) -> Read<bool> {
        if !self.names.contains_key(word) {
            return Ok(false);
        }
        let place = self.here();
        let starts_operand = match self.stream.peek_second().map(|next| &next.kind) {
            Some(Kind::Word(next)) => !matches!(
                &**next,
                "implies"
                    | "equivalent"
                    | "U"
                    | "until"
                    | "stronguntil"
                    | "W"
                    | "weakuntil"
                    | "V"
                    | "R"
                    | "release"
            ),
            Some(Kind::Number(..)) => true,
            Some(Kind::Sign(sign)) => {
                matches!(sign, Sign::OpenParen | Sign::Send | Sign::SortedSend | Sign::BitNot)
            }
            _ => false,
        };
        let operator = match word {
            "G" => "[]",
            "F" => "<>",
            "not" => "!",
            _ => return Ok(!starts_operand),
        };
        if starts_operand {
            let message = format!("`{word}` is a name of the model here, not an operator");
            return Err(ParseError::new("E1120", message, place)
                .label("expected an operator after it")
                .help(format!("write `{operator}` for the operator")));
        }
        Ok(true)
    }

    /// Whether the value is 0 or 1, and means no or yes.
    fn is_truth_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Unary(op, _) => *op == UnaryOp::Not,
            ExprKind::Binary(op, ..) => op.is_truth(),
            ExprKind::Variable(variable) => matches!(variable.kind, Type::Bit | Type::Bool),
            ExprKind::Probe(..)
            | ExprKind::Poll { .. }
            | ExprKind::Enabled(_)
            | ExprKind::RemoteLabel(..)
            | ExprKind::Timeout
            | ExprKind::NonProgress => true,
            _ => false,
        }
    }

    /// Refuses `full`, `empty`, `nfull` and `nempty` where SPIN does.
    pub(super) fn no_probe(&self, expr: &Expr) -> Read<()> {
        if self.in_formula {
            return Ok(());
        }
        match &expr.kind {
            ExprKind::Probe(..) => Err(ParseError::new(
                "E1129",
                "this can only be combined with `&&` and `||`",
                expr.place,
            )
            .label("not under another operator")
            .help("for the negation of `full` write `nfull`, of `empty` `nempty`; or use `len`")),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.no_probe(left)?;
                self.no_probe(right)
            }
            _ => Ok(()),
        }
    }
}

fn not_boolean(place: Place) -> ParseError {
    ParseError::new("E1130", "a temporal formula is not a number", place)
        .label("this has a temporal operator")
        .help("temporal operators bind tightly: `[] x == 1` is `([] x) == 1`; write `[] (x == 1)`")
}
