//! Questions about a system, whichever language asks them: a formula, or a claim that is none.
//!
//! A loader gives [questions](fairly_front::loaded::Question) as data. [`Systems::bind`] gives each a meaning in its
//! system. How a claim is answered is in [`claim`](crate::claim) and, where states do not fit into memory, in
//! [`hunt`](crate::hunt).

use fairly_fairness::Notion;
use fairly_front::loaded::{self, Claim, Refinement, SystemIndex, TextError};
use fairly_logic::{Atom, Formulas};
use fairly_omega::Automaton;
use fairly_search::lossy::Room;
use fairly_search::refinement::{Determinism, Model};
use fairly_search::{Binding, Bounds};
use fairly_source::Diagnostic;
use fairly_system::TransitionSystem;

use crate::claim::{self, ClaimVerdict, Effort};
use crate::ending::Ending;
use crate::execution::ModelSystem;
use crate::fair_refinement;
use crate::hunt;
use crate::property::{Property, parse_for};
use crate::systems::{System, Systems};
use crate::verdict::CheckError;
use crate::with_system;

/// A question that has a meaning in its system.
pub struct Question {
    /// Its position among those of the model.
    pub at: usize,
    /// The system that it is about.
    pub system: SystemIndex,
    /// Subject of the question.
    pub asked: Asked,
}

/// Subject of a question.
pub enum Asked {
    /// Every run satisfies a formula, and how the formula is shown.
    Formula(Box<Property>, String),
    /// A claim that is no formula.
    Claim(Claim),
}

impl Question {
    /// Whether the answer depends on the fairness assumed: of formulas, and of refinement of fair runs.
    pub fn depends_on_fairness(&self) -> bool {
        match &self.asked {
            Asked::Formula(..) => true,
            Asked::Claim(claim) => matches!(claim, Claim::RefinesFairly { .. }),
        }
    }

    /// The formula.
    pub fn property(&mut self) -> Option<&mut Property> {
        match &mut self.asked {
            Asked::Formula(property, _) => Some(property),
            Asked::Claim(_) => None,
        }
    }
}

/// Why a question has no answer.
#[derive(Debug)]
pub enum AnswerError {
    /// The model is wrong where the question leads.
    Wrong(Vec<Diagnostic>),
    /// The check itself failed.
    Failed(CheckError),
}

impl From<CheckError> for AnswerError {
    fn from(failure: CheckError) -> Self {
        AnswerError::Failed(failure)
    }
}

impl From<Vec<Diagnostic>> for AnswerError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        AnswerError::Wrong(diagnostics)
    }
}

/// Why a question has no meaning in its system.
#[derive(Debug)]
pub enum BindingError {
    /// The model is wrong there.
    InModel(Vec<Diagnostic>),
    /// A formula that is not in the file is wrong.
    InFormula(TextError),
}

/// The meaning of what a question asks.
///
/// # Errors
/// When it is wrong: the diagnostics.
pub(crate) fn bind(
    question: &loaded::Question,
    system: &mut System,
) -> Result<Asked, Vec<Diagnostic>> {
    match question.asked.clone()? {
        loaded::Asked::Claim(claim) => Ok(Asked::Claim(claim)),
        loaded::Asked::Never(automaton) => {
            let property =
                with_system!(system, system => never(&question.title, automaton, system));
            let shown = property.text();
            Ok(Asked::Formula(Box::new(property), shown))
        }
        loaded::Asked::Formula(formula) => {
            let property = match system {
                System::Program(system, tests) => {
                    let known = |atom: &Atom| match atom {
                        // Names are written as they are, and so read as state propositions or as events.
                        Atom::Event(name) | Atom::Name(name) | Atom::State(name) => {
                            let passing = tests.passing(name)?;
                            Some(Binding::Event(passing.into_iter().collect()))
                        }
                    };
                    bind_formula(&formula, system, known)
                }
                other => with_system!(other, other => bind_formula(&formula, other, |_| None)),
            }?;
            let shown = formula.shown.unwrap_or_else(|| property.text());
            Ok(Asked::Formula(Box::new(property), shown))
        }
    }
}

/// A formula whose propositions have a meaning.
fn bind_formula<S: TransitionSystem>(
    formula: &loaded::Formula,
    system: &mut S,
    known: impl Fn(&Atom) -> Option<Binding>,
) -> Result<Property, Vec<Diagnostic>> {
    let loaded::Formula { name, text, reading, has_bare_names, .. } = formula;
    let mut formulas = Formulas::new();
    let parsed = match has_bare_names {
        true => parse_for(&mut formulas, &text.logic, system),
        false => formulas.parse(&text.logic),
    };
    let parsed = parsed.map_err(|mut diagnostic| {
        diagnostic.span = text.place(diagnostic.span);
        vec![diagnostic]
    })?;
    let bound = Property::bind_knowing(name, formulas, parsed, system, known);
    let mut property = bound.map_err(|unbound| {
        let span = text.place_of(&unbound.atom);
        let wrong = Diagnostic::error("E0801", unbound.to_string(), span);
        vec![match unbound.similar {
            Some(similar) if similar == unbound.atom.text() => {
                wrong.help(format!("`{similar}` is an event: write it without quotes"))
            }
            Some(similar) => wrong.help(format!("did you mean `{similar}`?")),
            None => wrong,
        }]
    })?;
    property.reading = *reading;
    Ok(property)
}

