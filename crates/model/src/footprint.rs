//! Footprints: the parts of a state that an edge reads and writes.
//!
//! Partial-order reduction asks whether two actions can disturb each other, symbolic engines which
//! variables a step leaves alone. Both rely on this:
//!
//! - Whether an edge is enabled, and what it does, depends on what is in `reads` only.
//! - Taking it changes what is in `writes` only. What it may leave as it is can be there too.
//!
//! A footprint errs on the side of too much: of an index, a slot or a channel that is no constant
//! it says [`None`] or [`Owner::Any`], of both ways of a condition it has both. A fault counts as
//! something the edge does, so what can lead to one is read.
//!
//! A joint action of several processes has the footprints of all their edges. A partner in a rendezvous or a
//! gathering is needed for the edge to be enabled, but it is found by looking at actions and not at edges, so
//! nothing of it is in the footprint; all that communicate through one rendezvous meet in [`Access::Channel`].
//!
//! **Who goes first.** In a model with an atomic location, or with an edge that holds where
//! [`Atomicity`] is exclusive, each step can decide who goes first, so every edge reads and writes
//! [`Access::Holder`]. An engine that looks at single states can do better: in a state where no
//! process is at an atomic location, or holds, an edge with [`Footprint::atomic`] `false` neither
//! reads nor writes it.
//!
//! [`Atomicity`]: crate::Atomicity

use std::fmt;

use fairly_system::EventId;
use hashbrown::{HashMap, HashSet};

use crate::expression::{AnyVariable, ChannelQuery, Expr, Pattern, Place};
use crate::ids::{ChannelId, LocalId, LocationId, SlotId, TemplateId, VariableId};
use crate::model::{Atomicity, Exit, Model};
use crate::process::{Communication, Edge, Label, Statement, StatementKind, Target};
use crate::variable::{Storage, Variable};

/// A part of a state, as an edge speaks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Any part of the state: `timeout` and `executable` look at everything.
    Everything,
    /// A variable of the model: all of it, or one element.
    Global(VariableId, Option<u32>),
    /// A variable of a process. Scratch is never listed, since no state has it.
    Local {
        /// Whose.
        owner: Owner,
        /// The template.
        template: TemplateId,
        /// Its variable.
        local: LocalId,
        /// All of it, or one element.
        element: Option<u32>,
    },
    /// The content of a channel; `None` for any channel.
    Channel(Option<ChannelId>),
    /// At which location a process is.
    Control(Owner),
    /// Whether a process is in a slot, and of which kind.
    Running(Owner),
    /// Who goes before the others: see [`crate::Atomicity`].
    Holder,
    /// Who moved last.
    LastMover,
}

/// Whose part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// Of the process that takes the edge.
    Own,
    /// Of the process in this slot.
    Slot(SlotId),
    /// Of a process that is not known.
    Any,
}

/// Parts of a state that an edge, or a proposition, reads and writes; both sorted, nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Parts that it depends on.
    pub reads: Vec<Access>,
    /// Parts that it may change.
    pub writes: Vec<Access>,
    /// Whether it leaves or reaches an atomic location; where [`Atomicity`] is exclusive, whether it
    /// holds.
    pub atomic: bool,
}

impl Owner {
    /// Whether both may be the same process, if the first belongs to an edge of the process in
    /// `own` and the second to one in `its`.
    fn meets(self, own: SlotId, other: Owner, its: SlotId) -> bool {
        let known = |owner, own| match owner {
            Owner::Own => Some(own),
            Owner::Slot(slot) => Some(slot),
            Owner::Any => None,
        };
        match (known(self, own), known(other, its)) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        }
    }
}

/// Whether both may be the same element.
fn overlap<T: PartialEq + Copy>(one: Option<T>, two: Option<T>) -> bool {
    one.is_none() || two.is_none() || one == two
}

