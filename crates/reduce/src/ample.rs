//! Which actions are followed in a state.
//!
//! A group of processes is closed under *has to do with*: beginning with one process, every process that might
//! disturb a next step of the group is added to it. Steps that cannot be taken now ask for less: only those
//! processes that could enable them, and of a step that several have to take together, only one of those that
//! do not offer it yet. So the actions of the group are a stubborn set (Valmari), made of whole processes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use fairly_model::native::Part;
use fairly_omega::Stop;
use fairly_system::{ActionId, Scratch, Signature, Space, Steps, delegate_space};

use crate::attempts::{Attempts, PlaceNumbers};
use crate::processes::{Position, Processes};
use crate::relations::{Able, Located, Relations};
use crate::skeleton::{Climb, Need, Skeleton, Spot, Tone};
use crate::watched::Watched;

/// Pairs of a step and a process that are looked at between two questions whether to stop.
const ASKED: usize = 1 << 14;

/// States after which a reduction is given up that has not left out anything.
const ENOUGH: usize = 4096;

/// How much has been left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// States that were expanded, as often as they were.
    pub states: usize,
    /// Those of them in which steps were left out.
    pub reduced: usize,
    /// Those of these in which one is followed that a constraint could tell: one that changes a demand
    /// that lasts.
    pub early: usize,
    /// Actions that were enabled in all of them.
    pub enabled: usize,
    /// Those of them that were followed.
    pub followed: usize,
    /// Places of processes at which an ample set may begin.
    pub places: usize,
    /// Those of them that were given up, since nothing was left out there many times.
    pub given_up: usize,
}

impl Saved {
    /// Actions that were not followed.
    pub fn left_out(&self) -> usize {
        self.enabled - self.followed
    }
}

/// A space in which only an ample set of the steps of each row is followed.
pub struct Ample<S> {
    inner: S,
    processes: Arc<dyn Processes>,
    skeleton: Arc<Skeleton>,
    watched: Arc<Watched>,
    places: Arc<PlaceNumbers>,
    /// Results of looking for ample sets at places.
    attempts: Attempts,
    /// A [`Decision`].
    decision: AtomicU8,
    states: AtomicUsize,
    reduced: AtomicUsize,
    early: AtomicUsize,
    enabled: AtomicUsize,
    followed: AtomicUsize,
}

/// Whether steps are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Decision {
    /// None has been left out, and some may be.
    Undecided,
    /// Some have been.
    LeavesOut,
    /// None has been, and none will be.
    GivenUp,
}

/// Memory for one worker.
struct Work {
    inner: Scratch,
    batch: Steps,
    chooser: Chooser,
}

impl<S: Space> Ample<S> {
    /// Leaves out what nothing that is watched can tell, given the skeleton of the space for that.
    pub fn new(
        inner: S,
        processes: Arc<dyn Processes>,
        skeleton: Arc<Skeleton>,
        watched: Arc<Watched>,
    ) -> Ample<S> {
        let zero = || AtomicUsize::new(0);
        let places = PlaceNumbers::new(&skeleton);
        Ample {
            inner,
            processes,
            skeleton,
            watched,
            attempts: Attempts::new(&places),
            places: Arc::new(places),
            decision: AtomicU8::new(Decision::Undecided as u8),
            states: zero(),
            reduced: zero(),
            early: zero(),
            enabled: zero(),
            followed: zero(),
        }
    }

    /// The same around another space with the same skeleton.
    pub(crate) fn around(&self, inner: S) -> Ample<S> {
        let (processes, skeleton) = (Arc::clone(&self.processes), Arc::clone(&self.skeleton));
        Ample::new(inner, processes, skeleton, Arc::clone(&self.watched))
    }

    /// How much has been left out so far.
    pub fn saved(&self) -> Saved {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        Saved {
            states: count(&self.states),
            reduced: count(&self.reduced),
            early: count(&self.early),
            enabled: count(&self.enabled),
            followed: count(&self.followed),
            places: self.places.count(),
            given_up: self.attempts.given_up(),
        }
    }

