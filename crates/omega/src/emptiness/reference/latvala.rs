//! Emptiness of Streett automata as Latvala and Heljanko (2000) print it, repaired.
//!
//! Section 3: components of the product by Tarjan's algorithm, while it is explored; of each, first whether
//! it meets every Büchi set, then, if it meets an `L` at all, the check of Figure 1: remove bad vertices until
//! there are none, find the components of what is left, put the largest one back last. The engine `streett`
//! answers the same question on edges, and of every Emerson–Lei condition.
//!
//! Deviations (rows of `docs/papers.md`): marks of steps become marks of vertices (002-14), a good component
//! has an edge (002-2, 002-6), an empty remainder is skipped (002-5), Büchi sets have no `L` (002-3), and
//! Tarjan's algorithm returns the trivial components too (002-7).

use std::collections::VecDeque;

use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Step, Visit};

use super::super::statistics::Why;
use super::super::watching::{Event, Observer};
use super::super::{Effort, EmptinessError};
use super::entered::Entered;
use super::pairs::{self, Pair, Stored, Tables};
use super::round::{self, Round};
use super::{Found, Seen};

struct Frame {
    vertex: StateId,
    begin: usize,
}

pub(super) struct Search<'a, 'g, G, O> {
    pub(super) graph: Entered<'g, G>,
    pub(super) pairs: Vec<Pair>,
    pub(super) observer: &'a mut O,
    pub(super) effort: Effort,
}

/// Not seen.
const NEW: u32 = 0;
/// In a complete component.
const DONE: u32 = u32::MAX;

impl<G: Graph, O: Observer> Search<'_, '_, G, O> {
    pub(super) fn run(&mut self, round: Round) -> Result<Option<Found>, EmptinessError> {
        let mut number: Vec<u32> = Vec::new();
        let mut low: Vec<u32> = Vec::new();
        let mut live: Vec<StateId> = Vec::new();
        let mut path: Vec<Frame> = Vec::new();
        let mut pending: Vec<Step> = Vec::new();
        for start in self.graph.initial() {
            if number.get(start.index()).is_some_and(|&it| it != NEW) {
                continue;
            }
            if !self.graph.allows(self.effort.nodes) {
                return Ok(None);
            }
            self.open(start, &mut number, &mut low, &mut live, &mut path, &mut pending);
            while let Some(&Frame { vertex, begin }) = path.last() {
                if pending.len() > begin {
                    let target = pending.pop().expect("a step is left").target;
                    match number.get(target.index()).copied().unwrap_or(NEW) {
                        NEW => {
                            if !self.graph.allows(self.effort.nodes) {
                                return Ok(None);
                            }
                            self.open(
                                target,
                                &mut number,
                                &mut low,
                                &mut live,
                                &mut path,
                                &mut pending,
                            );
                        }
                        DONE => {}
                        seen => low[vertex.index()] = low[vertex.index()].min(seen),
                    }
                    continue;
                }
                path.pop();
                let lowest = low[vertex.index()];
                if let Some(parent) = path.last() {
                    let parent = parent.vertex.index();
                    low[parent] = low[parent].min(lowest);
                }
                if lowest != number[vertex.index()] {
                    continue;
                }
                // Positions on the stack of live vertices are their numbers, from 1 on.
                let members = live.split_off(lowest as usize - 1);
                let position = |other: StateId| {
                    let seen = number.get(other.index()).copied().unwrap_or(NEW);
                    (seen != NEW && seen != DONE && seen >= lowest).then(|| seen - lowest)
                };
                let stored = Stored::of(&mut self.graph, &members, position);
                let bytes = stored.rows.bytes();
                self.effort.bytes = self.effort.bytes.max(bytes);
                if let Some(cycle) = self.judge(&stored, round) {
                    return Ok(Some(Found { cycle, seen: Seen(number) }));
                }
                members.iter().for_each(|member| number[member.index()] = DONE);
            }
        }
        Ok(None)
    }

