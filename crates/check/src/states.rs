//! Searches for a reachable state, by one worker or by several.
//!
//! Small systems are searched by one worker, and no other is started for them. Several workers go breadth first
//! through the rows of the space that is searched ([`fairly_explore::breadth`]); the search ahead, in other orders,
//! gets its turns in the thread that asked. The way to a state is found again among the numbered states of the
//! reduced system, so that it is lifted, replayed and judged like every other.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fairly_explore::breadth::{self, Breadth, Ended, Pace, Sought, StateIndex};
use fairly_omega::StateId;
use fairly_reduce::{Reduced, Reducible};
use fairly_search::reach::{self, Both, FoundBeside, Size, Way};
use fairly_search::{Bounds, Cut, Prefix, Watch, parallel};
use fairly_system::{
    AtomIndex, Fault, FaultKind, Growth, RunStep, Scratch, Space, Transition, TransitionSystem,
};

use crate::card;
use crate::claim::{ClaimError, Extreme};
use crate::verdict::WhyUnknown;
use crate::workers::Workers;

/// Aim of a search for a state.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    /// An error of the model.
    Error,
    /// An error of the model, or a state of whose row this is true.
    ErrorOrRow(&'a (dyn Fn(&[u64]) -> bool + Sync)),
    /// A state without steps that is no end.
    Stuck(Ends),
    /// An error or such a state, whichever is nearer.
    ErrorOrStuck(Ends),
    /// A state with a proposition.
    Goal(AtomIndex),
}

/// Propositions of the states that a run may end in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// Of states in which a run may end.
    pub end: Option<AtomIndex>,
    /// Of those in which it may not all the same.
    pub missing: Option<AtomIndex>,
}

impl Ends {
    /// Whether a run may end in a state.
    pub(crate) fn are_met<S: TransitionSystem>(self) -> impl Fn(&S, StateId) -> bool {
        move |system, state| self.allow(|atom| system.holds(state, atom))
    }

    /// Whether a run may end, given which propositions hold.
    pub(crate) fn allow(self, mut holds: impl FnMut(AtomIndex) -> bool) -> bool {
        self.end.is_some_and(&mut holds) && !self.missing.is_some_and(&mut holds)
    }
}

/// A target as several workers ask for it.
struct InRows<'a> {
    space: &'a dyn Space,
    target: Target<'a>,
    watch: Option<&'static Watch>,
    /// Growth until the search was cut, if it was.
    grown: Mutex<Option<Growth>>,
}

impl Sought for InRows<'_> {
    fn fault(&self, fault: &Fault) -> bool {
        let is_sought =
            matches!(self.target, Target::Error | Target::ErrorOrRow(_) | Target::ErrorOrStuck(_));
        is_sought && fault.kind == FaultKind::Error
    }

    fn stuck(&self, row: &[u64], scratch: &mut Scratch) -> bool {
        let (Target::Stuck(ends) | Target::ErrorOrStuck(ends)) = self.target else { return false };
        !ends.allow(|atom| self.space.holds(row, atom, scratch))
    }

    fn state(&self, row: &[u64], scratch: &mut Scratch) -> bool {
        match self.target {
            Target::Goal(goal) => self.space.holds(row, goal, scratch),
            Target::ErrorOrRow(is_wrong) => is_wrong(row),
            Target::Error | Target::Stuck(_) | Target::ErrorOrStuck(_) => false,
        }
    }

    fn expanded(&self, worker: usize, states: usize) {
        if let Some(watch) = self.watch {
            watch.see_worker(worker, states);
        }
    }

    fn grew(&self, growth: Growth) {
        *self.grown.lock().unwrap_or_else(PoisonError::into_inner) = Some(growth);
    }
}

