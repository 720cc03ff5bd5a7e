//! Parts of a graph that some workers have found to be connected.

use std::borrow::Cow;

use fairly_omega::emptiness::{self, Algorithm, EmptinessError};
use fairly_omega::{
    Acceptance, Graph, Hop, Lasso, Mark, MarkSet, MarkSetId, MarkTable, StateId, Step, Stop,
};
use fairly_store::{Components, Links};
use hashbrown::HashMap;

use super::{Cut, Search, SharedGraph, SharedStep};
use crate::sets::{SetsMemory, SharedSets};

/// Why a part was not searched to the end.
pub(super) enum Unfinished {
    /// It has too many nodes.
    Large,
    /// The sequential engine gave up.
    Undecided(EmptinessError),
}

impl From<Unfinished> for Cut {
    fn from(unfinished: Unfinished) -> Cut {
        match unfinished {
            Unfinished::Large => Cut::Interrupted,
            Unfinished::Undecided(undecided) => Cut::Component(undecided),
        }
    }
}

impl<G: SharedGraph> Search<'_, G> {
    /// Whether a node is in the set of another one.
    pub(super) fn is_inside(&self, node: u32, other: u32) -> bool {
        self.components.is_met(other) && self.components.are_united(node, other)
    }

    /// An accepted path in the set of a node, by the sequential engine, which looks at so many nodes at the most.
    pub(super) fn find_within(
        &self,
        node: u32,
        most: usize,
        worker: &mut G::Worker,
    ) -> Result<Option<Lasso>, Unfinished> {
        let has = |step: &SharedStep, memory: &mut SetsMemory| {
            self.is_inside(node, step.target) && self.may_take(step, memory)
        };
        self.find_along(node, &has, most, worker)
    }

    /// An accepted path from a node through nodes that have been met.
    ///
    /// A set is a part of one component of the graph, but while it grows it need not be strongly connected in itself: a
    /// worker stops uniting its path as soon as both ends are in one set, and they may be in one because another worker
    /// has united them on another way. The nodes between are met, and are united when they are explored. A search that
    /// ends early finds them here.
    pub(super) fn find_among_met(
        &self,
        node: u32,
        worker: &mut G::Worker,
    ) -> Result<Option<Lasso>, Unfinished> {
        let has = |step: &SharedStep, memory: &mut SetsMemory| {
            self.components.is_met(step.target) && self.may_take(step, memory)
        };
        self.find_along(node, &has, usize::MAX, worker)
    }

    /// An accepted path of the whole graph from the node that a node was met from in the end.
    pub(super) fn find_from_start_of(
        &self,
        node: u32,
        worker: &mut G::Worker,
    ) -> Result<Option<Lasso>, Unfinished> {
        let mut start = node;
        while self.links.get(start) != Links::NONE {
            start = self.links.get(start);
        }
        let has = |step: &SharedStep, memory: &mut SetsMemory| self.may_take(step, memory);
        self.find_along(start, &has, usize::MAX, worker)
    }

    /// An accepted path from a node along certain steps.
    fn find_along(
        &self,
        node: u32,
        has: &Has<'_>,
        most: usize,
        worker: &mut G::Worker,
    ) -> Result<Option<Lasso>, Unfinished> {
        let mut part = Part::new(self.graph, node, has, worker);
        (part.most, part.stop) = (most, self.options.stop);
        let algorithm = Algorithm::for_condition(self.graph.acceptance());
        let answer = emptiness::check(&mut part, algorithm).map_err(Unfinished::Undecided)?;
        match answer.lasso {
            None if part.is_cut => Err(Unfinished::Large),
            None => Ok(None),
            Some(lasso) => {
                let mut outside = |hop: &Hop| part.outside(hop);
                let stem = lasso.stem.iter().map(&mut outside).collect();
                Ok(Some(Lasso { stem, cycle: lasso.cycle.iter().map(outside).collect() }))
            }
        }
    }

    /// A path inside a component behind the way to it.
    pub(super) fn with_way(&self, inside: &Lasso, worker: &mut G::Worker) -> Lasso {
        let first = inside.stem.first().or(inside.cycle.first()).map_or(0, |hop| hop.from.0);
        let mut way = vec![first];
        let mut at = first;
        while self.links.get(at) != Links::NONE {
            at = self.links.get(at);
            way.push(at);
        }
        way.reverse();
        let mut steps = Vec::new();
        let mut stem: Vec<Hop> = way
            .windows(2)
            .map(|pair| {
                steps.clear();
                self.graph.steps(pair[0], worker, &mut steps);
                let nth = steps.iter().position(|step| step.target == pair[1]);
                hop(pair[0], nth.expect("a node was met by a step"), pair[1])
            })
            .collect();
        stem.extend(&inside.stem);
        Lasso { stem, cycle: inside.cycle.clone() }
    }
}

fn hop(from: u32, nth: usize, to: u32) -> Hop {
    let nth = u32::try_from(nth).expect("fewer steps than numbers");
    Hop { from: StateId(from), nth, to: StateId(to) }
}

/// Whether a step belongs to a part.
pub(crate) type Has<'a> = dyn Fn(&SharedStep, &mut SetsMemory) -> bool + 'a;

