//! A verdict for a person in front of a terminal.

use std::fmt::Write;

use fairly_check::claim::Order;
use fairly_check::engines::{Engine, Question};
use fairly_check::soundness::{MERGING, PRINTED, RESETTING_DEAD, SOUNDNESS, SYMMETRY};
use fairly_check::{
    Basis, Cause, CauseKind, Elsewhere, Fairness, Ladder, Least, Moment, Phrase, Prefixes, Rung,
    Said, Shows, Statistics, Verdict, Violation, Waiting,
};
use fairly_fairness::{Level, Notion, Strength};
use fairly_source::Span;
use fairly_system::{Part, Stuck, Trace, TraceStep};
use fairly_witness::{Entry, Ledger, Reason};

use crate::advice::advice;
use crate::look::{Look, Paint, Places, Source, TIGHT, breadth, counted};
use crate::{claim, growth, lasso, stuck};

/// Context of a report beside the verdict itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aside<'a> {
    /// How it is drawn.
    pub look: Look,
    /// The text of the model, for lines.
    pub source: Option<Source<'a>>,
    /// Where the property is written.
    pub place: Option<Span>,
    /// The lines of steps, where only these are known.
    pub lines: &'a [Option<String>],
    /// Where the run was saved.
    pub trace: Option<&'a str>,
    /// Whether long runs are shown as a whole.
    pub whole: bool,
}

/// The verdict as text: a few lines for "holds", the run and its explanation otherwise.
pub fn verdict(verdict: &Verdict, aside: &Aside<'_>) -> String {
    let look = &aside.look;
    let mut out = match &verdict.formula {
        Some(formula) => of_formula(verdict, formula, aside),
        None => claim::text(verdict, aside),
    };
    if let (Some(trace), Said::Violated) = (aside.trace, verdict.outcome) {
        let _ = writeln!(out, "\n   trace: {trace}\n   replay: fairly trace show {trace}");
    }
    for note in folded_notes(&verdict.notes, &verdict.processes, look) {
        let note = look.wrapped(6, &format!("note: {note}"));
        out.push_str(&painted(look, Paint::Warning, &note));
    }
    look.finish(out)
}

/// The signs of an answer, and their colour.
pub fn sign(outcome: Said) -> (&'static str, Paint) {
    match outcome {
        Said::Holds => ("  ok", Paint::Good),
        Said::Violated => ("FAIL", Paint::Bad),
        Said::Unknown => ("  ??", Paint::Warning),
    }
}

/// The answer to a formula.
fn of_formula(verdict: &Verdict, formula: &str, aside: &Aside<'_>) -> String {
    let look = &aside.look;
    let is_short = verdict.outcome == Said::Holds && !look.verbose;
    let remark = if is_short { short_stamp(verdict) } else { String::new() };
    let (word, paint) = sign(verdict.outcome);
    let property = &verdict.property;
    let under = format!("under {}", verdict.stamp.fairness.as_deref().unwrap_or_default());
    let title = format!("{property}   {formula}");
    let mut out = headed(word, paint, &[&title, &under, &remark], property, look);
    if verdict.outcome == Said::Violated {
        out.push_str(&place(aside));
    }
    if let Some(why) = &verdict.why {
        out.push_str(&look.wrapped(6, &format!("unknown: {why}")));
    }
    if !is_short {
        out.push_str(&stamp(&verdict.stamp, verdict.closure.as_ref(), look));
    }
    if let Some(statistics) = verdict.stamp.statistics.as_ref().filter(|_| look.statistics) {
        out.push_str(&search_statistics(statistics, verdict, look));
    }
    let warning = match &verdict.closure {
        Some(Fairness::NotMachineClosed(prefix)) => Some(format!(
            "warning: the fairness assumed discards what happens after {}: no fair run continues it",
            events(prefix)
        )),
        Some(Fairness::Infeasible) => Some(
            "warning: no run of the system meets the fairness assumed, so every property holds"
                .to_owned(),
        ),
        _ => None,
    };
    if let Some(warning) = warning {
        out.push_str(&painted(look, Paint::Warning, &look.wrapped(6, &warning)));
    }
    match verdict.evidence.as_ref().map(|it| (&it.run, &it.shows)) {
        Some((run, Shows::Violation(found))) => {
            out.push('\n');
            out.push_str(&match found.decided {
                Some(steps) => for_good(verdict, run, found, steps, aside),
                None => lasting(verdict, run, found, aside),
            });
        }
        Some((run, Shows::Doomed(prefix))) => out.push_str(&doomed_prefix(run, prefix, aside)),
        _ => {}
    }
    out
}

