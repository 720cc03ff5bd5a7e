//! Emptiness: is there an accepted infinite path, and which?
//!
//! Each [`Algorithm`] answers the question over any [`Graph`]. The table of engines in `fairly_search`
//! gives them names, next to the procedures that answer other questions.
//!
//! All of them explore on the fly, are iterative, and return a [`Lasso`] whose stem is shortest
//! among the nodes they saw. To ask about explicit automata and words, the operations in
//! [`crate::ops`] are more convenient; to ask the question of *every* node, or for an accepted part
//! with a further demand on it, take an [`Explored`] copy of the graph.
//!
//! ```
//! use fairly_omega::{Acceptance, Builder, Label, Mark, emptiness};
//! let mut builder = Builder::new(vec![]);
//! builder.set_acceptance(Acceptance::buchi(), 1);
//! let here = builder.add_state();
//! builder.add_initial(here);
//! builder.add_edge(here, Label::TRUE, [Mark(0)].into_iter().collect(), here);
//! let automaton = builder.build();
//! for algorithm in emptiness::Algorithm::ALL {
//!     let answer = emptiness::check(&mut automaton.graph(), algorithm).unwrap();
//!     assert_eq!(answer.lasso.unwrap().cycle.len(), 1, "{algorithm:?}");
//! }
//! ```

mod component;
mod degeneralized;
mod exact;
mod explored;
mod monitors;
mod ndfs;
mod path_based;
mod paths;
mod reference;
mod short;
mod statistics;
mod walk;
mod watching;

use crate::acceptance::Acceptance;
use crate::graph::{Graph, Hop, Lasso};
use crate::refused::{BudgetError, Resource};

pub use component::has_accepting_cycle;
pub use degeneralized::degeneralization;
pub use explored::{AcceptedPart, Explored};
pub use statistics::{Failure, Statistics, Why};
pub use watching::{Colour, Counting, Event, Observer, Unwatched};

use reference::Printed;

/// A procedure that decides emptiness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Nested depth-first search, for conjunctions of `Fin ∨ Inf`: a monitor for each `Fin ∨ Inf`, then a
    /// counter (Courcoubetis, Vardi, Wolper, Yannakakis 1992; Schwoon, Esparza 2005; monitors: Malinen,
    /// Luukkainen).
    NestedDfs,
    /// Path-based components, for generalized Büchi conditions: stops at a partial component that is
    /// accepting (Couvreur 1999; Gabow 2000).
    PathBased,
    /// The same search, then pruning and recursion in a component, for every condition (Emerson, Lei 1987;
    /// Latvala, Heljanko 2000; Baier et al. 2019).
    Streett,
    /// The reference for Streett pairs on states, with the lazy counterexample: bad states are removed, the
    /// largest component is looked at last (Latvala, Heljanko 2000).
    Latvala,
    /// The same with a counterexample that meets every set (Kesten, Pnueli, Raviv 1998).
    Kesten,
    /// Tarjan's algorithm on the fly, with loops judged on the path (Sun, Liu, Dong, Wang 2008).
    Sun,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::NestedDfs,
        Algorithm::PathBased,
        Algorithm::Streett,
        Algorithm::Latvala,
        Algorithm::Kesten,
        Algorithm::Sun,
    ];

    /// Whether it decides this condition.
    pub fn decides(self, acceptance: &Acceptance) -> bool {
        match self {
            Algorithm::NestedDfs => acceptance.clauses().is_some(),
            Algorithm::PathBased => acceptance.inf_clauses().is_some(),
            Algorithm::Streett => true,
            Algorithm::Latvala | Algorithm::Kesten | Algorithm::Sun => {
                reference::decides(acceptance)
            }
        }
    }

    /// The fastest one that decides the condition. Nested depth-first search never is: it is a reference to
    /// compare with.
    pub fn for_condition(acceptance: &Acceptance) -> Algorithm {
        match Algorithm::PathBased.decides(acceptance) {
            true => Algorithm::PathBased,
            false => Algorithm::Streett,
        }
    }
}

