//! Where a simulation stops by itself: after a step of a line, or when a condition becomes true.

use fairly_omega::StateId;
use fairly_report::Source;
use fairly_report::condition::Condition;
use fairly_system::{ActionId, RunStep, TransitionSystem};

/// Something to stop at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A step that is written in this line has been taken.
    Line(usize),
    /// This has become true.
    Condition(String, Condition),
}

impl Stop {
    /// Reads a line, or a condition on states such as this one.
    ///
    /// # Errors
    /// The error in it.
    pub(super) fn read<S: TransitionSystem>(
        text: &str,
        system: &mut S,
        state: StateId,
        source: Option<Source<'_>>,
    ) -> Result<Stop, String> {
        if let Ok(line) = text.parse::<usize>() {
            let Some(source) = source else {
                return Err("the model has no text, so it has no lines".to_owned());
            };
            let count = source.text.lines().count();
            return match (1..=count).contains(&line) {
                true if has_steps(system, source, line) => Ok(Stop::Line(line)),
                true => Err(format!("no step is written in line {line}; `l` shows where some are")),
                false => Err(format!("the file has {count} lines")),
            };
        }
        let condition = Condition::read(text, system, state)?;
        Ok(Stop::Condition(text.to_owned(), condition))
    }

    /// Whether a step leads to it.
    pub(super) fn is_met<S: TransitionSystem>(
        &self,
        system: &S,
        step: &RunStep,
        source: Option<Source<'_>>,
    ) -> bool {
        match self {
            Stop::Line(line) => {
                source.is_some_and(|source| lines(system, step.action, source).contains(line))
            }
            Stop::Condition(_, condition) => {
                let holds = |state: StateId| condition.holds(system, state);
                holds(step.to) && !holds(step.from)
            }
        }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        match self {
            Stop::Line(line) => format!("line {line}"),
            Stop::Condition(text, _) => text.clone(),
        }
    }
}

/// Whether something can happen that is written in a line. Processes that are unfolded while they are explored
/// do not know yet, so they may have some.
fn has_steps<S: TransitionSystem>(system: &S, source: Source<'_>, line: usize) -> bool {
    let moves = &system.signature().moves;
    let mut known = moves.iter().filter_map(|it| source.line(it.span?.start)).peekable();
    known.peek().is_none()
        || known.any(|known| known == line)
        || moves.iter().any(|it| it.span.is_none())
}

/// The lines in which an action is written.
pub(super) fn lines<S: TransitionSystem>(
    system: &S,
    action: ActionId,
    source: Source<'_>,
) -> Vec<usize> {
    let moves = &system.signature().moves;
    let own = system.action(action).moves.iter();
    own.filter_map(|it| source.line(moves.get(it.index())?.span?.start)).collect()
}
