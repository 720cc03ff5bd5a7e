//! Sets of small numbers.

use fixedbitset::FixedBitSet;

/// A set of numbers below a bound that is given when it is made. Two sets that are compared or joined have the same
/// bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(FixedBitSet);

impl Bits {
    /// The empty set of numbers below a bound.
    pub(crate) fn new(bound: usize) -> Bits {
        Bits(FixedBitSet::with_capacity(bound))
    }

    /// Adds a number; whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        !self.0.put(number)
    }

    /// Adds all numbers.
    pub(crate) fn fill(&mut self) {
        self.0.insert_range(..);
    }

    /// The numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.ones()
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.contains(number)
    }

    /// Whether both have a number in common.
    pub(crate) fn meets(&self, other: &Bits) -> bool {
        // Most sets have one word, and this is asked for every pair of steps: an iterator over blocks costs more.
        let (one, other) = (self.0.as_slice(), other.0.as_slice());
        one.iter().zip(other).any(|(one, other)| one & other != 0)
    }

    /// Adds the numbers of another set; whether some are new.
    pub(crate) fn join(&mut self, other: &Bits) -> bool {
        let grows = !other.0.is_subset(&self.0);
        self.0.union_with(&other.0);
        grows
    }

    /// Adds the numbers of another set that are not in a third one.
    pub(crate) fn join_without(&mut self, other: &Bits, without: &Bits) {
        self.0.extend(other.0.difference(&without.0));
    }
}
