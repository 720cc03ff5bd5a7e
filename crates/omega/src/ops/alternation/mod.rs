//! Alternation removal: a nondeterministic automaton for the words of an alternating one.
//!
//! The cheapest construction that is right for the automaton is taken:
//!
//! | the automaton | the construction |
//! |---|---|
//! | branches at the start only | the intersection of its parts |
//! | weak, and what rejects is single states | sets of states, a mark for each such state (Gastin, Oddoux, CAV 2001) |
//! | weak otherwise | sets of states with a set of those that still owe something (Miyano, Hayashi, TCS 1984) |
//! | Büchi or generalized Büchi | the same; a counter makes one set of several first |
//! | Rabin, parity, co-Büchi | a strategy is guessed, and its branches are judged by a deterministic automaton |
//! | any other condition | the same, behind a deterministic monitor that turns the condition into Rabin or parity |
//!
//! *Weak* is judged by cycles: a component, where a conjunction counts as several edges, has only
//! accepted or only rejected ones. Parts that are very large end in a refusal.
//!
//! # Why guessing a strategy is right
//!
//! A word is accepted if in the game on it, whose positions are a state and a place in the word,
//! the player who chooses edges wins. A player with a Rabin condition who wins at all, wins with a
//! strategy that depends on the position alone (Klarlund, APAL 1994; Zielonka, TCS 1998). So a
//! strategy is one choice for each state at each place: letters over additional propositions. The
//! automaton of `choices.rs` reads a word with a strategy and guesses a branch that is *not*
//! accepted, or a choice that the letter does not allow; its complement accepts the winning
//! strategies, and without the additional propositions the words that have one.

mod choices;
mod conjunction;
mod monitor;
mod sets;

use crate::acceptance::Acceptance;
use crate::alternating::Alternating;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Label, Letters};
use crate::marks::MarkSet;
use crate::ops::parts::MOST_DISJUNCTS;
use crate::ops::{membership, reduce, trim, union};
use crate::refused::{BudgetError, Limits};
use crate::scc::Components;

pub use conjunction::{alternating_conjunction, starting_parts};

/// Results with more states are not reduced.
const MOST_REDUCED: usize = 2_000;

/// A nondeterministic automaton that accepts the same words.
///
/// ```
/// use fairly_omega::formats::hoa::{self, Shape};
/// use fairly_omega::{Limits, ops};
/// // G F p, as: in every step, one copy goes on and one waits for p.
/// let text = "HOA: v1 States: 3 Start: 0 AP: 1 \"p\" Acceptance: 1 Fin(0)
///             --BODY-- State: 0 [0] 0 [!0] 0&1 State: 1 {0} [!0] 1 [0] 2
///             State: 2 [t] 2 --END--";
/// let read = hoa::Reader::new(text).next().unwrap().unwrap();
/// let Shape::Alternating(alternating) = read.shape else { panic!("it branches") };
/// let automaton = ops::remove_alternation(&alternating, Limits::default()).unwrap();
/// assert_eq!(automaton.state_count(), 2);
/// ```
///
/// # Errors
/// When the result, or an automaton on the way to it, passes the limits.
pub fn remove_alternation(
    automaton: &Alternating,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let branching = Branching::of(automaton);
    let result = branching.nondeterministic(automaton.base(), limits)?;
    let mut result =
        if result.state_count() <= MOST_REDUCED { reduce(&result)? } else { trim(&result) };
    if let Some(name) = automaton.base().name() {
        let mut builder = result.to_builder();
        builder.set_name(Some(name.to_owned()));
        result = builder.build();
    }
    Ok(result)
}

/// One choice of a state.
#[derive(Clone, Debug)]
struct Choice {
    label: Label,
    marks: MarkSet,
    /// Sorted.
    targets: Vec<u32>,
}

/// An alternating automaton, ready to be worked on.
#[derive(Clone, Debug)]
struct Branching {
    choices: Vec<Vec<Choice>>,
    initial: Vec<Vec<u32>>,
    acceptance: Acceptance,
}

impl Branching {
    fn of(automaton: &Alternating) -> Branching {
        let base = automaton.base();
        let numbers = |states: &[StateId]| states.iter().map(|state| state.0).collect();
        let choices = automaton.states().map(|state| {
            let choice = |edge: &crate::Edge| Choice {
                label: edge.label,
                marks: base.marks(edge.marks).clone(),
                targets: numbers(automaton.targets(edge)),
            };
            automaton.edges(state).iter().map(choice).collect()
        });
        Branching {
            choices: choices.collect(),
            initial: automaton.initial().map(numbers).collect(),
            acceptance: base.acceptance().clone(),
        }
    }

