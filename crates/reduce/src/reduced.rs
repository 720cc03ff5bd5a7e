//! The wrapper.

use std::fmt;

use fairly_model::{Forgotten, Strip, native::Part};
use fairly_omega::{StateId, Stop};
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, Growth, Interrupt, MoveId, Packed, Run, RunStep, Signature,
    Transition, TransitionSystem,
};
use hashbrown::HashMap;

use crate::ample::Ample;
use crate::room::{MOST_PROCESSES, Starts};
use crate::skeleton::Skeleton;
use crate::symmetry::{Asymmetric, Exchanged, Kind, Permutation, Symmetry};
use crate::watched::Watched;

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Which of the kinds that can be in its slot.
    pub variant: u32,
    /// Its location.
    pub location: u32,
}

/// Why a system cannot be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuited {
    /// What its processes do is only worked out as they do it.
    Open,
    /// Some actions go before others.
    Priorities,
    /// A proposition asks whether the system has come to a stop.
    Stuck,
    /// There is nothing to leave out.
    Nothing,
    /// The system is of a kind that nothing is known of.
    Unknown,
    /// It has too many steps to compare them all.
    Large,
    /// The time was up before it was known.
    Stopped,
}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsuited::Open => "what the processes can do is only known once they do it",
            Unsuited::Priorities => "atomic actions go before others",
            Unsuited::Stuck => "the property asks whether the system has come to a stop",
            Unsuited::Nothing => "no step can be left out",
            Unsuited::Large => "the model has too many steps to compare them all",
            Unsuited::Stopped => "the time was up while steps were compared",
            Unsuited::Unknown => {
                "nothing is known of what the processes have to do with each other"
            }
        })
    }
}

/// A system of processes whose steps can be left out before what they lead to is stored. A system that
/// says nothing of its processes is never reduced.
pub trait Reducible: TransitionSystem {
    /// Says when to give up what has to be worked out before a system can be reduced.
    fn heed(&mut self, _stop: Stop) {}

    /// What its processes are made of, with the steps marked that may be followed alone.
    ///
    /// # Errors
    /// When no reduction is known to be sound.
    fn skeleton(&self, _watched: &Watched) -> Result<Skeleton, Unsuited> {
        Err(Unsuited::Unknown)
    }

    /// Works out what is enabled in a state; `false` if the system has no steps there because
    /// something went wrong in the step to it.
    fn look(&mut self, _state: StateId) -> bool {
        false
    }

    /// The actions enabled in the state that was looked at last.
    fn pending(&self) -> &[ActionId] {
        &[]
    }

    /// Whether something goes wrong in one of them, by position.
    fn is_faulty(&self, _at: usize) -> bool {
        false
    }

    /// Where each process is in the state that was looked at last.
    fn positions(&self, out: &mut Vec<Option<Position>>) {
        out.clear();
    }

    /// A value in the state that was looked at last.
    fn value(&self, strip: &Strip) -> i64 {
        strip.base
    }

    /// The step behind a move.
    fn part(&self, _id: MoveId) -> Option<Part> {
        None
    }

    /// Appends the transitions of the state that was looked at last, all or those to be kept, by
    /// position. What the others lead to is not stored.
    fn follow(&mut self, _state: StateId, _keep: Option<&[bool]>, _out: &mut Vec<Transition>) {}

    /// Which processes can be exchanged without a difference to what is watched.
    ///
    /// # Errors
    /// When there are none, or none are known.
    fn symmetry(&self, _watched: &Watched) -> Result<Symmetry, Asymmetric> {
        Err(Asymmetric::Unknown)
    }

    /// As [`look`](Reducible::look), with one of the steps that are the same up to an exchange.
    fn look_up_to(&mut self, _state: StateId, _symmetry: &mut Symmetry) -> bool {
        false
    }

    /// Whether a process goes on alone for ever in the state that was looked at last, or may do so after a
    /// step out of it. Such a step disables all others for ever, and nothing can be left out beside it.
    fn diverges(&self) -> bool {
        false
    }

