//! One property under one assumption.

use std::time::{Duration, Instant};

use fairly_fairness::{Constraint, Level, Notion, Predicate, PrefixKind, Selector};
use fairly_logic::AtomId;
use fairly_omega::emptiness;
use fairly_omega::{Acceptance, Automaton, Graph, Lasso, Stop};
use fairly_reduce::{LiftError, Reduced, Reducible, Symmetry, Watched};
use fairly_search::closure::Closure;
use fairly_search::engines::{Asked, Engine, EngineError, Procedure, Question, Searched};
use fairly_search::{
    Binding, Bounds, Cut, Known, Negation, Phase, Product, closure, global, inherent, nearest,
};
use fairly_system::{
    EventPosition, EventSet, ProcessId, Run, RunStep, Signature, Transition, TransitionSystem,
};
use fairly_translate::{LetterConstraint, Lifted, translate, translate_lifted};
use fairly_witness::{Ledger, WitnessError};

use crate::assumption::Assumption;
use crate::confirm;
use crate::decided;
use crate::implied;
use crate::naming;
use crate::property::{Never, Property};
use crate::soundness::{self, Refusal, Refusals, RowKind, Wanted};
use crate::statistics::Statistics;
use crate::threads;
use crate::vacuity;
use crate::verdict::{
    Answer, CheckError, Counterexample, Doomed, Fairness, Outcome, Stamp, Upgrade, WhyUnknown,
};
use crate::workers::{self, Workers};

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Engine to use for the questions that it answers; chosen by the planner if `None`.
    pub engine: Option<&'static Engine>,
    /// How much may be explored.
    pub bounds: Bounds,
    /// How large the automaton of a property may become.
    pub translation: fairly_translate::Options,
    /// Whether steps may be left out where that keeps the answer.
    pub reduction: Reduction,
    /// Whether a run of a reduced system will do, though the whole system may have shorter ones.
    pub any_run: bool,
    /// Whether a search counts its statistics, which costs a little; only a search by one worker does.
    pub counts: bool,
    /// Workers that search at once.
    pub workers: Workers,
}

impl Options {
    /// The engine that was chosen, if it answers the question.
    pub(crate) fn chosen(&self, question: Question) -> Option<&'static Engine> {
        self.engine.filter(|engine| engine.question == question)
    }

    /// Whether a graphics card is to search.
    pub(crate) fn is_on_card(&self) -> bool {
        self.engine.is_some_and(|engine| engine.procedure == Procedure::Card)
    }

    /// How much may be explored to say more about an answer: what the card has searched is not searched again.
    fn bounds_beside(&self) -> Bounds {
        if self.is_on_card() { near(self.bounds, 0) } else { self.bounds }
    }

    /// The same for another question than the one that was asked: what was chosen for that may not decide this
    /// one.
    pub(crate) fn for_another_question(&self) -> Options {
        let reduction = match self.reduction {
            Reduction::Paper => Reduction::Sound,
            reduction => reduction,
        };
        Options { engine: None, reduction, ..*self }
    }

    /// The engine for a question, given the acceptance condition.
    pub(crate) fn engine_for(
        &self,
        question: Question,
        acceptance: &Acceptance,
    ) -> &'static Engine {
        self.chosen(question).unwrap_or_else(|| Engine::planned(question, acceptance))
    }
}

/// Whether steps may be left out where that keeps the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// Where [`crate::soundness`] says so.
    #[default]
    Sound,
    /// Only by permuting processes that are alike, where that is sound.
    Symmetry,
    /// Only by resetting dead variables, where that is sound.
    DeadVariables,
    /// Only by merging statements, where that is sound.
    Merging,
    /// Only within single processes: by merging their statements and resetting their dead variables.
    Local,
    /// By ample sets as Sun, Liu, Dong and Wang print them, where [`crate::soundness::PRINTED`] allows that; it
    /// is an error where it does not.
    Paper,
    /// Never.
    Off,
}

