//! Steps by native code, of as many states at once as it can be asked about.

use fairly_omega::StateId;
use fairly_store::StateIndex;
use fairly_system::{ActionId, MoveId, Steps, Transition};

use super::Interpreter;
use crate::native::{Native, NativeScratch, Part, Rows};

/// Native code in place of interpretation, with what has been learned of it.
pub(crate) struct Accelerator {
    pub(crate) code: Box<dyn Native>,
    scratch: NativeScratch,
    /// By command; [`UNKNOWN`] if it has not been met.
    actions: Vec<ActionId>,
    /// How many states it is asked about next, at most: few if it declines often.
    ask: usize,
}

impl Accelerator {
    pub(super) fn new(code: Box<dyn Native>) -> Accelerator {
        let scratch = code.scratch();
        Accelerator { code, scratch, actions: Vec::new(), ask: 1 }
    }
}

/// More states are not asked about at once.
const MOST: usize = 64;

/// No action.
const UNKNOWN: ActionId = ActionId(u32::MAX);

/// Steps out of some states, nothing of which goes wrong.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) actions: Vec<ActionId>,
    pub(crate) rows: Rows,
    /// The states that were asked about.
    bases: Vec<u64>,
}

impl Interpreter {
    /// Lets native code make steps where it can.
    pub fn accelerate(&mut self, code: Box<dyn Native>) {
        self.native = Some(Accelerator::new(code));
    }

    /// Makes no use of native code from now on, or makes use of it again.
    pub(crate) fn pause_native(&mut self, paused: bool) {
        match paused {
            true => self.paused = self.native.take().or(self.paused.take()),
            false => self.native = self.paused.take().or(self.native.take()),
        }
    }

    /// The edge behind a move; `None` if there is none because it could not be worked out.
    pub fn part(&self, id: MoveId) -> Option<Part> {
        let key = self.space.program.names.key(id);
        (key.edge != u32::MAX).then_some(Part {
            slot: key.slot,
            variant: key.variant,
            location: key.location,
            edge: key.edge,
        })
    }

    /// How many states native code has declined, and how many it has made the steps of.
    pub fn native_counts(&self) -> (u64, u64) {
        self.native.as_ref().map_or((0, 0), |native| (native.scratch.declined, native.scratch.made))
    }

    /// Has native code made now, if there is to be any, and not when the first state is met.
    pub fn prepare_natively(&mut self) {
        if let Some(native) = &self.native {
            native.code.prepare();
        }
    }

    /// Whether native code makes steps.
    pub fn is_accelerated(&self) -> bool {
        self.native.is_some()
    }

    /// Makes `steps` those out of a packed state; `false` if native code declines.
    pub(super) fn expand_natively(&mut self, words: &[u64], steps: &mut Steps) -> bool {
        let Some(mut native) = self.native.take() else { return false };
        // The words of the successors are written where they stay.
        let mut batch = std::mem::take(&mut self.batch);
        batch.rows.clear();
        std::mem::swap(&mut batch.rows.words, &mut steps.rows);
        let done = native.code.steps(words, &mut native.scratch, &mut batch.rows) == 1;
        std::mem::swap(&mut batch.rows.words, &mut steps.rows);
        if done {
            self.name(&mut native, &batch.rows.commands, &mut steps.actions);
        }
        self.batch = batch;
        self.native = Some(native);
        done
    }

    /// Makes `batch` the steps out of the first of these states, as many as native code can be asked
    /// about at once and does not decline; how many, and whether the next one is left to the
    /// interpreter.
    pub(crate) fn expand_all(&mut self, states: &[StateId], batch: &mut Batch) -> (usize, bool) {
        batch.actions.clear();
        batch.rows.clear();
        let Some(mut native) = self.native.take() else { return (0, true) };
        let is_sound = |state: &&StateId| !self.faults.contains_key(*state);
        let sound = match self.faults.is_empty() {
            true => states.len(),
            false => states.iter().take_while(is_sound).count(),
        };
        let asked = &states[..sound.min(native.ask)];
        batch.bases.clear();
        self.states.read_all(asked.iter().map(|state| StateIndex(state.0)), &mut batch.bases);
        let done = native.code.steps(&batch.bases, &mut native.scratch, &mut batch.rows);
        self.name(&mut native, &batch.rows.commands, &mut batch.actions);
        if let Some(forget) = &mut self.memory.forget {
            forget.after(&self.space.program, &batch.actions, &mut batch.rows.words);
        }
        let declines = done < asked.len();
        native.ask = if declines { 1 } else { (native.ask * 2).min(MOST) };
        self.native = Some(native);
        (done, declines || sound == 0)
    }

    /// Appends the transitions of states whose targets have to be [numbered](Interpreter::give_numbers)
    /// still, and says where those of each of them end.
    pub(super) fn defer_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        mut end: impl FnMut(usize),
    ) {
        let mut batch = std::mem::take(&mut self.batch);
        let mut left = states;
        while !left.is_empty() {
            let (done, declines) = self.expand_all(left, &mut batch);
            let before = out.len();
            out.extend(batch.actions.iter().map(|&action| unnumbered(action)));
            batch.rows.ends.iter().for_each(|&to| end(before + to));
            self.defer_batch(left, &mut batch);
            left = &left[done..];
            if declines && let [state, rest @ ..] = left {
                self.defer_one(*state, out);
                end(out.len());
                left = rest;
            }
        }
        self.batch = batch;
    }

    /// Lets the rows of a batch wait for numbers, in place of which the caller has appended transitions.
    pub(crate) fn defer_batch(&mut self, states: &[StateId], batch: &mut Batch) {
        let mut begin = 0;
        for (&state, &end) in states.iter().zip(&batch.rows.ends) {
            self.note_stuck(state, begin == end);
            begin = end;
        }
        self.states.add_all(&mut batch.rows.words, &batch.rows.ends);
    }

    /// Appends the actions of commands.
    #[inline]
    fn name(&mut self, native: &mut Accelerator, commands: &[u32], actions: &mut Vec<ActionId>) {
        let first = actions.len();
        let mut unknown = false;
        actions.extend(commands.iter().map(|&command| {
            let action = native.actions.get(command as usize).copied().unwrap_or(UNKNOWN);
            unknown |= action == UNKNOWN;
            action
        }));
        if unknown {
            for (action, &command) in actions[first..].iter_mut().zip(commands) {
                *action = self.native_action(native, command);
            }
        }
    }

    /// The action of a command, which may not have been met.
    #[cold]
    fn native_action(&mut self, native: &mut Accelerator, command: u32) -> ActionId {
        let parts = native.code.parts(command);
        let known = |at: usize| {
            let part = parts[at];
            let (slot, variant) = (part.slot as usize, part.variant as usize);
            let ready = self.space.program.ready(slot, variant, part.location as usize);
            let known = ready.and_then(|ready| ready.edges[part.edge as usize].known);
            known.expect("native code takes only edges whose event is known")
        };
        let event = known(0).0;
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&at| parts[at].slot);
        let moves: Vec<_> = order.into_iter().map(|at| known(at).1).collect();
        let action = self.space.program.names.action_id(&mut self.work.used, event, &moves);
        let at = command as usize;
        native.actions.resize(native.actions.len().max(at + 1), UNKNOWN);
        native.actions[at] = action;
        action
    }
}

/// A transition whose target has to be numbered.
#[inline]
pub(crate) fn unnumbered(action: ActionId) -> Transition {
    Transition { target: StateId(u32::MAX), action }
}
