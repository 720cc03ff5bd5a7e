//! Words one after the other, in no more bytes than they need.
//!
//! Most words of a set have zeros in the same places at the top: states seldom need all 64 bits. So a segment
//! keeps of each word as many bytes as its largest one has, and begins again with more when a larger one comes.
//! The last segment grows by a quarter of everything or less, and is copied then, which costs less than unused
//! memory.

use crate::StoreError;
use crate::memory::{Budget, Strides};
use crate::rows::Rows;

/// Words of the first segment at the start, and the least that one grows by.
const FEW: usize = 1 << 10;
/// A full segment has at most `1 << LARGEST` words, with all their bytes one huge page. With eight times as
/// many, all of them could have huge pages; measured on 6 million words that is slower, and while
/// segments are copied takes half as much memory again.
const LARGEST: u32 = 18;

/// Words with the numbers from 0 on.
#[derive(Debug)]
pub(super) struct Packed {
    /// A full segment has `1 << shift` words, and the numbers of its words differ in these bits.
    shift: u32,
    within: u32,
    segments: Vec<Strides>,
    length: u32,
}

/// A larger one with the same first words.
fn larger(
    old: &Strides,
    words: usize,
    room: usize,
    stride: usize,
    budget: &Budget,
) -> Result<Strides, StoreError> {
    let mut new = Strides::zeroed(room, stride, budget)?;
    if stride == old.stride() {
        new.copy(words, old);
    } else {
        // In this order, because every word clears what is behind it.
        let copied = (0..words).all(|at| new.put(at, old.get(at)));
        assert!(copied, "it is larger");
    }
    Ok(new)
}

/// How many bytes a word needs.
fn bytes_of(word: u64) -> usize {
    (64 - word.leading_zeros()).div_ceil(8).max(1) as usize
}

impl Packed {
    pub(super) fn new(budget: &Budget) -> Result<Packed, StoreError> {
        // A segment may be there twice while it grows, which must not be much of what there may be.
        let most = (budget.limit() / 64 / size_of::<u64>()).max(1).ilog2();
        let shift = most.clamp(FEW.ilog2(), LARGEST);
        let segments = vec![Strides::zeroed(FEW, 1, budget)?];
        Ok(Packed { shift, within: (1 << shift) - 1, segments, length: 0 })
    }

    pub(super) fn len(&self) -> u32 {
        self.length
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        ((number >> self.shift) as usize, (number & self.within) as usize)
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
        self.segments[segment].prefetch(at);
    }

    /// Adds a word under the next number.
    #[inline]
    pub(super) fn push(&mut self, word: u64, budget: &Budget) -> Result<u32, StoreError> {
        let number = self.length;
        let (segment, at) = self.place(number);
        let put = |segment: &mut Strides| segment.put(at, word);
        if !self.segments.get_mut(segment).is_some_and(put) {
            self.make_room(word, budget)?;
            assert!(self.segments[segment].put(at, word), "there is room now");
        }
        self.length += 1;
        Ok(number)
    }

    /// Makes room for another word, and for its bytes.
    #[cold]
    fn make_room(&mut self, word: u64, budget: &Budget) -> Result<(), StoreError> {
        let length = self.length as usize;
        if u64::from(self.length) >= Rows::MOST {
            return Err(StoreError::Numbers);
        }
        let (segment, at) = self.place(self.length);
        let more = (length / 4).max(FEW);
        let room = |more: usize| (at + more).min(1 << self.shift);
        let Some(last) = self.segments.get(segment) else {
            self.segments.try_reserve(1).map_err(|_| StoreError::System)?;
            let stride = self.segments[segment - 1].stride().max(bytes_of(word));
            let new = Strides::zeroed(room(more), stride, budget);
            let new = new.or_else(|_| Strides::zeroed(room(FEW), stride, budget))?;
            self.segments.push(new);
            return Ok(());
        };
        let stride = last.stride().max(bytes_of(word));
        let new = match at < last.room() {
            true => larger(last, at, last.room(), stride, budget)?,
            // By less near the limit.
            false => larger(last, at, room(more), stride, budget)
                .or_else(|_| larger(last, at, room(FEW), stride, budget))?,
        };
        let old = std::mem::replace(&mut self.segments[segment], new);
        old.give_back(budget);
        Ok(())
    }
}
