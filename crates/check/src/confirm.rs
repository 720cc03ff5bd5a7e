//! Confirms what a search found, before it becomes a verdict.
//!
//! A run is walked once more on the whole system, from its first state to its last, by the reference: no
//! reduction, no native code, and states with numbers of its own. What it shows is then judged again where it shows it: that nothing is enabled
//! in the last state, that the expression is true there, that the cycle is fair and violates the formula,
//! that the specification cannot do the same. What does not pass is a bug of ours, and [`CheckError::Internal`].
//!
//! Verdicts hold runs as [`Confirmed`], which only this module makes, so that no run can come around it. Where it is
//! time to stop before that, there is no verdict: [`CheckError::Stopped`], which ends as *unknown*.

use std::ops::Deref;
use std::time::Duration;

use fairly_fairness::{Constraint, Notion};
use fairly_omega::{StateId, Stop};
use fairly_reduce::Reducible;
use fairly_search::refinement::{self, Model};
use fairly_search::{Bounds, Prefix};
use fairly_system::{EventKind, Fault, Run, RunStep, TransitionSystem};
use fairly_witness::observed::{self, Impossible, Seen};
use fairly_witness::{
    Ledger, WitnessError, follow_until, replay_until, takes_everything_until, violates_until,
};

use crate::claim::Shown;
use crate::ending::Ending;
use crate::property::Property;
use crate::verdict::CheckError;

/// Time that confirming may take beyond a deadline: most runs are short, and a violation that was found in time
/// should not be lost.
const GRACE: Duration = Duration::from_millis(300);

/// Says when to give up confirming, given when the work is to end. A user who asks to stop still wants to see what
/// was found until then, if that takes no time.
pub(crate) fn with_grace(stop: Stop) -> Stop {
    Stop { deadline: stop.deadline.map(|deadline| deadline + GRACE), wish: None, ..stop }
}

/// Something that was found, and stood up to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed<T>(T);

impl<T> Confirmed<T> {
    /// The confirmed result.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Confirmed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Judges a result by the reference, where its states have other numbers.
///
/// # Errors
/// When it is time to stop before all of them are known there.
fn by_reference<S: TransitionSystem, R: OfStates, T>(
    system: &mut S,
    found: &R,
    stop: Stop,
    judge: impl FnOnce(&mut S, &R) -> T,
) -> Result<T, WitnessError> {
    let mut states = Vec::new();
    found.replaced(&mut |state| {
        states.push(state);
        state
    });
    match system.reference(&states, stop) {
        Some((_, there)) if there.len() < states.len() => Err(WitnessError::Stopped),
        Some((reference, there)) => {
            let mut there = there.into_iter();
            let found = found.replaced(&mut |_| there.next().expect("a state for each"));
            Ok(judge(reference, &found))
        }
        None => Ok(judge(system, found)),
    }
}

/// A result that is about states.
trait OfStates {
    /// The same with other states.
    fn replaced(&self, other: &mut dyn FnMut(StateId) -> StateId) -> Self;
}

impl OfStates for () {
    fn replaced(&self, _: &mut dyn FnMut(StateId) -> StateId) {}
}

impl OfStates for Vec<RunStep> {
    fn replaced(&self, other: &mut dyn FnMut(StateId) -> StateId) -> Self {
        let step = |step: &RunStep| RunStep {
            from: other(step.from),
            to: other(step.to),
            action: step.action,
        };
        self.iter().map(step).collect()
    }
}

impl OfStates for Run {
    fn replaced(&self, other: &mut dyn FnMut(StateId) -> StateId) -> Self {
        Run { stem: self.stem.replaced(other), cycle: self.cycle.replaced(other) }
    }
}

impl OfStates for Prefix {
    fn replaced(&self, other: &mut dyn FnMut(StateId) -> StateId) -> Self {
        Prefix { start: other(self.start), steps: self.steps.replaced(other) }
    }
}

impl OfStates for Shown {
    fn replaced(&self, other: &mut dyn FnMut(StateId) -> StateId) -> Self {
        Shown {
            prefix: self.prefix.replaced(other),
            cycle: self.cycle.replaced(other),
            conclusion: self.conclusion.clone(),
            other: self.other.as_ref().map(|prefix| prefix.replaced(other)),
        }
    }
}

/// Replays a lasso and judges it: whether it is a run, violates the property and meets the constraints.
///
/// # Errors
/// When it does not.
pub(crate) fn lasso<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    run: Run,
    stop: Stop,
) -> Result<(Confirmed<Run>, Ledger), CheckError> {
    let stop = with_grace(stop);
    let judged = by_reference(system, &run, stop, |system, run| {
        judge(system, property, constraints, run, stop)
    });
    match judged.unwrap_or_else(|flaw| Err(Judged::Witness(flaw))) {
        Ok(ledger) => Ok((Confirmed(run), ledger)),
        Err(Judged::Witness(flaw)) => Err(flawed(flaw, run)),
        Err(Judged::Failed(failure)) => Err(failure),
    }
}

