//! The steps out of a packed state, before the states that they lead to have numbers.

use fairly_omega::StateId;
use fairly_store::Full;
use fairly_system::{ActionId, Fault, Steps, Transition};

use super::natively::unnumbered;
use super::{Interpreter, index};
use crate::limits::Long;

/// Which steps are wanted, by the slots that take part in them.
pub(crate) type Keep<'a> = &'a dyn Fn(&[u32]) -> bool;

impl Interpreter {
    /// Makes `steps` those out of a packed state.
    pub(crate) fn expand(&mut self, words: &[u64], steps: &mut Steps) {
        self.expand_some(words, steps, None);
    }

    /// Makes `steps` those out of a packed state that are to be kept, by the slots that take part.
    pub(crate) fn expand_some(&mut self, words: &[u64], steps: &mut Steps, keep: Option<Keep<'_>>) {
        self.expand_remembering(words, steps, keep);
        if let Some(forget) = &mut self.memory.forget {
            forget.after(&self.space.program, &steps.actions, &mut steps.rows);
        }
    }

    /// The same without native code.
    pub(crate) fn interpret_some(
        &mut self,
        words: &[u64],
        steps: &mut Steps,
        keep: Option<Keep<'_>>,
    ) {
        self.interpret(words, steps, keep);
        if let Some(forget) = &mut self.memory.forget {
            forget.after(&self.space.program, &steps.actions, &mut steps.rows);
        }
    }

    fn expand_remembering(&mut self, words: &[u64], steps: &mut Steps, keep: Option<Keep<'_>>) {
        steps.clear();
        let mut slots = Vec::new();
        if self.native.is_some() && self.expand_natively(words, steps) {
            if let Some(keep) = keep {
                let actions = std::mem::take(&mut steps.actions);
                let kept: Vec<bool> = actions
                    .iter()
                    .map(|&action| {
                        slots.clear();
                        let taking =
                            &self.space.program.names.signature.action(action).participants;
                        slots.extend(taking.iter().map(|process| process.0));
                        keep(&slots)
                    })
                    .collect();
                steps.actions = actions;
                steps.retain(words.len(), |at| kept[at]);
            }
            return;
        }
        self.interpret(words, steps, keep);
    }

    /// The same without native code.
    fn interpret(&mut self, words: &[u64], steps: &mut Steps, keep: Option<Keep<'_>>) {
        steps.clear();
        let is_long = self.space.interpret(words, &mut self.work, steps, keep);
        if let (true, Some(native)) = (is_long, &self.native) {
            let share = self.space.program.limits.statements / Long::SHARE as u64;
            native.code.limit_statements(share);
        }
    }

    /// Copies the words of a state whose steps are looked for.
    pub(crate) fn read(&mut self, state: StateId, words: &mut [u64]) {
        self.states.read(index(state), words);
    }

    /// Appends all steps out of a state, which was read last, as transitions to numbered states.
    pub(crate) fn settle(&mut self, state: StateId, steps: &Steps, out: &mut Vec<Transition>) {
        self.defer(state, steps, out);
        self.give_numbers(out);
    }

    /// Appends all steps out of a state, which was read last, as transitions. The targets of the last
    /// ones may still have to be [numbered](Interpreter::give_numbers): all that wait for it, whatever
    /// state they leave, stand at the end of `out`.
    pub(crate) fn defer(&mut self, state: StateId, steps: &Steps, out: &mut Vec<Transition>) {
        self.note_stuck(state, steps.actions.is_empty());
        if steps.faults.is_empty() {
            return self.defer_rows(&steps.actions, &steps.rows, out);
        }
        let rows = steps.rows.chunks_exact(self.space.program.layout.words).zip(&steps.actions);
        for (at, (row, &action)) in rows.enumerate() {
            match steps.fault(at) {
                Some(fault) => {
                    self.give_numbers(out);
                    let target = self.broken(fault.clone(), Some(state));
                    out.push(Transition { target, action });
                }
                None => self.defer_rows(&[action], row, out),
            }
        }
    }

