//! Ample sets as Sun, Liu, Dong and Wang print them (*Specifying and Verifying Event-based Fairness Enhanced
//! Systems*, ICFEM 2008, Figure 3), to compare [`Ample`](crate::Ample) with.
//!
//! In each state the processes are tried in turn. One is followed alone if all that it could do with a cooperative
//! environment is enabled, nothing that it does is visible to the property or changes which annotated events are
//! enabled or ready, nothing that it does has to do with what any other process ever does, and no step leads to a
//! state on the stack of the search. The graph that is left, *R* of Theorem 2, is built by one depth-first search of
//! the system, without the automaton of the property: whether a state is on the stack then depends on the system alone
//! (`docs/papers.md` 004-23). Which steps are kept depends on the order of the search, so they are noted
//! beforehand, for every state of *R*.
//!
//! Where the procedure leaves out too much, it is refused, with a [`Flaw`]. What is a matter of reading is read
//! so that it is sound: *may change* means in any state (004-22), and in Figure 2 a node has one ample set (004-26).
//! A step that goes wrong is visible; the paper has none.
//!
//! The tables of [`Skeleton`] are shared with [`Ample`](crate::Ample): what a step reads and writes, and which
//! demands of constraints it changes. The choice of steps and the condition on cycles are not.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fairly_model::native::Part;
use fairly_omega::Stop;
use fairly_system::{Action, EventId, EventKind, Scratch, Signature, Space, Steps, delegate_space};
use hashbrown::{HashMap, HashSet};

use crate::ample::Saved;
use crate::bits::Bits;
use crate::processes::{Position, Processes};
use crate::reduced::Unsuited;
use crate::skeleton::{Skeleton, Spot, Step, Tone};
use crate::watched::Watched;

/// States of the reduced graph, at the most.
const MOST_STATES: usize = 1 << 20;

/// Why the procedure of the paper may leave out too much of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A process may end. What it can do is nothing, and nothing is all enabled, so the ample set is empty
    /// (`docs/papers.md` 004-20).
    Ends,
    /// A process takes internal steps, or terminates: *enabled* leaves these out (004-8).
    Silent,
    /// A guard reads what another process writes; only reads and writes of events are compared (004-25).
    Guards,
    /// The system has what the language of the paper does not: atomic sequences, timeouts, ranks of steps, or
    /// processes that are started.
    Foreign,
}

/// A system with the tables that the procedure needs.
pub struct Figure3 {
    skeleton: Skeleton,
    watched: Watched,
    /// By slot, kind, location and step: whether it has to do with an event of another process.
    dependent: Vec<Vec<Vec<Vec<bool>>>>,
}

impl Figure3 {
    /// The tables for a skeleton in which no step was marked for the sake of cycles.
    pub(crate) fn new(skeleton: Skeleton, watched: Watched) -> Figure3 {
        let uses: Vec<[Bits; 2]> =
            (0..skeleton.slots.len()).map(|it| used(&skeleton, it)).collect();
        let dependent = skeleton.slots.iter().enumerate().map(|(slot, variants)| {
            let of_step = |step: &Step| depends(step, slot, &uses, skeleton.parts);
            let of_spots = |spots: &Vec<Spot>| {
                spots.iter().map(|spot| spot.steps.iter().map(of_step).collect()).collect()
            };
            variants.iter().map(of_spots).collect()
        });
        let dependent = dependent.collect();
        Figure3 { skeleton, watched, dependent }
    }

    /// Why the procedure may leave out too much, if it may.
    pub fn flaw(&self, signature: &Signature) -> Option<Flaw> {
        let skeleton = &self.skeleton;
        let spots = || skeleton.slots.iter().flatten().flatten();
        let any = |has: &dyn Fn(&Step) -> bool| spots().flat_map(|spot| &spot.steps).any(has);
        let is_foreign = |step: &Step| step.holds || step.waits || step.rank > 0;
        if skeleton.starts || skeleton.holder.is_some() || any(&is_foreign) {
            return Some(Flaw::Foreign);
        }
        let is_silent =
            |step: &Step| step.ends || step.event.is_some_and(|it| !is_visible(it, signature));
        if any(&is_silent) {
            return Some(Flaw::Silent);
        }
        if spots().any(|spot| spot.steps.is_empty()) || any(&|step| step.target.is_none()) {
            return Some(Flaw::Ends);
        }
        let all = || skeleton.slots.iter().enumerate();
        let writes: Vec<Bits> = all().map(|(slot, _)| used(skeleton, slot)[1].clone()).collect();
        let is_guarded = |(slot, variants): (usize, &Vec<Vec<Spot>>)| {
            let mut steps = variants.iter().flatten().flat_map(|spot| &spot.steps);
            let others = || (0..writes.len()).filter(|&other| other != slot);
            steps.any(|step| others().any(|other| step.enabling.meets(&writes[other])))
        };
        all().any(is_guarded).then_some(Flaw::Guards)
    }
}

