//! Effect of a permutation of processes on events, on their participants, and on the constraints about them.
//!
//! An event with a fixed name becomes the one that the process in the other slot has in its place. An event
//! whose name is made of values becomes the one with the permuted values; where an event with that name is
//! listed, it is the same event, so both ways must agree. The map must be a bijection that keeps who takes an
//! event together, what an observer makes of it, where it is hidden, and every set of events that is watched.

use std::fmt::Write;

use fairly_fairness::{Constraint, Predicate, Selector, StepFormula};
use fairly_model::{Channel, Edge, Expr, Gathering, Label, Model, Statement, StatementKind};
use fairly_system::{EventId, EventKind, EventSet, MoveId, Space};
use hashbrown::{HashMap, HashSet};

use super::automorphism::{Check, Differs, Same, same};
use super::detect::{self, is_inner};
use super::scheme::{Kind, Scheme};

/// Who takes an event together, whatever the order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Slot(usize),
    All(Vec<Tree>),
    One(Vec<Tree>),
}

impl Tree {
    /// The tree with its slots changed: nodes of one kind inside each other are one, a node of one part is that
    /// part, and parts are sorted. The depth is that of the gathering, which the front ends bound.
    fn of(gathering: &Gathering, to: &impl Fn(usize) -> usize) -> Tree {
        let (is_all, parts) = match gathering {
            Gathering::Slot(slot) => return Tree::Slot(to(slot.index())),
            Gathering::All(parts) => (true, parts),
            Gathering::One(parts) => (false, parts),
        };
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match (Tree::of(part, to), is_all) {
                (Tree::All(mut inner), true) | (Tree::One(mut inner), false) => {
                    flat.append(&mut inner);
                }
                (other, _) => flat.push(other),
            }
        }
        flat.sort_unstable();
        match (flat.len(), is_all) {
            (1, _) => flat.swap_remove(0),
            (_, true) => Tree::All(flat),
            (_, false) => Tree::One(flat),
        }
    }

    fn slots(&self, out: &mut Vec<usize>) {
        match self {
            Tree::Slot(slot) => out.push(*slot),
            Tree::All(parts) | Tree::One(parts) => parts.iter().for_each(|part| part.slots(out)),
        }
    }
}

