//! Which processes of a model that know no numbers of processes may be permuted: a guess.
//!
//! Two slots are taken to be alike if all of this is so; else they are in different groups, or in none.
//!
//! - Their templates are the same, but for names and for events that only one of the two slots has.
//! - They take the same part in every event that several take together: they stand side by side wherever
//!   one of them does. What they do in such an event is about their own variables only, since
//!   participants act in the order of their slots.
//! - Neither is asked for by its number: no expression of the model or the property, no channel that belongs to
//!   it, no constraint; and it does not ask for its own number.
//! - A state has the same room for what they remember.
//! - They hold one kind of process; where processes leave in order, it does not leave.
//! - The process is there from the start, or in none of them: see below.
//!
//! # Started processes
//!
//! A process that is started goes to the first slot that is free, so a permutation of slots does not turn such a
//! step into a step: of two free slots it is always the first that is taken. But if *all* slots that the process
//! may go to can be permuted, its step leads to the same up to *another* permutation, which differs in slots that
//! were free only. So orbits are still bisimilar, in all that is watched. A process that never leaves is started
//! finitely often in a run, and in a loop nothing is started: there, and so for fairness, all is as it is for other
//! processes. What goes before is found again by trying ([`Symmetry::exchange`]). The one who starts it must not
//! learn its number.
//!
//! Whether they can be permuted is decided in `automorphism.rs`. What is listed here finds the groups, and
//! gives the reason where there are none.

use fairly_model::{
    AnyVariable, Communication, Edge, Exit, Expr, Gathering, Label, Layout, Model, ModelSpace,
    Slot, Statement, StatementKind, Strip, Target, Template, TemplateId,
};
use fairly_omega::Stop;
use fairly_system::EventId;
use hashbrown::{HashMap, HashSet};

use super::automorphism::Subject;
use super::named::Alike;
use super::scheme::Scheme;
use super::{Asymmetric, Symmetry};
use crate::started;
use crate::watched::Watched;

/// Finds permutations of processes that cannot be noticed by the watched question.
pub(super) fn detect(
    system: &ModelSpace,
    watched: &Watched,
    stop: Stop,
) -> Result<Symmetry, Asymmetric> {
    let (model, layout) = (system.model(), system.layout());
    let open = |template: &Template| template.locations.iter().any(|it| it.edges.is_none());
    if model.templates.iter().any(open) {
        return Err(Asymmetric::Open);
    }
    let mut unfit = vec![false; model.slots.len()];
    let mut atoms = watched.values.clone();
    for atom in watched.all_atoms() {
        // Whether the system is stuck is the same after every permutation.
        atoms.extend(system.atom_expression(atom));
    }
    let mut asked = Asked { slots: &mut unfit, computed: false };
    model.any_expression(&mut |expr| asked.note(expr));
    let mut computed = asked.computed;
    let mut named = vec![false; model.slots.len()];
    let mut asked = Asked { slots: &mut named, computed: false };
    atoms.iter().for_each(|atom| {
        atom.any(&mut |expr| asked.note(expr));
    });
    computed |= asked.computed;
    if computed || layout.last_mover.is_some() {
        return Err(Asymmetric::Numbers);
    }
    let gathered = Gathered::of(model);
    let mut fit = Fit::of(model, layout, &gathered);
    let mut knows_own: HashMap<TemplateId, bool> = HashMap::new();
    let private = private_events(model, layout);
    // Slots that would be alike, and those of them that are not named.
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut alike: Vec<Vec<usize>> = Vec::new();
    let mut shapes = Shapes::default();
    for (slot, &is_unfit) in unfit.iter().enumerate() {
        super::heed(stop)?;
        if is_unfit || !fit.is_fit(slot) && !fit.is_fit_when_started(slot) {
            continue;
        }
        let template = layout.slots[slot].variants[0].template;
        let known = knows_own.entry(template);
        if *known.or_insert_with(|| asks_own(model.template(template))) {
            continue;
        }
        let shape = shapes.number(template, || shape(model, template, slot, &private));
        let key = key(model, layout, slot, shape, &gathered);
        let class = *places.entry(key).or_insert(alike.len());
        alike.resize(alike.len().max(class + 1), Vec::new());
        alike[class].push(slot);
    }
    alike.retain(|slots| slots.len() > 1);
    if alike.is_empty() {
        return Err(Asymmetric::Different);
    }
    let own: Vec<Vec<EventId>> = (0..model.slots.len())
        .map(|slot| match layout.slots[slot].variants.as_slice() {
            [only] => own_events(model, only.template, slot, &private),
            _ => Vec::new(),
        })
        .collect();
    let groups: Vec<&[usize]> = alike.iter().map(Vec::as_slice).collect();
    let families = Alike::new(system, &groups, &own).name(watched, &mut named);
    alike.iter_mut().for_each(|slots| slots.retain(|&slot| !named[slot]));
    alike.retain(|slots| slots.len() > 1);
    if alike.is_empty() {
        return Err(Asymmetric::Named);
    }
    super::heed(stop)?;
    let scheme = Scheme::nameless(model);
    let subject = Subject::new(system, &scheme, watched, &atoms, (&families, &own));
    let mut groups = super::kept_by(&subject, &alike, stop)?;
    let saved = saved_by_started(model, layout, &groups, stop);
    // Processes that are started with different arguments are hardly ever the same later.
    groups.retain(|group| saved.get(&group[0]).is_none_or(|&saved| saved > 1));
    if groups.is_empty() {
        return Err(Asymmetric::Different);
    }
    let mut symmetry = Symmetry::nameless(layout, &groups);
    symmetry.note_started(&saved);
    symmetry.own_events(&own);
    symmetry.moves_as(&subject)?;
    drop(subject);
    symmetry.follow(families, watched.constraints.len());
    Ok(symmetry)
}

