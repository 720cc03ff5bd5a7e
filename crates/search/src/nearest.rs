//! Finds lassos near the start: one that reaches some node as early as possible, a short one, any one.
//!
//! An engine stops at the first accepted lasso that it meets, and it goes depth first: a violation that is
//! seven steps away may be shown after thousands. Where a violation is a node, such as one at which the
//! automaton accepts whatever follows, the nearest such node is found breadth first, and an engine is asked
//! once more whether an accepted lasso begins there.

use std::borrow::Cow;

use fairly_omega::emptiness::{self, Algorithm, Explored};
use fairly_omega::{Acceptance, Graph, Hop, Lasso, MarkSet, MarkSetId, StateId, Step, Visit};

use crate::bounded::{Bounded, Bounds, Budget};

/// Goals from which an accepted lasso is looked for.
const TRIES: usize = 8;

/// Nodes in which a short lasso is looked for, beside twice as many as were searched.
const NODES: usize = 1 << 17;
/// The most of them.
const MOST_NODES: usize = 1_000_000;
/// Pairs of a node and marks that are looked at for a short lasso.
const PAIRS: usize = 1 << 21;

/// A shorter accepted lasso than one that was found after so many nodes, if there is one near the start. The
/// bounds are of time and memory; what it costs is limited anyhow.
pub fn shorter<G: Graph>(
    graph: &mut G,
    lasso: &Lasso,
    searched: usize,
    bounds: Bounds,
) -> Option<Lasso> {
    let steps = lasso.stem.len() + lasso.cycle.len();
    let nodes = (NODES + 2 * searched).min(MOST_NODES);
    let explored = beginning(graph, nodes, &Budget::new(bounds))?;
    let shorter = explored.short_lasso(steps, PAIRS).ok()??;
    Some(explored.lasso_of_original(&shorter))
}

/// How far lassos of so many processes are looked for.
struct Few {
    processes: usize,
    /// Nodes from one node of the lasso on.
    nodes: usize,
    /// Nodes in all.
    all: usize,
    /// Processes of which these are chosen.
    among: usize,
}

const FEW: [Few; 3] = [
    Few { processes: 1, nodes: 1 << 12, all: 1 << 16, among: 64 },
    Few { processes: 2, nodes: 1 << 13, all: 1 << 17, among: 8 },
    Few { processes: 3, nodes: 1 << 15, all: 1 << 18, among: 6 },
];
/// Nodes of a lasso, evenly spread, from which on few processes may go alone; beside those near its beginning.
const BEGINNINGS: usize = 8;
/// Times that a lasso which was made shorter is made shorter again.
const ROUNDS: usize = 4;

/// A shorter accepted lasso than this one in which, from some node of it on, only one process, or two or three, take
/// part in the steps, if one is found with little effort. A long round of few processes is far away in a breadth-first
/// search as soon as others can move beside them. `movers` says of the steps of a node which processes take part.
pub fn shorter_of_few<G: Graph>(
    graph: &mut G,
    lasso: &Lasso,
    processes: usize,
    bounds: Bounds,
    mut movers: impl FnMut(&mut G, StateId) -> Vec<Vec<usize>>,
) -> Option<Lasso> {
    let budget = Budget::new(Bounds { nodes: None, ..bounds });
    let mut left = FEW.map(|few| few.all);
    let mut best: Option<Lasso> = None;
    for _ in 0..ROUNDS {
        let known = best.as_ref().unwrap_or(lasso);
        let Some(shorter) = of_few(graph, known, processes, &budget, &mut left, &mut movers) else {
            break;
        };
        best = Some(shorter);
    }
    best
}

