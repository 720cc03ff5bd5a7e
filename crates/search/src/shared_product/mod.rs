//! The product of a system, the automaton of a property's negation, and fairness, for many threads at once.
//!
//! The meaning is that of [`Product`](crate::Product): see its module for what a node, a step, a letter and the marks
//! of a step are. What differs is who keeps what.
//!
//! - The system is a [`Space`], which any number of workers ask at once. Its rows are in one table that they share,
//!   and a node is a pair of numbers, as in the other product.
//! - What a letter, an action or a state means for the automaton and the constraints is worked out by each worker for
//!   itself and remembered there: there are few letters, actions and sets of answers, and a table of them that is
//!   shared would be written by all.
//! - The steps of a state, and what it means for the automaton and the constraints, are written down once, by the
//!   worker that asks first ([`Records`]), together with those of some states that it has met lately: a space expands
//!   many rows at once faster than one by one.
//!
//! A step that is an error of the model leads to a state of its own, in which the run stays, and of which the
//! propositions are those of the state before. Where a step goes wrong because of a limit of the tool, nothing is known
//! of what follows: see [`SharedProduct::cut`].
//!
//! Under strong global fairness a component has to cover all steps of its states, too ([`SharedProduct::covering`]).

mod covering;
mod expansion;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fairly_fairness::{Constraint, Lowering, Selector};
use fairly_omega::{Acceptance, Automaton, Hop, Label, Lasso, Mark, MarkSet, Prop, StateId, Stop};
use fairly_store::{
    Marked, Record, RecordWriter, Records, RowNodes, SharedRows, StateIndex, StoreError,
};
use fairly_system::{
    ActionId, AtomIndex, EventId, EventPosition, EventSet, Fault, FaultKind, Growth, MoveId,
    Scratch, Space, Steps,
};
use hashbrown::HashMap;

use crate::bounded::Bounds;
use crate::product::{Binding, LetterMark, Negation};
use crate::sets::{SetsMemory, SharedSets};
use crate::ufscc::{Cut, SharedGraph, SharedStep};

/// Why something is missing of what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// There was no room for a state or a node.
    Store(StoreError),
    /// The system went no further in a step: a limit of the tool. An accepted path is one all the same.
    Limit(Fault),
}

/// A system under the negation of a property and under fairness, for several workers.
pub struct SharedProduct<'a, S: ?Sized> {
    space: &'a S,
    automaton: &'a Automaton,
    reading: EventPosition,
    lowering: Lowering,
    /// The condition over the numbers of marks.
    acceptance: Acceptance,
    /// The number of each mark that the condition asks for.
    marks: HashMap<Mark, u32>,
    sets: SharedSets,
    premises: Vec<LetterMark>,
    places: Vec<Place>,
    happens: Vec<Happens>,
    happenings: SharedSets,
    atoms: Vec<AtomIndex>,
    /// Of which actions it is asked whether one is enabled; these come behind the propositions.
    enabled: Vec<Selector>,
    valuations: SharedSets,
    layout: Layout,
    /// Whether a component has to cover all steps of its states.
    is_covering: bool,
    bounds: Bounds,
    stop: Stop,
    states: SharedRows,
    nodes: Nodes,
    /// By state: its steps and their meaning.
    records: Records,
    /// Limits that were reached in steps of states, by state.
    limits: Mutex<HashMap<u32, Vec<Fault>>>,
    broken: Mutex<Broken>,
    /// The states of nodes that were explored; how many there are, and their transitions.
    seen: Marked,
    expanded: Arc<AtomicUsize>,
    transitions: Arc<AtomicUsize>,
    /// Whether anything is missing: read by all workers, and nearly never written.
    is_cut: AtomicBool,
    missing: Mutex<Option<Missing>>,
}

/// A path of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRun {
    /// Once.
    pub stem: Vec<SharedRunStep>,
    /// For ever.
    pub cycle: Vec<SharedRunStep>,
}

