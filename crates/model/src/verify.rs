//! Invariants of every model. Engines rely on them and do not check again.
//!
//! [`verify()`] finds everything that is wrong with a model; [`verify_open`] is for a model that is
//! still unfolded while it is explored. What depends on values, such as an index outside an array,
//! is no flaw but a fault of the run that meets it.
//!
//! **Tables**
//! - The first event is `idle`, of kind `Idle` ([`ModelErrorKind::MissingIdle`]), and no other event is
//!   of that kind ([`ModelErrorKind::SecondIdle`]).
//! - Every id is a position in its table: variables ([`ModelErrorKind::UnknownVariable`]), variables of a
//!   process ([`ModelErrorKind::UnknownLocal`]), templates ([`ModelErrorKind::UnknownTemplate`]), locations
//!   ([`ModelErrorKind::UnknownLocation`]), slots ([`ModelErrorKind::UnknownSlot`]), events
//!   ([`ModelErrorKind::UnknownEvent`]), and channels whose number is a constant
//!   ([`ModelErrorKind::UnknownChannel`]).
//! - Statements and expressions, counted together, and gatherings are nested at most [`NESTING`]
//!   deep ([`ModelErrorKind::TooDeep`]), so that recursion on them is safe.
//! - A state has at most [`Layout::MOST_CELLS`] values ([`ModelErrorKind::TooLarge`]).
//!
//! **Names**
//! - Variables, channels, templates, slots, events, propositions and the first parts of events with
//!   data have a name ([`ModelErrorKind::EmptyName`]). Locations and edges need none.
//! - Reports and properties look these up by name, so it is unique: variables of the model,
//!   remembered variables of one template, channels, slots, propositions, and events that are not
//!   internal ([`ModelErrorKind::RepeatedName`]). Only an event that several take together may share its
//!   name with one that a process takes alone: CSP# has `a` and `a{x = 1;}` side by side.
//!
//! **Variables and channels**
//! - A range is not empty ([`ModelErrorKind::EmptyRange`]) and within [`WIDEST`]
//!   ([`ModelErrorKind::WideRange`]); its size is a power of two where values wrap
//!   ([`ModelErrorKind::WrapSize`]).
//! - An array has an element ([`ModelErrorKind::EmptyArray`]). There is one initial value for each
//!   element ([`ModelErrorKind::InitialCount`]), in the range ([`ModelErrorKind::InitialRange`]).
//! - A variable of the model is remembered: scratch belongs to a process, since several may act at
//!   once ([`ModelErrorKind::ScratchGlobal`]).
//! - A rendezvous does not lose messages ([`ModelErrorKind::LossyRendezvous`]).
//! - The slot of a channel's owner can hold its template ([`ModelErrorKind::OwnerTemplate`]).
//!
//! **Templates**
//! - There is a location to start at ([`ModelErrorKind::NoLocation`]).
//! - There are no more parameters than variables ([`ModelErrorKind::ParameterCount`]), and they are single
//!   values that are remembered ([`ModelErrorKind::ParameterKind`]).
//! - The first statements of a new process start no other ([`ModelErrorKind::StrayStart`]).
//! - All locations have their edges, unless the model is open ([`ModelErrorKind::Unexplored`]).
//!
//! **Edges**
//! - No edge has the event `idle` ([`ModelErrorKind::IdleTaken`]), nor does a slot rename to it or a
//!   gathering take it.
//! - Only an edge that communicates has the event of its communication
//!   ([`ModelErrorKind::NoMessage`]); its event is not one that is gathered, because then two rules
//!   would say who takes part ([`ModelErrorKind::GatheredMessage`]).
//! - Where a channel is a constant, messages and patterns are as wide as its messages. A statement
//!   that takes a message has a pattern and a place for each cell ([`ModelErrorKind::MessageWidth`]).
//! - A received cell is read only in the guard and the effect of an edge that receives
//!   ([`ModelErrorKind::StrayReceived`]), and is one of the pattern's ([`ModelErrorKind::ReceivedWidth`]).
//! - An index is given for every array and for nothing else ([`ModelErrorKind::Index`]).
//! - A variable of another process is not assigned ([`ModelErrorKind::RemoteAssigned`]).
//! - Scratch is read and assigned only in the effect of its own process: before, it has its initial
//!   value, which is better written down ([`ModelErrorKind::StrayScratch`]).
//! - A process is started with one argument for each parameter ([`ModelErrorKind::ArgumentCount`]).
//! - [`Expr::Timeout`] is read only in guards ([`ModelErrorKind::StrayTimeout`]).
//! - [`Expr::Executable`] is read only in propositions, since guards that ask whether guards are
//!   true could go round in circles ([`ModelErrorKind::StrayExecutable`]).
//!
//! **Propositions**
//! - They are about states, not processes: no variable of the process that evaluates them, nor its
//!   slot ([`ModelErrorKind::StrayOwn`]); and none of the above that is for edges.
//!
//! **Slots**
//! - A slot can hold some template ([`ModelErrorKind::NoTemplate`]), each listed once
//!   ([`ModelErrorKind::RepeatedTemplate`]).
//! - The process in it at the start is one of them ([`ModelErrorKind::StartTemplate`]), with one argument
//!   for each parameter ([`ModelErrorKind::ArgumentCount`]), in its range ([`ModelErrorKind::ArgumentRange`]).
//! - An event is renamed once ([`ModelErrorKind::RepeatedRenaming`]).
//!
//! **Gatherings**
//! - An event has at most one gathering ([`ModelErrorKind::RepeatedGathering`]), in which a slot occurs at
//!   most once ([`ModelErrorKind::RepeatedSlot`]) and nothing is empty ([`ModelErrorKind::EmptyGathering`]).

