//! Steps of a state: the functions of all its processes, then what comes of their offers.

use fairly_model::native::Part;
use fairly_model::native::Stop;
use fairly_model::{Communication, Edge, Expr, Pattern};
use hashbrown::HashMap;

use crate::Settings;
use crate::emit::Status;
use crate::functions::{Found, Functions};
use crate::machine::{Machine, Memory};
use crate::rows::Rows;
use fairly_model::native::plan::{Place, Plan, Role};

/// A model as machine code, for any number of threads. What of it a search does not come to is not compiled.
pub(crate) struct Compiled {
    plan: Plan,
    functions: Functions,
    /// By slot, variant and location: whether the process can move in any case.
    always: Vec<Vec<Vec<bool>>>,
    /// By slot, variant and location: the offers that the process there may answer.
    answers: Vec<Vec<Vec<Calls>>>,
}

/// Offers that a process may make, or answer: a bit for each of the first channels, and one for all the rest, events
/// that several take among them. A set that is too large costs time only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Calls(u64);

impl Calls {
    const ALL: Calls = Calls(u64::MAX);

    /// The channel with a number; anything else is negative.
    fn channel(number: i64) -> Calls {
        let bit = u32::try_from(number).map_or(63, |number| number.min(63));
        Calls(1 << bit)
    }

    fn and(self, other: Calls) -> Calls {
        Calls(self.0 | other.0)
    }

    fn meets(self, other: Calls) -> bool {
        self.0 & other.0 != 0
    }
}

/// State that changes while code runs: one for each thread.
pub(crate) struct Scratch {
    memory: Memory,
    /// The message that is received.
    message: Vec<i64>,
    /// By meeting: its first offer, and the round in which that was made.
    first_offers: Vec<(u64, u32)>,
    round: u64,
    /// By offer: the next one for the same meeting, or [`NONE`].
    next_offers: Vec<u32>,
    /// Edges that are taken together.
    chosen: Vec<u32>,
    /// Numbers of steps of several edges, as far as this thread has asked for them.
    commands: HashMap<Box<[u32]>, u32>,
    /// Steps of a process of which it is only asked whether there are any.
    probed: Rows,
}

/// No offer.
const NONE: u32 = u32::MAX;

/// More ways to take an event together in a state are left to the interpreter.
const WAYS: usize = 4096;

impl Compiled {
    /// Prepares to compile the model of an interpreter. `None` if no code can be made on this machine,
    /// or the model is one that is unfolded while it is explored.
    pub(crate) fn new(space: &fairly_model::ModelSpace, settings: Settings) -> Option<Compiled> {
        let mut plan = Plan::new(space)?;
        plan.sequences = settings.sequences && plan.layout.holder.is_some();
        Some(Compiled::of(Machine::new(&plan)?, plan, settings.worth))
    }

    fn of(machine: Machine, plan: Plan, worth: usize) -> Compiled {
        let functions = Functions::new(&plan, machine, worth);
        let always = plan.of_locations(|slot, variant, at| plan.always_moves(slot, variant, at));
        let answers = plan.of_locations(|slot, variant, at| answers(&plan, slot, variant, at));
        Compiled { plan, functions, always, answers }
    }

    /// Calls the functions of all slots.
    fn all(&self, words: &[u64], scratch: &mut Scratch, out: &mut Rows) -> i64 {
        for group in &self.functions.groups {
            let status = match self.functions.group(&self.plan, group) {
                Found::Code(code) => {
                    self.functions.machine.call(code, words, &mut scratch.memory, out)
                }
                Found::Cold => Status::DECLINED,
                // Each by the functions that it needs where it is.
                Found::Never => group
                    .slots
                    .clone()
                    .map(|slot| self.slot(slot, words, scratch, out))
                    .find(|&status| status != Status::DONE)
                    .unwrap_or(Status::DONE),
            };
            if status != Status::DONE {
                return status;
            }
        }
        self.functions.settle();
        Status::DONE
    }