/// A run that violates the property by what it does for ever.
fn lasting(verdict: &Verdict, run: &Trace, found: &Violation, aside: &Aside<'_>) -> String {
    let look = &aside.look;
    let sentences = sentences(verdict);
    let mut out = String::new();
    if !sentences.is_empty() {
        out.push_str(&look.wrapped(3, &sentences.join(" ")));
        out.push('\n');
    }
    out.push_str(&infinite(run, aside));
    out.push_str(&why_fair(verdict, found, look));
    out.push_str(&advice(found.upgrade.as_ref(), found.strengths, &run.processes, look));
    out
}

/// A run that violates the property for good after some steps. What follows is one fair way to go on, which
/// is left out unless everything is to be shown.
fn for_good(
    verdict: &Verdict,
    run: &Trace,
    found: &Violation,
    shown: usize,
    aside: &Aside<'_>,
) -> String {
    let look = &aside.look;
    let mut out = String::new();
    if let Some(sentence) = in_vain(found.waiting.as_ref()) {
        out.push_str(&look.wrapped(3, &sentence));
        out.push('\n');
    }
    let is_assumed = is_global(verdict) || !found.ledger.entries.is_empty();
    let whole = aside.whole || look.verbose;
    if whole {
        out.push_str(&infinite(run, aside));
        out.push_str(&why_fair(verdict, found, look));
    } else if shown > 0 {
        let beginning = &run.steps[..shown.min(run.steps.len())];
        out.push_str(&lasso::table(beginning, &run.processes, beginning.len(), aside));
    }
    let mut said = match (shown, whole) {
        (0, _) => "The property is violated at the start, whatever follows".to_owned(),
        (_, false) => "Whatever follows, the property stays violated".to_owned(),
        (shown, true) => {
            format!("After step {shown} the property stays violated, whatever follows")
        }
    };
    said.push_str(if is_assumed && !whole {
        ". A fair run goes on from here; the trace shows one."
    } else if is_assumed {
        ", and a fair run goes on from there."
    } else {
        "."
    });
    out.push_str(&look.wrapped(3, &said));
    out
}

/// Whether strong global fairness is assumed, which is no matter of single constraints.
fn is_global(verdict: &Verdict) -> bool {
    let engine = verdict.stamp.engine.as_deref().and_then(Engine::named);
    engine.is_some_and(|engine| engine.question == Question::GlobalRuns)
}

/// Why a run counts as fair.
fn why_fair(verdict: &Verdict, found: &Violation, look: &Look) -> String {
    let mut out = String::new();
    if is_global(verdict) {
        out.push_str(&look.wrapped(
            3,
            "The loop takes every step that is possible in a state it visits, so it is globally fair.",
        ));
    }
    if !is_global(verdict) || !found.ledger.entries.is_empty() {
        out.push_str(&ledger(&found.ledger, look));
    }
    out
}

