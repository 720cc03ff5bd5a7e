//! The names of things in a system: processes, events, moves and actions.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position, for tables indexed by it.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The one at this position.
            ///
            /// # Panics
            /// Past 2³² of them.
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 of them"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// A process: its position in [`Signature::processes`].
    ProcessId
}
id! {
    /// An event: its position in [`Signature::events`].
    EventId
}
id! {
    /// One process's part in actions: a local transition, with an annotation of its own.
    MoveId
}
id! {
    /// An action: an event taken by some processes, each with one move.
    ActionId
}

impl EventId {
    /// The event of the idle step of a deadlocked state.
    pub const IDLE: EventId = EventId(0);
}

impl ActionId {
    /// The idle step: the event `idle`, no process.
    pub const IDLE: ActionId = ActionId(0);
}

/// What happens in a transition, apart from the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What an observer sees.
    pub event: EventId,
    /// Who takes part, in increasing order.
    pub participants: Vec<ProcessId>,
    /// With which move each participant does.
    pub moves: Vec<MoveId>,
}

/// The names that are fixed for a whole system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The processes.
    pub processes: Vec<String>,
    /// The events; the first is `idle`.
    pub events: Vec<String>,
}

impl Signature {
    /// The process with this name.
    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.processes.iter().position(|other| other == name).map(ProcessId::from_index)
    }

    /// The event with this name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events.iter().position(|other| other == name).map(EventId::from_index)
    }

    /// The name of an event.
    pub fn event_name(&self, event: EventId) -> &str {
        &self.events[event.index()]
    }

    /// The name of a process.
    pub fn process_name(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }
}
