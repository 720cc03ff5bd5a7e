//! Fair refinement: every fair run of an implementation looks like a fair run of a specification.
//!
//! [`fairly_search::refinement::refines_fairly`] decides it. No reduction is used: each leaves out steps, and with them
//! moments at which something is enabled, which fairness asks for. A run that separates the two systems is judged again:
//! it has to be fair, and the product of the specification with its visible events must have no fair run.

use std::time::Instant;

use fairly_fairness::{Constraint, Notion};
use fairly_omega::{Acceptance, StateId};
use fairly_search::engines::{Engine, Question};
use fairly_search::refinement::{self, FairAnswer, FairError, Look};
use fairly_search::{Bounds, Prefix};
use fairly_system::TransitionSystem;

use crate::assumption::constraints_of;
use crate::claim::{self, Answered, ClaimOutcome, ClaimVerdict, Meaning, Shown};
use crate::confirm;
use crate::soundness::{Refusal, RowKind};
use crate::verdict::{CheckError, WhyUnknown};

/// Every fair run of the implementation looks like a fair run of the specification: the same events are visible, in the
/// same order. Fairness of both is that of the notion, each in its own system.
///
/// # Errors
/// As [`claim::faultless`].
pub fn refines_fairly<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    notion: Notion,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
    let started = Instant::now();
    let mut assumed = [Vec::new(), Vec::new()];
    let answered: Answered = match separated(implementation, specification, notion, bounds) {
        Err(why) => Err(why.into()),
        Ok(None) => Ok((None, None)),
        Ok(Some((shown, constraints))) => {
            assumed = constraints;
            Ok((Some(shown), None))
        }
    };
    let evidence = |implementation: &mut I, shown: &Shown| {
        confirm::separates(implementation, specification, &assumed, shown, bounds)
    };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    let mut verdict = claim::conclude(implementation, meaning, answered, evidence, bounds.stop())?;
    verdict.engine = Engine::planned(Question::Behaviours, &Acceptance::True);
    verdict.unreduced = Some(Refusal::Table(RowKind::Refinement));
    verdict.fairness = Some(notion);
    verdict.time = started.elapsed();
    Ok(verdict)
}

/// A run that separates two systems, and the constraints of both.
type Separated = (Shown, [Vec<Constraint>; 2]);

/// A fair run of the implementation, and the constraints of both, if it looks like no fair run of the specification.
fn separated<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    notion: Notion,
    bounds: Bounds,
) -> Result<Option<Separated>, WhyUnknown> {
    if let Some(why) = WhyUnknown::not_begun(&bounds) {
        return Err(why);
    }
    if matches!(notion, Notion::Global | Notion::Inherent(_)) {
        return Err(WhyUnknown::Limit(format!(
            "fair refinement compares runs that meet constraints, and {notion} is none: choose another fairness"
        )));
    }
    let one = constraints_of(notion, implementation, bounds)
        .map_err(|cut| WhyUnknown::cut(cut, implementation))?;
    let other = constraints_of(notion, specification, bounds)
        .map_err(|cut| WhyUnknown::cut(cut, specification))?;
    let constraints = [one, other];
    let answer =
        refinement::refines_fairly(implementation, specification, constraints.clone(), bounds);
    let (run, look) = match answer {
        Ok(FairAnswer::Refines) => return Ok(None),
        Ok(FairAnswer::Separated { run, look }) => (run, look),
        Err(FairError::Cut(cut)) => return Err(WhyUnknown::cut(cut, implementation)),
        Err(FairError::TooLarge(refused)) => return Err(WhyUnknown::Refused(refused)),
        Err(FairError::Fault(message)) => {
            let said = format!("the specification has a run-time error: {message}");
            return Err(WhyUnknown::Limit(said));
        }
    };
    let first = run.stem.first().or(run.cycle.first()).map_or(StateId(0), |step| step.from);
    let prefix = Prefix { start: first, steps: run.stem };
    let shown = Shown { cycle: run.cycle, ..Shown::new(prefix, separation(&look)) };
    Ok(Some((shown, constraints)))
}

/// Visible events of a run that separates two systems, in a sentence.
fn separation(look: &Look) -> String {
    let Look { stem, cycle } = look;
    let seen = match (stem.as_slice(), cycle.as_slice()) {
        ([], []) => "nothing at all".to_owned(),
        (stem, []) => format!("{}, and nothing more", stem.join(" · ")),
        ([], cycle) => format!("{} again and again", cycle.join(" · ")),
        (stem, cycle) => {
            format!("{}, then {} again and again", stem.join(" · "), cycle.join(" · "))
        }
    };
    format!("this run is fair, and no fair run of the specification shows the same: {seen}")
}
