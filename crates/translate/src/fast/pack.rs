//! Fewer marks: those of one component are numbered apart from those of another.
//!
//! A run ends up in one component, so what a mark means there is that component's own affair. A
//! mark that every edge of a component carries says nothing in it; the others are numbered from 0
//! in each component, and a component that needs fewer than the largest one carries the rest on
//! every edge.

use fairly_omega::{Acceptance, Automaton, Components, Mark, MarkSet};

/// The automaton with as few marks as its neediest component has. For generalized Büchi conditions;
/// others are left as they are.
pub(super) fn pack_marks(automaton: Automaton) -> Automaton {
    let marks = automaton.mark_count();
    if *automaton.acceptance() != Acceptance::generalized_buchi(marks) || marks == 0 {
        return automaton;
    }
    let components = Components::of(&automaton);
    // For each component the marks that matter; `None` if it accepts nothing.
    let mut needed: Vec<Option<Vec<Mark>>> = Vec::with_capacity(components.count());
    for id in components.ids() {
        let accepting = !components.is_trivial(id) && components.marks(id).len() == marks as usize;
        let mut common = MarkSet::first(marks);
        for &state in components.members(id) {
            for edge in automaton.edges(state) {
                if components.together(state, edge.target) {
                    common = common.intersection(automaton.marks(edge.marks));
                }
            }
        }
        let missing = MarkSet::first(marks).difference(&common);
        needed.push(accepting.then(|| missing.iter().collect()));
    }
    let mut most = needed.iter().flatten().map(Vec::len).max().unwrap_or(0) as u32;
    if most == 0
        && needed
            .iter()
            .zip(components.ids())
            .any(|(needed, id)| needed.is_none() && !components.is_trivial(id))
    {
        // A mark that tells accepting components from the others.
        most = 1;
    }
    if most >= marks {
        return automaton;
    }
    let mut builder = automaton.like();
    builder.set_acceptance(Acceptance::generalized_buchi(most), most);
    builder.add_states(automaton.state_count());
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let inside =
                components.component(state).filter(|_| components.together(state, edge.target));
            let set = match inside.and_then(|id| needed[id.index()].as_ref()) {
                None => MarkSet::new(),
                Some(own) => {
                    let old = automaton.marks(edge.marks);
                    (0..most)
                        .filter(|&at| own.get(at as usize).is_none_or(|&mark| old.contains(mark)))
                        .map(Mark)
                        .collect()
                }
            };
            builder.add_edge(state, edge.label, set, edge.target);
        }
    }
    builder.build()
}
