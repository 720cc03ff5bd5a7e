//! Preparations for a search are given up when it is time to stop, or when a model is too large for them; the
//! answer is the same without.

use std::time::Instant;

use fairly_check::claim::ClaimOutcome;
use fairly_check::{Execution, Options};
use fairly_omega::Stop;
use fairly_reduce::{Reducible, Unsuited, Watched};

use crate::common::languages::{PromelaFile, Question};

/// So many processes, each with so many ways to change a variable.
fn many(processes: usize, ways: usize) -> PromelaFile {
    let ways: String = (0..ways).map(|at| format!(":: x == {at} -> x = {at}\n")).collect();
    let text = format!("int x;\nactive [{processes}] proctype P() {{ do\n{ways} od }}\n");
    PromelaFile::parse(&text, &[]).expect("a model")
}

/// It is always time.
fn now() -> Stop {
    Stop { deadline: Some(Instant::now()), ..Stop::default() }
}

#[test]
fn partial_orders_are_given_up_when_it_is_time() {
    let mut file = many(3, 3);
    let base = file.interpreter().base().expect("a model");
    let skeleton = |stop| base.skeleton(&Watched::default(), stop).map(|_| ());
    assert_eq!(skeleton(Stop::default()), Ok(()));
    assert_eq!(skeleton(now()), Err(Unsuited::Stopped));
    assert_eq!(skeleton(Stop::default()), Ok(()));
}

#[test]
fn partial_orders_are_for_models_whose_steps_can_be_compared() {
    let base = many(200, 101).interpreter().base().expect("a model");
    let given_up = base.skeleton(&Watched::default(), Stop::default()).map(|_| ());
    assert_eq!(given_up, Err(Unsuited::Large));
}

/// How many states native code declines and how many not, in a search for errors.
fn counts(mut file: PromelaFile) -> (u64, u64) {
    file.execute(Execution::Native);
    let verdict = file.claim(&Question::Errors, &Options::default()).expect("an answer");
    assert!(matches!(verdict.outcome, ClaimOutcome::Holds(None)));
    file.interpreter().native_counts()
}

#[test]
fn native_code_is_not_made_where_it_would_take_long() {
    if Execution::Native.shortfall().is_some() {
        return;
    }
    let (declined, made) = counts(many(1, 100));
    assert!(declined == 0 && made > 0);
    // Out of the location with all the edges; there are others.
    let (declined, _) = counts(many(1, 2500));
    assert!(declined > 0);
}
