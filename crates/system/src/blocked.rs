//! Why processes cannot move in a state: what a report of a deadlock tells about each of them.

use fairly_source::Span;
use serde::{Deserialize, Serialize};

use crate::action::ProcessId;

/// A process in a state, and what keeps it from moving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// The process.
    pub process: ProcessId,
    /// The name of its control location.
    pub at: String,
    /// Whether it may stay here for ever without that being a deadlock.
    pub may_end: bool,
    /// Its possible steps here, each with its obstacle. Empty for a process that has nothing left to do.
    pub on: Vec<Obstacle>,
}

/// Something that a process could do, but for what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The statement or the event, as it is written.
    pub words: String,
    /// Where it is written.
    pub span: Option<Span>,
    /// The missing condition.
    pub missing: Missing,
}

/// Obstacle that keeps an action from being enabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missing {
    /// Its condition is false.
    Condition,
    /// Room in a channel, by name.
    Room(String),
    /// A message in a channel, by name, that is empty.
    Message(String),
    /// A message that fits in a channel, by name, that has others.
    OtherMessage(String),
    /// A process that receives from a channel, by name, at the same time.
    Receiver(String),
    /// A process that sends to a channel, by name, at the same time.
    Sender(String),
    /// Processes that take part in the event and do not offer it here.
    Partners(Vec<ProcessId>),
    /// The end of processes that were started later.
    LaterProcesses,
    /// Nothing of its own: something else goes first, or a rule of the model forbids it.
    Other,
}
