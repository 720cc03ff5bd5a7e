//! Shortens a finite run by looking around it.
//!
//! A run that was found depth first takes detours. They are left out in two ways:
//!
//! - from one state of it after the other, a small breadth-first search looks for a state farther along that
//!   can be reached in fewer steps;
//! - steps of one process are left out, more of them first, as long as the others can be taken all the same
//!   and lead to the same end (Zeller and Hildebrandt 2002 do so with inputs of programs). That also finds
//!   detours of one process that are scattered between the steps of others.
//!
//! The last step stays, since how a state was entered may matter there.

use fairly_omega::{StateId, Stop};
use fairly_system::{RunStep, TransitionSystem};
use hashbrown::{HashMap, HashSet};

use crate::bounded::{Bounds, Budget};
use crate::prefix::Prefix;

/// States that are looked at around one state of the run.
const AROUND: usize = 1_000;
/// Of so many steps of one process, every number is tried: a round of it may have any.
const EACH: usize = 16;
/// Steps of the longest run from which steps of single processes are left out: each attempt takes the others again.
const LONGEST: usize = 2_000;

/// The run without the detours that are found within the bounds, each of whose nodes is a state that is
/// looked at. It starts and ends as the run does, and takes at most as many steps.
pub fn prefix<S: TransitionSystem>(system: &mut S, prefix: &Prefix, bounds: Bounds) -> Prefix {
    let Some((last, way)) = prefix.steps.split_last() else { return prefix.clone() };
    system.stop_at(bounds.stop());
    let mut effort = Effort { budget: Budget::new(bounds), done: 0 };
    let stop = bounds.stop();
    let mut steps = without_loops(prefix.start, way, stop);
    steps.push(*last);
    steps = fewer(system, prefix.start, steps, &mut effort);
    let last = steps.pop().unwrap_or(*last);
    steps = around(system, &without_loops(prefix.start, &steps, stop), &mut effort);
    steps.push(last);
    system.stop_at(Stop::default());
    Prefix { start: prefix.start, steps }
}

/// Looks so far, and their budget.
struct Effort {
    budget: Budget,
    done: usize,
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.budget.allows(self.done, || 0).is_err() || self.budget.in_time().is_err()
    }
}

/// A way without detours to states that are found near it.
fn around<S: TransitionSystem>(
    system: &mut S,
    way: &[RunStep],
    effort: &mut Effort,
) -> Vec<RunStep> {
    if effort.is_spent() {
        return way.to_vec();
    }
    let positions: HashMap<StateId, usize> = (1..).zip(way).map(|(at, it)| (it.to, at)).collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < way.len() {
        if effort.is_spent() {
            kept.extend_from_slice(&way[at..]);
            break;
        }
        let (cut, looked) = shortcut(system, way[at].from, at, &positions);
        effort.done += looked;
        match cut {
            Some((to, steps)) => {
                kept.extend(steps);
                at = to;
            }
            // A long way is looked at in few places.
            None => {
                let next = at + 1 + (way.len() - at) / 64;
                kept.extend_from_slice(&way[at..next]);
                at = next;
            }
        }
    }
    kept
}

/// A run to the same end from which steps of single processes are left out.
fn fewer<S: TransitionSystem>(
    system: &mut S,
    start: StateId,
    mut steps: Vec<RunStep>,
    effort: &mut Effort,
) -> Vec<RunStep> {
    let actor = |system: &S, step: &RunStep| {
        let participants = &system.action(step.action).participants;
        participants.first().map_or(usize::MAX, |process| process.index())
    };
    if steps.len() > LONGEST {
        return steps;
    }
    let processes = system.signature().processes.len();
    // A step that was left out may let other processes do without something.
    let mut is_shorter = true;
    while std::mem::take(&mut is_shorter) {
        for process in 0..processes {
            let own = |system: &S, steps: &[RunStep]| -> Vec<usize> {
                let all = steps.iter().enumerate().take(steps.len().saturating_sub(1));
                let own = all.filter(|(_, step)| actor(system, step) == process);
                own.map(|(at, _)| at).collect()
            };
            let mut length = own(system, &steps).len();
            while length > 0 {
                let mut from = 0;
                loop {
                    let places = own(system, &steps);
                    let Some(left_out) = places.get(from..from + length) else { break };
                    if effort.is_spent() {
                        return steps;
                    }
                    match without(system, start, &steps, left_out, effort) {
                        Some(shorter) => {
                            steps = shorter;
                            is_shorter = true;
                        }
                        None => from += 1,
                    }
                }
                length = if length <= EACH { length - 1 } else { (length / 2).max(EACH) };
            }
        }
    }
    steps
}

