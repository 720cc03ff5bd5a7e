//! Times single emptiness questions: `cargo bench -p fairly-bench`.

use divan::Bencher;
use fairly_bench::generate::{Language, blocks};
use fairly_omega::emptiness::{self, Engine};

fn main() {
    divan::main();
}

const PAIRS: [u32; 3] = [0, 8, 64];

#[divan::bench(args = PAIRS)]
fn streett_empty(bencher: Bencher<'_, '_>, pairs: u32) {
    let automaton = blocks(100_000, pairs, Language::Empty);
    let engine = Engine::named("streett").expect("in the table");
    bencher.bench(|| emptiness::check(&mut automaton.graph(), engine));
}

#[divan::bench(args = PAIRS)]
fn streett_non_empty(bencher: Bencher<'_, '_>, pairs: u32) {
    let automaton = blocks(100_000, pairs, Language::NonEmpty);
    let engine = Engine::named("streett").expect("in the table");
    bencher.bench(|| emptiness::check(&mut automaton.graph(), engine));
}

#[divan::bench(args = ["ndfs", "scc", "streett"])]
fn buchi_empty(bencher: Bencher<'_, '_>, engine: &str) {
    let automaton = blocks(100_000, 0, Language::Empty);
    let engine = Engine::named(engine).expect("in the table");
    bencher.bench(|| emptiness::check(&mut automaton.graph(), engine));
}
