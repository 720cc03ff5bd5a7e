//! Runs of very many steps: whatever walks one is given up wherever it is time to stop, and then there is no answer
//! rather than a late or a wrong one. What is too long to be written down is a violation all the same.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use fairly_check::workers::Workers;
use fairly_check::{Answer, Assumption, Execution, Options, Outcome, Said, check};
use fairly_fairness::{Level, Notion, Selector};
use fairly_omega::Stop;
use fairly_search::Bounds;
use fairly_system::{ProcessId, Run, Trace, TransitionSystem};
use fairly_witness::{
    Ledger, WitnessError, enabled_on_until, replay_until, takes_everything_until,
};

use crate::common::languages::PromelaFile;

thread_local! {
    /// How often it is not time to stop yet.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// It is time to stop once it has been asked so often.
fn after(times: usize) -> Stop {
    fn is_over() -> bool {
        LEFT.with(|left| left.replace(left.get().saturating_sub(1)) == 0)
    }
    LEFT.with(|left| left.set(times));
    Stop { memory: Some(is_over), ..Stop::default() }
}

/// A counter, with two steps a round.
fn counter(limit: usize) -> PromelaFile {
    let text = format!(
        "int n;\nactive proctype P() {{ do :: n < {limit} -> n++ :: else -> break od }}\n\
         ltl p {{ [] (n < {limit}) }}\n"
    );
    PromelaFile::parse(&text, &[]).expect("a model")
}

fn answer(file: &mut PromelaFile, bounds: Bounds) -> Answer {
    answer_of(file, bounds, Workers::default())
}

fn answer_of(file: &mut PromelaFile, bounds: Bounds, workers: Workers) -> Answer {
    let questions = file.questions();
    let mut formulas = questions.iter().filter_map(|it| file.property(it).ok().flatten());
    let mut property = formulas.next().expect("a formula");
    let options = Options { bounds, workers, ..Options::default() };
    let none = Assumption::of(Notion::None);
    check(file.interpreter(), &mut property, &none, &options).expect("runs stand up to replay")
}

/// So many, from the first state on.
fn several(count: usize) -> Workers {
    Workers { count: NonZeroUsize::new(count).expect("some"), alone: 0, ..Workers::default() }
}

fn found(answer: &Answer) -> &Run {
    match &answer.outcome {
        Outcome::Violated(found) => &found.run,
        other => panic!("{other:?}"),
    }
}

/// Asks for everything between being stopped at once and not being stopped: first there is nothing, then the answer.
fn at_every_moment<T: PartialEq + std::fmt::Debug>(
    mut work: impl FnMut(Stop) -> Option<T>,
    most: usize,
) -> T {
    let known = work(Stop::default()).expect("an answer without a limit");
    assert_eq!(work(after(0)), None, "it was time to stop before it began");
    let mut answered = 0;
    for times in 1..=most {
        match work(after(times)) {
            None => assert_eq!(answered, 0, "given up after {times} questions, but not before"),
            Some(answer) => {
                assert_eq!(answer, known, "another answer after {times} questions");
                answered += 1;
            }
        }
    }
    assert!(answered > 0, "it is asked more often than {most} times");
    known
}

#[test]
fn walking_a_run_is_given_up_at_any_step() {
    let mut file = counter(40);
    let answer = answer(&mut file, Bounds::default());
    let run = found(&answer).clone();
    let system = file.interpreter();
    let in_time = |done: Result<bool, WitnessError>| match done {
        Err(WitnessError::Stopped) => None,
        done => Some(done),
    };
    let replayed =
        at_every_moment(|stop| in_time(replay_until(system, &run, stop).map(|()| true)), 200);
    assert_eq!(replayed, Ok(true));
    let all = at_every_moment(|stop| in_time(takes_everything_until(system, &run, stop)), 200);
    assert_eq!(all, Ok(true), "the last state idles for ever");
    let process = Selector::Process(ProcessId::from_index(0));
    let enabled = at_every_moment(|stop| enabled_on_until(system, &run, &process, stop), 200);
    assert_eq!(enabled.len() + 1, run.steps().count(), "in every state but the last");
    let assumption = Assumption::of(Notion::Weak(Level::Process));
    let constraints = assumption.constraints(system, Bounds::default()).expect("few");
    let ledger = at_every_moment(|stop| Ledger::of_until(system, &run, &constraints, stop), 200);
    assert!(ledger.is_fair());
    let trace = at_every_moment(|stop| Trace::until(system, None, &run, stop), 200);
    assert_eq!(trace.steps.len(), run.steps().count());
}

#[test]
fn states_are_led_to_the_reference_as_long_as_there_is_time() {
    if Execution::Native.shortfall().is_some() {
        return;
    }
    let mut file = counter(3_000);
    file.execute(Execution::Native);
    let answer = answer(&mut file, Bounds::default());
    let run = found(&answer);
    let states: Vec<_> = run.steps().map(|step| step.from).collect();
    let system = file.interpreter();
    let all = system.reference(&states, Stop::default()).map(|(_, there)| there);
    let all = all.expect("native code has a reference");
    assert_eq!(all.len(), states.len());
    let some = system.reference(&states, after(0)).map(|(_, there)| there).expect("a reference");
    assert!(!some.is_empty() && some.len() < all.len() && all.starts_with(&some));
}

#[test]
fn a_deadline_anywhere_leaves_no_wrong_answer_and_no_late_one() {
    for workers in [1, 2].map(several) {
        let mut file = counter(30_000);
        let began = Instant::now();
        found(&answer_of(&mut file, Bounds::default(), workers));
        let whole = began.elapsed();
        let mut unknown = 0;
        for part in 0..12 {
            let given = whole * part / 10;
            let mut file = counter(30_000);
            let began = Instant::now();
            let bounds = Bounds { deadline: Some(began + given), ..Bounds::default() };
            match answer_of(&mut file, bounds, workers).outcome {
                Outcome::Violated(_) => {}
                Outcome::Unknown(_) => unknown += 1,
                other => panic!("{other:?} after {given:?} with {workers:?}"),
            }
            // Machines are busy, and what was found in time may be judged a little later.
            let late = began.elapsed().saturating_sub(given);
            assert!(late < Duration::from_secs(20), "{late:?} after the deadline");
        }
        assert!(unknown > 0, "{workers:?}");
    }
}

#[test]
fn a_run_that_is_too_long_to_be_written_down_counts_all_the_same() {
    let mut file = counter(100_001);
    let questions = file.questions();
    let mut formulas = questions.iter().filter_map(|it| file.property(it).ok().flatten());
    let mut property = formulas.next().expect("a formula");
    let none = Assumption::of(Notion::None);
    let system = file.interpreter();
    let answer = check(system, &mut property, &none, &Options::default()).expect("an answer");
    let verdict = answer.record(system, &property, None);
    assert_eq!(verdict.outcome, Said::Violated);
    assert_eq!(verdict.evidence, None);
    let steps = found(&answer).steps().count();
    assert!(steps > 200_000);
    let said = format!("the run is not shown: it has {steps} steps");
    assert!(verdict.notes.iter().any(|note| note.starts_with(&said)), "{:?}", verdict.notes);
}