    /// The state that stands for a state.
    fn canonical(&mut self, state: StateId, _symmetry: &mut Symmetry) -> StateId {
        state
    }

    /// From now on forgets variables that are dead, but for what is watched; whether there are any.
    fn forget(&mut self, _watched: &Watched) -> bool {
        false
    }

    /// Forgets nothing any more.
    fn remember(&mut self) {}

    /// How much has been forgotten.
    fn forgotten(&self) -> Option<Forgotten> {
        None
    }

    /// The state in which all is forgotten that is dead in a state.
    fn without_dead(&mut self, state: StateId) -> StateId {
        state
    }

    /// From now on merges steps that neither what is watched nor other processes can tell from nothing
    /// into those before them; how many locations processes then pass.
    fn merge(&mut self, _watched: &Watched) -> usize {
        0
    }

    /// Merges nothing any more.
    fn unmerge(&mut self) {}

    /// How many locations processes pass now.
    fn merged(&self) -> usize {
        0
    }

    /// The transitions of a state with nothing being forgotten or merged.
    fn enabled_as_it_is(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.enabled(state, out);
    }

    /// The next of the transitions that are merged into the one that led to a state, with nothing being
    /// forgotten or merged; `None` if no process is on its way there.
    fn passed(&mut self, _state: StateId) -> Option<Transition> {
        None
    }

    /// How many exchanges leave the initial state as it is: about as many states as one may stand for.
    fn exchanges_at_start(&mut self, symmetry: &mut Symmetry) -> u64 {
        symmetry.orbit()
    }

    /// The same system as one whose states are rows, if it is.
    fn packed(&mut self) -> Option<&mut dyn Packed> {
        None
    }

    /// The state with its processes exchanged.
    fn exchanged(
        &mut self,
        state: StateId,
        _symmetry: &mut Symmetry,
        _moved: &Permutation,
    ) -> StateId {
        state
    }
}

/// States after which a reduction is given up that has not left out anything.
const ENOUGH: usize = 4096;

/// Times that a cycle is gone round to find one of the system: exchanges may have to be repeated until
/// every process is back where it was.
const LAPS: usize = 1000;

/// Times that a cycle is gone round before it may close but for values that nothing depends on.
const EXACT_LAPS: usize = 8;

/// Why there is no run of the system behind one of the reduced system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It would be very long.
    Long,
    /// The system has no step like the one at this position, or does not start so: it was not reduced as it
    /// should have been, which is a bug.
    Step(usize),
}

/// How much has been left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// States whose transitions were asked for, as often as they were.
    pub states: usize,
    /// Those of them in which transitions were left out.
    pub reduced: usize,
    /// Those of these in which one is followed that a constraint could tell: one that changes a demand
    /// that lasts.
    pub early: usize,
    /// Actions that were enabled in all of them.
    pub enabled: usize,
    /// Those of them that were followed.
    pub followed: usize,
}

impl Saved {
    /// Actions that were not followed.
    pub fn left_out(&self) -> usize {
        self.enabled - self.followed
    }
}

/// A system in which only ample sets are followed, or one state stands for all that are the same up to an
/// exchange of processes, or all of it; and in which variables that are dead may be forgotten.
pub struct Reduced<'a, S: Reducible> {
    system: &'a mut S,
    forgets: bool,
    /// Locations that processes pass.
    merged: usize,
    ample: Option<Ample>,
    symmetry: Option<Symmetry>,
    /// Where exchanges are followed: the steps of a state, and what is exchanged after each.
    exchanges: HashMap<StateId, Vec<(Transition, Exchanged)>>,
    /// What was left out of the state that was asked for last.
    left_out: Vec<ActionId>,
    last: Option<StateId>,
    saved: Saved,
    /// Where nobody can tell in which slot a process is: the starts of processes.
    starts: Option<Starts>,
}

