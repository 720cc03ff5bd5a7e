//! Searches by several workers within [`Bounds`].
//!
//! [`runs`] is what the engine `ufscc` does for a question about runs: the product of [`SharedProduct`], searched by
//! [`ufscc`].

use std::time::Instant;

use fairly_fairness::Constraint;
use fairly_store::StoreError;
use fairly_system::{Fault, Growth, Space};

use crate::bounded::{Bounds, Budget, Cut};
use crate::product::Negation;
use crate::shared_product::{Missing, SharedProduct, SharedRun};
use crate::ufscc::{self, Options};

/// End of a search by several workers.
#[derive(Debug)]
pub struct Searched {
    /// The answer.
    pub found: Found,
    /// Nodes and steps of the product that were explored.
    pub product: (usize, usize),
    /// States of the system that were expanded, and transitions out of them.
    pub system: (usize, usize),
    /// Growth until the search was cut, if it was.
    pub growth: Option<Growth>,
}

/// The answer of a search by several workers.
#[derive(Debug)]
pub enum Found {
    /// An accepted path.
    Run(SharedRun),
    /// There is none.
    Nothing,
    /// None was found before a bound was reached.
    Cut(Cut),
    /// None was found, but the system went no further in some step: a limit of the tool.
    Limit(Fault),
    /// Another engine has to be asked: a component is too hard to decide.
    Declined,
}

/// Bytes that may be taken where there is no bound.
pub const UNBOUNDED: usize = 1 << 38;

/// Which runs are looked for beside those that an acceptance condition tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All.
    Any,
    /// Those that are strongly globally fair.
    Global,
}

/// The threads that search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// How many.
    pub workers: usize,
    /// Nodes of a component that one of them searches while the others go on.
    pub alone: usize,
}

/// Looks for a run that is accepted by the product of a space, the negation of a property, and fairness.
pub fn runs(
    space: &dyn Space,
    negation: Negation<'_>,
    constraints: Vec<Constraint>,
    kind: Kind,
    bounds: Bounds,
    team: Team,
) -> Searched {
    let memory = bounds.bytes.unwrap_or(UNBOUNDED);
    let (budget, started) = (Budget::new(bounds), Instant::now());
    let nothing = |found| Searched { found, product: (0, 0), system: (0, 0), growth: None };
    let mut product = match SharedProduct::new(space, negation, constraints, memory, bounds) {
        Ok(product) => product,
        Err(full) => return nothing(Found::Cut(no_room(&full, memory))),
    };
    if kind == Kind::Global {
        product = product.covering();
    }
    let options = Options {
        workers: team.workers,
        memory,
        nodes: bounds.nodes,
        alone: team.alone,
        // An eighth of the memory, at the most, is for the steps on the paths of all workers.
        kept: (memory / 128 / team.workers.max(1)).clamp(1 << 10, Options::KEPT),
        stop: bounds.stop(),
        watch: bounds.watch,
    };
    let outcome = ufscc::search(&product, &options);
    let stopped = || bounds.reached(started, outcome.size.0);
    let found = match (outcome.lasso, product.cut(), outcome.cut) {
        // Steps that ended because of a request to stop are missing, so what was enabled is not known there.
        (Some(_), Some(Missing::Limit(_)), _) if budget.in_time().is_err() => Found::Cut(stopped()),
        (Some(lasso), ..) => Found::Run(product.run(&lasso)),
        // A request to stop is heard inside steps, too, which then end at a limit.
        (None, _, Some(ufscc::Cut::Interrupted)) => Found::Cut(stopped()),
        (None, _, Some(ufscc::Cut::Nodes(nodes))) => Found::Cut(Cut::Nodes(nodes)),
        (None, _, Some(ufscc::Cut::Store(full))) => Found::Cut(no_room(&full, memory)),
        (None, _, Some(ufscc::Cut::GivenUp)) => Found::Cut(Cut::Memory(memory)),
        (None, Some(Missing::Store(full)), _) => Found::Cut(no_room(&full, memory)),
        (None, _, Some(ufscc::Cut::Component(_))) => Found::Declined,
        // So is one between the last look and the end of the search.
        (None, Some(Missing::Limit(_)), None) if budget.in_time().is_err() => Found::Cut(stopped()),
        (None, Some(Missing::Limit(fault)), None) => Found::Limit(fault),
        (None, None, None) => Found::Nothing,
    };
    let growth = matches!(found, Found::Cut(_)).then(|| product.growth()).flatten();
    Searched { found, product: outcome.size, system: product.system_size(), growth }
}

/// The bound that is reached where a table has no more room.
pub fn no_room(full: &StoreError, memory: usize) -> Cut {
    match full {
        StoreError::Numbers => Cut::Nodes(u32::MAX as usize),
        _ => Cut::Memory(memory),
    }
}
