//! Reachability: breadth first over the states of a system, without property or fairness, so that the way to a
//! goal is a shortest one.
//!
//! - [`state`]: a state that satisfies something;
//! - [`deadlock`] and [`fault`]: a state that a run gets stuck in, or fails in;
//! - [`extremes`]: the least and the greatest value of something;
//! - [`count`]: how large the system is; [`survey`]: the same, so that all events and moves have been
//!   met.
//!
//! Enabled actions count here, not the idle step: a deadlocked state is left by no transition. Where the system
//! goes no further because of a limit of the tool, nothing is known of the successors: a goal that is found
//! elsewhere counts, but a search that finds none does not.

use std::cell::Cell;

use fairly_omega::StateId;
use fairly_system::{Fault, FaultKind, Transition, TransitionSystem};

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use crate::walk::{Reached, Visit, Walk};

/// How much has been explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States that were expanded.
    pub states: usize,
    /// Transitions enabled in them.
    pub transitions: usize,
}

/// Result of a search for a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A shortest way to such a state; `None` if there is none.
    pub prefix: Option<Prefix>,
    /// The part that had been explored by then.
    pub size: Size,
}

impl Found {
    /// Result of a walk: a visit, if any.
    fn of<S: TransitionSystem>(walk: &Walk, system: &mut S, visit: Option<usize>) -> Self {
        Found { prefix: visit.map(|number| walk.prefix(system, number)), size: walk.size }
    }
}

/// Result of a search for a state beside which another one has looked ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBeside<T> {
    /// A way to such a state; `None` if there is none.
    pub way: Option<Way<T>>,
    /// The part that had been explored by then, ahead not counted.
    pub size: Size,
}

/// A way to a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way<T> {
    /// A shortest one.
    Shortest(Prefix),
    /// The result of the search ahead.
    Ahead(T),
}

impl<T> FoundBeside<T> {
    fn of<S: TransitionSystem>(walk: &Walk, system: &mut S, reached: Reached<T>) -> Self {
        let way = match reached {
            Reached::Visit(number) => Some(Way::Shortest(walk.prefix(system, number))),
            Reached::Ahead(ahead) => Some(Way::Ahead(ahead)),
            Reached::End => None,
        };
        FoundBeside { way, size: walk.size }
    }
}

/// The least and the greatest value, each with a shortest way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// The least one; `None` if no state has a value.
    pub least: Option<(i64, Prefix)>,
    /// The greatest one.
    pub greatest: Option<(i64, Prefix)>,
    /// The explored part: everything.
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

/// As [`state`], with a search ahead that gets a turn now and then, with the number of states that have been
/// expanded by then: see [`probe`](crate::probe).
///
/// # Errors
/// When a bound or a limit is reached, and nothing was found ahead.
pub fn state_beside<S: TransitionSystem, T>(
    system: &mut S,
    bounds: Bounds,
    mut goal: impl FnMut(&S, StateId) -> bool,
    mut turn: impl FnMut(&mut S, usize) -> Option<T>,
) -> Result<FoundBeside<T>, Cut> {
    let mut walk = Walk::default();
    let met = |system: &S, visit: &Visit| goal(system, visit.state);
    let reached = walk.find_beside(system, bounds, met, |_, _, _| false, &mut turn)?;
    Ok(FoundBeside::of(&walk, system, reached))
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
    is_end: impl FnMut(&S, StateId) -> bool,
) -> Result<Found, Cut> {
    let mut walk = Walk::default();
    let found = walk.find(system, bounds, |_, _| false, stuck(is_end))?;
    Ok(Found::of(&walk, system, found))
}

