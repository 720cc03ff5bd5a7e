//! The product of a system, the automaton of a property's negation, and fairness, as a graph.
//!
//! A node is a state of the system with a state of the automaton. A step is a step of the system
//! together with an edge of the automaton whose label holds of the letter read there: the event of
//! the step and the propositions of the state that it leaves. Its marks are those of the edge and
//! those of the constraints. What is enabled is asked of the system state, so an edge that the
//! automaton does not have takes nothing away from it.
//!
//! Where events are read as [`EventReading::Entering`], the letter has the propositions of the state
//! that the step leads to, and the first letter, without an event, is read before the first step: the
//! automaton is then in a successor of an initial state. The marks of that edge are seen once, so they
//! do not matter.

use fairly_fairness::{Constraint, Lowering};
use fairly_omega::{
    Acceptance, Automaton, Graph, Label, Mark, MarkSet, MarkSetId, MarkTable, Prop, StateId, Step,
};
use fairly_system::{
    ActionId, AtomIndex, EventId, EventReading, EventSet, FaultKind, Transition, TransitionSystem,
};
use hashbrown::HashMap;

/// What a proposition of the automaton means in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The step has one of these events.
    Event(EventSet),
    /// The state has this proposition.
    State(AtomIndex),
}

/// What the system says of one of its states, asked once.
struct Seen {
    first: u32,
    end: u32,
    /// The marks of every step out of it.
    marks: MarkSetId,
}

/// A mark on every step whose letter satisfies a label of the automaton: how a fairness premise of
/// the formula enters the product without a state of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LetterMark {
    /// Which letters.
    pub label: Label,
    /// The mark they get; one that the automaton does not use.
    pub mark: Mark,
}

/// The property's part of a product: the automaton of its negation, and conditions on letters.
#[derive(Clone, Debug)]
pub struct Negation<'a> {
    /// Accepts the words that violate the property, the premises aside.
    pub automaton: &'a Automaton,
    /// What its propositions mean in the system, in order.
    pub bindings: Vec<Binding>,
    /// Marks for premises; numbered from the automaton's mark count on.
    pub letter_marks: Vec<LetterMark>,
    /// The condition over them.
    pub letter_acceptance: Acceptance,
    /// Which event a position reads.
    pub reading: EventReading,
}

impl<'a> Negation<'a> {
    /// An automaton without premises.
    pub fn new(automaton: &'a Automaton, bindings: Vec<Binding>) -> Self {
        assert_eq!(bindings.len(), automaton.propositions().len(), "one binding a proposition");
        let letter_acceptance = Acceptance::True;
        let reading = EventReading::default();
        Negation { automaton, bindings, letter_marks: Vec::new(), letter_acceptance, reading }
    }

    /// The same with events read so.
    #[must_use]
    pub fn reading(mut self, reading: EventReading) -> Self {
        self.reading = reading;
        self
    }

    /// Adds marks for a premise: `Inf` of the letters in `inf`, or else `Fin` of those in `fin`.
    pub fn add_premise(&mut self, fin: Option<Label>, inf: Option<Label>) {
        let mut atoms = Vec::new();
        for (label, make) in
            [(fin, Acceptance::Fin as fn(Mark) -> Acceptance), (inf, Acceptance::Inf)]
        {
            if let Some(label) = label {
                let mark = self.end();
                self.letter_marks.push(LetterMark { label, mark });
                atoms.push(make(mark));
            }
        }
        let both = [self.letter_acceptance.clone(), Acceptance::or(atoms)];
        self.letter_acceptance = Acceptance::and(both);
    }

    /// The first mark that is not used.
    pub fn end(&self) -> Mark {
        let used = u32::try_from(self.letter_marks.len()).expect("marks are numbered by u32");
        Mark(self.automaton.mark_count() + used)
    }
}

