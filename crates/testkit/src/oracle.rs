//! Is there an accepting run? Answered naively, in two ways that share nothing.
//!
//! A run starts in an initial node and takes edges for ever; it is judged by the marks of the
//! edges it takes infinitely often. The first answer enumerates the *sets of edges* that a run can
//! take infinitely often, the second the *closed walks* with the marks they collect. Neither knows
//! depth-first search, components, pruning or the shape of the condition, which is where engines
//! go wrong. A lasso that an engine gives is judged by [`judge_lasso`], which walks it.
//!
//! For words instead of runs, see [`crate::words`].

use std::collections::BTreeSet;

use crate::condition::TinyCondition;
use crate::graph::TinyGraph;

/// The most reachable edges that [`has_accepting_run_by_subsets`] enumerates the subsets of.
pub const MOST_EDGES: usize = 16;

/// Whether there is an accepting run, by enumerating all non-empty sets of reachable edges that
/// are strongly connected: exactly the sets that a run can take infinitely often.
///
/// # Panics
/// With more than [`MOST_EDGES`] reachable edges, or more than 64 nodes.
///
/// ```
/// use fairly_testkit::{TinyCondition, TinyGraph, has_accepting_run_by_subsets};
/// let two_loops = TinyGraph::of(1, &[(0, &[0], 0), (0, &[1], 0)]);
/// assert!(has_accepting_run_by_subsets(&two_loops, &TinyCondition::rabin_pair(0, 1)));
/// ```
pub fn has_accepting_run_by_subsets(graph: &TinyGraph, condition: &TinyCondition) -> bool {
    let reached = reachable_nodes(graph);
    let edges: Vec<(u64, u64, u64)> = graph
        .edges
        .iter()
        .filter(|edge| edge.letters != 0 && reached.contains(&edge.from))
        .map(|edge| (1u64 << edge.from, 1u64 << edge.to, edge.marks))
        .collect();
    assert!(edges.len() <= MOST_EDGES, "{} edges are too many to enumerate", edges.len());
    assert!(graph.nodes <= 64, "{} nodes are too many to enumerate", graph.nodes);
    (1u32..1 << edges.len()).any(|subset| {
        let chosen = || (0..edges.len()).filter(|at| subset >> at & 1 == 1).map(|at| edges[at]);
        let (mut sources, mut targets, mut marks) = (0, 0, 0);
        for (from, to, carried) in chosen() {
            sources |= from;
            targets |= to;
            marks |= carried;
        }
        if sources != targets || !condition.accepts(marks) {
            return false;
        }
        // Strongly connected: from one node all others are reached, forwards and backwards.
        let mut forwards = sources & sources.wrapping_neg();
        let mut backwards = forwards;
        for _ in 0..graph.nodes {
            for (from, to, _) in chosen() {
                if forwards & from != 0 {
                    forwards |= to;
                }
                if backwards & to != 0 {
                    backwards |= from;
                }
            }
        }
        forwards == sources && backwards == sources
    })
}