/// As [`deadlock`], with a search ahead that gets a turn now and then: see [`state_beside`].
///
/// # Errors
/// As there.
pub fn deadlock_beside<S: TransitionSystem, T>(
    system: &mut S,
    bounds: Bounds,
    is_end: impl FnMut(&S, StateId) -> bool,
    mut turn: impl FnMut(&mut S, usize) -> Option<T>,
) -> Result<FoundBeside<T>, Cut> {
    let mut walk = Walk::default();
    let reached = walk.find_beside(system, bounds, |_, _| false, stuck(is_end), &mut turn)?;
    Ok(FoundBeside::of(&walk, system, reached))
}

/// Result of one walk for errors and for deadlocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Both<T> {
    /// As [`fault`] answers; `None` if the walk was given up because a deadlock was found ahead of it.
    pub error: Option<Result<Option<Way<T>>, Cut>>,
    /// As [`deadlock`] answers; `None` if the walk was given up because an error was found ahead of it.
    pub stuck: Option<Result<Option<Way<T>>, Cut>>,
    /// Cost of the search.
    pub size: Size,
}

/// Looks for errors and for deadlocks in one walk, each with a search ahead of it: as [`state_beside`] for
/// errors and [`deadlock_beside`], in half of the time. The walk goes on until both are found, or until one is
/// found ahead of it: that is far away then, and so may be the end of the walk.
pub fn fault_and_deadlock<S: TransitionSystem, T>(
    system: &mut S,
    bounds: Bounds,
    is_end: impl FnMut(&S, StateId) -> bool,
    mut turn_for_error: impl FnMut(&mut S, usize) -> Option<T>,
    mut turn_for_stuck: impl FnMut(&mut S, usize) -> Option<T>,
) -> Both<T> {
    let mut walk = Walk::default();
    let (error_at, stuck_at) = (Cell::new(None::<usize>), Cell::new(None::<usize>));
    let (mut error_ahead, mut stuck_ahead) = (None, None);
    let are_met = || error_at.get().is_some() && stuck_at.get().is_some();
    let met = |system: &S, visit: &Visit| {
        let is_error = |fault: &Fault| fault.kind == FaultKind::Error;
        if error_at.get().is_none() && system.fault(visit.state).is_some_and(is_error) {
            error_at.set(Some(visit.number));
        }
        are_met()
    };
    let mut is_stuck = stuck(is_end);
    let expanded = |system: &mut S, visit: &Visit, enabled: &[Transition]| {
        if stuck_at.get().is_none() && is_stuck(system, visit, enabled) {
            stuck_at.set(Some(visit.number));
        }
        are_met()
    };
    let mut turn = |system: &mut S, walked: usize| {
        if error_at.get().is_none() && error_ahead.is_none() {
            error_ahead = turn_for_error(system, walked);
        }
        if stuck_at.get().is_none() && stuck_ahead.is_none() {
            stuck_ahead = turn_for_stuck(system, walked);
        }
        (error_ahead.is_some() || stuck_ahead.is_some()).then_some(())
    };
    let ended = walk.find_beside(system, bounds, met, expanded, &mut turn);
    let mut way = |at: Option<usize>, ahead: Option<T>| match (at, ahead, &ended) {
        (Some(number), ..) => Some(Ok(Some(Way::Shortest(walk.prefix(system, number))))),
        (None, Some(ahead), _) => Some(Ok(Some(Way::Ahead(ahead)))),
        (None, None, Err(cut)) => Some(Err(*cut)),
        (None, None, Ok(Reached::Ahead(()))) => None,
        (None, None, Ok(Reached::Visit(_) | Reached::End)) => Some(Ok(None)),
    };
    let error = way(error_at.get(), error_ahead);
    let stuck = way(stuck_at.get(), stuck_ahead);
    Both { error, stuck, size: walk.size }
}

/// Whether a run is stuck at a visit.
fn stuck<S: TransitionSystem>(
    mut is_end: impl FnMut(&S, StateId) -> bool,
) -> impl FnMut(&mut S, &Visit, &[Transition]) -> bool {
    move |system, visit, enabled| {
        enabled.is_empty()
            && !visit.terminated
            && system.fault(visit.state).is_none()
            && !is_end(system, visit.state)
    }
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
