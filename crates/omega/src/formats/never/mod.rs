//! Never claims of SPIN, in and out: Büchi automata with marks on states.
//!
//! Read is what SPIN, ltl2ba, ltl3ba and Spot write: labelled `if` and `do` blocks with guarded
//! `goto`s, `skip`, `false`, `atomic { guard -> assert(!guard) }`. The first label is the initial
//! state; a state is accepting when one of its labels starts with `accept`. A run that falls off
//! the end of the claim is accepted, whatever comes after it.
//!
//! Guards are formulas with `!`, `&&`, `||`, `true`, `false`, `1`, `0` and parentheses. Anything else in
//! them is kept as the text of a proposition: `x == 3`, `P@label`, `len(q) < 3`, with runs of white
//! space made one space. Propositions come in alphabetical order, so that reading what was printed
//! gives the same automaton.
//!
//! ```
//! use fairly_omega::formats::never;
//! let text = "never { /* F G !p */
//!     T0_init: do :: (1) -> goto T0_init :: (!(p)) -> goto accept_S4 od;
//!     accept_S4: do :: (!(p)) -> goto accept_S4 od; }";
//! let automaton = never::parse(text).unwrap().remove(0);
//! assert_eq!(automaton.state_count(), 2);
//! let printed = never::print(&automaton).unwrap();
//! assert_eq!(never::parse(&printed).unwrap(), [automaton]);
//! ```
//!
//! Comments are those of C: `/* … */`, which do not nest, and `// …`.
//!
//! # Errors
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0301` | a comment that does not end |
//! | `E0302` | something that does not start with `never` |
//! | `E0303` | something else was expected |
//! | `E0304` | the text ends in the middle of a claim |
//! | `E0305` | a label defined twice |
//! | `E0306` | a `goto` to a label that is not there |
//! | `E0307` | an assertion that may hold; only those that always fail are understood |
//! | `E0308` | a parenthesis or bracket without its partner |
//! | `E0309` | guards whose decision diagrams are too large |

mod lexer;
mod parser;
mod printer;

pub use parser::parse;
pub use printer::print;
