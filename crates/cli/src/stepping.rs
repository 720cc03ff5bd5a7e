//! Algorithms shown one event after the other: in a terminal forwards and backwards, otherwise all at once.
//!
//! The events are plain data that an engine gives to an observer (`fairly_omega::emptiness::Event`) and a tableau
//! keeps (`fairly_translate::Expansion`). A picture is made from the events so far, and from nothing else, so
//! whatever plays the same events elsewhere can show the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;

use fairly_omega::Automaton;
use fairly_omega::emptiness::{Colour, Event};
use fairly_omega::formats::word;
use fairly_report::breadth;
use fairly_source::escape::in_line;
use fairly_translate::{Expansion, Explanation, NodeSets};
use serde_json::{Value, json};

use crate::edit::Editor;
use crate::failure::CliError;
use crate::output;

/// A step as it is shown: what happens, and what there is then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    said: String,
    now: String,
}

/// The steps of a search, or of a degeneralization.
pub(crate) fn of_search(events: &[Event]) -> Vec<Frame> {
    // The procedures of the papers keep no stack of components.
    let has_stack = |event: &Event| matches!(event, Event::Merged { .. } | Event::Closed { .. });
    let mut picture = Picture { parts: !events.iter().any(has_stack), ..Picture::default() };
    let frame = |event| {
        let said = picture.see(event);
        Frame { said, now: picture.drawn() }
    };
    events.iter().map(frame).collect()
}

/// The steps of the construction of Gerth, Peled, Vardi and Wolper.
pub(crate) fn of_tableau(explanation: &Explanation) -> Vec<Frame> {
    let frame = |step: &Expansion| {
        let (said, sets) = said_of(step);
        Frame { said, now: shown(sets) }
    };
    explanation.steps.iter().map(frame).collect()
}

/// Says in words how a step of the tableau changes a node, and gives the node.
pub(crate) fn said_of(step: &Expansion) -> (String, &NodeSets) {
    match step {
        Expansion::Processed { node, formula, sets, into } => {
            let goes_on = match into.as_slice() {
                [] => "discarded".to_owned(),
                [same] if same == node => "goes on".to_owned(),
                [one] => format!("goes on as node {one}"),
                several => {
                    let names: Vec<String> = several.iter().map(u32::to_string).collect();
                    format!("split into nodes {}", names.join(" and "))
                }
            };
            (format!("node {node}: process {formula}: {goes_on}"), sets)
        }
        Expansion::Finished { node, state, joined, sets } => {
            let becomes = match joined {
                true => format!("joins state {state}"),
                false => format!("becomes state {state}"),
            };
            (format!("node {node}: nothing is new: {becomes}"), sets)
        }
    }
}

/// The sets of a node on one line.
pub(crate) fn shown(sets: &NodeSets) -> String {
    let set = |formulas: &[String]| format!("{{{}}}", formulas.join(", "));
    let incoming: Vec<String> = sets.incoming.iter().map(u32::to_string).collect();
    format!(
        "Incoming {{{}}}  New {}  Old {}  Next {}",
        incoming.join(", "),
        set(&sets.new),
        set(&sets.old),
        set(&sets.next)
    )
}

/// The graph that an algorithm works on, as data: what the numbers in its events stand for.
pub(crate) fn graph(automaton: &Automaton) -> Value {
    let nodes: Vec<String> = automaton.states().map(|state| name(automaton, state.0)).collect();
    let initial: Vec<u32> = automaton.initial().iter().map(|state| state.0).collect();
    let mut letters = automaton.letters().clone();
    let edges: Vec<Value> = automaton
        .states()
        .flat_map(|from| automaton.edges(from).iter().map(move |edge| (from, edge)))
        .map(|(from, edge)| {
            let label = word::print_letter(edge.label, &mut letters, automaton.propositions());
            let marks: Vec<u32> = automaton.marks(edge.marks).iter().map(|mark| mark.0).collect();
            json!({
                "from": from.0,
                "to": edge.target.0,
                "label": label.unwrap_or_else(|_| "…".to_owned()),
                "marks": marks,
            })
        })
        .collect();
    json!({
        "acceptance": automaton.acceptance().to_string(),
        "nodes": nodes,
        "initial": initial,
        "edges": edges,
    })
}

fn name(automaton: &Automaton, state: u32) -> String {
    automaton.state_name(fairly_omega::StateId(state)).unwrap_or_default().to_owned()
}

/// The names of the nodes, a line each; empty if they have none.
pub(crate) fn legend(automaton: &Automaton) -> String {
    let mut text = String::new();
    for state in automaton.states() {
        let name = name(automaton, state.0);
        if !name.is_empty() {
            let initial = if automaton.initial().contains(&state) { "  initial" } else { "" };
            let _ = writeln!(text, "  {:>4}  {}{initial}", state.0, in_line(&name));
        }
    }
    text
}

