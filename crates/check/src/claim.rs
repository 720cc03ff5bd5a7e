//! Questions about a system that are no formulas: what it can reach, get stuck in, or refuse.
//!
//! They are about what is possible, so no fairness is assumed. What is found is a finite run, which
//! is walked again on the system before it is returned.

use std::time::{Duration, Instant};

use fairly_model::Expr;
use fairly_omega::StateId;
use fairly_reduce::{Reduced, Reducible, Watched};
use fairly_search::reach::{self, Size};
use fairly_search::refinement::{self, Answer, Determinism, Model, Nondeterminism, ViolationKind};
use fairly_search::{Bounds, Cut, Phase, Prefix};
use fairly_system::{AtomIndex, Fault, FaultKind, Run, RunStep, TransitionSystem};
use fairly_witness::{follow, replay};

use crate::hunt::Lossy;
use crate::soundness::{self, Refusal, Refused, RowKind, Wanted};
use crate::verdict::{Failure, WhyUnknown};
use crate::verify::{self, Options, Reduction};

/// The answer to a claim.
#[derive(Clone, Debug)]
pub struct ClaimVerdict {
    /// Holds, violated or unknown.
    pub outcome: ClaimOutcome,
    /// States and transitions that were explored, where they were counted.
    pub size: Option<Size>,
    /// Reductions used, and how much they left out.
    pub reductions: Vec<String>,
    /// Why nothing was left out, if nothing was.
    pub unreduced: Option<Refusal>,
    /// Why processes were not exchanged although some look alike.
    pub asymmetric: Option<Refusal>,
    /// How long it took.
    pub time: Duration,
    /// What was kept of the states, if not all.
    pub lossy: Option<Lossy>,
}

/// How a claim is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// How much may be explored.
    pub bounds: Bounds,
    /// Whether steps may be left out where that keeps the answer.
    pub reduction: Reduction,
    /// Whether a run of a reduced system will do, though the whole system may have shorter ones.
    pub any_run: bool,
}

/// All of the system is looked at.
impl From<Bounds> for Effort {
    fn from(bounds: Bounds) -> Self {
        Effort { bounds, reduction: Reduction::Off, any_run: false }
    }
}

impl From<&Options> for Effort {
    fn from(options: &Options) -> Self {
        let Options { bounds, reduction, any_run, .. } = *options;
        Effort { bounds, reduction, any_run }
    }
}

/// Holds, violated or unknown.
#[derive(Clone, Debug)]
pub enum ClaimOutcome {
    /// It is so; for claims that something is possible, with a run that shows it.
    Holds(Option<Box<Shown>>),
    /// It is not so; for claims that something is impossible, with a run that shows it.
    Violated(Option<Box<Shown>>),
    /// Not known, and why.
    Unknown(WhyUnknown),
}

/// A finite run and what it shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run.
    pub prefix: Prefix,
    /// What repeats after it, for divergence.
    pub cycle: Vec<RunStep>,
    /// What there is to see at its end, in a sentence.
    pub conclusion: String,
    /// Another run to compare it with, for determinism.
    pub other: Option<Prefix>,
}

impl Shown {
    pub(crate) fn new(prefix: Prefix, conclusion: impl Into<String>) -> Shown {
        Shown { prefix, cycle: Vec::new(), conclusion: conclusion.into(), other: None }
    }

    /// A run that gets stuck.
    pub(crate) fn stuck<S: TransitionSystem>(
        system: &mut S,
        prefix: Prefix,
        unfinished: Option<&str>,
    ) -> Shown {
        let end = system.describe(prefix.end());
        let ended = system.atom("terminated").is_some_and(|it| system.holds(prefix.end(), it));
        let why = unfinished.filter(|_| ended).unwrap_or("deadlock");
        Shown::new(prefix, format!("{why}: nothing is enabled in {end}"))
    }

    /// A run that ends.
    pub(crate) fn last<S: TransitionSystem>(system: &mut S, prefix: Prefix) -> Shown {
        let why = match system.fault(prefix.end()) {
            Some(fault) => format!("error in the model: {}", fault.message),
            None => "the run ends here".to_owned(),
        };
        Shown::new(prefix, why)
    }

    /// A run that comes to what was to be reached.
    pub(crate) fn reached<S: TransitionSystem>(system: &mut S, prefix: Prefix) -> Shown {
        let end = system.describe(prefix.end());
        Shown::new(prefix, format!("reached: {end}"))
    }
}

/// What it means that something, or nothing, was found.
type Meaning = fn(Option<Box<Shown>>) -> ClaimOutcome;

/// What a question ends with before it is confirmed.
type Answered = Result<(Option<Shown>, Option<Size>), Cut>;

