//! Direct simulation, forwards and backwards, for marks on edges and any condition.
//!
//! A set of marks is *at least as good* as another if replacing the other by it can only turn
//! rejected runs into accepted ones: of the marks that the condition has only under `Inf` it has
//! all the other has, of those only under `Fin` none that the other has not, and of those under
//! both exactly the same.
//!
//! State *q* **simulates** *p* if for every edge of *p* and each of its letters, *q* has an edge
//! with that letter, with marks at least as good, to a state that simulates the target. Then *q*
//! accepts what *p* accepts: the run of *p* is answered step by step by a run of *q* whose marks
//! are at least as good at every position. The letters of one edge may be answered by several.
//!
//! Uses of simulation, and why they are sound (≤ is "is simulated by", on all states):
//!
//! - *One state for each class* of states that simulate each other, with the edges of one member
//!   only. If *q* represents the class of some state above *p*, it answers every edge of *p* by an
//!   edge to a state whose representative is above the target, because ≤ is transitive. So the
//!   new automaton simulates the old one; and it has only edges of the old one between classes,
//!   so it is simulated by it.
//! - *No dominated letters.* Between representatives ≤ is a partial order, and so is "marks and
//!   target at least as good" between the edges of one state, once edges with the same marks and
//!   target are one. On each letter the maximal edges are kept; what was answered by a dropped one
//!   is answered by a maximal one above it. Dropping all of them at once is therefore sound, which
//!   it would not be for a preorder: two edges could each be dropped because of the other. An
//!   edge whose letters are all dropped goes; others lose letters, and the automaton guesses less.
//! - Initial states below other initial states go for the same reason.
//!
//! **Backwards** the same is done on incoming edges: *q* simulates *p* backwards if each edge into
//! *p* is answered by one into *q* from a state that simulates the source backwards, and *q* is
//! initial if *p* is. Every finite run is then answered by one of the new automaton, from its end
//! to its beginning, with marks at least as good at every position. For an infinite run take the
//! answers to all its prefixes: they form a finitely branching tree (the prefix of an answer is
//! good enough at every position too), which has an infinite path by König's lemma. The use of
//! reverse simulation is from Somenzi and Bloem ("Efficient Büchi automata from LTL formulae", CAV
//! 2000), there for marks on states and with the same letters for whole edges.
//!
//! Both are applied one after the other, each to the result of the other, never at once: states
//! that are dropped because of what follows may be the reason to drop others because of what
//! precedes.

use crate::automaton::{Automaton, StateId};
use crate::letters::{Label, Letters};
use crate::marks::{MarkSet, MarkSetId};
use crate::ops::bisimulation::Merged;
use crate::refused::BudgetError;

/// Which edges of a state are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// Letters that edges tell apart; with more of them labels are compared as diagrams, which is
/// slower but never wrong.
const MOST_CLASSES: usize = 128;

/// Edges above which the quadratic comparison is not tried: a second or so.
const MOST_EDGES: usize = 20_000;

/// The same when labels are compared as diagrams.
const MOST_EDGES_BY_DIAGRAM: usize = 2_000;

/// The automaton reduced by simulation in one direction, or `None` if it has too many edges for
/// that. Its marks must be among those that the condition names.
pub(crate) fn reduce_by_simulation(
    automaton: &Automaton,
    direction: Direction,
) -> Result<Option<Automaton>, BudgetError> {
    if automaton.edge_count() > MOST_EDGES {
        return Ok(None);
    }
    let mut letters = automaton.letters().clone();
    let Some(mut view) = View::new(automaton, direction, &mut letters)? else { return Ok(None) };
    let relation = view.relation(automaton, &mut letters)?;
    view.rebuild(automaton, &relation).map(Some)
}

/// An edge as one of its two ends sees it.
#[derive(Clone, Copy)]
struct Seen {
    other: StateId,
    label: Label,
    marks: MarkSetId,
    /// The classes of letters in the label.
    letters: u128,
}

struct View {
    direction: Direction,
    /// The edges at state `s` are `edges[first[s]..first[s + 1]]`.
    first: Vec<u32>,
    edges: Vec<Seen>,
    /// Whether `letters` of the edges can be relied on.
    by_class: bool,
    good: Goodness,
}

