//! Text formats of automata and words.
//!
//! | format | module | read | written |
//! |---|---|---|---|
//! | Hanoi Omega-Automata | [`hoa`] | yes | yes |
//! | SPIN never claims | [`mod@never`] | yes | state-based Büchi automata |
//! | Aldebaran `.aut` | [`aut`] | yes | automata that accept every run |
//! | Graphviz | [`dot`] | no | yes |
//! | ultimately periodic words | [`word`] | yes | yes |
//!
//! Each reader takes text and returns automata or one [`Diagnostic`] with a stable code, listed in
//! its module; it never panics, and the memory it takes is bounded by the size of the text, not by
//! the numbers in it. [`read_any`] finds out which format a text has.
//!
//! ```
//! use fairly_omega::formats;
//! let text = "never { accept_init: if :: (p) -> goto accept_init fi; }";
//! assert_eq!(formats::Format::detect(text), Some(formats::Format::Never));
//! assert_eq!(formats::read_any(text).unwrap().len(), 1);
//! ```

use std::fmt;

use fairly_source::{Cursor, Diagnostic, Span};

use crate::automaton::{Automaton, StateId};
use crate::refused::BudgetError;

pub mod aut;
pub mod dot;
mod expression;
pub mod hoa;
pub mod never;
pub mod word;

/// A format of automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// [`hoa`]
    Hoa,
    /// [`mod@never`]
    Never,
    /// [`aut`]
    Aldebaran,
    /// [`dot`]; cannot be read.
    Dot,
}

impl Format {
    /// The format of a text that can be read, by its first word; white space and comments before
    /// it do not count.
    pub fn detect(text: &str) -> Option<Format> {
        let rest = first_word(text);
        let starts = |word: &str| {
            rest.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        if rest.starts_with("HOA:") || rest.starts_with("--ABORT--") {
            Some(Format::Hoa)
        } else if starts("never") {
            Some(Format::Never)
        } else if starts("des") {
            Some(Format::Aldebaran)
        } else {
            None
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Hoa => "HOA",
            Format::Never => "a never claim",
            Format::Aldebaran => "an .aut file",
            Format::Dot => "DOT",
        })
    }
}

/// The text from its first word on. Comments are taken to nest, as in HOA; only one that holds
/// another makes a difference.
fn first_word(text: &str) -> &str {
    let mut cursor = Cursor::new(text);
    loop {
        cursor.skip_space();
        if cursor.sees("//") {
            cursor.take_line();
        } else if !cursor.sees("/*") {
            return cursor.rest();
        } else if cursor.take_nested("/*", "*/").is_none() {
            return "";
        }
    }
}

/// All automata of a text in whichever format it is.
///
/// # Errors
/// `E0200` when the format is not recognised; otherwise those of the format.
pub fn read_any(text: &str) -> Result<Vec<Automaton>, Diagnostic> {
    match Format::detect(text) {
        Some(Format::Never) => never::parse(text),
        Some(Format::Aldebaran) => aut::parse(text).map(|automaton| vec![automaton]),
        Some(_) => hoa::parse(text),
        None => {
            let rest = first_word(text);
            let start = text.len() - rest.len();
            let end = start + rest.find(char::is_whitespace).unwrap_or(rest.len()).min(40);
            let message = "this is no automaton in a format that can be read";
            Err(Diagnostic::error("E0200", message, Span::new(start, end))
                .label("expected `HOA:`, `never` or `des`"))
        }
    }
}

/// Why an automaton cannot be written in a format without losing its meaning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrintError {
    /// The format cannot express the acceptance condition.
    #[error("{format} cannot express this acceptance condition; {remedy}")]
    Acceptance {
        /// The format.
        format: Format,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// The format has marks on states only.
    #[error(
        "{format} has acceptance on states, but edges of state {state} carry different marks; {remedy}"
    )]
    TransitionBased {
        /// The format.
        format: Format,
        /// A state whose edges carry different marks.
        state: StateId,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// The format wants exactly one initial state.
    #[error("{format} has one initial state, but the automaton has {found}")]
    InitialStates {
        /// The format.
        format: Format,
        /// How many there are.
        found: usize,
    },
    /// A proposition's name cannot be written in the format.
    #[error("the proposition `{}` cannot be written in {format}", name.escape_debug())]
    Name {
        /// The format.
        format: Format,
        /// The name.
        name: String,
    },
    /// A label takes too much text.
    #[error("a label cannot be written: {0}")]
    Label(BudgetError),
}
