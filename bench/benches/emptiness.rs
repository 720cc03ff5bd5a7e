//! Times single emptiness questions: `cargo bench -p fairly-bench`.

use divan::Bencher;
use fairly_bench::generate::{Language, blocks};
use fairly_search::Engine;

fn main() {
    divan::main();
}

const PAIRS: [u32; 3] = [0, 8, 64];

#[divan::bench(args = PAIRS)]
fn streett_empty(bencher: Bencher<'_, '_>, pairs: u32) {
    let automaton = blocks(100_000, pairs, Language::Empty);
    let engine = Engine::general();
    bencher.bench(|| engine.find_path(&mut automaton.graph()));
}

#[divan::bench(args = PAIRS)]
fn streett_non_empty(bencher: Bencher<'_, '_>, pairs: u32) {
    let automaton = blocks(100_000, pairs, Language::NonEmpty);
    let engine = Engine::general();
    bencher.bench(|| engine.find_path(&mut automaton.graph()));
}

#[divan::bench(args = Engine::of_graphs().map(|engine| engine.name))]
fn buchi_empty(bencher: Bencher<'_, '_>, engine: &str) {
    let automaton = blocks(100_000, 0, Language::Empty);
    let engine = Engine::named(engine).expect("in the table");
    bencher.bench(|| engine.find_path(&mut automaton.graph()));
}
