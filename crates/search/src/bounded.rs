//! A graph that ends where a limit is reached.
//!
//! Bounding the graph leaves the engines as they are: a node that is asked for its steps after the
//! limit has none. Only `ndfs`, whose monitors and counter make many nodes out of one, asks before
//! each of its own whether it may go on: it would search 2ᵏ copies of a graph that is explored to
//! the end already. A lasso that is found is real all the same; without one, the answer is unknown
//! if anything was cut.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fairly_omega::{
    Acceptance, BudgetError, Graph, Lasso, MarkSet, MarkSetId, StateId, Step, Stop, Visit,
};
use fairly_store::meter;

use crate::nearest;
use crate::watch::{Phase, Watch};

/// How much a search may explore.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Nodes to be expanded at the most.
    pub nodes: Option<usize>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Bytes that the system, the graph and the search may hold together. They are counted now and
    /// then, and what is small is not counted. In a program whose allocator has a
    /// [limit](fairly_store::meter), a search with a limit also stops, before each node, when that one is
    /// exceeded.
    pub bytes: Option<usize>,
    /// Who watches, and may ask to stop.
    pub watch: Option<&'static Watch>,
}

impl Bounds {
    /// Tells the watch the present phase, if it is no search.
    pub fn enter(&self, phase: Option<Phase>) {
        if let Some(watch) = self.watch {
            watch.enter(phase);
        }
    }

    /// Tells the watch how many nodes have been expanded.
    pub fn see_nodes(&self, nodes: usize) {
        if let Some(watch) = self.watch {
            watch.see_nodes(nodes);
        }
    }

    /// The bound that made work stop that began then, and has come so far.
    pub fn reached(&self, started: Instant, done: usize) -> Cut {
        let budget = Budget { bounds: *self, started, pace: Pace::default() };
        // Memory may be free again by now, unlike time. Without a request it was the reason all the same.
        let memory = self.bytes.map(Cut::Memory);
        budget.in_time().err().or(memory).unwrap_or(Cut::Interrupted(done))
    }

    /// When to stop, for work that is no search, and inside single steps of one.
    pub fn stop(&self) -> Stop {
        let Bounds { deadline, watch, bytes, .. } = *self;
        let memory = bytes.map(|_| meter::is_exceeded as fn() -> bool);
        Stop { deadline, wish: watch.map(Watch::wish), memory }
    }
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// So many nodes were expanded.
    Nodes(usize),
    /// The time was up after so long.
    Time(Duration),
    /// So many bytes were not enough.
    Memory(usize),
    /// The user asked to stop, after so many nodes.
    Interrupted(usize),
    /// The condition was too hard to decide.
    Hard(BudgetError),
    /// The system itself went no further in this state: its [`fault`] is a limit of the tool.
    ///
    /// [`fault`]: fairly_system::TransitionSystem::fault
    Limit(StateId),
}

impl From<BudgetError> for Cut {
    fn from(refused: BudgetError) -> Self {
        Cut::Hard(refused)
    }
}

/// Bounds that have begun to count, for any kind of work.
pub(crate) struct Budget {
    bounds: Bounds,
    started: Instant,
    pace: Pace,
}

/// How many pieces of work are done between two questions whether there is time: as many as take a moment.
#[derive(Default)]
struct Pace {
    /// Pieces that are done by the next question.
    next: AtomicUsize,
    /// Pieces between questions, a power of two; 0 for one.
    stride: AtomicUsize,
    /// When the last question was, in nanoseconds.
    last: AtomicU64,
}

impl Pace {
    /// The most pieces between two questions: small ones cost less than looking at the clock.
    const MOST: usize = 64;
    /// Time between two questions from which on there are fewer pieces from one to the next.
    const LONG: u64 = 1_000_000;

    #[inline]
    fn is_due(&self, done: usize) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        // Counting may have begun again.
        done >= next || next - done > Pace::MOST
    }

    /// Takes note of a question so many nanoseconds after the beginning.
    fn asked(&self, done: usize, now: u64) {
        let took = now.saturating_sub(self.last.swap(now, Ordering::Relaxed));
        let stride = self.stride.load(Ordering::Relaxed).max(1);
        let stride = match took {
            _ if took > 8 * Pace::LONG => 1,
            _ if took > Pace::LONG => (stride / 2).max(1),
            _ => (stride * 2).min(Pace::MOST),
        };
        self.stride.store(stride, Ordering::Relaxed);
        self.next.store((done / stride + 1) * stride, Ordering::Relaxed);
    }
}

impl Budget {
    /// Begins to count now.
    pub(crate) fn new(bounds: Bounds) -> Self {
        Budget { bounds, started: Instant::now(), pace: Pace::default() }
    }

