//! Random networks, and random properties of them.

use super::{
    TinyAnnotation, TinyComponent, TinyNetwork, TinyProperty, TinyProposition, TinyTransition,
};
use crate::condition::TinyCondition;
use crate::generate::{GraphShape, random_graph};
use crate::rng::Rng;

/// How large a random network may become.
#[derive(Clone, Copy, Debug)]
pub struct NetworkShape {
    /// One to this many components.
    pub most_components: usize,
    /// One to this many local states each.
    pub most_states: usize,
    /// Two to this many events.
    pub most_events: usize,
}

impl Default for NetworkShape {
    fn default() -> Self {
        NetworkShape { most_components: 3, most_states: 3, most_events: 4 }
    }
}

/// A random network. Most are connected and move for a while; deadlocks, blocked events, equal
/// transitions, several initial states and interleaved events come up as they may.
pub fn random_network(rng: &mut Rng, shape: &NetworkShape) -> TinyNetwork {
    let events = 2 + rng.below(shape.most_events - 1);
    let count = 1 + rng.below(shape.most_components);
    let annotated = rng.below(4) as u32;
    let mut components = Vec::new();
    for _ in 0..count {
        let states = 1 + rng.below(shape.most_states);
        let mut alphabet: Vec<usize> = (0..events).filter(|_| rng.chance(2, 3)).collect();
        if alphabet.is_empty() {
            alphabet.push(rng.below(events));
        }
        let mut transitions = Vec::new();
        let mut add = |rng: &mut Rng, from: usize, to: usize| {
            let event = *rng.pick(&alphabet);
            let annotation = rng.chance(annotated, 4).then(|| *rng.pick(&TinyAnnotation::ALL));
            transitions.push(TinyTransition { from, event, to, annotation });
        };
        // Some components never come back, so that what they do matters for ever.
        let forward = rng.chance(1, 3);
        for from in 0..states {
            let target = |rng: &mut Rng| {
                if forward { from + rng.below(states - from) } else { rng.below(states) }
            };
            // A way on from most states, then more.
            if !rng.chance(1, 6) {
                let to = if forward { target(rng) } else { (from + 1) % states };
                add(rng, from, to);
            }
            for _ in 0..rng.below(3) {
                let to = target(rng);
                add(rng, from, to);
            }
        }
        // Events without a transition block the others' now and then.
        if !rng.chance(1, 6) {
            alphabet.retain(|event| transitions.iter().any(|it| it.event == *event));
        }
        let mut initial = vec![rng.below(states)];
        let second = rng.below(states);
        if rng.chance(1, 10) && !initial.contains(&second) {
            initial.push(second);
        }
        components.push(TinyComponent { states, initial, alphabet, transitions });
    }
    let mut interleaved: Vec<usize> = Vec::new();
    if rng.chance(1, 3) {
        interleaved.push(rng.below(events));
    }
    TinyNetwork { components, events, interleaved }
}

/// A random automaton over runs of the network, of at most three states, as a property's negation.
/// It accepts by a conjunction of `Inf`.
pub fn random_property(rng: &mut Rng, network: &TinyNetwork) -> TinyProperty {
    let propositions = random_propositions(rng, network, 2);
    let marks = rng.below(3) as u32;
    let shape = GraphShape { most_nodes: 3, most_edges: 7, marks, propositions: 2 };
    let mut graph = random_graph(rng, &shape);
    for edge in &mut graph.edges {
        // Automata that read only a few of the letters accept next to nothing.
        if rng.chance(1, 2) {
            edge.letters |= 1 << rng.below(4) | 1 << rng.below(4);
        }
    }
    if graph.initial.is_empty() {
        graph.initial.push(0);
    }
    let condition = TinyCondition::And((0..marks).map(TinyCondition::Inf).collect());
    TinyProperty { graph, condition, propositions }
}

/// Random meanings of so many propositions of a formula or automaton in the network.
pub fn random_propositions(
    rng: &mut Rng,
    network: &TinyNetwork,
    count: usize,
) -> Vec<TinyProposition> {
    (0..count)
        .map(|_| match rng.below(8) {
            0 => TinyProposition::Idle,
            1 | 2 => {
                let component = rng.below(network.components.len());
                let state = rng.below(network.components[component].states);
                TinyProposition::At(component, state)
            }
            3 => {
                let events = (0..network.events).filter(|_| rng.chance(1, 2)).collect();
                TinyProposition::Event(events)
            }
            _ => TinyProposition::Event(vec![rng.below(network.events)]),
        })
        .collect()
}
