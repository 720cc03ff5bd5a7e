//! Alternating automata: an edge may lead to several states at once.
//!
//! A run of an alternating automaton is a tree. In each state a run *chooses* one edge that the
//! letter allows, and goes on in *all* states that the edge leads to; a word is accepted if some
//! run on it has only branches that the condition accepts. Two edges of a state are a disjunction,
//! two targets of an edge a conjunction.
//!
//! This type only holds what a file says. Operations work on [`Automaton`];
//! [`crate::ops::remove_alternation`] gives one for the same words.

use crate::automaton::{Automaton, Builder, Edge, StateId};

/// An automaton whose edges and starting points may be conjunctions of states.
///
/// ```
/// use fairly_omega::formats::hoa::{self, Shape};
/// // Both: some day p for ever, and some day q for ever.
/// let text = "HOA: v1 States: 3 Start: 0&1 AP: 2 \"p\" \"q\" Acceptance: 1 Fin(0)
///             --BODY-- State: 0 {0} [t] 0 [0] 2 State: 1 {0} [t] 1 [1] 2 State: 2 [t] 2 --END--";
/// let read = hoa::Reader::new(text).next().unwrap().unwrap();
/// let Shape::Alternating(automaton) = read.shape else { panic!("it branches") };
/// assert_eq!(automaton.state_count(), 3);
/// assert_eq!(automaton.initial().next().unwrap().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Alternating {
    /// The states, and after them one without edges for each conjunction, which stands for it as
    /// a target. So labels, marks and names need no second representation.
    base: Automaton,
    /// How many states are states.
    states: usize,
    /// The states of each conjunction, sorted, at least two.
    conjunctions: Vec<Vec<StateId>>,
}

impl Alternating {
    /// The automaton of `builder`, in which the target `states + i` stands for conjunction `i`.
    pub(crate) fn new(
        builder: Builder,
        states: usize,
        conjunctions: Vec<Vec<StateId>>,
    ) -> Alternating {
        Alternating { base: builder.build(), states, conjunctions }
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.states
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.states).map(StateId::from_index)
    }

    /// The edges that leave `state`; their targets are read with [`Alternating::targets`].
    pub fn edges(&self, state: StateId) -> &[Edge] {
        self.base.edges(state)
    }

    /// All states that an edge leads to at once, sorted.
    pub fn targets<'a>(&'a self, edge: &'a Edge) -> &'a [StateId] {
        self.members(&edge.target)
    }

    /// The starting points; a run chooses one of them and starts in all its states.
    pub fn initial(&self) -> impl Iterator<Item = &[StateId]> {
        self.base.initial().iter().map(|state| self.members(state))
    }

    /// Propositions, labels, mark sets, condition and names. Its edges lead to representatives of
    /// conjunctions, so it accepts other words.
    pub fn base(&self) -> &Automaton {
        &self.base
    }

    /// The conjunctions that edges and starting points lead to, in the order of their
    /// representatives.
    pub(crate) fn conjunctions(&self) -> impl Iterator<Item = &[StateId]> {
        self.conjunctions.iter().map(Vec::as_slice)
    }

    fn members<'a>(&'a self, target: &'a StateId) -> &'a [StateId] {
        match target.index().checked_sub(self.states) {
            None => std::slice::from_ref(target),
            Some(at) => &self.conjunctions[at],
        }
    }
}
