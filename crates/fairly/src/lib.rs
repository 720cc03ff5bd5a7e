//! Model checking for Rust programs: does a protocol keep its promises on every *fair* run, and which fairness does
//! that rest on?
//!
//! A program describes a system as a [`Model`]: states, actions, where runs begin, what may be done, what comes of
//! it. [`check`] explores all of its states and answers: every fair run keeps the promise, or here is one that does
//! not, as a loop that a person can read, with the least fairness under which it would.
//!
//! ```
//! use fairly::{Model, check, weak};
//!
//! /// A traffic light, and a lamp beside it with a button.
//! #[derive(Clone)]
//! struct Light;
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! enum Action {
//!     Turn,
//!     Press,
//! }
//!
//! impl Model for Light {
//!     type State = (bool, bool);
//!     type Action = Action;
//!
//!     fn init(&self) -> Vec<(bool, bool)> {
//!         vec![(false, false)]
//!     }
//!
//!     fn actions(&self, _: &(bool, bool), actions: &mut Vec<Action>) {
//!         actions.extend([Action::Turn, Action::Press]);
//!     }
//!
//!     fn next(&self, &(green, lamp): &(bool, bool), action: Action) -> Option<(bool, bool)> {
//!         Some(match action {
//!             Action::Turn => (!green, lamp),
//!             Action::Press => (green, !lamp),
//!         })
//!     }
//! }
//!
//! let turns = || check(&Light).infinitely_often("turns", |&(green, _)| green);
//! // Someone may press the lamp for ever.
//! let verdict = turns().verdict();
//! assert!(verdict.is_violated());
//! assert_eq!(verdict.run().actions(), [Action::Press, Action::Press]);
//! // A light that can always turn does turn.
//! turns().assume(weak().event("Turn")).assert_holds();
//! ```
//!
//! - [`Check`]: assumptions, promises, limits; [`Verdict`]: the answer, its [`Run`] and its report.
//! - [`always`], [`eventually`], [`leads_to`], [`infinitely_often`]: promises, for those who know no temporal logic;
//!   [`ltl()`]: for those who do.
//! - [`weak`], [`strong`], and the other notions of fairness.
//!
//! - [`actor`]: actors and networks, to be checked and to be run; [`history`]: linearizability of recorded calls.
//!
//! A test that fails panics with the report of the command `fairly`, and saves the run in `target/fairly`.
//!
//! # Features
//!
//! None is on by default. `explorer` opens a check in the browser (`check(&model).explore()`). `proptest` lets tests of properties start from any state of a run. `jit` compiles models of a
//! language to machine code; a model that is a Rust type never needs it.

#![forbid(unsafe_code)]

// What the macros of this crate write names it so, here as in a program.
extern crate self as fairly;

pub mod actor;
mod answers;
mod check;
mod engine;
#[cfg(feature = "explorer")]
mod explore;
mod fairness;
mod formula;
#[doc(hidden)]
pub mod formula_of;
pub mod history;
mod least;
mod memory;
mod model;
#[doc(hidden)]
pub mod permute;
mod printed;
mod rows;
mod run;
mod shown;
mod states;
mod sweep;
mod symmetry;
mod verdict;

pub use check::{Check, check};
#[cfg(feature = "explorer")]
pub use explore::Explorer;
/// Implements the trait [`Permute`](trait@Permute).
pub use fairly_macros::Permute;
/// A formula about a model, which is read when the program is compiled: `ltl!(model, formula)`.
///
/// A name is a method of the model that gets the state first. A pattern in brackets is one of actions. A text is the
/// name of events, or a pattern of them. The operators are `!`, `X`, `F`, `G`; then `U`, `W`, `R`; then `&&`; then
/// `||`; then `->` and `<->`.
///
/// ```
/// use fairly::{Model, check, ltl};
///
/// #[derive(Clone)]
/// struct Counter;
///
/// impl Counter {
///     fn is(&self, state: &u8, wanted: u8) -> bool {
///         *state == wanted
///     }
/// }
///
/// impl Model for Counter {
///     type State = u8;
///     type Action = Option<u8>;
///
///     fn init(&self) -> Vec<u8> {
///         vec![0]
///     }
///
///     fn actions(&self, _: &u8, actions: &mut Vec<Option<u8>>) {
///         actions.push(Some(1));
///     }
///
///     fn next(&self, state: &u8, _: Option<u8>) -> Option<u8> {
///         Some((state + 1) % 5)
///     }
/// }
///
/// let returns = ltl!(Counter, G (is(3) -> X is(4) && F is(0)) && GF [Some(_)]);
/// check(&Counter).property("returns", returns).assert_holds();
/// ```
///
/// A name that is no method of the model does not compile:
///
/// ```compile_fail
/// # use fairly::{Model, ltl};
/// # #[derive(Clone)]
/// # struct Counter;
/// # impl Model for Counter {
/// #     type State = u8;
/// #     type Action = u8;
/// #     fn init(&self) -> Vec<u8> { vec![0] }
/// #     fn actions(&self, _: &u8, _: &mut Vec<u8>) {}
/// #     fn next(&self, _: &u8, _: u8) -> Option<u8> { None }
/// # }
/// let wrong = ltl!(Counter, G is(3));
/// ```
pub use fairly_macros::ltl;
pub use fairness::{
    Annotations, Beginning, Fair, Fairness, annotated, global, inherent, strong, strong_live, weak,
    weak_live,
};
pub use formula::{
    Formula, IntoFormula, action, always, event, eventually, eventually_always, infinitely_often,
    kinds, leads_to, ltl, never, state,
};
pub use model::{Annotation, Model, Part};
pub use permute::Permute;
pub use run::Run;
pub use symmetry::{MOST_INTERCHANGEABLE, Symmetric, permuted};
pub use verdict::{Mistake, Outcome, Size, Verdict, Verdicts};
