//! Atomic sequences as single steps.
//!
//! While a process holds ([`Sequences`]), no other process can move. SPIN passes through the states in between: it
//! does not store them, a claim does not read them, and fairness does not ask who is enabled there.
//! [`Collapsed`] does the same with a space: a step leads from one state in which no process holds to the next.
//! Its action has the event of the first step on the way and the moves of all of them, each once: see
//! `collapsed/ways.rs`.
//!
//! The states that are passed through are no states of this space. However long a sequence is, no formula reads
//! them. If there are too many ([`SequenceLimits`]), the step ends in a fault of the kind
//! [`FaultKind::Limit`](fairly_system::FaultKind::Limit).
//!
//! # Sequences that never end
//!
//! A sequence can go on for ever if there is a cycle among the states inside. A run that does so for
//! ever in one strongly connected component is a run like any other. It is shown from the state on
//! where it enters that component, step by step. So a state in which a process holds is only ever met
//! on such a run, and its steps are those that stay in the component. The others are
//! [omitted](Steps::omitted): they are enabled, but a run that takes one leaves the component, and may yet end
//! the sequence. That run is among those that are passed through, where the component is not seen. This is a
//! choice that is made before it can be seen: [`Steps::committed`].
//!
//! [`SequenceLimits`]: fairly_system::SequenceLimits

mod passage;
mod ways;

use std::ops::Range;

use fairly_system::{
    ActionId, Fault, Holder, Long, MOST_AT_ONCE, Scratch, Seen, Sequences, Signature, Space, Steps,
    delegate_space,
};
use hashbrown::{HashMap, HashSet, HashTable};

use passage::{Extent, NO_CYCLE, Passage, To, hash};
use ways::{SetId, WayId, Ways};

/// Steps inside a sequence between two questions whether to stop.
const ASKED: usize = 1 << 10;

/// A space whose atomic sequences are single steps.
pub struct Collapsed<S> {
    inner: S,
    holder: Option<Holder>,
    /// Sequences that were too long, or nearly.
    long: Long,
}

/// Memory for one worker.
struct Work {
    inner: Scratch,
    /// Steps of the space inside out of all rows that are expanded.
    batch: Steps,
    /// Those of one of the rows.
    first: Steps,
    walk: Walk,
}

/// Memory that is kept from one state to the next, and the steps of the state that is expanded.
struct Walk {
    width: usize,
    ways: Ways,
    /// Names of ways. Several steps may be made at once, so that the same action may be made of different
    /// pieces.
    by_way: HashMap<WayId, ActionId>,
    seen_actions: Seen,
    /// By action of the space inside: what it is called alone; idling if it was not met.
    names: Vec<ActionId>,
    passage: Passage,
    /// The way that is followed: states inside, how they were reached, and the next step to look at.
    path: Vec<(Option<u32>, WayId, usize)>,
    /// States inside, with the moves on the way there.
    seen: HashSet<(u32, SetId)>,
    /// The steps of the state that is expanded.
    ends: Steps,
    /// The moves of each, and where they are by moves and target, once that is asked; so many are.
    end_sets: Vec<SetId>,
    known_ends: HashTable<u32>,
    known: usize,
    /// By action, and by set of moves: the last expansion that it was met in.
    met: Vec<u64>,
    met_sets: Vec<u64>,
    /// States inside sequences that can go on for ever: the cycle that each is on, or none.
    cycles: HashMap<Box<[u64]>, u32>,
    cycle_count: u32,
    /// How many states have been expanded.
    expansions: u64,
    /// Steps made one by one.
    singly: Steps,
}

impl<S: Sequences> Collapsed<S> {
    /// Of a space.
    pub fn new(inner: S) -> Collapsed<S> {
        Collapsed { holder: inner.holder(), inner, long: Long::default() }
    }

    /// The space inside.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Makes `walk.ends` the steps out of a row, given those of the space inside. Depth first, in their order.
    fn pass_through(
        &self,
        (row, scratch): (&[u64], &mut Scratch),
        walk: &mut Walk,
        first: &Steps,
        out: &mut Steps,
    ) {
        walk.begin();
        if self.is_held(row) && self.stay(row, scratch, walk, out) {
            return;
        }
        self.pass(row, scratch, walk, first);
        walk.passage.shrink();
    }

