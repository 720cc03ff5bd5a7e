//! Tree compression: a row as a tree of pairs that rows share.
//!
//! The tree of a row with `w` words is that of a heap: node 1 is the root, the children of node `i` are
//! `2i` and `2i + 1`, and nodes `w` to `2w - 1` are the words. A node below the root is replaced by its
//! number in a table of 64-bit rows, which holds words and pairs of numbers alike: each says what its
//! children are, and the place in the tree says whether they are words. The pair at the root goes into
//! a table of its own, so that states have dense numbers.
//!
//! A state costs a pair at the root, 15 bytes, and whatever parts of it have not been seen before:
//! with `n` states that combine all halves with each other, that is the square root of `n` of them.
//! Laarman, van de Pol and Weber ("Parallel recursive state compression for free", SPIN 2011) begin with
//! 32-bit slots. Our words are rows of packed variables, so the lowest pair is the word itself.

use std::sync::Arc;

use crate::memory::Budget;
use crate::{Rapid, Reserve, RowHash, StateIndex, States, StoreError, Table, Width};

/// The numbers of all nodes of a row's tree: with them, a row that differs in one word costs a look-up
/// for each node above it.
///
/// [`TreeTable::nodes`] makes one; it belongs to the table that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// By node; those of the root and of no node are 0. Kept as what the pairs are made of.
    numbers: Box<[u32]>,
    /// Which nodes have to be looked up, while they are.
    dirty: Box<[u64]>,
}

impl Nodes {
    /// Makes these the nodes that others are, without a new allocation.
    ///
    /// # Panics
    /// If they are of rows with another width.
    pub fn copy_from(&mut self, other: &Nodes) {
        self.numbers.copy_from_slice(&other.numbers);
    }

    fn mark(&mut self, node: usize) {
        self.dirty[node / 64] |= 1 << (node % 64);
    }
}

/// A set of wide rows, numbered as those of a [`Table`].
///
/// ```
/// use fairly_store::{StateIndex, TreeTable};
///
/// let table = TreeTable::new(16, 1 << 20)?;
/// let mut nodes = table.nodes();
/// let mut row = [0; 16];
/// assert_eq!(table.insert(&row, &mut nodes)?, (StateIndex(0), true));
/// // A successor that differs in word 3: five look-ups instead of thirty-one.
/// row[3] = 7;
/// assert_eq!(table.insert_delta(&row, &[3], &mut nodes)?, (StateIndex(1), true));
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct TreeTable<H = Rapid> {
    words: usize,
    /// Shared by the two.
    budget: Arc<Budget>,
    inner: Table<H>,
    roots: Table<H>,
}

impl TreeTable<Rapid> {
    /// A table of rows with so many words that takes at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for an empty table.
    ///
    /// # Panics
    /// If there are no words, or more than 2^26.
    pub fn new(words: usize, limit: usize) -> Result<TreeTable, StoreError> {
        TreeTable::with_hasher(words, limit, Rapid)
    }
}

impl<H: RowHash + Clone> TreeTable<H> {
    /// As [`TreeTable::new`], with another hash.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn with_hasher(words: usize, limit: usize, hasher: H) -> Result<TreeTable<H>, StoreError> {
        let words = Width::words(words).in_words();
        let budget = Arc::new(Budget::new(limit));
        let inner = Table::sharing(Width::words(1), budget.clone(), hasher.clone())?;
        let roots = Table::sharing(Width::words(1), budget.clone(), hasher)?;
        Ok(TreeTable { words, budget, inner, roots })
    }
}

impl<H: RowHash> TreeTable<H> {
    /// How many words a row has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether it has no rows.
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

    /// Room for the nodes of a row.
    pub fn nodes(&self) -> Nodes {
        let nodes = 2 * self.words;
        Nodes { numbers: vec![0; nodes].into(), dirty: vec![0; nodes.div_ceil(64)].into() }
    }

