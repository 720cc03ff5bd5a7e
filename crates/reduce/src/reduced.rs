//! A system as a question about it searches it, and the way back.

use std::fmt;
use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_model::{DeadResets, DeadValues, Expr, Passed, ResettingDead};
use fairly_omega::{StateId, Stop};
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, Growth, MoveId, Packed, Run, RunStep, Scratch, Sequences,
    Signature, Space, Steps, Transition, TransitionSystem,
};
use hashbrown::HashMap;

use crate::ample::{Ample, Saved};
use crate::base::Base;
use crate::printed::{Figure3, Printed};
use crate::quotient::Quotient;
use crate::room::{MOST_PROCESSES, Starts};
use crate::skeleton::Skeleton;
use crate::symmetry::{Asymmetric, ExactKind, Kind, Permutation, PermutationId, Symmetry};
use crate::watched::Watched;

/// Why a system cannot be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuited {
    /// Its processes are only worked out while they are explored.
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

/// A system that questions are asked about. What is searched in its place has states with numbers of its own; runs
/// are led back to this one, as it was written. A system without a [base](Reducible::base) is never reduced.
pub trait Reducible: TransitionSystem {
    /// Says when to give up what has to be worked out before a system can be reduced.
    fn heed(&mut self, _stop: Stop) {}

    /// The spaces that can be searched in place of the system, before anything is left out.
    fn base(&self) -> Option<Base> {
        None
    }

    /// The same with steps merged that neither what is watched nor other processes can tell from nothing;
    /// `None` if there are none.
    fn merged(&mut self, _watched: &Watched) -> Option<Base> {
        None
    }

    /// The row of a state; `None` if something went wrong in the step to it.
    fn own_row(&self, _state: StateId) -> Option<Vec<u64>> {
        None
    }

    /// Says that nothing is asked of states from now on but the values of these expressions: see
    /// [`TransitionSystem::has_same_future`].
    fn ask(&mut self, _seen: Vec<Expr>) {}

    /// Takes note that no run comes to an error. If all states of a space are given that show it, so does what
    /// these propositions are there, all of which were watched.
    fn learn_that_nothing_fails(
        &mut self,
        _explored: Option<&Explored<dyn Space>>,
        _watched: &[AtomIndex],
    ) {
    }

    /// Makes another system of the same space, whose states have numbers of their own: for a question that another
    /// thread asks at the same time. `None` if there is none.
    fn fork(&self) -> Option<Fork<Self>>
    where
        Self: Sized,
    {
        None
    }
}

/// Makes a system in the thread that asks it.
pub type Fork<S> = Box<dyn FnOnce() -> S + Send>;

/// Times that a cycle is gone round to find one of the system: permutations may have to be repeated until
/// every process is back where it was.
const LAPS: usize = 1000;

/// Times that a cycle is gone round before it may close but for values that nothing depends on.
const EXACT_LAPS: usize = 8;

/// Steps of a run between two questions whether to stop.
const ASKED: usize = 1 << 10;

/// Why there is no run of the system behind one of the reduced system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiftError {
    /// It would be very long.
    Long,
    /// The system has no step like the one at this position, or does not start so: it was not reduced as it
    /// should have been, which is a bug.
    Step(usize),
    /// It was time to stop before the last step.
    Stopped,
}

/// A system as a question searches it: with statements merged, dead variables reset, only ample sets followed
/// or one state for all that are the same up to a permutation of processes; or the system itself.
pub struct Reduced<'a, S: Reducible> {
    system: &'a mut S,
    /// Space that is searched, before anything is left out of it; none if it is the system itself.
    base: Option<Base>,
    stop: Stop,
    reset_dead: Option<Arc<DeadValues>>,
    resetting_dead: Option<Arc<ResettingDead<Arc<dyn Sequences>>>>,
    ample: Option<Arc<Ample<Arc<dyn Space>>>>,
    printed: Option<Arc<Printed<Arc<dyn Space>>>>,
    quotient: Option<Arc<Quotient<Arc<dyn Space>>>>,
    /// Of the quotient, with numbers for permutations.
    symmetry: Option<Symmetry>,
    /// Memory to ask the quotient with.
    scratch: Option<Scratch>,
    /// The states of what is searched, if it is not the system itself.
    explored: Option<Explored<dyn Space>>,
    /// The same with all steps and without permutations, for searches that go from row to row.
    whole: Option<Explored<dyn Space>>,
    /// Where permutations are followed: the steps of a state, and what is permuted after each.
    permutations: HashMap<StateId, Vec<(Transition, PermutationId)>>,
    /// Where slots of processes cannot be told apart: the starts of processes.
    starts: Option<Starts>,
    /// Whether several workers have met every state, and no fault.
    meets_no_fault: bool,
}

