//! A model with everything about it that does not depend on the state.

use std::cell::Cell;

use fairly_system::{EventId, MoveId};
use hashbrown::HashMap;

use super::names::{Head, MoveKey, Names};
use crate::expression::Expr;
use crate::ids::{LocationId, SlotId, TemplateId};
use crate::layout::Layout;
use crate::limits::Limits;
use crate::model::{Growth, Model, Unfold};
use crate::process::{Communication, Edge, Gathering, Label};

/// A model with everything about it that does not depend on the state.
pub(crate) struct Program {
    pub(crate) model: Model,
    pub(crate) layout: Layout,
    pub(crate) names: Names,
    /// By slot, variant and location: the edges, once the process has been there.
    prepared: Vec<Vec<Vec<Option<Ready>>>>,
    /// By event: who takes it together.
    gatherings: Vec<Option<Meeting>>,
    /// Locations that could not be unfolded.
    failures: HashMap<(TemplateId, LocationId), Growth>,
    pub(crate) limits: Limits,
    /// Statements that a process may run in an action out of the state that is looked at.
    pub(crate) allowed: Cell<u64>,
    /// The most that one has run there.
    pub(crate) most_run: Cell<u64>,
}

/// The edges out of a location, as the process in one slot sees them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    pub(crate) edges: Vec<Prepared>,
    /// Whether the edges have different ranks.
    pub(crate) ranked: bool,
}

/// What is known of an edge before there is a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    /// Its event and its move, unless they depend on the state.
    pub(crate) known: Option<(EventId, MoveId)>,
    /// The head of an event made of values.
    pub(crate) head: Option<Head>,
    /// Whether the guard is about the message that is received.
    pub(crate) reads_received: bool,
}

/// Who takes an event together.
#[derive(Clone, Debug)]
pub(crate) enum Meeting {
    /// All of these slots, which are different and in order.
    All(Vec<SlotId>),
    /// Something else.
    Tree(Gathering),
}

impl Program {
    /// Everything but what needs to be unfolded.
    pub(crate) fn new(model: Model) -> Program {
        let open: Vec<TemplateId> = (0..model.templates.len())
            .map(TemplateId::from_index)
            .filter(|&id| model.template(id).locations.iter().any(|it| it.edges.is_none()))
            .collect();
        let layout = Layout::fitted(&model, &open);
        let mut names = Names::new(&model);
        let mut gatherings = vec![None; model.events.len()];
        for (event, gathering) in &model.gatherings {
            gatherings[event.index()] = Some(Meeting::new(gathering.clone()));
        }
        let prepared = layout.slots.iter().map(|slot| {
            let locations = |template| vec![None; model.template(template).locations.len()];
            slot.variants.iter().map(|variant| locations(variant.template)).collect()
        });
        let prepared = prepared.collect();
        names.signature.complete = open.is_empty() && !model.has_open_labels();
        names.signature.families = model.families();
        let failures = HashMap::new();
        let limits = Limits::default();
        let allowed = Cell::new(limits.statements);
        let most_run = Cell::new(0);
        let mut program = Program {
            model,
            layout,
            names,
            prepared,
            gatherings,
            failures,
            limits,
            allowed,
            most_run,
        };
        program.prepare_all();
        program
    }

    /// Who takes the event, if it is one that several may take.
    pub(crate) fn meeting(&self, event: EventId) -> Option<&Meeting> {
        self.gatherings.get(event.index())?.as_ref()
    }

    /// The edges of a location, as a slot sees them.
    pub(crate) fn ready(&self, slot: usize, variant: usize, location: usize) -> Option<&Ready> {
        self.prepared[slot][variant].get(location)?.as_ref()
    }

    /// The edges of a location; none if it could not be unfolded.
    pub(crate) fn edges(&self, slot: usize, variant: usize, location: usize) -> &[Edge] {
        let template = self.layout.slots[slot].variants[variant].template;
        self.model.template(template).locations[location].edges.as_deref().unwrap_or(&[])
    }

    /// Why a location has no edges.
    pub(crate) fn failure(&self, slot: usize, variant: usize, location: usize) -> Growth {
        let template = self.layout.slots[slot].variants[variant].template;
        let known = self.failures.get(&(template, LocationId::from_index(location)));
        known.cloned().unwrap_or_else(|| Growth {
            message: "what the process does here has not been worked out".to_owned(),
            span: None,
        })
    }

    /// Prepares what the model has now, so that the moves of a model in which nothing depends on the
    /// state or is unfolded are all listed, in the order of slots, templates, locations and edges.
    fn prepare_all(&mut self) {
        for slot in 0..self.prepared.len() {
            for variant in 0..self.prepared[slot].len() {
                for location in 0..self.prepared[slot][variant].len() {
                    self.prepare(slot, variant, location, None);
                }
            }
        }
    }

