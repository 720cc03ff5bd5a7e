//! The rows themselves, in the order of their numbers.
//!
//! They are in segments that are added and never moved. A row takes whole 32-bit halves of words.

use crate::StoreError;
use crate::memory::{Budget, Pieces, Shape, prefetch};
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::table::Width;

/// About how many bytes a segment has, given the limit of all.
///
/// A segment is what is allocated at once, and so the most that is paid for and not used. With 2 MiB,
/// one huge page, there are few; with a small limit they must be smaller to come near it.
fn segment_bytes(limit: usize) -> usize {
    if cfg!(loom) {
        return 16;
    }
    (limit / 64).clamp(1 << 12, 1 << 21)
}

/// Segments after which the next one is made ahead.
const EAGER: u64 = 4;

/// Numbers for rows that one thread has taken ahead, so that threads that store rows do not meet at the counter
/// for each of them.
///
/// Numbers that are left in the end are those of no row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserve {
    next: u32,
    end: u32,
}

impl Reserve {
    /// Numbers that are taken at a time.
    const MANY: u32 = if cfg!(loom) { 2 } else { 64 };

    /// Gives up the numbers that are left.
    pub fn give_up(&mut self) -> std::ops::Range<u32> {
        let left = self.left();
        *self = Reserve::default();
        left
    }

    /// The numbers that are left.
    pub fn left(&self) -> std::ops::Range<u32> {
        self.next..self.end
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.end
    }

    /// The next of the numbers that are left.
    pub(crate) fn take(&mut self) -> u32 {
        debug_assert!(!self.is_empty(), "refilled before");
        self.next += 1;
        self.next - 1
    }
}

/// Its own cache lines: it changes with every new row.
#[derive(Debug)]
#[repr(align(128))]
struct Length(AtomicU64);

#[derive(Debug)]
enum Segments {
    /// Rows of whole words.
    Words(Pieces<AtomicU64>),
    /// Rows of an odd number of halves.
    Halves(Pieces<AtomicU32>),
}

#[derive(Debug)]
pub(crate) struct Rows {
    segments: Segments,
    /// Words or halves of a row, whichever the segments have.
    stride: usize,
    /// A segment has `1 << shift` rows.
    shift: u32,
    length: Length,
}

#[inline]
fn low(word: u64) -> u32 {
    word as u32
}

