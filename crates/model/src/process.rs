//! Processes: control automata whose edges are guarded actions.

use fairly_source::Span;
use fairly_system::{Annotation, EventId, FaultKind};

use crate::expression::{Expr, Pattern, Pick, Place};
use crate::ids::{LocalId, LocationId, SlotId, TemplateId};
use crate::variable::Variable;

/// A kind of process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// As it is shown.
    pub name: String,
    /// Its variables. The first [`parameters`](Template::parameters) of them get the arguments.
    pub locals: Vec<Variable>,
    /// How many of the variables are parameters.
    pub parameters: u32,
    /// The control locations. A process starts at the first.
    pub locations: Vec<Location>,
    /// First statements of a new process, in the step that creates it: its variables have their initial values
    /// and its parameters the arguments. It starts no processes.
    pub start: Vec<Statement>,
    /// Where it is written.
    pub span: Option<Span>,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// As it is shown.
    pub name: String,
    /// The edges that leave it; `None` for a location of a process that is unfolded while it is
    /// explored and has not been met yet: see [`crate::Unfold`].
    pub edges: Option<Vec<Edge>>,
    /// Whether a process here goes before processes that are not at such a location:
    /// see [`crate::Atomicity::Priority`].
    pub atomic: bool,
    /// Whether a process may stay here for ever without that being a deadlock.
    pub may_end: bool,
    /// Names by which properties refer to it.
    pub labels: Vec<String>,
    /// Where it is written.
    pub span: Option<Span>,
}

/// An action of one process, or its part in an action of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: Target,
    /// When it can be taken. An expression that reads [`Expr::Timeout`] is evaluated with 0 for it
    /// first; only if then nothing in the system is enabled, with 1.
    pub guard: Expr,
    /// An edge is enabled only if no edge with a smaller rank out of the same location is; at atomic
    /// locations, [`crate::Atomicity::Priority`] says what else it means.
    pub rank: u8,
    /// Whether the process goes on alone: see [`crate::Atomicity::Exclusive`].
    pub hold: bool,
    /// Its communication.
    pub communication: Communication,
    /// The label for an observer.
    pub label: Label,
    /// The fairness asked of it where it is written, if any.
    pub annotation: Option<Annotation>,
    /// Its statements, in this order, after the communication.
    pub effect: Vec<Statement>,
    /// The action as it is shown: in the words of the source.
    pub name: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// To a location.
    Location(LocationId),
    /// To the end of the process: its slot becomes free. See [`crate::Model::exit`].
    Exit,
}

/// Communication of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Communication {
    /// Nothing, or only its event.
    None,
    /// Sends a message. On a channel with capacity 0 it is taken together with an edge of another
    /// process that receives there. To send a message of another width than those of the channel,
    /// when there is room for it, is a fault.
    Send {
        /// The channel's number; one that is no channel is a fault.
        channel: Expr,
        /// The cells of the message.
        message: Vec<Expr>,
        /// Whether the message goes to the end, or before the first greater message.
        order: Order,
    },
    /// Receives a message. Its cells can be read as [`Expr::Received`] in the guard and the effect.
    /// If messages have another width than the pattern, the first cells are compared, and to receive
    /// one that matches is a fault, unless it stays in the channel and only some of it is looked at.
    Receive {
        /// The channel's number; one that is no channel is a fault.
        channel: Expr,
        /// Pattern of each cell.
        pattern: Vec<Pattern>,
        /// Which message.
        pick: Pick,
        /// Whether the message stays in the channel.
        keep: bool,
    },
}

/// Where a message goes in a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Behind all others.
    #[default]
    Fifo,
    /// Before the first one that is greater, comparing cells from the first on.
    Sorted,
}

/// The event of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// An event of the model.
    Event(EventId),
    /// An event whose name is made of a first part and values: `get.0.1`. The slot may hide it.
    Data {
        /// The first part.
        family: String,
        /// The values behind it.
        values: Vec<Expr>,
    },
    /// The event of the communication: `c!1.2`, `c?1.2`, or `c.1.2` for a rendezvous.
    Message,
}

/// A statement of an effect. All of an effect happens in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind.
    pub kind: StatementKind,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Evaluates all values, then assigns them from the first to the last.
    Assign(Vec<(Place, Expr)>),
    /// One of two ways.
    If {
        /// The condition.
        condition: Expr,
        /// If it is true.
        then: Vec<Statement>,
        /// If not.
        otherwise: Vec<Statement>,
    },
    /// Again and again while the condition is true. More than
    /// [`Model::STATEMENTS`](crate::Model::STATEMENTS) statements in one action are a fault.
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Vec<Statement>,
    },
    /// A fault unless the condition is true.
    Assert {
        /// The condition.
        condition: Expr,
        /// The error otherwise, in a sentence; may be empty.
        message: String,
        /// Kind of the fault: an error of the model, or a limit of the tool.
        kind: FaultKind,
    },
    /// Starts a process in the first free slot that can hold it; if there is none, that is a limit of
    /// the model. Its slot's number goes to `slot`.
    Start {
        /// The kind of process.
        template: TemplateId,
        /// The values of its parameters.
        arguments: Vec<Expr>,
        /// Where its number goes.
        slot: Option<Place>,
    },
    /// Puts a message into a buffered channel; a fault if it is full and does not lose messages, or
    /// a rendezvous.
    Put {
        /// The channel's number.
        channel: Expr,
        /// The cells of the message.
        message: Vec<Expr>,
        /// Where it goes.
        order: Order,
    },
    /// Takes a message from a buffered channel and assigns its cells; a fault if none matches.
    Take {
        /// The channel's number.
        channel: Expr,
        /// Pattern of each cell.
        pattern: Vec<Pattern>,
        /// Where each cell goes.
        into: Vec<Option<Place>>,
        /// Which message.
        pick: Pick,
        /// Whether the message stays in the channel.
        keep: bool,
    },
}

/// A place for a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The process as it is shown; of a slot that several kinds can use, with its number.
    pub name: String,
    /// The kinds of process that can be in it.
    pub templates: Vec<TemplateId>,
    /// The process that is in it at the start, and its arguments. These processes are created in the
    /// order of their slots.
    pub start: Option<(TemplateId, Vec<i64>)>,
    /// Events made of values that are hidden in this slot, by name: see [`Label::Data`] and
    /// [`Label::Message`].
    pub renamed: Vec<(String, EventId)>,
}

/// Who takes an event together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gathering {
    /// The process in this slot.
    Slot(SlotId),
    /// All of these at once.
    All(Vec<Gathering>),
    /// One of these.
    One(Vec<Gathering>),
}

impl Statement {
    /// A statement that is written nowhere.
    pub fn new(kind: StatementKind) -> Statement {
        Statement { kind, span: None }
    }
}

impl Template {
    /// A variable by position.
    pub fn local(&self, id: LocalId) -> &Variable {
        &self.locals[id.index()]
    }

    /// A location by position.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }
}
