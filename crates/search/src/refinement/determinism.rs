//! Whether a system's behaviour is settled by what its environment does.

use fairly_omega::StateId;
use fairly_system::{Run, RunStep, TransitionSystem};
use hashbrown::{HashMap, HashSet};

use super::tree::Tree;
use super::view::{Context, Edge, Symbol, View, subset};
use super::{divergence, walk};
use crate::bounded::{Bounds, Cut};
use crate::prefix::Prefix;

/// When a system is deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Determinism {
    /// As in CSP: it never diverges, and after no trace can it both do an event and refuse it.
    Failures,
    /// As PAT's assertion `deterministic`: no reachable state has two steps with the same event to
    /// different states. All internal steps have the same event, and so have all terminations. The
    /// choice of an initial state is no step.
    ///
    /// That is about the drawing of the system and not about what can be observed, and neither
    /// implies the other: two τ-steps may lead to the same behaviour, and a single τ-step may
    /// withdraw an offer.
    Transitions,
}

/// Why a system is not deterministic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nondeterminism {
    /// It can do internal steps for ever.
    Diverges(Run),
    /// After the same visible events it can do one more and refuse it.
    Refusable {
        /// The event.
        event: String,
        /// A run that ends with the event.
        accepts: Prefix,
        /// A run with the same visible events but for the last. Its last state refuses the event:
        /// it is stable and does not offer it, or it offers ✓ and the event is another.
        refuses: Prefix,
    },
    /// Two steps with the same event leave a state and lead to different ones.
    Branches {
        /// The event; none if the steps are internal.
        event: Option<String>,
        /// A shortest run to that state and one of the steps.
        one: Prefix,
        /// The same run, and the other step.
        other: Prefix,
    },
}

/// Why a system is not deterministic; none if it is.
///
/// For [`Determinism::Failures`] the system is compared with one of its deterministic refinements,
/// in which every choice that is its own is made in advance. A deterministic system has no proper
/// refinement, so it is deterministic exactly if it refines that one. This is how FDR does it, a
/// method of Lazić (Roscoe, *Understanding Concurrent Systems*, 2010), and it needs no sets of
/// states. The runs it finds are shortest for the choices made, not among all.
///
/// # Errors
/// When a bound is reached before the answer is known.
pub fn deterministic<S: TransitionSystem>(
    system: &mut S,
    determinism: Determinism,
    bounds: Bounds,
) -> Result<Option<Nondeterminism>, Cut> {
    let context = &mut Context::new(bounds);
    let mut view = View::new(system);
    match determinism {
        Determinism::Transitions => branches(&mut view, context),
        Determinism::Failures => match divergence(&mut view, context)? {
            Some(run) => Ok(Some(Nondeterminism::Diverges(run))),
            None => refusable(&mut view, context),
        },
    }
}

fn branches<S: TransitionSystem>(
    view: &mut View<'_, S>,
    context: &mut Context,
) -> Result<Option<Nondeterminism>, Cut> {
    let mut first: HashMap<Symbol, Edge> = HashMap::new();
    walk(view, context, |view, context, tree, at| {
        let Some((state, ())) = tree.get(at) else { return Ok(None) };
        first.clear();
        for number in view.edges(state, context)? {
            let edge = view.edge(number);
            let one = *first.entry(edge.symbol).or_insert(edge);
            if one.target != edge.target {
                let event = (edge.symbol != Symbol::TAU).then(|| context.name(edge.symbol));
                let (one, other) = (tree.prefix_and(at, one), tree.prefix_and(at, edge));
                return Ok(Some(Nondeterminism::Branches { event, one, other }));
            }
        }
        Ok(None)
    })
}

/// A deterministic refinement of a system without divergence: where the system has a τ-step and no
/// ✓, the first such step is taken; where it can terminate, it does; and an event leads where its
/// first step leads.
struct Resolved {
    /// Where each state's choices end.
    rests: HashMap<StateId, StateId>,
}

impl Resolved {
    /// The state in which τ-steps from `state` come to rest. There is one, for without divergence
    /// they end.
    fn rest<S: TransitionSystem>(
        &mut self,
        state: StateId,
        view: &mut View<'_, S>,
        context: &mut Context,
    ) -> Result<StateId, Cut> {
        let mut passed = Vec::new();
        let mut here = state;
        let rest = loop {
            context.tick()?;
            if let Some(&known) = self.rests.get(&here) {
                break known;
            }
            passed.push(here);
            match Resolved::choice(here, view, context)? {
                Some(edge) => here = edge.target,
                None => break here,
            }
        };
        self.rests.extend(passed.into_iter().map(|state| (state, rest)));
        Ok(rest)
    }

