//! A run in the Informal Trace Format of Apalache: states with a loop index, and what only we know, such
//! as the fairness ledger, in `#meta`, where readers that do not know it pass over it.
//!
//! [`crate::trace`] reads it back. Every field is a claim that can be checked: whoever walks the run on its
//! model again and writes it again gets the same document, whatever order the tables of the system are in.
//! What would depend on how the run was found is not written.

use fairly_check::claim::Shown;
use fairly_omega::StateId;
use fairly_source::Span;
use fairly_system::{
    ActionId, ProcessValues, Run, RunStep, StateValues, Transition, TransitionSystem,
};
use fairly_witness::Ledger;
use serde_json::{Map, Value, json};

use crate::json::{ledger, waiting};
use crate::look::Source;
use crate::table::{row, rows};
use crate::{state, stuck};

/// Where a run comes from, for whoever wants to replay it.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The files that make the model.
    pub files: &'a [String],
    /// The text of the model, for lines.
    pub source: Option<Source<'a>>,
    /// Options of the command line that make another model of the files.
    pub options: &'a [String],
    /// The question that the run answers.
    pub property: Asked,
    /// Where that is written.
    pub place: Option<Span>,
}

/// How a question is asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By its name.
    Property(String),
    /// By its text.
    Formula(String),
    /// Not at all: nobody said what the run is a run against.
    Nothing,
}

/// The schema of traces.
pub const TRACE_SCHEMA: &str = "fairly.trace/2";

/// What a run with a loop is said to be: fair, and against a property.
#[derive(Clone, Debug)]
pub struct Guilty<'a> {
    /// The property's name.
    pub property: &'a str,
    /// Its formula, as shown.
    pub formula: &'a str,
    /// The fairness assumed, in words.
    pub fairness: &'a str,
    /// Constraints that were assumed besides those of the fairness and of the model, as they are written.
    pub constraints: &'a [String],
    /// The run.
    pub run: &'a Run,
    /// Why it counts as fair.
    pub ledger: &'a Ledger,
}

/// The counterexample as a trace.
pub fn trace<S: TransitionSystem>(
    system: &mut S,
    guilty: &Guilty<'_>,
    origin: &Origin<'_>,
) -> Value {
    let mut meta = meta(system, origin);
    // A formula of the command line has a name only beside the others of the same command.
    if !matches!(origin.property, Asked::Formula(_)) {
        meta.insert("property".to_owned(), json!(guilty.property));
    }
    meta.insert("formula".to_owned(), json!(guilty.formula));
    meta.insert("fairness".to_owned(), json!(guilty.fairness));
    let mut constraints: Vec<&String> = Vec::new();
    for constraint in guilty.constraints {
        if !constraints.contains(&constraint) {
            constraints.push(constraint);
        }
    }
    if !constraints.is_empty() {
        meta.insert("constraints".to_owned(), json!(constraints));
    }
    meta.insert("ledger".to_owned(), asked_for(guilty.ledger));
    document(system, guilty.run, None, &meta, origin)
}

/// The entries of the ledger for what the loop is asked for, in the order of their names. How many others
/// there are depends on how much of the system has been met.
fn asked_for(of: &Ledger) -> Value {
    let Value::Array(mut entries) = ledger(of) else { return Value::Null };
    entries.retain(|entry| entry["reason"] != "never asked");
    entries.sort_by_cached_key(ToString::to_string);
    Value::Array(entries)
}

/// A finite run as a trace, or one with a loop that is no matter of fairness.
pub fn finite<S: TransitionSystem>(
    system: &mut S,
    title: &str,
    shown: &Shown,
    origin: &Origin<'_>,
) -> Value {
    let mut meta = meta(system, origin);
    meta.insert("property".to_owned(), json!(title));
    meta.insert("conclusion".to_owned(), json!(shown.conclusion));
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let end = shown.cycle.is_empty().then(|| shown.prefix.end());
    let mut value = document(system, &run, end, &meta, origin);
    if let Some(other) = &shown.other {
        let run = Run { stem: other.steps.clone(), cycle: Vec::new() };
        let empty = Map::new();
        let other = document(system, &run, Some(other.end()), &empty, origin);
        value["#meta"]["other"] = other["states"].clone();
    }
    value
}

fn meta<S: TransitionSystem>(system: &S, origin: &Origin<'_>) -> Map<String, Value> {
    let line = origin.source.zip(origin.place).and_then(|(text, place)| text.line(place.start));
    let asked = match &origin.property {
        Asked::Property(name) => json!({ "property": name }),
        Asked::Formula(text) => json!({ "formula": text }),
        Asked::Nothing => json!({}),
    };
    let value = json!({
        "schema": TRACE_SCHEMA,
        "format": "ITF",
        "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html",
        "source": "fairly",
        "model": origin.files,
        "asked": asked,
        "line": line,
        "processes": system.signature().processes,
    });
    let Value::Object(mut meta) = value else { return Map::new() };
    let included = origin.source.zip(origin.place);
    let included = included.and_then(|(text, place)| text.included(place.start).map(str::to_owned));
    if let Some(file) = included {
        meta.insert("file".to_owned(), json!(file));
    }
    if !origin.options.is_empty() {
        meta.insert("options".to_owned(), json!(origin.options));
    }
    meta
}

/// The words in which a trace tells a step.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The event.
    pub event: &'a str,
    /// Who takes part.
    pub who: &'a str,
    /// What happens, in the words of the source.
    pub action: &'a str,
    /// The state that it leads to.
    pub to: &'a str,
}

