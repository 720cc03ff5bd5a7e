//! The states that have been met: each once, numbered in the order they were met in.
//!
//! A few states are kept in a plain list. When there are more, they move into a table of
//! `fairly_store`, which takes less than half the memory, keeps to a limit, and looks up all
//! successors of a state at once: one row of words for each state if that is a single word, otherwise
//! a tree of words that states share.

use std::hash::BuildHasher;

use fairly_omega::StateId;
use fairly_store::{Full, StateIndex, Trees, Words};
use fairly_system::Transition;
use hashbrown::{DefaultHashBuilder, HashTable};

/// So many states are kept in the plain list. An empty table takes some hundred kilobytes, and most
/// systems that are looked at have a few hundred states.
const FEW: usize = 4096;

/// Packed states of one width.
#[derive(Debug)]
pub(crate) struct States {
    width: usize,
    kept: Kept,
    /// States that no words lead to: for each, how many others had been met before it. They have
    /// numbers and no rows.
    apart: Vec<u32>,
    /// The most bytes that a table may take.
    limit: usize,
    /// Rows that wait to be interned, unless trees keep them.
    waiting: Vec<u64>,
    found: Vec<(StateIndex, bool)>,
}

#[derive(Debug)]
enum Kept {
    List(List),
    Words(Box<Words>),
    Trees(Box<Trees>),
}

impl States {
    /// No states, of so many words each; at least one.
    pub(crate) fn new(width: usize) -> States {
        let kept = Kept::List(List::new(width));
        // What a table prepares for grows with its limit.
        let limit = usize::try_from(1_u64 << 40).unwrap_or(usize::MAX);
        States { width, kept, apart: Vec::new(), limit, waiting: Vec::new(), found: Vec::new() }
    }

    /// Sets the most bytes that the states may take.
    pub(crate) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// How many have been met.
    pub(crate) fn len(&self) -> usize {
        self.rows() + self.apart.len()
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        let kept = match &self.kept {
            Kept::List(list) => list.bytes(),
            Kept::Words(table) => table.bytes(),
            Kept::Trees(table) => table.bytes(),
        };
        kept + self.apart.capacity() * size_of::<u32>()
    }

    fn rows(&self) -> usize {
        match &self.kept {
            Kept::List(list) => list.len(),
            Kept::Words(table) => table.len(),
            Kept::Trees(table) => table.len(),
        }
    }

    /// Copies the words of a state; zeroes for one that has none.
    pub(crate) fn get(&self, state: StateId, words: &mut [u64]) {
        let Some(row) = self.row(state) else { return words.fill(0) };
        match &self.kept {
            Kept::List(list) => words.copy_from_slice(list.get(row)),
            Kept::Words(table) => words.copy_from_slice(&[table.get(StateIndex(row))]),
            Kept::Trees(table) => table.get(StateIndex(row), words),
        }
    }

    /// As [`get`](States::get), for a state whose successors are added next.
    pub(crate) fn read(&mut self, state: StateId, words: &mut [u64]) {
        let row = self.row(state);
        match (&mut self.kept, row) {
            (Kept::Trees(table), Some(row)) => table.read(StateIndex(row), words),
            _ => self.get(state, words),
        }
    }

    /// Appends the words of several states, which all have some.
    pub(crate) fn read_all(&mut self, states: &[StateId], words: &mut Vec<u64>) {
        match &mut self.kept {
            Kept::Words(table) if self.apart.is_empty() => {
                words.extend(states.iter().map(|state| table.get(StateIndex(state.0))));
            }
            _ => {
                let first = words.len();
                words.resize(first + states.len() * self.width, 0);
                let rows = words[first..].chunks_exact_mut(self.width);
                for (&state, row) in states.iter().zip(rows) {
                    self.read(state, row);
                }
            }
        }
    }

    /// Takes rows of words that are to get numbers. They resemble the state that was
    /// [read](States::read) last.
    pub(crate) fn add(&mut self, rows: &[u64]) {
        match &mut self.kept {
            Kept::Trees(table) => table.add(rows),
            _ => self.waiting.extend_from_slice(rows),
        }
    }

    /// The same of a list that may be emptied.
    pub(crate) fn add_all(&mut self, rows: &mut Vec<u64>) {
        match &mut self.kept {
            Kept::Trees(table) => table.add(rows),
            _ if self.waiting.is_empty() => std::mem::swap(&mut self.waiting, rows),
            _ => self.waiting.extend_from_slice(rows),
        }
    }

