//! Questions about a system that are no formulas: what it can reach, get stuck in, or refuse.
//!
//! They are about what is possible, so no fairness is assumed. What is found is a finite run, which
//! is walked again on the system before it is returned. Claims about fair runs are in
//! [`fair_refinement`](crate::fair_refinement).

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use fairly_fairness::Notion;
pub use fairly_front::loaded::Extreme;
use fairly_model::Expr;
use fairly_omega::{Acceptance, StateId, Stop};
use fairly_reduce::{LiftError, Reduced, Reducible, Watched};
use fairly_search::engines::{Engine, Procedure, Question};
use fairly_search::lossy::Wanted as Hunted;
use fairly_search::probe::Ahead;
pub use fairly_search::probe::Order;
use fairly_search::reach::{self, FoundBeside, Size, Way};
use fairly_search::refinement::{self, Answer, Determinism, Model, Nondeterminism, ViolationKind};
use fairly_search::{Bounds, Cut, Phase, Prefix, shorten};
use fairly_system::{AtomIndex, Fault, FaultKind, Run, RunStep, TransitionSystem};
use fairly_witness::WitnessError;

use crate::confirm::{self, Beyond, Branching, Confirmed};
use crate::ending::Ending;
use crate::hunt::Lossy;
use crate::soundness::{self, Refusal, Refusals, RowKind, Wanted};
use crate::states::{self, Ends, Target};
use crate::verdict::{CheckError, WhyUnknown};
use crate::verify::{self, Options, Reduction};
use crate::workers::Workers;

/// The answer to a claim.
#[derive(Clone, Debug)]
pub struct ClaimVerdict {
    /// The engine that was asked.
    pub engine: &'static Engine,
    /// Holds, violated or unknown.
    pub outcome: ClaimOutcome,
    /// States and transitions that were explored, where they were counted.
    pub size: Option<Size>,
    /// Reductions used, and how much they left out.
    pub reductions: Vec<String>,
    /// Why nothing was left out, if nothing was.
    pub unreduced: Option<Refusal>,
    /// Why processes were not permuted although some look alike.
    pub asymmetric: Option<Refusal>,
    /// How long it took.
    pub time: Duration,
    /// The part of each state that was kept, if not all.
    pub lossy: Option<Lossy>,
    /// In which order what is shown was found, if the question was about reachable states.
    pub order: Option<Order>,
    /// The fairness assumed, if the question was about fair runs.
    pub fairness: Option<Notion>,
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
    /// Workers that search at once.
    pub workers: Workers,
    /// Fairness that is assumed where the question is about fair runs; none if not given.
    pub fairness: Option<Notion>,
}

/// All of the system is looked at.
impl From<Bounds> for Effort {
    fn from(bounds: Bounds) -> Self {
        Effort { bounds, reduction: Reduction::Off, ..Effort::default() }
    }
}

