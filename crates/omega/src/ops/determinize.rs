//! Determinization: nondeterministic Büchi automata into deterministic parity automata.
//!
//! [`determinize`] builds the whole automaton; [`Determinized`] is the same automaton found state
//! by state, for searches that may end early ([`super::includes`]). To negate a language you want
//! [`super::complement`], which does not come here when it need not.
//!
//! # The construction
//!
//! A state of the result is a *history tree*: the root holds the states that the automaton can be
//! in; each node has children with the states whose runs have accepted since the child was made.
//! On a letter, (1) all states move; (2) every node sprouts a youngest child for the states that it
//! reaches by accepting edges; (3) a state stays only in the oldest of the siblings that hold it;
//! (4) a node whose children hold all it has is *green*: its descendants are dropped; (5) empty
//! nodes are removed and the ages of the others close up. A run of the result is accepted when some
//! age is green again and again while no node of that age or older is removed; as a parity
//! condition, the smallest age that something happens to decides.
//!
//! The trees are Safra's ("On the complexity of ω-automata", FOCS 1988), the parity condition by
//! ages is Piterman's ("From nondeterministic Büchi and Streett automata to deterministic parity
//! automata", LICS 2006), the trees as sets with an order are Schewe's history trees ("Tighter
//! bounds for the determinisation of Büchi automata", FoSSaCS 2009). What is different here:
//!
//! - Acceptance is on edges, so a child is made by the step that accepts, not one step later.
//! - Trees are kept in post-order (the module `tree`), which turns rules 1 to 3 into one minimum.
//! - A state that is entered through an edge of no accepting component goes back to the root. A run
//!   does that finitely often or is rejected, so no accepting run loses its history for good, and
//!   taking states out of a node never makes it green wrongly. Trees become fewer.
//! - In components all of whose cycles accept, every edge accepts.
//! - A tree that holds a state known to accept every word becomes one accepting sink.
//! - Of the trees that hold the same states only one component is kept (the module `same_sets`).
//! - Priorities are made as few as the result's structure allows (the module `colours`), where the
//!   papers stop at 2n.

pub(crate) mod colours;
pub(crate) mod nba;
mod same_sets;
mod tree;

use std::hash::BuildHasher;
use std::rc::Rc;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use self::colours::Coloured;
use self::nba::Nba;
use self::tree::{Move, Stepper};
use super::{Condition, ReduceConfig, bisimulation_quotient, reduce, reduce_with, to_buchi};
use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Label, Letters};
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits, Resource};

pub use self::tree::Event;

/// Most classes of letters that one tree may tell apart. A result with more edges than this at one
/// state is of no use to anybody, and the classes have to be held while they are split.
pub(super) const MOST_CLASSES: usize = 1 << 16;

/// A step of a [`Determinized`] automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeterminizedStep {
    /// The letters it is taken on; disjoint from those of the other steps of the state.
    pub label: Label,
    /// Where it leads.
    pub target: StateId,
    /// Effect on the ages.
    pub event: Event,
}

/// The moves of one set of states on one class of letters.
#[derive(Debug)]
struct ClassMoves {
    label: Label,
    moves: Vec<Move>,
}

/// A deterministic and complete automaton for the language of a nondeterministic one, whose states
/// are computed when they are first asked for.
///
/// ```
/// use fairly_omega::ops::{Determinized, Event};
/// use fairly_omega::{Acceptance, Builder, Label, Limits, Mark, Prop};
/// // "p holds from some point on", guessing the point.
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let (wait, stay) = (builder.add_state(), builder.add_state());
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_initial(wait);
/// builder.add_edge(wait, Label::TRUE, Default::default(), wait);
/// builder.add_edge(wait, p, Default::default(), stay);
/// builder.add_edge(stay, p, [Mark(0)].into_iter().collect(), stay);
/// let mut found = Determinized::of(&builder.build(), Limits::default()).unwrap();
/// let start = found.initial();
/// assert_eq!(found.steps(start).unwrap().len(), 2);
/// assert_eq!(found.state_count(), 2);
/// ```
#[derive(Debug)]
pub struct Determinized {
    nba: Nba,
    limits: Limits,
    /// The trees one after the other; tree `s` is `codes[starts[s]..starts[s + 1]]`.
    codes: Vec<u32>,
    starts: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Where the steps of a tree lie in `steps`, once they are known.
    known: Vec<Option<(u32, u32)>>,
    steps: Vec<DeterminizedStep>,
    rows: HashMap<Box<[u32]>, Rc<[ClassMoves]>>,
    stepper: Stepper,
    initial: StateId,
}