/// Parts that the events of a process in a slot ever read, beside their guards, and parts that they write.
fn used(skeleton: &Skeleton, slot: usize) -> [Bits; 2] {
    let mut used = [Bits::new(skeleton.parts), Bits::new(skeleton.parts)];
    for step in skeleton.slots[slot].iter().flatten().flat_map(|spot| &spot.steps) {
        used[0].join_without(&step.reads, &step.enabling);
        used[1].join(&step.writes);
    }
    used
}

/// Whether a step is taken with others, or reads or writes what an event of another process writes or
/// reads.
fn depends(step: &Step, slot: usize, uses: &[[Bits; 2]], parts: usize) -> bool {
    let mut reads = Bits::new(parts);
    reads.join_without(&step.reads, &step.enabling);
    let meets = |(other, [others_read, others_write]): (usize, &[Bits; 2])| {
        other != slot
            && (step.writes.meets(others_read)
                || step.writes.meets(others_write)
                || reads.meets(others_write))
    };
    !step.needs.is_empty()
        || !step.offers.is_empty()
        || step.varies
        || uses.iter().enumerate().any(meets)
}

fn is_visible(event: EventId, signature: &Signature) -> bool {
    signature.event_kind(event) == EventKind::Visible
}

/// A space in which only the ample sets of Figure 3 are followed.
pub struct Printed<S> {
    inner: S,
    /// Of every row of the reduced graph: which steps are kept.
    kept: HashMap<Box<[u64]>, Box<[bool]>>,
    states: AtomicUsize,
    reduced: AtomicUsize,
    enabled: AtomicUsize,
    followed: AtomicUsize,
}

/// Memory for one worker.
struct Work {
    inner: Scratch,
    batch: Steps,
}

/// A state on the path of the search that builds the graph.
struct OnPath {
    row: Box<[u64]>,
    /// Rows that are still to be gone to, the next one last.
    targets: Vec<Box<[u64]>>,
}

impl<S: Space> Printed<S> {
    /// Builds the reduced graph of a space.
    ///
    /// # Errors
    /// When it is time to stop, or the graph has too many states.
    pub fn new(
        inner: S,
        processes: &dyn Processes,
        figure: &Figure3,
        stop: Stop,
    ) -> Result<Printed<S>, Unsuited> {
        let mut kept = HashMap::new();
        let (mut scratch, mut steps) = (inner.scratch(), Steps::default());
        let (mut path, mut on_path) = (Vec::<OnPath>::new(), HashSet::<Box<[u64]>>::new());
        let mut positions = Vec::new();
        inner.initial(&mut scratch, &mut steps);
        let width = inner.width();
        let sound = (0..steps.actions.len()).filter(|&at| steps.fault(at).is_none());
        let initial: Vec<Box<[u64]>> =
            sound.map(|at| steps.rows_of(at..at + 1, width).into()).collect();
        for start in initial {
            let mut next = Some(start);
            loop {
                if let Some(row) = next.take().filter(|row| !kept.contains_key(row)) {
                    if kept.len() >= MOST_STATES {
                        return Err(Unsuited::Large);
                    }
                    if stop.is_due() {
                        return Err(Unsuited::Stopped);
                    }
                    on_path.insert(row.clone());
                    steps.clear();
                    inner.expand(&row, &mut scratch, &mut steps);
                    processes.positions(&row, &mut positions);
                    let state = State {
                        figure,
                        processes,
                        signature: inner.signature(),
                        positions: &positions,
                        steps: &steps,
                        width,
                    };
                    let chosen = state.ample(&|target| on_path.contains(target));
                    let followed = (0..chosen.len()).rev().filter(|&at| chosen[at]);
                    let followed = followed.filter(|&at| steps.fault(at).is_none());
                    let targets =
                        followed.map(|at| steps.rows_of(at..at + 1, width).into()).collect();
                    kept.insert(row.clone(), chosen.into());
                    path.push(OnPath { row, targets });
                }
                let Some(top) = path.last_mut() else { break };
                next = top.targets.pop();
                if next.is_none() {
                    on_path.remove(&top.row);
                    path.pop();
                }
            }
        }
        let zero = || AtomicUsize::new(0);
        let [states, reduced, enabled, followed] = [zero(), zero(), zero(), zero()];
        Ok(Printed { inner, kept, states, reduced, enabled, followed })
    }

    /// How much has been left out so far.
    pub fn saved(&self) -> Saved {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        Saved {
            states: count(&self.states),
            reduced: count(&self.reduced),
            enabled: count(&self.enabled),
            followed: count(&self.followed),
            ..Saved::default()
        }
    }

