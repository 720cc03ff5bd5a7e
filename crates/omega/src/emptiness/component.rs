//! Looking for an accepted part of one strongly connected component.
//!
//! A component that is not accepted as a whole may hold an accepted cycle that avoids some of its
//! edges. The recursion goes back to Emerson and Lei (1987) and Lichtenstein and Pnueli (1985);
//! Latvala and Heljanko (2000) give it for Streett pairs, Baier et al. (ATVA 2019) for any formula:
//!
//! - restricted to the marks that occur, the condition is accepted: done;
//! - it has become false: this part is dead;
//! - it demands `Fin(m)` for some marks that occur: remove those edges, decompose what is left,
//!   and judge every part again from the start (an `Inf` that held may have lost its last edge);
//! - it is a disjunction, or a conjunction with a disjunction in it that fails: try its members.
//!
//! For conjunctions of `Fin ∨ Inf` the last case never branches, because a failing pair has lost
//! its `Inf` and so demands its `Fin`: each round removes the edges of at least one pair for good,
//! which bounds the work by the number of pairs times the edges. In general the question is
//! NP-complete, so the branches have a budget, and the answer may be [`BudgetError`].
//!
//! Deviations from the papers (the numbers are rows of `docs/papers.md`): marks are on edges, so
//! edges are removed, not states (002-14); a part must have an edge (002-2); an empty remainder is
//! skipped (002-5); failure of one part never ends the search (002-6, 000-15).

use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::graph::Graph;
use crate::marks::{MarkSet, MarkSetId};
use crate::refused::{BudgetError, Resource};

use super::statistics::Why;
use super::watching::{Event, Observer, Unwatched};

/// A copy of some nodes of a graph and the edges between them, numbered from 0.
pub(super) struct Component {
    nodes: Vec<StateId>,
    first: Vec<u32>,
    targets: Vec<u32>,
    marks: Vec<MarkSetId>,
    /// Which step of its source each edge is.
    nth: Vec<u32>,
}

/// A strongly connected part of a [`Component`] in which a path that takes every edge is accepted.
#[derive(Clone)]
pub(super) struct Region {
    /// Its nodes, in the component's numbers.
    pub(super) members: Vec<u32>,
    /// Edges with one of these marks do not belong to it.
    pub(super) forbidden: MarkSet,
    /// The marks of its edges.
    pub(super) present: MarkSet,
    /// The condition, or a part of it that implies it, restricted to those marks.
    pub(super) condition: Acceptance,
}

/// An edge of a component.
#[derive(Clone, Copy)]
pub(super) struct LocalEdge {
    pub(super) target: u32,
    pub(super) marks: MarkSetId,
    pub(super) nth: u32,
}

impl Component {
    /// Copies `nodes` with the edges between them whose marks `keep` admits; `local` gives the
    /// position of a node in `nodes`.
    pub(super) fn copy<G: Graph>(
        graph: &mut G,
        nodes: &[StateId],
        keep: impl Fn(&MarkSet) -> bool,
        local: impl Fn(StateId) -> Option<u32>,
    ) -> Self {
        let mut copy = Component { nodes: nodes.to_vec(), ..Component::new() };
        let mut steps = Vec::new();
        for &node in nodes {
            steps.clear();
            graph.steps(node, &mut steps);
            for (nth, step) in (0u32..).zip(&steps) {
                if let Some(target) = local(step.target)
                    && keep(&graph.marks(step.marks))
                {
                    copy.targets.push(target);
                    copy.marks.push(step.marks);
                    copy.nth.push(nth);
                }
            }
            copy.first.push(u32::try_from(copy.targets.len()).expect("fewer than 2^32 edges"));
        }
        copy
    }

    /// A copy without nodes, to be filled by [`Component::add`].
    pub(super) fn new() -> Self {
        Component {
            nodes: Vec::new(),
            first: vec![0],
            targets: Vec::new(),
            marks: Vec::new(),
            nth: Vec::new(),
        }
    }

