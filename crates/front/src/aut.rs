//! One component from an Aldebaran or HOA file.
//!
//! [`read`] does what a file asks for: a HOA file whose states have labels is a Kripke structure
//! ([`kripke`]), anything else an automaton over events ([`component`]). The component gets the
//! name it is given, which for a file is the file's name without its ending. To write networks by
//! hand, [`crate::case`] is more convenient.
//!
//! ```
//! use fairly_front::aut;
//! let loops = aut::read("tick", "des (0, 1, 1)\n(0, \"tick\", 0)\n").unwrap();
//! assert_eq!((loops.name(), loops.alphabet()), ("tick", &["tick".to_owned()][..]));
//! let light = "HOA: v1 Start: 0 AP: 1 \"red\" Acceptance: 0 t
//!              --BODY-- State: [0] 0 1 State: [!0] 1 0 --END--";
//! assert_eq!(aut::read("light", light).unwrap().alphabet(), ["light.step"]);
//! ```
//!
//! # What the formats mean as components
//!
//! - **Automata.** The propositions are the events, all of them in the alphabet; a letter is the
//!   event that is true in it alone, and an edge is a transition for each of its events. The
//!   acceptance condition stays with the component, as a condition on its runs.
//! - **Kripke structures.** What holds in a state are the propositions of its label, which must
//!   settle each of them. A step has the event `NAME.step`, which no other component shares. A state
//!   without steps keeps its label and does not move.
//!
//! # Errors
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0751` | no automaton, or more than one |
//! | `E0752` | an edge that is not labelled with events |
//! | `E0753` | the label of a state leaves a proposition open |
//!
//! The readers' own errors are in `fairly_omega::formats`.

use std::ffi::OsStr;
use std::path::Path;

use fairly_omega::formats::{self, Format, hoa};
use fairly_omega::ops::{Deadlock, Kripke};
use fairly_source::{Diagnostic, Span};
use fairly_system::{Component, ComponentBuilder};

use crate::case::composed;
use crate::loaded::{LoadError, Loaded, Loader, Settings, Text, TextError};

/// Reads components, a file each, that make one system together.
pub struct Components;

impl Loader for Components {
    fn load(&self, texts: &[Text], settings: Settings<'_>) -> Result<Loaded, LoadError> {
        let components = texts.iter().map(|text| {
            let stem = Path::new(&text.name).file_stem();
            let name = stem.map_or_else(|| text.name.as_str().into(), OsStr::to_string_lossy);
            read(&name, &text.text).map_err(|diagnostic| {
                LoadError::Wrong(TextError { text: text.clone(), diagnostics: vec![diagnostic] })
            })
        });
        let components = components.collect::<Result<Vec<Component>, LoadError>>()?;
        composed(components, settings.interleaved.to_vec(), &settings)
    }
}

/// The component in a text, whichever of the two kinds it is.
///
/// # Errors
/// The first error in the text; see the table of this module.
pub fn read(name: &str, text: &str) -> Result<Component, Diagnostic> {
    if Format::detect(text) != Some(Format::Hoa) {
        return component(name, text);
    }
    match hoa::parse_kripke(text) {
        Ok(structures) => structure(name, text, &structures),
        // It may be an automaton all the same: the labels are on the edges, or it has marks.
        Err(_) => component(name, text),
    }
}

/// The automaton in a text as a component whose events are the propositions.
///
/// # Errors
/// The first error in the text; `E0751`, `E0752`.
pub fn component(name: &str, text: &str) -> Result<Component, Diagnostic> {
    let automata = formats::read_any(text)?;
    let [automaton] = automata.as_slice() else { return Err(not_one(text, automata.len())) };
    Component::from_automaton(name, automaton).map_err(|wrong| {
        Diagnostic::error("E0752", wrong.to_string(), start(text))
            .help("the propositions of a component are its events, and one happens at a time")
    })
}

/// The state-labelled HOA automaton in a text as a Kripke structure.
///
/// # Errors
/// The first error in the text; `E0751`, `E0753`, and `E0230`, `E0231` of the reader where it is no Kripke
/// structure.
pub fn kripke(name: &str, text: &str) -> Result<Component, Diagnostic> {
    structure(name, text, &hoa::parse_kripke(text)?)
}

fn structure(name: &str, text: &str, structures: &[Kripke]) -> Result<Component, Diagnostic> {
    let [kripke] = structures else { return Err(not_one(text, structures.len())) };
    // The automaton shows steps, names and diagrams; only the labels of its deadlocks are lost.
    let steps = kripke.to_automaton(Deadlock::Dropped);
    let propositions = steps.propositions();
    let mut builder = ComponentBuilder::new(name);
    for state in steps.states() {
        let called = steps.state_name(state).map_or(state.to_string(), str::to_owned);
        let added = builder.add_state(called);
        let cube = steps.letters().single_cube(kripke.label(state));
        let settled = cube.filter(|cube| cube.len() == propositions.len()).ok_or_else(|| {
            let message = format!("the label of state {state} does not settle every proposition");
            Diagnostic::error("E0753", message, start(text))
                .help("name each proposition in it once, as it is or with `!`")
        })?;
        let holding = settled.iter().filter(|(_, value)| *value);
        let holding = holding.map(|(prop, _)| propositions[prop.0 as usize].clone());
        builder.set_labels(added, holding.collect());
    }
    for &state in steps.initial() {
        builder.add_initial(state.0);
    }
    let event = format!("{name}.step");
    builder.add_event(&event);
    for state in steps.states() {
        for edge in steps.edges(state) {
            builder.add_transition(state.0, &event, edge.target.0, None);
        }
    }
    Ok(builder.build())
}

fn not_one(text: &str, count: usize) -> Diagnostic {
    let message = match count {
        0 => "there is no automaton in this text".to_owned(),
        _ => format!("there are {count} automata in this text"),
    };
    Diagnostic::error("E0751", message, start(text)).label("a component is exactly one")
}

/// The first line, for what has no better place.
fn start(text: &str) -> Span {
    let first = text.len() - text.trim_start().len();
    let line = text[first..].lines().next().unwrap_or_default();
    Span::new(first, first + line.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairly_explore::Explored;
    use fairly_system::{Composition, Network, TransitionSystem};

    const LIGHT: &str = "HOA: v1
States: 3
Start: 0
AP: 2 \"red\" \"stuck\"
Acceptance: 0 t
properties: state-labels explicit-labels
--BODY--
State: [0 & !1] 0 \"stop\"
1
2
State: [!0 & !1] 1
0
State: [0&1] 2
--END--
";

    fn code(read: Result<Component, Diagnostic>) -> &'static str {
        read.unwrap_err().code
    }

    #[test]
    fn a_deadlock_of_a_kripke_structure_keeps_its_label() {
        let component = read("light", LIGHT).unwrap();
        assert_eq!(component.states(), ["stop", "1", "2"]);
        assert_eq!(component.transitions().len(), 3);
        let mut network =
            Explored::new(Network::new(vec![component], &Composition::default()).unwrap());
        let initial = network.initial()[0];
        let mut steps = Vec::new();
        network.enabled(initial, &mut steps);
        let [red, stuck, deadlock] =
            ["red", "stuck", "deadlock"].map(|text| network.atom(text).unwrap());
        assert!(network.holds(initial, red) && !network.holds(initial, stuck));
        let end = steps[1].target;
        assert!(network.holds(end, red) && network.holds(end, stuck));
        assert!(network.holds(end, deadlock) && !network.holds(initial, deadlock));
    }

    #[test]
    fn an_automaton_over_events_keeps_its_condition() {
        let text = "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--
                    State: 0 [0&!1 | !0&1] 0 {0} --END--";
        let component = read("P", text).unwrap();
        assert_eq!((component.transitions().len(), component.alphabet().len()), (2, 2));
        assert_eq!(component.acceptance().to_string(), "Inf(0)");
        assert_eq!(code(kripke("P", text)), "E0230");
    }

    #[test]
    fn what_is_no_component() {
        assert_eq!(code(read("P", "")), "E0200");
        assert_eq!(code(read("P", "HOA: v1 --ABORT--")), "E0751");
        assert_eq!(code(read("P", &format!("{LIGHT}{LIGHT}"))), "E0751");
        let any = "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--";
        assert_eq!(code(read("P", any)), "E0752");
        assert_eq!(code(read("P", &LIGHT.replace("[0&1]", "[0]"))), "E0753");
        assert_eq!(code(read("P", &LIGHT.replace("[0&1]", "[f]"))), "E0753");
        assert_eq!(code(kripke("P", &LIGHT.replace("0 t", "1 Inf(0)"))), "E0231");
        assert_eq!(code(kripke("P", "HOA: v2")), "E0208");
    }
}
