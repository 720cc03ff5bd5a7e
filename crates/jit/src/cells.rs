//! Cells that threads share.

use std::array;
use std::sync::OnceLock;

/// As many cells as are asked for, by number. They are made in blocks, each twice as long as the one
/// before, and stay where they are, so finding one takes no lock.
pub(crate) struct Cells<T> {
    blocks: [OnceLock<Box<[T]>>; BLOCKS],
}

/// Cells of the first block.
const FIRST: usize = 16;
/// Enough for all numbers of 32 bits.
const BLOCKS: usize = 29;

impl<T: Default> Cells<T> {
    pub(crate) fn new() -> Cells<T> {
        Cells { blocks: array::from_fn(|_| OnceLock::new()) }
    }

    /// The cell with a number of less than 32 bits.
    #[inline]
    pub(crate) fn at(&self, number: usize) -> &T {
        let at = number + FIRST;
        let block = (at / FIRST).ilog2();
        let length = FIRST << block;
        let make = || (0..length).map(|_| T::default()).collect();
        &self.blocks[block as usize].get_or_init(make)[at - length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_cell_of_its_own() {
        let cells = Cells::<OnceLock<usize>>::new();
        for number in 0..1000 {
            assert_eq!(cells.at(number).set(number), Ok(()));
        }
        assert!((0..1000).all(|number| cells.at(number).get() == Some(&number)));
        let made = cells.blocks.iter().filter_map(OnceLock::get).map(|block| block.len());
        assert_eq!(made.sum::<usize>(), 1008);
        assert_eq!((u32::MAX as usize / FIRST + 1).ilog2() as usize, BLOCKS - 1);
    }
}