/// The steps of a base with atomic sequences as single steps.
pub(crate) fn collapsed(space: Arc<dyn Sequences>) -> Arc<dyn Space> {
    match space.may_hold() {
        true => Arc::new(Collapsed::new(space)),
        false => space,
    }
}

impl<'a, S: Reducible> Reduced<'a, S> {
    /// A system reduced for what is watched.
    ///
    /// # Errors
    /// When no reduction is known to be sound, or nothing could be left out.
    pub fn new(system: &'a mut S, watched: &Watched) -> Result<Self, Unsuited> {
        let reduced = Reduced::whole(system);
        let skeleton = reduced.skeleton(watched)?;
        if !skeleton.is_reducible() {
            return Err(Unsuited::Nothing);
        }
        Ok(reduced.with(skeleton, watched.clone()))
    }

    /// The whole system, as it is.
    pub fn whole(system: &'a mut S) -> Self {
        Reduced {
            base: None,
            stop: Stop::default(),
            system,
            reset_dead: None,
            resetting_dead: None,
            ample: None,
            printed: None,
            quotient: None,
            symmetry: None,
            scratch: None,
            explored: None,
            whole: None,
            permutations: HashMap::new(),
            starts: None,
            meets_no_fault: false,
        }
    }

    /// The same, with steps merged that neither what is watched nor other processes can tell from nothing.
    #[must_use]
    pub fn merging(mut self, watched: &Watched) -> Self {
        if let Some(base) = self.system.merged(watched) {
            self.base = Some(base);
            self.build();
        }
        self
    }

    /// The same, giving up what takes long to work out at some time.
    #[must_use]
    pub fn heeding(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self.system.heed(stop);
        self
    }

    /// The same, leaving out what nothing that is watched can tell, given the skeleton for that.
    #[must_use]
    pub fn with(mut self, skeleton: Skeleton, watched: Watched) -> Self {
        let Some(base) = self.base() else { return self };
        let is_anonymous = skeleton.anonymous;
        self.base = Some(base.clone());
        self.build();
        let Some(inner) = self.explored.as_ref().map(Explored::shared) else { return self };
        if is_anonymous {
            let mut first = Steps::default();
            inner.initial(&mut inner.scratch(), &mut first);
            let mut positions = Vec::new();
            if first.faults.is_empty() {
                base.processes().positions(&first.rows[..inner.width()], &mut positions);
            }
            self.starts = Some(Starts::new(positions.iter().flatten().count()));
        }
        let processes = Arc::clone(base.processes());
        let ample = Ample::new(inner, processes, Arc::new(skeleton), Arc::new(watched));
        self.ample = Some(Arc::new(ample));
        self.build();
        self
    }

    /// The tables for ample sets as a paper prints them.
    ///
    /// # Errors
    /// When nothing is known of the system.
    pub fn figure3(&self, watched: &Watched) -> Result<Figure3, Unsuited> {
        self.base().ok_or(Unsuited::Unknown)?.figure3(watched, self.stop)
    }

    /// Leaves out what the paper leaves out, whether or not there is a [flaw](Figure3::flaw).
    ///
    /// # Errors
    /// When it is time to stop, or the graph has too many states.
    pub fn follow_as_printed(&mut self, figure: &Figure3) -> Result<(), Unsuited> {
        let base = self.base().ok_or(Unsuited::Unknown)?;
        let whole = collapsed(Arc::clone(base.space()));
        let printed = Printed::new(whole, &**base.processes(), figure, self.stop)?;
        self.printed = Some(Arc::new(printed));
        self.base = Some(base);
        self.build();
        Ok(())
    }

