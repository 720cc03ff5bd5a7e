//! Models compiled to machine code.
//!
//! [`NativeSpace`] has the rows of a [`fairly_model::ModelSpace`], and makes their steps some ten times
//! as fast as the interpreter does. Where the code meets something
//! that goes wrong or that it does not support it declines the state, and the interpreter makes the
//! steps of that one: so there is one place in which faults are found, and code that a model hardly
//! ever comes to need not be written.
//!
//! | module | subject |
//! |---|---|

//! | `emit` | the code of one function, from expressions to the edges of a process |
//! | `machine` | making code executable and calling it; all `unsafe` code |
//! | `functions` | which functions there are, each made once it is worth it |
//! | `run` | the steps of a state: the functions of its processes, then rendezvous and gatherings |
//! | `space` | the native program as a space, beside the one that the interpreter gives |
//!
//! A function has the edges that a process in one slot takes out of some locations, about a hundred of
//! them, and is made when a process has come there often enough. It reads and writes packed states where they
//! are. What a process does alone is a step at once; what it does with others is an offer, and the
//! offers of all processes are put together afterwards.
//!
//! # Threads
//!
//! Any number of threads use one [`NativeSpace`], each with its own
//! [scratch memory](fairly_system::Scratch). A function that is missing is made by a thread
//! that comes to it, under one lock, and is put into a cell that is written once (`OnceLock`, which is
//! enough: which cells there are is known before, apart from propositions and edges, whose cells are made
//! in blocks that never move). So calling a function takes no lock. `machine` says why code can be added
//! while other code runs.
//!
//! # Dependencies
//!
//! Cranelift makes the code: no other crate turns a few thousand guarded commands into good machine
//! code in milliseconds. `dynasmrt` compiles faster, but leaves the choice of registers and
//! instructions for each machine to us. The versions are pinned: another one is another compiler.

mod cells;
mod commands;
mod context;
mod emit;
mod functions;
mod machine;
mod rows;
mod run;
mod space;

use run::Compiled;
pub use space::NativeSpace;

/// How code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// For a space that is going to be collapsed: a process that holds
    /// goes on in the same step while it can do nothing else. Its actions are then those of the collapsed
    /// system.
    pub sequences: bool,
    /// So many instructions, as they are before they are compiled, are made for each state that was left to
    /// the interpreter because they were missing.
    pub worth: usize,
}

impl Settings {
    /// All code is made when it is first needed.
    pub const EAGER: Settings = Settings { sequences: false, worth: usize::MAX };

    /// Compiling an instruction takes about a microsecond, interpreting a state some five to thirty. Most functions
    /// have some thousand instructions and are worth it after a few states; those that take a second to
    /// compile wait for a thousand. With 32 in place of this, searches of ten thousand states took up to 13 %
    /// more instructions in all, with 256 up to 6 %.
    const WORTH: usize = 1024;
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { sequences: false, worth: Settings::WORTH }
    }
}

/// Whether code can be made for the machine that this runs on.
pub fn is_available() -> bool {
    machine::is_available()
}
