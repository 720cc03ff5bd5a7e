//! States: where each value is while a step is computed, how a state is written in a certificate, and the
//! values of expressions in it.
//!
//! A state is written as its values, one after the other: variables, channels (how many messages, then their
//! cells), slots (0 or one more than the position of the process's template among the slot's, and then the
//! location and the variables), who moved last, who holds; the last two only where something reads or does it.
//! Absent parts are not written, so two states are the same exactly if their bytes are.

use crate::fir::{Binary, Expr, Model, Op, Overflow, Range, Template, Transfer, Variable};
use crate::rejected::{Rejected, Rule, reject};

/// Something went wrong in a step. What begins with [`LIMIT`] is no error of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepError(pub(crate) &'static str);

pub(crate) const LIMIT: &str = "a limit";

pub(crate) type Faulty<T> = Result<T, StepError>;

pub(crate) fn wrong<T>(why: &'static str) -> Faulty<T> {
    Err(StepError(why))
}

/// Values that a state may have.
const MOST_CELLS: usize = 1 << 22;

/// Where everything of a state is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The first cell of each variable.
    globals: Vec<usize>,
    /// The cell with the length of each channel; the cells of its messages follow.
    pub(crate) channels: Vec<usize>,
    /// The cell of each slot that says which process is there; the location follows, then the variables.
    pub(crate) slots: Vec<usize>,
    /// By template: the first cell of each of its variables, from the first one on.
    locals: Vec<Vec<usize>>,
    pub(crate) last: Option<usize>,
    pub(crate) holder: Option<usize>,
    pub(crate) cells: usize,
}

impl Layout {
    pub(crate) fn of(model: &Model) -> Result<Layout, Rejected> {
        let mut layout = Layout::default();
        let mut sizes = Vec::new();
        for template in &model.templates {
            let (mut end, mut starts) = (0, Vec::new());
            for local in &template.locals {
                starts.push(end);
                end += local.initial.len();
            }
            layout.locals.push(starts);
            sizes.push(end);
        }
        let mut end: usize = 0;
        let mut take = |cells: usize| -> Result<usize, Rejected> {
            let start = end;
            end = end.saturating_add(cells);
            if end > MOST_CELLS {
                return reject(Rule::Model, "a state has too many values");
            }
            Ok(start)
        };
        for variable in &model.variables {
            layout.globals.push(take(variable.initial.len())?);
        }
        for channel in &model.channels {
            let cells = channel.capacity.saturating_mul(channel.cells.len());
            layout.channels.push(take(cells.saturating_add(1))?);
        }
        for slot in &model.slots {
            let sizes = slot.templates.iter().map(|&template| sizes.get(template));
            let Some(sizes) = sizes.collect::<Option<Vec<&usize>>>() else {
                return reject(Rule::Model, "a slot is for a template that is not there");
            };
            layout.slots.push(take(sizes.into_iter().max().unwrap_or(&0) + 2)?);
        }
        let holds = model.exclusive && model.edges().any(|edge| edge.hold);
        layout.last = if model.tells_last { Some(take(1)?) } else { None };
        layout.holder = if holds { Some(take(1)?) } else { None };
        layout.cells = end;
        Ok(layout)
    }
}

