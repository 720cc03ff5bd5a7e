//! CSP# to models.
//!
//! The parallel structure of a process is laid out once: as long as a composition, a hidden set or a
//! reference stands on top, its parts become processes of the model. Each of these is a *term*
//! whose steps are computed from the operational semantics, and whose terms become the locations
//! of a control automaton, before the search if there are finitely and not too many of them, and
//! during it otherwise.

mod alike;
mod alphabet;
mod before;
mod cases;
mod collections;
mod dbm;
mod environment;
mod events;
mod expression;
mod joint;
mod message;
mod methods;
mod names;
mod network;
mod program;
mod shapes;
mod steps;
mod term;
mod terms;
mod unfold;

use fairly_source::Span;

pub use network::{Lowered, Parts, Plan, expression, lower, lower_as, lower_counting, lower_with};

/// Something that cannot be turned into a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowerError {
    /// The code of the diagnostic.
    pub(crate) code: &'static str,
    /// The reason, in a sentence.
    pub(crate) message: String,
    /// Where it is written.
    pub(crate) span: Span,
}
