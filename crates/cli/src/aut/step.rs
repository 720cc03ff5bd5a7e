//! `fairly aut step`: a search or a degeneralization, one event after the other.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use fairly_omega::emptiness::{Colour, Event, degeneralization};
use fairly_search::engines::{Engine, Question};
use serde_json::json;

use super::arguments::{Format, Step};
use super::{Named, Reading};
use crate::failure::Failure;
use crate::output;

pub(super) fn run(request: &Step, reading: &Reading) -> Result<ExitCode, Failure> {
    let mut documents = Vec::new();
    for Named { source, automaton } in reading.each(&request.input.files)? {
        let usage = |message: String| Failure::Usage { message, help: None };
        let (name, events) = if request.degeneralize {
            let events = degeneralization(&mut automaton.graph())
                .map_err(|undecided| usage(format!("{source}: {undecided}")))?;
            let events = events.ok_or_else(|| {
                usage(format!("{source}: the condition is not generalized Büchi"))
            })?;
            ("degeneralization", events)
        } else {
            let engine = match &request.engine {
                None => Engine::planned(Question::Runs, automaton.acceptance()),
                Some(name) => Engine::named(name).expect("clap checked the name"),
            };
            let mut events = Vec::new();
            engine
                .find_path_observed(&mut automaton.graph(), &mut events)
                .map_err(|undecided| usage(format!("{source}: {undecided}")))?;
            (engine.name, events)
        };
        match request.format {
            Format::Json => {
                documents.push(json!({ "source": source, "engine": name, "events": events }));
            }
            Format::Human => show(&source, name, &events)?,
        }
    }
    if request.format == Format::Json {
        output::write(&super::answers::document("fairly.aut.step/1", &documents), None)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the events; in a terminal, one each time that Enter is pressed.
fn show(source: &str, name: &str, events: &[Event]) -> Result<(), Failure> {
    let waits = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut picture = Picture::default();
    let mut text = format!("{source}   {name} · {} steps\n", events.len());
    for (at, event) in events.iter().enumerate() {
        let said = picture.see(event);
        let _ = write!(text, "{:>4}  {said}", at + 1);
        let now = picture.drawn();
        let _ = match now.is_empty() {
            true => writeln!(text),
            false => writeln!(text, "\n      {now}"),
        };
        if waits {
            output::write(&text, None)?;
            text.clear();
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line);
            if read.is_err() || line.trim() == "q" {
                return Ok(());
            }
        }
    }
    output::write(&text, None)
}

/// What has been seen so far.
#[derive(Default)]
struct Picture {
    /// Nested search: by node and level.
    colours: BTreeMap<(u32, u32), Colour>,
    /// Path-based search: the components on the stack, with their marks.
    stack: Vec<(Vec<u32>, Vec<u32>)>,
    dead: Vec<u32>,
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
            Event::Component { nodes } => format!("judge the component {{{}}}", list(nodes)),
            Event::Avoided { marks } => format!("leave out edges with marks {{{}}}", list(marks)),
            Event::Removed { nodes } => format!("remove bad nodes {{{}}}", list(nodes)),
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
