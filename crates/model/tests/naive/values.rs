//! The values of expressions and what statements do, for the naive interpreter.

use fairly_model::{
    AnyVariable, BinaryOp, ChannelQuery, Expr, Model, Order, Overflow, Pattern, Pick, Place, Range,
    Statement, StatementKind, UnaryOp, Variable, WhenFull,
};

use super::semantics::{Maybe, Naive, Process, State, WRONG, Wrong};

/// Environment in which an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a, 'm> {
    pub(crate) naive: &'a Naive<'m>,
    pub(crate) state: &'a State,
    pub(crate) own: Option<usize>,
    pub(crate) received: Option<&'a [i64]>,
    pub(crate) timeout: bool,
}

/// Whether a row is one that is wanted.
pub(crate) fn lets(wanted: &[Option<i64>], row: &[i64]) -> bool {
    wanted.iter().zip(row).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
}

/// The value that something of this range gets.
pub(crate) fn fit(range: Range, overflow: Overflow, value: i64) -> Maybe<i64> {
    match overflow {
        _ if (range.low..=range.high).contains(&value) => Ok(value),
        Overflow::Fault | Overflow::Limit => Err(WRONG),
        Overflow::Wrap => {
            let size = range.high - range.low + 1;
            let mut value = value;
            // Values in these tests are small, or the size is, so that this ends soon.
            value -= (value - range.low).div_euclid(size) * size;
            Ok(value)
        }
    }
}

impl Env<'_, '_> {
    pub(crate) fn channel(&self, number: &Expr) -> Maybe<usize> {
        let number = self.eval(number)?;
        let channel = usize::try_from(number).map_err(|_| WRONG)?;
        let of = self.naive.model.channels.get(channel).ok_or(WRONG)?;
        let there = of.owner.is_none_or(|(slot, template)| {
            let process = self.state.slots[slot.index()].as_ref();
            process.is_some_and(|process| process.template == template.index())
        });
        if there { Ok(channel) } else { Err(WRONG) }
    }

    pub(crate) fn wanted(&self, pattern: &[Pattern]) -> Maybe<Vec<Option<i64>>> {
        let cell = |cell: &Pattern| match cell {
            Pattern::Any => Ok(None),
            Pattern::Equal(value) => self.eval(value).map(Some),
        };
        pattern.iter().map(cell).collect()
    }

    pub(crate) fn message(&self, channel: usize, message: &[Expr]) -> Maybe<Vec<i64>> {
        let cells = &self.naive.model.channels[channel].cells;
        let cell = |(value, (range, overflow)): (&Expr, &(Range, Overflow))| {
            fit(*range, *overflow, self.eval(value)?)
        };
        message.iter().zip(cells).map(cell).collect()
    }

    /// The first or only message that matches.
    fn look(&self, channel: usize, pattern: &[Pattern], pick: Pick) -> Maybe<Option<usize>> {
        if pattern.len() != self.naive.model.channels[channel].cells.len() {
            return Err(WRONG);
        }
        let waiting = &self.state.channels[channel];
        if waiting.is_empty() {
            return Ok(None);
        }
        let wanted = self.wanted(pattern)?;
        let at = waiting.iter().position(|row| lets(&wanted, row));
        Ok(at.filter(|&at| pick == Pick::First || at == 0))
    }

    fn other(&self, slot: &Expr, template: usize) -> Maybe<Option<&Process>> {
        let slot = self.eval(slot)?;
        if slot < 0 || slot >= self.state.slots.len() as i64 {
            return Ok(None);
        }
        Ok(self.state.slots[slot as usize].as_ref().filter(|process| process.template == template))
    }

    /// The variable and where it is: the process's slot, or the model.
    fn load(&self, place: &Place) -> Maybe<i64> {
        let values = match &place.variable {
            AnyVariable::Global(id) => &self.state.variables[id.index()],
            AnyVariable::Local(id) => {
                &self.state.slots[self.own.ok_or(WRONG)?].as_ref().unwrap().locals[id.index()]
            }
            AnyVariable::Remote { slot, template, local } => {
                match self.other(slot, template.index())? {
                    Some(process) => &process.locals[local.index()],
                    None => return Ok(0),
                }
            }
        };
        let index = place.index.as_ref().map_or(Ok(0), |index| self.eval(index))?;
        usize::try_from(index).ok().and_then(|index| values.get(index)).copied().ok_or(WRONG)
    }