    /// Whether it was given up, since nothing was left out of many states.
    pub fn is_given_up(&self) -> bool {
        self.decision.load(Ordering::Relaxed) == Decision::GivenUp as u8
    }

    /// How many processes an action may start.
    pub fn starts(&self, action: ActionId) -> u32 {
        let signature = self.inner.signature();
        let starts = signature.action(action).moves.iter().map(|&id| {
            let part = self.processes.part(id);
            let step = part.and_then(|part| self.skeleton.step(&part));
            step.map_or(0, |step| step.start_count)
        });
        starts.fold(0, u32::saturating_add)
    }

    /// Decides, if nothing has been decided yet; whether it is decided so now.
    fn decide(&self, decision: Decision) -> bool {
        let (undecided, order) = (Decision::Undecided as u8, Ordering::Relaxed);
        match self.decision.compare_exchange(undecided, decision as u8, order, order) {
            Ok(_) => true,
            Err(now) => now == decision as u8,
        }
    }

    /// Appends the steps of a row that are to be followed.
    fn follow(&self, row: &[u64], of: Range<usize>, work: &mut Work, out: &mut Steps) {
        let Work { batch, chooser, .. } = work;
        let state = State {
            signature: self.inner.signature(),
            processes: &*self.processes,
            row,
            steps: batch,
            first: of.start,
            actions: &batch.actions[of.clone()],
        };
        let count = of.len();
        let is_chosen = !self.diverges(row, &state) && chooser.choose(&state, &self.attempts);
        let is_chosen = is_chosen && self.decide(Decision::LeavesOut);
        let at = out.ends.len();
        let mut followed = 0;
        let add = |counter: &AtomicUsize, by: usize| _ = counter.fetch_add(by, Ordering::Relaxed);
        for step in of.clone() {
            let action = batch.actions[step];
            if is_chosen && !chooser.best[step - of.start] {
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
        add(&self.states, 1);
        add(&self.enabled, count);
        add(&self.followed, followed);
        if is_chosen {
            add(&self.reduced, 1);
            add(&self.early, usize::from(chooser.is_early()));
        }
    }

    /// Whether a process goes on alone for ever in a row, or may do so after a step. Such a step disables all
    /// others for ever, and nothing can be left out beside it.
    fn diverges(&self, row: &[u64], state: &State<'_>) -> bool {
        let Some(strip) = &self.skeleton.holder else { return false };
        let is_held = |row: &[u64]| strip.get(row, 0) >= 0;
        let all = state.first..state.first + state.actions.len();
        let targets = state.steps.rows_of(all.clone(), row.len()).chunks_exact(row.len());
        is_held(row)
            || all.zip(targets).any(|(at, to)| is_held(to) && state.steps.fault(at).is_none())
    }
}

impl<S: Space> Space for Ample<S> {
    delegate_space!(inner, Work);

    fn scratch(&self) -> Scratch {
        let (skeleton, watched) = (Arc::clone(&self.skeleton), Arc::clone(&self.watched));
        let chooser = Chooser::new(skeleton, watched, Arc::clone(&self.places));
        Scratch::new(Work { inner: self.inner.scratch(), batch: Steps::default(), chooser })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        self.inner.initial(&mut scratch.of::<Work>().inner, out);
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let stop = scratch.stop;
        let width = self.width();
        let work = scratch.of::<Work>();
        work.inner.stop = stop;
        // As long as nothing has been left out, it is unknown whether anything might have been.
        if self.states.load(Ordering::Relaxed) >= ENOUGH {
            self.decide(Decision::GivenUp);
        }
        if self.is_given_up() {
            self.inner.expand(rows, &mut work.inner, out);
        } else {
            let mut batch = std::mem::take(&mut work.batch);
            batch.clear();
            self.inner.expand(rows, &mut work.inner, &mut batch);
            let first = out.ends.len();
            out.omitted.extend(batch.omitted.iter().map(|&(row, action)| (first + row, action)));
            out.committed.extend(batch.committed.iter().map(|row| first + row));
            work.batch = batch;
            (work.chooser.stop, work.chooser.is_stopped) = (stop, false);
            let ends = std::mem::take(&mut work.batch.ends);
            let mut begin = 0;
            for (row, &end) in rows.chunks_exact(width).zip(&ends) {
                self.follow(row, begin..end, work, out);
                begin = end;
            }
            work.batch.ends = ends;
        }
        let bytes = work.inner.bytes;
        scratch.bytes = bytes;
    }
}

/// The processes of a set with a bit each.
fn slots_of(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let slot = set.trailing_zeros();
        (set != 0).then(|| set &= set - 1)?;
        Some(slot)
    })
}

