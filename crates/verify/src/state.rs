//! States: where each value is while a step is computed, how a state is written in a certificate, and the
//! values of expressions in it.
//!
//! A state is written as its values, one after the other: variables, channels (how many messages, then their
//! cells), slots (0 or one more than the position of the process's template among the slot's, and then the
//! location and the variables), who moved last, who holds; the last two only where something reads or does it.
//! Absent parts are not written, so two states are the same exactly if their bytes are.

use crate::fir::{
    Binary, Expr, Model, Op, Overflow, Query, Range, Scope, Template, Unary, Variable,
};
use crate::rejected::{Rejected, Rule, reject};

/// Something went wrong in a step. What begins with [`LIMIT`] is no error of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepError(pub(crate) &'static str);

pub(crate) const LIMIT: &str = "a limit";

pub(crate) type Faulty<T> = Result<T, StepError>;

fn wrong<T>(why: &'static str) -> Faulty<T> {
    Err(StepError(why))
}

/// Values that a state may have.
const MOST_CELLS: usize = 1 << 22;

/// Where everything of a state is.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The first cell of each variable.
    globals: Vec<usize>,
    /// The cell with the length of each channel; the cells of its messages follow.
    channels: Vec<usize>,
    /// The cell of each slot that says which process is there; the location follows, then the variables.
    slots: Vec<usize>,
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
            let mut end = 0;
            let mut starts = Vec::new();
            for local in &template.locals {
                starts.push(end);
                end += local.cells;
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
            layout.globals.push(take(variable.cells)?);
        }
        for channel in &model.channels {
            let cells = channel.capacity.saturating_mul(channel.cells.len());
            layout.channels.push(take(cells.saturating_add(1))?);
        }
        for slot in &model.slots {
            let mut most = 0;
            for &template in &slot.templates {
                match sizes.get(template) {
                    Some(&size) => most = most.max(size),
                    None => {
                        return reject(Rule::Model, "a slot is for a template that is not there");
                    }
                }
            }
            layout.slots.push(take(most + 2)?);
        }
        layout.last = if model.reads_last { Some(take(1)?) } else { None };
        layout.holder = if model.holds { Some(take(1)?) } else { None };
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
            return Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()));
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
    if range.overflow == Overflow::Wrap && high >= low {
        let wrapped = low + (i128::from(value) - low).rem_euclid(high - low + 1);
        return i64::try_from(wrapped).or(wrong("a value does not fit"));
    }
    match range.overflow {
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

    pub(crate) fn eval(&self, expr: &Expr) -> Faulty<i64> {
        let Expr { op, args, .. } = expr;
        let operand = |at: usize| match args.get(at) {
            Some(operand) => self.eval(operand),
            None => wrong("an operand is missing"),
        };
        Ok(match op {
            Op::Const(value) => *value,
            Op::Any => return wrong("a cell that matches everything has no value"),
            Op::Load(scope) => self.find(*scope, args)?.map_or(0, |(cell, _)| self.cell(cell)),
            Op::Received(cell) => match self.received.and_then(|row| row.get(*cell)) {
                Some(&value) => value,
                None => return wrong("a cell of a message that is not received"),
            },
            Op::Unary(operator) => unary(*operator, operand(0)?)?,
            Op::Binary(Binary::And) => i64::from(operand(0)? != 0 && operand(1)? != 0),
            Op::Binary(Binary::Or) => i64::from(operand(0)? != 0 || operand(1)? != 0),
            Op::Binary(operator) => match binary(*operator, operand(0)?, operand(1)?) {
                Some(value) => value,
                None => return wrong("an operator has no value"),
            },
            Op::Conditional => operand(if operand(0)? != 0 { 1 } else { 2 })?,
            Op::Checked(length) => match operand(0)? {
                index if (0..*length).contains(&index) => index,
                _ => return wrong("an index is outside its array"),
            },
            Op::Query(query) => {
                let channel = self.channel_at(operand(0)?)?;
                let (capacity, length) =
                    (self.model.channels[channel].capacity, self.messages(channel));
                match query {
                    Query::Length => length as i64,
                    Query::Empty => i64::from(length == 0),
                    Query::Full => i64::from(length == capacity),
                    Query::Capacity => capacity as i64,
                }
            }
            Op::Poll { first } => {
                let channel = self.channel_at(operand(0)?)?;
                i64::from(self.pick(channel, &args[1..], *first)?.is_some())
            }
            Op::At(template, locations) => {
                let there = self.process(operand(0)?, *template);
                i64::from(there.is_some_and(|slot| locations.contains(&self.location(slot))))
            }
            Op::Own => match self.own {
                Some(slot) => slot as i64,
                None => return wrong("no process evaluates this"),
            },
            Op::Running => {
                let slots = 0..self.model.slots.len();
                slots.filter(|&slot| self.template(slot).is_some()).count() as i64
            }
            Op::Last => self.layout.last.map_or(0, |cell| self.cell(cell)),
            Op::Timeout => i64::from(self.timeout),
            Op::Executable => {
                let slot = usize::try_from(operand(0)?).ok();
                let Some(executable) = self.executable else {
                    return wrong("whether a process is executable depends on itself");
                };
                i64::from(slot.is_some_and(|it| it < self.model.slots.len() && executable(it)))
            }
        })
    }

    /// The cell and the variable of a place; none if it is of a process that is not there.
    pub(crate) fn find(
        &self,
        scope: Scope,
        args: &[Expr],
    ) -> Faulty<Option<(usize, &'a Variable)>> {
        let local = |slot: usize, template: usize, local: usize| {
            let start =
                self.layout.slots.get(slot)? + 2 + self.layout.locals.get(template)?.get(local)?;
            Some((start, self.model.templates.get(template)?.locals.get(local)?))
        };
        let (found, index) = match scope {
            Scope::Global(id) => {
                (self.layout.globals.get(id).copied().zip(self.model.variables.get(id)), args)
            }
            Scope::Local(id) => {
                (self.own.and_then(|slot| local(slot, self.template(slot)?, id)), args)
            }
            Scope::Remote(template, id) => {
                let Some((slot, index)) = args.split_first() else {
                    return wrong("an operand is missing");
                };
                match self.process(self.eval(slot)?, template) {
                    Some(slot) => (local(slot, template, id), index),
                    None => return Ok(None),
                }
            }
        };
        let Some((start, variable)) = found else { return wrong("a variable that is not there") };
        let index = index.first().map_or(Ok(0), |index| self.eval(index))?;
        match usize::try_from(index) {
            Ok(index) if index < variable.cells => Ok(Some((start + index, variable))),
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
        self.channel_at(self.eval(channel)?)
    }

    fn channel_at(&self, number: i64) -> Faulty<usize> {
        let channel = usize::try_from(number).unwrap_or(usize::MAX);
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

    pub(crate) fn arity(&self, channel: usize, cells: usize) -> Faulty<()> {
        if self.width(channel) == cells { Ok(()) } else { wrong("a message of another width") }
    }

    /// Whether a message can be received as so many cells; one that stays need not be looked at as a whole.
    pub(crate) fn fits(&self, channel: usize, cells: usize, keep: bool) -> Faulty<()> {
        if keep && cells < self.width(channel) { Ok(()) } else { self.arity(channel, cells) }
    }

    /// The values of a pattern.
    pub(crate) fn wanted(&self, pattern: &[Expr]) -> Faulty<Vec<Option<i64>>> {
        let value = |cell: &Expr| (cell.op != Op::Any).then(|| self.eval(cell)).transpose();
        pattern.iter().map(value).collect()
    }

    /// The message in a buffered channel that matches a pattern.
    pub(crate) fn pick(
        &self,
        channel: usize,
        pattern: &[Expr],
        first: bool,
    ) -> Faulty<Option<usize>> {
        let count = if first { self.messages(channel) } else { self.messages(channel).min(1) };
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
        let cells = message.iter().zip(&self.model.channels[channel].cells);
        cells.map(|(cell, range)| convert(range, self.eval(cell)?)).collect()
    }
}

/// Whether a message has the cells that are wanted.
pub(crate) fn matches(wanted: &[Option<i64>], row: &[i64]) -> bool {
    wanted.iter().zip(row).all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
}

fn unary(operator: Unary, operand: i64) -> Faulty<i64> {
    Ok(match operator {
        Unary::Not => i64::from(operand == 0),
        Unary::Complement => !operand,
        #[expect(clippy::cast_possible_truncation, reason = "it takes the lower 32 bits")]
        Unary::Int => i64::from(operand as i32),
        Unary::Negate => match operand.checked_neg() {
            Some(value) => value,
            None => return wrong("a negation does not fit"),
        },
    })
}

fn binary(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let places = u32::try_from(right).ok().filter(|&places| places < 64);
    Some(match operator {
        Binary::Add => left.checked_add(right)?,
        Binary::Subtract => left.checked_sub(right)?,
        Binary::Multiply => left.checked_mul(right)?,
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder if right == 0 => return None,
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Modulo if right == 0 => return None,
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
        Binary::ShiftLeft => {
            let shifted = left << places?;
            if shifted >> places? == left { shifted } else { return None }
        }
        Binary::ShiftRight => left >> places?,
    })
}

/// Reading and writing of states.
impl View<'_> {
    /// Appends the bytes of the state.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for (variable, &start) in self.model.variables.iter().zip(&self.layout.globals) {
            if !variable.scratch {
                (start..start + variable.cells).for_each(|at| write(out, self.cell(at)));
            }
        }
        for (channel, &start) in self.layout.channels.iter().enumerate() {
            let cells = self.messages(channel) * self.width(channel);
            (start..=start + cells).for_each(|at| write(out, self.cell(at)));
        }
        for (slot, &start) in self.layout.slots.iter().enumerate() {
            write(out, self.cell(start));
            let Some((id, template)) = self.template_of(slot) else { continue };
            write(out, self.cell(start + 1));
            for (local, &at) in template.locals.iter().zip(&self.layout.locals[id]) {
                if !local.scratch {
                    let first = start + 2 + at;
                    (first..first + local.cells).for_each(|at| write(out, self.cell(at)));
                }
            }
        }
        for at in self.layout.last.iter().chain(&self.layout.holder) {
            write(out, self.cell(*at));
        }
    }
}

