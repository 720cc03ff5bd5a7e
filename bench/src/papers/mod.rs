//! The figures of the papers beside ours: `bench/record/papers.md` and its pictures.
//!
//! Each paper has a section: what it measured, the same measured here, and a paragraph on what agrees. The papers are
//! those of `docs/papers.md`. Where a paper has a picture whose numbers are not in its text, what the text says
//! of it is compared.

use std::fmt::Write;
use std::time::Duration;

use fairly_check::{Assumption, Object, Options, Parts, Property, System, Systems, objects};
use fairly_fairness::Notion;
use fairly_front::promela::Promela;
use fairly_logic::Formulas;
use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, MarkSet, StateId};
use fairly_search::engines::Engine;
use fairly_system::EventPosition;
use fairly_translate::translate_lifted;
use peak_alloc::PeakAlloc;

use crate::clock::timed;
use crate::fairness;
use crate::generate::Random;
use crate::plot::{self, Panel, Point, Series, Stroke};
use crate::units::{duration, grouped};
use crate::{inherent, reduction};

/// How far each family goes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Of 000.
    pub fairness: fairness::Plan,
    /// Nodes of the components of 002, and pairs.
    pub components: &'static [usize],
    /// Pairs of a component.
    pub pairs: &'static [u32],
    /// Pairs and states at which the procedures of 003 are given up.
    pub inherent: usize,
    /// Whether only the smallest models of 004 are checked.
    pub quick: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            fairness: fairness::Plan::default(),
            components: &[100, 1_000, 10_000],
            pairs: &[1, 2, 4, 8, 16, 32, 64],
            inherent: 200_000,
            quick: false,
        }
    }
}

impl Plan {
    /// Sizes that take a few seconds.
    pub fn small() -> Plan {
        Plan {
            fairness: fairness::Plan { nodes: 20_000, processes: [3, 4] },
            components: &[50],
            pairs: &[1, 4],
            inherent: 1_000,
            quick: true,
        }
    }
}

