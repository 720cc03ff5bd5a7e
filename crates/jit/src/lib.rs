//! Models compiled to machine code.
//!
//! [`Compiled`] makes the steps of packed states for a [`fairly_model::Interpreter`], some ten times
//! as fast as the interpreter does; [`accelerate`] puts it to work. Where the code meets something
//! that goes wrong or that it does not support it declines the state, and the interpreter makes the
//! steps of that one: so there is one place in which faults are found, and code that a model hardly
//! ever comes to need not be written.
//!
//! | module | subject |
//! |---|---|
//! | `plan` | what code is made from: the model, its layout, numbers for the edges |
//! | `emit` | the code of one function, from expressions to the edges of a process |
//! | `machine` | making code executable and calling it; all `unsafe` code |
//! | `run` | the steps of a state: the functions of its processes, then rendezvous and gatherings |
//!
//! A function has the edges that a process in one slot takes out of some locations, about a hundred of
//! them, and is made when a process first comes there. It reads and writes packed states where they
//! are. What a process does alone is a step at once; what it does with others is an offer, and the
//! offers of all processes are put together afterwards.
//!
//! # Dependencies
//!
//! Cranelift makes the code: no other crate turns a few thousand guarded commands into good machine
//! code in milliseconds. `dynasmrt` compiles faster, but leaves the choice of registers and
//! instructions for each machine to us. The versions are pinned: another one is another compiler.

mod commands;
mod context;
mod emit;
mod machine;
mod plan;
mod run;

use fairly_model::Interpreter;

pub use run::Compiled;

/// Lets machine code make the steps of an interpreter where that is possible. Says whether it is.
pub fn accelerate(interpreter: &mut Interpreter) -> bool {
    install(interpreter, false)
}

/// As [`accelerate`], for an interpreter that is going to be [collapsed](fairly_model::Collapsed): a
/// process that holds goes on in the same step while it can do nothing else. Its actions are then those
/// of the collapsed system.
pub fn accelerate_sequences(interpreter: &mut Interpreter) -> bool {
    install(interpreter, true)
}

/// Whether code can be made for the machine that this runs on.
pub fn is_available() -> bool {
    machine::is_available()
}

fn install(interpreter: &mut Interpreter, sequences: bool) -> bool {
    match Compiled::new(interpreter, sequences) {
        Some(compiled) => {
            interpreter.accelerate(Box::new(compiled));
            true
        }
        None => false,
    }
}
