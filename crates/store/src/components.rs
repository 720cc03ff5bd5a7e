//! Sets of nodes that many threads unite: what a search for strongly connected components shares.
//!
//! This is the union-find of Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", PPoPP
//! 2016). A set is a part of a component that some search has found so far. Beside uniting sets it answers three
//! questions:
//!
//! - *has this worker been here?* Every set knows the workers that have a node of it on their path;
//! - *what is left to do?* The nodes of a set are a cyclic list, from which any worker [picks](Components::pick) one
//!   that has not been explored to the end. All workers in a set share its nodes, and a set without any is a whole
//!   component: it is [dead](Claim::Dead), and no worker enters it again;
//! - *which marks have been seen inside?* Marks are only ever added.
//!
//! # How threads share it
//!
//! - A node is initialised by the thread that meets it first; others wait for that.
//! - Of two roots the lower one is hung below the higher, by the thread that has locked it. So of threads that unite
//!   sets in a ring one always finds its root unlocked. The order is as good as random (`height`; Goel, Khanna,
//!   Larkin and Tarjan, "Disjoint set union with randomized linking", SODA 2014, show that trees stay flat then). By
//!   number, a set that grows node by node would be hung below each node that is added, and all workers would wait for
//!   the lock of its root; now the root of a large set is hardly ever locked.
//! - To unite two sets, one node that is still listed is locked in each, and their successors are exchanged: two
//!   cycles become one. A list without such a node belongs to a component that is complete, and is united with
//!   nothing.
//! - Workers and marks of a root that is hung below another are *closed* first, then added to the other root, and
//!   only then the parent is stored. A thread that meets the closed word waits for the parent. So whatever was added
//!   to a set is seen by everybody who asks its root, at all times. The paper stores the parent before, and has
//!   threads add to the new root again; a worker may then miss itself in the meantime.
//! - Nodes that are done are taken out of the list by each worker that passes two of them. Only a node that is done has its
//!   successor changed in this way, and only one that is locked when sets are united.

use crate::StoreError;
use crate::memory::{Budget, Member, Pieces, Shape, prefetch};
use crate::sync::{Ordering, Patience};

/// Nodes of a piece.
const PIECE: usize = if cfg!(loom) { 4 } else { 1 << 16 };
/// Pieces for all numbers of 32 bits.
const PIECES: usize = if cfg!(loom) { 2 } else { 1 << 16 };

/// Pieces after which the next one is made ahead.
const EAGER: usize = 4;

/// The node has not been met.
const UNSEEN: u32 = 0;
/// A worker is initialising it.
const BEGUN: u32 = 1;
/// It is in a set that is not complete; the root tells.
const LIVE: u32 = 2;
/// Its set is being united with another one.
const LOCKED: u32 = 3;
/// Its set is a component that has been explored to the end.
const DEAD: u32 = 4;

/// The node waits to be explored to the end.
const WAITING: u32 = 0;
/// Its successor in the list is being changed.
const HELD: u32 = 1;
/// It has been explored to the end.
const DONE: u32 = 2;

/// Where a node is in the order in which roots are hung below each other. No two nodes are at the same place, since the
/// factor is odd.
fn height(node: u32) -> u32 {
    node.wrapping_mul(0x9e37_79b1)
}

/// On workers and marks of a root that is being hung below another one.
const CLOSED: u64 = 1 << 63;

/// One of the threads that share a [`Components`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerId(u32);

impl WorkerId {
    /// The most there can be.
    pub const MOST: usize = 63;

    /// The worker with a number.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn new(number: usize) -> WorkerId {
        assert!(number < WorkerId::MOST, "worker {number}");
        WorkerId(number as u32)
    }

    fn bit(self) -> u64 {
        1 << self.0
    }
}

/// Findings of a worker about a node that it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No worker had met the node.
    New,
    /// Another worker had, and this one has no node of the set on its path.
    Entered,
    /// This worker has a node of the set on its path: there is a cycle.
    Known,
    /// The component of the node is complete.
    Dead,
}

/// Work that is left in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// This node has not been explored to the end.
    Node(u32),
    /// Nothing, and this call was the first to say so: the set is a whole component.
    Completed,
    /// Nothing, as another call has said.
    Dead,
}

