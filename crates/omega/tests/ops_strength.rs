//! Strength classes against the oracle, component by component.

use fairly_omega::ops::{Strength, describe, is_semi_deterministic, reduce, strength};
use fairly_omega::{Acceptance, Builder, Label, MarkSet, Prop, StateId};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, accepts_word,
    has_accepting_run_by_lassos, random_condition, random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed};

fn negation(condition: &TinyCondition) -> TinyCondition {
    let all = |parts: &[TinyCondition]| parts.iter().map(negation).collect();
    match condition {
        TinyCondition::True => TinyCondition::False,
        TinyCondition::False => TinyCondition::True,
        TinyCondition::Inf(mark) => TinyCondition::Fin(*mark),
        TinyCondition::Fin(mark) => TinyCondition::Inf(*mark),
        TinyCondition::And(parts) => TinyCondition::Or(all(parts)),
        TinyCondition::Or(parts) => TinyCondition::And(all(parts)),
    }
}

/// Which nodes can reach which in one step or more, on edges that can be taken.
fn reachability(graph: &TinyGraph) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; graph.nodes]; graph.nodes];
    for edge in graph.edges.iter().filter(|edge| edge.letters != 0) {
        reach[edge.from][edge.to] = true;
    }
    for middle in 0..graph.nodes {
        for from in 0..graph.nodes {
            for to in 0..graph.nodes {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    reach
}

/// Only the part of the graph around one node, starting there.
fn around(graph: &TinyGraph, reach: &[Vec<bool>], node: usize) -> TinyGraph {
    let mut part = graph.clone();
    part.initial = vec![node];
    part.edges.retain(|edge| {
        let inside = |at: usize| at == node || reach[node][at] && reach[at][node];
        inside(edge.from) && inside(edge.to)
    });
    part
}

#[test]
fn components_are_judged_as_the_oracle_does() {
    let mut seen = [0; 4];
    let first = first_seed(0);
    for seed in first..first + cases(3_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 4, most_edges: 8, marks: 3, propositions: 1 };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let case = format!("seed {seed}: {condition} on {graph}");
        let tested = automaton(&graph, &condition);
        let found = strength(&tested).unwrap();
        seen[found as usize] += 1;
        let reach = reachability(&graph);
        let reached: Vec<usize> = (0..graph.nodes)
            .filter(|&node| graph.initial.iter().any(|&i| i == node || reach[i][node]))
            .collect();
        let accepts =
            |node: usize| has_accepting_run_by_lassos(&around(&graph, &reach, node), &condition);
        let rejects = |node: usize| {
            has_accepting_run_by_lassos(&around(&graph, &reach, node), &negation(&condition))
        };
        let mixed = reached.iter().any(|&node| accepts(node) && rejects(node));
        assert_eq!(found == Strength::Strong, mixed, "{case}");
        if found == Strength::Terminal {
            // From an accepting component every word is accepted.
            for &node in reached.iter().filter(|&&node| accepts(node)) {
                let mut from_here = graph.clone();
                from_here.initial = vec![node];
                let word = random_word(&mut rng, 1, 2, 3);
                assert!(accepts_word(&from_here, &condition, &word), "{case} from {node}: {word}");
            }
        }
        let description = describe(&tested).unwrap();
        assert_eq!(description.strength, found, "{case}");
        if description.deterministic {
            assert!(description.semi_deterministic, "{case}");
            assert_eq!(description.unambiguous, Some(true), "{case}");
        }
        if description.very_weak {
            assert!(
                reached
                    .iter()
                    .all(|&a| { reached.iter().all(|&b| a == b || !(reach[a][b] && reach[b][a])) })
            );
        }
        // A reduced automaton is never stronger than it need be: marks are uniform in weak ones.
        let reduced = strength(&reduce(&tested).unwrap()).unwrap();
        assert_ne!(reduced, Strength::InherentlyWeak, "{case}");
        if found != Strength::Strong {
            assert_ne!(reduced, Strength::Strong, "{case}");
        }
    }
    assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
}

#[test]
fn the_classic_examples() {
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let (wait, done) = (builder.add_state(), builder.add_state());
    builder.add_initial(wait);
    let p = builder.letters_mut().prop(Prop(0)).unwrap();
    builder.add_edge(wait, Label::TRUE, MarkSet::new(), wait);
    builder.add_edge(wait, p, MarkSet::new(), done);
    let mut eventually = builder.clone();
    eventually.add_edge(done, Label::TRUE, MarkSet::first(1), done);
    let description = describe(&eventually.build()).unwrap();
    assert_eq!(description.to_string(), "terminal, very weak, semi-deterministic, complete");
    assert_eq!(description.unambiguous, Some(false), "the moment is guessed");
    // Eventually always p: weak, and two guesses are two runs.
    builder.add_edge(done, p, MarkSet::first(1), done);
    let description = describe(&builder.build()).unwrap();
    assert_eq!((description.strength, description.very_weak), (Strength::Weak, true));
    assert_eq!(description.unambiguous, Some(false));

    // Infinitely often p: strong and deterministic.
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let state = builder.add_state();
    builder.add_initial(state);
    let p = builder.letters_mut().prop(Prop(0)).unwrap();
    let not_p = builder.letters_mut().not(p).unwrap();
    builder.add_edge(state, p, MarkSet::first(1), state);
    builder.add_edge(state, not_p, MarkSet::new(), state);
    let description = describe(&builder.clone().build()).unwrap();
    assert_eq!(description.to_string(), "strong, deterministic, complete");
    // With a second loop on p it is still one sequence of states.
    builder.add_edge(state, p, MarkSet::new(), StateId(0));
    let description = describe(&builder.clone().build()).unwrap();
    assert_eq!((description.deterministic, description.unambiguous), (false, Some(true)));
    assert!(!is_semi_deterministic(&builder.build()).unwrap());
}
