//! Explicit components: labelled transition systems with named states and annotated transitions.

use std::fmt;

use fairly_omega::{Acceptance, Automaton, Label, MarkSet, Prop};
use hashbrown::HashSet;

/// A fairness annotation on a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
    /// `wf`: not enabled for ever without being taken.
    WeakFair,
    /// `sf`: not enabled again and again without being taken again and again.
    StrongFair,
    /// `wl`: not ready for ever without being taken.
    WeakLive,
    /// `sl`: not ready again and again without being taken again and again.
    StrongLive,
}

impl Annotation {
    /// All of them.
    pub const ALL: [Annotation; 4] = [
        Annotation::WeakFair,
        Annotation::StrongFair,
        Annotation::WeakLive,
        Annotation::StrongLive,
    ];

    /// The annotation written so.
    pub fn named(name: &str) -> Option<Annotation> {
        Annotation::ALL.into_iter().find(|annotation| annotation.to_string() == name)
    }
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Annotation::WeakFair => "wf",
            Annotation::StrongFair => "sf",
            Annotation::WeakLive => "wl",
            Annotation::StrongLive => "sl",
        })
    }
}

/// A transition of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalTransition {
    /// The local state it leaves.
    pub from: u32,
    /// Its event.
    pub event: String,
    /// The local state it leads to.
    pub to: u32,
    /// The fairness asked of it, if any.
    pub annotation: Option<Annotation>,
    /// Marks of the component's own acceptance condition.
    pub marks: MarkSet,
}

/// One component of a [`crate::Network`].
#[derive(Clone, Debug)]
pub struct Component {
    pub(crate) name: String,
    pub(crate) states: Vec<String>,
    pub(crate) initial: Vec<u32>,
    pub(crate) alphabet: Vec<String>,
    pub(crate) transitions: Vec<LocalTransition>,
    pub(crate) acceptance: Acceptance,
    /// Propositions that each local state satisfies, for components that are Kripke structures.
    pub(crate) labels: Vec<Vec<String>>,
}

impl Component {
    /// Name of the component; its process has the same name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of its local states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// The local states that it may begin in.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The events it takes part in.
    pub fn alphabet(&self) -> &[String] {
        &self.alphabet
    }

    /// Puts an event in the alphabet: the component then blocks it where it has no transition.
    pub fn add_event(&mut self, event: &str) {
        if !self.alphabet.iter().any(|other| other == event) {
            self.alphabet.push(event.to_owned());
        }
    }

    /// Whether a local state has this proposition.
    pub fn has_label(&self, name: &str) -> bool {
        self.labels.iter().any(|labels| labels.iter().any(|label| label == name))
    }

    /// Its transitions.
    pub fn transitions(&self) -> &[LocalTransition] {
        &self.transitions
    }

    /// The condition it puts on its own runs.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// The automaton as a component: its propositions are its events, and a letter is the event
    /// that is true in it alone. An edge becomes a transition for each of its events.
    ///
    /// # Errors
    /// When an edge admits a letter that is no event: none or several of the propositions true.
    pub fn from_automaton(name: &str, automaton: &Automaton) -> Result<Component, EventNameError> {
        let mut builder = ComponentBuilder::new(name);
        for state in automaton.states() {
            let text = automaton.state_name(state).map_or(state.to_string(), str::to_owned);
            builder.add_state(text);
        }
        for event in automaton.propositions() {
            builder.add_event(event);
        }
        builder.set_acceptance(automaton.acceptance().clone());
        for &state in automaton.initial() {
            builder.add_initial(state.0);
        }
        let mut letters = automaton.letters().clone();
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let mut left = edge.label;
                for (at, event) in (0u32..).zip(automaton.propositions()) {
                    let alone: Vec<(Prop, bool)> = (0..)
                        .take(automaton.propositions().len())
                        .map(|other| (Prop(other), other == at))
                        .collect();
                    if !letters.holds(edge.label, |prop| prop.0 == at) {
                        continue;
                    }
                    let marks = automaton.marks(edge.marks).clone();
                    builder.transitions.push(LocalTransition {
                        from: state.0,
                        event: event.clone(),
                        to: edge.target.0,
                        annotation: None,
                        marks,
                    });
                    let alone =
                        letters.cube(&alone).map_err(|_| EventNameError { state: state.0 })?;
                    left = letters
                        .minus(left, alone)
                        .map_err(|_| EventNameError { state: state.0 })?;
                }
                if left != Label::FALSE {
                    return Err(EventNameError { state: state.0 });
                }
            }
        }
        Ok(builder.build())
    }
}

/// An edge of an automaton is not labelled with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an edge of state {state} is taken on a letter in which not exactly one proposition is true, so it is no event"
)]
pub struct EventNameError {
    /// The state that the edge leaves.
    pub state: u32,
}

/// Collects a component.
#[derive(Clone, Debug)]
pub struct ComponentBuilder {
    name: String,
    states: Vec<String>,
    initial: Vec<u32>,
    alphabet: Vec<String>,
    known: HashSet<String>,
    transitions: Vec<LocalTransition>,
    acceptance: Acceptance,
    labels: Vec<Vec<String>>,
}

impl ComponentBuilder {
    /// A component without states.
    pub fn new(name: &str) -> Self {
        ComponentBuilder {
            name: name.to_owned(),
            states: Vec::new(),
            initial: Vec::new(),
            alphabet: Vec::new(),
            known: HashSet::new(),
            transitions: Vec::new(),
            acceptance: Acceptance::True,
            labels: Vec::new(),
        }
    }

    /// A new local state.
    pub fn add_state(&mut self, name: impl Into<String>) -> u32 {
        self.states.push(name.into());
        self.labels.push(Vec::new());
        u32::try_from(self.states.len() - 1).expect("fewer than 2^32 local states")
    }

    /// Lets the component start in this state too.
    pub fn add_initial(&mut self, state: u32) {
        self.initial.push(state);
    }

    /// Puts an event in the alphabet, whether or not a transition has it.
    pub fn add_event(&mut self, event: &str) {
        if !self.known.contains(event) {
            self.known.insert(event.to_owned());
            self.alphabet.push(event.to_owned());
        }
    }

    /// Says what holds in a local state, for Kripke structures.
    pub fn set_labels(&mut self, state: u32, propositions: Vec<String>) {
        self.labels[state as usize] = propositions;
    }

    /// The condition on the component's own runs.
    pub fn set_acceptance(&mut self, acceptance: Acceptance) {
        self.acceptance = acceptance;
    }

    /// A transition; its event joins the alphabet.
    pub fn add_transition(
        &mut self,
        from: u32,
        event: &str,
        to: u32,
        annotation: Option<Annotation>,
    ) {
        self.add_event(event);
        let event = event.to_owned();
        let marks = MarkSet::new();
        self.transitions.push(LocalTransition { from, event, to, annotation, marks });
    }

    /// The component.
    ///
    /// # Panics
    /// If a transition or an initial state names a state that was not added.
    pub fn build(self) -> Component {
        let known = |state: u32| assert!((state as usize) < self.states.len(), "state {state}");
        self.initial.iter().copied().for_each(known);
        self.transitions.iter().for_each(|transition| {
            known(transition.from);
            known(transition.to);
        });
        Component {
            name: self.name,
            states: self.states,
            initial: self.initial,
            alphabet: self.alphabet,
            transitions: self.transitions,
            acceptance: self.acceptance,
            labels: self.labels,
        }
    }
}