/// Notes, of which those that say the same of several constraints are one.
fn folded_notes(notes: &[String], processes: &[String], look: &Look) -> Vec<String> {
    const MOST: usize = 2;
    // `wf(x) never asks` is about `x`, and says of `wf` what it says.
    let parts = |note: &str| -> Option<(String, String, String)> {
        let (strength, rest) = note.split_once('(')?;
        let (name, said) = rest.rsplit_once(") ")?;
        let is_strength = ["wf", "sf", "wl", "sl"].contains(&strength);
        is_strength.then(|| (strength.to_owned(), name.to_owned(), said.to_owned()))
    };
    let mut folded: Vec<String> = Vec::new();
    let mut done: Vec<(String, String)> = Vec::new();
    for note in notes {
        let Some((strength, _, said)) = parts(note) else {
            folded.push(note.clone());
            continue;
        };
        let is_same = |other: &String| {
            let other = parts(other).filter(|other| other.0 == strength && other.2 == said);
            other.map(|other| other.1)
        };
        let names: Vec<String> = notes.iter().filter_map(is_same).collect();
        if names.len() <= MOST || look.verbose {
            folded.push(note.clone());
        } else if !done.contains(&(strength.clone(), said.clone())) {
            let are_processes = names.iter().all(|name| processes.contains(name));
            let what = if are_processes { "processes" } else { "events" };
            let count = names.len();
            folded.push(format!("{strength} of {count} {what} {said}; -v lists them"));
            done.push((strength, said));
        }
    }
    folded
}

/// Summary of the basis of a property that holds: how many states, and every unusual circumstance.
fn short_stamp(verdict: &Verdict) -> String {
    let stamp = &verdict.stamp;
    let mut parts = vec![states(stamp)];
    if !stamp.exhaustive {
        parts.push("not complete".to_owned());
    }
    match &verdict.closure {
        Some(Fairness::NotKnown) => parts.push("machine closure not known".to_owned()),
        Some(Fairness::NotMachineClosed(_)) => parts.push("NOT machine closed".to_owned()),
        Some(Fairness::Infeasible) => parts.push("INFEASIBLE".to_owned()),
        _ => {}
    }
    parts.push(seconds(stamp.seconds));
    parts.join(" · ")
}

/// How many states, in one word.
pub(crate) fn states(stamp: &Basis) -> String {
    counted(stamp.states.unwrap_or(0), "state").replace(' ', &TIGHT.to_string())
}

/// A time, in one word.
pub(crate) fn seconds(time: f64) -> String {
    format!("{time:.2}{TIGHT}s")
}

/// Lines in a colour, each for itself.
pub(crate) fn painted(look: &Look, paint: Paint, text: &str) -> String {
    let lines = text.lines().map(|line| look.paint(paint, line) + "\n");
    lines.collect()
}

/// The parts of a heading behind a word that says the answer: on one line, or each on its own.
pub(crate) fn headed(
    word: &str,
    paint: Paint,
    parts: &[&str],
    strong: &str,
    look: &Look,
) -> String {
    let indent = 6;
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    let whole = parts.join("   ");
    let mut text = if breadth(&whole) + indent <= look.width {
        format!("      {}\n", whole.replace(TIGHT, " "))
    } else {
        // The second part shares the line of the first, if it fits.
        let (first, rest) =
            parts.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let rest = rest.join("   ");
        let rest = if rest.is_empty() { rest } else { look.wrapped(indent, &rest) };
        look.wrapped(indent, first) + &rest
    };
    if text.len() >= indent {
        text.replace_range(..indent, &format!("{}  ", look.paint(paint, word)));
    }
    if let Some(at) = text.find(strong).filter(|_| !strong.is_empty()) {
        text.replace_range(at..at + strong.len(), &look.paint(Paint::Strong, strong));
    }
    text
}

/// The line that says where the property is written.
pub(crate) fn place(aside: &Aside<'_>) -> String {
    let Some(source) = aside.source else { return String::new() };
    let line = aside.place.and_then(|place| source.line(place.start));
    line.map_or(String::new(), |line| {
        let file = aside.place.and_then(|place| source.included(place.start));
        let file = file.unwrap_or(source.name);
        aside.look.paint(Paint::Faint, &format!(" --> {file}:{line}")) + "\n"
    })
}

/// Sentences about a run that violates a formula: the condition that never comes, and who waits for ever.
pub fn sentences(verdict: &Verdict) -> Vec<String> {
    let Some((run, found)) = verdict.violation() else { return Vec::new() };
    let mut sentences = Vec::from_iter(in_vain(found.waiting.as_ref()));
    if found.decided.is_none() {
        sentences.extend(who_waits(run));
    }
    sentences
}

