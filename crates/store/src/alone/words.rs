//! A set of words, numbered from 0 in the order in which they were stored.
//!
//! The words are in segments, in the order of their numbers. The index consists of a few shards, so
//! that what is needed twice while one grows is a small part of it; shards start with different sizes
//! and so grow at different times. A shard is an array of lines: twelve numbers and a tag for each. A
//! word belongs into its home line or, if that is full, the next ones around the shard. Lines fill up
//! from the left, and nothing is ever taken out.

use std::sync::Arc;

use crate::memory::{Array, Budget, Line, equal_bytes, prefetch};
use crate::rows::Rows;
use crate::{Full, Rapid, RowHash, StateIndex};

/// How many words are under way at once.
const BATCH: usize = 16;
const SHARDS: usize = 16;
/// A full segment has `1 << SEGMENT` words: one huge page.
const SEGMENT: u32 = 18;
/// Words of the first segment at the start; it grows up to a full one.
const FEW: usize = 1 << 10;
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
/// # Ok::<(), fairly_store::Full>(())
/// ```
#[derive(Debug)]
pub struct Words<H = Rapid> {
    hasher: H,
    budget: Arc<Budget>,
    shards: [Shard; SHARDS],
    segments: Vec<Array<u64>>,
    length: u32,
}

#[derive(Debug)]
struct Shard {
    lines: Array<Line>,
    /// How many slots are taken, and how many may be before it grows.
    taken: u32,
    most: u32,
}

/// A word that is looked for.
#[derive(Clone, Copy, Default)]
struct Sought {
    word: u64,
    hash: u64,
    /// Its home line when it was first looked for.
    home: u32,
    /// The number that it probably has.
    likely: u32,
}

fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARDS.ilog2())) as usize
}

/// The line where a word belongs among so many, by other bits than those of the shard and the tag.
fn position(hash: u64, lines: usize) -> usize {
    (((hash >> 16 & 0xffff_ffff) * lines as u64) >> 32) as usize
}

impl Words<Rapid> {
    /// An empty set that takes at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for that: some 16 KiB.
    pub fn new(limit: usize) -> Result<Words, Full> {
        Words::with_hasher(limit, Rapid)
    }
}

impl<H: RowHash> Words<H> {
    /// As [`Words::new`], with another function that spreads the words.
    ///
    /// # Errors
    /// As for [`Words::new`].
    pub fn with_hasher(limit: usize, hasher: H) -> Result<Words<H>, Full> {
        Words::sharing(Arc::new(Budget::new(limit)), hasher)
    }

    pub(super) fn sharing(budget: Arc<Budget>, hasher: H) -> Result<Words<H>, Full> {
        let segments = vec![Array::zeroed(FEW, &budget)?];
        let mut shards = Vec::with_capacity(SHARDS);
        for shard in 0..SHARDS {
            // Four classes, so that they grow one after the other.
            shards.push(Shard::new(Array::zeroed(4 + shard % 4, &budget)?));
        }
        let shards = shards.try_into().expect("as many as there should be");
        Ok(Words { hasher, budget, shards, segments, length: 0 })
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
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
        self.segments[(number >> SEGMENT) as usize][number as usize & ((1 << SEGMENT) - 1)]
    }

    /// Asks for the word of a number that this set has given out.
    #[inline]
    fn prefetch(&self, number: u32) {
        let segment = &self.segments[(number >> SEGMENT) as usize];
        prefetch(&segment[number as usize & ((1 << SEGMENT) - 1)]);
    }

    /// The number of a word, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it. The set is as it was, and still finds everything.
    #[inline]
    pub fn insert(&mut self, word: u64) -> Result<(StateIndex, bool), Full> {
        self.find_or_push(word, self.hasher.hash_word(word))
    }

