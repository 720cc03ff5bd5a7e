//! `fairly check`, `fairly ladder`, `fairly least`: systems under fairness.

mod arguments;
mod budget;
mod compare;
mod comparison;
mod condition;
mod differences;
mod file;
mod graph;
mod guard;
mod includes;
mod list;
mod load;
mod names;
mod next;
mod partial;
mod plan;
mod questions;
mod runs;
mod selection;
mod several;
mod sim;
mod spin;
mod tally;
mod trace;
mod with;

use std::process::ExitCode;
use std::sync::Arc;

use fairly_check::{Assumption, Failure as CheckFailure, Options, ladder_heard, least_heard};
use fairly_explore::Explored;
use fairly_fairness::Notion;
use fairly_report::{Document, human, json};
use fairly_search::{Bounds, closure, global};
use fairly_source::Style;
use fairly_system::{MoveId, Network, TransitionSystem};

use crate::failure::{self, Bug, Failure};
use crate::interim::Answer;
use crate::output;

pub(crate) use arguments::Format;
use arguments::Model;
pub(crate) use arguments::{Check, Ladder, Least};
pub(crate) use compare::{Compare, compare};
pub(crate) use graph::{Graph, graph};
use guard::guarded;
pub(crate) use guard::whole_command;
use load::{Loaded, Properties, Read};
use next::Suggestion;
pub(crate) use next::{Limit, Setting, line, quoted};
use partial::Partial;
pub(crate) use sim::{Sim, sim};
use tally::{About, Answered, Choice, Tally};
pub(crate) use trace::{Trace, trace};

impl From<CheckFailure> for Failure {
    fn from(failure: CheckFailure) -> Self {
        match failure {
            CheckFailure::Engine(message) => {
                Failure::Usage { message, help: Some(failure::other_engine()) }
            }
            CheckFailure::Senseless(why) => Failure::usage(why),
            CheckFailure::Internal { ref run, .. } => {
                let run = Some(run.clone());
                Failure::Internal(Bug { message: failure.to_string(), run })
            }
        }
    }
}

/// The properties to be checked; there must be one.
fn properties(model: &Model, loaded: &mut Loaded) -> Result<Properties, Failure> {
    let properties = load::chosen(model, loaded)?;
    if properties.asked.is_empty() {
        return Err(Failure::Nothing(
            "nothing to check: give a property with -f 'FORMULA'".to_owned(),
        ));
    }
    Ok(properties)
}

/// Checks the models that a request names again and again, until somebody ends it.
pub(crate) fn watch(request: &Check) -> Result<ExitCode, Failure> {
    let named = &request.model.files;
    if named.is_empty() {
        return Err(Failure::usage("there is no model to watch: name a file"));
    }
    if let Some(gone) = named.iter().find(|file| crate::files::is_stream(file)) {
        return Err(Failure::usage(format!("--watch is for files, and {gone} is none")));
    }
    // A folder may have other models in it by then.
    let models = || match selection::models(named) {
        Ok(models) => models.concat(),
        Err(_) => named.clone(),
    };
    crate::watch::watch(&models, &include_folders())
}

/// The folders that `-I` names for files that are included.
fn include_folders() -> Vec<String> {
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "-I").map(|pair| pair[1].clone());
    let joined = words.iter().filter_map(|word| word.strip_prefix("-I"));
    behind.chain(joined.filter(|word| !word.is_empty()).map(str::to_owned)).collect()
}

/// Checks the models that a request names. Each may have settings of its own, which `of_file` knows.
pub(crate) fn check(
    request: &Check,
    of_file: &dyn Fn(&str) -> Result<Check, Failure>,
    style: Style,
) -> Result<ExitCode, Failure> {
    check_all(request, of_file, style).map_err(|failure| {
        let documents = failure.documents(&request.model.files.join(" "));
        for unwritten in request.write_reports(&documents) {
            unwritten.report(style);
        }
        request.model.say(failure)
    })
}