fn of_few<G: Graph>(
    graph: &mut G,
    lasso: &Lasso,
    processes: usize,
    budget: &Budget,
    left: &mut [usize; FEW.len()],
    movers: &mut impl FnMut(&mut G, StateId) -> Vec<Vec<usize>>,
) -> Option<Lasso> {
    let path: Vec<Hop> = lasso.stem.iter().chain(&lasso.cycle).copied().collect();
    // Those that move in the loop first, and of these the ones that move most.
    let mut moves = vec![(0, 0); processes];
    for (at, hop) in path.iter().enumerate() {
        let movers = movers(graph, hop.from);
        for &process in movers.get(hop.nth as usize).into_iter().flatten() {
            let Some((in_loop, in_stem)) = moves.get_mut(process) else { continue };
            *(if at < lasso.stem.len() { in_stem } else { in_loop }) += 1;
        }
    }
    let mut busiest: Vec<usize> = (0..processes).collect();
    busiest.sort_by_key(|&process| std::cmp::Reverse(moves[process]));
    let mut positions: Vec<usize> =
        (0..path.len()).step_by(path.len().div_ceil(BEGINNINGS).max(1)).collect();
    positions.extend((0..).map(|power| 1 << power).take_while(|&position| position < path.len()));
    positions.sort_unstable();
    positions.dedup();
    let (mut best, mut most) = (None, path.len());
    for (few, left) in FEW.iter().zip(left) {
        let groups = groups(&busiest[..busiest.len().min(few.among)], few.processes);
        for &position in &positions {
            for group in &groups {
                if most <= position + 1 || *left == 0 {
                    break;
                }
                if budget.in_time().is_err() {
                    return best;
                }
                let keeps = |graph: &mut G, node| {
                    let is_of = |step: &Vec<usize>| step.iter().any(|it| group.contains(it));
                    movers(graph, node).iter().map(is_of).collect()
                };
                let start = path[position].from;
                let mut part =
                    Part { graph: &mut *graph, start, keeps, left: few.nodes.min(*left) };
                let before = part.left;
                let explored = Explored::of(&mut part);
                *left -= before - part.left;
                let Ok(explored) = explored else { continue };
                let Ok(Some(short)) = explored.short_lasso(most - position, PAIRS / 16) else {
                    continue;
                };
                let Lasso { stem, cycle } = explored.lasso_of_original(&short);
                let mut found = path[..position].to_vec();
                found.extend(stem.into_iter().map(|hop| part.of_graph(hop)));
                let cycle: Vec<Hop> = cycle.into_iter().map(|hop| part.of_graph(hop)).collect();
                most = found.len() + cycle.len();
                best = Some(Lasso { stem: found, cycle });
            }
        }
    }
    best
}

/// All groups of so many of these, in their order.
fn groups(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with = |(at, &first): (usize, &usize)| {
        let rest = groups(&of[at + 1..], size - 1).into_iter();
        rest.map(move |rest| [vec![first], rest].concat()).collect::<Vec<_>>()
    };
    of.iter().enumerate().flat_map(with).collect()
}

/// Some steps of a graph, from another start.
struct Part<'a, G, K> {
    graph: &'a mut G,
    start: StateId,
    keeps: K,
    /// Nodes that may still be left.
    left: usize,
}

impl<G: Graph, K: FnMut(&mut G, StateId) -> Vec<bool>> Part<'_, G, K> {
    /// The positions of the steps of a node that belong to the part, and the steps.
    fn kept(&mut self, node: StateId) -> Vec<(u32, Step)> {
        let mut all = Vec::new();
        self.graph.steps(node, &mut all);
        let keeps = (self.keeps)(self.graph, node);
        (0u32..).zip(all).zip(keeps).filter_map(|(step, keeps)| keeps.then_some(step)).collect()
    }

    /// A hop of the part, as one of the graph.
    fn of_graph(&mut self, hop: Hop) -> Hop {
        let nth = self.kept(hop.from)[hop.nth as usize].0;
        Hop { nth, ..hop }
    }
}

impl<G: Graph, K: FnMut(&mut G, StateId) -> Vec<bool>> Graph for Part<'_, G, K> {
    fn initial(&mut self) -> Vec<StateId> {
        vec![self.start]
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        if self.left > 0 {
            self.left -= 1;
            steps.extend(self.kept(node).into_iter().map(|(_, step)| step));
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.graph.marks(id)
    }

    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        self.graph.add_marks(id, set);
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }
}

/// An accepted lasso among the nodes that are nearest to the start, so many of them.
pub(crate) fn any<G: Graph>(graph: &mut G, nodes: usize, budget: &Budget) -> Option<Lasso> {
    let mut explored = beginning(graph, nodes, budget)?;
    let lasso = emptiness::find_lasso(&mut explored).ok()??;
    Some(explored.lasso_of_original(&lasso))
}

/// A copy of the nodes that are nearest to the start, so many of them or as many as there is time for.
fn beginning<G: Graph>(graph: &mut G, nodes: usize, budget: &Budget) -> Option<Explored> {
    Explored::of(&mut Beginning { graph, left: nodes, budget }).ok()
}

