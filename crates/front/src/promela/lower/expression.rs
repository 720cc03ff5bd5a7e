//! Expressions.
//!
//! Values are those of C's `int`. The range of every part is worked out on the way, so that only
//! what can leave 32 bits is brought back into them.

use fairly_model::{
    AnyVariable, BinaryOp, ChannelQuery, Expr, Pattern, Pick, Place, Range, SlotId, TemplateId,
    UnaryOp,
};

use super::processes::{Lowering, Scope};
use super::variables::{Leaf, Stored};
use super::{Lower, trouble};
use crate::promela::ast::{self, Base, ExprKind, Probe, VarRef};

/// An expression and the values it can have.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) range: Range,
}

/// The values of what is true or false.
fn truth(expr: Expr) -> Value {
    Value { expr, range: Range::BOOL }
}

fn number(value: i64) -> Value {
    Value { expr: Expr::Const(value), range: Range::new(value, value) }
}

/// The value in 32 bits with a sign.
fn int(expr: Expr, low: i128, high: i128) -> Value {
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => Value { expr, range: Range::new(low.into(), high.into()) },
        _ => Value { expr: Expr::unary(UnaryOp::Int, expr), range: Range::INT },
    }
}

/// `||`, leaving out what is known.
pub(super) fn either(one: Expr, two: Expr) -> Expr {
    match (one, two) {
        (Expr::FALSE, other) | (other, Expr::FALSE) => other,
        (Expr::TRUE, _) | (_, Expr::TRUE) => Expr::TRUE,
        (one, two) => Expr::binary(BinaryOp::Or, one, two),
    }
}

/// `&&`, leaving out what is known; what cannot go wrong need not be evaluated.
pub(super) fn both(one: Expr, two: Expr) -> Expr {
    if two == Expr::FALSE { Expr::FALSE } else { one.and(two) }
}

/// `==`, computed if it can be.
pub(super) fn equal(one: Expr, two: Expr) -> Expr {
    match (one, two) {
        (Expr::Const(one), Expr::Const(two)) => Expr::Const(i64::from(one == two)),
        (one, two) => Expr::binary(BinaryOp::Equal, one, two),
    }
}

/// A channel that an expression speaks of.
pub(super) struct Channel<'a> {
    /// Its position in the model's table.
    pub(super) number: Expr,
    /// How it was declared, if that is known.
    pub(super) declared: Option<&'a ast::Channel>,
}

impl Channel<'_> {
    /// Whether the channel is full. In SPIN a rendezvous never is but while it happens.
    pub(super) fn full(self) -> Expr {
        let capacity = self.declared.map(|declared| declared.capacity);
        let number = Box::new(self.number);
        let full = Expr::Channel(ChannelQuery::Full, number.clone());
        match capacity {
            Some(0) => Expr::FALSE,
            Some(_) => full,
            None => {
                let capacity = Expr::Channel(ChannelQuery::Capacity, number);
                Expr::binary(BinaryOp::And, capacity, full)
            }
        }
    }
}

