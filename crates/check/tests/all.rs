//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-check --test all examples::` runs those of one file.

mod common;
mod reduced;

mod agreement;
mod asked;
mod blocked;
mod collections;
mod confirmed;
mod csp_laws;
mod entering;
mod examples;
mod executions;
mod growing;
mod lasting;
mod limits;
mod long_runs;
mod lossy;
mod many_processes;
mod matrices;
mod merging;
mod native;
mod objects;
mod orders;
mod own_space;
mod paired;
mod pat_corpus;
mod preparing;
mod printed;
mod promela_examples;
mod promela_random;
mod reduction;
mod resetting_dead;
mod semaphore;
mod short_runs;
mod soundness;
mod spin_corpus;
mod starting;
mod state_counts;
mod symmetry;
mod symmetry_csp;
mod symmetry_random;
mod trails;
mod ways;
mod workers;
