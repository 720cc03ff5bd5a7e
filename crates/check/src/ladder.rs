//! The verdict under every notion, from as few searches as possible.
//!
//! Notions are ordered by strength: a property that holds under a weaker one holds under a stronger
//! one, so such an answer is not searched for again. And a run found under one notion is judged
//! under all others: where it is fair, the property is violated there too.

use std::time::Instant;

use fairly_fairness::{Constraint, Level, Notion, Predicate, PrefixKind, StepFormula, Strength};
use fairly_reduce::{Fork, Reducible};
use fairly_search::Bounds;
use fairly_system::{EventId, EventSet, Run, Signature, Trace};
use fairly_witness::Ledger;

use crate::assumption::Assumption;
use crate::confirm::{self, Confirmed};
use crate::property::Property;
use crate::side_by_side::side_by_side;
use crate::verdict::{CheckError, Outcome, Stamp, WhyUnknown};
use crate::verify::{Found, Options, concerns, decide};

/// The verdict under one notion.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The notion.
    pub notion: Notion,
    /// Whether the property holds; `Err` if that is not known.
    pub holds: Result<bool, WhyUnknown>,
    /// Whether the answer was searched for, or follows from another one.
    pub searched: bool,
}

/// The verdicts under all notions.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// One entry a notion, the weaker ones first.
    pub rungs: Vec<Rung>,
    /// How many searches the rungs took.
    pub searches: usize,
    /// Kinds of runs that violate the property.
    pub causes: Vec<Cause>,
}

impl Ladder {
    /// The ladder as it is known when the work on it is ended: the rung that was searched for is unknown for
    /// this reason.
    #[must_use]
    pub fn ended(mut self, why: &str) -> Ladder {
        let is_left = |rung: &&mut Rung| matches!(rung.holds, Err(WhyUnknown::Ended(_)));
        if let Some(rung) = self.rungs.iter_mut().find(is_left) {
            rung.holds = Err(WhyUnknown::Ended(why.to_owned()));
        }
        self
    }
}

/// One kind of run that violates a property.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The reason why such runs are possible.
    pub kind: CauseKind,
    /// One of them.
    pub run: Trace,
}

/// Reason why a violating run is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// The system gets stuck.
    Deadlock,
    /// The system goes on, and nothing asks for weak fairness: a constraint that the run does not
    /// meet.
    NotWeaklyFair(String),
    /// The system goes on and is weakly fair to all processes and events, and nothing asks for
    /// strong fairness: a constraint that the run does not meet.
    NotStronglyFair(String),
    /// The system goes on and is strongly fair to all processes and events.
    Fair,
}

/// The notions of the ladder that are sets of constraints, with those that are weaker: an answer
/// "holds" there is one here.
///
/// Strong fairness of actions implies that of processes: one that can move again and again has a move that is
/// possible again and again, and the process that makes it moves.
const RUNGS: [(Notion, &[usize]); 7] = [
    (Notion::None, &[]),
    (Notion::Weak(Level::Process), &[0]),
    (Notion::Weak(Level::Event), &[0]),
    (Notion::Weak(Level::Action), &[0]),
    (Notion::Strong(Level::Process), &[0, 1]),
    (Notion::Strong(Level::Event), &[0, 2]),
    (Notion::Strong(Level::Action), &[0, 3, 4]),
];

/// Bounds for the first of so many pieces of work that share the time that is left, so that one that has no
/// end does not take it from the others.
fn share(bounds: Bounds, pieces: usize) -> Bounds {
    let pieces = u32::try_from(pieces.max(1)).unwrap_or(u32::MAX);
    let now = Instant::now();
    let part = |deadline: Instant| now + deadline.saturating_duration_since(now) / pieces;
    Bounds { deadline: bounds.deadline.map(part), ..bounds }
}

/// The verdict under every notion, each together with the constraints `assumed`. Inherent fairness,
/// which is no condition on runs, is left out when there are some, and of properties that it means nothing for.
///
/// # Errors
/// As [`crate::check`].
pub fn ladder<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumed: &[Constraint],
    options: &Options,
) -> Result<Ladder, CheckError> {
    ladder_heard(system, property, assumed, options, &mut |_| ())
}

