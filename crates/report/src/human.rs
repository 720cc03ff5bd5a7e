//! A verdict for a person in front of a terminal.

use std::fmt::Write;

use fairly_check::soundness::{SOUNDNESS, SYMMETRY};
use fairly_check::{Cause, CauseKind, Doomed, Fairness, Ladder, Least, Outcome, Stamp, Verdict};
use fairly_fairness::{Notion, Strength};
use fairly_system::{ActionId, Run, RunStep, TransitionSystem};
use fairly_witness::{Entry, Ledger, Reason};

use crate::table::{Row, rows};

/// The verdict as text, a few lines for "holds", the run and its explanation otherwise.
pub fn verdict<S: TransitionSystem>(system: &mut S, verdict: &Verdict) -> String {
    let mut out = String::new();
    let word = match &verdict.outcome {
        Outcome::Holds(_) => "  ok",
        Outcome::Violated(_) | Outcome::Doomed(_) => "FAIL",
        Outcome::Unknown(_) => "  ??",
    };
    let Stamp { fairness, .. } = &verdict.stamp;
    let _ = writeln!(out, "{word}  {}   {}   under {fairness}", verdict.property, verdict.formula);
    match &verdict.outcome {
        Outcome::Holds(closure) => {
            let _ = writeln!(out, "      {}", stamp(&verdict.stamp, Some(closure)));
            if let Fairness::NotMachineClosed(prefix) = closure {
                let _ = writeln!(
                    out,
                    "      warning: the fairness assumed discards what happens after {}: no fair \
                     run continues it",
                    events(system, prefix)
                );
            }
            if *closure == Fairness::Infeasible {
                let _ = writeln!(
                    out,
                    "      warning: no run of the system meets the fairness assumed, so every \
                     property holds"
                );
            }
        }
        Outcome::Violated(found) => {
            let _ = writeln!(out, "      {}", stamp(&verdict.stamp, None));
            out.push('\n');
            out.push_str(&lasso(system, &found.run));
            if verdict.stamp.engine == "global" {
                out.push_str(
                    "   The loop takes every step that is possible in a state it visits, so it is \
                     globally fair.\n",
                );
            }
            if verdict.stamp.engine != "global" || !found.ledger.entries.is_empty() {
                out.push_str(&ledger(&found.ledger));
            }
            if let Some(upgrade) = &found.upgrade {
                let effect = match upgrade.suffices {
                    Some(true) => ", and with it the property holds",
                    Some(false) => "; the property still fails with it",
                    None => "",
                };
                let _ = writeln!(out, "   {} excludes this run{effect}.", upgrade.constraint);
            } else {
                let _ = writeln!(out, "   No fairness of a process or an event excludes this run.");
            }
        }
        Outcome::Doomed(doomed) => {
            let _ = writeln!(out, "      {}", stamp(&verdict.stamp, None));
            out.push_str(&doomed_prefix(system, doomed));
        }
        Outcome::Unknown(why) => {
            let _ = writeln!(out, "      unknown: {why}\n      {}", stamp(&verdict.stamp, None));
        }
    }
    for note in &verdict.notes {
        let _ = writeln!(out, "      note: {note}");
    }
    out
}

/// The table of what a reduction keeps.
pub fn soundness() -> String {
    let mut out = String::new();
    for (table, kept, head) in [
        (SOUNDNESS, true, "Partial-order reduction is used for"),
        (SOUNDNESS, false, "It is refused for"),
        (SYMMETRY, true, "Symmetry is used for"),
        (SYMMETRY, false, "It is refused for"),
    ] {
        let _ = writeln!(out, "{head}\n");
        for row in table.iter().filter(|row| row.kept == kept) {
            let _ = writeln!(out, "  {}\n      {}", row.what, row.reason);
        }
        out.push('\n');
    }
    out.push_str(
        "What is used and how much it left out stands in every answer; `--no-reduction` turns it \
         off.\n",
    );
    out
}

