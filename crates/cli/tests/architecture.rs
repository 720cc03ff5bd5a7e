//! ARCHITECTURE.md, `crates/` and the manifests say the same, and dependencies point down only.
//!
//! The rules are in [`complaints`], a function of texts alone, so that each rule is also shown to
//! fail on a workspace that breaks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use toml::{Table, Value};

/// The crates that may hold `unsafe` code, with lints of their own.
const MAY_BE_UNSAFE: [&str; 3] = ["store", "jit", "gpu"];

/// The crates that only tests use. The first one depends on nothing: an oracle shares no code with what it judges.
const FOR_TESTS: [&str; 2] = ["testkit", "modelkit"];

/// The crate that programs use: its package is called like its folder.
const FACADE: &str = "fairly";

/// A row of the table of crates: the folder, and what it may depend on.
#[derive(Debug)]
struct Row {
    folder: String,
    allowed: Vec<String>,
}

/// The rows of the first table with the heading `| crate | holds | may depend on |`.
fn crate_table(document: &str) -> Vec<Row> {
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = document.lines();
    if !lines.any(|line| cells(line) == ["crate", "holds", "may depend on"]) {
        return Vec::new();
    }
    lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells = cells(line);
            let names = |text: &str| -> Vec<String> {
                let words = text.split([' ', ',', '`']).filter(|word| !word.is_empty());
                words.filter(|&word| word != "–").map(str::to_owned).collect()
            };
            let folder = names(&cells[0]).into_iter().next().unwrap_or_default();
            Row { folder, allowed: cells.get(2).map(|cell| names(cell)).unwrap_or_default() }
        })
        .collect()
}

/// The folders of this workspace's crates that a crate depends on, with the kind of dependency.
fn arrows(manifest: &Table, workspace: &Table) -> Vec<(&'static str, String)> {
    let shared = workspace
        .get("workspace")
        .and_then(|table| table.get("dependencies"))
        .and_then(Value::as_table);
    // A dependency may be known under another name than its package's, here or in the workspace.
    let package = |name: &String, value: &Value| -> String {
        let renamed = |value: &Value| value.get("package")?.as_str().map(str::to_owned);
        renamed(value).or_else(|| renamed(shared?.get(name)?)).unwrap_or_else(|| name.clone())
    };
    let mut arrows = Vec::new();
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(|targets| targets.values());
    for table in tables.filter_map(Value::as_table).chain([manifest]) {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let Some(dependencies) = table.get(kind).and_then(Value::as_table) else { continue };
            for (name, value) in dependencies {
                if let Some(folder) = package(name, value).strip_prefix("fairly-") {
                    arrows.push((kind, folder.to_owned()));
                }
            }
        }
    }
    arrows
}

