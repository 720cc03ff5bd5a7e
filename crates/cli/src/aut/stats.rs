//! `fairly aut stats`.

use std::fmt::Write;
use std::process::ExitCode;

use fairly_omega::{Components, ops};
use serde_json::json;

use super::arguments::{Format, Stats};
use super::{Named, Reader};
use crate::failure::CliError;
use crate::output;

pub(super) fn run(request: &Stats, reading: &Reader) -> Result<ExitCode, CliError> {
    let mut text = String::new();
    let mut documents = Vec::new();
    for Named { source, automaton } in reading.each(&request.input.files)? {
        let components = Components::of(&automaton);
        let inner = components.ids().filter(|&id| !components.is_trivial(id)).count();
        let description = ops::describe(&automaton)?;
        let reachable: usize = components.ids().map(|id| components.members(id).len()).sum();
        let class = automaton.acceptance().class();
        let on = if automaton.state_marks().is_some() { "states" } else { "edges" };
        match request.format {
            Format::Json => documents.push(json!({
                "source": source,
                "name": automaton.name(),
                "states": automaton.state_count(),
                "reachable_states": reachable,
                "edges": automaton.edge_count(),
                "initial": automaton.initial().iter().map(|state| state.0).collect::<Vec<_>>(),
                "propositions": automaton.propositions(),
                "marks": automaton.mark_count(),
                "marks_on": on,
                "acceptance": automaton.acceptance().to_string(),
                "class": class.to_string(),
                "components": components.count(),
                "components_with_cycles": inner,
                "strength": description.strength.to_string(),
                "deterministic": description.deterministic,
                "semi_deterministic": description.semi_deterministic,
                "unambiguous": description.unambiguous,
                "complete": description.complete,
                "empty": ops::is_empty(&automaton)?,
            })),
            Format::Human => {
                let name = automaton.name().map_or(String::new(), |name| format!("  \"{name}\""));
                let _ = writeln!(text, "{source}{name}");
                let unreached = automaton.state_count() - reachable;
                let unreached = match unreached {
                    0 => String::new(),
                    some => format!(" ({some} unreachable)"),
                };
                let propositions = match automaton.propositions() {
                    [] => "none".to_owned(),
                    names => names.join(", "),
                };
                let empty = if ops::is_empty(&automaton)? { "empty" } else { "not empty" };
                let _ = writeln!(
                    text,
                    "  states        {}{unreached}\n  edges         {}\n  propositions  {propositions}\n  \
                     acceptance    {class}: {} (marks on {on})\n  components    {}, {inner} with a cycle\n  \
                     kind          {description}\n  language      {empty}",
                    automaton.state_count(),
                    automaton.edge_count(),
                    automaton.acceptance(),
                    components.count(),
                );
            }
        }
    }
    if request.format == Format::Json {
        text = super::answers::document("fairly.aut.stats/1", &documents);
    }
    output::write(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
