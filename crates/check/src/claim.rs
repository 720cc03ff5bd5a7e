//! Questions about a system that are no formulas: what it can reach, get stuck in, or refuse.
//!
//! They are about what is possible, so no fairness is assumed. What is found is a finite run, which
//! is walked again on the system before it is returned.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use fairly_model::Expr;
use fairly_omega::StateId;
use fairly_reduce::{Lost, Reduced, Reducible, Watched};
use fairly_search::reach::{self, Size};
use fairly_search::refinement::{self, Answer, Determinism, Model, Nondeterminism, ViolationKind};
use fairly_search::{Bounds, Cut, Phase, Prefix};
use fairly_system::{AtomIndex, Fault, FaultKind, Run, RunStep, TransitionSystem};
use fairly_witness::Flaw;

use crate::confirm::{self, Beyond, Branching, Confirmed};
use crate::ending::Ending;
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

impl ClaimVerdict {
    /// There is no answer because of a bug: what went wrong.
    pub fn broken(message: &str) -> ClaimVerdict {
        let why = WhyUnknown::Internal(message.to_owned());
        ClaimVerdict {
            outcome: ClaimOutcome::Unknown(why),
            size: None,
            reductions: Vec::new(),
            unreduced: None,
            asymmetric: None,
            time: Duration::ZERO,
            lossy: None,
        }
    }
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
    Holds(Option<Box<Confirmed<Shown>>>),
    /// It is not so; for claims that something is impossible, with a run that shows it.
    Violated(Option<Box<Confirmed<Shown>>>),
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
        let ended = system.atom("terminated").is_some_and(|it| system.holds(prefix.end(), it));
        let why = unfinished.filter(|_| ended).unwrap_or("deadlock");
        Shown::new(prefix, format!("{why}: nothing is enabled"))
    }

    /// A run that leads to internal steps for ever.
    pub(crate) fn diverges(prefix: Prefix) -> Shown {
        Shown::new(prefix, "divergence: internal steps can go on for ever")
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
type Meaning = fn(Option<Box<Confirmed<Shown>>>) -> ClaimOutcome;

/// What a question ends with before it is confirmed.
type Answered = Result<(Option<Shown>, Option<Size>), Unanswered>;

/// Why a question has no answer.
enum Unanswered {
    /// It was not begun.
    NotBegun(WhyUnknown),
    /// A bound was reached.
    Cut(Cut),
    /// The run of the whole system behind what was found would be very long.
    Long,
    /// A run of the reduced system with no run of the whole system behind it.
    Lost(Prefix),
}

impl From<Cut> for Unanswered {
    fn from(cut: Cut) -> Self {
        Unanswered::Cut(cut)
    }
}

/// Asks a question whose witness, if there is one, is `found`'s meaning, of the whole system. The question
/// says with what it finds how it is to be judged again.
fn ask<S: TransitionSystem, J>(
    system: &mut S,
    found: Meaning,
    nothing: Meaning,
    bounds: Bounds,
    question: impl FnOnce(&mut S) -> Result<Option<(Shown, J)>, Cut>,
    evidence: impl FnOnce(&mut S, &Shown, J) -> Result<(), String>,
) -> Result<ClaimVerdict, Failure> {
    let started = Instant::now();
    let (answered, judged) = match WhyUnknown::not_begun(&bounds) {
        Some(why) => (Err(Unanswered::NotBegun(why)), None),
        None => match question(system) {
            Err(cut) => (Err(cut.into()), None),
            Ok(None) => (Ok((None, None)), None),
            Ok(Some((shown, judged))) => (Ok((Some(shown), None)), Some(judged)),
        },
    };
    let mut verdict = conclude(system, found, nothing, answered, |system, shown| match judged {
        Some(judged) => evidence(system, shown, judged),
        None => Ok(()),
    })?;
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
    evidence: impl Fn(&mut S, &Shown) -> Result<(), String>,
) -> Result<ClaimVerdict, Failure> {
    let started = Instant::now();
    if let Some(why) = WhyUnknown::not_begun(&bounds) {
        return conclude(system, found, nothing, Err(Unanswered::NotBegun(why)), evidence);
    }
    let mut refused = Refused::default();
    let mut seen = watched.clone();
    seen.atoms.extend(looked_up);
    // Partial orders and merging keep every state in which nothing is enabled, whatever is looked up there.
    // Forgetting and exchanges keep it up to what they change.
    let (forgetting, merging) = (Some(seen.clone()), Some(watched.clone()));
    let symmetry = Ok(seen.clone());
    let wanted = match reduction {
        Reduction::Sound => Wanted { orders: Ok(watched), symmetry, forgetting, merging, ends },
        Reduction::Symmetry => Wanted { symmetry, ..Wanted::nothing() },
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
    if let Err(Unanswered::Long) = answered {
        // The run of the whole system would be very long, so another one is looked for.
        answered = question(&mut Reduced::whole(system), bounds);
        (said, detours) = (Vec::new(), false);
        refused.unreduced = Some(Refusal::Long);
    } else if let (true, Ok((Some(shown), _))) = (is_exchanged, &answered) {
        // Before another run takes its place, which would hide that something is wrong.
        confirm::shown(system, shown.clone(), &evidence)?;
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
    let mut verdict = conclude(system, found, nothing, answered, evidence)?;
    if said.is_empty() {
        verdict.unreduced = refused.unreduced.or(Some(Refusal::Nothing));
    }
    verdict.asymmetric = refused.asymmetric;
    verdict.reductions.extend(said);
    verdict.time = started.elapsed();
    Ok(verdict)
}

/// The run of the whole system behind one of the reduced system.
fn lifted<S: Reducible>(
    system: &mut Reduced<'_, S>,
    prefix: Option<Prefix>,
) -> Result<Option<Prefix>, Unanswered> {
    let Some(prefix) = prefix else { return Ok(None) };
    let Some(start) = system.start_of(prefix.start) else { return Err(Unanswered::Lost(prefix)) };
    match system.lift_steps(prefix.start, &prefix.steps) {
        Ok(steps) => Ok(Some(Prefix { start, steps })),
        Err(Lost::Long) => Err(Unanswered::Long),
        Err(Lost::Step(_)) => Err(Unanswered::Lost(prefix)),
    }
}

/// The verdict that an answer amounts to, after what was found has been walked once more on the whole
/// system and judged there.
fn conclude<S: TransitionSystem>(
    system: &mut S,
    found: Meaning,
    nothing: Meaning,
    answered: Answered,
    evidence: impl FnOnce(&mut S, &Shown) -> Result<(), String>,
) -> Result<ClaimVerdict, Failure> {
    let (outcome, size) = match answered {
        Err(Unanswered::NotBegun(why)) => (ClaimOutcome::Unknown(why), None),
        Err(Unanswered::Cut(cut)) => (ClaimOutcome::Unknown(WhyUnknown::cut(cut, system)), None),
        // Only a reduced system has such runs, and it has been replaced by the whole one.
        Err(Unanswered::Long) => unreachable!("runs of the whole system are not lifted"),
        Err(Unanswered::Lost(Prefix { steps, .. })) => {
            let run = Run { stem: steps, cycle: Vec::new() };
            return Err(Failure::Internal { flaw: Flaw::Lost, run });
        }
        Ok((None, size)) => (nothing(None), size),
        Ok((Some(shown), size)) => {
            let shown = confirm::shown(system, shown, evidence)?;
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
    let question = |system: &mut Reduced<'_, S>, bounds| {
        let error = |system: &Reduced<'_, S>, state| match system.fault(state) {
            Some(fault) => (fault.kind == FaultKind::Error).then(|| fault.message.clone()),
            None => wrong(system.inner(), state).map(|fault| fault.message),
        };
        let found = reach::state(system, bounds, |system, state| error(system, state).is_some())?;
        let shown = lifted(system, found.prefix)?.map(|prefix| {
            let message = error(system, prefix.end()).unwrap_or_default();
            Shown::new(prefix, message)
        });
        Ok((shown, Some(found.size)))
    };
    ask_reduced(system, watched.into(), effort, meaning, question, confirm::errs(&wrong))
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
    let ending = Ending::Stuck(unfinished.map(str::to_owned));
    let question = |system: &mut Reduced<'_, S>, bounds| {
        let terminated = system.atom("terminated");
        let holds = |system: &Reduced<'_, S>, state, atom: Option<AtomIndex>| {
            atom.is_some_and(|atom| system.holds(state, atom))
        };
        let is_end = |system: &Reduced<'_, S>, state| {
            holds(system, state, terminated) && !holds(system, state, missing)
        };
        let found = reach::deadlock(system, bounds, is_end)?;
        let shown = lifted(system, found.prefix)?;
        let shown = shown.map(|prefix| Shown::stuck(system, prefix, unfinished));
        Ok((shown, Some(found.size)))
    };
    ask_reduced(system, rests, effort, meaning, question, confirm::ends(&ending))
}

