//! The commands on files of modelling languages: CSP# and Promela.

mod hunt;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fairly_check::ModelSystem;
use fairly_check::claim::{ClaimOutcome, ClaimVerdict, Effort};
use fairly_check::csp::CspFile;
use fairly_check::promela::{PromelaFile, PromelaSource};
use fairly_check::{
    Assumption, Claim, Errors, Execution, Options, Outcome, Property, Strengths, SystemIndex,
    Systems, Unanswered, WhyUnknown, claim, rests_on_all,
};
use fairly_fairness::{Constraint, Notion};
use fairly_front::csp::syntax::{Assertion, Subject};
use fairly_front::promela::Setup;
use fairly_report::human::Aside;
use fairly_report::{Source, human, json};
use fairly_search::Bounds;
use fairly_source::Span;
use fairly_system::{AtomIndex, TransitionSystem};

use super::arguments::{Check, Format, Ladder, Least, Model};
use super::guard::guarded;
use super::includes::Folders;
use super::load;
use super::names::without_errors;
use super::next::Choice;
use super::questions::{self, Asked, Question, Questions};
use super::tally::{About, Answered, Tally};
use super::{AboutFairness, Answers, Shown};
use crate::failure::{self, Failure};
use crate::input::{Encoding, Input};
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

    /// Which bytes its texts are made of.
    pub(super) fn encoding(self) -> Encoding {
        match self {
            Language::Csp => Encoding::Utf8,
            Language::Promela => Encoding::Latin1,
        }
    }
}

/// A file that has been read.
pub(super) struct File {
    /// The file, with what it includes as parts of its text.
    input: Input,
    /// The text of the file alone.
    own: String,
    read: Read,
    /// Whether [`Claim::EndsWell`] is asked together with [`Claim::NoErrors`], and of what.
    asks_both: Option<(SystemIndex, Claim)>,
    /// The answer to that, once the search for errors has found it.
    end_states: Option<ClaimVerdict>,
}

enum Read {
    Csp(CspFile),
    Promela(Box<PromelaFile>),
}

impl File {
    /// Reads a file, and the formulas of the arguments where they belong to the same language.
    pub(super) fn read(
        input: &Input,
        language: Language,
        model: &Model,
        execution: Execution,
    ) -> Result<File, Failure> {
        if let Some(remark) = execution.shortfall() {
            output::remark(&format!("fairly: {remark}"));
        }
        let (name, own) = (input.name.clone(), input.text.clone());
        match language {
            Language::Csp => {
                let mut folders = Folders::of(&name, &model.include_dirs, model.patience());
                let (text, read) = CspFile::read(&own, &name, &mut folders);
                folders.stopped()?;
                let input = Input { name, text };
                match read {
                    Ok(mut file) => {
                        file.execute(execution);
                        let read = Read::Csp(file);
                        Ok(File { input, own, read, asks_both: None, end_states: None })
                    }
                    Err(diagnostics) => Err(questions::wrong(&input, diagnostics)),
                }
            }
            Language::Promela => {
                let mut file = promela(input, model, true)?;
                if execution != Execution::default() {
                    file.execute(execution);
                }
                let text = file.text().to_owned();
                let read = Read::Promela(Box::new(file));
                Ok(File {
                    input: Input { name, text },
                    own,
                    read,
                    asks_both: None,
                    end_states: None,
                })
            }
        }
    }

    /// The file alone, without what it includes.
    fn own_input(&self) -> Input {
        Input { name: self.input.name.clone(), text: self.own.clone() }
    }

    /// The text it was read from, with what it includes as parts.
    pub(super) fn text(&self) -> &str {
        &self.input.text
    }

