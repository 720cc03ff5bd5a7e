//! `fairly trace`: runs that were saved.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fairly_check::{Assumption, Property};
use fairly_fairness::Notion;
use fairly_report::Look;
use fairly_report::trace::Trace as Saved;
use fairly_system::{ActionId, Run, RunStep, Transition, TransitionSystem};

use super::arguments::Model;
use super::load::{self, Read};
use super::questions::Asked;
use crate::failure::{self, Failure};
use crate::{input, output};

#[derive(Args)]
pub(crate) struct Trace {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the whole run as a table.
    Show {
        /// A trace, such as .fairly/lock.served.itf.json.
        file: String,
    },
    /// Walk the run on its model again, and judge it again: is it a run, is it fair, does it violate the
    /// property?
    Verify {
        /// A trace.
        file: String,
        /// The model, if it is not where it was.
        #[arg(long, value_name = "FILE")]
        model: Vec<String>,
    },
    /// Print the run in another format.
    Convert {
        /// A trace.
        file: String,
        /// The format.
        #[arg(long, value_enum)]
        to: Format,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// The Informal Trace Format, as it is saved.
    Itf,
    /// Mermaid's sequence diagram.
    Mermaid,
    /// PlantUML's sequence diagram.
    Plantuml,
    /// Graphviz.
    Dot,
    /// A table in Markdown with Mermaid's diagram.
    Markdown,
}

pub(crate) fn trace(request: &Trace, look: Look) -> Result<ExitCode, Failure> {
    match &request.command {
        Command::Show { file } => {
            output::write(&read(file)?.1.show(look), None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Convert { file, to } => {
            let (text, trace) = read(file)?;
            let converted = match to {
                Format::Itf => text,
                Format::Mermaid => trace.mermaid(),
                Format::Plantuml => trace.plantuml(),
                Format::Dot => trace.dot(),
                Format::Markdown => trace.markdown(),
            };
            output::write(&converted, None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Verify { file, model } => verify(&read(file)?.1, model),
    }
}

/// Reads a trace.
pub(super) fn read(file: &str) -> Result<(String, Saved), Failure> {
    let text = input::read(file)?.text;
    let wrong = |why: String| Failure::usage(format!("{file}: {why}"));
    let value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let trace = Saved::read(&value).map_err(wrong)?;
    Ok((text, trace))
}

/// Arguments that name a model as those of `check` do.
#[derive(Parser)]
struct Alone {
    #[command(flatten)]
    model: Model,
}

/// The arguments that ask what the trace answers.
fn arguments(trace: &Saved, files: &[String]) -> Result<Model, Failure> {
    let mut words = vec!["fairly".to_owned()];
    if let Some(name) = &trace.asked_property {
        words.push(format!("--property={name}"));
    }
    if let Some(formula) = &trace.asked_formula {
        words.push(format!("--formula={formula}"));
    }
    words.push("--".to_owned());
    words.extend_from_slice(if files.is_empty() { &trace.files } else { files });
    let parsed = Alone::try_parse_from(words);
    parsed.map(|alone| alone.model).map_err(|_| {
        Failure::usage("the trace does not say which model it is of; name it with --model")
    })
}

fn verify(trace: &Saved, files: &[String]) -> Result<ExitCode, Failure> {
    let model = arguments(trace, files)?;
    let said = match load::read(&model.files, &model)? {
        Read::Network(mut loaded) => {
            let property = load::properties(&model, &mut loaded)?.into_iter().next();
            judge(trace, &mut loaded.network, property)?
        }
        Read::File(mut file) => {
            let question = file.questions(&model)?.into_iter().next();
            let (system, property) = match question {
                Some(question) => match question.asked {
                    Asked::Formula(property, _) => (question.system, Some(*property)),
                    _ => (question.system, None),
                },
                None => (None, None),
            };
            judge(trace, file.interpreter(system), property)?
        }
    };
    let (text, code) = match said {
        Ok(said) => (format!("verified: {said}\n"), 0),
        Err(why) => (format!("not verified: {why}\n"), failure::NO),
    };
    output::write(&text, None)?;
    Ok(ExitCode::from(code))
}

/// What the trace is, or why it is not what it says.
fn judge<S: TransitionSystem>(
    trace: &Saved,
    system: &mut S,
    property: Option<Property>,
) -> Result<Result<String, String>, Failure> {
    let run = match walk(trace, system) {
        Ok(run) => run,
        Err(why) => return Ok(Err(why)),
    };
    let count = run.stem.len() + run.cycle.len();
    let (Some(property), true) = (property, trace.loops_to.is_some()) else {
        return Ok(Ok(format!("all {count} steps are possible, one after the other")));
    };
    let mut assumption = Assumption::of(Notion::None);
    load::add_constraints(&mut assumption, &trace.constraints, system)?;
    Ok(match fairly_check::judge(system, &property, &assumption.extra, &run) {
        Ok(_) if trace.constraints.is_empty() => {
            Ok(format!("all {count} steps are possible, and the run violates {}", property.name))
        }
        Ok(_) => Ok(format!(
            "all {count} steps are possible, and the run violates {} and meets all {} constraints",
            property.name,
            trace.constraints.len()
        )),
        Err(failure) => Err(failure.to_string()),
    })
}

/// The run of the system that the trace describes.
fn walk<S: TransitionSystem>(trace: &Saved, system: &mut S) -> Result<Run, String> {
    let start = trace.start().ok_or("it has no states")?;
    let initial = system.initial().into_iter().find(|&state| system.describe(state) == start);
    let mut at = initial.ok_or("the model does not start in its first state")?;
    let mut steps = Vec::new();
    for (number, step) in (1..).zip(trace.steps()) {
        let taken = matching(system, at, step.event, step.who, Some(step.to))
            .ok_or_else(|| format!("step {number}, {}, is not possible there", step.event))?;
        steps.push(RunStep { from: at, action: taken.action, to: taken.target });
        at = taken.target;
    }
    let stem = trace.loops_to.unwrap_or(steps.len());
    let cycle = steps.split_off(stem.min(steps.len()));
    if cycle.first().is_some_and(|first| first.from != at) {
        return Err("its loop does not close".to_owned());
    }
    Ok(Run { stem: steps, cycle })
}

/// The step out of a state with this event, these participants, and, if it is given, this end.
pub(super) fn matching<S: TransitionSystem>(
    system: &mut S,
    state: fairly_omega::StateId,
    event: &str,
    who: &str,
    to: Option<&str>,
) -> Option<Transition> {
    let mut steps = Vec::new();
    system.steps(state, &mut steps);
    steps.into_iter().find(|step| {
        system.signature().event_name(system.action(step.action).event) == event
            && participants(system, step.action) == who
            && to.is_none_or(|to| system.describe(step.target) == to)
    })
}

/// Who takes part, as a report says it.
pub(super) fn participants<S: TransitionSystem>(system: &S, action: ActionId) -> String {
    let signature = system.signature();
    let who: Vec<&str> = system
        .action(action)
        .participants
        .iter()
        .map(|&process| signature.process_name(process))
        .collect();
    if who.is_empty() { "nobody".to_owned() } else { who.join("+") }
}
