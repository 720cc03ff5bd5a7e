//! Strongly connected components of explicit automata.
//!
//! [`Components`] is what the operations on automata ask: which states can reach each other, in an
//! order in which every component comes after those it leads to. The emptiness engines do not use
//! it: they find components on the way, of graphs that are not built yet ([`crate::Graph`]).
//!
//! The algorithm is Tarjan's ("Depth-first search and linear graph algorithms", SIAM J. Comput.
//! 1972) with an explicit stack.

use crate::automaton::{Automaton, Edge, StateId};
use crate::marks::MarkSet;

fairly_source::ids! {
    /// A strongly connected component; prints as its number.
    ComponentId;
}

/// The strongly connected components that are reachable, in reverse topological order: an edge
/// never leads to a component with a higher number.
///
/// ```
/// use fairly_omega::{Builder, Components, Label};
/// let mut builder = Builder::new(vec![]);
/// let start = builder.add_states(3);
/// let (middle, end) = (fairly_omega::StateId(1), fairly_omega::StateId(2));
/// builder.add_initial(start);
/// for (from, to) in [(start, middle), (middle, start), (middle, end)] {
///     builder.add_edge(from, Label::TRUE, Default::default(), to);
/// }
/// let components = Components::of(&builder.build());
/// assert_eq!(components.count(), 2);
/// assert_eq!(components.component(start), components.component(middle));
/// assert!(components.component(end) < components.component(start));
/// assert!(components.is_trivial(components.component(end).unwrap()));
/// ```
#[derive(Clone, Debug)]
pub struct Components {
    /// Component of each state, `UNREACHED` without one.
    of: Vec<u32>,
    /// Members of component `c` are `members[first[c]..first[c + 1]]`.
    first: Vec<u32>,
    members: Vec<StateId>,
    /// Whether an edge stays inside.
    cyclic: Vec<bool>,
    /// Marks of the edges that stay inside.
    marks: Vec<MarkSet>,
}

const UNREACHED: u32 = u32::MAX;

impl Components {
    /// The components that are reachable from the initial states.
    pub fn of(automaton: &Automaton) -> Self {
        Self::restricted(automaton, automaton.initial(), |_, _| true)
    }

    /// The components of the graph that has only the edges that pass `keep`, as far as it is
    /// reachable from `roots`: to look for a cycle inside one component that avoids some edges,
    /// take its members as roots and let nothing else pass.
    pub fn restricted(
        automaton: &Automaton,
        roots: &[StateId],
        mut keep: impl FnMut(StateId, &Edge) -> bool,
    ) -> Self {
        let states = automaton.state_count();
        let mut this = Components {
            of: vec![UNREACHED; states],
            first: vec![0],
            members: Vec::new(),
            cyclic: Vec::new(),
            marks: Vec::new(),
        };
        // `order` holds the lowest number known to be reached while a state is on the stack;
        // 0 means not seen.
        let mut order = vec![0u32; states];
        let mut next = 0u32;
        let mut open: Vec<StateId> = Vec::new();
        let mut path: Vec<(StateId, u32, u32)> = Vec::new();
        for &root in roots {
            if order[root.index()] != 0 {
                continue;
            }
            next += 1;
            order[root.index()] = next;
            open.push(root);
            path.push((root, next, 0));
            while let Some(&mut (state, number, ref mut at)) = path.last_mut() {
                let edges = automaton.edges(state);
                if let Some(edge) = edges.get(*at as usize) {
                    *at += 1;
                    if !keep(state, edge) {
                        continue;
                    }
                    let target = edge.target.index();
                    if order[target] == 0 {
                        next += 1;
                        order[target] = next;
                        open.push(edge.target);
                        path.push((edge.target, next, 0));
                    } else if this.of[target] == UNREACHED {
                        order[state.index()] = order[state.index()].min(order[target]);
                    }
                    continue;
                }
                path.pop();
                let low = order[state.index()];
                if let Some(&(parent, ..)) = path.last() {
                    let parent = parent.index();
                    order[parent] = order[parent].min(low);
                }
                if low == number {
                    let component = this.cyclic.len() as u32;
                    while let Some(member) = open.pop() {
                        this.of[member.index()] = component;
                        this.members.push(member);
                        if member == state {
                            break;
                        }
                    }
                    this.first.push(this.members.len() as u32);
                    this.cyclic.push(false);
                    this.marks.push(MarkSet::new());
                }
            }
        }
        for &member in &this.members {
            let component = this.of[member.index()];
            for edge in automaton.edges(member) {
                if this.of[edge.target.index()] == component && keep(member, edge) {
                    this.cyclic[component as usize] = true;
                    this.marks[component as usize].union_with(automaton.marks(edge.marks));
                }
            }
        }
        this
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        self.cyclic.len()
    }

