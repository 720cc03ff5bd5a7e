//! Arrays that any thread makes longer, in pieces that stay where they are.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements of the first piece. Each one is as long as all before it together, up to [`MOST`].
const FIRST: usize = 1 << 12;
/// Elements of every later piece: few enough that a thread fills one with its first values quickly.
const MOST: usize = 1 << 18;
/// Pieces that are not of [`MOST`] elements.
const SHORT: usize = (MOST.ilog2() - FIRST.ilog2()) as usize;
/// Elements in them together.
const BEFORE: usize = MOST - FIRST;
/// Pieces for all numbers of 32 bits.
const PIECES: usize = SHORT + (1 << 32 >> MOST.ilog2());

/// An array with a place for each number of 32 bits; pieces are made when they are needed.
#[derive(Debug)]
pub(crate) struct Growing<T> {
    pieces: Box<[OnceLock<Box<[T]>>]>,
    bytes: AtomicUsize,
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        let pieces = std::iter::repeat_with(OnceLock::new).take(PIECES).collect();
        Growing { pieces, bytes: AtomicUsize::new(0) }
    }
}

impl<T> Growing<T> {
    /// The piece of a number, its place there, and how long the piece is.
    #[inline]
    fn place(number: usize) -> (usize, usize, usize) {
        if number >= BEFORE {
            let beyond = number - BEFORE;
            return (SHORT + beyond / MOST, beyond % MOST, MOST);
        }
        let shifted = number + FIRST;
        let piece = (shifted.ilog2() - FIRST.ilog2()) as usize;
        (piece, shifted - (FIRST << piece), FIRST << piece)
    }

    /// The element of a number, if its piece is there.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        let (piece, place, _) = Self::place(number);
        Some(&self.pieces[piece].get()?[place])
    }

    /// The element of a number. A thread that asks for the middle of a piece makes the next one, so that others need not
    /// wait for that.
    #[inline]
    pub(crate) fn get_or_add(&self, number: usize, new: impl Fn() -> T) -> &T {
        let (piece, place, length) = Self::place(number);
        let here = self.piece(piece, length, &new);
        if place == length / 2 && length == MOST && piece + 1 < PIECES {
            self.piece(piece + 1, MOST, &new);
        }
        &here[place]
    }

    #[inline]
    fn piece(&self, piece: usize, length: usize, new: &impl Fn() -> T) -> &[T] {
        self.pieces[piece].get_or_init(|| {
            self.bytes.fetch_add(length * size_of::<T>(), Ordering::Relaxed);
            std::iter::repeat_with(new).take(length).collect()
        })
    }

    /// Bytes of the pieces.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut last = (0, 0, FIRST);
        for number in 1..4 * MOST {
            let now = Growing::<u32>::place(number);
            let follows = (now.0 == last.0 && now.1 == last.1 + 1)
                || (now.0 == last.0 + 1 && now.1 == 0 && last.1 + 1 == last.2);
            assert!(follows && now.1 < now.2, "{number}: {now:?} after {last:?}");
            last = now;
        }
        assert_eq!(Growing::<u32>::place(u32::MAX as usize).0, PIECES - 1);
    }
}