impl Access {
    /// Whether both may be the same part of a state, if the first belongs to an edge of the process
    /// in the slot `own` and the second to one of the process in `its`.
    pub fn meets(self, own: SlotId, other: Access, its: SlotId) -> bool {
        match (self, other) {
            (Access::Everything, _) | (_, Access::Everything) => true,
            (Access::Global(one, here), Access::Global(two, there)) => {
                one == two && overlap(here, there)
            }
            (
                Access::Local { owner, template, local, element },
                Access::Local { owner: whose, template: kind, local: other, element: there },
            ) => {
                (template, local) == (kind, other)
                    && owner.meets(own, whose, its)
                    && overlap(element, there)
            }
            (Access::Channel(one), Access::Channel(two)) => overlap(one, two),
            (Access::Control(one), Access::Control(two))
            | (Access::Running(one), Access::Running(two)) => one.meets(own, two, its),
            (Access::Holder, Access::Holder) | (Access::LastMover, Access::LastMover) => true,
            _ => false,
        }
    }
}

impl Access {
    /// The part of the process that acts, as that of some process.
    fn of_any(self) -> Access {
        match self {
            Access::Local { owner: Owner::Own, template, local, element } => {
                Access::Local { owner: Owner::Any, template, local, element }
            }
            Access::Control(Owner::Own) => Access::Control(Owner::Any),
            Access::Running(Owner::Own) => Access::Running(Owner::Any),
            other => other,
        }
    }
}

impl Model {
    /// Whether a step can decide who goes first.
    fn atomic(&self) -> bool {
        let mut locations = self.templates.iter().flat_map(|template| &template.locations);
        match self.atomicity {
            Atomicity::Priority => locations.any(|location| location.atomic),
            Atomicity::Exclusive => locations
                .filter_map(|location| location.edges.as_ref())
                .any(|edges| edges.iter().any(|edge| edge.hold)),
        }
    }
}

impl Footprint {
    /// Whether one may disturb the other: one writes what the other reads or writes. The first is of
    /// a process in the slot `own`, the other of one in `its`.
    pub fn disturbs(&self, own: SlotId, other: &Footprint, its: SlotId) -> bool {
        let meet = |ours: &[Access], theirs: &[Access]| {
            ours.iter().any(|one| theirs.iter().any(|&two| one.meets(own, two, its)))
        };
        meet(&self.writes, &other.reads)
            || meet(&self.writes, &other.writes)
            || meet(&self.reads, &other.writes)
    }
}

/// For locations, the ranks of their edges with what edges of smaller ranks depend on.
type Earlier = HashMap<(TemplateId, LocationId), Ranks>;
/// Ranks of edges, with what edges of smaller ranks depend on.
type Ranks = Vec<(u8, Vec<Access>)>;

/// Makes the footprints of a model's edges.
///
/// ```
/// use fairly_model::{Footprints, LocationId, TemplateId, text};
/// let model = text::parse("
/// model atomicity priority, exit any
/// event e0 idle : idle
/// event e1 a : visible
/// variable g0 x[2] : 0..1 = 0, 0
/// template t0 P parameters 1 {
///   local l0 i : 0..1 = 0
///   location q0 s { -> q0 if g0[0] == 1 on e1 do { g0[l0] := 0 } as a }
/// }
/// ").unwrap();
/// let footprint = Footprints::new(&model).edge(TemplateId(0), LocationId(0), 0);
/// assert_eq!(footprint.to_string(), "reads g0[0], own.t0.l0, at own; writes g0");
/// ```
#[derive(Clone, Debug)]
pub struct Footprints<'m> {
    model: &'m Model,
    /// Whether a step can decide who goes first.
    atomic: bool,
    /// Whether states remember who moved last.
    remembers: bool,
    /// The events that several processes take together.
    gathered: HashSet<EventId>,
    /// Where edges have different ranks: what decides whether one of a smaller rank is enabled.
    earlier: Earlier,
}

