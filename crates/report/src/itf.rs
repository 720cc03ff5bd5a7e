//! A run in the Informal Trace Format of Apalache: states with a loop index, and the fairness
//! ledger in `#meta`, where readers that do not know it pass over it.

use fairly_check::{Counterexample, Verdict};
use fairly_system::TransitionSystem;
use serde_json::{Value, json};

use crate::json::ledger;
use crate::table::rows;

/// The counterexample as a trace.
pub fn trace<S: TransitionSystem>(
    system: &mut S,
    verdict: &Verdict,
    found: &Counterexample,
) -> Value {
    let states: Vec<Value> = rows(system, &found.run)
        .iter()
        .enumerate()
        .map(|(at, row)| {
            json!({
                "#meta": { "index": at },
                "state": row.from,
                "event": row.event,
                "who": row.who,
            })
        })
        .collect();
    json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html",
            "source": "fairly",
            "property": verdict.property,
            "formula": verdict.formula,
            "fairness": verdict.stamp.fairness,
            "ledger": ledger(&found.ledger),
        },
        "vars": ["state", "event", "who"],
        "loop": found.run.stem.len(),
        "states": states,
    })
}
