//! A graph with marks on its nodes, as the papers have it: a node of this one is a node of the graph
//! underneath with the marks of the step that led there.
//!
//! This is the price of acceptance on states (`docs/papers.md` 002-14, 004-18): a node is copied for
//! every set of marks on the steps into it. A path takes the same marks in both graphs, up to those of
//! its first node, which has none.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Step};
use crate::marks::{MarkSet, MarkSetId};

/// A node underneath, and the marks of the step that led there.
type Vertex = (StateId, MarkSetId);

/// The graph with its marks on nodes. Step `n` of a vertex is step `n` of its node.
pub(super) struct Entered<'a, G> {
    graph: &'a mut G,
    vertices: Vec<Vertex>,
    numbers: HashMap<Vertex, StateId>,
    overflowed: bool,
}

impl<'a, G: Graph> Entered<'a, G> {
    pub(super) fn new(graph: &'a mut G) -> Self {
        Entered { graph, vertices: Vec::new(), numbers: HashMap::new(), overflowed: false }
    }

    /// Whether there were more vertices than numbers. Steps to the others were left out, so that there is
    /// no path means nothing then.
    pub(super) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The node underneath.
    pub(super) fn base(&self, vertex: StateId) -> StateId {
        self.vertices[vertex.index()].0
    }

    /// The marks of a vertex.
    pub(super) fn marks_of(&self, vertex: StateId) -> Cow<'_, MarkSet> {
        self.graph.marks(self.vertices[vertex.index()].1)
    }

    /// A step of the graph underneath.
    pub(super) fn base_hop(&self, hop: &Hop) -> Hop {
        Hop { from: self.base(hop.from), nth: hop.nth, to: self.base(hop.to) }
    }

    /// Bytes of the tables.
    pub(super) fn own_bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<Vertex>()
            + self.numbers.capacity() * (size_of::<(Vertex, StateId)>() + 1)
    }

    fn number(&mut self, vertex: Vertex) -> Option<StateId> {
        if let Some(&known) = self.numbers.get(&vertex) {
            return Some(known);
        }
        let Some(fresh) = u32::try_from(self.vertices.len()).ok().filter(|&id| id < u32::MAX - 1)
        else {
            self.overflowed = true;
            return None;
        };
        self.vertices.push(vertex);
        self.numbers.insert(vertex, StateId(fresh));
        Some(StateId(fresh))
    }
}

impl<G: Graph> Graph for Entered<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        let nodes = self.graph.initial();
        nodes.into_iter().filter_map(|node| self.number((node, MarkSetId::EMPTY))).collect()
    }

    fn steps(&mut self, vertex: StateId, steps: &mut Vec<Step>) {
        let begin = steps.len();
        let node = self.base(vertex);
        self.graph.steps(node, steps);
        let mut kept = begin;
        for at in begin..steps.len() {
            let Step { target, marks } = steps[at];
            // Once numbers have run out nothing is sure, so that steps change their places does no harm.
            if let Some(target) = self.number((target, marks)) {
                steps[kept] = Step { target, marks };
                kept += 1;
            }
        }
        steps.truncate(kept);
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.graph.marks(id)
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }

    fn allows(&mut self, nodes: usize) -> bool {
        self.graph.allows(nodes)
    }
}
