//! Arguments of started processes, found by following the process that starts them.
//!
//! A process gets the first free slot that can hold it. Most models have one process that starts all others, in a
//! loop or one after the other: `run node(q[i], q[(i + 1) % N])`. Here that process is followed alone, with the
//! variables that the arguments are computed from; everything else is unknown, and so is what others do. That gives
//! more processes and arguments than there can be, never fewer.
//!
//! `known.rs` goes on from there: it knows nothing of the order of steps, and so could not tell the rounds of a loop
//! apart.

use std::collections::BTreeMap;

use fairly_model::{
    AnyVariable, Atomicity, BinaryOp, Communication, Edge, Exit, Expr, Model, Place, Statement,
    StatementKind, Storage, Target, TemplateId, UnaryOp, Variable,
};
use fairly_omega::Stop;
use hashbrown::HashSet;

use crate::of_model::each;

/// A process that may be started: its slot, its kind, and its arguments as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Begun {
    pub(crate) slot: usize,
    pub(crate) template: TemplateId,
    pub(crate) arguments: Vec<Option<i64>>,
}

/// Statements that are followed at the most. Beyond that less is tracked.
const WORK: usize = 20_000;
/// Longer arrays are not tracked.
const MOST_CELLS: usize = 64;

/// The processes that may be started, if one process starts all of them and is itself never started. `kinds` has,
/// by slot, the kinds of process that the layout has room for.
pub(crate) fn follow(
    model: &Model,
    kinds: &[Vec<TemplateId>],
    stop: Stop,
) -> Option<HashSet<Begun>> {
    let (template, slot) = only_starter(model)?;
    // Without arrays there are fewer ways to go, and nothing to track leaves those of the locations.
    [Tracks::Everything, Tracks::Scalars, Tracks::Nothing].into_iter().find_map(|tracks| {
        let mut walk = Walk::new(model, kinds, (template, slot), tracks);
        walk.run_all(stop).map(|()| walk.begun)
    })
}

/// The kind and the slot of the process that starts all others.
fn only_starter(model: &Model) -> Option<(TemplateId, usize)> {
    let mut starters = HashSet::new();
    let mut started = HashSet::new();
    for (at, template) in model.templates.iter().enumerate() {
        let mut note = |statements: &[Statement]| {
            each(statements, &mut |kind| {
                if let StatementKind::Start { template, .. } = kind {
                    starters.insert(TemplateId::from_index(at));
                    started.insert(*template);
                }
            });
        };
        note(&template.start);
        edges_of(template).for_each(|edge| note(&edge.effect));
    }
    let starter = *starters.iter().next().filter(|_| starters.len() == 1)?;
    let mut slots = (0..).zip(&model.slots).filter(|(_, slot)| {
        let of = slot.start.as_ref().map(|start| start.0);
        of == Some(starter)
    });
    let (slot, _) = slots.next()?;
    let alone = slots.next().is_none() && !started.contains(&starter);
    (alone && model.template(starter).start.is_empty()).then_some((starter, slot))
}

fn edges_of(template: &fairly_model::Template) -> impl Iterator<Item = &Edge> {
    template.locations.iter().filter_map(|location| location.edges.as_ref()).flatten()
}

/// Variables whose values are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tracks {
    /// All that the arguments are computed from.
    Everything,
    /// Of these, the ones that are no arrays.
    Scalars,
    Nothing,
}

/// A variable of the model or of the process that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Global(usize),
    Local(usize),
}

fn name(place: &Place) -> Option<Name> {
    match &place.variable {
        AnyVariable::Global(id) => Some(Name::Global(id.index())),
        AnyVariable::Local(id) => Some(Name::Local(id.index())),
        AnyVariable::Remote { .. } => None,
    }
}

/// Whether a process is in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Taken {
    No,
    Perhaps,
    Yes,
}

/// A situation of the process that is followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Situation {
    location: usize,
    /// The tracked variables; `None` for a value that is not known.
    cells: Vec<Option<i64>>,
    slots: Vec<Taken>,
}

struct Walk<'m> {
    model: &'m Model,
    kinds: &'m [Vec<TemplateId>],
    template: TemplateId,
    slot: usize,
    /// Where tracked variables are among the cells.
    places: BTreeMap<Name, usize>,
    begun: HashSet<Begun>,
    work: usize,
}

