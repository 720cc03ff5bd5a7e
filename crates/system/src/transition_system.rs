//! The trait that every system implements.

use fairly_omega::{StateId, Stop};
use fairly_source::Span;
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionId, MoveId, Signature};
use crate::blocked::Blocked;
use crate::growth::Growth;
use crate::value::StateValues;

/// A transition: where it leads and what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The state it leads to.
    pub target: StateId,
    /// Kinds of actions.
    pub action: ActionId,
}

/// A state proposition of a system: see [`TransitionSystem::atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomIndex(pub u32);

/// Why a run ends in a state where the model says it should not: a division by zero, an index outside
/// an array, a value outside a declared range, or a limit of the tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault it is.
    pub kind: FaultKind,
    /// The fault, in a sentence.
    pub message: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Whose fault a [`Fault`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// The model's: the run shows an error in it.
    Error,
    /// A limit of the tool; the successors are unknown.
    Limit,
}

impl Fault {
    /// An error of the model.
    pub fn error(message: impl Into<String>, span: Option<Span>) -> Fault {
        Fault { kind: FaultKind::Error, message: message.into(), span }
    }

    /// A limit of the tool.
    pub fn limit(message: impl Into<String>, span: Option<Span>) -> Fault {
        Fault { kind: FaultKind::Limit, message: message.into(), span }
    }

    /// The limit of a step that is not made, or not to its end, because it is time to stop.
    pub fn stopped() -> Fault {
        Fault::limit("the search was stopped inside a step", None)
    }
}

/// A system of processes, explored on demand.
///
/// States and actions are numbered as they are met. The same state gives the same transitions in
/// the same order every time.
pub trait TransitionSystem {
    /// The processes, events and moves.
    fn signature(&self) -> &Signature;

    /// The states that runs start in.
    fn initial(&mut self) -> Vec<StateId>;

    /// Appends the transitions enabled in `state`; none for a deadlock.
    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>);

    /// Appends the transitions enabled in several states, one state after the other, and to `ends`
    /// where those of each of them end. A system that stores its states can look up what all of them
    /// lead to at once. Once it has been [asked to stop](TransitionSystem::stop_at), it may do so behind one
    /// of the states: then there are fewer ends than states.
    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        for &state in states {
            self.enabled(state, out);
            ends.push(out.len());
        }
    }

    /// Appends the actions that are enabled in a state although [`enabled`](TransitionSystem::enabled)
    /// does not list them, because a reduction leaves their transitions out. What fairness calls enabled
    /// includes them.
    fn left_out(&mut self, _state: StateId, _out: &mut Vec<ActionId>) {}

    /// Whether a run that has come to this state will never take an action that is
    /// [left out](TransitionSystem::left_out) here, and could have gone on otherwise had it not. The
    /// way to it is then the beginning of no other run: it is no fault of a fairness assumption if
    /// that excludes all of them.
    fn is_committed(&mut self, _state: StateId) -> bool {
        false
    }

    /// The action with an id that was handed out.
    fn action(&self, action: ActionId) -> &Action;

    /// Appends the moves that single processes offer in `state`, whether or not others join in:
    /// what readiness is about.
    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>);

    /// The state proposition with this text, if the system understands it. Asking twice gives the
    /// same index.
    fn atom(&mut self, text: &str) -> Option<AtomIndex>;

    /// Whether a proposition holds in a state.
    fn holds(&self, state: StateId, atom: AtomIndex) -> bool;

    /// Whether two states are the same, but for values that nothing depends on: neither what can be done from
    /// then on, nor any proposition. A run that comes back to such a state can go on for ever as it did.
    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        one == other
    }

    /// The state as a person reads it, on one line.
    fn describe(&self, state: StateId) -> String;

    /// Values of a state, name by name, in the order in which it is shown: variables, channels, where each
    /// process is. A system that cannot tell says nothing.
    fn valuation(&self, _state: StateId) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Contents of a state, with types. A system that cannot tell says nothing.
    fn state_values(&self, _state: StateId) -> StateValues {
        StateValues::default()
    }

    /// Obstacles that keep each process from moving in a state in which nothing is enabled; processes that have
    /// ended are not listed. A system that cannot tell says nothing.
    fn blocked(&mut self, _state: StateId) -> Vec<Blocked> {
        Vec::new()
    }

    /// The growth in the states that have been met, in the order in which they were. A system that cannot tell
    /// says nothing.
    fn growth(&self) -> Option<Growth> {
        None
    }

    /// The system as the reference alone makes its steps, which numbers states by itself, and the states that
    /// these are there: only the first of them if it is time to stop. `None` if nothing else makes the steps of this
    /// one.
    fn reference(&mut self, _states: &[StateId], _stop: Stop) -> Option<(&mut Self, Vec<StateId>)>
    where
        Self: Sized,
    {
        None
    }

    /// The fault of the step that led to this state, which then has no transitions.
    fn fault(&self, _state: StateId) -> Option<&Fault> {
        None
    }

    /// Bytes that the system holds for the states that have been met, about; zero if it does not count
    /// them.
    fn bytes(&self) -> usize {
        0
    }

    /// Asks now and then, while a single step takes long, whether to stop; then the step ends in a fault of the
    /// kind [`FaultKind::Limit`]. It is not asked for in short steps, so a search that uses it also asks
    /// between steps, and only for as long as a search lasts: what has been found is looked at again later.
    fn stop_at(&mut self, _stop: Stop) {}

    /// Appends the steps of runs: what is enabled, or the idle step where nothing is.
    fn steps(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let before = out.len();
        self.enabled(state, out);
        if out.len() == before {
            out.push(Transition { target: state, action: ActionId::IDLE });
        }
    }
}
