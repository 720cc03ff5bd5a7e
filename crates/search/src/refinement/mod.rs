//! Process algebra: what a system may do, refuse and get lost in, compared with another's.
//!
//! - [`refines`]: does every behaviour of an implementation belong to a specification, in the
//!   models of CSP;
//! - [`divergence_free`]: can the system do internal steps for ever;
//! - [`deterministic`]: can it both do and refuse something after the same events;
//! - [`nonterminating`]: does it always go on.
//!
//! - [`refines_fairly`]: does every fair run of an implementation look like a fair run of a specification.
//!
//! For properties of runs under fairness see [`crate::Product`] and its neighbours; nothing else here
//! assumes any.
//!
//! # What is observed
//!
//! The models are those of Roscoe, *The Theory and Practice of Concurrency* (1997). A *trace* is
//! the sequence of visible events of a finite run; internal steps (τ) are left out, and hidden
//! events are τ whatever they are called. Events of two systems are the same if they have the same
//! name, and termination (✓) is the same in all systems.
//!
//! - ✓ is visible and is the last event: what a system does after it is not looked at.
//! - A *stable* state has neither a τ-step nor ✓. It refuses every set of events that it does not
//!   offer. A state that offers ✓ refuses every set without ✓, even what it offers, and even if it
//!   has τ-steps: terminating needs no consent of the environment, so nothing else can be relied
//!   on. (PAT takes ✓ for an event like any other, so that it has `Skip [] a -> Stop` not refuse
//!   `a`.) Every other state refuses nothing.
//! - A state *diverges* if it can do τ-steps for ever: they lead to a τ-cycle. Divergence is
//!   strict: after a trace with a prefix that leads to a diverging state, everything is possible.
//!
//! A system that starts in one of several states is taken to choose between them by a τ-step that
//! is not written down. A [fault](TransitionSystem::fault) is a state that offers nothing, like a
//! deadlock; [`crate::reach::fault`] tells whether there is one.
//!
//! # Bounds
//!
//! [`Bounds::nodes`] counts what is stored: states of both systems, pairs of a state and a set, and
//! members of sets.

mod antichain;
mod determinism;
mod fair;
mod normal;
mod tree;
mod view;

use fairly_system::{EventKind, Run, RunStep, TransitionSystem};
use hashbrown::HashSet;

use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;
use antichain::Antichain;
use normal::Normal;
use tree::Tree;
use view::{Context, Symbol, View, subset};

pub use determinism::{Determinism, Nondeterminism, deterministic};
pub use fair::{FairAnswer, FairError, Look, look, performs, refines_fairly};

/// Observations of a system that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Its traces.
    Traces,
    /// Its traces, and its refusals in stable states. A system that only diverges refuses nothing, and so
    /// refines everything that has its traces.
    Failures,
    /// Its refusals and divergences, with everything possible after a divergence.
    FailuresDivergences,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 3] = [Model::Traces, Model::Failures, Model::FailuresDivergences];
}

/// Whether a system refines another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every behaviour of the implementation is one of the specification.
    Refines,
    /// One is not.
    Violated(Violation),
}

/// A behaviour of the implementation that the specification does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A run of the implementation, internal steps included. No run that shows a violation has
    /// fewer steps before the state where it shows.
    pub trace: Prefix,
    /// Kind of the violation.
    pub kind: ViolationKind,
}

/// Kind of the violation at the end of a [`Violation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The last step of the run has this event, and the specification cannot do that now.
    ExtraEvent(String),
    /// The last state refuses too much.
    Refuses {
        /// Acceptance set of the implementation, in alphabetical order.
        offered: Vec<String>,
        /// Acceptance sets of the specification: the least such sets. None of them is within `offered`. There
        /// is none if it never comes to rest.
        allowed: Vec<Vec<String>>,
    },
    /// Internal steps can go on for ever from the last state, and the specification's cannot.
    Diverges {
        /// A shortest cycle of internal steps, from the last state back to it.
        cycle: Vec<RunStep>,
    },
}

/// The visible events of steps, ✓ included.
pub fn visible<S: TransitionSystem>(system: &S, steps: &[RunStep]) -> Vec<String> {
    let signature = system.signature();
    let events = steps.iter().map(|step| system.action(step.action).event);
    events
        .filter(|&event| signature.event_kind(event) != EventKind::Internal)
        .map(|event| signature.event_name(event).to_owned())
        .collect()
}