    pub(crate) fn eval(&self, expr: &Expr) -> Maybe<i64> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => self.load(place)?,
            Expr::Received(cell) => {
                *self.received.and_then(|row| row.get(*cell as usize)).ok_or(WRONG)?
            }
            Expr::Unary(op, operand) => {
                let operand = i128::from(self.eval(operand)?);
                match op {
                    UnaryOp::Not => (operand == 0).into(),
                    UnaryOp::Negate => small(-operand)?,
                    UnaryOp::Complement => small(-operand - 1)?,
                    UnaryOp::Int => small((operand + (1 << 31)).rem_euclid(1 << 32) - (1 << 31))?,
                }
            }
            Expr::Binary(BinaryOp::And, both) => {
                (self.eval(&both.0)? != 0 && self.eval(&both.1)? != 0).into()
            }
            Expr::Binary(BinaryOp::Or, both) => {
                (self.eval(&both.0)? != 0 || self.eval(&both.1)? != 0).into()
            }
            Expr::Binary(op, both) => {
                let (a, b) = (i128::from(self.eval(&both.0)?), i128::from(self.eval(&both.1)?));
                let divides =
                    matches!(op, BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo);
                let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                if divides && b == 0 || shifts && !(0..64).contains(&b) {
                    return Err(WRONG);
                }
                small(match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Subtract => a - b,
                    BinaryOp::Multiply => a * b,
                    BinaryOp::Divide => a / b,
                    BinaryOp::Remainder => a - a / b * b,
                    BinaryOp::Modulo => {
                        // The quotient goes down, not towards zero.
                        let down = (a / b) - i128::from(a % b != 0 && (a < 0) != (b < 0));
                        a - down * b
                    }
                    BinaryOp::Equal => (a == b).into(),
                    BinaryOp::NotEqual => (a != b).into(),
                    BinaryOp::Less => (a < b).into(),
                    BinaryOp::LessEqual => (a <= b).into(),
                    BinaryOp::Greater => (a > b).into(),
                    BinaryOp::GreaterEqual => (a >= b).into(),
                    BinaryOp::BitAnd => a & b,
                    BinaryOp::BitOr => a | b,
                    BinaryOp::BitXor => a ^ b,
                    BinaryOp::ShiftLeft => a * (1i128 << b),
                    BinaryOp::ShiftRight => a.div_euclid(1i128 << b),
                    BinaryOp::And | BinaryOp::Or => unreachable!("dealt with above"),
                })?
            }
            Expr::Conditional(parts) => {
                if self.eval(&parts.0)? != 0 {
                    self.eval(&parts.1)?
                } else {
                    self.eval(&parts.2)?
                }
            }
            Expr::Checked { index, length } => {
                let index = self.eval(index)?;
                if !(0..i64::from(*length)).contains(&index) {
                    return Err(WRONG);
                }
                index
            }
            Expr::Channel(query, channel) => {
                let channel = self.channel(channel)?;
                let length = self.state.channels[channel].len() as i64;
                let capacity = i64::from(self.naive.model.channels[channel].capacity);
                match query {
                    ChannelQuery::Length => length,
                    ChannelQuery::Empty => (length == 0).into(),
                    ChannelQuery::Full => (length == capacity).into(),
                    ChannelQuery::Capacity => capacity,
                }
            }
            Expr::Poll { channel, pattern, pick } => {
                self.look(self.channel(channel)?, pattern, *pick)?.is_some().into()
            }
            Expr::At { slot, template, locations } => {
                let process = self.other(slot, template.index())?;
                process
                    .is_some_and(|it| locations.iter().any(|at| at.index() == it.location))
                    .into()
            }
            Expr::Own => self.own.ok_or(WRONG)? as i64,
            Expr::Running => self.state.slots.iter().flatten().count() as i64,
            Expr::LastMover => self.state.last,
            Expr::Timeout => self.timeout.into(),
            Expr::Executable(slot) => {
                let slot = self.eval(slot)?;
                let possible = self.naive.possible(self.state, self.timeout);
                let mut members = possible.iter().flat_map(|together| &together.members);
                members.any(|can| can.slot as i64 == slot).into()
            }
        })
    }
}

fn small(value: i128) -> Maybe<i64> {
    i64::try_from(value).map_err(|_| WRONG)
}

/// A process's effect.
pub(crate) struct Run<'a, 'm> {
    pub(crate) naive: &'a Naive<'m>,
    pub(crate) state: &'a mut State,
    pub(crate) own: usize,
    pub(crate) received: Option<&'a [i64]>,
    pub(crate) timeout: bool,
    pub(crate) count: &'a mut u64,
}

