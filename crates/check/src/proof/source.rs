//! Systems in the words of a certificate: the model, states as bytes, moves and events by name.

use fairly_explore::Explored;
use fairly_model::{
    Atomicity, Communication, Edge, Expr, Gathering, Layout, LocationId, Model, Slot, SlotId,
    Storage, Strip, Target, Template, TemplateId, Variable,
};
use fairly_omega::StateId;
use fairly_reduce::ModelSystem;
use fairly_system::{
    AtomIndex, Component, EventId, EventKind, MoveId, Network, ProcessId, Space, TransitionSystem,
};

/// Meaning of a state proposition.
pub(super) enum Meaning {
    Condition(Expr),
    Deadlock,
    Terminated,
}

/// A system that can be written down.
pub(super) trait Source: TransitionSystem {
    /// The model, once everything has been explored.
    fn model(&self) -> Model;

    /// Meaning of a state proposition.
    fn meaning(&mut self, atom: AtomIndex) -> Option<Meaning>;

    /// Appends the values of a state.
    fn values(&self, state: StateId, model: &Model, out: &mut Vec<i64>);

    /// Of a move: its slot, template, location and edge.
    fn place(&self, id: MoveId) -> Option<(usize, usize, usize, usize)>;

    /// Of an event that the model does not list: how it is written, unless it is visible.
    fn unlisted(&self, event: EventId) -> String;

    /// Whether states say who moved last.
    fn tells_last(&self) -> bool;

    /// Whether a template has annotated edges and is listed for a slot in which no process of it ever is. Its events count
    /// as annotated for the verifier, which reads the model alone, and not for the search.
    fn omits_annotations(&self, model: &Model) -> bool;

    /// Whether a process holds in a state, so that no other can move there.
    fn is_held(&self, state: StateId) -> bool;
}

impl Source for ModelSystem {
    fn model(&self) -> Model {
        self.space().unfolded_so_far()
    }

    fn meaning(&mut self, atom: AtomIndex) -> Option<Meaning> {
        if self.atom("deadlock") == Some(atom) {
            return Some(Meaning::Deadlock);
        }
        if self.atom("terminated") == Some(atom) {
            return Some(Meaning::Terminated);
        }
        self.space().atom_expression(atom).map(Meaning::Condition)
    }

    fn values(&self, state: StateId, model: &Model, out: &mut Vec<i64>) {
        let layout: &Layout = self.space().layout();
        let mut cells = vec![0; layout.cells];
        layout.unpack(&self.row(state), &mut cells);
        let strip =
            |strip: &Strip, out: &mut Vec<i64>| out.extend_from_slice(&cells[strip.cells()]);
        let variables = |all: &[Variable], strips: &[Strip], out: &mut Vec<i64>| {
            for (_, it) in all.iter().zip(strips).filter(|(it, _)| it.storage == Storage::State) {
                strip(it, out);
            }
        };
        variables(&model.variables, &layout.variables, out);
        for channel in &layout.channels {
            let count = cells[channel.length.cell as usize];
            out.push(count);
            for message in 0..usize::try_from(count).expect("a length") {
                out.extend(
                    channel.columns.iter().map(|column| cells[column.cell as usize + message]),
                );
            }
        }
        for (at, (slot, of)) in model.slots.iter().zip(&layout.slots).enumerate() {
            let Some(variant) = layout.variant(&cells, at) else {
                out.push(0);
                continue;
            };
            let variant = &of.variants[variant];
            // The layout leaves templates out that never are in the slot.
            let kind = slot.templates.iter().position(|it| *it == variant.template);
            out.push(i64::try_from(kind.expect("a template of the slot")).expect("a position") + 1);
            strip(&of.location, out);
            variables(&model.template(variant.template).locals, &variant.locals, out);
        }
        let holder = layout.holder.filter(|_| has_holding_edge(model));
        layout.last_mover.iter().chain(&holder).for_each(|it| strip(it, out));
    }

    fn place(&self, id: MoveId) -> Option<(usize, usize, usize, usize)> {
        let part = self.space().part(id)?;
        let slot = &self.space().layout().slots[part.slot as usize];
        let template = slot.variants[part.variant as usize].template.index();
        Some((part.slot as usize, template, part.location as usize, part.edge as usize))
    }

    fn unlisted(&self, event: EventId) -> String {
        let model = self.model();
        if event.index() == model.events.len() {
            return "fault".to_owned();
        }
        let name = self.signature().event_name(event);
        let channel =
            model.channels.iter().position(|it| Some(it.name.as_str()) == name.strip_suffix('?'));
        format!("c{}", channel.unwrap_or(usize::MAX))
    }

    fn tells_last(&self) -> bool {
        self.space().layout().last_mover.is_some()
    }

    fn omits_annotations(&self, model: &Model) -> bool {
        let is_annotated = |id: &TemplateId| {
            let locations = model.template(*id).locations.iter();
            let mut edges = locations.flat_map(|it| &it.edges).flatten();
            edges.any(|edge| edge.annotation.is_some())
        };
        let mut slots = model.slots.iter().zip(&self.space().layout().slots);
        slots.any(|(slot, of)| {
            let is_there = |id: &TemplateId| of.variants.iter().any(|it| it.template == *id);
            slot.templates.iter().any(|id| !is_there(id) && is_annotated(id))
        })
    }

