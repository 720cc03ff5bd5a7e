//! Every report ends with one command to try next, and the command works when it is pasted.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Runs a line as a shell does, with the command on the search path. None if it takes too long, which is no
/// error of the line.
fn shell(folder: &Path, line: &str) -> Option<Output> {
    const PATIENCE: Duration = Duration::from_secs(20);
    let own = Path::new(env!("CARGO_BIN_EXE_fairly")).parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path)));
    let mut child = Command::new("sh")
        .args(["-c", &format!("exec {line} >said 2>errors")])
        .current_dir(folder)
        .env("PATH", path.expect("a search path"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .spawn()
        .expect("there is a shell");
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            let read = |name: &str| std::fs::read(folder.join(name)).expect("it was written");
            return Some(Output { status, stdout: read("said"), stderr: read("errors") });
        }
        if since.elapsed() > PATIENCE {
            child.kill().expect("it is ours");
            child.wait().expect("it ends");
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The one command that a report suggests; it is the last line.
fn suggested(line: &str, output: &Output) -> String {
    let text = out(output);
    let all: Vec<&str> = text.lines().filter(|line| line.starts_with("next: ")).collect();
    assert_eq!(all.len(), 1, "{line}\n{text}{}", err(output));
    let last = text.lines().next_back().expect("a line");
    last.strip_prefix("next: ").unwrap_or_else(|| panic!("{line}\n{text}")).to_owned()
}

/// Runs a command whose report suggests another one, and that one.
fn follow(folder: &Path, line: &str) -> String {
    let output = shell(folder, line).unwrap_or_else(|| panic!("{line} takes too long"));
    assert!(!matches!(code(&output), 2 | 70), "{line}\n{}{}", out(&output), err(&output));
    // A file may ask for nothing that the command is about.
    if code(&output) == 4 {
        return String::new();
    }
    let next = suggested(line, &output);
    if let Some(output) = shell(folder, &next) {
        let said = format!("{line}\n{next}\n{}{}", out(&output), err(&output));
        assert!(!matches!(code(&output), 2 | 4 | 70), "{said}");
    }
    next
}

fn models() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["examples/csp", "examples/promela", "corpus/systems"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        all.extend(paths.filter(|path| path.extension().is_some_and(|it| it != "md")));
    }
    all.sort();
    assert!(all.len() > 80, "only {} models", all.len());
    all
}

#[test]
fn what_a_report_suggests_works() {
    let folder = Folder::new("next");
    let mut seen: Vec<String> = Vec::new();
    // All of them are checked; of the other commands, each model has one.
    const OTHERS: [&str; 3] = ["ladder", "least", "check --report table"];
    for (at, model) in models().into_iter().enumerate() {
        let model = model.to_string_lossy().into_owned();
        for command in ["check", OTHERS[at % OTHERS.len()]] {
            let next = follow(&folder.0, &format!("fairly {command} --max-states 3000 {model}"));
            let kind: Vec<&str> = next.split_whitespace().skip(1).take(2).collect();
            seen.push(kind.join(" "));
        }
    }
    // The suggestions are not all the same.
    for kind in ["trace show", "ladder", "least", "sim", "check --fairness", "check -p"] {
        assert!(seen.iter().any(|seen| seen.starts_with(kind)), "nothing suggests {kind}");
    }
}

#[test]
fn what_is_unknown_is_asked_with_more_of_what_it_ran_out_of() {
    let folder = Folder::new("next-unknown");
    let model = root().join("examples/promela/peterson.pml");
    let model = model.to_string_lossy();
    let next = |options: &str| follow(&folder.0, &format!("fairly check {options} {model}"));
    let states = next("--max-states 5 -p exclusion");
    assert_eq!(states, format!("fairly check --max-states=50 -p exclusion {model}"));
    let fair = next("--max-states 5 --fairness strong --level event -p exclusion");
    assert!(fair.contains("--fairness strong --level event -p exclusion"), "{fair}");
    let time = next("--timeout 0 -p exclusion");
    assert!(time.starts_with("fairly check --timeout="), "{time}");
    let given = next("--max-states 5 -f '[] !(Process[0]@critical && Process[1]@critical)'");
    assert!(given.contains("-f '[] !(Process[0]@critical && Process[1]@critical)'"), "{given}");
    let lossy = next("--lossy bits -p exclusion");
    assert!(lossy.starts_with("fairly check -p exclusion"), "{lossy}");
    let lossy = next("--lossy bits -p assertions");
    assert_eq!(lossy, format!("fairly check --lossy=bits --max-memory=1G -p assertions {model}"));
    let lossy = next("--lossy fingerprints=32 --max-states 5 -p assertions");
    let more = "--lossy=fingerprints=32 --max-states=50";
    assert_eq!(lossy, format!("fairly check {more} -p assertions {model}"));
}

#[test]
fn options_that_make_the_model_are_repeated() {
    let folder = Folder::new("next-options");
    let model = root().join("examples/promela/semaphore.pml");
    let text = std::fs::read_to_string(model).expect("the model");
    std::fs::write(folder.0.join("a model.txt"), text).expect("a copy");
    let next = follow(&folder.0, "fairly check --lang promela 'a model.txt'");
    assert!(next.contains("--lang=promela") && next.ends_with("'a model.txt'"), "{next}");
    let ladder = follow(&folder.0, "fairly ladder --lang promela -p first 'a model.txt'");
    assert!(ladder.contains("--lang=promela -p first"), "{ladder}");
    // A text that was read from a pipe is gone.
    let piped = follow(&folder.0, "fairly check --lang promela - < 'a model.txt'");
    assert_eq!(piped, "fairly explain lasso");
}

#[test]
fn several_models_have_one_suggestion_for_all() {
    let folder = Folder::new("next-several");
    let root = root();
    let models = ["philosophers", "semaphore", "peterson"].map(|name| {
        root.join(format!("examples/promela/{name}.pml")).to_string_lossy().into_owned()
    });
    let next = follow(&folder.0, &format!("fairly check {}", models.join(" ")));
    assert!(next.starts_with("fairly ladder -p eats"), "{next}");
    follow(&folder.0, &format!("fairly check --max-states 3 {}", models.join(" ")));
    std::fs::write(folder.0.join("wrong.pml"), "active proctype P() { x = 1 }\n").expect("a file");
    std::fs::write(folder.0.join("other.pml"), "active proctype P() { y = 1 }\n").expect("a file");
    let wrong = shell(&folder.0, "fairly check wrong.pml other.pml").expect("it is fast");
    assert_eq!(code(&wrong), 2);
    let next = suggested("two wrong files", &wrong);
    assert!(next.starts_with("fairly explain E"), "{next}");
    assert_eq!(code(&shell(&folder.0, &next).expect("it is fast")), 0);
}

#[test]
fn documents_have_no_suggestion() {
    let folder = Folder::new("next-documents");
    let model = root().join("examples/promela/semaphore.pml");
    for format in ["json", "junit", "sarif", "github", "markdown"] {
        let line = format!("fairly check --format {format} {}", model.to_string_lossy());
        let output = shell(&folder.0, &line).expect("it is fast");
        assert!(!out(&output).contains("next: "), "{format}");
    }
}

#[test]
fn a_search_that_is_interrupted_suggests_one_that_ends_by_itself() {
    let folder = Folder::new("next-interrupted");
    let endless =
        "active [6] proctype P() { byte a, b; do :: a++ :: b++ :: a + b == 510 -> a = 0 od }\n";
    std::fs::write(folder.0.join("long.pml"), endless).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "-p", "assertions", "long.pml"])
        .current_dir(&folder.0)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().expect("a child").is_none(), "it has no end");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 3);
    let next = suggested("interrupted", &output);
    assert_eq!(next, "fairly check --timeout=60 -p assertions long.pml");
}

/// Where one constraint is not enough and the line of the ladder says what is, that is suggested.
#[test]
fn the_line_of_the_ladder_is_used() {
    let folder = Folder::new("next-ladder");
    let model = "\
bit a, b;
active proctype P() { do :: a = 1 - a od }
active proctype Q() { b = 1 }
active proctype R() { do :: skip od }
ltl both { <> (b == 1) && []<> (a == 1) }
";
    std::fs::write(folder.0.join("two.pml"), model).expect("a file");
    let line = "fairly check -p both two.pml";
    let output = shell(&folder.0, line).expect("it is small");
    let text = out(&output);
    assert!(text.contains("still fails, on another run"), "{text}");
    assert!(text.contains("Ladder: none ✗  weak ✓  strong ✓"), "{text}");
    assert!(text.contains("help: one constraint is not enough"), "{text}");
    assert_eq!(suggested(line, &output), "fairly check --fairness weak -p both two.pml");
    assert_eq!(code(&shell(&folder.0, &suggested(line, &output)).expect("small")), 0);
}
