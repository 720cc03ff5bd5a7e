//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-front --test all csp_semantics::` runs those of one file.

mod case_errors;
mod case_print;
mod corpus;
mod csp_errors;
mod csp_growth;
mod csp_parse;
mod csp_print;
mod csp_semantics;
mod promela_arity;
mod promela_errors;
mod promela_include;
mod promela_lower;
mod promela_read;
mod promela_spin;
