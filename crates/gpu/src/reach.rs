//! Reachable states, breadth first, and shortest ways to them.
//!
//! New rows are appended to one list, so the states at one distance are a range of it. The list is cut into pieces, one
//! launch each; between two launches rows that were declined are expanded by the space, and it is asked whether to
//! stop. Where a table gets too full, it is made again from the list, larger, and the piece is repeated.
//!
//! No predecessors are kept. The way to a state is found backwards: of all states at the distance before, the first one
//! with a step to it.

use std::collections::BTreeMap;

use fairly_model::ModelSpace;
use fairly_omega::Stop;
use fairly_system::{ActionId, AtomIndex, EventKind, Fault, FaultKind, Scratch, Space, Steps};

use crate::card::{Buffer, Call, Card, CardError};
use crate::product::Tables;
use crate::source::{Part, Source};
use crate::{GpuError, Refusal};

/// How much may be explored.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Bytes on the card; all that is free if `None`.
    pub bytes: Option<u64>,
    /// States, about: a launch is finished.
    pub states: Option<u64>,
    /// When to stop; asked after each launch.
    pub stop: Stop,
    /// Learns how many states have been expanded.
    pub seen: Option<&'a dyn Fn(usize)>,
    /// The table has so many slots at first; a small one by default, which grows.
    pub slots: Option<u64>,
}

/// Condition on rows, such as that a state without steps is one in which something should not stop.
pub type IsWrong<'a> = dyn Fn(&[u64]) -> bool + 'a;

/// What is looked for.
#[derive(Clone, Copy, Default)]
pub struct Sought<'a> {
    /// Errors of the model.
    pub errors: bool,
    /// States without steps of which this is true.
    pub stuck: Option<&'a IsWrong<'a>>,
    /// Whether that may be true where all processes may stay.
    pub asks_ends: bool,
    /// States with a proposition.
    pub goal: Option<AtomIndex>,
}

/// A finite run by its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The rows, from an initial one on.
    pub rows: Vec<Box<[u64]>>,
    /// The actions between them.
    pub actions: Vec<ActionId>,
    /// The step behind the last row in which something goes wrong, if that was looked for; without an action if the
    /// initial state itself does.
    pub fault: Option<(Option<ActionId>, Fault)>,
}

/// End of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// What was looked for, nearest first.
    Found(Found),
    /// It is nowhere.
    Exhausted,
    /// So many states were expanded.
    States(u64),
    /// The card has no more room.
    Memory,
    /// The search was asked to stop.
    Stopped,
    /// Some step reached a limit of the tool.
    Limit(Fault),
}

/// Result of a search, and how large it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// What it came to.
    pub ended: Ended,
    /// States that were met.
    pub states: u64,
    /// Steps out of them.
    pub steps: u64,
    /// Steps in which something goes wrong.
    pub faults: u64,
    /// Rows that the card left to the space.
    pub declined: u64,
    /// Bytes that were taken on the card at the end.
    pub bytes: u64,
}

const ROWS: usize = 0;
const STEPS: usize = 1;
const REPORTS: usize = 2;
const FULL: usize = 3;
const CHANGED: usize = 4;
const LOST: usize = 6;
const STUCK: usize = 8;
pub(crate) const COUNTERS: usize = 16;

/// Rows of a launch, at the most.
const PIECE: u64 = 1 << 22;
/// Slots of the first table.
const SLOTS: u64 = 1 << 20;

/// A search on a card.
pub(crate) struct Search<'a> {
    pub(crate) card: &'a mut dyn Card,
    pub(crate) source: &'a Source,
    tables: Option<&'a Tables>,
    limits: Limits<'a>,
    pub(crate) table: Buffer,
    pub(crate) slots: u64,
    pub(crate) rows: Buffer,
    /// Rows that there is room for.
    capacity: u64,
    pub(crate) counters: Buffer,
    reports: Buffer,
    given: Option<(Buffer, u64)>,
    /// Where the rows of each distance begin; one more for the end.
    levels: Vec<u64>,
    /// Steps of rows that were declined, by row: the rows that they lead to.
    declined: BTreeMap<Box<[u64]>, Vec<Box<[u64]>>>,
    piece: u64,
    most_bytes: u64,
}

