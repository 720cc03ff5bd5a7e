//! The commands on one model, whichever language it is written in.

mod certify;
mod hunt;

use std::collections::BTreeSet;
use std::process::ExitCode;

use fairly_check::{
    AnswerError, Assumed, Assumption, ConstraintError, Execution, HideError, System, SystemIndex,
    Systems, Unused, with_system,
};
use fairly_fairness::{Constraint, Notion};
use fairly_front::languages::Language;
use fairly_front::loaded::{Loaded, Text};
use fairly_report::human::Aside;
use fairly_report::{Source, human, json};
use fairly_search::Bounds;
use fairly_source::{Diagnostic, Span};

use super::arguments::{Check, Format, Ladder, Least, Model};
use super::guard::guarded;
use super::load;
use super::names::without_errors;
use super::partial::Partial;
use super::questions::{Question, Questions};
use super::tally::{About, Answered, Tally};
use super::{AboutFairness, Answers, Shown};
use crate::failure::{self, CliError};

/// A model that has been read.
pub(super) struct File {
    /// The texts that it was read from, without what they include.
    texts: Vec<Text>,
    language: &'static Language,
    /// Its systems, and what is known of them.
    pub(super) systems: Systems,
    /// Certificates of its answers, one after the other.
    certificates: Vec<u8>,
}

impl File {
    pub(super) fn new(
        texts: Vec<Text>,
        language: &'static Language,
        loaded: Loaded,
        execution: Execution,
    ) -> File {
        File { texts, language, systems: Systems::new(loaded, execution), certificates: Vec::new() }
    }

    /// Its name.
    fn name(&self) -> String {
        self.files().join(" ")
    }

    fn files(&self) -> Vec<String> {
        self.texts.iter().map(|text| text.name.clone()).collect()
    }

    /// The text that places belong to, if there is one.
    pub(super) fn text(&self) -> Option<&str> {
        self.systems.loaded().text.as_deref()
    }

