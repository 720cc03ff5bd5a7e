//! The product of a system and the automaton of a negated property, node by node, where it is small enough to be
//! looked at. What is searched is [`crate::check()`]'s business.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Instant;

use fairly_omega::emptiness::{Explored, find_lasso};
use fairly_omega::{
    Acceptance, Automaton, Graph, Hop, Lasso, Mark, MarkSet, MarkSetId, StateId, Step,
};
use fairly_search::Product;
use fairly_system::{Transition, TransitionSystem};

use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::WhyUnknown;
use crate::verify::{Options, as_negation, negation};

/// Which part of a product is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Portion<'a> {
    /// Path to the node that it begins with: the position of a node among those that runs start in, then of each step
    /// among those that leave a node. If it is empty, it begins with all nodes that runs start in.
    pub path: &'a [usize],
    /// Nodes whose steps are followed, the nearest ones.
    pub most: usize,
    /// Whether there is nothing if there are more.
    pub is_whole: bool,
}

/// A product, or a part of one.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The nodes in the order in which they are met; the first ones are where runs start.
    pub nodes: Vec<Pair>,
    /// How many nodes it begins with.
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
    /// The steps that leave it, if they were followed.
    pub steps: Vec<PairStep>,
    /// Whether its steps were not followed.
    pub is_open: bool,
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

/// Explores a product, or a part of one; nothing if it is too large, or there is no such path.
///
/// # Errors
/// Why there is no automaton.
pub fn pairs<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    options: &Options,
    portion: Portion<'_>,
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
    let Some(begin) = begin(&mut product, portion.path) else { return Ok(None) };
    for node in begin {
        meet(node, &mut order);
    }
    let initial = order.len();
    let mut nodes = Vec::new();
    while nodes.len() < order.len() {
        if portion.is_whole && order.len() > portion.most {
            return Ok(None);
        }
        let node = order[nodes.len()];
        let (state, automaton) = product.pair(node);
        if nodes.len() >= portion.most {
            nodes.push(Pair { state, automaton, steps: Vec::new(), is_open: true });
            continue;
        }
        let (mut leaving, mut transitions) = (Vec::new(), Vec::new());
        product.steps(node, &mut leaving);
        product.transitions(node, &mut transitions);
        let steps = leaving.iter().zip(transitions).map(|(step, transition)| {
            let marks = product.marks(step.marks).iter().map(|Mark(mark)| mark).collect();
            PairStep { transition, to: meet(step.target, &mut order), marks }
        });
        let steps = steps.collect();
        nodes.push(Pair { state, automaton, steps, is_open: false });
    }
    if let Some(cut) = product.cut() {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    let acceptance = product.acceptance().to_string();
    Ok(Some(Pairs { nodes, initial, automaton: lifted.automaton, acceptance }))
}

/// The nodes that a part of a product begins with.
fn begin<S: TransitionSystem>(
    product: &mut Product<'_, S>,
    path: &[usize],
) -> Option<Vec<StateId>> {
    let initial = product.initial();
    let Some((&first, rest)) = path.split_first() else { return Some(initial) };
    let mut at = *initial.get(first)?;
    for &step in rest {
        let mut leaving = Vec::new();
        product.steps(at, &mut leaving);
        at = leaving.get(step)?.target;
    }
    Some(vec![at])
}

/// How a run goes on such that the automaton of the negated property accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approach {
    /// A way to a loop, and the loop: a run that goes round it for ever violates the property.
    Loop {
        /// Steps to the loop.
        stem: Vec<Transition>,
        /// Steps of the loop, at least one.
        cycle: Vec<Transition>,
    },
    /// However it goes on, the property is satisfied.
    Never,
    /// There is none among so many nodes of the product.
    TooFar(usize),
}

/// Pairs of a node and marks that are looked at for a short loop.
const PAIRS: usize = 1 << 19;

