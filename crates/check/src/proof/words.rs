//! Words of a statement: notions, formulas, propositions, moves and constraints.

use fairly_fairness::{
    AnnotationLevel, Constraint, Level, Notion, Predicate, PrefixKind, Selector, StepFormula,
};
use fairly_logic::{Formula, Formulas, Node};
use fairly_model::Model;
use fairly_search::Binding;
use fairly_system::{AtomIndex, EventSet};
use hashbrown::HashMap;

use super::ProofError;
use super::source::{self, Meaning, Source, quoted};

/// A notion of fairness as it is written.
pub(super) fn notion(notion: Notion) -> &'static str {
    match notion {
        Notion::None => "none",
        Notion::Inherent(PrefixKind::Run) => "inherent run",
        Notion::Inherent(PrefixKind::Trace) => "inherent trace",
        Notion::Weak(Level::Process) => "weak process",
        Notion::Weak(Level::Event) => "weak event",
        Notion::Weak(Level::Action) => "weak action",
        Notion::Strong(Level::Process) => "strong process",
        Notion::Strong(Level::Event) => "strong event",
        Notion::Strong(Level::Action) => "strong action",
        Notion::WeakLive => "weak live",
        Notion::StrongLive => "strong live",
        Notion::Annotated(AnnotationLevel::Name) => "annotated name",
        Notion::Annotated(AnnotationLevel::Occurrence) => "annotated occurrence",
        Notion::Global => "global",
    }
}

/// A formula with its operators before their operands.
pub(super) fn written(
    formulas: &Formulas,
    formula: Formula,
    atom: &impl Fn(fairly_logic::AtomId) -> usize,
) -> String {
    let name = match formulas.node(formula) {
        Node::True => return "true".to_owned(),
        Node::False => return "false".to_owned(),
        Node::Atom(id) => return format!("a{}", atom(id)),
        Node::Not(_) => "not",
        Node::And(_) => "and",
        Node::Or(_) => "or",
        Node::Implies(..) => "implies",
        Node::Iff(..) => "iff",
        Node::Xor(..) => "xor",
        Node::Next(_) => "X",
        Node::Finally(_) => "F",
        Node::Globally(_) => "G",
        Node::Until(..) => "U",
        Node::Release(..) => "R",
        Node::WeakUntil(..) => "W",
        Node::StrongRelease(..) => "M",
    };
    let operands = formulas.children(formula).iter().map(|&it| written(formulas, it, atom));
    format!("({name} {})", operands.collect::<Vec<_>>().join(" "))
}

/// Parts of a statement, and the model with the propositions that it speaks of.
pub(super) struct Writer {
    pub(super) model: Model,
    /// Propositions that only constraints speak of.
    pub(super) further: Vec<String>,
    /// By state proposition: its number in the statement.
    atoms: HashMap<AtomIndex, usize>,
    pub(super) count: usize,
}

impl Writer {
    pub(super) fn new(system: &impl Source) -> Writer {
        let model = system.model();
        Writer { model, further: Vec::new(), atoms: HashMap::new(), count: 0 }
    }

    /// A proposition of the formula.
    pub(super) fn atom(
        &mut self,
        system: &mut impl Source,
        name: &str,
        binding: &Binding,
    ) -> Result<String, ProofError> {
        let meaning = match binding {
            Binding::State(atom) => {
                self.atoms.insert(*atom, self.count);
                match system.meaning(*atom) {
                    Some(Meaning::Deadlock) => "deadlock".to_owned(),
                    Some(Meaning::Terminated) => "terminated".to_owned(),
                    Some(Meaning::Condition(known, expr)) => {
                        let known = if known.is_empty() { name } else { &known };
                        self.model.propositions.push((known.to_owned(), expr));
                        format!("proposition {}", self.model.propositions.len() - 1)
                    }
                    None => {
                        return Err(ProofError::NotCovered(
                            "a proposition about several components",
                        ));
                    }
                }
            }
            Binding::Event(events) => format!("event {}", self.events(system, events)),
            Binding::Enabled(selector) => format!("enabled {}", self.selector(system, selector)?),
            Binding::Taken(selector) => format!("taken {}", self.selector(system, selector)?),
        };
        self.count += 1;
        Ok(format!("atom {} {meaning}", quoted(name)))
    }

