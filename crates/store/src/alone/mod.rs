//! Tables for one thread.
//!
//! A look-up in a table that threads share pays for them: for pieces that never move, for versions, and
//! for instructions that lock a cache line. A sequential search spends most of its time in look-ups, so
//! it has tables of its own, with the same lines of tags and numbers and within the same budget.

mod index;
mod packed;
mod trees;
mod words;

pub use trees::Trees;
pub use words::Words;
