//! Documents for other programs: JSON as the published schemas say, SARIF, JUnit, annotations, Markdown; and
//! the files with which others run the command.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{code, err, out};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fairly(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(root()).env("NO_COLOR", "1");
    command.output().expect("the binary runs")
}

/// The errors in a value, by the part of JSON Schema that our schemas use.
pub(crate) fn wrong(value: &Value, schema: &Value, at: &str, all: &mut Vec<String>) {
    wrong_within(value, schema, schema, at, all);
}

/// The same for a part of a schema; what it refers to is in the whole one.
fn wrong_within(value: &Value, schema: &Value, root: &Value, at: &str, all: &mut Vec<String>) {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => {
            let pointer = name.strip_prefix('#').expect("a part of the same schema");
            root.pointer(pointer).expect("a part that is there")
        }
        None => schema,
    };
    if let Some(only) = schema.get("const")
        && only != value
    {
        all.push(format!("{at}: {value} is not {only}"));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        all.push(format!("{at}: {value} is none of {allowed:?}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |name: &Value| name == kind || (name == "number" && kind == "integer");
    let is_right = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is_kind),
        Some(only) => is_kind(only),
    };
    if !is_right {
        all.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    if let Value::Array(items) = value {
        for (number, item) in items.iter().enumerate() {
            wrong_within(item, &schema["items"], root, &format!("{at}[{number}]"), all);
        }
    }
    if let Value::Object(fields) = value {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap_or_default()) {
                all.push(format!("{at}: {name} is missing"));
            }
        }
        for (name, field) in fields {
            let place = format!("{at}.{name}");
            match (schema["properties"].get(name), schema.get("additionalProperties")) {
                (Some(own), _) => wrong_within(field, own, root, &place, all),
                (None, Some(Value::Bool(false))) => {
                    all.push(format!("{place} is not in the schema"));
                }
                (None, Some(other)) => wrong_within(field, other, root, &place, all),
                (None, None) => {}
            }
        }
    }
}

pub(crate) fn schema(name: &str) -> Value {
    let path = root().join("docs/schema").join(name);
    let text = std::fs::read_to_string(&path).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}

/// The documents that a command prints, all as the schema says.
fn documents(arguments: &[&str], schema: &Value) -> Vec<Value> {
    let output = fairly(arguments);
    let Ok(Value::Array(all)) = serde_json::from_str(&out(&output)) else {
        panic!("{arguments:?}: {}{}", out(&output), err(&output));
    };
    assert!(!all.is_empty());
    for document in &all {
        let mut mistakes = Vec::new();
        wrong(document, schema, "", &mut mistakes);
        assert!(mistakes.is_empty(), "{arguments:?}: {mistakes:#?}");
    }
    all
}

#[test]
fn answers_are_as_the_schema_says() {
    let verdict = schema("verdict-2.json");
    let file = "corpus/systems/c02-semaphore.net";
    for fairness in ["none", "weak", "strong", "weak-live", "global", "inherent"] {
        documents(&["check", "--format", "json", "--fairness", fairness, file], &verdict);
    }
    documents(&["check", "--format", "json", "--max-states", "1", file], &verdict);
    documents(&["check", "--format", "json", "--expect", "violated", file], &verdict);
    documents(
        &["check", "--format", "json", "--spin-compat", "examples/promela/lock_order.pml"],
        &verdict,
    );
    let folder = ["check", "--format", "json", "--timeout", "5", "examples/csp"];
    let all = documents(&folder, &verdict);
    assert!(all.len() > 50, "{}", all.len());
    let doomed = "corpus/systems/c06-deadlock-is-fair.net";
    documents(&["check", "--format", "json", "--fairness", "inherent", doomed], &verdict);
    documents(&["ladder", "--format", "json", file], &schema("ladder-2.json"));
    documents(&["least", "--format", "json", file], &schema("least-1.json"));
    for file in [file, "examples/csp/semaphore.csp", "examples/promela/semaphore.pml"] {
        let (list, plan) = (schema("properties-1.json"), schema("plan-1.json"));
        documents(&["check", "--list", "--format", "json", file], &list);
        documents(&["check", "--explain-plan", "--format", "json", file], &plan);
        let compare = ["compare", "--max-states", "5000", "--format", "json", file];
        documents(&compare, &schema("compare-1.json"));
    }
}