    /// Calls the function of a slot; what it finds is added.
    fn slot(&self, slot: usize, words: &[u64], scratch: &mut Scratch, out: &mut Rows) -> i64 {
        let kind = self.plan.layout.slots[slot].kind.get(words, 0);
        let Ok(variant) = usize::try_from(kind - 1) else { return Status::DONE };
        match self.functions.process(&self.plan, (slot, variant), words, false) {
            Some(code) => self.functions.machine.call(code, words, &mut scratch.memory, out),
            None => Status::DECLINED,
        }
    }

    /// Calls the function of the process that holds, and those of others if it offers something.
    fn others(&self, holder: usize, words: &[u64], scratch: &mut Scratch, out: &mut Rows) -> i64 {
        let status = self.slot(holder, words, scratch, out);
        if status != Status::DONE || scratch.memory.offers_made() == 0 {
            return status;
        }
        // It may send to another process: what others would do alone does not count.
        let own = out.commands.len();
        let offers = 0..scratch.memory.offers_made();
        let calls = offers.map(|at| Calls::channel(scratch.memory.channel(at)));
        let calls = calls.fold(Calls::default(), Calls::and);
        for slot in (0..self.plan.layout.slots.len()).filter(|&slot| slot != holder) {
            if !self.may_answer(slot, words, calls) {
                continue;
            }
            let status = self.slot(slot, words, scratch, out);
            if status != Status::DONE {
                return status;
            }
            out.commands.truncate(own);
            out.words.truncate(own * self.plan.layout.words);
        }
        Status::DONE
    }

    /// Whether a process may answer some of the offers of another from where it is.
    fn may_answer(&self, slot: usize, words: &[u64], calls: Calls) -> bool {
        let of = &self.plan.layout.slots[slot];
        let Ok(variant) = usize::try_from(of.kind.get(words, 0) - 1) else { return false };
        let location = usize::try_from(of.location.get(words, 0)).ok();
        location.is_none_or(|location| self.answers[slot][variant][location].meets(calls))
    }

