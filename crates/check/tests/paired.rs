//! Parts of products, and ways on to an acceptance, against what they are on the whole product.

use std::collections::VecDeque;

use fairly_check::{
    Approach, Assumption, Options, Outcome, Pairs, Portion, Property, approach, check, pairs,
};
use fairly_explore::Explored;
use fairly_fairness::Notion;
use fairly_system::{EventPosition, Network, Transition, TransitionSystem};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, random_network, random_propositions};

use crate::common::{network_of, property, seeds, written};

const MOST: usize = 400;

fn whole(network: &mut Explored<Network>, property: &mut Property) -> Option<Pairs> {
    let (assumption, options) = (Assumption::of(Notion::None), Options::default());
    let portion = Portion { path: &[], most: MOST, is_whole: true };
    pairs(network, property, &assumption, &options, portion).expect("an automaton")
}

/// A random network and formula with their whole product, if that is small.
fn case(seed: u64) -> Option<(Rng, Explored<Network>, Property, Pairs, String)> {
    let mut rng = Rng::new(seed);
    let tiny = random_network(&mut rng, &NetworkShape::default());
    let mut network = network_of(&tiny);
    let propositions = random_propositions(&mut rng, &tiny, 2);
    let formula = random_formula(&mut rng, &LtlShape { atoms: 2, ..LtlShape::default() });
    let text = written(&formula, &propositions, &network);
    let mut property = property(&mut network, &text, EventPosition::default());
    let pairs = whole(&mut network, &mut property)?;
    Some((rng, network, property, pairs, format!("seed {seed}: {text}")))
}

#[test]
fn a_part_is_what_is_behind_a_node_of_the_whole() {
    let (mut compared, mut open) = (0, 0);
    for seed in seeds(3_000) {
        let Some((mut rng, mut network, mut property, whole, what)) = case(seed) else { continue };
        if whole.initial == 0 {
            continue;
        }
        let mut path = vec![rng.below(whole.initial)];
        let mut node = path[0];
        for _ in 0..rng.below(6) {
            let steps = &whole.nodes[node].steps;
            if steps.is_empty() {
                break;
            }
            path.push(rng.below(steps.len()));
            node = steps[path[path.len() - 1]].to;
        }
        let most = 1 + rng.below(8);
        let portion = Portion { path: &path, most, is_whole: false };
        let (assumption, options) = (Assumption::of(Notion::None), Options::default());
        let part = pairs(&mut network, &mut property, &assumption, &options, portion);
        let part =
            part.expect("an automaton").unwrap_or_else(|| panic!("{what}: no path {path:?}"));
        // The nearest nodes in the order of a breadth-first search, written down once more.
        let (mut order, mut next) = (vec![node], 0);
        while next < order.len() && next < most {
            for step in &whole.nodes[order[next]].steps {
                if !order.contains(&step.to) {
                    order.push(step.to);
                }
            }
            next += 1;
        }
        assert_eq!((part.nodes.len(), part.initial), (order.len(), 1), "{what}");
        for (at, (own, &node)) in part.nodes.iter().zip(&order).enumerate() {
            let known = &whole.nodes[node];
            assert_eq!((own.state, own.automaton), (known.state, known.automaton), "{what}");
            assert_eq!(own.is_open, at >= most, "{what}");
            open += usize::from(own.is_open);
            let told = |steps: &[fairly_check::PairStep], name: &dyn Fn(usize) -> usize| {
                let one =
                    |it: &fairly_check::PairStep| (it.transition, name(it.to), it.marks.clone());
                steps.iter().map(one).collect::<Vec<_>>()
            };
            if !own.is_open {
                let named = |to: usize| order.iter().position(|&it| it == to).expect("it was met");
                assert_eq!(told(&own.steps, &|to| to), told(&known.steps, &named), "{what}");
            }
        }
        compared += 1;
    }
    println!("parts: {compared}, {open} open nodes");
    assert!(compared > 500 && open > 500, "{compared} {open}");
}

/// The marks that the condition `Inf(0) & …` asks for; none for other conditions.
fn wanted(acceptance: &str) -> Option<Vec<u32>> {
    if acceptance == "t" {
        return Some(Vec::new());
    }
    let inf = |part: &str| part.trim().strip_prefix("Inf(")?.strip_suffix(')')?.parse().ok();
    acceptance.split('&').map(inf).collect()
}

/// A graph of pairs, each step with its marks.
type Steps = Vec<Vec<(usize, Vec<u32>)>>;

fn reached(steps: &Steps, from: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; steps.len()];
    let mut open: VecDeque<usize> = from.iter().copied().collect();
    while let Some(at) = open.pop_front() {
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(steps[at].iter().map(|(to, _)| *to));
        }
    }
    seen
}

/// Whether some path from these nodes sees all marks again and again: some node lies on a cycle, and the steps between
/// nodes that reach it and are reached from it have all marks.
fn is_accepted(steps: &Steps, from: &[usize], wanted: &[u32]) -> bool {
    let is_ahead = reached(steps, from);
    (0..steps.len()).filter(|&node| is_ahead[node]).any(|node| {
        let after = reached(steps, &steps[node].iter().map(|(to, _)| *to).collect::<Vec<_>>());
        let together = |other: usize| after[other] && reached(steps, &[other])[node];
        let within: Vec<usize> = (0..steps.len()).filter(|&other| together(other)).collect();
        after[node]
            && wanted.iter().all(|mark| {
                within.iter().any(|&one| {
                    let mut own = steps[one].iter();
                    own.any(|(to, marks)| within.contains(to) && marks.contains(mark))
                })
            })
    })
}

