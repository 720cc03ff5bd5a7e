//! A short cycle through an accepted region.
//!
//! The lazy walk of Latvala and Heljanko (2000, figures 2 and 3): go breadth first to the nearest
//! edge that settles something, keep that path, start again there; an `Inf` whose `Fin` partner was
//! never met asks for nothing. Deviations (the numbers are rows of `docs/papers.md`):
//!
//! - marks are on edges (002-14);
//! - what is still open is computed from the marks seen so far after every segment, never counted
//!   up and down, so an `Inf` met before its `Fin` counts (002-9);
//! - the search prefers edges that open no new demand, and takes others only when it must;
//! - the way back to the start is part of the walk (002-11, 002-13);
//! - before the walk, the region is shrunk to a part that avoids as many of the conditional
//!   demands as a few decompositions can tell: a component of a million states often holds a
//!   cycle of three; and where the region is small, [`super::exact`] finds a shortest one.

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::StateId;
use crate::graph::{Graph, Hop};
use crate::marks::MarkSet;

use super::component::{Component, LocalEdge, Region};
use super::exact::shortest_cycle;
use super::watching::Observer;

/// "Once all of `when` are seen, one of `then` must be": a clause that the walk has to settle.
struct Demand {
    when: MarkSet,
    then: MarkSet,
}

/// A closed walk in the region whose marks are accepted, as short as it can be made with
/// reasonable effort. It is not empty.
pub(super) fn cycle<G: Graph, O: Observer>(
    graph: &G,
    component: &Component,
    region: Region,
    observer: &mut O,
) -> Vec<Hop> {
    let whole = region.clone();
    let region = shrink(graph, component, region);
    let mut settled = 0;
    let mut walk = lazy_walk(graph, component, &region, None, &mut settled);
    observer.count(|statistics| {
        (statistics.obligations, statistics.walk) = (settled, walk.len());
    });
    // The part that was shrunk to need not hold the shortest cycle, so all of it is asked first.
    for region in [whole, region] {
        if let Some(shorter) = shortest_cycle(graph, component, &region, walk.len() - 1) {
            let hops = shorter.into_iter().map(|(from, edge)| {
                let (from, to) = (component.node(from), component.node(edge.target));
                Hop { from, nth: edge.nth, to }
            });
            walk = hops.collect();
            break;
        }
    }
    walk
}

/// The walk of [`cycle`] that begins in a node of the region, as it comes, in the numbers of the component.
pub(super) fn from_node<G: Graph>(
    graph: &G,
    component: &Component,
    region: &Region,
    start: u32,
) -> Vec<Hop> {
    let local: HashMap<StateId, u32> =
        region.members.iter().map(|&member| (component.node(member), member)).collect();
    let at = |node: StateId| StateId(local[&node]);
    let walk = lazy_walk(graph, component, region, Some(start), &mut 0).into_iter();
    walk.map(|hop| Hop { from: at(hop.from), nth: hop.nth, to: at(hop.to) }).collect()
}

/// The lazy walk of the paper, from a node or from wherever it has to go anyway.
fn lazy_walk<G: Graph>(
    graph: &G,
    component: &Component,
    region: &Region,
    from: Option<u32>,
    settled: &mut usize,
) -> Vec<Hop> {
    let mut demands = Vec::new();
    demands_of(&region.condition, &region.present, &mut demands);
    let mut inside = vec![false; component.len()];
    region.members.iter().for_each(|&node| inside[node as usize] = true);
    let usable = |edge: &LocalEdge| {
        inside[edge.target as usize] && !graph.marks(edge.marks).intersects(&region.forbidden)
    };
    let mut search = Breadth::new(component.len());

    let start = from.unwrap_or_else(|| start(graph, component, region, &demands, usable));
    let mut at = start;
    let mut seen = MarkSet::new();
    let mut walk: Vec<Hop> = Vec::new();
    // A search for calm edges that fails has seen all of the region. It is not tried again before
    // something was settled, so that the walk costs one failed search a demand at the most.
    let mut calm_enough = true;
    loop {
        let open: Vec<&Demand> = demands
            .iter()
            .filter(|demand| demand.when.is_subset(&seen) && !demand.then.intersects(&seen))
            .collect();
        if open.is_empty() && at == start && !walk.is_empty() {
            let when_met = |demand: &&Demand| demand.when.is_subset(&seen);
            *settled = demands.iter().filter(when_met).count();
            return walk;
        }
        let goal = |edge: &LocalEdge| {
            if open.is_empty() {
                edge.target == start
            } else {
                let marks = graph.marks(edge.marks);
                open.iter().any(|demand| demand.then.intersects(&marks))
            }
        };
        // An edge is calm if it cannot bring up a demand that has not been settled.
        let calm = |edge: &LocalEdge| {
            let marks = graph.marks(edge.marks);
            usable(edge)
                && demands.iter().all(|demand| {
                    demand.then.intersects(&seen)
                        || demand.then.intersects(&marks)
                        || !demand.when.intersects(&marks)
                })
        };
        let quiet = calm_enough.then(|| search.nearest(component, at, calm, goal)).flatten();
        calm_enough = quiet.is_some() || open.is_empty();
        let segment = quiet
            .or_else(|| search.nearest(component, at, usable, goal))
            .expect("every edge of a strongly connected region can be reached");
        for (from, edge) in segment {
            graph.add_marks(edge.marks, &mut seen);
            at = edge.target;
            let (from, to) = (component.node(from), component.node(edge.target));
            walk.push(Hop { from, nth: edge.nth, to });
        }
    }
}

