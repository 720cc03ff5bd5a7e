//! Inherent fairness, that is relative liveness: can every finite beginning of a run be continued
//! to a run that satisfies the property?
//!
//! The relation of Nitsche and Wolper (PODC 1997), `B ⊩ φ` iff `pre(B) ⊆ pre(B ∩ φ)`, decided as
//! Nicola, Nießner and Ultes-Nitsche (2008) propose. It is not a condition on runs, so no emptiness
//! engine decides it, and it is PSPACE-complete. It is also weaker than it may look: `φ` and `¬φ`
//! can both hold, and so can two properties whose conjunction does not. Numbers such as 003-10,
//! which says so, are rows of `docs/papers.md`.
//!
//! # How
//!
//! The automaton handed in is that of `φ` itself, with any acceptance. A product state, a state of
//! the system with a state of the automaton, is *live* if an accepted path starts there
//! (co-reachable, in the paper's words). What is explored, breadth first, are pairs `(q, X)`: a state
//! `q` of the system that some beginning leads to, and the set `X` of product states that the same
//! beginning can lead to. The beginning is doomed iff no member of `X` is live. The first such pair
//! gives a shortest doomed beginning, which the paper has no witness for (003-8).
//!
//! - [`Procedure::Naive`] is the one of Section 4: the automaton of all beginnings that can be continued is
//!   built, made deterministic, complemented, and intersected with the system.
//! - [`Procedure::SectionSix`] is the construction of Section 6: subsets of all product states first,
//!   stopping where one is empty (condition 1 of its Corollary 2 fails), and liveness tested afterwards
//!   (condition 2).
//! - [`Procedure::Improved`] is what Section 9 suggests, completed as 003-5 and 003-9 say: liveness
//!   first, subsets of live states only, and of the sets that come with one `q` only the minimal ones,
//!   since whatever dooms a set dooms every subset of it.
//!
//! Deviations from the paper: sets of sets for each `q`, never their union (003-1); the abort rule
//! tests whole subsets, so it does not depend on the order (003-2); nothing is claimed of states that
//! are not live (003-3, 003-7); deadlocks idle, so every state of the system has a run (003-4); the
//! system may be nondeterministic (003-5), and [`PrefixKind`] says what a beginning is then. The
//! product itself is explored before the subsets by all procedures; it is the small part.
//!
//! Where events are read as [`EventPosition::Entering`], a beginning has read the propositions of the
//! state it has come to, and of the initial state before the first step; nothing else changes.

mod labels;
mod naive;
mod pairs;

pub use fairly_fairness::PrefixKind;
use std::borrow::Cow;

use fairly_omega::{Acceptance, Automaton, Graph, MarkSet, MarkSetId, StateId, Step, emptiness};
use fairly_system::{EventPosition, Run, RunStep, Transition, TransitionSystem};

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use crate::product::{Binding, Negation, Product, is_limit};
use crate::stored::Stored;
use labels::Labels;
pub use naive::FiveSteps;
use pairs::Pairs;

/// How to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// Five steps on whole automata, as Section 4 has it; to be compared with.
    Naive,
    /// As Section 6 prints it, repaired; to be compared with.
    SectionSix,
    /// Live states first, and only minimal sets of them.
    #[default]
    Improved,
}

/// Configuration of the decision.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Meaning of a prefix.
    pub reading: PrefixKind,
    /// Which event a position reads.
    pub events: EventPosition,
    /// Which procedure.
    pub procedure: Procedure,
    /// On the nodes of the product, and on the pairs explored.
    pub bounds: Bounds,
    /// How many pairs are kept to be shown.
    pub shown: usize,
}

/// Whether a property holds inherently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every beginning of a run can be continued so that it satisfies the property.
    Holds,
    /// Not this one.
    Doomed {
        /// A shortest beginning that no continuation saves.
        prefix: Prefix,
        /// Some way to go on, to show a whole run: it starts where the prefix ends.
        continuation: Run,
    },
}

/// A verdict and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Cost of the search.
    pub effort: Effort,
    /// How it was decided.
    pub decided: Decided,
    /// The sets that came up, in the order in which they were met: a state of the system with the states of
    /// the property's automaton that the same beginning leads to, those with which it can be continued. The
    /// sets of one state are the *R* of Section 6.
    pub sets: Vec<(StateId, Vec<SetMember>)>,
    /// The automata of the five steps.
    pub five: Option<FiveSteps>,
}

/// A state of the property's automaton in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetMember {
    /// The state.
    pub at: StateId,
    /// Whether an accepted run goes on from it, with the state of the system.
    pub live: bool,
}

/// How inherent fairness was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Both conditions of Corollary 2 hold.
    Holds,
    /// Condition 1 fails: after some beginning the system can do what the property's automaton cannot.
    Enabled,
    /// Condition 2 fails: some beginning of both has no continuation in both.
    Continued,
    /// A set of live states is empty, which is one of the two.
    Live,
    /// The intersection of step 5 is not empty.
    Beginning,
}

/// Numbers of nodes and edges that were explored before the verdict was known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes of the product of the system and the property.
    pub nodes: usize,
    /// Pairs of a state and a set of nodes.
    pub pairs: usize,
}

