//! The answer to a claim that is no formula, with the finite run that shows it, for a person.

use std::fmt::Write;

use fairly_check::claim::Order;
use fairly_check::{Evidence, Said, Shows, Verdict};

use crate::human::{self, Aside};
use crate::look::counted;
use crate::stuck;

/// The answer as text.
pub(crate) fn text(verdict: &Verdict, aside: &Aside<'_>) -> String {
    let (look, stamp) = (&aside.look, &verdict.stamp);
    let is_short = verdict.outcome == Said::Holds && !look.verbose;
    let mut parts = Vec::new();
    parts.extend(stamp.fairness.as_ref().map(|fairness| format!("under {fairness}")));
    if stamp.states.is_some() {
        parts.push(human::states(stamp));
    }
    if is_short {
        parts.extend(verdict.evidence.as_ref().map(|_| "-v shows a run".to_owned()));
    } else {
        parts.extend(stamp.transitions.map(|count| counted(count, "transition")));
        let order = stamp.order.as_ref().filter(|order| *order != Order::Breadth.words());
        parts.extend(order.map(|order| format!("found {order}")));
        parts.extend(stamp.reductions.iter().cloned());
    }
    parts.push(human::seconds(stamp.seconds));
    let rests = parts.join(" · ");
    let (word, paint) = human::sign(verdict.outcome);
    let heading = [verdict.property.as_str(), if is_short { &rests } else { "" }];
    let mut out = human::headed(word, paint, &heading, "", look);
    if verdict.outcome == Said::Violated {
        out.push_str(&human::place(aside));
    }
    if let Some(why) = &verdict.why {
        out.push_str(&look.wrapped(6, &format!("unknown: {why}")));
    }
    if !is_short {
        out.push_str(&look.wrapped(6, &rests));
    }
    if let Some(lossy) = &stamp.lossy {
        let _ = writeln!(out, "      {}", lossy.sentence(verdict.evidence.is_some()));
    }
    if let Some(evidence) = verdict.evidence.as_ref().filter(|_| !is_short) {
        out.push('\n');
        out.push_str(&path(evidence, aside));
    }
    out
}

fn path(Evidence { run, shows }: &Evidence, aside: &Aside<'_>) -> String {
    let mut out = String::new();
    let Shows::End { conclusion, other, .. } = shows else { return out };
    if !run.steps.is_empty() {
        out.push_str(&human::steps(run, aside));
    }
    out.push_str(&aside.look.wrapped(3, conclusion));
    let waits = stuck::waits(run.stuck.as_ref(), &run.processes, aside.source);
    if let (Some((_, values)), None, false) = (run.stuck_in(), run.loops_to, stuck::is_over(&waits))
    {
        out.push_str(&stuck::lines(&waits, &aside.look));
        out.push_str(&stuck::state_line(values, &aside.look));
    }
    if let Some(other) = other {
        out.push_str("   The other way:\n\n");
        out.push_str(&human::steps(other, aside));
    }
    out
}
