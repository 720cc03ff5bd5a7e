//! The tables `bench/record/fairness.md`, and the points of their plot: the engines `ndfs`, with a
//! monitor automaton for every strong constraint, and `streett`, which decides fairness in the
//! search, side by side on the systems of Malinen and Luukkainen (2003).
//!
//! Nodes, steps and bytes do not depend on how busy the machine is; time does, see [`timed`].

use std::fmt::Write;
use std::time::{Duration, Instant};

use fairly_explore::Explored;
use fairly_fairness::Strength;
use fairly_logic::Formulas;
use fairly_omega::Automaton;
use fairly_omega::emptiness::{self, Algorithm};
use fairly_search::engines::{Engine, Procedure};
use fairly_search::{Binding, Bounded, Bounds, Negation, Product};
use fairly_system::{EventSet, Network, TransitionSystem};
use fairly_translate::{Options, translate};
use peak_alloc::PeakAlloc;

use crate::clock::timed;
use crate::growth::{Growing, Measured};
use crate::plot::{Panel, Point, Series, Stroke};
use crate::spin;
use crate::systems::{Family, constraints};
use crate::units::{bytes, duration, grouped};

/// The engines compared, in the order of the columns.
const COMPARED: [Algorithm; 2] = [Algorithm::NestedDfs, Algorithm::Streett];

/// Their rows in the table of engines.
fn engines() -> [&'static Engine; 2] {
    COMPARED.map(|algorithm| Engine::of(Procedure::Emptiness(algorithm)))
}

/// The notions, in the order of the tables.
const NOTIONS: [Strength; 2] = [Strength::Weak, Strength::Strong];

/// Systems and engines to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// A run that visits more nodes than this is given up, and its engine is not asked about more
    /// processes.
    pub nodes: usize,
    /// The same for one that takes longer.
    pub limit: Option<Duration>,
    /// How many processes at the most, Peterson's and the semaphore's.
    pub processes: [usize; 2],
}

impl Default for Plan {
    /// The recorded benchmark: the semaphore as far as the paper went, Peterson's until nothing is left.
    fn default() -> Self {
        Plan { nodes: 3_000_000, limit: None, processes: [7, 12] }
    }
}

/// The tables and what is drawn of them.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In Markdown.
    pub tables: String,
    /// Nodes, nodes a state of the system, and time, over the number of processes: three for each
    /// system.
    pub panels: Vec<Panel>,
    /// What `streett` needed for each system and notion under which the property holds.
    pub growth: Vec<Growing>,
}

/// One run of one engine.
#[derive(Clone, Copy, Debug)]
struct Cost {
    nodes: usize,
    steps: usize,
    bytes: usize,
    time: Duration,
    /// Whether the property holds; `None` when the run was given up.
    holds: Option<bool>,
}

/// Costs of one engine on one system, by number of processes from 2 on; `None` once it has been given up.
type Column = Vec<Option<Cost>>;

/// The automaton of what the property forbids, and what its propositions mean.
fn negation(network: &Explored<Network>, property: &str) -> (Automaton, Vec<Binding>) {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(property).expect("the property is well formed");
    let negated = formulas.negate(formula);
    let automaton = translate(&mut formulas, negated, &Options::default()).expect("it is small");
    let signature = network.signature();
    let events = |pattern: &str| EventSet::matching(pattern, signature);
    let atoms = formulas.atoms(negated);
    let bindings =
        atoms.iter().map(|&atom| Binding::Event(events(formulas.atom_of(atom).text()))).collect();
    (automaton, bindings)
}

/// One run: everything from the components on is counted.
fn run(family: Family, n: usize, strength: Strength, engine: &Engine, plan: &Plan) -> Cost {
    let mut network = family.network(n);
    let constraints = constraints(&network, n, strength);
    let (automaton, bindings) = negation(&network, family.property());
    let ((answer, cut), time) = timed(|| {
        let negation = Negation::new(&automaton, bindings);
        let mut product = Product::new(&mut network, negation, constraints);
        let deadline = plan.limit.map(|limit| Instant::now() + limit);
        let bounds = Bounds { nodes: Some(plan.nodes), deadline, ..Bounds::default() };
        let mut bounded = Bounded::new(&mut product, bounds);
        let answer = engine.find_path(&mut bounded).expect("the engine decides this");
        (answer, bounded.cut())
    });
    let holds = match (answer.lasso, cut) {
        (Some(_), _) => Some(false),
        (None, None) => Some(true),
        (None, Some(_)) => None,
    };
    let emptiness::Effort { nodes, steps, .. } = answer.effort;
    Cost { nodes, steps, bytes: 0, time, holds }
}

