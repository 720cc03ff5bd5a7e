//! Replays a run on the system and judges it again, before anybody is shown it.
//!
//! This crate knows no engine: it asks the system what is enabled, evaluates the
//! formula on the run by the definition of the operators ([`violates`]), and judges every fairness
//! constraint by its definition ([`Ledger`]). Where the property is an automaton, it looks for an accepting run
//! over the positions of the lasso ([`accepted`]). What the searches compute with (marks, products,
//! components) does not occur here, so a mistake there is not repeated here. Texts of errors stand beside their
//! variants by `thiserror`, which needs nothing at run time.

mod claim;
mod formula;
mod ledger;
pub mod observed;
mod replay;

pub use claim::{accepted, accepted_until};
pub use formula::{Meaning, Truth, enabled_on, enabled_on_until, violates, violates_until};
pub use ledger::{Entry, Ledger, Reason};
pub use replay::{
    WitnessError, follow, follow_until, replay, replay_until, takes_everything,
    takes_everything_until,
};
