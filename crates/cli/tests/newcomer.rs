//! The path of a newcomer, in an empty folder, and what else happens there: traces, simulation, pictures,
//! an interrupted search.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, code, err, out};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "100");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn fairly(folder: &Folder, arguments: &[&str], stdin: &str) -> Output {
    let mut child = command(&folder.0, arguments).spawn().expect("the binary runs");
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// The command that the output suggests, as arguments.
fn next(output: &Output) -> Vec<String> {
    let text = out(output);
    let suggested: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("next: fairly ")).collect();
    assert_eq!(suggested.len(), 1, "one suggestion: {text}");
    suggested[0].split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect()
}

fn follow(folder: &Folder, output: &Output) -> Output {
    let words = next(output);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    fairly(folder, &words, "")
}

#[test]
fn suggestions_lead_from_a_new_model_to_the_one_assumption() {
    for (language, assumption) in [("promela", "sf(Worker[0])"), ("csp", "sf(Worker(0))")] {
        let folder = Folder::new(&format!("new-{language}"));
        let written = fairly(&folder, &["new", language], "");
        assert_eq!(code(&written), 0, "{}", err(&written));
        let fails = follow(&folder, &written);
        assert_eq!(code(&fails), 1, "{}", err(&fails));
        let text = out(&fails);
        assert!(text.contains("waits for ever"), "{text}");
        assert!(text.contains(&format!("{assumption} excludes this run.")), "{text}");
        let holds = follow(&folder, &fails);
        assert_eq!(code(&holds), 0, "{}", out(&holds));
        assert!(out(&holds).contains("under process-level strong fairness"), "{}", out(&holds));
        let least = follow(&folder, &holds);
        assert_eq!(code(&least), 0, "{}", err(&least));
        assert!(out(&least).lines().any(|line| line.trim() == assumption), "{}", out(&least));
        // Existing files are not written over.
        assert_eq!(code(&fairly(&folder, &["new", language], "")), 2);
    }
}

#[test]
fn a_new_model_has_about_twenty_lines() {
    for text in [include_str!("../src/new/lock.pml"), include_str!("../src/new/lock.csp")] {
        assert!((15..=22).contains(&text.lines().count()));
        assert!(text.lines().all(|line| line.chars().count() <= 100));
    }
}

#[test]
fn a_saved_run_is_shown_verified_and_converted() {
    let folder = Folder::new("traces");
    fairly(&folder, &["new", "promela"], "");
    let weak = fairly(&folder, &["check", "--fairness", "weak", "lock.pml"], "");
    assert_eq!(code(&weak), 1);
    let file = ".fairly/lock.served.itf.json";
    let shown = fairly(&folder, &["trace", "show", file], "");
    assert!(out(&shown).contains("repeat from 2"), "{}", out(&shown));
    let verified = fairly(&folder, &["trace", "verify", file], "");
    assert_eq!(code(&verified), 0, "{}", err(&verified));
    assert!(
        out(&verified).contains("violates served, under process-level weak fairness"),
        "{}",
        out(&verified)
    );
    let convert = |to: &str| out(&fairly(&folder, &["trace", "convert", "--to", to, file], ""));
    assert!(convert("mermaid").starts_with("sequenceDiagram\n"));
    assert!(convert("mermaid").contains("    loop for ever\n"));
    assert!(convert("plantuml").contains("loop for ever\n"));
    assert!(convert("dot").contains("s4 -> s1"), "{}", convert("dot"));
    assert!(
        convert("markdown").contains("| loop | 2 | Worker\\[1\\] |"),
        "{}",
        convert("markdown")
    );

    // Of another model it is no run.
    let text = std::fs::read_to_string(folder.0.join("lock.pml")).expect("the model");
    let other = text.replace("free = true                      //", "free = free; free = true //");
    std::fs::write(folder.0.join("other.pml"), other).expect("another model");
    let other = fairly(&folder, &["trace", "verify", "--model", "other.pml", file], "");
    assert_eq!(code(&other), 1, "{}{}", out(&other), err(&other));
    assert!(out(&other).starts_with("not verified: "), "{}", out(&other));
    // And what is no trace is refused.
    assert_eq!(code(&fairly(&folder, &["trace", "show", "lock.pml"], "")), 2);
}

