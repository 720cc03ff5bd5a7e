//! Trimming: only the states and edges that an accepting run can use.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::emptiness::has_accepting_cycle;
use crate::marks::MarkSetId;
use crate::ops::parts::{Renumbered, restrict};
use crate::scc::Components;

/// Which components of an automaton hold an accepting cycle.
pub(crate) fn accepting_components(automaton: &Automaton, components: &Components) -> Vec<bool> {
    components
        .ids()
        .map(|id| {
            if components.is_trivial(id) {
                return false;
            }
            let marks = components.marks(id);
            // Two cheap answers before a search: what accepts with every mark of the component
            // accepts the cycle through all its edges, and without `Fin` no other cycle is better.
            let condition = automaton.acceptance().restrict(marks);
            match condition {
                Acceptance::True => true,
                Acceptance::False => false,
                _ if condition.accepts(marks) => true,
                _ if condition.polarity().0.is_empty() => false,
                // One that is too hard to decide stays: keeping too much changes no language.
                _ => has_accepting_cycle(automaton, components.members(id), &condition)
                    .unwrap_or(true),
            }
        })
        .collect()
}

/// Which states can be reached and can still reach an accepting cycle.
pub(crate) fn useful_states(
    automaton: &Automaton,
    components: &Components,
    accepting: &[bool],
) -> Vec<bool> {
    let mut good = accepting.to_vec();
    // Components come after those they lead to, so one pass is enough.
    for id in components.ids().filter(|id| !accepting[id.index()]) {
        good[id.index()] = components.members(id).iter().any(|&state| {
            automaton.edges(state).iter().any(|edge| {
                components.component(edge.target).is_some_and(|target| good[target.index()])
            })
        });
    }
    let useful = |state| components.component(state).is_some_and(|id| good[id.index()]);
    automaton.states().map(useful).collect()
}

/// The automaton without the states that no accepting run visits. If it accepts nothing, nothing
/// is left, not even an initial state.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark, ops::trim};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let (start, dead) = (builder.add_state(), builder.add_state());
/// builder.add_initial(start);
/// builder.add_edge(start, Label::TRUE, [Mark(0)].into_iter().collect(), start);
/// builder.add_edge(start, Label::TRUE, Default::default(), dead);
/// assert_eq!(trim(&builder.build()).state_count(), 1);
/// ```
pub fn trim(automaton: &Automaton) -> Automaton {
    let components = Components::of(automaton);
    let accepting = accepting_components(automaton, &components);
    let useful = useful_states(automaton, &components, &accepting);
    if useful.iter().all(|&useful| useful) {
        return automaton.clone();
    }
    restrict(automaton, |state| useful[state.index()], |_, _, &edge| Some(edge))
}

/// The automaton without marks that cannot matter: those that the condition does not name, and
/// all marks of edges that lead from one component to another, which a run takes finitely often.
/// The marks that are left keep their numbers.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, MarkSet, MarkSetId, ops::purge};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::buchi(), 2);
/// let (start, end) = (builder.add_state(), builder.add_state());
/// builder.add_initial(start);
/// builder.add_edge(start, Label::TRUE, MarkSet::first(2), end);
/// builder.add_edge(end, Label::TRUE, MarkSet::first(2), end);
/// let purged = purge(&builder.build());
/// assert_eq!(purged.edges(start)[0].marks, MarkSetId::EMPTY);
/// assert_eq!(purged.marks(purged.edges(end)[0].marks), &MarkSet::first(1));
/// ```
pub fn purge(automaton: &Automaton) -> Automaton {
    let components = Components::of(automaton);
    let used = automaton.acceptance().marks();
    let mut sets: Vec<Option<MarkSetId>> = vec![None; automaton.mark_table().len()];
    restrict(
        automaton,
        |_| true,
        |builder, state, &old| {
            let mut edge = old;
            edge.marks = if components.together(state, edge.target) {
                *sets[old.marks.index()].get_or_insert_with(|| {
                    let kept = automaton.marks(old.marks).intersection(&used);
                    builder.mark_table_mut().intern(kept)
                })
            } else {
                MarkSetId::EMPTY
            };
            Some(edge)
        },
    )
}

/// The automaton with its marks numbered in a row, without those that its condition does not
/// name.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Mark, ops::renumber_marks};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::Inf(Mark(7)), 9);
/// let renumbered = renumber_marks(&builder.build());
/// assert_eq!(renumbered.acceptance(), &Acceptance::buchi());
/// assert_eq!(renumbered.mark_count(), 1);
/// ```
pub fn renumber_marks(automaton: &Automaton) -> Automaton {
    let mut new = Renumbered::of(automaton, 0);
    let mut sets = new.sets.drain(..);
    let mut builder = automaton.to_builder();
    // The builder's table is a copy of the automaton's, in the same order.
    builder.map_marks(|_| sets.next().expect("one set for each old one"));
    drop(sets);
    builder.set_acceptance(new.acceptance, new.width);
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Label, Mark};

    #[test]
    fn an_empty_language_leaves_nothing() {
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(Acceptance::co_buchi(), 1);
        let state = builder.add_state();
        builder.add_initial(state);
        builder.add_edge(state, Label::TRUE, [Mark(0)].into_iter().collect(), state);
        let trimmed = trim(&builder.build());
        assert_eq!((trimmed.state_count(), trimmed.initial().len()), (0, 0));
    }
}
