//! Sets of small numbers as single words that many threads pass around.
//!
//! With few numbers the word has a bit for each. With more, it is the number of the set among all sets that any thread
//! has made, which are rows of one table. So neither marks nor propositions have a fixed width, and the common case
//! costs nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use fairly_store::{RowNodes, SharedRows, StateIndex, StoreError};
use hashbrown::HashMap;

/// Sets of numbers below a limit.
#[derive(Debug)]
pub struct SharedSets {
    members: u32,
    /// The sets as rows, if a word has too few bits.
    rows: Option<SharedRows>,
    is_full: AtomicBool,
}

/// Memory of a thread that asks for sets.
#[derive(Debug, Default)]
pub struct SetsMemory {
    nodes: Option<RowNodes>,
    /// The set that was read last, and another one.
    row: Vec<u64>,
    other: Vec<u64>,
    joined: HashMap<(u64, u64), u64>,
}

/// Joins that a thread remembers.
const REMEMBERED: usize = 1 << 16;

impl SharedSets {
    /// Numbers that a word has bits for; two bits of a word are left to those that keep it.
    pub const BITS: u32 = 62;
    /// The set of no numbers.
    pub const EMPTY: u64 = 0;

    /// Sets of numbers below `members`, which take at most so many bytes.
    ///
    /// # Errors
    /// If the memory does not pay for an empty table.
    pub fn new(members: u32, memory: usize) -> Result<SharedSets, StoreError> {
        let mut rows = None;
        if members > SharedSets::BITS {
            let words = members.div_ceil(64) as usize;
            let sets = SharedRows::new(words, memory)?;
            let (empty, _) = sets.insert(&vec![0; words], &mut sets.nodes())?;
            debug_assert_eq!(u64::from(empty.0), SharedSets::EMPTY);
            rows = Some(sets);
        }
        Ok(SharedSets { members, rows, is_full: AtomicBool::new(false) })
    }

    /// The limit of the numbers.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// Whether there was no room for some set, which has become the empty one then.
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Acquire)
    }

    /// Bytes that the sets take.
    pub fn bytes(&self) -> usize {
        self.rows.as_ref().map_or(0, SharedRows::bytes)
    }

    /// The set of these numbers.
    ///
    /// # Panics
    /// If one of them is beyond the limit.
    pub fn set(&self, numbers: impl IntoIterator<Item = u32>, memory: &mut SetsMemory) -> u64 {
        let Some(rows) = &self.rows else {
            return numbers.into_iter().fold(0, |bits, number| {
                debug_assert!(number < self.members, "{number} is beyond {}", self.members);
                bits | 1 << number
            });
        };
        let mut row = std::mem::take(&mut memory.row);
        row.clear();
        row.resize(self.members.div_ceil(64) as usize, 0);
        for number in numbers {
            row[number as usize / 64] |= 1 << (number % 64);
        }
        let set = self.number(rows, &row, memory);
        memory.row = row;
        set
    }

    /// The numbers of one or both of two sets; one of them if the other adds nothing.
    #[inline]
    pub fn join(&self, one: u64, other: u64, memory: &mut SetsMemory) -> u64 {
        match &self.rows {
            None => one | other,
            Some(_) if one == other || other == SharedSets::EMPTY => one,
            Some(_) if one == SharedSets::EMPTY => other,
            Some(rows) => self.join_rows(rows, one, other, memory),
        }
    }

    fn join_rows(&self, rows: &SharedRows, one: u64, other: u64, memory: &mut SetsMemory) -> u64 {
        if let Some(&known) = memory.joined.get(&(one, other)) {
            return known;
        }
        let (mut row, mut more) =
            (std::mem::take(&mut memory.row), std::mem::take(&mut memory.other));
        self.read(rows, one, &mut row, memory);
        self.read(rows, other, &mut more, memory);
        row.iter_mut().zip(&more).for_each(|(word, more)| *word |= more);
        let set = self.number(rows, &row, memory);
        (memory.row, memory.other) = (row, more);
        if memory.joined.len() >= REMEMBERED {
            memory.joined.clear();
        }
        memory.joined.insert((one, other), set);
        set
    }

    fn number(&self, rows: &SharedRows, row: &[u64], memory: &mut SetsMemory) -> u64 {
        let nodes = memory.nodes.get_or_insert_with(|| rows.nodes());
        match rows.insert(row, nodes) {
            Ok((number, _)) => number.0.into(),
            Err(_) => {
                self.is_full.store(true, Ordering::Release);
                SharedSets::EMPTY
            }
        }
    }

    fn read(&self, rows: &SharedRows, set: u64, row: &mut Vec<u64>, memory: &mut SetsMemory) {
        row.resize(self.members.div_ceil(64) as usize, 0);
        let nodes = memory.nodes.get_or_insert_with(|| rows.nodes());
        rows.get(StateIndex(set as u32), row, nodes);
    }

    /// Says of any number whether it is in a set.
    #[inline]
    pub fn reader<'m>(&self, set: u64, memory: &'m mut SetsMemory) -> SetReader<'m> {
        match &self.rows {
            None => SetReader { bits: set, row: &[] },
            Some(rows) => {
                let mut row = std::mem::take(&mut memory.row);
                self.read(rows, set, &mut row, memory);
                memory.row = row;
                SetReader { bits: 0, row: &memory.row }
            }
        }
    }
}

/// A set that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct SetReader<'m> {
    bits: u64,
    row: &'m [u64],
}

impl SetReader<'_> {
    /// Whether a number is in the set.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        match self.row.get(number as usize / 64) {
            Some(word) => word >> (number % 64) & 1 == 1,
            None => self.bits >> number & 1 == 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_width_are_those_of_their_numbers() {
        for members in [1, 5, 62, 63, 64, 65, 200, 300] {
            let sets = SharedSets::new(members, 1 << 22).expect("room");
            let mut memory = SetsMemory::default();
            assert_eq!(sets.set([], &mut memory), SharedSets::EMPTY);
            let even: Vec<u32> = (0..members).filter(|it| it % 2 == 0).collect();
            let third: Vec<u32> = (0..members).filter(|it| it % 3 == 0).collect();
            let one = sets.set(even.iter().copied(), &mut memory);
            let other = sets.set(third.iter().copied(), &mut memory);
            let both = sets.join(one, other, &mut memory);
            assert_eq!(both, sets.join(other, one, &mut memory));
            assert_eq!(both, sets.join(both, one, &mut memory));
            let reader = sets.reader(both, &mut memory);
            for number in 0..members {
                let is_in = even.contains(&number) || third.contains(&number);
                assert_eq!(reader.has(number), is_in, "{number} of {members}");
            }
            assert!(!sets.is_full());
        }
    }

    #[test]
    fn a_set_without_room_is_noticed() {
        let sets = SharedSets::new(100, 1 << 14).expect("room for the first");
        let mut memory = SetsMemory::default();
        let mut count = 0u32;
        while !sets.is_full() {
            sets.set((0..32).filter(|bit| count >> bit & 1 == 1), &mut memory);
            count += 1;
        }
        assert!(count > 10);
    }
}
