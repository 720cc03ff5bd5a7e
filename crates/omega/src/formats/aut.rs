//! Aldebaran `.aut` files: labelled transition systems, as CADP and mCRL2 write them.
//!
//! ```text
//! des (0, 3, 2)
//! (0, "PUSH !1", 1)
//! (1, "POP !1", 0)
//! (1, i, 1)
//! ```
//!
//! The first line gives the initial state, the number of transitions and the number of states. An
//! event may stand in double quotes; it reaches from the first comma of its line to the last.
//!
//! The events become the propositions, in the order in which they first appear when the transitions
//! are sorted by source, as tools write them. Each edge is labelled with the letter in which
//! exactly its event is true. Every run is accepted. Diagrams for `n` such letters have about
//! `n² / 2` nodes, so some 2,800 different events are the most that are read.
//!
//! ```
//! use fairly_omega::formats::aut;
//! let text = "des (0, 3, 2)\n(0, \"PUSH !1\", 1)\n(1, \"POP !1\", 0)\n(1, \"i\", 1)\n";
//! let automaton = aut::parse(text).unwrap();
//! assert_eq!(automaton.propositions(), ["PUSH !1", "POP !1", "i"]);
//! assert_eq!(aut::print(&automaton).unwrap(), text);
//! ```
//!
//! # Errors
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0401` | no `des (…)` at the start |
//! | `E0402` | a line that is not `(state, event, state)` |
//! | `E0403` | a number that is too large |
//! | `E0404` | a state beyond the number of states |
//! | `E0405` | not as many transitions as announced |
//! | `E0406` | many more states announced than the transitions can name |
//! | `E0407` | too many different events |

use std::fmt::Write;

use fairly_source::{Diagnostic, Span};
use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, Edge, StateId};
use crate::formats::expression::{self, Signs};
use crate::formats::{Format, PrintError};
use crate::letters::{Label, Letters, Prop};
use crate::marks::MarkSetId;
use crate::refused::BudgetError;

/// States beyond those that the transitions can name. A state without any transition is allowed,
/// but a declared number must not buy memory.
const SPARE_STATES: u64 = 1024;

/// The transition system as an automaton that accepts every run.
///
/// # Errors
/// See the table of this module.
pub fn parse(text: &str) -> Result<Automaton, Diagnostic> {
    let mut lines = Lines { text, at: 0 };
    let Some(first) = lines.next() else {
        return Err(no_header(Span::at(text.len())));
    };
    let header = Header::read(text, first)?;
    let mut events: HashMap<&str, u32> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut transitions: Vec<(u32, u32, u32)> = Vec::new();
    for line in lines {
        let (from, event, to) = header.transition(text, line)?;
        let number = *events.entry(event).or_insert_with(|| {
            names.push(event);
            names.len() as u32 - 1
        });
        transitions.push((from, number, to));
    }
    if header.transitions.0 != transitions.len() as u64 {
        let (announced, span) = header.transitions;
        let message =
            format!("{announced} transitions are announced but {} are listed", transitions.len());
        return Err(Diagnostic::error("E0405", message, span));
    }
    let (states, span) = header.states;
    if states > 2 * transitions.len() as u64 + 1 + SPARE_STATES {
        let message = format!(
            "{states} states are announced, but {} transitions cannot lead to that many",
            transitions.len()
        );
        return Err(Diagnostic::error("E0406", message, span));
    }

    transitions.sort_by_key(|&(from, ..)| from);
    let mut order: HashMap<u32, Prop> = HashMap::new();
    for &(_, event, _) in &transitions {
        let next = Prop(order.len() as u32);
        order.entry(event).or_insert(next);
    }
    let mut propositions = vec![String::new(); names.len()];
    for (event, prop) in &order {
        propositions[prop.0 as usize] = names[*event as usize].to_owned();
    }
    let mut builder = Builder::new(propositions);
    let labels = one_hot(builder.letters_mut(), names.len()).map_err(|refused| {
        let message = format!("{} different events are too many: {refused}", names.len());
        Diagnostic::error("E0407", message, span)
    })?;
    builder.add_states(states as usize);
    builder.add_initial(StateId(header.initial));
    for (from, event, to) in transitions {
        let label = labels[order[&event].0 as usize];
        let edge = Edge { target: StateId(to), label, marks: MarkSetId::EMPTY };
        builder.add_interned(StateId(from), edge);
    }
    Ok(builder.build())
}

/// For each of `count` propositions the letter in which it alone is true.
fn one_hot(letters: &mut Letters, count: usize) -> Result<Vec<Label>, BudgetError> {
    // The need of the diagrams is known beforehand; it would be a waste to fill the store only to see it fail.
    let nodes = count.saturating_mul(count.saturating_add(1)) / 2;
    if nodes > Letters::DEFAULT_LIMIT - 2 {
        let limit = Letters::DEFAULT_LIMIT;
        return Err(BudgetError { resource: crate::Resource::LetterNodes, limit });
    }
    let mut literals: Vec<(Prop, bool)> =
        (0..count).map(|prop| (Prop(prop as u32), false)).collect();
    let mut labels = Vec::with_capacity(count);
    for event in 0..count {
        literals[event].1 = true;
        labels.push(letters.cube(&literals)?);
        literals[event].1 = false;
    }
    Ok(labels)
}

/// Lines that are not blank, as spans without surrounding white space.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = Span::new(self.at, self.at + length);
            self.at += length + 1;
            let line = trimmed(self.text, line);
            if line.start < line.end {
                return Some(line);
            }
        }
        None
    }
}

fn trimmed(text: &str, span: Span) -> Span {
    let inner = &text[span.start..span.end];
    let start = span.start + inner.len() - inner.trim_start().len();
    Span::new(start, start + inner.trim().len())
}

fn no_header(span: Span) -> Diagnostic {
    Diagnostic::error("E0401", "this is not an Aldebaran file", span)
        .label("expected `des (initial, transitions, states)`")
}

/// The number in `span`, below 2³².
fn number(text: &str, span: Span) -> Option<Result<u64, Diagnostic>> {
    let span = trimmed(text, span);
    let digits = &text[span.start..span.end];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fits = digits.parse::<u64>().ok().filter(|&value| value < u64::from(u32::MAX));
    Some(fits.ok_or_else(|| Diagnostic::error("E0403", "this number is too large", span)))
}

struct Header {
    initial: u32,
    transitions: (u64, Span),
    states: (u64, Span),
}

impl Header {
    fn read(text: &str, line: Span) -> Result<Header, Diagnostic> {
        let written = &text[line.start..line.end];
        let inner = written
            .strip_prefix("des")
            .and_then(|rest| rest.trim_start().strip_prefix('('))
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(|| no_header(line))?;
        let mut at = line.end - 1 - inner.len();
        let mut numbers = Vec::new();
        for part in inner.split(',') {
            let span = Span::new(at, at + part.len());
            numbers
                .push((number(text, span).ok_or_else(|| no_header(span))??, trimmed(text, span)));
            at += part.len() + 1;
        }
        let [initial, transitions, states] = numbers.try_into().map_err(|_| no_header(line))?;
        let mut header = Header { initial: 0, transitions, states };
        header.initial = header.state(initial.0, initial.1)?;
        Ok(header)
    }

    fn state(&self, state: u64, span: Span) -> Result<u32, Diagnostic> {
        if state < self.states.0 {
            return Ok(state as u32);
        }
        let message = format!("there is no state {state}");
        let label = format!("the first line announces {} states", self.states.0);
        Err(Diagnostic::error("E0404", message, span).label(label))
    }

    /// `(from, event, to)`
    fn transition<'a>(&self, text: &'a str, line: Span) -> Result<(u32, &'a str, u32), Diagnostic> {
        let written = &text[line.start..line.end];
        let wrong = || {
            Diagnostic::error("E0402", "this is not a transition", line)
                .label("expected `(state, \"event\", state)`")
        };
        let inner = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.ok_or_else(wrong)?;
        let (first, last) = inner.find(',').zip(inner.rfind(',')).ok_or_else(wrong)?;
        if first == last {
            return Err(wrong());
        }
        let base = line.start + 1;
        let end = |from: usize, to: usize| -> Result<u32, Diagnostic> {
            let span = trimmed(text, Span::new(base + from, base + to));
            self.state(number(text, span).ok_or_else(wrong)??, span)
        };
        let (from, to) = (end(0, first)?, end(last + 1, inner.len())?);
        let event = inner[first + 1..last].trim();
        let quoted = event.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Ok((from, quoted.unwrap_or(event), to))
    }
}

