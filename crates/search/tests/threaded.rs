//! Clauses that are followed through permutations, on random graphs: against the graph in which every node has a
//! copy for every permutation that leads there, so that clauses stay the same, searched by an engine.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

use fairly_omega::emptiness::{self, Algorithm, Explored};
use fairly_omega::{Acceptance, Builder, Clause, Hop, Label, Mark, MarkSet, StateId};
use fairly_search::threaded::{Quotient, follows};
use fairly_testkit::Rng;

/// A graph whose edges have marks and permutations.
struct Annotated {
    nodes: usize,
    /// From, to, marks, and where each clause goes.
    edges: Vec<(usize, usize, Vec<u32>, Vec<u32>)>,
    clauses: Vec<Clause>,
}

/// Of clause `c`, mark `2c` is to be avoided and `2c + 1` asked for.
fn random(rng: &mut Rng) -> Annotated {
    let nodes = 1 + rng.below(6);
    let alike = 2 + rng.below(2);
    let strong = rng.chance(1, 2);
    let count = alike + rng.below(2);
    let clause = |at: usize| {
        let mark = |number: usize| [Mark(u32::try_from(number).unwrap())].into_iter().collect();
        let fin = if at < alike && strong { mark(2 * at) } else { MarkSet::new() };
        Clause { fin, inf: mark(2 * at + 1) }
    };
    let clauses = (0..count).map(clause).collect();
    let mut edges = Vec::new();
    for _ in 0..nodes + rng.below(2 * nodes + 1) {
        let marks = (0..2 * count as u32).filter(|_| rng.chance(1, 4)).collect();
        let mut after: Vec<u32> = (0..count as u32).collect();
        for at in 1..alike {
            after.swap(at, rng.below(at + 1));
        }
        edges.push((rng.below(nodes), rng.below(nodes), marks, after));
    }
    Annotated { nodes, edges, clauses }
}

impl Annotated {
    fn acceptance(&self) -> Acceptance {
        Acceptance::and(self.clauses.iter().map(|clause| {
            let fin = clause.fin.iter().map(Acceptance::Fin);
            Acceptance::or(fin.chain(clause.inf.iter().map(Acceptance::Inf)))
        }))
    }

    /// The edges out of a node.
    fn out(&self, node: usize) -> impl Iterator<Item = &(usize, usize, Vec<u32>, Vec<u32>)> {
        self.edges.iter().filter(move |edge| edge.0 == node)
    }

    fn graph(&self) -> fairly_omega::Automaton {
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(self.acceptance(), 2 * self.clauses.len() as u32);
        builder.add_states(self.nodes);
        builder.add_initial(StateId(0));
        for node in 0..self.nodes {
            for (_, to, marks, _) in self.out(node) {
                let marks = marks.iter().copied().map(Mark).collect();
                builder.add_edge(
                    StateId::from_index(node),
                    Label::TRUE,
                    marks,
                    StateId::from_index(*to),
                );
            }
        }
        builder.build()
    }

    /// Marks with the clauses called by what they were at the start.
    fn called(marks: &[u32], at_start: &[u32]) -> MarkSet {
        marks.iter().map(|mark| Mark(2 * at_start[*mark as usize / 2] + mark % 2)).collect()
    }

    /// Clauses at the start that the clauses of the target were.
    fn then(after: &[u32], at_start: &[u32]) -> Vec<u32> {
        let mut there = vec![0; after.len()];
        after.iter().zip(at_start).for_each(|(&to, &was)| there[to as usize] = was);
        there
    }

    /// Whether the graph with a copy of each node for every permutation has an accepted path.
    fn has_run(&self) -> bool {
        let first: Vec<u32> = (0..self.clauses.len() as u32).collect();
        let mut nodes = vec![(0, first)];
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(self.acceptance(), 2 * self.clauses.len() as u32);
        let start = builder.add_state();
        builder.add_initial(start);
        let mut at = 0;
        while at < nodes.len() {
            let (node, at_start) = nodes[at].clone();
            for (_, to, marks, after) in self.out(node) {
                let next = (*to, Self::then(after, &at_start));
                let known = nodes.iter().position(|other| *other == next).unwrap_or_else(|| {
                    nodes.push(next);
                    builder.add_state();
                    nodes.len() - 1
                });
                let (from, to) = (StateId::from_index(at), StateId::from_index(known));
                builder.add_edge(from, Label::TRUE, Self::called(marks, &at_start), to);
            }
            at += 1;
        }
        let automaton = builder.build();
        emptiness::check(&mut automaton.graph(), Algorithm::Streett)
            .expect("an answer")
            .lasso
            .is_some()
    }

    /// Whether going round a cycle often enough meets every clause, whatever it was called at the start.
    fn is_fair(&self, cycle: &[Hop]) -> bool {
        let mut at_start: Vec<u32> = (0..self.clauses.len() as u32).collect();
        let mut seen = MarkSet::new();
        for hop in cycle {
            let edge = self.out(hop.from.index()).nth(hop.nth as usize).expect("an edge");
            assert_eq!(edge.1, hop.to.index());
            seen.union_with(&Self::called(&edge.2, &at_start));
            at_start = Self::then(&edge.3, &at_start);
        }
        // Once round is enough for what is asked for. What is to be avoided may come in later rounds.
        let once = seen.clone();
        for _ in 0..24 {
            for hop in cycle {
                let edge = self.out(hop.from.index()).nth(hop.nth as usize).expect("an edge");
                seen.union_with(&Self::called(&edge.2, &at_start));
                at_start = Self::then(&edge.3, &at_start);
            }
        }
        self.clauses.iter().all(|clause| {
            clause.inf.intersects(&once) || !clause.fin.is_empty() && !clause.fin.intersects(&seen)
        })
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn threads_find_what_copies_of_the_graph_have() {
    let (first, count) = (number("FAIRLY_SEED", 1), number("FAIRLY_RANDOM_CASES", 20_000));
    let mut found = 0;
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let annotated = random(&mut rng);
        assert!(follows(&annotated.clauses));
        let graph = annotated.graph();
        let explored = Explored::of(&mut graph.graph()).expect("small");
        let mut permutations = Vec::new();
        let mut clauses_after: Vec<Vec<u32>> = Vec::new();
        for node in explored.nodes() {
            for (_, _, _, after) in annotated.out(explored.original(node).index()) {
                permutations.push(clauses_after.len() as u32);
                clauses_after.push(after.clone());
            }
        }
        let quotient = Quotient {
            explored: &explored,
            clauses: &annotated.clauses,
            permutations: &permutations,
            clauses_after: &clauses_after,
        };
        let lasso = quotient.find();
        assert_eq!(lasso.is_some(), annotated.has_run(), "seed {seed}");
        if let Some(lasso) = lasso {
            found += 1;
            let original = |hop: &Hop| Hop {
                from: explored.original(hop.from),
                to: explored.original(hop.to),
                ..*hop
            };
            let cycle: Vec<Hop> = lasso.cycle.iter().map(original).collect();
            assert!(annotated.is_fair(&cycle), "seed {seed}: {cycle:?}");
        }
    }
    println!("{found} of {count} have a fair run");
    assert!(5 * found > count && 5 * (count - found) > count);
}
