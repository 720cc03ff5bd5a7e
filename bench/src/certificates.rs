//! The cost of certificates: making one beside the search, reading it, and its size.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fairly_check::{Assumed, Execution, Options, Reduction, Said, Systems};
use fairly_fairness::{Level, Notion};
use fairly_front::include::NoFiles;
use fairly_front::loaded::{Loader, Settings, Text};
use fairly_front::promela::Promela;
use fairly_search::Bounds;

use crate::units::{duration, grouped};

/// Peterson's protocol for several processes: the example of the repository.
const PETERSON: &str = include_str!("../../examples/promela/peterson_n.pml");

/// A row: states, nodes, the search as usual and of the whole system, the certificate, its
/// bytes, and reading it.
struct Row {
    states: usize,
    nodes: usize,
    usual: Duration,
    whole: Duration,
    made: Duration,
    bytes: usize,
    read: Duration,
}

/// The systems of the example with so many processes.
fn peterson(processes: u32) -> Systems {
    let others = (1..processes).map(|at| format!("level[(_pid + {at}) % N] < l"));
    let others = others.collect::<Vec<_>>().join(" && ");
    let lines = PETERSON.lines().map(|line| match line.split_whitespace().nth(1) {
        Some("N") => format!("#define N {processes}"),
        Some(name) if name.starts_with("OTHERS_BELOW") => {
            format!("#define OTHERS_BELOW(l) ({others})")
        }
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let texts = [Text { name: "peterson_n.pml".to_owned(), text }];
    let loaded = Promela.load(&texts, Settings::new(&mut NoFiles)).ok();
    let loaded = loaded.expect("the example is right");
    Systems::new(loaded, Execution::default())
}

/// How long the answer to the last formula takes.
fn searched(processes: u32, reduction: Reduction) -> (Systems, usize, Duration) {
    let mut systems = peterson(processes);
    let is_formula = |systems: &mut Systems, at: usize| {
        systems.bind(at).is_ok_and(|mut question| question.property().is_some())
    };
    let count = systems.loaded().questions.len();
    let at = (0..count).rev().find(|&at| is_formula(&mut systems, at)).expect("it asks a formula");
    let mut question = systems.bind(at).expect("the example is right");
    let notion = Notion::Weak(Level::Process);
    let assumption = systems.assumption(question.system, notion).expect("a notion");
    let assumed = Assumed { assumption: &assumption, strengths: false };
    let started = Instant::now();
    let options = Options { reduction, ..Options::default() };
    let answered = systems.answer(&mut question, &assumed, &options).expect("an answer");
    assert_eq!(answered.verdict.outcome, Said::Holds);
    (systems, at, started.elapsed())
}

fn measure(processes: u32) -> Row {
    let (_, _, usual) = searched(processes, Reduction::Sound);
    let (_, at, whole) = searched(processes, Reduction::Off);
    let mut systems = peterson(processes);
    let question = systems.bind(at).expect("the example is right");
    let notion = Notion::Weak(Level::Process);
    let assumption = systems.assumption(question.system, notion).expect("a notion");
    let started = Instant::now();
    let proof = systems.proof(&question, &assumption, Bounds::default()).expect("a certificate");
    let made = started.elapsed();
    let started = Instant::now();
    fairly_verify::verify(&proof.bytes).expect("it is accepted");
    let read = started.elapsed();
    let (states, nodes, bytes) = (proof.states, proof.nodes, proof.bytes.len());
    Row { states, nodes, usual, whole, made, bytes, read }
}

/// The table, up to so many processes.
pub fn table(most: u32) -> String {
    let mut table = String::from(
        "| processes | states | nodes | search | search of the whole | certificate | of the search | bytes a node | \
         verified | of the search |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for processes in 2..=most {
        let Row { states, nodes, usual, whole, made, bytes, read } = measure(processes);
        let ratio = |time: Duration| time.as_secs_f64() / whole.as_secs_f64();
        let _ = writeln!(
            table,
            "| {processes} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {} | {:.1} |",
            grouped(states),
            grouped(nodes),
            duration(usual),
            duration(whole),
            duration(made),
            ratio(made),
            bytes as f64 / nodes as f64,
            duration(read),
            ratio(read),
        );
    }
    table
}
