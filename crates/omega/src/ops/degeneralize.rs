//! Degeneralization: from several acceptance sets to one.
//!
//! The textbook construction (Malinen and Luukkainen, Theorem 4, with the index repaired, see
//! `docs/papers.md` 000-2) keeps one copy of the automaton for each set and waits in copy *i*
//! for the set *i*. Here, with marks on edges:
//!
//! - an edge that meets several sets in a row passes several copies at once ("level skipping"), so
//!   no step is wasted;
//! - a run that enters another component starts again, in a copy of that state which is there
//!   already if there is one: what was met before does not matter;
//! - a component that misses a set for good, and one that no cycle passes, has a single copy.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::marks::{Mark, MarkSet, MarkSetId};
use crate::ops::parts::{Numbering, within};
use crate::ops::to_buchi::to_generalized_buchi;
use crate::refused::{BudgetError, Limits};
use crate::scc::{ComponentId, Components};

/// An automaton for the same language with the condition `Inf(0)`. Any condition is taken; one
/// that is not a conjunction of `Inf` goes through [`to_generalized_buchi`] first.
///
/// A deterministic generalized Büchi automaton stays deterministic. State names are kept, so
/// several states of the result may bear one name.
///
/// # Errors
/// When the result would pass the limits, or the condition has too many disjuncts.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Limits, Mark, Prop, ops::degeneralize};
/// // Infinitely often p and infinitely often q, in one state.
/// let mut builder = Builder::new(vec!["p".into(), "q".into()]);
/// builder.set_acceptance(Acceptance::generalized_buchi(2), 2);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// for letter in 0..4u32 {
///     let bits = [(Prop(0), letter & 1 == 1), (Prop(1), letter & 2 == 2)];
///     let label = builder.letters_mut().cube(&bits).unwrap();
///     let marks = (0..2).filter(|bit| letter >> bit & 1 == 1).map(Mark).collect();
///     builder.add_edge(state, label, marks, state);
/// }
/// let one_set = degeneralize(&builder.build(), Limits::default()).unwrap();
/// assert_eq!(one_set.acceptance(), &Acceptance::buchi());
/// assert_eq!(one_set.state_count(), 2);
/// ```
pub fn degeneralize(automaton: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
    match automaton.acceptance().inf_clauses() {
        Some(clauses) => by_levels(automaton, &clauses, limits),
        None => {
            let generalized = to_generalized_buchi(automaton, limits)?;
            let clauses = generalized.acceptance().inf_clauses();
            by_levels(&generalized, &clauses.expect("a conjunction of Inf"), limits)
        }
    }
}

fn by_levels(
    automaton: &Automaton,
    clauses: &[MarkSet],
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let last = u32::try_from(clauses.len()).expect("fewer than 2^32 clauses");
    let met: Vec<Vec<bool>> = automaton
        .mark_table()
        .iter()
        .map(|(_, set)| clauses.iter().map(|clause| clause.intersects(set)).collect())
        .collect();
    let components = Components::of(automaton);
    let meets_all = |id: ComponentId| {
        !components.is_trivial(id)
            && clauses.iter().all(|clause| clause.intersects(components.marks(id)))
    };
    let counts: Vec<bool> = components.ids().map(meets_all).collect();

    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    builder.set_acceptance(Acceptance::buchi(), 1);
    let accepting = builder.mark_table_mut().intern(MarkSet::from_iter([Mark(0)]));
    let mut nodes: Numbering<(StateId, u32)> = Numbering::new();
    // The copy in which a component is entered: the first that came up.
    let mut entry: Vec<Option<u32>> = vec![None; automaton.state_count()];
    for &state in automaton.initial() {
        entry[state.index()] = Some(0);
        let node = nodes.state((state, 0), &mut builder);
        builder.add_initial(node);
    }
    while let Some((node, (state, level))) = nodes.next() {
        if let Some(name) = automaton.state_name(state) {
            builder.set_state_name(node, name.to_owned());
        }
        let component = components.component(state).expect("only reachable states come up");
        for &old in automaton.edges(state) {
            let mut edge = old;
            edge.marks = MarkSetId::EMPTY;
            let mut to = 0;
            if !components.together(state, old.target) {
                to = entry[old.target.index()].unwrap_or(0);
            } else if counts[component.index()] {
                let met = &met[old.marks.index()];
                let pass = |mut level: u32| {
                    while level < last && met[level as usize] {
                        level += 1;
                    }
                    level
                };
                to = pass(level);
                if to == last {
                    edge.marks = accepting;
                    to = pass(0);
                    if to == last {
                        to = 0;
                    }
                }
            }
            entry[old.target.index()].get_or_insert(to);
            edge.target = nodes.state((old.target, to), &mut builder);
            builder.add_interned(node, edge);
            within(&builder, limits)?;
        }
    }
    Ok(builder.build())
}
