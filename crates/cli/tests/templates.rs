//! Templates of `fairly new`: each model fails as its comments say, and holds with the fairness that they
//! suggest.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Folder, code, err, out};

fn fairly(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "100");
    command.output().expect("the binary runs")
}

/// A template, a property of it in each language, and under which fairness it holds: as it is written, and
/// with the mistake mended. `-` never, `n` without any, `w` weak, `s` strong, `e` strong for events.
const EXPECTED: [(&str, [&str; 2], &str, &str); 12] = [
    ("lock", ["exclusive", "1"], "n", "n"),
    ("lock", ["served", "2"], "s", "s"),
    ("two-phase-commit", ["agreement", "1"], "-", "n"),
    ("two-phase-commit", ["decided", "2"], "n", "n"),
    ("leader-election", ["one_leader", "1"], "-", "n"),
    ("leader-election", ["elected", "2"], "n", "n"),
    ("producer-consumer", ["fits", "1"], "-", "n"),
    ("producer-consumer", ["served", "2"], "s", "s"),
    ("alternating-bit", ["first", "2"], "s", "s"),
    ("alternating-bit", ["second", "3"], "e", "e"),
    ("readers-writers", ["exclusive", "1"], "n", "n"),
    ("readers-writers", ["served", "2"], "-", "n"),
];

/// Options for fairness, the weaker before the stronger.
const NOTIONS: [(&str, &[&str]); 4] = [
    ("n", &["--fairness", "none"]),
    ("w", &["--fairness", "weak"]),
    ("s", &["--fairness", "strong"]),
    ("e", &["--fairness", "strong", "--level", "event"]),
];

/// The first notion under which a property holds.
fn least(folder: &Path, file: &str, property: &str) -> String {
    for (name, options) in NOTIONS {
        let words = [&["check", "-q", "-p", property][..], options, &[file]].concat();
        let output = fairly(folder, &words);
        match code(&output) {
            0 => return name.to_owned(),
            1 => {}
            _ => panic!("{file} {property}: {}{}", out(&output), err(&output)),
        }
    }
    "-".to_owned()
}

#[test]
fn templates_fail_and_hold_as_they_say() {
    let folder = Folder::new("templates");
    for (name, properties, broken, mended) in EXPECTED {
        for (language, ending, property) in
            [("promela", "pml", properties[0]), ("csp", "csp", properties[1])]
        {
            let file = format!("{name}.{ending}");
            if !folder.0.join(&file).exists() {
                let written = fairly(&folder.0, &["new", language, name]);
                assert_eq!(code(&written), 0, "{}", err(&written));
                assert!(out(&written).ends_with(&format!("\nnext: fairly {file}\n")));
            }
            assert_eq!(least(&folder.0, &file, property), broken, "{file} {property}");
            let text = std::fs::read_to_string(folder.0.join(&file)).expect("a model");
            let fixed = format!("fixed-{file}");
            assert!(broken == mended || text.contains("FIXED 0"), "{file} can be mended");
            std::fs::write(folder.0.join(&fixed), text.replace("FIXED 0", "FIXED 1"))
                .expect("a file");
            assert_eq!(least(&folder.0, &fixed, property), mended, "{fixed} {property}");
        }
    }
}

#[test]
fn every_template_fails_at_first_in_every_language() {
    let folder = Folder::new("templates-fail");
    let listed = out(&fairly(&folder.0, &["new", "--list"]));
    let table = listed.split("\n\n").next().expect("a table");
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 6, "{listed}");
    for name in names {
        for (language, ending) in [("promela", "pml"), ("csp", "csp")] {
            fairly(&folder.0, &["new", language, name]);
            let output = fairly(&folder.0, &["check", &format!("{name}.{ending}")]);
            assert_eq!(code(&output), 1, "{name}: {}{}", out(&output), err(&output));
        }
    }
}

#[test]
fn spin_accepts_the_promela_templates() {
    let folder = Folder::new("templates-spin");
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("SPIN is not installed: nothing is compared");
        return;
    }
    for name in [
        "lock",
        "two-phase-commit",
        "leader-election",
        "producer-consumer",
        "alternating-bit",
        "readers-writers",
    ] {
        fairly(&folder.0, &["new", "promela", name]);
        let file = format!("{name}.pml");
        let made = Command::new("spin").args(["-a", &file]).current_dir(&folder.0).output();
        let made = made.expect("SPIN runs");
        let said = String::from_utf8_lossy(&made.stdout).to_lowercase();
        assert!(made.status.success() && !said.contains("error"), "{name}: {said}");
        assert!(folder.0.join("pan.c").exists(), "{name}");
        std::fs::remove_file(folder.0.join("pan.c")).expect("it is there");
    }
}

#[test]
fn nothing_is_written_over_and_names_are_made_to_fit() {
    let folder = Folder::new("templates-names");
    let new = |words: &[&str]| fairly(&folder.0, &[&["new"], words].concat());
    assert_eq!(code(&new(&["promela", "lock", "mine"])), 0);
    assert!(folder.0.join("mine.pml").is_file());
    std::fs::write(folder.0.join("mine.pml"), "mine").expect("a file");
    assert_eq!(code(&new(&["promela", "lock", "mine.pml"])), 2);
    assert_eq!(code(&new(&["promela", "mine.pml"])), 2);
    assert_eq!(std::fs::read_to_string(folder.0.join("mine.pml")).expect("a file"), "mine");
    std::os::unix::fs::symlink("nowhere.pml", folder.0.join("link.pml")).expect("a link");
    assert_eq!(code(&new(&["promela", "lock", "link.pml"])), 2);
    assert!(!folder.0.join("nowhere.pml").exists());
    for wrong in ["a.csp", "a.txt", "no/such/folder/a.pml", "folder/", "a\u{1b}[2J"] {
        let output = new(&["promela", "lock", wrong]);
        assert_eq!(code(&output), 2, "{wrong}");
        assert!(!err(&output).contains('\u{1b}'), "{wrong}");
    }
    let unknown = new(&["csp", "readers"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("readers-writers"), "{}", err(&unknown));
    assert_eq!(code(&new(&["pml", "Leader_Election", "ring.pml"])), 0);
}