/// Some nodes and steps of a graph, for the sequential engine. The nodes are numbered as they are met, since its tables
/// have an entry for each number.
pub(crate) struct Part<'a, G: SharedGraph> {
    graph: &'a G,
    has: &'a Has<'a>,
    stop: Stop,
    worker: &'a mut G::Worker,
    /// By number, and the numbers of nodes.
    nodes: Vec<u32>,
    numbers: HashMap<u32, u32>,
    /// By number: the positions of the steps that the part had when it was asked first, and where they are. Other workers
    /// may make the part larger meanwhile, and a graph must not change under a search.
    rows: Vec<Option<(usize, usize)>>,
    positions: Vec<u32>,
    expanded: usize,
    /// Nodes that have steps at the most.
    most: usize,
    is_cut: bool,
    memory: SetsMemory,
    marks: MarkTable,
    ids: HashMap<u64, MarkSetId>,
    steps: Vec<SharedStep>,
}

impl<'a, G: SharedGraph> Part<'a, G> {
    /// The nodes that can be reached from one by these steps.
    pub(crate) fn new(
        graph: &'a G,
        first: u32,
        has: &'a Has<'a>,
        worker: &'a mut G::Worker,
    ) -> Self {
        Part {
            graph,
            has,
            stop: Stop::default(),
            worker,
            nodes: vec![first],
            numbers: HashMap::from([(first, 0)]),
            rows: Vec::new(),
            positions: Vec::new(),
            expanded: 0,
            most: usize::MAX,
            is_cut: false,
            memory: SetsMemory::default(),
            marks: MarkTable::new(),
            ids: HashMap::new(),
            steps: Vec::new(),
        }
    }

    /// The same, which ends when it is asked to: then it is [cut](Part::is_cut).
    pub(crate) fn heeding(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Whether nodes are missing.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// A number for a node of the graph.
    pub(crate) fn add(&mut self, node: u32) -> StateId {
        let next = u32::try_from(self.nodes.len()).expect("nodes are distinct u32");
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        StateId(number)
    }

    /// The node of the graph with a number.
    pub(crate) fn node(&self, number: StateId) -> u32 {
        self.nodes[number.index()]
    }

    /// The hop of the graph behind one of this part.
    pub(crate) fn outside(&mut self, inside: &Hop) -> Hop {
        let from = self.node(inside.from);
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.graph.steps(from, self.worker, &mut steps);
        let (begin, end) = self.row(inside.from, &steps);
        let position = self.positions[begin..end][inside.nth as usize] as usize;
        let outside = hop(from, position, steps[position].target);
        self.steps = steps;
        outside
    }

    /// Where the positions are of the steps of a node that the part has, given all of them.
    fn row(&mut self, node: StateId, steps: &[SharedStep]) -> (usize, usize) {
        if self.rows.len() <= node.index() {
            self.rows.resize(node.index() + 1, None);
        }
        if let Some(row) = self.rows[node.index()] {
            return row;
        }
        let begin = self.positions.len();
        for (position, step) in (0u32..).zip(steps) {
            if (self.has)(step, &mut self.memory) {
                self.positions.push(position);
            }
        }
        let row = (begin, self.positions.len());
        self.rows[node.index()] = Some(row);
        row
    }

    fn id(&mut self, set: u64) -> MarkSetId {
        let Part { graph, memory, marks, ids, .. } = self;
        *ids.entry(set).or_insert_with(|| {
            let sets: &SharedSets = graph.sets();
            let reader = sets.reader(set, memory);
            let all = (0..sets.members() - 1).filter(|&mark| reader.has(mark));
            marks.intern(all.map(Mark).collect())
        })
    }
}

impl<G: SharedGraph> Graph for Part<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        vec![StateId(0)]
    }

    fn steps(&mut self, node: StateId, out: &mut Vec<Step>) {
        self.expanded += 1;
        let is_stopped = self.expanded.is_multiple_of(1 << 10) && self.stop.is_due();
        self.is_cut |= is_stopped || self.nodes.len() > self.most;
        let is_known = self.rows.get(node.index()).is_some_and(Option::is_some);
        if self.is_cut && !is_known {
            return;
        }
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.graph.steps(self.nodes[node.index()], self.worker, &mut steps);
        let (begin, end) = self.row(node, &steps);
        for at in begin..end {
            let step = steps[self.positions[at] as usize];
            let target = self.add(step.target);
            out.push(Step { target, marks: self.id(step.marks) });
        }
        self.steps = steps;
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.marks.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }
}

/// A component without the steps that have certain marks: what is left of a graph for a search.
pub(super) struct View<'a> {
    pub(super) components: &'a Components,
    /// A node of the component; all of its nodes are below the end.
    pub(super) node: u32,
    pub(super) end: u32,
    pub(super) avoided: MarkSet,
}

impl View<'_> {
    pub(super) fn has_node(&self, node: u32) -> bool {
        self.components.is_met(node) && self.components.are_united(self.node, node)
    }

    fn has(&self, step: &SharedStep, sets: &SharedSets, memory: &mut SetsMemory) -> bool {
        let reader = sets.reader(step.marks, memory);
        !self.avoided.iter().any(|mark| reader.has(mark.0)) && self.has_node(step.target)
    }
}

impl<G: SharedGraph> Search<'_, G> {
    /// Appends the steps of a node that the search may take.
    #[inline]
    pub(super) fn steps(
        &self,
        node: u32,
        worker: &mut G::Worker,
        memory: &mut SetsMemory,
        steps: &mut Vec<SharedStep>,
    ) {
        let begin = steps.len();
        self.graph.steps(node, worker, steps);
        if self.view.is_none() {
            return;
        }
        let mut kept = begin;
        for at in begin..steps.len() {
            if self.may_take(&steps[at], memory) {
                steps[kept] = steps[at];
                kept += 1;
            }
        }
        steps.truncate(kept);
    }

    fn may_take(&self, step: &SharedStep, memory: &mut SetsMemory) -> bool {
        self.view.as_ref().is_none_or(|view| view.has(step, self.graph.sets(), memory))
    }
}
