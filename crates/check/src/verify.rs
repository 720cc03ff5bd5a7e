//! One property under one assumption.

use std::time::{Duration, Instant};

use fairly_fairness::{Constraint, Level, Notion, Predicate, Reading, Selector};
use fairly_logic::AtomId;
use fairly_omega::emptiness;
use fairly_omega::{Acceptance, Automaton, Graph, Lasso};
use fairly_reduce::{Lost, Reduced, Reducible, Symmetry, Watched};
use fairly_search::closure::Closure;
use fairly_search::engines::{Engine, Procedure, Question, Searched, Undecided};
use fairly_search::{
    Binding, Bounds, Negation, Phase, Product, closure, global, inherent, nearest,
};
use fairly_system::{EventReading, EventSet, Run, RunStep, Signature, TransitionSystem};
use fairly_translate::{LetterConstraint, Lifted, translate, translate_lifted};
use fairly_witness::{Flaw, Ledger};

use crate::assumption::Assumption;
use crate::confirm;
use crate::decided;
use crate::implied;
use crate::naming;
use crate::property::{Never, Property};
use crate::soundness::{self, Refusal, Refused, RowKind, Wanted};
use crate::statistics::Statistics;
use crate::threads;
use crate::vacuity;
use crate::verdict::{
    Answer, Counterexample, Doomed, Failure, Fairness, Outcome, Stamp, Upgrade, WhyUnknown,
};

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
}

impl Options {
    /// The engine that was chosen, if it answers the question.
    pub(crate) fn chosen(&self, question: Question) -> Option<&'static Engine> {
        self.engine.filter(|engine| engine.question == question)
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
    /// Only by exchanging processes that are alike, where that is sound.
    Symmetry,
    /// Only by forgetting variables that are dead, where that is sound.
    Forgetting,
    /// Only by merging statements, where that is sound.
    Merging,
    /// Only within single processes: by merging their statements and forgetting their variables.
    Local,
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
) -> Result<Answer, Failure> {
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
    let outcome = match assumption.notion {
        Notion::Inherent(_) if !constraints.is_empty() => {
            return Err(Failure::Senseless(
                "inherent fairness is about finite prefixes, not a condition on runs, so it cannot \
                 be combined with constraints",
            ));
        }
        Notion::Inherent(_) if property.asks_fairness() => {
            return Err(Failure::Senseless(
                "inherent fairness is about what can be seen of a finite prefix, which is not what is \
                 enabled and taken",
            ));
        }
        Notion::Inherent(reading) => inherently(system, property, reading, options, &mut stamp)?,
        notion => {
            let found = match notion {
                Notion::Global => globally(system, property, &constraints, options, &mut stamp)?,
                _ => decide(system, property, &constraints, options, &mut stamp)?,
            };
            match found {
                Found::Run(run) => {
                    options.bounds.enter(Some(Phase::Shortening));
                    let run = if options.any_run || !stamp.detours {
                        run
                    } else {
                        shorter(system, property, &constraints, run, options, &mut stamp)?
                    };
                    options.bounds.enter(Some(Phase::Judging));
                    let (run, ledger) = match notion {
                        Notion::Global => confirm::global(system, property, &constraints, run)?,
                        _ => confirm::lasso(system, property, &constraints, run)?,
                    };
                    let decided =
                        decided::violated_after(system, property, &run, &options.translation);
                    let upgrade = match notion {
                        Notion::Global => None,
                        // No fairness keeps a run from what has happened already.
                        _ if decided.is_some() => None,
                        _ => {
                            // Another question, which the engine that was chosen may not decide.
                            let bounds = aside(options.bounds, &stamp);
                            let options =
                                Options { bounds, engine: None, any_run: true, ..*options };
                            upgrade(system, property, &constraints, &run, &options)?
                        }
                    };
                    Outcome::Violated(Box::new(Counterexample { run, ledger, upgrade, decided }))
                }
                Found::Unknown(why) => Outcome::Unknown(why),
                Found::Nothing => {
                    options.bounds.enter(Some(Phase::Closing));
                    closed(system, notion, &constraints, options, &mut stamp)?
                }
            }
        }
    };
    if stamp.system == (0, 0) {
        stamp.system = vacuity::size(system, options.bounds);
    }
    let notes = match &outcome {
        Outcome::Holds(_) => {
            options.bounds.enter(Some(Phase::Doubting));
            let mut notes = Vec::from_iter(implied::note(property, &constraints));
            let mut reduced = match assumption.notion {
                Notion::Global | Notion::Inherent(_) => Reduced::whole(system),
                _ => {
                    reduced(system, Some(property), &constraints, options, &mut Refused::default())
                }
            };
            let bounds = options.bounds;
            notes.extend(vacuity::notes(&mut reduced, property, &constraints, bounds));
            reduced.finish();
            notes
        }
        _ => Vec::new(),
    };
    stamp.time = started.elapsed();
    let formula = property.text();
    let name = property.name.clone();
    Ok(Answer { property: name, formula, outcome, stamp, notes, needless: None })
}

