//! `fairly trace`: runs that were saved, and trails of SPIN.

mod trail;
mod verify;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum};
use fairly_omega::StateId;
use fairly_report::trace::Saved;
use fairly_report::{Look, json};
use fairly_search::Bounds;
use fairly_source::escape::in_line;
use fairly_system::{Run, RunStep, TransitionSystem};
use serde_json::Value;

use super::arguments::Model;
use super::several::worst;
use crate::failure::CliError;
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
        from: RunFile,
    },
    /// Walk the run on its model again, and judge it again: is it a run, is it fair, does it violate the
    /// property?
    ///
    /// Everything that a trace says is looked at, down to the values of variables. What is not as the model
    /// has it is named, and the exit code is 1.
    Verify {
        /// Traces, or trails of SPIN.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[command(flatten)]
        about: About,
        /// Stop after so many seconds, where a claim has to be answered again; the answer is then unknown.
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<f64>,
    },
    /// Print the run in another format.
    Convert {
        #[command(flatten)]
        from: RunFile,
        /// The format.
        #[arg(long, value_enum)]
        to: Format,
    },
}

/// Where a run comes from.
#[derive(Args)]
struct RunFile {
    /// A trace, such as .fairly/lock.served.itf.json, or a trail of SPIN, such as lock.pml.trail.
    file: String,
    #[command(flatten)]
    about: About,
}

/// Facts that a file does not say itself.
#[derive(Args)]
struct About {
    /// The model, if it is not where it was; of a trail, if it is not FILE without `.trail`.
    #[arg(long, value_name = "FILE")]
    model: Vec<String>,
    /// Question that a trail of SPIN is a run against; a trace says so itself.
    #[arg(long, short, value_name = "NAME")]
    property: Option<String>,
    /// A macro of the model of a trail, as for `fairly check`; a trace says so itself.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// A macro that is not defined in the model of a trail.
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    undefines: Vec<String>,
    /// A folder that the model of a trail may include files from.
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    include_dirs: Vec<String>,
    /// How many processes of the model of a trail can be alive at once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    max_processes: Option<u32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// The Informal Trace Format, as it is saved.
    Itf,
    /// Mermaid's sequence diagram.
    Mermaid,
    /// PlantUML's sequence diagram.
    Plantuml,
    /// A message chart as a picture that a browser shows.
    Svg,
    /// Graphviz.
    Dot,
    /// A table in Markdown with Mermaid's diagram.
    Markdown,
    /// A trail that `spin -t` replays, of a Promela model.
    Trail,
}

