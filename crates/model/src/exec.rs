//! Execution of a step: the communication, the statements of the effect, and the move to the next location, on
//! an unpacked state.

use fairly_omega::Stop;
use fairly_source::Span;
use fairly_system::{Fault, FaultKind};

use crate::eval::{Faulty, View, convert, fault};
use crate::expression::{AnyVariable, Expr, Pattern, Pick, Place};
use crate::ids::{SlotId, TemplateId};
use crate::interpreter::Program;
use crate::layout::Strip;
use crate::process::{Order, Statement, StatementKind, Target};
use crate::variable::{Overflow, Range, WhenFull};

/// Statements between two questions whether to stop.
const ASKED: u64 = 1 << 16;
/// So many statements are always allowed.
const FEW: u64 = 1 << 10;

/// How much work steps take, and how much they may take.
#[derive(Default)]
pub(crate) struct Effort {
    /// Statements that one process has run in the action that happens.
    pub(crate) statements: u64,
    /// Statements that a process may run in an action out of the state that is looked at.
    pub(crate) allowed: u64,
    /// The most that one has run there.
    pub(crate) most_run: u64,
    /// When to stop inside a step, and between the steps out of a state.
    pub(crate) stop: Stop,
    /// Cells that were copied and processes that were looked at since it was last asked whether to stop.
    pub(crate) looked_at: u64,
    /// Whether it is time to stop, as far as that was asked.
    pub(crate) is_stopped: bool,
}

impl Effort {
    /// The effort of expanding states begins.
    pub(crate) fn begin(&mut self, stop: Stop) {
        (self.stop, self.is_stopped) = (stop, false);
    }

    /// Whether to stop before a step that copies and looks at so much.
    pub(crate) fn is_stopped_before(&mut self, size: usize) -> bool {
        self.looked_at += size as u64 + 1;
        if self.looked_at >= ASKED {
            self.looked_at = 0;
            self.is_stopped |= self.stop.is_due();
        }
        self.is_stopped
    }

    #[cold]
    fn count_many(&mut self, span: Option<Span>) -> Faulty<()> {
        self.most_run = self.most_run.max(self.statements);
        if self.statements > self.allowed {
            let message = "a step runs very many statements, and may never end";
            return Err(Box::new(Fault::limit(message, span)));
        }
        if self.statements.is_multiple_of(ASKED) && self.stop.is_due() {
            return Err(Box::new(Fault { span, ..Fault::stopped() }));
        }
        Ok(())
    }
}

/// One process's part in an action, while it happens.
pub(crate) struct Runner<'a> {
    pub(crate) program: &'a Program,
    pub(crate) cells: &'a mut [i64],
    pub(crate) own: (usize, &'a [Strip]),
    pub(crate) received: Option<&'a [i64]>,
    pub(crate) timeout: bool,
    pub(crate) effort: &'a mut Effort,
    /// Values that wait to be assigned.
    pub(crate) values: &'a mut Vec<i64>,
}