    /// Passes through the sequences that begin with the steps out of a packed state.
    ///
    /// Parts of a sequence that are skipped where several steps are made at once must make no difference. So if it comes
    /// near a limit, or to a cycle, whose states are shown, all is done again step by step.
    fn pass(&self, row: &[u64], scratch: &mut Scratch, walk: &mut Walk, first: &Steps) {
        let limits = self.inner.sequence_limits();
        let share = self.long.share(row);
        let most_at_once = self.inner.most_at_once();
        let ways = limits.ways / share;
        let extent =
            Extent { states: limits.states / share, words: limits.words / share, at_once: false };
        let signature = self.inner.signature();
        let mut singly = std::mem::take(&mut walk.singly);
        let mut first = first;
        if most_at_once > 1 {
            let at_once = Extent {
                states: extent.states / most_at_once,
                words: extent.words / most_at_once,
                at_once: true,
            };
            let is_short = walk.passage.explore(&self.inner, scratch, first, at_once).is_ok();
            if is_short
                && !walk.passage.is_endless()
                && let Some(passed) = walk.follow_ways(signature, scratch, ways / most_at_once)
            {
                walk.singly = singly;
                return self.note_length(row, walk, most_at_once * passed);
            }
            singly.clear();
            self.inner.expand_singly(row, scratch, &mut singly);
            first = &singly;
            walk.begin();
        }
        let is_short = walk.passage.explore(&self.inner, scratch, first, extent).is_ok();
        if is_short {
            walk.remember_cycles();
        }
        match is_short.then(|| walk.follow_ways(signature, scratch, ways)).flatten() {
            Some(passed) => self.note_length(row, walk, passed),
            None => {
                if !scratch.stop.is_due() {
                    self.long.fail(row);
                }
                self.give_up(scratch, walk, first);
            }
        }
        walk.singly = singly;
    }

    /// Takes note of a state whose sequences were passed through, if that took much work.
    fn note_length(&self, row: &[u64], walk: &Walk, passed: usize) {
        let limits = self.inner.sequence_limits();
        // The same whether several steps are made at once or not.
        let inside = walk.passage.states() * MOST_AT_ONCE;
        let is_long = passed > limits.ways / Long::SHARE
            || inside > limits.states / Long::SHARE
            || inside * row.len() > limits.words / Long::SHARE;
        if is_long {
            self.long.succeed(row);
        }
    }

    /// Makes `walk.ends` the steps that pass through nothing, and a limit of the tool for each of the others.
    fn give_up(&self, scratch: &Scratch, walk: &mut Walk, first: &Steps) {
        walk.begin();
        let why = match scratch.stop.is_due() {
            true => "the search was stopped inside an atomic sequence",
            false => "an atomic sequence has too many states or ways inside it",
        };
        let limit = Fault::limit(why, None);
        let signature = self.inner.signature();
        for (at, &step) in first.actions.iter().enumerate() {
            let row = first.rows_of(at..at + 1, walk.width);
            let way = walk.ways.followed(signature, WayId::EMPTY, step);
            match first.fault(at) {
                None if self.is_held(row) => walk.end(signature, way, row, Some(&limit)),
                fault => walk.end(signature, way, row, fault),
            }
        }
    }

    /// Makes `walk.ends` the steps of a row, in which a process holds, that stay on a cycle, if it is on one.
    /// Steps that leave the cycle are omitted in `out`.
    fn stay(&self, row: &[u64], scratch: &mut Scratch, walk: &mut Walk, out: &mut Steps) -> bool {
        let signature = self.inner.signature();
        let mut first = std::mem::take(&mut walk.singly);
        first.clear();
        let cycle = match walk.cycles.get(row) {
            Some(&cycle) => cycle,
            None => {
                let limits = self.inner.sequence_limits();
                let extent = Extent { states: limits.states, words: limits.words, at_once: false };
                if walk.passage.explore_from(&self.inner, scratch, row, extent).is_err() {
                    // Its further steps are not known.
                    self.inner.expand_singly(row, scratch, &mut first);
                    self.give_up(scratch, walk, &first);
                    walk.singly = first;
                    return true;
                }
                walk.remember_cycles();
                *walk.cycles.entry(row.into()).or_insert(NO_CYCLE)
            }
        };
        if cycle == NO_CYCLE {
            walk.singly = first;
            return false;
        }
        self.inner.expand_singly(row, scratch, &mut first);
        let at = out.ends.len();
        for (position, &step) in first.actions.iter().enumerate() {
            let target = first.rows_of(position..position + 1, walk.width);
            let way = walk.ways.followed(signature, WayId::EMPTY, step);
            let stays = first.fault(position).is_none() && walk.cycles.get(target) == Some(&cycle);
            if stays {
                walk.end(signature, way, target, None);
            } else {
                let action = walk.action_of(signature, way);
                out.omitted.push((at, action));
                if out.committed.last() != Some(&at) {
                    out.committed.push(at);
                }
            }
        }
        walk.singly = first;
        true
    }

    /// Whether a process holds in a row.
    #[inline]
    fn is_held(&self, row: &[u64]) -> bool {
        self.holder.is_some_and(|holder| holder.is_held(row))
    }