/// Names the processes that wait, and the object they wait for.
fn in_vain(waiting: Option<&Waiting>) -> Option<String> {
    let comes = |phrase: &Phrase| if phrase.is_event { "occurs" } else { "becomes true" };
    let step = |at: Option<usize>| {
        at.map_or("at the start".to_owned(), |at| format!("at step {}", at + 1))
    };
    let happens = |phrase: &Phrase| if phrase.is_event { "occurs" } else { "is true" };
    Some(match waiting? {
        Waiting::Unanswered { asked, at, wanted } => format!(
            "`{}` {} {}, and `{}` never {} from there on.",
            asked.text,
            happens(asked),
            step(*at),
            wanted.text,
            comes(wanted),
        ),
        Waiting::Forgotten { wanted, last: None } => {
            format!("`{}` never {}.", wanted.text, comes(wanted))
        }
        Waiting::Forgotten { wanted, last: Some(last) } => format!(
            "`{}` {} for the last time at step {}, and never again.",
            wanted.text,
            happens(wanted),
            last + 1
        ),
        Waiting::Never(wanted) => format!("`{}` never {}.", wanted.text, comes(wanted)),
        Waiting::Broken { kept, at } => {
            format!("`{}` does not stay: it is false {} again and again.", kept.text, step(*at))
        }
        Waiting::Wrong { kept, at } => {
            let when = match at {
                Moment::Start => "at the start".to_owned(),
                Moment::After(at) => format!("after step {}", at + 1),
                Moment::At(at) => format!("at step {}", at + 1),
            };
            format!("`{}` is false {when}.", kept.text)
        }
    })
}

/// Which processes stand still on the loop while others move.
fn who_waits(run: &Trace) -> Option<String> {
    if run.stuck.is_some() {
        return None;
    }
    let (rows, processes) = (&run.steps[run.stem()..], &run.processes);
    let count =
        |process: usize, part: Part| rows.iter().filter(|row| row.parts[process] == part).count();
    let passed_over: Vec<usize> = (0..processes.len())
        .filter(|&at| count(at, Part::Taken) == 0 && count(at, Part::Enabled) > 0)
        .collect();
    let loop_of = match rows.len() {
        1 => "the one step of the loop".to_owned(),
        count => format!("the {count} steps of the loop"),
    };
    match passed_over.as_slice() {
        [] => None,
        &[one] => {
            let able = count(one, Part::Enabled);
            let could = if able == rows.len() {
                format!("at every one of {loop_of}")
            } else {
                format!("at {able} of {loop_of}")
            };
            let could = if rows.len() == 1 { format!("at {loop_of}") } else { could };
            Some(format!(
                "{} waits for ever: it could move {could}, and others go first.",
                processes[one]
            ))
        }
        several => {
            const NAMED: usize = 4;
            let named: Vec<&str> =
                several.iter().take(NAMED).map(|&at| processes[at].as_str()).collect();
            let more = match several.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Some(format!(
                "{}{more} wait for ever: they could move on the loop, and others go first.",
                named.join(", ")
            ))
        }
    }
}

/// The table of what a reduction keeps.
pub fn soundness() -> String {
    let mut out = String::new();
    for (table, kept, head) in [
        (SOUNDNESS, true, "Partial-order reduction is used for"),
        (SOUNDNESS, false, "It is refused for"),
        (SYMMETRY, true, "Symmetry is used for"),
        (SYMMETRY, false, "It is refused for"),
        (RESETTING_DEAD, true, "Dead variables are reset for"),
        (RESETTING_DEAD, false, "They are not for"),
        (MERGING, true, "Statements are merged for"),
        (MERGING, false, "They are not for"),
        (
            PRINTED,
            true,
            "Ample sets as the paper prints them, if `--reduction paper` asks for them, are used for",
        ),
        (PRINTED, false, "They are refused for"),
    ] {
        let _ = writeln!(out, "{head}\n");
        for row in table.iter().filter(|row| row.kept == kept) {
            let _ = writeln!(out, "  {}\n      {}", row.what, row.reason);
        }
        out.push('\n');
    }
    out.push_str(
        "What is used and how much it left out stands in every JSON answer and, with `-v`, in every \
         report; `--no-reduction` turns it off, `--reduction` uses one of them alone.\n",
    );
    out
}