/// No run ends, by getting stuck or otherwise.
///
/// # Errors
/// As [`faultless`].
pub fn nonterminating<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    let question = |system: &mut S| {
        let found = refinement::nonterminating(system, bounds)?;
        Ok(found.map(|prefix| (Shown::last(system, prefix), Ending::Over)))
    };
    let evidence =
        |system: &mut S, shown: &Shown, ending: Ending| confirm::ends(&ending)(system, shown);
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, bounds, question, evidence)
}

/// A run that ends in internal steps for ever.
fn diverging(Run { stem, cycle }: Run) -> Shown {
    let start = stem.first().or(cycle.first()).map_or(StateId(0), |step| step.from);
    Shown { cycle, ..Shown::diverges(Prefix { start, steps: stem }) }
}

/// No run does internal steps for ever.
///
/// # Errors
/// As [`faultless`].
pub fn divergence_free<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<ClaimVerdict, Failure> {
    let question = |system: &mut S| {
        let found = refinement::divergence_free(system, bounds)?;
        Ok(found.map(|run| (diverging(run), Ending::Divergence)))
    };
    let evidence =
        |system: &mut S, shown: &Shown, ending: Ending| confirm::ends(&ending)(system, shown);
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, bounds, question, evidence)
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
    let question = |system: &mut S| {
        let found = refinement::deterministic(system, determinism, bounds)?;
        Ok(found.map(|why| match why {
            Nondeterminism::Diverges(run) => (diverging(run), Branching::Diverges),
            Nondeterminism::Refusable { event, accepts, refuses } => {
                let shown = Shown {
                    other: Some(refuses),
                    ..Shown::new(accepts, format!("`{event}` can be taken here, or refused"))
                };
                (shown, Branching::Refusable)
            }
            Nondeterminism::Branches { event, one, other } => {
                let event = event.map_or("an internal step".to_owned(), |name| format!("`{name}`"));
                let shown = Shown {
                    other: Some(other),
                    ..Shown::new(one, format!("{event} can lead to different states"))
                };
                (shown, Branching::Branches)
            }
        }))
    };
    let evidence = |system: &mut S, shown: &Shown, why: Branching| why.judge(system, shown);
    ask(system, ClaimOutcome::Violated, ClaimOutcome::Holds, bounds, question, evidence)
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
    let question = |system: &mut Reduced<'_, S>, bounds| {
        let found = reach::state(system, bounds, |system, state| system.holds(state, goal))?;
        let shown = lifted(system, found.prefix)?;
        let shown = shown.map(|prefix| Shown::reached(system, prefix));
        Ok((shown, Some(found.size)))
    };
    let evidence = confirm::reaches(|system: &mut S, state| system.holds(state, goal));
    ask_reduced(system, watched.into(), effort, meaning, question, evidence)
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
    let reached = Cell::new(None);
    let question = |system: &mut Reduced<'_, S>, bounds| {
        let found = reach::extremes(system, bounds, |system, state| value(system.inner(), state))?;
        let (word, best) = match extreme {
            Extreme::Least => ("least", found.least),
            Extreme::Greatest => ("greatest", found.greatest),
        };
        let Some((value, prefix)) = best else { return Ok((None, Some(found.size))) };
        reached.set(Some(value));
        let shown = lifted(system, Some(prefix))?.map(|prefix| {
            let end = system.describe(prefix.end());
            Shown::new(prefix, format!("the {word} value is {value}, in {end}"))
        });
        Ok((shown, Some(found.size)))
    };
    let evidence = confirm::reaches(|system: &mut S, state| {
        reached.get().is_some() && value(system, state) == reached.get()
    });
    ask_reduced(system, watched.into(), effort, meaning, question, evidence)
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
    let specification = RefCell::new(specification);
    let question = |implementation: &mut I| {
        let specification = &mut **specification.borrow_mut();
        let answer = refinement::refines(implementation, specification, model, bounds)?;
        let Answer::Violated(violation) = answer else { return Ok(None) };
        Ok(Some(match violation.kind {
            ViolationKind::ExtraEvent(event) => {
                let said = format!("the specification cannot do `{event}` here");
                (Shown::new(violation.trace, said), Beyond::Event)
            }
            ViolationKind::Refuses { offered, allowed } => {
                let allowed = match allowed.as_slice() {
                    [] => "nothing that lasts".to_owned(),
                    sets => {
                        let sets: Vec<String> = sets.iter().map(|set| listed(set)).collect();
                        sets.join(" or ")
                    }
                };
                let offered = listed(&offered);
                let said = format!(
                    "only {offered} is offered here; the specification would offer {allowed}"
                );
                (Shown::new(violation.trace, said), Beyond::Refusal)
            }
            ViolationKind::Diverges { cycle } => {
                let said = "internal steps can go on for ever, and the specification's cannot";
                (Shown { cycle, ..Shown::new(violation.trace, said) }, Beyond::Divergence)
            }
        }))
    };
    let evidence = |implementation: &mut I, shown: &Shown, beyond: Beyond| {
        beyond.judge(implementation, &mut **specification.borrow_mut(), model, shown)
    };
    ask(implementation, ClaimOutcome::Violated, ClaimOutcome::Holds, bounds, question, evidence)
}

fn listed(events: &[String]) -> String {
    if events.is_empty() { "nothing".to_owned() } else { format!("{{{}}}", events.join(", ")) }
}
