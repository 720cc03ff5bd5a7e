//! A run as rows: who does what, and what every process could have done.

use fairly_system::{ActionId, ProcessId, Run, RunStep, TransitionSystem};

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
    // Where an event is a place in a program, the words that stand there say more than its name.
    let words = action.moves.first().map(|id| &signature.moves[id.index()]);
    let event = match words {
        Some(first) if first.span.is_some() && !event.starts_with(first.name.as_str()) => {
            format!("{event}  {}", first.name)
        }
        _ => event.to_owned(),
    };
    Row {
        who: if who.is_empty() { "nobody".to_owned() } else { who.join("+") },
        event,
        parts,
        from: system.describe(step.from),
    }
}
