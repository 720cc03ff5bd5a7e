//! Tree compression: a row as a tree of pairs that rows share.
//!
//! The trees are those of [`TreeTable`](crate::TreeTable). Successors of many states are looked up
//! together, one level of all their trees after the other, so that memory is on its way before it is
//! needed.

use std::sync::Arc;

use crate::memory::Budget;
use crate::{Rapid, RowHash, StateIndex, StoreError, Words};

/// Rows of so many words have trees whose nodes fit into the bits of a word.
const NARROW: usize = 31;

/// A set of rows of one width, numbered from 0 in the order in which they were stored.
///
/// ```
/// use fairly_store::{StateIndex, Trees};
///
/// let mut trees = Trees::new(3, 1 << 20)?;
/// assert_eq!(trees.insert(&[1, 2, 3])?, (StateIndex(0), true));
/// let (mut row, mut out) = ([0; 3], Vec::new());
/// trees.read(StateIndex(0), &mut row);
/// // Rows that resemble the one that was read.
/// trees.add(&[1, 2, 4, 1, 2, 3]);
/// trees.insert_added(&mut out)?;
/// assert_eq!(out, [(StateIndex(1), true), (StateIndex(0), false)]);
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Trees<H = Rapid> {
    words: usize,
    /// Shared by the two.
    budget: Arc<Budget>,
    inner: Words<H>,
    roots: Words<H>,
    /// The rows that were read last, one after the other, and the numbers of their nodes.
    bases: Vec<u64>,
    of_bases: Vec<u32>,
    /// The one of them whose successors are added, if any was read at all.
    base: Option<usize>,
    added: Added,
    recent: Recent,
}

/// Rows that wait to be inserted.
#[derive(Debug, Default)]
struct Added {
    /// The pairs at the roots, or 0 for rows that are open.
    roots: Vec<u64>,
    /// The rows of which nodes have to be looked up in the table, by position.
    open: Vec<u32>,
    /// Those rows, the numbers of their nodes, as far as they are known, and for each a bit for every
    /// node that has to be looked up.
    rows: Vec<u64>,
    numbers: Vec<u32>,
    dirty: Vec<u64>,
    /// The pairs that are looked up at once, and for which row, or leaf.
    pairs: Vec<u64>,
    of: Vec<u32>,
    found: Vec<(StateIndex, bool)>,
}

impl Added {
    /// Clears all rows.
    fn clear(&mut self) {
        self.roots.clear();
        self.open.clear();
        self.rows.clear();
        self.numbers.clear();
        self.dirty.clear();
        self.pairs.clear();
        self.of.clear();
    }
}

/// Nodes that were looked up lately: words of states resemble each other so much that hardly any
/// look-up is of another one. Each pair has one place where it may be.
#[derive(Debug)]
struct Recent {
    places: Box<[(u64, u32)]>,
}

impl Recent {
    /// 256 KiB: what the cache of a processor has room for beside other things.
    const PLACES: usize = 1 << 14;
    /// No number.
    const NONE: u32 = u32::MAX;

    fn new() -> Recent {
        Recent { places: vec![(0, Recent::NONE); Recent::PLACES].into() }
    }

    #[inline]
    fn place(pair: u64) -> usize {
        // Any odd number with bits everywhere spreads the pairs over the highest bits.
        (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Recent::PLACES.ilog2())) as usize
    }

    #[inline]
    fn get(&self, pair: u64) -> Option<u32> {
        let (known, number) = self.places[Recent::place(pair)];
        (known == pair && number != Recent::NONE).then_some(number)
    }

    #[inline]
    fn put(&mut self, pair: u64, number: u32) {
        self.places[Recent::place(pair)] = (pair, number);
    }
}

impl Trees<Rapid> {
    /// An empty set of rows with so many words that takes at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for an empty set.
    ///
    /// # Panics
    /// If there are fewer than two words: those are [`Words`].
    pub fn new(words: usize, limit: usize) -> Result<Trees, StoreError> {
        Trees::with_hasher(words, limit, Rapid)
    }
}

impl<H: RowHash + Clone> Trees<H> {
    /// As [`Trees::new`], with another hash.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn with_hasher(words: usize, limit: usize, hasher: H) -> Result<Trees<H>, StoreError> {
        assert!(words > 1, "rows of single words are no trees");
        let budget = Arc::new(Budget::new(limit));
        let inner = Words::sharing(budget.clone(), hasher.clone())?;
        let roots = Words::sharing(budget.clone(), hasher)?;
        let (bases, of_bases) = (Vec::new(), Vec::new());
        let (added, recent) = (Added::default(), Recent::new());
        Ok(Trees { words, budget, inner, roots, bases, of_bases, base: None, added, recent })
    }
}