impl<'m> Footprints<'m> {
    /// Of this model, which is sound. Where it has locations without edges, these are taken to do
    /// the worst.
    pub fn new(model: &'m Model) -> Self {
        let locations = || model.templates.iter().flat_map(|template| &template.locations);
        let open = locations().any(|location| location.edges.is_none());
        let gathered = model.gatherings.iter().map(|&(event, _)| event).collect();
        let earlier = HashMap::new();
        let mut footprints =
            Footprints { model, atomic: false, remembers: false, gathered, earlier };
        let reads = |footprint: &Collector| footprint.reads.contains(&Access::LastMover);
        let of_edges = || {
            (0..model.templates.len()).map(TemplateId::from_index).any(|id| {
                let locations = &model.template(id).locations;
                let mut edges =
                    locations.iter().flat_map(|location| location.edges.iter().flatten());
                edges.any(|edge| {
                    let mut collector = footprints.collector(Some(id));
                    collector.enabling(edge);
                    collector.doing(edge);
                    reads(&collector)
                }) || {
                    let mut collector = footprints.collector(Some(id));
                    collector.statements(&model.template(id).start);
                    reads(&collector)
                }
            })
        };
        let of_propositions = || {
            model.propositions.iter().any(|(_, condition)| {
                let mut collector = footprints.collector(None);
                collector.expr(condition);
                reads(&collector)
            })
        };
        let remembers = open || of_edges() || of_propositions();
        footprints.remembers = remembers;
        footprints.atomic = open || model.atomic();
        footprints.earlier = footprints.earlier();
        footprints
    }

    /// Accesses that decide, for each rank, whether an edge of a smaller one is enabled: for each location
    /// whose edges have several ranks.
    fn earlier(&self) -> Earlier {
        let mut earlier = HashMap::new();
        for (id, template) in self.model.templates.iter().enumerate() {
            let id = TemplateId::from_index(id);
            for (at, location) in template.locations.iter().enumerate() {
                let ranks = self.ranks(id, location.edges.as_deref().unwrap_or_default());
                if !ranks.is_empty() {
                    earlier.insert((id, LocationId::from_index(at)), ranks);
                }
            }
        }
        earlier
    }

    /// Accesses that decide, for each rank of some edges, whether one of a smaller rank is enabled; none if all
    /// have the same.
    fn ranks(&self, template: TemplateId, edges: &[Edge]) -> Ranks {
        if edges.iter().all(|edge| edge.rank == edges[0].rank) {
            return Vec::new();
        }
        let mut edges: Vec<&Edge> = edges.iter().collect();
        edges.sort_by_key(|edge| edge.rank);
        let mut ranks: Ranks = Vec::new();
        let mut collector = self.collector(Some(template));
        for same in edges.chunk_by(|one, other| one.rank == other.rank) {
            collector.reads.sort_unstable();
            collector.reads.dedup();
            ranks.push((same[0].rank, collector.reads.clone()));
            for edge in same {
                collector.enabling(edge);
                // Whether that one is enabled is up to others who take no part in this one.
                if self.joint(edge) {
                    collector.reads.push(Access::Everything);
                }
            }
        }
        ranks
    }

