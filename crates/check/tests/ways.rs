//! Every way to ask gives the same answer: with reductions and without, by native code and by the interpreter, with
//! one worker and with several, in single checks, by the ladder and by least sets, under every notion. The questions
//! are those of random texts, asked as the command asks them, claims and errors of the model included.
//!
//! `FAIRLY_RANDOM_CASES` says how many comparisons are made of each language, `FAIRLY_SEED` the seed of the first text.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fairly_check::workers::Workers;
use fairly_check::{
    Assumed, Execution, Least, Options, Reduction, Said, SystemIndex, Systems, with_system,
};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::csp::Csp;
use fairly_front::include::NoFiles;
use fairly_front::loaded::{Loader, Settings, Text};
use fairly_front::promela::Promela;
use fairly_modelkit::{cases, first_seed};
use fairly_search::{Bounds, reach};
use fairly_testkit::{Rng, side_by_side};

use crate::promela_random::generate as promela_generate;
use crate::promela_random::program::Form;
use crate::{symmetry_csp, symmetry_random};

const NOTIONS: [Notion; 16] = [
    Notion::None,
    Notion::None,
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
    Notion::Annotated(AnnotationLevel::Occurrence),
    Notion::Global,
    Notion::Inherent(PrefixKind::Trace),
    Notion::Inherent(PrefixKind::Run),
];
const REDUCTIONS: [Reduction; 8] = [
    Reduction::Sound,
    Reduction::Sound,
    Reduction::Sound,
    Reduction::Symmetry,
    Reduction::DeadVariables,
    Reduction::Merging,
    Reduction::Local,
    Reduction::Off,
];
const LEVELS: [Level; 3] = [Level::Process, Level::Event, Level::Action];
/// States of a system that is asked about.
const SMALL: usize = 400;

/// How a question is asked.
#[derive(Clone, Copy, Debug)]
struct Way {
    execution: Execution,
    options: Options,
    /// Whether all questions are put to the same systems, one after the other.
    shares: bool,
}

impl Way {
    /// The way that leaves nothing out.
    fn plain() -> Way {
        let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
        let options =
            Options { bounds, reduction: Reduction::Off, any_run: true, ..Options::default() };
        Way { execution: Execution::Interpreted, options, shares: false }
    }

    fn random(rng: &mut Rng) -> Way {
        let count = NonZeroUsize::new(*rng.pick(&[1, 1, 2, 3])).expect("at least one");
        let workers = Workers { count, alone: *rng.pick(&[0, 0, 3, 20]), ..Workers::default() };
        let (reduction, any_run) = (*rng.pick(&REDUCTIONS), rng.chance(1, 2));
        let options = Options { reduction, any_run, workers, ..Way::plain().options };
        let executions = [Execution::Tiered, Execution::Native, Execution::Interpreted];
        Way { execution: *rng.pick(&executions), options, shares: rng.chance(1, 3) }
    }
}

/// A text in a language.
struct Asked {
    text: String,
    loader: &'static dyn Loader,
}

impl Asked {
    fn systems(&self, execution: Execution) -> Option<Systems> {
        let text = Text { name: String::new(), text: self.text.clone() };
        let mut files = NoFiles;
        Some(Systems::new(self.loader.load(&[text], Settings::new(&mut files)).ok()?, execution))
    }

    /// Whether every system of the text can be made, and is small.
    fn is_small(&self) -> bool {
        let Some(mut systems) = self.systems(Execution::Interpreted) else { return false };
        let few = Bounds { nodes: Some(SMALL), ..Bounds::default() };
        (0..systems.loaded().systems.len()).all(|at| {
            let Ok(made) = systems.system(SystemIndex(at)) else { return false };
            with_system!(made, made => reach::count(made, few).is_ok())
        })
    }
}

#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    violated: u64,
    unknown: u64,
    errors: u64,
    rungs: u64,
    sets: u64,
    reduced: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        self.violated += other.violated;
        self.unknown += other.unknown;
        self.errors += other.errors;
        self.rungs += other.rungs;
        self.sets += other.sets;
        for (by, count) in other.reduced {
            *self.reduced.entry(by).or_default() += count;
        }
    }
}

