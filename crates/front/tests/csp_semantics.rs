//! CSP# means what it should: random specifications, laid out as processes and as one process,
//! compared with a naive semantics of its own. `crates/check/tests/executions.rs` has specifications of the
//! same kind run natively as well.

mod alphabet;
mod graph;
mod naive;
mod put;
mod shrink;

use std::collections::BTreeMap;
use std::sync::Arc;

use ast::Spec;
use fairly_front::csp::{self, Parts, Plan};
use fairly_testkit::Rng;
use fairly_testkit::csp::{ast, generate};

/// States of the naive semantics that are worth comparing.
const MOST: usize = 300;

/// Result of a comparison.
enum Outcome {
    Same,
    /// Not compared, and why.
    Skipped(String),
    Different(String),
}

fn compare(spec: &Spec) -> Outcome {
    let text = spec.to_string();
    let parsed = match csp::parse(&text) {
        Ok(parsed) => Arc::new(parsed),
        Err(wrong) => {
            return Outcome::Skipped(format!("parser {}: {}", wrong[0].code, wrong[0].message));
        }
    };
    let expected = match naive::explore(spec, MOST) {
        Ok(states) => graph::of_naive(&states),
        Err(why) => return Outcome::Skipped(format!("{why:?}")),
    };
    // A process that grows without being met costs most where it is made before the search.
    let plans = [
        Plan { parts: Parts::Processes, eager: 2000 },
        Plan { parts: Parts::OneProcess, eager: 2000 },
        Plan { parts: Parts::Processes, eager: 0 },
        Plan { parts: Parts::OneProcess, eager: 0 },
    ];
    for parts in plans {
        let lowered = match csp::lower_with(&parsed, &parsed.assertions[0].process, parts) {
            Ok(lowered) => lowered,
            Err(wrong) => return Outcome::Skipped(format!("{:?} {}", parts, wrong[0].code)),
        };
        let found = match graph::of_model(lowered, 20_000) {
            Ok(Some(found)) => found,
            Ok(None) => return Outcome::Skipped(format!("{parts:?} large")),
            Err(wrong) => return Outcome::Different(format!("{parts:?}: {wrong}")),
        };
        if let Some(story) = graph::difference(&expected, &found) {
            return Outcome::Different(format!("left the naive semantics, right {parts:?}{story}"));
        }
    }
    Outcome::Same
}

fn number(variable: &str, default: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text}")))
}

#[test]
fn random_specifications() {
    let first = number("FAIRLY_SEED", 1);
    let cases = number("FAIRLY_RANDOM_CASES", 3000);
    let most = number("FAIRLY_FAILURES", 1);
    let mut failures = 0;
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    for seed in first..first + cases {
        let spec = generate::generate(&mut Rng::new(seed));
        match compare(&spec) {
            Outcome::Same => {}
            Outcome::Skipped(why) => *skipped.entry(why).or_default() += 1,
            Outcome::Different(_) => {
                let fails = |spec: &Spec| matches!(compare(spec), Outcome::Different(_));
                let small = shrink::shrink(spec, &fails);
                let Outcome::Different(story) = compare(&small) else { unreachable!("it fails") };
                println!("FAIRLY_SEED={seed}\n{small}\n{story}\n");
                failures += 1;
                assert!(failures < most, "{failures} specifications differ");
            }
        }
    }
    assert_eq!(failures, 0, "specifications that differ");
    println!("skipped: {skipped:#?}");
    let all: u64 = skipped.values().sum();
    assert!(all * 2 < cases.max(20), "too little is compared: {skipped:?}");
}

/// Small processes without variables, as text.
fn small_process(rng: &mut Rng, depth: usize) -> String {
    let event = *rng.pick(&["a", "b", "d"]);
    if depth == 0 {
        return (*rng.pick(&["Stop", "Skip", "Skip"])).to_owned();
    }
    let one = small_process(rng, depth - 1);
    match rng.below(8) {
        0 => "Skip".to_owned(),
        1 => format!("(({one}) [] ({}))", small_process(rng, depth - 1)),
        2 => format!("(({one}) <> ({}))", small_process(rng, depth - 1)),
        3 => format!("(tau -> {one})"),
        4 => format!("(({one}); ({}))", small_process(rng, depth - 1)),
        _ => format!("({event} -> {one})"),
    }
}