#[test]
fn a_run_is_made_step_by_step() {
    let folder = Folder::new("sim");
    fairly(&folder, &["new", "promela"], "");
    let text = out(&fairly(&folder, &["sim", "lock.pml"], "1\n2\n2\n1\nu\nt\nnonsense\n9\nq\n"));
    assert!(text.contains("Worker[0]   enabled for 1 step, not taken"), "{text}");
    assert!(text.contains("`nonsense` is no command"), "{text}");
    assert!(text.contains("there is no step 9 here"), "{text}");
    assert!(text.contains("3  Worker[1]  free; free = false"), "{text}");

    let random =
        |seed: &str| out(&fairly(&folder, &["sim", "--random", "--seed", seed, "lock.pml"], ""));
    assert_eq!(random("5"), random("5"));
    assert_ne!(random("5"), random("6"));

    fairly(&folder, &["check", "lock.pml"], "");
    let along = ["sim", "--along", ".fairly/lock.served.itf.json", "lock.pml"];
    let text = out(&fairly(&folder, &along, "\n\n\n\n\n\n\nt\n"));
    assert!(text.contains("7  Worker[1]  free; free = false"), "{text}");
}

#[test]
fn a_small_state_space_is_drawn() {
    let folder = Folder::new("graph");
    fairly(&folder, &["new", "promela"], "");
    let draw = |to: &str| fairly(&folder, &["graph", "--to", to, "lock.pml"], "");
    assert!(out(&draw("dot")).contains("fillcolor=palegreen"));
    assert!(out(&draw("aut")).starts_with("des (0, 20, 12)\n"));
    assert!(out(&draw("mermaid")).starts_with("stateDiagram-v2\n"));
    let hoa = out(&draw("hoa"));
    let stats = fairly(&folder, &["aut", "stats", "-"], &hoa);
    assert_eq!(code(&stats), 0, "{}", err(&stats));
    let large = fairly(&folder, &["graph", "--max-states", "3", "lock.pml"], "");
    assert_eq!((code(&large), out(&large).as_str()), (3, ""));
    assert!(err(&large).contains("more than 3 states"), "{}", err(&large));
}

#[test]
#[cfg(unix)]
fn an_interrupted_search_says_what_it_learned() {
    let folder = Folder::new("interrupted");
    std::fs::write(folder.0.join("large.pml"), LARGE).expect("a model");
    let check = ["check", "-p", "small", "large.pml"];
    let child = command(&folder.0, &check).spawn().expect("the binary runs");
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let since = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(since.elapsed() < Duration::from_secs(20));
    assert_eq!(code(&output), 3, "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("unknown: interrupted"), "{}", out(&output));
}

/// A model too large to be searched to its end in a test.
#[cfg(unix)]
const LARGE: &str = "byte a, b, c, d;\n\
                     active proctype P() { do :: a++ :: b++ :: c++ :: d++ :: a + b + c + d == 1020 -> a = 0 od }\n\
                     ltl small { [] (a < 256) }\n";

#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
}