    /// Appends the steps of some rows in a batch if nothing goes wrong, no process holds before or behind any of
    /// them and no two out of one row have the same action; otherwise it says so, and appends nothing.
    fn append_simple(
        &self,
        (rows, batch, of): (&[u64], &mut Steps, Range<usize>),
        walk: &mut Walk,
        out: &mut Steps,
    ) -> bool {
        let width = walk.width;
        let first = if of.start == 0 { 0 } else { batch.ends[of.start - 1] };
        let steps = first..if of.is_empty() { first } else { batch.ends[of.end - 1] };
        let rows = rows[of.start * width..of.end * width].chunks_exact(width);
        let targets = batch.rows_of(steps.clone(), width).chunks_exact(width);
        if batch.faults.iter().any(|(at, _)| steps.contains(at))
            || targets.chain(rows).any(|row| self.is_held(row))
        {
            return false;
        }
        let before = out.actions.len();
        let signature = self.inner.signature();
        let (mut begin, mut is_simple) = (first, true);
        out.actions.reserve(steps.len());
        for &end in &batch.ends[of.clone()] {
            walk.expansions += 1;
            for &step in &batch.actions[begin..end] {
                let action = walk.name(signature, step);
                let met = &mut walk.met[action.index()];
                is_simple &= *met != walk.expansions;
                *met = walk.expansions;
                out.actions.push(action);
            }
            begin = end;
        }
        if !is_simple {
            out.actions.truncate(before);
            return false;
        }
        match out.rows.is_empty() && of.len() == batch.ends.len() {
            true => std::mem::swap(&mut out.rows, &mut batch.rows),
            false => out.rows.extend_from_slice(batch.rows_of(steps, width)),
        }
        out.ends.extend(batch.ends[of].iter().map(|end| before + end - first));
        true
    }
}

impl<S: Sequences> Space for Collapsed<S> {
    delegate_space!(inner, Work);

    fn scratch(&self) -> Scratch {
        let (inner, width) = (self.inner.scratch(), self.inner.width());
        let [batch, first] = [Steps::default(), Steps::default()];
        Scratch::new(Work { inner, batch, first, walk: Walk::new(width, self.holder) })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        self.inner.initial(&mut scratch.of::<Work>().inner, out);
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let stop = scratch.stop;
        let Work { inner, batch, first, walk } = scratch.of::<Work>();
        inner.stop = stop;
        let width = walk.width;
        batch.clear();
        self.inner.expand(rows, inner, batch);
        let all = 0..batch.ends.len();
        if !self.append_simple((rows, batch, all), walk, out) {
            let mut begin = 0;
            for (at, row) in rows.chunks_exact(width).enumerate() {
                let end = batch.ends[at];
                if !self.append_simple((rows, batch, at..at + 1), walk, out) {
                    first.take_from(batch, begin..end, width);
                    first.end_row();
                    self.pass_through((row, inner), walk, first, out);
                    out.append(&walk.ends, width);
                    out.end_row();
                }
                begin = end;
            }
        }
        let bytes = inner.bytes + walk.ways.bytes() + walk.passage.bytes();
        scratch.bytes = bytes;
    }
}

impl Walk {
    fn new(width: usize, holder: Option<Holder>) -> Walk {
        Walk {
            width,
            ways: Ways::new(),
            by_way: HashMap::new(),
            seen_actions: Seen::default(),
            names: Vec::new(),
            passage: Passage::new(width, holder),
            path: Vec::new(),
            seen: HashSet::new(),
            ends: Steps::default(),
            end_sets: Vec::new(),
            known_ends: HashTable::new(),
            known: 0,
            met: Vec::new(),
            met_sets: Vec::new(),
            cycles: HashMap::new(),
            cycle_count: 0,
            expansions: 0,
            singly: Steps::default(),
        }
    }

    /// Action of a way.
    fn action_of(&mut self, signature: &Signature, way: WayId) -> ActionId {
        if let Some(&known) = self.by_way.get(&way) {
            return known;
        }
        let id = self.ways.action(signature, &mut self.seen_actions, way);
        if self.met.len() <= id.index() {
            self.met.resize(id.index() + 1, 0);
        }
        self.by_way.insert(way, id);
        id
    }

    /// Begins to collect steps.
    fn begin(&mut self) {
        self.ends.clear();
        self.end_sets.clear();
        self.known_ends.clear();
        self.known = 0;
        self.expansions += 1;
    }

