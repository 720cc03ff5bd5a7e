//! Steps of a state: the functions of all its processes, then what comes of their offers.

use fairly_model::native::{Native, Part, Rows, Stop};
use fairly_model::{Communication, Expr, Pattern, Template};
use std::cell::RefCell;
use std::collections::HashMap;

use crate::emit::{Purpose, Status};
use crate::machine::{Code, Machine};
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
    /// Those of all groups, if each has one.
    functions: Option<Vec<Code>>,
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
    /// Processes by one function.
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
/// Slots in which processes come and go get functions of their own, for each that is met there, if
/// there are more edges in all of them.
const OPEN_EDGES: usize = 600;
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
            functions: None,
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
        let slots = &plan.layout.slots;
        let edges_of = |slot: usize| -> usize {
            let variants = 0..slots[slot].variants.len();
            let places = variants.flat_map(|variant| {
                let locations = 0..plan.locations(slot, variant);
                locations.map(move |at| (variant, at))
            });
            places.map(|(variant, at)| plan.edges(slot, variant, at).len()).sum()
        };
        // Code for processes that never come is not worth it if there is much of that.
        let open: Vec<usize> = (0..slots.len()).filter(|&slot| !slots[slot].is_fixed()).collect();
        let few = open.into_iter().map(edges_of).sum::<usize>() <= OPEN_EDGES;
        let mut groups = Vec::new();
        let mut slot = 0;
        while slot < slots.len() {
            let (first, mut edges) = (slot, 0);
            while slot < slots.len() {
                let is_chunked = self.chunks[slot].iter().any(|chunks| chunks.len() > 1);
                if is_chunked || !few && !slots[slot].is_fixed() {
                    break;
                }
                edges += edges_of(slot);
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

    /// The functions of all slots, if these are such that what each does is known before.
    fn functions(&mut self, plan: &Plan) -> Option<&[Code]> {
        if self.groups.is_none() {
            let groups = self.groups(plan);
            self.functions = groups
                .iter()
                .map(|group| match group {
                    Group::Together(code) => Some(*code),
                    Group::Single(_) => None,
                })
                .collect();
            self.groups = Some(groups);
        }
        self.functions.as_deref()
    }

    /// Calls the functions of all slots.
    fn all(&mut self, plan: &Plan, words: &[u64], out: &mut Rows) -> i64 {
        self.functions(plan);
        let groups = self.groups.take().unwrap_or_default();
        let mut status = Status::DONE;
        for group in &groups {
            status = match *group {
                Group::Together(code) => self.machine.call(code, words, out),
                Group::Single(slot) => self.slot(plan, slot, words, out),
            };
            if status != Status::DONE {
                break;
            }
        }
        self.groups = Some(groups);
        status
    }

    /// Calls the function of a slot; what it finds is added.
    fn slot(&mut self, plan: &Plan, slot: usize, words: &[u64], out: &mut Rows) -> i64 {
        let kind = plan.layout.slots[slot].kind.get(words, 0);
        let Ok(variant) = usize::try_from(kind - 1) else { return Status::DONE };
        match self.code(plan, (slot, variant), words, false) {
            Some(code) => self.machine.call(code, words, out),
            None => Status::DECLINED,
        }
    }

    /// Calls the function of the process that holds, and those of others if it offers something.
    fn others(&mut self, plan: &Plan, holder: usize, words: &[u64], out: &mut Rows) -> i64 {
        let status = self.slot(plan, holder, words, out);
        if status != Status::DONE || self.machine.offers_made() == 0 {
            return status;
        }
        // It may send to someone: what others would do alone does not count.
        let own = out.commands.len();
        for slot in (0..plan.layout.slots.len()).filter(|&slot| slot != holder) {
            let status = self.slot(plan, slot, words, out);
            if status != Status::DONE {
                return status;
            }
            out.commands.truncate(own);
            out.words.truncate(own * plan.layout.words);
        }
        Status::DONE
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
    /// Appends everything that happens in a state; `None` if that is left to the interpreter.
    fn find(&mut self, words: &[u64], out: &mut Rows) -> Option<()> {
        let holder = self.plan.layout.holder.map_or(-1, |strip| strip.get(words, 0));
        let first = out.commands.len();
        for timeout in [false, true] {
            self.find_with(words, timeout, holder, out)?;
            if out.commands.len() > first || !self.plan.waits {
                break;
            }
        }
        // A process that holds can go on.
        (holder < 0 || out.commands.len() > first).then_some(())
    }

    /// As [`find`](Compiled::find), with this value of a timeout.
    fn find_with(
        &mut self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        out: &mut Rows,
    ) -> Option<()> {
        let first = out.commands.len();
        self.collect(words, timeout, holder, out)?;
        if self.inner.get_mut().machine.offers_made() > 0 {
            self.join(words, timeout, holder, out)?;
        }
        if self.plan.layout.holder.is_some() {
            self.release(out, first)?;
        }
        Some(())
    }

    /// Calls the functions of all processes that may move.
    fn collect(&mut self, words: &[u64], timeout: bool, holder: i64, out: &mut Rows) -> Option<()> {
        let first = out.commands.len();
        loop {
            let inner = self.inner.get_mut();
            inner.machine.begin(timeout);
            let status = match usize::try_from(holder) {
                Ok(holder) => inner.others(&self.plan, holder, words, out),
                Err(_) => inner.all(&self.plan, words, out),
            };
            match status {
                Status::DONE => return Some(()),
                Status::FULL => {
                    out.commands.truncate(first);
                    out.words.truncate(first * self.plan.layout.words);
                    inner.machine.grow(out);
                }
                _ => return None,
            }
        }
    }

    /// Puts offers together.
    fn join(&mut self, words: &[u64], timeout: bool, holder: i64, out: &mut Rows) -> Option<()> {
        self.inner.get_mut().round += 1;
        let offers = self.inner.get_mut().machine.offers_made();
        for at in 0..offers {
            let (edge, channel, _) = self.inner.get_mut().machine.offer(at);
            let place = self.plan.places[edge as usize];
            match (&self.plan.edge(edge).communication, place.role) {
                (Communication::Send { .. }, _) if channel >= 0 => {
                    if holder < 0 || holder == i64::from(place.part.slot) {
                        self.meet(words, timeout, (at, offers), out)?;
                    }
                }
                (Communication::Receive { .. }, _) if channel >= 0 => {}
                (_, Role::Gathered(meeting)) => {
                    self.gather((words, timeout, holder), meeting as usize, offers, out)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// All ways to receive what an offer sends, among so many.
    fn meet(
        &mut self,
        words: &[u64],
        timeout: bool,
        (sender, offers): (usize, usize),
        out: &mut Rows,
    ) -> Option<()> {
        let mut receivers: Vec<(usize, u32)> = Vec::new();
        for at in 0..offers {
            let Compiled { plan, inner, .. } = self;
            let inner = inner.get_mut();
            // Most are about other channels.
            if inner.machine.channel(at) != inner.machine.channel(sender) {
                continue;
            }
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
        offered: usize,
        out: &mut Rows,
    ) -> Option<()> {
        let inner = self.inner.get_mut();
        if std::mem::replace(&mut inner.met[meeting], inner.round) == inner.round {
            return Some(());
        }
        let mut offers: Vec<(usize, u32)> = Vec::new();
        for at in 0..offered {
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

    /// As [`find`](Compiled::find), of states in a row, up to one that asks for more than calling
    /// functions; how many.
    fn find_all(&mut self, states: &[u64], out: &mut Rows) -> usize {
        let Compiled { plan, inner, .. } = self;
        let Inner { machine, groups, functions, .. } = inner.get_mut();
        let (Some(_), Some(codes)) = (groups, functions) else { return 0 };
        let width = plan.layout.words;
        let mut rows = states.chunks_exact(width);
        let free = match plan.layout.holder {
            None => rows.len(),
            Some(_) => {
                rows.position(|row| plan.layout.is_held(row)).unwrap_or(states.len() / width)
            }
        };
        let (first, ends) = (out.commands.len(), out.ends.len());
        machine.begin(false);
        let done = machine.call_for_all(codes, &states[..free * width], plan.waits, out);
        if plan.layout.holder.is_some() && self.release(out, first).is_none() {
            out.commands.truncate(first);
            out.words.truncate(first * width);
            out.ends.truncate(ends);
            return 0;
        }
        done
    }

    /// Takes the privilege away from processes that cannot use it.
    fn release(&mut self, out: &mut Rows, first: usize) -> Option<()> {
        let strip = self.plan.layout.holder?;
        let width = self.plan.layout.words;
        let mut at = first;
        loop {
            let layout = &self.plan.layout;
            let mut rows = out.words[at * width..].chunks_exact(width);
            let Some(held) = rows.position(|row| layout.is_held(row)) else { return Some(()) };
            at += held;
            let row = &out.words[at * width..][..width];
            let holder = usize::try_from(strip.get(row, 0)).ok()?;
            if !self.can_move(row, holder)? {
                strip.set(&mut out.words[at * width..][..width], 0, -1);
            }
            at += 1;
        }
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
        let mut steps = Rows::default();
        match inner.machine.call(code, words, &mut steps) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            // Only if another joins in: as if it were the holder already.
            Status::TOGETHER => {
                let holder = i64::try_from(slot).ok()?;
                self.collect(words, false, holder, &mut steps)?;
                if !steps.commands.is_empty() {
                    return Some(true);
                }
                self.join(words, false, holder, &mut steps)?;
                Some(!steps.commands.is_empty())
            }
            _ => None,
        }
    }
}

impl Native for Compiled {
    fn heed(&mut self, stop: Stop) {
        self.inner.borrow_mut().machine.heed(stop);
    }

    fn steps(&mut self, states: &[u64], out: &mut Rows) -> usize {
        let width = self.plan.layout.words;
        let mut done = 0;
        loop {
            done += self.find_all(&states[done * width..], out);
            let Some(words) = states.get(done * width..(done + 1) * width) else { break };
            let before = out.commands.len();
            if self.find(words, out).is_none() {
                out.commands.truncate(before);
                out.words.truncate(before * width);
                self.counts[0] += 1;
                break;
            }
            out.ends.push(out.commands.len());
            done += 1;
        }
        self.counts[1] += done as u64;
        done
    }

    fn limit_statements(&mut self, most: u64) {
        self.inner.get_mut().machine.statements = i64::try_from(most).unwrap_or(i64::MAX);
    }

    fn prepare(&mut self) {
        let Compiled { plan, inner, .. } = self;
        inner.get_mut().functions(plan);
    }

    fn with(&self, templates: &[Template]) -> Option<Box<dyn Native>> {
        let mut plan = self.plan.clone();
        plan.model.templates = templates.to_vec();
        let mut compiled = Compiled::of(plan)?;
        compiled.heed(self.inner.borrow().machine.stop());
        Some(Box::new(compiled))
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
        match inner.machine.call(code?, words, &mut Rows::default()) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            _ => None,
        }
    }
}
