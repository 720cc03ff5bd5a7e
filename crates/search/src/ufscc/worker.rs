//! One of the threads that search.

use std::sync::TryLockError;
use std::sync::atomic::Ordering;

use fairly_store::{Claim, Links, Pick, StoreError, WorkerId};

use super::part::Unfinished;
use super::{Cut, Options, Search, SharedGraph, SharedStep, accepts, may_accept};
use crate::sets::{SetsMemory, SharedSets};

/// Steps that a worker takes between two looks at the limits.
const LOOK: u32 = 256;
/// Nodes that a worker takes at a time, to start from those of them that are in a component.
const STARTS: usize = 1 << 12;
/// Nodes that trials may look at in vain, and one of how many that have been met.
const FEW: usize = 1024;
const SHARE: usize = 8;

/// A node from which a worker goes on in its set. A path may have millions of them, so they are small.
struct Frame {
    /// The node that the set was entered at.
    opened: u32,
    /// The node of the set that this worker explored last: the next one is looked for from there. Workers that went on
    /// from where they entered would all find the same one in a large component.
    last: u32,
    /// The node that is being explored, or [`NONE`].
    node: u32,
    /// Where its steps begin, the one that this worker begins with, and how many it has taken.
    begin: u32,
    first: u32,
    taken: u32,
    /// Whether a node was explored.
    is_begun: bool,
    /// Whether another frame was opened behind the step that was taken last.
    is_behind: bool,
}

/// No node is being explored.
const NONE: u32 = u32::MAX;

impl Frame {
    /// The position of the step that was taken last, among so many.
    fn step(&self, count: u32) -> usize {
        let at = self.first + self.taken - 1;
        (if at < count { at } else { at - count }) as usize
    }
}

pub(super) struct Worker<'a, G: SharedGraph> {
    search: &'a Search<'a, G>,
    own: G::Worker,
    id: WorkerId,
    number: usize,
    frames: Vec<Frame>,
    /// A node of each set on the path, with the marks of the step that leads there.
    path: Vec<(u32, u64)>,
    /// The steps of the nodes that are being explored, those of the last frames: a path may be as long as there are
    /// nodes, so there is a bound on them, and those of a frame are asked for again when the search comes back to it.
    steps: Vec<SharedStep>,
    /// How many of them have been dropped at the front.
    dropped: u32,
    sets: SetsMemory,
    /// The set of the number that says that there is a step inside.
    inside: u64,
    counted: (usize, usize),
    /// Nodes that this worker has met first.
    met: usize,
    end: u32,
    until_look: u32,
}

impl<'a, G: SharedGraph> Worker<'a, G> {
    pub(super) fn new(search: &'a Search<'a, G>, number: usize) -> Self {
        let mut sets = SetsMemory::default();
        let inside = search.graph.sets().set([search.inside()], &mut sets);
        Worker {
            own: search.graph.worker(),
            search,
            id: WorkerId::new(number),
            number,
            frames: Vec::new(),
            path: Vec::new(),
            steps: Vec::new(),
            dropped: 0,
            sets,
            inside,
            counted: (0, 0),
            met: 0,
            end: 0,
            until_look: LOOK,
        }
    }

    pub(super) fn run(mut self) {
        let search = self.search;
        match &search.view {
            None => {
                let initial = search.graph.initial(&mut self.own);
                initial.into_iter().for_each(|node| self.run_from(node));
            }
            // The rest of the component may be in many pieces: each worker looks for some of them.
            Some(view) => {
                let end = view.end as usize;
                while !self.is_over() {
                    let first = search.next_start.fetch_add(STARTS, Ordering::Relaxed);
                    if first >= end {
                        return self.report();
                    }
                    let some = small(first)..small((first + STARTS).min(end));
                    some.filter(|&node| view.has_node(node)).for_each(|node| self.run_from(node));
                }
            }
        }
        // One that has come here has seen every component complete, so the others need not go on.
        search.is_over.store(true, Ordering::Release);
        self.report();
    }

    fn is_over(&self) -> bool {
        self.search.is_over.load(Ordering::Acquire)
    }

    fn run_from(&mut self, node: u32) {
        if self.is_over() {
            return;
        }
        self.enter(SharedStep { target: node, marks: SharedSets::EMPTY }, Links::NONE);
        while !self.frames.is_empty() && !self.is_over() {
            self.go_on();
        }
    }

    fn report(&mut self) {
        let (nodes, steps) = std::mem::take(&mut self.counted);
        self.met += nodes;
        self.search.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.search.steps.fetch_add(steps, Ordering::Relaxed);
        self.search.end.fetch_max(self.end, Ordering::AcqRel);
    }

