//! A small generator of pseudo-random numbers, the same on every machine and in every release.
//!
//! Tests print the seed of the case that failed, so a seed must mean the same case for ever. That
//! rules out generators whose stream may change with a crate's version; this one (splitmix64: a
//! counter with a mixing function) is short enough to own.

/// A seeded stream of pseudo-random numbers. Not for secrets.
///
/// ```
/// use fairly_testkit::Rng;
/// let (mut one, mut two) = (Rng::new(7), Rng::new(7));
/// assert_eq!(one.next_u64(), two.next_u64());
/// assert!(one.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of this seed. Neighbouring seeds give unrelated streams.
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
    }

    /// The next number, over the whole range.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`. The remainder's bias is below 2⁻³² for every `n` a test uses.
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "no number is below zero");
        (self.next_u64() % n as u64) as usize
    }

    /// True in `numerator` of `denominator` cases.
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.below(denominator as usize) < numerator as usize
    }

    /// One of the items.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.next_u64(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn every_value_comes_up() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[rng.below(6)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 60), "{seen:?}");
        let heads = (0..1000).filter(|_| rng.chance(1, 4)).count();
        assert!((180..320).contains(&heads), "{heads}");
    }
}