    /// Whether a process receives a message that another sends; `None` if that is not known.
    fn receives(
        &self,
        words: &[u64],
        timeout: bool,
        (sender, receiver): (usize, usize),
        scratch: &mut Scratch,
    ) -> Option<bool> {
        let (_, sent, message) = scratch.memory.offer(sender);
        let (edge, received, wanted) = scratch.memory.offer(receiver);
        let Communication::Receive { pattern, .. } = &self.plan.edge(edge).communication else {
            return Some(false);
        };
        if sent != received {
            return Some(false);
        }
        let mut cells = pattern.iter().zip(wanted).zip(message);
        if !cells.all(|((cell, value), found)| *cell == Pattern::Any || value == found) {
            return Some(false);
        }
        if !self.plan.edge(edge).guard.reads_received() {
            return Some(true);
        }
        scratch.message.copy_from_slice(message);
        let Scratch { memory, message, .. } = scratch;
        let guard = self.functions.guard(&self.plan, edge)?;
        let mut words = words.to_vec();
        match self.functions.machine.apply(guard, &mut words, message, timeout, memory) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            _ => None,
        }
    }

    /// Appends everything that happens in a state; `None` if that is left to the interpreter.
    fn find(&self, words: &[u64], scratch: &mut Scratch, out: &mut Rows) -> Option<()> {
        let holder = self.plan.layout.holder.map_or(-1, |strip| strip.get(words, 0));
        let first = out.commands.len();
        for timeout in [false, true] {
            self.find_with(words, timeout, holder, scratch, out)?;
            if out.commands.len() > first || !self.plan.waits {
                break;
            }
        }
        // A process that holds can go on.
        (holder < 0 || out.commands.len() > first).then_some(())
    }

    /// As [`find`](Compiled::find), with this value of a timeout.
    fn find_with(
        &self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let first = out.commands.len();
        self.collect(words, timeout, holder, scratch, out)?;
        if scratch.memory.offers_made() > 0 {
            self.join(words, timeout, holder, scratch, out)?;
        }
        if self.plan.layout.holder.is_some() {
            self.release(scratch, out, first)?;
        }
        Some(())
    }

    /// Calls the functions of all processes that may move.
    fn collect(
        &self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let first = out.commands.len();
        loop {
            scratch.memory.begin(timeout);
            let status = match usize::try_from(holder) {
                Ok(holder) => self.others(holder, words, scratch, out),
                Err(_) => self.all(words, scratch, out),
            };
            match status {
                Status::DONE => return Some(()),
                Status::FULL => {
                    out.commands.truncate(first);
                    out.words.truncate(first * self.plan.layout.words);
                    self.functions.machine.grow(&mut scratch.memory, out);
                }
                _ => return None,
            }
        }
    }

    /// Puts offers together.
    fn join(
        &self,
        words: &[u64],
        timeout: bool,
        holder: i64,
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let is_ordered = self.list_offers(scratch);
        let offers = scratch.memory.offers_made();
        for at in 0..offers {
            let (edge, channel, _) = scratch.memory.offer(at);
            let place = self.plan.places[edge as usize];
            match (&self.plan.edge(edge).communication, place.role) {
                (Communication::Send { .. }, _) if channel >= 0 => {
                    if holder < 0 || holder == i64::from(place.part.slot) {
                        self.meet(words, timeout, (at, offers), scratch, out)?;
                    }
                }
                (Communication::Receive { .. }, _) if channel >= 0 => {}
                (_, Role::Gathered(meeting)) => {
                    let first = scratch.first_offers[meeting as usize];
                    // Each is dealt with once.
                    if first == (scratch.round, at as u32) {
                        let of = (meeting as usize, first.1);
                        self.gather((words, timeout, holder), of, is_ordered, scratch, out)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Lists the offers for each meeting, in one pass over all of them. Tells whether they are in the order of slots.
    fn list_offers(&self, scratch: &mut Scratch) -> bool {
        let Scratch { memory, first_offers, next_offers, round, .. } = scratch;
        *round += 1;
        let offers = memory.offers_made();
        next_offers.clear();
        next_offers.resize(offers, NONE);
        let (mut is_ordered, mut behind) = (true, u32::MAX);
        for at in (0..offers).rev() {
            let place = &self.plan.places[memory.edge(at) as usize];
            // An edge that sends or receives in a rendezvous is not gathered.
            let Role::Gathered(meeting) = place.role else { continue };
            if memory.channel(at) >= 0 {
                continue;
            }
            is_ordered &= place.part.slot <= behind;
            behind = place.part.slot;
            let first = &mut first_offers[meeting as usize];
            if first.0 == *round {
                next_offers[at] = first.1;
            }
            *first = (*round, at as u32);
        }
        is_ordered
    }

    /// The slot and the edge of an offer, and the next one for the same meeting.
    #[inline]
    fn offer(&self, at: u32, scratch: &Scratch) -> (usize, u32, u32) {
        let edge = scratch.memory.edge(at as usize);
        let slot = self.plan.places[edge as usize].part.slot as usize;
        (slot, edge, scratch.next_offers[at as usize])
    }

    /// Chooses the edges of a meeting where each of its slots makes one offer; `None` if some make several. Without an
    /// edge if some make none. Offers are listed from the first one on, in the order of slots, as the slots are.
    fn choose(&self, slots: &[usize], mut at: u32, scratch: &mut Scratch) -> Option<()> {
        let mut chosen = std::mem::take(&mut scratch.chosen);
        chosen.clear();
        let mut is_single = true;
        for &slot in slots {
            while at != NONE && self.offer(at, scratch).0 < slot {
                at = scratch.next_offers[at as usize];
            }
            let found = (at != NONE).then(|| self.offer(at, scratch)).filter(|it| it.0 == slot);
            let Some((_, edge, next)) = found else {
                chosen.clear();
                is_single = true;
                break;
            };
            chosen.push(edge);
            is_single &= next == NONE || self.offer(next, scratch).0 != slot;
            at = next;
        }
        scratch.chosen = chosen;
        is_single.then_some(())
    }

    /// All ways to receive what an offer sends, among so many.
    fn meet(
        &self,
        words: &[u64],
        timeout: bool,
        (sender, offers): (usize, usize),
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let mut receivers: Vec<(usize, u32)> = Vec::new();
        for at in 0..offers {
            // Most are about other channels.
            if scratch.memory.channel(at) != scratch.memory.channel(sender) {
                continue;
            }
            let slot = |at: usize| {
                let (edge, ..) = scratch.memory.offer(at);
                self.plan.places[edge as usize].part.slot
            };
            if slot(at) != slot(sender) && self.receives(words, timeout, (sender, at), scratch)? {
                receivers.push((at, scratch.memory.offer(at).0));
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
            let Scratch { memory, message, .. } = scratch;
            let (from, _, sent) = memory.offer(sender);
            message.copy_from_slice(sent);
            self.take(words, timeout, &[from, edge], scratch, out)?;
        }
        Some(())
    }

    /// All ways to take an event together, given the meeting and its first offer.
    fn gather(
        &self,
        (words, timeout, holder): (&[u64], bool, i64),
        (meeting, first): (usize, u32),
        is_ordered: bool,
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let alternatives = &self.plan.meetings[meeting].alternatives;
        // Most of the time there is one way at the most.
        if let ([slots], true, true) = (alternatives.as_slice(), is_ordered, holder < 0)
            && self.choose(slots, first, scratch).is_some()
        {
            let chosen = std::mem::take(&mut scratch.chosen);
            let taken = match chosen.is_empty() {
                true => Some(()),
                false => self.take(words, timeout, &chosen, scratch, out),
            };
            scratch.chosen = chosen;
            return taken;
        }
        let mut offers: Vec<(usize, u32)> = Vec::new();
        let mut at = first;
        while at != NONE {
            let (slot, edge, next) = self.offer(at, scratch);
            offers.push((slot, edge));
            at = next;
        }
        let mut all: Vec<Vec<u32>> = Vec::new();
        for slots in alternatives {
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
                all.push(wheel.iter().zip(&choices).map(|(&at, edges)| edges[at]).collect());
                let turn = (0..wheel.len()).rev().find(|&at| wheel[at] + 1 < choices[at].len());
                let Some(turn) = turn else { break };
                wheel[turn] += 1;
                wheel[turn + 1..].fill(0);
            }
        }
        if alternatives.len() > 1 {
            // In the order of the interpreter.
            all.sort_unstable();
        }
        all.iter().try_for_each(|edges| self.take(words, timeout, edges, scratch, out))
    }

    /// Appends the step in which these edges are taken one after the other.
    fn take(
        &self,
        words: &[u64],
        timeout: bool,
        edges: &[u32],
        scratch: &mut Scratch,
        out: &mut Rows,
    ) -> Option<()> {
        let Compiled { plan, functions, .. } = self;
        let Scratch { memory, message, commands, .. } = scratch;
        let first = out.words.len();
        out.words.extend_from_slice(words);
        let row = &mut out.words[first..];
        functions.machine.reset_scratch(memory);
        for &edge in edges {
            let effect = functions.effect(plan, edge)?;
            if functions.machine.apply(effect, row, message, timeout, memory) != Status::DONE {
                return None;
            }
        }
        functions.machine.reset_scratch(memory);
        let last = *edges.last()?;
        let slot = i64::from(plan.places[last as usize].part.slot);
        if let Some(strip) = plan.layout.holder {
            strip.set(row, 0, if plan.edge(last).hold { slot } else { -1 });
        }
        if let Some(strip) = plan.layout.last_mover {
            strip.set(row, 0, slot);
        }
        let command = match commands.get(edges) {
            Some(&known) => known,
            None => {
                let number = functions.machine.commands.several(edges);
                commands.insert(edges.into(), number);
                number
            }
        };
        out.commands.push(command);
        Some(())
    }

    /// As [`find`](Compiled::find), of states in a row, up to one that asks for more than calling
    /// functions; how many.
    fn find_all(&self, states: &[u64], scratch: &mut Scratch, out: &mut Rows) -> usize {
        let Compiled { plan, functions, .. } = self;
        let Some(codes) = functions.for_all() else { return 0 };
        let width = plan.layout.words;
        let mut rows = states.chunks_exact(width);
        let free = match plan.layout.holding() {
            None => rows.len(),
            Some(holder) => {
                rows.position(|row| holder.is_held(row)).unwrap_or(states.len() / width)
            }
        };
        let (first, ends) = (out.commands.len(), out.ends.len());
        let memory = &mut scratch.memory;
        memory.begin(false);
        let states = &states[..free * width];
        let done = functions.machine.call_for_all(codes, states, plan.waits, memory, out);
        if plan.layout.holder.is_some() && self.release(scratch, out, first).is_none() {
            out.commands.truncate(first);
            out.words.truncate(first * width);
            out.ends.truncate(ends);
            return 0;
        }
        done
    }

    /// Takes the privilege away from processes that cannot use it.
    fn release(&self, scratch: &mut Scratch, out: &mut Rows, first: usize) -> Option<()> {
        let strip = self.plan.layout.holder?;
        let held = self.plan.layout.holding()?;
        let width = self.plan.layout.words;
        for row in out.words[first * width..].chunks_exact_mut(width) {
            if held.is_held(row) {
                let holder = usize::try_from(strip.get(row, 0)).ok()?;
                if !self.can_move(row, holder, scratch)? {
                    strip.set(row, 0, -1);
                }
            }
        }
        Some(())
    }

    /// Whether a process can take a step without a timeout; `None` if that is not known.
    fn can_move(&self, words: &[u64], slot: usize, scratch: &mut Scratch) -> Option<bool> {
        let of = &self.plan.layout.slots[slot];
        let Ok(variant) = usize::try_from(of.kind.get(words, 0) - 1) else { return Some(false) };
        let location = usize::try_from(of.location.get(words, 0)).ok()?;
        if self.always[slot][variant][location] {
            return Some(true);
        }
        let code = self.functions.process(&self.plan, (slot, variant), words, true)?;
        scratch.memory.begin(false);
        let mut steps = std::mem::take(&mut scratch.probed);
        steps.clear();
        let can = match self.functions.machine.call(code, words, &mut scratch.memory, &mut steps) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            // Only if another joins in: as if it were the holder already.
            Status::TOGETHER => self.can_join(words, slot, scratch, &mut steps),
            _ => None,
        };
        scratch.probed = steps;
        can
    }

    /// Whether a process can take a step, as the one that holds, alone or with another one; `None` if that is not known.
    fn can_join(
        &self,
        words: &[u64],
        slot: usize,
        scratch: &mut Scratch,
        steps: &mut Rows,
    ) -> Option<bool> {
        let holder = i64::try_from(slot).ok()?;
        steps.clear();
        self.collect(words, false, holder, scratch, steps)?;
        if !steps.commands.is_empty() {
            return Some(true);
        }
        let offers = scratch.memory.offers_made();
        let owner = |at: usize, scratch: &Scratch| {
            let (edge, channel, _) = scratch.memory.offer(at);
            (self.plan.places[edge as usize].part.slot as usize, channel)
        };
        for sender in 0..offers {
            let (of, channel) = owner(sender, scratch);
            if of != slot {
                continue;
            }
            if channel < 0 {
                self.join(words, false, holder, scratch, steps)?;
                return Some(!steps.commands.is_empty());
            }
            for at in 0..offers {
                let (other, same) = owner(at, scratch);
                if same == channel
                    && other != slot
                    && self.receives(words, false, (sender, at), scratch)?
                {
                    return Some(true);
                }
            }
        }
        Some(false)
    }
}

/// The offers that a process may answer at a location.
fn answers(plan: &Plan, slot: usize, variant: usize, location: usize) -> Calls {
    let first = plan.first_edge(slot, variant, location) as usize;
    let edges = plan.edges(slot, variant, location);
    let of_edge = |(edge, place): (&Edge, &Place)| match (&edge.communication, place.role) {
        (_, Role::Gathered(_) | Role::Left) => Calls::ALL,
        (Communication::Receive { channel, .. }, Role::Alone) if plan.may_meet(edge, true) => {
            match channel {
                Expr::Const(number) => Calls::channel(*number),
                _ => Calls::ALL,
            }
        }
        _ => Calls::default(),
    };
    edges.iter().zip(&plan.places[first..]).map(of_edge).fold(Calls::default(), Calls::and)
}

impl Compiled {
    /// Memory for a thread, to ask for steps with.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch {
            memory: self.functions.machine.memory(),
            message: vec![0; self.plan.cells],
            first_offers: vec![(0, NONE); self.plan.meetings.len()],
            round: 0,
            next_offers: Vec::new(),
            chosen: Vec::new(),
            commands: HashMap::new(),
            probed: Rows::default(),
        }
    }

    /// Appends the steps out of packed states that follow each other, one state after the other, up to
    /// the first that it declines; how many it did not. Those of one state are in the order of the
    /// interpreter. The events of all edges that take part are ones that do not depend on the state.
    pub(crate) fn steps(&self, states: &[u64], scratch: &mut Scratch, out: &mut Rows) -> usize {
        let width = self.plan.layout.words;
        let mut done = 0;
        loop {
            done += self.find_all(&states[done * width..], scratch, out);
            let Some(words) = states.get(done * width..(done + 1) * width) else { break };
            let before = out.commands.len();
            if self.find(words, scratch, out).is_none() {
                out.commands.truncate(before);
                out.words.truncate(before * width);
                break;
            }
            out.ends.push(out.commands.len());
            done += 1;
        }
        done
    }

    /// Lists the edges that single processes offer in a packed state, in their order; `false` if that is left to the
    /// interpreter.
    pub(crate) fn offered(
        &self,
        words: &[u64],
        scratch: &mut Scratch,
        edges: &mut Vec<u32>,
    ) -> bool {
        edges.clear();
        if !self.plan.offers_plainly {
            return false;
        }
        let mut alone = std::mem::take(&mut scratch.probed);
        alone.clear();
        let is_known = self.collect(words, false, -1, scratch, &mut alone).is_some();
        let is_plain = |edge: u32, channel: i64| {
            channel < 0 && matches!(self.plan.places[edge as usize].role, Role::Gathered(_))
        };
        let memory = &scratch.memory;
        let is_plain = is_known
            && alone.commands.iter().all(|command| command.is_multiple_of(2))
            && (0..memory.offers_made()).all(|at| is_plain(memory.edge(at), memory.channel(at)));
        if is_plain {
            edges.extend(alone.commands.iter().map(|command| command / 2));
            edges.extend((0..memory.offers_made()).map(|at| memory.edge(at)));
            edges.sort_unstable();
        }
        scratch.probed = alone;
        is_plain
    }

    /// The process and the edge behind the number of an edge.
    pub(crate) fn part(&self, edge: u32) -> Part {
        self.plan.places[edge as usize].part
    }

    /// The processes that take part in a command that has been given out, in the order in which they act; of two,
    /// in a rendezvous, the first sends. In whole sequences of a process that holds they are parts of that
    /// process. A command means the same to all threads.
    pub(crate) fn parts(&self, command: u32) -> Vec<Part> {
        self.functions.machine.commands.parts(command)
    }

    /// Whether the proposition at this position of the model, which is this one, holds in a packed
    /// state; `None` if it declines.
    pub(crate) fn holds(&self, words: &[u64], at: usize, proposition: &Expr) -> Option<bool> {
        let code = self.functions.proposition(&self.plan, at, proposition)?;
        match self.functions.machine.ask(code, words) {
            Status::DONE => Some(false),
            Status::YES => Some(true),
            _ => None,
        }
    }

    /// Declines states with steps in which a process runs more statements than this, in all threads. It
    /// may decline others too.
    pub(crate) fn limit_statements(&self, most: u64) {
        self.functions.machine.limit_statements(most);
    }

    /// Makes the code that every state needs now, rather than when it is worth it.
    pub(crate) fn prepare(&self) {
        self.functions.prepare(&self.plan);
    }

    /// Makes no more code once it is time to stop: it declines instead.
    pub(crate) fn heed(&self, stop: Stop) {
        self.functions.machine.heed(stop);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use fairly_model::{ModelSpace, text};

    use super::*;
    use crate::machine::starved;

    /// Needs a function for the steps, two effects and a proposition.
    const TOGETHER: &str = "
        model atomicity priority, exit any
        event e0 idle : idle
        event e1 both : visible
        event e2 one : visible
        gather e1 : all(p0, p1)
        variable g0 n : wrap 0..7 = 0
        template t0 P parameters 0 {
          location q0 here { -> q0 on e1 do { g0 := g0 + 1 } as both -> q0 on e2 do { g0 := g0 + 3 } as one }
        }
        slot p0 A : t0 start t0()
        slot p1 B : t0 start t0()
        proposition odd : g0 % 2 == 1";

    #[test]
    fn code_that_there_is_no_memory_for_is_declined() {
        let model = text::parse(TOGETHER).expect("a model");
        let space = ModelSpace::new(model, None);
        let Some(plan) = Plan::new(&space) else { return };
        let Some(whole) = Compiled::new(&space, Settings::EAGER) else { return };
        let odd = &space.model().propositions[0].1;
        let ask = |compiled: &Compiled, states: &[u64]| {
            let (mut scratch, mut rows) = (compiled.scratch(), Rows::default());
            let done = compiled.steps(states, &mut scratch, &mut rows);
            let holds: Vec<_> =
                states.iter().map(|word| compiled.holds(&[*word], 0, odd)).collect();
            let mut steps: Vec<_> = rows.commands.iter().zip(rows.words).collect();
            steps.sort_unstable();
            let parts: Vec<_> =
                steps.into_iter().map(|(&it, word)| (compiled.parts(it), word)).collect();
            (done, rows.ends, parts, holds)
        };
        let states = [0; 3];
        let expected = ask(&whole, &states);
        assert_eq!((expected.0, expected.2.len()), (3, 9));
        let mut declined = 0;
        for room in 0..9 {
            let machine = starved::machine(&plan, room).expect("as before");
            let compiled = Compiled::of(machine, plan.clone(), usize::MAX);
            let answers: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = (0..2)
                    .map(|_| scope.spawn(|| [ask(&compiled, &states), ask(&compiled, &states)]))
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            // A thread that asks for a function while another one makes it is declined, so only the
            // answer that is asked for alone tells whether there was room.
            let alone = ask(&compiled, &states);
            assert!(room < 8 || (alone.0, &alone.3) == (3, &expected.3), "{room}");
            for (done, ends, steps, holds) in answers.into_iter().chain([alone]) {
                if done == 0 {
                    assert_eq!((ends.len(), steps.len()), (0, 0));
                    declined += 1;
                } else {
                    // All three states need the same functions.
                    assert_eq!((done, &ends, &steps), (3, &expected.1, &expected.2));
                }
                let mut pairs = holds.iter().zip(&expected.3);
                assert!(pairs.all(|(found, right)| found.is_none() || found == right));
            }
        }
        assert!(declined > 0);
    }
}