/// The answers to all questions, each under its notion; whether runs end with errors is the last of them.
fn answers(asked: &Asked, notions: &[Notion], way: &Way, tally: &mut Tally) -> Vec<Option<Said>> {
    let mut all = Vec::new();
    let mut systems = asked.systems(way.execution).expect("it was read before");
    let mut is_wrong = false;
    for (at, &notion) in notions.iter().enumerate() {
        if !way.shares {
            is_wrong |= !systems.errors_found().is_empty();
            systems = asked.systems(way.execution).expect("it was read before");
        }
        let Ok(mut question) = systems.bind(at) else {
            all.push(None);
            continue;
        };
        let Ok(assumption) = systems.assumption(question.system, notion) else {
            all.push(None);
            continue;
        };
        let assumed = Assumed { assumption: &assumption, strengths: at % 3 == 0 };
        let answered = match systems.answer(&mut question, &assumed, &way.options) {
            Ok(answered) => answered,
            Err(why) => match format!("{why:?}") {
                failed if failed.contains("Internal") || failed.contains("Lost") => {
                    panic!("{failed}")
                }
                _ => {
                    all.push(None);
                    continue;
                }
            },
        };
        for by in &answered.verdict.stamp.reductions {
            let by = by.split([' ', ':']).next().unwrap_or_default().to_owned();
            *tally.reduced.entry(by).or_default() += 1;
        }
        all.push(Some(answered.verdict.outcome));
    }
    is_wrong |= !systems.errors_found().is_empty();
    tally.errors += u64::from(is_wrong);
    all
}

/// The ladder and the least sets of a formula, against single answers by the plain way.
fn ladder_and_least(asked: &Asked, at: usize, way: &Way, level: Level, tally: &mut Tally) {
    let single = |notion: Notion| -> Option<bool> {
        let mut systems = asked.systems(Execution::Interpreted)?;
        let mut question = systems.bind(at).ok()?;
        let assumption = systems.assumption(question.system, notion).ok()?;
        let assumed = Assumed { assumption: &assumption, strengths: false };
        let answered = systems.answer(&mut question, &assumed, &Way::plain().options).ok()?;
        match answered.verdict.outcome {
            Said::Holds => Some(true),
            Said::Violated => Some(false),
            Said::Unknown => None,
        }
    };
    let mut systems = asked.systems(way.execution).expect("it was read before");
    let Ok(mut question) = systems.bind(at) else { return };
    let Ok(assumption) = systems.assumption(question.system, Notion::None) else { return };
    let extra = &assumption.extra;
    let ladder = systems.ladder(&mut question, extra, &way.options);
    for rung in ladder.unwrap_or_else(|why| panic!("ladder: {why}")).rungs {
        if let (Ok(holds), Some(same)) = (&rung.holds, single(rung.notion)) {
            assert_eq!(*holds, same, "ladder: question {at} under {}", rung.notion);
            tally.rungs += 1;
        }
    }
    let least = systems.least(&mut question, level, extra, &way.options);
    if let Least::Sets { sets, .. } = least.unwrap_or_else(|why| panic!("least: {why}")) {
        let strong = single(Notion::Strong(level));
        assert!(
            strong.is_none_or(|holds| holds != sets.is_empty()),
            "least: question {at} {level}: {sets:?}"
        );
        let nothing = single(Notion::None);
        let is_free = sets.iter().any(Vec::is_empty);
        assert!(
            nothing.is_none_or(|holds| holds == is_free),
            "least: question {at} {level}: {sets:?}"
        );
        tally.sets += 1;
    }
}

fn compare(seed: u64, asked: &Asked) -> Tally {
    let mut tally = Tally::default();
    if !asked.is_small() {
        return tally;
    }
    let mut rng = Rng::new(seed ^ 0x5eed);
    let systems = asked.systems(Execution::Interpreted).expect("it was read before");
    let is_formula: Vec<bool> = systems
        .loaded()
        .questions
        .iter()
        .map(|question| matches!(question.asked, Ok(fairly_front::loaded::Asked::Formula(_))))
        .collect();
    let notions: Vec<Notion> =
        is_formula.iter().map(|&is| if is { *rng.pick(&NOTIONS) } else { Notion::None }).collect();
    let told = |way: &Way| format!("seed {seed}, {notions:?}, {way:?}\n{}", asked.text);
    let guarded = |way: &Way, tally: &mut Tally| {
        let answers = catch_unwind(AssertUnwindSafe(|| answers(asked, &notions, way, tally)));
        answers.unwrap_or_else(|_| panic!("a failure with {}", told(way)))
    };
    let plain = guarded(&Way::plain(), &mut Tally::default());
    for _ in 0..3 {
        let way = Way::random(&mut rng);
        let other = guarded(&way, &mut tally);
        for (at, (one, two)) in plain.iter().zip(&other).enumerate() {
            let (Some(one), Some(two)) = (one, two) else { continue };
            if [*one, *two].contains(&Said::Unknown) {
                tally.unknown += 1;
                continue;
            }
            assert_eq!(one, two, "question {at}: {}", told(&way));
            tally.compared += 1;
            tally.violated += u64::from(*two == Said::Violated);
        }
    }
    let formulas: Vec<usize> = (0..is_formula.len()).filter(|&at| is_formula[at]).collect();
    if !formulas.is_empty() && rng.chance(1, 3) {
        let (at, way) = (*rng.pick(&formulas), Way::random(&mut rng));
        let level = *rng.pick(&LEVELS);
        let work = || ladder_and_least(asked, at, &way, level, &mut tally);
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            panic!("question {at}, ladder and least, {}", told(&way));
        }
    }
    tally
}

