//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-cli --test all book::` runs those of one file.

mod common;

mod architecture;
mod at_random;
mod book;
mod cargo_fairly;
mod choosing;
mod claims;
mod commands;
mod comparing;
mod escapes;
mod explaining;
mod explorer;
mod exploring;
mod formats;
mod glossary;
mod growing;
mod hostile;
mod including;
mod limits;
mod lossy;
mod mutants;
mod newcomer;
mod next;
mod papers;
mod promela;
mod reports;
mod templates;
mod traces;
mod watching;
