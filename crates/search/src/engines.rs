//! The table of engines: every procedure that answers a question, with what it decides, what it needs and where
//! it comes from.
//!
//! The planner, the stamp of a verdict, `--engine` with its help, `fairly compare`, the tests and the benchmarks
//! iterate [`ENGINES`]; nothing else gives names to engines. To add an engine, add a row and its variant of
//! [`Procedure`], and say in [`Engine::search`] how it searches a product, or let the caller that asks its
//! [`Question`] run it.
//!
//! ```
//! use fairly_omega::Acceptance;
//! use fairly_search::engines::{Engine, Question};
//! let engine = Engine::planned(Question::Runs, &Acceptance::buchi());
//! assert!(engine.decides(&Acceptance::buchi()) && !engine.origin.is_empty());
//! ```

use fairly_omega::emptiness::{self, Algorithm};
use fairly_omega::{Acceptance, Graph, Lasso, Stop};
use fairly_system::TransitionSystem;

use crate::bounded::{Bounded, Bounds, Cut};
use crate::inherent;
use crate::probe::Order;
use crate::product::Product;
use crate::threaded;

/// A procedure that answers a question.
#[derive(Debug)]
pub struct Engine {
    /// Its name, on the command line and in reports.
    pub name: &'static str,
    /// Description of the engine, in one line.
    pub summary: &'static str,
    /// The question that it answers.
    pub question: Question,
    /// Why this question goes to it. Empty where the acceptance condition decides among several engines.
    pub reason: &'static str,
    /// Further needs beside a system, in a few words; empty if there are none.
    pub needs: &'static str,
    /// The papers that it follows. Its module lists the deviations.
    pub origin: &'static str,
    /// Who may choose it.
    pub choice: Choice,
    /// The procedure itself.
    pub procedure: Procedure,
}

/// The questions that engines answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Is there a run of the product whose marks are accepted?
    Runs,
    /// The same in a quotient by permutations of processes, where fairness is about these processes.
    QuotientRuns,
    /// The same under strong global fairness.
    GlobalRuns,
    /// Can every finite prefix be continued to a run that satisfies the property?
    Prefixes,
    /// Is a state of some kind reachable?
    States,
    /// Is every behaviour of one system a behaviour of another? Determinism and divergence are asked likewise.
    Behaviours,
}

/// Who may choose an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The planner, or the user by name.
    Any,
    /// Only the user: a reference to compare with.
    Reference,
    /// Only the user, and only where there is a graphics card.
    Card,
    /// By implication: of the question, or of another option.
    Implied,
}

/// The procedures behind the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// Emptiness of a graph: [`emptiness::check`].
    Emptiness(Algorithm),
    /// [`crate::parallel::runs`].
    Shared,
    /// The set-based search, on a graphics card.
    Card,
    /// Emptiness of a quotient whose permutations are followed: [`threaded::Quotient`].
    Threaded,
    /// [`crate::global::find`].
    Global,
    /// [`inherent::check`].
    Inherent(inherent::Procedure),
    /// The walks of [`crate::reach`].
    Reach,
    /// The searches of [`crate::refinement`].
    Refinement,
    /// [`crate::lossy::hunt`].
    Lossy,
}

