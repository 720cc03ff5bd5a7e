//! Steps of a state: the functions of all its processes, then what comes of their offers.

use fairly_model::native::{Native, Part, Rows};
use fairly_model::{Communication, Expr, Pattern, Template};
use std::cell::RefCell;
use std::collections::HashMap;

use crate::emit::{Purpose, Status};
use crate::machine::{Code, Found, Machine};
use crate::plan::{Plan, Role};

/// A model as machine code. What of it a search does not come to is not compiled.
pub struct Compiled {
    plan: Plan,
    inner: RefCell<Inner>,
    /// How many states were declined, and how many were not.
    counts: [u64; 2],
}

/// What changes while code runs.
struct Inner {
    machine: Machine,
    /// By slot and variant: the functions, each for some locations.
    chunks: Vec<Vec<Vec<Chunk>>>,
    /// All slots in order, those that one function is enough for together; once it is needed.
    groups: Option<Vec<Group>>,
    /// By slot, variant and location: whether the process can move in any case.
    always: Vec<Vec<Vec<bool>>>,
    /// By edge: what it does after its communication.
    effects: HashMap<u32, Option<Code>>,
    guards: HashMap<u32, Option<Code>>,
    propositions: Vec<Option<Option<Code>>>,
    message: Vec<i64>,
    /// By meeting: the round in which it was dealt with.
    met: Vec<u64>,
    round: u64,
}

/// Slots whose steps are looked for together.
#[derive(Clone, Debug)]
enum Group {
    /// Processes that are always there, by one function.
    Together(Code),
    /// A process by whichever function it needs.
    Single(usize),
}

/// The functions for some locations of a process.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    end: usize,
    steps: Option<Option<Code>>,
    probe: Option<Option<Code>>,
}

/// So many edges are put into one function. The time to compile one grows faster than its length.
const EDGES: usize = 120;
/// More ways to take an event together in a state are left to the interpreter.
const WAYS: usize = 4096;

impl Compiled {
    /// Prepares to compile the model of an interpreter. `None` if no code can be made on this machine,
    /// or the model is one that is unfolded while it is explored.
    ///
    /// With `sequences`, a process that holds goes on in the same step as long as it can do nothing
    /// else: for whoever passes through such states anyway.
    pub fn new(interpreter: &fairly_model::Interpreter, sequences: bool) -> Option<Compiled> {
        let mut plan = Plan::new(interpreter)?;
        plan.sequences = sequences && plan.layout.holder.is_some();
        Compiled::of(plan)
    }

    fn of(plan: Plan) -> Option<Compiled> {
        let machine = Machine::new(&plan)?;
        let (mut chunks, mut always) = (Vec::new(), Vec::new());
        for (slot, of) in plan.layout.slots.iter().enumerate() {
            let variants = 0..of.variants.len();
            let moves = |variant: usize| -> Vec<bool> {
                let locations = 0..plan.locations(slot, variant);
                locations.map(|at| plan.always_moves(slot, variant, at)).collect()
            };
            always.push(variants.clone().map(moves).collect());
            chunks.push(variants.map(|variant| chunks_of(&plan, slot, variant)).collect());
        }
        let inner = Inner {
            machine,
            groups: None,
            always,
            chunks,
            effects: HashMap::new(),
            guards: HashMap::new(),
            propositions: Vec::new(),
            message: vec![0; plan.cells],
            met: vec![0; plan.meetings.len()],
            round: 0,
        };
        let inner = RefCell::new(inner);
        Some(Compiled { plan, inner, counts: [0; 2] })
    }
}

fn chunks_of(plan: &Plan, slot: usize, variant: usize) -> Vec<Chunk> {
    let locations = plan.locations(slot, variant);
    let mut chunks = Vec::new();
    let mut edges = 0;
    for location in 0..locations {
        edges += plan.edges(slot, variant, location).len();
        if edges > EDGES || location + 1 == locations {
            chunks.push(Chunk { end: location + 1, steps: None, probe: None });
            edges = 0;
        }
    }
    chunks
}

