//! `fairly check`, `fairly ladder`, `fairly least`: systems under fairness.

mod arguments;
mod budget;
mod compare;
mod comparison;
mod differences;
mod explore;
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
mod stepped;
mod tally;
mod trace;
mod with;

use std::process::ExitCode;
use std::sync::Arc;

use fairly_check::{Assumption, CheckError};
use fairly_fairness::Notion;
use fairly_report::{Document, human};
use fairly_search::{Bounds, closure, global};
use fairly_source::Style;
use fairly_system::TransitionSystem;

use crate::failure::{self, Bug, CliError};
use crate::interim::Answer;
use crate::output;

pub(crate) use arguments::Format;
use arguments::Model;
pub(crate) use arguments::{Check, Ladder, Least};
pub(crate) use compare::{Compare, compare};
pub(crate) use explore::{Explore, explore};
pub(crate) use graph::{Graph, graph};
pub(crate) use guard::whole_command;
use next::Suggestion;
pub(crate) use next::{Limit, Setting, line};
pub(crate) use sim::{Sim, sim};
pub(crate) use stepped::{Watch, watch as step};
use tally::Answered;
pub(crate) use trace::{Trace, trace};

impl From<CheckError> for CliError {
    fn from(failure: CheckError) -> Self {
        match failure {
            CheckError::Engine(message) => {
                CliError::Usage { message, help: Some(failure::other_engine()) }
            }
            CheckError::Reduction(message) => CliError::Usage {
                message,
                help: Some("without --reduction, those that are sound are used".to_owned()),
            },
            CheckError::Senseless(why) => CliError::usage(why),
            CheckError::Test(said) => CliError::usage(said),
            CheckError::Stopped => CliError::Stopped(failure.to_string()),
            CheckError::Internal { ref run, .. } => {
                let run = Some(run.clone());
                CliError::Internal(Bug { message: failure.to_string(), run })
            }
        }
    }
}

/// Checks the models that a request names again and again, until the user ends it.
pub(crate) fn watch(request: &Check) -> Result<ExitCode, CliError> {
    let named = &request.model.files;
    if named.is_empty() {
        return Err(CliError::usage("there is no model to watch: name a file"));
    }
    if let Some(gone) = named.iter().find(|file| crate::files::is_stream(file)) {
        return Err(CliError::usage(format!("--watch is for files, and {gone} is none")));
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
    of_file: &dyn Fn(&str) -> Result<Check, CliError>,
    style: Style,
) -> Result<ExitCode, CliError> {
    check_all(request, of_file, style).map_err(|failure| {
        let documents = failure.documents(&request.model.files.join(" "));
        let files = &request.model.files;
        let models = selection::models(files).map_or_else(|_| files.clone(), |it| it.concat());
        // That a model would be lost may be what the failure is about.
        if request.keep_outputs_apart(&models).is_ok() {
            for unwritten in request.write_reports(&documents) {
                unwritten.report(style);
            }
        }
        request.model.say(failure)
    })
}

fn check_all(
    request: &Check,
    of_file: &dyn Fn(&str) -> Result<Check, CliError>,
    style: Style,
) -> Result<ExitCode, CliError> {
    if request.soundness {
        output::write(&human::soundness(), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    if request.model.files.is_empty() {
        return Err(CliError::Usage {
            message: "there is no model to check".to_owned(),
            help: Some(
                "name one: fairly FILE, or list some in fairly.toml; `fairly new promela` writes one"
                    .to_owned(),
            ),
        });
    }
    let models = selection::models(&request.model.files)?;
    request.try_outputs(&models.concat())?;
    if let Some(progress) = request.model.progress.filter(|_| request.quiet) {
        progress.hide();
    }
    request.announce();
    if request.spin_compat && !models.iter().any(selection::is_of_spin) {
        return Err(CliError::usage(
            "--spin-compat is about Promela, and there is no Promela here",
        ));
    }
    let own = |files: &[String]| -> Result<Check, CliError> {
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
) -> Result<Answered, CliError> {
    request.model.about(request.setting(files));
    let mut file = load::read(files, &request.model)?;
    let answered = file.check(request, trace_to);
    if is_last {
        // The process is about to end, which is faster than giving back memory piece by piece.
        std::mem::forget(file);
    }
    answered
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
) -> Result<(String, u8), CliError> {
    if let Notion::Inherent(_) = assumption.notion {
        return Err(CliError::usage(
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
fn refuse_formats(model: &Model) -> Result<(), CliError> {
    match model.format {
        Format::Human | Format::Json => Ok(()),
        _ => Err(CliError::usage("this command prints --format human or json")),
    }
}

pub(crate) fn ladder(request: &Ladder) -> Result<ExitCode, CliError> {
    refuse_formats(&request.model)?;
    ladders(request).map_err(|failure| request.model.say(failure))
}

fn ladders(request: &Ladder) -> Result<ExitCode, CliError> {
    request.model.about(request.setting(&request.model.files));
    let mut file = load::read(&request.model.files, &request.model)?;
    let answered = file.ladder(request);
    std::mem::forget(file);
    answered
}

pub(crate) fn least(request: &Least) -> Result<ExitCode, CliError> {
    refuse_formats(&request.model)?;
    leasts(request).map_err(|failure| request.model.say(failure))
}

fn leasts(request: &Least) -> Result<ExitCode, CliError> {
    request.model.about(request.setting(&request.model.files));
    let mut file = load::read(&request.model.files, &request.model)?;
    let answered = file.least(request);
    std::mem::forget(file);
    answered
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

    fn finish(self) -> Result<ExitCode, CliError> {
        if !self.some {
            return Err(CliError::Nothing(
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
