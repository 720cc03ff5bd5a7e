//! A verdict as something to read or to process: it makes text and prints nothing. A verdict is plain data, so no
//! system is needed here; only [`graph`] explores one.
//!
//! - [`comparison`]: many verdicts as one table, beside those of another model checker;
//! - [`condition`]: conditions on single states, as a person types them;
//! - [`document`]: verdicts with their places, and problems, for the formats below;
//! - [`formats`]: many answers for other programs: GitHub, SARIF, JUnit, Markdown;
//! - [`graph`]: a small state space as a picture;
//! - [`growth`]: what kept growing until a search stopped;
//! - [`human`]: what a person sees in a terminal;
//! - [`shell`]: words of command lines;
//! - [`simulation`]: a run that is made step by step;
//! - [`json`]: the same facts with a versioned schema;
//! - [`itf`]: the run as a trace in the Informal Trace Format, with its loop, for other tools;
//! - [`trace`]: such a trace read back, shown, and drawn as a diagram.
//!
//! Documents are written by `serde_json` and `quick-junit`, styles are `anstyle`'s, widths of characters `unicode-width`'s.
//! Pictures and Markdown are text that is written here: a few kinds of elements, and one function that escapes.

mod advice;
mod chart;
mod claim;
pub mod comparison;
pub mod condition;
pub mod document;
pub mod formats;
pub mod graph;
pub mod growth;
pub mod human;
pub mod itf;
pub mod json;
mod lasso;
mod look;
mod markup;
mod messages;
pub mod shell;
pub mod simulation;
mod stuck;
pub mod trace;

pub use document::Document;
pub use look::{Look, Paint, Source, breadth, clipped, counted, terminal};
