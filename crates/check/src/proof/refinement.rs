//! Certificates of refinement: with each state of the system, the states that the specification can be in after the same
//! events; see the module `refinement` of the crate `fairly-verify` for the rules.

use std::rc::Rc;

use fairly_omega::StateId;
use fairly_system::{EventKind, Transition};
use hashbrown::{HashMap, HashSet};

use super::source::Source;
use super::{Patience, Proof, ProofError, Writer, finished, numbered, positions, reachable};
use fairly_front::loaded::Refinement;
use fairly_search::Bounds;

/// Observation of a step.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Seen {
    Internal,
    Termination,
    Event(String),
}

/// Steps of a system, by state.
type Steps = HashMap<StateId, Vec<(Seen, StateId)>>;

/// States of the specification, each behind one from which an internal step leads to it or first in the family.
type Family = Rc<Vec<StateId>>;

fn steps_of<S: Source>(system: &mut S, states: &[StateId]) -> Steps {
    let mut all = Steps::new();
    for &state in states {
        let mut steps: Vec<Transition> = Vec::new();
        system.enabled(state, &mut steps);
        let seen = |step: &Transition| {
            let event = system.action(step.action).event;
            let signature = system.signature();
            let seen = match signature.event_kind(event) {
                EventKind::Internal => Seen::Internal,
                EventKind::Termination => Seen::Termination,
                _ => Seen::Event(signature.event_name(event).to_owned()),
            };
            (seen, step.target)
        };
        all.insert(state, steps.iter().map(seen).collect());
    }
    all
}

fn internal(steps: &Steps, state: StateId) -> impl Iterator<Item = StateId> {
    steps[&state].iter().filter(|step| step.0 == Seen::Internal).map(|step| step.1)
}

/// Ranks by which internal steps fall, of states from which none go on for ever, and the states from which they do.
fn ranks(steps: &Steps, states: &[StateId]) -> (HashMap<StateId, u32>, HashSet<StateId>) {
    let mut before: HashMap<StateId, Vec<StateId>> = HashMap::new();
    let mut left: HashMap<StateId, usize> = HashMap::new();
    let (mut ranks, mut open) = (HashMap::new(), Vec::new());
    for &state in states {
        let mut count = 0;
        for target in internal(steps, state) {
            before.entry(target).or_default().push(state);
            count += 1;
        }
        left.insert(state, count);
        if count == 0 {
            ranks.insert(state, 0);
            open.push(state);
        }
    }
    while let Some(state) = open.pop() {
        let rank = ranks[&state];
        for &other in before.get(&state).into_iter().flatten() {
            let known = ranks.entry(other).or_insert(0);
            *known = (*known).max(rank + 1);
            let left = left.get_mut(&other).expect("a state");
            *left -= 1;
            if *left == 0 {
                open.push(other);
            }
        }
    }
    let diverging = states.iter().copied().filter(|state| left[state] > 0).collect();
    (ranks, diverging)
}

/// The states that internal steps lead to from some.
fn closed(steps: &Steps, mut states: Vec<StateId>) -> Vec<StateId> {
    let mut seen: HashSet<StateId> = states.iter().copied().collect();
    let mut at = 0;
    while let Some(&state) = states.get(at) {
        at += 1;
        states.extend(internal(steps, state).filter(|&target| seen.insert(target)));
    }
    states
}

/// The certificate that a system refines another one.
pub(super) fn refines<I: Source, S: Source>(
    system: &mut I,
    specification: &mut S,
    (refinement, is_forged): (Refinement, bool),
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    let mut patience = Patience::new(bounds);
    let (states, others) = (reachable(system, bounds)?, reachable(specification, bounds)?);
    let (steps, of_other) = (steps_of(system, &states), steps_of(specification, &others));
    let (ranks, _) = ranks(&steps, &states);
    let (_, diverging) = self::ranks(&of_other, &others);
    let mut families: Vec<Family> = Vec::new();
    let mut numbers: HashMap<Vec<StateId>, u32> = HashMap::new();
    let mut number = |family: Vec<StateId>| {
        // The same states in another order are another family, since the order is what makes it one.
        let next = u32::try_from(families.len()).expect("fewer than 2^32 families");
        *numbers.entry(family.clone()).or_insert_with(|| {
            families.push(Rc::new(family));
            next
        })
    };
    let first = number(closed(&of_other, specification.initial()));
    let mut open: Vec<(StateId, u32)> = system.initial().iter().map(|&it| (it, first)).collect();
    let mut known: HashSet<(StateId, u32)> = open.iter().copied().collect();
    let mut after: HashMap<(u32, Seen), u32> = HashMap::new();
    let mut members: HashMap<u32, Family> = HashMap::new();
    members.insert(first, Rc::new(closed(&of_other, specification.initial())));
    let mut at = 0;
    while let Some(&(state, family)) = open.get(at) {
        at += 1;
        patience.tick()?;
        let of = Rc::clone(&members[&family]);
        let diverges = of.iter().any(|state| diverging.contains(state));
        if diverges && refinement == Refinement::FailuresDivergences {
            continue;
        }
        for (seen, target) in &steps[&state] {
            let next = match seen {
                Seen::Internal => family,
                Seen::Termination => continue,
                Seen::Event(_) => match after.get(&(family, seen.clone())) {
                    Some(&next) => next,
                    None => {
                        let mut targets: Vec<StateId> = Vec::new();
                        for step in of.iter().flat_map(|state| &of_other[state]) {
                            if step.0 == *seen && !targets.contains(&step.1) {
                                targets.push(step.1);
                            }
                        }
                        if targets.is_empty() {
                            if is_forged {
                                continue;
                            }
                            return Err(ProofError::Contradicted);
                        }
                        let all = closed(&of_other, targets);
                        let next = number(all.clone());
                        members.entry(next).or_insert_with(|| Rc::new(all));
                        after.insert((family, seen.clone()), next);
                        next
                    }
                },
            };
            if known.insert((*target, next)) {
                open.push((*target, next));
            }
        }
    }
    let writer = Writer::new(system);
    let claim = match refinement {
        Refinement::Traces => "traces",
        Refinement::Failures => "failures",
        Refinement::FailuresDivergences => "failures and divergences",
    };
    let mut head = vec![format!("claim \"refines {claim}\"")];
    let other = Writer::new(specification);
    let places = positions(specification, &other.model, &others);
    let family = |family: &Family| numbered("family", family.iter().map(|state| &places[state]));
    head.extend(families.iter().map(family));
    let mut lists: HashMap<StateId, Vec<(u32, u32)>> = HashMap::new();
    for &(state, family) in &open {
        let rank = ranks.get(&state).copied().unwrap_or(0);
        lists.entry(state).or_default().push((family, rank));
    }
    let count = open.len();
    let mut proof = finished(system, head, writer, (&states, lists, count));
    let mut head = vec!["claim specification".to_owned()];
    if refinement == Refinement::FailuresDivergences && !diverging.is_empty() {
        let mut all: Vec<usize> = diverging.iter().map(|state| places[state]).collect();
        all.sort_unstable();
        head.push(numbered("family", all.iter()));
    }
    let other = finished(specification, head, other, (&others, HashMap::new(), 0));
    proof.bytes.extend(other.bytes);
    Ok(proof)
}
