//! The system of a space of which nothing is known but its steps.

use std::sync::Arc;

use fairly_explore::Explored;
use fairly_omega::{StateId, Stop};
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, Sequences, Signature, Space, StateValues,
    Transition, TransitionSystem,
};

use crate::base::Base;
use crate::reduced::Reducible;

/// A space with numbered states, such as a program's own type. No step is left out of it, since nothing is known that
/// would make that sound.
pub struct SpaceSystem {
    explored: Explored<dyn Space>,
    space: Arc<dyn Sequences>,
    /// Whether several workers may search.
    is_shared: bool,
}

impl SpaceSystem {
    /// The system of a space. Several workers search it only if it is shared.
    pub fn new(space: Arc<dyn Sequences>, is_shared: bool) -> SpaceSystem {
        let explored = Explored::of(Arc::clone(&space) as Arc<dyn Space>);
        SpaceSystem { explored, space, is_shared }
    }

    /// The row of a state; that of the state before if something went wrong in the step to it.
    pub fn row(&self, state: StateId) -> Vec<u64> {
        self.explored.row(state)
    }
}

impl Reducible for SpaceSystem {
    fn base(&self) -> Option<Base> {
        self.is_shared.then(|| Base::of_space(Arc::clone(&self.space)))
    }

    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.explored.own_row(state)
    }
}

impl TransitionSystem for SpaceSystem {
    fn signature(&self) -> &Signature {
        self.explored.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.explored.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.explored.enabled(state, out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        self.explored.enabled_in_all(states, out, ends);
    }

    fn action(&self, action: ActionId) -> &Action {
        self.explored.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.explored.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.explored.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.explored.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.explored.describe(state)
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.explored.valuation(state)
    }

    fn state_values(&self, state: StateId) -> StateValues {
        self.explored.state_values(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.explored.fault(state)
    }

    fn bytes(&self) -> usize {
        self.explored.bytes()
    }

    fn stop_at(&mut self, stop: Stop) {
        self.explored.stop_at(stop);
    }
}