    fn events(&self, system: &impl Source, events: &EventSet) -> String {
        let mut events = events.clone();
        events.learn(system.signature());
        let listed = self.model.events.len();
        let all = events.members().iter().map(|&it| source::event(system, listed, it));
        let mut all: Vec<String> = all.collect();
        all.dedup();
        format!("({})", all.join(" "))
    }

    pub(super) fn selector(
        &self,
        system: &impl Source,
        selector: &Selector,
    ) -> Result<String, ProofError> {
        Ok(match selector {
            Selector::Process(process) => format!("process p{process}"),
            Selector::Events(events) => format!("events {}", self.events(system, events)),
            Selector::Part(process, events) => {
                format!("part p{process} {}", self.events(system, events))
            }
            Selector::Moves(moves) => {
                let mut all = Vec::new();
                for &id in moves {
                    let place = system.place(id);
                    let place = place.ok_or(ProofError::NotCovered("a move without an edge"))?;
                    let (slot, template, location, edge) = place;
                    let event = system.signature().moves[id.index()].event;
                    let event = source::event(system, self.model.events.len(), event);
                    all.push(format!("(p{slot} t{template} q{location} {edge} {event})"));
                }
                format!("moves ({})", all.join(" "))
            }
        })
    }

    fn predicate(
        &mut self,
        system: &mut impl Source,
        predicate: &Predicate,
    ) -> Result<String, ProofError> {
        Ok(match predicate {
            Predicate::True => "true".to_owned(),
            Predicate::Enabled(selector) => format!("enabled {}", self.selector(system, selector)?),
            Predicate::Disabled(selector) => {
                format!("disabled {}", self.selector(system, selector)?)
            }
            Predicate::Ready(selector) => format!("ready {}", self.selector(system, selector)?),
            Predicate::Taken(selector) => format!("taken {}", self.selector(system, selector)?),
            Predicate::Step(formula) => format!("step {}", self.step(system, formula)?),
        })
    }

    fn step(
        &mut self,
        system: &mut impl Source,
        formula: &StepFormula,
    ) -> Result<String, ProofError> {
        let mut all = |parts: &[StepFormula], word: &str| -> Result<String, ProofError> {
            let parts: Result<Vec<String>, ProofError> =
                parts.iter().map(|part| self.step(system, part)).collect();
            Ok(format!("({word} {})", parts?.join(" ")))
        };
        Ok(match formula {
            StepFormula::Not(inner) => all(std::slice::from_ref(inner), "not")?,
            StepFormula::And(parts) => all(parts, "and")?,
            StepFormula::Or(parts) => all(parts, "or")?,
            StepFormula::State(atom) => match self.atoms.get(atom) {
                Some(known) => format!("a{known}"),
                None => self.further_atom(system, &Binding::State(*atom))?,
            },
            StepFormula::Event(events) => {
                self.further_atom(system, &Binding::Event(events.clone()))?
            }
        })
    }

    /// A proposition that only constraints speak of.
    fn further_atom(
        &mut self,
        system: &mut impl Source,
        binding: &Binding,
    ) -> Result<String, ProofError> {
        let at = self.count;
        let line = self.atom(system, &format!("c{at}"), binding)?;
        self.further.push(line);
        Ok(format!("a{at}"))
    }

    pub(super) fn constraint(
        &mut self,
        system: &mut impl Source,
        constraint: &Constraint,
    ) -> Result<String, ProofError> {
        let when = self.predicate(system, &constraint.when)?;
        let then = self.predicate(system, &constraint.then)?;
        Ok(format!("{} {when} {then}", constraint.strength))
    }
}
