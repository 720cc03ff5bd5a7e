//! Where processes can be: how many slots there are, and what can be in each.
//!
//! Processes are numbered as they are created and die in the opposite order, so those that are
//! there always have the first slots. How many there can be is worked out from the places that start
//! them: a place that is passed at most once in the life of a process starts at most one for each
//! such process.

use fairly_model::TemplateId;

use super::Lower;
use super::flow::{ElementId, Node};
use super::occupancy::occupancy;
use super::processes::{Lowering, Process};
use crate::promela::ast::{ProcessKind, ProctypeId};
use crate::promela::finish::runs;

/// A slot.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) name: String,
    /// Templates that can be in it.
    pub(super) templates: Vec<TemplateId>,
    /// The template that is in it at first.
    pub(super) start: Option<TemplateId>,
}

/// How many proctypes the name of a slot lists.
const MOST_NAMED: usize = 3;

/// SPIN has room for so many processes.
const MOST: u64 = 255;

/// How often a step is taken in the life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Often {
    Once,
    Unknown,
}

/// A place that starts a process.
#[derive(Clone, Copy, Debug)]
struct Site {
    starts: ProctypeId,
    often: Often,
}

/// The slots of a model.
pub(super) fn plan(lowering: &Lowering<'_>) -> Lower<Vec<Plan>> {
    let processes = &lowering.processes;
    let mut initial: Vec<TemplateId> = Vec::new();
    for (at, process) in processes.iter().enumerate() {
        let count = match process.of.kind {
            ProcessKind::Proctype { active, .. } => active,
            ProcessKind::Init => 1,
            _ => 0,
        };
        let template = TemplateId::from_index(at);
        initial.extend(std::iter::repeat_n(template, count as usize));
    }
    let sites: Vec<Vec<Site>> = processes.iter().map(sites).collect();
    let counts = counts(&initial, &sites);
    let started: Vec<TemplateId> =
        (0..processes.len()).filter(|&at| counts[at].started).map(TemplateId::from_index).collect();
    let bound = counts.iter().try_fold(0_u64, |sum, count| Some(sum.saturating_add(count.most?)));
    let room = u64::from(lowering.options.processes).max(initial.len() as u64).min(MOST);
    let total = match bound {
        Some(bound) if bound <= MOST => bound,
        _ if started.is_empty() => initial.len() as u64,
        _ => room,
    };
    let limit = usize::try_from(total).unwrap_or(0);
    let found = occupancy(lowering, &initial, limit);
    let total = found.as_ref().map_or(limit, Vec::len);
    // A slot that has been left can be used again, but only if all behind it have been left too.
    let can_end = |template: TemplateId| {
        let process = &processes[template.index()];
        process.locations.iter().any(|&at| matches!(process.flow.elements[at].node, Node::End))
    };
    let kept = initial.iter().rposition(|&template| !can_end(template)).map_or(0, |at| at + 1);
    let mut plans = Vec::new();
    for at in 0..total {
        let start = initial.get(at).copied();
        let mut templates: Vec<TemplateId> = start.into_iter().collect();
        // A process must be before it to start another.
        if at >= kept && at > 0 {
            let is_found = |template: &TemplateId| {
                found.as_ref().is_none_or(|found| found[at].contains(template))
            };
            let others = started.iter().filter(|&other| Some(*other) != start && is_found(other));
            templates.extend(others);
        }
        let names: Vec<&str> =
            templates.iter().map(|it| processes[it.index()].of.name.as_str()).collect();
        let name = match names.len() {
            1..=MOST_NAMED => format!("{}[{at}]", names.join("|")),
            _ => format!("process[{at}]"),
        };
        plans.push(Plan { name, templates, start });
    }
    plans.retain(|plan| !plan.templates.is_empty());
    Ok(plans)
}

/// How many processes of a proctype there are in a run.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// At most, if that is known.
    most: Option<u64>,
    /// Whether some are started by others.
    started: bool,
}

fn counts(initial: &[TemplateId], sites: &[Vec<Site>]) -> Vec<Count> {
    let mut counts = vec![Count { most: Some(0), started: false }; sites.len()];
    // After as many rounds as there are proctypes, what still grows starts itself.
    for round in 0..=sites.len() + 1 {
        let mut next = vec![Count { most: Some(0), started: false }; sites.len()];
        for template in initial {
            next[template.index()].most = next[template.index()].most.map(|most| most + 1);
        }
        for (from, sites) in sites.iter().enumerate() {
            if counts[from].most == Some(0) {
                continue;
            }
            for site in sites {
                let of = &mut next[site.starts.index()];
                of.started = true;
                of.most = match (of.most, counts[from].most, site.often) {
                    (Some(most), Some(times), Often::Once) => Some(most.saturating_add(times)),
                    _ => None,
                };
            }
        }
        if round == sites.len() + 1 {
            for (before, after) in counts.iter().zip(&mut next) {
                if before.most != after.most {
                    after.most = None;
                }
            }
        }
        counts = next;
    }
    counts
}

/// The places of a proctype that start processes.
fn sites(process: &Process<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    for &location in &process.locations {
        for step in &process.machine.steps[location] {
            let Node::Basic(stmt) = process.flow.elements[step.element].node else { continue };
            for run in runs(stmt) {
                let again = step.target.is_some_and(|target| reaches(process, target, location));
                let often = if again { Often::Unknown } else { Often::Once };
                found.push(Site { starts: run.proctype, often });
            }
        }
    }
    found
}

/// Whether control can get from one state to another.
fn reaches(process: &Process<'_>, from: ElementId, to: ElementId) -> bool {
    let mut seen = vec![false; process.flow.elements.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(process.machine.steps[at].iter().filter_map(|step| step.target));
        }
    }
    false
}
