//! The product of a system, the automaton of a property's negation, and fairness, as a graph.
//!
//! A node is a state of the system with a state of the automaton. A step is a step of the system
//! together with an edge of the automaton whose label holds of the letter read there: the event of
//! the step and the propositions of the state that it leaves. Its marks are those of the edge and
//! those of the constraints. What is enabled is asked of the system state, so an edge that the
//! automaton does not have takes nothing away from it.
//!
//! Where events are read as [`EventPosition::Entering`], the letter has the propositions of the state
//! that the step leads to, and the first letter, without an event, is read before the first step: the
//! automaton is then in a successor of an initial state. The marks of that edge are seen once, so they
//! do not matter.
//!
//! # What it costs
//!
//! The system is asked for the steps of a state once; they are kept, eight bytes each. Beside them a
//! state costs four bytes, four more under constraints and four more if propositions are about states.
//! A node costs nothing where the automaton has few states (see `nodes.rs`), and about 20 bytes
//! otherwise. Nothing is computed for a step: the edges that a letter allows are looked up
//! (`letters.rs`), and so is the union of the marks (`joins.rs`).
//!
//! Measured on Peterson's protocol under weak fairness (`bench/src/systems.rs`), with an engine beside
//! it and a system that only copies its transitions, on a busy machine: with 5 processes 190 ns and 20
//! bytes a node, with 6 (11.1 million nodes, 43 million steps) 250 ns and 19 bytes, the kept
//! transitions not counted. With hash tables for nodes and for unions of marks, and letters read anew
//! at each step, it was 660 ns and 81 bytes, 1610 ns and 75 bytes.

mod answers;
mod joins;
mod letters;
mod negation;
mod nodes;
mod states;

use std::borrow::Cow;

use fairly_fairness::{Constraint, Lowering};
use fairly_omega::{Acceptance, Automaton, Graph, Hop, MarkSet, MarkSetId, StateId, Step};
use fairly_system::{
    ActionId, EventId, EventPosition, FaultKind, MoveId, Transition, TransitionSystem,
};
use hashbrown::HashMap;

use crate::bounded::Cut;
use answers::{Answer, Answered, Answers};
use joins::Joins;
use letters::{Happening, Letters, NO_EVENT, Valuation};
pub use negation::{Binding, LetterMark, Negation};
use nodes::Nodes;
use states::States;

/// Meaning of an action in the product, wherever it is taken.
#[derive(Clone, Copy)]
struct OfAction {
    event: EventId,
    happening: Happening,
    /// The marks that it gives to its steps.
    marks: MarkSetId,
    /// Its answers where it is enabled.
    answers: Answer,
}

/// A system under the negation of a property and under fairness.
pub struct Product<'a, S> {
    system: &'a mut S,
    automaton: &'a Automaton,
    reading: EventPosition,
    lowering: Lowering,
    acceptance: Acceptance,
    letters: Letters<'a>,
    marks: Joins,
    answers: Answers,
    actions: Vec<Option<OfAction>>,
    /// Answers of a move where it is offered.
    moves: Vec<Option<Answer>>,
    /// The marks of constraints about a state and an event together.
    mixed: HashMap<(Valuation, EventId), MarkSetId>,
    nodes: Nodes,
    states: States,
    /// Actions that are enabled and that the system does not follow.
    left_out: Vec<ActionId>,
    limit: Option<StateId>,
    /// Whether numbers for nodes or transitions have run out.
    is_full: bool,
}

/// Findings of a product about a system under constraints. The property does not matter for it.
pub struct Known {
    lowering: Lowering,
    marks: Joins,
    answers: Answers,
    actions: Vec<Option<OfAction>>,
    moves: Vec<Option<Answer>>,
    states: States,
    limit: Option<StateId>,
    is_full: bool,
}

impl<'a, S: TransitionSystem> Product<'a, S> {
    /// Findings about the system, for another question about it under the same constraints.
    pub fn into_known(self) -> Known {
        let Product { lowering, marks, answers, actions, moves, states, limit, is_full, .. } = self;
        Known { lowering, marks, answers, actions, moves, states, limit, is_full }
    }

