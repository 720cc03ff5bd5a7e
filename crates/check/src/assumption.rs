//! What is assumed of runs: a notion, and constraints beside it.

use std::fmt;

use crate::property::parse_for;
use fairly_fairness::{Constraint, Notion, Predicate, Selector, StepFormula, Strength};
use fairly_front::case::{self, Demand, Target};
use fairly_logic::{Atom, Formula, Formulas, Node, pattern_matches};
use fairly_system::{Annotation, EventId, MoveId, Network, TransitionSystem};

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
    pub fn constraints(&self, network: &Network) -> Vec<Constraint> {
        let mut all = self.notion.constraints(network).unwrap_or_default();
        for constraint in &self.extra {
            if !all.contains(constraint) {
                all.push(constraint.clone());
            }
        }
        all
    }

    /// Adds a constraint as `.net` files and the command line write them.
    ///
    /// # Errors
    /// When it names something that the system does not have.
    pub fn add(
        &mut self,
        constraint: &case::Constraint,
        network: &mut Network,
    ) -> Result<(), Unusable> {
        let constraint = match &constraint.demand {
            Demand::Fair(annotation, target) => fair(*annotation, target, network)?,
            Demand::Justice(formula) => Constraint {
                name: format!("justice({})", formula.text),
                strength: Strength::Weak,
                when: Predicate::True,
                then: step_predicate(&formula.text, network)?,
            },
            Demand::Compassion(when, then) => Constraint {
                name: format!("compassion({}, {})", when.text, then.text),
                strength: Strength::Strong,
                when: step_predicate(&when.text, network)?,
                then: step_predicate(&then.text, network)?,
            },
        };
        if !self.extra.contains(&constraint) {
            self.extra.push(constraint);
        }
        Ok(())
    }
}

/// Fairness or liveness of a process, an event, or one process's part in an event.
fn fair(
    annotation: Annotation,
    target: &Target,
    network: &Network,
) -> Result<Constraint, Unusable> {
    let signature = network.signature();
    let events = |name: &str| -> Vec<EventId> {
        (1..signature.events.len())
            .map(EventId::from_index)
            .filter(|&event| pattern_matches(name, signature.event_name(event)))
            .collect()
    };
    let moves = |chosen: &dyn Fn(MoveId) -> bool| -> Vec<MoveId> {
        (0..network.move_count()).map(MoveId::from_index).filter(|&id| chosen(id)).collect()
    };
    let unknown = |name: &str| Unusable::Unknown(name.to_owned());
    let is_live = matches!(annotation, Annotation::WeakLive | Annotation::StrongLive);
    let of_events = |name: &str| {
        let events = events(name);
        if events.is_empty() {
            return Err(unknown(name));
        }
        let ready = moves(&|id| events.contains(&network.move_event(id)));
        Ok((name.to_owned(), Selector::Events(events), ready))
    };
    let of_process = |name: &str| {
        if is_live {
            return Err(Unusable::LiveProcess(name.to_owned()));
        }
        let process = signature.process(name).ok_or_else(|| unknown(name))?;
        let ready = moves(&|id| network.local(id).0 == process);
        Ok((name.to_owned(), Selector::Process(process), ready))
    };
    let (what, selector, ready) = match target {
        Target::Name(name) if signature.process(name).is_some() => of_process(name)?,
        Target::Name(name) | Target::Event(name) => of_events(name)?,
        Target::Process(name) => of_process(name)?,
        Target::EventOf { event, process } => {
            let owner = signature.process(process).ok_or_else(|| unknown(process))?;
            let events = events(event);
            let chosen = moves(&|id| {
                network.local(id).0 == owner && events.contains(&network.move_event(id))
            });
            if chosen.is_empty() {
                return Err(unknown(event));
            }
            (format!("{event} of {process}"), Selector::Moves(chosen.clone()), chosen)
        }
    };
    Ok(match annotation {
        Annotation::WeakFair => Constraint::fair(Strength::Weak, &what, selector),
        Annotation::StrongFair => Constraint::fair(Strength::Strong, &what, selector),
        Annotation::WeakLive => Constraint::live(Strength::Weak, &what, ready, selector),
        Annotation::StrongLive => Constraint::live(Strength::Strong, &what, ready, selector),
    })
}

/// A formula without temporal operators as a predicate on steps.
fn step_predicate(text: &str, network: &mut Network) -> Result<Predicate, Unusable> {
    let mut formulas = Formulas::new();
    let parsed =
        parse_for(&mut formulas, text, network).map_err(|_| Unusable::Unknown(text.to_owned()))?;
    let formula = formulas.nnf(parsed);
    if formula == Formula::TRUE {
        return Ok(Predicate::True);
    }
    step_formula(&formulas, formula, network).map(Predicate::Step)
}

fn step_formula(
    formulas: &Formulas,
    formula: Formula,
    network: &mut Network,
) -> Result<StepFormula, Unusable> {
    let mut all = |parts: &[Formula]| -> Result<Vec<StepFormula>, Unusable> {
        parts.iter().map(|&part| step_formula(formulas, part, network)).collect()
    };
    Ok(match formulas.node(formula) {
        Node::True => StepFormula::And(vec![]),
        Node::False => StepFormula::Or(vec![]),
        Node::And(parts) => StepFormula::And(all(parts)?),
        Node::Or(parts) => StepFormula::Or(all(parts)?),
        Node::Not(inner) => StepFormula::Not(Box::new(step_formula(formulas, inner, network)?)),
        Node::Atom(id) => {
            let atom = formulas.atom_of(id);
            let text = atom.text();
            let signature = network.signature();
            let events: Vec<EventId> = (0..signature.events.len())
                .map(EventId::from_index)
                .filter(|&event| pattern_matches(text, signature.event_name(event)))
                .collect();
            let state = |network: &mut Network| network.atom(text).map(StepFormula::State);
            let bound = match atom {
                Atom::State(_) => state(network),
                _ if !events.is_empty() => Some(StepFormula::Event(events)),
                Atom::Event(_) => None,
                Atom::Name(_) => state(network),
            };
            bound.ok_or_else(|| Unusable::Unknown(text.to_owned()))?
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
