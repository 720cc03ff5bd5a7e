//! The public interface of the library, listed: a change that programs may notice is a change of `api.txt`.
//!
//! `FAIRLY_BLESS=1 cargo test -p fairly --test all api::` writes the list anew.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The public items of a file, and the fields, variants and methods that come with them: each on a line.
fn interface(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    // Whether the members of an item are public although they do not say so.
    let mut members_of: Option<String> = None;
    while let Some(line) = lines.next() {
        let word = line.trim_start();
        let is_member =
            members_of.is_some() && line.starts_with("    ") && !line.starts_with("     ");
        if line == "}" {
            members_of = None;
        }
        let is_comment =
            word.starts_with("//") || word.starts_with('#') || word == "}" || word.is_empty();
        let is_public = word.starts_with("pub ") && !word.starts_with("pub(");
        let is_impl = line.starts_with("impl") && line.contains(" for ");
        if is_comment || !(is_public || is_impl || is_member && !word.starts_with('}')) {
            continue;
        }
        let mut item = word.to_owned();
        // A signature goes on to its end.
        while !item.ends_with(['{', ';', ',', '}']) {
            let Some(more) = lines.next() else { break };
            item.push(' ');
            item.push_str(more.trim_start());
        }
        while item.ends_with('(') || item.matches('(').count() > item.matches(')').count() {
            let Some(more) = lines.next() else { break };
            item.push_str(more.trim());
        }
        if line.starts_with("pub trait ") || line.starts_with("pub enum ") {
            members_of = Some(item.clone());
        }
        let item = item.trim_end_matches(['{', ';', ',']).trim_end().to_owned();
        let indent = if line.starts_with(' ') { "    " } else { "" };
        items.push(format!("{indent}{item}"));
    }
    items
}

#[test]
fn the_public_interface_is_the_one_that_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut list = String::new();
    for file in files {
        let items = interface(&fs::read_to_string(&file).expect("readable"));
        if items.is_empty() {
            continue;
        }
        let name = file.strip_prefix(root).expect("below").display().to_string().replace('\\', "/");
        list.push_str(&format!("# {name}\n{}\n\n", items.join("\n")));
    }
    let path = root.join("api.txt");
    if std::env::var_os("FAIRLY_BLESS").is_some() {
        fs::write(&path, &list).expect("written");
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    let differs = list.lines().zip(known.lines()).find(|(one, other)| one != other);
    assert!(list == known, "api.txt is not the interface any more: {differs:?}");
}

#[test]
fn public_items_are_found_and_others_are_not() {
    let text = "/// A thing.\npub struct Thing {\n    /// One.\n    pub one: u8,\n    two: u8,\n}\n\nimpl Thing {\n    \
                /// Makes.\n    pub fn new(\n        one: u8,\n    ) -> Thing {\n        inner()\n    }\n\n    fn \
                own(&self) {}\n}\n\npub(crate) fn hidden() {}\n\npub trait Does {\n    /// It.\n    fn it(&self);\n}\n";
    assert_eq!(
        interface(text),
        [
            "pub struct Thing",
            "    pub one: u8",
            "    pub fn new( one: u8,) -> Thing",
            "pub trait Does",
            "    fn it(&self)"
        ]
    );
}
