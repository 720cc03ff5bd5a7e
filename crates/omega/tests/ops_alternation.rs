//! Alternation removal against the game that defines what an alternating automaton accepts.

use std::fmt::Write;

use fairly_omega::formats::hoa::{self, Shape};
use fairly_omega::{Alternating, Automaton, Cube, Label, Limits, Prop, Word, ops};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyAlternating, TinyCondition, TinyWord, accepts_by_game,
    all_words, random_alternating, random_condition, random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed};

/// The automaton as HOA, written without the printer.
fn text(automaton: &TinyAlternating, condition: &TinyCondition, marks: u32) -> String {
    let joined =
        |states: &[usize]| states.iter().map(ToString::to_string).collect::<Vec<_>>().join(" & ");
    let mut out = format!("HOA: v1 States: {} AP: 2 \"a\" \"b\"\n", automaton.states);
    for states in &automaton.initial {
        let _ = writeln!(out, "Start: {}", joined(states));
    }
    let _ = writeln!(out, "Acceptance: {marks} {condition}\n--BODY--");
    for state in 0..automaton.states {
        let _ = writeln!(out, "State: {state}");
        for edge in automaton.edges.iter().filter(|edge| edge.from == state) {
            let letters = ["!0&!1", "0&!1", "!0&1", "0&1"];
            let label: Vec<&str> =
                (0..4).filter(|at| edge.letters >> at & 1 == 1).map(|at| letters[at]).collect();
            let set: Vec<String> = (0..marks)
                .filter(|mark| edge.marks >> mark & 1 == 1)
                .map(|mark| mark.to_string())
                .collect();
            let (label, set) = (label.join(" | "), set.join(" "));
            let _ = writeln!(out, "[{label}] {} {{{set}}}", joined(&edge.to));
        }
    }
    out.push_str("--END--\n");
    out
}

fn read(text: &str) -> Shape {
    let mut reader = hoa::Reader::new(text);
    let read = reader.next().expect("one").unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    assert!(reader.next().is_none());
    read.shape
}

fn alternating(text: &str) -> Alternating {
    match read(text) {
        Shape::Alternating(automaton) => automaton,
        Shape::Plain(_) => panic!("nothing branches in\n{text}"),
    }
}

fn accepts(automaton: &Automaton, word: &TinyWord) -> bool {
    let mut automaton = automaton.clone();
    let mut labels = |letters: &[u8]| -> Vec<Label> {
        let cube =
            |&letter: &u8| -> Cube { (0..2).map(|at| (Prop(at), letter >> at & 1 == 1)).collect() };
        letters.iter().map(|l| automaton.letters_mut().cube(&cube(l)).unwrap()).collect()
    };
    let word = Word { stem: labels(&word.stem), cycle: labels(&word.cycle) };
    ops::accepts(&automaton, &word).unwrap().is_some()
}

#[test]
fn removing_alternation_keeps_the_words() {
    let (mut accepted, mut rejected, mut branching, mut refused) = (0, 0, 0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(1_500) {
        let mut rng = Rng::new(seed);
        let marks = 1 + rng.below(3) as u32;
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, marks);
        let tiny = random_alternating(&mut rng, 4, marks);
        let text = text(&tiny, &condition, marks);
        let Shape::Alternating(alternating) = read(&text) else { continue };
        branching += 1;
        let limits = Limits { states: 3_000, edges: 30_000 };
        let Ok(automaton) = ops::remove_alternation(&alternating, limits) else {
            refused += 1;
            continue;
        };
        let mut words = all_words(2, 0, 2);
        words.extend((0..8).map(|_| random_word(&mut rng, 2, 3, 4)));
        for word in words {
            let expected = accepts_by_game(&tiny, &condition, &word);
            assert_eq!(accepts(&automaton, &word), expected, "seed {seed} on {word}:\n{text}");
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
        }
    }
    println!("{branching} branching, {refused} refused, {accepted} accepted, {rejected} rejected");
    assert!(accepted > 2_000 && rejected > 2_000, "{accepted} against {rejected}");
    assert!(refused * 20 < branching, "{refused} of {branching} were refused");
}