/// A step of a path of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRunStep {
    /// The row of the system that it leaves.
    pub row: Box<[u64]>,
    /// The state of the automaton that it leaves.
    pub at: StateId,
    /// The action of the system.
    pub action: ActionId,
    /// Its position among the steps of the node.
    pub nth: u32,
    /// The error of the model in the step to the state that it leaves, if that is where the run stays.
    pub fault: Option<Fault>,
}

/// A proposition of the automaton about steps.
enum Happens {
    Event(EventSet),
    Taken(Selector),
}

/// States behind steps that are errors of the model.
#[derive(Default)]
struct Broken {
    /// By the state before, if there is one, and the error.
    numbers: HashMap<(Option<u32>, Fault), StateIndex>,
    faults: HashMap<u32, Fault>,
}

/// How many words of a record are for what.
#[derive(Clone, Copy)]
struct Layout {
    /// Propositions that hold.
    valuation: usize,
    /// Marks that the state gives.
    marks: usize,
    /// A step.
    step: usize,
}

/// In the first word of a record: a step reaches a limit of the tool.
const IS_LIMITED: u32 = 1;
/// In the first word of a record: runs are committed here.
const IS_COMMITTED: u32 = 2;

/// Where the truth of a proposition of the automaton is found.
#[derive(Clone, Copy)]
enum Place {
    State(u32),
    Event(u32),
}

/// Numbers for pairs of states.
enum Nodes {
    /// `state · width + at`: nothing is stored.
    ByPosition(u32),
    /// In the order in which they are met, as rows of one word.
    AsMet(Box<SharedRows>),
}

/// Automata with so many states at the most have their pairs numbered by position.
const NARROW: usize = 8;

/// A set of propositions: one of the product's [`SharedSets`].
type Propositions = u64;

/// States that are expanded at once.
const BLOCK: usize = 32;
/// States that a worker keeps to be expanded with others.
const MOST_FRESH: usize = 1 << 16;

/// States whose records this worker is about to write. Those that it does not write are given up, so that no other
/// worker waits for them.
struct Claimed<'a> {
    records: &'a Records,
    states: Vec<StateIndex>,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        for state in &self.states {
            if self.records.get(state.0).is_none() {
                self.records.give_up(state.0);
            }
        }
    }
}

impl Layout {
    /// Words for one of these sets.
    fn words(sets: &SharedSets) -> usize {
        match sets.members() {
            0 => 0,
            // The numbers of sets that are stored have 32 bits.
            33..=SharedSets::BITS => 2,
            _ => 1,
        }
    }

    /// Words before the steps.
    fn head(self) -> usize {
        1 + self.valuation + self.marks
    }

    fn valuation_of(self, record: &Record<'_>) -> u64 {
        joined(record, 1, self.valuation)
    }

    fn marks_of(self, record: &Record<'_>) -> u64 {
        joined(record, 1 + self.valuation, self.marks)
    }
}

/// So many words of a record as one, at most two.
fn joined(record: &Record<'_>, at: usize, words: usize) -> u64 {
    (0..words).fold(0, |all, word| all | u64::from(record.word(at + word)) << (32 * word))
}

/// Appends so many words of one.
fn push(words: &mut Vec<u32>, word: u64, count: usize) {
    words.extend([word as u32, (word >> 32) as u32].iter().take(count));
}

