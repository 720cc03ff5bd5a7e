//! A whole model.

use fairly_system::{Event, EventId, EventKind};

use crate::expression::Expr;
use crate::ids::{LocationId, TemplateId};
use crate::process::{Edge, Gathering, Location, Slot, Template};
use crate::variable::{Channel, Variable};

/// A model: variables, channels, kinds of processes, the slots they run in, and who takes which
/// event together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The variables that all processes share.
    pub variables: Vec<Variable>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The kinds of processes.
    pub templates: Vec<Template>,
    /// The slots.
    pub slots: Vec<Slot>,
    /// The events with a fixed name; the first is `idle`.
    pub events: Vec<Event>,
    /// Who takes an event, for events that several processes may take together. An event that is
    /// not listed is taken by one process alone.
    pub gatherings: Vec<(EventId, Gathering)>,
    /// Named conditions on states.
    pub propositions: Vec<(String, Expr)>,
    /// Actions that go before others.
    pub atomicity: Atomicity,
    /// When a process may leave its slot.
    pub exit: Exit,
}

/// Actions that go before others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Atomicity {
    /// While some action is enabled in which a participant takes an edge of rank 0 out of an atomic
    /// location, no other action is: CSP#. Out of atomic locations, ranks keep no edge from being
    /// enabled; they say which edges go first. An action of several is one of those if one of its
    /// edges is, so no process can decide it alone.
    #[default]
    Priority,
    /// A process that takes an edge that [holds](crate::Edge::hold) is the only one to move next, if
    /// it then can without a timeout; the state remembers which one. Of several that act together it
    /// is the last one if its edge holds, so in a rendezvous the one that receives: Promela.
    ///
    /// A step belongs to the process that takes it alone or sends. One that receives in a rendezvous
    /// is moved by the other, so its ranks only decide between its edges that receive this message,
    /// and such edges keep none of its others from being enabled.
    Exclusive,
}

/// When a process may leave its slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exit {
    /// At any time.
    #[default]
    Any,
    /// Only when all slots behind it are free: Promela.
    LastFirst,
}

impl Model {
    /// Statements that a process may run in one action, by default: see [limits](crate::Limits).
    pub const STATEMENTS: u64 = 20_000_000;

    /// A model with nothing in it but the event `idle`.
    pub fn new() -> Model {
        let idle = Event { name: "idle".to_owned(), kind: EventKind::Idle };
        Model {
            variables: Vec::new(),
            channels: Vec::new(),
            templates: Vec::new(),
            slots: Vec::new(),
            events: vec![idle],
            gatherings: Vec::new(),
            propositions: Vec::new(),
            atomicity: Atomicity::default(),
            exit: Exit::default(),
        }
    }

    /// A template by position.
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.index()]
    }

    /// Adds an event.
    pub fn add_event(&mut self, name: impl Into<String>, kind: EventKind) -> EventId {
        self.events.push(Event { name: name.into(), kind });
        EventId::from_index(self.events.len() - 1)
    }
}

impl Default for Model {
    fn default() -> Self {
        Model::new()
    }
}

/// Gives the edges of locations that are only made when they are met.
///
/// A process whose control automaton is infinite, or too large to be made before the search, has
/// locations without edges. The interpreter asks for them when a state has the process there.
pub trait Unfold: Send {
    /// The edges of a location that has none in the model. It is asked once for each.
    ///
    /// # Errors
    /// When the process grows beyond all bounds.
    fn unfold(
        &mut self,
        model: &Model,
        template: TemplateId,
        location: LocationId,
    ) -> Result<Unfolded, Growth>;
}

/// A location that has been unfolded.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Locations that the edges lead to and that were not there before. They follow those that the template
    /// has, and those that were given before.
    pub locations: Vec<Location>,
}

/// A process that grows beyond all bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The growth, in a sentence, with the definition that makes it grow.
    pub message: String,
    /// Where that is written.
    pub span: Option<fairly_source::Span>,
}
