//! A small CSP# for tests, as a tree of its own with its text, and random specifications in it.
//!
//! Their semantics is given naively in `crates/front/tests/csp_semantics`.

pub mod ast;
pub mod generate;