    /// The same with processes permuted.
    #[must_use]
    pub fn up_to(mut self, symmetry: Symmetry) -> Self {
        let Some(base) = self.base() else { return self };
        self.base = Some(base);
        self.symmetry = Some(symmetry);
        self.build();
        self
    }

    /// The same, with variables reset that are dead and not watched; unless processes are followed
    /// through their permutations.
    #[must_use]
    pub fn resetting_dead(mut self, watched: &Watched) -> Self {
        let Some(base) = self.base().filter(|_| !self.remembers_permutations()) else {
            return self;
        };
        let Some(model) = base.model() else { return self };
        let seen = base.seen(watched);
        let reset_dead = DeadValues::dead(model, &seen);
        self.system.ask(seen);
        if let Some(reset_dead) = reset_dead {
            self.reset_dead = Some(Arc::new(reset_dead));
            self.base = Some(base);
            self.build();
        }
        self
    }

    /// Puts the spaces together.
    fn build(&mut self) {
        let Some(base) = &self.base else { return };
        let mut space = Arc::clone(base.space());
        if let (Some(reset_dead), Some(model)) = (&self.reset_dead, base.model()) {
            let resetting_dead =
                ResettingDead::new(space, Arc::clone(model), Arc::clone(reset_dead));
            let resetting_dead = Arc::new(resetting_dead);
            space = Arc::clone(&resetting_dead) as Arc<dyn Sequences>;
            self.resetting_dead = Some(resetting_dead);
        }
        let whole = collapsed(space);
        let mut searched = Arc::clone(&whole);
        if let Some(ample) = &self.ample {
            let ample = Arc::new(ample.around(Arc::clone(&whole)));
            self.ample = Some(Arc::clone(&ample));
            searched = ample;
        } else if let Some(printed) = &self.printed {
            searched = Arc::clone(printed) as Arc<dyn Space>;
        } else if let Some(symmetry) = &self.symmetry {
            let quotient = Arc::new(Quotient::new(Arc::clone(&whole), symmetry.clone()));
            self.scratch = Some(quotient.scratch());
            self.quotient = Some(Arc::clone(&quotient));
            searched = quotient;
        }
        self.explored = Some(Explored::of(searched));
        self.whole = Some(Explored::of(whole));
    }

    /// The base of what is searched, or of the system.
    fn base(&self) -> Option<Base> {
        self.base.clone().or_else(|| self.system.base())
    }

    /// Parts of the processes, with the steps marked that may be followed alone.
    ///
    /// # Errors
    /// When no reduction is known to be sound.
    pub fn skeleton(&self, watched: &Watched) -> Result<Skeleton, Unsuited> {
        self.base().ok_or(Unsuited::Unknown)?.skeleton(watched, self.stop)
    }

    /// Which processes can be permuted without a difference to what is watched.
    ///
    /// # Errors
    /// When there are none, or none are known.
    pub fn find_symmetry(&self, watched: &Watched) -> Result<Symmetry, Asymmetric> {
        self.base().ok_or(Asymmetric::Unknown)?.symmetry(watched, self.stop)
    }

    /// How many permutations leave the initial state as it is: about as many states as one may stand for.
    pub fn permutations_at_start(&mut self, symmetry: &mut Symmetry) -> u64 {
        match self.system.initial().as_slice() {
            &[start] => match self.system.own_row(start) {
                Some(row) => symmetry.permutations_of(&row),
                None => symmetry.orbit(),
            },
            _ => symmetry.orbit(),
        }
    }

    /// How much has been reset so far, if anything is.
    pub fn dead_resets(&self) -> Option<DeadResets> {
        self.resetting_dead.as_ref().map(|resetting_dead| resetting_dead.dead_resets())
    }

    /// Why more processes may be there at a time than there is room for, if they may, although none of the
    /// states that were asked for has too many; or that there was no time to know.
    pub fn lacks_room(&self) -> Option<String> {
        let starts = self.starts.as_ref().filter(|_| self.saved().reduced > 0)?;
        match starts.are_too_many(self.stop) {
            Some(false) => None,
            Some(true) => {
                Some(format!("more than {MOST_PROCESSES} processes may be there at a time"))
            }
            None => Some("how many processes may be there at a time was not known in time".into()),
        }
    }