/// A run of the whole system that violates the property, if it is found with little effort: runs of a
/// reduced one are not the shortest. Otherwise the run that was found. Variables that are dead are forgotten first,
/// since a system may be much larger with them; but a loop of what is left may take another round until they are
/// as they were, and then the system as it is may have a shorter one.
fn shorter<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    run: Run,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Run, Failure> {
    let bounds = aside(options.bounds, stamp);
    let first = stamp.clone();
    let mut best = (run, false);
    for reduction in [Reduction::Forgetting, Reduction::Off] {
        let whole = Options { bounds, reduction, ..*options };
        let mut again = Stamp { reductions: Vec::new(), unreduced: None, ..first.clone() };
        let Found::Run(found) = decide(system, property, constraints, &whole, &mut again)? else {
            break;
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

/// "Holds", with what the fairness assumed does to the system.
fn closed<S: Reducible>(
    system: &mut S,
    notion: Notion,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Outcome, Failure> {
    let closure = match notion {
        Notion::Global => global::closure(system, constraints.to_vec(), options.bounds),
        _ if constraints.is_empty() => return Ok(Outcome::Holds(Fairness::NotAssumed)),
        _ => {
            let mut reduced = reduced(system, None, constraints, options, &mut Refused::default());
            let mut closure = closure::find(&mut reduced, constraints.to_vec(), options.bounds);
            let mut is_lost = false;
            if let Ok(Closure { doomed: Some(prefix), .. }) = &mut closure {
                match reduced.lift_steps(prefix.start, &prefix.steps) {
                    Ok(steps) => prefix.steps = steps,
                    Err(Lost::Long) => is_lost = true,
                    Err(Lost::Step(at)) => {
                        let run = Run { stem: prefix.steps.clone(), cycle: Vec::new() };
                        return Err(unfounded(at, run));
                    }
                }
            }
            reduced.finish();
            if is_lost {
                closure = closure::find(system, constraints.to_vec(), options.bounds);
            }
            closure
        }
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
            Some(prefix) => Fairness::NotMachineClosed(confirm::prefix(system, prefix.steps)?),
        }),
    })
}

/// A run of a reduced system that is none of the system: a bug. It is never answered by another search, which
/// would hide it.
pub(crate) fn unfounded(at: usize, run: Run) -> Failure {
    Failure::Internal { flaw: Flaw::NoSuchStep(at), run }
}

/// Strong global fairness.
fn globally<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, Failure> {
    stamp.engine = Some(options.engine_for(Question::GlobalRuns, &Acceptance::True));
    stamp.unreduced = Some(Refusal::Table(RowKind::Global));
    with_negation(property, options, |negation| {
        Ok(match global::find(system, negation, constraints.to_vec(), options.bounds) {
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
    reading: Reading,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Outcome, Failure> {
    let engine = options.engine_for(Question::Prefixes, &Acceptance::True);
    let Procedure::Inherent(procedure) = engine.procedure else {
        unreachable!("other engines answer other questions")
    };
    stamp.engine = Some(engine);
    if property.never.is_some() {
        return Err(Failure::Senseless(
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
    if let Reduction::Sound | Reduction::Forgetting | Reduction::Local = options.reduction {
        reduced = reduced.forgetting(&soundness::seen(Some(property), &[]));
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
                Err(Lost::Step(at)) => return Err(unfounded(at, run)),
                Err(Lost::Long) => {
                    drop(reduced);
                    let whole = Options { reduction: Reduction::Off, ..*options };
                    return inherently(system, property, reading, &whole, stamp);
                }
            };
            drop(reduced);
            // Whatever continues a doomed prefix violates the property, this run too.
            let (run, _) = confirm::lasso(system, property, &[], run)?;
            let prefix = confirm::prefix(system, prefix)?;
            Outcome::Doomed(Box::new(Doomed { prefix, run }))
        }
    })
}

/// What a search for a violating run ends with.
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
    reading: EventReading,
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
    work: impl FnOnce(Negation<'_>) -> Result<Found, Failure>,
) -> Result<Found, Failure> {
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
    refused: &mut Refused,
) -> Reduced<'a, S> {
    let watched = soundness::seen(property, constraints);
    let wanted = wanted(property, constraints, watched, options);
    soundness::reduce(system, wanted, options.bounds.stop(), refused)
}

/// What a question about fair runs rests on, given what is watched when processes are exchanged.
pub(crate) fn wanted(
    property: Option<&Property>,
    constraints: &[Constraint],
    seen: Watched,
    options: &Options,
) -> Wanted {
    let forgetting = Some(seen.clone());
    let orders = soundness::watched(property, Notion::None, constraints);
    let merging = orders.as_ref().ok().and_then(soundness::mergeable);
    let seen = match property.is_some_and(Property::asks_fairness) {
        true => Err(Refusal::Table(RowKind::Asked)),
        false => Ok(seen),
    };
    match options.reduction {
        Reduction::Off => Wanted::nothing(),
        Reduction::Sound => Wanted { orders, symmetry: seen, forgetting, merging, ends: false },
        Reduction::Symmetry => Wanted { symmetry: seen, ..Wanted::nothing() },
        Reduction::Forgetting => Wanted { forgetting, ..Wanted::nothing() },
        Reduction::Merging => Wanted { merging, ..Wanted::nothing() },
        Reduction::Local => Wanted { forgetting, merging, ..Wanted::nothing() },
    }
}

/// Searches for a run that violates the property and meets the constraints.
pub(crate) fn decide<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, Failure> {
    let mut refused = Refused::default();
    // An engine that was chosen is for the whole system.
    let followed = options.chosen(Question::Runs).is_none();
    let watched = Watched { followed, ..soundness::seen(Some(property), constraints) };
    let wanted = wanted(Some(property), constraints, watched, options);
    options.bounds.enter(Some(Phase::Reducing));
    let mut reduced = soundness::reduce(system, wanted, options.bounds.stop(), &mut refused);
    options.bounds.enter(None);
    stamp.asymmetric = refused.asymmetric;
    let mut is_longer = false;
    let found = if reduced.symmetry().is_some_and(Symmetry::is_followed) {
        threads::search(&mut reduced, property, constraints, options, stamp)
    } else {
        match search(&mut reduced, property, constraints, options, stamp)? {
            Found::Run(run) => match reduced.lift(run.clone()) {
                Ok(lifted) => {
                    is_longer = lifted.steps().count() > run.steps().count();
                    Ok(Some(Found::Run(lifted)))
                }
                Err(Lost::Long) => Ok(None),
                Err(Lost::Step(at)) => Err(unfounded(at, run)),
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
    let is_exchanged = reduced.symmetry().is_some();
    reduced.finish();
    let found = match found {
        // The run of the whole system would be very long, so another one is looked for.
        Ok(None) => Err(Refusal::Long),
        // What was found in the reduced system is no run of the system, which is a bug.
        Err(failure) => return Err(failure),
        Ok(Some(found)) => Ok(found),
    };
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            stamp.exhaustive = false;
            stamp.unreduced = Some(why);
            return search(&mut Reduced::whole(system), property, constraints, options, stamp);
        }
    };
    if let (true, Found::Run(run)) = (is_exchanged, &found) {
        confirm::lasso(system, property, constraints, run.clone())?;
    }
    (stamp.reductions, stamp.detours) = (said, detours);
    if stamp.reductions.is_empty() {
        stamp.unreduced = refused.unreduced.or(Some(Refusal::Nothing));
    }
    Ok(found)
}

fn search<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Found, Failure> {
    with_negation(property, options, |negation| {
        let automaton = negation.automaton;
        let mut product = Product::new(system, negation, constraints.to_vec());
        let engine = options.engine_for(Question::Runs, product.acceptance());
        stamp.engine = Some(engine);
        // An engine that was chosen decides alone.
        let looks_around = options.chosen(Question::Runs).is_none();
        let searched = engine.search(&mut product, options.bounds, looks_around);
        let Searched { lasso, effort, statistics, cut } = match searched {
            Ok(searched) => searched,
            Err(Undecided::Graph(emptiness::Undecided::TooHard(refused))) => {
                return Ok(Found::Unknown(WhyUnknown::Refused(refused)));
            }
            Err(undecided) => return Err(Failure::Engine(undecided.to_string())),
        };
        stamp.product = (effort.nodes, effort.steps);
        stamp.system = product.system_size();
        let first = lasso.as_ref().map(|(lasso, _)| lasso);
        stamp.statistics = Some(Statistics::of(&statistics, effort, first, &product));
        let found = match (lasso, cut) {
            (Some((lasso, order)), _) => {
                stamp.order = Some(order);
                let started = Instant::now();
                let lasso = match options.any_run {
                    true => lasso,
                    false => short(&mut product, automaton, lasso, effort.nodes, options),
                };
                stamp.shortening = started.elapsed();
                Found::Run(as_run(&mut product, &lasso))
            }
            (None, Some(cut)) => Found::Unknown(WhyUnknown::cut(cut, product.system())),
            (None, None) => {
                stamp.exhaustive = true;
                Found::Nothing
            }
        };
        Ok(found)
    })
}

/// A lasso like one that was found after so many nodes, as easy to read as it can be made with little effort:
/// one that reaches a state of the automaton that accepts everything as early as possible, where the property
/// is violated for good, or a short one.
fn short<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    automaton: &Automaton,
    lasso: Lasso,
    searched: usize,
    options: &Options,
) -> Lasso {
    let bounds = near(options.bounds, searched);
    options.bounds.enter(Some(Phase::Shortening));
    product.system_mut().interrupt(bounds.interrupt());
    let universal: Vec<bool> =
        automaton.states().map(|state| decided::is_universal(automaton, state)).collect();
    let earliest = universal.contains(&true).then(|| {
        nearest::lasso_through(product, bounds, |product: &Product<'_, S>, node| {
            universal[product.pair(node).1.index()]
        })
    });
    let shorter = earliest.flatten().or_else(|| {
        let unlimited = Bounds { nodes: None, ..bounds };
        nearest::shorter(product, &lasso, searched, unlimited)
    });
    product.system_mut().interrupt(None);
    options.bounds.enter(None);
    shorter.unwrap_or(lasso)
}

/// The run of the system behind a lasso of the product.
pub(crate) fn as_run<S: TransitionSystem>(product: &mut Product<'_, S>, lasso: &Lasso) -> Run {
    let mut steps = |hops: &[fairly_omega::Hop]| -> Vec<RunStep> {
        hops.iter()
            .map(|hop| {
                let transition = product.transition(hop.from, hop.nth);
                let (from, _) = product.pair(hop.from);
                RunStep { from, action: transition.action, to: transition.target }
            })
            .collect()
    };
    let (stem, cycle) = (steps(&lasso.stem), steps(&lasso.cycle));
    Run { stem, cycle }.folded()
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
) -> Result<Ledger, Failure> {
    confirm::lasso(system, property, constraints, run.clone()).map(|(_, ledger)| ledger)
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
) -> Result<Option<Upgrade>, Failure> {
    // Only what is enabled or ready on the cycle can be owed there, and after this it is listed, even
    // where a system lists its events and moves as they are met. Each candidate stands for itself, so
    // it does not matter whether there are others.
    for step in &run.cycle {
        system.enabled(step.from, &mut Vec::new());
        system.offered(step.from, &mut Vec::new());
    }
    for notion in UPGRADES {
        let candidates = naming::constraints(notion, system.signature());
        let ledger = Ledger::of(system, run, &candidates);
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
            let holds = match decide(system, property, &more, options, &mut aside)? {
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