    /// All components; those that others lead to come first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ComponentId> + use<> {
        (0..self.cyclic.len() as u32).map(ComponentId)
    }

    /// The component of a state, or `None` when it is not reachable.
    pub fn component(&self, state: StateId) -> Option<ComponentId> {
        let component = self.of[state.index()];
        (component != UNREACHED).then_some(ComponentId(component))
    }

    /// Whether the state is reachable.
    pub fn reached(&self, state: StateId) -> bool {
        self.of[state.index()] != UNREACHED
    }

    /// Whether both states are reachable and in one component.
    pub fn together(&self, a: StateId, b: StateId) -> bool {
        self.of[a.index()] == self.of[b.index()] && self.reached(a)
    }

    /// The states of a component.
    pub fn members(&self, component: ComponentId) -> &[StateId] {
        let at = component.index();
        &self.members[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// Whether no edge stays inside: a single state that no cycle passes through.
    pub fn is_trivial(&self, component: ComponentId) -> bool {
        !self.cyclic[component.index()]
    }

    /// The marks on the edges that stay inside.
    pub fn marks(&self, component: ComponentId) -> &MarkSet {
        &self.marks[component.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Label, Mark};

    #[test]
    fn agree_with_mutual_reachability() {
        let mut x = 7u64;
        for _ in 0..500 {
            let mut random = |below: u64| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (x >> 33) % below
            };
            let states = 1 + random(8);
            let mut builder = Builder::new(vec![]);
            builder.add_states(states as usize);
            builder.add_initial(StateId(random(states) as u32));
            builder.add_initial(StateId(random(states) as u32));
            for _ in 0..random(2 * states) {
                let (from, to) = (StateId(random(states) as u32), StateId(random(states) as u32));
                let marks = (0..3).filter(|_| random(2) == 0).map(Mark).collect();
                builder.add_edge(from, Label::TRUE, marks, to);
            }
            let automaton = builder.build();
            let components = Components::of(&automaton);
            let n = states as usize;
            let mut reach = vec![vec![false; n]; n];
            for state in automaton.states() {
                for edge in automaton.edges(state) {
                    reach[state.index()][edge.target.index()] = true;
                }
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            for a in automaton.states() {
                let reached =
                    automaton.initial().iter().any(|&i| i == a || reach[i.index()][a.index()]);
                assert_eq!(components.reached(a), reached);
                let Some(mine) = components.component(a) else { continue };
                assert!(components.members(mine).contains(&a));
                assert_eq!(components.is_trivial(mine), !reach[a.index()][a.index()]);
                for b in automaton.states().filter(|&b| components.reached(b)) {
                    let together =
                        a == b || reach[a.index()][b.index()] && reach[b.index()][a.index()];
                    assert_eq!(components.together(a, b), together);
                    if reach[a.index()][b.index()] {
                        assert!(components.component(b) <= Some(mine));
                    }
                }
                for edge in automaton.edges(a).iter().filter(|e| components.together(a, e.target)) {
                    assert!(automaton.marks(edge.marks).is_subset(components.marks(mine)));
                }
            }
            let total: usize = components.ids().map(|id| components.members(id).len()).sum();
            assert_eq!(total, automaton.states().filter(|&s| components.reached(s)).count());
        }
    }

    #[test]
    fn a_long_path_overflows_nothing() {
        let mut builder = Builder::new(vec![]);
        let count = 300_000;
        let first = builder.add_states(count as usize);
        builder.add_initial(first);
        for at in 0..count - 1 {
            builder.add_edge(StateId(at), Label::TRUE, MarkSet::new(), StateId(at + 1));
        }
        assert_eq!(Components::of(&builder.build()).count(), count as usize);
    }
}