/// Sets of nodes.
///
/// ```
/// use fairly_store::{Claim, Components, Pick, WorkerId};
/// let components = Components::new(1 << 22)?;
/// let worker = WorkerId::new(0);
/// assert_eq!(components.claim(3, worker)?, Claim::New);
/// assert_eq!(components.claim(5, worker)?, Claim::New);
/// assert_eq!(components.claim(3, worker)?, Claim::Known);
/// components.unite(3, 5);
/// assert_eq!(components.mark(3, 0b10), (0b10, true));
/// assert_eq!(components.mark(5, 0b01), (0b11, true));
/// while let Pick::Node(node) = components.pick(3) {
///     components.finish(node);
/// }
/// assert_eq!(components.claim(5, worker)?, Claim::Dead);
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Components {
    members: Pieces<Member>,
    budget: Budget,
}

impl Components {
    /// The marks that a set can have are the bits below this one.
    pub const MARKS: u32 = 63;

    /// No sets, which will take at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not pay for the directory of pieces.
    pub fn new(limit: usize) -> Result<Components, StoreError> {
        let budget = Budget::new(limit);
        let members = Pieces::new(Shape::Even(PIECE), PIECES, 0, &budget)?;
        Ok(Components { members, budget })
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// A node that has been met.
    #[inline]
    fn member(&self, node: u32) -> &Member {
        let piece = self.members.get(node as usize / PIECE).expect("a node that was claimed");
        &piece[node as usize % PIECE]
    }

    /// Asks for a node that will be claimed soon.
    #[inline]
    pub fn prefetch(&self, node: u32) {
        if let Some(piece) = self.members.get(node as usize / PIECE) {
            prefetch(&piece[node as usize % PIECE]);
        }
    }

    /// Whether a node has been met.
    pub fn is_met(&self, node: u32) -> bool {
        let piece = self.members.get(node as usize / PIECE);
        let status = |piece: &[Member]| piece[node as usize % PIECE].status.load(Ordering::Acquire);
        piece.is_some_and(|piece| status(piece) > BEGUN)
    }

    /// Lets a worker enter the set of a node.
    ///
    /// # Errors
    /// If the node is new and there is no room for it.
    pub fn claim(&self, node: u32, worker: WorkerId) -> Result<Claim, StoreError> {
        let number = node as usize / PIECE;
        let piece = match self.members.get(number) {
            Some(piece) => piece,
            None => {
                self.members.add(number, &self.budget)?;
                self.members.get(number).expect("just added")
            }
        };
        let member = &piece[node as usize % PIECE];
        let begun = || {
            let (new, old) = (Ordering::Acquire, Ordering::Acquire);
            member.status.compare_exchange(UNSEEN, BEGUN, new, old).is_ok()
        };
        if member.status.load(Ordering::Acquire) == UNSEEN && begun() {
            member.parent.store(node, Ordering::Relaxed);
            member.next.store(node, Ordering::Relaxed);
            member.workers.store(worker.bit(), Ordering::Relaxed);
            // Release: a worker that sees the status sees all of it.
            member.status.store(LIVE, Ordering::Release);
            // Others need not wait for the next piece then. If there is no room for it, that is found soon.
            if node as usize % PIECE == PIECE / 2 && number >= EAGER {
                let _ = self.members.add(number + 1, &self.budget);
            }
            return Ok(Claim::New);
        }
        let mut patience = Patience::default();
        while member.status.load(Ordering::Acquire) == BEGUN {
            patience.wait();
        }
        let root = self.root(node);
        if self.member(root).status.load(Ordering::Acquire) == DEAD {
            return Ok(Claim::Dead);
        }
        // A worker's own bit was added by itself, and is never lost.
        if self.member(root).workers.load(Ordering::Acquire) & worker.bit() != 0 {
            return Ok(Claim::Known);
        }
        self.add(root, worker.bit());
        let root = self.root(root);
        Ok(match self.member(root).status.load(Ordering::Acquire) {
            DEAD => Claim::Dead,
            _ => Claim::Entered,
        })
    }

    /// The root of the set of a node.
    #[inline]
    fn root(&self, mut node: u32) -> u32 {
        loop {
            // Acquire: see what was added to the parent before it became one.
            let parent = self.member(node).parent.load(Ordering::Acquire);
            if parent == node {
                return node;
            }
            let beyond = self.member(parent).parent.load(Ordering::Acquire);
            if beyond != parent {
                // A node that is no root never becomes one, so only a node further up is ever stored.
                self.member(node).parent.store(beyond, Ordering::Release);
            }
            node = parent;
        }
    }

    /// Adds workers to the root of a node.
    fn add(&self, node: u32, workers: u64) {
        let mut patience = Patience::default();
        loop {
            let word = &self.member(self.root(node)).workers;
            // Workers that are there stay there, also when the root is hung below another one. Mostly they are, and a
            // write would take the root of a large component from all threads that ask it.
            let known = word.load(Ordering::Acquire);
            if known & (workers | CLOSED) == workers {
                return;
            }
            let before = word.fetch_or(workers, Ordering::AcqRel);
            if before & CLOSED == 0 {
                return;
            }
            // It is being hung below another root.
            patience.wait();
        }
    }

    /// Adds marks to the set of a node; the marks that are there then, and whether they are other ones than before.
    ///
    /// # Panics
    /// If a mark is not one of [`Components::MARKS`].
    pub fn mark(&self, node: u32, marks: u64) -> (u64, bool) {
        self.mark_by(node, marks, |known, marks| known | marks)
    }

    /// The same for marks that are joined in another way: the result has what both have, and is one of them if the
    /// other adds nothing.
    ///
    /// # Panics
    /// As [`mark`](Components::mark).
    pub fn mark_by(
        &self,
        node: u32,
        marks: u64,
        mut join: impl FnMut(u64, u64) -> u64,
    ) -> (u64, bool) {
        assert_eq!(marks & CLOSED, 0, "marks below {}", Components::MARKS);
        let mut patience = Patience::default();
        loop {
            let word = &self.member(self.root(node)).marks;
            let before = word.load(Ordering::Acquire);
            if before & CLOSED != 0 {
                // The root is being hung below another one.
                patience.wait();
                continue;
            }
            let after = join(before, marks);
            if after == before {
                return (before, false);
            }
            let (new, old) = (Ordering::AcqRel, Ordering::Acquire);
            if word.compare_exchange(before, after, new, old).is_ok() {
                return (after, true);
            }
        }
    }

    /// The marks of the set of a node.
    pub fn marks(&self, node: u32) -> u64 {
        let root = self.root(node);
        self.member(root).marks.load(Ordering::Acquire) & !CLOSED
    }

    /// Whether two nodes are in one set.
    pub fn are_united(&self, one: u32, other: u32) -> bool {
        loop {
            let (a, b) = (self.root(one), self.root(other));
            if a == b {
                return true;
            }
            // If the first is still a root, they were in two sets when the second was found.
            if self.member(a).parent.load(Ordering::Acquire) == a {
                return false;
            }
        }
    }

    /// Whether the set of a node is a whole component that has been explored.
    pub fn is_dead(&self, node: u32) -> bool {
        self.member(self.root(node)).status.load(Ordering::Acquire) == DEAD
    }

    /// Makes one set of those of two nodes; `false` if they are in one, or in a component that is complete.
    pub fn unite(&self, one: u32, other: u32) -> bool {
        self.unite_by(one, other, |known, marks| known | marks)
    }

    /// The same for marks that are [joined in another way](Components::mark_by).
    pub fn unite_by(&self, one: u32, other: u32, join: impl FnMut(u64, u64) -> u64) -> bool {
        let mut patience = Patience::default();
        let (lower, upper, mine, others) = loop {
            let (a, b) = (self.root(one), self.root(other));
            if a == b {
                return false;
            }
            let (lower, upper) = if height(a) < height(b) { (a, b) } else { (b, a) };
            // The list is entered at the nodes that were given: at the root all threads would meet.
            let (mine, others) = if lower == a { (one, other) } else { (other, one) };
            let member = self.member(lower);
            let locked =
                member.status.compare_exchange(LIVE, LOCKED, Ordering::AcqRel, Ordering::Acquire);
            match locked {
                Ok(_) if member.parent.load(Ordering::Acquire) == lower => {
                    break (lower, upper, mine, others);
                }
                Ok(_) => member.status.store(LIVE, Ordering::Release),
                Err(DEAD) => return false,
                Err(_) => {}
            }
            patience.wait();
        };
        let unlock = || self.member(lower).status.store(LIVE, Ordering::Release);
        let Some(here) = self.hold(mine) else {
            unlock();
            return false;
        };
        let Some(there) = self.hold(others) else {
            self.member(here).listed.store(WAITING, Ordering::Release);
            unlock();
            return false;
        };
        // Two cycles become one.
        let after_here = self.member(here).next.load(Ordering::Acquire);
        let after_there = self.member(there).next.load(Ordering::Acquire);
        self.member(here).next.store(after_there, Ordering::Release);
        self.member(there).next.store(after_here, Ordering::Release);
        let member = self.member(lower);
        let workers = member.workers.fetch_or(CLOSED, Ordering::AcqRel);
        let marks = member.marks.fetch_or(CLOSED, Ordering::AcqRel);
        self.add(upper, workers);
        self.mark_by(upper, marks, join);
        member.parent.store(upper, Ordering::Release);
        self.member(here).listed.store(WAITING, Ordering::Release);
        self.member(there).listed.store(WAITING, Ordering::Release);
        unlock();
        true
    }

    /// Holds a node of the list of a set; `None` if it has none.
    fn hold(&self, node: u32) -> Option<u32> {
        let mut from = node;
        loop {
            let found = self.waiting(from)?;
            let listed = &self.member(found).listed;
            let held = listed.compare_exchange(WAITING, HELD, Ordering::AcqRel, Ordering::Acquire);
            if held.is_ok() {
                return Some(found);
            }
            from = found;
        }
    }

    /// A node of the set that has not been explored to the end, if there is one; does not say that the set is
    /// complete.
    fn waiting(&self, node: u32) -> Option<u32> {
        let mut at = node;
        loop {
            if self.is_waiting(at) {
                return Some(at);
            }
            let next = self.member(at).next.load(Ordering::Acquire);
            if next == at {
                return None;
            }
            if self.is_waiting(next) {
                return Some(next);
            }
            // Both are done: the first is followed by what follows the second.
            let beyond = self.member(next).next.load(Ordering::Acquire);
            self.member(at).next.store(beyond, Ordering::Release);
            at = beyond;
        }
    }

    /// Whether a node is listed; waits while that is being changed.
    fn is_waiting(&self, node: u32) -> bool {
        let mut patience = Patience::default();
        loop {
            match self.member(node).listed.load(Ordering::Acquire) {
                WAITING => return true,
                DONE => return false,
                _ => patience.wait(),
            }
        }
    }

    /// Whether some worker has explored a node to the end.
    #[inline]
    pub fn is_finished(&self, node: u32) -> bool {
        self.member(node).listed.load(Ordering::Acquire) == DONE
    }

    /// A node of the set of a node that has not been explored to the end.
    pub fn pick(&self, node: u32) -> Pick {
        if let Some(node) = self.waiting(node) {
            return Pick::Node(node);
        }
        let mut patience = Patience::default();
        loop {
            let status = &self.member(self.root(node)).status;
            let dead = status.compare_exchange(LIVE, DEAD, Ordering::AcqRel, Ordering::Acquire);
            match dead {
                Ok(_) => return Pick::Completed,
                Err(DEAD) => return Pick::Dead,
                // Another worker tries to unite it, and will find the list empty.
                Err(_) => patience.wait(),
            }
        }
    }

    /// Says that a node has been explored to the end. Marks inside its set have to be added before.
    pub fn finish(&self, node: u32) {
        let listed = &self.member(node).listed;
        let mut patience = Patience::default();
        loop {
            match listed.compare_exchange(WAITING, DONE, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) | Err(DONE) => return,
                Err(_) => patience.wait(),
            }
        }
    }
}