/// Asks a question whose witness, if there is one, is `found`'s meaning, of the whole system.
fn ask<S: TransitionSystem>(
    system: &mut S,
    found: Meaning,
    nothing: Meaning,
    question: impl FnOnce(&mut S) -> Answered,
) -> Result<ClaimVerdict, Failure> {
    let started = Instant::now();
    let answered = question(system);
    let mut verdict = conclude(system, found, nothing, answered)?;
    verdict.unreduced = Some(Refusal::Table(RowKind::Refinement));
    verdict.time = started.elapsed();
    Ok(verdict)
}

/// What the answer to a question rests on, beside deadlocks and errors.
#[derive(Default)]
struct Rests {
    watched: Watched,
    /// Whether it makes a difference that the last step to a deadlock was termination.
    ends: bool,
    /// A proposition that is looked up where a run ends, and nowhere else.
    looked_up: Option<AtomIndex>,
}

impl From<Watched> for Rests {
    fn from(watched: Watched) -> Self {
        Rests { watched, ..Rests::default() }
    }
}

/// Asks a question whose answer rests on what is watched, and on deadlocks and errors.
fn ask_reduced<S: Reducible>(
    system: &mut S,
    Rests { watched, ends, looked_up }: Rests,
    Effort { bounds, reduction, any_run }: Effort,
    [found, nothing]: [Meaning; 2],
    question: impl Fn(&mut Reduced<'_, S>, Bounds) -> Answered,
) -> Result<ClaimVerdict, Failure> {
    let started = Instant::now();
    let mut refused = Refused::default();
    let mut seen = watched.clone();
    seen.atoms.extend(looked_up);
    let (forgetting, merging) = (Some(seen.clone()), Some(watched.clone()));
    let wanted = match reduction {
        Reduction::Sound => {
            Wanted { orders: Ok(watched.clone()), symmetry: Ok(watched), forgetting, merging, ends }
        }
        Reduction::Symmetry => Wanted { symmetry: Ok(watched), ..Wanted::nothing() },
        Reduction::Forgetting => Wanted { forgetting, ..Wanted::nothing() },
        Reduction::Merging => Wanted { merging, ..Wanted::nothing() },
        Reduction::Local => Wanted { forgetting, merging, ..Wanted::nothing() },
        Reduction::Off => Wanted::nothing(),
    };
    system.heed(bounds.stop());
    bounds.enter(Some(Phase::Reducing));
    let mut reduced = soundness::reduce(system, wanted, &mut refused);
    bounds.enter(None);
    let mut answered = question(&mut reduced, bounds);
    let mut said = soundness::said(&reduced);
    let mut detours = soundness::makes_detours(&reduced);
    let is_exchanged = reduced.symmetry().is_some();
    drop(reduced);
    let is_wrong = match &answered {
        _ if !is_exchanged => None,
        // Where a sequence is cut off depends on the order of processes.
        _ if system.is_cut() => Some(Refusal::Ways),
        Ok((Some(shown), _)) if confirm(system, shown).is_err() => Some(Refusal::Replay),
        _ => None,
    };
    if is_wrong.is_some() {
        answered = question(&mut Reduced::whole(system), bounds);
        (said, detours) = (Vec::new(), false);
        refused.unreduced = is_wrong;
    }
    if let (Ok((Some(_), size)), true, false) = (&answered, detours, any_run) {
        // A shortest run of the whole system is better to read, if it is not far.
        let near = verify::near(bounds, size.map_or(0, |size| size.states));
        let mut whole = Reduced::whole(system).forgetting(&seen);
        let again = question(&mut whole, near);
        if let Ok((Some(_), _)) = again {
            answered = again;
            said = soundness::said(&whole);
            refused.unreduced = Some(Refusal::Shown);
        }
    }
    let mut verdict = conclude(system, found, nothing, answered)?;
    if said.is_empty() {
        verdict.unreduced = refused.unreduced.or(Some(Refusal::Nothing));
    }
    verdict.asymmetric = refused.asymmetric;
    verdict.reductions.extend(said);
    verdict.time = started.elapsed();
    Ok(verdict)
}

/// The run of the whole system behind one of the reduced system.
fn lifted<S: Reducible>(system: &mut Reduced<'_, S>, prefix: Prefix) -> Prefix {
    let Some(start) = system.start_of(prefix.start) else { return prefix };
    match system.lift_steps(prefix.start, &prefix.steps) {
        Some(steps) => Prefix { start, steps },
        None => prefix,
    }
}

/// The verdict that an answer amounts to, after what was found has been walked once more on the whole
/// system.
fn conclude<S: TransitionSystem>(
    system: &mut S,
    found: Meaning,
    nothing: Meaning,
    answered: Answered,
) -> Result<ClaimVerdict, Failure> {
    let (outcome, size) = match answered {
        Err(cut) => (ClaimOutcome::Unknown(WhyUnknown::cut(cut, system)), None),
        Ok((None, size)) => (nothing(None), size),
        Ok((Some(shown), size)) => {
            confirm(system, &shown)?;
            (found(Some(Box::new(shown))), size)
        }
    };
    let (reductions, time) = (Vec::new(), Duration::ZERO);
    Ok(ClaimVerdict {
        outcome,
        size,
        reductions,
        unreduced: None,
        asymmetric: None,
        time,
        lossy: None,
    })
}

/// Walks what was found once more.
pub(crate) fn confirm<S: TransitionSystem>(system: &mut S, shown: &Shown) -> Result<(), Failure> {
    let run = Run { stem: shown.prefix.steps.clone(), cycle: shown.cycle.clone() };
    let flaw = |flaw| Failure::Internal { flaw, run: run.clone() };
    let follows = |system: &mut S, prefix: &Prefix| follow(system, prefix.start, &prefix.steps);
    let end = follows(system, &shown.prefix).map_err(flaw)?;
    debug_assert_eq!(end, shown.prefix.end());
    if !shown.cycle.is_empty() {
        replay(system, &run).map_err(flaw)?;
    }
    if let Some(other) = &shown.other {
        follows(system, other).map_err(flaw)?;
    }
    Ok(())
}

/// No run comes to an error of the model, and none to a state of which `wrong` says that something
/// cannot be evaluated there: a proposition that divides by zero is false, and nobody would notice.
/// It asks about these propositions.
///
/// # Errors
/// When what was found does not stand up to replay, which is a bug; so for all claims.
pub fn faultless<S: Reducible>(
    system: &mut S,
    propositions: &[AtomIndex],
    wrong: impl Fn(&S, StateId) -> Option<Fault>,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, Failure> {
    let effort = effort.into();
    let watched = Watched { atoms: propositions.to_vec(), ..Watched::default() };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    ask_reduced(system, watched.into(), effort, meaning, |system, bounds| {
        let error = |system: &Reduced<'_, S>, state| match system.fault(state) {
            Some(fault) => (fault.kind == FaultKind::Error).then(|| fault.message.clone()),
            None => wrong(system.inner(), state).map(|fault| fault.message),
        };
        let found = reach::state(system, bounds, |system, state| error(system, state).is_some())?;
        let shown = found.prefix.map(|prefix| lifted(system, prefix)).map(|prefix| {
            let message = error(system, prefix.end()).unwrap_or_default();
            Shown::new(prefix, message)
        });
        Ok((shown, Some(found.size)))
    })
}

/// No run gets stuck before it has ended.
///
/// # Errors
/// As [`faultless`].
pub fn deadlock_free<S: Reducible>(
    system: &mut S,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, Failure> {
    stops_well(system, None, effort)
}

/// No run gets stuck before it has ended, or where the proposition of this name says that something
/// is still missing.
///
/// # Errors
/// As [`faultless`].
pub fn stops_well<S: Reducible>(
    system: &mut S,
    unfinished: Option<&str>,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, Failure> {
    let effort = effort.into();
    let missing = unfinished.and_then(|name| system.atom(name));
    let rests = Rests { ends: true, looked_up: missing, ..Rests::default() };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    ask_reduced(system, rests, effort, meaning, |system, bounds| {
        let terminated = system.atom("terminated");
        let holds = |system: &Reduced<'_, S>, state, atom: Option<AtomIndex>| {
            atom.is_some_and(|atom| system.holds(state, atom))
        };
        let is_end = |system: &Reduced<'_, S>, state| {
            holds(system, state, terminated) && !holds(system, state, missing)
        };
        let found = reach::deadlock(system, bounds, is_end)?;
        let shown = found.prefix.map(|prefix| lifted(system, prefix));
        let shown = shown.map(|prefix| Shown::stuck(system, prefix, unfinished));
        Ok((shown, Some(found.size)))
    })
}

/// No run ends, by getting stuck or otherwise.
///
/// # Errors
/// As [`faultless`].
pub fn nonterminating<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, |system| {
        let found = refinement::nonterminating(system, bounds)?;
        Ok((found.map(|prefix| Shown::last(system, prefix)), None))
    })
}