#[test]
fn a_way_to_an_acceptance_is_one_of_the_whole_product() {
    let (mut loops, mut never, mut verdicts) = (0, 0, 0);
    for seed in seeds(1_500) {
        let Some((mut rng, mut network, mut property, whole, what)) = case(seed) else { continue };
        let Some(wanted) = wanted(&whole.acceptance).filter(|_| whole.nodes.len() <= 40) else {
            continue;
        };
        let steps: Steps = whole
            .nodes
            .iter()
            .map(|it| it.steps.iter().map(|step| (step.to, step.marks.clone())).collect())
            .collect();
        // A run of the system, and the nodes that the automaton may be in after it.
        let initial = network.initial();
        let start = *rng.pick(&initial);
        let mut here: Vec<usize> =
            (0..whole.initial).filter(|&node| whole.nodes[node].state == start).collect();
        let (mut run, mut at) = (Vec::new(), start);
        let length = rng.below(5);
        for _ in 0..length {
            let mut enabled = Vec::new();
            network.enabled(at, &mut enabled);
            if enabled.is_empty() {
                break;
            }
            let taken: Transition = *rng.pick(&enabled);
            let of = |&node: &usize| {
                let own = whole.nodes[node].steps.iter().filter(|it| it.transition == taken);
                own.map(|step| step.to).collect::<Vec<_>>()
            };
            here = here.iter().flat_map(of).collect();
            here.sort_unstable();
            here.dedup();
            at = taken.target;
            run.push(taken);
        }
        let options = Options::default();
        let found = approach(&mut network, &mut property, (start, &run), &options, 10_000);
        let found = found.expect("an automaton");
        let expected = is_accepted(&steps, &here, &wanted);
        assert_eq!(matches!(found, Approach::Loop { .. }), expected, "{what}: {found:?}");
        if run.is_empty() && initial.len() == 1 {
            let verdict =
                check(&mut network, &mut property, &Assumption::of(Notion::None), &options);
            let outcome = verdict.expect("a verdict").outcome;
            assert_eq!(matches!(outcome, Outcome::Violated(_)), expected, "{what}");
            verdicts += 1;
        }
        let Approach::Loop { stem, cycle } = found else {
            assert_eq!(found, Approach::Never, "{what}");
            never += 1;
            continue;
        };
        loops += 1;
        // It is a run, it closes, and the automaton accepts it: in the product with this word alone.
        let mut state = at;
        for step in stem.iter().chain(&cycle) {
            let mut enabled = Vec::new();
            network.enabled(state, &mut enabled);
            // Only a state without steps idles.
            assert!(enabled.contains(step) || enabled.is_empty() && step.target == state, "{what}");
            state = step.target;
        }
        let entry = stem.last().map_or(at, |step| step.target);
        assert!(!cycle.is_empty() && state == entry, "{what}");
        let word: Vec<Transition> = stem.iter().chain(&cycle).copied().collect();
        let number = |position: usize, node: usize| position * whole.nodes.len() + node;
        let mut along: Steps = vec![Vec::new(); word.len() * whole.nodes.len()];
        for (position, letter) in word.iter().enumerate() {
            let next = if position + 1 < word.len() { position + 1 } else { stem.len() };
            for (node, pair) in whole.nodes.iter().enumerate() {
                let own = pair.steps.iter().filter(|step| step.transition == *letter);
                along[number(position, node)]
                    .extend(own.map(|step| (number(next, step.to), step.marks.clone())));
            }
        }
        let begin: Vec<usize> = here.iter().map(|&node| number(0, node)).collect();
        assert!(is_accepted(&along, &begin, &wanted), "{what}: {word:?}");
    }
    println!("loops {loops}, never {never}, verdicts {verdicts}");
    assert!(loops > 100 && never > 100 && verdicts > 50, "{loops} {never} {verdicts}");
}

#[test]
fn what_is_too_far_is_not_called_never() {
    let mut too_far = 0;
    for seed in seeds(300) {
        let Some((_, mut network, mut property, whole, what)) = case(seed) else { continue };
        let start = network.initial()[0];
        let most = whole.nodes.len() / 2;
        let found = approach(&mut network, &mut property, (start, &[]), &Options::default(), most);
        let all = approach(&mut network, &mut property, (start, &[]), &Options::default(), MOST);
        match (found.expect("an automaton"), all.expect("an automaton")) {
            (Approach::TooFar(nodes), _) => {
                assert!(nodes <= most, "{what}");
                too_far += 1;
            }
            (Approach::Never, all) => assert_eq!(all, Approach::Never, "{what}"),
            (Approach::Loop { .. }, all) => {
                assert!(matches!(all, Approach::Loop { .. }), "{what}");
            }
        }
    }
    assert!(too_far > 10, "{too_far}");
}
