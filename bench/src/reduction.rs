//! Savings by reductions: the table of a paper again, on models written here.
//!
//! The paper is 004 of `docs/papers.md` (Table 2): dining philosophers, Milner's scheduler, and readers and
//! writers, each with and without fairness of events, with and without reduction.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fairly_check::{
    Assumption, CheckError, Options, Outcome, Property, Reduction, System, Systems, check,
};
use fairly_fairness::{AnnotationLevel, Notion};
use fairly_front::csp::Csp;
use fairly_logic::Formulas;
use fairly_search::Bounds;
use fairly_system::EventPosition;
use peak_alloc::PeakAlloc;

use crate::clock::timed;
use crate::growth::{Growing, Measured};
use crate::plot::{Panel, Point, Series, Stroke};
use crate::units::{duration, grouped};

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// Leaves out what takes long.
    pub is_quick: bool,
    /// After so long nothing is said of a model, nor of larger ones of its family. The paper does not say when it gave
    /// up.
    pub limit: Duration,
    /// The program's allocator, where memory is to be known.
    pub peak: Option<&'a PeakAlloc>,
}

impl Plan<'_> {
    /// What `bench/record/reduction.md` has.
    pub fn recorded(is_quick: bool) -> Self {
        Plan { is_quick, limit: Duration::from_secs(30), peak: None }
    }
}

/// And with so much memory.
const MEMORY: usize = 4 << 30;

/// A family of models.
struct Family {
    name: &'static str,
    formula: &'static str,
    /// The model of some size, without fairness and with it.
    text: fn(usize, bool) -> String,
    /// The sizes, each with what the paper says: seconds without reduction and with it, without fairness;
    /// then with fairness. The empty string is what it did not finish.
    sizes: &'static [(usize, [&'static str; 4])],
    /// Smaller sizes, for the picture only.
    drawn: &'static [usize],
}

const FAMILIES: [Family; 3] = [
    Family {
        name: "College",
        formula: "G F eat.0",
        text: college,
        sizes: &[
            (7, ["< 1", "< 1", "10.3", "11.3"]),
            (9, ["< 1", "< 1", "469.1", "504.4"]),
            (11, ["4.2", "< 1", "", ""]),
            (13, ["25.6", "< 1", "", ""]),
            (15, ["", "< 1", "", ""]),
        ],
        drawn: &[3, 5],
    },
    Family {
        name: "Milner_Cyclic",
        formula: "G F work.0",
        text: milner,
        sizes: &[
            (10, ["17.8", "< 1", "17.7", "< 1"]),
            (12, ["322.9", "< 1", "283.3", "< 1"]),
            (100, ["", "3.3", "", "3.4"]),
            (200, ["", "17.6", "", "18.1"]),
            (400, ["", "118.4", "", "119.2"]),
            (800, ["", "", "", ""]),
        ],
        drawn: &[4, 6, 8],
    },
    Family {
        name: "ReadersWriters",
        formula: "G safe",
        text: readers_writers,
        sizes: &[
            (100, ["", "4.3", "", "3.9"]),
            (200, ["", "37.3", "", "29.1"]),
            (400, ["", "251.3", "", "257.1"]),
            (800, ["", "", "", ""]),
        ],
        drawn: &[4, 6, 8, 10, 12],
    },
];

/// Philosophers who may deadlock; with fairness, forks that are put back and a left fork that is taken at last.
fn college(n: usize, fair: bool) -> String {
    let wl = |event: &str| if fair { format!("wl({event})") } else { event.to_owned() };
    format!(
        "#define N {n};
        Phil(i) = {} -> get.i.(i+1)%N -> eat.i -> put.i.(i+1)%N -> put.i.i -> Phil(i);
        Fork(i) = get.i.i -> {} -> Fork(i) [] get.(i-1)%N.i -> {} -> Fork(i);
        System() = || i:{{0..N-1}}@(Phil(i) || Fork(i));
        #assert System() deadlockfree;",
        wl("get.i.i"),
        wl("put.i.i"),
        wl("put.(i-1)%N.i")
    )
}

/// A ring of cyclers, of which one holds the token; with fairness, everything that a cycler does is weakly fair.
fn milner(n: usize, fair: bool) -> String {
    let wf = |event: &str| if fair { format!("wf({event})") } else { event.to_owned() };
    let (work, next) = (wf("work.i"), wf("c.((i+1)%N)"));
    format!(
        "#define N {n};
        Cycle0() = a.0 -> {} -> {} -> c.0 -> Cycle0();
        Cycle(i) = c.i -> a.i -> ({work} -> {next} -> Cycle(i) [] {next} -> {work} -> Cycle(i));
        System() = Cycle0() || (|| x:{{1..N-1}} @ Cycle(x));
        #assert System() deadlockfree;",
        wf("c.1"),
        wf("work.0")
    )
}

