//! The product of a system, the automaton of a property's negation, and fairness, as a graph.
//!
//! A node is a state of the system with a state of the automaton. A step is a step of the system
//! together with an edge of the automaton whose label holds of the letter read there: the
//! propositions of the state that the step leaves and the event of the step. Its marks are those
//! of the edge and those of the constraints. What is enabled is asked of the system state, so an
//! edge that the automaton does not have takes nothing away from it.

use std::fmt;

use fairly_fairness::{Constraint, Lowering};
use fairly_omega::{
    Acceptance, Automaton, Graph, Mark, MarkSet, MarkSetId, MarkTable, Prop, StateId, Step,
};
use fairly_system::{AtomIndex, EventId, Transition, TransitionSystem};
use hashbrown::HashMap;

/// What a proposition of the automaton means in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The step has one of these events.
    Event(Vec<EventId>),
    /// The state has this proposition.
    State(AtomIndex),
}

/// A proposition that the system does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// The proposition.
    pub name: String,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system has neither an event nor a state proposition `{}`", self.name)
    }
}

impl std::error::Error for Unbound {}

/// What the system says of one of its states, asked once.
struct Seen {
    first: u32,
    end: u32,
    /// The marks of every step out of it.
    marks: MarkSetId,
    /// Which state propositions hold, by binding.
    holds: Box<[bool]>,
}

/// A system under the negation of a property and under fairness.
pub struct Product<'a, S> {
    system: &'a mut S,
    automaton: &'a Automaton,
    bindings: Vec<Binding>,
    lowering: Lowering,
    acceptance: Acceptance,
    marks: MarkTable,
    /// Marks of an automaton edge in this product's table.
    edge_marks: Vec<MarkSetId>,
    joined: HashMap<(MarkSetId, MarkSetId), MarkSetId>,
    nodes: Vec<(StateId, StateId)>,
    numbers: HashMap<(StateId, StateId), StateId>,
    seen: Vec<Option<Seen>>,
    transitions: Vec<Transition>,
}

impl<'a, S: TransitionSystem> Product<'a, S> {
    /// The product with the automaton of the property's *negation*, whose propositions are bound
    /// as `bindings` says, in order.
    pub fn new(
        system: &'a mut S,
        automaton: &'a Automaton,
        bindings: Vec<Binding>,
        constraints: Vec<Constraint>,
    ) -> Self {
        assert_eq!(bindings.len(), automaton.propositions().len(), "one binding a proposition");
        let lowering = Lowering::new(constraints, Mark(automaton.mark_count()));
        let acceptance = Acceptance::and([automaton.acceptance().clone(), lowering.acceptance()]);
        let mut marks = MarkTable::new();
        let edge_marks =
            automaton.mark_table().iter().map(|(_, set)| marks.intern(set.clone())).collect();
        Product {
            system,
            automaton,
            bindings,
            lowering,
            acceptance,
            marks,
            edge_marks,
            joined: HashMap::new(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            seen: Vec::new(),
            transitions: Vec::new(),
        }
    }

    /// The state of the system and of the automaton at a node.
    pub fn pair(&self, node: StateId) -> (StateId, StateId) {
        self.nodes[node.index()]
    }

    /// How many nodes have been met.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The transition of the system behind a step of a node.
    pub fn transition(&mut self, node: StateId, nth: u32) -> Transition {
        let mut found = None;
        let mut count = 0;
        self.explore(node, |_, transition, _, _| {
            if count == nth {
                found = Some(transition);
            }
            count += 1;
        });
        found.expect("the node has such a step")
    }

    fn number(&mut self, pair: (StateId, StateId)) -> StateId {
        let nodes = &mut self.nodes;
        *self.numbers.entry(pair).or_insert_with(|| {
            nodes.push(pair);
            StateId::from_index(nodes.len() - 1)
        })
    }

    fn join(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        if a == b || b == MarkSetId::EMPTY {
            return a;
        }
        let key = if a <= b { (a, b) } else { (b, a) };
        let marks = &mut self.marks;
        *self.joined.entry(key).or_insert_with(|| {
            let both = marks.get(a).union(marks.get(b));
            marks.intern(both)
        })
    }

    /// Asks the system about a state, once.
    fn look(&mut self, state: StateId) {
        if self.seen.get(state.index()).is_some_and(Option::is_some) {
            return;
        }
        let first = self.transitions.len();
        self.system.steps(state, &mut self.transitions);
        let steps = &self.transitions[first..];
        let marks: MarkSet = self.lowering.state_marks(self.system, state, steps);
        let marks = self.marks.intern(marks);
        let holds = self
            .bindings
            .iter()
            .map(|binding| match binding {
                Binding::State(atom) => self.system.holds(state, *atom),
                Binding::Event(_) => false,
            })
            .collect();
        let position = |at: usize| u32::try_from(at).expect("fewer than 2^32 transitions");
        let seen =
            Seen { first: position(first), end: position(self.transitions.len()), marks, holds };
        if state.index() >= self.seen.len() {
            self.seen.resize_with(state.index() + 1, || None);
        }
        self.seen[state.index()] = Some(seen);
    }

    /// Goes through the steps of a node: the transition, the automaton's target, and the marks.
    fn explore(
        &mut self,
        node: StateId,
        mut step: impl FnMut(&mut Self, Transition, StateId, MarkSetId),
    ) {
        let (state, at) = self.pair(node);
        self.look(state);
        let automaton = self.automaton;
        let seen = self.seen[state.index()].as_ref().expect("just looked");
        let (range, of_state) = (seen.first as usize..seen.end as usize, seen.marks);
        for number in range {
            let transition = self.transitions[number];
            let action = self.system.action(transition.action);
            let event = action.event;
            let of_action = self.lowering.action_marks(transition.action, action).clone();
            let of_action = self.marks.intern(of_action);
            let of_system = self.join(of_state, of_action);
            for edge in automaton.edges(at) {
                let seen = self.seen[state.index()].as_ref().expect("just looked");
                let bindings = &self.bindings;
                let holds = automaton.letters().holds(edge.label, |Prop(prop)| {
                    match &bindings[prop as usize] {
                        Binding::Event(events) => events.contains(&event),
                        Binding::State(_) => seen.holds[prop as usize],
                    }
                });
                if holds {
                    let of_edge = self.edge_marks[edge.marks.index()];
                    let marks = self.join(of_system, of_edge);
                    step(self, transition, edge.target, marks);
                }
            }
        }
    }
}

impl<S: TransitionSystem> Graph for Product<'_, S> {
    fn initial(&mut self) -> Vec<StateId> {
        let states = self.system.initial();
        let mut nodes = Vec::new();
        for state in states {
            for &at in self.automaton.initial() {
                nodes.push(self.number((state, at)));
            }
        }
        nodes
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        self.explore(node, |product, transition, at, marks| {
            let target = product.number((transition.target, at));
            steps.push(Step { target, marks });
        });
    }

    fn marks(&self, id: MarkSetId) -> &MarkSet {
        self.marks.get(id)
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}
