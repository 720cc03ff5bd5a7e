//! Transition systems: what the searches and the fairness constraints know of a model.
//!
//! - [`Space`]: the behaviour of a system, shared by threads, without numbers for its states;
//! - [`TransitionSystem`]: states numbered as they are met, and transitions, each an [`Action`]
//!   that is an event taken jointly by some processes;
//! - [`Packed`]: the same without numbers, for searches that do not keep every state;
//! - [`Network`]: a system of explicit [`Component`]s that synchronise on shared events.
//!
//! The lists of events, moves and actions grow while several threads explore a system. They are vectors of the
//! crate `boxcar`: appending takes no lock, and members never move.
//!
//! # What a run is
//!
//! A state without an enabled action has exactly one idle step to itself, with the event `idle`, taken by no
//! process; no other state idles. [`TransitionSystem::steps`] is where that rule lives, so that every run is
//! infinite and a deadlock is a loop like any other. What is *enabled* and *ready* is always asked here, of the
//! system, never of a product with a property.

mod action;
mod blocked;
mod component;
mod events;
mod growing;
mod growth;
mod long;
mod network;
mod packed;
mod run;
mod space;
mod trace;
mod transition_system;
mod value;

pub use action::{Action, ActionId, Event, EventId, EventKind, Move, MoveId, ProcessId, Signature};
pub use blocked::{Blocked, Missing, Obstacle};
pub use component::{Annotation, Component, ComponentBuilder, LocalTransition};
pub use events::{EventPosition, EventSet};
pub use growing::{Growing, Interner, Seen};
pub use growth::{Grown, Growth, Trend};
pub use long::Long;
pub use network::{Composition, Network, NetworkError};
pub use packed::Packed;
pub use run::{Run, RunStep};
pub use space::{Holder, MOST_AT_ONCE, Scratch, SequenceLimits, Sequences, Space, Steps};
pub use trace::{Part, Stuck, Trace, TraceState, TraceStep};
pub use transition_system::{AtomIndex, Fault, FaultKind, Transition, TransitionSystem};
pub use value::{ProcessValues, StateValues, Value};
