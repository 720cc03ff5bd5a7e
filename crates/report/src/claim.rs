//! The answer to a claim that is no formula, with the finite run that shows it.

use std::fmt::Write;

use fairly_check::claim::{ClaimOutcome, ClaimVerdict, Order, Shown};
use fairly_system::{Run, TransitionSystem};
use serde_json::{Value, json};

use crate::human::{self, Aside};
use crate::json as documents;
use crate::json::VERDICT_SCHEMA;
use crate::look::{Paint, counted};

/// The answer as text.
pub fn text<S: TransitionSystem>(
    system: &mut S,
    title: &str,
    verdict: &ClaimVerdict,
    aside: &Aside<'_>,
) -> String {
    let look = &aside.look;
    let (word, paint, shown) = match &verdict.outcome {
        ClaimOutcome::Holds(shown) => ("  ok", Paint::Good, shown.as_deref()),
        ClaimOutcome::Violated(shown) => ("FAIL", Paint::Bad, shown.as_deref()),
        ClaimOutcome::Unknown(_) => ("  ??", Paint::Warning, None),
    };
    let mut out = look.wrapped(6, title);
    out.replace_range(..6, &format!("{}  ", look.paint(paint, word)));
    if let ClaimOutcome::Violated(_) = &verdict.outcome {
        out.push_str(&human::place(aside));
    }
    if let ClaimOutcome::Unknown(why) = &verdict.outcome {
        out.push_str(&look.wrapped(6, &format!("unknown: {why}")));
    }
    let mut time = format!("{:.2} s", verdict.time.as_secs_f64());
    for reduction in verdict.reductions.iter().rev() {
        time = format!("{reduction} · {time}");
    }
    if let Some(order @ (Order::Depth | Order::Fewest)) = verdict.order {
        time = format!("found {} · {time}", order.words());
    }
    let stamp = match verdict.size {
        Some(size) => {
            let states = counted(size.states, "state");
            format!("{states} · {} · {time}", counted(size.transitions, "transition"))
        }
        None => time,
    };
    out.push_str(&look.wrapped(6, &stamp));
    if let Some(lossy) = &verdict.lossy {
        let _ = writeln!(out, "      {lossy}");
    }
    if let Some(shown) = shown {
        out.push('\n');
        out.push_str(&path(system, shown, aside));
    }
    look.finish(out)
}

fn path<S: TransitionSystem>(system: &mut S, shown: &Shown, aside: &Aside<'_>) -> String {
    let mut out = String::new();
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    if run.steps().next().is_some() {
        out.push_str(&human::steps(system, &run, aside));
    }
    out.push_str(&aside.look.wrapped(3, &shown.conclusion));
    if let Some(other) = &shown.other {
        out.push_str("   The other way:\n\n");
        let run = Run { stem: other.steps.clone(), cycle: Vec::new() };
        out.push_str(&human::steps(system, &run, aside));
    }
    out
}

/// The answer as JSON, in the schema of formulas.
pub fn json<S: TransitionSystem>(system: &mut S, title: &str, verdict: &ClaimVerdict) -> Value {
    let (outcome, shown) = match &verdict.outcome {
        ClaimOutcome::Holds(shown) => ("holds", shown.as_deref()),
        ClaimOutcome::Violated(shown) => ("violated", shown.as_deref()),
        ClaimOutcome::Unknown(_) => ("unknown", None),
    };
    let mut value = json!({
        "schema": VERDICT_SCHEMA,
        "property": title,
        "outcome": outcome,
        "stamp": {
            "exhaustive": shown.is_none() && outcome != "unknown",
            "states": verdict.size.map(|size| size.states),
            "transitions": verdict.size.map(|size| size.transitions),
            "order": verdict.order.map(Order::words),
            "reductions": verdict.reductions,
            "unreduced": verdict.unreduced.as_ref().map(ToString::to_string),
            "asymmetric": verdict.asymmetric.as_ref().map(ToString::to_string),
            "seconds": verdict.time.as_secs_f64(),
        },
    });
    if let Some(lossy) = &verdict.lossy {
        value["stamp"]["lossy"] = json!({
            "kept": lossy.room.keep.to_string(),
            "table_bytes": lossy.room.table,
            "frontier_bytes": lossy.room.frontier,
            "expected_omissions": lossy.omissions,
            "omission_probability": lossy.omission_probability(),
            "not_entered": lossy.not_entered,
        });
    }
    if let ClaimOutcome::Unknown(why) = &verdict.outcome {
        value["why"] = json!(why.to_string());
    }
    if let Some(shown) = shown {
        let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
        value["run"] = documents::run(system, &run);
        value["conclusion"] = json!(shown.conclusion);
    }
    value
}
