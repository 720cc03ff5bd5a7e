//! Promises about every state: one pass over the states says what the engines say.

use fairly::{Check, Model, Outcome, check, ltl};
use fairly_testkit::Rng;

/// A graph with a few states that can do the same; a state is a number in a text, so that it holds memory elsewhere.
#[derive(Clone)]
struct Graph {
    starts: Vec<usize>,
    steps: Vec<Vec<usize>>,
    /// The state in which the model panics.
    broken: Option<usize>,
}

impl Graph {
    fn random(rng: &mut Rng) -> Graph {
        let count = 1 + rng.below(40);
        let degree = 1 + rng.below(4);
        let steps = |rng: &mut Rng| (0..rng.below(degree + 1)).map(|_| rng.below(count)).collect();
        Graph {
            starts: (0..1 + rng.below(2)).map(|_| rng.below(count)).collect(),
            steps: (0..count).map(|_| steps(rng)).collect(),
            broken: rng.chance(1, 5).then(|| rng.below(count)),
        }
    }
}

type State = (String, Vec<u8>);

fn state(number: usize) -> State {
    (number.to_string(), vec![0; number % 3])
}

fn number(state: &State) -> usize {
    state.0.parse().expect("a number")
}

impl Model for Graph {
    type State = State;
    type Action = usize;

    fn init(&self) -> Vec<State> {
        self.starts.iter().map(|&it| state(it)).collect()
    }

    fn actions(&self, from: &State, actions: &mut Vec<usize>) {
        actions.extend(0..self.steps[number(from)].len());
    }

    fn next(&self, from: &State, action: usize) -> Option<State> {
        let from = number(from);
        assert!(self.broken != Some(from), "state {from} is broken");
        let to = self.steps[from][action];
        // Some actions cannot be taken after all.
        ((from + action) % 5 != 4).then(|| state(to))
    }
}

/// The answer of the engines, which read a text, or of the pass, which knows a closure.
fn asked(graph: &Graph, bad: usize, by_engines: bool) -> Check<Graph> {
    let check = check(graph).save_nothing();
    let good = move |it: &State| number(it) != bad;
    match by_engines {
        true => check.property("good", ltl("G good").atom("good", good)),
        false => check.always("good", good),
    }
}

#[test]
fn a_pass_says_what_engines_say() {
    let mut seen = [0; 3];
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let graph = Graph::random(&mut rng);
        let bad = rng.below(60);
        let workers = 1 + rng.below(3);
        let most = rng.chance(1, 4).then(|| 1 + rng.below(20));
        let limited = |check: Check<Graph>| match most {
            Some(most) => check.workers(workers).max_states(most),
            None => check.workers(workers),
        };
        let expected = limited(asked(&graph, bad, true)).run();
        let expected_first = expected.of("good");
        for form in 0..3 {
            let check = limited(asked(&graph, bad, false));
            let found = match form {
                0 => check.run(),
                1 => check.packed().run(),
                _ => check.lossy().run(),
            };
            let (found_first, what) = (found.of("good"), format!("seed {seed}, form {form}"));
            if most.is_some() {
                // Which states come before a limit is not said; but nothing holds that does not.
                let holds = expected_first.holds() || expected_first.outcome() == Outcome::Unknown;
                assert!(!found_first.holds() || holds, "{what}");
                continue;
            }
            match (form, expected_first.outcome()) {
                (2, Outcome::Holds) if graph_is_whole(&expected) => {
                    assert_eq!(found_first.outcome(), Outcome::Unknown, "{what}");
                }
                (_, outcome) => assert_eq!(found_first.outcome(), outcome, "{what}"),
            }
            assert_eq!(found.iter().count(), expected.iter().count(), "{what}");
            if expected_first.holds() && graph_is_whole(&expected) {
                assert_eq!(found_first.states(), expected_first.states(), "{what}");
                let transitions = |it: &fairly::Verdict<Graph>| it.data().stamp.transitions;
                assert_eq!(transitions(found_first), transitions(expected_first), "{what}");
            }
            if let Some(run) = expected_first.counterexample() {
                let own = found_first.run();
                assert_eq!(own.actions().len(), run.actions().len(), "{what}");
            }
        }
        seen[match expected_first.outcome() {
            Outcome::Holds => 0,
            Outcome::Violated => 1,
            Outcome::Unknown => 2,
        }] += 1;
    }
    println!("{seen:?}");
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

/// Whether the model does not panic.
fn graph_is_whole(verdicts: &fairly::Verdicts<Graph>) -> bool {
    verdicts.iter().count() == 1
}

#[test]
fn several_promises_are_kept_by_one_pass_and_all_are_named() {
    let graph = Graph { starts: vec![0], steps: vec![vec![1], vec![2], vec![0]], broken: None };
    let promises = || {
        check(&graph)
            .always("small", |it| number(it) < 3)
            .never("large", |it| number(it) > 2)
            .save_nothing()
    };
    let verdicts = promises().packed().run();
    assert!(verdicts.all_hold());
    let report = verdicts.of("large").report();
    assert!(report.contains("3 states") && report.contains("no fairness"), "{report}");
    let by_engines = promises().run();
    assert_eq!(verdicts.of("small").data().formula, by_engines.of("small").data().formula);
}
