//! Where the numbers of words are found: lines of tags and numbers.
//!
//! A [`Line`] has a tag for each of its numbers. Numbers have three bytes as long as those suffice, then
//! there are sixteen in a line; with four bytes there are twelve. A word belongs into its home line or, if
//! that is full, the next ones around the shard. Lines fill up from the left, and nothing is ever taken
//! out.

use crate::StoreError;
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
        match self {
            Bytes::Three => 16,
            Bytes::Four => 12,
        }
    }

    /// Four bytes that end with a number begin with so many bits of something else.
    #[inline]
    fn others(self) -> u32 {
        32 - 8 * self as u32
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
    pub(super) fn new(lines: usize, bytes: Bytes, budget: &Budget) -> Result<Shard, StoreError> {
        let lines = Array::<Line>::zeroed(lines, budget)?;
        let slots = lines.len() * bytes.slots();
        let most = u32::try_from(slots / 32 * 29).unwrap_or(u32::MAX);
        Ok(Shard { lines, bytes, taken: 0, most })
    }

    /// How many lines come next: small shards double, others grow by about 1.7. That is less than 2, so
    /// that the load is higher; √2 would save another half byte for each word and place every word once
    /// more.
    pub(super) fn more_lines(&self) -> usize {
        let lines = self.lines.len();
        if lines < 64 {
            return lines * 2;
        }
        let power = lines.ilog2() - 2;
        let quarters = match lines >> power {
            4 => 7,
            5 => 8,
            6 => 10,
            _ => 12,
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
        loop {
            let line = &mut self.lines[at];
            let taken = line.taken();
            if taken < self.bytes.slots() {
                return line.put(taken, tag_of(hash), number, self.bytes);
            }
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
    fn tags(&self) -> &[u8; Line::TAGS] {
        self.0.first_chunk().expect("more bytes than that")
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
    fn window(&mut self, slot: usize, bytes: Bytes) -> &mut [u8; 4] {
        let end = Line::end(slot, bytes);
        (&mut self.0[end - 4..end]).try_into().expect("four bytes")
    }

    #[inline]
    fn end(slot: usize, bytes: Bytes) -> usize {
        Line::TAGS + (slot % Line::TAGS + 1) * bytes as usize
    }

    /// The number in a slot that is taken.
    #[inline]
    pub(super) fn number(&self, slot: usize, bytes: Bytes) -> u32 {
        let end = Line::end(slot, bytes);
        let window: [u8; 4] = self.0[end - 4..end].try_into().expect("four bytes");
        u32::from_le_bytes(window) >> bytes.others()
    }

    /// The numbers in it.
    pub(super) fn numbers(&self, bytes: Bytes) -> impl Iterator<Item = u32> {
        (0..self.taken()).map(move |slot| self.number(slot, bytes))
    }

    /// Fills a slot: the first that is free.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, tag: u8, number: u32, bytes: Bytes) {
        self.0[slot] = tag;
        let window = self.window(slot, bytes);
        let others = u32::from_le_bytes(*window) & ((1 << bytes.others()) - 1);
        *window = (number << bytes.others() | others).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_equal_are_found() {
        let tags = [0, 7, 1, 0, 7, 0xff, 0, 7, 7, 0, 0, 0x80, 7, 0, 0, 0];
        for tag in [0, 1, 7, 0x80, 0xff, 3] {
            let bit = |(at, &byte): (usize, &u8)| u32::from(byte == tag) << at;
            let expected = tags.iter().enumerate().map(bit).sum::<u32>();
            assert_eq!(equal_bytes(&tags, tag), expected, "{tag}");
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
                line.put(slot as usize, slot as u8 + 100, number(slot), bytes);
            }
            assert_eq!(line.taken(), bytes.slots());
            let expected: Vec<u32> = (0..slots).map(number).collect();
            assert_eq!(line.numbers(bytes).collect::<Vec<_>>(), expected);
            assert_eq!(line.tagged(103), 1 << 3);
        }
    }
}