/// Readers and writers without names; with fairness, each reader or writer that has begun comes to an end.
fn readers_writers(n: usize, fair: bool) -> String {
    let wf = |event: &str| if fair { format!("wf({event})") } else { event.to_owned() };
    format!(
        "#define N {n};
        var reading = 0;
        var writing = 0;
        #define safe writing == 0 || (writing == 1 && reading == 0);
        Reader() = [writing == 0] startread{{reading++}} -> {}{{reading--}} -> Reader();
        Writer() = [reading == 0 && writing == 0] startwrite{{writing++}} -> {}{{writing--}} -> Writer();
        System() = (||| i:{{0..N-1}}@Reader()) ||| (||| i:{{0..N-1}}@Writer());
        #assert System() deadlockfree;",
        wf("stopread"),
        wf("stopwrite")
    )
}

/// Result of a check.
struct Run {
    holds: bool,
    states: usize,
    time: Duration,
    bytes: usize,
}

/// Checks a model; nothing if that is not done in time.
fn run(
    family: &Family,
    n: usize,
    fair: bool,
    reduction: Reduction,
    plan: &Plan<'_>,
) -> Option<Run> {
    let text = (family.text)(n, fair);
    let read = || {
        let read = Systems::of_text(&Csp, &text);
        read.unwrap_or_else(|wrong| panic!("{} {n}: {wrong:?}", family.name))
    };
    let before = plan.peak.map_or(0, |peak| {
        peak.reset_peak_usage();
        peak.current_usage()
    });
    let (run, time) = timed(|| {
        let mut file = read();
        let which = file.loaded().questions[0].system;
        let Ok(System::Model(system)) = file.system(which) else { panic!("a model") };
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(family.formula).expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
        property.reading = EventPosition::Entering;
        let notion = if fair { Notion::Annotated(AnnotationLevel::Name) } else { Notion::None };
        let deadline = Some(Instant::now() + plan.limit);
        let bounds = Bounds { deadline, bytes: Some(MEMORY), ..Bounds::default() };
        let options = Options { bounds, reduction, any_run: true, ..Options::default() };
        let verdict = check(system, &mut property, &Assumption::of(notion), &options);
        let verdict = match verdict {
            Err(CheckError::Reduction(_)) => return None,
            verdict => verdict.expect("an engine is there"),
        };
        let holds = match verdict.outcome {
            Outcome::Holds(_) => true,
            Outcome::Violated(_) => false,
            Outcome::Doomed(_) | Outcome::Unknown(_) => return None,
        };
        Some((holds, verdict.stamp.system.0))
    });
    let bytes = plan.peak.map_or(0, |peak| peak.peak_usage().saturating_sub(before));
    run.map(|(holds, states)| Run { holds, states, time, bytes })
}

/// The record.
pub struct Report {
    /// Verdicts, states and times.
    pub table: String,
    /// How the numbers of states grow, a panel a family.
    pub panels: Vec<Panel>,
    /// What each way needed for each family where everything has to be searched.
    pub growth: Vec<Growing>,
}

/// Panel of a family, without fairness or with it: the whole system and the reduced one.
fn blank(family: &Family, fair: bool) -> Panel {
    let series = |name: &str, colour: &'static str, stroke: Stroke| Series {
        name: name.to_owned(),
        colour,
        stroke,
        points: Vec::new(),
    };
    Panel {
        title: format!("{}, {}", family.name, if fair { "annotated" } else { "no fairness" }),
        x_label: "size".to_owned(),
        series: vec![
            series("whole system", "#b45309", Stroke::Solid),
            series("reduced", "#1d4ed8", Stroke::Dashed),
        ],
    }
}

/// What is known of a family without fairness or with it: whether the whole system and the reduced one were given up, and
/// what they needed.
struct Column {
    given_up: [bool; 2],
    growth: [Growing; 2],
}

impl Column {
    fn new(family: &Family, fair: bool) -> Column {
        let growing = |way: &str| Growing {
            family: format!(
                "{}, {}, {way}",
                family.name,
                if fair { "annotated" } else { "no fairness" }
            ),
            measured: Vec::new(),
        };
        // A whole system of a hundred processes is not tried.
        Column { given_up: [false, false], growth: [growing("whole"), growing("reduced")] }
    }
}

