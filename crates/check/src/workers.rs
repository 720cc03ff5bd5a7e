//! One property with several workers.
//!
//! A small product is searched by one worker, and none is started for it. What several workers find is a path like any
//! other: it is shortened in the product that one worker explores, led back to the system, replayed and judged.

use std::num::NonZeroUsize;
use std::time::Instant;

use fairly_fairness::Constraint;
use fairly_omega::{Hop, Lasso, StateId, Stop};
use fairly_reduce::{LiftError, Reduced, Reducible};
use fairly_search::engines::{Engine, Procedure, Question};
use fairly_search::parallel::{self, Kind, Team};
use fairly_search::probe::Order;
use fairly_search::shared_product::{SharedRun, SharedRunStep};
use fairly_search::{Bounds, Cut, Known, Negation, Product};
use fairly_system::{ActionId, TransitionSystem};

use crate::card;
use crate::property::Property;
use crate::verdict::{CheckError, Stamp, WhyUnknown};
use crate::verify::{self, ASKED, Found, Options, as_run, short, with_negation};

/// Nodes that one worker explores before others are started, unless told otherwise.
const SMALL: usize = 10_000;

/// Workers that search at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// How many, at most.
    pub count: NonZeroUsize,
    /// States, or nodes of a product, that one of them explores before others are started.
    pub alone: usize,
    /// Whether reachable states are looked for on a graphics card instead.
    pub on_card: bool,
}

impl Default for Workers {
    /// A single one.
    fn default() -> Self {
        Workers { count: NonZeroUsize::MIN, alone: SMALL, on_card: false }
    }
}

impl Workers {
    /// Those that each of several questions gets that are asked at the same time.
    pub(crate) fn among(self, questions: usize) -> Workers {
        let count = NonZeroUsize::new(self.count.get() / questions.max(1));
        Workers { count: count.unwrap_or(NonZeroUsize::MIN), ..self }
    }

    /// The same for searches.
    pub(crate) fn team(self) -> Team {
        Team { workers: self.count.get(), alone: self.alone.saturating_mul(2) }
    }

    /// The bounds for the first worker before others are started; `None` if no other is.
    pub(crate) fn few(self, bounds: Bounds) -> Option<Bounds> {
        let is_more = bounds.nodes.is_none_or(|nodes| nodes > self.alone);
        let few = Bounds { nodes: Some(self.alone), ..bounds };
        (self.count.get() > 1 && is_more).then_some(few)
    }
}

/// Searches with several workers, if there are any and the product is not small, or else with one. What one finds out
/// about the system stays known.
pub(crate) fn search<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
    known: &mut Option<Known>,
) -> Result<Found, CheckError> {
    if options.is_on_card() {
        return card::runs(reduced, property, constraints, options, stamp);
    }
    let shared = Engine::of(Procedure::Shared);
    let chosen = options.chosen(Question::Runs);
    let is_chosen = chosen.is_some_and(|engine| std::ptr::eq(engine, shared));
    if !is_chosen {
        let Some(few) = options.workers.few(options.bounds).filter(|_| chosen.is_none()) else {
            return verify::search(reduced, property, constraints, options, stamp, known);
        };
        let few = Options { bounds: few, ..*options };
        let found = verify::search(reduced, property, constraints, &few, stamp, known)?;
        let is_cut = matches!(
            &found,
            Found::Unknown(WhyUnknown::Cut(Cut::Nodes(_)) | WhyUnknown::Growing(Cut::Nodes(_), _))
        );
        if !is_cut {
            return Ok(found);
        }
    }
    let mut is_declined = false;
    let found = with_negation(property, options, |negation| {
        let found = several(reduced, negation, constraints, Kind::Any, options, stamp)?;
        is_declined = found.is_none();
        Ok(found.unwrap_or(Found::Nothing))
    })?;
    match (is_declined, is_chosen) {
        (false, _) => Ok(found),
        (true, false) => verify::search(reduced, property, constraints, options, stamp, known),
        (true, true) => Err(CheckError::Engine(format!(
            "the engine `{}` needs states as rows, and components that are not too hard to decide",
            shared.name
        ))),
    }
}

/// Searches for a run that is strongly globally fair with several workers, if there are any and the product is not
/// small; `None` if one worker is to search.
pub(crate) fn global<S: Reducible>(
    system: &mut S,
    negation: Negation<'_>,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Option<Found>, CheckError> {
    let is_small = options.workers.few(options.bounds).is_none();
    if is_small {
        return Ok(None);
    }
    let mut reduced = Reduced::whole(system);
    let found = several(&mut reduced, negation, constraints, Kind::Global, options, stamp)?;
    Ok(match found {
        Some(Found::Run(run)) => match reduced.lift(run.clone()) {
            Ok(run) => Some(Found::Run(run)),
            Err(LiftError::Long) => None,
            Err(LiftError::Stopped) => return Err(CheckError::Stopped),
            Err(LiftError::Step(at)) => return Err(verify::unfounded(at, run)),
        },
        found => found,
    })
}

