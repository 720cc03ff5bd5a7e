//! A graph with several sets to be met infinitely often, as one with a single set: the counter of
//! Choueka, explored on the fly.
//!
//! Malinen and Luukkainen (2003, Theorem 4) print the counter with an index that leaves its range
//! (`docs/papers.md` 000-2); here a level `l < k` waits for set `l`, one edge may satisfy several
//! sets in a row, and passing the last one is the accepting step. Without sets every step is
//! accepting.

use hashbrown::HashSet;

use crate::automaton::StateId;
use crate::graph::Graph;
use crate::marks::MarkSet;

use super::EmptinessError;
use super::watching::Event;

/// A step of the degeneralized graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelStep {
    pub(super) target: StateId,
    pub(super) accepting: bool,
}

/// Nodes are pairs of a node of the graph and a level, numbered `node · levels + level`.
pub(super) struct Degeneralized<'a, G> {
    graph: &'a mut G,
    sets: Vec<MarkSet>,
    buffer: Vec<crate::graph::Step>,
}

impl<'a, G: Graph> Degeneralized<'a, G> {
    pub(super) fn new(graph: &'a mut G, sets: Vec<MarkSet>) -> Self {
        Degeneralized { graph, sets, buffer: Vec::new() }
    }

    fn levels(&self) -> u32 {
        u32::try_from(self.sets.len()).expect("marks are numbered by u32").max(1)
    }

    fn pair(&self, node: StateId, level: u32) -> Result<StateId, EmptinessError> {
        node.0
            .checked_mul(self.levels())
            .and_then(|number| number.checked_add(level))
            .map(StateId)
            .ok_or(EmptinessError::TooLarge)
    }

    /// The node of the graph underneath.
    pub(super) fn base(&self, pair: StateId) -> StateId {
        StateId(pair.0 / self.levels())
    }

    /// The node underneath and the level.
    pub(super) fn parts(&self, pair: StateId) -> (StateId, u32) {
        (self.base(pair), pair.0 % self.levels())
    }

    /// Whether the search may visit another node after so many.
    pub(super) fn allows(&mut self, nodes: usize) -> bool {
        self.graph.allows(nodes)
    }

    pub(super) fn initial(&mut self) -> Result<Vec<StateId>, EmptinessError> {
        let nodes = self.graph.initial();
        nodes.into_iter().map(|node| self.pair(node, 0)).collect()
    }

    /// Appends the steps of `pair`, one for each step of its node and in the same order.
    pub(super) fn steps(
        &mut self,
        pair: StateId,
        out: &mut Vec<LevelStep>,
    ) -> Result<(), EmptinessError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.graph.steps(self.base(pair), &mut buffer);
        let start = pair.0 % self.levels();
        for step in &buffer {
            let marks = self.graph.marks(step.marks);
            let meets = |level: u32| self.sets[level as usize].intersects(&marks);
            let mut level = start;
            let mut accepting = self.sets.is_empty();
            if !accepting {
                while level < self.levels() && meets(level) {
                    level += 1;
                }
                if level == self.levels() {
                    accepting = true;
                    level = 0;
                    while level < start && meets(level) {
                        level += 1;
                    }
                }
            }
            out.push(LevelStep { target: self.pair(step.target, level)?, accepting });
        }
        self.buffer = buffer;
        Ok(())
    }
}

/// The steps of the degeneralization of a graph as events, breadth first: each keeps its level, which waits for
/// one of the sets, or passes it and perhaps others. `None` where the condition is no conjunction of `Inf`.
///
/// # Errors
/// When there are more nodes than numbers.
pub fn degeneralization<G: Graph>(graph: &mut G) -> Result<Option<Vec<Event>>, EmptinessError> {
    let Some(sets) = graph.acceptance().inf_clauses() else { return Ok(None) };
    let mut graph = Degeneralized::new(graph, sets);
    let mut queue = graph.initial()?;
    let mut met: HashSet<StateId> = queue.iter().copied().collect();
    let (mut events, mut steps, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(&pair) = queue.get(at) {
        at += 1;
        let (from, level) = graph.parts(pair);
        steps.clear();
        graph.steps(pair, &mut steps)?;
        for step in &steps {
            let (to, next) = graph.parts(step.target);
            let accepting = step.accepting;
            events.push(Event::Level { from: from.0, level, to: to.0, next, accepting });
            if met.insert(step.target) {
                queue.push(step.target);
            }
        }
    }
    Ok(Some(events))
}
