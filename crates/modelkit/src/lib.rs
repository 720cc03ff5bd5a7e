//! Random models, for every test that compares two ways of treating a model.
//!
//! A dev-dependency only. The oracles, which must not share types with what they check, are in `fairly-testkit`.
//!
//! - [`random_model`]: every feature of the representation now and then; [`lively_model`]: one that does something;
//! - [`native`]: native code compared with the interpreter.

mod expressions;
mod models;
pub mod native;

pub use fairly_testkit::{cases, first_seed};
pub use models::{Shape, lively_model, random_model};
