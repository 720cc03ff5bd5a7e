//! The command as a person runs it: what it prints, where, and how it exits.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::common::{code, err, out};

fn corpus(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    root.join(path).to_string_lossy().into_owned()
}

fn fairly(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_lasso_is_printed_and_explained() {
    let output = fairly(&["aut", "empty", &corpus("automata/streett-3-nonempty.hoa")], "");
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(text.starts_with("not empty"), "{text}");
    assert!(text.contains("word  ") && text.contains("cycle{"), "{text}");
    assert!(text.contains("accepted, because"), "{text}");
    assert_eq!(err(&output), "");

    let output = fairly(&["aut", "empty", &corpus("automata/streett-3-empty.hoa")], "");
    assert_eq!(code(&output), 0);
    assert!(out(&output).starts_with("empty"));
}

#[test]
fn operations_compose_in_a_pipe() {
    let file = corpus("automata/nondeterministic-buchi-6.hoa");
    let complement = fairly(&["aut", "complement", &file], "");
    assert_eq!(code(&complement), 0, "{}", err(&complement));
    let both = fairly(&["aut", "intersect", "-", &file], &out(&complement));
    assert_eq!(code(&both), 0, "{}", err(&both));
    assert_eq!(code(&fairly(&["aut", "empty", "-"], &out(&both))), 0);
    assert_eq!(code(&fairly(&["aut", "includes", &file, &file], "")), 0);
    let differ = fairly(&["aut", "equivalent", &file, "-"], &out(&complement));
    assert_eq!(code(&differ), 1);
    assert!(out(&differ).contains("accepts this word"), "{}", out(&differ));
}

#[test]
fn a_word_is_read_back() {
    let file = corpus("automata/streett-3-nonempty.hoa");
    let text = out(&fairly(&["aut", "empty", &file], ""));
    let word = text.lines().find_map(|line| line.trim().strip_prefix("word  ")).expect("a word");
    assert_eq!(code(&fairly(&["aut", "accepts", &file, word], "")), 0, "{word}");
}

#[test]
fn bad_input_is_shown_with_a_caret_and_nothing_on_stdout() {
    let output = fairly(&["aut", "reduce", &corpus("automata/bad/E0207-unknown-mark.hoa")], "");
    assert_eq!(code(&output), 2);
    assert_eq!(out(&output), "");
    let text = err(&output);
    assert!(text.contains("error[E0207]") && text.contains("^"), "{text}");

    let output = fairly(&["aut", "stats", "-"], "HOA: v1\nStates: 1000000000\n");
    assert_eq!(code(&output), 2, "{}", err(&output));
    let output = fairly(&["aut", "stats", "/nowhere/at/all"], "");
    assert_eq!(code(&output), 2);
    let output = fairly(&["aut", "stats", "-", "-"], "");
    assert_eq!(code(&output), 2);
}

#[test]
fn a_limit_that_is_reached_is_unknown() {
    let file = corpus("automata/nondeterministic-buchi-6.hoa");
    let output = fairly(&["aut", "determinize", "--max-states", "1", &file], "");
    assert_eq!(code(&output), 3, "{}", err(&output));
    assert_eq!(out(&output), "");
    assert!(err(&output).starts_with("unknown: "), "{}", err(&output));
}

#[test]
fn an_engine_that_cannot_decide_says_so() {
    let file = corpus("automata/rabin-2.hoa");
    let output = fairly(&["aut", "empty", "--engine", "scc", &file], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("cannot decide"), "{}", err(&output));
}

#[test]
fn a_formula_that_ends_too_early_has_its_caret_under_the_end() {
    let output = fairly(&["ltl", "a U"], "");
    assert_eq!(code(&output), 2);
    let text = err(&output);
    assert!(text.contains("1 | a U\n  |    ^"), "{text}");
}

#[test]
fn twenty_premises_cost_two_states_at_the_most() {
    let premises: Vec<String> = (1..=20).map(|at| format!("GF p{at}")).collect();
    let formula = format!("!(({}) -> GF q)", premises.join(" && "));
    let output = fairly(&["ltl", &formula, "--to", "hoa"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let states = out(&output)
        .lines()
        .find_map(|line| line.strip_prefix("States: ").map(str::to_owned))
        .expect("a number of states");
    assert!(states.parse::<u32>().expect("a number") <= 2, "{states}");
}

#[test]
fn the_semaphore_tells_weak_from_strong() {
    let file = corpus("systems/c02-semaphore.net");
    let output = fairly(&["check", "--fairness", "weak", &file], "");
    assert_eq!(code(&output), 1, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("wf(P1)   enabled 1/2, taken 0"), "{text}");
    assert!(text.contains("Checked again with sf(P1): the property holds."), "{text}");
    let output = fairly(&["check", "--fairness", "strong", "-v", &file], "");
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("feasible · machine closed"), "{}", out(&output));
    let output = fairly(&["check", "--fairness", "strong", "--max-states", "1", &file], "");
    assert_eq!(code(&output), 3, "{}", out(&output));
    let output = fairly(&["check", "-f", "G F q9", &file], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("error[E0801]"), "{}", err(&output));
}

/// One event again and again, and a condition on the component's own runs that only the other state
/// meets; `names` are the names of the two states.
fn own_condition(names: [&str; 2]) -> String {
    format!(
        "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0 {}\n[0&!1] 0\n[!0&1] 1\nState: 1 {} {{0}}\n[!0&1] 1\n--END--\n",
        names[0], names[1]
    )
}

#[test]
fn a_components_own_condition_does_not_depend_on_names() {
    for (file, names) in [
        ("plain", ["", ""]),
        ("at@1", ["", ""]),
        ("twice", ["\"q\"", "\"q\""]),
        ("sp", ["", "\" q \""]),
    ] {
        let path = format!("{}/{file}.hoa", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, own_condition(names)).expect("written");
        let holds = fairly(&["check", &path, "-f", "F b"], "");
        assert_eq!(code(&holds), 0, "{file}: {}", out(&holds));
        assert!(!out(&holds).contains("INFEASIBLE"), "{file}: {}", out(&holds));
        assert_eq!(code(&fairly(&["check", &path, "-f", "F a"], "")), 1, "{file}");
    }
}

#[test]
fn a_reader_that_leaves_does_not_change_the_answer() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "--fairness", "weak", &corpus("systems/c02-semaphore.net")])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn machine_closure_is_asked_of_the_notion_that_was_chosen() {
    let net = "component P {\n  initial 0\n  0 -c-> 0\n}\n";
    let ask = ["check", "-", "--machine-closed", "--constraint", "compassion(c, false)"];
    let global = fairly(&[&ask[..], &["--fairness", "global"]].concat(), net);
    assert_eq!(code(&global), 1, "{}", out(&global));
    assert!(out(&global).starts_with("infeasible"), "{}", out(&global));
}

