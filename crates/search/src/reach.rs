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
use fairly_system::{ActionId, EventKind, FaultKind, RunStep, Transition, TransitionSystem};

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use crate::product::is_limit;
use crate::stored::Budget;

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
    Ok(walk.found(found))
}

/// The first state that is left by no transition although nothing has ended there: it has no
/// [`fault`](TransitionSystem::fault), the step that led to it was not
/// [termination](EventKind::Termination), and it is no end by `is_end`.
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
    Ok(walk.found(found))
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
    let with_way = |(value, number): (i64, usize)| (value, walk.prefix(number));
    let (least, greatest) = (least.map(with_way), greatest.map(with_way));
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

/// A state on the walk.
#[derive(Clone, Copy)]
struct Visit {
    state: StateId,
    /// Whether the step that led to it was termination. A state may be entered by termination and
    /// otherwise, and is then visited once for each: it is stuck only in the second case.
    terminated: bool,
    /// Its position in the order of the walk.
    number: usize,
    /// The visit before and what was done there; none for a start.
    came: Option<(u32, ActionId)>,
}

/// A walk over a system, breadth first.
#[derive(Default)]
struct Walk {
    visits: Vec<Visit>,
    /// By state.
    known: Vec<Known>,
    size: Size,
}

/// What has been done about a state.
#[derive(Clone, Copy, Default)]
struct Known {
    met_terminated: bool,
    met_otherwise: bool,
    counted: bool,
}

impl Walk {
    /// Goes on until `met`, asked of each state when it is met, or `expanded`, asked with what is
    /// enabled when its turn has come, says that it is found; the number of that visit.
    fn find<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        bounds: Bounds,
        mut met: impl FnMut(&S, &Visit) -> bool,
        mut expanded: impl FnMut(&mut S, &Visit, &[Transition]) -> bool,
    ) -> Result<Option<usize>, Cut> {
        let budget = Budget::new(bounds);
        for state in system.initial() {
            if let Some(visit) = self.meet(state, false, None)
                && !is_limit(system, state)
                && met(system, &visit)
            {
                return Ok(Some(visit.number));
            }
        }
        let mut enabled = Vec::new();
        let mut limit = None;
        let mut at = 0;
        while at < self.visits.len() {
            budget.allows(at)?;
            let visit = self.visits[at];
            at += 1;
            if is_limit(system, visit.state) {
                limit = limit.or(Some(visit.state));
                continue;
            }
            enabled.clear();
            system.enabled(visit.state, &mut enabled);
            let known = &mut self.known[visit.state.index()];
            if !std::mem::replace(&mut known.counted, true) {
                self.size.states += 1;
                self.size.transitions += enabled.len();
            }
            if expanded(system, &visit, &enabled) {
                return Ok(Some(visit.number));
            }
            let number = u32::try_from(visit.number).map_err(|_| Cut::Nodes(visit.number))?;
            for &Transition { target, action } in &enabled {
                let event = system.action(action).event;
                let terminated = system.signature().event_kind(event) == EventKind::Termination;
                if let Some(next) = self.meet(target, terminated, Some((number, action)))
                    && !is_limit(system, target)
                    && met(system, &next)
                {
                    return Ok(Some(next.number));
                }
            }
        }
        limit.map_or(Ok(None), |state| Err(Cut::Limit(state)))
    }

    /// A visit to a state, unless there has been one.
    fn meet(
        &mut self,
        state: StateId,
        terminated: bool,
        came: Option<(u32, ActionId)>,
    ) -> Option<Visit> {
        if state.index() >= self.known.len() {
            self.known.resize(state.index() + 1, Known::default());
        }
        let known = &mut self.known[state.index()];
        let met = if terminated { &mut known.met_terminated } else { &mut known.met_otherwise };
        if std::mem::replace(met, true) {
            return None;
        }
        let visit = Visit { state, terminated, number: self.visits.len(), came };
        self.visits.push(visit);
        Some(visit)
    }

    /// The way to a visit.
    fn prefix(&self, number: usize) -> Prefix {
        let mut at = self.visits[number];
        let mut steps = Vec::new();
        while let Some((before, action)) = at.came {
            let from = self.visits[before as usize];
            steps.push(RunStep { from: from.state, action, to: at.state });
            at = from;
        }
        steps.reverse();
        Prefix { start: at.state, steps }
    }

    fn found(&self, visit: Option<usize>) -> Found {
        Found { prefix: visit.map(|number| self.prefix(number)), size: self.size }
    }
}
