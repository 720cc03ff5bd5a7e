//! Rewriting keeps the meaning: every rewritten formula is judged on random words by the direct
//! evaluator of the testkit, which sees only text.

use fairly_logic::{Entailment, Formula, Formulas, Simplifier};
use fairly_testkit::ltl::{Ltl, LtlShape, random_formula};
use fairly_testkit::{Rng, TinyWord, random_word};

const ATOMS: u8 = 3;

/// An arena whose propositions are the bits of a letter.
fn arena() -> Formulas {
    let mut formulas = Formulas::new();
    for bit in 0..ATOMS {
        formulas.name(&format!("p{bit}"));
    }
    formulas
}

fn judge(formulas: &Formulas, f: Formula) -> Ltl {
    let text = formulas.to_lbt(f).expect("test formulas are small");
    Ltl::from_lbt(&text).expect("the printer writes LBT")
}

fn words(rng: &mut Rng, count: usize) -> Vec<TinyWord> {
    (0..count).map(|_| random_word(rng, u32::from(ATOMS), 4, 4)).collect()
}

/// Formulas rich in what the laws are about: few propositions, many temporal operators.
fn shape(rng: &mut Rng) -> LtlShape {
    let operators = *rng.pick(&["!&|ie^XFGUVWM", "!&|XFGUVWM", "&|FGFGUV", "!&|XFG", "&|UVWM"]);
    LtlShape { size: 1 + rng.below(14), atoms: 1 + rng.below(3) as u8, operators }
}

#[test]
fn normal_form_and_simplification_keep_the_meaning() {
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let shape = shape(&mut rng);
        let original = random_formula(&mut rng, &shape);
        let mut fs = arena();
        let f = fs.parse(&original.infix()).unwrap();
        let nnf = fs.nnf(f);
        let negated = fs.negate(f);
        let simple = fs.simplify(f);
        let about = || format!("seed {seed}: {}", fs.display(f));
        assert!(fs.is_nnf(nnf) && fs.is_nnf(negated) && fs.is_nnf(simple), "{}", about());
        assert!(fs.size(simple) <= fs.size(nnf), "{} grew to {}", about(), fs.display(simple));
        let [nnf, negated, simplified] = [nnf, negated, simple].map(|g| judge(&fs, g));
        for word in words(&mut rng, 4) {
            let values = original.values(&word);
            assert_eq!(judge(&fs, f).values(&word), values, "{} as parsed, on {word}", about());
            assert_eq!(nnf.values(&word), values, "{} in normal form, on {word}", about());
            let opposite: Vec<bool> = values.iter().map(|value| !value).collect();
            assert_eq!(negated.values(&word), opposite, "{} negated, on {word}", about());
            assert_eq!(
                simplified.values(&word),
                values,
                "{} as {}, on {word}",
                about(),
                fs.display(simple)
            );
        }
        let again = fs.simplify(simple);
        assert_eq!(
            again,
            simple,
            "seed {seed}: {} became {} and then {}",
            fs.display(f),
            fs.display(simple),
            fs.display(again)
        );
    }
}

#[test]
fn lifted_premises_and_the_rest_are_the_formula() {
    let mut lifted_some = 0;
    for seed in 0..5_000 {
        let mut rng = Rng::new(seed);
        // A random conjunction of premises, near-premises and something else.
        let mut conjuncts = Vec::new();
        for _ in 0..1 + rng.below(4) {
            let mut small = |operators| {
                let size = 1 + rng.below(4);
                random_formula(&mut rng, &LtlShape { size, atoms: ATOMS, operators }).infix()
            };
            let (a, b) = (small("!&|"), small("!&|ie"));
            let c = small("!&|XFGUVWM");
            conjuncts.push(match rng.below(9) {
                0 => format!("GF({a})"),
                1 => format!("FG({a})"),
                2 => format!("(GF({a}) -> GF({b}))"),
                3 => format!("G(({c}) & F({b}))"),
                4 => format!("G(GF({a}) | FG({b}))"),
                5 => format!("(GF({a}) | FG({b}) | GF({c}))"),
                6 => format!("X FG({a})"),
                7 => format!("(FG({a}) | FG({b}) | GF({c}))"),
                _ => format!("({c})"),
            });
        }
        let mut fs = arena();
        let f = fs.parse(&conjuncts.join(" & ")).unwrap();
        let original = judge(&fs, f);
        let negation = fs.not(f);
        for lifted in [fs.lift(f), fs.lift_negation(negation)] {
            lifted_some += usize::from(!lifted.premises.is_empty());
            let premises: Vec<Formula> =
                lifted.premises.iter().map(|premise| premise.formula(&mut fs)).collect();
            let back = fs.and(premises.into_iter().chain([lifted.rest]));
            let back = judge(&fs, back);
            for word in words(&mut rng, 4) {
                assert_eq!(
                    back.values(&word),
                    original.values(&word),
                    "seed {seed}: {} on {word}",
                    fs.display(f)
                );
            }
        }
    }
    assert!(lifted_some > 6_000, "{lifted_some}");
}