/// Seconds from which on it is said how long something on the side took.
const NOTICED: f64 = 0.1;

/// The line that says what an answer rests on. The engine is left out where the line would be too long;
/// JSON has it always.
fn stamp(stamp: &Basis, closure: Option<&Fairness<Vec<String>>>, look: &Look) -> String {
    let count = |it: Option<usize>| it.unwrap_or(0);
    let mut parts = vec![
        counted(count(stamp.states), "state"),
        format!(
            "{} (product {} · {})",
            counted(count(stamp.transitions), "transition"),
            count(stamp.product_nodes),
            count(stamp.product_steps)
        ),
    ];
    parts.extend(stamp.reductions.iter().cloned());
    parts.push(if stamp.exhaustive { "complete" } else { "not complete" }.to_owned());
    if stamp.certified {
        parts.push("certified".to_owned());
    }
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
    if let Some(shortening) = stamp.shortening_seconds.filter(|&it| it >= NOTICED) {
        parts.push(format!("{} for a short run", seconds(shortening)));
    }
    if stamp.order.as_deref() == Some(Order::Breadth.words()) {
        parts.push("found breadth first".to_owned());
    }
    let engine = parts.len();
    parts.push(format!("engine {}", stamp.engine.as_deref().unwrap_or_default()));
    parts.push(seconds(stamp.seconds));
    const MARGIN: usize = 6;
    if MARGIN + parts.join(" · ").chars().count() > look.width {
        parts.remove(engine);
    }
    look.wrapped(MARGIN, &parts.join(" · "))
}

/// How inherent fairness was decided, with the sets that came up.
fn prefix_statistics(prefixes: &Prefixes, look: &Look) -> String {
    let mut lines = vec![format!("decided: {}", prefixes.decided)];
    for size in &prefixes.automata {
        lines.push(format!("{}: {}", size.automaton, counted(size.states, "state")));
    }
    for set in &prefixes.sets {
        let states = |states: &[u32]| -> String {
            let states: Vec<String> = states.iter().map(u32::to_string).collect();
            states.join(" ")
        };
        let dead = match set.dead.as_slice() {
            [] => String::new(),
            dead => format!("; dead: {}", states(dead)),
        };
        lines.push(format!("R of state {}: {{{}}}{dead}", set.state, states(&set.live)));
    }
    let mut out = look.wrapped(6, "statistics:");
    lines.iter().for_each(|line| out.push_str(&look.wrapped(8, line)));
    out
}

/// How the search for a run went: a line for each kind of number.
fn search_statistics(statistics: &Statistics, verdict: &Verdict, look: &Look) -> String {
    if let Some(prefixes) = &statistics.prefixes {
        return prefix_statistics(prefixes, look);
    }
    let mut lines = vec![
        format!(
            "{}, the largest with {}",
            counted(statistics.components, "complete component"),
            counted(statistics.largest_component, "node"),
        ),
        format!(
            "{}, {} deep; {} removed",
            counted(statistics.rounds, "pruning round"),
            statistics.nesting,
            statistics.removed,
        ),
        format!(
            "{} visited, copies by monitors and counters included; {}",
            counted(statistics.copies, "node"),
            match verdict.stamp.product_steps {
                Some(steps) => counted(steps, "step"),
                None => String::new(),
            }
        ),
    ];
    for unmet in &statistics.unmet {
        let times = counted(unmet.times, "time");
        lines.push(format!("{}: {}, {times}", unmet.constraint, unmet.why));
    }
    if let Some(found) = statistics.found {
        let shown = statistics.shown.map_or(String::new(), |shown| {
            format!("; shown: stem {}, loop {}", shown.stem, shown.cycle)
        });
        lines.push(format!(
            "{} settled on the loop; found: stem {}, loop {}{shown}",
            counted(statistics.obligations, "demand"),
            found.stem,
            found.cycle,
        ));
    }
    let mut out = look.wrapped(6, "statistics:");
    lines.iter().for_each(|line| out.push_str(&look.wrapped(8, line)));
    out
}

