//! The product of a system and the automaton of a negated property, node by node, where it is small enough to be
//! looked at. What is searched is [`crate::check()`]'s business.

use std::collections::HashMap;

use fairly_omega::{Graph, Mark, StateId};
use fairly_search::Product;
use fairly_system::{Transition, TransitionSystem};

use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::WhyUnknown;
use crate::verify::{Options, as_negation, negation};

/// A product that was explored to its end.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The nodes in the order in which they are met; the first ones are where runs start.
    pub nodes: Vec<Pair>,
    /// How many nodes runs start in.
    pub initial: usize,
    /// Which infinite paths are runs that violate the property and meet the assumption.
    pub acceptance: String,
}

/// A node of a product.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The state of the system.
    pub state: StateId,
    /// The state of the automaton.
    pub automaton: StateId,
    /// The steps that leave it.
    pub steps: Vec<PairStep>,
}

/// A step of a product.
#[derive(Clone, Debug)]
pub struct PairStep {
    /// The transition of the system.
    pub transition: Transition,
    /// The node it leads to.
    pub to: usize,
    /// The marks of acceptance that it carries.
    pub marks: Vec<u32>,
}

/// Explores a product, unless it has more nodes than that: then there is nothing.
///
/// # Errors
/// Why there is no automaton.
pub fn pairs<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    options: &Options,
    most: usize,
) -> Result<Option<Pairs>, WhyUnknown> {
    let constraints = assumption
        .constraints(system, options.bounds)
        .map_err(|cut| WhyUnknown::cut(cut, system))?;
    let (mut lifted, bindings) = negation(property, options)?;
    let reading = property.reading;
    let negation = as_negation(&mut lifted.automaton, &lifted.constraints, bindings, reading)?;
    let mut product = Product::new(system, negation, constraints);
    let mut number: HashMap<StateId, usize> = HashMap::new();
    let mut order = Vec::new();
    let mut meet = |node: StateId, order: &mut Vec<StateId>| {
        let next = order.len();
        *number.entry(node).or_insert_with(|| {
            order.push(node);
            next
        })
    };
    for node in product.initial() {
        meet(node, &mut order);
    }
    let initial = order.len();
    let mut nodes = Vec::new();
    while nodes.len() < order.len() {
        if order.len() > most {
            return Ok(None);
        }
        let node = order[nodes.len()];
        let (state, automaton) = product.pair(node);
        let (mut leaving, mut transitions) = (Vec::new(), Vec::new());
        product.steps(node, &mut leaving);
        product.transitions(node, &mut transitions);
        let steps = leaving.iter().zip(transitions).map(|(step, transition)| {
            let marks = product.marks(step.marks).iter().map(|Mark(mark)| mark).collect();
            PairStep { transition, to: meet(step.target, &mut order), marks }
        });
        let steps = steps.collect();
        nodes.push(Pair { state, automaton, steps });
    }
    if let Some(cut) = product.cut() {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    Ok(Some(Pairs { nodes, initial, acceptance: product.acceptance().to_string() }))
}
