//! `fairly explain`: a text that shows each error, and one that is right; no example needs this repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{Folder, code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn fairly(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "80");
    command.output().expect("the binary runs")
}

/// Files larger than that are no examples for a person.
const LARGEST: u64 = 700;

/// A file for each code that has one.
fn files() -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    for kind in ["automata", "csp", "promela"] {
        let entries = fs::read_dir(root().join(format!("corpus/{kind}/bad"))).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if fs::metadata(&path).expect("a file").len() <= LARGEST {
                files.entry(name[..5].to_owned()).or_insert(path);
            }
        }
    }
    files
}

#[test]
fn every_file_with_an_error_is_an_example() {
    let list = root().join("crates/cli/src/explain/corpus.txt");
    let mut expected = String::new();
    for (code, path) in files() {
        let text = fs::read_to_string(&path).expect("a text");
        // The first line of some files is for a test.
        let text = match text.strip_prefix("// marks: ").and_then(|rest| rest.split_once('\n')) {
            Some((_, rest)) => rest,
            None => &text,
        };
        assert!(!text.contains("\n== "), "{}: it would end there", path.display());
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        expected += &format!("== {code} {ending} wrong\n{text}{end}");
    }
    if std::env::var_os("FAIRLY_BLESS").is_some() {
        fs::write(&list, &expected).expect("the list can be written");
    }
    let text = fs::read_to_string(&list).expect("the list");
    assert!(text == expected, "FAIRLY_BLESS=1 writes crates/cli/src/explain/corpus.txt anew");
}

/// Contents of a part of an explanation, without its indentation.
fn part(text: &str, heading: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\n{heading}:\n\n"))?;
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    let lines: Vec<&str> = lines.map(|line| line.get(4..).unwrap_or_default()).collect();
    Some(lines.join("\n").trim_end().to_owned() + "\n")
}

/// Output of the command about a text in a language.
fn said(folder: &Path, ending: &str, text: &str) -> Output {
    match ending {
        "ltl" => fairly(folder, &["ltl", text.trim_end()]),
        "word" => {
            let automaton =
                "HOA: v1\nAP: 2 \"a\" \"b\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n--END--\n";
            fs::write(folder.join("it.hoa"), automaton).expect("a file");
            fairly(folder, &["aut", "accepts", "it.hoa", text.trim_end()])
        }
        "toml" => {
            fs::write(folder.join("fairly.toml"), text).expect("a file");
            let output = fairly(folder, &["check"]);
            fs::remove_file(folder.join("fairly.toml")).expect("it was written");
            output
        }
        "hoa" | "never" | "aut" | "txt" => {
            fs::write(folder.join("it"), text).expect("a file");
            fairly(folder, &["aut", "stats", "it"])
        }
        ending => {
            let file = format!("it.{ending}");
            fs::write(folder.join(&file), text).expect("a file");
            fairly(folder, &["check", "--list", &file])
        }
    }
}

/// The examples that are written for the command: their codes, languages, kinds and texts.
fn written() -> Vec<(String, String, String, String)> {
    let text = include_str!("../src/explain/examples.txt");
    let blocks = text.split("\n== ").filter_map(|block| block.split_once('\n'));
    let parts = blocks.map(|(heading, text)| {
        let words: Vec<&str> = heading.trim_start_matches("== ").split(' ').collect();
        let [code, ending, kind] = words[..] else { panic!("{heading}") };
        (code.to_owned(), ending.to_owned(), kind.to_owned(), text.to_owned())
    });
    parts.collect()
}

#[test]
fn examples_are_wrong_and_right_as_they_say() {
    let folder = Folder::new("explain");
    let mut wrong = String::new();
    for (code_of, ending, kind, text) in written() {
        let output = said(&folder.0, &ending, &text);
        let is_shown = err(&output).contains(&format!("error[{code_of}]"));
        match kind.as_str() {
            "wrong" if !is_shown => wrong += &format!("{code_of}: {}\n", err(&output)),
            // Nothing to check, or no file that is named, is no error of the text.
            "right" if code(&output) == 2 && err(&output).contains("error[") => {
                wrong += &format!("{code_of} is wrong: {}\n", err(&output));
            }
            "wrong" | "right" => {}
            other => panic!("{other} is neither"),
        }
        let explained = out(&fairly(&folder.0, &["explain", &code_of]));
        let heading = if kind == "wrong" { "wrong, for example" } else { "right" };
        let shown = part(&explained, heading).unwrap_or_else(|| panic!("{code_of}: {explained}"));
        assert_eq!(shown.trim(), text.trim(), "{code_of}");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn errors_of_the_corpus_are_shown_with_what_is_said_of_them() {
    let folder = Folder::new("explain-corpus");
    let written: Vec<String> = written()
        .into_iter()
        .filter(|(_, _, kind, _)| kind == "wrong")
        .map(|(code, ..)| code)
        .collect();
    let (mut count, mut silent) = (0, Vec::new());
    for code in files().into_keys().filter(|code| !written.contains(code)) {
        let text = out(&fairly(&folder.0, &["explain", &code]));
        assert!(part(&text, "wrong, for example").is_some(), "{text}");
        match part(&text, "what is said of it") {
            Some(said) => {
                let is_said = |kind: &str| said.starts_with(&format!("{kind}[{code}]: "));
                assert!(is_said("error") || is_said("warning"), "{text}");
            }
            None => silent.push(code),
        }
        count += 1;
    }
    assert!(count > 150, "only {count}");
    assert!(silent.len() <= 3, "nothing is said of {silent:?}");
}

/// Every code has an example, but those about sizes, depths, files, traces, and texts that no command reads.
#[test]
fn nearly_every_code_has_an_example() {
    let folder = Folder::new("explain-all");
    let page = fs::read_to_string(root().join("docs/book/errors.md")).expect("the page");
    let codes = page.lines().filter_map(|line| line.strip_prefix("| ")?.get(..5));
    let codes: Vec<&str> = codes.filter(|code| code.starts_with("E")).collect();
    let lacks = |code: &&&str| {
        let text = out(&fairly(&folder.0, &["explain", code]));
        part(&text, "wrong, for example").is_none()
    };
    let (all, lacking) = (codes.len(), codes.iter().filter(lacks).count());
    assert!(all > 250 && lacking * 6 < all, "{lacking} of {all} have none");
    let has_right =
        |code: &&&str| part(&out(&fairly(&folder.0, &["explain", code])), "right").is_some();
    let right = codes.iter().filter(has_right).count();
    assert!(right * 4 > all * 3, "only {right} of {all} are shown right");
}

#[test]
fn no_explanation_needs_this_repository() {
    let folder = Folder::new("explain-paths");
    let words = out(&fairly(&folder.0, &["explain"]));
    assert!(words.lines().count() >= 15, "{words}");
    for word in words.lines() {
        let text = out(&fairly(&folder.0, &["explain", word]));
        for path in ["corpus/", "examples/", "crates/", "docs/"] {
            assert!(!text.contains(path), "{word}: {text}");
        }
    }
}