/// Does every run that meets the assumption satisfy the property?
///
/// # Errors
/// When the engine that was chosen cannot decide it, or when a run that was found does not stand up
/// to replay, which is a bug.
pub fn check<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    options: &Options,
) -> Result<Answer, CheckError> {
    let started = Instant::now();
    let mut stamp = Stamp {
        fairness: assumption.to_string(),
        constraints: Vec::new(),
        engine: None,
        reductions: Vec::new(),
        unreduced: None,
        detours: false,
        asymmetric: None,
        exhaustive: false,
        system: (0, 0),
        product: (0, 0),
        time: started.elapsed(),
        order: None,
        shortening: Duration::ZERO,
        statistics: None,
    };
    let constraints = match WhyUnknown::not_begun(&options.bounds) {
        Some(why) => Err(why),
        None => assumption
            .constraints(system, options.bounds)
            .map_err(|cut| WhyUnknown::cut(cut, system)),
    };
    let constraints = match constraints {
        Ok(constraints) => constraints,
        Err(why) => {
            stamp.time = started.elapsed();
            let (property, formula) = (property.name.clone(), property.text());
            let outcome = Outcome::Unknown(why);
            return Ok(Answer {
                property,
                formula,
                outcome,
                stamp,
                notes: Vec::new(),
                needless: None,
            });
        }
    };
    stamp.constraints = constraints.iter().map(|constraint| constraint.name.clone()).collect();
    if let (Notion::Global | Notion::Inherent(_), Reduction::Paper) =
        (assumption.notion, options.reduction)
    {
        return Err(not_printed(&Refusal::Printed(RowKind::Unannotated)));
    }
    let found = outcome(system, property, (assumption, &constraints), options, &mut stamp);
    let (outcome, remarks) = match found {
        Err(CheckError::Stopped) => {
            stamp.exhaustive = false;
            (Outcome::Unknown(WhyUnknown::unconfirmed()), None)
        }
        found => found?,
    };
    if stamp.system == (0, 0) {
        stamp.system = vacuity::size(system, options.bounds);
    }
    let notes = match &outcome {
        Outcome::Holds(_) => {
            options.bounds.enter(Some(Phase::Doubting));
            let mut notes = Vec::from_iter(implied::note(property, &constraints));
            notes.extend(remarks.unwrap_or_else(|| {
                vacuity::notes(system, property, &constraints, options.bounds_beside())
            }));
            notes
        }
        _ => Vec::new(),
    };
    stamp.time = started.elapsed();
    let formula = property.text();
    let name = property.name.clone();
    Ok(Answer { property: name, formula, outcome, stamp, notes, needless: None })
}

/// The answer where the ample sets of the paper were asked for, and are refused.
pub(crate) fn not_printed(why: &Refusal) -> CheckError {
    CheckError::Reduction(format!("--reduction paper is refused for {why}"))
}

/// The outcome of a check under constraints, and remarks if there was a reason to look for them.
fn outcome<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    (assumption, constraints): (&Assumption, &[Constraint]),
    options: &Options,
    stamp: &mut Stamp,
) -> Result<(Outcome, Option<Vec<String>>), CheckError> {
    let stop = options.bounds.stop();
    let mut beside = None;
    let outcome = match assumption.notion {
        Notion::Inherent(_) if !constraints.is_empty() => {
            return Err(CheckError::Senseless(
                "inherent fairness is about finite prefixes, not a condition on runs, so it cannot \
                 be combined with constraints",
            ));
        }
        Notion::Inherent(_) if property.asks_fairness() => {
            return Err(CheckError::Senseless(
                "inherent fairness is about what can be seen of a finite prefix, which is not what is \
                 enabled and taken",
            ));
        }
        Notion::Inherent(reading) => inherently(system, property, reading, options, stamp)?,
        notion => {
            let found = match notion {
                Notion::Global => globally(system, property, constraints, options, stamp)?,
                _ => {
                    let then = &mut |reduced: &mut Reduced<'_, S>,
                                     property: &Property,
                                     known: Option<Known>| {
                        let bounds = options.bounds_beside();
                        beside = Some(Beside::of(reduced, property, constraints, known, bounds));
                    };
                    decide_and(system, property, constraints, options, stamp, then)?
                }
            };
            match found {
                Found::Run(run) => {
                    options.bounds.enter(Some(Phase::Shortening));
                    let run = if options.any_run || !stamp.detours {
                        run
                    } else {
                        shorter(system, property, constraints, run, options, stamp)?
                    };
                    options.bounds.enter(Some(Phase::Judging));
                    let (run, ledger) = match notion {
                        Notion::Global => {
                            confirm::global(system, property, constraints, run, stop)?
                        }
                        _ => confirm::lasso(system, property, constraints, run, stop)?,
                    };
                    let decided = decided::violated_after(system, property, &run, options);
                    let upgrade = match notion {
                        Notion::Global => None,
                        // No fairness keeps a run from what has happened already.
                        _ if decided.is_some() => None,
                        _ => {
                            // Another question, which the engine that was chosen may not decide.
                            let bounds = aside(options.bounds, stamp);
                            let options =
                                Options { bounds, any_run: true, ..options.for_another_question() };
                            upgrade(system, property, constraints, &run, &options)?
                        }
                    };
                    Outcome::Violated(Box::new(Counterexample { run, ledger, upgrade, decided }))
                }
                Found::Unknown(why) => Outcome::Unknown(why),
                Found::Nothing => {
                    options.bounds.enter(Some(Phase::Closing));
                    if beside.is_none() && notion != Notion::Global {
                        let mut refused = Refusals::default();
                        let mut reduced =
                            reduced(system, Some(property), constraints, options, &mut refused);
                        let bounds = options.bounds_beside();
                        beside =
                            Some(Beside::of(&mut reduced, property, constraints, None, bounds));
                        reduced.finish(&property.propositions());
                    }
                    let known = beside.as_mut().and_then(|beside| beside.closure.take());
                    closed(system, notion, constraints, known, options, stamp)?
                }
            }
        }
    };
    Ok((outcome, beside.map(|beside| beside.notes)))
}

