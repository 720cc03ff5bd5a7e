//! A lasso as a person reads it: the steps, the word, and why the cycle is accepted.

use std::fmt::Write;

use fairly_omega::{Acceptance, Automaton, Edge, Hop, Lasso, Mark, MarkSet, StateId};

use super::letters::label_text;

/// The edge that a hop takes.
fn edge(automaton: &Automaton, hop: &Hop) -> Edge {
    automaton.edges(hop.from)[hop.nth as usize]
}

/// A state as its number, with its name if it has one.
fn state(automaton: &Automaton, state: StateId) -> String {
    match automaton.state_name(state) {
        Some(name) => format!("{state} \"{name}\""),
        None => state.to_string(),
    }
}

fn marks_text(marks: &MarkSet) -> String {
    if marks.is_empty() {
        return String::new();
    }
    let list: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    format!("  {{{}}}", list.join(" "))
}

/// The steps of the lasso, one a line, with the cycle bracketed.
pub(super) fn steps(automaton: &Automaton, lasso: &Lasso) -> String {
    let rows: Vec<(String, String, String, String)> = lasso
        .stem
        .iter()
        .chain(&lasso.cycle)
        .map(|hop| {
            let edge = edge(automaton, hop);
            (
                state(automaton, hop.from),
                label_text(automaton, edge.label),
                state(automaton, hop.to),
                marks_text(automaton.marks(edge.marks)),
            )
        })
        .collect();
    let width = |column: fn(&(String, String, String, String)) -> &String| {
        rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
    };
    let (from_width, label_width, to_width) =
        (width(|row| &row.0), width(|row| &row.1).min(48), width(|row| &row.2));
    let mut text = String::new();
    for (at, (from, label, to, marks)) in rows.iter().enumerate() {
        let last = at + 1 == rows.len();
        let bracket = match at.checked_sub(lasso.stem.len()) {
            None => "  ",
            Some(0) if last => "▷ ",
            Some(0) => "┌─",
            Some(_) if last => "└─",
            Some(_) => "│ ",
        };
        let line = format!(
            "  {bracket} {:>3}  {from:from_width$}  [{label}]{:pad$}  → {to:to_width$}{marks}",
            at + 1,
            "",
            pad = label_width.saturating_sub(label.chars().count()),
        );
        let again =
            if last { format!("   repeat from {}", lasso.stem.len() + 1) } else { String::new() };
        let _ = writeln!(text, "{}{again}", line.trim_end());
    }
    text
}

/// The marks that the cycle takes.
pub(super) fn cycle_marks(automaton: &Automaton, lasso: &Lasso) -> MarkSet {
    let mut seen = MarkSet::new();
    for hop in &lasso.cycle {
        seen.union_with(automaton.marks(edge(automaton, hop).marks));
    }
    seen
}

/// The word that the lasso reads, in the notation that `fairly aut accepts` takes.
pub(super) fn word(automaton: &Automaton, lasso: &Lasso) -> String {
    let letters = |hops: &[Hop]| {
        let texts: Vec<String> =
            hops.iter().map(|hop| label_text(automaton, edge(automaton, hop).label)).collect();
        texts.join("; ")
    };
    let stem = if lasso.stem.is_empty() { String::new() } else { letters(&lasso.stem) + "; " };
    format!("{stem}cycle{{{}}}", letters(&lasso.cycle))
}

/// Why the cycle is accepted: one line for each conjunct of the condition.
pub(super) fn reasons(automaton: &Automaton, lasso: &Lasso) -> String {
    let seen = cycle_marks(automaton, lasso);
    let conjuncts = match automaton.acceptance() {
        Acceptance::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let at_step = |mark: Mark| {
        let position = lasso
            .cycle
            .iter()
            .position(|hop| automaton.marks(edge(automaton, hop).marks).contains(mark));
        position.map_or(0, |position| lasso.stem.len() + position + 1)
    };
    let width = conjuncts.iter().map(|part| part.to_string().chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for part in &conjuncts {
        let because = because(part, &seen, &at_step);
        let _ = writeln!(text, "    {:width$}  {because}", part.to_string());
    }
    text
}

fn because(part: &Acceptance, seen: &MarkSet, at_step: &impl Fn(Mark) -> usize) -> String {
    match part {
        Acceptance::True => "every infinite run is accepted".to_owned(),
        Acceptance::False => "never".to_owned(),
        Acceptance::Inf(mark) => format!("{mark} is met at step {}", at_step(*mark)),
        Acceptance::Fin(mark) => format!("{mark} is not on the cycle"),
        Acceptance::And(parts) => {
            let all: Vec<String> = parts.iter().map(|part| because(part, seen, at_step)).collect();
            all.join(" and ")
        }
        Acceptance::Or(parts) => {
            let holding = parts.iter().find(|part| part.accepts(seen)).unwrap_or(part);
            because(holding, seen, at_step)
        }
    }
}
