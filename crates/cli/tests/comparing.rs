//! `fairly compare` and `fairly check --explain-plan`: how answers are found.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{Folder, code, err, out};

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(name).canonicalize().expect("an example");
    path.to_string_lossy().into_owned()
}

fn fairly(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "120");
    command.output().expect("the binary runs")
}

fn documents(output: &Output) -> Vec<Value> {
    let value: Value = serde_json::from_str(&out(output)).expect("JSON");
    value.as_array().expect("a list").clone()
}

#[test]
fn every_way_gives_the_same_answer() {
    let folder = Folder::new("compare");
    for model in [
        "examples/promela/semaphore.pml",
        "examples/promela/peterson.pml",
        "examples/csp/philosophers_wl.csp",
        "examples/csp/semaphore.csp",
        "corpus/systems/c02-semaphore.net",
        "corpus/systems/c23-live-philosophers.net",
    ] {
        let output = fairly(&folder.0, &["compare", "--format", "json", &example(model)]);
        assert_eq!(code(&output), 0, "{model}: {}", err(&output));
        for document in documents(&output) {
            assert_eq!(document["schema"], "fairly.compare/1");
            assert_eq!(document["contradictions"].as_array().map(Vec::len), Some(0));
            let answers = document["answers"].as_array().expect("answers");
            assert!(answers.len() >= 2, "{document}");
            // A known answer is given by every engine that could be asked.
            for fairness in answers.iter().map(|answer| &answer["fairness"]) {
                let same = answers.iter().filter(|answer| answer["fairness"] == *fairness);
                let said: Vec<&str> = same
                    .filter_map(|answer| answer["outcome"].as_str())
                    .filter(|said| *said != "refused")
                    .collect();
                assert!(said.windows(2).all(|pair| pair[0] == pair[1]), "{model}: {document}");
            }
        }
    }
}

#[test]
fn the_verdicts_are_those_of_a_check() {
    let folder = Folder::new("compare-check");
    let model = example("examples/promela/semaphore.pml");
    let compared = documents(&fairly(&folder.0, &["compare", "--format", "json", &model]));
    for (notion, words) in [("none", "no fairness"), ("strong", "process-level strong fairness")] {
        let words_of_check = ["check", "--format", "json", "--fairness", notion, &model];
        let checked = documents(&fairly(&folder.0, &words_of_check));
        for (one, other) in compared.iter().zip(&checked) {
            assert_eq!(one["title"], other["title"]);
            let answers = one["answers"].as_array().expect("answers");
            let is_meant = |answer: &&Value| {
                answer["fairness"].is_null() || answer["fairness"].as_str() == Some(words)
            };
            let answer = answers.iter().find(is_meant).expect("an answer");
            assert_eq!(answer["outcome"], other["outcome"], "{notion} {}", one["title"]);
        }
    }
}

#[test]
fn what_does_not_apply_is_refused_and_the_rest_goes_on() {
    let folder = Folder::new("compare-refused");
    let model = example("examples/promela/semaphore.pml");
    let output = fairly(&folder.0, &["compare", "-p", "first", &model]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    for wanted in ["under no fairness", "engine ndfs", "no reduction", "interpreted", "holds"] {
        assert!(text.contains(wanted), "no {wanted}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    let short = fairly(&folder.0, &["compare", "--max-states", "2", "-p", "first", &model]);
    assert_eq!(code(&short), 3, "{}", out(&short));
    assert_eq!(code(&fairly(&folder.0, &["compare", "--format", "junit", &model])), 2);
}

#[test]
fn a_plan_says_what_the_stamp_says() {
    let folder = Folder::new("plan");
    for model in [
        "examples/promela/semaphore.pml",
        "examples/promela/peterson.pml",
        "examples/csp/readers_writers_alike.csp",
        "examples/csp/philosophers.csp",
        "corpus/systems/c02-semaphore.net",
    ] {
        for fairness in ["none", "weak", "strong", "global"] {
            let model = example(model);
            let words = ["check", "--format", "json", "--fairness", fairness, &model];
            let verdicts = documents(&fairly(&folder.0, &words));
            let plan = fairly(&folder.0, &[&words[..], &["--explain-plan"]].concat());
            assert_eq!(code(&plan), 0, "{model}: {}", err(&plan));
            let mut formulas = 0;
            for plan in documents(&plan) {
                assert_eq!(plan["schema"], "fairly.plan/1");
                let of_title = |verdict: &&Value| verdict["title"] == plan["title"];
                let verdict = verdicts.iter().find(of_title).expect("a verdict");
                if plan["plan"]["kind"] != "formula" {
                    continue;
                }
                formulas += 1;
                assert_eq!(plan["plan"]["engine"]["name"], verdict["stamp"]["engine"], "{verdict}");
                assert_eq!(plan["plan"]["fairness"], verdict["stamp"]["fairness"], "{verdict}");
                let reductions = plan["plan"]["reductions"].as_array().expect("reductions");
                let is_used = |name: &str| {
                    reductions.iter().any(|it| it["name"] == name && it["used"] == true)
                };
                let stamp = verdict["stamp"]["reductions"].to_string();
                // A run that was found may have been looked for again without reduction.
                if verdict["outcome"] == "holds" {
                    assert_eq!(is_used("symmetry"), stamp.contains("symmetry:"), "{plan}\n{stamp}");
                    let merged = stamp.contains("statements merged");
                    assert_eq!(is_used("merged statements"), merged, "{plan}\n{stamp}");
                    assert!(is_used("partial order") || !stamp.contains("partial order"), "{plan}");
                }
            }
            assert!(formulas > 0, "{model}");
        }
    }
}

#[test]
fn a_plan_says_why_a_reduction_is_not_used() {
    let folder = Folder::new("plan-why");
    let model = example("examples/promela/semaphore.pml");
    let plan = |words: &[&str]| {
        let output =
            fairly(&folder.0, &[&["check", "--explain-plan", "-p", "first"], words].concat());
        assert_eq!(code(&output), 0, "{}", err(&output));
        out(&output)
    };
    let off = plan(&["--no-reduction", &model]);
    assert!(off.contains("partial order      not used: turned off"), "{off}");
    let global = plan(&["--fairness", "global", &model]);
    assert!(global.contains("engine             global:"), "{global}");
    let chosen = plan(&["--engine", "ndfs", &model]);
    assert!(chosen.contains("--engine asks for it"), "{chosen}");
    assert!(chosen.contains("\nnext: fairly check "), "{chosen}");
}
