//! How native code takes the place of interpretation.
//!
//! An [`Interpreter`](crate::Interpreter) can be given something that makes the steps of packed states
//! faster than it does itself. It may decline any state: then the interpreter makes the steps of that
//! one. So whoever writes it can leave out what is rare or goes wrong, and faults are found in one way
//! only.

pub use fairly_omega::Stop;

use std::any::Any;

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

/// Memory that native code works in. Each thread that asks for steps has one of its own.
pub struct NativeScratch {
    /// How many states were declined.
    pub declined: u64,
    /// How many states it made the steps of.
    pub made: u64,
    memory: Box<dyn Any + Send>,
}

impl NativeScratch {
    /// Memory of a kind that only the native code knows that asks for it.
    pub fn new(memory: impl Any + Send) -> NativeScratch {
        NativeScratch { declined: 0, made: 0, memory: Box::new(memory) }
    }

    /// The memory.
    ///
    /// # Panics
    /// If it is of another kind.
    #[inline]
    pub fn get<T: Any>(&mut self) -> &mut T {
        self.memory.downcast_mut().expect("scratch memory of this native code")
    }
}

/// Makes steps of packed states, as the interpreter does.
///
/// Any number of threads may ask at once. What differs from thread to thread is in its
/// [scratch memory](Native::scratch); code that is missing is made by a thread that needs it.
pub trait Native: Send + Sync {
    /// Memory for a thread, to ask for steps with. It belongs to this native code and no other.
    fn scratch(&self) -> NativeScratch;

    /// Appends the steps out of packed states that follow each other, one state after the other, up to
    /// the first that it declines; how many it did not. Those of one state are in the order of the
    /// interpreter. The events of all edges that take part are ones that do not depend on the state.
    ///
    /// # Panics
    /// If the scratch memory is not its own.
    fn steps(&self, states: &[u64], scratch: &mut NativeScratch, out: &mut Rows) -> usize;

    /// Who takes part in a command that it has given out, in the order in which they act; of two, in
    /// a rendezvous, the first sends. If it makes whole sequences of a process that holds, they are
    /// parts of that process. A command means the same to all threads.
    fn parts(&self, command: u32) -> Vec<Part>;

    /// Whether the proposition at this position of the model, which is this one, holds in a packed
    /// state; `None` if it declines.
    fn holds(&self, words: &[u64], at: usize, proposition: &Expr) -> Option<bool>;

    /// Declines states with steps in which a process runs more statements than this, in all threads. It
    /// may decline others too.
    fn limit_statements(&self, most: u64);

    /// Makes the code that every state needs now, rather than when it is worth it.
    fn prepare(&self);

    /// The same for a model with other templates, whose edges differ in their effects and targets only;
    /// `None` if it cannot be had.
    fn with(&self, _templates: &[Template]) -> Option<Box<dyn Native>> {
        None
    }

    /// Makes no more code once it is time to stop: it declines instead.
    fn heed(&self, _stop: Stop) {}
}