    /// What [`insert`](Words::insert) says of each of the words, which is faster than one by one: the
    /// memory for many of them is on its way before the first is looked at. Appends to `out`.
    ///
    /// # Errors
    /// If there is no room for one of them. Then `out` has the answers for those before it.
    pub fn insert_batch(
        &mut self,
        words: &[u64],
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), Full> {
        out.reserve(words.len());
        let mut batch = [Sought::default(); BATCH];
        for words in words.chunks(BATCH) {
            let batch = &mut batch[..words.len()];
            for (sought, &word) in batch.iter_mut().zip(words) {
                let hash = self.hasher.hash_word(word);
                let lines = &self.shards[shard_of(hash)].lines;
                let home = position(hash, lines.len());
                prefetch(&lines[home]);
                *sought = Sought { word, hash, home: home as u32, likely: NONE };
            }
            for sought in batch.iter_mut() {
                sought.likely = self.likely(sought);
            }
            for &Sought { word, hash, likely, .. } in &*batch {
                let answer = if likely != NONE && self.get(StateIndex(likely)) == word {
                    (StateIndex(likely), false)
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
    fn likely(&self, sought: &Sought) -> u32 {
        let line = &self.shards[shard_of(sought.hash)].lines[sought.home as usize];
        let same = line.tagged(tag_of(sought.hash));
        if same == 0 {
            return NONE;
        }
        let number = line.slots[same.trailing_zeros() as usize];
        self.prefetch(number);
        number
    }

    /// Looks for a word from its home on, and stores it where it is not found.
    fn find_or_push(&mut self, word: u64, hash: u64) -> Result<(StateIndex, bool), Full> {
        let (tag, shard) = (tag_of(hash), shard_of(hash));
        loop {
            let lines = self.shards[shard].lines.len();
            let mut at = position(hash, lines);
            for _ in 0..lines {
                let line = &self.shards[shard].lines[at];
                let mut same = line.tagged(tag);
                while same != 0 {
                    let number = line.slots[same.trailing_zeros() as usize];
                    if self.get(StateIndex(number)) == word {
                        return Ok((StateIndex(number), false));
                    }
                    same &= same - 1;
                }
                let taken = line.taken();
                if taken < Line::SLOTS {
                    let number = self.push(word)?;
                    self.shards[shard].lines[at].put(taken, tag, number);
                    self.count(shard);
                    return Ok((StateIndex(number), true));
                }
                at = if at + 1 == lines { 0 } else { at + 1 };
            }
            self.grow(shard)?;
        }
    }

    /// Stores a word under the next number.
    #[inline]
    fn push(&mut self, word: u64) -> Result<u32, Full> {
        let number = self.length;
        let (segment, at) = (number >> SEGMENT, number as usize & ((1 << SEGMENT) - 1));
        if self.segments.get(segment as usize).is_none_or(|segment| at == segment.len()) {
            self.add_segment()?;
        }
        self.segments[segment as usize][at] = word;
        self.length += 1;
        Ok(number)
    }

    /// Makes room for another word.
    #[cold]
    fn add_segment(&mut self) -> Result<(), Full> {
        if u64::from(self.length) >= Rows::MOST {
            return Err(Full::Numbers);
        }
        let first = &self.segments[0];
        if first.len() < 1 << SEGMENT {
            // Doubled, or by less near the limit.
            let more = |by: usize| Array::<u64>::zeroed(first.len() + by, &self.budget);
            let mut larger = more(first.len()).or_else(|_| more(FEW))?;
            larger[..first.len()].copy_from_slice(first);
            let old = std::mem::replace(&mut self.segments[0], larger);
            old.give_back(&self.budget);
            return Ok(());
        }
        self.segments.try_reserve(1).map_err(|_| Full::System)?;
        self.segments.push(Array::zeroed(1 << SEGMENT, &self.budget)?);
        Ok(())
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
    fn grow(&mut self, shard: usize) -> Result<(), Full> {
        let more = more_lines(self.shards[shard].lines.len());
        let mut new = Shard::new(Array::zeroed(more, &self.budget)?);
        let old = &self.shards[shard].lines;
        new.taken = self.shards[shard].taken;
        for (nth, line) in old.iter().enumerate() {
            // The words of a later line are asked for, which takes longer than placing this one's.
            if let Some(later) = old.get(nth + 2) {
                later.slots[..later.taken()].iter().for_each(|&number| self.prefetch(number));
            }
            for &number in &line.slots[..line.taken()] {
                let hash = self.hasher.hash_word(self.get(StateIndex(number)));
                new.place(hash, number);
            }
        }
        let old = std::mem::replace(&mut self.shards[shard], new);
        old.lines.give_back(&self.budget);
        Ok(())
    }
}

/// How many lines follow so many: small shards double, others grow by about the square root of 2, so
/// that the index has a load of 0.8 and not 0.7 on average.
fn more_lines(lines: usize) -> usize {
    if lines < 64 {
        return lines * 2;
    }
    let power = lines.ilog2() - 2;
    let quarters = match lines >> power {
        4 => 6,
        5 => 7,
        6 => 8,
        _ => 10,
    };
    quarters << power
}

impl Shard {
    fn new(lines: Array<Line>) -> Shard {
        let slots = lines.len() * Line::SLOTS;
        let most = u32::try_from(slots / 32 * 29).unwrap_or(u32::MAX);
        Shard { lines, taken: 0, most }
    }

    /// Puts a number where it belongs, which is not there.
    #[inline]
    fn place(&mut self, hash: u64, number: u32) {
        let mut at = position(hash, self.lines.len());
        loop {
            let line = &mut self.lines[at];
            let taken = line.taken();
            if taken < Line::SLOTS {
                return line.put(taken, tag_of(hash), number);
            }
            at = if at + 1 == self.lines.len() { 0 } else { at + 1 };
        }
    }
}

/// A byte that stands for a word in its line; 0 for none.
#[inline]
fn tag_of(hash: u64) -> u8 {
    // 255 values are left, of which one is twice as likely.
    (hash as u8).max(1)
}

impl Line {
    /// A bit for each slot with this tag; 0 is that of free slots.
    #[inline]
    fn tagged(&self, tag: u8) -> u32 {
        equal_bytes(self.tags, tag) & ((1 << Line::SLOTS) - 1)
    }

    /// How many slots are taken; they are the first ones.
    #[inline]
    fn taken(&self) -> usize {
        (equal_bytes(self.tags, 0) | 1 << Line::SLOTS).trailing_zeros() as usize
    }

    /// Fills the first slot that is free.
    #[inline]
    fn put(&mut self, slot: usize, tag: u8, number: u32) {
        self.tags[slot / 8] |= u64::from(tag) << (slot % 8 * 8);
        self.slots[slot] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_equal_are_found() {
        let tags = [0x0700_ff07_0001_0700, 0x0000_0007_8000_0007];
        let bytes: Vec<u8> = tags.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        for tag in [0, 1, 7, 0x80, 0xff, 3] {
            let bit = |(at, &byte): (usize, &u8)| u32::from(byte == tag) << at;
            let expected = bytes.iter().enumerate().map(bit).sum::<u32>();
            assert_eq!(equal_bytes(tags, tag), expected, "{tag}");
        }
    }
}