/// Makes the values of a state from its bytes, scratch variables as they are at the start of an action.
pub(crate) fn decode(
    model: &Model,
    layout: &Layout,
    bytes: &[u8],
    cells: &mut Vec<i64>,
) -> Option<()> {
    let mut rest = bytes;
    cells.clear();
    cells.resize(layout.cells, 0);
    for (variable, &start) in model.variables.iter().zip(&layout.globals) {
        variable_cells(variable, start, cells, &mut rest)?;
    }
    for (channel, &start) in model.channels.iter().zip(&layout.channels) {
        let length = usize::try_from(read(&mut rest)?).ok()?;
        if length > channel.capacity {
            return None;
        }
        *cells.get_mut(start)? = length as i64;
        for at in 0..length * channel.cells.len() {
            *cells.get_mut(start + 1 + at)? = read(&mut rest)?;
        }
    }
    for (slot, &start) in model.slots.iter().zip(&layout.slots) {
        let kind = read(&mut rest)?;
        *cells.get_mut(start)? = kind;
        if kind == 0 {
            continue;
        }
        let id = *slot.templates.get(usize::try_from(kind).ok()?.checked_sub(1)?)?;
        let template = model.templates.get(id)?;
        let location = read(&mut rest)?;
        template.locations.get(usize::try_from(location).ok()?)?;
        *cells.get_mut(start + 1)? = location;
        for (local, &at) in template.locals.iter().zip(&layout.locals[id]) {
            variable_cells(local, start + 2 + at, cells, &mut rest)?;
        }
    }
    for at in layout.last.iter().chain(&layout.holder) {
        *cells.get_mut(*at)? = read(&mut rest)?;
    }
    rest.is_empty().then_some(())
}