    /// Meets the target of a step; the caller is told if a frame was opened for it or it is on the path.
    fn enter(&mut self, step: SharedStep, from: u32) -> Option<Claim> {
        let node = step.target;
        let claim = match self.search.components.claim(node, self.id) {
            Ok(claim) => claim,
            Err(full) => {
                self.search.cut(Cut::Store(full));
                return None;
            }
        };
        match claim {
            Claim::New => {
                self.counted.0 += 1;
                self.end = self.end.max(node.saturating_add(1));
                self.search.links.set(node, from);
                self.open(step);
            }
            Claim::Entered => self.open(step),
            Claim::Known | Claim::Dead => {}
        }
        Some(claim)
    }

    fn open(&mut self, step: SharedStep) {
        let opened = step.target;
        self.frames.push(Frame {
            opened,
            last: opened,
            node: NONE,
            begin: 0,
            first: 0,
            taken: 0,
            is_begun: false,
            is_behind: false,
        });
        self.path.push((opened, step.marks));
    }

    /// One step of the search.
    fn go_on(&mut self) {
        let search = self.search;
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.node == NONE {
            // The set goes on in the frame below, whose set it has become a part of.
            if frame.is_begun && self.path.last().map(|it| it.0) != Some(frame.opened) {
                self.frames.pop();
                return;
            }
            frame.is_begun = true;
            return match search.components.pick(frame.last) {
                Pick::Node(node) => self.expand(node),
                Pick::Completed => {
                    let node = frame.opened;
                    self.judge(node);
                    self.close();
                }
                Pick::Dead => self.close(),
            };
        }
        let node = frame.node;
        if frame.begin < self.dropped {
            self.steps.clear();
            self.dropped = frame.begin;
            search.steps(node, &mut self.own, &mut self.sets, &mut self.steps);
            if self.steps.len() < frame.taken as usize {
                // It had more, and lost them: there is no room for what they lead to.
                return search.cut(Cut::GivenUp);
            }
        }
        let count = self.dropped + small(self.steps.len()) - frame.begin;
        let first = (frame.begin - self.dropped) as usize;
        if std::mem::take(&mut frame.is_behind) {
            let step = self.steps[first + frame.step(count)];
            // All nodes behind it are complete. It is a step inside if the search came back here meanwhile.
            if search.components.are_united(node, step.target) {
                self.mark(node, step.marks, false);
            }
            return;
        }
        if frame.taken == count || frame.taken > 0 && search.components.is_finished(node) {
            search.components.finish(node);
            self.steps.truncate(first);
            (frame.last, frame.node) = (node, NONE);
            return;
        }
        frame.taken += 1;
        let step = self.steps[first + frame.step(count)];
        let at = self.frames.len() - 1;
        match self.enter(step, node) {
            // The frame below the one that was opened looks at the step again.
            Some(Claim::New | Claim::Entered) => self.frames[at].is_behind = true,
            Some(Claim::Dead) | None => {}
            Some(Claim::Known) => {
                let has_grown = self.unite_path(step.target, node);
                self.mark(node, step.marks, has_grown);
            }
        }
    }

    /// Unites the sets of the path that a step from a node to a node of the path closes a cycle of.
    fn unite_path(&mut self, target: u32, node: u32) -> bool {
        let (search, inside) = (self.search, self.inside);
        let (components, sets) = (&search.components, search.graph.sets());
        let mut has_grown = false;
        while !components.are_united(target, node) && self.path.len() > 1 {
            let upper = self.path.pop();
            if let (Some((upper, marks)), Some(&(lower, _))) = (upper, self.path.last()) {
                let memory = &mut self.sets;
                components.unite_by(upper, lower, |one, other| sets.join(one, other, memory));
                // The step that leads to the upper set is inside the set now.
                let marks = sets.join(marks, inside, memory);
                components.mark_by(lower, marks, |one, other| sets.join(one, other, memory));
                has_grown = true;
            }
        }
        has_grown
    }

    /// Begins to explore a node of the set of the last frame.
    fn expand(&mut self, node: u32) {
        self.look_at_limits();
        let begin = self.steps.len();
        self.search.steps(node, &mut self.own, &mut self.sets, &mut self.steps);
        let count = self.steps.len() - begin;
        self.counted.1 += count;
        for step in &self.steps[begin..] {
            self.search.components.prefetch(step.target);
        }
        if let Some(frame) = self.frames.last_mut() {
            (frame.node, frame.begin) = (node, self.dropped + small(begin));
            (frame.first, frame.taken) = (small(first(node, self.number, count)), 0);
        }
        let kept = self.search.options.kept;
        if self.steps.len() > kept.max(count) {
            // Half of them, so that this is not done for each node.
            let dropped = begin.min(self.steps.len() - kept / 2);
            self.steps.drain(..dropped);
            self.dropped += small(dropped);
        }
    }