/// A run that is not confirmed: a bug, or there was no time.
fn flawed(flaw: WitnessError, run: Run) -> CheckError {
    match flaw {
        WitnessError::Stopped => CheckError::Stopped,
        flaw => CheckError::Internal { flaw, run },
    }
}

/// As [`lasso`], of a run that is to be strongly globally fair.
///
/// # Errors
/// When it is not.
pub(crate) fn global<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    run: Run,
    stop: Stop,
) -> Result<(Confirmed<Run>, Ledger), CheckError> {
    let (run, ledger) = lasso(system, property, constraints, run, stop)?;
    let stop = with_grace(stop);
    let takes_everything =
        by_reference(system, &*run, stop, |system, run| takes_everything_until(system, run, stop));
    let flaw = match takes_everything.flatten() {
        Ok(true) => return Ok((run, ledger)),
        Ok(false) => WitnessError::Unfair(Notion::Global.to_string()),
        Err(flaw) => flaw,
    };
    Err(flawed(flaw, run.into_inner()))
}

enum Judged {
    Witness(WitnessError),
    Failed(CheckError),
}

fn judge<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    run: &Run,
    stop: Stop,
) -> Result<Ledger, Judged> {
    let stopped = || Judged::Witness(WitnessError::Stopped);
    replay_until(system, run, stop).map_err(Judged::Witness)?;
    let is_violated = match &property.never {
        None => {
            let Property { formulas, formula, reading, .. } = property;
            let meanings = property.meanings_on(system, run, stop).ok_or_else(stopped)?;
            let meaning = |atom| meanings[&atom].clone();
            violates_until(system, run, (formulas, *formula), *reading, meaning, stop)
        }
        Some(never) => never
            .accepts(system, run, stop)
            .map_err(|refused| Judged::Failed(CheckError::Engine(refused.to_string())))?,
    };
    let is_violated = is_violated.ok_or_else(stopped)?;
    if !is_violated {
        return Err(Judged::Witness(WitnessError::Satisfies));
    }
    let ledger = Ledger::of_until(system, run, constraints, stop).ok_or_else(stopped)?;
    match ledger.entries.iter().find(|entry| !entry.met()) {
        Some(entry) => Err(Judged::Witness(WitnessError::Unfair(entry.name.clone()))),
        None => Ok(ledger),
    }
}

/// Replays a finite run that shows nothing by its end.
///
/// # Errors
/// When it is none.
pub(crate) fn prefix<S: TransitionSystem>(
    system: &mut S,
    steps: Vec<RunStep>,
    stop: Stop,
) -> Result<Confirmed<Vec<RunStep>>, CheckError> {
    let stop = with_grace(stop);
    let followed = by_reference(system, &steps, stop, |system, steps| match steps.first() {
        Some(first) => follow_until(system, first.from, steps, stop).map(|_| ()),
        None => Ok(()),
    });
    match followed.flatten() {
        Ok(()) => Ok(Confirmed(steps)),
        Err(flaw) => Err(flawed(flaw, Run { stem: steps, cycle: Vec::new() })),
    }
}

/// Replays what answers a claim, to its last state, and has it judged there.
///
/// # Errors
/// When it is no run, or `evidence` says that it does not show what it should.
pub(crate) fn shown<S: TransitionSystem>(
    system: &mut S,
    shown: Shown,
    evidence: impl FnOnce(&mut S, &Shown) -> Result<(), String>,
    stop: Stop,
) -> Result<Confirmed<Shown>, CheckError> {
    let run = |shown: &Shown| Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let stop = with_grace(stop);
    let follows = |system: &mut S, Prefix { start, steps }: &Prefix| {
        follow_until(system, *start, steps, stop).map(|_| ())
    };
    let walked = by_reference(system, &shown, stop, |system, shown| {
        follows(system, &shown.prefix)?;
        if !shown.cycle.is_empty() {
            replay_until(system, &run(shown), stop)?;
        }
        shown.other.as_ref().map_or(Ok(()), |other| follows(system, other))?;
        evidence(system, shown).map_err(WitnessError::Shows)
    });
    match walked.flatten() {
        Ok(()) => Ok(Confirmed(shown)),
        Err(flaw) => Err(flawed(flaw, run(&shown))),
    }
}

/// The run ends so.
pub(crate) fn ends<S: TransitionSystem>(
    ending: &Ending,
) -> impl Fn(&mut S, &Shown) -> Result<(), String> {
    move |system, shown| {
        let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
        ending.judge(system, &run, shown.prefix.start).map(|_| ())
    }
}

/// The run ends with an error of the model, or where `wrong` says that something cannot be evaluated.
pub(crate) fn errs<S: Reducible>(
    wrong: impl Fn(&[u64]) -> Option<Fault>,
) -> impl Fn(&mut S, &Shown) -> Result<(), String> {
    move |system, shown| {
        let row = system.own_row(shown.prefix.end());
        if row.is_some_and(|row| wrong(&row).is_some()) {
            return Ok(());
        }
        ends(&Ending::Error)(system, shown)
    }
}

