//! CSP# means what it should: random specifications, laid out as processes and as one process,
//! compared with a naive semantics of its own.

#[path = "csp_semantics/ast.rs"]
mod ast;
#[path = "csp_semantics/generate.rs"]
mod generate;
#[path = "csp_semantics/graph.rs"]
mod graph;
#[path = "csp_semantics/naive.rs"]
mod naive;
#[path = "csp_semantics/shrink.rs"]
mod shrink;

use std::collections::BTreeMap;
use std::rc::Rc;

use ast::Spec;
use fairly_front::csp::{self, Parts, Plan};
use fairly_testkit::Rng;

/// States of the naive semantics that are worth comparing.
const MOST: usize = 300;

/// What came of a comparison.
enum Outcome {
    Same,
    /// Not compared, and why.
    Skipped(String),
    Different(String),
}

fn compare(spec: &Spec) -> Outcome {
    let text = spec.to_string();
    let parsed = match csp::parse(&text) {
        Ok(parsed) => Rc::new(parsed),
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
        if cases == 1 {
            println!("{spec}");
        }
        let begun = std::time::Instant::now();
        let outcome = compare(&spec);
        if begun.elapsed().as_millis() > 200 {
            println!("slow {seed} {:?}", begun.elapsed());
        }
        match outcome {
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
