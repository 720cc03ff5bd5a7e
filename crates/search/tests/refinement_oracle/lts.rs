//! Tiny labelled transition systems: as plain data, at random, made smaller, and as systems.

use std::fmt;

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Event, EventId, EventKind, MoveId, Signature, Transition,
    TransitionSystem,
};
use fairly_testkit::Rng;

/// Label of an edge: [`TAU`], [`TICK`], or an event.
pub(crate) type Label = u8;

pub(crate) const TAU: Label = 0;
pub(crate) const TICK: Label = 1;
/// The first event; the next ones follow.
pub(crate) const A: Label = 2;
pub(crate) const B: Label = 3;
pub(crate) const C: Label = 4;
/// How many labels there are.
pub(crate) const LABELS: u8 = 5;

/// Name of a label where it is seen.
pub(crate) fn name(label: Label) -> &'static str {
    ["τ", "terminate", "a", "b", "c"][label as usize]
}

/// A labelled transition system with states `0..states`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiny {
    pub(crate) states: usize,
    pub(crate) initial: Vec<usize>,
    pub(crate) edges: Vec<(usize, Label, usize)>,
}

impl Tiny {
    /// Starting in state 0.
    pub(crate) fn of(states: usize, edges: &[(usize, Label, usize)]) -> Tiny {
        Tiny { states, initial: vec![0], edges: edges.to_vec() }
    }

    pub(crate) fn system(&self) -> Lts {
        let idle = Action { event: EventId::IDLE, participants: vec![], moves: vec![] };
        let mut signature = Signature::new(vec!["P".to_owned()]);
        signature.complete = false;
        Lts {
            tiny: self.clone(),
            signature,
            actions: vec![idle],
            labels: vec![(u8::MAX, 0)],
            met: vec![],
        }
    }

    /// At most `most` states and few labels. Every state may have steps, also one that is entered
    /// by ✓ only: they must not matter.
    pub(crate) fn random(rng: &mut Rng, most: usize) -> Tiny {
        let states = 1 + rng.below(most);
        let events = 1 + rng.below(3) as u8;
        // Of ten labels so many are τ; some systems have none, some are full of them.
        let taus = [0, 1, 3, 5][rng.below(4)];
        let ticks = u32::from(rng.chance(1, 2));
        let mut initial = vec![rng.below(states)];
        if rng.chance(1, 8) {
            initial.push(rng.below(states));
        }
        let edges = (0..rng.below(states * 3 + 1))
            .map(|_| {
                let label = if rng.chance(taus, 10) {
                    TAU
                } else if rng.chance(ticks, 8) {
                    TICK
                } else {
                    A + rng.below(usize::from(events)) as u8
                };
                (rng.below(states), label, rng.below(states))
            })
            .collect();
        Tiny { states, initial, edges }
    }

    /// A system that differs a little, so that refinement is not always violated.
    pub(crate) fn varied(&self, rng: &mut Rng) -> Tiny {
        let mut other = self.clone();
        for _ in 0..rng.below(3) {
            let edge = (
                rng.below(other.states),
                rng.below(usize::from(LABELS)) as u8,
                rng.below(other.states),
            );
            match rng.below(3) {
                0 if !other.edges.is_empty() => {
                    let at = rng.below(other.edges.len());
                    other.edges.remove(at);
                }
                1 if !other.edges.is_empty() => {
                    let at = rng.below(other.edges.len());
                    other.edges[at] = edge;
                }
                _ => other.edges.push(edge),
            }
        }
        other
    }

    fn smaller(&self) -> Vec<Tiny> {
        let mut smaller = Vec::new();
        for at in 0..self.edges.len() {
            let mut fewer = self.clone();
            fewer.edges.remove(at);
            smaller.push(fewer);
        }
        for at in 0..self.initial.len() {
            let mut fewer = self.clone();
            fewer.initial.remove(at);
            smaller.push(fewer);
        }
        for at in 0..self.edges.len() {
            let (from, label, to) = self.edges[at];
            for edge in [(from, TAU, to), (from, label.min(A), to), (from, label, from)] {
                if edge < self.edges[at] {
                    let mut simpler = self.clone();
                    simpler.edges[at] = edge;
                    smaller.push(simpler);
                }
            }
        }
        smaller
    }
}

/// The smallest systems that still fail, reached from these by leaving out one thing at a time.
pub(crate) fn shrink(mut systems: Vec<Tiny>, fails: impl Fn(&[Tiny]) -> bool) -> Vec<Tiny> {
    'again: loop {
        for at in 0..systems.len() {
            for smaller in systems[at].smaller() {
                let mut candidate = systems.clone();
                candidate[at] = smaller;
                if fails(&candidate) {
                    systems = candidate;
                    continue 'again;
                }
            }
        }
        return systems;
    }
}

impl fmt::Display for Tiny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {:?}:", self.initial)?;
        for &(from, label, to) in &self.edges {
            write!(f, " {from} -{}-> {to},", name(label))?;
        }
        Ok(())
    }
}

/// The same as a system, whose states, events and actions get their numbers when they are met, so
/// that two systems number the same event differently.
pub(crate) struct Lts {
    tiny: Tiny,
    signature: Signature,
    actions: Vec<Action>,
    /// By action: the label, and which of the internal events it is if it is one.
    labels: Vec<(Label, usize)>,
    met: Vec<usize>,
}

impl Lts {
    fn state(&mut self, tiny: usize) -> StateId {
        let known = self.met.iter().position(|&other| other == tiny);
        StateId::from_index(known.unwrap_or_else(|| {
            self.met.push(tiny);
            self.met.len() - 1
        }))
    }

    /// The number that a state has in the plain system.
    pub(crate) fn tiny(&self, state: StateId) -> usize {
        self.met[state.index()]
    }

    /// Label on the edge of an action.
    pub(crate) fn label(&self, action: ActionId) -> Label {
        self.labels[action.index()].0
    }

    fn action_of(&mut self, label: Label, to: usize) -> ActionId {
        // Internal events have several names, one of them that of a visible event.
        let key = (label, if label == TAU { to % 2 } else { 0 });
        if let Some(known) = self.labels.iter().position(|&other| other == key) {
            return ActionId::from_index(known);
        }
        let (kind, name) = match key {
            (TAU, 0) => (EventKind::Internal, "a"),
            (TAU, _) => (EventKind::Internal, "step"),
            (TICK, _) => (EventKind::Termination, name(TICK)),
            _ => (EventKind::Visible, name(label)),
        };
        self.signature.events.push(Event { name: name.to_owned(), kind });
        let event = EventId::from_index(self.signature.events.len() - 1);
        self.actions.push(Action { event, participants: vec![], moves: vec![] });
        self.labels.push(key);
        ActionId::from_index(self.actions.len() - 1)
    }
}

impl TransitionSystem for Lts {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.tiny.initial.clone().into_iter().map(|state| self.state(state)).collect()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let here = self.met[state.index()];
        for (from, label, to) in self.tiny.edges.clone() {
            if from == here {
                let action = self.action_of(label, to);
                out.push(Transition { target: self.state(to), action });
            }
        }
    }

    fn action(&self, action: ActionId) -> &Action {
        &self.actions[action.index()]
    }

    fn offered(&mut self, _: StateId, _: &mut Vec<MoveId>) {}

    fn atom(&mut self, _: &str) -> Option<AtomIndex> {
        None
    }

    fn holds(&self, _: StateId, _: AtomIndex) -> bool {
        false
    }

    fn describe(&self, state: StateId) -> String {
        self.met[state.index()].to_string()
    }
}
