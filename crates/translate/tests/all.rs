//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-translate --test all words::` runs those of one file.

mod common;

mod classes;
mod generic;
mod languages;
mod lifted;
mod sizes;
mod words;
