//! Ultimately periodic words, and whether an automaton accepts one.
//!
//! Two ω-regular languages that differ, differ on an ultimately periodic word; so an operation on
//! automata is compared with what it should do on words, letter by letter, without another
//! operation on automata being trusted.

use std::fmt;

use crate::condition::TinyCondition;
use crate::graph::{TinyEdge, TinyGraph};
use crate::oracle::has_accepting_run_by_lassos;

/// A stem once, then a cycle for ever. A letter is a valuation: bit `p` is the value of the
/// proposition `p`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TinyWord {
    /// The letters that are read once.
    pub stem: Vec<u8>,
    /// The letters that are read again and again; at least one.
    pub cycle: Vec<u8>,
}

impl fmt::Display for TinyWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})^w", self.stem, self.cycle)
    }
}

impl TinyWord {
    /// The word `(s0, –) (s1, e0) (s2, e1) …` for this one, `(s0, e0) (s1, e1) …`: the propositions
    /// with a bit in `events` move one position on, and the first position has none of them.
    ///
    /// # Panics
    /// If the cycle is empty.
    #[must_use]
    pub fn events_entering(&self, events: u8) -> TinyWord {
        let letter = |at: usize| match at.checked_sub(self.stem.len()) {
            None => self.stem[at],
            Some(round) => self.cycle[round % self.cycle.len()],
        };
        let moved = |at: usize| letter(at) & !events | letter(at - 1) & events;
        let stem = [letter(0) & !events].into_iter().chain((1..=self.stem.len()).map(moved));
        let cycle = (self.stem.len() + 1..).take(self.cycle.len()).map(moved);
        TinyWord { stem: stem.collect(), cycle: cycle.collect() }
    }
}

/// Whether the automaton has an accepting run on the word.
///
/// ```
/// use fairly_testkit::{TinyCondition, TinyGraph, TinyWord, accepts_word};
/// // One state that reads anything and is marked when the proposition holds.
/// let mut often = TinyGraph::of(1, &[(0, &[], 0), (0, &[0], 0)]);
/// often.propositions = 1;
/// (often.edges[0].letters, often.edges[1].letters) = (0b01, 0b10);
/// let word = |cycle: &[u8]| TinyWord { stem: vec![1], cycle: cycle.to_vec() };
/// assert!(accepts_word(&often, &TinyCondition::Inf(0), &word(&[0, 1])));
/// assert!(!accepts_word(&often, &TinyCondition::Inf(0), &word(&[0])));
/// ```
///
/// # Panics
/// If the cycle is empty.
pub fn accepts_word(graph: &TinyGraph, condition: &TinyCondition, word: &TinyWord) -> bool {
    has_accepting_run_by_lassos(&runs_on_word(graph, word), condition)
}

/// The runs of the automaton on the word, as a graph without propositions: node
/// `state + position * graph.nodes`.
///
/// # Panics
/// If the cycle is empty.
pub fn runs_on_word(graph: &TinyGraph, word: &TinyWord) -> TinyGraph {
    assert!(!word.cycle.is_empty(), "an infinite word has a cycle");
    let positions = word.stem.len() + word.cycle.len();
    let mut edges = Vec::new();
    for (position, letter) in word.stem.iter().chain(&word.cycle).enumerate() {
        let next = if position + 1 == positions { word.stem.len() } else { position + 1 };
        for edge in graph.edges.iter().filter(|edge| edge.letters >> letter & 1 == 1) {
            edges.push(TinyEdge {
                from: edge.from + position * graph.nodes,
                to: edge.to + next * graph.nodes,
                marks: edge.marks,
                letters: 1,
            });
        }
    }
    TinyGraph {
        nodes: graph.nodes * positions,
        initial: graph.initial.clone(),
        propositions: 0,
        edges,
    }
}

/// All words with a stem of at most `stem` letters and a cycle of at most `cycle`; the same
/// infinite word comes up in several ways.
pub fn all_words(propositions: u32, stem: usize, cycle: usize) -> Vec<TinyWord> {
    let finite = |length: usize| -> Vec<Vec<u8>> {
        let mut words = vec![Vec::new()];
        for _ in 0..length {
            let longer = words.iter().flat_map(|word: &Vec<u8>| {
                (0..1u8 << propositions).map(move |letter| {
                    let mut word = word.clone();
                    word.push(letter);
                    word
                })
            });
            words = longer.collect();
        }
        words
    };
    let cycles: Vec<Vec<u8>> = (1..=cycle).flat_map(finite).collect();
    let stems = (0..=stem).flat_map(finite);
    stems
        .flat_map(|stem| {
            cycles.iter().map(move |cycle| TinyWord { stem: stem.clone(), cycle: cycle.clone() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{ConditionKind, GraphShape, random_condition, random_graph, random_word};
    use crate::oracle::{MOST_EDGES, has_accepting_run_by_subsets};
    use crate::rng::Rng;

    #[test]
    fn unrolling_a_word_changes_nothing() {
        let (mut accepted, mut rejected, mut by_subsets) = (0, 0, 0);
        for seed in 0..3_000 {
            let mut rng = Rng::new(seed);
            let shape = GraphShape { propositions: 2, most_edges: 9, ..GraphShape::default() };
            let graph = random_graph(&mut rng, &shape);
            let kind = *rng.pick(&ConditionKind::ALL);
            let condition = random_condition(&mut rng, kind, shape.marks);
            let word = random_word(&mut rng, 2, 2, 3);
            let answer = accepts_word(&graph, &condition, &word);
            let mut longer = word.clone();
            longer.stem.push(longer.cycle[0]);
            longer.cycle.rotate_left(1);
            longer.cycle.extend_from_within(..);
            assert_eq!(
                answer,
                accepts_word(&graph, &condition, &longer),
                "seed {seed}: {condition} on {graph} reading {word}"
            );
            let runs = runs_on_word(&graph, &word);
            if runs.edges.len() <= MOST_EDGES.min(12) && runs.nodes <= 64 {
                by_subsets += 1;
                assert_eq!(answer, has_accepting_run_by_subsets(&runs, &condition), "seed {seed}");
            }
            *(if answer { &mut accepted } else { &mut rejected }) += 1;
        }
        assert!(
            accepted > 300 && rejected > 300 && by_subsets > 300,
            "{accepted} {rejected} {by_subsets}"
        );
    }

    #[test]
    fn all_words_are_counted() {
        // 1 + 2 stems, 2 + 4 cycles.
        let words = all_words(1, 1, 2);
        assert_eq!(words.len(), 3 * 6);
        assert!(words.iter().all(|word| !word.cycle.is_empty()));
        assert_eq!(words[0].to_string(), "[]([0])^w");
    }
}