    /// What counts states as SPIN does, if it is a Promela file: the same file, in which nothing ends
    /// with an assertion.
    pub(super) fn counter(&self, model: &Model) -> Result<Option<PromelaFile>, Failure> {
        let Read::Promela(_) = self.read else { return Ok(None) };
        promela(&self.own_input(), model, false).map(Some)
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
    pub(super) fn interpreter(&mut self, system: SystemIndex) -> &mut ModelSystem {
        self.systems().system(system)
    }

    fn systems(&mut self) -> &mut dyn Systems {
        match &mut self.read {
            Read::Csp(file) => file,
            Read::Promela(file) => &mut **file,
        }
    }

    /// The file, if it is one of Promela.
    pub(super) fn promela(&mut self) -> Option<&mut PromelaFile> {
        match &mut self.read {
            Read::Csp(_) => None,
            Read::Promela(file) => Some(file),
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
        system: SystemIndex,
        bounds: Bounds,
    ) -> Result<Assumption, Failure> {
        let mut assumption = Assumption::of(notion);
        load::add_within(&mut assumption, texts, self.interpreter(system), bounds)?;
        Ok(assumption)
    }

    /// The answer to what is no formula.
    pub(super) fn claim(
        &mut self,
        asked: &Claim,
        system: SystemIndex,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, Failure> {
        let both = self.asks_both.take_if(|(of, _)| *of == system);
        match (asked, both) {
            (Claim::NoErrors, Some((_, Claim::EndsWell { unfinished }))) => {
                let interpreter = self.interpreter(system);
                let unfinished = unfinished.as_deref();
                let (errors, ends) =
                    claim::faultless_and_stops_well(interpreter, unfinished, effort)?;
                self.end_states = ends;
                return Ok(errors);
            }
            (_, both) => self.asks_both = both,
        }
        if let (Claim::EndsWell { .. }, Some(known)) = (asked, self.end_states.take()) {
            return Ok(known);
        }
        asked.ask(self.systems(), system, effort).map_err(|why| match why {
            Unanswered::Wrong(diagnostics) => questions::wrong(&self.input, diagnostics),
            Unanswered::Failed(failure) => failure.into(),
        })
    }

    /// Whether errors of the model are in the way of answers that rest on all runs of a system. What is
    /// known is not looked for again.
    fn errors(
        &mut self,
        system: SystemIndex,
        known: &mut Known,
        options: &Options,
    ) -> Result<Errors, Failure> {
        if let Some((_, errors)) = known.errors.iter().find(|(known, _)| *known == system) {
            return Ok(errors.clone());
        }
        let of_system = known.propositions.iter().filter(|(of, _)| *of == system);
        let propositions: Vec<AtomIndex> = of_system.map(|&(_, atom)| atom).collect();
        let errors = fairly_check::errors(self.interpreter(system), &propositions, options)?;
        known.learn(system, &errors);
        Ok(errors)
    }

    pub(super) fn check(
        &mut self,
        request: &Check,
        trace_to: Option<&str>,
    ) -> Result<Answered, Failure> {
        let Questions { asked: mut questions, absent } = self.chosen(&request.model)?;
        let is_annotated = self.is_annotated();
        let notion = request.notion(is_annotated);
        if let Some(about) = request.about_fairness() {
            return self.about_fairness(request, about, notion, &questions);
        }
        if let Some(room) = request.room()? {
            let answered = self.hunt(request, room, questions, trace_to)?;
            return Ok(Answered { absent, ..answered });
        }
        let several = questions.len() > 1;
        let asked_about = self.asked_about(&request.model);
        let titles = questions.iter().map(|question| question.title.clone()).collect();
        request.model.asking(&self.input.name, titles);
        let file = [self.input.name.clone()];
        let text = self.input.text.clone();
        let mut tally =
            Tally::new(&request.model, &file, Some(&text), trace_to, several).assuming(request);
        let mut counter = if request.spin_compat { self.counter(&request.model)? } else { None };
        let mut known = Known::of(&questions);
        self.asks_both = both_asked(&questions);
        for at in 0..questions.len() {
            let question = &mut questions[at];
            request.model.begin(&question.title);
            let (about, system) = (question.about(), question.system);
            let mark = tally.mark();
            let asking = Asking { request, notion, about: &about };
            let done = guarded(&about.title, || {
                self.answer(&asking, question, &mut known, &mut counter, &mut tally)
            })?;
            if let Err(bug) = done {
                tally.rewind(mark);
                // While the states of the run have their numbers.
                tally.broken(self.interpreter(system), &bug, &about);
                // Whatever the bug left behind is gone: everything is read again.
                self.read_again(&request.model)?;
                questions = self.chosen(&request.model)?.asked;
            }
        }
        for (system, errors) in known.errors {
            let about = known.subjects.iter().find(|(of, _)| *of == system);
            if let (Errors::Some(verdict), Some((_, about))) = (errors, about) {
                let title = without_errors(&about.title);
                let about = About { choice: about.choice.clone(), title, place: None };
                tally.claim(self.interpreter(system), &verdict, &about);
            }
        }
        if request.model.properties.is_empty() && tally.is_known() {
            self.unused(&asked_about, &request.model.options()?, &mut tally);
        }
        request.model.quiet();
        Ok(Answered { absent, ..tally.finish() })
    }

    /// Answers one question.
    fn answer(
        &mut self,
        Asking { request, notion, about }: &Asking<'_>,
        question: &mut Question,
        known: &mut Known,
        counter: &mut Option<PromelaFile>,
        tally: &mut Tally<'_>,
    ) -> Result<(), Failure> {
        // Each question has the time that was given.
        let options = request.model.options_for(&question.names())?;
        let system = question.system;
        match &mut question.asked {
            Asked::Formula(property, formula) => {
                let bounds = options.bounds;
                let assumption = self.assumption(*notion, &request.constraints, system, bounds)?;
                let interpreter = self.interpreter(system);
                let mut verdict =
                    fairly_check::check(interpreter, property, &assumption, &options)?;
                verdict.formula.clone_from(formula);
                if let Outcome::Holds(_) = verdict.outcome {
                    self.errors(system, known, &options)?.qualify(&mut verdict);
                    known.rests_on_all(system, about);
                }
                if let Outcome::Unknown(why) = &mut verdict.outcome {
                    known.without_growth(system, why);
                }
                known
                    .learn_size(system, verdict.stamp.exhaustive.then_some(verdict.stamp.system.0));
                let interpreter = self.interpreter(system);
                let needless =
                    fairly_check::needless(interpreter, property, &assumption, &verdict, &options)?;
                verdict.notes.extend(needless.as_ref().map(ToString::to_string));
                verdict.needless = needless;
                if request.model.format == Format::Human {
                    let strengths = fairly_check::strengths(
                        interpreter,
                        property,
                        &assumption,
                        &verdict,
                        &options,
                    )?;
                    tally.under(self.without_doubt(strengths, system, known, &options)?);
                }
                let interpreter = self.interpreter(system);
                tally.verdict(interpreter, &verdict, property, about);
                if let (Some(counter), Some(question)) = (counter, &question.of_promela) {
                    tally.stored(&counter.stored(question, &options));
                }
                if request.ladder {
                    let options = request.model.options_for(&[&about.title])?;
                    let extra = &assumption.extra;
                    let mut ladder = fairly_check::ladder(interpreter, property, extra, &options)?;
                    if ladder.rungs.iter().any(|rung| rung.holds == Ok(true)) {
                        self.errors(system, known, &options)?.qualify_ladder(&mut ladder);
                        known.rests_on_all(system, about);
                    }
                    let (name, look) = (&property.name, &request.model.look);
                    let source = Some(self.source());
                    tally.remark(&human::ladder(name, formula, &ladder, source, look));
                }
            }
            Asked::Claim(claimed) => {
                let mut verdict = self.claim(claimed, system, &options)?;
                // The search for errors is what this asks for.
                if *claimed == Claim::NoErrors {
                    known.learn_from(system, &verdict);
                } else if rests_on_all(&verdict.outcome) {
                    self.errors(system, known, &options)?.qualify_claim(&mut verdict);
                    known.rests_on_all(system, about);
                }
                if let ClaimOutcome::Unknown(why) = &mut verdict.outcome {
                    known.without_growth(system, why);
                }
                let is_complete = matches!(verdict.outcome, ClaimOutcome::Holds(_));
                let states = verdict.size.filter(|_| is_complete).map(|size| size.states);
                known.learn_size(system, states);
                tally.claim(self.interpreter(system), &verdict, about);
                if let (Some(counter), Some(question)) = (counter, &question.of_promela) {
                    tally.stored(&counter.stored(question, &options));
                }
            }
        }
        Ok(())
    }

    /// What is known of the strengths of fairness, without what errors of the model put in doubt.
    fn without_doubt(
        &mut self,
        strengths: Option<Strengths>,
        system: SystemIndex,
        known: &mut Known,
        options: &Options,
    ) -> Result<Option<Strengths>, Failure> {
        let Some(mut strengths) = strengths else { return Ok(None) };
        if strengths.weak == Some(true) || strengths.strong == Some(true) {
            // It is a remark, so it may not take long.
            let soon = Instant::now() + Duration::from_secs(1);
            let deadline = options.bounds.deadline.map_or(soon, |it| it.min(soon));
            let bounds = Bounds { deadline: Some(deadline), ..options.bounds };
            let errors = self.errors(system, known, &Options { bounds, ..*options })?;
            if errors.is_open() {
                strengths.doubt();
            }
        }
        Ok(Some(strengths))
    }

    /// The text, for lines.
    fn source(&self) -> Source<'_> {
        Source { name: &self.input.name, text: &self.input.text }
    }

    /// Reads the file again, as it was at first.
    pub(super) fn read_again(&mut self, model: &Model) -> Result<(), Failure> {
        let language = match self.read {
            Read::Csp(_) => Language::Csp,
            Read::Promela(_) => Language::Promela,
        };
        *self = File::read(&self.own_input(), language, model, model.execution())?;
        Ok(())
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
        let mut systems: Vec<SystemIndex> = Vec::new();
        let mut all = String::new();
        let mut worst = 0;
        for Question { title, system, .. } in questions {
            if systems.contains(system) {
                continue;
            }
            systems.push(*system);
            let assumption = self.assumption(notion, &request.constraints, *system, bounds)?;
            let interpreter = self.interpreter(*system);
            let (text, code) = super::fairness(interpreter, &assumption, about, bounds)?;
            if let Read::Csp(_) = self.read {
                let process = title.split_whitespace().next().unwrap_or_default();
                all.push_str(&format!("{process}   "));
            }
            all.push_str(&text);
            worst = if code == failure::NO || worst == failure::NO { failure::NO } else { code };
        }
        let next = request.setting(std::slice::from_ref(&self.input.name)).after_fairness();
        Ok(Answered::aside(all, worst, Some(next)))
    }

    /// Goes through the formulas among the questions.
    fn each_formula(
        &mut self,
        (model, constraints): (&Model, &[String]),
        answers: &mut Answers<'_>,
        mut answer: impl FnMut(&mut File, FormulaAsked<'_>, &mut Answers<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut questions = self.questions(model)?;
        let mut known = Known::of(&questions);
        let titles = questions.iter().filter_map(|question| match &question.asked {
            Asked::Formula(property, _) => Some(property.name.clone()),
            _ => None,
        });
        model.asking(&self.input.name, titles.collect());
        for at in 0..questions.len() {
            let about = questions[at].about();
            let Question { title, system, asked, choice, .. } = &mut questions[at];
            let (title, system) = (title.clone(), *system);
            let number = choice.clone().unwrap_or_default();
            let Asked::Formula(property, formula) = asked else {
                if model.properties.is_empty() {
                    continue;
                }
                return Err(Failure::Usage {
                    message: format!("`{title}` is no formula, so no fairness bears on it"),
                    help: Some("`fairly check` answers it; choose formulas with -p".to_owned()),
                });
            };
            model.begin(&property.name);
            let done = guarded(&title, || {
                // Each question has the time that was given.
                let options = model.options_for(&[&title, &number])?;
                let assumed =
                    self.assumption(Notion::None, constraints, system, options.bounds)?.extra;
                let (known, options) = (&mut known, &options);
                let asked = FormulaAsked {
                    property,
                    formula,
                    system,
                    assumed,
                    known,
                    options,
                    choice: about.choice.clone(),
                };
                answer(self, asked, answers)
            })?;
            if let Err(bug) = done {
                answers.broken(self.interpreter(system), &title, &bug);
                self.read_again(model)?;
                questions = self.questions(model)?;
            }
        }
        for (system, errors) in known.errors {
            let Errors::Some(verdict) = errors else { continue };
            let subject = known.subjects.iter().find(|(of, _)| *of == system);
            let Some((_, about)) = subject else { continue };
            let title = without_errors(&about.title);
            answers.learn(failure::NO);
            let verdict = verdict.record(self.interpreter(system), &title);
            let source = Source { name: &self.input.name, text: &self.input.text };
            let aside = Aside { look: model.look, source: Some(source), ..Aside::default() };
            let text = human::verdict(&verdict, &aside);
            match model.format {
                Format::Human => {
                    answers.add(&title, failure::NO, |_| Shown::Text(format!("\n{text}")));
                }
                // The documents are of another schema.
                _ => {
                    model.quiet();
                    eprint!("{text}");
                }
            }
        }
        Ok(())
    }

    pub(super) fn ladder(&mut self, request: &Ladder) -> Result<ExitCode, Failure> {
        let setting = request.setting(std::slice::from_ref(&self.input.name));
        let mut answers = Answers::new(&request.model);
        let asked = (&request.model, request.constraints.as_slice());
        self.each_formula(asked, &mut answers, |file, asked, answers| {
            let FormulaAsked { property, formula, system, assumed, known, options, choice } = asked;
            let interpreter = file.interpreter(system);
            let mut ladder = fairly_check::ladder(interpreter, property, &assumed, options)?;
            if ladder.rungs.iter().any(|rung| rung.holds == Ok(true)) {
                file.errors(system, known, &request.model.options()?)?.qualify_ladder(&mut ladder);
                known.rests_on_all(system, &About::of(&property.name));
            }
            let (name, look) = (&property.name, &request.model.look);
            answers.suggest(setting.after_ladder(&ladder, &choice));
            answers.add(name, super::ladder_code(&ladder), |format| match format {
                Format::Human => {
                    Shown::Text(human::ladder(name, formula, &ladder, Some(file.source()), look))
                }
                _ => Shown::Json(json::ladder(name, formula, &ladder)),
            });
            Ok(())
        })?;
        answers.finish()
    }

    pub(super) fn least(&mut self, request: &Least) -> Result<ExitCode, Failure> {
        let setting = request.setting(std::slice::from_ref(&self.input.name));
        let mut answers = Answers::new(&request.model);
        let asked = (&request.model, request.constraints.as_slice());
        self.each_formula(asked, &mut answers, |file, asked, answers| {
            let FormulaAsked { property, formula, system, assumed, known, options, choice } = asked;
            let (interpreter, level) = (file.interpreter(system), request.level.level());
            let mut least = fairly_check::least(interpreter, property, level, &assumed, options)?;
            if !matches!(least, fairly_check::Least::Unknown(_)) {
                file.errors(system, known, options)?.qualify_least(&mut least);
                known.rests_on_all(system, &About::of(&property.name));
            }
            let (name, look) = (&property.name, &request.model.look);
            answers.suggest(setting.after_least(&least, &choice));
            answers.add(name, super::least_code(&least), |format| match format {
                Format::Human => {
                    Shown::Text(human::least(name, formula, &least, Some(file.source()), look))
                }
                _ => Shown::Json(json::least(name, formula, &least)),
            });
            Ok(())
        })?;
        answers.finish()
    }
}

/// Reads a Promela file with what it includes and with the formulas of the arguments.
pub(super) fn promela(
    input: &Input,
    model: &Model,
    assertions: bool,
) -> Result<PromelaFile, Failure> {
    let mut includes = Folders::of(&input.name, &model.include_dirs, model.patience());
    let setup = Setup {
        name: &input.name,
        defines: &model.defines,
        undefines: &model.undefines,
        includes: &mut includes,
    };
    let (formulas, processes) = (model.formulas.as_slice(), model.max_processes);
    let source = PromelaSource { formulas, assertions, processes, setup };
    let read = PromelaFile::read(&input.text, source);
    includes.stopped()?;
    read.map_err(|wrong| questions::wrong_in_promela(input, formulas, wrong))
}

/// The claim that processes end where they may, if it is asked of a system together with the one that there are
/// no errors.
fn both_asked(questions: &[Question]) -> Option<(SystemIndex, Claim)> {
    let claims = || {
        questions.iter().filter_map(|question| match &question.asked {
            Asked::Claim(claim) => Some((question.system, claim)),
            Asked::Formula(..) => None,
        })
    };
    let (system, _) = claims().find(|(_, claim)| **claim == Claim::NoErrors)?;
    let is_end = |(of, claim): &(SystemIndex, &Claim)| {
        *of == system && matches!(claim, Claim::EndsWell { .. })
    };
    claims().find(is_end).map(|(system, claim)| (system, claim.clone()))
}

/// How a question is asked.
struct Asking<'a> {
    request: &'a Check,
    notion: Notion,
    about: &'a About,
}

/// A formula of a file, as it is written, with what is assumed beside a notion.
struct FormulaAsked<'a> {
    property: &'a mut Property,
    formula: &'a str,
    system: SystemIndex,
    assumed: Vec<Constraint>,
    known: &'a mut Known,
    options: &'a Options,
    choice: Choice,
}

/// What is known of errors of the model, by system.
struct Known {
    /// The propositions of all formulas.
    propositions: Vec<(SystemIndex, AtomIndex)>,
    /// What was found out for good.
    errors: Vec<(SystemIndex, Errors)>,
    /// The first question on each system whose answer rests on all runs.
    subjects: Vec<(SystemIndex, About)>,
    /// How many states a system had after the last question whose search came to its end.
    complete: Vec<(SystemIndex, usize)>,
}

impl Known {
    /// Remembers how many states a system had when a question was answered by all that could matter for it.
    fn learn_size(&mut self, system: SystemIndex, states: Option<usize>) {
        if let Some(states) = states {
            self.complete.retain(|(of, _)| *of != system);
            self.complete.push((system, states));
        }
    }

