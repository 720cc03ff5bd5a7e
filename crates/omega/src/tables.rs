//! Tables with an entry for each of millions of nodes.

/// Makes room for an index.
pub fn grow<T: Clone>(table: &mut Vec<T>, index: usize, filler: T) {
    reserve(table, index + 1 - table.len());
    table.resize(index + 1, filler);
}

/// Makes room for so many more. A large table grows by a quarter at a time: doubling would leave half
/// of it unused, and moving it costs little, because the system moves its pages and not its bytes.
pub fn reserve<T>(table: &mut Vec<T>, more: usize) {
    if table.capacity() - table.len() < more {
        table.reserve_exact(more.max(table.len() / 4).max(64));
    }
}
