//! The glossary of the book has every word of a public name of `check` and `search`, and no word that is not used;
//! comments of the crates that were gone through are plain technical English.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Crates whose comments begin with the thing and speak of no persons.
const PLAIN: [&str; 19] = [
    "check",
    "cli",
    "explore",
    "fairness",
    "front",
    "jit",
    "logic",
    "model",
    "modelkit",
    "omega",
    "reduce",
    "report",
    "search",
    "source",
    "store",
    "system",
    "testkit",
    "translate",
    "witness",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts below a folder, by their paths.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(texts(&path));
        } else if path.extension().is_some_and(|it| it == "rs" || it == "md") {
            let text = fs::read_to_string(&path).expect("text");
            found.push((path, text));
        }
    }
    found
}

/// A row of the glossary: terms for one concept, and where they are used.
struct Row {
    terms: Vec<String>,
    places: Vec<String>,
}

fn rows(page: &str) -> Vec<Row> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [terms, _, places] = cells[..] else { panic!("three cells: {line}") };
        let list = |text: &str, by: &str| text.split(by).map(str::to_lowercase).collect();
        Row { terms: list(terms, ", "), places: list(places, " ") }
    })
    .collect()
}

/// A word without the ending of a plural.
fn singular(word: &str) -> &str {
    match word.strip_suffix("es") {
        Some(stem) if stem.ends_with('x') => stem,
        _ if word.len() > 3 => word.trim_end_matches('s'),
        _ => word,
    }
}

/// The words of a name: `NotBegun` and `not_begun` are `not` and `begun`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() || is_new {
            words.push(String::new());
        }
        is_new = letter == '_';
        if let (false, Some(word)) = (is_new, words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The public types, traits and modules at the outermost level of a text.
fn nouns(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let mut parts =
            line.strip_prefix("pub ")?.split(|it: char| !it.is_alphanumeric() && it != '_');
        let is_noun = ["struct", "enum", "trait", "type", "mod"].contains(&parts.next()?);
        parts.next().filter(|_| is_noun)
    })
}

/// Public names with a word that no term has.
fn unlisted(rows: &[Row], texts: &[(PathBuf, String)]) -> BTreeSet<String> {
    let terms = rows.iter().flat_map(|row| &row.terms).flat_map(|term| term.split(' '));
    let known: BTreeSet<&str> = terms.map(singular).collect();
    let names = texts.iter().flat_map(|(_, text)| nouns(text));
    let is_unknown = |name: &&str| words(name).iter().any(|it| !known.contains(singular(it)));
    names.filter(is_unknown).map(str::to_owned).collect()
}

/// A text in which words stand one blank apart, across the lines of comments.
fn flat(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['/', '!']).trim());
    lines.collect::<Vec<&str>>().join(" ").replace('_', " ").to_lowercase()
}

#[test]
fn every_public_name_is_made_of_words_of_the_glossary() {
    let page = fs::read_to_string(root().join("docs/book/glossary.md")).expect("the glossary");
    let of = |folder: &str| texts(&root().join(folder));
    let sources = [of("crates/check/src"), of("crates/search/src")].concat();
    assert!(sources.iter().flat_map(|(_, text)| nouns(text)).count() > 50, "no names are found");
    let unlisted = unlisted(&rows(&page), &sources);
    assert!(unlisted.is_empty(), "names with words that docs/book/glossary.md lacks: {unlisted:?}");
}

#[test]
fn every_term_of_the_glossary_is_used_where_it_says() {
    let page = fs::read_to_string(root().join("docs/book/glossary.md")).expect("the glossary");
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for Row { terms, places } in rows(&page) {
        for place in places {
            let text = used.entry(place.clone()).or_insert_with(|| {
                let folders = match place.as_str() {
                    "reports" => vec!["crates/report/src".into(), "crates/cli/src".into()],
                    name => vec![format!("crates/{name}/src")],
                };
                let all = folders.iter().flat_map(|folder: &String| texts(&root().join(folder)));
                all.map(|(_, text)| flat(&text)).collect()
            });
            let is_used = terms.iter().any(|term| text.contains(term.as_str()));
            assert!(is_used, "{terms:?} is not a word of {place}");
        }
    }
}

#[test]
fn comments_are_plain_technical_english() {
    let mut wrong = Vec::new();
    for name in PLAIN {
        for (path, text) in texts(&root().join("crates").join(name).join("src")) {
            let mut before = "";
            for (at, line) in text.lines().map(str::trim).enumerate() {
                let comment =
                    line.split_once("//").map_or("", |(_, it)| it.trim_start_matches(['/', '!']));
                let is_first =
                    !before.starts_with("//") || before.trim_matches(['/', '!']).is_empty();
                let is_person = |word: &str| {
                    ["nobody", "somebody", "whoever", "whom"]
                        .contains(&word.to_lowercase().as_str())
                };
                let quoted = comment.split('`').step_by(2).collect::<String>();
                if (is_first && line.starts_with("//") && comment.starts_with(" What"))
                    || quoted.split(|it: char| !it.is_alphabetic()).any(is_person)
                {
                    wrong.push(format!("{}:{}: {line}", path.display(), at + 1));
                }
                before = line;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_new_word_and_a_stale_term_are_noticed() {
    let rows =
        rows("| term | meaning | where |\n|---|---|---|\n| not begun, pair | … | check search |\n");
    assert_eq!(
        (rows.len(), rows[0].places.as_slice()),
        (1, &["check".into(), "search".into()][..])
    );
    let text =
        "pub enum NotBegun {\npub mod pairs;\npub struct PairStep {\npub(crate) struct Other;\n";
    let found = unlisted(&rows, &[(PathBuf::new(), text.to_owned())]);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["PairStep"]);
    assert_eq!(words("not_begun"), words("NotBegun"));
    assert_eq!(flat("/// a not\n  /// begun one"), "a not begun one");
}