/// Owned by one worker.
pub struct Memory {
    scratch: Scratch,
    /// For asking about rows beside the one that is expanded.
    nodes: RowNodes,
    pairs: Option<RowNodes>,
    /// States that this worker has met first and not expanded since.
    fresh: Vec<StateIndex>,
    /// The states that are expanded at once, and their rows.
    block: Vec<StateIndex>,
    rows: Vec<u64>,
    /// A record.
    words: Vec<u32>,
    writer: RecordWriter,
    /// States that were expanded before a node of theirs was explored.
    ahead: usize,
    steps: Steps,
    found: Vec<(StateIndex, bool)>,
    /// The steps that are errors of the model, by position.
    broken: Vec<(usize, Fault)>,
    /// For sets of marks, and for propositions that hold and that happen.
    sets: SetsMemory,
    valuation: SetsMemory,
    happening: SetsMemory,
    offered: Vec<MoveId>,
    actions: Vec<Option<OfAction>>,
    moves: Vec<Option<MarkSet>>,
    /// By answers: the marks of a state.
    of_state: HashMap<MarkSet, u64>,
    /// By state of the automaton, propositions of the state, and those of the event: edges and premises.
    letters: HashMap<Letter, Read>,
    last_read: Option<(Letter, Read)>,
    edges: Vec<(StateId, u64)>,
    /// By propositions of the state and event.
    mixed: HashMap<(Propositions, EventId), u64>,
    /// The action behind each of the steps that were made last.
    behind: Vec<ActionId>,
    /// States that this worker expanded first, and their transitions; added to those of the others at the end.
    counted: (usize, usize),
    counters: [Arc<AtomicUsize>; 2],
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.counters[0].fetch_add(self.counted.0, Ordering::AcqRel);
        self.counters[1].fetch_add(self.counted.1, Ordering::AcqRel);
    }
}

/// Meaning of an action, wherever it is taken.
#[derive(Clone)]
struct OfAction {
    event: EventId,
    happening: Propositions,
    marks: u64,
    answers: MarkSet,
}

/// A state of the automaton, propositions of a state, and those of an event.
type Letter = (u32, Propositions, Propositions);

/// Meaning of a letter in a state of the automaton.
#[derive(Clone, Copy)]
struct Read {
    /// Where its edges are.
    first: u32,
    end: u32,
    premises: u64,
}

impl<'a, S: Space + ?Sized> SharedProduct<'a, S> {
    /// The product with the negation of a property, under constraints; its tables take at most so many bytes, each.
    ///
    /// # Errors
    /// If the memory does not pay for empty tables.
    pub fn new(
        space: &'a S,
        negation: Negation<'a>,
        constraints: Vec<Constraint>,
        memory: usize,
        bounds: Bounds,
    ) -> Result<Self, StoreError> {
        let lowering = Lowering::new(constraints, negation.end());
        let Negation { automaton, bindings, letter_marks, letter_acceptance, reading } = negation;
        let acceptance = Acceptance::and([
            automaton.acceptance().clone(),
            letter_acceptance,
            lowering.acceptance(),
        ]);
        let mut atoms = lowering.step_atoms();
        for binding in &bindings {
            if let Binding::State(atom) = binding {
                position(&mut atoms, *atom);
            }
        }
        let (mut happens, mut enabled, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for binding in bindings {
            places.push(match binding {
                Binding::Event(set) => {
                    happens.push(Happens::Event(set));
                    Place::Event(small(happens.len() - 1))
                }
                Binding::Taken(of) => {
                    happens.push(Happens::Taken(of));
                    Place::Event(small(happens.len() - 1))
                }
                Binding::State(atom) => Place::State(small(position(&mut atoms, atom))),
                Binding::Enabled(of) => {
                    enabled.push(of);
                    Place::State(small(atoms.len() + enabled.len() - 1))
                }
            });
        }
        let marks: HashMap<Mark, u32> = acceptance.marks().iter().zip(0..).collect();
        let acceptance = acceptance.rename(|mark| Mark(marks[&mark]));
        let nodes = match automaton.state_count() {
            count @ 0..=NARROW => Nodes::ByPosition(small(count.max(1))),
            _ => Nodes::AsMet(Box::new(SharedRows::new(1, memory)?)),
        };
        let sets = SharedSets::new(small(marks.len()) + 1, memory)?;
        let happenings = SharedSets::new(small(happens.len()), memory)?;
        let valuations = SharedSets::new(small(atoms.len() + enabled.len()), memory)?;
        let is_read_later = reading == EventPosition::Entering && enabled.is_empty();
        let valuation = Layout::words(&valuations);
        let layout = Layout {
            valuation,
            marks: if lowering.constraints().is_empty() { 0 } else { Layout::words(&sets) },
            step: 2 + if is_read_later { valuation } else { 0 },
        };
        Ok(SharedProduct {
            space,
            automaton,
            reading,
            lowering,
            acceptance,
            marks,
            sets,
            premises: letter_marks,
            places,
            happens,
            happenings,
            atoms,
            enabled,
            valuations,
            layout,
            is_covering: false,
            stop: bounds.stop(),
            bounds,
            states: SharedRows::with_tail(space.width(), &space.tail(), memory)?,
            nodes,
            records: Records::default(),
            limits: Mutex::default(),
            broken: Mutex::default(),
            seen: Marked::default(),
            expanded: Arc::default(),
            transitions: Arc::default(),
            is_cut: AtomicBool::new(false),
            missing: Mutex::new(None),
        })
    }

    /// The same, in which a component has to cover all steps of its states: under strong global fairness.
    #[must_use]
    pub fn covering(mut self) -> Self {
        self.is_covering = true;
        self
    }

    /// Why something is missing of what was asked for, if anything is.
    pub fn cut(&self) -> Option<Missing> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, missing: Missing) {
        let mut known = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(missing);
        self.is_cut.store(true, Ordering::Release);
    }