    /// The same with at most so many nodes, and so much time from now on.
    pub(crate) fn within(self, nodes: usize, time: Duration) -> Self {
        let Bounds { nodes: most, deadline, .. } = self.bounds;
        let soon = Instant::now() + time;
        let bounds = Bounds {
            nodes: Some(most.map_or(nodes, |most| most.min(nodes))),
            deadline: Some(deadline.map_or(soon, |deadline| deadline.min(soon))),
            ..self.bounds
        };
        Budget { bounds, ..self }
    }

    /// Who watches.
    pub(crate) fn watch(&self) -> Option<&'static Watch> {
        self.bounds.watch
    }

    /// Whether there are no bounds.
    fn is_unlimited(&self) -> bool {
        let Bounds { nodes, deadline, bytes, watch } = self.bounds;
        nodes.is_none() && deadline.is_none() && bytes.is_none() && watch.is_none()
    }

    /// Whether another piece of work may follow `done` pieces; `held` tells how many bytes are held by
    /// then. It is not asked each time, and neither is the clock: both cost more than a small node.
    ///
    /// # Errors
    /// With the bound that is reached.
    #[inline]
    pub(crate) fn allows(&self, done: usize, held: impl Fn() -> usize) -> Result<(), Cut> {
        self.allows_another(done)?;
        self.goes_on(done, held)
    }

    /// Whether another piece of work may follow so many, as far as these are counted.
    ///
    /// # Errors
    /// With that bound.
    #[inline]
    pub(crate) fn allows_another(&self, done: usize) -> Result<(), Cut> {
        match self.bounds.nodes {
            Some(nodes) if done >= nodes => Err(Cut::Nodes(nodes)),
            _ => Ok(()),
        }
    }

    /// The same without counting pieces of work: whether there is time and memory, and no request to stop.
    ///
    /// # Errors
    /// As [`allows`](Budget::allows).
    #[inline]
    pub(crate) fn goes_on(&self, done: usize, held: impl Fn() -> usize) -> Result<(), Cut> {
        self.in_memory()?;
        if !self.pace.is_due(done) {
            return Ok(());
        }
        self.allows_more(done, held)
    }

    /// Whether the program uses no more memory than it may, as far as that is counted.
    ///
    /// # Errors
    /// When it uses more.
    #[inline]
    pub(crate) fn in_memory(&self) -> Result<(), Cut> {
        match self.bounds.bytes {
            Some(bytes) if meter::is_exceeded() => Err(Cut::Memory(bytes)),
            _ => Ok(()),
        }
    }

    fn allows_more(&self, done: usize, held: impl Fn() -> usize) -> Result<(), Cut> {
        let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.pace.asked(done, now);
        if let Some(watch) = self.bounds.watch {
            watch.see_nodes(done);
            if watch.is_stopped() {
                return Err(Cut::Interrupted(done));
            }
            if done.is_multiple_of(1 << 14) {
                watch.see_bytes(meter::used().unwrap_or_else(&held));
            }
        }
        match self.bounds.bytes {
            Some(bytes) if done.is_multiple_of(1024) && held() > bytes => Err(Cut::Memory(bytes)),
            _ => self.in_time(),
        }
    }

    /// Whether there is time left.
    ///
    /// # Errors
    /// When there is not.
    pub(crate) fn in_time(&self) -> Result<(), Cut> {
        self.in_memory()?;
        if let Some(watch) = self.bounds.watch.filter(|watch| watch.is_stopped()) {
            return Err(Cut::Interrupted(watch.seen().nodes));
        }
        match self.bounds.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Cut::Time(self.started.elapsed())),
            _ => Ok(()),
        }
    }
}

/// A graph under [`Bounds`].
pub struct Bounded<'a, G> {
    graph: &'a mut G,
    budget: Budget,
    /// By node, a bit: whether it was expanded before a limit was reached. Those keep their steps,
    /// since a graph must not change under a search.
    expanded: Vec<u64>,
    count: usize,
    /// How often an engine has asked whether it may go on.
    asked: usize,
    /// Bytes that the search holds.
    charged: usize,
    cut: Option<Cut>,
    /// The search that goes on breadth first beside the one that asks.
    wide: Option<Wide>,
}

/// A search among the nodes that are nearest to the start, now and then.
struct Wide {
    /// Nodes to be expanded before it gets a turn.
    due: usize,
    found: Option<Lasso>,
}

/// Nodes that are expanded before the nearest ones are searched for the first time; then it is twice as many
/// each time.
const FIRST_TURN: usize = 1 << 13;
/// Nodes for each of the nearest ones that are searched then.
const SHARE: usize = 8;
/// The most that are searched.
const WIDEST: usize = 1 << 20;

