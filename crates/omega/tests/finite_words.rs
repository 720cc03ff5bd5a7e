//! Automata read as automata on finite words, against runs followed set by set on every short word.

use fairly_omega::{Automaton, Label, Limits, StateId, ops};
use fairly_testkit::{ConditionKind, GraphShape, Rng, random_condition, random_graph};

use crate::common;

/// The states that a finite word leads to. A letter is a valuation of the propositions.
fn after(automaton: &Automaton, word: &[u32]) -> Vec<StateId> {
    let mut at = automaton.initial().to_vec();
    for letter in word {
        let on = |label: Label| automaton.letters().holds(label, |prop| letter >> prop.0 & 1 == 1);
        let mut next: Vec<StateId> = Vec::new();
        for &state in &at {
            next.extend(
                automaton.edges(state).iter().filter(|it| on(it.label)).map(|it| it.target),
            );
        }
        next.sort_unstable();
        next.dedup();
        at = next;
    }
    at
}

fn accepts(automaton: &Automaton, word: &[u32]) -> bool {
    let is_final = ops::final_states(automaton).expect("marks are on states");
    after(automaton, word).iter().any(|state| is_final[state.index()])
}

fn words(letters: u32, length: u32) -> impl Iterator<Item = Vec<u32>> {
    let of_length = move |length: u32| {
        (0..letters.pow(length))
            .map(move |code| (0..length).map(|at| code / letters.pow(at) % letters).collect())
    };
    (0..=length).flat_map(of_length)
}

#[test]
fn prefixes_complements_limits_and_words() {
    let (cases, first) = (common::cases(400), common::first_seed(0));
    let (mut empty, mut nonempty) = (0, 0);
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { marks: 1, propositions: 1, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let condition = random_condition(&mut rng, ConditionKind::Buchi, 1);
        let automaton = common::automaton_with_marks(&graph, &condition, &[0]);
        let prefixes = ops::prefixes(&automaton);
        let complement = ops::finite_complement(&prefixes, Limits::default()).unwrap().unwrap();
        for word in words(2, 4) {
            // A prefix leads to a state with an accepted continuation.
            let goes_on = after(&automaton, &word).into_iter().any(|state| {
                let mut builder = automaton.to_builder();
                builder.set_initial(vec![state]);
                !ops::is_empty(&builder.build()).unwrap()
            });
            assert_eq!(accepts(&prefixes, &word), goes_on, "seed {seed}, {word:?}");
            assert_eq!(accepts(&complement, &word), !goes_on, "seed {seed}, {word:?}");
        }
        assert!(complement.is_deterministic().unwrap() && complement.is_complete().unwrap());
        // The limit of the prefixes is their closure: it has every word of the automaton and the same prefixes.
        let limit = ops::limit(&prefixes, Limits::default()).unwrap().unwrap();
        assert!(ops::includes(&automaton, &limit, Limits::default()).unwrap().is_none());
        for word in words(2, 3) {
            assert_eq!(accepts(&ops::prefixes(&limit), &word), accepts(&prefixes, &word));
        }
        // A shortest word of the complement is one that no prefix is, and no shorter one is accepted.
        match ops::finite_word(&complement).expect("marks are on states") {
            None => {
                empty += 1;
                assert!(words(2, 4).all(|word| !accepts(&complement, &word)), "seed {seed}");
            }
            Some(word) => {
                nonempty += 1;
                let shorter = word.len().saturating_sub(1).min(4) as u32;
                if !word.is_empty() {
                    assert!(words(2, shorter).all(|word| !accepts(&complement, &word)));
                }
            }
        }
    }
    assert!(cases < 100 || (empty > 0 && nonempty > 0), "{empty} {nonempty}");
}
