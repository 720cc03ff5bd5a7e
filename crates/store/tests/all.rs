//! All tests of the crate as one program: it is linked once, and tests of several files run side by side.
//! `cargo test -p fairly-store --test all concurrent::` runs those of one file.

#![cfg(not(loom))]

mod common;

mod alone;
mod concurrent;
mod sequential;
