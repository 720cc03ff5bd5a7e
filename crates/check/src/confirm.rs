//! Confirms what a search found, before it becomes a verdict.
//!
//! A run is walked once more on the whole system, from its first state to its last, by the reference: no
//! reduction, no native code. What it shows is then judged again where it shows it: that nothing is enabled
//! in the last state, that the expression is true there, that the cycle is fair and violates the formula,
//! that the specification cannot do the same. What does not pass is a bug of ours, and [`Failure::Internal`].
//!
//! Verdicts hold runs as [`Confirmed`], which only this module makes, so that no run can come around it.

use std::ops::Deref;

use fairly_fairness::{Constraint, Notion};
use fairly_omega::StateId;
use fairly_reduce::Reducible;
use fairly_search::Prefix;
use fairly_search::refinement::Model;
use fairly_system::{EventKind, Fault, Run, RunStep, TransitionSystem};
use fairly_witness::observed::{self, Impossible, Seen};
use fairly_witness::{Flaw, Ledger, follow, replay, takes_everything, violates};

use crate::claim::Shown;
use crate::ending::Ending;
use crate::property::Property;
use crate::verdict::Failure;

/// Something that was found, and stood up to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed<T>(T);

impl<T> Confirmed<T> {
    /// What was found.
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

/// A system whose steps are made by the reference as long as this is there.
struct ByReference<'a, S: TransitionSystem>(&'a mut S);

impl<'a, S: TransitionSystem> ByReference<'a, S> {
    fn new(system: &'a mut S) -> Self {
        system.by_reference(true);
        ByReference(system)
    }
}

impl<S: TransitionSystem> Drop for ByReference<'_, S> {
    fn drop(&mut self) {
        self.0.by_reference(false);
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
) -> Result<(Confirmed<Run>, Ledger), Failure> {
    let system = ByReference::new(system);
    match judge(system.0, property, constraints, &run) {
        Ok(ledger) => Ok((Confirmed(run), ledger)),
        Err(Judged::Flaw(flaw)) => Err(Failure::Internal { flaw, run }),
        Err(Judged::Failed(failure)) => Err(failure),
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
) -> Result<(Confirmed<Run>, Ledger), Failure> {
    let (run, ledger) = lasso(system, property, constraints, run)?;
    let takes_all = takes_everything(ByReference::new(system).0, &run);
    if takes_all {
        return Ok((run, ledger));
    }
    let flaw = Flaw::Unfair(Notion::Global.to_string());
    Err(Failure::Internal { flaw, run: run.into_inner() })
}

enum Judged {
    Flaw(Flaw),
    Failed(Failure),
}

fn judge<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    run: &Run,
) -> Result<Ledger, Judged> {
    replay(system, run).map_err(Judged::Flaw)?;
    let is_violated = match &property.never {
        None => {
            let Property { formulas, formula, reading, .. } = property;
            let meanings = property.meanings_on(system, run);
            violates(system, run, formulas, *formula, *reading, |atom| meanings[&atom].clone())
        }
        Some(never) => never
            .accepts(system, run)
            .map_err(|refused| Judged::Failed(Failure::Engine(refused.to_string())))?,
    };
    if !is_violated {
        return Err(Judged::Flaw(Flaw::Satisfies));
    }
    let ledger = Ledger::of(system, run, constraints);
    match ledger.entries.iter().find(|entry| !entry.met()) {
        Some(entry) => Err(Judged::Flaw(Flaw::Unfair(entry.name.clone()))),
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
) -> Result<Confirmed<Vec<RunStep>>, Failure> {
    let system = ByReference::new(system);
    let followed = match steps.first() {
        Some(first) => follow(system.0, first.from, &steps).map(|_| ()),
        None => Ok(()),
    };
    match followed {
        Ok(()) => Ok(Confirmed(steps)),
        Err(flaw) => Err(Failure::Internal { flaw, run: Run { stem: steps, cycle: Vec::new() } }),
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
) -> Result<Confirmed<Shown>, Failure> {
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let system = ByReference::new(system);
    let follows = |system: &mut S, Prefix { start, steps }: &Prefix| {
        follow(system, *start, steps).map(|_| ())
    };
    let walked = follows(system.0, &shown.prefix)
        .and_then(|()| match shown.cycle.is_empty() {
            true => Ok(()),
            false => replay(system.0, &run),
        })
        .and_then(|()| shown.other.as_ref().map_or(Ok(()), |other| follows(system.0, other)))
        .and_then(|()| evidence(system.0, &shown).map_err(Flaw::Shows));
    match walked {
        Ok(()) => Ok(Confirmed(shown)),
        Err(flaw) => Err(Failure::Internal { flaw, run }),
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
    wrong: impl Fn(&S, &[u64]) -> Option<Fault>,
) -> impl Fn(&mut S, &Shown) -> Result<(), String> {
    move |system, shown| {
        let row = system.own_row(shown.prefix.end());
        if row.is_some_and(|row| wrong(system, &row).is_some()) {
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

/// What shows that a system is not deterministic.
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

/// What an implementation does that a specification cannot.
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
        let specification = ByReference::new(specification);
        observed::cannot(specification.0, &trace, &what, model == Model::FailuresDivergences)
    }
}

/// Whether the last step of a run is termination.
pub(crate) fn terminates<S: TransitionSystem>(system: &S, run: &Run) -> bool {
    run.stem.last().is_some_and(|step| {
        let event = system.action(step.action).event;
        system.signature().event_kind(event) == EventKind::Termination
    })
}