use std::fmt;

use fairly_source::Span;
use fairly_system::{EventId, EventKind};
use hashbrown::HashSet;

use crate::expression::{AnyVariable, Expr, Pattern, Place};
use crate::ids::{LocalId, LocationId, SlotId, TemplateId, VariableId};
use crate::layout::Layout;
use crate::model::Model;
use crate::process::{
    Communication, Edge, Gathering, Label, Slot, Statement, StatementKind, Target, Template,
};
use crate::variable::{Overflow, Range, Storage, Variable, WhenFull};

/// How deep statements and expressions may be nested.
pub const NESTING: u32 = 500;

/// The widest range of a variable: 33 bits, so that both the signed and the unsigned integers of 32
/// bits fit.
pub const WIDEST: Range = Range { low: -(1 << 32), high: (1 << 32) - 1 };

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Which rule a model breaks; the rules are listed in the documentation of the module
        /// `verify`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ModelErrorKind {
            $($(#[$doc])* $name,)*
        }

        impl ModelErrorKind {
            /// All of them.
            pub const ALL: &'static [ModelErrorKind] = &[$(ModelErrorKind::$name,)*];
        }
    };
}

kinds! {
    /// The first event is not `idle`.
    MissingIdle,
    /// Another event is of the kind `Idle`.
    SecondIdle,
    /// A variable of the model that is not there.
    UnknownVariable,
    /// A variable of a process that is not there.
    UnknownLocal,
    /// A template that is not there.
    UnknownTemplate,
    /// A location that is not there.
    UnknownLocation,
    /// A slot that is not there.
    UnknownSlot,
    /// An event that is not there.
    UnknownEvent,
    /// A channel that is not there.
    UnknownChannel,
    /// Something nested too deep.
    TooDeep,
    /// More values than a state can have.
    TooLarge,
    /// A name without characters.
    EmptyName,
    /// One name for two things.
    RepeatedName,
    /// A range without values.
    EmptyRange,
    /// A range beyond 33 bits.
    WideRange,
    /// A range that wraps and whose size is no power of two.
    WrapSize,
    /// An array without elements.
    EmptyArray,
    /// Not one initial value for each element.
    InitialCount,
    /// An initial value outside the range.
    InitialRange,
    /// A variable of the model that is not remembered.
    ScratchGlobal,
    /// A rendezvous that loses messages.
    LossyRendezvous,
    /// A channel of a process that its slot cannot hold.
    OwnerTemplate,
    /// A template without locations.
    NoLocation,
    /// More parameters than variables.
    ParameterCount,
    /// A parameter that is an array or not remembered.
    ParameterKind,
    /// A process that is started by what a new process does first.
    StrayStart,
    /// A location without its edges.
    Unexplored,
    /// The event `idle` on an action with participants.
    IdleTaken,
    /// The event of a communication where there is none.
    NoMessage,
    /// A communication whose event is gathered.
    GatheredMessage,
    /// A message or pattern of the wrong width.
    MessageWidth,
    /// A received cell where nothing is received.
    StrayReceived,
    /// A received cell beyond the message.
    ReceivedWidth,
    /// An array without an index, or an index without an array.
    Index,
    /// An assignment to a variable of another process.
    RemoteAssigned,
    /// Scratch outside an effect of its own process.
    StrayScratch,
    /// Not one argument for each parameter.
    ArgumentCount,
    /// `timeout` outside a guard.
    StrayTimeout,
    /// `executable` outside a proposition.
    StrayExecutable,
    /// A proposition that asks who evaluates it.
    StrayOwn,
    /// A slot that holds no template.
    NoTemplate,
    /// A template listed twice.
    RepeatedTemplate,
    /// A process at the start that the slot does not hold.
    StartTemplate,
    /// An argument outside the range of its parameter.
    ArgumentRange,
    /// An event renamed twice.
    RepeatedRenaming,
    /// An event gathered twice.
    RepeatedGathering,
    /// A slot that occurs twice in a gathering.
    RepeatedSlot,
    /// A gathering of all or one of no processes.
    EmptyGathering,
}

