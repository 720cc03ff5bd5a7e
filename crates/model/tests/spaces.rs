//! The space of a model: what is explored of it is the same state by state and many at once, by one thread or by
//! several.

use fairly_explore::Explored;
use fairly_model::{Model, ModelSpace, text, verify};
use fairly_omega::{StateId, Stop};
use fairly_system::{FaultKind, Space, Steps, TransitionSystem};
use fairly_testkit::Rng;
use std::collections::HashMap;

use fairly_modelkit::{cases, first_seed, lively_model};

/// States that are looked at of each model.
const MOST: usize = 60;

/// Explores the model state by state, and again many states at once, and compares everything that can be asked.
fn compare(model: &Model) -> usize {
    let mut single = Explored::new(ModelSpace::new(model.clone(), None));
    let mut explored = Explored::new(ModelSpace::new(model.clone(), None));
    assert_eq!(single.initial(), explored.initial());
    let mut atoms: Vec<String> = model.propositions.iter().map(|(name, _)| name.clone()).collect();
    atoms.extend(["deadlock".to_owned(), "terminated".to_owned()]);
    let atoms: Vec<_> = atoms
        .iter()
        .map(|name| (single.atom(name).unwrap(), explored.atom(name).unwrap()))
        .collect();
    let mut looked = 0;
    while looked < single.state_count().min(MOST) {
        let state = StateId::from_index(looked);
        assert_eq!(single.fault(state), explored.fault(state));
        assert_eq!(single.describe(state), explored.describe(state));
        assert_eq!(single.valuation(state), explored.valuation(state));
        assert_eq!(single.state_values(state), explored.state_values(state));
        for (one, other) in &atoms {
            assert_eq!(single.holds(state, *one), explored.holds(state, *other));
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        single.offered(state, &mut one);
        explored.offered(state, &mut other);
        assert_eq!(one, other, "offered in {state:?}");
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let (mut ends, mut other_ends) = (Vec::new(), Vec::new());
        // One state after the other, or several at once.
        let states: Vec<StateId> = match looked.is_multiple_of(3) {
            true => vec![state],
            false => {
                (looked..single.state_count().min(looked + 4)).map(StateId::from_index).collect()
            }
        };
        for &state in &states {
            single.enabled(state, &mut one);
            ends.push(one.len());
        }
        explored.enabled_in_all(&states, &mut other, &mut other_ends);
        assert_eq!((one, ends), (other, other_ends), "enabled in {states:?}");
        assert_eq!(single.state_count(), explored.state_count());
        if one_is_stuck(&mut single, state) {
            assert_eq!(single.blocked(state), explored.blocked(state));
        }
        looked += states.len();
    }
    assert_eq!(single.signature(), explored.signature());
    looked
}

fn one_is_stuck(single: &mut Explored<ModelSpace>, state: StateId) -> bool {
    let mut steps = Vec::new();
    single.enabled(state, &mut steps);
    steps.is_empty() && single.fault(state).is_none()
}

#[test]
fn states_can_be_explored_one_by_one_or_together() {
    let first = first_seed(1);
    let mut looked = 0;
    for seed in first..first + cases(1000) {
        let model = lively_model(&mut Rng::new(seed));
        verify(&model).expect("a model");
        let shown = text::print(&model);
        let result = std::panic::catch_unwind(|| compare(&model));
        looked += result.unwrap_or_else(|_| panic!("seed {seed}\n{shown}"));
    }
    assert!(looked > 1000 || cases(1000) < 1000, "{looked} states");
}

/// Steps as others see them: by names, because each order of exploration numbers events and actions in its own.
type Named = Vec<(String, Vec<String>, Result<Vec<u64>, String>)>;

fn named(space: &ModelSpace, steps: &Steps) -> Named {
    let signature = space.signature();
    let step = |(at, row): (usize, &[u64])| {
        let action = signature.action(steps.actions[at]);
        let moves = action.moves.iter().map(|id| {
            let it = &signature.moves[id.index()];
            format!("{} {} {}", it.process, it.name, signature.event_name(it.event))
        });
        let target = match steps.fault(at) {
            Some(fault) => Err(fault.message.clone()),
            None => Ok(row.to_vec()),
        };
        (signature.event_name(action.event).to_owned(), moves.collect(), target)
    };
    steps.rows.chunks_exact(space.width()).enumerate().map(step).collect()
}

/// The steps of the rows that are met first, in an order of the worker's own.
fn walk(space: &ModelSpace, seed: u64) -> HashMap<Vec<u64>, Named> {
    let mut rng = Rng::new(seed);
    let mut scratch = space.scratch();
    let mut steps = Steps::default();
    space.initial(&mut scratch, &mut steps);
    let mut open: Vec<Vec<u64>> = match steps.faults.is_empty() {
        true => vec![steps.rows.clone()],
        false => Vec::new(),
    };
    let mut found = HashMap::new();
    while found.len() < MOST && !open.is_empty() {
        let row = open.swap_remove(rng.below(open.len()));
        if found.contains_key(&row) {
            continue;
        }
        steps.clear();
        space.expand(&row, &mut scratch, &mut steps);
        let steps = named(space, &steps);
        let targets = steps.iter().filter_map(|(_, _, target)| target.as_ref().ok());
        open.extend(targets.cloned());
        found.insert(row, steps);
    }
    found
}

/// Several threads expand one space at once, and find what one of them finds alone.
#[test]
fn threads_share_a_space() {
    let first = first_seed(1);
    for seed in first..first + cases(300) {
        let model = lively_model(&mut Rng::new(seed));
        let alone = ModelSpace::new(model.clone(), None);
        let shared = ModelSpace::new(model, None);
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    scope.spawn({
                        let shared = &shared;
                        move || walk(shared, thread)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
        });
        let mut scratch = alone.scratch();
        for (row, steps) in found.iter().flatten() {
            let mut own = Steps::default();
            alone.expand(row, &mut scratch, &mut own);
            assert_eq!(named(&alone, &own), *steps, "seed {seed}");
        }
        // Entries that were listed twice at the same time have one number.
        let names = |space: &ModelSpace| {
            let mut names: Vec<String> =
                space.signature().events.iter().map(|event| event.name.clone()).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            (count, names.len())
        };
        let (count, different) = names(&shared);
        let (own, own_different) = names(&alone);
        assert_eq!(count - different, own - own_different, "seed {seed}");
    }
}

/// A row in which it is time to stop keeps none of its steps: with some of them, what is enabled there would be wrong.
#[test]
fn a_row_that_is_given_up_has_a_single_step_that_says_so() {
    fn always() -> bool {
        true
    }
    let mut given_up = 0;
    for seed in first_seed(1)..first_seed(1) + 40 {
        let space = ModelSpace::new(lively_model(&mut Rng::new(seed)), None);
        let (mut scratch, mut all) = (space.scratch(), Steps::default());
        space.initial(&mut scratch, &mut all);
        let row = all.rows.clone();
        let is_faulty = !all.faults.is_empty();
        all.clear();
        if is_faulty {
            continue;
        }
        space.expand(&row, &mut scratch, &mut all);
        if all.actions.len() < 2 {
            continue;
        }
        scratch.stop = Stop { memory: Some(always), ..Stop::default() };
        // It is not asked at every step.
        let mut steps = Steps::default();
        let stopped = (0..100_000).find(|_| {
            steps.clear();
            space.expand(&row, &mut scratch, &mut steps);
            let is_stopped = steps.faults.iter().any(|(_, fault)| fault.kind == FaultKind::Limit);
            assert!(is_stopped || steps == all, "seed {seed}");
            is_stopped
        });
        assert!(stopped.is_some(), "seed {seed}: it is never asked");
        assert_eq!((steps.actions.len(), steps.faults.len(), &*steps.ends), (1, 1, &[1][..]));
        assert_eq!(steps.rows.len(), space.width(), "seed {seed}");
        given_up += 1;
        // From then on all is as it was.
        scratch.stop = Stop::default();
        steps.clear();
        space.expand(&row, &mut scratch, &mut steps);
        assert_eq!(steps, all, "seed {seed}");
    }
    assert!(given_up > 5, "{given_up}");
}
