//! Atomic sequences as single steps.
//!
//! While a process holds ([`crate::Atomicity::Exclusive`]), nobody else can move. SPIN passes through
//! the states in between: it does not store them, a claim does not read them, and fairness does not
//! ask who is enabled there. [`Collapsed`] does the same with an [`Interpreter`]: a step leads from
//! one state in which nobody holds to the next. Its action has the event of the first step on the way
//! and the moves of all of them, each once: see `collapsed/ways.rs`.
//!
//! The states that are passed through get no numbers, and are not stored. However long a sequence is,
//! no formula reads them. If there are too many ([`Limits`](crate::Limits)), the step ends in a fault
//! of the kind [`FaultKind::Limit`](fairly_system::FaultKind::Limit).
//!
//! # Sequences that never end
//!
//! A sequence can go on for ever if there is a cycle among the states inside. A run that does so for
//! ever in one strongly connected component is a run like any other. It is shown from the state on
//! where it enters that component, step by step. So a state in which a process holds is only ever met
//! on such a run, and its steps are those that stay in the component. The others are
//! [left out](TransitionSystem::left_out): they are enabled, but a run that takes one leaves the
//! component, and may yet end the sequence. That run is among those that are passed through, where
//! nobody sees the component. This is a choice that is made before it can be seen:
//! [`TransitionSystem::is_committed`].

mod packed;
mod passage;
mod ways;

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Blocked, EventId, Fault, Growth, Interrupt, MoveId, Signature,
    StateValues, Steps, Transition, TransitionSystem,
};

use hashbrown::{HashMap, HashSet, HashTable};

use crate::interpreter::{Batch, Interpreter, Keep, Mode, unnumbered};
use crate::limits::Long;
use crate::native::MOST_AT_ONCE;
use passage::{Extent, NO_CYCLE, Passage, To, hash};
use ways::{SetId, WayId, Ways};

/// Steps inside a sequence between two questions whether to stop.
const ASKED: usize = 1 << 10;

/// An interpreter whose atomic sequences are single steps.
pub struct Collapsed {
    inner: Interpreter,
    /// Whether there is anything to collapse.
    holds: bool,
    /// The actions of sequences; those of single steps among them.
    actions: Vec<Action>,
    ids: HashMap<(EventId, Vec<MoveId>), ActionId>,
    ways: Ways,
    /// What ways are called. Native code makes several steps at once, so that the same action may be
    /// made of different pieces.
    by_way: HashMap<WayId, ActionId>,
    /// By action of the interpreter: what it is called alone; idling if it was not met.
    names: Vec<ActionId>,
    /// Steps out of the state that is expanded, before anything is passed through.
    first: Steps,
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
    /// Actions that are enabled in the state that is expanded, and leave the cycle that it is on.
    leaving: Vec<ActionId>,
    /// States inside sequences that can go on for ever, by the steps that are taken: the cycle that
    /// each is on, or none.
    cycles: HashMap<Mode, HashMap<Box<[u64]>, u32>>,
    cycle_count: u32,
    /// Whether any state in which a process holds has been shown.
    shows: bool,
    /// Whether the state that is expanded is one, or leads to one.
    diverges: bool,
    /// Sequences that were too long, or nearly.
    long: Long,
    /// How many states have been expanded.
    expansions: u64,
    base: Vec<u64>,
    batch: Batch,
}

impl Collapsed {
    /// Of an interpreter.
    pub fn new(inner: Interpreter) -> Collapsed {
        let idle = inner.action(ActionId::IDLE).clone();
        let words = inner.layout().words;
        Collapsed {
            holds: inner.layout().holder.is_some(),
            base: vec![0; words],
            inner,
            actions: vec![idle],
            ids: HashMap::new(),
            ways: Ways::new(),
            by_way: HashMap::new(),
            names: Vec::new(),
            first: Steps::default(),
            passage: Passage::new(words),
            path: Vec::new(),
            seen: HashSet::new(),
            ends: Steps::default(),
            end_sets: Vec::new(),
            known_ends: HashTable::new(),
            known: 0,
            met: vec![0],
            met_sets: Vec::new(),
            leaving: Vec::new(),
            cycles: HashMap::new(),
            cycle_count: 0,
            shows: false,
            diverges: false,
            long: Long::default(),
            expansions: 0,
            batch: Batch::default(),
        }
    }