fn check_all(
    request: &Check,
    of_file: &dyn Fn(&str) -> Result<Check, Failure>,
    style: Style,
) -> Result<ExitCode, Failure> {
    if request.soundness {
        output::write(&human::soundness(), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    if request.model.files.is_empty() {
        return Err(Failure::Usage {
            message: "there is no model to check".to_owned(),
            help: Some(
                "name one: fairly FILE, or list some in fairly.toml; `fairly new promela` writes one"
                    .to_owned(),
            ),
        });
    }
    request.try_outputs()?;
    if let Some(progress) = request.model.progress.filter(|_| request.quiet) {
        progress.hide();
    }
    request.announce();
    let models = selection::models(&request.model.files)?;
    if request.spin_compat && !models.iter().any(selection::is_promela) {
        return Err(Failure::usage("--spin-compat is about Promela, and there is no Promela here"));
    }
    let own = |files: &[String]| -> Result<Check, Failure> {
        let mut own = of_file(&files[0])?;
        own.model.expectations = own.expect.clone();
        own.model.detail = own.detail();
        own.model.kept = Arc::clone(&request.model.kept);
        Ok(own)
    };
    if request.list {
        return list::list(request, &own, &models, style);
    }
    if request.explain_plan {
        return plan::explain(request, &own, &models, style);
    }
    if request.is_table() {
        return comparison::table(request, &own, &models, style);
    }
    match models.as_slice() {
        [files] if !selection::names_directory(&request.model.files) => {
            let answered = check_one(&own(files)?, files, request.trace.as_deref(), true)?;
            answered.print(request, style)
        }
        models => several::check(request, &own, models, style),
    }
}

/// Checks one model, which the files make; perhaps the last one.
fn check_one(
    request: &Check,
    files: &[String],
    trace_to: Option<&str>,
    is_last: bool,
) -> Result<Answered, Failure> {
    request.model.about(request.setting(files));
    let mut loaded = match load::read(files, &request.model)? {
        Read::File(mut file) => {
            let answered = file.check(request, trace_to);
            if is_last {
                // The process is about to end, which is faster than giving back memory piece by piece.
                std::mem::forget(file);
            }
            return answered;
        }
        Read::Network(loaded) => loaded,
    };
    if request.room()?.is_some() {
        return Err(Failure::usage("--lossy is for models in CSP# and Promela"));
    }
    let assumption = request.assumption(&mut loaded)?;
    let options = request.model.options()?;
    if let Some(asked) = request.about_fairness() {
        let (text, code) = fairness(&mut loaded.network, &assumption, asked, options.bounds)?;
        let next = request.setting(files).after_fairness();
        return Ok(Answered::aside(text, code, Some(next)));
    }
    let Properties { asked: mut properties, absent } = properties(&request.model, &mut loaded)?;
    let several = properties.len() > 1;
    let mut tally =
        Tally::new(&request.model, files, loaded.text(), trace_to, several).assuming(request);
    let titles = properties.iter().map(|property| property.name.clone()).collect();
    request.model.asking(&files.join(" "), titles);
    let places = loaded.places();
    let network = &mut loaded.network;
    for property in &mut properties {
        let choice = choice(&request.model, &property.name, &property.text());
        let place = places.iter().find(|(name, _)| *name == property.name).map(|&(_, place)| place);
        let asked = About { title: property.name.clone(), place, choice };
        request.model.begin(&property.name);
        let mark = tally.mark();
        let done = guarded(&asked.title, || {
            // Each question has the time that was given.
            let options = request.model.options_for(&[&asked.title])?;
            let mut verdict = fairly_check::check(network, property, &assumption, &options)?;
            let needless =
                fairly_check::needless(network, property, &assumption, &verdict, &options)?;
            verdict.notes.extend(needless.as_ref().map(ToString::to_string));
            verdict.needless = needless;
            if request.model.format == Format::Human {
                let strengths =
                    fairly_check::strengths(network, property, &assumption, &verdict, &options)?;
                tally.under(strengths);
            }
            tally.verdict(network, &verdict, property, &asked);
            if request.ladder {
                let options = request.model.options_for(&[&asked.title])?;
                let ladder = fairly_check::ladder(network, property, &assumption.extra, &options)?;
                let look = &request.model.look;
                let text = human::ladder(&property.name, &property.text(), &ladder, None, look);
                tally.remark(&text);
            }
            Ok(())
        })?;
        if let Err(bug) = done {
            tally.rewind(mark);
            tally.broken(network, &bug, &asked);
            // Whatever the bug left behind is gone.
            network.restart();
        }
    }
    if request.model.properties.is_empty() && request.model.formulas.is_empty() && tally.is_known()
    {
        tally.unused(&never_taken(network, &request.model.options()?));
    }
    request.model.quiet();
    Ok(Answered { absent, ..tally.finish() })
}

/// How a property of components is chosen.
fn choice(model: &Model, name: &str, formula: &str) -> Choice {
    match model.formulas.is_empty() {
        true => Choice::Property(name.to_owned()),
        false => Choice::Formula(formula.to_owned()),
    }
}

/// The events that components have and never take.
fn never_taken(network: &mut Explored<Network>, options: &Options) -> Vec<String> {
    let Some(coverage) = fairly_check::coverage(network, options) else { return Vec::new() };
    let signature = network.signature();
    let name = |id: &MoveId| {
        let it = &signature.moves[id.index()];
        format!("{}: {}", signature.process_name(it.process), signature.event_name(it.event))
    };
    // A component may have several transitions with one event.
    let made: Vec<String> = coverage.made.iter().map(name).collect();
    let mut unmade: Vec<String> = coverage.unmade.iter().map(name).collect();
    unmade.retain(|name| !made.contains(name));
    unmade.dedup();
    unmade
}

/// A question about the fairness assumed, without a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AboutFairness {
    /// Does any run meet it?
    Feasible,
    /// Can every finite run be continued to one that meets it?
    MachineClosed,
}

/// The answer to a question about the fairness assumed, and the exit code for it.
fn fairness<S: TransitionSystem>(
    system: &mut S,
    assumption: &Assumption,
    asked: AboutFairness,
    bounds: Bounds,
) -> Result<(String, u8), Failure> {
    if let Notion::Inherent(_) = assumption.notion {
        return Err(Failure::usage(
            "inherent fairness is no condition on runs, so there is nothing to be closed",
        ));
    }
    let answer =
        assumption.constraints(system, bounds).and_then(|constraints| match assumption.notion {
            Notion::Global => global::closure(system, constraints, bounds),
            _ => closure::find(system, constraints, bounds),
        });
    let Ok(answer) = answer else {
        return Ok(("unknown: a bound was reached\n".to_owned(), failure::UNKNOWN));
    };
    let closed = match &answer.doomed {
        None => format!("machine closed   under {assumption}\n"),
        Some(_) if !answer.feasible => {
            let text = format!("infeasible   no run of the system meets {assumption}\n");
            return Ok((text, failure::NO));
        }
        Some(prefix) => format!(
            "not machine closed   no fair run continues {} under {assumption}\n",
            human::events(fairly_check::events(system, &prefix.steps))
        ),
    };
    Ok(match asked {
        AboutFairness::MachineClosed => {
            (closed, if answer.doomed.is_none() { 0 } else { failure::NO })
        }
        AboutFairness::Feasible => (format!("feasible   {closed}"), 0),
    })
}

/// `ladder` and `least` have documents of their own, which the formats for tests know nothing of.
fn refuse_formats(model: &Model) -> Result<(), Failure> {
    match model.format {
        Format::Human | Format::Json => Ok(()),
        _ => Err(Failure::usage("this command prints --format human or json")),
    }
}

pub(crate) fn ladder(request: &Ladder) -> Result<ExitCode, Failure> {
    refuse_formats(&request.model)?;
    ladders(request).map_err(|failure| request.model.say(failure))
}

fn ladders(request: &Ladder) -> Result<ExitCode, Failure> {
    request.model.about(request.setting(&request.model.files));
    request.model.announce(Vec::new());
    let mut loaded = match load::read(&request.model.files, &request.model)? {
        Read::File(mut file) => {
            let answered = file.ladder(request);
            std::mem::forget(file);
            return answered;
        }
        Read::Network(loaded) => loaded,
    };
    let assumed = load::assumption(Notion::None, &request.constraints, &mut loaded)?.extra;
    let setting = request.setting(&request.model.files);
    let mut answers = Answers::new(&request.model);
    let asked = properties(&request.model, &mut loaded)?.asked;
    let titles = asked.iter().map(|property| property.name.clone()).collect();
    request.model.asking(&request.model.files.join(" "), titles);
    for mut property in asked {
        request.model.begin(&property.name);
        let network = &mut loaded.network;
        let (name, formula) = (property.name.clone(), property.text());
        let choice = choice(&request.model, &name, &formula);
        let look = &request.model.look;
        let done = guarded(&name, || {
            let options = request.model.options_for(&[&name])?;
            let (model, is_doubted) = (&request.model, false);
            let so_far = Partial { model, name: &name, formula: &formula, is_doubted };
            let hear = &mut |ladder: &_| so_far.ladder(ladder);
            let ladder = ladder_heard(network, &mut property, &assumed, &options, hear)?;
            answers.suggest(setting.after_ladder(&ladder, &choice));
            answers.add(&name, ladder_code(&ladder), |format| match format {
                Format::Human => Shown::Text(human::ladder(&name, &formula, &ladder, None, look)),
                _ => Shown::Json(json::ladder(&name, &formula, &ladder)),
            });
            Ok(())
        })?;
        if let Err(bug) = done {
            answers.broken(network, &name, &bug);
            network.restart();
        }
    }
    answers.finish()
}

pub(crate) fn least(request: &Least) -> Result<ExitCode, Failure> {
    refuse_formats(&request.model)?;
    leasts(request).map_err(|failure| request.model.say(failure))
}

fn leasts(request: &Least) -> Result<ExitCode, Failure> {
    request.model.about(request.setting(&request.model.files));
    request.model.announce(Vec::new());
    let mut loaded = match load::read(&request.model.files, &request.model)? {
        Read::File(mut file) => {
            let answered = file.least(request);
            std::mem::forget(file);
            return answered;
        }
        Read::Network(loaded) => loaded,
    };
    let assumed = load::assumption(Notion::None, &request.constraints, &mut loaded)?.extra;
    let setting = request.setting(&request.model.files);
    let mut answers = Answers::new(&request.model);
    let asked = properties(&request.model, &mut loaded)?.asked;
    let titles = asked.iter().map(|property| property.name.clone()).collect();
    request.model.asking(&request.model.files.join(" "), titles);
    for mut property in asked {
        request.model.begin(&property.name);
        let network = &mut loaded.network;
        let (name, formula) = (property.name.clone(), property.text());
        let choice = choice(&request.model, &name, &formula);
        let look = &request.model.look;
        let done = guarded(&name, || {
            let (options, level) = (request.model.options_for(&[&name])?, request.level.level());
            let (model, is_doubted) = (&request.model, false);
            let so_far = Partial { model, name: &name, formula: &formula, is_doubted };
            let hear = &mut |sets: &[Vec<String>]| so_far.least(sets);
            let least = least_heard(network, &mut property, level, &assumed, &options, hear)?;
            answers.suggest(setting.after_least(&least, &choice));
            answers.add(&name, least_code(&least), |format| match format {
                Format::Human => Shown::Text(human::least(&name, &formula, &least, None, look)),
                _ => Shown::Json(json::least(&name, &formula, &least)),
            });
            Ok(())
        })?;
        if let Err(bug) = done {
            answers.broken(network, &name, &bug);
            network.restart();
        }
    }
    answers.finish()
}

/// The exit code for a ladder: whatever its verdicts are, there are some.
fn ladder_code(ladder: &fairly_check::Ladder) -> u8 {
    let is_open = ladder.rungs.iter().any(|rung| rung.holds.is_err());
    if is_open { failure::UNKNOWN } else { 0 }
}

/// The exit code for least sets.
fn least_code(least: &fairly_check::Least) -> u8 {
    match least {
        fairly_check::Least::Sets { sets, .. } if sets.is_empty() => failure::NO,
        fairly_check::Least::Sets { .. } => 0,
        fairly_check::Least::Some { .. } | fairly_check::Least::Unknown(_) => failure::UNKNOWN,
    }
}

/// One answer of `ladder` or `least`.
pub(crate) enum Shown {
    Text(String),
    Json(serde_json::Value),
}

/// The answers of `ladder` or `least`.
struct Answers<'a> {
    model: &'a Model,
    text: String,
    documents: Vec<Document>,
    some: bool,
    code: u8,
    next: Option<Suggestion>,
}

