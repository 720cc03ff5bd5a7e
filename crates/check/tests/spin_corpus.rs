//! Models of other people, with the verdicts that SPIN gave. They are not part of this repository:
//! `FAIRLY_SPIN_CORPUS` names a folder with `.pml` files and an `expected.tsv` whose columns begin with
//! path, hash, property, formula, and the verdicts without fairness and under weak fairness; the ninth
//! is how many states SPIN stored without reduction and with its optimisations off.
//!
//! `FAIRLY_SPIN_SECONDS` is how long one question may take (5 if it is not set), `FAIRLY_SPIN_STATES` how
//! many states it may look at.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use fairly_check::claim::ClaimOutcome;
use fairly_check::{Assumption, Options, Outcome};
use fairly_fairness::Notion;
use fairly_search::{Bounds, reach};
use fairly_testkit::side_by_side;

use crate::common::languages::{PromelaFile, Question};

/// Differences between SPIN and its recorded verdicts, or questions about something else; each was asked again.
const EXPLAINED: [(&str, &str, &str); 12] = [
    // The claim of an invariant reports by an assertion, and assertions were off in the recording.
    ("LTL/bakery.pml", "ltl:invariant", "violated for SPIN, too"),
    ("LTL/salesman1.pml", "ltl:p", "violated for SPIN, too"),
    ("LTL/salesman2.pml", "ltl:p", "violated for SPIN, too"),
    ("LTL/train.pml", "ltl:c6", "violated for SPIN, too"),
    ("Exercises/ex_3a.pml", "ltl:invariant", "violated for SPIN, too"),
    ("Missionaries and Cannibals/missionaries.pml", "ltl:notermination", "violated for SPIN, too"),
    ("cambridge.pml", "assert", "SPIN checks `xs` only with reduction"),
    ("test_mtype.pml", "deadlock", "an assertion fails there, which is another question here"),
    ("ch04/relay.pml", "deadlock", "a `d_step` blocks, which is another question here"),
    ("ch04/relay.pml", "states", "SPIN stops where the `d_step` blocks"),
    ("wordcount.pml", "states", "`STDIN` is the keyboard of whoever runs SPIN"),
    ("wordcount.pml", "deadlock", "`STDIN` is the keyboard of whoever runs SPIN"),
];

/// Outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Result {
    Agrees,
    Differs(String),
    /// Refused, with this code.
    Refused(String),
    /// SPIN or Fairly gave no verdict within its limits.
    Open,
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

fn bounds() -> Bounds {
    let seconds = Duration::from_secs(number("FAIRLY_SPIN_SECONDS", 5));
    let states = usize::try_from(number("FAIRLY_SPIN_STATES", 1_000_000)).expect("a number");
    Bounds { nodes: Some(states), deadline: Some(Instant::now() + seconds), ..Bounds::default() }
}

/// The question behind a property of the table.
fn question(file: &PromelaFile, property: &str) -> Option<Question> {
    file.questions().into_iter().find(|question| match question {
        Question::Errors => property == "assert",
        Question::EndStates => property == "deadlock",
        Question::Progress => property == "nonprogress",
        Question::Acceptance => property == "accept_labels",
        Question::Formula(_) => property.strip_prefix("ltl:") == Some(&file.title(question)),
        Question::Never(_) => property.starts_with("never:"),
    })
}

/// Whether something holds; `None` if that is not known within the limits.
fn holds(file: &mut PromelaFile, question: &Question, notion: Notion) -> Option<bool> {
    match question {
        Question::Errors | Question::EndStates => {
            match file.claim(question, bounds()).expect("no failure").outcome {
                ClaimOutcome::Holds(_) => Some(true),
                ClaimOutcome::Violated(_) => Some(false),
                ClaimOutcome::Unknown(_) => None,
            }
        }
        _ => {
            let mut property = file.property(question).ok()??;
            let options = Options { bounds: bounds(), ..Options::default() };
            let assumption = Assumption::of(notion);
            let system = file.interpreter();
            match fairly_check::check(system, &mut property, &assumption, &options).ok()?.outcome {
                Outcome::Holds(_) => Some(true),
                Outcome::Violated(_) => Some(false),
                _ => None,
            }
        }
    }
}

