//! The least sets of constraints under which a property holds.
//!
//! Every process (or event) may be assumed nothing of, weakly fair, or strongly fair. A choice is
//! *least* if the property holds under it and under no smaller one. All of them are found by going
//! back and forth between choices and runs: a run that violates the property rules out every choice
//! under which it is fair, and the minimal choices that exclude all runs known so far are tried
//! next; one that lets no run through is least, another yields a new run. (This is the duality of
//! minimal sets and hitting sets that Reiter, AIJ 1987, and the enumeration of minimal cores rest
//! on, over three levels instead of two; growing each refuted choice to a maximal one is the step
//! that Liffiton et al., Constraints 2016, call "grow".)
//!
//! The product is explored once, with the marks of all constraints. Only its components that hold a
//! violating cycle when nothing is assumed are searched again; each choice is another condition
//! on them.

use std::collections::VecDeque;

use fairly_fairness::{Constraint, Level, Notion};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Components, Edge, Graph, Hop, Label, Lasso,
    StateId, Step, emptiness,
};
use fairly_reduce::Reducible;
use fairly_search::{Bounded, Product};
use fairly_system::TransitionSystem;
use fairly_witness::Ledger;
use hashbrown::HashMap;

use crate::assumption::constraints_of;
use crate::confirm;
use crate::property::Property;
use crate::side_by_side::side_by_side;
use crate::verdict::{CheckError, Stamp, WhyUnknown};
use crate::verify::{Found, Options, as_negation, as_run, decide, negation};

/// Something that may be assumed weakly or strongly fair.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Weak fairness of it.
    pub weak: Constraint,
    /// Strong fairness of it.
    pub strong: Constraint,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Least {
    /// These are all the least sets, each a list of names of constraints. One empty list: the
    /// property holds without fairness. No list: it fails even with everything at the level strongly
    /// fair.
    Sets {
        /// Subject of the constraints.
        level: Level,
        /// The sets.
        sets: Vec<Vec<String>>,
        /// If there are none: the strong fairness of another level under which it holds.
        elsewhere: Option<Elsewhere>,
        /// How many questions were asked of the stored graph.
        questions: usize,
    },
    /// The enumeration was ended; these are least sets, there may be more.
    Some {
        /// The sets found.
        sets: Vec<Vec<String>>,
        /// Why it ended.
        why: String,
    },
    /// Not known.
    Unknown(WhyUnknown),
}

/// Effect of strong fairness of other levels on a property that no constraints of one level save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// It holds under that of this level.
    Holds(Level),
    /// It holds under none.
    Nowhere,
}

/// Graphs with fewer edges are searched by one thread.
const FEW_EDGES: usize = 10_000;

/// Questions after which the enumeration ends.
const QUESTIONS: usize = 2_000;

/// 0: nothing is assumed, 1: weak, 2: strong; by candidate.
type Choice = Vec<u8>;

/// All least sets of constraints at a level under which, together with the constraints `assumed`,
/// the property holds.
///
/// # Errors
/// As [`crate::check`].
pub fn least<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    level: Level,
    assumed: &[Constraint],
    options: &Options,
) -> Result<Least, CheckError> {
    least_heard(system, property, level, assumed, options, &mut |_| ())
}

