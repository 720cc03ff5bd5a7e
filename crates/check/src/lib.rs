//! Does a system keep a promise on every fair run? From problem to plan to verdict.
//!
//! - [`Systems`]: the systems of a model, whichever language it is written in, and the one path from each of its
//!   [questions](Question) to a [`Verdict`];
//! - [`Property`]: a formula bound to a system;
//! - [`check`]: one property under one [`Assumption`], to an [`Answer`] with its [`Stamp`];
//! - [`Verdict`]: such an answer, or one to a claim, as plain data that needs no system any more;
//! - [`plan()`]: how that would be done;
//! - [`ladder()`]: the verdict under every notion;
//! - [`least()`]: the least sets of constraints under which a property holds;
//! - [`certify`]: a run from elsewhere, judged by the definitions;
//! - [`claim`]: the answers to questions that are no formulas; [`hunt`]: some of them, where states do not fit.
//!
//! The engines are those of `fairly_search::engines`. A run that refutes a property has been replayed and
//! judged again by `fairly_witness` before it is returned; one that fails there is
//! [`CheckError::Internal`], never a verdict.

mod assumption;
mod card;
mod certificate;
pub mod claim;
mod confirm;
mod decided;
mod ending;
mod errors;
mod execution;
pub mod fair_refinement;
mod hiding;
pub mod hunt;
mod implied;
mod ladder;
mod least;
mod lint;
mod naming;
mod objects;
mod paired;
mod plan;
pub mod proof;
mod property;
mod question;
mod record;
mod side_by_side;
pub mod soundness;
mod states;
mod statistics;
mod stored;
mod strengths;
mod systems;
mod threads;
mod trails;
mod unused;
mod vacuity;
mod verdict;
mod verify;
mod waiting;
pub mod workers;

pub use assumption::{Assumption, AssumptionError};
pub use certificate::{Listed, certify, refutes};
pub use confirm::Confirmed;
pub use ending::Ending;
pub use errors::Errors;
pub use execution::{Execution, ModelSystem};
pub use fairly_front::loaded::{Claim, SystemIndex};
pub use fairly_front::loaded::{EventTests, Program};
pub use fairly_search::engines;
pub use hiding::HideError;
pub use ladder::{Cause, CauseKind, Ladder, Rung, ladder, ladder_heard};
pub use least::{Candidate, Elsewhere, Least, least, least_heard};
pub use lint::{Coverage, Needless, coverage, executed, needless};
pub use objects::{Object, ObjectError, Parts, objects};
pub use paired::{Approach, Pair, PairStep, Pairs, Portion, approach, pairs};
pub use plan::{Plan, Planned, plan};
pub use property::{Property, PropertyError, parse_for};
pub use question::{AnswerError, Asked, BindingError, Question};
pub use record::{Basis, Evidence, Said, Shows, Verdict, Violation, events};
pub use statistics::{Lengths, PrefixSet, Prefixes, Size, Statistics, Unmet};
pub use stored::Stored;
pub use strengths::{Strengths, strengths};
pub use systems::{Answered, Assumed, ConstraintError, System, Systems};
pub use unused::Unused;
pub use verdict::{
    Answer, CheckError, Counterexample, Doomed, Fairness, NotBegun, Outcome, Reason, Stamp,
    Upgrade, WhyUnknown,
};
pub use verify::{Options, Reduction, check, judge};
pub use waiting::{Moment, Phrase, Waiting, waiting};