/// A finite run as its events.
pub fn events<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let mut out = String::new();
    for name in names {
        out.push_str(if out.is_empty() { "" } else { " · " });
        out.push_str(name.as_ref());
    }
    if out.is_empty() { "nothing at all".to_owned() } else { out }
}

fn doomed_prefix(run: &Trace, prefix: &[String], aside: &Aside<'_>) -> String {
    let said = format!(
        "After {} no continuation satisfies the property, whatever happens next.",
        events(prefix)
    );
    let mut out = aside.look.wrapped(3, &said);
    out.push_str("   One continuation:\n\n");
    out.push_str(&infinite(run, aside));
    out
}

/// An infinite run, with what there is to say of its loop.
fn infinite(run: &Trace, aside: &Aside<'_>) -> String {
    let mut out = steps(run, aside);
    if run.stuck.is_some() {
        out.push_str(&still(run, aside));
        out.push('\n');
    }
    out
}

/// Reasons why each process waits where nothing can happen, a line a process.
pub fn waits(stuck: &Stuck, processes: &[String], aside: &Aside<'_>) -> String {
    let waits = stuck::waits(Some(stuck), processes, aside.source);
    aside.look.finish(stuck::lines(&waits, &aside.look))
}

/// Why nothing can happen in the state that a run comes to, and what each process waits for there.
fn still(run: &Trace, aside: &Aside<'_>) -> String {
    let look = &aside.look;
    let Some((stuck, values)) = run.stuck_in() else { return String::new() };
    let why = match &stuck.fault {
        Some(fault) => return look.wrapped(3, &format!("error in the model: {}", fault.message)),
        None if stuck.terminated => {
            "the end: every process has terminated, or is where it may stay"
        }
        None => "deadlock: nothing is enabled",
    };
    let mut out = look.wrapped(3, why);
    if !stuck.terminated || look.verbose {
        let waits = stuck::waits(Some(stuck), &run.processes, aside.source);
        out.push_str(&stuck::lines(&waits, look));
    }
    out.push_str(&stuck::state_line(values, look));
    out
}

/// A finite run as a table.
pub fn finite(run: &Trace, aside: &Aside<'_>) -> String {
    aside.look.finish(steps(run, aside))
}

/// Text of a step, as the source has it, with its line.
pub fn step(step: &TraceStep, aside: &Aside<'_>) -> String {
    let line = aside.source.zip(step.span);
    let line = line.and_then(|(source, span)| source.shown_line(span.start));
    let mut out = step.action.clone();
    if let Some(line) = line {
        let _ = write!(out, "   line {line}");
    }
    if !step.changes.is_empty() {
        let _ = write!(out, "   {}", changes(step));
    }
    out
}

/// The variables that a step changes.
pub(crate) fn changes(step: &TraceStep) -> String {
    let changes: Vec<String> =
        step.changes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    changes.join(" ")
}

/// A run, one step a line, one column a process.
pub(crate) fn steps(run: &Trace, aside: &Aside<'_>) -> String {
    let mut places = Places::default();
    let lines: Vec<Option<String>> = match aside.lines.is_empty() {
        true => run.steps.iter().map(|step| places.shown(aside.source, step.span)).collect(),
        false => aside.lines.to_vec(),
    };
    let with_lines = Aside { lines: &lines, ..*aside };
    let mut out = lasso::table(&run.steps, &run.processes, run.stem(), &with_lines);
    if run.loops_to.is_some() && run.end.is_some() {
        let names: Vec<String> = run.varying.iter().map(|name| format!("`{name}`")).collect();
        let said = format!(
            "{} may have another value in every round, which nothing depends on",
            names.join(", ")
        );
        out.push_str(&aside.look.wrapped(12, &said));
        out.push('\n');
    }
    out
}

