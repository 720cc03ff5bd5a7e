//! Rows of any width with numbers, for many threads.
//!
//! Words at the end of rows that are nearly always the same are not stored ([`SharedRows::with_tail`]). A row that ends
//! in another way is kept apart, under a number that it takes from the others.

use std::sync::OnceLock;

use crate::sync::Patience;
use crate::{Links, Nodes, Reserve, StateIndex, StoreError, Table, TreeBatch, TreeTable, Width};

/// Rows of so many words are kept as they are; wider ones as trees.
const NARROW: usize = 3;

/// A set of rows with dense numbers in a [`Table`], or in a [`TreeTable`] if they are wide.
///
/// ```
/// use fairly_store::{SharedRows, StateIndex};
/// let rows = SharedRows::new(5, 1 << 20)?;
/// let mut nodes = rows.nodes();
/// assert_eq!(rows.insert(&[1, 2, 3, 4, 5], &mut nodes)?, (StateIndex(0), true));
/// assert_eq!(rows.insert(&[1, 2, 3, 4, 5], &mut nodes)?, (StateIndex(0), false));
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct SharedRows {
    kept: Kept,
    /// How nearly all rows end; these words are not stored.
    tail: Box<[u64]>,
    limit: usize,
    /// Rows that end in another way; there are none most of the time.
    apart: OnceLock<Apart>,
}

/// Rows that are kept as they are, with numbers of other rows.
#[derive(Debug)]
struct Apart {
    rows: Table,
    /// By their own numbers: their numbers among all rows.
    numbers: Links,
    /// The way back.
    places: Links,
}

/// Of a row apart: there was no room for its number.
const FAILED: u32 = Links::NONE - 1;

#[derive(Debug)]
enum Kept {
    Rows(Box<Table>),
    Trees(Box<TreeTable>),
}

/// Memory of a thread that asks for rows.
#[derive(Clone, Debug)]
pub struct RowNodes {
    of_tree: Option<(Nodes, TreeBatch)>,
    /// Of a table without trees; none if the numbers are to be dense.
    reserve: Option<Reserve>,
    /// Rows without their tails.
    short: Vec<u64>,
}

impl RowNodes {
    /// Takes numbers ahead from now on, or one by one. Gives up those that have been taken and given to no row.
    pub fn reserve(&mut self, is_reserving: bool) -> std::ops::Range<u32> {
        if let Some((_, batch)) = &mut self.of_tree {
            return batch.reserve(is_reserving);
        }
        let left = self.reserve.as_mut().map_or(0..0, Reserve::give_up);
        self.reserve = is_reserving.then(Reserve::default);
        left
    }
}

impl SharedRows {
    /// No rows, of so many words each, that will take at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for an empty table.
    pub fn new(width: usize, limit: usize) -> Result<SharedRows, StoreError> {
        SharedRows::with_tail(width, &[], limit)
    }

