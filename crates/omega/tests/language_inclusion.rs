//! Inclusion, equivalence and universality against the oracle: every separating word is judged on
//! both automata, and every "included" is tried on words.

use fairly_omega::ops::{
    Side, complement, determinize, equivalent, includes, is_universal, rejected_word, to_buchi,
    union,
};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Cube, DefiniteWord, Label, Limits, Mark, MarkSet,
    Prop, Resource, StateId,
};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyEdge, TinyGraph, TinyWord, accepts_word,
    all_words, random_condition, random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed};

const LIMITS: Limits = Limits { states: 100_000, edges: 1_000_000 };

/// A word over `p0, p1, …` as the oracle reads it.
fn tiny_word(word: &DefiniteWord, propositions: u32) -> TinyWord {
    let letters = |cubes: &[Cube]| {
        let letter = |cube: &Cube| {
            assert_eq!(cube.len(), word.propositions.len(), "every proposition has a value");
            cube.iter().fold(0, |letter, &(prop, value)| {
                let name = &word.propositions[prop.0 as usize];
                let at = (0..propositions).find(|at| *name == format!("p{at}"));
                letter | u8::from(value) << at.expect("a known proposition")
            })
        };
        cubes.iter().map(letter).collect()
    };
    TinyWord { stem: letters(&word.stem), cycle: letters(&word.cycle) }
}

type Case = (TinyGraph, TinyCondition);

fn random_case(rng: &mut Rng, shape: &GraphShape, kind: ConditionKind) -> Case {
    let graph = random_graph(rng, shape);
    let condition = random_condition(rng, kind, shape.marks);
    (graph, condition)
}

/// Whether the first is included in the second, with everything that can be said about the answer
/// checked.
fn judge(rng: &mut Rng, a: &Case, b: &Case, case: &str) -> bool {
    let propositions = a.0.propositions;
    let (one, two) = (automaton(&a.0, &a.1), automaton(&b.0, &b.1));
    match includes(&one, &two, LIMITS).unwrap() {
        Some(word) => {
            let word = tiny_word(&word, propositions);
            assert!(accepts_word(&a.0, &a.1, &word), "{word} is not in the first, {case}");
            assert!(!accepts_word(&b.0, &b.1, &word), "{word} is in the second, {case}");
            false
        }
        None => {
            let mut words = all_words(propositions, 1, if propositions > 1 { 1 } else { 3 });
            words.extend((0..40).map(|_| random_word(rng, propositions, 3, 4)));
            for word in words {
                let holds = !accepts_word(&a.0, &a.1, &word) || accepts_word(&b.0, &b.1, &word);
                assert!(holds, "{word} separates them, {case}");
            }
            true
        }
    }
}

#[test]
fn answers_agree_with_words() {
    let (mut included, mut not) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(3_000) {
        let mut rng = Rng::new(seed);
        let propositions = if rng.chance(1, 3) { 2 } else { 1 };
        let shape = GraphShape { most_nodes: 5, most_edges: 12, marks: 3, propositions };
        let mut kind =
            || if rng.chance(1, 2) { ConditionKind::Buchi } else { *rng.pick(&ConditionKind::ALL) };
        let (left, right) = (kind(), kind());
        let a = random_case(&mut rng, &shape, left);
        let mut b = random_case(&mut rng, &shape, right);
        if rng.chance(1, 2) {
            // Unrelated languages are rarely included; take what a has, and a little more or less.
            b = a.clone();
            for edge in &mut b.0.edges {
                if rng.chance(1, 6) {
                    edge.letters ^= 1 << rng.below(1 << propositions);
                }
                if rng.chance(1, 6) {
                    edge.marks ^= 1 << rng.below(3);
                }
            }
        }
        let case = format!("seed {seed}: {} on {}; {} on {}", a.1, a.0, b.1, b.0);
        *(if judge(&mut rng, &a, &b, &case) { &mut included } else { &mut not }) += 1;
    }
    assert!(included > 500 && not > 500, "{included} included, {not} not");
}

