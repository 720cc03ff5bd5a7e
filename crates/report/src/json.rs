//! A verdict as JSON. The schema has a version; fields are added, never changed, within one. States are
//! objects since version 2: see `state.rs`.

use fairly_check::claim::Order;
use fairly_check::{Cause, CauseKind, Elsewhere, Fairness, Ladder, Least, Outcome, Verdict};
use fairly_fairness::Notion;
use fairly_omega::StateId;
use fairly_source::{Diagnostic, Position, escape, parts};
use fairly_system::{Run, RunStep, TransitionSystem};
use fairly_witness::{Ledger, Reason};
use serde_json::{Value, json};

use crate::state::state;
use crate::stuck::{self, Waits};
use crate::table::rows;

/// The schema of [`verdict`].
pub const VERDICT_SCHEMA: &str = "fairly.verdict/2";

/// A document as text, in which nothing stands that a terminal would obey.
pub fn text(document: &Value) -> String {
    escape::json(&format!("{document:#}\n")).into_owned()
}

/// The schema of [`error`].
pub const ERROR_SCHEMA: &str = "fairly.error/1";

/// What is wrong at a place in the text of a file, so that a model cannot be checked.
pub fn diagnostic(diagnostic: &Diagnostic, file: &str, text: &str) -> Value {
    let part = parts::locate(file, text, diagnostic.span.start);
    let start = Position::of(part.text, part.offset);
    let end = Position::of(part.text, diagnostic.span.end.saturating_sub(part.start));
    let mut value = error(Some(diagnostic.code), &diagnostic.message, Some(part.file));
    value["line"] = json!(start.line);
    value["column"] = json!(start.column);
    value["end_line"] = json!(end.line);
    value["end_column"] = json!(end.column);
    value["label"] = json!(diagnostic.label);
    value["help"] = json!(diagnostic.help);
    value
}

/// Something that keeps a model from being checked and is at no place in a text.
pub fn error(code: Option<&str>, message: &str, file: Option<&str>) -> Value {
    json!({
        "schema": ERROR_SCHEMA,
        "outcome": "error",
        "file": file,
        "line": null,
        "column": null,
        "end_line": null,
        "end_column": null,
        "code": code,
        "message": message,
        "label": null,
        "help": null,
    })
}

/// The verdict.
pub fn verdict<S: TransitionSystem>(system: &mut S, verdict: &Verdict) -> Value {
    let stamp = &verdict.stamp;
    let mut value = json!({
        "schema": VERDICT_SCHEMA,
        "property": verdict.property,
        "formula": verdict.formula,
        "outcome": match &verdict.outcome {
            Outcome::Holds(_) => "holds",
            Outcome::Violated(_) | Outcome::Doomed(_) => "violated",
            Outcome::Unknown(_) => "unknown",
        },
        "stamp": {
            "fairness": stamp.fairness,
            "constraints": stamp.constraints,
            "engine": stamp.engine,
            "order": stamp.order.map(Order::words),
            "reductions": stamp.reductions,
            "unreduced": stamp.unreduced.as_ref().map(ToString::to_string),
            "asymmetric": stamp.asymmetric.as_ref().map(ToString::to_string),
            "exhaustive": stamp.exhaustive,
            "states": stamp.system.0,
            "transitions": stamp.system.1,
            "product_nodes": stamp.product.0,
            "product_steps": stamp.product.1,
            "seconds": stamp.time.as_secs_f64(),
            "shortening_seconds": stamp.shortening.as_secs_f64(),
        },
        "notes": verdict.notes,
    });
    match &verdict.outcome {
        Outcome::Holds(closure) => {
            let (feasible, machine_closed) = match closure {
                Fairness::NotAssumed | Fairness::MachineClosed => (Some(true), Some(true)),
                Fairness::NotMachineClosed(_) => (Some(true), Some(false)),
                Fairness::Infeasible => (Some(false), Some(false)),
                Fairness::NotKnown => (None, None),
            };
            value["feasible"] = json!(feasible);
            value["machine_closed"] = json!(machine_closed);
            if let Fairness::NotMachineClosed(prefix) = closure {
                value["doomed_prefix"] = steps(system, prefix);
            }
        }
        Outcome::Violated(found) => {
            value["run"] = run(system, &found.run);
            value["violated_after"] = json!(found.decided);
            value["ledger"] = ledger(&found.ledger);
            value["upgrade"] = match &found.upgrade {
                None => Value::Null,
                Some(upgrade) => json!({
                    "constraint": upgrade.constraint,
                    "suffices": upgrade.suffices,
                }),
            };
        }
        Outcome::Doomed(doomed) => {
            value["doomed_prefix"] = steps(system, &doomed.prefix);
            value["run"] = run(system, &doomed.run);
        }
        Outcome::Unknown(why) => value["why"] = json!(why.to_string()),
    }
    value
}