/// Something that is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// The rule that is broken.
    pub kind: ModelErrorKind,
    /// The error, naming the place: ids as in the text form, with names.
    pub message: String,
    /// Where the nearest part around it is written, if that is known.
    pub span: Option<Span>,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}

/// Checks a model all of whose locations have their edges.
///
/// # Errors
/// Everything that is wrong, at least one flaw.
///
/// ```
/// use fairly_model::{ModelErrorKind, Model, Range, Variable, verify};
/// let mut model = Model::new();
/// assert!(verify(&model).is_ok());
/// model.variables.push(Variable::scalar("x", Range::BOOL, 2));
/// let flaws = verify(&model).unwrap_err();
/// assert_eq!(flaws[0].kind, ModelErrorKind::InitialRange);
/// assert_eq!(flaws[0].message, "variable g0 `x`: the initial value 2 is outside 0..1");
/// ```
pub fn verify(model: &Model) -> Result<(), Vec<ModelError>> {
    check(model, false)
}

/// Checks a model that is still unfolded: see [`crate::Unfold`].
///
/// # Errors
/// Everything that is wrong, at least one flaw.
pub fn verify_open(model: &Model) -> Result<(), Vec<ModelError>> {
    check(model, true)
}

fn check(model: &Model, open: bool) -> Result<(), Vec<ModelError>> {
    let gathered = model.gatherings.iter().map(|&(event, _)| event).collect();
    let mut verifier = Verifier { model, open, gathered, flaws: Vec::new() };
    verifier.events();
    verifier.variables(&model.variables, "variable", None);
    verifier.channels();
    for (at, template) in model.templates.iter().enumerate() {
        verifier.template(TemplateId::from_index(at), template);
    }
    for (at, slot) in model.slots.iter().enumerate() {
        verifier.slot(SlotId::from_index(at), slot);
    }
    verifier.unique(model.slots.iter().map(|slot| slot.name.as_str()), "slots");
    verifier.gatherings();
    verifier.propositions();
    // Only of a sound model can it be said how many values a state has.
    if verifier.flaws.is_empty() && !Layout::fits(model) {
        let most = Layout::MOST_CELLS;
        let what = format_args!("a state has more than {most} values");
        verifier.flaw(ModelErrorKind::TooLarge, None, "variables and channels", what);
    }
    if verifier.flaws.is_empty() { Ok(()) } else { Err(verifier.flaws) }
}

/// Where the verifier is; made into words only when something is wrong there.
#[derive(Clone, Copy)]
struct Here<'m> {
    template: Option<(TemplateId, &'m Template)>,
    location: LocationId,
    edge: usize,
    part: Part,
    /// The name of the proposition.
    name: &'m str,
    /// How many cells can be read here, if any are received.
    received: Option<usize>,
    span: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Guard,
    Communication,
    Label,
    Effect,
    Start,
    Target,
    Proposition,
}

impl fmt::Display for Here<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((id, template)) = self.template else {
            return write!(f, "proposition `{}`", self.name);
        };
        write!(f, "template {id} `{}`, ", template.name)?;
        if self.part == Part::Start {
            return f.write_str("beginning");
        }
        write!(f, "location {}, edge {}", self.location, self.edge)?;
        f.write_str(match self.part {
            Part::Guard => ", guard",
            Part::Communication => ", communication",
            Part::Label => ", event",
            Part::Effect => ", effect",
            Part::Start | Part::Target | Part::Proposition => "",
        })
    }
}

struct Verifier<'m> {
    model: &'m Model,
    open: bool,
    gathered: HashSet<EventId>,
    flaws: Vec<ModelError>,
}

impl<'m> Verifier<'m> {
    fn flaw(
        &mut self,
        kind: ModelErrorKind,
        span: Option<Span>,
        place: impl fmt::Display,
        what: impl fmt::Display,
    ) {
        self.flaws.push(ModelError { kind, message: format!("{place}: {what}"), span });
    }

    fn named(&mut self, name: &str, span: Option<Span>, place: impl fmt::Display) {
        if name.is_empty() {
            self.flaw(ModelErrorKind::EmptyName, span, place, "it has no name");
        }
    }

