//! Does the run violate the formula, by the definition of the operators?
//!
//! A run that is written down as a lasso has finitely many different suffixes, one for each
//! position. The truth of every subformula at every position is computed bottom up; `U` and its
//! kin are least or greatest fixed points over the positions, found by going round until nothing
//! changes.
//!
//! Where events are read as [`EventPosition::Entering`], there is one position more: the first, which
//! has no event. Position *i + 1* then reads the event of step *i* and the state that it leads to.

use std::cell::Cell;

use fairly_fairness::Selector;
use fairly_logic::{AtomId, Formula, Formulas, Node};
use fairly_omega::{StateId, Stop};
use fairly_system::{
    AtomIndex, EventPosition, EventSet, Run, RunStep, Transition, TransitionSystem,
};
use hashbrown::HashSet;

/// Positions between two questions whether to stop.
const ASKED: usize = 1 << 14;

/// Meaning of a proposition of the formula in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The event read is one of these.
    Event(EventSet),
    /// The state read has this proposition.
    State(AtomIndex),
    /// The state read is one of these: those of the run in which something is enabled, as
    /// [`enabled_on`](crate::enabled_on) finds them.
    Among(HashSet<StateId>),
    /// The step read is one of these actions.
    Taken(Selector),
}

/// Whether the run violates the formula, with events read so. `meaning` tells what each proposition
/// stands for.
pub fn violates<S: TransitionSystem>(
    system: &S,
    run: &Run,
    formulas: &Formulas,
    formula: Formula,
    reading: EventPosition,
    meaning: impl Fn(AtomId) -> Meaning,
) -> bool {
    !Truth::of(system, run, formulas, formula, reading, meaning).at(formula, 0)
}

/// The same; `None` if it is time to stop before that is known.
pub fn violates_until<S: TransitionSystem>(
    system: &S,
    run: &Run,
    (formulas, formula): (&Formulas, Formula),
    reading: EventPosition,
    meaning: impl Fn(AtomId) -> Meaning,
    stop: Stop,
) -> Option<bool> {
    let truth = Truth::until(system, run, (formulas, formula), reading, meaning, stop)?;
    Some(!truth.at(formula, 0))
}

/// The states of a run in which some selected action is enabled.
pub fn enabled_on<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    selector: &Selector,
) -> HashSet<StateId> {
    enabled_on_until(system, run, selector, Stop::default()).expect("there is no time to stop")
}

/// The same; `None` if it is time to stop before all have been asked.
pub fn enabled_on_until<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    selector: &Selector,
    stop: Stop,
) -> Option<HashSet<StateId>> {
    let states: HashSet<StateId> = run.steps().flat_map(|step| [step.from, step.to]).collect();
    let (mut among, mut enabled) = (HashSet::new(), Vec::new());
    for state in states {
        if stop.is_due() {
            return None;
        }
        enabled.clear();
        system.enabled(state, &mut enabled);
        let selects =
            |it: &Transition| selector.selects(system.action(it.action), system.signature());
        if enabled.iter().any(selects) {
            among.insert(state);
        }
    }
    Some(among)
}

/// The truth of a formula and its parts at every position of a run.
pub struct Truth {
    /// By formula, then by position.
    values: Vec<Option<Vec<bool>>>,
    /// Where the cycle begins.
    pub start: usize,
    /// How many positions there are; after the last comes `start` again.
    pub count: usize,
}

impl Truth {
    /// Whether a part of the formula is true at a position.
    ///
    /// # Panics
    /// If it is no part of the formula.
    pub fn at(&self, part: Formula, position: usize) -> bool {
        self.values[part.index()].as_ref().expect("a part of the formula")[position]
    }

    /// Evaluates the formula on the run, with events read so.
    pub fn of<S: TransitionSystem>(
        system: &S,
        run: &Run,
        formulas: &Formulas,
        formula: Formula,
        reading: EventPosition,
        meaning: impl Fn(AtomId) -> Meaning,
    ) -> Truth {
        let stop = Stop::default();
        Truth::until(system, run, (formulas, formula), reading, meaning, stop)
            .expect("there is no time to stop")
    }

