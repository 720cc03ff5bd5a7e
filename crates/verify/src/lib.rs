//! Verifies certificates of Fairly's answers, and shares no code with what it verifies.
//!
//! A certificate comes with the model in a core form, the formula and what is assumed of runs. It lists the states
//! that can be reached and, for a formula that holds, the nodes of the product with an automaton of the negation,
//! whose states are sets of formulas. Every node is in a class; classes are ranked, and each says why no fair run
//! stays in it. The verifier makes the steps of each listed state with an interpreter of its own, expands the sets of
//! formulas itself, and looks at every edge once. It never searches.
//!
//! # The rules, and why each is needed
//!
//! | rule | without it |
//! |---|---|
//! | [`Rule::Format`] | an index could name nothing, or a node have two classes |
//! | [`Rule::Model`], [`Rule::Statement`] | it would not be said what is claimed |
//! | [`Rule::Fault`] | a run could end in an error, behind which nothing is known |
//! | [`Rule::Initial`] | runs could begin elsewhere |
//! | [`Rule::Closed`] | runs could go on elsewhere |
//! | [`Rule::Expansion`] | words that the formula forbids could be missing in the automaton; a family behind a step |
//! | [`Rule::Rank`] | a run could go round through several classes, and stay in none |
//! | [`Rule::Reason`] | a fair run could stay in a class; a node be dead that is said to be live; a refusal be missed |
//! | [`Rule::Constraint`] | more could be assumed of runs than is said |
//! | [`Rule::Invariant`] | a state could be listed in which a condition does not hold |
//! | [`Rule::Run`], [`Rule::Unfair`], [`Rule::Satisfied`] | a violation could be none |
//! | [`Rule::Limit`] | work on a single state could take for ever, and memory beyond the file; a limit be taken for an error |
//! | [`Rule::Checksum`] | nothing would be believed that is not so; but an accident could go unnoticed |
//!
//! Together they suffice: the proof is in the book (`docs/book/certificates-proof.md`), with the format. For each of them a
//! certificate in `tests/rules.rs` is forged that is rejected for it.
//!
//! # The files
//!
//! - `format.rs`: the bytes, and the table of states that they are; `text.rs`: the text form;
//! - `forms.rs`: the notation of the texts; `statement.rs`: what is claimed, and what is written beside the nodes;
//! - `fir.rs`: reads the model; `state.rs`: states and expressions; `step.rs`, `effect.rs`: its steps;
//! - `ltl.rs`: formulas and their expansions; `fairness.rs`: what is assumed of runs;
//! - `check.rs`: the rules; `run.rs`: those of runs that are written down; `inherent.rs`: those of inherent fairness;
//!   `refinement.rs`: those of refinement.
//!
//! ```
//! let rejected = fairly_verify::verify(b"fairly certificate 3").unwrap_err();
//! assert_eq!(rejected.rule, fairly_verify::Rule::Format);
//! ```

mod check;
mod effect;
mod fairness;
mod fir;
mod format;
mod forms;
mod inherent;
mod ltl;
mod refinement;
mod rejected;
mod run;
mod state;
mod statement;
mod step;
mod text;

pub use check::{Verified, verify, verify_from};
pub use format::{BLOCK, MAGIC, checksum};
pub use rejected::{Rejected, Rule};
pub use text::text;
