//! Work that was given up because it would have cost too much.

/// Why an operation stopped without a result: a limit was reached. The answer is then *unknown*,
/// never a partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("gave up: this needs more than {limit} {resource}")]
pub struct BudgetError {
    /// The exhausted resource.
    pub resource: Resource,
    /// The limit that was reached.
    pub limit: usize,
}

/// A resource that an operation can run out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Resource {
    /// States of the automaton being built.
    #[error("states")]
    States,
    /// Edges of the automaton being built.
    #[error("edges")]
    Edges,
    /// Members of the sets of states that are the states of the automaton being built.
    #[error("states in the sets that are built")]
    Members,
    /// Nodes of the decision diagrams that hold the letters.
    #[error("decision-diagram nodes for the letters")]
    LetterNodes,
    /// Classes of letters to tell apart in one state.
    #[error("classes of letters in one state")]
    LetterClasses,
    /// Disjuncts of the acceptance condition.
    #[error("disjuncts of the acceptance condition")]
    Disjuncts,
    /// Choices tried for an acceptance condition that is hard to decide.
    #[error("choices tried for the acceptance condition")]
    Choices,
    /// Bytes of text to write one label in a format that cannot name parts of a formula.
    #[error("bytes of text for one label")]
    LabelText,
}

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
