//! The states that have been met: each once, numbered in the order they were met in.
//!
//! A few states are kept in a plain list. When there are more, they move into a table of
//! this crate, which takes less than half the memory, keeps to a limit, and looks up all
//! successors of a state at once: a word for each state if that is all there is to it, otherwise a tree
//! of words that states share. Words at the end that have been the same in all states so far are not kept:
//! the layout puts there what only states on the way to others need.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::{Trees, Words};
use crate::{StateIndex, StoreError};

/// So many states are kept in the plain list, if they do not have more words than this together. An empty
/// table takes some hundred kilobytes, and most systems that are looked at have a few hundred states.
const FEW: usize = 4096;
const FEW_WORDS: usize = 1 << 18;
/// States of more words have room for several more at once where one more is needed.
const WIDE: usize = 16;

/// Packed states of one width.
#[derive(Debug)]
pub struct Numbers {
    width: usize,
    /// How many words of each state are kept, and those behind, which are the same in all of them.
    first: usize,
    rest: Vec<u64>,
    kept: Kept,
    /// States that no words lead to: for each, how many others had been met before it. They have
    /// numbers and no rows.
    apart: Vec<u32>,
    /// The most bytes that a table may take.
    limit: usize,
    /// The words of rows that wait to be interned, as many of each as are kept, unless trees have them.
    waiting: Vec<u64>,
    /// The rows that wait behind those, whole, from the first on that has words which are not kept.
    longer: Vec<u64>,
    found: Vec<(StateIndex, bool)>,
}

#[derive(Debug)]
enum Kept {
    List(List),
    Words(Box<Words>),
    Trees(Box<Trees>),
}