/// The run that takes all actions but those at some positions, if it comes to the same end.
fn without<S: TransitionSystem>(
    system: &mut S,
    start: StateId,
    steps: &[RunStep],
    left_out: &[usize],
    effort: &mut Effort,
) -> Option<Vec<RunStep>> {
    let first = *left_out.first()?;
    let end = steps.last()?;
    let mut kept = steps[..first].to_vec();
    let mut from = kept.last().map_or(start, |step| step.to);
    let mut enabled = Vec::new();
    for (at, step) in steps.iter().enumerate().skip(first) {
        if left_out.binary_search(&at).is_ok() {
            continue;
        }
        enabled.clear();
        system.enabled(from, &mut enabled);
        effort.done += 1;
        // An action may lead to several states.
        let is_last = at + 1 == steps.len();
        let mut same = enabled.iter().filter(|it| it.action == step.action);
        let taken = match is_last {
            true => same.find(|it| it.target == end.to)?,
            false => same.next()?,
        };
        kept.push(RunStep { from, action: taken.action, to: taken.target });
        from = taken.target;
        if system.fault(from).is_some() && !is_last {
            return None;
        }
    }
    Some(kept)
}

/// Steps between two questions whether to stop.
const ASKED: usize = 1 << 14;

/// The steps without those between two visits to a state; all of them if it is time to stop before that is known.
fn without_loops(start: StateId, steps: &[RunStep], stop: Stop) -> Vec<RunStep> {
    let mut last: HashMap<StateId, usize> = HashMap::from([(start, 0)]);
    for (part, first) in steps.chunks(ASKED).zip((1..).step_by(ASKED)) {
        if first > 1 && stop.is_due() {
            return steps.to_vec();
        }
        last.extend((first..).zip(part).map(|(position, step)| (step.to, position)));
    }
    let (mut kept, mut at) = (Vec::new(), last[&start]);
    while let Some(step) = steps.get(at) {
        kept.push(*step);
        at = last[&step.to];
    }
    kept
}

/// A state near the run: from which other one and by which step it was reached, and in how many.
struct Met {
    by: Option<(usize, RunStep)>,
    state: StateId,
    depth: usize,
}

/// The position that is reached from a state with the largest gain, and the steps to it, if there is a gain;
/// and how many states were looked at.
fn shortcut<S: TransitionSystem>(
    system: &mut S,
    from: StateId,
    at: usize,
    positions: &HashMap<StateId, usize>,
) -> (Option<(usize, Vec<RunStep>)>, usize) {
    let mut met = vec![Met { by: None, state: from, depth: 0 }];
    let mut known: HashSet<StateId> = HashSet::from([from]);
    let mut best: Option<(usize, usize, usize)> = None;
    let mut enabled = Vec::new();
    let mut head = 0;
    while head < met.len() && head < AROUND {
        let Met { state, depth, .. } = met[head];
        if let Some(&position) = positions.get(&state) {
            // A gain behind the goal is none.
            let gain = position.saturating_sub(at).saturating_sub(depth);
            if gain > best.map_or(0, |(gain, ..)| gain) {
                best = Some((gain, position, head));
            }
        }
        enabled.clear();
        system.enabled(state, &mut enabled);
        for step in &enabled {
            if system.fault(step.target).is_none() && known.insert(step.target) {
                let taken = RunStep { from: state, action: step.action, to: step.target };
                met.push(Met { by: Some((head, taken)), state: step.target, depth: depth + 1 });
            }
        }
        head += 1;
    }
    let cut = best.map(|(_, position, entry)| {
        let (mut steps, mut entry) = (Vec::new(), entry);
        while let Some((parent, step)) = met[entry].by {
            steps.push(step);
            entry = parent;
        }
        steps.reverse();
        (position, steps)
    });
    (cut, head)
}