#[test]
#[cfg(unix)]
fn a_lossy_search_is_interrupted_like_any_other() {
    let folder = Folder::new("interrupted-lossy");
    std::fs::write(folder.0.join("large.pml"), LARGE).expect("a model");
    let check = ["check", "--lossy", "bits", "--max-memory", "256M", "large.pml"];
    let child = command(&folder.0, &check).spawn().expect("the binary runs");
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 3, "{}{}", out(&output), err(&output));
    let text = out(&output);
    assert!(text.contains("unknown: interrupted after "), "{text}");
    // Results so far are reported all the same.
    assert!(text.contains("states expected"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_second_interrupt_quits() {
    let folder = Folder::new("interrupted-twice");
    std::fs::write(folder.0.join("large.pml"), LARGE).expect("a model");
    let child = command(&folder.0, &["check", "large.pml"]).spawn().expect("the binary runs");
    std::thread::sleep(Duration::from_millis(1000));
    interrupt(&child);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    // Either the second came while the first was being obeyed, or everything had been told by then.
    assert!([130, 3].contains(&code(&output)), "{}{}", out(&output), err(&output));
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = Folder::new("pages");
    for shell in ["bash", "zsh", "fish"] {
        let text = out(&fairly(&folder, &["completions", shell], ""));
        assert!(text.contains("ladder") && text.contains("least"), "{shell}");
    }
    assert!(out(&fairly(&folder, &["man"], "")).contains(".TH fairly 1"));
    assert_eq!(code(&fairly(&folder, &["man", "--to", "."], "")), 0);
    assert!(folder.0.join("fairly-check.1").exists());
}

#[test]
fn settings_come_before_the_environment_and_flags_last() {
    let folder = Folder::new("settings");
    fairly(&folder, &["new", "promela"], "");
    let settings = "[check]\nfairness = \"weak\"\n\n[[model]]\nfile = \"lock.pml\"\n\
                    expect = { served = \"violated\" }\n";
    std::fs::write(folder.0.join("fairly.toml"), settings).expect("settings");
    // A model that is known to be bad is a test that passes.
    let all = fairly(&folder, &["check"], "");
    assert_eq!(code(&all), 0, "{}{}", out(&all), err(&all));
    assert!(out(&all).contains("under process-level weak fairness"), "{}", out(&all));
    assert!(out(&all).contains("as expected: violated"), "{}", out(&all));
    let flags = fairly(&folder, &["check", "--fairness", "strong", "lock.pml"], "");
    assert_eq!(code(&flags), 1, "{}", out(&flags));
    assert!(out(&flags).contains("NOT as expected: violated"), "{}", out(&flags));
    let expecting = ["check", "--fairness", "strong", "--expect", "holds", "lock.pml"];
    assert_eq!(code(&fairly(&folder, &expecting, "")), 0);
    let environment = command(&folder.0, &["lock.pml"])
        .env("FAIRLY_FAIRNESS", "strong")
        .output()
        .expect("the binary runs");
    assert!(out(&environment).contains("under process-level strong"), "{}", out(&environment));
    let both = command(&folder.0, &["lock.pml", "--fairness", "none"])
        .env("FAIRLY_FAIRNESS", "strong")
        .output()
        .expect("the binary runs");
    assert!(out(&both).contains("under no fairness"), "{}", out(&both));
    std::fs::write(folder.0.join("fairly.toml"), "[chekc]\n").expect("settings");
    let wrong = fairly(&folder, &["lock.pml"], "");
    assert_eq!(code(&wrong), 2);
    assert!(err(&wrong).contains("neither [check] nor [[model]]"), "{}", err(&wrong));
}

#[test]
fn a_report_warns_of_what_is_assumed_or_written_in_vain() {
    let folder = Folder::new("lint");
    let model = "bool x, y;\nactive proctype P() { do :: x = !x :: y -> x = true od }\n\
                 ltl often { [] <> x }\n";
    std::fs::write(folder.0.join("m.pml"), model).expect("a model");
    let strong = out(&fairly(&folder, &["check", "--fairness", "strong", "m.pml"], ""));
    assert!(strong.contains("it holds without any fairness"), "{strong}");
    assert!(strong.contains("never executed: line 2: x = true; line 2: y"), "{strong}");
    let two = "bool x, z;\nactive proctype P() { do :: x = !x od }\n\
               active proctype Q() { do :: z = !z od }\nltl often { [] <> x }\n";
    std::fs::write(folder.0.join("two.pml"), two).expect("a model");
    let strong = out(&fairly(&folder, &["check", "--fairness", "strong", "two.pml"], ""));
    assert!(strong.contains("it holds under weak fairness of processes, too"), "{strong}");
    assert!(strong.contains("next: fairly least"), "{strong}");

    // Where nothing needs to be assumed, less is not looked for.
    let alone = "bool x;\nactive proctype P() { do :: x = !x od }\nltl often { [] <> x }\n";
    std::fs::write(folder.0.join("alone.pml"), alone).expect("a model");
    let strong = out(&fairly(&folder, &["check", "--fairness", "strong", "alone.pml"], ""));
    assert!(!strong.contains("next: fairly least"), "{strong}");
}

#[test]
fn what_csp_never_executes_is_listed() {
    let folder = Folder::new("coverage");
    let model = "var x = 0;\nP() = a -> P() [] [x > 0] b{x = 2} -> c -> P();\n\
                 Q() = a -> Q() [] d -> Q();\n#alphabet P {a, b, c, d};\n\
                 System() = P() || Q();\n#assert System() deadlockfree;\n";
    std::fs::write(folder.0.join("m.csp"), model).expect("a model");
    let text = out(&fairly(&folder, &["m.csp"], ""));
    let said = "never executed: line 2: b{x = 2}; line 2: c; line 3: d";
    assert!(text.contains(said), "{text}");
    // Joint actions of parts of one process are known by one of them, and are executed by both.
    let joint = "R() = start -> (A() || A()); A() = go -> Skip;\n#assert R() deadlockfree;\n";
    std::fs::write(folder.0.join("joint.csp"), joint).expect("a model");
    let text = out(&fairly(&folder, &["joint.csp"], ""));
    assert!(!text.contains("never executed"), "{text}");
}

#[test]
fn a_sentence_says_what_a_run_waits_for() {
    let folder = Folder::new("sentences");
    let model = "bool p, q;\nactive proctype P() { p = true; do :: q = !q od }\n";
    std::fs::write(folder.0.join("m.pml"), model).expect("a model");
    let said = |formula: &str| {
        let report = out(&fairly(&folder, &["check", "-f", formula, "m.pml"], ""));
        report.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (formula, sentence) in [
        ("[] (p -> <> !p)", "`p` is true at step 2, and `!p` never becomes true from there on."),
        ("[] <> !p", "`!p` is true for the last time at step 1, and never again."),
        ("<> (p && q && !p)", "never becomes true."),
        ("<> [] q", "`q` does not stay: it is false at step"),
        ("[] !q", "`!q` is false after step 2."),
        ("[] (p -> !q)", "is false after step 2."),
        ("[] p && [] <> q", "`p` is false at the start."),
    ] {
        assert!(said(formula).contains(sentence), "{formula}: {}", said(formula));
    }
    // An error after finitely many steps is no matter of fairness.
    assert!(
        said("[] !q").contains("Whatever follows, the property stays violated"),
        "{}",
        said("[] !q")
    );
    assert!(!said("[] !q").contains("excludes this run"), "{}", said("[] !q"));
    assert!(!said("[] <> !p").contains("Whatever follows"), "{}", said("[] <> !p"));
}

#[test]
fn components_are_coloured_by_the_runs_that_stay() {
    let folder = Folder::new("colours");
    // P can always leave, or only now and then, or has left.
    let always = "bool gone;\nactive proctype P() { gone = true }\n\
                  active proctype Q() { bool x; do :: x = !x od }\n";
    let sometimes = "bool gone, x;\nactive proctype P() { x -> gone = true }\n\
                     active proctype Q() { do :: x = !x od }\n";
    let colours = |model: &str| {
        std::fs::write(folder.0.join("m.pml"), model).expect("a model");
        let dot = out(&fairly(&folder, &["graph", "m.pml"], ""));
        ["gray85", "khaki1", "palegreen"]
            .map(|colour| dot.matches(&format!("={colour}]")).count() > 0)
    };
    assert_eq!(colours(always), [true, false, true]);
    assert_eq!(colours(sometimes), [true, true, true]);
}

#[test]
fn the_run_to_a_deadlock_is_kept_too() {
    let folder = Folder::new("deadlock");
    let model = "chan c = [0] of { bit };\nactive proctype P() { bool x; x = true; c!1 }\n";
    std::fs::write(folder.0.join("m.pml"), model).expect("a model");
    let output = fairly(&folder, &["m.pml"], "");
    assert_eq!(code(&output), 1);
    let shown = follow(&folder, &output);
    assert!(out(&shown).contains("deadlock: nothing is enabled"), "{}", out(&shown));
    let file = ".fairly/m.end-states.itf.json";
    let verified = fairly(&folder, &["trace", "verify", file], "");
    assert_eq!(code(&verified), 0, "{}{}", out(&verified), err(&verified));
    let said = "its step is possible, and nothing is enabled in its last state";
    assert!(out(&verified).contains(said), "{}", out(&verified));
    // The same steps lead to no deadlock where a process receives.
    let receiver = format!("{model}active proctype Q() {{ c?_ }}\n");
    std::fs::write(folder.0.join("m.pml"), &receiver).expect("a model");
    let text = std::fs::read_to_string(folder.0.join(file)).expect("the trace");
    let described = out(&fairly(&folder, &["sim", "m.pml"], "1\nq\n"));
    let end = described.lines().rfind(|line| line.contains("step 2")).expect("a state");
    let start = described.lines().next().expect("a state");
    let state = |line: &str| line.split_once("   ").expect("a state").1.to_owned();
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    value["states"][0]["state"] = state(start).into();
    value["states"][1]["state"] = state(end).into();
    std::fs::write(folder.0.join(file), value.to_string()).expect("the trace");
    let refuted = fairly(&folder, &["trace", "verify", file], "");
    assert_eq!(code(&refuted), 1, "{}{}", out(&refuted), err(&refuted));
    assert!(out(&refuted).contains("it is no deadlock"), "{}", out(&refuted));
}

#[test]
fn trails_of_spin_are_read_and_written() {
    let folder = Folder::new("trails");
    fairly(&folder, &["new", "promela"], "");
    fairly(&folder, &["check", "--fairness", "weak", "lock.pml"], "");
    let file = ".fairly/lock.served.itf.json";
    let written = fairly(&folder, &["trace", "convert", "--to", "trail", file], "");
    assert_eq!(code(&written), 0, "{}", err(&written));
    std::fs::write(folder.0.join("lock.pml.trail"), out(&written)).expect("a trail");
    // It is the same run.
    let table = |text: String| -> Vec<String> {
        let steps = text.lines().skip_while(|line| !line.contains("step  who"));
        steps.map(str::to_owned).collect()
    };
    let shown = fairly(&folder, &["trace", "show", "lock.pml.trail"], "");
    assert_eq!(code(&shown), 0, "{}", err(&shown));
    assert_eq!(table(out(&shown)), table(out(&fairly(&folder, &["trace", "show", file], ""))));
    let verify = ["trace", "verify", "-p", "served", "lock.pml.trail"];
    let verified = fairly(&folder, &verify, "");
    assert!(out(&verified).contains("the run violates served"), "{}", out(&verified));
    let verify = ["trace", "verify", "-p", "exclusive", "lock.pml.trail"];
    assert_eq!(code(&fairly(&folder, &verify, "")), 1);
    // A file that is no trail, is of another model, or of another language is refused with a code or a
    // sentence.
    for (text, code_of) in [("hello\n", "E1185"), ("-5:1:1\n", "E1186"), ("1:0:99\n", "E1187")] {
        std::fs::write(folder.0.join("lock.pml.trail"), text).expect("a trail");
        let wrong = fairly(&folder, &["trace", "show", "lock.pml.trail"], "");
        assert_eq!(code(&wrong), 2, "{}", out(&wrong));
        assert!(err(&wrong).contains(code_of), "{}", err(&wrong));
    }
    std::fs::write(folder.0.join("other.trail"), "1:0:1\n").expect("a trail");
    let lost = fairly(&folder, &["trace", "show", "other.trail"], "");
    assert!(err(&lost).contains("name it with --model"), "{}", err(&lost));
    fairly(&folder, &["new", "csp"], "");
    fairly(&folder, &["check", "lock.csp"], "");
    let runs = std::fs::read_dir(folder.0.join(".fairly")).expect("traces");
    let names = runs.map(|entry| entry.expect("one").path().to_string_lossy().into_owned());
    let csp = names.into_iter().find(|name| name.contains("System")).expect("a trace of CSP#");
    let refused = fairly(&folder, &["trace", "convert", "--to", "trail", &csp], "");
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("only runs of Promela"), "{}", err(&refused));
}

#[test]
fn what_is_no_model_is_said_to_be_none() {
    let folder = Folder::new("strange");
    std::fs::write(folder.0.join("empty.pml"), "").expect("a file");
    std::fs::write(folder.0.join("idle.pml"), "proctype P() { skip }").expect("a file");
    std::fs::write(folder.0.join("binary.pml"), [0xff, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x00])
        .expect("a file");
    std::fs::create_dir_all(folder.0.join("folder.pml")).expect("a folder");
    for (file, expected, said) in [
        ("empty.pml", 4, "no process is started"),
        ("idle.pml", 4, "no process is started"),
        ("folder.pml", 4, "has no model in it"),
        ("missing.pml", 2, "cannot read missing.pml"),
        ("missing.txt", 2, "cannot read missing.txt"),
        ("no/such", 2, "cannot read no/such"),
        ("binary.pml", 2, "E0006"),
    ] {
        let output = fairly(&folder, &[file], "");
        assert_eq!(code(&output), expected, "{file}: {}{}", out(&output), err(&output));
        assert!(err(&output).contains(said), "{file}: {}", err(&output));
        assert!(!err(&output).contains('\u{1b}'), "{file}");
    }
}

#[test]
#[cfg(unix)]
fn whoever_stops_reading_is_no_reason_to_panic() {
    let folder = Folder::new("pipe");
    fairly(&folder, &["new", "promela"], "");
    for arguments in ["lock.pml", "explain strong", "man", "graph lock.pml", "--help"] {
        let binary = env!("CARGO_BIN_EXE_fairly");
        let script = format!("{{ '{binary}' {arguments}; echo \"code $?\" >&2; }} | true");
        let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output();
        let output = output.expect("there is a shell");
        assert!(!err(&output).contains("panicked"), "{arguments}: {}", err(&output));
        assert!(!err(&output).contains("code 70"), "{arguments}: {}", err(&output));
    }
}

#[test]
fn every_run_that_is_kept_can_be_verified() {
    let folder = Folder::new("kept");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut files, mut verified) = (Vec::new(), 0);
    for name in ["corpus/systems", "examples/csp"] {
        let entries = std::fs::read_dir(root.join(name)).expect("models");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    files.sort();
    for file in files {
        let file = file.to_string_lossy().into_owned();
        fairly(&folder, &["check", "--fairness", "weak", "--timeout", "5", &file], "");
        let Ok(entries) = std::fs::read_dir(folder.0.join(".fairly")) else { continue };
        for entry in entries {
            let trace = entry.expect("an entry").path();
            if !trace.to_string_lossy().ends_with(".json") {
                continue;
            }
            let name = trace.to_string_lossy().into_owned();
            let answer = fairly(&folder, &["trace", "verify", &name], "");
            assert_eq!(code(&answer), 0, "{file}: {name}: {}{}", out(&answer), err(&answer));
            verified += 1;
            std::fs::remove_file(trace).expect("it is ours");
        }
    }
    assert!(verified > 60, "{verified}");
}

#[test]
fn a_language_can_be_named_where_a_file_does_not() {
    let folder = Folder::new("lang");
    let model = include_str!("../src/new/lock.pml");
    let piped = fairly(&folder, &["check", "--lang", "promela", "-p", "exclusive", "-"], model);
    assert_eq!(code(&piped), 0, "{}", err(&piped));
    std::fs::write(folder.0.join("lock.txt"), include_str!("../src/new/lock.csp"))
        .expect("a model");
    let named = fairly(&folder, &["lock.txt", "--lang", "csp", "-p", "1"], "");
    assert_eq!(code(&named), 0, "{}", err(&named));
}
