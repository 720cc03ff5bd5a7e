//! Systems under a property and fairness, searched on the fly.
//!
//! [`Product`] is the graph of a system, the automaton of a property's negation and fairness
//! constraints. [`engines`] is the table of all procedures that answer a question; they are here and in
//! `fairly_omega::emptiness`:
//!
//! - [`closure`]: is there a fair run at all, and does one go on from everywhere;
//! - [`global`]: strong global fairness;
//! - [`inherent`]: inherent fairness, that is relative liveness;
//! - [`threaded`]: a quotient by permutations of processes, under fairness of all of them;
//! - [`reach`]: which states can be reached at all;
//! - [`probe`]: the same, ahead of the search and in other orders;
//! - [`shorten`]: a finite run without detours;
//! - [`nearest`]: a lasso that reaches a node of some kind as early as possible;
//! - [`lossy`]: the same where they do not fit into memory, for finding faults.

mod bounded;
pub mod closure;
pub mod engines;
pub mod global;
pub mod hiding;
pub mod inherent;
pub mod lossy;
pub mod nearest;
pub mod parallel;
mod prefix;
pub mod probe;
mod product;
pub mod reach;
pub mod refinement;
pub mod sets;
pub mod shared_product;
pub mod shorten;
mod stored;
pub mod threaded;
pub mod ufscc;
mod walk;
mod watch;

pub use bounded::{Bounded, Bounds, Cut};
pub use engines::{ENGINES, Engine};
pub use prefix::Prefix;
pub use product::{Binding, Known, LetterMark, Negation, Product};
pub use reach::survey;
pub use watch::{Phase, Seen, Watch};
