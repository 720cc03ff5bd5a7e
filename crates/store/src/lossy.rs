//! Sets of states that keep less than the states, for finding faults: what they find is real, what they
//! do not find may exist.

use crate::memory::{Array, Budget};
use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::{Rapid, RowHash, States, StoreError};

/// How many bits of hash stand for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fingerprint {
    /// 32, and about as many again by the place where they are.
    Half,
    /// 64, which are all there are.
    Full,
}

/// Hash compaction: a fingerprint of each state, in a table of fixed size with linear probing.
///
/// It is full at a load of 7/8.
#[derive(Debug)]
pub struct Fingerprints<H = Rapid> {
    hasher: H,
    cells: Cells,
    /// Its cells.
    size: u64,
    length: Length,
    bytes: usize,
}

/// On its own cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Length(AtomicUsize);

#[derive(Debug)]
enum Cells {
    Half(Array<AtomicU32>),
    Full(Array<AtomicU64>),
}

enum Cell {
    /// Nothing was there; with `store`, now it is.
    Vacant,
    Same,
    Other,
}

impl Fingerprints<Rapid> {
    /// Takes as many cells as there is room for.
    ///
    /// # Errors
    /// If the system does not have that much, or there is no room for one.
    pub fn new(fingerprint: Fingerprint, limit: usize) -> Result<Fingerprints, StoreError> {
        Fingerprints::with_hasher(fingerprint, limit, Rapid)
    }
}

impl<H: RowHash> Fingerprints<H> {
    /// As [`Fingerprints::new`], with another hash.
    ///
    /// # Errors
    /// As there.
    pub fn with_hasher(
        fingerprint: Fingerprint,
        limit: usize,
        hasher: H,
    ) -> Result<Fingerprints<H>, StoreError> {
        let budget = Budget::new(limit);
        let (cells, size) = match fingerprint {
            // The place comes from 32 bits of the hash.
            Fingerprint::Half => {
                let size = (limit / 4).min(1 << 32);
                (Cells::Half(Array::zeroed(size, &budget)?), size)
            }
            Fingerprint::Full => {
                let size = limit / 8;
                (Cells::Full(Array::zeroed(size, &budget)?), size)
            }
        };
        if size == 0 {
            return Err(StoreError::Budget { limit });
        }
        let (size, length) = (size as u64, Length(AtomicUsize::new(0)));
        Ok(Fingerprints { hasher, cells, size, length, bytes: budget.used() })
    }

    /// Relaxed: a fingerprint is all that a cell says.
    fn cell(&self, at: u64, hash: u64, store: bool) -> Cell {
        let at = at as usize;
        // 0 is no fingerprint, so one of them is twice as likely.
        match &self.cells {
            Cells::Half(cells) => {
                let print = (hash as u32).max(1);
                let found = match cells[at].load(Ordering::Relaxed) {
                    0 if store => cells[at]
                        .compare_exchange(0, print, Ordering::Relaxed, Ordering::Relaxed)
                        .unwrap_or_else(|found| found),
                    found => found,
                };
                Cell::of(found.into(), print.into())
            }
            Cells::Full(cells) => {
                let print = hash.max(1);
                let found = match cells[at].load(Ordering::Relaxed) {
                    0 if store => cells[at]
                        .compare_exchange(0, print, Ordering::Relaxed, Ordering::Relaxed)
                        .unwrap_or_else(|found| found),
                    found => found,
                };
                Cell::of(found, print)
            }
        }
    }

    /// From the home on, up to the same fingerprint (`true`) or an empty cell (`false`).
    fn walk(&self, row: &[u64], store: bool) -> Option<bool> {
        let hash = self.hasher.hash(row);
        let mut at = match self.cells {
            // The upper half, which is not in the fingerprint.
            Cells::Half(_) => ((hash >> 32) * self.size) >> 32,
            // All of it, so the same state has the same home in a table of any size.
            Cells::Full(_) => ((u128::from(hash) * u128::from(self.size)) >> 64) as u64,
        };
        for _ in 0..self.size {
            match self.cell(at, hash, store) {
                Cell::Vacant => return Some(false),
                Cell::Same => return Some(true),
                Cell::Other => at = if at + 1 == self.size { 0 } else { at + 1 },
            }
        }
        None
    }
}

impl Cell {
    fn of(found: u64, print: u64) -> Cell {
        match found {
            0 => Cell::Vacant,
            found if found == print => Cell::Same,
            _ => Cell::Other,
        }
    }
}

impl<H: RowHash> States for Fingerprints<H> {
    fn insert(&self, row: &[u64]) -> Result<bool, StoreError> {
        // Threads may pass the check together; the eighth that is left is enough for them.
        let full = self.len() as u64 >= self.size - self.size.div_ceil(8);
        let full = if full { Some(StoreError::Budget { limit: self.bytes }) } else { None };
        match (self.walk(row, full.is_none()), full) {
            (Some(true), _) => Ok(false),
            (Some(false), None) => {
                self.length.0.fetch_add(1, Ordering::Relaxed);
                Ok(true)
            }
            (_, Some(full)) => Err(full),
            (None, None) => Err(StoreError::Budget { limit: self.bytes }),
        }
    }

