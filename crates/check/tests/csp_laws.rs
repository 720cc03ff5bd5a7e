//! The laws of CSP that hold of failures and divergences, on random processes written in CSP#. Those
//! that hold step by step are in `crates/front/tests/csp_semantics.rs`; what fairness makes of them is
//! in `corpus/csp/fairness_breaks_the_expansion_law.csp`.

use fairly_check::claim::ClaimOutcome;
use fairly_search::Bounds;
use fairly_testkit::Rng;

use crate::common::languages::CspFile;
use crate::common::seeds;

const LAWS: [(&str, &str); 16] = [
    ("Skip; P", "P"),
    ("P; Skip", "P"),
    ("P <> P", "P"),
    ("P <> (Q <> R)", "(P <> Q) <> R"),
    ("P [*] P", "P"),
    ("P [*] (Q <> R)", "(P [*] Q) <> (P [*] R)"),
    ("P <> (Q [*] R)", "(P <> Q) [*] (P <> R)"),
    ("a -> (P <> Q)", "(a -> P) <> (a -> Q)"),
    ("a -> (P <> Q)", "a -> P [*] a -> Q"),
    ("(P <> Q); R", "(P; R) <> (Q; R)"),
    ("P; (Q <> R)", "(P; Q) <> (P; R)"),
    ("(P <> Q) \\ {a}", "(P \\ {a}) <> (Q \\ {a})"),
    ("(a -> P) \\ {a}", "P \\ {a}"),
    ("P ||| (Q <> R)", "(P ||| Q) <> (P ||| R)"),
    ("tau -> P", "P"),
    ("if (true) { P }", "P"),
];

fn process(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return (*rng.pick(&["Stop", "Skip", "Skip"])).to_owned();
    }
    let one = process(rng, depth - 1);
    let event = *rng.pick(&["a", "b", "d"]);
    match rng.below(8) {
        0 => "Skip".to_owned(),
        1 => format!("(({one}) [*] ({}))", process(rng, depth - 1)),
        2 => format!("(({one}) <> ({}))", process(rng, depth - 1)),
        3 => format!("(({one}); ({}))", process(rng, depth - 1)),
        _ => format!("({event} -> {one})"),
    }
}

/// Whether each of two processes refines the other.
fn equal(processes: &[String; 3], left: &str, right: &str) -> bool {
    let [p, q, r] = processes;
    let text = format!(
        "P = {p}; Q = {q}; R = {r}; Left = {left}; Right = {right};
         #assert Left refines<FD> Right; #assert Right refines<FD> Left;"
    );
    let mut file = CspFile::parse(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let assertions = file.specification().assertions.clone();
    assertions.iter().all(|assertion| {
        let system = file.system(&assertion.process).expect("a system");
        let verdict = file.claim(system, &assertion.claim, Bounds::default()).expect("an answer");
        match verdict.outcome {
            ClaimOutcome::Holds(_) => true,
            ClaimOutcome::Violated(_) => false,
            ClaimOutcome::Unknown(why) => panic!("{text}\n{why:?}"),
        }
    })
}

#[test]
fn laws_of_failures_and_divergences() {
    for seed in seeds(60) {
        let mut rng = Rng::new(seed);
        let processes: [String; 3] = std::array::from_fn(|_| process(&mut rng, 3));
        for (left, right) in LAWS {
            let holds = equal(&processes, left, right);
            assert!(holds, "FAIRLY_SEED={seed} {left} = {right}, {processes:?}");
        }
    }
}

#[test]
fn the_comparison_tells_processes_apart() {
    let processes = ["a -> Stop".to_owned(), "b -> Stop".to_owned(), "Skip".to_owned()];
    for (left, right) in [("P [*] Q", "P <> Q"), ("P; R", "R; R"), ("P ||| P", "P")] {
        assert!(!equal(&processes, left, right), "{left} = {right}");
    }
}