/// A row and its steps, among which some are chosen.
struct State<'a> {
    signature: &'a Signature,
    processes: &'a dyn Processes,
    row: &'a [u64],
    steps: &'a Steps,
    /// The position of the first of them.
    first: usize,
    actions: &'a [ActionId],
}

impl State<'_> {
    fn is_faulty(&self, at: usize) -> bool {
        !self.steps.faults.is_empty() && self.steps.fault(self.first + at).is_some()
    }
}

/// Facts about an action wherever it is taken.
#[derive(Clone, Debug)]
struct OfAction {
    /// Who can tell when it is taken.
    tone: Tone,
    /// Whether a constraint asks for it where it stays enabled.
    owed: bool,
    /// Who takes part, and with which step first.
    first: Vec<Part>,
    /// Values that have to grow.
    climbs: Vec<Climb>,
}

/// Chooses what is followed.
struct Chooser {
    skeleton: Arc<Skeleton>,
    watched: Arc<Watched>,
    places: Arc<PlaceNumbers>,
    actions: Vec<Option<OfAction>>,
    /// Of the state: its row, and where processes are.
    row: Vec<u64>,
    positions: Vec<Option<Position>>,
    /// By slot: the actions that it takes part in, by position.
    of_slot: Vec<Vec<u32>>,
    /// By slot: steps that it can take now; the first 64 of them.
    able: Vec<u64>,
    /// By slot: whether it takes part in an action that may not be followed alone.
    loud: Vec<bool>,
    /// By action, by position: whether it may be put into a run, or no fair run goes on without it.
    carries: Vec<bool>,
    /// Slots that take part in an action.
    active: Vec<u32>,
    /// The group.
    group: Vec<u32>,
    inside: Vec<bool>,
    wanted: Vec<u32>,
    keep: Vec<bool>,
    best: Vec<bool>,
    /// By action, by position: whether a constraint could tell.
    early: Vec<bool>,
    /// Pairs of processes that are related at their places; `None` if there are too many processes.
    relations: Option<Relations>,
    /// By slot: processes that are related to it in this state, a bit each, once that is known.
    related: Vec<Option<u64>>,
    /// When to stop. A state in which that is met is followed as a whole.
    stop: Stop,
    /// Whether it is time to stop, as far as that was asked.
    is_stopped: bool,
    /// Pairs of a step and a process that were looked at since then.
    looked_at: usize,
}

impl Chooser {
    fn new(skeleton: Arc<Skeleton>, watched: Arc<Watched>, places: Arc<PlaceNumbers>) -> Chooser {
        let count = skeleton.slots.len();
        let relations = Relations::new(&skeleton);
        Chooser {
            skeleton,
            watched,
            places,
            actions: Vec::new(),
            row: Vec::new(),
            positions: Vec::new(),
            of_slot: vec![Vec::new(); count],
            able: vec![0; count],
            loud: vec![false; count],
            carries: Vec::new(),
            active: Vec::new(),
            group: Vec::new(),
            inside: vec![false; count],
            wanted: Vec::new(),
            keep: Vec::new(),
            best: Vec::new(),
            early: Vec::new(),
            relations,
            related: vec![None; count],
            stop: Stop::default(),
            is_stopped: false,
            looked_at: 0,
        }
    }

