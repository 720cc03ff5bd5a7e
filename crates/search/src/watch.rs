//! Searches seen from another thread: how far they are, and a way to ask them to stop.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Numbers that a search keeps up to date while it runs, and a wish that it heeds.
///
/// They are written one by one and now and then, so what is read together may be a little apart.
#[derive(Debug, Default)]
pub struct Watch {
    stop: AtomicBool,
    nodes: AtomicUsize,
    steps: AtomicUsize,
    waiting: AtomicUsize,
    components: AtomicUsize,
    bytes: AtomicUsize,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// States, or nodes of a product, that were expanded.
    pub nodes: usize,
    /// Steps that leave them.
    pub steps: usize,
    /// Nodes on the path of a search, or in the queue of a walk.
    pub waiting: usize,
    /// Components with a cycle that were complete; none of them held an accepted one.
    pub components: usize,
    /// Bytes held, where they are counted.
    pub bytes: usize,
}

impl Watch {
    /// Asks whoever searches to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How far the search is.
    pub fn seen(&self) -> Seen {
        let of = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        Seen {
            nodes: of(&self.nodes),
            steps: of(&self.steps),
            waiting: of(&self.waiting),
            components: of(&self.components),
            bytes: of(&self.bytes),
        }
    }

    /// Another search begins.
    pub fn begin(&self) {
        for number in [&self.nodes, &self.steps, &self.waiting, &self.components, &self.bytes] {
            number.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn see_nodes(&self, nodes: usize) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    pub(crate) fn see_steps(&self, more: usize) {
        // Only one thread searches, so nothing is lost between the two.
        let steps = self.steps.load(Ordering::Relaxed) + more;
        self.steps.store(steps, Ordering::Relaxed);
    }

    pub(crate) fn see_walk(&self, steps: usize, waiting: usize) {
        self.steps.store(steps, Ordering::Relaxed);
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    pub(crate) fn see_depth(&self, depth: usize) {
        self.waiting.store(depth, Ordering::Relaxed);
    }

    pub(crate) fn see_component(&self) {
        let components = self.components.load(Ordering::Relaxed) + 1;
        self.components.store(components, Ordering::Relaxed);
    }

    pub(crate) fn see_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }
}
