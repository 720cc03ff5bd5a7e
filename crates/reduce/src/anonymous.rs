//! Whether anyone can tell in which slot a process is.
//!
//! A process that is started gets the first free slot, and leaves it when it has ended and all slots behind it
//! are free. So the order in which processes are started and end decides who is where, and how many have ended
//! but are still there. Where neither can be told, states are the same that differ in nothing else: starting a
//! process is independent of what others do, and a process that has come to its end is as good as gone.
//! `docs/papers.md` has the argument (*Processes that come and go*).
//!
//! Slots can be told apart by everything that depends on one: numbers of processes, their count, locations and
//! variables of others, the last and the next process to move; channels that belong to a slot; and constraints
//! and events, which belong to processes.

use fairly_model::{
    AnyVariable, Communication, Edge, Exit, Expr, Label, Layout, Model, Place, StatementKind,
    Target, TemplateId,
};

use crate::of_model::each;
use crate::watched::Watched;

/// Whether slots of processes cannot be told apart: neither by the model, nor by the watched expressions.
pub(crate) fn are_anonymous(
    model: &Model,
    layout: &Layout,
    watched: &Watched,
    seen: &[Expr],
) -> bool {
    let (started, says_who) = started(model);
    let locations = || model.templates.iter().flat_map(|template| &template.locations);
    !started.is_empty()
        && !says_who
        && model.exit == Exit::LastFirst
        && model.gatherings.is_empty()
        && watched.constraints.is_empty()
        && watched.events.is_empty()
        && !seen.iter().any(|expr| expr.any(&mut tells))
        && !model.any_step_expression(&mut tells)
        && locations().all(|location| ends_plainly(location.edges.as_deref().unwrap_or_default()))
        // The first process goes last, so that its channels and variables are not missed.
        && model.channels.iter().all(|channel| {
            channel.owner.is_none_or(|(slot, template)| {
                slot.index() == 0 && !started.contains(&template)
            })
        })
        && is_stack(model, layout, &started)
}

/// Whether an expression depends on slots.
fn tells(expr: &Expr) -> bool {
    match expr {
        Expr::Own
        | Expr::Running
        | Expr::LastMover
        | Expr::At { .. }
        | Expr::Executable(_)
        | Expr::Load(Place { variable: AnyVariable::Remote { .. }, .. }) => true,
        Expr::Const(_)
        | Expr::Load(_)
        | Expr::Received(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Conditional(_)
        | Expr::Checked { .. }
        | Expr::Channel(..)
        | Expr::Poll { .. }
        | Expr::Timeout => false,
    }
}

/// Whether a process that may end here can do nothing else, and does nothing else in that step.
fn ends_plainly(edges: &[Edge]) -> bool {
    edges.iter().all(|edge| {
        edge.target != Target::Exit
            || edges.len() == 1
                && edge.guard == Expr::TRUE
                && edge.communication == Communication::None
                && edge.effect.is_empty()
                && matches!(edge.label, Label::Event(_))
    })
}

/// The templates of processes that are started by others; whether one who does so learns the number.
fn started(model: &Model) -> (Vec<TemplateId>, bool) {
    let (mut found, mut says_who) = (Vec::new(), false);
    let mut note = |kind: &StatementKind| {
        if let StatementKind::Start { template, slot, .. } = kind {
            found.push(*template);
            says_who |= slot.is_some();
        }
    };
    for template in &model.templates {
        each(&template.start, &mut note);
        let edges = template.locations.iter().flat_map(|location| location.edges.iter().flatten());
        edges.for_each(|edge| each(&edge.effect, &mut note));
    }
    found.sort_unstable();
    found.dedup();
    (found, says_who)
}

/// Whether all slots that processes are started in are alike, and come behind all others. A slot need not have room
/// for a process that no run starts there: only runs of the system are ever compared.
fn is_stack(model: &Model, layout: &Layout, started: &[TemplateId]) -> bool {
    let holds = |slot: usize| {
        layout.slots[slot].variants.iter().any(|variant| started.contains(&variant.template))
    };
    let Some(first) = (0..layout.slots.len()).find(|&slot| holds(slot)) else { return false };
    let shape = |slot: usize, template: TemplateId| {
        let of = layout.slots[slot].variants.iter().find(|it| it.template == template)?;
        Some(of.locals.iter().map(|it| (it.base, it.width, it.length)).collect::<Vec<_>>())
    };
    let begin = model.slots.iter().position(|slot| slot.start.is_none());
    let begin = begin.unwrap_or(model.slots.len());
    model.slots[begin..].iter().all(|slot| slot.start.is_none())
        && started.iter().all(|&template| {
            let mut shapes = (first..layout.slots.len()).filter_map(|it| shape(it, template));
            let same = shapes.next();
            same.is_none_or(|same| shapes.all(|shape| shape == same))
        })
}