impl<'a, G: Graph> Bounded<'a, G> {
    /// The graph under these bounds, which begin to count now.
    pub fn new(graph: &'a mut G, bounds: Bounds) -> Self {
        let budget = Budget::new(bounds);
        let expanded = Vec::new();
        Bounded { graph, budget, expanded, count: 0, asked: 0, charged: 0, cut: None, wide: None }
    }

    /// The same, which looks for an accepted lasso near the start by itself, now and then: an engine goes depth
    /// first, and may pass a short cycle by for a long time. Once one is found the graph ends, as at a limit.
    #[must_use]
    pub fn looking_around(mut self) -> Self {
        self.wide = Some(Wide { due: FIRST_TURN, found: None });
        self
    }

    /// The lasso that was found near the start, if one was. The graph is not to be searched any more.
    pub fn found(&mut self) -> Option<Lasso> {
        self.wide.take()?.found
    }

    /// Gives the search near the start its turn, if it is due. Tells whether it has found something.
    fn look_around(&mut self) -> bool {
        let Some(wide) = &mut self.wide else { return false };
        if wide.found.is_none() && self.count >= wide.due {
            wide.due = wide.due.saturating_mul(2);
            let nodes = (self.count / SHARE).min(WIDEST);
            wide.found = nearest::any(self.graph, nodes, &self.budget);
        }
        wide.found.is_some()
    }

    /// The graph.
    pub fn graph(&self) -> &G {
        self.graph
    }

    /// The limit that was reached, if one was.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Whether a node may be asked for its steps.
    fn may_expand(&mut self, node: StateId) -> bool {
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        if word >= self.expanded.len() {
            self.expanded.resize(word + 1, 0);
        }
        if self.expanded[word] & bit != 0 {
            return true;
        }
        if self.cut.is_none() {
            self.cut = self.budget.allows(self.count, || self.bytes()).err();
        }
        if self.cut.is_some() || self.look_around() {
            return false;
        }
        self.expanded[word] |= bit;
        self.count += 1;
        true
    }
}

impl<G: Graph> Graph for Bounded<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        self.graph.initial()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let is_free = self.wide.is_none() && self.budget.is_unlimited();
        if is_free || self.may_expand(node) {
            let before = steps.len();
            self.graph.steps(node, steps);
            if let Some(watch) = self.budget.bounds.watch {
                watch.see_steps(steps.len() - before);
            }
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

    fn allows(&mut self, nodes: usize) -> bool {
        if self.cut.is_none() {
            let budget = &self.budget;
            let late = self.asked.is_multiple_of(64).then(|| budget.in_time().err()).flatten();
            self.cut = budget.allows(nodes, || self.bytes()).err().or(late);
        }
        self.asked += 1;
        let is_found = self.wide.as_ref().is_some_and(|wide| wide.found.is_some());
        self.cut.is_none() && !is_found
    }

    fn bytes(&self) -> usize {
        self.graph.bytes() + self.charged + self.expanded.len() * 8
    }

    fn charge(&mut self, bytes: usize) {
        self.charged = bytes;
    }

    fn visit(&mut self, visit: Visit) {
        match (self.budget.bounds.watch, visit) {
            (Some(watch), Visit::Depth(depth)) => watch.see_depth(depth),
            (Some(watch), Visit::Rejected) => watch.see_component(),
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of work before which it is asked, if each takes so many nanoseconds.
    fn asked(pieces: usize, each: u64) -> Vec<usize> {
        let pace = Pace::default();
        let due = (0..pieces).filter(|&done| {
            let is_due = pace.is_due(done);
            if is_due {
                pace.asked(done, done as u64 * each);
            }
            is_due
        });
        due.collect()
    }

    #[test]
    fn large_pieces_of_work_are_asked_about_one_by_one_and_small_ones_rarely() {
        assert_eq!(asked(6, 20_000_000), [0, 2, 3, 4, 5]);
        let small = asked(1_000, 300);
        assert!(small.len() < 30, "{small:?}");
        assert!(small.windows(2).all(|pair| pair[1] - pair[0] <= Pace::MOST), "{small:?}");
        // Work that becomes larger is noticed at the next question.
        let pace = Pace::default();
        (0..=64).filter(|&done| pace.is_due(done)).for_each(|done| pace.asked(done, 1));
        let next = (65..200).find(|&done| pace.is_due(done)).expect("a question");
        pace.asked(next, 1_000_000_000);
        assert!(pace.is_due(next + 1));
        // So is work that begins to count again.
        (next..10_000).filter(|&done| pace.is_due(done)).for_each(|done| pace.asked(done, 1));
        assert!(pace.is_due(0));
    }
}
