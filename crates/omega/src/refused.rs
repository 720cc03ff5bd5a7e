//! Work that was given up because it would have cost too much.

use std::fmt;

/// Why an operation stopped without a result: a limit was reached. The answer is then *unknown*,
/// never a partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What there was too much of.
    pub resource: Resource,
    /// The limit that was reached.
    pub limit: usize,
}

/// What an operation can run out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// States of the automaton being built.
    States,
    /// Edges of the automaton being built.
    Edges,
    /// Nodes of the decision diagrams that hold the letters.
    LetterNodes,
    /// Classes of letters to tell apart in one state.
    LetterClasses,
    /// Disjuncts of the acceptance condition.
    Disjuncts,
    /// Choices tried for an acceptance condition that is hard to decide.
    Choices,
    /// Bytes of text to write one label in a format that cannot name parts of a formula.
    LabelText,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.resource {
            Resource::States => "states",
            Resource::Edges => "edges",
            Resource::LetterNodes => "decision-diagram nodes for the letters",
            Resource::LetterClasses => "classes of letters in one state",
            Resource::Disjuncts => "disjuncts of the acceptance condition",
            Resource::Choices => "choices tried for the acceptance condition",
            Resource::LabelText => "bytes of text for one label",
        };
        write!(f, "gave up: this needs more than {} {what}", self.limit)
    }
}

impl std::error::Error for Refused {}

/// How large a constructed automaton may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most states of a result.
    pub states: usize,
    /// Most edges of a result.
    pub edges: usize,
}

impl Default for Limits {
    /// Ten million states and a hundred million edges: what fits in a few gigabytes.
    fn default() -> Self {
        Limits { states: 10_000_000, edges: 100_000_000 }
    }
}
