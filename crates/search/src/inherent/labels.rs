//! Labels of steps at the beginning of a run, as numbers: the letter that is read, or the transition.

use fairly_omega::StateId;
use fairly_system::{AtomIndex, EventKind, EventPosition, Transition, TransitionSystem};
use hashbrown::HashMap;

use crate::product::Binding;
use crate::stored::Stored;

use super::PrefixKind;

/// The number of a letter or of a transition.
pub(super) type LabelId = u32;

/// Two steps have the same label iff beginnings that differ only in them are the same.
pub(super) struct Labels {
    reading: PrefixKind,
    events: EventPosition,
    /// The state propositions of the property.
    atoms: Vec<AtomIndex>,
    /// By state: the number of the set of propositions that hold in it.
    of_state: Vec<Option<u32>>,
    valuations: HashMap<Box<[bool]>, u32>,
    /// By event, valuation and nothing; or by source, action and target.
    numbers: HashMap<(u32, u32, u32), LabelId>,
}

impl Labels {
    pub(super) fn new(reading: PrefixKind, events: EventPosition, bindings: &[Binding]) -> Self {
        let atom = |binding: &Binding| match binding {
            Binding::State(atom) => Some(*atom),
            Binding::Event(_) => None,
            Binding::Enabled(_) | Binding::Taken(_) => {
                unreachable!("prefixes do not read what is enabled and taken; refused before")
            }
        };
        Labels {
            reading,
            events,
            atoms: bindings.iter().filter_map(atom).collect(),
            of_state: Vec::new(),
            valuations: HashMap::new(),
            numbers: HashMap::new(),
        }
    }

    /// The label of a transition that leaves `from`.
    pub(super) fn of<S: TransitionSystem>(
        &mut self,
        system: &S,
        from: StateId,
        transition: Transition,
    ) -> LabelId {
        let key = match self.reading {
            PrefixKind::Trace => {
                let event = system.action(transition.action).event;
                // An observer does not tell internal steps apart, only that there is one.
                let seen = match system.signature().event_kind(event) {
                    EventKind::Internal => u32::MAX,
                    EventKind::Idle | EventKind::Visible | EventKind::Termination => event.0,
                };
                let read = match self.events {
                    EventPosition::Leaving => from,
                    EventPosition::Entering => transition.target,
                };
                (seen, self.valuation(system, read), 0)
            }
            PrefixKind::Run => (from.0, transition.action.0, transition.target.0),
        };
        let fresh = u32::try_from(self.numbers.len()).expect("fewer labels than steps");
        *self.numbers.entry(key).or_insert(fresh)
    }

    /// The labels of the steps of a product, by position.
    pub(super) fn of_steps<S: TransitionSystem>(
        &mut self,
        product: &Stored,
        system: &S,
    ) -> Vec<LabelId> {
        let mut found = Vec::with_capacity(product.transitions.len());
        for node in product.explored.nodes() {
            let from = product.states[node.index()];
            for position in product.explored.positions(node) {
                found.push(self.of(system, from, product.transitions[position]));
            }
        }
        found
    }

    /// Whether a run that starts in one of two states reads the same before its first step.
    pub(super) fn start_alike<S: TransitionSystem>(
        &mut self,
        system: &S,
        one: StateId,
        other: StateId,
    ) -> bool {
        match (self.reading, self.events) {
            (PrefixKind::Trace, EventPosition::Leaving) => true,
            (PrefixKind::Trace, EventPosition::Entering) => {
                self.valuation(system, one) == self.valuation(system, other)
            }
            (PrefixKind::Run, _) => one == other,
        }
    }

    fn valuation<S: TransitionSystem>(&mut self, system: &S, state: StateId) -> u32 {
        if state.index() >= self.of_state.len() {
            self.of_state.resize(state.index() + 1, None);
        }
        let Labels { atoms, of_state, valuations, .. } = self;
        *of_state[state.index()].get_or_insert_with(|| {
            let holds = atoms.iter().map(|&atom| system.holds(state, atom)).collect();
            let fresh = u32::try_from(valuations.len()).expect("fewer valuations than states");
            *valuations.entry(holds).or_insert(fresh)
        })
    }
}
