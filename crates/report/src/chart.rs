//! A trace as a diagram: message charts for Mermaid and PlantUML, a chain of states for Graphviz.
//! [`svg`] draws a message chart without another program.
//!
//! A message over a buffered channel is an arrow from the process that sends it to the one that receives it,
//! and open where no process does. In a rendezvous the arrow goes from the sender to the receiver. Processes
//! that never act have no lane.

mod svg;

use std::fmt::Write;

use fairly_system::{Part, TraceStep};

use crate::human::changes;
use crate::lasso::idles;
use crate::look::clipped;
use crate::markup::{mermaid, plantuml, quoted};
use crate::messages::Message;
use crate::trace::Saved;

/// Role of a step in a message chart. Lanes are positions of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Something that one process does.
    Own(usize),
    /// One process sends to another, which receives it in this step.
    Meets(usize, usize),
    /// Several processes take a step together, and none sends to the others.
    Together(Vec<usize>),
    /// One process sends to another, which receives it in a later step.
    Sends(usize, usize, usize),
    /// One process sends a message that is not received in this run.
    SendsInVain(usize),
    /// No process acts.
    Nothing,
}

impl Saved {
    /// Classifies each step.
    pub(crate) fn marks(&self) -> Vec<Mark> {
        self.run.steps.iter().enumerate().map(|(at, row)| self.mark(at, row)).collect()
    }

    fn mark(&self, at: usize, row: &TraceStep) -> Mark {
        let taking = takers(row);
        match (taking.as_slice(), row.sender) {
            ([], _) => Mark::Nothing,
            (&[one, other], None) => Mark::Together(vec![one, other]),
            (&[one, other], Some(sender)) => {
                Mark::Meets(sender, if sender == one { other } else { one })
            }
            (&[only], _) => {
                let sent: Vec<&Message> =
                    self.messages.iter().filter(|it| it.sent == Some(at)).collect();
                let receives = |message: &&Message| {
                    let step = message.received?;
                    let by = self.run.steps.get(step).map(takers)?;
                    Some((*by.first()?, step))
                };
                match (sent.is_empty(), sent.iter().find_map(receives)) {
                    (true, _) => Mark::Own(only),
                    (false, Some((to, step))) => Mark::Sends(only, to, step),
                    (false, None) => Mark::SendsInVain(only),
                }
            }
            _ => Mark::Together(taking),
        }
    }

    /// The processes that act, by position.
    pub(crate) fn lanes(&self) -> Vec<usize> {
        let acts =
            |at: &usize| self.run.steps.iter().any(|row| row.parts.get(*at) == Some(&Part::Taken));
        let lanes: Vec<usize> = (0..self.run.processes.len()).filter(acts).collect();
        if lanes.is_empty() { (0..self.run.processes.len().min(1)).collect() } else { lanes }
    }