    /// Chooses among the actions of a state; `false` for all of them.
    fn choose(&mut self, system: &State<'_>, attempts: &Attempts) -> bool {
        let pending = system.actions;
        if pending.len() < 2 {
            return false;
        }
        // A process that holds moves alone anyway.
        if self.skeleton.holder.is_some_and(|strip| strip.get(system.row, 0) >= 0) {
            return false;
        }
        system.processes.positions(system.row, &mut self.positions);
        if !self.is_promising(attempts) {
            return false;
        }
        self.meet(system);
        let total = pending.len();
        if self.find_free(total) {
            return true;
        }
        let mut fewest = total;
        let mut place_of_best = None;
        self.related.fill(None);
        // Processes that belong to no group that leaves something out, as far as that is known.
        let bit = |slot: usize| u32::try_from(slot).ok().and_then(|slot| 1u64.checked_shl(slot));
        let loud = self.active.iter().filter(|&&slot| self.loud[slot as usize]);
        let mut useless = loud.filter_map(|&slot| bit(slot as usize)).fold(0, |all, one| all | one);
        for at in 0..self.active.len() {
            let slot = self.active[at];
            let place = self.positions[slot as usize].map(|it| self.places.of(slot as usize, it));
            let is_given_up = place.is_some_and(|place| attempts.is_given_up(place));
            if self.loud[slot as usize] || is_given_up {
                continue;
            }
            // What is found from then on is of no use to anyone.
            if self.is_stopped {
                return false;
            }
            let count = match self.gather(slot, useless) {
                true => self.mark(pending).filter(|&count| count < fewest),
                false => {
                    useless |= bit(slot as usize).unwrap_or(0);
                    None
                }
            };
            let Some(count) = count else {
                place.into_iter().for_each(|place| attempts.fails(place));
                continue;
            };
            fewest = count;
            place_of_best = place;
            std::mem::swap(&mut self.keep, &mut self.best);
            if count == 1 {
                break;
            }
        }
        fewest < total && place_of_best.is_none_or(|place| attempts.succeeds(place))
    }

    /// Whether something may be left out, as far as the places of the processes tell.
    fn is_promising(&self, attempts: &Attempts) -> bool {
        self.positions.iter().enumerate().any(|(slot, position)| {
            position.is_some_and(|position| {
                !attempts.is_given_up(self.places.of(slot, position))
                    || self.skeleton.located(slot, position).spot.free
            })
        })
    }

    /// Chooses a process without relations to others, which is a group by itself; `false` if there is none.
    fn find_free(&mut self, total: usize) -> bool {
        let is_free = |slot: &u32| {
            let slot = *slot as usize;
            let own = &self.of_slot[slot];
            self.spot(slot).is_some_and(|spot| spot.free)
                && !self.loud[slot]
                && own.iter().any(|&it| self.carries[it as usize])
                && own.len() < total
        };
        let Some(&slot) = self.active.iter().find(|slot| is_free(slot)) else { return false };
        self.best.clear();
        self.best.resize(total, false);
        for &action in &self.of_slot[slot as usize] {
            self.best[action as usize] = true;
        }
        true
    }

    /// Whether a constraint could tell an action of the set that was chosen last.
    fn is_early(&self) -> bool {
        self.best.iter().zip(&self.early).any(|(chosen, early)| *chosen && *early)
    }

    /// Takes note of the state.
    fn meet(&mut self, system: &State<'_>) {
        self.row.clear();
        self.row.extend_from_slice(system.row);
        for slot in self.active.drain(..) {
            self.of_slot[slot as usize].clear();
            self.able[slot as usize] = 0;
            self.loud[slot as usize] = false;
        }
        let pending = system.actions;
        self.carries.clear();
        self.early.clear();
        for (at, &action) in pending.iter().enumerate() {
            self.learn(system, action);
            let known = self.actions[action.index()].as_ref().expect("learned just now");
            let climbs = known.climbs.iter().all(|climb| {
                // One action may count several times.
                let all = known.climbs.iter().filter(|other| other.strip == climb.strip);
                let by = all.fold(0i64, |sum, other| sum.saturating_add(other.by));
                let value = climb.strip.get(system.row, 0).saturating_add(by);
                (climb.low..=climb.high).contains(&value)
            });
            let loud = known.tone == Tone::Loud || !climbs || system.is_faulty(at);
            self.carries.push(known.tone == Tone::Quiet || known.owed);
            self.early.push(known.tone == Tone::Early);
            for part in &known.first {
                let slot = part.slot as usize;
                if self.of_slot[slot].is_empty() {
                    self.active.push(part.slot);
                }
                self.of_slot[slot].push(u32::try_from(at).expect("few actions"));
                self.able[slot] |= 1u64.checked_shl(part.edge).unwrap_or(0);
                self.loud[slot] |= loud;
            }
        }
        self.active.sort_unstable();
    }

