//! A model with everything about it that does not depend on the state.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fairly_system::{EventId, Growing, MoveId};

use super::names::{Head, MoveKey, Names, Used};
use crate::expression::Expr;
use crate::ids::{LocationId, SlotId, TemplateId};
use crate::layout::Layout;
use crate::limits::Limits;
use crate::model::{Growth, Model, Unfold};
use crate::process::{Communication, Edge, Gathering, Label, Location};

/// A model with everything about it that does not depend on the state.
///
/// Facts that are found while it is explored go to lists that only grow, so any number of threads can use it at
/// once.
pub(crate) struct Program {
    pub(crate) model: Model,
    pub(crate) layout: Layout,
    pub(crate) names: Arc<Names>,
    /// By slot, variant and location: the edges, as that slot sees them. None for open templates.
    prepared: Vec<Vec<Vec<Ready>>>,
    /// By template: its locations, if more are made when they are met.
    open: Vec<Option<Open>>,
    unfold: Option<Mutex<Box<dyn Unfold>>>,
    /// By event: who takes it together.
    gatherings: Vec<Option<Meeting>>,
    pub(crate) limits: Limits,
}

/// The locations of a template whose edges are made when they are met.
struct Open {
    locations: Growing<OpenLocation>,
    /// The slots that may hold a process of the template, each with the template's position there.
    users: Vec<(usize, usize)>,
}

struct OpenLocation {
    /// Without edges.
    location: Location,
    made: OnceLock<Result<Made, Growth>>,
    /// By user of the template.
    ready: Box<[OnceLock<Ready>]>,
}

struct Made {
    edges: Vec<Edge>,
    atomic: bool,
}

impl Open {
    fn add(&self, mut location: Location) {
        let made = OnceLock::new();
        if let Some(edges) = location.edges.take() {
            made.get_or_init(|| Ok(Made { edges, atomic: location.atomic }));
        }
        let ready = self.users.iter().map(|_| OnceLock::new()).collect();
        self.locations.push(OpenLocation { location, made, ready });
    }

    /// The edges of a location as a slot sees them, if they have been made.
    fn ready(&self, slot: usize, variant: usize, location: usize) -> Option<&OnceLock<Ready>> {
        let user = self.users.iter().position(|user| *user == (slot, variant))?;
        Some(&self.locations.get(location)?.ready[user])
    }
}

/// The edges out of a location, as the process in one slot sees them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    pub(crate) edges: Vec<Prepared>,
    /// Whether the edges have different ranks.
    pub(crate) ranked: bool,
}

