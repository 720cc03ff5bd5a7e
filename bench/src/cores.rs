//! The table `bench/record/cores.md`: several workers against the best sequential engine.
//!
//! Every row is a question about one model. It is answered by the sequential engine first, then by the parallel one with
//! more and more workers, all in one run of the program. Times are those of the clock on the wall. States and answers
//! are asserted to be the same.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::workers::Workers;
use fairly_check::{
    Assumption, ModelSystem, Options, Outcome, Reduction, System, SystemIndex, Systems, check,
};
use fairly_explore::breadth::{Breadth, Ended, Everything, Pace};
use fairly_fairness::{Level, Notion};
use fairly_front::promela::Promela;
use fairly_reduce::Reduced;
use fairly_search::engines::{Engine, Procedure};
use fairly_search::{Bounds, reach};

use crate::native::models;
use crate::plot::{Panel, Point, Series, Stroke};
use crate::units::{duration, grouped};

/// How the benchmark is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Numbers of workers, ascending.
    pub workers: Vec<usize>,
    /// No row is begun after so long.
    pub limit: Duration,
    /// How long one answer may take.
    pub each: Option<Duration>,
    /// Rows whose names contain this.
    pub only: Option<String>,
    /// Where the plot goes.
    pub picture: Option<String>,
}

impl Plan {
    /// The plan of a command line.
    ///
    /// # Errors
    /// With a sentence if it is none.
    pub fn of(arguments: &[String]) -> Result<Plan, String> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let workers = [1, 2, 4, 8, 16].into_iter().filter(|&count| count <= cores.max(2)).collect();
        let limit = Duration::from_secs(3600);
        let mut plan = Plan { workers, limit, each: None, only: None, picture: None };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            let seconds = |text: &String| {
                let seconds = text.parse().map_err(|wrong| format!("{argument}: {wrong}"));
                seconds.map(Duration::from_secs)
            };
            match argument.as_str() {
                "--workers" => {
                    let counts = value()?.split(',').map(str::parse);
                    let counts: Result<Vec<usize>, _> = counts.collect();
                    plan.workers = counts.map_err(|wrong| format!("--workers: {wrong}"))?;
                }
                "--seconds" => plan.limit = seconds(value()?)?,
                "--each" => plan.each = Some(seconds(value()?)?),
                "--only" => plan.only = Some(value()?.clone()),
                other if other.starts_with('-') => return Err(format!("`{other}` is no option")),
                picture => plan.picture = Some(picture.to_owned()),
            }
        }
        Ok(plan)
    }
}

/// Memory that the program has.
pub trait Peak {
    /// Forgets the most that it has had.
    fn reset(&self);

    /// The most bytes that it has had since then.
    fn peak(&self) -> usize;
}

impl Peak for peak_alloc::PeakAlloc {
    fn reset(&self) {
        self.reset_peak_usage();
    }

    fn peak(&self) -> usize {
        self.peak_usage()
    }
}

/// The table and the plot.
#[derive(Clone, Debug)]
pub struct Report {
    /// As Markdown.
    pub table: String,
    /// Speed-up against workers.
    pub panels: Vec<Panel>,
}

/// A question about a model.
struct Row {
    name: &'static str,
    text: String,
    question: Question,
    /// The colour of its curve, and the panel it is in.
    colour: &'static str,
    panel: &'static str,
}