impl Inner {
    /// The function for the process in a slot where it is.
    fn code(
        &mut self,
        plan: &Plan,
        (slot, variant): (usize, usize),
        words: &[u64],
        probe: bool,
    ) -> Option<Code> {
        let chunks = &mut self.chunks[slot][variant];
        let at = if chunks.len() == 1 {
            0
        } else {
            let strip = plan.layout.slots[slot].location;
            let location = usize::try_from(strip.get(words, 0)).unwrap_or(0);
            chunks.partition_point(|chunk| chunk.end <= location)
        };
        let start = if at == 0 { 0 } else { chunks[at - 1].end };
        let chunk = &mut chunks[at];
        let known = if probe { &mut chunk.probe } else { &mut chunk.steps };
        if let Some(known) = known {
            return *known;
        }
        let locations = start..chunk.end;
        let purpose = match probe {
            true => Purpose::Probe { slot, variant, locations },
            false => Purpose::Steps { slot, variant, locations },
        };
        let made = self.machine.compile(plan, &[purpose]).map(|codes| codes[0]);
        *known = Some(made);
        made
    }

    /// Puts slots into groups: as many neighbours as fit into one function.
    fn groups(&mut self, plan: &Plan) -> Vec<Group> {
        let mut groups = Vec::new();
        let mut slot = 0;
        while slot < plan.layout.slots.len() {
            let (first, mut edges) = (slot, 0);
            while slot < plan.layout.slots.len() {
                let of = &plan.layout.slots[slot];
                let is_fixed = of.kind.width == 0 && of.variants.len() == 1;
                if !is_fixed || self.chunks[slot][0].len() > 1 {
                    break;
                }
                let locations = 0..plan.locations(slot, 0);
                edges += locations.map(|at| plan.edges(slot, 0, at).len()).sum::<usize>();
                if edges > EDGES && slot > first {
                    break;
                }
                slot += 1;
            }
            if slot == first {
                groups.push(Group::Single(slot));
                slot += 1;
                continue;
            }
            match self.machine.compile(plan, &[Purpose::Together { slots: first..slot }]) {
                Some(codes) => groups.push(Group::Together(codes[0])),
                None => groups.extend((first..slot).map(Group::Single)),
            }
        }
        groups
    }

    /// Calls the functions of all slots.
    fn all(&mut self, plan: &Plan, words: &[u64]) -> i64 {
        let groups = match self.groups.take() {
            Some(groups) => groups,
            None => self.groups(plan),
        };
        let mut status = Status::DONE;
        for group in &groups {
            status = match *group {
                Group::Together(code) => self.machine.call(code, words),
                Group::Single(slot) => self.slot(plan, slot, words),
            };
            if status != Status::DONE {
                break;
            }
        }
        self.groups = Some(groups);
        status
    }

    /// Calls the function of a slot; what it finds is added.
    fn slot(&mut self, plan: &Plan, slot: usize, words: &[u64]) -> i64 {
        let kind = plan.layout.slots[slot].kind.get(words, 0);
        let Ok(variant) = usize::try_from(kind - 1) else { return Status::DONE };
        match self.code(plan, (slot, variant), words, false) {
            Some(code) => self.machine.call(code, words),
            None => Status::DECLINED,
        }
    }

    fn effect(&mut self, plan: &Plan, edge: u32) -> Option<Code> {
        let machine = &mut self.machine;
        *self.effects.entry(edge).or_insert_with(|| {
            machine.compile(plan, &[Purpose::Effect { edge }]).map(|codes| codes[0])
        })
    }

    fn guard(&mut self, plan: &Plan, edge: u32) -> Option<Code> {
        let machine = &mut self.machine;
        *self.guards.entry(edge).or_insert_with(|| {
            machine.compile(plan, &[Purpose::Guard { edge }]).map(|codes| codes[0])
        })
    }