#[test]
fn states_have_their_variables_with_types() {
    let file = "examples/promela/two_phase_commit.pml";
    let arguments = ["check", "--format", "json", "-p", "end states", file];
    let all = documents(&arguments, &schema("verdict-2.json"));
    let end = &all[0]["run"]["end"];
    assert_eq!(end["variables"]["decided"], serde_json::json!(["unknown", "unknown"]));
    assert_eq!(end["variables"]["crashed"], true);
    assert_eq!(end["channels"]["vote"], serde_json::json!([["yes"], ["yes"]]));
    assert_eq!(end["processes"]["Coordinator[0]"]["at"], "-end-");
    let waiting = all[0]["run"]["waiting"].as_array().expect("what each process waits for");
    let waits = |name: &str| {
        let one = waiting.iter().find(|it| it["process"] == name).expect("the process");
        one["waits"].as_str().expect("words").to_owned()
    };
    assert!(waits("Participant[1]").contains("`decision[0]` is empty"), "{waiting:?}");
    assert_eq!(waits("Coordinator[0]"), "has reached its end");
    // A struct is an object, an array of them a list.
    let file = "examples/promela/msi.pml";
    let arguments = ["check", "--format", "json", "-p", "loses_it", file];
    let all = documents(&arguments, &schema("verdict-2.json"));
    let state = &all[0]["run"]["steps"][0]["state"]["variables"]["cache"];
    let invalid = serde_json::json!({ "state": "invalid", "value": 0 });
    assert_eq!(*state, serde_json::json!([invalid, invalid]));
    // The schema refuses what is not as it says.
    let mut mistakes = Vec::new();
    let mut broken = all[0].clone();
    broken["run"]["steps"][0]["state"] = serde_json::json!("cache=0");
    wrong(&broken, &schema("verdict-2.json"), "", &mut mistakes);
    assert!(!mistakes.is_empty());
}

#[test]
fn what_is_wrong_in_a_model_is_said_in_every_format() {
    let file = "corpus/promela/bad";
    let bad = std::fs::read_dir(root().join(file)).expect("models").filter_map(|entry| {
        let name = entry.expect("one").file_name().to_string_lossy().into_owned();
        (name.ends_with(".pml") && !name.contains("bomb")).then(|| format!("{file}/{name}"))
    });
    let mut bad: Vec<String> = bad.collect();
    bad.sort();
    let error = schema("error-1.json");
    for model in bad.iter().step_by(9) {
        for document in documents(&["check", "--format", "json", model], &error) {
            assert!(document["line"].as_u64().is_some_and(|line| line > 0), "{document}");
            assert_eq!(document["file"], model.as_str());
        }
        for format in ["sarif", "github", "junit", "markdown"] {
            let output = fairly(&["check", "--format", format, model]);
            assert_eq!(code(&output), 2, "{model}");
            let text = out(&output);
            let whole: Vec<Value> = documents(&["check", "--format", "json", model], &error);
            let (line, column) = (&whole[0]["line"], &whole[0]["column"]);
            let place = match format {
                "github" => format!("::error file={model},line={line},col={column},"),
                "sarif" => format!("\"startColumn\": {column}"),
                _ => format!("{line}:{column}: "),
            };
            assert!(text.contains(&place), "{format} {place}: {text}");
        }
    }
    // Beside the answers about another model, and for what cannot be read at all.
    let good = "corpus/systems/c02-semaphore.net";
    let output = fairly(&["check", "--format", "json", good, &bad[0], "missing.pml"]);
    assert_eq!(code(&output), 2);
    let all: Vec<Value> = serde_json::from_str(&out(&output)).expect("JSON");
    let outcomes: Vec<&str> = all.iter().filter_map(|it| it["outcome"].as_str()).collect();
    assert_eq!(outcomes[0], "violated");
    assert!(outcomes[1..].iter().all(|it| *it == "error") && outcomes.len() > 2, "{outcomes:?}");
    assert_eq!(all.last().expect("one")["code"], "E0003");
    for command in ["ladder", "least"] {
        documents(&[command, "--format", "json", &bad[0]], &error);
    }
}