/// Everything that is wrong with the workspace, in words.
fn complaints(
    document: &str,
    workspace: &Table,
    manifests: &BTreeMap<String, Table>,
) -> Vec<String> {
    let rows = crate_table(document);
    let mut wrong = Vec::new();
    if rows.is_empty() {
        wrong.push("ARCHITECTURE.md has no table `| crate | holds | may depend on |`".to_owned());
    }
    let forbids =
        |value: &Value| value.as_str().or_else(|| value.get("level")?.as_str()) == Some("forbid");
    let unsafe_code = workspace
        .get("workspace")
        .and_then(|table| table.get("lints")?.get("rust")?.get("unsafe_code"));
    if !unsafe_code.is_some_and(forbids) {
        wrong.push("the workspace's lints do not forbid unsafe code".to_owned());
    }
    let mut above = BTreeSet::new();
    for Row { folder, allowed } in &rows {
        if !manifests.contains_key(folder) {
            wrong.push(format!("`{folder}` is in the table but not in crates/"));
        }
        for other in allowed {
            let is_for_tests = |folder: &String| FOR_TESTS.contains(&folder.as_str());
            if is_for_tests(other) && !is_for_tests(folder) {
                wrong.push(format!(
                    "the table lets `{folder}` depend on {other}, which is for tests"
                ));
            } else if !above.contains(other) {
                wrong.push(format!("the table lets `{folder}` depend on `{other}`, not above it"));
            }
        }
        if !above.insert(folder) {
            wrong.push(format!("`{folder}` is in the table twice"));
        }
    }
    for (folder, manifest) in manifests {
        let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
        let expected = match folder.as_str() {
            FACADE => FACADE.to_owned(),
            _ => format!("fairly-{folder}"),
        };
        if name != Some(&expected) {
            wrong.push(format!("crates/{folder} holds the package {name:?}"));
        }
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        if inherits != Some(true) && !MAY_BE_UNSAFE.contains(&folder.as_str()) {
            wrong.push(format!("`{folder}` does not inherit the workspace's lints"));
        }
        let Some(row) = rows.iter().find(|row| row.folder == *folder) else {
            wrong.push(format!("`{folder}` is in crates/ but not in the table"));
            continue;
        };
        let arrows = arrows(manifest, workspace);
        for allowed in &row.allowed {
            let is_used =
                |(kind, target): &(&str, String)| *kind != "dev-dependencies" && target == allowed;
            if !arrows.iter().any(is_used) {
                wrong.push(format!(
                    "the table lets `{folder}` depend on `{allowed}`, and it does not"
                ));
            }
        }
        for (kind, target) in arrows {
            let in_tests = kind == "dev-dependencies";
            if folder == "testkit" {
                wrong.push(format!("testkit depends on `{target}`: it must share no code"));
            } else if FOR_TESTS.contains(&target.as_str())
                && !FOR_TESTS.contains(&folder.as_str())
                && !in_tests
            {
                wrong.push(format!("`{folder}` has {target} in its {kind}: it is for tests"));
            } else if !in_tests && !row.allowed.contains(&target) {
                wrong.push(format!("`{folder}` depends on `{target}`, which the table forbids"));
            }
        }
    }
    wrong
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

fn table(path: &str) -> Table {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.parse().unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn the_document_and_the_workspace_agree() {
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates/") {
        let entry = entry.expect("an entry of crates/");
        let folder = entry.file_name().into_string().expect("a plain name");
        // A folder that holds no manifest is not a crate; git does not even record an empty one.
        if entry.path().join("Cargo.toml").is_file() {
            let manifest = table(&format!("crates/{folder}/Cargo.toml"));
            manifests.insert(folder, manifest);
        }
    }
    let wrong = complaints(&document(), &table("Cargo.toml"), &manifests);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The document names files and folders; each of them exists.
#[test]
fn every_path_in_the_document_exists() {
    let text = document();
    let quoted = text.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted.filter(|word| word.starts_with("crates/")).collect();
    assert!(!paths.is_empty(), "the document names no path");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which is gone");
    }
}

/// The files beside a crate's `tests/all.rs` that are not compiled: no test of the manifest, and no module of
/// one, given their texts. Cargo looks for tests itself only where it is not told that they are one program.
fn missing_tests(manifest: &Table, programs: &str, files: &[String]) -> Vec<String> {
    let looks = manifest.get("package").and_then(|package| package.get("autotests")?.as_bool());
    if looks != Some(false) {
        return Vec::new();
    }
    let listed = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
    let named = listed.filter_map(|test| test.get("name")?.as_str());
    let modules = programs
        .lines()
        .filter_map(|line| line.strip_prefix("mod ").and_then(|it| it.strip_suffix(';')));
    let known: BTreeSet<&str> = named.chain(modules).collect();
    files.iter().filter(|file| !known.contains(file.as_str())).cloned().collect()
}

#[test]
fn every_file_of_tests_is_compiled() {
    let mut crates = 0;
    for entry in fs::read_dir(root().join("crates")).expect("crates/") {
        let folder = entry.expect("an entry of crates/").path();
        let Ok(all) = fs::read_to_string(folder.join("tests/all.rs")) else { continue };
        let files: Vec<String> = fs::read_dir(folder.join("tests"))
            .expect("tests/")
            .map(|entry| entry.expect("an entry of tests/").path())
            .filter(|path| match path.extension() {
                Some(extension) => extension == "rs",
                None => path.join("mod.rs").is_file() || path.join("main.rs").is_file(),
            })
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let manifest: Table = text.parse().expect("TOML");
        // A program beside `all` has modules of its own.
        let listed = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
        let programs: String = listed
            .filter_map(|test| test.get("name")?.as_str())
            .filter_map(|name| fs::read_to_string(folder.join(format!("tests/{name}.rs"))).ok())
            .chain([all])
            .collect();
        let forgotten = missing_tests(&manifest, &programs, &files);
        assert!(forgotten.is_empty(), "{}: {forgotten:?}", folder.display());
        crates += 1;
    }
    assert!(crates > 5, "{crates}");
}

/// No test is made of files of another crate: what several need is in a crate for tests.
#[test]
fn no_test_reaches_into_another_crate() {
    fn visit(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the workspace") {
            let path = entry.expect("an entry of the folder").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let reaches = |line: &str| line.starts_with("#[path = \"../..");
                found.extend(text.lines().any(reaches).then(|| path.display().to_string()));
            }
        }
    }
    let mut found = Vec::new();
    visit(&root().join("crates"), &mut found);
    assert!(found.is_empty(), "{found:?}");
}

