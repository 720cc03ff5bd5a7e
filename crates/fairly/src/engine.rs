//! A model as the searches know it, without its types.
//!
//! The searches are generic over systems. Everything that asks them is in this module and knows no model, so that they
//! are compiled once, with this crate, and not again for each model of a program.

use fairly_check::claim::{self, ClaimVerdict};
use fairly_check::{
    Answer, Assumption, AssumptionError, CheckError, Ladder, Least, Options, Outcome, Property,
    PropertyError,
};
use fairly_fairness::{Constraint, Level};
use fairly_front::case;
use fairly_logic::{Atom, Formula, Formulas};
/// A model with numbered states.
pub(crate) use fairly_reduce::SpaceSystem as System;
use fairly_search::{Binding, Bounds, Cut};
use fairly_system::RunStep;

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