    /// The same; `None` if it is time to stop before every part has been evaluated.
    pub fn until<S: TransitionSystem>(
        system: &S,
        run: &Run,
        (formulas, formula): (&Formulas, Formula),
        reading: EventPosition,
        meaning: impl Fn(AtomId) -> Meaning,
        stop: Stop,
    ) -> Option<Truth> {
        let steps: Vec<RunStep> = run.steps().copied().collect();
        let event = |step: &RunStep| Some(step.action);
        // The action and the state at each position, and where the cycle begins.
        let (letters, start): (Vec<_>, usize) = match reading {
            EventPosition::Leaving => {
                let letters = steps.iter().map(|step| (event(step), step.from));
                (letters.collect(), run.stem.len())
            }
            EventPosition::Entering => {
                let first = steps.first().map(|step| (None, step.from));
                let letters = steps.iter().map(|step| (event(step), step.to));
                (first.into_iter().chain(letters).collect(), run.stem.len() + 1)
            }
        };
        let count = letters.len();
        let next = |at: usize| if at + 1 == count { start } else { at + 1 };
        // Values worked out after it was time to stop are thrown away.
        let is_late = Cell::new(false);
        let goes_on = |at: usize| {
            if at.is_multiple_of(ASKED) && stop.is_due() {
                is_late.set(true);
            }
            !is_late.get()
        };
        let mut truth: Vec<Option<Vec<bool>>> = vec![None; formula.index() + 1];
        for part in formulas.subformulas(formula) {
            let of = |part: Formula| truth[part.index()].as_deref().expect("children come first");
            let each = |value: &dyn Fn(usize) -> bool| {
                (0..count).map(|at| goes_on(at) && value(at)).collect()
            };
            // The fixed point of `value(at, value at the next position)`, from `start` on.
            let fixed = |start: bool, value: &dyn Fn(usize, bool) -> bool| {
                let mut values = vec![start; count];
                loop {
                    let mut changed = false;
                    for at in (0..count).rev() {
                        if !goes_on(at) {
                            return values;
                        }
                        let now = value(at, values[next(at)]);
                        changed |= now != values[at];
                        values[at] = now;
                    }
                    if !changed {
                        return values;
                    }
                }
            };
            let values: Vec<bool> = match formulas.node(part) {
                Node::True => each(&|_| true),
                Node::False => each(&|_| false),
                Node::Atom(atom) => match meaning(atom) {
                    Meaning::Event(events) => {
                        let inside = |action| {
                            events.contains(system.action(action).event, system.signature())
                        };
                        each(&|at| letters[at].0.is_some_and(inside))
                    }
                    Meaning::Taken(selector) => {
                        let inside =
                            |action| selector.selects(system.action(action), system.signature());
                        each(&|at| letters[at].0.is_some_and(inside))
                    }
                    Meaning::Among(states) => each(&|at| states.contains(&letters[at].1)),
                    Meaning::State(atom) => each(&|at| system.holds(letters[at].1, atom)),
                },
                Node::Not(a) => each(&|at| !of(a)[at]),
                Node::And(parts) => each(&|at| parts.iter().all(|&part| of(part)[at])),
                Node::Or(parts) => each(&|at| parts.iter().any(|&part| of(part)[at])),
                Node::Implies(a, b) => each(&|at| !of(a)[at] || of(b)[at]),
                Node::Iff(a, b) => each(&|at| of(a)[at] == of(b)[at]),
                Node::Xor(a, b) => each(&|at| of(a)[at] != of(b)[at]),
                Node::Next(a) => each(&|at| of(a)[next(at)]),
                Node::Finally(a) => fixed(false, &|at, later| of(a)[at] || later),
                Node::Globally(a) => fixed(true, &|at, later| of(a)[at] && later),
                Node::Until(a, b) => fixed(false, &|at, later| of(b)[at] || (of(a)[at] && later)),
                Node::WeakUntil(a, b) => {
                    fixed(true, &|at, later| of(b)[at] || (of(a)[at] && later))
                }
                Node::Release(a, b) => fixed(true, &|at, later| of(b)[at] && (of(a)[at] || later)),
                Node::StrongRelease(a, b) => {
                    fixed(false, &|at, later| of(b)[at] && (of(a)[at] || later))
                }
            };
            if is_late.get() {
                return None;
            }
            truth[part.index()] = Some(values);
        }
        Some(Truth { values: truth, start, count })
    }
}
