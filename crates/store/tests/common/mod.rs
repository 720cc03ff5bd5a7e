//! Random numbers with seeds that are printed, rows made from them, and bad hashes.

use fairly_store::{Rapid, RowHash};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Small numbers far more often than large ones: rows repeat.
    pub(crate) fn skewed(&mut self, bound: u64) -> u64 {
        let bits = 64 - bound.leading_zeros();
        let bits = 1 + self.below(bits.into());
        self.below(bound) & (u64::MAX >> (64 - bits))
    }
}

/// The first seed, `FAIRLY_SEED` or 1.
pub(crate) fn seed() -> u64 {
    variable("FAIRLY_SEED").unwrap_or(1)
}

/// How many operations a random test makes, `FAIRLY_RANDOM_CASES` or what it says.
pub(crate) fn operations(usual: u64) -> u64 {
    variable("FAIRLY_RANDOM_CASES").unwrap_or(usual)
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// The row of a number: a different one for each, all bits within the width.
pub(crate) fn row(number: u64, bits: usize) -> Vec<u64> {
    let words = bits.div_ceil(64);
    let mask = u64::MAX >> ((64 - bits % 64) % 64);
    let mut row = vec![0; words];
    if bits < 64 {
        row[0] = number;
    } else {
        // A bijection of 64 bits in one word, and something that depends on it in the others.
        let mut random = Random(number);
        row.fill_with(|| random.next());
    }
    *row.last_mut().expect("a word") &= mask;
    if bits >= 64 {
        row[0] = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    row
}

/// Every row has the same hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant(pub(crate) u64);

impl RowHash for Constant {
    fn hash(&self, _: &[u64]) -> u64 {
        self.0
    }
}

/// Only some bits of the hash differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masked(pub(crate) u64);

impl RowHash for Masked {
    fn hash(&self, row: &[u64]) -> u64 {
        Rapid.hash(row) & self.0
    }
}
