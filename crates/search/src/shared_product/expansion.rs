//! Records of states: their steps, and the meaning of the state.

use std::ops::Range;
use std::sync::PoisonError;

use fairly_omega::MarkSet;
use fairly_store::{Record, StateIndex};
use fairly_system::{ActionId, EventPosition, Fault, FaultKind, Space};

use super::{
    BLOCK, Claimed, IS_COMMITTED, IS_LIMITED, MOST_FRESH, Memory, Missing, OfAction, SharedProduct,
    push,
};

impl<S: Space + ?Sized> SharedProduct<'_, S> {
    /// Notes the limits that steps of a state of a node reach.
    pub(super) fn note_limits(&self, state: StateIndex) {
        let known = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        for fault in known.get(&state.0).into_iter().flatten() {
            self.note(Missing::Limit(fault.clone()));
        }
    }

    /// The record of a state, which this worker makes if no other does; `None` if there is no room for states.
    pub(super) fn record(&self, state: StateIndex, memory: &mut Memory) -> Option<Record<'_>> {
        loop {
            if let Some(record) = self.records.get(state.0) {
                return Some(record);
            }
            if self.records.claim(state.0) {
                self.expand_around(state, memory)?;
            } else {
                self.records.wait(state.0);
            }
        }
    }

    /// Writes the record of a state that was claimed, and those of some states that were met lately. A search goes on
    /// there most of the time; not if the automaton leads it elsewhere.
    fn expand_around(&self, state: StateIndex, memory: &mut Memory) -> Option<()> {
        let mut block =
            Claimed { records: &self.records, states: std::mem::take(&mut memory.block) };
        block.states.clear();
        block.states.push(state);
        if memory.ahead <= 2 * memory.counted.0 + BLOCK {
            while block.states.len() < BLOCK {
                let Some(fresh) = memory.fresh.pop() else { break };
                if self.records.claim(fresh.0) {
                    block.states.push(fresh);
                }
            }
        }
        memory.ahead += block.states.len() - 1;
        let width = self.space.width();
        memory.rows.resize(block.states.len() * width, 0);
        for (&state, row) in block.states.iter().zip(memory.rows.chunks_exact_mut(width)) {
            self.states.get(state, row, &mut memory.nodes);
        }
        memory.steps.clear();
        self.space.expand(&memory.rows, &mut memory.scratch, &mut memory.steps);
        self.without_faults(&block.states, memory);
        memory.found.clear();
        let Memory { steps, nodes, found, fresh, .. } = &mut *memory;
        if let Err(full) = self.states.insert_all(&steps.rows, width, nodes, found) {
            self.note(Missing::Store(full));
            return None;
        }
        fresh.extend(found.iter().filter(|(_, is_new)| *is_new).map(|(state, _)| *state));
        if fresh.len() > MOST_FRESH {
            fresh.drain(..MOST_FRESH / 2);
        }
        self.put_broken(&block.states, memory)?;
        let mut begin = 0;
        for at in 0..block.states.len() {
            let steps = std::mem::replace(&mut begin, memory.steps.ends[at])..memory.steps.ends[at];
            self.write(block.states[at], at, steps, memory);
        }
        block.states.clear();
        memory.block = std::mem::take(&mut block.states);
        Some(())
    }

    /// Takes out the steps that reach a limit, and the rows of those that are errors; lets states without steps idle.
    fn without_faults(&self, block: &[StateIndex], memory: &mut Memory) {
        let Memory { steps, rows, broken, .. } = memory;
        broken.clear();
        let mut begin = 0;
        let mut is_idle = |end: &usize| std::mem::replace(&mut begin, *end) == *end;
        if steps.faults.is_empty() && !steps.ends.iter().any(&mut is_idle) {
            return;
        }
        let width = self.space.width();
        let old = std::mem::take(steps);
        let mut faults = old.faults.into_iter().peekable();
        (steps.omitted, steps.committed) = (old.omitted, old.committed);
        let mut begin = 0;
        for (at, end) in old.ends.into_iter().enumerate() {
            let range = std::mem::replace(&mut begin, end)..end;
            if range.is_empty() {
                steps.actions.push(ActionId::IDLE);
                steps.rows.extend_from_slice(&rows[at * width..(at + 1) * width]);
            }
            for step in range {
                let action = old.actions[step];
                match faults.next_if(|(of, _)| *of == step) {
                    None => {
                        steps.actions.push(action);
                        let row = &old.rows[step * width..(step + 1) * width];
                        steps.rows.extend_from_slice(row);
                    }
                    Some((_, fault)) if fault.kind == FaultKind::Limit => {
                        let mut known = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
                        known.entry(block[at].0).or_default().push(fault);
                        // It is enabled all the same.
                        steps.omitted.push((at, action));
                    }
                    Some((_, fault)) => {
                        broken.push((steps.actions.len(), fault));
                        steps.actions.push(action);
                    }
                }
            }
            steps.ends.push(steps.actions.len());
        }
    }

    /// Gives the steps that are errors their targets, with the row of the state before.
    fn put_broken(&self, block: &[StateIndex], memory: &mut Memory) -> Option<()> {
        let width = self.space.width();
        for (step, fault) in std::mem::take(&mut memory.broken) {
            let at = memory.steps.ends.partition_point(|&end| end <= step);
            let row = memory.rows[at * width..(at + 1) * width].to_vec();
            let target = self.break_down(Some((block[at], &row)), &fault, memory)?;
            memory.found.insert(step, (target, false));
            let place = step * width;
            memory.steps.rows.splice(place..place, row);
        }
        Some(())
    }

    /// The state behind an error of the model in a step from a state with a row, or in an initial step; `None` if there
    /// is no room for it.
    pub(super) fn break_down(
        &self,
        before: Option<(StateIndex, &[u64])>,
        fault: &Fault,
        memory: &mut Memory,
    ) -> Option<StateIndex> {
        let key = (before.map(|(state, _)| state.0), fault.clone());
        let blank = vec![0; self.space.width()];
        let row = before.map_or(&*blank, |(_, row)| row);
        let state = {
            let mut broken = self.broken();
            if let Some(&known) = broken.numbers.get(&key) {
                return Some(known);
            }
            let state = match self.states.push_apart(row, &mut memory.nodes) {
                Ok(state) => state,
                Err(full) => {
                    self.note(Missing::Store(full));
                    return None;
                }
            };
            // Before another worker gets to know the number.
            let is_first = self.records.claim(state.0);
            debug_assert!(is_first, "{state:?} is new");
            broken.numbers.insert(key, state);
            broken.faults.insert(state.0, fault.clone());
            state
        };
        let Memory { scratch, valuation, sets, happening, actions, of_state, .. } = memory;
        let none = std::iter::empty();
        let own = match before {
            Some(_) => self.valuation(row, &none, scratch, valuation),
            None => 0,
        };
        let answers = self.of_action(ActionId::IDLE, actions, sets, happening).answers.clone();
        let marks = match self.lowering.constraints().is_empty() {
            true => 0,
            false => *of_state
                .entry(answers)
                .or_insert_with_key(|it| self.set(&self.lowering.state_marks(it), sets)),
        };
        let layout = self.layout;
        let mut words = vec![0];
        push(&mut words, own, layout.valuation);
        push(&mut words, marks, layout.marks);
        words.extend([state.0, ActionId::IDLE.0]);
        push(&mut words, own, layout.step - 2);
        self.records.put(state.0, &words, &mut memory.writer);
        Some(state)
    }

    /// The marks that a state gives to all of its steps. It is the one at a position of the block that was expanded,
    /// and its steps are these.
    fn state_marks(&self, at: usize, steps: Range<usize>, memory: &mut Memory) -> u64 {
        if self.lowering.constraints().is_empty() {
            return 0;
        }
        let width = self.space.width();
        let Memory { steps: all, actions, moves, offered, rows, scratch, of_state, .. } = memory;
        let (sets, happening) = (&mut memory.sets, &mut memory.happening);
        let mut answered = MarkSet::new();
        let omitted = all.omitted.iter().filter(|(of, _)| *of == at).map(|(_, action)| action);
        for &action in all.actions[steps].iter().chain(omitted) {
            let OfAction { answers, .. } = self.of_action(action, actions, sets, happening);
            answered.union_with(answers);
        }
        if self.lowering.asks_ready() {
            offered.clear();
            self.space.offered(&rows[at * width..(at + 1) * width], scratch, offered);
            for id in offered.iter() {
                if id.index() >= moves.len() {
                    moves.resize(id.index() + 1, None);
                }
                let of_move = || self.lowering.of_move(*id, self.space.signature());
                answered.union_with(moves[id.index()].get_or_insert_with(of_move));
            }
        }
        if let Some(&known) = of_state.get(&answered) {
            return known;
        }
        let marks = self.set(&self.lowering.state_marks(&answered), sets);
        of_state.insert(answered, marks);
        marks
    }

    /// Writes the record of a state at a position of the block that was expanded: whether it reaches a limit, its
    /// propositions and marks, and its steps.
    fn write(&self, state: StateIndex, at: usize, steps: Range<usize>, memory: &mut Memory) {
        let marks = self.state_marks(at, steps.clone(), memory);
        let (width, layout) = (self.space.width(), self.layout);
        let Memory { rows, scratch, words, found, writer, steps: all, valuation, .. } = memory;
        let is_omitted = |it: &&(usize, ActionId)| it.0 == at;
        let own = match self.reading {
            EventPosition::Entering if !self.lowering.asks_steps() && self.enabled.is_empty() => 0,
            _ => {
                let omitted = all.omitted.iter().filter(is_omitted).map(|(_, action)| *action);
                let actions = all.actions[steps.clone()].iter().copied().chain(omitted);
                self.valuation(&rows[at * width..(at + 1) * width], &actions, scratch, valuation)
            }
        };
        let is_limited = !all.omitted.is_empty()
            && self.limits.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&state.0);
        let mut flags = 0;
        if is_limited {
            flags |= IS_LIMITED;
        }
        if all.committed.contains(&at) {
            flags |= IS_COMMITTED;
        }
        words.clear();
        words.push(flags);
        push(words, own, layout.valuation);
        push(words, marks, layout.marks);
        for step in steps {
            words.extend([found[step].0.0, all.actions[step].0]);
            if layout.step > 2 {
                let row = &all.rows[step * width..(step + 1) * width];
                let holding = self.valuation(row, &std::iter::empty(), scratch, valuation);
                push(words, holding, layout.valuation);
            }
        }
        self.records.put(state.0, words, writer);
    }
}
