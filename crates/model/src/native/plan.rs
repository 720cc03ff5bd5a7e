//! The plan that the code of a model is made from, and the numbers of its parts: the same for machine code and
//! for code that runs on a card.

use super::{MOST_AT_ONCE, Part};
use crate::{
    Atomicity, Communication, Edge, Expr, Gathering, Layout, Location, Model, ModelSpace, SlotId,
    Storage, Target,
};

/// How an edge is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// By its process alone.
    Alone,
    /// Together with others that take this event, which is the one at this position of
    /// [`Plan::meetings`].
    Gathered(u32),
    /// In a way that is left to the interpreter.
    Left,
}

/// An event that several take.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// Who takes part: one of these sets of slots, each in order.
    pub alternatives: Vec<Vec<usize>>,
}

/// An edge of a process in a slot.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which edge it is.
    pub part: Part,
    /// How it is taken.
    pub role: Role,
}

/// A model with everything of it that code is made from.
#[derive(Clone)]
pub struct Plan {
    /// The model.
    pub model: Model,
    /// Where everything of a state is.
    pub layout: Layout,
    /// By slot, variant and location: the number of its first edge.
    first: Vec<Vec<Vec<u32>>>,
    /// By number: the edges.
    pub places: Vec<Place>,
    /// The events that several take.
    pub meetings: Vec<Meeting>,
    /// The most cells that a message has.
    pub cells: usize,
    /// Whether something waits for a timeout.
    pub waits: bool,
    /// Whether what a process offers depends on nothing but its guards: no ranks, no timeouts, no atomic sequences.
    pub offers_plainly: bool,
    /// Whether steps in which a process holds go on as far as there is one way only.
    pub sequences: bool,
    /// Statements that a process may run in an action.
    pub statements: u64,
}

/// Steps of a sequence that follow each other in one function, at most.
const SEQUENCE: usize = MOST_AT_ONCE - 1;

/// More ways to choose who takes an event are left to the interpreter.
const ALTERNATIVES: usize = 64;
/// More edges, over all slots, are not numbered: the interpreter is used.
const EDGES: usize = 4_000_000;

impl Plan {
    /// Of a model that is not unfolded while it is explored.
    pub fn new(space: &ModelSpace) -> Option<Plan> {
        let (model, layout) = (space.model(), space.layout());
        let locations = model.templates.iter().flat_map(|template| &template.locations);
        if locations.clone().any(|location| location.edges.is_none()) {
            return None;
        }
        let mut plan = Plan {
            model: model.clone(),
            layout: layout.clone(),
            first: Vec::new(),
            places: Vec::new(),
            meetings: Vec::new(),
            cells: model.channels.iter().map(|channel| channel.cells.len()).max().unwrap_or(0),
            waits: model.any_expression(&mut |expr| *expr == Expr::Timeout),
            offers_plainly: false,
            sequences: false,
            statements: space.limits().statements,
        };
        let is_plain = |location: &Location| {
            let mut edges = location.edges.iter().flatten();
            !location.atomic && edges.all(|edge| edge.rank == 0)
        };
        plan.offers_plainly =
            !plan.waits && layout.holder.is_none() && locations.clone().all(is_plain);
        let mut by_event: Vec<Option<Option<u32>>> = vec![None; model.events.len()];
        for (event, gathering) in &model.gatherings {
            let alternatives = alternatives(gathering);
            by_event[event.index()] = Some(alternatives.map(|alternatives| {
                plan.meetings.push(Meeting { alternatives });
                small(plan.meetings.len() - 1)
            }));
        }
        for (slot, of) in layout.slots.iter().enumerate() {
            let mut variants = Vec::new();
            for (variant, template) in of.variants.iter().map(|it| it.template).enumerate() {
                let mut first = Vec::new();
                for (at, location) in model.template(template).locations.iter().enumerate() {
                    first.push(small(plan.places.len()));
                    for edge in 0..location.edges.as_ref().map_or(0, Vec::len) {
                        let part = Part {
                            slot: small(slot),
                            variant: small(variant),
                            location: small(at),
                            edge: small(edge),
                        };
                        let role = match space.known(part) {
                            None => Role::Left,
                            Some((event, _)) => match by_event.get(event.index()) {
                                Some(Some(Some(meeting))) => Role::Gathered(*meeting),
                                Some(Some(None)) => Role::Left,
                                _ => Role::Alone,
                            },
                        };
                        plan.places.push(Place { part, role });
                    }
                    if plan.places.len() > EDGES {
                        return None;
                    }
                }
                variants.push(first);
            }
            plan.first.push(variants);
        }
        Some(plan)
    }

    /// Values of all scratch variables at the start of an action, by cell.
    pub fn initial_scratch(&self) -> Vec<i64> {
        let layout = &self.layout;
        let mut initial = vec![0; layout.cells - layout.state_cells];
        let globals = self.model.variables.iter().zip(&layout.variables);
        let variants = layout.slots.iter().flat_map(|slot| &slot.variants);
        let locals =
            variants.flat_map(|of| self.model.template(of.template).locals.iter().zip(&of.locals));
        for (variable, strip) in globals.chain(locals) {
            if variable.storage == Storage::Scratch {
                let first = strip.cell as usize - layout.state_cells;
                let values = &variable.initial[..variable.initial.len().min(strip.length as usize)];
                initial[first..first + values.len()].copy_from_slice(values);
            }
        }
        initial
    }

    /// The number of the first edge out of a location.
    pub fn first_edge(&self, slot: usize, variant: usize, location: usize) -> u32 {
        self.first[slot][variant][location]
    }

