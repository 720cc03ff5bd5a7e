//! Cycles through a good component: a closed walk that meets every `U` whose `L` it meets.

use std::collections::VecDeque;

use crate::graph::Hop;

use super::super::component::LocalEdge;
use super::pairs::{Pair, Stored};

/// How to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// Figures 2 and 3 of Latvala and Heljanko (2000): the path is kept where it meets an `L` for the first
    /// time, or the `U` of an `L` that it has met. Repaired: the sets of what was seen outlive a call
    /// (002-8), what is open is computed from them after every segment (002-9), the last segment is part of
    /// the walk (002-11).
    Lazy,
    /// Kesten, Pnueli and Raviv (1998): to every `U` whose `L` the component meets, in turn, unless the walk
    /// has met it; then back.
    Eager,
}

/// A closed walk through `part`, which is strongly connected, has an edge and no bad vertex; it starts in the
/// first vertex of the part, since the one that the component was entered by may have been removed (002-12).
pub(super) fn cycle(stored: &Stored, part: &[u32], pairs: &[Pair], round: Round) -> Vec<Hop> {
    let mut inside = vec![false; stored.marks.len()];
    part.iter().for_each(|&vertex| inside[vertex as usize] = true);
    let walk = Walk { stored, pairs, inside };
    let path = match round {
        Round::Lazy => walk.lazy(part[0]),
        Round::Eager => walk.eager(part),
    };
    let hop = |(from, edge): (u32, LocalEdge)| Hop {
        from: stored.rows.node(from),
        nth: edge.nth,
        to: stored.rows.node(edge.target),
    };
    path.into_iter().map(hop).collect()
}

struct Walk<'a> {
    stored: &'a Stored,
    pairs: &'a [Pair],
    inside: Vec<bool>,
}

/// A vertex and the edge taken from it.
type Taken = (u32, LocalEdge);

/// A breadth-first search: the path to each vertex that was met since it was reset.
struct Search {
    /// By vertex: the edge that led there, and from where. The vertex it started in has none.
    father: Vec<Option<Option<Taken>>>,
    met: Vec<u32>,
    queue: VecDeque<u32>,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Search { father: vec![None; vertices], met: Vec::new(), queue: VecDeque::new() }
    }

    fn reset(&mut self, start: u32) {
        self.met.drain(..).for_each(|vertex| self.father[vertex as usize] = None);
        self.queue.clear();
        self.visit(start, None);
    }

    fn visit(&mut self, vertex: u32, taken: Option<Taken>) {
        if self.father[vertex as usize].is_none() {
            self.father[vertex as usize] = Some(taken);
            self.met.push(vertex);
            self.queue.push_back(vertex);
        }
    }

    fn path_to(&self, vertex: u32) -> Vec<Taken> {
        let mut path = Vec::new();
        let mut at = vertex;
        while let Some(Some((from, edge))) = self.father[at as usize] {
            path.push((from, edge));
            at = from;
        }
        path.reverse();
        path
    }
}

impl Walk<'_> {
    fn successors(&self, vertex: u32) -> impl Iterator<Item = LocalEdge> + '_ {
        self.stored.rows.edges(vertex).filter(|edge| self.inside[edge.target as usize])
    }

    fn is_met(&self, pair: usize, vertex: u32) -> bool {
        self.pairs[pair].met.intersects(&self.stored.marks[vertex as usize])
    }

    /// A Büchi set is asked for from the start, and by no vertex.
    fn is_asked(&self, pair: usize, vertex: u32) -> bool {
        let marks = &self.stored.marks[vertex as usize];
        self.pairs[pair].asked.is_some_and(|asked| marks.contains(asked))
    }

    fn lazy(&self, root: u32) -> Vec<Taken> {
        let count = self.pairs.len();
        let mut asked: Vec<bool> = self.pairs.iter().map(|pair| pair.asked.is_none()).collect();
        let mut met = vec![false; count];
        let mut walk = Vec::new();
        let mut search = Search::new(self.stored.marks.len());
        search.reset(root);
        while let Some(vertex) = search.queue.pop_front() {
            // `checkstate`.
            let mut locks = false;
            for (pair, asked) in asked.iter_mut().enumerate() {
                if !*asked && self.is_asked(pair, vertex) {
                    *asked = true;
                    locks = true;
                }
            }
            locks |= (0..count).any(|pair| asked[pair] && !met[pair] && self.is_met(pair, vertex));
            if locks {
                // `lockpath`: every `U` on the path counts, whether its `L` was met or not.
                let segment = search.path_to(vertex);
                let on_it = segment.iter().map(|&(_, edge)| edge.target).chain([vertex]);
                for on in on_it {
                    (0..count).for_each(|pair| met[pair] |= self.is_met(pair, on));
                }
                walk.extend(segment);
                search.reset(vertex);
                search.queue.clear();
            }
            let is_settled = (0..count).all(|pair| met[pair] || !asked[pair]);
            if is_settled
                && let Some(last) = self.successors(vertex).find(|edge| edge.target == root)
            {
                walk.extend(search.path_to(vertex));
                walk.push((vertex, last));
                return walk;
            }
            for edge in self.successors(vertex) {
                search.visit(edge.target, Some((vertex, edge)));
            }
        }
        unreachable!("every set that is asked for is met in a good component, and so is the root")
    }

    fn eager(&self, part: &[u32]) -> Vec<Taken> {
        let root = part[0];
        let mut at = root;
        let mut walk: Vec<Taken> = Vec::new();
        let mut search = Search::new(self.stored.marks.len());
        for (number, pair) in self.pairs.iter().enumerate() {
            let is_asked = pair.asked.is_none() || part.iter().any(|&it| self.is_asked(number, it));
            let mut visited = walk.iter().map(|&(_, edge)| edge.target).chain([root]);
            if !is_asked || visited.any(|vertex| self.is_met(number, vertex)) {
                continue;
            }
            let segment = self.nearest(&mut search, at, |vertex| self.is_met(number, vertex));
            at = segment.last().map_or(at, |&(_, edge)| edge.target);
            walk.extend(segment);
        }
        walk.extend(self.nearest(&mut search, at, |vertex| vertex == root));
        walk
    }

    /// A shortest path with an edge to a goal.
    fn nearest(&self, search: &mut Search, from: u32, goal: impl Fn(u32) -> bool) -> Vec<Taken> {
        search.reset(from);
        while let Some(vertex) = search.queue.pop_front() {
            for edge in self.successors(vertex) {
                if goal(edge.target) {
                    let mut path = search.path_to(vertex);
                    path.push((vertex, edge));
                    return path;
                }
                search.visit(edge.target, Some((vertex, edge)));
            }
        }
        unreachable!("the part is strongly connected and has an edge")
    }
}
