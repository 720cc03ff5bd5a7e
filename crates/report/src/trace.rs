//! A trace that was saved, read back: as the table it was printed as. `chart.rs` draws it.

use std::fmt::Write;

use fairly_source::escape::{in_line, without_noncharacters};
use fairly_system::{Part, Trace, TraceState, TraceStep};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
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

impl Saved {
    /// Reads a trace that [`crate::itf`] wrote.
    ///
    /// # Errors
    /// The missing field.
    pub fn read(value: &Value) -> Result<Saved, String> {
        let meta = &value["#meta"];
        if meta["source"] != "fairly" {
            return Err("it is no trace of fairly: `#meta` does not say so".to_owned());
        }
        if meta["schema"] != TRACE_SCHEMA {
            return Err(format!("it is not in the schema {TRACE_SCHEMA}: check the model again"));
        }
        let channels: Vec<String> = meta["channels"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().map(text).collect()
        };
        let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
        let processes = texts(&meta["processes"]);
        let states = value["states"].as_array().ok_or("it has no `states`")?;
        let (mut steps, mut lines) = (Vec::new(), Vec::new());
        let content = |state: &Value| -> Vec<Vec<Value>> {
            let of = |channel: &String| state[channel].as_array().cloned().unwrap_or_default();
            channels.iter().map(of).collect()
        };
        let mut contents: Vec<Vec<Vec<Value>>> = states.iter().map(content).collect();
        let mut end = None;
        for state in states {
            let meta = &state["#meta"];
            let shown = state["state"].as_str().ok_or("a state has no `state`")?.to_owned();
            let from = TraceState { shown, ..TraceState::default() };
            let Some(action) = meta["action"].as_str() else {
                end = Some(from);
                continue;
            };
            let part = |process: &String| match meta["processes"][process].as_str() {
                Some("taken") => Part::Taken,
                Some("enabled") => Part::Enabled,
                _ => Part::Disabled,
            };
            let changes = meta["changes"].as_object().into_iter().flatten();
            lines.push(number(&meta["line"]).map(|line| match meta["file"].as_str() {
                Some(file) => format!("{}:{line}", in_line(file)),
                None => line.to_string(),
            }));
            steps.push(TraceStep {
                from,
                event: text(&state["event"]),
                who: text(&state["who"]),
                action: action.to_owned(),
                span: None,
                parts: processes.iter().map(part).collect(),
                sender: meta["sender"]
                    .as_str()
                    .and_then(|name| processes.iter().position(|process| process == name)),
                changes: changes.map(|(name, value)| (name.clone(), text(value))).collect(),
                choice: number(&meta["choice"]).unwrap_or(0),
            });
        }
        let loops_to = number(&value["loop"]);
        if loops_to.is_some_and(|at| at >= steps.len()) {
            return Err("its loop begins after its end".to_owned());
        }
        if let Some(back) = loops_to {
            contents.push(contents.get(back).cloned().unwrap_or_default());
        }
        let waiting = meta["waiting"].as_array().into_iter().flatten();
        let waiting =
            waiting.map(|it| Waits { who: text(&it["process"]), what: text(&it["waits"]) });
        let first = &states.first().unwrap_or(&Value::Null)["#meta"]["start"];
        let start = number(first).unwrap_or(0);
        let run = Trace { processes, start, steps, loops_to, end, ..Trace::default() };
        Ok(Saved {
            property: text(&meta["property"]),
            formula: text(&meta["formula"]),
            fairness: text(&meta["fairness"]),
            constraints: texts(&meta["constraints"]),
            files: texts(&meta["model"]),
            options: texts(&meta["options"]),
            asked_property: meta["asked"]["property"].as_str().map(str::to_owned),
            asked_formula: meta["asked"]["formula"].as_str().map(str::to_owned),
            line: number(&meta["line"]),
            included: meta["file"].as_str().map(str::to_owned),
            conclusion: meta["conclusion"].as_str().map(str::to_owned),
            run,
            lines,
            messages: messages::of(&channels, &contents),
            waiting: waiting.collect(),
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
