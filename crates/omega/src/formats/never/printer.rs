//! Writing never claims.

use std::fmt::Write;

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge, StateId};
use crate::formats::expression::{self, Signs};
use crate::formats::never::parser::is_atom;
use crate::formats::{Format, PrintError};
use crate::letters::{Label, Letters, Prop};

const SIGNS: Signs = Signs { and: " && ", or: " || ", yes: "1", no: "0" };

/// The automaton as a never claim.
///
/// The initial state comes first, then the others in their order. Several initial states become
/// one new state with all their edges. Names of states are lost.
///
/// # Errors
/// When the automaton is not a Büchi automaton (or one that accepts every run) with marks on
/// states, or a proposition's name cannot stand in a guard.
pub fn print(automaton: &Automaton) -> Result<String, PrintError> {
    let format = Format::Never;
    let mark = match automaton.acceptance() {
        Acceptance::True => None,
        Acceptance::Inf(mark) => Some(*mark),
        _ => {
            return Err(PrintError::Acceptance {
                format,
                remedy: "convert it with `fairly aut degeneralize --state-based`",
            });
        }
    };
    let accepts = |edge: &Edge| mark.is_none_or(|mark| automaton.marks(edge.marks).contains(mark));
    let accepting = |state: StateId| automaton.edges(state).iter().any(accepts);
    if let Some(state) =
        automaton.states().find(|&s| accepting(s) && !automaton.edges(s).iter().all(accepts))
    {
        return Err(PrintError::TransitionBased {
            format,
            state,
            remedy: "convert it with `fairly aut degeneralize --state-based`",
        });
    }
    if let Some(name) = automaton.propositions().iter().find(|name| !is_atom(name)) {
        return Err(PrintError::Name { format, name: name.clone() });
    }

    let first = match automaton.initial() {
        &[only] => Some(only),
        _ => None,
    };
    let name = |state: StateId| {
        let kind = if accepting(state) { "accept" } else { "T0" };
        if Some(state) == first { format!("{kind}_init") } else { format!("{kind}_S{state}") }
    };
    let mut guards = Guards {
        letters: automaton.letters().clone(),
        propositions: automaton.propositions(),
        texts: HashMap::new(),
    };
    let mut text = String::from("never ");
    match automaton.name() {
        Some(name) if is_identifier(name) => write!(text, "{name} {{"),
        Some(name) => write!(text, "{{ /* {} */", harmless(name)),
        None => write!(text, "{{"),
    }
    .expect("a string takes everything");
    text.push('\n');
    match first {
        Some(first) => block(&mut text, &name(first), automaton.edges(first), &name, &mut guards)?,
        None => {
            let starts = automaton.initial().iter();
            let edges: Vec<Edge> = starts.flat_map(|&s| automaton.edges(s)).copied().collect();
            block(&mut text, "T0_init", &edges, &name, &mut guards)?;
        }
    }
    for state in automaton.states().filter(|&state| Some(state) != first) {
        block(&mut text, &name(state), automaton.edges(state), &name, &mut guards)?;
    }
    text.push_str("}\n");
    Ok(text)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A name that does not end the comment it stands in.
fn harmless(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace("*/", "* /").replace("/*", "/ *")
}

/// One state.
fn block(
    text: &mut String,
    label: &str,
    edges: &[Edge],
    name: &dyn Fn(StateId) -> String,
    guards: &mut Guards<'_>,
) -> Result<(), PrintError> {
    writeln!(text, "{label}:").expect("a string takes everything");
    if edges.is_empty() {
        text.push_str("  false;\n");
        return Ok(());
    }
    text.push_str("  if\n");
    for edge in edges {
        let guard = guards.text(edge.label)?;
        writeln!(text, "  :: ({guard}) -> goto {}", name(edge.target)).expect("a string");
    }
    text.push_str("  fi;\n");
    Ok(())
}

struct Guards<'a> {
    letters: Letters,
    propositions: &'a [String],
    texts: HashMap<Label, String>,
}

impl Guards<'_> {
    fn text(&mut self, label: Label) -> Result<&str, PrintError> {
        if !self.texts.contains_key(&label) {
            let mut name = |text: &mut String, prop: Prop| {
                let name = &self.propositions[prop.0 as usize];
                if is_identifier(name) {
                    text.push_str(name);
                } else {
                    write!(text, "({name})").expect("a string takes everything");
                }
            };
            let text = expression::print(&mut self.letters, label, &SIGNS, &mut name)
                .map_err(PrintError::Label)?;
            self.texts.insert(label, text);
        }
        Ok(&self.texts[&label])
    }
}
