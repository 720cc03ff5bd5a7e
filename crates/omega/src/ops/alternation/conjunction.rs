//! Automata that start in several parts at once, and what they come to without alternation.

use super::{Branching, blank, union_of};
use crate::acceptance::Acceptance;
use crate::alternating::Alternating;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::Letters;
use crate::ops::parts::{import_labels, join_propositions, within};
use crate::ops::{intersection, trim};
use crate::refused::{BudgetError, Limits, Resource};

/// Most starting points times states for which the parts of an automaton are told apart.
const MOST_WORK: usize = 1 << 22;

/// The words that all of several automata accept, as an alternating automaton that has all their
/// states and starts in one initial state of each. For a nondeterministic one, which is as large as
/// the product of the sizes, see [`intersection`].
///
/// ```
/// use fairly_omega::{Limits, formats::hoa, ops};
/// let often = |name: &str| {
///     let text = format!("HOA: v1 Start: 0 AP: 1 \"{name}\" Acceptance: 1 Inf(0)
///                         --BODY-- State: 0 [0] 0 {{0}} [!0] 0 --END--");
///     hoa::parse(&text).unwrap().remove(0)
/// };
/// let both = ops::alternating_conjunction(&[often("a"), often("b")], Limits::default()).unwrap();
/// assert_eq!((both.state_count(), both.base().propositions().len()), (2, 2));
/// ```
///
/// # Errors
/// When there would be too many states, edges or starting points.
///
/// # Panics
/// If the automata do not all have the same condition.
pub fn alternating_conjunction(
    automata: &[Automaton],
    limits: Limits,
) -> Result<Alternating, BudgetError> {
    let all: Vec<&Automaton> = automata.iter().collect();
    let (propositions, renames) = join_propositions(&all);
    let mut builder = Builder::new(propositions);
    let acceptance = automata.first().map_or(Acceptance::True, |first| first.acceptance().clone());
    let width = automata.iter().map(Automaton::mark_count).max().unwrap_or(0);
    builder.set_acceptance(acceptance, width);
    let mut starts: Vec<Vec<StateId>> = vec![Vec::new()];
    for (automaton, rename) in automata.iter().zip(&renames) {
        assert_eq!(automaton.acceptance(), automata[0].acceptance(), "one condition for all");
        let offset = builder.add_states(automaton.state_count());
        let moved = |state: StateId| StateId(state.0 + offset.0);
        let mut labels = import_labels(automaton, rename, builder.letters_mut())?.into_iter();
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let label = labels.next().expect("one label an edge");
                let marks = automaton.marks(edge.marks).clone();
                builder.add_edge(moved(state), label, marks, moved(edge.target));
            }
        }
        within(&builder, limits)?;
        if starts.len().saturating_mul(automaton.initial().len()) > limits.states {
            return Err(BudgetError { resource: Resource::States, limit: limits.states });
        }
        starts = starts
            .iter()
            .flat_map(|start| {
                automaton.initial().iter().map(move |&state| {
                    let mut start = start.clone();
                    start.push(moved(state));
                    start
                })
            })
            .collect();
    }
    // Without any part every word would be accepted, from no state: one that accepts everything.
    if automata.is_empty() {
        let state = builder.add_state();
        builder.add_edge(state, crate::Label::TRUE, Default::default(), state);
        starts = vec![vec![state]];
    }
    let states = builder.state_count();
    let mut conjunctions = Vec::new();
    for start in starts {
        if let [state] = start[..] {
            builder.add_initial(state);
        } else {
            let all = builder.add_state();
            builder.add_initial(all);
            conjunctions.push(start);
        }
    }
    Ok(Alternating::new(builder, states, conjunctions))
}

/// If nothing branches after the start: for each starting point the automata that it starts, all of
/// which must accept. `None` if an edge branches, or there are very many.
pub fn starting_parts(automaton: &Alternating) -> Option<Vec<Vec<Automaton>>> {
    parts(&Branching::of(automaton), automaton.base())
}

fn parts(branching: &Branching, base: &Automaton) -> Option<Vec<Vec<Automaton>>> {
    let mut choices = branching.choices.iter().flatten();
    let starts: usize = branching.initial.iter().map(Vec::len).sum();
    // Each part is looked for in the whole automaton.
    if starts.saturating_mul(branching.choices.len()) > MOST_WORK
        || !choices.all(|choice| choice.targets.len() == 1)
    {
        return None;
    }
    let mut builder = blank(base, base.letters().clone());
    builder.set_acceptance(branching.acceptance.clone(), 0);
    builder.add_states(branching.choices.len());
    for (from, choices) in branching.choices.iter().enumerate() {
        for choice in choices {
            let (from, to) = (StateId::from_index(from), StateId(choice.targets[0]));
            builder.add_edge(from, choice.label, choice.marks.clone(), to);
        }
    }
    let mut whole = builder;
    let mut part = |&state: &u32| {
        whole.set_initial(vec![StateId(state)]);
        trim(&whole.clone().build())
    };
    Some(branching.initial.iter().map(|all| all.iter().map(&mut part).collect()).collect())
}

/// If nothing branches after the start, each starting point is an intersection.
pub(super) fn intersected(
    branching: &Branching,
    base: &Automaton,
    limits: Limits,
) -> Option<Result<Automaton, BudgetError>> {
    let start = |automata: Vec<Automaton>| {
        let mut automata = automata.into_iter();
        let first = automata.next().unwrap_or_else(|| blank(base, Letters::new()).build());
        automata.try_fold(first, |left, right| intersection(&left, &right, limits))
    };
    let all: Result<Vec<Automaton>, BudgetError> =
        parts(branching, base)?.into_iter().map(start).collect();
    Some(all.and_then(|all| union_of(all, base, limits)))
}