/// The system inside is as it was again.
impl<S: Reducible> Drop for Reduced<'_, S> {
    fn drop(&mut self) {
        if self.merged > 0 {
            self.system.unmerge();
        }
        if self.forgets {
            self.system.remember();
        }
    }
}

impl<'a, S: Reducible> Reduced<'a, S> {
    /// A system reduced for what is watched.
    ///
    /// # Errors
    /// When no reduction is known to be sound, or nothing could be left out.
    pub fn new(system: &'a mut S, watched: &Watched) -> Result<Self, Unsuited> {
        let skeleton = system.skeleton(watched)?;
        if !skeleton.is_reducible() {
            return Err(Unsuited::Nothing);
        }
        Ok(Reduced::with(system, skeleton, watched.clone()))
    }

    /// A system reduced for what is watched, given its skeleton for that.
    pub fn with(system: &'a mut S, skeleton: Skeleton, watched: Watched) -> Self {
        let mut reduced = Reduced::whole(system);
        let ample = Ample::new(skeleton, watched);
        if ample.is_anonymous() {
            let mut positions = Vec::new();
            let initial = reduced.system.initial();
            if initial.first().is_some_and(|&state| reduced.system.look(state)) {
                reduced.system.positions(&mut positions);
            }
            reduced.starts = Some(Starts::new(positions.iter().flatten().count()));
        }
        reduced.ample = Some(ample);
        reduced
    }

    /// A system in which processes are exchanged.
    pub fn up_to(system: &'a mut S, symmetry: Symmetry) -> Self {
        let mut reduced = Reduced::whole(system);
        reduced.symmetry = Some(symmetry);
        reduced
    }

    /// The whole system, as it is. What has been [merged](Reducible::merge) in it before is so as long as
    /// this is there.
    pub fn whole(system: &'a mut S) -> Self {
        Reduced {
            merged: system.merged(),
            system,
            forgets: false,
            ample: None,
            symmetry: None,
            exchanges: HashMap::new(),
            left_out: Vec::new(),
            last: None,
            saved: Saved::default(),
            starts: None,
        }
    }

    /// The same, with variables forgotten that are dead and not watched; unless processes are followed
    /// through their exchanges.
    #[must_use]
    pub fn forgetting(mut self, watched: &Watched) -> Self {
        if !self.remembers_exchanges() {
            self.forgets = self.system.forget(watched);
        }
        self
    }

    /// How much has been forgotten so far, if anything is.
    pub fn forgotten(&self) -> Option<Forgotten> {
        self.system.forgotten().filter(|_| self.forgets)
    }

    /// Why more processes may be there at a time than there is room for, if they may, although none of the
    /// states that were asked for has too many.
    pub fn lacks_room(&self) -> Option<String> {
        let starts = self.starts.as_ref().filter(|_| self.saved.reduced > 0)?;
        let message = || format!("more than {MOST_PROCESSES} processes may be there at a time");
        starts.are_too_many().then(message)
    }

    /// How many locations processes pass because the steps there are merged into those before.
    pub fn merged(&self) -> usize {
        self.merged
    }

    /// Whether no step is left out and no state stands for others, but for what is forgotten and merged.
    pub fn is_whole(&self) -> bool {
        self.ample.is_none() && self.symmetry.is_none()
    }

    /// What is exchanged, if anything is.
    pub fn symmetry(&self) -> Option<&Symmetry> {
        self.symmetry.as_ref()
    }

    /// The system inside.
    pub fn inner(&self) -> &S {
        self.system
    }

    /// The system inside as one whose states are rows: all of its steps, with what is forgotten and merged.
    pub fn packed(&mut self) -> Option<&mut dyn Packed> {
        self.system.packed()
    }