    /// The text, for lines.
    fn source(&self) -> Option<Source<'_>> {
        self.text().map(|text| Source { name: &self.texts[0].name, text })
    }

    /// A failure for what is wrong in the model.
    pub(super) fn wrong(&self, diagnostics: Vec<Diagnostic>) -> CliError {
        let Text { name, text } = &self.texts[0];
        let text = self.text().unwrap_or(text).to_owned();
        CliError::Inputs { name: name.clone(), text, diagnostics }
    }

    /// A failure for a question without an answer.
    pub(super) fn unanswered(&self, why: AnswerError) -> CliError {
        match why {
            AnswerError::Wrong(diagnostics) => self.wrong(diagnostics),
            AnswerError::Failed(failure) => failure.into(),
        }
    }

    /// One of its systems.
    pub(super) fn system(&mut self, system: SystemIndex) -> Result<&mut System, CliError> {
        if let Err(diagnostics) = self.systems.system(system) {
            return Err(self.wrong(diagnostics));
        }
        Ok(self.systems.made(system))
    }

    /// The same model without its own assertions, whose states are counted as another tool counts them; none where
    /// no other tool does.
    pub(super) fn counter(&self, model: &Model) -> Result<Option<Systems>, CliError> {
        if self.systems.loaded().questions.iter().all(|question| question.counted.is_none()) {
            return Ok(None);
        }
        let loaded = load::load(&self.texts, self.language, model, false)?;
        Ok(Some(Systems::new(loaded, Execution::default())))
    }

    /// The fairness of a notion, with the constraints of the model and of the command line.
    pub(super) fn assumption(
        &mut self,
        notion: Notion,
        texts: &[String],
        system: SystemIndex,
        bounds: Bounds,
    ) -> Result<Assumption, CliError> {
        let mut assumption = self.systems.assumption(system, notion).map_err(|why| match why {
            ConstraintError::Condition(why) => CliError::usage(why),
            ConstraintError::Wrong(diagnostics) => self.wrong(diagnostics),
        })?;
        with_system!(self.systems.made(system), system => {
            load::add_within(&mut assumption, texts, system, bounds)
        })?;
        Ok(assumption)
    }

    pub(super) fn check(
        &mut self,
        request: &Check,
        trace_to: Option<&str>,
    ) -> Result<Answered, CliError> {
        if let Some(about) = request.about_fairness() {
            return self.about_fairness(request, about);
        }
        if !request.hide.is_empty() {
            self.hide(request)?;
        }
        let Questions { asked: mut questions, absent } = self.some_questions(&request.model)?;
        if !request.hide.is_empty() {
            questions.retain(|question| question.formula().is_some());
        }
        if let Some(room) = request.room()? {
            let answered = self.hunt(request, room, questions, trace_to)?;
            return Ok(Answered { absent, ..answered });
        }
        let several = questions.len() > 1;
        let titles = questions.iter().map(|question| question.title.clone()).collect();
        request.model.asking(&self.name(), titles);
        let (files, text) = (self.files(), self.text().map(str::to_owned));
        let mut tally = Tally::new(&request.model, &files, text.as_deref(), trace_to, several)
            .assuming(request);
        let mut counter = if request.spin_compat { self.counter(&request.model)? } else { None };
        let bound = || questions.iter().map(|question| &question.bound);
        self.systems.announce(&bound());
        for at in 0..questions.len() {
            let question = &mut questions[at];
            request.model.begin(&question.title);
            let (about, system) = (question.about(), question.system());
            let mark = tally.mark();
            let done = guarded(&about.title, || {
                self.answer((request, &about), question, &mut counter, &mut tally)
            })?;
            if let Err(bug) = done {
                tally.rewind(mark);
                // While the states of the run have their numbers.
                with_system!(self.systems.made(system), system => {
                    tally.broken(system, &bug, &about);
                });
                // The bug may have left anything behind: every system is made again.
                self.systems.restart();
                questions = self.questions(&request.model)?;
            }
        }
        for (system, at, verdict) in self.systems.errors_found() {
            let about = questions.iter().find(|question| question.bound.at == at);
            let Some(about) = about.map(Question::about) else { continue };
            let title = without_errors(&about.title);
            let answered = self.systems.recorded(system, verdict, &title);
            tally.answer(answered, &About { title, place: None, ..about });
        }
        // A formula of the command line is about some of the components only, but about a whole process.
        let is_everything = request.model.properties.is_empty()
            && (request.model.formulas.is_empty() || self.language.option.is_some());
        if is_everything && request.hide.is_empty() && tally.is_known() {
            tally.unused(&self.unused(&questions, request)?);
        }
        request.model.quiet();
        self.write_certificates(request)?;
        Ok(Answered { absent, ..tally.finish() })
    }

    /// Puts abstractions in the place of the systems that formulas are about.
    fn hide(&mut self, request: &Check) -> Result<(), CliError> {
        let notion = request.notion(self.systems.loaded().is_annotated);
        let Notion::Inherent(prefixes) = notion else {
            return Err(CliError::usage(
                "--hide goes with --fairness inherent: other notions look at the steps that are hidden",
            ));
        };
        let questions = self.some_questions(&request.model)?.asked;
        let formulas = questions.iter().filter(|question| question.formula().is_some());
        let systems: BTreeSet<usize> = formulas.map(|question| question.system().0).collect();
        if systems.is_empty() {
            return Err(CliError::usage("--hide asks of formulas only, and there is none"));
        }
        for system in systems.into_iter().map(SystemIndex) {
            let options = request.model.options()?;
            let hidden = self.systems.hide(system, &request.hide, prefixes, options.bounds);
            hidden.map_err(|why| match why {
                HideError::Wrong(diagnostics) => self.wrong(diagnostics),
                HideError::Constrained => CliError::usage(why.to_string()),
                HideError::Ends(_) | HideError::Unknown(_) => CliError::Unknown(why.to_string()),
            })?;
        }
        Ok(())
    }

    /// Answers one question.
    fn answer(
        &mut self,
        (request, about): (&Check, &About),
        question: &mut Question,
        counter: &mut Option<Systems>,
        tally: &mut Tally<'_>,
    ) -> Result<(), CliError> {
        // Each question has the time that was given.
        let options = request.model.options_for(&question.names())?;
        let notion = request.notion(self.systems.loaded().is_annotated);
        let system = question.system();
        let assumption = match question.bound.depends_on_fairness() {
            true => self.assumption(notion, &request.constraints, system, options.bounds)?,
            false => Assumption::of(Notion::None),
        };
        let strengths = request.model.format == Format::Human;
        let assumed = Assumed { assumption: &assumption, strengths };
        let answered = self.systems.answer(&mut question.bound, &assumed, &options);
        let mut answered = answered.map_err(|why| self.unanswered(why))?;
        if request.certificate.is_some() || request.certify {
            self.certify(request, &mut question.bound, &assumption, &mut answered.verdict)?;
        }
        tally.answer(answered, about);
        if let Some(counter) = counter {
            let counted = counter.bind(question.bound.at).ok();
            let counted = counted.and_then(|mut bound| counter.stored(&mut bound, &options));
            if let Some(stored) = counted {
                tally.stored(&stored);
            }
        }
        if request.ladder && question.formula().is_some() {
            let options = request.model.options_for(&[&about.title])?;
            let extra = &assumption.extra;
            let ladder = self.systems.ladder(&mut question.bound, extra, &options)?;
            let formula = question.formula().unwrap_or_default().to_owned();
            let name = question.bound.property().map_or("", |property| &property.name);
            let look = &request.model.look;
            tally.remark(&human::ladder(name, &formula, &ladder, self.source(), look));
        }
        Ok(())
    }

    /// Parts of the model that no run executes, of all systems that were asked about, in words.
    fn unused(&mut self, asked: &[Question], request: &Check) -> Result<Vec<String>, CliError> {
        let mut systems: Vec<SystemIndex> = Vec::new();
        for question in asked {
            if !systems.contains(&question.system()) {
                systems.push(question.system());
            }
        }
        let options = request.model.options()?;
        let unused = self.systems.unused(&systems, &options).unwrap_or_default();
        let line = |span: Span| self.source()?.line(span.start);
        let words = |span: Span| {
            let text = self.text().and_then(|text| text.get(span.start..span.end));
            text.unwrap_or_default().split_whitespace().collect::<Vec<&str>>().join(" ")
        };
        let (mut places, mut events) = (BTreeSet::new(), Vec::new());
        for unused in unused {
            match unused {
                Unused::Place(span) => places.extend(line(span).map(|line| (line, words(span)))),
                Unused::Statement(span, name) => {
                    places.extend(line(span).map(|line| (line, name)));
                }
                Unused::Event { component, event } => events.push(format!("{component}: {event}")),
            }
        }
        let places = places.into_iter().map(|(line, words)| format!("line {line}: {words}"));
        Ok(places.chain(events).collect())
    }

    /// A question about the fairness assumed, for every system that is asked about.
    fn about_fairness(
        &mut self,
        request: &Check,
        about: AboutFairness,
    ) -> Result<Answered, CliError> {
        let notion = request.notion(self.systems.loaded().is_annotated);
        let questions = self.questions(&request.model)?;
        let bounds = request.model.options()?.bounds;
        let mut systems: Vec<SystemIndex> = Vec::new();
        for question in &questions {
            if !systems.contains(&question.system()) {
                systems.push(question.system());
            }
        }
        if systems.is_empty() {
            systems.push(SystemIndex::ONLY);
        }
        let mut all = String::new();
        let mut worst = 0;
        for system in systems {
            let assumption = self.assumption(notion, &request.constraints, system, bounds)?;
            let (text, code) = with_system!(self.systems.made(system), system => {
                super::fairness(system, &assumption, about, bounds)
            })?;
            if let Some(name) = &self.systems.loaded().systems[system.0].name {
                all.push_str(&format!("{name}   "));
            }
            all.push_str(&text);
            worst = if code == failure::NO || worst == failure::NO { failure::NO } else { code };
        }
        let next = request.setting(&self.files()).after_fairness();
        Ok(Answered::aside(all, worst, Some(next)))
    }

    /// Goes through the formulas among the questions.
    fn each_formula(
        &mut self,
        (model, constraints): (&Model, &[String]),
        answers: &mut Answers<'_>,
        mut answer: impl FnMut(
            &mut File,
            (&mut Question, &[Constraint]),
            &mut Answers<'_>,
        ) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut questions = self.some_questions(model)?.asked;
        let names = questions.iter_mut().filter_map(|question| question.bound.property());
        let names = names.map(|property| property.name.clone()).collect();
        model.asking(&self.name(), names);
        for at in 0..questions.len() {
            let question = &mut questions[at];
            let (title, system) = (question.title.clone(), question.system());
            let Some(property) = question.bound.property() else {
                if model.properties.is_empty() {
                    continue;
                }
                return Err(CliError::Usage {
                    message: format!("`{title}` is no formula, so no fairness bears on it"),
                    help: Some("`fairly check` answers it; choose formulas with -p".to_owned()),
                });
            };
            model.begin(&property.name);
            let done = guarded(&title, || {
                let bounds = model.options_for(&question.names())?.bounds;
                let assumed = self.assumption(Notion::None, constraints, system, bounds)?.extra;
                answer(self, (question, &assumed), answers)
            })?;
            if let Err(bug) = done {
                with_system!(self.systems.made(system), system => {
                    answers.broken(system, &title, &bug);
                });
                self.systems.restart();
                questions = self.questions(model)?;
            }
        }
        for (system, at, verdict) in self.systems.errors_found() {
            let about = questions.iter().find(|question| question.bound.at == at);
            let Some(about) = about.map(Question::about) else { continue };
            let title = without_errors(&about.title);
            answers.learn(failure::NO);
            let verdict = self.systems.recorded(system, verdict, &title).verdict;
            let aside = Aside { look: model.look, source: self.source(), ..Aside::default() };
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

    pub(super) fn ladder(&mut self, request: &Ladder) -> Result<ExitCode, CliError> {
        let setting = request.setting(&self.files());
        let mut answers = Answers::new(&request.model);
        let asked = (&request.model, request.constraints.as_slice());
        self.each_formula(asked, &mut answers, |file, (question, assumed), answers| {
            let options = request.model.options_for(&question.names())?;
            let choice = question.about().choice;
            let formula = question.formula().unwrap_or_default().to_owned();
            let name = question.bound.property().map_or("", |property| &property.name).to_owned();
            let name = name.as_str();
            let is_doubted = file.systems.is_doubted(question.system());
            let so_far = Partial { model: &request.model, name, formula: &formula, is_doubted };
            let hear = &mut |ladder: &_| so_far.ladder(ladder);
            let ladder = file.systems.ladder_heard(&mut question.bound, assumed, &options, hear)?;
            let look = &request.model.look;
            answers.suggest(setting.after_ladder(&ladder, &choice));
            answers.add(name, super::ladder_code(&ladder), |format| match format {
                Format::Human => {
                    Shown::Text(human::ladder(name, &formula, &ladder, file.source(), look))
                }
                _ => Shown::Json(json::ladder(name, &formula, &ladder)),
            });
            Ok(())
        })?;
        answers.finish()
    }

    pub(super) fn least(&mut self, request: &Least) -> Result<ExitCode, CliError> {
        let setting = request.setting(&self.files());
        let mut answers = Answers::new(&request.model);
        let asked = (&request.model, request.constraints.as_slice());
        self.each_formula(asked, &mut answers, |file, (question, assumed), answers| {
            let (options, level) =
                (request.model.options_for(&question.names())?, request.level.level());
            let choice = question.about().choice;
            let formula = question.formula().unwrap_or_default().to_owned();
            let name = question.bound.property().map_or("", |property| &property.name).to_owned();
            let name = name.as_str();
            let is_doubted = file.systems.is_doubted(question.system());
            let so_far = Partial { model: &request.model, name, formula: &formula, is_doubted };
            let hear = &mut |sets: &[Vec<String>]| so_far.least(sets);
            let least =
                file.systems.least_heard(&mut question.bound, level, assumed, &options, hear)?;
            let look = &request.model.look;
            answers.suggest(setting.after_least(&least, &choice));
            answers.add(name, super::least_code(&least), |format| match format {
                Format::Human => {
                    Shown::Text(human::least(name, &formula, &least, file.source(), look))
                }
                _ => Shown::Json(json::least(name, &formula, &least)),
            });
            Ok(())
        })?;
        answers.finish()
    }
}
