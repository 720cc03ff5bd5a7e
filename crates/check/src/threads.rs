//! Fairness of processes that are permuted: the search in the quotient, and the run of the
//! system behind what is found.

use fairly_fairness::Constraint;
use fairly_omega::emptiness::Explored;
use fairly_omega::{Clause, Graph, Hop, Lasso, StateId, Stop};
use fairly_reduce::{LiftError, PermutationId, Reduced, Reducible, Symmetry};
use fairly_search::engines::{Engine, Question};
use fairly_search::threaded::Quotient;
use fairly_search::{Bounded, Bounds, Product};
use fairly_system::{Run, RunStep, Transition, TransitionSystem};

use crate::property::Property;
use crate::verdict::{CheckError, Stamp, WhyUnknown};
use crate::verify::{Found, Options, unfounded, with_negation};

/// Nodes of the quotient that are explored before a fair component is looked for the first time. Then it is
/// so many times more each time, so that a violation near the start is found before everything is explored.
const FIRST: usize = 4096;
const MORE: usize = 8;

/// Searches for a run that violates the property and meets the constraints, in a quotient whose permutations
/// are followed. `None` if the whole system has to be searched: the condition is of another kind, or the
/// run would be very long.
pub(crate) fn search<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    property: &mut Property,
    constraints: &[Constraint],
    options: &Options,
    stamp: &mut Stamp,
) -> Result<Option<Found>, CheckError> {
    let mut path = None;
    let mut can_follow = true;
    let mut found = with_negation(property, options, |negation| {
        let mut product = Product::new(reduced, negation, constraints.to_vec());
        let question = Question::QuotientRuns;
        let Some(engine) = Engine::able(question, product.acceptance()) else {
            can_follow = false;
            return Ok(Found::Nothing);
        };
        stamp.engine = Some(engine);
        let clauses = product.acceptance().clauses().expect("the engine decides clauses");
        let mut most = FIRST;
        loop {
            let nodes = options.bounds.nodes.map_or(most, |nodes| nodes.min(most));
            let bounds = Bounds { nodes: Some(nodes), ..options.bounds };
            product.system_mut().stop_at(bounds.stop());
            let mut bounded = Bounded::new(&mut product, bounds);
            let explored = Explored::of(&mut bounded);
            let cut = bounded.cut();
            product.system_mut().stop_at(Stop::default());
            let cut = cut.or_else(|| product.cut());
            let explored =
                explored.map_err(|undecided| CheckError::Engine(undecided.to_string()))?;
            stamp.product = (explored.node_count(), explored.edge_count());
            stamp.system = product.system_size();
            let Some(lasso) = find(&mut product, &explored, &clauses) else {
                can_follow = false;
                return Ok(Found::Nothing);
            };
            if let Some(lasso) = lasso {
                path = Some([steps(&mut product, &lasso.stem), steps(&mut product, &lasso.cycle)]);
                return Ok(Found::Nothing);
            }
            match cut {
                None => {
                    stamp.exhaustive = true;
                    return Ok(Found::Nothing);
                }
                Some(fairly_search::Cut::Nodes(reached))
                    if reached == most && options.bounds.nodes.is_none_or(|nodes| nodes > most) =>
                {
                    most = most.saturating_mul(MORE);
                }
                Some(cut) => return Ok(Found::Unknown(WhyUnknown::cut(cut, product.system()))),
            }
        }
    })?;
    if !can_follow {
        return Ok(None);
    }
    if let Some([stem, cycle]) = path {
        match reduced.lift_followed(&stem, &cycle) {
            Ok(run) => found = Found::Run(run),
            Err(LiftError::Long) => return Ok(None),
            Err(LiftError::Stopped) => return Err(CheckError::Stopped),
            Err(LiftError::Step(at)) => {
                let steps =
                    |path: &[(RunStep, PermutationId)]| path.iter().map(|it| it.0).collect();
                return Err(unfounded(at, Run { stem: steps(&stem), cycle: steps(&cycle) }));
            }
        }
    }
    Ok(Some(found))
}

/// A fair path of what has been explored, if there is one; `None` if a permutation is not known.
fn find<S: Reducible>(
    product: &mut Product<'_, Reduced<'_, S>>,
    explored: &Explored,
    clauses: &[Clause],
) -> Option<Option<Lasso>> {
    let mut permutations = Vec::with_capacity(explored.edge_count());
    let mut transitions: Vec<Transition> = Vec::new();
    for node in explored.nodes() {
        // A node beyond the bounds has no steps here.
        if explored.positions(node).is_empty() {
            continue;
        }
        let original = explored.original(node);
        let (state, _) = product.pair(original);
        transitions.clear();
        product.transitions(original, &mut transitions);
        let known = product.system_mut().permutations(state, &transitions)?;
        permutations.extend(known.into_iter().map(|PermutationId(number)| number));
    }
    debug_assert_eq!(permutations.len(), explored.edge_count());
    let after = clauses_after(product, clauses)?;
    let quotient =
        Quotient { explored, clauses, permutations: &permutations, clauses_after: &after };
    let lasso = quotient.find();
    let original = |hop: &Hop| Hop {
        from: explored.original(hop.from),
        nth: hop.nth,
        to: explored.original(hop.to),
    };
    Some(lasso.map(|lasso| Lasso {
        stem: lasso.stem.iter().map(original).collect(),
        cycle: lasso.cycle.iter().map(original).collect(),
    }))
}

/// By permutation: which clause each clause is after it. Those of constraints go with the constraints; all
/// others stay as they are.
fn clauses_after<S: Reducible>(
    product: &Product<'_, Reduced<'_, S>>,
    clauses: &[Clause],
) -> Option<Vec<Vec<u32>>> {
    let lowering = product.lowering();
    let mut places = Vec::new();
    for constraint in 0..lowering.constraints().len() {
        let own = lowering.acceptance_of(constraint).clauses()?;
        // None if nothing is accepted anyway.
        places.push(clauses.iter().position(|clause| *clause == own[0]));
    }
    let small = |at: usize| u32::try_from(at).expect("few clauses");
    let after = product.system().symmetry().map(Symmetry::constraints_after)?;
    let of_clauses = |constraints: &Vec<u32>| {
        let mut clauses: Vec<u32> = (0..).take(clauses.len()).collect();
        for (constraint, &then) in constraints.iter().enumerate() {
            if let (Some(here), Some(there)) = (places[constraint], places[then as usize]) {
                clauses[here] = small(there);
            }
        }
        clauses
    };
    Some(after.iter().map(of_clauses).collect())
}

/// The steps of the reduced system behind those of the product, with what is permuted after them.
fn steps<S: Reducible>(
    product: &mut Product<'_, Reduced<'_, S>>,
    hops: &[Hop],
) -> Vec<(RunStep, PermutationId)> {
    let step = |hop: &Hop| {
        let transition = product.transition(hop.from, hop.nth);
        let (from, _): (StateId, _) = product.pair(hop.from);
        let known = product.system_mut().permutations(from, &[transition]);
        let permuted = known.expect("it was known before")[0];
        (RunStep { from, action: transition.action, to: transition.target }, permuted)
    };
    hops.iter().map(step).collect()
}