#[inline]
fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Rows {
    /// The numbers above have a meaning in the slots of the index.
    pub(crate) const MOST: u64 = 0xffff_fdff;

    pub(crate) fn new(width: Width, budget: &Budget) -> Result<Rows, StoreError> {
        let halves = width.halves();
        let row_bytes = halves * 4;
        let rows = segment_bytes(budget.limit()).div_ceil(row_bytes).next_power_of_two();
        let shift = rows.ilog2();
        let affordable = budget.limit() / row_bytes;
        let most = usize::try_from(Rows::MOST).unwrap_or(usize::MAX).min(affordable);
        // The model checker makes every one of the pointers, for each interleaving.
        let pieces = if cfg!(loom) { 4 } else { most.div_ceil(rows) };
        let (segments, stride) = if halves.is_multiple_of(2) {
            let stride = halves / 2;
            let shape = Shape::Even(stride << shift);
            (Segments::Words(Pieces::new(shape, pieces, 0, budget)?), stride)
        } else {
            let shape = Shape::Even(halves << shift);
            (Segments::Halves(Pieces::new(shape, pieces, 0, budget)?), halves)
        };
        Ok(Rows { segments, stride, shift, length: Length(AtomicU64::new(0)) })
    }

    /// How many numbers have been given out.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.length.0.load(Ordering::Relaxed)
    }

    /// Makes room for the next row, unless another thread takes it first.
    #[inline]
    pub(crate) fn make_room(&self, budget: &Budget) -> Result<(), StoreError> {
        self.room_for(self.len(), budget)
    }

    #[inline]
    fn room_for(&self, number: u64, budget: &Budget) -> Result<(), StoreError> {
        if number >= Rows::MOST {
            return Err(StoreError::Numbers);
        }
        let piece = (number >> self.shift) as usize;
        let budget_ran_out = |full: StoreError| match full {
            // There are pointers for all rows that the limit can pay for.
            StoreError::Numbers => StoreError::Budget { limit: budget.limit() },
            other => other,
        };
        match &self.segments {
            Segments::Words(pieces) if pieces.get(piece).is_none() => pieces.add(piece, budget),
            Segments::Halves(pieces) if pieces.get(piece).is_none() => pieces.add(piece, budget),
            _ => return Ok(()),
        }
        .map_err(budget_ran_out)
    }

    /// The next number, with room for its row.
    #[inline]
    pub(crate) fn take(&self, budget: &Budget) -> Result<u32, StoreError> {
        self.take_some(1, budget)
    }

    /// The first of the next few numbers, with room for their rows.
    ///
    /// Relaxed: only the numbers are passed on here. A reader of a row got its number from a slot of the
    /// index, or from a thread that did.
    #[inline]
    fn take_some(&self, count: u32, budget: &Budget) -> Result<u32, StoreError> {
        let mut next = self.len();
        loop {
            let end = next + u64::from(count);
            self.room_for(end - 1, budget)?;
            match self.length.0.compare_exchange_weak(
                next,
                end,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(next as u32),
                Err(now) => next = now,
            }
        }
    }

    /// Makes the next segment once half of the present one is taken, so that threads need not wait for each
    /// other at its end. The first ones are made when they are needed: most tables are small.
    fn look_ahead(&self, next: u64, end: u64, budget: &Budget) {
        let half = 1 << self.shift >> 1;
        let is_half = (next + half) >> self.shift != (end + half) >> self.shift;
        if is_half && next >> self.shift >= EAGER {
            // There is another chance to be refused when it is needed.
            let _ = self.room_for(end + half, budget);
        }
    }

    /// Refills a reserve that is used up.
    #[cold]
    pub(crate) fn refill(&self, reserve: &mut Reserve, budget: &Budget) -> Result<(), StoreError> {
        let many = self.take_some(Reserve::MANY, budget).map(|first| {
            self.look_ahead(u64::from(first), u64::from(first + Reserve::MANY), budget);
            (first, Reserve::MANY)
        });
        let (first, count) = many.or_else(|_| Ok((self.take_some(1, budget)?, 1)))?;
        *reserve = Reserve { next: first, end: first + count };
        Ok(())
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        let piece = number >> self.shift;
        let offset = number & ((1 << self.shift) - 1);
        (piece as usize, offset as usize * self.stride)
    }

    #[inline]
    fn cells<'a, T: crate::memory::Zeroable>(
        &self,
        pieces: &'a Pieces<T>,
        number: u32,
    ) -> Option<&'a [T]> {
        let (piece, offset) = self.place(number);
        pieces.get(piece)?.get(offset..offset + self.stride)
    }

    /// Stores the row of a number that was just taken.
    ///
    /// The words are written relaxed; the number is published with release afterwards.
    #[inline]
    pub(crate) fn write(&self, number: u32, row: &[u64]) {
        match &self.segments {
            Segments::Words(pieces) => {
                let cells = self.cells(pieces, number).expect("it was taken");
                for (cell, &word) in cells.iter().zip(row) {
                    cell.store(word, Ordering::Relaxed);
                }
            }
            Segments::Halves(pieces) => {
                let cells = self.cells(pieces, number).expect("it was taken");
                for (pair, &word) in cells.chunks(2).zip(row) {
                    pair[0].store(low(word), Ordering::Relaxed);
                    if let Some(cell) = pair.get(1) {
                        cell.store(high(word), Ordering::Relaxed);
                    }
                }
            }
        }
    }

    /// Whether there is room for the number's row; it is copied then.
    #[inline]
    pub(crate) fn read(&self, number: u32, row: &mut [u64]) -> bool {
        match &self.segments {
            Segments::Words(pieces) => {
                let Some(cells) = self.cells(pieces, number) else { return false };
                for (cell, word) in cells.iter().zip(row) {
                    *word = cell.load(Ordering::Relaxed);
                }
            }
            Segments::Halves(pieces) => {
                let Some(cells) = self.cells(pieces, number) else { return false };
                for (pair, word) in cells.chunks(2).zip(row) {
                    let upper = pair.get(1).map_or(0, |cell| cell.load(Ordering::Relaxed));
                    *word = u64::from(pair[0].load(Ordering::Relaxed)) | u64::from(upper) << 32;
                }
            }
        }
        true
    }

    #[inline]
    pub(crate) fn equal(&self, number: u32, row: &[u64]) -> bool {
        match &self.segments {
            Segments::Words(pieces) => self.cells(pieces, number).is_some_and(|cells| {
                let mut pairs = cells.iter().zip(row);
                pairs.all(|(cell, &word)| cell.load(Ordering::Relaxed) == word)
            }),
            Segments::Halves(pieces) => self.cells(pieces, number).is_some_and(|cells| {
                cells.chunks(2).zip(row).all(|(pair, &word)| {
                    pair[0].load(Ordering::Relaxed) == low(word)
                        && pair.get(1).is_none_or(|cell| cell.load(Ordering::Relaxed) == high(word))
                })
            }),
        }
    }

    /// Asks for the first line of a row.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        match &self.segments {
            Segments::Words(pieces) => {
                if let Some(cells) = self.cells(pieces, number) {
                    prefetch(&cells[0]);
                }
            }
            Segments::Halves(pieces) => {
                if let Some(cells) = self.cells(pieces, number) {
                    prefetch(&cells[0]);
                }
            }
        }
    }
}