impl<'a> Answers<'a> {
    fn new(model: &'a Model) -> Answers<'a> {
        let (text, documents) = (String::new(), Vec::new());
        Answers { model, text, documents, some: false, code: 0, next: None }
    }

    /// An answer suggests this; the most urgent suggestion is printed, and the first of those.
    fn suggest(&mut self, suggestion: Suggestion) {
        let is_better = |next: &Suggestion| suggestion.urgency < next.urgency;
        if self.next.as_ref().is_none_or(is_better) {
            self.next = Some(suggestion);
        }
    }

    /// Adds an answer with its exit code.
    fn add(&mut self, title: &str, code: u8, make: impl FnOnce(Format) -> Shown) {
        self.some = true;
        self.learn(code);
        let answer = Answer::of(make(self.model.format), code);
        self.text.push_str(&answer.text);
        self.documents.extend(answer.document.clone());
        self.model.answered(title, answer);
    }

    /// An answer has this exit code.
    fn learn(&mut self, code: u8) {
        self.code = several::worst([self.code, code].into_iter());
    }

    /// There is no answer because of a bug.
    fn broken<S: TransitionSystem>(&mut self, system: &mut S, title: &str, bug: &Bug) {
        self.some = true;
        self.learn(failure::INTERNAL);
        self.model.quiet();
        guard::report(&self.model.files, title, bug, Some(system));
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
            Format::Human => {
                let next = self.next.map_or(String::new(), |next| next.line());
                self.text + &next
            }
            _ => Format::Json.documents(&self.documents),
        };
        output::write(&text, None)?;
        Ok(ExitCode::from(self.code))
    }
}
