//! The steps out of a packed state, before the states that they lead to have numbers.

use fairly_omega::StateId;
use fairly_store::Full;
use fairly_system::{ActionId, Fault, Transition};

use super::join::Way;
use super::{Interpreter, Work, step};
use crate::native::Rows;

/// Steps out of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) actions: Vec<ActionId>,
    /// What they lead to, one state after the other; for a step in which something goes wrong there
    /// is a row that means nothing.
    pub(crate) rows: Vec<u64>,
    /// The steps in which something goes wrong, by position and in order.
    pub(crate) faults: Vec<(usize, Fault)>,
}

/// Which steps are wanted, by the slots that take part in them.
pub(crate) type Keep<'a> = &'a dyn Fn(&[u32]) -> bool;

impl Steps {
    pub(crate) fn clear(&mut self) {
        self.actions.clear();
        self.rows.clear();
        self.faults.clear();
    }

    /// Drops the steps that are not to be kept, by position; a state has so many words.
    pub(crate) fn retain(&mut self, words: usize, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.actions.len() {
            let is_kept = keep(at);
            match self.faults.iter().position(|(step, _)| *step == at) {
                Some(fault) if is_kept => self.faults[fault].0 = kept,
                Some(fault) => {
                    self.faults.remove(fault);
                }
                None => {}
            }
            if is_kept {
                self.actions[kept] = self.actions[at];
                self.rows.copy_within(at * words..(at + 1) * words, kept * words);
                kept += 1;
            }
        }
        self.actions.truncate(kept);
        self.rows.truncate(kept * words);
    }

    /// What goes wrong in the step at a position.
    pub(crate) fn fault(&self, at: usize) -> Option<&Fault> {
        self.faults.iter().find(|(step, _)| *step == at).map(|(_, fault)| fault)
    }
}

impl Interpreter {
    /// Makes `steps` those out of a packed state.
    pub(crate) fn expand(&mut self, words: &[u64], steps: &mut Steps) {
        self.expand_some(words, steps, None);
    }

