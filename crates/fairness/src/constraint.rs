//! One constraint on runs, in the normal form that covers all notions.
//!
//! With a predicate *when* and a predicate *then* on the steps of a run:
//!
//! - weak: again and again, *when* is false or *then* is true — `Inf(¬when ∨ then)`;
//! - strong: if *when* is true again and again, then so is *then* — `Fin(when) ∨ Inf(then)`.

use std::fmt;

use fairly_system::{Action, AtomIndex, EventId, EventSet, MoveId, ProcessId, Signature};
use serde::{Deserialize, Serialize};

/// Weak or strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Strength {
    /// Weak fairness: a condition that holds from some point on is met again and again.
    Weak,
    /// Strong fairness: a condition that holds again and again is met again and again.
    Strong,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        })
    }
}

/// A set of moves of a system, and of the actions that use one of them.
///
/// It says which by what they are, not by a list where that can be avoided, so that it also holds of
/// moves that are met later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Those of a process: the actions that it takes part in.
    Process(ProcessId),
    /// Those with one of these events.
    Events(EventSet),
    /// These.
    Moves(Vec<MoveId>),
    /// Those of a process with one of these events.
    Part(ProcessId, EventSet),
}

impl Selector {
    /// Whether the action is one of them.
    pub fn selects(&self, action: &Action, signature: &Signature) -> bool {
        match self {
            Selector::Process(process) => action.participants.contains(process),
            // An action may have several names, but is called by one of them: both sides of a rendezvous and
            // the statements of an atomic sequence are taken together.
            Selector::Events(events) => {
                events.contains(action.event, signature) || self.selects_a_move(action, signature)
            }
            Selector::Moves(_) | Selector::Part(..) => self.selects_a_move(action, signature),
        }
    }

    fn selects_a_move(&self, action: &Action, signature: &Signature) -> bool {
        action.moves.iter().any(|&id| self.selects_move(id, signature))
    }

    /// Whether the move is one of them.
    pub fn selects_move(&self, id: MoveId, signature: &Signature) -> bool {
        let of = &signature.moves[id.index()];
        match self {
            Selector::Process(process) => of.process == *process,
            Selector::Events(events) => events.contains(of.event, signature),
            Selector::Moves(moves) => moves.contains(&id),
            Selector::Part(process, events) => {
                of.process == *process && events.contains(of.event, signature)
            }
        }
    }
}

/// Something that is true or false of a step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Of every step.
    True,
    /// In the state that the step leaves, some selected action is enabled.
    Enabled(Selector),
    /// In the state that the step leaves, no selected action is enabled.
    Disabled(Selector),
    /// In the state that the step leaves, some process offers a selected move, whether or not others
    /// join in.
    Ready(Selector),
    /// The step itself is selected.
    Taken(Selector),
    /// A combination of events and state propositions.
    Step(StepFormula),
}

/// A Boolean combination of what a step's event is and what holds in the state it leaves: the
/// formulas of `justice` and `compassion`. Constraints are about steps, so this is their reading
/// whatever a property's [`fairly_system::EventPosition`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepFormula {
    /// The step has one of these events.
    Event(EventSet),
    /// The state has this proposition.
    State(AtomIndex),
    /// Not this.
    Not(Box<StepFormula>),
    /// All of these.
    And(Vec<StepFormula>),
    /// One of these.
    Or(Vec<StepFormula>),
}

impl StepFormula {
    /// Whether it is true of a step with this event out of a state with these propositions.
    pub fn holds(
        &self,
        event: EventId,
        signature: &Signature,
        state: &impl Fn(AtomIndex) -> bool,
    ) -> bool {
        let holds = |part: &StepFormula| part.holds(event, signature, state);
        match self {
            StepFormula::Event(events) => events.contains(event, signature),
            StepFormula::State(atom) => state(*atom),
            StepFormula::Not(inner) => !holds(inner),
            StepFormula::And(parts) => parts.iter().all(holds),
            StepFormula::Or(parts) => parts.iter().any(holds),
        }
    }

    /// Appends the state propositions in it.
    pub(crate) fn collect_atoms(&self, atoms: &mut Vec<AtomIndex>) {
        match self {
            StepFormula::Event(_) => {}
            StepFormula::State(atom) => atoms.push(*atom),
            StepFormula::Not(inner) => inner.collect_atoms(atoms),
            StepFormula::And(parts) | StepFormula::Or(parts) => {
                parts.iter().for_each(|part| part.collect_atoms(atoms));
            }
        }
    }
}

/// A constraint on runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// As it is written and shown: `wf(P1)`, `sf(get.0)`, `justice(…)`.
    pub name: String,
    /// Weak or strong.
    pub strength: Strength,
    /// The demand.
    pub when: Predicate,
    /// Its fulfilment.
    pub then: Predicate,
}

impl Constraint {
    /// Whether it is fairness of actions: what is enabled is taken. From every state a run can meet
    /// all such constraints, however many there are: of those that can be served in a state, it always
    /// serves the one that has waited longest. So they exclude no beginning of a run.
    pub fn is_about_actions(&self) -> bool {
        match (&self.when, &self.then) {
            (Predicate::Enabled(asked), Predicate::Taken(given)) => asked == given,
            _ => false,
        }
    }
}
