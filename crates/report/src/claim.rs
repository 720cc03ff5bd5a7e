//! The answer to a claim that is no formula, with the finite run that shows it.

use std::fmt::Write;

use fairly_check::claim::{ClaimOutcome, ClaimVerdict, Order, Shown};
use fairly_system::{Run, TransitionSystem};
use serde_json::{Value, json};

use crate::human::{self, Aside};
use crate::json as documents;
use crate::json::VERDICT_SCHEMA;
use crate::look::{Paint, TIGHT, counted};
use crate::stuck;

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
    let is_short = matches!(verdict.outcome, ClaimOutcome::Holds(_)) && !look.verbose;
    let mut time = format!("{:.2}{TIGHT}s", verdict.time.as_secs_f64());
    if !is_short {
        for reduction in verdict.reductions.iter().rev() {
            time = format!("{reduction} · {time}");
        }
        if let Some(order @ (Order::Depth | Order::Fewest)) = verdict.order {
            time = format!("found {} · {time}", order.words());
        }
    }
    let states = |count: usize| counted(count, "state").replace(' ', &TIGHT.to_string());
    let more = if is_short && shown.is_some() { "-v shows a run · " } else { "" };
    let stamp = match verdict.size {
        Some(size) if is_short => format!("{} · {more}{time}", states(size.states)),
        Some(size) => {
            let transitions = counted(size.transitions, "transition");
            format!("{} · {transitions} · {time}", states(size.states))
        }
        None => format!("{more}{time}"),
    };
    let parts = [title, if is_short { &stamp } else { "" }];
    let mut out = human::headed(word, paint, &parts, "", look);
    if let ClaimOutcome::Violated(_) = &verdict.outcome {
        out.push_str(&human::place(aside));
    }
    if let ClaimOutcome::Unknown(why) = &verdict.outcome {
        out.push_str(&look.wrapped(6, &format!("unknown: {why}")));
    }
    if !is_short {
        out.push_str(&look.wrapped(6, &stamp));
    }
    if let Some(lossy) = &verdict.lossy {
        let _ = writeln!(out, "      {lossy}");
    }
    if let Some(shown) = shown.filter(|_| !is_short) {
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
    let end = shown.prefix.end();
    out.push_str(&aside.look.wrapped(3, &shown.conclusion));
    let waits = stuck::waits(system, end, aside.source);
    if shown.cycle.is_empty() && !waits.is_empty() && !stuck::is_over(&waits) {
        out.push_str(&stuck::lines(&waits, &aside.look));
        out.push_str(&stuck::state_line(&system.state_values(end), &aside.look));
    }
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
        value["run"] = documents::finite(system, &run, shown.prefix.end());
        value["conclusion"] = json!(shown.conclusion);
    }
    value
}
