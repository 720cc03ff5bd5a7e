//! Trails of SPIN: read as traces, and written from them.

use fairly_check::claim::Shown;
use fairly_check::{SystemIndex, with_system};
use fairly_front::languages::Language;
use fairly_front::trail::Trail;
use fairly_omega::StateId;
use fairly_report::Source;
use fairly_report::itf::{self, Asked, Origin};
use fairly_report::trace::Saved;
use fairly_search::Prefix;
use fairly_system::{Run, TransitionSystem};
use serde_json::Value;

use super::super::file::File;
use super::super::load;
use super::super::names;
use super::{About, arguments, walk};
use crate::failure::CliError;
use crate::input::{self, Input};

/// How the name of a trail ends.
const SUFFIX: &str = ".trail";

/// Whether a file is a trail, by its name.
pub(super) fn is_one(file: &str) -> bool {
    file.ends_with(SUFFIX)
}

/// A trail with its model.
pub(super) struct Followed {
    pub(super) name: String,
    /// The options that the model is read with.
    options: Vec<String>,
    pub(super) model: File,
    /// The question that it is a run against.
    pub(super) question: Option<usize>,
    /// The run that the trail describes.
    pub(super) run: Run,
    pub(super) start: StateId,
}

/// Follows a trail on its model, which must have the property if one is named.
pub(super) fn follow(file: &str, about: &About) -> Result<Followed, CliError> {
    let property = about.property.as_deref();
    let own = file.strip_suffix(SUFFIX).unwrap_or(file).to_owned();
    let name = match about.model.as_slice() {
        [] => own,
        [name] => name.clone(),
        _ => return Err(CliError::usage("a Promela model is one file")),
    };
    let Input { text, name: _ } = input::read(file)?;
    let wrong = |diagnostic| CliError::Input {
        name: file.to_owned(),
        text: text.clone(),
        diagnostic: Box::new(diagnostic),
    };
    let trail = Trail::parse(&text).map_err(wrong)?;
    if !std::path::Path::new(&name).exists() {
        return Err(CliError::Usage {
            message: format!("there is no model {name}"),
            help: Some(
                "a trail does not say which model it is of: name it with --model".to_owned(),
            ),
        });
    }
    let mut reading = about.reading()?;
    reading.lang = Language::with_trails();
    let mut model = load::read(std::slice::from_ref(&name), &reading)?;
    let options = about.reading()?.of_the_files();
    let loaded = model.systems.loaded();
    let question = property.map(|property| names::question(loaded, property)).transpose()?;
    let run = model.systems.follow(&trail).ok_or_else(no_trail)?.map_err(wrong)?;
    let first = run.steps().next().map(|step| step.from);
    let initial = with_system!(model.system(SystemIndex::ONLY)?, system => system.initial());
    let start = first.or_else(|| initial.first().copied());
    let start = start.ok_or_else(|| CliError::usage(format!("{name} has no initial state")))?;
    Ok(Followed { name, options, model, question, run, start })
}

/// A trail as a trace: the run of its model that it describes.
pub(super) fn read(file: &str, about: &About) -> Result<Value, CliError> {
    let property = about.property.as_deref();
    let Followed { name, options, mut model, run, start, .. } = follow(file, about)?;
    let source = model.text().unwrap_or_default().to_owned();
    let shown = with_system!(model.system(SystemIndex::ONLY)?, system => {
        shown(system, run, start).record(system)
    });
    let files = [name.clone()];
    let origin = Origin {
        files: &files,
        source: Some(Source { name: &name, text: &source }),
        options: &options,
        property: property.map_or(Asked::Nothing, |name| Asked::Property(name.to_owned())),
        place: None,
    };
    Ok(itf::finite(property.unwrap_or("trail of SPIN"), &shown, &origin))
}

/// A run with what there is to see at its end.
fn shown<S: TransitionSystem>(system: &mut S, run: Run, start: StateId) -> Shown {
    let prefix = Prefix { start, steps: run.stem };
    let conclusion = match (run.cycle.is_empty(), system.fault(prefix.end())) {
        (false, _) => String::new(),
        (true, Some(fault)) => format!("error in the model: {}", fault.message),
        (true, None) => {
            let mut enabled = Vec::new();
            system.enabled(prefix.end(), &mut enabled);
            let end = system.describe(prefix.end());
            match enabled.is_empty() {
                true => format!("nothing is enabled in {end}"),
                false => format!("the trail ends in {end}"),
            }
        }
    };
    Shown { prefix, cycle: run.cycle, conclusion, other: None }
}

/// A trace as a trail.
pub(super) fn written(trace: &Saved, files: &[String]) -> Result<String, CliError> {
    let model = arguments(trace, files)?;
    let mut file = load::read(&model.files, &model)?;
    if file.systems.loaded().statements.is_none() {
        return Err(no_trail());
    }
    let wrong = |why: String| CliError::usage(format!("the trace is not of this model: {why}"));
    let system = file.system(SystemIndex::ONLY)?;
    let (run, _) = with_system!(system, system => walk(trace, system)).map_err(wrong)?;
    Ok(file.systems.trail(&run).ok_or_else(no_trail)?.map_err(wrong)?.to_string())
}

fn no_trail() -> CliError {
    CliError::Usage {
        message: "only runs of Promela models can be written as trails".to_owned(),
        help: Some("`--to itf` keeps a run of any model".to_owned()),
    }
}
