//! Spaces explored: states get numbers as they are met.
//!
//! A [`Space`](fairly_system::Space) says what can happen in a row of words, and knows nothing of numbers.
//! [`Explored`] keeps the rows that have been met in a table of `fairly_store`, numbers them, and is the
//! [`TransitionSystem`](fairly_system::TransitionSystem) that searches and reports ask. [`Collapsed`] is a space
//! around a space, in which atomic sequences are single steps. [`breadth`] goes through all rows with several
//! workers, for questions that need no more than that.

pub mod breadth;
mod collapsed;
mod explored;

pub use collapsed::Collapsed;
pub use explored::Explored;