/// Prints steps below a head; in a terminal one after the other, as they are asked for.
pub(crate) fn show(head: &str, frames: Vec<Frame>) -> Result<(), CliError> {
    let mut text = head.to_owned();
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        frames.iter().enumerate().for_each(|(at, frame)| frame.write(at, usize::MAX, &mut text));
        return output::write(&text, None);
    }
    let mut editor = Editor::new();
    let mut walk = Walk { frames, shown: 0, width: output::width() };
    text.push_str(HELP);
    walk.obey("", &mut text);
    loop {
        output::write(&text, None)?;
        let line = editor.line("> ");
        let line = line.map_err(|error| CliError::usage(format!("cannot read: {error}")))?;
        text.clear();
        match line {
            Some(line) if walk.obey(&line, &mut text) => {}
            _ => return output::write(&text, None),
        }
    }
}

const HELP: &str = "Enter: next step; and before Enter, b: back, 3: step 3, r: the rest, q: quit\n";

impl Frame {
    /// Appends the step in lines of at most so many columns, where its words allow.
    fn write(&self, at: usize, width: usize, text: &mut String) {
        let said = format!("{:>4}  {}", at + 1, in_line(&self.said));
        wrap(&said, 0, width, text);
        let now = in_line(&self.now);
        // Parts that stand apart get lines of their own if one line is not enough for all.
        let fits = breadth(&now) + INDENT <= width;
        let parts: Vec<&str> = if fits { vec![&now[..]] } else { now.split("  ").collect() };
        parts
            .iter()
            .filter(|part| !part.is_empty())
            .for_each(|part| wrap(part, INDENT, width, text));
    }
}

/// Columns before what there is after a step.
const INDENT: usize = 6;

/// Appends a text in lines of at most so many columns; those behind the first are indented a little more.
fn wrap(line: &str, indent: usize, width: usize, text: &mut String) {
    let more = INDENT + 2;
    let mut used = indent;
    text.push_str(&" ".repeat(indent));
    for (at, word) in line.split(' ').enumerate() {
        let wide = breadth(word) + usize::from(at > 0);
        if at > 0 && used + wide > width && used > more {
            text.push('\n');
            text.push_str(&" ".repeat(more));
            used = more + breadth(word);
        } else {
            text.push_str(if at > 0 { " " } else { "" });
            used += wide;
        }
        text.push_str(word);
    }
    text.push('\n');
}

/// A way through the steps.
struct Walk {
    frames: Vec<Frame>,
    /// How many have been shown; the last of them is where we are.
    shown: usize,
    /// Columns of the terminal.
    width: usize,
}

impl Walk {
    /// Appends what a line that was typed asks for; `false` if it is the end.
    fn obey(&mut self, line: &str, text: &mut String) -> bool {
        let count = self.frames.len();
        let (first, last) = match line.trim() {
            "" => (self.shown + 1, self.shown + 1),
            "b" | "back" => {
                (self.shown.saturating_sub(1).max(1), self.shown.saturating_sub(1).max(1))
            }
            "r" | "rest" => (self.shown + 1, count.max(self.shown + 1)),
            "q" | "quit" => return false,
            "?" | "h" | "help" => {
                text.push_str(HELP);
                return true;
            }
            number => match number.parse::<usize>() {
                Ok(number) if (1..=count).contains(&number) => (number, number),
                Ok(_) => {
                    let _ = writeln!(text, "there are steps 1 to {count}");
                    return true;
                }
                Err(_) => {
                    let _ = write!(text, "`{}` is none of these:\n{HELP}", in_line(number));
                    return true;
                }
            },
        };
        if first > count {
            text.push_str("that was the last step\n");
            return true;
        }
        (first..=last).for_each(|at| self.frames[at - 1].write(at - 1, self.width, text));
        self.shown = last;
        true
    }
}

/// Events that have been seen so far.
#[derive(Default)]
struct Picture {
    /// Nested search: by node and level.
    colours: BTreeMap<(u32, u32), Colour>,
    /// Path-based search: the components on the stack, with their marks.
    stack: Vec<(Vec<u32>, Vec<u32>)>,
    dead: Vec<u32>,
    /// Whether the search goes over vertices with marks, and has no such stack: then what was met is shown, and the part
    /// that is judged.
    parts: bool,
    part: Vec<u32>,
}

fn list(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    numbers.join(" ")
}