/// Facts about an edge before there is a state.
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
    pub(crate) fn new(model: Model, unfold: Option<Box<dyn Unfold>>) -> Program {
        let is_open = |at: usize| {
            let locations = &model.templates[at].locations;
            locations.iter().any(|location| location.edges.is_none())
        };
        let open: Vec<TemplateId> = (0..model.templates.len())
            .filter(|&at| is_open(at))
            .map(TemplateId::from_index)
            .collect();
        let layout = Layout::fitted(&model, &open);
        let mut names = Names::new(&model);
        names.signature.complete = open.is_empty() && !model.has_open_labels();
        names.signature.families = model.families().into_iter().collect();
        Program::with(model, layout, Arc::new(names), &open, unfold)
    }

    fn with(
        model: Model,
        layout: Layout,
        names: Arc<Names>,
        open: &[TemplateId],
        unfold: Option<Box<dyn Unfold>>,
    ) -> Program {
        let mut gatherings = vec![None; model.events.len()];
        for (event, gathering) in &model.gatherings {
            gatherings[event.index()] = Some(Meeting::new(gathering.clone()));
        }
        let mut opened: Vec<Option<Open>> = model.templates.iter().map(|_| None).collect();
        for &template in open {
            let slots = layout.slots.iter().enumerate();
            let users = slots.flat_map(|(slot, of)| {
                let variants = of.variants.iter().enumerate();
                let own = variants.filter(|(_, variant)| variant.template == template);
                own.map(move |(variant, _)| (slot, variant))
            });
            let opening = Open { locations: Growing::new(), users: users.collect() };
            for location in &model.template(template).locations {
                opening.add(location.clone());
            }
            opened[template.index()] = Some(opening);
        }
        let limits = Limits::default();
        let unfold = unfold.map(Mutex::new);
        let prepared = Vec::new();
        let mut program =
            Program { model, layout, names, prepared, open: opened, unfold, gatherings, limits };
        program.prepare_all();
        program
    }

    /// The same with other templates, whose edges have the same events. The names are shared.
    pub(crate) fn with_templates(&self, templates: Vec<crate::process::Template>) -> Program {
        let model = Model { templates, ..self.model.clone() };
        let mut program =
            Program::with(model, self.layout.clone(), Arc::clone(&self.names), &[], None);
        program.limits = self.limits;
        program
    }

    /// The model with every location that has been unfolded. One that has not been met has no edges.
    pub(crate) fn unfolded_so_far(&self) -> Model {
        let mut model = self.model.clone();
        for (template, open) in model.templates.iter_mut().zip(&self.open) {
            let Some(open) = open else { continue };
            let location = |at: &OpenLocation| match at.made.get() {
                Some(Ok(Made { edges, atomic })) => {
                    Location { edges: Some(edges.clone()), atomic: *atomic, ..at.location.clone() }
                }
                _ => Location { edges: Some(Vec::new()), ..at.location.clone() },
            };
            template.locations = open.locations.iter().map(location).collect();
        }
        model
    }

    /// Who takes the event, if it is one that several may take.
    pub(crate) fn meeting(&self, event: EventId) -> Option<&Meeting> {
        self.gatherings.get(event.index())?.as_ref()
    }

    fn open(&self, slot: usize, variant: usize) -> Option<&Open> {
        self.open[self.layout.slots[slot].variants[variant].template.index()].as_ref()
    }

    /// The edges of a location, as a slot sees them.
    #[inline]
    pub(crate) fn ready(&self, slot: usize, variant: usize, location: usize) -> Option<&Ready> {
        match self.prepared[slot][variant].get(location) {
            None => self.open(slot, variant)?.ready(slot, variant, location)?.get(),
            known => known,
        }
    }

    /// The edges of a location; none if it could not be unfolded.
    pub(crate) fn edges(&self, slot: usize, variant: usize, location: usize) -> &[Edge] {
        let template = self.layout.slots[slot].variants[variant].template;
        match &self.open[template.index()] {
            None => self.model.template(template).locations[location].edges.as_deref(),
            Some(open) => {
                let made = open.locations.get(location).and_then(|it| it.made.get());
                made.and_then(|made| made.as_ref().ok()).map(|made| made.edges.as_slice())
            }
        }
        .unwrap_or(&[])
    }

    /// A location, whose [edges](Program::edges) and [atomicity](Program::is_atomic) may be kept elsewhere.
    pub(crate) fn location(&self, template: TemplateId, location: usize) -> &Location {
        match &self.open[template.index()] {
            None => &self.model.template(template).locations[location],
            Some(open) => &open.locations[location].location,
        }
    }

    /// Whether a location is atomic.
    pub(crate) fn is_atomic(&self, template: TemplateId, location: usize) -> bool {
        match &self.open[template.index()] {
            None => self.model.template(template).locations[location].atomic,
            Some(open) => {
                let made = open.locations[location].made.get();
                made.is_some_and(|made| made.as_ref().is_ok_and(|made| made.atomic))
            }
        }
    }

    /// Why a location has no edges.
    pub(crate) fn failure(&self, slot: usize, variant: usize, location: usize) -> Growth {
        let known = self.open(slot, variant).and_then(|open| open.locations.get(location));
        match known.and_then(|location| location.made.get()) {
            Some(Err(growth)) => growth.clone(),
            _ => Growth {
                message: "what the process does here has not been worked out".to_owned(),
                span: None,
            },
        }
    }

    /// Prepares what the model has now, so that the moves of a model in which nothing depends on the
    /// state or is unfolded are all listed, in the order of slots, templates, locations and edges.
    fn prepare_all(&mut self) {
        let mut used = Used::default();
        let slots = 0..self.layout.slots.len();
        let prepared = slots.map(|slot| {
            let variants = self.layout.slots[slot].variants.iter().enumerate();
            let of = variants.map(|(variant, of)| {
                let count = self.model.template(of.template).locations.len();
                let mut locations = Vec::new();
                for location in 0..count {
                    let Some(open) = self.open(slot, variant) else {
                        locations.push(self.prepare(&mut used, slot, variant, location));
                        continue;
                    };
                    if let (Some(cell), Some(Ok(_))) =
                        (open.ready(slot, variant, location), open.locations[location].made.get())
                    {
                        cell.get_or_init(|| self.prepare(&mut used, slot, variant, location));
                    }
                }
                locations
            });
            of.collect()
        });
        self.prepared = prepared.collect();
    }

    /// Whether locations may have to be unfolded.
    pub(crate) fn unfolds(&self) -> bool {
        self.unfold.is_some()
    }

    /// Makes sure that all edges of the processes of a state are there.
    pub(crate) fn prepare_state(&self, used: &mut Used, cells: &[i64]) {
        for slot in 0..self.layout.slots.len() {
            let Some(variant) = self.layout.variant(cells, slot) else { continue };
            let location = self.layout.location(cells, slot);
            let Some(open) = self.open(slot, variant) else { continue };
            let Some(ready) = open.ready(slot, variant, location) else { continue };
            if ready.get().is_none() && self.unfolded(slot, variant, location).is_ok() {
                ready.get_or_init(|| self.prepare(used, slot, variant, location));
            }
        }
    }

    /// Unfolds a location of an open template, unless that has been done.
    fn unfolded(&self, slot: usize, variant: usize, location: usize) -> Result<(), ()> {
        let (Some(open), Some(unfold)) = (self.open(slot, variant), &self.unfold) else {
            return Err(());
        };
        let cell = &open.locations[location].made;
        let made = cell.get_or_init(|| {
            let mut unfold = unfold.lock().unwrap_or_else(PoisonError::into_inner);
            let template = self.layout.slots[slot].variants[variant].template;
            let unfolded =
                unfold.unfold(&self.model, template, LocationId::from_index(location))?;
            // While the lock is held: new locations are numbered in the order in which they are made.
            unfolded.locations.into_iter().for_each(|location| open.add(location));
            Ok(Made { edges: unfolded.edges, atomic: unfolded.atomic })
        });
        made.as_ref().map(|_| ()).map_err(|_| ())
    }

    /// The edges of a location as a slot sees them.
    fn prepare(&self, used: &mut Used, slot: usize, variant: usize, location: usize) -> Ready {
        let edges = self.edges(slot, variant, location);
        let mut ready = Ready::default();
        for (at, edge) in edges.iter().enumerate() {
            let (event, head) = match &edge.label {
                Label::Event(event) => (Some(*event), None),
                Label::Message => (None, None),
                Label::Data { family, values } => {
                    let head = self.names.family(family);
                    let constants: Option<Vec<i64>> = values.iter().map(constant).collect();
                    let event = constants.map(|values| self.names.event(used, slot, head, &values));
                    (event, Some(head))
                }
            };
            let small = |value: usize| u32::try_from(value).expect("fewer than 2^32");
            let known = event.map(|event| {
                let (slot, variant, location) = (small(slot), small(variant), small(location));
                let key = MoveKey { slot, variant, location, edge: small(at), event };
                (event, self.names.move_id(used, key, Some(edge)))
            });
            let receives = matches!(edge.communication, Communication::Receive { .. });
            let reads_received = receives && edge.guard.reads_received();
            ready.edges.push(Prepared { known, head, reads_received });
        }
        ready.ranked = edges.windows(2).any(|pair| pair[0].rank != pair[1].rank);
        ready
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
