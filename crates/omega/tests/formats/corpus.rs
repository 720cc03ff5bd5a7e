//! The sample files of `corpus/automata`: the good ones are read, each bad one gives the code that
//! its name starts with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fairly_omega::formats::{self, Format, hoa};
use fairly_source::{Diagnostic, Severity};

fn folder(name: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.ancestors().map(|dir| dir.join("corpus/automata").join(name));
    let folder = folder.into_iter().find(|dir| dir.is_dir()).expect("the corpus is there");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read_to_string(path).unwrap());
    files.into_iter().map(read).collect()
}

#[test]
fn good_files_are_read_and_printed_back() {
    let files = folder("");
    assert!(files.len() >= 25, "{} files", files.len());
    for (path, text) in files {
        let wanted = match path.extension().and_then(|extension| extension.to_str()) {
            Some("hoa") => Format::Hoa,
            Some("never") => Format::Never,
            Some("aut") => Format::Aldebaran,
            _ => continue,
        };
        assert_eq!(Format::detect(&text), Some(wanted), "{}", path.display());
        let automata = formats::read_any(&text).unwrap_or_else(|w| panic!("{path:?}: {w:?}"));
        let expected = if path.ends_with("two-automata.hoa") { 2 } else { 1 };
        assert_eq!(automata.len(), expected, "{}", path.display());
        for automaton in automata {
            let printed = hoa::print(&automaton);
            assert_eq!(hoa::parse(&printed).unwrap(), [automaton], "{}", path.display());
        }
    }
}

#[test]
fn bad_files_give_the_code_in_their_name() {
    for (path, text) in folder("bad") {
        let name = path.file_name().unwrap().to_str().unwrap();
        // These are good automata, but no Kripke structures.
        let wrong = if name.contains("-kripke-") {
            hoa::parse_kripke(&text).expect_err(name)
        } else {
            match formats::read_any(&text) {
                Err(wrong) => wrong,
                Ok(_) => warning(&text).unwrap_or_else(|| panic!("nothing is wrong with {name}")),
            }
        };
        assert_eq!(wrong.code, &name[..5], "{name}: {wrong:?}");
        assert!(wrong.span.start <= wrong.span.end && wrong.span.end <= text.len(), "{name}");
        assert!(text.is_char_boundary(wrong.span.start), "{name}");
    }
}

/// The first warning of the reader.
fn warning(text: &str) -> Option<Diagnostic> {
    let mut reads = hoa::Reader::new(text).map(|read| read.expect("well-formed"));
    let first = reads.find_map(|read| read.warnings.into_iter().next())?;
    assert_eq!(first.severity, Severity::Warning);
    Some(first)
}

#[test]
fn every_documented_code_has_a_bad_file() {
    let documented = |text: &'static str| {
        text.lines().filter_map(|line| line.strip_prefix("//! | `")).map(|row| &row[..5])
    };
    let mut codes: BTreeSet<&str> = BTreeSet::new();
    codes.extend(documented(include_str!("../../src/formats/hoa/mod.rs")));
    codes.extend(documented(include_str!("../../src/formats/never/mod.rs")));
    codes.extend(documented(include_str!("../../src/formats/aut.rs")));
    codes.insert("E0200");
    let files = folder("bad");
    let shown: BTreeSet<&str> =
        files.iter().map(|(path, _)| &path.file_name().unwrap().to_str().unwrap()[..5]).collect();
    assert_eq!(codes, shown);
}
