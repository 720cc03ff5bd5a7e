//! A formula against its negation, and one translator against the other.

use fairly_logic::Formulas;
use fairly_omega::{Limits, ops};
use fairly_testkit::{Rng, ltl};
use fairly_translate::{Options, TRANSLATORS, Translator, translate};

use crate::common::parse;

fn random(seed: u64, most: usize, operators: &'static str) -> String {
    let mut rng = Rng::new(seed);
    let shape =
        ltl::LtlShape { size: 2 + rng.below(most - 1), atoms: 1 + rng.below(3) as u8, operators };
    ltl::random_formula(&mut rng, &shape).infix()
}

/// Everything but `<->` and `xor`, which blow up the plain tableau.
const PLAIN: &str = "!&|iXFGUVWM";

#[test]
fn a_formula_and_its_negation_share_no_word_and_miss_none() {
    let limits = Limits { states: 20_000, edges: 200_000 };
    let mut unknown = 0;
    for seed in 0..1_200 {
        let text = random(seed, 12, "!&|ie^XFGUVWM");
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &text);
        let not_f = formulas.not(f);
        let yes = translate(&mut formulas, f, &Options::default()).expect("small");
        let no = translate(&mut formulas, not_f, &Options::default()).expect("small");
        let both = ops::intersection(&yes, &no, limits).expect("small");
        assert!(ops::is_empty(&both).unwrap(), "seed {seed}: {text} and its negation meet");
        let either = ops::union(&yes, &no, limits).expect("small");
        match ops::is_universal(&either, limits) {
            Ok(universal) => assert!(universal, "seed {seed}: {text} and its negation miss a word"),
            Err(_) => unknown += 1,
        }
    }
    assert!(unknown < 12, "{unknown} unknown");
}

#[test]
fn the_translators_agree() {
    let limits = Limits { states: 20_000, edges: 200_000 };
    let (mut compared, mut smaller) = (0, 0);
    for seed in 10_000..10_600 {
        let text = random(seed, 10, PLAIN);
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &text);
        let [fast, gpvw] = ["fast", "gpvw"].map(|name| {
            let translator = Translator::named(name).expect("in the table");
            translate(&mut formulas, f, &Options { translator, ..Options::default() })
        });
        let fast = fast.expect("small");
        let Ok(gpvw) = gpvw else { continue };
        if let Ok(difference) = ops::equivalent(&fast, &gpvw, limits) {
            assert!(difference.is_none(), "seed {seed}: {text}: {difference:?}");
            compared += 1;
        }
        assert!(fast.state_count() <= gpvw.state_count(), "seed {seed}: {text}");
        smaller += usize::from(fast.state_count() < gpvw.state_count());
    }
    assert!(compared > 570, "{compared}");
    assert!(smaller > 500, "{smaller}");
    assert_eq!(TRANSLATORS.len(), 2);
}