/// Looks for a state with the walk of one worker; where that is cut because the system is no small one, with several.
/// The walk must look for the target, and `ahead` is asked to look for it in other orders.
pub(crate) fn find<S: Reducible, T>(
    reduced: &mut Reduced<'_, S>,
    (bounds, workers): (Bounds, Workers),
    target: Target<'_>,
    mut ahead: impl FnMut(&mut Reduced<'_, S>, usize) -> Option<T>,
    walk: impl Fn(
        &mut Reduced<'_, S>,
        Bounds,
        &mut dyn FnMut(&mut Reduced<'_, S>, usize) -> Option<T>,
    ) -> Result<FoundBeside<T>, Cut>,
) -> Result<FoundBeside<T>, ClaimError> {
    if workers.on_card
        && let Some(found) = card::states(reduced, bounds, target)?
    {
        let way = found.way.map(|(prefix, _)| Way::Shortest(prefix));
        return Ok(FoundBeside { way, size: found.size });
    }
    if let Some(few) = workers.few(bounds) {
        match walk(reduced, few, &mut ahead) {
            Err(Cut::Nodes(_)) => {}
            found => return found.map_err(|cut| WhyUnknown::cut(cut, reduced).into()),
        }
        if let Some(space) = reduced.shared() {
            let found = search(reduced, &*space, (bounds, workers), target, ahead)?;
            let way = found.way.map(|(way, _)| way);
            return Ok(FoundBeside { way, size: found.size });
        }
    }
    let found = walk(reduced, bounds, &mut ahead);
    found.map_err(|cut| WhyUnknown::cut(cut, reduced).into())
}

/// As [`find`] for errors and for deadlocks at once. There is no answer to one where the other is found by several
/// workers.
pub(crate) fn error_and_stuck<S: Reducible, T>(
    reduced: &mut Reduced<'_, S>,
    (bounds, workers): (Bounds, Workers),
    ends: Ends,
    mut for_error: impl FnMut(&mut Reduced<'_, S>, usize) -> Option<T>,
    mut for_stuck: impl FnMut(&mut Reduced<'_, S>, usize) -> Option<T>,
) -> Result<Both<T>, ClaimError> {
    let mut walk = |reduced: &mut Reduced<'_, S>, bounds| {
        reach::fault_and_deadlock(reduced, bounds, ends.are_met(), &mut for_error, &mut for_stuck)
    };
    if workers.on_card
        && let Some(found) = card::states(reduced, bounds, Target::ErrorOrStuck(ends))?
    {
        let (mut error, mut stuck) = (Some(Ok(None)), Some(Ok(None)));
        if let Some((prefix, is_error)) = found.way {
            let way = Some(Ok(Some(Way::Shortest(prefix))));
            (error, stuck) = if is_error { (way, None) } else { (None, way) };
        }
        return Ok(Both { error, stuck, size: found.size });
    }
    if let Some(few) = workers.few(bounds) {
        // Before anything is found: states have other numbers in the space that several workers search.
        let space = reduced.shared();
        let both = walk(reduced, few);
        let is_cut = |way: &Option<Result<_, Cut>>| matches!(way, Some(Err(Cut::Nodes(_))));
        if !is_cut(&both.error) && !is_cut(&both.stuck) {
            return Ok(both);
        }
        if let Some(space) = space {
            let is_known = [both.error, both.stuck].map(|way| way.filter(Result::is_ok));
            let target = match is_known.each_ref().map(Option::is_some) {
                [true, _] => Target::Stuck(ends),
                [_, true] => Target::Error,
                [false, false] => Target::ErrorOrStuck(ends),
            };
            let ahead = |reduced: &mut Reduced<'_, S>, walked: usize| match target {
                Target::Stuck(_) => for_stuck(reduced, walked).map(|way| (way, false)),
                Target::Error => for_error(reduced, walked).map(|way| (way, true)),
                _ => {
                    let error = for_error(reduced, walked).map(|way| (way, true));
                    error.or_else(|| for_stuck(reduced, walked).map(|way| (way, false)))
                }
            };
            let found = search(reduced, &*space, (bounds, workers), target, ahead)?;
            let [mut error, mut stuck] = is_known;
            match found.way {
                Some((Way::Shortest(prefix), is_error)) => {
                    let way = Some(Ok(Some(Way::Shortest(prefix))));
                    if is_error { error = way } else { stuck = way }
                }
                Some((Way::Ahead((way, is_error)), _)) => {
                    let way = Some(Ok(Some(Way::Ahead(way))));
                    if is_error { error = way } else { stuck = way }
                }
                None => {
                    error = error.or(Some(Ok(None)));
                    stuck = stuck.or(Some(Ok(None)));
                }
            }
            return Ok(Both { error, stuck, size: found.size });
        }
    }
    Ok(walk(reduced, bounds))
}

/// Result of a search by several workers.
struct Found<T> {
    /// A way to a state, and whether it is an error.
    way: Option<(Way<T>, bool)>,
    size: Size,
}

/// Searches with several workers, and finds the way among the numbered states of the reduced system.
fn search<S: Reducible, T>(
    reduced: &mut Reduced<'_, S>,
    space: &dyn Space,
    (bounds, workers): (Bounds, Workers),
    target: Target<'_>,
    mut ahead: impl FnMut(&mut Reduced<'_, S>, usize) -> Option<T>,
) -> Result<Found<T>, ClaimError> {
    let started = Instant::now();
    let breadth = breadth((bounds, workers));
    let mut found_ahead = None;
    let mut turn = |walked: usize| {
        bounds.see_nodes(walked);
        found_ahead = ahead(reduced, walked);
        found_ahead.is_some()
    };
    let rows = InRows { space, target, watch: bounds.watch, grown: Mutex::default() };
    let (ended, size) = breadth.search_beside(space, &rows, &mut turn);
    let is_clean = size.faults == 0;
    let size = Size { states: size.states, transitions: size.steps };
    let way = match ended {
        Ended::Found(way) => {
            let is_error = way.fault.is_some();
            Some((Way::Shortest(numbered(reduced, &way).map_err(ClaimError::Lost)?), is_error))
        }
        Ended::Beside => found_ahead.map(|way| (Way::Ahead(way), false)),
        Ended::Exhausted => {
            if is_clean {
                reduced.learn_that_no_fault_is_met();
            }
            None
        }
        Ended::Cut(reached) => {
            let growth = rows.grown.into_inner().unwrap_or_else(PoisonError::into_inner);
            return Err(why((reached, growth), &breadth, bounds, (started, size.states)));
        }
    };
    Ok(Found { way, size })
}

/// A search breadth first within bounds.
fn breadth((bounds, workers): (Bounds, Workers)) -> Breadth {
    Breadth {
        workers: workers.count.get(),
        memory: bounds.bytes.unwrap_or(parallel::UNBOUNDED),
        states: bounds.nodes,
        stop: bounds.stop(),
        pace: Pace::default(),
    }
}

/// Why a search that began then has no answer after so many states.
fn why(
    (reached, growth): (breadth::Cut, Option<Growth>),
    breadth: &Breadth,
    bounds: Bounds,
    (started, states): (Instant, usize),
) -> ClaimError {
    let cut = |cut| ClaimError::Unknown(WhyUnknown::cut_while(cut, growth));
    match reached {
        breadth::Cut::States(states) => cut(Cut::Nodes(states)),
        breadth::Cut::Store(full) => cut(parallel::no_room(&full, breadth.memory)),
        breadth::Cut::Interrupted => cut(bounds.reached(started, states)),
        breadth::Cut::Limit(fault) => WhyUnknown::Limit(fault.message).into(),
    }
}

/// A state with the least or greatest value, and the way there.
pub(crate) struct Best {
    pub(crate) best: Option<(i64, Prefix)>,
    pub(crate) size: Size,
}

/// The best value that a worker has seen, and the nearest state that has it.
struct Values<'a> {
    /// The value of a row, greater if it is better.
    value: &'a (dyn Fn(&[u64]) -> Option<i64> + Sync),
    /// No value below this one is the best.
    bar: AtomicI64,
    best: Mutex<Option<(i64, StateIndex)>>,
    watch: Option<&'static Watch>,
    /// Growth until the search was cut, if it was.
    grown: Mutex<Option<Growth>>,
}

impl Values<'_> {
    fn best_known(&self) -> MutexGuard<'_, Option<(i64, StateIndex)>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sought for Values<'_> {
    fn meet(&self, state: StateIndex, row: &[u64]) {
        let Some(value) = (self.value)(row) else { return };
        if value < self.bar.load(Ordering::Relaxed) {
            return;
        }
        let mut best = self.best_known();
        let is_better =
            |&(known, at): &(i64, StateIndex)| value > known || value == known && state < at;
        if best.as_ref().is_none_or(is_better) {
            *best = Some((value, state));
            self.bar.store(value, Ordering::Relaxed);
        }
    }

    fn best(&self) -> Option<StateIndex> {
        self.best_known().map(|(_, state)| state)
    }

    fn expanded(&self, worker: usize, states: usize) {
        if let Some(watch) = self.watch {
            watch.see_worker(worker, states);
        }
    }

    fn grew(&self, growth: Growth) {
        *self.grown.lock().unwrap_or_else(PoisonError::into_inner) = Some(growth);
    }
}

/// The nearest state with the least or greatest value among those that have one.
pub(crate) fn extreme<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    (bounds, workers): (Bounds, Workers),
    extreme: Extreme,
    value: &(dyn Fn(&[u64]) -> Option<i64> + Sync),
) -> Result<Best, ClaimError> {
    let walk = |reduced: &mut Reduced<'_, S>, bounds| {
        reach::extremes(reduced, bounds, |reduced, state| value(&reduced.own_row(state)?))
    };
    let of = |found: reach::Extremes| match extreme {
        Extreme::Least => Best { best: found.least, size: found.size },
        Extreme::Greatest => Best { best: found.greatest, size: found.size },
    };
    if let Some(few) = workers.few(bounds) {
        match walk(reduced, few) {
            Err(Cut::Nodes(_)) => {}
            found => return found.map(of).map_err(|cut| WhyUnknown::cut(cut, reduced).into()),
        }
        if let Some(space) = reduced.shared() {
            return extreme_by_several(reduced, &*space, (bounds, workers), extreme, value);
        }
    }
    walk(reduced, bounds).map(of).map_err(|cut| WhyUnknown::cut(cut, reduced).into())
}

