//! The states of a space, numbered in the order in which they are met.

use std::cell::RefCell;
use std::sync::Arc;

use fairly_omega::{StateId, Stop};
use fairly_store::{Numbers, StateIndex, StoreError};
use fairly_system::{
    Action, ActionId, AtomIndex, Blocked, Fault, Growth, MoveId, Packed, Scratch, Signature, Space,
    StateValues, Steps, Transition, TransitionSystem,
};
use hashbrown::HashMap;

/// A space whose states are numbered as they are met.
///
/// A step in which something goes wrong leads to a state of its own, which has no steps and no row:
/// [`TransitionSystem::fault`] tells what it was, and the state is shown as the one before it.
pub struct Explored<S: Space + ?Sized> {
    space: Arc<S>,
    scratch: Scratch,
    states: Numbers,
    /// States that something went wrong in the step to.
    faults: HashMap<StateId, Broken>,
    fault_ids: HashMap<Broken, StateId>,
    /// Whether the initial states have been met.
    is_begun: bool,
    /// By state: whether all of its steps have been followed.
    expanded: Vec<bool>,
    /// Whether steps have been left out of some state.
    leaves_out: bool,
    /// The states that were expanded last, their rows, and their steps.
    latest: Vec<StateId>,
    rows: Vec<u64>,
    steps: Steps,
    /// The state that was read last.
    reading: RefCell<Cursor>,
}

/// A fault, and the state that it is in; `None` if it is in the initial one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Broken {
    fault: Fault,
    before: Option<StateId>,
}

struct Cursor {
    state: Option<StateId>,
    row: Vec<u64>,
    scratch: Scratch,
}

/// Successors of so many words may wait for numbers together.
const WAITING_WORDS: usize = 1 << 16;
/// States are not expanded in larger blocks, so that their steps stay in the caches of the processor.
const BLOCK: usize = 64;

impl<S: Space> Explored<S> {
    /// Nothing has been met of it.
    pub fn new(space: S) -> Explored<S> {
        Explored::of(Arc::new(space))
    }
}

impl<S: Space + ?Sized> Explored<S> {
    /// Nothing has been met of a space that others use as well.
    pub fn of(space: Arc<S>) -> Explored<S> {
        let width = space.width();
        let reading = Cursor { state: None, row: vec![0; width], scratch: space.scratch() };
        Explored {
            scratch: space.scratch(),
            states: Numbers::new(width),
            faults: HashMap::new(),
            fault_ids: HashMap::new(),
            is_begun: false,
            expanded: Vec::new(),
            leaves_out: false,
            latest: Vec::new(),
            rows: Vec::new(),
            steps: Steps::default(),
            reading: RefCell::new(reading),
            space,
        }
    }

    /// Drops all states, and begins anew.
    pub fn restart(&mut self) {
        let width = self.space.width();
        self.scratch = self.space.scratch();
        self.states = Numbers::new(width);
        self.faults.clear();
        self.fault_ids.clear();
        self.is_begun = false;
        self.expanded.clear();
        self.leaves_out = false;
        self.latest.clear();
        let scratch = self.space.scratch();
        self.reading = RefCell::new(Cursor { state: None, row: vec![0; width], scratch });
    }

    /// Whether every state has been met that can be reached, its steps included, and nothing goes wrong there.
    pub fn is_known_to_be_faultless(&self) -> bool {
        !self.leaves_out && self.meets_no_fault()
    }

    /// The same without what is left out of some states.
    pub fn meets_no_fault(&self) -> bool {
        self.is_begun
            && self.faults.is_empty()
            && self.expanded.len() == self.states.len()
            && !self.expanded.contains(&false)
    }

