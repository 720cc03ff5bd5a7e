//! A CSP# file and the answers to its assertions.

use std::sync::Arc;

use fairly_front::csp::syntax::{
    self, Assertion, DefinitionId, Expr, ExprKind, FormulaText, Goal, ProcessKind, RefinementModel,
    Subject,
};
use fairly_front::csp::{self, Specification};
use fairly_front::include::{Includes, NoFiles};
use fairly_logic::Formulas;
use fairly_model::ModelSpace;
use fairly_reduce::ModelSystem;
use fairly_search::refinement::Model;
use fairly_source::{Diagnostic, Span};
use fairly_system::EventReading;
use hashbrown::HashSet;

use crate::claim::{ClaimVerdict, Effort, Extreme};
use crate::execution::{self, Execution};
use crate::lint;
use crate::property::Property;
use crate::question::{Claim, SystemIndex, Systems, Unanswered};
use crate::verify::Options;

/// A CSP# file, with a system for each process that its assertions are about.
pub struct CspFile {
    text: String,
    specification: Arc<Specification>,
    systems: Vec<System>,
    execution: Execution,
}

/// A process that something is asked about.
struct System {
    key: Key,
    process: Subject,
    /// Made when it is first asked for. A specification that is refined has none: it is made for each question.
    made: Option<ModelSystem>,
}

/// A process: its definition and its arguments.
type Key = (DefinitionId, Vec<i64>);

impl CspFile {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<CspFile, Vec<Diagnostic>> {
        CspFile::read(text, "", &mut NoFiles).1
    }

    /// Reads a file that may include others; `name` is its own. The text with the included ones as
    /// [parts](fairly_source::parts), to which all places belong, and the file or what is wrong with it.
    pub fn read(
        text: &str,
        name: &str,
        includes: &mut dyn Includes,
    ) -> (String, Result<CspFile, Vec<Diagnostic>>) {
        let csp::Reading { text, specification } = csp::parse_with(text, name, includes);
        let file = specification.map(|specification| CspFile {
            text: text.clone(),
            specification: Arc::new(specification),
            systems: Vec::new(),
            execution: Execution::default(),
        });
        (text, file)
    }

    /// The file as it was read.
    pub fn specification(&self) -> &Arc<Specification> {
        &self.specification
    }

    /// Whether some event of the file is annotated.
    pub fn is_annotated(&self) -> bool {
        self.specification.nodes.iter().any(|node| match &node.kind {
            ProcessKind::Prefix { action, .. } => action.annotation.is_some(),
            _ => false,
        })
    }

    /// An assertion as it is written, without `#assert` and the semicolon.
    pub fn title(&self, assertion: &Assertion) -> String {
        let written = &self.text[assertion.span.start..assertion.span.end];
        let written = written.strip_prefix("#assert").unwrap_or(written);
        let words: Vec<&str> = written.trim_end_matches(';').split_whitespace().collect();
        words.join(" ")
    }

    /// The process of an assertion as it is written.
    pub fn subject_name(&self, subject: &Subject) -> String {
        self.text[subject.span.start..subject.span.end].to_owned()
    }

    /// The system of a process, made when it is first asked for.
    ///
    /// # Errors
    /// When the process cannot be turned into one.
    pub fn system(&mut self, subject: &Subject) -> Result<SystemIndex, Vec<Diagnostic>> {
        let index = self.named(subject);
        if self.systems[index.0].made.is_none() {
            self.systems[index.0].made = Some(self.fresh(subject)?);
        }
        Ok(index)
    }

    /// The number of the system of a process, which need not be made.
    fn named(&mut self, subject: &Subject) -> SystemIndex {
        let key = (subject.definition, subject.arguments.iter().map(number).collect());
        if let Some(at) = self.systems.iter().position(|known| known.key == key) {
            return SystemIndex(at);
        }
        self.systems.push(System { key, process: subject.clone(), made: None });
        SystemIndex(self.systems.len() - 1)
    }

    fn fresh(&self, subject: &Subject) -> Result<ModelSystem, Vec<Diagnostic>> {
        let lowered = csp::lower(&self.specification, subject)?;
        let system = ModelSpace::new(lowered.model, lowered.unfold);
        // Also those that cannot happen: a formula may say so.
        for family in &self.specification.events {
            system.add_family(family);
        }
        for channel in &self.specification.channels {
            system.add_family(&channel.name.text);
        }
        Ok(execution::system(system, self.execution))
    }

