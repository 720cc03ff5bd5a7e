//! Finds where a run has violated its property for good.
//!
//! A finite beginning of a run is a *bad prefix* if every infinite word that continues it violates the
//! property (Alpern and Schneider 1987). A report can stop there: what follows cannot repair anything. The
//! run as a whole is still what is judged, so that under fairness a bad prefix counts only together with
//! the fair run that was found to continue it.
//!
//! For a formula, the automaton of the formula itself is followed along the run: once none of its states
//! that accept anything is left, nothing can be accepted any more. For an automaton of violating runs, a
//! state that accepts everything has to be reached; the others are not looked for, which would take a
//! complement.

use fairly_omega::{Automaton, Label, Limits, Prop, StateId, Stop, ops};
use fairly_system::{EventPosition, Run, RunStep, TransitionSystem};
use fairly_translate::{Options, translate};
use fairly_witness::Meaning;

use crate::property::Property;
use crate::verify as check;

/// States that the automaton of a property may have if it is made for the sake of a remark.
const STATES: usize = 1_000;
/// Its edges.
const EDGES: usize = 10_000;
/// Steps of a run between two questions whether to stop.
const ASKED: usize = 1 << 12;

/// After how many steps of the run the property is violated whatever follows; `None` if it never is, or if
/// that cannot be found out with little effort.
pub(crate) fn violated_after<S: TransitionSystem>(
    system: &S,
    property: &mut Property,
    run: &Run,
    options: &check::Options,
) -> Option<usize> {
    let (stop, options) = (options.bounds.stop(), &options.translation);
    let (automaton, meanings, goal) = match &property.never {
        Some(never) => {
            let automaton = never.automaton.clone();
            let props = (0u32..).take(automaton.propositions().len()).map(Prop);
            let meanings = props.map(|prop| never.meaning(prop)).collect::<Option<Vec<_>>>()?;
            (automaton, meanings, Goal::Everything)
        }
        None => {
            let limits = Limits {
                states: options.limits.states.min(STATES),
                edges: options.limits.edges.min(EDGES),
            };
            let formula = property.formula;
            let options = Options { limits, ..*options };
            let automaton = translate(&mut property.formulas, formula, &options).ok()?;
            let atoms = property.formulas.atoms(formula);
            let meanings = atoms.into_iter().map(|atom| property.meaning(atom));
            let meanings = meanings.collect::<Option<Vec<_>>>()?;
            (ops::trim(&automaton), meanings, Goal::Nothing)
        }
    };
    let followed = Followed { system, automaton, meanings, reading: property.reading, goal, stop };
    followed.along(run)
}

/// Verdict on a prefix by the states of the automaton that it leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The automaton accepts what is right, and none of its states is left.
    Nothing,
    /// The automaton accepts what is wrong, and one of them accepts everything.
    Everything,
}

struct Followed<'a, S> {
    system: &'a S,
    automaton: Automaton,
    /// Meanings of its propositions.
    meanings: Vec<Meaning>,
    reading: EventPosition,
    goal: Goal,
    /// When to give up.
    stop: Stop,
}

impl<S: TransitionSystem> Followed<'_, S> {
    fn along(&self, run: &Run) -> Option<usize> {
        let states = self.automaton.state_count();
        let universal: Vec<bool> =
            self.automaton.states().map(|state| is_universal(&self.automaton, state)).collect();
        let mut here: Vec<StateId> = self.automaton.initial().to_vec();
        let is_reached = |here: &[StateId]| match self.goal {
            Goal::Nothing => here.is_empty(),
            Goal::Everything => here.iter().any(|state| universal[state.index()]),
        };
        if is_reached(&here) {
            return Some(0);
        }
        let mut seen = vec![0usize; states];
        let mut advance = |here: &mut Vec<StateId>, round: usize, letter: &Letter| {
            let mut next = Vec::new();
            for &state in here.iter() {
                for edge in self.automaton.edges(state) {
                    if seen[edge.target.index()] != round
                        && self
                            .automaton
                            .letters()
                            .holds(edge.label, |prop| self.holds(prop, letter))
                    {
                        seen[edge.target.index()] = round;
                        next.push(edge.target);
                    }
                }
            }
            *here = next;
        };
        let mut round = 0;
        if self.reading == EventPosition::Entering {
            let state = run.steps().next()?.from;
            round += 1;
            advance(&mut here, round, &Letter { state, step: None });
            if is_reached(&here) {
                return Some(0);
            }
        }
        // Where only the state is read that a step leaves, the step itself is not needed.
        let is_of_step = |it: &Meaning| matches!(it, Meaning::Event(_) | Meaning::Taken(_));
        let reads_events = self.meanings.iter().any(is_of_step);
        let early = self.reading == EventPosition::Leaving && !reads_events;
        // A position that is decided only the second time round is not shown in one, so once is enough.
        for (before, step) in run.steps().enumerate() {
            if before % ASKED == ASKED - 1 && self.stop.is_due() {
                return None;
            }
            round += 1;
            advance(&mut here, round, &self.letter(step));
            if is_reached(&here) {
                return Some(if early { before } else { before + 1 });
            }
        }
        None
    }

    fn letter(&self, step: &RunStep) -> Letter {
        let state = match self.reading {
            EventPosition::Leaving => step.from,
            EventPosition::Entering => step.to,
        };
        Letter { state, step: Some(*step) }
    }

    fn holds(&self, prop: Prop, letter: &Letter) -> bool {
        match &self.meanings[prop.0 as usize] {
            Meaning::State(atom) => self.system.holds(letter.state, *atom),
            Meaning::Among(states) => states.contains(&letter.state),
            Meaning::Taken(selector) => letter.step.is_some_and(|step| {
                selector.selects(self.system.action(step.action), self.system.signature())
            }),
            Meaning::Event(events) => letter.step.is_some_and(|step| {
                events.contains(self.system.action(step.action).event, self.system.signature())
            }),
        }
    }
}

/// The letter at a position of a run.
struct Letter {
    state: StateId,
    step: Option<RunStep>,
}

/// Whether a state accepts every word, as far as its own loop shows that.
pub(crate) fn is_universal(automaton: &Automaton, state: StateId) -> bool {
    let marks = |id| automaton.marks(id);
    automaton.edges(state).iter().any(|edge| {
        edge.target == state
            && edge.label == Label::TRUE
            && automaton.acceptance().accepts(marks(edge.marks))
    })
}
