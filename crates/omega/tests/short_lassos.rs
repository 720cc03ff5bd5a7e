//! Short lassos against a naive search for the shortest one.

use std::collections::{BTreeSet, VecDeque};

use fairly_omega::emptiness::Explored;
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, judge_lasso, random_condition,
    random_graph,
};

use crate::common::{self, NARROW};

/// The length of a shortest accepted lasso: from every node, breadth first over all pairs of a node and marks.
fn shortest(graph: &TinyGraph, condition: &TinyCondition) -> Option<usize> {
    let edges = || graph.edges.iter().filter(|edge| edge.letters != 0);
    let mut distance = vec![None; graph.nodes];
    let mut queue: VecDeque<usize> = graph.initial.iter().copied().collect();
    graph.initial.iter().for_each(|&node| distance[node] = Some(0));
    while let Some(node) = queue.pop_front() {
        for edge in edges().filter(|edge| edge.from == node) {
            if distance[edge.to].is_none() {
                distance[edge.to] = distance[node].map(|steps: usize| steps + 1);
                queue.push_back(edge.to);
            }
        }
    }
    let cycle = |start: usize| {
        let mut known = BTreeSet::new();
        let mut queue = VecDeque::from([(start, 0u64, 0usize)]);
        while let Some((node, marks, steps)) = queue.pop_front() {
            for edge in edges().filter(|edge| edge.from == node) {
                let now = marks | edge.marks;
                if edge.to == start && condition.accepts(now) {
                    return Some(steps + 1);
                }
                if known.insert((edge.to, now)) {
                    queue.push_back((edge.to, now, steps + 1));
                }
            }
        }
        None
    };
    (0..graph.nodes).filter_map(|node| Some(distance[node]? + cycle(node)?)).min()
}

#[test]
fn random_graphs_have_shortest_lassos() {
    let (cases, first) = (common::cases(4_000), common::first_seed(0));
    let mut found = 0;
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let kind = *rng.pick(&ConditionKind::ALL);
        // Now and then more marks than are searched without a walk before.
        let (marks, most_edges) = match seed % 16 {
            0 => (18 + rng.below(4) as u32, 14),
            _ => (rng.below(7) as u32, 24),
        };
        let shape = GraphShape { marks, most_nodes: 9, most_edges, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let condition = random_condition(&mut rng, kind, shape.marks);
        let wide: Vec<u32> = (0..64).collect();
        let names: &[u32] = if marks > 7 { &wide } else { &NARROW };
        let automaton = common::automaton_with_marks(&graph, &condition, names);
        let explored = Explored::of(&mut automaton.graph()).expect("a tiny graph");
        let lasso = explored.short_lasso(usize::MAX, 1 << 20).expect("an easy condition");
        let expected = shortest(&graph, &condition);
        let steps = lasso.as_ref().map(|lasso| lasso.stem.len() + lasso.cycle.len());
        assert_eq!(steps, expected, "seed {seed}: {condition} on {graph}");
        let Some(lasso) = lasso else { continue };
        found += 1;
        let lasso = explored.lasso_of_original(&lasso);
        let (stem, cycle) =
            common::lasso_edges(&graph, &lasso, fairly_omega::StateId::index).expect("a path");
        judge_lasso(&graph, &condition, &stem, &cycle).expect("accepted");
        // The search is for a lasso that is shorter than the known one.
        let again = explored.short_lasso(stem.len() + cycle.len(), 1 << 20);
        assert_eq!(again.expect("an easy condition"), None, "seed {seed}");
    }
    assert!(cases < 1_000 || found * 5 > cases, "hardly tested: {found}");
}

/// With more marks than pairs can tell apart, the walk from one demand to the next is taken, from any start.
#[test]
fn many_marks_are_met_by_a_walk() {
    let marks: Vec<u32> = (0..20).collect();
    let names: Vec<u32> = (0..64).collect();
    // A long ring that meets one mark a step, and a loop at its start that meets all of them. Nodes are not
    // numbered by distance, so that numbers of the copy are others than those of the graph.
    let named = |node: usize| if node == 0 { 0 } else { 23 - node };
    let mut edges: Vec<(usize, &[u32], usize)> =
        vec![(0, &[], named(1)), (named(1), &marks, named(1)), (named(1), &[], named(2))];
    edges.extend((2..22).map(|at| (named(at), &marks[at - 2..at - 1], named(at % 21 + 1))));
    let graph = TinyGraph::of(23, &edges);
    let condition =
        TinyCondition::And(marks.iter().map(|&mark| TinyCondition::Inf(mark)).collect());
    let automaton = common::automaton_with_marks(&graph, &condition, &names);
    let explored = Explored::of(&mut automaton.graph()).expect("a tiny graph");
    let lasso = explored.short_lasso(usize::MAX, 1 << 20).expect("easy").expect("there is one");
    assert_eq!((lasso.stem.len(), lasso.cycle.len()), (1, 1));
    let lasso = explored.lasso_of_original(&lasso);
    let (stem, cycle) =
        common::lasso_edges(&graph, &lasso, fairly_omega::StateId::index).expect("a path");
    judge_lasso(&graph, &condition, &stem, &cycle).expect("accepted");
}