fn extreme_by_several<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    space: &dyn Space,
    (bounds, workers): (Bounds, Workers),
    extreme: Extreme,
    value: &(dyn Fn(&[u64]) -> Option<i64> + Sync),
) -> Result<Best, ClaimError> {
    let started = Instant::now();
    // The complement of a number is the greater the less it is, and never too large.
    let turned = |value: i64| if extreme == Extreme::Least { !value } else { value };
    let (bar, best) = (AtomicI64::new(i64::MIN), Mutex::new(None));
    let better = |row: &[u64]| value(row).map(turned);
    let values = Values { value: &better, bar, best, watch: bounds.watch, grown: Mutex::default() };
    let breadth = breadth((bounds, workers));
    let mut turn = |walked: usize| {
        bounds.see_nodes(walked);
        false
    };
    let (ended, size) = breadth.search_beside(space, &values, &mut turn);
    if size.faults == 0 && matches!(ended, Ended::Exhausted | Ended::Found(_)) {
        reduced.learn_that_no_fault_is_met();
    }
    let best = match ended {
        Ended::Found(way) => {
            let prefix = numbered(reduced, &way).map_err(ClaimError::Lost)?;
            let value = values.best_known().map_or(0, |(value, _)| turned(value));
            Some((value, prefix))
        }
        Ended::Exhausted | Ended::Beside => None,
        Ended::Cut(reached) => {
            let growth = values.grown.into_inner().unwrap_or_else(PoisonError::into_inner);
            return Err(why((reached, growth), &breadth, bounds, (started, size.states)));
        }
    };
    Ok(Best { best, size: Size { states: size.states, transitions: size.steps } })
}

