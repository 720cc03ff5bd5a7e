//! Components composed by shared events, explored on the fly.
//!
//! An event is taken jointly by all components that have it in their alphabet, each with one of
//! its local transitions; an event that is listed as interleaved is taken by one component alone.
//! A state is the tuple of local states.

use std::fmt;
use std::hash::BuildHasher;

use fairly_omega::StateId;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::action::{
    Action, ActionId, Event, EventId, EventKind, Move, MoveId, ProcessId, Signature,
};
use crate::blocked::{Blocked, Missing, Obstacle};
use crate::component::{Component, LocalTransition};
use crate::transition_system::{AtomIndex, Transition, TransitionSystem};
use crate::value::{ProcessValues, StateValues};

/// How components are put together.
#[derive(Clone, Debug, Default)]
pub struct Composition {
    /// Events that components do not share although several have them.
    pub interleaved: Vec<String>,
}

/// Why components cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// Two components have one name.
    SameName(String),
    /// A component has no initial state.
    NoInitialState(String),
    /// A component uses the event that means that nothing happens.
    ReservedEvent(String),
    /// There are too many combinations of initial states.
    TooManyStarts,
    /// An event can be taken jointly in too many ways.
    TooManyWays(String),
}

/// Combinations of initial states, and of moves with one event in one state, that may be tried:
/// they are all built at once, before any bound on a search is asked.
const COMBINATIONS: usize = 1 << 20;

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::SameName(name) => write!(f, "two components are called `{name}`"),
            NetworkError::NoInitialState(name) => {
                write!(f, "the component `{name}` has no initial state")
            }
            NetworkError::TooManyStarts => write!(
                f,
                "the components have more than {COMBINATIONS} combinations of initial states"
            ),
            NetworkError::TooManyWays(event) => write!(
                f,
                "the event `{event}` can be taken jointly in more than {COMBINATIONS} ways in one \
                 state"
            ),
            NetworkError::ReservedEvent(name) => write!(
                f,
                "the component `{name}` has an event `idle`, which is the name of the step of a \
                 deadlocked state"
            ),
        }
    }
}

impl std::error::Error for NetworkError {}

/// What a state proposition of a network says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Atom {
    /// The component is in this local state.
    At { component: usize, state: u32 },
    /// A proposition of the component's local states.
    Label { component: usize, name: String },
    /// Nothing is enabled.
    Deadlock,
}

/// A local transition as the exploration needs it.
#[derive(Clone, Copy, Debug)]
struct Hop {
    event: EventId,
    to: u32,
    id: MoveId,
}

/// The moves that a component offers in one of its states.
#[derive(Clone, Debug, Default)]
struct Offer {
    /// In the order of the component's transitions.
    moves: Vec<Hop>,
    /// Their positions, sorted by event: a component that talks to `n` others offers `n` events, and
    /// looking through all of them for each would make a state cost `n²`.
    by_event: Vec<u32>,
}

impl Offer {
    /// The moves with this event, in the order of the component's transitions.
    fn with(&self, event: EventId) -> impl ExactSizeIterator<Item = Hop> + '_ {
        let of = |&at: &u32| self.moves[at as usize].event;
        let start = self.by_event.partition_point(|at| of(at) < event);
        let count = self.by_event[start..].partition_point(|at| of(at) == event);
        self.by_event[start..start + count].iter().map(|&at| self.moves[at as usize])
    }
}

/// A network of components.
#[derive(Clone, Debug)]
pub struct Network {
    components: Vec<Component>,
    signature: Signature,
    /// Local transitions by component and local state.
    offers: Vec<Vec<Offer>>,
    /// The components that take each event together, by event; empty if they take it alone.
    sharing: Vec<Vec<ProcessId>>,
    /// Local states, one after the other, by state.
    tuples: Vec<u32>,
    states: HashTable<u32>,
    hasher: DefaultHashBuilder,
    actions: Vec<Action>,
    action_ids: HashMap<Vec<MoveId>, ActionId>,
    atoms: Vec<Atom>,
    /// The state that was looked at last, and what is enabled there: actions, and the local states
    /// that they lead to, one after the other.
    looked: Vec<u32>,
    pending: Vec<ActionId>,
    rows: Vec<u32>,
}

