//! The trait that every system implements.

use fairly_omega::StateId;

use crate::action::{Action, ActionId, MoveId, Signature};

/// A transition: where it leads and what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The state it leads to.
    pub target: StateId,
    /// What happens.
    pub action: ActionId,
}

/// A state proposition of a system: see [`TransitionSystem::atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomIndex(pub u32);

/// A system of processes, explored on demand.
///
/// States and actions are numbered as they are met. The same state gives the same transitions in
/// the same order every time.
pub trait TransitionSystem {
    /// The names of processes and events.
    fn signature(&self) -> &Signature;

    /// The states that runs start in.
    fn initial(&mut self) -> Vec<StateId>;

    /// Appends the transitions enabled in `state`; none for a deadlock.
    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>);

    /// What an action is that was handed out.
    fn action(&self, action: ActionId) -> &Action;

    /// Appends the moves that single processes offer in `state`, whether or not others join in:
    /// what readiness is about.
    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>);

    /// The state proposition with this text, if the system understands it. Asking twice gives the
    /// same index.
    fn atom(&mut self, text: &str) -> Option<AtomIndex>;

    /// Whether a proposition holds in a state.
    fn holds(&self, state: StateId, atom: AtomIndex) -> bool;

    /// The state as a person reads it, on one line.
    fn describe(&self, state: StateId) -> String;

    /// Appends the steps of runs: what is enabled, or the idle step where nothing is.
    fn steps(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let before = out.len();
        self.enabled(state, out);
        if out.len() == before {
            out.push(Transition { target: state, action: ActionId::IDLE });
        }
    }
}