pub(crate) fn trace(request: &Trace, look: Look) -> Result<ExitCode, CliError> {
    match &request.command {
        Command::Show { from } => {
            output::write(&from.read()?.1.show(look), None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Convert { from, to } => {
            let (document, trace) = from.read()?;
            let converted = match to {
                Format::Itf => json::text(&document),
                Format::Mermaid => trace.mermaid(),
                Format::Plantuml => trace.plantuml(),
                Format::Svg => trace.svg(),
                Format::Dot => trace.dot(),
                Format::Markdown => trace.markdown(),
                Format::Trail => trail::written(&trace, &from.about.model)?,
            };
            output::write(&converted, None)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Verify { files, about, timeout } => {
            let bounds = bounds(*timeout)?;
            let mut codes = Vec::new();
            for file in files {
                if files.len() > 1 {
                    output::write(&format!("{}: ", in_line(file)), None)?;
                }
                codes.push(match verify::verify(file, about, bounds) {
                    Ok(code) => code,
                    Err(failure) if files.len() > 1 => {
                        let code = failure.code();
                        output::write(&format!("not read: {}\n", failure.in_short()), None)?;
                        code
                    }
                    Err(failure) => return Err(failure),
                });
            }
            Ok(ExitCode::from(worst(codes.into_iter())))
        }
    }
}

/// How much may be explored where that is needed.
fn bounds(timeout: Option<f64>) -> Result<Bounds, CliError> {
    let no_time = |_| CliError::usage("--timeout is no time");
    let time = timeout.map(Duration::try_from_secs_f64).transpose().map_err(no_time)?;
    let deadline = time.map(|time| Instant::now() + time.min(Duration::from_secs(1 << 32)));
    Ok(Bounds { deadline, ..Bounds::default() })
}

impl RunFile {
    /// The trace, and what it says.
    fn read(&self) -> Result<(Value, Saved), CliError> {
        let RunFile { file, about } = self;
        if trail::is_one(file) {
            let value = trail::read(file, about)?;
            let trace = saved(file, &value)?;
            return Ok((value, trace));
        }
        about.refuse_property(file)?;
        let value = document(file)?;
        let trace = saved(file, &value)?;
        Ok((value, trace))
    }
}

impl About {
    /// How the model of a trail is read.
    fn reading(&self) -> Result<Model, CliError> {
        let defines = self.defines.iter().map(|define| format!("--define={define}"));
        let undefines = self.undefines.iter().map(|name| format!("--undefine={name}"));
        let folders = self.include_dirs.iter().map(|folder| format!("--include-dir={folder}"));
        let processes = self.max_processes.map(|most| format!("--max-processes={most}"));
        let words = ["fairly".to_owned()].into_iter().chain(defines).chain(undefines);
        Model::of_words(words.chain(folders).chain(processes))
            .map_err(|error| CliError::usage(error.to_string()))
    }

    fn refuse_property(&self, file: &str) -> Result<(), CliError> {
        match self.property {
            None => Ok(()),
            Some(_) => Err(CliError::usage(format!(
                "{file} says itself which property it violates; -p is for trails of SPIN"
            ))),
        }
    }
}

/// Reads a trace.
pub(super) fn read(file: &str) -> Result<Saved, CliError> {
    saved(file, &document(file)?)
}

/// Reads a trace and the document that it is.
pub(super) fn read_whole(file: &str) -> Result<(Value, Saved), CliError> {
    let document = document(file)?;
    let trace = saved(file, &document)?;
    Ok((document, trace))
}

/// The document that a trace is.
fn document(file: &str) -> Result<Value, CliError> {
    let text = input::read(file)?.text;
    fairly_report::trace::parse(&text).map_err(|error| CliError::Usage {
        message: format!("{file} is no trace: {error}"),
        help: Some("traces are saved in .fairly when a property is violated".to_owned()),
    })
}

fn saved(file: &str, value: &Value) -> Result<Saved, CliError> {
    Saved::read(value).map_err(|why| CliError::usage(format!("{file}: {why}")))
}

/// The arguments that ask what a trace answers. The reference interpreter walks it.
pub(super) fn arguments(trace: &Saved, files: &[String]) -> Result<Model, CliError> {
    const OPTIONS: [&str; 7] = [
        "--lang=",
        "--interleave=",
        "--alphabet=",
        "--define=",
        "--undefine=",
        "--include-dir=",
        "--max-processes=",
    ];
    let mut words = vec!["fairly".to_owned(), "--interpret".to_owned()];
    let is_known = |word: &String| OPTIONS.iter().any(|option| word.starts_with(option));
    if let Some(other) = trace.options.iter().find(|&word| !is_known(word)) {
        return Err(CliError::usage(format!("the trace wants `{other}`, which makes no model")));
    }
    words.extend_from_slice(&trace.options);
    if let Some(name) = &trace.asked_property {
        words.push(format!("--property={name}"));
    }
    if let Some(formula) = &trace.asked_formula {
        words.push(format!("--formula={formula}"));
    }
    words.push("--".to_owned());
    words.extend_from_slice(if files.is_empty() { &trace.files } else { files });
    Model::of_words(words).map_err(|_| {
        CliError::usage("the trace does not say which model it is of; name it with --model")
    })
}

/// The run of the system that the trace describes, and where it starts.
fn walk<S: TransitionSystem>(trace: &Saved, system: &mut S) -> Result<(Run, StateId), String> {
    let run = &trace.run;
    run.first().ok_or("it has no states")?;
    let start = run.find_start(system).ok_or("the model does not start in its first state")?;
    let mut at = start;
    let mut steps = Vec::new();
    for (number, step) in run.steps.iter().enumerate() {
        let taken = run
            .find(number, system, at)
            .ok_or_else(|| format!("step {}, {}, is not possible there", number + 1, step.event))?;
        steps.push(RunStep { from: at, action: taken.action, to: taken.target });
        at = taken.target;
    }
    let stem = run.stem();
    let cycle = steps.split_off(stem.min(steps.len()));
    if cycle.first().is_some_and(|first| !system.has_same_future(first.from, at)) {
        return Err("its loop does not close".to_owned());
    }
    Ok((Run { stem: steps, cycle }, start))
}
