//! A number for each node, written by any thread: how it was reached.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::growing::Growing;

/// A number for each node, in pieces that are made when they are needed.
///
/// ```
/// use fairly_store::Links;
/// let links = Links::default();
/// links.set(70_000, 3);
/// assert_eq!((links.get(70_000), links.get(5)), (3, Links::NONE));
/// ```
#[derive(Debug, Default)]
pub struct Links(Growing<AtomicU32>);

impl Links {
    /// Value of a node that was given none.
    pub const NONE: u32 = u32::MAX;

    /// Where the number of a node is.
    fn cell(&self, node: u32) -> &AtomicU32 {
        self.0.get_or_add(node as usize, || AtomicU32::new(Links::NONE))
    }

    /// Gives a node its number.
    pub fn set(&self, node: u32, number: u32) {
        // Release: a thread that sees the number sees what this one has done before.
        self.cell(node).store(number, Ordering::Release);
    }

    /// The number of a node.
    pub fn get(&self, node: u32) -> u32 {
        self.0.get(node as usize).map_or(Links::NONE, |cell| cell.load(Ordering::Acquire))
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A set of nodes, to which any thread adds: a bit for each, in pieces like those of [`Links`].
///
/// ```
/// use fairly_store::Marked;
/// let marked = Marked::default();
/// assert!(marked.insert(70_000) && !marked.insert(70_000));
/// assert!(marked.contains(70_000) && !marked.contains(70_001) && !marked.contains(7));
/// ```
#[derive(Debug, Default)]
pub struct Marked(Links);

impl Marked {
    /// Adds a node; whether it was not there.
    pub fn insert(&self, node: u32) -> bool {
        let bit = 1 << (node % u32::BITS);
        // The bits are those of the complement, because a link begins with all of them. A node that is there is
        // only looked at: a write would take the cache line from all other threads.
        let cell = self.0.cell(node / u32::BITS);
        cell.load(Ordering::Relaxed) & bit != 0 && cell.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// Whether a node is there.
    pub fn contains(&self, node: u32) -> bool {
        self.0.get(node / u32::BITS) & 1 << (node % u32::BITS) == 0
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_place_of_its_own() {
        let links = Links::default();
        let nodes = [0, 1, 4095, 4096, 4097, 12287, 12288, 100_000];
        for node in nodes {
            links.set(node, node + 7);
        }
        for node in nodes {
            assert_eq!(links.get(node), node + 7);
        }
        assert_eq!(links.get(2), Links::NONE);
    }
}