#[test]
fn a_language_includes_itself_however_it_is_written() {
    let first = first_seed(100_000);
    for seed in first..first + cases(500) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 4, most_edges: 10, marks: 3, propositions: 1 };
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let case = random_case(&mut rng, &shape, kind);
        let here = automaton(&case.0, &case.1);
        let why = format!("seed {seed}: {} on {}", case.1, case.0);
        assert_eq!(includes(&here, &here, LIMITS), Ok(None), "{why}");
        for other in [
            to_buchi(&here, LIMITS).unwrap(),
            determinize(&here, LIMITS).unwrap(),
            union(&here, &here, LIMITS).unwrap(),
            complement(&complement(&here, LIMITS).unwrap(), LIMITS).unwrap(),
        ] {
            assert_eq!(equivalent(&here, &other, LIMITS), Ok(None), "{why}");
        }
        let negation = complement(&here, LIMITS).unwrap();
        let difference = equivalent(&here, &negation, LIMITS).unwrap();
        let word = difference.expect("no language is its complement");
        let tiny = tiny_word(&word.word, 1);
        let accepted = accepts_word(&case.0, &case.1, &tiny);
        assert_eq!(accepted, word.accepted_by == Side::Left, "{why}");
    }
}

#[test]
fn universality_agrees_with_words() {
    let (mut universal, mut other) = (0, 0);
    let first = first_seed(200_000);
    for seed in first..first + cases(600) {
        let mut rng = Rng::new(seed);
        let nodes = 1 + rng.below(4);
        let edges = (0..nodes * 4)
            .map(|_| TinyEdge {
                from: rng.below(nodes),
                to: rng.below(nodes),
                marks: u64::from(rng.chance(1, 3)),
                letters: 1 + rng.below(3) as u8,
            })
            .collect();
        let graph = TinyGraph { nodes, initial: vec![0], propositions: 1, edges };
        let condition = TinyCondition::Inf(0);
        let here = automaton(&graph, &condition);
        match rejected_word(&here, LIMITS).unwrap() {
            None => {
                universal += 1;
                for word in all_words(1, 2, 3) {
                    let accepted = accepts_word(&graph, &condition, &word);
                    assert!(accepted, "seed {seed}: {word} of {graph}");
                }
            }
            Some(word) => {
                other += 1;
                let word = tiny_word(&word, 1);
                let accepted = accepts_word(&graph, &condition, &word);
                assert!(!accepted, "seed {seed}: {word} of {graph}");
            }
        }
    }
    assert!(universal > 100 && other > 100, "{universal} against {other}");
}

/// Automata with much choice, whose trees grow tall, against single words: then no other word can
/// be found in place of the one that a mistake would hide.
#[test]
fn one_word_is_included_when_it_is_accepted() {
    let (mut included, mut not) = (0, 0);
    let first = first_seed(300_000);
    // The last one is a rare case: an age turns green again and again, and only nodes older than
    // it are ever removed. Of 18,000 it was the first that told a removal at one age from a removal
    // at this age and all younger ones.
    for seed in (first..first + cases(3_000)).chain([318_218]) {
        let mut rng = Rng::new(seed);
        let nodes = 3 + rng.below(4);
        let (choice, good) = (2 + rng.below(3) as u32, 1 + rng.below(2) as u32);
        let mut edges = Vec::new();
        for (from, to) in (0..nodes * nodes).map(|at| (at / nodes, at % nodes)) {
            for letter in 0..2 {
                if rng.chance(choice, 10) {
                    let marks = u64::from(rng.chance(good, 10));
                    edges.push(TinyEdge { from, to, marks, letters: 1 << letter });
                }
            }
        }
        let graph = TinyGraph { nodes, initial: vec![0], propositions: 1, edges };
        let word = random_word(&mut rng, 1, 1, 7);
        let length = word.stem.len() + word.cycle.len();
        let mut edges: Vec<TinyEdge> = Vec::new();
        for (from, letter) in word.stem.iter().chain(&word.cycle).enumerate() {
            let to = if from + 1 == length { word.stem.len() } else { from + 1 };
            edges.push(TinyEdge { from, to, marks: 0, letters: 1 << letter });
        }
        let single = TinyGraph { nodes: length, initial: vec![0], propositions: 1, edges };
        let (a, b) =
            (automaton(&single, &TinyCondition::True), automaton(&graph, &TinyCondition::Inf(0)));
        let answer = includes(&a, &b, LIMITS).unwrap();
        let expected = accepts_word(&graph, &TinyCondition::Inf(0), &word);
        assert_eq!(answer.is_none(), expected, "seed {seed}: {word} of {graph}");
        *(if expected { &mut included } else { &mut not }) += 1;
    }
    assert!(included > 200 && not > 200, "{included} included, {not} not");
}

