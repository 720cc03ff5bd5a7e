//! Acceptance marks and sets of them, of any width.
//!
//! A mark is what an edge carries for the acceptance condition ("belongs to acceptance set 3").
//! [`MarkSet`] is a set of marks as a value; [`MarkTable`] interns sets, so that an edge holds
//! only a four-byte [`MarkSetId`]. The *condition* over marks is in [`crate::acceptance`].
//!
//! The width is dynamic: a strong-fairness constraint per process needs two marks each, and fixed
//! widths are what other tools ran into. The first 128 marks (64 Streett pairs) live in one
//! `u128`; the rest in a sorted list of 64-bit chunks, so that a set with the single mark
//! 4,000,000,000 costs sixteen bytes, not half a gigabyte: a hostile file cannot buy memory with
//! large numbers.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

fairly_source::ids! {
    /// One acceptance mark; prints as its number, as in HOA.
    Mark;
}

/// Marks below this number are kept in the fast word.
const LOW: u32 = 128;

/// A set of marks.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct MarkSet {
    low: u128,
    /// Chunk `(c, bits)` holds the marks `128 + 64 c ..`; sorted by `c`, no chunk is zero.
    high: Box<[(u32, u64)]>,
}

impl MarkSet {
    /// The empty set.
    pub fn new() -> Self {
        MarkSet::default()
    }

    /// Marks `0..count`.
    pub fn first(count: u32) -> Self {
        let low = if count >= LOW { u128::MAX } else { (1u128 << count) - 1 };
        let rest = count.saturating_sub(LOW);
        let mut high: Vec<(u32, u64)> = (0..rest / 64).map(|chunk| (chunk, u64::MAX)).collect();
        if !rest.is_multiple_of(64) {
            high.push((rest / 64, (1u64 << (rest % 64)) - 1));
        }
        MarkSet { low, high: high.into() }
    }

    /// Whether no mark is in the set.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// The set with the bits of a word as its members.
    pub fn of_bits(bits: u64) -> Self {
        MarkSet { low: bits.into(), ..MarkSet::default() }
    }

    /// The set as the bits of a word, where every mark has one.
    pub fn bits(&self) -> Option<u64> {
        u64::try_from(self.low).ok().filter(|_| self.high.is_empty())
    }

    /// How many marks are in the set.
    pub fn len(&self) -> usize {
        self.low.count_ones() as usize
            + self.high.iter().map(|&(_, bits)| bits.count_ones() as usize).sum::<usize>()
    }

    /// Whether `mark` is in the set.
    pub fn contains(&self, mark: Mark) -> bool {
        if mark.0 < LOW {
            return self.low >> mark.0 & 1 == 1;
        }
        let (chunk, bit) = ((mark.0 - LOW) / 64, (mark.0 - LOW) % 64);
        self.high
            .binary_search_by_key(&chunk, |&(c, _)| c)
            .is_ok_and(|at| self.high[at].1 >> bit & 1 == 1)
    }

    /// Adds one mark.
    pub fn insert(&mut self, mark: Mark) {
        if mark.0 < LOW {
            self.low |= 1 << mark.0;
            return;
        }
        let (chunk, bit) = ((mark.0 - LOW) / 64, (mark.0 - LOW) % 64);
        match self.high.binary_search_by_key(&chunk, |&(c, _)| c) {
            Ok(at) => self.high[at].1 |= 1 << bit,
            Err(at) => {
                let mut list = std::mem::take(&mut self.high).into_vec();
                list.insert(at, (chunk, 1 << bit));
                self.high = list.into();
            }
        }
    }

    /// Takes one mark out.
    pub fn remove(&mut self, mark: Mark) {
        let mut one = MarkSet::new();
        one.insert(mark);
        *self = self.difference(&one);
    }