/// Facts about a model's events before there is a permutation.
pub(super) struct Events<'a> {
    model: &'a Model,
    /// Events that observers see: a name that is made of values is looked up here.
    by_name: HashMap<&'a str, EventId>,
    families: HashMap<(&'a str, usize), &'a [Kind]>,
    /// Heads of names that are made of values, the number of values that follow, and their kinds.
    heads: HashMap<String, Vec<(usize, Vec<Kind>)>>,
    /// Heads with numbers of processes.
    numbered: Vec<String>,
    /// Whether a name with numbers of processes may be made in two ways that do not agree.
    is_ambiguous: bool,
    gathered: HashMap<EventId, (&'a Gathering, Tree)>,
    /// By slot: the events that it takes together with others.
    of_slot: HashMap<usize, Vec<EventId>>,
    /// First parts of the names of events that are gathered.
    gathered_names: HashSet<&'a str>,
}

impl<'a> Events<'a> {
    pub(super) fn of(model: &'a Model, scheme: &'a Scheme) -> Events<'a> {
        let mut by_name = HashMap::new();
        for (at, event) in model.events.iter().enumerate() {
            if matches!(event.kind, EventKind::Visible | EventKind::Termination) {
                by_name.entry(event.name.as_str()).or_insert(EventId::from_index(at));
            }
        }
        let families =
            scheme.families.iter().map(|((of, count), kinds)| ((of.as_str(), *count), &kinds[..]));
        let mut events = Events {
            model,
            by_name,
            families: families.collect(),
            heads: HashMap::new(),
            numbered: Vec::new(),
            is_ambiguous: false,
            gathered: HashMap::new(),
            of_slot: HashMap::new(),
            gathered_names: HashSet::new(),
        };
        events.collect_heads(scheme);
        for (event, gathering) in &model.gatherings {
            events.gathered.insert(*event, (gathering, Tree::of(gathering, &|slot| slot)));
            let name = model.events[event.index()].name.as_str();
            events.gathered_names.extend(detect::first_parts(name));
        }
        for (&event, (_, tree)) in &events.gathered {
            let mut slots = Vec::new();
            tree.slots(&mut slots);
            for slot in slots {
                events.of_slot.entry(slot).or_default().push(event);
            }
        }
        events
    }

    fn collect_heads(&mut self, scheme: &Scheme) {
        let mut all: Vec<(String, Vec<Kind>)> = Vec::new();
        let mut has_messages = false;
        let mut met = HashSet::new();
        for edge in self.model.templates.iter().flat_map(detect::edges) {
            match &edge.label {
                Label::Event(_) => {}
                Label::Message => has_messages = true,
                Label::Data { family, values } => {
                    if met.insert((family.as_str(), values.len())) {
                        let kinds = self.kinds(family, values.len());
                        let kinds = kinds.map_or(vec![None; values.len()], <[Kind]>::to_vec);
                        let dot = if values.is_empty() { "" } else { "." };
                        all.push((format!("{family}{dot}"), kinds));
                    }
                }
            }
        }
        if has_messages {
            for (channel, kinds) in self.model.channels.iter().zip(&scheme.cells) {
                let Channel { name, .. } = channel;
                let dot = if kinds.is_empty() { "" } else { "." };
                for head in [format!("{name}{dot}"), format!("{name}!"), format!("{name}?")] {
                    all.push((head, kinds.clone()));
                }
            }
        }
        for (head, kinds) in all {
            let is_numbered = kinds.iter().any(Option::is_some);
            let known = self.heads.entry(head.clone()).or_default();
            match known.iter().find(|(count, _)| *count == kinds.len()) {
                Some((_, same)) => self.is_ambiguous |= *same != kinds,
                None => known.push((kinds.len(), kinds)),
            }
            if is_numbered {
                self.numbered.push(head);
            }
        }
        // `e.` with two values and `e.0.` with one make the same names.
        let is_digits = |rest: &str| {
            !rest.is_empty() && rest.chars().all(|it| it.is_ascii_digit() || it == '.' || it == '-')
        };
        for numbered in &self.numbered {
            self.is_ambiguous |= self.heads.keys().any(|other| {
                let longer = other.strip_prefix(numbered.as_str());
                let shorter = numbered.strip_prefix(other.as_str());
                longer.or(shorter).is_some_and(is_digits)
            });
        }
    }

    /// Kinds of the values behind a family; `None` if there are none.
    pub(super) fn kinds(&self, family: &str, count: usize) -> Option<&'a [Kind]> {
        self.families.get(&(family, count)).copied()
    }

    /// Whether there are events with numbers in their names that change.
    pub(super) fn carries(&self, numbers: &[HashMap<i64, i64>]) -> bool {
        let changes = |kind: &Kind| kind.is_some_and(|domain| !numbers[domain].is_empty());
        let heads = self.numbered.iter().filter_map(|head| self.heads.get(head)).flatten();
        heads.into_iter().any(|(_, kinds)| kinds.iter().any(changes))
    }

    /// Whether the event of an edge may be one that several take.
    fn may_gather(&self, edge: &Edge, hides: bool) -> bool {
        match &edge.label {
            Label::Event(event) => self.gathered.contains_key(event),
            Label::Data { family, .. } => hides || self.gathered_names.contains(family.as_str()),
            Label::Message => {
                let is_gathered =
                    |channel: &Channel| self.gathered_names.contains(channel.name.as_str());
                hides || self.model.channels.iter().any(is_gathered)
            }
        }
    }
}

/// Which event each event becomes; those that are not listed stay as they are.
pub(super) struct EventMap {
    kinds: Vec<EventKind>,
    after: HashMap<EventId, EventId>,
    before: HashMap<EventId, EventId>,
}

impl EventMap {
    pub(super) fn new(model: &Model) -> EventMap {
        let kinds = model.events.iter().map(|event| event.kind).collect();
        EventMap { kinds, after: HashMap::new(), before: HashMap::new() }
    }

    /// One event becomes the other, unless one of them is known to become, or come of, something else.
    pub(super) fn pair(&mut self, one: EventId, other: EventId) -> Same {
        same(self.kinds[one.index()] == self.kinds[other.index()])?;
        same(*self.after.entry(one).or_insert(other) == other)?;
        same(*self.before.entry(other).or_insert(one) == one)
    }

