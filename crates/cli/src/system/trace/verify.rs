//! `fairly trace verify`: a trace walked and judged again.

use std::process::ExitCode;

use fairly_check::{Assumption, Ending, Property};
use fairly_fairness::Notion;
use fairly_report::trace::Trace as Saved;
use fairly_system::TransitionSystem;

use super::super::load::{self, Read};
use super::super::questions::Asked;
use super::{arguments, walk};
use crate::failure::{self, Failure};
use crate::output;

/// What a run is judged by.
enum Against {
    /// It has to violate this.
    Property(Box<Property>),
    /// It has to end so.
    Ending(Ending),
    /// Its steps have to be possible; what they show takes more than one run.
    Nothing,
}

pub(super) fn verify(trace: &Saved, files: &[String]) -> Result<ExitCode, Failure> {
    let model = arguments(trace, files)?;
    let said = match load::read(&model.files, &model)? {
        Read::Network(mut loaded) => {
            let property = load::properties(&model, &mut loaded)?.into_iter().next();
            let against = property.map(Box::new).map_or(Against::Nothing, Against::Property);
            judge(trace, &mut loaded.network, &against)?
        }
        Read::File(mut file) => {
            let is_asked = trace.asked_property.is_some() || trace.asked_formula.is_some();
            let question = file.questions(&model)?.into_iter().next().filter(|_| is_asked);
            let system = match &question {
                Some(question) => question.system,
                None => file.first_system(),
            };
            let against = match question.map(|question| question.asked) {
                // Whatever was asked, this is what went wrong.
                _ if trace.ends_in_error => Against::Ending(Ending::Error),
                Some(Asked::Formula(property, _)) => Against::Property(property),
                Some(asked) => file.ending(&asked).map_or(Against::Nothing, Against::Ending),
                None => Against::Nothing,
            };
            judge(trace, file.interpreter(system), &against)?
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
    against: &Against,
) -> Result<Result<String, String>, Failure> {
    let run = match walk(trace, system) {
        Ok(run) => run,
        Err(why) => return Ok(Err(why)),
    };
    let possible = match run.stem.len() + run.cycle.len() {
        0 => "the model starts there".to_owned(),
        1 => "its step is possible".to_owned(),
        count => format!("all {count} steps are possible"),
    };
    let property = match against {
        Against::Property(property) if !run.cycle.is_empty() => property,
        Against::Ending(ending) => {
            let initial = system.initial();
            let start =
                initial.into_iter().find(|&at| Some(system.describe(at).as_str()) == trace.start());
            let Some(start) = start else { return Ok(Err("it has no states".to_owned())) };
            let seen = ending.judge(system, &run, start);
            return Ok(seen.map(|seen| format!("{possible}, and {seen}")));
        }
        Against::Property(_) | Against::Nothing => {
            return Ok(Ok(format!("{possible}, one after the other")));
        }
    };
    let mut assumption = Assumption::of(Notion::None);
    load::add_constraints(&mut assumption, &trace.constraints, system)?;
    Ok(match fairly_check::judge(system, property, &assumption.extra, &run) {
        Ok(_) if trace.constraints.is_empty() => {
            Ok(format!("{possible}, and the run violates {}", property.name))
        }
        Ok(_) => Ok(format!(
            "{possible}, and the run violates {} and meets all {} constraints",
            property.name,
            trace.constraints.len()
        )),
        Err(failure) => Err(failure.to_string()),
    })
}
