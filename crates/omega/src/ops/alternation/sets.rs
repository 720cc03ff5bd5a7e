//! Alternation removal by sets of states: a run is followed level by level.
//!
//! A state of the result is the set of states that a run is in at one place of the word, with the
//! subset of those that *owe* something: that have not met what they must since the owing ones were
//! last all of them done. When none owes any more, the edge is marked and all owe again. A branch
//! that never meets it would owe for ever.
//!
//! If a branch can only go wrong by staying in one state, the owing ones need no record: each such
//! state gets a mark for the steps in which the run is not in it or leaves it.

use hashbrown::{HashMap, HashSet};

use super::{Branching, blank};
use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::letters::{Label, Letters};
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits, Resource};

/// Most ways in which one set of states can go on.
const MOST_WAYS: usize = 1 << 16;

/// Obligation of every branch.
pub(super) enum Goal {
    /// Not stay in any of these states for ever; each has its mark.
    Leave(HashMap<u32, Mark>),
    /// Be in a state that is accepting here again and again.
    Reach(Vec<bool>),
    /// Meet one of these marks again and again.
    Meet(MarkSet),
}

impl Goal {
    /// To leave each rejecting state that has a loop.
    pub(super) fn leave(branching: &Branching, accepting: &[bool]) -> Goal {
        let loops = |&state: &u32| {
            let choices = &branching.choices[state as usize];
            !accepting[state as usize]
                && choices.iter().any(|choice| choice.targets.contains(&state))
        };
        Goal::Leave(
            (0..branching.choices.len() as u32).filter(loops).zip((0..).map(Mark)).collect(),
        )
    }

    fn mark_count(&self) -> u32 {
        match self {
            Goal::Leave(marks) => marks.len() as u32,
            Goal::Reach(_) | Goal::Meet(_) => 1,
        }
    }
}

/// The states of a run at one place, and those that owe something; both sorted.
type Level = (Vec<u32>, Vec<u32>);

/// One way to go on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    label: Label,
    states: Vec<u32>,
    owing: Vec<u32>,
    /// For [`Goal::Leave`]: the states that loop.
    loops: Vec<u32>,
}

/// The nondeterministic automaton.
pub(super) fn explore(
    branching: &Branching,
    base: &Automaton,
    goal: &Goal,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let mut builder = blank(base, base.letters().clone());
    let marks = goal.mark_count();
    builder.set_acceptance(Acceptance::generalized_buchi(marks), marks);
    let mut numbers: HashMap<Level, StateId> = HashMap::new();
    let mut todo: Vec<Level> = Vec::new();
    for states in &branching.initial {
        let level = (states.clone(), all_owing(states, goal));
        let fresh = StateId::from_index(numbers.len());
        let state = *numbers.entry(level.clone()).or_insert(fresh);
        if state == fresh {
            builder.add_state();
            todo.push(level);
        }
        builder.add_initial(state);
    }
    while let Some(level) = todo.pop() {
        let from = numbers[&level];
        for way in ways(branching, &level, goal, builder.letters_mut())? {
            let mut marks = MarkSet::new();
            let mut owing = way.owing;
            match goal {
                Goal::Leave(all) => {
                    let met = all.iter().filter(|(state, _)| !way.loops.contains(state));
                    met.for_each(|(_, &mark)| marks.insert(mark));
                }
                Goal::Reach(_) | Goal::Meet(_) if owing.is_empty() => {
                    marks.insert(Mark(0));
                    owing = all_owing(&way.states, goal);
                }
                Goal::Reach(_) | Goal::Meet(_) => {}
            }
            let next = (way.states, owing);
            let fresh = StateId::from_index(numbers.len());
            let target = *numbers.entry(next.clone()).or_insert(fresh);
            if target == fresh {
                if numbers.len() > limits.states {
                    return Err(BudgetError { resource: Resource::States, limit: limits.states });
                }
                builder.add_state();
                todo.push(next);
            }
            builder.add_edge(from, way.label, marks, target);
            if builder.edge_count() > limits.edges {
                return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
            }
        }
    }
    Ok(builder.build())
}

/// The states that owe something when everything is to be done again.
fn all_owing(states: &[u32], goal: &Goal) -> Vec<u32> {
    match goal {
        Goal::Leave(_) => Vec::new(),
        Goal::Reach(accepting) => {
            states.iter().copied().filter(|&state| !accepting[state as usize]).collect()
        }
        Goal::Meet(_) => states.to_vec(),
    }
}

/// All combinations of a choice for each state.
fn ways(
    branching: &Branching,
    (states, owing): &Level,
    goal: &Goal,
    letters: &mut Letters,
) -> Result<Vec<Way>, BudgetError> {
    let nothing = Vec::new;
    let start = Way { label: Label::TRUE, states: nothing(), owing: nothing(), loops: nothing() };
    let mut all = vec![start];
    for &state in states {
        let mut next: Vec<Way> = Vec::new();
        let mut known: HashSet<Way> = HashSet::new();
        let owes = owing.binary_search(&state).is_ok();
        for way in &all {
            for choice in &branching.choices[state as usize] {
                let label = letters.and(way.label, choice.label)?;
                if label == Label::FALSE {
                    continue;
                }
                let mut way = Way { label, ..way.clone() };
                join(&mut way.states, choice.targets.iter().copied());
                let targets = choice.targets.iter().copied();
                match goal {
                    Goal::Leave(all) => {
                        if all.contains_key(&state) && choice.targets.contains(&state) {
                            way.loops.push(state);
                        }
                    }
                    Goal::Reach(accepting) if owes => {
                        let still = targets.filter(|&state| !accepting[state as usize]);
                        join(&mut way.owing, still);
                    }
                    Goal::Meet(marks) if owes && !marks.intersects(&choice.marks) => {
                        join(&mut way.owing, targets);
                    }
                    Goal::Reach(_) | Goal::Meet(_) => {}
                }
                if !known.contains(&way) {
                    known.insert(way.clone());
                    next.push(way);
                }
            }
            if next.len() > MOST_WAYS {
                return Err(BudgetError { resource: Resource::Edges, limit: MOST_WAYS });
            }
        }
        all = next;
    }
    Ok(all)
}

fn join(set: &mut Vec<u32>, more: impl Iterator<Item = u32>) {
    set.extend(more);
    set.sort_unstable();
    set.dedup();
}