/// All engines. Of several that answer a question, the planner takes the first one that decides the acceptance
/// condition.
pub static ENGINES: &[Engine] = &[
    Engine {
        name: "ndfs",
        summary: "nested depth-first search; a monitor for each strong constraint, then a counter",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Courcoubetis, Vardi, Wolper, Yannakakis 1992; Schwoon, Esparza 2005; monitors: \
                 Malinen, Luukkainen",
        choice: Choice::Reference,
        procedure: Procedure::Emptiness(Algorithm::NestedDfs),
    },
    Engine {
        name: "scc",
        summary: "path-based components, early exit on a partial one",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Couvreur 1999; Gabow 2000",
        choice: Choice::Any,
        procedure: Procedure::Emptiness(Algorithm::PathBased),
    },
    Engine {
        name: "streett",
        summary: "components, pruned and decomposed again; any acceptance condition",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Emerson, Lei 1987; Latvala, Heljanko 2000; Baier et al. 2019",
        choice: Choice::Any,
        procedure: Procedure::Emptiness(Algorithm::Streett),
    },
    Engine {
        name: "ufscc",
        summary: "components by several workers at once, on a shared union-find",
        question: Question::Runs,
        reason: "several workers may be used",
        needs: "states as rows of words",
        origin: "Bloemen, Laarman, van de Pol 2016; marks: Bloemen, Duret-Lutz, van de Pol 2019",
        choice: Choice::Any,
        procedure: Procedure::Shared,
    },
    Engine {
        name: "gpu",
        summary: "on a graphics card: states breadth first, then the nodes that can go on fairly for ever",
        question: Question::Runs,
        reason: "",
        needs: "a model, a graphics card, and Streett pairs",
        origin: "Emerson, Lei 1986, with marks on steps and all of them at once",
        choice: Choice::Card,
        procedure: Procedure::Card,
    },
    Engine {
        name: "latvala",
        summary: "Streett pairs on states: bad states removed, the largest component last; lazy counterexample",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Latvala, Heljanko 2000, Figures 1 to 3",
        choice: Choice::Reference,
        procedure: Procedure::Emptiness(Algorithm::Latvala),
    },
    Engine {
        name: "kesten",
        summary: "the same with a counterexample that meets every set, not lazily",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Latvala, Heljanko 2000, Figure 1; Kesten, Pnueli, Raviv 1998",
        choice: Choice::Reference,
        procedure: Procedure::Emptiness(Algorithm::Kesten),
    },
    Engine {
        name: "sun",
        summary: "Tarjan's algorithm on the fly; loops on the path judged at once, bad states removed",
        question: Question::Runs,
        reason: "",
        needs: "",
        origin: "Sun, Liu, Dong, Wang 2008, Figure 2; Kesten, Pnueli, Raviv, Shahar 2006",
        choice: Choice::Reference,
        procedure: Procedure::Emptiness(Algorithm::Sun),
    },
    Engine {
        name: "threaded",
        summary: "components of the quotient, in which every process is followed through its permutations",
        question: Question::QuotientRuns,
        reason: "fairness is about processes that symmetry permutes",
        needs: "a quotient with its permutations",
        origin: "Emerson, Sistla 1997",
        choice: Choice::Implied,
        procedure: Procedure::Threaded,
    },
    Engine {
        name: "global",
        summary: "components of the whole product, all of whose transitions count",
        question: Question::GlobalRuns,
        reason: "strong global fairness is about every transition, so whole components decide",
        needs: "the whole product",
        origin: "Sun, Liu, Dong, Pang 2009",
        choice: Choice::Implied,
        procedure: Procedure::Global,
    },
    Engine {
        name: "inherent",
        summary: "prefixes from which the property can still be satisfied",
        question: Question::Prefixes,
        reason: "inherent fairness is about prefixes, not about runs",
        needs: "an automaton of the property itself",
        origin: "Nicola, Nießner, Ultes-Nitsche 2008, Section 9",
        choice: Choice::Any,
        procedure: Procedure::Inherent(inherent::Procedure::Improved),
    },
    Engine {
        name: "section-6",
        summary: "inherent fairness by subsets of all product states, two conditions one after the other",
        question: Question::Prefixes,
        reason: "inherent fairness is about prefixes, not about runs",
        needs: "an automaton of the property itself",
        origin: "Nicola, Nießner, Ultes-Nitsche 2008, Section 6",
        choice: Choice::Reference,
        procedure: Procedure::Inherent(inherent::Procedure::SectionSix),
    },
    Engine {
        name: "naive",
        summary: "inherent fairness in five steps on whole automata, with a complement",
        question: Question::Prefixes,
        reason: "inherent fairness is about prefixes, not about runs",
        needs: "an automaton of the property itself",
        origin: "Nitsche, Wolper 1997; Nicola, Nießner, Ultes-Nitsche 2008, Section 4",
        choice: Choice::Reference,
        procedure: Procedure::Inherent(inherent::Procedure::Naive),
    },
    Engine {
        name: "reach",
        summary: "reachable states, breadth first, with short searches ahead in other orders",
        question: Question::States,
        reason: "one reachable state shows the answer",
        needs: "",
        origin: "",
        choice: Choice::Implied,
        procedure: Procedure::Reach,
    },
    Engine {
        name: "lossy",
        summary: "reachable states, of which less than all is kept; it never says that something holds",
        question: Question::States,
        reason: "states do not fit into memory",
        needs: "states as rows of words",
        origin: "Holzmann 1998 (bits); Wolper, Leroy 1993 (fingerprints)",
        choice: Choice::Implied,
        procedure: Procedure::Lossy,
    },
    Engine {
        name: "refine",
        summary: "behaviours of one system within those of another that is made deterministic",
        question: Question::Behaviours,
        reason: "refinement and determinism compare what systems do and refuse",
        needs: "",
        origin: "Roscoe 1994; Sun, Liu, Dong 2009",
        choice: Choice::Implied,
        procedure: Procedure::Refinement,
    },
];

