//! Steps of a process that cannot be seen or disturbed, merged into the step before them.
//!
//! A location is *passed* if there is one edge out of it, and that edge can always be taken, is taken alone,
//! cannot go wrong, and changes nothing but variables of its own process that no other process reads; and if
//! the location cannot be told from the one behind it. Merging leads every edge into a passed location on to
//! where the process comes to rest, and appends the statements on the way to its effect. No process is ever at
//! a passed location then.
//!
//! The rest of a model stays as it is: locations, edges and variables have the same numbers, so states and
//! actions are the same ones with and without merging. An action is that of its first step; a run is led
//! back to what really happened by taking the steps that were passed over ([`Passed::at`]).
//!
//! The merged model has the same runs but for steps that are not seen, which come as early as they can. That is
//! enough for what does not count steps, if nothing else can tell a process that is on its way from one that is
//! at rest. Questions that can are refused here: whether another process can move, who moved last, an offer
//! that others could meet at a location where there is none. Which questions may be asked is decided in
//! `fairly_check`; `docs/papers.md` has the argument.

use fairly_system::{EventId, EventKind};
use hashbrown::HashSet;

use crate::expression::{AnyVariable, Expr, Place};
use crate::ids::{LocalId, LocationId, TemplateId};
use crate::interpreter::ModelSpace;
use crate::layout::{Layout, VariantLayout};
use crate::model::{Atomicity, Model};
use crate::origins::assigned;
use crate::process::{Communication, Edge, Label, Statement, StatementKind, Target, Template};
use crate::sure::Scope;

/// Parts that must not be merged away.
pub struct Kept<'a> {
    /// Expressions that propositions read.
    pub seen: &'a [Expr],
    /// Whether an event is asked for.
    pub event: &'a dyn Fn(EventId) -> bool,
    /// Whether it is asked which processes are enabled: fairness of processes.
    pub enabled: bool,
}

/// Locations that follow each other and are passed in one step, at most: what is done there is copied to
/// every edge that leads to one of them.
const LONGEST: usize = 16;

/// The templates of a model with steps merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// In place of those of the model: see [`ModelSpace::with_templates`].
    pub templates: Vec<Template>,
    /// The locations at which no process is any more.
    pub passed: Passed,
}

/// Locations that processes pass, since the step there is merged into those that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// By template and location.
    locations: Vec<Vec<bool>>,
}

impl Passed {
    /// The number of locations.
    pub fn count(&self) -> usize {
        self.locations.iter().flatten().filter(|passed| **passed).count()
    }

    /// Whether some locations of a template are passed.
    pub fn any_of(&self, template: TemplateId) -> bool {
        self.locations[template.index()].contains(&true)
    }

    /// A slot and a location that its process passes, if one is at such a location in a packed state.
    pub fn at(&self, layout: &Layout, row: &[u64]) -> Option<(u32, u32)> {
        layout.slots.iter().enumerate().find_map(|(at, slot)| {
            let variant = usize::try_from(slot.kind.get(row, 0) - 1).ok()?;
            let location = slot.location.get(row, 0);
            let template = slot.variants[variant].template.index();
            let is_passed = *self.locations[template].get(usize::try_from(location).ok()?)?;
            is_passed.then_some((u32::try_from(at).ok()?, u32::try_from(location).ok()?))
        })
    }
}

impl Merged {
    /// The model with steps merged; `None` if there is nothing to merge.
    pub fn of(space: &ModelSpace, kept: &Kept<'_>) -> Option<Merged> {
        let (model, layout) = (space.model(), space.layout());
        let watched = Seen::of(model, kept)?;
        // Values of variables may differ from slot to slot.
        let mut variants: Vec<Vec<&VariantLayout>> = vec![Vec::new(); model.templates.len()];
        for variant in layout.slots.iter().flat_map(|slot| &slot.variants) {
            variants[variant.template.index()].push(variant);
        }
        let passed: Vec<Vec<bool>> = (0..model.templates.len())
            .map(TemplateId::from_index)
            .map(|id| watched.passed(&variants[id.index()], id))
            .collect();
        if !passed.iter().flatten().any(|passed| *passed) {
            return None;
        }
        let templates = model.templates.iter().zip(&passed);
        let templates = templates.map(|(template, passed)| led_on(template, passed)).collect();
        Some(Merged { templates, passed: Passed { locations: passed } })
    }
}

