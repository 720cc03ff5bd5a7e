//! A short accepted lasso of a graph that has been explored.
//!
//! An engine gives the first accepted cycle that closes on its way, and where it began to look has much to do
//! with how long that is: of five processes that could go round, four take part. Here every node in an
//! accepted part is a possible start, the nearest first, since a lasso of a given length has to be entered
//! within it. From each, a breadth-first search over pairs of a node and the marks seen so far finds a shortest
//! accepted closed walk, no longer than what is left of the shortest lasso so far. Finding a shortest one is
//! NP-hard in general (Ehlers, FM 2019), so all starts together have a budget; the order of the starts and the
//! budget do not depend on time, and neither does what is found.
//!
//! Where there are too many marks for that, each start gets the walk of [`super::walk`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::automaton::StateId;
use crate::graph::{Hop, Lasso};
use crate::marks::{Mark, MarkSet};

use super::component::Region;
use super::explored::Explored;
use super::walk;

/// Marks that are told apart by the pairs.
pub(super) const MARKS: usize = 16;
/// Parts of the budget, of which one start gets one.
const STARTS: usize = 16;

/// A way to be looked at: a node, the marks seen, where it came from, and by which step.
struct Pair {
    node: u32,
    seen: u32,
    parent: u32,
    nth: u32,
}

/// An accepted lasso with fewer than `most` steps, as short as one is found while at most `effort` pairs are
/// looked at.
pub(super) fn lasso(
    explored: &Explored,
    depths: &[u32],
    regions: &[Region],
    most: usize,
    effort: usize,
) -> Option<Lasso> {
    let mut starts: Vec<(u32, usize)> = Vec::new();
    for (at, region) in regions.iter().enumerate() {
        starts.extend(region.members.iter().map(|&node| (node, at)));
    }
    // Nodes are numbered by distance.
    starts.sort_unstable();
    let mut inside = vec![u32::MAX; explored.node_count()];
    for (at, region) in (0u32..).zip(regions) {
        region.members.iter().for_each(|&node| inside[node as usize] = at);
    }
    let mut searches: Vec<Around> = regions.iter().map(Around::new).collect();
    let (mut best, mut most, mut left) = (None, most, effort);
    for (start, at) in starts {
        let depth = depths[start as usize] as usize;
        if depth + 1 >= most || left == 0 {
            break;
        }
        let search = &mut searches[at];
        let is_inside = |node: u32| inside[node as usize] as usize == at;
        let share = (effort / STARTS).min(left);
        let (cycle, spent) =
            search.cycle(explored, start, most - depth - 1, share.max(1), is_inside);
        left = left.saturating_sub(spent.max(1));
        if let Some(cycle) = cycle {
            most = depth + cycle.len();
            best = Some((start, cycle));
        }
    }
    let (start, cycle) = best?;
    Some(Lasso { stem: explored.path_to(StateId(start)), cycle })
}

/// Searches in one region.
struct Around<'a> {
    region: &'a Region,
    relevant: Vec<Mark>,
    /// What the condition says of marks that were seen, as far as it was asked.
    accepted: HashMap<u32, bool>,
    queue: Vec<Pair>,
    reached: HashMap<(u32, u32), ()>,
}

impl<'a> Around<'a> {
    fn new(region: &'a Region) -> Around<'a> {
        let relevant = region.condition.marks().iter().collect();
        let (accepted, reached) = (HashMap::new(), HashMap::new());
        Around { region, relevant, accepted, queue: Vec::new(), reached }
    }

    /// A shortest accepted closed walk from a node with at most so many steps, and how many pairs were looked
    /// at for it.
    fn cycle(
        &mut self,
        explored: &Explored,
        start: u32,
        most: usize,
        effort: usize,
        is_inside: impl Fn(u32) -> bool,
    ) -> (Option<Vec<Hop>>, usize) {
        if self.relevant.len() > MARKS {
            return self.walk(explored, start, most);
        }
        self.queue.clear();
        self.reached.clear();
        self.queue.push(Pair { node: start, seen: 0, parent: 0, nth: 0 });
        let (mut head, mut depth, mut depth_end) = (0, 0, 1);
        while head < self.queue.len() && head < effort {
            if head == depth_end {
                depth_end = self.queue.len();
                depth += 1;
            }
            if depth >= most {
                break;
            }
            let Pair { node, seen, .. } = self.queue[head];
            for (nth, step) in (0u32..).zip(explored.steps_of(StateId(node))) {
                let target = step.target.0;
                let marks = explored.mark_set(step.marks);
                if !is_inside(target) || marks.intersects(&self.region.forbidden) {
                    continue;
                }
                let mut now = seen;
                for (bit, &mark) in self.relevant.iter().enumerate() {
                    now |= u32::from(marks.contains(mark)) << bit;
                }
                if target == start && self.accepts(now) {
                    return (Some(self.closed(head, nth, start)), head + 1);
                }
                if let Entry::Vacant(new) = self.reached.entry((target, now)) {
                    new.insert(());
                    let parent = u32::try_from(head).unwrap_or(u32::MAX);
                    self.queue.push(Pair { node: target, seen: now, parent, nth });
                }
            }
            head += 1;
        }
        (None, head)
    }

    fn accepts(&mut self, seen: u32) -> bool {
        let Around { region, relevant, accepted, .. } = self;
        *accepted.entry(seen).or_insert_with(|| {
            let marks = relevant.iter().enumerate();
            let marks = marks.filter(|(bit, _)| seen >> bit & 1 == 1).map(|(_, &mark)| mark);
            region.condition.accepts(&marks.collect::<MarkSet>())
        })
    }

    /// The hops to a pair, and one more that closes the cycle.
    fn closed(&self, last: usize, nth: u32, start: u32) -> Vec<Hop> {
        let (mut at, mut nth, mut to) = (last, nth, start);
        let mut cycle = Vec::new();
        loop {
            let pair = &self.queue[at];
            cycle.push(Hop { from: StateId(pair.node), nth, to: StateId(to) });
            if at == 0 {
                break;
            }
            (nth, to) = (pair.nth, pair.node);
            at = pair.parent as usize;
        }
        cycle.reverse();
        cycle
    }

    /// The walk from one thing that is asked for to the nearest other.
    fn walk(&self, explored: &Explored, start: u32, most: usize) -> (Option<Vec<Hop>>, usize) {
        let cycle = walk::from_node(explored, explored.rows(), self.region, start);
        let turn = cycle.iter().position(|hop| hop.from.0 == start);
        // About a search for each demand.
        let spent = self.region.members.len() * self.relevant.len();
        let cycle = turn.filter(|_| cycle.len() <= most).map(|turn| {
            let mut cycle = cycle;
            cycle.rotate_left(turn);
            cycle
        });
        (cycle, spent)
    }
}