    /// The product with an automaton without propositions, under constraints that something is known for.
    pub fn going_on(system: &'a mut S, automaton: &'a Automaton, known: Known) -> Self {
        let Known { lowering, mut marks, answers, mut actions, moves, states, limit, is_full } =
            known;
        let acceptance = Acceptance::and([automaton.acceptance().clone(), lowering.acceptance()]);
        let atoms = lowering.step_atoms();
        let mut letters = Letters::new(automaton, Vec::new(), Vec::new(), atoms, &mut marks);
        for (of, id) in actions.iter_mut().zip(0..) {
            let Some(of) = of else { continue };
            of.happening = letters.happening(system.action(ActionId(id)), system.signature());
        }
        Product {
            system,
            automaton,
            reading: EventPosition::Leaving,
            lowering,
            acceptance,
            letters,
            marks,
            answers,
            actions,
            moves,
            mixed: HashMap::new(),
            nodes: Nodes::new(automaton.state_count()),
            states,
            left_out: Vec::new(),
            limit,
            is_full,
        }
    }

    /// The product with the negation of a property, under constraints.
    pub fn new(system: &'a mut S, negation: Negation<'a>, constraints: Vec<Constraint>) -> Self {
        let lowering = Lowering::new(constraints, negation.end());
        let Negation { automaton, bindings, letter_marks, letter_acceptance, reading } = negation;
        let acceptance = Acceptance::and([
            automaton.acceptance().clone(),
            letter_acceptance,
            lowering.acceptance(),
        ]);
        let mut marks = Joins::new(lowering.end());
        let answers = Answers::new(&lowering, &marks);
        let atoms = lowering.step_atoms();
        let letters = Letters::new(automaton, bindings, letter_marks, atoms, &mut marks);
        Product {
            system,
            automaton,
            reading,
            lowering,
            acceptance,
            letters,
            marks,
            answers,
            actions: Vec::new(),
            moves: Vec::new(),
            mixed: HashMap::new(),
            nodes: Nodes::new(automaton.state_count()),
            states: States::default(),
            left_out: Vec::new(),
            limit: None,
            is_full: false,
        }
    }

    /// A state that the system went no further in, if one was met. It has no steps here, not even the
    /// idle one: nothing is known of what follows. So a lasso is one all the same, but that there is
    /// none means nothing.
    pub fn limit(&self) -> Option<StateId> {
        self.limit
    }

    /// Why something is missing of what was asked for, if anything is: a state that the system went no
    /// further in, or numbers that have run out.
    pub fn cut(&self) -> Option<Cut> {
        let full = self.is_full.then_some(Cut::Nodes(u32::MAX as usize));
        self.limit.map(Cut::Limit).or(full)
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
        self.states.size()
    }

    /// The state of the system and of the automaton at a node.
    pub fn pair(&self, node: StateId) -> (StateId, StateId) {
        self.nodes.pair(node)
    }