/// The same, with the ladder so far given to `hear` after each rung. Rungs that are to come are unknown.
///
/// # Errors
/// As [`crate::check`].
pub fn ladder_heard<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumed: &[Constraint],
    options: &Options,
    hear: &mut dyn FnMut(&Ladder),
) -> Result<Ladder, CheckError> {
    let mut rungs: Vec<Rung> = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut searches = 0;
    let whole = options;
    let has_prefixes = assumed.is_empty() && !property.asks_fairness() && property.never.is_none();
    let beyond: &[Notion] = match has_prefixes {
        true => &[
            Notion::Global,
            Notion::Inherent(PrefixKind::Run),
            Notion::Inherent(PrefixKind::Trace),
        ],
        false => &[Notion::Global],
    };
    // The causes are one piece of work more.
    let all = RUNGS.len() + beyond.len() + 1;
    let mut tell = |rungs: &[Rung], searches: usize| {
        if !rungs.is_empty() {
            hear(&so_far(rungs, beyond, searches));
        }
    };
    // Answers that other threads have found already.
    let mut ahead: Vec<(Notion, Result<bool, WhyUnknown>)> = Vec::new();
    let mut is_large = false;
    for (at, (notion, weaker)) in RUNGS.into_iter().enumerate() {
        tell(&rungs, searches);
        if is_large && TOGETHER.contains(&at) {
            let open = open_rungs(system, assumed, &RUNGS[at..at + 3], &rungs, &runs, options);
            let room = (options, all - rungs.len());
            ahead = together(system, property, assumed, &open, room)?;
        }
        if let Some(found) = ahead.iter().position(|(of, _)| *of == notion) {
            searches += 1;
            let (_, holds) = ahead.swap_remove(found);
            rungs.push(Rung { notion, holds, searched: true });
            continue;
        }
        if weaker.iter().any(|&at| rungs[at].holds == Ok(true)) {
            rungs.push(Rung { notion, holds: Ok(true), searched: false });
            continue;
        }
        if let Some(why) = WhyUnknown::not_begun(&whole.bounds) {
            rungs.push(Rung { notion, holds: Err(why), searched: false });
            continue;
        }
        let options = &Options { bounds: share(whole.bounds, all - rungs.len()), ..*whole };
        let assumption = Assumption { notion, extra: assumed.to_vec() };
        let constraints = match assumption.constraints(system, options.bounds) {
            Ok(constraints) => constraints,
            Err(cut) => {
                let holds = Err(WhyUnknown::cut(cut, system));
                rungs.push(Rung { notion, holds, searched: true });
                continue;
            }
        };
        let refuted = runs.iter().any(|run| Ledger::of(system, run, &constraints).is_fair());
        let (holds, searched) = if refuted {
            (Ok(false), false)
        } else {
            searches += 1;
            let mut aside = Stamp::default();
            let found = decide_somehow(system, property, &constraints, options, &mut aside);
            is_large |= options.workers.count.get() > 1
                && aside.product.0.max(aside.system.0) > options.workers.alone;
            let holds = match found {
                Ok(Found::Nothing) => Ok(true),
                Ok(Found::Unknown(why)) => Err(why),
                Ok(Found::Run(run)) => {
                    let stop = options.bounds.stop();
                    match confirm::lasso(system, property, &constraints, run, stop) {
                        Ok((run, _)) => {
                            runs.push(run.into_inner());
                            Ok(false)
                        }
                        Err(CheckError::Stopped) => Err(WhyUnknown::unconfirmed()),
                        Err(failure) => return Err(failure),
                    }
                }
                Err(CheckError::Stopped) => Err(WhyUnknown::unconfirmed()),
                Err(failure) => return Err(failure),
            };
            (holds, true)
        };
        rungs.push(Rung { notion, holds, searched });
    }
    let mut ahead = Vec::new();
    let follows = rungs.iter().any(|rung| rung.holds == Ok(true));
    if is_large && !follows {
        let room = (options, all - rungs.len());
        ahead = together(system, property, assumed, beyond, room)?;
    }
    for &notion in beyond {
        tell(&rungs, searches);
        let follows = rungs.iter().any(|rung| rung.holds == Ok(true));
        let known = ahead.iter().position(|(of, _)| *of == notion);
        let (holds, searched) = if follows {
            (Ok(true), false)
        } else if let Some(known) = known {
            searches += 1;
            (ahead.swap_remove(known).1, true)
        } else {
            searches += 1;
            let options = &Options { bounds: share(whole.bounds, all - rungs.len()), ..*whole };
            let assumption = Assumption { notion, extra: assumed.to_vec() };
            let verdict = crate::check(system, property, &assumption, options)?;
            let holds = match verdict.outcome {
                Outcome::Holds(_) => Ok(true),
                Outcome::Violated(_) | Outcome::Doomed(_) => Ok(false),
                Outcome::Unknown(why) => Err(why),
            };
            (holds, true)
        };
        rungs.push(Rung { notion, holds, searched });
    }
    tell(&rungs, searches);
    let causes = match &rungs[0].holds {
        Ok(false) => causes(system, property, assumed, &options.for_another_question())?,
        _ => Vec::new(),
    };
    Ok(Ladder { rungs, searches, causes })
}

