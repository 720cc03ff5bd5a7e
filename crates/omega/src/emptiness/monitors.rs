//! Conditions with `Fin` as generalized Büchi conditions: one monitor automaton a clause, in
//! product with the graph and explored on the fly.
//!
//! The monitor of a clause `Fin(a) ∨ Inf(b)`, which is what a strong fairness constraint asks for,
//! is the one of Malinen and Luukkainen (2003, Definition 11): it waits for `b` again and again,
//! and may at any time guess that `a` never comes again; from then on it blocks every step with `a` and
//! asks for nothing more. Deviations (the numbers are rows of `docs/papers.md`):
//!
//! - marks are on edges, so two states do and the third of the paper, which remembers that `b` was
//!   just taken, is not needed (000-9);
//! - each clause keeps an acceptance set of its own, none is a product of sets (000-7);
//! - a clause with several `Fin` has one guess for each of them;
//! - one step carries at most one guess, and guesses are made in the order of the clauses. A guess
//!   can be put off, so nothing is lost, and a step has as many copies as there are guesses left,
//!   not as there are sets of them;
//! - a clause without `Fin`, which is what weak fairness asks for, needs no monitor: the counter of
//!   [`super::degeneralized`] is the weak monitor of the paper, with its index repaired (000-8).
//!
//! One cost that the paper reports remains: a node is copied for every set of guesses that can be made, so `k`
//! strong constraints cost up to 2ᵏ. The engine `streett` decides the same conditions without monitors.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::acceptance::{Acceptance, Clause};
use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Step};
use crate::marks::{Mark, MarkSet, MarkSetId, MarkTable};

/// Guesses of the monitors: `None` waits, `Some(mark)` says that the mark never comes again.
type Guesses = Box<[Option<Mark>]>;

/// The position of some guesses in [`Monitored::guesses`].
type GuessId = u32;

/// A node of the product.
type Pair = (StateId, GuessId);

/// A graph in product with the monitors of its clauses. Mark `i` of a step says that clause `i` got
/// what it asks for, and every clause must get it infinitely often.
pub(super) struct Monitored<'a, G> {
    graph: &'a mut G,
    clauses: Vec<Clause>,
    acceptance: Acceptance,
    marks: MarkTable,
    /// The clauses that a step satisfies, by the marks of the step and the guesses.
    satisfied: HashMap<(MarkSetId, GuessId), MarkSetId>,
    guesses: Vec<Guesses>,
    guess_ids: HashMap<Guesses, GuessId>,
    /// By guesses: the marks that are blocked, and the guesses that one more guess leads to.
    after: Vec<Option<Rc<After>>>,
    pairs: Vec<Pair>,
    numbers: HashMap<Pair, StateId>,
    buffer: Vec<Step>,
    copies: Vec<(Step, GuessId)>,
    overflowed: bool,
}

/// Consequences of some guesses.
struct After {
    blocked: MarkSet,
    next: Box<[GuessId]>,
}

impl<'a, G: Graph> Monitored<'a, G> {
    /// The product with the monitors of these clauses.
    pub(super) fn new(graph: &'a mut G, clauses: Vec<Clause>) -> Self {
        let sets = u32::try_from(clauses.len()).expect("marks are numbered by u32");
        let waiting: Guesses = vec![None; clauses.len()].into();
        Monitored {
            graph,
            clauses,
            acceptance: Acceptance::generalized_buchi(sets),
            marks: MarkTable::new(),
            satisfied: HashMap::new(),
            guesses: vec![waiting.clone()],
            guess_ids: HashMap::from([(waiting, 0)]),
            after: vec![None],
            pairs: Vec::new(),
            numbers: HashMap::new(),
            buffer: Vec::new(),
            copies: Vec::new(),
            overflowed: false,
        }
    }