#[test]
fn combinations_that_cannot_be_built_are_refused() {
    let net: String = (0..40)
        .map(|at| format!("component C{at} {{\n  initial 0, 1\n  0 -e{at}-> 1\n}}\n"))
        .collect();
    let output = fairly(&["check", "-", "-f", "G F e0", "--max-states", "10"], &net);
    assert_eq!(code(&output), 2, "{}", out(&output));
    assert!(err(&output).contains("combinations of initial states"), "{}", err(&output));
}

/// The automaton of many strong fairness premises is small, and can be asked about.
#[test]
fn many_premises_make_a_small_automaton() {
    let pairs: Vec<String> = (0..20).map(|at| format!("(GF p{at} -> GF q{at})")).collect();
    let formula = format!("!(({}) -> GF s)", pairs.join(" && "));
    let made = fairly(&["ltl", &formula, "--to", "hoa"], "");
    assert_eq!(code(&made), 0);
    let text = out(&made);
    assert!(text.contains("States: 21\n") && text.lines().count() < 120, "{text}");
    let empty = fairly(&["aut", "empty", "-"], &text);
    assert_eq!(code(&empty), 1, "there are fair runs");
    let shown = out(&empty);
    let word = shown.lines().find_map(|line| line.strip_prefix("  word  ")).expect("a word");
    let file = std::env::temp_dir().join(format!("fairly-premises-{}.hoa", std::process::id()));
    std::fs::write(&file, &text).expect("a file can be written");
    let path = file.to_str().expect("a plain path");
    assert_eq!(code(&fairly(&["aut", "accepts", path, word], "")), 0, "{word}");
    assert_eq!(code(&fairly(&["aut", "accepts", path, "cycle{s}"], "")), 1);
    assert_eq!(code(&fairly(&["aut", "accepts", path, "cycle{p3 & !q3}"], "")), 1);
    std::fs::remove_file(&file).expect("it was written");
    // Every condition, for as many premises as it can take.
    for kind in ["buchi", "generalized-buchi", "generic"] {
        let made =
            fairly(&["ltl", "(GF a -> GF b) & F c", "--to", "hoa", "--acceptance", kind], "");
        let whole = fairly(&["ltl", "(GF a -> GF b) & F c", "--to", "hoa"], "");
        let both = format!("{}{}", out(&made), out(&whole));
        assert_eq!(code(&fairly(&["aut", "equivalent", "-"], &both)), 0, "{kind}");
    }
}

