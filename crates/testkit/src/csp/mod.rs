//! A small CSP# for tests, as a tree of its own with its text, and random specifications in it.
//!
//! What they mean is said naively in `crates/front/tests/csp_semantics`.

pub mod ast;
pub mod generate;