/// A system under the negation of a property and under fairness.
pub struct Product<'a, S> {
    system: &'a mut S,
    automaton: &'a Automaton,
    bindings: Vec<Binding>,
    letter_marks: Vec<LetterMark>,
    reading: EventReading,
    lowering: Lowering,
    acceptance: Acceptance,
    marks: MarkTable,
    /// Marks of an action in this product's table, by action.
    action_marks: Vec<Option<MarkSetId>>,
    /// Marks of an automaton edge in this product's table.
    edge_marks: Vec<MarkSetId>,
    joined: HashMap<(MarkSetId, MarkSetId), MarkSetId>,
    nodes: Vec<(StateId, StateId)>,
    numbers: HashMap<(StateId, StateId), StateId>,
    seen: Vec<Option<Seen>>,
    /// Which state propositions hold, by state and binding. Apart from what else is known of a state,
    /// since a step may read where it leads to, which need not have been expanded.
    holds: Vec<Option<Box<[bool]>>>,
    transitions: Vec<Transition>,
    limit: Option<StateId>,
}

impl<'a, S: TransitionSystem> Product<'a, S> {
    /// The product with the negation of a property, under constraints.
    pub fn new(system: &'a mut S, negation: Negation<'a>, constraints: Vec<Constraint>) -> Self {
        let lowering = Lowering::new(constraints, negation.end());
        let Negation { automaton, bindings, letter_marks, letter_acceptance, reading } = negation;
        let acceptance = Acceptance::and([
            automaton.acceptance().clone(),
            letter_acceptance,
            lowering.acceptance(),
        ]);
        let mut marks = MarkTable::new();
        let edge_marks =
            automaton.mark_table().iter().map(|(_, set)| marks.intern(set.clone())).collect();
        Product {
            system,
            automaton,
            bindings,
            letter_marks,
            reading,
            lowering,
            acceptance,
            marks,
            action_marks: Vec::new(),
            edge_marks,
            joined: HashMap::new(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            seen: Vec::new(),
            holds: Vec::new(),
            transitions: Vec::new(),
            limit: None,
        }
    }

    /// A state that the system went no further in, if one was met. It has no steps here, not even the
    /// idle one: nothing is known of what follows. So a lasso is one all the same, but that there is
    /// none means nothing.
    pub fn limit(&self) -> Option<StateId> {
        self.limit
    }

    /// The constraints with their marks.
    pub fn lowering(&self) -> &Lowering {
        &self.lowering
    }

    /// The system.
    pub fn system_mut(&mut self) -> &mut S {
        self.system
    }

    /// How many states and transitions of the system have been asked for.
    pub fn system_size(&self) -> (usize, usize) {
        (self.seen.iter().flatten().count(), self.transitions.len())
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

    /// Appends the transitions of the system behind the steps of a node, in the order of the steps.
    pub fn transitions(&mut self, node: StateId, out: &mut Vec<Transition>) {
        self.explore(node, |_, transition, _, _| out.push(transition));
    }

    /// The system.
    pub fn system(&self) -> &S {
        self.system
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
        if !self.stops_in(state) {
            self.system.steps(state, &mut self.transitions);
        }
        let steps = &self.transitions[first..];
        let marks: MarkSet = self.lowering.state_marks(self.system, state, steps);
        let marks = self.marks.intern(marks);
        let signature = self.system.signature();
        for binding in &mut self.bindings {
            if let Binding::Event(events) = binding {
                events.learn(signature);
            }
        }
        let position = |at: usize| u32::try_from(at).expect("fewer than 2^32 transitions");
        let seen = Seen { first: position(first), end: position(self.transitions.len()), marks };
        if state.index() >= self.seen.len() {
            self.seen.resize_with(state.index() + 1, || None);
        }
        self.seen[state.index()] = Some(seen);
    }

    /// Whether the system goes no further in a state; it is remembered that it did not. What holds in
    /// such a state is not known either, so where a step reads the state it leads to, this has to be
    /// asked before: an automaton that does not read what is there would hide that more may come.
    fn stops_in(&mut self, state: StateId) -> bool {
        let stops = is_limit(self.system, state);
        if stops {
            self.limit = self.limit.or(Some(state));
        }
        stops
    }

    /// Asks the system which propositions hold in a state, once.
    fn value(&mut self, state: StateId) {
        if state.index() >= self.holds.len() {
            self.holds.resize_with(state.index() + 1, || None);
        }
        let Product { system, bindings, holds, .. } = self;
        holds[state.index()].get_or_insert_with(|| {
            let holds = bindings.iter().map(|binding| match binding {
                Binding::State(atom) => system.holds(state, *atom),
                Binding::Event(_) => false,
            });
            holds.collect()
        });
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
            let mut of_step = self.of_action(transition.action);
            of_step = self.join(of_state, of_step);
            let mixed = self.lowering.step_marks(self.system, state, transition.action);
            if let Some(mixed) = mixed {
                let mixed = self.marks.intern(mixed);
                of_step = self.join(of_step, mixed);
            }
            let event = Some(self.system.action(transition.action).event);
            let read = match self.reading {
                EventReading::Leaving => state,
                EventReading::Entering => transition.target,
            };
            if read != state && self.stops_in(read) {
                continue;
            }
            self.value(read);
            if !self.letter_marks.is_empty() {
                let reads = self.reader(read, event);
                let premises: MarkSet = self
                    .letter_marks
                    .iter()
                    .filter(|premise| automaton.letters().holds(premise.label, &reads))
                    .map(|premise| premise.mark)
                    .collect();
                drop(reads);
                let premises = self.marks.intern(premises);
                of_step = self.join(of_step, premises);
            }
            for edge in automaton.edges(at) {
                if automaton.letters().holds(edge.label, self.reader(read, event)) {
                    let of_edge = self.edge_marks[edge.marks.index()];
                    let marks = self.join(of_step, of_edge);
                    step(self, transition, edge.target, marks);
                }
            }
        }
    }

    /// The letter with this event and the propositions of a state that has been valued.
    fn reader(&self, state: StateId, event: Option<EventId>) -> impl Fn(Prop) -> bool + '_ {
        let holds = self.holds[state.index()].as_ref().expect("valued");
        let signature = self.system.signature();
        move |Prop(prop)| match &self.bindings[prop as usize] {
            Binding::Event(events) => event.is_some_and(|event| events.contains(event, signature)),
            Binding::State(_) => holds[prop as usize],
        }
    }