    /// The events and communications that no run of these processes executes, as places of the text; none
    /// if that was not found out.
    pub fn never_executed(&mut self, subjects: &[Subject], options: &Options) -> Option<Vec<Span>> {
        let specification = Arc::clone(&self.specification);
        let all: Vec<&Subject> = subjects.iter().collect();
        let written = csp::written(&specification, &all);
        let places: HashSet<Span> = written.places.iter().map(|place| place.span).collect();
        let mut executed = HashSet::new();
        for subject in subjects {
            let system = self.system(subject).ok()?;
            executed.extend(lint::executed(self.interpreter(system), &places, options)?);
        }
        // A step that parts of one process take together is known by one of the places, but all of them
        // have the same event.
        let heads: HashSet<&Option<String>> = written
            .places
            .iter()
            .filter(|place| written.joins && executed.contains(&place.span))
            .map(|place| &place.head)
            .collect();
        // Steps of parts that go on in the same way are known by the place of one of them.
        let kinds: HashSet<(u32, &Option<String>)> = written
            .places
            .iter()
            .filter(|place| executed.contains(&place.span))
            .map(|place| (place.kind, &place.head))
            .collect();
        let missing = written
            .places
            .iter()
            .filter(|place| !kinds.contains(&(place.kind, &place.head)))
            .filter(|place| !heads.contains(&place.head));
        Some(missing.map(|place| place.span).collect())
    }

    /// Has the steps of all systems made so that are made from now on.
    pub fn execute(&mut self, execution: Execution) {
        self.execution = execution;
    }

    /// A system that has been made.
    pub fn interpreter(&mut self, system: SystemIndex) -> &mut ModelSystem {
        self.systems[system.0].made.as_mut().expect("a system that has been asked for")
    }

    /// The formula of an assertion, bound to its system. Events are read as in PAT: a position has
    /// the event that led to it.
    ///
    /// # Errors
    /// When it names something that the system does not have.
    pub fn property(
        &mut self,
        system: SystemIndex,
        name: &str,
        formula: &FormulaText,
    ) -> Result<Property, Vec<Diagnostic>> {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&formula.logic).map_err(|mut diagnostic| {
            diagnostic.span = formula.place(diagnostic.span);
            vec![diagnostic]
        })?;
        let system = self.interpreter(system);
        let mut property = Property::bind(name, formulas, parsed, system).map_err(|unbound| {
            let wrong = Diagnostic::error("E0801", unbound.to_string(), formula.span);
            vec![match unbound.similar {
                Some(similar) => wrong.help(format!("did you mean `{similar}`?")),
                None => wrong.label("in this formula"),
            }]
        })?;
        property.reading = EventReading::Entering;
        Ok(property)
    }

    /// An assertion that is no formula, as data.
    ///
    /// # Errors
    /// When an expression of it means nothing.
    ///
    /// # Panics
    /// On a formula: see [`CspFile::property`].
    pub fn claimed(&mut self, claim: &syntax::Claim) -> Result<Claim, Vec<Diagnostic>> {
        Ok(match claim {
            syntax::Claim::DeadlockFree => Claim::EndsWell { unfinished: None },
            syntax::Claim::NonTerminating => Claim::NonTerminating,
            syntax::Claim::DivergenceFree => Claim::DivergenceFree,
            syntax::Claim::Deterministic => Claim::Deterministic,
            syntax::Claim::Refines { model, specification } => {
                let model = match model {
                    RefinementModel::Traces => Model::Traces,
                    RefinementModel::Failures => Model::Failures,
                    RefinementModel::FailuresDivergences => Model::FailuresDivergences,
                };
                Claim::Refines { model, specification: self.named(specification) }
            }
            syntax::Claim::Reaches { condition, optimum } => {
                let goal = csp::expression(&self.specification, condition)?;
                let best = match optimum {
                    None => None,
                    Some((extreme, value)) => {
                        let extreme = match extreme {
                            Goal::Least => Extreme::Least,
                            Goal::Greatest => Extreme::Greatest,
                        };
                        Some((extreme, csp::expression(&self.specification, value)?))
                    }
                };
                Claim::Reaches { goal, best }
            }
            syntax::Claim::Satisfies(_) => unreachable!("formulas are asked elsewhere"),
        })
    }

    /// The answer to an assertion that is no formula.
    ///
    /// # Errors
    /// When the file is wrong there, or the check fails.
    ///
    /// # Panics
    /// On a formula: see [`CspFile::property`].
    pub fn claim(
        &mut self,
        system: SystemIndex,
        claim: &syntax::Claim,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, Unanswered> {
        self.claimed(claim)?.ask(self, system, effort)
    }
}

impl Systems for CspFile {
    fn system(&mut self, system: SystemIndex) -> &mut ModelSystem {
        self.interpreter(system)
    }

    fn fresh(&self, system: SystemIndex) -> Result<ModelSystem, Vec<Diagnostic>> {
        CspFile::fresh(self, &self.systems[system.0].process)
    }
}

/// A constant argument.
fn number(expr: &Expr) -> i64 {
    match expr.kind {
        ExprKind::Int(value) => i64::from(value),
        ExprKind::Bool(value) => i64::from(value),
        _ => unreachable!("arguments of assertions are constant"),
    }
}
