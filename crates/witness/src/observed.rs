//! Observations of a system, by the definitions: traces, refusals, divergence.
//!
//! A violation of a refinement is two claims: the implementation has a behaviour, which is seen on one
//! run of it, and the specification does not have it, which takes all its states after the same events.
//! They are followed here as sets, without what the search does to keep them small.

use std::collections::{BTreeSet, HashMap, VecDeque};

use fairly_omega::StateId;
use fairly_system::{ActionId, EventKind, RunStep, Transition, TransitionSystem};

/// Observation of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// An event, by its name.
    Event(String),
    /// Termination, which is the same in all systems.
    Termination,
}

/// Observation of an action; `None` if it is internal.
pub fn seen<S: TransitionSystem>(system: &S, action: ActionId) -> Option<Seen> {
    let signature = system.signature();
    let event = system.action(action).event;
    match signature.event_kind(event) {
        EventKind::Internal => None,
        EventKind::Termination => Some(Seen::Termination),
        EventKind::Idle | EventKind::Visible => {
            Some(Seen::Event(signature.event_name(event).to_owned()))
        }
    }
}

/// Observations of a sequence of steps.
pub fn trace<S: TransitionSystem>(system: &S, steps: &[RunStep]) -> Vec<Seen> {
    steps.iter().filter_map(|step| seen(system, step.action)).collect()
}

fn enabled<S: TransitionSystem>(system: &mut S, state: StateId) -> Vec<(Transition, Option<Seen>)> {
    let mut out = Vec::new();
    system.enabled(state, &mut out);
    out.into_iter().map(|step| (step, seen(system, step.action))).collect()
}

/// Acceptance set of a state: termination alone if it is offered, else the events offered if the state is
/// stable, and none if it is not.
pub fn acceptance<S: TransitionSystem>(system: &mut S, state: StateId) -> Option<BTreeSet<Seen>> {
    let steps = enabled(system, state);
    if steps.iter().any(|(_, seen)| *seen == Some(Seen::Termination)) {
        return Some(BTreeSet::from([Seen::Termination]));
    }
    steps.into_iter().map(|(_, seen)| seen).collect()
}

/// All states that a system can be in after some events.
struct After {
    /// By state: where its internal steps lead.
    internal: HashMap<StateId, Vec<StateId>>,
    /// Observations of the other steps, with their targets.
    others: Vec<(Seen, StateId)>,
}

impl After {
    /// These states, and what internal steps lead to from them.
    fn of<S: TransitionSystem>(system: &mut S, states: impl IntoIterator<Item = StateId>) -> After {
        let mut after = After { internal: HashMap::new(), others: Vec::new() };
        let mut queue: VecDeque<StateId> = states.into_iter().collect();
        while let Some(state) = queue.pop_front() {
            if after.internal.contains_key(&state) {
                continue;
            }
            let mut internal = Vec::new();
            for (step, seen) in enabled(system, state) {
                match seen {
                    None => internal.push(step.target),
                    Some(seen) => after.others.push((seen, step.target)),
                }
            }
            queue.extend(&internal);
            after.internal.insert(state, internal);
        }
        after
    }

    /// The states after one more event; none after termination, where nothing is looked at.
    fn followed<S: TransitionSystem>(&self, system: &mut S, event: &Seen) -> Option<After> {
        let same = self.others.iter().filter(|(seen, _)| seen == event);
        let next: Vec<StateId> = same.map(|&(_, target)| target).collect();
        (!next.is_empty()).then(|| After::of(system, next))
    }

    /// Whether internal steps can go on for ever: those that are left when every state without internal
    /// steps to what is left is taken away, again and again.
    fn diverges(&self) -> bool {
        let mut left: HashMap<StateId, usize> =
            self.internal.iter().map(|(&state, next)| (state, next.len())).collect();
        let mut before: HashMap<StateId, Vec<StateId>> = HashMap::new();
        for (&state, next) in &self.internal {
            for &next in next {
                before.entry(next).or_default().push(state);
            }
        }
        let mut ending: Vec<StateId> =
            left.iter().filter(|(_, count)| **count == 0).map(|(&state, _)| state).collect();
        while let Some(state) = ending.pop() {
            left.remove(&state);
            for earlier in before.get(&state).into_iter().flatten() {
                if let Some(count) = left.get_mut(earlier) {
                    *count -= 1;
                    if *count == 0 {
                        ending.push(*earlier);
                    }
                }
            }
        }
        !left.is_empty()
    }
}

/// Behaviour that a specification must lack after some events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// The last of them.
    Last,
    /// To insist on nothing but what is offered.
    Insisting(BTreeSet<Seen>),
    /// To do internal steps for ever.
    Diverging,
}

/// Whether a system cannot do that after these events. Where divergence counts, a system that can diverge
/// on the way can do anything.
///
/// # Errors
/// Behaviour that it has instead, in words.
pub fn cannot<S: TransitionSystem>(
    system: &mut S,
    trace: &[Seen],
    what: &Impossible,
    divergence_counts: bool,
) -> Result<(), String> {
    let chaos =
        || Err("the specification can diverge on the way, so it can do anything".to_owned());
    let initial = system.initial();
    let mut after = After::of(system, initial);
    for (at, event) in trace.iter().enumerate() {
        if divergence_counts && after.diverges() {
            return chaos();
        }
        match after.followed(system, event) {
            Some(next) => after = next,
            None if at + 1 == trace.len() && *what == Impossible::Last => return Ok(()),
            // It cannot even come that far.
            None => return Err("the specification ends before the run does".to_owned()),
        }
    }
    if divergence_counts && after.diverges() {
        return chaos();
    }
    match what {
        Impossible::Last => Err("the specification has this trace, too".to_owned()),
        Impossible::Diverging if after.diverges() => chaos(),
        Impossible::Diverging => Ok(()),
        Impossible::Insisting(offered) => {
            let states: Vec<StateId> = after.internal.keys().copied().collect();
            let allows = states
                .into_iter()
                .any(|state| acceptance(system, state).is_some_and(|it| it.is_subset(offered)));
            match allows {
                true => Err("the specification may insist on no more than is offered".to_owned()),
                false => Ok(()),
            }
        }
    }
}