/// Parts of processes that others see.
struct Seen<'a> {
    model: &'a Model,
    kept: &'a Kept<'a>,
    read: Read,
    /// Whether processes that meet others are left alone: who is ready to meet them makes a difference
    /// to what others can do or have to do.
    meetings_count: bool,
    /// The events that several processes take together.
    gathered: HashSet<EventId>,
}

/// Parts of processes that expressions read.
#[derive(Default)]
struct Read {
    /// Variables, from outside.
    remote: HashSet<(TemplateId, LocalId)>,
    /// Whether a process is at one of these locations.
    places: Vec<(TemplateId, Vec<LocationId>)>,
    /// Who moved last, or whether a process can move.
    others: bool,
    timeout: bool,
}

impl Read {
    fn note(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(Place { variable: AnyVariable::Remote { template, local, .. }, .. }) => {
                self.remote.insert((*template, *local));
            }
            Expr::At { template, locations, .. } => {
                self.places.push((*template, locations.clone()));
            }
            Expr::LastMover | Expr::Executable(_) => self.others = true,
            Expr::Timeout => self.timeout = true,
            _ => {}
        }
        false
    }
}

impl<'a> Seen<'a> {
    /// `None` if anything may be seen.
    fn of(model: &'a Model, kept: &'a Kept<'a>) -> Option<Seen<'a>> {
        let locations = || model.templates.iter().flat_map(|template| &template.locations);
        let is_open = locations().any(|location| location.edges.is_none());
        let is_ranked = model.atomicity == Atomicity::Priority && locations().any(|it| it.atomic);
        if is_open || is_ranked {
            return None;
        }
        let mut read = Read::default();
        kept.seen.iter().for_each(|expr| _ = expr.any(&mut |part| read.note(part)));
        model.any_step_expression(&mut |part| read.note(part));
        // While a process is at a location that it passes there is no timeout.
        if read.others || read.timeout && kept.enabled {
            return None;
        }
        let gathered: HashSet<EventId> = model.gatherings.iter().map(|&(event, _)| event).collect();
        let edges = || locations().filter_map(|location| location.edges.as_ref());
        let is_barred = |edges: &Vec<Edge>| {
            edges.windows(2).any(|pair| pair[0].rank != pair[1].rank)
                && edges.iter().any(|edge| meets(model, &gathered, edge))
        };
        let meetings_count =
            kept.enabled || edges().flatten().any(|edge| edge.hold) || edges().any(is_barred);
        Some(Seen { model, kept, read, meetings_count, gathered })
    }

    /// By location of a template: whether it is passed.
    fn passed(&self, variants: &[&VariantLayout], id: TemplateId) -> Vec<bool> {
        let template = self.model.template(id);
        let nothing = vec![false; template.locations.len()];
        let mut edges = template.locations.iter().flat_map(|it| it.edges.iter().flatten());
        if self.meetings_count && edges.any(|edge| meets(self.model, &self.gathered, edge)) {
            return nothing;
        }
        if variants.is_empty() {
            return nothing;
        }
        let mut next = self.candidates(id, template, variants);
        break_rounds(&mut next);
        shorten(&mut next);
        next.iter().map(Option::is_some).collect()
    }

    /// By location: the target of its only edge, if that cannot be seen or disturbed. The first location is no
    /// candidate, since a process is there before it has taken a step.
    fn candidates(
        &self,
        id: TemplateId,
        template: &Template,
        variants: &[&VariantLayout],
    ) -> Vec<Option<usize>> {
        let is_sure = |effect: &[Statement]| {
            variants.iter().all(|layout| Scope::Process { template, layout }.is_sure(effect))
        };
        let places: Vec<&Vec<LocationId>> =
            self.read.places.iter().filter(|(of, _)| *of == id).map(|(_, places)| places).collect();
        let mut next: Vec<Option<usize>> = Vec::with_capacity(template.locations.len());
        let mut is_entered = vec![false; template.locations.len()];
        for (at, location) in template.locations.iter().enumerate() {
            let only = match location.edges.as_deref() {
                Some([only]) if at > 0 => self.behind(only).filter(|_| is_sure(&only.effect)),
                _ => None,
            };
            let here = LocationId::from_index(at);
            next.push(
                only.filter(|&to| {
                    let is_hidden = |local: &LocalId| !self.read.remote.contains(&(id, *local));
                    let edge = location.edges.iter().flatten();
                    let mut assigned = edge.flat_map(|edge| assigned(&edge.effect));
                    assigned.all(|place| match &place.variable {
                        AnyVariable::Local(local) => is_hidden(local),
                        // Those that may go wrong, or are others', are not merged anyway.
                        _ => true,
                    }) && places.iter().all(|all| all.contains(&here) == all.contains(&to))
                })
                .map(LocationId::index),
            );
        }
        for edge in template.locations.iter().flat_map(|it| it.edges.iter().flatten()) {
            if let Target::Location(to) = edge.target {
                is_entered[to.index()] = true;
                if !self.may_lead_on(edge) {
                    next[to.index()] = None;
                }
            }
        }
        next.iter_mut().zip(is_entered).filter(|(_, is)| !is).for_each(|(next, _)| *next = None);
        next
    }

    /// The target of an edge that can always be taken, by its process alone, and that is not asked for.
    fn behind(&self, edge: &Edge) -> Option<LocationId> {
        let Label::Event(event) = edge.label else { return None };
        let is_certain = matches!(edge.guard, Expr::Const(value) if value != 0)
            && edge.communication == Communication::None
            && !edge.hold;
        let is_seen = (self.kept.event)(event) || self.is_termination(event);
        match edge.target {
            Target::Location(to)
                if is_certain && !is_seen && !meets(self.model, &self.gathered, edge) =>
            {
                Some(to)
            }
            _ => None,
        }
    }

    fn is_termination(&self, event: EventId) -> bool {
        self.model.events[event.index()].kind == EventKind::Termination
    }

    /// Whether more may be done in the step of an edge. One that holds is passed through already; one with
    /// a loop might run more statements than a step may have.
    fn may_lead_on(&self, edge: &Edge) -> bool {
        let ends = match edge.label {
            Label::Event(event) => self.is_termination(event),
            // It may be the name of any event.
            Label::Data { .. } | Label::Message => {
                self.model.events.iter().any(|event| event.kind == EventKind::Termination)
            }
        };
        !edge.hold && !ends && !has_loop(&edge.effect)
    }
}

/// Whether others may take part in an edge.
fn meets(model: &Model, gathered: &HashSet<EventId>, edge: &Edge) -> bool {
    let in_rendezvous = match &edge.communication {
        Communication::None => false,
        Communication::Send { channel, .. } | Communication::Receive { channel, .. } => {
            let of = |at: i64| usize::try_from(at).ok().and_then(|at| model.channels.get(at));
            match channel {
                Expr::Const(at) => of(*at).is_some_and(|channel| channel.capacity == 0),
                _ => model.channels.iter().any(|channel| channel.capacity == 0),
            }
        }
    };
    let is_gathered = match &edge.label {
        Label::Event(event) => gathered.contains(event),
        Label::Data { .. } | Label::Message => !gathered.is_empty(),
    };
    in_rendezvous || is_gathered
}

fn has_loop(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::While { .. } => true,
        StatementKind::If { then, otherwise, .. } => has_loop(then) || has_loop(otherwise),
        _ => false,
    })
}

