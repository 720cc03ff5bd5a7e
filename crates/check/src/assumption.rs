//! Assumptions about runs: a notion, and constraints beside it.

use std::fmt;

use fairly_fairness::{Constraint, Notion, Predicate, StepFormula, Strength};
use fairly_front::case::{self, Demand};
use fairly_logic::{Formula, Formulas, Node};
use fairly_search::{Bounds, Cut, survey};
use fairly_source::{Diagnostic, Span};
use fairly_system::TransitionSystem;

use crate::naming::{self, Names};
use crate::property::{Bound, bind_atom, parse_for, similar};

/// A notion of fairness and further constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The notion.
    pub notion: Notion,
    /// Constraints beside it.
    pub extra: Vec<Constraint>,
}

impl Assumption {
    /// A notion alone.
    pub fn of(notion: Notion) -> Self {
        Assumption { notion, extra: Vec::new() }
    }

    /// All constraints, those of the notion first. For the notions that are no sets of constraints
    /// only the extra ones.
    ///
    /// Where a notion is about every event or move and the system lists them as they are met, the
    /// whole system is explored first.
    ///
    /// # Errors
    /// When that reaches a bound: fewer constraints than there are would be another assumption.
    pub fn constraints<S: TransitionSystem>(
        &self,
        system: &mut S,
        bounds: Bounds,
    ) -> Result<Vec<Constraint>, Cut> {
        let mut all = constraints_of(self.notion, system, bounds)?;
        for constraint in &self.extra {
            if !all.contains(constraint) {
                all.push(constraint.clone());
            }
        }
        Ok(all)
    }

    /// Adds a constraint as `.net` files and the command line write them. Where a system lists its moves as
    /// they are met, a constraint about single ones can be read once it has been
    /// [explored](fairly_search::survey).
    ///
    /// # Errors
    /// When it names something that the system does not have.
    pub fn add<S: TransitionSystem>(
        &mut self,
        constraint: &case::Constraint,
        system: &mut S,
    ) -> Result<(), AssumptionError> {
        let constraint = match &constraint.demand {
            Demand::Fair(annotation, target) => {
                Names::of(system.signature()).constraint(*annotation, target)?
            }
            Demand::Justice(formula) => Constraint {
                name: format!("justice({})", formula.text),
                strength: Strength::Weak,
                when: Predicate::True,
                then: step_predicate(&formula.text, system)?,
            },
            Demand::Compassion(when, then) => Constraint {
                name: format!("compassion({}, {})", when.text, then.text),
                strength: Strength::Strong,
                when: step_predicate(&when.text, system)?,
                then: step_predicate(&then.text, system)?,
            },
        };
        if !self.extra.contains(&constraint) {
            self.extra.push(constraint);
        }
        Ok(())
    }
}

impl Assumption {
    /// As [`Assumption::add`], after the system has been explored within the bounds if that tells what the
    /// constraint means: systems that list their moves as they are met do not know the others by name.
    ///
    /// # Errors
    /// When a bound is reached.
    pub fn add_within<S: TransitionSystem>(
        &mut self,
        constraint: &case::Constraint,
        system: &mut S,
        bounds: Bounds,
    ) -> Result<Result<(), AssumptionError>, Cut> {
        if let Demand::Fair(_, target) = &constraint.demand
            && !system.signature().complete
            && Names::of(system.signature()).needs_tables(target)
        {
            survey(system, bounds)?;
        }
        Ok(self.add(constraint, system))
    }
}

/// The constraints of a notion, after the system has been explored if they need that. None for the
/// notions that are no sets of constraints.
pub(crate) fn constraints_of<S: TransitionSystem>(
    notion: Notion,
    system: &mut S,
    bounds: Bounds,
) -> Result<Vec<Constraint>, Cut> {
    if notion.needs_tables() && !system.signature().complete {
        survey(system, bounds)?;
    }
    Ok(naming::constraints(notion, system.signature()))
}

