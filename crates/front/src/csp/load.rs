//! A CSP# file as systems and questions: a system for each process that its assertions are about.

use std::sync::Arc;

use fairly_system::EventPosition;

use super::syntax::{
    Assertion, Claim as Asserted, DefinitionId, Expr, ExprKind, ProcessKind, Specification, Subject,
};
use super::{Lowered as OfProcess, expression, lower, parse_with, written};
use crate::loaded::{
    Asked, Claim, Formula, FormulaText, Kind, LoadError, Loaded, Loader, Lowered, Naming, Question,
    Settings, SystemIndex, SystemSource, Text, TextError,
};

/// Reads CSP#.
pub struct Csp;

impl Loader for Csp {
    fn load(&self, texts: &[Text], settings: Settings<'_>) -> Result<Loaded, LoadError> {
        let Text { name, text } = &texts[0];
        let reading = parse_with(text, name, settings.includes);
        let specification = reading.specification.map_err(|diagnostics| {
            let text = Text { name: name.clone(), text: reading.text.clone() };
            LoadError::Wrong(TextError { text, diagnostics })
        })?;
        let mut file = File {
            text: reading.text,
            specification: Arc::new(specification),
            subjects: Vec::new(),
        };
        let mut questions = file.questions();
        questions.extend(file.given(settings.formulas)?);
        let File { text, specification, subjects } = file;
        let is_annotated = specification.nodes.iter().any(|node| match &node.kind {
            ProcessKind::Prefix { action, .. } => action.annotation.is_some(),
            _ => false,
        });
        let systems = subjects.iter().map(|subject| source(&text, &specification, subject));
        let systems = systems.collect();
        let of_processes = move |systems: &[SystemIndex]| {
            let asked: Vec<&Subject> = systems.iter().map(|system| &subjects[system.0]).collect();
            written(&specification, &asked)
        };
        Ok(Loaded {
            text: Some(text),
            systems,
            questions,
            naming: Naming { word: "assertion", numbered: true },
            nothing: "the file has no #assert; give a formula with -f 'FORMULA'",
            is_annotated,
            reading: EventPosition::Entering,
            written: Some(Box::new(of_processes)),
            ..Loaded::default()
        })
    }
}

/// The system of a process.
fn source(text: &str, specification: &Arc<Specification>, subject: &Subject) -> SystemSource {
    let name = text[subject.span.start..subject.span.end].to_owned();
    let (specification, subject) = (Arc::clone(specification), subject.clone());
    let lower = move || {
        let OfProcess { model, unfold } = lower(&specification, &subject)?;
        // Also those that cannot happen: a formula may say so.
        let channels = specification.channels.iter().map(|channel| &channel.name.text);
        let families = specification.events.iter().chain(channels).cloned().collect();
        Ok(Lowered::Model { model, unfold, families })
    };
    SystemSource { name: Some(name), lower: Box::new(lower) }
}

/// A file, and the processes met so far in its assertions.
struct File {
    text: String,
    specification: Arc<Specification>,
    subjects: Vec<Subject>,
}

impl File {
    fn questions(&mut self) -> Vec<Question> {
        let specification = Arc::clone(&self.specification);
        let numbered = (1..).zip(&specification.assertions);
        numbered.map(|(number, assertion)| self.question(number, assertion)).collect()
    }

