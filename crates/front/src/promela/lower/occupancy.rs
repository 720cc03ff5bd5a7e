//! Which proctypes can be in which slot, found by following only what starts and ends processes.
//!
//! The processes that are there form a stack: a new one is put on top, and one at its end leaves when all above
//! it have left. An abstract state is such a stack, where a process is known by its proctype and by the last
//! place at which it started another one. Data is left out, so every place that control can reach is taken to
//! be reached; all stacks of real runs are among those that are found. Where a process holds control in an
//! atomic sequence, and nothing on the way to its next `run` can block, nothing moves in between: so
//! `atomic { run A(); run B() }` has `A` in one slot and `B` in the next, also if `A` can end.

use std::rc::Rc;

use fairly_model::TemplateId;
use hashbrown::HashSet;

use super::flow::{ElementId, Node};
use super::processes::{Lowering, Process};
use crate::promela::ast::{ExprKind, StmtKind};
use crate::promela::finish::{certain_run, expressions, runs};

/// How many entries the stacks that are followed may have together.
const MOST_ENTRIES: usize = 200_000;

/// Where a process is: at its start, or behind a place that starts others.
type Position = u16;

/// A process in a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    template: TemplateId,
    position: Position,
}

/// The processes that are there, and which of them holds control.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stack {
    entries: Rc<[Entry]>,
    holder: Option<u16>,
}

/// A place that starts a process.
#[derive(Clone, Copy, Debug)]
struct Site {
    location: ElementId,
    step: usize,
    starts: TemplateId,
    target: Option<ElementId>,
    atomic: bool,
}

/// Futures of a position.
#[derive(Clone, Debug, Default)]
struct Future {
    /// The sites that can be reached before any other.
    sites: Vec<usize>,
    /// The sites that are reached while control is held.
    held: Vec<usize>,
    /// Whether control can be given away before another site.
    released: bool,
    /// Whether the end can be reached before another site.
    ends: bool,
}

/// The statements that start and end processes of a proctype.
struct Outline {
    sites: Vec<Site>,
    /// By position: the start, then each site.
    futures: Vec<Future>,
}

/// By slot, the proctypes that can be in it; as many slots as can be taken, but not more than `room`. None if
/// there is too much to follow.
pub(super) fn occupancy(
    lowering: &Lowering<'_>,
    initial: &[TemplateId],
    room: usize,
) -> Option<Vec<Vec<TemplateId>>> {
    let holds = |process: &Process<'_>| {
        // Who may be kept from moving gives control away at any time.
        !lowering.gives_priorities && process.of.provided.is_none()
    };
    let outlines = lowering.processes.iter().map(|process| outline(process, holds(process)));
    let outlines: Vec<Outline> = outlines.collect::<Option<_>>()?;
    let mut found: Vec<Vec<TemplateId>> = Vec::new();
    let mut seen: HashSet<Stack> = HashSet::new();
    let start = |&template: &TemplateId| Entry { template, position: 0 };
    let first = Stack { entries: initial.iter().map(start).collect(), holder: None };
    let mut open = vec![first];
    let mut entries = 0;
    while let Some(stack) = open.pop() {
        if seen.contains(&stack) {
            continue;
        }
        entries += stack.entries.len() + 1;
        if entries > MOST_ENTRIES {
            return None;
        }
        seen.insert(stack.clone());
        for (slot, entry) in stack.entries.iter().enumerate() {
            if found.len() <= slot {
                found.push(Vec::new());
            }
            if !found[slot].contains(&entry.template) {
                found[slot].push(entry.template);
            }
        }
        successors(&stack, &outlines, room, &mut open);
    }
    Some(found)
}

fn successors(stack: &Stack, outlines: &[Outline], room: usize, out: &mut Vec<Stack>) {
    let entries = &stack.entries;
    let fire = |at: usize, site: usize, out: &mut Vec<Stack>| {
        if entries.len() >= room {
            // There is no room for it, and the run ends with that.
            return;
        }
        let of = outlines[entries[at].template.index()].sites[site];
        let mut next: Vec<Entry> = entries.to_vec();
        next[at].position = position(site);
        next.push(Entry { template: of.starts, position: 0 });
        let holder = of.atomic.then_some(at as u16);
        out.push(Stack { entries: next.into(), holder });
    };
    let future = |at: usize| {
        let Entry { template, position } = entries[at];
        &outlines[template.index()].futures[usize::from(position)]
    };
    if let Some(holder) = stack.holder {
        let at = usize::from(holder);
        let of = future(at);
        of.held.iter().for_each(|&site| fire(at, site, out));
        if of.released {
            out.push(Stack { entries: entries.clone(), holder: None });
        }
        return;
    }
    for at in 0..entries.len() {
        future(at).sites.iter().for_each(|&site| fire(at, site, out));
    }
    if let Some(top) = entries.len().checked_sub(1).filter(|&top| future(top).ends) {
        out.push(Stack { entries: entries[..top].into(), holder: None });
    }
}