/// Key that the slots of a group share: the number of their shape, the room for their variables, their position
/// in gatherings, and the events hidden in them.
pub(super) type Key = (u32, Vec<(i64, u32, u32)>, Vec<(u32, u32)>, Vec<(String, EventId)>);

pub(super) fn key(
    model: &Model,
    layout: &Layout,
    slot: usize,
    shape: u32,
    gathered: &Gathered,
) -> Key {
    // The variables of one of them need the same room, in the same bits, in another.
    let room = stored(layout, slot).map(|strip| (strip.base, strip.width, strip.length));
    let meets = gathered.places.get(&slot).cloned().unwrap_or_default();
    (shape, room.collect(), meets, model.slots[slot].renamed.clone())
}

/// Shapes of templates, numbered.
#[derive(Default)]
pub(super) struct Shapes {
    known: HashMap<TemplateId, u32>,
    numbers: HashMap<String, u32>,
}

impl Shapes {
    pub(super) fn number(&mut self, template: TemplateId, shape: impl FnOnce() -> String) -> u32 {
        let Shapes { known, numbers } = self;
        *known.entry(template).or_insert_with(|| {
            let next = u32::try_from(numbers.len()).expect("fewer than 2^32 templates");
            *numbers.entry(shape()).or_insert(next)
        })
    }
}

/// Which slots have processes that may be permuted at all.
pub(super) struct Fit<'a> {
    model: &'a Model,
    layout: &'a Layout,
    gathered: &'a Gathered,
    owners: HashSet<usize>,
    started: HashSet<TemplateId>,
    known: HashMap<(TemplateId, bool), bool>,
}

