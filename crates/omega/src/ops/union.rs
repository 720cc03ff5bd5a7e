//! Union: the two automata side by side, a run chooses one of them at the start.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::marks::{Mark, MarkSet};
use crate::ops::parts::{Renumbered, import_labels, join_propositions, rejected_marks, within};
use crate::refused::{BudgetError, Limits};

/// One operand's share of the result: the new marks of each old set of marks.
type Sets = Vec<MarkSet>;

/// The words that one of the automata accepts, over the union of the propositions: all states of
/// the left automaton, then all states of the right one, with the initial states of both.
///
/// Conditions are joined so that a run is judged by its own automaton's condition:
///
/// - one and the same condition (marks renumbered in a row) is kept: Büchi ∪ Büchi is Büchi, and
///   two conditions with three Streett pairs share the pairs;
/// - conjunctions of `Inf` of different widths become the wider one, and the edges of the
///   narrower automaton carry all the marks it lacks;
/// - otherwise the result is the disjunction, and the edges of each part carry marks that the
///   other's condition rejects, or an extra mark guards a condition that rejects nothing.
///
/// The result is not deterministic even if both operands are; for that see [`crate::ops::product`]
/// with [`crate::ops::Combine::Or`].
///
/// # Errors
/// When the result would pass the limits.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Limits, MarkSet, ops::union};
/// let automaton = |sets: u32| {
///     let mut builder = Builder::new(vec![]);
///     builder.set_acceptance(Acceptance::generalized_buchi(sets), sets);
///     let state = builder.add_state();
///     builder.add_initial(state);
///     builder.add_edge(state, Label::TRUE, MarkSet::first(sets), state);
///     builder.build()
/// };
/// let both = union(&automaton(1), &automaton(2), Limits::default()).unwrap();
/// assert_eq!(both.acceptance(), &Acceptance::generalized_buchi(2));
/// assert_eq!((both.state_count(), both.initial().len()), (2, 2));
/// ```
pub fn union(
    left: &Automaton,
    right: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let (propositions, rename) = join_propositions(&[left, right]);
    let mut builder = Builder::new(propositions);
    let (acceptance, width, sets) = join_conditions(left, right)?;
    builder.set_acceptance(acceptance, width);
    for (part, automaton) in [left, right].into_iter().enumerate() {
        let offset = builder.add_states(automaton.state_count());
        within(&builder, limits)?;
        let moved = |state: StateId| StateId(state.0 + offset.0);
        let labels = import_labels(automaton, &rename[part], builder.letters_mut())?;
        let mut label = labels.into_iter();
        for state in automaton.states() {
            if let Some(name) = automaton.state_name(state) {
                builder.set_state_name(moved(state), name.to_owned());
            }
            for edge in automaton.edges(state) {
                let label = label.next().expect("one label an edge");
                let marks = sets[part][edge.marks.index()].clone();
                builder.add_edge(moved(state), label, marks, moved(edge.target));
            }
        }
        within(&builder, limits)?;
        automaton.initial().iter().for_each(|&state| builder.add_initial(moved(state)));
    }
    Ok(builder.build())
}

fn join_conditions(
    left: &Automaton,
    right: &Automaton,
) -> Result<(Acceptance, u32, [Sets; 2]), BudgetError> {
    let (one, two) = (Renumbered::of(left, 0), Renumbered::of(right, 0));
    if one.acceptance == two.acceptance {
        return Ok((one.acceptance, one.width, [one.sets, two.sets]));
    }
    if let (Some(a), Some(b)) = (one.acceptance.inf_clauses(), two.acceptance.inf_clauses()) {
        let width = u32::try_from(a.len().max(b.len())).expect("fewer than 2^32 clauses");
        let padded = |clauses: &[MarkSet], sets: &[MarkSet]| -> Sets {
            let met = |set: &MarkSet, at: u32| {
                clauses.get(at as usize).is_none_or(|clause| clause.intersects(set))
            };
            sets.iter()
                .map(|set| (0..width).filter(|&at| met(set, at)).map(Mark).collect())
                .collect()
        };
        let sets = [padded(&a, &one.sets), padded(&b, &two.sets)];
        return Ok((Acceptance::generalized_buchi(width), width, sets));
    }
    let two = Renumbered::of(right, one.width);
    let mut width = one.width + two.width;
    let mut conditions = [one.acceptance, two.acceptance];
    let mut sets = [one.sets, two.sets];
    for part in 0..2 {
        let other = 1 - part;
        let (own, alien) = match rejected_marks(&conditions[part])? {
            Some(marks) => (MarkSet::new(), marks),
            None => {
                // It rejects nothing: let it say that the run is in its own part.
                let guard = Mark(width);
                width += 1;
                conditions[part] = Acceptance::Inf(guard);
                (MarkSet::from_iter([guard]), MarkSet::new())
            }
        };
        sets[part].iter_mut().for_each(|set| set.union_with(&own));
        sets[other].iter_mut().for_each(|set| set.union_with(&alien));
    }
    Ok((Acceptance::or(conditions), width, sets))
}