/// A run of the whole system that violates the property, if it is found with little effort: runs of a
/// reduced one are not the shortest. Otherwise the run that was found. Variables that are dead are reset first,
/// since a system may be much larger with them; but a loop of what is left may take another round until they are
/// as they were, and then the system as it is may have a shorter one.
fn shorter<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    run: Run,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Run, CheckError> {
    let bounds = aside(options.bounds, stamp);
    let first = stamp.clone();
    let mut best = (run, false);
    for reduction in [Reduction::DeadVariables, Reduction::Off] {
        let whole = Options { bounds, reduction, ..*options };
        let mut again = Stamp { reductions: Vec::new(), unreduced: None, ..first.clone() };
        let found = match decide(system, property, constraints, &whole, &mut again) {
            Ok(Found::Run(found)) => found,
            Ok(_) | Err(CheckError::Stopped) => break,
            Err(failure) => return Err(failure),
        };
        if again.reductions.is_empty() {
            again.unreduced = Some(Refusal::Shown);
        }
        let has_detours = again.detours;
        if !best.1 || found.steps().count() < best.0.steps().count() {
            best = (found, true);
            *stamp = again;
        }
        if !has_detours {
            break;
        }
    }
    Ok(best.0)
}

/// Findings beside a "holds", in the system as it was searched.
struct Beside {
    /// The effect of the constraints, if there are any and prefixes are not too long to be led back.
    closure: Option<Result<Closed, CheckError>>,
    /// Remarks.
    notes: Vec<String>,
}

/// The effect of constraints on a system, unless it was too much work.
type Closed = Result<Closure, Cut>;

impl Beside {
    fn of<S: Reducible>(
        reduced: &mut Reduced<'_, S>,
        property: &Property,
        constraints: &[Constraint],
        known: Option<Known>,
        bounds: Bounds,
    ) -> Beside {
        bounds.enter(Some(Phase::Closing));
        let closure = match constraints {
            [] => None,
            _ => closure_in(reduced, constraints, known, bounds).transpose(),
        };
        bounds.enter(Some(Phase::Doubting));
        let notes = vacuity::notes(reduced, property, constraints, bounds);
        Beside { closure, notes }
    }
}

/// The effect of constraints on a reduced system, led back to the whole one; `None` if that would be very long.
fn closure_in<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    constraints: &[Constraint],
    known: Option<Known>,
    bounds: Bounds,
) -> Result<Option<Closed>, CheckError> {
    let mut closure = closure::find_knowing(reduced, constraints.to_vec(), known, bounds);
    if let Ok(Closure { doomed: Some(prefix), .. }) = &mut closure {
        match reduced.lift_steps(prefix.start, &prefix.steps) {
            Ok(steps) => prefix.steps = steps,
            Err(LiftError::Long) => return Ok(None),
            Err(LiftError::Stopped) => return Err(CheckError::Stopped),
            Err(LiftError::Step(at)) => {
                let run = Run { stem: prefix.steps.clone(), cycle: Vec::new() };
                return Err(unfounded(at, run));
            }
        }
    }
    Ok(Some(closure))
}

