//! What is assumed of runs: a notion, and constraints beside it.

use std::fmt;

use fairly_fairness::{Constraint, Notion, Predicate, Selector, StepFormula, Strength};
use fairly_front::case::{self, Demand, Target};
use fairly_logic::{Formula, Formulas, Node};
use fairly_search::{Bounds, Cut, survey};
use fairly_system::{Annotation, EventSet, Signature, TransitionSystem};

use crate::property::{Bound, bind_atom, parse_for};

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

    /// Adds a constraint as `.net` files and the command line write them.
    ///
    /// # Errors
    /// When it names something that the system does not have.
    pub fn add<S: TransitionSystem>(
        &mut self,
        constraint: &case::Constraint,
        system: &mut S,
    ) -> Result<(), Unusable> {
        let constraint = match &constraint.demand {
            Demand::Fair(annotation, target) => fair(*annotation, target, system.signature())?,
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
    Ok(notion.constraints(system.signature()).unwrap_or_default())
}

/// Fairness or liveness of a process, an event, or one process's part in an event. It needs no
/// tables: the events are those that the name matches, whenever they are met.
fn fair(
    annotation: Annotation,
    target: &Target,
    signature: &Signature,
) -> Result<Constraint, Unusable> {
    let unknown = |name: &str| Unusable::Unknown(name.to_owned());
    let is_live = matches!(annotation, Annotation::WeakLive | Annotation::StrongLive);
    let events = |name: &str| {
        let named = EventSet::named(name, signature).map(EventSet::without_idle);
        // In a complete signature a name that only idle has is none.
        named
            .filter(|set| !signature.complete || !set.members().is_empty())
            .ok_or_else(|| unknown(name))
    };
    let of_events = |name: &str| Ok((name.to_owned(), Selector::Events(events(name)?)));
    let of_process = |name: &str| {
        if is_live {
            return Err(Unusable::LiveProcess(name.to_owned()));
        }
        let process = signature.process(name).ok_or_else(|| unknown(name))?;
        Ok((name.to_owned(), Selector::Process(process)))
    };
    let (what, selector) = match target {
        Target::Name(name) if signature.process(name).is_some() => of_process(name)?,
        Target::Name(name) | Target::Event(name) => of_events(name)?,
        Target::Process(name) => of_process(name)?,
        Target::EventOf { event, process } => {
            let owner = signature.process(process).ok_or_else(|| unknown(process))?;
            let selector = Selector::Part(owner, events(event)?);
            let known = signature.move_ids().any(|id| selector.selects_move(id, signature));
            if signature.complete && !known {
                return Err(unknown(event));
            }
            (format!("{event} of {process}"), selector)
        }
    };
    Ok(Constraint::annotated(annotation, &what, selector))
}

/// A formula without temporal operators as a predicate on steps.
fn step_predicate<S: TransitionSystem>(text: &str, system: &mut S) -> Result<Predicate, Unusable> {
    let mut formulas = Formulas::new();
    let parsed =
        parse_for(&mut formulas, text, system).map_err(|_| Unusable::Unknown(text.to_owned()))?;
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
) -> Result<StepFormula, Unusable> {
    let mut all = |parts: &[Formula]| -> Result<Vec<StepFormula>, Unusable> {
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
                None => return Err(Unusable::Unknown(atom.text().to_owned())),
            }
        }
        // The reader of constraints lets no temporal operator through.
        _ => return Err(Unusable::Unknown(formulas.display(formula))),
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
pub enum Unusable {
    /// It is about something that the system does not have.
    Unknown(String),
    /// `wl` and `sl` are about what is ready, which only events are.
    LiveProcess(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Unknown(name) => {
                write!(f, "the constraint is about `{name}`, which the system does not have")
            }
            Unusable::LiveProcess(name) => {
                write!(f, "wl and sl are about events, and `{name}` is a process")
            }
        }
    }
}

impl std::error::Error for Unusable {}
