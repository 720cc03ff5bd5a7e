//! Promela on the command line: directories, tables, SPIN beside Fairly, and places of mistakes.
//!
//! Without `spin` and a C compiler what needs them says so and passes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::{code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).env("NO_COLOR", "1").stdin(Stdio::null()).current_dir(root());
    command
}

fn fairly(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

fn json(output: &Output) -> Vec<Value> {
    let read = serde_json::from_str(&out(output));
    read.unwrap_or_else(|error| panic!("{error}: {}{}", out(output), err(output)))
}

/// A directory that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("fairly-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        }
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const HOLDS: &str = "byte x; active proctype P() { x = 1 } ltl p { [] (x < 2) }";
const VIOLATED: &str = "byte x; active proctype P() { x = 2 } ltl p { [] (x < 2) }";
const WRONG: &str = "byte x; active proctype P() { y = 2 }";

#[test]
fn every_model_of_a_directory_is_checked_and_the_worst_code_counts() {
    let files =
        [("a.pml", HOLDS), ("deep/b.pml", HOLDS), ("notes.txt", "no model"), (".c.pml", WRONG)];
    let folder = Folder::new("directory", &files);
    let all = folder.0.to_string_lossy().into_owned();
    let output = fairly(&["check", &all]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("\n2 models: 2 hold\n"), "{}", out(&output));

    fs::write(folder.0.join("v.pml"), VIOLATED).expect("written");
    let output = fairly(&["check", &all]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("\n3 models: 2 hold, 1 violated\n"), "{}", out(&output));

    fs::write(folder.0.join("w.pml"), WRONG).expect("written");
    let output = fairly(&["check", &all]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("w.pml:1:"), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("v.pml") && text.contains("1 not checked"), "{text}");
    // The last thing that is printed is one row a model.
    let table = text.split("model  ").last().expect("a table");
    let is_row = |line: &&str| line.contains(".pml") && !line.starts_with("next: ");
    assert_eq!(table.lines().filter(is_row).count(), 4, "{text}");
}

#[test]
fn what_makes_no_model_is_said() {
    let files = [("sub/a.aut", "des (0, 1, 1)\n(0, \"a\", 0)\n"), ("p.pml", HOLDS)];
    let folder = Folder::new("no-model", &files);
    let empty = fairly(&["check", &folder.file("sub")]);
    assert_eq!(code(&empty), 4, "{}", err(&empty));
    assert!(err(&empty).contains("has no model in it"), "{}", err(&empty));
    let mixed = fairly(&["check", &folder.file("p.pml"), &folder.file("sub/a.aut")]);
    assert_eq!(code(&mixed), 2);
    assert!(err(&mixed).contains("is a component"), "{}", err(&mixed));
    let compat = fairly(&["check", "--spin-compat", "corpus/systems/c02-semaphore.net"]);
    assert_eq!(code(&compat), 2, "{}", err(&compat));
}

#[test]
fn a_property_is_asked_where_it_is() {
    let other = "byte x; active proctype P() { x = 1 } ltl q { [] (x < 2) }";
    let folder = Folder::new("property", &[("a.pml", HOLDS), ("b.pml", other)]);
    let all = folder.0.to_string_lossy().into_owned();
    let one = fairly(&["check", "-p", "q", &all]);
    assert_eq!(code(&one), 0, "{}", err(&one));
    assert!(out(&one).contains("1 model: 1 hold"), "{}", out(&one));
    assert_eq!(code(&fairly(&["check", "-p", "nowhere", &all])), 2);
}

#[test]
fn a_mistake_in_a_formula_is_shown_in_the_formula() {
    let model = "examples/promela/semaphore.pml";
    let output = fairly(&["check", "-f", "[] (free >= 0)", "-f", "[] (fre > 0)", model]);
    assert_eq!(code(&output), 2);
    let text = err(&output);
    assert!(text.contains("<formula>:1:5") && text.contains("1 | [] (fre > 0)\n"), "{text}");
    assert!(text.contains("  |     ^^^"), "{text}");

    let unfinished = fairly(&["check", "-f", "[] (free >", model]);
    assert_eq!(code(&unfinished), 2);
    assert!(err(&unfinished).contains("1 | [] (free >\n"), "{}", err(&unfinished));

    let folder = Folder::new("formula", &[("w.pml", WRONG)]);
    let in_file = fairly(&["check", "-f", "[] (x < 2)", &folder.file("w.pml")]);
    assert!(err(&in_file).contains("w.pml:1:31"), "{}", err(&in_file));
}

/// It would be passed without being seen, so there is no answer; to everything else there is.
#[test]
fn an_accept_label_inside_a_sequence_is_refused() {
    let path = std::env::temp_dir().join(format!("fairly-accept-{}.pml", std::process::id()));
    let text = "byte x; init { L: x = 1; atomic { x = 2; accept: x = 3 }; goto L }\n\
                ltl up { [] (x < 4) }\n";
    fs::write(&path, text).expect("a temporary file");
    let file = path.to_str().expect("a name");
    let (asked, other) = (fairly(&["check", file]), fairly(&["check", file, "-p", "up"]));
    fs::remove_file(&path).expect("the file");
    assert_eq!(code(&asked), 2, "{}", out(&asked));
    assert!(err(&asked).contains("error[E0803]"), "{}", err(&asked));
    assert_eq!(code(&other), 0, "{}{}", out(&other), err(&other));
}

#[test]
fn the_keyword_names_the_never_claim() {
    let output =
        fairly(&["check", "-p", "never", "--format", "json", "examples/promela/never_claim.pml"]);
    let answers = json(&output);
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["property"], "never_0");
}