    /// Of the edge at this position out of a location.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn edge(&self, template: TemplateId, location: LocationId, edge: usize) -> Footprint {
        let from = &self.model.template(template).locations[location.index()];
        let edges = from.edges.as_deref().expect("the location has its edges");
        let earlier = self.earlier.get(&(template, location)).map_or(&[][..], Vec::as_slice);
        self.one(template, location, &edges[edge], earlier)
    }

    /// Of the edges of a location, given as a process in one slot has them: with numbers for variables that never
    /// change there, for example. They are in the order of the model, with the same ranks and targets.
    pub fn location(
        &self,
        template: TemplateId,
        location: LocationId,
        edges: &[Edge],
    ) -> Vec<Footprint> {
        let earlier = self.ranks(template, edges);
        edges.iter().map(|edge| self.one(template, location, edge, &earlier)).collect()
    }

    fn one(
        &self,
        template: TemplateId,
        location: LocationId,
        edge: &Edge,
        earlier: &[(u8, Vec<Access>)],
    ) -> Footprint {
        let locations = &self.model.template(template).locations;
        let mut collector = self.collector(Some(template));
        collector.reads.push(Access::Control(Owner::Own));
        // An edge with a smaller rank that becomes enabled disables this one.
        for (_, reads) in earlier.iter().filter(|(rank, _)| *rank == edge.rank) {
            collector.reads.extend_from_slice(reads);
        }
        collector.enabling(edge);
        collector.doing(edge);
        let mut reaches = false;
        match edge.target {
            Target::Exit => collector.exit(template),
            Target::Location(to) => {
                if to != location {
                    collector.writes.push(Access::Control(Owner::Own));
                }
                reaches = locations[to.index()].atomic;
            }
        }
        if self.atomic {
            collector.reads.push(Access::Holder);
            collector.writes.push(Access::Holder);
        }
        let exclusive = self.model.atomicity == Atomicity::Exclusive;
        if exclusive && edge.hold {
            // Whether the process then can go on depends on anything.
            collector.reads.push(Access::Everything);
        }
        if self.remembers {
            collector.writes.push(Access::LastMover);
        }
        let from_atomic = locations[location.index()].atomic;
        let atomic = if exclusive { edge.hold } else { from_atomic || reaches };
        Footprint { atomic, ..collector.done() }
    }

    /// Of a proposition, which writes nothing.
    pub fn proposition(&self, condition: &Expr) -> Footprint {
        let mut collector = self.collector(None);
        collector.expr(condition);
        collector.done()
    }

    /// Whether other processes may have to take part in the edge.
    fn joint(&self, edge: &Edge) -> bool {
        let channels = &self.model.channels;
        let meeting = match &edge.communication {
            Communication::None => false,
            Communication::Send { channel, .. } | Communication::Receive { channel, .. } => {
                let channel = constant(channel).and_then(|at| channels.get(at as usize));
                channel.is_none_or(|channel| channel.capacity == 0)
            }
        };
        let gathered = match &edge.label {
            Label::Event(event) => self.gathered.contains(event),
            // Its name depends on values, and could be that of a gathered event.
            Label::Data { .. } | Label::Message => !self.gathered.is_empty(),
        };
        meeting || gathered
    }

    fn collector(&self, template: Option<TemplateId>) -> Collector<'m> {
        Collector { model: self.model, template, reads: Vec::new(), writes: Vec::new() }
    }
}

struct Collector<'m> {
    model: &'m Model,
    template: Option<TemplateId>,
    reads: Vec<Access>,
    writes: Vec<Access>,
}

/// The value of an expression that is clearly constant.
fn constant(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Const(value) => u32::try_from(*value).ok(),
        Expr::Checked { index, .. } => constant(index),
        _ => None,
    }
}

fn owner(slot: &Expr) -> Owner {
    match (slot, constant(slot)) {
        (Expr::Own, _) => Owner::Own,
        (_, Some(slot)) => Owner::Slot(SlotId(slot)),
        _ => Owner::Any,
    }
}

