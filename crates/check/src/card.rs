//! Searches on a graphics card.
//!
//! The card says whether there is a violating run, or which state is reached and by which rows. A reached state goes
//! the way of every other: its way is found among the numbered states, replayed and judged. Where there is a violating
//! run, an engine on the processor looks for one, since the card keeps no runs.

#[cfg(feature = "gpu")]
use std::sync::Arc;

use fairly_fairness::Constraint;
use fairly_reduce::{Reduced, Reducible};
use fairly_search::reach::Size;
use fairly_search::{Bounds, Prefix};

use crate::claim::ClaimError;
use crate::property::Property;
use crate::states::Target;
use crate::verdict::{CheckError, Stamp};
use crate::verify::{Found, Options};

/// Result of a search for a state on a card.
pub(crate) struct OnCard {
    /// A shortest way to a state, and whether it is an error.
    pub(crate) way: Option<(Prefix, bool)>,
    pub(crate) size: Size,
}

#[cfg(not(feature = "gpu"))]
const WITHOUT: &str = "this program was built without searches on a graphics card";

/// Looks for a fair run that violates a property.
#[cfg(not(feature = "gpu"))]
pub(crate) fn runs<S: Reducible>(
    _: &mut Reduced<'_, S>,
    _: &mut Property,
    _: &[Constraint],
    _: &Options,
    _: &mut Stamp,
) -> Result<Found, CheckError> {
    Err(CheckError::Engine(WITHOUT.to_owned()))
}

/// Looks for a state; `None` if that cannot be asked of a card.
#[cfg(not(feature = "gpu"))]
pub(crate) fn states<S: Reducible>(
    _: &mut Reduced<'_, S>,
    _: Bounds,
    _: Target<'_>,
) -> Result<Option<OnCard>, ClaimError> {
    Err(ClaimError::Engine(WITHOUT.to_owned()))
}

#[cfg(feature = "gpu")]
pub(crate) use self::with_card::{runs, states};

#[cfg(feature = "gpu")]
mod with_card {
    use std::cell::RefCell;
    use std::time::Instant;

    use fairly_explore::breadth;
    use fairly_gpu::{Ended, GpuError, Limits, Question, Sought};
    use fairly_model::ModelSpace;
    use fairly_search::Cut;
    use fairly_search::engines::{Engine, Procedure};
    use fairly_system::Space;

    use super::{
        Arc, Bounds, CheckError, ClaimError, Constraint, Found, OnCard, Options, Property, Reduced,
        Reducible, Size, Stamp, Target,
    };
    use crate::states::numbered;
    use crate::verdict::WhyUnknown;
    use crate::verify::{self, with_negation};

    /// Why a card cannot answer, with what helps.
    fn said(error: &GpuError) -> String {
        format!("the engine `gpu` cannot answer: {error}")
    }

    /// The model that is searched, and its rows.
    fn model<S: Reducible>(
        reduced: &mut Reduced<'_, S>,
    ) -> Result<(Arc<ModelSpace>, Arc<dyn Space>), String> {
        let needs =
            || "the engine `gpu` needs a model in a language, such as CSP# or Promela".to_owned();
        let base = reduced.inner().base().ok_or_else(needs)?;
        let model = Arc::clone(base.model().ok_or_else(needs)?);
        let space = reduced.shared().ok_or_else(needs)?;
        Ok((model, space))
    }