/// `value` of the proposition at all times.
fn always(name: &str, value: bool) -> Automaton {
    let mut builder = Builder::new(vec![name.into()]);
    let here = builder.add_state();
    builder.add_initial(here);
    let label = builder.letters_mut().cube(&[(Prop(0), value)]).unwrap();
    builder.add_edge(here, label, MarkSet::new(), here);
    builder.build()
}

#[test]
fn propositions_are_joined_by_name() {
    let word = includes(&always("p", true), &always("q", false), LIMITS).unwrap().unwrap();
    assert_eq!(word.propositions, ["q", "p"]);
    assert!(word.cycle.iter().chain(&word.stem).all(|cube| cube[1] == (Prop(1), true)));
    assert!(word.cycle.iter().chain(&word.stem).any(|cube| cube[0] == (Prop(0), true)));
    // Each automaton reads its own part of the word.
    let (mut left, mut right) = (always("p", true), always("q", false));
    let mine = word.read_by(&mut left).unwrap();
    assert!(fairly_omega::ops::accepts(&left, &mine).unwrap().is_some());
    let theirs = word.read_by(&mut right).unwrap();
    assert!(fairly_omega::ops::accepts(&right, &theirs).unwrap().is_none());
}

#[test]
fn nothing_is_included_in_everything() {
    let nothing = Builder::new(vec!["p".into()]).build();
    let everything = complement(&nothing, LIMITS).unwrap();
    assert_eq!(is_universal(&everything, LIMITS), Ok(true));
    assert_eq!(includes(&nothing, &always("q", true), LIMITS), Ok(None));
    assert_eq!(includes(&always("q", true), &everything, LIMITS), Ok(None));
    assert!(includes(&everything, &nothing, LIMITS).unwrap().is_some());
}

/// "The letter `back` letters before the end of some block …": a nondeterministic automaton whose
/// deterministic ones have 2^back states.
fn guess(back: u32) -> Automaton {
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let start = builder.add_states(back as usize + 1);
    builder.add_initial(start);
    let p = builder.letters_mut().prop(Prop(0)).unwrap();
    let not_p = builder.letters_mut().not(p).unwrap();
    builder.add_edge(start, Label::TRUE, MarkSet::new(), start);
    builder.add_edge(start, p, MarkSet::new(), StateId(1));
    for at in 1..back {
        builder.add_edge(StateId(at), Label::TRUE, MarkSet::new(), StateId(at + 1));
    }
    builder.add_edge(StateId(back), not_p, [Mark(0)].into_iter().collect(), start);
    builder.build()
}

#[test]
fn the_search_stops_early() {
    // To determinize the right automaton takes 2^30 states, but the words differ soon, and where
    // they do not, simulation knows.
    let (hard, all) = (guess(30), complement(&Builder::new(vec![]).build(), LIMITS).unwrap());
    assert!(includes(&all, &hard, LIMITS).unwrap().is_some());
    let mut renamed = hard.to_builder();
    renamed.set_name(Some("another".into()));
    assert_eq!(includes(&renamed.build(), &hard, LIMITS), Ok(None));
}

#[test]
fn too_large_is_refused() {
    let tight = Limits { states: 50, edges: 1_000_000 };
    let refused = includes(&guess(11), &guess(12), tight);
    assert_eq!(refused.unwrap_err(), BudgetError { resource: Resource::States, limit: 50 });
}
