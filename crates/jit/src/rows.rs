//! Rows that machine code writes: steps without names and numbers.

/// Steps without names and numbers: rows of words, and who does what. Machine code appends to these lists, and knows
/// commands in place of actions, so they are no [`Steps`](fairly_system::Steps).
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// For each step the number of its command.
    pub(crate) commands: Vec<u32>,
    /// The packed states that they lead to, one after the other.
    pub(crate) words: Vec<u64>,
    /// For each state that was asked about, where its steps end.
    pub(crate) ends: Vec<usize>,
}

impl Rows {
    /// Removes all steps.
    pub(crate) fn clear(&mut self) {
        self.commands.clear();
        self.words.clear();
        self.ends.clear();
    }
}