/// Takes one location out of every round, where a process then rests again and again.
fn break_rounds(next: &mut [Option<usize>]) {
    // By location: the walk that came there first.
    let mut walks = vec![usize::MAX; next.len()];
    for first in 0..next.len() {
        let mut at = first;
        while let Some(to) = next[at].filter(|_| walks[at] == usize::MAX) {
            walks[at] = first;
            at = to;
        }
        if next[at].is_some() && walks[at] == first {
            next[at] = None;
        }
    }
}

/// Takes locations out of ways that are too long. There are no rounds.
fn shorten(next: &mut [Option<usize>]) {
    let mut length: Vec<Option<usize>> = next.iter().map(|to| to.is_none().then_some(0)).collect();
    for first in 0..next.len() {
        let (mut way, mut at) = (Vec::new(), first);
        while let (None, Some(to)) = (length[at], next[at]) {
            way.push(at);
            at = to;
        }
        let mut behind = length[at].unwrap_or(0);
        for at in way.into_iter().rev() {
            behind += 1;
            if behind > LONGEST {
                next[at] = None;
                behind = 0;
            }
            length[at] = Some(behind);
        }
    }
}

/// A template whose edges lead on past passed locations.
fn led_on(template: &Template, passed: &[bool]) -> Template {
    let mut led = template.clone();
    for edge in led.locations.iter_mut().flat_map(|it| it.edges.iter_mut().flatten()) {
        while let Target::Location(to) = edge.target {
            let only = template.locations[to.index()].edges.as_deref().and_then(<[Edge]>::first);
            let (Some(only), true) = (only, passed[to.index()]) else { break };
            edge.effect.extend_from_slice(&only.effect);
            edge.target = only.target;
        }
    }
    led
}