    /// The interpreter, whose states have the same numbers.
    pub fn interpreter(&self) -> &Interpreter {
        &self.inner
    }

    /// The interpreter, for adding propositions to it.
    pub fn interpreter_mut(&mut self) -> &mut Interpreter {
        &mut self.inner
    }

    /// Whether the state that was [looked at](Collapsed::look) last is inside a sequence that goes on
    /// for ever, or a step leads to one that is. Others cannot move there, so such a step commutes with
    /// none of theirs.
    pub fn diverges(&self) -> bool {
        self.diverges
    }

    /// The next of the steps that are merged into the one that led to a state, with nothing being merged
    /// or forgotten; `None` if no process is on its way there.
    pub fn passed(&mut self, state: StateId) -> Option<Transition> {
        if self.inner.fault(state).is_some() {
            return None;
        }
        let (slot, location) = self.inner.passing(state)?;
        let mut out = Vec::new();
        self.enabled(state, &mut out);
        out.into_iter().find(|step| {
            let first = self.action(step.action).moves.first().copied();
            let part = first.and_then(|first| self.inner.part(first));
            part.is_some_and(|part| (part.slot, part.location) == (slot, location))
        })
    }

    /// What a way is called.
    fn action_of(&mut self, way: WayId) -> ActionId {
        if let Some(&known) = self.by_way.get(&way) {
            return known;
        }
        let action = self.ways.action(&self.inner, way);
        let new = ActionId::from_index(self.actions.len());
        let id = *self.ids.entry((action.event, action.moves.clone())).or_insert(new);
        if id == new {
            self.actions.push(action);
            self.met.push(0);
        }
        self.by_way.insert(way, id);
        id
    }

    /// Whether a process holds in a packed state.
    #[inline]
    fn is_held(&self, words: &[u64]) -> bool {
        self.inner.layout().is_held(words)
    }

    /// Collects in `ends` the steps out of a packed state. Depth first, in the order of the
    /// interpreter.
    fn pass_through(&mut self, words: &[u64], keep: Option<Keep<'_>>) {
        self.begin();
        self.diverges = false;
        self.leaving.clear();
        if self.is_held(words) && self.stay(words, keep) {
            return;
        }
        let mut first = std::mem::take(&mut self.first);
        self.inner.expand_some(words, &mut first, keep);
        if !self.is_simple(&mut first) {
            self.pass(words, keep, &mut first);
            self.passage.shrink();
        }
        self.first = first;
    }

    /// Begins to collect steps.
    fn begin(&mut self) {
        self.ends.clear();
        self.end_sets.clear();
        self.known_ends.clear();
        self.known = 0;
        self.expansions += 1;
    }

    /// Passes through the sequences that begin with the steps out of a packed state.
    ///
    /// What native code skips of a sequence must make no difference. So if it comes near a limit, or to
    /// a cycle, whose states are shown, all is done again without it.
    fn pass(&mut self, words: &[u64], keep: Option<Keep<'_>>, first: &mut Steps) {
        let limits = self.inner.limits();
        let share = self.long.share(words);
        let (states, ways) = (limits.inside / share, limits.ways / share);
        let extent = Extent { states, words: limits.inside_words / share, natively: false };
        if self.inner.is_accelerated() {
            let natively = Extent {
                states: extent.states / MOST_AT_ONCE,
                words: extent.words / MOST_AT_ONCE,
                natively: true,
            };
            self.begin();
            let is_short = self.passage.explore(&mut self.inner, first, natively).is_ok();
            if is_short
                && !self.passage.is_endless()
                && let Some(passed) = self.follow_ways(ways / MOST_AT_ONCE)
            {
                self.note_length(words, MOST_AT_ONCE * passed);
                return;
            }
            self.inner.interpret_some(words, first, keep);
        }
        self.begin();
        let is_short = self.passage.explore(&mut self.inner, first, extent).is_ok();
        if is_short {
            self.remember_cycles();
        }
        match is_short.then(|| self.follow_ways(ways)).flatten() {
            Some(passed) => self.note_length(words, passed),
            None => {
                if !self.inner.is_interrupted() {
                    self.long.fail(words);
                }
                self.give_up(first);
            }
        }
    }

