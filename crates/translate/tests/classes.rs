//! Semantic classes: textbook examples, the syntax as a lower bound, and words.

use fairly_logic::{Class, Formulas};
use fairly_testkit::{Rng, TinyWord, ltl, random_word};
use fairly_translate::Options;
use fairly_translate::classes::{SemanticClasses, classify};

use crate::common::{parse, word_text};

fn classes(text: &str) -> SemanticClasses {
    let mut formulas = Formulas::new();
    let f = parse(&mut formulas, text);
    classify(&mut formulas, f, &Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn examples() {
    for (text, class, liveness, stutter_invariant) in [
        ("p", Class::Bounded, false, true),
        ("X p", Class::Bounded, false, false),
        ("true", Class::Bounded, true, true),
        ("false", Class::Bounded, false, true),
        ("G p", Class::Safety, false, true),
        ("p W q", Class::Safety, false, true),
        ("G(p -> X p)", Class::Safety, false, true),
        ("G(p -> X q)", Class::Safety, false, false),
        ("F p", Class::Guarantee, true, true),
        ("p U q", Class::Guarantee, false, true),
        ("F(p & X !p)", Class::Guarantee, true, true),
        ("F(p & X p)", Class::Guarantee, true, false),
        ("F p | G q", Class::Obligation, true, true),
        ("F p & G q", Class::Obligation, false, true),
        ("G(p -> F q)", Class::Recurrence, true, true),
        ("GF p", Class::Recurrence, true, true),
        ("GF(p & X q)", Class::Recurrence, true, false),
        ("FG p", Class::Persistence, true, true),
        ("F(p & G q)", Class::Persistence, true, true),
        ("GF p -> GF q", Class::Reactivity, true, true),
        ("GF p & FG q", Class::Reactivity, true, true),
        // Smaller than the syntax shows.
        ("G(p | F(q & !q))", Class::Safety, false, true),
        ("(p U q) | G p", Class::Safety, false, true),
        ("F(G p | p)", Class::Guarantee, true, true),
        ("GF p | FG !p", Class::Bounded, true, true),
        ("G(F p -> p)", Class::Safety, false, true),
    ] {
        let found = classes(text);
        assert_eq!(found.hierarchy.smallest(), class, "{text}");
        assert_eq!(found.liveness, liveness, "{text} is a liveness property");
        assert_eq!(found.stutter_invariant, stutter_invariant, "{text} is stutter-invariant");
        let words = found.to_string();
        assert!(words.contains("stutter-invariant"), "{words}");
    }
}

/// Some letters of the word once more.
fn stuttered(rng: &mut Rng, word: &TinyWord) -> TinyWord {
    let mut repeat = |letters: &[u8]| -> Vec<u8> {
        letters.iter().flat_map(|&letter| std::iter::repeat_n(letter, 1 + rng.below(3))).collect()
    };
    TinyWord { stem: repeat(&word.stem), cycle: repeat(&word.cycle) }
}

#[test]
fn what_the_syntax_shows_is_so_and_words_agree() {
    let (mut tight, mut invariant, mut shown) = (0, 0, 0);
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let shape = ltl::LtlShape { size: 2 + rng.below(8), atoms: 2, ..Default::default() };
        let formula = ltl::random_formula(&mut rng, &shape);
        let text = formula.infix();
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &text);
        let found = classify(&mut formulas, f, &Options::default()).expect("small");
        let (syntax, exact) = (formulas.classes(f), found.hierarchy);
        for (by_syntax, exact) in [
            (syntax.safety, exact.safety),
            (syntax.guarantee, exact.guarantee),
            (syntax.obligation, exact.obligation),
            (syntax.recurrence, exact.recurrence),
            (syntax.persistence, exact.persistence),
        ] {
            assert!(exact || !by_syntax, "seed {seed}: {text}: {syntax:?}, {exact:?}");
        }
        tight += usize::from(syntax == exact);
        // Recurrence and persistence together are obligation: three answers found in three ways.
        assert_eq!(exact.obligation, exact.recurrence && exact.persistence, "seed {seed}: {text}");
        assert!(found.stutter_invariant || !formulas.is_next_free(f), "seed {seed}: {text}");
        let mut differ = false;
        for _ in 0..30 {
            let word = random_word(&mut rng, 2, 3, 3);
            let longer = stuttered(&mut rng, &word);
            let same = formula.holds(&word) == formula.holds(&longer);
            differ |= !same;
            assert!(
                same || !found.stutter_invariant,
                "seed {seed}: {text} on {} and {}",
                word_text(&word),
                word_text(&longer)
            );
        }
        invariant += usize::from(found.stutter_invariant);
        shown += usize::from(differ);
    }
    assert!(tight > 250, "{tight}");
    assert!(invariant > 250 && invariant + shown > 450, "{invariant} invariant, {shown} shown not");
}
