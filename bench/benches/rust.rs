//! Models that are Rust types, explored by Fairly and by stateright: how fast, and in how much memory.
//!
//! `cargo bench -p fairly-bench --bench rust`, which `fairly-bench rust` calls. Both checkers get the same model, the
//! same type of states and the same promise, through an adapter of a few lines; the models are stateright's own
//! examples, rewritten from their descriptions. Each run is a process of its own, so that its peak of memory is known,
//! and the best of three is shown. The process ends with an error if the numbers of states differ.
//!
//! stateright keeps a hash of 64 bits for each state, the hash of the state before it, and no states that have been
//! expanded; two states with one hash are one state to it. Fairly keeps states and compares them; packed, it keeps what a
//! state feeds to a hasher, which tells states apart where `Hash` is derived; lossy, it keeps a hash of 64 bits, and
//! answers *unknown*.

use std::process::{Command, ExitCode};
use std::time::Instant;

use fairly::{Model, check};
use stateright::{Checker, Model as _, Property};

#[path = "../../crates/fairly/examples/registers.rs"]
#[allow(unused, reason = "its tests are the library's")]
mod registers;
#[path = "../../crates/fairly/tests/stateright.rs"]
#[allow(unused, reason = "its tests are the library's")]
mod stateright_models;
#[path = "../../crates/fairly/examples/two_phase_commit.rs"]
#[allow(unused, reason = "its tests are the library's")]
mod two_phase_commit;

use registers::{Majority, OneCopy, Paxos, is_linearizable, register};
use stateright_models::IncrementLock;
use two_phase_commit::{TwoPhaseCommit, disagree};

/// Models, by name: some are as small as in stateright's own tests, the last ones are large enough to be timed.
const MODELS: [&str; 15] = [
    "increment lock, 3 threads",
    "single copy, 1 server, 2 clients",
    "majority, 2 servers, 2 clients",
    "two-phase commit, 3 managers",
    "two-phase commit, 4 managers",
    "two-phase commit, 5 managers",
    "increment lock, 6 threads",
    "increment lock, 7 threads",
    "increment lock, 8 threads",
    "single copy, 1 server, 4 clients",
    "paxos, 3 servers, 2 clients",
    "majority, 3 servers, 2 clients",
    "two-phase commit, 6 managers",
    "two-phase commit, 7 managers",
    "two-phase commit, 8 managers",
];

/// Who explores.
const CHECKERS: [&str; 5] = [
    "Fairly",
    "Fairly, packed",
    "Fairly, lossy",
    "stateright breadth-first",
    "stateright depth-first",
];

/// Runs of each.
const RUNS: usize = 3;

/// A model as stateright wants it.
#[derive(Clone)]
struct Theirs<M: Model> {
    model: M,
    is_good: fn(&M::State) -> bool,
}

impl<M: Model> stateright::Model for Theirs<M> {
    type State = M::State;
    type Action = M::Action;

    fn init_states(&self) -> Vec<M::State> {
        self.model.init()
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<M::Action>) {
        self.model.actions(state, actions);
    }

    fn next_state(&self, state: &M::State, action: M::Action) -> Option<M::State> {
        self.model.next(state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("good", |own: &Self, state| (own.is_good)(state))]
    }
}

/// How many states a checker finds.
fn explore<M: Model>(
    model: M,
    is_good: fn(&M::State) -> bool,
    (checker, workers): (&str, usize),
) -> usize {
    if checker.starts_with("Fairly") {
        let asked = check(&model).always("good", is_good).workers(workers).save_nothing();
        let is_lossy = checker == CHECKERS[2];
        let verdict = match checker {
            _ if is_lossy => asked.lossy().verdict(),
            _ if checker == CHECKERS[1] => asked.packed().verdict(),
            _ => asked.verdict(),
        };
        // What rests on hashes is never said to hold.
        assert!(if is_lossy { !verdict.is_violated() } else { verdict.holds() }, "{verdict}");
        return verdict.states();
    }
    let theirs = Theirs { model, is_good }.checker().threads(workers);
    if checker == CHECKERS[3] {
        let done = theirs.spawn_bfs().join();
        done.assert_properties();
        done.unique_state_count()
    } else {
        let done = theirs.spawn_dfs().join();
        done.assert_properties();
        done.unique_state_count()
    }
}

fn explore_named(name: &str, by: (&str, usize)) -> usize {
    let numbers: Vec<usize> = name.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    let (size, clients) = (numbers[0], numbers.get(1).copied().unwrap_or_default());
    match name.split(',').next() {
        Some("increment lock") => explore(
            IncrementLock(size),
            |state| {
                let done = state.threads.iter().filter(|it| it.1 >= 3).count();
                done == usize::from(state.count)
            },
            by,
        ),
        Some("single copy") => explore(register(&OneCopy, size, clients), is_linearizable, by),
        Some("majority") => {
            explore(register(&Majority { servers: size }, size, clients), is_linearizable, by)
        }
        Some("paxos") => {
            explore(register(&Paxos { servers: size }, size, clients), is_linearizable, by)
        }
        _ => {
            let managers = u8::try_from(size).expect("few managers");
            explore(TwoPhaseCommit { managers, may_fail: false }, |state| !disagree(state), by)
        }
    }
}

/// The peak of this process, in KiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

/// States, seconds and KiB of a run in a process of its own.
fn run(name: &str, checker: &str, workers: usize) -> Result<(usize, f64, usize), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new(program)
        .args(["--one", name, checker, &workers.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let last: Vec<&str> = text.lines().last().unwrap_or_default().split(' ').collect();
    match last[..] {
        [states, seconds, peak] if done.status.success() => Ok((
            states.parse().map_err(|_| text.clone())?,
            seconds.parse().map_err(|_| text.clone())?,
            peak.parse().map_err(|_| text.clone())?,
        )),
        _ => Err(format!("{name}, {checker}: {text}{}", String::from_utf8_lossy(&done.stderr))),
    }
}

fn row(name: &str, workers: usize) -> Result<String, String> {
    let (mut count, mut speeds, mut peaks) = (None, Vec::new(), Vec::new());
    for checker in CHECKERS {
        let (mut best, mut least) = (f64::INFINITY, usize::MAX);
        for _ in 0..RUNS {
            let (states, seconds, peak) = run(name, checker, workers)?;
            if *count.get_or_insert(states) != states {
                return Err(format!(
                    "{name}: {checker} finds {states} states, and Fairly {count:?}"
                ));
            }
            (best, least) = (best.min(seconds), least.min(peak));
        }
        speeds.push(format!("{:.0}", count.unwrap_or(0) as f64 / best / 1000.0));
        peaks.push(format!("{:.1}", least as f64 / 1024.0));
    }
    Ok(format!(
        "| {name} | {} | {workers} | {} | {} |",
        count.unwrap_or(0),
        speeds.join(" | "),
        peaks.join(" | ")
    ))
}

fn table(only: Option<&str>) -> Result<(), String> {
    println!(
        "| model | states | workers | Fairly, 1000/s | packed | lossy | breadth-first | depth-first | Fairly, MiB | \
         packed | lossy | breadth-first | depth-first |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    for name in MODELS.into_iter().filter(|name| only.is_none_or(|only| name.contains(only))) {
        for workers in [1, 2] {
            println!("{}", row(name, workers)?);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["--one", name, checker, workers] = words[..] {
        let started = Instant::now();
        let states = explore_named(name, (checker, workers.parse().unwrap_or(1)));
        println!("{states} {:.4} {}", started.elapsed().as_secs_f64(), peak());
        return ExitCode::SUCCESS;
    }
    match table(words.first().copied()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
    }
}