    fn learn(&mut self, system: &State<'_>, id: ActionId) {
        if self.actions.len() <= id.index() {
            self.actions.resize(id.index() + 1, None);
        }
        if self.actions[id.index()].is_some() {
            return;
        }
        let action = system.signature.action(id);
        let is_seen = self.watched.sees(action, system.signature);
        let (mut tone, mut owed) = (if is_seen { Tone::Loud } else { Tone::Quiet }, false);
        let (mut first, mut climbs) = (Vec::<Part>::new(), Vec::new());
        for &of in &action.moves {
            let slot = system.signature.moves[of.index()].process.0;
            let part = system.processes.part(of);
            let step = part.and_then(|part| self.skeleton.step(&part));
            tone = tone.max(step.map_or(Tone::Loud, |step| step.tone));
            owed |= step.is_some_and(|step| step.owed);
            climbs.extend(step.and_then(|step| step.climb));
            if first.iter().all(|other| other.slot != slot) {
                let nothing = Part { slot, variant: 0, location: 0, edge: u32::MAX };
                first.push(part.unwrap_or(nothing));
            }
        }
        self.actions[id.index()] = Some(OfAction { tone, owed, first, climbs });
    }

    fn spot(&self, slot: usize) -> Option<&Spot> {
        let position = self.positions[slot]?;
        Some(self.skeleton.spot(slot, position.variant as usize, position.location as usize))
    }

    /// Makes the group of a process; `false` if there is none that leaves something out. A group with one of the
    /// `useless` processes in it is none.
    fn gather(&mut self, first: u32, useless: u64) -> bool {
        let Some(group) = self.close(first, useless) else { return self.gather_one_by_one(first) };
        if cfg!(debug_assertions) {
            let is_one = self.gather_one_by_one(first);
            let same = self.group.iter().fold(0, |all, slot| all | 1u64 << slot);
            assert!(is_one == (group != 0) && (!is_one || same == group), "two ways to one group");
        }
        self.group.clear();
        self.group.extend(slots_of(group));
        group != 0
    }

    /// Makes the group of a process by looking up pairs, a bit a process, or none if nothing is left out; `None` if
    /// not all of it is a matter of pairs.
    fn close(&mut self, first: u32, useless: u64) -> Option<u64> {
        let relations = self.relations.as_mut()?;
        let mut group = 1u64 << first;
        let mut open = group;
        while open != 0 {
            let slot = open.trailing_zeros() as usize;
            open &= open - 1;
            let related = match self.related[slot] {
                Some(related) => related,
                None => {
                    let able = self.able[slot];
                    let at = (slot, able, &*self.row);
                    let related =
                        relations.of(&self.skeleton, &self.places, at, &self.positions)?;
                    self.related[slot] = Some(related);
                    related
                }
            };
            let new = related & !group;
            if new & useless != 0 {
                return Some(0);
            }
            group |= new;
            open |= new;
        }
        Some(group)
    }

