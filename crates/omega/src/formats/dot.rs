//! Drawings for Graphviz (`dot -Tsvg`). Output only: a drawing leaves things out and cannot be read
//! back; to store an automaton take [`crate::formats::hoa`].
//!
//! The title is the name and the acceptance condition. Each mark has its colour, in the title as on
//! the edges, where its number stands on a badge, so that one can see at a glance which edges the
//! condition speaks of. Where acceptance is on states the marks stand in the states, and the
//! accepting states of a Büchi automaton have a double border, as in textbooks. All edges from one
//! state to another are one arrow with one line of text for each.
//!
//! ```
//! use fairly_omega::formats::{dot, hoa};
//! let text = "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)
//!             --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
//! let drawing = dot::print(&hoa::parse(text).unwrap()[0]);
//! assert!(drawing.starts_with("digraph") && drawing.contains("bgcolor"));
//! ```

use std::fmt::Write;

use hashbrown::HashMap;

use crate::acceptance::{Acceptance, Class};
use crate::automaton::{Automaton, Edge, StateId};
use crate::formats::expression::{self, Signs};
use crate::letters::{Label, Letters, Prop};
use crate::marks::{Mark, MarkSet, MarkSetId};

/// Colours that stay apart on white paper and for most colour-blind people: those of Okabe and
/// Ito, the yellow darkened.
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F3C8D", "#666666"];

/// A line of a label is broken when it gets longer than this.
const LINE: usize = 28;

/// Labels with more cubes than this, arrows with more lines, are cut short.
const MANY: usize = 12;

const SIGNS: Signs = Signs { and: " & ", or: " | ", yes: "⊤", no: "⊥" };

/// The automaton as a Graphviz graph.
pub fn print(automaton: &Automaton) -> String {
    let mut text = String::new();
    draw(automaton, &mut text).expect("a string takes everything");
    text
}

fn draw(automaton: &Automaton, out: &mut String) -> std::fmt::Result {
    let state_marks = automaton.state_marks();
    let buchi = state_marks.is_some() && automaton.acceptance().class() == Class::Buchi;
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR; nodesep=0.35; ranksep=0.6;")?;
    writeln!(out, "  fontname=\"Helvetica\"; labelloc=t; label=<{}>;", title(automaton))?;
    writeln!(
        out,
        "  node [fontname=\"Helvetica\", fontsize=12, shape=box, style=\"rounded,filled\", \
         fillcolor=\"#F4F6F8\", color=\"#37474F\", width=0.45, height=0.45, margin=\"0.1,0.05\"];"
    )?;
    writeln!(
        out,
        "  edge [fontname=\"Helvetica\", fontsize=11, color=\"#37474F\", arrowsize=0.7];"
    )?;
    for (nth, state) in automaton.initial().iter().enumerate() {
        writeln!(
            out,
            "  start{nth} [shape=none, style=\"\", width=0, height=0, margin=0, label=\"\"];"
        )?;
        writeln!(out, "  start{nth} -> {state};")?;
    }
    for state in automaton.states() {
        let mut label = match automaton.state_name(state) {
            Some(name) => wrapped(&abridged(name)),
            None => state.to_string(),
        };
        let mut border = "";
        if let Some(marks) = &state_marks {
            let marks = marks[state.index()];
            if buchi {
                border = if marks == MarkSetId::EMPTY { "" } else { ", peripheries=2" };
            } else if marks != MarkSetId::EMPTY {
                label = with_badges(&label, automaton.marks(marks));
            }
        }
        writeln!(out, "  {state} [label=<{label}>{border}];")?;
    }
    let mut labels = Labels { letters: automaton.letters().clone(), texts: HashMap::new() };
    for state in automaton.states() {
        for (target, edges) in by_target(automaton.edges(state)) {
            let mut lines: Vec<String> = Vec::new();
            for edge in edges.iter().take(MANY) {
                let text = labels.text(automaton, edge.label);
                let marks = if state_marks.is_some() { MarkSetId::EMPTY } else { edge.marks };
                lines.push(with_badges(text, automaton.marks(marks)));
            }
            if edges.len() > MANY {
                lines.push(format!("<i>and {} more</i>", edges.len() - MANY));
            }
            writeln!(out, "  {state} -> {target} [label=<{}>];", stacked(&lines))?;
        }
    }
    writeln!(out, "}}")
}

/// The edges of one state, grouped by where they lead, in the order of their first.
fn by_target(edges: &[Edge]) -> Vec<(StateId, Vec<Edge>)> {
    let mut groups: Vec<(StateId, Vec<Edge>)> = Vec::new();
    let mut places: HashMap<StateId, usize> = HashMap::new();
    for &edge in edges {
        let place = *places.entry(edge.target).or_insert(groups.len());
        if place == groups.len() {
            groups.push((edge.target, Vec::new()));
        }
        groups[place].1.push(edge);
    }
    groups
}

/// Lines below each other; tables can only stand in the cells of another one.
fn stacked(lines: &[String]) -> String {
    if !lines.iter().any(|line| line.starts_with("<table")) {
        return lines.join("<br/>");
    }
    let rows: String = lines.iter().map(|line| format!("<tr><td>{line}</td></tr>")).collect();
    format!(
        "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\">{rows}</table>"
    )
}