/// The same way among the numbered states; as far as it is found, if it is not.
pub(crate) fn numbered<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    way: &breadth::Way,
) -> Result<Prefix, Prefix> {
    let is_at =
        |reduced: &Reduced<'_, S>, state, row: Option<&[u64]>, fault: Option<&Fault>| match row {
            Some(row) => reduced.own_row(state).as_deref() == Some(row),
            None => reduced.fault(state) == fault,
        };
    let (last_action, fault) = match &way.fault {
        Some((action, fault)) => (*action, Some(fault)),
        None => (None, None),
    };
    let mut rows = way.rows.iter().map(|row| Some(&**row)).chain(fault.map(|_| None));
    let first = rows.next().flatten();
    let start = reduced.initial().into_iter().find(|&it| is_at(reduced, it, first, fault));
    let Some(start) = start else { return Err(Prefix { start: StateId(0), steps: Vec::new() }) };
    let mut prefix = Prefix { start, steps: Vec::new() };
    let mut steps = Vec::new();
    for (action, row) in way.actions.iter().copied().chain(last_action).zip(rows) {
        let from = prefix.end();
        steps.clear();
        reduced.enabled(from, &mut steps);
        let fits = |it: &&Transition| it.action == action && is_at(reduced, it.target, row, fault);
        let Some(&Transition { action, target }) = steps.iter().find(fits) else {
            return Err(prefix);
        };
        prefix.steps.push(RunStep { from, action, to: target });
    }
    Ok(prefix)
}
