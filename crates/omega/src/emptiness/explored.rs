//! A graph that has been explored to the end and is kept.
//!
//! The engines stop at the first accepted path and forget. Some questions are about every node:
//! from which is there an accepted path at all, what is a shortest way to one from which there is
//! none, is there an accepted part with a further demand on it. [`Explored`] answers them on a copy
//! of the graph, in one decomposition and not in one search a node.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Lasso, Step};
use crate::marks::{MarkSet, MarkSetId, MarkTable};
use crate::refused::BudgetError;

use super::component::{Component, Region};
use super::short::Way;
use super::{EmptinessError, short};

/// A copy of the reachable part of a graph. Its nodes are renumbered in the order of a breadth-first
/// search, so that of two nodes the one with the smaller number is not farther from the start; the
/// steps of a node keep their order.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark, MarkSet, emptiness::Explored};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let (good, bad) = (builder.add_state(), builder.add_state());
/// builder.add_initial(good);
/// builder.add_edge(good, Label::TRUE, [Mark(0)].into_iter().collect(), good);
/// builder.add_edge(good, Label::TRUE, MarkSet::new(), bad);
/// builder.add_edge(bad, Label::TRUE, MarkSet::new(), bad);
/// let explored = Explored::of(&mut builder.build().graph()).unwrap();
/// assert_eq!(explored.productive().unwrap(), [true, false]);
/// let doomed = explored.nodes().nth(1).unwrap();
/// assert_eq!(explored.path_to(doomed).len(), 1);
/// ```
pub struct Explored {
    rows: Component,
    marks: MarkTable,
    acceptance: Acceptance,
    starts: usize,
    /// The node and its step by which each node was reached first; a start is its own parent.
    parents: Vec<(u32, u32)>,
}

/// A strongly connected part of an explored graph. A path that goes round in it and takes every
/// edge infinitely often is accepted; so is one that only takes edges of the part and sees every
/// mark of `sought` infinitely often.
#[derive(Clone, Debug)]
pub struct AcceptedPart {
    /// Its nodes.
    pub members: Vec<StateId>,
    /// Edges with one of these marks do not belong to it.
    pub avoided: MarkSet,
    /// Marks of its edges that the condition asks for.
    pub sought: MarkSet,
}

/// Not reached yet.
const NEW: u32 = u32::MAX;
/// Nodes between two reports of what is held.
const REPORT: u32 = 1 << 10;

impl Explored {
    /// Explores the graph to its end.
    ///
    /// # Errors
    /// When there are too many nodes or edges to number.
    pub fn of<G: Graph>(graph: &mut G) -> Result<Self, EmptinessError> {
        let mut rows = Component::new();
        let mut table = MarkTable::new();
        // Ids of the graph may be anything, so those of the copy are looked up.
        let mut ids: HashMap<MarkSetId, MarkSetId> = HashMap::new();
        let mut queue: Vec<StateId> = Vec::new();
        let mut parents: Vec<(u32, u32)> = Vec::new();
        let mut local: Vec<u32> = Vec::new();
        let mut number = |queue: &mut Vec<StateId>, node: StateId| {
            if node.index() >= local.len() {
                local.resize(node.index() + 1, NEW);
            }
            let fresh = local[node.index()] == NEW;
            if fresh {
                local[node.index()] = u32::try_from(queue.len()).expect("nodes are distinct u32");
                queue.push(node);
            }
            (local[node.index()], fresh)
        };
        for node in graph.initial() {
            if let (start, true) = number(&mut queue, node) {
                parents.push((start, 0));
            }
        }
        let starts = queue.len();
        let mut steps = Vec::new();
        let mut row = Vec::new();
        let mut at = 0u32;
        while let Some(&node) = queue.get(at as usize) {
            steps.clear();
            graph.steps(node, &mut steps);
            row.clear();
            for (nth, step) in (0u32..).zip(&steps) {
                let (target, fresh) = number(&mut queue, step.target);
                if fresh {
                    parents.push((at, nth));
                }
                let marks = *ids
                    .entry(step.marks)
                    .or_insert_with(|| table.intern(graph.marks(step.marks).into_owned()));
                row.push((target, marks));
            }
            if !rows.add(node, row.iter().copied()) {
                return Err(EmptinessError::TooLarge);
            }
            at = at.checked_add(1).ok_or(EmptinessError::TooLarge)?;
            if at.is_multiple_of(REPORT) {
                let met = queue.len() * size_of::<StateId>() + parents.len() * 8;
                graph.charge(rows.bytes() + met);
            }
        }
        let acceptance = graph.acceptance().clone();
        Ok(Explored { rows, marks: table, acceptance, starts, parents })
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.rows.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.rows.edge_count()
    }

