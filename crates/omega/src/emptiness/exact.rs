//! A shortest accepted cycle through a small region.
//!
//! Breadth first over pairs of a node and the set of marks seen so far, from each node of the region
//! in turn. Finding a shortest one is NP-hard in general (Ehlers, FM 2019, shows that even coming
//! close is), so this is done only where the pairs are few; elsewhere the walk of
//! [`super::walk`] stands.

use crate::graph::Graph;
use crate::marks::{Mark, MarkSet};

use super::component::{Component, LocalEdge, Region};

/// Pairs of a node and a set of marks that may be looked at from one start.
const PAIRS: usize = 1 << 16;
/// Pairs over all starts.
const TOTAL: usize = 1 << 21;

/// A closed walk in the region as short as possible, at most `most` steps long, whose marks the
/// region's condition accepts: the nodes left and the edges taken. `None` if there is none so short
/// or the region is too large for this.
pub(super) fn shortest_cycle<G: Graph>(
    graph: &G,
    component: &Component,
    region: &Region,
    most: usize,
) -> Option<Vec<(u32, LocalEdge)>> {
    let relevant: Vec<Mark> = region.condition.marks().iter().collect();
    let nodes = region.members.len();
    if relevant.len() > 16 {
        return None;
    }
    let sets = 1usize << relevant.len();
    if nodes.saturating_mul(sets) > PAIRS {
        return None;
    }
    let mut position = vec![u32::MAX; component.len()];
    for (at, &node) in (0u32..).zip(&region.members) {
        position[node as usize] = at;
    }
    // The edges of the region with the relevant marks as bits.
    let mut edges: Vec<Vec<(u32, usize, LocalEdge)>> = Vec::with_capacity(nodes);
    for &node in &region.members {
        let inside = component.edges(node).filter_map(|edge| {
            let marks = graph.marks(edge.marks);
            let target = position[edge.target as usize];
            if target == u32::MAX || marks.intersects(&region.forbidden) {
                return None;
            }
            let bits = (0..relevant.len()).filter(|&bit| marks.contains(relevant[bit]));
            Some((target, bits.fold(0, |bits, bit| bits | 1 << bit), edge))
        });
        edges.push(inside.collect());
    }
    let accepted: Vec<bool> = (0..sets)
        .map(|bits| {
            let seen = (0..relevant.len()).filter(|bit| bits >> bit & 1 == 1);
            let seen: MarkSet = seen.map(|bit| relevant[bit]).collect();
            region.condition.accepts(&seen)
        })
        .collect();

    let mut best: Option<Vec<(u32, LocalEdge)>> = None;
    let mut limit = most;
    let starts = (TOTAL / (nodes * sets).max(1)).max(1);
    let mut reached: Vec<bool> = Vec::new();
    for start in (0u32..).take(nodes.min(starts)) {
        let found = from(start, &edges, &accepted, sets, limit, &mut reached);
        if let Some(cycle) = found {
            limit = cycle.len() - 1;
            let named = cycle.into_iter().map(|(at, edge)| (region.members[at as usize], edge));
            best = Some(named.collect());
        }
    }
    best
}

/// A shortest accepted closed walk from one node, with at most `most` steps.
fn from(
    start: u32,
    edges: &[Vec<(u32, usize, LocalEdge)>],
    accepted: &[bool],
    sets: usize,
    most: usize,
    reached: &mut Vec<bool>,
) -> Option<Vec<(u32, LocalEdge)>> {
    reached.clear();
    reached.resize(edges.len() * sets, false);
    let mut queue: Vec<(u32, usize, usize, Option<LocalEdge>)> = vec![(start, 0, 0, None)];
    reached[start as usize * sets] = true;
    let mut depth_end = 1;
    let mut depth = 0;
    let mut head = 0;
    while head < queue.len() {
        if head == depth_end {
            depth_end = queue.len();
            depth += 1;
        }
        if depth >= most {
            return None;
        }
        let (node, seen, ..) = queue[head];
        for &(target, bits, edge) in &edges[node as usize] {
            let now = seen | bits;
            if target == start && accepted[now] {
                let mut cycle = vec![(node, edge)];
                let mut at = head;
                while let (_, _, parent, Some(edge)) = queue[at] {
                    cycle.push((queue[parent].0, edge));
                    at = parent;
                }
                cycle.reverse();
                return Some(cycle);
            }
            let pair = target as usize * sets + now;
            if !reached[pair] {
                reached[pair] = true;
                queue.push((target, now, head, Some(edge)));
            }
        }
        head += 1;
    }
    None
}