/// A graph that ends after some nodes.
struct Beginning<'a, G> {
    graph: &'a mut G,
    left: usize,
    budget: &'a Budget,
}

/// Not reached yet.
const NEW: u32 = u32::MAX;

/// An accepted lasso that comes to a goal after as few steps as possible, if one is found within the bounds.
/// Where no accepted lasso begins at the nearest goals, those behind them are tried, a few.
pub fn lasso_through<G: Graph>(
    graph: &mut G,
    bounds: Bounds,
    is_goal: impl Fn(&G, StateId) -> bool,
) -> Option<Lasso> {
    let goals = nearest(graph, bounds, is_goal);
    let algorithm = Algorithm::for_condition(graph.acceptance());
    goals.into_iter().find_map(|(goal, mut stem)| {
        let mut started = Started { graph: &mut *graph, start: goal };
        let mut bounded = Bounded::new(&mut started, bounds);
        let lasso = emptiness::check(&mut bounded, algorithm).ok()?.lasso?;
        stem.extend(lasso.stem);
        Some(Lasso { stem, cycle: lasso.cycle })
    })
}

/// The goals that are nearest to the start, with shortest ways to them. Nothing is looked for behind a goal.
fn nearest<G: Graph>(
    graph: &mut G,
    bounds: Bounds,
    is_goal: impl Fn(&G, StateId) -> bool,
) -> Vec<(StateId, Vec<Hop>)> {
    let mut goals = Vec::new();
    // The node and its step by which each node was reached; a start is its own parent.
    let mut parents: Vec<(u32, u32)> = Vec::new();
    let mut queue: Vec<StateId> = Vec::new();
    let meet = |parents: &mut Vec<(u32, u32)>, node: StateId, parent: (u32, u32)| {
        if node.index() >= parents.len() {
            parents.resize((node.index() + 1).max(parents.len() * 2), (NEW, 0));
        }
        let is_new = parents[node.index()].0 == NEW;
        if is_new {
            parents[node.index()] = parent;
        }
        is_new
    };
    for node in graph.initial() {
        if meet(&mut parents, node, (node.0, 0)) {
            queue.push(node);
        }
    }
    let mut bounded = Bounded::new(graph, bounds);
    let (mut steps, mut at) = (Vec::new(), 0);
    while let Some(&node) = queue.get(at) {
        at += 1;
        if is_goal(bounded.graph(), node) {
            goals.push(node);
            if goals.len() == TRIES {
                break;
            }
            continue;
        }
        steps.clear();
        bounded.steps(node, &mut steps);
        if bounded.cut().is_some() {
            break;
        }
        for (nth, step) in (0u32..).zip(&steps) {
            if meet(&mut parents, step.target, (node.0, nth)) {
                queue.push(step.target);
            }
        }
    }
    let way = |goal: StateId| {
        let (mut way, mut at) = (Vec::new(), goal);
        loop {
            let (parent, nth) = parents[at.index()];
            if parent == at.0 {
                way.reverse();
                return (goal, way);
            }
            way.push(Hop { from: StateId(parent), nth, to: at });
            at = StateId(parent);
        }
    };
    goals.into_iter().map(way).collect()
}

impl<G: Graph> Graph for Beginning<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        self.graph.initial()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        if self.left.is_multiple_of(64) && self.budget.in_time().is_err() {
            self.left = 0;
        }
        if self.left > 0 {
            self.left -= 1;
            self.graph.steps(node, steps);
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.graph.marks(id)
    }

    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        self.graph.add_marks(id, set);
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }
}

/// A graph that starts elsewhere.
struct Started<'a, G> {
    graph: &'a mut G,
    start: StateId,
}

impl<G: Graph> Graph for Started<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        vec![self.start]
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        self.graph.steps(node, steps);
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.graph.marks(id)
    }

    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        self.graph.add_marks(id, set);
    }

    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }

    fn allows(&mut self, nodes: usize) -> bool {
        self.graph.allows(nodes)
    }

    fn bytes(&self) -> usize {
        self.graph.bytes()
    }

    fn charge(&mut self, bytes: usize) {
        self.graph.charge(bytes);
    }

    fn visit(&mut self, visit: Visit) {
        self.graph.visit(visit);
    }
}
