//! Naive answers, by the definitions of the models.
//!
//! A trace matters only through the states that it leads to. So [`traces`] lists traces until there
//! are none that lead to new sets of states, in all systems at once; that ends, and covers all
//! traces. [`literally`] lists every trace up to a length instead, to check the oracle itself.

use std::collections::BTreeSet;

use fairly_search::refinement::Model;

use super::lts::{A, LABELS, Label, TAU, TICK, Tiny};

pub(crate) type States = BTreeSet<usize>;

/// A set of events and ✓, one bit a label.
pub(crate) type Events = u8;

/// Everything that can be refused: all labels but τ.
pub(crate) const ALL: Events = (1 << LABELS) - 2;

fn has(tiny: &Tiny, state: usize, label: Label) -> bool {
    tiny.edges.iter().any(|&(from, other, _)| (from, other) == (state, label))
}

/// Successors of a set of states after one step with this label.
fn step(tiny: &Tiny, states: &States, label: Label) -> States {
    let steps = tiny.edges.iter().filter(|&&(from, on, _)| on == label && states.contains(&from));
    steps.map(|&(_, _, to)| to).collect()
}

fn closed(tiny: &Tiny, mut states: States) -> States {
    loop {
        let more: States = states.union(&step(tiny, &states, TAU)).copied().collect();
        if more == states {
            return states;
        }
        states = more;
    }
}

/// The states after a trace, τ-steps included.
pub(crate) fn after(tiny: &Tiny, trace: &[Label]) -> States {
    let mut states = closed(tiny, tiny.initial.iter().copied().collect());
    for &label in trace {
        states = closed(tiny, step(tiny, &states, label));
    }
    states
}

/// Whether τ-steps can go on for ever: a path that is longer than there are states repeats one.
pub(crate) fn diverges(tiny: &Tiny, states: &States) -> bool {
    let mut states = states.clone();
    for _ in 0..=tiny.states {
        states = step(tiny, &states, TAU);
    }
    !states.is_empty()
}

/// Whether a trace or a prefix of it leads to divergence.
pub(crate) fn chaotic(tiny: &Tiny, trace: &[Label]) -> bool {
    (0..=trace.len())
        .filter(|&length| length == 0 || trace[length - 1] != TICK)
        .any(|length| diverges(tiny, &after(tiny, &trace[..length])))
}

/// Whether a state refuses these events.
fn refuses(tiny: &Tiny, state: usize, events: Events) -> bool {
    let offers = |label| has(tiny, state, label);
    let terminates = offers(TICK) && events & 1 << TICK == 0;
    let none = (0..LABELS).all(|label| events & 1 << label == 0 || !offers(label));
    terminates || (!offers(TAU) && !offers(TICK) && none)
}

/// Whether a trace and a refusal are a failure.
pub(crate) fn is_failure(tiny: &Tiny, trace: &[Label], events: Events) -> bool {
    let after = after(tiny, trace);
    if trace.last() == Some(&TICK) {
        return !after.is_empty();
    }
    after.iter().any(|&state| refuses(tiny, state, events))
}

/// Traces that lead to all combinations of sets of states that any trace leads to, shortest first.
pub(crate) fn traces(systems: &[&Tiny]) -> Vec<Vec<Label>> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<Vec<Label>> = vec![vec![]];
    let mut at = 0;
    while at < found.len() {
        let trace = found[at].clone();
        at += 1;
        if trace.last() == Some(&TICK) {
            continue;
        }
        for label in TICK..LABELS {
            let mut longer = trace.clone();
            longer.push(label);
            let sets: Vec<States> = systems.iter().map(|tiny| after(tiny, &longer)).collect();
            let chaos: Vec<bool> = systems.iter().map(|tiny| chaotic(tiny, &longer)).collect();
            if sets.iter().any(|set| !set.is_empty()) && seen.insert((label == TICK, sets, chaos)) {
                found.push(longer);
            }
        }
    }
    found
}

/// Every trace up to a length over the events a and b, and ✓ at the end.
pub(crate) fn literally(length: usize) -> Vec<Vec<Label>> {
    let mut found: Vec<Vec<Label>> = vec![vec![]];
    let mut at = 0;
    while at < found.len() {
        let trace = found[at].clone();
        at += 1;
        if trace.len() < length && trace.last() != Some(&TICK) {
            for label in TICK..A + 2 {
                found.push(trace.iter().copied().chain([label]).collect());
            }
        }
    }
    found
}

