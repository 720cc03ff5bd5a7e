//! A formula whose propositions have a meaning in a system.

use std::fmt;

use fairly_logic::{Atom, AtomId, Formula, Formulas, pattern_matches};
use fairly_search::Binding;
use fairly_source::Diagnostic;
use fairly_system::{EventId, Network, TransitionSystem};
use fairly_witness::Meaning;
use hashbrown::HashMap;

/// A formula bound to a system.
pub struct Property {
    /// What it is called.
    pub name: String,
    /// The arena of the formula.
    pub formulas: Formulas,
    /// The promise.
    pub formula: Formula,
    bindings: HashMap<AtomId, Binding>,
}

/// A proposition that the system does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// The proposition.
    pub atom: Atom,
    /// A name of the system that looks like it.
    pub similar: Option<String>,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.atom {
            Atom::Event(_) => "no event",
            Atom::State(_) => "no state proposition",
            Atom::Name(_) => "neither an event nor a state proposition",
        };
        write!(f, "the system has {what} `{}`", self.atom.text())
    }
}

impl std::error::Error for Unbound {}

/// Reads a formula about a system: words that are its own events or labels are names, even where
/// they look like operators glued to a name.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_for(
    formulas: &mut Formulas,
    text: &str,
    network: &Network,
) -> Result<Formula, Diagnostic> {
    let is_label =
        |word: &str| network.components().iter().any(|component| component.has_label(word));
    formulas.parse_with(text, &|word| {
        // A single letter stays the operator; the event can be written in `event(…)`.
        word.len() > 1 && (network.signature().event(word).is_some() || is_label(word))
    })
}

impl Property {
    /// Binds every proposition of the formula: a plain name is an event if the system has one of
    /// that name, else a state proposition.
    ///
    /// # Errors
    /// When a proposition means nothing in the system.
    pub fn bind<S: TransitionSystem>(
        name: &str,
        formulas: Formulas,
        formula: Formula,
        system: &mut S,
    ) -> Result<Property, Unbound> {
        let mut bindings = HashMap::new();
        for id in formulas.atoms(formula) {
            let atom = formulas.atom_of(id).clone();
            let text = atom.text();
            let event = || {
                let signature = system.signature();
                let matching: Vec<EventId> = (0..signature.events.len())
                    .map(EventId::from_index)
                    .filter(|&event| pattern_matches(text, signature.event_name(event)))
                    .collect();
                (!matching.is_empty()).then_some(Binding::Event(matching))
            };
            let bound = match atom {
                Atom::Event(_) => event(),
                Atom::Name(_) => event().or_else(|| system.atom(text).map(Binding::State)),
                Atom::State(_) => system.atom(text).map(Binding::State),
            };
            let Some(bound) = bound else {
                let similar = similar(system, text);
                return Err(Unbound { atom, similar });
            };
            bindings.insert(id, bound);
        }
        Ok(Property { name: name.to_owned(), formulas, formula, bindings })
    }

    /// The formula as it is shown.
    pub fn text(&self) -> String {
        self.formulas.display(self.formula)
    }

    /// The events that it speaks of.
    pub(crate) fn events(&self) -> Vec<EventId> {
        let mut events: Vec<EventId> = Vec::new();
        for binding in self.bindings.values() {
            if let Binding::Event(bound) = binding {
                events.extend(bound);
            }
        }
        events
    }

    /// What a proposition is bound to, for the product.
    pub(crate) fn binding(&self, atom: AtomId) -> Binding {
        self.bindings[&atom].clone()
    }

    /// What a proposition means, for the witness.
    pub(crate) fn meaning(&self, atom: AtomId) -> Meaning {
        match &self.bindings[&atom] {
            Binding::Event(events) => Meaning::Event(events.clone()),
            Binding::State(atom) => Meaning::State(*atom),
        }
    }
}

/// The event whose name differs least, if it differs little.
fn similar<S: TransitionSystem>(system: &S, text: &str) -> Option<String> {
    let close = |name: &&String| distance(name, text) <= 1 + text.len() / 4;
    let events = system.signature().events.iter().filter(close);
    events.min_by_key(|name| distance(name, text)).cloned()
}

/// How many characters have to be changed, put in or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, c) in a.chars().take(64).enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (column, &other) in b.iter().enumerate() {
            let above = row[column + 1];
            let changed = corner + usize::from(c != other);
            row[column + 1] = changed.min(above + 1).min(row[column] + 1);
            corner = above;
        }
    }
    row[b.len()]
}