/// Runs until the time is believable, and asserts the verdict.
fn measure(
    family: Family,
    n: usize,
    strength: Strength,
    engine: &Engine,
    plan: &Plan,
    peak: &PeakAlloc,
) -> Cost {
    peak.reset_peak_usage();
    let before = peak.current_usage();
    let mut cost = run(family, n, strength, engine, plan);
    cost.bytes = peak.peak_usage().saturating_sub(before);
    let Some(holds) = cost.holds else { return cost };
    let right = family.holds(strength);
    assert_eq!(holds, right, "{} on {family} {n} under {strength} fairness", engine.name);
    cost.time = best(cost.time, || run(family, n, strength, engine, plan).time);
    cost
}

/// The best time of three, and of ten where that costs little: short runs are told from noise only
/// so. A run that takes very long is not repeated.
fn best(first: Duration, again: impl Fn() -> Duration) -> Duration {
    let repeats = match first.as_secs_f64() {
        seconds if seconds < 0.2 => 9,
        seconds if seconds < 10.0 => 2,
        _ => 0,
    };
    (0..repeats).map(|_| again()).fold(first, Duration::min)
}

/// All states that can be reached, if there are not too many.
fn states(family: Family, n: usize, most: usize) -> Option<usize> {
    let mut network = family.network(n);
    let mut open = network.initial();
    let (mut seen, mut steps) = (open.len(), Vec::new());
    while let Some(state) = open.pop() {
        steps.clear();
        network.enabled(state, &mut steps);
        for step in &steps {
            if step.target.index() >= seen {
                seen = step.target.index() + 1;
                open.push(step.target);
            }
        }
        if seen > most {
            return None;
        }
    }
    Some(seen)
}

/// Runs everything; `peak` is the program's allocator.
///
/// # Panics
/// If an engine gives a wrong answer: a benchmark of wrong answers is worth nothing.
pub fn report(plan: &Plan, peak: &PeakAlloc) -> Report {
    let mut report = Report::default();
    for (family, most) in Family::ALL.into_iter().zip(plan.processes) {
        let mut columns: Vec<(Strength, &Engine, Column)> = Vec::new();
        for strength in NOTIONS {
            for engine in engines() {
                let mut column: Column = Vec::new();
                for n in 2..=most {
                    let given_up =
                        column.last().is_some_and(|last| last.is_none_or(|c| c.holds.is_none()));
                    column.push(
                        (!given_up).then(|| measure(family, n, strength, engine, plan, peak)),
                    );
                }
                columns.push((strength, engine, column));
            }
        }
        let states: Vec<Option<usize>> =
            (2..=most).map(|n| states(family, n, plan.nodes)).collect();
        for strength in NOTIONS {
            let side_by_side: Vec<&Column> = columns
                .iter()
                .filter(|column| column.0 == strength)
                .map(|(_, _, column)| column)
                .collect();
            table(&mut report.tables, family, strength, &states, &side_by_side, plan);
        }
        report.panels.extend(panels(family, &columns, &states));
        report.growth.extend(columns.iter().filter_map(|column| growing(family, column)));
    }
    report.tables.push_str(&against_spin(plan));
    report
}

/// How an engine grows over the sizes that it finished, where it has to search everything.
fn growing(family: Family, column: &(Strength, &Engine, Column)) -> Option<Growing> {
    let (strength, engine, costs) = column;
    if engine.name != "streett" || !family.holds(*strength) {
        return None;
    }
    let finished = costs.iter().flatten().filter(|cost| cost.holds.is_some());
    let measured = finished.map(|cost| Measured {
        states: cost.nodes,
        seconds: cost.time.as_secs_f64(),
        bytes: cost.bytes,
    });
    Some(Growing {
        family: format!("{family}, {strength} fairness, `streett`"),
        measured: measured.collect(),
    })
}

fn table(
    out: &mut String,
    family: Family,
    strength: Strength,
    states: &[Option<usize>],
    columns: &[&Column],
    plan: &Plan,
) {
    let verdict = if family.holds(strength) { "holds" } else { "violated" };
    let _ = writeln!(
        out,
        "### {family}, {strength} fairness: `{}` {verdict}\n\n\
         | n | states | ndfs: nodes | steps | memory | time | streett: nodes | steps | memory | \
         time | nodes, ndfs ÷ streett |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        family.property()
    );
    for (at, states) in states.iter().enumerate() {
        let costs: Vec<Option<Cost>> = columns.iter().map(|column| column[at]).collect();
        if costs.iter().all(Option::is_none) {
            continue;
        }
        let states = states.map_or(format!("> {}", grouped(plan.nodes)), grouped);
        let _ = write!(out, "| {} | {states} |", at + 2);
        for cost in &costs {
            let _ = match cost {
                None => write!(out, " – | – | – | – |"),
                Some(cost) => {
                    let more = if cost.holds.is_none() { "> " } else { "" };
                    write!(
                        out,
                        " {more}{} | {more}{} | {more}{} | {more}{} |",
                        grouped(cost.nodes),
                        grouped(cost.steps),
                        bytes(cost.bytes),
                        duration(cost.time)
                    )
                }
            };
        }
        let _ = match costs[..] {
            [Some(ndfs), Some(streett)] if streett.holds.is_some() => {
                let more = if ndfs.holds.is_none() { "> " } else { "" };
                let ratio = ndfs.nodes as f64 / streett.nodes as f64;
                writeln!(out, " {more}{ratio:.1} |")
            }
            _ => writeln!(out, " – |"),
        };
    }
    out.push('\n');
}

