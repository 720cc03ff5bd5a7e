//! Which processes of a model can be exchanged.
//!
//! Two slots are alike if all of this is so; else they are in different groups, or in none.
//!
//! - Their templates are the same, but for names and for events that only one of the two slots has.
//! - They take the same part in every event that several take together: they stand side by side wherever
//!   one of them does. What they do in such an event is about their own variables only, since
//!   participants act in the order of their slots.
//! - Nobody asks for either by its number: no expression of the model or the property, no channel that
//!   belongs to it, no constraint; and it does not ask for its own number.
//! - A state has the same room for what they remember.
//! - They hold one kind of process, which nobody starts, for it would go to the first slot that is free;
//!   and where processes leave in order, it does not leave.

use std::fmt::Write;

use fairly_model::{
    AnyVariable, Collapsed, Communication, Edge, Exit, Expr, Gathering, Label, Layout, Model,
    Statement, StatementKind, Strip, Target, Template, TemplateId,
};
use fairly_system::EventId;
use hashbrown::{HashMap, HashSet};

use super::named::Alike;
use super::{Asymmetric, Content, Group, Symmetry};
use crate::watched::Watched;

/// What can be exchanged in a model without anybody noticing who watches this.
pub(super) fn detect(system: &Collapsed, watched: &Watched) -> Result<Symmetry, Asymmetric> {
    let interpreter = system.interpreter();
    let (model, layout) = (interpreter.model(), interpreter.layout());
    let open = |template: &Template| template.locations.iter().any(|it| it.edges.is_none());
    if model.templates.iter().any(open) {
        return Err(Asymmetric::Open);
    }
    let mut unfit = vec![false; model.slots.len()];
    let mut atoms = watched.values.clone();
    for atom in watched.all_atoms() {
        // Whether the system is stuck is the same after every exchange.
        atoms.extend(interpreter.atom_expression(atom));
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
    for (owner, _) in model.channels.iter().filter_map(|channel| channel.owner) {
        unfit[owner.index()] = true;
    }
    let gathered = Gathered::of(model);
    let started = started(model);
    for (slot, of) in layout.slots.iter().enumerate() {
        let [only] = of.variants.as_slice() else {
            unfit[slot] = true;
            continue;
        };
        let template = model.template(only.template);
        let edges = || edges(template);
        let leaves = || edges().any(|edge| edge.target == Target::Exit);
        unfit[slot] |= model.slots[slot].start.is_none()
            || started.contains(&only.template)
            || model.exit == Exit::LastFirst && leaves()
            || template.asks_own()
            || edges()
                .any(|edge| (edge.hold || !is_inner(edge)) && gathered.may_have(model, slot, edge));
    }
    let private = private_events(
        model,
        layout
            .slots
            .iter()
            .map(|slot| slot.variants.iter().map(|variant| variant.template).collect()),
    );
    // What would be alike, and what of it is not named.
    let mut keys: HashMap<Key, Vec<usize>> = HashMap::new();
    let mut order: Vec<Key> = Vec::new();
    let mut known: HashMap<TemplateId, String> = HashMap::new();
    for slot in (0..model.slots.len()).filter(|&slot| !unfit[slot]) {
        let template = layout.slots[slot].variants[0].template;
        let mut shape =
            known.entry(template).or_insert_with(|| shape(model, template, slot, &private)).clone();
        // What one of them remembers, another must have room for, in the same bits.
        for strip in stored(layout, slot) {
            let _ = write!(shape, " {} {} {}", strip.base, strip.width, strip.length);
        }
        let meets = gathered.places.get(&slot).cloned().unwrap_or_default();
        let renamed = model.slots[slot].renamed.clone();
        let key = (shape, meets, renamed);
        let members = keys.entry(key.clone()).or_default();
        if members.is_empty() {
            order.push(key);
        }
        members.push(slot);
    }
    if keys.values().all(|slots| slots.len() < 2) {
        return Err(Asymmetric::Different);
    }
    let alike: Vec<&[usize]> = order.iter().map(|key| keys[key].as_slice()).collect();
    let own: Vec<Vec<EventId>> = (0..model.slots.len())
        .map(|slot| match layout.slots[slot].variants.as_slice() {
            [only] => own_events(model, only.template, slot, &private),
            _ => Vec::new(),
        })
        .collect();
    let families = Alike { system, groups: &alike, own: &own }.name(watched, &mut named);
    let mut groups = Vec::new();
    for key in &order {
        let slots: Vec<usize> = keys[key].iter().copied().filter(|slot| !named[*slot]).collect();
        let contents: Vec<Content> = slots
            .iter()
            .map(|&slot| Content { strips: stored(layout, slot).copied().collect() })
            .collect();
        if slots.len() > 1 {
            let values = contents[0].strips.iter().map(|strip| strip.length as usize);
            let length = values.sum::<usize>() + 1;
            groups.push(Group { slots, contents, length });
        }
    }
    if groups.is_empty() {
        return Err(Asymmetric::Named);
    }
    let mut symmetry = Symmetry::new(groups, model.slots.len(), layout.holder);
    for (slot, own) in own.iter().enumerate() {
        if symmetry.is_exchanged(slot) {
            symmetry.events.extend((0u32..).zip(own).map(|(at, &event)| (event, (slot, at))));
        }
    }
    symmetry.follow(families, watched.constraints.len());
    Ok(symmetry)
}

type Key = (String, Vec<(u32, u32)>, Vec<(String, EventId)>);

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

trait AsksOwn {
    fn asks_own(&self) -> bool;
}

impl AsksOwn for Template {
    fn asks_own(&self) -> bool {
        let own = &mut |expr: &Expr| matches!(expr, Expr::Own);
        let start = Edge {
            target: Target::Exit,
            guard: Expr::TRUE,
            rank: 0,
            hold: false,
            communication: Communication::None,
            label: Label::Message,
            annotation: None,
            effect: self.start.clone(),
            name: String::new(),
            span: None,
        };
        start.any(own) || edges(self).any(|edge| edge.any(own))
    }
}

pub(super) fn edges(template: &Template) -> impl Iterator<Item = &Edge> {
    template.locations.iter().filter_map(|location| location.edges.as_ref()).flatten()
}

/// Templates of processes that somebody starts.
pub(super) fn started(model: &Model) -> HashSet<TemplateId> {
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
    // What a guard reads is read before anybody acts, but guards are few.
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
        Gathered { events: model.gatherings.iter().map(|(event, _)| *event).collect(), places }
    }

    /// Whether the event of an edge may be one that several take.
    pub(super) fn may_have(&self, model: &Model, slot: usize, edge: &Edge) -> bool {
        let named = |first: &str| {
            self.events.iter().any(|event| is_of(&model.events[event.index()].name, first))
        };
        match &edge.label {
            Label::Event(event) => self.events.contains(event),
            _ if !model.slots[slot].renamed.is_empty() => true,
            Label::Data { family, .. } => named(family),
            Label::Message => model.channels.iter().any(|channel| named(&channel.name)),
        }
    }
}

