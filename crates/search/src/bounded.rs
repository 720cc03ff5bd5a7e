//! A graph that ends where a limit is reached.
//!
//! Bounding the graph leaves the engines as they are: a node that is asked for its steps after the
//! limit has none. Only `ndfs`, whose monitors and counter make many nodes out of one, asks before
//! each of its own whether it may go on: it would search 2ᵏ copies of a graph that is explored to
//! the end already. A lasso that is found is real all the same; without one, the answer is unknown
//! if anything was cut.

use std::time::{Duration, Instant};

use fairly_omega::{Acceptance, Graph, MarkSet, MarkSetId, Refused, StateId, Step};

/// How much a search may explore.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Nodes to be expanded at the most.
    pub nodes: Option<usize>,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// So many nodes were expanded.
    Nodes(usize),
    /// The time was up after so long.
    Time(Duration),
    /// The condition was too hard to decide.
    Hard(Refused),
    /// The system itself went no further in this state: its [`fault`] is a limit of the tool.
    ///
    /// [`fault`]: fairly_system::TransitionSystem::fault
    Limit(StateId),
}

impl From<Refused> for Cut {
    fn from(refused: Refused) -> Self {
        Cut::Hard(refused)
    }
}

/// A graph under [`Bounds`].
pub struct Bounded<'a, G> {
    graph: &'a mut G,
    bounds: Bounds,
    started: Instant,
    /// By node: whether it was expanded before a limit was reached. Those keep their steps, since a
    /// graph must not change under a search.
    expanded: Vec<bool>,
    count: usize,
    /// How often an engine has asked whether it may go on.
    asked: usize,
    cut: Option<Cut>,
}

impl<'a, G: Graph> Bounded<'a, G> {
    /// The graph under these bounds, which begin to count now.
    pub fn new(graph: &'a mut G, bounds: Bounds) -> Self {
        let started = Instant::now();
        Bounded { graph, bounds, started, expanded: Vec::new(), count: 0, asked: 0, cut: None }
    }

    /// The limit that was reached, if one was.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// The limit that `count` nodes reach, if any; `turn` grows by one each time.
    fn reached(&self, count: usize, turn: usize) -> Option<Cut> {
        match (self.bounds.nodes, self.bounds.deadline) {
            (Some(nodes), _) if count >= nodes => Some(Cut::Nodes(nodes)),
            // The clock is asked now and then; it costs more than a small node.
            (_, Some(deadline)) if turn.is_multiple_of(64) && Instant::now() >= deadline => {
                Some(Cut::Time(self.started.elapsed()))
            }
            _ => None,
        }
    }
}

impl<G: Graph> Graph for Bounded<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        self.graph.initial()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        if node.index() >= self.expanded.len() {
            self.expanded.resize(node.index() + 1, false);
        }
        if !self.expanded[node.index()] {
            self.cut = self.cut.or_else(|| self.reached(self.count, self.count));
            if self.cut.is_some() {
                return;
            }
            self.expanded[node.index()] = true;
            self.count += 1;
        }
        self.graph.steps(node, steps);
    }

    fn marks(&self, id: MarkSetId) -> &MarkSet {
        self.graph.marks(id)
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }

    fn allows(&mut self, nodes: usize) -> bool {
        self.asked += 1;
        self.cut = self.cut.or_else(|| self.reached(nodes, self.asked));
        self.cut.is_none()
    }
}