/// Laws that hold step by step. The names stand for random processes; the alphabets of `X`, `Y` and
/// `Z`, which are `P`, `Q` and `R` again, have all events.
const STRONG_LAWS: [(&str, &str); 34] = [
    ("P [] Q", "Q [] P"),
    ("P [] (Q [] R)", "(P [] Q) [] R"),
    ("P [] Stop", "P"),
    ("P [] P", "P"),
    ("P [*] Q", "Q [*] P"),
    ("P [*] (Q [*] R)", "(P [*] Q) [*] R"),
    ("P [*] Stop", "P"),
    ("P <> Q", "Q <> P"),
    ("P <> P", "tau -> P"),
    ("P ||| Q", "Q ||| P"),
    ("P ||| (Q ||| R)", "(P ||| Q) ||| R"),
    ("P ||| Skip", "P"),
    ("P || Q", "Q || P"),
    ("P || (Q || R)", "(P || Q) || R"),
    ("(P; Q); R", "P; (Q; R)"),
    ("Stop; P", "Stop"),
    ("Skip; P", "P"),
    ("(Skip ||| Skip); P", "P"),
    ("atomic{Skip}; P", "P"),
    ("(P [] Q); R", "(P; R) [] (Q; R)"),
    ("P interrupt Stop", "P"),
    ("Stop interrupt P", "P"),
    ("P interrupt (Q interrupt R)", "(P interrupt Q) interrupt R"),
    ("(P \\ {a}) \\ {b}", "(P \\ {b}) \\ {a}"),
    ("(P \\ {a}) \\ {b}", "P \\ {a, b}"),
    ("(P [] Q) \\ {a}", "(P \\ {a}) [] (Q \\ {a})"),
    ("(P ||| Q) \\ {a}", "(P \\ {a}) ||| (Q \\ {a})"),
    ("(a -> P) \\ {a}", "tau -> (P \\ {a})"),
    ("a -> P ||| b -> Q", "a -> (P ||| b -> Q) [] b -> (a -> P ||| Q)"),
    ("A || B", "a -> (X || Y)"),
    ("A || D", "Stop"),
    ("[true] P", "P"),
    ("ifa (true) { P } else { Q }", "P"),
    ("if (true) { P } else { Q }", "tau -> P"),
];

/// Rules that look like laws and are none, step by step: (left, right, P, Q).
const NO_LAWS: [(&str, &str, &str, &str); 7] = [
    ("P [] Q", "P [*] Q", "tau -> a -> Stop", "b -> Stop"),
    ("(P [*] Q) \\ {a}", "(P \\ {a}) [] (Q \\ {a})", "tau -> a -> Stop", "b -> Stop"),
    ("P || P", "P", "a -> Stop <> b -> Stop", "Stop"),
    ("P ||| P", "P", "a -> Stop", "Stop"),
    ("P; Skip", "P", "Skip", "Stop"),
    // A hidden `Skip` is not `Skip`, and neither is the process with the name `P`.
    ("(P; Q) \\ {a}", "(P \\ {a}); (Q \\ {a})", "b -> Skip", "b -> Stop"),
    ("P; Q", "Q", "Skip", "b -> Stop"),
];

/// The graph of a process among `P`, `Q` and `R`.
fn graph_of(law: &str, [p, q, r]: [&str; 3], parts: Parts) -> graph::Graph {
    let text = format!(
        "P = {p}; Q = {q}; R = {r}; X = P; Y = Q; A = a -> X; B = a -> Y; D = b -> Y;
         #alphabet X {{a, b, d}}; #alphabet Y {{a, b, d}};
         #alphabet A {{a, b, d}}; #alphabet B {{a, b, d}}; #alphabet D {{a, b, d}};
         Law = {law}; #assert Law deadlockfree;"
    );
    let parsed = Arc::new(csp::parse(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}")));
    let lowered = csp::lower_as(&parsed, &parsed.assertions[0].process, parts);
    let lowered = lowered.unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    graph::of_model(lowered, 100_000).expect("in order").expect("small")
}

#[test]
fn laws_that_hold_step_by_step() {
    let first = number("FAIRLY_SEED", 1);
    for seed in first..first + number("FAIRLY_RANDOM_CASES", 2000) / 100 {
        let mut rng = Rng::new(seed);
        let processes: [String; 3] = std::array::from_fn(|_| small_process(&mut rng, 3));
        let [p, q, r] = &processes;
        for (left, right) in STRONG_LAWS {
            for parts in [Parts::Processes, Parts::OneProcess] {
                let of = |law| graph_of(law, [p, q, r], parts);
                let difference = graph::difference(&of(left), &of(right));
                assert_eq!(difference, None, "FAIRLY_SEED={seed} {left} = {right}, {processes:?}");
            }
        }
    }
}

#[test]
fn what_is_no_law() {
    for (left, right, p, q) in NO_LAWS {
        let of = |law| graph_of(law, [p, q, "Stop"], Parts::Processes);
        assert!(graph::difference(&of(left), &of(right)).is_some(), "{left} = {right}");
    }
}
