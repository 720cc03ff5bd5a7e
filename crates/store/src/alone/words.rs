//! A set of words, numbered from 0 in the order in which they were stored.
//!
//! The words are in the order of their numbers (`packed.rs`). The index (`index.rs`) consists of a few
//! shards, so that what is needed twice while one grows is a small part of it; shards start with
//! different sizes and so grow at different times.

use std::sync::Arc;

use super::index::{Bytes, Shard, tag_of};
use super::packed::Packed;
use crate::memory::{Budget, prefetch};
use crate::{Rapid, RowHash, StateIndex, StoreError};

/// How many words are under way at once.
const BATCH: usize = 16;
const SHARDS: usize = 16;
/// So many words are in a cache anyway.
const CACHED: u32 = 1 << 17;
/// No number.
const NONE: u32 = u32::MAX;

/// A set of words with dense numbers.
///
/// ```
/// use fairly_store::{StateIndex, Words};
///
/// let mut words = Words::new(1 << 20)?;
/// let mut out = Vec::new();
/// words.insert_batch(&[7, 8, 7], &mut out)?;
/// assert_eq!(out, [(StateIndex(0), true), (StateIndex(1), true), (StateIndex(0), false)]);
/// assert_eq!(words.get(StateIndex(1)), 8);
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Words<H = Rapid> {
    hasher: H,
    budget: Arc<Budget>,
    shards: [Shard; SHARDS],
    words: Packed,
    /// Numbers from this one on have four bytes in the index.
    wide: u32,
}

/// A word that is looked for.
#[derive(Clone, Copy, Default)]
struct Sought {
    hash: u64,
    /// Its home line when it was first looked for, and then the number that it probably has.
    hint: u32,
}

fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARDS.ilog2())) as usize
}

impl Words<Rapid> {
    /// An empty set that takes at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for that: some 16 KiB.
    pub fn new(limit: usize) -> Result<Words, StoreError> {
        Words::with_hasher(limit, Rapid)
    }
}

impl<H: RowHash> Words<H> {
    /// As [`Words::new`], with another function that spreads the words.
    ///
    /// # Errors
    /// As for [`Words::new`].
    pub fn with_hasher(limit: usize, hasher: H) -> Result<Words<H>, StoreError> {
        Words::sharing(Arc::new(Budget::new(limit)), hasher)
    }

    pub(super) fn sharing(budget: Arc<Budget>, hasher: H) -> Result<Words<H>, StoreError> {
        let words = Packed::new(&budget)?;
        let mut shards = Vec::with_capacity(SHARDS);
        for shard in 0..SHARDS {
            // Three classes, so that they grow one after the other.
            shards.push(Shard::new(4 + shard % 3, Bytes::Three, &budget)?);
        }
        let shards = shards.try_into().expect("as many as there should be");
        Ok(Words { hasher, budget, shards, words, wide: 1 << 24 })
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.len() == 0
    }

    /// How many bytes it has allocated.
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// The word of a number that this set has given out.
    ///
    /// # Panics
    /// If it has given out nothing near that number.
    #[inline]
    pub fn get(&self, StateIndex(number): StateIndex) -> u64 {
        self.words.get(number)
    }

    /// The number of a word, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it. The set is as it was, and still finds everything.
    #[inline]
    pub fn insert(&mut self, word: u64) -> Result<(StateIndex, bool), StoreError> {
        self.find_or_push(word, self.hasher.hash_word(word))
    }

    /// Does the work of [`insert`](Words::insert) for each of the words, faster than one by one: the memory for
    /// many of them is on its way before the first is looked at. Appends to `out`.
    ///
    /// # Errors
    /// If there is no room for one of them. Then `out` has the answers for those before it.
    pub fn insert_batch(
        &mut self,
        words: &[u64],
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        out.reserve(words.len());
        let mut batch = [Sought::default(); BATCH];
        for words in words.chunks(BATCH) {
            let batch = &mut batch[..words.len()];
            for (sought, &word) in batch.iter_mut().zip(words) {
                let hash = self.hasher.hash_word(word);
                let shard = &self.shards[shard_of(hash)];
                let home = shard.home(hash);
                prefetch(&shard.lines[home]);
                *sought = Sought { hash, hint: home as u32 };
            }
            for sought in batch.iter_mut() {
                sought.hint = self.likely(sought.hash, sought.hint as usize);
            }
            for (&Sought { hash, hint }, &word) in batch.iter().zip(words) {
                let answer = if hint != NONE && self.get(StateIndex(hint)) == word {
                    (StateIndex(hint), false)
                } else {
                    self.find_or_push(word, hash)?
                };
                out.push(answer);
            }
        }
        Ok(())
    }