/// The code of the sink that accepts everything: an age without states, which no tree has.
const UNIVERSAL: &[u32] = &[u32::MAX, 0];

impl Determinized {
    /// The deterministic automaton of any automaton. Conditions other than Büchi's are converted
    /// first.
    ///
    /// # Errors
    /// When that conversion passes the limits, or the letters are full.
    pub fn of(automaton: &Automaton, limits: Limits) -> Result<Self, BudgetError> {
        Self::new(prepare(automaton, limits)?, limits)
    }

    pub(crate) fn new(nba: Nba, limits: Limits) -> Result<Self, BudgetError> {
        let mut this = Determinized {
            limits,
            codes: Vec::new(),
            starts: vec![0],
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            known: Vec::new(),
            steps: Vec::new(),
            rows: HashMap::new(),
            stepper: Stepper::new(nba.len()),
            initial: StateId(0),
            nba,
        };
        let mut code = Vec::new();
        if !this.nba.initial.is_empty() {
            code.push(0);
            code.push(StateId::from_index(this.nba.initial.len()).0);
            code.extend_from_slice(&this.nba.initial);
        }
        this.initial = this.intern(&mut code)?;
        Ok(this)
    }

    /// The propositions that letters are valuations of.
    pub fn propositions(&self) -> &[String] {
        &self.nba.propositions
    }

    /// The diagrams that the labels of steps refer to.
    pub fn letters(&self) -> &Letters {
        &self.nba.letters
    }

    /// The same, to compute with labels.
    pub fn letters_mut(&mut self) -> &mut Letters {
        &mut self.nba.letters
    }

    pub(crate) fn nba(&self) -> &Nba {
        &self.nba
    }

    pub(crate) fn nba_mut(&mut self) -> &mut Nba {
        &mut self.nba
    }

    /// The initial state.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// How many states have been found so far.
    pub fn state_count(&self) -> usize {
        self.known.len()
    }

    /// A bound on the ages in events: all are smaller.
    pub fn ages(&self) -> u32 {
        self.nba.ages
    }

    /// Whether every word is accepted from this state. True for one state at most; others may
    /// accept every word without being known to.
    pub fn is_universal(&self, state: StateId) -> bool {
        self.code(state) == UNIVERSAL
    }

    fn code(&self, state: StateId) -> &[u32] {
        &self.codes[self.starts[state.index()]..self.starts[state.index() + 1]]
    }

