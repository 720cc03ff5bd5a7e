//! A trace that was saved, read back: as the table it was printed as. `chart.rs` draws it.

use std::collections::BTreeMap;
use std::fmt::Write;

use fairly_source::escape::{in_line, without_noncharacters};
use fairly_system::{Part, Trace, TraceState, TraceStep};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::human::{Aside, changes};
use crate::itf::TRACE_SCHEMA;
use crate::lasso::{self, sign};
use crate::look::Look;
use crate::markup::{block, code, markdown};
use crate::messages::{self, Message};
use crate::stuck::{self, Waits};

/// A run as it was saved.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The property's name.
    pub property: String,
    /// Its formula; empty for what is no formula.
    pub formula: String,
    /// The fairness assumed, in words; empty where there is nothing to assume.
    pub fairness: String,
    /// Constraints that were assumed besides those of the fairness and of the model, as they are written.
    pub constraints: Vec<String>,
    /// The files of the model.
    pub files: Vec<String>,
    /// Options of the command line that make another model of the files.
    pub options: Vec<String>,
    /// How the question is chosen: by name.
    pub asked_property: Option<String>,
    /// How the question is asked: by its formula.
    pub asked_formula: Option<String>,
    /// The line of the property.
    pub line: Option<usize>,
    /// The file that the line is in, if the model includes it.
    pub included: Option<String>,
    /// Observation at the end of a finite run.
    pub conclusion: Option<String>,
    /// The run, as far as a trace tells it.
    pub run: Trace,
    /// The lines of its steps.
    lines: Vec<Option<String>>,
    /// The messages that go through buffered channels.
    pub(crate) messages: Vec<Message>,
    /// Reason why each process waits at the end, if nothing can happen there.
    waiting: Vec<Waits>,
}

