//! A trace that was saved, read back: as the table it was printed as, or as a diagram.

use std::fmt::Write;

use serde_json::Value;

use crate::human::Aside;
use crate::lasso;
use crate::look::Look;
use crate::markup::{block, code, markdown, mermaid, plantuml, quoted};
use crate::table::{Part, Row};

/// A run as it was saved.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The property's name.
    pub property: String,
    /// Its formula; empty for what is no formula.
    pub formula: String,
    /// The fairness assumed, in words; empty where there is nothing to assume.
    pub fairness: String,
    /// Every constraint of it, by name.
    pub constraints: Vec<String>,
    /// The files of the model.
    pub files: Vec<String>,
    /// How the question is chosen: by name.
    pub asked_property: Option<String>,
    /// How the question is asked: by its formula.
    pub asked_formula: Option<String>,
    /// The line of the property.
    pub line: Option<usize>,
    /// What there is to see at the end of a finite run.
    pub conclusion: Option<String>,
    /// Whether something goes wrong in the last step of a finite run.
    pub ends_in_error: bool,
    /// The processes.
    pub processes: Vec<String>,
    /// Where the loop begins, if there is one.
    pub loops_to: Option<usize>,
    rows: Vec<Row>,
    /// The last state of a finite run.
    end: Option<String>,
}

/// A step, for whoever walks the trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceStep<'a> {
    /// The state that it leaves.
    pub from: &'a str,
    /// The event.
    pub event: &'a str,
    /// Who takes part.
    pub who: &'a str,
    /// The state that it leads to.
    pub to: &'a str,
}

impl Trace {
    /// Reads a trace that [`crate::itf`] wrote.
    ///
    /// # Errors
    /// What is missing in it.
    pub fn read(value: &Value) -> Result<Trace, String> {
        let meta = &value["#meta"];
        if meta["source"] != "fairly" {
            return Err("it is no trace of fairly: `#meta` does not say so".to_owned());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().map(text).collect()
        };
        let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
        let processes = texts(&meta["processes"]);
        let states = value["states"].as_array().ok_or("it has no `states`")?;
        let mut rows = Vec::new();
        let mut end = None;
        for state in states {
            let meta = &state["#meta"];
            let from = state["state"].as_str().ok_or("a state has no `state`")?.to_owned();
            let Some(action) = meta["action"].as_str() else {
                end = Some(from);
                continue;
            };
            let part = |process: &String| match meta["processes"][process].as_str() {
                Some("taken") => Part::Taken,
                Some("enabled") => Part::EnabledNotTaken,
                _ => Part::Disabled,
            };
            let changes = meta["changes"].as_object().into_iter().flatten();
            rows.push(Row {
                who: text(&state["who"]),
                event: text(&state["event"]),
                action: action.to_owned(),
                span: None,
                line: number(&meta["line"]),
                parts: processes.iter().map(part).collect(),
                from,
                changes: changes.map(|(name, value)| (name.clone(), text(value))).collect(),
            });
        }
        let loops_to = number(&value["loop"]);
        if loops_to.is_some_and(|at| at >= rows.len()) {
            return Err("its loop begins after its end".to_owned());
        }
        Ok(Trace {
            property: text(&meta["property"]),
            formula: text(&meta["formula"]),
            fairness: text(&meta["fairness"]),
            constraints: texts(&meta["constraints"]),
            files: texts(&meta["model"]),
            asked_property: meta["asked"]["property"].as_str().map(str::to_owned),
            asked_formula: meta["asked"]["formula"].as_str().map(str::to_owned),
            line: number(&meta["line"]),
            conclusion: meta["conclusion"].as_str().map(str::to_owned),
            ends_in_error: meta["ends"] == "error",
            processes,
            loops_to,
            rows,
            end,
        })
    }

    /// The first state; none in a trace without steps.
    pub fn start(&self) -> Option<&str> {
        self.rows.first().map(|row| row.from.as_str()).or(self.end.as_deref())
    }