/// A way on to a loop that the automaton of the negated property accepts, as short as it is found with little effort.
/// A step with a mark of acceptance is not enough: a run that takes one and never comes back to it violates nothing. No
/// fairness is asked of the loop. The run may have been read by the automaton in any of its ways.
///
/// # Errors
/// Why there is no automaton.
pub fn approach<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    (start, run): (StateId, &[Transition]),
    options: &Options,
    most: usize,
) -> Result<Approach, WhyUnknown> {
    let (mut lifted, bindings) = negation(property, options)?;
    let reading = property.reading;
    let negation = as_negation(&mut lifted.automaton, &lifted.constraints, bindings, reading)?;
    let mut product = Product::new(system, negation, Vec::new());
    let mut here = product.initial();
    here.retain(|&node| product.pair(node).0 == start);
    for taken in run {
        let mut after = Vec::new();
        for &node in &here {
            let (mut steps, mut transitions) = (Vec::new(), Vec::new());
            product.steps(node, &mut steps);
            product.transitions(node, &mut transitions);
            let own = steps.iter().zip(&transitions).filter(|(_, it)| *it == taken);
            after.extend(own.map(|(step, _)| step.target));
        }
        after.sort_unstable();
        after.dedup();
        here = after;
    }
    let deadline = options.bounds.deadline;
    let mut ahead =
        Ahead { product: &mut product, here, followed: 0, most, deadline, is_cut: false };
    let explored = Explored::of(&mut ahead);
    let (followed, is_cut) = (ahead.followed, ahead.is_cut);
    let Ok(mut explored) = explored else { return Ok(Approach::TooFar(followed)) };
    let found = find_lasso(&mut explored).map_err(WhyUnknown::Refused)?;
    if let Some(lasso) = found {
        let length = lasso.stem.len() + lasso.cycle.len();
        let shorter = explored.short_lasso(length, PAIRS).ok().flatten().unwrap_or(lasso);
        let Lasso { stem, cycle } = explored.lasso_of_original(&shorter);
        let mut taken = |hops: Vec<Hop>| -> Vec<Transition> {
            let one = |hop: Hop| {
                let mut transitions = Vec::new();
                product.transitions(hop.from, &mut transitions);
                transitions[hop.nth as usize]
            };
            hops.into_iter().map(one).collect()
        };
        return Ok(Approach::Loop { stem: taken(stem), cycle: taken(cycle) });
    }
    match product.cut() {
        Some(cut) => Err(WhyUnknown::cut(cut, product.system())),
        None if is_cut => Ok(Approach::TooFar(followed)),
        None => Ok(Approach::Never),
    }
}

/// The part of a product that is ahead of some nodes, up to a limit.
struct Ahead<'a, G> {
    product: &'a mut G,
    here: Vec<StateId>,
    /// Nodes whose steps have been followed, and the most of them.
    followed: usize,
    most: usize,
    deadline: Option<Instant>,
    /// Whether the limit was reached.
    is_cut: bool,
}

impl<G: Graph> Graph for Ahead<'_, G> {
    fn initial(&mut self) -> Vec<StateId> {
        self.here.clone()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.is_cut || self.followed >= self.most || is_late() {
            self.is_cut = true;
            return;
        }
        self.followed += 1;
        self.product.steps(node, steps);
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        self.product.marks(id)
    }

    fn add_marks(&self, id: MarkSetId, set: &mut MarkSet) {
        self.product.add_marks(id, set);
    }

    fn acceptance(&self) -> &Acceptance {
        self.product.acceptance()
    }
}

#[cfg(test)]
mod tests {
    use fairly_explore::Explored as Numbered;
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

    fn network() -> Numbered<Network> {
        let case = case::parse(NETWORK).expect("a network");
        Numbered::new(
            Network::new(case.build(), &Composition { interleaved: Vec::new() })
                .expect("components"),
        )
    }

    fn bound(text: &str, network: &mut Numbered<Network>) -> Property {
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
            let all = Portion { path: &[], most: 1_000, is_whole: true };
            let pairs = pairs(&mut network, &mut property, &assumption, &options, all);
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
        let whole = Portion { path: &[], most: 1, is_whole: true };
        let small = pairs(&mut network, &mut property, &assumption, &options, whole);
        assert!(matches!(small, Ok(None)));
        let some = Portion { is_whole: false, ..whole };
        let part = pairs(&mut network, &mut property, &assumption, &options, some);
        let part = part.expect("an automaton").expect("a part");
        assert!(!part.nodes[0].is_open && part.nodes[1..].iter().all(|node| node.is_open));
        let wrong = Portion { path: &[0, 99], ..some };
        let none = pairs(&mut network, &mut property, &assumption, &options, wrong);
        assert!(matches!(none, Ok(None)));
    }
}
