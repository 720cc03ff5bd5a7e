//! Where the numbers of words are found: lines of tags and numbers.
//!
//! A [`Line`] has a tag for each of its numbers. Numbers have three bytes as long as those suffice, then
//! there are sixteen in a line; with four bytes there are twelve. A word belongs into its home line or, if
//! that is full, the next ones around the shard. Lines fill up from the left, and nothing is ever taken
//! out.

use crate::Full;
use crate::memory::{Array, Budget, Line, equal_bytes};

/// How many bytes the numbers of a shard have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    Three = 3,
    Four = 4,
}

impl Bytes {
    /// How many numbers a line has.
    pub(super) fn slots(self) -> usize {
        (size_of::<Line>() - Line::TAGS) / self as usize
    }
}

/// A part of the index.
#[derive(Debug)]
pub(super) struct Shard {
    pub(super) lines: Array<Line>,
    pub(super) bytes: Bytes,
    /// How many slots are taken, and how many may be before it grows.
    pub(super) taken: u32,
    pub(super) most: u32,
}

impl Shard {
    pub(super) fn new(lines: usize, bytes: Bytes, budget: &Budget) -> Result<Shard, Full> {
        let lines = Array::<Line>::zeroed(lines, budget)?;
        let slots = lines.len() * bytes.slots();
        let most = u32::try_from(slots / 32 * 29).unwrap_or(u32::MAX);
        Ok(Shard { lines, bytes, taken: 0, most })
    }

    /// How many lines come next: small shards double, others grow by about the square root of 2, so
    /// that the index has a load of 0.8 and not 0.7 on average.
    pub(super) fn more_lines(&self) -> usize {
        let lines = self.lines.len();
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

    /// The line where a word belongs, by other bits than those of the shard and the tag.
    #[inline]
    pub(super) fn home(&self, hash: u64) -> usize {
        (((hash >> 16 & 0xffff_ffff) * self.lines.len() as u64) >> 32) as usize
    }

    /// The line behind a line.
    #[inline]
    pub(super) fn next(&self, line: usize) -> usize {
        if line + 1 == self.lines.len() { 0 } else { line + 1 }
    }

    /// Puts a number where it belongs, which is not there.
    #[inline]
    pub(super) fn place(&mut self, hash: u64, number: u32) {
        let mut at = self.home(hash);
        while !self.lines[at].put(tag_of(hash), number, self.bytes) {
            at = self.next(at);
        }
    }
}

/// A byte that stands for a word in its line; 0 for none.
#[inline]
pub(super) fn tag_of(hash: u64) -> u8 {
    // 255 values are left, of which one is twice as likely.
    (hash as u8).max(1)
}

impl Line {
    /// There are as many tags, though not always as many numbers.
    const TAGS: usize = 16;

    #[inline]
    fn tags(&self) -> [u64; 2] {
        let (tags, _) = self.0.as_chunks::<8>();
        [u64::from_le_bytes(tags[0]), u64::from_le_bytes(tags[1])]
    }

    /// A bit for each slot with this tag, which is not 0.
    #[inline]
    pub(super) fn tagged(&self, tag: u8) -> u32 {
        equal_bytes(self.tags(), tag)
    }

    /// How many slots are taken; they are the first ones.
    #[inline]
    pub(super) fn taken(&self) -> usize {
        (equal_bytes(self.tags(), 0) | 1 << Line::TAGS).trailing_zeros() as usize
    }

    /// The four bytes that end with the number in a slot.
    #[inline]
    fn window(slot: usize, bytes: Bytes) -> std::ops::Range<usize> {
        let end = Line::TAGS + (slot % Line::TAGS + 1) * bytes as usize;
        end - 4..end
    }

    /// The number in a slot that is taken.
    #[inline]
    pub(super) fn number(&self, slot: usize, bytes: Bytes) -> u32 {
        let window = &self.0[Line::window(slot, bytes)];
        u32::from_le_bytes(window.try_into().expect("four bytes")) >> (32 - 8 * bytes as u32)
    }

    /// The numbers in it.
    pub(super) fn numbers(&self, bytes: Bytes) -> impl Iterator<Item = u32> {
        (0..self.taken()).map(move |slot| self.number(slot, bytes))
    }

    /// Fills the first slot that is free; `false` if there is none.
    #[inline]
    pub(super) fn put(&mut self, tag: u8, number: u32, bytes: Bytes) -> bool {
        let slot = self.taken();
        if slot == bytes.slots() {
            return false;
        }
        self.0[slot] = tag;
        let window = &mut self.0[Line::window(slot, bytes)];
        let own = 4 - bytes as usize;
        window[own..].copy_from_slice(&number.to_le_bytes()[..bytes as usize]);
        true
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

    /// Neighbours leave each other alone, and the tags.
    #[test]
    fn a_line_keeps_its_numbers() {
        for (bytes, slots, most) in
            [(Bytes::Three, 16, 0x00ff_ffff), (Bytes::Four, 12, 0xffff_ffff)]
        {
            let mut line = Line([0; 64]);
            let number = |slot: u32| most - slot * 0x0001_0203;
            for slot in 0..slots {
                assert_eq!(line.taken(), slot as usize);
                assert!(line.put(slot as u8 + 100, number(slot), bytes));
            }
            assert!(!line.put(7, 7, bytes));
            let expected: Vec<u32> = (0..slots).map(number).collect();
            assert_eq!(line.numbers(bytes).collect::<Vec<_>>(), expected);
            assert_eq!(line.tagged(103), 1 << 3);
        }
    }
}
