//! Kripke structures: propositions on states, and the automaton that reads their runs.

use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Cube, Label, Letters, Prop};
use crate::marks::MarkSet;
use crate::refused::BudgetError;

/// Treatment of states without successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// It stays there for ever: one loop to itself, in no other state (`docs/papers.md` 001-6).
    /// So every run is infinite.
    #[default]
    Idles,
    /// Runs that end there do not count: a deadlocking structure satisfies more.
    Dropped,
}

/// A Kripke structure: states that valuate propositions, steps between them, initial states.
///
/// ```
/// use fairly_omega::ops::{Deadlock, Kripke};
/// use fairly_omega::Prop;
/// let mut kripke = Kripke::new(vec!["p".into()]);
/// let one = kripke.add_state(&[Prop(0)]).unwrap();
/// let two = kripke.add_state(&[]).unwrap();
/// kripke.add_initial(one);
/// kripke.add_step(one, two);
/// assert_eq!(kripke.deadlocks().collect::<Vec<_>>(), [two]);
/// let automaton = kripke.to_automaton(Deadlock::Idles);
/// assert_eq!((automaton.state_count(), automaton.edge_count()), (2, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Kripke {
    builder: Builder,
    labels: Vec<Label>,
    steps: Vec<(StateId, StateId)>,
    stuck: Vec<bool>,
}

impl Kripke {
    /// A structure without states over these propositions.
    pub fn new(propositions: Vec<String>) -> Self {
        Kripke {
            builder: Builder::new(propositions),
            labels: Vec::new(),
            steps: Vec::new(),
            stuck: Vec::new(),
        }
    }

    /// The states and edges of an automaton as the states and steps of a structure.
    pub(crate) fn of(automaton: &Automaton, labels: Vec<Label>) -> Self {
        let mut builder = automaton.like();
        builder.add_states(automaton.state_count());
        builder.set_initial(automaton.initial().to_vec());
        let mut kripke = Kripke { builder, stuck: vec![true; labels.len()], labels, steps: vec![] };
        for state in automaton.states() {
            if let Some(name) = automaton.state_name(state) {
                kripke.set_state_name(state, name.to_owned());
            }
            for edge in automaton.edges(state) {
                kripke.add_step(state, edge.target);
            }
        }
        kripke
    }

    /// A state in which exactly these propositions hold.
    ///
    /// # Errors
    /// When the valuation does not fit in the store of labels.
    pub fn add_state(&mut self, holds: &[Prop]) -> Result<StateId, BudgetError> {
        let count = self.builder.propositions().len() as u32;
        let mut cube: Cube = (0..count).map(|prop| (Prop(prop), false)).collect();
        cube.extend(holds.iter().map(|&prop| (prop, true)));
        let label = self.builder.letters_mut().cube(&cube)?;
        Ok(self.add_labelled(label))
    }

    /// A state with a formula, made with [`Kripke::letters_mut`], that may leave propositions
    /// open: the state stands for all its valuations, chosen anew at each visit.
    pub fn add_labelled(&mut self, label: Label) -> StateId {
        self.labels.push(label);
        self.stuck.push(true);
        self.builder.add_state()
    }

    /// The formula of a state, in the diagrams of [`Kripke::to_automaton`].
    ///
    /// # Panics
    /// If the state was not added.
    pub fn label(&self, state: StateId) -> Label {
        self.labels[state.index()]
    }

    /// The diagrams that labels refer to.
    pub fn letters_mut(&mut self) -> &mut Letters {
        self.builder.letters_mut()
    }

    /// Lets runs start in `state` too.
    pub fn add_initial(&mut self, state: StateId) {
        self.builder.add_initial(state);
    }

    /// Names a state.
    pub fn set_state_name(&mut self, state: StateId, name: String) {
        self.builder.set_state_name(state, name);
    }

    /// A step.
    ///
    /// # Panics
    /// If `from` was not added.
    pub fn add_step(&mut self, from: StateId, to: StateId) {
        self.stuck[from.index()] = false;
        self.steps.push((from, to));
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.labels.len()
    }

    /// The states without successors.
    pub fn deadlocks(&self) -> impl Iterator<Item = StateId> + '_ {
        let states = (0..self.state_count()).map(StateId::from_index);
        states.filter(|state| self.stuck[state.index()])
    }

    /// The automaton that accepts the words of the structure's runs: the edges out of a state
    /// carry its label, since position *i* of a word reads state *i*; every infinite run is
    /// accepted.
    ///
    /// # Panics
    /// If a step leads to a state that was not added.
    pub fn to_automaton(&self, deadlock: Deadlock) -> Automaton {
        let mut builder = self.builder.clone();
        for &(from, to) in &self.steps {
            builder.add_edge(from, self.labels[from.index()], MarkSet::new(), to);
        }
        if deadlock == Deadlock::Idles {
            for state in self.deadlocks() {
                builder.add_edge(state, self.labels[state.index()], MarkSet::new(), state);
            }
        }
        builder.build()
    }
}
