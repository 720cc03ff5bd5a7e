//! The values of expressions.
//!
//! With each value goes what is known of its range, so that most checks for overflow, indices and ranges fall away.

use fairly_model::{BinaryOp, Expr, Range, Storage, UnaryOp};

use super::place::Element;
use super::{Known, Writer, number};

impl Writer<'_> {
    /// The value of an expression that does not depend on the state.
    pub(super) fn fixed(&self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Own => i64::try_from(self.own?.0).ok(),
            Expr::Checked { index, length } => {
                self.fixed(index).filter(|&index| 0 <= index && index < i64::from(*length))
            }
            Expr::Load(place) if place.index.is_none() => {
                let plan = self.plan;
                let (variable, strip) = match &place.variable {
                    fairly_model::AnyVariable::Global(id) => {
                        (&plan.model.variables[id.index()], plan.layout.variables[id.index()])
                    }
                    fairly_model::AnyVariable::Local(id) => self.own_variable(id.index())?,
                    fairly_model::AnyVariable::Remote { .. } => return None,
                };
                let is_settled = variable.length.is_none()
                    && variable.storage == Storage::State
                    && strip.width == 0;
                is_settled.then_some(strip.base)
            }
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

    /// Whether the expression is true: 0 or 1.
    pub(super) fn test(&mut self, expr: &Expr) -> String {
        if let Some(fixed) = self.fixed(expr) {
            return i64::from(fixed != 0).to_string();
        }
        match expr {
            Expr::Binary(BinaryOp::And, operands) => self.both(&operands.0, &operands.1, true),
            Expr::Binary(BinaryOp::Or, operands) => self.both(&operands.0, &operands.1, false),
            Expr::Binary(op, operands) => match comparison(*op) {
                Some(sign) => {
                    let left = self.eval(&operands.0);
                    let right = self.eval(&operands.1);
                    self.truth(&format!("{} {sign} {}", left.text, right.text))
                }
                None => self.is_true(expr),
            },
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.test(operand);
                self.truth(&format!("!{operand}"))
            }
            Expr::At { slot, template, locations } => {
                let Some(slot) = self.fixed(slot) else {
                    self.give_up();
                    return "0".to_owned();
                };
                let slot = usize::try_from(slot).unwrap_or(usize::MAX);
                let Some(variant) = self.variant_of(slot, *template) else {
                    return "0".to_owned();
                };
                let there = self.is_variant(slot, variant);
                let strip = self.plan.layout.slots[slot].location;
                let at = self.raw(&strip, &Element::Fixed(0));
                let at = self.named(&at, 0, i64::MAX).text;
                let any: Vec<String> =
                    locations.iter().map(|location| format!("{at} == {}", location.0)).collect();
                if any.is_empty() {
                    return "0".to_owned();
                }
                self.truth(&format!("{there} & ({})", any.join(" || ")))
            }
            Expr::Poll { channel, pattern, pick } => self.poll(channel, pattern, *pick),
            _ => self.is_true(expr),
        }
    }

    fn is_true(&mut self, expr: &Expr) -> String {
        let value = self.eval(expr);
        self.truth(&format!("{} != 0", value.text))
    }

    /// `&&` or `||`; the right side is only evaluated where needed if something could go wrong in it.
    fn both(&mut self, left: &Expr, right: &Expr, is_and: bool) -> String {
        if let Some(left) = self.fixed(left) {
            return match (left != 0) == is_and {
                true => self.test(right),
                false => i64::from(left != 0).to_string(),
            };
        }
        let left = self.test(left);
        let (written, right, declines) = self.apart(|writer| writer.test(right));
        if !declines {
            self.out.push_str(&written);
            return self.truth(&format!("{left} {} {right}", if is_and { "&" } else { "|" }));
        }
        let result = self.fresh();
        let condition = if is_and { left.clone() } else { format!("!{left}") };
        self.line(format!("int {result} = {left}; if ({condition}) {{"));
        self.out.push_str(&written);
        self.line(format!("{result} = {right}; }}"));
        result
    }

    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Known {
        if let Some(fixed) = self.fixed(expr) {
            return Writer::number(fixed);
        }
        match expr {
            Expr::Const(value) => Writer::number(*value),
            Expr::Load(place) => self.read(place),
            Expr::Received(cell) => match self.received.get(*cell as usize) {
                Some(known) => known.clone(),
                None => self.unknown(),
            },
            Expr::Unary(op, operand) => self.unary(*op, operand, expr),
            Expr::Binary(op, operands) => match op {
                BinaryOp::And | BinaryOp::Or => self.truth_value(expr),
                _ if comparison(*op).is_some() => self.truth_value(expr),
                _ => {
                    let left = self.eval(&operands.0);
                    let right = self.eval(&operands.1);
                    self.binary(*op, &left, right)
                }
            },
            Expr::Conditional(parts) => {
                let condition = self.test(&parts.0);
                let result = self.fresh();
                self.line(format!("i64 {result}; if ({condition}) {{"));
                let then = self.eval(&parts.1);
                self.line(format!("{result} = {}; }} else {{", then.text));
                let otherwise = self.eval(&parts.2);
                self.line(format!("{result} = {}; }}", otherwise.text));
                let low = then.low.min(otherwise.low);
                Known { text: result, low, high: then.high.max(otherwise.high) }
            }
            Expr::Checked { index, length } => {
                let index = self.eval(index);
                self.insist_within(index, 0, i64::from(*length) - 1)
            }
            Expr::Channel(query, channel) => self.query(*query, channel),
            Expr::Poll { .. } | Expr::At { .. } => self.truth_value(expr),
            Expr::Own | Expr::Executable(_) => self.unknown(),
            Expr::Running => {
                let slots = 0..self.plan.layout.slots.len();
                let runs: Vec<String> = slots
                    .map(|slot| {
                        let kind = self.kind(slot);
                        format!("({} != 0)", kind.text)
                    })
                    .collect();
                let high = i64::try_from(runs.len()).expect("few slots");
                if runs.is_empty() {
                    return Writer::number(0);
                }
                self.named(&runs.join(" + "), 0, high)
            }
            Expr::LastMover => match self.plan.layout.last_mover {
                Some(strip) => {
                    let last = i64::try_from(self.plan.layout.slots.len()).expect("a length");
                    self.get(&strip, &Element::Fixed(0), Range::new(0, last))
                }
                None => self.unknown(),
            },
            // A row in which nothing happens without a timeout is left to the interpreter.
            Expr::Timeout => Writer::number(0),
        }
    }

    fn truth_value(&mut self, expr: &Expr) -> Known {
        Known { text: self.test(expr), low: 0, high: 1 }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, expr: &Expr) -> Known {
        if op == UnaryOp::Not {
            return self.truth_value(expr);
        }
        let operand = self.eval(operand);
        match op {
            UnaryOp::Not => unreachable!("a truth value"),
            UnaryOp::Negate => {
                let operand = self.insist_within(operand, -i64::MAX, i64::MAX);
                let (low, high) = (operand.high.saturating_neg(), operand.low.saturating_neg());
                self.named(&format!("-{}", operand.text), low, high)
            }
            UnaryOp::Complement => {
                self.named(&format!("~{}", operand.text), !operand.high, !operand.low)
            }
            UnaryOp::Int => {
                let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
                if low <= operand.low && operand.high <= high {
                    return operand;
                }
                self.named(&format!("(i64)(int)(u32)(u64)({})", operand.text), low, high)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Known, right: Known) -> Known {
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                self.arithmetic(op, left, &right)
            }
            BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo => {
                self.division(op, left, &right)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let sign = match op {
                    BinaryOp::BitAnd => "&",
                    BinaryOp::BitOr => "|",
                    _ => "^",
                };
                let text = format!("{} {sign} {}", left.text, right.text);
                if left.low < 0 || right.low < 0 {
                    return self.named(&text, i64::MIN, i64::MAX);
                }
                // No bit is above the highest of either.
                let bits = 64 - (left.high | right.high).leading_zeros();
                self.named(&text, 0, i64::MAX >> (63 - bits.min(63)))
            }
            BinaryOp::ShiftLeft => {
                let right = self.insist_within(right, 0, 63);
                let text = format!("(i64)((u64)({}) << {})", left.text, right.text);
                let value = self.named(&text, i64::MIN, i64::MAX);
                self.insist(&format!("({} >> {}) == {}", value.text, right.text, left.text));
                value
            }
            BinaryOp::ShiftRight => {
                let right = self.insist_within(right, 0, 63);
                let text = format!("{} >> {}", left.text, right.text);
                self.named(&text, left.low.min(0), left.high.max(0))
            }
            _ => unreachable!("truth values are dealt with elsewhere"),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Known, right: &Known) -> Known {
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
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            _ => "*",
        };
        let (one, other) = (&left.text, &right.text);
        let text = format!("(i64)((u64)({one}) {sign} (u64)({other}))");
        if let (Ok(low), Ok(high)) = (i64::try_from(least), i64::try_from(most)) {
            return self.named(&text, low, high);
        }
        let value = self.named(&text, i64::MIN, i64::MAX);
        let result = value.text.clone();
        match op {
            BinaryOp::Add => {
                self.insist(&format!("((({one}) ^ {result}) & (({other}) ^ {result})) >= 0"));
            }
            BinaryOp::Subtract => {
                self.insist(&format!("((({one}) ^ ({other})) & (({one}) ^ {result})) >= 0"));
            }
            _ => self.insist(&format!("product_fits({one}, {other})")),
        }
        value
    }

    fn division(&mut self, op: BinaryOp, left: &Known, right: &Known) -> Known {
        let (one, other) = (&left.text, &right.text);
        if right.low <= 0 && right.high >= 0 {
            self.insist(&format!("{other} != 0"));
        }
        if left.low == i64::MIN && right.low <= -1 && right.high >= -1 {
            self.insist(&format!("{one} != {}", number(i64::MIN)));
        }
        let most = left.high.saturating_abs().max(left.low.saturating_abs());
        if op == BinaryOp::Divide {
            return self.named(&format!("{one} / {other}"), -most, most);
        }
        let bound = right.high.saturating_abs().max(right.low.saturating_abs()).saturating_sub(1);
        let least = if left.low < 0 { -bound } else { 0 };
        let rest = self.named(&format!("{one} % {other}"), least, bound);
        if op == BinaryOp::Remainder || left.low >= 0 && right.low > 0 {
            return rest;
        }
        // The sign of the divisor.
        let rest = rest.text;
        let text =
            format!("{rest} != 0 && ({rest} < 0) != ({other} < 0) ? {rest} + {other} : {rest}");
        let low = if right.low > 0 { 0 } else { -bound };
        self.named(&text, low, bound)
    }
}

fn comparison(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Equal => Some("=="),
        BinaryOp::NotEqual => Some("!="),
        BinaryOp::Less => Some("<"),
        BinaryOp::LessEqual => Some("<="),
        BinaryOp::Greater => Some(">"),
        BinaryOp::GreaterEqual => Some(">="),
        _ => None,
    }
}