/// "Holds", with what the fairness assumed does to the system. It may be known already.
fn closed<S: Reducible>(
    system: &mut S,
    notion: Notion,
    constraints: &[Constraint],
    known: Option<Result<Closed, CheckError>>,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Outcome, CheckError> {
    let closure = match notion {
        Notion::Global => global::closure(system, constraints.to_vec(), options.bounds),
        _ if constraints.is_empty() => return Ok(Outcome::Holds(Fairness::NotAssumed)),
        _ => match known {
            Some(known) => known?,
            None => closure::find(system, constraints.to_vec(), options.bounds_beside()),
        },
    };
    Ok(match closure {
        // The answer stands; only what is said of the assumption could not be found out.
        Err(_) => {
            stamp.exhaustive = true;
            Outcome::Holds(Fairness::NotKnown)
        }
        Ok(closure) if !closure.feasible => Outcome::Holds(Fairness::Infeasible),
        Ok(closure) => Outcome::Holds(match closure.doomed {
            None => Fairness::MachineClosed,
            Some(prefix) => match confirm::prefix(system, prefix.steps, options.bounds.stop()) {
                Ok(prefix) => Fairness::NotMachineClosed(prefix),
                Err(CheckError::Stopped) => Fairness::NotKnown,
                Err(failure) => return Err(failure),
            },
        }),
    })
}

/// A run of a reduced system that is none of the system: a bug. It is never answered by another search, which
/// would hide it.
pub(crate) fn unfounded(at: usize, run: Run) -> CheckError {
    CheckError::Internal { flaw: WitnessError::NoSuchStep(at), run }
}

/// Strong global fairness.
fn globally<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, CheckError> {
    stamp.engine = Some(options.engine_for(Question::GlobalRuns, &Acceptance::True));
    stamp.unreduced = Some(Refusal::Table(RowKind::Global));
    with_negation(property, options, |negation| {
        let own = constraints.to_vec();
        let mut bounds = options.bounds;
        if let Some(few) = options.workers.few(options.bounds) {
            // Others are started only if the product is not small.
            bounds = few;
        }
        let mut found = global::find(system, negation.clone(), own.clone(), bounds);
        if let (Err(Cut::Nodes(_)), true) = (&found, bounds.nodes != options.bounds.nodes) {
            if let Some(found) =
                workers::global(system, negation.clone(), constraints, options, stamp)?
            {
                return Ok(found);
            }
            found = global::find(system, negation, own, options.bounds);
        }
        Ok(match found {
            Ok(Some(run)) => Found::Run(run),
            Ok(None) => {
                stamp.exhaustive = true;
                Found::Nothing
            }
            Err(cut) => Found::Unknown(WhyUnknown::cut(cut, system)),
        })
    })
}

/// Sets of a decision on prefixes that are kept for the report.
const SHOWN_SETS: usize = 64;

/// Inherent fairness: every finite prefix has a satisfying continuation.
fn inherently<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    reading: PrefixKind,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Outcome, CheckError> {
    let engine = options.engine_for(Question::Prefixes, &Acceptance::True);
    let Procedure::Inherent(procedure) = engine.procedure else {
        unreachable!("other engines answer other questions")
    };
    stamp.engine = Some(engine);
    if property.never.is_some() {
        return Err(CheckError::Senseless(
            "inherent fairness asks for a continuation that satisfies the property, and a never \
             claim only says which runs violate it; state it as a formula",
        ));
    }
    let formula = property.formula;
    let translated = translate(&mut property.formulas, formula, &options.translation);
    let automaton = match translated {
        Ok(automaton) => automaton,
        Err(refused) => return Ok(Outcome::Unknown(WhyUnknown::Refused(refused))),
    };
    let atoms = property.formulas.atoms(formula);
    let bindings = atoms.into_iter().map(|atom| property.binding(atom)).collect();
    let how = inherent::Options {
        reading,
        events: property.reading,
        procedure,
        bounds: options.bounds,
        shown: SHOWN_SETS,
    };
    let mut reduced = Reduced::whole(system);
    if let Reduction::Sound | Reduction::DeadVariables | Reduction::Local = options.reduction {
        reduced = reduced.resetting_dead(&soundness::seen(Some(property), &[]));
    }
    let answer = match inherent::check(&mut reduced, &automaton, bindings, &how) {
        Ok(answer) => answer,
        Err(cut) => return Ok(Outcome::Unknown(WhyUnknown::cut(cut, &reduced))),
    };
    stamp.product = (answer.effort.nodes, answer.effort.pairs);
    stamp.statistics = Some(Statistics::of_prefixes(&answer));
    stamp.exhaustive = true;
    stamp.system = vacuity::size(&mut reduced, options.bounds);
    stamp.reductions = soundness::said(&reduced);
    if stamp.reductions.is_empty() {
        stamp.unreduced = Some(Refusal::Table(RowKind::Inherent));
    }
    Ok(match answer.verdict {
        inherent::Verdict::Holds => Outcome::Holds(Fairness::NotAssumed),
        inherent::Verdict::Doomed { prefix, continuation } => {
            let mut stem = prefix.steps.clone();
            stem.extend(continuation.stem);
            let run = Run { stem, cycle: continuation.cycle };
            let lifted = reduced.lift_steps(prefix.start, &prefix.steps);
            let lifted = lifted.and_then(|prefix| Ok((prefix, reduced.lift(run.clone())?)));
            let (prefix, run) = match lifted {
                Ok(lifted) => lifted,
                Err(LiftError::Stopped) => return Err(CheckError::Stopped),
                Err(LiftError::Step(at)) => return Err(unfounded(at, run)),
                Err(LiftError::Long) => {
                    drop(reduced);
                    let whole = Options { reduction: Reduction::Off, ..*options };
                    return inherently(system, property, reading, &whole, stamp);
                }
            };
            drop(reduced);
            // Every continuation of a doomed prefix violates the property, this run too.
            let stop = options.bounds.stop();
            let (run, _) = confirm::lasso(system, property, &[], run, stop)?;
            let prefix = confirm::prefix(system, prefix, stop)?;
            Outcome::Doomed(Box::new(Doomed { prefix, run }))
        }
    })
}

/// Result of a search for a violating run.
pub(crate) enum Found {
    Run(Run),
    Nothing,
    Unknown(WhyUnknown),
}

/// Premises that may go into the automaton together with a persistence.
const FEW: usize = 3;

/// The automaton of the property's negation, with its fairness premises apart, and what its
/// propositions mean.
pub(crate) fn negation(
    property: &mut Property,
    options: &Options,
) -> Result<(Lifted, Vec<Binding>), WhyUnknown> {
    if let Some(Never { automaton, bindings }) = property.never.clone() {
        return Ok((Lifted { automaton, constraints: Vec::new() }, bindings));
    }
    let negated = property.formulas.negate(property.formula);
    let mut lifted = translate_lifted(&mut property.formulas, negated, &options.translation)
        .map_err(WhyUnknown::Refused)?;
    // `FG b` as a mark says only of a whole component whether it holds; as a state of the automaton
    // it keeps the search from steps without `b`, which finds violations far earlier. The other
    // premises would multiply states, so this is done only where there are few.
    let persistent =
        |constraint: &LetterConstraint| matches!(constraint, LetterConstraint::Persistence(_));
    if lifted.constraints.iter().any(persistent) && lifted.constraints.len() <= FEW {
        let plain = translate(&mut property.formulas, negated, &options.translation);
        if let Ok(automaton) = plain {
            lifted = Lifted { automaton, constraints: Vec::new() };
        }
    }
    let atoms: Vec<AtomId> = property.formulas.atoms(negated);
    let bindings = atoms.into_iter().map(|atom| property.binding(atom)).collect();
    Ok((lifted, bindings))
}

/// The negation as the product takes it.
pub(crate) fn as_negation<'a>(
    automaton: &'a mut Automaton,
    constraints: &[LetterConstraint],
    bindings: Vec<Binding>,
    reading: EventPosition,
) -> Result<Negation<'a>, WhyUnknown> {
    let mut premises = Vec::new();
    for constraint in constraints {
        premises.push(match *constraint {
            LetterConstraint::Justice(label) => (None, Some(label)),
            LetterConstraint::Persistence(label) => {
                (Some(automaton.letters_mut().not(label).map_err(WhyUnknown::Refused)?), None)
            }
            LetterConstraint::Compassion(when, then) => (Some(when), Some(then)),
        });
    }
    let mut negation = Negation::new(automaton, bindings).reading(reading);
    for (fin, inf) in premises {
        negation.add_premise(fin, inf);
    }
    Ok(negation)
}