    /// The states of the prepared automaton that the tree holds.
    pub(crate) fn members(&self, state: StateId) -> impl Iterator<Item = u32> + '_ {
        tree::members(self.code(state))
    }

    /// The number of a tree, which may be changed to an equivalent one.
    fn intern(&mut self, code: &mut Vec<u32>) -> Result<StateId, BudgetError> {
        if tree::members(code).any(|state| self.nba.universal[state as usize]) {
            code.clear();
            code.extend_from_slice(UNIVERSAL);
        }
        let (codes, starts, hasher) = (&self.codes, &self.starts, &self.hasher);
        let at = |id: u32| &codes[starts[id as usize]..starts[id as usize + 1]];
        let entry = self.index.entry(
            hasher.hash_one(code.as_slice()),
            |&id| at(id) == code.as_slice(),
            |&id| hasher.hash_one(at(id)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Ok(StateId(*found.get())),
            hashbrown::hash_table::Entry::Vacant(free) => {
                if self.known.len() >= self.limits.states {
                    let limit = self.limits.states;
                    return Err(BudgetError { resource: Resource::States, limit });
                }
                let id = StateId::from_index(self.known.len());
                free.insert(id.0);
                self.codes.extend_from_slice(code);
                self.starts.push(self.codes.len());
                self.known.push(None);
                Ok(id)
            }
        }
    }

    /// The steps of a state that was found before. Their labels are disjoint and cover every
    /// letter.
    ///
    /// # Errors
    /// When there are more states or steps than the limits allow, or too many classes of letters.
    pub fn steps(&mut self, state: StateId) -> Result<&[DeterminizedStep], BudgetError> {
        let (from, to) = match self.known[state.index()] {
            Some(range) => range,
            None => self.expand(state)?,
        };
        Ok(&self.steps[from as usize..to as usize])
    }

    fn expand(&mut self, state: StateId) -> Result<(u32, u32), BudgetError> {
        let mut found: Vec<DeterminizedStep> = Vec::new();
        let code = self.code(state);
        if code.is_empty() || code == UNIVERSAL {
            let event = if code.is_empty() { Event::Nothing } else { Event::Green(0) };
            found.push(DeterminizedStep { label: Label::TRUE, target: state, event });
        } else {
            let mut members: Vec<u32> = tree::members(code).collect();
            members.sort_unstable();
            let row = self.row(&members)?;
            let (from, to) = (self.starts[state.index()], self.starts[state.index() + 1]);
            self.stepper.load(&self.codes[from..to]);
            let mut next = Vec::new();
            for class in row.iter() {
                let event = self.stepper.step(&class.moves, &mut next);
                let target = self.intern(&mut next)?;
                let same =
                    found.iter_mut().find(|step| (step.target, step.event) == (target, event));
                match same {
                    Some(step) => step.label = self.nba.letters.or(step.label, class.label)?,
                    None => found.push(DeterminizedStep { label: class.label, target, event }),
                }
            }
        }
        if self.steps.len() + found.len() > self.limits.edges.min(u32::MAX as usize) {
            return Err(BudgetError { resource: Resource::Edges, limit: self.limits.edges });
        }
        let from = self.steps.len() as u32;
        self.steps.append(&mut found);
        let range = (from, self.steps.len() as u32);
        self.known[state.index()] = Some(range);
        Ok(range)
    }

    /// The moves of a set of states, by classes of letters that its labels do not tell apart. Many
    /// trees have the same states, so these are kept.
    fn row(&mut self, members: &[u32]) -> Result<Rc<[ClassMoves]>, BudgetError> {
        if let Some(row) = self.rows.get(members) {
            return Ok(Rc::clone(row));
        }
        let Nba { letters, edges, .. } = &mut self.nba;
        let mut labels: Vec<Label> = members
            .iter()
            .flat_map(|&state| edges[state as usize].iter().map(|edge| edge.label))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        let mut classes = vec![Label::TRUE];
        for &label in &labels {
            letters.split(&mut classes, label, MOST_CLASSES)?;
        }
        let mut row = Vec::with_capacity(classes.len());
        for class in classes {
            let mut moves = Vec::new();
            for &source in members {
                for edge in &edges[source as usize] {
                    // A class is inside a label or outside it.
                    if letters.and(class, edge.label)? != Label::FALSE {
                        moves.push((source, edge.target, edge.kind));
                    }
                }
            }
            row.push(ClassMoves { label: class, moves });
        }
        let row: Rc<[ClassMoves]> = row.into();
        self.rows.insert(members.into(), Rc::clone(&row));
        Ok(row)
    }
}

