//! Which process is started in which slot, where that can be told without exploring.
//!
//! Most models that start processes do so in one place: a first process starts all others, one after the other,
//! and no process moves in between. Then the process in a slot is always the same one, and so are the
//! parameters that it does not change: a ring of stations knows its channels.

use crate::expression::{AnyVariable, Expr, Place};
use crate::ids::TemplateId;
use crate::model::{Atomicity, Model};
use crate::process::{Communication, Statement, StatementKind, Target};
use crate::variable::Range;

/// The process that a slot is for, if it ever has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) template: TemplateId,
    /// The parameters that never change, with their values.
    pub(crate) constants: Vec<(usize, Range)>,
}

/// By slot, the process that is started there; `None` for slots of which nothing is known.
pub(crate) fn origins(model: &Model) -> Vec<Option<Origin>> {
    let mut origins = vec![None; model.slots.len()];
    let found = sites(model);
    if found.len() != all_sites(model) {
        return origins;
    }
    let mut taken: Vec<bool> = model.slots.iter().map(|slot| slot.start.is_some()).collect();
    for (template, arguments) in found {
        // As many processes as there are sites, and none leaves before the last is there.
        let free = |slot: &usize| !taken[*slot] && model.slots[*slot].templates.contains(&template);
        let Some(slot) = (0..taken.len()).find(free) else {
            return vec![None; model.slots.len()];
        };
        taken[slot] = true;
        origins[slot] = Some(Origin { template, constants: constants(model, template, arguments) });
    }
    origins
}

/// The places that start processes, in their order: those that the only process there is at first comes
/// to before anybody else moves, once.
fn sites(model: &Model) -> Vec<(TemplateId, &[Expr])> {
    let mut starts = model.slots.iter().filter_map(|slot| slot.start.as_ref());
    let (Some((first, _)), None) = (starts.next(), starts.next()) else { return Vec::new() };
    let template = model.template(*first);
    let edges = |at: usize| template.locations[at].edges.as_deref().unwrap_or(&[]);
    let mut ways_to = vec![0; template.locations.len()];
    for edge in template.locations.iter().flat_map(|location| location.edges.iter().flatten()) {
        if let Target::Location(target) = edge.target {
            ways_to[target.index()] += 1;
        }
    }
    let mut found = Vec::new();
    let mut at = 0;
    // Nothing leads to where it begins, and one edge to each location after that.
    let mut ways = 0;
    while ways_to[at] == ways
        && let [edge] = edges(at)
    {
        let is_certain = edge.guard == Expr::TRUE && edge.communication == Communication::None;
        if ways > 0 && !is_certain {
            break;
        }
        for statement in &edge.effect {
            if let StatementKind::Start { template, arguments, .. } = &statement.kind {
                found.push((*template, arguments.as_slice()));
            }
        }
        let (Target::Location(next), true) = (edge.target, edge.hold) else { break };
        if model.atomicity != Atomicity::Exclusive {
            break;
        }
        (at, ways) = (next.index(), 1);
    }
    found
}

/// How many places start processes, wherever they are.
fn all_sites(model: &Model) -> usize {
    let of = |template: &crate::Template| {
        let edges = template.locations.iter().flat_map(|location| location.edges.iter().flatten());
        let effects = edges.map(|edge| count(&edge.effect));
        effects.sum::<usize>() + count(&template.start)
    };
    model.templates.iter().map(of).sum()
}

fn count(statements: &[Statement]) -> usize {
    let of = |statement: &Statement| match &statement.kind {
        StatementKind::Start { .. } => 1,
        StatementKind::If { then, otherwise, .. } => count(then) + count(otherwise),
        StatementKind::While { body, .. } => count(body),
        _ => 0,
    };
    statements.iter().map(of).sum()
}

/// The parameters of a process that it never changes, and that are given numbers.
fn constants(model: &Model, template: TemplateId, arguments: &[Expr]) -> Vec<(usize, Range)> {
    let of = model.template(template);
    let edges = of.locations.iter().flat_map(|location| location.edges.iter().flatten());
    let statements = edges.map(|edge| edge.effect.as_slice()).chain([of.start.as_slice()]);
    let assigned: Vec<&Place> = statements.flat_map(assigned).collect();
    let is_assigned = |local: usize| {
        let mut places = assigned.iter();
        places.any(|it| matches!(it.variable, AnyVariable::Local(id) if id.index() == local))
    };
    let mut found = Vec::new();
    for (local, argument) in arguments.iter().enumerate().take(of.parameters as usize) {
        let Expr::Const(value) = *argument else { continue };
        let range = of.locals[local].range;
        if range.low <= value && value <= range.high && !is_assigned(local) {
            found.push((local, Range::new(value, value)));
        }
    }
    found
}

/// The places that statements assign.
pub(crate) fn assigned(statements: &[Statement]) -> Vec<&Place> {
    let mut all = Vec::new();
    for statement in statements {
        match &statement.kind {
            StatementKind::Assign(pairs) => all.extend(pairs.iter().map(|(place, _)| place)),
            StatementKind::If { then, otherwise, .. } => {
                all.extend(assigned(then));
                all.extend(assigned(otherwise));
            }
            StatementKind::While { body, .. } => all.extend(assigned(body)),
            StatementKind::Start { slot, .. } => all.extend(slot),
            StatementKind::Take { into, .. } => all.extend(into.iter().flatten()),
            StatementKind::Assert { .. } | StatementKind::Put { .. } => {}
        }
    }
    all
}