impl View {
    fn new(
        automaton: &Automaton,
        direction: Direction,
        letters: &mut Letters,
    ) -> Result<Option<Self>, BudgetError> {
        let bits = classes(automaton, letters)?;
        if bits.is_none() && automaton.edge_count() > MOST_EDGES_BY_DIAGRAM {
            return Ok(None);
        }
        let mut first = vec![0u32; automaton.state_count() + 1];
        let mut edges = Vec::with_capacity(automaton.edge_count());
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let (at, other) = match direction {
                    Direction::Forward => (state, edge.target),
                    Direction::Backward => (edge.target, state),
                };
                let letters = bits.as_ref().map_or(u128::MAX, |bits| bits[&edge.label]);
                edges.push((at, Seen { other, label: edge.label, marks: edge.marks, letters }));
                first[at.index() + 1] += 1;
            }
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        edges.sort_by_key(|&(at, _)| at);
        Ok(Some(View {
            direction,
            first,
            edges: edges.into_iter().map(|(_, seen)| seen).collect(),
            by_class: bits.is_some(),
            good: Goodness::new(automaton),
        }))
    }

    fn at(&self, state: usize) -> &[Seen] {
        &self.edges[self.first[state] as usize..self.first[state + 1] as usize]
    }

    /// The coarsest simulation, from above: pairs that fail are struck out until none does.
    fn relation(
        &self,
        automaton: &Automaton,
        letters: &mut Letters,
    ) -> Result<Relation, BudgetError> {
        let count = automaton.state_count();
        let mut relation = Relation::full(count);
        let all_letters: Vec<u128> = (0..count)
            .map(|state| self.at(state).iter().fold(0, |all, edge| all | edge.letters))
            .collect();
        let mut initial = vec![false; count];
        automaton.initial().iter().for_each(|state| initial[state.index()] = true);
        for p in 0..count {
            for q in 0..count {
                let possible = all_letters[p] & !all_letters[q] == 0
                    && (self.direction == Direction::Forward || !initial[p] || initial[q]);
                if !possible {
                    relation.clear(p, q);
                }
            }
        }
        // A pair can fail only after the row of one of the left state's targets has shrunk.
        let mut shrunk = vec![true; count];
        loop {
            let mut next = vec![false; count];
            let mut any = false;
            for (p, row_shrinks) in next.iter_mut().enumerate() {
                if !self.at(p).iter().any(|edge| shrunk[edge.other.index()]) {
                    continue;
                }
                for word in 0..relation.words {
                    let mut bits = relation.rows[p * relation.words + word];
                    while bits != 0 {
                        let q = word * 64 + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        if q != p && !self.answers(&relation, letters, p, q)? {
                            relation.clear(p, q);
                            *row_shrinks = true;
                            any = true;
                        }
                    }
                }
            }
            if !any {
                return Ok(relation);
            }
            shrunk = next;
        }
    }

    /// Whether every edge of `p` is answered by edges of `q`.
    fn answers(
        &self,
        relation: &Relation,
        letters: &mut Letters,
        p: usize,
        q: usize,
    ) -> Result<bool, BudgetError> {
        for edge in self.at(p) {
            let answering = self.at(q).iter().filter(|other| {
                self.good.at_least(other.marks, edge.marks)
                    && relation.has(edge.other.index(), other.other.index())
            });
            if self.by_class {
                let mut left = edge.letters;
                for other in answering {
                    left &= !other.letters;
                    if left == 0 {
                        break;
                    }
                }
                if left != 0 {
                    return Ok(false);
                }
            } else {
                let mut left = edge.label;
                for other in answering {
                    left = letters.minus(left, other.label)?;
                    if left == Label::FALSE {
                        break;
                    }
                }
                if left != Label::FALSE {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn rebuild(
        &mut self,
        automaton: &Automaton,
        relation: &Relation,
    ) -> Result<Automaton, BudgetError> {
        let count = automaton.state_count();
        // The first member stands for each class.
        let mut stands: Vec<usize> = (0..count).collect();
        for p in 0..count {
            if let Some(q) = (0..p).find(|&q| relation.has(p, q) && relation.has(q, p)) {
                stands[p] = stands[q];
            }
        }
        let mut builder = automaton.like();
        builder.set_name(automaton.name().map(str::to_owned));
        let mut new: Vec<Option<StateId>> = vec![None; count];
        for state in (0..count).filter(|&state| stands[state] == state) {
            let fresh = builder.add_state();
            new[state] = Some(fresh);
            if let Some(name) = automaton.state_name(StateId::from_index(state)) {
                builder.set_state_name(fresh, name.to_owned());
            }
        }
        let fresh = |state: usize| new[stands[state]].expect("a class has a state");
        let below = |p: usize, q: usize| p != q && relation.has(p, q);

        let mut initial: Vec<usize> =
            automaton.initial().iter().map(|state| stands[state.index()]).collect();
        initial.dedup();
        for &state in &initial {
            let dropped = self.direction == Direction::Forward
                && initial.iter().any(|&other| below(state, other));
            if !dropped {
                builder.add_initial(fresh(state));
            }
        }
        let mut merged = Merged::default();
        for state in (0..count).filter(|&state| stands[state] == state) {
            for seen in self.at(state) {
                let target = StateId::from_index(stands[seen.other.index()]);
                let edge = crate::Edge { target, label: seen.label, marks: seen.marks };
                merged.add(builder.letters_mut(), edge)?;
            }
            let edges: Vec<crate::Edge> = merged.drain().collect();
            for edge in &edges {
                let mut label = edge.label;
                for other in &edges {
                    let dominates = (other.target, other.marks) != (edge.target, edge.marks)
                        && self.good.at_least(other.marks, edge.marks)
                        && relation.has(edge.target.index(), other.target.index());
                    if dominates {
                        label = builder.letters_mut().minus(label, other.label)?;
                    }
                }
                let (here, there) = (fresh(state), fresh(edge.target.index()));
                let (from, target) = match self.direction {
                    Direction::Forward => (here, there),
                    Direction::Backward => (there, here),
                };
                builder.add_interned(from, crate::Edge { target, label, marks: edge.marks });
            }
        }
        Ok(builder.build())
    }
}

/// For each label the classes of letters it consists of, or `None` if there are too many.
///
/// With few propositions every letter is a class of its own, which needs no operation on diagrams:
/// that is most of the time that reducing a small automaton takes otherwise.
fn classes(
    automaton: &Automaton,
    letters: &mut Letters,
) -> Result<Option<hashbrown::HashMap<Label, u128>>, BudgetError> {
    let mut bits: hashbrown::HashMap<Label, u128> = hashbrown::HashMap::new();
    for edge in automaton.all_edges() {
        bits.insert(edge.label, 0);
    }
    let propositions = automaton.propositions().len();
    if 1 << propositions.min(30) <= MOST_CLASSES {
        for (&label, bits) in &mut bits {
            for letter in 0..1u32 << propositions {
                if letters.holds(label, |prop| letter >> prop.0 & 1 == 1) {
                    *bits |= 1 << letter;
                }
            }
        }
        return Ok(Some(bits));
    }
    let mut classes = vec![Label::TRUE];
    for &label in bits.keys() {
        match letters.split(&mut classes, label, MOST_CLASSES) {
            Ok(()) => {}
            Err(refused) if refused.resource == crate::Resource::LetterClasses => return Ok(None),
            Err(refused) => return Err(refused),
        }
    }
    for (at, &class) in classes.iter().enumerate() {
        // A class is inside a label or outside it, so one of its letters tells.
        let witness = letters.witness(class).expect("a class has a letter");
        let value = |prop: crate::Prop| {
            let found = witness.binary_search_by_key(&prop, |&(prop, _)| prop);
            found.is_ok_and(|at| witness[at].1)
        };
        for (&label, bits) in &mut bits {
            *bits |= u128::from(letters.holds(label, value)) << at;
        }
    }
    Ok(Some(bits))
}

/// Which sets of marks are at least as good as which.
struct Goodness {
    count: usize,
    table: Vec<bool>,
    sets: Vec<MarkSet>,
    only_inf: MarkSet,
    only_fin: MarkSet,
    both: MarkSet,
}

impl Goodness {
    /// Sets up to which all answers are tabulated.
    const TABLE: usize = 512;

    fn new(automaton: &Automaton) -> Self {
        let (fin, inf) = automaton.acceptance().polarity();
        let sets: Vec<MarkSet> =
            automaton.mark_table().iter().map(|(_, set)| set.clone()).collect();
        let mut this = Goodness {
            count: sets.len(),
            table: Vec::new(),
            sets,
            only_inf: inf.difference(&fin),
            only_fin: fin.difference(&inf),
            both: fin.intersection(&inf),
        };
        if this.count <= Self::TABLE {
            let pairs = (0..this.count).flat_map(|a| (0..this.count).map(move |b| (a, b)));
            this.table = pairs.map(|(a, b)| this.compare(a, b)).collect();
        }
        this
    }

    /// Whether `a` is at least as good as `b`.
    fn at_least(&self, a: MarkSetId, b: MarkSetId) -> bool {
        if self.table.is_empty() {
            return self.compare(a.index(), b.index());
        }
        self.table[a.index() * self.count + b.index()]
    }

    fn compare(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.sets[a], &self.sets[b]);
        a == b
            || b.intersection(&self.only_inf).is_subset(a)
                && a.intersection(&self.only_fin).is_subset(b)
                && a.intersection(&self.both) == b.intersection(&self.both)
    }
}

/// A relation between states: one row of bits a state.
struct Relation {
    words: usize,
    rows: Vec<u64>,
}

impl Relation {
    fn full(count: usize) -> Self {
        let words = count.div_ceil(64);
        let mut rows = vec![u64::MAX; words * count];
        if !count.is_multiple_of(64) {
            rows.iter_mut().skip(words - 1).step_by(words).for_each(|last| {
                *last = (1 << (count % 64)) - 1;
            });
        }
        Relation { words, rows }
    }

    /// Whether `q` simulates `p`.
    fn has(&self, p: usize, q: usize) -> bool {
        self.rows[p * self.words + q / 64] >> (q % 64) & 1 == 1
    }

    fn clear(&mut self, p: usize, q: usize) {
        self.rows[p * self.words + q / 64] &= !(1 << (q % 64));
    }
}
