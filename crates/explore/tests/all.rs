//! All tests of the crate in one program.

mod breadth;
mod collapsed;
mod explored;