    fn open(
        &mut self,
        vertex: StateId,
        number: &mut Vec<u32>,
        low: &mut Vec<u32>,
        live: &mut Vec<StateId>,
        path: &mut Vec<Frame>,
        pending: &mut Vec<Step>,
    ) {
        if vertex.index() >= number.len() {
            number.resize(vertex.index() + 1, NEW);
            low.resize(vertex.index() + 1, NEW);
        }
        live.push(vertex);
        let fresh = u32::try_from(live.len()).expect("vertices are numbered by u32");
        (number[vertex.index()], low[vertex.index()]) = (fresh, fresh);
        let begin = pending.len();
        self.graph.steps(vertex, pending);
        pending[begin..].reverse();
        self.effort.nodes += 1;
        self.effort.steps += pending.len() - begin;
        path.push(Frame { vertex, begin });
        let base = self.graph.base(vertex);
        self.observer.observe(|| Event::Opened { node: base.0 });
    }

    /// Steps 4 to 7 of Section 3, for one component.
    fn judge(&mut self, stored: &Stored, round: Round) -> Option<Vec<Hop>> {
        let all: Vec<u32> = (0..).take(stored.marks.len()).collect();
        if !stored.is_nontrivial(&all) {
            return None;
        }
        self.observer.count(|it| it.component(all.len()));
        self.show(stored, &all);
        let present = stored.present(&all);
        let mut failing =
            self.pairs.iter().filter(|it| it.asked.is_none() && !it.met.intersects(&present));
        if let Some(pair) = failing.next() {
            self.observer.count(|it| it.fails(pair.met.iter().next(), Why::NeverMet));
            self.graph.visit(Visit::Rejected);
            return None;
        }
        let is_asked = |pair: &Pair| pair.asked.is_some_and(|asked| present.contains(asked));
        let good = match self.pairs.iter().any(is_asked) {
            false => Some(all),
            true => self.figure_1(stored, all),
        };
        match good {
            Some(part) => {
                let present = stored.present(&part);
                let cycle = round::cycle(stored, &part, &self.pairs, round);
                self.observer.count(|it| it.obligations += pairs::asked(&self.pairs, &present));
                Some(cycle)
            }
            None => {
                self.graph.visit(Visit::Rejected);
                None
            }
        }
    }

    /// The check of Figure 1: a good component with an edge.
    fn figure_1(&mut self, stored: &Stored, all: Vec<u32>) -> Option<Vec<u32>> {
        let mut owner = vec![1u32; all.len()];
        let mut next_owner = 2;
        let mut tables = Tables::new(all.len());
        let mut queue = VecDeque::from([(all, 1usize)]);
        while let Some((mut part, depth)) = queue.pop_front() {
            let mut changed = false;
            loop {
                let bad = stored.bad(&part, &self.pairs);
                if bad.is_empty() {
                    break;
                }
                self.fail(stored, &part);
                changed = true;
                bad.iter().for_each(|&vertex| owner[vertex as usize] = 0);
                part.retain(|&vertex| owner[vertex as usize] != 0);
                self.observer.count(|it| it.removed += bad.len());
                let nodes =
                    || bad.iter().map(|&it| self.graph.base(stored.rows.node(it)).0).collect();
                self.observer.observe(|| Event::Removed { nodes: nodes() });
            }
            if part.is_empty() {
                continue;
            }
            if !changed {
                if stored.is_nontrivial(&part) {
                    return Some(part);
                }
                continue;
            }
            self.observer.count(|it| it.decomposes(depth));
            let mut parts = stored.components(&part, &owner, &mut tables);
            let largest = (0..parts.len()).max_by_key(|&at| parts[at].len());
            let largest = parts.swap_remove(largest.expect("the part has vertices"));
            for part in parts.into_iter().chain([largest]) {
                part.iter().for_each(|&vertex| owner[vertex as usize] = next_owner);
                next_owner += 1;
                self.show(stored, &part);
                queue.push_back((part, depth + 1));
            }
        }
        None
    }

    /// Counts the pairs for which vertices of a part are bad.
    fn fail(&mut self, stored: &Stored, part: &[u32]) {
        let present = stored.present(part);
        for pair in &self.pairs {
            match pair.asked {
                _ if pair.met.intersects(&present) => {}
                None => self.observer.count(|it| it.fails(pair.met.iter().next(), Why::NeverMet)),
                Some(asked) if present.contains(asked) => {
                    self.observer.count(|it| it.fails(Some(asked), Why::AskedInVain));
                }
                Some(_) => {}
            }
        }
    }

    fn show(&mut self, stored: &Stored, part: &[u32]) {
        let graph = &self.graph;
        let nodes = || part.iter().map(|&it| graph.base(stored.rows.node(it)).0).collect();
        self.observer.observe(|| Event::Component { nodes: nodes() });
    }
}