    /// The edge with a number.
    pub fn edge(&self, number: u32) -> &Edge {
        let Part { slot, variant, location, edge } = self.places[number as usize].part;
        &self.edges(slot as usize, variant as usize, location as usize)[edge as usize]
    }

    /// The edges out of a location.
    pub fn edges(&self, slot: usize, variant: usize, location: usize) -> &[Edge] {
        let template = self.layout.slots[slot].variants[variant].template;
        self.model.template(template).locations[location].edges.as_deref().unwrap_or(&[])
    }

    /// The edges that a process takes after one that holds, in the same action, as far as it can do
    /// nothing else whatever the state.
    pub fn sequence(&self, number: u32) -> Vec<u32> {
        let mut all = Vec::new();
        let Part { slot, variant, .. } = self.places[number as usize].part;
        let (slot, variant) = (slot as usize, variant as usize);
        let mut edge = self.edge(number);
        while self.sequences && edge.hold && all.len() < SEQUENCE {
            let Target::Location(location) = edge.target else { break };
            let next = self.first_edge(slot, variant, location.index());
            let [only] = self.edges(slot, variant, location.index()) else { break };
            let is_certain = self.always_moves(slot, variant, location.index());
            // One that never ends is left to the walk through sequences.
            if !is_certain || next == number || all.contains(&next) {
                break;
            }
            all.push(next);
            edge = only;
        }
        all
    }

    /// How many locations the process in a slot has.
    pub fn locations(&self, slot: usize, variant: usize) -> usize {
        let template = self.layout.slots[slot].variants[variant].template;
        self.model.template(template).locations.len()
    }

    /// Something about each location, by slot and variant.
    pub fn of_locations<T>(&self, of: impl Fn(usize, usize, usize) -> T) -> Vec<Vec<Vec<T>>> {
        let slots = self.layout.slots.iter().enumerate();
        let of_slot = |(slot, it): (usize, &crate::SlotLayout)| {
            let of_variant = |variant: usize| {
                (0..self.locations(slot, variant)).map(|at| of(slot, variant, at)).collect()
            };
            (0..it.variants.len()).map(of_variant).collect()
        };
        slots.map(of_slot).collect()
    }

    /// Whether a process can take a step alone at a location, whatever the state.
    pub fn always_moves(&self, slot: usize, variant: usize, location: usize) -> bool {
        let first = self.first_edge(slot, variant, location) as usize;
        let mut edges = self.edges(slot, variant, location).iter().zip(&self.places[first..]);
        edges.any(|(edge, place)| {
            edge.guard == Expr::TRUE
                && edge.communication == Communication::None
                && edge.target != Target::Exit
                && place.role == Role::Alone
        })
    }

    /// Whether the locations of a template are such that ranks or atomicity decide about actions of
    /// several processes there.
    pub fn is_intricate(&self, slot: usize, variant: usize, location: usize) -> bool {
        let template = self.layout.slots[slot].variants[variant].template;
        let of = &self.model.template(template).locations[location];
        let edges = of.edges.as_deref().unwrap_or(&[]);
        let ranked = edges.windows(2).any(|pair| pair[0].rank != pair[1].rank);
        let first = self.first_edge(slot, variant, location) as usize;
        let gathered = || {
            let places = &self.places[first..first + edges.len()];
            places.iter().any(|place| place.role != Role::Alone)
        };
        match self.model.atomicity {
            Atomicity::Priority => {
                let meets = edges.iter().any(|edge| self.may_meet(edge, true));
                of.atomic || ranked && (gathered() || meets)
            }
            Atomicity::Exclusive => {
                // One that receives in a rendezvous is moved by the other.
                let meets = edges.iter().any(|edge| self.may_meet(edge, false));
                ranked && (gathered() || meets)
            }
        }
    }

    /// Whether an edge may send, or also receive, in a rendezvous.
    pub fn may_meet(&self, edge: &Edge, also_receive: bool) -> bool {
        let channel = match &edge.communication {
            Communication::Send { channel, .. } => channel,
            Communication::Receive { channel, .. } if also_receive => channel,
            _ => return false,
        };
        match channel {
            Expr::Const(number) => {
                let number = usize::try_from(*number).unwrap_or(usize::MAX);
                self.model.channels.get(number).is_some_and(|channel| channel.capacity == 0)
            }
            _ => self.model.channels.iter().any(|channel| channel.capacity == 0),
        }
    }
}

/// The sets of slots that can take an event together; none if there are too many.
fn alternatives(gathering: &Gathering) -> Option<Vec<Vec<usize>>> {
    let mut found = match gathering {
        Gathering::Slot(SlotId(slot)) => vec![vec![*slot as usize]],
        Gathering::One(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part)?);
            }
            all
        }
        Gathering::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let more = alternatives(part)?;
                if all.len() * more.len() > ALTERNATIVES {
                    return None;
                }
                let both = |one: &Vec<usize>| {
                    let one = one.clone();
                    more.iter().map(move |other| [one.as_slice(), other].concat())
                };
                all = all.iter().flat_map(both).collect();
            }
            all
        }
    };
    for slots in &mut found {
        slots.sort_unstable();
        // A slot that would take part twice: no slot can.
        if slots.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
    }
    (found.len() <= ALTERNATIVES).then_some(found)
}

/// A number of 32 bits.
///
/// # Panics
/// If it is larger.
pub fn small(value: usize) -> u32 {
    u32::try_from(value).expect("fewer than 2^32")
}