/// Nodes, nodes a state of the system, and time over n.
fn panels(
    family: Family,
    columns: &[(Strength, &Engine, Column)],
    states: &[Option<usize>],
) -> [Panel; 3] {
    let series = |value: &dyn Fn(&Cost, Option<usize>) -> Option<f64>| -> Vec<Series> {
        columns
            .iter()
            .map(|(strength, engine, column)| Series {
                name: format!("{}, {strength}", engine.name),
                colour: if engine.name == "ndfs" { "#c2410c" } else { "#1d4ed8" },
                stroke: match strength {
                    Strength::Weak => Stroke::Dashed,
                    Strength::Strong => Stroke::Solid,
                },
                points: (2u32..)
                    .zip(column.iter().zip(states))
                    .filter_map(|(x, (cost, &states))| {
                        let cost = cost.as_ref()?;
                        let y = value(cost, states)?;
                        Some(Point { x, y, at_least: cost.holds.is_none() })
                    })
                    .collect(),
            })
            .collect()
    };
    let panel = |what: &str, series| Panel {
        title: format!("{family}: {what}"),
        x_label: "processes".to_owned(),
        series,
    };
    let nodes = |cost: &Cost| cost.nodes as f64;
    [
        panel("product nodes visited", series(&|cost, _| Some(nodes(cost)))),
        panel(
            "nodes per system state",
            series(&|cost, states| states.map(|states| nodes(cost) / states as f64)),
        ),
        panel("time in seconds", series(&|cost, _| Some(cost.time.as_secs_f64()))),
    ]
}

/// The peer on the system that needs no more than weak fairness.
fn against_spin(plan: &Plan) -> String {
    let mut out = String::from("### Against SPIN: Peterson, weak fairness\n\n");
    let mut rows = String::new();
    let engine = Engine::general();
    for n in 2..=plan.processes[0] {
        let ours = run(Family::Peterson, n, Strength::Weak, engine, plan);
        if ours.holds.is_none() {
            break;
        }
        let time = best(ours.time, || run(Family::Peterson, n, Strength::Weak, engine, plan).time);
        let theirs = match spin::peterson(n) {
            Ok(theirs) => theirs,
            Err(why) => {
                let _ = writeln!(out, "Skipped: {why}.");
                return out;
            }
        };
        let _ = writeln!(
            rows,
            "| {n} | {} | {} | {} | {} | {} | {:.2} |",
            grouped(theirs.stored),
            grouped(theirs.visited),
            duration(theirs.time),
            grouped(ours.nodes),
            duration(time),
            time.as_secs_f64() / theirs.time.as_secs_f64().max(0.001),
        );
    }
    out.push_str(
        "| n | SPIN: states stored | visited | time | streett: nodes | time | time, streett ÷ SPIN |\n\
         |---:|---:|---:|---:|---:|---:|---:|\n",
    );
    out + &rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_give_the_verdict_of_the_paper() {
        for (family, most) in Family::ALL.into_iter().zip([3, 5]) {
            for n in 2..=most {
                for strength in NOTIONS {
                    for engine in engines() {
                        let cost = run(
                            family,
                            n,
                            strength,
                            engine,
                            &Plan { nodes: usize::MAX, ..Plan::default() },
                        );
                        assert_eq!(
                            cost.holds,
                            Some(family.holds(strength)),
                            "{} on {family} {n} under {strength} fairness",
                            engine.name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_with_monitors_can_be_given_up() {
        let engine = Engine::of(Procedure::Emptiness(Algorithm::NestedDfs));
        // 48 states, 2⁵ times as many with monitors.
        let cost = run(
            Family::Semaphore,
            4,
            Strength::Strong,
            engine,
            &Plan { nodes: 200, ..Plan::default() },
        );
        assert_eq!((cost.holds, cost.nodes), (None, 200));
    }
}
