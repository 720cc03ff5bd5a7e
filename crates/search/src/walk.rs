//! Breadth first over the states of a system, in next to no memory.
//!
//! How a state was reached is not stored. Visits are expanded in the order of their numbers, so of two
//! visits the one with the smaller number was met from one with a number that is not larger. It is
//! enough to remember how many visits there were when every 64th was expanded: that says among which
//! 64 the parent of a visit is, and it is the first of them with a transition to it. Asking them again
//! costs no more than the walk did, and only for the way that is shown.
//!
//! Nor is the order stored as long as the system numbers its states in the order in which they are
//! met here, which it does if it is explored for the first time, or was explored so before. Otherwise
//! a visit costs four bytes and a bit, and a state one byte.

use std::time::{Duration, Instant};

use fairly_omega::{StateId, Stop};
use fairly_system::{ActionId, EventKind, RunStep, Transition, TransitionSystem};

use crate::bounded::{Bounds, Budget, Cut};
use crate::prefix::Prefix;
use crate::product::is_limit;
use crate::reach::Size;

/// Visits of which one is remembered.
const BLOCK: usize = 64;
/// Visits that are expanded before a search ahead of the walk gets its first turn; then it is twice as many
/// each time.
const FIRST_TURN: usize = 1 << 13;
/// Visits that are expanded, beside as many as before, in order to find the nearest of what was found ahead.
const NEARER: usize = 1 << 14;

/// How long something nearer is looked for.
const SOON: Duration = Duration::from_secs(2);

/// A state on the walk.
#[derive(Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) state: StateId,
    /// Whether the step that led to it was termination. A state may be entered by termination and
    /// otherwise, and is then visited once for each: it is stuck only in the second case.
    pub(crate) terminated: bool,
    /// Its position in the order of the walk.
    pub(crate) number: usize,
}

/// A walk over a system, breadth first.
#[derive(Default)]
pub(crate) struct Walk {
    order: Order,
    /// Visits to initial states; they come first.
    starts: usize,
    /// How many visits there were when each block began to be expanded.
    before: Vec<u32>,
    pub(crate) size: Size,
}

/// Result of a walk.
pub(crate) enum Reached<T> {
    /// A visit, with this number; the nearest of its kind.
    Visit(usize),
    /// The result of a search ahead of the walk.
    Ahead(T),
    /// The end of the system.
    End,
}

/// A search ahead of a walk: it is given the system and how many visits were expanded.
pub(crate) type Turn<'a, S, T> = &'a mut dyn FnMut(&mut S, usize) -> Option<T>;

