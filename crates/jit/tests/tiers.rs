//! It makes no difference when code is made: states and actions get the same numbers, in the same order,
//! whether all steps are interpreted, all are made by code, or code comes in between.

use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_jit::{NativeSpace, Settings};
use fairly_model::native::Native;
use fairly_model::{Atomicity, Model, ModelSpace, text};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_omega::StateId;
use fairly_system::{Sequences, Space, TransitionSystem};
use fairly_testkit::Rng;

/// States that are looked at.
const STATES: usize = 150;

/// Everything that is met, in the order in which it is: of each state its words, and the actions and targets
/// of its steps.
type Met = Vec<(Vec<u64>, Vec<(String, StateId)>)>;

/// Explores breadth first, so many states at a time.
fn explore<S: Space>(space: S, model: &ModelSpace, block: usize) -> Met {
    let mut system = Explored::new(space);
    let mut states = system.initial();
    let mut met = Vec::new();
    while met.len() < states.len().min(STATES) {
        let asked: Vec<StateId> = states[met.len()..].iter().take(block).copied().collect();
        let (mut out, mut ends) = (Vec::new(), Vec::new());
        system.enabled_in_all(&asked, &mut out, &mut ends);
        let mut begin = 0;
        for (state, end) in asked.into_iter().zip(ends) {
            let steps = out[begin..end].iter().map(|step| {
                let action = system.action(step.action);
                let parts: Vec<_> = action.moves.iter().map(|&id| model.part(id)).collect();
                let event = system.signature().event_name(action.event);
                (format!("{event} {parts:?}"), step.target)
            });
            met.push((system.row(state), steps.collect()));
            begin = end;
        }
        for step in out {
            if !states.contains(&step.target) {
                states.push(step.target);
            }
        }
    }
    met.truncate(STATES);
    met
}

/// States that are met if code is worth this much, if there is any, and how many of them by code.
fn met(model: &Model, worth: Option<usize>, block: usize) -> Option<(Met, u64)> {
    let space = Arc::new(ModelSpace::new(model.clone(), None));
    let collapses = model.atomicity == Atomicity::Exclusive;
    let Some(worth) = worth else {
        return Some((explored(Arc::clone(&space), &space, collapses, block), 0));
    };
    let settings = Settings { sequences: collapses, worth };
    let native = Arc::new(NativeSpace::new(Arc::clone(&space), settings)?);
    let met = explored(Arc::clone(&native), &space, collapses, block);
    Some((met, native.counts().1))
}

fn explored(space: impl Sequences, model: &ModelSpace, collapses: bool, block: usize) -> Met {
    match collapses {
        true => explore(Collapsed::new(space), model, block),
        false => explore(space, model, block),
    }
}

#[test]
fn it_makes_no_difference_when_code_is_made() {
    let (mut looked, mut by_code, mut mixed) = (0, 0, 0);
    for seed in first_seed(1)..first_seed(1) + cases(600) {
        let model = lively_model(&mut Rng::new(seed));
        let (expected, _) = met(&model, None, 1).expect("no code");
        for (worth, block) in [(usize::MAX, 1), (3, 7), (20, 2), (90, 64)] {
            let Some((found, made)) = met(&model, Some(worth), block) else { return };
            for (at, (one, other)) in expected.iter().zip(&found).enumerate() {
                assert!(
                    one == other,
                    "FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1, worth {worth}, state {at}\n\
                     {}\n{one:#?}\n{other:#?}",
                    text::print(&model)
                );
            }
            assert_eq!(expected.len(), found.len(), "seed {seed}");
            looked += found.len();
            by_code += made;
            mixed += usize::from(worth < usize::MAX && made > 0);
        }
    }
    println!("{looked} states, {by_code} by code; {mixed} explorations began without");
    assert!(mixed > 100, "{mixed}");
}
