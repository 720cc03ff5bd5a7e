//! The quotient of a space by a symmetry.

use std::sync::{Mutex, PoisonError};

use fairly_omega::Stop;
use fairly_system::{ActionId, FaultKind, Scratch, Space, Steps, delegate_space};

use crate::symmetry::{PermutationId, Symmetry};

/// Words of rows that are made canonical between two questions whether to stop.
const ASKED: usize = 1 << 12;

/// A space in which one row stands for all that are the same up to a permutation of processes, and one step for all
/// that are the same in a row.
pub struct Quotient<S> {
    inner: S,
    symmetry: Symmetry,
    /// Rows that were expanded, and how many of the system they stand for together.
    counted: Mutex<(usize, f64)>,
}

/// Memory for one worker.
struct Work {
    inner: Scratch,
    batch: Steps,
    kept: Steps,
    symmetry: Symmetry,
    /// Words of rows that were made canonical since it was last asked whether to stop.
    words: usize,
}

impl<S: Space> Quotient<S> {
    /// Of a space in which processes can be permuted so.
    pub fn new(inner: S, symmetry: Symmetry) -> Quotient<S> {
        Quotient { inner, symmetry, counted: Mutex::new((0, 0.0)) }
    }

    /// Slots and values that can be permuted.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// How many rows of the system one has stood for, on average; or somewhat more, where processes know each
    /// other's numbers.
    pub fn stood_for(&self) -> f64 {
        let (rows, all) = *self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if rows == 0 { 1.0 } else { all / rows as f64 }
    }

    /// Makes `out` the steps out of a row, and gives what is permuted after each, by the numbers that `symmetry`
    /// gives to permutations; a step in which something goes wrong permutations nothing.
    pub fn permutations(
        &self,
        row: &[u64],
        scratch: &mut Scratch,
        symmetry: &mut Symmetry,
        out: &mut Steps,
    ) -> Vec<PermutationId> {
        let Work { inner, batch, .. } = scratch.of::<Work>();
        batch.clear();
        self.inner.expand(row, inner, batch);
        out.clear();
        out.take_from(batch, 0..batch.actions.len(), row.len());
        self.reduce(row, symmetry, (Stop::default(), &mut 0), out);
        symmetry.permutations().to_vec()
    }

    /// Keeps the steps of a row that stand for others, and leads them to the rows that do.
    fn reduce(
        &self,
        row: &[u64],
        symmetry: &mut Symmetry,
        (stop, words): (Stop, &mut usize),
        steps: &mut Steps,
    ) {
        symmetry.turn_to(row);
        let signature = self.inner.signature();
        let actions = std::mem::take(&mut steps.actions);
        let keeps = |action: &ActionId| symmetry.keeps(&signature.action(*action).participants);
        let mut kept: Vec<bool> = actions.iter().map(keeps).collect();
        steps.actions = actions;
        // A limit that was reached in one step, or at one time, was not reached in all steps that it stands for.
        for (at, fault) in &steps.faults {
            kept[*at] |= fault.kind == FaultKind::Limit;
        }
        if kept.contains(&false) {
            steps.retain(row.len(), |at| kept[at]);
        }
        let faults = &steps.faults;
        let mut is_stopped = false;
        for (at, row) in steps.rows.chunks_exact_mut(row.len()).enumerate() {
            *words += row.len();
            if *words >= ASKED {
                *words = 0;
                is_stopped = stop.is_due();
                if is_stopped {
                    break;
                }
            }
            match faults.iter().any(|(faulty, _)| *faulty == at) {
                true => symmetry.leave(),
                false => symmetry.make_canonical(row),
            }
        }
        if is_stopped {
            steps.stop(0, steps.actions[0], row.len());
        }
    }
}

impl<S: Space> Space for Quotient<S> {
    delegate_space!(inner, Work);

    fn scratch(&self) -> Scratch {
        let [batch, kept] = [Steps::default(), Steps::default()];
        let symmetry = self.symmetry.for_worker();
        Scratch::new(Work { inner: self.inner.scratch(), batch, kept, symmetry, words: 0 })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        let Work { inner, kept, symmetry, .. } = scratch.of::<Work>();
        kept.clear();
        self.inner.initial(inner, kept);
        let width = self.inner.width();
        for (at, row) in kept.rows.chunks_exact_mut(width).enumerate() {
            if !kept.faults.iter().any(|(faulty, _)| *faulty == at) {
                symmetry.make_canonical(row);
            }
        }
        out.append(kept, width);
        out.end_row();
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let stop = scratch.stop;
        let Work { inner, batch, kept, symmetry, words } = scratch.of::<Work>();
        inner.stop = stop;
        let width = self.inner.width();
        batch.clear();
        self.inner.expand(rows, inner, batch);
        let first = out.ends.len();
        for (row, of) in rows.chunks_exact(width).zip(batch.by_row()) {
            kept.take_from(batch, of, width);
            self.reduce(row, symmetry, (stop, &mut *words), kept);
            out.append(kept, width);
            out.end_row();
        }
        out.omitted.extend(batch.omitted.iter().map(|&(row, action)| (first + row, action)));
        out.committed.extend(batch.committed.iter().map(|row| first + row));
        let (rows, all) = symmetry.take_counts();
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = (counted.0 + rows, counted.1 + all);
        drop(counted);
        let bytes = inner.bytes;
        scratch.bytes = bytes;
    }
}