    fn unique<'n>(&mut self, names: impl Iterator<Item = &'n str>, what: &str) {
        let mut known = HashSet::new();
        for name in names {
            // A missing name has been reported as such.
            if !known.insert(name) && !name.is_empty() {
                self.flaw(
                    ModelErrorKind::RepeatedName,
                    None,
                    what,
                    format_args!("two are called `{name}`"),
                );
            }
        }
    }

    fn event(&mut self, event: EventId, span: Option<Span>, place: impl fmt::Display) {
        if event.index() >= self.model.events.len() {
            let what = format_args!("there is no event e{event}");
            self.flaw(ModelErrorKind::UnknownEvent, span, place, what);
        } else if event == EventId::IDLE {
            self.flaw(ModelErrorKind::IdleTaken, span, place, "`idle` is the event of a deadlock");
        }
    }

    fn events(&mut self) {
        let model = self.model;
        let idle = model
            .events
            .first()
            .is_some_and(|event| event.name == "idle" && event.kind == EventKind::Idle);
        if !idle {
            self.flaw(ModelErrorKind::MissingIdle, None, "events", "the first is not `idle`");
        }
        for (at, event) in model.events.iter().enumerate() {
            let place = format_args!("event e{at} `{}`", event.name);
            if at > 0 && event.kind == EventKind::Idle {
                self.flaw(ModelErrorKind::SecondIdle, None, place, "only the first is idle");
            }
            self.named(&event.name, None, place);
        }
        for together in [true, false] {
            let gathered = &self.gathered;
            let spoken: Vec<&str> = (0..model.events.len())
                .map(EventId::from_index)
                .filter(|id| gathered.contains(id) == together)
                .map(|id| &model.events[id.index()])
                .filter(|event| event.kind != EventKind::Internal)
                .map(|event| event.name.as_str())
                .collect();
            self.unique(spoken.into_iter(), "events");
        }
    }

    fn range(
        &mut self,
        range: Range,
        overflow: Overflow,
        span: Option<Span>,
        place: impl fmt::Display,
    ) {
        let Range { low, high } = range;
        if low > high {
            let what = format_args!("the range {low}..{high} has no values");
            self.flaw(ModelErrorKind::EmptyRange, span, place, what);
        } else if low < WIDEST.low || high > WIDEST.high {
            let what = format_args!("the range {low}..{high} needs more than 33 bits");
            self.flaw(ModelErrorKind::WideRange, span, place, what);
        } else if overflow == Overflow::Wrap
            && !high.abs_diff(low).wrapping_add(1).is_power_of_two()
        {
            let what = format_args!("the size of {low}..{high} is no power of two, yet it wraps");
            self.flaw(ModelErrorKind::WrapSize, span, place, what);
        }
    }

    /// The variables of the model, or of the process that `within` names.
    fn variables(&mut self, variables: &[Variable], what: &str, within: Option<&str>) {
        let prefix = if within.is_some() { 'l' } else { 'g' };
        let tail = within.unwrap_or_default();
        for (at, variable) in variables.iter().enumerate() {
            let Variable { name, range, overflow, length, count, initial, storage, shown: _, span } =
                variable;
            let place = format_args!("{what} {prefix}{at} `{name}`{tail}");
            self.named(name, *span, place);
            self.range(*range, *overflow, *span, place);
            let known = |count: &VariableId| count.index() < self.model.variables.len();
            if let Some(count) = count.filter(|count| !known(count)) {
                let what = format_args!("there is no variable {count}");
                self.flaw(ModelErrorKind::UnknownVariable, *span, place, what);
            }
            if *length == Some(0) {
                self.flaw(ModelErrorKind::EmptyArray, *span, place, "the array has no elements");
            }
            if initial.len() != variable.cells() {
                let (is, count) = (initial.len(), variable.cells());
                let what = format_args!("{is} initial values for {count} elements");
                self.flaw(ModelErrorKind::InitialCount, *span, place, what);
            }
            let outside = initial.iter().find(|&&value| !range.contains(value));
            if let Some(value) = outside.filter(|_| range.low <= range.high) {
                let Range { low, high } = range;
                let what = format_args!("the initial value {value} is outside {low}..{high}");
                self.flaw(ModelErrorKind::InitialRange, *span, place, what);
            }
            if within.is_none() && *storage == Storage::Scratch {
                let what = "only a variable of a process can be scratch";
                self.flaw(ModelErrorKind::ScratchGlobal, *span, place, what);
            }
        }
        let kept = variables.iter().filter(|variable| variable.storage == Storage::State);
        self.unique(kept.map(|variable| variable.name.as_str()), &format!("variables{tail}"));
    }

    fn channels(&mut self) {
        let model = self.model;
        for (at, channel) in model.channels.iter().enumerate() {
            let place = format_args!("channel c{at} `{}`", channel.name);
            self.named(&channel.name, channel.span, place);
            for &(range, overflow) in &channel.cells {
                self.range(range, overflow, channel.span, place);
            }
            if channel.capacity == 0 && channel.when_full == WhenFull::Lose {
                let what = "a rendezvous is never full, so it cannot lose messages";
                self.flaw(ModelErrorKind::LossyRendezvous, channel.span, place, what);
            }
            if let Some((slot, template)) = channel.owner {
                let holds =
                    model.slots.get(slot.index()).map(|of| of.templates.contains(&template));
                if holds == Some(false) {
                    let what = format_args!("{slot} cannot hold {template}");
                    self.flaw(ModelErrorKind::OwnerTemplate, channel.span, place, what);
                } else if holds.is_none() {
                    let what = format_args!("there is no slot {slot}");
                    self.flaw(ModelErrorKind::UnknownSlot, channel.span, place, what);
                }
            }
        }
        self.unique(model.channels.iter().map(|channel| channel.name.as_str()), "channels");
    }

    fn template(&mut self, id: TemplateId, template: &'m Template) {
        let place = format_args!("template {id} `{}`", template.name);
        let span = template.span;
        self.named(&template.name, span, place);
        let within = format!(" of template {id} `{}`", template.name);
        self.variables(&template.locals, "variable", Some(&within));
        let parameters = template.parameters as usize;
        if parameters > template.locals.len() {
            let what = format_args!("{parameters} parameters, {} variables", template.locals.len());
            self.flaw(ModelErrorKind::ParameterCount, span, place, what);
        }
        for (at, local) in template.locals.iter().enumerate().take(parameters) {
            if local.length.is_some() || local.storage == Storage::Scratch {
                let what = format_args!("the parameter l{at} is no single remembered value");
                self.flaw(ModelErrorKind::ParameterKind, local.span.or(span), place, what);
            }
        }
        if template.locations.is_empty() {
            self.flaw(ModelErrorKind::NoLocation, span, place, "it has no location");
        }
        let beginning = Here {
            template: Some((id, template)),
            location: LocationId(0),
            edge: 0,
            part: Part::Start,
            name: "",
            received: None,
            span,
        };
        self.statements(&template.start, beginning, 1);
        for (at, location) in template.locations.iter().enumerate() {
            let at = LocationId::from_index(at);
            let Some(edges) = &location.edges else {
                if !self.open {
                    let what = format_args!("the location {at} has not got its edges");
                    self.flaw(ModelErrorKind::Unexplored, location.span.or(span), place, what);
                }
                continue;
            };
            for (number, edge) in edges.iter().enumerate() {
                let here = Here {
                    template: Some((id, template)),
                    location: at,
                    edge: number,
                    part: Part::Target,
                    name: "",
                    received: None,
                    span: edge.span.or(location.span).or(span),
                };
                self.edge(edge, here);
            }
        }
    }

    fn edge(&mut self, edge: &Edge, here: Here<'m>) {
        let Some((_, template)) = here.template else { return };
        if let Target::Location(target) = edge.target
            && target.index() >= template.locations.len()
        {
            let what = format_args!("there is no location {target}");
            self.flaw(ModelErrorKind::UnknownLocation, here.span, here, what);
        }
        let outside = Here { part: Part::Communication, ..here };
        let mut received = None;
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, order: _ } => {
                self.channel(channel, Some(message.len()), outside, 1);
                self.exprs(message, outside, 1);
            }
            Communication::Receive { channel, pattern, pick: _, keep: _ } => {
                self.channel(channel, Some(pattern.len()), outside, 1);
                self.pattern(pattern, outside, 1);
                received = Some(pattern.len());
            }
        }
        self.label(edge, Here { part: Part::Label, ..here });
        self.expr(&edge.guard, Here { part: Part::Guard, received, ..here }, 1);
        self.statements(&edge.effect, Here { part: Part::Effect, received, ..here }, 1);
    }

    fn label(&mut self, edge: &Edge, here: Here<'m>) {
        let silent = edge.communication == Communication::None;
        match &edge.label {
            Label::Event(event) => {
                self.event(*event, here.span, here);
                if !silent && self.gathered.contains(event) {
                    let what =
                        format_args!("e{event} is gathered, so its edges cannot communicate");
                    self.flaw(ModelErrorKind::GatheredMessage, here.span, here, what);
                }
            }
            Label::Data { family, values } => {
                self.named(family, here.span, here);
                self.exprs(values, here, 1);
            }
            Label::Message if silent => {
                self.flaw(ModelErrorKind::NoMessage, here.span, here, "the edge has no message");
            }
            Label::Message => {}
        }
    }

    /// Whether something is too deep to be looked into.
    fn deep(&mut self, depth: u32, span: Option<Span>, place: impl fmt::Display) -> bool {
        if depth > NESTING {
            let what = format_args!("nested deeper than {NESTING} levels");
            self.flaw(ModelErrorKind::TooDeep, span, place, what);
            // One that is too deep has many parts that are.
            let count = self.flaws.len();
            if count > 1 && self.flaws[count - 1] == self.flaws[count - 2] {
                self.flaws.pop();
            }
        }
        depth > NESTING
    }

    fn statements(&mut self, statements: &[Statement], here: Here<'m>, depth: u32) {
        for statement in statements {
            let here = Here { span: statement.span.or(here.span), ..here };
            if self.deep(depth, here.span, here) {
                return;
            }
            self.statement(&statement.kind, here, depth + 1);
        }
    }

    fn statement(&mut self, kind: &StatementKind, here: Here<'m>, depth: u32) {
        match kind {
            StatementKind::Assign(all) => {
                for (place, value) in all {
                    self.assigned(place, here, depth);
                    self.expr(value, here, depth);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition, here, depth);
                self.statements(then, here, depth);
                self.statements(otherwise, here, depth);
            }
            StatementKind::While { condition, body } => {
                self.expr(condition, here, depth);
                self.statements(body, here, depth);
            }
            StatementKind::Assert { condition, .. } => self.expr(condition, here, depth),
            StatementKind::Start { template, arguments, slot } => {
                if here.part == Part::Start {
                    let what = "a new process starts another before its first step";
                    self.flaw(ModelErrorKind::StrayStart, here.span, here, what);
                }
                if let Some(started) = self.known_template(*template, here) {
                    self.arguments(started, arguments.len(), here.span, here);
                }
                self.exprs(arguments, here, depth);
                if let Some(place) = slot {
                    self.assigned(place, here, depth);
                }
            }
            StatementKind::Put { channel, message, order: _ } => {
                self.channel(channel, Some(message.len()), here, depth);
                self.exprs(message, here, depth);
            }
            StatementKind::Take { channel, pattern, into, pick: _, keep: _ } => {
                self.channel(channel, Some(pattern.len()), here, depth);
                self.pattern(pattern, here, depth);
                if into.len() != pattern.len() {
                    let (cells, places) = (pattern.len(), into.len());
                    let what = format_args!("{places} places for {cells} cells");
                    self.flaw(ModelErrorKind::MessageWidth, here.span, here, what);
                }
                for place in into.iter().flatten() {
                    self.assigned(place, here, depth);
                }
            }
        }
    }

    fn assigned(&mut self, place: &Place, here: Here<'m>, depth: u32) {
        if let AnyVariable::Remote { .. } = place.variable {
            let what = "a variable of another process is assigned";
            self.flaw(ModelErrorKind::RemoteAssigned, here.span, here, what);
        }
        self.place(place, here, depth);
    }

    fn exprs(&mut self, exprs: &[Expr], here: Here<'m>, depth: u32) {
        for expr in exprs {
            self.expr(expr, here, depth);
        }
    }

    fn pattern(&mut self, pattern: &[Pattern], here: Here<'m>, depth: u32) {
        for cell in pattern {
            if let Pattern::Equal(value) = cell {
                self.expr(value, here, depth);
            }
        }
    }

    /// The number of a channel, and how wide a message is meant to be.
    fn channel(&mut self, number: &Expr, width: Option<usize>, here: Here<'m>, depth: u32) {
        self.expr(number, here, depth);
        let &Expr::Const(number) = number else { return };
        let model = self.model;
        let channel = usize::try_from(number).ok().and_then(|at| model.channels.get(at));
        let Some(channel) = channel else {
            let what = format_args!("there is no channel {number}");
            return self.flaw(ModelErrorKind::UnknownChannel, here.span, here, what);
        };
        let cells = channel.cells.len();
        if let Some(width) = width.filter(|&width| width != cells) {
            let name = &channel.name;
            let what =
                format_args!("{width} cells for c{number} `{name}`, whose messages have {cells}");
            self.flaw(ModelErrorKind::MessageWidth, here.span, here, what);
        }
    }

    fn expr(&mut self, expr: &Expr, here: Here<'m>, depth: u32) {
        if self.deep(depth, here.span, here) {
            return;
        }
        let below = depth + 1;
        let edges = here.template.is_some();
        match expr {
            Expr::Const(_) | Expr::Running | Expr::LastMover => {}
            Expr::Load(place) => self.place(place, here, below),
            Expr::Received(cell) => match here.received {
                None => {
                    let what = format_args!("the cell ${cell} is read where nothing is received");
                    self.flaw(ModelErrorKind::StrayReceived, here.span, here, what);
                }
                Some(width) if *cell as usize >= width => {
                    let what = format_args!("the cell ${cell} of a message of {width} is read");
                    self.flaw(ModelErrorKind::ReceivedWidth, here.span, here, what);
                }
                Some(_) => {}
            },
            Expr::Unary(_, operand) => self.expr(operand, here, below),
            Expr::Binary(_, operands) => {
                self.expr(&operands.0, here, below);
                self.expr(&operands.1, here, below);
            }
            Expr::Conditional(parts) => {
                self.expr(&parts.0, here, below);
                self.expr(&parts.1, here, below);
                self.expr(&parts.2, here, below);
            }
            Expr::Checked { index, length: _ } => self.expr(index, here, below),
            Expr::Channel(_, channel) => self.channel(channel, None, here, below),
            Expr::Poll { channel, pattern, pick: _ } => {
                self.channel(channel, Some(pattern.len()), here, below);
                self.pattern(pattern, here, below);
            }
            Expr::At { slot, template, locations } => {
                self.expr(slot, here, below);
                let Some(of) = self.known_template(*template, here) else { return };
                let unknown = locations.iter().find(|at| at.index() >= of.locations.len());
                if let Some(location) = unknown {
                    let what = format_args!("there is no location {location} of {template}");
                    self.flaw(ModelErrorKind::UnknownLocation, here.span, here, what);
                }
            }
            Expr::Own => {
                if !edges {
                    self.flaw(ModelErrorKind::StrayOwn, here.span, here, "no process evaluates it");
                }
            }
            Expr::Timeout => {
                if here.part != Part::Guard {
                    let what = "`timeout` is read outside a guard";
                    self.flaw(ModelErrorKind::StrayTimeout, here.span, here, what);
                }
            }
            Expr::Executable(slot) => {
                if edges {
                    let what = "`executable` is read outside a proposition";
                    self.flaw(ModelErrorKind::StrayExecutable, here.span, here, what);
                }
                self.expr(slot, here, below);
            }
        }
    }

    fn known_template(&mut self, id: TemplateId, here: Here<'m>) -> Option<&'m Template> {
        let found = self.model.templates.get(id.index());
        if found.is_none() {
            let what = format_args!("there is no template {id}");
            self.flaw(ModelErrorKind::UnknownTemplate, here.span, here, what);
        }
        found
    }

    fn place(&mut self, place: &Place, here: Here<'m>, depth: u32) {
        let variable = match &place.variable {
            AnyVariable::Global(id) => self.global(*id, here),
            AnyVariable::Local(id) => match here.template {
                Some((_, template)) => self.local(template, *id, here),
                None => {
                    let what = format_args!("{id} is a variable of no process");
                    self.flaw(ModelErrorKind::StrayOwn, here.span, here, what);
                    None
                }
            },
            AnyVariable::Remote { slot, template, local } => {
                self.expr(slot, here, depth);
                let template = self.known_template(*template, here);
                template.and_then(|template| self.local(template, *local, here))
            }
        };
        if let Some(index) = &place.index {
            self.expr(index, here, depth);
        }
        let Some(variable) = variable else { return };
        let name = &variable.name;
        if variable.length.is_some() != place.index.is_some() {
            let what = match place.index {
                None => format!("the array `{name}` has no index"),
                Some(_) => format!("`{name}` has an index but is no array"),
            };
            self.flaw(ModelErrorKind::Index, here.span, here, what);
        }
        let remote = matches!(place.variable, AnyVariable::Remote { .. });
        let local = matches!(place.variable, AnyVariable::Local(_));
        let acts = matches!(here.part, Part::Effect | Part::Start);
        if variable.storage == Storage::Scratch && (remote || local && !acts) {
            let what = format_args!("`{name}` is used outside the effects of its process");
            self.flaw(ModelErrorKind::StrayScratch, here.span, here, what);
        }
    }

    fn global(&mut self, id: VariableId, here: Here<'m>) -> Option<&'m Variable> {
        let found = self.model.variables.get(id.index());
        if found.is_none() {
            let what = format_args!("there is no variable {id}");
            self.flaw(ModelErrorKind::UnknownVariable, here.span, here, what);
        }
        found
    }

    fn local(&mut self, of: &'m Template, id: LocalId, here: Here<'m>) -> Option<&'m Variable> {
        let found = of.locals.get(id.index());
        if found.is_none() {
            let what = format_args!("there is no variable {id} of `{}`", of.name);
            self.flaw(ModelErrorKind::UnknownLocal, here.span, here, what);
        }
        found
    }

    fn arguments(
        &mut self,
        template: &Template,
        count: usize,
        span: Option<Span>,
        place: impl fmt::Display,
    ) {
        let Template { name, parameters, .. } = template;
        if count != *parameters as usize {
            let what = format_args!("{count} arguments for {parameters} parameters of `{name}`");
            self.flaw(ModelErrorKind::ArgumentCount, span, place, what);
        }
    }

    fn slot(&mut self, id: SlotId, slot: &Slot) {
        let model = self.model;
        let place = format_args!("slot {id} `{}`", slot.name);
        self.named(&slot.name, None, place);
        if slot.templates.is_empty() {
            self.flaw(ModelErrorKind::NoTemplate, None, place, "it can hold no process");
        }
        let mut known = HashSet::new();
        for template in &slot.templates {
            if template.index() >= model.templates.len() {
                let what = format_args!("there is no template {template}");
                self.flaw(ModelErrorKind::UnknownTemplate, None, place, what);
            }
            if !known.insert(template) {
                let what = format_args!("{template} is listed twice");
                self.flaw(ModelErrorKind::RepeatedTemplate, None, place, what);
            }
        }
        if let Some((id, arguments)) = &slot.start {
            // A slot without templates has been reported as such.
            if !slot.templates.contains(id) && !slot.templates.is_empty() {
                let what = format_args!("it starts with {id}, which it cannot hold");
                self.flaw(ModelErrorKind::StartTemplate, None, place, what);
            }
            if let Some(template) = model.templates.get(id.index()) {
                self.arguments(template, arguments.len(), None, place);
                for (local, &value) in template.locals.iter().zip(arguments) {
                    let Range { low, high } = local.range;
                    if !local.range.contains(value) && low <= high {
                        let name = &local.name;
                        let what = format_args!(
                            "the argument {value} of `{name}` is outside {low}..{high}"
                        );
                        self.flaw(ModelErrorKind::ArgumentRange, None, place, what);
                    }
                }
            }
        }
        let mut known = HashSet::new();
        for (name, event) in &slot.renamed {
            self.event(*event, None, place);
            if !known.insert(name) {
                let what = format_args!("`{name}` is renamed twice");
                self.flaw(ModelErrorKind::RepeatedRenaming, None, place, what);
            }
        }
    }

    fn gatherings(&mut self) {
        let model = self.model;
        let mut known = HashSet::new();
        for (event, gathering) in &model.gatherings {
            let place = format_args!("gathering of e{event}");
            self.event(*event, None, place);
            if !known.insert(*event) {
                let what = "the event has another gathering";
                self.flaw(ModelErrorKind::RepeatedGathering, None, place, what);
            }
            self.gathering(*event, gathering, &mut HashSet::new(), 1);
        }
    }

    fn gathering(
        &mut self,
        event: EventId,
        gathering: &Gathering,
        known: &mut HashSet<SlotId>,
        depth: u32,
    ) {
        let place = format_args!("gathering of e{event}");
        if self.deep(depth, None, place) {
            return;
        }
        match gathering {
            Gathering::Slot(slot) => {
                if slot.index() >= self.model.slots.len() {
                    let what = format_args!("there is no slot {slot}");
                    self.flaw(ModelErrorKind::UnknownSlot, None, place, what);
                }
                if !known.insert(*slot) {
                    let what = format_args!("{slot} occurs twice");
                    self.flaw(ModelErrorKind::RepeatedSlot, None, place, what);
                }
            }
            Gathering::All(parts) | Gathering::One(parts) => {
                if parts.is_empty() {
                    self.flaw(
                        ModelErrorKind::EmptyGathering,
                        None,
                        place,
                        "a gathering of all or one of no processes",
                    );
                }
                for part in parts {
                    self.gathering(event, part, known, depth + 1);
                }
            }
        }
    }

    fn propositions(&mut self) {
        let model = self.model;
        for (at, (name, condition)) in model.propositions.iter().enumerate() {
            self.named(name, None, format_args!("proposition {at}"));
            let here = Here {
                template: None,
                location: LocationId(0),
                edge: 0,
                part: Part::Proposition,
                name,
                received: None,
                span: None,
            };
            self.expr(condition, here, 1);
        }
        self.unique(model.propositions.iter().map(|(name, _)| name.as_str()), "propositions");
    }
}
