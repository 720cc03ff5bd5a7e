//! What the book says of *every* report, verdict or answer, with a test for each such sentence.
//!
//! A sentence of this kind is easily written and soon untrue. So each is in [`CLAIMS`], word by word, with what
//! shows it: a check of this file, or a test elsewhere. A sentence that is not listed fails
//! [`every_general_sentence_is_listed`]; one that has left its page fails
//! [`what_the_book_says_of_every_report_is_so`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{Folder, code, err, out};

/// What shows that a sentence is so.
enum Shown {
    /// A check, in an empty folder.
    Here(fn(&Path)),
    /// A test in a file of the repository.
    In(&'static str, &'static str),
}

/// A sentence on a page of the book.
struct Claim {
    page: &'static str,
    says: &'static str,
    shown: Shown,
}

const CLAIMS: &[Claim] = &[
    Claim {
        page: "README.md",
        says: "with every report ending in the next command",
        shown: Shown::Here(a_report_ends_with_one_command),
    },
    Claim {
        page: "docs/book/tutorial.md",
        says: "Every report ends with one command to try next.",
        shown: Shown::Here(a_report_ends_with_one_command),
    },
    Claim {
        page: "README.md",
        says: "Freely mixed, named in every verdict,",
        shown: Shown::Here(the_assumption_stands_beside_the_answer),
    },
    Claim {
        page: "docs/book/commands.md",
        says: "A report ends with exactly one line `next:`, the command to try next.",
        shown: Shown::Here(a_report_ends_with_one_command),
    },
    Claim {
        page: "docs/book/commands.md",
        says: "It can be pasted: it repeats the options that make the model, and names one property where there are several.",
        shown: Shown::In("crates/cli/tests/next.rs", "options_that_make_the_model_are_repeated"),
    },
    Claim {
        page: "docs/book/commands.md",
        says: "What another program reads (`--format json` and its kin) has no such line.",
        shown: Shown::Here(documents_suggest_nothing),
    },
    Claim {
        page: "docs/book/commands.md",
        says: "`-q` prints a line a property and nothing else: no runs, no notes, no progress, no suggestion.",
        shown: Shown::Here(quiet_is_a_line_a_property),
    },
    Claim {
        page: "docs/book/commands.md",
        says: "says how each answer was found: the engine, and why nothing was left out or permuted, if nothing was.",
        shown: Shown::Here(verbose_says_how),
    },
    Claim {
        page: "docs/book/fairness.md",
        says: "Every verdict of Fairly names the fairness it rests on.",
        shown: Shown::Here(the_assumption_stands_beside_the_answer),
    },
    Claim {
        page: "docs/book/tutorial.md",
        says: "The assumption stands beside the \"ok\", always.",
        shown: Shown::Here(the_assumption_stands_beside_the_answer),
    },
    Claim {
        page: "docs/book/csp.md",
        says: "**Fairness** is named in every verdict",
        shown: Shown::Here(the_assumption_stands_beside_the_answer),
    },
    Claim {
        page: "docs/book/soundness.md",
        says: "the answer is *unknown*, with exit code 3, and never \"holds\".",
        shown: Shown::Here(a_bound_is_unknown),
    },
    Claim {
        page: "docs/book/exit-codes.md",
        says: "A verdict is never guessed. Work that is cut off ends with 3, not with 0.",
        shown: Shown::Here(a_bound_is_unknown),
    },
    Claim {
        page: "docs/book/words.md",
        says: "It is never counted as one, and the exit code is 3.",
        shown: Shown::Here(a_bound_is_unknown),
    },
    Claim {
        page: "docs/book/ci.md",
        says: "An *unknown* is never as expected.",
        shown: Shown::Here(an_unknown_is_not_as_expected),
    },
    Claim {
        page: "docs/book/soundness.md",
        says: "**Which engine** decided is in the JSON answer, `stamp.engine`",
        shown: Shown::Here(the_engine_is_in_the_document),
    },
    Claim {
        page: "docs/book/exit-codes.md",
        says: "every document names its schema, such as `fairly.verdict/2`",
        shown: Shown::Here(every_document_names_its_schema),
    },
    Claim {
        page: "docs/book/exit-codes.md",
        says: "Results go to standard output, diagnostics to standard error.",
        shown: Shown::Here(diagnostics_go_to_standard_error),
    },
    Claim {
        page: "docs/book/promela.md",
        says: "`--spin-compat` adds that number to every answer, also where something is violated",
        shown: Shown::Here(stored_states_are_in_every_answer),
    },
    Claim {
        page: "docs/book/soundness.md",
        says: "Every violating run is walked on the model again and judged by the definitions",
        shown: Shown::In("crates/check/tests/confirmed.rs", "claims"),
    },
    Claim {
        page: "docs/book/exit-codes.md",
        says: "so it is a part of every answer that rests on all runs.",
        shown: Shown::Here(errors_are_a_part_of_the_answer),
    },
    Claim {
        page: "docs/book/README.md",
        says: "[Errors](errors.md): every diagnostic code.",
        shown: Shown::In("crates/cli/tests/book.rs", "every_error_code_is_listed"),
    },
];