/// Whether every beginning of a run can be continued to a run that the automaton accepts; its
/// propositions are bound as `bindings` says, in order.
///
/// # Errors
/// When a bound is reached.
///
/// # Panics
/// If there is not one binding for each proposition.
pub fn check<S: TransitionSystem>(
    system: &mut S,
    automaton: &Automaton,
    bindings: Vec<Binding>,
    options: &Options,
) -> Result<Answer, Cut> {
    let mut labels = Labels::new(options.reading, options.events, &bindings);
    let property = Negation::new(automaton, bindings).reading(options.events);
    let mut product = Product::new(system, property, vec![]);
    let stored = Stored::of(&mut product, options.bounds)?;
    let of_step = labels.of_steps(&stored, product.system());
    let Found { prefix, effort, decided, sets, five } = match options.procedure {
        Procedure::Naive => {
            let live = stored.explored.productive()?;
            let bounds = options.bounds;
            let (prefix, five) =
                naive::check(system, &stored, &mut labels, &of_step, &live, bounds)?;
            let effort =
                Effort { nodes: five.product, pairs: five.deterministic + five.beginnings };
            let decided = if prefix.is_some() { Decided::Beginning } else { Decided::Holds };
            Found { prefix, effort, decided, sets: Vec::new(), five: Some(five) }
        }
        Procedure::SectionSix | Procedure::Improved => {
            by_sets(system, &stored, labels, of_step, options)?
        }
    };
    let verdict = match prefix {
        None => Verdict::Holds,
        Some(prefix) => {
            let continuation = some_run(system, prefix.end())?;
            Verdict::Doomed { prefix, continuation }
        }
    };
    Ok(Answer { verdict, effort, decided, sets, five })
}

/// Finding of a procedure.
struct Found {
    prefix: Option<Prefix>,
    effort: Effort,
    decided: Decided,
    sets: Vec<(StateId, Vec<SetMember>)>,
    five: Option<FiveSteps>,
}

/// The procedures that explore pairs of a state and a set.
fn by_sets<S: TransitionSystem>(
    system: &mut S,
    stored: &Stored,
    labels: Labels,
    of_step: Vec<labels::LabelId>,
    options: &Options,
) -> Result<Found, Cut> {
    let live = match options.procedure {
        Procedure::Improved => Some(stored.explored.productive()?),
        Procedure::Naive | Procedure::SectionSix => None,
    };
    let mut pairs = Pairs::new(system, stored, labels, of_step, live);
    let mut doomed = pairs.explore(options)?;
    let mut decided = if doomed.is_some() { Decided::Live } else { Decided::Holds };
    let mut live = None;
    if options.procedure == Procedure::SectionSix {
        // One with an empty set is doomed, but one found before it may be doomed too.
        let is_aborted = doomed.is_some();
        let productive = stored.explored.productive()?;
        doomed = pairs.first_without(&productive);
        decided = match (is_aborted, doomed) {
            (true, _) => Decided::Enabled,
            (false, Some(_)) => Decided::Continued,
            (false, None) => Decided::Holds,
        };
        live = Some(productive);
    }
    let effort = Effort { nodes: stored.explored.node_count(), pairs: pairs.count() };
    let prefix = doomed.map(|pair| pairs.prefix(pair));
    let sets = pairs.shown(options.shown, live.as_deref());
    Ok(Found { prefix, effort, decided, sets, five: None })
}

/// Some run from a state.
///
/// # Errors
/// When the system goes no further on any way.
fn some_run<S: TransitionSystem>(system: &mut S, start: StateId) -> Result<Run, Cut> {
    let mut graph = AllPaths {
        system,
        start,
        transitions: Vec::new(),
        unmarked: MarkSet::new(),
        any: Acceptance::True,
        limit: None,
    };
    let lasso = emptiness::find_lasso(&mut graph)?;
    let Some(lasso) = lasso else {
        return Err(Cut::Limit(graph.limit.expect("no other state is without a step")));
    };
    let mut steps = |hops: Vec<fairly_omega::Hop>| {
        let step = |hop: fairly_omega::Hop| {
            let action = graph.transitions(hop.from)[hop.nth as usize].action;
            RunStep { from: hop.from, action, to: hop.to }
        };
        hops.into_iter().map(step).collect()
    };
    Ok(Run { stem: steps(lasso.stem), cycle: steps(lasso.cycle) })
}

/// A system as a graph in which every path is accepted.
struct AllPaths<'a, S> {
    system: &'a mut S,
    start: StateId,
    transitions: Vec<Transition>,
    unmarked: MarkSet,
    any: Acceptance,
    /// A state that the system went no further in.
    limit: Option<StateId>,
}

impl<S: TransitionSystem> AllPaths<'_, S> {
    fn transitions(&mut self, state: StateId) -> &[Transition] {
        self.transitions.clear();
        if is_limit(self.system, state) {
            self.limit = Some(state);
        } else {
            self.system.steps(state, &mut self.transitions);
        }
        &self.transitions
    }
}

impl<S: TransitionSystem> Graph for AllPaths<'_, S> {
    fn initial(&mut self) -> Vec<StateId> {
        vec![self.start]
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let transitions = self.transitions(node).iter();
        steps.extend(transitions.map(|step| Step { target: step.target, marks: MarkSetId::EMPTY }));
    }

    fn marks(&self, _: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(&self.unmarked)
    }

    fn acceptance(&self) -> &Acceptance {
        &self.any
    }
}