    /// How many locations processes pass because the steps there are merged into those before.
    pub fn merged(&self) -> usize {
        self.passed().map_or(0, |passed| passed.count())
    }

    fn passed(&self) -> Option<&Arc<Passed>> {
        self.base.as_ref()?.passed()
    }

    /// Whether no step is left out and no state stands for others, but for what is reset and merged.
    pub fn is_whole(&self) -> bool {
        let keeps_all = self.quotient.is_none() && self.printed.is_none();
        keeps_all && self.ample.as_ref().is_none_or(|ample| ample.is_given_up())
    }

    /// The symmetry in use, if there is one.
    pub fn symmetry(&self) -> Option<&Symmetry> {
        self.symmetry.as_ref()
    }

    /// How many states of the system one state has stood for, on average.
    pub fn stood_for(&self) -> f64 {
        self.quotient.as_ref().map_or(1.0, |quotient| quotient.stood_for())
    }

    /// The system.
    pub fn inner(&self) -> &S {
        self.system
    }

    /// The system, where runs are led to.
    pub fn inner_mut(&mut self) -> &mut S {
        self.system
    }

    /// The row of a state of what is searched; `None` if something went wrong in the step to it.
    pub fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        match &self.explored {
            Some(explored) => explored.own_row(state),
            None => self.system.own_row(state),
        }
    }

    /// Takes note that several workers have met every state of what is searched, and no fault.
    pub fn learn_that_no_fault_is_met(&mut self) {
        self.meets_no_fault = true;
    }

    /// As [`finish`](Reduced::finish), after a search that was reduced so that no error is lost.
    pub fn finish_with_errors_kept(self, watched: &[AtomIndex]) {
        let explored = self.explored.as_ref().filter(|explored| explored.meets_no_fault());
        if self.meets_no_fault || explored.is_some() {
            // Some states that are left out or stand for others may have another value of a proposition.
            let every = explored.filter(|_| self.is_whole());
            self.system.learn_that_nothing_fails(every, watched);
        }
    }

    /// Tells the system what the search has shown of it. The reductions kept the values of the propositions that
    /// were watched, so these are evaluated in the states that were met.
    pub fn finish(self, watched: &[AtomIndex]) {
        let explored = self.explored.as_ref();
        let every = explored.filter(|explored| explored.is_known_to_be_faultless());
        // Ample sets that leave nothing out make no difference.
        if every.is_some() && self.quotient.is_none() {
            self.system.learn_that_nothing_fails(every, watched);
        }
    }

    /// Space that is searched, for several workers at once; `None` if something is noted of each state that only a search
    /// by one can.
    pub fn shared(&mut self) -> Option<Arc<dyn Space>> {
        if self.starts.is_some() || self.remembers_permutations() {
            return None;
        }
        if self.explored.is_none() {
            self.base = Some(self.base()?);
            self.build();
        }
        self.explored.as_ref().map(Explored::shared)
    }

    /// The number of a row of what is searched, once it is [shared](Reduced::shared).
    pub fn number(&mut self, row: &[u64]) -> Option<StateId> {
        Some(self.explored.as_mut()?.number(row))
    }

    /// Space that is searched as rows: all of its steps, with variables reset and statements merged.
    pub fn packed(&mut self) -> Option<&mut dyn Packed> {
        if self.whole.is_none() {
            let base = self.base()?;
            self.whole = Some(Explored::of(collapsed(Arc::clone(base.space()))));
        }
        self.whole.as_mut().map(|whole| whole as &mut dyn Packed)
    }

    /// The run of the system behind a finite one of the [packed](Reduced::packed) system: no step was left out
    /// and no process permuted there, but variables may have been reset and statements merged.
    ///
    /// # Errors
    /// As [`lift`](Reduced::lift).
    pub fn lift_packed(
        &mut self,
        start: StateId,
        steps: &[RunStep],
    ) -> Result<(StateId, Vec<RunStep>), LiftError> {
        let symmetry = self.symmetry.take();
        let searched = std::mem::replace(&mut self.explored, self.whole.take());
        let start_of = self.start_of(start).ok_or(LiftError::Step(0));
        let lifted = start_of.and_then(|start| Ok((start, self.lift_from(start, steps)?)));
        self.whole = std::mem::replace(&mut self.explored, searched);
        self.symmetry = symmetry;
        lifted
    }

    /// How much has been left out so far.
    pub fn saved(&self) -> Saved {
        let printed = self.printed.as_ref().map(|printed| printed.saved());
        printed.or_else(|| Some(self.ample.as_ref()?.saved())).unwrap_or_default()
    }

    /// The run of the system behind a run of the reduced system: the processes that stand for others
    /// are followed through the permutations, what was reset is remembered, and steps that were merged are
    /// taken one by one.
    ///
    /// A cycle may have to be gone round again: permutations until every process is back where it was, what
    /// was reset once, since from then on it is what the cycle makes of it.
    ///
    /// # Errors
    /// When it would be very long, or is not found, which is a bug; so for all runs.
    pub fn lift(&mut self, run: Run) -> Result<Run, LiftError> {
        if self.is_same() {
            return Ok(run);
        }
        if self.remembers_permutations() {
            let (stem, cycle) =
                (self.with_permutations(&run.stem)?, self.with_permutations(&run.cycle)?);
            return self.lift_followed(&stem, &cycle);
        }
        let start = run.stem.first().or(run.cycle.first()).map(|step| step.from);
        let start = start.ok_or(LiftError::Step(0))?;
        let stem = self.lift_steps(start, &run.stem)?;
        let at = match stem.last() {
            Some(step) => step.to,
            None => self.start_of(start).ok_or(LiftError::Step(0))?,
        };
        self.in_laps(stem, at, |this, at| this.lift_from(at, &run.cycle))
    }

    /// The run that goes on in a state, lap by lap, until it is back where it was.
    fn in_laps(
        &mut self,
        mut stem: Vec<RunStep>,
        mut at: StateId,
        mut lap_from: impl FnMut(&mut Self, StateId) -> Result<Vec<RunStep>, LiftError>,
    ) -> Result<Run, LiftError> {
        let mut laps: Vec<Vec<RunStep>> = Vec::new();
        for _ in 0..LAPS {
            let is_back = |lap: &Vec<RunStep>| lap[0].from == at;
            let mut back = laps.iter().position(is_back);
            // Variables that nothing depends on may have another value in every lap. A cycle that closes
            // altogether after a few is better to read.
            if back.is_none() && laps.len() >= EXACT_LAPS && self.reset_dead.is_some() {
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
            at = lap.last().ok_or(LiftError::Step(stem.len()))?.to;
            laps.push(lap);
        }
        Err(LiftError::Long)
    }

    /// The same for a finite run that starts in a state.
    ///
    /// # Errors
    /// As [`lift`](Reduced::lift).
    pub fn lift_steps(
        &mut self,
        start: StateId,
        steps: &[RunStep],
    ) -> Result<Vec<RunStep>, LiftError> {
        if self.is_same() {
            return Ok(steps.to_vec());
        }
        if self.remembers_permutations() {
            let steps = self.with_permutations(steps)?;
            let (mut at, mut really) = self.begin(start)?;
            return self.lift_along(&mut at, &mut really, &steps);
        }
        let start = self.start_of(start).ok_or(LiftError::Step(0))?;
        self.lift_from(start, steps)
    }

    /// Whether processes are followed through their permutations. Nothing is reset then.
    fn remembers_permutations(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Symmetry::remembers)
    }

    /// Whether the system itself is searched.
    fn is_same(&self) -> bool {
        self.explored.is_none()
    }

    /// The initial state of the system that a state of what is searched stands for.
    pub fn start_of(&mut self, state: StateId) -> Option<StateId> {
        if self.is_same() {
            return Some(state);
        }
        self.system.initial().into_iter().find(|&it| self.stands_for(state, it))
    }

    /// Permutation after each of these steps of a state of the space that is searched. `None` if a step does not
    /// tell.
    pub fn permutations(
        &mut self,
        state: StateId,
        steps: &[Transition],
    ) -> Option<Vec<PermutationId>> {
        self.find_permutations(state);
        let known = self.permutations.get(&state).map_or(&[][..], Vec::as_slice);
        let permuted = |step: &Transition| {
            // Nothing follows an error, and a second look finds another state for it.
            if step.action == ActionId::IDLE || self.fault(step.target).is_some() {
                return Some(PermutationId::default());
            }
            let mut same = known.iter().filter(|(other, _)| other == step);
            let first = same.next()?.1;
            same.all(|(_, other)| *other == first).then_some(first)
        };
        steps.iter().map(permuted).collect()
    }

    /// Asks the quotient what is permuted after the steps of a state, unless that is known.
    fn find_permutations(&mut self, state: StateId) {
        let (Some(quotient), Some(explored), Some(symmetry), Some(scratch)) =
            (&self.quotient, &mut self.explored, &mut self.symmetry, &mut self.scratch)
        else {
            return;
        };
        if self.permutations.contains_key(&state) {
            return;
        }
        let (mut steps, mut found) = (Steps::default(), Vec::new());
        if let Some(row) = explored.own_row(state) {
            let permutations = quotient.permutations(&row, scratch, symmetry, &mut steps);
            let mut transitions = Vec::new();
            explored.number_steps(state, &steps, &mut transitions);
            found = transitions.into_iter().zip(permutations).collect();
        }
        self.permutations.insert(state, found);
    }

    /// The run of the system behind one of the reduced system, as [`lift`](Reduced::lift), with every
    /// process followed through the permutations.
    ///
    /// # Errors
    /// As there.
    pub fn lift_followed(
        &mut self,
        stem: &[(RunStep, PermutationId)],
        cycle: &[(RunStep, PermutationId)],
    ) -> Result<Run, LiftError> {
        let first = stem.first().or(cycle.first()).ok_or(LiftError::Step(0))?.0.from;
        let (mut at, mut really) = self.begin(first)?;
        let stem = self.lift_along(&mut at, &mut really, stem)?;
        self.in_laps(stem, at, |this, _| this.lift_along(&mut at, &mut really, cycle))
    }

    /// The initial state that a state stands for, and where the processes of the latter really are.
    fn begin(&mut self, state: StateId) -> Result<(StateId, Permutation), LiftError> {
        let initial = self.start_of(state).ok_or(LiftError::Step(0))?;
        let symmetry = self.symmetry.as_ref().ok_or(LiftError::Step(0))?;
        Ok((initial, symmetry.permutation(symmetry.last_permutation()).inverse()))
    }

    /// Steps of the reduced system with what is permuted after each. Where a step has several permutations, it
    /// stands for several of the system, and any of them will do.
    fn with_permutations(
        &mut self,
        steps: &[RunStep],
    ) -> Result<Vec<(RunStep, PermutationId)>, LiftError> {
        let mut all = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            self.goes_on(at)?;
            self.find_permutations(step.from);
            let taken = Transition { target: step.to, action: step.action };
            let known = self.permutations.get(&step.from).map_or(&[][..], Vec::as_slice);
            let found = known.iter().find(|(other, _)| *other == taken);
            let found = match found {
                Some((_, permuted)) => Some(*permuted),
                None => self.permutations(step.from, &[taken]).map(|told| told[0]),
            };
            all.push((*step, found.ok_or(LiftError::Step(at))?));
        }
        Ok(all)
    }

    /// Whether there is time for the step at this position. A short run has it: what was found in time is not to be
    /// lost for the sake of a moment.
    fn goes_on(&self, position: usize) -> Result<(), LiftError> {
        let is_late = position % ASKED == ASKED - 1 && self.stop.is_due();
        if is_late { Err(LiftError::Stopped) } else { Ok(()) }
    }

    fn lift_along(
        &mut self,
        at: &mut StateId,
        really: &mut Permutation,
        steps: &[(RunStep, PermutationId)],
    ) -> Result<Vec<RunStep>, LiftError> {
        let (mut lifted, mut out) = (Vec::new(), Vec::new());
        let nobody = Permutation::identity(self.signature().processes.len());
        for (position, (step, permuted)) in steps.iter().enumerate() {
            self.goes_on(position)?;
            if step.action == ActionId::IDLE {
                lifted.push(RunStep { from: *at, action: step.action, to: *at });
                continue;
            }
            let lost = LiftError::Step(position);
            let symmetry = self.symmetry.as_mut().ok_or(lost)?;
            let then = symmetry.permutation(*permuted).inverse().then(really);
            let target = self.explored.as_ref().and_then(|it| it.own_row(step.to));
            let target = target.map(|mut row| {
                symmetry.permute(&mut row, &then);
                row
            });
            let fault = self.fault(step.to).cloned();
            let wanted = self.exact_kind(step.action, really);
            out.clear();
            self.system.enabled(*at, &mut out);
            let mut found: Option<(Vec<RunStep>, Permutation)> = None;
            for transition in &out {
                if self.exact_kind(transition.action, &nobody) != wanted {
                    continue;
                }
                let steps = self.at_rest(*at, *transition);
                let end = steps.last().ok_or(lost)?.to;
                let is_same = match &fault {
                    Some(fault) => is_same_error(self.system.fault(end), fault),
                    None => self.system.own_row(end) == target,
                };
                if is_same {
                    found = Some((steps, then.clone()));
                    break;
                }
                // A process that is started may have gone to another of the slots that are free.
                if fault.is_none()
                    && found.is_none()
                    && let Some(exchanged) = self.exchange(*at, target.as_deref(), end)
                {
                    found = Some((steps, then.then(&exchanged)));
                }
            }
            let (found, then) = found.ok_or(lost)?;
            (*at, *really) = (found.last().ok_or(lost)?.to, then);
            lifted.extend(found);
        }
        Ok(lifted)
    }

    /// The permutation of free slots that makes a row that of a state to which a step leads.
    fn exchange(
        &mut self,
        before: StateId,
        row: Option<&[u64]>,
        end: StateId,
    ) -> Option<Permutation> {
        let (before, there) = (self.system.own_row(before)?, self.system.own_row(end)?);
        let symmetry = self.symmetry.as_mut()?;
        let exchanged = symmetry.exchange(&before, row?, &there)?;
        let mut row = row?.to_vec();
        symmetry.permute(&mut row, &exchanged);
        (row == there).then_some(exchanged)
    }

    fn lift_from(&mut self, start: StateId, steps: &[RunStep]) -> Result<Vec<RunStep>, LiftError> {
        let (mut at, mut lifted, mut out) = (start, Vec::new(), Vec::new());
        for (position, step) in steps.iter().enumerate() {
            self.goes_on(position)?;
            if step.action == ActionId::IDLE {
                lifted.push(RunStep { from: at, action: step.action, to: at });
                continue;
            }
            let wanted = self.kind(step.action);
            out.clear();
            self.system.enabled(at, &mut out);
            let found = out.iter().find_map(|transition| {
                if self.kind(transition.action) != wanted {
                    return None;
                }
                let steps = self.at_rest(at, *transition);
                let end = steps.last()?.to;
                self.stands_for(step.to, end).then_some(steps)
            });
            let found = found.ok_or(LiftError::Step(position))?;
            at = found.last().ok_or(LiftError::Step(position))?.to;
            lifted.extend(found);
        }
        Ok(lifted)
    }

    /// A step of the system, and those that are merged into it.
    fn at_rest(&mut self, from: StateId, step: Transition) -> Vec<RunStep> {
        let mut steps = vec![RunStep { from, action: step.action, to: step.target }];
        let mut at = step.target;
        while let Some(step) = self.passing(at) {
            steps.push(RunStep { from: at, action: step.action, to: step.target });
            at = step.target;
        }
        steps
    }

    /// The next of the steps of the system that are merged into the one that led to a state; `None` if no process
    /// is on its way there.
    fn passing(&mut self, state: StateId) -> Option<Transition> {
        let base = self.base.as_ref()?;
        let row = self.system.own_row(state)?;
        let (slot, location) = base.passed()?.at(base.model()?.layout(), &row)?;
        let mut out = Vec::new();
        self.system.enabled(state, &mut out);
        out.into_iter().find(|step| {
            let first = self.system.action(step.action).moves.first().copied();
            let part = first.and_then(|first| base.processes().part(first));
            part.is_some_and(|part| (part.slot, part.location) == (slot, location))
        })
    }

    /// An action in the reduced system: itself, or what it is up to a permutation.
    fn kind(&self, action: ActionId) -> Result<ActionId, Kind> {
        let (Some(symmetry), Some(base)) = (&self.symmetry, &self.base) else { return Ok(action) };
        let slot_of = |id: MoveId| self.signature().moves[id.index()].process.index();
        Err(symmetry.kind(self.action(action), slot_of, |id| base.processes().part(id)))
    }

    /// Image of an action under a permutation of its participants.
    fn exact_kind(&self, action: ActionId, moved: &Permutation) -> Option<ExactKind> {
        let (symmetry, base) = (self.symmetry.as_ref()?, self.base.as_ref()?);
        let slot_of = |id: MoveId| self.signature().moves[id.index()].process.index();
        let part = |id| base.processes().part(id);
        Some(symmetry.exact_kind(self.action(action), moved, slot_of, part))
    }

    /// Whether a state of what is searched stands for one of the system.
    fn stands_for(&mut self, state: StateId, whole: StateId) -> bool {
        if let Some(fault) = self.fault(state).cloned() {
            if let Some(symmetry) = &mut self.symmetry {
                symmetry.leave();
            }
            return is_same_error(self.system.fault(whole), &fault);
        }
        let Some(mut row) = self.system.own_row(whole) else { return false };
        if let Some(reset_dead) = &self.reset_dead {
            reset_dead.everywhere(&mut row);
        }
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.make_canonical(&mut row);
        }
        self.own_row(state) == Some(row)
    }

    /// Takes note of the starts of processes in the steps of a state.
    fn note_starts(&mut self, state: StateId, steps: &[Transition]) {
        let (Some(starts), Some(ample)) = (&mut self.starts, &self.ample) else { return };
        let steps = steps.iter().map(|step| (step.target, ample.starts(step.action)));
        starts.note(state, steps);
    }
}

