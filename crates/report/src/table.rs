//! A run as rows: who does what, and what every process could have done.

use std::collections::HashSet;

use fairly_source::Span;
use fairly_system::{
    Action, ActionId, MoveId, ProcessId, Run, RunStep, Signature, TransitionSystem,
};

/// What a process does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Taken,
    EnabledNotTaken,
    Disabled,
}

impl Part {
    pub(crate) fn sign(self) -> char {
        match self {
            Part::Taken => '▶',
            Part::EnabledNotTaken => '●',
            Part::Disabled => '·',
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Part::Taken => "taken",
            Part::EnabledNotTaken => "enabled",
            Part::Disabled => "disabled",
        }
    }
}

/// One step of a run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) who: String,
    pub(crate) event: String,
    /// What happens, in the words of the source where there are any.
    pub(crate) action: String,
    /// Where it is written.
    pub(crate) span: Option<Span>,
    /// The line of it, where only that is known.
    pub(crate) line: Option<String>,
    pub(crate) parts: Vec<Part>,
    /// The state that the step leaves.
    pub(crate) from: String,
    /// The variables that the step changes, with their new values.
    pub(crate) changes: Vec<(String, String)>,
}

/// All steps of the run, the stem first.
pub(crate) fn rows<S: TransitionSystem>(system: &mut S, run: &Run) -> Vec<Row> {
    run.steps().map(|step| row(system, step)).collect()
}

pub(crate) fn row<S: TransitionSystem>(system: &mut S, step: &RunStep) -> Row {
    let mut enabled = Vec::new();
    system.enabled(step.from, &mut enabled);
    let takes = |action: ActionId, process: ProcessId, system: &S| {
        system.action(action).participants.contains(&process)
    };
    let signature = system.signature();
    let parts = (0..signature.processes.len())
        .map(ProcessId::from_index)
        .map(|process| {
            if takes(step.action, process, system) {
                Part::Taken
            } else if enabled.iter().any(|other| takes(other.action, process, system)) {
                Part::EnabledNotTaken
            } else {
                Part::Disabled
            }
        })
        .collect();
    let action = system.action(step.action);
    let who: Vec<&str> =
        action.participants.iter().map(|&process| signature.process_name(process)).collect();
    let event = signature.event_name(action.event);
    let (words, span) = in_words(signature, action);
    Row {
        who: if who.is_empty() { "nobody".to_owned() } else { who.join("+") },
        event: event.to_owned(),
        action: words.unwrap_or_else(|| event.to_owned()),
        span,
        line: None,
        parts,
        from: system.describe(step.from),
        changes: changes(system, step),
    }
}

/// The variables that have another value after the step. Where processes are is told by what they do.
fn changes<S: TransitionSystem>(system: &S, step: &RunStep) -> Vec<(String, String)> {
    let before: HashSet<(String, String)> = system.valuation(step.from).into_iter().collect();
    let processes: HashSet<&String> = system.signature().processes.iter().collect();
    // Whoever runs alone, or moved last, is no variable of the model.
    let is_variable =
        |name: &String| !processes.contains(name) && name != "atomic" && name != "last";
    let after = system.valuation(step.to).into_iter();
    after.filter(|pair| is_variable(&pair.0) && !before.contains(pair)).collect()
}

/// An action in the words that stand where it is written; of an atomic sequence, all of them.
fn in_words(signature: &Signature, action: &Action) -> (Option<String>, Option<Span>) {
    const SHOWN: usize = 4;
    let event = signature.event_name(action.event);
    let moves = || action.moves.iter().map(|id: &MoveId| &signature.moves[id.index()]);
    let span = moves().find_map(|part| part.span);
    let words: Vec<&str> = moves()
        .filter(|part| part.span.is_some() && !event.starts_with(part.name.as_str()))
        .map(|part| part.name.as_str())
        .collect();
    let words = match words.len() {
        0 => None,
        // Both sides of a rendezvous, of which the event names one.
        count if count > 1 && action.participants.len() == count => Some(words[0].to_owned()),
        count if count <= SHOWN => Some(words.join("; ")),
        count => Some(format!("{}; … {} more", words[..SHOWN].join("; "), count - SHOWN)),
    };
    (words, span)
}