    /// How many states of the system were expanded, and their transitions, by workers that have ended.
    pub fn system_size(&self) -> (usize, usize) {
        (self.expanded.load(Ordering::Acquire), self.transitions.load(Ordering::Acquire))
    }

    /// Growth in the states of the system, in the order in which they were met.
    pub fn growth(&self) -> Option<Growth> {
        let mut memory = self.worker();
        self.space.growth(self.states.len(), &mut |at, row| {
            let Ok(state) = u32::try_from(at) else { return false };
            // A number may have been reserved for a row that never came.
            let is_there = self.seen.contains(state) && !self.broken().faults.contains_key(&state);
            if is_there {
                self.states.get(StateIndex(state), row, &mut memory.nodes);
            }
            is_there
        })
    }

    /// A lasso by rows of the system.
    pub fn run(&self, lasso: &Lasso) -> SharedRun {
        let mut memory = self.worker();
        let mut step = |hop: &Hop| {
            let (state, at) = self.pair(hop.from.0, &mut memory);
            let mut row = vec![0; self.space.width()].into_boxed_slice();
            self.states.get(state, &mut row, &mut memory.nodes);
            let nth = hop.nth;
            let fault = self.broken().faults.get(&state.0).cloned();
            let action = self.action(hop.from.0, nth, &mut memory);
            SharedRunStep { row, at, action, nth, fault }
        };
        let stem = lasso.stem.iter().map(&mut step).collect();
        SharedRun { stem, cycle: lasso.cycle.iter().map(&mut step).collect() }
    }

    /// The action of the system behind a step of a node.
    fn action(&self, node: u32, nth: u32, memory: &mut Memory) -> ActionId {
        self.steps(node, memory, &mut Vec::new());
        memory.behind[nth as usize]
    }

    /// The marks of a set that the condition asks for, by number.
    fn set(&self, marks: &MarkSet, memory: &mut SetsMemory) -> u64 {
        let known = marks.iter().filter_map(|mark| self.marks.get(&mark).copied());
        self.sets.set(known, memory)
    }

    fn broken(&self) -> MutexGuard<'_, Broken> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a pair; `None` if there is no room for it.
    fn number(&self, state: StateIndex, at: StateId, memory: &mut Memory) -> Option<u32> {
        match &self.nodes {
            Nodes::ByPosition(width) => {
                let number = state.0.checked_mul(*width).and_then(|first| first.checked_add(at.0));
                if number.is_none() {
                    self.note(Missing::Store(StoreError::Numbers));
                }
                number
            }
            Nodes::AsMet(rows) => {
                let pair = u64::from(state.0) << 32 | u64::from(at.0);
                let nodes = memory.pairs.get_or_insert_with(|| rows.reserving());
                match rows.insert(&[pair], nodes) {
                    Ok((node, _)) => Some(node.0),
                    Err(full) => {
                        self.note(Missing::Store(full));
                        None
                    }
                }
            }
        }
    }

