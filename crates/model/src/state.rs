//! The states that have been met: each once, numbered in the order they were met in.

use std::hash::BuildHasher;

use fairly_omega::StateId;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Packed states of one width, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct States {
    width: usize,
    words: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl States {
    /// No states, of so many words each; at least one.
    pub(crate) fn new(width: usize) -> States {
        let hasher = DefaultHashBuilder::default();
        States { width, words: Vec::new(), table: HashTable::new(), hasher }
    }

    /// How many have been met.
    pub(crate) fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// The words of a state.
    pub(crate) fn get(&self, state: StateId) -> &[u64] {
        &self.words[state.index() * self.width..][..self.width]
    }

    /// The state with these words, and whether it is new.
    pub(crate) fn intern(&mut self, state: &[u64]) -> (StateId, bool) {
        let (width, words) = (self.width, &self.words);
        let row = |id: u32| &words[id as usize * width..][..width];
        let hash = self.hasher.hash_one(state);
        if let Some(&known) = self.table.find(hash, |&id| row(id) == state) {
            return (StateId(known), false);
        }
        let id = self.next();
        let hasher = &self.hasher;
        self.table.insert_unique(hash, id.0, |&id| hasher.hash_one(row(id)));
        self.words.extend_from_slice(state);
        (id, true)
    }

    /// A state that no words lead to: it is equal to no other.
    pub(crate) fn push_apart(&mut self) -> StateId {
        let id = self.next();
        self.words.extend(std::iter::repeat_n(0, self.width));
        id
    }

    fn next(&self) -> StateId {
        StateId(u32::try_from(self.len()).expect("fewer than 2^32 states"))
    }
}
