//! Models of other people, with the verdicts that PAT gave. They are not part of this repository:
//! `FAIRLY_PAT_CORPUS` names a folder with `.csp` files and an `expected.tsv` whose columns are path,
//! hash, assertion, verdict, admissible runs, engine, states and transitions.
//!
//! Where PAT explored the whole state space, its size must be the same too.

use std::path::Path;

use fairly_check::claim::ClaimOutcome;
use fairly_check::{Assumption, Options, Outcome};
use fairly_fairness::Notion;
use fairly_front::csp::syntax::Claim;
use fairly_search::{Bounds, reach};

use crate::common::languages::CspFile;

#[test]
fn verdicts_and_sizes_agree_with_pat() {
    let Ok(folder) = std::env::var("FAIRLY_PAT_CORPUS") else {
        println!("skipped: FAIRLY_PAT_CORPUS is not set");
        return;
    };
    let folder = Path::new(&folder);
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let (mut agree, mut same_size, mut refused) = (0, 0, Vec::new());
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, _, assertion, verdict, _, engine, states, transitions] = columns[..] else {
            panic!("a line with other columns: {line}");
        };
        let text = std::fs::read_to_string(folder.join(path)).expect("a model");
        let mut file = match CspFile::parse(&text) {
            Ok(file) => file,
            Err(diagnostics) => {
                assert!(diagnostics.iter().all(|it| it.code.starts_with('E')));
                refused.push(format!("{path}: {}", diagnostics[0].code));
                continue;
            }
        };
        let specification = file.specification().clone();
        let [asked] = &specification.assertions[..] else {
            panic!("{path}: not one assertion");
        };
        let system = file.system(&asked.process).expect("a process that can be checked");
        let holds = match &asked.claim {
            Claim::Satisfies(formula) => {
                let mut property = file.property(system, "asked", formula).expect("bound");
                let none = Assumption::of(Notion::None);
                let interpreter = file.interpreter(system);
                let options = Options::default();
                match fairly_check::check(interpreter, &mut property, &none, &options)
                    .expect("a verdict")
                    .outcome
                {
                    Outcome::Holds(_) => true,
                    Outcome::Violated(_) => false,
                    other => panic!("{path}: {other:?}"),
                }
            }
            other => match file.claim(system, other, Bounds::default()).expect("a verdict").outcome
            {
                ClaimOutcome::Holds(_) => true,
                ClaimOutcome::Violated(_) => false,
                ClaimOutcome::Unknown(why) => panic!("{path}: {why}"),
            },
        };
        if holds == (verdict == "valid") {
            agree += 1;
        } else {
            wrong.push(format!("{path}: {assertion} is {verdict} for PAT"));
        }
        let whole = match asked.claim {
            Claim::DeadlockFree => holds,
            Claim::Reaches { .. } => !holds,
            _ => false,
        };
        // PAT tells difference bound matrices apart by the bounds of single timers only.
        let same_identity = !text.contains("PAT.Lib.DBM");
        if whole && same_identity && !engine.is_empty() {
            let size = reach::count(file.interpreter(system), Bounds::default()).expect("finite");
            let here = (size.states.to_string(), size.transitions.to_string());
            if (here.0.as_str(), here.1.as_str()) == (states, transitions) {
                same_size += 1;
            } else {
                wrong.push(format!("{path}: {here:?}, PAT {states} and {transitions}"));
            }
        }
    }
    println!("{agree} verdicts as PAT's, {same_size} state spaces of the same size");
    println!("{} refused: {}", refused.len(), refused.join(", "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agree > 0);
}