impl Runner<'_> {
    fn view(&self) -> View<'_> {
        View {
            program: self.program,
            cells: self.cells,
            own: Some(self.own),
            received: self.received,
            timeout: self.timeout,
            nested: false,
        }
    }

    /// The statements in order.
    pub(crate) fn run(&mut self, statements: &[Statement]) -> Faulty<()> {
        for statement in statements {
            self.count(statement.span)?;
            self.statement(statement).map_err(|mut fault| {
                fault.span = fault.span.or(statement.span);
                fault
            })?;
        }
        Ok(())
    }

    /// Counts a statement, or a round of a loop, which may have no statements.
    fn count(&mut self, span: Option<Span>) -> Faulty<()> {
        self.effort.statements += 1;
        if self.effort.statements <= FEW {
            return Ok(());
        }
        self.effort.count_many(span)
    }

    fn statement(&mut self, statement: &Statement) -> Faulty<()> {
        match &statement.kind {
            StatementKind::Assign(pairs) => self.assign(pairs),
            StatementKind::If { condition, then, otherwise } => {
                self.run(if self.view().test(condition)? { then } else { otherwise })
            }
            StatementKind::While { condition, body } => {
                while self.view().test(condition)? {
                    self.count(statement.span)?;
                    self.run(body)?;
                }
                Ok(())
            }
            StatementKind::Assert { condition, message, kind } => {
                match self.view().test(condition)? {
                    true => Ok(()),
                    false if *kind == FaultKind::Limit => {
                        Err(Box::new(Fault::limit(message.as_str(), None)))
                    }
                    false if message.is_empty() => fault("an assertion does not hold"),
                    false => fault(message.as_str()),
                }
            }
            StatementKind::Start { template, arguments, slot } => {
                let started = self.start(*template, arguments)?;
                match slot {
                    Some(place) => self.store(place, i64::try_from(started).expect("a position")),
                    None => Ok(()),
                }
            }
            StatementKind::Put { channel, message, order } => {
                let channel = self.view().channel(channel)?;
                self.view().arity(channel, message.len())?;
                if self.program.model.channels[channel].capacity == 0 {
                    let name = &self.program.model.channels[channel].name;
                    return fault(format!("`{name}` holds no messages"));
                }
                let mut row = Vec::with_capacity(message.len());
                self.view().message(channel, message, &mut row)?;
                self.put(channel, &row, *order)
            }
            StatementKind::Take { channel, pattern, into, pick, keep } => {
                self.take(channel, pattern, into, *pick, *keep)
            }
        }
    }

    /// All values, then one place after the other: an index is evaluated when its turn comes.
    fn assign(&mut self, pairs: &[(Place, Expr)]) -> Faulty<()> {
        self.values.clear();
        for (_, value) in pairs {
            let value = self.view().eval(value)?;
            self.values.push(value);
        }
        for (at, (place, _)) in pairs.iter().enumerate() {
            self.store(place, self.values[at])?;
        }
        Ok(())
    }

    fn store(&mut self, place: &Place, value: i64) -> Faulty<()> {
        let view = self.view();
        let (AnyVariable::Global(_) | AnyVariable::Local(_), Some(cell)) =
            (&place.variable, view.find(place)?)
        else {
            return fault("a variable of another process cannot be assigned");
        };
        let Some(variable) = view.variable(place) else {
            return fault("there is no such variable");
        };
        self.cells[cell] = within(variable, value)?;
        Ok(())
    }

    /// Starts a process; gives its slot.
    fn start(&mut self, template: TemplateId, arguments: &[Expr]) -> Faulty<usize> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.view().eval(argument)?);
        }
        let layout = &self.program.layout;
        let place = layout.slots.iter().enumerate().find_map(|(slot, of)| {
            layout.variant(self.cells, slot).is_none().then_some(())?;
            Some((slot, of.variants.iter().position(|variant| variant.template == template)?))
        });
        let Some((slot, variant)) = place else {
            let name = &self.program.model.template(template).name;
            let most = layout.slots.len();
            let message = format!(
                "there is no room for another process `{name}`: at most {most} can be alive at once \
                 (see --max-processes)"
            );
            return Err(Box::new(Fault::limit(message, None)));
        };
        let program = self.program;
        program.start(self.cells, slot, variant, &values)?;
        program.begin(self.cells, slot, variant, self.effort)?;
        Ok(slot)
    }

    /// Puts a message, whose cells are in their ranges, into a buffered channel.
    pub(crate) fn put(&mut self, channel: usize, row: &[i64], order: Order) -> Faulty<()> {
        let (of, layout) =
            (&self.program.model.channels[channel], &self.program.layout.channels[channel]);
        let view = self.view();
        let length = view.messages(channel);
        if length == of.capacity {
            return match of.when_full {
                WhenFull::Lose => Ok(()),
                WhenFull::Wait => fault(format!("`{}` is full", of.name)),
            };
        }
        let greater = |message: &u32| {
            let cells = (0..row.len()).map(|cell| view.message_cell(channel, *message, cell));
            cells.gt(row.iter().copied())
        };
        let at = match order {
            Order::Fifo => length,
            Order::Sorted => (0..length).find(greater).unwrap_or(length),
        };
        for (column, &value) in layout.columns.iter().zip(row) {
            let first = column.cell as usize;
            self.cells
                .copy_within(first + at as usize..first + length as usize, first + at as usize + 1);
            self.cells[first + at as usize] = value;
        }
        self.cells[layout.length.cell as usize] = i64::from(length) + 1;
        Ok(())
    }

    /// Whether a message is at a place in a buffered channel.
    pub(crate) fn holds(&self, channel: usize, message: u32, row: &[i64]) -> bool {
        let view = self.view();
        message < view.messages(channel)
            && (0..)
                .zip(row)
                .all(|(cell, &value)| view.message_cell(channel, message, cell) == value)
    }

    /// Removes a message from a buffered channel.
    pub(crate) fn remove(&mut self, channel: usize, message: u32) {
        let layout = &self.program.layout.channels[channel];
        let length = self.view().messages(channel) as usize;
        for column in &layout.columns {
            let (first, at) = (column.cell as usize, message as usize);
            self.cells.copy_within(first + at + 1..first + length, first + at);
            self.cells[first + length - 1] = 0;
        }
        self.cells[layout.length.cell as usize] -= 1;
    }

    /// Removes all messages from a channel.
    fn clear(&mut self, channel: usize) {
        let layout = &self.program.layout.channels[channel];
        for column in &layout.columns {
            self.cells[column.cells()].fill(0);
        }
        self.cells[layout.length.cell as usize] = 0;
    }

    fn take(
        &mut self,
        channel: &Expr,
        pattern: &[Pattern],
        into: &[Option<Place>],
        pick: Pick,
        keep: bool,
    ) -> Faulty<()> {
        let view = self.view();
        let channel = view.channel(channel)?;
        let Some(message) = view.pick(channel, pattern, pick)? else {
            let name = &self.program.model.channels[channel].name;
            return fault(format!("no message to take is in `{name}`"));
        };
        view.fits(channel, pattern.len(), keep)?;
        let row: Vec<i64> =
            (0..pattern.len()).map(|cell| view.message_cell(channel, message, cell)).collect();
        if !keep {
            self.remove(channel, message);
        }
        for (place, value) in into.iter().zip(row) {
            if let Some(place) = place {
                self.store(place, value)?;
            }
        }
        Ok(())
    }

    /// Goes where the edge leads.
    pub(crate) fn go(&mut self, target: Target) {
        let slot = self.own.0;
        let of = &self.program.layout.slots[slot];
        match target {
            Target::Location(location) => {
                self.cells[of.location.cell as usize] = i64::from(location.0);
            }
            Target::Exit => {
                for channel in self.program.owned(slot) {
                    self.clear(channel);
                }
                self.cells[of.kind.cell as usize] = 0;
                self.cells[of.location.cell as usize] = 0;
                self.program.layout.clear_locals(self.cells, slot);
            }
        }
    }
}