/// Does something with the negation of the property, unless it is too large to be had.
pub(crate) fn with_negation(
    property: &mut Property,
    options: &Options,
    work: impl FnOnce(Negation<'_>) -> Result<Found, CheckError>,
) -> Result<Found, CheckError> {
    options.bounds.enter(Some(Phase::Translating));
    let (mut lifted, bindings) = match negation(property, options) {
        Ok(negation) => negation,
        Err(why) => return Ok(Found::Unknown(why)),
    };
    options.bounds.enter(None);
    match as_negation(&mut lifted.automaton, &lifted.constraints, bindings, property.reading) {
        Ok(negation) => work(negation),
        Err(why) => Ok(Found::Unknown(why)),
    }
}

/// The system with as few steps as the answer to a question about fair runs allows.
fn reduced<'a, S: Reducible>(
    system: &'a mut S,
    property: Option<&Property>,
    constraints: &[Constraint],
    options: &Options,
    refused: &mut Refusals,
) -> Reduced<'a, S> {
    let watched = soundness::seen(property, constraints);
    let wanted = wanted(property, constraints, watched, options);
    soundness::reduce(system, wanted, options.bounds.stop(), refused)
}

/// Reductions that a question about fair runs allows, given the subjects to watch when processes are permuted.
pub(crate) fn wanted(
    property: Option<&Property>,
    constraints: &[Constraint],
    seen: Watched,
    options: &Options,
) -> Wanted {
    let resetting_dead = Some(seen.clone());
    let orders = soundness::watched(property, Notion::None, constraints);
    let merging = orders.as_ref().ok().and_then(soundness::mergeable);
    let seen = match property.is_some_and(Property::asks_fairness) {
        true => Err(Refusal::Table(RowKind::Asked)),
        false => Ok(seen),
    };
    if options.is_on_card() {
        return Wanted::nothing();
    }
    match options.reduction {
        Reduction::Off => Wanted::nothing(),
        Reduction::Sound => {
            Wanted { orders, symmetry: seen, resetting_dead, merging, ..Wanted::nothing() }
        }
        Reduction::Paper => {
            let printed = Some(soundness::printed(property, constraints));
            Wanted { printed, ..Wanted::nothing() }
        }
        Reduction::Symmetry => Wanted { symmetry: seen, ..Wanted::nothing() },
        Reduction::DeadVariables => Wanted { resetting_dead, ..Wanted::nothing() },
        Reduction::Merging => Wanted { merging, ..Wanted::nothing() },
        Reduction::Local => Wanted { resetting_dead, merging, ..Wanted::nothing() },
    }
}