    /// The next node, with all of its edges: the target, which may be added later, and the marks.
    /// Tells whether there is still room for the edges.
    pub(super) fn add(
        &mut self,
        node: StateId,
        edges: impl IntoIterator<Item = (u32, MarkSetId)>,
    ) -> bool {
        self.nodes.push(node);
        for (nth, (target, marks)) in (0u32..).zip(edges) {
            self.targets.push(target);
            self.marks.push(marks);
            self.nth.push(nth);
        }
        u32::try_from(self.targets.len()).map(|end| self.first.push(end)).is_ok()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.nodes.len() + self.first.len()) * 4 + self.targets.len() * 12
    }

    /// How many edges there are.
    pub(super) fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// The node in the graph it was copied from.
    pub(super) fn node(&self, local: u32) -> StateId {
        self.nodes[local as usize]
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The edges that leave `local`.
    pub(super) fn edges(&self, local: u32) -> impl Iterator<Item = LocalEdge> + '_ {
        self.range(local).map(|at| LocalEdge {
            target: self.targets[at],
            marks: self.marks[at],
            nth: self.nth[at],
        })
    }

    /// Where the edge at a position leads.
    pub(super) fn target(&self, at: usize) -> u32 {
        self.targets[at]
    }

    /// The positions of the edges that leave `local`, among all edges.
    pub(super) fn range(&self, local: u32) -> std::ops::Range<usize> {
        self.first[local as usize] as usize..self.first[local as usize + 1] as usize
    }

    /// All of it, as an accepted region whose edges carry the marks `present`.
    pub(super) fn whole(&self, acceptance: &Acceptance, present: &MarkSet) -> Region {
        Region {
            members: (0..).take(self.len()).collect(),
            forbidden: MarkSet::new(),
            present: present.clone(),
            condition: acceptance.restrict(present),
        }
    }

    /// The smallest strongly connected part of `region` that does without the marks `avoided` and
    /// is still accepted as a whole.
    pub(super) fn smallest_without<G: Graph>(
        &self,
        graph: &G,
        region: &Region,
        avoided: &MarkSet,
    ) -> Option<Region> {
        let forbidden = region.forbidden.union(avoided);
        let parts = Parts::new(self, graph, &mut Unwatched).decompose(&region.members, &forbidden);
        let accepted = parts.into_iter().filter(|(_, present)| region.condition.accepts(present));
        let (members, present) = accepted.min_by_key(|(members, _)| members.len())?;
        let condition = region.condition.restrict(&present);
        Some(Region { members, forbidden, present, condition })
    }

    /// An accepted region, if there is one. The component must be strongly connected, with an edge,
    /// with the marks `present`, and `condition` restricted to them.
    pub(super) fn accepted_part<G: Graph, O: Observer>(
        &self,
        graph: &G,
        condition: &Acceptance,
        present: &MarkSet,
        observer: &mut O,
    ) -> Result<Option<Region>, BudgetError> {
        let all = (0..).take(self.len()).collect();
        let mut parts = Parts::new(self, graph, observer);
        parts.accepted(all, condition.clone(), present.clone(), &mut |_, _| true)
    }

    /// The strongly connected components with an edge, each with the marks that occur in it.
    pub(super) fn components<G: Graph>(&self, graph: &G) -> Vec<(Vec<u32>, MarkSet)> {
        let all: Vec<u32> = (0..).take(self.len()).collect();
        Parts::new(self, graph, &mut Unwatched).decompose(&all, &MarkSet::new())
    }

    /// Calls `found` with one accepted region of each strongly connected component that has one,
    /// until it breaks. A part, given by its nodes and the marks that its edges avoid, is only
    /// looked into if it is `viable`; a part of one that is not must not be either.
    pub(super) fn each_accepted<G: Graph>(
        &self,
        graph: &G,
        acceptance: &Acceptance,
        mut viable: impl FnMut(&[u32], &MarkSet) -> bool,
        mut found: impl FnMut(Region) -> ControlFlow<()>,
    ) -> Result<(), BudgetError> {
        let all: Vec<u32> = (0..).take(self.len()).collect();
        let nothing = MarkSet::new();
        let mut unwatched = Unwatched;
        let mut parts = Parts::new(self, graph, &mut unwatched);
        for (members, present) in parts.decompose(&all, &nothing) {
            let condition = acceptance.restrict(&present);
            if condition != Acceptance::False
                && viable(&members, &nothing)
                && let Some(region) = parts.accepted(members, condition, present, &mut viable)?
                && found(region).is_break()
            {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Budget for the choices tried in one component. A choice costs 4 and one more for every 64 nodes, which comes
/// to some seconds of work in all, measured on one node and on a million.
const CHOICES: usize = 1 << 22;

/// A part to be decomposed without its forbidden edges.
struct Task {
    members: Vec<u32>,
    condition: Acceptance,
    forbidden: MarkSet,
    /// Those that were forbidden before, if removed edges are counted.
    before: Option<MarkSet>,
    /// How often something was removed on the way to it.
    depth: usize,
}

/// Judges a strongly connected part with the marks `present`: returns it if it is accepted as a whole, otherwise
/// adds what is worth trying to `tasks`. Its condition is restricted to these marks.
fn judge<O: Observer>(
    part: Task,
    present: MarkSet,
    tasks: &mut Vec<Task>,
    left: &mut usize,
    observer: &mut O,
) -> Result<Option<Region>, BudgetError> {
    let Task { members, condition, forbidden, before: _, depth } = part;
    let mut alternatives = vec![condition];
    while let Some(condition) = alternatives.pop() {
        if condition == Acceptance::False {
            continue;
        }
        if condition.accepts(&present) {
            return Ok(Some(Region { members, forbidden, present, condition }));
        }
        let conjuncts = match &condition {
            Acceptance::And(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let demanded: MarkSet = conjuncts
            .iter()
            .filter_map(|part| match part {
                Acceptance::Fin(mark) => Some(*mark),
                _ => None,
            })
            .collect();
        if !demanded.is_empty() {
            observer.count(|statistics| {
                demanded.iter().for_each(|mark| statistics.fails(Some(mark), Why::AskedInVain));
            });
            let before = O::COUNTS.then(|| forbidden.clone());
            let (forbidden, depth) = (forbidden.union(&demanded), depth + 1);
            tasks.push(Task { members: members.clone(), condition, forbidden, before, depth });
            continue;
        }
        // Every `Inf` left is of a mark that occurs, so what fails is a disjunction in which each
        // member has a `Fin` deeper down.
        let failing = conjuncts.iter().position(|part| !part.accepts(&present));
        let failing = failing.expect("the conjunction is not accepted");
        let Acceptance::Or(members_of_it) = &conjuncts[failing] else {
            unreachable!("an atom that fails is a Fin, and a conjunction holds no conjunction");
        };
        *left = left
            .checked_sub(members_of_it.len().saturating_mul(4 + members.len() / 64))
            .ok_or(BudgetError { resource: Resource::Choices, limit: CHOICES })?;
        for choice in members_of_it {
            let rest = conjuncts.iter().enumerate().filter(|&(at, _)| at != failing);
            let rest = rest.map(|(_, part)| part.clone());
            alternatives.push(Acceptance::and(rest.chain([choice.clone()])));
        }
    }
    Ok(None)
}

/// Decomposition of parts of one component, with tables that are allocated once.
struct Parts<'a, G, O> {
    component: &'a Component,
    graph: &'a G,
    observer: &'a mut O,
    /// The part that each node was last put in; a part has a new number each time.
    owner: Vec<u32>,
    next_owner: u32,
    tarjan: Tarjan,
    /// Choices that may still be tried.
    choices: usize,
}

impl<'a, G: Graph, O: Observer> Parts<'a, G, O> {
    fn new(component: &'a Component, graph: &'a G, observer: &'a mut O) -> Self {
        let nodes = component.len();
        let tarjan = Tarjan::new(nodes);
        let owner = vec![0; nodes];
        Parts { component, graph, observer, owner, next_owner: 1, tarjan, choices: CHOICES }
    }

    /// An accepted region among `members`, which must be strongly connected with an edge and with
    /// the marks `present`, to which `condition` is restricted.
    fn accepted(
        &mut self,
        members: Vec<u32>,
        condition: Acceptance,
        present: MarkSet,
        viable: &mut impl FnMut(&[u32], &MarkSet) -> bool,
    ) -> Result<Option<Region>, BudgetError> {
        let mut tasks = vec![];
        let nothing = MarkSet::new();
        let Parts { choices, observer, .. } = self;
        let all = Task { members, condition, forbidden: nothing, before: None, depth: 0 };
        let whole = judge(all, present, &mut tasks, choices, *observer)?;
        if whole.is_some() {
            return Ok(whole);
        }
        while let Some(task) = tasks.pop() {
            self.observer.count(|statistics| statistics.decomposes(task.depth));
            self.observer.observe(|| Event::Avoided { marks: Event::marks(&task.forbidden) });
            self.count_removed(&task);
            for (members, present) in self.decompose(&task.members, &task.forbidden) {
                let Parts { component, observer, .. } = self;
                let nodes = || members.iter().map(|&it| component.node(it).0).collect();
                observer.observe(|| Event::Component { nodes: nodes() });
                if !viable(&members, &task.forbidden) {
                    continue;
                }
                let condition = task.condition.restrict(&present);
                let forbidden = task.forbidden.clone();
                let before = None;
                let part = Task { members, condition, forbidden, before, depth: task.depth };
                let (choices, observer) = (&mut self.choices, &mut *self.observer);
                let found = judge(part, present, &mut tasks, choices, observer)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// Counts the edges that are inside a part and forbidden from now on, if statistics were requested.
    fn count_removed(&mut self, task: &Task) {
        let Parts { component, graph, observer, .. } = self;
        let Some(before) = &task.before else { return };
        let inside: HashSet<u32> = task.members.iter().copied().collect();
        let edges = task.members.iter().flat_map(|&node| component.range(node));
        let is_removed = |&at: &usize| {
            let marks = graph.marks(component.marks[at]);
            inside.contains(&component.targets[at])
                && marks.intersects(&task.forbidden)
                && !marks.intersects(before)
        };
        observer.count(|statistics| statistics.removed += edges.filter(is_removed).count());
    }

    /// The strongly connected parts with an edge, of `members` without the forbidden edges, each
    /// with the marks that occur in it.
    fn decompose(&mut self, members: &[u32], forbidden: &MarkSet) -> Vec<(Vec<u32>, MarkSet)> {
        let part = self.next_owner;
        self.next_owner += 1;
        for &node in members {
            self.owner[node as usize] = part;
        }
        let Parts { component, graph, owner, tarjan, .. } = self;
        let is_inside = |at: usize| owner[component.targets[at] as usize] == part;
        let is_forbidden = |at: usize| graph.marks(component.marks[at]).intersects(forbidden);
        let allowed = |at: usize| is_inside(at) && !is_forbidden(at);
        let found = tarjan.components(component, members, allowed);
        let mut parts = Vec::new();
        for part in found {
            let number = self.next_owner;
            self.next_owner += 1;
            for &node in &part {
                self.owner[node as usize] = number;
            }
            let mut present = MarkSet::new();
            for &node in &part {
                for at in component.range(node) {
                    let marks = graph.marks(component.marks[at]);
                    if self.owner[component.targets[at] as usize] == number
                        && !marks.intersects(forbidden)
                    {
                        present.union_with(&marks);
                    }
                }
            }
            parts.push((part, present));
        }
        parts
    }
}

/// Tarjan's algorithm (1972) with an explicit stack, restricted to some nodes and edges.
struct Tarjan {
    /// Preorder number, 0 when not seen, `u32::MAX` when done.
    number: Vec<u32>,
    low: Vec<u32>,
}

impl Tarjan {
    fn new(nodes: usize) -> Self {
        Tarjan { number: vec![0; nodes], low: vec![0; nodes] }
    }

    /// The components with an edge of the subgraph of `members`; leaves the tables as it found
    /// them.
    fn components(
        &mut self,
        component: &Component,
        members: &[u32],
        allowed: impl Fn(usize) -> bool,
    ) -> Vec<Vec<u32>> {
        const DONE: u32 = u32::MAX;
        let mut found = Vec::new();
        let mut live: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut next = 1;
        for &start in members {
            if self.number[start as usize] != 0 {
                continue;
            }
            path.push((start, component.range(start).start));
            self.number[start as usize] = next;
            self.low[start as usize] = next;
            next += 1;
            live.push(start);
            while let Some(&mut (node, ref mut at)) = path.last_mut() {
                if *at < component.range(node).end {
                    let edge = *at;
                    *at += 1;
                    if !allowed(edge) {
                        continue;
                    }
                    let target = component.targets[edge];
                    match self.number[target as usize] {
                        0 => {
                            self.number[target as usize] = next;
                            self.low[target as usize] = next;
                            next += 1;
                            live.push(target);
                            path.push((target, component.range(target).start));
                        }
                        DONE => {}
                        number => {
                            let low = &mut self.low[node as usize];
                            *low = (*low).min(number);
                        }
                    }
                    continue;
                }
                path.pop();
                let low = self.low[node as usize];
                if let Some(&(parent, _)) = path.last() {
                    let parents = &mut self.low[parent as usize];
                    *parents = (*parents).min(low);
                }
                if low == self.number[node as usize] {
                    // Most parts are single nodes without an edge; they are not worth a vector.
                    let single = live.last() == Some(&node);
                    let looping = |at: usize| component.targets[at] == node && allowed(at);
                    if single && !component.range(node).any(looping) {
                        live.pop();
                        self.number[node as usize] = DONE;
                        continue;
                    }
                    let from = live.iter().rposition(|&other| other == node);
                    let part = live.split_off(from.expect("the root is on the stack"));
                    for &member in &part {
                        self.number[member as usize] = DONE;
                    }
                    found.push(part);
                }
            }
        }
        for &node in members {
            self.number[node as usize] = 0;
        }
        found
    }
}

/// Whether some cycle through nodes of `members` only, a strongly connected set of states of the
/// automaton, is accepted by `acceptance`.
///
/// # Errors
/// When the condition is one of those that are hard to decide, and too hard.
pub fn has_accepting_cycle(
    automaton: &Automaton,
    members: &[StateId],
    acceptance: &Acceptance,
) -> Result<bool, BudgetError> {
    let positions: HashMap<StateId, u32> = members.iter().copied().zip(0..).collect();
    let mut graph = automaton.graph();
    let copy = Component::copy(&mut graph, members, |_| true, |node| positions.get(&node).copied());
    if copy.targets.is_empty() {
        return Ok(false);
    }
    let mut present = MarkSet::new();
    copy.marks.iter().for_each(|&id| present.union_with(automaton.marks(id)));
    let condition = acceptance.restrict(&present);
    let part = copy.accepted_part(&graph, &condition, &present, &mut Unwatched)?;
    Ok(part.is_some())
}