    /// Adds every mark of `other`.
    pub fn union_with(&mut self, other: &MarkSet) {
        self.low |= other.low;
        if other.high.is_empty() {
            return;
        }
        // In the common case all chunks are there already and nothing is allocated.
        let mut missing = false;
        let mut at = 0;
        for &(chunk, bits) in &other.high {
            while at < self.high.len() && self.high[at].0 < chunk {
                at += 1;
            }
            if at < self.high.len() && self.high[at].0 == chunk {
                self.high[at].1 |= bits;
            } else {
                missing = true;
            }
        }
        if missing {
            self.high = merge(&self.high, &other.high, |a, b| a | b);
        }
    }

    /// The union as a new set.
    #[must_use]
    pub fn union(&self, other: &MarkSet) -> MarkSet {
        let mut all = self.clone();
        all.union_with(other);
        all
    }

    /// The marks of both.
    #[must_use]
    pub fn intersection(&self, other: &MarkSet) -> MarkSet {
        MarkSet { low: self.low & other.low, high: merge(&self.high, &other.high, |a, b| a & b) }
    }

    /// The marks of `self` that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &MarkSet) -> MarkSet {
        MarkSet { low: self.low & !other.low, high: merge(&self.high, &other.high, |a, b| a & !b) }
    }

    /// Whether some mark is in both.
    pub fn intersects(&self, other: &MarkSet) -> bool {
        if self.low & other.low != 0 {
            return true;
        }
        if self.high.is_empty() || other.high.is_empty() {
            return false;
        }
        !self.intersection(other).is_empty()
    }

    /// Whether every mark of `self` is in `other`.
    pub fn is_subset(&self, other: &MarkSet) -> bool {
        self.low & !other.low == 0
            && (self.high.is_empty() || self.difference(other).high.is_empty())
    }

    /// The marks in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + '_ {
        let low = self.low;
        let in_low = (0..LOW).filter(move |bit| low >> bit & 1 == 1);
        let in_high = self.high.iter().flat_map(|&(chunk, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| LOW + chunk * 64 + bit)
        });
        in_low.chain(in_high).map(Mark)
    }

    /// The set with every mark renumbered by `rename`; marks sent to `None` are dropped.
    #[must_use]
    pub fn map(&self, rename: impl FnMut(Mark) -> Option<Mark>) -> MarkSet {
        self.iter().filter_map(rename).collect()
    }

    /// The set with `by` added to the number of every mark.
    ///
    /// # Panics
    /// If a number would pass `u32::MAX`; widths are bounded far below that by all callers that add marks.
    #[must_use]
    pub fn shifted(&self, by: u32) -> MarkSet {
        if by == 0 || self.is_empty() {
            return self.clone();
        }
        self.map(|mark| Some(Mark(mark.0.checked_add(by).expect("mark number in range"))))
    }
}

impl FromIterator<Mark> for MarkSet {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Self {
        let mut set = MarkSet::new();
        let mut high: Vec<(u32, u64)> = Vec::new();
        for mark in marks {
            if mark.0 < LOW {
                set.low |= 1 << mark.0;
            } else {
                high.push(((mark.0 - LOW) / 64, 1 << ((mark.0 - LOW) % 64)));
            }
        }
        high.sort_unstable_by_key(|&(chunk, _)| chunk);
        high.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        set.high = high.into();
        set
    }
}

impl fmt::Debug for MarkSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|mark| mark.0)).finish()
    }
}

/// Combines two chunk lists, reading a missing chunk as zero and dropping zero results.
fn merge(a: &[(u32, u64)], b: &[(u32, u64)], op: impl Fn(u64, u64) -> u64) -> Box<[(u32, u64)]> {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let left = a.get(i).map_or(u32::MAX, |&(chunk, _)| chunk);
        let right = b.get(j).map_or(u32::MAX, |&(chunk, _)| chunk);
        let chunk = left.min(right);
        let mut bits = (0, 0);
        if left == chunk && i < a.len() {
            bits.0 = a[i].1;
            i += 1;
        }
        if right == chunk && j < b.len() {
            bits.1 = b[j].1;
            j += 1;
        }
        let combined = op(bits.0, bits.1);
        if combined != 0 {
            out.push((chunk, combined));
        }
    }
    out.into()
}

/// A set of marks in four bytes; only meaningful with what gave it out. That is a [`MarkTable`], or,
/// where there are few marks, the set itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarkSetId(u32);