    fn contains(&self, row: &[u64]) -> bool {
        self.walk(row, false) == Some(true)
    }

    fn len(&self) -> usize {
        self.length.0.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    /// A state that is new is compared with the fingerprints between its home and the next empty cell:
    /// `(1/(1-a)² - 1)/2` of them at load `a`, by Knuth's analysis of linear probing. The sum over all
    /// insertions is the integral. Each comparison fails to tell two states apart once in 2^32. With
    /// 64 bits the place says nothing new, and any two states are the same once in 2^64.
    fn expected_omissions(&self) -> f64 {
        let (count, size) = (self.len() as f64, self.size as f64);
        match self.cells {
            Cells::Half(_) => {
                let load = count / size;
                size * load * load / (2.0 * (1.0 - load)) / 2f64.powi(32)
            }
            Cells::Full(_) => count * (count - 1.0).max(0.0) / 2f64.powi(65),
        }
    }
}

/// Bitstate hashing: a state is a few bits in one large array, and is taken to be there if all of them
/// are set. It is never full; it omits more and more.
///
/// Two threads that insert the same state at the same moment may both be told that it is new.
#[derive(Debug)]
pub struct Bitstate<H = Rapid> {
    hasher: H,
    words: Array<AtomicU64>,
    /// How many bits a state sets.
    hashes: u32,
    length: Length,
    bytes: usize,
}

impl Bitstate<Rapid> {
    /// All bits of the limit; a state sets `hashes` of them. Spin's default is 3.
    ///
    /// # Errors
    /// If the system does not have that much, or there is no room for one word.
    ///
    /// # Panics
    /// If `hashes` is 0.
    pub fn new(hashes: u32, limit: usize) -> Result<Bitstate, StoreError> {
        Bitstate::with_hasher(hashes, limit, Rapid)
    }
}

impl<H: RowHash> Bitstate<H> {
    /// As [`Bitstate::new`], with another hash.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn with_hasher(hashes: u32, limit: usize, hasher: H) -> Result<Bitstate<H>, StoreError> {
        assert!(hashes > 0, "a state sets no bits");
        let budget = Budget::new(limit);
        let words = Array::zeroed(limit / 8, &budget)?;
        if words.is_empty() {
            return Err(StoreError::Budget { limit });
        }
        let length = Length(AtomicUsize::new(0));
        Ok(Bitstate { hasher, words, hashes, length, bytes: budget.used() })
    }

    /// The bits of a state: `a + i b` and a term that grows with `i`, all from one hash (enhanced double
    /// hashing, Dillinger and Manolios), so that states that share two bits need not share all.
    fn bits(&self, row: &[u64]) -> impl Iterator<Item = (usize, u64)> {
        let size = self.words.len() as u128 * 64;
        let hash = self.hasher.hash(row);
        // An odd multiplier with no pattern: the second hash must not be a shift of the first.
        let second = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut state = (hash, second);
        (0..u64::from(self.hashes)).map(move |i| {
            let bit = ((u128::from(state.0) * size) >> 64) as u64;
            state.0 = state.0.wrapping_add(state.1);
            state.1 = state.1.wrapping_add(i << 32 | i);
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

impl<H: RowHash> States for Bitstate<H> {
    fn insert(&self, row: &[u64]) -> Result<bool, StoreError> {
        let mut new = false;
        for (word, bit) in self.bits(row) {
            // Most bits of most states are set already, and reading does not take the line away from
            // other threads.
            if self.words[word].load(Ordering::Relaxed) & bit == 0 {
                new |= self.words[word].fetch_or(bit, Ordering::Relaxed) & bit == 0;
            }
        }
        if new {
            self.length.0.fetch_add(1, Ordering::Relaxed);
        }
        Ok(new)
    }

    fn contains(&self, row: &[u64]) -> bool {
        self.bits(row).all(|(word, bit)| self.words[word].load(Ordering::Relaxed) & bit != 0)
    }

    fn len(&self) -> usize {
        self.length.0.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    /// With `n` states in `m` bits, a bit is set with probability `p = 1 - e^(-kn/m)` and a new state
    /// is omitted with probability `p^k`. The estimate sums over how the array filled up: each state
    /// that was told to be new stands for `1 / (1 - p^k)` that were.
    fn expected_omissions(&self) -> f64 {
        const STEPS: u32 = 256;
        let (k, m) = (f64::from(self.hashes), self.words.len() as f64 * 64.0);
        let step = self.len() as f64 / f64::from(STEPS);
        let omitted = |i: u32| {
            let n = (f64::from(i) + 0.5) * step;
            let p = (-(-k * n / m).exp_m1()).powf(k);
            step * p / (1.0 - p).max(f64::MIN_POSITIVE)
        };
        (0..STEPS).map(omitted).sum()
    }
}
