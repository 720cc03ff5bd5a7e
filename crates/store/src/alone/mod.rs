//! Tables for one thread.
//!
//! A look-up in a table that threads share pays for them: for pieces that never move, for versions, and
//! for instructions that lock a cache line. A sequential search spends most of its time in look-ups, so
//! it has tables of its own, which can also move what they have, and so keep it in fewer bytes.

mod index;
mod numbers;
mod packed;
mod trees;
mod words;

pub use numbers::Numbers;
pub use trees::Trees;
pub use words::Words;
