//! Is there a fair run, and does one go on from everywhere?
//!
//! A fairness assumption that no run satisfies makes every property hold; one that some reachable
//! state has no fair continuation under is a restriction of what the system may *do*, not of how
//! long it may put it off. The first is not *feasible*, the second not *machine closed* (Apt,
//! Francez and Katz 1988; Abadi and Lamport 1991). A verdict under fairness says both
//! (`docs/papers.md` 0-6).
//!
//! One exploration and one decomposition of the system answer both: a state has a fair continuation
//! if it can reach a strongly connected component with a fair part, and whether a component has one
//! is the recursion of Emerson and Lei that the engine `streett` uses.

use fairly_fairness::Constraint;
use fairly_omega::StateId;
use fairly_system::TransitionSystem;

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use crate::product::{Known, Negation, Product};
use crate::stored::{Stored, anything};

/// Effect of fairness on a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Whether there is a fair run.
    pub feasible: bool,
    /// A shortest beginning of a run that no fair run goes on from; `None` if there is none.
    pub doomed: Option<Prefix>,
}

impl Closure {
    /// Whether every beginning of a run goes on fairly.
    pub fn machine_closed(&self) -> bool {
        self.doomed.is_none()
    }

    /// Given the nodes of a stored system from which a fair run starts.
    pub(crate) fn of<S: TransitionSystem>(system: &mut S, stored: &Stored, fair: &[bool]) -> Self {
        let is_fair = |node: StateId| fair[node.index()];
        // Nodes are numbered by distance. A run that is committed has given up other ways to go on.
        let doomed = stored
            .explored
            .nodes()
            .find(|&node| !is_fair(node) && !system.is_committed(stored.states[node.index()]));
        Closure {
            feasible: stored.explored.starts().any(is_fair),
            doomed: doomed.map(|node| stored.prefix_to(node)),
        }
    }
}

/// Feasibility and machine closure of constraints, without looking where their form tells: fairness
/// of actions excludes no beginning of a run ([`Constraint::is_about_actions`]).
///
/// # Errors
/// When a bound is reached.
pub fn find<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    bounds: Bounds,
) -> Result<Closure, Cut> {
    find_knowing(system, constraints, None, bounds)
}

/// Whether [`find`] looks at states.
pub fn looks(constraints: &[Constraint]) -> bool {
    !constraints.iter().all(Constraint::is_about_actions)
}

/// The same, going on from a search of the same system under the same constraints.
///
/// # Errors
/// When a bound is reached.
pub fn find_knowing<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    known: Option<Known>,
    bounds: Bounds,
) -> Result<Closure, Cut> {
    if !looks(&constraints) {
        return Ok(Closure { feasible: !system.initial().is_empty(), doomed: None });
    }
    let anything = anything();
    match known {
        Some(known) => of_product(Product::going_on(system, &anything, known), bounds),
        None => check(system, constraints, bounds),
    }
}

/// Feasibility and machine closure of constraints, by looking at every state.
///
/// # Errors
/// When a bound is reached.
pub fn check<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    bounds: Bounds,
) -> Result<Closure, Cut> {
    let anything = anything();
    of_product(Product::new(system, Negation::new(&anything, vec![]), constraints), bounds)
}

fn of_product<S: TransitionSystem>(
    mut product: Product<'_, S>,
    bounds: Bounds,
) -> Result<Closure, Cut> {
    let stored = Stored::of(&mut product, bounds)?;
    let fair = stored.explored.productive()?;
    Ok(Closure::of(product.system_mut(), &stored, &fair))
}