impl Walk {
    /// Goes on until `met`, asked of each state when it is met, or `expanded`, asked with what is
    /// enabled when its turn has come, says that it is found; the number of that visit.
    pub(crate) fn find<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        bounds: Bounds,
        met: impl FnMut(&S, &Visit) -> bool,
        expanded: impl FnMut(&mut S, &Visit, &[Transition]) -> bool,
    ) -> Result<Option<usize>, Cut> {
        let nobody: Turn<'_, S, ()> = &mut |_, _| None;
        Ok(match self.find_beside(system, bounds, met, expanded, nobody)? {
            Reached::Visit(number) => Some(number),
            Reached::Ahead(()) | Reached::End => None,
        })
    }

    /// As [`find`](Walk::find), with a search ahead that gets a turn now and then. Once that has found
    /// something, the walk goes on for a while, in case there is something nearer.
    pub(crate) fn find_beside<S: TransitionSystem, T>(
        &mut self,
        system: &mut S,
        bounds: Bounds,
        met: impl FnMut(&S, &Visit) -> bool,
        expanded: impl FnMut(&mut S, &Visit, &[Transition]) -> bool,
        turn: Turn<'_, S, T>,
    ) -> Result<Reached<T>, Cut> {
        system.stop_at(bounds.stop());
        let mut ahead = None;
        let found = self.find_within(system, bounds, met, expanded, turn, &mut ahead);
        system.stop_at(Stop::default());
        match (found, ahead) {
            (Ok(Some(number)), _) => Ok(Reached::Visit(number)),
            (_, Some(ahead)) => Ok(Reached::Ahead(ahead)),
            (Ok(None), None) => Ok(Reached::End),
            (Err(cut), None) => Err(cut),
        }
    }

    fn find_within<S: TransitionSystem, T>(
        &mut self,
        system: &mut S,
        bounds: Bounds,
        mut met: impl FnMut(&S, &Visit) -> bool,
        mut expanded: impl FnMut(&mut S, &Visit, &[Transition]) -> bool,
        turn: Turn<'_, S, T>,
        ahead: &mut Option<T>,
    ) -> Result<Option<usize>, Cut> {
        let (mut budget, started) = (Budget::new(bounds), Instant::now());
        let mut due = FIRST_TURN;
        for state in system.initial() {
            if let Some(visit) = self.order.meet(state, false, 0)
                && !is_limit(system, state)
                && met(system, &visit)
            {
                self.starts = self.order.count();
                return Ok(Some(visit.number));
            }
        }
        self.starts = self.order.count();
        let (mut block, mut endings) = (Block::default(), Endings::default());
        let mut limit = None;
        let mut at = 0;
        while at < self.order.count() {
            if at.is_multiple_of(BLOCK) {
                let count = self.order.count();
                self.before.push(u32::try_from(count).map_err(|_| Cut::Nodes(count))?);
            }
            budget.allows(at, || self.bytes() + system.bytes())?;
            if at >= due && ahead.is_none() {
                due = due.saturating_mul(2);
                *ahead = turn(system, at);
                if ahead.is_some() {
                    budget = budget.within(at + at.max(NEARER), SOON);
                }
            }
            if let Some(watch) = bounds.watch {
                watch.see_walk(self.size.transitions, self.order.count() - at);
            }
            block.expand(system, &self.order, at);
            let may_end = endings.may_be(system);
            let is_stopped = block.ends.len() < block.states.len();
            for place in 0..block.ends.len() {
                budget.allows(at, || self.bytes() + system.bytes())?;
                let visit = self.order.visit(at);
                at += 1;
                let enabled = block.enabled(place);
                if enabled.is_empty() && is_limit(system, visit.state) {
                    limit = limit.or(Some(visit.state));
                    continue;
                }
                if self.order.is_new(&visit) {
                    self.size.states += 1;
                    self.size.transitions += enabled.len();
                }
                if expanded(system, &visit, enabled) {
                    return Ok(Some(visit.number));
                }
                let mut known = self.order.known();
                for &Transition { target, action } in enabled {
                    let terminated = may_end && endings.contain(system, action);
                    if !terminated && target.index() < known {
                        continue;
                    }
                    if let Some(next) = self.order.meet(target, terminated, at)
                        && !is_limit(system, target)
                        && met(system, &next)
                    {
                        return Ok(Some(next.number));
                    }
                    known = self.order.known();
                }
            }
            if is_stopped {
                return Err(bounds.reached(started, at));
            }
        }
        limit.map_or(Ok(None), |state| Err(Cut::Limit(state)))
    }

    /// The way to a visit.
    pub(crate) fn prefix<S: TransitionSystem>(&self, system: &mut S, number: usize) -> Prefix {
        let mut steps = Vec::new();
        let mut block = Block::default();
        let mut at = self.order.visit(number);
        while at.number >= self.starts {
            let (from, action) = self.parent(system, &at, &mut block);
            steps.push(RunStep { from: from.state, action, to: at.state });
            at = from;
        }
        steps.reverse();
        Prefix { start: at.state, steps }
    }

    /// The visit that a visit was met from, and the action that led from there.
    fn parent<S: TransitionSystem>(
        &self,
        system: &mut S,
        visit: &Visit,
        block: &mut Block,
    ) -> (Visit, ActionId) {
        let number = self.before.partition_point(|&count| count as usize <= visit.number) - 1;
        if block.states.is_empty() || block.first != number * BLOCK {
            block.expand(system, &self.order, number * BLOCK);
        }
        let leads_here = |transition: &&Transition| {
            transition.target == visit.state
                && is_termination(system, transition.action) == visit.terminated
        };
        (0..block.ends.len())
            .find_map(|place| {
                let step = block.enabled(place).iter().find(leads_here)?;
                Some((self.order.visit(block.first + place), step.action))
            })
            .expect("it was met from this block")
    }

    fn bytes(&self) -> usize {
        self.before.len() * 4 + self.order.bytes()
    }
}

pub(crate) fn is_termination<S: TransitionSystem + ?Sized>(system: &S, action: ActionId) -> bool {
    let event = system.action(action).event;
    system.signature().event_kind(event) == EventKind::Termination
}

/// Which actions are termination, as far as that was asked.
#[derive(Default)]
struct Endings {
    known: Vec<Option<bool>>,
    /// How many events have been looked at, and whether one of them is termination.
    events: usize,
    is_any: bool,
}

impl Endings {
    /// Whether there may be any among the actions that the system has handed out.
    fn may_be<S: TransitionSystem>(&mut self, system: &S) -> bool {
        let events = &system.signature().events;
        let mut new = events.iter().skip(self.events);
        self.is_any |= new.any(|event| event.kind == EventKind::Termination);
        self.events = events.len();
        self.is_any
    }

    #[inline]
    fn contain<S: TransitionSystem>(&mut self, system: &S, action: ActionId) -> bool {
        match self.known.get(action.index()) {
            Some(&Some(known)) => known,
            _ => self.ask(system, action),
        }
    }

    #[cold]
    fn ask<S: TransitionSystem>(&mut self, system: &S, action: ActionId) -> bool {
        let is_one = is_termination(system, action);
        self.known.resize(self.known.len().max(action.index() + 1), None);
        self.known[action.index()] = Some(is_one);
        is_one
    }
}