/// Turns an error that says that it was time to stop into `None`.
fn in_time<T>(done: Result<T, CheckError>) -> Result<Option<T>, CheckError> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(CheckError::Stopped) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The same, with the least sets so far given to `hear` after each.
///
/// # Errors
/// As [`crate::check`].
pub fn least_heard<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    level: Level,
    assumed: &[Constraint],
    options: &Options,
    hear: &mut dyn FnMut(&[Vec<String>]),
) -> Result<Least, CheckError> {
    if let Some(why) = WhyUnknown::not_begun(&options.bounds) {
        return Ok(Least::Unknown(why));
    }
    let both = constraints_of(Notion::Weak(level), system, options.bounds).and_then(|weak| {
        let strong = constraints_of(Notion::Strong(level), system, options.bounds)?;
        Ok((weak, strong))
    });
    let (weak, strong) = match both {
        Ok(both) => both,
        Err(cut) => return Ok(Least::Unknown(WhyUnknown::cut(cut, system))),
    };
    let candidates: Vec<Candidate> =
        weak.into_iter().zip(strong).map(|(weak, strong)| Candidate { weak, strong }).collect();
    let constraints: Vec<Constraint> = candidates
        .iter()
        .flat_map(|candidate| [candidate.weak.clone(), candidate.strong.clone()])
        .chain(assumed.iter().cloned())
        .collect();

    let (mut lifted, bindings) = match negation(property, options) {
        Ok(negation) => negation,
        Err(why) => return Ok(Least::Unknown(why)),
    };
    let (automaton, reading) = (&mut lifted.automaton, property.reading);
    let negation = match as_negation(automaton, &lifted.constraints, bindings, reading) {
        Ok(negation) => negation,
        Err(why) => return Ok(Least::Unknown(why)),
    };
    let unfair = Acceptance::and([
        negation.automaton.acceptance().clone(),
        negation.letter_acceptance.clone(),
    ]);
    let mut product = Product::new(system, negation, constraints.clone());
    let always =
        (2 * candidates.len()..constraints.len()).map(|at| product.lowering().acceptance_of(at));
    let unfair = Acceptance::and([unfair].into_iter().chain(always));
    let stored = match store(&mut product, options, &unfair) {
        Ok(stored) => stored,
        Err(why) => return Ok(Least::Unknown(why)),
    };
    let condition = |choice: &Choice, product: &Product<'_, S>| {
        let chosen =
            choice.iter().enumerate().filter(|&(_, &level)| level > 0).map(|(at, &level)| {
                product.lowering().acceptance_of(2 * at + usize::from(level) - 1)
            });
        Acceptance::and([unfair.clone()].into_iter().chain(chosen))
    };

    let mut open: Vec<Choice> = vec![vec![0; candidates.len()]];
    let mut least: Vec<Choice> = Vec::new();
    // Conditions on a run that rules a choice out.
    let chosen = |choice: &Choice| -> Vec<Constraint> {
        let each = candidates.iter().zip(choice);
        let constraint = |(candidate, level): (&Candidate, &u8)| match level {
            0 => None,
            1 => Some(candidate.weak.clone()),
            _ => Some(candidate.strong.clone()),
        };
        each.filter_map(constraint).chain(assumed.iter().cloned()).collect()
    };
    let mut questions = 0;
    // Answers about choices that are to come, by other threads.
    let mut ahead: HashMap<Choice, Result<Option<Lasso>, BudgetError>> = HashMap::new();
    let mut ended = false;
    let stop = options.bounds.stop();
    'open: while let Some(choice) = open.pop() {
        if questions >= QUESTIONS || stop.is_due() {
            ended = true;
            break;
        }
        questions += 1;
        let found = match ahead.remove(&choice) {
            Some(found) => found,
            None => {
                // The choices that come next, as far as is known, are asked at the same time.
                let next = open.iter().rev().filter(|next| !ahead.contains_key(*next));
                let next = next.take(options.workers.count.get() - 1);
                let asked: Vec<Choice> = std::iter::once(&choice).chain(next).cloned().collect();
                let asked = asked.into_iter().map(|it| (condition(&it, &product), it)).collect();
                ahead.extend(stored.find_all(asked));
                ahead.remove(&choice).expect("it was asked")
            }
        };
        let lasso = match found {
            Ok(Some(lasso)) => lasso,
            Ok(None) => {
                least.push(choice);
                hear(&named(&candidates, &least));
                continue;
            }
            Err(refused) => return Ok(Least::Unknown(WhyUnknown::Refused(refused))),
        };
        let Some(run) = in_time(as_run(&mut product, &lasso, stop))? else {
            ended = true;
            break;
        };
        // Raise the choice as long as some run still gets through. Whatever keeps the promise must
        // then go beyond the result somewhere, which rules out far more than this one run does.
        let mut large = choice.clone();
        let ledger =
            Ledger::of_until(product.system_mut(), &run, &constraints, confirm::with_grace(stop));
        let met = chosen(&choice);
        let confirmed = in_time(confirm::lasso(product.system_mut(), property, &met, run, stop))?;
        let (Some(mut ledger), Some(_)) = (ledger, confirmed) else {
            ended = true;
            break;
        };
        for at in 0..candidates.len() {
            // A constraint that is not raised rules out less, which is no mistake.
            if questions >= QUESTIONS || stop.is_due() {
                break;
            }
            for level in [2, 1] {
                if large[at] >= level {
                    break;
                }
                let mut larger = large.clone();
                larger[at] = level;
                if !ledger.entries[2 * at + usize::from(level) - 1].met() {
                    questions += 1;
                    match stored.find(condition(&larger, &product)) {
                        Ok(None) => continue,
                        Ok(Some(lasso)) => {
                            let Some(run) = in_time(as_run(&mut product, &lasso, stop))? else {
                                ended = true;
                                break 'open;
                            };
                            let system = product.system_mut();
                            let raised = Ledger::of_until(
                                system,
                                &run,
                                &constraints,
                                confirm::with_grace(stop),
                            );
                            let met = chosen(&larger);
                            let confirmed =
                                in_time(confirm::lasso(system, property, &met, run, stop))?;
                            let (Some(raised), Some(_)) = (raised, confirmed) else {
                                ended = true;
                                break 'open;
                            };
                            ledger = raised;
                        }
                        Err(refused) => return Ok(Least::Unknown(WhyUnknown::Refused(refused))),
                    }
                }
                large = larger;
                break;
            }
        }
        let needed: Vec<Option<u8>> =
            large.iter().map(|&level| (level < 2).then_some(level + 1)).collect();
        open.push(choice);
        open = exclude(open, &least, &needed);
    }
    drop(product);
    let sets = named(&candidates, &least);
    if ended {
        return Ok(Least::Some { sets, why: format!("stopped after {questions} questions") });
    }
    let elsewhere = match least.is_empty() {
        true => elsewhere(system, property, level, assumed, options)?,
        false => None,
    };
    Ok(Least::Sets { level, sets, elsewhere, questions })
}