/// Something is true of the last state.
pub(crate) fn reaches<S: TransitionSystem>(
    holds: impl Fn(&mut S, StateId) -> bool,
) -> impl Fn(&mut S, &Shown) -> Result<(), String> {
    move |system, shown| match holds(system, shown.prefix.end()) {
        true => Ok(()),
        false => Err("its last state is not what was looked for".to_owned()),
    }
}

/// Evidence that a system is not deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branching {
    /// Internal steps for ever.
    Diverges,
    /// The last event can be taken, and refused after the same events.
    Refusable,
    /// The last steps of both runs leave the same state with the same event, and lead to different ones.
    Branches,
}

impl Branching {
    /// Whether the runs show that.
    pub(crate) fn judge<S: TransitionSystem>(
        self,
        system: &mut S,
        shown: &Shown,
    ) -> Result<(), String> {
        if self == Branching::Diverges {
            return ends(&Ending::Divergence)(system, shown);
        }
        let two = "there are no two runs to compare";
        let (one, other) = (&shown.prefix, shown.other.as_ref().ok_or(two)?);
        let last = *one.steps.last().ok_or(two)?;
        let event = observed::seen(system, last.action);
        if self == Branching::Branches {
            let also = other.steps.last().ok_or(two)?;
            let same = last.from == also.from && event == observed::seen(system, also.action);
            return match same && last.to != also.to {
                true => Ok(()),
                false => Err("the two steps do not differ by where they lead".to_owned()),
            };
        }
        let mut expected = observed::trace(system, &other.steps);
        expected.extend(event.clone());
        if event.is_none() || observed::trace(system, &one.steps) != expected {
            return Err("the two runs do not have the same events".to_owned());
        }
        let insists = observed::acceptance(system, other.end());
        match (insists, event) {
            (Some(insists), Some(event)) if !insists.contains(&event) => Ok(()),
            _ => Err("the event is not refused".to_owned()),
        }
    }
}

/// Behaviour of an implementation that a specification lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The last event.
    Event,
    /// To offer so little in the last state.
    Refusal,
    /// Internal steps for ever.
    Divergence,
}

impl Beyond {
    /// Whether the run of the implementation does that, and the specification cannot.
    pub(crate) fn judge<I: TransitionSystem, S: TransitionSystem>(
        self,
        implementation: &mut I,
        specification: &mut S,
        model: Model,
        shown: &Shown,
    ) -> Result<(), String> {
        let trace: Vec<Seen> = observed::trace(implementation, &shown.prefix.steps);
        let what = match self {
            Beyond::Event => {
                let last = shown.prefix.steps.last();
                if last.and_then(|last| observed::seen(implementation, last.action)).is_none() {
                    return Err("its last step is not seen".to_owned());
                }
                Impossible::Last
            }
            Beyond::Refusal => {
                let offered = observed::acceptance(implementation, shown.prefix.end());
                Impossible::Insisting(offered.ok_or("its last state refuses nothing")?)
            }
            Beyond::Divergence => {
                ends(&Ending::Divergence)(implementation, shown)?;
                Impossible::Diverging
            }
        };
        by_reference(specification, &(), Stop::default(), |specification, ()| {
            observed::cannot(specification, &trace, &what, model == Model::FailuresDivergences)
        })
        .unwrap_or_else(|flaw| Err(flaw.to_string()))
    }
}

/// Whether a run of the implementation is fair and no fair run of the specification looks like it, each under its own
/// constraints.
pub(crate) fn separates<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    [of_one, of_other]: &[Vec<Constraint>; 2],
    shown: &Shown,
    bounds: Bounds,
) -> Result<(), String> {
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let ledger = Ledger::of_until(implementation, &run, of_one, bounds.stop())
        .ok_or("it is time to stop")?;
    if let Some(entry) = ledger.entries.iter().find(|entry| !entry.met()) {
        return Err(format!("it does not meet {}", entry.name));
    }
    let look = refinement::look(implementation, &run);
    let performed = by_reference(specification, &(), Stop::default(), |specification, ()| {
        refinement::performs(specification, of_other.clone(), &look, bounds)
    });
    match performed {
        Ok(Ok(None)) => Ok(()),
        Ok(Ok(Some(_))) => Err("a fair run of the specification shows the same".to_owned()),
        Ok(Err(why)) => Err(format!("the specification was not searched again: {why:?}")),
        Err(flaw) => Err(flaw.to_string()),
    }
}

/// Whether the last step of a run is termination.
pub(crate) fn terminates<S: TransitionSystem>(system: &S, run: &Run) -> bool {
    run.stem.last().is_some_and(|step| {
        let event = system.action(step.action).event;
        system.signature().event_kind(event) == EventKind::Termination
    })
}
