//! What a step does: the statements of the processes that take part, one after the other, each on what those before
//! have left.

use crate::fir::{Expr, Op, Statement};
use crate::state::{Faulty, StepError, View, convert, wrong};
use crate::step::Machine;

/// Statements that a process may run in one action. To start another one counts as many, since the first statements
/// of processes that start each other are run by recursion.
const STATEMENTS: u64 = 20_000_000;
const START: u64 = 10_000;

/// One process's part in an action, while it happens.
pub(crate) struct Runner<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) cells: &'a mut Vec<i64>,
    pub(crate) slot: usize,
    pub(crate) received: Option<&'a [i64]>,
    pub(crate) timeout: bool,
    pub(crate) count: &'a mut u64,
}

impl Runner<'_> {
    pub(crate) fn view(&self) -> View<'_> {
        let view = self.machine.view(self.cells, Some(self.slot), self.timeout);
        View { received: self.received, ..view }
    }

    fn tick(&mut self) -> Faulty<()> {
        *self.count += 1;
        if *self.count > STATEMENTS {
            wrong("a limit of statements in a step is exceeded")
        } else {
            Ok(())
        }
    }

    pub(crate) fn run(&mut self, statements: &[Statement]) -> Faulty<()> {
        for statement in statements {
            self.tick()?;
            match statement {
                Statement::Assign(pairs) => {
                    let values: Faulty<Vec<i64>> =
                        pairs.iter().map(|(_, value)| self.view().eval(value)).collect();
                    for ((place, _), value) in pairs.iter().zip(values?) {
                        self.store(place, value)?;
                    }
                }
                Statement::If(condition, then, otherwise) => {
                    let then = if self.view().test(condition)? { then } else { otherwise };
                    self.run(then)?;
                }
                Statement::While(condition, body) => {
                    while self.view().test(condition)? {
                        self.tick()?;
                        self.run(body)?;
                    }
                }
                Statement::Assert(condition, limits) => {
                    if !self.view().test(condition)? {
                        let limit = "a limit of the tool is exceeded";
                        return wrong(if *limits { limit } else { "an assertion fails" });
                    }
                }
                Statement::Start(template, arguments, place) => {
                    let started = self.start(*template, arguments)?;
                    self.store(place, started as i64)?;
                }
                Statement::Put(how) => {
                    let view = self.view();
                    let channel = view.channel(&how.channel)?;
                    let row = view.row(channel, &how.cells)?;
                    self.put(channel, &row, how.inside)?;
                }
                Statement::Take(how, places) => {
                    let view = self.view();
                    let channel = view.channel(&how.channel)?;
                    let Some(message) = view.pick(channel, &how.cells, how.inside)? else {
                        return wrong("no message to take is in a channel");
                    };
                    view.fits(channel, how)?;
                    let row = view.message(channel, message).to_vec();
                    if !how.keep {
                        self.remove(channel, message);
                    }
                    for (place, value) in places.iter().zip(row).take(how.cells.len()) {
                        self.store(place, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, place: &Expr, value: i64) -> Faulty<()> {
        let found = match place.op {
            Op::Any => return Ok(()),
            Op::Global(_) | Op::Local(_) => self.view().find(place)?,
            _ => None,
        };
        let Some((cell, variable)) = found else { return wrong("no variable of the process") };
        self.cells[cell] = convert(&variable.range, value)?;
        Ok(())
    }

    /// Starts a process in the first free slot that can hold it; gives the slot.
    fn start(&mut self, template: usize, arguments: &[Expr]) -> Faulty<usize> {
        *self.count += START;
        self.tick()?;
        let machine = self.machine;
        let view = self.view();
        let values: Faulty<Vec<i64>> = arguments.iter().map(|value| view.eval(value)).collect();
        let place = machine.model.slots.iter().enumerate().find_map(|(at, slot)| {
            let variant = slot.templates.iter().position(|&other| other == template)?;
            view.template(at).is_none().then_some((at, variant))
        });
        let place = place.ok_or(StepError("there is no room for another process"))?;
        machine.layout.start(&machine.model, self.cells, place, &values?)?;
        machine.begin(self.cells, place.0, self.count)?;
        Ok(place.0)
    }

    /// Puts a message into a buffered channel.
    pub(crate) fn put(&mut self, channel: usize, row: &[i64], sorted: bool) -> Faulty<()> {
        let of = &self.machine.model.channels[channel];
        let view = self.view();
        let (length, width) = (view.messages(channel), view.width(channel));
        if length == of.capacity {
            let lost = of.loses && of.capacity > 0;
            return if lost { Ok(()) } else { wrong("a channel is full") };
        }
        let greater = |&at: &usize| view.message(channel, at) > row;
        let at = if sorted { (0..length).find(greater).unwrap_or(length) } else { length };
        let (start, end) = (view.message_at(channel, at), view.message_at(channel, length));
        self.cells.copy_within(start..end, start + width);
        self.cells[start..start + width].copy_from_slice(row);
        self.cells[self.machine.layout.channels[channel]] = length as i64 + 1;
        Ok(())
    }

    /// Removes a message from a buffered channel.
    pub(crate) fn remove(&mut self, channel: usize, message: usize) {
        let view = self.view();
        let (length, width) = (view.messages(channel), view.width(channel));
        let (start, end) = (view.message_at(channel, message), view.message_at(channel, length));
        self.cells.copy_within(start + width..end, start);
        self.cells[end - width..end].fill(0);
        self.cells[self.machine.layout.channels[channel]] = length as i64 - 1;
    }
}
