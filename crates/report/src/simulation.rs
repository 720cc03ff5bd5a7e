//! A run that is made step by step, by hand, at random or along another run: the state of a simulation, without
//! anybody who shows it.

use fairly_check::Evidence;
use fairly_check::claim::Shown;
use fairly_omega::StateId;
use fairly_search::Prefix;
use fairly_system::{ActionId, ProcessId, RunStep, Trace, Transition, TransitionSystem};

/// A run so far.
#[derive(Clone, Debug)]
pub struct Simulation {
    start: StateId,
    taken: Vec<RunStep>,
}

/// Why a simulation does not go on along a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFollowed {
    /// The trace ends.
    Over,
    /// Its next step, with this event, is not possible.
    Impossible(String),
}

impl Simulation {
    /// The run that consists of a state.
    pub fn begin(start: StateId) -> Simulation {
        Simulation { start, taken: Vec::new() }
    }

    /// The steps that were taken.
    pub fn taken(&self) -> &[RunStep] {
        &self.taken
    }

    /// The present state.
    pub fn at(&self) -> StateId {
        self.taken.last().map_or(self.start, |step| step.to)
    }

    /// The steps that can be taken.
    pub fn enabled<S: TransitionSystem>(&self, system: &mut S) -> Vec<Transition> {
        let mut steps = Vec::new();
        system.enabled(self.at(), &mut steps);
        steps
    }

    /// Takes a step.
    pub fn take(&mut self, step: Transition) {
        let from = self.at();
        self.taken.push(RunStep { from, action: step.action, to: step.target });
    }

    /// Takes steps back, so that this many are left.
    pub fn truncate(&mut self, left: usize) {
        self.taken.truncate(left);
    }

    /// Takes a random step, which the seed determines, and changes the seed; gives the position of the step among
    /// those that were enabled, and nothing if none was.
    pub fn random<S: TransitionSystem>(&mut self, system: &mut S, seed: &mut u64) -> Option<usize> {
        let enabled = self.enabled(system);
        // SplitMix64: small, and the same everywhere.
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let chosen = usize::try_from(mixed.checked_rem(enabled.len() as u64)?).ok()?;
        self.take(*enabled.get(chosen)?);
        Some(chosen)
    }

    /// Takes the next step of a trace, round its loop if it has one.
    ///
    /// # Errors
    /// When there is none that can be taken.
    pub fn follow<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        trace: &Trace,
    ) -> Result<(), NotFollowed> {
        let (done, count) = (self.taken.len(), trace.steps.len());
        let number = match trace.loops_to {
            Some(back) if done >= count => back + (done - back) % (count - back),
            _ => done,
        };
        let step = trace.steps.get(number).ok_or(NotFollowed::Over)?;
        let found = trace.find_alike(number, system, self.at());
        let found = found.ok_or_else(|| NotFollowed::Impossible(step.event.clone()))?;
        self.take(found);
        Ok(())
    }

    /// For how many steps, up to now, a process could have moved and did not.
    pub fn waited<S: TransitionSystem>(&self, system: &mut S, process: ProcessId) -> usize {
        let mut count = 0;
        for RunStep { from, action, .. } in self.taken.iter().rev() {
            let takes = |system: &S, action: ActionId| {
                system.action(action).participants.contains(&process)
            };
            let mut enabled = Vec::new();
            system.enabled(*from, &mut enabled);
            let could = enabled.iter().any(|step| takes(system, step.action));
            if takes(system, *action) || !could {
                break;
            }
            count += 1;
        }
        count
    }

    /// The run so far as plain data.
    pub fn record<S: TransitionSystem>(&self, system: &mut S, conclusion: &str) -> Evidence {
        let prefix = Prefix { start: self.start, steps: self.taken.clone() };
        let conclusion = conclusion.to_owned();
        Shown { prefix, cycle: Vec::new(), conclusion, other: None }.record(system)
    }
}
