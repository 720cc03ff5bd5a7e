//! A run in the Informal Trace Format of Apalache: states with a loop index, and what only we know, such
//! as the fairness ledger, in `#meta`, where readers that do not know it pass over it.
//!
//! [`crate::trace`] reads it back. Every field is a claim that can be checked: walking the run on its model and
//! writing it again gives the same document, whatever order the tables of the system are in. Facts that depend
//! on how the run was found are not written.

use std::collections::BTreeMap;

use fairly_check::{Evidence, Shows};
use fairly_omega::Stop;
use fairly_source::Span;
use fairly_system::{Part, ProcessValues, StateValues, Trace};
use fairly_witness::Ledger;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::{LedgerLine, ledger, parts, value};
use crate::look::{Places, Source};
use crate::stuck::{self, Waits};

/// Origin of a run, to replay it.
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
    /// Not at all: no property is known for the run.
    Nothing,
}

/// The schema of traces.
pub const TRACE_SCHEMA: &str = "fairly.trace/2";

/// A lasso with its claim: it is fair, and violates a property.
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
    pub run: &'a Trace,
    /// Why it counts as fair.
    pub ledger: &'a Ledger,
}

/// Metadata of a whole trace.
#[derive(Default, Serialize)]
struct Meta<'a> {
    schema: &'static str,
    format: &'static str,
    #[serde(rename = "format-description")]
    description: &'static str,
    source: &'static str,
    model: &'a [String],
    asked: AskedDocument<'a>,
    line: Option<usize>,
    processes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    options: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<Vec<LedgerLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Vec<StateDocument<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Waits>,
}

#[derive(Default, Serialize)]
struct AskedDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
}

#[derive(Serialize)]
struct TraceDocument<'a> {
    #[serde(rename = "#meta")]
    meta: Meta<'a>,
    vars: Vec<String>,
    states: Vec<StateDocument<'a>>,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    back: Option<usize>,
}

/// A state, and the step that leaves it.
#[derive(Serialize)]
struct StateDocument<'a> {
    #[serde(rename = "#meta")]
    meta: StepMeta<'a>,
    state: &'a str,
    event: &'a str,
    who: &'a str,
    #[serde(flatten)]
    variables: Map<String, Value>,
}

#[derive(Default, Serialize)]
struct StepMeta<'a> {
    index: usize,
    #[serde(flatten)]
    step: Option<StepDocument<'a>>,
    /// Which of the initial states that are described so.
    #[serde(skip_serializing_if = "is_first")]
    start: usize,
}

#[derive(Serialize)]
struct StepDocument<'a> {
    action: &'a str,
    line: Option<usize>,
    processes: BTreeMap<&'a str, Part>,
    changes: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    /// Which of the steps that are told in the same words.
    #[serde(skip_serializing_if = "is_first")]
    choice: usize,
}

fn is_first(choice: &usize) -> bool {
    *choice == 0
}

/// The counterexample as a trace.
pub fn trace(guilty: &Guilty<'_>, origin: &Origin<'_>) -> Value {
    trace_until(guilty, origin, Stop::default()).expect("there is no time to stop")
}

/// The same; `None` if it is time to stop before its last state.
pub fn trace_until(guilty: &Guilty<'_>, origin: &Origin<'_>, stop: Stop) -> Option<Value> {
    let mut constraints: Vec<&str> = Vec::new();
    for constraint in guilty.constraints {
        if !constraints.contains(&constraint.as_str()) {
            constraints.push(constraint);
        }
    }
    // How many entries there are beside those for what the loop is asked for depends on how much of the system
    // has been met.
    let mut entries: Vec<LedgerLine<'_>> =
        ledger(guilty.ledger).filter(|entry| entry.reason != "never asked").collect();
    entries.sort_by_cached_key(|entry| value(entry).to_string());
    // A formula of the command line has a name only beside the others of the same command.
    let is_named = !matches!(origin.property, Asked::Formula(_));
    let meta = Meta {
        property: is_named.then_some(guilty.property),
        formula: Some(guilty.formula),
        fairness: Some(guilty.fairness),
        constraints,
        ledger: Some(entries),
        ..meta(guilty.run, origin)
    };
    document(guilty.run, meta, origin, stop)
}

/// A finite run as a trace, or one with a loop that is no matter of fairness.
pub fn finite(title: &str, evidence: &Evidence, origin: &Origin<'_>) -> Value {
    finite_until(title, evidence, origin, Stop::default()).expect("there is no time to stop")
}