    /// Takes back that something grows, if an earlier question came to an end with as many states: a search
    /// in a product can be cut where the states of the system are all known.
    fn without_growth(&self, system: SystemIndex, why: &mut WhyUnknown) {
        let met = why.growth().map_or(usize::MAX, |growth| growth.states);
        if self.complete.iter().any(|&(of, states)| of == system && met <= states) {
            *why = why.clone().without_growth();
        }
    }

    fn of(questions: &[Question]) -> Known {
        let mut propositions = Vec::new();
        for Question { system, asked, .. } in questions {
            if let Asked::Formula(property, _) = asked {
                propositions.extend(property.propositions().into_iter().map(|it| (*system, it)));
            }
        }
        Known { propositions, errors: Vec::new(), subjects: Vec::new(), complete: Vec::new() }
    }

    /// Remembers what will not change; another question may have the time for the rest.
    fn learn(&mut self, system: SystemIndex, errors: &Errors) {
        if !errors.is_open() {
            self.errors.push((system, errors.clone()));
        }
    }

    /// The answer to the question whether there are errors; one that shows some stands for itself.
    fn learn_from(&mut self, system: SystemIndex, verdict: &ClaimVerdict) {
        if !matches!(verdict.outcome, ClaimOutcome::Unknown(_)) {
            self.learn(system, &Errors::None);
        }
    }

    /// An answer rests on all runs.
    fn rests_on_all(&mut self, system: SystemIndex, about: &About) {
        if self.subjects.iter().all(|(known, _)| *known != system) {
            self.subjects.push((system, about.clone()));
        }
    }
}