    /// Whether a process receives a message that another sends; `None` if that is not known.
    fn receives(
        &mut self,
        plan: &Plan,
        words: &[u64],
        timeout: bool,
        (sender, receiver): (usize, usize),
    ) -> Option<bool> {
        let (_, sent, message) = self.machine.offer(sender);
        let (edge, received, wanted) = self.machine.offer(receiver);
        let Communication::Receive { pattern, .. } = &plan.edge(edge).communication else {
            return Some(false);
        };
        if sent != received {
            return Some(false);
        }
        let mut cells = pattern.iter().zip(wanted).zip(message);
        if !cells.all(|((cell, value), found)| *cell == Pattern::Any || value == found) {
            return Some(false);
        }
        if !plan.edge(edge).guard.reads_received() {
            return Some(true);
        }
        self.message.copy_from_slice(message);
        let guard = self.guard(plan, edge)?;
        let mut words = words.to_vec();
        match self.machine.apply(guard, &mut words, &self.message, timeout) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            _ => None,
        }
    }
}

impl Compiled {
    /// Finds everything that happens in a state; `None` if that is left to the interpreter.
    fn find(&mut self, words: &[u64], out: &mut Rows) -> Option<()> {
        let holder = self.plan.layout.holder.map_or(-1, |strip| strip.get(words, 0));
        for timeout in [false, true] {
            let done = self.find_with(words, timeout, holder, out)?;
            if done || !self.plan.waits {
                break;
            }
        }
        // A process that holds can go on.
        (holder < 0 || !out.commands.is_empty()).then_some(())
    }

    /// As [`find`](Compiled::find), with this value of a timeout; whether anything was found.
    fn find_with(
        &mut self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        out: &mut Rows,
    ) -> Option<bool> {
        let found = loop {
            match self.collect(words, timeout, holder) {
                Status::DONE => break self.inner.get_mut().machine.found(),
                Status::FULL => self.inner.get_mut().machine.grow(),
                _ => return None,
            }
        };
        let first = out.commands.len();
        let inner = self.inner.get_mut();
        let (commands, rows) = inner.machine.steps(found);
        out.commands.extend_from_slice(commands);
        out.words.extend_from_slice(rows);
        if found.offers > 0 {
            self.join(words, timeout, holder, found, out)?;
        }
        if self.plan.layout.holder.is_some() {
            self.release(out, first)?;
        }
        Some(out.commands.len() > first)
    }

    /// Calls the functions of all processes that may move.
    fn collect(&mut self, words: &[u64], timeout: bool, holder: i64) -> i64 {
        let Compiled { plan, inner, .. } = self;
        let inner = inner.get_mut();
        inner.machine.begin(timeout);
        let slots = plan.layout.slots.len();
        let Ok(holder) = usize::try_from(holder) else { return inner.all(plan, words) };
        let status = inner.slot(plan, holder, words);
        let found = inner.machine.found();
        if status != Status::DONE || found.offers == 0 {
            return status;
        }
        // It may send to someone: what others would do alone does not count.
        for slot in (0..slots).filter(|&slot| slot != holder) {
            let status = inner.slot(plan, slot, words);
            if status != Status::DONE {
                return status;
            }
            inner.machine.keep(found.steps);
        }
        Status::DONE
    }