    /// The pair with a number.
    fn pair(&self, node: u32, memory: &mut Memory) -> (StateIndex, StateId) {
        match &self.nodes {
            Nodes::ByPosition(width) => (StateIndex(node / width), StateId(node % width)),
            Nodes::AsMet(rows) => {
                let mut pair = [0];
                let nodes = memory.pairs.get_or_insert_with(|| rows.reserving());
                rows.get(StateIndex(node), &mut pair, nodes);
                (StateIndex((pair[0] >> 32) as u32), StateId(pair[0] as u32))
            }
        }
    }

    /// The propositions that hold in a row in which these actions are enabled.
    fn valuation(
        &self,
        row: &[u64],
        actions: &(impl Iterator<Item = ActionId> + Clone),
        scratch: &mut Scratch,
        memory: &mut SetsMemory,
    ) -> Propositions {
        let atoms = self.atoms.iter().zip(0..);
        let holding = atoms.filter(|(atom, _)| self.space.holds(row, **atom, scratch));
        let holding = holding.map(|(_, at)| at);
        if self.enabled.is_empty() {
            return self.valuations.set(holding, memory);
        }
        let signature = self.space.signature();
        let is_enabled = |of: &Selector| {
            let mut taken = actions.clone().filter(|&id| id != ActionId::IDLE);
            taken.any(|id| of.selects(signature.action(id), signature))
        };
        let behind = small(self.atoms.len())..;
        let enabled = self.enabled.iter().zip(behind).filter(|(of, _)| is_enabled(of));
        self.valuations.set(holding.chain(enabled.map(|(_, at)| at)), memory)
    }

    /// Meaning of an action, found out once by each worker.
    fn of_action<'m>(
        &self,
        id: ActionId,
        actions: &'m mut Vec<Option<OfAction>>,
        sets: &mut SetsMemory,
        happening: &mut SetsMemory,
    ) -> &'m OfAction {
        if id.index() >= actions.len() {
            actions.resize(id.index() + 1, None);
        }
        actions[id.index()].get_or_insert_with(|| {
            let signature = self.space.signature();
            let action = signature.action(id);
            let (taken, answers) = self.lowering.of_action(id, action, signature);
            let happens = self.happens.iter().zip(0..).filter(|(happens, _)| match happens {
                Happens::Event(set) => set.contains(action.event, signature),
                Happens::Taken(of) => of.selects(action, signature),
            });
            let happening = self.happenings.set(happens.map(|(_, at)| at), happening);
            OfAction { event: action.event, happening, marks: self.set(&taken, sets), answers }
        })
    }

    /// Meaning of a letter in a state of the automaton, found out once by each worker.
    fn read(
        &self,
        at: StateId,
        holding: Propositions,
        happening: Propositions,
        memory: &mut Memory,
    ) -> Read {
        let letter = (at.0, holding, happening);
        // The steps of a node mostly read the same letter.
        if let Some((_, known)) = memory.last_read.filter(|(last, _)| *last == letter) {
            return known;
        }
        if let Some(&known) = memory.letters.get(&letter) {
            memory.last_read = Some((letter, known));
            return known;
        }
        let mut sets = std::mem::take(&mut memory.sets);
        let state = self.valuations.reader(holding, &mut memory.valuation);
        let event = self.happenings.reader(happening, &mut memory.happening);
        let satisfies = |label: Label| {
            self.automaton.letters().holds(label, |Prop(prop)| match self.places[prop as usize] {
                Place::State(at) => state.has(at),
                Place::Event(at) => event.has(at),
            })
        };
        let declared = MarkSet::first(self.automaton.mark_count());
        let first = small(memory.edges.len());
        for edge in self.automaton.edges(at) {
            if satisfies(edge.label) {
                let marks = self.automaton.marks(edge.marks).intersection(&declared);
                memory.edges.push((edge.target, self.set(&marks, &mut sets)));
            }
        }
        let holding_premises = self.premises.iter().filter(|premise| satisfies(premise.label));
        let premises: MarkSet = holding_premises.map(|premise| premise.mark).collect();
        let premises = self.set(&premises, &mut sets);
        memory.sets = sets;
        let read = Read { first, end: small(memory.edges.len()), premises };
        memory.letters.insert(letter, read);
        read
    }

    /// The marks that neither the state nor the action alone decides.
    fn mixed(&self, holding: Propositions, event: EventId, memory: &mut Memory) -> u64 {
        if let Some(&known) = memory.mixed.get(&(holding, event)) {
            return known;
        }
        let reader = self.valuations.reader(holding, &mut memory.valuation);
        let holds = |atom: AtomIndex| {
            let at = self.atoms.iter().position(|&other| other == atom);
            reader.has(small(at.expect("it was to be known")))
        };
        let marks = self.lowering.step_marks(event, self.space.signature(), &holds);
        let marks = self.set(&marks, &mut memory.sets);
        memory.mixed.insert((holding, event), marks);
        marks
    }

    /// The propositions that hold in a state with a row, whose steps have not been asked for.
    fn holding_in(
        &self,
        state: StateIndex,
        row: &[u64],
        memory: &mut Memory,
    ) -> Option<Propositions> {
        if !self.enabled.is_empty() {
            return Some(self.layout.valuation_of(&self.record(state, memory)?));
        }
        let Memory { scratch, valuation, .. } = memory;
        Some(self.valuation(row, &std::iter::empty(), scratch, valuation))
    }

    /// Where the automaton is after the first letter, which has no event.
    fn entered(&self, holding: Propositions, memory: &mut Memory) -> Vec<StateId> {
        let mut entered = Vec::new();
        for &at in self.automaton.initial() {
            let Read { first, end, .. } = self.read(at, holding, SharedSets::EMPTY, memory);
            let edges = &memory.edges[first as usize..end as usize];
            entered.extend(edges.iter().map(|(target, _)| *target));
        }
        entered
    }
}

