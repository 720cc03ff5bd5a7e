//! Every operation against the oracle, on random automata and random ultimately periodic words.

use fairly_omega::ops::{
    Combine, ProductConfig, ProductGraph, bisimulation_quotient, complete, degeneralize,
    intersection, product, purge, reduce, renumber_marks, state_sets, to_buchi,
    to_generalized_buchi, to_state_based, to_transition_based, trim, union, with_state_sets,
};
use fairly_omega::{
    Acceptance, Automaton, Builder, Class, Graph, Import, Limits, MarkSetId, Prop, StateId,
    emptiness,
};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, TinyWord, random_condition,
    random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed, oracle_accepts};

fn random_automaton(
    rng: &mut Rng,
    seed: u64,
    shape: &GraphShape,
) -> (TinyGraph, TinyCondition, Automaton) {
    let graph = random_graph(rng, shape);
    let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
    let condition = random_condition(rng, kind, shape.marks);
    let automaton = automaton(&graph, &condition);
    (graph, condition, automaton)
}

/// The same automaton over propositions with other names.
fn renamed(automaton: &Automaton, names: &[&str]) -> Automaton {
    let mut builder = Builder::new(names.iter().map(ToString::to_string).collect());
    builder.set_acceptance(automaton.acceptance().clone(), automaton.mark_count());
    builder.add_states(automaton.state_count());
    let rename: Vec<Prop> = (0..names.len() as u32).map(Prop).collect();
    let mut import = Import::new(automaton.letters(), &rename);
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let label = import.label(builder.letters_mut(), edge.label).unwrap();
            builder.add_edge(state, label, automaton.marks(edge.marks).clone(), edge.target);
        }
    }
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    builder.build()
}

fn with_letters(word: &TinyWord, change: impl Fn(u8) -> u8) -> TinyWord {
    let letters = |from: &[u8]| from.iter().map(|&letter| change(letter)).collect();
    TinyWord { stem: letters(&word.stem), cycle: letters(&word.cycle) }
}

/// Operations on one automaton that keep its language.
#[test]
fn rewriting_keeps_the_language() {
    type Operation = fn(&Automaton) -> Automaton;
    let operations: [(&str, Operation); 11] = [
        ("trim", trim),
        ("purge", purge),
        ("renumber_marks", renumber_marks),
        ("complete", |a| complete(a).unwrap()),
        ("degeneralize", |a| degeneralize(a, Limits::default()).unwrap()),
        ("to_buchi", |a| to_buchi(a, Limits::default()).unwrap()),
        ("to_generalized_buchi", |a| to_generalized_buchi(a, Limits::default()).unwrap()),
        ("to_state_based", |a| to_state_based(a, Limits::default()).unwrap()),
        ("to_transition_based", |a| {
            to_transition_based(&to_state_based(a, Limits::default()).unwrap()).unwrap()
        }),
        ("bisimulation_quotient", |a| bisimulation_quotient(a).unwrap()),
        ("reduce", |a| reduce(a).unwrap()),
    ];
    let (mut accepted, mut rejected) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(2_000) {
        let mut rng = Rng::new(seed);
        let propositions = 1 + rng.below(2) as u32;
        let shape = GraphShape { most_nodes: 5, most_edges: 12, marks: 4, propositions };
        let (graph, condition, original) = random_automaton(&mut rng, seed, &shape);
        let words: Vec<TinyWord> =
            (0..4).map(|_| random_word(&mut rng, propositions, 3, 3)).collect();
        let expected: Vec<bool> =
            words.iter().map(|word| oracle_accepts(&original, word)).collect();
        for &is in &expected {
            *(if is { &mut accepted } else { &mut rejected }) += 1;
        }
        for (name, operation) in operations {
            let result = operation(&original);
            for (word, &expected) in words.iter().zip(&expected) {
                assert_eq!(
                    oracle_accepts(&result, word),
                    expected,
                    "seed {seed}: {name} of {condition} on {graph} reading {word}: {result:?}"
                );
            }
            let case = format!("seed {seed}: {name} of {condition} on {graph}");
            match name {
                "degeneralize" | "to_buchi" => {
                    assert_eq!(result.acceptance(), &Acceptance::buchi(), "{case}");
                }
                "to_generalized_buchi" => assert!(
                    matches!(
                        result.acceptance().class(),
                        Class::All | Class::None | Class::Buchi | Class::GeneralizedBuchi(_)
                    ),
                    "{case}: {}",
                    result.acceptance()
                ),
                "to_state_based" => assert!(result.state_marks().is_some(), "{case}"),
                "complete" => assert!(result.is_complete().unwrap(), "{case}"),
                "trim" | "reduce" | "bisimulation_quotient" => {
                    assert!(result.state_count() <= original.state_count(), "{case}");
                }
                _ => {}
            }
            if original.is_deterministic().unwrap() && name == "to_state_based" {
                assert!(result.is_deterministic().unwrap(), "{case}");
            }
        }
    }
    assert!(accepted > 1000 && rejected > 1000, "{accepted} against {rejected}");
}

