//! Systems with fewer steps and the same answers.
//!
//! A reduction is a space around a space, made anew for each question: [`Ample`] follows only some of the steps,
//! [`Quotient`] has one row for all that differ by a permutation of processes. What is *enabled* although no step of it
//! is followed is in [`Steps::omitted`]. Nothing is changed in the system that the question is about. [`Reduced`] puts
//! the spaces of a question together, numbers their states, and leads runs back to the system as it was written.
//!
//! # Dead variables
//!
//! Dead variables are reset ([`Reduced::resetting_dead`]), beside what else is done. What is left
//! is strongly bisimilar, so it is as sound as nothing at all, but for what asks whether two states are the
//! same one. The space that does it is [`ResettingDead`](fairly_model::ResettingDead).
//!
//! # Merged statements
//!
//! Statements that no other process and nothing that is watched can tell from nothing are merged into those
//! before them ([`Reduced::merging`]), before anything else is done: what is left is a model like any other. See
//! [`Merged`](fairly_model::Merged).
//!
//! # Symmetry
//!
//! Where processes are alike and no question tells them apart, one state stands for all in which they have only
//! changed places: [`Symmetry`]. A run that is found there is turned into one of the system before it is shown:
//! [`Reduced::lift`].
//!
//! # Partial orders
//!
//! Where processes do things that have nothing to do with each other, one order stands for all. In each
//! state an *ample* set of actions is followed: those of a group of processes such that
//!
//! - some are enabled, and none of them goes wrong;
//! - steps of the other processes, now and later, neither enable nor disable nor change a step that the group
//!   can take in this state, nor are changed by it; an atomic sequence goes on or is interrupted by whether a
//!   partner is ready for it, so the steps of a possible partner change its course;
//! - they are *quiet* ([`Watched`]): neither the property nor a constraint can tell when they happen; or
//!   only constraints can whose demands last until they are met, and one of them is quiet or owed
//!   (`lasting.rs`);
//! - none of them is one that the condition on cycles keeps out (`cycles.rs`).
//!
//! If there is no such group, everything is followed. All of this depends on the state alone: neither on
//! the automaton beside it, nor on the order of the search. So the reduced system is one fixed system
//! (Siegel, CAV 2019, says what goes wrong otherwise), and every engine can search it.
//!
//! [`Printed`] has the ample sets of a paper as they were printed, as a reference, with [`Flaw`]s where it is not
//! sound.
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
//! Formulas and fairness for which that is enough are decided where problems are planned, in `fairly_check`.
//!
//! Sets of processes and of parts of a state are `fixedbitset`'s.
//!
//! [`Steps::omitted`]: fairly_system::Steps::omitted

mod ample;
mod anonymous;
mod attempts;
mod base;
mod bits;
mod cycles;
mod demand;
mod index;
mod known;
mod lasting;
mod model_system;
mod of_model;
mod of_network;
mod printed;
mod processes;
mod quotient;
mod reduced;
mod relations;
mod room;
mod skeleton;
mod space_system;
mod started;
mod symmetry;
mod watched;

pub use ample::{Ample, Saved};
pub use base::Base;
pub use model_system::ModelSystem;
pub use printed::{Figure3, Flaw, Printed};
pub use processes::{Position, Processes};
pub use quotient::Quotient;
pub use reduced::{Fork, LiftError, Reduced, Reducible, Unsuited};
pub use skeleton::Skeleton;
pub use space_system::SpaceSystem;
pub use symmetry::{Asymmetric, Permutation, PermutationId, Symmetry};
pub use watched::Watched;
