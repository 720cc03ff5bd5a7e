//! The names of things in a system: processes, events, moves and actions.

use std::fmt;
use std::hash::BuildHasher;

use fairly_source::Span;
use serde::{Deserialize, Serialize};

use crate::component::Annotation;
use crate::growing::{Growing, Interner, Seen};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
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

/// Label and participants of a transition, without its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The label for an observer.
    pub event: EventId,
    /// Who takes part, in increasing order.
    pub participants: Vec<ProcessId>,
    /// With which move each participant does.
    pub moves: Vec<MoveId>,
}

/// Kind of an event for an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The step of a deadlocked state, without participants.
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
    /// Its kind for an observer.
    pub kind: EventKind,
}

/// One process's part in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Who.
    pub process: ProcessId,
    /// The event.
    pub event: EventId,
    /// The fairness asked of it where it is written, if any.
    pub annotation: Option<Annotation>,
    /// The move as it is shown, without its process: `think.pick->eat`.
    pub name: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// The parts of a system. Ids are positions in its lists, and stay what they are. Where a system is not
/// [`complete`](Signature::complete), its events and moves are appended while it is explored; actions always
/// are.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The processes by name.
    pub processes: Vec<String>,
    /// The events; the first is `idle`.
    pub events: Growing<Event>,
    /// The moves.
    pub moves: Growing<Move>,
    /// The first parts of events that the model speaks of, and that may come in more forms than are
    /// listed, or in none: `send` for `send.3`.
    pub families: Growing<String>,
    /// Whether all events and moves are listed.
    pub complete: bool,
    actions: Interner<Action>,
}

/// Signatures are equal if what they list before a search is, so actions do not count.
impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.processes == other.processes
            && self.events == other.events
            && self.moves == other.moves
            && self.families == other.families
            && self.complete == other.complete
    }
}

impl Eq for Signature {}

impl Signature {
    /// A signature with these processes, the event `idle`, and nothing else, which is complete.
    pub fn new(processes: Vec<String>) -> Signature {
        let idle = Event { name: "idle".to_owned(), kind: EventKind::Idle };
        let signature = Signature {
            processes,
            events: Growing::new(),
            moves: Growing::new(),
            families: Growing::new(),
            complete: true,
            actions: Interner::new(),
        };
        signature.events.push(idle);
        signature.action_id(&mut Seen::default(), EventId::IDLE, &[]);
        signature
    }

    /// Lists an event.
    pub fn add_event(&self, name: impl Into<String>, kind: EventKind) -> EventId {
        EventId::from_index(self.events.push(Event { name: name.into(), kind }))
    }

    /// The action of an event and moves. The order of the moves tells actions apart.
    #[inline]
    pub fn action_id(&self, seen: &mut Seen, event: EventId, moves: &[MoveId]) -> ActionId {
        let id = self.actions.intern(
            seen,
            &(event, moves),
            |action| action.event == event && action.moves == moves,
            |action, hasher| hasher.hash_one((action.event, action.moves.as_slice())),
            || {
                let process = |id: &MoveId| self.moves[id.index()].process;
                let mut participants: Vec<ProcessId> = moves.iter().map(process).collect();
                participants.sort_unstable();
                participants.dedup();
                Action { event, participants, moves: moves.to_vec() }
            },
        );
        ActionId(id)
    }

    /// An action that was handed out.
    #[inline]
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions.members()[id.index()]
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

    /// Kind of an event for an observer.
    pub fn event_kind(&self, event: EventId) -> EventKind {
        self.events[event.index()].kind
    }

    /// The name of a process.
    pub fn process_name(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }
}