/// Searches for a run that violates the property and meets the constraints.
pub(crate) fn decide<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, CheckError> {
    decide_and(system, property, constraints, options, stamp, &mut |_, _, _| ())
}

/// Question about a reduced system that follows an answer, and may use what is known from it.
type Then<'t, S> = dyn FnMut(&mut Reduced<'_, S>, &Property, Option<Known>) + 't;

/// The same. If there is none, `then` can ask more of the system as it was searched; it is not asked if that was
/// a quotient in which processes are followed.
fn decide_and<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
    then: &mut Then<'_, S>,
) -> Result<Found, CheckError> {
    let mut refused = Refusals::default();
    // An engine that was chosen is for the whole system.
    let followed = options.chosen(Question::Runs).is_none();
    let watched = Watched { followed, ..soundness::seen(Some(property), constraints) };
    let wanted = wanted(Some(property), constraints, watched, options);
    options.bounds.enter(Some(Phase::Reducing));
    let mut reduced = soundness::reduce(system, wanted, options.bounds.stop(), &mut refused);
    options.bounds.enter(None);
    if let Some(why @ Refusal::Printed(_)) = &refused.unreduced {
        return Err(not_printed(why));
    }
    stamp.asymmetric = refused.asymmetric;
    if let Some(why) = WhyUnknown::unsearched(&options.bounds) {
        return Ok(Found::Unknown(why));
    }
    let mut is_longer = false;
    let is_followed = reduced.symmetry().is_some_and(Symmetry::is_followed);
    let mut known = None;
    let found = if is_followed {
        threads::search(&mut reduced, property, constraints, options, stamp)
    } else {
        match workers::search(&mut reduced, property, constraints, options, stamp, &mut known)? {
            Found::Run(run) => match reduced.lift(run.clone()) {
                Ok(lifted) => {
                    is_longer = lifted.steps().count() > run.steps().count();
                    Ok(Some(Found::Run(lifted)))
                }
                Err(LiftError::Long) => Ok(None),
                Err(LiftError::Stopped) => Err(CheckError::Stopped),
                Err(LiftError::Step(at)) => Err(unfounded(at, run)),
            },
            Found::Nothing => Ok(Some(match reduced.lacks_room() {
                None => Found::Nothing,
                Some(why) => {
                    stamp.exhaustive = false;
                    Found::Unknown(WhyUnknown::Limit(why))
                }
            })),
            found => Ok(Some(found)),
        }
    };
    let said = soundness::said(&reduced);
    let detours = soundness::makes_detours(&reduced) || is_longer;
    let is_permuted = reduced.symmetry().is_some();
    if let (Ok(Some(Found::Nothing)), false) = (&found, is_followed) {
        then(&mut reduced, property, known);
    }
    reduced.finish(&property.propositions());
    let found = match found {
        // The run of the whole system would be very long, so another one is looked for.
        Ok(None) => Err(Refusal::Long),
        // The run of the reduced system is no run of the system, which is a bug.
        Err(failure) => return Err(failure),
        Ok(Some(found)) => Ok(found),
    };
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            stamp.exhaustive = false;
            stamp.unreduced = Some(why);
            let whole = &mut Reduced::whole(system);
            return search(whole, property, constraints, options, stamp, &mut None);
        }
    };
    if let (true, Found::Run(run)) = (is_permuted, &found) {
        confirm::lasso(system, property, constraints, run.clone(), options.bounds.stop())?;
    }
    (stamp.reductions, stamp.detours) = (said, detours);
    if stamp.reductions.is_empty() {
        stamp.unreduced = refused.unreduced.or(Some(Refusal::Nothing));
    }
    Ok(found)
}