impl<H: RowHash> Trees<H> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// How many nodes below the roots there are.
    pub fn inner_nodes(&self) -> usize {
        self.inner.len()
    }

    /// How many bytes it has allocated.
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// Lets it take so many bytes from now on.
    pub fn allow(&mut self, limit: usize) {
        self.budget.allow(limit);
    }

    /// Copies the row of a number that this set has given out.
    ///
    /// # Panics
    /// If it has given out nothing near that number, or `row` has another width.
    pub fn get(&self, state: StateIndex, row: &mut [u64]) {
        if self.words <= NARROW {
            return self.decode(state, row, &mut [0; 2 * NARROW][..2 * self.words]);
        }
        self.decode(state, row, &mut vec![0; 2 * self.words]);
    }

    /// As [`get`](Trees::get), for a row whose successors are [added](Trees::add) next.
    ///
    /// # Panics
    /// As there.
    pub fn read(&mut self, state: StateIndex, row: &mut [u64]) {
        self.forget_bases();
        self.read_also(state, row);
    }

    /// As [`read`](Trees::read), beside other rows that were read since they were
    /// [forgotten](Trees::forget_bases): its successors can be added after
    /// [turning](Trees::turn_to) to it.
    ///
    /// # Panics
    /// As there.
    pub fn read_also(&mut self, state: StateIndex, row: &mut [u64]) {
        let (base, nodes) = (self.bases.len() / self.words, 2 * self.words);
        let mut numbers = std::mem::take(&mut self.of_bases);
        numbers.resize((base + 1) * nodes, 0);
        self.decode(state, row, &mut numbers[base * nodes..]);
        self.of_bases = numbers;
        self.bases.extend_from_slice(row);
        self.base = Some(base);
    }

    /// Drops the rows that were read, so that those that are added need not resemble any.
    pub fn forget_bases(&mut self) {
        self.bases.clear();
        self.of_bases.clear();
        self.base = None;
    }

    /// Goes back to a row by its position among those that were read since they were forgotten: what is
    /// added next resembles that one.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn turn_to(&mut self, base: usize) {
        assert!(base * self.words < self.bases.len(), "a row that was read");
        self.base = Some(base);
    }

    /// Widths that are frequent are known when this is compiled, so that their loops are unrolled.
    fn decode(&self, state: StateIndex, row: &mut [u64], numbers: &mut [u32]) {
        assert!(row.len() == self.words && numbers.len() == 2 * self.words, "words of a row");
        match self.words {
            2 => self.decode_words::<2>(state, row, numbers),
            3 => self.decode_words::<3>(state, row, numbers),
            4 => self.decode_words::<4>(state, row, numbers),
            _ => self.decode_words::<0>(state, row, numbers),
        }
    }

    /// As [`decode`](Trees::decode), for rows of so many words, or any number if that is 0.
    #[inline(always)]
    fn decode_words<const WORDS: usize>(
        &self,
        state: StateIndex,
        row: &mut [u64],
        numbers: &mut [u32],
    ) {
        let words = if WORDS == 0 { self.words } else { WORDS };
        let (row, numbers) = (&mut row[..words], &mut numbers[..2 * words]);
        (numbers[2], numbers[3]) = apart(self.roots.get(state));
        for node in 2..words {
            let pair = self.inner.get(StateIndex(numbers[node]));
            (numbers[2 * node], numbers[2 * node + 1]) = apart(pair);
        }
        for (word, &number) in row.iter_mut().zip(&numbers[words..]) {
            *word = self.inner.get(StateIndex(number));
        }
    }

    /// The number of a row, and whether it is new, while none that were added wait.
    ///
    /// # Errors
    /// If there is no room for it.
    ///
    /// # Panics
    /// If it has another width.
    pub fn insert(&mut self, row: &[u64]) -> Result<(StateIndex, bool), StoreError> {
        assert_eq!(row.len(), self.words, "words of a row");
        let (mut few, mut many) = ([0; 2 * NARROW], Vec::new());
        let numbers = if self.words <= NARROW {
            &mut few[..2 * self.words]
        } else {
            many.resize(2 * self.words, 0);
            &mut many[..]
        };
        for node in (2..2 * self.words).rev() {
            numbers[node] = self.inner.insert(pair(node, row, numbers))?.0.0;
        }
        self.roots.insert(pair(1, row, numbers))
    }

    /// Adds the rows that follow each other in `rows`, all of which resemble the one that was
    /// [read](Trees::read) last, to those that [`insert_added`](Trees::insert_added) inserts.
    ///
    /// # Panics
    /// If they have another width.
    pub fn add(&mut self, rows: &[u64]) {
        assert!(rows.len().is_multiple_of(self.words), "rows of {} words", self.words);
        match self.words {
            2 => self.add_pairs(rows),
            3 => self.add_narrow::<3>(rows),
            4 => self.add_narrow::<4>(rows),
            5..=NARROW => self.add_narrow::<0>(rows),
            _ => rows.chunks_exact(self.words).for_each(|row| self.add_open(row)),
        }
    }

    /// Adds a row of which everything that differs has to be looked up.
    fn add_open(&mut self, row: &[u64]) {
        let (added, nodes) = (&mut self.added, 2 * self.words);
        let first = added.dirty.len();
        added.dirty.resize(first + nodes.div_ceil(64), 0);
        let dirty = &mut added.dirty[first..];
        if let Some(base) = self.base {
            let base_row = &self.bases[base * self.words..][..self.words];
            for (node, (old, new)) in (self.words..).zip(base_row.iter().zip(row)) {
                dirty[node / 64] |= u64::from(old != new) << (node % 64);
            }
            added.numbers.extend_from_slice(&self.of_bases[base * nodes..][..nodes]);
        } else {
            (2..nodes).for_each(|node| dirty[node / 64] |= 1 << (node % 64));
            added.numbers.resize(added.numbers.len() + nodes, 0);
        }
        added.rows.extend_from_slice(row);
        added.open.push(added.roots.len() as u32);
        added.roots.push(0);
    }

    /// Adds rows with few nodes, which need not be kept if all of these were looked up lately. Of so many
    /// words, or any number if that is 0.
    fn add_narrow<const WORDS: usize>(&mut self, rows: &[u64]) {
        let words = if WORDS == 0 { self.words } else { WORDS };
        let nodes = 2 * words;
        let Some(base) = self.base else {
            return rows.chunks_exact(words).for_each(|row| self.add_open(row));
        };
        let of_base = &self.of_bases[base * nodes..][..nodes];
        let base = &self.bases[base * words..][..words];
        let (added, recent) = (&mut self.added, &self.recent);
        let mut scratch = [0; 2 * NARROW];
        let numbers = &mut scratch[..nodes];
        for row in rows.chunks_exact(words) {
            numbers.copy_from_slice(of_base);
            let mut dirty = 0;
            for (node, (old, new)) in (words..).zip(base.iter().zip(row)) {
                dirty |= u64::from(old != new) << node;
            }
            // Node 1 is the root.
            while dirty > 2 {
                let node = dirty.ilog2() as usize;
                let Some(number) = recent.get(pair(node, row, numbers)) else { break };
                dirty &= !(1 << node);
                if numbers[node] != number {
                    numbers[node] = number;
                    dirty |= 1 << (node / 2);
                }
            }
            if dirty > 2 {
                added.open.push(added.roots.len() as u32);
                added.dirty.push(dirty);
                added.rows.extend_from_slice(row);
                added.numbers.extend_from_slice(numbers);
            }
            added.roots.push(together(numbers[2], numbers[3]));
        }
    }

    /// Trees of a root and two leaves: the most frequent ones, and not worth a loop over their nodes.
    fn add_pairs(&mut self, rows: &[u64]) {
        let (Added { roots, pairs, of, .. }, recent) = (&mut self.added, &self.recent);
        let (mut base, mut of_base) = ([0; 2], [0; 2]);
        if let Some(at) = self.base {
            base.copy_from_slice(&self.bases[2 * at..][..2]);
            of_base.copy_from_slice(&self.of_bases[4 * at + 2..][..2]);
        }
        let has_base = self.base.is_some();
        let (rows, _) = rows.as_chunks::<2>();
        for row in rows {
            let at = roots.len() as u32 * 2;
            let mut leaf = |side: usize| {
                if row[side] == base[side] && has_base {
                    return of_base[side];
                }
                recent.get(row[side]).unwrap_or_else(|| {
                    pairs.push(row[side]);
                    of.push(at + side as u32);
                    0
                })
            };
            let root = together(leaf(0), leaf(1));
            roots.push(root);
        }
    }

    /// How many rows wait.
    pub fn added(&self) -> usize {
        self.added.roots.len()
    }

    /// Inserts the rows that were added, in their order. Appends their numbers to `out`, each with
    /// whether it is new.
    ///
    /// # Errors
    /// If there is no room for one of them. Then `out` has answers for some of those before it, and
    /// none wait any more.
    pub fn insert_added(&mut self, out: &mut Vec<(StateIndex, bool)>) -> Result<(), StoreError> {
        let inserted = match self.words {
            2 => self.look_up_leaves(),
            _ => self.look_up_nodes(),
        };
        let done = inserted.and_then(|()| self.roots.insert_batch(&self.added.roots, out));
        self.added.clear();
        done
    }

    /// Looks up the leaves that were not known.
    fn look_up_leaves(&mut self) -> Result<(), StoreError> {
        let Added { roots, pairs, of, found, .. } = &mut self.added;
        found.clear();
        self.inner.insert_batch(pairs, found)?;
        for ((&pair, &of), &(StateIndex(number), _)) in pairs.iter().zip(&*of).zip(&*found) {
            self.recent.put(pair, number);
            let side = [[number, 0], [0, number]][of as usize % 2];
            roots[of as usize / 2] |= together(side[0], side[1]);
        }
        Ok(())
    }

    /// Looks up all nodes below the roots that have to be, the lowest of all rows first, and makes the
    /// pairs at the roots.
    fn look_up_nodes(&mut self) -> Result<(), StoreError> {
        let (words, nodes) = (self.words, 2 * self.words);
        let blocks = nodes.div_ceil(64);
        let Added { roots, open, rows, numbers, dirty, pairs, of, found } = &mut self.added;
        if open.is_empty() {
            return Ok(());
        }
        for node in (2..nodes).rev() {
            pairs.clear();
            of.clear();
            found.clear();
            let (block, bit) = (node / 64, node % 64);
            for (at, dirty) in dirty.chunks_exact_mut(blocks).enumerate() {
                if dirty[block] >> bit & 1 == 0 {
                    continue;
                }
                let numbers = &mut numbers[at * nodes..][..nodes];
                let pair = pair(node, &rows[at * words..][..words], numbers);
                match self.recent.get(pair) {
                    Some(number) => settle(node, number, numbers, dirty),
                    None => {
                        pairs.push(pair);
                        of.push(at as u32);
                    }
                }
            }
            self.inner.insert_batch(pairs, found)?;
            for ((&pair, &of), &(StateIndex(number), _)) in pairs.iter().zip(&*of).zip(&*found) {
                self.recent.put(pair, number);
                let at = of as usize;
                let numbers = &mut numbers[at * nodes..][..nodes];
                settle(node, number, numbers, &mut dirty[at * blocks..][..blocks]);
            }
        }
        for (&at, numbers) in open.iter().zip(numbers.chunks_exact(nodes)) {
            roots[at as usize] = together(numbers[2], numbers[3]);
        }
        Ok(())
    }
}

