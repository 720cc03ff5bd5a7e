//! Rows of any width with numbers, for many threads.

use crate::{Nodes, Reserve, StateIndex, StoreError, Table, TreeBatch, TreeTable, Width};

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
pub struct SharedRows(Kept);

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
        Ok(SharedRows(match width {
            0..=NARROW => Kept::Rows(Box::new(Table::new(Width::words(width), limit)?)),
            _ => Kept::Trees(Box::new(TreeTable::new(width, limit)?)),
        }))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.0 {
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
        match &self.0 {
            Kept::Rows(table) => table.bytes(),
            Kept::Trees(table) => table.bytes(),
        }
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
        match &self.0 {
            Kept::Rows(_) => {
                RowNodes { of_tree: None, reserve: is_reserving.then(Reserve::default) }
            }
            Kept::Trees(table) => RowNodes {
                of_tree: Some((table.nodes(), table.batch(is_reserving))),
                reserve: None,
            },
        }
    }

    /// Copies the row with a number.
    ///
    /// # Panics
    /// If there is no such number, or the row has another width.
    pub fn get(&self, state: StateIndex, row: &mut [u64], nodes: &mut RowNodes) {
        match (&self.0, &mut nodes.of_tree) {
            (Kept::Rows(table), _) => table.get(state, row),
            (Kept::Trees(table), Some((nodes, _))) => table.get(state, row, nodes),
            (Kept::Trees(table), None) => table.get(state, row, &mut table.nodes()),
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
        match (&self.0, &mut nodes.of_tree, &mut nodes.reserve) {
            (Kept::Rows(table), _, Some(reserve)) => table.insert_reserving(row, reserve),
            (Kept::Rows(table), _, None) => table.insert_or_find(row),
            (Kept::Trees(table), Some((nodes, _)), _) => table.insert(row, nodes),
            (Kept::Trees(table), None, _) => table.insert(row, &mut table.nodes()),
        }
    }

    /// Stores a row that is not to be found, for what has a number beside the rows.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn push_apart(&self, row: &[u64], nodes: &mut RowNodes) -> Result<StateIndex, StoreError> {
        match (&self.0, &mut nodes.of_tree) {
            (Kept::Rows(table), _) => table.push_apart(row),
            (Kept::Trees(table), Some((nodes, _))) => table.push_apart(row, nodes),
            (Kept::Trees(table), None) => table.push_apart(row, &mut table.nodes()),
        }
    }

    /// Appends what inserting each of some rows says.
    ///
    /// # Errors
    /// If there is no room for one. Then `out` has answers for some rows before it.
    pub fn insert_all(
        &self,
        rows: &[u64],
        nodes: &mut RowNodes,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        match (&self.0, &mut nodes.of_tree, &mut nodes.reserve) {
            (Kept::Rows(table), _, Some(reserve)) => {
                table.insert_batch_reserving(rows, reserve, out)
            }
            (Kept::Rows(table), _, None) => table.insert_batch(rows, out),
            (Kept::Trees(table), Some((_, batch)), _) => table.insert_batch(rows, batch, out),
            (Kept::Trees(table), None, _) => table.insert_batch(rows, &mut table.batch(false), out),
        }
    }
}
