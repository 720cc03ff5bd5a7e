//! Linear temporal logic over states and events: syntax, rewriting, classes.
//!
//! Everything works on a [`Formulas`], an arena that stores each formula once, and on [`Formula`],
//! a small id into it. A formula comes from [`Formulas::parse`] (SPIN's, PAT's, Spot's and
//! TLA-like spellings, mixed as you like) or from the constructors, and is printed by
//! [`Formulas::display`] or [`Formulas::spell`].
//!
//! - [`formula`]: the arena, the constructors, what is known of every formula;
//! - [`atom`]: propositions over states and events;
//! - [`parser`], [`mod@print`]: text to formula and back, the grammar and the error codes;
//! - [`nnf`], [`simplify`], [`entail`]: equivalent formulas and what follows from what;
//! - [`premise`]: fairness premises lifted out of a property;
//! - [`class`]: safety, guarantee … reactivity; [`event`]: which formulas ignore invisible events.
//!
//! Errors are written with `thiserror`, which needs nothing at run time.
//!
//! If you want an automaton, that is `fairly-translate`; if you want to know whether a formula
//! holds of a word, by the definition and for tests only, `fairly-testkit` has it.
//!
//! ```
//! use fairly_logic::{Formulas, Premise};
//! let mut formulas = Formulas::new();
//! let property = formulas.parse("([]<>run0 && []<>run1) -> [](want0 -> <>eat.0)").unwrap();
//! let search = formulas.lift_negation(property);
//! assert_eq!(search.premises.len(), 2);
//! assert!(matches!(search.premises[0], Premise::Justice(_)));
//! let rest = formulas.simplify(search.rest);
//! assert_eq!(formulas.display(rest), "F(want0 & G!eat.0)");
//! ```

pub mod atom;
pub mod class;
pub mod entail;
pub mod event;
pub mod formula;
mod lexer;
pub mod nnf;
pub mod parser;
pub mod premise;
pub mod print;
pub mod simplify;

pub use atom::{Atom, AtomId, pattern_matches};
pub use class::{Class, Classes};
pub use entail::Entailment;
pub use formula::{Formula, Formulas, Node};
pub use premise::{Lifted, Premise};
pub use print::{SpellError, Spelling};
pub use simplify::Simplifier;