    /// The limits of a search on a card.
    fn limits<'a>(bounds: Bounds, seen: &'a dyn Fn(usize)) -> Limits<'a> {
        Limits {
            bytes: bounds.bytes.map(|bytes| bytes as u64),
            states: bounds.nodes.map(|nodes| nodes as u64),
            stop: bounds.stop(),
            seen: Some(seen),
            slots: None,
        }
    }

    /// Why a search ended without an answer.
    fn why(ended: Ended, bounds: Bounds, started: Instant, states: u64, free: u64) -> WhyUnknown {
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        match ended {
            Ended::States(most) => WhyUnknown::Cut(Cut::Nodes(small(most))),
            Ended::Memory => WhyUnknown::Cut(Cut::Memory(bounds.bytes.unwrap_or(small(free)))),
            Ended::Limit(fault) => WhyUnknown::Limit(fault.message),
            Ended::Stopped | Ended::Exhausted | Ended::Found(_) => {
                WhyUnknown::Cut(bounds.reached(started, small(states)))
            }
        }
    }

    pub(crate) fn runs<S: Reducible>(
        reduced: &mut Reduced<'_, S>,
        property: &mut Property,
        constraints: &[Constraint],
        options: &Options,
        stamp: &mut Stamp,
    ) -> Result<Found, CheckError> {
        let (model, space) = model(reduced).map_err(CheckError::Engine)?;
        let started = Instant::now();
        let bounds = options.bounds;
        let mut exists = false;
        let found = with_negation(property, options, |negation| {
            let mut card =
                fairly_gpu::open().map_err(|error| CheckError::Engine(said(&error.into())))?;
            let free = fairly_gpu::Card::free_bytes(&mut card);
            let question = Question { negation, constraints: constraints.to_vec() };
            let seen = |states: usize| bounds.see_nodes(states);
            let hull = fairly_gpu::fair_run_exists(
                &mut card,
                &*space,
                &model,
                &question,
                limits(bounds, &seen),
            );
            let hull = hull.map_err(|error| CheckError::Engine(said(&error)))?;
            let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            stamp.engine = Some(Engine::of(Procedure::Card));
            stamp.product = (small(hull.product.0), small(hull.product.1));
            stamp.system = (small(hull.states), 0);
            Ok(match (hull.exists, hull.cut) {
                (Some(false), None) => {
                    stamp.exhaustive = true;
                    Found::Nothing
                }
                (Some(true), None) => {
                    exists = true;
                    Found::Nothing
                }
                (_, cut) => {
                    let cut = cut.unwrap_or(Ended::Stopped);
                    Found::Unknown(why(cut, bounds, started, hull.product.0, free))
                }
            })
        })?;
        if !exists {
            return Ok(found);
        }
        // An engine on the processor shows a run.
        let shown = Options { engine: None, ..*options };
        let product = (stamp.product, stamp.system);
        let found = verify::search(reduced, property, constraints, &shown, stamp, &mut None)?;
        (stamp.product, stamp.system) = product;
        stamp.engine = Some(Engine::of(Procedure::Card));
        match found {
            Found::Nothing => Err(CheckError::Engine(
                "the engine `gpu` says that there is a violating run, and no other engine finds one: this is a \
                 mistake of Fairly, please report it"
                    .to_owned(),
            )),
            found => Ok(found),
        }
    }

    pub(crate) fn states<S: Reducible>(
        reduced: &mut Reduced<'_, S>,
        bounds: Bounds,
        target: Target<'_>,
    ) -> Result<Option<OnCard>, ClaimError> {
        let (ends, errors, goal) = match target {
            Target::Error => (None, true, None),
            Target::Stuck(ends) => (Some(ends), false, None),
            Target::ErrorOrStuck(ends) => (Some(ends), true, None),
            Target::Goal(goal) => (None, false, Some(goal)),
            // A condition on rows that is not known as an expression.
            Target::ErrorOrRow(_) => return Ok(None),
        };
        let (model, space) = model(reduced).map_err(ClaimError::Engine)?;
        let failed = |error: GpuError| ClaimError::Engine(said(&error));
        let mut card = fairly_gpu::open().map_err(|error| failed(error.into()))?;
        let free = fairly_gpu::Card::free_bytes(&mut card);
        let started = Instant::now();
        let scratch = RefCell::new(space.scratch());
        let is_wrong = |row: &[u64]| {
            let scratch = &mut *scratch.borrow_mut();
            ends.is_some_and(|ends| !ends.allow(|atom| space.holds(row, atom, scratch)))
        };
        let sought = Sought {
            errors,
            stuck: ends.is_some().then_some(&is_wrong as &dyn Fn(&[u64]) -> bool),
            asks_ends: ends.is_some_and(|ends| ends.missing.is_some() || ends.end.is_none()),
            goal,
        };
        let seen = |states: usize| bounds.see_nodes(states);
        let reached = fairly_gpu::reach(&mut card, &*space, &model, &sought, limits(bounds, &seen));
        let reached = reached.map_err(failed)?;
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let size = Size { states: small(reached.states), transitions: small(reached.steps) };
        let way = match reached.ended {
            Ended::Exhausted => {
                if reached.faults == 0 {
                    reduced.learn_that_no_fault_is_met();
                }
                None
            }
            Ended::Found(found) => {
                let fairly_gpu::Found { rows, actions, fault } = found;
                let is_error = fault.is_some();
                let way = breadth::Way { rows, actions, fault };
                Some((numbered(reduced, &way).map_err(ClaimError::Lost)?, is_error))
            }
            ended => return Err(why(ended, bounds, started, reached.states, free).into()),
        };
        Ok(Some(OnCard { way, size }))
    }
}