#[test]
fn no_word_contradicts_an_entailment() {
    let mut found = 0;
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let mut fs = arena();
        let mut known = Entailment::new();
        // Subformulas of one simplified and one plain formula: related often enough.
        let mut pool = Vec::new();
        for _ in 0..3 {
            let size = 3 + rng.below(8);
            let shape = LtlShape { size, atoms: 2, operators: "!&|XFGUVWM" };
            let f = fs.parse(&random_formula(&mut rng, &shape).infix()).unwrap();
            let f = fs.nnf(f);
            pool.extend(fs.subformulas(f));
        }
        pool.sort_unstable();
        pool.dedup();
        let words = words(&mut rng, 8);
        let values: Vec<Vec<Vec<bool>>> = pool
            .iter()
            .map(|&f| words.iter().map(|word| judge(&fs, f).values(word)).collect())
            .collect();
        for (i, &a) in pool.iter().enumerate() {
            for (j, &b) in pool.iter().enumerate() {
                if i == j || a.is_constant() || b.is_constant() || !known.entails(&fs, a, b) {
                    continue;
                }
                found += 1;
                for (w, word) in words.iter().enumerate() {
                    let holds = values[i][w].iter().zip(&values[j][w]).all(|(a, b)| !a || *b);
                    assert!(
                        holds,
                        "seed {seed}: {} does not entail {} on {word}",
                        fs.display(a),
                        fs.display(b)
                    );
                }
            }
        }
    }
    assert!(found > 20_000, "{found}");
}

/// One simplifier for many formulas of one arena gives what a fresh one gives, up to equivalence.
#[test]
fn what_was_found_before_does_no_harm() {
    let mut rng = Rng::new(77);
    let mut fs = arena();
    let mut simplifier = Simplifier::new();
    for case in 0..2_000 {
        let shape = shape(&mut rng);
        let original = random_formula(&mut rng, &shape);
        let f = fs.parse(&original.infix()).unwrap();
        let simple = simplifier.simplify(&mut fs, f);
        assert_eq!(simplifier.simplify(&mut fs, simple), simple);
        for word in words(&mut rng, 3) {
            assert_eq!(
                judge(&fs, simple).values(&word),
                original.values(&word),
                "case {case}: {} as {} on {word}",
                fs.display(f),
                fs.display(simple)
            );
        }
    }
}

/// The eventual and universal marks, by their definition: stable under letters put in front, and
/// under letters taken away.
#[test]
fn eventual_and_universal_mean_what_they_say() {
    let (mut eventual, mut universal) = (0, 0);
    for seed in 0..5_000 {
        let mut rng = Rng::new(seed);
        let shape = LtlShape { size: 1 + rng.below(8), atoms: 2, operators: "!&|ieXFGUVWM" };
        let original = random_formula(&mut rng, &shape);
        let mut fs = arena();
        let f = fs.parse(&original.infix()).unwrap();
        for word in words(&mut rng, 5) {
            let values = original.values(&word);
            // Positions in the order of the run; the cycle twice, so that every pair is seen.
            let order = (0..values.len()).chain(word.stem.len()..values.len());
            let run: Vec<bool> = order.map(|place| values[place]).collect();
            for pair in run.windows(2) {
                if fs.is_eventual(f) {
                    eventual += 1;
                    assert!(!pair[1] || pair[0], "seed {seed}: {} on {word}", fs.display(f));
                }
                if fs.is_universal(f) {
                    universal += 1;
                    assert!(!pair[0] || pair[1], "seed {seed}: {} on {word}", fs.display(f));
                }
            }
        }
    }
    assert!(eventual > 10_000 && universal > 10_000, "{eventual} {universal}");
}