/// Both sides of a rendezvous, and what stands inside an atomic sequence, are steps of their own names.
#[test]
fn a_constraint_is_about_every_statement_of_a_step() {
    let rendezvous = "bool done; byte n; chan c = [0] of { bit };
active proctype P() { do :: n = 1 - n :: c!1 -> done = true; break od }
active proctype Q() { do :: c?_ od }
ltl finishes { <> done }";
    let atomic = "bool done; byte n;
active proctype P() { do :: n = 1 - n :: atomic { n == 0 -> leave: done = true; break } od }
ltl finishes { <> done }";
    let folder = Folder::new("constraint", &[("r.pml", rendezvous), ("a.pml", atomic)]);
    for (file, constraint) in [("r.pml", "sf(\"Q:3\")"), ("a.pml", "sf(P.leave)")] {
        let file = folder.file(file);
        let asked = ["check", "-p", "finishes", "--fairness", "none", &file];
        assert_eq!(code(&fairly(&asked)), 1, "{file}");
        let with = fairly(&[&asked[..], &["--constraint", constraint]].concat());
        assert_eq!(code(&with), 0, "{file}: {}{}", out(&with), err(&with));
    }
}

fn examples() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("examples/promela")).expect("examples");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut models: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "pml")).collect();
    models.sort();
    models
}

/// Numbers of states that SPIN stores stand in the comments, so that this needs no SPIN.
#[test]
fn states_are_counted_as_spin_counts_them() {
    let expected = |path: &Path| {
        let text = fs::read_to_string(path).expect("a model");
        let line = text.lines().find_map(|line| line.strip_prefix("// expect: states "));
        line.and_then(|number| number.trim().parse::<u64>().ok())
    };
    let mut compared = 0;
    for path in examples() {
        let Some(states) = expected(&path) else { continue };
        let name = path.to_string_lossy().into_owned();
        let asked = ["check", "--spin-compat", "-p", "assertions", "--format", "json", &name];
        let answers = json(&fairly(&asked));
        assert_eq!(answers[0]["stored"]["states"], states, "{name}");
        assert_eq!(answers[0]["stored"]["as_spin"], true, "{name}");
        compared += 1;
    }
    assert!(compared >= 39, "{compared}");
}

#[test]
fn the_table_says_what_spin_says_or_why_not() {
    let output = fairly(&[
        "check",
        "--report",
        "table",
        "--run-spin",
        "--format",
        "json",
        "examples/promela",
    ]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    let rows = json(&output);
    assert!(rows.len() > 150, "{}", rows.len());
    if rows.iter().all(|row| row["spin"].is_null()) {
        println!("skipped: spin and a C compiler are needed");
        return;
    }
    let explained = |row: &Value| row["why"].as_str().is_some_and(|why| why.contains("docs/"));
    let wrong: Vec<&Value> =
        rows.iter().filter(|row| row["differs"] == true && !explained(row)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let silent = |row: &&Value| row["spin"]["verdicts"]["none"] == "unknown";
    assert_eq!(rows.iter().find(silent), None);
    let reachable =
        |row: &&Value| row["question"] == "assertions" || row["question"] == "end states";
    for row in rows.iter().filter(reachable) {
        assert_eq!(row["fairly"]["stored"], row["spin"]["stored"], "{row}");
    }
}

#[test]
fn without_spin_the_table_says_so_and_answers_the_same() {
    let model = "examples/promela/semaphore.pml";
    let asked = ["check", "--report", "table", "--run-spin", model];
    let with = fairly(&asked);
    let nowhere = root().join("docs");
    let without = command(&asked).env("PATH", nowhere).output();
    let without = without.expect("the binary runs");
    assert_eq!(code(&without), code(&with));
    let text = out(&without);
    let line = "SPIN was not asked, so its columns are left out: no `spin` on PATH";
    assert!(text.lines().any(|it| it == line), "{text}");
    assert!(text.contains("first") && text.contains("✗ ✗ ✓"), "{text}");
}

#[test]
fn nothing_is_run_unless_it_is_allowed() {
    let folder = std::env::temp_dir().join(format!("fairly-run-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["spin", "gcc", "tcc", "cc"] {
        let script = format!("#!/bin/sh\n> '{}/ran'\necho Spin Version 6\n", folder.display());
        let path = folder.join(name);
        std::fs::write(&path, script).expect("a script");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("ours");
    }
    let model = "examples/promela/semaphore.pml";
    let mut asked = command(&["check", "--report", "table", model]);
    let output = asked.env("PATH", &folder).output().expect("the binary runs");
    let ran = folder.join("ran").exists();
    let mut asked = command(&["check", "--report", "table", "--run-spin", model]);
    asked.env("PATH", &folder).output().expect("the binary runs");
    let would = folder.join("ran").exists();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(!ran, "a program was run");
    assert!(would, "the test would not see it");
    assert!(out(&output).contains("--run-spin"), "{}", out(&output));
}

#[test]
fn a_table_fits_the_terminal() {
    for columns in ["80", "120"] {
        let mut asked =
            command(&["check", "--report", "table", "examples/promela/non_progress.pml"]);
        let output = asked.env("COLUMNS", columns).output().expect("the binary runs");
        let width: usize = columns.parse().expect("a number");
        let text = out(&output);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
}

#[test]
fn other_languages_have_a_table_without_spin() {
    let output = fairly(&["check", "--report", "table", "corpus/systems/c02-semaphore.net"]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    let text = out(&output);
    assert!(!text.contains("SPIN") && text.contains("wanted    ✗ ✗ ✓"), "{text}");
}
