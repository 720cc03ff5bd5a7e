//! Every model in `examples/promela` and `corpus/promela` answers as its comments say.
//!
//! `examples/promela/check-with-spin` compares the same comments with SPIN, so what agrees with them
//! agrees with SPIN, but for strong fairness, annotations and constraints (`under weak process with
//! sf(P.label)`), which SPIN does not have. The number of states is
//! compared in `crates/front/tests/promela_spin.rs`.

use std::path::{Path, PathBuf};

use fairly_check::claim::ClaimOutcome;
use fairly_check::{Assumption, Options, Outcome};
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_front::case::parse_constraint;
use fairly_search::Bounds;

use crate::common::languages::{PromelaFile, Question};

fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    files.sort();
    files
}

/// The answer to an expectation: what was said of it, and what is so.
fn answer(file: &mut PromelaFile, text: &str) -> Result<(bool, bool), String> {
    let (claimed, notion) = match text.split_once(" under ") {
        Some((claimed, notion)) => (claimed, Some(notion)),
        None => (text, None),
    };
    let mut words = claimed.split_whitespace();
    let (first, rest): (&str, Vec<&str>) = (words.next().unwrap_or_default(), words.collect());
    let (title, said) = match (first, rest.as_slice()) {
        ("assertions", [said]) => ("assertions", *said),
        ("end", ["states", said]) => ("end states", *said),
        ("progress", [said]) => ("progress", *said),
        ("acceptance", [said]) => ("acceptance", *said),
        ("ltl", [name, said]) => (*name, *said),
        ("never", [said]) => ("", *said),
        _ => return Err(format!("no such expectation: {text}")),
    };
    let said = match said {
        "hold" | "holds" | "valid" => true,
        "violated" | "invalid" => false,
        _ => return Err(format!("no such verdict: {text}")),
    };
    let question = file
        .questions()
        .into_iter()
        .find(|question| match question {
            Question::Never(_) => first == "never",
            _ => first != "never" && file.title(question) == title,
        })
        .ok_or_else(|| format!("nothing like that in the model: {text}"))?;
    let property = file.property(&question).map_err(|it| format!("{it:?}"))?;
    let Some(mut property) = property else {
        let verdict = file.claim(&question, Bounds::default()).map_err(|it| it.to_string())?;
        return match verdict.outcome {
            ClaimOutcome::Holds(_) => Ok((said, true)),
            ClaimOutcome::Violated(_) => Ok((said, false)),
            ClaimOutcome::Unknown(why) => Err(format!("{text}: {why}")),
        };
    };
    let (notion, constraint) = match notion.and_then(|notion| notion.split_once(" with ")) {
        Some((notion, constraint)) => (Some(notion), Some(constraint)),
        None => (notion, None),
    };
    let notion = match notion {
        Some("none") => Notion::None,
        Some("weak process") => Notion::Weak(Level::Process),
        Some("strong process") => Notion::Strong(Level::Process),
        Some("annotations") => Notion::Annotated(AnnotationLevel::Name),
        _ => return Err(format!("no such notion: {text}")),
    };
    let mut assumption = Assumption::of(notion);
    if let Some(constraint) = constraint {
        let constraint = parse_constraint(constraint).map_err(|it| format!("{text}: {it:?}"))?;
        let added = assumption.add(&constraint, file.interpreter());
        added.map_err(|unusable| format!("{text}: {unusable}"))?;
    }
    let options = Options::default();
    let verdict = fairly_check::check(file.interpreter(), &mut property, &assumption, &options)
        .map_err(|failure| failure.to_string())?;
    match verdict.outcome {
        Outcome::Holds(_) => Ok((said, true)),
        Outcome::Violated(_) | Outcome::Doomed(_) => Ok((said, false)),
        Outcome::Unknown(why) => Err(format!("{text}: {why}")),
    }
}

#[test]
fn models_answer_as_they_say() {
    let mut asked = 0;
    let mut wrong = Vec::new();
    for path in files("examples/promela").into_iter().chain(files("corpus/promela")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut file = match PromelaFile::parse(&text, &[]) {
            Ok(file) => file,
            Err(diagnostics) => {
                wrong.push(format!("{name}: {}", diagnostics[0].message));
                continue;
            }
        };
        let expectations: Vec<String> = file.expectations();
        for expectation in expectations.iter().filter(|it| !it.starts_with("states ")) {
            asked += 1;
            match answer(&mut file, expectation) {
                Ok((said, is)) if said == is => {}
                Ok(_) => wrong.push(format!("{name}: not so: {expectation}")),
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
    }
    println!("{asked} expectations");
    assert!(asked > 100, "where are the models?");
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
}
