//! Endings: conditions on the last state of a run that refutes a claim, judged again by looking at that state
//! alone.

use fairly_omega::StateId;
use fairly_search::Prefix;
use fairly_system::{ActionId, EventKind, FaultKind, Run, TransitionSystem};

use crate::claim::Shown;
use crate::confirm::terminates;

/// Ending of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is enabled, and the run has not ended as it should: not all processes are where they may
    /// end, or the proposition of this name holds.
    Stuck(Option<String>),
    /// Nothing is enabled.
    Over,
    /// Something goes wrong in the last step.
    Error,
    /// Internal steps for ever.
    Divergence,
}

impl Ending {
    /// The run with what it shows, as the answer to the claim says it.
    pub fn shown<S: TransitionSystem>(&self, system: &mut S, run: &Run, start: StateId) -> Shown {
        let prefix = Prefix { start, steps: run.stem.clone() };
        match self {
            Ending::Stuck(unfinished) => Shown::stuck(system, prefix, unfinished.as_deref()),
            Ending::Over => Shown::last(system, prefix),
            Ending::Error => {
                let fault = system.fault(prefix.end()).map(|fault| fault.message.clone());
                Shown::new(prefix, fault.unwrap_or_default())
            }
            Ending::Divergence => Shown { cycle: run.cycle.clone(), ..Shown::diverges(prefix) },
        }
    }

    /// Observation at the end of a run, if it has this ending.
    ///
    /// # Errors
    /// The ending that it has instead.
    pub fn judge<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &Run,
        start: StateId,
    ) -> Result<String, String> {
        let last = run.stem.last().map_or(start, |step| step.to);
        if *self == Ending::Divergence {
            let is_internal = |action: ActionId| {
                let event = system.action(action).event;
                system.signature().event_kind(event) == EventKind::Internal
            };
            let diverges =
                !run.cycle.is_empty() && run.cycle.iter().all(|step| is_internal(step.action));
            let seen = "its loop has internal steps only".to_owned();
            return diverges.then_some(seen).ok_or("its loop has a step that is seen".to_owned());
        }
        if !run.cycle.is_empty() {
            return Err("it goes on for ever, and should end".to_owned());
        }
        if let Some(fault) = system.fault(last).filter(|fault| fault.kind == FaultKind::Limit) {
            return Err(format!("what comes after it is not known: {}", fault.message));
        }
        let fault = system.fault(last);
        if let Some(fault) = fault {
            let message = fault.message.clone();
            return match self {
                Ending::Error | Ending::Over => Ok(format!("it ends with an error: {message}")),
                _ => Err(format!("it ends with an error, not with a deadlock: {message}")),
            };
        }
        if *self == Ending::Error {
            return Err("nothing goes wrong in its last step".to_owned());
        }
        if *self == Ending::Over && terminates(system, run) {
            return Ok("it terminates".to_owned());
        }
        let mut enabled = Vec::new();
        system.enabled(last, &mut enabled);
        if let Some(step) = enabled.first() {
            let event = system.signature().event_name(system.action(step.action).event);
            return Err(format!("it is no deadlock: {event} is possible in its last state"));
        }
        let mut holds = |name: &str| system.atom(name).is_some_and(|atom| system.holds(last, atom));
        match self {
            Ending::Stuck(missing) if holds("terminated") => match missing {
                Some(missing) if holds(missing) => Ok(format!("it ends with: {missing}")),
                _ => Err("every process has ended there as it should".to_owned()),
            },
            _ => Ok("nothing is enabled in its last state".to_owned()),
        }
    }
}