    /// The number of a row, and whether it is new. Makes `nodes` those of the row.
    ///
    /// # Errors
    /// If there is no room for it; then `nodes` are of no row.
    ///
    /// # Panics
    /// If the row is not as wide as the table's, or `nodes` is of another width.
    pub fn insert(&self, row: &[u64], nodes: &mut Nodes) -> Result<(StateIndex, bool), StoreError> {
        self.check(row, nodes);
        for node in (2..2 * self.words).rev() {
            nodes.numbers[node] = self.inner.insert_or_find(&[self.pair(node, row, nodes)])?.0.0;
        }
        self.roots.insert_or_find(&[self.pair(1, row, nodes)])
    }

    /// Appends the answers of [`insert`](TreeTable::insert) for each of some rows that follow each other, with
    /// numbers from reserves, which go faster together: the memory for all nodes at one place of the trees is on
    /// its way at once, and a node that is that of the row before is not looked up.
    ///
    /// # Errors
    /// If there is no room for one of them. Then `out` may lack answers for rows before it.
    ///
    /// # Panics
    /// If `rows` is not made of rows as wide as the table's.
    pub fn insert_batch(
        &self,
        rows: &[u64],
        batch: &mut TreeBatch,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        let words = self.words;
        assert!(rows.len().is_multiple_of(words), "{} words are not rows of {words}", rows.len());
        let TreeBatch { numbers, pairs, found, inner, roots } = batch;
        for rows in rows.chunks(words * AT_ONCE) {
            let count = rows.len() / words;
            numbers.resize(count * 2 * words, 0);
            for node in (1..2 * words).rev() {
                pairs.clear();
                for (row, numbers) in
                    rows.chunks_exact(words).zip(numbers.chunks_exact_mut(2 * words))
                {
                    let pair = pair(node, row, numbers);
                    if node == 1 || pairs.last() != Some(&pair) {
                        pairs.push(pair);
                    }
                    // The position of its answer, until there is one.
                    numbers[node] = pairs.len() as u32 - 1;
                }
                if node == 1 {
                    break;
                }
                found.clear();
                self.inner.insert_batch_reserving(pairs, inner, found)?;
                for numbers in numbers.chunks_exact_mut(2 * words) {
                    numbers[node] = found[numbers[node] as usize].0.0;
                }
            }
            match roots {
                Some(roots) => self.roots.insert_batch_reserving(pairs, roots, out)?,
                None => self.roots.insert_batch(pairs, out)?,
            }
        }
        Ok(())
    }

    /// Room to work with for a thread that inserts several rows at once; with a reserve of numbers for rows or not.
    pub fn batch(&self, is_reserving: bool) -> TreeBatch {
        TreeBatch { roots: is_reserving.then(Reserve::default), ..TreeBatch::default() }
    }