/// Name, condition with coloured marks, and what the condition is called.
fn title(automaton: &Automaton) -> String {
    let mut title = String::new();
    if let Some(name) = automaton.name() {
        title = format!("<b>{}</b><br/>", escaped(&abridged(name)));
    }
    let mut condition = String::new();
    condition_text(automaton.acceptance(), &mut condition);
    if visible(&condition) > 400 {
        let marks = automaton.acceptance().marks().len();
        condition = format!("<i>a condition over {marks} marks</i>");
    }
    title.push_str(&condition);
    let class = automaton.acceptance().class();
    if class != Class::EmersonLei {
        let name = class.to_string().replace("Buchi", "Büchi");
        write!(title, "<br/><font point-size=\"11\" color=\"#666666\">{name}</font>")
            .expect("a string takes everything");
    }
    title
}

/// Characters of HTML text that are seen.
fn visible(html: &str) -> usize {
    let mut inside = false;
    html.chars()
        .filter(|&c| {
            let tag = inside || c == '<';
            inside = if c == '<' { true } else { inside && c != '>' };
            !tag
        })
        .count()
}

fn atom(kind: &str, mark: Mark) -> String {
    format!("{kind}(<font color=\"{}\"><b>{mark}</b></font>)", colour(mark))
}

fn condition_text(condition: &Acceptance, out: &mut String) {
    let list = |parts: &[Acceptance], sign: &str, out: &mut String| {
        for (nth, part) in parts.iter().enumerate() {
            if nth > 0 {
                out.push_str(sign);
            }
            let nested = matches!(part, Acceptance::And(_) | Acceptance::Or(_));
            out.push_str(if nested { "(" } else { "" });
            condition_text(part, out);
            out.push_str(if nested { ")" } else { "" });
        }
    };
    match condition {
        Acceptance::True => out.push('⊤'),
        Acceptance::False => out.push('⊥'),
        Acceptance::Inf(mark) => out.push_str(&atom("Inf", *mark)),
        Acceptance::Fin(mark) => out.push_str(&atom("Fin", *mark)),
        Acceptance::And(parts) => list(parts, " ∧ ", out),
        Acceptance::Or(parts) => list(parts, " ∨ ", out),
    }
}

/// Text with the marks beside it as coloured badges. The badges are table cells: filled circles
/// with digits exist as characters, but many fonts have no zero among them.
fn with_badges(text: &str, marks: &MarkSet) -> String {
    if marks.is_empty() {
        return text.to_owned();
    }
    let mut html = format!(
        "<table border=\"0\" cellborder=\"0\" cellspacing=\"2\" cellpadding=\"1\">\
         <tr><td>{text}</td>"
    );
    for mark in marks.iter().take(MANY) {
        write!(
            html,
            "<td bgcolor=\"{}\" style=\"rounded\"><font color=\"white\" point-size=\"9\"><b>\
             &#160;{mark}&#160;</b></font></td>",
            colour(mark)
        )
        .expect("a string takes everything");
    }
    if marks.len() > MANY {
        write!(html, "<td>+{}</td>", marks.len() - MANY).expect("a string takes everything");
    }
    html + "</tr></table>"
}

fn colour(mark: Mark) -> &'static str {
    COLOURS[mark.0 as usize % COLOURS.len()]
}

/// A long name with the middle left out.
fn abridged(name: &str) -> String {
    const LONG: usize = 120;
    let count = name.chars().count();
    if count <= LONG {
        return name.to_owned();
    }
    let start: String = name.chars().take(LONG - 21).collect();
    let end: String = name.chars().skip(count - 20).collect();
    format!("{start}…{end}")
}

/// Text for an HTML label.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\n' => html.push_str("<br/>"),
            c if c.is_control() => html.push('\u{fffd}'),
            c => html.push(c),
        }
    }
    if html.is_empty() { "&#160;".to_owned() } else { html }
}

/// The same, broken into lines: a disjunct that does not fit starts a line, a long one is broken at
/// its operators, and what is longer still at any space.
fn wrapped(text: &str) -> String {
    let fits = |text: &str| text.chars().count() <= LINE;
    let mut lines: Vec<String> = Vec::new();
    let add = |lines: &mut Vec<String>, word: &str| match lines.last_mut() {
        Some(line) if fits(&format!("{line} {word}")) => {
            line.push(' ');
            line.push_str(word);
        }
        _ => lines.push(word.to_owned()),
    };
    let mut disjuncts = text.split(" | ").peekable();
    while let Some(disjunct) = disjuncts.next() {
        let mut disjunct = disjunct.to_owned();
        disjunct.push_str(if disjuncts.peek().is_some() { " |" } else { "" });
        if fits(&disjunct) {
            add(&mut lines, &disjunct);
            continue;
        }
        // An operator stays at the end of its line.
        let mut own: Vec<String> = Vec::new();
        for part in disjunct.split_inclusive(" & ").map(str::trim_end) {
            if fits(part) {
                add(&mut own, part);
            } else {
                part.split(' ').for_each(|word| add(&mut own, word));
            }
        }
        lines.extend(own);
    }
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br/>")
}

struct Labels {
    letters: Letters,
    texts: HashMap<Label, String>,
}

impl Labels {
    fn text(&mut self, automaton: &Automaton, label: Label) -> &str {
        let letters = &mut self.letters;
        self.texts.entry(label).or_insert_with(|| {
            let mut name = |text: &mut String, prop: Prop| {
                let name = abridged(&automaton.propositions()[prop.0 as usize]);
                let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@');
                if !name.is_empty() && name.chars().all(plain) {
                    text.push_str(&name);
                } else {
                    text.push_str(&format!("“{name}”"));
                }
            };
            match expression::print_cover(letters, label, MANY, &SIGNS, &mut name) {
                Some(text) if text.chars().count() <= 400 => wrapped(&text),
                _ => {
                    let propositions = letters.support(label).len();
                    format!("<i>a formula over {propositions} propositions</i>")
                }
            }
        })
    }
}