    /// The successors of how many states may be added after the last of these was read.
    pub(crate) fn at_once(&self) -> usize {
        match &self.kept {
            Kept::Trees(_) => 1,
            Kept::List(_) | Kept::Words(_) => usize::MAX,
        }
    }

    /// Takes one row of words that need not resemble any state, while no others wait.
    pub(crate) fn add_alone(&mut self, row: &[u64]) {
        debug_assert_eq!(self.waiting(), 0, "numbers are given in the order of the rows");
        self.waiting.extend_from_slice(row);
    }

    /// How many rows wait.
    pub(crate) fn waiting(&self) -> usize {
        let added = if let Kept::Trees(table) = &self.kept { table.added() } else { 0 };
        added + self.waiting.len() / self.width
    }

    /// Appends the states with the rows that wait, each with whether it is new.
    ///
    /// # Errors
    /// If there is no room for one of them; those before it are there, those behind it are forgotten.
    pub(crate) fn intern(&mut self, out: &mut Vec<(StateId, bool)>) -> Result<(), Full> {
        let done = self.intern_waiting();
        let apart = &self.apart;
        out.extend(self.found.iter().map(|&(row, new)| (number(apart, row.0), new)));
        done
    }

    /// Makes the states with the rows that wait the targets of as many transitions.
    ///
    /// # Errors
    /// If there is no room for one of them; those before it, so many, have their targets.
    pub(crate) fn number_targets(&mut self, out: &mut [Transition]) -> Result<(), (usize, Full)> {
        let done = self.intern_waiting();
        if self.apart.is_empty() {
            for (transition, &(row, _)) in out.iter_mut().zip(&self.found) {
                transition.target = StateId(row.0);
            }
        } else {
            for (transition, &(row, _)) in out.iter_mut().zip(&self.found) {
                transition.target = number(&self.apart, row.0);
            }
        }
        done.map_err(|full| (self.found.len(), full))
    }

    /// Makes `found` what is found of the rows that wait.
    fn intern_waiting(&mut self) -> Result<(), Full> {
        self.found.clear();
        let mut rows = std::mem::take(&mut self.waiting);
        let done = self.find_or_add(&rows);
        rows.clear();
        self.waiting = rows;
        done
    }

    fn find_or_add(&mut self, rows: &[u64]) -> Result<(), Full> {
        if let Kept::List(list) = &mut self.kept {
            if list.len() < FEW.min(self.limit / (16 * self.width)) {
                for row in rows.chunks_exact(self.width) {
                    let (row, new) = list.intern(row);
                    self.found.push((StateIndex(row), new));
                }
                return Ok(());
            }
            self.move_out()?;
        }
        match &mut self.kept {
            Kept::List(_) => unreachable!("just moved out of it"),
            Kept::Words(table) => table.insert_batch(rows, &mut self.found),
            Kept::Trees(table) => {
                let mut each = rows.chunks_exact(self.width);
                each.try_for_each(|row| {
                    self.found.push(table.insert(row)?);
                    Ok(())
                })
                .and_then(|()| table.insert_added(&mut self.found))
            }
        }
    }

    /// A state that no words lead to: it is equal to no other.
    pub(crate) fn push_apart(&mut self) -> StateId {
        let id = StateId(u32::try_from(self.len()).expect("fewer than 2^32 states"));
        self.apart.push(u32::try_from(self.rows()).expect("fewer than 2^32 states"));
        id
    }

