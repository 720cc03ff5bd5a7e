//! Which actions are followed in a state.
//!
//! A group of processes is closed under *has to do with*: beginning with one process, whoever might
//! disturb what the group can do next is added to it. Steps that cannot be taken now ask for less: only
//! those who could enable them, and of a step that several have to take together, only one of those who
//! do not offer it yet. So the actions of the group are a stubborn set (Valmari), made of whole
//! processes.

use fairly_model::native::Part;
use fairly_system::ActionId;

use crate::reduced::{Position, Reducible};
use crate::skeleton::{Climb, Need, Skeleton, Spot, Tone};
use crate::watched::Watched;

/// What is known of an action wherever it is taken.
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
    /// How many processes it may start.
    starts: u32,
}

/// Chooses what is followed.
pub(crate) struct Ample {
    skeleton: Skeleton,
    watched: Watched,
    actions: Vec<Option<OfAction>>,
    /// Of the state: where processes are.
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
}

impl Ample {
    pub(crate) fn new(skeleton: Skeleton, watched: Watched) -> Ample {
        let count = skeleton.slots.len();
        Ample {
            skeleton,
            watched,
            actions: Vec::new(),
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
        }
    }

    /// Chooses among the actions of the state that the system has looked at; `false` for all of them.
    pub(crate) fn choose<S: Reducible>(&mut self, system: &S) -> bool {
        let pending = system.pending();
        if pending.len() < 2 {
            return false;
        }
        // Whoever holds moves alone anyway.
        if self.skeleton.holder.is_some_and(|strip| system.value(&strip) >= 0) {
            return false;
        }
        self.meet(system);
        let total = pending.len();
        // A process that nobody ever has to do with is a group by itself.
        for at in 0..self.active.len() {
            let slot = self.active[at] as usize;
            let is_free = self.spot(slot).is_some_and(|spot| spot.free);
            let carries =
                |slot: usize| self.of_slot[slot].iter().any(|&it| self.carries[it as usize]);
            if is_free && !self.loud[slot] && carries(slot) && self.of_slot[slot].len() < total {
                self.best.clear();
                self.best.resize(total, false);
                for &action in &self.of_slot[slot] {
                    self.best[action as usize] = true;
                }
                return true;
            }
        }
        let mut fewest = total;
        for at in 0..self.active.len() {
            let slot = self.active[at];
            if self.loud[slot as usize] || !self.gather(slot) {
                continue;
            }
            let count = self.mark(pending);
            if let Some(count) = count.filter(|&count| count < fewest) {
                fewest = count;
                std::mem::swap(&mut self.keep, &mut self.best);
                if count == 1 {
                    break;
                }
            }
        }
        fewest < total
    }

    /// Which actions were chosen last, by position.
    pub(crate) fn chosen(&self) -> &[bool] {
        &self.best
    }

    /// Whether a constraint could tell an action of the set that was chosen last.
    pub(crate) fn is_early(&self) -> bool {
        self.best.iter().zip(&self.early).any(|(chosen, early)| *chosen && *early)
    }

