//! Projections: propositions that are dropped, against words with every way to put them back; events that are hidden,
//! against runs followed set by set.

use std::collections::BTreeSet;

use fairly_omega::ops::{self, common_word};
use fairly_omega::{Acceptance, Automaton, Builder, Limits, Mark, MarkSet, Prop, StateId};
use fairly_testkit::{ConditionKind, GraphShape, Rng, random_condition, random_graph};

use crate::common;

/// The automaton that reads the second proposition as this word says, whatever the first one is.
fn reading(stem: &[bool], cycle: &[bool]) -> Automaton {
    let mut builder = Builder::new(vec!["p0".into(), "p1".into()]);
    let length = stem.len() + cycle.len();
    builder.add_states(length);
    builder.add_initial(StateId(0));
    for (at, &value) in stem.iter().chain(cycle).enumerate() {
        let next = if at + 1 == length { stem.len() } else { at + 1 };
        let label = builder.letters_mut().cube(&[(Prop(1), value)]).unwrap();
        let [from, to] = [at, next].map(StateId::from_index);
        builder.add_edge(from, label, MarkSet::new(), to);
    }
    builder.build()
}

#[test]
fn propositions_are_forgotten() {
    let (cases, first) = (common::cases(300), common::first_seed(0));
    let (mut yes, mut no) = (0, 0);
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { propositions: 2, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let kind = *rng.pick(&ConditionKind::ALL);
        let condition = random_condition(&mut rng, kind, shape.marks);
        let automaton = common::automaton(&graph, &condition);
        let seen = ops::forget(&automaton, &[Prop(0)]).unwrap();
        assert_eq!(seen.propositions(), &automaton.propositions()[1..]);
        for _ in 0..10 {
            let mut word =
                |length: usize| -> Vec<bool> { (0..length).map(|_| rng.chance(1, 2)).collect() };
            let (stem, cycle) = (word(2), word(2));
            let only = reading(&stem, &cycle);
            let renamed = renamed(&only, automaton.propositions());
            let expected = common_word(&[automaton.clone(), renamed.clone()], Limits::default());
            let found = common_word(&[seen.clone(), renamed], Limits::default());
            let expected = expected.unwrap().is_some();
            assert_eq!(found.unwrap().is_some(), expected, "seed {seed}: {stem:?} {cycle:?}");
            if expected { yes += 1 } else { no += 1 }
        }
    }
    assert!(cases < 300 || (yes > 100 && no > 100), "{yes} {no}");
}

/// The same automaton with other names for its propositions.
fn renamed(automaton: &Automaton, names: &[String]) -> Automaton {
    let mut builder = Builder::new(names.to_vec());
    *builder.letters_mut() = automaton.letters().clone();
    builder.add_states(automaton.state_count());
    builder.set_initial(automaton.initial().to_vec());
    for from in automaton.states() {
        for edge in automaton.edges(from) {
            builder.add_edge(from, edge.label, MarkSet::new(), edge.target);
        }
    }
    builder.build()
}

/// A system with events.
struct Tiny {
    states: usize,
    steps: Vec<(usize, usize, usize, bool)>,
}

const EVENTS: [&str; 3] = ["a", "b", "c"];

impl Tiny {
    fn random(rng: &mut Rng) -> Tiny {
        let states = 1 + rng.below(4);
        let steps = (0..1 + rng.below(3 * states))
            .map(|_| (rng.below(states), rng.below(3), rng.below(states), rng.chance(1, 2)));
        Tiny { states, steps: steps.collect() }
    }

    fn automaton(&self) -> Automaton {
        let mut builder = Builder::new(EVENTS.map(str::to_owned).to_vec());
        builder.set_acceptance(Acceptance::buchi(), 1);
        builder.add_states(self.states);
        builder.add_initial(StateId(0));
        for &(from, event, to, accepting) in &self.steps {
            let cube: Vec<(Prop, bool)> =
                (0..3).map(|at| (Prop(at), at as usize == event)).collect();
            let label = builder.letters_mut().cube(&cube).unwrap();
            let marks: MarkSet = accepting.then_some(Mark(0)).into_iter().collect();
            let [from, to] = [from, to].map(StateId::from_index);
            builder.add_edge(from, label, marks, to);
        }
        builder.build()
    }

