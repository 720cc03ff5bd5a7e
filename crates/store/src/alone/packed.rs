//! Words one after the other, in no more bytes than they need.
//!
//! Most words of a set have zeros in the same places at the top: states seldom need all 64 bits. So a
//! segment keeps of each word as many bytes as its largest one has, and begins again with more when a
//! larger one comes. The last segment grows by a quarter of everything or less, and is copied then, which
//! costs less than memory that nobody uses.

use crate::Full;
use crate::memory::{Array, Budget, prefetch};
use crate::rows::Rows;

/// Words of the first segment at the start, and the least that one grows by.
const FEW: usize = 1 << 10;
/// The most that a segment grows by.
const MANY: usize = 1 << 18;
/// A full segment has at most `1 << LARGEST` words: a huge page for each of their bytes.
const LARGEST: u32 = 21;

/// Words with the numbers from 0 on.
#[derive(Debug)]
pub(super) struct Packed {
    /// A full segment has `1 << shift` words.
    shift: u32,
    segments: Vec<Segment>,
    length: u32,
}

#[derive(Debug)]
struct Segment {
    /// A word is read with the seven bytes behind it, so there are as many more at the end.
    bytes: Array<u8>,
    /// Bytes of a word, and the bits that it can have in them.
    stride: usize,
    mask: u64,
    /// How many words there is room for.
    room: usize,
}

impl Segment {
    fn new(room: usize, stride: usize, budget: &Budget) -> Result<Segment, Full> {
        let bytes = Array::zeroed(room * stride + size_of::<u64>() - stride, budget)?;
        Ok(Segment { bytes, stride, mask: u64::MAX >> (64 - 8 * stride), room })
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        let (bytes, _) = self.bytes[at * self.stride..].split_first_chunk().expect("padding");
        u64::from_le_bytes(*bytes) & self.mask
    }

    /// Writes a word that fits, while there are none behind it.
    #[inline]
    fn put(&mut self, at: usize, word: u64) {
        let start = at * self.stride;
        self.bytes[start..start + size_of::<u64>()].copy_from_slice(&word.to_le_bytes());
    }

    /// A larger one with the same first words.
    fn copied(
        &self,
        words: usize,
        room: usize,
        stride: usize,
        budget: &Budget,
    ) -> Result<Segment, Full> {
        let mut copy = Segment::new(room, stride, budget)?;
        if stride == self.stride {
            let taken = words * stride;
            copy.bytes[..taken].copy_from_slice(&self.bytes[..taken]);
        } else {
            (0..words).for_each(|at| copy.put(at, self.get(at)));
        }
        Ok(copy)
    }
}

/// How many bytes a word needs.
fn bytes_of(word: u64) -> usize {
    (64 - word.leading_zeros()).div_ceil(8).max(1) as usize
}

impl Packed {
    pub(super) fn new(budget: &Budget) -> Result<Packed, Full> {
        // A segment may be there twice while it grows, which must not be much of what there may be.
        let most = (budget.limit() / 64 / size_of::<u64>()).max(1).ilog2();
        let shift = most.clamp(FEW.ilog2(), LARGEST);
        Ok(Packed { shift, segments: vec![Segment::new(FEW, 1, budget)?], length: 0 })
    }

    pub(super) fn len(&self) -> u32 {
        self.length
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        ((number >> self.shift) as usize, number as usize & ((1 << self.shift) - 1))
    }

    /// The word of a number below the length.
    #[inline]
    pub(super) fn get(&self, number: u32) -> u64 {
        let (segment, at) = self.place(number);
        self.segments[segment].get(at)
    }

    /// Asks for the word of a number below the length.
    #[inline]
    pub(super) fn prefetch(&self, number: u32) {
        let (segment, at) = self.place(number);
        let segment = &self.segments[segment];
        prefetch(&segment.bytes[at * segment.stride]);
    }

    /// Adds a word under the next number.
    #[inline]
    pub(super) fn push(&mut self, word: u64, budget: &Budget) -> Result<u32, Full> {
        let number = self.length;
        let (segment, at) = self.place(number);
        let fits = |segment: &Segment| at < segment.room && word <= segment.mask;
        if !self.segments.get(segment).is_some_and(fits) {
            self.make_room(word, budget)?;
        }
        self.segments[segment].put(at, word);
        self.length += 1;
        Ok(number)
    }

    /// Makes room for another word, and for its bytes.
    #[cold]
    fn make_room(&mut self, word: u64, budget: &Budget) -> Result<(), Full> {
        let length = self.length as usize;
        if u64::from(self.length) >= Rows::MOST {
            return Err(Full::Numbers);
        }
        let (segment, at) = self.place(self.length);
        let more = (length / 4).clamp(FEW, MANY);
        let room = |more: usize| (at + more).min(1 << self.shift);
        let Some(last) = self.segments.get(segment) else {
            self.segments.try_reserve(1).map_err(|_| Full::System)?;
            let stride = self.segments[segment - 1].stride.max(bytes_of(word));
            let new = Segment::new(room(more), stride, budget);
            let new = new.or_else(|_| Segment::new(room(FEW), stride, budget))?;
            self.segments.push(new);
            return Ok(());
        };
        let stride = last.stride.max(bytes_of(word));
        let larger = match at < last.room {
            true => last.copied(at, last.room, stride, budget)?,
            // By less near the limit.
            false => last
                .copied(at, room(more), stride, budget)
                .or_else(|_| last.copied(at, room(FEW), stride, budget))?,
        };
        let old = std::mem::replace(&mut self.segments[segment], larger);
        old.bytes.give_back(budget);
        Ok(())
    }
}
