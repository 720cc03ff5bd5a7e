//! `fairly trace`: runs that were saved, and trails of SPIN.

mod trail;
mod verify;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fairly_report::Look;
use fairly_report::trace::Trace as Saved;
use fairly_system::{ActionId, Run, RunStep, Transition, TransitionSystem};
use serde_json::Value;

use super::arguments::Model;
use crate::failure::Failure;
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
        #[command(flatten)]
        from: From,
    },
    /// Walk the run on its model again, and judge it again: is it a run, is it fair, does it violate the
    /// property?
    Verify {
        #[command(flatten)]
        from: From,
    },
    /// Print the run in another format.
    Convert {
        #[command(flatten)]
        from: From,
        /// The format.
        #[arg(long, value_enum)]
        to: Format,
    },
}

/// Where a run comes from.
#[derive(Args)]
struct From {
    /// A trace, such as .fairly/lock.served.itf.json, or a trail of SPIN, such as lock.pml.trail.
    file: String,
    /// The model, if it is not where it was; of a trail, if it is not FILE without `.trail`.
    #[arg(long, value_name = "FILE")]
    model: Vec<String>,
    /// What a trail of SPIN is a run against; a trace says so itself.
    #[arg(long, short, value_name = "NAME")]
    property: Option<String>,
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
    /// A trail that `spin -t` replays, of a Promela model.
    Trail,
}

pub(crate) fn trace(request: &Trace, look: Look) -> Result<ExitCode, Failure> {
    match &request.command {
        Command::Show { from } => {
            output::write(&from.read()?.1.show(look), None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Convert { from, to } => {
            let (text, trace) = from.read()?;
            let converted = match to {
                Format::Itf => text,
                Format::Mermaid => trace.mermaid(),
                Format::Plantuml => trace.plantuml(),
                Format::Dot => trace.dot(),
                Format::Markdown => trace.markdown(),
                Format::Trail => trail::written(&trace, &from.model)?,
            };
            output::write(&converted, None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Verify { from } => verify::verify(&from.read()?.1, &from.model),
    }
}

impl From {
    /// The text of the trace, and what it says.
    fn read(&self) -> Result<(String, Saved), Failure> {
        if trail::is_one(&self.file) {
            let value = trail::read(&self.file, &self.model, self.property.as_deref())?;
            return Ok((format!("{value:#}\n"), saved(&self.file, &value)?));
        }
        if self.property.is_some() {
            return Err(Failure::usage(format!(
                "{} says itself which property it violates; -p is for trails of SPIN",
                self.file
            )));
        }
        read(&self.file)
    }
}

/// Reads a trace.
pub(super) fn read(file: &str) -> Result<(String, Saved), Failure> {
    let text = input::read(file)?.text;
    let value: Value = serde_json::from_str(&text).map_err(|error| Failure::Usage {
        message: format!("{file} is no trace: {error}"),
        help: Some("traces are saved in .fairly when a property is violated".to_owned()),
    })?;
    let trace = saved(file, &value)?;
    Ok((text, trace))
}

fn saved(file: &str, value: &Value) -> Result<Saved, Failure> {
    Saved::read(value).map_err(|why| Failure::usage(format!("{file}: {why}")))
}

/// Arguments that name a model as those of `check` do.
#[derive(Parser)]
struct Alone {
    #[command(flatten)]
    model: Model,
}

/// The arguments that ask what a trace answers.
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
