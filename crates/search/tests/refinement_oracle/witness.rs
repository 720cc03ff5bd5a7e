//! Judges what the checks show: replays runs and asks the definitions.

use std::collections::BTreeSet;

use fairly_search::Prefix;
use fairly_search::refinement::{Model, Nondeterminism, Violation, ViolationKind};
use fairly_system::{Run, RunStep, Transition, TransitionSystem};

use super::lts::{LABELS, Label, Lts, TAU, TICK, Tiny, name};
use super::oracle::{
    ALL, Events, acceptances, after, chaotic, diverges, is_failure, nearest_violation,
};

/// The labels of a run's visible events, and the state of the plain system it ends in; an error if
/// it is no run.
fn replay(system: &mut Lts, prefix: &Prefix) -> Result<(Vec<Label>, usize), String> {
    if !system.initial().contains(&prefix.start) {
        return Err(format!("{prefix:?} does not start in an initial state"));
    }
    let mut at = prefix.start;
    let mut trace = Vec::new();
    for &RunStep { from, action, to } in &prefix.steps {
        let mut enabled = Vec::new();
        system.enabled(at, &mut enabled);
        if from != at || !enabled.contains(&Transition { target: to, action }) {
            return Err(format!("{prefix:?} has a step that is none"));
        }
        if trace.last() == Some(&TICK) {
            return Err(format!("{prefix:?} goes on after ✓"));
        }
        trace.extend(Some(system.label(action)).filter(|&label| label != TAU));
        at = to;
    }
    Ok((trace, system.tiny(at)))
}

/// Whether these steps are a τ-cycle from the end of the prefix; the visible events of the prefix.
fn replay_cycle(
    system: &mut Lts,
    prefix: &Prefix,
    cycle: &[RunStep],
) -> Result<Vec<Label>, String> {
    let (trace, entry) = replay(system, prefix)?;
    let mut longer = prefix.clone();
    longer.steps.extend(cycle);
    let (same, end) = replay(system, &longer)?;
    if cycle.is_empty() || entry != end || trace != same || trace.last() == Some(&TICK) {
        return Err(format!("{cycle:?} is no τ-cycle after {prefix:?}"));
    }
    Ok(trace)
}

fn names(events: Events) -> Vec<String> {
    let mut names: Vec<String> =
        (TICK..LABELS).filter(|at| events >> at & 1 == 1).map(|at| name(at).to_owned()).collect();
    names.sort();
    names
}

/// The label with this name.
fn label(event: &str) -> Label {
    (TICK..LABELS).find(|&label| name(label) == event).expect("a name of a label")
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// Judges a violation. The system is the one that it was found in.
pub(crate) fn judge_violation(
    system: &mut Lts,
    implementation: &Tiny,
    specification: &Tiny,
    model: Model,
    violation: &Violation,
) -> Result<(), String> {
    let (trace, end) = replay(system, &violation.trace)?;
    let mut depth = violation.trace.steps.len();
    match &violation.kind {
        ViolationKind::ExtraEvent(event) => {
            depth -= 1;
            let before = &trace[..trace.len() - 1];
            ensure(trace.last() == Some(&label(event)), "the last step has another event")?;
            ensure(!after(specification, before).is_empty(), "it was wrong earlier")?;
            ensure(after(specification, &trace).is_empty(), "the event is allowed")?;
        }
        ViolationKind::Refuses { offered, allowed } => {
            ensure(model != Model::Traces, "traces do not refuse")?;
            let offers: Events = offered.iter().map(|event| 1 << label(event)).sum();
            // The state itself, on its own, is what refuses.
            let here = Tiny { initial: vec![end], ..implementation.clone() };
            let steps = |on: Label| here.edges.iter().any(|&(from, at, _)| (from, at) == (end, on));
            let own: Events = (TICK..LABELS).filter(|&at| steps(at)).map(|at| 1 << at).sum();
            if steps(TICK) {
                ensure(offers == 1 << TICK, "a state that terminates insists on ✓")?;
            } else {
                ensure(!steps(TAU) && own == offers, "the state is not stable or offers others")?;
            }
            ensure(is_failure(implementation, &trace, ALL & !offers), "it does not refuse that")?;
            ensure(!is_failure(specification, &trace, ALL & !offers), "that may be refused")?;
            let expected: BTreeSet<Vec<String>> =
                acceptances(specification, &trace).into_iter().map(names).collect();
            let allowed: BTreeSet<Vec<String>> = allowed.iter().cloned().collect();
            ensure(allowed == expected, "other sets are allowed")?;
        }
        ViolationKind::Diverges { cycle } => {
            ensure(model == Model::FailuresDivergences, "that is about divergences")?;
            replay_cycle(system, &violation.trace, cycle)?;
            ensure(!diverges(specification, &after(specification, &trace)), "it may diverge")?;
        }
    }
    if model == Model::FailuresDivergences {
        ensure(!chaotic(specification, &trace), "everything is allowed after divergence")?;
    }
    let nearest = nearest_violation(implementation, specification, model);
    ensure(nearest == Some(depth), &format!("{nearest:?} steps would do"))
}

/// Judges a run that diverges.
pub(crate) fn judge_divergence(system: &mut Lts, run: &Run) -> Result<(), String> {
    let start = run.steps().next().ok_or("there is no cycle")?.from;
    let prefix = Prefix { start, steps: run.stem.clone() };
    replay_cycle(system, &prefix, &run.cycle).map(|_| ())
}

/// Judges a run that ends.
pub(crate) fn judge_end(system: &mut Lts, prefix: &Prefix) -> Result<(), String> {
    let (trace, _) = replay(system, prefix)?;
    let mut enabled = Vec::new();
    system.enabled(prefix.end(), &mut enabled);
    ensure(trace.last() == Some(&TICK) || enabled.is_empty(), "the run goes on")
}

/// Judges why a system is not deterministic.
pub(crate) fn judge_nondeterminism(
    system: &mut Lts,
    tiny: &Tiny,
    found: &Nondeterminism,
) -> Result<(), String> {
    match found {
        Nondeterminism::Diverges(run) => judge_divergence(system, run),
        Nondeterminism::Refusable { event, accepts, refuses } => {
            let (longer, _) = replay(system, accepts)?;
            let (trace, end) = replay(system, refuses)?;
            let event = label(event);
            let expected: Vec<Label> = trace.iter().copied().chain([event]).collect();
            ensure(longer == expected, "the runs are not about the same trace")?;
            // Alone, the last state refuses the event without any step.
            let edges = tiny.edges.iter().filter(|edge| edge.0 == end && edge.1 != TAU).copied();
            let on = |label: Label| tiny.edges.iter().any(|edge| (edge.0, edge.1) == (end, label));
            let alone = Tiny { states: tiny.states, initial: vec![end], edges: edges.collect() };
            ensure(on(TICK) || !on(TAU), "the last state is not stable")?;
            ensure(is_failure(&alone, &[], 1 << event), "the event is not refused")
        }
        Nondeterminism::Branches { event, one, other } => {
            let ((first, left), (second, right)) = (replay(system, one)?, replay(system, other)?);
            let (Some(last), Some(also)) = (one.steps.last(), other.steps.last()) else {
                return Err("there is no step".to_owned());
            };
            let labels = (system.label(last.action), system.label(also.action));
            let expected = event.as_deref().map_or(TAU, label);
            ensure(labels == (expected, expected), "the steps have another event")?;
            ensure(first == second && left != right, "there is no choice")?;
            let length = one.steps.len() - 1;
            ensure(one.steps[..length] == other.steps[..length], "the runs part earlier")
        }
    }
}
