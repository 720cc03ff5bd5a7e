//! Fairness as data: what a run must do to count, one [`Constraint`] at a time.
//!
//! - [`Constraint`]: weak or strong, about any predicate on steps; the normal form of every notion;
//! - [`Notion`]: the usual families ("strong fairness of every process"), which give constraints;
//! - [`own_constraints`]: what components ask of themselves by their acceptance conditions;
//! - [`Lowering`]: constraints as marks on the steps of a system, for the emptiness engines.
//!
//! Strong global fairness and inherent fairness (relative liveness) are not sets of constraints on
//! marks of fixed number; [`Notion`] names them, and the searches treat them on their own. Errors are written with
//! `thiserror`, which needs nothing at run time.

mod constraint;
mod lowering;
mod notion;
mod own;

pub use constraint::{Constraint, Predicate, Selector, StepFormula, Strength};
pub use lowering::Lowering;
pub use notion::{AnnotationLevel, Level, Notion, PrefixKind};
pub use own::{FairnessError, own_constraints};