    /// Whether a run from a state is accepted: it comes to a marked step that it can come to again.
    fn goes_on(&self, state: usize) -> bool {
        let reach = |from: usize| {
            let mut met = BTreeSet::from([from]);
            for _ in 0..self.states {
                let more: Vec<usize> = self
                    .steps
                    .iter()
                    .filter(|step| met.contains(&step.0))
                    .map(|step| step.2)
                    .collect();
                met.extend(more);
            }
            met
        };
        let here = reach(state);
        self.steps.iter().any(|&(from, _, to, marked)| {
            marked && here.contains(&from) && reach(to).contains(&from)
        })
    }

    /// The states that go on after a visible word, where the events in `hidden` are not seen.
    fn after(&self, word: &[usize], hidden: &[usize]) -> BTreeSet<usize> {
        let close = |states: BTreeSet<usize>| {
            let mut all: BTreeSet<usize> =
                states.into_iter().filter(|&state| self.goes_on(state)).collect();
            for _ in 0..self.states {
                let more: Vec<usize> = self
                    .steps
                    .iter()
                    .filter(|step| all.contains(&step.0) && hidden.contains(&step.1))
                    .map(|step| step.2)
                    .filter(|&state| self.goes_on(state))
                    .collect();
                all.extend(more);
            }
            all
        };
        let mut at = close(BTreeSet::from([0]));
        for &event in word {
            let next = self.steps.iter().filter(|step| at.contains(&step.0) && step.1 == event);
            at = close(next.map(|step| step.2).collect());
        }
        at
    }
}

#[test]
fn visible_words_are_those_of_the_beginnings_of_accepted_runs() {
    let (cases, first) = (common::cases(400), common::first_seed(0));
    let (mut closed, mut broken, mut ending) = (0, 0, 0);
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let tiny = Tiny::random(&mut rng);
        let hidden: Vec<usize> = (0..3).filter(|_| rng.chance(1, 3)).collect();
        let props: Vec<Prop> = hidden.iter().map(|&at| Prop(at as u32)).collect();
        let seen = ops::visible(&tiny.automaton(), &props, Limits::default()).unwrap();
        let small = &seen.automaton;
        assert!(small.is_deterministic().unwrap());
        let visible: Vec<usize> = (0..3).filter(|at| !hidden.contains(at)).collect();
        let mut words: Vec<Vec<usize>> = vec![vec![]];
        for length in 0..4 {
            let longest: Vec<Vec<usize>> =
                words.iter().filter(|word| word.len() == length).cloned().collect();
            for word in longest {
                words.extend(visible.iter().map(|&event| [word.clone(), vec![event]].concat()));
            }
        }
        for word in words {
            let mut at = small.initial().to_vec();
            for event in &word {
                let place = visible.iter().position(|it| it == event).expect("it is visible");
                at = at
                    .iter()
                    .flat_map(|&state| small.edges(state))
                    .filter(|edge| {
                        small.letters().holds(edge.label, |prop| prop.0 as usize == place)
                    })
                    .map(|edge| edge.target)
                    .collect();
            }
            let expected = !tiny.after(&word, &hidden).is_empty();
            // A system without any accepted run has no beginnings, and its abstraction has the empty one.
            let is_empty = word.is_empty() && !tiny.goes_on(0);
            assert_eq!(!at.is_empty(), expected || is_empty, "seed {seed}: {word:?}");
        }
        match (&seen.ends, &seen.broken) {
            (Some(_), _) => ending += 1,
            (None, Some(_)) => broken += 1,
            (None, None) => closed += 1,
        }
    }
    assert!(
        cases < 400 || (closed > 20 && broken > 1 && ending > 20),
        "{closed} {broken} {ending}"
    );
}
