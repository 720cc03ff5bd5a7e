//! Events of a search as plain data, for observers that show it step by step.
//!
//! An [`Observer`] is a type parameter of the searches. [`Unwatched`] sees and counts nothing, and the code that would
//! make the events or count is not there.

use serde::{Deserialize, Serialize};

use crate::marks::MarkSet;

use super::statistics::Statistics;

/// Something that a search did. Nodes are those of the graph that was searched, by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A node was met and is on the path.
    Opened {
        /// The node.
        node: u32,
    },
    /// Nested depth-first search gave a node its colour.
    Coloured {
        /// The node.
        node: u32,
        /// Its level of the counter of sets; with monitors, the number of the copy.
        level: u32,
        /// The colour.
        colour: Colour,
    },
    /// The inner search starts over an accepting edge.
    Seed {
        /// Where the edge leads.
        node: u32,
        /// Its level.
        level: u32,
    },
    /// A step closed a cycle: partial components became one, with a root and marks.
    Merged {
        /// The nodes above the root on the stack of components, the root first.
        nodes: Vec<u32>,
        /// Marks of the edges inside that were seen.
        marks: Vec<u32>,
    },
    /// A component is complete, or a part of one that something was removed from, and is judged.
    Component {
        /// Its nodes.
        nodes: Vec<u32>,
    },
    /// Edges with these marks are left out of a part.
    Avoided {
        /// The marks.
        marks: Vec<u32>,
    },
    /// Nodes were removed because they are bad.
    Removed {
        /// The nodes.
        nodes: Vec<u32>,
    },
    /// A component is complete and dead; its root.
    Closed {
        /// The root.
        node: u32,
    },
    /// A step of a degeneralization: the level that waits for a set is kept, or it is passed.
    Level {
        /// Where the step begins.
        from: u32,
        /// The level there.
        level: u32,
        /// Where it leads.
        to: u32,
        /// The level there.
        next: u32,
        /// Whether the last level was passed.
        accepting: bool,
    },
    /// An accepted cycle was found.
    Accepted {
        /// The nodes of the stem.
        stem: Vec<u32>,
        /// The nodes of the cycle.
        cycle: Vec<u32>,
    },
}

/// The colours of nested depth-first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    /// On the path of the outer search.
    Cyan,
    /// The outer search is done with it.
    Blue,
    /// The inner search has been there.
    Red,
}

impl Event {
    /// The numbers of marks.
    pub(super) fn marks(marks: &MarkSet) -> Vec<u32> {
        marks.iter().map(|mark| mark.0).collect()
    }
}

/// Sees the events of a search, or counts its [`Statistics`], or both.
pub trait Observer {
    /// Whether it sees anything.
    const SEES: bool = true;

    /// Whether it counts anything.
    const COUNTS: bool = false;

    /// Sees one event, which is made only if an observer wants it.
    fn observe(&mut self, event: impl FnOnce() -> Event);

    /// Counts something. What an observer that does not count is given is never called.
    #[inline]
    fn count(&mut self, count: impl FnOnce(&mut Statistics)) {
        let _ = count;
    }
}

/// Sees nothing and counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    const SEES: bool = false;

    #[inline]
    fn observe(&mut self, _: impl FnOnce() -> Event) {}
}

/// Counts, and sees nothing.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    /// Statistics of the search.
    pub statistics: Statistics,
}

impl Observer for Counting {
    const SEES: bool = false;
    const COUNTS: bool = true;

    #[inline]
    fn observe(&mut self, _: impl FnOnce() -> Event) {}

    #[inline]
    fn count(&mut self, count: impl FnOnce(&mut Statistics)) {
        count(&mut self.statistics);
    }
}

/// Keeps all of them.
impl Observer for Vec<Event> {
    fn observe(&mut self, event: impl FnOnce() -> Event) {
        self.push(event());
    }
}
