//! Statistics of a search: counted only by an [`Observer`](super::Observer) that wants them, since counting at edges
//! costs two instructions in a hundred.

use crate::marks::Mark;

/// How a search went, beyond its size.
///
/// Components, parts and what is removed are counted by the engines that judge components; `ndfs` has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Components with an edge that were complete before an accepted path was found.
    pub components: usize,
    /// Nodes of the largest of them.
    pub largest: usize,
    /// Times that a component, or a part of one, was decomposed again after something had been removed.
    pub rounds: usize,
    /// How often something was removed, at the most, on the way to one part.
    pub nesting: usize,
    /// Edges that were removed; vertices for the references, which have marks on vertices.
    pub removed: usize,
    /// Which parts of the condition were not met, each with how often and why.
    pub failures: Vec<Failure>,
    /// Nodes that the search visited, where it visits copies of the graph's: one for each state of the monitors
    /// and of the counter, or for each set of marks on the steps into a node.
    pub copies: usize,
    /// Demands that the walk along the cycle settled.
    pub obligations: usize,
    /// Length of the cycle as the walk went.
    pub walk: usize,
}

/// A part of the condition that components, or parts of them, did not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its mark: the one under `Fin` if there is one. None where the condition is no conjunction of clauses.
    pub mark: Option<Mark>,
    /// Why it was not met.
    pub why: Why,
    /// How many components and parts did not meet it.
    pub times: usize,
}

/// Why a clause is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No edge carries the mark under `Inf`: nothing in this part is accepted.
    NeverMet,
    /// Edges carry the mark under `Fin` and none the one under `Inf`: these edges are removed.
    AskedInVain,
}

impl Statistics {
    /// Counts a complete component with an edge.
    pub(super) fn component(&mut self, nodes: usize) {
        self.components += 1;
        self.largest = self.largest.max(nodes);
    }

    /// Counts a decomposition after so many removals.
    pub(super) fn decomposes(&mut self, depth: usize) {
        self.rounds += 1;
        self.nesting = self.nesting.max(depth);
    }

    /// Counts a clause that is not met.
    pub(super) fn fails(&mut self, mark: Option<Mark>, why: Why) {
        // Usually the one that failed last time, and seldom many.
        match self.failures.iter_mut().find(|failure| (failure.mark, failure.why) == (mark, why)) {
            Some(failure) => failure.times += 1,
            None => self.failures.push(Failure { mark, why, times: 1 }),
        }
    }
}