impl<'a> Lowering<'a> {
    /// The value of an expression.
    pub(super) fn expr(&self, expr: &'a ast::Expr, scope: Scope) -> Lower<Value> {
        Ok(match &expr.kind {
            ExprKind::Number(value) | ExprKind::Constant(_, value) => number(i64::from(*value)),
            ExprKind::Variable(variable) => self.load(variable, scope)?,
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand, scope)?;
                let Range { low, high } = operand.range;
                match op {
                    ast::UnaryOp::Not => truth(operand.expr.negated()),
                    ast::UnaryOp::Minus => {
                        let negated = match operand.expr {
                            Expr::Const(value) => Expr::Const(-value),
                            other => Expr::unary(UnaryOp::Negate, other),
                        };
                        int(negated, -i128::from(high), -i128::from(low))
                    }
                    ast::UnaryOp::BitNot => Value {
                        expr: Expr::unary(UnaryOp::Complement, operand.expr),
                        range: Range::new(!high, !low),
                    },
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, scope)?, self.expr(right, scope)?);
                binary(*op, left, right)
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let condition = self.expr(condition, scope)?.expr;
                let (yes, no) = (self.expr(yes, scope)?, self.expr(no, scope)?);
                let range =
                    Range::new(yes.range.low.min(no.range.low), yes.range.high.max(no.range.high));
                let expr = Expr::Conditional(Box::new((condition, yes.expr, no.expr)));
                Value { expr, range }
            }
            ExprKind::Run(_) => match self.started_number(scope) {
                Some(number) => Value { expr: number, range: Range::new(0, 255) },
                None => return Err(trouble("E1192", "this use of `run`", expr.place)),
            },
            ExprKind::Length(variable) => {
                let channel = self.channel(variable, scope)?.number;
                let expr = Expr::Channel(ChannelQuery::Length, Box::new(channel));
                Value { expr, range: Range::new(0, 255) }
            }
            ExprKind::Probe(probe, variable) => {
                let channel = self.channel(variable, scope)?;
                let (query, negate) = match probe {
                    Probe::Full => (ChannelQuery::Full, false),
                    Probe::NotFull => (ChannelQuery::Full, true),
                    Probe::Empty => (ChannelQuery::Empty, false),
                    Probe::NotEmpty => (ChannelQuery::Empty, true),
                };
                let asked = match query {
                    ChannelQuery::Full => channel.full(),
                    _ => Expr::Channel(query, Box::new(channel.number)),
                };
                truth(if negate { asked.negated() } else { asked })
            }
            ExprKind::Poll { channel, fields, random } => {
                let channel = self.channel(channel, scope)?;
                let (pattern, asks_beyond) = self.pattern(&channel, fields, scope)?;
                let pick = if *random { Pick::First } else { Pick::Head };
                let length = u32::try_from(pattern.len()).unwrap_or(u32::MAX);
                let poll = Expr::Poll { channel: Box::new(channel.number), pattern, pick };
                match asks_beyond {
                    false => truth(poll),
                    // The message has no such field; whether one matches otherwise decides if
                    // anybody gets that far.
                    true => {
                        let index = Box::new(Expr::Const(length.into()));
                        let beyond = Expr::Checked { index, length };
                        truth(Expr::Conditional(Box::new((poll, beyond, Expr::FALSE))))
                    }
                }
            }
            ExprKind::Timeout => truth(Expr::Timeout),
            ExprKind::NonProgress => truth(self.no_progress()),
            ExprKind::Enabled(pid) => match scope {
                Scope::Property => {
                    let pid = self.expr(pid, scope)?.expr;
                    truth(Expr::Executable(Box::new(pid)))
                }
                Scope::Process(_) => {
                    let pid = self.expr(pid, scope)?.expr;
                    truth(self.enabled(&pid, expr.place)?)
                }
            },
            ExprKind::PcValue(pid) => {
                let pid = self.expr(pid, scope)?.expr;
                Value { expr: self.pc_value(&pid), range: Range::new(0, i32::MAX.into()) }
            }
            ExprKind::GetPriority(pid) => self.priority_of(self.expr(pid, scope)?.expr),
            ExprKind::RemoteLabel(process, pid, label) => {
                let template = TemplateId(process.0);
                let locations = self.labelled(*process, *label);
                match pid {
                    Some(pid) => {
                        let slot = Box::new(self.expr(pid, scope)?.expr);
                        truth(Expr::At { slot, template, locations })
                    }
                    None => truth(self.first_slot(template, Expr::FALSE, &mut |slot| {
                        let (slot, locations) = (Box::new(slot), locations.clone());
                        Expr::At { slot, template, locations }
                    })),
                }
            }
            ExprKind::RemoteVariable(remote) => self.remote(remote, scope)?,
        })
    }

    /// Number for the first process of a proctype, in the order of their numbers.
    fn first_slot(
        &self,
        template: TemplateId,
        otherwise: Expr,
        of: &mut dyn FnMut(Expr) -> Expr,
    ) -> Expr {
        let mut whole = otherwise;
        let mut more = false;
        for who in self.outsides(template).into_iter().rev() {
            let value = of(Expr::Const(who.slot.0.into()));
            // The only one there can be is the first; nothing is true of one that is not there.
            whole = match (more, &value) {
                (false, Expr::At { .. }) => value,
                _ => {
                    let there = who.at(self.everywhere(template));
                    Expr::Conditional(Box::new((there, value, whole)))
                }
            };
            more = true;
        }
        whole
    }

    /// The number of the process that the statement has started.
    fn started_number(&self, scope: Scope) -> Option<Expr> {
        let Scope::Process(at) = scope else { return None };
        self.processes.get(at)?.started.map(Expr::local)
    }

    fn remote(&self, remote: &'a ast::RemoteVariable, scope: Scope) -> Lower<Value> {
        let template = TemplateId(remote.proctype.0);
        let index = remote.index.as_ref().map(|index| self.expr(index, scope)).transpose()?;
        let index = index.map(|index| Box::new(index.expr));
        let process = &self.processes[remote.proctype.index()];
        let mapping = process.locals.get(remote.local.index());
        let leaf = mapping.and_then(|mapping| mapping.leaf(&[]));
        let Some(leaf) = leaf else { return Ok(number(0)) };
        let load = |slot: Expr| match leaf.place {
            Stored::Local(local) => {
                let variable = AnyVariable::Remote { slot: Box::new(slot), template, local };
                Expr::Load(Place { variable, index: index.clone() })
            }
            Stored::Global(id) => {
                Expr::Load(Place { variable: AnyVariable::Global(id), index: index.clone() })
            }
            Stored::Channels(_) => Expr::Const(0),
        };
        let expr = match &remote.pid {
            Some(pid) => load(self.expr(pid, scope)?.expr),
            None => self.first_slot(template, Expr::Const(0), &mut |slot| load(slot)),
        };
        Ok(Value { expr, range: leaf.range })
    }

    /// That no process is where progress is marked.
    pub(super) fn no_progress(&self) -> Expr {
        let mut whole = Expr::TRUE;
        for (at, plan) in self.slots.iter().enumerate() {
            for &template in &plan.templates {
                let process = &self.processes[template.index()];
                let locations: Vec<_> = process.marked(|marks| marks.progress).collect();
                if !locations.is_empty() {
                    let slot = Box::new(Expr::Const(i64::from(SlotId::from_index(at).0)));
                    whole = whole.and(Expr::At { slot, template, locations }.negated());
                }
            }
        }
        whole
    }

    /// The leaf that a reference means, and which of its elements.
    fn find(&self, variable: &'a VarRef, scope: Scope) -> Lower<Option<(&Leaf<'a>, Option<Expr>)>> {
        let mapping = match (variable.base, scope) {
            (Base::Global(id), _) => self.globals.get(id.index()),
            (Base::Local(id), Scope::Process(process)) => {
                self.processes[process].locals.get(id.index())
            }
            (Base::Local(_), Scope::Property) => {
                let message = "a claim with variables of its own";
                return Err(trouble("E1195", message, variable.place));
            }
            _ => None,
        };
        let path: Vec<usize> = variable.fields.iter().map(|field| field.field).collect();
        let Some(leaf) = mapping.and_then(|mapping| mapping.leaf(&path)) else { return Ok(None) };
        let fields = variable.fields.iter().map(|field| field.index.as_ref());
        let indices = std::iter::once(variable.index.as_deref()).chain(fields).flatten();
        let mut flat: Option<Expr> = None;
        let mut count = 0;
        for (index, &length) in indices.zip(&leaf.lengths) {
            count += 1;
            let index = self.expr(index, scope)?.expr;
            // One index alone is checked where the variable is read.
            let index = match (leaf.lengths.len(), &leaf.place) {
                (1, Stored::Global(_) | Stored::Local(_)) => index,
                _ => Expr::Checked { index: Box::new(index), length },
            };
            flat = Some(match flat {
                None => index,
                Some(before) => {
                    let row = Expr::binary(BinaryOp::Multiply, before, Expr::Const(length.into()));
                    Expr::binary(BinaryOp::Add, row, index)
                }
            });
        }
        if count < leaf.lengths.len() {
            // The name of a whole array stands for its first element.
            flat = Some(Expr::Const(0));
        }
        Ok(Some((leaf, flat)))
    }

    /// Where an assignment goes; nowhere if nothing remembers it.
    pub(super) fn place(&self, variable: &'a VarRef, scope: Scope) -> Lower<Option<Place>> {
        let Some((leaf, index)) = self.find(variable, scope)? else { return Ok(None) };
        let any = match leaf.place {
            Stored::Global(id) => AnyVariable::Global(id),
            Stored::Local(id) => AnyVariable::Local(id),
            Stored::Channels(_) => return Ok(None),
        };
        Ok(Some(Place { variable: any, index: index.map(Box::new) }))
    }

    fn load(&self, variable: &'a VarRef, scope: Scope) -> Lower<Value> {
        match variable.base {
            Base::Pid => {
                if scope == Scope::Property {
                    let message = "`_pid` where no process is";
                    return Err(trouble("E1191", message, variable.place));
                }
                return Ok(Value { expr: Expr::Own, range: Range::new(0, 255) });
            }
            Base::Processes => {
                return Ok(Value { expr: Expr::Running, range: Range::new(0, 255) });
            }
            Base::Last => return Ok(Value { expr: Expr::LastMover, range: Range::new(0, 255) }),
            Base::Priority => {
                if scope == Scope::Property {
                    let message = "`_priority` where no process is";
                    return Err(trouble("E1191", message, variable.place));
                }
                return Ok(self.own_priority(scope));
            }
            Base::Scratch => return Ok(number(0)),
            Base::Global(_) | Base::Local(_) => {}
        }
        let Some((leaf, index)) = self.find(variable, scope)? else { return Ok(number(0)) };
        let any = match leaf.place {
            Stored::Global(id) => AnyVariable::Global(id),
            Stored::Local(id) => AnyVariable::Local(id),
            Stored::Channels(first) => {
                let expr = self.channel_number(variable.base, first, index, scope);
                // SPIN counts from 1, since 0 is no channel.
                let expr = match expr {
                    Expr::Const(value) => Expr::Const(value + 1),
                    other => Expr::binary(BinaryOp::Add, other, Expr::Const(1)),
                };
                return Ok(Value { expr, range: leaf.range });
            }
        };
        let expr = Expr::Load(Place { variable: any, index: index.map(Box::new) });
        Ok(Value { expr, range: leaf.range })
    }

    /// The channel that a reference means.
    pub(super) fn channel(&self, variable: &'a VarRef, scope: Scope) -> Lower<Channel<'a>> {
        if let Some((leaf, index)) = self.find(variable, scope)?
            && let Stored::Channels(first) = leaf.place
        {
            let number = self.channel_number(variable.base, first, index, scope);
            return Ok(Channel {
                number,
                declared: super::variables::makes_channels(leaf.declared),
            });
        }
        let value = self.load(variable, scope)?.expr;
        let number = Expr::binary(BinaryOp::Subtract, value, Expr::Const(1));
        Ok(Channel { number, declared: None })
    }

    /// Condition on each cell of a message, and whether the value of a field is asked for that the messages of
    /// the channel do not have.
    pub(super) fn pattern(
        &self,
        channel: &Channel<'a>,
        fields: &'a [ast::Pattern],
        scope: Scope,
    ) -> Lower<(Vec<Pattern>, bool)> {
        let mut pattern = Vec::with_capacity(fields.len());
        for field in fields {
            pattern.push(match field {
                ast::Pattern::Store(_) | ast::Pattern::Any => Pattern::Any,
                ast::Pattern::Equal(value) => Pattern::Equal(self.expr(value, scope)?.expr),
            });
        }
        let mut asks_beyond = false;
        if let Some(declared) = channel.declared {
            let beyond = pattern.iter().skip(declared.fields.len());
            asks_beyond = beyond.into_iter().any(|cell| *cell != Pattern::Any);
            pattern.resize(declared.fields.len(), Pattern::Any);
        }
        Ok((pattern, asks_beyond))
    }
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    let wide = |range: Range| (i128::from(range.low), i128::from(range.high));
    let ((a, b), (c, d)) = (wide(left.range), wide(right.range));
    let (left, right) = (left.expr, right.expr);
    if let (Expr::Const(one), Expr::Const(two)) = (&left, &right)
        && let Some(value) = constant(op, *one, *two)
    {
        return number(value);
    }
    match op {
        op if op.is_truth() => truth(Expr::binary(op, left, right)),
        BinaryOp::Add => int(Expr::binary(op, left, right), a + c, b + d),
        BinaryOp::Subtract => int(Expr::binary(op, left, right), a - d, b - c),
        BinaryOp::Multiply => {
            let corners = [a * c, a * d, b * c, b * d];
            let low = corners.iter().copied().min().unwrap_or(0);
            let high = corners.iter().copied().max().unwrap_or(0);
            int(Expr::binary(op, left, right), low, high)
        }
        BinaryOp::Divide => {
            let most = a.abs().max(b.abs());
            int(Expr::binary(op, left, right), -most, most)
        }
        BinaryOp::Remainder => {
            let most = (c.abs().max(d.abs()) - 1).max(0);
            int(Expr::binary(op, left, right), if a < 0 { -most } else { 0 }, most)
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor if a >= 0 && c >= 0 => {
            let bits = 128 - b.max(d).leading_zeros();
            int(Expr::binary(op, left, right), 0, (1_i128 << bits) - 1)
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            Value { expr: Expr::binary(op, left, right), range: Range::INT }
        }
        _ => {
            let places = match right {
                Expr::Const(value) if (0..32).contains(&value) => right,
                other => Expr::Checked { index: Box::new(other), length: 32 },
            };
            let shifted = Expr::binary(op, left, places);
            match op {
                BinaryOp::ShiftRight => {
                    Value { expr: shifted, range: Range::new(a.min(0) as i64, b.max(0) as i64) }
                }
                _ => Value { expr: Expr::unary(UnaryOp::Int, shifted), range: Range::INT },
            }
        }
    }
}

/// The value of an operator on numbers, where it has one that is within 32 bits without wrapping.
fn constant(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
    if is_shift && !(0..32).contains(&right) {
        return None;
    }
    op.apply(left, right).and_then(|value| i32::try_from(value).ok()).map(i64::from)
}