/// Checks the whole system, unless that is hopeless, and the reduced one, and draws how large they are.
fn both(
    (family, n, fair): (&Family, usize, bool),
    panel: &mut Panel,
    column: &mut Column,
    plan: &Plan<'_>,
) -> [Option<Run>; 2] {
    column.given_up[0] |= n >= 100;
    let mut run_if = |at: usize, reduction| {
        if column.given_up[at] {
            return None;
        }
        let run = run(family, n, fair, reduction, plan);
        column.given_up[at] = run.is_none();
        if let Some(Run { holds: true, states, time, bytes }) = run {
            let seconds = time.as_secs_f64();
            column.growth[at].measured.push(Measured { states, seconds, bytes });
        }
        run
    };
    let whole = run_if(0, Reduction::Off);
    let reduced = run_if(1, Reduction::Sound);
    if let (Some(one), Some(other)) = (&whole, &reduced) {
        assert_eq!(one.holds, other.holds, "{}({n}), fair: {fair}", family.name);
    }
    let runs = [whole, reduced];
    for (run, series) in runs.iter().zip(&mut panel.series) {
        if let Some(run) = run {
            let x = u32::try_from(n).expect("a small model");
            series.points.push(Point { x, y: run.states as f64, at_least: false });
        }
    }
    runs
}

/// The table and its picture.
pub fn report(plan: &Plan<'_>) -> Report {
    let mut out = String::from(
        "| model | fairness | result | whole: states | time | reduced: states | time | paper: whole | reduced |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut panels: [Vec<Panel>; 2] = [Vec::new(), Vec::new()];
    let mut growth = Vec::new();
    for family in &FAMILIES {
        let mut of_family = [false, true].map(|fair| blank(family, fair));
        let mut columns = [false, true].map(|fair| Column::new(family, fair));
        let both_kinds = [false, true];
        for &n in family.drawn {
            for ((panel, column), fair) in of_family.iter_mut().zip(&mut columns).zip(both_kinds) {
                both((family, n, fair), panel, column, plan);
            }
        }
        for &(n, paper) in family.sizes.iter().take(if plan.is_quick { 1 } else { usize::MAX }) {
            for ((panel, column), fair) in of_family.iter_mut().zip(&mut columns).zip(both_kinds) {
                let [whole, reduced] = both((family, n, fair), panel, column, plan);
                let _ = writeln!(out, "{}", line(family, n, fair, paper, &whole, &reduced));
            }
        }
        growth.extend(columns.into_iter().flat_map(|column| column.growth));
        for (row, panel) in panels.iter_mut().zip(of_family) {
            row.push(panel);
        }
    }
    // One row of panels without fairness, one with it.
    Report { table: out, panels: panels.concat(), growth }
}

/// The ample sets of Figure 3 as the paper prints them, on the smallest model of each family.
pub fn as_printed() -> String {
    let mut out = String::from(
        "| model | fairness | whole: states | as printed: states | ours: states |\n|---|---|---:|---:|---:|\n",
    );
    for family in &FAMILIES {
        let n = family.drawn[family.drawn.len() - 1];
        for fair in [false, true] {
            let plan = Plan::recorded(true);
            let states = |reduction| match run(family, n, fair, reduction, &plan) {
                Some(run) => grouped(run.states),
                None => "refused".to_owned(),
            };
            let kind = if fair { "annotated" } else { "none" };
            let _ = writeln!(
                out,
                "| {}({n}) | {kind} | {} | {} | {} |",
                family.name,
                states(Reduction::Off),
                states(Reduction::Paper),
                states(Reduction::Sound)
            );
        }
    }
    out
}

/// A line of the table.
fn line(
    family: &Family,
    n: usize,
    fair: bool,
    paper: [&str; 4],
    whole: &Option<Run>,
    reduced: &Option<Run>,
) -> String {
    let result = match whole.as_ref().or(reduced.as_ref()).map(|run| run.holds) {
        None => "?",
        Some(true) => "holds",
        Some(false) => "violated",
    };
    let cells = |run: &Option<Run>| match run {
        None => "– | –".to_owned(),
        Some(run) => format!("{} | {}", grouped(run.states), duration(run.time)),
    };
    let said = &paper[if fair { 2..4 } else { 0..2 }];
    let said: Vec<String> = said
        .iter()
        .map(|text| if text.is_empty() { "–".to_owned() } else { format!("{text} s") })
        .collect();
    let kind = if fair { "annotated" } else { "none" };
    format!(
        "| {}({n}) | {kind} | {result} | {} | {} | {} |",
        family.name,
        cells(whole),
        cells(reduced),
        said.join(" | ")
    )
}
