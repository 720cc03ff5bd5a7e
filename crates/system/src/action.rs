//! The names of things in a system: processes, events, moves and actions.

use std::fmt;

use fairly_source::Span;

use crate::component::Annotation;

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

/// What an observer makes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The step of a deadlocked state: nobody does anything.
    Idle,
    /// An observer sees it, and formulas and refinement speak of it.
    Visible,
    /// An internal step, or an event that is hidden. Its name is only for showing.
    Internal,
    /// Successful termination.
    Termination,
}

/// An event of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// As it is written: `get.0.1`.
    pub name: String,
    /// What an observer makes of it.
    pub kind: EventKind,
}

/// One process's part in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Who.
    pub process: ProcessId,
    /// What.
    pub event: EventId,
    /// The fairness asked of it where it is written, if any.
    pub annotation: Option<Annotation>,
    /// The move as it is shown, without its process: `think.pick->eat`.
    pub name: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// What a system is made of. Ids are positions in its tables, and stay what they are; where a
/// system is not [`complete`](Signature::complete), its tables grow while it is explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The processes by name.
    pub processes: Vec<String>,
    /// The events; the first is `idle`.
    pub events: Vec<Event>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The first parts of events that the model speaks of, and that may come in more forms than are
    /// listed, or in none: `send` for `send.3`.
    pub families: Vec<String>,
    /// Whether all events and moves are listed.
    pub complete: bool,
}

impl Signature {
    /// A signature with these processes, the event `idle`, and nothing else, which is complete.
    pub fn new(processes: Vec<String>) -> Signature {
        let idle = Event { name: "idle".to_owned(), kind: EventKind::Idle };
        Signature {
            processes,
            events: vec![idle],
            moves: Vec::new(),
            families: Vec::new(),
            complete: true,
        }
    }

    /// The process with this name.
    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.processes.iter().position(|other| other == name).map(ProcessId::from_index)
    }

    /// The event with this name, if it is one that can be spoken of.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.event_ids().find(|&event| {
            self.event_name(event) == name && self.event_kind(event) != EventKind::Internal
        })
    }

    /// All events that are listed.
    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId::from_index)
    }

    /// All moves that are listed.
    pub fn move_ids(&self) -> impl Iterator<Item = MoveId> + use<> {
        (0..self.moves.len()).map(MoveId::from_index)
    }

    /// The name of an event.
    pub fn event_name(&self, event: EventId) -> &str {
        &self.events[event.index()].name
    }

    /// What an observer makes of an event.
    pub fn event_kind(&self, event: EventId) -> EventKind {
        self.events[event.index()].kind
    }

    /// The name of a process.
    pub fn process_name(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }
}
