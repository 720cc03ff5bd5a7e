//! Searches that do not keep all states, beside those that do, on every example and corpus case.

use std::fs;

use fairly_check::Claim;
use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::{Execution, NotBegun, WhyUnknown};
use fairly_search::lossy::{Keep, Room};
use fairly_search::{Bounds, Cut};

use crate::common::files::files;
use crate::common::hunting;
use crate::common::languages::{CspFile, PromelaFile, Question};

/// Models for a lossy search are small here.
const BOUNDS: Bounds = Bounds { nodes: Some(100_000), deadline: None, bytes: None, watch: None };

#[test]
fn promela() {
    let mut found = 0;
    for path in files(&["examples/promela", "corpus/promela"], "pml") {
        let text = fs::read_to_string(&path).expect("text");
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        for question in [Question::Errors, Question::EndStates] {
            let compared = hunting::promela(&mut file, &question, BOUNDS);
            found += compared.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn csp() {
    let mut found = 0;
    for path in files(&["examples/csp", "corpus/csp"], "csp") {
        let text = fs::read_to_string(&path).expect("text");
        let Ok(mut file) = CspFile::parse(&text) else { continue };
        let compared = hunting::csp(&mut file, BOUNDS);
        found += compared.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
    assert!(found > 100, "{found}");
}

const COUNTERS: &str = "byte a, b, c;
    active proctype A() { do :: a < 20 -> a++ od }
    active proctype B() { do :: b < 20 -> b++ od }
    active proctype C() { do :: c < 20 -> c++ od }
    active proctype Watch() { (a == 20 && b == 20 && c == 20) -> assert(false) }";

fn errors(text: &str, room: Room, bounds: Bounds, execution: Execution) -> ClaimVerdict {
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    file.execute(execution);
    file.hunt(&Claim::NoErrors, room, bounds).expect("an answer")
}

#[test]
fn what_is_last_is_found_and_replayed() {
    for keep in [Keep::Fingerprints32, Keep::Fingerprints64, Keep::Bits] {
        for execution in [Execution::Native, Execution::Interpreted] {
            let room = Room { keep, table: 1 << 20, frontier: 1 << 20 };
            let verdict = errors(COUNTERS, room, Bounds::default(), execution);
            let ClaimOutcome::Violated(Some(shown)) = verdict.outcome else {
                panic!("{verdict:?}")
            };
            assert_eq!(shown.prefix.steps.len(), 122);
        }
    }
}

#[test]
fn too_little_room_is_unknown_and_says_so() {
    // With so few states that wait, an error where all of them meet would still be found.
    let text = COUNTERS.replace("false", "true");
    let outcome = |keep, table, frontier| {
        let room = Room { keep, table, frontier };
        let verdict = errors(&text, room, Bounds::default(), Execution::default());
        let ClaimOutcome::Unknown(why) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
        (why, verdict.lossy.expect("it is lossy"), verdict.size.expect("counted").states)
    };
    // A table that is full.
    let (why, ..) = outcome(Keep::Fingerprints64, 1 << 10, 1 << 20);
    assert_eq!(why, WhyUnknown::Cut(Cut::Memory((1 << 10) + (1 << 20))));
    // Bits that are all set.
    let (why, lossy, states) = outcome(Keep::Bits, 8, 1 << 20);
    assert_eq!(why, WhyUnknown::Lossy);
    assert!(states <= 64 && lossy.omission_probability > 0.99, "{lossy:?}");
    // Nothing was mistaken, but some states could not wait.
    let (why, lossy, _) = outcome(Keep::Fingerprints64, 1 << 20, 1 << 10);
    assert_eq!(why, WhyUnknown::Lossy);
    assert!(lossy.not_entered > 0 && lossy.expected_omissions < 1e-9, "{lossy:?}");
    // Not even one could.
    let (why, ..) = outcome(Keep::Bits, 64, 8);
    assert!(matches!(why, WhyUnknown::Cut(Cut::Memory(_))), "{why:?}");
}

#[test]
fn bounds_are_kept() {
    let room = Room { keep: Keep::Bits, table: 1 << 20, frontier: 1 << 20 };
    let few = Bounds { nodes: Some(100), ..Bounds::default() };
    let verdict = errors(COUNTERS, room, few, Execution::default());
    let why = WhyUnknown::Cut(Cut::Nodes(100));
    assert!(matches!(&verdict.outcome, ClaimOutcome::Unknown(it) if *it == why), "{verdict:?}");
    let late = Bounds { deadline: Some(std::time::Instant::now()), ..Bounds::default() };
    let verdict = errors(COUNTERS, room, late, Execution::default());
    let late = WhyUnknown::NotBegun(NotBegun::Time);
    assert!(matches!(&verdict.outcome, ClaimOutcome::Unknown(it) if *it == late), "{verdict:?}");
}
