//! The values of expressions.
//!
//! A fault that an expression has no place for is given that of the statement or edge it is in.

use fairly_system::Fault;

use crate::expression::{AnyVariable, BinaryOp, ChannelQuery, Expr, Pattern, Pick, Place, UnaryOp};
use crate::ids::TemplateId;
use crate::interpreter::{Program, executable};
use crate::layout::Strip;
use crate::variable::{Overflow, Range, Variable};

/// Something went wrong; boxed, because it hardly ever does.
pub(crate) type Faulty<T> = Result<T, Box<Fault>>;

pub(crate) fn fault<T>(message: impl Into<String>) -> Faulty<T> {
    Err(Box::new(Fault::error(message, None)))
}

/// Environment in which an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) program: &'a Program,
    /// The unpacked state.
    pub(crate) cells: &'a [i64],
    /// The slot and the variables of the process that evaluates; `None` for a proposition.
    pub(crate) own: Option<(usize, &'a [Strip])>,
    /// The message that is received.
    pub(crate) received: Option<&'a [i64]>,
    /// The value of [`Expr::Timeout`].
    pub(crate) timeout: bool,
    /// Whether this is to find out if some process is executable, which must not ask that again.
    pub(crate) nested: bool,
}

impl<'a> View<'a> {
    /// For the process in a slot.
    pub(crate) fn of(program: &'a Program, cells: &'a [i64], slot: usize) -> View<'a> {
        let locals = program
            .layout
            .variant(cells, slot)
            .map_or(&[][..], |variant| &program.layout.slots[slot].variants[variant].locals);
        let own = Some((slot, locals));
        View { program, cells, own, received: None, timeout: false, nested: false }
    }

    /// Whether the expression is true.
    pub(crate) fn test(&self, expr: &Expr) -> Faulty<bool> {
        Ok(self.eval(expr)? != 0)
    }

    /// The value of the expression.
    pub(crate) fn eval(&self, expr: &Expr) -> Faulty<i64> {
        match expr {
            Expr::Const(value) => Ok(*value),
            Expr::Load(place) => Ok(self.find(place)?.map_or(0, |cell| self.cells[cell])),
            Expr::Received(cell) => match self.received.and_then(|row| row.get(*cell as usize)) {
                Some(&value) => Ok(value),
                None => fault(format!("no cell {cell} of a message is received here")),
            },
            Expr::Unary(op, operand) => unary(*op, self.eval(operand)?),
            Expr::Binary(op, operands) => {
                let left = self.eval(&operands.0)?;
                match op {
                    BinaryOp::And => Ok(i64::from(left != 0 && self.test(&operands.1)?)),
                    BinaryOp::Or => Ok(i64::from(left != 0 || self.test(&operands.1)?)),
                    _ => binary(*op, left, self.eval(&operands.1)?),
                }
            }
            Expr::Conditional(parts) => {
                self.eval(if self.test(&parts.0)? { &parts.1 } else { &parts.2 })
            }
            Expr::Checked { index, length } => {
                let index = self.eval(index)?;
                if 0 <= index && index < i64::from(*length) {
                    Ok(index)
                } else {
                    fault(format!("the index {index} is not at least 0 and less than {length}"))
                }
            }
            Expr::Channel(query, channel) => {
                let channel = self.channel(channel)?;
                let capacity = self.program.model.channels[channel].capacity;
                let length = self.messages(channel);
                Ok(match query {
                    ChannelQuery::Length => i64::from(length),
                    ChannelQuery::Empty => i64::from(length == 0),
                    ChannelQuery::Full => i64::from(length == capacity),
                    ChannelQuery::Capacity => i64::from(capacity),
                })
            }
            Expr::Poll { channel, pattern, pick } => {
                let channel = self.channel(channel)?;
                let found = self.pick(channel, pattern, *pick)?;
                Ok(i64::from(found.is_some()))
            }
            Expr::At { slot, template, locations } => {
                let slot = self.eval(slot)?;
                let there = self.process(slot, *template).is_some_and(|(slot, _)| {
                    let at = self.program.layout.location(self.cells, slot);
                    locations.iter().any(|location| location.index() == at)
                });
                Ok(i64::from(there))
            }
            Expr::Own => match self.own {
                Some((slot, _)) => Ok(i64::try_from(slot).expect("a position")),
                None => fault("no process evaluates this"),
            },
            Expr::Running => {
                let layout = &self.program.layout;
                let running = |&slot: &usize| layout.variant(self.cells, slot).is_some();
                let count = (0..layout.slots.len()).filter(running).count();
                Ok(i64::try_from(count).expect("a length"))
            }
            Expr::LastMover => match self.program.layout.last_mover {
                Some(strip) => Ok(self.cells[strip.cell as usize]),
                None => fault("the states of this model do not remember which process moved last"),
            },
            Expr::Timeout => Ok(i64::from(self.timeout)),
            Expr::Executable(slot) => {
                let slot = self.eval(slot)?;
                if self.nested {
                    return fault("whether a process has an enabled edge depends on itself");
                }
                match usize::try_from(slot) {
                    Ok(slot) if slot < self.program.layout.slots.len() => {
                        Ok(i64::from(executable(self, slot)))
                    }
                    _ => Ok(0),
                }
            }
        }
    }

    /// The cell of a place; `None` if it is one of a process that is not there.
    pub(crate) fn find(&self, place: &Place) -> Faulty<Option<usize>> {
        let strip = match &place.variable {
            AnyVariable::Global(id) => &self.program.layout.variables[id.index()],
            AnyVariable::Local(id) => match self.own {
                Some((_, locals)) => &locals[id.index()],
                None => return fault("no process evaluates this"),
            },
            AnyVariable::Remote { slot, template, local } => {
                let slot = self.eval(slot)?;
                let Some((slot, variant)) = self.process(slot, *template) else {
                    return Ok(None);
                };
                &self.program.layout.slots[slot].variants[variant].locals[local.index()]
            }
        };
        let index = match &place.index {
            None => 0,
            Some(index) => self.eval(index)?,
        };
        match u32::try_from(index) {
            Ok(index) if index < strip.length => Ok(Some((strip.cell + index) as usize)),
            _ => fault(format!(
                "the index {index} is outside `{}`, which has {} elements",
                self.variable(place).map_or("?", |variable| &variable.name),
                strip.length
            )),
        }
    }

    /// The variable of a place.
    pub(crate) fn variable(&self, place: &Place) -> Option<&'a Variable> {
        let Program { model, layout, .. } = self.program;
        match &place.variable {
            AnyVariable::Global(id) => Some(&model.variables[id.index()]),
            AnyVariable::Local(id) => {
                let slot = self.own?.0;
                let variant = layout.variant(self.cells, slot)?;
                Some(model.template(layout.slots[slot].variants[variant].template).local(*id))
            }
            AnyVariable::Remote { template, local, .. } => {
                Some(model.template(*template).local(*local))
            }
        }
    }

    /// The slot and the variant of the process in a slot, if it is of this template.
    fn process(&self, slot: i64, template: TemplateId) -> Option<(usize, usize)> {
        let slot = usize::try_from(slot).ok()?;
        let variants = &self.program.layout.slots.get(slot)?.variants;
        let variant = self.program.layout.variant(self.cells, slot)?;
        (variants[variant].template == template).then_some((slot, variant))
    }

    /// The channel whose number the expression gives.
    pub(crate) fn channel(&self, channel: &Expr) -> Faulty<usize> {
        let number = self.eval(channel)?;
        let channel = usize::try_from(number).unwrap_or(usize::MAX);
        let Some(of) = self.program.model.channels.get(channel) else {
            return fault(format!("there is no channel with the number {number}"));
        };
        match of.owner {
            Some((slot, template)) if self.process(slot.0.into(), template).is_none() => {
                fault(format!("the process that the channel `{}` belongs to is gone", of.name))
            }
            _ => Ok(channel),
        }
    }

    /// How many messages are in a channel.
    pub(crate) fn messages(&self, channel: usize) -> u32 {
        let length = self.cells[self.program.layout.channels[channel].length.cell as usize];
        u32::try_from(length).expect("a length")
    }

    /// A cell of a message in a channel.
    pub(crate) fn message_cell(&self, channel: usize, message: u32, cell: usize) -> i64 {
        let column = &self.program.layout.channels[channel].columns[cell];
        self.cells[(column.cell + message) as usize]
    }

    /// How many cells the messages of a channel have.
    pub(crate) fn width(&self, channel: usize) -> usize {
        self.program.model.channels[channel].cells.len()
    }

    /// A fault unless messages of the channel have so many cells.
    pub(crate) fn arity(&self, channel: usize, cells: usize) -> Faulty<()> {
        let of = &self.program.model.channels[channel];
        if of.cells.len() == cells {
            return Ok(());
        }
        let fields = if cells == 1 { "field" } else { "fields" };
        fault(format!(
            "a message of {cells} {fields} for `{}`, whose messages have {}",
            of.name,
            of.cells.len()
        ))
    }

    /// A fault unless a message of the channel, which matches, can be received as so many cells. Who
    /// only looks at it need not look at all of it.
    pub(crate) fn fits(&self, channel: usize, cells: usize, keep: bool) -> Faulty<()> {
        if keep && cells < self.width(channel) { Ok(()) } else { self.arity(channel, cells) }
    }

    /// The message in a buffered channel that matches. The pattern is only evaluated if there is a
    /// message, and then all of it. Cells of which it says nothing may be anything; to ask for the
    /// value of a cell that a message which matches otherwise does not have is a fault.
    pub(crate) fn pick(
        &self,
        channel: usize,
        pattern: &[Pattern],
        pick: Pick,
    ) -> Faulty<Option<u32>> {
        let count = match pick {
            Pick::Head => self.messages(channel).min(1),
            Pick::First => self.messages(channel),
        };
        if count == 0 {
            return Ok(None);
        }
        let width = self.width(channel).min(pattern.len());
        let (pattern, beyond) = pattern.split_at(width);
        for message in 0..count {
            let mut matches = true;
            for (cell, wanted) in pattern.iter().enumerate() {
                if let Pattern::Equal(value) = wanted {
                    matches &= self.eval(value)? == self.message_cell(channel, message, cell);
                }
            }
            if matches {
                if beyond.iter().any(|cell| *cell != Pattern::Any) {
                    self.arity(channel, width + beyond.len())?;
                }
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}

/// The value that something of this range has when this one is assigned.
pub(crate) fn convert(range: Range, overflow: Overflow, value: i64) -> Option<i64> {
    if range.contains(value) {
        return Some(value);
    }
    match overflow {
        Overflow::Fault | Overflow::Limit => None,
        Overflow::Wrap => {
            let low = i128::from(range.low);
            let size = i128::from(range.high) - low + 1;
            i64::try_from(low + (i128::from(value) - low).rem_euclid(size.max(1))).ok()
        }
    }
}

fn unary(op: UnaryOp, operand: i64) -> Faulty<i64> {
    match op {
        UnaryOp::Not => Ok(i64::from(operand == 0)),
        UnaryOp::Complement => Ok(!operand),
        #[allow(clippy::cast_possible_truncation)] // That is what it is for.
        UnaryOp::Int => Ok(i64::from(operand as i32)),
        UnaryOp::Negate => match operand.checked_neg() {
            Some(value) => Ok(value),
            None => fault(format!("-({operand}) does not fit 64 bits")),
        },
    }
}

fn binary(op: BinaryOp, left: i64, right: i64) -> Faulty<i64> {
    if let Some(value) = op.apply(left, right) {
        return Ok(value);
    }
    let sign = match op {
        BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo if right == 0 => {
            return fault(format!("{left} is divided by zero"));
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..64).contains(&right) => {
            return fault(format!("a shift by {right} places, which must be 0 to 63"));
        }
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        _ => "<<",
    };
    fault(format!("{left} {sign} {right} does not fit 64 bits"))
}
