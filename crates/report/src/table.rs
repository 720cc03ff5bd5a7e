//! A run as rows: who does what, and what every process could have done.

use fairly_system::{Action, ActionId, ProcessId, Run, RunStep, Signature, TransitionSystem};

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
pub(crate) struct Row {
    pub(crate) who: String,
    pub(crate) event: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) from: String,
}

/// All steps of the run, the stem first.
pub(crate) fn rows<S: TransitionSystem>(system: &mut S, run: &Run) -> Vec<Row> {
    run.steps().map(|step| row(system, step)).collect()
}

fn row<S: TransitionSystem>(system: &mut S, step: &RunStep) -> Row {
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
    let event = in_words(signature, action, event);
    Row {
        who: if who.is_empty() { "nobody".to_owned() } else { who.join("+") },
        event,
        parts,
        from: system.describe(step.from),
    }
}

/// An action as it is shown. Where its event is a place in a program, the words that stand there say
/// more than its name; of an atomic sequence, all of them.
fn in_words(signature: &Signature, action: &Action, event: &str) -> String {
    const SHOWN: usize = 4;
    let moves = action.moves.iter().map(|id| &signature.moves[id.index()]);
    let words: Vec<&str> = moves
        .filter(|part| part.span.is_some() && !event.starts_with(part.name.as_str()))
        .map(|part| part.name.as_str())
        .collect();
    match words.len() {
        0 => event.to_owned(),
        // Both sides of a rendezvous, of which the event names one.
        count if action.participants.len() == count => format!("{event}  {}", words[0]),
        count if count <= SHOWN => format!("{event}  {}", words.join("; ")),
        count => format!("{event}  {}; … {} more", words[..SHOWN].join("; "), count - SHOWN),
    }
}
