//! The commands on CSP# files.

use std::process::ExitCode;

use fairly_check::claim::{self, ClaimOutcome};
use fairly_check::csp::{CspFile, SystemIndex, Unanswered};
use fairly_check::{Assumption, Options, Outcome, Property, parse_for};
use fairly_fairness::Notion;
use fairly_front::csp::syntax::{Assertion, Claim, ProcessKind};
use fairly_logic::Formulas;
use fairly_model::Interpreter;
use fairly_report::{human, json};
use fairly_source::{Diagnostic, Span};
use fairly_system::{AtomIndex, EventReading};

use super::AboutFairness;
use super::arguments::{Check, Format, Ladder, Least, Model};
use super::load;
use super::tally::{Tally, trace};
use crate::failure::{self, Failure};
use crate::input::Input;
use crate::output;

/// A CSP# file that has been read.
pub(super) struct Csp {
    input: Input,
    file: CspFile,
}

/// One thing to be answered.
struct Question {
    title: String,
    system: SystemIndex,
    asked: Asked,
}

enum Asked {
    /// A formula, and how it is written.
    Formula(Property, String),
    Claim(Claim),
}

impl Csp {
    /// Reads a file.
    pub(super) fn read(input: Input) -> Result<Csp, Failure> {
        match CspFile::parse(&input.text) {
            Ok(file) => Ok(Csp { input, file }),
            Err(diagnostics) => {
                Err(Failure::Inputs { name: input.name, text: input.text, diagnostics })
            }
        }
    }

    fn wrong(&self, diagnostics: Vec<Diagnostic>) -> Failure {
        let Input { name, text } = &self.input;
        Failure::Inputs { name: name.clone(), text: text.clone(), diagnostics }
    }

    fn unanswered(&self, why: Unanswered) -> Failure {
        match why {
            Unanswered::Wrong(diagnostics) => self.wrong(diagnostics),
            Unanswered::Failed(failure) => failure.into(),
        }
    }

    /// What the file and the arguments ask.
    fn questions(&mut self, model: &Model) -> Result<Vec<Question>, Failure> {
        let specification = self.file.specification().clone();
        let assertions: Vec<&Assertion> = specification.assertions.iter().collect();
        if !model.formulas.is_empty() {
            return self.formulas(model, &assertions);
        }
        let mut questions = Vec::new();
        for (number, assertion) in (1..).zip(assertions) {
            let title = self.file.title(assertion);
            // By number, or by any part of what is written.
            let chosen =
                model.property.as_ref().is_none_or(|wanted| match wanted.parse::<usize>() {
                    Ok(wanted) => wanted == number,
                    Err(_) => squeezed(&title).contains(&squeezed(wanted)),
                });
            if !chosen {
                continue;
            }
            let system = self.file.system(&assertion.process).map_err(|it| self.wrong(it))?;
            let asked = match &assertion.claim {
                Claim::Satisfies(formula) => {
                    let name = self.file.subject_name(&assertion.process);
                    let property =
                        self.file.property(system, &name, formula).map_err(|it| self.wrong(it))?;
                    let text = &self.input.text;
                    let span = formula.span;
                    Asked::Formula(property, text[span.start..span.end].trim().to_owned())
                }
                other => Asked::Claim(other.clone()),
            };
            questions.push(Question { title, system, asked });
        }
        match (&model.property, questions.is_empty()) {
            (Some(wanted), true) => {
                Err(Failure::usage(format!("the file has no assertion `{wanted}`")))
            }
            (None, true) => Err(Failure::Nothing(
                "nothing to check: the file has no #assert; give a formula with -f 'FORMULA'"
                    .to_owned(),
            )),
            _ => Ok(questions),
        }
    }