    /// Appends the steps of a row that are kept; all of one that the graph does not have.
    fn follow(&self, row: &[u64], batch: &Steps, of: Range<usize>, out: &mut Steps) {
        let kept = self.kept.get(row);
        let (at, count) = (out.ends.len(), of.len());
        let mut followed = 0;
        for (position, step) in of.enumerate() {
            let action = batch.actions[step];
            if kept.is_some_and(|kept| !kept[position]) {
                out.omitted.push((at, action));
                continue;
            }
            followed += 1;
            if let Some(fault) = batch.fault(step) {
                out.faults.push((out.actions.len(), fault.clone()));
            }
            out.push(action, batch.rows_of(step..step + 1, row.len()));
        }
        out.end_row();
        let add = |counter: &AtomicUsize, by: usize| _ = counter.fetch_add(by, Ordering::Relaxed);
        add(&self.states, 1);
        add(&self.enabled, count);
        add(&self.followed, followed);
        add(&self.reduced, usize::from(followed < count));
    }
}

impl<S: Space> Space for Printed<S> {
    delegate_space!(inner, Work);

    fn scratch(&self) -> Scratch {
        Scratch::new(Work { inner: self.inner.scratch(), batch: Steps::default() })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        self.inner.initial(&mut scratch.of::<Work>().inner, out);
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let stop = scratch.stop;
        let Work { inner, batch } = scratch.of::<Work>();
        inner.stop = stop;
        batch.clear();
        self.inner.expand(rows, inner, batch);
        let first = out.ends.len();
        out.omitted.extend(batch.omitted.iter().map(|&(row, action)| (first + row, action)));
        out.committed.extend(batch.committed.iter().map(|row| first + row));
        for (row, of) in rows.chunks_exact(self.inner.width()).zip(batch.by_row()) {
            self.follow(row, batch, of, out);
        }
        let bytes = inner.bytes;
        scratch.bytes = bytes;
    }
}

/// A row and its steps.
struct State<'a> {
    figure: &'a Figure3,
    processes: &'a dyn Processes,
    signature: &'a Signature,
    positions: &'a [Option<Position>],
    steps: &'a Steps,
    width: usize,
}

impl State<'_> {
    /// Which steps are followed. As printed, this may be none, and never has internal steps and
    /// termination.
    fn ample(&self, on_stack: &dyn Fn(&[u64]) -> bool) -> Vec<bool> {
        let enabled: Vec<bool> = (0..self.steps.actions.len())
            .map(|at| is_visible(self.action(at).event, self.signature))
            .collect();
        for slot in 0..self.positions.len() {
            // Lines 2 and 3: all that the process could do is enabled.
            let taken: Vec<(usize, Part)> = enabled
                .iter()
                .enumerate()
                .filter(|(_, enabled)| **enabled)
                .filter_map(|(at, _)| Some((at, self.part_of(at, slot)?)))
                .collect();
            let events: Vec<EventId> = taken.iter().map(|(at, _)| self.action(*at).event).collect();
            let is_enabled = |(edge, step): (usize, &Step)| match step.event {
                Some(event) => !is_visible(event, self.signature) || events.contains(&event),
                None => taken.iter().any(|(_, part)| part.edge as usize == edge),
            };
            if !self.current(slot).iter().enumerate().all(is_enabled) {
                continue;
            }
            // Lines 4 to 12: all successors by its events, other processes with an event of that name included.
            let followed: Vec<bool> = (0..enabled.len())
                .map(|at| enabled[at] && events.contains(&self.action(at).event))
                .collect();
            let is_dependent = taken.iter().any(|(_, part)| self.is_dependent(part));
            let may_follow = |at: usize| {
                let target = self.steps.rows_of(at..at + 1, self.width);
                !self.is_seen(at) && !on_stack(target)
            };
            let all = || (0..followed.len()).filter(|&at| followed[at]);
            if !is_dependent && all().all(may_follow) {
                return followed;
            }
        }
        // Line 16.
        enabled
    }

    fn action(&self, at: usize) -> &Action {
        self.signature.action(self.steps.actions[at])
    }

    /// The steps that leave the location of a process.
    fn current(&self, slot: usize) -> &[Step] {
        let Some(Position { variant, location }) = self.positions[slot] else { return &[] };
        &self.figure.skeleton.spot(slot, variant as usize, location as usize).steps
    }

    /// The part of a process in a step, if it takes part.
    fn part_of(&self, at: usize, slot: usize) -> Option<Part> {
        let moves = self.action(at).moves.iter();
        let mut parts = moves.filter_map(|&id| self.processes.part(id));
        parts.find(|part| part.slot as usize == slot)
    }

    fn is_dependent(&self, part: &Part) -> bool {
        let of = &self.figure.dependent[part.slot as usize][part.variant as usize];
        of[part.location as usize].get(part.edge as usize).copied().unwrap_or(true)
    }

    /// Whether the property or an annotation can tell, in some state, that the step is taken.
    fn is_seen(&self, at: usize) -> bool {
        let action = self.action(at);
        let is_loud = |part: Option<Part>| {
            let step = part.and_then(|part| self.figure.skeleton.step(&part));
            step.is_none_or(|step| step.tone != Tone::Quiet)
        };
        self.steps.fault(at).is_some()
            || self.figure.watched.sees(action, self.signature)
            || action.moves.iter().any(|&id| is_loud(self.processes.part(id)))
    }
}
