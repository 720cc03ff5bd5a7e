//! Questions that are no formulas, as data: what is claimed of a system, whichever language claims it.
//!
//! A file of a modelling language gives [`Systems`], and each of its claims as a [`Claim`] about one of them. How
//! a claim is answered is in [`claim`](crate::claim) and, where states do not fit into memory, in
//! [`hunt`](crate::hunt).

use fairly_model::Expr;
use fairly_reduce::ModelSystem;
use fairly_search::Bounds;
use fairly_search::lossy::Room;
use fairly_search::refinement::{Determinism, Model};
use fairly_source::Diagnostic;

use crate::claim::{self, ClaimVerdict, Effort, Extreme};
use crate::ending::Ending;
use crate::hunt;
use crate::verdict::Failure;

/// Position of a system among those of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemIndex(pub(crate) usize);

impl SystemIndex {
    /// The only system of a file that has one.
    pub const ONLY: SystemIndex = SystemIndex(0);
}

/// The systems that the questions of a file are about.
pub trait Systems {
    /// A system of the file.
    fn system(&mut self, system: SystemIndex) -> &mut ModelSystem;

    /// The same system again, nothing of which has been explored.
    ///
    /// # Errors
    /// When the file is wrong there.
    fn fresh(&self, system: SystemIndex) -> Result<ModelSystem, Vec<Diagnostic>>;
}

/// A claim about a system that is no formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// No run comes to an error of the model.
    NoErrors,
    /// No run stops before all processes have ended, nor in a state with the proposition of this name.
    EndsWell {
        /// Something is missing where it holds, although all processes have ended.
        unfinished: Option<String>,
    },
    /// No run ends.
    NonTerminating,
    /// Internal steps do not go on for ever.
    DivergenceFree,
    /// The same events lead to the same state.
    Deterministic,
    /// The system does nothing that another one does not.
    Refines {
        /// What counts as doing something.
        model: Model,
        /// The other system.
        specification: SystemIndex,
    },
    /// Some run comes to a state in which a condition holds.
    Reaches {
        /// The condition.
        goal: Expr,
        /// A value to be made as small or as large as it can be there.
        best: Option<(Extreme, Expr)>,
    },
}

/// Why a claim has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// The file cannot be understood so.
    Wrong(Vec<Diagnostic>),
    /// The check itself failed.
    Failed(Failure),
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        Unanswered::Failed(failure)
    }
}

impl From<Vec<Diagnostic>> for Unanswered {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Unanswered::Wrong(diagnostics)
    }
}

impl Claim {
    /// The end of a run that refutes it, where a single run does so by its end.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Claim::NoErrors => Some(Ending::Error),
            Claim::EndsWell { unfinished } => Some(Ending::Stuck(unfinished.clone())),
            Claim::NonTerminating => Some(Ending::Over),
            Claim::DivergenceFree => Some(Ending::Divergence),
            Claim::Deterministic | Claim::Refines { .. } | Claim::Reaches { .. } => None,
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// When the file is wrong where the claim leads, or what was found does not stand up to replay, which is a
    /// bug.
    pub fn ask(
        &self,
        file: &mut (impl Systems + ?Sized),
        system: SystemIndex,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, Unanswered> {
        let effort = effort.into();
        if let Claim::Refines { model, specification } = self {
            let mut specification = file.fresh(*specification)?;
            let system = file.system(system);
            return Ok(claim::refines(system, &mut specification, *model, effort.bounds)?);
        }
        Ok(self.ask_alone(file.system(system), effort)?)
    }

    /// The answer to a claim that is about one system.
    fn ask_alone(&self, system: &mut ModelSystem, effort: Effort) -> Result<ClaimVerdict, Failure> {
        let bounds = effort.bounds;
        match self {
            Claim::NoErrors => claim::faultless(system, &[], |_, _| None, effort),
            Claim::EndsWell { unfinished } => {
                claim::stops_well(system, unfinished.as_deref(), effort)
            }
            Claim::NonTerminating => claim::nonterminating(system, bounds),
            Claim::DivergenceFree => claim::divergence_free(system, bounds),
            Claim::Deterministic => claim::deterministic(system, Determinism::Transitions, bounds),
            Claim::Reaches { goal, best: None } => {
                let atom = system.space().add_proposition("goal", goal.clone());
                claim::reaches(system, atom, effort)
            }
            Claim::Reaches { goal, best: Some((extreme, value)) } => {
                let read = vec![goal.clone(), value.clone()];
                let value = |system: &ModelSystem, row: &[u64]| {
                    let space = system.space();
                    let is_goal = space.value(row, goal).ok()? != 0;
                    if is_goal { space.value(row, value).ok() } else { None }
                };
                claim::reaches_extreme(system, *extreme, read, value, effort)
            }
            Claim::Refines { .. } => unreachable!("it is about two systems"),
        }
    }

    /// The answer by a search that does not keep all states. What is about more than one reachable state stays
    /// unknown.
    ///
    /// # Errors
    /// When what was found does not stand up to replay, which is a bug.
    pub fn hunt(
        &self,
        system: &mut ModelSystem,
        room: Room,
        bounds: Bounds,
    ) -> Result<ClaimVerdict, Failure> {
        match self {
            Claim::NoErrors => hunt::faultless(system, room, bounds),
            Claim::EndsWell { unfinished } => {
                hunt::stops_well(system, unfinished.as_deref(), room, bounds)
            }
            Claim::NonTerminating => hunt::nonterminating(system, room, bounds),
            Claim::Reaches { goal, best: None } => {
                let atom = system.space().add_proposition("goal", goal.clone());
                hunt::reaches(system, atom, room, bounds)
            }
            Claim::Reaches { best: Some(_), .. }
            | Claim::DivergenceFree
            | Claim::Deterministic
            | Claim::Refines { .. } => Ok(hunt::not_lossy()),
        }
    }
}