impl Collector<'_> {
    fn done(self) -> Footprint {
        let Collector { mut reads, mut writes, .. } = self;
        reads.sort_unstable();
        reads.dedup();
        writes.sort_unstable();
        writes.dedup();
        Footprint { reads, writes, atomic: false }
    }

    /// Accesses that decide whether the edge is enabled, as far as its own process goes.
    fn enabling(&mut self, edge: &Edge) {
        self.expr(&edge.guard);
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, order: _ } => {
                let access = self.channel(channel);
                self.reads.push(access);
                self.exprs(message);
            }
            Communication::Receive { channel, pattern, pick: _, keep: _ } => {
                let access = self.channel(channel);
                self.reads.push(access);
                self.pattern(pattern);
            }
        }
        // Leaving a slot can have to wait for the slots behind it.
        if edge.target == Target::Exit && self.model.exit == Exit::LastFirst {
            self.reads.push(Access::Running(Owner::Any));
        }
    }

    /// Accesses of the effect of an edge, without its target.
    fn doing(&mut self, edge: &Edge) {
        match &edge.communication {
            Communication::Send { channel, .. }
            | Communication::Receive { channel, keep: false, .. } => {
                let access = self.channel(channel);
                self.writes.push(access);
            }
            Communication::None | Communication::Receive { .. } => {}
        }
        if let Label::Data { values, .. } = &edge.label {
            self.exprs(values);
        }
        self.statements(&edge.effect);
    }

    fn exit(&mut self, template: TemplateId) {
        self.writes.push(Access::Control(Owner::Own));
        self.writes.push(Access::Running(Owner::Own));
        self.invalidate(Owner::Own, template);
        for (at, channel) in self.model.channels.iter().enumerate() {
            if channel.owner.is_some_and(|(_, of)| of == template) {
                self.writes.push(Access::Channel(Some(ChannelId::from_index(at))));
            }
        }
    }

    /// All variables of a process get the values that a new or a free slot has.
    fn invalidate(&mut self, owner: Owner, template: TemplateId) {
        for (at, variable) in self.model.template(template).locals.iter().enumerate() {
            if variable.storage == Storage::State {
                let local = LocalId::from_index(at);
                self.writes.push(Access::Local { owner, template, local, element: None });
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(&statement.kind);
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Assign(all) => {
                for (place, value) in all {
                    self.assigned(place);
                    self.expr(value);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            StatementKind::While { condition, body } => {
                self.expr(condition);
                self.statements(body);
            }
            StatementKind::Assert { condition, .. } => self.expr(condition),
            StatementKind::Start { template, arguments, slot } => {
                self.exprs(arguments);
                self.started(*template);
                if let Some(place) = slot {
                    self.assigned(place);
                }
            }
            StatementKind::Put { channel, message, order: _ } => {
                let access = self.channel(channel);
                self.reads.push(access);
                self.writes.push(access);
                self.exprs(message);
            }
            StatementKind::Take { channel, pattern, into, pick: _, keep } => {
                let access = self.channel(channel);
                self.reads.push(access);
                if !keep {
                    self.writes.push(access);
                }
                self.pattern(pattern);
                for place in into.iter().flatten() {
                    self.assigned(place);
                }
            }
        }
    }

    /// The first free one of the slots that can hold the template is taken.
    fn started(&mut self, template: TemplateId) {
        for (at, slot) in self.model.slots.iter().enumerate() {
            if slot.templates.contains(&template) {
                let owner = Owner::Slot(SlotId::from_index(at));
                self.reads.push(Access::Running(owner));
                self.writes.extend([Access::Running(owner), Access::Control(owner)]);
                self.invalidate(owner, template);
            }
        }
        let of = self.model.template(template);
        if of.start.is_empty() {
            return;
        }
        let mut own = Collector {
            model: self.model,
            template: Some(template),
            reads: vec![],
            writes: vec![],
        };
        own.statements(&of.start);
        self.reads.extend(own.reads.into_iter().map(Access::of_any));
        self.writes.extend(own.writes.into_iter().map(Access::of_any));
    }

    fn assigned(&mut self, place: &Place) {
        let access = self.place(place);
        self.writes.extend(access);
    }

    /// Notes what finding the place reads; gives the place, unless no state has it.
    fn place(&mut self, place: &Place) -> Option<Access> {
        if let Some(index) = &place.index {
            self.expr(index);
        }
        let element = |variable: &Variable| {
            let element = constant(place.index.as_deref()?)?;
            variable.length.is_some_and(|length| element < length).then_some(element)
        };
        match &place.variable {
            &AnyVariable::Global(id) => {
                Some(Access::Global(id, element(&self.model.variables[id.index()])))
            }
            &AnyVariable::Local(local) => {
                let template = self.template?;
                let variable = self.model.template(template).local(local);
                let element = element(variable);
                let remembered = variable.storage == Storage::State;
                remembered.then_some(Access::Local { owner: Owner::Own, template, local, element })
            }
            AnyVariable::Remote { slot, template, local } => {
                self.expr(slot);
                let owner = owner(slot);
                self.reads.push(Access::Running(owner));
                let (template, local) = (*template, *local);
                let element = element(self.model.template(template).local(local));
                Some(Access::Local { owner, template, local, element })
            }
        }
    }

    /// Notes what finding the channel reads; gives its content.
    fn channel(&mut self, number: &Expr) -> Access {
        self.expr(number);
        let id = constant(number).map(ChannelId);
        // A channel is there as long as its owner.
        for (at, channel) in self.model.channels.iter().enumerate() {
            if let Some((slot, _)) = channel.owner
                && id.is_none_or(|id| id.index() == at)
            {
                self.reads.push(Access::Running(Owner::Slot(slot)));
            }
        }
        Access::Channel(id)
    }

    fn pattern(&mut self, pattern: &[Pattern]) {
        for cell in pattern {
            if let Pattern::Equal(value) = cell {
                self.expr(value);
            }
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            // A received value has been read by the communication; the number of a process never changes.
            Expr::Const(_) | Expr::Received(_) | Expr::Own => {}
            Expr::Load(place) => {
                let access = self.place(place);
                self.reads.extend(access);
            }
            Expr::Unary(_, operand) | Expr::Checked { index: operand, .. } => self.expr(operand),
            Expr::Binary(_, operands) => {
                self.expr(&operands.0);
                self.expr(&operands.1);
            }
            Expr::Conditional(parts) => {
                self.expr(&parts.0);
                self.expr(&parts.1);
                self.expr(&parts.2);
            }
            Expr::Channel(query, channel) => {
                let access = self.channel(channel);
                // The capacity is the same in every state.
                if *query != ChannelQuery::Capacity {
                    self.reads.push(access);
                }
            }
            Expr::Poll { channel, pattern, pick: _ } => {
                let access = self.channel(channel);
                self.reads.push(access);
                self.pattern(pattern);
            }
            Expr::At { slot, .. } => {
                self.expr(slot);
                let owner = owner(slot);
                self.reads.extend([Access::Control(owner), Access::Running(owner)]);
            }
            Expr::Running => self.reads.push(Access::Running(Owner::Any)),
            Expr::LastMover => self.reads.push(Access::LastMover),
            Expr::Timeout => self.reads.push(Access::Everything),
            Expr::Executable(slot) => {
                self.expr(slot);
                self.reads.push(Access::Everything);
            }
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Own => f.write_str("own"),
            Owner::Slot(slot) => write!(f, "{slot}"),
            Owner::Any => f.write_str("any"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = match self {
            Access::Global(variable, element) => {
                write!(f, "{variable}")?;
                *element
            }
            Access::Local { owner, template, local, element } => {
                write!(f, "{owner}.{template}.{local}")?;
                *element
            }
            Access::Everything => return f.write_str("everything"),
            Access::Channel(Some(channel)) => return write!(f, "{channel}"),
            Access::Channel(None) => return f.write_str("any channel"),
            Access::Control(owner) => return write!(f, "at {owner}"),
            Access::Running(owner) => return write!(f, "running {owner}"),
            Access::Holder => return f.write_str("holder"),
            Access::LastMover => return f.write_str("last"),
        };
        element.map_or(Ok(()), |element| write!(f, "[{element}]"))
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (before, all) in [("reads", &self.reads), ("; writes", &self.writes)] {
            f.write_str(before)?;
            for (at, access) in all.iter().enumerate() {
                write!(f, "{} {access}", if at == 0 { "" } else { "," })?;
            }
            if all.is_empty() {
                f.write_str(" nothing")?;
            }
        }
        Ok(())
    }
}