#[derive(Clone, Copy)]
enum Question {
    /// How many states are there?
    All,
    /// Is there a run to an error?
    Error,
    /// Does a formula hold under fairness? With the answer.
    Formula(&'static str, Notion, bool),
}

/// Processes that count, and one that goes to and fro: a small component for each combination of numbers.
fn counters(n: usize, most: usize) -> String {
    format!(
        "byte count[{n}];
bool on;
active [{n}] proctype Counter() {{
    do
    :: d_step {{ count[_pid] < {most} -> count[_pid]++ }}
    od
}}
active proctype Switch() {{
    do
    :: on = !on
    od
}}
ltl switched {{ [] <> on }}
ltl begun {{ [] <> on -> [] <> (on || count[0] > 0) }}
"
    )
}

/// The same with an error in one combination far from the start, that no order of the processes comes to soon.
fn hidden(n: usize, most: usize) -> String {
    let wanted: Vec<String> =
        (0..n).map(|at| format!("count[{at}] == {}", (3 * at + 4) % most)).collect();
    let text = counters(n, most);
    let begin = text.find("ltl").expect("it has formulas");
    let watcher =
        format!("active proctype Watcher() {{\n    !({});\n    assert(false)\n}}\n", "true");
    let watcher = watcher.replace("!(true)", &wanted.join(" && "));
    text[..begin].to_owned() + &watcher
}

fn weak() -> Notion {
    Notion::Weak(Level::Process)
}

fn strong() -> Notion {
    Notion::Strong(Level::Process)
}

/// All rows; those that tell most come first.
fn rows() -> Vec<Row> {
    let row = |panel, name, colour, text: &str, question| Row {
        name,
        text: text.to_owned(),
        question,
        colour,
        panel,
    };
    let semaphore = |n| {
        let mut text = models::semaphore(n).text;
        text.push_str("ltl both { [] <> (Process[0]@waiting && Process[1]@inside) }\n");
        text
    };
    let (million, some, more) = (semaphore(17), semaphore(18), semaphore(20));
    let formula = Question::Formula;
    vec![
        row(
            "states",
            "scheduler, 20 million",
            "#1d4ed8",
            &models::scheduler(19).text,
            Question::All,
        ),
        row("fair", "one giant, strong, holds", "#b91c1c", &more, formula("first", strong(), true)),
        row(
            "fair",
            "one giant, 4 million, strong, holds",
            "#be185d",
            &some,
            formula("first", strong(), true),
        ),
        row(
            "formulas",
            "one giant, holds",
            "#15803d",
            &more,
            formula("someone", Notion::None, true),
        ),
        row(
            "formulas",
            "many small, holds",
            "#a16207",
            &counters(7, 9),
            formula("begun", Notion::None, true),
        ),
        row("states", "Peterson, 6 processes", "#0f766e", &models::peterson(6).text, Question::All),
        row(
            "fair",
            "Peterson, weak, holds",
            "#7c3aed",
            &models::peterson(6).text,
            formula("live", weak(), true),
        ),
        row(
            "fair",
            "many small, weak, holds",
            "#a16207",
            &counters(6, 9),
            formula("switched", weak(), true),
        ),
        row(
            "formulas",
            "one giant, 10⁶, holds",
            "#84cc16",
            &million,
            formula("someone", Notion::None, true),
        ),
        row(
            "fair",
            "one giant, 10⁶, strong, holds",
            "#f97316",
            &million,
            formula("first", strong(), true),
        ),
        row(
            "states",
            "scheduler, 2 million",
            "#60a5fa",
            &models::scheduler(16).text,
            Question::All,
        ),
        row("states", "hidden error", "#db2777", &hidden(6, 9), Question::Error),
        row(
            "formulas",
            "one giant, violated",
            "#0891b2",
            &more,
            formula("first", Notion::None, false),
        ),
        row("fair", "one giant, weak, violated", "#0891b2", &more, formula("first", weak(), false)),
        row(
            "fair",
            "one giant, strong, violated",
            "#475569",
            &more,
            formula("both", strong(), false),
        ),
    ]
}

/// Result of one run.
struct Run {
    time: Duration,
    /// States or nodes.
    size: usize,
    peak: usize,
}

fn read(text: &str) -> Systems {
    Systems::of_text(&Promela, text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"))
}

fn system(systems: &mut Systems) -> &mut ModelSystem {
    match systems.system(SystemIndex::ONLY) {
        Ok(System::Model(system)) => system,
        _ => panic!("a model in Promela has one system"),
    }
}

/// Answers a question, by the sequential engine or with so many workers; none if that takes longer than it may.
fn run(row: &Row, workers: Option<usize>, each: Option<Duration>, peak: &dyn Peak) -> Option<Run> {
    let mut file = read(&row.text);
    let count = NonZeroUsize::new(workers.unwrap_or(1)).expect("at least one");
    let several = Workers { count, ..Workers::default() };
    let mut bound = match row.question {
        Question::Formula(name, ..) => {
            let mut questions = file.loaded().questions.iter();
            let at = questions.position(|it| it.title == name).expect("a formula of the model");
            Some(file.bind(at).expect("it is about the model"))
        }
        _ => None,
    };
    let system = system(&mut file);
    system.prepare_natively();
    peak.reset();
    let started = Instant::now();
    let deadline = each.map(|each| started + each);
    let bounds = Bounds { deadline, ..Bounds::default() };
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let size = match (row.question, workers) {
        (Question::All, None) => {
            let size = reach::count(system, bounds);
            if is_late() {
                return None;
            }
            size.expect("it was in time").states
        }
        (Question::All, Some(workers)) => {
            let space = Reduced::whole(system).shared().expect("a model has rows");
            let breadth = Breadth {
                workers,
                memory: 1 << 38,
                states: None,
                stop: bounds.stop(),
                pace: Pace::default(),
            };
            let (ended, size) = breadth.search(&*space, &Everything);
            if is_late() {
                return None;
            }
            assert!(matches!(ended, Ended::Exhausted), "{}: {ended:?}", row.name);
            size.states
        }
        (Question::Error, _) => {
            let reduction = Reduction::Off;
            let effort =
                Effort { bounds, reduction, any_run: true, workers: several, ..Effort::default() };
            let verdict = claim::faultless(system, &[], |_| None, effort).expect("confirmed");
            if is_late() {
                return None;
            }
            let is_violated = matches!(verdict.outcome, ClaimOutcome::Violated(_));
            assert!(is_violated, "{}: {:?}", row.name, verdict.outcome);
            verdict.size.map_or(0, |size| size.states)
        }
        (Question::Formula(name, notion, holds), _) => {
            let question = bound.as_mut().expect("it was bound");
            let property = question.property().expect("a formula is a property");
            // The parallel engine is chosen where one worker would not be given to it.
            let engine = (workers == Some(1)).then(|| Engine::of(Procedure::Shared));
            let reduction = Reduction::Local;
            let options = Options {
                bounds,
                engine,
                reduction,
                any_run: true,
                workers: several,
                ..Options::default()
            };
            let verdict = check(system, property, &Assumption::of(notion), &options);
            if is_late() {
                return None;
            }
            let verdict = verdict.expect("an engine is there");
            let same = matches!(verdict.outcome, Outcome::Holds(_)) == holds
                && !matches!(verdict.outcome, Outcome::Unknown(_));
            assert!(same, "{} {name}: {:?}", row.name, verdict.outcome);
            verdict.stamp.product.0
        }
    };
    let time = started.elapsed();
    Some(Run { time, size, peak: peak.peak() })
}

/// Runs all rows.
///
/// # Panics
/// If an answer is wrong.
pub fn report(plan: &Plan, peak: &dyn Peak) -> Report {
    let begun = Instant::now();
    let mut table = String::from(
        "| question | nodes | sequential | memory | workers | time | speed-up | memory ÷ sequential |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut panels: Vec<Panel> = ["states", "formulas", "fair"]
        .map(|title| Panel {
            title: title.to_owned(),
            x_label: "workers".to_owned(),
            series: Vec::new(),
        })
        .into();
    let chosen = |row: &Row| plan.only.as_ref().is_none_or(|only| row.name.contains(only.as_str()));
    for row in rows().iter().filter(|row| chosen(row)) {
        if begun.elapsed() > plan.limit {
            let _ = writeln!(table, "| {} | not run: the time was up | | | | | | |", row.name);
            continue;
        }
        let over = plan.each.map_or_else(String::new, |each| format!("> {}", duration(each)));
        let alone = run(row, None, plan.each, peak);
        let mut points = Vec::new();
        for &workers in &plan.workers {
            let several = run(row, Some(workers), plan.each, peak);
            if let (Question::All, Some(several), Some(alone)) = (row.question, &several, &alone) {
                assert_eq!(several.size, alone.size, "{}: states", row.name);
            }
            let time =
                |run: &Option<Run>| run.as_ref().map_or(over.clone(), |it| duration(it.time));
            let ratio =
                |of: &dyn Fn(&Run, &Run) -> f64| Some(of(alone.as_ref()?, several.as_ref()?));
            let speedup = ratio(&|alone, run| alone.time.as_secs_f64() / run.time.as_secs_f64());
            let memory = ratio(&|alone, run| run.peak as f64 / alone.peak.max(1) as f64);
            let shown =
                |ratio: Option<f64>| ratio.map_or("–".to_owned(), |it| format!("{it:.2}"));
            let known = alone.as_ref().or(several.as_ref());
            let line = format!(
                "| {} | {} | {} | {} | {workers} | {} | {} | {} |",
                row.name,
                known.map_or("–".to_owned(), |run| grouped(run.size)),
                time(&alone),
                alone.as_ref().map_or("–".to_owned(), |run| format!("{} MB", run.peak >> 20)),
                time(&several),
                shown(speedup),
                shown(memory),
            );
            eprintln!("{line}");
            table.push_str(&line);
            table.push('\n');
            let x = u32::try_from(workers).unwrap_or(u32::MAX);
            points.extend(speedup.map(|y| Point { x, y, at_least: false }));
        }
        let series =
            Series { name: row.name.to_owned(), colour: row.colour, stroke: Stroke::Solid, points };
        if let Some(panel) = panels.iter_mut().find(|panel| panel.title == row.panel) {
            panel.series.push(series);
        }
    }
    panels.retain(|panel| !panel.series.is_empty());
    Report { table, panels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read() {
        let arguments = ["x.svg", "--workers", "1,2", "--seconds", "9", "--each", "3"];
        let plan = Plan::of(&arguments.map(str::to_owned)).expect("a plan");
        assert_eq!((plan.workers, plan.limit.as_secs()), (vec![1, 2], 9));
        assert_eq!(plan.each, Some(Duration::from_secs(3)));
        assert_eq!(plan.picture.as_deref(), Some("x.svg"));
        assert!(Plan::of(&["--seconds".to_owned()]).is_err());
    }

    #[test]
    fn models_are_read() {
        for text in [counters(3, 4), hidden(3, 4)] {
            read(&text);
        }
    }
}
