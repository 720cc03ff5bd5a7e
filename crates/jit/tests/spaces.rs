//! The native program of a model and the interpreter are two spaces with the same rows, also when several threads
//! use both at once.

use std::sync::Arc;
use std::thread;

use fairly_jit::{NativeSpace, Settings};
use fairly_model::{Model, ModelSpace, text, verify};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_system::{ActionId, Space, Steps};
use fairly_testkit::Rng;

/// Rows of a model that are expanded.
const ROWS: usize = 80;

/// A step: its action, and the row that it leads to or the error.
type Step = (ActionId, Result<Vec<u64>, String>);

/// The steps of each row that was expanded, sorted, since the order of native code is its own.
fn by_row(steps: &Steps, width: usize) -> Vec<Vec<Step>> {
    let mut begin = 0;
    let each = steps.ends.iter().map(|&end| {
        let step = |at: usize| match steps.fault(at) {
            Some(fault) => (steps.actions[at], Err(fault.message.clone())),
            None => (steps.actions[at], Ok(steps.rows[at * width..][..width].to_vec())),
        };
        let mut all: Vec<Step> = (begin..end).map(step).collect();
        all.sort();
        begin = end;
        all
    });
    each.collect()
}

/// Rows that can be reached, and the steps out of them as the interpreter has them.
fn reached(space: &ModelSpace) -> (Vec<u64>, Vec<Vec<Step>>) {
    let width = space.width();
    let mut scratch = space.scratch();
    let mut steps = Steps::default();
    space.initial(&mut scratch, &mut steps);
    let mut rows: Vec<u64> = match steps.faults.is_empty() {
        true => steps.rows.clone(),
        false => Vec::new(),
    };
    let mut all = Vec::new();
    while all.len() < (rows.len() / width).min(ROWS) {
        let row = rows[all.len() * width..][..width].to_vec();
        steps.clear();
        space.expand(&row, &mut scratch, &mut steps);
        let found = by_row(&steps, width).remove(0);
        for target in found.iter().filter_map(|(_, target)| target.as_ref().ok()) {
            if !rows.chunks_exact(width).any(|known| known == target) {
                rows.extend_from_slice(target);
            }
        }
        all.push(found);
    }
    rows.truncate(all.len() * width);
    (rows, all)
}

/// Takes ranks and atomic sequences away, so that what single processes offer need not be left to the interpreter.
fn flatten(model: &mut Model) {
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    for location in locations {
        location.atomic = false;
        for edge in location.edges.iter_mut().flatten() {
            (edge.rank, edge.hold) = (0, false);
        }
    }
}

#[test]
fn both_spaces_have_the_same_rows() {
    let first = first_seed(1);
    let (mut expanded, mut steps) = (0, 0);
    for seed in first..first + cases(200) {
        let mut rng = Rng::new(seed);
        let mut model = lively_model(&mut rng);
        if seed % 3 == 0 {
            flatten(&mut model);
        }
        verify(&model).expect("a model");
        let shown = text::print(&model);
        let reference = Arc::new(ModelSpace::new(model.clone(), None));
        let (rows, expected) = reached(&reference);
        let settings = if seed % 2 == 0 { Settings::EAGER } else { Settings::default() };
        let Some(native) = NativeSpace::new(Arc::clone(&reference), settings) else { return };
        let atoms: Vec<_> =
            model.propositions.iter().filter_map(|(name, _)| native.atom(name)).collect();
        let width = native.width();
        // Each thread asks for some rows at once, in blocks of its own size.
        let compare = |block: usize| {
            let (mut scratch, mut own) = (native.scratch(), reference.scratch());
            let blocks = rows.chunks(block * width).zip(expected.chunks(block));
            for (rows, expected) in blocks {
                let mut found = Steps::default();
                native.expand(rows, &mut scratch, &mut found);
                assert_eq!(by_row(&found, width), expected, "seed {seed}\n{shown}");
                for row in rows.chunks_exact(width) {
                    let [mut offered, mut right] = [Vec::new(), Vec::new()];
                    native.offered(row, &mut scratch, &mut offered);
                    reference.offered(row, &mut own, &mut right);
                    for moves in [&mut offered, &mut right] {
                        moves.sort_unstable();
                        moves.dedup();
                    }
                    assert_eq!(offered, right, "seed {seed}\n{shown}");
                }
                for (row, &atom) in rows
                    .chunks_exact(width)
                    .flat_map(|row| atoms.iter().map(move |atom| (row, atom)))
                {
                    let holds = native.holds(row, atom, &mut scratch);
                    assert_eq!(holds, reference.holds(row, atom, &mut own), "seed {seed}\n{shown}");
                }
            }
        };
        thread::scope(|scope| {
            for block in [1, 3, 64] {
                scope.spawn(move || compare(block));
            }
        });
        expanded += expected.len();
        steps += expected.iter().map(Vec::len).sum::<usize>();
    }
    assert!(cases(200) < 200 || expanded > 500 && steps > 1000, "{expanded} rows, {steps} steps");
}
