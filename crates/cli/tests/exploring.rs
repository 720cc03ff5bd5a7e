//! `fairly sim` with stops, saved runs and the text of the model; `fairly graph` of parts and products.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{Folder, code, err, out};

fn fairly(folder: &Path, arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn with_lock(name: &str) -> Folder {
    let folder = Folder::new(name);
    for language in ["promela", "csp"] {
        assert_eq!(code(&fairly(&folder.0, &["new", language, "lock"], "")), 0);
    }
    folder
}

#[test]
fn a_simulation_stops_where_it_is_told_to() {
    let folder = with_lock("sim-stops");
    let sim = |input: &str| out(&fairly(&folder.0, &["sim", "lock.pml"], input));
    let at_line = sim("b 8\nc\nt\nq\n");
    assert!(at_line.contains("stopped at line 8, after "), "{at_line}");
    // The last step of the run is one of that line.
    let table = at_line.rsplit_once("> t\n").expect("the table").1;
    let last = table.lines().take_while(|line| !line.contains("taken   ●")).last().expect("a step");
    assert!(last.contains("skip") && last.contains(" 8 "), "{table}");
    let condition = sim("b free == 0\nc\nc\nb\nd 1\nd 1\nq\n");
    assert!(condition.contains("   1  free == 0\n"), "{condition}");
    assert_eq!(condition.matches("stopped at free == 0").count(), 2, "{condition}");
    assert!(condition.contains("there is nowhere to stop"), "{condition}");
    assert!(condition.contains("there is no number 1"), "{condition}");
    let wrong = sim("b 999\nb 1\nb nonsense\nb free ==\nq\n");
    for said in
        ["the file has ", "no step is written in line 1", "a state has no `nonsense`; it has free"]
    {
        assert!(wrong.contains(said), "no {said}: {wrong}");
    }
    // An end without a stop is told, too.
    let far = sim("b free == 7\nc 50\nq\n");
    assert!(far.contains("nothing to stop at in 50 steps"), "{far}");
    let csp = out(&fairly(&folder.0, &["sim", "lock.csp"], "b free == 0\nc\nq\n"));
    assert!(csp.contains("stopped at free == 0"), "{csp}");
}

#[test]
fn the_text_of_what_can_happen_is_shown() {
    let folder = with_lock("sim-text");
    let text = out(&fairly(&folder.0, &["sim", "lock.pml"], "1\nl\nq\n"));
    let listed = text.rsplit_once("> l\n").expect("the text").1;
    assert!(listed.contains("> 6      :: true ->"), "{listed}");
    assert!(
        listed.lines().any(|it| it.starts_with("> 7") && it.ends_with("Worker[0]")),
        "{listed}"
    );
    assert!(listed.contains("\n  5      do\n"), "{listed}");
    assert!(listed.lines().all(|line| line.chars().count() <= 100), "{listed}");
}

#[test]
fn a_run_is_saved_and_loaded() {
    let folder = with_lock("sim-save");
    let saved = out(&fairly(&folder.0, &["sim", "lock.pml"], "r 7\nsave mine.json\nt\nq\n"));
    assert!(saved.contains("wrote mine.json: 7 steps"), "{saved}");
    let now = |text: &str| {
        let line = text.lines().rfind(|line| line.starts_with("   now: ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{text}"))
    };
    let loaded = out(&fairly(&folder.0, &["sim", "lock.pml"], "r 3\nload mine.json\nt\nq\n"));
    assert!(loaded.contains("took 7 steps"), "{loaded}");
    assert_eq!(now(&saved), now(&loaded));
    // It is a trace like any other.
    let shown = fairly(&folder.0, &["trace", "show", "mine.json"], "");
    assert_eq!(code(&shown), 0, "{}", err(&shown));
    let along = out(&fairly(&folder.0, &["sim", "--along", "mine.json", "lock.pml"], "c\nt\nq\n"));
    assert!(along.contains("it goes no further, after 7 steps"), "{along}");
    assert_eq!(now(&saved), now(&along));
    // Of another model, it stops where it is none.
    let other = out(&fairly(&folder.0, &["sim", "lock.csp"], "load mine.json\nq\n"));
    assert!(other.contains("is not possible here"), "{other}");
    let wrong = out(&fairly(
        &folder.0,
        &["sim", "lock.pml"],
        "load nothing.json\nload lock.pml\nsave no/such/folder\nsave\nload\nq\n",
    ));
    for said in ["cannot read", "is no trace", "cannot write", "say where", "say which"] {
        assert!(wrong.contains(said), "no {said}: {wrong}");
    }
}

fn states(dot: &str) -> usize {
    dot.lines()
        .filter(|line| line.trim_start().starts_with('s') && line.contains("[label="))
        .count()
        - dot.lines().filter(|line| line.contains(" -> s") && line.contains("[label=")).count()
}

#[test]
fn parts_of_a_state_space_are_drawn() {
    let folder = with_lock("graph-part");
    let graph = |words: &[&str]| {
        let output = fairly(&folder.0, &[&["graph"], words, &["lock.pml"]].concat(), "");
        assert_eq!(code(&output), 0, "{words:?}: {}", err(&output));
        out(&output)
    };
    let whole = states(&graph(&[]));
    let near = graph(&["--depth", "1"]);
    assert!((2..whole).contains(&states(&near)), "{near}");
    assert!(near.contains("elsewhere"), "{near}");
    assert_eq!(states(&graph(&["--depth", "0"])), 1);
    assert_eq!(states(&graph(&["--depth", "99"])), whole);
    let around = graph(&["--around", "free == 0", "--depth", "1"]);
    assert!(around.contains("free=false") && states(&around) < whole, "{around}");
    assert_eq!(states(&graph(&["--around", "s3", "--depth", "0"])), 1);
    let component = graph(&["--component"]);
    assert!((2..=whole).contains(&states(&component)), "{component}");
    assert!(!component.contains("fillcolor=white]"), "every state is on a cycle: {component}");
    let wrong = |words: &[&str]| {
        let output = fairly(&folder.0, &[&["graph"], words, &["lock.pml"]].concat(), "");
        assert_eq!(code(&output), 2, "{words:?}");
    };
    wrong(&["--around", "s999"]);
    wrong(&["--around", "nonsense"]);
    wrong(&["--around", "free == 7"]);
}

#[test]
fn a_product_is_drawn_with_the_states_of_the_automaton() {
    let folder = with_lock("graph-product");
    let output = fairly(&folder.0, &["graph", "--product", "-p", "served", "lock.pml"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let dot = out(&output);
    assert!(dot.contains("q0") && dot.contains("q1"), "{dot}");
    // The automaton of `served` waits in a state that is accepting.
    assert!(dot.contains("{0}"), "{dot}");
    let empty = fairly(&folder.0, &["graph", "--product", "-f", "true", "lock.pml"], "");
    assert_eq!(code(&empty), 4, "{}", err(&empty));
    let several = fairly(&folder.0, &["graph", "--product", "lock.pml"], "");
    assert_eq!(code(&several), 2);
    assert!(err(&several).contains("-p NAME"), "{}", err(&several));
    let csp =
        fairly(&folder.0, &["graph", "--product", "-p", "2", "--to", "mermaid", "lock.csp"], "");
    assert_eq!(code(&csp), 0, "{}", err(&csp));
    let small = fairly(
        &folder.0,
        &["graph", "--product", "-p", "served", "--max-states", "3", "lock.pml"],
        "",
    );
    assert_eq!(code(&small), 3);
}
