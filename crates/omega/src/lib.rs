//! Automata on infinite words.
//!
//! - [`Automaton`]: explicit automata with labels over propositions, marks on edges and an
//!   Emerson–Lei [`Acceptance`] condition of any width;
//! - [`emptiness`]: is there an accepted run, and if so which: three engines over one [`Graph`]
//!   trait, which systems implement too;
//! - [`ops`]: products, complement, inclusion, reduction and the other operations;
//! - [`formats`]: HOA, never claims, `.aut`, words, in and out.
//!
//! Decision diagrams and sets of marks are ours: they are what the engines spend their time on. Errors are written
//! with `thiserror`, which needs nothing at run time.

mod acceptance;
mod alternating;
mod automaton;
pub mod emptiness;
pub mod formats;
mod graph;
mod letters;
mod marks;
pub mod ops;
mod refused;
mod scc;
mod stop;
pub mod tables;
mod word;

pub use acceptance::{Acceptance, Class, Clause, Disjunct, MAX_DEPTH};
pub use alternating::Alternating;
pub use automaton::{Automaton, Builder, Edge, StateId};
pub use graph::{AutomatonGraph, Graph, Hop, Lasso, Step, Visit};
pub use letters::{Cube, Import, Label, Letters, Prop};
pub use marks::{Mark, MarkSet, MarkSetId, MarkTable};
pub use refused::{BudgetError, Limits, Resource};
pub use scc::{ComponentId, Components};
pub use stop::Stop;
pub use word::{DefiniteWord, Word};