#[test]
fn alternating_automata_are_printed_and_read_back() {
    let mut branching = 0;
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let condition = random_condition(&mut rng, ConditionKind::EmersonLei, 3);
        let tiny = random_alternating(&mut rng, 5, 3);
        let Shape::Alternating(automaton) = read(&text(&tiny, &condition, 3)) else { continue };
        branching += 1;
        let printed = hoa::print_alternating(&automaton);
        assert_eq!(alternating(&printed), automaton, "seed {seed}:\n{printed}");
        assert_eq!(hoa::print_alternating(&alternating(&printed)), printed);
    }
    assert!(branching > 300);
}

/// The properties that a file claims are those of the states, not of what stands for conjunctions.
#[test]
fn claims_of_alternating_automata_are_about_their_states() {
    let file = |properties: &str| {
        format!(
            "HOA: v1.1 States: 2 Start: 0&1 AP: 1 \"a\" Acceptance: 1 Inf(0) properties: {properties}
             --BODY-- State: 0 [0] 0&1 [!0] 1 State: 1 [t] 1&1&1 {{0}} --END--"
        )
    };
    let automaton = alternating(&file("univ-branch deterministic complete"));
    assert_eq!(automaton.state_count(), 2);
    let last = automaton.states().last().expect("two");
    assert_eq!(automaton.targets(&automaton.edges(last)[0]).len(), 1, "1&1&1 is 1");
    assert_eq!(hoa::parse(&file("colored")).unwrap_err().code, "E0226");
}

#[test]
fn conjunctions_buy_no_memory() {
    let many: String = (0..2_000).map(|state| format!("State: {state} [t] 0&{state} ")).collect();
    let all: Vec<String> = (0..2_000).map(|state| state.to_string()).collect();
    let text = format!(
        "HOA: v1 Start: {} AP: 1 \"a\" Acceptance: 2 Inf(0)&Fin(1) | Inf(1)&Fin(0) --BODY-- {many}
         --END--",
        all.join("&")
    );
    let started = std::time::Instant::now();
    // Read, and either made nondeterministic or refused; not for long.
    let read = hoa::Reader::new(&text).next().expect("one").expect("well-formed");
    let _ = read.automaton(hoa::ALTERNATION);
    assert!(started.elapsed().as_secs() < 20);
}

/// A word of several automata at once, against the product and the membership of the word.
#[test]
fn common_words_are_those_of_the_intersection() {
    let (mut some, mut none) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(2_000) {
        let mut rng = Rng::new(seed);
        let kinds = [
            ConditionKind::Constant,
            ConditionKind::Buchi,
            ConditionKind::GeneralizedBuchi,
            ConditionKind::CoBuchi,
            ConditionKind::Streett,
            ConditionKind::Streett,
            ConditionKind::Rabin,
        ];
        let count = 1 + rng.below(3);
        let automata: Vec<Automaton> = (0..count)
            .map(|_| {
                let shape = GraphShape { most_nodes: 3, most_edges: 8, marks: 4, propositions: 2 };
                let graph = random_graph(&mut rng, &shape);
                let kind = *rng.pick(&kinds);
                automaton(&graph, &random_condition(&mut rng, kind, 4))
            })
            .collect();
        let limits = Limits::default();
        let mut product = automata[0].clone();
        for other in &automata[1..] {
            product = ops::intersection(&product, other, limits).unwrap();
        }
        let empty = ops::is_empty(&product).unwrap();
        *(if empty { &mut none } else { &mut some }) += 1;
        let word = ops::common_word(&automata, limits).unwrap();
        assert_eq!(word.is_none(), empty, "seed {seed}");
        let Some(word) = word else { continue };
        for automaton in &automata {
            let mut automaton = automaton.clone();
            let read = word.read_by(&mut automaton).unwrap();
            assert!(ops::accepts(&automaton, &read).unwrap().is_some(), "seed {seed}: {word:?}");
        }
    }
    assert!(some > 300 && none > 300, "{some} {none}");
}
