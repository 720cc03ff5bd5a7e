//! Unions of interned sets of marks.

use fairly_omega::{MarkSet, MarkSetId, MarkTable};

/// Bits of the number of unions that are remembered: at first, so that the table fits into a
/// processor's cache, and at the most.
const BITS: std::ops::RangeInclusive<u32> = 10..=18;

/// Sets of marks, and the unions of two of them.
pub(super) struct Joins {
    sets: MarkTable,
    /// Two sets and their union, where the two say. A look there is a few instructions; making the
    /// union again and finding its number costs ten times as much. Not all are kept: where the states
    /// have many different sets, that would be more memory than the states take.
    recent: Box<[[MarkSetId; 3]]>,
    /// Bits of its length.
    bits: u32,
}

impl Joins {
    pub(super) fn new() -> Self {
        let bits = *BITS.start();
        Joins { sets: MarkTable::new(), recent: forgotten(bits), bits }
    }

    /// The id of a set.
    pub(super) fn intern(&mut self, set: MarkSet) -> MarkSetId {
        self.sets.intern(set)
    }

    /// The set with this id.
    pub(super) fn get(&self, id: MarkSetId) -> &MarkSet {
        self.sets.get(id)
    }

    /// The union of two sets.
    #[inline]
    pub(super) fn join(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
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
            self.recent = forgotten(self.bits);
        }
        let slot = self.slot(a, b);
        self.recent[slot] = [a, b, union];
        union
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.sets.bytes() + size_of_val(&*self.recent)
    }
}

/// A table in which nothing is remembered. The union of twice the empty set is the empty set: true
/// wherever it stands.
fn forgotten(bits: u32) -> Box<[[MarkSetId; 3]]> {
    vec![[MarkSetId::EMPTY; 3]; 1 << bits].into()
}

#[cfg(test)]
mod tests {
    use fairly_omega::Mark;

    use super::*;

    #[test]
    fn unions_are_those_of_the_sets() {
        let mut joins = Joins::new();
        let ids: Vec<MarkSetId> = (0..64u32)
            .map(|bits| {
                let marks = (0..6).filter(|bit| bits >> bit & 1 == 1);
                joins.intern(marks.map(Mark).collect())
            })
            .collect();
        for _ in 0..2 {
            for (a, &one) in ids.iter().enumerate() {
                for (b, &other) in ids.iter().enumerate() {
                    assert_eq!(joins.join(one, other), ids[a | b]);
                }
            }
        }
    }
}
