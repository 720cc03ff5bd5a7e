//! Fewer states: of the trees that hold the same states, those of one component are enough.
//!
//! Trees that hold the same states accept the same words, whatever their histories. So consider the
//! components of the plain subset construction: a run stays in one of them from some point on, and
//! which trees it then goes through does not matter as long as it goes on as the construction says.
//! For each such component it is enough to keep one set of trees that no run leaves for other trees
//! of it, and to enter the component there.
//!
//! The idea is from Löding and Pirogov ("New optimizations and heuristics for determinization of
//! Büchi automata", ATVA 2019), who find such trees before they build the others. Here all are
//! built first, so that the smallest can be chosen.

use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::Label;
use crate::marks::MarkSet;
use crate::ops::parts::restrict;
use crate::scc::{ComponentId, Components};

/// Keeps the smallest part that will do. `sets[tree]` numbers, from 0, the set of states that a
/// tree holds.
pub(super) fn smallest(automaton: &Automaton, sets: &[u32]) -> Automaton {
    let set_of = |tree: StateId| sets[tree.index()] as usize;
    let count = sets.iter().max().map_or(0, |&most| most as usize + 1);
    if count == sets.len() {
        return automaton.clone();
    }
    let mut builder = Builder::new(Vec::new());
    builder.add_states(count);
    for tree in automaton.states() {
        for edge in automaton.edges(tree) {
            let target = StateId::from_index(set_of(edge.target));
            builder.add_edge(
                StateId::from_index(set_of(tree)),
                Label::TRUE,
                MarkSet::new(),
                target,
            );
        }
    }
    automaton.initial().iter().for_each(|&i| builder.add_initial(StateId::from_index(set_of(i))));
    let outer = Components::of(&builder.build());
    let around = |tree: StateId| {
        outer.component(StateId::from_index(set_of(tree))).expect("every set is reached").index()
    };

    let inner = Components::of(automaton);
    let mut chosen: Vec<Option<ComponentId>> = vec![None; outer.count()];
    for id in inner.ids() {
        let members = inner.members(id);
        let here = around(members[0]);
        let closed = members.iter().all(|&tree| {
            let mut edges = automaton.edges(tree).iter();
            edges.all(|edge| inner.together(tree, edge.target) || around(edge.target) != here)
        });
        let better = chosen[here].is_none_or(|other| members.len() < inner.members(other).len());
        if closed && better {
            chosen[here] = Some(id);
        }
    }
    let kept = |tree: StateId| inner.component(tree) == chosen[around(tree)];
    let mut entry: Vec<Option<StateId>> = vec![None; count];
    for tree in automaton.states().filter(|&tree| kept(tree)) {
        entry[set_of(tree)].get_or_insert(tree);
    }
    let turned = |tree: StateId| {
        if kept(tree) { tree } else { entry[set_of(tree)].expect("closed parts hold every set") }
    };
    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    builder.add_states(automaton.state_count());
    automaton.initial().iter().for_each(|&initial| builder.add_initial(turned(initial)));
    for tree in automaton.states().filter(|&tree| kept(tree)) {
        for &edge in automaton.edges(tree) {
            let target = turned(edge.target);
            builder.add_interned(tree, crate::automaton::Edge { target, ..edge });
        }
    }
    let all = builder.build();
    let reached = Components::of(&all);
    restrict(&all, |tree| reached.reached(tree), |_, _, &edge| Some(edge))
}
