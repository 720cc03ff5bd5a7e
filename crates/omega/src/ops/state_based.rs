//! Acceptance on states and on edges.
//!
//! In this crate marks are on edges. A condition on states, in the sense of HOA, is an automaton
//! in which all edges out of one state carry the same marks. [`to_state_based`] makes one,
//! [`to_transition_based`] goes back, and [`state_sets`] and [`with_state_sets`] are the
//! acceptance sets ℱ ⊆ 2^S of Malinen and Luukkainen, Definition 3.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::marks::{Mark, MarkSet, MarkSetId};
use crate::ops::bisimulation::bisimulation_quotient;
use crate::ops::parts::{Numbering, restrict, within};
use crate::refused::{BudgetError, Limits};
use crate::scc::Components;

/// An automaton for the same language, with the same condition, in which all edges out of one
/// state carry the same marks.
///
/// A state is split by the marks of the edge it was entered through, which the edges out of it
/// then carry: each mark comes one step later, which no condition notices. Marks matter only
/// inside a component. So a component in which the marks are those of the states already is not
/// split, and a component is entered in whatever copy is there already. A deterministic automaton
/// stays deterministic.
///
/// # Errors
/// When the result would pass the limits.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Limits, Mark, Prop, ops::to_state_based};
/// // Infinitely often p, in one state with two loops.
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// let not_p = builder.letters_mut().not(p).unwrap();
/// builder.add_edge(state, p, [Mark(0)].into_iter().collect(), state);
/// builder.add_edge(state, not_p, Default::default(), state);
/// let on_states = to_state_based(&builder.build(), Limits::default()).unwrap();
/// assert_eq!(on_states.state_count(), 2);
/// assert!(on_states.state_marks().is_some());
/// ```
pub fn to_state_based(automaton: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
    if automaton.state_marks().is_some() {
        return Ok(automaton.clone());
    }
    let components = Components::of(automaton);
    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    let used = automaton.acceptance().marks();
    let kept: Vec<MarkSetId> = automaton
        .mark_table()
        .iter()
        .map(|(_, set)| builder.mark_table_mut().intern(set.intersection(&used)))
        .collect();
    // The marks of each state, in components where they are on states already.
    let own = |state: StateId| {
        let mut inside = automaton
            .edges(state)
            .iter()
            .filter(|edge| components.together(state, edge.target))
            .map(|edge| kept[edge.marks.index()]);
        let first = inside.next().unwrap_or(MarkSetId::EMPTY);
        inside.all(|marks| marks == first).then_some(first)
    };
    let mut on_states: Vec<Option<MarkSetId>> = vec![None; automaton.state_count()];
    for id in components.ids() {
        let members = components.members(id);
        let marks: Option<Vec<MarkSetId>> = members.iter().map(|&state| own(state)).collect();
        for (&member, marks) in members.iter().zip(marks.into_iter().flatten()) {
            on_states[member.index()] = Some(marks);
        }
    }

    let mut nodes: Numbering<(StateId, MarkSetId)> = Numbering::new();
    // The copy in which a component is entered, the first of those that are needed anyway.
    let mut entry: Vec<Option<MarkSetId>> = on_states.clone();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            if components.together(state, edge.target) {
                entry[edge.target.index()].get_or_insert(kept[edge.marks.index()]);
            }
        }
    }
    for &state in automaton.initial() {
        let marks = entry[state.index()].unwrap_or(MarkSetId::EMPTY);
        let node = nodes.state((state, marks), &mut builder);
        builder.add_initial(node);
    }
    while let Some((node, (state, marks))) = nodes.next() {
        if let Some(name) = automaton.state_name(state) {
            builder.set_state_name(node, name.to_owned());
        }
        for &old in automaton.edges(state) {
            let at = old.target.index();
            let carried = match on_states[at] {
                Some(marks) => marks,
                None if components.together(state, old.target) => kept[old.marks.index()],
                None => entry[at].unwrap_or(MarkSetId::EMPTY),
            };
            let mut edge = old;
            edge.target = nodes.state((old.target, carried), &mut builder);
            edge.marks = marks;
            builder.add_interned(node, edge);
            within(&builder, limits)?;
        }
    }
    Ok(builder.build())
}