fn variable_cells(
    variable: &Variable,
    start: usize,
    cells: &mut [i64],
    rest: &mut &[u8],
) -> Option<()> {
    for (cell, &initial) in
        cells.get_mut(start..start + variable.cells)?.iter_mut().zip(&variable.initial)
    {
        *cell = if variable.scratch { initial } else { read(rest)? };
    }
    Some(())
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
        let gone = StepError("a process that is not there is started");
        let start = *self.slots.get(slot).ok_or(gone)?;
        let id = *model.slots[slot].templates.get(variant).ok_or(gone)?;
        let template = model.templates.get(id).ok_or(gone)?;
        cells[start] = variant as i64 + 1;
        cells[start + 1] = 0;
        for (at, (local, offset)) in template.locals.iter().zip(&self.locals[id]).enumerate() {
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
        let start = self.slots[slot];
        let most = model.slots[slot]
            .templates
            .iter()
            .map(|&id| model.templates[id].locals.iter().map(|local| local.cells).sum::<usize>());
        cells[start..start + 2 + most.max().unwrap_or(0)].fill(0);
    }

    /// Gives scratch variables what they have at the start of an action.
    pub(crate) fn reset_scratch(&self, model: &Model, cells: &mut [i64]) {
        let globals = model.variables.iter().zip(&self.globals);
        for (variable, &start) in globals.filter(|(variable, _)| variable.scratch) {
            cells[start..start + variable.cells].copy_from_slice(&variable.initial);
        }
        for (slot, &start) in model.slots.iter().zip(&self.slots) {
            // Two templates of a slot share its cells, so only the one that is there counts.
            let here = usize::try_from(cells[start]).ok().and_then(|kind| kind.checked_sub(1));
            let Some(&id) = here.and_then(|at| slot.templates.get(at)) else { continue };
            for (local, at) in model.templates[id].locals.iter().zip(&self.locals[id]) {
                if local.scratch {
                    let first = start + 2 + at;
                    cells[first..first + local.cells].copy_from_slice(&local.initial);
                }
            }
        }
    }

    pub(crate) fn go(&self, cells: &mut [i64], slot: usize, location: usize) {
        cells[self.slots[slot] + 1] = location as i64;
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

    pub(crate) fn channel(&self, channel: usize) -> usize {
        self.channels[channel]
    }
}