/// Choices by the names of their constraints, the small ones first.
fn named(candidates: &[Candidate], choices: &[Choice]) -> Vec<Vec<String>> {
    let mut sorted: Vec<&Choice> = choices.iter().collect();
    sorted
        .sort_by_key(|choice| (choice.iter().map(|&level| u32::from(level)).sum::<u32>(), *choice));
    let names = |choice: &Choice| -> Vec<String> {
        let chosen = candidates.iter().zip(choice).filter_map(|(candidate, level)| match level {
            0 => None,
            1 => Some(candidate.weak.name.clone()),
            _ => Some(candidate.strong.name.clone()),
        });
        chosen.collect()
    };
    sorted.into_iter().map(names).collect()
}

/// Whether strong fairness of another level is enough; none if that was not found out.
fn elsewhere<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    level: Level,
    assumed: &[Constraint],
    options: &Options,
) -> Result<Option<Elsewhere>, CheckError> {
    let options = options.for_another_question();
    let mut is_known = true;
    for other in [Level::Process, Level::Event, Level::Action] {
        if other == level {
            continue;
        }
        let Ok(mut constraints) = constraints_of(Notion::Strong(other), system, options.bounds)
        else {
            is_known = false;
            continue;
        };
        constraints.extend(assumed.iter().cloned());
        let stop = options.bounds.stop();
        let found = decide(system, property, &constraints, &options, &mut Stamp::default());
        let confirmed = match found {
            Ok(Found::Nothing) => return Ok(Some(Elsewhere::Holds(other))),
            Ok(Found::Unknown(_)) | Err(CheckError::Stopped) => Err(CheckError::Stopped),
            Ok(Found::Run(run)) => confirm::lasso(system, property, &constraints, run, stop),
            Err(failure) => return Err(failure),
        };
        match confirmed {
            Err(CheckError::Stopped) => is_known = false,
            confirmed => _ = confirmed?,
        }
    }
    Ok(is_known.then_some(Elsewhere::Nowhere))
}

/// Raises the choices that do not exclude a run, in every minimal way, and keeps what is minimal.
fn exclude(open: Vec<Choice>, least: &[Choice], needed: &[Option<u8>]) -> Vec<Choice> {
    let excludes = |choice: &Choice| {
        choice
            .iter()
            .zip(needed)
            .any(|(level, needed)| needed.is_some_and(|needed| *level >= needed))
    };
    let (mut kept, short): (Vec<Choice>, Vec<Choice>) = open.into_iter().partition(excludes);
    let below = |small: &Choice, large: &Choice| small.iter().zip(large).all(|(a, b)| a <= b);
    for choice in short {
        for (at, needed) in needed.iter().enumerate() {
            let Some(needed) = *needed else { continue };
            let mut raised = choice.clone();
            raised[at] = needed;
            let covered = kept.iter().chain(least).any(|smaller| below(smaller, &raised));
            if !covered {
                kept.retain(|larger| !below(&raised, larger));
                kept.push(raised);
            }
        }
    }
    // Small ones last, so that they are tried first.
    kept.sort_by_key(|choice| {
        std::cmp::Reverse(choice.iter().map(|&level| u32::from(level)).sum::<u32>())
    });
    kept
}