    /// The τ-step that is chosen in a state, if it is not at rest.
    fn choice<S: TransitionSystem>(
        state: StateId,
        view: &mut View<'_, S>,
        context: &mut Context,
    ) -> Result<Option<Edge>, Cut> {
        if view.acceptance(state, context)?.is_some() {
            return Ok(None);
        }
        Resolved::first(state, Symbol::TAU, view, context)
    }

    fn first<S: TransitionSystem>(
        state: StateId,
        symbol: Symbol,
        view: &mut View<'_, S>,
        context: &mut Context,
    ) -> Result<Option<Edge>, Cut> {
        let mut edges = view.edges(state, context)?.map(|number| view.edge(number));
        Ok(edges.find(|edge| edge.symbol == symbol))
    }

    /// The run with these visible events, up to where it comes to rest after the last.
    fn run<S: TransitionSystem>(
        start: StateId,
        trace: &[Symbol],
        view: &mut View<'_, S>,
        context: &mut Context,
    ) -> Result<Prefix, Cut> {
        let mut steps: Vec<RunStep> = Vec::new();
        let mut here = start;
        let mut trace = trace.iter();
        loop {
            let edge = match Resolved::choice(here, view, context)? {
                Some(edge) => Some(edge),
                None => match trace.next() {
                    Some(&symbol) => Resolved::first(here, symbol, view, context)?,
                    None => None,
                },
            };
            let Some(edge) = edge else { return Ok(Prefix { start, steps }) };
            steps.push(edge.step(here));
            here = edge.target;
        }
    }
}

fn refusable<S: TransitionSystem>(
    view: &mut View<'_, S>,
    context: &mut Context,
) -> Result<Option<Nondeterminism>, Cut> {
    let initial = view.initial();
    let Some(&start) = initial.first() else { return Ok(None) };
    let mut resolved = Resolved { rests: HashMap::new() };
    let first = resolved.rest(start, view, context)?;
    let mut met = HashSet::new();
    let mut tree = Tree::new();
    for state in initial {
        if met.insert((state, first)) {
            context.spend()?;
            tree.start(state, first);
        }
    }
    let mut at = 0;
    while let Some((state, rest)) = tree.get(at) {
        let Some(insists) = view.acceptance(rest, context)? else { unreachable!("it is at rest") };
        for number in view.edges(state, context)? {
            let edge = view.edge(number);
            let next = match edge.symbol {
                Symbol::TAU => rest,
                symbol if !insists.contains(&symbol) => {
                    let trace = trace(&tree.prefix(at), view, context)?;
                    return Ok(Some(Nondeterminism::Refusable {
                        event: context.name(symbol),
                        accepts: tree.prefix_and(at, edge),
                        refuses: Resolved::run(start, &trace, view, context)?,
                    }));
                }
                Symbol::TICK => continue,
                symbol => {
                    let Some(edge) = Resolved::first(rest, symbol, view, context)? else {
                        unreachable!("what a state insists on, it offers")
                    };
                    resolved.rest(edge.target, view, context)?
                }
            };
            if met.insert((edge.target, next)) {
                context.spend()?;
                tree.add(at, edge, next);
            }
        }
        if let Some(offered) = view.acceptance(state, context)?
            && !subset(&insists, &offered)
            && let Some(&symbol) = insists.iter().find(|symbol| !offered.contains(symbol))
        {
            let refuses = tree.prefix(at);
            let trace = trace(&refuses, view, context)?;
            let mut accepts = Resolved::run(start, &trace, view, context)?;
            let step = Resolved::first(rest, symbol, view, context)?.map(|edge| edge.step(rest));
            accepts.steps.extend(step);
            let event = context.name(symbol);
            return Ok(Some(Nondeterminism::Refusable { event, accepts, refuses }));
        }
        at += 1;
    }
    Ok(None)
}

/// The visible events of a run.
fn trace<S: TransitionSystem>(
    prefix: &Prefix,
    view: &mut View<'_, S>,
    context: &mut Context,
) -> Result<Vec<Symbol>, Cut> {
    let mut trace = Vec::new();
    for step in &prefix.steps {
        let mut edges = view.edges(step.from, context)?.map(|number| view.edge(number));
        let taken = edges.find(|edge| edge.action == step.action && edge.target == step.to);
        trace.extend(taken.map(|edge| edge.symbol).filter(|&symbol| symbol != Symbol::TAU));
    }
    Ok(trace)
}
