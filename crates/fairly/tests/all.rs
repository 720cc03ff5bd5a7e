//! The tests of the library, as one program. The examples are a part of them.

#[path = "../examples/mod.rs"]
mod examples;

mod answers;
mod api;
mod corpus;
mod histories;
mod macros;
mod stateright;
mod sweeps;
mod symmetries;
mod tutorial;
