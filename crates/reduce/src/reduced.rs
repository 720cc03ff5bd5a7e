//! The wrapper.

use std::fmt;

use fairly_model::{Strip, native::Part};
use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, Signature, Transition, TransitionSystem,
};

use crate::ample::Ample;
use crate::skeleton::Skeleton;
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
}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsuited::Open => "what the processes can do is only known once they do it",
            Unsuited::Priorities => "atomic actions go before others",
            Unsuited::Stuck => "the property asks whether the system has come to a stop",
            Unsuited::Nothing => "no step can be left out",
            Unsuited::Unknown => {
                "nothing is known of what the processes have to do with each other"
            }
        })
    }
}

/// A system of processes whose steps can be left out before what they lead to is stored. A system that
/// says nothing of its processes is never reduced.
pub trait Reducible: TransitionSystem {
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
}

/// States after which a reduction is given up that has not left out anything.
const ENOUGH: usize = 4096;

/// How much has been left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// States whose transitions were asked for, as often as they were.
    pub states: usize,
    /// Those of them in which transitions were left out.
    pub reduced: usize,
    /// Actions that were enabled in all of them.
    pub enabled: usize,
    /// Those of them that were followed.
    pub followed: usize,
}

/// A system in which only ample sets are followed, or all of it.
pub struct Reduced<'a, S> {
    system: &'a mut S,
    ample: Option<Ample>,
    /// What was left out of the state that was asked for last.
    left_out: Vec<ActionId>,
    last: Option<StateId>,
    saved: Saved,
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
        let ample = Some(Ample::new(skeleton, watched));
        let (left_out, saved) = (Vec::new(), Saved::default());
        Reduced { system, ample, left_out, last: None, saved }
    }

    /// The whole system, as it is.
    pub fn whole(system: &'a mut S) -> Self {
        let saved = Saved::default();
        Reduced { system, ample: None, left_out: Vec::new(), last: None, saved }
    }

    /// Whether anything may be left out.
    pub fn is_whole(&self) -> bool {
        self.ample.is_none()
    }

    /// The system inside.
    pub fn inner(&self) -> &S {
        self.system
    }

    /// How much has been left out so far.
    pub fn saved(&self) -> Saved {
        self.saved
    }

    fn expand(&mut self, state: StateId, out: &mut Vec<Transition>) {
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
        let keep = ample.choose(self.system);
        let enabled = self.system.pending().len();
        self.saved.states += 1;
        self.saved.enabled += enabled;
        if let Some(keep) = keep {
            let pending = self.system.pending().iter().zip(keep);
            self.left_out.extend(pending.filter(|(_, kept)| !**kept).map(|(&action, _)| action));
            self.saved.reduced += 1;
        }
        self.saved.followed += enabled - self.left_out.len();
        self.system.follow(state, keep, out);
    }
}

impl<S: Reducible> TransitionSystem for Reduced<'_, S> {
    fn signature(&self) -> &Signature {
        self.system.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.system.initial()
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
        if self.last != Some(state) {
            self.expand(state, &mut Vec::new());
        }
        out.extend_from_slice(&self.left_out);
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

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.system.fault(state)
    }

    fn bytes(&self) -> usize {
        self.system.bytes()
    }
}
