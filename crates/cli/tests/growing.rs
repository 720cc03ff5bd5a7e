//! Models in `corpus/growing`: a search that is stopped names what kept growing, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{code, out};

fn check(path: &Path, options: &[&str]) -> (i32, String) {
    check_within("5000", path, options)
}

fn check_within(states: &str, path: &Path, options: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command
        .env("COLUMNS", "1000")
        .arg("check")
        .args(["--max-states", states])
        .args(options)
        .arg(path);
    let output = command.output().expect("fairly runs");
    (code(&output), out(&output))
}

fn models() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/growing");
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("one").path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_none_or(|it| it != "md")).collect();
    paths.sort();
    let expected = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("text");
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("// grows: ").expect("the first line says what grows").to_owned()
    };
    paths.into_iter().map(|path| (path.clone(), expected(&path))).collect()
}

#[test]
fn what_grows_is_named_once_and_nothing_else_is() {
    let models = models();
    assert!(models.iter().filter(|(_, grows)| grows == "nothing").count() >= 5);
    assert!(models.len() >= 12);
    for (path, grows) in models {
        let (code, text) = check(&path, &[]);
        assert_eq!(code, 3, "{path:?}: {text}");
        let notes: Vec<&str> = text.lines().filter(|line| line.contains(" note: ")).collect();
        if grows == "nothing" {
            assert!(notes.is_empty(), "{path:?}: {text}");
            assert!(text.contains("next: fairly check --max-states=50000"), "{path:?}: {text}");
        } else {
            assert_eq!(notes.len(), 1, "{path:?}: {text}");
            let note = notes[0].trim_start().strip_prefix("note: ").expect("a note");
            assert!(note.starts_with(&format!("{grows} kept ")), "{path:?}: {note}");
            assert!(text.contains("next: fairly explain unbounded"), "{path:?}: {text}");
        }
    }
}

/// Several workers keep their states elsewhere, and see what grows all the same.
#[test]
fn several_workers_name_what_grows() {
    let mut named = 0;
    for (path, grows) in models().into_iter().filter(|(_, grows)| grows != "nothing") {
        let (code, text) = check_within("40000", &path, &["--workers", "4"]);
        // Some are not counted on for so long, or come to a limit of another kind.
        let is_cut = code == 3 && text.contains("stopped after 40000 states");
        let note = text.lines().find(|line| line.contains(" note: ")).unwrap_or_default();
        let said = note.trim_start().strip_prefix("note: ").unwrap_or_default();
        assert!(!is_cut || said.starts_with(&format!("{grows} kept ")), "{path:?}: {text}");
        named += usize::from(is_cut);
    }
    assert!(named >= 5, "only {named} models were cut");
}

/// Every answer has the note in JSON, where each stands for itself.
#[test]
fn documents_have_the_note() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/growing");
    let (_, text) = check(&folder.join("counter.csp"), &["--format", "json"]);
    let documents: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list");
    assert_eq!(documents.len(), 2);
    for document in documents {
        assert_eq!(document["outcome"], "unknown");
        let note = document["notes"][0].as_str().expect("a note");
        assert!(note.starts_with("`n` (line 2) kept growing until the search stopped: "), "{note}");
    }
}

/// The ladder and the least fairness say where it is declared, too.
#[test]
fn ladder_and_least_have_the_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/growing");
    for command in ["ladder", "least"] {
        let output = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .env("COLUMNS", "1000")
            .args([command, "--max-states", "900", "-f", "<> (n == 100000)"])
            .arg(folder.join("counter.pml"))
            .output();
        let text = out(&output.expect("fairly runs"));
        let note = text.lines().filter(|line| line.contains("note: ")).collect::<Vec<&str>>();
        assert_eq!(note.len(), 1, "{command}: {text}");
        assert!(note[0].contains("(line 2) kept growing"), "{command}: {text}");
    }
}

/// The word that `next:` leads to is explained.
#[test]
fn unbounded_is_explained() {
    let output = Command::new(env!("CARGO_BIN_EXE_fairly")).args(["explain", "unbounded"]).output();
    let output = output.expect("fairly runs");
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("no end of states"), "{}", out(&output));
}