/// Searches with several workers; `None` if they cannot answer.
fn several<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    negation: Negation<'_>,
    constraints: &[Constraint],
    kind: Kind,
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Option<Found>, CheckError> {
    // Those of the search by one worker, which was given up.
    stamp.statistics = None;
    let Some(space) = reduced.shared() else { return Ok(None) };
    let automaton = negation.automaton;
    let (own, bounds) = (constraints.to_vec(), options.bounds);
    let team = options.workers.team();
    let searched = parallel::runs(&*space, negation.clone(), own, kind, bounds, team);
    let run = match searched.found {
        parallel::Found::Declined => return Ok(None),
        parallel::Found::Run(run) => Some(run),
        parallel::Found::Nothing => {
            stamp.exhaustive = true;
            None
        }
        parallel::Found::Cut(cut) => {
            (stamp.product, stamp.system) = (searched.product, searched.system);
            return Ok(Some(Found::Unknown(WhyUnknown::cut_while(cut, searched.growth))));
        }
        parallel::Found::Limit(fault) => {
            return Ok(Some(Found::Unknown(WhyUnknown::Limit(fault.message))));
        }
    };
    stamp.engine = Some(Engine::of(Procedure::Shared));
    (stamp.product, stamp.system) = (searched.product, searched.system);
    let Some(run) = run else { return Ok(Some(Found::Nothing)) };
    stamp.order = Some(Order::Depth);
    let stop = options.bounds.stop();
    let Some(steps) = numbered(reduced, &run, stop)? else { return Ok(None) };
    let mut product = Product::new(reduced, negation, constraints.to_vec());
    let first = steps.get(run.stem.len()).map_or((StateId(0), StateId(0)), Numbered::pair);
    let ends = steps.iter().skip(1).map(Numbered::pair).chain([first]);
    let mut hops: Vec<Hop> = Vec::with_capacity(steps.len());
    for (at, (step, to)) in steps.iter().zip(ends).enumerate() {
        if at % ASKED == ASKED - 1 && stop.is_due() {
            return Err(CheckError::Stopped);
        }
        let Some(hop) = product.hop(step.pair(), step.nth, step.action, to) else {
            return Err(CheckError::Engine(
                "a path of the shared product is none of the other".to_owned(),
            ));
        };
        hops.push(hop);
    }
    let cycle = hops.split_off(run.stem.len());
    let lasso = Lasso { stem: hops, cycle };
    let started = Instant::now();
    // A cycle that takes all transitions is not to be made shorter.
    let lasso = match options.any_run || kind == Kind::Global {
        true => lasso,
        false => short(&mut product, automaton, lasso, searched.product.0, options),
    };
    stamp.shortening = started.elapsed();
    let run = as_run(&mut product, &lasso, stop)?;
    Ok(Some(Found::Run(run)))
}

/// A step of a path by the numbers of states.
struct Numbered {
    state: StateId,
    at: StateId,
    action: ActionId,
    nth: u32,
}

impl Numbered {
    fn pair(&self) -> (StateId, StateId) {
        (self.state, self.at)
    }
}

/// The steps of a path with the numbers that states have in the reduced system; `None` if it has no rows.
///
/// # Errors
/// With [`CheckError::Stopped`] if it is time to stop before the last step.
fn numbered<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    run: &SharedRun,
    stop: Stop,
) -> Result<Option<Vec<Numbered>>, CheckError> {
    let mut all: Vec<Numbered> = Vec::new();
    let mut steps = Vec::new();
    for SharedRunStep { row, at, action, nth, fault } in run.stem.iter().chain(&run.cycle) {
        if all.len() % ASKED == ASKED - 1 && stop.is_due() {
            return Err(CheckError::Stopped);
        }
        let is_it =
            |reduced: &Reduced<'_, S>, state: &StateId| reduced.fault(*state) == fault.as_ref();
        let state = match (fault, all.last()) {
            (None, _) => reduced.number(row),
            (Some(_), None) => reduced.initial().into_iter().find(|state| is_it(reduced, state)),
            // The run stays where it is.
            (Some(_), Some(last)) if is_it(reduced, &last.state) => Some(last.state),
            (Some(_), Some(last)) => {
                steps.clear();
                reduced.enabled(last.state, &mut steps);
                let action = last.action;
                let mut targets = steps.iter().filter(|step| step.action == action);
                targets.find(|step| is_it(reduced, &step.target)).map(|step| step.target)
            }
        };
        let Some(state) = state else { return Ok(None) };
        all.push(Numbered { state, at: *at, action: *action, nth: *nth });
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests {
    use fairly_model::{ModelSpace, text};
    use fairly_reduce::ModelSystem;
    use fairly_system::Packed;

    use super::*;

    #[test]
    fn numbering_a_long_path_is_given_up() {
        fn always() -> bool {
            true
        }
        let model = text::parse(
            "model atomicity priority, exit any
             event e0 idle : idle
             event e1 tick : visible
             template t0 T parameters 0 {
               location q0 on { -> q0 on e1 as tick }
             }
             slot p0 P : t0 start t0()",
        );
        let model = model.unwrap_or_else(|why| panic!("{why:?}"));
        let mut system = ModelSystem::new(ModelSpace::new(model, None), None);
        let row = system.first_row().expect("a state").into_boxed_slice();
        let step =
            SharedRunStep { row, at: StateId(0), action: ActionId::IDLE, nth: 0, fault: None };
        let run = SharedRun { stem: vec![step.clone(); ASKED], cycle: vec![step] };
        let mut reduced = Reduced::whole(&mut system);
        assert!(reduced.shared().is_some(), "a model has rows");
        let all = numbered(&mut reduced, &run, Stop::default()).expect("there is time");
        assert_eq!(all.map(|all| all.len()), Some(ASKED + 1));
        let stop = Stop { memory: Some(always), ..Stop::default() };
        assert!(matches!(numbered(&mut reduced, &run, stop), Err(CheckError::Stopped)));
    }
}
