//! Systems with fewer steps and the same answers.
//!
//! A reduction is a wrapper from a system to a system: [`Reduced`] has the states, actions and
//! propositions of the system inside it, and follows only some of its transitions. What is *enabled* is
//! still asked of the system itself: see [`TransitionSystem::left_out`].
//!
//! # Dead variables
//!
//! What no process reads again is forgotten ([`Reduced::forgetting`]), beside what else is done. What is left
//! is strongly bisimilar, so it is as sound as nothing at all, but for what asks whether two states are the
//! same one. The interpreter does it: see `forget.rs` and `liveness.rs` of `fairly_model`.
//!
//! # Merged statements
//!
//! Statements that no other process and nothing that is watched can tell from nothing are merged into those
//! before them ([`Reducible::merge`]), before anything else is done: what is left is a model like any other. See
//! `merge.rs` of `fairly_model`.
//!
//! # Symmetry
//!
//! Where processes are alike and nobody asks which one it was, one state stands for all in which they have
//! only changed places: [`Symmetry`]. A run that is found there is turned into one of the system before it is
//! shown: [`Reduced::lift`].
//!
//! # Partial orders
//!
//! Where processes do things that have nothing to do with each other, one order stands for all. In each
//! state an *ample* set of actions is followed: those of a group of processes such that
//!
//! - some are enabled, and none of them goes wrong;
//! - whatever the other processes do, now and later, neither enables nor disables nor changes anything
//!   that the group can do in this state, or is changed by it;
//!   an atomic sequence goes on or is interrupted by whether a partner is ready for it, so the steps of
//!   whoever may be one change what it does;
//! - they are *quiet* ([`Watched`]): neither the property nor a constraint can tell when they happen; or
//!   only constraints can whose demands last until they are met, and one of them is quiet or owed
//!   (`lasting.rs`);
//! - none of them is one that the condition on cycles keeps out (`cycles.rs`).
//!
//! If there is no such group, everything is followed. All of this depends on the state alone: neither on
//! the automaton beside it, nor on the order of the search. So the reduced system is one fixed system
//! (Siegel, CAV 2019, says what goes wrong otherwise), and every engine can search it.
//!
//! # What is the same
//!
//! For every run of the system there is one of the reduced system in which what is watched happens in
//! the same order: propositions change in the same way, up to how long each value lasts; the watched
//! events are the same; if the first is fair, so is the second; and whatever is taken infinitely often in
//! the first is so in the second. Deadlocks and errors of the model that can be reached can be reached.
//! `docs/papers.md` has the argument, and what is wrong in the paper that this follows (004-20 to 004-26,
//! 004-31).
//!
//! What that is enough for, which formulas and which fairness, is decided where problems are planned, in
//! `fairly_check`.
//!
//! Sets of processes and of parts of a state are `fixedbitset`'s.
//!
//! [`TransitionSystem::left_out`]: fairly_system::TransitionSystem::left_out

mod ample;
mod anonymous;
mod bits;
mod cycles;
mod demand;
mod index;
mod lasting;
mod model_system;
mod of_model;
mod of_network;
mod reduced;
mod room;
mod skeleton;
mod symmetry;
mod watched;

pub use model_system::ModelSystem;
pub use reduced::{Lost, Position, Reduced, Reducible, Saved, Unsuited};
pub use skeleton::Skeleton;
pub use symmetry::{Asymmetric, Exchanged, Permutation, Symmetry};
pub use watched::Watched;