/// Operations on two automata whose propositions overlap.
#[test]
fn two_automata_are_combined() {
    let (mut both, mut either, mut nonempty) = (0, 0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(2_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 4, most_edges: 8, marks: 3, propositions: 2 };
        let (one_graph, one_condition, one) = random_automaton(&mut rng, seed, &shape);
        let (two_graph, two_condition, two) = random_automaton(&mut rng, seed / 11, &shape);
        let two_renamed = renamed(&two, &["p1", "q"]);
        let case = format!(
            "seed {seed}: {one_condition} on {one_graph} and {two_condition} on {two_graph}"
        );
        let limits = Limits::default();
        let and = product(&one, &two_renamed, &ProductConfig::default()).unwrap();
        let trimmed = intersection(&one, &two_renamed, limits).unwrap();
        let config = ProductConfig { combine: Combine::Or, limits };
        let or = product(&one, &two_renamed, &config).unwrap();
        let side_by_side = union(&one, &two_renamed, limits).unwrap();
        assert!(or.is_complete().unwrap(), "{case}");
        if one.acceptance() == two.acceptance() {
            assert_eq!(
                side_by_side.acceptance().class(),
                renumber_marks(&one).acceptance().class(),
                "{case}"
            );
        }
        for _ in 0..4 {
            let word = random_word(&mut rng, 3, 2, 3);
            let in_one = oracle_accepts(&one, &with_letters(&word, |letter| letter & 3));
            let in_two = oracle_accepts(&two, &with_letters(&word, |letter| letter >> 1));
            both += usize::from(in_one && in_two);
            either += usize::from(in_one || in_two);
            let case = format!("{case} reading {word}");
            assert_eq!(oracle_accepts(&and, &word), in_one && in_two, "product: {case}");
            assert_eq!(oracle_accepts(&trimmed, &word), in_one && in_two, "intersection: {case}");
            assert_eq!(oracle_accepts(&or, &word), in_one || in_two, "or: {case}");
            assert_eq!(oracle_accepts(&side_by_side, &word), in_one || in_two, "union: {case}");
        }
        // On the fly the product is the same graph, node by node and step by step.
        let mut lazy = ProductGraph::new(&one, &two_renamed).unwrap();
        assert_eq!(lazy.initial(), and.initial(), "{case}");
        assert_eq!(lazy.acceptance(), and.acceptance(), "{case}");
        let mut steps = Vec::new();
        for state in and.states() {
            steps.clear();
            lazy.steps(state, &mut steps);
            assert_eq!(steps.len(), and.edges(state).len(), "{case}");
            for (step, edge) in steps.iter().zip(and.edges(state)) {
                assert_eq!(step.target, edge.target, "{case}");
                assert_eq!(*lazy.marks(step.marks), *and.marks(edge.marks), "{case}");
            }
        }
        let mut fresh = ProductGraph::new(&one, &two_renamed).unwrap();
        let lasso = emptiness::find_lasso(&mut fresh).unwrap();
        assert_eq!(lasso.is_none(), trimmed.state_count() == 0, "{case}");
        nonempty += usize::from(lasso.is_some());
        for hop in lasso.iter().flat_map(|lasso| lasso.stem.iter().chain(&lasso.cycle)) {
            assert_ne!(fresh.label(*hop).unwrap(), fairly_omega::Label::FALSE, "{case}");
            let (a, b) = fresh.pair(hop.from);
            let (at, bt) = fresh.edges(*hop);
            let to = (one.edges(a)[at].target, two_renamed.edges(b)[bt].target);
            assert_eq!(fresh.pair(hop.to), to, "{case}");
        }
    }
    assert!(both > 100 && either > 1000 && nonempty > 100, "{both} {either} {nonempty}");
}

#[test]
fn limits_are_kept() {
    let mut builder = Builder::new(vec!["p".into()]);
    let start = builder.add_states(10);
    builder.add_initial(start);
    for at in 0..10 {
        let marks = [fairly_omega::Mark(at % 3)].into_iter().collect();
        builder.add_edge(StateId(at), fairly_omega::Label::TRUE, marks, StateId((at + 1) % 10));
    }
    builder.set_acceptance(Acceptance::generalized_buchi(3), 3);
    let ring = builder.build();
    let few = Limits { states: 9, edges: 1000 };
    let config = ProductConfig { combine: Combine::And, limits: few };
    assert!(product(&ring, &ring, &config).is_err());
    assert!(union(&ring, &ring, few).is_err());
    assert!(degeneralize(&ring, few).is_err());
    let few_edges = Limits { states: 1000, edges: 9 };
    assert!(degeneralize(&ring, few_edges).is_err());
    assert!(degeneralize(&ring, Limits::default()).is_ok());
}

#[test]
fn sets_of_states_are_read_back() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { propositions: 1, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let plain = automaton(&graph, &TinyCondition::True);
        // A state without edges has no marks to be seen.
        let has_edges = |state: &StateId| !plain.edges(*state).is_empty();
        let sets: Vec<Vec<StateId>> = (0..rng.below(4))
            .map(|_| plain.states().filter(|s| rng.chance(1, 2) && has_edges(s)).collect())
            .collect();
        let with = with_state_sets(&plain, &sets);
        assert_eq!(state_sets(&with), Some(sets), "seed {seed}");
    }
}

#[test]
fn purged_edges_between_components_carry_nothing() {
    let mut builder = Builder::new(vec![]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let (one, two) = (builder.add_state(), builder.add_state());
    builder.add_initial(one);
    let marks = fairly_omega::MarkSet::first(1);
    builder.add_edge(one, fairly_omega::Label::TRUE, marks.clone(), two);
    builder.add_edge(two, fairly_omega::Label::TRUE, marks, two);
    let purged = purge(&builder.build());
    assert_eq!(purged.edges(one)[0].marks, MarkSetId::EMPTY);
    assert_ne!(purged.edges(two)[0].marks, MarkSetId::EMPTY);
}