    /// Makes `steps` those out of a packed state that are to be kept, by the slots that take part.
    pub(crate) fn expand_some(&mut self, words: &[u64], steps: &mut Steps, keep: Option<Keep<'_>>) {
        self.expand_remembering(words, steps, keep);
        if let Some(forget) = &mut self.memory.forget {
            forget.after(&self.program, steps);
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
                        let taking = &self.program.names.action(action).participants;
                        slots.extend(taking.iter().map(|process| process.0));
                        keep(&slots)
                    })
                    .collect();
                steps.actions = actions;
                steps.retain(words.len(), |at| kept[at]);
            }
            return;
        }
        steps.clear();
        let mut work = std::mem::take(&mut self.work);
        self.program.layout.unpack(words, &mut work.cells);
        if self.unfold.is_some() {
            self.program.prepare_state(&work.cells, &mut self.unfold);
        }
        let timeout = self.find(&mut work);
        work.joints.restrict(&self.program, &work.cells, &work.offers);
        for at in 0..work.joints.all.len() {
            if let Some(keep) = keep {
                slots.clear();
                let members = work.joints.members(work.joints.all[at]).iter();
                slots.extend(members.map(|&at| work.offers.all[at as usize].slot));
                if !keep(&slots) {
                    continue;
                }
            }
            self.expand_joint(&mut work, at, timeout, steps);
        }
        self.work = work;
    }

    /// Appends the step of the joint action at a position.
    fn expand_joint(&mut self, work: &mut Work, at: usize, timeout: bool, steps: &mut Steps) {
        let joint = work.joints.all[at];
        let members = work.joints.members(joint);
        let of = |at: &u32| &work.offers.all[*at as usize];
        work.moves.clear();
        work.moves.extend(members.iter().filter_map(|at| of(at).id));
        if members.len() == 2 && of(&members[0]).slot > of(&members[1]).slot {
            work.moves.reverse();
        }
        let names = &mut self.program.names;
        let event = match joint.way {
            Way::Fault(_) => names.fault,
            Way::Event | Way::Rendezvous => of(&members[0]).event.unwrap_or(names.fault),
        };
        let action = names.action_id(event, &work.moves);
        match step::take(&self.program, work, joint, timeout) {
            Ok(()) => {
                self.release(work);
                self.program.layout.pack(&work.next, &mut work.words);
            }
            Err(fault) => {
                let again = |(step, known): &(usize, Fault)| {
                    steps.actions[*step] == action && *known == *fault
                };
                if matches!(joint.way, Way::Fault(_)) && steps.faults.iter().any(again) {
                    return;
                }
                steps.faults.push((steps.actions.len(), *fault));
            }
        }
        steps.actions.push(action);
        steps.rows.extend_from_slice(&work.words);
    }

    /// The same by native code; `false` if that declines.
    fn expand_natively(&mut self, words: &[u64], steps: &mut Steps) -> bool {
        let Some(mut native) = self.native.take() else { return false };
        // The words of the successors are written where they stay.
        let mut rows = std::mem::take(&mut self.native_rows);
        rows.clear();
        std::mem::swap(&mut rows.words, &mut steps.rows);
        let done = native.code.steps(words, &mut rows);
        std::mem::swap(&mut rows.words, &mut steps.rows);
        if done {
            let mut unknown = false;
            let actions = rows.commands.iter().map(|&command| {
                let action = native.actions.get(command as usize).copied();
                unknown |= action.is_none_or(|action| action == UNKNOWN);
                action.unwrap_or(UNKNOWN)
            });
            steps.actions.extend(actions);
            if unknown {
                steps.actions.clear();
                for &command in &rows.commands {
                    steps.actions.push(self.native_action(&mut native, command));
                }
            }
        }
        self.native_rows = rows;
        self.native = Some(native);
        done
    }

    /// The action of a command, which may not have been met.
    #[cold]
    fn native_action(&mut self, native: &mut super::Accelerator, command: u32) -> ActionId {
        let parts = native.code.parts(command);
        let known = |at: usize| {
            let part = parts[at];
            let (slot, variant) = (part.slot as usize, part.variant as usize);
            let ready = self.program.ready(slot, variant, part.location as usize);
            let known = ready.and_then(|ready| ready.edges[part.edge as usize].known);
            known.expect("native code takes only edges whose event is known")
        };
        let event = known(0).0;
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&at| parts[at].slot);
        let moves: Vec<_> = order.into_iter().map(|at| known(at).1).collect();
        let action = self.program.names.action_id(event, &moves);
        let at = command as usize;
        native.actions.resize(native.actions.len().max(at + 1), UNKNOWN);
        native.actions[at] = action;
        action
    }

    /// Copies the words of a state whose steps are looked for.
    pub(crate) fn read(&mut self, state: StateId, words: &mut [u64]) {
        self.states.read(state, words);
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
        let rows = steps.rows.chunks_exact(self.program.layout.words).zip(&steps.actions);
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
        let unnumbered = |&action: &ActionId| Transition { target: StateId(u32::MAX), action };
        out.extend(actions.iter().map(unnumbered));
    }

    /// The state that stands for those that there is no room for: nothing is known of what follows.
    fn beyond(&mut self, full: Full) -> StateId {
        self.broken(Fault::limit(full.to_string(), None), None)
    }

    /// Remembers that not everything that can be reached is looked at.
    pub(crate) fn note_left_out(&mut self) {
        self.left_out = true;
    }

    fn note_stuck(&mut self, state: StateId, stuck: bool) {
        if self.stuck.len() <= state.index() {
            self.stuck.resize(self.states.len().max(state.index() + 1), None);
        }
        self.stuck[state.index()] = Some(stuck);
    }

    /// Numbers the targets of the last transitions of `out`, as many as wait for that.
    pub(crate) fn give_numbers(&mut self, out: &mut [Transition]) {
        let first = out.len() - self.states.waiting();
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        let full = self.states.intern(&mut numbers).err();
        let (numbered, rest) = out[first..].split_at_mut(numbers.len());
        for (transition, &(target, _)) in numbered.iter_mut().zip(&numbers) {
            transition.target = target;
        }
        if let Some(full) = full {
            let target = self.beyond(full);
            rest.iter_mut().for_each(|transition| transition.target = target);
        }
        if self.unfold.is_some() {
            for &(state, _) in numbers.iter().filter(|(_, new)| *new) {
                self.prepare(state);
            }
        }
        self.numbers = numbers;
    }

    /// Makes sure that the edges of a new state are there: what is asked of a state without changing
    /// anything has to find them.
    fn prepare(&mut self, state: StateId) {
        let mut work = std::mem::take(&mut self.work);
        self.states.get(state, &mut work.words);
        self.program.layout.unpack(&work.words, &mut work.next);
        self.program.prepare_state(&work.next, &mut self.unfold);
        self.work = work;
    }

    /// Gives one state a number.
    pub(crate) fn intern(&mut self, words: &[u64]) -> StateId {
        let mut numbers = Vec::new();
        self.states.add_alone(words);
        match self.states.intern(&mut numbers) {
            Ok(()) => {
                if self.unfold.is_some() {
                    self.prepare(numbers[0].0);
                }
                numbers[0].0
            }
            Err(full) => self.beyond(full),
        }
    }
}

