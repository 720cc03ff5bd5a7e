//! One history tree and its step on a letter.
//!
//! A tree is kept as the list of its nodes in post-order, siblings from the oldest to the youngest,
//! each with its age (0 is the oldest) and the states that it holds itself and no descendant does.
//! The parent of a node is then the next node in the list that is older, so parents need no
//! storing: younger siblings and their descendants, which come between, are all younger.
//!
//! The list pays off in the step. A state that can go to several nodes goes to the oldest among
//! siblings and to a child rather than its parent: to the *first* in post-order, where the child
//! that a node sprouts comes right before the node. So a step is one minimum over the edges.

use super::nba::Kind;

/// Effect of a step on the ages. The smallest age that is affected decides, and removal comes before success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Nothing.
    Nothing,
    /// The node of this age ran empty: nothing of this age or younger may be trusted.
    Removed(u32),
    /// All runs in the node of this age have accepted since the last time.
    Green(u32),
}

/// One edge on one letter: source, target, kind.
pub(super) type Move = (u32, u32, Kind);

/// A tree as stored: for each node in post-order its age, how many states it holds, and these in
/// increasing order.
pub(super) type Code = [u32];

/// The states of a tree, in no particular order.
pub(super) fn members(code: &Code) -> impl Iterator<Item = u32> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (_, count) = (*code.get(at)?, code[at + 1] as usize);
        let states = &code[at + 2..at + 2 + count];
        at += 2 + count;
        Some(states)
    })
    .flatten()
    .copied()
}

