//! Reports for people, at two widths, with and without colours, as snapshots to be read.
//!
//! After a change that is meant: `INSTA_UPDATE=always cargo test -p fairly-cli --test all reports::`, and read
//! the difference.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::{code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fairly(arguments: &[&str], width: usize, colour: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["--color", colour])
        .args(arguments)
        .current_dir(root())
        .env("COLUMNS", width.to_string())
        .env_remove("NO_COLOR")
        .output()
        .expect("the binary runs")
}

/// The text with all times equal.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_suffix(" s") {
        Some(before) => match before.rsplit_once(' ') {
            Some((rest, time)) if time.parse::<f64>().is_ok() => format!("{rest} 0.00 s"),
            _ => line.to_owned(),
        },
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Checks what is printed at both widths, with and without colours.
fn report(name: &str, arguments: &[&str], exit: i32) {
    for width in [80, 120] {
        let plain = fairly(arguments, width, "never");
        assert_eq!(code(&plain), exit, "{}{}", out(&plain), err(&plain));
        let text = timeless(&out(&plain));
        for line in text.lines() {
            let is_command = line.contains("fairly ") || line.contains("trace: ");
            assert!(is_command || line.chars().count() <= width, "{width}: {line}");
        }
        let coloured = timeless(&out(&fairly(arguments, width, "always")));
        assert_eq!(without_colours(&coloured), text, "colours change only colours");
        let shown = coloured.replace('\x1b', "␛");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}-{width}"), text);
            insta::assert_snapshot!(format!("{name}-{width}-coloured"), shown);
        });
    }
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

#[test]
fn a_starving_process() {
    report("starves", &["crates/cli/src/new/lock.pml"], 1);
}

#[test]
fn a_weakly_fair_run() {
    let arguments = ["check", "--fairness", "weak", "-p", "served", "crates/cli/src/new/lock.pml"];
    report("weakly-fair", &arguments, 1);
}

#[test]
fn a_property_that_holds_under_strong_fairness() {
    let file = "crates/cli/src/new/lock.pml";
    report("holds", &["check", "--fairness", "strong", "-p", "served", file], 0);
}

#[test]
fn assertions_of_csp() {
    report("csp", &["examples/csp/semaphore.csp"], 1);
}

#[test]
fn a_long_stem_is_folded() {
    let file = "examples/promela/needham_schroeder.pml";
    report("folded", &[file], 1);
}

#[test]
fn many_processes() {
    report(
        "many",
        &["check", "--fairness", "strong", "corpus/systems/c02-semaphore.net", "-f", "G p1"],
        1,
    );
}

#[test]
fn a_deadlock() {
    report("deadlock", &["examples/promela/lock_order.pml"], 1);
}

#[test]
fn a_doomed_prefix() {
    let file = "corpus/systems/c06-deadlock-is-fair.net";
    report("doomed", &["check", "--fairness", "inherent", file], 1);
}

#[test]
fn an_unknown() {
    let file = "corpus/systems/c02-semaphore.net";
    report("unknown", &["check", "--max-states", "1", file], 3);
}

#[test]
fn a_ladder_and_the_least() {
    report("ladder", &["ladder", "corpus/systems/c02-semaphore.net"], 0);
    report("least", &["least", "corpus/systems/c02-semaphore.net"], 0);
}

#[test]
fn several_models() {
    let files = ["crates/cli/src/new/lock.csp", "corpus/systems/c01-last-process.net"];
    report("several", &["check", "--fairness", "weak", files[0], files[1]], 1);
}

#[test]
fn a_globally_fair_run() {
    let file = "corpus/systems/c05-parallel-edges.net";
    report("global", &["check", "--fairness", "global", file], 1);
}

#[test]
fn an_assumption_that_is_not_machine_closed() {
    let file = "corpus/systems/c07-deadlock-ready.net";
    report("not-closed", &["check", "--fairness", "weak-live", file], 0);
    report("infeasible", &["check", "--fairness", "strong-live", file], 0);
}

#[test]
fn a_known_violation() {
    let file = "crates/cli/src/new/lock.csp";
    report("expected", &["check", "-p", "2", "--expect", "violated", file], 0);
}

#[test]
fn a_random_walk() {
    report("sim", &["sim", "--random", "--steps", "6", "crates/cli/src/new/lock.pml"], 0);
}

#[test]
fn ascii_has_the_same_columns() {
    let file = "crates/cli/src/new/lock.pml";
    let plain = out(&fairly(&["--ascii", file], 80, "never"));
    assert!(plain.is_ascii(), "{plain}");
    let signs = out(&fairly(&[file], 80, "never"));
    let widths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
    assert_eq!(widths(&timeless(&plain)), widths(&timeless(&signs)));
}