    fn is_held(&self, state: StateId) -> bool {
        ModelSystem::is_held(self, state)
    }
}

fn has_holding_edge(model: &Model) -> bool {
    let edges =
        model.templates.iter().flat_map(|it| &it.locations).flat_map(|it| &it.edges).flatten();
    model.atomicity == Atomicity::Exclusive && edges.into_iter().any(|edge| edge.hold)
}

impl Source for Explored<Network> {
    /// A component is a template without variables, alone in a slot; an event that several share is gathered.
    fn model(&self) -> Model {
        let network = self.space();
        let signature = network.signature();
        let mut model =
            Model { events: signature.events.iter().cloned().collect(), ..Model::new() };
        for event in signature.event_ids() {
            if let all @ [_, _, ..] = network.sharing(event) {
                let parts = all.iter().map(|of| Gathering::Slot(SlotId::from_index(of.index())));
                model.gatherings.push((event, Gathering::All(parts.collect())));
            }
        }
        for (at, component) in network.components().iter().enumerate() {
            let place = |state: u32| location_of(component, state);
            let mut edges: Vec<Vec<Edge>> = component.states().iter().map(|_| Vec::new()).collect();
            let of = |id: &MoveId| signature.moves[id.index()].process.index() == at;
            for (id, local) in signature.move_ids().filter(of).zip(component.transitions()) {
                let of = &signature.moves[id.index()];
                edges[place(local.from) as usize].push(Edge {
                    target: Target::Location(LocationId(place(local.to))),
                    guard: Expr::TRUE,
                    rank: 0,
                    hold: false,
                    communication: Communication::None,
                    label: fairly_model::Label::Event(of.event),
                    annotation: of.annotation,
                    effect: Vec::new(),
                    name: of.name.clone(),
                    span: None,
                });
            }
            let states = component.states();
            let name = |at: u32| states[place(at) as usize].clone();
            let location = |(at, edges): (u32, Vec<Edge>)| fairly_model::Location {
                name: name(at),
                edges: Some(edges),
                atomic: false,
                may_end: false,
                labels: Vec::new(),
                span: None,
            };
            model.templates.push(Template {
                name: component.name().to_owned(),
                locals: Vec::new(),
                parameters: 0,
                locations: (0..).zip(edges).map(location).collect(),
                start: Vec::new(),
                span: None,
            });
            let template = TemplateId::from_index(at);
            model.slots.push(Slot {
                name: component.name().to_owned(),
                templates: vec![template],
                start: Some((template, Vec::new())),
                renamed: Vec::new(),
            });
        }
        model
    }

    fn meaning(&mut self, atom: AtomIndex) -> Option<Meaning> {
        if self.atom("deadlock") == Some(atom) {
            return Some(Meaning::Deadlock);
        }
        let (component, holds) = self.space().atom_places(atom)?;
        let template = TemplateId::from_index(component);
        let here = holds.iter().enumerate().filter(|(_, holds)| **holds);
        let of = &self.space().components()[component];
        let place = |at: usize| location_of(of, u32::try_from(at).expect("a local state"));
        let locations = here.map(|(at, _)| LocationId(place(at))).collect();
        let slot = Box::new(Expr::Const(i64::try_from(component).ok()?));
        Some(Meaning::Condition(Expr::At { slot, template, locations }))
    }

    fn values(&self, state: StateId, _model: &Model, out: &mut Vec<i64>) {
        let tuple = self.space().tuple(&self.row(state));
        for (component, at) in self.space().components().iter().zip(tuple) {
            out.extend([1, i64::from(location_of(component, at))]);
        }
    }

    fn place(&self, id: MoveId) -> Option<(usize, usize, usize, usize)> {
        let process: ProcessId = self.signature().moves[id.index()].process;
        let (state, at) = self.space().place_of(id);
        let location = location_of(&self.space().components()[process.index()], state);
        Some((process.index(), process.index(), location as usize, at as usize))
    }

    fn unlisted(&self, event: EventId) -> String {
        format!("e{}", event.index())
    }

    fn tells_last(&self) -> bool {
        false
    }

    fn omits_annotations(&self, _model: &Model) -> bool {
        false
    }

    fn is_held(&self, _state: StateId) -> bool {
        false
    }
}

/// The location of a local state: a process starts at its first location, so the initial state and the first one
/// change places. It is its own inverse.
fn location_of(component: &Component, state: u32) -> u32 {
    match component.initial() {
        [first, ..] if state == *first => 0,
        [first, ..] if state == 0 => *first,
        _ => state,
    }
}

/// How an event is written: by its name if it is visible.
pub(super) fn event(source: &impl Source, listed: usize, event: EventId) -> String {
    let signature = source.signature();
    match signature.event_kind(event) {
        EventKind::Visible => quoted(signature.event_name(event)),
        _ if event.index() < listed => format!("e{}", event.index()),
        _ => source.unlisted(event),
    }
}

/// A name in quotes.
pub(super) fn quoted(name: &str) -> String {
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}
