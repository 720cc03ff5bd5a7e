//! The commands on files of modelling languages: CSP# and Promela.

mod hunt;

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::ValueEnum;
use fairly_check::claim::{self, ClaimOutcome, ClaimVerdict, Effort};
use fairly_check::csp::{CspFile, Unanswered};
use fairly_check::promela::PromelaFile;
use fairly_check::{Assumption, Ending, Options, Outcome, Property};
use fairly_fairness::{Constraint, Notion};
use fairly_front::csp::syntax::{Assertion, Subject};
use fairly_model::Collapsed;
use fairly_report::{Source, human, json};
use fairly_source::Span;
use fairly_system::{AtomIndex, TransitionSystem};

use super::AboutFairness;
use super::arguments::{Check, Format, Ladder, Least, Model};
use super::load;
use super::questions::{self, Asked, Question, Questions, Which};
use super::tally::{About, Answered, Choice, Tally};
use crate::failure::{self, Failure};
use crate::input::Input;
use crate::output;

/// A modelling language.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// CSP#, the language of PAT.
    Csp,
    /// Promela, the language of SPIN.
    Promela,
}

impl Language {
    /// The language of a file, by its name.
    pub(super) fn of(name: &str) -> Option<Language> {
        match std::path::Path::new(name).extension()?.to_str()? {
            "csp" => Some(Language::Csp),
            "pml" | "promela" | "prom" | "pr" => Some(Language::Promela),
            _ => None,
        }
    }
}

/// A file that has been read.
pub(super) struct File {
    input: Input,
    read: Read,
}

enum Read {
    Csp(CspFile),
    Promela(Box<PromelaFile>),
}

impl File {
    /// Reads a file, and the formulas of the arguments where they belong to the same language.
    pub(super) fn read(input: Input, language: Language, model: &Model) -> Result<File, Failure> {
        if let Some(remark) = model.execution().shortfall() {
            output::remark(&format!("fairly: {remark}"));
        }
        let read = match language {
            Language::Csp => match CspFile::parse(&input.text) {
                Ok(mut file) => {
                    file.execute(model.execution());
                    Read::Csp(file)
                }
                Err(diagnostics) => return Err(questions::wrong(&input, diagnostics)),
            },
            Language::Promela => match PromelaFile::parse(&input.text, &model.formulas) {
                Ok(mut file) => {
                    if model.interpret {
                        file.execute(model.execution());
                    }
                    Read::Promela(Box::new(file))
                }
                Err(diagnostics) => {
                    let formulas = &model.formulas;
                    return Err(questions::wrong_in_promela(&input, formulas, &diagnostics));
                }
            },
        };
        Ok(File { input, read })
    }

    /// The text it was read from.
    pub(super) fn text(&self) -> &str {
        &self.input.text
    }

    /// What counts states as SPIN does, if it is a Promela file: the same file, in which nothing ends
    /// with an assertion.
    pub(super) fn counter(&self, model: &Model) -> Result<Option<PromelaFile>, Failure> {
        let Read::Promela(_) = self.read else { return Ok(None) };
        let read = PromelaFile::without_assertions(&self.input.text, &model.formulas);
        read.map(Some)
            .map_err(|wrong| questions::wrong_in_promela(&self.input, &model.formulas, &wrong))
    }

    /// What the file and the arguments ask; every name of the arguments must be there.
    pub(super) fn questions(&mut self, model: &Model) -> Result<Vec<Question>, Failure> {
        Ok(self.chosen(model)?.asked)
    }

    /// What the file and the arguments ask, and which names of the arguments another model must have.
    pub(super) fn chosen(&mut self, model: &Model) -> Result<Questions, Failure> {
        match &mut self.read {
            Read::Csp(file) => questions::of_csp(file, &self.input, model),
            Read::Promela(file) => questions::of_promela(file, &self.input, model),
        }
    }