    fn defer_rows(&mut self, actions: &[ActionId], rows: &[u64], out: &mut Vec<Transition>) {
        self.states.add(rows);
        out.extend(actions.iter().map(|&action| unnumbered(action)));
    }

    /// The state that stands for those that there is no room for: nothing is known of what follows.
    fn beyond(&mut self, full: Full) -> StateId {
        self.broken(Fault::limit(full.to_string(), None), None)
    }

    /// Remembers that not everything that can be reached is looked at.
    pub(crate) fn note_left_out(&mut self) {
        self.left_out = true;
    }

    #[inline]
    pub(super) fn note_stuck(&mut self, state: StateId, stuck: bool) {
        if self.stuck.len() <= state.index() {
            self.stuck.resize(self.states.len().max(state.index() + 1), None);
        }
        self.stuck[state.index()] = Some(stuck);
    }

    /// As [`defer`](Interpreter::defer), of a state that was not read, nor its steps looked for, which
    /// is done without native code.
    pub(super) fn defer_one(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if self.faults.contains_key(&state) {
            return;
        }
        let mut words = std::mem::take(&mut self.base);
        let mut steps = std::mem::take(&mut self.steps);
        self.read(state, &mut words);
        self.interpret(&words, &mut steps, None);
        if let Some(forget) = &mut self.memory.forget {
            forget.after(&self.space.program, &steps.actions, &mut steps.rows);
        }
        self.defer(state, &steps, out);
        self.steps = steps;
        self.base = words;
    }

    /// The same of steps that nothing goes wrong in.
    pub(crate) fn defer_sound(
        &mut self,
        state: StateId,
        actions: &[ActionId],
        rows: &[u64],
        out: &mut Vec<Transition>,
    ) {
        self.note_stuck(state, actions.is_empty());
        self.defer_rows(actions, rows, out);
    }

    /// Numbers the targets of the last transitions of `out`, as many as wait for that.
    pub(crate) fn give_numbers(&mut self, out: &mut [Transition]) {
        let first = out.len() - self.states.waiting();
        let waiting = &mut out[first..];
        let met = self.states.len();
        let done =
            self.states.number(waiting, |transition, state| transition.target = StateId(state.0));
        if self.space.program.unfolds() {
            for state in met..self.states.len() {
                self.prepare(StateId::from_index(state));
            }
        }
        if let Err((numbered, full)) = done {
            let target = self.beyond(full);
            waiting[numbered..].iter_mut().for_each(|transition| transition.target = target);
        }
    }

    /// Makes sure that the edges of a new state are there: what is asked of a state without changing
    /// anything has to find them.
    fn prepare(&mut self, state: StateId) {
        let words = self.packed(state);
        self.space.unpack(&words, &mut self.work);
    }

    /// Gives one state a number.
    pub(crate) fn intern(&mut self, words: &[u64]) -> StateId {
        let mut numbers = Vec::new();
        self.states.add_alone(words);
        match self.states.intern(&mut numbers) {
            Ok(()) => {
                let state = StateId(numbers[0].0.0);
                if self.space.program.unfolds() {
                    self.prepare(state);
                }
                state
            }
            Err(full) => self.beyond(full),
        }
    }
}

impl Interpreter {
    /// The words of a state; `None` if something went wrong in the step to it.
    pub(crate) fn packed_well(&self, state: StateId) -> Option<Vec<u64>> {
        if self.faults.contains_key(&state) {
            return None;
        }
        let mut words = vec![0; self.space.program.layout.words];
        self.states.get(index(state), &mut words);
        Some(words)
    }

    /// The state in which all is forgotten that is dead in a state: see `forget.rs`.
    pub(crate) fn without_dead(&mut self, state: StateId) -> StateId {
        let Some(forget) = &self.memory.forget else { return state };
        if self.faults.contains_key(&state) {
            return state;
        }
        let mut words = vec![0; self.space.program.layout.words];
        self.states.get(index(state), &mut words);
        forget.everywhere(&self.space.program.layout, &mut words);
        self.intern(&words)
    }
}