    /// Whether nobody can tell in which slot a process is.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.skeleton.anonymous
    }

    /// How many processes an action may start.
    pub(crate) fn starts<S: Reducible>(&mut self, system: &S, action: ActionId) -> u32 {
        self.learn(system, action);
        self.actions[action.index()].as_ref().map_or(0, |known| known.starts)
    }

    /// Takes note of the state.
    fn meet<S: Reducible>(&mut self, system: &S) {
        system.positions(&mut self.positions);
        for slot in self.active.drain(..) {
            self.of_slot[slot as usize].clear();
            self.able[slot as usize] = 0;
            self.loud[slot as usize] = false;
        }
        let pending = system.pending();
        self.carries.clear();
        self.early.clear();
        for (at, &action) in pending.iter().enumerate() {
            self.learn(system, action);
            let known = self.actions[action.index()].as_ref().expect("learned just now");
            let climbs = known.climbs.iter().all(|climb| {
                // One action may count several times.
                let all = known.climbs.iter().filter(|other| other.strip == climb.strip);
                let by = all.fold(0i64, |sum, other| sum.saturating_add(other.by));
                let value = system.value(&climb.strip).saturating_add(by);
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

    fn learn<S: Reducible>(&mut self, system: &S, id: ActionId) {
        if self.actions.len() <= id.index() {
            self.actions.resize(id.index() + 1, None);
        }
        if self.actions[id.index()].is_some() {
            return;
        }
        let action = system.action(id);
        let is_seen = self.watched.sees(action, system.signature());
        let (mut tone, mut owed) = (if is_seen { Tone::Loud } else { Tone::Quiet }, false);
        let (mut first, mut climbs, mut starts) = (Vec::<Part>::new(), Vec::new(), 0_u32);
        for &of in &action.moves {
            let slot = system.signature().moves[of.index()].process.0;
            let part = system.part(of);
            let step = part.and_then(|part| {
                let Part { slot, variant, location, edge } = part;
                let spot = self.skeleton.spot(slot as usize, variant as usize, location as usize);
                spot.steps.get(edge as usize)
            });
            tone = tone.max(step.map_or(Tone::Loud, |step| step.tone));
            owed |= step.is_some_and(|step| step.owed);
            climbs.extend(step.and_then(|step| step.climb));
            starts = starts.saturating_add(step.map_or(0, |step| step.start_count));
            if first.iter().all(|other| other.slot != slot) {
                let nothing = Part { slot, variant: 0, location: 0, edge: u32::MAX };
                first.push(part.unwrap_or(nothing));
            }
        }
        self.actions[id.index()] = Some(OfAction { tone, owed, first, climbs, starts });
    }

    fn spot(&self, slot: usize) -> Option<&Spot> {
        let position = self.positions[slot]?;
        Some(self.skeleton.spot(slot, position.variant as usize, position.location as usize))
    }

    /// Makes the group of a process; `false` if there is none that leaves something out.
    fn gather(&mut self, first: u32) -> bool {
        for slot in self.group.drain(..) {
            self.inside[slot as usize] = false;
        }
        self.inside[first as usize] = true;
        self.group.push(first);
        let mut next = 0;
        while let Some(&slot) = self.group.get(next) {
            next += 1;
            let count = self.spot(slot as usize).map_or(0, |spot| spot.steps.len());
            for step in 0..count {
                if !self.add_for(slot as usize, step) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds whoever has to do with a step of a process in the group; `false` if one of them takes part
    /// in something that may not be followed alone.
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

    /// Lists whoever has to do with a step of a process in the group; `false` if that is not known.
    fn find_wanted(&self, slot: usize, at: usize, wanted: &mut Vec<u32>) -> bool {
        let Some(spot) = self.spot(slot) else { return true };
        let step = &spot.steps[at];
        // Which of those beyond the first 64 can be taken is not known.
        let is_able = at >= 64 || self.able[slot] >> at & 1 == 1;
        let is_unable = at >= 64 || !is_able;
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
                    wanted.extend(slots.iter().copied().filter(|&it| will_offer(it, offer)));
                }
                Need::Partner { .. } => {
                    let partners = everyone().map(|(other, _)| other);
                    let others = partners.filter(|&other| other as usize != slot);
                    wanted.extend(others.filter(|&other| will_offer(other, offer)));
                }
            }
        }
        for (other, _) in everyone() {
            if self.inside[other as usize] {
                continue;
            }
            let own = spot;
            let Some(spot) = self.spot(other as usize) else { continue };
            // A process with another behind it cannot end before that one.
            let with_end = !(self.skeleton.last_first && (other as usize) < slot);
            if is_able && step.disturbs(&spot.future, with_end)
                || is_unable && step.is_enabled_by(&spot.future, with_end)
                || spot.future.offers.meets(&step.later)
                // Whether the other goes on in one action depends on what is offered here by then.
                || is_able && spot.future.later.meets(&own.future.offers)
            {
                wanted.push(other);
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
                // Whoever takes part belongs to the group; anything else would be a mistake.
                if !known.first.iter().all(|part| self.inside[part.slot as usize]) {
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
