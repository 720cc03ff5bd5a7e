//! The states that wait to be expanded, and how they were reached.

use std::collections::VecDeque;

use crate::bounded::Cut;

/// Steps of a way that are kept together.
const STEPS: usize = 8;

/// A place on the way to states that wait, and the steps from it: few enough to be part of each.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// [`NONE`] if it is where the first state is.
    node: u32,
    steps: [u16; STEPS],
    /// How many of them are taken.
    count: u8,
}

struct Node {
    /// The way here; for a node that is free, its node is the next free one.
    way: Way,
    /// How many ways of nodes and of states that wait begin here.
    users: u32,
}

const NONE: u32 = u32::MAX;

struct Waiting {
    way: Way,
    terminated: bool,
}

/// States in the order in which they were met, with the ways to them as a tree whose dead branches are
/// reset: a node that nothing waits behind any more is free for another one.
///
/// There is a node for every eighth level only, with the steps to it from the node before. One for each
/// state on the way was tried: in the largest examples they were three to eight times as many as the
/// states that wait, and for four counters that run around independently two thirds of all states.
///
/// All memory is taken at once and never moves, so the limit is kept even while it fills up.
pub(super) struct Frontier {
    width: usize,
    rows: VecDeque<u64>,
    waiting: VecDeque<Waiting>,
    nodes: Vec<Node>,
    free: u32,
    most: usize,
}

/// Nodes for each state that can wait. The examples need between none and one and a half, those four
/// counters a little more than two.
const NODES: usize = 2;

impl Frontier {
    /// For rows of a width, in so many bytes.
    pub(super) fn new(width: usize, bytes: usize) -> Result<Frontier, Cut> {
        let each = width * size_of::<u64>() + size_of::<Waiting>() + NODES * size_of::<Node>();
        let most = (bytes / each).min(NONE as usize / NODES);
        let (mut rows, mut waiting, mut nodes) = (VecDeque::new(), VecDeque::new(), Vec::new());
        let refused = rows.try_reserve_exact(most * width).is_err()
            || waiting.try_reserve_exact(most).is_err()
            || nodes.try_reserve_exact(NODES * most).is_err();
        if most == 0 || refused {
            return Err(Cut::Memory(bytes));
        }
        Ok(Frontier { width, rows, waiting, nodes, free: NONE, most })
    }

    /// Adds the first state.
    pub(super) fn start(&mut self, row: &[u64]) {
        let way = Way { node: NONE, steps: [0; STEPS], count: 0 };
        self.rows.extend(row);
        self.waiting.push_back(Waiting { way, terminated: false });
    }

    /// Takes the state that has waited longest and copies its row; says how it was met. It keeps its
    /// way until it is [left](Frontier::leave).
    pub(super) fn enter(&mut self, row: &mut Vec<u64>) -> Option<(Way, bool)> {
        let Waiting { way, terminated } = self.waiting.pop_front()?;
        row.clear();
        row.extend(self.rows.drain(..self.width));
        Some((way, terminated))
    }

    /// How many states wait.
    pub(super) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a state that is met by the step at this position from one with this way can wait.
    pub(super) fn has_room(&self, way: &Way, step: usize) -> bool {
        let has_node = self.free != NONE || self.nodes.len() < NODES * self.most;
        self.waiting.len() < self.most
            && (usize::from(way.count) < STEPS || has_node)
            && u16::try_from(step).is_ok()
    }

    /// Adds a state that was met so, for which there is [room](Frontier::has_room), and whether it was
    /// by termination.
    pub(super) fn push(&mut self, way: &mut Way, step: usize, row: &[u64], terminated: bool) {
        if usize::from(way.count) == STEPS {
            let node = self.add_node(*way);
            *way = Way { node, steps: [0; STEPS], count: 0 };
        }
        let mut next = *way;
        next.steps[usize::from(way.count)] = u16::try_from(step).expect("there is room for it");
        next.count += 1;
        if let Some(node) = self.nodes.get_mut(next.node as usize) {
            node.users += 1;
        }
        self.rows.extend(row);
        self.waiting.push_back(Waiting { way: next, terminated });
    }

