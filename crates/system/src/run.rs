//! Infinite runs of a system, written down as a lasso.

use fairly_omega::StateId;

use crate::action::ActionId;

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunStep {
    /// The state it leaves.
    pub from: StateId,
    /// What happens.
    pub action: ActionId,
    /// The state it leads to.
    pub to: StateId,
}

/// A run: the stem once, then the cycle for ever. The cycle is not empty and returns to where it
/// starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// From an initial state to the first state of the cycle.
    pub stem: Vec<RunStep>,
    /// The part that repeats.
    pub cycle: Vec<RunStep>,
}

impl Run {
    /// All steps that are written down, the stem first.
    pub fn steps(&self) -> impl Iterator<Item = &RunStep> {
        self.stem.iter().chain(&self.cycle)
    }
}