impl Run<'_, '_> {
    fn env(&self) -> Env<'_, '_> {
        Env {
            naive: self.naive,
            state: self.state,
            own: Some(self.own),
            received: self.received,
            timeout: self.timeout,
        }
    }

    pub(crate) fn all(&mut self, statements: &[Statement]) -> Maybe<()> {
        for statement in statements {
            self.tick()
                .and_then(|()| self.one(statement))
                .map_err(|Wrong(span)| Wrong(span.or(statement.span)))?;
        }
        Ok(())
    }

    fn tick(&mut self) -> Maybe<()> {
        *self.count += 1;
        if *self.count > Model::STATEMENTS { Err(WRONG) } else { Ok(()) }
    }

    fn assign(&mut self, place: &Place, value: i64) -> Maybe<()> {
        let model = self.naive.model;
        let index = place.index.as_ref().map_or(Ok(0), |index| self.env().eval(index))?;
        let (variable, values): (&Variable, &mut Vec<i64>) = match &place.variable {
            AnyVariable::Global(id) => {
                (&model.variables[id.index()], &mut self.state.variables[id.index()])
            }
            AnyVariable::Local(id) => {
                let process = self.state.slots[self.own].as_mut().unwrap();
                let variable = &model.templates[process.template].locals[id.index()];
                (variable, &mut process.locals[id.index()])
            }
            AnyVariable::Remote { .. } => return Err(WRONG),
        };
        let cell = usize::try_from(index).ok().and_then(|index| values.get_mut(index));
        *cell.ok_or(WRONG)? = fit(variable.range, variable.overflow, value)?;
        Ok(())
    }

    pub(crate) fn put(&mut self, channel: usize, row: &[i64], order: Order) -> Maybe<()> {
        let of = &self.naive.model.channels[channel];
        let waiting = &mut self.state.channels[channel];
        if waiting.len() == of.capacity as usize {
            return if of.when_full == WhenFull::Lose { Ok(()) } else { Err(WRONG) };
        }
        let at = match order {
            Order::Fifo => None,
            Order::Sorted => waiting.iter().position(|other| other.as_slice() > row),
        };
        waiting.insert(at.unwrap_or(waiting.len()), row.to_vec());
        Ok(())
    }

    fn one(&mut self, statement: &Statement) -> Maybe<()> {
        match &statement.kind {
            StatementKind::Assign(pairs) => {
                let values: Vec<i64> =
                    pairs.iter().map(|(_, value)| self.env().eval(value)).collect::<Maybe<_>>()?;
                pairs
                    .iter()
                    .zip(values)
                    .try_for_each(|((place, _), value)| self.assign(place, value))
            }
            StatementKind::If { condition, then, otherwise } => {
                if self.env().eval(condition)? != 0 { self.all(then) } else { self.all(otherwise) }
            }
            StatementKind::While { condition, body } => {
                while self.env().eval(condition)? != 0 {
                    self.tick()?;
                    self.all(body)?;
                }
                Ok(())
            }
            StatementKind::Assert { condition, .. } => {
                if self.env().eval(condition)? != 0 {
                    Ok(())
                } else {
                    Err(WRONG)
                }
            }
            StatementKind::Start { template, arguments, slot } => {
                let arguments: Vec<i64> =
                    arguments.iter().map(|it| self.env().eval(it)).collect::<Maybe<_>>()?;
                let free = (0..self.state.slots.len()).find(|&at| {
                    self.state.slots[at].is_none()
                        && self.naive.model.slots[at].templates.contains(template)
                });
                let free = free.ok_or(WRONG)?;
                self.state.slots[free] = Some(self.naive.process(template.index(), &arguments)?);
                self.naive.begin(self.state, free, self.count)?;
                slot.as_ref().map_or(Ok(()), |place| self.assign(place, free as i64))
            }
            StatementKind::Put { channel, message, order } => {
                let channel = self.env().channel(channel)?;
                let of = &self.naive.model.channels[channel];
                if of.capacity == 0 || message.len() != of.cells.len() {
                    return Err(WRONG);
                }
                let row = self.env().message(channel, message)?;
                self.put(channel, &row, *order)
            }
            StatementKind::Take { channel, pattern, into, pick, keep } => {
                let channel = self.env().channel(channel)?;
                let at = self.env().look(channel, pattern, *pick)?.ok_or(WRONG)?;
                let row = self.state.channels[channel][at].clone();
                if !keep {
                    self.state.channels[channel].remove(at);
                }
                into.iter().zip(row).try_for_each(|(place, value)| match place {
                    Some(place) => self.assign(place, value),
                    None => Ok(()),
                })
            }
        }
    }
}
