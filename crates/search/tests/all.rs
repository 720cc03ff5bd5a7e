//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-search --test all refinement_oracle::` runs those of one file.

mod common;

mod bounded;
mod closure;
mod global;
mod hiding;
mod inherent;
mod networks_oracle;
mod reach;
mod refinement_oracle;
mod threaded;
mod ufscc;
