//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-model --test all naive::` runs those of one file.

mod footprint;
mod footprint_oracle;
mod growth;
mod interpreter;
mod layout;
mod naive;
mod spaces;
mod text;
mod verify;