/// The line that says what an answer rests on.
fn stamp(stamp: &Stamp, closure: Option<&Fairness>) -> String {
    let mut parts = vec![
        format!("{} states", stamp.system.0),
        format!(
            "{} transitions (product {} · {})",
            stamp.system.1, stamp.product.0, stamp.product.1
        ),
    ];
    parts.extend(stamp.reductions.iter().cloned());
    parts.push(if stamp.exhaustive { "complete" } else { "not complete" }.to_owned());
    match closure {
        Some(Fairness::MachineClosed) => {
            parts.push("feasible".to_owned());
            parts.push("machine closed".to_owned());
        }
        Some(Fairness::NotMachineClosed(_)) => {
            parts.push("feasible".to_owned());
            parts.push("NOT machine closed".to_owned());
        }
        Some(Fairness::Infeasible) => parts.push("INFEASIBLE".to_owned()),
        Some(Fairness::NotKnown) => parts.push("machine closure not known".to_owned()),
        Some(Fairness::NotAssumed) | None => {}
    }
    parts.push(format!("engine {}", stamp.engine));
    parts.push(format!("{:.2} s", stamp.time.as_secs_f64()));
    parts.join(" · ")
}

/// A prefix as the events in it.
pub fn events<S: TransitionSystem>(system: &S, steps: &[RunStep]) -> String {
    if steps.is_empty() {
        return "nothing at all".to_owned();
    }
    let names: Vec<&str> = steps
        .iter()
        .map(|step| system.signature().event_name(system.action(step.action).event))
        .collect();
    names.join(" · ")
}

fn doomed_prefix<S: TransitionSystem>(system: &mut S, doomed: &Doomed) -> String {
    format!(
        "   After {} no continuation satisfies the property, whatever happens next.\n   One \
         continuation:\n\n{}",
        events(system, &doomed.prefix),
        lasso(system, &doomed.run)
    )
}

/// An infinite run, with what there is to say of its loop.
fn lasso<S: TransitionSystem>(system: &mut S, run: &Run) -> String {
    let mut out = steps(system, run);
    if run.cycle.iter().any(|step| step.action == ActionId::IDLE) {
        let stuck = run.cycle[0].from;
        let ended = system.atom("terminated").is_some_and(|ended| system.holds(stuck, ended));
        let why = match system.fault(stuck) {
            Some(fault) => format!("error in the model: {}", fault.message),
            None if ended => {
                format!("the end: every process has terminated in {}", { system.describe(stuck) })
            }
            None => format!("deadlock: nothing is enabled in {}", system.describe(stuck)),
        };
        out.pop();
        let _ = writeln!(out, "            {why}\n");
    }
    out
}