impl Words<'_> {
    /// The steps out of a state that are told in these words, in the order of the system. Mostly there is
    /// one; where there are more, the trace says which of them.
    pub fn steps<S: TransitionSystem>(&self, system: &mut S, from: StateId) -> Vec<Transition> {
        let mut steps = Vec::new();
        system.steps(from, &mut steps);
        let mut told = |step: &Transition| {
            let event = system.action(step.action).event;
            if system.signature().event_name(event) != self.event
                || system.describe(step.target) != self.to
            {
                return false;
            }
            let row = row(system, &RunStep { from, action: step.action, to: step.target });
            row.who == self.who && row.action == self.action
        };
        steps.retain(|step| told(step));
        steps
    }
}

/// The initial states that are described so, in the order of the system.
pub fn starts<S: TransitionSystem>(system: &mut S, state: &str) -> Vec<StateId> {
    let mut initial = system.initial();
    initial.retain(|&start| system.describe(start) == state);
    initial
}

fn document<S: TransitionSystem>(
    system: &mut S,
    run: &Run,
    end: Option<StateId>,
    meta: &Map<String, Value>,
    origin: &Origin<'_>,
) -> Value {
    let processes = system.signature().processes.clone();
    let mut vars = vec!["state".to_owned(), "event".to_owned(), "who".to_owned()];
    let steps: Vec<RunStep> = run.steps().copied().collect();
    // A loop that closes but for values that nothing depends on says how it ends.
    let open_end = match (run.cycle.first(), run.cycle.last()) {
        (Some(first), Some(last)) if first.from != last.to => Some(last.to),
        _ => None,
    };
    let end = end.or(open_end);
    let mut states = Vec::new();
    for (at, (row, step)) in rows(system, run).iter().zip(&steps).enumerate() {
        let state = step.from;
        let parts: Map<String, Value> = processes
            .iter()
            .zip(&row.parts)
            .map(|(process, part)| (process.clone(), json!(part.word())))
            .collect();
        let line = origin.source.zip(row.span).and_then(|(text, span)| text.line(span.start));
        let changes: Map<String, Value> =
            row.changes.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let mut value = json!({
            "#meta": {
                "index": at,
                "action": row.action,
                "line": line,
                "processes": parts,
                "changes": changes,
            },
            "state": row.from,
            "event": row.event,
            "who": row.who,
        });
        let included = origin.source.zip(row.span);
        let included =
            included.and_then(|(text, span)| text.included(span.start).map(str::to_owned));
        if let Some(file) = included {
            value["#meta"]["file"] = json!(file);
        }
        if let Some(sender) = row.sender.and_then(|at| processes.get(at)) {
            value["#meta"]["sender"] = json!(sender);
        }
        let words = Words {
            event: &row.event,
            who: &row.who,
            action: &row.action,
            to: &system.describe(step.to),
        };
        let taken = Transition { action: step.action, target: step.to };
        let choice = words.steps(system, state).iter().position(|&other| other == taken);
        if let Some(choice) = choice.filter(|&choice| choice > 0) {
            value["#meta"]["choice"] = json!(choice);
        }
        valuate(system, state, &mut value, &mut vars);
        states.push(value);
    }
    if let Some(end) = end {
        let mut value = json!({
            "#meta": { "index": states.len() },
            "state": system.describe(end),
            "event": "",
            "who": "",
        });
        valuate(system, end, &mut value, &mut vars);
        states.push(value);
    }
    let first = steps.first().map(|step| step.from).or(end);
    if let (Some(first), Some(value)) = (first, states.first_mut()) {
        let words = system.describe(first);
        let choice = starts(system, &words).iter().position(|&it| it == first);
        if let Some(choice) = choice.filter(|&choice| choice > 0) {
            value["#meta"]["start"] = json!(choice);
        }
    }
    let mut document = json!({ "#meta": meta, "vars": vars, "states": states });
    // What is over a channel when the run begins tells which of the variables are channels.
    if let Some(first) = first {
        let channels = system.state_values(first).channels;
        let mut names: Vec<String> = channels.into_iter().map(|(name, _)| name).collect();
        for step in &steps {
            let more = system.state_values(step.to).channels.into_iter().map(|(name, _)| name);
            for name in more {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        if !names.is_empty() {
            document["#meta"]["channels"] = json!(names);
        }
    }
    let idle = run.cycle.first().filter(|step| step.action == ActionId::IDLE);
    if let Some(stuck) = end.or(idle.map(|step| step.from)) {
        let waits = waiting(&stuck::waits(system, stuck, origin.source));
        if waits != json!([]) {
            document["#meta"]["waiting"] = waits;
        }
    }
    if !run.cycle.is_empty() {
        document["loop"] = json!(run.stem.len());
    }
    document
}

/// The variables of a state, each for itself.
fn valuate<S: TransitionSystem>(
    system: &S,
    state: StateId,
    value: &mut Value,
    vars: &mut Vec<String>,
) {
    let StateValues { variables, channels, processes } = system.state_values(state);
    let mut all: Vec<(String, Value)> = Vec::new();
    all.extend(variables.iter().map(|(name, it)| (name.clone(), state::value(it))));
    all.extend(channels.iter().map(|(name, it)| (name.clone(), state::messages(it))));
    for ProcessValues { name, at, variables } in &processes {
        all.push((name.clone(), json!(at)));
        let own = variables.iter().map(|(own, it)| (format!("{name}.{own}"), state::value(it)));
        all.extend(own);
    }
    for (name, it) in all {
        if ["#meta", "state", "event", "who"].contains(&name.as_str()) {
            continue;
        }
        value[&name] = it;
        if !vars.contains(&name) {
            vars.push(name);
        }
    }
}