/// Error in a trace of the implementation, in a model.
pub(crate) fn is_wrong(
    implementation: &Tiny,
    specification: &Tiny,
    model: Model,
    trace: &[Label],
) -> bool {
    let is_trace = |tiny: &Tiny| !after(tiny, trace).is_empty();
    let extra = is_trace(implementation) && !is_trace(specification);
    let refusal = (0..=ALL).filter(|events| events & 1 == 0).any(|events| {
        is_failure(implementation, trace, events) && !is_failure(specification, trace, events)
    });
    match model {
        Model::Traces => extra,
        Model::Failures => extra || refusal,
        Model::FailuresDivergences => {
            !chaotic(specification, trace) && (chaotic(implementation, trace) || extra || refusal)
        }
    }
}

pub(crate) fn refines(
    implementation: &Tiny,
    specification: &Tiny,
    model: Model,
    traces: &[Vec<Label>],
) -> bool {
    // Who cannot start has no behaviour at all.
    implementation.initial.is_empty()
        || !traces.iter().any(|trace| is_wrong(implementation, specification, model, trace))
}

/// The least sets of events whose complement is refused after a trace.
pub(crate) fn acceptances(tiny: &Tiny, trace: &[Label]) -> BTreeSet<Events> {
    let refused = |accepted: Events| is_failure(tiny, trace, ALL & !accepted);
    let sets: Vec<Events> = (0..=ALL).filter(|&it| it & 1 == 0 && refused(it)).collect();
    let least = |&set: &Events| !sets.iter().any(|&other| other != set && other & set == other);
    sets.iter().copied().filter(least).collect()
}

/// By the definition of CSP: no divergence, and no event both done and refused after one trace.
pub(crate) fn deterministic(tiny: &Tiny) -> bool {
    tiny.initial.is_empty()
        || traces(&[tiny]).iter().all(|trace| {
            let refusable = |label: Label| {
                let longer: Vec<Label> = trace.iter().copied().chain([label]).collect();
                !after(tiny, &longer).is_empty() && is_failure(tiny, trace, 1 << label)
            };
            !chaotic(tiny, trace) && (trace.last() == Some(&TICK) || !(TICK..LABELS).any(refusable))
        })
}

/// The states that runs reach, not going past ✓.
pub(crate) fn reachable(tiny: &Tiny) -> States {
    let mut states: States = tiny.initial.iter().copied().collect();
    loop {
        let mut more = states.clone();
        for label in (0..LABELS).filter(|&label| label != TICK) {
            more.extend(step(tiny, &states, label));
        }
        if more == states {
            return states;
        }
        states = more;
    }
}

/// Whether no reachable state has two edges with one label to different states.
pub(crate) fn unbranched(tiny: &Tiny) -> bool {
    let alone =
        |state| (0..LABELS).all(|label| step(tiny, &States::from([state]), label).len() < 2);
    reachable(tiny).into_iter().all(alone)
}

/// Whether no reachable state terminates or has no edge.
pub(crate) fn goes_on(tiny: &Tiny) -> bool {
    let goes_on =
        |state| !has(tiny, state, TICK) && (0..LABELS).any(|label| has(tiny, state, label));
    reachable(tiny).into_iter().all(goes_on)
}

/// How few steps lead to a state where a violation shows: pairs of a state and the states of the
/// specification after the same trace, layer by layer.
pub(crate) fn nearest_violation(
    implementation: &Tiny,
    specification: &Tiny,
    model: Model,
) -> Option<usize> {
    let start = after(specification, &[]);
    let mut layer: BTreeSet<(usize, States)> =
        implementation.initial.iter().map(|&state| (state, start.clone())).collect();
    let mut seen = BTreeSet::new();
    for depth in 0.. {
        layer.retain(|pair| seen.insert(pair.clone()));
        if layer.is_empty() {
            return None;
        }
        let mut next = BTreeSet::new();
        for (state, states) in &layer {
            if model == Model::FailuresDivergences && diverges(specification, states) {
                continue;
            }
            let mut wrong = false;
            for &(_, label, to) in implementation.edges.iter().filter(|edge| edge.0 == *state) {
                let after = match label {
                    TAU => states.clone(),
                    _ => closed(specification, step(specification, states, label)),
                };
                wrong |= label != TAU && after.is_empty();
                if label != TICK {
                    next.insert((to, after));
                }
            }
            if model != Model::Traces {
                wrong |= (0..=ALL).filter(|events| events & 1 == 0).any(|events| {
                    refuses(implementation, *state, events)
                        && !states.iter().any(|&other| refuses(specification, other, events))
                });
            }
            if model == Model::FailuresDivergences {
                // On a τ-cycle: back to itself by one τ-step or more.
                let first = step(implementation, &States::from([*state]), TAU);
                wrong |= closed(implementation, first).contains(state);
            }
            if wrong {
                return Some(depth);
            }
        }
        layer = next;
    }
    unreachable!("there are finitely many pairs")
}
