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
    /// Who sends, by position, where several take part and one sends to the others.
    pub(crate) sender: Option<usize>,
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
    let sender = sender(signature, action);
    Row {
        who: if who.is_empty() { "nobody".to_owned() } else { who.join("+") },
        event: event.to_owned(),
        action: words.unwrap_or_else(|| event.to_owned()),
        span,
        line: None,
        parts,
        sender: sender.filter(|_| action.participants.len() > 1).map(ProcessId::index),
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
    // Variables of a process that the step starts have no value to change.
    let names: HashSet<&String> = before.iter().map(|(name, _)| name).collect();
    let after = system.valuation(step.to).into_iter();
    let is_changed = |pair: &(String, String)| {
        is_variable(&pair.0) && names.contains(&pair.0) && !before.contains(pair)
    };
    after.filter(is_changed).collect()
}

/// The process that sends, if one of those that take part does.
fn sender(signature: &Signature, action: &Action) -> Option<ProcessId> {
    let moves = action.moves.iter().map(|id: &MoveId| &signature.moves[id.index()]);
    let mut sends = moves.filter(|part| part.name.contains('!') && !part.name.contains('?'));
    let first = sends.next()?;
    sends.next().is_none().then_some(first.process)
}

/// Whether an event tells what a move does, with the values: `c!1` and `c[0]!1` say more than `c!`.
fn says_more(event: &str, name: &str) -> bool {
    let channel = name.strip_suffix(['!', '?']).filter(|channel| !channel.is_empty());
    event.starts_with(name) || channel.is_some_and(|channel| event.starts_with(channel))
}

/// An action in the words that stand where it is written; of an atomic sequence, all of them.
fn in_words(signature: &Signature, action: &Action) -> (Option<String>, Option<Span>) {
    const SHOWN: usize = 4;
    let event = signature.event_name(action.event);
    let moves = || action.moves.iter().map(|id: &MoveId| &signature.moves[id.index()]);
    let span = moves().find_map(|part| part.span);
    let words: Vec<&str> = moves()
        .filter(|part| part.span.is_some() && !says_more(event, &part.name))
        .map(|part| part.name.as_str())
        .collect();
    let words = match words.len() {
        0 => None,
        // Both sides of a rendezvous, of which the event names one.
        count if count > 1 && action.participants.len() == count => {
            let sent = words.iter().find(|words| words.contains('!') && !words.contains('?'));
            Some(sent.unwrap_or(&words[0]).to_string())
        }
        count if count <= SHOWN => Some(words.join("; ")),
        count => Some(format!("{}; … {} more", words[..SHOWN].join("; "), count - SHOWN)),
    };
    (words, span)
}