impl From<&Options> for Effort {
    fn from(options: &Options) -> Self {
        let Options { bounds, reduction, any_run, workers, .. } = *options;
        match options.is_on_card() {
            true => {
                let workers = Workers { on_card: true, ..workers };
                Effort { bounds, reduction: Reduction::Off, any_run, workers, fairness: None }
            }
            false => Effort { bounds, reduction, any_run, workers, fairness: None },
        }
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
    /// The steps that repeat after it, for divergence.
    pub cycle: Vec<RunStep>,
    /// The observation at its end, in a sentence.
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

/// Outcome of a search that found something, or nothing.
pub(crate) type Meaning = fn(Option<Box<Confirmed<Shown>>>) -> ClaimOutcome;

/// Result of a question before it is confirmed.
pub(crate) type Answered = Result<(Option<Shown>, Option<Size>), ClaimError>;

/// Result of a question about reachable states, and the order in which it was found.
type Reached = Result<(Option<(Shown, Order)>, Size), ClaimError>;

/// Why a question has no answer.
pub(crate) enum ClaimError {
    /// It is not known, and why.
    Unknown(WhyUnknown),
    /// The run of the whole system behind what was found would be very long.
    Long,
    /// A run of the reduced system with no run of the whole system behind it.
    Lost(Prefix),
    /// The engine that was chosen cannot answer.
    Engine(String),
}

impl From<WhyUnknown> for ClaimError {
    fn from(why: WhyUnknown) -> Self {
        ClaimError::Unknown(why)
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
) -> Result<ClaimVerdict, CheckError> {
    let started = Instant::now();
    let (answered, judged) = match WhyUnknown::not_begun(&bounds) {
        Some(why) => (Err(why.into()), None),
        None => match question(system) {
            Err(cut) => (Err(WhyUnknown::cut(cut, system).into()), None),
            Ok(None) => (Ok((None, None)), None),
            Ok(Some((shown, judged))) => (Ok((Some(shown), None)), Some(judged)),
        },
    };
    let judge = |system: &mut S, shown: &Shown| match judged {
        Some(judged) => evidence(system, shown, judged),
        None => Ok(()),
    };
    let mut verdict = conclude(system, [found, nothing], answered, judge, bounds.stop())?;
    verdict.engine = Engine::planned(Question::Behaviours, &Acceptance::True);
    verdict.unreduced = Some(Refusal::Table(RowKind::Refinement));
    verdict.time = started.elapsed();
    Ok(verdict)
}

/// Basis of an answer, beside deadlocks and errors.
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
    rests: Rests,
    effort: Effort,
    meaning: [Meaning; 2],
    question: impl Fn(&mut Reduced<'_, S>, Effort) -> Reached,
    evidence: impl Fn(&mut S, &Shown) -> Result<(), String>,
) -> Result<ClaimVerdict, CheckError> {
    let mut settling = Settling::new(effort, &rests);
    let answered = match WhyUnknown::not_begun(&effort.bounds) {
        Some(why) => Err(why.into()),
        None => {
            settling.search(system, rests, |reduced| match WhyUnknown::unsearched(&effort.bounds) {
                Some(why) => Err(why.into()),
                None => question(reduced, effort),
            })
        }
    };
    settling.verdict(system, meaning, answered, question, evidence)
}

/// Between a search in a reduced system and the verdict on the whole one.
#[derive(Clone)]
struct Settling {
    effort: Effort,
    started: Instant,
    /// Expressions that resetting dead variables must not change.
    seen: Watched,
    refused: Refusals,
    /// Remarks of the reductions.
    said: Vec<String>,
    detours: bool,
    is_permuted: bool,
    /// Why an answer that found nothing is open: the reduced system may lack room for a process.
    lacks_room: Option<String>,
    /// Whether there was time to search.
    is_begun: bool,
}

impl Settling {
    fn new(effort: Effort, rests: &Rests) -> Settling {
        let mut seen = rests.watched.clone();
        seen.atoms.extend(rests.looked_up);
        Settling {
            effort,
            started: Instant::now(),
            seen,
            refused: Refusals::default(),
            said: Vec::new(),
            detours: false,
            is_permuted: false,
            lacks_room: None,
            is_begun: false,
        }
    }

    /// The same from now on, for another answer of the same search.
    fn again(&self) -> Settling {
        Settling { started: Instant::now(), ..self.clone() }
    }

    /// Searches in the reduced system.
    fn search<S: Reducible, T>(
        &mut self,
        system: &mut S,
        Rests { watched, ends, looked_up }: Rests,
        search: impl FnOnce(&mut Reduced<'_, S>) -> T,
    ) -> T {
        let Effort { bounds, reduction, .. } = self.effort;
        // Partial orders and merging keep every state in which nothing is enabled, whatever is looked up
        // there. Resets of dead variables and permutations keep it up to what they change.
        let (resetting_dead, merging) = (Some(self.seen.clone()), Some(watched.clone()));
        let symmetry = Ok(self.seen.clone());
        let propositions = watched.atoms.clone();
        let wanted = match reduction {
            Reduction::Sound => {
                let orders = Ok(Watched { looked_up, ..watched });
                Wanted { orders, symmetry, resetting_dead, merging, ends, printed: None }
            }
            Reduction::Paper => {
                let printed = Some(Ok(Watched { looked_up, ..watched }));
                Wanted { printed, ..Wanted::nothing() }
            }
            Reduction::Symmetry => Wanted { symmetry, ..Wanted::nothing() },
            Reduction::DeadVariables => Wanted { resetting_dead, ..Wanted::nothing() },
            Reduction::Merging => Wanted { merging, ..Wanted::nothing() },
            Reduction::Local => Wanted { resetting_dead, merging, ..Wanted::nothing() },
            Reduction::Off => Wanted::nothing(),
        };
        bounds.enter(Some(Phase::Reducing));
        let mut reduced = soundness::reduce(system, wanted, bounds.stop(), &mut self.refused);
        bounds.enter(None);
        let answered = search(&mut reduced);
        self.is_begun = true;
        self.said = soundness::said(&reduced);
        self.detours = soundness::makes_detours(&reduced);
        self.is_permuted = reduced.symmetry().is_some();
        self.lacks_room = reduced.lacks_room();
        reduced.finish_with_errors_kept(&propositions);
        answered
    }

    /// The verdict that an answer of the search amounts to. The question may be asked again, of the whole
    /// system.
    fn verdict<S: Reducible>(
        mut self,
        system: &mut S,
        meaning: [Meaning; 2],
        mut answered: Reached,
        question: impl Fn(&mut Reduced<'_, S>, Effort) -> Reached,
        evidence: impl Fn(&mut S, &Shown) -> Result<(), String>,
    ) -> Result<ClaimVerdict, CheckError> {
        let Effort { bounds, any_run, .. } = self.effort;
        if let Some(why @ Refusal::Printed(_)) = &self.refused.unreduced {
            return Err(verify::not_printed(why));
        }
        if let (Ok((None, _)), Some(why)) = (&answered, self.lacks_room.take()) {
            answered = Err(WhyUnknown::Limit(why).into());
        }
        if !self.is_begun {
            let nothing = answered.map(|_| (None, None));
            return conclude(system, meaning, nothing, evidence, bounds.stop());
        }
        if let Err(ClaimError::Long) = answered {
            // The run of the whole system would be very long, so another one is looked for.
            answered = question(&mut Reduced::whole(system), self.effort);
            (self.said, self.detours) = (Vec::new(), false);
            self.refused.unreduced = Some(Refusal::Long);
        } else if let (true, Ok((Some((shown, _)), _))) = (self.is_permuted, &answered) {
            // Before another run takes its place, which would hide that something is wrong.
            match confirm::shown(system, shown.clone(), &evidence, bounds.stop()) {
                Ok(_) => {}
                Err(CheckError::Stopped) => answered = Err(WhyUnknown::unconfirmed().into()),
                Err(failure) => return Err(failure),
            }
        }
        if let (Ok((Some((_, order)), size)), false) = (&answered, any_run)
            && (self.detours || *order != Order::Breadth)
        {
            // A shortest run of the whole system is better to read, if it is not far.
            let bounds = verify::near(bounds, size.states);
            let near = Effort { bounds, workers: Workers::default(), ..self.effort };
            let mut whole = Reduced::whole(system).resetting_dead(&self.seen);
            let again = question(&mut whole, near);
            if let Ok((Some((_, Order::Breadth)), _)) = again {
                answered = again;
                self.said = soundness::said(&whole);
                self.refused.unreduced = Some(Refusal::Shown);
            }
        }
        let order = answered.as_ref().ok().and_then(|(shown, _)| Some(shown.as_ref()?.1));
        let mut answered =
            answered.map(|(shown, size)| (shown.map(|(shown, _)| shown), Some(size)));
        if let (Ok((Some(shown), _)), Some(Order::Depth | Order::Fewest), false) =
            (&mut answered, order, any_run)
        {
            bounds.enter(Some(Phase::Shortening));
            shown.prefix = shorten::prefix(system, &shown.prefix, verify::near(bounds, 0));
        }
        let mut verdict = conclude(system, meaning, answered, evidence, bounds.stop())?;
        verdict.order = order;
        if self.said.is_empty() {
            verdict.unreduced = self.refused.unreduced.or(Some(Refusal::Nothing));
        }
        if self.effort.workers.on_card {
            verdict.engine = Engine::of(Procedure::Card);
        }
        verdict.asymmetric = self.refused.asymmetric;
        verdict.reductions.extend(self.said);
        verdict.time = self.started.elapsed();
        Ok(verdict)
    }
}

/// The run of the whole system behind one of the reduced system.
fn lifted<S: Reducible>(
    system: &mut Reduced<'_, S>,
    prefix: Option<Prefix>,
) -> Result<Option<Prefix>, ClaimError> {
    let Some(prefix) = prefix else { return Ok(None) };
    let Some(start) = system.start_of(prefix.start) else { return Err(ClaimError::Lost(prefix)) };
    match system.lift_steps(prefix.start, &prefix.steps) {
        Ok(steps) => Ok(Some(Prefix { start, steps })),
        Err(LiftError::Long) => Err(ClaimError::Long),
        Err(LiftError::Stopped) => Err(WhyUnknown::unconfirmed().into()),
        Err(LiftError::Step(_)) => Err(ClaimError::Lost(prefix)),
    }
}

/// Result of a walk in the reduced system, or of a search ahead of it in the whole one.
fn reached<S: Reducible>(
    system: &mut Reduced<'_, S>,
    found: FoundBeside<(Prefix, Order)>,
    shown: impl FnOnce(&mut S, Prefix) -> Shown,
) -> Reached {
    let (prefix, order) = match found.way {
        None => return Ok((None, found.size)),
        Some(Way::Shortest(prefix)) => (lifted(system, Some(prefix))?, Order::Breadth),
        Some(Way::Ahead((prefix, order))) => (Some(prefix), order),
    };
    let shown = prefix.map(|prefix| (shown(system.inner_mut(), prefix), order));
    Ok((shown, found.size))
}

/// Searches ahead of a walk, where states are rows. A run that it finds is one of the whole system.
fn ahead<S: Reducible>(
    wanted: Hunted,
    bounds: Bounds,
) -> impl FnMut(&mut Reduced<'_, S>, usize) -> Option<(Prefix, Order)> {
    let mut ahead = Ahead::new(wanted);
    move |system, walked| {
        let (Prefix { start, steps }, order) = ahead.advance(system.packed()?, walked, bounds)?;
        // A run that cannot be lifted is left to the walk.
        let (start, steps) = system.lift_packed(start, &steps).ok()?;
        Some((Prefix { start, steps }, order))
    }
}

/// The verdict that an answer amounts to, after what was found has been walked once more on the whole
/// system and judged there.
pub(crate) fn conclude<S: TransitionSystem>(
    system: &mut S,
    [found, nothing]: [Meaning; 2],
    answered: Answered,
    evidence: impl FnOnce(&mut S, &Shown) -> Result<(), String>,
    stop: Stop,
) -> Result<ClaimVerdict, CheckError> {
    let (outcome, size) = match answered {
        Err(ClaimError::Unknown(why)) => (ClaimOutcome::Unknown(why), None),
        // Only a reduced system has such runs, and it has been replaced by the whole one.
        Err(ClaimError::Long) => unreachable!("runs of the whole system are not lifted"),
        Err(ClaimError::Lost(Prefix { steps, .. })) => {
            let run = Run { stem: steps, cycle: Vec::new() };
            return Err(CheckError::Internal { flaw: WitnessError::Lost, run });
        }
        Err(ClaimError::Engine(why)) => return Err(CheckError::Engine(why)),
        Ok((None, size)) => (nothing(None), size),
        Ok((Some(shown), size)) => match confirm::shown(system, shown, evidence, stop) {
            Ok(shown) => (found(Some(Box::new(shown))), size),
            Err(CheckError::Stopped) => (ClaimOutcome::Unknown(WhyUnknown::unconfirmed()), None),
            Err(failure) => return Err(failure),
        },
    };
    let (reductions, time) = (Vec::new(), Duration::ZERO);
    Ok(ClaimVerdict {
        engine: Engine::planned(Question::States, &Acceptance::True),
        outcome,
        size,
        reductions,
        unreduced: None,
        asymmetric: None,
        time,
        lossy: None,
        order: None,
        fairness: None,
    })
}

/// No run comes to an error of the model, and none to a state of which `wrong` says that something cannot be
/// evaluated there: a proposition that divides by zero is false, which would go unnoticed. It asks about these
/// propositions.
///
/// # Errors
/// When what was found does not stand up to replay, which is a bug; so for all claims.
pub fn faultless<S: Reducible>(
    system: &mut S,
    propositions: &[AtomIndex],
    wrong: impl Fn(&[u64]) -> Option<Fault> + Sync,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, CheckError> {
    let effort = effort.into();
    let watched = Watched { atoms: propositions.to_vec(), ..Watched::default() };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    let question = error_question(propositions, &wrong);
    ask_reduced(system, watched.into(), effort, meaning, question, confirm::errs(&wrong))
}

/// Whether a run comes to an error, or to a state of which `wrong` says that something cannot be evaluated.
fn error_question<S: Reducible>(
    propositions: &[AtomIndex],
    wrong: impl Fn(&[u64]) -> Option<Fault> + Sync,
) -> impl Fn(&mut Reduced<'_, S>, Effort) -> Reached {
    let asks_rows = !propositions.is_empty();
    move |system, effort| {
        let error = |system: &Reduced<'_, S>, state| match system.fault(state) {
            Some(fault) => (fault.kind == FaultKind::Error).then(|| fault.message.clone()),
            None => {
                let row = system.own_row(state)?;
                wrong(&row).map(|fault| fault.message)
            }
        };
        let is_wrong_row = |row: &[u64]| wrong(row).is_some();
        let target = match asks_rows {
            true => Target::ErrorOrRow(&is_wrong_row),
            false => Target::Error,
        };
        let is_wrong = |system: &Reduced<'_, S>, state| error(system, state).is_some();
        let ahead = ahead(Hunted::Error, effort.bounds);
        let room = (effort.bounds, effort.workers);
        let found = states::find(system, room, target, ahead, |system, bounds, ahead| {
            reach::state_beside(system, bounds, is_wrong, ahead)
        })?;
        reached(system, found, |system, prefix| {
            let end = prefix.end();
            let fault = match system.fault(end) {
                Some(fault) => Some(fault.clone()),
                None => system.own_row(end).and_then(|row| wrong(&row)),
            };
            Shown::new(prefix, fault.map_or(String::new(), |fault| fault.message))
        })
    }
}

/// No run gets stuck before it has ended.
///
/// # Errors
/// As [`faultless`].
pub fn deadlock_free<S: Reducible>(
    system: &mut S,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, CheckError> {
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
) -> Result<ClaimVerdict, CheckError> {
    let missing = unfinished.and_then(|name| system.atom(name));
    let rests = Rests { ends: true, looked_up: missing, ..Rests::default() };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    let ending = Ending::Stuck(unfinished.map(str::to_owned));
    let question = stuck_question(unfinished, missing);
    ask_reduced(system, rests, effort.into(), meaning, question, confirm::ends(&ending))
}

/// Whether a run gets stuck before it has ended.
fn stuck_question<S: Reducible>(
    unfinished: Option<&str>,
    missing: Option<AtomIndex>,
) -> impl Fn(&mut Reduced<'_, S>, Effort) -> Reached {
    move |system, effort| {
        let end = system.atom("terminated");
        let ends = Ends { end, missing };
        let ahead = ahead(Hunted::Stuck { end, unfinished: missing }, effort.bounds);
        let room = (effort.bounds, effort.workers);
        let found =
            states::find(system, room, Target::Stuck(ends), ahead, |system, bounds, ahead| {
                reach::deadlock_beside(system, bounds, ends.are_met(), ahead)
            })?;
        reached(system, found, |system, prefix| Shown::stuck(system, prefix, unfinished))
    }
}

/// [`faultless`] and [`stops_well`] in one exploration. There is no answer to the second where the first is far
/// away, so that the time of the first is not spent on it.
///
/// # Errors
/// As [`faultless`].
pub fn faultless_and_stops_well<S: Reducible>(
    system: &mut S,
    unfinished: Option<&str>,
    effort: impl Into<Effort>,
) -> Result<(ClaimVerdict, Option<ClaimVerdict>), CheckError> {
    let effort = effort.into();
    let bounds = effort.bounds;
    let missing = unfinished.and_then(|name| system.atom(name));
    let rests = Rests { ends: true, looked_up: missing, ..Rests::default() };
    let mut settling = Settling::new(effort, &rests);
    let (error, stuck): (Option<Reached>, Option<Reached>) = match WhyUnknown::not_begun(&bounds) {
        Some(why) => (Some(Err(why.into())), None),
        None => settling.search(system, rests, |reduced| {
            let end = reduced.atom("terminated");
            let stuck = Hunted::Stuck { end, unfinished: missing };
            let (for_error, for_stuck) = (ahead(Hunted::Error, bounds), ahead(stuck, bounds));
            let (room, ends) = ((bounds, effort.workers), Ends { end, missing });
            let both = states::error_and_stuck(reduced, room, ends, for_error, for_stuck);
            let both = match both {
                Ok(both) => both,
                Err(why) => return (Some(Err(why)), None),
            };
            let found = |system: &Reduced<'_, S>, way: Result<_, Cut>| {
                let way = way.map_err(|cut| WhyUnknown::cut(cut, system))?;
                Ok::<_, ClaimError>(FoundBeside { way, size: both.size })
            };
            let error = both.error.map(|way| {
                let found = found(reduced, way)?;
                reached(reduced, found, |system, prefix| {
                    let fault = system.fault(prefix.end()).map(|fault| fault.message.clone());
                    Shown::new(prefix, fault.unwrap_or_default())
                })
            });
            let stuck = both.stuck.map(|way| {
                let stuck = |system: &mut S, prefix| Shown::stuck(system, prefix, unfinished);
                let found = found(reduced, way)?;
                reached(reduced, found, stuck)
            });
            (error, stuck)
        }),
    };
    let meaning = [ClaimOutcome::Violated as Meaning, ClaimOutcome::Holds];
    let nothing = |_: &[u64]| None;
    let question = error_question(&[], nothing);
    // The result comes first: another search may take all the time that is left.
    let ending = Ending::Stuck(unfinished.map(str::to_owned));
    let ends = stuck.map(|stuck| {
        let question = stuck_question(unfinished, missing);
        settling.again().verdict(system, meaning, stuck, question, confirm::ends(&ending))
    });
    let errors = match error {
        Some(error) => {
            settling.verdict(system, meaning, error, question, confirm::errs(nothing))?
        }
        None => faultless(system, &[], nothing, effort)?,
    };
    Ok((errors, ends.transpose()?))
}

/// No run ends, by getting stuck or otherwise.
///
/// # Errors
/// As [`faultless`].
pub fn nonterminating<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
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
) -> Result<ClaimVerdict, CheckError> {
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
) -> Result<ClaimVerdict, CheckError> {
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
) -> Result<ClaimVerdict, CheckError> {
    let effort = effort.into();
    let watched = Watched { atoms: vec![goal], ..Watched::default() };
    let meaning = [ClaimOutcome::Holds as Meaning, ClaimOutcome::Violated];
    let question = |system: &mut Reduced<'_, S>, effort: Effort| {
        let is_goal = |system: &Reduced<'_, S>, state| system.holds(state, goal);
        let ahead = ahead(Hunted::State(goal), effort.bounds);
        let room = (effort.bounds, effort.workers);
        let found =
            states::find(system, room, Target::Goal(goal), ahead, |system, bounds, ahead| {
                reach::state_beside(system, bounds, is_goal, ahead)
            })?;
        reached(system, found, |system, prefix| Shown::reached(system, prefix))
    };
    let evidence = confirm::reaches(|system: &mut S, state| system.holds(state, goal));
    ask_reduced(system, watched.into(), effort, meaning, question, evidence)
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
    value: impl Fn(&[u64]) -> Option<i64> + Sync,
    effort: impl Into<Effort>,
) -> Result<ClaimVerdict, CheckError> {
    let effort = effort.into();
    let watched = Watched { values, ..Watched::default() };
    let meaning = [ClaimOutcome::Holds as Meaning, ClaimOutcome::Violated];
    let best_value = Cell::new(None);
    let question = |system: &mut Reduced<'_, S>, Effort { bounds, workers, .. }: Effort| {
        let found = states::extreme(system, (bounds, workers), extreme, &value)?;
        let (word, best) = match extreme {
            Extreme::Least => ("least", found.best),
            Extreme::Greatest => ("greatest", found.best),
        };
        let Some((value, prefix)) = best else { return Ok((None, found.size)) };
        best_value.set(Some(value));
        let shown = lifted(system, Some(prefix))?.map(|prefix| {
            let end = system.inner().describe(prefix.end());
            (Shown::new(prefix, format!("the {word} value is {value}, in {end}")), Order::Breadth)
        });
        Ok((shown, found.size))
    };
    let evidence = confirm::reaches(|system: &mut S, state| {
        let row = system.own_row(state);
        best_value.get().is_some() && row.and_then(|row| value(&row)) == best_value.get()
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
) -> Result<ClaimVerdict, CheckError> {
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