    fn of(&self, event: EventId) -> EventId {
        self.after.get(&event).copied().unwrap_or(event)
    }

    /// Those that become another one.
    fn changed(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        self.after.iter().map(|(&one, &other)| (one, other)).filter(|(one, other)| one != other)
    }
}

impl Check<'_> {
    /// Image of a name that may be made of values; `None` if it is not.
    fn name(&self, name: &str) -> Same<Option<String>> {
        let ends = name.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
        let mut found: Option<String> = None;
        for end in ends.chain([name.len()]) {
            let Some(heads) = self.of.events.heads.get(&name[..end]) else { continue };
            let rest = &name[end..];
            let values: Vec<&str> = match rest {
                "" => Vec::new(),
                _ => rest.split('.').collect(),
            };
            for (count, kinds) in heads {
                let number = |text: &&str| {
                    text.parse::<i64>().ok().filter(|number| number.to_string() == **text)
                };
                let numbers: Option<Vec<i64>> = values.iter().map(number).collect();
                let Some(numbers) = numbers.filter(|numbers| numbers.len() == *count) else {
                    continue;
                };
                let mut made = name[..end].to_owned();
                for (at, (value, &kind)) in numbers.iter().zip(kinds).enumerate() {
                    let dot = if at > 0 { "." } else { "" };
                    let _ = write!(made, "{dot}{}", self.after(kind, *value));
                }
                same(found.as_ref().is_none_or(|found| *found == made))?;
                found = Some(made);
            }
        }
        Ok(found)
    }

    /// The events that are hidden in a slot, and in the one that its process goes to.
    pub(super) fn renaming(&mut self, slot: usize) -> Same {
        let slots = &self.of.model.slots;
        let there = self.moved.of(slot);
        let (one, other) = (&slots[slot].renamed, &slots[there].renamed);
        if one.is_empty() && other.is_empty() {
            return Ok(());
        }
        let other: HashMap<&str, EventId> =
            other.iter().map(|(name, event)| (name.as_str(), *event)).collect();
        let one: HashMap<&str, EventId> =
            one.iter().map(|(name, event)| (name.as_str(), *event)).collect();
        same(one.len() == other.len())?;
        for (name, event) in one {
            let name = self.name(name)?.unwrap_or_else(|| name.to_owned());
            let there = other.get(name.as_str()).copied().ok_or(Differs)?;
            self.map.pair(event, there)?;
        }
        Ok(())
    }

    /// Whether the processes that move can take their parts in events of several in any order, since
    /// participants act in the order of their slots.
    fn gathers(&self) -> Same {
        let Events { gathered, of_slot, .. } = &self.of.events;
        let events: HashSet<EventId> =
            self.slots.iter().filter_map(|slot| of_slot.get(slot)).flatten().copied().collect();
        let mut taking = Vec::new();
        for event in events {
            gathered[&event].1.slots(&mut taking);
        }
        taking.sort_unstable();
        taking.dedup();
        let mut known = HashSet::new();
        for slot in taking {
            let is_moved = self.moved.of(slot) != slot;
            let hides = !self.of.model.slots[slot].renamed.is_empty();
            for variant in &self.of.layout.slots[slot].variants {
                if !known.insert((variant.template, hides, is_moved)) {
                    continue;
                }
                let mut edges = detect::edges(self.of.model.template(variant.template));
                same(edges.all(|edge| {
                    let is_free = match is_moved {
                        true => is_inner(edge),
                        false => !looks_at_processes(edge),
                    };
                    !self.of.events.may_gather(edge, hides) || !edge.hold && is_free
                }))?;
            }
        }
        Ok(())
    }

    /// Whether the map of events is a bijection that agrees with names, with who takes an event together, and
    /// with whose events they are said to be.
    pub(super) fn events(&mut self) -> Result<(), String> {
        let Events { model, by_name, gathered, of_slot, is_ambiguous, .. } = &self.of.events;
        let name = |event: EventId| model.events[event.index()].name.clone();
        self.gathers().map_err(|Differs| "an event that several take".to_owned())?;
        let carries = self.of.events.carries(&self.numbers);
        if carries {
            if *is_ambiguous {
                return Err("an event whose name can be made in two ways".to_owned());
            }
            for (text, &event) in by_name {
                let made = self.name(text).map_err(|Differs| name(event))?;
                let Some(made) = made else { continue };
                let there = by_name.get(made.as_str()).ok_or_else(|| name(event))?;
                self.map.pair(event, *there).map_err(|Differs| name(event))?;
            }
        }
        let changed: Vec<(EventId, EventId)> = self.map.changed().collect();
        for &(one, other) in &changed {
            same(self.map.after.contains_key(&other)).map_err(|Differs| name(one))?;
            // Events that are not seen are not found by name.
            if by_name.get(name(one).as_str()) == Some(&one) {
                let made = self.name(&name(one)).map_err(|Differs| name(one))?;
                let there = made.as_deref().map(|made| by_name.get(made));
                same(there.is_none_or(|there| there == Some(&other)))
                    .map_err(|Differs| name(one))?;
            }
        }
        let mut together: Vec<EventId> = changed.iter().map(|(event, _)| *event).collect();
        together.extend(self.slots.iter().filter_map(|slot| of_slot.get(slot)).flatten());
        together.sort_unstable();
        together.dedup();
        for event in together {
            let there = gathered.get(&self.map.of(event)).map(|(_, tree)| tree);
            let here = gathered.get(&event);
            let here = here.map(|(gathering, _)| Tree::of(gathering, &|slot| self.moved.of(slot)));
            same(here.as_ref() == there).map_err(|Differs| name(event))?;
        }
        // Runs are led back to the system by whose events they are, unless all names are left open.
        let mut owned: HashSet<EventId> = HashSet::new();
        for &slot in self.slots {
            let (here, there) = (&self.of.own[slot], &self.of.own[self.moved.of(slot)]);
            let mut both = here.iter().zip(there);
            let is_same = both.all(|(&one, &other)| self.map.of(one) == other);
            same(here.len() == there.len() && is_same)
                .map_err(|Differs| model.slots[slot].name.clone())?;
            owned.extend(here);
        }
        let lost = changed.iter().find(|(event, _)| !owned.contains(event));
        match lost.filter(|_| !carries) {
            Some((event, _)) => Err(name(*event)),
            None => Ok(()),
        }
    }

    /// Whether what is watched is the same.
    pub(super) fn watched(&mut self) -> Result<(), String> {
        let crate::watched::Watched { events, constraints, .. } = self.of.watched;
        // State propositions and values are both here.
        for atom in self.of.atoms {
            self.atom(atom).map_err(|Differs| "the property".to_owned())?;
        }
        for set in events {
            self.sets(set, set).map_err(|Differs| "the property".to_owned())?;
        }
        let mut after: HashMap<usize, usize> = HashMap::new();
        for &slot in self.slots {
            let [here, there] = [slot, self.moved.of(slot)].map(|slot| &self.of.families[slot]);
            same(here.len() == there.len())
                .map_err(|Differs| self.of.model.slots[slot].name.clone())?;
            after.extend(
                here.iter().zip(there).map(|(one, other)| (*one as usize, *other as usize)),
            );
        }
        for (at, constraint) in constraints.iter().enumerate() {
            let other = &constraints[after.get(&at).copied().unwrap_or(at)];
            self.constraint(constraint, other).map_err(|Differs| constraint.name.clone())?;
        }
        Ok(())
    }

    /// Whether one set of events becomes the other.
    fn sets(&self, one: &EventSet, other: &EventSet) -> Same {
        // Which numbers there are in names of events to come is not known.
        same(!self.of.events.carries(&self.numbers))?;
        if one == other {
            let signature = self.of.system.signature();
            let mut changed = one.members().iter().filter(|&&event| self.map.of(event) != event);
            return same(changed.all(|&event| one.contains(self.map.of(event), signature)));
        }
        same(!one.may_grow() && !other.may_grow())?;
        let mut after: Vec<EventId> = one.members().iter().map(|&it| self.map.of(it)).collect();
        after.sort_unstable();
        same(after == other.members())
    }

    fn constraint(&self, one: &Constraint, other: &Constraint) -> Same {
        let Constraint { name: _, strength, when, then } = one;
        let Constraint { name: _, strength: other_strength, when: other_when, then: other_then } =
            other;
        same(strength == other_strength)?;
        self.predicate(when, other_when)?;
        self.predicate(then, other_then)
    }

    fn predicate(&self, one: &Predicate, other: &Predicate) -> Same {
        match (one, other) {
            (Predicate::True, Predicate::True) => Ok(()),
            (Predicate::Enabled(one), Predicate::Enabled(other))
            | (Predicate::Disabled(one), Predicate::Disabled(other))
            | (Predicate::Ready(one), Predicate::Ready(other))
            | (Predicate::Taken(one), Predicate::Taken(other)) => self.selector(one, other),
            (Predicate::Step(one), Predicate::Step(other)) => self.step(one, other),
            (
                Predicate::True
                | Predicate::Enabled(_)
                | Predicate::Disabled(_)
                | Predicate::Ready(_)
                | Predicate::Taken(_)
                | Predicate::Step(_),
                _,
            ) => Err(Differs),
        }
    }

    fn selector(&self, one: &Selector, other: &Selector) -> Same {
        match (one, other) {
            (Selector::Process(one), Selector::Process(other)) => {
                same(self.moved.of(one.index()) == other.index())
            }
            (Selector::Events(one), Selector::Events(other)) => self.sets(one, other),
            (Selector::Part(process, one), Selector::Part(other_process, other)) => {
                same(self.moved.of(process.index()) == other_process.index())?;
                self.sets(one, other)
            }
            (Selector::Moves(one), Selector::Moves(other)) => {
                same(!self.of.events.carries(&self.numbers))?;
                let signature = self.of.system.signature();
                let key = |id: &MoveId, is_moved: bool| {
                    let of = &signature.moves[id.index()];
                    let part = self.of.system.part(*id)?;
                    let (slot, event) = match is_moved {
                        true => (self.moved.of(of.process.index()), self.map.of(of.event)),
                        false => (of.process.index(), of.event),
                    };
                    Some((slot, part.variant, part.location, part.edge, event))
                };
                let keys = |all: &[MoveId], is_moved: bool| {
                    let keys: Option<Vec<_>> = all.iter().map(|id| key(id, is_moved)).collect();
                    keys.map(|mut keys| {
                        keys.sort_unstable();
                        keys
                    })
                };
                let (one, other) = (keys(one, true), keys(other, false));
                same(one.is_some() && one == other)
            }
            (
                Selector::Process(_)
                | Selector::Events(_)
                | Selector::Moves(_)
                | Selector::Part(..),
                _,
            ) => Err(Differs),
        }
    }

    fn step(&self, one: &StepFormula, other: &StepFormula) -> Same {
        match (one, other) {
            (StepFormula::Event(one), StepFormula::Event(other)) => self.sets(one, other),
            // Its propositions are among those that are watched.
            (StepFormula::State(one), StepFormula::State(other)) => same(one == other),
            (StepFormula::Not(one), StepFormula::Not(other)) => self.step(one, other),
            (StepFormula::And(parts), StepFormula::And(others))
            | (StepFormula::Or(parts), StepFormula::Or(others)) => {
                same(parts.len() == others.len())?;
                parts.iter().zip(others).try_for_each(|(one, other)| self.step(one, other))
            }
            (
                StepFormula::Event(_)
                | StepFormula::State(_)
                | StepFormula::Not(_)
                | StepFormula::And(_)
                | StepFormula::Or(_),
                _,
            ) => Err(Differs),
        }
    }
}

/// Whether what an edge does depends on other processes, or starts some: then it matters whether it does so
/// before or after them.
fn looks_at_processes(edge: &Edge) -> bool {
    let looks = edge.any(&mut |expr| match expr {
        Expr::At { .. } | Expr::Executable(_) | Expr::Running | Expr::LastMover => true,
        Expr::Load(place) => {
            matches!(place.variable, fairly_model::AnyVariable::Remote { .. })
        }
        Expr::Const(_)
        | Expr::Received(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Conditional(_)
        | Expr::Checked { .. }
        | Expr::Channel(..)
        | Expr::Poll { .. }
        | Expr::Own
        | Expr::Timeout => false,
    });
    looks || starts(&edge.effect)
}

fn starts(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Start { .. } => true,
        StatementKind::If { condition: _, then, otherwise } => starts(then) || starts(otherwise),
        StatementKind::While { condition: _, body } => starts(body),
        StatementKind::Assign(_)
        | StatementKind::Assert { .. }
        | StatementKind::Put { .. }
        | StatementKind::Take { .. } => false,
    })
}
