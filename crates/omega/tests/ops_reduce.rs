//! Reduction: the same language on all short words, never larger, and as small as it should be on
//! automata whose size is known.

use fairly_omega::ops::{
    Condition, ReduceConfig, bisimulation_quotient, reduce, reduce_with, to_state_based,
};
use fairly_omega::{Acceptance, Automaton, Builder, Label, Limits, Mark, MarkSet, Prop, StateId};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, random_condition, random_graph,
};

use crate::common::{automaton, cases, first_seed, tiny};

/// Which of the words with a stem and a cycle of at most three letters are accepted, by finite
/// means only: the pairs of states that a word leads from and to, with the marks on the way.
fn short_words(automaton: &Automaton) -> Vec<bool> {
    let (graph, condition) = tiny(automaton);
    let used = used_marks(&graph);
    let letters = graph.letter_count() as usize;
    let one: Vec<Ways> = (0..letters).map(|letter| Ways::letter(&graph, letter, &used)).collect();
    let mut words: Vec<Ways> = vec![Ways::empty(graph.nodes, used.len())];
    let mut last = words.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|word| one.iter().map(|step| word.then(step))).collect();
        words.extend(last.iter().cloned());
    }
    let cycles: Vec<Vec<bool>> =
        words[1..].iter().map(|word| word.accepted_for_ever(&condition, &used)).collect();
    let mut answers = Vec::new();
    for stem in &words {
        for cycle in &cycles {
            answers.push(
                graph
                    .initial
                    .iter()
                    .any(|&from| (0..graph.nodes).any(|to| stem.connects(from, to) && cycle[to])),
            );
        }
    }
    answers
}

fn used_marks(graph: &TinyGraph) -> Vec<u32> {
    let seen = graph.edges.iter().fold(0, |all, edge| all | edge.marks);
    (0..64).filter(|mark| seen >> mark & 1 == 1).collect()
}

/// For each pair of states, the sets of marks (as bits of a number) on the ways between them.
#[derive(Clone, PartialEq)]
struct Ways {
    nodes: usize,
    sets: usize,
    has: Vec<bool>,
}

impl Ways {
    fn none(nodes: usize, marks: usize) -> Self {
        Ways { nodes, sets: 1 << marks, has: vec![false; (nodes * nodes) << marks] }
    }

    fn at(&self, from: usize, to: usize, set: usize) -> usize {
        (from * self.nodes + to) * self.sets + set
    }

    fn empty(nodes: usize, marks: usize) -> Self {
        let mut ways = Self::none(nodes, marks);
        for node in 0..nodes {
            let at = ways.at(node, node, 0);
            ways.has[at] = true;
        }
        ways
    }

    fn letter(graph: &TinyGraph, letter: usize, used: &[u32]) -> Self {
        let mut ways = Self::none(graph.nodes, used.len());
        for edge in graph.edges.iter().filter(|edge| edge.letters >> letter & 1 == 1) {
            let bits = used.iter().enumerate();
            let set = bits.fold(0, |set, (at, mark)| set | (edge.marks >> mark & 1) << at);
            let at = ways.at(edge.from, edge.to, set as usize);
            ways.has[at] = true;
        }
        ways
    }

    fn connects(&self, from: usize, to: usize) -> bool {
        (0..self.sets).any(|set| self.has[self.at(from, to, set)])
    }

    fn then(&self, next: &Ways) -> Ways {
        let mut ways = Ways { has: vec![false; self.has.len()], ..*self };
        for from in 0..self.nodes {
            for middle in 0..self.nodes {
                for set in (0..self.sets).filter(|&set| self.has[self.at(from, middle, set)]) {
                    for to in 0..self.nodes {
                        for more in 0..self.sets {
                            if next.has[next.at(middle, to, more)] {
                                let at = self.at(from, to, set | more);
                                ways.has[at] = true;
                            }
                        }
                    }
                }
            }
        }
        ways
    }

