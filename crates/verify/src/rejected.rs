//! Why a certificate is not accepted.

use std::fmt;

/// A rule that a certificate breaks. The documentation of [`crate`] says why each is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The file is a certificate of a version that is known, and every index in it is in its range.
    Format,
    /// The text of the model is one, and every id in it is in its range.
    Model,
    /// The statement is well formed.
    Statement,
    /// Nothing goes wrong in a step of a state that is listed, nor in a proposition of the statement.
    Fault,
    /// The initial states are listed, with their nodes.
    Initial,
    /// The steps out of states that are listed lead to states that are listed.
    Closed,
    /// The automaton has every expansion of its states, and its product with the system every node.
    Expansion,
    /// No edge leads to a class of higher rank.
    Rank,
    /// The edges inside a class are such that no fair run stays there.
    Reason,
    /// The constraints that classes speak of are among those that are assumed.
    Constraint,
    /// The condition of an invariant holds in every state that is listed.
    Invariant,
    /// The run of a violation is a run of the system.
    Run,
    /// The run of a violation meets every constraint.
    Unfair,
    /// The run of a violation does not satisfy the formula.
    Satisfied,
    /// The work on a single state keeps within the limits of the verifier.
    Limit,
    /// The bytes are those that were written.
    Checksum,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 16] = [
        Rule::Format,
        Rule::Model,
        Rule::Statement,
        Rule::Fault,
        Rule::Initial,
        Rule::Closed,
        Rule::Expansion,
        Rule::Rank,
        Rule::Reason,
        Rule::Constraint,
        Rule::Invariant,
        Rule::Run,
        Rule::Unfair,
        Rule::Satisfied,
        Rule::Limit,
        Rule::Checksum,
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

/// A certificate that is not accepted: the rule that it breaks, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The rule.
    pub rule: Rule,
    /// How it is broken, in words.
    pub why: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rule `{}` is broken: {}", self.rule, self.why)
    }
}

impl std::error::Error for Rejected {}

/// Rejects a certificate.
pub(crate) fn reject<T>(rule: Rule, why: impl Into<String>) -> Result<T, Rejected> {
    Err(Rejected { rule, why: why.into() })
}