/// The position behind a site.
fn position(site: usize) -> Position {
    // `outline` sees that there are not more.
    (site + 1) as Position
}

/// Outline of a proctype; `None` if a statement starts several processes, or perhaps none.
fn outline(process: &Process<'_>, holds: bool) -> Option<Outline> {
    let mut sites: Vec<Site> = Vec::new();
    for &location in &process.locations {
        for (at, step) in process.machine.steps[location].iter().enumerate() {
            let Node::Basic(stmt) = process.flow.elements[step.element].node else { continue };
            let started = runs(stmt);
            let Some(run) = started.first() else { continue };
            let is_certain = expressions(stmt).into_iter().any(|it| certain_run(it).is_some());
            if started.len() > 1 || !is_certain {
                return None;
            }
            let starts = TemplateId::from_index(run.proctype.index());
            let (target, atomic) = (step.target, step.atomic && holds);
            sites.push(Site { location, step: at, starts, target, atomic });
        }
    }
    if sites.len() >= usize::from(Position::MAX) {
        return None;
    }
    let mut futures = vec![future(process, &sites, Some(process.machine.start), false)];
    futures.extend(sites.iter().map(|site| future(process, &sites, site.target, site.atomic)));
    Some(Outline { sites, futures })
}

/// Futures of a place.
fn future(process: &Process<'_>, sites: &[Site], from: Option<ElementId>, is_held: bool) -> Future {
    let mut future = Future::default();
    let count = process.flow.elements.len();
    // By location: whether it was met, and whether it was met while control is held.
    let mut seen = vec![[false; 2]; count];
    let mut open = Vec::new();
    match from {
        Some(from) => open.push((from, is_held)),
        None => (future.ends, future.released) = (true, true),
    }
    while let Some((location, held)) = open.pop() {
        if std::mem::replace(&mut seen[location][usize::from(held)], true) {
            continue;
        }
        if matches!(process.flow.elements[location].node, Node::End) {
            (future.ends, future.released) = (true, true);
        }
        if held && may_block(process, location) {
            future.released = true;
            open.push((location, false));
        }
        for (at, step) in process.machine.steps[location].iter().enumerate() {
            let is_site = |site: &Site| (site.location, site.step) == (location, at);
            if let Some(site) = sites.iter().position(is_site) {
                let list = if held { &mut future.held } else { &mut future.sites };
                if !list.contains(&site) {
                    list.push(site);
                }
                continue;
            }
            let still = held && step.atomic && keeps_control(process, step.element);
            future.released |= held && !still;
            match step.target {
                Some(target) => open.push((target, still)),
                None => (future.ends, future.released) = (true, true),
            }
        }
    }
    // The process that holds control may have given it away before any of these.
    for &site in &future.held {
        if !future.sites.contains(&site) {
            future.sites.push(site);
        }
    }
    future
}

/// Whether a process may have to wait there: none of its steps is always possible.
fn may_block(process: &Process<'_>, location: ElementId) -> bool {
    let steps = &process.machine.steps[location];
    !steps.iter().any(|step| match process.flow.elements[step.element].node {
        Node::Else | Node::Skip => true,
        Node::Basic(stmt) => match &stmt.kind {
            StmtKind::Assign(..)
            | StmtKind::Assert(_)
            | StmtKind::Declare(..)
            | StmtKind::Printf(..)
            | StmtKind::Printm(_) => true,
            StmtKind::Condition(expr) => {
                matches!(expr.kind, ExprKind::Number(value) if value != 0)
                    || matches!(expr.kind, ExprKind::Run(_))
            }
            _ => false,
        },
        _ => false,
    })
}

/// Whether a statement leaves control where it is; a rendezvous hands it over.
fn keeps_control(process: &Process<'_>, element: ElementId) -> bool {
    match process.flow.elements[element].node {
        Node::Else | Node::Skip => true,
        Node::Basic(stmt) => matches!(
            stmt.kind,
            StmtKind::Assign(..)
                | StmtKind::Assert(_)
                | StmtKind::Declare(..)
                | StmtKind::Printf(..)
                | StmtKind::Printm(_)
                | StmtKind::Condition(_)
        ),
        _ => false,
    }
}