    /// Puts offers together.
    fn join(
        &mut self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        found: Found,
        out: &mut Rows,
    ) -> Option<()> {
        self.inner.get_mut().round += 1;
        for at in 0..found.offers {
            let (edge, channel, _) = self.inner.get_mut().machine.offer(at);
            let place = self.plan.places[edge as usize];
            match (&self.plan.edge(edge).communication, place.role) {
                (Communication::Send { .. }, _) if channel >= 0 => {
                    if holder < 0 || holder == i64::from(place.part.slot) {
                        self.meet(words, timeout, at, found, out)?;
                    }
                }
                (Communication::Receive { .. }, _) if channel >= 0 => {}
                (_, Role::Gathered(meeting)) => {
                    self.gather((words, timeout, holder), meeting as usize, found, out)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// All ways to receive what an offer sends.
    fn meet(
        &mut self,
        words: &[u64],
        timeout: bool,
        sender: usize,
        found: Found,
        out: &mut Rows,
    ) -> Option<()> {
        let mut receivers: Vec<(usize, u32)> = Vec::new();
        for at in 0..found.offers {
            let Compiled { plan, inner, .. } = self;
            let inner = inner.get_mut();
            let slot = |at: usize| plan.places[inner.machine.offer(at).0 as usize].part.slot;
            if slot(at) != slot(sender) && inner.receives(plan, words, timeout, (sender, at))? {
                receivers.push((at, inner.machine.offer(at).0));
            }
        }
        for &(_, edge) in &receivers {
            // Of the ways in which one process can receive this message, those of smallest rank.
            let of =
                |edge: u32| (self.plan.places[edge as usize].part.slot, self.plan.edge(edge).rank);
            let first =
                |&(_, other): &(usize, u32)| of(other).0 != of(edge).0 || of(other).1 >= of(edge).1;
            if !receivers.iter().all(first) {
                continue;
            }
            let (from, _, message) = self.inner.get_mut().machine.offer(sender);
            let message = message.to_vec();
            self.inner.get_mut().message.copy_from_slice(&message);
            self.take(words, timeout, &[from, edge], out)?;
        }
        Some(())
    }

    /// All ways to take an event together.
    fn gather(
        &mut self,
        (words, timeout, holder): (&[u64], bool, i64),
        meeting: usize,
        found: Found,
        out: &mut Rows,
    ) -> Option<()> {
        let inner = self.inner.get_mut();
        if std::mem::replace(&mut inner.met[meeting], inner.round) == inner.round {
            return Some(());
        }
        let mut offers: Vec<(usize, u32)> = Vec::new();
        for at in 0..found.offers {
            let (edge, channel, _) = inner.machine.offer(at);
            let place = &self.plan.places[edge as usize];
            // An edge that sends or receives in a rendezvous is not gathered.
            if channel < 0 && place.role == Role::Gathered(meeting as u32) {
                offers.push((place.part.slot as usize, edge));
            }
        }
        for alternative in 0..self.plan.meetings[meeting].alternatives.len() {
            let slots = &self.plan.meetings[meeting].alternatives[alternative];
            if usize::try_from(holder).is_ok_and(|holder| !slots.contains(&holder)) {
                continue;
            }
            let of = |slot: &usize| -> Vec<u32> {
                offers.iter().filter(|(other, _)| other == slot).map(|&(_, edge)| edge).collect()
            };
            let choices: Vec<Vec<u32>> = slots.iter().map(of).collect();
            let ways = choices.iter().map(Vec::len).fold(1, usize::saturating_mul);
            if ways > WAYS {
                return None;
            }
            if ways == 0 || slots.is_empty() {
                continue;
            }
            // An odometer over one edge a slot.
            let mut wheel = vec![0; choices.len()];
            loop {
                let edges: Vec<u32> =
                    wheel.iter().zip(&choices).map(|(&at, edges)| edges[at]).collect();
                self.take(words, timeout, &edges, out)?;
                let turn = (0..wheel.len()).rev().find(|&at| wheel[at] + 1 < choices[at].len());
                let Some(turn) = turn else { break };
                wheel[turn] += 1;
                wheel[turn + 1..].fill(0);
            }
        }
        Some(())
    }

    /// Appends the step in which these edges are taken one after the other.
    fn take(&mut self, words: &[u64], timeout: bool, edges: &[u32], out: &mut Rows) -> Option<()> {
        let Compiled { plan, inner, .. } = self;
        let inner = inner.get_mut();
        let first = out.words.len();
        out.words.extend_from_slice(words);
        let row = &mut out.words[first..];
        inner.machine.reset_scratch();
        for &edge in edges {
            let effect = inner.effect(plan, edge)?;
            let message = std::mem::take(&mut inner.message);
            let status = inner.machine.apply(effect, row, &message, timeout);
            inner.message = message;
            if status != Status::DONE {
                return None;
            }
        }
        inner.machine.reset_scratch();
        let last = *edges.last()?;
        let slot = i64::from(plan.places[last as usize].part.slot);
        if let Some(strip) = plan.layout.holder {
            strip.set(row, 0, if plan.edge(last).hold { slot } else { -1 });
        }
        if let Some(strip) = plan.layout.last_mover {
            strip.set(row, 0, slot);
        }
        let command = inner.machine.names.several(edges);
        out.commands.push(command);
        Some(())
    }

    /// Takes the privilege away from processes that cannot use it.
    fn release(&mut self, out: &mut Rows, first: usize) -> Option<()> {
        let strip = self.plan.layout.holder?;
        let width = self.plan.layout.words;
        for at in first..out.commands.len() {
            let row = &out.words[at * width..][..width];
            let Ok(holder) = usize::try_from(strip.get(row, 0)) else { continue };
            if !self.can_move(row, holder)? {
                strip.set(&mut out.words[at * width..][..width], 0, -1);
            }
        }
        Some(())
    }

    /// Whether a process can take a step without a timeout; `None` if that is not known.
    fn can_move(&mut self, words: &[u64], slot: usize) -> Option<bool> {
        let Compiled { plan, inner, .. } = self;
        let inner = inner.get_mut();
        let of = &plan.layout.slots[slot];
        let Ok(variant) = usize::try_from(of.kind.get(words, 0) - 1) else { return Some(false) };
        let location = usize::try_from(of.location.get(words, 0)).ok()?;
        if inner.always[slot][variant][location] {
            return Some(true);
        }
        let code = inner.code(plan, (slot, variant), words, true)?;
        inner.machine.begin(false);
        match inner.machine.call(code, words) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            // Only if another joins in: as if it were the holder already.
            Status::TOGETHER => {
                let mut steps = Rows::default();
                let holder = i64::try_from(slot).ok()?;
                let found = loop {
                    match self.collect(words, false, holder) {
                        Status::DONE => break self.inner.get_mut().machine.found(),
                        Status::FULL => self.inner.get_mut().machine.grow(),
                        _ => return None,
                    }
                };
                if found.steps > 0 {
                    return Some(true);
                }
                self.join(words, false, holder, found, &mut steps)?;
                Some(!steps.commands.is_empty())
            }
            _ => None,
        }
    }
}

impl Native for Compiled {
    fn steps(&mut self, words: &[u64], out: &mut Rows) -> bool {
        let done = self.find(words, out).is_some();
        self.counts[usize::from(done)] += 1;
        done
    }

    fn with(&self, templates: &[Template]) -> Option<Box<dyn Native>> {
        let mut plan = self.plan.clone();
        plan.model.templates = templates.to_vec();
        Compiled::of(plan).map(|compiled| Box::new(compiled) as Box<dyn Native>)
    }

    fn counts(&self) -> (u64, u64) {
        (self.counts[0], self.counts[1])
    }

    fn parts(&self, command: u32) -> Vec<Part> {
        self.inner.borrow().machine.names.parts(command).to_vec()
    }

    fn holds(&self, words: &[u64], at: usize, proposition: &Expr) -> Option<bool> {
        let inner = &mut *self.inner.borrow_mut();
        if inner.propositions.len() <= at {
            inner.propositions.resize(at + 1, None);
        }
        let code = match inner.propositions[at] {
            Some(known) => known,
            None => {
                // Whether something waits for a timeout would have to be found out first.
                let waits = proposition.any(&mut |expr| matches!(expr, Expr::Timeout));
                let purposes = [Purpose::Proposition { expr: proposition }];
                let made = if waits { None } else { inner.machine.compile(&self.plan, &purposes) };
                let made = made.map(|codes| codes[0]);
                inner.propositions[at] = Some(made);
                made
            }
        };
        inner.machine.begin(false);
        match inner.machine.call(code?, words) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            _ => None,
        }
    }
}
