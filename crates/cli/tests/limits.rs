//! Every numeric constant of the crates that answer questions is classified in `tests/limits/table`: what happens
//! when it is reached, or why it is no limit. The script beside the table lowers the limits, which takes too long
//! for each change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const CRATES: [&str; 11] = [
    "check",
    "explore",
    "front",
    "jit",
    "logic",
    "model",
    "omega",
    "reduce",
    "search",
    "system",
    "translate",
];
const NUMBERS: [&str; 9] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "u128", "Duration"];

/// The names of the numeric constants in a text. Values such as `u32::MAX` stand for "none"; they limit nothing.
fn constants(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((before, rest)) = line.split_once("const ") else { continue };
        let before = before.trim();
        if !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let Some((name, rest)) = rest.split_once(": ") else { continue };
        let Some((kind, value)) = rest.split_once(" = ") else { continue };
        let is_number = NUMBERS.contains(&kind.rsplit("::").next().unwrap_or(kind));
        if is_number && !value.contains("::MAX") && !value.starts_with("offset_of!") {
            found.push(name);
        }
    }
    found
}

fn visit(folder: &Path, found: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            visit(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found(&path);
        }
    }
}

#[test]
fn every_constant_is_classified() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = fs::read_to_string(root.join("tests/limits/table")).expect("the table of limits");
    let mut complaints = Vec::new();
    let (mut rows, mut others) = (BTreeMap::new(), BTreeSet::new());
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [kind @ ("open" | "same" | "never"), file, name, _, ..] => {
                if rows.insert((file.to_owned(), name.to_owned()), kind).is_some() {
                    complaints.push(format!("{file}: {name} is there twice"));
                }
            }
            ["with", file, name, _] => {
                others.insert((file.to_owned(), name.to_owned()));
            }
            _ => complaints.push(format!("not a row: {line}")),
        }
    }
    let mut met = BTreeSet::new();
    for folder in CRATES {
        visit(&root.join("crates").join(folder).join("src"), &mut |path| {
            let text = fs::read_to_string(path).expect("a source file is text");
            let file = path
                .strip_prefix(&root)
                .expect("a file of the workspace")
                .to_string_lossy()
                .into_owned();
            for name in constants(&text) {
                let key = (file.clone(), name.to_owned());
                if !rows.contains_key(&key) {
                    complaints.push(format!("{file}: what happens when {name} is reached?"));
                }
                met.insert(key);
            }
            // Limits that are fields of a structure have rows as well, by the name of the field.
            for (key, _) in rows.iter().filter(|((of, _), _)| *of == file) {
                if text
                    .lines()
                    .any(|line| line.trim_start().starts_with(&format!("{}: 1 << ", key.1)))
                {
                    met.insert(key.clone());
                }
            }
        });
    }
    // Rows may also be about constants of other crates, not all of which are listed.
    let is_there = |file: &str, name: &str| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        constants(&text).contains(&name)
    };
    for (file, name) in rows.keys().chain(&others).filter(|key| !met.contains(*key)) {
        if is_there(file, name) {
            continue;
        }
        complaints.push(format!("{file} has no constant {name}"));
    }
    assert!(complaints.is_empty(), "tests/limits/table:\n{}", complaints.join("\n"));
}

#[test]
fn constants_are_found() {
    let text = "const A: usize = 1;\n    pub(super) const B: u64 = 1 << 3;\nconst NONE: u32 = u32::MAX;\n\
                pub const C: std::time::Duration = X;\nfn f<const N: usize>() {}\nconst NAME: &str = \"x\";\n";
    assert_eq!(constants(text), ["A", "B", "C"]);
}