/// More claims, propositions about steps, and variables that are written and never read.
fn csp(seed: u64) -> Asked {
    let mut rng = Rng::new(seed);
    let mut text = symmetry_csp::text(&mut rng);
    if rng.chance(1, 2) {
        // Nobody reads these two.
        text = text.replacen("var turn", "var log = 0; var seen[9]; var turn", 1);
        for (from, to) in [
            ("turn = 9;", "turn = 9; log = 1 - log;"),
            ("x = 1 - x;", "x = 1 - x; seen[i] = turn;"),
            ("x = 0;", "log = turn; x = 0;"),
        ] {
            if rng.chance(1, 2) {
                let (head, rest) = text.split_once("P(i) = ").expect("it is defined");
                let (body, rest) = rest.split_once('\n').expect("on a line");
                text = format!("{head}P(i) = {}\n{rest}", body.replace(from, to));
            }
        }
    }
    for claim in [
        "divergencefree",
        "deterministic",
        "nonterminating",
        "refines Other()",
        "refines<F> Other()",
        "refines<FD> Other()",
    ] {
        if rng.chance(1, 3) {
            text += &format!("#assert System() {claim};\n");
        }
    }
    text += "Other() = go -> Other() [] stay -> Other();\n";
    let who = rng.pick(&["P(0)", "P(1)", "e.0", "go", "stay", "P"]);
    let formula = rng
        .pick(&[
            format!("[]<> \"taken({who})\""),
            format!("[] (\"enabled({who})\" -> <> \"taken({who})\")"),
            format!("<>[] !\"enabled({who})\""),
            format!("[] !\"enabled({who})\" || <> \"taken({who})\""),
        ])
        .clone();
    if rng.chance(1, 2) {
        text += &format!("#assert System() |= {};\n", formula.replace('"', ""));
    }
    Asked { text, loader: &Csp }
}

fn promela(seed: u64) -> Asked {
    let mut rng = Rng::new(seed);
    let mut text = match rng.below(2) {
        0 => symmetry_random::program(&mut rng),
        _ => promela_generate::program(seed).text(Form::Formulas),
    };
    if rng.chance(1, 2) {
        // Nobody reads these two.
        text = format!("byte log_; byte seen_[3];\n{text}");
        for (from, to) in [
            ("x = 0", "x = 0; log_ = turn"),
            ("skip", "log_++"),
            ("x = 1 - x", "seen_[0] = x; x = 1 - x"),
        ] {
            if rng.chance(1, 2) {
                text = text.replace(from, to);
            }
        }
    }
    if rng.chance(1, 6) {
        text += "never { do :: (_nr_pr == 0) -> break :: skip od; accept: do :: skip od }\n";
    }
    Asked { text, loader: &Promela }
}

fn all(make: fn(u64) -> Asked) -> Tally {
    let (first, wanted) = (first_seed(1), cases(1_200));
    let mut tally = Tally::default();
    let mut seeds: Vec<u64> = (first..first + 32).collect();
    while tally.compared < wanted {
        for one in side_by_side(&seeds, |&seed| compare(seed, &make(seed))) {
            tally.add(one);
        }
        let next = seeds[seeds.len() - 1] + 1;
        seeds = (next..next + 32).collect();
    }
    println!("{tally:?}, seeds up to {}", seeds[0]);
    assert!(tally.violated * 8 > tally.compared, "{tally:?}");
    assert!((tally.compared - tally.violated) * 8 > tally.compared, "{tally:?}");
    assert!(tally.reduced.len() > 2 && tally.rungs > 10 && tally.sets > 2, "{tally:?}");
    tally
}

/// The ladder leaves out what a property means nothing for, and answers the rest.
#[test]
fn ladders_of_what_is_not_about_prefixes() {
    let claim = "byte x; active proctype P() { do :: x = 1 - x od }
        never { T0: if :: x == 1 -> goto accept :: else -> goto T0 fi; accept: goto accept }";
    let steps = "P() = a -> P() [] b -> Stop; #assert P() |= []<> taken(a);";
    let (claim, steps): (Asked, Asked) = (
        Asked { text: claim.to_owned(), loader: &Promela },
        Asked { text: steps.to_owned(), loader: &Csp },
    );
    for asked in [claim, steps] {
        let mut systems = asked.systems(Execution::default()).expect("a model");
        let last = systems.loaded().questions.len() - 1;
        let mut question = systems.bind(last).expect("a question");
        let ladder = systems.ladder(&mut question, &[], &Options::default()).expect("a ladder");
        assert!(ladder.rungs.iter().all(|rung| rung.holds.is_ok()), "{:?}", ladder.rungs);
        assert!(!ladder.rungs.iter().any(|rung| matches!(rung.notion, Notion::Inherent(_))));
    }
}

#[test]
fn of_csp() {
    all(csp);
}

#[test]
fn of_promela() {
    all(promela);
}
