//! Helpers that the tests of this crate share: systems by hand and at random, and the same as plain data.

pub(crate) mod cases;
pub(crate) mod plain;

use fairly_explore::Explored;
use fairly_logic::Formulas;
use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, MarkSet, Prop, StateId};
use fairly_search::Binding;
use fairly_system::{
    Annotation, ComponentBuilder, Composition, Network, Run, RunStep, Transition, TransitionSystem,
};
use fairly_testkit::Rng;
use fairly_translate::translate;

use cases::Case;

/// How many random cases: `FAIRLY_RANDOM_CASES`, or else `usual`.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<u64>().expect("a number"));
    let first = number("FAIRLY_SEED").unwrap_or(0);
    first..first + number("FAIRLY_RANDOM_CASES").unwrap_or(usual)
}

pub(crate) fn network_of(case: &Case) -> Explored<Network> {
    let mut components = Vec::new();
    for &(name, states, more_events, transitions) in case.components {
        let mut builder = ComponentBuilder::new(name);
        for state in 0..states {
            builder.add_state(state.to_string());
        }
        builder.add_initial(0);
        more_events.iter().for_each(|event| builder.add_event(event));
        for transition in transitions {
            let parts: Vec<&str> = transition.split(' ').collect();
            let (from, to) = (parts[0].parse().unwrap(), parts[2].parse().unwrap());
            let annotation = parts.get(3).map(|name| Annotation::named(name).unwrap());
            builder.add_transition(from, parts[1], to, annotation);
        }
        components.push(builder.build());
    }
    let interleaved = case.interleaved.iter().map(|&event| event.to_owned()).collect();
    Explored::new(Network::new(components, &Composition { interleaved }).unwrap())
}

/// The automaton of a formula, and what its propositions mean in the network.
pub(crate) fn property(
    network: &mut Explored<Network>,
    formula: &str,
) -> (Automaton, Vec<Binding>) {
    let mut formulas = Formulas::new();
    let formula = match formulas.parse(formula) {
        Ok(formula) => formula,
        Err(diagnostic) => panic!("{formula}: {diagnostic:?}"),
    };
    let automaton = translate(&mut formulas, formula, &Default::default()).unwrap();
    let bindings = bind(network, &automaton);
    (automaton, bindings)
}

pub(crate) fn bind(network: &mut Explored<Network>, automaton: &Automaton) -> Vec<Binding> {
    let meaning = |name: &String| match network.signature().event(name) {
        Some(event) => Binding::Event(event.into()),
        None => {
            let atom = network.atom(name.trim_matches('"'));
            Binding::State(atom.unwrap_or_else(|| panic!("what is {name}?")))
        }
    };
    automaton.propositions().iter().map(meaning).collect()
}

const EVENTS: [&str; 3] = ["a", "b", "c"];

/// One component of a few states, or several of at most `most` each, over the events a, b and c.
pub(crate) fn random_network(rng: &mut Rng, most: usize) -> Explored<Network> {
    // With few events there is much that reads the same.
    let events = &EVENTS[..1 + rng.below(EVENTS.len())];
    let count = if rng.chance(1, 2) { 1 } else { 2 + rng.below(most - 1) };
    let mut components = Vec::new();
    for name in ["P", "Q", "R"].into_iter().take(count) {
        let mut builder = ComponentBuilder::new(name);
        let states = 1 + rng.below(if count == 1 { 3 + most } else { most }) as u32;
        for state in 0..states {
            builder.add_state(state.to_string());
        }
        builder.add_initial(0);
        if states > 1 && rng.chance(1, 6) {
            builder.add_initial(1);
        }
        for _ in 0..1 + rng.below(states as usize * 2) {
            let from = rng.below(states as usize) as u32;
            let to = rng.below(states as usize) as u32;
            builder.add_transition(from, rng.pick::<&str>(events), to, None);
        }
        components.push(builder.build());
    }
    let interleaved =
        EVENTS.iter().filter(|_| rng.chance(1, 5)).map(|&event| event.to_owned()).collect();
    Explored::new(Network::new(components, &Composition { interleaved }).unwrap())
}

/// A condition in disjunctive form over few marks.
pub(crate) fn random_acceptance(rng: &mut Rng) -> Acceptance {
    match rng.below(6) {
        0 => Acceptance::True,
        1 | 2 => Acceptance::buchi(),
        3 => Acceptance::generalized_buchi(2),
        4 => Acceptance::streett(1),
        _ => Acceptance::or([
            Acceptance::and([Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(1))]),
            Acceptance::and([Acceptance::Inf(Mark(0)), Acceptance::Fin(Mark(2))]),
        ]),
    }
}

/// An automaton of one to `most` states that reads events of the network and where `P` is.
pub(crate) fn random_automaton(
    rng: &mut Rng,
    network: &Explored<Network>,
    most: usize,
) -> Automaton {
    let mut names: Vec<String> = EVENTS
        .iter()
        .filter(|e| network.signature().event(e).is_some())
        .map(|&event| event.to_owned())
        .collect();
    names.push("P@0".into());
    let props = names.len();
    let mut builder = Builder::new(names);
    let states = 1 + rng.below(most);
    builder.add_states(states);
    builder.add_initial(StateId(0));
    builder.set_acceptance(random_acceptance(rng), 3);
    for from in 0..states {
        for _ in 0..1 + rng.below(4) {
            let prop = builder.letters_mut().prop(Prop(rng.below(props) as u32)).unwrap();
            let label = match rng.below(5) {
                0 => Label::TRUE,
                1 | 2 => builder.letters_mut().not(prop).unwrap(),
                _ => prop,
            };
            let marks: MarkSet = (0..3).filter(|_| rng.chance(1, 3)).map(Mark).collect();
            let to = StateId::from_index(rng.below(states));
            builder.add_edge(StateId::from_index(from), label, marks, to);
        }
    }
    builder.build()
}

/// Checks that steps follow each other in the network, from `at`; returns where they end.
pub(crate) fn walk(network: &mut Explored<Network>, mut at: StateId, steps: &[RunStep]) -> StateId {
    for step in steps {
        let mut possible = Vec::new();
        network.steps(at, &mut possible);
        let taken = Transition { target: step.to, action: step.action };
        assert!(step.from == at && possible.contains(&taken), "{step:?} in {possible:?}");
        at = step.to;
    }
    at
}

/// Checks that a run is one, from `start`.
pub(crate) fn walk_run(network: &mut Explored<Network>, start: StateId, run: &Run) {
    let entry = walk(network, start, &run.stem);
    assert!(!run.cycle.is_empty());
    assert_eq!(walk(network, entry, &run.cycle), entry, "the cycle is not closed");
}
