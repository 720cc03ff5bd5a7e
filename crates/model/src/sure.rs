//! Expressions and statements that cannot go wrong: they have a value for all that the variables of one scope can
//! hold. Statements of a process that read and write its own variables only are no concern of others either.
//!
//! The ranges of variables are known from the layout (`ranges.rs`). Where that is not enough to be sure, a
//! fault is possible.

use crate::expression::{AnyVariable, BinaryOp, Expr, Place, UnaryOp};
use crate::layout::{Layout, VariantLayout};
use crate::model::Model;
use crate::process::{Statement, StatementKind, Template};
use crate::ranges::binary;
use crate::variable::{Overflow, Range, Storage, Variable};

/// The variables that something is about.
pub(crate) enum Scope<'a> {
    /// Those of a process.
    Process { template: &'a Template, layout: &'a VariantLayout },
    /// Those of the model, and where processes are.
    Model { model: &'a Model, layout: &'a Layout },
}

impl Scope<'_> {
    /// Whether these statements cannot go wrong, and are about variables of the scope of which the state
    /// remembers all. They have no loops.
    pub(crate) fn is_sure(&self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| match &statement.kind {
            StatementKind::Assign(pairs) => pairs.iter().all(|(place, value)| {
                let (Some((variable, _)), Some(value)) = (self.variable(place), self.values(value))
                else {
                    return false;
                };
                variable.overflow == Overflow::Wrap || is_within(value, variable.range)
            }),
            StatementKind::If { condition, then, otherwise } => {
                self.values(condition).is_some() && self.is_sure(then) && self.is_sure(otherwise)
            }
            _ => false,
        })
    }

    /// A variable of the scope that the state remembers, and its values, if the place is certain to be in it.
    fn variable(&self, place: &Place) -> Option<(&Variable, Range)> {
        let (variable, strip) = match (self, &place.variable) {
            (Scope::Process { template, layout }, &AnyVariable::Local(local)) => {
                (template.local(local), &layout.locals[local.index()])
            }
            (Scope::Model { model, layout }, &AnyVariable::Global(global)) => {
                (&model.variables[global.index()], &layout.variables[global.index()])
            }
            _ => return None,
        };
        let length = variable.length.map(|length| Range::new(0, i64::from(length) - 1));
        let is_inside = match (&place.index, length) {
            (None, None) => true,
            (Some(index), Some(length)) => is_within(self.values(index)?, length),
            _ => false,
        };
        (is_inside && variable.storage == Storage::State).then(|| (variable, strip.range()))
    }

    /// The values of an expression over these variables; `None` if it is about something else, or may
    /// have none.
    pub(crate) fn values(&self, expr: &Expr) -> Option<Range> {
        match expr {
            Expr::Const(value) => Some(Range::new(*value, *value)),
            Expr::Load(place) => Some(self.variable(place)?.1),
            Expr::At { slot, .. } => {
                let is_known = matches!((self, &**slot), (Scope::Model { .. }, Expr::Const(_)));
                is_known.then_some(Range::BOOL)
            }
            Expr::Running => matches!(self, Scope::Model { .. }).then_some(Range::INT),
            Expr::Unary(op, operand) => {
                let Range { low, high } = self.values(operand)?;
                match op {
                    UnaryOp::Not => Some(Range::BOOL),
                    UnaryOp::Negate => Some(Range::new(high.checked_neg()?, low.checked_neg()?)),
                    UnaryOp::Complement => Some(Range::new(!high, !low)),
                    UnaryOp::Int => Some(Range::INT),
                }
            }
            Expr::Binary(op, sides) => {
                let (left, right) = (self.values(&sides.0)?, self.values(&sides.1)?);
                let values = binary(*op, left, right);
                // An end of all numbers stands for what leaves them.
                let stays = values.low > i64::MIN && values.high < i64::MAX;
                let is_sure = match op {
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => stays,
                    BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo => {
                        !right.contains(0) && left.low > i64::MIN
                    }
                    BinaryOp::ShiftLeft => stays && is_within(right, Range::new(0, 63)),
                    BinaryOp::ShiftRight => is_within(right, Range::new(0, 63)),
                    _ => true,
                };
                is_sure.then_some(values)
            }
            Expr::Conditional(parts) => {
                self.values(&parts.0)?;
                let (one, other) = (self.values(&parts.1)?, self.values(&parts.2)?);
                Some(Range::new(one.low.min(other.low), one.high.max(other.high)))
            }
            Expr::Checked { index, length } => {
                let values = self.values(index)?;
                is_within(values, Range::new(0, i64::from(*length) - 1)).then_some(values)
            }
            _ => None,
        }
    }
}

fn is_within(values: Range, range: Range) -> bool {
    range.contains(values.low) && range.contains(values.high)
}
