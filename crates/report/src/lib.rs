//! A verdict as something to read or to process: it makes text and prints nothing.
//!
//! - [`claim`]: the answer to a claim that is no formula;
//! - [`comparison`]: many verdicts as one table, beside those of another model checker;
//! - [`formats`]: many answers for other programs: GitHub, SARIF, JUnit, Markdown;
//! - [`graph`]: a small state space as a picture;
//! - [`human`]: what a person sees in a terminal;
//! - [`json`]: the same facts with a versioned schema;
//! - [`itf`]: the run as a trace in the Informal Trace Format, with its loop, for other tools;
//! - [`trace`]: such a trace read back, shown, and drawn as a diagram.

mod advice;
mod chart;
pub mod claim;
pub mod comparison;
pub mod formats;
pub mod graph;
pub mod human;
pub mod itf;
pub mod json;
mod lasso;
mod look;
mod markup;
mod messages;
mod state;
mod stuck;
mod table;
pub mod trace;

pub use look::{Look, Paint, Source, breadth, clipped, counted, terminal};
