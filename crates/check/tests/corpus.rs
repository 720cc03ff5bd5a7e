//! The whole corpus of systems: every verdict that a file states, from every engine that can decide
//! it, with feasibility and machine closure.

use std::fmt::Write;
use std::path::Path;

use fairly_check::{Assumption, Fairness, Options, Outcome, Property, check};
use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::case::{self, Case, Expectation};
use fairly_logic::Formulas;
use fairly_search::engines::{Engine, Question};
use fairly_search::{Bounds, closure, global};

fn notion(named: case::Notion) -> Notion {
    let level = |level: case::Level| match level {
        case::Level::Process => Level::Process,
        case::Level::Event => Level::Event,
        case::Level::Action => Level::Action,
    };
    match named {
        case::Notion::None => Notion::None,
        case::Notion::Weak(at) => Notion::Weak(level(at)),
        case::Notion::Strong(at) => Notion::Strong(level(at)),
        case::Notion::WeakLive => Notion::WeakLive,
        case::Notion::StrongLive => Notion::StrongLive,
        case::Notion::AnnotatedName => Notion::Annotated(AnnotationLevel::Name),
        case::Notion::AnnotatedOccurrence => Notion::Annotated(AnnotationLevel::Occurrence),
        case::Notion::Global => Notion::Global,
        case::Notion::InherentTrace => Notion::Inherent(PrefixKind::Trace),
        case::Notion::InherentRun => Notion::Inherent(PrefixKind::Run),
    }
}

/// Every way to decide a notion: all engines for constraints, both procedures for inherent fairness.
fn ways(notion: Notion) -> Vec<(String, Options)> {
    let all = |question| {
        Engine::offered_for(question)
            .map(|engine| {
                (engine.name.to_owned(), Options { engine: Some(engine), ..Options::default() })
            })
            .collect()
    };
    match notion {
        Notion::Global => vec![("global".to_owned(), Options::default())],
        Notion::Inherent(_) => all(Question::Prefixes),
        _ => all(Question::Runs),
    }
}

/// Compares one expectation, and describes a difference; and how many answers were compared.
fn compare(case: &Case, expected: &Expectation, wrong: &mut String) -> usize {
    let notion = notion(expected.notion);
    let mut compared = 0;
    for (way, options) in ways(notion) {
        let mut network = Explored::new(case.network().expect("the file was checked"));
        let property = case.property(&expected.property).expect("the file was checked");
        let mut formulas = Formulas::new();
        let formula = formulas.parse(&property.formula.text).expect("the file was checked");
        let mut property =
            Property::bind(&property.name, formulas, formula, &mut network).expect("bound");
        let mut assumption = Assumption::of(notion);
        for constraint in &case.constraints {
            assumption.add(constraint, &mut network).expect("bound");
        }
        let verdict = match check(&mut network, &mut property, &assumption, &options) {
            Ok(verdict) => verdict,
            // An engine may decline a condition; then it says so, and nothing is compared.
            Err(fairly_check::CheckError::Engine(_)) => continue,
            Err(failure) => {
                let _ = writeln!(wrong, "  {} by {way}: {failure}", expected.notion);
                continue;
            }
        };
        compared += 1;
        let said = match &verdict.outcome {
            Outcome::Holds(_) => case::Verdict::Holds,
            Outcome::Violated(_) | Outcome::Doomed(_) => case::Verdict::Violated,
            Outcome::Unknown(why) => {
                let _ = writeln!(wrong, "  {} by {way}: unknown: {why}", expected.notion);
                continue;
            }
        };
        if said != expected.verdict {
            let _ = writeln!(
                wrong,
                "  {} by {way}: {said:?}, expected {:?}",
                expected.notion, expected.verdict
            );
        }
        if let (Outcome::Holds(fairness), false) = (&verdict.outcome, expected.notion.is_inherent())
        {
            let feasible = *fairness != Fairness::Infeasible;
            let closed = matches!(fairness, Fairness::MachineClosed | Fairness::NotAssumed);
            if (feasible, closed) != (expected.feasible, expected.machine_closed) {
                let _ = writeln!(
                    wrong,
                    "  {} by {way}: feasible {feasible}, machine closed {closed}",
                    expected.notion
                );
            }
        }
    }
    // Feasibility and machine closure do not depend on the verdict, so they are asked of all.
    if !expected.notion.is_inherent() {
        let mut network = Explored::new(case.network().expect("the file was checked"));
        let mut assumption = Assumption::of(notion);
        for constraint in &case.constraints {
            assumption.add(constraint, &mut network).expect("bound");
        }
        let constraints =
            assumption.constraints(&mut network, Bounds::default()).expect("no bound");
        let found = match notion {
            Notion::Global => global::closure(&mut network, constraints, Bounds::default()),
            _ => closure::check(&mut network, constraints, Bounds::default()),
        };
        let found = found.expect("no bound");
        if (found.feasible, found.machine_closed()) != (expected.feasible, expected.machine_closed)
        {
            let _ = writeln!(wrong, "  {}: closure {found:?}", expected.notion);
        }
        compared += 1;
    }
    compared
}

#[test]
fn every_verdict_of_the_corpus_comes_out_of_every_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/systems");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "net"))
        .collect();
    files.sort();
    let (mut verdicts, mut compared) = (0, 0);
    let mut wrong = String::new();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("readable");
        let case =
            case::parse(&text).unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        let mut here = String::new();
        for expected in &case.expectations {
            verdicts += 1;
            compared += compare(&case, expected, &mut here);
        }
        if !here.is_empty() {
            let _ = write!(wrong, "{}\n{here}", path.file_name().unwrap().to_string_lossy());
        }
    }
    println!("{} files, {verdicts} verdicts, {compared} answers compared", files.len());
    assert!(verdicts >= 298, "the corpus shrank to {verdicts} verdicts");
    assert!(wrong.is_empty(), "\n{wrong}");
}