impl<'a> Fit<'a> {
    pub(super) fn of(model: &'a Model, layout: &'a Layout, gathered: &'a Gathered) -> Fit<'a> {
        let owners = model.channels.iter().filter_map(|channel| channel.owner);
        Fit {
            model,
            layout,
            gathered,
            owners: owners.map(|(slot, _)| slot.index()).collect(),
            started: kinds_started(model),
            known: HashMap::new(),
        }
    }

    pub(super) fn is_fit(&mut self, slot: usize) -> bool {
        let [only] = self.layout.slots[slot].variants.as_slice() else { return false };
        let Slot { start, renamed, .. } = &self.model.slots[slot];
        if start.is_none() || self.owners.contains(&slot) || self.started.contains(&only.template) {
            return false;
        }
        let (model, gathered, hides) = (self.model, self.gathered, !renamed.is_empty());
        *self.known.entry((only.template, hides)).or_insert_with(|| {
            let edges = || edges(model.template(only.template));
            (model.exit != Exit::LastFirst || edges().all(|edge| edge.target != Target::Exit))
                && edges().all(|edge| {
                    !gathered.may_have(model, hides, edge) || !edge.hold && is_inner(edge)
                })
        })
    }

    /// Whether a slot is for processes that are started and may be permuted.
    pub(super) fn is_fit_when_started(&self, slot: usize) -> bool {
        let [only] = self.layout.slots[slot].variants.as_slice() else { return false };
        let Slot { start, renamed, .. } = &self.model.slots[slot];
        let template = self.model.template(only.template);
        start.is_none()
            && renamed.is_empty()
            && !self.owners.contains(&slot)
            && self.started.contains(&only.template)
            && !can_exit(template)
            && edges(template).all(|edge| !self.gathered.may_have(self.model, false, edge))
    }
}

/// By the first slot of a group whose processes are started: how many permutations of them lead to processes with the
/// same arguments.
fn saved_by_started(
    model: &Model,
    layout: &Layout,
    groups: &[Vec<usize>],
    stop: Stop,
) -> HashMap<usize, u64> {
    let started = |group: &&Vec<usize>| model.slots[group[0]].start.is_none();
    let started: Vec<&Vec<usize>> = groups.iter().filter(started).collect();
    if started.is_empty() {
        return HashMap::new();
    }
    let kinds: Vec<Vec<TemplateId>> = layout
        .slots
        .iter()
        .map(|slot| slot.variants.iter().map(|variant| variant.template).collect())
        .collect();
    let begun = started::follow(model, &kinds, stop);
    let factorial = |count: usize| (1..=count as u64).fold(1, u64::saturating_mul);
    let saved = |group: &Vec<usize>| match &begun {
        None => factorial(group.len()),
        Some(begun) => {
            let mut alike: HashMap<Vec<&[Option<i64>]>, usize> = HashMap::new();
            for &slot in group {
                let of_slot = begun.iter().filter(|it| it.slot == slot);
                let mut arguments: Vec<_> = of_slot.map(|it| it.arguments.as_slice()).collect();
                arguments.sort_unstable();
                if !arguments.is_empty() {
                    *alike.entry(arguments).or_default() += 1;
                }
            }
            alike.values().map(|&count| factorial(count)).fold(1, u64::saturating_mul)
        }
    };
    started.into_iter().map(|group| (group[0], saved(group))).collect()
}

/// The slots that a process of a template may be started in, if no other process can be in any of them.
pub(super) fn slots_to_start_in(
    model: &Model,
    layout: &Layout,
    template: TemplateId,
) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for (slot, of) in layout.slots.iter().enumerate() {
        if of.variants.iter().all(|variant| variant.template != template) {
            continue;
        }
        match &model.slots[slot].start {
            None if of.variants.len() == 1 => found.push(slot),
            // It is never free.
            Some((first, _)) if !can_exit(model.template(*first)) => {}
            None | Some(_) => return None,
        }
    }
    Some(found)
}

pub(super) fn can_exit(template: &Template) -> bool {
    edges(template).any(|edge| edge.target == Target::Exit)
}

/// Where everything is that a state remembers of the process in a slot.
pub(super) fn stored(layout: &Layout, slot: usize) -> impl Iterator<Item = &Strip> {
    let of = &layout.slots[slot];
    let is_stored = |strip: &&Strip| (strip.cell as usize) < layout.state_cells;
    let locals = of.variants[0].locals.iter().filter(is_stored);
    [&of.kind, &of.location].into_iter().chain(locals)
}

/// Who is asked for by number.
struct Asked<'a> {
    slots: &'a mut [bool],
    computed: bool,
}

impl Asked<'_> {
    fn note(&mut self, expr: &Expr) -> bool {
        let slot = match expr {
            Expr::At { slot, .. } | Expr::Executable(slot) => Some(slot),
            Expr::Load(place) => match &place.variable {
                AnyVariable::Remote { slot, .. } => Some(slot),
                _ => None,
            },
            Expr::LastMover => {
                self.computed = true;
                None
            }
            _ => None,
        };
        match slot.map(|slot| &**slot) {
            None => {}
            Some(Expr::Const(number)) => {
                let slot = usize::try_from(*number).ok();
                if let Some(asked) = slot.and_then(|slot| self.slots.get_mut(slot)) {
                    *asked = true;
                }
            }
            // A process that asks for itself is in no group.
            Some(Expr::Own) => {}
            Some(_) => self.computed = true,
        }
        false
    }
}