    /// Takes note of a state whose sequences were passed through, if that took much work.
    fn note_length(&mut self, words: &[u64], passed: usize) {
        let limits = self.inner.limits();
        let inside = self.passage.states() * MOST_AT_ONCE;
        let is_long = passed > limits.ways / Long::SHARE
            || inside > limits.inside / Long::SHARE
            || inside * words.len() > limits.inside_words / Long::SHARE;
        if is_long {
            self.long.succeed(words);
        }
    }

    /// Makes `ends` the steps that pass through nothing, and a limit of the tool for each of the others.
    fn give_up(&mut self, first: &Steps) {
        self.begin();
        let why = match self.inner.is_interrupted() {
            true => "the search was stopped inside an atomic sequence",
            false => "an atomic sequence has too many states or ways inside it",
        };
        let limit = Fault::limit(why, None);
        let width = self.inner.layout().words;
        for (at, &step) in first.actions.iter().enumerate() {
            let row = &first.rows[at * width..][..width];
            let way = self.ways.followed(&self.inner, WayId::EMPTY, step);
            match first.fault(at) {
                None if self.is_held(row) => self.end(way, row, Some(&limit)),
                fault => self.end(way, row, fault),
            }
        }
    }

    /// Collects the ends of all ways through the states inside, and tells how many steps there were to
    /// follow; `None` if there are more than so many.
    fn follow_ways(&mut self, most: usize) -> Option<usize> {
        let passage = std::mem::replace(&mut self.passage, Passage::new(0));
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
            if left == 0 || left.is_multiple_of(ASKED) && self.inner.is_interrupted() {
                break;
            }
            left -= 1;
            top.2 += 1;
            let way = self.ways.followed(&self.inner, way, step);
            match to {
                To::Out(position) => {
                    let (row, fault) = passage.outside(position);
                    self.end(way, row, fault);
                }
                To::Held(to) => {
                    let cycle = passage.cycle(to);
                    let here = state.map_or(NO_CYCLE, |state| passage.cycle(state));
                    if cycle != NO_CYCLE && cycle != here {
                        self.diverges = true;
                        self.shows = true;
                        self.end(way, passage.state(to as usize), None);
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

    /// Makes `ends` the steps of a packed state, in which a process holds, that stay on a cycle, if it is
    /// on one.
    fn stay(&mut self, words: &[u64], keep: Option<Keep<'_>>) -> bool {
        let mode = self.inner.mode();
        let known = self.cycles.get(&mode).and_then(|known| known.get(words).copied());
        let cycle = match known {
            Some(cycle) => cycle,
            None => {
                let limits = self.inner.limits();
                let extent =
                    Extent { states: limits.inside, words: limits.inside_words, natively: false };
                if self.passage.explore_from(&mut self.inner, words, extent).is_err() {
                    // Whatever it does next is not known.
                    let mut first = std::mem::take(&mut self.first);
                    self.inner.interpret_some(words, &mut first, keep);
                    self.give_up(&first);
                    self.first = first;
                    return true;
                }
                self.remember_cycles();
                let cycles = self.cycles.entry(mode).or_default();
                *cycles.entry(words.into()).or_insert(NO_CYCLE)
            }
        };
        if cycle == NO_CYCLE {
            return false;
        }
        self.diverges = true;
        let mut first = std::mem::take(&mut self.first);
        self.inner.interpret_some(words, &mut first, keep);
        for (at, &step) in first.actions.iter().enumerate() {
            let row = &first.rows[at * words.len()..][..words.len()];
            let way = self.ways.followed(&self.inner, WayId::EMPTY, step);
            let stays = first.fault(at).is_none()
                && self.cycles.get(&mode).and_then(|known| known.get(row)) == Some(&cycle);
            if stays {
                self.end(way, row, None);
            } else {
                let action = self.action_of(way);
                self.leaving.push(action);
            }
        }
        self.first = first;
        true
    }

    /// Remembers the states on cycles among those inside.
    fn remember_cycles(&mut self) {
        if !self.passage.is_endless() {
            return;
        }
        let known = self.cycles.entry(self.inner.mode()).or_default();
        // A component is explored as a whole or not at all.
        let mut numbers = HashMap::new();
        for at in 0..self.passage.states() {
            let cycle = self.passage.cycle(u32::try_from(at).expect("fewer than 2^32"));
            if cycle != NO_CYCLE {
                let row = self.passage.state(at);
                let number = *numbers.entry(cycle).or_insert_with(|| {
                    known.get(row).copied().unwrap_or_else(|| {
                        self.cycle_count += 1;
                        self.cycle_count
                    })
                });
                known.insert(row.into(), number);
            }
        }
    }

    /// Makes `ends` the steps in `first`, if nobody holds behind any of them and no two have the
    /// same action; otherwise it says so, and `ends` is anything.
    fn is_simple(&mut self, first: &mut Steps) -> bool {
        let is_simple = first.faults.is_empty()
            && !self.is_any_held(&first.rows)
            && self.are_simple(&first.actions);
        if is_simple {
            std::mem::swap(&mut self.ends.rows, &mut first.rows);
        }
        is_simple
    }

    /// Whether a process holds in one of some packed states.
    fn is_any_held(&self, rows: &[u64]) -> bool {
        rows.chunks_exact(self.inner.layout().words).any(|row| self.is_held(row))
    }

    /// Whether no two of these steps out of one state, behind none of which anybody holds, have the same
    /// action. Then the actions of `ends` are theirs.
    #[inline]
    fn are_simple(&mut self, steps: &[ActionId]) -> bool {
        self.ends.actions.clear();
        for &step in steps {
            let action = self.name(step);
            if self.met[action.index()] == self.expansions {
                return false;
            }
            self.met[action.index()] = self.expansions;
            self.ends.actions.push(action);
        }
        true
    }

    /// What a step of the interpreter is called if it is alone.
    #[inline]
    fn name(&mut self, step: ActionId) -> ActionId {
        match self.names.get(step.index()) {
            Some(&action) if action != ActionId::IDLE => action,
            _ => self.first_name(step),
        }
    }

    #[cold]
    fn first_name(&mut self, step: ActionId) -> ActionId {
        let way = self.ways.followed(&self.inner, WayId::EMPTY, step);
        let action = self.action_of(way);
        let length = self.names.len().max(step.index() + 1);
        self.names.resize(length, ActionId::IDLE);
        self.names[step.index()] = action;
        action
    }

    /// Appends the steps of a batch, if nobody holds behind any of them and no two out of one state have
    /// the same action; otherwise it says so, and appends nothing.
    fn defer_simple(
        &mut self,
        states: &[StateId],
        batch: &mut Batch,
        out: &mut Vec<Transition>,
    ) -> bool {
        if self.is_any_held(&batch.rows.words) {
            return false;
        }
        let before = out.len();
        let (mut begin, mut is_simple) = (0, true);
        out.reserve(batch.actions.len());
        for &end in &batch.rows.ends {
            self.expansions += 1;
            for &step in &batch.actions[begin..end] {
                let action = self.name(step);
                let met = &mut self.met[action.index()];
                is_simple &= *met != self.expansions;
                *met = self.expansions;
                out.push(unnumbered(action));
            }
            begin = end;
        }
        if is_simple {
            self.inner.defer_batch(states, batch);
        } else {
            out.truncate(before);
        }
        is_simple
    }

    /// Appends the steps out of states, whose targets wait for numbers, and says where those of each
    /// of them end.
    fn defer_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        mut end: impl FnMut(usize),
    ) {
        let mut batch = std::mem::take(&mut self.batch);
        let width = self.inner.layout().words;
        let mut left = states;
        while !left.is_empty() {
            if self.shows {
                // Some may be inside a sequence, where not all steps count.
                for &state in left {
                    self.defer(state, out);
                    end(out.len());
                }
                break;
            }
            let (done, declines) = self.inner.expand_all(left, &mut batch);
            let before = out.len();
            if self.defer_simple(left, &mut batch, out) {
                batch.rows.ends.iter().for_each(|&to| end(before + to));
            } else {
                let mut begin = 0;
                let mut base = vec![0; width];
                for (&state, &to) in left.iter().zip(&batch.rows.ends) {
                    self.expansions += 1;
                    let rows = &batch.rows.words[begin * width..to * width];
                    let actions = &batch.actions[begin..to];
                    if !self.is_any_held(rows) && self.are_simple(actions) {
                        // Another one may have been read since.
                        self.inner.read(state, &mut base);
                        self.inner.defer_sound(state, &self.ends.actions, rows, out);
                    } else {
                        self.defer(state, out);
                    }
                    end(out.len());
                    begin = to;
                }
            }
            left = &left[done..];
            if declines && let [state, rest @ ..] = left {
                self.defer(*state, out);
                end(out.len());
                left = rest;
            }
        }
        self.batch = batch;
    }

    /// Appends the steps out of a state, whose targets wait for numbers.
    fn defer(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if self.inner.fault(state).is_some() {
            return;
        }
        let mut words = std::mem::take(&mut self.base);
        self.inner.read(state, &mut words);
        self.pass_through(&words, None);
        self.inner.defer(state, &self.ends, out);
        self.base = words;
    }

    /// Works out the steps of a state before what they lead to has numbers, so that a reduction can
    /// [leave out](Collapsed::follow) some; `false` if there are none because something went wrong in
    /// the step to it.
    pub fn look(&mut self, state: StateId) -> bool {
        self.look_up_to(state, None)
    }

    /// The same, with one step for all those that are the same up to an exchange of processes, and to
    /// the state that stands for those which are.
    pub fn look_up_to(&mut self, state: StateId, exchange: Option<&mut dyn Exchange>) -> bool {
        if self.inner.fault(state).is_some() {
            self.ends.clear();
            return false;
        }
        let mut words = std::mem::take(&mut self.base);
        self.inner.read(state, &mut words);
        if let Some(exchange) = exchange {
            self.inner.note_left_out();
            exchange.turn_to(&words);
            self.expand_some(&words, Some(&|slots| exchange.keeps(slots)));
            let faults = &self.ends.faults;
            for (at, row) in self.ends.rows.chunks_exact_mut(words.len()).enumerate() {
                match faults.iter().any(|(faulty, _)| *faulty == at) {
                    true => exchange.leave(),
                    false => exchange.make_canonical(row),
                }
            }
        } else {
            self.expand_some(&words, None);
        }
        self.base = words;
        true
    }

    fn expand_some(&mut self, words: &[u64], keep: Option<Keep<'_>>) {
        if self.holds {
            self.pass_through(words, keep);
        } else {
            self.inner.expand_some(words, &mut self.ends, keep);
        }
    }

    /// The number of the state that stands for a state; its own if something went wrong in the step
    /// to it.
    pub fn canonical(&mut self, state: StateId, exchange: &mut dyn Exchange) -> StateId {
        if self.inner.fault(state).is_some() {
            exchange.leave();
            return state;
        }
        self.changed(state, |words| exchange.make_canonical(words))
    }

    /// The words of a state.
    pub fn words(&self, state: StateId) -> Vec<u64> {
        self.inner.packed(state)
    }

    /// The number of the state that comes of changing the words of one.
    pub fn changed(&mut self, state: StateId, change: impl FnOnce(&mut [u64])) -> StateId {
        let mut words = self.inner.packed(state);
        change(&mut words);
        self.inner.intern(&words)
    }

    /// The steps of the state that was looked at last.
    pub fn pending(&self) -> Pending<'_> {
        Pending { words: &self.base, actions: &self.ends.actions, ends: &self.ends }
    }

    /// Appends the steps of the state that was [looked at](Collapsed::look) last which are to be
    /// kept, by position. The others lead nowhere: what they lead to is not stored.
    pub fn follow(
        &mut self,
        state: StateId,
        keep: impl FnMut(usize) -> bool,
        out: &mut Vec<Transition>,
    ) {
        let before = self.ends.actions.len();
        self.ends.retain(self.base.len(), keep);
        if self.ends.actions.len() < before {
            self.inner.note_left_out();
        }
        self.inner.settle(state, &self.ends, out);
    }

    /// Adds a step to a packed state, unless one with the same moves is there.
    fn end(&mut self, way: WayId, row: &[u64], fault: Option<&Fault>) {
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
        let action = self.action_of(way);
        self.ends.actions.push(action);
        self.ends.rows.extend_from_slice(row);
        self.end_sets.push(set);
    }

    /// Whether there is a step with these moves to a packed state.
    fn has_end(&mut self, set: SetId, row: &[u64], fault: Option<&Fault>) -> bool {
        /// More steps are not looked through one by one.
        const FEW: usize = 16;
        let Collapsed { ends, end_sets, known_ends, known, .. } = self;
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

/// Processes that can be exchanged for each other without changing what can happen.
pub trait Exchange {
    /// Looks at a packed state whose steps are asked for next.
    fn turn_to(&mut self, words: &[u64]);

    /// Whether a step in which these slots take part stands for all that are the same in the state that
    /// was looked at last. If there are steps, it does so for one at least.
    fn keeps(&self, slots: &[u32]) -> bool;

    /// Makes a packed state the one that stands for all that are the same.
    fn make_canonical(&mut self, words: &mut [u64]);

    /// Takes note that the next state is left as it is, because something went wrong in the step to it.
    fn leave(&mut self) {}
}

/// Steps whose targets have no numbers yet.
pub struct Pending<'a> {
    /// The state that they leave.
    pub words: &'a [u64],
    /// Their actions.
    pub actions: &'a [ActionId],
    ends: &'a Steps,
}

impl Pending<'_> {
    /// Whether something goes wrong in the step at a position.
    pub fn is_faulty(&self, at: usize) -> bool {
        self.ends.fault(at).is_some()
    }
}

impl TransitionSystem for Collapsed {
    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        self.inner.differ_faintly(one, other)
    }

    fn by_reference(&mut self, on: bool) {
        self.inner.pause_native(on);
    }

    fn bytes(&self) -> usize {
        let of_action = |action: &Action| {
            size_of::<Action>() + action.moves.len() * 8 + action.participants.len() * 4
        };
        let actions = if self.holds { self.actions.iter().map(of_action).sum() } else { 0 };
        self.interpreter().state_bytes() + self.ways.bytes() + self.passage.bytes() + actions
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.inner.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if !self.holds {
            return self.inner.enabled(state, out);
        }
        self.defer_all(&[state], out, |_| {});
        self.inner.give_numbers(out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        if !self.holds {
            return self.inner.enabled_in_all(states, out, ends);
        }
        for some in states.chunks(self.inner.at_once()) {
            self.defer_all(some, out, |end| ends.push(end));
            self.inner.give_numbers(out);
        }
    }

    /// Steps that leave a sequence which goes on for ever.
    fn left_out(&mut self, state: StateId, out: &mut Vec<ActionId>) {
        if self.shows && self.inner.is_held(state) {
            let words = self.inner.packed(state);
            self.pass_through(&words, None);
            out.extend_from_slice(&self.leaving);
        }
    }

    fn interrupt(&mut self, stop: Option<Interrupt>) {
        self.inner.interrupt(stop);
    }

    fn is_committed(&mut self, state: StateId) -> bool {
        let mut leaving = Vec::new();
        self.left_out(state, &mut leaving);
        !leaving.is_empty()
    }

    fn action(&self, action: ActionId) -> &Action {
        if self.holds { &self.actions[action.index()] } else { self.inner.action(action) }
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.inner.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.inner.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.inner.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.inner.describe(state)
    }

    fn state_values(&self, state: StateId) -> StateValues {
        self.inner.state_values(state)
    }

    fn blocked(&mut self, state: StateId) -> Vec<Blocked> {
        self.inner.blocked(state)
    }

    fn growth(&self) -> Option<Growth> {
        self.inner.growth()
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.inner.valuation(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.inner.fault(state)
    }
}
