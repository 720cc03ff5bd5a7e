//! One constraint on runs, in the normal form that covers all notions.
//!
//! With a predicate *when* and a predicate *then* on the steps of a run:
//!
//! - weak: again and again, *when* is false or *then* is true — `Inf(¬when ∨ then)`;
//! - strong: if *when* is true again and again, then so is *then* — `Fin(when) ∨ Inf(then)`.

use std::fmt;

use fairly_system::{Action, AtomIndex, EventId, MoveId, ProcessId};

/// Weak or strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// What is wanted for ever comes again and again.
    Weak,
    /// What is wanted again and again comes again and again.
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

/// A set of actions of a system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Those that a process takes part in.
    Process(ProcessId),
    /// Those with one of these events.
    Events(Vec<EventId>),
    /// Those that use one of these moves.
    Moves(Vec<MoveId>),
}

impl Selector {
    /// Whether the action is one of them.
    pub fn selects(&self, action: &Action) -> bool {
        match self {
            Selector::Process(process) => action.participants.contains(process),
            Selector::Events(events) => events.contains(&action.event),
            Selector::Moves(moves) => action.moves.iter().any(|id| moves.contains(id)),
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
    /// In the state that the step leaves, some process offers one of these moves, whether or not
    /// others join in.
    Ready(Vec<MoveId>),
    /// The step itself is selected.
    Taken(Selector),
    /// A combination of events and state propositions.
    Step(StepFormula),
}

/// A Boolean combination of what a step's event is and what holds in the state it leaves: the
/// formulas of `justice` and `compassion`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepFormula {
    /// The step has one of these events.
    Event(Vec<EventId>),
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
    pub fn holds(&self, event: EventId, state: &impl Fn(AtomIndex) -> bool) -> bool {
        match self {
            StepFormula::Event(events) => events.contains(&event),
            StepFormula::State(atom) => state(*atom),
            StepFormula::Not(inner) => !inner.holds(event, state),
            StepFormula::And(parts) => parts.iter().all(|part| part.holds(event, state)),
            StepFormula::Or(parts) => parts.iter().any(|part| part.holds(event, state)),
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
