//! Under which strength of fairness a violated property would hold, for the line below a counterexample.
//!
//! [`crate::ladder()`] answers the same question for every notion and takes the time that it needs. This one is a
//! remark on an answer that is there already, so it may not take much longer than that did.

use std::time::Duration;

use fairly_fairness::{Level, Notion};
use fairly_reduce::Reducible;
use fairly_search::closure;
use fairly_witness::Ledger;
use serde::{Deserialize, Serialize};

use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::{Answer, CheckError, Outcome, Stamp};
use crate::verify::{Found, Options, aside, decide};
use crate::waiting::{Waiting, waiting_until};

/// A remark must not cost more than a moment: where the answer itself took longer, nothing is asked.
const AFFORDABLE: Duration = Duration::from_secs(1);

/// Whether a property holds without fairness, under weak and under strong fairness of all processes; `None`
/// where that was not found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strengths {
    /// Without fairness.
    pub none: Option<bool>,
    /// Under weak fairness.
    pub weak: Option<bool>,
    /// Under strong fairness.
    pub strong: Option<bool>,
}

impl Strengths {
    /// Takes back that the property holds somewhere: it is not known whether all runs were seen.
    pub fn doubt(&mut self) {
        for answer in [&mut self.none, &mut self.weak, &mut self.strong] {
            *answer = answer.filter(|holds| !holds);
        }
    }
}

/// Looks for the weakest fairness of processes under which a violated property holds, beside the constraints
/// that were assumed. Nothing where fairness is beside the point: the property holds, or no continuation of
/// the run satisfies it.
///
/// # Errors
/// As [`crate::check`].
pub fn strengths<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    verdict: &Answer,
    options: &Options,
) -> Result<Option<Strengths>, CheckError> {
    let Outcome::Violated(found) = &verdict.outcome else { return Ok(None) };
    if let Some(Waiting::Wrong { .. }) =
        waiting_until(system, property, &found.run, options.bounds.stop())
    {
        return Ok(None);
    }
    // A run that violates the property under some assumption does without.
    let mut answer = Strengths { none: Some(false), weak: None, strong: None };
    let bounds = aside(options.bounds, &verdict.stamp);
    let options = Options { bounds, ..options.for_another_question() };
    let is_dear = verdict.stamp.time > AFFORDABLE;
    let extra = &assumption.extra;
    let mut ask = |system: &mut S, notion: Notion| -> Result<Option<bool>, CheckError> {
        let assumption = Assumption { notion, extra: extra.clone() };
        let Ok(constraints) = assumption.constraints(system, options.bounds) else {
            return Ok(None);
        };
        if Ledger::of(system, &found.run, &constraints).is_fair() {
            return Ok(Some(false));
        }
        if is_dear {
            return Ok(None);
        }
        let found = match decide(system, property, &constraints, &options, &mut Stamp::default()) {
            Err(CheckError::Stopped) => return Ok(None),
            found => found?,
        };
        Ok(match found {
            Found::Run(_) => Some(false),
            Found::Unknown(_) => None,
            // An assumption that no run meets would make anything hold.
            Found::Nothing => match closure::find(system, constraints, options.bounds) {
                Ok(closure) if closure.feasible => Some(true),
                _ => None,
            },
        })
    };
    answer.strong = ask(system, Notion::Strong(Level::Process))?;
    answer.weak = match answer.strong {
        // A run that is strongly fair is weakly fair, too.
        Some(false) => Some(false),
        _ => ask(system, Notion::Weak(Level::Process))?,
    };
    if answer.weak == Some(true) {
        answer.strong = Some(true);
    }
    Ok(Some(answer))
}