    /// The run of the system behind a finite one of what is [packed](Reduced::packed): nothing was left out
    /// and nobody was exchanged there, but things may have been forgotten and merged.
    ///
    /// # Errors
    /// As [`lift`](Reduced::lift).
    pub fn lift_packed(
        &mut self,
        start: StateId,
        steps: &[RunStep],
    ) -> Result<(StateId, Vec<RunStep>), Lost> {
        let symmetry = self.symmetry.take();
        let lifted = if self.is_same() {
            Ok((start, steps.to_vec()))
        } else {
            // The first state is as it is, so what is dead there may still be remembered after it.
            let steps = steps.iter().map(|step| {
                let to = match self.system.fault(step.to) {
                    Some(_) => step.to,
                    None => self.standing_for(step.to),
                };
                RunStep { to, ..*step }
            });
            let steps: Vec<RunStep> = steps.collect();
            self.lift_from(start, &steps).map(|steps| (start, steps))
        };
        self.symmetry = symmetry;
        lifted
    }

    /// How much has been left out so far.
    pub fn saved(&self) -> Saved {
        self.saved
    }

    /// The run of the system behind a run of the reduced system: the processes that stand for others
    /// are followed through the exchanges, what was forgotten is remembered, and steps that were merged are
    /// taken one by one.
    ///
    /// A cycle may have to be gone round again: exchanges until every process is back where it was, what
    /// was forgotten once, since from then on it is what the cycle makes of it.
    ///
    /// # Errors
    /// When it would be very long, or is not found, which is a bug; so for all runs.
    pub fn lift(&mut self, run: Run) -> Result<Run, Lost> {
        if self.is_same() {
            return Ok(run);
        }
        if self.remembers_exchanges() {
            let (stem, cycle) = (self.with_exchanges(&run.stem)?, self.with_exchanges(&run.cycle)?);
            return self.lift_followed(&stem, &cycle);
        }
        let start = run.stem.first().or(run.cycle.first()).map(|step| step.from);
        let start = start.ok_or(Lost::Step(0))?;
        let stem = self.lift_steps(start, &run.stem)?;
        let at = match stem.last() {
            Some(step) => step.to,
            None => self.start_of(start).ok_or(Lost::Step(0))?,
        };
        self.in_laps(stem, at, |this, at| this.lift_from(at, &run.cycle))
    }

    /// The run that goes on in a state, lap by lap, until it is back where it was.
    fn in_laps(
        &mut self,
        mut stem: Vec<RunStep>,
        mut at: StateId,
        mut lap_from: impl FnMut(&mut Self, StateId) -> Result<Vec<RunStep>, Lost>,
    ) -> Result<Run, Lost> {
        let mut laps: Vec<Vec<RunStep>> = Vec::new();
        for _ in 0..LAPS {
            let is_back = |lap: &Vec<RunStep>| lap[0].from == at;
            let mut back = laps.iter().position(is_back);
            // What nothing depends on may be another value in every lap. A cycle that closes altogether after a
            // few is better to read.
            if back.is_none() && laps.len() >= EXACT_LAPS && self.forgets {
                let ends = laps.iter().skip(1).map(|lap| lap[0].from).chain([at]);
                let ends: Vec<StateId> = ends.collect();
                let is_alike = |(lap, &end): (&Vec<RunStep>, &StateId)| {
                    self.system.has_same_future(lap[0].from, end)
                };
                back = laps.iter().zip(&ends).position(is_alike);
                laps.truncate(back.map_or(laps.len(), |first| first + 1));
            }
            if let Some(first) = back {
                let cycle = laps.split_off(first).concat();
                stem.extend(laps.concat());
                return Ok(Run { stem, cycle }.folded());
            }
            let lap = lap_from(self, at)?;
            at = lap.last().ok_or(Lost::Step(stem.len()))?.to;
            laps.push(lap);
        }
        Err(Lost::Long)
    }

