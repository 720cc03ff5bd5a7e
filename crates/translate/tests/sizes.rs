//! How small and how fast: the formulas of the literature and the families that grow.

use std::time::{Duration, Instant};

use fairly_logic::Formulas;
use fairly_omega::Automaton;
use fairly_testkit::formulas::{DWYER, ETESSAMI_HOLZMANN, FAMILIES, SOMENZI_BLOEM};
use fairly_testkit::{Rng, ltl};
use fairly_translate::{Options, translate};

use crate::common::parse;

fn fast(text: &str) -> Automaton {
    let mut formulas = Formulas::new();
    let f = parse(&mut formulas, text);
    translate(&mut formulas, f, &Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// States of all formulas of a set against those that `ltl2tgba` of Spot 2.12.1 needs, run on the same
/// formulas with default options (small, high, transition-based generalized Büchi). An automaton
/// without states counts as one, as Spot writes it.
#[test]
fn not_above_spot_on_the_sets_of_the_literature() {
    for (set, ours, spot) in
        [(DWYER, 199, 206), (SOMENZI_BLOEM, 72, 73), (ETESSAMI_HOLZMANN, 33, 34)]
    {
        let states: usize = set.formulas.iter().map(|text| fast(text).state_count().max(1)).sum();
        assert!(states <= ours, "{}: {states} states, it was {ours} (Spot: {spot})", set.name);
        assert!(ours <= spot);
    }
}

#[test]
fn families_grow_as_they_should() {
    // The states for n, from n = 2 on, where they are few.
    type States = fn(usize) -> usize;
    let expected: [(&str, usize, States); 13] = [
        ("theta", 20, |_| 2),
        ("fair-weak", 20, |_| 2),
        ("fair-strong", 6, |n| (1 << n) + 1),
        ("fair-weak-positive", 20, |n| n + 1),
        ("fair-strong-positive", 20, |n| n + 3),
        ("u-right", 20, |n| n),
        ("r-right", 20, |n| n),
        ("r-left", 20, |n| n),
        ("and-gf", 20, |_| 1),
        ("or-fg", 20, |n| n + 1),
        ("or-gf", 20, |_| 1),
        ("and-f", 5, |n| 1 << n),
        ("or-g", 20, |n| n + 1),
    ];
    for (name, most, states) in expected {
        let family = FAMILIES.iter().find(|family| family.name == name).expect("a family");
        let start = Instant::now();
        for n in [2, 3, 4, 5, 6, 9, 13, 20].into_iter().filter(|&n| n <= most) {
            let automaton = fast(&(family.formula)(n));
            let count = automaton.state_count();
            assert!(count <= states(n), "{name} {n}: {count} states");
            assert!(automaton.edge_count() <= 4 * count * (count + n), "{name} {n}");
        }
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(20), "{name}: {elapsed:?}");
    }
}

#[test]
fn weak_fairness_and_persistence_take_two_states() {
    let premises: Vec<String> = (1..=20).map(|i| format!("GF p{i}")).collect();
    let automaton = fast(&format!("{} & FG !q", premises.join(" & ")));
    assert!(automaton.state_count() <= 2);
    assert!(automaton.edge_count() <= 24, "{}", automaton.edge_count());
}

#[test]
fn constants_and_hopeless_formulas() {
    assert_eq!(fast("true").state_count(), 1);
    assert_eq!(fast("p & !p").state_count(), 0);
    assert_eq!(fast("G p & F !p").state_count(), 0);
    assert_eq!(fast("F p | G !p").state_count(), 1);
    assert_eq!(fast("F p | G !p").propositions(), ["p"]);
}

#[test]
fn a_formula_that_is_too_much_ends_soon() {
    let responses: Vec<String> = (1..=16).map(|i| format!("G(a{i} -> F b{i})")).collect();
    let alternating = (1..=60)
        .fold("p".to_owned(), |inner, i| format!("(q{} U G(r{} | X {inner}))", i % 9, i % 7));
    let equivalences = (1..=30).fold("p".to_owned(), |inner, i| format!("(X F q{i} <-> {inner})"));
    let mut texts = vec![responses.join(" & "), alternating, equivalences];
    for seed in 0..3 {
        let mut rng = Rng::new(seed);
        let shape = ltl::LtlShape { size: 100, atoms: 7, ..Default::default() };
        texts.push(ltl::random_formula(&mut rng, &shape).infix());
    }
    for (at, text) in texts.iter().enumerate() {
        let start = Instant::now();
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, text);
        let size = translate(&mut formulas, f, &Options::default()).map(|a| a.state_count());
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(60), "formula {at}: {size:?} after {elapsed:?}");
    }
}