#[test]
fn the_checker_of_schemas_finds_mistakes() {
    let verdict = schema("verdict-2.json");
    let mistakes = |change: &dyn Fn(&mut Value)| {
        let file = "corpus/systems/c02-semaphore.net";
        let mut document = documents(&["check", "--format", "json", file], &verdict).remove(0);
        change(&mut document);
        let mut mistakes = Vec::new();
        wrong(&document, &verdict, "", &mut mistakes);
        mistakes.len()
    };
    assert_eq!(mistakes(&|_| {}), 0);
    assert_eq!(mistakes(&|it| it["outcome"] = "perhaps".into()), 1);
    assert_eq!(mistakes(&|it| it["extra"] = 1.into()), 1);
    assert_eq!(mistakes(&|it| it["stamp"]["seconds"] = "1".into()), 1);
    assert_eq!(mistakes(&|it| it["run"]["steps"][0]["processes"]["P1"] = "lost".into()), 1);
    assert_eq!(mistakes(&|it| drop(it.as_object_mut().expect("an object").remove("file"))), 1);
}

const LOCK: &str = "crates/cli/src/new/lock.pml";

#[test]
fn annotations_stand_at_the_lines_of_properties() {
    let output = fairly(&["check", "--format", "github", LOCK]);
    assert_eq!(code(&output), 1);
    let text = out(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].starts_with(&format!("::error file={LOCK},line=18,title=served")), "{text}");
    assert!(lines[0].contains("%0A") && lines[0].contains("repeat from 2"), "{text}");
    // An expected violation is no error.
    let expected = fairly(&["check", "--format", "github", "--expect", "served=violated", LOCK]);
    assert_eq!((code(&expected), out(&expected).as_str()), (0, ""));
}

#[test]
fn code_scanning_and_test_reports_are_written_beside_the_report() {
    let folder = std::env::temp_dir().join(format!("fairly-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of its own");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (sarif, junit) = (path("a.sarif"), path("a.xml"));
    let reports = [format!("sarif={sarif}"), format!("junit={junit}")];
    let output = fairly(&["check", "--report", &reports[0], "--report", &reports[1], LOCK]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(out(&output).contains("FAIL  served"));
    let read = |path: &str| std::fs::read_to_string(path).expect("a report");
    let sarif: Value = serde_json::from_str(&read(&sarif)).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], LOCK);
    assert_eq!(place["region"]["startLine"], 18);
    let junit = read(&junit);
    assert!(junit.contains("tests=\"4\" skipped=\"0\" errors=\"0\" failures=\"1\""), "{junit}");
    assert_eq!(junit.matches("<testcase").count(), 4);
    assert_eq!(junit.matches("<failure").count(), 1);
    // Formulas are full of what XML reserves.
    assert!(junit.contains("-&gt; &lt;&gt; Worker[0]@works"), "{junit}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_summary_has_a_row_for_each_property() {
    let text = out(&fairly(&["check", "--format", "markdown", LOCK]));
    assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), 5, "{text}");
    assert!(text.contains("<details>"), "{text}");
}

/// The options that a text gives to `fairly check` exist.
fn options_exist(text: &str) {
    let help = out(&fairly(&["check", "--help"]));
    let words = text.lines().filter(|line| line.contains("check") || line.contains("--report"));
    let words = words.flat_map(|line| line.split(|it: char| it.is_whitespace() || it == '('));
    let options: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
    assert!(!options.is_empty());
    for option in options {
        let known = ["--locked", "--path", "--root"];
        assert!(known.contains(&option) || help.contains(option), "{option}");
    }
}

#[test]
fn others_run_the_command_with_options_that_exist() {
    for file in ["action.yml", ".pre-commit-hooks.yaml"] {
        options_exist(&std::fs::read_to_string(root().join(file)).expect("it is there"));
    }
}