    fn nondeterministic(self, base: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
        if let Some(result) = conjunction::intersected(&self, base, limits) {
            return result;
        }
        let flat = self.flat(base);
        let components = Components::of(&flat);
        if let Some(accepting) = self.weak(&flat, &components)? {
            let alone = |state: u32| {
                let id = components.component(StateId(state));
                id.is_none_or(|id| accepting[state as usize] || components.members(id).len() == 1)
            };
            let goal = if (0..self.choices.len() as u32).all(alone) {
                sets::Goal::leave(&self, &accepting)
            } else {
                sets::Goal::Reach(accepting)
            };
            return sets::explore(&self, base, &goal, limits);
        }
        if let Some(clauses) = self.acceptance.inf_clauses() {
            return match clauses.len() {
                1 => sets::explore(&self, base, &sets::Goal::Meet(clauses[0].clone()), limits),
                _ => {
                    let counted = monitor::counted(&self, &clauses, limits)?;
                    let mark = MarkSet::first(1);
                    sets::explore(&counted, base, &sets::Goal::Meet(mark), limits)
                }
            };
        }
        let disjuncts = self.acceptance.disjuncts(MOST_DISJUNCTS)?;
        if disjuncts.iter().all(|disjunct| disjunct.inf.len() <= 1) {
            return choices::guess(&self, base, limits);
        }
        // The monitor with fewer states: one with counters, or one with a record of the marks.
        let counters = disjuncts.iter().map(|disjunct| disjunct.inf.len().max(1));
        let counters = counters.fold(1usize, usize::saturating_mul);
        let records = (1..=self.acceptance.marks().len()).fold(1usize, usize::saturating_mul);
        let monitored = if counters <= records {
            monitor::counted_pairs(&self, &disjuncts, limits)?
        } else {
            monitor::latest(&self, limits)?
        };
        choices::guess(&monitored, base, limits)
    }

    /// The automaton with a branch for each target, in which components are looked for.
    fn flat(&self, base: &Automaton) -> Automaton {
        let mut builder = base.like();
        builder.add_states(self.choices.len());
        for (from, choices) in self.choices.iter().enumerate() {
            for choice in choices {
                for &target in &choice.targets {
                    let from = StateId::from_index(from);
                    builder.add_edge(from, choice.label, choice.marks.clone(), StateId(target));
                }
            }
        }
        builder.set_initial(self.initial.iter().flatten().map(|&state| StateId(state)).collect());
        builder.build()
    }

    /// Whether each state is in a component whose cycles are all accepted; `None` if some component
    /// has cycles of both kinds. States without a cycle count as accepting.
    fn weak(
        &self,
        flat: &Automaton,
        components: &Components,
    ) -> Result<Option<Vec<bool>>, BudgetError> {
        let mut accepting = vec![true; self.choices.len()];
        let mut place = vec![StateId(0); self.choices.len()];
        for id in components.ids().filter(|&id| !components.is_trivial(id)) {
            let members = components.members(id);
            let numbers = (0..).map(StateId);
            members.iter().zip(numbers).for_each(|(state, at)| place[state.index()] = at);
            let accepts = |acceptance: &Acceptance| {
                let mut inside = Builder::new(Vec::new());
                inside.add_states(members.len());
                inside.add_initial(StateId(0));
                inside.set_acceptance(acceptance.restrict(components.marks(id)), 0);
                for &from in members {
                    let edges = flat.edges(from).iter();
                    for edge in edges.filter(|edge| components.together(from, edge.target)) {
                        let (from, to) = (place[from.index()], place[edge.target.index()]);
                        inside.add_edge(from, Label::TRUE, flat.marks(edge.marks).clone(), to);
                    }
                }
                Ok(!membership::is_empty(&inside.build())?)
            };
            let some_accepted = accepts(&self.acceptance)?;
            if some_accepted && accepts(&self.acceptance.dual())? {
                return Ok(None);
            }
            members.iter().for_each(|state| accepting[state.index()] = some_accepted);
        }
        Ok(Some(accepting))
    }
}

/// A builder with the propositions and letters of `base` and nothing else.
fn blank(base: &Automaton, letters: Letters) -> Builder {
    let mut builder = Builder::new(base.propositions().to_vec());
    *builder.letters_mut() = letters;
    builder
}

/// The union of automata, of which there may be none.
fn union_of(
    all: Vec<Automaton>,
    base: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let mut all = all.into_iter();
    let Some(first) = all.next() else { return Ok(blank(base, Letters::new()).build()) };
    all.try_fold(first, |left, right| union(&left, &right, limits))
}
