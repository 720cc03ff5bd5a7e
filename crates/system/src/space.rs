//! The behaviour of a system, without numbers for its states.

use std::any::Any;

use crate::action::{ActionId, MoveId, Signature};
use crate::blocked::Blocked;
use crate::transition_system::{AtomIndex, Fault, Interrupt};
use crate::value::StateValues;

/// The behaviour of a system: what can happen in a state, and what is true there.
///
/// A state is a row of words. Two states are the same exactly if their words are. A space does not change while
/// it is explored, but for the lists of its [`Signature`], and any number of threads may use it at once, each
/// with a [`Scratch`] of its own. The same row has the same steps in the same order every time.
///
/// A space gives no numbers to states and keeps none of them: that is the work of whoever explores it.
pub trait Space: Send + Sync {
    /// The processes, events, moves and actions.
    fn signature(&self) -> &Signature;

    /// Words of a row; at least one.
    fn width(&self) -> usize;

    /// Memory for one worker.
    fn scratch(&self) -> Scratch;

    /// Appends the initial states to `out`, as steps out of a row that there is not.
    fn initial(&self, scratch: &mut Scratch, out: &mut Steps);

    /// Appends the steps that are enabled in some rows, which follow each other, one row after the other.
    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps);

    /// Appends the moves that single processes offer in a row, whether or not others join in: readiness is
    /// about these.
    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>);

    /// The state proposition with this text, if the space understands it. Asking twice gives the same index.
    fn atom(&self, text: &str) -> Option<AtomIndex>;

    /// Whether a proposition holds in a row.
    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool;

    /// The parts of a state by name, with types.
    fn values(&self, row: &[u64]) -> StateValues;

    /// The parts of a state by name as they are shown, in an order that does not depend on the state.
    fn valuation(&self, _row: &[u64]) -> Vec<(String, String)> {
        Vec::new()
    }

    /// A state on one line.
    fn describe(&self, row: &[u64]) -> String {
        let parts = self.valuation(row).into_iter().map(|(name, value)| format!("{name}={value}"));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The reasons why processes cannot move in a state in which nothing is enabled. Processes that have
    /// ended are not listed.
    fn blocked(&self, _row: &[u64], _scratch: &mut Scratch) -> Vec<Blocked> {
        Vec::new()
    }
}

/// Memory that one worker reuses from one call of a [`Space`] to the next.
pub struct Scratch {
    own: Box<dyn Any + Send>,
    /// Says now and then, while a single step takes long, whether to stop. Then the step ends in a fault of the
    /// kind [`FaultKind::Limit`](crate::FaultKind::Limit).
    pub interrupt: Option<Interrupt>,
}

impl Scratch {
    /// Memory of a type that a space chooses.
    pub fn new<T: Any + Send>(own: T) -> Scratch {
        Scratch { own: Box::new(own), interrupt: None }
    }

    /// The memory, as the space that made it knows it.
    ///
    /// # Panics
    /// If another space made it.
    #[inline]
    pub fn of<T: Any + Send>(&mut self) -> &mut T {
        self.own.downcast_mut().expect("a worker's memory goes to the space that made it")
    }
}

/// Steps out of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The action of each step.
    pub actions: Vec<ActionId>,
    /// The rows that the steps lead to, one after the other. A step in which something goes wrong has a row
    /// that means nothing.
    pub rows: Vec<u64>,
    /// By row that was expanded: where its steps end.
    pub ends: Vec<usize>,
    /// The steps in which something goes wrong, by position and in order.
    pub faults: Vec<(usize, Fault)>,
    /// Actions that are enabled although there are no steps of them here, because a reduction leaves them out
    /// or because they leave a cycle that is shown: each with the position of its row among those expanded.
    pub omitted: Vec<(usize, ActionId)>,
}

impl Steps {
    /// Removes all steps.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.rows.clear();
        self.ends.clear();
        self.faults.clear();
        self.omitted.clear();
    }

    /// Appends a step.
    pub fn push(&mut self, action: ActionId, row: &[u64]) {
        self.actions.push(action);
        self.rows.extend_from_slice(row);
    }

    /// Appends a step in which something goes wrong; rows have so many words.
    pub fn push_fault(&mut self, action: ActionId, fault: Fault, width: usize) {
        self.faults.push((self.actions.len(), fault));
        self.actions.push(action);
        self.rows.resize(self.rows.len() + width, 0);
    }

    /// Says that the steps of one more row are there.
    pub fn end_row(&mut self) {
        self.ends.push(self.actions.len());
    }

    /// The fault of the step at a position.
    pub fn fault(&self, at: usize) -> Option<&Fault> {
        self.faults.iter().find(|(step, _)| *step == at).map(|(_, fault)| fault)
    }

    /// Drops steps that are not to be kept, by position; rows have so many words. Only while the steps are those
    /// of a single row that has not [ended](Steps::end_row).
    pub fn retain(&mut self, width: usize, mut keep: impl FnMut(usize) -> bool) {
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
                self.rows.copy_within(at * width..(at + 1) * width, kept * width);
                kept += 1;
            }
        }
        self.actions.truncate(kept);
        self.rows.truncate(kept * width);
    }
}