    /// The processes that have no lane, in words.
    pub(crate) fn without_lane(&self) -> Option<String> {
        let lanes = self.lanes();
        let names: Vec<&str> = (0..self.run.processes.len())
            .filter(|at| !lanes.contains(at))
            .map(|at| self.run.processes[at].as_str())
            .collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(format!("{one} never acts")),
            several => Some(format!("{} never act", several.join(", "))),
        }
    }

    /// Caption of a step in a chart, with the origin of its message, or a remark that it is lost.
    fn said(&self, at: usize) -> String {
        let row = &self.run.steps[at];
        let from = self.messages.iter().find(|it| it.received == Some(at)).map(|it| it.sent);
        match (self.mark(at, row), from) {
            (Mark::SendsInVain(_), _) if self.run.loops_to.is_some_and(|back| at >= back) => {
                format!("{} (not received in this round)", row.action)
            }
            (Mark::SendsInVain(_), _) => format!("{} (not received)", row.action),
            (Mark::Own(_), Some(Some(sent))) => {
                format!("{} (sent in step {})", row.action, sent + 1)
            }
            _ => row.action.clone(),
        }
    }

    /// Words for a step that no process takes.
    fn apart<'a>(&self, at: usize, said: &'a str) -> &'a str {
        if idles(&self.run.steps[at]) { "nothing can happen" } else { said }
    }

    /// Mermaid's sequence diagram, which GitHub draws: one lane a process, the loop as a `loop`.
    pub fn mermaid(&self) -> String {
        let mut out = "sequenceDiagram\n".to_owned();
        let lanes = self.lanes();
        for &at in &lanes {
            let _ = writeln!(out, "    participant p{at} as {}", mermaid(&self.run.processes[at]));
        }
        let over = |lanes: &[usize]| {
            let (first, last) = (lanes.first().unwrap_or(&0), lanes.last().unwrap_or(&0));
            if first == last { format!("p{first}") } else { format!("p{first},p{last}") }
        };
        if let Some(said) = self.without_lane() {
            let _ = writeln!(out, "    note over {}: {}", over(&lanes), mermaid(&said));
        }
        for (at, mark) in self.marks().into_iter().enumerate() {
            if Some(at) == self.run.loops_to {
                out.push_str("    loop for ever\n");
            }
            let indent = if at >= self.run.stem() { "        " } else { "    " };
            let said = mermaid(&self.said(at));
            let line = match mark {
                Mark::Own(one) => format!("p{one}->>p{one}: {said}"),
                Mark::Meets(one, other) => format!("p{one}->>p{other}: {said}"),
                Mark::Together(all) => match all.as_slice() {
                    [one, other] => format!("p{one}->>p{other}: {said}"),
                    all => format!("note over {}: {said}", over(all)),
                },
                Mark::Sends(one, other, _) => format!("p{one}-)p{other}: {said}"),
                Mark::SendsInVain(one) => format!("p{one}-xp{one}: {said}"),
                Mark::Nothing => format!("note over {}: {}", over(&lanes), self.apart(at, &said)),
            };
            let _ = writeln!(out, "{indent}{line}");
        }
        if self.run.loops_to.is_some() {
            out.push_str("    end\n");
        }
        if let Some(conclusion) = &self.conclusion {
            let _ = writeln!(out, "    note over {}: {}", over(&lanes), mermaid(conclusion));
        }
        out
    }

    /// PlantUML's sequence diagram.
    pub fn plantuml(&self) -> String {
        let mut out = format!("@startuml\ntitle {}\n", plantuml(&self.title()));
        let lanes = self.lanes();
        for &at in &lanes {
            let _ = writeln!(out, "participant \"{}\" as p{at}", plantuml(&self.run.processes[at]));
        }
        if let Some(said) = self.without_lane() {
            let _ = writeln!(out, "note over p{}: {}", lanes[0], plantuml(&said));
        }
        for (at, mark) in self.marks().into_iter().enumerate() {
            if Some(at) == self.run.loops_to {
                out.push_str("loop for ever\n");
            }
            let said = plantuml(&self.said(at));
            let line = match mark {
                Mark::Own(one) => format!("p{one}->p{one}: {said}"),
                Mark::Meets(one, other) => format!("p{one}->p{other}: {said}"),
                Mark::Together(all) => match all.as_slice() {
                    [one, other] => format!("p{one}->p{other}: {said}"),
                    all => {
                        let names: Vec<String> = all.iter().map(|at| format!("p{at}")).collect();
                        format!("note over {}: {said}", names.join(","))
                    }
                },
                Mark::Sends(one, other, _) => format!("p{one}->>p{other}: {said}"),
                Mark::SendsInVain(one) => format!("p{one}->x]: {said}"),
                Mark::Nothing => {
                    let lane = lanes.first().unwrap_or(&0);
                    format!("note over p{lane}: {}", self.apart(at, &said))
                }
            };
            let _ = writeln!(out, "{line}");
        }
        if self.run.loops_to.is_some() {
            out.push_str("end\n");
        }
        out + "@enduml\n"
    }

    /// A chain of states with its loop, for Graphviz: some states in a row, the next below, back and forth. The first state is
    /// shown as a whole, the others by what changes.
    pub fn dot(&self) -> String {
        /// States in a row, which a screen has room for.
        const ROW: usize = 6;
        /// Letters of a line in a label.
        const WIDE: usize = 24;
        let label = |text: &str| {
            let lines = crate::look::lines(text, WIDE);
            let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
            lines.join("\\n")
        };
        let mut out = "digraph run {\n  rankdir=TB;\n  nodesep=0.3;\n  ranksep=0.4;\n  node [shape=box, \
                       fontname=monospace, fontsize=10];\n  edge [fontname=monospace, fontsize=9];\n  \
                       start [shape=point];\n  start -> s0;\n"
            .to_owned();
        let count = self.run.steps.len() + usize::from(self.run.end.is_some());
        for at in 0..count {
            let colour = if self.run.loops_to.is_some_and(|back| at >= back) {
                ", style=filled, fillcolor=lightyellow"
            } else {
                ""
            };
            let text = match (
                at.checked_sub(1).map(|before| &self.run.steps[before]),
                self.run.steps.first(),
            ) {
                (None, Some(first)) => first.from.shown.clone(),
                (None, None) => self.run.end.clone().unwrap_or_default().shown,
                (Some(before), _) => changes(before),
            };
            let number = at + 1;
            let text = if text.is_empty() { String::new() } else { format!("\\n{}", label(&text)) };
            let _ = writeln!(out, "  s{at} [label=\"{number}{text}\"{colour}];");
        }
        for (at, row) in self.run.steps.iter().enumerate() {
            let to = match self.run.loops_to {
                Some(back) if at + 1 == self.run.steps.len() => back,
                _ => at + 1,
            };
            let said = clipped(&format!("{}: {}", row.who, row.action), 3 * WIDE);
            let said = label(&said);
            if to <= at {
                // A loop does not pull its beginning down to its end.
                let style = "constraint=false, style=dashed";
                let _ = writeln!(out, "  s{at} -> s{to} [label=\"{said}\", {style}];");
            } else if at / ROW == to / ROW && at / ROW % 2 == 1 {
                // Every other row runs from right to left, below the end of the one before.
                let _ = writeln!(out, "  s{to} -> s{at} [label=\"{said}\", dir=back];");
            } else {
                let _ = writeln!(out, "  s{at} -> s{to} [label=\"{said}\"];");
            }
        }
        for row in (0..count).collect::<Vec<_>>().chunks(ROW) {
            let names: Vec<String> = row.iter().map(|at| format!("s{at}")).collect();
            let _ = writeln!(out, "  {{ rank=same; {}; }}", names.join("; "));
        }
        out + "}\n"
    }
}

/// Who takes part in a step, by position.
fn takers(row: &TraceStep) -> Vec<usize> {
    let parts = row.parts.iter().enumerate();
    parts.filter(|(_, part)| **part == Part::Taken).map(|(at, _)| at).collect()
}