/// `.ci/run` builds the binaries as the profile `dev` with a release's settings, to share the dependencies
/// with the tests. A setting that is added to a release has to be given there, too.
#[test]
fn the_profiles_are_those_that_ci_knows() {
    let workspace = table("Cargo.toml");
    let expected = |text: &str| Value::Table(text.parse().expect("TOML"));
    let release = "debug = \"line-tables-only\"\n[package.\"*\"]\ndebug = false";
    assert_eq!(workspace["profile"]["release"], expected(release));
    let dependencies =
        "opt-level = 3\ndebug = false\ndebug-assertions = false\noverflow-checks = false";
    assert_eq!(workspace["profile"]["dev"]["package"]["*"], expected(dependencies));
}

mod rules {
    use super::*;

    const DOCUMENT: &str = "\
# Something

| crate | holds | may depend on |
|---|---|---|
| `low` | the ground | – |
| `high` | the rest | low |
| `testkit` | for tests | – |

| another | table |
|---|---|
| `nothing` | here |
";
    const WORKSPACE: &str = "[workspace.lints.rust]\nunsafe_code = \"forbid\"";
    const LOW: &str = "[package]\nname = \"fairly-low\"\n[lints]\nworkspace = true\n";
    const HIGH: &str = "[package]\nname = \"fairly-high\"\n[lints]\nworkspace = true\n\
                        [dependencies]\nfairly-low.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\nfairly-testkit.workspace = true\n";
    const TESTKIT: &str = "[package]\nname = \"fairly-testkit\"\n[lints]\nworkspace = true\n";