impl Picture {
    fn see(&mut self, event: &Event) -> String {
        match event {
            Event::Opened { node } => {
                self.stack.push((vec![*node], Vec::new()));
                format!("open {node}")
            }
            Event::Coloured { node, level, colour } => {
                self.colours.insert((*node, *level), *colour);
                format!("{node}{} becomes {}", of_level(*level), word(*colour))
            }
            Event::Seed { node, level } => {
                format!("inner search from {node}{}", of_level(*level))
            }
            Event::Merged { nodes, marks } => {
                let root = nodes.first().copied().unwrap_or_default();
                let at = self.stack.iter().position(|(component, _)| component.contains(&root));
                self.stack.truncate(at.unwrap_or(0));
                self.stack.push((nodes.clone(), marks.clone()));
                format!("a cycle closes: root {root}, marks {{{}}}", list(marks))
            }
            Event::Component { nodes } => {
                self.part.clone_from(nodes);
                format!("judge the component {{{}}}", list(nodes))
            }
            Event::Avoided { marks } => format!("leave out edges with marks {{{}}}", list(marks)),
            Event::Removed { nodes } => {
                // A node stands there once for each set of marks that it is entered with.
                for node in nodes {
                    let at = self.part.iter().position(|it| it == node);
                    at.map(|at| self.part.remove(at));
                }
                format!("remove bad nodes {{{}}}", list(nodes))
            }
            Event::Closed { node } => {
                let at = self.stack.iter().position(|(component, _)| component.contains(node));
                for (component, _) in self.stack.drain(at.unwrap_or(0)..) {
                    self.dead.extend(component);
                }
                format!("the component of {node} is dead")
            }
            Event::Level { from, level, to, next, accepting } => {
                let half = match (accepting, level == next) {
                    (true, _) => "the last set is met: accepting",
                    (false, true) => "waits for its set",
                    (false, false) => "its set is met",
                };
                format!("{from}{} -> {to}{}  {half}", of_level(*level), of_level(*next))
            }
            Event::Accepted { stem, cycle } => {
                format!("accepted: {} cycle{{{}}}", list(stem), list(cycle)).replace("  ", " ")
            }
        }
    }

    fn drawn(&self) -> String {
        if !self.colours.is_empty() {
            let one = |(&(node, level), &colour): (&(u32, u32), &Colour)| {
                format!("{node}{} {}", of_level(level), word(colour))
            };
            return self.colours.iter().map(one).collect::<Vec<_>>().join(", ");
        }
        if self.parts && self.stack.is_empty() {
            return String::new();
        }
        if self.parts {
            let met: BTreeSet<u32> =
                self.stack.iter().flat_map(|it| it.0.iter().copied()).collect();
            let met = list(&met.into_iter().collect::<Vec<_>>());
            return match self.part.as_slice() {
                [] => format!("met {{{met}}}"),
                part => format!("met {{{met}}}  judged {{{}}}", list(part)),
            };
        }
        let component = |(nodes, marks): &(Vec<u32>, Vec<u32>)| match marks.is_empty() {
            true => format!("[{}]", list(nodes)),
            false => format!("[{}]{{{}}}", list(nodes), list(marks)),
        };
        let stack: Vec<String> = self.stack.iter().map(component).collect();
        match self.dead.as_slice() {
            [] => stack.join(" "),
            dead => format!("{}  dead: {}", stack.join(" "), list(dead)).trim_start().to_owned(),
        }
    }
}

fn of_level(level: u32) -> String {
    match level {
        0 => String::new(),
        level => format!("@{level}"),
    }
}

fn word(colour: Colour) -> &'static str {
    match colour {
        Colour::Cyan => "cyan",
        Colour::Blue => "blue",
        Colour::Red => "red",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_forwards_and_backwards() {
        let frame = |said: &str| Frame { said: said.to_owned(), now: String::new() };
        let frames = vec![frame("one"), frame("two"), frame("three")];
        let mut walk = Walk { frames, shown: 0, width: 80 };
        let mut typed = |line: &str| {
            let mut text = String::new();
            let goes_on = walk.obey(line, &mut text);
            (goes_on, text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(typed(""), (true, "1 one".to_owned()));
        assert_eq!(typed(""), (true, "2 two".to_owned()));
        assert_eq!(typed("b"), (true, "1 one".to_owned()));
        assert_eq!(typed("b"), (true, "1 one".to_owned()));
        assert_eq!(typed("3"), (true, "3 three".to_owned()));
        assert_eq!(typed(""), (true, "that was the last step".to_owned()));
        assert_eq!(typed("r"), (true, "that was the last step".to_owned()));
        assert_eq!(typed("1"), (true, "1 one".to_owned()));
        assert_eq!(typed("r"), (true, "2 two 3 three".to_owned()));
        assert_eq!(typed("4"), (true, "there are steps 1 to 3".to_owned()));
        assert!(typed("b5").1.starts_with("`b5` is none of these: Enter: next step"));
        assert_eq!(typed("q"), (false, String::new()));
    }

    #[test]
    fn long_steps_keep_to_the_terminal() {
        let sets = format!("New {{}}  Old {{{}}}  Next {{}}", ["true U p"; 12].join(", "));
        let frame = Frame { said: "node 2: process p: goes on".to_owned(), now: sets.clone() };
        let mut text = String::new();
        frame.write(0, 40, &mut text);
        assert!(text.lines().all(|line| breadth(line) <= 40), "{text}");
        assert!(text.contains("\n      New {}\n      Old {true U p, "), "{text}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).ends_with(&words(&sets)), "{text}");
        // Where there is room, nothing is broken.
        let mut text = String::new();
        frame.write(0, usize::MAX, &mut text);
        assert_eq!(text.lines().nth(1), Some(format!("      {sets}").as_str()));
    }
}
