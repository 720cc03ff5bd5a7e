//! A part of a system, or its product with an automaton, as a system of its own that can be drawn.

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, ProcessId, Signature, Transition, TransitionSystem,
};

/// A state of the picture.
pub struct Place {
    /// The state of the system.
    pub state: StateId,
    /// Text before its description.
    pub before: String,
    /// Text behind it.
    pub behind: String,
    /// The steps that are drawn: where they lead in the picture.
    pub steps: Vec<Transition>,
    /// Whether a way that is not drawn may lead from here back into the picture.
    pub is_open: bool,
}

/// States of a system, and the steps between them that are drawn. Those that lead elsewhere are not.
pub struct View<'a, S> {
    /// The system.
    pub system: &'a mut S,
    /// The states of the picture.
    pub places: Vec<Place>,
    /// How many of the first are where it starts.
    pub initial: usize,
}

impl<S> View<'_, S> {
    fn inner(&self, state: StateId) -> StateId {
        self.places[state.index()].state
    }
}

impl<S: TransitionSystem> View<'_, S> {
    /// Facts about a state of the system itself, with the steps that are not drawn: fairness is about those, too.
    pub(super) fn own(&mut self, state: StateId) -> Own {
        let mut steps = Vec::new();
        let inner = self.inner(state);
        self.system.enabled(inner, &mut steps);
        Own {
            enabled: participants(self.system, &steps),
            is_open: self.places[state.index()].is_open,
        }
    }
}

/// Facts about a state that fairness depends on.
pub(super) struct Own {
    /// The processes that are enabled.
    pub(super) enabled: Vec<ProcessId>,
    /// Whether a way that is not drawn may lead from here back into the picture.
    pub(super) is_open: bool,
}

impl Own {
    /// The same of a state whose steps are all drawn.
    pub(super) fn of<S: TransitionSystem>(system: &mut S, state: StateId) -> Own {
        let mut steps = Vec::new();
        system.enabled(state, &mut steps);
        Own { enabled: participants(system, &steps), is_open: false }
    }
}

/// The processes that take part in some of these steps.
fn participants<S: TransitionSystem>(system: &S, steps: &[Transition]) -> Vec<ProcessId> {
    let mut all: Vec<ProcessId> =
        steps.iter().flat_map(|step| system.action(step.action).participants.clone()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl<S: TransitionSystem> TransitionSystem for View<'_, S> {
    fn signature(&self) -> &Signature {
        self.system.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        (0..self.initial).map(StateId::from_index).collect()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        out.extend_from_slice(&self.places[state.index()].steps);
    }

    fn action(&self, action: ActionId) -> &Action {
        self.system.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        let state = self.inner(state);
        self.system.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.system.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.system.holds(self.inner(state), atom)
    }

    fn describe(&self, state: StateId) -> String {
        let Place { state, before, behind, .. } = &self.places[state.index()];
        let parts = [before.clone(), self.system.describe(*state), behind.clone()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        let Place { state, before, behind, .. } = &self.places[state.index()];
        let own = self.system.valuation(*state);
        if own.is_empty() {
            return own;
        }
        // Remarks are names without a value.
        let remark = |text: &String| (!text.is_empty()).then(|| (text.clone(), String::new()));
        remark(before).into_iter().chain(own).chain(remark(behind)).collect()
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.system.fault(self.inner(state))
    }

    /// A state whose steps are not drawn is no deadlock, so nothing idles that does not idle in the system.
    fn steps(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.enabled(state, out);
    }
}