/// Result of a search, with its cost.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// An accepted path; `None` means that there is none.
    pub lasso: Option<Lasso>,
    /// Cost of the search.
    pub effort: Effort,
}

/// Numbers of nodes and edges that a search explored until it had its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes visited (of the degeneralized graph for `ndfs`, in product with the monitors).
    pub nodes: usize,
    /// Steps looked at.
    pub steps: usize,
    /// Bytes of the engine's own tables at the end of the search, the graph not counted.
    pub bytes: usize,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmptinessError {
    /// The algorithm does not decide this condition; choose another.
    #[error("{algorithm:?} cannot decide the condition {acceptance}")]
    Condition {
        /// The algorithm that was asked.
        algorithm: Algorithm,
        /// Condition that the engine was asked to decide.
        acceptance: Acceptance,
    },
    /// The graph has more nodes than can be numbered.
    #[error("more than 2^32 nodes")]
    TooLarge,
    /// The condition is one of those that are hard to decide, and too hard here.
    #[error(transparent)]
    TooHard(#[from] BudgetError),
}

/// Searches `graph` for an accepted path.
///
/// # Errors
/// When the algorithm does not decide the graph's condition, or there are too many nodes to number.
pub fn check<G: Graph>(graph: &mut G, algorithm: Algorithm) -> Result<Answer, EmptinessError> {
    check_observed(graph, algorithm, &mut Unwatched)
}

/// The same, seen by an observer.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark, emptiness::{self, Algorithm, Event}};
/// let mut builder = Builder::new(vec![]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// builder.add_edge(here, Label::TRUE, [Mark(0)].into_iter().collect(), here);
/// let automaton = builder.build();
/// let mut events = Vec::new();
/// emptiness::check_observed(&mut automaton.graph(), Algorithm::PathBased, &mut events).unwrap();
/// assert_eq!(events[0], Event::Opened { node: 0 });
/// ```
///
/// # Errors
/// As [`check`].
pub fn check_observed<G: Graph, O: Observer>(
    graph: &mut G,
    algorithm: Algorithm,
    observer: &mut O,
) -> Result<Answer, EmptinessError> {
    let acceptance = graph.acceptance().clone();
    if !algorithm.decides(&acceptance) {
        return Err(EmptinessError::Condition { algorithm, acceptance });
    }
    let answer = match algorithm {
        Algorithm::NestedDfs => ndfs::search(graph, &acceptance, observer),
        Algorithm::PathBased => {
            Ok(path_based::search(graph, &acceptance, path_based::OnFailure::Leave, observer)?)
        }
        Algorithm::Streett => {
            Ok(path_based::search(graph, &acceptance, path_based::OnFailure::Prune, observer)?)
        }
        Algorithm::Latvala => reference::search(graph, &acceptance, Printed::Latvala, observer),
        Algorithm::Kesten => reference::search(graph, &acceptance, Printed::Kesten, observer),
        Algorithm::Sun => reference::search(graph, &acceptance, Printed::Sun, observer),
    }?;
    if let Some(lasso) = &answer.lasso {
        let nodes = |hops: &[Hop]| hops.iter().map(|hop| hop.from.0).collect();
        observer
            .observe(|| Event::Accepted { stem: nodes(&lasso.stem), cycle: nodes(&lasso.cycle) });
    }
    Ok(answer)
}

/// An accepted path of `graph`, by the fastest algorithm for its condition.
///
/// # Errors
/// When the condition is one of those that are hard to decide, and too hard; never for conjunctions
/// of `Inf` and `Fin | Inf`, Rabin and parity conditions.
pub fn find_lasso<G: Graph>(graph: &mut G) -> Result<Option<Lasso>, BudgetError> {
    let algorithm = Algorithm::for_condition(graph.acceptance());
    match check(graph, algorithm) {
        Ok(answer) => Ok(answer.lasso),
        Err(EmptinessError::TooHard(refused)) => Err(refused),
        Err(EmptinessError::TooLarge) => {
            Err(BudgetError { resource: Resource::States, limit: u32::MAX as usize })
        }
        Err(EmptinessError::Condition { .. }) => {
            unreachable!("the algorithm was chosen for the condition")
        }
    }
}
