//! Sets of marks and their unions.

use std::borrow::Cow;

use fairly_omega::{Mark, MarkSet, MarkSetId, MarkTable};

/// So many marks have a bit each in an id.
const FEW: u32 = u32::BITS;

/// Bits of the number of unions that are remembered: at first, so that the table fits into a
/// processor's cache, and at the most.
const BITS: std::ops::RangeInclusive<u32> = 10..=18;

/// Sets of marks, and the unions of two of them.
pub(super) enum Joins {
    /// An id is the set itself: nothing is kept, and a union is one instruction.
    Few,
    /// An id is a number in a table.
    Many(Table),
}

impl Joins {
    /// For marks below `end`.
    pub(super) fn new(end: Mark) -> Self {
        if end.0 <= FEW { Joins::Few } else { Joins::Many(Table::new()) }
    }

    /// Whether an id is the set itself.
    pub(super) fn are_few(&self) -> bool {
        matches!(self, Joins::Few)
    }

    /// The id of a set.
    pub(super) fn intern(&mut self, set: MarkSet) -> MarkSetId {
        match self {
            Joins::Few => {
                let bits = set.bits().and_then(|bits| u32::try_from(bits).ok());
                MarkSetId::of_bits(bits.expect("the marks are below the end"))
            }
            Joins::Many(table) => table.sets.intern(set),
        }
    }

    /// The set with this id.
    pub(super) fn get(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        match self {
            Joins::Few => Cow::Owned(MarkSet::of_bits(id.bits().into())),
            Joins::Many(table) => Cow::Borrowed(table.sets.get(id)),
        }
    }

    /// Adds the set with this id to another.
    #[inline]
    pub(super) fn add_to(&self, id: MarkSetId, set: &mut MarkSet) {
        match self {
            Joins::Few => set.union_with(&MarkSet::of_bits(id.bits().into())),
            Joins::Many(table) => set.union_with(table.sets.get(id)),
        }
    }

    /// The union of two sets.
    #[inline]
    pub(super) fn join(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        match self {
            Joins::Few => MarkSetId::of_bits(a.bits() | b.bits()),
            Joins::Many(table) => table.join(a, b),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Joins::Few => 0,
            Joins::Many(table) => table.sets.bytes() + size_of_val(&*table.recent),
        }
    }
}

/// Sets that are numbered, and some of their unions.
pub(super) struct Table {
    sets: MarkTable,
    /// Two sets and their union, where the two say. A look there is a few instructions; making the
    /// union again and finding its number costs ten times as much. Not all are kept: where the states
    /// have many different sets, that would be more memory than the states take.
    recent: Box<[[MarkSetId; 3]]>,
    /// Bits of its length.
    bits: u32,
}

impl Table {
    fn new() -> Self {
        let bits = *BITS.start();
        Table { sets: MarkTable::new(), recent: dead_resets(bits), bits }
    }

    #[inline]
    fn join(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        if a == b || b == MarkSetId::EMPTY {
            return a;
        }
        if a == MarkSetId::EMPTY {
            return b;
        }
        let slot = self.slot(a, b);
        let [first, second, union] = self.recent[slot];
        if (first, second) == (a, b) { union } else { self.join_again(a, b) }
    }

    /// Where a union is remembered: the upper bits of a product, which depend on all bits of both.
    fn slot(&self, a: MarkSetId, b: MarkSetId) -> usize {
        let both = (a.index() as u64) << 32 | b.index() as u64;
        (both.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - self.bits)) as usize
    }

    fn join_again(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        let both = self.sets.get(a).union(self.sets.get(b));
        let union = self.sets.intern(both);
        if self.sets.len() > self.recent.len() / 2 && self.bits < *BITS.end() {
            self.bits += 1;
            self.recent = dead_resets(self.bits);
        }
        let slot = self.slot(a, b);
        self.recent[slot] = [a, b, union];
        union
    }
}

/// A table in which nothing is remembered. The union of twice the empty set is the empty set: true
/// wherever it stands.
fn dead_resets(bits: u32) -> Box<[[MarkSetId; 3]]> {
    vec![[MarkSetId::EMPTY; 3]; 1 << bits].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_are_those_of_the_sets() {
        for end in [FEW, FEW + 1, 500] {
            let mut joins = Joins::new(Mark(end));
            assert_eq!(joins.are_few(), end == FEW);
            let sets: Vec<MarkSet> = (0..64u32)
                .map(|bits| {
                    let marks = (0..6).filter(|bit| bits >> bit & 1 == 1);
                    marks.map(|bit| Mark(end - 1 - bit)).collect()
                })
                .collect();
            let ids: Vec<MarkSetId> = sets.iter().map(|set| joins.intern(set.clone())).collect();
            for _ in 0..2 {
                for (a, &one) in ids.iter().enumerate() {
                    for (b, &other) in ids.iter().enumerate() {
                        let both = joins.join(one, other);
                        assert_eq!(both, ids[a | b]);
                        assert_eq!(*joins.get(both), sets[a | b]);
                        let mut added = sets[a].clone();
                        joins.add_to(other, &mut added);
                        assert_eq!(added, sets[a | b]);
                    }
                }
            }
        }
    }
}
