//! The interface between graphs and emptiness engines: a graph is explored while it is searched.
//!
//! [`Graph`] is all that an engine knows of an automaton, of a product, and later of a system under
//! a property. An explicit [`Automaton`] gives one with [`Automaton::graph`]; a product computes
//! its nodes when they are first asked for.

use std::borrow::Cow;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::marks::{MarkSet, MarkSetId};

/// A step from a node: where to, and with which marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node it leads to.
    pub target: StateId,
    /// The marks of the edge.
    pub marks: MarkSetId,
}

/// A rooted graph with marks on its edges, explored on demand.
///
/// Nodes are numbered from 0 without large gaps, because engines keep arrays indexed by node: some
/// bytes a number are wasted on one that is no node. The same node must give the same steps, in the
/// same order, every time it is asked.
pub trait Graph {
    /// The nodes to start from.
    fn initial(&mut self) -> Vec<StateId>;

    /// Appends the steps that leave `node` to `steps`, which may hold others already.
    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>);

    /// The set behind an id that this graph has handed out.
    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet>;

    /// Adds the set behind an id to another.
    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        set.union_with(&self.marks(id));
    }

    /// Which infinite paths are accepted.
    fn acceptance(&self) -> &Acceptance;

    /// Whether a search that has visited `nodes` nodes may visit another. An engine that makes many
    /// nodes out of one of the graph's, with monitors or a counter, asks this before each, because
    /// a graph that ends at a limit cannot know of them; where it may not, it gives up without a
    /// path. What was explored keeps its steps.
    fn allows(&mut self, nodes: usize) -> bool {
        let _ = nodes;
        true
    }

    /// Bytes that the graph holds, about; zero for one that is not counted.
    fn bytes(&self) -> usize {
        0
    }

    /// Tells the graph now and then how many bytes a search in it holds, so that one that ends at a
    /// limit can count them.
    fn charge(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// Tells the graph now and then how deep a search is, and of every component with an edge in it that is
    /// complete, for displays of progress.
    fn visit(&mut self, visit: Visit) {
        let _ = visit;
    }
}

/// Progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// So many nodes are on the path.
    Depth(usize),
    /// A component is complete and holds no accepted cycle, or it would have ended the search.
    Rejected,
}

/// One step of a path: the `nth` step of the node `from`, in the order of [`Graph::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node it leaves.
    pub from: StateId,
    /// Its position among the steps of `from`.
    pub nth: u32,
    /// The node it leads to.
    pub to: StateId,
}

/// An infinite path: the stem once, then the cycle for ever. The cycle is not empty; it starts
/// where the stem ends and returns there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From an initial node to the first node of the cycle.
    pub stem: Vec<Hop>,
    /// Back to where it starts.
    pub cycle: Vec<Hop>,
}

impl Automaton {
    /// The automaton as a graph to search.
    pub fn graph(&self) -> AutomatonGraph<'_> {
        AutomatonGraph { automaton: self, acceptance: None }
    }
}

/// An explicit automaton seen as a graph; step `n` of a node is its edge `n`.
#[derive(Clone, Debug)]
pub struct AutomatonGraph<'a> {
    automaton: &'a Automaton,
    acceptance: Option<Acceptance>,
}

impl AutomatonGraph<'_> {
    /// The same graph judged by another condition over the same marks.
    #[must_use]
    pub fn accepting(mut self, acceptance: Acceptance) -> Self {
        self.acceptance = Some(acceptance);
        self
    }
}

impl Graph for AutomatonGraph<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        self.automaton.initial().to_vec()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let edges = self.automaton.edges(node);
        steps.extend(edges.iter().map(|edge| Step { target: edge.target, marks: edge.marks }));
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.automaton.marks(id))
    }

    fn acceptance(&self) -> &Acceptance {
        self.acceptance.as_ref().unwrap_or(self.automaton.acceptance())
    }
}