    /// Makes the group of a process from sets of what its steps read and write; `false` as in
    /// [`gather`](Chooser::gather).
    fn gather_one_by_one(&mut self, first: u32) -> bool {
        self.inside.fill(false);
        self.group.clear();
        self.inside[first as usize] = true;
        self.group.push(first);
        let mut next = 0;
        while let Some(&slot) = self.group.get(next) {
            next += 1;
            let count = self.spot(slot as usize).map_or(0, |spot| spot.steps.len());
            for step in 0..count {
                self.looked_at += self.positions.len();
                if self.looked_at >= ASKED {
                    self.looked_at = 0;
                    self.is_stopped |= self.stop.is_due();
                }
                if self.is_stopped || !self.add_for(slot as usize, step) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds the processes that are related to a step of a process in the group; `false` if one of them takes
    /// part in something that may not be followed alone.
    fn add_for(&mut self, slot: usize, at: usize) -> bool {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        let mut possible = self.find_wanted(slot, at, &mut wanted);
        for &other in &wanted {
            if !std::mem::replace(&mut self.inside[other as usize], true) {
                self.group.push(other);
            }
            possible &= !self.loud[other as usize];
        }
        self.wanted = wanted;
        possible
    }

    /// Lists the processes that are related to a step of a process in the group, as far as they are not in it;
    /// `false` if that is not known, or one of them takes part in something that may not be followed alone.
    fn find_wanted(&self, slot: usize, at: usize, wanted: &mut Vec<u32>) -> bool {
        let Some(spot) = self.spot(slot) else { return true };
        let step = &spot.steps[at];
        let mut now = Able { able: self.able[slot], message: 0 }.of(at);
        now.message = step.has_message(&self.row);
        let is_able = now.is_able;
        if step.lonely || step.waits && !is_able {
            return true;
        }
        let will_offer = |other: u32, offer: usize| {
            self.spot(other as usize).is_some_and(|spot| spot.future.offers.contains(offer))
        };
        let offers = |other: u32, offer: usize| {
            self.spot(other as usize).is_some_and(|spot| spot.offers.contains(offer))
        };
        let everyone = || (0u32..).zip(&self.positions).filter(|(_, it)| it.is_some());
        for need in &step.needs {
            let offer = need.offer();
            match need {
                Need::All { slots, .. } => {
                    let missing = || slots.iter().copied().filter(|&slot| !offers(slot, offer));
                    let Some(first) = missing().next() else {
                        wanted.extend(slots);
                        continue;
                    };
                    if self.skeleton.starts && missing().any(|it| self.spot(it as usize).is_none())
                    {
                        return false;
                    }
                    // Before that one has moved, the step cannot be taken; or it never can.
                    let is_known = missing()
                        .any(|slot| self.inside[slot as usize] || !will_offer(slot, offer));
                    if !is_known {
                        wanted.push(first);
                    }
                    return true;
                }
                Need::Some { slots, .. } => {
                    let others = slots.iter().copied().filter(|&it| !self.inside[it as usize]);
                    wanted.extend(others.filter(|&it| will_offer(it, offer)));
                }
                Need::Partner { .. } => {
                    let others = everyone().filter(|&(it, _)| !self.inside[it as usize]);
                    let partners = others.filter(|&(it, _)| will_offer(it, offer));
                    wanted.extend(partners.map(|(it, _)| it));
                }
            }
        }
        let own = Located { slot, spot };
        for (other, _) in everyone() {
            if self.inside[other as usize] {
                continue;
            }
            let Some(spot) = self.spot(other as usize) else { continue };
            let other = Located { slot: other as usize, spot };
            if self.skeleton.concerns(step, now, own, other) {
                if self.loud[other.slot] {
                    return false;
                }
                wanted.push(u32::try_from(other.slot).expect("a slot"));
            }
        }
        true
    }

    /// Marks the actions of the group; how many, if they are enough.
    fn mark(&mut self, pending: &[ActionId]) -> Option<usize> {
        self.keep.clear();
        self.keep.resize(pending.len(), false);
        let (mut count, mut carries) = (0, false);
        for &slot in &self.group {
            for &at in &self.of_slot[slot as usize] {
                let known = self.actions[pending[at as usize].index()].as_ref()?;
                // The participants belong to the group; anything else would be a mistake.
                if !known.first.iter().all(|part| self.group.contains(&part.slot)) {
                    debug_assert!(false, "a group that is not closed");
                    return None;
                }
                count += usize::from(!std::mem::replace(&mut self.keep[at as usize], true));
                carries |= self.carries[at as usize];
            }
        }
        carries.then_some(count)
    }
}
