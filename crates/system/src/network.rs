//! Components composed by shared events.
//!
//! An event is taken jointly by all components that have it in their alphabet, each with one of
//! its local transitions; an event that is listed as interleaved is taken by one component alone.
//! A state is the tuple of local states.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use crate::action::{ActionId, EventId, EventKind, Move, MoveId, ProcessId, Signature};
use crate::blocked::{Blocked, Missing, Obstacle};
use crate::component::{Component, LocalTransition};
use crate::growing::{Interner, Seen};
use crate::space::{Holder, Scratch, SequenceLimits, Sequences, Space, Steps};
use crate::transition_system::AtomIndex;
use crate::value::{ProcessValues, StateValues};

/// How components are put together.
#[derive(Clone, Debug, Default)]
pub struct Composition {
    /// Events that components do not share although several have them.
    pub interleaved: Vec<String>,
}

/// Why components cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// Two components have one name.
    #[error("two components are called `{0}`")]
    SameName(String),
    /// A component has no initial state.
    #[error("the component `{0}` has no initial state")]
    NoInitialState(String),
    /// A component uses the event that means that nothing happens.
    #[error(
        "the component `{0}` has an event `idle`, which is the name of the step of a deadlocked state"
    )]
    ReservedEvent(String),
    /// There are too many combinations of initial states.
    #[error("the components have more than {COMBINATIONS} combinations of initial states")]
    TooManyStarts,
    /// An event can be taken jointly in too many ways.
    #[error("the event `{0}` can be taken jointly in more than {COMBINATIONS} ways in one state")]
    TooManyWays(String),
}

/// Combinations of initial states, and of moves with one event in one state, that may be tried:
/// they are all built at once, before any bound on a search is asked.
const COMBINATIONS: usize = 1 << 20;

/// Meaning of a state proposition of a network.
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
    /// By component: where a row has its local state.
    places: Vec<Place>,
    /// Words of a row.
    width: usize,
    atoms: Interner<Atom>,
}

/// The place of a local state in a row.
#[derive(Clone, Copy, Debug)]
struct Place {
    word: usize,
    shift: u32,
    mask: u64,
}

