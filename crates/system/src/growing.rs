//! Lists that grow while many threads read them.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;
use std::sync::{PoisonError, RwLock};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A list whose members stay where they are. Any thread may append to it through a shared reference.
#[derive(Clone)]
pub struct Growing<T>(boxcar::Vec<T>);

impl<T> Growing<T> {
    /// An empty list.
    pub fn new() -> Growing<T> {
        Growing(boxcar::Vec::new())
    }

    /// Appends a member, and gives its position.
    pub fn push(&self, member: T) -> usize {
        self.0.push(member)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.count()
    }

    /// Whether the list has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The member at a position.
    pub fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at)
    }

    /// The last member.
    pub fn last(&self) -> Option<&T> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        (0..self.len()).map(|at| &self.0[at])
    }
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Growing::new()
    }
}

impl<T> Index<usize> for Growing<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.0[at]
    }
}

impl<T> FromIterator<T> for Growing<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        Growing(members.into_iter().collect())
    }
}

impl<T: PartialEq> PartialEq for Growing<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Growing<T> {}

impl<T: fmt::Debug> fmt::Debug for Growing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A list of different members, which are found by a key that each of them has.
///
/// Every worker keeps the part of the index that it has used ([`Seen`]), so that only the first look at a
/// member takes a lock.
pub struct Interner<T> {
    members: Growing<T>,
    index: RwLock<HashTable<u32>>,
    hasher: DefaultHashBuilder,
}

/// The part of an [`Interner`]'s index that one worker has used.
#[derive(Clone, Debug, Default)]
pub struct Seen(HashTable<u32>);

impl<T> Interner<T> {
    /// An interner without members.
    pub fn new() -> Interner<T> {
        let index = RwLock::new(HashTable::new());
        Interner { members: Growing::new(), index, hasher: DefaultHashBuilder::default() }
    }

    /// The members, each at the position that it was given.
    pub fn members(&self) -> &Growing<T> {
        &self.members
    }

    /// The position of the member with a key, if there is one.
    pub fn find<K: Hash>(&self, key: &K, is: impl Fn(&T) -> bool) -> Option<u32> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let same = |&at: &u32| is(&self.members[at as usize]);
        index.find(self.hasher.hash_one(key), same).copied()
    }

    /// The position of the member with a key; `make` makes it if there is none. `is` says whether a member
    /// has the key, and `key_of` hashes the key of a member.
    #[inline]
    pub fn intern<K: Hash>(
        &self,
        seen: &mut Seen,
        key: &K,
        is: impl Fn(&T) -> bool,
        key_of: impl Fn(&T, &DefaultHashBuilder) -> u64,
        make: impl FnOnce() -> T,
    ) -> u32 {
        let hash = self.hasher.hash_one(key);
        let same = |&at: &u32| is(&self.members[at as usize]);
        if let Some(&known) = seen.0.find(hash, same) {
            return known;
        }
        let hash_of = |&at: &u32| key_of(&self.members[at as usize], &self.hasher);
        let at = self.intern_shared(hash, same, hash_of, make);
        seen.0.insert_unique(hash, at, hash_of);
        at
    }

    #[cold]
    fn intern_shared(
        &self,
        hash: u64,
        same: impl Fn(&u32) -> bool,
        hash_of: impl Fn(&u32) -> u64,
        make: impl FnOnce() -> T,
    ) -> u32 {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = index.find(hash, same) {
            return known;
        }
        let at = u32::try_from(self.members.push(make())).expect("fewer than 2^32 members");
        index.insert_unique(hash, at, hash_of);
        at
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner::new()
    }
}

impl<T: Clone> Clone for Interner<T> {
    fn clone(&self) -> Self {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        Interner {
            members: self.members.clone(),
            index: RwLock::new(index.clone()),
            hasher: self.hasher.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that intern the same keys in different orders agree on their positions.
    #[test]
    fn a_key_has_one_position() {
        let keys: u32 = 2000;
        let interner = Interner::<u32>::new();
        let positions = |step: u32| {
            let interner = &interner;
            move || {
                let mut seen = Seen::default();
                let mut found = vec![u32::MAX; keys as usize];
                for round in 0..3 * keys {
                    let key = round.wrapping_mul(step) % keys;
                    let hash = |of: &u32, hasher: &DefaultHashBuilder| hasher.hash_one(of);
                    let at = interner.intern(&mut seen, &key, |it| *it == key, hash, || key);
                    assert_eq!(interner.members()[at as usize], key);
                    let known = &mut found[key as usize];
                    assert!(*known == u32::MAX || *known == at);
                    *known = at;
                }
                found
            }
        };
        let found = std::thread::scope(|scope| {
            let threads = [1, 7, 1999, 3].map(|step| scope.spawn(positions(step)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        assert!(found.iter().all(|other| *other == found[0]));
        assert_eq!(interner.members().len(), keys as usize);
    }
}
