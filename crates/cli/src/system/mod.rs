//! `fairly check`, `fairly ladder`, `fairly least`: systems under fairness.

mod arguments;
mod load;

use std::process::ExitCode;

use fairly_check::{Assumption, Failure as CheckFailure, Outcome, Property};
use fairly_fairness::Notion;
use fairly_report::{human, itf, json};
use fairly_search::{closure, global};

use crate::failure::{self, Failure};
use crate::output;

pub(crate) use arguments::{Check, Ladder, Least};
use arguments::{Format, Model};
use load::Loaded;

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

pub(crate) fn check(request: &Check) -> Result<ExitCode, Failure> {
    let mut loaded = load::network(&request.model)?;
    let assumption = request.assumption(&mut loaded)?;
    let options = request.model.options()?;
    if request.machine_closed {
        return machine_closed(&mut loaded, &assumption, request);
    }
    let mut properties = properties(&request.model, &mut loaded)?;
    let mut text = String::new();
    let mut documents = Vec::new();
    let (mut holding, mut violated, mut unknown) = (0, 0, 0);
    let several = properties.len() > 1;
    for property in &mut properties {
        let verdict = fairly_check::check(&mut loaded.network, property, &assumption, &options)?;
        match &verdict.outcome {
            Outcome::Holds(_) => holding += 1,
            Outcome::Violated(found) => {
                violated += 1;
                if let Some(path) = &request.trace {
                    // With several properties each violated one has a file of its own.
                    let path =
                        if several { format!("{path}.{}", verdict.property) } else { path.clone() };
                    let trace = itf::trace(&mut loaded.network, &verdict, found);
                    output::write(&format!("{trace:#}\n"), Some(&path))?;
                }
            }
            Outcome::Doomed(_) => violated += 1,
            Outcome::Unknown(_) => unknown += 1,
        }
        match request.model.format {
            Format::Json => documents.push(json::verdict(&mut loaded.network, &verdict)),
            Format::Human => {
                text.push_str(&human::verdict(&mut loaded.network, &verdict));
                text.push('\n');
            }
        }
    }
    match request.model.format {
        Format::Json => text = format!("{:#}\n", serde_json::Value::Array(documents)),
        Format::Human => {
            let all = properties.len();
            let counts = [(holding, "holds"), (violated, "violated"), (unknown, "unknown")];
            let counts: Vec<String> = counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{count} {word}"))
                .collect();
            let word = if all == 1 { "property" } else { "properties" };
            text.push_str(&format!("{all} {word}: {}\n", counts.join(", ")));
        }
    }
    output::write(&text, None)?;
    Ok(ExitCode::from(match (violated, unknown) {
        (0, 0) => 0,
        (0, _) => failure::UNKNOWN,
        _ => failure::NO,
    }))
}

/// Does the fairness assumed forbid a prefix that the system can do?
fn machine_closed(
    loaded: &mut Loaded,
    assumption: &Assumption,
    request: &Check,
) -> Result<ExitCode, Failure> {
    let constraints = assumption.constraints(&loaded.network);
    let bounds = request.model.options()?.bounds;
    let answer = match assumption.notion {
        Notion::Inherent(_) => {
            return Err(Failure::usage(
                "inherent fairness is no condition on runs, so there is nothing to be closed",
            ));
        }
        Notion::Global => global::closure(&mut loaded.network, constraints, bounds),
        _ => closure::check(&mut loaded.network, constraints, bounds),
    };
    let Ok(answer) = answer else {
        output::write("unknown: a bound was reached\n", None)?;
        return Ok(ExitCode::from(failure::UNKNOWN));
    };
    let text = match &answer.doomed {
        None => format!("machine closed   under {assumption}\n"),
        Some(_) if !answer.feasible => {
            format!("infeasible   no run of the system meets {assumption}\n")
        }
        Some(prefix) => format!(
            "not machine closed   no fair run continues {} under {assumption}\n",
            human::events(&loaded.network, &prefix.steps)
        ),
    };
    output::write(&text, None)?;
    Ok(ExitCode::from(if answer.doomed.is_none() { 0 } else { failure::NO }))
}

pub(crate) fn ladder(request: &Ladder) -> Result<ExitCode, Failure> {
    let mut loaded = load::network(&request.model)?;
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
            Format::Human => text.push_str(&human::ladder(&name, &formula, &ladder)),
            Format::Json => documents.push(json::ladder(&name, &formula, &ladder)),
        }
    }
    if request.model.format == Format::Json {
        text = format!("{:#}\n", serde_json::Value::Array(documents));
    }
    output::write(&text, None)?;
    Ok(ExitCode::from(if unknown { failure::UNKNOWN } else { 0 }))
}

pub(crate) fn least(request: &Least) -> Result<ExitCode, Failure> {
    let mut loaded = load::network(&request.model)?;
    let options = request.model.options()?;
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut code = 0;
    let assumed = load::assumption(Notion::None, &request.constraints, &mut loaded)?.extra;
    for mut property in properties(&request.model, &mut loaded)? {
        let level = request.level.level();
        let network = &mut loaded.network;
        let least = fairly_check::least(network, &mut property, level, &assumed, &options)?;
        match &least {
            fairly_check::Least::Sets { sets, .. } if sets.is_empty() => code = failure::NO,
            fairly_check::Least::Sets { .. } => {}
            _ if code == 0 => code = failure::UNKNOWN,
            _ => {}
        }
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