    /// Where the automaton is after the first letter, which has no event.
    fn entered(&self, state: StateId) -> Vec<StateId> {
        let reads = self.reader(state, None);
        let starts = self.automaton.initial().iter();
        let edges = starts.flat_map(|&at| self.automaton.edges(at));
        let read = edges.filter(|edge| self.automaton.letters().holds(edge.label, &reads));
        read.map(|edge| edge.target).collect()
    }

    /// The marks that an action gives to its steps.
    fn of_action(&mut self, action: ActionId) -> MarkSetId {
        if action.index() >= self.action_marks.len() {
            self.action_marks.resize(action.index() + 1, None);
        }
        let Product { system, lowering, marks, action_marks, .. } = self;
        *action_marks[action.index()]
            .get_or_insert_with(|| marks.intern(lowering.action_marks(action, *system).clone()))
    }
}

/// Whether the tool stops in this state, so that nothing is known of what follows.
pub(crate) fn is_limit<S: TransitionSystem>(system: &S, state: StateId) -> bool {
    system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Limit)
}

impl<S: TransitionSystem> Graph for Product<'_, S> {
    fn initial(&mut self) -> Vec<StateId> {
        let states = self.system.initial();
        let mut nodes = Vec::new();
        for state in states {
            match self.reading {
                EventReading::Leaving => {
                    let starts = self.automaton.initial().iter();
                    nodes.extend(starts.map(|&at| self.number((state, at))));
                }
                EventReading::Entering => {
                    if self.stops_in(state) {
                        continue;
                    }
                    self.value(state);
                    let before = nodes.len();
                    for at in self.entered(state) {
                        let node = self.number((state, at));
                        // Several edges may lead to one state of the automaton.
                        if !nodes[before..].contains(&node) {
                            nodes.push(node);
                        }
                    }
                }
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