    /// The same for rows that nearly always end in some words, which take no room then.
    ///
    /// ```
    /// use fairly_store::{SharedRows, StateIndex};
    /// let rows = SharedRows::with_tail(2, &[7], 1 << 20)?;
    /// let mut nodes = rows.nodes();
    /// assert_eq!(rows.insert(&[1, 7], &mut nodes)?, (StateIndex(0), true));
    /// assert_eq!(rows.insert(&[1, 8], &mut nodes)?, (StateIndex(1), true));
    /// assert_eq!(rows.insert(&[1, 8], &mut nodes)?, (StateIndex(1), false));
    /// let mut row = [0; 2];
    /// rows.get(StateIndex(1), &mut row, &mut nodes);
    /// assert_eq!(row, [1, 8]);
    /// # Ok::<(), fairly_store::StoreError>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](SharedRows::new).
    ///
    /// # Panics
    /// If the tail is longer than a row.
    pub fn with_tail(width: usize, tail: &[u64], limit: usize) -> Result<SharedRows, StoreError> {
        assert!(tail.len() <= width, "a tail of {} words in {width}", tail.len());
        // One word at least is stored.
        let tail = &tail[tail.len() - tail.len().min(width.saturating_sub(1))..];
        let kept = match width - tail.len() {
            stored @ 0..=NARROW => Kept::Rows(Box::new(Table::new(Width::words(stored), limit)?)),
            stored => Kept::Trees(Box::new(TreeTable::new(stored, limit)?)),
        };
        Ok(SharedRows { kept, tail: tail.into(), limit, apart: OnceLock::new() })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.kept {
            Kept::Rows(table) => table.len(),
            Kept::Trees(table) => table.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        let kept = match &self.kept {
            Kept::Rows(table) => table.bytes(),
            Kept::Trees(table) => table.bytes(),
        };
        let of = |it: &Apart| it.rows.bytes() + it.numbers.bytes() + it.places.bytes();
        kept + self.apart.get().map_or(0, of)
    }

    /// Memory of a thread that asks for rows of this set.
    pub fn nodes(&self) -> RowNodes {
        self.memory(false)
    }

    /// Memory of one of several threads that add many rows: it takes numbers ahead, so that some may be those of
    /// no row ([`RowNodes::reserve`]).
    pub fn reserving(&self) -> RowNodes {
        self.memory(true)
    }

    fn memory(&self, is_reserving: bool) -> RowNodes {
        let short = Vec::new();
        match &self.kept {
            Kept::Rows(_) => {
                let reserve = is_reserving.then(Reserve::default);
                RowNodes { of_tree: None, reserve, short }
            }
            Kept::Trees(table) => {
                let of_tree = Some((table.nodes(), table.batch(is_reserving)));
                RowNodes { of_tree, reserve: None, short }
            }
        }
    }

    /// The words of a row that are stored, if it ends as nearly all do.
    #[inline]
    fn stored<'r>(&self, row: &'r [u64]) -> Option<&'r [u64]> {
        row.strip_suffix(&*self.tail)
    }

    /// Copies the row with a number.
    ///
    /// # Panics
    /// If there is no such number, or the row has another width.
    pub fn get(&self, state: StateIndex, row: &mut [u64], nodes: &mut RowNodes) {
        if let Some(apart) = self.apart.get() {
            let place = apart.places.get(state.0);
            if place != Links::NONE {
                return apart.rows.get(StateIndex(place), row);
            }
        }
        let (stored, tail) = row.split_at_mut(row.len().saturating_sub(self.tail.len()));
        tail.copy_from_slice(&self.tail);
        match (&self.kept, &mut nodes.of_tree) {
            (Kept::Rows(table), _) => table.get(state, stored),
            (Kept::Trees(table), Some((nodes, _))) => table.get(state, stored, nodes),
            (Kept::Trees(table), None) => table.get(state, stored, &mut table.nodes()),
        }
    }

    /// The number of a row, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    pub fn insert(
        &self,
        row: &[u64],
        nodes: &mut RowNodes,
    ) -> Result<(StateIndex, bool), StoreError> {
        let Some(row) = self.stored(row) else { return self.insert_apart(row, nodes) };
        match (&self.kept, &mut nodes.of_tree, &mut nodes.reserve) {
            (Kept::Rows(table), _, Some(reserve)) => table.insert_reserving(row, reserve),
            (Kept::Rows(table), _, None) => table.insert_or_find(row),
            (Kept::Trees(table), Some((nodes, _)), _) => table.insert(row, nodes),
            (Kept::Trees(table), None, _) => table.insert(row, &mut table.nodes()),
        }
    }

    /// The rows that end in another way.
    fn apart(&self, width: usize) -> Result<&Apart, StoreError> {
        if let Some(apart) = self.apart.get() {
            return Ok(apart);
        }
        let rows = Table::new(Width::words(width), self.limit)?;
        let (numbers, places) = (Links::default(), Links::default());
        Ok(self.apart.get_or_init(|| Apart { rows, numbers, places }))
    }

    /// The number of a row that ends in another way than nearly all.
    #[cold]
    fn insert_apart(
        &self,
        row: &[u64],
        nodes: &mut RowNodes,
    ) -> Result<(StateIndex, bool), StoreError> {
        let apart = self.apart(row.len())?;
        let (place, is_new) = apart.rows.insert_or_find(row)?;
        if is_new {
            let number = self.number_apart(row.len(), nodes);
            if let Ok(number) = number {
                apart.places.set(number.0, place.0);
            }
            // Last: a thread that finds the number finds the row, too.
            apart.numbers.set(place.0, number.as_ref().map_or(FAILED, |number| number.0));
            return Ok((number?, true));
        }
        let mut patience = Patience::default();
        loop {
            match apart.numbers.get(place.0) {
                Links::NONE => patience.wait(),
                FAILED => return Err(StoreError::Budget { limit: self.limit }),
                number => return Ok((StateIndex(number), false)),
            }
        }
    }

    /// A number for a row that is stored elsewhere.
    fn number_apart(&self, width: usize, nodes: &mut RowNodes) -> Result<StateIndex, StoreError> {
        let blank = vec![0; width - self.tail.len()];
        self.push_stored(&blank, nodes)
    }

    fn push_stored(&self, row: &[u64], nodes: &mut RowNodes) -> Result<StateIndex, StoreError> {
        match (&self.kept, &mut nodes.of_tree) {
            (Kept::Rows(table), _) => table.push_apart(row),
            (Kept::Trees(table), Some((nodes, _))) => table.push_apart(row, nodes),
            (Kept::Trees(table), None) => table.push_apart(row, &mut table.nodes()),
        }
    }

    /// Stores a row that is not to be found, for what has a number beside the rows.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn push_apart(&self, row: &[u64], nodes: &mut RowNodes) -> Result<StateIndex, StoreError> {
        if let Some(stored) = self.stored(row) {
            return self.push_stored(stored, nodes);
        }
        let apart = self.apart(row.len())?;
        let place = apart.rows.push_apart(row)?;
        let number = self.number_apart(row.len(), nodes)?;
        apart.places.set(number.0, place.0);
        Ok(number)
    }

    /// Appends what inserting each of some rows says, which are as wide as this.
    ///
    /// # Errors
    /// If there is no room for one. Then `out` has answers for some rows before it.
    ///
    /// # Panics
    /// If these are not whole rows.
    pub fn insert_all(
        &self,
        rows: &[u64],
        width: usize,
        nodes: &mut RowNodes,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        if self.tail.is_empty() {
            return self.insert_stored(rows, nodes, out);
        }
        let mut short = std::mem::take(&mut nodes.short);
        let mut left = rows.chunks_exact(width).peekable();
        let mut inserted = Ok(());
        while left.peek().is_some() && inserted.is_ok() {
            short.clear();
            while let Some(stored) = left.peek().and_then(|row| self.stored(row)) {
                short.extend_from_slice(stored);
                left.next();
            }
            inserted = self.insert_stored(&short, nodes, out);
            if let (Ok(()), Some(row)) = (inserted, left.next()) {
                inserted = self.insert_apart(row, nodes).map(|answer| out.push(answer));
            }
        }
        nodes.short = short;
        inserted
    }

    fn insert_stored(
        &self,
        rows: &[u64],
        nodes: &mut RowNodes,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        match (&self.kept, &mut nodes.of_tree, &mut nodes.reserve) {
            (Kept::Rows(table), _, Some(reserve)) => {
                table.insert_batch_reserving(rows, reserve, out)
            }
            (Kept::Rows(table), _, None) => table.insert_batch(rows, out),
            (Kept::Trees(table), Some((_, batch)), _) => table.insert_batch(rows, batch, out),
            (Kept::Trees(table), None, _) => table.insert_batch(rows, &mut table.batch(false), out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads insert the same rows, one in three of which ends in another way.
    #[test]
    fn rows_that_end_in_another_way_have_numbers_of_their_own() {
        for stored in [1, 2, NARROW + 2] {
            let width = stored + 2;
            let rows = SharedRows::with_tail(width, &[3, 0], 1 << 24).expect("memory");
            let row = |of: u64| -> Vec<u64> {
                let mut row: Vec<u64> = (0..stored as u64).map(|at| of / (at + 1)).collect();
                row.extend(if of.is_multiple_of(3) { [of, 1] } else { [3, 0] });
                row
            };
            let answers: Vec<Vec<(u64, StateIndex)>> = std::thread::scope(|scope| {
                let work = |thread: u64| {
                    let (mut nodes, mut answers) = (rows.reserving(), Vec::new());
                    for first in (0..3_000).step_by(10) {
                        let some: Vec<u64> =
                            (first..first + 10).map(|of| of * (thread + 7) % 997).collect();
                        let together: Vec<u64> = some.iter().flat_map(|&of| row(of)).collect();
                        let mut out = Vec::new();
                        rows.insert_all(&together, width, &mut nodes, &mut out).expect("room");
                        answers.extend(some.iter().zip(&out).map(|(&of, it)| (of, it.0)));
                        let single = rows.insert(&row(first), &mut nodes).expect("room");
                        answers.push((first, single.0));
                    }
                    answers
                };
                let threads: Vec<_> =
                    (0..3).map(|thread| scope.spawn(move || work(thread))).collect();
                threads.into_iter().map(|it| it.join().expect("no panic")).collect()
            });
            let mut known = std::collections::HashMap::new();
            let mut numbers = std::collections::HashSet::new();
            for &(of, number) in answers.iter().flatten() {
                if *known.entry(of).or_insert(number) != number {
                    panic!("{of} has two numbers");
                }
                let mut found = vec![9; width];
                rows.get(number, &mut found, &mut rows.nodes());
                assert_eq!(found, row(of));
            }
            assert!(known.values().all(|&number| numbers.insert(number)));
            let apart = rows.push_apart(&row(6), &mut rows.nodes()).expect("room");
            let mut found = vec![9; width];
            rows.get(apart, &mut found, &mut rows.nodes());
            assert!(numbers.insert(apart) && found == row(6));
        }
    }
}
