//! Trails of SPIN: read as traces, and written from them.

use fairly_check::claim::Shown;
use fairly_check::promela::PromelaFile;
use fairly_front::promela::Trail;
use fairly_omega::StateId;
use fairly_report::Source;
use fairly_report::itf::{self, Asked, Origin};
use fairly_report::trace::Saved;
use fairly_search::Prefix;
use fairly_system::{Run, TransitionSystem};
use serde_json::Value;

use super::super::file::{self, Language};
use super::super::load::{self, Read};
use super::super::names;
use super::{About, arguments, walk};
use crate::failure::Failure;
use crate::input::{self, Input, Patience};

/// How the name of a trail ends.
const SUFFIX: &str = ".trail";

/// Whether a file is a trail, by its name.
pub(super) fn is_one(file: &str) -> bool {
    file.ends_with(SUFFIX)
}

/// A trail with its model.
pub(super) struct Followed {
    pub(super) name: String,
    source: String,
    /// The options that the model is read with.
    options: Vec<String>,
    pub(super) promela: PromelaFile,
    /// The run that the trail describes.
    pub(super) run: Run,
    pub(super) start: StateId,
}

/// Follows a trail on its model, which must have the property if one is named.
pub(super) fn follow(file: &str, about: &About) -> Result<Followed, Failure> {
    let property = about.property.as_deref();
    let own = file.strip_suffix(SUFFIX).unwrap_or(file).to_owned();
    let name = match about.model.as_slice() {
        [] => own,
        [name] => name.clone(),
        _ => return Err(Failure::usage("a Promela model is one file")),
    };
    let Input { text, name: _ } = input::read(file)?;
    let wrong = |diagnostic| Failure::Input {
        name: file.to_owned(),
        text: text.clone(),
        diagnostic: Box::new(diagnostic),
    };
    let trail = Trail::parse(&text).map_err(wrong)?;
    if !std::path::Path::new(&name).exists() {
        return Err(Failure::Usage {
            message: format!("there is no model {name}"),
            help: Some(
                "a trail does not say which model it is of: name it with --model".to_owned(),
            ),
        });
    }
    let reading = about.reading()?;
    let encoding = Language::Promela.encoding();
    let own = input::read_within(&name, encoding, Patience::default())?;
    let mut promela = file::promela(&own, &reading, true)?;
    let (source, options) = (promela.text().to_owned(), reading.of_the_files());
    if let Some(property) = property {
        names::in_promela(&promela, property)?;
    }
    let run = promela.follow(&trail).map_err(wrong)?;
    let first = run.steps().next().map(|step| step.from);
    let start = first.or_else(|| promela.interpreter().initial().first().copied());
    let start = start.ok_or_else(|| Failure::usage(format!("{name} has no initial state")))?;
    Ok(Followed { name, source, options, promela, run, start })
}

/// A trail as a trace: the run of its model that it describes.
pub(super) fn read(file: &str, about: &About) -> Result<Value, Failure> {
    let property = about.property.as_deref();
    let Followed { name, source, options, mut promela, run, start } = follow(file, about)?;
    let system = promela.interpreter();
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
    let shown = Shown { prefix, cycle: run.cycle, conclusion, other: None };
    let files = [name.clone()];
    let origin = Origin {
        files: &files,
        source: Some(Source { name: &name, text: &source }),
        options: &options,
        property: property.map_or(Asked::Nothing, |name| Asked::Property(name.to_owned())),
        place: None,
    };
    Ok(itf::finite(property.unwrap_or("trail of SPIN"), &shown.record(system), &origin))
}

/// A trace as a trail.
pub(super) fn written(trace: &Saved, files: &[String]) -> Result<String, Failure> {
    let model = arguments(trace, files)?;
    let no_trail = || Failure::Usage {
        message: "only runs of Promela models can be written as trails".to_owned(),
        help: Some("`--to itf` keeps a run of any model".to_owned()),
    };
    let Read::File(mut file) = load::read(&model.files, &model)? else { return Err(no_trail()) };
    let Some(promela) = file.promela() else { return Err(no_trail()) };
    let wrong = |why: String| Failure::usage(format!("the trace is not of this model: {why}"));
    let (run, _) = walk(trace, promela.interpreter()).map_err(wrong)?;
    Ok(promela.trail(&run).map_err(wrong)?.to_string())
}