impl MarkSetId {
    /// The empty set, in every table.
    pub const EMPTY: MarkSetId = MarkSetId(0);

    /// The id that is the set itself, where no table is in use.
    pub fn of_bits(bits: u32) -> Self {
        MarkSetId(bits)
    }

    /// The set that the id is, where no table is in use.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The position in the table, for tables indexed by mark set.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Distinct mark sets, each stored once.
#[derive(Clone, Debug)]
pub struct MarkTable {
    sets: Vec<MarkSet>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl MarkTable {
    /// A table that holds the empty set.
    pub fn new() -> Self {
        let mut table =
            MarkTable { sets: Vec::new(), index: HashTable::new(), hasher: Default::default() };
        table.intern(MarkSet::new());
        table
    }

    /// The id of `set`.
    pub fn intern(&mut self, set: MarkSet) -> MarkSetId {
        let (sets, hasher) = (&self.sets, &self.hasher);
        let hash = hasher.hash_one(&set);
        let entry = self.index.entry(
            hash,
            |&id| sets[id as usize] == set,
            |&id| hasher.hash_one(&sets[id as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => MarkSetId(*found.get()),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(self.sets.len()).expect("fewer than 2^32 mark sets");
                free.insert(id);
                self.sets.push(set);
                MarkSetId(id)
            }
        }
    }

    /// The set with this id.
    pub fn get(&self, id: MarkSetId) -> &MarkSet {
        &self.sets[id.0 as usize]
    }

    /// How many distinct sets there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Never true: the empty set is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All sets with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (MarkSetId, &MarkSet)> {
        (0..).map(MarkSetId).zip(&self.sets)
    }

    /// Bytes held, for the memory figures in the benchmarks.
    pub fn bytes(&self) -> usize {
        self.sets.capacity() * size_of::<MarkSet>()
            + self.sets.iter().map(|set| set.high.len() * 16).sum::<usize>()
            + self.index.capacity() * 5
    }
}

impl Default for MarkTable {
    fn default() -> Self {
        MarkTable::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(marks: &[u32]) -> MarkSet {
        marks.iter().map(|&mark| Mark(mark)).collect()
    }

    #[test]
    fn sets_behave_alike_below_and_above_the_fast_word() {
        for offset in [0, 100, 127, 500, 4_000_000_000] {
            let a = set(&[offset, offset + 1, offset + 70]);
            let b = set(&[offset + 1, offset + 200]);
            assert_eq!(a.union(&b), set(&[offset, offset + 1, offset + 70, offset + 200]));
            assert_eq!(a.intersection(&b), set(&[offset + 1]));
            assert_eq!(a.difference(&b), set(&[offset, offset + 70]));
            assert!(a.intersects(&b) && !a.is_subset(&b) && set(&[offset + 1]).is_subset(&a));
            assert_eq!(
                a.iter().map(|m| m.0).collect::<Vec<_>>(),
                [offset, offset + 1, offset + 70]
            );
            let mut grown = MarkSet::new();
            for mark in [offset + 70, offset, offset + 1, offset] {
                grown.insert(Mark(mark));
            }
            assert_eq!(grown, a);
            assert_eq!(grown.len(), 3);
            grown.remove(Mark(offset + 70));
            assert!(!grown.contains(Mark(offset + 70)) && grown.contains(Mark(offset)));
        }
    }

    #[test]
    fn the_first_marks() {
        for count in [0, 1, 64, 127, 128, 129, 191, 192, 193, 1000] {
            let all = MarkSet::first(count);
            assert_eq!(all.len(), count as usize);
            assert_eq!(all, (0..count).map(Mark).collect());
        }
    }

    #[test]
    fn equal_sets_have_one_id() {
        let mut table = MarkTable::new();
        assert_eq!(table.intern(MarkSet::new()), MarkSetId::EMPTY);
        let id = table.intern(set(&[3, 300]));
        assert_eq!(table.intern(set(&[300, 3])), id);
        assert_eq!(table.get(id), &set(&[3, 300]));
        assert_eq!(table.len(), 2);
    }
}
