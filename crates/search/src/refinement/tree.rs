//! Search tree of a breadth-first search: the met nodes, and the ways to them.

use fairly_omega::StateId;
use fairly_system::{ActionId, RunStep};

use super::view::Edge;
use crate::prefix::Prefix;

struct Node<T> {
    state: StateId,
    with: T,
    /// The node it was met from and the action; none for one to start in.
    came: Option<(u32, ActionId)>,
}

/// The nodes of a search, states of a system with something beside them, in the order in which
/// they were met: the list is also the queue.
pub(super) struct Tree<T> {
    nodes: Vec<Node<T>>,
}

impl<T: Copy> Tree<T> {
    pub(super) fn new() -> Self {
        Tree { nodes: Vec::new() }
    }

    pub(super) fn start(&mut self, state: StateId, with: T) {
        self.nodes.push(Node { state, with, came: None });
    }

    pub(super) fn add(&mut self, parent: usize, edge: Edge, with: T) {
        let parent = u32::try_from(parent).expect("fewer than 2^32 nodes");
        self.nodes.push(Node { state: edge.target, with, came: Some((parent, edge.action)) });
    }

    pub(super) fn get(&self, at: usize) -> Option<(StateId, T)> {
        self.nodes.get(at).map(|node| (node.state, node.with))
    }

    /// The steps of the system that led to a node.
    pub(super) fn prefix(&self, mut at: usize) -> Prefix {
        let mut steps = Vec::new();
        while let Some((parent, action)) = self.nodes[at].came {
            let to = self.nodes[at].state;
            at = parent as usize;
            steps.push(RunStep { from: self.nodes[at].state, action, to });
        }
        steps.reverse();
        Prefix { start: self.nodes[at].state, steps }
    }

    /// The same, and one step more.
    pub(super) fn prefix_and(&self, at: usize, edge: Edge) -> Prefix {
        let mut prefix = self.prefix(at);
        prefix.steps.push(edge.step(self.nodes[at].state));
        prefix
    }
}