/// The same; `None` if it is time to stop before its last state.
pub fn finite_until(
    title: &str,
    Evidence { run, shows }: &Evidence,
    origin: &Origin<'_>,
    stop: Stop,
) -> Option<Value> {
    let Shows::End { conclusion, other, fairness } = shows else { return Some(Value::Null) };
    let other = match other {
        Some(other) => Some(states(other, origin, stop)?.1),
        None => None,
    };
    let meta = Meta {
        property: Some(title),
        conclusion: Some(conclusion),
        other,
        fairness: fairness.as_deref(),
        ..meta(run, origin)
    };
    document(run, meta, origin, stop)
}

fn meta<'a>(run: &'a Trace, origin: &'a Origin<'_>) -> Meta<'a> {
    let place = origin.source.zip(origin.place);
    let stuck = stuck::waits(run.stuck.as_ref(), &run.processes, origin.source);
    // The channels that the run begins with tell which of the variables are channels.
    let all = run.steps.iter().map(|step| &step.from).chain(&run.end);
    let mut channels: Vec<&str> = Vec::new();
    for (name, _) in all.flat_map(|state| &state.values.channels) {
        if !channels.contains(&name.as_str()) {
            channels.push(name);
        }
    }
    Meta {
        schema: TRACE_SCHEMA,
        format: "ITF",
        description: "https://apalache.informal.systems/docs/adr/015adr-trace.html",
        source: "fairly",
        model: origin.files,
        asked: match &origin.property {
            Asked::Property(name) => AskedDocument { property: Some(name), formula: None },
            Asked::Formula(text) => AskedDocument { property: None, formula: Some(text) },
            Asked::Nothing => AskedDocument::default(),
        },
        line: place.and_then(|(text, place)| text.line(place.start)),
        processes: &run.processes,
        file: place.and_then(|(text, place)| text.included(place.start)),
        options: origin.options,
        channels,
        waiting: stuck,
        ..Meta::default()
    }
}

fn document(run: &Trace, meta: Meta<'_>, origin: &Origin<'_>, stop: Stop) -> Option<Value> {
    let (vars, states) = states(run, origin, stop)?;
    // Made state by state, since there may be many.
    let states = states.iter().map(|state| (!stop.is_due()).then(|| value(state)));
    let states = states.collect::<Option<Vec<Value>>>()?;
    let mut all = value(&TraceDocument { meta, vars, states: Vec::new(), back: run.loops_to });
    all["states"] = Value::Array(states);
    Some(all)
}

/// The variables that there are, and the states; a loop that closes but for values that nothing depends on says how
/// it ends.
/// `None` if it is time to stop before the last of them.
fn states<'a>(
    run: &'a Trace,
    origin: &Origin<'a>,
    stop: Stop,
) -> Option<(Vec<String>, Vec<StateDocument<'a>>)> {
    let mut vars = FIXED[1..].iter().map(|&name| name.to_owned()).collect();
    let mut places = Places::default();
    let steps = run.steps.iter().enumerate().map(|(at, step)| {
        let (line, file) = places.find(origin.source, step.span);
        let meta = StepMeta {
            index: at,
            step: Some(StepDocument {
                action: &step.action,
                line,
                processes: parts(run, step),
                changes: step.changes.iter().map(|(name, to)| (&**name, &**to)).collect(),
                file,
                sender: step.sender.and_then(|at| run.processes.get(at)).map(String::as_str),
                choice: step.choice,
            }),
            start: 0,
        };
        (meta, &step.from, step.event.as_str(), step.who.as_str())
    });
    let end = run
        .end
        .iter()
        .map(|end| (StepMeta { index: run.steps.len(), ..StepMeta::default() }, end, "", ""));
    let states = steps.chain(end).map(|(meta, from, event, who)| {
        let variables = valuate(&from.values, &mut vars);
        let state = StateDocument { meta, state: &from.shown, event, who, variables };
        (!stop.is_due()).then_some(state)
    });
    let mut states = states.collect::<Option<Vec<StateDocument<'a>>>>()?;
    if let Some(first) = states.first_mut() {
        first.meta.start = run.start;
    }
    Some((vars, states))
}

/// Names of a state that are no variables.
const FIXED: [&str; 4] = ["#meta", "state", "event", "who"];

/// The variables of a state, each for itself.
fn valuate(
    StateValues { variables, channels, processes }: &StateValues,
    vars: &mut Vec<String>,
) -> Map<String, Value> {
    let mut all: Vec<(String, Value)> = Vec::new();
    all.extend(variables.iter().map(|(name, it)| (name.clone(), value(it))));
    all.extend(channels.iter().map(|(name, it)| (name.clone(), value(it))));
    for ProcessValues { name, at, variables } in processes {
        all.push((name.clone(), value(at)));
        all.extend(variables.iter().map(|(own, it)| (format!("{name}.{own}"), value(it))));
    }
    all.retain(|(name, _)| !FIXED.contains(&name.as_str()));
    for (name, _) in &all {
        if !vars.contains(name) {
            vars.push(name.clone());
        }
    }
    all.into_iter().collect()
}