/// Words that a sentence about all reports has.
const GENERAL: [&str; 7] = [
    "every report",
    "every verdict",
    "every answer",
    "every document",
    "each answer was",
    "every diagnostic",
    "exactly one line",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A text with one blank where lines end.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn fairly(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("it runs")
}

/// Some models in an empty folder: a property that holds, one that needs fairness, one that fails.
fn models(folder: &Path) {
    for (language, template) in [("promela", "lock"), ("csp", "two-phase-commit")] {
        fairly(folder, &["new", language, template]);
    }
    let counter = "byte n; active proctype Clock() { do :: n++ od }\nltl low { [] (n < 200) }\n";
    fs::write(folder.join("clock.pml"), counter).expect("a file");
}

#[test]
fn what_the_book_says_of_every_report_is_so() {
    for (at, Claim { page, says, shown }) in CLAIMS.iter().enumerate() {
        let text = flowing(&fs::read_to_string(root().join(page)).expect("a page"));
        assert!(text.contains(&flowing(says)), "{page} no longer says: {says}");
        match shown {
            Shown::Here(check) => {
                let folder = Folder::new(&format!("claim-{at}"));
                models(&folder.0);
                check(&folder.0);
            }
            Shown::In(file, test) => {
                let text = fs::read_to_string(root().join(file)).expect("a file of tests");
                assert!(text.contains(&format!("fn {test}(")), "{file} has no test `{test}`");
            }
        }
    }
}

#[test]
fn every_general_sentence_is_listed() {
    let mut pages = vec![root().join("README.md")];
    let entries = fs::read_dir(root().join("docs/book")).expect("the book");
    pages.extend(entries.map(|entry| entry.expect("a page").path()));
    for page in pages.iter().filter(|page| page.extension().is_some_and(|it| it == "md")) {
        let mut text = flowing(&fs::read_to_string(page).expect("a page"));
        let name = page.strip_prefix(root()).expect("of the repository").to_string_lossy();
        for claim in CLAIMS.iter().filter(|claim| claim.page == name) {
            text = text.replace(&flowing(claim.says), "");
        }
        let lower = text.to_lowercase();
        for words in GENERAL {
            let about =
                lower.find(words).map(|at| lower[at..].chars().take(120).collect::<String>());
            assert_eq!(about, None, "{name}: list this sentence with what shows it");
        }
    }
}

/// Commands whose reports a person reads: something holds, fails, is unknown, or is about several models.
const REPORTS: [&[&str]; 8] = [
    &["check", "--fairness", "strong", "lock.pml"],
    &["lock.pml"],
    &["check", "--max-states", "2", "lock.pml"],
    &["check", "--timeout", "0", "lock.pml"],
    &["check", "lock.pml", "two-phase-commit.csp"],
    &["ladder", "-p", "served", "lock.pml"],
    &["least", "-p", "served", "lock.pml"],
    &["check", "--report", "table", "lock.pml"],
];

fn a_report_ends_with_one_command(folder: &Path) {
    for arguments in REPORTS {
        let text = out(&fairly(folder, arguments));
        let count = text.lines().filter(|line| line.starts_with("next: ")).count();
        let last = text.lines().next_back().unwrap_or_default();
        assert!(count == 1 && last.starts_with("next: fairly "), "{arguments:?}\n{text}");
    }
}

fn documents_suggest_nothing(folder: &Path) {
    for format in ["json", "github", "junit", "sarif", "markdown"] {
        let output = fairly(folder, &["check", "--format", format, "lock.pml"]);
        assert!(!out(&output).contains("next: "), "{format}\n{}", out(&output));
        assert_eq!(code(&output), 1, "{format}");
    }
}

fn quiet_is_a_line_a_property(folder: &Path) {
    for notion in ["none", "weak", "strong"] {
        let output = fairly(folder, &["check", "-q", "--fairness", notion, "lock.pml"]);
        let text = out(&output);
        assert_eq!(text.lines().count(), 4, "{text}");
        let signs = ["  ok  ", "FAIL  ", "  ??  "];
        assert!(text.lines().all(|line| signs.iter().any(|it| line.starts_with(it))), "{text}");
        assert_eq!(err(&output), "");
    }
}

fn verbose_says_how(folder: &Path) {
    let whole = &["check", "-v", "--no-reduction", "-p", "served", "lock.pml"];
    let text = out(&fairly(folder, whole));
    assert!(text.contains("engine") && text.contains("nothing is left out:"), "{text}");
    let text = out(&fairly(folder, &["check", "-v", "--fairness", "strong", "lock.pml"]));
    let formulas = text.lines().filter(|line| line.starts_with("      engine: ")).count();
    assert_eq!(formulas, 2, "{text}");
}

fn the_assumption_stands_beside_the_answer(folder: &Path) {
    let notions = [
        ("none", "under no fairness"),
        ("weak", "under process-level weak fairness"),
        ("strong", "under process-level strong fairness"),
    ];
    for (notion, under) in notions {
        // Narrow as a terminal, and with formulas that leave little room.
        for (file, formulas) in [("lock.pml", 2), ("two-phase-commit.csp", 1)] {
            for detail in ["-q", "-v", "--ascii"] {
                let text = Command::new(env!("CARGO_BIN_EXE_fairly"))
                    .args(["check", detail, "--fairness", notion, file])
                    .current_dir(folder)
                    .env("NO_COLOR", "1")
                    .env("COLUMNS", "80")
                    .output();
                let text = flowing(&out(&text.expect("it runs")));
                let named = text.matches(under).count();
                assert!(named >= formulas, "{file} {detail} {notion}: {named}\n{text}");
            }
        }
    }
}

fn a_bound_is_unknown(folder: &Path) {
    let bounds = [["--max-states", "1"], ["--timeout", "0"], ["--lossy", "bits"]];
    for bound in bounds {
        // Nothing of this model is violated.
        let mut arguments = vec!["check", "-p", "assertions", "lock.pml"];
        arguments.extend(bound);
        let output = fairly(folder, &arguments);
        let text = out(&output);
        assert!(text.contains("1 property: 1 unknown"), "{bound:?}\n{text}{}", err(&output));
        assert_eq!(code(&output), 3, "{bound:?}\n{text}");
    }
}

fn errors_are_a_part_of_the_answer(folder: &Path) {
    let text = "byte n; active proctype P() { n = 1; assert(n == 2) }\nltl low { [] (n <= 1) }\n";
    fs::write(folder.join("broken.pml"), text).expect("a file");
    for command in ["check", "ladder", "least"] {
        let output = fairly(folder, &[command, "-p", "low", "broken.pml"]);
        assert!(out(&output).contains("the assertion `n == 2` does not hold"), "{}", out(&output));
        assert_eq!(code(&output), 1, "{command}\n{}", out(&output));
    }
}

fn an_unknown_is_not_as_expected(folder: &Path) {
    for expected in ["holds", "violated"] {
        let expect = format!("served={expected}");
        let arguments =
            ["check", "--max-states", "1", "-p", "served", "--expect", &expect, "lock.pml"];
        let output = fairly(folder, &arguments);
        assert!(out(&output).contains("NOT as expected"), "{}", out(&output));
        assert_eq!(code(&output), 3, "{}", out(&output));
    }
}

fn the_engine_is_in_the_document(folder: &Path) {
    for file in ["lock.pml", "two-phase-commit.csp"] {
        let text = out(&fairly(folder, &["check", "--format", "json", "--fairness", "weak", file]));
        let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let all = all.as_array().expect("a list");
        let formulas = all.iter().filter(|it| it["formula"].is_string());
        let mut count = 0;
        for answer in formulas {
            assert!(answer["stamp"]["engine"].is_string(), "{answer}");
            count += 1;
        }
        assert!(count > 0, "{text}");
    }
}

fn every_document_names_its_schema(folder: &Path) {
    let documents: [&[&str]; 6] = [
        &["check", "--format", "json", "lock.pml"],
        &["check", "--list", "--format", "json", "lock.pml"],
        &["check", "--explain-plan", "--format", "json", "lock.pml"],
        &["check", "--format", "json", "no-such-model.pml"],
        &["ladder", "--format", "json", "-p", "served", "lock.pml"],
        &["least", "--format", "json", "-p", "served", "lock.pml"],
    ];
    for arguments in documents {
        let text = out(&fairly(folder, arguments));
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let all = read.as_array().cloned().unwrap_or_else(|| vec![read]);
        assert!(!all.is_empty(), "{arguments:?}");
        for one in all {
            let schema = one["schema"].as_str().unwrap_or_default();
            assert!(schema.starts_with("fairly."), "{arguments:?}\n{one}");
        }
    }
}

fn diagnostics_go_to_standard_error(folder: &Path) {
    let output = fairly(folder, &["check", "lock.pml"]);
    assert!(out(&output).contains("FAIL") && err(&output).is_empty(), "{}", err(&output));
    fs::write(folder.join("wrong.pml"), "active proctype P() { x = 1 }").expect("a file");
    let output = fairly(folder, &["check", "wrong.pml"]);
    assert!(out(&output).is_empty() && err(&output).contains("error["), "{}", out(&output));
    assert_eq!(code(&output), 2);
}

fn stored_states_are_in_every_answer(folder: &Path) {
    let text = out(&fairly(folder, &["check", "--spin-compat", "lock.pml"]));
    let said = text.matches("states stored").count();
    assert_eq!(said, 4, "{text}");
}