/// A formula without temporal operators as a predicate on steps.
fn step_predicate<S: TransitionSystem>(
    text: &str,
    system: &mut S,
) -> Result<Predicate, AssumptionError> {
    let mut formulas = Formulas::new();
    let parsed =
        parse_for(&mut formulas, text, system).map_err(|_| AssumptionError::unknown(text))?;
    let formula = formulas.nnf(parsed);
    if formula == Formula::TRUE {
        return Ok(Predicate::True);
    }
    step_formula(&formulas, formula, system).map(Predicate::Step)
}

fn step_formula<S: TransitionSystem>(
    formulas: &Formulas,
    formula: Formula,
    system: &mut S,
) -> Result<StepFormula, AssumptionError> {
    let mut all = |parts: &[Formula]| -> Result<Vec<StepFormula>, AssumptionError> {
        parts.iter().map(|&part| step_formula(formulas, part, system)).collect()
    };
    Ok(match formulas.node(formula) {
        Node::True => StepFormula::And(vec![]),
        Node::False => StepFormula::Or(vec![]),
        Node::And(parts) => StepFormula::And(all(parts)?),
        Node::Or(parts) => StepFormula::Or(all(parts)?),
        Node::Not(inner) => StepFormula::Not(Box::new(step_formula(formulas, inner, system)?)),
        Node::Atom(id) => {
            let atom = formulas.atom_of(id);
            match bind_atom(atom, system) {
                Some(Bound::Event(events)) => StepFormula::Event(events),
                Some(Bound::State(index)) => StepFormula::State(index),
                // `wf(…)` and its kin are the constraints about these.
                Some(Bound::Enabled(_) | Bound::Taken(_)) | None => {
                    let similar = similar(system, atom.text());
                    return Err(AssumptionError::Unknown { name: atom.text().to_owned(), similar });
                }
            }
        }
        // The reader of constraints lets no temporal operator through.
        _ => return Err(AssumptionError::unknown(&formulas.display(formula))),
    })
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.extra.iter().map(|extra| extra.name.as_str()).collect();
        match (self.notion, names.as_slice()) {
            (notion, []) => write!(f, "{notion}"),
            (Notion::None, names) => write!(f, "{}", names.join(", ")),
            (notion, names) => write!(f, "{notion} and {}", names.join(", ")),
        }
    }
}

/// A constraint that makes no sense for a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssumptionError {
    /// It is about something that the system does not have.
    Unknown {
        /// The name that it does not know.
        name: String,
        /// A name of the system that looks like it.
        similar: Option<String>,
    },
    /// Several things have this name.
    Ambiguous(String),
    /// `wl` and `sl` are about what is ready, which only events are.
    LiveProcess(String),
}

impl AssumptionError {
    fn unknown(name: &str) -> Self {
        AssumptionError::Unknown { name: name.to_owned(), similar: None }
    }

    /// Suggests a name that exists, if one is near.
    pub fn help(&self) -> Option<String> {
        match self {
            AssumptionError::Unknown { similar, .. } => {
                similar.as_ref().map(|similar| format!("did you mean `{similar}`?"))
            }
            AssumptionError::Ambiguous(name) => {
                Some(format!("write `{name} #1` for the first, `{name} #2` for the second"))
            }
            AssumptionError::LiveProcess(_) => None,
        }
    }

    /// The same as a diagnostic about a place.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        let wrong = Diagnostic::error("E0802", self.to_string(), span);
        match self.help() {
            Some(help) => wrong.help(help),
            None => wrong,
        }
    }
}

impl fmt::Display for AssumptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssumptionError::Unknown { name, .. } => {
                write!(f, "the constraint is about `{name}`, which the system does not have")
            }
            AssumptionError::Ambiguous(name) => {
                write!(f, "the constraint is about `{name}`, and several are called so")
            }
            AssumptionError::LiveProcess(name) => {
                write!(f, "wl and sl are about events, and `{name}` is a process")
            }
        }
    }
}

impl std::error::Error for AssumptionError {}
