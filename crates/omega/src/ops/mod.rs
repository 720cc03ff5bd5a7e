//! Operations on explicit automata.
//!
//! | question | operation |
//! |---|---|
//! | both read every letter | [`product()`], [`intersection`], lazily [`ProductGraph`] |
//! | components synchronise on shared events | [`alphabetised_product`] |
//! | one or the other | [`union()`], deterministically [`product()`] with [`Combine::Or`] |
//! | only what matters | [`trim()`], [`purge`], [`renumber_marks`] |
//! | an edge on every letter | [`complete()`] |
//! | smaller, the same language | [`reduce()`], for very large ones [`bisimulation_quotient`] |
//! | another condition | [`degeneralize()`], [`to_buchi()`], [`to_generalized_buchi`] |
//! | marks on states or on edges | [`to_state_based`], [`to_transition_based`], [`state_sets`] |
//! | no edge leads to several states at once | [`remove_alternation`] |
//! | runs of a Kripke structure | [`Kripke`] |
//! | how hard it is | [`strength()`], [`describe`], [`is_unambiguous`] |
//! | what is rejected | [`complement`], [`complement_to_buchi`], by way of [`determinize()`] |
//! | every word of one in the other | [`includes`], [`equivalent`], [`is_universal`] |
//! | finite words: prefixes, the rest, the limit | [`prefixes`], [`finite_complement`], [`limit()`] |
//! | what an observer sees: propositions dropped, events hidden | [`forget`], [`visible`] |
//! | this word | [`accepts`] |
//! | one word of several automata | [`common_word`] |
//!
//! Operations take automata by reference and return new ones. What can grow is bounded by
//! [`crate::Limits`] and ends in [`crate::BudgetError`], never in a partial result. Depth of
//! recursion never depends on the number of states.

pub mod abstraction;
mod alphabetised;
mod alternation;
mod bisimulation;
mod common_word;
mod complement;
mod complete;
mod degeneralize;
mod determinize;
mod finite;
mod inclusion;
mod kripke;
mod membership;
mod parts;
mod product;
mod project;
mod reduce;
mod simulation;
mod state_based;
mod strength;
mod to_buchi;
mod trim;
mod union;

pub use alphabetised::{AlphabetisedConfig, Waiting, alphabetised_product};
pub use alternation::{alternating_conjunction, remove_alternation, starting_parts};
pub use bisimulation::bisimulation_quotient;
pub use common_word::common_word;
pub use complement::{complement, complement_to_buchi};
pub use complete::complete;
pub use degeneralize::degeneralize;
pub use determinize::{Determinized, DeterminizedStep, Event, determinize};
pub use finite::{all_final, final_states, finite_complement, finite_word, limit, prefixes};
pub use inclusion::{Difference, Side, equivalent, includes};
pub use kripke::{Deadlock, Kripke};
pub use membership::{accepted_word, accepts, is_empty, is_universal, rejected_word};
pub use product::{Combine, ProductConfig, ProductGraph, intersection, product};
pub use project::{Visible, forget, visible};
pub use reduce::{Condition, ReduceConfig, reduce, reduce_with};
pub use state_based::{state_sets, to_state_based, to_transition_based, with_state_sets};
pub use strength::{
    Description, Strength, describe, is_semi_deterministic, is_unambiguous, strength,
};
pub use to_buchi::{to_buchi, to_generalized_buchi};
pub use trim::{purge, renumber_marks, trim};
pub use union::union;