    /// Stores a row that is there once more, so that it is not to be found: for what has a number beside the rows.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn push_apart(&self, row: &[u64], nodes: &mut Nodes) -> Result<StateIndex, StoreError> {
        self.check(row, nodes);
        for node in (2..2 * self.words).rev() {
            nodes.numbers[node] = self.inner.insert_or_find(&[self.pair(node, row, nodes)])?.0.0;
        }
        self.roots.push_apart(&[self.pair(1, row, nodes)])
    }

    /// As [`insert`](TreeTable::insert), for a row that differs from the one that `nodes` are of in
    /// nothing but the `changed` words, which may be named more than once, in any order, and need not
    /// differ.
    ///
    /// # Errors
    /// If there is no room for it; then `nodes` are of no row.
    ///
    /// # Panics
    /// If the row or `nodes` are of another width, or there are no such words.
    pub fn insert_delta(
        &self,
        row: &[u64],
        changed: &[usize],
        nodes: &mut Nodes,
    ) -> Result<(StateIndex, bool), StoreError> {
        self.check(row, nodes);
        nodes.dirty.fill(0);
        for &word in changed {
            assert!(word < self.words, "word {word} of {}", self.words);
            nodes.mark(self.words + word);
        }
        self.look_up(row, nodes)?;
        self.roots.insert_or_find(&[self.pair(1, row, nodes)])
    }

    /// The number of a row, if it is there.
    ///
    /// # Panics
    /// If the row is not as wide as the table's.
    pub fn find(&self, row: &[u64]) -> Option<StateIndex> {
        let mut nodes = self.nodes();
        self.check(row, &nodes);
        for node in (2..2 * self.words).rev() {
            nodes.numbers[node] = self.inner.find(&[self.pair(node, row, &nodes)])?.0;
        }
        self.roots.find(&[self.pair(1, row, &nodes)])
    }

    /// Copies the row of a number that this table has given out, and its nodes.
    ///
    /// # Panics
    /// If it has given out nothing near that number, or `row` or `nodes` are of another width.
    pub fn get(&self, state: StateIndex, row: &mut [u64], nodes: &mut Nodes) {
        self.check(row, nodes);
        let mut pair = [0];
        self.roots.get(state, &mut pair);
        for node in 1..2 * self.words {
            if node > 1 {
                self.inner.get(StateIndex(nodes.numbers[node]), &mut pair);
            }
            if node >= self.words {
                row[node - self.words] = pair[0];
            } else {
                nodes.numbers[2 * node] = pair[0] as u32;
                nodes.numbers[2 * node + 1] = (pair[0] >> 32) as u32;
            }
        }
    }

    /// Looks up all nodes below the root that are marked, and those above what has changed.
    fn look_up(&self, row: &[u64], nodes: &mut Nodes) -> Result<(), StoreError> {
        // A child comes after its parent, so from the last on every node is looked up once.
        for block in (0..nodes.dirty.len()).rev() {
            while nodes.dirty[block] != 0 {
                let bit = nodes.dirty[block].ilog2() as usize;
                nodes.dirty[block] &= !(1 << bit);
                let node = block * 64 + bit;
                if node == 1 {
                    continue;
                }
                let pair = self.pair(node, row, nodes);
                let number = self.inner.insert_or_find(&[pair])?.0.0;
                // Nodes above an unchanged node are unchanged.
                if nodes.numbers[node] != number {
                    nodes.numbers[node] = number;
                    nodes.mark(node / 2);
                }
            }
        }
        Ok(())
    }

    fn check(&self, row: &[u64], nodes: &Nodes) {
        assert_eq!(row.len(), self.words, "words of a row");
        assert_eq!(nodes.numbers.len(), 2 * self.words, "nodes of a row");
    }

    /// Word that represents a node: a word of the row, or the numbers of its children.
    fn pair(&self, node: usize, row: &[u64], nodes: &Nodes) -> u64 {
        pair(node, row, &nodes.numbers)
    }
}

/// The same for a row with these numbers of nodes.
#[inline]
fn pair(node: usize, row: &[u64], numbers: &[u32]) -> u64 {
    match node.checked_sub(row.len()) {
        Some(word) => row[word],
        None => u64::from(numbers[2 * node]) | u64::from(numbers[2 * node + 1]) << 32,
    }
}

/// Rows whose nodes are looked up together.
const AT_ONCE: usize = 64;

/// Room to work with for a thread that inserts several rows at once: [`TreeTable::insert_batch`].
#[derive(Clone, Debug, Default)]
pub struct TreeBatch {
    /// By row and node.
    numbers: Vec<u32>,
    /// At one place of the trees.
    pairs: Vec<u64>,
    found: Vec<(StateIndex, bool)>,
    /// Numbers for nodes, and for rows unless these are to be dense.
    inner: Reserve,
    roots: Option<Reserve>,
}

impl TreeBatch {
    /// Takes numbers for rows ahead from now on, or one by one. Gives up those that are left.
    pub fn reserve(&mut self, is_reserving: bool) -> std::ops::Range<u32> {
        let left = self.roots.as_mut().map_or(0..0, Reserve::give_up);
        self.roots = is_reserving.then(Reserve::default);
        left
    }
}

impl<H: RowHash> States for TreeTable<H> {
    fn insert(&self, row: &[u64]) -> Result<bool, StoreError> {
        let mut nodes = self.nodes();
        TreeTable::insert(self, row, &mut nodes).map(|(_, new)| new)
    }

    fn contains(&self, row: &[u64]) -> bool {
        self.find(row).is_some()
    }

    fn len(&self) -> usize {
        TreeTable::len(self)
    }

    fn bytes(&self) -> usize {
        TreeTable::bytes(self)
    }

    fn expected_omissions(&self) -> f64 {
        0.0
    }
}