    /// How many states the automaton has.
    pub fn automaton_states(&self) -> usize {
        self.automaton.state_count()
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

    /// The step of a node that has this action and leads to a state of the system and of the automaton: the `nth` one,
    /// if it is such a step, or else the first. `None` if there is none.
    pub fn hop(
        &mut self,
        from: (StateId, StateId),
        nth: u32,
        action: ActionId,
        to: (StateId, StateId),
    ) -> Option<Hop> {
        let from = self.nodes.number(from.0, from.1)?;
        let (mut count, mut found) = (0, None);
        self.explore(from, |nodes, transition, at, _| {
            let is_such = transition == Transition { target: to.0, action } && at == to.1;
            if is_such
                && (found.is_none() || count == nth)
                && let Some(to) = nodes.number(to.0, to.1)
            {
                found = Some(Hop { from, nth: count, to });
            }
            count += 1;
        });
        found
    }

    /// Appends the transitions of the system behind the steps of a node, in the order of the steps.
    pub fn transitions(&mut self, node: StateId, out: &mut Vec<Transition>) {
        self.explore(node, |_, transition, _, _| out.push(transition));
    }

    /// The system.
    pub fn system(&self) -> &S {
        self.system
    }

    /// Asks the system about a state, once.
    fn look(&mut self, state: StateId) {
        if self.states.knows(state) {
            return;
        }
        let begin = self.states.transition_count();
        let mut marks = MarkSetId::EMPTY;
        if !self.stops_in(state) {
            self.system.steps(state, self.states.room());
            if !self.lowering.constraints().is_empty() {
                marks = self.of_state(state, begin);
            }
        }
        self.is_full |= !self.states.keep(state, begin, marks);
    }

    /// The marks that a state gives to all of its transitions, which begin at a position.
    fn of_state(&mut self, state: StateId, begin: usize) -> MarkSetId {
        let mut answered = Answered::default();
        for at in begin..self.states.transition_count() {
            let action = self.states.action_at(at);
            let answer = self.of_action(action).answers;
            self.answers.add(answer, &mut answered);
        }
        self.system.left_out(state, &mut self.left_out);
        while let Some(action) = self.left_out.pop() {
            let answer = self.of_action(action).answers;
            self.answers.add(answer, &mut answered);
        }
        if self.lowering.asks_ready() {
            let mut offered = Vec::new();
            self.system.offered(state, &mut offered);
            for id in offered {
                let answer = self.of_move(id);
                self.answers.add(answer, &mut answered);
            }
        }
        let Product { answers, lowering, marks, .. } = self;
        answers.marks(answered, lowering, marks)
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

    /// Goes through the steps of a node: the transition, the automaton's target, and the marks.
    fn explore(
        &mut self,
        node: StateId,
        mut step: impl FnMut(&mut Nodes, Transition, StateId, MarkSetId),
    ) {
        let (state, at) = self.pair(node);
        self.look(state);
        let Some(begin) = self.states.begin(state) else { return };
        let is_mixed = self.lowering.asks_steps();
        if self.reading == EventPosition::Leaving && !is_mixed && !self.letters.read_events() {
            return self.explore_alike(state, at, begin, step);
        }
        let of_state = self.states.marks(state);
        let holding = match self.reading {
            EventPosition::Entering if !is_mixed => None,
            _ => Some(self.letters.valuation(self.system, state)),
        };
        let mut next = Some(begin);
        while let Some(position) = next {
            let transition;
            (transition, next) = self.states.at(position);
            let action = self.of_action(transition.action);
            let mut marks = self.marks.join(of_state, action.marks);
            if let (true, Some(holding)) = (is_mixed, holding) {
                let mixed = self.of_step(holding, action.event);
                marks = self.marks.join(marks, mixed);
            }
            let valuation = match (self.reading, holding) {
                (EventPosition::Leaving, Some(holding)) => holding,
                _ => {
                    let read = transition.target;
                    if read != state && self.stops_in(read) {
                        continue;
                    }
                    self.letters.valuation(self.system, read)
                }
            };
            let Product { letters, marks: joins, nodes, .. } = self;
            let letter = letters.letter(valuation, action.happening, joins);
            marks = joins.join(marks, letters.premises(letter));
            for number in letters.edges(at, letter) {
                let edge = letters.edge(number);
                step(nodes, transition, edge.target, joins.join(marks, edge.marks));
            }
        }
    }

    /// The same where every step of a state reads the same letter, which is most of the time spent on
    /// models whose formulas are about states.
    #[inline]
    fn explore_alike(
        &mut self,
        state: StateId,
        at: StateId,
        begin: usize,
        mut step: impl FnMut(&mut Nodes, Transition, StateId, MarkSetId),
    ) {
        let Product { system, letters, marks: joins, nodes, states, actions, lowering, .. } = self;
        let valuation = letters.valuation(&mut **system, state);
        let letter = letters.letter(valuation, NO_EVENT, joins);
        let of_state = joins.join(states.marks(state), letters.premises(letter));
        let edges = letters.edges(at, letter);
        let edges = letters.listed(edges);
        let is_fair = !lowering.constraints().is_empty();
        for transition in states.row(begin) {
            let mut marks = of_state;
            if is_fair {
                let action = actions[transition.action.index()].as_ref();
                marks = joins.join(marks, action.expect("met when the state was asked").marks);
            }
            for edge in edges {
                step(nodes, transition, edge.target, joins.join(marks, edge.marks));
            }
        }
    }

    /// Meaning of an action, computed once.
    #[inline]
    fn of_action(&mut self, action: ActionId) -> OfAction {
        match self.actions.get(action.index()) {
            Some(&Some(known)) => known,
            _ => self.meet_action(action),
        }
    }

    fn meet_action(&mut self, action: ActionId) -> OfAction {
        let (of, signature) = (self.system.action(action), self.system.signature());
        let event = of.event;
        let (taken, answers) = self.lowering.of_action(action, of, signature);
        let known = OfAction {
            event,
            happening: self.letters.happening(self.system.action(action), signature),
            marks: self.marks.intern(taken),
            answers: self.answers.intern(answers),
        };
        if action.index() >= self.actions.len() {
            self.actions.resize(action.index() + 1, None);
        }
        self.actions[action.index()] = Some(known);
        known
    }

    /// Answers of a move where it is offered.
    fn of_move(&mut self, id: MoveId) -> Answer {
        if id.index() >= self.moves.len() {
            self.moves.resize(id.index() + 1, None);
        }
        let Product { moves, lowering, answers, system, .. } = self;
        *moves[id.index()]
            .get_or_insert_with(|| answers.intern(lowering.of_move(id, system.signature())))
    }

    /// The marks of a step with this event out of a state with this valuation that neither the state
    /// nor the action alone decides.
    fn of_step(&mut self, holding: Valuation, event: EventId) -> MarkSetId {
        let Product { mixed, lowering, letters, marks, system, .. } = self;
        *mixed.entry((holding, event)).or_insert_with(|| {
            let holds = |atom| letters.holds(holding, atom);
            marks.intern(lowering.step_marks(event, system.signature(), &holds))
        })
    }
}

/// Whether the tool stops in this state, so that nothing is known of what follows.
pub(crate) fn is_limit<S: TransitionSystem>(system: &S, state: StateId) -> bool {
    system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Limit)
}

impl<S: TransitionSystem> Graph for Product<'_, S> {
    fn initial(&mut self) -> Vec<StateId> {
        let mut nodes = Vec::new();
        for state in self.system.initial() {
            let starts = match self.reading {
                EventPosition::Leaving => self.automaton.initial().to_vec(),
                EventPosition::Entering => self.entered(state),
            };
            let before = nodes.len();
            for at in starts {
                match self.nodes.number(state, at) {
                    // Several edges may lead to one state of the automaton.
                    Some(node) if !nodes[before..].contains(&node) => nodes.push(node),
                    Some(_) => {}
                    None => self.is_full = true,
                }
            }
        }
        nodes
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let mut is_full = false;
        self.explore(node, |nodes, transition, at, marks| {
            match nodes.number(transition.target, at) {
                Some(target) => steps.push(Step { target, marks }),
                None => is_full = true,
            }
        });
        self.is_full |= is_full;
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.marks.get(id)
    }

    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        self.marks.add_to(id, set);
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.states.bytes()
            + self.letters.bytes()
            + self.marks.bytes()
            + self.answers.bytes()
            + self.mixed.allocation_size()
            + self.actions.capacity() * size_of::<Option<OfAction>>()
            + self.system.bytes()
    }
}

impl<S: TransitionSystem> Product<'_, S> {
    /// Where the automaton is after the first letter, which has no event.
    fn entered(&mut self, state: StateId) -> Vec<StateId> {
        if self.stops_in(state) {
            return Vec::new();
        }
        let valuation = self.letters.valuation(self.system, state);
        let letter = self.letters.letter(valuation, NO_EVENT, &mut self.marks);
        let mut entered = Vec::new();
        for &at in self.automaton.initial() {
            for number in self.letters.edges(at, letter) {
                entered.push(self.letters.edge(number).target);
            }
        }
        entered
    }
}