    /// Makes sure that all edges of the processes of a state are there.
    pub(crate) fn prepare_state(&mut self, cells: &[i64], unfold: &mut Option<Box<dyn Unfold>>) {
        for slot in 0..self.layout.slots.len() {
            if let Some(variant) = self.layout.variant(cells, slot) {
                let location = self.layout.location(cells, slot);
                if self.ready(slot, variant, location).is_none() {
                    self.prepare(slot, variant, location, unfold.as_deref_mut());
                }
            }
        }
    }

    fn prepare(
        &mut self,
        slot: usize,
        variant: usize,
        location: usize,
        unfold: Option<&mut (dyn Unfold + 'static)>,
    ) {
        let template = self.layout.slots[slot].variants[variant].template;
        let id = LocationId::from_index(location);
        if self.model.template(template).location(id).edges.is_none() {
            let (Some(unfold), false) = (unfold, self.failures.contains_key(&(template, id)))
            else {
                return;
            };
            if let Err(growth) = unfold.unfold(&mut self.model, template, id) {
                self.failures.insert((template, id), growth);
                return;
            }
        }
        let Program { model, names, prepared, .. } = self;
        let Some(edges) = &model.template(template).location(id).edges else { return };
        let mut ready = Ready::default();
        for (at, edge) in edges.iter().enumerate() {
            let (event, head) = match &edge.label {
                Label::Event(event) => (Some(*event), None),
                Label::Message => (None, None),
                Label::Data { family, values } => {
                    let head = names.family(family);
                    let constants: Option<Vec<i64>> = values.iter().map(constant).collect();
                    (constants.map(|values| names.event(slot, head, &values)), Some(head))
                }
            };
            let small = |value: usize| u32::try_from(value).expect("fewer than 2^32");
            let known = event.map(|event| {
                let (slot, variant, location) = (small(slot), small(variant), small(location));
                let key = MoveKey { slot, variant, location, edge: small(at), event };
                (event, names.move_id(key, Some(edge)))
            });
            let receives = matches!(edge.communication, Communication::Receive { .. });
            let reads_received = receives && edge.guard.reads_received();
            ready.edges.push(Prepared { known, head, reads_received });
        }
        ready.ranked = edges.windows(2).any(|pair| pair[0].rank != pair[1].rank);
        let locations = &mut prepared[slot][variant];
        locations.resize(locations.len().max(location + 1), None);
        locations[location] = Some(ready);
    }
}

impl Meeting {
    fn new(gathering: Gathering) -> Meeting {
        let slots: Option<Vec<SlotId>> = match &gathering {
            Gathering::Slot(slot) => Some(vec![*slot]),
            Gathering::All(parts) => parts
                .iter()
                .map(|part| match part {
                    Gathering::Slot(slot) => Some(*slot),
                    Gathering::All(_) | Gathering::One(_) => None,
                })
                .collect(),
            Gathering::One(_) => None,
        };
        match slots {
            Some(mut slots) => {
                slots.sort_unstable();
                Meeting::All(slots)
            }
            None => Meeting::Tree(gathering),
        }
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Const(value) => Some(*value),
        _ => None,
    }
}

impl Model {
    fn all_edges(&self) -> impl Iterator<Item = &Edge> {
        let locations = self.templates.iter().flat_map(|template| &template.locations);
        locations.filter_map(|location| location.edges.as_ref()).flatten()
    }

    /// Whether some event is the one of a communication; what is unfolded later may have such too.
    pub(crate) fn has_message_labels(&self) -> bool {
        let mut locations = self.templates.iter().flat_map(|template| &template.locations);
        self.all_edges().any(|edge| edge.label == Label::Message)
            || locations.any(|location| location.edges.is_none())
    }

    /// Whether some events depend on the state.
    fn has_open_labels(&self) -> bool {
        self.all_edges().any(|edge| match &edge.label {
            Label::Event(_) => false,
            Label::Message => true,
            Label::Data { values, .. } => values.iter().any(|value| constant(value).is_none()),
        })
    }

    /// The first parts of the names of events that depend on the state.
    fn families(&self) -> Vec<String> {
        let mut families: Vec<String> = Vec::new();
        let mut add = |name: &String| {
            if !families.contains(name) {
                families.push(name.clone());
            }
        };
        for edge in self.all_edges() {
            match (&edge.label, &edge.communication) {
                (Label::Data { family, values }, _)
                    if values.iter().any(|value| constant(value).is_none()) =>
                {
                    add(family);
                }
                (
                    Label::Message,
                    Communication::Send { channel, .. } | Communication::Receive { channel, .. },
                ) => match channel {
                    Expr::Const(at) => {
                        let channel = usize::try_from(*at).ok();
                        if let Some(channel) = channel.and_then(|at| self.channels.get(at)) {
                            add(&channel.name);
                        }
                    }
                    _ => self.channels.iter().for_each(|channel| add(&channel.name)),
                },
                _ => {}
            }
        }
        families
    }
}
