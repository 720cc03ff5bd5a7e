//! Finite beginnings of runs.

use fairly_omega::StateId;
use fairly_system::RunStep;

/// A finite beginning of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The initial state it starts in.
    pub start: StateId,
    /// The steps, one after the other; there may be none.
    pub steps: Vec<RunStep>,
}

impl Prefix {
    /// The state it ends in.
    pub fn end(&self) -> StateId {
        self.steps.last().map_or(self.start, |step| step.to)
    }
}
