//! How many states another tool stores: without partial order reduction, compression and its optimisations, in a
//! search that no error stops.

use fairly_front::loaded::Counted;
use fairly_omega::{Graph, StateId};
use fairly_search::{Bounded, Bounds, Negation, Product, reach};
use fairly_system::{FaultKind, TransitionSystem};

use crate::execution::ModelSystem;
use crate::property::Property;
use crate::question::{Asked, Question, never};
use crate::systems::{System, Systems};
use crate::verdict::WhyUnknown;
use crate::verify::{self, Options};

/// States that a search stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Those that the other tool stores, too.
    Same(usize),
    /// Those up to errors other than assertions: here a run ends with them, and the other tool goes on.
    UpToErrors(usize),
    /// Those of a product with our automaton of a formula, in place of which the other tool has another.
    OwnAutomaton(usize),
}

impl Stored {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Stored::Same(count) | Stored::UpToErrors(count) | Stored::OwnAutomaton(count) => count,
        }
    }
}

impl Systems {
    /// How many states the search for an answer stores, if nothing stops it; none if no other tool answers the
    /// question. The model has to be read without assertions.
    ///
    /// # Errors
    /// When a bound is reached.
    pub fn stored(
        &mut self,
        question: &mut Question,
        options: &Options,
    ) -> Option<Result<Stored, WhyUnknown>> {
        let counted = self.loaded().questions[question.at].counted.clone()?;
        let System::Model(system) = self.system(question.system).ok()? else { return None };
        Some(match (counted, &mut question.asked) {
            (Counted::With(automaton), _) => {
                automaton.map_err(WhyUnknown::Refused).and_then(|automaton| {
                    let never = never("counted", automaton, system).never.expect("made of one");
                    let negation = Negation::new(&never.automaton, never.bindings);
                    let (count, errors) = explored(system, negation, options.bounds)?;
                    Ok(if errors { Stored::UpToErrors(count) } else { Stored::Same(count) })
                })
            }
            (Counted::WithFormula, Asked::Formula(property, _)) => {
                with_own_automaton(system, property, options)
            }
            _ => states(system, options.bounds),
        })
    }
}

/// The states of the model.
fn states(system: &mut ModelSystem, bounds: Bounds) -> Result<Stored, WhyUnknown> {
    let (mut count, mut errors) = (0, false);
    let searched = reach::state(system, bounds, |system, state| {
        errors |= is_error(system, state);
        count += usize::from(is_stored(system, state));
        false
    });
    searched.map_err(|cut| WhyUnknown::cut(cut, system))?;
    Ok(if errors { Stored::UpToErrors(count) } else { Stored::Same(count) })
}

fn with_own_automaton(
    system: &mut ModelSystem,
    property: &mut Property,
    options: &Options,
) -> Result<Stored, WhyUnknown> {
    let (mut lifted, bindings) = verify::negation(property, options)?;
    let reading = property.reading;
    let negation =
        verify::as_negation(&mut lifted.automaton, &lifted.constraints, bindings, reading)?;
    let (count, _) = explored(system, negation, options.bounds)?;
    Ok(Stored::OwnAutomaton(count))
}

/// The stored nodes of a product, and whether there are errors among them.
fn explored(
    system: &mut ModelSystem,
    negation: Negation<'_>,
    bounds: Bounds,
) -> Result<(usize, bool), WhyUnknown> {
    let mut product = Product::new(system, negation, Vec::new());
    let (mut steps, mut next) = (Vec::new(), 0);
    let mut graph = Bounded::new(&mut product, bounds);
    let mut nodes = graph.initial();
    let most = nodes.iter().map(|node| node.index()).max();
    let mut met = vec![false; most.map_or(0, |most| most + 1)];
    nodes.iter().for_each(|node| met[node.index()] = true);
    while let Some(&node) = nodes.get(next) {
        next += 1;
        steps.clear();
        graph.steps(node, &mut steps);
        for step in &steps {
            if step.target.index() >= met.len() {
                met.resize(step.target.index() + 1, false);
            }
            if !std::mem::replace(&mut met[step.target.index()], true) {
                nodes.push(step.target);
            }
        }
    }
    let cut = graph.cut().or_else(|| product.cut());
    if let Some(cut) = cut {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    let states: Vec<StateId> = nodes.iter().map(|&node| product.pair(node).0).collect();
    let system = product.system();
    let count = states.iter().filter(|&&state| is_stored(system, state)).count();
    Ok((count, states.iter().any(|&state| is_error(system, state))))
}

/// Whether the other tool stores a state: none within an atomic sequence, and none after an error.
fn is_stored(system: &ModelSystem, state: StateId) -> bool {
    system.fault(state).is_none() && !system.is_held(state)
}

fn is_error(system: &ModelSystem, state: StateId) -> bool {
    system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Error)
}
