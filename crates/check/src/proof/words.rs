//! Words of a statement: notions, propositions, moves and constraints.

use fairly_fairness::{
    AnnotationLevel, Constraint, Level, Notion, Predicate, PrefixKind, Selector, StepFormula,
    Strength,
};
use fairly_model::Model;
use fairly_search::Binding;
use fairly_system::{AtomIndex, EventSet};
use hashbrown::HashMap;

use super::ProofError;
use super::model::Form;
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

/// Parts of a statement, and the model that it speaks of.
pub(super) struct Writer {
    pub(super) model: Model,
    /// Propositions that only constraints speak of.
    pub(super) further: Vec<String>,
    /// By state proposition: its number in the statement.
    atoms: HashMap<AtomIndex, usize>,
    pub(super) count: usize,
    /// The table of formulas.
    pub(super) nodes: Vec<String>,
    /// Constraints that are assumed besides, which come first.
    assumed: Vec<Constraint>,
}

impl Writer {
    pub(super) fn new(system: &impl Source) -> Writer {
        let (further, nodes) = (Vec::new(), Vec::new());
        let (model, atoms) = (system.model(), HashMap::new());
        Writer { model, further, atoms, count: 0, nodes, assumed: Vec::new() }
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
                    Some(Meaning::Condition(expr)) => format!("condition {}", Form(&expr)),
                    None => {
                        return Err(ProofError::NotCovered(
                            "a proposition about several components",
                        ));
                    }
                }
            }
            Binding::Event(events) => format!("event{}", self.events(system, events)),
            Binding::Enabled(selector) => format!("enabled {}", self.selector(system, selector)?),
            Binding::Taken(selector) => format!("taken {}", self.selector(system, selector)?),
        };
        self.count += 1;
        Ok(format!("atom {} {meaning}", quoted(name)))
    }

    /// Adds a subformula; gives its position.
    pub(super) fn node(&mut self, node: &str) -> usize {
        self.nodes.push(format!("node {node}"));
        self.nodes.len() - 1
    }

    fn events(&self, system: &impl Source, events: &EventSet) -> String {
        let mut events = events.clone();
        events.learn(system.signature());
        let listed = self.model.events.len();
        let all = events.members().iter().map(|&it| source::event(system, listed, it));
        let mut all: Vec<String> = all.map(|event| format!(" {event}")).collect();
        all.dedup();
        all.concat()
    }

    pub(super) fn selector(
        &self,
        system: &impl Source,
        selector: &Selector,
    ) -> Result<String, ProofError> {
        Ok(match selector {
            Selector::Process(process) => format!("(process p{process})"),
            Selector::Events(events) => format!("(events{})", self.events(system, events)),
            Selector::Part(process, events) => {
                format!("(part p{process}{})", self.events(system, events))
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
                format!("(moves {})", all.join(" "))
            }
        })
    }

    fn predicate(
        &mut self,
        system: &mut impl Source,
        predicate: &Predicate,
    ) -> Result<String, ProofError> {
        let (word, selector) = match predicate {
            Predicate::True => return Ok("true".to_owned()),
            Predicate::Step(formula) => {
                return Ok(format!("(step {})", self.step(system, formula, true)?));
            }
            Predicate::Enabled(selector) => ("enabled", selector),
            Predicate::Disabled(selector) => ("disabled", selector),
            Predicate::Ready(selector) => ("ready", selector),
            Predicate::Taken(selector) => ("taken", selector),
        };
        Ok(format!("({word} {})", self.selector(system, selector)?))
    }

    /// A formula about a step, or its negation, in the table.
    fn step(
        &mut self,
        system: &mut impl Source,
        formula: &StepFormula,
        holds: bool,
    ) -> Result<usize, ProofError> {
        let atom = match formula {
            StepFormula::Not(inner) => return self.step(system, inner, !holds),
            StepFormula::And(parts) | StepFormula::Or(parts) => {
                let and = matches!(formula, StepFormula::And(_)) == holds;
                let mut all = self.node(if and { "true" } else { "false" });
                for part in parts {
                    let part = self.step(system, part, holds)?;
                    let word = if and { "and" } else { "or" };
                    all = self.node(&format!("{word} {all} {part}"));
                }
                return Ok(all);
            }
            StepFormula::State(atom) => match self.atoms.get(atom) {
                Some(&known) => known,
                None => self.further_atom(system, &Binding::State(*atom))?,
            },
            StepFormula::Event(events) => {
                self.further_atom(system, &Binding::Event(events.clone()))?
            }
        };
        Ok(self.node(&format!("{}a{atom}", if holds { "" } else { "not " })))
    }

    /// A proposition that only constraints speak of.
    fn further_atom(
        &mut self,
        system: &mut impl Source,
        binding: &Binding,
    ) -> Result<usize, ProofError> {
        let at = self.count;
        let line = self.atom(system, &format!("c{at}"), binding)?;
        self.further.push(line);
        Ok(at)
    }

    /// The lines that say what is assumed besides.
    pub(super) fn assume(
        &mut self,
        system: &mut impl Source,
        constraints: &[Constraint],
    ) -> Result<Vec<String>, ProofError> {
        let mut lines = Vec::new();
        for constraint in constraints {
            let when = self.predicate(system, &constraint.when)?;
            let then = self.predicate(system, &constraint.then)?;
            lines.push(format!("assume {} {when} {then}", constraint.strength));
        }
        self.assumed = constraints.to_vec();
        Ok(lines)
    }

    /// The position of a constraint among those that are assumed besides.
    pub(super) fn assumed(&self, constraint: &Constraint) -> Option<usize> {
        self.assumed.iter().position(|it| it == constraint)
    }

    /// The line of a constraint of a notion: the moves that it is about.
    pub(super) fn constraint(
        &self,
        system: &impl Source,
        notion: Notion,
        constraint: &Constraint,
    ) -> Result<String, ProofError> {
        let (Predicate::Enabled(of) | Predicate::Ready(of)) = &constraint.when else {
            return Err(ProofError::NotCovered("a constraint of another kind"));
        };
        let word = match (constraint.strength, &constraint.when) {
            (Strength::Weak, Predicate::Ready(_)) => "wl",
            (Strength::Weak, _) => "wf",
            (Strength::Strong, Predicate::Ready(_)) => "sl",
            (Strength::Strong, _) => "sf",
        };
        let selector = self.selector(system, of)?;
        Ok(match (notion, of) {
            (Notion::Annotated(AnnotationLevel::Name), _) => {
                format!("constraint {word} {selector}")
            }
            // All moves of a process with one event and this annotation.
            (Notion::Annotated(AnnotationLevel::Occurrence), Selector::Moves(moves)) => {
                let Some((slot, ..)) = moves.first().and_then(|&of| system.place(of)) else {
                    return Err(ProofError::NotCovered("a move without an edge"));
                };
                let event = system.signature().moves[moves[0].index()].event;
                let event = source::event(system, self.model.events.len(), event);
                format!("constraint ({word} p{slot} {event})")
            }
            _ => format!("constraint {selector}"),
        })
    }
}
