//! Which properties are asked about, how long each may take, and how much is said.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Folder, code, err, out};

const MODEL: &str = "byte x;
active proctype P() { x = 1; x = 2 }
active proctype Q() { bit a, b; do :: a = 1 - a :: b = 1 - b od }
ltl small { [] (x < 3) }
ltl small_at_first { x < 1 }
ltl large { <> (x == 7) }
";

fn fairly(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "100");
    command.output().expect("the binary runs")
}

fn with_model(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("a.pml"), MODEL).expect("a file");
    folder
}

#[test]
fn properties_are_listed_with_their_lines() {
    let folder = with_model("list");
    let listed = fairly(&folder.0, &["check", "--list", "a.pml"]);
    assert_eq!(code(&listed), 0, "{}", err(&listed));
    let text = out(&listed);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["name", "kind", "line", "formula"]);
    assert!(rows.contains(&vec!["small", "formula", "4", "[]", "(x", "<", "3)"]), "{text}");
    assert!(rows.contains(&vec!["large", "formula", "6", "<>", "(x", "==", "7)"]), "{text}");
    let json = fairly(&folder.0, &["check", "--list", "--format", "json", "-p", "large", "a.pml"]);
    let document: serde_json::Value = serde_json::from_str(&out(&json)).expect("JSON");
    assert_eq!(document[0]["schema"], "fairly.properties/1");
    let properties = document[0]["properties"].as_array().expect("a list");
    assert_eq!(properties.len(), 1);
    assert_eq!((&properties[0]["name"], &properties[0]["line"]), (&"large".into(), &6.into()));
    // Every name that is listed chooses something.
    for row in rows.iter().skip(1).filter(|row| row[1] == "formula") {
        let chosen = fairly(&folder.0, &["check", "--list", "-p", row[0], "a.pml"]);
        assert_eq!(out(&chosen).lines().count(), 2, "{row:?}");
    }
}

#[test]
fn several_names_and_patterns_choose_properties() {
    let folder = with_model("choose");
    let chosen = |words: &[&str]| {
        let output = fairly(&folder.0, &[&["check", "--list"], words, &["a.pml"]].concat());
        let text = out(&output);
        let names = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        names.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(chosen(&["-p", "large", "-p", "small"]), ["small", "large"]);
    assert_eq!(chosen(&["-p", "small*"]), ["small", "small_at_first"]);
    assert_eq!(chosen(&["-p", "?????", "-p", "small"]), ["small", "large"]);
    let nothing = fairly(&folder.0, &["check", "-p", "small", "-p", "servd*", "a.pml"]);
    assert_eq!(code(&nothing), 2);
    let said = err(&nothing);
    for name in ["assertions", "end states", "small", "small_at_first", "large"] {
        assert!(said.contains(&format!("`{name}`")), "{said}");
    }
}

#[test]
fn a_property_has_the_time_that_it_is_given() {
    let folder = with_model("budgets");
    let check = |words: &[&str]| fairly(&folder.0, &[&["check", "-q"], words, &["a.pml"]].concat());
    let verdicts = |output: &Output| -> Vec<String> {
        let text = out(output);
        let words = text.lines().filter_map(|line| line.split_whitespace().next());
        words.map(str::to_owned).collect()
    };
    let names = ["-p", "small", "-p", "small_at_first"];
    let all = names;
    let one = check(&[&all[..], &["--timeout", "small_at_first=0"]].concat());
    assert_eq!(verdicts(&one)[1], "??", "{}", out(&one));
    let other = check(&[&all[..], &["--timeout", "0", "--timeout", "small_at_f*=1m"]].concat());
    assert_eq!(verdicts(&other), ["??", "ok"], "{}{}", out(&other), err(&other));
    let unknown = check(&["--timeout", "smal=3"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("did you mean `small`?"), "{}", err(&unknown));
    assert_eq!(code(&check(&["--timeout", "soon"])), 2);
    let toml = "[check]\ntimeout = { \"*\" = \"1m\", small_at_first = 0 }\n";
    std::fs::write(folder.0.join("fairly.toml"), toml).expect("settings");
    let by_settings = check(&names);
    assert_eq!(verdicts(&by_settings)[1], "??", "{}", out(&by_settings));
}

#[test]
fn quiet_is_a_line_a_property_and_verbose_is_everything() {
    let folder = with_model("quiet");
    let words = ["-p", "small_at_first", "-p", "large", "a.pml", "--max-states", "5000"];
    let quiet = fairly(&folder.0, &[&["check", "-q"], &words[..]].concat());
    assert_eq!(out(&quiet).lines().count(), 2, "{}", out(&quiet));
    assert_eq!(err(&quiet), "");
    let usual = fairly(&folder.0, &[&["check"], &words[..]].concat());
    assert_eq!(code(&usual), code(&quiet));
    assert!(out(&usual).lines().count() > 5);
    let both = fairly(&folder.0, &["check", "-q", "-v", "a.pml"]);
    assert_eq!(code(&both), 2);
    let unused: String = (0..9).map(|at| format!(":: x > 5 -> x = {at}\n")).collect();
    let text = format!("byte x;\nactive proctype P() {{ do :: x = 1 - x\n{unused}od }}\n");
    std::fs::write(folder.0.join("b.pml"), text).expect("a file");
    let usual = out(&fairly(&folder.0, &["check", "b.pml"]));
    assert!(usual.contains("more, which -v lists"), "{usual}");
    let verbose = out(&fairly(&folder.0, &["check", "-v", "b.pml"]));
    assert!(verbose.contains("line 11: x = 8") && !verbose.contains("-v lists"), "{verbose}");
    let words = ["check", "-v", "--no-reduction", "-p", "small", "a.pml"];
    let verbose = out(&fairly(&folder.0, &words));
    for line in ["      engine: scc\n", "      nothing is left out: turned off\n"] {
        assert!(verbose.contains(line), "no {line}: {verbose}");
    }
}