    /// Formulas of the command line, about the process of the first assertion.
    fn formulas(
        &mut self,
        model: &Model,
        assertions: &[&Assertion],
    ) -> Result<Vec<Question>, Failure> {
        let Some(first) = assertions.first() else {
            return Err(Failure::usage(
                "-f is about the process of the first #assert, and the file has none",
            ));
        };
        let system = self.file.system(&first.process).map_err(|it| self.wrong(it))?;
        let name = self.file.subject_name(&first.process);
        let mut questions = Vec::new();
        for text in &model.formulas {
            let at_fault = |diagnostic| Failure::Input {
                name: "<formula>".to_owned(),
                text: text.clone(),
                diagnostic: Box::new(diagnostic),
            };
            let interpreter = self.file.interpreter(system);
            let mut formulas = Formulas::new();
            let parsed = parse_for(&mut formulas, text, interpreter).map_err(at_fault)?;
            let mut property =
                Property::bind(&name, formulas, parsed, interpreter).map_err(|unbound| {
                    let whole = Span::new(0, text.len());
                    let wrong = Diagnostic::error("E0801", unbound.to_string(), whole);
                    at_fault(match unbound.similar {
                        Some(similar) => wrong.help(format!("did you mean `{similar}`?")),
                        None => wrong,
                    })
                })?;
            property.reading = EventReading::Entering;
            let asked = Asked::Formula(property, text.clone());
            questions.push(Question { title: format!("{name} |= {text}"), system, asked });
        }
        Ok(questions)
    }

    /// Whether some event of the file is annotated.
    fn is_annotated(&self) -> bool {
        self.file.specification().nodes.iter().any(|node| match &node.kind {
            ProcessKind::Prefix { action, .. } => action.annotation.is_some(),
            _ => false,
        })
    }

    fn assumption(
        &mut self,
        notion: Notion,
        texts: &[String],
        system: SystemIndex,
    ) -> Result<Assumption, Failure> {
        let mut assumption = Assumption::of(notion);
        load::add_constraints(&mut assumption, texts, self.file.interpreter(system))?;
        Ok(assumption)
    }

    /// Says so if a process comes to an error of the model, which an answer "holds" would hide.
    fn faults(
        &mut self,
        system: SystemIndex,
        process: &str,
        options: &Options,
        tally: &mut Tally,
        propositions: &[AtomIndex],
    ) -> Result<(), Failure> {
        let interpreter = self.file.interpreter(system);
        let wrong = |interpreter: &Interpreter, state| {
            propositions.iter().find_map(|&atom| interpreter.proposition_fault(state, atom))
        };
        let verdict = claim::faultless(interpreter, wrong, options.bounds)?;
        if let ClaimOutcome::Violated(_) = verdict.outcome {
            tally.claim(interpreter, &format!("{process} runs without errors"), &verdict);
        }
        Ok(())
    }

    pub(super) fn check(&mut self, request: &Check) -> Result<ExitCode, Failure> {
        let options = request.model.options()?;
        let questions = self.questions(&request.model)?;
        let notion = request.notion(self.is_annotated());
        if let Some(about) = request.about_fairness() {
            return self.about_fairness(request, about, notion, &questions);
        }
        let mut tally = Tally::new(request.model.format);
        let several = questions.len() > 1;
        // Once for each process: an answer "holds" would hide an error of the model.
        let mut sound: Vec<(SystemIndex, String, Vec<AtomIndex>)> = Vec::new();
        for Question { title, system, asked: question } in questions {
            let mut propositions = Vec::new();
            let holds = match question {
                Asked::Claim(claim) => {
                    let answer = self.file.claim(system, &claim, options.bounds);
                    let verdict = answer.map_err(|why| self.unanswered(why))?;
                    tally.claim(self.file.interpreter(system), &title, &verdict);
                    // Nothing was found, so everything was looked at.
                    matches!(
                        verdict.outcome,
                        ClaimOutcome::Holds(None) | ClaimOutcome::Violated(None)
                    )
                }
                Asked::Formula(mut property, formula) => {
                    propositions = property.propositions();
                    let assumption = self.assumption(notion, &request.constraints, system)?;
                    let interpreter = self.file.interpreter(system);
                    let mut verdict =
                        fairly_check::check(interpreter, &mut property, &assumption, &options)?;
                    verdict.formula.clone_from(&formula);
                    trace(interpreter, &verdict, request.trace.as_deref(), several)?;
                    tally.verdict(interpreter, &verdict);
                    if request.ladder {
                        let extra = &assumption.extra;
                        let ladder =
                            fairly_check::ladder(interpreter, &mut property, extra, &options)?;
                        tally.remark(&human::ladder(
                            interpreter,
                            &property.name,
                            &formula,
                            &ladder,
                        ));
                    }
                    matches!(verdict.outcome, Outcome::Holds(_))
                }
            };
            if holds {
                match sound.iter_mut().find(|(known, ..)| *known == system) {
                    Some((_, _, known)) => known.extend(propositions),
                    None => {
                        let process = title.split_whitespace().next().unwrap_or_default();
                        sound.push((system, process.to_owned(), propositions));
                    }
                }
            }
        }
        for (system, process, propositions) in sound {
            self.faults(system, &process, &options, &mut tally, &propositions)?;
        }
        tally.finish()
    }

