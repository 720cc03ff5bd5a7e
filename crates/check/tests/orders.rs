//! Runs that are found in other orders than breadth first, and how they are shown.

use fairly_check::claim::{self, ClaimOutcome, ClaimVerdict, Effort, Order};
use fairly_check::{Assumption, Counterexample, Options, Outcome, check};
use fairly_fairness::{Level, Notion};
use fairly_search::Bounds;

use crate::common::languages::{PromelaFile, Question};

fn read(text: &str) -> PromelaFile {
    PromelaFile::parse(text, &[]).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// States in which a search gives up that goes breadth first only.
const FEW: Bounds = Bounds { nodes: Some(60_000), deadline: None, bytes: None, watch: None };

fn steps(verdict: &ClaimVerdict) -> usize {
    match &verdict.outcome {
        ClaimOutcome::Violated(Some(shown)) => shown.prefix.steps.len(),
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_deadlock_of_many_philosophers_is_found() {
    let mut file = read(
        "#define N 16\n\
         byte fork[N];\n\
         active [N] proctype P() {\n\
           do :: atomic { fork[_pid] == 0 -> fork[_pid] = 1 };\n\
                 atomic { fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = 1 };\n\
                 fork[(_pid + 1) % N] = 0; fork[_pid] = 0 od }",
    );
    let effort = Effort { bounds: FEW, ..Effort::from(&Options::default()) };
    let verdict = file.claim(&Question::EndStates, effort).expect("no bug");
    assert_eq!(steps(&verdict), 16, "one step of each");
    assert!(verdict.order.is_some_and(|order| order != Order::Breadth));
    let (_, ends) = file.errors_and_end_states(effort).expect("no bug");
    assert_eq!(ends.as_ref().map(steps), Some(16));
}

#[test]
fn the_end_of_a_long_loop_is_found() {
    let mut file = read(
        "int n; byte a, b, c;\n\
         active proctype Count() { do :: n < 400 -> n++ :: else -> break od; assert(false) }\n\
         active proctype A() { do :: a++ od }\n\
         active proctype B() { do :: b++ od }\n\
         active proctype C() { do :: c++ od }\n\
         active proctype D() { do :: atomic { a > 0 && b > 0 && c > 0 -> a = 0 } od }",
    );
    let effort = Effort { bounds: FEW, ..Effort::from(&Options::default()) };
    let verdict = file.claim(&Question::Errors, effort).expect("no bug");
    assert_eq!(verdict.order, Some(Order::Depth));
    assert!(steps(&verdict) <= 803, "{}", steps(&verdict));
}

/// The answers from one exploration are those from two.
#[test]
fn one_exploration_answers_as_two() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/promela");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "pml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        let bounds = Bounds { nodes: Some(20_000), ..FEW };
        let effort = Effort { bounds, ..Effort::from(&Options::default()) };
        let (errors, ends) = file.errors_and_end_states(effort).expect("no bug");
        let said = |verdict: &ClaimVerdict| match &verdict.outcome {
            ClaimOutcome::Holds(_) => "holds".to_owned(),
            ClaimOutcome::Violated(_) => format!("violated in {} steps", steps(verdict)),
            ClaimOutcome::Unknown(_) => "unknown".to_owned(),
        };
        let alone = file.claim(&Question::Errors, effort).expect("no bug");
        assert_eq!(said(&errors), said(&alone), "errors of {}", path.display());
        if let Some(ends) = ends {
            let alone = file.claim(&Question::EndStates, effort).expect("no bug");
            assert_eq!(said(&ends), said(&alone), "end states of {}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

fn refuted(text: &str, notion: Notion) -> Counterexample {
    let mut file = read(text);
    let mut property = file.property(&Question::Formula(0)).expect("bound").expect("a formula");
    let assumption = Assumption::of(notion);
    let verdict =
        check(file.interpreter(), &mut property, &assumption, &Options::default()).expect("no bug");
    match verdict.outcome {
        Outcome::Violated(found) => *found,
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_violation_for_good_is_shown_where_it_happens() {
    let model = "byte x, y; active proctype P() { do :: x++ od }\n\
                 active proctype Q() { do :: y++ od }\n";
    let always = format!("{model} ltl p {{ [] (x < 7) }}");
    for notion in [Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Process)] {
        assert_eq!(refuted(&always, notion).decided, Some(7), "{notion}");
    }
    let until = format!("{model} ltl p {{ (x < 3) U (y == 200) }}");
    assert_eq!(refuted(&until, Notion::None).decided, Some(3));
    // A formula that only a whole run violates has no such step.
    let live = format!("{model} ltl p {{ [] (x == 1 -> <> (y == 1)) }}");
    assert_eq!(refuted(&live, Notion::None).decided, None);
    let both = format!("{model} ltl p {{ ([]<> (y == 1)) && [] (x < 2) }}");
    let found = refuted(&both, Notion::None);
    assert_eq!(found.decided, Some(2));
}

#[test]
fn one_process_goes_round_alone() {
    let found = refuted(
        "byte turn, done; bool go[4];\n\
         active [4] proctype P() { do :: go[_pid] = true; turn = _pid; go[_pid] = false od }\n\
         ltl p { <> (done == 1) }",
        Notion::None,
    );
    assert_eq!((found.run.stem.len() + found.run.cycle.len(), found.decided), (3, None));
}

/// A lasso near the start is found although depth first leads far away.
#[test]
fn a_near_cycle_is_found_beside_a_deep_path() {
    let mut file = read(
        "int n, m; bool stuck;\n\
         active proctype Far() { do :: n < 100000 -> n++ :: n < 100000 -> n = n + 2; m++ od }\n\
         active proctype Near() { stuck = true; do :: stuck -> skip od }\n\
         ltl p { [] (stuck -> <> !stuck) }",
    );
    let mut property = file.property(&Question::Formula(0)).expect("bound").expect("a formula");
    let options = Options { bounds: FEW, ..Options::default() };
    let none = Assumption::of(Notion::None);
    let verdict = check(file.interpreter(), &mut property, &none, &options).expect("no bug");
    let Outcome::Violated(found) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
    assert!(found.run.stem.len() + found.run.cycle.len() <= 4, "{:?}", found.run);
    // Claims have their order, too.
    let verdict = claim::deadlock_free(file.interpreter(), FEW).expect("no bug");
    assert_eq!(verdict.order, None);
}