    /// The row of a state; `None` if something went wrong in the step to it.
    pub fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        (!self.faults.contains_key(&state)).then(|| self.row(state))
    }

    /// The space, for others to use as well.
    pub fn shared(&self) -> Arc<S> {
        Arc::clone(&self.space)
    }

    /// The space.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The number of states that have been met.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The row of a state; that of the state before if something went wrong in the step to it.
    pub fn row(&self, state: StateId) -> Vec<u64> {
        let mut row = vec![0; self.space.width()];
        self.states.get(index(self.shown(state).unwrap_or(state)), &mut row);
        row
    }

    /// The number of the state with a row, which has one from now on.
    pub fn number(&mut self, row: &[u64]) -> StateId {
        let mut numbers = Vec::new();
        self.states.add_alone(row);
        match self.states.intern(&mut numbers) {
            Ok(()) => StateId(numbers[0].0.0),
            Err(full) => self.beyond(full),
        }
    }

    /// The number here of a state of another space with the same rows; it has one from now on.
    pub fn number_of<T: Space + ?Sized>(&mut self, other: &Explored<T>, state: StateId) -> StateId {
        let Some(Broken { fault, before }) = other.faults.get(&state) else {
            return self.number(&other.row(state));
        };
        let before = before.map(|before| self.number_of(other, before));
        self.broken(fault.clone(), before)
    }

    /// Appends steps of a state that were made elsewhere.
    pub fn number_steps(&mut self, state: StateId, steps: &Steps, out: &mut Vec<Transition>) {
        self.add(state, steps, 0..steps.actions.len(), out);
        self.give_numbers(out);
    }

    /// The state to show for a state: itself, or the one before something went wrong.
    fn shown(&self, state: StateId) -> Option<StateId> {
        match self.faults.get(&state) {
            Some(broken) => broken.before,
            None => Some(state),
        }
    }

    fn broken(&mut self, fault: Fault, before: Option<StateId>) -> StateId {
        let broken = Broken { fault, before };
        if let Some(&known) = self.fault_ids.get(&broken) {
            return known;
        }
        let id = StateId(self.states.push_apart().0);
        self.faults.insert(id, broken.clone());
        self.fault_ids.insert(broken, id);
        id
    }

    /// The state that stands for those that there is no room for: nothing is known of what follows.
    fn beyond(&mut self, full: StoreError) -> StateId {
        self.broken(Fault::limit(full.to_string(), None), None)
    }

    #[inline]
    fn note_expanded(&mut self, state: StateId) {
        if self.expanded.len() <= state.index() {
            self.expanded.resize(self.states.len().max(state.index() + 1), false);
        }
        self.expanded[state.index()] = true;
    }

    /// The position of a state among those that were expanded last, which it is from now on.
    fn latest(&mut self, state: StateId) -> Option<usize> {
        if let Some(at) = self.latest.iter().position(|&it| it == state) {
            return Some(at);
        }
        if self.faults.contains_key(&state) {
            return None;
        }
        self.steps.clear();
        self.latest.clear();
        self.latest.push(state);
        self.rows.resize(self.space.width(), 0);
        self.states.read(index(state), &mut self.rows);
        self.space.expand(&self.rows, &mut self.scratch, &mut self.steps);
        Some(0)
    }

    /// Appends steps of a state, which was read last. The targets of the last ones may still have to be
    /// [numbered](Explored::give_numbers): all that wait for it stand at the end of `out`.
    fn add(
        &mut self,
        state: StateId,
        steps: &Steps,
        of: std::ops::Range<usize>,
        out: &mut Vec<Transition>,
    ) {
        let width = self.space.width();
        let rows = &steps.rows[of.start * width..of.end * width];
        let unnumbered = |&action: &ActionId| Transition { target: StateId(u32::MAX), action };
        if steps.faults.is_empty() {
            self.states.add(rows);
            return out.extend(steps.actions[of].iter().map(unnumbered));
        }
        for (at, row) in of.zip(rows.chunks_exact(width)) {
            let action = steps.actions[at];
            match steps.fault(at) {
                Some(fault) => {
                    self.give_numbers(out);
                    let target = self.broken(fault.clone(), Some(state));
                    out.push(Transition { target, action });
                }
                None => {
                    self.states.add(row);
                    out.push(unnumbered(&action));
                }
            }
        }
    }

    /// Numbers the targets of the last transitions of `out`, as many as wait for that.
    fn give_numbers(&mut self, out: &mut [Transition]) {
        let first = out.len() - self.states.waiting();
        let waiting = &mut out[first..];
        let set = |transition: &mut Transition, state: StateIndex| {
            transition.target = StateId(state.0);
        };
        if let Err((numbered, full)) = self.states.number(waiting, set) {
            let target = self.beyond(full);
            waiting[numbered..].iter_mut().for_each(|transition| transition.target = target);
        }
    }

    /// Expands states that nothing went wrong in the step to, all at once. The targets may still have to be
    /// [numbered](Explored::give_numbers).
    fn expand(&mut self, states: &[StateId], out: &mut Vec<Transition>, ends: &mut Vec<usize>) {
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.latest.clear();
        self.latest.extend_from_slice(states);
        self.rows.clear();
        self.states.read_all(states.iter().copied().map(index), &mut self.rows);
        self.space.expand(&self.rows, &mut self.scratch, &mut steps);
        self.leaves_out |= !steps.omitted.is_empty();
        states.iter().for_each(|&state| self.note_expanded(state));
        if steps.faults.is_empty() {
            let before = out.len();
            self.states.add_all(&mut steps.rows, &steps.ends);
            let unnumbered = |&action: &ActionId| Transition { target: StateId(u32::MAX), action };
            out.extend(steps.actions.iter().map(unnumbered));
            ends.extend(steps.ends.iter().map(|end| before + end));
        } else {
            let mut row = vec![0; self.space.width()];
            let mut begin = 0;
            for (&state, &end) in states.iter().zip(&steps.ends) {
                self.states.read(index(state), &mut row);
                self.add(state, &steps, begin..end, out);
                self.give_numbers(out);
                ends.push(out.len());
                begin = end;
            }
        }
        self.steps = steps;
    }

    /// Does something with the row of a state: the one before, if something went wrong in the step to this
    /// one. `None` if there is none before.
    fn reading<T>(
        &self,
        state: StateId,
        read: impl FnOnce(&[u64], &mut Scratch) -> T,
    ) -> Option<T> {
        let state = self.shown(state)?;
        let mut reading = self.reading.borrow_mut();
        let Cursor { state: known, row, scratch } = &mut *reading;
        if *known != Some(state) {
            self.states.get(index(state), row);
            *known = Some(state);
        }
        Some(read(row, scratch))
    }
}