    /// The same for a finite run that starts in a state.
    ///
    /// # Errors
    /// As [`lift`](Reduced::lift).
    pub fn lift_steps(&mut self, start: StateId, steps: &[RunStep]) -> Result<Vec<RunStep>, Lost> {
        if self.is_same() {
            return Ok(steps.to_vec());
        }
        if self.remembers_exchanges() {
            let steps = self.with_exchanges(steps)?;
            let (mut at, mut really) = self.begin(start)?;
            return self.lift_along(&mut at, &mut really, &steps);
        }
        let start = self.start_of(start).ok_or(Lost::Step(0))?;
        self.lift_from(start, steps)
    }

    /// Whether processes are followed through their exchanges. Nothing is forgotten then.
    fn remembers_exchanges(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Symmetry::remembers)
    }

    /// Whether runs of the reduced system are runs of the system.
    fn is_same(&self) -> bool {
        self.symmetry.is_none() && !self.forgets && self.merged == 0
    }

    /// The initial state that a state stands for.
    pub fn start_of(&mut self, state: StateId) -> Option<StateId> {
        if self.is_same() {
            return Some(state);
        }
        self.system.initial().into_iter().find(|&it| self.standing_for(it) == state)
    }

    /// What is exchanged after each of these steps of a state whose steps have been asked for. `None` if a
    /// step does not tell.
    pub fn exchanges(&self, state: StateId, steps: &[Transition]) -> Option<Vec<Exchanged>> {
        let known = self.exchanges.get(&state).map_or(&[][..], Vec::as_slice);
        let exchanged = |step: &Transition| {
            // Nothing follows an error, and whoever looks again finds another state for it.
            if step.action == ActionId::IDLE || self.system.fault(step.target).is_some() {
                return Some(Exchanged::default());
            }
            let mut same = known.iter().filter(|(other, _)| other == step);
            let first = same.next()?.1;
            same.all(|(_, other)| *other == first).then_some(first)
        };
        steps.iter().map(exchanged).collect()
    }

    /// The run of the system behind one of the reduced system, as [`lift`](Reduced::lift), with every
    /// process followed through the exchanges.
    ///
    /// # Errors
    /// As there.
    pub fn lift_followed(
        &mut self,
        stem: &[(RunStep, Exchanged)],
        cycle: &[(RunStep, Exchanged)],
    ) -> Result<Run, Lost> {
        let first = stem.first().or(cycle.first()).ok_or(Lost::Step(0))?.0.from;
        let (mut at, mut really) = self.begin(first)?;
        let stem = self.lift_along(&mut at, &mut really, stem)?;
        self.in_laps(stem, at, |this, _| this.lift_along(&mut at, &mut really, cycle))
    }

    /// The initial state that a state stands for, and where the processes of the latter really are.
    fn begin(&mut self, state: StateId) -> Result<(StateId, Permutation), Lost> {
        let initial = self.start_of(state).ok_or(Lost::Step(0))?;
        let symmetry = self.symmetry.as_ref().ok_or(Lost::Step(0))?;
        Ok((initial, symmetry.permutation(symmetry.last_exchange()).inverse()))
    }

    /// Steps of the reduced system with what is exchanged after each. Where a step has several exchanges, it
    /// stands for several of the system, and any of them will do.
    fn with_exchanges(&self, steps: &[RunStep]) -> Result<Vec<(RunStep, Exchanged)>, Lost> {
        let exchanged = |(at, step): (usize, &RunStep)| {
            let taken = Transition { target: step.to, action: step.action };
            let known = self.exchanges.get(&step.from).map_or(&[][..], Vec::as_slice);
            let found = known.iter().find(|(other, _)| *other == taken);
            let found = found.map(|(_, exchanged)| *exchanged);
            let told = || Some(self.exchanges(step.from, &[taken])?[0]);
            Ok((*step, found.or_else(told).ok_or(Lost::Step(at))?))
        };
        steps.iter().enumerate().map(exchanged).collect()
    }

    fn lift_along(
        &mut self,
        at: &mut StateId,
        really: &mut Permutation,
        steps: &[(RunStep, Exchanged)],
    ) -> Result<Vec<RunStep>, Lost> {
        let symmetry = self.symmetry.as_mut().ok_or(Lost::Step(0))?;
        let system = &mut *self.system;
        let (mut lifted, mut out) = (Vec::new(), Vec::new());
        for (position, (step, exchanged)) in steps.iter().enumerate() {
            if step.action == ActionId::IDLE {
                lifted.push(RunStep { from: *at, action: step.action, to: *at });
                continue;
            }
            let kind = |system: &S, symmetry: &Symmetry, action: ActionId, moved: &Permutation| {
                let slot_of = |id: MoveId| system.signature().moves[id.index()].process.index();
                symmetry.exact_kind(system.action(action), moved, slot_of, |id| system.part(id))
            };
            let nobody = Permutation::identity(system.signature().processes.len());
            let wanted = kind(system, symmetry, step.action, really);
            let then = symmetry.permutation(*exchanged).inverse().then(really);
            let fault = system.fault(step.to).cloned();
            let target = match &fault {
                Some(_) => step.to,
                None => system.exchanged(step.to, symmetry, &then),
            };
            out.clear();
            system.enabled_as_it_is(*at, &mut out);
            let found = out.iter().find_map(|transition| {
                if kind(system, symmetry, transition.action, &nobody) != wanted {
                    return None;
                }
                let steps = Self::at_rest(system, *at, *transition);
                let end = steps.last()?.to;
                let is_same = match &fault {
                    Some(fault) => is_same_error(system.fault(end), fault),
                    None => end == target,
                };
                is_same.then_some(steps)
            });
            let found = found.ok_or(Lost::Step(position))?;
            (*at, *really) = (found.last().ok_or(Lost::Step(position))?.to, then);
            lifted.extend(found);
        }
        Ok(lifted)
    }

    fn lift_from(&mut self, start: StateId, steps: &[RunStep]) -> Result<Vec<RunStep>, Lost> {
        let (mut at, mut lifted, mut out) = (start, Vec::new(), Vec::new());
        for (position, step) in steps.iter().enumerate() {
            if step.action == ActionId::IDLE {
                lifted.push(RunStep { from: at, action: step.action, to: at });
                continue;
            }
            let wanted = self.kind(step.action);
            out.clear();
            self.system.enabled_as_it_is(at, &mut out);
            let found = out.iter().find_map(|transition| {
                if self.kind(transition.action) != wanted {
                    return None;
                }
                let steps = Self::at_rest(self.system, at, *transition);
                let end = steps.last()?.to;
                let is_same = match self.system.fault(step.to) {
                    Some(fault) => is_same_error(self.system.fault(end), fault),
                    None => self.standing_for(end) == step.to,
                };
                is_same.then_some(steps)
            });
            let found = found.ok_or(Lost::Step(position))?;
            at = found.last().ok_or(Lost::Step(position))?.to;
            lifted.extend(found);
        }
        Ok(lifted)
    }

    /// A step of the system, and those that are merged into it.
    fn at_rest(system: &mut S, from: StateId, step: Transition) -> Vec<RunStep> {
        let mut steps = vec![RunStep { from, action: step.action, to: step.target }];
        let mut at = step.target;
        while let Some(step) = system.passed(at) {
            steps.push(RunStep { from: at, action: step.action, to: step.target });
            at = step.target;
        }
        steps
    }

    /// What an action is in the reduced system: itself, or what it is up to an exchange.
    fn kind(&self, action: ActionId) -> Result<ActionId, Kind> {
        let Some(symmetry) = &self.symmetry else { return Ok(action) };
        let system = &*self.system;
        let slot_of = |id: MoveId| system.signature().moves[id.index()].process.index();
        Err(symmetry.kind(system.action(action), slot_of, |id| system.part(id)))
    }

    /// The state that stands for a state, with all forgotten that is dead there.
    fn standing_for(&mut self, state: StateId) -> StateId {
        let state = if self.forgets { self.system.without_dead(state) } else { state };
        match &mut self.symmetry {
            Some(symmetry) => self.system.canonical(state, symmetry),
            None => state,
        }
    }

    fn expand(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if let Some(symmetry) = &mut self.symmetry {
            let before = out.len();
            if self.system.look_up_to(state, symmetry) {
                self.system.follow(state, None, out);
            }
            if symmetry.remembers() {
                let exchanges = symmetry.exchanges().iter().copied();
                let steps = out[before..].iter().copied().zip(exchanges).collect();
                self.exchanges.insert(state, steps);
            }
            return;
        }
        // As long as nothing has been left out, nobody can tell whether anything might have been.
        if self.saved.reduced == 0 && self.saved.states == ENOUGH {
            self.ample = None;
        }
        let Some(ample) = &mut self.ample else { return self.system.enabled(state, out) };
        self.left_out.clear();
        self.last = Some(state);
        if !self.system.look(state) {
            return;
        }
        let is_chosen = !self.system.diverges() && ample.choose(self.system);
        let keep = is_chosen.then(|| ample.chosen());
        let enabled = self.system.pending().len();
        self.saved.states += 1;
        self.saved.enabled += enabled;
        if let Some(keep) = keep {
            let pending = self.system.pending().iter().zip(keep);
            self.left_out.extend(pending.filter(|(_, kept)| !**kept).map(|(&action, _)| action));
            self.saved.reduced += 1;
            self.saved.early += usize::from(ample.is_early());
        }
        self.saved.followed += enabled - self.left_out.len();
        let before = out.len();
        self.system.follow(state, keep, out);
        if let Some(starts) = &mut self.starts {
            let system = &*self.system;
            let steps = out[before..].iter();
            let steps = steps.map(|step| (step.target, ample.starts(system, step.action)));
            starts.note(state, steps);
        }
    }
}