/// Whether there is an accepting run, by walking from every reachable node with the set of marks
/// collected so far, until the walk is back where it started with marks that are accepted.
///
/// The pairs of a node and a set of marks are finitely many, so this is a decision, not a bound:
/// every closed walk shows up as the pair it ends in. The number of marks is what it costs.
pub fn has_accepting_run_by_lassos(graph: &TinyGraph, condition: &TinyCondition) -> bool {
    reachable_nodes(graph).into_iter().any(|start| {
        let mut known = BTreeSet::new();
        let mut open = vec![(start, 0u64)];
        while let Some((node, collected)) = open.pop() {
            for edge in &graph.edges {
                if edge.letters == 0 || edge.from != node {
                    continue;
                }
                let next = (edge.to, collected | edge.marks);
                if next.0 == start && condition.accepts(next.1) {
                    return true;
                }
                if known.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    })
}

/// Judges a lasso, given as positions in `graph.edges`: the stem starts in an initial node, every
/// edge starts where the one before ends, the cycle is not empty and returns to its start, and the
/// marks on the cycle are accepted.
///
/// # Errors
/// The error, in words.
pub fn judge_lasso(
    graph: &TinyGraph,
    condition: &TinyCondition,
    stem: &[usize],
    cycle: &[usize],
) -> Result<(), String> {
    let mut at: Option<usize> = None;
    for (position, &number) in stem.iter().chain(cycle).enumerate() {
        let edge = graph
            .edges
            .get(number)
            .ok_or_else(|| format!("step {position} takes edge {number}, which does not exist"))?;
        if edge.letters == 0 {
            return Err(format!("step {position} takes edge {number}, which has no letter"));
        }
        match at {
            None if !graph.initial.contains(&edge.from) => {
                return Err(format!("it starts in {}, which is not initial", edge.from));
            }
            Some(node) if node != edge.from => {
                return Err(format!(
                    "step {position} leaves {}, but the run is in {node}",
                    edge.from
                ));
            }
            _ => at = Some(edge.to),
        }
    }
    let Some(&first) = cycle.first() else { return Err("the cycle is empty".into()) };
    let (start, end) = (graph.edges[first].from, at.expect("the cycle has an edge"));
    if start != end {
        return Err(format!("the cycle starts in {start} but ends in {end}"));
    }
    let mut marks = 0;
    for &number in cycle {
        marks |= graph.edges[number].marks;
    }
    if condition.accepts(marks) {
        Ok(())
    } else {
        Err(format!("the cycle's marks {marks:#b} are not accepted by {condition}"))
    }
}

/// The nodes that a run can come to.
fn reachable_nodes(graph: &TinyGraph) -> BTreeSet<usize> {
    let mut reached: BTreeSet<usize> = graph.initial.iter().copied().collect();
    loop {
        let before = reached.len();
        for edge in &graph.edges {
            if edge.letters != 0 && reached.contains(&edge.from) {
                reached.insert(edge.to);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::TinyCondition::{And, Fin, Inf, True};
    use crate::generate::{ConditionKind, GraphShape, random_condition, random_graph};
    use crate::rng::Rng;

    #[test]
    fn the_two_answers_agree() {
        let (mut accepting, mut rejecting) = (0, 0);
        for seed in 0..20_000 {
            let mut rng = Rng::new(seed);
            let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
            let shape = GraphShape::default();
            let graph = random_graph(&mut rng, &shape);
            let condition = random_condition(&mut rng, kind, shape.marks);
            let by_subsets = has_accepting_run_by_subsets(&graph, &condition);
            let by_lassos = has_accepting_run_by_lassos(&graph, &condition);
            assert_eq!(by_subsets, by_lassos, "seed {seed}: {condition} on {graph}");
            *(if by_subsets { &mut accepting } else { &mut rejecting }) += 1;
        }
        // A generator that only makes one kind of case would make the agreement worthless.
        assert!(accepting > 5_000 && rejecting > 5_000, "{accepting} against {rejecting}");
    }

    fn both(graph: &TinyGraph, condition: &TinyCondition) -> bool {
        let answer = has_accepting_run_by_subsets(graph, condition);
        assert_eq!(answer, has_accepting_run_by_lassos(graph, condition), "{condition} on {graph}");
        answer
    }

    #[test]
    fn answers_known_by_hand() {
        // A run needs an edge to take for ever; a path that ends is none, whatever it carries.
        assert!(!both(&TinyGraph::of(2, &[(0, &[0], 1)]), &True));
        assert!(!both(&TinyGraph::of(0, &[]).clone_without_initial(), &True));
        assert!(both(&TinyGraph::of(1, &[(0, &[], 0)]), &True));
        // A loop that is never reached, or on no letter.
        assert!(!both(&TinyGraph::of(2, &[(1, &[0], 1)]), &Inf(0)));
        let mut silent = TinyGraph::of(1, &[(0, &[], 0)]);
        silent.edges[0].letters = 0;
        assert!(!both(&silent, &True));
        // Both loops have to be taken; with Fin on one of them, only the other may be.
        let loops = TinyGraph::of(1, &[(0, &[0], 0), (0, &[1], 0)]);
        assert!(both(&loops, &And(vec![Inf(0), Inf(1)])));
        assert!(both(&loops, &And(vec![Inf(0), Fin(1)])));
        assert!(!both(&loops, &And(vec![Fin(0), Fin(1)])));
        // Marks on the way into a component do not count.
        assert!(!both(&TinyGraph::of(2, &[(0, &[0], 1), (1, &[], 1)]), &Inf(0)));
    }

    impl TinyGraph {
        fn clone_without_initial(&self) -> Self {
            TinyGraph { initial: Vec::new(), ..self.clone() }
        }
    }

    #[test]
    fn lassos_are_judged() {
        let graph =
            TinyGraph::of(3, &[(0, &[], 1), (1, &[0], 2), (2, &[], 1), (1, &[1], 1), (2, &[], 2)]);
        let judge = |stem: &[usize], cycle: &[usize]| judge_lasso(&graph, &Inf(0), stem, cycle);
        assert_eq!(judge(&[0], &[1, 2]), Ok(()));
        assert_eq!(judge(&[0, 1], &[4, 2, 1]), Ok(()));
        let wrong = |stem: &[usize], cycle: &[usize]| judge(stem, cycle).unwrap_err();
        assert!(wrong(&[0], &[]).contains("empty"));
        assert!(wrong(&[], &[1, 2]).contains("not initial"));
        assert!(wrong(&[0], &[2]).contains("the run is in 1"));
        assert!(wrong(&[0], &[1]).contains("ends in 2"));
        assert!(wrong(&[0], &[3]).contains("not accepted"));
        assert!(wrong(&[0], &[9]).contains("does not exist"));
        let mut silent = graph.clone();
        silent.edges[2].letters = 0;
        assert!(judge_lasso(&silent, &Inf(0), &[0], &[1, 2]).unwrap_err().contains("no letter"));
    }
}