fn verdict(file: &mut PromelaFile, property: &str, notion: Notion, expected: &str) -> Result {
    let wanted = match expected {
        "holds" => true,
        "violated" => false,
        _ => return Result::Open,
    };
    let Some(question) = question(file, property) else { return Result::Open };
    match holds(file, &question, notion) {
        None => Result::Open,
        Some(holds) if holds == wanted => Result::Agrees,
        Some(_) => Result::Differs(format!("{property} {expected} for SPIN, {notion:?}")),
    }
}

/// Whether there are as many states as SPIN stored.
fn states(text: &str, expected: &str) -> Result {
    let Ok(wanted) = expected.parse::<usize>() else { return Result::Open };
    let Ok(mut file) = PromelaFile::without_assertions(text, &[]) else { return Result::Open };
    match reach::count(file.interpreter(), bounds()) {
        Ok(size) if size.states == wanted => Result::Agrees,
        Ok(size) => Result::Differs(format!("{} states, {wanted} for SPIN", size.states)),
        Err(_) => Result::Open,
    }
}

/// The columns of a line up to the states that were stored.
fn columns(line: &str) -> [&str; 9] {
    let columns: Vec<&str> = line.split('\t').take(9).collect();
    columns.try_into().unwrap_or_else(|_| panic!("a line with other columns: {line}"))
}

/// Outcomes for all columns of a line of the table.
fn compare(folder: &Path, line: &str) -> Vec<(&'static str, Result)> {
    let [path, _, property, _, none, weak, _, _, stored] = columns(line);
    // Some are not in the language of the time they are read as.
    let bytes = std::fs::read(folder.join(path)).expect("a model");
    let text = String::from_utf8_lossy(&bytes);
    // A formula is asked of runs that no assertion ends, as it was recorded.
    let read = match property.starts_with("ltl:") {
        true => PromelaFile::without_assertions(&text, &[]),
        false => PromelaFile::parse(&text, &[]),
    };
    let mut file = match read {
        Ok(file) => file,
        Err(diagnostics) => {
            assert!(diagnostics.iter().all(|it| it.code.starts_with('E')));
            return vec![("verdict", Result::Refused(diagnostics[0].code.to_owned()))];
        }
    };
    let mut compared = vec![("verdict", verdict(&mut file, property, Notion::None, none))];
    if weak != "-" {
        let notion = Notion::Weak(fairly_fairness::Level::Process);
        compared.push(("weak verdict", verdict(&mut file, property, notion, weak)));
    }
    if property == "assert" {
        compared.push(("states", states(&text, stored)));
    }
    compared
}

#[test]
fn verdicts_and_states_agree_with_spin() {
    let Ok(folder) = std::env::var("FAIRLY_SPIN_CORPUS") else {
        println!("skipped: FAIRLY_SPIN_CORPUS is not set");
        return;
    };
    let folder = Path::new(&folder);
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let mut tally: BTreeMap<(&str, Result), usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    let mut count = |what, result: Result, path: &str, property: &str| {
        let explained = EXPLAINED
            .iter()
            .find(|(model, of, _)| path.ends_with(model) && *of == property)
            .map(|(_, _, why)| *why);
        let kind = match (result, explained) {
            (Result::Differs(_), Some(why)) => Result::Differs(why.to_owned()),
            (Result::Differs(how), None) => {
                unexplained.push(format!("{path}: {how}"));
                Result::Differs("unexplained".to_owned())
            }
            (other, _) => other,
        };
        *tally.entry((what, kind)).or_default() += 1;
    };
    let lines: Vec<&str> = table.lines().skip(1).collect();
    for (line, compared) in lines.iter().zip(side_by_side(&lines, |line| compare(folder, line))) {
        let [path, _, property, ..] = columns(line);
        for (what, result) in compared {
            count(what, result, path, if what == "states" { what } else { property });
        }
    }
    for ((what, result), count) in &tally {
        println!("{what}: {count} {result:?}");
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(tally.contains_key(&("verdict", Result::Agrees)));
}