/// A block of visits, or the rest of one, and what is enabled in their states. Many are asked at once,
/// because a system that stores its states can then look them up together.
#[derive(Default)]
struct Block {
    /// The number of the first visit.
    first: usize,
    states: Vec<StateId>,
    /// Where the transitions of each end.
    ends: Vec<usize>,
    transitions: Vec<Transition>,
}

impl Block {
    /// Asks the system about the visits from `first` to the end of its block, as far as there are any. If it is time to
    /// stop, `ends` is shorter than `states`.
    fn expand<S: TransitionSystem>(&mut self, system: &mut S, order: &Order, first: usize) {
        let end = (first / BLOCK * BLOCK + BLOCK).min(order.count());
        self.first = first;
        self.states.clear();
        self.states.extend((first..end).map(|number| order.visit(number).state));
        self.transitions.clear();
        self.ends.clear();
        system.enabled_in_all(&self.states, &mut self.transitions, &mut self.ends);
    }

    /// Actions that are enabled in the state of a visit, by its place in the block; none where the system goes
    /// no further.
    #[inline]
    fn enabled(&self, place: usize) -> &[Transition] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.transitions[begin..self.ends[place]]
    }
}

/// In which order states are visited.
enum Order {
    /// Each once, and in the order of their numbers; so many.
    Numbers(usize),
    /// As listed.
    Listed(Listed),
}

#[derive(Default)]
struct Listed {
    states: Vec<StateId>,
    /// By visit, a bit: whether it was entered by termination.
    terminated: Vec<u64>,
    /// By state: what has been done about it.
    known: Vec<u8>,
}

/// It was entered by termination.
const TERMINATED: u8 = 1;
/// It was entered otherwise.
const OTHERWISE: u8 = 2;
/// It was expanded.
const EXPANDED: u8 = 4;

impl Default for Order {
    fn default() -> Self {
        Order::Numbers(0)
    }
}

impl Order {
    /// How many visits there are.
    fn count(&self) -> usize {
        match self {
            Order::Numbers(count) => *count,
            Order::Listed(listed) => listed.states.len(),
        }
    }

    #[inline]
    fn visit(&self, number: usize) -> Visit {
        match self {
            Order::Numbers(_) => {
                Visit { state: StateId::from_index(number), terminated: false, number }
            }
            Order::Listed(listed) => Visit {
                state: listed.states[number],
                terminated: listed.terminated[number / 64] >> (number % 64) & 1 == 1,
                number,
            },
        }
    }

    /// Whether the state of a visit is expanded for the first time, which it is now.
    #[inline]
    fn is_new(&mut self, visit: &Visit) -> bool {
        match self {
            Order::Numbers(_) => true,
            Order::Listed(listed) => {
                let known = &mut listed.known[visit.state.index()];
                let is_new = *known & EXPANDED == 0;
                *known |= EXPANDED;
                is_new
            }
        }
    }

    /// States with smaller numbers have certainly been visited, and not after termination only.
    #[inline]
    fn known(&self) -> usize {
        match self {
            Order::Numbers(count) => *count,
            Order::Listed(_) => 0,
        }
    }

    /// A visit to a state, unless there has been one, when `expanded` visits have been expanded.
    #[inline]
    fn meet(&mut self, state: StateId, terminated: bool, expanded: usize) -> Option<Visit> {
        if let Order::Numbers(count) = self {
            if !terminated && state.index() < *count {
                return None;
            }
            if !terminated && state.index() == *count {
                *count += 1;
                return Some(Visit { state, terminated, number: state.index() });
            }
            *self = Order::Listed(Listed::so_far(*count, expanded));
        }
        let Order::Listed(listed) = self else { unreachable!("it is listed by now") };
        listed.meet(state, terminated)
    }

    fn bytes(&self) -> usize {
        match self {
            Order::Numbers(_) => 0,
            Order::Listed(Listed { states, terminated, known }) => {
                states.len() * 4 + terminated.len() * 8 + known.len()
            }
        }
    }
}

impl Listed {
    /// As many visits in the order of numbers, some of them expanded.
    fn so_far(count: usize, expanded: usize) -> Self {
        let known = |at: usize| if at < expanded { OTHERWISE | EXPANDED } else { OTHERWISE };
        Listed {
            states: (0..count).map(StateId::from_index).collect(),
            terminated: vec![0; count.div_ceil(64)],
            known: (0..count).map(known).collect(),
        }
    }

    fn meet(&mut self, state: StateId, terminated: bool) -> Option<Visit> {
        if state.index() >= self.known.len() {
            self.known.resize(state.index() + 1, 0);
        }
        let way = if terminated { TERMINATED } else { OTHERWISE };
        let known = &mut self.known[state.index()];
        if *known & way != 0 {
            return None;
        }
        *known |= way;
        let number = self.states.len();
        self.states.push(state);
        self.terminated.resize(number / 64 + 1, 0);
        self.terminated[number / 64] |= u64::from(terminated) << (number % 64);
        Some(Visit { state, terminated, number })
    }
}
