//! 002: lengths of counterexamples in random components, and times.

use std::fmt::Write;
use std::time::Duration;

use fairly_omega::Automaton;
use fairly_search::engines::Engine;

use crate::clock::timed;
use crate::lazy::{Component, Shape, shortest};
use crate::plot::{self, Panel, Point, Series, Stroke};
use crate::units::{duration, grouped};

use super::{Pictures, Plan};

/// Pairs of the rows.
const PAIRS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Pairs of a vertex and a set of marks up to which a shortest loop is looked for.
const EXACT: usize = 1 << 16;

/// Engines whose time is measured, and their walks.
const TIMED: [&str; 3] = ["latvala", "kesten", "streett"];

pub(super) fn section(text: &mut String, pictures: &mut Pictures, plan: &Plan) {
    text.push_str(
        "## 002: Latvala and Heljanko\n\nThe paper has no measurements. It gives a lazy counterexample, bounded by n · min(n, 2k) steps, and suspects \
         that it is shorter in practice\nthan the one of Kesten, Pnueli and Raviv, which visits every *U* and is bounded by n · min(n, k). Both are \
         measured here on random components\nin which every pair can be met.\n\n",
    );
    lengths(text, pictures, plan);
    times(text, plan);
    text.push_str(
        "**What agrees.** The lazy walk is shorter than the one that visits every *U* on every row, as the paper suspects, and all walks stay far below \
         the bounds. The shortest loop\nis shorter still; it can be had only while pairs are few, since finding it is NP-complete (the paper cites the proof).\n\n\
         **What does not.** As printed, the walk does not always end: where a *U* is met before its *L*, a counter is never taken down and the queue \
         runs empty (002-9). The column\n*as printed* says of how many components that is so. The repair costs nothing. The bound forgets the way back to \
         the root (002-13): n · (min(n, 2k) + 1).\n\n\
         **Time.** The paper's emptiness check takes O((m + bits) · min(n, k)). The engine `latvala` follows the paper and keeps marks on vertices, so a \
         vertex is copied for every\nset of marks that leads to it (002-14); `streett` keeps them on edges and does not copy.\n\n",
    );
}

/// Sums of lengths over components.
#[derive(Default)]
struct Lengths {
    printed: usize,
    ended: usize,
    repaired: usize,
    everything: usize,
    ours: usize,
    shortest: usize,
}

fn lengths(text: &mut String, pictures: &mut Pictures, plan: &Plan) {
    let _ = writeln!(
        text,
        "Steps of the loop, on average over {} components with three edges a vertex; one vertex in ten belongs to an *L*.\n\n\
         | vertices | pairs | as printed: ends | steps | repaired | every *U* | shortened | shortest | bound |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        plan.components
    );
    let mut panels = Vec::new();
    for &vertices in plan.vertices {
        let names = ["lazy, repaired", "every U", "shortened"];
        let colours = ["#1d4ed8", "#c2410c", "#15803d"];
        let mut series: Vec<Series> = names
            .iter()
            .zip(colours)
            .map(|(name, colour)| Series {
                name: (*name).to_owned(),
                colour,
                stroke: Stroke::Solid,
                points: Vec::new(),
            })
            .collect();
        for pairs in PAIRS {
            let shape = Shape { vertices, degree: 3, pairs, one_in: 10 };
            let bound = vertices * (vertices.min(2 * pairs as usize) + 1);
            let is_exact = vertices << (2 * pairs).min(40) <= EXACT;
            let mut sum = Lengths::default();
            for seed in 0..plan.components {
                add(&mut sum, &Component::random(shape, seed), bound, is_exact);
            }
            let mean = |steps: usize, count: usize| match count {
                0 => "–".to_owned(),
                count => format!("{:.1}", steps as f64 / count as f64),
            };
            let all = plan.components as usize;
            let _ = writeln!(
                text,
                "| {vertices} | {pairs} | {} of {all} | {} | {} | {} | {} | {} | {} |",
                sum.ended,
                mean(sum.printed, sum.ended),
                mean(sum.repaired, all),
                mean(sum.everything, all),
                mean(sum.ours, all),
                if is_exact { mean(sum.shortest, all) } else { "–".to_owned() },
                grouped(bound),
            );
            for (series, steps) in series.iter_mut().zip([sum.repaired, sum.everything, sum.ours]) {
                let y = steps as f64 / all as f64;
                series.points.push(Point { x: pairs, y, at_least: false });
            }
        }
        panels.push(Panel {
            title: format!("Steps of the loop, {vertices} vertices"),
            x_label: "pairs".to_owned(),
            series,
        });
    }
    text.push_str(
        "\n*shortened* is the walk of the engine `streett`, which is shortened after it was found; *shortest* looks at all loops, where there are not too \
         many.\n\n![Steps of the loop over the number of pairs](@PICTURES@/papers-002.svg)\n\n",
    );
    pictures.push((
        "papers-002.svg",
        plot::svg(&panels, "Steps of the loop that is found, on average."),
    ));
}

fn add(sum: &mut Lengths, component: &Component, bound: usize, is_exact: bool) {
    if let Some(steps) = component.lazy_walk(false) {
        sum.printed += steps;
        sum.ended += 1;
    }
    let repaired = component.lazy_walk(true).expect("the component is good");
    assert!(repaired <= bound, "longer than the bound");
    sum.repaired += repaired;
    let automaton = component.automaton();
    sum.everything += loop_of(&automaton, "kesten").0;
    let ours = loop_of(&automaton, "streett").0;
    sum.ours += ours;
    if is_exact {
        let least = shortest(component);
        assert!(least <= ours && least <= repaired, "shorter than the shortest");
        sum.shortest += least;
    }
}

fn times(text: &mut String, plan: &Plan) {
    let _ = write!(
        text,
        "Time until the counterexample is there, against pairs and edges; given up after {} s.\n\n| vertices | edges | pairs |",
        plan.seconds
    );
    for name in TIMED {
        let _ = write!(text, " `{name}` |");
    }
    text.push_str("\n|---:|---:|---:|---:|---:|---:|\n");
    let with = |vertices, degree, pairs| Shape { vertices, degree, pairs, one_in: 10 };
    let mut shapes: Vec<Shape> = plan.pairs.iter().map(|&it| with(plan.large, 3, it)).collect();
    shapes.extend([2, 6, 12, 24].map(|degree| with(plan.large, degree, 8)));
    shapes.extend([plan.large / 10, plan.large * 10].map(|vertices| with(vertices, 3, 8)));
    for shape in shapes {
        let component = Component::random(shape, 0);
        let automaton = component.automaton();
        let (vertices, edges) = (grouped(shape.vertices), grouped(component.edge_count()));
        let _ = write!(text, "| {vertices} | {edges} | {} |", shape.pairs);
        for name in TIMED {
            // A copy of a vertex for every set of marks that leads to it: hopeless for the references when large.
            let copies = shape.vertices * shape.degree.min(1 << shape.pairs.min(20));
            let cell = match name {
                "streett" => duration(loop_of(&automaton, name).1),
                _ if copies > plan.copies => "not tried".to_owned(),
                _ => duration(loop_of(&automaton, name).1),
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Length of the loop that an engine finds, and the time until it is there.
fn loop_of(automaton: &Automaton, engine: &str) -> (usize, Duration) {
    let engine = Engine::named(engine).expect("one of the table");
    let (answer, time) =
        timed(|| engine.find_path(&mut automaton.graph()).expect("it decides Streett"));
    (answer.lasso.expect("every pair can be met").cycle.len(), time)
}
