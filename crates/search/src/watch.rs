//! Searches seen from another thread: how far they are, and a way to ask them to stop.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use fairly_store::WorkerId;

/// Numbers that a search keeps up to date while it runs, and a wish that it heeds.
///
/// They are written one by one and now and then, so what is read together may be a little apart.
#[derive(Debug)]
pub struct Watch {
    stop: AtomicBool,
    phase: AtomicU8,
    nodes: AtomicUsize,
    steps: AtomicUsize,
    waiting: AtomicUsize,
    components: AtomicUsize,
    bytes: AtomicUsize,
    /// By worker: the nodes that it was the first to meet. Their sum is all there is where several search.
    workers: [AtomicUsize; WorkerId::MOST],
}

impl Default for Watch {
    fn default() -> Self {
        let zero = || AtomicUsize::new(0);
        Watch {
            stop: AtomicBool::new(false),
            phase: AtomicU8::new(0),
            nodes: zero(),
            steps: zero(),
            waiting: zero(),
            components: zero(),
            bytes: zero(),
            workers: std::array::from_fn(|_| zero()),
        }
    }
}

/// Phase of the work for an answer besides searching, which may take long too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// The automaton of the property is made.
    Translating = 1,
    /// Reductions look at the model.
    Reducing,
    /// A run that was found is made shorter.
    Shortening,
    /// A run that was found is replayed and judged.
    Judging,
    /// Effect of the assumed fairness on the system.
    Closing,
    /// Whether the answer is worth less than it seems.
    Doubting,
}

impl Phase {
    const ALL: [Phase; 6] = [
        Phase::Translating,
        Phase::Reducing,
        Phase::Shortening,
        Phase::Judging,
        Phase::Closing,
        Phase::Doubting,
    ];
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Translating => "translating the property",
            Phase::Reducing => "preparing reductions",
            Phase::Shortening => "looking for a shorter run",
            Phase::Judging => "replaying the run that was found",
            Phase::Closing => "asking whether the fairness assumed is machine closed",
            Phase::Doubting => "asking whether the answer is vacuous",
        })
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// States, or nodes of a product, that were expanded.
    pub nodes: usize,
    /// Steps that leave them.
    pub steps: usize,
    /// Nodes on the path of a search, or in the queue of a walk.
    pub waiting: usize,
    /// Components with a cycle that were complete; none of them held an accepted one.
    pub components: usize,
    /// Bytes held, where they are counted.
    pub bytes: usize,
}

impl Watch {
    /// Asks the search to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The flag of a request to stop.
    pub(crate) fn wish(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether a stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Something else than a search begins; or a search, without a phase.
    pub fn enter(&self, phase: Option<Phase>) {
        self.phase.store(phase.map_or(0, |phase| phase as u8), Ordering::Relaxed);
    }

    /// The present phase, if it is no search.
    pub fn phase(&self) -> Option<Phase> {
        let phase = self.phase.load(Ordering::Relaxed);
        Phase::ALL.into_iter().find(|it| *it as u8 == phase)
    }

    /// How far the search is.
    pub fn seen(&self) -> Seen {
        let of = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        Seen {
            nodes: of(&self.nodes),
            steps: of(&self.steps),
            waiting: of(&self.waiting),
            components: of(&self.components),
            bytes: of(&self.bytes),
        }
    }

    /// Another search begins.
    pub fn begin(&self) {
        self.enter(None);
        for number in [&self.nodes, &self.steps, &self.waiting, &self.components, &self.bytes] {
            number.store(0, Ordering::Relaxed);
        }
        self.workers.iter().for_each(|worker| worker.store(0, Ordering::Relaxed));
    }

    /// Nodes by the worker that was the first to meet or expand them; empty while one worker searches alone.
    pub fn workers(&self) -> Vec<usize> {
        let all = self.workers.iter().map(|worker| worker.load(Ordering::Relaxed));
        let mut all: Vec<usize> = all.collect();
        all.truncate(all.iter().rposition(|&nodes| nodes > 0).map_or(0, |last| last + 1));
        all
    }

    /// Takes note of how many nodes are one worker's.
    pub fn see_worker(&self, number: usize, nodes: usize) {
        if let Some(worker) = self.workers.get(number) {
            worker.store(nodes, Ordering::Relaxed);
        }
    }

    pub(crate) fn see_nodes(&self, nodes: usize) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    pub(crate) fn see_steps(&self, more: usize) {
        // Only one thread searches, so nothing is lost between the two.
        let steps = self.steps.load(Ordering::Relaxed) + more;
        self.steps.store(steps, Ordering::Relaxed);
    }

    pub(crate) fn see_walk(&self, steps: usize, waiting: usize) {
        self.steps.store(steps, Ordering::Relaxed);
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    pub(crate) fn see_depth(&self, depth: usize) {
        self.waiting.store(depth, Ordering::Relaxed);
    }

    pub(crate) fn see_component(&self) {
        self.components.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn see_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }
}