    /// The first number with the same tag in the home line, whose word is asked for.
    #[inline]
    fn likely(&self, hash: u64, home: usize) -> u32 {
        let shard = &self.shards[shard_of(hash)];
        let line = &shard.lines[home];
        let same = line.tagged(tag_of(hash));
        if same == 0 {
            return NONE;
        }
        let number = line.number(same.trailing_zeros() as usize, shard.bytes);
        self.words.prefetch(number);
        number
    }

    /// Looks for a word from its home on, and stores it where it is not found.
    fn find_or_push(&mut self, word: u64, hash: u64) -> Result<(StateIndex, bool), StoreError> {
        let (tag, at) = (tag_of(hash), shard_of(hash));
        loop {
            let shard = &mut self.shards[at];
            let mut home = shard.home(hash);
            for _ in 0..shard.lines.len() {
                let line = &shard.lines[home];
                let mut same = line.tagged(tag);
                while same != 0 {
                    let number = line.number(same.trailing_zeros() as usize, shard.bytes);
                    if self.words.get(number) == word {
                        return Ok((StateIndex(number), false));
                    }
                    same &= same - 1;
                }
                let taken = line.taken();
                if taken < shard.bytes.slots() {
                    if self.words.len() >= self.wide && shard.bytes == Bytes::Three {
                        break;
                    }
                    let number = self.words.push(word, &self.budget)?;
                    shard.lines[home].put(taken, tag, number, shard.bytes);
                    self.count(at);
                    return Ok((StateIndex(number), true));
                }
                home = shard.next(home);
            }
            self.grow(at)?;
        }
    }

    /// Counts a new word of a shard, and lets it grow if there are many.
    #[inline]
    fn count(&mut self, shard: usize) {
        let of = &mut self.shards[shard];
        of.taken += 1;
        if of.taken > of.most && self.grow(shard).is_err() {
            // The slots that are left will do for a while.
            self.shards[shard].most = u32::MAX;
        }
    }

    /// Gives a shard more lines.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, shard: usize) -> Result<(), StoreError> {
        let old = &self.shards[shard];
        let bytes = if self.words.len() < self.wide { old.bytes } else { Bytes::Four };
        let mut new = Shard::new(old.more_lines(), bytes, &self.budget)?;
        new.taken = old.taken;
        let is_large = self.words.len() > CACHED;
        for (nth, line) in old.lines.iter().enumerate() {
            // The words of a later line are asked for, which takes longer than placing this one's.
            if is_large && let Some(later) = old.lines.get(nth + 2) {
                later.numbers(old.bytes).for_each(|number| self.words.prefetch(number));
            }
            for number in line.numbers(old.bytes) {
                new.place(self.hasher.hash_word(self.words.get(number)), number);
            }
        }
        let old = std::mem::replace(&mut self.shards[shard], new);
        old.lines.give_back(&self.budget);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that need four bytes come when shards have any number of lines.
    #[test]
    fn numbers_become_wide() {
        for wide in [0, 1, 100, 5_000, 20_000] {
            let mut words = Words::new(1 << 24).expect("room");
            words.wide = wide;
            let word = |number: u32| u64::from(number) * 0x1_0001;
            for number in 0..30_000 {
                assert_eq!(words.insert(word(number)), Ok((StateIndex(number), true)));
            }
            assert!(words.shards.iter().all(|shard| shard.bytes == Bytes::Four));
            for number in 0..30_000 {
                assert_eq!(words.insert(word(number)), Ok((StateIndex(number), false)));
                assert_eq!(words.get(StateIndex(number)), word(number));
            }
        }
    }
}
