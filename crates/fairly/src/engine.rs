//! A model as the searches know it, without its types.
//!
//! The searches are generic over systems. Everything that asks them is in this module and knows no model, so that they
//! are compiled once, with this crate, and not again for each model of a program.

use std::sync::Arc;

use fairly_check::claim::{self, ClaimVerdict};
use fairly_check::{
    Answer, Assumption, AssumptionError, CheckError, Ladder, Least, Options, Outcome, Property,
    PropertyError,
};
use fairly_explore::Explored;
use fairly_fairness::{Constraint, Level};
use fairly_front::case;
use fairly_logic::{Atom, Formula, Formulas};
use fairly_omega::{StateId, Stop};
use fairly_reduce::{Base, Reducible};
use fairly_search::{Binding, Bounds, Cut};
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, RunStep, Sequences, Signature, Space, StateValues,
    Transition, TransitionSystem,
};

/// A model with numbered states. No step is left out of it, since nothing is known of a program's own type.
pub(crate) struct System {
    explored: Explored<dyn Space>,
    rows: Arc<dyn Sequences>,
    /// Whether several workers may search.
    is_shared: bool,
}

impl System {
    pub(crate) fn new(rows: Arc<dyn Sequences>, is_shared: bool) -> System {
        let space = Arc::clone(&rows) as Arc<dyn Space>;
        System { explored: Explored::of(space), rows, is_shared }
    }

    /// The row of a state; that of the state before if something went wrong in the step to it.
    pub(crate) fn row(&self, state: StateId) -> Vec<u64> {
        self.explored.row(state)
    }
}

/// An answer as plain data, and the steps of the run that shows it.
pub(crate) struct Decided {
    pub(crate) record: fairly_check::Verdict,
    pub(crate) run: Option<Vec<RunStep>>,
    /// Whether the run violates the property by what it does for ever, and not by what has happened.
    pub(crate) is_lasting: bool,
}

/// Explores all states.
pub(crate) fn survey(system: &mut System, bounds: Bounds) -> Result<(), Cut> {
    fairly_search::survey(system, bounds).map(|_| ())
}

/// A formula with a meaning for its propositions.
pub(crate) fn bind(
    name: &str,
    formulas: Formulas,
    formula: Formula,
    system: &mut System,
    known: &dyn Fn(&Atom) -> Option<Binding>,
) -> Result<Property, PropertyError> {
    Property::bind_knowing(name, formulas, formula, system, known)
}

/// Adds a constraint, after all states have been explored where that tells what it means.
pub(crate) fn add(
    assumption: &mut Assumption,
    constraint: &case::Constraint,
    system: &mut System,
    bounds: Bounds,
) -> Result<Result<(), AssumptionError>, Cut> {
    assumption.add_within(constraint, system, bounds)
}

/// Does every run that meets the assumption satisfy the property?
pub(crate) fn check(
    system: &mut System,
    property: &mut Property,
    assumption: &Assumption,
    options: &Options,
) -> Result<Answer, CheckError> {
    fairly_check::check(system, property, assumption, options)
}

/// The answer as plain data, with remarks.
pub(crate) fn record(
    system: &mut System,
    property: &mut Property,
    assumption: &Assumption,
    mut answer: Answer,
    options: &Options,
) -> Result<Decided, CheckError> {
    let needless = fairly_check::needless(system, property, assumption, &answer, options)?;
    answer.notes.extend(needless.as_ref().map(ToString::to_string));
    let strengths = fairly_check::strengths(system, property, assumption, &answer, options)?;
    let record = answer.record(system, property, strengths);
    let (run, is_lasting) = match &answer.outcome {
        Outcome::Violated(found) => {
            (Some(found.run.steps().copied().collect()), found.decided.is_none())
        }
        Outcome::Doomed(doomed) => (Some(doomed.run.steps().copied().collect()), false),
        _ => (None, false),
    };
    Ok(Decided { record, run, is_lasting })
}

/// The verdict under every notion.
pub(crate) fn ladder(
    system: &mut System,
    property: &mut Property,
    extra: &[Constraint],
    options: &Options,
) -> Result<Ladder, CheckError> {
    fairly_check::ladder(system, property, extra, options)
}

/// The least fairness.
pub(crate) fn least(
    system: &mut System,
    property: &mut Property,
    level: Level,
    extra: &[Constraint],
    options: &Options,
) -> Result<Least, CheckError> {
    fairly_check::least(system, property, level, extra, options)
}

/// No run comes to an error; with the answer as plain data, if it is called so.
pub(crate) fn faultless(
    system: &mut System,
    options: &Options,
    name: &str,
) -> Result<(ClaimVerdict, fairly_check::Verdict), CheckError> {
    let found = claim::faultless(system, &[], |_| None, options)?;
    let record = found.record(system, name);
    Ok((found, record))
}

impl Reducible for System {
    fn base(&self) -> Option<Base> {
        let rows = Arc::clone(&self.rows);
        self.is_shared.then(|| Base::of_space(rows))
    }

    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.explored.own_row(state)
    }
}

impl TransitionSystem for System {
    fn signature(&self) -> &Signature {
        self.explored.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.explored.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.explored.enabled(state, out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        self.explored.enabled_in_all(states, out, ends);
    }

    fn action(&self, action: ActionId) -> &Action {
        self.explored.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.explored.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.explored.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.explored.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.explored.describe(state)
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.explored.valuation(state)
    }

    fn state_values(&self, state: StateId) -> StateValues {
        self.explored.state_values(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.explored.fault(state)
    }

    fn bytes(&self) -> usize {
        self.explored.bytes()
    }

    fn stop_at(&mut self, stop: Stop) {
        self.explored.stop_at(stop);
    }
}
