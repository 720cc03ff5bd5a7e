//! Automata read as automata on finite words, and the languages in between.
//!
//! A state is *final* if the condition accepts the marks that all of its edges carry; a finite word is accepted
//! if a run on it ends in a final state. These are the steps of the naive procedure of Nicola, Nießner and
//! Ultes-Nitsche (2008, Section 4) for relative liveness, each as an operation: [`prefixes`] is step 2,
//! [`finite_complement`] step 3, [`super::product()`] steps 1 and 4, [`finite_word`] step 5. [`limit`] leads
//! back: a deterministic automaton on finite words, read as a Büchi automaton, accepts the words that have
//! infinitely many prefixes in the language (Eilenberg's limit).
//!
//! A state without edges has no marks, so it is final only if the condition accepts the empty set.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::Label;
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits, Resource};

use super::determinize::MOST_CLASSES;
use super::trim;

/// By state, whether it is final; `None` where marks differ among the edges of a state.
pub fn final_states(automaton: &Automaton) -> Option<Vec<bool>> {
    let marks = automaton.state_marks()?;
    Some(marks.into_iter().map(|id| automaton.acceptance().accepts(automaton.marks(id))).collect())
}

/// The automaton with all of its states final.
pub fn all_final(automaton: &Automaton) -> Automaton {
    let mut builder = automaton.to_builder();
    let marked: MarkSet = [Mark(0)].into_iter().collect();
    builder.map_marks(|_| marked.clone());
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.build()
}

/// An automaton whose finite words are the prefixes of the words of this one; its infinite words are those
/// all of whose prefixes are.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark, ops};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let (good, dead) = (builder.add_state(), builder.add_state());
/// builder.add_initial(good);
/// builder.add_edge(good, Label::TRUE, [Mark(0)].into_iter().collect(), good);
/// builder.add_edge(good, Label::TRUE, Default::default(), dead);
/// let prefixes = ops::prefixes(&builder.build());
/// assert_eq!(ops::final_states(&prefixes), Some(vec![true]));
/// ```
pub fn prefixes(automaton: &Automaton) -> Automaton {
    all_final(&trim(automaton))
}

/// A deterministic and complete automaton for the same finite words; every state of it is a set of states.
///
/// # Errors
/// When there are more states or edges than the limits allow, or too many classes of letters.
fn finite_deterministic(
    automaton: &Automaton,
    is_final: &[bool],
    limits: Limits,
    accepts: impl Fn(bool) -> bool,
) -> Result<Automaton, BudgetError> {
    let mut builder = Builder::new(automaton.propositions().to_vec());
    *builder.letters_mut() = automaton.letters().clone();
    builder.set_acceptance(Acceptance::buchi(), 1);
    let mut start = automaton.initial().to_vec();
    start.sort_unstable();
    start.dedup();
    let mut sets: Vec<Vec<StateId>> = vec![start.clone()];
    let mut numbers: HashMap<Vec<StateId>, StateId> = HashMap::from([(start, StateId(0))]);
    let first = builder.add_state();
    builder.add_initial(first);
    let mut at = 0;
    while at < sets.len() {
        let (set, from) = (sets[at].clone(), StateId::from_index(at));
        at += 1;
        let is_accepting = accepts(set.iter().any(|state| is_final[state.index()]));
        let marks: MarkSet = is_accepting.then_some(Mark(0)).into_iter().collect();
        let mut classes = vec![Label::TRUE];
        for edge in set.iter().flat_map(|&state| automaton.edges(state)) {
            builder.letters_mut().split(&mut classes, edge.label, MOST_CLASSES)?;
        }
        for class in classes {
            let mut after = Vec::new();
            for edge in set.iter().flat_map(|&state| automaton.edges(state)) {
                if builder.letters_mut().and(class, edge.label)? != Label::FALSE {
                    after.push(edge.target);
                }
            }
            after.sort_unstable();
            after.dedup();
            let target = match numbers.get(&after) {
                Some(&known) => known,
                None if sets.len() >= limits.states => {
                    return Err(BudgetError { resource: Resource::States, limit: limits.states });
                }
                None => {
                    let fresh = builder.add_state();
                    numbers.insert(after.clone(), fresh);
                    sets.push(after);
                    fresh
                }
            };
            if builder.edge_count() >= limits.edges {
                return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
            }
            builder.add_edge(from, class, marks.clone(), target);
        }
    }
    Ok(builder.build())
}

/// A deterministic and complete automaton for the finite words that are not accepted. `None` where marks
/// differ among the edges of a state.
///
/// # Errors
/// When there are more states or edges than the limits allow, or too many classes of letters.
pub fn finite_complement(
    automaton: &Automaton,
    limits: Limits,
) -> Result<Option<Automaton>, BudgetError> {
    let Some(is_final) = final_states(automaton) else { return Ok(None) };
    finite_deterministic(automaton, &is_final, limits, |accepts| !accepts).map(Some)
}

/// A Büchi automaton for the infinite words with infinitely many prefixes among the finite words of this one.
/// `None` where marks differ among the edges of a state.
///
/// # Errors
/// As [`finite_complement`].
pub fn limit(automaton: &Automaton, limits: Limits) -> Result<Option<Automaton>, BudgetError> {
    let Some(is_final) = final_states(automaton) else { return Ok(None) };
    finite_deterministic(automaton, &is_final, limits, |accepts| accepts).map(Some)
}

/// The letters of a shortest finite word that is accepted, if there is one: `Some(None)`. `None` where marks
/// differ among the edges of a state.
pub fn finite_word(automaton: &Automaton) -> Option<Option<Vec<Label>>> {
    let is_final = final_states(automaton)?;
    let mut came: Vec<Option<(StateId, Label)>> = vec![None; automaton.state_count()];
    let mut met = vec![false; automaton.state_count()];
    let mut queue = VecDeque::new();
    for &start in automaton.initial() {
        if !std::mem::replace(&mut met[start.index()], true) {
            queue.push_back(start);
        }
    }
    while let Some(state) = queue.pop_front() {
        if is_final[state.index()] {
            let mut word = Vec::new();
            let mut at = state;
            while let Some((before, label)) = came[at.index()] {
                word.push(label);
                at = before;
            }
            word.reverse();
            return Some(Some(word));
        }
        for edge in automaton.edges(state) {
            if edge.label != Label::FALSE && !std::mem::replace(&mut met[edge.target.index()], true)
            {
                came[edge.target.index()] = Some((state, edge.label));
                queue.push_back(edge.target);
            }
        }
    }
    Some(None)
}
