//! The states of a model, each at a position that many threads agree on.
//!
//! Only what is appended is locked, and only a part of the table: a state is looked up by its hash in one of several
//! shards. The hash that a shard keeps of each state is enough to make its table larger, so that no state is hashed
//! twice.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;

/// States that are appended while others are read.
pub(crate) struct States<S> {
    shards: Vec<Shard<S>>,
    hasher: DefaultHashBuilder,
    count: AtomicUsize,
    expanded: AtomicUsize,
}

struct Shard<S> {
    index: Mutex<HashTable<Slot>>,
    members: boxcar::Vec<S>,
    /// A bit for each state that has been expanded.
    expanded: boxcar::Vec<AtomicU64>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    at: u32,
}

/// A part of a hash, spread over all bits: a table looks at some of the first and some of the last.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<S: Eq + Hash> States<S> {
    pub(crate) fn new() -> States<S> {
        let shard = || Shard {
            index: Mutex::new(HashTable::new()),
            members: boxcar::Vec::new(),
            expanded: boxcar::Vec::new(),
        };
        States {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            hasher: DefaultHashBuilder::default(),
            count: AtomicUsize::new(0),
            expanded: AtomicUsize::new(0),
        }
    }

    /// The row of a state, which has one from now on.
    pub(crate) fn intern(&self, state: S) -> u64 {
        self.meet(state).0
    }

    /// The row of a state, and whether it is new.
    pub(crate) fn meet(&self, state: S) -> (u64, bool) {
        let hash = self.hasher.hash_one(&state);
        let number = (hash >> 58) as usize;
        let short = hash as u32;
        let shard = &self.shards[number];
        let mut index = shard.index.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |slot: &Slot| slot.hash == short && shard.members[slot.at as usize] == state;
        let (at, is_new) = match index.find(spread(short), same) {
            Some(slot) => (slot.at, false),
            None => {
                let at = shard.members.push(state);
                if at.is_multiple_of(64) {
                    shard.expanded.push(AtomicU64::new(0));
                }
                let at = u32::try_from(at).expect("fewer than 2^32 states in a shard");
                index.insert_unique(spread(short), Slot { hash: short, at }, |slot| {
                    spread(slot.hash)
                });
                self.count.fetch_add(1, Ordering::Relaxed);
                (at, true)
            }
        };
        (u64::from(at) * SHARDS as u64 + number as u64, is_new)
    }

    /// The state of a row.
    pub(crate) fn get(&self, row: u64) -> &S {
        let (shard, at) = place(row);
        &self.shards[shard].members[at]
    }

    /// Takes note that the steps of a state have been followed.
    pub(crate) fn note_expanded(&self, row: u64) {
        let (shard, at) = place(row);
        let bit = 1 << (at % 64);
        let before = self.shards[shard].expanded[at / 64].fetch_or(bit, Ordering::Relaxed);
        if before & bit == 0 {
            self.expanded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether the steps of every state have been followed.
    pub(crate) fn are_all_expanded(&self) -> bool {
        self.expanded.load(Ordering::Relaxed) == self.len()
    }

    /// Appends some rows whose steps have not been followed; none if there are none.
    pub(crate) fn unexpanded(&self, most: usize, out: &mut Vec<u64>) {
        for (number, shard) in self.shards.iter().enumerate() {
            let count = shard.members.count();
            for block in 0..count.div_ceil(64) {
                let mut left = !shard.expanded[block].load(Ordering::Relaxed);
                while left != 0 {
                    let at = block * 64 + left.trailing_zeros() as usize;
                    if at >= count {
                        break;
                    }
                    if out.len() >= most {
                        return;
                    }
                    out.push((at * SHARDS + number) as u64);
                    left &= left - 1;
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Bytes of the table, without what states hold elsewhere.
    pub(crate) fn bytes(&self) -> usize {
        // The index is at most seven eighths full; a member has a flag beside it.
        self.len() * (size_of::<S>() + align_of::<S>() + 2 * size_of::<Slot>())
    }
}

fn place(row: u64) -> (usize, usize) {
    ((row % SHARDS as u64) as usize, (row / SHARDS as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that meet the same states in different orders agree on their rows.
    #[test]
    fn a_state_has_one_row() {
        let states = States::<Vec<u32>>::new();
        let count = 3000_u32;
        let rows = |step: u32| {
            let states = &states;
            move || -> Vec<u64> {
                let mut rows = vec![u64::MAX; count as usize];
                for round in 0..2 * count {
                    let key = round.wrapping_mul(step) % count;
                    let row = states.intern(vec![key, 7]);
                    assert_eq!(states.get(row), &vec![key, 7]);
                    let known = &mut rows[key as usize];
                    assert!(*known == u64::MAX || *known == row);
                    *known = row;
                }
                rows
            }
        };
        let found = std::thread::scope(|scope| {
            let threads = [1, 7, 2999, 11].map(|step| scope.spawn(rows(step)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        assert!(found.iter().all(|other| *other == found[0]));
        assert_eq!(states.len(), count as usize);
        let mut distinct = found[0].clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), count as usize);
        let mut left = Vec::new();
        while {
            left.clear();
            states.unexpanded(100, &mut left);
            !left.is_empty()
        } {
            left.iter().for_each(|&row| states.note_expanded(row));
        }
        assert!(states.are_all_expanded());
    }
}
