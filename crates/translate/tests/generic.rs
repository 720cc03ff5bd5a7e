//! Formulas with a generic condition, and as alternating automata, against the semantics of the
//! logic on words; and what they are printed as, read back.

use fairly_logic::{Formula, Formulas};
use fairly_omega::formats::hoa::{self, Shape};
use fairly_omega::{Acceptance, Automaton, Limits, ops};
use fairly_testkit::ltl::{Ltl, LtlShape, random_formula};
use fairly_testkit::{Rng, random_word};
use fairly_translate::{Options, translate, translate_alternating, translate_generic};

use crate::common::{accepts, parse, word_text};

/// A formula over `p0` to `p2` that says much about the limit, in prefix notation.
fn random_text(rng: &mut Rng, depth: usize) -> String {
    let shape = |size, operators| LtlShape { size, atoms: 3, operators };
    if depth == 0 || rng.chance(1, 4) {
        return match rng.below(7) {
            0 => random_formula(rng, &shape(5, "!&|XFGUVWM")).lbt(),
            at => {
                let size = 1 + rng.below(4);
                let inner = random_formula(rng, &shape(size, "!&|")).lbt();
                format!("{} {inner}", if at < 4 { "G F" } else { "F G" })
            }
        };
    }
    let operator = *rng.pick(&["&", "&", "|", "i", "!", "X", "U"]);
    let left = random_text(rng, depth - 1);
    match operator {
        "!" | "X" => format!("{operator} {left}"),
        _ => format!("{operator} {left} {}", random_text(rng, depth - 1)),
    }
}

fn read_plain(text: &str) -> Automaton {
    hoa::parse(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}")).remove(0)
}

fn alternating(formulas: &mut Formulas, f: Formula, options: &Options) -> Option<Automaton> {
    let automaton = translate_alternating(formulas, f, options).ok()?;
    let printed = hoa::print_alternating(&automaton);
    let read = hoa::Reader::new(&printed).next().expect("one").expect("well-formed");
    match &read.shape {
        Shape::Alternating(again) => assert_eq!(*again, automaton, "{printed}"),
        // One part alone branches nowhere.
        Shape::Plain(again) => assert_eq!(again, automaton.base(), "{printed}"),
    }
    read.automaton(Limits { states: 2_000, edges: 20_000 }).ok()
}

#[test]
fn every_condition_means_the_formula() {
    let options = Options { limits: Limits { states: 2_000, edges: 20_000 }, ..Options::default() };
    let (mut made, mut alternated, mut held, mut failed) = (0, 0, 0, 0);
    for seed in 0..700 {
        let mut rng = Rng::new(seed);
        let depth = 1 + rng.below(4);
        let judge = Ltl::from_lbt(&random_text(&mut rng, depth)).expect("well-formed");
        let text = judge.infix();
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &text);
        let mut automata: Vec<(&str, Automaton)> = Vec::new();
        if let Ok(generic) = translate_generic(&mut formulas, f, &options) {
            let printed = hoa::print(&generic);
            assert_eq!(read_plain(&printed), generic, "seed {seed}: {text}");
            if let Ok(buchi) = ops::to_buchi(&generic, options.limits) {
                assert_eq!(buchi.acceptance(), &Acceptance::buchi());
                automata.push(("generic, then Büchi", buchi));
            }
            automata.push(("generic", generic));
            made += 1;
        }
        if let Some(automaton) = alternating(&mut formulas, f, &options) {
            automata.push(("alternating", automaton));
            alternated += 1;
        }
        if let Ok(automaton) = translate(&mut formulas, f, &options) {
            automata.push(("generalized Büchi", automaton));
        }
        for _ in 0..20 {
            let word = random_word(&mut rng, 3, 3, 4);
            let expected = judge.holds(&word);
            *(if expected { &mut held } else { &mut failed }) += 1;
            for (kind, automaton) in &automata {
                let shown = || format!("{kind}, seed {seed}: {text} on {}", word_text(&word));
                assert_eq!(accepts(automaton, &word), expected, "{}", shown());
            }
        }
    }
    assert!(made > 650 && alternated > 600, "{made} {alternated}");
    assert!(held > 2_000 && failed > 2_000, "{held} {failed}");
}

fn pairs(n: usize) -> String {
    let pairs: Vec<String> = (0..n).map(|at| format!("(GF p{at} -> GF q{at})")).collect();
    format!("!(({}) -> GF s)", pairs.join(" && "))
}

#[test]
fn premises_cost_no_states() {
    let options = Options::default();
    for n in 1..=8 {
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &pairs(n));
        let automaton = translate_generic(&mut formulas, f, &options).expect("small");
        assert_eq!(automaton.state_count(), 1, "{n}");
        assert!(
            automaton.edge_count() <= (n + 1) * (1 << n) + 1,
            "{n}: {}",
            automaton.edge_count()
        );
        // Not fewer than the lower bound.
        assert!(automaton.edge_count() > 1 << n);
    }
    for n in [1, 8, 20, 100] {
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, &pairs(n));
        let automaton = translate_alternating(&mut formulas, f, &options).expect("linear");
        assert_eq!(automaton.state_count(), n + 1);
        let edges: usize = automaton.states().map(|state| automaton.edges(state).len()).sum();
        assert_eq!(edges, 3 * n + 2);
        assert_eq!(automaton.base().acceptance(), &Acceptance::streett(1));
    }
}

/// The dual of strong fairness: a run chooses the pair that it breaks.
#[test]
fn disjunctions_are_chosen_from() {
    let parts: Vec<String> = (0..20).map(|at| format!("(GF p{at} & FG !q{at})")).collect();
    let mut formulas = Formulas::new();
    let f = parse(&mut formulas, &parts.join(" | "));
    let automaton = translate_generic(&mut formulas, f, &Options::default()).expect("linear");
    assert!(automaton.state_count() <= 20 && automaton.edge_count() <= 100);
}
