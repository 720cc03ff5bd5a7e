//! A short accepted lasso of a graph that has been explored.
//!
//! An engine gives the first accepted cycle that closes on its way, and where it began to look has much to do
//! with how long that is: of five processes that could go round, four take part. Here every node in a component
//! with an accepted part is a possible start, the nearest first, since a lasso of a given length has to be entered
//! within it. From each, a breadth-first search over pairs of a node and the marks seen so far finds a shortest
//! accepted closed walk, no longer than what is left of the shortest lasso so far. A pair is left out if the same
//! node was reached before with all marks that are wanted and none that are unwanted beside: whatever closes the
//! walk from there closes the other one, too. Finding a shortest one is NP-hard in general (Ehlers, FM 2019), so
//! all starts together have a budget; the order of the starts and the budget do not depend on time, and neither
//! does what is found.
//!
//! Where there are many marks, each start gets the walk of [`super::walk`] first, so that the search need not
//! look farther; where there are too many for the pairs, that walk alone.

use hashbrown::{HashMap, HashSet};

use crate::automaton::StateId;
use crate::graph::{Hop, Lasso};
use crate::marks::{Mark, MarkSet, MarkSetId};

use super::component::Region;
use super::explored::Explored;
use super::walk;

/// Marks that are told apart by the pairs.
pub(super) const MARKS: usize = 64;
/// With more marks, a walk comes before the search.
pub(super) const FEW_MARKS: usize = 16;
/// Parts of the budget, of which one start gets one.
const STARTS: usize = 16;
/// Sets of marks of one node that a new one is compared with.
const COMPARED: usize = 64;
/// Pairs whose table is used again.
const FEW: usize = 1 << 10;

/// How closed walks from a start are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Pair by pair.
    Pairs,
    /// From one thing that is asked for to the nearest other.
    Walk,
}

/// A way to be looked at: a node, the marks seen, where it came from, and by which step.
struct Pair {
    node: u32,
    seen: u64,
    parent: u32,
    nth: u32,
}

/// An accepted lasso with fewer than `most` steps, as short as one is found while at most `effort` pairs are
/// looked at.
pub(super) fn lasso(
    explored: &Explored,
    depths: &[u32],
    regions: &[(Region, Way)],
    most: usize,
    effort: usize,
) -> Option<Lasso> {
    let mut starts: Vec<(u32, usize)> = Vec::new();
    for (at, (region, _)) in regions.iter().enumerate() {
        starts.extend(region.members.iter().map(|&node| (node, at)));
    }
    // Nodes are numbered by distance.
    starts.sort_unstable();
    let mut inside = vec![NONE; explored.node_count()];
    for (at, (region, _)) in (0u32..).zip(regions).filter(|(_, (_, way))| *way == Way::Pairs) {
        region.members.iter().for_each(|&node| inside[node as usize] = at);
    }
    let mut searches: Vec<Around> =
        regions.iter().map(|(region, way)| Around::new(region, *way)).collect();
    let mut reached = Reached::new(explored.node_count());
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
            search.cycle(explored, start, most - depth - 1, share.max(1), is_inside, &mut reached);
        left = left.saturating_sub(spent.max(1));
        if let Some(cycle) = cycle {
            most = depth + cycle.len();
            best = Some((start, cycle));
        }
    }
    let (start, cycle) = best?;
    Some(Lasso { stem: explored.path_to(StateId(start)), cycle })
}

/// The sets of marks with which nodes have been reached from a start.
struct Reached {
    /// By node: the start it was reached from last, and the last of its sets.
    nodes: Vec<(u32, u32)>,
    /// Sets, each with the one before it of the same node.
    sets: Vec<(u64, u32)>,
    /// Nodes with their sets.
    known: HashSet<(u32, u64)>,
    start: u32,
}

/// No set, or no start.
const NONE: u32 = u32::MAX;

impl Reached {
    fn new(nodes: usize) -> Reached {
        let (sets, known) = (Vec::new(), HashSet::new());
        Reached { nodes: vec![(NONE, NONE); nodes], sets, known, start: NONE }
    }

