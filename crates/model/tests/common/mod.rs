//! Random models, for every test that compares two ways of treating a model.

// The tests of other crates have copies of this module and use a part of it.
#![allow(dead_code, unused_imports)]

mod expressions;
mod models;

pub(crate) use models::{Shape, lively_model, random_model};

/// How many random cases to try: `FAIRLY_RANDOM_CASES` or the default.
pub(crate) fn cases(default: u64) -> u64 {
    number("FAIRLY_RANDOM_CASES").unwrap_or(default)
}

/// The seed of the first case: `FAIRLY_SEED` or the default.
pub(crate) fn first_seed(default: u64) -> u64 {
    number("FAIRLY_SEED").unwrap_or(default)
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}
