//! Makes a failing case small before a person has to look at it.

use crate::condition::TinyCondition;
use crate::graph::TinyGraph;

/// The smallest case that still fails and is reached from this one by dropping edges, marks,
/// initial nodes and parts of the condition one at a time. `fails` must be true of the case given.
///
/// ```
/// use fairly_testkit::{TinyCondition, TinyGraph, shrink};
/// let graph = TinyGraph::of(2, &[(0, &[1], 1), (1, &[0], 0), (1, &[0, 1], 1)]);
/// let (small, _) = shrink(graph, TinyCondition::Inf(0), |graph, _| {
///     graph.edges.iter().any(|edge| edge.from == edge.to)
/// });
/// assert_eq!(small.to_string(), "2 nodes from []: 1 -{}-> 1");
/// ```
pub fn shrink(
    mut graph: TinyGraph,
    mut condition: TinyCondition,
    mut fails: impl FnMut(&TinyGraph, &TinyCondition) -> bool,
) -> (TinyGraph, TinyCondition) {
    loop {
        let smaller_graph = smaller_graphs(&graph).into_iter().find(|it| fails(it, &condition));
        if let Some(smaller) = smaller_graph {
            graph = smaller;
            continue;
        }
        let smaller = smaller_conditions(&condition).into_iter().find(|it| fails(&graph, it));
        let Some(smaller) = smaller else { return (graph, condition) };
        condition = smaller;
    }
}

fn smaller_graphs(graph: &TinyGraph) -> Vec<TinyGraph> {
    let mut smaller = Vec::new();
    let mut change = |change: &dyn Fn(&mut TinyGraph)| {
        let mut copy = graph.clone();
        change(&mut copy);
        smaller.push(copy);
    };
    for at in 0..graph.initial.len() {
        change(&|copy| _ = copy.initial.remove(at));
    }
    for at in 0..graph.edges.len() {
        change(&|copy| _ = copy.edges.remove(at));
    }
    for (at, edge) in graph.edges.iter().enumerate() {
        for mark in (0..64).filter(|mark| edge.marks >> mark & 1 == 1) {
            change(&|copy| copy.edges[at].marks &= !(1 << mark));
        }
    }
    smaller
}

fn smaller_conditions(condition: &TinyCondition) -> Vec<TinyCondition> {
    let (parts, conjunction) = match condition {
        TinyCondition::And(parts) => (parts, true),
        TinyCondition::Or(parts) => (parts, false),
        _ => return Vec::new(),
    };
    let join = |parts| {
        if conjunction { TinyCondition::And(parts) } else { TinyCondition::Or(parts) }
    };
    // Each part alone, all but one, and one made smaller.
    let mut smaller = parts.clone();
    for at in 0..parts.len() {
        let mut fewer = parts.clone();
        fewer.remove(at);
        smaller.push(join(fewer));
        for part in smaller_conditions(&parts[at]) {
            let mut same = parts.clone();
            same[at] = part;
            smaller.push(join(same));
        }
    }
    smaller
}