    fn begin(&mut self, start: u32) {
        // The same node may be a start again, in another region.
        if self.start == start {
            self.nodes.fill((NONE, NONE));
        }
        self.start = start;
        self.sets.clear();
        // A table that was large once would take as long to empty for every start.
        match self.known.len() < FEW {
            true => self.known.clear(),
            false => self.known = HashSet::new(),
        }
    }

    /// Adds a set of marks with which a node is reached, unless it is no better than one of those before.
    fn add(&mut self, node: u32, seen: u64, is_covered: impl Fn(u64, u64) -> bool) -> bool {
        let (start, last) = self.nodes[node as usize];
        let last = if start == self.start { last } else { NONE };
        if !self.known.insert((node, seen)) {
            return false;
        }
        let mut at = last;
        for _ in 0..COMPARED {
            let Some(&(set, before)) = self.sets.get(at as usize) else { break };
            if is_covered(seen, set) {
                return false;
            }
            at = before;
        }
        let Ok(number) = u32::try_from(self.sets.len()) else { return false };
        self.sets.push((seen, last));
        self.nodes[node as usize] = (self.start, number);
        true
    }
}

/// Searches in one region.
struct Around<'a> {
    region: &'a Region,
    way: Way,
    relevant: Vec<Mark>,
    /// Marks of which more are better, and those of which fewer are.
    wanted: u64,
    unwanted: u64,
    /// The relevant marks of each set of marks of the graph, unless an edge with them is outside.
    bits: HashMap<MarkSetId, Option<u64>>,
    /// Memo of the condition's answers, by the set of marks seen.
    accepted: HashMap<u64, bool>,
    queue: Vec<Pair>,
}

impl<'a> Around<'a> {
    fn new(region: &'a Region, way: Way) -> Around<'a> {
        let relevant: Vec<Mark> = region.condition.marks().iter().collect();
        let (fin, inf) = region.condition.polarity();
        let bits = |only: &MarkSet, not: &MarkSet| {
            let marks = relevant.iter().enumerate().take(MARKS);
            let marks = marks.filter(|(_, mark)| only.contains(**mark) && !not.contains(**mark));
            marks.fold(0, |bits, (bit, _)| bits | 1 << bit)
        };
        let (wanted, unwanted) = (bits(&inf, &fin), bits(&fin, &inf));
        let (accepted, bits) = (HashMap::new(), HashMap::new());
        let queue = Vec::new();
        Around { region, way, relevant, wanted, unwanted, bits, accepted, queue }
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
        reached: &mut Reached,
    ) -> (Option<Vec<Hop>>, usize) {
        if self.way == Way::Walk {
            return self.walk(explored, start, most);
        }
        let (wanted, unwanted) = (self.wanted, self.unwanted);
        let neither = !(wanted | unwanted);
        let is_covered = |seen: u64, by: u64| {
            seen & wanted & !by == 0 && by & unwanted & !seen == 0 && (seen ^ by) & neither == 0
        };
        reached.begin(start);
        self.queue.clear();
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
                if !is_inside(target) {
                    continue;
                }
                let Some(bits) = self.bits_of(explored, step.marks) else { continue };
                let now = seen | bits;
                if target == start && self.accepts(now) {
                    return (Some(self.closed(head, nth, start)), head + 1);
                }
                if reached.add(target, now, is_covered) {
                    let parent = u32::try_from(head).unwrap_or(u32::MAX);
                    self.queue.push(Pair { node: target, seen: now, parent, nth });
                }
            }
            head += 1;
        }
        (None, head)
    }

    /// The relevant marks among those of an edge; none if the edge is outside.
    fn bits_of(&mut self, explored: &Explored, marks: MarkSetId) -> Option<u64> {
        let Around { region, relevant, bits, .. } = self;
        *bits.entry(marks).or_insert_with(|| {
            let marks = explored.mark_set(marks);
            let seen = relevant.iter().enumerate().filter(|(_, mark)| marks.contains(**mark));
            let seen = seen.fold(0, |bits, (bit, _)| bits | 1 << bit);
            (!marks.intersects(&region.forbidden)).then_some(seen)
        })
    }

    fn accepts(&mut self, seen: u64) -> bool {
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
