//! Processes that are alike up to their numbers, as random programs in Promela: the quotient against the whole
//! system. Verdicts are the same under every fairness, and every run that is found stands up to replay, or
//! `check` fails. Programs use numbers as names and, now and then, otherwise: then nothing may be permuted,
//! or not everything.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

use std::collections::BTreeMap;

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::soundness::Refusal;
use fairly_check::{Answer, Assumption, Options, Outcome, Reduction, check};
use fairly_fairness::{Constraint, Level, Notion, Selector, Strength};
use fairly_search::{Bounds, reach};
use fairly_system::{ProcessId, TransitionSystem};
use fairly_testkit::Rng;

use fairly_modelkit::{cases, first_seed};

use crate::common::languages::{PromelaFile, Question};

/// A condition on the state, as a process sees it.
fn condition(rng: &mut Rng, odd: bool) -> String {
    let all = [
        "flag[_pid]",
        "!flag[_pid]",
        "turn == _pid",
        "turn != _pid",
        "flag[turn]",
        "!flag[turn]",
        "who == _pid",
        "who != turn",
        "!flag[who]",
        "next[_pid] == turn",
        "next[who] != _pid",
        "x == 0",
        "x == 1",
        "mine",
        "seen[who]",
        "!seen[turn]",
        "nobody == 9",
        "nobody == _pid",
    ];
    let otherwise = ["turn < _pid", "_pid == 1", "turn == 0", "flag[(_pid + 1) % N]", "x == _pid"];
    if odd && rng.chance(1, 3) {
        return (*rng.pick(&otherwise)).to_owned();
    }
    (*rng.pick(&all)).to_owned()
}

/// Use of a channel by a process: its own, or that of another.
fn message(rng: &mut Rng) -> String {
    let all = [
        "box[_pid] ! _pid",
        "box[_pid] ? who",
        "box[who] ! turn",
        "box[turn] ? turn",
        "empty(box[_pid]) -> x = 1",
        "nfull(box[0]) -> x = 0",
        "box[1] ! who",
        "box[0] ? [1] -> x = 1 - x",
    ];
    (*rng.pick(&all)).to_owned()
}

/// Action of a process.
fn action(rng: &mut Rng, odd: bool) -> String {
    let all = [
        "flag[_pid] = 1",
        "flag[_pid] = 0",
        "turn = _pid",
        "turn = who",
        "who = turn",
        "who = _pid",
        "next[_pid] = turn",
        "next[_pid] = who",
        "next[turn] = _pid",
        "x = 1 - x",
        "x = 0",
        "mine = !mine",
        "flag[who] = 0",
        "seen[turn] = 1",
        "seen[_pid] = 0",
        "nobody = _pid",
        "nobody = 9",
        "line ! _pid",
        "line ? who",
        "line ? eval(_pid)",
        "meet ! turn",
        "meet ? turn",
    ];
    let otherwise = ["turn = (turn + 1) % N", "turn = 0", "x = _pid % 2", "who = 1 - who % 2"];
    if odd && rng.chance(1, 3) {
        return (*rng.pick(&otherwise)).to_owned();
    }
    (*rng.pick(&all)).to_owned()
}

/// A program of processes that are alike.
pub(crate) fn program(rng: &mut Rng) -> String {
    let count = if rng.chance(1, 4) { 2 } else { 3 };
    let odd = rng.chance(1, 6);
    let boxes = rng.chance(1, 6);
    let mut options = String::new();
    for at in 0..2 + rng.below(2) {
        let first = match rng.chance(1, 2) {
            true => condition(rng, odd),
            false => action(rng, odd),
        };
        let then = match boxes && rng.chance(1, 2) {
            true => message(rng),
            false => action(rng, odd),
        };
        let body = match rng.below(4) {
            0 => format!("atomic {{ {first} -> {then} }}; at{at}: {}", action(rng, odd)),
            1 => format!("{first} -> at{at}: {then}"),
            2 => format!("d_step {{ {} -> x = 1 - x }}; at{at}: {then}", condition(rng, odd)),
            _ => format!("{first} -> at{at}: {then}; {}", action(rng, odd)),
        };
        options += &format!("    :: {body}\n");
    }
    let other = match rng.below(3) {
        0 => {
            "active proctype Other() { pid who; do :: line ? who -> x = 0 :: line ! who :: turn != 9 -> skip od }\n"
        }
        1 => {
            "active proctype Other() { bool seen[N + 1]; do :: seen[turn] = 1 :: seen[turn] -> x = 0; seen[turn] = 0 od }\n"
        }
        _ => "",
    };
    let boxes = if boxes { "chan box[N + 1] = [1] of { byte };\n" } else { "" };
    // A second kind of process that does the same may be taken for the first.
    let twin = match rng.chance(1, 8) {
        true => format!(
            "active proctype Q() {{\n    pid who; bool mine; bool seen[N + 1];\n    who = _pid;\n    \
             do\n{options}    od\n}}\n"
        ),
        false => String::new(),
    };
    let process = rng.below(count);
    let propositions = [
        format!("P[{process}]@at0"),
        format!("P[{process}]@at1"),
        format!("(turn == {process})"),
        format!("(flag[{process}] == 1)"),
        "(x == 1)".to_owned(),
        "(nobody == 9)".to_owned(),
        "(len(line) > 0)".to_owned(),
        "flag[turn]".to_owned(),
    ];
    let mut formulas = String::new();
    for at in 0..3 {
        // The first four name a process, the others do not.
        let from = if rng.chance(1, 3) { 0 } else { 4 };
        let (a, b) = (rng.pick(&propositions[from..]), rng.pick(&propositions[from..]));
        let formula = match rng.below(7) {
            0 => format!("[] <> {a}"),
            1 => format!("<> [] !{a}"),
            2 => format!("[] !{a}"),
            3 => format!("[] ({a} -> <> {b})"),
            4 => format!("[] <> {a} -> [] <> {b}"),
            5 => format!("[] ({a} -> X {b})"),
            _ => format!("<> ({a} && <> {b})"),
        };
        formulas += &format!("ltl f{at} {{ {formula} }}\n");
    }
    let first = rng.below(count);
    format!(
        "#define N {count}\nbool flag[N + 1]; byte turn = {first}; byte next[N + 1]; bit x; byte nobody = 9;\n\
         chan line = [1] of {{ pid }}; chan meet = [0] of {{ byte }};\n{boxes}\
         active [N] proctype P() {{\n    pid who; bool mine; bool seen[N + 1];\n    who = _pid;\n    \
         do\n{options}    od\n}}\n{twin}{other}{formulas}"
    )
}

