//! Fairness premises: lifted, folded back, and as conditions on the letters of words.

use fairly_logic::Formulas;
use fairly_omega::{Acceptance, Label, Limits, Prop, Resource, ops};
use fairly_testkit::formulas::FAMILIES;
use fairly_testkit::{Rng, TinyWord, ltl, random_word};
use fairly_translate::{LetterConstraint, Lifted, Options, translate, translate_lifted};

use crate::common::{accepts, parse, word_text};

fn family(name: &str, n: usize) -> String {
    let family = FAMILIES.iter().find(|family| family.name == name).expect("a family");
    (family.formula)(n)
}

/// A conjunction of fairness premises and a small formula, over `p0` to `p2`.
fn random_conjunction(rng: &mut Rng) -> String {
    let shape = ltl::LtlShape { size: 1 + rng.below(6), ..Default::default() };
    let mut parts = vec![ltl::random_formula(rng, &shape).infix()];
    for _ in 0..1 + rng.below(4) {
        let [a, b] = [(); 2].map(|()| {
            let shape = ltl::LtlShape { size: 1 + rng.below(3), atoms: 3, operators: "!&|" };
            ltl::random_formula(rng, &shape).infix()
        });
        parts.push(match rng.below(3) {
            0 => format!("GF({a})"),
            1 => format!("FG({a})"),
            _ => format!("(GF({a}) -> GF({b}))"),
        });
    }
    parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" & ")
}

/// Whether the word is accepted, the constraints judged on its cycle.
fn holds(lifted: &Lifted, word: &TinyWord) -> bool {
    let automaton = &lifted.automaton;
    let bits: Vec<u32> = automaton
        .propositions()
        .iter()
        .map(|name| name[1..].parse().expect("propositions are p0, p1 …"))
        .collect();
    let read = |label: Label, letter: u8| {
        automaton.letters().holds(label, |Prop(p)| letter >> bits[p as usize] & 1 == 1)
    };
    let some = |label| word.cycle.iter().any(|&letter| read(label, letter));
    let all = |label| word.cycle.iter().all(|&letter| read(label, letter));
    accepts(automaton, word)
        && lifted.constraints.iter().all(|&constraint| match constraint {
            LetterConstraint::Justice(b) => some(b),
            LetterConstraint::Persistence(b) => all(b),
            LetterConstraint::Compassion(a, b) => !some(a) || some(b),
        })
}

#[test]
fn lifted_folded_and_whole_are_the_same() {
    let mut constraints = 0;
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let text = random_conjunction(&mut rng);
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &text);
        let options = Options::default();
        let lifted = translate_lifted(&mut formulas, f, &options).expect("small");
        let folded = lifted.fold(options.limits).expect("few premises");
        let whole = translate(&mut formulas, f, &options).expect("small");
        constraints += lifted.constraints.len();
        assert_eq!(lifted.automaton.propositions(), whole.propositions());
        assert_eq!(folded.state_count(), lifted.automaton.state_count());
        let judge = ltl::Ltl::from_lbt(&formulas.to_lbt(f).expect("small")).expect("readable");
        for _ in 0..20 {
            // The arena numbers atoms as it meets them, and so does its LBT text.
            let word = random_word(&mut rng, 3, 3, 3);
            let expected = {
                let atoms: Vec<u32> = formulas
                    .atoms(f)
                    .iter()
                    .map(|&atom| formulas.atom_of(atom).text()[1..].parse().expect("p0 …"))
                    .collect();
                let renumber = |letters: &[u8]| -> Vec<u8> {
                    letters
                        .iter()
                        .map(|letter| {
                            (0..).zip(&atoms).map(|(to, from)| (letter >> from & 1) << to).sum()
                        })
                        .collect()
                };
                judge.holds(&TinyWord { stem: renumber(&word.stem), cycle: renumber(&word.cycle) })
            };
            let shown = || format!("seed {seed}: {text} on {}", word_text(&word));
            assert_eq!(holds(&lifted, &word), expected, "lifted, {}", shown());
            assert_eq!(accepts(&folded, &word), expected, "folded, {}", shown());
            assert_eq!(accepts(&whole, &word), expected, "whole, {}", shown());
        }
    }
    assert!(constraints > 600, "{constraints}");
}

#[test]
fn premises_cost_no_states() {
    let options = Options::default();
    for n in 1..=20 {
        for (name, states, constraints) in
            [("fair-weak", 1, n + 1), ("fair-strong", 1, n + 1), ("theta", 2, n)]
        {
            let mut formulas = Formulas::new();
            let f = parse(&mut formulas, &family(name, n));
            let lifted = translate_lifted(&mut formulas, f, &options).expect("constant size");
            assert_eq!(lifted.automaton.state_count(), states, "{name} {n}");
            assert!(lifted.automaton.edge_count() <= 3, "{name} {n}");
            assert_eq!(lifted.constraints.len(), constraints, "{name} {n}");
        }
    }
}

#[test]
fn justice_folds_in_a_line_and_compassion_is_refused_in_time() {
    let options = Options::default();
    let mut formulas = Formulas::new();
    let f = parse(&mut formulas, &family("fair-weak", 20));
    let lifted = translate_lifted(&mut formulas, f, &options).expect("constant size");
    let folded = lifted.fold(options.limits).expect("linear");
    assert_eq!((folded.state_count(), folded.edge_count()), (1, 42));

    let f = parse(&mut formulas, &family("fair-strong", 20));
    let lifted = translate_lifted(&mut formulas, f, &options).expect("constant size");
    let refused = lifted.fold(options.limits).expect_err("2^20 edges");
    assert_eq!(refused.resource, Resource::Edges);

    // One pair is a Streett condition.
    let f = parse(&mut formulas, "GF a -> GF b");
    let lifted = translate_lifted(&mut formulas, f, &options).expect("constant size");
    let folded = lifted.fold(Limits::default()).expect("one pair");
    assert_eq!(folded.acceptance(), &Acceptance::streett(1));
    let whole = translate(&mut formulas, f, &options).expect("small");
    assert_eq!(ops::equivalent(&folded, &whole, Limits::default()), Ok(None));
}
