//! Propositions: what a formula says of one position of a run.
//!
//! Position *i* of a run reads the propositions of state *i* and the event of the step leaving
//! it. A formula is read before the model is known, so a proposition may be one of three kinds:
//!
//! | kind | written | means |
//! |---|---|---|
//! | [`Atom::Name`] | `p` | not yet decided: a state proposition or an event of the model |
//! | [`Atom::Event`] | `eat.0`, `eat.*`, `event(eat)` | the step's event is this one, or one of these |
//! | [`Atom::State`] | `"x == 3"`, `{x == 3}`, `state(p)` | an expression of the model's language |
//! | the same | `enabled(P)`, `taken(P)` | what fairness asks of a process, event or action; also in quotes |
//!
//! A word with a dot is certainly an event. A plain word is left undecided; a caller that knows the model
//! replaces it with [`crate::Formulas::replace_atoms`]. Until then every analysis of this crate treats it as
//! what makes the analysis sound: it may be either.

use std::fmt;

use crate::lexer;

/// The id of a proposition in some [`crate::Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(u32);

impl AtomId {
    pub(crate) fn new(index: usize) -> Self {
        AtomId(u32::try_from(index).expect("fewer than 2^32 propositions"))
    }

    /// The id as an index, for tables beside the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A proposition. Build one with [`Atom::name`], [`Atom::event`], [`Atom::state`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A plain word; the model decides whether it is a state proposition or an event.
    Name(String),
    /// An event, or a pattern of events as [`pattern_matches`] reads it.
    Event(String),
    /// An expression of the model's language, verbatim but for the space around it.
    State(String),
}

impl Atom {
    /// The plain word `name`. What could not be written as a plain word (`x == 3`, the operator
    /// `U`, or `Fp`, which reads as `F p`) is taken as an expression, so that every proposition
    /// has a spelling that reads back as itself.
    pub fn name(name: &str) -> Atom {
        let name = name.trim();
        if lexer::is_plain_name(name) {
            Atom::Name(name.to_owned())
        } else {
            Atom::State(name.to_owned())
        }
    }

    /// The event, or pattern of events, `pattern`.
    pub fn event(pattern: &str) -> Atom {
        Atom::Event(pattern.trim().to_owned())
    }

    /// The expression `text`, which must not be empty if it is to be written and read again.
    pub fn state(text: &str) -> Atom {
        Atom::State(text.trim().to_owned())
    }

    /// The proposition that the text between quotes stands for where no model tells states and
    /// events apart: `"p"` is `p`, and `"eat.0"` is `eat.0`. Text that could not be written without
    /// quotes stays an expression.
    #[must_use]
    pub fn unquoted(self) -> Atom {
        match self {
            Atom::State(text) if lexer::is_plain_name(&text) => Atom::Name(text),
            Atom::State(text) if lexer::is_bare_event(&text) => Atom::Event(text),
            other => other,
        }
    }

    /// Name of the proposition in an automaton: an expression without quotes, anything else as it prints. Two
    /// propositions never have the same name: an expression that could be read as something else keeps its
    /// quotes.
    pub fn plain_text(&self) -> String {
        match self {
            Atom::State(text)
                if !lexer::is_plain_name(text)
                    && !lexer::is_bare_event(text)
                    && !text.starts_with("event(")
                    && !text.starts_with(['"', '{']) =>
            {
                text.clone()
            }
            other => other.to_string(),
        }
    }

    /// The word, pattern or expression.
    pub fn text(&self) -> &str {
        match self {
            Atom::Name(text) | Atom::Event(text) | Atom::State(text) => text,
        }
    }
}

/// The spelling that reads back as this proposition in every spelling of the operators.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Name(name) => f.write_str(name),
            Atom::Event(pattern) if lexer::is_bare_event(pattern) => f.write_str(pattern),
            Atom::Event(pattern) if is_balanced(pattern, '(', ')') && plain(pattern) => {
                write!(f, "event({pattern})")
            }
            Atom::Event(pattern) => write!(f, "event({})", Quoted(pattern)),
            Atom::State(text) if !plain(text) && is_balanced(text, '{', '}') => {
                write!(f, "{{{text}}}")
            }
            Atom::State(text) => write!(f, "{}", Quoted(text)),
        }
    }
}

/// Whether the text can stand between quotes as it is.
fn plain(text: &str) -> bool {
    !text.contains(['"', '\\'])
}

fn is_balanced(text: &str, open: char, close: char) -> bool {
    let mut depth = 0usize;
    for c in text.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            }
        }
    }
    depth == 0 && !text.is_empty()
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            if c == '"' || c == '\\' {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str("\"")
    }
}

/// Whether the event `event` is one of those that `pattern` names.
///
/// Both are words separated by dots. A `*` in the pattern stands for one word; at the end it
/// stands for one or more. Everything else stands for itself.
///
/// ```
/// use fairly_logic::pattern_matches;
/// assert!(pattern_matches("eat.*", "eat.0"));
/// assert!(pattern_matches("get.*.1", "get.0.1") && !pattern_matches("get.*.1", "get.0.2"));
/// assert!(pattern_matches("get.*", "get.0.1"));
/// assert!(!pattern_matches("eat.*", "eat") && !pattern_matches("eat", "eat.0"));
/// ```
pub fn pattern_matches(pattern: &str, event: &str) -> bool {
    let mut words = event.split('.');
    let mut parts = pattern.split('.').peekable();
    while let Some(part) = parts.next() {
        match words.next() {
            None => return false,
            Some(_) if part == "*" && parts.peek().is_none() => return true,
            Some(word) if part != "*" && part != word => return false,
            Some(_) => {}
        }
    }
    words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_word_is_an_expression() {
        assert_eq!(Atom::name("p1"), Atom::Name("p1".into()));
        for text in ["x == 3", "U", "GFp", "true", "a.b", "", "3x", "not"] {
            assert_eq!(Atom::name(text), Atom::State(text.into()), "{text}");
        }
    }

    #[test]
    fn quotes_matter_only_where_they_must() {
        for (text, unquoted, called) in [
            ("p", Atom::name("p"), "p"),
            ("eat.0", Atom::event("eat.0"), "eat.0"),
            ("a b", Atom::state("a b"), "a b"),
            ("Finished", Atom::state("Finished"), "Finished"),
            ("U", Atom::state("U"), "U"),
            ("event(x)", Atom::state("event(x)"), "\"event(x)\""),
        ] {
            let atom = Atom::state(text).unquoted();
            assert_eq!(atom, unquoted);
            assert_eq!(atom.plain_text(), called);
        }
        // Different propositions are called differently.
        let same =
            [Atom::state("p"), Atom::Name("p".into()), Atom::event("p"), Atom::state("\"p\"")];
        let names: std::collections::BTreeSet<String> = same.iter().map(Atom::plain_text).collect();
        assert_eq!(names.len(), same.len(), "{names:?}");
    }

    #[test]
    fn spellings() {
        for (atom, spelling) in [
            (Atom::name("p"), "p"),
            (Atom::event("eat.0"), "eat.0"),
            (Atom::event("eat"), "event(eat)"),
            (Atom::event("c!(1)"), "event(c!(1))"),
            (Atom::event("c)"), "event(\"c)\")"),
            (Atom::event("Feat.0"), "event(Feat.0)"),
            (Atom::state(" x == 3 "), "\"x == 3\""),
            (Atom::state("s == \"a\""), "{s == \"a\"}"),
            (Atom::state("\"}"), "\"\\\"}\""),
        ] {
            assert_eq!(atom.to_string(), spelling);
        }
    }
}