    /// One of its systems.
    pub(super) fn interpreter(&mut self, system: Which) -> &mut Collapsed {
        match (&mut self.read, system) {
            (Read::Csp(file), Some(system)) => file.interpreter(system),
            (Read::Promela(file), _) => file.interpreter(),
            (Read::Csp(_), None) => unreachable!("systems of CSP# files are numbered"),
        }
    }

    /// The file, if it is one of Promela.
    pub(super) fn promela(&mut self) -> Option<&mut PromelaFile> {
        match &mut self.read {
            Read::Csp(_) => None,
            Read::Promela(file) => Some(file),
        }
    }

    /// What a run ends with that refutes what is no formula, where a single run can.
    pub(super) fn ending(&self, asked: &Asked) -> Option<Ending> {
        match (&self.read, asked) {
            (Read::Csp(_), Asked::Claim(claim)) => Ending::refuting(claim),
            (Read::Promela(file), Asked::Reachable(question)) => file.ending(question),
            _ => None,
        }
    }

    /// The processes that a CSP# file is asked about; of the others, nothing is explored.
    fn asked_about(&self, model: &Model) -> Vec<Subject> {
        let Read::Csp(file) = &self.read else { return Vec::new() };
        let assertions = &file.specification().assertions;
        let count = if model.formulas.is_empty() { assertions.len() } else { 1 };
        let mut subjects: Vec<Subject> = Vec::new();
        for Assertion { process, .. } in assertions.iter().take(count) {
            let is_same = |known: &Subject| {
                known.definition == process.definition && known.arguments == process.arguments
            };
            if !subjects.iter().any(is_same) {
                subjects.push(process.clone());
            }
        }
        subjects
    }

    fn unanswered(&self, why: Unanswered) -> Failure {
        match why {
            Unanswered::Wrong(diagnostics) => questions::wrong(&self.input, diagnostics),
            Unanswered::Failed(failure) => failure.into(),
        }
    }

    /// Whether fairness is asked for where events or statements are written.
    pub(super) fn is_annotated(&mut self) -> bool {
        match &mut self.read {
            Read::Csp(file) => file.is_annotated(),
            Read::Promela(file) => {
                let moves = &file.interpreter().signature().moves;
                moves.iter().any(|it| it.annotation.is_some())
            }
        }
    }

    pub(super) fn assumption(
        &mut self,
        notion: Notion,
        texts: &[String],
        system: Which,
    ) -> Result<Assumption, Failure> {
        let mut assumption = Assumption::of(notion);
        load::add_constraints(&mut assumption, texts, self.interpreter(system))?;
        Ok(assumption)
    }