impl<S: Space + ?Sized> SharedGraph for SharedProduct<'_, S> {
    type Worker = Memory;

    fn worker(&self) -> Memory {
        let mut scratch = self.space.scratch();
        scratch.stop = self.stop;
        Memory {
            scratch,
            nodes: self.states.reserving(),
            pairs: None,
            fresh: Vec::new(),
            block: Vec::new(),
            rows: Vec::new(),
            words: Vec::new(),
            writer: RecordWriter::default(),
            ahead: 0,
            steps: Steps::default(),
            found: Vec::new(),
            broken: Vec::new(),
            sets: SetsMemory::default(),
            valuation: SetsMemory::default(),
            happening: SetsMemory::default(),
            offered: Vec::new(),
            actions: Vec::new(),
            moves: Vec::new(),
            of_state: HashMap::new(),
            letters: HashMap::new(),
            last_read: None,
            edges: Vec::new(),
            mixed: HashMap::new(),
            behind: Vec::new(),
            counted: (0, 0),
            counters: [Arc::clone(&self.expanded), Arc::clone(&self.transitions)],
        }
    }

    fn initial(&self, memory: &mut Memory) -> Vec<u32> {
        let mut steps = Steps::default();
        self.space.initial(&mut memory.scratch, &mut steps);
        let mut nodes = Vec::new();
        for (at, row) in steps.rows.chunks_exact(self.space.width()).enumerate() {
            let (state, starts) = match steps.fault(at) {
                Some(fault) if fault.kind == FaultKind::Limit => {
                    self.note(Missing::Limit(fault.clone()));
                    continue;
                }
                Some(fault) => {
                    let Some(state) = self.break_down(None, fault, memory) else { continue };
                    let starts = match self.reading {
                        EventPosition::Leaving => self.automaton.initial().to_vec(),
                        EventPosition::Entering => self.entered(SharedSets::EMPTY, memory),
                    };
                    (state, starts)
                }
                None => match self.states.insert(row, &mut memory.nodes) {
                    Ok((state, _)) => {
                        let starts = match self.reading {
                            EventPosition::Leaving => self.automaton.initial().to_vec(),
                            EventPosition::Entering => {
                                let Some(holding) = self.holding_in(state, row, memory) else {
                                    continue;
                                };
                                self.entered(holding, memory)
                            }
                        };
                        (state, starts)
                    }
                    Err(full) => {
                        self.note(Missing::Store(full));
                        continue;
                    }
                },
            };
            for at in starts {
                let node = self.number(state, at, memory);
                nodes.extend(node.filter(|node| !nodes.contains(node)));
            }
        }
        nodes
    }

    fn steps(&self, node: u32, memory: &mut Memory, out: &mut Vec<SharedStep>) {
        memory.behind.clear();
        let (state, at) = self.pair(node, memory);
        let Some(record) = self.record(state, memory) else { return };
        let (layout, head) = (self.layout, self.layout.head());
        let count = (record.len() - head) / layout.step;
        if self.seen.insert(state.0) {
            memory.counted.0 += 1;
            memory.counted.1 += count;
        }
        if record.word(0) & IS_LIMITED != 0 {
            self.note_limits(state);
        }
        let (own, of_state) = (layout.valuation_of(&record), layout.marks_of(&record));
        let is_mixed = self.lowering.asks_steps();
        for step in 0..count {
            let place = head + step * layout.step;
            let target = StateIndex(record.word(place));
            self.records.prefetch(target.0);
            let action = ActionId(record.word(place + 1));
            let of = self.of_action(
                action,
                &mut memory.actions,
                &mut memory.sets,
                &mut memory.happening,
            );
            let (event, happening) = (of.event, of.happening);
            let mut marks = of.marks;
            marks = self.sets.join(marks, of_state, &mut memory.sets);
            if is_mixed {
                let mixed = self.mixed(own, event, memory);
                marks = self.sets.join(marks, mixed, &mut memory.sets);
            }
            let holding = match self.reading {
                EventPosition::Leaving => own,
                EventPosition::Entering if self.enabled.is_empty() => {
                    joined(&record, place + 2, layout.valuation)
                }
                EventPosition::Entering => {
                    let Some(record) = self.record(target, memory) else { continue };
                    layout.valuation_of(&record)
                }
            };
            let Read { first, end, premises } = self.read(at, holding, happening, memory);
            marks = self.sets.join(marks, premises, &mut memory.sets);
            for edge in first..end {
                let (to, carried) = memory.edges[edge as usize];
                if let Some(target) = self.number(target, to, memory) {
                    let marks = self.sets.join(marks, carried, &mut memory.sets);
                    out.push(SharedStep { target, marks });
                    memory.behind.push(action);
                }
            }
        }
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn sets(&self) -> &SharedSets {
        &self.sets
    }

    fn asks_more(&self) -> bool {
        self.is_covering
    }

    fn judge(
        &self,
        is_inside: &dyn Fn(u32) -> bool,
        node: u32,
        memory: &mut Memory,
    ) -> Result<Option<Lasso>, Cut> {
        self.covering_path(is_inside, node, memory)
    }

    fn gives_up(&self) -> bool {
        self.valuations.is_full() || self.happenings.is_full()
    }

    fn bytes(&self) -> usize {
        let pairs = match &self.nodes {
            Nodes::ByPosition(_) => 0,
            Nodes::AsMet(rows) => rows.bytes(),
        };
        let sets = self.valuations.bytes() + self.happenings.bytes();
        self.states.bytes() + self.records.bytes() + self.seen.bytes() + pairs + sets
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("less than 2^32")
}

/// The position of an atom in the list, where it is put if it is not there.
fn position(atoms: &mut Vec<AtomIndex>, atom: AtomIndex) -> usize {
    atoms.iter().position(|&other| other == atom).unwrap_or_else(|| {
        atoms.push(atom);
        atoms.len() - 1
    })
}