/// Why the run counts: one line for each constraint.
fn ledger(ledger: &Ledger, look: &Look) -> String {
    if ledger.entries.is_empty() {
        return look.wrapped(
            3,
            "Every run counts: no fairness is assumed, not even that a process that can always move \
             ever does.",
        );
    }
    // Entries that are simply taken, or never asked for, say little; where there are many of them, they are
    // counted.
    const SHOWN: usize = 16;
    const MOST_ALIKE: usize = 3;
    let taken = |entry: &Entry| {
        matches!(entry.reason, Reason::Given(_)) && entry.asked.len() == entry.given.len()
    };
    let unasked = |entry: &Entry| matches!(entry.reason, Reason::NeverAsked);
    let count = |kind: &dyn Fn(&Entry) -> bool| {
        let count = ledger.entries.iter().filter(|entry| kind(entry)).count();
        if count > MOST_ALIKE && !look.verbose { count } else { 0 }
    };
    let (many_taken, many_unasked) = (count(&taken), count(&unasked));
    let is_folded =
        |entry: &Entry| (many_taken > 0 && taken(entry)) || (many_unasked > 0 && unasked(entry));
    let mut shown: Vec<&Entry> = ledger.entries.iter().filter(|entry| !is_folded(entry)).collect();
    let cut = if look.verbose { 0 } else { shown.len().saturating_sub(SHOWN) };
    shown.truncate(shown.len() - cut);
    let width = shown.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let counts = |entry: &Entry| {
        let word = if entry.name.starts_with("wl(") || entry.name.starts_with("sl(") {
            "ready"
        } else {
            "enabled"
        };
        format!("{word} {}/{}, taken {}", entry.asked.len(), ledger.cycle, entry.given.len())
    };
    let wide = shown.iter().map(|entry| counts(entry).len()).max().unwrap_or(0);
    let mut out = "   Why this run counts as fair\n".to_owned();
    for entry in &shown {
        let counts = counts(entry);
        let line = format!("     {:width$}  {counts:wide$}  {}", entry.name, because(entry));
        if line.chars().count() <= look.width {
            out.push_str(&line);
            out.push('\n');
        } else {
            let _ = writeln!(out, "     {:width$}  {counts}", entry.name);
            out.push_str(&look.wrapped(9, &because(entry)));
        }
    }
    let kinds = [
        (many_taken, "are taken whenever they are enabled on the loop"),
        (many_unasked, "are never enabled on the loop, so nothing is asked"),
        (cut, "are not listed"),
    ];
    for (count, said) in kinds.into_iter().filter(|(count, _)| *count > 0) {
        let word = if shown.is_empty() { "all" } else { "others" };
        out.push_str(&look.wrapped(5, &format!("… {count} {word} {said}; -v lists them")));
    }
    out
}

fn because(entry: &Entry) -> String {
    match (&entry.reason, entry.strength) {
        (Reason::NeverAsked, _) => "never on the loop, so nothing is asked".to_owned(),
        (Reason::Lapses(at), _) => {
            format!("not at step {}: weak fairness asks nothing", at + 1)
        }
        (Reason::Given(at), _) => format!("taken at step {}", at + 1),
        (Reason::NotMet, Strength::Weak | Strength::Strong) => "NOT met".to_owned(),
    }
}

/// The ladder as a table. What kept growing is shown with its line if the text is known.
pub fn ladder(
    property: &str,
    formula: &str,
    ladder: &Ladder,
    source: Option<Source<'_>>,
    look: &Look,
) -> String {
    let mut out = look.wrapped(0, &format!("{property}   {formula}")) + "\n";
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
        let paint = match &rung.holds {
            Ok(true) => Paint::Good,
            Ok(false) => Paint::Bad,
            Err(_) => Paint::Warning,
        };
        let sign = look.paint(paint, sign);
        let _ = writeln!(out, "  {sign} {notion:32}  {answer}{how}");
    }
    let grows = |rung: &Rung| rung.holds.as_ref().err()?.growth().cloned();
    if let Some(growth) = ladder.rungs.iter().find_map(grows) {
        out.push('\n');
        out.push_str(&look.wrapped(2, &format!("note: {}", growth::note(&growth, source))));
    }
    let searches = match ladder.searches {
        1 => "1 search".to_owned(),
        count => format!("{count} searches"),
    };
    let _ = writeln!(out, "\n  {searches} for {} answers", ladder.rungs.len());
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
            CauseKind::Fair => "a run that is strongly fair to all processes and events".to_owned(),
        };
        out.push_str(&look.wrapped(4, &format!("{what}:  {}", word(run))));
    }
    look.finish(out)
}

