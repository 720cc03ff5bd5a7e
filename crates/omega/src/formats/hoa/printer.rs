//! Writing HOA.

use std::fmt::{self, Write};

use hashbrown::HashMap;

use crate::alternating::Alternating;
use crate::automaton::{Automaton, StateId};
use crate::formats::expression::{self, Signs};
use crate::formats::hoa::claims::{Shape, Verdict};
use crate::formats::hoa::condition;
use crate::letters::{Label, Letters};
use crate::marks::MarkSet;

/// A label that takes more cubes than this is written with aliases instead.
const MANY_CUBES: usize = 32;

const SIGNS: Signs = Signs { and: "&", or: " | ", yes: "t", no: "f" };

/// The automaton in HOA, ending with a newline.
///
/// ```
/// use fairly_omega::formats::hoa;
/// let text = "HOA: v1 States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)
///             --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
/// let automaton = hoa::parse(text).unwrap().remove(0);
/// let printed = hoa::print(&automaton);
/// assert!(printed.contains("acc-name: Buchi\n"));
/// assert_eq!(hoa::parse(&printed).unwrap(), [automaton]);
/// ```
pub fn print(automaton: &Automaton) -> String {
    let mut text = String::new();
    write(automaton, &mut text).expect("a string takes everything");
    text
}

/// Writes the automaton in HOA to `out`.
///
/// # Errors
/// Only those of `out`.
pub fn write(automaton: &Automaton, out: &mut impl Write) -> fmt::Result {
    write_with(automaton, automaton.state_count(), &|state| state.to_string(), out)
}

/// An alternating automaton in HOA, ending with a newline.
pub fn print_alternating(automaton: &Alternating) -> String {
    let base = automaton.base();
    let mut names: Vec<String> = automaton.states().map(|state| state.to_string()).collect();
    names.extend(
        automaton
            .conjunctions()
            .map(|members| members.iter().map(StateId::to_string).collect::<Vec<_>>().join("&")),
    );
    let mut text = String::new();
    write_with(base, automaton.state_count(), &|state| names[state.index()].clone(), &mut text)
        .expect("a string takes everything");
    text
}

/// Writes the first `states` states; `target` is how a target is written.
fn write_with(
    automaton: &Automaton,
    states: usize,
    target: &dyn Fn(StateId) -> String,
    out: &mut impl Write,
) -> fmt::Result {
    let labels = Labels::new(automaton);
    let state_marks = automaton.state_marks();

    writeln!(out, "HOA: v1")?;
    if let Some(name) = automaton.name() {
        writeln!(out, "name: {}", Quoted(name))?;
    }
    writeln!(out, "States: {states}")?;
    for &state in automaton.initial() {
        writeln!(out, "Start: {}", target(state))?;
    }
    write!(out, "AP: {}", automaton.propositions().len())?;
    for proposition in automaton.propositions() {
        write!(out, " {}", Quoted(proposition))?;
    }
    writeln!(out)?;
    if let Some(class) = condition::name(automaton.acceptance(), automaton.mark_count()) {
        writeln!(out, "acc-name: {class}")?;
    }
    writeln!(out, "Acceptance: {} {}", automaton.mark_count(), automaton.acceptance())?;
    let accepting = if state_marks.is_some() { "state-acc" } else { "trans-acc" };
    write!(out, "properties: trans-labels explicit-labels {accepting}")?;
    if states < automaton.state_count() {
        write!(out, " univ-branch")?;
    }
    let shape = Shape::of(automaton, states);
    if shape.complete == Verdict::Yes && states > 0 {
        write!(out, " complete")?;
    }
    if shape.deterministic == Verdict::Yes && automaton.initial().len() <= 1 {
        write!(out, " deterministic")?;
    }
    writeln!(out)?;
    for alias in &labels.aliases {
        writeln!(out, "Alias: {alias}")?;
    }
    writeln!(out, "--BODY--")?;
    // Mark sets repeat; each is written once.
    let marks: Vec<String> = automaton.mark_table().iter().map(|(_, set)| braced(set)).collect();
    for state in automaton.states().take(states) {
        write!(out, "State: {state}")?;
        if let Some(name) = automaton.state_name(state) {
            write!(out, " {}", Quoted(name))?;
        }
        if let Some(of) = &state_marks {
            out.write_str(&marks[of[state.index()].index()])?;
        }
        out.write_char('\n')?;
        for edge in automaton.edges(state) {
            write!(out, "[{}] {}", labels.texts[&edge.label], target(edge.target))?;
            if state_marks.is_none() {
                out.write_str(&marks[edge.marks.index()])?;
            }
            out.write_char('\n')?;
        }
    }
    writeln!(out, "--END--")
}

/// ` {0 3}`, or nothing for the empty set.
fn braced(set: &MarkSet) -> String {
    let numbers: Vec<String> = set.iter().map(|mark| mark.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

/// A string as HOA quotes it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for part in self.0.split_inclusive(['"', '\\']) {
            match part.strip_suffix(['"', '\\']) {
                Some(plain) => write!(f, "{plain}\\{}", &part[plain.len()..])?,
                None => f.write_str(part)?,
            }
        }
        f.write_char('"')
    }
}

/// How each label is written.
struct Labels {
    texts: HashMap<Label, String>,
    /// `@name formula`, each before it is used.
    aliases: Vec<String>,
}

impl Labels {
    fn new(automaton: &Automaton) -> Self {
        // Covers make new nodes on the way.
        let mut scratch = automaton.letters().clone();
        let mut labels = Labels { texts: HashMap::new(), aliases: Vec::new() };
        let mut parts = HashMap::new();
        for edge in automaton.all_edges() {
            if labels.texts.contains_key(&edge.label) {
                continue;
            }
            let mut number = |text: &mut String, prop: crate::Prop| {
                write!(text, "{}", prop.0).expect("a string takes everything");
            };
            let cover =
                expression::print_cover(&mut scratch, edge.label, MANY_CUBES, &SIGNS, &mut number);
            let text = cover.unwrap_or_else(|| {
                labels.name_parts(automaton.letters(), edge.label, &mut parts);
                parts[&edge.label].clone()
            });
            labels.texts.insert(edge.label, text);
        }
        labels
    }

    /// An alias for every node of the diagram that has none yet: the text grows with the nodes,
    /// not with the paths.
    fn name_parts(&mut self, letters: &Letters, label: Label, parts: &mut HashMap<Label, String>) {
        for node in letters.reachable(label) {
            let Some((prop, low, high)) = letters.branch(node) else { continue };
            if parts.contains_key(&node) {
                continue;
            }
            let prop = prop.0;
            let part = |label: Label| &parts[&label];
            let formula = match (low, high) {
                (Label::FALSE, Label::TRUE) => format!("{prop}"),
                (Label::TRUE, Label::FALSE) => format!("!{prop}"),
                (Label::FALSE, high) => format!("{prop}&{}", part(high)),
                (low, Label::FALSE) => format!("!{prop}&{}", part(low)),
                (Label::TRUE, high) => format!("!{prop} | {}", part(high)),
                (low, Label::TRUE) => format!("{prop} | {}", part(low)),
                (low, high) => format!("{prop}&{} | !{prop}&{}", part(high), part(low)),
            };
            let literal = letters.branch(low).is_none() && letters.branch(high).is_none();
            let name = if literal {
                formula
            } else {
                // Numbered in the order of use, so that equal automata are printed alike.
                let name = format!("@n{}", self.aliases.len());
                self.aliases.push(format!("{name} {formula}"));
                name
            };
            parts.insert(node, name);
        }
    }
}
