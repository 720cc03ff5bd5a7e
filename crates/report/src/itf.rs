//! A run in the Informal Trace Format of Apalache: states with a loop index, and what only we know, such
//! as the fairness ledger, in `#meta`, where readers that do not know it pass over it.
//!
//! [`crate::trace`] reads it back.

use fairly_check::claim::Shown;
use fairly_check::{Counterexample, Verdict};
use fairly_omega::StateId;
use fairly_source::Span;
use fairly_system::{Run, TransitionSystem};
use serde_json::{Map, Value, json};

use crate::json::ledger;
use crate::look::Source;
use crate::table::rows;

/// Where a run comes from, for whoever wants to replay it.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The files that make the model.
    pub files: &'a [String],
    /// The text of the model, for lines.
    pub source: Option<Source<'a>>,
    /// The question that the run answers.
    pub property: Asked,
    /// Where that is written.
    pub place: Option<Span>,
}

/// How a question is asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By its name.
    Property(String),
    /// By its text.
    Formula(String),
    /// Not at all: nobody said what the run is a run against.
    Nothing,
}

/// The counterexample as a trace.
pub fn trace<S: TransitionSystem>(
    system: &mut S,
    verdict: &Verdict,
    found: &Counterexample,
    origin: &Origin<'_>,
) -> Value {
    let mut meta = meta(system, origin);
    meta.insert("property".to_owned(), json!(verdict.property));
    meta.insert("formula".to_owned(), json!(verdict.formula));
    meta.insert("fairness".to_owned(), json!(verdict.stamp.fairness));
    meta.insert("constraints".to_owned(), json!(verdict.stamp.constraints));
    meta.insert("ledger".to_owned(), ledger(&found.ledger));
    document(system, &found.run, None, &meta, origin)
}

/// A finite run as a trace, or one with a loop that is no matter of fairness.
pub fn finite<S: TransitionSystem>(
    system: &mut S,
    title: &str,
    shown: &Shown,
    origin: &Origin<'_>,
) -> Value {
    let mut meta = meta(system, origin);
    meta.insert("property".to_owned(), json!(title));
    meta.insert("conclusion".to_owned(), json!(shown.conclusion));
    if system.fault(shown.prefix.end()).is_some() {
        meta.insert("ends".to_owned(), json!("error"));
    }
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let end = shown.cycle.is_empty().then(|| shown.prefix.end());
    document(system, &run, end, &meta, origin)
}

fn meta<S: TransitionSystem>(system: &S, origin: &Origin<'_>) -> Map<String, Value> {
    let line = origin.source.zip(origin.place).and_then(|(text, place)| text.line(place.start));
    let asked = match &origin.property {
        Asked::Property(name) => json!({ "property": name }),
        Asked::Formula(text) => json!({ "formula": text }),
        Asked::Nothing => json!({}),
    };
    let value = json!({
        "format": "ITF",
        "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html",
        "source": "fairly",
        "model": origin.files,
        "asked": asked,
        "line": line,
        "processes": system.signature().processes,
    });
    match value {
        Value::Object(meta) => meta,
        _ => Map::new(),
    }
}

fn document<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    end: Option<StateId>,
    meta: &Map<String, Value>,
    origin: &Origin<'_>,
) -> Value {
    let processes = system.signature().processes.clone();
    let mut vars = vec!["state".to_owned(), "event".to_owned(), "who".to_owned()];
    let from: Vec<StateId> = run.steps().map(|step| step.from).collect();
    let mut states = Vec::new();
    for (at, (row, &state)) in rows(system, run).iter().zip(&from).enumerate() {
        let parts: Map<String, Value> = processes
            .iter()
            .zip(&row.parts)
            .map(|(process, part)| (process.clone(), json!(part.word())))
            .collect();
        let line = origin.source.zip(row.span).and_then(|(text, span)| text.line(span.start));
        let changes: Map<String, Value> =
            row.changes.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let mut value = json!({
            "#meta": {
                "index": at,
                "action": row.action,
                "line": line,
                "processes": parts,
                "changes": changes,
            },
            "state": row.from,
            "event": row.event,
            "who": row.who,
        });
        valuate(system, state, &mut value, &mut vars);
        states.push(value);
    }
    if let Some(end) = end {
        let mut value = json!({
            "#meta": { "index": states.len() },
            "state": system.describe(end),
            "event": "",
            "who": "",
        });
        valuate(system, end, &mut value, &mut vars);
        states.push(value);
    }
    let mut document = json!({ "#meta": meta, "vars": vars, "states": states });
    if !run.cycle.is_empty() {
        document["loop"] = json!(run.stem.len());
    }
    document
}

/// The variables of a state, each for itself.
fn valuate<S: TransitionSystem>(
    system: &S,
    state: StateId,
    value: &mut Value,
    vars: &mut Vec<String>,
) {
    for (name, text) in system.valuation(state) {
        if ["state", "event", "who"].contains(&name.as_str()) {
            continue;
        }
        value[&name] = text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number));
        if !vars.contains(&name) {
            vars.push(name);
        }
    }
}
