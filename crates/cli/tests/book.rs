//! The book and the README say what is so: every example is run and compared, every error code is
//! listed, every reference to a row of `docs/papers.md` and every link leads somewhere.
//!
//! In a block marked `console`, a line `$ fairly …` is run by a shell in the root of the repository.
//! The lines below it are what it prints, on stdout and stderr; `…` stands for anything, and alone
//! on a line for any number of lines. Without such lines the output is not compared. A line
//! `# exit N` is the exit code; without it, any code is fine but those of wrong usage and of a bug.
//! A command that names a file without a folder (`a.hoa`) is an illustration and is not run. In a block
//! marked `console scratch` every command is run, in an empty folder that the blocks of a page share; in
//! `words.md`, each block has one of its own.
//!
//! `FAIRLY_BLESS=1 cargo test -p fairly-cli --test all book::` writes what is printed into the pages where it
//! is not what is written. Read the difference before you commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The files below a folder whose names end so, in a fixed order.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![root().join("README.md")];
    files(&root().join("docs"), ".md", &mut paths);
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("text"))).collect()
}

/// A command of a page.
struct Example<'a> {
    line: usize,
    command: &'a str,
    output: Vec<&'a str>,
    code: Option<i32>,
    /// Whether it runs in a folder of its page's own.
    scratch: bool,
    /// Which block of the page it is in.
    block: usize,
}

fn examples(page: &str) -> Vec<Example<'_>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    // Whether the last command's output is being read: some commands are not ours.
    let (mut inside, mut ours, mut scratch) = (false, false, false);
    let mut block = 0;
    for (line, text) in (1..).zip(page.lines()) {
        if text.starts_with("```") {
            scratch = text == "```console scratch";
            block += 1;
            (inside, ours) = (text == "```console" || scratch, false);
        } else if inside && text.starts_with("$ ") {
            let command = &text[2..];
            ours = scratch || (command.starts_with("fairly ") && !is_illustration(command));
            if ours {
                let output = Vec::new();
                examples.push(Example { line, command, output, code: None, scratch, block });
            }
        } else if inside && ours {
            let example = examples.last_mut().expect("a command came before");
            match text.strip_prefix("# exit ") {
                Some(code) => example.code = Some(code.trim().parse().expect("an exit code")),
                None => example.output.push(text),
            }
        }
    }
    examples
}

fn is_illustration(command: &str) -> bool {
    let endings = [".hoa", ".aut", ".never", ".net", ".pml", ".svg"];
    let ours = command.split('|').all(|part| part.trim_start().starts_with("fairly "));
    let mut words = command.split_whitespace();
    let bare = |word: &str| !word.contains('/') && endings.iter().any(|end| word.ends_with(end));
    // A bar in quotes belongs to a formula.
    (!ours && !command.contains('\'')) || words.any(bare)
}

/// The text without space at the ends of lines and of the whole, and with all times equal.
fn normal(text: &str) -> Vec<String> {
    let lines = text.trim_end().lines().map(|line| {
        let mut line = line.trim_end().to_owned();
        if let Some(before) = line.strip_suffix(" s")
            && let Some((rest, time)) = before.rsplit_once(' ')
            && time.parse::<f64>().is_ok()
        {
            line = format!("{rest} 0.00 s");
        }
        line
    });
    lines.collect()
}

/// Whether a line is as written, where `…` stands for anything.
fn line_matches(written: &str, printed: &str) -> bool {
    match written.split_once('…') {
        None => written == printed,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|tail| {
            let mut cuts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            cuts.any(|at| line_matches(rest, &tail[at..]))
        }),
    }
}

