//! The table `bench/record/emptiness.md`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fairly_omega::emptiness::Answer;
use fairly_omega::{Automaton, Lasso};
use fairly_search::engines::{Choice, Engine};
use peak_alloc::PeakAlloc;
use petgraph::graph::DiGraph;

use crate::generate::{Language, blocks};

/// Repeats `work` a few times and gives its result with the shortest time: what it costs when the
/// machine is not doing something else.
fn best_of<T>(times: usize, mut work: impl FnMut() -> T) -> (T, Duration) {
    let mut best: Option<(T, Duration)> = None;
    for _ in 0..times {
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(_, shortest)| took < *shortest) {
            best = Some((result, took));
        }
    }
    best.expect("at least once")
}

/// The peer on the same graph: its strongly connected components, nothing judged.
fn petgraph_components(graph: &DiGraph<(), (), u32>) -> usize {
    petgraph::algo::kosaraju_scc(graph).len()
}

fn as_petgraph(automaton: &Automaton) -> DiGraph<(), (), u32> {
    let edges = automaton
        .states()
        .flat_map(|from| automaton.edges(from).iter().map(move |edge| (from.0, edge.target.0)));
    DiGraph::from_edges(edges)
}

/// Runs every size and prints the table; `peak` is the program's allocator.
///
/// # Panics
/// If an engine gives a wrong answer: a benchmark of wrong answers is worth nothing.
pub fn table(largest: usize, peak: &PeakAlloc) -> String {
    let mut out = String::from(
        "| edges | states | pairs | language | engine | time | ns/edge | against petgraph's SCCs | \
         search memory, B/state | automaton, B/edge | cycle |\n\
         |---:|---:|---:|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut size = 10_000;
    while size <= largest {
        for language in [Language::Empty, Language::NonEmpty] {
            for pairs in [0, 8, 64] {
                let automaton = blocks(size, pairs, language);
                let peer = as_petgraph(&automaton);
                let repeats = if size >= 10_000_000 { 3 } else { 5 };
                let (_, peer_time) = best_of(repeats, || petgraph_components(&peer));
                drop(peer);
                for engine in Engine::of_graphs() {
                    // The reference needs a copy of the graph for every subset of the pairs; the table of
                    // fairness shows that, at sizes where it ends.
                    let too_many = engine.choice == Choice::Reference && pairs > 0;
                    if too_many || !engine.decides(automaton.acceptance()) {
                        continue;
                    }
                    row(&mut out, &automaton, engine, language, pairs, (repeats, peer_time, peak));
                }
            }
        }
        size *= 10;
    }
    out
}

fn row(
    out: &mut String,
    automaton: &Automaton,
    engine: &Engine,
    language: Language,
    pairs: u32,
    (repeats, peer_time, peak): (usize, Duration, &PeakAlloc),
) {
    let check =
        || -> Answer { engine.find_path(&mut automaton.graph()).expect("the engine decides this") };
    peak.reset_peak_usage();
    let before = peak.current_usage();
    let answer = check();
    let memory = peak.peak_usage().saturating_sub(before);
    assert_eq!(answer.lasso.is_some(), language == Language::NonEmpty, "{}", engine.name);
    let (_, time) = best_of(repeats, check);
    let edges = automaton.edge_count();
    let per = |bytes: usize, things: usize| bytes as f64 / things as f64;
    let cycle =
        answer.lasso.map_or("–".to_owned(), |Lasso { cycle, .. }| cycle.len().to_string());
    let _ = writeln!(
        out,
        "| {edges} | {} | {pairs} | {} | {} | {:.2} ms | {:.1} | {:.2}× | {:.1} | {:.1} | {cycle} |",
        automaton.state_count(),
        match language {
            Language::Empty => "empty",
            Language::NonEmpty => "non-empty",
        },
        engine.name,
        time.as_secs_f64() * 1e3,
        time.as_secs_f64() * 1e9 / edges as f64,
        time.as_secs_f64() / peer_time.as_secs_f64(),
        per(memory, automaton.state_count()),
        per(automaton.bytes(), edges),
    );
}
