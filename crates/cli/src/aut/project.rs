//! `fairly aut project`: what an observer sees who does not see some propositions or events.

use std::process::ExitCode;

use fairly_omega::ops::{self, Visible};
use fairly_omega::{Automaton, Prop};
use fairly_source::suggest::did_you_mean;
use serde_json::json;

use super::answers::{document, verdict};
use super::arguments::{Format, Project};
use super::operations::write;
use super::reading::{Named, Reader};
use crate::failure::CliError;
use crate::output::{self, Destination};

pub(super) fn run(request: &Project, reading: &Reader) -> Result<ExitCode, CliError> {
    let Project { through, .. } = request;
    if request.closed {
        return closed(request, reading);
    }
    // Before anything is made that could not be written.
    Destination::open(through.output.output.as_deref())?;
    let mut made = Vec::new();
    for Named { source, automaton } in reading.each(&through.input.files)? {
        let hidden = hidden(request, &source, &automaton)?;
        if !request.events {
            made.push(ops::forget(&automaton, &hidden)?);
            continue;
        }
        let seen = ops::visible(&automaton, &hidden, through.output.limits())?;
        if let Some(word) = &seen.ends {
            return Err(CliError::Usage {
                message: format!(
                    "{source}: {} no event comes that is not hidden, and automata on infinite words have no words that end",
                    after(word)
                ),
                help: Some("hide fewer events".to_owned()),
            });
        }
        output::note(&format!("{source}: {}", said(&seen)));
        made.push(seen.automaton);
    }
    write(&made, &through.output)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the abstractions are weakly continuation-closed.
fn closed(request: &Project, reading: &Reader) -> Result<ExitCode, CliError> {
    let (mut text, mut documents) = (String::new(), Vec::new());
    let mut all = true;
    for Named { source, automaton } in reading.each(&request.through.input.files)? {
        let hidden = hidden(request, &source, &automaton)?;
        let seen = ops::visible(&automaton, &hidden, request.through.output.limits())?;
        let is_closed = seen.ends.is_none() && seen.broken.is_none();
        all &= is_closed;
        text.push_str(&format!("{}  {source}\n", said(&seen)));
        documents.push(json!({
            "source": source,
            "closed": is_closed,
            "states": automaton.state_count(),
            "left": seen.automaton.state_count(),
            "after": seen.broken,
            "ends": seen.ends,
        }));
    }
    if request.format == Format::Json {
        text = document("fairly.aut.project/1", &documents);
    }
    output::write(&text, None)?;
    Ok(verdict(all))
}

/// Relation of an abstraction to its system, in a sentence.
fn said(seen: &Visible) -> String {
    match seen {
        Visible { ends: Some(word), .. } => {
            format!("no abstraction: {} no event comes that is not hidden", after(word))
        }
        Visible { broken: Some(word), .. } => format!(
            "not weakly continuation-closed: {} the automaton can no longer do what is seen of it promises",
            after(word)
        ),
        _ => "weakly continuation-closed: what is inherently fair of it is so of the automaton"
            .to_owned(),
    }
}

/// A beginning in words.
fn after(word: &[String]) -> String {
    match word {
        [] => "from the start".to_owned(),
        word => format!("after {}", word.join(" · ")),
    }
}

fn hidden(request: &Project, source: &str, automaton: &Automaton) -> Result<Vec<Prop>, CliError> {
    let names = automaton.propositions();
    let of = |name: &String| match (0..).zip(names).find(|(_, known)| *known == name) {
        Some((at, _)) => Ok(Prop(at)),
        None => Err(CliError::Usage {
            message: format!("{source} has no proposition `{name}`"),
            help: did_you_mean(name, names.iter().map(String::as_str)),
        }),
    };
    request.hide.iter().map(of).collect()
}
