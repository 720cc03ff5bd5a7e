//! How native code takes the place of interpretation.
//!
//! An [`Interpreter`](crate::Interpreter) can be given something that makes the steps of packed states
//! faster than it does itself. It may decline any state: then the interpreter makes the steps of that
//! one. So whoever writes it can leave out what is rare or goes wrong, and faults are found in one way
//! only.

pub use fairly_omega::Stop;

use crate::expression::Expr;
use crate::process::Template;

/// Steps of a process that holds which native code may make at once, at most.
pub const MOST_AT_ONCE: usize = 17;

/// One process's part in an action: an edge that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The slot.
    pub slot: u32,
    /// The position of its template among the slot's variants.
    pub variant: u32,
    /// Where it is.
    pub location: u32,
    /// Which edge out of there.
    pub edge: u32,
}

/// Steps without names and numbers: rows of words, and who does what.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// For each step the number of its command.
    pub commands: Vec<u32>,
    /// The packed states that they lead to, one after the other.
    pub words: Vec<u64>,
    /// For each state that was asked about, where its steps end.
    pub ends: Vec<usize>,
}

impl Rows {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.commands.clear();
        self.words.clear();
        self.ends.clear();
    }
}

/// Makes steps of packed states, as the interpreter does.
pub trait Native {
    /// Appends the steps out of packed states that follow each other, one state after the other, up to
    /// the first that it declines; how many it did not. Those of one state are a set: the order is its
    /// own. The events of all edges that take part are ones that do not depend on the state.
    fn steps(&mut self, states: &[u64], out: &mut Rows) -> usize;

    /// Who takes part in a command that it has given out, in the order in which they act; of two, in
    /// a rendezvous, the first sends. If it makes whole sequences of a process that holds, they are
    /// parts of that process.
    fn parts(&self, command: u32) -> Vec<Part>;

    /// Whether the proposition at this position of the model, which is this one, holds in a packed
    /// state; `None` if it declines.
    fn holds(&self, words: &[u64], at: usize, proposition: &Expr) -> Option<bool>;

    /// Declines states with steps in which a process runs more statements than this. It may decline
    /// others too.
    fn limit_statements(&mut self, most: u64);

    /// Makes the code that every state needs, rather than when the first is asked about.
    fn prepare(&mut self);

    /// The same for a model with other templates, whose edges differ in their effects and targets only;
    /// `None` if it cannot be had.
    fn with(&self, _templates: &[Template]) -> Option<Box<dyn Native>> {
        None
    }

    /// Makes no more code once it is time to stop: it declines instead.
    fn heed(&mut self, _stop: Stop) {}

    /// How many states it has declined, and how many it has made the steps of.
    fn counts(&self) -> (u64, u64);
}
