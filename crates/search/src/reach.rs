//! What can be reached: breadth first over the states of a system, without property or fairness, so
//! that the way to what is found is a shortest one.
//!
//! - [`state`]: a state that satisfies something;
//! - [`deadlock`] and [`fault`]: a state that a run gets stuck in, or fails in;
//! - [`extremes`]: the least and the greatest value of something;
//! - [`count`]: how large the system is; [`survey`]: the same, so that all events and moves have been
//!   met.
//!
//! What is enabled counts here, not the idle step: a deadlocked state is left by no transition. Where
//! the system goes no further because of a limit of the tool, nothing is known of what follows: what is
//! found elsewhere counts, but that nothing is found does not.

use fairly_omega::StateId;
use fairly_system::{FaultKind, Transition, TransitionSystem};

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use crate::walk::{Visit, Walk};

/// How much has been explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States that were expanded.
    pub states: usize,
    /// Transitions enabled in them.
    pub transitions: usize,
}

/// What a search for a state ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A shortest way to such a state; `None` if there is none.
    pub prefix: Option<Prefix>,
    /// What had been explored by then.
    pub size: Size,
}

impl Found {
    /// What a walk found: a visit, if any.
    fn of<S: TransitionSystem>(walk: &Walk, system: &mut S, visit: Option<usize>) -> Self {
        Found { prefix: visit.map(|number| walk.prefix(system, number)), size: walk.size }
    }
}

/// The least and the greatest value, each with a shortest way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// The least one; `None` if no state has a value.
    pub least: Option<(i64, Prefix)>,
    /// The greatest one.
    pub greatest: Option<(i64, Prefix)>,
    /// What was explored: everything.
    pub size: Size,
}

/// The first state that satisfies `goal`, nearest first.
///
/// # Errors
/// When a bound or a limit is reached.
pub fn state<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
    mut goal: impl FnMut(&S, StateId) -> bool,
) -> Result<Found, Cut> {
    let mut walk = Walk::default();
    let found =
        walk.find(system, bounds, |system, visit| goal(system, visit.state), |_, _, _| false)?;
    Ok(Found::of(&walk, system, found))
}

/// The first state that is left by no transition although nothing has ended there: it has no
/// [`fault`](TransitionSystem::fault), the step that led to it was not
/// [termination](fairly_system::EventKind::Termination), and it is no end by `is_end`.
///
/// # Errors
/// When a bound or a limit is reached.
pub fn deadlock<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
    mut is_end: impl FnMut(&S, StateId) -> bool,
) -> Result<Found, Cut> {
    let mut walk = Walk::default();
    let stuck = |system: &mut S, visit: &Visit, enabled: &[Transition]| {
        enabled.is_empty()
            && !visit.terminated
            && system.fault(visit.state).is_none()
            && !is_end(system, visit.state)
    };
    let found = walk.find(system, bounds, |_, _| false, stuck)?;
    Ok(Found::of(&walk, system, found))
}

/// The first state that was entered by an [error](FaultKind::Error) of the model.
///
/// # Errors
/// When a bound or a limit is reached.
pub fn fault<S: TransitionSystem>(system: &mut S, bounds: Bounds) -> Result<Found, Cut> {
    state(system, bounds, |system, state| {
        system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Error)
    })
}

/// The least and the greatest value over all states that have one.
///
/// # Errors
/// When a bound or a limit is reached: what has been seen by then says nothing of the rest.
pub fn extremes<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
    mut value: impl FnMut(&S, StateId) -> Option<i64>,
) -> Result<Extremes, Cut> {
    let mut walk = Walk::default();
    let (mut least, mut greatest) = (None::<(i64, usize)>, None::<(i64, usize)>);
    let look = |system: &S, visit: &Visit| {
        if let Some(value) = value(system, visit.state) {
            // Only what is better: the first one found is the nearest.
            if least.is_none_or(|(least, _)| value < least) {
                least = Some((value, visit.number));
            }
            if greatest.is_none_or(|(greatest, _)| value > greatest) {
                greatest = Some((value, visit.number));
            }
        }
        false
    };
    walk.find(system, bounds, look, |_, _, _| false)?;
    let mut with_way = |(value, number): (i64, usize)| (value, walk.prefix(system, number));
    let (least, greatest) = (least.map(&mut with_way), greatest.map(&mut with_way));
    Ok(Extremes { least, greatest, size: walk.size })
}

/// How many states and transitions the system has.
///
/// # Errors
/// When a bound or a limit is reached.
pub fn count<S: TransitionSystem>(system: &mut S, bounds: Bounds) -> Result<Size, Cut> {
    let mut walk = Walk::default();
    walk.find(system, bounds, |_, _| false, |_, _, _| false)?;
    Ok(walk.size)
}

/// Explores the whole system, what processes offer included, so that its
/// [signature](TransitionSystem::signature) lists every event and every move that there is: what
/// constraints need that are one for each of them.
///
/// # Errors
/// When a bound or a limit is reached. The tables may then be short of something, and must not be used as if
/// they were whole.
pub fn survey<S: TransitionSystem>(system: &mut S, bounds: Bounds) -> Result<Size, Cut> {
    let mut walk = Walk::default();
    let mut offered = Vec::new();
    let offer = |system: &mut S, visit: &Visit, _: &[Transition]| {
        offered.clear();
        system.offered(visit.state, &mut offered);
        false
    };
    walk.find(system, bounds, |_, _| false, offer)?;
    Ok(walk.size)
}