    /// From which states the word is accepted when it is read again and again.
    fn accepted_for_ever(&self, condition: &TinyCondition, used: &[u32]) -> Vec<bool> {
        let mut closure = self.clone();
        loop {
            let mut longer = closure.then(self);
            for (has, had) in longer.has.iter_mut().zip(&closure.has) {
                *has |= had;
            }
            if longer == closure {
                break;
            }
            closure = longer;
        }
        let accepted = |set: usize| {
            let bits = used.iter().enumerate();
            condition.accepts(bits.fold(0, |all, (at, mark)| all | (set as u64 >> at & 1) << mark))
        };
        let good: Vec<bool> = (0..self.nodes)
            .map(|node| {
                (0..self.sets).any(|set| closure.has[self.at(node, node, set)] && accepted(set))
            })
            .collect();
        (0..self.nodes)
            .map(|from| {
                good[from] || (0..self.nodes).any(|to| good[to] && closure.connects(from, to))
            })
            .collect()
    }
}

#[test]
fn all_short_words_are_judged_alike() {
    let (mut smaller, mut accepted) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(1_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 5, most_edges: 12, marks: 2, propositions: 2 };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let original = automaton(&graph, &condition);
        let expected = short_words(&original);
        accepted += usize::from(expected.contains(&true));
        let keep = ReduceConfig { condition: Condition::Keep, ..ReduceConfig::default() };
        for (name, reduced) in [
            ("reduce", reduce(&original).unwrap()),
            ("reduce, condition kept", reduce_with(&original, &keep).unwrap()),
        ] {
            let case = format!("seed {seed}: {name}: {condition} on {graph}");
            assert!(reduced.state_count() <= original.state_count(), "{case}");
            assert!(short_words(&reduced) == expected, "{case}");
            if name != "reduce" {
                assert_eq!(reduced.acceptance(), original.acceptance(), "{case}");
            }
            smaller += usize::from(reduced.state_count() < original.state_count());
            // Once more changes nothing.
            let again = reduce_with(&reduced, &keep).unwrap();
            assert!(again.state_count() <= reduced.state_count(), "{case}");
        }
    }
    assert!(smaller > 200 && accepted > 300, "{smaller} {accepted}");
}

/// Reductions matter most where there is something to reduce: copies of states, each edge leading
/// to some copy, so that the result is never larger than the original.
#[test]
fn duplicated_states_collapse() {
    let first = first_seed(0);
    for seed in first..first + cases(1_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 4, most_edges: 9, marks: 2, propositions: 1 };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let mut copies = graph.clone();
        copies.nodes = 3 * graph.nodes;
        copies.edges.clear();
        for copy in 0..3 {
            for edge in &graph.edges {
                let mut moved = *edge;
                moved.from += copy * graph.nodes;
                moved.to += rng.below(3) * graph.nodes;
                copies.edges.push(moved);
            }
        }
        let (small, large) = (automaton(&graph, &condition), automaton(&copies, &condition));
        let case = format!("seed {seed}: {condition} on {graph}");
        let merged = bisimulation_quotient(&large).unwrap();
        assert!(merged.state_count() <= small.state_count(), "{case}");
        let expected = short_words(&small);
        assert!(short_words(&merged) == expected, "{case}");
        let reduced = reduce(&large).unwrap();
        assert!(reduced.state_count() <= small.state_count(), "{case}");
        assert!(short_words(&reduced) == expected, "{case}");
    }
}

fn literal(builder: &mut Builder, prop: u32, value: bool) -> Label {
    builder.letters_mut().cube(&[(Prop(prop), value)]).unwrap()
}

/// `F p1 & … & F pn` as the product of the guesses: deterministic with 2ⁿ states after reduction.
#[test]
fn eventualities_become_deterministic() {
    let mut builder = Builder::new(vec!["p".into(), "q".into()]);
    builder.set_acceptance(Acceptance::generalized_buchi(2), 2);
    builder.add_states(4);
    builder.add_initial(StateId(0));
    for state in 0..4u32 {
        for met in 0..4u32 {
            // Waits for the bits that are 0; may meet any of them when the letter allows.
            if state & !met != 0 {
                continue;
            }
            let now = met & !state;
            let cube: Vec<(Prop, bool)> =
                (0..2).filter(|bit| now >> bit & 1 == 1).map(|bit| (Prop(bit), true)).collect();
            let label = builder.letters_mut().cube(&cube).unwrap();
            let marks = (0..2).filter(|bit| met >> bit & 1 == 1).map(Mark).collect();
            builder.add_edge(StateId(state), label, marks, StateId(met));
        }
    }
    let reduced = reduce(&builder.build()).unwrap();
    assert_eq!(reduced.state_count(), 4);
    assert!(reduced.is_deterministic().unwrap());
    assert_eq!(reduced.acceptance(), &Acceptance::buchi());
}