impl<S: Space + ?Sized> TransitionSystem for Explored<S> {
    fn signature(&self) -> &Signature {
        self.space.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.is_begun = true;
        let mut steps = Steps::default();
        self.space.initial(&mut self.scratch, &mut steps);
        let mut initial = Vec::new();
        for (at, row) in steps.rows.chunks_exact(self.space.width()).enumerate() {
            let state = match steps.fault(at) {
                None => self.number(row),
                Some(fault) => self.broken(fault.clone(), None),
            };
            if !initial.contains(&state) {
                initial.push(state);
            }
        }
        initial
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if !self.faults.contains_key(&state) {
            self.expand(&[state], out, &mut Vec::new());
            self.give_numbers(out);
        }
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        let chunks = states.chunks((WAITING_WORDS / self.space.width()).max(1));
        for (at, some) in chunks.enumerate() {
            // There are several only if rows are long.
            if at > 0 && self.scratch.stop.is_due() {
                return;
            }
            let mut left = some;
            while !left.is_empty() {
                let sound = match self.faults.is_empty() {
                    true => left.len(),
                    false => {
                        let is_sound = |state: &&StateId| !self.faults.contains_key(*state);
                        left.iter().take_while(is_sound).count()
                    }
                };
                if sound == 0 {
                    ends.push(out.len());
                    left = &left[1..];
                    continue;
                }
                let (block, rest) = left.split_at(sound.min(BLOCK));
                self.expand(block, out, ends);
                left = rest;
            }
            self.give_numbers(out);
        }
    }

    fn left_out(&mut self, state: StateId, out: &mut Vec<ActionId>) {
        if let Some(at) = self.latest(state) {
            let here = self.steps.omitted.iter().filter(|(row, _)| *row == at);
            out.extend(here.map(|(_, action)| *action));
        }
    }

    fn is_committed(&mut self, state: StateId) -> bool {
        self.latest(state).is_some_and(|at| self.steps.committed.contains(&at))
    }

    fn growth(&self) -> Option<Growth> {
        self.space.growth(self.states.len(), &mut |at, row| {
            let state = StateId::from_index(at);
            let is_there = !self.faults.contains_key(&state);
            if is_there {
                self.states.get(index(state), row);
            }
            is_there
        })
    }

    fn action(&self, action: ActionId) -> &Action {
        self.space.signature().action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        if !self.faults.contains_key(&state) {
            self.reading(state, |row, scratch| self.space.offered(row, scratch, out));
        }
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.space.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.reading(state, |row, scratch| self.space.holds(row, atom, scratch)).unwrap_or(false)
    }

    fn describe(&self, state: StateId) -> String {
        let shown = self.reading(state, |row, _| self.space.describe(row)).unwrap_or_default();
        match self.fault(state) {
            None => shown,
            Some(fault) if shown.is_empty() => format!("fault: {}", fault.message),
            Some(fault) => format!("fault: {} {shown}", fault.message),
        }
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.reading(state, |row, _| self.space.valuation(row)).unwrap_or_default()
    }

    fn state_values(&self, state: StateId) -> StateValues {
        self.reading(state, |row, _| self.space.values(row)).unwrap_or_default()
    }

    fn blocked(&mut self, state: StateId) -> Vec<Blocked> {
        let blocked = |row: &[u64], scratch: &mut Scratch| self.space.blocked(row, scratch);
        self.reading(state, blocked).unwrap_or_default()
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        // Most systems have none, and this is asked of every state.
        if self.faults.is_empty() {
            return None;
        }
        self.faults.get(&state).map(|broken| &broken.fault)
    }

    fn bytes(&self) -> usize {
        self.states.bytes() + self.scratch.bytes
    }

    fn stop_at(&mut self, stop: Stop) {
        self.scratch.stop = stop;
    }
}

impl<S: Space + ?Sized> Packed for Explored<S> {
    fn width(&self) -> usize {
        self.space.width()
    }

    fn first_row(&mut self) -> Result<Vec<u64>, Fault> {
        let mut steps = Steps::default();
        self.space.initial(&mut self.scratch, &mut steps);
        match steps.fault(0) {
            Some(fault) => Err(fault.clone()),
            None => Ok(steps.rows),
        }
    }

    fn expand_row(&mut self, row: &[u64], out: &mut Steps) {
        out.clear();
        self.space.expand(row, &mut self.scratch, out);
    }

    fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool {
        self.space.holds(row, atom, &mut self.scratch)
    }

    fn number(&mut self, row: &[u64]) -> StateId {
        Explored::number(self, row)
    }
}

#[inline]
fn index(state: StateId) -> StateIndex {
    StateIndex(state.0)
}