/// A whole number that can have any size, as a whole number that is not negative, in bytes of seven bits.
pub(crate) fn write(out: &mut Vec<u8>, value: i64) {
    let mut rest = (value.wrapping_shl(1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Reads what [`write`] wrote.
pub(crate) fn read(bytes: &mut &[u8]) -> Option<i64> {
    let value = natural(bytes)?;
    Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
}

/// A whole number that is not negative, in bytes of seven bits, the lowest first.
pub(crate) fn natural(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A model and the values of one of its states, as far as they matter for an expression.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) model: &'a Model,
    pub(crate) layout: &'a Layout,
    pub(crate) cells: &'a [i64],
    /// The slot of the process that evaluates; none for a proposition.
    pub(crate) own: Option<usize>,
    /// The message that is received.
    pub(crate) received: Option<&'a [i64]>,
    /// The value of `timeout`.
    pub(crate) timeout: bool,
    /// Answers whether the process in a slot has an enabled edge, where that may be asked.
    pub(crate) executable: Option<&'a dyn Fn(usize) -> bool>,
}

/// The value that something with this range has when one is assigned.
pub(crate) fn convert(range: &Range, value: i64) -> Faulty<i64> {
    if (range.low..=range.high).contains(&value) {
        return Ok(value);
    }
    let (low, high) = (i128::from(range.low), i128::from(range.high));
    match range.overflow {
        Overflow::Wrap if high >= low => {
            let wrapped = low + (i128::from(value) - low).rem_euclid(high - low + 1);
            i64::try_from(wrapped).or(wrong("a value does not fit"))
        }
        Overflow::Limit => wrong("a limit of what a variable can hold is exceeded"),
        _ => wrong("a value is outside its range"),
    }
}

impl<'a> View<'a> {
    fn cell(&self, at: usize) -> i64 {
        self.cells.get(at).copied().unwrap_or(0)
    }

    /// The template of the process in a slot, if there is one.
    pub(crate) fn template(&self, slot: usize) -> Option<usize> {
        let kind = self.cell(*self.layout.slots.get(slot)?);
        let at = usize::try_from(kind).ok()?.checked_sub(1)?;
        self.model.slots.get(slot)?.templates.get(at).copied()
    }

    pub(crate) fn template_of(&self, slot: usize) -> Option<(usize, &'a Template)> {
        let id = self.template(slot)?;
        Some((id, self.model.templates.get(id)?))
    }

    pub(crate) fn location(&self, slot: usize) -> usize {
        let at = self.layout.slots.get(slot).map_or(0, |&kind| self.cell(kind + 1));
        usize::try_from(at).unwrap_or(usize::MAX)
    }

    pub(crate) fn test(&self, expr: &Expr) -> Faulty<bool> {
        Ok(self.eval(expr)? != 0)
    }

    /// The value of an expression. Operators have as many operands as they need since they were read.
    pub(crate) fn eval(&self, expr: &Expr) -> Faulty<i64> {
        let Expr { op, args } = expr;
        let operand = |at: usize| self.eval(&args[at]);
        let truth = |it: bool| Ok(i64::from(it));
        match op {
            Op::Const(value) => Ok(*value),
            Op::Any => wrong("a cell that matches everything has no value"),
            Op::Global(_) | Op::Local(_) | Op::Remote(..) => {
                Ok(self.find(expr)?.map_or(0, |(cell, _)| self.cell(cell)))
            }
            Op::Received(cell) => match self.received.and_then(|row| row.get(*cell)) {
                Some(&value) => Ok(value),
                None => wrong("a cell of a message that is not received"),
            },
            Op::Not => truth(operand(0)? == 0),
            #[expect(clippy::cast_possible_truncation, reason = "it takes the lower 32 bits")]
            Op::Int => Ok(i64::from(operand(0)? as i32)),
            Op::Binary(Binary::And) => truth(operand(0)? != 0 && operand(1)? != 0),
            Op::Binary(Binary::Or) => truth(operand(0)? != 0 || operand(1)? != 0),
            Op::Binary(operator) => match binary(*operator, operand(0)?, operand(1)?) {
                Some(value) => Ok(value),
                None => wrong("an operator has no value"),
            },
            Op::Choice => operand(if operand(0)? != 0 { 1 } else { 2 }),
            Op::Checked(length) => match operand(0)? {
                index if (0..*length).contains(&index) => Ok(index),
                _ => wrong("an index is outside its array"),
            },
            Op::Length => Ok(self.messages(self.channel(&args[0])?) as i64),
            Op::Capacity => Ok(self.model.channels[self.channel(&args[0])?].capacity as i64),
            Op::PollAll | Op::PollHead => {
                let (channel, all) = (self.channel(&args[0])?, *op == Op::PollAll);
                truth(self.pick(channel, &args[1..], all)?.is_some())
            }
            Op::At(template, locations) => {
                let there = self.process(operand(0)?, *template);
                truth(there.is_some_and(|slot| locations.contains(&self.location(slot))))
            }
            Op::Own => match self.own {
                Some(slot) => Ok(slot as i64),
                None => wrong("no process evaluates this"),
            },
            Op::Running => {
                let slots = 0..self.model.slots.len();
                Ok(slots.filter(|&slot| self.template(slot).is_some()).count() as i64)
            }
            Op::Last => match self.layout.last {
                Some(cell) => Ok(self.cell(cell)),
                None => wrong("a state does not say who moved last"),
            },
            Op::Timeout => truth(self.timeout),
            Op::Executable => {
                let slot = usize::try_from(operand(0)?).ok();
                let Some(executable) = self.executable else {
                    return wrong("whether a process is executable depends on itself");
                };
                truth(slot.is_some_and(|it| it < self.model.slots.len() && executable(it)))
            }
        }
    }

    /// The cell and the variable of a place; none if it is of a process that is not there.
    pub(crate) fn find(&self, place: &Expr) -> Faulty<Option<(usize, &'a Variable)>> {
        let local = |slot: usize, template: usize, local: usize| {
            let start =
                self.layout.slots.get(slot)? + 2 + self.layout.locals.get(template)?.get(local)?;
            Some((start, self.model.templates.get(template)?.locals.get(local)?))
        };
        let (found, index) = match place.op {
            Op::Global(id) => {
                let start = self.layout.globals.get(id).copied();
                (start.zip(self.model.variables.get(id)), &place.args[..])
            }
            Op::Local(id) => {
                (self.own.and_then(|slot| local(slot, self.template(slot)?, id)), &place.args[..])
            }
            Op::Remote(template, id) => match self.process(self.eval(&place.args[0])?, template) {
                Some(slot) => (local(slot, template, id), &place.args[1..]),
                None => return Ok(None),
            },
            _ => return wrong("no variable"),
        };
        let Some((start, variable)) = found else { return wrong("a variable that is not there") };
        let index = index.first().map_or(Ok(0), |index| self.eval(index))?;
        match usize::try_from(index) {
            Ok(index) if index < variable.initial.len() => Ok(Some((start + index, variable))),
            _ => wrong("an index is outside its array"),
        }
    }

    /// The slot with this number, if the process in it is of the template.
    fn process(&self, slot: i64, template: usize) -> Option<usize> {
        let slot = usize::try_from(slot).ok()?;
        (self.template(slot)? == template).then_some(slot)
    }

    /// The channel whose number an expression gives.
    pub(crate) fn channel(&self, channel: &Expr) -> Faulty<usize> {
        let channel = usize::try_from(self.eval(channel)?).unwrap_or(usize::MAX);
        let Some(of) = self.model.channels.get(channel) else {
            return wrong("a number that is no channel");
        };
        match of.owner {
            Some((slot, template)) if self.template(slot) != Some(template) => {
                wrong("the process that a channel belongs to is gone")
            }
            _ => Ok(channel),
        }
    }

    pub(crate) fn messages(&self, channel: usize) -> usize {
        let length = self.layout.channels.get(channel).map_or(0, |&at| self.cell(at));
        usize::try_from(length).unwrap_or(0)
    }

    pub(crate) fn width(&self, channel: usize) -> usize {
        self.model.channels[channel].cells.len()
    }

    /// Where the cells of a message are.
    pub(crate) fn message_at(&self, channel: usize, message: usize) -> usize {
        self.layout.channels[channel] + 1 + message * self.width(channel)
    }

    pub(crate) fn message(&self, channel: usize, message: usize) -> &'a [i64] {
        let start = self.message_at(channel, message);
        self.cells.get(start..start + self.width(channel)).unwrap_or(&[])
    }

    fn arity(&self, channel: usize, cells: usize) -> Faulty<()> {
        if self.width(channel) == cells { Ok(()) } else { wrong("a message of another width") }
    }

    /// Whether a message can be received so; one that stays need not be looked at as a whole.
    pub(crate) fn fits(&self, channel: usize, how: &Transfer) -> Faulty<()> {
        let part = how.keep && how.cells.len() < self.width(channel);
        if part { Ok(()) } else { self.arity(channel, how.cells.len()) }
    }

    /// The values of a pattern.
    pub(crate) fn wanted(&self, pattern: &[Expr]) -> Faulty<Vec<Option<i64>>> {
        let value = |cell: &Expr| (cell.op != Op::Any).then(|| self.eval(cell)).transpose();
        pattern.iter().map(value).collect()
    }

    /// The message in a buffered channel that matches a pattern, among all or at the head.
    pub(crate) fn pick(
        &self,
        channel: usize,
        pattern: &[Expr],
        all: bool,
    ) -> Faulty<Option<usize>> {
        let count = if all { self.messages(channel) } else { self.messages(channel).min(1) };
        let width = self.width(channel).min(pattern.len());
        let (pattern, beyond) = pattern.split_at(width);
        for message in 0..count {
            if matches(&self.wanted(pattern)?, self.message(channel, message)) {
                if beyond.iter().any(|cell| cell.op != Op::Any) {
                    self.arity(channel, width + beyond.len())?;
                }
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// The cells of a message as a channel holds them.
    pub(crate) fn row(&self, channel: usize, message: &[Expr]) -> Faulty<Vec<i64>> {
        self.arity(channel, message.len())?;
        let cells = message.iter().zip(&self.model.channels[channel].cells);
        cells.map(|(cell, range)| convert(range, self.eval(cell)?)).collect()
    }
}

/// Whether a message has the cells that are wanted.
pub(crate) fn matches(wanted: &[Option<i64>], row: &[i64]) -> bool {
    wanted.iter().zip(row).all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
}

fn binary(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let places = u32::try_from(right).ok().filter(|&places| places < 64);
    Some(match operator {
        Binary::Add => left.checked_add(right)?,
        Binary::Subtract => left.checked_sub(right)?,
        Binary::Multiply => left.checked_mul(right)?,
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder | Binary::Modulo if right == 0 => return None,
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Modulo => {
            let rest = left.wrapping_rem(right);
            if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
        }
        Binary::Equal => i64::from(left == right),
        Binary::NotEqual => i64::from(left != right),
        Binary::Less => i64::from(left < right),
        Binary::LessEqual => i64::from(left <= right),
        Binary::Greater => i64::from(left > right),
        Binary::GreaterEqual => i64::from(left >= right),
        Binary::And => i64::from(left != 0 && right != 0),
        Binary::Or => i64::from(left != 0 || right != 0),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => Some(left << places?).filter(|it| it >> right == left)?,
        Binary::ShiftRight => left >> places?,
    })
}

/// Reading and writing of states.
impl View<'_> {
    /// Appends the bytes of the state.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut cells = |start: usize, count: usize| {
            (start..start + count).for_each(|at| write(out, self.cell(at)));
        };
        for (variable, &start) in self.model.variables.iter().zip(&self.layout.globals) {
            cells(start, variable.stored());
        }
        for (channel, &start) in self.layout.channels.iter().enumerate() {
            cells(start, 1 + self.messages(channel) * self.width(channel));
        }
        for (slot, &start) in self.layout.slots.iter().enumerate() {
            cells(start, 1);
            let Some((id, template)) = self.template_of(slot) else { continue };
            cells(start + 1, 1);
            for (local, &at) in template.locals.iter().zip(&self.layout.locals[id]) {
                cells(start + 2 + at, local.stored());
            }
        }
        self.layout.last.iter().chain(&self.layout.holder).for_each(|&at| cells(at, 1));
    }
}

impl Variable {
    /// Cells that a state says.
    fn stored(&self) -> usize {
        if self.scratch { 0 } else { self.initial.len() }
    }
}

/// Makes the values of a state from its bytes, scratch variables as they are at the start of an action.
pub(crate) fn decode(
    model: &Model,
    layout: &Layout,
    mut bytes: &[u8],
    cells: &mut Vec<i64>,
) -> Option<()> {
    cells.clear();
    cells.resize(layout.cells, 0);
    let mut take = |start: usize, count: usize, cells: &mut [i64]| -> Option<()> {
        for cell in cells.get_mut(start..start + count)? {
            *cell = read(&mut bytes)?;
        }
        Some(())
    };
    for (variable, &start) in model.variables.iter().zip(&layout.globals) {
        take(start, variable.stored(), cells)?;
    }
    for (channel, &start) in model.channels.iter().zip(&layout.channels) {
        take(start, 1, cells)?;
        let length = usize::try_from(cells[start]).ok().filter(|&it| it <= channel.capacity)?;
        take(start + 1, length * channel.cells.len(), cells)?;
    }
    for (slot, &start) in model.slots.iter().zip(&layout.slots) {
        take(start, 1, cells)?;
        let Some(kind) = usize::try_from(cells[start]).ok()?.checked_sub(1) else { continue };
        let id = *slot.templates.get(kind)?;
        let template = model.templates.get(id)?;
        take(start + 1, 1, cells)?;
        template.locations.get(usize::try_from(cells[start + 1]).ok()?)?;
        for (local, &at) in template.locals.iter().zip(&layout.locals[id]) {
            take(start + 2 + at, local.stored(), cells)?;
        }
    }
    for &at in layout.last.iter().chain(&layout.holder) {
        take(at, 1, cells)?;
    }
    layout.reset_scratch(model, cells);
    bytes.is_empty().then_some(())
}

/// Changes of single parts of a state.
impl Layout {
    /// Puts a process into a slot as it is at first, its parameters with these values.
    pub(crate) fn start(
        &self,
        model: &Model,
        cells: &mut [i64],
        (slot, variant): (usize, usize),
        arguments: &[i64],
    ) -> Faulty<()> {
        let (start, id) = (self.slots[slot], model.slots[slot].templates[variant]);
        cells[start] = variant as i64 + 1;
        cells[start + 1] = 0;
        let locals = model.templates[id].locals.iter().zip(&self.locals[id]);
        for (at, (local, offset)) in locals.enumerate() {
            for (element, &initial) in local.initial.iter().enumerate() {
                let value = arguments.get(at).filter(|_| element == 0).copied().unwrap_or(initial);
                cells[start + 2 + offset + element] = convert(&local.range, value)?;
            }
        }
        Ok(())
    }

    /// Removes all of a process from its slot.
    pub(crate) fn leave(&self, model: &Model, cells: &mut [i64], slot: usize) {
        for (channel, &at) in model.channels.iter().zip(&self.channels) {
            if channel.owner.is_some_and(|(owner, _)| owner == slot) {
                cells[at..=at + channel.capacity * channel.cells.len()].fill(0);
            }
        }
        // Behind a slot comes the next one, or who moved last, or who holds.
        let behind = self.slots.get(slot + 1).or(self.last.as_ref()).or(self.holder.as_ref());
        cells[self.slots[slot]..*behind.unwrap_or(&self.cells)].fill(0);
    }

    /// Gives scratch variables what they have at the start of an action.
    pub(crate) fn reset_scratch(&self, model: &Model, cells: &mut [i64]) {
        let reset = |variable: &Variable, start: usize, cells: &mut [i64]| {
            if variable.scratch {
                cells[start..start + variable.initial.len()].copy_from_slice(&variable.initial);
            }
        };
        model.variables.iter().zip(&self.globals).for_each(|(it, &start)| reset(it, start, cells));
        for (slot, &start) in model.slots.iter().zip(&self.slots) {
            // Two templates of a slot share its cells, so only the one that is there counts.
            let here = usize::try_from(cells[start]).ok().and_then(|kind| kind.checked_sub(1));
            let Some(&id) = here.and_then(|at| slot.templates.get(at)) else { continue };
            for (local, at) in model.templates[id].locals.iter().zip(&self.locals[id]) {
                reset(local, start + 2 + at, cells);
            }
        }
    }

    /// The values of a model before any process is started.
    pub(crate) fn initial(&self, model: &Model) -> Faulty<Vec<i64>> {
        let mut cells = vec![0; self.cells];
        for (variable, &start) in model.variables.iter().zip(&self.globals) {
            for (element, &value) in variable.initial.iter().enumerate() {
                cells[start + element] = convert(&variable.range, value)?;
            }
        }
        if let Some(holder) = self.holder {
            cells[holder] = -1;
        }
        Ok(cells)
    }
}