    /// Whether there were more nodes than numbers. The steps to the others were left out, so an
    /// answer is worth nothing then.
    pub(super) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Bytes of the tables.
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.numbers.capacity() * (size_of::<(Pair, StateId)>() + 1)
            + self.guesses.len() * self.clauses.len() * size_of::<Option<Mark>>() * 2
    }

    /// The node of the graph underneath.
    pub(super) fn base(&self, node: StateId) -> StateId {
        self.pairs[node.index()].0
    }

    /// The number of the guesses in a node, which tells the copies of a node of the graph underneath apart.
    pub(super) fn copy(&self, node: StateId) -> u32 {
        self.pairs[node.index()].1
    }

    /// The step of the graph underneath that a hop of the product takes.
    pub(super) fn base_hop(&mut self, hop: Hop) -> Hop {
        let (mut at, mut found) = (0, None);
        self.explore(hop.from, |_, nth, _| {
            if at == hop.nth {
                found = Some(nth);
            }
            at += 1;
        });
        let nth = found.expect("the node has such a step");
        Hop { from: self.base(hop.from), nth, to: self.base(hop.to) }
    }

    fn number(&mut self, pair: Pair) -> Option<StateId> {
        if let Some(&known) = self.numbers.get(&pair) {
            return Some(known);
        }
        // The last number is left free: arrays indexed by node have one entry more than it.
        let Some(fresh) = u32::try_from(self.pairs.len()).ok().filter(|&id| id != u32::MAX) else {
            self.overflowed = true;
            return None;
        };
        self.pairs.push(pair);
        self.numbers.insert(pair, StateId(fresh));
        Some(StateId(fresh))
    }

    fn guess_id(&mut self, guesses: Guesses) -> GuessId {
        if let Some(&known) = self.guess_ids.get(&guesses) {
            return known;
        }
        let fresh = u32::try_from(self.guesses.len()).expect("a node a guess at the least");
        self.guesses.push(guesses.clone());
        self.after.push(None);
        self.guess_ids.insert(guesses, fresh);
        fresh
    }

    /// Computes which marks are blocked under these guesses, and which guesses can be made next.
    fn after(&mut self, at: GuessId) -> Rc<After> {
        if let Some(known) = &self.after[at as usize] {
            return Rc::clone(known);
        }
        let guesses = self.guesses[at as usize].clone();
        let blocked = guesses.iter().flatten().copied().collect();
        let free = guesses.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut next = Vec::new();
        for clause in free..self.clauses.len() {
            let fin: Vec<Mark> = self.clauses[clause].fin.iter().collect();
            for mark in fin {
                let mut more = guesses.clone();
                more[clause] = Some(mark);
                next.push(self.guess_id(more));
            }
        }
        let after = Rc::new(After { blocked, next: next.into() });
        self.after[at as usize] = Some(Rc::clone(&after));
        after
    }

    /// The clauses that a step with these marks satisfies, taken under these guesses.
    fn satisfied(&mut self, of_step: MarkSetId, at: GuessId) -> MarkSetId {
        let Monitored { graph, clauses, marks, satisfied, guesses, .. } = self;
        *satisfied.entry((of_step, at)).or_insert_with(|| {
            let seen = graph.marks(of_step);
            let set = (0u32..)
                .zip(&*clauses)
                .zip(&guesses[at as usize])
                .filter(|((_, clause), guess)| guess.is_some() || clause.inf.intersects(&seen))
                .map(|((number, _), _)| Mark(number))
                .collect();
            marks.intern(set)
        })
    }

    /// Goes through the steps of a node: the step, which one it is of the node underneath, and the
    /// guesses after it.
    fn explore(&mut self, node: StateId, mut see: impl FnMut(Step, u32, GuessId)) {
        let (base, at) = self.pairs[node.index()];
        let after = self.after(at);
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.graph.steps(base, &mut buffer);
        for (nth, &step) in (0u32..).zip(&buffer) {
            if self.graph.marks(step.marks).intersects(&after.blocked) {
                continue;
            }
            see(step, nth, at);
            // A guess made here counts from the next step on.
            after.next.iter().for_each(|&next| see(step, nth, next));
        }
        self.buffer = buffer;
    }
}

impl<G: Graph> Graph for Monitored<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        let nodes = self.graph.initial();
        nodes.into_iter().filter_map(|node| self.number((node, 0))).collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let at = self.pairs[node.index()].1;
        let mut copies = std::mem::take(&mut self.copies);
        copies.clear();
        self.explore(node, |step, _, guesses| copies.push((step, guesses)));
        for &(step, guesses) in &copies {
            let marks = self.satisfied(step.marks, at);
            let target = self.number((step.target, guesses));
            steps.extend(target.map(|target| Step { target, marks }));
        }
        self.copies = copies;
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.marks.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn allows(&mut self, nodes: usize) -> bool {
        self.graph.allows(nodes)
    }
}