/// A run, one step a line, one column a process; the cycle may be empty.
pub(crate) fn steps<S: TransitionSystem>(system: &mut S, run: &Run) -> String {
    let processes = system.signature().processes.clone();
    let rows = rows(system, run);
    let width = |column: &dyn Fn(&Row) -> &str, title: &str| {
        let longest = rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
        longest.max(title.len()).min(44)
    };
    let who = width(&|row| &row.who, "who");
    let event = width(&|row| &row.event, "event");
    let mut out = format!("      step  {:who$}  {:event$}", "who", "event");
    for process in &processes {
        let _ = write!(out, "  {process}");
    }
    out.push('\n');
    for (at, row) in rows.iter().enumerate() {
        let last = at + 1 == rows.len();
        let bracket = match at.checked_sub(run.stem.len()) {
            None => "  ",
            Some(0) if last => "▷─",
            Some(0) => "┌─",
            Some(_) if last => "└─",
            Some(_) => "│ ",
        };
        let (name, happens) = (clipped(&row.who, who), clipped(&row.event, event));
        let _ = write!(out, "    {bracket}  {:>2}  {name:who$}  {happens:event$}", at + 1);
        for (process, part) in processes.iter().zip(&row.parts) {
            let _ = write!(out, "  {:1$}", part.sign(), process.chars().count());
        }
        if last && !run.cycle.is_empty() {
            let _ = write!(out, "   repeat from {}", run.stem.len() + 1);
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
    out.push_str("            ▶ takes part   ● enabled, not taken   · disabled\n");
    out.push('\n');
    out
}

/// A text that is too wide for its column, without its end.
fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// Why the run counts: one line for each constraint.
fn ledger(ledger: &Ledger) -> String {
    if ledger.entries.is_empty() {
        return "   Every run counts: no fairness is assumed.\n".to_owned();
    }
    let width = ledger.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let mut out = "   Why this run counts as fair\n".to_owned();
    for entry in &ledger.entries {
        let word = if entry.name.starts_with("wl(") || entry.name.starts_with("sl(") {
            "ready"
        } else {
            "enabled"
        };
        let counts =
            format!("{word} {}/{}, taken {}", entry.asked.len(), ledger.cycle, entry.given.len());
        let _ = writeln!(out, "     {:width$}  {counts:24}  {}", entry.name, because(entry));
    }
    out
}

fn because(entry: &Entry) -> String {
    match (&entry.reason, entry.strength) {
        (Reason::NeverAsked, _) => "never on the loop, so nothing is asked".to_owned(),
        (Reason::Lapses(at), _) => {
            format!("not at step {}, so weak fairness asks nothing", at + 1)
        }
        (Reason::Given(at), _) => format!("taken at step {}", at + 1),
        (Reason::NotMet, Strength::Weak | Strength::Strong) => "NOT met".to_owned(),
    }
}

/// The ladder as a table.
pub fn ladder<S: TransitionSystem>(
    system: &S,
    property: &str,
    formula: &str,
    ladder: &Ladder,
) -> String {
    let mut out = format!("{property}   {formula}\n\n");
    for rung in &ladder.rungs {
        let answer = match &rung.holds {
            Ok(true) => "holds".to_owned(),
            Ok(false) => "violated".to_owned(),
            Err(why) => format!("unknown: {why}"),
        };
        let how = if rung.searched { "" } else { "   (follows)" };
        let notion = match rung.notion {
            Notion::None => "none".to_owned(),
            other => other.to_string(),
        };
        let sign = match &rung.holds {
            Ok(true) => "✓",
            Ok(false) => "✗",
            Err(_) => "?",
        };
        let _ = writeln!(out, "  {sign} {notion:32}  {answer}{how}");
    }
    let _ = writeln!(out, "\n  {} searches for {} answers", ladder.searches, ladder.rungs.len());
    if !ladder.causes.is_empty() {
        out.push_str("\n  What violates it\n");
    }
    for Cause { kind, run } in &ladder.causes {
        let what = match kind {
            CauseKind::Deadlock => "deadlock".to_owned(),
            CauseKind::NotWeaklyFair(name) => format!("a run that {name} excludes"),
            CauseKind::NotStronglyFair(name) => {
                format!("a weakly fair run that {name} excludes")
            }
            CauseKind::Fair => "a strongly fair run".to_owned(),
        };
        let _ = writeln!(out, "    {what}:  {}", word(system, run));
    }
    out
}

/// The events of a run, `a · (b · c)^ω`, with the middle of long parts left out.
fn word<S: TransitionSystem>(system: &S, run: &Run) -> String {
    let part = |steps: &[RunStep]| -> String {
        const SHOWN: usize = 8;
        match steps.len() {
            0..=SHOWN => events(system, steps),
            count => format!(
                "{} · … {} more … · {}",
                events(system, &steps[..SHOWN - 2]),
                count - SHOWN + 1,
                events(system, &steps[count - 1..])
            ),
        }
    };
    let cycle = part(&run.cycle);
    if run.stem.is_empty() {
        format!("({cycle})^ω")
    } else {
        format!("{} · ({cycle})^ω", part(&run.stem))
    }
}

/// The least sets of constraints as a list.
pub fn least(property: &str, formula: &str, least: &Least) -> String {
    let mut out = format!("{property}   {formula}\n\n");
    let list = |out: &mut String, sets: &[Vec<String>]| {
        for set in sets {
            let _ = writeln!(out, "  {}", set.join("  "));
        }
    };
    match least {
        Least::Sets { sets, .. } if sets.is_empty() => {
            out.push_str("  It is violated even when everything is strongly fair.\n");
        }
        Least::Sets { sets, .. } if sets[0].is_empty() => {
            out.push_str("  It holds without any further fairness.\n");
        }
        Least::Sets { sets, questions } => {
            let _ = writeln!(
                out,
                "  It holds under each of these least sets of assumptions, and under nothing less:\n"
            );
            list(&mut out, sets);
            let _ = writeln!(out, "\n  {questions} questions asked of one stored graph");
        }
        Least::Some { sets, why } => {
            let _ = writeln!(out, "  {why}; these sets are least, there may be others:\n");
            list(&mut out, sets);
        }
        Least::Unknown(why) => {
            let _ = writeln!(out, "  unknown: {why}");
        }
    }
    out
}
