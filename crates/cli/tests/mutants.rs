//! Every mutant still applies to the code. `mutants/run` breaks the code with them, which takes too long for
//! each change; without this test they would grow stale between two runs.

use std::fs;
use std::path::Path;

/// Complaints about a mutant, given a function that reads the files of the workspace.
fn complaints(mutant: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut parts = mutant.split("--- find\n");
    let head = parts.next().unwrap_or_default();
    let value = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let Some(file) = value("file:") else { return vec!["it names no file".to_owned()] };
    let mut complaints = Vec::new();
    if value("why:").is_none_or(str::is_empty) {
        complaints.push("it does not say why".to_owned());
    }
    let Some(text) = read(file) else { return vec![format!("there is no {file}")] };
    let mut edits = 0;
    for part in parts {
        edits += 1;
        match part.split("+++ replace\n").collect::<Vec<_>>()[..] {
            [find, _] if !find.is_empty() => {
                let count = text.matches(find).count();
                if count != 1 {
                    complaints.push(format!("edit {edits} is found {count} times in {file}"));
                }
            }
            _ => complaints.push(format!("edit {edits} is not one find and one replace block")),
        }
    }
    if edits == 0 {
        complaints.push("it replaces nothing".to_owned());
    }
    complaints
}

#[test]
fn every_mutant_applies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| fs::read_to_string(root.join(file)).ok();
    let mut found = 0;
    let mut stale = Vec::new();
    for entry in fs::read_dir(root.join("mutants")).expect("the folder of mutants") {
        let path = entry.expect("an entry of the folder").path();
        if path.extension().is_some_and(|ending| ending == "mutant") {
            found += 1;
            let mutant = fs::read_to_string(&path).expect("a mutant is text");
            let complaints = complaints(&mutant, read).into_iter();
            stale.extend(complaints.map(|complaint| format!("{}: {complaint}", path.display())));
        }
    }
    assert!(found > 0, "no mutants were found");
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn stale_mutants_are_noticed() {
    let read = |file: &str| (file == "a.rs").then(|| "one\ntwo\ntwo\n".to_owned());
    let of = |text: &str| complaints(text, read);
    assert!(of("why: x\nfile: a.rs\n--- find\none\n+++ replace\nnone\n").is_empty());
    let texts = [
        "why: x\n--- find\none\n+++ replace\n",
        "file: a.rs\n--- find\none\n+++ replace\n",
        "why: x\nfile: b.rs\n--- find\none\n+++ replace\n",
        "why: x\nfile: a.rs\n",
        "why: x\nfile: a.rs\n--- find\ntwo\n+++ replace\n",
        "why: x\nfile: a.rs\n--- find\nthree\n+++ replace\n",
        "why: x\nfile: a.rs\n--- find\none\n",
    ];
    for text in texts {
        assert_eq!(of(text).len(), 1, "{text}");
    }
}