    /// The answer to what is no formula.
    pub(super) fn claim(
        &mut self,
        asked: &Asked,
        system: Which,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, Failure> {
        let answer = match (&mut self.read, asked, system) {
            (Read::Csp(file), Asked::Claim(claim), Some(system)) => {
                file.claim(system, claim, effort)
            }
            (Read::Promela(file), Asked::Reachable(question), _) => {
                file.claim(question, effort).map_err(Unanswered::from)
            }
            _ => unreachable!("a question of another language"),
        };
        answer.map_err(|why| self.unanswered(why))
    }

    /// Says so if a process comes to an error of the model, which an answer "holds" would hide.
    fn faults(
        &mut self,
        system: Which,
        (process, choice): (&str, Choice),
        options: &Options,
        tally: &mut Tally,
        propositions: &[AtomIndex],
    ) -> Result<(), Failure> {
        let interpreter = self.interpreter(system);
        if interpreter.interpreter().is_known_to_be_faultless(propositions) {
            return Ok(());
        }
        let wrong = |system: &Collapsed, state| {
            let interpreter = system.interpreter();
            propositions.iter().find_map(|&atom| interpreter.proposition_fault(state, atom))
        };
        let verdict = claim::faultless(interpreter, propositions, wrong, options)?;
        if let ClaimOutcome::Violated(_) = verdict.outcome {
            let title = errors_of(process);
            let about = About { choice, title, place: None };
            tally.claim(interpreter, &verdict, &about)?;
        }
        Ok(())
    }

    pub(super) fn check(
        &mut self,
        request: &Check,
        trace_to: Option<&str>,
    ) -> Result<Answered, Failure> {
        let options = request.model.options()?;
        let Questions { asked: questions, absent } = self.chosen(&request.model)?;
        let is_annotated = self.is_annotated();
        let notion = request.notion(is_annotated);
        if let Some(about) = request.about_fairness() {
            return self.about_fairness(request, about, notion, &questions);
        }
        if let Some(room) = request.room()? {
            let answered = self.hunt(request, room, options.bounds, questions, trace_to)?;
            return Ok(Answered { absent, ..answered });
        }
        let several = questions.len() > 1;
        let asked_about = self.asked_about(&request.model);
        let titles = questions.iter().map(|question| question.title.clone()).collect();
        request.model.asking(&self.input.name, titles);
        let file = std::slice::from_ref(&self.input.name);
        let mut tally = Tally::new(&request.model, file, Some(&self.input.text), trace_to, several)
            .assuming(&request.constraints);
        let mut counter = if request.spin_compat { self.counter(&request.model)? } else { None };
        // Once for each process: an answer "holds" would hide an error of the model.
        let mut sound: Vec<(Which, (String, Choice), Vec<AtomIndex>)> = Vec::new();
        for Question { title, system, asked, of_promela, place, choice } in questions {
            request.model.begin(&title);
            let choice = match (&choice, &asked) {
                (Some(choice), _) => Choice::Property(choice.clone()),
                (None, Asked::Formula(_, formula)) => Choice::Formula(formula.clone()),
                (None, _) => Choice::Property(title.clone()),
            };
            let about = About { title: title.clone(), place, choice };
            let mut propositions = Vec::new();
            let everything_seen = match asked {
                Asked::Formula(mut property, formula) => {
                    propositions = property.propositions();
                    let assumption = self.assumption(notion, &request.constraints, system)?;
                    let interpreter = self.interpreter(system);
                    let mut verdict =
                        fairly_check::check(interpreter, &mut property, &assumption, &options)?;
                    verdict.formula.clone_from(&formula);
                    let needless = fairly_check::needless(
                        interpreter,
                        &mut property,
                        &assumption,
                        &verdict,
                        &options,
                    )?;
                    verdict.notes.extend(needless.as_ref().map(ToString::to_string));
                    verdict.needless = needless;
                    tally.verdict(interpreter, &verdict, &property, &about)?;
                    if let (Some(counter), Some(question)) = (&mut counter, &of_promela) {
                        tally.stored(&counter.stored(question, &options));
                    }
                    if request.ladder {
                        let extra = &assumption.extra;
                        let ladder =
                            fairly_check::ladder(interpreter, &mut property, extra, &options)?;
                        let name = &property.name;
                        let look = &request.model.look;
                        tally.remark(&human::ladder(interpreter, name, &formula, &ladder, look));
                    }
                    matches!(verdict.outcome, Outcome::Holds(_))
                }
                claimed => {
                    let verdict = self.claim(&claimed, system, &options)?;
                    tally.claim(self.interpreter(system), &verdict, &about)?;
                    if let (Some(counter), Some(question)) = (&mut counter, &of_promela) {
                        tally.stored(&counter.stored(question, &options));
                    }
                    // Nothing was found, so everything was looked at; of Promela, errors are asked
                    // for anyway.
                    matches!(claimed, Asked::Claim(_))
                        && matches!(
                            verdict.outcome,
                            ClaimOutcome::Holds(None) | ClaimOutcome::Violated(None)
                        )
                }
            };
            if everything_seen {
                match sound.iter_mut().find(|(known, ..)| *known == system) {
                    Some((_, _, known)) => known.extend(propositions),
                    None => {
                        let process = subject_of(&title);
                        let subject = (process.to_owned(), about.choice);
                        sound.push((system, subject, propositions));
                    }
                }
            }
        }
        if request.model.properties.is_empty() {
            self.unused(&asked_about, &options, &mut tally);
        }
        // A Promela file asks for assertions itself, unless something else was chosen.
        let asks_itself = matches!(self.read, Read::Promela(_))
            && request.model.properties.is_empty()
            && request.model.formulas.is_empty();
        if !asks_itself {
            for (system, (process, choice), propositions) in sound {
                self.faults(system, (&process, choice), &options, &mut tally, &propositions)?;
            }
        }
        request.model.quiet();
        Ok(Answered { absent, ..tally.finish() })
    }

    /// Says what of the model no run executes, of all processes that were asked about.
    fn unused(&mut self, asked: &[Subject], options: &Options, tally: &mut Tally<'_>) {
        let source = Source { name: &self.input.name, text: &self.input.text };
        let line = |span: Span| source.line(span.start);
        let words = |span: Span| {
            let text = self.input.text.get(span.start..span.end).unwrap_or_default();
            text.split_whitespace().collect::<Vec<&str>>().join(" ")
        };
        let unmade: BTreeSet<(usize, String)> = match &mut self.read {
            Read::Csp(file) => {
                let Some(never) = file.never_executed(asked, options) else { return };
                never.into_iter().filter_map(|span| Some((line(span)?, words(span)))).collect()
            }
            Read::Promela(file) => {
                let interpreter = file.interpreter();
                let Some(coverage) = fairly_check::coverage(interpreter, options) else { return };
                let moves = &interpreter.signature().moves;
                let places = |ids: &[fairly_system::MoveId]| -> BTreeSet<(usize, String)> {
                    let place = |id: &fairly_system::MoveId| {
                        let it = &moves[id.index()];
                        // The end of a process is written nowhere.
                        let is_written = it.name != "-end-";
                        is_written.then_some((line(it.span?)?, it.name.clone()))
                    };
                    ids.iter().filter_map(place).collect()
                };
                // A statement of a proctype is the same for all its processes: it is enough if one
                // executes it.
                let (unmade, made) = (places(&coverage.unmade), places(&coverage.made));
                unmade.difference(&made).cloned().collect()
            }
        };
        let places: Vec<String> =
            unmade.into_iter().map(|(line, words)| format!("line {line}: {words}")).collect();
        tally.unused(&places);
    }

    /// A question about the fairness assumed, for every process that is asked about.
    fn about_fairness(
        &mut self,
        request: &Check,
        about: AboutFairness,
        notion: Notion,
        questions: &[Question],
    ) -> Result<Answered, Failure> {
        let bounds = request.model.options()?.bounds;
        let mut systems: Vec<Which> = Vec::new();
        let mut all = String::new();
        let mut worst = 0;
        for Question { title, system, .. } in questions {
            if systems.contains(system) {
                continue;
            }
            systems.push(*system);
            let assumption = self.assumption(notion, &request.constraints, *system)?;
            let interpreter = self.interpreter(*system);
            let (text, code) = super::fairness(interpreter, &assumption, about, bounds)?;
            if system.is_some() {
                let process = title.split_whitespace().next().unwrap_or_default();
                all.push_str(&format!("{process}   "));
            }
            all.push_str(&text);
            worst = if code == failure::NO || worst == failure::NO { failure::NO } else { code };
        }
        Ok(Answered::aside(all, worst))
    }

    /// The formulas among the questions, each with what is assumed beside a notion.
    fn formulas(
        &mut self,
        model: &Model,
        constraints: &[String],
    ) -> Result<Vec<FormulaAsked>, Failure> {
        let mut formulas = Vec::new();
        for Question { title, system, asked, .. } in self.questions(model)? {
            if let Asked::Formula(property, formula) = asked {
                let assumed = self.assumption(Notion::None, constraints, system)?.extra;
                formulas.push(FormulaAsked { property, formula, system, assumed });
            } else if !model.properties.is_empty() {
                return Err(Failure::Usage {
                    message: format!("`{title}` is no formula, so no fairness bears on it"),
                    help: Some("`fairly check` answers it; choose formulas with -p".to_owned()),
                });
            }
        }
        Ok(formulas)
    }

    pub(super) fn ladder(&mut self, request: &Ladder) -> Result<ExitCode, Failure> {
        let options = request.model.options()?;
        let mut answers = Answers::new(&request.model);
        for formula in self.formulas(&request.model, &request.constraints)? {
            let FormulaAsked { mut property, formula, system, assumed } = formula;
            request.model.begin(&property.name);
            let interpreter = self.interpreter(system);
            let ladder = fairly_check::ladder(interpreter, &mut property, &assumed, &options)?;
            if ladder.rungs.iter().any(|rung| rung.holds.is_err()) {
                answers.code = failure::UNKNOWN;
            }
            let name = property.name.clone();
            let look = &request.model.look;
            answers.add(|format| match format {
                Format::Human => {
                    Document::Text(human::ladder(interpreter, &name, &formula, &ladder, look))
                }
                _ => Document::Json(json::ladder(interpreter, &name, &formula, &ladder)),
            });
        }
        answers.finish()
    }

    pub(super) fn least(&mut self, request: &Least) -> Result<ExitCode, Failure> {
        let options = request.model.options()?;
        let mut answers = Answers::new(&request.model);
        for formula in self.formulas(&request.model, &request.constraints)? {
            let FormulaAsked { mut property, formula, system, assumed } = formula;
            request.model.begin(&property.name);
            let interpreter = self.interpreter(system);
            let level = request.level.level();
            let least = fairly_check::least(interpreter, &mut property, level, &assumed, &options)?;
            answers.code = super::least_code(&least, answers.code);
            let name = property.name.clone();
            let look = &request.model.look;
            answers.add(|format| match format {
                Format::Human => Document::Text(human::least(&name, &formula, &least, look)),
                _ => Document::Json(json::least(&name, &formula, &least)),
            });
        }
        answers.finish()
    }
}

/// What a question is about: of a CSP# file, the process.
pub(super) fn subject_of(title: &str) -> &str {
    title.split_whitespace().next().unwrap_or_default()
}

/// What the claim is called that nothing goes wrong.
pub(super) fn errors_of(subject: &str) -> String {
    format!("{subject} runs without errors")
}

/// A formula of a file, as it is written, with what is assumed beside a notion.
struct FormulaAsked {
    property: Box<Property>,
    formula: String,
    system: Which,
    assumed: Vec<Constraint>,
}

/// One answer of `ladder` or `least`.
enum Document {
    Text(String),
    Json(serde_json::Value),
}

/// The answers of `ladder` or `least`.
struct Answers<'a> {
    model: &'a Model,
    text: String,
    documents: Vec<serde_json::Value>,
    some: bool,
    code: u8,
}

impl<'a> Answers<'a> {
    fn new(model: &'a Model) -> Answers<'a> {
        Answers { model, text: String::new(), documents: Vec::new(), some: false, code: 0 }
    }

    fn add(&mut self, make: impl FnOnce(Format) -> Document) {
        self.some = true;
        match make(self.model.format) {
            Document::Text(text) => self.text.push_str(&text),
            Document::Json(document) => self.documents.push(document),
        }
    }

    fn finish(self) -> Result<ExitCode, Failure> {
        if !self.some {
            return Err(Failure::Nothing(
                "nothing to check: the file asks for no formula; give one with -f 'FORMULA'"
                    .to_owned(),
            ));
        }
        self.model.quiet();
        let text = match self.model.format {
            Format::Human => self.text,
            _ => Format::Json.documents(&self.documents),
        };
        output::write(&text, None)?;
        Ok(ExitCode::from(self.code))
    }
}