    /// The steps in their order.
    pub fn steps(&self) -> impl Iterator<Item = TraceStep<'_>> {
        let after = |at: usize| match self.rows.get(at + 1) {
            Some(row) => row.from.as_str(),
            None => match self.loops_to {
                Some(back) => self.rows[back].from.as_str(),
                None => self.end.as_deref().unwrap_or_default(),
            },
        };
        self.rows.iter().enumerate().map(move |(at, row)| TraceStep {
            from: &row.from,
            event: &row.event,
            who: &row.who,
            to: after(at),
        })
    }

    fn stem(&self) -> usize {
        self.loops_to.unwrap_or(self.rows.len())
    }

    fn title(&self) -> String {
        let parts = [self.property.as_str(), self.formula.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("   ")
    }

    /// The whole run as a table; nothing is folded.
    pub fn show(&self, look: Look) -> String {
        let mut out = look.wrapped(0, &self.title());
        if !self.fairness.is_empty() {
            let _ = writeln!(out, "a run that counts under {}", self.fairness);
        }
        if let (Some(file), Some(line)) = (self.files.first(), self.line) {
            let _ = writeln!(out, " --> {file}:{line}");
        }
        out.push('\n');
        let aside = Aside { look, whole: true, ..Aside::default() };
        let (stem, cycle) = (self.stem(), self.rows.len() - self.stem());
        out.push_str(&lasso::table(&self.rows, &self.processes, stem, cycle, &aside));
        if let Some(conclusion) = &self.conclusion {
            out.push_str(&look.wrapped(3, conclusion));
        }
        look.finish(out)
    }

    /// Mermaid's sequence diagram, which GitHub draws: one lane a process, the loop as a `loop`.
    pub fn mermaid(&self) -> String {
        let mut out = "sequenceDiagram\n".to_owned();
        for (at, process) in self.processes.iter().enumerate() {
            let _ = writeln!(out, "    participant p{at} as {}", mermaid(process));
        }
        for (at, row) in self.rows.iter().enumerate() {
            if Some(at) == self.loops_to {
                out.push_str("    loop for ever\n");
            }
            let indent = if at >= self.stem() { "        " } else { "    " };
            let _ = writeln!(out, "{indent}{}", arrow(row, &mermaid(&row.action), "->>"));
        }
        if self.loops_to.is_some() {
            out.push_str("    end\n");
        }
        if let Some(conclusion) = &self.conclusion {
            let last = self.processes.len().saturating_sub(1);
            let _ = writeln!(out, "    note over p0,p{last}: {}", mermaid(conclusion));
        }
        out
    }

    /// PlantUML's sequence diagram.
    pub fn plantuml(&self) -> String {
        let mut out = format!("@startuml\ntitle {}\n", plantuml(&self.title()));
        for (at, process) in self.processes.iter().enumerate() {
            let _ = writeln!(out, "participant \"{}\" as p{at}", plantuml(process));
        }
        for (at, row) in self.rows.iter().enumerate() {
            if Some(at) == self.loops_to {
                out.push_str("loop for ever\n");
            }
            let _ = writeln!(out, "{}", arrow(row, &plantuml(&row.action), "->"));
        }
        if self.loops_to.is_some() {
            out.push_str("end\n");
        }
        out + "@enduml\n"
    }

    /// A chain of states with its loop, for Graphviz.
    pub fn dot(&self) -> String {
        let mut out = "digraph run {\n  rankdir=TB;\n  node [shape=box, fontname=monospace];\n  \
                       edge [fontname=monospace];\n  start [shape=point];\n  start -> s0;\n"
            .to_owned();
        for (at, row) in self.rows.iter().enumerate() {
            let colour =
                if at >= self.stem() { ", style=filled, fillcolor=lightyellow" } else { "" };
            let label = quoted(&row.from).replace(' ', "\\n");
            let _ = writeln!(out, "  s{at} [label=\"{label}\"{colour}];");
        }
        if let Some(end) = &self.end {
            let label = quoted(end).replace(' ', "\\n");
            let _ = writeln!(out, "  s{} [label=\"{label}\"];", self.rows.len());
        }
        for (at, row) in self.rows.iter().enumerate() {
            let to = match self.loops_to {
                Some(back) if at + 1 == self.rows.len() => back,
                _ => at + 1,
            };
            let said = quoted(&format!("{}: {}", row.who, row.action));
            let _ = writeln!(out, "  s{at} -> s{to} [label=\"{said}\"];");
        }
        out + "}\n"
    }

    /// A table in Markdown, and the diagram below it.
    pub fn markdown(&self) -> String {
        let mut out = format!("### {}\n\n", markdown(&self.title()));
        if !self.fairness.is_empty() {
            let _ = writeln!(out, "A run that counts under {}.\n", markdown(&self.fairness));
        }
        let names: Vec<String> = self.processes.iter().map(|name| markdown(name)).collect();
        let _ = writeln!(out, "| | step | who | action | line | {} | changes |", names.join(" | "));
        let _ = writeln!(out, "|---|---:|---|---|---:|{}---|", ":-:|".repeat(names.len()));
        for (at, row) in self.rows.iter().enumerate() {
            let mark = match self.loops_to {
                Some(back) if at == back => "loop",
                Some(back) if at > back => "│",
                _ => "",
            };
            let parts: Vec<String> = row.parts.iter().map(|part| part.sign().to_string()).collect();
            let changes: Vec<String> =
                row.changes.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let line = row.line.map_or(String::new(), |line| line.to_string());
            let _ = writeln!(
                out,
                "| {mark} | {} | {} | {} | {line} | {} | {} |",
                at + 1,
                markdown(&row.who),
                code(&row.action),
                parts.join(" | "),
                markdown(&changes.join(" "))
            );
        }
        let _ = writeln!(out, "\n▶ taken, ● enabled but not taken, · disabled");
        if let Some(back) = self.loops_to {
            let _ = writeln!(
                out,
                "\nAfter step {} it goes on from step {}.",
                self.rows.len(),
                back + 1
            );
        }
        if let Some(conclusion) = &self.conclusion {
            let _ = writeln!(out, "\n{}", markdown(conclusion));
        }
        out + "\n" + &block(&self.mermaid(), "mermaid")
    }
}

/// A step as an arrow of a sequence diagram: from the first who takes part to the last.
fn arrow(row: &Row, action: &str, sign: &str) -> String {
    let taking = |part: &Part| *part == Part::Taken;
    match (row.parts.iter().position(taking), row.parts.iter().rposition(taking)) {
        (Some(one), Some(other)) => format!("p{one}{sign}p{other}: {action}"),
        _ => "note over p0: nothing can happen".to_owned(),
    }
}