fn matches(written: &[String], printed: &[String]) -> bool {
    match written.split_first() {
        None => printed.is_empty(),
        Some((any, rest)) if any.trim() == "…" => {
            (0..=printed.len()).any(|at| matches(rest, &printed[at..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

fn differs(lines: &[String], text: &str) -> bool {
    !lines.iter().map(String::as_str).eq(text.lines())
}

#[test]
fn every_example_is_as_it_is_printed() {
    let folder = Path::new(env!("CARGO_BIN_EXE_fairly")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = [folder.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(all).expect("a search path");
    let (mut run, mut wrong) = (0, String::new());
    let bless = std::env::var_os("FAIRLY_BLESS").is_some();
    for (number, (page, text)) in pages().into_iter().enumerate() {
        let scratch_folder =
            std::env::temp_dir().join(format!("fairly-book-{}-{number}", std::process::id()));
        let mut blessed: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut shift = 0isize;
        for Example { line, command, output, code, scratch, block } in examples(&text) {
            // Each word is explained by itself, so nothing is there that another example made.
            let scratch_folder = match page.ends_with("words.md") {
                true => scratch_folder.join(block.to_string()),
                false => scratch_folder.clone(),
            };
            if scratch {
                fs::create_dir_all(&scratch_folder).expect("a folder of its own");
            }
            let place = format!("{}:{line}: {command}", page.display());
            // The shell sends both streams to one pipe, so what is printed comes in order.
            let done = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .current_dir(if scratch { scratch_folder.clone() } else { root() })
                .env("PATH", &path)
                .env("NO_COLOR", "1")
                // Those of the words are also shown in terminals.
                .env("COLUMNS", if page.ends_with("words.md") { "80" } else { "100" })
                .stdin(Stdio::null())
                .output()
                .expect("there is a shell");
            run += 1;
            let printed = String::from_utf8(done.stdout).expect("text");
            let exit = done.status.code().expect("it exits by itself");
            if code.map_or(exit == 2 || exit == 70, |code| code != exit) {
                wrong += &format!("{place}\n  exit {exit} instead of {code:?}\n{printed}\n");
            }
            let expected = normal(&output.join("\n"));
            if !expected.is_empty() && !matches(&expected, &normal(&printed)) {
                wrong += &format!("{place}\n--- printed\n{printed}---\n");
                let first = line.checked_add_signed(shift).expect("a line of the page");
                let lines = normal(&printed);
                shift += lines.len() as isize - output.len() as isize;
                blessed.splice(first..first + output.len(), lines);
            }
        }
        if bless && differs(&blessed, &text) {
            fs::write(&page, blessed.join("\n") + "\n").expect("the page can be written");
        }
        let _ = fs::remove_dir_all(&scratch_folder);
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(run >= 40, "only {run} examples were found");
}

#[test]
fn every_error_code_is_listed() {
    // `"E0201"` in the sources, `| E0201 |` in the page.
    let codes = |text: &str, before: &str, after: &str| -> BTreeSet<String> {
        let starts = text.match_indices(before).map(|(at, _)| &text[at + before.len()..]);
        let words = starts.filter_map(|rest| rest.split_once(after).map(|(word, _)| word));
        let code = |word: &&str| {
            let digits = word.strip_prefix('E').unwrap_or_default();
            digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        words.filter(code).map(str::to_owned).collect()
    };
    let mut sources = Vec::new();
    files(&root().join("crates"), ".rs", &mut sources);
    let in_src = |path: &&PathBuf| path.components().any(|part| part.as_os_str() == "src");
    let texts = sources.iter().filter(in_src).map(|path| fs::read_to_string(path).expect("text"));
    let used: BTreeSet<String> = texts.flat_map(|text| codes(&text, "\"", "\"")).collect();
    let page = fs::read_to_string(root().join("docs/book/errors.md")).expect("the page");
    assert_eq!(codes(&page, "| ", " |"), used, "docs/book/errors.md and the sources disagree");
}

#[test]
fn every_row_of_the_papers_that_is_named_exists() {
    let page = fs::read_to_string(root().join("docs/papers.md")).expect("the page");
    let rows: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(' ').map(|(id, _)| id))
        .collect();
    let mut sources = Vec::new();
    files(&root().join("crates"), ".rs", &mut sources);
    let mut named = 0;
    for path in sources {
        let text = fs::read_to_string(&path).expect("text");
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            let number = word.split_once('-').filter(|(paper, row)| {
                ["000", "001", "002", "003", "004"].contains(paper) && row.parse::<u32>().is_ok()
            });
            if number.is_some() {
                named += 1;
                assert!(rows.contains(word), "{}: docs/papers.md has no {word}", path.display());
            }
        }
    }
    assert!(named > 20, "only {named} references were found");
}

#[test]
fn every_link_leads_somewhere() {
    for (page, text) in pages() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            // `[](p -> q)` is a formula.
            if !file.is_empty() && !link.contains("://") && !link.contains(' ') {
                let target = page.parent().expect("a folder").join(file);
                assert!(target.exists(), "{}: {link}", page.display());
                // A rendered book holds what is in its folder, and nothing else.
                let book = root().join("docs/book");
                let inside = target.canonicalize().is_ok_and(|target| target.starts_with(&book));
                let is_rendered = page.starts_with(&book);
                assert!(inside || !is_rendered, "{}: {link} leaves the book", page.display());
            }
        }
    }
}

/// Promises of a page must be so, and commands that a reader copies must work: these were once said, and were
/// not so.
#[test]
fn no_page_promises_what_is_not_so() {
    let untrue = [
        ("OWNER/", "a placeholder that nobody can copy"),
        ("read as they are", "what is not supported is refused"),
        ("decided is in the stamp", "it is in the JSON answer"),
        ("always a shortest run", "runs are shortened within a budget"),
    ];
    for (page, text) in pages() {
        for (phrase, why) in untrue {
            assert!(!text.contains(phrase), "{}: `{phrase}`: {why}", page.display());
        }
    }
    // The hook that the page shows is the one that the repository has.
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks");
    let page = fs::read_to_string(root().join("docs/book/ci.md")).expect("the page");
    for key in ["entry: ", "language: ", "files: "] {
        let line = hooks.lines().find_map(|line| line.trim().strip_prefix(key)).expect(key);
        assert!(page.contains(&format!("{key}{line}")), "{key}{line}");
    }
    let action = fs::read_to_string(root().join("action.yml")).expect("the action");
    for input in ["files:", "arguments:", "sarif:"] {
        assert!(action.contains(&format!("  {input}\n")) && page.contains(input), "{input}");
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let book = root().join("docs/book");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    let mut pages = Vec::new();
    files(&book, ".md", &mut pages);
    for page in pages.iter().filter(|page| !page.ends_with("SUMMARY.md")) {
        let name = page.strip_prefix(&book).expect("a page").to_string_lossy().into_owned();
        assert!(summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn every_error_code_is_explained() {
    let page = fs::read_to_string(root().join("docs/book/errors.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| E")?.split_once(" | "));
    let mut count = 0;
    for (digits, _) in rows {
        let code = format!("E{digits}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
        let done = command.args(["explain", &code]).output().expect("the binary runs");
        let text = String::from_utf8(done.stdout).expect("text");
        assert!(done.status.success(), "{code}");
        let (heading, said) = text.split_once("\n\n").expect("a heading and a text");
        assert!(heading.starts_with(&code) && said.trim().len() > 5, "{text}");
        let prose = said.split("\nwrong, for example:").next().unwrap_or_default();
        assert!(prose.lines().all(|line| line.chars().count() <= 80), "{text}");
        count += 1;
    }
    assert!(count > 200, "only {count} codes");
}

#[test]
fn an_ellipsis_stands_for_anything() {
    let lines = |text: &str| normal(text);
    assert!(matches(&lines("a\n…\nd"), &lines("a\nb\nc\nd\n")));
    assert!(matches(&lines("3 states (…) · 0.00 s"), &lines("3 states (x) · 1.25 s")));
    assert!(!matches(&lines("a\n…\nd"), &lines("a\nb\n")));
    assert!(!matches(&lines("a"), &lines("a\nb")));
}
