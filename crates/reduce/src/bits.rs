//! Sets of small numbers.

/// A set of numbers below a bound that is given when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below a bound.
    pub(crate) fn new(bound: usize) -> Bits {
        Bits(vec![0; bound.div_ceil(64)])
    }

    /// Adds a number; whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        let word = &mut self.0[number / 64];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Adds all numbers, and perhaps some beyond the bound.
    pub(crate) fn fill(&mut self) {
        self.0.fill(u64::MAX);
    }

    /// The numbers, in order; perhaps some beyond the bound after [`Bits::fill`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether both have a number in common.
    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(one, two)| one & two != 0)
    }

    /// Adds the numbers of another set; whether some are new.
    pub(crate) fn join(&mut self, other: &Bits) -> bool {
        let mut grown = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }

    /// Adds the numbers of another set that are not in a third one.
    pub(crate) fn join_without(&mut self, other: &Bits, without: &Bits) {
        for ((word, more), less) in self.0.iter_mut().zip(&other.0).zip(&without.0) {
            *word |= more & !less;
        }
    }
}
