//! Limits on the work that one step may take.
//!
//! A step that reaches one ends in a fault of the kind [`FaultKind::Limit`](fairly_system::FaultKind::Limit):
//! nothing is known of what follows, so a search answers *unknown*, unless it finds its goal elsewhere.

/// Limits on the work that one step may take.
///
/// Native code makes up to [`MOST_AT_ONCE`](crate::native::MOST_AT_ONCE) steps of a sequence at once, and those are
/// not counted. So limits below some hundred steps would not be the same for it and for the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements that one process may run in one action.
    pub statements: u64,
    /// States inside the atomic sequences that begin in one state.
    pub inside: usize,
    /// Words of those states together.
    pub inside_words: usize,
    /// Steps along all ways through those states.
    pub ways: usize,
}

impl Default for Limits {
    /// Some seconds of work, and some hundred megabytes.
    fn default() -> Limits {
        Limits {
            statements: crate::Model::STATEMENTS,
            inside: 1 << 22,
            inside_words: 1 << 25,
            ways: 1 << 23,
        }
    }
}
