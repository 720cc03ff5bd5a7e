//! All tests of the crate as one program.

mod stored;
mod toy;