/// Events are hidden, and it is said whether what is seen says enough; propositions are dropped.
#[test]
fn an_automaton_is_projected() {
    let decided = "des (0, 4, 2)\n(0, \"a\", 0)\n(0, \"b\", 0)\n(0, \"c\", 1)\n(1, \"a\", 1)\n";
    let seen = fairly(&["aut", "project", "--events", "--hide", "c"], decided);
    assert_eq!(code(&seen), 0, "{}", err(&seen));
    assert!(out(&seen).contains("State: 0 {0}\n[0&!1] 0\n[!0&1] 0\n--END--"), "{}", out(&seen));
    assert!(err(&seen).contains("not weakly continuation-closed: after c"), "{}", err(&seen));
    let asked = ["aut", "project", "--events", "--hide", "c", "--closed"];
    let answer = fairly(&asked, decided);
    assert_eq!(code(&answer), 1);
    assert!(
        out(&answer).starts_with("not weakly continuation-closed: after c"),
        "{}",
        out(&answer)
    );
    let open = decided.replace("(0, 4, 2)", "(0, 5, 2)") + "(1, \"d\", 0)\n";
    let hidden = ["aut", "project", "--events", "--hide", "c,d", "--closed", "--format", "json"];
    let answer = fairly(&hidden, &open);
    assert_eq!(code(&answer), 0, "{}", err(&answer));
    assert!(out(&answer).contains("\"closed\": true"), "{}", out(&answer));
    // Where nothing visible comes any more there is nothing to say.
    let ends = fairly(&["aut", "project", "--events", "--hide", "a,b"], decided);
    assert_eq!(code(&ends), 2);
    assert!(err(&ends).contains("no event comes that is not hidden"), "{}", err(&ends));
    let unknown = fairly(&["aut", "project", "--hide", "e"], decided);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("no proposition `e`"), "{}", err(&unknown));
    let formula = out(&fairly(&["ltl", "G (p -> F q)", "--to", "hoa"], ""));
    let dropped = fairly(&["aut", "project", "--hide", "q"], &formula);
    assert_eq!(code(&dropped), 0, "{}", err(&dropped));
    let all = out(&fairly(&["ltl", "G (p | !p)", "--to", "hoa"], ""));
    let both = format!("{}{all}", out(&dropped));
    assert_eq!(code(&fairly(&["aut", "equivalent", "-"], &both)), 0);
}

#[test]
fn one_bad_automaton_of_a_stream_is_left_out() {
    let file = corpus("automata/bad/E0223-second-of-three.hoa");
    let output = fairly(&["aut", "convert", &file], "");
    assert_eq!(code(&output), 2);
    assert_eq!(out(&output).matches("--END--").count(), 2);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("error[E0223]") && said.contains("of-three.hoa#2 is left out"), "{said}");
    // Where all are needed, nothing is made of the others.
    let output = fairly(&["aut", "union", &file], "");
    assert_eq!((code(&output), out(&output).len()), (2, 0));
}

/// A name in quotes is the proposition of that name, be it an event or a state proposition.
#[test]
fn a_quoted_name_is_the_proposition() {
    let file = corpus("systems/c23-live-philosophers.net");
    for (quoted, plain) in [
        ("G F \"eat.0\"", "G F eat.0"),
        ("G !\"deadlock\"", "G !deadlock"),
        ("F \"eat.0\" | G \"deadlock\"", "F eat.0 | G deadlock"),
    ] {
        let [quoted, plain] = [quoted, plain].map(|formula| {
            let output = fairly(&["check", "-f", formula, &file], "");
            assert!(!err(&output).contains("error["), "{formula}: {}", err(&output));
            code(&output)
        });
        assert_eq!(quoted, plain);
    }
    let output = fairly(&["check", "-f", "G F state(eat.0)", &file], "");
    assert!(err(&output).contains("error[E0801]"), "{}", err(&output));
    let output = fairly(&["ltl", "--to", "hoa", "\"a\" U \"a b\" & a"], "");
    assert!(out(&output).contains("AP: 2 \"a b\" \"a\"\n"), "{}", out(&output));
}