/// Everything that is recorded.
pub struct Report {
    /// In Markdown.
    pub text: String,
    /// Names of pictures, and the pictures in SVG.
    pub pictures: Vec<(&'static str, String)>,
}

/// Measures everything; `peak` is the program's allocator.
///
/// # Panics
/// If an answer is wrong: a benchmark of wrong answers is worth nothing.
pub fn report(plan: &Plan, peak: &PeakAlloc) -> Report {
    let mut text = String::from(
        "# The papers' figures beside ours\n\nNumbers of the papers are those of docs/papers.md. States, nodes, steps and \
         lengths do not depend on the machine.\nTimes do; those of the papers are of machines of their time.\n\n",
    );
    let mut pictures = Vec::new();
    fairness_in_automata(&mut text, &mut pictures, plan, peak);
    the_program_of_the_slides(&mut text);
    streett_components(&mut text, &mut pictures, plan);
    inherent_fairness(&mut text, plan);
    event_fairness(&mut text, &mut pictures, plan);
    Report { text, pictures }
}

fn fairness_in_automata(
    text: &mut String,
    pictures: &mut Vec<(&'static str, String)>,
    plan: &Plan,
    peak: &PeakAlloc,
) {
    text.push_str(
        "## 000: Malinen and Luukkainen, Figure 1\n\n\
         Peterson's protocol and the semaphore; nested search with monitors (2DFS) against components (SCC), weak and \
         strong fairness.\n\n\
         | the paper says | measured here |\n|---|---|\n\
         | Peterson is live under weak fairness | holds, in every row |\n\
         | the semaphore is live under strong fairness, and not under weak | so it is |\n\
         | Peterson with 4 processes has over 10^5 states | a process has fewer locations here: see the table |\n\
         | 2DFS runs out of memory with 4 processes, after 2 · 10^6 states | the row at which `ndfs` is given up |\n\
         | SCC costs the same under weak and strong fairness of Peterson | the columns `streett` of the first two tables |\n\
         | the semaphore with 12 processes has about 77 000 states | the column of states |\n\
         | strong fairness costs 2DFS a factor of up to 2^k on the semaphore | the last column of its second table |\n\n\
         ![Nodes, nodes a state, time](papers-000.svg)\n\n",
    );
    let report = fairness::report(&plan.fairness, peak);
    text.push_str(&report.tables);
    let note = "An arrow upwards: the run was given up there. Hollow on filled: both notions cost the same.";
    pictures.push(("papers-000.svg", plot::svg(&report.panels, note)));
}

/// The Promela program of the slides, as it stands in the examples.
const SLIDES: &str = include_str!("../../examples/promela/paper/collatz.pml");

fn the_program_of_the_slides(text: &mut String) {
    text.push_str(
        "## 001: Tsay's slides, one program\n\nThe slides draw these automata; the pictures are not in the text at hand. \
         [The page of the book](../../docs/book/paper-automata.md) prints each.\n\n\
         | object | states | edges |\n|---|---:|---:|\n",
    );
    for (name, object) in [
        ("the processes", Object::Processes),
        ("asynchronous product", Object::System),
        ("the same from a Kripke structure", Object::Kripke),
        ("never claim", Object::Negation),
        ("synchronous product", Object::Product),
    ] {
        for automaton in object_of_slides(object) {
            let of = automaton.name().map_or(String::new(), |name| format!(" ({name})"));
            let (states, edges) = (automaton.state_count(), automaton.edge_count());
            let _ = writeln!(text, "| {name}{of} | {states} | {edges} |");
        }
    }
    text.push('\n');
}

fn object_of_slides(object: Object) -> Vec<Automaton> {
    let read = Systems::of_text(&Promela, SLIDES);
    let mut file = read.unwrap_or_else(|wrong| panic!("the program of the slides: {wrong:?}"));
    let which = file.loaded().questions[0].system;
    let Ok(System::Model(system)) = file.system(which) else { panic!("a model") };
    let mut formulas = Formulas::new();
    let parsed = formulas.parse("!(F G \"x < N\")").expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    let assumption = Assumption::of(Notion::None);
    let reading = EventPosition::Leaving;
    let parts =
        Parts { property: Some(&mut property), assumption: &assumption, reading, most: 1_000 };
    let made = objects(system, object, parts, &Options::default());
    made.expect("it makes sense").expect("it is small")
}

/// Engines for Streett automata, with the name of the walk that makes a counterexample.
const WALKS: [(&str, &str); 3] = [
    ("latvala", "lazy, as the paper"),
    ("kesten", "to everything that is asked for"),
    ("streett", "lazy, over calm edges, shortened"),
];

fn streett_components(text: &mut String, pictures: &mut Vec<(&'static str, String)>, plan: &Plan) {
    text.push_str(
        "## 002: Latvala and Heljanko\n\nRandom components in which every pair can be met: time until the counterexample is \
         there, and the length of its loop. The bound on\nthe lazy loop is n · (min(n, 2k) + 1); docs/papers.md 002-13. The \
         paper gives no table; it argues that the lazy walk is shorter than one that visits\nevery *U*.\n\n\
         | nodes | edges | pairs | bound |",
    );
    for (name, _) in WALKS {
        let _ = write!(text, " `{name}`: loop | time |");
    }
    text.push_str("\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    let mut panels = Vec::new();
    for &nodes in plan.components {
        let mut panel = Panel {
            title: format!("Loop, {} nodes", grouped(nodes)),
            x_label: "pairs".to_owned(),
            series: WALKS
                .iter()
                .zip(["#1d4ed8", "#c2410c", "#15803d"])
                .map(|((name, _), colour)| Series {
                    name: (*name).to_owned(),
                    colour,
                    stroke: Stroke::Solid,
                    points: Vec::new(),
                })
                .collect(),
        };
        for &pairs in plan.pairs {
            let automaton = component(nodes, pairs);
            let bound = nodes * (nodes.min(2 * pairs as usize) + 1);
            let edges = grouped(automaton.edge_count());
            let _ = write!(text, "| {} | {edges} | {pairs} | {} |", grouped(nodes), grouped(bound));
            for ((name, _), series) in WALKS.iter().zip(&mut panel.series) {
                let (length, time) = loop_of(&automaton, name);
                assert!(*name != "latvala" || length <= bound, "longer than the bound");
                let _ = write!(text, " {} | {} |", grouped(length), duration(time));
                series.points.push(Point { x: pairs, y: length as f64, at_least: false });
            }
            text.push('\n');
        }
        panels.push(panel);
    }
    text.push_str("\n![Length of the loop over the number of pairs](papers-002.svg)\n\nThe walks:");
    for (name, walk) in WALKS {
        let _ = write!(text, " `{name}`: {walk};");
    }
    text.push_str(
        " the first two are references, which search a copy of each node for every set of marks that \
         leads to it.\n\n",
    );
    pictures.push(("papers-002.svg", plot::svg(&panels, "Steps of the loop that is found.")));
}

/// Length of the loop that an engine finds, and the time until it is there.
fn loop_of(automaton: &Automaton, engine: &str) -> (usize, Duration) {
    let engine = Engine::named(engine).expect("one of the table");
    let (answer, time) =
        timed(|| engine.find_path(&mut automaton.graph()).expect("it decides Streett"));
    (answer.lasso.expect("every pair can be met").cycle.len(), time)
}

/// A strongly connected graph with marks of pairs: each *L* on one edge in 20, each *U* on a single one.
fn component(nodes: usize, pairs: u32) -> Automaton {
    let mut random = Random::new(nodes as u64 ^ u64::from(pairs) << 32);
    let mut builder = Builder::new(vec![]);
    builder.set_acceptance(Acceptance::streett(pairs), 2 * pairs);
    builder.add_states(nodes);
    builder.add_initial(StateId(0));
    let met: Vec<usize> = (0..pairs).map(|_| random.below(nodes)).collect();
    for from in 0..nodes {
        let around = (from + 1) % nodes;
        for target in [around, random.below(nodes), random.below(nodes)] {
            let mut marks: MarkSet =
                (0..pairs).filter(|_| random.below(20) == 0).map(|pair| Mark(2 * pair)).collect();
            if target == around {
                let here = (0u32..).zip(&met).filter(|(_, at)| **at == from);
                here.for_each(|(pair, _)| marks.insert(Mark(2 * pair + 1)));
            }
            let target = StateId::from_index(target);
            builder.add_edge(StateId::from_index(from), Label::TRUE, marks, target);
        }
    }
    builder.build()
}

fn inherent_fairness(text: &mut String, plan: &Plan) {
    text.push_str(
        "## 003: Nicola, Nießner and Ultes-Nitsche\n\nThe paper has no measurements. It argues that the procedure of Section 6 \
         avoids the complement of the naive one, and proposes in Section 9 to ask for live\nstates first. A family on which \
         the sets explode:\n\n",
    );
    let table = inherent::table(plan.inherent);
    // Without the heading of the record.
    text.push_str(table.split_once("\n\n").map_or(table.as_str(), |(_, rest)| rest));
    text.push('\n');
}

/// Number of premises, seconds and states.
type Premise = (usize, &'static str, &'static str);

/// Fairness premises in front of a promise, as in the table of the introduction: weak and strong. Seconds and states of
/// SPIN 4.3 as the paper has them; empty where it gave up.
const PREMISES: [(&str, &[Premise]); 2] = [
    ("weak", &[(1, "0.08", "74"), (3, "4.44", "1 052"), (5, "> 3 600", "–")]),
    (
        "strong",
        &[(1, "0.13", "134"), (2, "1.58", "1 238"), (3, "30.04", "4 850"), (4, "4 689", "–")],
    ),
];

fn event_fairness(text: &mut String, pictures: &mut Vec<(&'static str, String)>, plan: &Plan) {
    text.push_str(
        "## 004: Sun, Liu, Dong and Wang\n\nFairness as premises of a formula (the table of the introduction); here premises \
         become marks of the product.\n\n\
         | premises | n | SPIN 4.3: s | states | here: time | states | marks |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for (kind, rows) in PREMISES {
        for &(n, seconds, states) in rows {
            let (here, time) = premises(kind == "strong", n);
            let (count, constraints) = here;
            let _ = writeln!(
                text,
                "| {kind} | {n} | {seconds} | {states} | {} | {count} | {constraints} |",
                duration(time)
            );
        }
        for n in [10, 20] {
            let ((count, constraints), time) = premises(kind == "strong", n);
            let _ = writeln!(
                text,
                "| {kind} | {n} | – | – | {} | {count} | {constraints} |",
                duration(time)
            );
        }
    }
    text.push_str("\nTable 2:\n\n");
    let report = reduction::report(plan.quick);
    text.push_str(&report.table);
    text.push_str(
        "\nThe ample sets of Figure 3 as printed (`--reduction paper`) on smaller models of the same families. By the paper's \
         own definition a step that changes which\nannotated events are enabled is visible; its table shows the annotated \
         scheduler reduced all the same (docs/papers.md 004-31).\n\n",
    );
    text.push_str(&reduction::as_printed());
    text.push_str("\n![States over the size](papers-004.svg)\n");
    let note =
        "States that were stored until the answer was known. Hollow on filled: nothing is saved.";
    pictures.push(("papers-004.svg", plot::svg(&report.panels, note)));
}

/// States of the automaton of the negation, constraints that were lifted out of it, and the time.
fn premises(strong: bool, n: usize) -> ((usize, usize), Duration) {
    let premise = |at: usize| match strong {
        true => format!("(G F p{at} -> G F q{at})"),
        false => format!("G F p{at}"),
    };
    let all: Vec<String> = (0..n).map(premise).collect();
    let text = format!("!(({}) -> G F q)", all.join(" && "));
    timed(|| {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&text).expect("a formula");
        let options = fairly_translate::Options::default();
        let made = translate_lifted(&mut formulas, parsed, &options).expect("it is small");
        (made.automaton.state_count(), made.constraints.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_has_a_section_and_its_pictures() {
        let peak = PeakAlloc;
        let report = report(&Plan::small(), &peak);
        for heading in ["## 000", "## 001", "## 002", "## 003", "## 004"] {
            assert!(report.text.contains(heading), "{heading}");
        }
        assert!(report.text.contains("| asynchronous product | 6 | 6 |"), "{}", report.text);
        assert!(report.text.contains("| synchronous product | 10 |"), "{}", report.text);
        for (name, picture) in &report.pictures {
            assert!(report.text.contains(name) && picture.starts_with("<svg"), "{name}");
        }
    }
}
