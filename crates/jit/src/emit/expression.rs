//! The values of expressions.
//!
//! With each value goes what is known of its range, so that most checks for overflow, indices and
//! ranges fall away.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use fairly_model::{BinaryOp, ChannelQuery, Expr, Range, UnaryOp};

use super::place::Element;
use super::{Emitter, Known};
use crate::context;

impl Emitter<'_> {
    /// The value of an expression that does not depend on the state.
    pub(super) fn fixed(&self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Own => i64::try_from(self.own?.0).ok(),
            Expr::Checked { index, length } => {
                self.fixed(index).filter(|&index| 0 <= index && index < i64::from(*length))
            }
            Expr::Load(place) => self.constant(place).or_else(|| self.settled(place)),
            Expr::Unary(UnaryOp::Not, operand) => self.fixed(operand).map(|it| i64::from(it == 0)),
            Expr::Unary(UnaryOp::Int, operand) => {
                self.fixed(operand).filter(|&it| i32::try_from(it).is_ok())
            }
            Expr::Binary(BinaryOp::And, operands) => match self.fixed(&operands.0)? {
                0 => Some(0),
                _ => self.fixed(&operands.1).map(|it| i64::from(it != 0)),
            },
            Expr::Binary(BinaryOp::Or, operands) => match self.fixed(&operands.0)? {
                0 => self.fixed(&operands.1).map(|it| i64::from(it != 0)),
                _ => Some(1),
            },
            Expr::Binary(op, operands) => {
                let (left, right) = (self.fixed(&operands.0)?, self.fixed(&operands.1)?);
                op.apply(left, right)
            }
            _ => None,
        }
    }

    /// Whether the expression is true: a value of 8 bits.
    pub(super) fn test(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Binary(BinaryOp::And, operands) => self.both(&operands.0, &operands.1, true),
            Expr::Binary(BinaryOp::Or, operands) => self.both(&operands.0, &operands.1, false),
            Expr::Binary(op, operands) => match comparison(*op) {
                Some(condition) => {
                    let left = self.eval(&operands.0);
                    let right = self.eval(&operands.1);
                    self.builder.ins().icmp(condition, left.value, right.value)
                }
                None => self.is_true(expr),
            },
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.test(operand);
                let zero = self.builder.ins().iconst(types::I8, 0);
                self.builder.ins().icmp(IntCC::Equal, operand, zero)
            }
            Expr::At { slot, template, locations } => {
                let Some(slot) = self.fixed(slot) else { return self.unknown_truth() };
                let slot = usize::try_from(slot).unwrap_or(usize::MAX);
                let Some(variant) = self.variant_of(slot, *template) else {
                    return self.builder.ins().iconst(types::I8, 0);
                };
                let there = self.is_variant(slot, variant);
                let strip = self.plan.layout.slots[slot].location;
                let at = self.raw(&strip, Element::Fixed(0));
                let mut any = self.builder.ins().iconst(types::I8, 0);
                for location in locations {
                    let same = self.compare_to(IntCC::Equal, at, i64::from(location.0));
                    any = self.builder.ins().bor(any, same);
                }
                self.builder.ins().band(there, any)
            }
            Expr::Poll { channel, pattern, pick } => self.poll(channel, pattern, *pick),
            Expr::Channel(ChannelQuery::Empty | ChannelQuery::Full, _) => self.is_true(expr),
            _ => self.is_true(expr),
        }
    }

    fn is_true(&mut self, expr: &Expr) -> Value {
        let value = self.eval(expr);
        self.compare_to(IntCC::NotEqual, value.value, 0)
    }

    fn unknown_truth(&mut self) -> Value {
        self.give_up();
        self.builder.ins().iconst(types::I8, 0)
    }

    /// `&&` or `||`; the right side is only evaluated where needed if something could go wrong in it.
    fn both(&mut self, left: &Expr, right: &Expr, conjunction: bool) -> Value {
        if let Some(left) = self.fixed(left) {
            return match (left != 0) == conjunction {
                true => self.test(right),
                false => self.builder.ins().iconst(types::I8, i64::from(left != 0)),
            };
        }
        let left = self.test(left);
        if !self.may_fail(right) {
            let right = self.test(right);
            return match conjunction {
                true => self.builder.ins().band(left, right),
                false => self.builder.ins().bor(left, right),
            };
        }
        let (other, join) = (self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(join, types::I8);
        match conjunction {
            true => self.builder.ins().brif(left, other, &[], join, &[left.into()]),
            false => self.builder.ins().brif(left, join, &[left.into()], other, &[]),
        };
        self.builder.seal_block(other);
        self.builder.switch_to_block(other);
        let right = self.test(right);
        self.builder.ins().jump(join, &[right.into()]);
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
        result
    }

    fn truth(&mut self, expr: &Expr) -> Known {
        let truth = self.test(expr);
        let value = self.builder.ins().uextend(types::I64, truth);
        Known { value, low: 0, high: 1 }
    }

    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Known {
        if let Some(fixed) = self.fixed(expr) {
            return self.number(fixed);
        }
        match expr {
            Expr::Const(value) => self.number(*value),
            Expr::Load(place) => self.read(place),
            Expr::Received(cell) => match self.received.get(*cell as usize) {
                Some(&known) => known,
                None => self.unknown(),
            },
            Expr::Unary(op, operand) => self.unary(*op, operand, expr),
            Expr::Binary(op, operands) => match op {
                BinaryOp::And | BinaryOp::Or => self.truth(expr),
                _ if comparison(*op).is_some() => self.truth(expr),
                _ => {
                    let left = self.eval(&operands.0);
                    let right = self.eval(&operands.1);
                    self.binary(*op, left, right)
                }
            },
            Expr::Conditional(parts) => self.conditional(&parts.0, &parts.1, &parts.2),
            Expr::Checked { index, length } => {
                let index = self.eval(index);
                self.insist_within(index, 0, i64::from(*length) - 1)
            }
            Expr::Channel(query, channel) => self.query(*query, channel),
            Expr::Poll { .. } | Expr::At { .. } => self.truth(expr),
            Expr::Own | Expr::Executable(_) => self.unknown(),
            Expr::Running => {
                let mut count = self.number(0);
                for slot in 0..self.plan.layout.slots.len() {
                    let kind = self.kind(slot);
                    let runs = self.compare_to(IntCC::NotEqual, kind.value, 0);
                    let runs = self.builder.ins().uextend(types::I64, runs);
                    count.value = self.builder.ins().iadd(count.value, runs);
                    count.high += 1;
                }
                count
            }
            Expr::LastMover => match self.plan.layout.last_mover {
                Some(strip) => {
                    let last = i64::try_from(self.plan.layout.slots.len()).expect("a length");
                    self.get(&strip, Element::Fixed(0), Range::new(0, last))
                }
                None => self.unknown(),
            },
            Expr::Timeout => {
                let value = self.load(self.context, context::TIMEOUT);
                Known { value, low: 0, high: 1 }
            }
        }
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Known {
        let condition = self.test(condition);
        if !self.may_fail(then) && !self.may_fail(otherwise) {
            let (then, otherwise) = (self.eval(then), self.eval(otherwise));
            let value = self.builder.ins().select(condition, then.value, otherwise.value);
            return either(value, then, otherwise);
        }
        let yes = self.builder.create_block();
        let no = self.builder.create_block();
        let join = self.builder.create_block();
        let value = self.builder.append_block_param(join, types::I64);
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        let mut parts = Vec::new();
        for (block, part) in [(yes, then), (no, otherwise)] {
            self.builder.seal_block(block);
            self.builder.switch_to_block(block);
            let part = self.eval(part);
            self.builder.ins().jump(join, &[part.value.into()]);
            parts.push(part);
        }
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
        either(value, parts[0], parts[1])
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, expr: &Expr) -> Known {
        if op == UnaryOp::Not {
            return self.truth(expr);
        }
        let operand = self.eval(operand);
        match op {
            UnaryOp::Not => unreachable!("a truth value"),
            UnaryOp::Negate => {
                let operand = self.insist_within(operand, -i64::MAX, i64::MAX);
                let value = self.builder.ins().ineg(operand.value);
                Known {
                    value,
                    low: operand.high.saturating_neg(),
                    high: operand.low.saturating_neg(),
                }
            }
            UnaryOp::Complement => {
                let value = self.builder.ins().bnot(operand.value);
                Known { value, low: !operand.high, high: !operand.low }
            }
            UnaryOp::Int => {
                let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
                if low <= operand.low && operand.high <= high {
                    return operand;
                }
                let half = self.builder.ins().ireduce(types::I32, operand.value);
                let value = self.builder.ins().sextend(types::I64, half);
                Known { value, low, high }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Known, right: Known) -> Known {
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                self.arithmetic(op, left, right)
            }
            BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo => {
                self.division(op, left, right)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let value = match op {
                    BinaryOp::BitAnd => self.builder.ins().band(left.value, right.value),
                    BinaryOp::BitOr => self.builder.ins().bor(left.value, right.value),
                    _ => self.builder.ins().bxor(left.value, right.value),
                };
                if left.low < 0 || right.low < 0 {
                    return Known { value, low: i64::MIN, high: i64::MAX };
                }
                // No bit is above the highest of either.
                let bits = 64 - (left.high | right.high).leading_zeros();
                let high = i64::MAX >> (63 - bits.min(63));
                Known { value, low: 0, high }
            }
            BinaryOp::ShiftLeft => {
                let right = self.insist_within(right, 0, 63);
                let value = self.builder.ins().ishl(left.value, right.value);
                let back = self.builder.ins().sshr(value, right.value);
                let same = self.builder.ins().icmp(IntCC::Equal, back, left.value);
                self.insist(same);
                Known { value, low: i64::MIN, high: i64::MAX }
            }
            BinaryOp::ShiftRight => {
                let right = self.insist_within(right, 0, 63);
                let value = self.builder.ins().sshr(left.value, right.value);
                Known { value, low: left.low.min(0), high: left.high.max(0) }
            }
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::And
            | BinaryOp::Or => unreachable!("truth values are dealt with elsewhere"),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Known, right: Known) -> Known {
        let ends = |a: i64, b: i64| match op {
            BinaryOp::Add => i128::from(a) + i128::from(b),
            BinaryOp::Subtract => i128::from(a) - i128::from(b),
            _ => i128::from(a) * i128::from(b),
        };
        let corners = [
            ends(left.low, right.low),
            ends(left.low, right.high),
            ends(left.high, right.low),
            ends(left.high, right.high),
        ];
        let least = corners.into_iter().min().expect("four");
        let most = corners.into_iter().max().expect("four");
        if let (Ok(low), Ok(high)) = (i64::try_from(least), i64::try_from(most)) {
            let value = match op {
                BinaryOp::Add => self.builder.ins().iadd(left.value, right.value),
                BinaryOp::Subtract => self.builder.ins().isub(left.value, right.value),
                _ => self.builder.ins().imul(left.value, right.value),
            };
            return Known { value, low, high };
        }
        let (value, overflow) = match op {
            BinaryOp::Add => self.builder.ins().sadd_overflow(left.value, right.value),
            BinaryOp::Subtract => self.builder.ins().ssub_overflow(left.value, right.value),
            _ => self.builder.ins().smul_overflow(left.value, right.value),
        };
        let zero = self.builder.ins().iconst(types::I8, 0);
        let fine = self.builder.ins().icmp(IntCC::Equal, overflow, zero);
        self.insist(fine);
        Known { value, low: i64::MIN, high: i64::MAX }
    }

    fn division(&mut self, op: BinaryOp, left: Known, right: Known) -> Known {
        if right.low <= 0 && right.high >= 0 {
            let fine = self.compare_to(IntCC::NotEqual, right.value, 0);
            self.insist(fine);
        }
        if left.low == i64::MIN && right.low <= -1 && right.high >= -1 {
            let fine = self.compare_to(IntCC::NotEqual, left.value, i64::MIN);
            self.insist(fine);
        }
        let most = left.high.saturating_abs().max(left.low.saturating_abs());
        if op == BinaryOp::Divide {
            let value = self.builder.ins().sdiv(left.value, right.value);
            return Known { value, low: -most, high: most };
        }
        let rest = self.builder.ins().srem(left.value, right.value);
        let bound = right.high.saturating_abs().max(right.low.saturating_abs()).saturating_sub(1);
        let least = if left.low < 0 { -bound } else { 0 };
        if op == BinaryOp::Remainder || left.low >= 0 && right.low > 0 {
            return Known { value: rest, low: least, high: bound };
        }
        // The sign of the divisor.
        let zero = self.number(0).value;
        let nonzero = self.compare_to(IntCC::NotEqual, rest, 0);
        let below = self.builder.ins().icmp(IntCC::SignedLessThan, rest, zero);
        let divisor_below = self.builder.ins().icmp(IntCC::SignedLessThan, right.value, zero);
        let differ = self.builder.ins().icmp(IntCC::NotEqual, below, divisor_below);
        let adjust = self.builder.ins().band(nonzero, differ);
        let adjusted = self.builder.ins().iadd(rest, right.value);
        let value = self.builder.ins().select(adjust, adjusted, rest);
        let low = if right.low > 0 { 0 } else { -bound };
        Known { value, low, high: bound }
    }

    /// Whether an expression is worth a branch around it: because something may go wrong in it that
    /// would decline a state without need, or because it takes long.
    fn may_fail(&self, expr: &Expr) -> bool {
        expr.any(&mut |expr| match expr {
            Expr::Load(place) => {
                place.index.as_deref().is_some_and(|index| self.fixed(index).is_none())
            }
            Expr::Binary(op, _) => matches!(
                op,
                BinaryOp::Divide
                    | BinaryOp::Remainder
                    | BinaryOp::Modulo
                    | BinaryOp::ShiftLeft
                    | BinaryOp::ShiftRight
            ),
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Executable(_) | Expr::Conditional(_) => {
                true
            }
            Expr::Checked { .. } => self.fixed(expr).is_none(),
            _ => false,
        })
    }
}

fn either(value: Value, one: Known, other: Known) -> Known {
    Known { value, low: one.low.min(other.low), high: one.high.max(other.high) }
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    match op {
        BinaryOp::Equal => Some(IntCC::Equal),
        BinaryOp::NotEqual => Some(IntCC::NotEqual),
        BinaryOp::Less => Some(IntCC::SignedLessThan),
        BinaryOp::LessEqual => Some(IntCC::SignedLessThanOrEqual),
        BinaryOp::Greater => Some(IntCC::SignedGreaterThan),
        BinaryOp::GreaterEqual => Some(IntCC::SignedGreaterThanOrEqual),
        _ => None,
    }
}
