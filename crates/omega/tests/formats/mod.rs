//! The text formats, seen from outside: what is read, what is refused with which code, and that
//! what is printed reads back as the same automaton.

mod aut;
mod corpus;
mod dot;
mod hoa;
mod never;
mod random;
mod word;