/// Memory for one worker.
#[derive(Default)]
struct Work {
    tuple: Vec<u32>,
    next: Vec<u32>,
    moves: Vec<MoveId>,
    row: Vec<u64>,
    wheel: Vec<usize>,
    seen: Seen,
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
        let signature = Signature::new(processes);
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
                    sharing.push(Vec::new());
                    signature.add_event(event.as_str(), EventKind::Visible)
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
        let (places, width) = places(&components);
        let atoms = Interner::new();
        Ok(Network { components, signature, offers, sharing, places, width, atoms })
    }

    /// The components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The local states of a row.
    pub fn tuple(&self, row: &[u64]) -> Vec<u32> {
        let mut tuple = Vec::new();
        self.unpack(row, &mut tuple);
        tuple
    }

    fn unpack(&self, row: &[u64], tuple: &mut Vec<u32>) {
        tuple.clear();
        let local = |place: &Place| ((row[place.word] >> place.shift) & place.mask) as u32;
        tuple.extend(self.places.iter().map(local));
    }

    fn pack(&self, tuple: &[u32], row: &mut Vec<u64>) {
        row.clear();
        row.resize(self.width, 0);
        for (place, &local) in self.places.iter().zip(tuple) {
            row[place.word] |= u64::from(local) << place.shift;
        }
    }

    fn intern_atom(&self, atom: &Atom) -> AtomIndex {
        let hash = |atom: &Atom, hasher: &DefaultHashBuilder| hasher.hash_one(atom);
        let is = |known: &Atom| known == atom;
        AtomIndex(self.atoms.intern(&mut Seen::default(), atom, is, hash, || atom.clone()))
    }

    /// The proposition that a component is in one of its local states, both given by position:
    /// unlike `P@q`, it does not depend on names, which a file may give twice.
    pub fn at(&self, component: ProcessId, state: u32) -> AtomIndex {
        self.intern_atom(&Atom::At { component: component.index(), state })
    }

    /// Appends the step that these moves make together.
    fn step(&self, event: EventId, chosen: &[Hop], work: &mut Work, out: &mut Steps) {
        work.next.clone_from(&work.tuple);
        work.moves.clear();
        for hop in chosen {
            let process = self.signature.moves[hop.id.index()].process;
            work.next[process.index()] = hop.to;
            work.moves.push(hop.id);
        }
        self.pack(&work.next, &mut work.row);
        out.push(self.signature.action_id(&mut work.seen, event, &work.moves), &work.row);
    }

    /// Appends the ways in which the components that share an event can take it together.
    fn joint(&self, event: EventId, work: &mut Work, out: &mut Steps) {
        let sharing = self.sharing[event.index()].iter();
        let choices: Vec<Vec<Hop>> = sharing
            .map(|process| self.offer(*process, &work.tuple).with(event).collect())
            .collect();
        if choices.iter().any(Vec::is_empty) {
            return;
        }
        // An odometer over one choice a component, the last one turning fastest.
        let mut wheel = std::mem::take(&mut work.wheel);
        wheel.clear();
        wheel.resize(choices.len(), 0);
        loop {
            let chosen: Vec<Hop> =
                choices.iter().zip(&wheel).map(|(choice, &at)| choice[at]).collect();
            self.step(event, &chosen, work, out);
            let turn = (0..wheel.len()).rev().find(|&at| wheel[at] + 1 < choices[at].len());
            let Some(turn) = turn else { break };
            wheel[turn] += 1;
            wheel[turn + 1..].fill(0);
        }
        work.wheel = wheel;
    }

    /// Offer of a component in its part of a state.
    fn offer(&self, process: ProcessId, tuple: &[u32]) -> &Offer {
        &self.offers[process.index()][tuple[process.index()] as usize]
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
        match &self.atoms.members()[atom.0 as usize] {
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

impl Sequences for Network {
    fn holder(&self) -> Option<Holder> {
        None
    }

    fn sequence_limits(&self) -> SequenceLimits {
        SequenceLimits { states: usize::MAX, words: usize::MAX, ways: usize::MAX }
    }
}

impl Space for Network {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn width(&self) -> usize {
        self.width
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(Work::default())
    }

    fn initial(&self, _scratch: &mut Scratch, out: &mut Steps) {
        let mut tuples: Vec<Vec<u32>> = vec![vec![]];
        for component in &self.components {
            let longer = |tuple: &Vec<u32>, state: u32| [tuple.as_slice(), &[state]].concat();
            let initial = |tuple| component.initial.iter().map(move |&state| longer(tuple, state));
            tuples = tuples.iter().flat_map(initial).collect();
        }
        let mut row = Vec::new();
        for tuple in tuples {
            self.pack(&tuple, &mut row);
            out.push(ActionId::IDLE, &row);
        }
        out.end_row();
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let work = scratch.of::<Work>();
        for row in rows.chunks_exact(self.width) {
            self.unpack(row, &mut work.tuple);
            for process in 0..self.components.len() {
                let offer = &self.offers[process][work.tuple[process] as usize];
                for candidate in &offer.moves {
                    let event = candidate.event;
                    match self.sharing[event.index()].as_slice() {
                        [] | [_] => self.step(event, &[*candidate], work, out),
                        // The first of those who share an event finds all the ways to take it, when
                        // it comes to the first of its own moves with that event.
                        [first, ..] if first.index() == process => {
                            let earliest = offer.with(event).next();
                            if earliest.is_some_and(|earliest| earliest.id == candidate.id) {
                                self.joint(event, work, out);
                            }
                        }
                        _ => {}
                    }
                }
            }
            out.end_row();
        }
    }

    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
        let tuple = &mut scratch.of::<Work>().tuple;
        self.unpack(row, tuple);
        for (local, &at) in self.offers.iter().zip(&*tuple) {
            out.extend(local[at as usize].moves.iter().map(|candidate| candidate.id));
        }
    }

    /// `P@q`: the component `P` is in its local state `q`; `deadlock`: nothing is enabled; or the
    /// name of a label of a local state.
    fn atom(&self, text: &str) -> Option<AtomIndex> {
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
        Some(self.intern_atom(&atom))
    }

    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool {
        let tuple = &mut scratch.of::<Work>().tuple;
        self.unpack(row, tuple);
        match &self.atoms.members()[atom.0 as usize] {
            Atom::At { component, state } => tuple[*component] == *state,
            Atom::Label { component, name } => {
                self.components[*component].labels[tuple[*component] as usize].contains(name)
            }
            Atom::Deadlock => !self.can_move(tuple),
        }
    }

    fn values(&self, row: &[u64]) -> StateValues {
        let process = |(component, at): (&Component, u32)| ProcessValues {
            name: component.name.clone(),
            at: component.states[at as usize].clone(),
            variables: Vec::new(),
        };
        let processes = self.components.iter().zip(self.tuple(row)).map(process).collect();
        StateValues { processes, ..StateValues::default() }
    }

    fn blocked(&self, row: &[u64], _scratch: &mut Scratch) -> Vec<Blocked> {
        let tuple = self.tuple(row);
        let mut all = Vec::new();
        for (at, (component, &local)) in self.components.iter().zip(&tuple).enumerate() {
            let mut on: Vec<Obstacle> = Vec::new();
            for candidate in &self.offers[at][local as usize].moves {
                let refuses = |process: &ProcessId| {
                    self.offer(*process, &tuple).with(candidate.event).len() == 0
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

    fn describe(&self, row: &[u64]) -> String {
        let parts: Vec<String> = self
            .components
            .iter()
            .zip(self.tuple(row))
            .map(|(component, at)| format!("{}@{}", component.name, component.states[at as usize]))
            .collect();
        parts.join(" ")
    }
}

/// Where rows have the local states of components, and how many words they have. No local state is in two words.
fn places(components: &[Component]) -> (Vec<Place>, usize) {
    let (mut word, mut used) = (0, 0);
    let mut places = Vec::new();
    for component in components {
        let bits = usize::BITS - component.states.len().saturating_sub(1).leading_zeros();
        if used + bits > u64::BITS {
            (word, used) = (word + 1, 0);
        }
        places.push(Place { word, shift: used % u64::BITS, mask: (1 << bits) - 1 });
        used += bits;
    }
    (places, word + 1)
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