    /// Gives up the last frame, whose component is complete.
    fn close(&mut self) {
        if let Some(frame) = self.frames.pop()
            && self.path.last().map(|it| it.0) == Some(frame.opened)
        {
            self.path.pop();
        }
    }

    /// Adds the marks of a step inside the set of a node, which may have grown.
    fn mark(&mut self, node: u32, marks: u64, has_grown: bool) {
        let search = self.search;
        let (sets, memory) = (search.graph.sets(), &mut self.sets);
        let marks = sets.join(marks, self.inside, memory);
        let join = |one, other| sets.join(one, other, memory);
        let (known, has_changed) = search.components.mark_by(node, marks, join);
        // Where the graph asks for more, that is found out when the component is complete.
        if !(has_changed || has_grown) || search.graph.asks_more() {
            return;
        }
        if accepts(search.graph.acceptance(), sets.reader(known, memory)) {
            match search.is_early {
                true if !sets.is_full() => search.find(node),
                _ => self.try_part(node),
            }
        }
    }

    /// Looks for an accepted path in a part of a component, unless that has been in vain too often.
    fn try_part(&mut self, node: u32) {
        let search = self.search;
        let mut tried = match search.tried.try_lock() {
            Ok(tried) => tried,
            Err(TryLockError::Poisoned(tried)) => tried.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let most = FEW + search.nodes.load(Ordering::Relaxed) / SHARE;
        let Some(left) = most.checked_sub(*tried).filter(|&left| left > 0) else { return };
        match search.find_within(node, left, &mut self.own) {
            Ok(Some(inside)) => search.find_path(inside),
            Ok(None) => *tried += left.min(FEW / 4),
            Err(Unfinished::Large) => *tried += left,
            Err(Unfinished::Undecided(_)) => *tried = usize::MAX,
        }
    }

    /// Judges a component that is complete.
    fn judge(&mut self, node: u32) {
        let search = self.search;
        let (acceptance, sets) = (search.graph.acceptance(), search.graph.sets());
        let marks = sets.reader(search.components.marks(node), &mut self.sets);
        if !marks.has(search.inside()) || !may_accept(acceptance, marks) {
            if let (true, Some(watch)) = (marks.has(search.inside()), search.options.watch) {
                watch.see_component();
            }
            return;
        }
        if search.graph.asks_more() {
            let is_inside = |other| search.is_inside(node, other);
            return match search.graph.judge(&is_inside, node, &mut self.own) {
                Ok(Some(inside)) => search.find_path(inside),
                Ok(None) => {}
                Err(cut) => search.cut(cut),
            };
        }
        if accepts(acceptance, marks) {
            return search.find(node);
        }
        match search.find_within(node, search.options.alone, &mut self.own) {
            Ok(Some(inside)) => search.find_path(inside),
            Ok(None) => {}
            Err(Unfinished::Large) => search.ended().jobs.push(node),
            Err(undecided) => search.cut(undecided.into()),
        }
    }

    fn look_at_limits(&mut self) {
        self.until_look -= 1;
        if self.until_look > 0 {
            return;
        }
        self.until_look = LOOK;
        self.report();
        let Options { memory, nodes, stop, watch, .. } = self.search.options;
        if let Some(watch) = watch {
            watch.see_nodes(self.search.nodes.load(Ordering::Relaxed));
            watch.see_worker(self.number, self.met);
        }
        let own = self.frames.capacity() * size_of::<Frame>()
            + self.path.capacity() * size_of::<(u32, u64)>()
            + self.steps.capacity() * size_of::<SharedStep>();
        let held = self.search.bytes() + own * self.search.options.workers;
        if stop.is_due() {
            self.search.cut(Cut::Interrupted);
        } else if self.search.graph.gives_up() {
            self.search.cut(Cut::GivenUp);
        } else if held > *memory || self.search.graph.sets().is_full() {
            self.search.cut(Cut::Store(StoreError::Budget { limit: *memory }));
        } else if let Some(most) =
            nodes.filter(|&most| self.search.nodes.load(Ordering::Relaxed) >= most)
        {
            self.search.cut(Cut::Nodes(most));
        }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("fewer steps on a path than numbers")
}

/// The step that a worker begins with at a node. The first worker takes the steps in their order, and the others begin
/// anywhere, so that workers that come to the same node part again.
fn first(node: u32, worker: usize, count: usize) -> usize {
    if worker == 0 || count == 0 {
        return 0;
    }
    let mixed = (u64::from(node) ^ (worker as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % count
}