/// The property that no run is accepted by an automaton.
pub(crate) fn never<S: TransitionSystem>(
    name: &str,
    automaton: Automaton,
    system: &mut S,
) -> Property {
    let mut bound = |name: &String| {
        Binding::State(system.atom(name).expect("a loader names propositions of the model"))
    };
    let bindings = automaton.propositions().to_vec().iter().map(&mut bound).collect();
    Property::never(name, automaton, bindings)
}

impl Systems {
    /// The answer to a claim, of a search that learns nothing from others: see [`Systems::answer`].
    ///
    /// # Errors
    /// When the model is wrong where the claim leads, or what was found does not stand up to replay, which is a
    /// bug.
    pub fn claim(
        &mut self,
        claim: &Claim,
        system: SystemIndex,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, AnswerError> {
        let effort = effort.into();
        match claim {
            Claim::Refines { model, specification } => {
                let mut specification = self.fresh(*specification)?;
                let system = self.system(system)?;
                Ok(with_system!(system, system => with_system!(&mut specification, other => {
                    claim::refines(system, other, compared(*model), effort.bounds)
                }))?)
            }
            Claim::RefinesFairly { specification } => {
                let mut specification = self.fresh(*specification)?;
                let system = self.system(system)?;
                let notion = effort.fairness.unwrap_or(Notion::None);
                Ok(with_system!(system, system => with_system!(&mut specification, other => {
                    fair_refinement::refines_fairly(system, other, notion, effort.bounds)
                }))?)
            }
            Claim::Reaches { goal, best } => {
                let System::Model(system) = self.system(system)? else {
                    unreachable!("conditions are about variables, which only models have")
                };
                let best = best.as_ref();
                Ok(reaches(system, goal, best, effort)?)
            }
            _ => {
                let system = self.system(system)?;
                Ok(with_system!(system, system => alone(claim, system, effort))?)
            }
        }
    }

    /// The answer by a search that does not keep all states. What is about more than one reachable state stays
    /// unknown.
    ///
    /// # Errors
    /// As [`Systems::claim`].
    pub fn hunt(
        &mut self,
        asked: &Asked,
        system: SystemIndex,
        room: Room,
        bounds: Bounds,
    ) -> Result<ClaimVerdict, AnswerError> {
        let (Asked::Claim(claim), System::Model(system)) = (asked, self.system(system)?) else {
            return Ok(hunt::not_lossy());
        };
        Ok(match claim {
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
            | Claim::Refines { .. }
            | Claim::RefinesFairly { .. } => Ok(hunt::not_lossy()),
        }?)
    }
}

/// The answer to a claim that is about one system and no condition.
fn alone<S: fairly_reduce::Reducible>(
    claim: &Claim,
    system: &mut S,
    effort: Effort,
) -> Result<ClaimVerdict, CheckError> {
    let bounds = effort.bounds;
    match claim {
        Claim::NoErrors => claim::faultless(system, &[], |_| None, effort),
        Claim::EndsWell { unfinished } => claim::stops_well(system, unfinished.as_deref(), effort),
        Claim::NonTerminating => claim::nonterminating(system, bounds),
        Claim::DivergenceFree => claim::divergence_free(system, bounds),
        Claim::Deterministic => claim::deterministic(system, Determinism::Transitions, bounds),
        Claim::Refines { .. } | Claim::RefinesFairly { .. } | Claim::Reaches { .. } => {
            unreachable!("it is asked otherwise")
        }
    }
}

/// Whether a condition can be reached, and with which value.
fn reaches(
    system: &mut ModelSystem,
    goal: &fairly_model::Expr,
    best: Option<&(loaded::Extreme, fairly_model::Expr)>,
    effort: Effort,
) -> Result<ClaimVerdict, CheckError> {
    let Some((extreme, value)) = best else {
        let atom = system.space().add_proposition("goal", goal.clone());
        return claim::reaches(system, atom, effort);
    };
    let read = vec![goal.clone(), value.clone()];
    let space = system.shared_space();
    let value = |row: &[u64]| {
        let is_goal = space.value(row, goal).ok()? != 0;
        if is_goal { space.value(row, value).ok() } else { None }
    };
    claim::reaches_extreme(system, *extreme, read, value, effort)
}

/// Observations that refinement compares, for the search.
fn compared(model: Refinement) -> Model {
    match model {
        Refinement::Traces => Model::Traces,
        Refinement::Failures => Model::Failures,
        Refinement::FailuresDivergences => Model::FailuresDivergences,
    }
}

impl Ending {
    /// The end of a run that refutes a claim, where a single run does so by its end.
    pub fn refuting(claim: &Claim) -> Option<Ending> {
        match claim {
            Claim::NoErrors => Some(Ending::Error),
            Claim::EndsWell { unfinished } => Some(Ending::Stuck(unfinished.clone())),
            Claim::NonTerminating => Some(Ending::Over),
            Claim::DivergenceFree => Some(Ending::Divergence),
            Claim::Deterministic
            | Claim::Refines { .. }
            | Claim::RefinesFairly { .. }
            | Claim::Reaches { .. } => None,
        }
    }
}