/// Why a search ends before its time.
enum Cut {
    Full,
    Failed(GpuError),
}

impl From<CardError> for Cut {
    fn from(error: CardError) -> Cut {
        Cut::Failed(error.into())
    }
}

/// Explores the rows of a space, which are those of a model, until what is looked for is found.
///
/// # Errors
/// When the model cannot be searched on a card, or the card fails.
pub fn reach(
    card: &mut dyn Card,
    space: &dyn Space,
    model: &ModelSpace,
    sought: &Sought<'_>,
    limits: Limits<'_>,
) -> Result<Reached, GpuError> {
    let mut propositions = Vec::new();
    if let Some(goal) = sought.goal {
        let expression = model.atom_expression(goal);
        let expression =
            expression.ok_or_else(|| Refusal::new("the goal asks whether the system is stuck"))?;
        propositions.push(expression);
    }
    let source = Source::new(model, &propositions, None)?;
    let mut first = Steps::default();
    let mut scratch = space.scratch();
    scratch.stop = limits.stop;
    space.initial(&mut scratch, &mut first);
    let nothing = |ended| Reached { ended, states: 0, steps: 0, faults: 1, declined: 0, bytes: 0 };
    if let Some((_, fault)) = first.faults.first() {
        return Ok(nothing(match (fault.kind, sought.errors) {
            (FaultKind::Limit, _) => Ended::Limit(fault.clone()),
            (FaultKind::Error, true) => Ended::Found(Found {
                rows: Vec::new(),
                actions: Vec::new(),
                fault: Some((None, fault.clone())),
            }),
            (FaultKind::Error, false) => Ended::Exhausted,
        }));
    }
    let mut search = Search::new(card, &source, None, limits, sought.goal.is_some())?;
    let reached = search.run(space, sought, &first.rows, &mut scratch);
    search.end();
    reached
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        card: &'a mut dyn Card,
        source: &'a Source,
        tables: Option<&'a Tables>,
        limits: Limits<'a>,
        has_goal: bool,
    ) -> Result<Search<'a>, GpuError> {
        let free = card.free_bytes() / 20 * 19;
        let most_bytes = limits.bytes.map_or(free, |bytes| bytes.min(free));
        card.compile(&source.text(Part::Reach, tables, has_goal), Part::Reach.kernels())?;
        let slots = limits.slots.unwrap_or(SLOTS).next_power_of_two().max(64);
        let width = source.words as u64;
        let capacity = slots / 4 * 3;
        let piece = PIECE.min(slots);
        let counters = card.allocate(COUNTERS as u64)?;
        let reports = card.allocate(2 * piece)?;
        let table = card.allocate(slots)?;
        let rows = card.allocate(capacity * width)?;
        Ok(Search {
            card,
            source,
            tables,
            limits,
            table,
            slots,
            rows,
            capacity,
            counters,
            reports,
            given: None,
            levels: vec![0],
            declined: BTreeMap::new(),
            piece,
            most_bytes,
        })
    }

    /// Gives all memory back.
    pub(crate) fn end(&mut self) {
        let given = self.given.take().map(|(buffer, _)| buffer);
        for buffer in [self.table, self.rows, self.counters, self.reports].into_iter().chain(given)
        {
            self.card.free(buffer);
        }
    }

    fn width(&self) -> usize {
        self.source.words
    }

    pub(crate) fn mask(&self) -> u64 {
        self.slots / 8 - 1
    }

    /// Bytes that are taken.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.slots + self.capacity * self.width() as u64 + 2 * self.piece)
    }

    pub(crate) fn call(&self) -> Call {
        let mut call = Call::default();
        call.buffers[0] = Some(self.table);
        call.buffers[1] = Some(self.rows);
        call.buffers[2] = Some(self.counters);
        call.buffers[3] = Some(self.reports);
        call.buffers[4] = self.given.map(|(buffer, _)| buffer);
        call.numbers[0] = self.mask();
        call.numbers[3] = self.capacity;
        call
    }

    pub(crate) fn read_counters(&mut self) -> Result<[u64; COUNTERS], CardError> {
        let mut counters = [0; COUNTERS];
        self.card.read(self.counters, 0, &mut counters)?;
        Ok(counters)
    }

    /// Makes the table and the list larger.
    fn grow(&mut self, rows: u64) -> Result<bool, GpuError> {
        let width = self.width() as u64;
        let (slots, piece) = (self.slots * 4, PIECE.min(self.slots * 4));
        let capacity = slots / 4 * 3;
        let more = 8 * (slots + (capacity + self.capacity) * width + 2 * piece);
        let (slots, capacity) = if more <= self.most_bytes {
            (slots, capacity)
        } else {
            // The last step is smaller, if there is one.
            let (slots, capacity) = (self.slots * 2, self.slots / 2 * 3);
            let more = 8 * (slots + (capacity + self.capacity) * width + 2 * piece);
            if more > self.most_bytes {
                return Ok(false);
            }
            (slots, capacity)
        };
        // The table is made again from the list, so there is no need for the old one meanwhile.
        self.card.free(self.table);
        self.card.free(self.reports);
        self.table = self.card.allocate(slots)?;
        self.reports = self.card.allocate(2 * piece)?;
        let list = self.card.allocate(capacity * width)?;
        self.card.copy(self.rows, list, rows * width)?;
        self.card.free(self.rows);
        (self.rows, self.capacity, self.slots, self.piece) = (list, capacity, slots, piece);
        let mut call = self.call();
        call.numbers[1] = rows;
        self.card.launch("rehash", rows, &call)?;
        Ok(true)
    }

    /// Runs a kernel of which the counters say afterwards whether there was room; if not, makes room and runs it again.
    fn launch(
        &mut self,
        kernel: &'static str,
        items: u64,
        set: impl Fn(&mut Call),
    ) -> Result<[u64; COUNTERS], Cut> {
        loop {
            let before = self.read_counters()?;
            let mut call = self.call();
            set(&mut call);
            self.card.launch(kernel, items, &call)?;
            let mut after = self.read_counters()?;
            if after[FULL] == 0 {
                return Ok(after);
            }
            // What is in the list stays, and the rest is found again.
            let rows = after[ROWS].min(self.capacity);
            after = before;
            (after[ROWS], after[FULL]) = (rows, 0);
            self.card.write(self.counters, 0, &after)?;
            if !self.grow(rows).map_err(Cut::Failed)? {
                return Err(Cut::Full);
            }
            let rehashed = self.read_counters()?;
            if rehashed[FULL] != 0 {
                return Err(Cut::Full);
            }
        }
    }

    /// Puts rows into the table.
    fn put(&mut self, rows: &[u64]) -> Result<(), Cut> {
        let words = rows.len() as u64;
        if self.given.is_none_or(|(_, room)| room < words) {
            if let Some((buffer, _)) = self.given.take() {
                self.card.free(buffer);
            }
            let room = words.max(1 << 12).next_power_of_two();
            self.given = Some((self.card.allocate(room)?, room));
        }
        let (buffer, _) = self.given.expect("it has just been made");
        self.card.write(buffer, 0, rows)?;
        let count = words / self.width() as u64;
        self.launch("insert", count, |call| {
            call.buffers[4] = Some(buffer);
            call.numbers[5] = count;
        })?;
        Ok(())
    }

    /// Expands everything from these rows on.
    pub(crate) fn run(
        &mut self,
        space: &dyn Space,
        sought: &Sought<'_>,
        first: &[u64],
        scratch: &mut Scratch,
    ) -> Result<Reached, GpuError> {
        let (mut faults, mut declined) = (0, 0);
        let mut extra = 0;
        let ended = match self.levels_from(
            space,
            sought,
            first,
            scratch,
            (&mut faults, &mut declined, &mut extra),
        ) {
            Ok(ended) => ended,
            Err(Cut::Full) => Ended::Memory,
            Err(Cut::Failed(GpuError::Card(CardError::Memory(_)))) => Ended::Memory,
            Err(Cut::Failed(error)) => return Err(error),
        };
        let counters = self.read_counters()?;
        if counters[LOST] != 0 {
            return Err(Refusal::new("a proposition cannot be evaluated in some state").into());
        }
        Ok(Reached {
            ended,
            states: counters[ROWS].min(self.capacity),
            steps: counters[STEPS] + extra,
            faults,
            declined,
            bytes: self.bytes(),
        })
    }

    fn levels_from(
        &mut self,
        space: &dyn Space,
        sought: &Sought<'_>,
        first: &[u64],
        scratch: &mut Scratch,
        (faults, declined, extra): (&mut u64, &mut u64, &mut u64),
    ) -> Result<Ended, Cut> {
        self.put(first)?;
        let mut lo = 0;
        let mut hi = self.read_counters()?[ROWS];
        while lo < hi {
            let level = self.levels.len() - 1;
            let mut at = lo;
            while at < hi {
                // The table stays half empty, as far as that is known before.
                let rows = self.read_counters()?[ROWS];
                if rows * 2 > self.slots {
                    self.grow(rows).map_err(Cut::Failed)?;
                }
                let end = hi.min(at + self.piece);
                let asked = match sought.stuck {
                    None => 0,
                    Some(_) if sought.asks_ends => 2,
                    Some(_) => 1,
                };
                let counters = self.launch("explore", end - at, |call| {
                    call.numbers[1] = at;
                    call.numbers[2] = end;
                    call.numbers[4] = asked;
                })?;
                at = end;
                if counters[REPORTS] > 0 {
                    let mut cleared = counters;
                    cleared[REPORTS] = 0;
                    self.card.write(self.counters, 0, &cleared)?;
                    let told = (&mut *faults, &mut *declined, &mut *extra);
                    let ended =
                        self.reported(counters[REPORTS], level, space, sought, scratch, told)?;
                    if let Some(ended) = ended {
                        return Ok(ended);
                    }
                }
                if let Some(seen) = self.limits.seen {
                    seen(usize::try_from(at).unwrap_or(usize::MAX));
                }
                if self.limits.stop.is_due() {
                    return Ok(Ended::Stopped);
                }
                if let Some(most) = self.limits.states.filter(|&most| at > most) {
                    return Ok(Ended::States(most));
                }
            }
            self.levels.push(hi);
            lo = hi;
            hi = self.read_counters()?[ROWS];
        }
        Ok(Ended::Exhausted)
    }

    /// Deals with what a launch has reported of rows.
    fn reported(
        &mut self,
        count: u64,
        level: usize,
        space: &dyn Space,
        sought: &Sought<'_>,
        scratch: &mut Scratch,
        (faults, declined, extra): (&mut u64, &mut u64, &mut u64),
    ) -> Result<Option<Ended>, Cut> {
        let width = self.width();
        /// Reports that are read at once.
        const AT_ONCE: u64 = 1 << 16;
        let mut next = Vec::new();
        let mut limit = None;
        let mut from = 0;
        while from < count {
            let many = AT_ONCE.min(count - from);
            let mut reports = vec![0; usize::try_from(many).expect("few")];
            self.card.read(self.reports, from, &mut reports)?;
            let buffer = self.card.allocate(many * width as u64)?;
            let mut call = self.call();
            call.buffers[4] = Some(buffer);
            (call.numbers[4], call.numbers[5]) = (from, many);
            self.card.launch("gather", many, &call)?;
            let mut rows = vec![0; reports.len() * width];
            self.card.read(buffer, 0, &mut rows)?;
            self.card.free(buffer);
            from += many;
            // In the order of the rows, whatever the threads did.
            let mut sorted: Vec<(u64, &[u64])> =
                reports.iter().copied().zip(rows.chunks_exact(width)).collect();
            sorted.sort_unstable();
            for (report, row) in sorted {
                match report & 3 {
                    1 => {
                        if sought.stuck.is_some_and(|is_wrong| is_wrong(row)) {
                            return Ok(Some(Ended::Found(self.way(row, level, space, scratch)?)));
                        }
                    }
                    2 => {
                        if sought.goal.is_some_and(|goal| space.holds(row, goal, scratch)) {
                            return Ok(Some(Ended::Found(self.way(row, level, space, scratch)?)));
                        }
                    }
                    _ => {
                        if self.tables.is_some() {
                            let why = "something goes wrong in some state, or its steps cannot be written";
                            return Err(Cut::Failed(Refusal::new(why).into()));
                        }
                        *declined += 1;
                        let mut steps = Steps::default();
                        space.expand(row, scratch, &mut steps);
                        for (at, fault) in &steps.faults {
                            *faults += 1;
                            match fault.kind {
                                FaultKind::Limit => limit = limit.or_else(|| Some(fault.clone())),
                                FaultKind::Error if sought.errors => {
                                    let mut found = self.way(row, level, space, scratch)?;
                                    let action = steps.actions[*at];
                                    found.fault = Some((Some(action), fault.clone()));
                                    return Ok(Some(Ended::Found(found)));
                                }
                                FaultKind::Error => {}
                            }
                        }
                        if steps.actions.is_empty()
                            && steps.omitted.is_empty()
                            && sought.stuck.is_some_and(|is_wrong| is_wrong(row))
                        {
                            return Ok(Some(Ended::Found(self.way(row, level, space, scratch)?)));
                        }
                        *extra += steps.actions.len() as u64;
                        let mut targets = Vec::new();
                        for (at, target) in steps.rows.chunks_exact(width).enumerate() {
                            if steps.fault(at).is_none() {
                                next.extend_from_slice(target);
                                targets.push(target.into());
                            }
                        }
                        self.declined.insert(row.into(), targets);
                    }
                }
            }
        }
        if !next.is_empty() {
            self.put(&next)?;
        }
        if let Some(fault) = limit {
            return Ok(Some(Ended::Limit(fault)));
        }
        Ok(None)
    }

    /// A shortest way to a row at a distance.
    fn way(
        &mut self,
        row: &[u64],
        level: usize,
        space: &dyn Space,
        scratch: &mut Scratch,
    ) -> Result<Found, Cut> {
        let width = self.width();
        let mut rows: Vec<Box<[u64]>> = vec![row.into()];
        if level > 0 {
            self.card
                .compile(&self.source.text(Part::Way, self.tables, false), Part::Way.kernels())?;
        }
        let buffer = self.card.allocate(width as u64)?;
        for at in (0..level).rev() {
            let (lo, hi) = (self.levels[at], self.levels[at + 1]);
            let target = rows.last().expect("there is one").clone();
            let mut counters = self.read_counters()?;
            counters[CHANGED] = u64::MAX;
            self.card.write(self.counters, 0, &counters)?;
            self.card.write(buffer, 0, &target)?;
            let mut call = self.call();
            call.buffers[4] = Some(buffer);
            (call.numbers[1], call.numbers[2]) = (lo, hi);
            self.card.launch("before", hi - lo, &call)?;
            let place = self.read_counters()?[CHANGED];
            let before: Box<[u64]> = if place == u64::MAX {
                // Only a row that was declined.
                let mut declined = self.declined.iter();
                match declined.find(|(_, targets)| targets.contains(&target)) {
                    Some((row, _)) => row.clone(),
                    None => {
                        let failed = CardError::Failed("a state has no predecessor".to_owned());
                        return Err(failed.into());
                    }
                }
            } else {
                let mut before = vec![0; width];
                self.card.read(self.rows, place * width as u64, &mut before)?;
                before.into()
            };
            rows.push(before);
        }
        self.card.free(buffer);
        rows.reverse();
        let mut actions = Vec::new();
        for pair in rows.windows(2) {
            let mut steps = Steps::default();
            space.expand(&pair[0], scratch, &mut steps);
            let mut targets = steps.rows.chunks_exact(width).enumerate();
            let step =
                targets.position(|(at, target)| *target == *pair[1] && steps.fault(at).is_none());
            let Some(step) = step else {
                let failed = "a step that the card made is none of the model";
                return Err(CardError::Failed(failed.to_owned()).into());
            };
            actions.push(steps.actions[step]);
        }
        let signature = space.signature();
        let kind = |&action: &ActionId| signature.event_kind(signature.action(action).event);
        if actions.last().map(kind) == Some(EventKind::Termination) {
            let why = "a process that has ended leads to a state in which others are stuck";
            return Err(Cut::Failed(Refusal::new(why).into()));
        }
        Ok(Found { rows, actions, fault: None })
    }

    /// States without steps that were met.
    pub(crate) fn stuck(&mut self) -> Result<u64, CardError> {
        Ok(self.read_counters()?[STUCK])
    }
}