/// Why an engine gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The engine does not decide this condition; choose another.
    #[error("the engine `{engine}` cannot decide the condition {acceptance}")]
    Condition {
        /// The engine's name.
        engine: &'static str,
        /// The condition.
        acceptance: Acceptance,
    },
    /// The graph is too large, or its condition too hard.
    #[error(transparent)]
    Graph(emptiness::EmptinessError),
}

/// Requests to a search of a product beside its answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// A search breadth first goes ahead and may find a shorter path.
    pub looks_around: bool,
    /// Statistics are counted.
    pub counts: bool,
}

/// Result of a search of a product.
#[derive(Debug)]
pub struct Searched {
    /// An accepted path, and in which order it was found.
    pub lasso: Option<(Lasso, Order)>,
    /// Cost of the search.
    pub effort: emptiness::Effort,
    /// How it went, if that was asked for.
    pub statistics: Option<emptiness::Statistics>,
    /// The bound that was reached, if one was: then no path means nothing.
    pub cut: Option<Cut>,
}

impl Engine {
    /// The engine with this name.
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }

    /// The engine that the planner takes for a question, given the acceptance condition of the product, if one
    /// decides it. The condition matters for [`Question::Runs`] and [`Question::QuotientRuns`] only.
    pub fn able(question: Question, acceptance: &Acceptance) -> Option<&'static Engine> {
        ENGINES
            .iter()
            .filter(|engine| engine.question == question)
            .filter(|engine| !matches!(engine.choice, Choice::Reference | Choice::Card))
            .find(|engine| engine.decides(acceptance))
    }

    /// The same for a question that always has one.
    ///
    /// # Panics
    /// If no engine of the table decides it, which happens for [`Question::QuotientRuns`] only.
    pub fn planned(question: Question, acceptance: &Acceptance) -> &'static Engine {
        Engine::able(question, acceptance).expect("the question has an engine")
    }

    /// The engines that a user can ask for by name.
    pub fn offered() -> impl Iterator<Item = &'static Engine> {
        ENGINES.iter().filter(|engine| engine.choice != Choice::Implied)
    }

    /// The engines that a user can ask for by name to answer a question, on every machine.
    pub fn offered_for(question: Question) -> impl Iterator<Item = &'static Engine> {
        let everywhere = Engine::offered().filter(|engine| engine.choice != Choice::Card);
        everywhere.filter(move |engine| engine.question == question)
    }

    /// The engines that search any graph, also an explicit automaton: those that [`Engine::find_path`] runs.
    pub fn of_graphs() -> impl Iterator<Item = &'static Engine> {
        ENGINES.iter().filter(|engine| matches!(engine.procedure, Procedure::Emptiness(_)))
    }

    /// An engine that decides every acceptance condition of a product.
    pub fn general() -> &'static Engine {
        Engine::of(Procedure::Emptiness(Algorithm::Streett))
    }

    /// The engine with this procedure.
    ///
    /// # Panics
    /// If the table lacks it; a test looks for all of them.
    pub fn of(procedure: Procedure) -> &'static Engine {
        ENGINES.iter().find(|engine| engine.procedure == procedure).expect("it is in the table")
    }

    /// Whether it decides this acceptance condition. Engines that judge no acceptance condition decide each.
    pub fn decides(&self, acceptance: &Acceptance) -> bool {
        match self.procedure {
            Procedure::Emptiness(algorithm) => algorithm.decides(acceptance),
            Procedure::Threaded => {
                acceptance.clauses().is_some_and(|clauses| threaded::follows(&clauses))
            }
            _ => true,
        }
    }

    /// Searches any graph for an accepted path; nothing is counted beside it.
    ///
    /// # Errors
    /// When the engine does not decide the graph's condition, is none for graphs, or finds the graph too large.
    pub fn find_path<G: Graph>(&self, graph: &mut G) -> Result<emptiness::Answer, EngineError> {
        self.find_path_observed(graph, &mut emptiness::Unwatched)
    }

    /// The same with statistics, if they are wanted.
    ///
    /// # Errors
    /// As [`Engine::find_path`].
    pub fn find_path_counted<G: Graph>(
        &self,
        graph: &mut G,
        counts: bool,
    ) -> Result<(emptiness::Answer, Option<emptiness::Statistics>), EngineError> {
        if !counts {
            return Ok((self.find_path(graph)?, None));
        }
        let mut counting = emptiness::Counting::default();
        let answer = self.find_path_observed(graph, &mut counting)?;
        Ok((answer, Some(counting.statistics)))
    }

    /// The same, seen by an observer.
    ///
    /// # Errors
    /// As [`Engine::find_path`].
    pub fn find_path_observed<G: Graph, O: emptiness::Observer>(
        &self,
        graph: &mut G,
        observer: &mut O,
    ) -> Result<emptiness::Answer, EngineError> {
        match self.procedure {
            Procedure::Emptiness(algorithm) if algorithm.decides(graph.acceptance()) => {
                emptiness::check_observed(graph, algorithm, observer).map_err(EngineError::Graph)
            }
            _ => {
                let acceptance = graph.acceptance().clone();
                Err(EngineError::Condition { engine: self.name, acceptance })
            }
        }
    }

    /// Searches a product for an accepted path, within bounds.
    ///
    /// # Errors
    /// When the engine does not decide the product's condition, or the product is too large.
    pub fn search<S: TransitionSystem>(
        &self,
        product: &mut Product<'_, S>,
        bounds: Bounds,
        asked: Asked,
    ) -> Result<Searched, EngineError> {
        product.system_mut().stop_at(bounds.stop());
        let mut bounded = Bounded::new(&mut *product, bounds);
        if asked.looks_around {
            bounded = bounded.looking_around();
        }
        let answer = self.find_path_counted(&mut bounded, asked.counts);
        let (cut, near) = (bounded.cut(), bounded.found());
        product.system_mut().stop_at(Stop::default());
        let (answer, statistics) = match answer {
            Err(_) if near.is_some() => Default::default(),
            answer => answer?,
        };
        let deep = answer.lasso.map(|lasso| (lasso, Order::Depth));
        Ok(Searched {
            lasso: near.map(|lasso| (lasso, Order::Breadth)).or(deep),
            effort: answer.effort,
            statistics,
            cut: cut.or_else(|| product.cut()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_to_their_rows() {
        for engine in ENGINES {
            assert!(std::ptr::eq(Engine::named(engine.name).expect("a row"), engine));
            assert!(!engine.summary.is_empty(), "{}", engine.name);
        }
        assert!(Engine::named("none").is_none());
    }

    #[test]
    fn every_question_has_an_engine_that_the_planner_takes() {
        use Question::{Behaviours, GlobalRuns, Prefixes, QuotientRuns, Runs, States};
        for question in [Runs, QuotientRuns, GlobalRuns, Prefixes, States, Behaviours] {
            let engine = Engine::planned(question, &Acceptance::buchi());
            assert!(engine.question == question && engine.choice != Choice::Reference);
        }
        for condition in [Acceptance::buchi(), Acceptance::streett(2), Acceptance::rabin(2)] {
            assert!(Engine::planned(Runs, &condition).decides(&condition));
            assert!(Engine::general().decides(&condition));
        }
    }
}