/// The automaton as a Büchi automaton ready for the construction.
pub(crate) fn prepare(automaton: &Automaton, limits: Limits) -> Result<Nba, BudgetError> {
    // A Büchi automaton is taken as it is: reducing it first made inclusion between random automata of 10 to 50
    // states a third slower and decided one case more in 1,600. A caller that builds the whole result reduces
    // first.
    if nba::is_buchi(automaton.acceptance()) {
        return Nba::new(automaton);
    }
    // Conversions copy a lot; what they leave is small again after a reduction.
    let config = ReduceConfig { condition: Condition::Keep, ..ReduceConfig::default() };
    Nba::new(&reduce_with(&to_buchi(automaton, limits)?, &config)?)
}

/// A deterministic, complete parity automaton for the language of any automaton.
///
/// The condition is a parity condition of the largest mark ([`crate::Class`] tells which), or
/// Büchi, co-Büchi, `t` or `f` where that is enough. The automaton is reduced first
/// ([`super::reduce()`]). One that is deterministic already is not recognised here; it is converted
/// like any other.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Class, Label, Limits, Mark, Prop, ops};
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let (wait, stay) = (builder.add_state(), builder.add_state());
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_initial(wait);
/// builder.add_edge(wait, Label::TRUE, Default::default(), wait);
/// builder.add_edge(wait, p, Default::default(), stay);
/// builder.add_edge(stay, p, [Mark(0)].into_iter().collect(), stay);
/// let eventually_always = ops::determinize(&builder.build(), Limits::default()).unwrap();
/// assert!(eventually_always.is_deterministic().unwrap());
/// assert_eq!(eventually_always.acceptance().class(), Class::CoBuchi);
/// ```
///
/// # Errors
/// When the result passes the limits; there are Büchi automata of n states for which it has more
/// than (n/3)! states.
pub fn determinize(automaton: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
    let mut result = coloured(&reduce(automaton)?, limits)?.automaton.to_builder();
    result.set_name(automaton.name().map(str::to_owned));
    Ok(result.build())
}

/// The same without a reduction first, telling how marks stand for priorities.
pub(crate) fn coloured(automaton: &Automaton, limits: Limits) -> Result<Coloured, BudgetError> {
    let mut found = Determinized::of(automaton, limits)?;
    // Priorities that the largest one decides: twice the distance from the youngest age.
    let ages = found.ages();
    let priority = |event: Event| match event {
        Event::Nothing => 1,
        Event::Removed(age) => 2 * (ages - age) + 1,
        Event::Green(age) => 2 * (ages - age),
    };
    let mut edges: Vec<(StateId, DeterminizedStep)> = Vec::new();
    let mut at = 0;
    while at < found.state_count() {
        let state = StateId::from_index(at);
        edges.extend(found.steps(state)?.iter().map(|&step| (state, step)));
        at += 1;
    }
    let mut builder = Builder::new(found.propositions().to_vec());
    *builder.letters_mut() = found.letters().clone();
    builder.add_states(found.state_count());
    builder.add_initial(found.initial());
    for (state, step) in edges {
        let mark = Mark(priority(step.event));
        builder.add_edge(state, step.label, [mark].into_iter().collect(), step.target);
    }
    builder.set_acceptance(Acceptance::True, 2 * ages + 2);
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut sets: Vec<u32> = Vec::with_capacity(found.state_count());
    for state in (0..found.state_count()).map(StateId::from_index) {
        let mut members: Vec<u32> = found.members(state).collect();
        if found.is_universal(state) {
            members.push(u32::MAX);
        }
        members.sort_unstable();
        let fresh = numbers.len() as u32;
        sets.push(*numbers.entry(members).or_insert(fresh));
    }
    let smallest = same_sets::smallest(&builder.build(), &sets);
    let priority = |marks: &MarkSet| marks.iter().last().map_or(0, |mark| mark.0);
    let mut result = colours::fewest(&smallest, priority);
    result.automaton = bisimulation_quotient(&result.automaton)?;
    Ok(result)
}
