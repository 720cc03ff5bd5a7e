//! Shortest paths in a graph that has been explored already, for stems and for closing a cycle.

use std::cell::Cell;

use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Lasso};

const NOBODY: u32 = u32::MAX;
/// Nodes that the search has not met and that may be looked at for a shorter stem.
const FURTHER: usize = 10_000;

/// A shortest path from one of `from` to a node for which `goal` holds, through nodes for which
/// `known` holds, or `None`. The path is empty when a start is a goal.
pub(super) fn shortest<G: Graph>(
    graph: &mut G,
    from: &[StateId],
    known: impl Fn(StateId) -> bool,
    goal: impl Fn(StateId) -> bool,
) -> Option<Vec<Hop>> {
    // (parent, nth step of the parent), by node; a start is its own parent.
    let mut reached: Vec<(u32, u32)> = Vec::new();
    let mut layer: Vec<StateId> = Vec::new();
    let see = |reached: &mut Vec<(u32, u32)>, node: StateId, entry: (u32, u32)| {
        if node.index() >= reached.len() {
            reached.resize((node.index() + 1).max(reached.len() * 2), (NOBODY, 0));
        }
        let fresh = reached[node.index()].0 == NOBODY;
        if fresh {
            reached[node.index()] = entry;
        }
        fresh
    };
    for &node in from {
        if goal(node) {
            return Some(Vec::new());
        }
        if known(node) && see(&mut reached, node, (node.0, 0)) {
            layer.push(node);
        }
    }
    let mut steps = Vec::new();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for &node in &layer {
            steps.clear();
            graph.steps(node, &mut steps);
            for (nth, step) in (0u32..).zip(&steps) {
                if !known(step.target) || !see(&mut reached, step.target, (node.0, nth)) {
                    continue;
                }
                if goal(step.target) {
                    return Some(trace_back(&reached, step.target));
                }
                next.push(step.target);
            }
        }
        layer = next;
    }
    None
}

fn trace_back(reached: &[(u32, u32)], goal: StateId) -> Vec<Hop> {
    let mut path = Vec::new();
    let mut at = goal;
    loop {
        let (parent, nth) = reached[at.index()];
        if parent == at.0 {
            path.reverse();
            return path;
        }
        path.push(Hop { from: StateId(parent), nth, to: at });
        at = StateId(parent);
        debug_assert!(path.len() <= reached.len());
    }
}

/// The lasso that enters `cycle` by a shortest path; shortest of all unless the graph is so large
/// that only the nodes the search has met can be looked at.
///
/// A self-loop on a start node would look like a start to [`trace_back`]; it never becomes a
/// parent entry, because a start is reached before any step.
pub(super) fn with_shortest_stem<G: Graph>(
    graph: &mut G,
    mut cycle: Vec<Hop>,
    known: impl Fn(StateId) -> bool,
) -> Lasso {
    let on_cycle: hashbrown::HashSet<StateId> = cycle.iter().map(|hop| hop.from).collect();
    let initial = graph.initial();
    let goal = |node: StateId| on_cycle.contains(&node);
    let mut stem = shortest(graph, &initial, &known, goal)
        .expect("the cycle was reached from an initial node through known nodes");
    // A node that the search has not met may be on a shorter way. Looking for one may cost some
    // nodes, but not the whole graph of a system that failed early.
    if !stem.is_empty() {
        let budget = Cell::new(FURTHER);
        let affordable =
            |node: StateId| known(node) || budget.replace(budget.get().saturating_sub(1)) > 0;
        let other = shortest(graph, &initial, affordable, goal);
        stem = other.filter(|other| other.len() < stem.len()).unwrap_or(stem);
    }
    let entry = match stem.last() {
        Some(hop) => hop.to,
        None => initial
            .into_iter()
            .find(|node| on_cycle.contains(node))
            .expect("an empty stem starts on the cycle"),
    };
    let turn = cycle.iter().position(|hop| hop.from == entry).expect("the entry is on the cycle");
    cycle.rotate_left(turn);
    Lasso { stem, cycle }
}