/// An automaton for the same language with marks on edges only: every edge takes over the marks
/// of the state it leads to, and then states that differ in nothing else are one. An automaton
/// whose marks are not on states is returned as it is.
///
/// # Errors
/// When the labels do not fit in the store.
///
/// ```
/// use fairly_omega::ops::{to_transition_based, with_state_sets};
/// use fairly_omega::{Builder, Prop, StateId};
/// // Infinitely often p: the second state is accepting and entered on p.
/// let mut builder = Builder::new(vec!["p".into()]);
/// let states = [builder.add_state(), builder.add_state()];
/// builder.add_initial(states[0]);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// let not_p = builder.letters_mut().not(p).unwrap();
/// for from in states {
///     builder.add_edge(from, p, Default::default(), states[1]);
///     builder.add_edge(from, not_p, Default::default(), states[0]);
/// }
/// let on_states = with_state_sets(&builder.build(), &[vec![StateId(1)]]);
/// let on_edges = to_transition_based(&on_states).unwrap();
/// assert_eq!((on_edges.state_count(), on_edges.edge_count()), (1, 2));
/// ```
pub fn to_transition_based(automaton: &Automaton) -> Result<Automaton, BudgetError> {
    let Some(marks) = automaton.state_marks() else { return Ok(automaton.clone()) };
    let moved = restrict(
        automaton,
        |_| true,
        |_, _, &old| {
            let mut edge = old;
            edge.marks = marks[old.target.index()];
            Some(edge)
        },
    );
    bisimulation_quotient(&moved)
}

/// The acceptance sets of a generalized Büchi automaton with marks on states: for each `Inf`, the
/// states whose edges carry the mark. `None` if the condition is not a conjunction of `Inf` over
/// single marks, or not on states.
///
/// No sets at all mean that every infinite run is accepted (`docs/papers.md` 000-1).
///
/// ```
/// use fairly_omega::ops::{state_sets, with_state_sets};
/// use fairly_omega::{Builder, Label, StateId};
/// let mut builder = Builder::new(vec![]);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// builder.add_edge(state, Label::TRUE, Default::default(), state);
/// let automaton = builder.build();
/// assert_eq!(state_sets(&automaton), Some(vec![]));
/// let sets = vec![vec![StateId(0)], vec![]];
/// assert_eq!(state_sets(&with_state_sets(&automaton, &sets)), Some(sets));
/// ```
pub fn state_sets(automaton: &Automaton) -> Option<Vec<Vec<StateId>>> {
    let marks = automaton.state_marks()?;
    let clauses = automaton.acceptance().inf_clauses()?;
    let single = |clause: MarkSet| (clause.len() == 1).then(|| clause.iter().next()).flatten();
    clauses
        .into_iter()
        .map(|clause| {
            let mark = single(clause)?;
            let carries = |state: &StateId| automaton.marks(marks[state.index()]).contains(mark);
            Some(automaton.states().filter(carries).collect())
        })
        .collect()
}

/// The automaton with another condition: generalized Büchi with these sets of states. Marks that
/// were there are lost.
///
/// # Panics
/// If a set names a state that does not exist.
pub fn with_state_sets(automaton: &Automaton, sets: &[Vec<StateId>]) -> Automaton {
    let width = u32::try_from(sets.len()).expect("fewer than 2^32 sets");
    let mut marks: Vec<MarkSet> = vec![MarkSet::new(); automaton.state_count()];
    for (mark, set) in (0..).map(Mark).zip(sets) {
        set.iter().for_each(|state| marks[state.index()].insert(mark));
    }
    let mut builder = automaton.to_builder();
    builder.set_acceptance(Acceptance::generalized_buchi(width), width);
    let ids: Vec<MarkSetId> =
        marks.into_iter().map(|set| builder.mark_table_mut().intern(set)).collect();
    let changed = builder.build();
    restrict(
        &changed,
        |_| true,
        |_, state, &old| {
            let mut edge = old;
            edge.marks = ids[state.index()];
            Some(edge)
        },
    )
}