/// Whether every behaviour of the implementation is one of the specification.
///
/// The search goes breadth first through the pairs of a state of the implementation and a set of
/// states of the specification, made as they are needed (Roscoe, *Model-checking CSP*, 1994).
/// Pairs that a stricter one makes superfluous are left out: Wang, Song, Sun, Liu, Dong, Wang and
/// Li, *More Anti-chain Based Refinement Checking* (2012), in the corrected form of Laveaux, Groote
/// and Willemse, *Correct and Efficient Antichain Algorithms for Refinement Checking* (2021).
/// Where the specification diverges, only the pair at hand is settled. PAT stops there and answers
/// that the implementation refines, although it may do something wrong elsewhere.
///
/// ```
/// use fairly_search::Bounds;
/// use fairly_search::refinement::{Answer, Model, refines};
/// use fairly_explore::Explored;
/// use fairly_system::{ComponentBuilder, Composition, Network};
/// let network = |transitions: &[(u32, &str, u32)]| {
///     let mut builder = ComponentBuilder::new("P");
///     (0..4).for_each(|state| _ = builder.add_state(state.to_string()));
///     builder.add_initial(0);
///     for &(from, event, to) in transitions {
///         builder.add_transition(from, event, to, None);
///     }
///     Explored::new(Network::new(vec![builder.build()], &Composition::default()).unwrap())
/// };
/// // Which drink comes is settled by the coin in one machine, and by the guest in the other.
/// let surprising = [(0, "coin", 1), (0, "coin", 2), (1, "tea", 3), (2, "coffee", 3)];
/// let obliging = [(0, "coin", 1), (1, "tea", 3), (1, "coffee", 3)];
/// let ask = |model| {
///     let (mut one, mut other) = (network(&surprising), network(&obliging));
///     refines(&mut one, &mut other, model, Bounds::default()).unwrap()
/// };
/// assert_eq!(ask(Model::Traces), Answer::Refines);
/// assert!(matches!(ask(Model::Failures), Answer::Violated(_)));
/// ```
///
/// # Errors
/// When a bound is reached before the answer is known.
pub fn refines<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    model: Model,
    bounds: Bounds,
) -> Result<Answer, Cut> {
    let context = &mut Context::new(bounds);
    let mut view = View::new(implementation);
    let mut normal = Normal::new(specification);
    let mut met = Antichain::default();
    let mut tree = Tree::new();
    let first = normal.initial(context)?;
    for state in view.initial() {
        if met.insert(state, first, &normal) {
            context.spend()?;
            tree.start(state, first);
        }
    }
    let mut at = 0;
    while let Some((state, set)) = tree.get(at) {
        let violated =
            |trace: Prefix, kind: ViolationKind| Ok(Answer::Violated(Violation { trace, kind }));
        if model == Model::FailuresDivergences {
            if normal.diverges(set, context)? {
                at += 1;
                continue;
            }
            // A state that leads to a τ-cycle but is not on it needs no test: the cycle is reached
            // with the same set.
            if view.on_tau_cycle(state, context)? {
                let cycle = view.tau_cycle(state, context)?;
                return violated(tree.prefix(at), ViolationKind::Diverges { cycle });
            }
        }
        for number in view.edges(state, context)? {
            context.tick()?;
            let edge = view.edge(number);
            let after = match edge.symbol {
                Symbol::TAU => Some(set),
                // There is nothing to compare after ✓, so there is no pair either.
                Symbol::TICK if normal.terminates(set, context)? => continue,
                Symbol::TICK => None,
                symbol => normal.after(set, symbol, context)?,
            };
            let Some(after) = after else {
                let kind = ViolationKind::ExtraEvent(context.name(edge.symbol));
                return violated(tree.prefix_and(at, edge), kind);
            };
            if met.insert(edge.target, after, &normal) {
                context.spend()?;
                tree.add(at, edge, after);
            }
        }
        if model != Model::Traces
            && let Some(offered) = view.acceptance(state, context)?
        {
            let allowed = normal.acceptances(set, context)?;
            if !allowed.iter().any(|allowed| subset(allowed, &offered)) {
                let allowed = allowed.to_vec();
                let mut allowed: Vec<_> = allowed.iter().map(|it| context.names(it)).collect();
                allowed.sort_unstable();
                let offered = context.names(&offered);
                return violated(tree.prefix(at), ViolationKind::Refuses { offered, allowed });
            }
        }
        at += 1;
    }
    Ok(Answer::Refines)
}

/// Visits the reachable states breadth first, never going past ✓, until `found` says something.
fn walk<S: TransitionSystem, T>(
    view: &mut View<'_, S>,
    context: &mut Context,
    mut found: impl FnMut(&mut View<'_, S>, &mut Context, &Tree<()>, usize) -> Result<Option<T>, Cut>,
) -> Result<Option<T>, Cut> {
    let mut tree = Tree::new();
    let mut met = HashSet::new();
    for state in view.initial() {
        if met.insert(state) {
            tree.start(state, ());
        }
    }
    let mut at = 0;
    while let Some((state, ())) = tree.get(at) {
        if let Some(found) = found(view, context, &tree, at)? {
            return Ok(Some(found));
        }
        for number in view.edges(state, context)? {
            let edge = view.edge(number);
            if edge.symbol != Symbol::TICK && met.insert(edge.target) {
                tree.add(at, edge, ());
            }
        }
        at += 1;
    }
    Ok(None)
}

/// A run that ends in internal steps for ever, if there is one; then the stem is a shortest one to
/// a cycle of internal steps.
///
/// # Errors
/// When a bound is reached before the answer is known.
pub fn divergence_free<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<Option<Run>, Cut> {
    divergence(&mut View::new(system), &mut Context::new(bounds))
}

fn divergence<S: TransitionSystem>(
    view: &mut View<'_, S>,
    context: &mut Context,
) -> Result<Option<Run>, Cut> {
    walk(view, context, |view, context, tree, at| {
        let Some((state, ())) = tree.get(at) else { return Ok(None) };
        if !view.on_tau_cycle(state, context)? {
            return Ok(None);
        }
        let cycle = view.tau_cycle(state, context)?;
        Ok(Some(Run { stem: tree.prefix(at).steps, cycle }))
    })
}

/// A shortest run that ends, with ✓ or in a state that offers nothing, if there is one.
///
/// So PAT understands its assertion `nonterminating`: it looks for a state without any further
/// move, terminated or not, where `deadlockfree` looks for one that is not terminated. Internal
/// steps count as going on.
///
/// # Errors
/// When a bound is reached before the answer is known.
pub fn nonterminating<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
) -> Result<Option<Prefix>, Cut> {
    walk(&mut View::new(system), &mut Context::new(bounds), |view, context, tree, at| {
        let Some((state, ())) = tree.get(at) else { return Ok(None) };
        let range = view.edges(state, context)?;
        if range.is_empty() {
            return Ok(Some(tree.prefix(at)));
        }
        let tick = range.map(|number| view.edge(number)).find(|edge| edge.symbol == Symbol::TICK);
        Ok(tick.map(|edge| tree.prefix_and(at, edge)))
    })
}