/// No run does internal steps for ever.
///
/// # Errors
/// As [`faultless`].
pub fn divergence_free<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, |system| {
        let found = refinement::divergence_free(system, bounds)?;
        let shown = found.map(|Run { stem, cycle }| Shown {
            prefix: Prefix { start: stem.first().unwrap_or(&cycle[0]).from, steps: stem },
            cycle,
            conclusion: "divergence: internal steps can go on for ever".to_owned(),
            other: None,
        });
        Ok((shown, None))
    })
}

/// No event leads to different states.
///
/// # Errors
/// As [`faultless`].
pub fn deterministic<S: TransitionSystem>(
    system: &mut S,
    determinism: Determinism,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, |system| {
        let found = refinement::deterministic(system, determinism, bounds)?;
        let shown = found.map(|why| match why {
            Nondeterminism::Diverges(Run { stem, cycle }) => Shown {
                prefix: Prefix { start: stem.first().unwrap_or(&cycle[0]).from, steps: stem },
                cycle,
                conclusion: "divergence: internal steps can go on for ever".to_owned(),
                other: None,
            },
            Nondeterminism::Refusable { event, accepts, refuses } => Shown {
                other: Some(refuses),
                ..Shown::new(accepts, format!("`{event}` can be taken here, or refused"))
            },
            Nondeterminism::Branches { event, one, other } => {
                let event = event.map_or("an internal step".to_owned(), |name| format!("`{name}`"));
                Shown {
                    other: Some(other),
                    ..Shown::new(one, format!("{event} can lead to different states"))
                }
            }
        });
        Ok((shown, None))
    })
}