/// The events of a run, `a · (b · c)^ω`, with the middle of long parts left out.
fn word(run: &Trace) -> String {
    let part = |steps: &[TraceStep]| -> String {
        const SHOWN: usize = 8;
        let names = |steps: &[TraceStep]| events(steps.iter().map(|step| step.event.clone()));
        match steps.len() {
            0..=SHOWN => names(steps),
            count => format!(
                "{} · … {} more … · {}",
                names(&steps[..SHOWN - 2]),
                count - SHOWN + 1,
                names(&steps[count - 1..])
            ),
        }
    };
    let (stem, cycle) = run.steps.split_at(run.stem());
    let cycle = part(cycle);
    if stem.is_empty() {
        format!("({cycle})^ω")
    } else {
        format!("{} · ({cycle})^ω", part(stem))
    }
}

/// That no constraints of a level save a property, and whether those of another do.
fn nothing_helps(level: Level, elsewhere: Option<Elsewhere>) -> String {
    let said = format!("It is violated even when every {level} is strongly fair");
    let others: Vec<&str> = [Level::Process, Level::Event, Level::Action]
        .into_iter()
        .filter(|other| *other != level)
        .map(|other| match other {
            Level::Process => "process",
            Level::Event => "event",
            Level::Action => "action",
        })
        .collect();
    match elsewhere {
        Some(Elsewhere::Holds(other)) => format!(
            "{said}. It holds when every {other} is: `--fairness strong --level {other}`; `--level \
             {other}` looks for less."
        ),
        Some(Elsewhere::Nowhere) => format!("{said}, or every {}.", others.join(", or every ")),
        None => format!("{said}; whether other levels help was not found out."),
    }
}

/// The least sets of constraints as a list.
pub fn least(
    property: &str,
    formula: &str,
    least: &Least,
    source: Option<Source<'_>>,
    look: &Look,
) -> String {
    let mut out = look.wrapped(0, &format!("{property}   {formula}")) + "\n";
    let list = |out: &mut String, sets: &[Vec<String>]| {
        for set in sets {
            let set = look.wrapped(2, &set.join("  "));
            out.push_str(&painted(look, Paint::Strong, &set));
        }
    };
    match least {
        Least::Sets { sets, level, elsewhere, .. } if sets.is_empty() => {
            out.push_str(&look.wrapped(2, &nothing_helps(*level, *elsewhere)));
        }
        Least::Sets { sets, .. } if sets[0].is_empty() => {
            out.push_str("  It holds without any further fairness.\n");
        }
        Least::Sets { sets, questions, .. } => {
            out.push_str(&look.wrapped(
                2,
                "It holds under each of these least sets of assumptions, and under nothing less:",
            ));
            out.push('\n');
            list(&mut out, sets);
            let _ = writeln!(out, "\n  {questions} questions asked of one stored graph");
        }
        Least::Some { sets, why } => {
            let said = format!("{why}; these sets are least, there may be others:");
            out.push_str(&look.wrapped(2, &said));
            out.push('\n');
            list(&mut out, sets);
        }
        Least::Unknown(why) => {
            out.push_str(&look.wrapped(2, &format!("unknown: {why}")));
            if let Some(growth) = why.growth() {
                out.push_str(&look.wrapped(2, &format!("note: {}", growth::note(growth, source))));
            }
        }
    }
    look.finish(out)
}
