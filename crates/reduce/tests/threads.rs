//! Any number of threads may expand a space at once: each gets the rows that one thread gets alone.

use std::sync::{Arc, Barrier};
use std::thread;

use fairly_explore::Collapsed;
use fairly_jit::{NativeSpace, Settings};
use fairly_model::{Atomicity, DeadValues, Model, ModelSpace, ResettingDead, text, verify};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_omega::Stop;
use fairly_reduce::{Ample, Base, Quotient, Watched};
use fairly_system::{ActionId, Sequences, Space, Steps};
use fairly_testkit::Rng;

/// Rows of a space that are expanded.
const ROWS: usize = 40;

/// The steps of a row: actions with the rows that they lead to, or what goes wrong; and the actions left out.
type Expanded = (Vec<(ActionId, Result<Vec<u64>, String>)>, Vec<ActionId>);

/// Expands rows, so many at a time.
fn expand(space: &dyn Space, rows: &[u64], block: usize) -> Vec<Expanded> {
    let (width, mut scratch, mut all) = (space.width(), space.scratch(), Vec::new());
    for rows in rows.chunks(block * width) {
        let mut steps = Steps::default();
        space.expand(rows, &mut scratch, &mut steps);
        assert_eq!(steps.ends.len() * width, rows.len());
        for (row, of) in steps.by_row().enumerate() {
            let target = |at: usize| match steps.fault(at) {
                Some(fault) => Err(fault.message.clone()),
                None => Ok(steps.rows_of(at..at + 1, width).to_vec()),
            };
            let taken = of.map(|at| (steps.actions[at], target(at))).collect();
            let omitted = steps.omitted.iter().filter(|(of, _)| *of == row);
            all.push((taken, omitted.map(|(_, action)| *action).collect()));
        }
    }
    all
}

/// Rows that can be reached by one thread.
fn reached(space: &dyn Space) -> Vec<u64> {
    let width = space.width();
    let mut first = Steps::default();
    space.initial(&mut space.scratch(), &mut first);
    let mut rows = if first.faults.is_empty() { first.rows } else { Vec::new() };
    let mut at = 0;
    while at < (rows.len() / width).min(ROWS) {
        let row = rows[at * width..][..width].to_vec();
        at += 1;
        for (_, target) in expand(space, &row, 1).remove(0).0 {
            if let Ok(target) = target
                && !rows.chunks_exact(width).any(|known| known == target)
            {
                rows.extend(target);
            }
        }
    }
    rows.truncate(at * width);
    rows
}

/// The spaces of a model, by name.
fn spaces(model: &Model) -> Vec<(&'static str, Arc<dyn Space>)> {
    let reference = Arc::new(ModelSpace::new(model.clone(), None));
    let sequences = model.atomicity == Atomicity::Exclusive;
    let mut all: Vec<(&str, Arc<dyn Space>)> = vec![("model", Arc::clone(&reference) as _)];
    let mut single: Arc<dyn Sequences> = Arc::clone(&reference) as _;
    let settings = Settings { sequences, worth: 20 };
    if let Some(native) = NativeSpace::new(Arc::clone(&reference), settings) {
        single = Arc::new(native);
        if !sequences {
            all.push(("native", Arc::clone(&single) as _));
        }
    }
    if let Some(reset_dead) = DeadValues::dead(&reference, &[]) {
        let resetting_dead =
            ResettingDead::new(single, Arc::clone(&reference), Arc::new(reset_dead));
        single = Arc::new(resetting_dead);
        if !sequences {
            all.push(("dead variables", Arc::clone(&single) as _));
        }
    }
    let base = Base::of_model(Arc::clone(&single), reference, None);
    let whole: Arc<dyn Space> = match single.may_hold() {
        true => Arc::new(Collapsed::new(single)),
        false => single,
    };
    all.push(("collapsed", Arc::clone(&whole)));
    let watched = Watched::default();
    if let Ok(skeleton) = base.skeleton(&watched, Stop::default()) {
        let (processes, inner) = (Arc::clone(base.processes()), Arc::clone(&whole));
        let ample = Ample::new(inner, processes, Arc::new(skeleton), Arc::new(watched.clone()));
        all.push(("ample", Arc::new(ample)));
    }
    if let Ok(symmetry) = base.symmetry(&watched, Stop::default()) {
        all.push(("quotient", Arc::new(Quotient::new(whole, symmetry))));
    }
    all
}

#[test]
fn threads_get_the_rows_of_one() {
    let (mut expanded, mut omitted) = (0, 0);
    let mut met: Vec<&str> = Vec::new();
    for seed in first_seed(1)..first_seed(1) + cases(300) {
        let mut model = lively_model(&mut Rng::new(seed));
        if seed % 3 == 0 {
            // Processes that are alike can be permuted.
            let first = model.slots[0].clone();
            for slot in &mut model.slots {
                let (name, renamed) = (slot.name.clone(), slot.renamed.clone());
                *slot = fairly_model::Slot { name, renamed, ..first.clone() };
            }
            if verify(&model).is_err() {
                continue;
            }
        }
        for (name, space) in spaces(&model) {
            let rows = reached(&*space);
            let expected = expand(&*space, &rows, 1);
            let start = Barrier::new(2);
            let found = thread::scope(|scope| {
                let threads = [3, 7].map(|block| {
                    let (space, rows, start) = (&space, &rows, &start);
                    scope.spawn(move || {
                        start.wait();
                        expand(&**space, rows, block)
                    })
                });
                threads.map(|thread| thread.join().expect("no panic"))
            });
            for found in found {
                let told = || format!("{name}, seed {seed}\n{}", text::print(&model));
                assert!(found == expected, "{}", told());
            }
            expanded += expected.len();
            omitted += expected.iter().filter(|(_, omitted)| !omitted.is_empty()).count();
            if !met.contains(&name) {
                met.push(name);
            }
        }
    }
    println!("{expanded} rows, something left out of {omitted}; {met:?}");
    assert!(expanded > 1000 && omitted > 20 && met.len() >= 5, "{expanded} {omitted} {met:?}");
}
