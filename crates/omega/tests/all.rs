//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-omega --test all ops_language::` runs those of one file.

mod common;

mod events;
mod finite_words;
mod formats;
mod hard_conditions;
mod language_complement;
mod language_inclusion;
mod language_membership;
mod ops_alphabetised;
mod ops_alternation;
mod ops_language;
mod ops_project;
mod ops_reduce;
mod ops_strength;
mod oracle_long_paths;
mod short_lassos;