/// Some run comes to a state with the proposition.
///
/// # Errors
/// As [`faultless`].
pub fn reaches<S: Reducible>(
    system: &mut S,
    goal: AtomIndex,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, Failure> {
    let effort = effort.into();
    let watched = Watched { atoms: vec![goal], ..Watched::default() };
    let meaning = [ClaimOutcome::Holds as Meaning, ClaimOutcome::Violated];
    ask_reduced(system, watched.into(), effort, meaning, |system, bounds| {
        let found = reach::state(system, bounds, |system, state| system.holds(state, goal))?;
        let shown = found.prefix.map(|prefix| lifted(system, prefix));
        let shown = shown.map(|prefix| Shown::reached(system, prefix));
        Ok((shown, Some(found.size)))
    })
}

/// Which value is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The least.
    Least,
    /// The greatest.
    Greatest,
}

/// Some run comes to a state that has a value; the state with the least or greatest value is shown. The
/// value depends on these expressions.
///
/// # Errors
/// As [`faultless`].
pub fn reaches_extreme<S: Reducible>(
    system: &mut S,
    extreme: Extreme,
    values: Vec<Expr>,
    value: impl Fn(&S, StateId) -> Option<i64>,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, Failure> {
    let effort = effort.into();
    let watched = Watched { values, ..Watched::default() };
    let meaning = [ClaimOutcome::Holds as Meaning, ClaimOutcome::Violated];
    ask_reduced(system, watched.into(), effort, meaning, |system, bounds| {
        let found = reach::extremes(system, bounds, |system, state| value(system.inner(), state))?;
        let (word, best) = match extreme {
            Extreme::Least => ("least", found.least),
            Extreme::Greatest => ("greatest", found.greatest),
        };
        let shown =
            best.map(|(value, prefix)| (value, lifted(system, prefix))).map(|(value, prefix)| {
                let end = system.describe(prefix.end());
                Shown::new(prefix, format!("the {word} value is {value}, in {end}"))
            });
        Ok((shown, Some(found.size)))
    })
}

/// Every behaviour of the implementation is one of the specification.
///
/// # Errors
/// As [`faultless`].
pub fn refines<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    model: Model,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    ask(implementation, ClaimOutcome::Violated, ClaimOutcome::Holds, |implementation| {
        let answer = refinement::refines(implementation, specification, model, bounds)?;
        let shown = match answer {
            Answer::Refines => None,
            Answer::Violated(violation) => Some(match violation.kind {
                ViolationKind::ExtraEvent(event) => Shown::new(
                    violation.trace,
                    format!("the specification cannot do `{event}` here"),
                ),
                ViolationKind::Refuses { offered, allowed } => Shown::new(
                    violation.trace,
                    format!(
                        "only {} is offered here; the specification would offer {}",
                        listed(&offered),
                        match allowed.as_slice() {
                            [] => "nothing that lasts".to_owned(),
                            sets => {
                                let sets: Vec<String> =
                                    sets.iter().map(|set| listed(set)).collect();
                                sets.join(" or ")
                            }
                        }
                    ),
                ),
                ViolationKind::Diverges { cycle } => Shown {
                    cycle,
                    ..Shown::new(
                        violation.trace,
                        "internal steps can go on for ever, and the specification's cannot",
                    )
                },
            }),
        };
        Ok((shown, None))
    })
}

fn listed(events: &[String]) -> String {
    if events.is_empty() { "nothing".to_owned() } else { format!("{{{}}}", events.join(", ")) }
}