    /// Collects the ends of all ways through the states inside, and tells how many steps there were to
    /// follow; `None` if there are more than so many.
    fn follow_ways(
        &mut self,
        signature: &Signature,
        scratch: &Scratch,
        most: usize,
    ) -> Option<usize> {
        let passage = std::mem::replace(&mut self.passage, Passage::new(0, None));
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        self.seen.clear();
        path.push((None, WayId::EMPTY, 0));
        let mut left = most;
        while let Some(top) = path.last_mut() {
            let (state, way, next) = *top;
            let Some(&(step, to)) = passage.steps(state).get(next) else {
                path.pop();
                continue;
            };
            if left == 0 || left.is_multiple_of(ASKED) && scratch.stop.is_due() {
                break;
            }
            left -= 1;
            top.2 += 1;
            let way = self.ways.followed(signature, way, step);
            match to {
                To::Out(position) => {
                    let (row, fault) = passage.outside(position);
                    self.end(signature, way, row, fault);
                }
                To::Held(to) => {
                    let cycle = passage.cycle(to);
                    let here = state.map_or(NO_CYCLE, |state| passage.cycle(state));
                    if cycle != NO_CYCLE && cycle != here {
                        self.end(signature, way, passage.state(to as usize), None);
                    }
                    if !passage.meets() || self.seen.insert((to, self.ways.set(way))) {
                        path.push((Some(to), way, 0));
                    }
                }
            }
        }
        let is_done = path.is_empty();
        self.passage = passage;
        self.path = path;
        is_done.then_some(most - left)
    }

    /// Remembers the states on cycles among those inside.
    fn remember_cycles(&mut self) {
        if !self.passage.is_endless() {
            return;
        }
        // A component is explored as a whole or not at all.
        let mut numbers = HashMap::new();
        for at in 0..self.passage.states() {
            let cycle = self.passage.cycle(u32::try_from(at).expect("fewer than 2^32"));
            if cycle != NO_CYCLE {
                let row = self.passage.state(at);
                let number = *numbers.entry(cycle).or_insert_with(|| {
                    self.cycles.get(row).copied().unwrap_or_else(|| {
                        self.cycle_count += 1;
                        self.cycle_count
                    })
                });
                self.cycles.insert(row.into(), number);
            }
        }
    }

    /// Name of a step of the space inside if it is alone.
    #[inline]
    fn name(&mut self, signature: &Signature, step: ActionId) -> ActionId {
        match self.names.get(step.index()) {
            Some(&action) if action != ActionId::IDLE => action,
            _ => self.first_name(signature, step),
        }
    }

    #[cold]
    fn first_name(&mut self, signature: &Signature, step: ActionId) -> ActionId {
        let way = self.ways.followed(signature, WayId::EMPTY, step);
        let action = self.action_of(signature, way);
        let length = self.names.len().max(step.index() + 1);
        self.names.resize(length, ActionId::IDLE);
        self.names[step.index()] = action;
        action
    }

    /// Adds a step to a packed state, unless one with the same moves is there.
    fn end(&mut self, signature: &Signature, way: WayId, row: &[u64], fault: Option<&Fault>) {
        let set = self.ways.set(way);
        if self.met_sets.len() <= set.index() {
            self.met_sets.resize(self.ways.set_count(), 0);
        }
        let before = std::mem::replace(&mut self.met_sets[set.index()], self.expansions);
        if before == self.expansions && self.has_end(set, row, fault) {
            return;
        }
        if let Some(fault) = fault {
            self.ends.faults.push((self.ends.actions.len(), fault.clone()));
        }
        let action = self.action_of(signature, way);
        self.ends.push(action, row);
        self.end_sets.push(set);
    }

    /// Whether there is a step with these moves to a packed state.
    fn has_end(&mut self, set: SetId, row: &[u64], fault: Option<&Fault>) -> bool {
        /// More steps are not looked through one by one.
        const FEW: usize = 16;
        let Walk { ends, end_sets, known_ends, known, .. } = self;
        let width = row.len();
        let is_same = |at: usize| {
            end_sets[at] == set
                && match (ends.fault(at), fault) {
                    (None, None) => ends.rows[at * width..][..width] == *row,
                    (one, other) => one == other,
                }
        };
        let count = end_sets.len();
        if count <= FEW {
            return (0..count).any(is_same);
        }
        // Where something goes wrong, the row means nothing.
        let hashed = |set: SetId, row: &[u64], wrong: bool| {
            (set.index() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ if wrong { 1 } else { hash(row) }
        };
        let of = |at: usize| {
            hashed(end_sets[at], &ends.rows[at * width..][..width], ends.fault(at).is_some())
        };
        while *known < count {
            let number = u32::try_from(*known).expect("fewer than 2^32");
            known_ends.insert_unique(of(*known), number, |&at| of(at as usize));
            *known += 1;
        }
        known_ends.find(hashed(set, row, fault.is_some()), |&at| is_same(at as usize)).is_some()
    }
}