/// The product, explored once.
struct Stored {
    whole: Automaton,
    /// The edges inside components that hold an accepted cycle when nothing is assumed; runs start
    /// in any of these components. Nodes have the same numbers as in `whole`.
    core: Automaton,
    /// How each node was first reached: from where, by which of its edges.
    parents: Vec<Option<(StateId, u32)>>,
}

impl Stored {
    /// A lasso of the whole graph whose marks on the cycle are accepted.
    fn find(&self, acceptance: Acceptance) -> Result<Option<Lasso>, BudgetError> {
        let found = emptiness::find_lasso(&mut self.core.graph().accepting(acceptance))?;
        let Some(found) = found else { return Ok(None) };
        let cycle: Vec<Hop> = found.cycle.iter().map(|hop| self.in_whole(hop)).collect();
        let mut stem = Vec::new();
        let mut at = cycle[0].from;
        while let Some((from, nth)) = self.parents[at.index()] {
            stem.push(Hop { from, nth, to: at });
            at = from;
        }
        stem.reverse();
        Ok(Some(Lasso { stem, cycle }))
    }

    /// The same under several conditions at the same time, each in a thread of its own.
    fn find_all<T: Send>(
        &self,
        asked: Vec<(Acceptance, T)>,
    ) -> Vec<(T, Result<Option<Lasso>, BudgetError>)> {
        let find = |(acceptance, it): (Acceptance, T)| (it, self.find(acceptance));
        let is_small = self.core.edge_count() < FEW_EDGES;
        if asked.len() == 1 || is_small {
            return asked.into_iter().take(1).map(find).collect();
        }
        side_by_side(asked, find)
    }

    /// The same step with its position in the whole graph.
    fn in_whole(&self, hop: &Hop) -> Hop {
        let edge = self.core.edges(hop.from)[hop.nth as usize];
        let nth = self.whole.edges(hop.from).iter().position(|other| *other == edge);
        let nth = nth.and_then(|nth| u32::try_from(nth).ok());
        Hop { nth: nth.expect("the core is a part of the whole"), ..*hop }
    }
}

/// Explores the product. Nodes keep their numbers and steps their positions, so that a lasso of the
/// copy is one of the product.
fn store<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    options: &Options,
    unfair: &Acceptance,
) -> Result<Stored, WhyUnknown> {
    let mut bounded = Bounded::new(product, options.bounds);
    let initial = bounded.initial();
    let mut parents: Vec<Option<(StateId, u32)>> = Vec::new();
    let mut known: Vec<bool> = Vec::new();
    let mut see = |node: StateId, parents: &mut Vec<_>, parent| {
        if node.index() >= known.len() {
            known.resize(node.index() + 1, false);
            parents.resize(node.index() + 1, None);
        }
        let fresh = !std::mem::replace(&mut known[node.index()], true);
        if fresh {
            parents[node.index()] = parent;
        }
        fresh
    };
    let mut queue: VecDeque<StateId> = VecDeque::new();
    queue.extend(initial.iter().filter(|&&node| see(node, &mut parents, None)));
    let mut rows: Vec<(StateId, Step)> = Vec::new();
    let mut steps = Vec::new();
    while let Some(node) = queue.pop_front() {
        steps.clear();
        bounded.steps(node, &mut steps);
        for (nth, &step) in (0u32..).zip(&steps) {
            if see(step.target, &mut parents, Some((node, nth))) {
                queue.push_back(step.target);
            }
            rows.push((node, step));
        }
    }
    if let Some(cut) = bounded.cut() {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    if let Some(cut) = product.cut() {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    let mut builder = Builder::new(vec![]);
    builder.add_states(parents.len());
    builder.set_acceptance(unfair.clone(), 0);
    initial.iter().for_each(|&node| builder.add_initial(node));
    for &(node, step) in &rows {
        let marks = builder.mark_table_mut().intern(product.marks(step.marks).into_owned());
        builder.add_interned(node, Edge { target: step.target, label: Label::TRUE, marks });
    }
    let whole = builder.build();

    let components = Components::of(&whole);
    let mut builder = whole.like();
    builder.add_states(whole.state_count());
    for id in components.ids().filter(|&id| !components.is_trivial(id)) {
        let members = components.members(id);
        // One that is too hard to decide stays: the searches will say so.
        if emptiness::has_accepting_cycle(&whole, members, unfair).unwrap_or(true) {
            builder.add_initial(members[0]);
            for &state in members {
                let inside = |edge: &&Edge| components.together(state, edge.target);
                for &edge in whole.edges(state).iter().filter(inside) {
                    builder.add_interned(state, edge);
                }
            }
        }
    }
    Ok(Stored { whole, core: builder.build(), parents })
}