/// Searches with one worker. What it finds out about the system stays known if there is no such run, and the effect of
/// the constraints has to be looked for.
pub(crate) fn search<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
    known: &mut Option<Known>,
) -> Result<Found, CheckError> {
    with_negation(property, options, |negation| {
        let automaton = negation.automaton;
        let mut product = Product::new(system, negation, constraints.to_vec());
        let engine = match options.engine_for(Question::Runs, product.acceptance()) {
            Engine { procedure: Procedure::Shared | Procedure::Card, .. } => {
                Engine::planned(Question::Runs, product.acceptance())
            }
            engine => engine,
        };
        stamp.engine = Some(engine);
        // An engine that was chosen decides alone.
        let looks_around = options.chosen(Question::Runs).is_none();
        let asked = Asked { looks_around, counts: options.counts };
        let searched = engine.search(&mut product, options.bounds, asked);
        let Searched { lasso, effort, statistics, cut } = match searched {
            Ok(searched) => searched,
            Err(EngineError::Graph(emptiness::EmptinessError::TooHard(refused))) => {
                return Ok(Found::Unknown(WhyUnknown::Refused(refused)));
            }
            Err(undecided) => return Err(CheckError::Engine(undecided.to_string())),
        };
        stamp.product = (effort.nodes, effort.steps);
        stamp.system = product.system_size();
        let first = lasso.as_ref().map(|(lasso, _)| lasso);
        let told = |counted| Statistics::of(&counted, effort, first, &product);
        stamp.statistics = statistics.map(told);
        let found = match (lasso, cut) {
            (Some((lasso, order)), _) => {
                stamp.order = Some(order);
                let started = Instant::now();
                let lasso = match options.any_run {
                    true => lasso,
                    false => short(&mut product, automaton, lasso, effort.nodes, options),
                };
                stamp.shortening = started.elapsed();
                Found::Run(as_run(&mut product, &lasso, options.bounds.stop())?)
            }
            (None, Some(cut)) => Found::Unknown(WhyUnknown::cut(cut, product.system())),
            (None, None) => {
                stamp.exhaustive = true;
                if closure::looks(constraints) {
                    *known = Some(product.into_known());
                }
                Found::Nothing
            }
        };
        Ok(found)
    })
}

/// A lasso like one that was found after so many nodes, as easy to read as it can be made with little effort:
/// one that reaches a state of the automaton that accepts everything as early as possible, where the property
/// is violated for good, or a short one.
pub(crate) fn short<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    automaton: &Automaton,
    lasso: Lasso,
    searched: usize,
    options: &Options,
) -> Lasso {
    let bounds = near(options.bounds, searched);
    options.bounds.enter(Some(Phase::Shortening));
    product.system_mut().stop_at(bounds.stop());
    let universal: Vec<bool> =
        automaton.states().map(|state| decided::is_universal(automaton, state)).collect();
    let earliest = universal.contains(&true).then(|| {
        nearest::lasso_through(product, bounds, |product: &Product<'_, S>, node| {
            universal[product.pair(node).1.index()]
        })
    });
    let shorter = earliest.flatten().or_else(|| {
        let unlimited = Bounds { nodes: None, ..bounds };
        let near = nearest::shorter(product, &lasso, searched, unlimited);
        // Only what is shorter still counts, so that a run that is near the start stays as it is.
        let known = near.as_ref().unwrap_or(&lasso);
        shorter_of_few(product, known, options.bounds).or(near)
    });
    product.system_mut().stop_at(Stop::default());
    options.bounds.enter(None);
    shorter.unwrap_or(lasso)
}

/// Steps of a lasso that is short enough.
const SHORT: usize = 12;

/// A shorter lasso in which one process goes round alone, or two or three do.
fn shorter_of_few<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    lasso: &Lasso,
    bounds: Bounds,
) -> Option<Lasso> {
    if lasso.stem.len() + lasso.cycle.len() <= SHORT {
        return None;
    }
    let bounds = near(bounds, 0);
    product.system_mut().stop_at(bounds.stop());
    let processes = product.system().signature().processes.len();
    let movers = |product: &mut Product<'_, S>, node| {
        let mut transitions = Vec::new();
        product.transitions(node, &mut transitions);
        let system = product.system();
        let movers = |step: &Transition| {
            let participants = system.action(step.action).participants.iter();
            participants.map(|process: &ProcessId| process.index()).collect()
        };
        transitions.iter().map(movers).collect()
    };
    nearest::shorter_of_few(product, lasso, processes, bounds, movers)
}

/// Steps of a run between two questions whether to stop. A run that is shorter is never given up.
pub(crate) const ASKED: usize = 1 << 10;

/// The run of the system behind a lasso of the product.
///
/// # Errors
/// With [`CheckError::Stopped`] if it is time to stop before its last step.
pub(crate) fn as_run<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    lasso: &Lasso,
    stop: Stop,
) -> Result<Run, CheckError> {
    let mut steps = |hops: &[fairly_omega::Hop]| -> Result<Vec<RunStep>, CheckError> {
        let mut steps = Vec::with_capacity(hops.len());
        for (at, hop) in hops.iter().enumerate() {
            if at % ASKED == ASKED - 1 && stop.is_due() {
                return Err(CheckError::Stopped);
            }
            let transition = product.transition(hop.from, hop.nth);
            let (from, _) = product.pair(hop.from);
            steps.push(RunStep { from, action: transition.action, to: transition.target });
        }
        Ok(steps)
    };
    let (stem, cycle) = (steps(&lasso.stem)?, steps(&lasso.cycle)?);
    Ok(Run { stem, cycle }.folded())
}

