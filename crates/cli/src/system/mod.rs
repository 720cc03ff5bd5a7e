//! `fairly check`, `fairly ladder`, `fairly least`: systems under fairness.

mod arguments;
mod comparison;
mod differences;
mod file;
mod load;
mod questions;
mod selection;
mod several;
mod spin;
mod tally;

use std::process::ExitCode;

use fairly_check::{Assumption, Failure as CheckFailure, Property};
use fairly_fairness::Notion;
use fairly_report::{human, json};
use fairly_search::{Bounds, closure, global};
use fairly_source::Style;
use fairly_system::TransitionSystem;

use crate::failure::{self, Failure};
use crate::output;

pub(crate) use arguments::{Check, Ladder, Least};
use arguments::{Format, Model, Report};
use load::{Loaded, Read};
use tally::{Answered, Tally, trace};

impl From<CheckFailure> for Failure {
    fn from(failure: CheckFailure) -> Self {
        match failure {
            CheckFailure::Engine(message) => Failure::Usage {
                message,
                help: Some("leave out --engine, or use --engine streett".to_owned()),
            },
            CheckFailure::Senseless(why) => Failure::usage(why),
            internal @ CheckFailure::Internal { .. } => Failure::Internal(internal.to_string()),
        }
    }
}

/// The properties to be checked; there must be one.
fn properties(model: &Model, loaded: &mut Loaded) -> Result<Vec<Property>, Failure> {
    let properties = load::properties(model, loaded)?;
    if properties.is_empty() {
        return Err(Failure::Nothing(
            "nothing to check: give a property with -f 'FORMULA'".to_owned(),
        ));
    }
    Ok(properties)
}

pub(crate) fn check(request: &Check, style: Style) -> Result<ExitCode, Failure> {
    if request.soundness {
        output::write(&human::soundness(), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let models = selection::models(&request.model.files)?;
    if request.spin_compat && !models.iter().any(selection::is_promela) {
        return Err(Failure::usage("--spin-compat is about Promela, and there is no Promela here"));
    }
    match request.report {
        Report::Table => comparison::table(request, &models, style),
        Report::Runs => match models.as_slice() {
            [files] if !selection::names_directory(&request.model.files) => {
                check_one(request, files, request.trace.as_deref())?.print()
            }
            models => several::check(request, models, style),
        },
    }
}

/// Checks one model, which the files make.
fn check_one(
    request: &Check,
    files: &[String],
    trace_to: Option<&str>,
) -> Result<Answered, Failure> {
    let mut loaded = match load::read(files, &request.model)? {
        Read::File(mut file) => return file.check(request, trace_to),
        Read::Network(loaded) => loaded,
    };
    let assumption = request.assumption(&mut loaded)?;
    let options = request.model.options()?;
    if let Some(asked) = request.about_fairness() {
        let (text, code) = fairness(&mut loaded.network, &assumption, asked, options.bounds)?;
        return Ok(Answered::aside(text, code));
    }
    let mut properties = properties(&request.model, &mut loaded)?;
    let mut tally = Tally::new(request.model.format);
    let several = properties.len() > 1;
    let network = &mut loaded.network;
    for property in &mut properties {
        let verdict = fairly_check::check(network, property, &assumption, &options)?;
        trace(network, &verdict, trace_to, several)?;
        tally.verdict(network, &verdict);
        if request.ladder {
            let ladder = fairly_check::ladder(network, property, &assumption.extra, &options)?;
            tally.remark(&human::ladder(network, &property.name, &property.text(), &ladder));
        }
    }
    Ok(tally.finish())
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
            human::events(system, &prefix.steps)
        ),
    };
    Ok(match asked {
        AboutFairness::MachineClosed => {
            (closed, if answer.doomed.is_none() { 0 } else { failure::NO })
        }
        AboutFairness::Feasible => (format!("feasible   {closed}"), 0),
    })
}

pub(crate) fn ladder(request: &Ladder) -> Result<ExitCode, Failure> {
    let mut loaded = match load::read(&request.model.files, &request.model)? {
        Read::File(mut file) => return file.ladder(request),
        Read::Network(loaded) => loaded,
    };
    let options = request.model.options()?;
    let assumed = load::assumption(Notion::None, &request.constraints, &mut loaded)?.extra;
    let mut unknown = false;
    let mut text = String::new();
    let mut documents = Vec::new();
    for mut property in properties(&request.model, &mut loaded)? {
        let network = &mut loaded.network;
        let ladder = fairly_check::ladder(network, &mut property, &assumed, &options)?;
        unknown |= ladder.rungs.iter().any(|rung| rung.holds.is_err());
        let (name, formula) = (property.name.clone(), property.text());
        match request.model.format {
            Format::Human => text.push_str(&human::ladder(network, &name, &formula, &ladder)),
            Format::Json => documents.push(json::ladder(network, &name, &formula, &ladder)),
        }
    }
    if request.model.format == Format::Json {
        text = format!("{:#}\n", serde_json::Value::Array(documents));
    }
    output::write(&text, None)?;
    Ok(ExitCode::from(if unknown { failure::UNKNOWN } else { 0 }))
}

pub(crate) fn least(request: &Least) -> Result<ExitCode, Failure> {
    let mut loaded = match load::read(&request.model.files, &request.model)? {
        Read::File(mut file) => return file.least(request),
        Read::Network(loaded) => loaded,
    };
    let options = request.model.options()?;
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut code = 0;
    let assumed = load::assumption(Notion::None, &request.constraints, &mut loaded)?.extra;
    for mut property in properties(&request.model, &mut loaded)? {
        let level = request.level.level();
        let network = &mut loaded.network;
        let least = fairly_check::least(network, &mut property, level, &assumed, &options)?;
        code = least_code(&least, code);
        let (name, formula) = (property.name.clone(), property.text());
        match request.model.format {
            Format::Human => text.push_str(&human::least(&name, &formula, &least)),
            Format::Json => documents.push(json::least(&name, &formula, &least)),
        }
    }
    if request.model.format == Format::Json {
        text = format!("{:#}\n", serde_json::Value::Array(documents));
    }
    output::write(&text, None)?;
    Ok(ExitCode::from(code))
}

/// The exit code after one more answer.
fn least_code(least: &fairly_check::Least, code: u8) -> u8 {
    match least {
        fairly_check::Least::Sets { sets, .. } if sets.is_empty() => failure::NO,
        fairly_check::Least::Sets { .. } => code,
        _ if code == 0 => failure::UNKNOWN,
        _ => code,
    }
}
