//! Strong global fairness: the cases by hand, and random systems against the enumeration of
//! everything that a run can do infinitely often.

use std::collections::BTreeSet;

use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_omega::MarkSet;
use fairly_search::{Bounds, Negation, global};
use fairly_system::{EventPosition, Network, Run, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::plain::{Plain, PlainGraph};
use crate::common::{self, cases::CASES, network_of, property};

/// Checks that a run is one, and takes every transition of every state on its cycle.
fn judge(network: &mut Explored<Network>, run: &Run) {
    let start = run.steps().next().unwrap().from;
    assert!(network.initial().contains(&start));
    common::walk_run(network, start, run);
    let taken: BTreeSet<_> =
        run.cycle.iter().map(|step| (step.from.0, step.action.0, step.to.0)).collect();
    for step in &run.cycle {
        let mut possible = Vec::new();
        network.steps(step.from, &mut possible);
        for transition in possible {
            let key = (step.from.0, transition.action.0, transition.target.0);
            assert!(taken.contains(&key), "{key:?} is not taken in {run:?}");
        }
    }
}

#[test]
fn cases() {
    for case in CASES {
        let mut network = network_of(case);
        let negation = property(&mut network, &format!("!({})", case.formula));
        let negation = Negation::new(&negation.0, negation.1);
        let run = global::find(&mut network, negation, vec![], Bounds::default()).unwrap();
        assert_eq!(run.is_none(), case.global, "{}", case.name);
        if let Some(run) = run {
            judge(&mut network, &run);
        }
    }
}

/// The most edges whose subsets are enumerated.
const MOST: usize = 12;

/// Whether some strongly connected set of edges is accepted and has, with a state, every step of it.
fn naive(plain: &Plain, product: &PlainGraph) -> Option<bool> {
    let distance = product.distances();
    let edges: Vec<_> = product.edges.iter().filter(|edge| distance[edge.0].is_some()).collect();
    if edges.len() > MOST || product.nodes > 64 {
        return None;
    }
    Some((1u32..1 << edges.len()).any(|subset| {
        let chosen = || (0..edges.len()).filter(|at| subset >> at & 1 == 1).map(|at| edges[at]);
        let (mut sources, mut targets) = (0u64, 0u64);
        let (mut states, mut taken) = (0u64, 0u64);
        for edge in chosen() {
            sources |= 1 << edge.0;
            targets |= 1 << edge.1;
            states |= 1 << product.pairs[edge.0].0;
            taken |= 1 << edge.3;
        }
        if sources != targets {
            return false;
        }
        let mut owed = plain.steps.iter().enumerate();
        if owed.any(|(at, step)| states >> step.from & 1 == 1 && taken >> at & 1 == 0) {
            return false;
        }
        let mut marks = MarkSet::new();
        chosen().for_each(|edge| marks.union_with(&edge.2));
        if !product.condition.accepts(&marks) {
            return false;
        }
        let first = sources & sources.wrapping_neg();
        let (mut forwards, mut backwards) = (first, first);
        for _ in 0..product.nodes {
            for edge in chosen() {
                if forwards >> edge.0 & 1 == 1 {
                    forwards |= 1 << edge.1;
                }
                if backwards >> edge.1 & 1 == 1 {
                    backwards |= 1 << edge.0;
                }
            }
        }
        forwards == sources && backwards == sources
    }))
}

/// Whether the run, read by the automaton, can be accepted: there is a walk in the product above its
/// stem and, going round its cycle for ever, an accepted one.
fn accepted(plain: &Plain, product: &PlainGraph, run: &Run) -> bool {
    // The product of the run, as a system of its own, with the product.
    let steps: Vec<usize> = run
        .steps()
        .map(|step| {
            let same = |other: &common::plain::PlainStep| {
                (plain.states[other.from], other.id, plain.states[other.to])
                    == (step.from, step.action, step.to)
            };
            plain.steps.iter().position(same).unwrap()
        })
        .collect();
    let mut edges = Vec::new();
    for (position, &step) in steps.iter().enumerate() {
        let next = if position + 1 == steps.len() { run.stem.len() } else { position + 1 };
        for edge in product.edges.iter().filter(|edge| edge.3 == step) {
            let from = position * product.nodes + edge.0;
            edges.push((from, next * product.nodes + edge.1, edge.2.clone(), step));
        }
    }
    let unrolled = PlainGraph {
        nodes: steps.len() * product.nodes,
        initial: product.initial.clone(),
        edges,
        condition: product.condition.clone(),
        pairs: vec![],
    };
    let live = unrolled.live();
    unrolled.initial.iter().any(|&node| live[node])
}

#[test]
fn random_systems() {
    let seeds = common::seeds(20_000);
    let (mut found, mut none, mut mixed, mut skipped, mut longest) = (0u32, 0u32, 0u32, 0u32, 0);
    let mut entering = 0u32;
    for seed in seeds.clone() {
        let rng = &mut Rng::new(seed);
        let mut network = common::random_network(rng, 2);
        let automaton = common::random_automaton(rng, &network, 2);
        let bindings = common::bind(&mut network, &automaton);
        let mut constraints = Vec::new();
        if rng.chance(1, 3) {
            let notion = *rng.pick(&[
                Notion::Weak(Level::Process),
                Notion::Strong(Level::Action),
                Notion::WeakLive,
                Notion::StrongLive,
            ]);
            constraints.push(rng.pick(&notion.constraints(network.signature()).unwrap()).clone());
        }
        let plain = Plain::of(&mut network);
        let reading =
            if rng.chance(1, 3) { EventPosition::Entering } else { EventPosition::Leaving };
        let product =
            PlainGraph::product(&network, &plain, &automaton, &bindings, reading, &constraints);
        let Some(expected) = naive(&plain, &product) else {
            skipped += 1;
            continue;
        };
        mixed += u32::from(expected && !constraints.is_empty());
        entering += u32::from(expected && reading == EventPosition::Entering);
        let negation = Negation::new(&automaton, bindings).reading(reading);
        let run = global::find(&mut network, negation, constraints, Bounds::default()).unwrap();
        assert_eq!(run.is_some(), expected, "seed {seed}");
        *(if expected { &mut found } else { &mut none }) += 1;
        if let Some(run) = run {
            judge(&mut network, &run);
            assert!(accepted(&plain, &product, &run), "seed {seed}: {run:?}");
            longest = longest.max(run.cycle.len());
        }
    }
    println!(
        "seeds {seeds:?}: {found} found ({mixed} with a constraint, {entering} with events \
         entering), {none} not, {skipped} too \
         large; longest cycle {longest}"
    );
    assert!(seeds.end - seeds.start < 1000 || found.min(none).min(entering) > 500);
}
