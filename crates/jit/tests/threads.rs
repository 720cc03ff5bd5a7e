//! Several threads ask one piece of native code for the steps of the same states, while none of it has
//! been made: each gets what the interpreter gives.

use std::sync::{Arc, Barrier};
use std::thread;

use fairly_explore::Explored;
use fairly_jit::{NativeSpace, Settings};
use fairly_model::native::{Native, Part};
use fairly_model::{Model, ModelSpace, text, verify};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_system::{ActionId, Space, Steps, TransitionSystem};
use fairly_testkit::Rng;

/// States of a model that are looked at.
const STATES: usize = 40;
/// Threads that ask at once.
const THREADS: u64 = 3;

/// A step: who takes part, and what it leads to.
type Step = (Vec<Part>, Vec<u64>);

/// A state with what the interpreter says of it.
struct Expected {
    words: Vec<u64>,
    /// `None` if something goes wrong in one.
    steps: Option<Vec<Step>>,
    /// By proposition; `None` if something goes wrong.
    holds: Vec<Option<bool>>,
}

fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    for (parts, _) in &mut steps {
        parts.sort_by_key(|part| part.slot);
    }
    steps.sort_by(|(one, row), (other, twin)| {
        let key = |parts: &[Part]| -> Vec<_> {
            parts.iter().map(|part| (part.slot, part.variant, part.location, part.edge)).collect()
        };
        (key(one), row).cmp(&(key(other), twin))
    });
    steps
}

fn parts_of(space: &ModelSpace, action: ActionId) -> Option<Vec<Part>> {
    space.signature().action(action).moves.iter().map(|&id| space.part(id)).collect()
}

fn interpret(model: &Model) -> Vec<Expected> {
    let mut system = Explored::new(ModelSpace::new(model.clone(), None));
    let names: Vec<String> = model.propositions.iter().map(|(name, _)| name.clone()).collect();
    let atoms: Vec<_> = names.iter().map(|name| system.atom(name).expect("it")).collect();
    let mut states = system.initial();
    let mut all = Vec::new();
    let mut at = 0;
    while at < states.len().min(STATES) {
        let state = states[at];
        at += 1;
        if system.fault(state).is_some() {
            continue;
        }
        let mut out = Vec::new();
        system.enabled(state, &mut out);
        let steps = out.iter().map(|step| {
            if !states.contains(&step.target) {
                states.push(step.target);
            }
            let parts: Option<Vec<Part>> = parts_of(system.space(), step.action);
            Some((parts?, system.row(step.target))).filter(|_| system.fault(step.target).is_none())
        });
        let steps = steps.collect::<Option<Vec<Step>>>().map(in_order);
        let holds = atoms.iter().map(|&atom| {
            let holds = system.holds(state, atom);
            system.space().proposition_fault(&system.row(state), atom).is_none().then_some(holds)
        });
        all.push(Expected { words: system.row(state), steps, holds: holds.collect() });
    }
    all
}

/// Asks about all states, in an order of its own and a few at a time.
fn ask(
    native: &NativeSpace,
    model: &Model,
    expected: &[Expected],
    rng: &mut Rng,
) -> Result<(), String> {
    let mut scratch = native.scratch();
    let mut steps = Steps::default();
    let mut order: Vec<usize> = (0..expected.len()).collect();
    order.sort_by_cached_key(|_| rng.below(usize::MAX));
    let mut left = &order[..];
    let width = native.width();
    while !left.is_empty() {
        let asked = &left[..(1 + rng.below(8)).min(left.len())];
        let states: Vec<u64> =
            asked.iter().flat_map(|&at| expected[at].words.iter().copied()).collect();
        steps.clear();
        native.expand(&states, &mut scratch, &mut steps);
        for (&at, found) in asked.iter().zip(steps.by_row()) {
            let state = &expected[at];
            let found = found.map(|step| {
                let parts = parts_of(native.reference(), steps.actions[step])?;
                let row = steps.rows_of(step..step + 1, width).to_vec();
                steps.fault(step).is_none().then_some((parts, row))
            });
            let found = found.collect::<Option<Vec<Step>>>().map(in_order);
            if found != state.steps {
                return Err(format!("{found:#?} instead of {:#?}", state.steps));
            }
        }
        for &at in asked {
            for ((name, _), &known) in model.propositions.iter().zip(&expected[at].holds) {
                let atom = native.atom(name).expect("a proposition");
                let found = native.holds(&expected[at].words, atom, &mut scratch);
                if found != known.unwrap_or(false) {
                    return Err(format!("{name}: {found:?} instead of {known:?}"));
                }
            }
        }
        left = &left[asked.len()..];
    }
    Ok(())
}

#[test]
fn threads_that_have_code_made_at_once_get_the_same_steps() {
    let (mut looked, mut made) = (0, 0);
    for seed in first_seed(1)..first_seed(1) + cases(1000) {
        let model = lively_model(&mut Rng::new(seed));
        assert_eq!(verify(&model), Ok(()), "seed {seed}");
        let expected = interpret(&model);
        // At once, or function by function.
        let worth = [usize::MAX, 10, 100][usize::try_from(seed % 3).expect("small")];
        let settings = Settings { worth, ..Settings::EAGER };
        let space = Arc::new(ModelSpace::new(model.clone(), None));
        let Some(native) = NativeSpace::new(space, settings) else { return };
        let start = Barrier::new(usize::try_from(THREADS).expect("few"));
        let results: Vec<Result<(), String>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let (native, model, expected, start) = (&native, &model, &expected, &start);
                    scope.spawn(move || {
                        let mut rng = Rng::new(seed * THREADS + thread);
                        start.wait();
                        // Again and again, while there is more and more code.
                        (0..4).try_for_each(|_| ask(native, model, expected, &mut rng))
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        // How often code declines while another thread makes a function depends on the scheduler, so only what
        // is asked for alone afterwards is counted.
        let before = native.counts().1;
        let alone = ask(&native, &model, &expected, &mut Rng::new(seed));
        for result in results.iter().chain([&alone]) {
            if let Err(why) = result {
                let model = text::print(&model);
                panic!("FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1\n{model}\n{why}");
            }
        }
        made += native.counts().1 - before;
        looked += expected.len() as u64;
    }
    println!("{made} of {looked} states by native code");
    assert!(made * 4 > looked, "{made} of {looked}");
}