/// Whether a process asks for its own number.
pub(super) fn asks_own(template: &Template) -> bool {
    let own = &mut |expr: &Expr| matches!(expr, Expr::Own);
    let start = Edge {
        target: Target::Exit,
        guard: Expr::TRUE,
        rank: 0,
        hold: false,
        communication: Communication::None,
        label: Label::Message,
        annotation: None,
        effect: template.start.clone(),
        name: String::new(),
        span: None,
    };
    start.any(own) || edges(template).any(|edge| edge.any(own))
}

pub(super) fn edges(template: &Template) -> impl Iterator<Item = &Edge> {
    template.locations.iter().filter_map(|location| location.edges.as_ref()).flatten()
}

/// Templates of processes that are started.
pub(super) fn kinds_started(model: &Model) -> HashSet<TemplateId> {
    let mut found = HashSet::new();
    let mut all: Vec<&[Statement]> = Vec::new();
    for template in &model.templates {
        all.push(&template.start);
        all.extend(edges(template).map(|edge| edge.effect.as_slice()));
    }
    while let Some(statements) = all.pop() {
        for statement in statements {
            match &statement.kind {
                StatementKind::Start { template, .. } => {
                    found.insert(*template);
                }
                StatementKind::If { then, otherwise, .. } => {
                    all.extend([then.as_slice(), otherwise]);
                }
                StatementKind::While { body, .. } => all.push(body),
                _ => {}
            }
        }
    }
    found
}

/// Whether an edge is about variables of its process only.
pub(super) fn is_inner(edge: &Edge) -> bool {
    let outside = edge.communication != Communication::None
        || edge.any(&mut |expr| match expr {
            Expr::Load(place) => !matches!(place.variable, AnyVariable::Local(_)),
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Conditional(_)
            | Expr::Checked { .. } => false,
            _ => true,
        });
    // Guards are read before any action, but guards are few.
    !outside
        && edge.effect.iter().all(|statement| match &statement.kind {
            StatementKind::Assign(all) => {
                all.iter().all(|(place, _)| matches!(place.variable, AnyVariable::Local(_)))
            }
            StatementKind::Assert { .. } => true,
            _ => false,
        })
}

/// Events that several take together.
pub(super) struct Gathered {
    events: HashSet<EventId>,
    /// First parts of their names.
    names: HashSet<String>,
    /// By slot: the nodes of the trees that it stands in, with the number of the tree.
    pub(super) places: HashMap<usize, Vec<(u32, u32)>>,
}

impl Gathered {
    pub(super) fn of(model: &Model) -> Gathered {
        let mut places: HashMap<usize, Vec<(u32, u32)>> = HashMap::new();
        for (tree, (_, gathering)) in (0u32..).zip(&model.gatherings) {
            let mut nodes = 0;
            // Nodes of the same kind inside each other are one.
            let mut open = vec![(gathering, None::<(bool, u32)>)];
            while let Some((part, parent)) = open.pop() {
                let (is_all, parts) = match part {
                    Gathering::Slot(slot) => {
                        let node = parent.map_or(0, |(_, node)| node);
                        places.entry(slot.index()).or_default().push((tree, node));
                        continue;
                    }
                    Gathering::All(parts) => (true, parts),
                    Gathering::One(parts) => (false, parts),
                };
                let node = match parent {
                    Some((same, node)) if same == is_all => node,
                    _ => {
                        nodes += 1;
                        nodes
                    }
                };
                open.extend(parts.iter().map(|part| (part, Some((is_all, node)))));
            }
        }
        places.values_mut().for_each(|all| all.sort_unstable());
        let events: HashSet<EventId> = model.gatherings.iter().map(|(event, _)| *event).collect();
        let names = events.iter().flat_map(|event| first_parts(&model.events[event.index()].name));
        Gathered { names: names.map(str::to_owned).collect(), events, places }
    }