fn steps<S: TransitionSystem>(system: &mut S, prefix: &[RunStep]) -> Value {
    let events: Vec<&str> = prefix
        .iter()
        .map(|step| system.signature().event_name(system.action(step.action).event))
        .collect();
    json!(events)
}

/// A run, step by step.
pub fn run<S: TransitionSystem>(system: &mut S, run: &Run) -> Value {
    let processes = system.signature().processes.clone();
    let table = rows(system, run);
    let rows: Vec<Value> = table
        .iter()
        .zip(run.steps())
        .map(|(row, step)| {
            let parts: serde_json::Map<String, Value> = processes
                .iter()
                .zip(&row.parts)
                .map(|(process, part)| (process.clone(), json!(part.word())))
                .collect();
            json!({
                "state": state(&system.state_values(step.from)),
                "event": row.event,
                "action": row.action,
                "who": row.who,
                "processes": parts,
            })
        })
        .collect();
    json!({ "steps": rows, "loop": run.stem.len() })
}

/// A finite run: its steps, the state that it ends in, and what each process waits for where nothing can happen.
pub(crate) fn finite<S: TransitionSystem>(system: &mut S, shown: &Run, end: StateId) -> Value {
    let mut value = run(system, shown);
    if shown.cycle.is_empty() {
        value["end"] = state(&system.state_values(end));
    }
    let waiting = waiting(&stuck::waits(system, end, None));
    if shown.cycle.is_empty() && waiting != json!([]) {
        value["waiting"] = waiting;
    }
    value
}

/// What each process waits for.
pub(crate) fn waiting(waits: &[Waits]) -> Value {
    waits.iter().map(|it| json!({ "process": it.who, "waits": it.what })).collect()
}

/// The ledger; steps are counted from 0 over the whole run.
pub(crate) fn ledger(ledger: &Ledger) -> Value {
    let entries: Vec<Value> = ledger
        .entries
        .iter()
        .map(|entry| {
            let (reason, step) = match entry.reason {
                Reason::NeverAsked => ("never asked", None),
                Reason::Lapses(at) => ("lapses", Some(at)),
                Reason::Given(at) => ("given", Some(at)),
                Reason::NotMet => ("not met", None),
            };
            json!({
                "constraint": entry.name,
                "asked": entry.asked.len(),
                "of": ledger.cycle,
                "given": entry.given.len(),
                "reason": reason,
                "step": step,
            })
        })
        .collect();
    json!(entries)
}

/// The ladder.
pub fn ladder<S: TransitionSystem>(
    system: &mut S,
    property: &str,
    formula: &str,
    ladder: &Ladder,
) -> Value {
    let causes: Vec<Value> = ladder
        .causes
        .iter()
        .map(|Cause { kind, run: found }| {
            let (word, constraint) = match kind {
                CauseKind::Deadlock => ("deadlock", None),
                CauseKind::NotWeaklyFair(name) => ("not weakly fair", Some(name)),
                CauseKind::NotStronglyFair(name) => ("not strongly fair", Some(name)),
                CauseKind::Fair => ("strongly fair", None),
            };
            json!({ "kind": word, "constraint": constraint, "run": run(system, found) })
        })
        .collect();
    let rungs: Vec<Value> = ladder
        .rungs
        .iter()
        .map(|rung| {
            json!({
                "fairness": rung.notion.to_string(),
                "outcome": match &rung.holds {
                    Ok(true) => "holds",
                    Ok(false) => "violated",
                    Err(_) => "unknown",
                },
                "searched": rung.searched,
            })
        })
        .collect();
    json!({
        "schema": "fairly.ladder/2",
        "property": property,
        "formula": formula,
        "rungs": rungs,
        "searches": ladder.searches,
        "causes": causes,
    })
}

/// The least sets.
pub fn least(property: &str, formula: &str, least: &Least) -> Value {
    let (sets, complete, why) = match least {
        Least::Sets { sets, .. } => (sets.clone(), true, None),
        Least::Some { sets, why } => (sets.clone(), false, Some(why.clone())),
        Least::Unknown(why) => (Vec::new(), false, Some(why.to_string())),
    };
    let (level, holds_under) = match least {
        Least::Sets { level, elsewhere, .. } => {
            let notion = match elsewhere {
                Some(Elsewhere::Holds(other)) => Some(Notion::Strong(*other).to_string()),
                _ => None,
            };
            (Some(level.to_string()), notion)
        }
        Least::Some { .. } | Least::Unknown(_) => (None, None),
    };
    json!({
        "schema": "fairly.least/1",
        "property": property,
        "formula": formula,
        "sets": sets,
        "complete": complete,
        "level": level,
        "holds_under": holds_under,
        "why": why,
    })
}