/// Decompositions that [`shrink`] may spend.
const SHRINKING: usize = 8;

/// A small accepted part of the region: one that avoids the `Fin` marks of as many conditional
/// demands as possible. All of them are tried at once, then halves of what could not be avoided.
fn shrink<G: Graph>(graph: &G, component: &Component, region: Region) -> Region {
    let mut demands = Vec::new();
    demands_of(&region.condition, &region.present, &mut demands);
    let conditional: Vec<MarkSet> = demands
        .into_iter()
        .filter(|demand| !demand.when.is_empty())
        .map(|demand| demand.when)
        .collect();
    let mut region = region;
    let mut candidates = std::collections::VecDeque::from([conditional]);
    for _ in 0..SHRINKING {
        let Some(mut group) = candidates.pop_front() else { break };
        let avoided = group.iter().fold(MarkSet::new(), |all, when| all.union(when));
        if group.is_empty() || !avoided.intersects(&region.present) {
            continue;
        }
        if let Some(smaller) = component.smallest_without(graph, &region, &avoided) {
            region = smaller;
        } else if group.len() > 1 {
            let rest = group.split_off(group.len() / 2);
            candidates.extend([group, rest]);
        }
    }
    region
}

/// Where to begin: at an edge that settles the first demand that is open from the start, since the
/// walk must go there anyway.
fn start<G: Graph>(
    graph: &G,
    component: &Component,
    region: &Region,
    demands: &[Demand],
    usable: impl Fn(&LocalEdge) -> bool,
) -> u32 {
    let Some(first) = demands.iter().find(|demand| demand.when.is_empty()) else {
        return region.members[0];
    };
    let settles = |node: &u32| {
        component
            .edges(*node)
            .any(|edge| usable(&edge) && first.then.intersects(&graph.marks(edge.marks)))
    };
    region.members.iter().copied().find(settles).expect("the region is accepted")
}

/// Collects the demands on a walk that sees only marks of `present`, so that `condition`, which accepts
/// `present`, accepts the walk.
fn demands_of(condition: &Acceptance, present: &MarkSet, demands: &mut Vec<Demand>) {
    if let Some(clauses) = condition.clauses() {
        demands.extend(
            clauses
                .into_iter()
                .filter(|clause| clause.fin.is_subset(present))
                .map(|clause| Demand { when: clause.fin, then: clause.inf.intersection(present) }),
        );
        return;
    }
    match condition {
        Acceptance::And(parts) => {
            parts.iter().for_each(|part| demands_of(part, present, demands));
        }
        Acceptance::Or(parts) => {
            let smallest = parts
                .iter()
                .filter(|part| part.accepts(present))
                .min_by_key(|part| part.marks().len())
                .expect("the condition accepts the marks that are present");
            demands_of(smallest, present, demands);
        }
        _ => unreachable!("an atom is a clause"),
    }
}

/// Breadth-first search with tables that are allocated once.
struct Breadth {
    /// The round in which a node was last reached.
    round: Vec<u32>,
    current: u32,
    queue: Vec<Reached>,
}

#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    /// Position of the parent in the queue, and the edge from there.
    parent: usize,
    edge: Option<LocalEdge>,
}

impl Breadth {
    fn new(nodes: usize) -> Self {
        Breadth { round: vec![0; nodes], current: 0, queue: Vec::new() }
    }

    /// A shortest path of usable edges from `start` whose last edge is a goal.
    fn nearest(
        &mut self,
        component: &Component,
        start: u32,
        usable: impl Fn(&LocalEdge) -> bool,
        goal: impl Fn(&LocalEdge) -> bool,
    ) -> Option<Vec<(u32, LocalEdge)>> {
        self.current += 1;
        self.queue.clear();
        self.queue.push(Reached { node: start, parent: 0, edge: None });
        self.round[start as usize] = self.current;
        let mut head = 0;
        while head < self.queue.len() {
            let node = self.queue[head].node;
            for edge in component.edges(node).filter(&usable) {
                let reached = Reached { node: edge.target, parent: head, edge: Some(edge) };
                if goal(&edge) {
                    return Some(self.path_to(reached));
                }
                if self.round[edge.target as usize] != self.current {
                    self.round[edge.target as usize] = self.current;
                    self.queue.push(reached);
                }
            }
            head += 1;
        }
        None
    }

    fn path_to(&self, last: Reached) -> Vec<(u32, LocalEdge)> {
        let mut path = Vec::new();
        let mut at = last;
        while let Some(edge) = at.edge {
            let parent = self.queue[at.parent];
            path.push((parent.node, edge));
            at = parent;
        }
        path.reverse();
        path
    }
}