    /// All nodes, the nearest to the start first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.rows.len()).map(StateId::from_index)
    }

    /// The initial nodes: the first ones.
    pub fn starts(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.starts).map(StateId::from_index)
    }

    /// The node of the graph that was explored.
    pub fn original(&self, node: StateId) -> StateId {
        self.rows.node(node.0)
    }

    /// The positions of a node's steps among all steps, for tables indexed by step; in order.
    pub fn positions(&self, node: StateId) -> std::ops::Range<usize> {
        self.rows.range(node.0)
    }

    /// The steps that leave a node.
    pub fn steps_of(&self, node: StateId) -> impl Iterator<Item = Step> + '_ {
        let step = |edge: super::component::LocalEdge| Step {
            target: StateId(edge.target),
            marks: edge.marks,
        };
        self.rows.edges(node.0).map(step)
    }

    /// The marks with this id.
    pub fn mark_set(&self, id: MarkSetId) -> &MarkSet {
        self.marks.get(id)
    }

    /// A shortest path from a start.
    pub fn path_to(&self, node: StateId) -> Vec<Hop> {
        let mut path = Vec::new();
        let mut at = node.0;
        while at as usize >= self.starts {
            let (parent, nth) = self.parents[at as usize];
            path.push(Hop { from: StateId(parent), nth, to: StateId(at) });
            at = parent;
        }
        path.reverse();
        path
    }

    /// The strongly connected components with an edge, each with the marks of its edges.
    pub fn components(&self) -> Vec<(Vec<StateId>, MarkSet)> {
        let ids = |members: Vec<u32>| members.into_iter().map(StateId).collect();
        let found = self.rows.components(self);
        found.into_iter().map(|(members, present)| (ids(members), present)).collect()
    }

    /// By node: whether one of `goals` can be reached from it.
    pub fn can_reach(&self, goals: impl IntoIterator<Item = StateId>) -> Vec<bool> {
        let nodes = self.node_count();
        // The edges turned round, sorted by target.
        let mut first = vec![0u32; nodes + 1];
        for node in self.nodes() {
            for step in self.steps_of(node) {
                first[step.target.index() + 1] += 1;
            }
        }
        for at in 0..nodes {
            first[at + 1] += first[at];
        }
        let mut sources = vec![StateId(0); self.edge_count()];
        let mut next = first.clone();
        for node in self.nodes() {
            for step in self.steps_of(node) {
                let slot = &mut next[step.target.index()];
                sources[*slot as usize] = node;
                *slot += 1;
            }
        }
        let mut reaching = vec![false; nodes];
        let mut stack: Vec<StateId> = Vec::new();
        for goal in goals {
            if !reaching[goal.index()] {
                reaching[goal.index()] = true;
                stack.push(goal);
            }
        }
        while let Some(node) = stack.pop() {
            let range = first[node.index()] as usize..first[node.index() + 1] as usize;
            for &source in &sources[range] {
                if !reaching[source.index()] {
                    reaching[source.index()] = true;
                    stack.push(source);
                }
            }
        }
        reaching
    }

    /// By node: whether an accepted path starts there.
    ///
    /// # Errors
    /// When the condition is too hard to decide; so for the questions below.
    pub fn productive(&self) -> Result<Vec<bool>, BudgetError> {
        let mut goals = Vec::new();
        self.rows.each_accepted(
            self,
            &self.acceptance,
            |_, _| true,
            |region| {
                // The whole component can reach the region; one node stands for all.
                goals.push(StateId(region.members[0]));
                ControlFlow::Continue(())
            },
        )?;
        Ok(self.can_reach(goals))
    }

    /// An accepted part that is `viable`, which is asked of a strongly connected set of nodes and
    /// the marks that its edges avoid. A part of one that is not viable must not be viable either.
    pub fn accepted_part(
        &self,
        viable: impl FnMut(&[StateId], &MarkSet) -> bool,
    ) -> Result<Option<AcceptedPart>, BudgetError> {
        let mut viable = viable;
        let mut ids = Vec::new();
        let mut found = None;
        self.rows.each_accepted(
            self,
            &self.acceptance,
            |members, avoided| {
                ids.clear();
                ids.extend(members.iter().copied().map(StateId));
                viable(&ids, avoided)
            },
            |region| {
                found = Some(region);
                ControlFlow::Break(())
            },
        )?;
        Ok(found.map(|region| AcceptedPart {
            members: region.members.into_iter().map(StateId).collect(),
            avoided: region.forbidden,
            // The judged condition is monotone: it gains from marks under `Inf` and loses from those under
            // `Fin`, and with every mark that occurs it is accepted.
            sought: region.condition.polarity().1.intersection(&region.present),
        }))
    }

    /// An accepted lasso with fewer than `most` steps, if one is found while at most so many pairs of a node
    /// and marks are looked at: as short as possible with that effort, which is not always the shortest.
    ///
    /// # Errors
    /// When the condition is too hard to decide.
    pub fn short_lasso(&self, most: usize, effort: usize) -> Result<Option<Lasso>, BudgetError> {
        let mut regions = Vec::new();
        let always = |_: &[u32], _: &MarkSet| true;
        self.rows.each_accepted(self, &self.acceptance, always, |region| {
            regions.push(region);
            ControlFlow::Continue(())
        })?;
        // An accepted part need not hold the shortest cycle. The search in its whole component judges cycles by
        // itself; where marks are many, a walk in the accepted part goes before it.
        let components = self.rows.components(self);
        let mut owner = vec![usize::MAX; self.node_count()];
        for (at, (members, _)) in components.iter().enumerate() {
            members.iter().for_each(|&node| owner[node as usize] = at);
        }
        let mut searched = Vec::new();
        let mut is_searched = vec![false; components.len()];
        for region in regions {
            let at = owner[region.members[0] as usize];
            let (members, present) = &components[at];
            let condition = self.acceptance.restrict(present);
            let marks = condition.marks().len();
            if marks > short::FEW_MARKS {
                searched.push((region, Way::Walk));
            }
            if marks <= short::MARKS && !std::mem::replace(&mut is_searched[at], true) {
                let (members, present) = (members.clone(), present.clone());
                let forbidden = MarkSet::new();
                let whole = Region { members, forbidden, present, condition };
                searched.push((whole, Way::Pairs));
            }
        }
        let mut depths = vec![0u32; self.node_count()];
        for node in self.starts..self.node_count() {
            depths[node] = depths[self.parents[node].0 as usize] + 1;
        }
        Ok(short::lasso(self, &depths, &searched, most, effort))
    }

    /// The nodes and edges.
    pub(super) fn rows(&self) -> &Component {
        &self.rows
    }

    /// A lasso of this graph as one of the graph that was explored.
    pub fn lasso_of_original(&self, lasso: &Lasso) -> Lasso {
        let original = |hop: &Hop| Hop {
            from: self.original(hop.from),
            nth: hop.nth,
            to: self.original(hop.to),
        };
        Lasso {
            stem: lasso.stem.iter().map(original).collect(),
            cycle: lasso.cycle.iter().map(original).collect(),
        }
    }
}

impl Graph for Explored {
    fn initial(&mut self) -> Vec<StateId> {
        self.starts().collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        steps.extend(self.steps_of(node));
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.marks.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}