/// Buffers for steps, sized once for the automaton.
#[derive(Clone, Debug)]
pub(super) struct Stepper {
    /// Position in post-order of the node that holds a state; only valid for states of the tree.
    host: Vec<u32>,
    /// Best slot of a successor: `2 i` is the new child of node `i`, `2 i + 1` node `i` itself.
    best: Vec<u32>,
    reached: Vec<u32>,
    ages: Vec<u32>,
    /// First position of the subtree of a node.
    start: Vec<u32>,
    /// How many successors go to a slot, and later the sum over all slots before it.
    sums: Vec<u32>,
    slots: Vec<Vec<u32>>,
    /// Surviving nodes from the last in post-order to the first: slot range, age.
    kept: Vec<(u32, u32, u32)>,
    rank: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Stepper {
    pub(super) fn new(states: usize) -> Self {
        Stepper {
            host: vec![NOWHERE; states],
            best: vec![NOWHERE; states],
            reached: Vec::new(),
            ages: Vec::new(),
            start: Vec::new(),
            sums: Vec::new(),
            slots: Vec::new(),
            kept: Vec::new(),
            rank: Vec::new(),
        }
    }

    /// Reads a tree; steps are from this one until the next call.
    pub(super) fn load(&mut self, code: &Code) {
        self.ages.clear();
        let mut at = 0;
        while at < code.len() {
            let position = self.ages.len() as u32;
            self.ages.push(code[at]);
            let count = code[at + 1] as usize;
            for &state in &code[at + 2..at + 2 + count] {
                self.host[state as usize] = position;
            }
            at += 2 + count;
        }
        // A node is a descendant of the next older one. `open` holds the nodes that wait for it.
        self.start.clear();
        let mut open: Vec<u32> = Vec::new();
        for position in 0..self.ages.len() {
            let mut first = position as u32;
            while let Some(&last) = open.last() {
                if self.ages[last as usize] < self.ages[position] {
                    break;
                }
                first = self.start[last as usize];
                open.pop();
            }
            self.start.push(first);
            open.push(position as u32);
        }
        debug_assert!(open.len() <= 1, "one root: {open:?} of {:?}", self.ages);
    }

    /// The step of the loaded tree by these moves; the new tree goes to `out`, which is empty when
    /// no state is left.
    pub(super) fn step(&mut self, moves: &[Move], out: &mut Vec<u32>) -> Event {
        out.clear();
        let nodes = self.ages.len();
        if nodes == 0 {
            return Event::Nothing;
        }
        let root = nodes as u32 - 1;
        for &(source, target, kind) in moves {
            let host = self.host[source as usize];
            let slot = match kind {
                Kind::Accepting => 2 * host,
                Kind::Plain => 2 * host + 1,
                Kind::Passing => 2 * root + 1,
            };
            let best = &mut self.best[target as usize];
            if *best == NOWHERE {
                self.reached.push(target);
            }
            *best = (*best).min(slot);
        }
        self.reached.sort_unstable();
        self.slots.iter_mut().for_each(Vec::clear);
        if self.slots.len() < 2 * nodes {
            self.slots.resize_with(2 * nodes, Vec::new);
        }
        for &state in &self.reached {
            self.slots[self.best[state as usize] as usize].push(state);
            self.best[state as usize] = NOWHERE;
        }
        self.reached.clear();
        self.sums.clear();
        self.sums.push(0);
        for slot in &self.slots[..2 * nodes] {
            self.sums.push(self.sums.last().expect("starts with one") + slot.len() as u32);
        }

        // From the root down, since what is below a green node does not matter any more.
        let mut decisive: Option<(u32, bool)> = None;
        let mut happens = |age: u32, green: bool| {
            decisive = Some(decisive.map_or((age, green), |known| known.min((age, green))));
        };
        self.kept.clear();
        let mut position = nodes;
        while position > 0 {
            position -= 1;
            let (node, age) = (position as u32, self.ages[position]);
            let first = 2 * self.start[position];
            let below = self.sums[2 * position + 2] - self.sums[first as usize];
            if below == 0 {
                happens(age, false);
            } else if self.slots[2 * position + 1].is_empty() {
                happens(age, true);
                self.kept.push((first, 2 * node + 2, age));
                position = self.start[position] as usize;
            } else {
                self.kept.push((2 * node + 1, 2 * node + 2, age));
                if !self.slots[2 * position].is_empty() {
                    // Younger than all that were there, and among the new ones in the order of
                    // the parents' ages: any fixed order is right.
                    self.kept.push((2 * node, 2 * node + 1, nodes as u32 + age));
                }
            }
        }

        // Ages close their ranks.
        self.rank.clear();
        self.rank.resize(2 * nodes, 0);
        for &(_, _, age) in &self.kept {
            self.rank[age as usize] = 1;
        }
        let mut next = 0;
        for rank in &mut self.rank {
            let present = *rank;
            *rank = next;
            next += present;
        }
        for at in (0..self.kept.len()).rev() {
            let (from, to, age) = self.kept[at];
            out.push(self.rank[age as usize]);
            let count = out.len();
            out.push(0);
            for slot in &self.slots[from as usize..to as usize] {
                out.extend_from_slice(slot);
            }
            out[count] = (out.len() - count - 1) as u32;
            out[count + 1..].sort_unstable();
        }
        match decisive {
            None => Event::Nothing,
            Some((age, false)) => Event::Removed(age),
            Some((age, true)) => Event::Green(age),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_goes_to_the_oldest_and_deepest() {
        // The root (age 0) holds state 0 and has two children, ages 1 and 2, with states 1 and 2.
        let mut stepper = Stepper::new(4);
        stepper.load(&[1, 1, 1, 2, 1, 2, 0, 1, 0]);
        assert_eq!(stepper.start, [0, 1, 0]);
        let mut out = Vec::new();
        // State 3 is reached from all of them: the oldest child keeps it. The root keeps 0.
        let all = [(0, 3, Kind::Plain), (1, 3, Kind::Plain), (2, 3, Kind::Plain)];
        let mut moves = all.to_vec();
        moves.push((0, 0, Kind::Plain));
        assert_eq!(stepper.step(&moves, &mut out), Event::Removed(2));
        assert_eq!(out, [1, 1, 3, 0, 1, 0]);
        // With an accepting edge from the oldest child, only its new child holds it: green.
        moves[1].2 = Kind::Accepting;
        assert_eq!(stepper.step(&moves, &mut out), Event::Green(1));
        assert_eq!(out, [1, 1, 3, 0, 1, 0]);
        // Without the root's own state, the children cover the root.
        moves.pop();
        assert_eq!(stepper.step(&moves, &mut out), Event::Green(0));
        assert_eq!(out, [0, 1, 3]);
        // A passing edge brings the state back to the root.
        assert_eq!(stepper.step(&[(1, 3, Kind::Passing)], &mut out), Event::Removed(1));
        assert_eq!(out, [0, 1, 3]);
        assert_eq!(stepper.step(&[], &mut out), Event::Removed(0));
        assert!(out.is_empty());
    }

    #[test]
    fn ages_close_their_ranks() {
        let mut stepper = Stepper::new(4);
        stepper.load(&[1, 1, 1, 2, 1, 2, 0, 1, 0]);
        let mut out = Vec::new();
        // The child of age 1 dies, the root sprouts a new one: it is the youngest.
        let moves = [(0, 0, Kind::Plain), (2, 2, Kind::Plain), (0, 3, Kind::Accepting)];
        assert_eq!(stepper.step(&moves, &mut out), Event::Removed(1));
        assert_eq!(out, [1, 1, 2, 2, 1, 3, 0, 1, 0]);
        assert_eq!(members(&out).collect::<Vec<_>>(), [2, 3, 0]);
    }
}