/// Replays a run and judges it again: whether it is one, violates the property and meets the constraints.
///
/// # Errors
/// When it does not.
pub fn judge<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    run: &Run,
) -> Result<Ledger, CheckError> {
    let confirmed = confirm::lasso(system, property, constraints, run.clone(), Stop::default());
    confirmed.map(|(_, ledger)| ledger)
}

/// The notions whose single constraints are offered as upgrades, the weakest first.
const UPGRADES: [Notion; 6] = [
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::WeakLive,
    Notion::StrongLive,
];

/// How much may be explored for a remark on a run that has been found already: not much more than
/// finding it took, and some seconds at the most.
pub(crate) fn aside(bounds: Bounds, stamp: &Stamp) -> Bounds {
    near(bounds, stamp.product.0)
}

/// Bounds for what takes little effort beside a search of so many nodes.
pub(crate) fn near(bounds: Bounds, nodes: usize) -> Bounds {
    let nodes = 20_000 + 2 * nodes;
    let soon = Instant::now() + Duration::from_secs(2);
    Bounds {
        nodes: Some(bounds.nodes.map_or(nodes, |most| most.min(nodes))),
        deadline: Some(bounds.deadline.map_or(soon, |deadline| deadline.min(soon))),
        ..bounds
    }
}

/// Checks that may be spent on finding an upgrade with which the property holds.
const ATTEMPTS: usize = 8;

/// The smallest single constraint that excludes this run, preferring one with which the property
/// holds. Constraints about the events of the property are tried first.
fn upgrade<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    run: &Run,
    options: &Options,
) -> Result<Option<Upgrade>, CheckError> {
    // Only what is enabled or ready on the cycle can be owed there, and after this it is listed, even
    // where a system lists its events and moves as they are met. Each candidate stands for itself, so
    // it does not matter whether there are others.
    let stop = options.bounds.stop();
    for step in &run.cycle {
        if stop.is_due() {
            return Ok(None);
        }
        system.enabled(step.from, &mut Vec::new());
        system.offered(step.from, &mut Vec::new());
    }
    for notion in UPGRADES {
        let candidates = naming::constraints(notion, system.signature());
        let Some(ledger) = Ledger::of_until(system, run, &candidates, stop) else {
            return Ok(None);
        };
        let mut excluding: Vec<Constraint> = candidates
            .into_iter()
            .zip(&ledger.entries)
            .filter(|(_, entry)| !entry.met())
            .map(|(candidate, _)| candidate)
            .collect();
        let events = property.events();
        let signature = system.signature();
        excluding.sort_by_key(|candidate| !concerns(signature, candidate, &events));
        let mut best: Option<Upgrade> = None;
        for candidate in excluding.into_iter().take(ATTEMPTS) {
            let mut more = constraints.to_vec();
            more.push(candidate.clone());
            let mut aside = Stamp::default();
            let found = match decide(system, property, &more, options, &mut aside) {
                Err(CheckError::Stopped) => Found::Unknown(WhyUnknown::unconfirmed()),
                found => found?,
            };
            let holds = match found {
                // One that no run meets would make anything hold; it is no advice.
                Found::Nothing => match closure::find(system, more, options.bounds) {
                    Ok(closure) if !closure.feasible => continue,
                    Ok(_) => Some(true),
                    Err(_) => None,
                },
                Found::Run(_) => Some(false),
                Found::Unknown(_) => None,
            };
            let better = best.as_ref().is_none_or(|best| best.suffices.is_none());
            if better || holds == Some(true) {
                best = Some(Upgrade { constraint: candidate.name, suffices: holds });
            }
            if holds == Some(true) {
                break;
            }
        }
        if best.is_some() {
            return Ok(best);
        }
    }
    Ok(None)
}

/// Whether the constraint is about something that takes part in one of these events.
pub(crate) fn concerns(
    signature: &Signature,
    constraint: &Constraint,
    events: &[&EventSet],
) -> bool {
    let Predicate::Taken(selector) = &constraint.then else { return false };
    let spoken_of = |event| events.iter().any(|set| set.contains(event, signature));
    match selector {
        Selector::Events(chosen) => chosen.members().iter().any(|&event| spoken_of(event)),
        _ => signature.move_ids().any(|id| {
            spoken_of(signature.moves[id.index()].event) && selector.selects_move(id, signature)
        }),
    }
}