    /// Whether the event of an edge may be one that several take; the slot may hide some.
    fn may_have(&self, model: &Model, hides: bool, edge: &Edge) -> bool {
        match &edge.label {
            Label::Event(event) => self.events.contains(event),
            Label::Data { family, .. } => hides || self.names.contains(family),
            Label::Message => {
                hides || model.channels.iter().any(|channel| self.names.contains(&channel.name))
            }
        }
    }
}

/// The families and channels that an event may belong to by its name: `e.0` and `e` of `e.0.1`, `c` of `c!1`.
pub(super) fn first_parts(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.match_indices(['.', '!', '?', '[']).map(|(at, _)| at);
    ends.chain([name.len()]).map(|end| &name[..end])
}

/// Events that are taken by one slot alone and by no other, with the slot.
pub(super) fn private_events(model: &Model, layout: &Layout) -> HashMap<EventId, usize> {
    let mut users: HashMap<EventId, Option<usize>> = HashMap::new();
    let mut families: HashSet<&str> = HashSet::new();
    // Processes with the same template share its events, so none is looked at more than twice.
    let mut met: HashMap<TemplateId, usize> = HashMap::new();
    let mut has_messages = false;
    for (slot, of) in layout.slots.iter().enumerate() {
        for template in of.variants.iter().map(|variant| variant.template) {
            let times = met.entry(template).or_default();
            *times += 1;
            if *times > 2 {
                continue;
            }
            for edge in edges(model.template(template)) {
                match &edge.label {
                    Label::Event(event) => {
                        let user = users.entry(*event).or_insert(Some(slot));
                        if *user != Some(slot) {
                            *user = None;
                        }
                    }
                    Label::Data { family, .. } => {
                        families.insert(family);
                    }
                    Label::Message => has_messages = true,
                }
            }
        }
        for (_, event) in &model.slots[slot].renamed {
            users.insert(*event, None);
        }
    }
    for (event, _) in &model.gatherings {
        users.insert(*event, None);
    }
    if has_messages {
        families.extend(model.channels.iter().map(|channel| channel.name.as_str()));
    }
    let made = |event: EventId| {
        first_parts(&model.events[event.index()].name).any(|part| families.contains(part))
    };
    users
        .into_iter()
        .filter_map(|(event, user)| Some((event, user?)))
        .filter(|it| !made(it.0))
        .collect()
}

/// The events that only this slot has, in the order in which its edges name them.
pub(super) fn own_events(
    model: &Model,
    template: TemplateId,
    slot: usize,
    private: &HashMap<EventId, usize>,
) -> Vec<EventId> {
    let mut own = Vec::new();
    let mut met = HashSet::new();
    for edge in edges(model.template(template)) {
        if let Label::Event(event) = edge.label
            && private.get(&event) == Some(&slot)
            && met.insert(event)
        {
            own.push(event);
        }
    }
    own
}

/// A template without what may differ.
pub(super) fn shape(
    model: &Model,
    template: TemplateId,
    slot: usize,
    private: &HashMap<EventId, usize>,
) -> String {
    let own: HashMap<EventId, usize> =
        own_events(model, template, slot, private).into_iter().zip(0..).collect();
    let mut plain = model.template(template).clone();
    plain.name.clear();
    plain.span = None;
    for local in &mut plain.locals {
        local.name.clear();
        local.span = None;
    }
    without_spans(&mut plain.start);
    for location in &mut plain.locations {
        location.name.clear();
        location.labels.clear();
        location.span = None;
        for edge in location.edges.iter_mut().flatten() {
            edge.name.clear();
            edge.span = None;
            without_spans(&mut edge.effect);
            if let Label::Event(event) = edge.label
                && let Some(at) = own.get(&event)
            {
                let kind = model.events[event.index()].kind;
                edge.label = Label::Data { family: format!("{at} {kind:?}"), values: Vec::new() };
            }
        }
    }
    format!("{plain:?}")
}

fn without_spans(statements: &mut [Statement]) {
    for statement in statements {
        statement.span = None;
        match &mut statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                without_spans(then);
                without_spans(otherwise);
            }
            StatementKind::While { body, .. } => without_spans(body),
            StatementKind::Assert { message, .. } => message.clear(),
            StatementKind::Assign(_)
            | StatementKind::Start { .. }
            | StatementKind::Put { .. }
            | StatementKind::Take { .. } => {}
        }
    }
}
