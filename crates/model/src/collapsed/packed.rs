//! The same from row to row, without numbers.

use std::mem::swap;

use fairly_omega::StateId;
use fairly_system::{AtomIndex, Fault, Packed, Steps};

use super::Collapsed;

impl Packed for Collapsed {
    fn width(&self) -> usize {
        self.inner.layout().words
    }

    fn first_row(&mut self) -> Result<Vec<u64>, Fault> {
        self.inner.first_row().map_err(|fault| *fault)
    }

    fn expand_row(&mut self, row: &[u64], out: &mut Steps) {
        if self.holds {
            self.pass_through(row, None);
        } else {
            self.inner.expand(row, &mut self.ends);
        }
        swap(out, &mut self.ends);
    }

    fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool {
        self.inner.row_holds(row, atom)
    }

    fn number(&mut self, row: &[u64]) -> StateId {
        self.inner.intern(row)
    }
}
