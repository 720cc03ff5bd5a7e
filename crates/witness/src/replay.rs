//! Is it a run of the system at all?

use fairly_omega::{StateId, Stop};
use fairly_system::{ActionId, Run, RunStep, Transition, TransitionSystem};
use hashbrown::HashSet;

/// Reasons why a claimed run is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    /// It does not start in an initial state.
    #[error("the run does not start in an initial state")]
    Start,
    /// The step with this position does not continue the one before.
    #[error("step {} does not continue the one before", .0 + 1)]
    Gap(usize),
    /// The step with this position is not one that the system has in that state.
    #[error("step {} is not one of the system's", .0 + 1)]
    NoSuchStep(usize),
    /// There is no cycle, or it does not return to its start.
    #[error("the cycle does not close")]
    Open,
    /// It satisfies the property that it was said to violate.
    #[error("the run satisfies the property")]
    Satisfies,
    /// It is not fair: the name of a constraint that it does not meet.
    #[error("the run does not meet {0}")]
    Unfair(String),
    /// It does not show what it was said to show: what there is to see instead.
    #[error("{0}")]
    Shows(String),
    /// There is no run of the whole system behind the one of the reduced system.
    #[error("the whole system has no run like it")]
    Lost,
    /// Not known: it was time to stop before the run had been walked.
    #[error("stopped before the run was walked to its end")]
    Stopped,
}

/// Walks the run on the system.
///
/// # Errors
/// With the first thing that is not as it should be.
pub fn replay<S: TransitionSystem>(system: &mut S, run: &Run) -> Result<(), WitnessError> {
    replay_until(system, run, Stop::default())
}

/// The same; given up when it is time to stop.
///
/// # Errors
/// As [`replay`], and [`WitnessError::Stopped`].
pub fn replay_until<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    stop: Stop,
) -> Result<(), WitnessError> {
    let (Some(first), Some(entry)) = (run.steps().next(), run.cycle.first()) else {
        return Err(WitnessError::Open);
    };
    let steps: Vec<RunStep> = run.steps().copied().collect();
    let end = follow_until(system, first.from, &steps, stop)?;
    if end == entry.from || goes_round_again(system, end, &run.cycle, stop)? {
        Ok(())
    } else {
        Err(WitnessError::Open)
    }
}

/// Whether a cycle has come to another state than it began in, from which it can be gone round just so: the two
/// differ in values that nothing depends on. What the system says of that is put to the test in one more round.
fn goes_round_again<S: TransitionSystem>(
    system: &mut S,
    end: StateId,
    cycle: &[RunStep],
    stop: Stop,
) -> Result<bool, WitnessError> {
    let mut at = end;
    for step in cycle {
        if stop.is_due() {
            return Err(WitnessError::Stopped);
        }
        if !system.has_same_future(at, step.from) {
            return Ok(false);
        }
        let mut possible = Vec::new();
        system.steps(at, &mut possible);
        let next = possible.iter().find(|other| {
            other.action == step.action && system.has_same_future(other.target, step.to)
        });
        let Some(next) = next else { return Ok(false) };
        at = next.target;
    }
    Ok(system.has_same_future(at, end))
}

/// Walks a finite run on the system, from an initial state to the state that is returned.
///
/// # Errors
/// With the first thing that is not as it should be.
pub fn follow<S: TransitionSystem>(
    system: &mut S,
    start: StateId,
    steps: &[RunStep],
) -> Result<StateId, WitnessError> {
    follow_until(system, start, steps, Stop::default())
}

/// The same; given up when it is time to stop.
///
/// # Errors
/// As [`follow`], and [`WitnessError::Stopped`].
pub fn follow_until<S: TransitionSystem>(
    system: &mut S,
    start: StateId,
    steps: &[RunStep],
    stop: Stop,
) -> Result<StateId, WitnessError> {
    if !system.initial().contains(&start) {
        return Err(WitnessError::Start);
    }
    let mut at = start;
    for (position, step) in steps.iter().enumerate() {
        if step.from != at {
            return Err(WitnessError::Gap(position));
        }
        if stop.is_due() {
            return Err(WitnessError::Stopped);
        }
        // The idle step is the system's only where nothing is enabled.
        let mut enabled = Vec::new();
        system.enabled(step.from, &mut enabled);
        let real = if step.action == ActionId::IDLE {
            enabled.is_empty() && step.to == step.from
        } else {
            enabled.contains(&Transition { target: step.to, action: step.action })
        };
        if !real {
            return Err(WitnessError::NoSuchStep(position));
        }
        at = step.to;
    }
    Ok(at)
}

/// Whether the run is strongly globally fair: every step that is possible in a state of its cycle is
/// taken on the cycle.
pub fn takes_everything<S: TransitionSystem>(system: &mut S, run: &Run) -> bool {
    takes_everything_until(system, run, Stop::default()).expect("there is no time to stop")
}

/// The same; given up when it is time to stop.
///
/// # Errors
/// With [`WitnessError::Stopped`].
pub fn takes_everything_until<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    stop: Stop,
) -> Result<bool, WitnessError> {
    let taken: HashSet<RunStep> = run.cycle.iter().copied().collect();
    for step in &run.cycle {
        if stop.is_due() {
            return Err(WitnessError::Stopped);
        }
        let mut possible = Vec::new();
        system.steps(step.from, &mut possible);
        let mut others = Vec::new();
        system.left_out(step.from, &mut others);
        let is_taken = |&Transition { target, action }: &Transition| {
            taken.contains(&RunStep { from: step.from, action, to: target })
        };
        if !others.is_empty() || !possible.iter().all(is_taken) {
            return Ok(false);
        }
    }
    Ok(true)
}
