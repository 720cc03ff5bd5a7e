//! The tutorial of the book is typed into a fresh crate, and does what the page says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

include!("../examples/lock.rs");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/book/rust.md")).expect("the page")
}

/// A block of the page with the mark in front of it: `file …`, `replace …` or `cargo test …`.
struct Block {
    mark: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut all, mut mark, mut inside) = (Vec::new(), None::<String>, None::<String>);
    for line in page.lines() {
        if let Some(text) = &mut inside {
            if line == "```" {
                let block = Block { mark: mark.take().unwrap_or_default(), text: text.clone() };
                all.push(block);
                inside = None;
            } else {
                text.push_str(line);
                text.push('\n');
            }
        } else if line.starts_with("```") {
            inside = Some(String::new());
        } else if let Some(rest) = line.strip_prefix("<!-- ") {
            mark = rest.strip_suffix(" -->").map(str::to_owned);
        }
    }
    all.retain(|block| !block.mark.is_empty());
    all
}

/// Types everything into files, and gives each command with the output that the page shows and the files at that time.
fn typed(page: &str, mut at_command: impl FnMut(&str, &str, &[(String, String)])) {
    let mut files: Vec<(String, String)> = Vec::new();
    for Block { mark, text } in blocks(page) {
        match mark.split_once(' ') {
            Some(("file", name)) => {
                files.retain(|(other, _)| other != name);
                files.push((name.to_owned(), text));
            }
            // A line of a file is written anew: the first of the block, as the second.
            Some(("replace", name)) => {
                let (old, new) = text.split_once('\n').expect("two lines");
                let file = files.iter_mut().find(|(other, _)| other == name).expect("a file");
                assert!(file.1.contains(old), "{old}");
                file.1 = file.1.replace(old, new.trim_end());
            }
            _ => at_command(&mark, &text, &files),
        }
    }
}

/// A text without the escape sequences of colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Whether a text has these lines one after the other; `…` stands for any lines, and at the end of a line for any end.
fn shows(text: &str, expected: &str) -> Result<(), String> {
    let mut lines = text.lines();
    let mut skips = true;
    for wanted in expected.lines() {
        if wanted.trim() == "…" {
            skips = true;
            continue;
        }
        let is_it = |line: &str| match wanted.split_once('…') {
            Some((start, _)) => line.starts_with(start),
            None => line.trim_end() == wanted.trim_end(),
        };
        let found = if skips { lines.any(is_it) } else { lines.next().is_some_and(is_it) };
        if !found {
            return Err(wanted.to_owned());
        }
        skips = false;
    }
    Ok(())
}

#[test]
fn the_page_shows_the_file_and_its_report() {
    let mut commands = 0;
    typed(&page(), |command, shown, files| {
        commands += 1;
        let (_, file) = files.iter().find(|(name, _)| name == "tests/lock.rs").expect("typed");
        let expected = include_str!("../examples/lock.rs");
        if command == "cargo test passes" {
            assert_eq!(file, expected, "the page and `examples/lock.rs`");
        } else {
            assert_eq!(*file, expected.replace(".assume(\"sf(User0)\")", ""));
            let served = leads_to(|s: &State| s.waits[0], |s: &State| s.holder == Some(0));
            let report = check(&Lock).property("served", served).save_nothing().verdict().report();
            assert!(shown.contains("FAIL"), "the page shows the report");
            if let Err(line) = shows(&plain(&report), shown) {
                panic!("the report has no line\n{line}\n{report}");
            }
        }
    });
    assert_eq!(commands, 2);
}

/// The same with Cargo, which builds everything anew: `FAIRLY_FRESH_CRATE=1`.
#[test]
fn a_fresh_crate_fails_and_then_passes() {
    if std::env::var_os("FAIRLY_FRESH_CRATE").is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("fairly-fresh-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    typed(&page(), |command, shown, files| {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            let library = Path::new(env!("CARGO_MANIFEST_DIR")).display().to_string();
            fs::write(path, text.replace("../fairly/crates/fairly", &library)).expect("written");
        }
        // The same versions as here, so that nothing has to be looked up.
        let _ = fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"));
        let target = root().join("target/fresh");
        let done = Command::new(env!("CARGO"))
            .args(["test", "--offline"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("RUST_BACKTRACE")
            .output()
            .expect("cargo runs");
        let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.success(), command == "cargo test passes", "{text}");
        if let Err(line) = shows(&plain(&text), shown) {
            panic!("`{command}` does not print\n{line}\n{text}");
        }
    });
    fs::remove_dir_all(&folder).expect("removed");
}