impl Interpreter {
    /// The state in which all is forgotten that is dead in a state: see `forget.rs`.
    pub(crate) fn without_dead(&mut self, state: StateId) -> StateId {
        let Some(forget) = &self.memory.forget else { return state };
        if self.faults.contains_key(&state) {
            return state;
        }
        let mut words = vec![0; self.program.layout.words];
        self.states.get(state, &mut words);
        forget.everywhere(&self.program.layout, &mut words);
        self.intern(&words)
    }
}

/// Native code in place of interpretation, with what has been learned of it.
pub(crate) struct Accelerator {
    pub(crate) code: Box<dyn crate::native::Native>,
    /// By command; [`UNKNOWN`] if it has not been met.
    actions: Vec<ActionId>,
}

impl Accelerator {
    pub(super) fn new(code: Box<dyn crate::native::Native>) -> Accelerator {
        Accelerator { code, actions: Vec::new() }
    }
}

/// No action.
const UNKNOWN: ActionId = ActionId(u32::MAX);

impl Interpreter {
    /// Lets native code make steps where it can.
    pub fn accelerate(&mut self, code: Box<dyn crate::native::Native>) {
        self.native = Some(Accelerator::new(code));
    }

    /// The edge behind a move; `None` if there is none because it could not be worked out.
    pub fn part(&self, id: fairly_system::MoveId) -> Option<crate::native::Part> {
        let key = self.program.names.key(id);
        (key.edge != u32::MAX).then_some(crate::native::Part {
            slot: key.slot,
            variant: key.variant,
            location: key.location,
            edge: key.edge,
        })
    }

    /// The event of an edge, if it does not depend on the state.
    pub fn event_of(&self, part: crate::native::Part) -> Option<fairly_system::EventId> {
        let (slot, variant) = (part.slot as usize, part.variant as usize);
        let ready = self.program.ready(slot, variant, part.location as usize)?;
        ready.edges.get(part.edge as usize)?.known.map(|(event, _)| event)
    }

    /// How many states native code has declined, and how many it has made the steps of.
    pub fn native_counts(&self) -> (u64, u64) {
        self.native.as_ref().map_or((0, 0), |native| native.code.counts())
    }

    /// Whether native code makes steps.
    pub fn is_accelerated(&self) -> bool {
        self.native.is_some()
    }
}

/// Room for native steps.
pub(crate) type NativeRows = Rows;
