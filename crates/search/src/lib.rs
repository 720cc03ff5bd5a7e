//! Systems under a property and fairness, searched on the fly.
//!
//! [`Product`] is the graph of a system, the automaton of a property's negation and fairness
//! constraints; the engines of `fairly_omega::emptiness` search it.

mod product;

pub use product::{Binding, Product, Unbound};
