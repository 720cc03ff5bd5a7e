//! How strong an acceptance condition an automaton really needs, and how much it guesses.
//!
//! A component is *accepting* if some cycle of it is accepted. Then an automaton is
//!
//! - *inherently weak* if no component has both an accepted and a rejected cycle: a run is judged
//!   by the component it stays in;
//! - *weak* if, moreover, the marks (of those that the condition names) are the same on all edges
//!   inside a component, so that it can be seen at once;
//! - *very weak* if it is weak and every component is a single state: the order of states is the
//!   only memory, as in automata of single temporal operators;
//! - *terminal* if it is weak and a state of an accepting component can go on for every letter
//!   to a state of an accepting component: a run that gets there is accepted whatever follows, and
//!   emptiness is reachability;
//! - *strong* otherwise.
//!
//! Emptiness of weak automata needs one depth-first search instead of two, and of terminal ones
//! only reachability, which is what the planner asks this for.

use std::fmt;

use crate::automaton::{Automaton, StateId};
use crate::emptiness::has_accepting_cycle;
use crate::letters::Label;
use crate::ops::product::{Combine, ProductConfig, product_pairs};
use crate::ops::trim::{accepting_components, useful_states};
use crate::refused::{BudgetError, Limits};
use crate::scc::Components;

/// How strong the acceptance is, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Reaching an accepting component decides.
    Terminal,
    /// Every component has uniform marks.
    Weak,
    /// No component has both accepted and rejected cycles.
    InherentlyWeak,
    /// Some component has both.
    Strong,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::InherentlyWeak => "inherently weak",
            Strength::Strong => "strong",
        })
    }
}

/// Result of [`describe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// How strong the acceptance is.
    pub strength: Strength,
    /// Weak or terminal, and every component is a single state.
    pub very_weak: bool,
    /// At most one run on each word.
    pub deterministic: bool,
    /// Deterministic from every state that an accepting component reaches.
    pub semi_deterministic: bool,
    /// At most one accepting run, as a sequence of states, on each word. `None` if the square of
    /// the automaton is too large to find out.
    pub unambiguous: Option<bool>,
    /// An edge on every letter from every state.
    pub complete: bool,
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.strength)?;
        if self.very_weak {
            write!(f, ", very weak")?;
        }
        if self.deterministic {
            write!(f, ", deterministic")?;
        } else if self.semi_deterministic {
            write!(f, ", semi-deterministic")?;
        }
        if self.unambiguous == Some(true) && !self.deterministic {
            write!(f, ", unambiguous")?;
        }
        if self.complete {
            write!(f, ", complete")?;
        }
        Ok(())
    }
}

/// The strength of the reachable part of an automaton.
///
/// # Errors
/// When the labels do not fit in the store.
///
/// ```
/// use fairly_omega::{Builder, Label, ops::{Strength, strength}};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// builder.add_edge(state, Label::TRUE, Default::default(), state);
/// assert_eq!(strength(&builder.build()).unwrap(), Strength::Terminal);
/// ```
pub fn strength(automaton: &Automaton) -> Result<Strength, BudgetError> {
    let components = Components::of(automaton);
    let accepting = accepting_components(automaton, &components);
    if !inherently_weak(automaton, &components, &accepting) {
        return Ok(Strength::Strong);
    }
    let used = automaton.acceptance().marks();
    let uniform = automaton.states().all(|state| {
        let Some(id) = components.component(state) else { return true };
        let all = components.marks(id);
        automaton
            .edges(state)
            .iter()
            .filter(|edge| components.together(state, edge.target))
            .all(|edge| all.intersection(&used).is_subset(automaton.marks(edge.marks)))
    });
    if !uniform {
        return Ok(Strength::InherentlyWeak);
    }
    let mut letters = automaton.letters().clone();
    let is_accepting = |state| components.component(state).is_some_and(|id| accepting[id.index()]);
    for state in automaton.states().filter(|&state| is_accepting(state)) {
        let mut onward = Label::FALSE;
        for edge in automaton.edges(state).iter().filter(|edge| is_accepting(edge.target)) {
            onward = letters.or(onward, edge.label)?;
        }
        if onward != Label::TRUE {
            return Ok(Strength::Weak);
        }
    }
    Ok(Strength::Terminal)
}

