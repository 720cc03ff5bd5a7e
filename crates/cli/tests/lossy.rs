//! `fairly check --lossy`: faults of systems whose states do not fit into memory.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::{code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn fairly(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).env("NO_COLOR", "1").stdin(Stdio::null()).current_dir(root());
    command.output().expect("the binary runs")
}

/// A file that is removed after the test.
struct Model(PathBuf);

impl Model {
    fn new(name: &str, text: &str) -> Model {
        let path = std::env::temp_dir().join(format!("fairly-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("written");
        Model(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// 810,000 states, of which an exact search meets 456,000 before it comes to the error.
const RINGS: &str = "byte a, b, c, d;
    active proctype A() { do :: a = (a + 1) % 30 od }
    active proctype B() { do :: b = (b + 1) % 30 od }
    active proctype C() { do :: c = (c + 1) % 30 od }
    active proctype D() { do :: d = (d + 1) % 30 od }
    active proctype Watch() { (a == 19 && b == 7 && c == 23 && d == 11) -> assert(false) }";

/// The same in CSP#.
const CSP_RINGS: &str =
    "var a:{0..29} = 0; var b:{0..29} = 0; var c:{0..29} = 0; var d:{0..29} = 0;
    A() = up.1{a = (a + 1) % 30} -> A();
    B() = up.2{b = (b + 1) % 30} -> B();
    C() = up.3{c = (c + 1) % 30} -> C();
    D() = up.4{d = (d + 1) % 30} -> D();
    System() = A() ||| B() ||| C() ||| D();
    #define met a == 19 && b == 7 && c == 23 && d == 11;
    #assert System() reaches met;";

#[test]
fn an_error_is_found_in_memory_that_the_states_do_not_fit_into() {
    let promela = Model::new("rings.pml", RINGS);
    let csp = Model::new("rings.csp", CSP_RINGS);
    for (path, found) in [(promela.path(), 1), (csp.path(), 0)] {
        let asked = |more: &[&str]| {
            let question = if found == 1 { "assertions" } else { "reaches" };
            fairly(&[&["check", "-p", question, "--max-memory", "2M", path], more].concat())
        };
        let exact = asked(&[]);
        assert_eq!(code(&exact), 3, "{}", out(&exact));
        assert!(out(&exact).contains("unknown: stopped at the memory limit of 2 MiB"));
        let lossy = asked(&["--lossy", "bits", "-v"]);
        assert_eq!(code(&lossy), found, "{}{}", out(&lossy), err(&lossy));
        assert!(out(&lossy).contains("lossy: 3 bits a state in 1024 KiB\n"), "{}", out(&lossy));
        // 19 + 7 + 23 + 11 steps, and the two of the one that watches.
        let steps = if found == 1 { "        62  " } else { "        60  " };
        assert!(out(&lossy).contains(steps), "{}", out(&lossy));
    }
}

#[test]
fn nothing_found_is_unknown_with_what_was_left_out() {
    let file = "examples/promela/elevator.pml";
    for keep in
        ["fingerprints", "fingerprints=32", "fingerprints=64", "bits", "bits=64K", "bits=40"]
    {
        let output = fairly(&["check", "-p", "assertions", "--lossy", keep, file]);
        assert_eq!(code(&output), 3, "{}{}", out(&output), err(&output));
        assert!(out(&output).contains("% chance of any"), "{}", out(&output));
        let output =
            fairly(&["check", "-p", "assertions", "--format", "json", "--lossy", keep, file]);
        let answers: Vec<Value> = serde_json::from_str(&out(&output)).expect("JSON");
        let stamp = &answers[0]["stamp"];
        assert_eq!(answers[0]["outcome"], "unknown");
        assert_eq!(stamp["exhaustive"], false);
        let lossy = &stamp["lossy"];
        let chance = lossy["omission_probability"].as_f64().expect("a number");
        match keep {
            "bits=40" => {
                assert!(chance > 0.99 && stamp["states"].as_u64() < Some(400), "{answers:?}");
            }
            _ => assert!(chance < 0.1 && stamp["states"] == 4719, "{answers:?}"),
        }
    }
}

#[test]
fn what_is_found_is_found_in_either_language() {
    let output = fairly(&["check", "--lossy", "fingerprints", "examples/csp/philosophers.csp"]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("FAIL  College() deadlockfree"), "{}", out(&output));
    assert!(out(&output).contains("  ??  College() |= []<> eat.0\n"), "{}", out(&output));
    let faults = fairly(&["check", "--lossy", "fingerprints", "examples/csp/faults.csp"]);
    assert!(out(&faults).contains("FAIL  Walk runs without errors"), "{}", out(&faults));
    assert_eq!(code(&faults), 1);
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    let file = "examples/promela/peterson.pml";
    for (arguments, said) in [
        (&["--lossy", "fingerprints=16"][..], "a fingerprint has 32 or 64 bits"),
        (&["--lossy", "all"], "neither `fingerprints` nor `bits`"),
        (&["--lossy", "bits=4X"], "no unit"),
        (&["--lossy", "bits=4M", "--max-memory", "4M"], "leaves nothing of --max-memory"),
        (&["--lossy", "bits", "--fairness", "weak"], "cannot be used with"),
        (&["--lossy", "bits", "--ladder"], "cannot be used with"),
        (&["--lossy", "bits", "--feasible"], "cannot be used with"),
        (&["--lossy", "bits", "--report", "table"], "cannot be used with"),
        (&["--lossy", "bits", "--spin-compat"], "cannot be used with"),
    ] {
        let output = fairly(&[&["check", file], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
    let output = fairly(&["check", "--lossy", "bits", "corpus/systems/c02-semaphore.net"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("for models in CSP# and Promela"), "{}", err(&output));
}

#[test]
fn time_is_kept() {
    let rings = Model::new("long.pml", &RINGS.replace("30", "200"));
    let output = fairly(&["check", "--lossy", "bits", "--timeout", "0.01", rings.path()]);
    assert_eq!(code(&output), 3, "{}", out(&output));
    // On a busy machine the time is over while the model is read, which is said on stderr.
    let said = out(&output) + &err(&output);
    assert!(said.contains("unknown: stopped after "), "{said}");
}
