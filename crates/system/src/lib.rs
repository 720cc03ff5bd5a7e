//! Transition systems: what the searches and the fairness constraints know of a model.
//!
//! - [`TransitionSystem`]: states numbered as they are met, and transitions, each an [`Action`]
//!   that is an event taken jointly by some processes;
//! - [`Packed`]: the same without numbers, for searches that do not keep every state;
//! - [`Network`]: a system of explicit [`Component`]s that synchronise on shared events.
//!
//! # What a run is
//!
//! A state without an enabled action has exactly one idle step to itself, with the event `idle`,
//! taken by nobody; no other state idles. [`TransitionSystem::steps`] is where that rule lives, so
//! that every run is infinite and a deadlock is a loop like any other. What is *enabled* and
//! *ready* is always asked here, of the system, never of a product with a property.

mod action;
mod blocked;
mod component;
mod events;
mod network;
mod packed;
mod run;
mod transition_system;
mod value;

pub use action::{Action, ActionId, Event, EventId, EventKind, Move, MoveId, ProcessId, Signature};
pub use blocked::{Blocked, Missing, Obstacle};
pub use component::{Annotation, Component, ComponentBuilder, LocalTransition};
pub use events::{EventReading, EventSet};
pub use network::{Composition, Network, NetworkError};
pub use packed::{Packed, PackedSteps};
pub use run::{Run, RunStep};
pub use transition_system::{AtomIndex, Fault, FaultKind, Interrupt, Transition, TransitionSystem};
pub use value::{ProcessValues, StateValues, Value};
