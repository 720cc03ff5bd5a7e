//! `fairly aut step`: a search or a degeneralization, one event after the other.

use std::process::ExitCode;

use fairly_omega::emptiness::degeneralization;
use fairly_search::engines::{Engine, Question};
use serde_json::json;

use super::arguments::{Format, Step};
use super::{Named, Reader};
use crate::failure::CliError;
use crate::{output, stepping};

pub(super) fn run(request: &Step, reading: &Reader) -> Result<ExitCode, CliError> {
    let mut documents = Vec::new();
    for Named { source, automaton } in reading.each(&request.input.files)? {
        let usage = |message: String| CliError::Usage { message, help: None };
        let (name, events) = if request.degeneralize {
            let events = degeneralization(&mut automaton.graph())
                .map_err(|undecided| usage(format!("{source}: {undecided}")))?;
            let events = events.ok_or_else(|| {
                usage(format!("{source}: the condition is not generalized Büchi"))
            })?;
            ("degeneralization", events)
        } else {
            let engine = match &request.engine {
                None => Engine::planned(Question::Runs, automaton.acceptance()),
                Some(name) => Engine::named(name).expect("clap checked the name"),
            };
            let mut events = Vec::new();
            engine
                .find_path_observed(&mut automaton.graph(), &mut events)
                .map_err(|undecided| usage(format!("{source}: {undecided}")))?;
            (engine.name, events)
        };
        match request.format {
            Format::Json => {
                let graph = stepping::graph(&automaton);
                documents.push(
                    json!({ "source": source, "engine": name, "graph": graph, "events": events }),
                );
            }
            Format::Human => {
                let head = format!("{source}   {name} · {} steps\n", events.len());
                stepping::show(&head, stepping::of_search(&events))?;
            }
        }
    }
    if request.format == Format::Json {
        output::write(&super::answers::document("fairly.aut.step/1", &documents), None)?;
    }
    Ok(ExitCode::SUCCESS)
}
