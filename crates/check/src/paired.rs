//! The product of a system and the automaton of a negated property, node by node, where it is small enough to be
//! looked at. What is searched is [`crate::check()`]'s business.

use std::collections::HashMap;

use fairly_omega::{Automaton, Graph, Mark, StateId};
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
    /// The automaton of the negated property, which nodes name states of.
    pub automaton: Automaton,
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
    let acceptance = product.acceptance().to_string();
    Ok(Some(Pairs { nodes, initial, automaton: lifted.automaton, acceptance }))
}

#[cfg(test)]
mod tests {
    use fairly_explore::Explored;
    use fairly_fairness::Notion;
    use fairly_front::case;
    use fairly_logic::Formulas;
    use fairly_system::{Composition, Network};

    use super::*;
    use crate::property::parse_for;
    use crate::verdict::Outcome;

    /// Two components that share an event, with two ways to go round for ever.
    const NETWORK: &str = "component P {\n  initial 0\n  0 -a-> 1\n  1 -b-> 0\n  0 -c-> 2\n  2 -c-> 2\n}\n\
                           component Q {\n  initial 0\n  0 -a-> 1\n  1 -d-> 0\n}\n";

    fn network() -> Explored<Network> {
        let case = case::parse(NETWORK).expect("a network");
        Explored::new(
            Network::new(case.build(), &Composition { interleaved: Vec::new() })
                .expect("components"),
        )
    }

    fn bound(text: &str, network: &mut Explored<Network>) -> Property {
        let mut formulas = Formulas::new();
        let formula = parse_for(&mut formulas, text, network).expect("a formula");
        Property::bind("p", formulas, formula, network).expect("names of the network")
    }

    /// Whether a step with the mark is on a cycle, by the definition.
    fn has_marked_cycle(pairs: &Pairs) -> bool {
        let leads_to = |from: usize, to: usize| {
            let (mut seen, mut open) = (vec![false; pairs.nodes.len()], vec![from]);
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    open.extend(pairs.nodes[at].steps.iter().map(|step| step.to));
                }
            }
            seen[to]
        };
        pairs.nodes.iter().enumerate().any(|(from, node)| {
            let mut marked = node.steps.iter().filter(|step| step.marks.contains(&0));
            marked.any(|step| leads_to(step.to, from))
        })
    }

    #[test]
    fn a_path_that_is_accepted_is_a_violation() {
        let assumption = Assumption::of(Notion::None);
        let options = Options::default();
        let mut compared = [0, 0];
        for text in [
            "G F a",
            "F c",
            "G !c",
            "G (a -> F b)",
            "F G c",
            "a U c",
            "G (a -> X d)",
            "G F d",
            "true",
        ] {
            let mut network = network();
            let mut property = bound(text, &mut network);
            let pairs = pairs(&mut network, &mut property, &assumption, &options, 1_000);
            let pairs = pairs.expect("an automaton").expect("it is small");
            // Nothing violates what is true of everything, so its product is empty.
            assert!((pairs.initial > 0 || text == "true") && pairs.initial <= pairs.nodes.len());
            // Every node is reached, and every step leads to one.
            assert!(
                pairs.nodes.iter().flat_map(|it| &it.steps).all(|it| it.to < pairs.nodes.len())
            );
            if pairs.acceptance != "Inf(0)" {
                continue;
            }
            let verdict = crate::check(&mut network, &mut property, &assumption, &options);
            let violated = match verdict.expect("a verdict").outcome {
                Outcome::Violated(_) => true,
                Outcome::Holds(_) => false,
                other => panic!("{text}: {other:?}"),
            };
            compared[usize::from(violated)] += 1;
            assert_eq!(has_marked_cycle(&pairs), violated, "{text}");
        }
        assert!(compared[1] >= 3, "{compared:?}");
    }

    #[test]
    fn what_is_too_large_is_not_drawn() {
        let mut network = network();
        let mut property = bound("G F a", &mut network);
        let (assumption, options) = (Assumption::of(Notion::None), Options::default());
        let small = pairs(&mut network, &mut property, &assumption, &options, 1);
        assert!(matches!(small, Ok(None)));
    }
}
