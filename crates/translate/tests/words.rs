//! Both translators against the definition of LTL, on random formulas and random words.

use fairly_logic::Formulas;
use fairly_testkit::{Rng, ltl, random_word};
use fairly_translate::{Options, TRANSLATORS, translate};

use crate::common::{accepts, parse, word_text};

const FORMULAS: u64 = 2_600;
const WORDS: usize = 20;

#[test]
fn both_translators_agree_with_the_definition() {
    let (mut pairs, mut held, mut refused) = (0, 0, 0);
    for seed in 0..FORMULAS {
        let mut rng = Rng::new(seed);
        let atoms = 1 + rng.below(3) as u8;
        let shape = ltl::LtlShape { size: 1 + rng.below(11), atoms, ..Default::default() };
        let formula = ltl::random_formula(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &formula.infix());
        let automata: Vec<_> = TRANSLATORS
            .iter()
            .map(|translator| {
                let options = Options { translator, ..Options::default() };
                translate(&mut formulas, f, &options).ok()
            })
            .collect();
        for _ in 0..WORDS {
            let word = random_word(&mut rng, u32::from(atoms), 4, 4);
            let expected = formula.holds(&word);
            for (translator, automaton) in TRANSLATORS.iter().zip(&automata) {
                let Some(automaton) = automaton else {
                    // Nested equivalences are too much for the plain tableau, for nothing else.
                    assert_eq!(translator.name, "gpvw", "seed {seed}: {}", formula.infix());
                    refused += 1;
                    continue;
                };
                pairs += 1;
                assert_eq!(
                    accepts(automaton, &word),
                    expected,
                    "seed {seed}, {}: {} on {}",
                    translator.name,
                    formula.infix(),
                    word_text(&word),
                );
            }
            held += usize::from(expected);
        }
    }
    assert!(pairs >= 100_000, "{pairs}");
    assert!(refused * 50 < pairs, "{refused} of {pairs} refused");
    assert!(held * 10 > pairs && held * 10 < 4 * pairs, "one-sided: {held} of {pairs}");
}