    fn question(&mut self, number: usize, assertion: &Assertion) -> Question {
        let Assertion { process, claim, span, .. } = assertion;
        let system = self.system(process);
        let (kind, asked, says) = match claim {
            Asserted::Satisfies(formula) => {
                let name = self.written(process);
                let shown = self.text[formula.span.start..formula.span.end].trim().to_owned();
                let says = Some(format!("{name} |= {shown}"));
                (Kind::Formula, Ok(about(name, formula.clone(), shown, false)), says)
            }
            Asserted::DeadlockFree => {
                (Kind::Behaviour, Ok(Asked::Claim(Claim::EndsWell { unfinished: None })), None)
            }
            Asserted::NonTerminating => {
                (Kind::Behaviour, Ok(Asked::Claim(Claim::NonTerminating)), None)
            }
            Asserted::DivergenceFree => {
                (Kind::Behaviour, Ok(Asked::Claim(Claim::DivergenceFree)), None)
            }
            Asserted::Deterministic => {
                (Kind::Behaviour, Ok(Asked::Claim(Claim::Deterministic)), None)
            }
            Asserted::Refines { model, specification } => {
                let specification = self.system(specification);
                let claim = Claim::Refines { model: *model, specification };
                (Kind::Refinement, Ok(Asked::Claim(claim)), None)
            }
            Asserted::RefinesFairly { specification } => {
                let specification = self.system(specification);
                (Kind::Refinement, Ok(Asked::Claim(Claim::RefinesFairly { specification })), None)
            }
            Asserted::Reaches { condition, optimum } => {
                let expression = |expr| expression(&self.specification, expr);
                let claim = expression(condition).and_then(|goal| {
                    let best = match optimum {
                        Some((extreme, value)) => Some((*extreme, expression(value)?)),
                        None => None,
                    };
                    Ok(Claim::Reaches { goal, best })
                });
                (Kind::Reachability, claim.map(Asked::Claim), None)
            }
        };
        let choice = Some(number.to_string());
        let (title, place) = (self.title(assertion), Some(*span));
        Question { title, choice, system, kind, asked, place, says, counted: None }
    }

    /// Formulas of the settings, about the process of the first assertion.
    fn given(&mut self, formulas: &[String]) -> Result<Vec<Question>, LoadError> {
        if formulas.is_empty() {
            return Ok(Vec::new());
        }
        let specification = Arc::clone(&self.specification);
        let Some(first) = specification.assertions.first() else {
            let why = "-f is about the process of the first #assert, and the file has none";
            return Err(LoadError::Refused(why.to_owned()));
        };
        let system = self.system(&first.process);
        let name = self.written(&first.process);
        let given = formulas.iter().map(|text| {
            let formula = FormulaText::written(text, 0);
            let asked = about(name.clone(), formula, text.clone(), true);
            let title = format!("{name} |= {text}");
            let says = Some(title.clone());
            Question { choice: None, says, system, ..Question::new(title, Kind::Formula, asked) }
        });
        Ok(given.collect())
    }

    /// An assertion as it is written, without `#assert` and the semicolon.
    fn title(&self, assertion: &Assertion) -> String {
        let written = &self.text[assertion.span.start..assertion.span.end];
        let written = written.strip_prefix("#assert").unwrap_or(written);
        let words: Vec<&str> = written.trim_end_matches(';').split_whitespace().collect();
        words.join(" ")
    }

    fn written(&self, subject: &Subject) -> String {
        self.text[subject.span.start..subject.span.end].to_owned()
    }

    fn system(&mut self, subject: &Subject) -> SystemIndex {
        let key = key(subject);
        let known = self.subjects.iter().position(|known| self::key(known) == key);
        SystemIndex(known.unwrap_or_else(|| {
            self.subjects.push(subject.clone());
            self.subjects.len() - 1
        }))
    }
}

/// A formula about a process. Events are read as in PAT: a position has the event that led to it.
fn about(name: String, text: FormulaText, shown: String, has_bare_names: bool) -> Asked {
    let (reading, shown) = (EventPosition::Entering, Some(shown));
    Asked::Formula(Formula { name, text, shown, reading, has_bare_names })
}

/// A process: its definition and its arguments.
fn key(subject: &Subject) -> (DefinitionId, Vec<i64>) {
    (subject.definition, subject.arguments.iter().map(number).collect())
}

/// A constant argument.
fn number(expr: &Expr) -> i64 {
    match expr.kind {
        ExprKind::Int(value) => i64::from(value),
        ExprKind::Bool(value) => i64::from(value),
        _ => unreachable!("arguments of assertions are constant"),
    }
}