    /// A node at the end of a way, which one that is entered takes over.
    fn add_node(&mut self, way: Way) -> u32 {
        let node = Node { way, users: 1 };
        if self.free == NONE {
            self.nodes.push(node);
            return u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32");
        }
        let id = self.free;
        self.free = std::mem::replace(&mut self.nodes[id as usize], node).way.node;
        id
    }

    /// Resets the way of a state that has been expanded, as far as nothing else waits behind it.
    pub(super) fn leave(&mut self, way: Way) {
        let mut id = way.node;
        while let Some(node) = self.nodes.get_mut(id as usize) {
            node.users -= 1;
            if node.users > 0 {
                return;
            }
            let before = std::mem::replace(&mut node.way.node, self.free);
            self.free = std::mem::replace(&mut id, before);
        }
    }

    /// The steps of a way.
    pub(super) fn steps(&self, way: &Way) -> Vec<usize> {
        let mut reversed = Vec::new();
        let mut way = Some(way);
        while let Some(Way { node, steps, count }) = way {
            reversed
                .extend(steps[..usize::from(*count)].iter().rev().map(|&step| usize::from(step)));
            way = self.nodes.get(*node as usize).map(|node| &node.way);
        }
        reversed.reverse();
        reversed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE_AND_STATE: usize = 8 + size_of::<Waiting>() + NODES * size_of::<Node>();

    /// In a comb only what waits and the way to it take nodes, whatever was met before.
    #[test]
    fn dead_branches_are_dead_resets() {
        let mut frontier = Frontier::new(1, 40 * NODE_AND_STATE).expect("room");
        frontier.start(&[0]);
        let mut row = Vec::new();
        let mut expanded = 0;
        while let Some((mut way, terminated)) = frontier.enter(&mut row) {
            let at = usize::try_from(row[0]).expect("small");
            assert_eq!(terminated, at % 2 == 1);
            let expected = [vec![1; at / 2], vec![0; at % 2]].concat();
            assert_eq!(frontier.steps(&way), expected);
            if at % 2 == 0 && at < 600 {
                assert!(frontier.has_room(&way, 1));
                frontier.push(&mut way, 0, &[row[0] + 1], true);
                frontier.push(&mut way, 1, &[row[0] + 2], false);
            }
            frontier.leave(way);
            expanded += 1;
        }
        assert_eq!(expanded, 601);
        assert!(frontier.nodes.len() <= 300 / STEPS + 1, "{}", frontier.nodes.len());
        let mut free = frontier.free;
        for _ in 0..frontier.nodes.len() {
            free = frontier.nodes[free as usize].way.node;
        }
        assert_eq!(free, NONE, "all nodes are free in the end");
    }

    #[test]
    fn a_limit_is_kept() {
        let bytes = 100_000;
        for width in [1, 7] {
            let mut frontier = Frontier::new(width, bytes).expect("room");
            frontier.start(&vec![0; width]);
            let mut row = Vec::new();
            let mut count = 0;
            while let Some((mut way, _)) = frontier.enter(&mut row) {
                for step in 0..3 {
                    if count < 10_000 && frontier.has_room(&way, step) {
                        frontier.push(&mut way, step, &vec![count; width], false);
                        count += 1;
                    }
                }
                assert!(!frontier.has_room(&way, 1 << 16));
                frontier.leave(way);
            }
            let held = frontier.rows.capacity() * 8
                + frontier.waiting.capacity() * size_of::<Waiting>()
                + frontier.nodes.capacity() * size_of::<Node>();
            assert!(held <= bytes && count == 10_000, "{held}");
        }
        assert!(Frontier::new(1, 10).is_err());
    }
}