impl<'m> Walk<'m> {
    fn new(
        model: &'m Model,
        kinds: &'m [Vec<TemplateId>],
        (template, slot): (TemplateId, usize),
        tracks: Tracks,
    ) -> Walk<'m> {
        let mut walk = Walk {
            model,
            kinds,
            template,
            slot,
            places: BTreeMap::new(),
            begun: HashSet::new(),
            work: WORK,
        };
        let mut next = 0;
        for name in walk.sources(tracks) {
            walk.places.insert(name, next);
            next += walk.variable(name).cells();
        }
        walk
    }

    fn variable(&self, name: Name) -> &'m Variable {
        match name {
            Name::Global(at) => &self.model.variables[at],
            Name::Local(at) => &self.model.template(self.template).locals[at],
        }
    }

    /// The variables that arguments are computed from, those apart that other processes assign.
    fn sources(&self, tracks: Tracks) -> Vec<Name> {
        if tracks == Tracks::Nothing {
            return Vec::new();
        }
        let mut foreign: HashSet<usize> = HashSet::new();
        for (at, template) in self.model.templates.iter().enumerate() {
            let mut note = |statements: &[Statement]| {
                assigned(statements, &mut |place, _| {
                    if let Some(Name::Global(at)) = name(place) {
                        foreign.insert(at);
                    }
                });
            };
            note(&template.start);
            if at != self.template.index() {
                edges_of(template).for_each(|edge| note(&edge.effect));
            }
        }
        let is_tracked = |name: Name| {
            let is_own = !matches!(name, Name::Global(at) if foreign.contains(&at));
            let most = if tracks == Tracks::Everything { MOST_CELLS } else { 1 };
            is_own && self.variable(name).cells() <= most
        };
        let mut found: Vec<Name> = Vec::new();
        let note = |expr: &Expr, found: &mut Vec<Name>| {
            expr.any(&mut |part| {
                if let Expr::Load(place) = part
                    && let Some(name) = name(place)
                    && is_tracked(name)
                    && !found.contains(&name)
                {
                    found.push(name);
                }
                false
            });
        };
        let own = || edges_of(self.model.template(self.template));
        for edge in own() {
            each(&edge.effect, &mut |kind| {
                if let StatementKind::Start { arguments, .. } = kind {
                    arguments.iter().for_each(|argument| note(argument, &mut found));
                }
            });
        }
        let mut at = 0;
        while at < found.len() {
            let wanted = found[at];
            for edge in own() {
                assigned(&edge.effect, &mut |place, value| {
                    if name(place) == Some(wanted) {
                        place.index.iter().for_each(|index| note(index, &mut found));
                        value.iter().for_each(|value| note(value, &mut found));
                    }
                });
            }
            at += 1;
        }
        found.sort_unstable();
        let mut cells = 0;
        found.retain(|&name| {
            cells += self.variable(name).cells();
            cells <= 4 * MOST_CELLS
        });
        found
    }

    /// Follows the process wherever it may go, if that is not too far.
    fn run_all(&mut self, stop: Stop) -> Option<()> {
        let mut cells = Vec::new();
        for &name in self.places.keys() {
            let variable = self.variable(name);
            let initial = variable.initial.iter().copied().chain(std::iter::repeat(0));
            cells.extend(initial.take(variable.cells()).map(Some));
        }
        if let Some((_, arguments)) = &self.model.slots[self.slot].start {
            for (local, &argument) in arguments.iter().enumerate() {
                if let Some(&place) = self.places.get(&Name::Local(local)) {
                    cells[place] = Some(argument);
                }
            }
        }
        let taken = |slot: &fairly_model::Slot| match slot.start {
            Some(_) => Taken::Yes,
            None => Taken::No,
        };
        let slots = self.model.slots.iter().map(taken).collect();
        // Others may move before the first step.
        let first = self.after_others(Situation { location: 0, cells, slots });
        let mut met: HashSet<Situation> = HashSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if stop.is_due() {
                return None;
            }
            for next in self.steps(&at)? {
                if met.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Some(())
    }

    /// Situations with more variables cost more.
    fn spend(&mut self, at: &Situation) -> Option<()> {
        self.work = self.work.checked_sub(1 + at.cells.len() / 16)?;
        Some(())
    }

    fn steps(&mut self, at: &Situation) -> Option<Vec<Situation>> {
        let model = self.model;
        let locations = &model.template(self.template).locations;
        let edges = locations[at.location].edges.as_deref()?;
        let sure = edges.iter().filter(|edge| self.is_sure(edge, at)).map(|edge| edge.rank).min();
        let mut found = Vec::new();
        for edge in edges {
            self.spend(at)?;
            let hindered = sure.is_some_and(|rank| rank < edge.rank);
            if hindered || self.value(&edge.guard, at) == Some(0) {
                continue;
            }
            // After its end it starts nothing.
            let Target::Location(target) = edge.target else { continue };
            for mut next in self.effect(&edge.effect, vec![at.clone()])? {
                next.location = target.index();
                for (&name, &place) in &self.places {
                    let variable = self.variable(name);
                    if variable.storage == Storage::Scratch {
                        let initial = variable.initial.iter().copied().chain(std::iter::repeat(0));
                        let cells = next.cells[place..].iter_mut().take(variable.cells());
                        cells.zip(initial).for_each(|(cell, value)| *cell = Some(value));
                    }
                }
                let goes_on = model.atomicity == Atomicity::Exclusive
                    && edge.hold
                    && edge.communication == Communication::None
                    && locations[next.location]
                        .edges
                        .iter()
                        .flatten()
                        .any(|edge| self.is_sure(edge, &next));
                found.push(if goes_on { next } else { self.after_others(next) });
            }
        }
        Some(found)
    }

    /// Whether an edge, or one that goes before it, can certainly be taken.
    fn is_sure(&self, edge: &Edge, at: &Situation) -> bool {
        self.model.gatherings.is_empty()
            && edge.communication == Communication::None
            && edge.target != Target::Exit
            && self.value(&edge.guard, at).is_some_and(|value| value != 0)
    }

    /// The situation after other processes have moved as they like: those that can end may have left.
    fn after_others(&self, mut at: Situation) -> Situation {
        let mut stays_behind = false;
        for slot in (0..at.slots.len()).rev() {
            if at.slots[slot] != Taken::Yes {
                continue;
            }
            let can_exit = self.kinds[slot].iter().any(|&kind| {
                edges_of(self.model.template(kind)).any(|edge| edge.target == Target::Exit)
            });
            let waits = self.model.exit == Exit::LastFirst && stays_behind;
            match slot != self.slot && can_exit && !waits {
                true => at.slots[slot] = Taken::Perhaps,
                false => stays_behind = true,
            }
        }
        at
    }

    /// Situations after statements.
    fn effect(
        &mut self,
        statements: &'m [Statement],
        mut all: Vec<Situation>,
    ) -> Option<Vec<Situation>> {
        for statement in statements {
            let before = std::mem::take(&mut all);
            for at in before {
                self.spend(&at)?;
                self.statement(&statement.kind, at, &mut all)?;
            }
        }
        Some(all)
    }

    fn statement(
        &mut self,
        kind: &'m StatementKind,
        mut at: Situation,
        out: &mut Vec<Situation>,
    ) -> Option<()> {
        match kind {
            StatementKind::Assign(pairs) => {
                let values: Vec<Option<i64>> =
                    pairs.iter().map(|(_, value)| self.value(value, &at)).collect();
                for ((place, _), value) in pairs.iter().zip(values) {
                    self.store(place, value, &mut at);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let value = self.value(condition, &at);
                if value != Some(0) {
                    out.extend(self.effect(then, vec![at.clone()])?);
                }
                if value.is_none_or(|value| value == 0) {
                    out.extend(self.effect(otherwise, vec![at])?);
                }
                return Some(());
            }
            StatementKind::While { condition, body } => {
                let mut inside = vec![at];
                while let Some(at) = inside.pop() {
                    self.spend(&at)?;
                    match self.value(condition, &at)? {
                        0 => out.push(at),
                        _ => inside.extend(self.effect(body, vec![at])?),
                    }
                }
                return Some(());
            }
            StatementKind::Start { template, arguments, slot } => {
                if !self.begin(*template, arguments, &mut at) {
                    return Some(());
                }
                slot.iter().for_each(|place| self.store(place, None, &mut at));
            }
            StatementKind::Take { into, .. } => {
                into.iter().flatten().for_each(|place| self.store(place, None, &mut at));
            }
            StatementKind::Assert { .. } | StatementKind::Put { .. } => {}
        }
        out.push(at);
        Some(())
    }

    /// Notes a process that is started; whether there may be room for it.
    fn begin(&mut self, template: TemplateId, arguments: &[Expr], at: &mut Situation) -> bool {
        let mut candidates = Vec::new();
        for slot in 0..at.slots.len() {
            if !self.kinds[slot].contains(&template) || at.slots[slot] == Taken::Yes {
                continue;
            }
            candidates.push(slot);
            if at.slots[slot] == Taken::No {
                break;
            }
        }
        let parameters = &self.model.template(template).locals;
        let values: Vec<Option<i64>> = arguments
            .iter()
            .zip(parameters)
            .map(|(argument, parameter)| {
                self.value(argument, at).filter(|&value| parameter.range.contains(value))
            })
            .collect();
        for &slot in &candidates {
            let arguments = values.clone();
            self.begun.insert(Begun { slot, template, arguments });
            at.slots[slot] = if candidates.len() == 1 { Taken::Yes } else { Taken::Perhaps };
        }
        !candidates.is_empty()
    }

    fn store(&self, place: &Place, value: Option<i64>, at: &mut Situation) {
        let Some(&first) = name(place).and_then(|name| self.places.get(&name)) else { return };
        let variable = name(place).map(|name| self.variable(name)).expect("a tracked variable");
        // A value outside the range is not followed.
        let value = value.filter(|&value| variable.range.contains(value));
        let index = place.index.as_ref().map_or(Some(0), |index| self.value(index, at));
        match index.map(usize::try_from) {
            Some(Ok(index)) if index < variable.cells() => at.cells[first + index] = value,
            // An index outside the array is an error, after which nothing comes.
            Some(_) => {}
            None => at.cells[first..first + variable.cells()].fill(None),
        }
    }

    /// The value of an expression, if it is known.
    fn value(&self, expr: &Expr, at: &Situation) -> Option<i64> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Own => i64::try_from(self.slot).ok(),
            Expr::Load(place) => {
                let name = name(place)?;
                let first = *self.places.get(&name)?;
                let index = match &place.index {
                    Some(index) => usize::try_from(self.value(index, at)?).ok()?,
                    None => 0,
                };
                let cells = &at.cells[first..first + self.variable(name).cells()];
                cells.get(index).copied().flatten()
            }
            Expr::Unary(op, operand) => unary(*op, self.value(operand, at)?),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), sides) => {
                let decides = |value: i64| (value != 0) == (*op == BinaryOp::Or);
                match self.value(&sides.0, at) {
                    Some(left) if decides(left) => Some(i64::from(left != 0)),
                    left => op.apply(left?, self.value(&sides.1, at)?),
                }
            }
            Expr::Binary(op, sides) => {
                op.apply(self.value(&sides.0, at)?, self.value(&sides.1, at)?)
            }
            Expr::Conditional(parts) => match self.value(&parts.0, at)? {
                0 => self.value(&parts.2, at),
                _ => self.value(&parts.1, at),
            },
            Expr::Checked { index, length } => {
                self.value(index, at).filter(|index| (0..i64::from(*length)).contains(index))
            }
            Expr::Received(_)
            | Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Running
            | Expr::LastMover
            | Expr::Timeout
            | Expr::Executable(_) => None,
        }
    }
}

/// The result of an operator with one operand, if it has one.
pub(crate) fn unary(op: UnaryOp, value: i64) -> Option<i64> {
    match op {
        UnaryOp::Not => Some(i64::from(value == 0)),
        UnaryOp::Negate => value.checked_neg(),
        UnaryOp::Complement => Some(!value),
        // Other values are cut to 32 bits, which is not needed here.
        UnaryOp::Int => i32::try_from(value).ok().map(i64::from),
    }
}

/// Calls for every place that statements assign, with the value where it is an expression.
pub(crate) fn assigned<'a>(
    statements: &'a [Statement],
    visit: &mut dyn FnMut(&'a Place, Option<&'a Expr>),
) {
    each(statements, &mut |kind| match kind {
        StatementKind::Assign(pairs) => {
            pairs.iter().for_each(|(place, value)| visit(place, Some(value)));
        }
        StatementKind::Start { slot: Some(place), .. } => visit(place, None),
        StatementKind::Take { into, .. } => {
            into.iter().flatten().for_each(|place| visit(place, None));
        }
        _ => {}
    });
}