/// The first of three rungs that say nothing of each other, so that several workers answer them at the same time.
const TOGETHER: [usize; 2] = [1, 4];

/// Those of some rungs whose answers do not follow from what is known.
fn open_rungs<S: Reducible>(
    system: &mut S,
    assumed: &[Constraint],
    some: &[(Notion, &[usize])],
    rungs: &[Rung],
    runs: &[Run],
    options: &Options,
) -> Vec<Notion> {
    let holds = |&at: &usize| rungs.get(at).is_some_and(|rung| rung.holds == Ok(true));
    let mut open = Vec::new();
    for (notion, weaker) in some {
        if weaker.iter().any(holds) || WhyUnknown::not_begun(&options.bounds).is_some() {
            continue;
        }
        let assumption = Assumption { notion: *notion, extra: assumed.to_vec() };
        let Ok(constraints) = assumption.constraints(system, options.bounds) else { continue };
        if !runs.iter().any(|run| Ledger::of(system, run, &constraints).is_fair()) {
            open.push(*notion);
        }
    }
    open
}

/// A notion, and whether the property holds under it.
type NotionAnswer = (Notion, Result<bool, WhyUnknown>);

/// Answers under several notions at the same time, each by a part of the workers and in a system of its own. Nothing
/// if there is only one, or no other system can be made. The time that is left is for so many rungs.
fn together<S: Reducible>(
    system: &S,
    property: &Property,
    assumed: &[Constraint],
    notions: &[Notion],
    (options, left): (&Options, usize),
) -> Result<Vec<NotionAnswer>, CheckError> {
    let fork = |_| Some((system.fork()?, property.copy()?));
    let forks: Option<Vec<(Fork<S>, Property)>> = notions.iter().map(fork).collect();
    let (Some(forks), true) = (forks, notions.len() > 1) else { return Ok(Vec::new()) };
    let workers = options.workers.among(notions.len());
    let bounds = share(options.bounds, left.div_ceil(notions.len()));
    let options = &Options { workers, bounds, ..*options };
    let answer = |notion: Notion, fork: Fork<S>, mut property: Property| {
        let system = &mut fork();
        let assumption = Assumption { notion, extra: assumed.to_vec() };
        if let Notion::Global | Notion::Inherent(_) = notion {
            let verdict = crate::check(system, &mut property, &assumption, options)?;
            return Ok(match verdict.outcome {
                Outcome::Holds(_) => Ok(true),
                Outcome::Violated(_) | Outcome::Doomed(_) => Ok(false),
                Outcome::Unknown(why) => Err(why),
            });
        }
        let constraints = match assumption.constraints(system, options.bounds) {
            Ok(constraints) => constraints,
            Err(cut) => return Ok(Err(WhyUnknown::cut(cut, system))),
        };
        let mut aside = Stamp::default();
        Ok(match decide_somehow(system, &mut property, &constraints, options, &mut aside)? {
            Found::Nothing => Ok(true),
            Found::Unknown(why) => Err(why),
            Found::Run(run) => {
                let stop = options.bounds.stop();
                match confirm::lasso(system, &property, &constraints, run, stop) {
                    Ok(_) => Ok(false),
                    Err(CheckError::Stopped) => Err(WhyUnknown::unconfirmed()),
                    Err(failure) => return Err(failure),
                }
            }
        })
    };
    let asked = notions.iter().copied().zip(forks).collect();
    let answers =
        side_by_side(asked, |(notion, (fork, property))| (notion, answer(notion, fork, property)));
    answers.into_iter().map(|(notion, answer)| Ok((notion, answer?))).collect()
}

/// A ladder that has these rungs, and may have others.
fn so_far(rungs: &[Rung], beyond: &[Notion], searches: usize) -> Ladder {
    let notions = RUNGS.iter().map(|(notion, _)| notion).chain(beyond);
    let holds = || Err(WhyUnknown::Ended("not begun".to_owned()));
    let left =
        notions.skip(rungs.len()).map(|&notion| Rung { notion, holds: holds(), searched: false });
    Ladder { rungs: rungs.iter().cloned().chain(left).collect(), searches, causes: Vec::new() }
}

/// As [`decide`], by another engine where the one that was chosen does not decide the question: rungs
/// ask different ones.
fn decide_somehow<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, CheckError> {
    match decide(system, property, constraints, options, stamp) {
        Err(CheckError::Engine(_)) if options.engine.is_some() => {
            let any = options.for_another_question();
            decide(system, property, constraints, &any, stamp)
        }
        found => found,
    }
}