    /// Errors in the good workspace after `change` was applied to its four texts.
    fn after(change: impl Fn(&mut [String; 4])) -> Vec<String> {
        let mut texts = [DOCUMENT, LOW, HIGH, TESTKIT].map(str::to_owned);
        change(&mut texts);
        let [document, low, high, testkit] = texts;
        let crates = [("low", low), ("high", high), ("testkit", testkit)];
        let parse = |text: &str| text.parse::<Table>().expect("TOML");
        let manifests = crates
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(folder, text)| (folder.to_owned(), parse(&text)))
            .collect();
        complaints(&document, &parse(WORKSPACE), &manifests)
    }

    fn rejected(reason: &str, change: impl Fn(&mut [String; 4])) {
        let wrong = after(change);
        assert!(wrong.iter().any(|text| text.contains(reason)), "{reason}: {wrong:?}");
    }

    #[test]
    fn a_good_workspace_passes() {
        assert_eq!(after(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn table_and_folders_must_agree() {
        rejected("`low` is in the table but not in crates/", |texts| texts[1].clear());
        rejected("`high` is in crates/ but not in the table", |texts| {
            texts[0] = texts[0].replace("| `high` | the rest | low |\n", "");
        });
        rejected("`low` is in the table twice", |texts| {
            texts[0] = texts[0].replace("| `high` | the rest | low |", "| `low` | again | – |");
        });
        rejected("has no table", |texts| texts[0] = "# Nothing".into());
        rejected("crates/low holds the package", |texts| {
            texts[1] = texts[1].replace("fairly-low", "low");
        });
    }

    #[test]
    fn arrows_must_point_down() {
        rejected("`high` depends on `low`, which the table forbids", |texts| {
            texts[0] = texts[0].replace("the rest | low", "the rest | –");
        });
        rejected("`low` depends on `high`, which the table forbids", |texts| {
            texts[1] += "[dependencies.fairly-high]\npath = \"../high\"\n";
        });
        rejected("`low` depends on `high`, which the table forbids", |texts| {
            texts[1] += "[target.'cfg(unix)'.build-dependencies]\nfairly-high.path = \"../high\"\n";
        });
        rejected("`low` depends on `high`, which the table forbids", |texts| {
            texts[1] += "[dependencies]\nother = { package = \"fairly-high\", version = \"1\" }\n";
        });
        rejected("the table lets `low` depend on `high`, not above it", |texts| {
            texts[0] = texts[0].replace("the ground | –", "the ground | high");
        });
    }

    #[test]
    fn the_table_allows_nothing_that_is_not_used() {
        rejected("the table lets `high` depend on `low`, and it does not", |texts| {
            texts[2] = texts[2].replace("fairly-low.workspace = true\n", "");
        });
        rejected("the table lets `high` depend on `low`, and it does not", |texts| {
            texts[2] = texts[2].replace("fairly-low.workspace = true\n", "");
            texts[2] += "fairly-low.workspace = true\n";
        });
    }

    #[test]
    fn testkit_stays_in_tests() {
        rejected("`low` has testkit in its dependencies", |texts| {
            texts[1] += "[dependencies]\nfairly-testkit.workspace = true\n";
        });
        rejected("the table lets `high` depend on testkit", |texts| {
            texts[0] = texts[0].replace("the rest | low", "the rest | low, testkit");
        });
        rejected("testkit depends on `low`", |texts| {
            texts[3] += "[dev-dependencies]\nfairly-low.workspace = true\n";
        });
    }

    #[test]
    fn unsafe_code_is_forbidden() {
        rejected("`low` does not inherit the workspace's lints", |texts| {
            texts[1] = texts[1].replace("[lints]\nworkspace = true\n", "");
        });
        let nothing = complaints(DOCUMENT, &Table::new(), &BTreeMap::new());
        assert!(nothing.iter().any(|text| text.contains("do not forbid unsafe code")));
        // The store may have lints of its own.
        let store = "[package]\nname = \"fairly-store\"\n".parse().expect("TOML");
        let document = "| crate | holds | may depend on |\n|---|---|---|\n| `store` | states | – |";
        let workspace = WORKSPACE.parse().expect("TOML");
        let manifests = BTreeMap::from([("store".to_owned(), store)]);
        assert_eq!(complaints(document, &workspace, &manifests), Vec::<String>::new());
    }

    #[test]
    fn renamed_dependencies_are_followed_through_the_workspace() {
        let workspace = "[workspace.dependencies]\nalias = { package = \"fairly-high\" }";
        let manifest = "[dependencies]\nalias.workspace = true";
        let (workspace, manifest) =
            (workspace.parse().expect("TOML"), manifest.parse().expect("TOML"));
        assert_eq!(arrows(&manifest, &workspace), [("dependencies", "high".to_owned())]);
    }
    #[test]
    fn a_file_of_tests_is_a_module_or_a_program() {
        let manifest =
            "[package]\nautotests = false\n[[test]]\nname = \"all\"\n[[test]]\nname = \"own\"";
        let files = ["all", "own", "module", "other"].map(str::to_owned);
        let forgotten =
            |manifest: &str, all| missing_tests(&manifest.parse().expect("TOML"), all, &files);
        assert_eq!(forgotten(manifest, "mod module;\nmod other;\n"), Vec::<String>::new());
        assert_eq!(forgotten(manifest, "mod module;\n// mod other;\n"), ["other"]);
        assert_eq!(forgotten("[package]\n", ""), Vec::<String>::new());
    }
}