/// Whether the same goes wrong at the same place. What is said of it may name a process, and so differ where
/// processes are exchanged.
fn is_same_error(here: Option<&Fault>, there: &Fault) -> bool {
    here.is_some_and(|here| here.kind == there.kind && here.span == there.span)
}

impl<S: Reducible> TransitionSystem for Reduced<'_, S> {
    fn signature(&self) -> &Signature {
        self.system.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        let mut initial = self.system.initial();
        if !self.is_same() {
            initial.iter_mut().for_each(|state| *state = self.standing_for(*state));
            initial.sort_unstable();
            initial.dedup();
        }
        initial
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.expand(state, out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        if self.is_whole() {
            return self.system.enabled_in_all(states, out, ends);
        }
        for &state in states {
            self.expand(state, out);
            ends.push(out.len());
        }
    }

    fn left_out(&mut self, state: StateId, out: &mut Vec<ActionId>) {
        if self.is_whole() {
            return self.system.left_out(state, out);
        }
        self.system.left_out(state, out);
        // What stands for others is all the same to what is watched.
        if self.symmetry.is_some() {
            return;
        }
        if self.last != Some(state) {
            self.expand(state, &mut Vec::new());
        }
        out.extend_from_slice(&self.left_out);
    }

    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        self.system.has_same_future(one, other)
    }

    fn interrupt(&mut self, stop: Option<Interrupt>) {
        self.system.interrupt(stop);
    }

    fn is_committed(&mut self, state: StateId) -> bool {
        self.system.is_committed(state)
    }

    fn action(&self, action: ActionId) -> &Action {
        self.system.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.system.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.system.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.system.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.system.describe(state)
    }

    fn growth(&self) -> Option<Growth> {
        self.system.growth()
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.system.fault(state)
    }

    fn bytes(&self) -> usize {
        let steps = self.exchanges.values().map(Vec::capacity).sum::<usize>();
        let starts = self.starts.as_ref().map_or(0, Starts::bytes);
        self.system.bytes() + starts + steps * size_of::<(Transition, Exchanged)>()
    }
}