const NOTIONS: [Notion; 9] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Action),
];

fn ask(
    file: &mut PromelaFile,
    question: &Question,
    assumption: &Assumption,
    reduction: Reduction,
) -> Option<Answer> {
    let mut property = file.property(question).ok()??;
    let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
    let options = Options { bounds, reduction, any_run: true, ..Options::default() };
    let system = file.interpreter();
    Some(check(system, &mut property, assumption, &options).expect("runs stand up to replay"))
}

fn holds(verdict: &Answer) -> Option<bool> {
    match verdict.outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Violated(_) => Some(false),
        _ => None,
    }
}

#[test]
fn quotients_give_the_same_verdicts() {
    let (first, wanted) = (first_seed(1), cases(1_500));
    let (mut compared, mut violated) = (0, 0);
    let mut by: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first.. {
        if compared >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        let bounds = Bounds { nodes: Some(1500), ..Bounds::default() };
        if reach::count(file.interpreter(), bounds).is_err() {
            continue;
        }
        let mut small = PromelaFile::parse(&text, &[]).expect("the same program");
        let errors = |file: &mut PromelaFile, reduction| {
            let effort =
                Effort { bounds: Bounds::default(), reduction, any_run: true, ..Effort::default() };
            let verdict = claim::faultless(file.interpreter(), &[], |_| None, effort);
            let stuck = claim::deadlock_free(file.interpreter(), effort);
            [verdict, stuck].map(|it| {
                let it = it.expect("no failure");
                matches!(it.outcome, ClaimOutcome::Holds(_))
            })
        };
        let whole = errors(&mut file, Reduction::Off);
        assert_eq!(whole, errors(&mut small, Reduction::Symmetry), "seed {seed}\n{text}");
        for question in file.questions() {
            if file.property(&question).ok().flatten().is_none() {
                continue;
            }
            let mut assumption = Assumption::of(*rng.pick(&NOTIONS));
            if rng.chance(1, 5) {
                let processes = file.interpreter().signature().processes.len();
                let of = Selector::Process(ProcessId::from_index(rng.below(processes)));
                let strength = *rng.pick(&[Strength::Weak, Strength::Strong]);
                assumption.extra.push(Constraint::fair(strength, "one", of));
            }
            let Some(whole) = ask(&mut file, &question, &assumption, Reduction::Off) else {
                continue;
            };
            let Some(less) = ask(&mut small, &question, &assumption, Reduction::Symmetry) else {
                continue;
            };
            let told = || format!("seed {seed}: {question:?} under {assumption}\n{text}");
            let (Some(whole), Some(same)) = (holds(&whole), holds(&less)) else { continue };
            assert_eq!(whole, same, "{}", told());
            compared += 1;
            violated += u64::from(!whole);
            let how = match (
                less.stamp.reductions.is_empty(),
                less.stamp.engine.map_or("none", |engine| engine.name),
            ) {
                (true, _) => "refused",
                (false, "threaded") => "followed",
                (false, _) => "permuted",
            };
            *by.entry(how).or_default() += 1;
            assert_ne!(less.stamp.unreduced, Some(Refusal::Long), "{}", told());
        }
    }
    println!("{compared} compared, {violated} violated: {by:?}");
    let of = |how| by.get(how).copied().unwrap_or(0);
    assert!(10 * of("followed") > compared && 10 * of("permuted") > compared, "{by:?}");
}