impl Network {
    /// Puts components together.
    ///
    /// # Errors
    /// When names clash or a component has nowhere to start.
    pub fn new(
        components: Vec<Component>,
        composition: &Composition,
    ) -> Result<Self, NetworkError> {
        let processes = components.iter().map(|component| component.name.clone()).collect();
        let mut signature = Signature::new(processes);
        let mut ids: HashMap<String, EventId> = HashMap::new();
        let mut sharing = vec![Vec::new()];
        for (at, component) in components.iter().enumerate() {
            if components[..at].iter().any(|other| other.name == component.name) {
                return Err(NetworkError::SameName(component.name.clone()));
            }
            if component.initial.is_empty() {
                return Err(NetworkError::NoInitialState(component.name.clone()));
            }
            for event in &component.alphabet {
                if event == "idle" {
                    return Err(NetworkError::ReservedEvent(component.name.clone()));
                }
                let id = *ids.entry(event.clone()).or_insert_with(|| {
                    let id = EventId::from_index(signature.events.len());
                    let kind = EventKind::Visible;
                    signature.events.push(Event { name: event.clone(), kind });
                    sharing.push(Vec::new());
                    id
                });
                if !composition.interleaved.contains(event) {
                    sharing[id.index()].push(ProcessId::from_index(at));
                }
            }
        }
        let mut offers = Vec::new();
        for (at, component) in components.iter().enumerate() {
            let mut local = vec![Offer::default(); component.states.len()];
            for transition in &component.transitions {
                let id = MoveId::from_index(signature.moves.len());
                let event = ids[&transition.event];
                let LocalTransition { from, to, .. } = transition;
                let states = &component.states;
                signature.moves.push(Move {
                    process: ProcessId::from_index(at),
                    event,
                    annotation: transition.annotation,
                    name: format!(
                        "{}.{}->{}",
                        states[*from as usize], transition.event, states[*to as usize]
                    ),
                    span: None,
                });
                let offer = &mut local[transition.from as usize];
                offer.by_event.push(u32::try_from(offer.moves.len()).expect("fewer than moves"));
                offer.moves.push(Hop { event, to: transition.to, id });
            }
            for Offer { moves, by_event } in &mut local {
                by_event.sort_by_key(|&at| moves[at as usize].event);
            }
            offers.push(local);
        }
        let starts = components.iter().map(|component| component.initial.len());
        if starts.fold(1usize, usize::saturating_mul) > COMBINATIONS {
            return Err(NetworkError::TooManyStarts);
        }
        // The most moves with one event in one local state, by component, multiplied up by event.
        let mut ways = vec![1usize; sharing.len()];
        for local in &offers {
            let mut most: HashMap<EventId, usize> = HashMap::new();
            for offer in local {
                let of = |at: &u32| offer.moves[*at as usize].event;
                for run in offer.by_event.chunk_by(|a, b| of(a) == of(b)) {
                    let known = most.entry(of(&run[0])).or_default();
                    *known = (*known).max(run.len());
                }
            }
            for (event, count) in most {
                ways[event.index()] = ways[event.index()].saturating_mul(count);
            }
        }
        let too_many = |&event: &usize| sharing[event].len() > 1 && ways[event] > COMBINATIONS;
        if let Some(event) = (0..sharing.len()).find(too_many) {
            return Err(NetworkError::TooManyWays(signature.events[event].name.clone()));
        }
        let idle = Action { event: EventId::IDLE, participants: vec![], moves: vec![] };
        Ok(Network {
            components,
            signature,
            offers,
            sharing,
            tuples: Vec::new(),
            states: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            actions: vec![idle],
            action_ids: HashMap::from([(vec![], ActionId::IDLE)]),
            atoms: Vec::new(),
            looked: Vec::new(),
            pending: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// The components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The local states of a state.
    pub fn tuple(&self, state: StateId) -> &[u32] {
        let width = self.components.len();
        &self.tuples[state.index() * width..][..width]
    }

    /// How many states have been met.
    pub fn state_count(&self) -> usize {
        self.tuples
            .len()
            .checked_div(self.components.len())
            .unwrap_or(usize::from(!self.states.is_empty()))
    }

    fn intern(&mut self, tuple: &[u32]) -> StateId {
        let width = tuple.len();
        let (tuples, hasher) = (&self.tuples, &self.hasher);
        let stored = |id: u32| &tuples[id as usize * width..][..width];
        let count = self.states.len();
        let entry = self.states.entry(
            hasher.hash_one(tuple),
            |&id| stored(id) == tuple,
            |&id| hasher.hash_one(stored(id)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => StateId(*found.get()),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = StateId::from_index(count);
                free.insert(id.0);
                self.tuples.extend_from_slice(tuple);
                id
            }
        }
    }

    fn intern_atom(&mut self, atom: Atom) -> AtomIndex {
        let at = self.atoms.iter().position(|known| *known == atom).unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        AtomIndex(u32::try_from(at).expect("fewer than 2^32 propositions"))
    }

    /// The proposition that a component is in one of its local states, both given by position:
    /// unlike `P@q`, it does not depend on names, which a file may give twice.
    pub fn at(&mut self, component: ProcessId, state: u32) -> AtomIndex {
        self.intern_atom(Atom::At { component: component.index(), state })
    }

    fn intern_action(&mut self, event: EventId, moves: &[MoveId]) -> ActionId {
        if let Some(&known) = self.action_ids.get(moves) {
            return known;
        }
        let id = ActionId::from_index(self.actions.len());
        let participants =
            moves.iter().map(|&id| self.signature.moves[id.index()].process).collect();
        self.actions.push(Action { event, participants, moves: moves.to_vec() });
        self.action_ids.insert(moves.to_vec(), id);
        id
    }

    /// Appends the ways in which the components of `sharing` can take `event` together.
    fn joint(&mut self, tuple: &[u32], event: EventId) {
        let offers = |process: &ProcessId| self.offer(*process, tuple).with(event);
        if self.sharing[event.index()].iter().all(|process| offers(process).len() > 0) {
            let choices: Vec<Vec<Hop>> = self.sharing[event.index()]
                .iter()
                .map(|process| offers(process).collect())
                .collect();
            let sharing = std::mem::take(&mut self.sharing[event.index()]);
            // An odometer over one choice a component, the last one turning fastest.
            let mut wheel = vec![0; choices.len()];
            loop {
                let mut next = tuple.to_vec();
                let mut moves = Vec::with_capacity(choices.len());
                for ((process, choice), &at) in sharing.iter().zip(&choices).zip(&wheel) {
                    next[process.index()] = choice[at].to;
                    moves.push(choice[at].id);
                }
                let action = self.intern_action(event, &moves);
                self.pending.push(action);
                self.rows.extend_from_slice(&next);
                let Some(turn) =
                    (0..wheel.len()).rev().find(|&at| wheel[at] + 1 < choices[at].len())
                else {
                    break;
                };
                wheel[turn] += 1;
                wheel[turn + 1..].fill(0);
            }
            self.sharing[event.index()] = sharing;
        }
    }

    /// What a component offers in its part of a state.
    fn offer(&self, process: ProcessId, tuple: &[u32]) -> &Offer {
        &self.offers[process.index()][tuple[process.index()] as usize]
    }

    /// Works out what is enabled in a state, before what it leads to is stored.
    pub fn look(&mut self, state: StateId) {
        let tuple = self.tuple(state).to_vec();
        self.pending.clear();
        self.rows.clear();
        for process in 0..tuple.len() {
            let at = tuple[process] as usize;
            for number in 0..self.offers[process][at].moves.len() {
                let candidate = self.offers[process][at].moves[number];
                let event = candidate.event;
                match self.sharing[event.index()].as_slice() {
                    [] | [_] => {
                        let mut next = tuple.clone();
                        next[process] = candidate.to;
                        let action = self.intern_action(event, &[candidate.id]);
                        self.pending.push(action);
                        self.rows.extend_from_slice(&next);
                    }
                    // The first of those who share an event finds all the ways to take it, when
                    // it comes to the first of its own moves with that event.
                    [first, ..] if first.index() == process => {
                        let earliest = self.offers[process][at].with(event).next();
                        if earliest.is_some_and(|earliest| earliest.id == candidate.id) {
                            self.joint(&tuple, event);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.looked = tuple;
    }

    /// The local states of the state that was looked at last.
    pub fn looked_at(&self) -> &[u32] {
        &self.looked
    }

    /// What is enabled in the state that was looked at last.
    pub fn pending(&self) -> &[ActionId] {
        &self.pending
    }

    /// Appends the transitions of the state that was looked at last which are to be kept, by
    /// position. What the others lead to is not stored.
    pub fn follow(&mut self, mut keep: impl FnMut(usize) -> bool, out: &mut Vec<Transition>) {
        let width = self.looked.len();
        let rows = std::mem::take(&mut self.rows);
        for at in (0..self.pending.len()).filter(|&at| keep(at)) {
            let target = self.intern(&rows[at * width..][..width]);
            out.push(Transition { target, action: self.pending[at] });
        }
        self.rows = rows;
    }

    /// The components that take an event together; one or none if each takes it alone.
    pub fn sharing(&self, event: EventId) -> &[ProcessId] {
        &self.sharing[event.index()]
    }

    /// Of a move: the local state that it leaves, and its position among those that do.
    pub fn place_of(&self, id: MoveId) -> (u32, u32) {
        let process = self.signature.moves[id.index()].process;
        for (state, offer) in (0u32..).zip(&self.offers[process.index()]) {
            if let Some(at) = (0u32..).zip(&offer.moves).find(|(_, hop)| hop.id == id) {
                return (state, at.0);
            }
        }
        unreachable!("a move is a local transition")
    }

    /// The component that a proposition is about, and of each of its local states whether it holds
    /// there; `None` if it is about more than one.
    pub fn atom_places(&self, atom: AtomIndex) -> Option<(usize, Vec<bool>)> {
        let count = |component: usize| self.components[component].states.len();
        match &self.atoms[atom.0 as usize] {
            Atom::At { component, state } => {
                let at = *state as usize;
                Some((*component, (0..count(*component)).map(|other| other == at).collect()))
            }
            Atom::Label { component, name } => {
                let labels = &self.components[*component].labels;
                let has = |at: usize| labels[at].contains(name);
                Some((*component, (0..count(*component)).map(has).collect()))
            }
            Atom::Deadlock => None,
        }
    }
}

impl TransitionSystem for Network {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn initial(&mut self) -> Vec<StateId> {
        let mut tuples: Vec<Vec<u32>> = vec![vec![]];
        for component in &self.components {
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    component.initial.iter().map(|&state| {
                        let mut longer = tuple.clone();
                        longer.push(state);
                        longer
                    })
                })
                .collect();
        }
        let mut initial: Vec<StateId> = tuples.iter().map(|tuple| self.intern(tuple)).collect();
        let mut seen = hashbrown::HashSet::new();
        initial.retain(|&state| seen.insert(state));
        initial
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.look(state);
        self.follow(|_| true, out);
    }

    fn action(&self, action: ActionId) -> &Action {
        &self.actions[action.index()]
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        for (local, &at) in self.offers.iter().zip(self.tuple(state)) {
            out.extend(local[at as usize].moves.iter().map(|candidate| candidate.id));
        }
    }

    /// `P@q`: the component `P` is in its local state `q`; `deadlock`: nothing is enabled; or the
    /// name of a label of a local state.
    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        let atom = if text == "deadlock" {
            Atom::Deadlock
        } else if let Some((name, state)) = text.split_once('@') {
            let component = self.components.iter().position(|other| other.name == name.trim())?;
            let names = &self.components[component].states;
            let state = names.iter().position(|other| other == state.trim())?;
            Atom::At { component, state: u32::try_from(state).ok()? }
        } else {
            let component = self.components.iter().position(|component| {
                component.labels.iter().any(|labels| labels.iter().any(|label| label == text))
            })?;
            Atom::Label { component, name: text.to_owned() }
        };
        Some(self.intern_atom(atom))
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        let tuple = self.tuple(state);
        match &self.atoms[atom.0 as usize] {
            Atom::At { component, state } => tuple[*component] == *state,
            Atom::Label { component, name } => {
                self.components[*component].labels[tuple[*component] as usize].contains(name)
            }
            Atom::Deadlock => !self.can_move(tuple),
        }
    }

    fn bytes(&self) -> usize {
        self.tuples.capacity() * 4 + self.states.allocation_size()
    }

    fn state_values(&self, state: StateId) -> StateValues {
        let process = |(component, &at): (&Component, &u32)| ProcessValues {
            name: component.name.clone(),
            at: component.states[at as usize].clone(),
            variables: Vec::new(),
        };
        let processes = self.components.iter().zip(self.tuple(state)).map(process).collect();
        StateValues { processes, ..StateValues::default() }
    }

    fn blocked(&mut self, state: StateId) -> Vec<Blocked> {
        let tuple = self.tuple(state);
        let mut all = Vec::new();
        for (at, (component, &local)) in self.components.iter().zip(tuple).enumerate() {
            let mut on: Vec<Obstacle> = Vec::new();
            for candidate in &self.offers[at][local as usize].moves {
                let refuses = |process: &ProcessId| {
                    self.offer(*process, tuple).with(candidate.event).len() == 0
                };
                let sharing = &self.sharing[candidate.event.index()];
                let obstacle = Obstacle {
                    words: self.signature.event_name(candidate.event).to_owned(),
                    span: None,
                    missing: Missing::Partners(sharing.iter().copied().filter(refuses).collect()),
                };
                if !on.contains(&obstacle) {
                    on.push(obstacle);
                }
            }
            let state = component.states[local as usize].clone();
            let process = ProcessId::from_index(at);
            all.push(Blocked { process, at: state, may_end: false, on });
        }
        all
    }

    fn describe(&self, state: StateId) -> String {
        let parts: Vec<String> = self
            .components
            .iter()
            .zip(self.tuple(state))
            .map(|(component, &at)| format!("{}@{}", component.name, component.states[at as usize]))
            .collect();
        parts.join(" ")
    }
}

impl Network {
    /// Whether some action is enabled, without meeting new states.
    fn can_move(&self, tuple: &[u32]) -> bool {
        self.offers.iter().zip(tuple).any(|(local, &at)| {
            local[at as usize].moves.iter().any(|candidate| {
                self.sharing[candidate.event.index()]
                    .iter()
                    .all(|&process| self.offer(process, tuple).with(candidate.event).len() > 0)
            })
        })
    }
}