    /// The row of a state, if it has one.
    fn row(&self, StateId(id): StateId) -> Option<u32> {
        if self.apart.is_empty() {
            return Some(id);
        }
        // The state apart at position `at` has the number `self.apart[at] + at`.
        let id_of = |at: usize| self.apart[at] as usize + at;
        let (mut low, mut high) = (0, self.apart.len());
        while low < high {
            let middle = low.midpoint(high);
            if id_of(middle) < id as usize {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_apart = low < self.apart.len() && id_of(low) == id as usize;
        (!is_apart).then(|| id - u32::try_from(low).expect("fewer than 2^32 states"))
    }

    /// Moves the states from the list into a table.
    fn move_out(&mut self) -> Result<(), Full> {
        let Kept::List(list) = &self.kept else { return Ok(()) };
        let kept = if self.width == 1 {
            let mut table = Words::new(self.limit)?;
            table.insert_batch(&list.words, &mut Vec::new())?;
            Kept::Words(Box::new(table))
        } else {
            let mut table = Trees::new(self.width, self.limit)?;
            for row in list.rows() {
                table.insert(row)?;
            }
            Kept::Trees(Box::new(table))
        };
        self.kept = kept;
        Ok(())
    }
}

/// The number of the state with a row.
fn number(apart: &[u32], row: u32) -> StateId {
    if apart.is_empty() {
        return StateId(row);
    }
    let before = apart.partition_point(|&rows| rows <= row);
    StateId(row + u32::try_from(before).expect("fewer than 2^32 states"))
}

/// Rows one after the other, for a few states.
#[derive(Debug)]
struct List {
    width: usize,
    words: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl List {
    fn new(width: usize) -> List {
        let hasher = DefaultHashBuilder::default();
        List { width, words: Vec::new(), table: HashTable::new(), hasher }
    }

    fn len(&self) -> usize {
        self.words.len() / self.width
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.table.allocation_size()
    }

    fn get(&self, row: u32) -> &[u64] {
        &self.words[row as usize * self.width..][..self.width]
    }

    fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks_exact(self.width)
    }

    fn intern(&mut self, row: &[u64]) -> (u32, bool) {
        let (width, words) = (self.width, &self.words);
        let of = |id: u32| &words[id as usize * width..][..width];
        let hash = self.hasher.hash_one(row);
        if let Some(&known) = self.table.find(hash, |&id| of(id) == row) {
            return (known, false);
        }
        let id = u32::try_from(self.len()).expect("fewer than 2^32 states");
        let hasher = &self.hasher;
        self.table.insert_unique(hash, id, |&id| hasher.hash_one(of(id)));
        self.words.extend_from_slice(row);
        (id, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, rows and what is apart stay what they were when the list becomes a table.
    #[test]
    fn nothing_changes_when_the_list_becomes_a_table() {
        for width in [1_usize, 3] {
            let mut states = States::new(width);
            let row = |at: u64| -> Vec<u64> { (0..width as u64).map(|word| at >> word).collect() };
            let mut expected: Vec<Option<u64>> = Vec::new();
            for at in 0..2 * FEW as u64 {
                if at % 1000 == 999 {
                    assert_eq!(states.push_apart().index(), expected.len());
                    expected.push(None);
                }
                let mut out = Vec::new();
                states.add(&row(at));
                states.intern(&mut out).expect("room");
                assert_eq!(out, [(StateId::from_index(expected.len()), true)]);
                expected.push(Some(at));
            }
            assert_eq!(states.len(), expected.len());
            assert!(!matches!(states.kept, Kept::List(_)));
            for (id, expected) in expected.iter().enumerate() {
                let mut words = vec![7; width];
                states.read(StateId::from_index(id), &mut words);
                match *expected {
                    None => assert_eq!(words, vec![0; width]),
                    Some(at) => {
                        assert_eq!(words, row(at));
                        let mut out = Vec::new();
                        states.add(&row(at));
                        states.intern(&mut out).expect("it is there");
                        assert_eq!(out, [(StateId::from_index(id), false)]);
                    }
                }
            }
        }
    }

    /// A state that has nothing to do with the one that was read last.
    #[test]
    fn a_state_alone_is_found_again() {
        let mut states = States::new(2);
        let mut out = Vec::new();
        for at in 0..2 * FEW as u64 {
            states.add(&[at, 7]);
            states.intern(&mut out).expect("room");
        }
        states.read(StateId(5), &mut [0; 2]);
        out.clear();
        states.add_alone(&[0, 7]);
        states.intern(&mut out).expect("it is there");
        assert_eq!(out, [(StateId(0), false)]);
    }

    #[test]
    fn a_limit_is_kept() {
        let mut states = States::new(1);
        states.limit(1 << 20);
        let mut out = Vec::new();
        let full = (0..1 << 20).find_map(|at| {
            states.add(&[at]);
            states.intern(&mut out).err()
        });
        assert_eq!(full, Some(Full::Budget { limit: 1 << 20 }));
        assert!(states.bytes() <= 1 << 20);
        // What was there is still found.
        out.clear();
        states.add(&[5]);
        states.intern(&mut out).expect("it is there");
        assert_eq!(out, [(StateId(5), false)]);
    }
}
