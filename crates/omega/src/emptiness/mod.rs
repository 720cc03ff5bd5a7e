//! Emptiness: is there an accepted infinite path, and which?
//!
//! Three engines answer the question over any [`Graph`]; they stand in one table, [`ENGINES`], that
//! the planner, the help text, the tests and the benchmarks iterate:
//!
//! | engine | decides | how |
//! |---|---|---|
//! | `ndfs` | conjunctions of `Fin ∨ Inf` | nested depth-first search, with monitors and a counter |
//! | `scc` | `t`, Büchi, generalized Büchi | path-based components, stops at a good partial one |
//! | `streett` | every condition | the same search, then pruning and recursion in a component |
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
//! for engine in emptiness::ENGINES {
//!     let answer = emptiness::check(&mut automaton.graph(), engine).unwrap();
//!     assert_eq!(answer.lasso.unwrap().cycle.len(), 1, "{}", engine.name);
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
mod short;
mod walk;

use crate::acceptance::Acceptance;
use crate::graph::{Graph, Lasso};
use crate::refused::{Refused, Resource};

pub use component::has_accepting_cycle;
pub use explored::{AcceptedPart, Explored};

/// An engine of the table.
#[derive(Debug)]
pub struct Engine {
    /// What it is called on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// Where it comes from.
    pub origin: &'static str,
    decides: fn(&Acceptance) -> bool,
    kind: Kind,
}

impl Engine {
    /// Whether the engine can decide this condition.
    pub fn decides(&self, acceptance: &Acceptance) -> bool {
        (self.decides)(acceptance)
    }

    /// The engine with this name.
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }

    /// The engine to use when nobody chose one: the first of the table, read from `scc` on, that
    /// can decide the condition. `ndfs` is there to be compared with, never the best choice.
    pub fn for_condition(acceptance: &Acceptance) -> &'static Engine {
        let preferred = [Kind::PathBased, Kind::Streett];
        preferred
            .iter()
            .filter_map(|&kind| ENGINES.iter().find(|engine| engine.kind == kind))
            .find(|engine| engine.decides(acceptance))
            .expect("streett decides everything")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NestedDfs,
    PathBased,
    Streett,
}

/// All engines.
pub static ENGINES: &[Engine] = &[
    Engine {
        name: "ndfs",
        summary: "nested depth-first search; a monitor for each strong constraint, then a counter",
        origin: "Courcoubetis, Vardi, Wolper, Yannakakis 1992; Schwoon, Esparza 2005; monitors: \
                 Malinen, Luukkainen",
        decides: |acceptance| acceptance.clauses().is_some(),
        kind: Kind::NestedDfs,
    },
    Engine {
        name: "scc",
        summary: "path-based components, early exit on a partial one",
        origin: "Couvreur 1999; Gabow 2000",
        decides: |acceptance| acceptance.inf_clauses().is_some(),
        kind: Kind::PathBased,
    },
    Engine {
        name: "streett",
        summary: "components, pruned and decomposed again; any acceptance condition",
        origin: "Emerson, Lei 1987; Latvala, Heljanko 2000; Baier et al. 2019",
        decides: |_| true,
        kind: Kind::Streett,
    },
];

/// What an engine found and what it cost.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// An accepted path; `None` means that there is none.
    pub lasso: Option<Lasso>,
    /// What was explored.
    pub effort: Effort,
}

/// What a search explored before it knew.
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
pub enum Undecided {
    /// The engine does not decide this condition; choose another.
    #[error("the engine `{engine}` cannot decide the condition {acceptance}")]
    Condition {
        /// The engine that was asked.
        engine: &'static str,
        /// What it was asked to decide.
        acceptance: Acceptance,
    },
    /// The graph has more nodes than can be numbered.
    #[error("more than 2^32 nodes")]
    TooLarge,
    /// The condition is one of those that are hard to decide, and too hard here.
    #[error(transparent)]
    TooHard(#[from] Refused),
}

/// Asks one engine for an accepted path of `graph`.
///
/// # Errors
/// When the engine cannot decide the graph's condition, or there are too many nodes to number.
pub fn check<G: Graph>(graph: &mut G, engine: &Engine) -> Result<Answer, Undecided> {
    let acceptance = graph.acceptance().clone();
    if !engine.decides(&acceptance) {
        return Err(Undecided::Condition { engine: engine.name, acceptance });
    }
    match engine.kind {
        Kind::NestedDfs => ndfs::search(graph, &acceptance),
        Kind::PathBased => {
            Ok(path_based::search(graph, &acceptance, path_based::OnFailure::Leave)?)
        }
        Kind::Streett => Ok(path_based::search(graph, &acceptance, path_based::OnFailure::Prune)?),
    }
}

/// An accepted path of `graph`, by the best engine for its condition.
///
/// # Errors
/// When the condition is one of those that are hard to decide, and too hard; never for conjunctions
/// of `Inf` and `Fin | Inf`, Rabin and parity conditions.
pub fn find_lasso<G: Graph>(graph: &mut G) -> Result<Option<Lasso>, Refused> {
    let engine = Engine::for_condition(graph.acceptance());
    match check(graph, engine) {
        Ok(answer) => Ok(answer.lasso),
        Err(Undecided::TooHard(refused)) => Err(refused),
        Err(Undecided::TooLarge) => {
            Err(Refused { resource: Resource::States, limit: u32::MAX as usize })
        }
        Err(Undecided::Condition { .. }) => {
            unreachable!("the engine was chosen for the condition")
        }
    }
}
