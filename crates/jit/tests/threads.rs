//! Several threads ask one piece of native code for the steps of the same states, while none of it has
//! been made: each gets what the interpreter gives, or is declined.

use std::sync::Barrier;
use std::thread;

use fairly_jit::{Compiled, Settings};
use fairly_model::native::{Native, NativeScratch, Part, Rows};
use fairly_model::{Interpreter, Model, ModelSpace, text, verify};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_system::TransitionSystem;
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

fn interpret(model: &Model) -> Vec<Expected> {
    let mut system = Interpreter::new(model.clone());
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
            let parts: Option<Vec<Part>> =
                system.action(step.action).moves.iter().map(|&id| system.part(id)).collect();
            Some((parts?, system.packed(step.target)))
                .filter(|_| system.fault(step.target).is_none())
        });
        let steps = steps.collect::<Option<Vec<Step>>>().map(in_order);
        let holds = atoms.iter().map(|&atom| {
            let holds = system.holds(state, atom);
            system.proposition_fault(state, atom).is_none().then_some(holds)
        });
        all.push(Expected { words: system.packed(state), steps, holds: holds.collect() });
    }
    all
}

/// Asks about all states, in an order of its own and a few at a time; how many were not declined.
fn ask(
    native: &dyn Native,
    model: &Model,
    expected: &[Expected],
    rng: &mut Rng,
) -> Result<u64, String> {
    let mut scratch: NativeScratch = native.scratch();
    let mut rows = Rows::default();
    let mut order: Vec<usize> = (0..expected.len()).collect();
    order.sort_by_cached_key(|_| rng.below(usize::MAX));
    let mut left = &order[..];
    while !left.is_empty() {
        let asked = &left[..(1 + rng.below(8)).min(left.len())];
        let states: Vec<u64> =
            asked.iter().flat_map(|&at| expected[at].words.iter().copied()).collect();
        rows.clear();
        let done = native.steps(&states, &mut scratch, &mut rows);
        let mut begin = 0;
        for (&at, &end) in asked[..done].iter().zip(&rows.ends) {
            let state = &expected[at];
            let width = state.words.len();
            let found = (begin..end).map(|step| {
                let row = rows.words[step * width..][..width].to_vec();
                (native.parts(rows.commands[step]), row)
            });
            let found = in_order(found.collect());
            begin = end;
            if Some(&found) != state.steps.as_ref() {
                return Err(format!("{found:#?} instead of {:#?}", state.steps));
            }
        }
        for &at in asked {
            let propositions = model.propositions.iter().zip(&expected[at].holds).enumerate();
            for (number, ((name, expr), &known)) in propositions {
                let found = native.holds(&expected[at].words, number, expr);
                if found.is_some() && found != known {
                    return Err(format!("{name}: {found:?} instead of {known:?}"));
                }
            }
        }
        // The one that was declined is the interpreter's.
        left = &left[(done + 1).min(asked.len())..];
    }
    Ok(scratch.made)
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
        let Some(compiled) = Compiled::new(&ModelSpace::new(model.clone(), None), settings) else {
            return;
        };
        let start = Barrier::new(usize::try_from(THREADS).expect("few"));
        let results: Vec<Result<u64, String>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let (compiled, model, expected, start) = (&compiled, &model, &expected, &start);
                    scope.spawn(move || {
                        let mut rng = Rng::new(seed * THREADS + thread);
                        start.wait();
                        // Again and again, while there is more and more code.
                        (0..4).try_fold(0, |sum, _| {
                            Ok(sum + ask(compiled, model, expected, &mut rng)?)
                        })
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        // How often threads are declined while another one makes a function depends on the scheduler,
        // so only what is asked for alone afterwards is counted.
        let alone = ask(&compiled, &model, &expected, &mut Rng::new(seed));
        for result in results.iter().chain([&alone]) {
            if let Err(why) = result {
                let model = text::print(&model);
                panic!("FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1\n{model}\n{why}");
            }
        }
        made += alone.unwrap_or(0);
        looked += expected.len() as u64;
    }
    println!("{made} of {looked} states by native code");
    assert!(made * 4 > looked, "{made} of {looked}");
}