/// Gives a node its number; what is above a node that is the same is the same.
#[inline]
fn settle(node: usize, number: u32, numbers: &mut [u32], dirty: &mut [u64]) {
    if numbers[node] != number {
        numbers[node] = number;
        dirty[node / 2 / 64] |= 1 << (node / 2 % 64);
    }
}

/// Word that represents a node: a word of the row, or the numbers of its children.
#[inline]
fn pair(node: usize, row: &[u64], numbers: &[u32]) -> u64 {
    match node.checked_sub(row.len()) {
        Some(word) => row[word],
        None => together(numbers[2 * node], numbers[2 * node + 1]),
    }
}

/// Three bytes of a number.
const THREE: u64 = (1 << 24) - 1;

/// A pair of numbers as a word: first three bytes of each, then their fourth, so that small numbers
/// make a word of six bytes.
#[inline]
fn together(left: u32, right: u32) -> u64 {
    let (left, right) = (u64::from(left), u64::from(right));
    if (left | right) <= THREE {
        return left | right << 24;
    }
    left & THREE | (right & THREE) << 24 | (left >> 24) << 48 | (right >> 24) << 56
}

/// The pair of numbers that a word is.
#[inline]
fn apart(word: u64) -> (u32, u32) {
    let (left, right) = ((word & THREE) as u32, (word >> 24 & THREE) as u32);
    match (word >> 48) as u32 {
        0 => (left, right),
        fourth => (left | fourth << 24, right | fourth >> 8 << 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_taken_apart_again() {
        let ends = [0, 1, 0xff, 0x1234, 0xffff, 0x1_0000, 0xab_cdef, 0x0100_0000, u32::MAX - 7];
        for (left, right) in ends.iter().flat_map(|&left| ends.map(|right| (left, right))) {
            let word = together(left, right);
            assert_eq!(apart(word), (left, right));
            assert_eq!(word < 1 << 48, left.max(right) < 1 << 24, "{left} {right}");
        }
    }
}