impl Numbers {
    /// No states, of so many words each; at least one.
    pub fn new(width: usize) -> Numbers {
        let kept = Kept::List(List::new(width));
        // A table prepares for more as its limit grows.
        let limit = usize::try_from(1_u64 << 40).unwrap_or(usize::MAX);
        Numbers {
            width,
            first: width,
            rest: Vec::new(),
            kept,
            apart: Vec::new(),
            limit,
            waiting: Vec::new(),
            longer: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Sets the most bytes that the states may take.
    pub fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// How many have been met.
    pub fn len(&self) -> usize {
        self.rows() + self.apart.len()
    }

    /// Whether none has been met.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
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
    pub fn get(&self, state: StateIndex, words: &mut [u64]) {
        match self.row(state) {
            Some(row) => self.copy(row, words),
            None => words.fill(0),
        }
    }

    fn copy(&self, row: u32, words: &mut [u64]) {
        let (words, rest) = words.split_at_mut(self.first);
        rest.copy_from_slice(&self.rest);
        match &self.kept {
            Kept::List(list) => words.copy_from_slice(list.get(row)),
            Kept::Words(table) => words[0] = table.get(StateIndex(row)),
            Kept::Trees(table) => table.get(StateIndex(row), words),
        }
    }

    /// As [`get`](Numbers::get), for a state whose successors are added next.
    pub fn read(&mut self, state: StateIndex, words: &mut [u64]) {
        let row = self.row(state);
        match (&mut self.kept, row) {
            (Kept::Trees(table), Some(row)) => {
                table.read(StateIndex(row), &mut words[..self.first]);
                words[self.first..].copy_from_slice(&self.rest);
            }
            _ => self.get(state, words),
        }
    }

    /// Appends the words of several states, which all have some, and whose successors are
    /// [added](Numbers::add_all) next.
    pub fn read_all(
        &mut self,
        states: impl ExactSizeIterator<Item = StateIndex>,
        words: &mut Vec<u64>,
    ) {
        if let (Kept::Words(table), 1, true) = (&self.kept, self.width, self.apart.is_empty()) {
            words.extend(states.map(|state| table.get(state)));
            return;
        }
        let first = words.len();
        words.resize(first + states.len() * self.width, 0);
        let mut rows = words[first..].chunks_exact_mut(self.width);
        if let Kept::Trees(table) = &mut self.kept {
            table.forget_bases();
        }
        for state in states {
            let (Some(row), Some(words)) = (self.row(state), rows.next()) else { return };
            match &mut self.kept {
                Kept::Trees(table) => {
                    table.read_also(StateIndex(row), &mut words[..self.first]);
                    words[self.first..].copy_from_slice(&self.rest);
                }
                _ => self.copy(row, words),
            }
        }
    }

    /// Takes rows of words that are to get numbers. They resemble the state that was
    /// [read](Numbers::read) last.
    pub fn add(&mut self, rows: &[u64]) {
        match &mut self.kept {
            Kept::Trees(table) if self.first == self.width => table.add(rows),
            Kept::Trees(table) => {
                let before = self.waiting.len();
                cut(rows, self.first, &self.rest, &mut self.waiting, &mut self.longer);
                table.add(&self.waiting[before..]);
                self.waiting.truncate(before);
            }
            _ if self.first == self.width => self.waiting.extend_from_slice(rows),
            _ => cut(rows, self.first, &self.rest, &mut self.waiting, &mut self.longer),
        }
    }

    /// The same of the successors of all states that were [read](Numbers::read_all) together; those of
    /// each end at a position of `ends`. The list may be emptied.
    pub fn add_all(&mut self, rows: &mut Vec<u64>, ends: &[usize]) {
        let is_list = !matches!(self.kept, Kept::Trees(_));
        if is_list && self.first == self.width && self.waiting.is_empty() && self.longer.is_empty()
        {
            return std::mem::swap(&mut self.waiting, rows);
        }
        if is_list {
            return self.add(rows);
        }
        let mut begin = 0;
        for (base, &end) in ends.iter().enumerate() {
            if let Kept::Trees(table) = &mut self.kept {
                table.turn_to(base);
            }
            self.add(&rows[begin * self.width..end * self.width]);
            begin = end;
        }
    }

    /// Takes one row of words that need not resemble any state, while no others wait.
    pub fn add_alone(&mut self, row: &[u64]) {
        debug_assert_eq!(self.waiting(), 0, "numbers are given in the order of the rows");
        cut(row, self.first, &self.rest, &mut self.waiting, &mut self.longer);
    }

    /// How many rows wait.
    pub fn waiting(&self) -> usize {
        let added = if let Kept::Trees(table) = &self.kept { table.added() } else { 0 };
        added + self.waiting.len() / self.first + self.longer.len() / self.width
    }

    /// Appends the states with the rows that wait, each with whether it is new.
    ///
    /// # Errors
    /// If there is no room for one of them; those before it are there, those behind it are forgotten.
    pub fn intern(&mut self, out: &mut Vec<(StateIndex, bool)>) -> Result<(), StoreError> {
        let done = self.find_all();
        let apart = &self.apart;
        out.extend(self.found.iter().map(|&(row, new)| (number(apart, row.0), new)));
        done
    }

    /// Gives the states with the rows that wait to as many members of `out`.
    ///
    /// # Errors
    /// If there is no room for one of them; those before it, so many, have theirs.
    pub fn number<T>(
        &mut self,
        out: &mut [T],
        mut set: impl FnMut(&mut T, StateIndex),
    ) -> Result<(), (usize, StoreError)> {
        let done = self.find_all();
        if self.apart.is_empty() {
            out.iter_mut().zip(&self.found).for_each(|(it, &(row, _))| set(it, row));
        } else {
            for (it, &(row, _)) in out.iter_mut().zip(&self.found) {
                set(it, number(&self.apart, row.0));
            }
        }
        done.map_err(|full| (self.found.len(), full))
    }

    /// Makes `found` what is found of the rows that wait, or stored.
    fn find_all(&mut self) -> Result<(), StoreError> {
        self.found.clear();
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut done = self.find_waiting(&waiting);
        waiting.clear();
        self.waiting = waiting;
        if !self.longer.is_empty() {
            let longer = std::mem::take(&mut self.longer);
            done = done.and_then(|()| self.find_longer(&longer));
        }
        done
    }

    fn find_waiting(&mut self, rows: &[u64]) -> Result<(), StoreError> {
        let Kept::List(list) = &mut self.kept else { return self.insert(rows) };
        if list.len() < FEW.min(FEW_WORDS.min(self.limit / 16) / self.width) {
            for row in rows.chunks_exact(self.width) {
                let (row, new) = list.intern(row);
                self.found.push((StateIndex(row), new));
            }
            return Ok(());
        }
        let Some(one) = rows.get(..self.width).map(<[u64]>::to_vec) else { return Ok(()) };
        let first = needed(&list.words, &one, 1).max(needed(rows, &one, 1));
        self.keep(first, &one, self.limit)?;
        self.insert_whole(rows)
    }

    /// The same of rows that have words which are not kept, so that all states need more.
    #[cold]
    fn find_longer(&mut self, rows: &[u64]) -> Result<(), StoreError> {
        let left = self.limit.saturating_sub(self.bytes());
        // The words in front of the rest make no difference.
        let one = [vec![0; self.first], self.rest.clone()].concat();
        let mut first = needed(rows, &one, self.first);
        if self.width > WIDE {
            // Everything moves, which would take too long for each word that turns out to differ.
            first = first.max(2 * self.first).min(self.width);
        }
        self.keep(first, &one, left)?;
        self.insert_whole(rows)
    }

    fn insert_whole(&mut self, rows: &[u64]) -> Result<(), StoreError> {
        let mut words = Vec::new();
        cut(rows, self.first, &self.rest, &mut words, &mut Vec::new());
        self.insert(&words)
    }

    /// Inserts rows, of which there are as many words as are kept, into the table.
    fn insert(&mut self, rows: &[u64]) -> Result<(), StoreError> {
        match &mut self.kept {
            Kept::List(_) => unreachable!("a list is no table"),
            Kept::Words(table) => table.insert_batch(rows, &mut self.found),
            Kept::Trees(table) => {
                let mut each = rows.chunks_exact(self.first);
                each.try_for_each(|row| {
                    self.found.push(table.insert(row)?);
                    Ok(())
                })
                .and_then(|()| table.insert_added(&mut self.found))
            }
        }
    }

    /// A state that no words lead to: it is equal to no other.
    pub fn push_apart(&mut self) -> StateIndex {
        let id = StateIndex(u32::try_from(self.len()).expect("fewer than 2^32 states"));
        self.apart.push(u32::try_from(self.rows()).expect("fewer than 2^32 states"));
        id
    }

    /// The row of a state, if it has one.
    fn row(&self, StateIndex(id): StateIndex) -> Option<u32> {
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

    /// Moves the states into a table that keeps so many words of each, behind which all are as one of
    /// them is, with room for so many bytes as long as the old one is there.
    fn keep(&mut self, first: usize, one: &[u64], room: usize) -> Result<(), StoreError> {
        let mut row = vec![0; self.width];
        let rows = u32::try_from(self.rows()).expect("fewer than 2^32 states");
        let kept = if first == 1 {
            let mut table = Words::new(room)?;
            for at in 0..rows {
                self.copy(at, &mut row);
                table.insert(row[0])?;
            }
            Kept::Words(Box::new(table))
        } else {
            let mut table = Trees::new(first, room)?;
            for at in 0..rows {
                self.copy(at, &mut row);
                table.insert(&row[..first])?;
            }
            table.allow(self.limit);
            Kept::Trees(Box::new(table))
        };
        (self.kept, self.first, self.rest) = (kept, first, one[first..].to_vec());
        Ok(())
    }
}

/// Appends the first words of rows to `out`, up to the first row that does not end with `rest`, and from
/// that on all of each row to `longer`.
fn cut(rows: &[u64], first: usize, rest: &[u64], out: &mut Vec<u64>, longer: &mut Vec<u64>) {
    for row in rows.chunks_exact(first + rest.len()) {
        let (words, behind) = row.split_at(first);
        if longer.is_empty() && behind.iter().zip(rest).all(|(one, other)| one == other) {
            out.extend_from_slice(words);
        } else {
            longer.extend_from_slice(row);
        }
    }
}

/// How many words it takes, and at least so many, until all that is behind is the same in these rows and
/// another one.
fn needed(rows: &[u64], one: &[u64], least: usize) -> usize {
    let mut most = least;
    for row in rows.chunks_exact(one.len()) {
        let differs = |at: &usize| row[*at] != one[*at];
        most = (most..one.len()).rev().find(differs).map_or(most, |last| last + 1);
    }
    most
}

/// The number of the state with a row.
fn number(apart: &[u32], row: u32) -> StateIndex {
    if apart.is_empty() {
        return StateIndex(row);
    }
    let before = apart.partition_point(|&rows| rows <= row);
    StateIndex(row + u32::try_from(before).expect("fewer than 2^32 states"))
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
            let mut states = Numbers::new(width);
            let row = |at: u64| -> Vec<u64> { (0..width as u64).map(|word| at >> word).collect() };
            let mut expected: Vec<Option<u64>> = Vec::new();
            for at in 0..2 * FEW as u64 {
                if at % 1000 == 999 {
                    assert_eq!(states.push_apart().0 as usize, expected.len());
                    expected.push(None);
                }
                let mut out = Vec::new();
                states.add(&row(at));
                states.intern(&mut out).expect("room");
                assert_eq!(out, [(StateIndex(expected.len() as u32), true)]);
                expected.push(Some(at));
            }
            assert_eq!(states.len(), expected.len());
            assert!(!matches!(states.kept, Kept::List(_)));
            for (id, expected) in expected.iter().enumerate() {
                let mut words = vec![7; width];
                states.read(StateIndex(id as u32), &mut words);
                match *expected {
                    None => assert_eq!(words, vec![0; width]),
                    Some(at) => {
                        assert_eq!(words, row(at));
                        let mut out = Vec::new();
                        states.add(&row(at));
                        states.intern(&mut out).expect("it is there");
                        assert_eq!(out, [(StateIndex(id as u32), false)]);
                    }
                }
            }
        }
    }

    /// Words that are the same for long are there when they are not, and so is their order.
    #[test]
    fn words_that_were_the_same_are_kept_when_they_are_not() {
        for (width, batch) in [(2_usize, 1_u64), (2, 7), (3, 1), (3, 64), (4, 5)] {
            let mut states = Numbers::new(width);
            // One more word is needed every so many states, and not in all of them.
            let row = |at: u64| -> Vec<u64> {
                let parts = at / (FEW as u64 + 700);
                let word = |word: u64| match word {
                    0 => at % 5000,
                    _ if word <= parts && (at + word).is_multiple_of(3) => at,
                    _ => word / 2,
                };
                (0..width as u64).map(word).collect()
            };
            let mut expected: Vec<Vec<u64>> = Vec::new();
            let mut ids = std::collections::HashMap::new();
            let mut firsts = vec![];
            let mut base = vec![0; width];
            for start in (0..5 * FEW as u64).step_by(batch as usize) {
                if !expected.is_empty() {
                    let known = start as usize * 7 % expected.len();
                    states.read(StateIndex(known as u32), &mut base);
                    assert_eq!(base, expected[known]);
                }
                let rows: Vec<Vec<u64>> = (start..start + batch).map(row).collect();
                let mut answers = Vec::new();
                for row in &rows {
                    let new = !ids.contains_key(row);
                    let id = *ids.entry(row.clone()).or_insert(expected.len());
                    if new {
                        expected.push(row.clone());
                    }
                    answers.push((StateIndex(id as u32), new));
                }
                states.add(&rows.concat());
                assert_eq!(states.waiting(), rows.len());
                let mut out = Vec::new();
                states.intern(&mut out).expect("room");
                assert_eq!(out, answers, "{width} {batch} {start}");
                firsts.push(states.first);
            }
            firsts.dedup();
            let mut steps: Vec<usize> = (1..=width).collect();
            steps.insert(0, width);
            assert_eq!(firsts, steps, "whole rows in the list, then no more than needed");
            for (id, row) in expected.iter().enumerate() {
                states.get(StateIndex(id as u32), &mut base);
                assert_eq!(base, *row);
            }
        }
    }

    /// A state that has nothing to do with the one that was read last.
    #[test]
    fn a_state_alone_is_found_again() {
        let mut states = Numbers::new(2);
        let mut out = Vec::new();
        for at in 0..2 * FEW as u64 {
            states.add(&[at, 7]);
            states.intern(&mut out).expect("room");
        }
        states.read(StateIndex(5), &mut [0; 2]);
        out.clear();
        states.add_alone(&[0, 7]);
        states.intern(&mut out).expect("it is there");
        assert_eq!(out, [(StateIndex(0), false)]);
    }

    #[test]
    fn a_limit_is_kept() {
        let mut states = Numbers::new(1);
        states.limit(1 << 20);
        let mut out = Vec::new();
        let full = (0..1 << 20).find_map(|at| {
            states.add(&[at]);
            states.intern(&mut out).err()
        });
        assert_eq!(full, Some(StoreError::Budget { limit: 1 << 20 }));
        assert!(states.bytes() <= 1 << 20);
        // The old rows are still found.
        out.clear();
        states.add(&[5]);
        states.intern(&mut out).expect("it is there");
        assert_eq!(out, [(StateIndex(5), false)]);
    }

    /// States of very many words are soon kept as trees, of which each new one takes little.
    #[test]
    fn wide_states_take_little_memory() {
        const WIDTH: usize = 1 << 15;
        let mut states = Numbers::new(WIDTH);
        let mut row = vec![0; WIDTH];
        let mut out = Vec::new();
        for at in 0..100 {
            row[at * 300] = 1 + at as u64;
            states.add_alone(&row);
            states.intern(&mut out).expect("there is room");
        }
        assert_eq!(out.len(), 100);
        assert!(out.iter().enumerate().all(|(at, &(state, new))| state.0 as usize == at && new));
        // As a list they would take 26 MB.
        assert!(states.bytes() < 4 << 20, "{}", states.bytes());
        let mut words = vec![0; WIDTH];
        states.get(StateIndex(99), &mut words);
        assert_eq!(words, row);
    }
}