/// Whether the same goes wrong at the same place. What is said of it may name a process, and so differ where
/// processes are permuted.
fn is_same_error(here: Option<&Fault>, there: &Fault) -> bool {
    here.is_some_and(|here| here.kind == there.kind && here.span == there.span)
}

/// Asks what is searched.
macro_rules! searched {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match &$self.explored {
            Some(explored) => explored.$method($($argument),*),
            None => $self.system.$method($($argument),*),
        }
    };
    (mut $self:ident.$method:ident($($argument:expr),*)) => {
        match &mut $self.explored {
            Some(explored) => explored.$method($($argument),*),
            None => $self.system.$method($($argument),*),
        }
    };
}

impl<S: Reducible> TransitionSystem for Reduced<'_, S> {
    fn signature(&self) -> &Signature {
        self.system.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        searched!(mut self.initial())
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let before = out.len();
        searched!(mut self.enabled(state, out));
        self.note_starts(state, &out[before..]);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        let (mut begin, first) = (out.len(), ends.len());
        searched!(mut self.enabled_in_all(states, out, ends));
        if self.starts.is_some() {
            for (&state, &end) in states.iter().zip(&ends[first..]) {
                self.note_starts(state, &out[begin..end]);
                begin = end;
            }
        }
    }

    fn left_out(&mut self, state: StateId, out: &mut Vec<ActionId>) {
        searched!(mut self.left_out(state, out));
    }

    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        searched!(mut self.has_same_future(one, other))
    }

    fn stop_at(&mut self, stop: Stop) {
        if let Some(whole) = &mut self.whole {
            whole.stop_at(stop);
        }
        searched!(mut self.stop_at(stop));
    }

    fn is_committed(&mut self, state: StateId) -> bool {
        searched!(mut self.is_committed(state))
    }

    fn action(&self, action: ActionId) -> &Action {
        self.system.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        searched!(mut self.offered(state, out));
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.system.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        searched!(self.holds(state, atom))
    }

    fn describe(&self, state: StateId) -> String {
        searched!(self.describe(state))
    }

    fn growth(&self) -> Option<Growth> {
        searched!(self.growth())
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        searched!(self.fault(state))
    }

    fn bytes(&self) -> usize {
        let steps = self.permutations.values().map(Vec::capacity).sum::<usize>();
        let starts = self.starts.as_ref().map_or(0, Starts::bytes);
        searched!(self.bytes()) + starts + steps * size_of::<(Transition, PermutationId)>()
    }
}