/// A path that an accepting loop could have started anywhere on: the transient states take the
/// loop's colour and merge with it.
#[test]
fn transient_states_take_the_colour_of_what_follows() {
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(5);
    builder.add_initial(StateId(0));
    let p = literal(&mut builder, 0, true);
    for at in 0..4 {
        builder.add_edge(StateId(at), p, MarkSet::new(), StateId(at + 1));
    }
    builder.add_edge(StateId(4), p, MarkSet::first(1), StateId(4));
    let reduced = reduce(&builder.build()).unwrap();
    assert_eq!((reduced.state_count(), reduced.edge_count()), (1, 1));
    assert_eq!(reduced.acceptance(), &Acceptance::True);
}

/// States that differ only in what comes before are merged backwards.
#[test]
fn equal_pasts_are_merged() {
    // From the start on every letter to one of two states; one goes on with p, the other with
    // its negation, to different loops.
    let mut builder = Builder::new(vec!["p".into(), "q".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(5);
    builder.add_initial(StateId(0));
    for branch in [1, 2] {
        builder.add_edge(StateId(0), Label::TRUE, MarkSet::new(), StateId(branch));
        let p = literal(&mut builder, 0, branch == 1);
        builder.add_edge(StateId(branch), p, MarkSet::new(), StateId(branch + 2));
        let q = literal(&mut builder, 1, branch == 1);
        builder.add_edge(StateId(branch + 2), q, MarkSet::first(1), StateId(branch + 2));
    }
    assert_eq!(reduce(&builder.build()).unwrap().state_count(), 4);
}

/// Sets that always come together, that all cycles meet, or that another implies.
#[test]
fn useless_sets_go() {
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::generalized_buchi(5), 5);
    builder.add_states(1);
    builder.add_initial(StateId(0));
    let marks = |marks: &[u32]| marks.iter().map(|&mark| Mark(mark)).collect::<MarkSet>();
    let (p, not_p) = (literal(&mut builder, 0, true), literal(&mut builder, 0, false));
    // 0 and 1 come together, 2 is on every edge, 3 is where 0 is and elsewhere, 4 alone.
    builder.add_edge(StateId(0), p, marks(&[0, 1, 2, 3]), StateId(0));
    builder.add_edge(StateId(0), not_p, marks(&[2, 3, 4]), StateId(0));
    let reduced = reduce(&builder.build()).unwrap();
    assert_eq!(reduced.acceptance(), &Acceptance::generalized_buchi(2));
    let on_states = to_state_based(&reduced, Limits::default()).unwrap();
    assert_eq!(on_states.state_count(), 2);
}

#[test]
fn nothing_is_left_of_the_empty_language() {
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(2);
    builder.add_initial(StateId(0));
    builder.add_edge(StateId(0), Label::TRUE, MarkSet::first(1), StateId(1));
    builder.add_edge(StateId(1), Label::TRUE, MarkSet::new(), StateId(1));
    let reduced = reduce(&builder.build()).unwrap();
    assert_eq!((reduced.state_count(), reduced.acceptance()), (0, &Acceptance::False));
}

/// Long chains are the worst case of refinement in rounds: each round would tell apart one more
/// state only.
#[test]
fn a_hundred_thousand_states_are_quotiented_quickly() {
    let count = 100_000u32;
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(2 * count as usize);
    builder.add_initial(StateId(0));
    builder.add_initial(StateId(count));
    let p = literal(&mut builder, 0, true);
    for half in [0, count] {
        for at in 0..count - 1 {
            builder.add_edge(
                StateId(half + at),
                Label::TRUE,
                MarkSet::new(),
                StateId(half + at + 1),
            );
        }
        let end = StateId(half + count - 1);
        builder.add_edge(end, p, MarkSet::first(1), end);
    }
    let twice = builder.build();
    let begun = std::time::Instant::now();
    let once = bisimulation_quotient(&twice).unwrap();
    assert_eq!(once.state_count(), count as usize);
    assert_eq!(reduce(&twice).unwrap().state_count(), count as usize);
    assert!(begun.elapsed().as_secs() < 20, "took {:?}", begun.elapsed());
}