/// Reads JSON in which no key stands twice: readers differ in which of the two they take, so a trace could be
/// one thing for a program that verifies it and another for one that shows it.
///
/// # Errors
/// The mistake, and its position.
pub fn parse(text: &str) -> Result<Value, String> {
    let Strict(value) = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(value)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(without_noncharacters(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((name, Strict(value))) = fields.next_entry::<String, Strict>()? {
            let name = without_noncharacters(name);
            if all.contains_key(&name) {
                return Err(A::Error::custom(format!("the key `{}` stands twice", in_line(&name))));
            }
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }
}

/// Origin and schema of a document, whatever else is in it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Header {
    source: String,
    schema: String,
}

/// A trace as [`crate::itf`] writes it, as far as it is read. A field that is not there is empty.
#[derive(Deserialize)]
struct TraceDocument {
    #[serde(rename = "#meta")]
    meta: Meta,
    states: Vec<StateDocument>,
    #[serde(rename = "loop")]
    back: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    model: Vec<String>,
    asked: Asked,
    line: Option<usize>,
    processes: Vec<String>,
    file: Option<String>,
    options: Vec<String>,
    property: String,
    formula: String,
    fairness: String,
    constraints: Vec<String>,
    conclusion: Option<String>,
    channels: Vec<String>,
    waiting: Vec<Waits>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    property: Option<String>,
    formula: Option<String>,
}

#[derive(Deserialize)]
struct StateDocument {
    #[serde(rename = "#meta", default)]
    meta: StepMeta,
    state: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    who: String,
    #[serde(flatten)]
    variables: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StepMeta {
    action: Option<String>,
    line: Option<usize>,
    processes: BTreeMap<String, Part>,
    changes: BTreeMap<String, String>,
    file: Option<String>,
    sender: Option<String>,
    choice: usize,
    start: usize,
}

impl Saved {
    /// Reads a trace that [`crate::itf`] wrote.
    ///
    /// # Errors
    /// The missing field, or the one of another type.
    pub fn read(value: &Value) -> Result<Saved, String> {
        let header = value.get("#meta").and_then(|meta| Header::deserialize(meta).ok());
        let header = header.unwrap_or_default();
        if header.source != "fairly" {
            return Err("it is no trace of fairly: `#meta` does not say so".to_owned());
        }
        if header.schema != TRACE_SCHEMA {
            return Err(format!("it is not in the schema {TRACE_SCHEMA}: check the model again"));
        }
        let TraceDocument { meta, states, back } =
            TraceDocument::deserialize(value).map_err(|error| error.to_string())?;
        let content = |state: &StateDocument| -> Vec<Vec<Value>> {
            let of = |channel: &String| state.variables.get(channel)?.as_array().cloned();
            meta.channels.iter().map(|channel| of(channel).unwrap_or_default()).collect()
        };
        let mut contents: Vec<Vec<Vec<Value>>> = states.iter().map(content).collect();
        let start = states.first().map_or(0, |first| first.meta.start);
        let (mut steps, mut lines, mut end) = (Vec::new(), Vec::new(), None);
        for StateDocument { meta: of_step, state, event, who, .. } in states {
            let from = TraceState { shown: state, ..TraceState::default() };
            let Some(action) = of_step.action else {
                end = Some(from);
                continue;
            };
            lines.push(of_step.line.map(|line| match &of_step.file {
                Some(file) => format!("{}:{line}", in_line(file)),
                None => line.to_string(),
            }));
            let position = |name: &String| meta.processes.iter().position(|it| it == name);
            let part = |name| of_step.processes.get(name).copied().unwrap_or(Part::Disabled);
            steps.push(TraceStep {
                from,
                event,
                who,
                action,
                span: None,
                parts: meta.processes.iter().map(part).collect(),
                sender: of_step.sender.as_ref().and_then(position),
                changes: of_step.changes.into_iter().collect(),
                choice: of_step.choice,
            });
        }
        if back.is_some_and(|at| at >= steps.len()) {
            return Err("its loop begins after its end".to_owned());
        }
        if let Some(back) = back {
            contents.push(contents.get(back).cloned().unwrap_or_default());
        }
        let messages = messages::of(&meta.channels, &contents);
        let processes = meta.processes;
        let run = Trace { processes, start, steps, loops_to: back, end, ..Trace::default() };
        Ok(Saved {
            property: meta.property,
            formula: meta.formula,
            fairness: meta.fairness,
            constraints: meta.constraints,
            files: meta.model,
            options: meta.options,
            asked_property: meta.asked.property,
            asked_formula: meta.asked.formula,
            line: meta.line,
            included: meta.file,
            conclusion: meta.conclusion,
            run,
            lines,
            messages,
            waiting: meta.waiting,
        })
    }

    pub(crate) fn title(&self) -> String {
        let parts = [self.property.as_str(), self.formula.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("   ")
    }

    /// The whole run as a table; nothing is folded.
    pub fn show(&self, look: Look) -> String {
        let mut out = look.wrapped(0, &in_line(&self.title()));
        if !self.fairness.is_empty() {
            let _ = writeln!(out, "a run that counts under {}", in_line(&self.fairness));
        }
        let file = self.included.as_ref().or(self.files.first());
        if let (Some(file), Some(line)) = (file, self.line) {
            let _ = writeln!(out, " --> {}:{line}", in_line(file));
        }
        out.push('\n');
        let aside = Aside { look, whole: true, lines: &self.lines, ..Aside::default() };
        let shown = |text: &String| in_line(text).into_owned();
        let processes: Vec<String> = self.run.processes.iter().map(shown).collect();
        let row = |row: &TraceStep| TraceStep {
            who: shown(&row.who),
            event: shown(&row.event),
            action: shown(&row.action),
            changes: row.changes.iter().map(|(name, to)| (shown(name), shown(to))).collect(),
            ..row.clone()
        };
        let rows: Vec<TraceStep> = self.run.steps.iter().map(row).collect();
        out.push_str(&lasso::table(&rows, &processes, self.run.stem(), &aside));
        if let Some(conclusion) = &self.conclusion {
            out.push_str(&look.wrapped(3, &in_line(conclusion)));
        }
        let waits = |it: &Waits| Waits { who: shown(&it.who), what: shown(&it.what) };
        let waits: Vec<Waits> = self.waiting.iter().map(waits).collect();
        if self.conclusion.is_none() && !waits.is_empty() {
            let is_deadlock = waits.iter().any(|it| it.what.starts_with("waits for"));
            let why = if is_deadlock { "deadlock: nothing is enabled" } else { "the end" };
            out.push_str(&look.wrapped(3, why));
        }
        if !stuck::is_over(&waits) {
            out.push_str(&stuck::lines(&waits, &look));
        }
        look.finish(out)
    }

    /// A table in Markdown, and the diagram below it.
    pub fn markdown(&self) -> String {
        let formula = if self.formula.is_empty() { String::new() } else { code(&self.formula) };
        let title = format!("{} {formula}", markdown(&self.property));
        let mut out = format!("### {}\n\n", title.trim());
        if !self.fairness.is_empty() {
            let _ = writeln!(out, "A run that counts under {}.\n", markdown(&self.fairness));
        }
        let names: Vec<String> = self.run.processes.iter().map(|name| markdown(name)).collect();
        let _ = writeln!(out, "| | step | who | action | line | {} | changes |", names.join(" | "));
        let _ = writeln!(out, "|---|---:|---|---|---:|{}---|", ":-:|".repeat(names.len()));
        for (at, row) in self.run.steps.iter().enumerate() {
            let mark = match self.run.loops_to {
                Some(back) if at == back => "loop",
                Some(back) if at > back => "│",
                _ => "",
            };
            let parts: Vec<String> = row.parts.iter().map(|&part| sign(part).to_string()).collect();
            let line = self.lines[at].as_deref().map_or(String::new(), markdown);
            let _ = writeln!(
                out,
                "| {mark} | {} | {} | {} | {line} | {} | {} |",
                at + 1,
                markdown(&row.who),
                code(&row.action),
                parts.join(" | "),
                markdown(&changes(row))
            );
        }
        let _ = writeln!(out, "\n▶ taken, ● enabled but not taken, · disabled");
        if let Some(back) = self.run.loops_to {
            let _ = writeln!(
                out,
                "\nAfter step {} it goes on from step {}.",
                self.run.steps.len(),
                back + 1
            );
        }
        if let Some(conclusion) = &self.conclusion {
            let _ = writeln!(out, "\n{}", markdown(conclusion));
        }
        out + "\n" + &block(&self.mermaid(), "mermaid")
    }
}
