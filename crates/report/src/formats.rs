//! Answers for other programs, made from their JSON documents: annotations of GitHub, SARIF, JUnit,
//! Markdown.
//!
//! An answer that was expected is no failure in any of them.

use std::fmt::Write;

use fairly_source::escape::in_line;
use serde_json::{Value, json};

use crate::markup::{self, Command, block, code, github as github_part, uri, xml};

/// How an answer counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Passed,
    Failed,
    Unknown,
    /// Nothing was answered: the model could not be read.
    Error,
    /// A bug of ours was in the way.
    Broken,
}

fn counts(document: &Value) -> Counts {
    let outcome = text(document, "outcome");
    let expected = document["expected"].as_str().unwrap_or("holds");
    match outcome {
        _ if document["internal"].as_bool() == Some(true) => Counts::Broken,
        "unknown" => Counts::Unknown,
        "error" => Counts::Error,
        outcome if outcome == expected => Counts::Passed,
        _ => Counts::Failed,
    }
}

fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

/// What it is called: the property, with its formula where it has one.
fn title(document: &Value) -> String {
    if counts(document) == Counts::Error {
        let code = text(document, "code");
        return if code.is_empty() { "error".to_owned() } else { format!("error {code}") };
    }
    let (title, formula) = (text(document, "title"), text(document, "formula"));
    let title = if title.is_empty() { text(document, "property") } else { title };
    if formula.is_empty() || title.contains(formula) {
        title.to_owned()
    } else {
        format!("{title}: {formula}")
    }
}

/// Where something is, from 1.
struct Place {
    line: u64,
    column: Option<u64>,
    /// The line and the column behind the end.
    end: Option<(u64, u64)>,
}

fn place(document: &Value) -> Place {
    let number = |name: &str| document[name].as_u64();
    Place {
        line: number("line").unwrap_or(1),
        column: number("column"),
        end: number("end_line").zip(number("end_column")),
    }
}

/// What is assumed, the answer, and why, in a sentence or two.
fn message(document: &Value) -> String {
    if counts(document) == Counts::Error {
        let mut out = text(document, "message").to_owned();
        for more in ["label", "help"] {
            if !text(document, more).is_empty() {
                let _ = write!(out, "; {}", text(document, more));
            }
        }
        return out;
    }
    let outcome = match text(document, "outcome") {
        "holds" => "holds".to_owned(),
        outcome => format!("is {outcome}"),
    };
    let mut out = format!("{} {outcome}", title(document));
    if let Some(fairness) = document["stamp"]["fairness"].as_str() {
        let _ = write!(out, " under {fairness}");
    }
    if let Some(expected) = document["expected"].as_str() {
        let _ = write!(out, ", expected {expected}");
    }
    out.push('.');
    for name in ["why", "conclusion"] {
        if !text(document, name).is_empty() {
            let _ = write!(out, " {}.", text(document, name).trim_end_matches('.'));
        }
    }
    if let Some(constraint) = document["upgrade"]["constraint"].as_str() {
        let _ = write!(out, " {constraint} excludes this run");
        out.push_str(match document["upgrade"]["suffices"].as_bool() {
            Some(true) => "; checked again with it, the property holds.",
            Some(false) => "; checked again with it, the property still fails.",
            None => ".",
        });
    }
    for note in document["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let _ = write!(out, " Note: {note}.");
    }
    out
}

/// The run, a line a step.
fn run(document: &Value) -> String {
    let mut out = String::new();
    let steps = document["run"]["steps"].as_array();
    // Behind the last step there is no loop: the run is finite.
    let count = steps.map_or(0, Vec::len) as u64;
    let back = document["run"]["loop"].as_u64().filter(|&back| back < count);
    for (at, step) in (0u64..).zip(steps.into_iter().flatten()) {
        let mark = if back.is_some_and(|back| at >= back) { "│ " } else { "  " };
        let action = step["action"].as_str().unwrap_or(text(step, "event"));
        let _ = writeln!(out, "{mark}{:>3}  {}  {action}", at + 1, text(step, "who"));
    }
    if let (Some(back), false) = (back, out.is_empty()) {
        let _ = writeln!(out, "repeat from {}", back + 1);
    }
    out
}

/// Commands that GitHub Actions shows as annotations at the lines.
pub fn github(documents: &[Value]) -> String {
    let mut out = String::new();
    for document in documents {
        let kind = match counts(document) {
            Counts::Failed | Counts::Error | Counts::Broken => "error",
            Counts::Unknown => "warning",
            Counts::Passed if document["notes"].as_array().is_some_and(|it| !it.is_empty()) => {
                "notice"
            }
            Counts::Passed => continue,
        };
        let file = github_part(text(document, "file"), Command::Property);
        let Place { line, column, .. } = place(document);
        let column = column.map_or(String::new(), |column| format!(",col={column}"));
        let title = github_part(&title(document), Command::Property);
        let said = format!("{}\n{}", message(document), run(document));
        let said = github_part(said.trim_end(), Command::Message);
        let _ = writeln!(out, "::{kind} file={file},line={line}{column},title={title}::{said}");
    }
    out
}

