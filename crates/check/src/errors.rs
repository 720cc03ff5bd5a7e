//! Errors of the model beside an answer that rests on all runs.
//!
//! Nothing follows an error, so "holds" says nothing of what a model was meant to do behind one. The search for
//! errors is a part of every such answer: where it was cut short, the answer is unknown.

use fairly_reduce::Reducible;
use fairly_system::AtomIndex;

use crate::claim::{self, ClaimOutcome, ClaimVerdict};
use crate::execution::ModelSystem;
use crate::ladder::Ladder;
use crate::least::{Elsewhere, Least};
use crate::verdict::{Answer, CheckError, Outcome, WhyUnknown};
use crate::verify::Options;

/// Whether runs of a model end with errors, or come to states in which a proposition cannot be evaluated.
#[derive(Clone, Debug)]
pub enum Errors {
    /// None does.
    None,
    /// One does: the answer to the claim that none does.
    Some(Box<ClaimVerdict>),
    /// Not known, and why.
    Unknown(WhyUnknown),
}

/// Looks for errors of the model, these propositions included.
///
/// # Errors
/// When what was found does not stand up to replay, which is a bug.
pub(crate) fn errors(
    system: &mut ModelSystem,
    propositions: &[AtomIndex],
    options: &Options,
) -> Result<Errors, CheckError> {
    if system.is_known_to_be_faultless(propositions) {
        return Ok(Errors::None);
    }
    let space = system.shared_space();
    let wrong =
        |row: &[u64]| propositions.iter().find_map(|&atom| space.proposition_fault(row, atom));
    // A card cannot evaluate what may go wrong in itself.
    let is_open = |atom: &&AtomIndex| !options.is_on_card() || !space.is_sure(**atom);
    let open: Vec<AtomIndex> = propositions.iter().filter(is_open).copied().collect();
    let verdict = claim::faultless(system, &open, wrong, options)?;
    Ok(Errors::of(verdict))
}

/// Looks for steps that go wrong.
///
/// # Errors
/// As [`errors`].
pub(crate) fn errors_of_steps<S: Reducible>(
    system: &mut S,
    options: &Options,
) -> Result<Errors, CheckError> {
    let verdict = claim::faultless(system, &[], |_| None, options)?;
    Ok(Errors::of(verdict))
}

impl Errors {
    fn of(verdict: ClaimVerdict) -> Errors {
        match verdict.outcome {
            ClaimOutcome::Holds(_) => Errors::None,
            ClaimOutcome::Violated(_) => Errors::Some(Box::new(verdict)),
            ClaimOutcome::Unknown(why) => Errors::Unknown(why),
        }
    }

    /// Why an answer that rests on all runs is not known, if it is not.
    fn doubt(&self) -> Option<WhyUnknown> {
        match self {
            Errors::None | Errors::Some(_) => None,
            Errors::Unknown(why) => Some(WhyUnknown::Errors(Box::new(why.clone()))),
        }
    }

    /// Whether it may be known when there is more time.
    pub fn is_open(&self) -> bool {
        matches!(self, Errors::Unknown(_))
    }

    /// Makes "holds" unknown where it is not known whether there are errors.
    pub fn qualify(&self, verdict: &mut Answer) {
        if let (Outcome::Holds(_), Some(doubt)) = (&verdict.outcome, self.doubt()) {
            verdict.outcome = Outcome::Unknown(doubt);
            verdict.stamp.exhaustive = false;
            verdict.notes.clear();
            verdict.needless = None;
        }
    }

    /// The same for the answer to a claim: what was found stands, that nothing was found does not.
    pub fn qualify_claim(&self, verdict: &mut ClaimVerdict) {
        if let (true, Some(doubt)) = (rests_on_all(&verdict.outcome), self.doubt()) {
            verdict.outcome = ClaimOutcome::Unknown(doubt);
        }
    }

    /// The same for every rung of a ladder.
    pub fn qualify_ladder(&self, ladder: &mut Ladder) {
        let Some(doubt) = self.doubt() else { return };
        for rung in ladder.rungs.iter_mut().filter(|rung| rung.holds == Ok(true)) {
            rung.holds = Err(doubt.clone());
        }
    }

    /// The same for the least sets, under which a property holds.
    pub fn qualify_least(&self, least: &mut Least) {
        let holds_somewhere = match least {
            Least::Sets { sets, elsewhere, .. } => {
                !sets.is_empty() || matches!(elsewhere, Some(Elsewhere::Holds(_)))
            }
            Least::Some { .. } => true,
            Least::Unknown(_) => false,
        };
        if let (true, Some(doubt)) = (holds_somewhere, self.doubt()) {
            *least = Least::Unknown(doubt);
        }
    }
}

/// Whether an answer is one because nothing was found.
pub(crate) fn rests_on_all(outcome: &ClaimOutcome) -> bool {
    matches!(outcome, ClaimOutcome::Holds(None) | ClaimOutcome::Violated(None))
}