impl View<'_> {
    /// Appends the cells of a message as the channel holds them.
    pub(crate) fn message(
        &self,
        channel: usize,
        message: &[Expr],
        row: &mut Vec<i64>,
    ) -> Faulty<()> {
        let of = &self.program.model.channels[channel];
        for (cell, &(range, overflow)) in message.iter().zip(&of.cells) {
            let value = self.eval(cell)?;
            match convert(range, overflow, value) {
                Some(value) => row.push(value),
                None => return Err(outside(value, &of.name, range, overflow)),
            }
        }
        Ok(())
    }
}

impl Program {
    /// Puts a process into a free slot: at its first location, its variables as they are at first,
    /// its parameters with these values.
    pub(crate) fn start(
        &self,
        cells: &mut [i64],
        slot: usize,
        variant: usize,
        arguments: &[i64],
    ) -> Faulty<()> {
        let layout = &self.layout.slots[slot];
        let of = &layout.variants[variant];
        cells[layout.kind.cell as usize] = i64::try_from(variant).expect("a position") + 1;
        cells[layout.location.cell as usize] = 0;
        let locals = &self.model.template(of.template).locals;
        for (variable, strip) in locals.iter().zip(&of.locals) {
            for (at, cell) in strip.cells().enumerate() {
                let value = variable.initial.get(at).copied().unwrap_or(0);
                cells[cell] = within(variable, value)?;
            }
        }
        for ((variable, strip), &value) in locals.iter().zip(&of.locals).zip(arguments) {
            cells[strip.cell as usize] = within(variable, value)?;
        }
        Ok(())
    }
}

impl Program {
    /// Lets a new process do what it does first.
    pub(crate) fn begin(
        &self,
        cells: &mut [i64],
        slot: usize,
        variant: usize,
        effort: &mut Effort,
    ) -> Faulty<()> {
        let of = &self.layout.slots[slot].variants[variant];
        let start = &self.model.template(of.template).start;
        if start.is_empty() {
            return Ok(());
        }
        let own = (slot, of.locals.as_slice());
        let values = &mut Vec::new();
        Runner { program: self, cells, own, received: None, timeout: false, effort, values }
            .run(start)
    }

    /// The channels that belong to the process in a slot, whatever its kind.
    fn owned(&self, slot: usize) -> impl Iterator<Item = usize> + use<'_> {
        let channels = self.model.channels.iter().enumerate();
        let of_slot = move |owner: Option<(SlotId, TemplateId)>| {
            owner.is_some_and(|(owner, _)| owner.index() == slot)
        };
        channels.filter(move |(_, channel)| of_slot(channel.owner)).map(|(at, _)| at)
    }
}

/// The value that a variable has when this one is assigned.
pub(crate) fn within(variable: &crate::variable::Variable, value: i64) -> Faulty<i64> {
    match convert(variable.range, variable.overflow, value) {
        Some(value) => Ok(value),
        None => Err(outside(value, &variable.name, variable.range, variable.overflow)),
    }
}

/// Result of assigning a value that is outside a range.
fn outside(value: i64, name: &str, range: Range, overflow: Overflow) -> Box<Fault> {
    let Range { low, high } = range;
    Box::new(match overflow {
        Overflow::Limit => Fault::limit(
            format!(
                "`{name}` would be {value}, and its limit is {high}: raise the limit where it is \
                 declared; in CSP#, `// capacity: N` does"
            ),
            None,
        ),
        Overflow::Fault | Overflow::Wrap => {
            Fault::error(format!("{value} is outside the range {low} to {high} of `{name}`"), None)
        }
    })
}