    /// A question about the fairness assumed, for every process that is asked about.
    fn about_fairness(
        &mut self,
        request: &Check,
        about: AboutFairness,
        notion: Notion,
        questions: &[Question],
    ) -> Result<ExitCode, Failure> {
        let bounds = request.model.options()?.bounds;
        let mut systems: Vec<SystemIndex> = Vec::new();
        let mut all = String::new();
        let mut worst = 0;
        for Question { title, system, .. } in questions {
            if systems.contains(system) {
                continue;
            }
            systems.push(*system);
            let assumption = self.assumption(notion, &request.constraints, *system)?;
            let interpreter = self.file.interpreter(*system);
            let (text, code) = super::fairness(interpreter, &assumption, about, bounds)?;
            let process = title.split_whitespace().next().unwrap_or_default();
            all.push_str(&format!("{process}   {text}"));
            worst = if code == failure::NO || worst == failure::NO { failure::NO } else { code };
        }
        output::write(&all, None)?;
        Ok(ExitCode::from(worst))
    }

    pub(super) fn ladder(&mut self, request: &Ladder) -> Result<ExitCode, Failure> {
        let options = request.model.options()?;
        let mut text = String::new();
        let mut documents = Vec::new();
        let mut unknown = false;
        let mut some = false;
        for question in self.questions(&request.model)? {
            let Asked::Formula(mut property, formula) = question.asked else { continue };
            some = true;
            let assumed =
                self.assumption(Notion::None, &request.constraints, question.system)?.extra;
            let interpreter = self.file.interpreter(question.system);
            let ladder = fairly_check::ladder(interpreter, &mut property, &assumed, &options)?;
            unknown |= ladder.rungs.iter().any(|rung| rung.holds.is_err());
            let name = property.name.clone();
            match request.model.format {
                Format::Human => {
                    text.push_str(&human::ladder(interpreter, &name, &formula, &ladder))
                }
                Format::Json => documents.push(json::ladder(interpreter, &name, &formula, &ladder)),
            }
        }
        let code = if unknown { failure::UNKNOWN } else { 0 };
        finish(some, request.model.format, text, documents, code)
    }

    pub(super) fn least(&mut self, request: &Least) -> Result<ExitCode, Failure> {
        let options = request.model.options()?;
        let mut text = String::new();
        let mut documents = Vec::new();
        let mut code = 0;
        let mut some = false;
        for question in self.questions(&request.model)? {
            let Asked::Formula(mut property, formula) = question.asked else { continue };
            some = true;
            let assumed =
                self.assumption(Notion::None, &request.constraints, question.system)?.extra;
            let interpreter = self.file.interpreter(question.system);
            let level = request.level.level();
            let least = fairly_check::least(interpreter, &mut property, level, &assumed, &options)?;
            code = super::least_code(&least, code);
            let name = property.name.clone();
            match request.model.format {
                Format::Human => text.push_str(&human::least(&name, &formula, &least)),
                Format::Json => documents.push(json::least(&name, &formula, &least)),
            }
        }
        finish(some, request.model.format, text, documents, code)
    }
}

fn finish(
    some: bool,
    format: Format,
    text: String,
    documents: Vec<serde_json::Value>,
    code: u8,
) -> Result<ExitCode, Failure> {
    if !some {
        return Err(Failure::Nothing(
            "nothing to check: no assertion of the file is a formula".to_owned(),
        ));
    }
    let text = match format {
        Format::Human => text,
        Format::Json => format!("{:#}\n", serde_json::Value::Array(documents)),
    };
    output::write(&text, None)?;
    Ok(ExitCode::from(code))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a file is CSP#: by its name.
pub(super) fn is_csp(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "csp")
}