fn is_of(name: &str, first: &str) -> bool {
    let rest = name.strip_prefix(first);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '!', '?', '[']))
}

/// Events that are taken by one slot alone and by no other, with the slot.
pub(super) fn private_events(
    model: &Model,
    slots: impl Iterator<Item = Vec<TemplateId>>,
) -> HashMap<EventId, usize> {
    let mut users: HashMap<EventId, Option<usize>> = HashMap::new();
    let mut families: HashSet<&str> = HashSet::new();
    for (slot, templates) in slots.enumerate() {
        for template in templates {
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
                    Label::Message => {
                        families.extend(model.channels.iter().map(|channel| channel.name.as_str()));
                    }
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
    let made = |event: EventId| {
        let name = &model.events[event.index()].name;
        families.iter().any(|family| is_of(name, family))
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
    for edge in edges(model.template(template)) {
        if let Label::Event(event) = edge.label
            && private.get(&event) == Some(&slot)
            && !own.contains(&event)
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
    let own = own_events(model, template, slot, private);
    let mut plain = model.template(template).clone();
    plain.name.clear();
    for location in &mut plain.locations {
        location.name.clear();
        location.labels.clear();
        for edge in location.edges.iter_mut().flatten() {
            edge.name.clear();
            if let Label::Event(event) = edge.label
                && let Some(at) = own.iter().position(|&other| other == event)
            {
                let kind = model.events[event.index()].kind;
                edge.label = Label::Data { family: format!("{at} {kind:?}"), values: Vec::new() };
            }
        }
    }
    format!("{plain:?}")
}
