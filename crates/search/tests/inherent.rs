//! Inherent fairness: the cases by hand, and random systems against a naive answer.

use fairly_explore::Explored;
use fairly_omega::Automaton;
use fairly_search::inherent::{self, Answer, Options, PrefixKind, Procedure, Verdict};
use fairly_search::{Binding, Bounds, Cut, Prefix};
use fairly_system::{EventPosition, Network, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::plain::{Plain, PlainGraph, shortest_doomed};
use crate::common::{self, cases::CASES, network_of, property};

fn ask(
    network: &mut Explored<Network>,
    (automaton, bindings): &(Automaton, Vec<Binding>),
    reading: PrefixKind,
    events: EventPosition,
    procedure: Procedure,
) -> Answer {
    let options = Options { reading, events, procedure, ..Options::default() };
    inherent::check(network, automaton, bindings.clone(), &options).unwrap()
}

/// The doomed prefix, after checking that it and what follows is a run.
fn doomed(network: &mut Explored<Network>, answer: Answer) -> Option<Prefix> {
    let Verdict::Doomed { prefix, continuation } = answer.verdict else { return None };
    assert!(network.initial().contains(&prefix.start));
    assert_eq!(common::walk(network, prefix.start, &prefix.steps), prefix.end());
    common::walk_run(network, prefix.end(), &continuation);
    Some(prefix)
}

const ALL: [Procedure; 3] = [Procedure::Naive, Procedure::SectionSix, Procedure::Improved];

#[test]
fn cases() {
    for case in CASES {
        let mut network = network_of(case);
        let property = property(&mut network, case.formula);
        for (reading, expected) in
            [(PrefixKind::Trace, case.doomed_trace), (PrefixKind::Run, case.doomed_run)]
        {
            for procedure in ALL {
                let events = EventPosition::default();
                let answer = ask(&mut network, &property, reading, events, procedure);
                let length = doomed(&mut network, answer).map(|prefix| prefix.steps.len());
                assert_eq!(length, expected, "{} {reading:?} {procedure:?}", case.name);
            }
        }
    }
}

#[test]
fn random_systems() {
    let seeds = common::seeds(10_000);
    for events in [EventPosition::Leaving, EventPosition::Entering] {
        compare_random(&seeds, events);
    }
}

fn compare_random(seeds: &std::ops::Range<u64>, events: EventPosition) {
    let (mut counts, mut efforts) = ([[0u32; 2]; 2], [0usize; 3]);
    let mut different = 0;
    let mut longest = 0;
    for seed in seeds.clone() {
        let rng = &mut Rng::new(seed);
        let mut network = common::random_network(rng, 3);
        let automaton = common::random_automaton(rng, &network, 4);
        let bindings = common::bind(&mut network, &automaton);
        let plain = Plain::of(&mut network);
        let product = PlainGraph::product(&network, &plain, &automaton, &bindings, events, &[]);
        let atoms: Vec<_> = bindings
            .iter()
            .filter_map(|b| if let Binding::State(atom) = b { Some(*atom) } else { None })
            .collect();
        let valuation = |state: usize| {
            let holds = atoms.iter().map(|&atom| network.holds(plain.states[state], atom));
            holds.fold(0, |all, holds| 2 * all + usize::from(holds))
        };
        let letter = |step: usize| {
            let step = &plain.steps[step];
            let read = match events {
                EventPosition::Leaving => step.from,
                EventPosition::Entering => step.to,
            };
            valuation(read) * 100 + step.action.event.index()
        };
        // The word that a beginning without steps has read; initial states that read the same are one.
        let start_of_trace = |state: usize| match events {
            EventPosition::Leaving => 0,
            EventPosition::Entering => valuation(state),
        };
        let of_trace = shortest(&plain, &product, start_of_trace, letter);
        let of_run = shortest(&plain, &product, |state| state, |step| step);
        different += u32::from(of_trace != of_run);
        let starts: Vec<usize> = (0..plain.states.len()).map(start_of_trace).collect();
        let letters: Vec<usize> = (0..plain.steps.len()).map(letter).collect();
        let both = (automaton, bindings);
        for (reading, expected) in [(PrefixKind::Trace, of_trace), (PrefixKind::Run, of_run)] {
            counts[reading as usize][usize::from(expected.is_some())] += 1;
            for (at, procedure) in ALL.into_iter().enumerate() {
                let answer = ask(&mut network, &both, reading, events, procedure);
                efforts[at] += answer.effort.pairs;
                let found = doomed(&mut network, answer);
                let length = found.as_ref().map(|prefix| prefix.steps.len());
                assert_eq!(length, expected, "seed {seed} {reading:?} {events:?} {procedure:?}");
                longest = longest.max(length.unwrap_or(0));
                if let Some(prefix) = found {
                    let doomed = match reading {
                        PrefixKind::Trace => is_doomed(
                            &plain,
                            &product,
                            &prefix,
                            |a, b| starts[a] == starts[b],
                            |a, b| letters[a] == letters[b],
                        ),
                        PrefixKind::Run => {
                            is_doomed(&plain, &product, &prefix, |a, b| a == b, |a, b| a == b)
                        }
                    };
                    assert!(
                        doomed,
                        "seed {seed} {reading:?} {events:?} {procedure:?}: {prefix:?} is not doomed"
                    );
                }
            }
        }
    }
    println!(
        "{events:?}, seeds {seeds:?}: holds and doomed, trace {:?}, run {:?} ({different} differ); \
         longest prefix {longest}; pairs: naive {}, improved {}",
        counts[0], counts[1], efforts[1], efforts[2]
    );
    assert!(efforts[2] < efforts[1] && efforts[0] > 0);
    assert!(seeds.end - seeds.start < 1000 || different > 0);
}

/// The length of a shortest doomed beginning, where initial states that are numbered alike start the
/// same beginning.
fn shortest(
    plain: &Plain,
    product: &PlainGraph,
    start: impl Fn(usize) -> usize,
    label: impl Fn(usize) -> usize,
) -> Option<usize> {
    plain
        .initial
        .iter()
        .filter_map(|&chosen| {
            let alike = |state: usize| start(state) == start(chosen);
            let plain = Plain {
                states: plain.states.clone(),
                initial: plain.initial.iter().copied().filter(|&state| alike(state)).collect(),
                steps: plain.steps.clone(),
                offered: plain.offered.clone(),
            };
            let starts = product.initial.iter().copied();
            let product = PlainGraph {
                nodes: product.nodes,
                initial: starts.filter(|&node| alike(product.pairs[node].0)).collect(),
                edges: product.edges.clone(),
                condition: product.condition.clone(),
                pairs: product.pairs.clone(),
            };
            shortest_doomed(&plain, &product, &label)
        })
        .min()
}

/// Follows the prefix in the product and finds no live node at its end.
fn is_doomed(
    plain: &Plain,
    product: &PlainGraph,
    prefix: &Prefix,
    starts_alike: impl Fn(usize, usize) -> bool,
    same: impl Fn(usize, usize) -> bool,
) -> bool {
    let start = plain.number(prefix.start);
    let mut nodes: Vec<usize> = product.initial.clone();
    nodes.retain(|&node| starts_alike(product.pairs[node].0, start));
    for step in &prefix.steps {
        let taken = plain.steps.iter().position(|other| {
            (plain.states[other.from], other.id, plain.states[other.to])
                == (step.from, step.action, step.to)
        });
        let taken = taken.unwrap();
        let edges = product.edges.iter();
        let mut next: Vec<usize> = edges
            .filter(|edge| nodes.contains(&edge.0) && same(edge.3, taken))
            .map(|edge| edge.1)
            .collect();
        next.sort_unstable();
        next.dedup();
        nodes = next;
    }
    let live = product.live();
    !nodes.iter().any(|&node| live[node])
}

#[test]
fn bounds_are_kept() {
    let case = CASES.iter().find(|case| case.name == "C19_inherent_union").unwrap();
    let mut network = network_of(case);
    let (automaton, bindings) = property(&mut network, case.formula);
    for procedure in ALL {
        let bounds = Bounds { nodes: Some(1), ..Bounds::default() };
        let options = Options { procedure, bounds, ..Options::default() };
        let answer = inherent::check(&mut network, &automaton, bindings.clone(), &options);
        assert_eq!(answer.unwrap_err(), Cut::Nodes(1));
    }
}