/// The automaton as an Aldebaran file. An edge that stands for one event is written with its name,
/// any other with the formula of its label. Names of states and of the automaton are lost.
///
/// # Errors
/// When something would be lost that changes the meaning: an acceptance condition, more or fewer
/// than one initial state, an event name with a line break.
pub fn print(automaton: &Automaton) -> Result<String, PrintError> {
    let format = Format::Aldebaran;
    if *automaton.acceptance() != Acceptance::True {
        return Err(PrintError::Acceptance {
            format,
            remedy: "an .aut file is a transition system: every run counts",
        });
    }
    let &[initial] = automaton.initial() else {
        return Err(PrintError::InitialStates { format, found: automaton.initial().len() });
    };
    if let Some(name) = automaton.propositions().iter().find(|name| name.contains(['\n', '\r'])) {
        return Err(PrintError::Name { format, name: name.clone() });
    }
    let mut text = String::new();
    let edges = automaton.edge_count();
    writeln!(text, "des ({initial}, {edges}, {})", automaton.state_count()).expect("a string");
    let mut labels = HashMap::new();
    let mut letters = automaton.letters().clone();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            if !labels.contains_key(&edge.label) {
                labels.insert(edge.label, event(automaton, &mut letters, edge.label)?);
            }
            let event = &labels[&edge.label];
            writeln!(text, "({state}, \"{event}\", {})", edge.target).expect("a string");
        }
    }
    Ok(text)
}

/// Name of an edge: an event if the label is one, else a formula.
fn event(automaton: &Automaton, letters: &mut Letters, label: Label) -> Result<String, PrintError> {
    const SIGNS: Signs = Signs { and: " & ", or: " | ", yes: "1", no: "0" };
    let propositions = automaton.propositions();
    if let Some(cube) = letters.single_cube(label)
        && cube.len() == propositions.len()
    {
        let mut events = cube.iter().filter(|(_, value)| *value);
        if let (Some((prop, _)), None) = (events.next(), events.next()) {
            return Ok(propositions[prop.0 as usize].clone());
        }
    }
    let mut name = |text: &mut String, prop: Prop| text.push_str(&propositions[prop.0 as usize]);
    expression::print(letters, label, &SIGNS, &mut name).map_err(PrintError::Label)
}
