//! A verdict as something to read or to process: it makes text and prints nothing.
//!
//! - [`claim`]: the answer to a claim that is no formula;
//! - [`comparison`]: many verdicts as one table, beside those of another model checker;
//! - [`human`]: what a person sees in a terminal;
//! - [`json`]: the same facts with a versioned schema;
//! - [`itf`]: the run as a trace in the Informal Trace Format, with its loop, for other tools.

pub mod claim;
pub mod comparison;
pub mod human;
pub mod itf;
pub mod json;
mod table;
