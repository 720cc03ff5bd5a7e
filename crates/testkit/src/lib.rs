//! Oracles that the tests compare Fairly with: tiny graphs, random cases, and naive answers.
//!
//! A dev-dependency only. Nothing here depends on the crates that are tested, not even on their
//! types: the checker must not share a mistake with what it checks. It is slow on purpose, and
//! right because it is short.
//!
//! - [`TinyGraph`], [`TinyCondition`], [`TinyWord`]: the cases, as plain data;
//! - [`oracle`]: is there an accepting run, answered in two unrelated ways, and a judge of lassos;
//! - [`network`]: has a network of components a fair run that violates a property;
//! - [`words`]: is an ultimately periodic word accepted;
//! - [`ltl`]: does a formula hold of a word; [`formulas`]: formulas from the literature;
//! - [`generate`]: random cases from an [`Rng`]; [`shrink()`] makes a failing one small;
//! - [`csp`]: random specifications in a small CSP#;
//! - [`cases`], [`first_seed`]: what the environment asks of random tests;
//! - [`side_by_side`]: a test that takes long, on all processors.
//!
//! ```
//! use fairly_testkit::{ConditionKind, GraphShape, Rng};
//! use fairly_testkit::{has_accepting_run_by_lassos, has_accepting_run_by_subsets};
//! let mut rng = Rng::new(42);
//! let graph = fairly_testkit::random_graph(&mut rng, &GraphShape::default());
//! let condition = fairly_testkit::random_condition(&mut rng, ConditionKind::Streett, 6);
//! assert_eq!(
//!     has_accepting_run_by_subsets(&graph, &condition),
//!     has_accepting_run_by_lassos(&graph, &condition),
//! );
//! ```

pub mod alternating;
mod condition;
#[allow(missing_docs, reason = "the names say it")]
pub mod csp;
pub mod formulas;
pub mod generate;
mod given;
mod graph;
pub mod ltl;
pub mod network;
pub mod oracle;
mod rng;
pub mod shortest;
mod shrink;
mod threads;
pub mod words;

pub use alternating::{TinyAlternating, TinyBranch, accepts_by_game, random_alternating};
pub use condition::TinyCondition;
pub use generate::{ConditionKind, GraphShape, random_condition, random_graph, random_word};
pub use given::{cases, first_seed};
pub use graph::{TinyEdge, TinyGraph};
pub use oracle::{has_accepting_run_by_lassos, has_accepting_run_by_subsets, judge_lasso};
pub use rng::Rng;
pub use shrink::shrink;
pub use threads::side_by_side;
pub use words::{TinyWord, accepts_word, all_words, runs_on_word};