/// SARIF 2.1.0.
pub fn sarif(documents: &[Value]) -> Value {
    let rules = [
        ("violated", "A property is violated on a fair run"),
        ("unknown", "It is not known whether a property holds"),
        ("internal", "A bug of the checker was in the way of an answer"),
        ("note", "A property holds, but for a reason worth a look"),
        ("error", "A model cannot be checked, because something is wrong in it"),
    ];
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, says)| json!({ "id": id, "shortDescription": { "text": says } }))
        .collect();
    let results = documents.iter().filter_map(|document| {
        let has_notes = document["notes"].as_array().is_some_and(|it| !it.is_empty());
        let (rule, level) = match counts(document) {
            Counts::Failed => ("violated", "error"),
            Counts::Error => ("error", "error"),
            Counts::Unknown => ("unknown", "warning"),
            Counts::Broken => ("internal", "error"),
            Counts::Passed if has_notes => ("note", "note"),
            Counts::Passed => return None,
        };
        let at = place(document);
        let mut region = json!({ "startLine": at.line });
        if let (Some(column), Some(end)) = (at.column, at.end) {
            region["startColumn"] = json!(column);
            region["endLine"] = json!(end.0);
            region["endColumn"] = json!(end.1);
        }
        let file = text(document, "file");
        let location = json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file) },
                "region": region,
            },
        });
        // Standard input and formulas of the command line are no artifacts.
        let is_file = !file.is_empty() && !file.starts_with('<');
        let locations = if is_file { vec![location] } else { Vec::new() };
        Some(json!({
            "ruleId": rule,
            "level": level,
            "message": { "text": format!("{}\n{}", message(document), run(document)).trim_end() },
            "locations": locations,
        }))
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fairly",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results.collect::<Vec<Value>>(),
        }],
    })
}

/// JUnit's XML: a suite for each model, a case for each property.
pub fn junit(documents: &[Value]) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    let mut files: Vec<&str> = Vec::new();
    for document in documents {
        if !files.contains(&text(document, "file")) {
            files.push(text(document, "file"));
        }
    }
    for file in files {
        let of_file = || documents.iter().filter(|document| text(document, "file") == file);
        let count = |what: Counts| of_file().filter(|document| counts(document) == what).count();
        let seconds: f64 =
            of_file().filter_map(|document| document["stamp"]["seconds"].as_f64()).sum();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{seconds:.3}\">",
            xml(file),
            of_file().count(),
            count(Counts::Failed),
            count(Counts::Unknown) + count(Counts::Error) + count(Counts::Broken),
        );
        for document in of_file() {
            let time = document["stamp"]["seconds"].as_f64().unwrap_or(0.0);
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{time:.3}\"",
                xml(file),
                xml(&title(document))
            );
            let tag = match counts(document) {
                Counts::Passed => {
                    out.push_str("/>\n");
                    continue;
                }
                Counts::Failed => "failure",
                Counts::Unknown | Counts::Error | Counts::Broken => "error",
            };
            let _ = writeln!(
                out,
                ">\n      <{tag} message=\"{}\">{}</{tag}>\n    </testcase>",
                xml(&message(document)),
                xml(&run(document))
            );
        }
        out.push_str("  </testsuite>\n");
    }
    out + "</testsuites>\n"
}

/// A table of the answers, and the runs below it, folded.
pub fn markdown(documents: &[Value]) -> String {
    let mut out = "| | property | under | states |\n|---|---|---|---:|\n".to_owned();
    for document in documents {
        let sign = match counts(document) {
            Counts::Passed => "✓",
            Counts::Failed => "✗",
            Counts::Unknown | Counts::Error => "?",
            Counts::Broken => "!",
        };
        let states =
            document["stamp"]["states"].as_u64().map_or(String::new(), |it| it.to_string());
        let fairness = document["stamp"]["fairness"].as_str().unwrap_or("");
        let _ = writeln!(
            out,
            "| {sign} {} | {} {} | {} | {states} |",
            text(document, "outcome"),
            code(&title(document)),
            markup::markdown(text(document, "file")),
            markup::markdown(fairness)
        );
    }
    for document in documents.iter().filter(|document| counts(document) != Counts::Passed) {
        let _ = write!(
            out,
            "\n<details><summary>{}</summary>\n\n{}\n",
            xml(&in_line(&title(document))),
            markup::markdown(&message(document)),
        );
        if document["run"].is_object() {
            let _ = write!(out, "\n{}", block(&run(document), ""));
        }
        out.push_str("\n</details>\n");
    }
    out
}
