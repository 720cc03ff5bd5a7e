//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-logic --test all laws::` runs those of one file.

mod classes;
mod laws;
mod text;