/// Whether no component has both an accepted and a rejected cycle.
fn inherently_weak(automaton: &Automaton, components: &Components, accepting: &[bool]) -> bool {
    let rejecting = automaton.acceptance().dual();
    components.ids().filter(|id| accepting[id.index()]).all(|id| {
        let condition = rejecting.restrict(components.marks(id));
        !has_accepting_cycle(automaton, components.members(id), &condition).unwrap_or(true)
    })
}

/// Whether the automaton is deterministic from every state that an accepting component reaches.
///
/// # Errors
/// When the labels do not fit in the store.
pub fn is_semi_deterministic(automaton: &Automaton) -> Result<bool, BudgetError> {
    let components = Components::of(automaton);
    let accepting = accepting_components(automaton, &components);
    let roots: Vec<StateId> = components
        .ids()
        .filter(|id| accepting[id.index()])
        .flat_map(|id| components.members(id).iter().copied())
        .collect();
    let after = Components::restricted(automaton, &roots, |_, _| true);
    let mut letters = automaton.letters().clone();
    for state in automaton.states().filter(|&state| after.reached(state)) {
        let mut used = Label::FALSE;
        for edge in automaton.edges(state) {
            if letters.and(used, edge.label)? != Label::FALSE {
                return Ok(false);
            }
            used = letters.or(used, edge.label)?;
        }
    }
    Ok(true)
}

/// Whether no word has two accepting runs that differ in a state.
///
/// In the product of the automaton with itself a pair of different states that is reached, and from
/// which both can be accepted on one word, is a word with two runs; and the other way round.
///
/// # Errors
/// When the product would pass the limits.
///
/// ```
/// use fairly_omega::{Builder, Label, Limits, ops::is_unambiguous};
/// let mut builder = Builder::new(vec![]);
/// let (one, two) = (builder.add_state(), builder.add_state());
/// builder.add_initial(one);
/// builder.add_edge(one, Label::TRUE, Default::default(), one);
/// builder.add_edge(one, Label::TRUE, Default::default(), two);
/// assert!(is_unambiguous(&builder.clone().build(), Limits::default()).unwrap());
/// builder.add_edge(two, Label::TRUE, Default::default(), two);
/// assert!(!is_unambiguous(&builder.build(), Limits::default()).unwrap());
/// ```
pub fn is_unambiguous(automaton: &Automaton, limits: Limits) -> Result<bool, BudgetError> {
    let config = ProductConfig { combine: Combine::And, limits };
    let (square, pairs) = product_pairs(automaton, automaton, &config)?;
    let components = Components::of(&square);
    let accepting = accepting_components(&square, &components);
    let useful = useful_states(&square, &components, &accepting);
    Ok(square.states().all(|node| {
        let (a, b) = pairs[node.index()];
        a == b || !useful[node.index()]
    }))
}

/// States of the square above which [`describe`] does not look for ambiguity.
const SQUARE: Limits = Limits { states: 200_000, edges: 1_000_000 };

/// Everything this module can say of an automaton, for `stats` and for planning.
///
/// # Errors
/// When the labels do not fit in the store.
///
/// ```
/// use fairly_omega::{Builder, Label, ops::describe};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// builder.add_edge(state, Label::TRUE, Default::default(), state);
/// let description = describe(&builder.build()).unwrap();
/// assert_eq!(description.to_string(), "terminal, very weak, deterministic, complete");
/// ```
pub fn describe(automaton: &Automaton) -> Result<Description, BudgetError> {
    let strength = strength(automaton)?;
    let components = Components::of(automaton);
    let single = components.ids().all(|id| components.members(id).len() == 1);
    let deterministic = automaton.is_deterministic()?;
    Ok(Description {
        strength,
        very_weak: single && strength <= Strength::Weak,
        deterministic,
        semi_deterministic: deterministic || is_semi_deterministic(automaton)?,
        unambiguous: if deterministic {
            Some(true)
        } else {
            is_unambiguous(automaton, SQUARE).ok()
        },
        complete: automaton.is_complete()?,
    })
}