/// Weak constraints for which a run that does not meet them is looked for, at the most.
const TRIES: usize = 16;

/// The constraints to try first: those about what the property speaks of.
fn likely<'a>(
    signature: &Signature,
    constraints: &'a [Constraint],
    spoken_of: &[EventSet],
) -> Vec<&'a Constraint> {
    let events: Vec<&EventSet> = spoken_of.iter().collect();
    let mut all: Vec<&Constraint> = constraints.iter().collect();
    all.sort_by_key(|constraint| !concerns(signature, constraint, &events));
    all.truncate(TRIES);
    all
}

/// Constraints that exactly the runs meet that do not meet a weak one: in the end its demand is there
/// for ever, and is never fulfilled.
fn against(weak: &Constraint) -> Vec<Constraint> {
    let never = |when: Predicate| Constraint {
        name: format!("not {}", weak.name),
        strength: Strength::Strong,
        when,
        then: Predicate::Step(StepFormula::Or(Vec::new())),
    };
    let Predicate::Enabled(selector) = &weak.when else { return vec![never(Predicate::True)] };
    vec![never(Predicate::Disabled(selector.clone())), never(weak.then.clone())]
}

/// The kinds of runs that violate a property, the ones that less fairness excludes first. A kind that
/// cannot be searched for within the bounds is left out.
fn causes<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumed: &[Constraint],
    options: &Options,
) -> Result<Vec<Cause>, CheckError> {
    let stuck = StepFormula::Event(vec![EventId::IDLE].into());
    let justice = |name: &str, then: StepFormula| Constraint {
        name: name.to_owned(),
        strength: Strength::Weak,
        when: Predicate::True,
        then: Predicate::Step(then),
    };
    let of_all = |system: &mut S, strength: fn(Level) -> Notion| -> Option<Vec<Constraint>> {
        let mut all = Vec::new();
        for level in [Level::Process, Level::Event] {
            let assumption = Assumption::of(strength(level));
            all.extend(assumption.constraints(system, options.bounds).ok()?);
        }
        Some(all)
    };
    let spoken_of: Vec<EventSet> = property.events().into_iter().cloned().collect();
    let mut search =
        |system: &mut S, more: Vec<Constraint>| -> Result<Option<Confirmed<Run>>, CheckError> {
            let constraints: Vec<Constraint> = assumed.iter().cloned().chain(more).collect();
            let mut aside = Stamp::default();
            let run = match decide(system, property, &constraints, options, &mut aside) {
                Ok(Found::Run(run)) => run,
                Ok(Found::Nothing | Found::Unknown(_)) | Err(CheckError::Stopped) => {
                    return Ok(None);
                }
                Err(failure) => return Err(failure),
            };
            let stop = options.bounds.stop();
            match confirm::lasso(system, property, &constraints, run, stop) {
                Ok((run, _)) => Ok(Some(run)),
                Err(CheckError::Stopped) => Ok(None),
                Err(failure) => Err(failure),
            }
        };
    let not_met = |system: &mut S, run: &Run, asked: &[Constraint]| {
        let ledger = Ledger::of(system, run, asked);
        ledger.entries.iter().find(|entry| !entry.met()).map(|entry| entry.name.clone())
    };
    let mut causes = Vec::new();
    if let Some(run) = search(system, vec![justice("deadlock", stuck.clone())])? {
        causes.push(Cause { kind: CauseKind::Deadlock, run: Trace::of(system, &run) });
    }
    let goes_on = justice("goes on", StepFormula::Not(Box::new(stuck)));
    let (Some(weak), Some(strong)) = (of_all(system, Notion::Weak), of_all(system, Notion::Strong))
    else {
        return Ok(causes);
    };
    for constraint in likely(system.signature(), &weak, &spoken_of) {
        let mut unfair = against(constraint);
        unfair.push(goes_on.clone());
        if let Some(run) = search(system, unfair)? {
            let kind = CauseKind::NotWeaklyFair(constraint.name.clone());
            causes.push(Cause { kind, run: Trace::of(system, &run) });
            break;
        }
    }
    let with = |more: &[Constraint]| -> Vec<Constraint> {
        std::iter::once(goes_on.clone()).chain(more.iter().cloned()).collect()
    };
    if let Some(run) = search(system, with(&weak))?
        && let Some(name) = not_met(system, &run, &strong)
    {
        let kind = CauseKind::NotStronglyFair(name);
        causes.push(Cause { kind, run: Trace::of(system, &run) });
    }
    if let Some(run) = search(system, with(&strong))? {
        causes.push(Cause { kind: CauseKind::Fair, run: Trace::of(system, &run) });
    }
    Ok(causes)
}
