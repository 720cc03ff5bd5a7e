//! Merged statements: what is left is stuttering bisimilar to the system, by a naive comparison of both;
//! verdicts and runs are those of the whole system; what each condition is for; what is saved.
//!
//! `FAIRLY_RANDOM_CASES` says how many random models and programs, `FAIRLY_SEED` the seed of the first.

use std::collections::{BTreeSet, HashMap};

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::soundness::{MERGING, RowKind};
use fairly_check::{Answer, Assumption, Options, Outcome, Property, Reduction, check};
use fairly_fairness::{Constraint, Level, Notion, PrefixKind, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::{
    AnyVariable, Communication, Expr, Label, Limits, LocationId, Model, ModelSpace, StatementKind,
    Target, verify,
};
use fairly_omega::StateId;
use fairly_reduce::{ModelSystem, Reduced, Reducible, Watched};
use fairly_search::Bounds;
use fairly_system::{AtomIndex, EventKind, ProcessId, RunStep, Transition, TransitionSystem};
use fairly_testkit::Rng;
use fairly_witness::follow;

use crate::common::languages::{PromelaFile, Question};
use crate::promela_random::generate as promela_generate;
use crate::promela_random::program::Form;
use crate::reduced::{any_formula, loose_model, numbered, small_enough};
use crate::workers::reduced_for_several;
use fairly_modelkit::{cases, first_seed};

/// A model whose processes often do something that is only about themselves.
fn private_model(rng: &mut Rng) -> Model {
    let mut model = loose_model(rng);
    let own = model.add_event("own", EventKind::Visible);
    let (alone, holds) = (rng.chance(1, 2), rng.chance(1, 2));
    for template in &mut model.templates {
        for (at, location) in template.locations.iter_mut().enumerate() {
            let Some(edges) = &mut location.edges else { continue };
            for edge in edges.iter_mut() {
                edge.hold &= holds;
                if alone && rng.chance(3, 4) {
                    edge.communication = Communication::None;
                }
            }
            if at == 0 || rng.chance(1, 3) {
                continue;
            }
            edges.truncate(1);
            for edge in edges {
                edge.guard = Expr::TRUE;
                edge.communication = Communication::None;
                edge.hold &= rng.chance(1, 4);
                edge.label = Label::Event(own);
                // Larger statements are left in now and then.
                let is_own = |kind: &StatementKind| match kind {
                    StatementKind::Assign(pairs) => pairs.iter().all(|(place, value)| {
                        matches!(place.variable, AnyVariable::Local(_))
                            && !value.any(&mut |part| matches!(part, Expr::Received(_)))
                    }),
                    _ => false,
                };
                if rng.chance(5, 6) {
                    edge.effect.retain(|statement| is_own(&statement.kind));
                }
                if edge.target == Target::Exit && rng.chance(3, 4) {
                    edge.target = Target::Location(LocationId(0));
                }
            }
        }
    }
    model
}

/// Such a model with its meaning; `None` if it is not one that has any.
fn private_system(rng: &mut Rng) -> Option<(Model, ModelSystem)> {
    let model = private_model(rng);
    verify(&model).ok()?;
    let system = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
    Some((model, system))
}

/// A system as a graph: what is seen of each state, and where its steps lead.
struct Graph {
    labels: Vec<String>,
    steps: Vec<BTreeSet<usize>>,
    /// How many states have no steps.
    stuck: usize,
}

/// The graph of a system; `None` if it has many states.
fn graph(system: &mut Reduced<'_, ModelSystem>, atoms: &[AtomIndex]) -> Option<Graph> {
    let mut graph = Graph { labels: Vec::new(), steps: Vec::new(), stuck: 0 };
    for (at, (state, steps)) in numbered(system, 300)?.into_iter().enumerate() {
        let holding: Vec<bool> = atoms.iter().map(|&atom| system.holds(state, atom)).collect();
        let fault = system.fault(state).map(|fault| fault.message.clone());
        graph.stuck += usize::from(steps.is_empty() && fault.is_none());
        graph.labels.push(format!("{holding:?} {fault:?}"));
        // Where there are no steps, a run goes on without.
        let stays = steps.is_empty().then_some(at);
        graph.steps.push(steps.into_iter().map(|(_, to)| to).chain(stays).collect());
    }
    Some(graph)
}

/// Whether the first states of two graphs are stuttering bisimilar, runs that stay among states that are
/// told from each other by nothing included. States are told apart by what is seen of them, then by where
/// they can go through states like themselves, until no more are.
fn bisimilar(one: &Graph, other: &Graph) -> bool {
    let second = one.labels.len();
    let mut steps: Vec<Vec<usize>> =
        one.steps.iter().map(|to| to.iter().copied().collect()).collect();
    steps.extend(other.steps.iter().map(|to| to.iter().map(|at| at + second).collect::<Vec<_>>()));
    let labels: Vec<&String> = one.labels.iter().chain(&other.labels).collect();
    let mut known: HashMap<&String, usize> = HashMap::new();
    let mut class: Vec<usize> = Vec::new();
    for label in &labels {
        let new = known.len();
        class.push(*known.entry(label).or_insert(new));
    }
    let mut classes = known.len();
    loop {
        // Where a state can go through its class, and whether it can stay there for ever.
        let mut ways: Vec<BTreeSet<usize>> = steps
            .iter()
            .enumerate()
            .map(|(at, to)| to.iter().map(|&to| class[to]).filter(|&to| to != class[at]).collect())
            .collect();
        let mut stays = vec![true; steps.len()];
        loop {
            let mut changed = false;
            for at in 0..steps.len() {
                let inside: Vec<usize> =
                    steps[at].iter().copied().filter(|&to| class[to] == class[at]).collect();
                for &to in &inside {
                    let more: Vec<usize> = ways[to].difference(&ways[at]).copied().collect();
                    changed |= !more.is_empty();
                    ways[at].extend(more);
                }
                if stays[at] && !inside.iter().any(|&to| stays[to]) {
                    (stays[at], changed) = (false, true);
                }
            }
            if !changed {
                break;
            }
        }
        let mut known = HashMap::new();
        let mut refined = Vec::new();
        for at in 0..steps.len() {
            let new = known.len();
            refined.push(*known.entry((class[at], ways[at].clone(), stays[at])).or_insert(new));
        }
        if known.len() == classes {
            return class[0] == class[second];
        }
        classes = known.len();
        class = refined;
    }
}

#[test]
fn what_is_left_is_stuttering_bisimilar() {
    let (mut compared, mut merged, mut smaller) = (0u64, 0u64, 0u64);
    let wanted = cases(3000);
    for seed in first_seed(1).. {
        if compared >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let Some((model, mut system)) = private_system(&mut rng) else { continue };
        let atoms: Vec<AtomIndex> = model
            .propositions
            .iter()
            .filter(|_| rng.chance(1, 2))
            .filter_map(|(name, _)| system.atom(name))
            .collect();
        let watched = Watched { atoms: atoms.clone(), ..Watched::default() };
        let Some(whole) = graph(&mut Reduced::whole(&mut system), &atoms) else { continue };
        if whole.labels.len() < 6 {
            continue;
        }
        compared += 1;
        let mut reduced = Reduced::whole(&mut system).merging(&watched);
        if reduced.merged() == 0 {
            continue;
        }
        merged += 1;
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        let small = graph(&mut reduced, &atoms)
            .unwrap_or_else(|| panic!("more states than before: {}", what()));
        assert!(small.labels.len() <= whole.labels.len(), "more states: {}", what());
        assert!(bisimilar(&whole, &small), "not bisimilar: {}", what());
        assert_eq!(whole.stuck, small.stuck, "deadlocks: {}", what());
        smaller += u64::from(small.labels.len() < whole.labels.len());
        let (start, lifted) = walk(&mut rng, &mut reduced, &what);
        drop(reduced);
        follow(&mut system, start, &lifted).unwrap_or_else(|flaw| panic!("{flaw}: {}", what()));
    }
    println!("{compared} models, {merged} of them merged, {smaller} smaller");
    assert!(smaller * 5 > compared, "too little was merged");
}

/// A random walk through a system in which statements are merged is one of the whole system.
fn walk(
    rng: &mut Rng,
    reduced: &mut Reduced<'_, ModelSystem>,
    what: &dyn Fn() -> String,
) -> (StateId, Vec<RunStep>) {
    let start = reduced.initial()[0];
    let mut steps = Vec::new();
    let mut at = start;
    for _ in 0..12 {
        let mut out = Vec::new();
        reduced.enabled(at, &mut out);
        if out.is_empty() {
            break;
        }
        let Transition { action, target: to } = *rng.pick(&out);
        steps.push(RunStep { from: at, action, to });
        at = to;
    }
    let lifted = reduced.lift_steps(start, &steps).unwrap_or_else(|_| panic!("{}", what()));
    let is_same = |last: &RunStep| reduced.inner().own_row(last.to) == reduced.own_row(at);
    let is_there = reduced.fault(at).is_some() || lifted.last().is_none_or(is_same);
    assert!(is_there && lifted.len() >= steps.len(), "{}", what());
    (start, lifted)
}

/// Answer to a question about a system; whether statements were merged.
fn answer<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    reduction: Reduction,
) -> Option<(bool, bool)> {
    let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
    let options = Options { bounds, reduction, any_run: true, ..Options::default() };
    let verdict = check(system, property, assumption, &options).expect("runs stand up to replay");
    let merged = verdict.stamp.reductions.iter().any(|it| it.starts_with("statements merged"));
    match verdict.outcome {
        Outcome::Holds(_) => Some((true, merged)),
        Outcome::Violated(_) => Some((false, merged)),
        _ => None,
    }
}

/// Fairness of all processes, of some, of events, or none.
fn assumption(rng: &mut Rng, system: &ModelSystem) -> Assumption {
    let mut assumption = Assumption::of(*rng.pick(&[
        Notion::None,
        Notion::None,
        Notion::None,
        Notion::Weak(Level::Process),
        Notion::Strong(Level::Process),
        Notion::Weak(Level::Event),
        Notion::StrongLive,
    ]));
    let processes = system.signature().processes.len();
    for _ in 0..rng.below(3) {
        let strength = *rng.pick(&[Strength::Weak, Strength::Strong]);
        let selector = Selector::Process(ProcessId::from_index(rng.below(processes)));
        assumption.extra.push(Constraint::fair(strength, "process", selector));
    }
    assumption
}

#[test]
fn random_models() {
    let (mut compared, mut merged, mut violated) = (0, 0, 0);
    let wanted = cases(6_000);
    for seed in first_seed(1).. {
        if compared >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let Some((model, mut system)) = private_system(&mut rng) else { continue };
        let is_merged = system.merged(&Watched::default()).is_some();
        if !is_merged || !small_enough(&mut system) {
            continue;
        }
        let mut atoms: Vec<String> =
            model.propositions.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        for slot in &model.slots {
            let location = rng.pick(&model.template(slot.templates[0]).locations);
            atoms.push(format!("\"{}@{}\"", slot.name, location.name));
        }
        // Propositions that few formulas ask for leave more to be merged.
        if rng.chance(1, 3) {
            let events = model.events.iter().skip(1);
            atoms.extend(events.map(|event| format!("event({})", event.name)));
            atoms.push("\"deadlock\"".to_owned());
        }
        for _ in 0..3 {
            let few: Vec<String> =
                (0..1 + rng.below(2)).map(|_| rng.pick(&atoms).clone()).collect();
            let text = any_formula(&mut rng, &few);
            let assumption = assumption(&mut rng, &system);
            let mut ask = |reduction| {
                let mut formulas = Formulas::new();
                let parsed = formulas.parse(&text).expect("a formula");
                let mut property = Property::bind("it", formulas, parsed, &mut system).ok()?;
                answer(&mut system, &mut property, &assumption, reduction)
            };
            let Some((holds, _)) = ask(Reduction::Off) else { continue };
            for reduction in [Reduction::Merging, Reduction::Local, Reduction::Sound] {
                let Some((same, is_merged)) = ask(reduction) else { continue };
                let what = || fairly_model::text::print(&model);
                assert_eq!(
                    holds,
                    same,
                    "{text} under {assumption} {:?} {reduction:?} FAIRLY_SEED={seed}\n{}",
                    assumption.extra,
                    what()
                );
                if reduction == Reduction::Merging {
                    compared += 1;
                    merged += u64::from(is_merged);
                    violated += u64::from(!holds);
                }
            }
        }
    }
    println!("{compared} verdicts, {merged} of them with statements merged, {violated} violated");
    assert!(merged * 6 > compared, "too little was merged");
}

const BOUNDS: Bounds = Bounds { nodes: Some(3000), deadline: None, bytes: None, watch: None };

fn answers(
    file: &mut PromelaFile,
    question: &Question,
    reduction: Reduction,
) -> Vec<(Option<bool>, bool)> {
    let is_merged =
        |all: &[String]| all.iter().any(|it: &String| it.starts_with("statements merged"));
    match file.property(question) {
        Err(_) => Vec::new(),
        Ok(None) => {
            let effort = Effort { bounds: BOUNDS, reduction, any_run: true, ..Effort::default() };
            let verdict = file.claim(question, effort).expect("it stands up to replay");
            let holds = match verdict.outcome {
                ClaimOutcome::Holds(_) => Some(true),
                ClaimOutcome::Violated(_) => Some(false),
                ClaimOutcome::Unknown(_) => None,
            };
            vec![(holds, is_merged(&verdict.reductions))]
        }
        Ok(Some(mut property)) => {
            let options =
                Options { bounds: BOUNDS, reduction, any_run: true, ..Options::default() };
            let notions =
                [Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Process)];
            let ask = |notion| {
                let assumption = Assumption::of(notion);
                let verdict = check(file.interpreter(), &mut property, &assumption, &options);
                let verdict = verdict.expect("it stands up to replay");
                (decided(&verdict), is_merged(&verdict.stamp.reductions))
            };
            notions.map(ask).to_vec()
        }
    }
}

fn decided(verdict: &Answer) -> Option<bool> {
    match verdict.outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Violated(_) | Outcome::Doomed(_) => Some(false),
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn random_promela() {
    let (mut compared, mut merged) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(300) {
        let text = promela_generate::program(seed).text(Form::Formulas);
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        for question in file.questions() {
            let whole = answers(&mut file, &question, Reduction::Off);
            for reduction in [Reduction::Merging, Reduction::Local, Reduction::Sound] {
                let small = answers(&mut file, &question, reduction);
                for (whole, small) in whole.iter().zip(&small) {
                    let (Some(holds), Some(same)) = (whole.0, small.0) else { continue };
                    assert_eq!(
                        holds, same,
                        "{question:?} {reduction:?} FAIRLY_SEED={seed}\n{text}"
                    );
                    compared += 1;
                    merged += usize::from(small.1);
                }
            }
        }
    }
    println!("{compared} verdicts, {merged} of them with statements merged");
    assert!(merged * 12 > compared, "too little was merged");
}

fn ask(text: &str, question: &Question, notion: Notion, reduction: Reduction) -> (bool, bool) {
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let Some(mut property) = file.property(question).expect("it is about the model") else {
        let [(holds, merged)] = answers(&mut file, question, reduction)[..] else {
            panic!("one answer")
        };
        return (holds.expect("small"), merged);
    };
    let assumption = Assumption::of(notion);
    answer(file.interpreter(), &mut property, &assumption, reduction).expect("small")
}

/// Reasons for each condition: without it, the answer with merged statements would be another one. The question
/// is asked, the answer is the one of the whole system, and statements of an unrelated process are merged all
/// the same.
#[test]
fn conditions() {
    let formula = Question::Formula(0);
    let (none, weak) = (Notion::None, Notion::Weak(Level::Process));
    let cases: [(&str, &str, Question, Notion, bool); 12] = [
        (
            "a formula reads a variable",
            "active proctype P() { byte x, y; y = 1; x = 1; x = 2; y = 3 }
             ltl p { <> (P:x == 1) }",
            formula.clone(),
            none,
            true,
        ),
        (
            "a formula asks for a location",
            "active proctype P() { byte x; x = 1;
             here: x = 2; x = 3 }
             ltl p { <> (P@here) }",
            formula.clone(),
            none,
            true,
        ),
        (
            "another process reads a variable",
            "byte g; active proctype P() { byte x, y; y = 1; x = 1; x = 2; y = 2 }
             active proctype Q() { P:x == 1; g = 1 }
             ltl p { [] (g == 0) }",
            formula.clone(),
            none,
            false,
        ),
        (
            "a variable of the model is read",
            "byte g, h; active proctype P() { byte x; h = 1; x = g; assert(x == 0) }
             active proctype Q() { h == 1; g = 1 }",
            Question::Errors,
            none,
            false,
        ),
        (
            "a guard may wait",
            "active proctype P() { byte x, y; y = 1; x == 1; y = 2 }",
            Question::EndStates,
            none,
            false,
        ),
        (
            "a statement may go wrong",
            "byte g; active proctype P() { byte x = 1; g = 1; x = 1 / (x - 1); x = 1 }
             ltl p { <> (g == 1) }",
            formula.clone(),
            none,
            true,
        ),
        (
            "a statement may go wrong in one of two processes",
            "byte g; proctype P(byte here) { byte x[2]; g++; x[here] = 1; x[0] = 2 }
             init { atomic { run P(1); run P(2) } }
             ltl p { <> (g == 1) }",
            formula.clone(),
            none,
            true,
        ),
        (
            "a process waits for a rendezvous under weak fairness",
            "chan c = [0] of { bit }; bit done;
             active proctype P() { byte x; do :: c?0 -> break :: x = 1; x = 2 od }
             active proctype R() { c!0; done = 1 }
             ltl p { <> (done == 1) }",
            formula.clone(),
            weak,
            false,
        ),
        (
            "a process waits for a timeout under weak fairness",
            "bit done;
             active proctype P() { byte x; do :: timeout -> x = 1 od }
             active proctype R() { timeout; done = 1 }
             ltl p { <> (done == 1) }",
            formula.clone(),
            weak,
            false,
        ),
        (
            "an atomic sequence is interrupted by a rendezvous that nobody is ready for",
            "chan c = [0] of { bit }; byte g, q;
             active proctype P() { byte x; g = 1; x = 1; atomic { c?0; q = 0 } }
             active proctype R() { atomic { g == 1; q = 1; c!0 } }
             active proctype Q() { q == 1; g = 2 }
             ltl p { [] (g != 2) }",
            formula.clone(),
            none,
            false,
        ),
        (
            "a formula reads who moved last",
            "byte g, h; active proctype P() { byte x; g = 1; x = 1; false }
             active proctype Q() { g == 1; h = 1; false }
             ltl p { [] !(_last == 0 && h == 1) }",
            formula.clone(),
            none,
            false,
        ),
        (
            "a formula counts steps",
            "byte g; active proctype P() { byte x; x = 1; x = 2; g = 1; x = 3; g = 2 }
             ltl p { <> (g == 1 && X (g == 1)) }",
            formula.clone(),
            none,
            true,
        ),
    ];
    for (what, text, question, notion, expected) in cases {
        for reduction in [Reduction::Off, Reduction::Merging, Reduction::Local, Reduction::Sound] {
            let (holds, _) = ask(text, &question, notion, reduction);
            assert_eq!(holds, expected, "{what}, {reduction:?}");
        }
    }
}

/// Steps that go round are not merged without an end: somewhere on the way the process rests.
#[test]
fn rounds_end() {
    let text = "byte g; active proctype P() { byte x; g = 1; do :: x = 1; x = 2; x = 3 od }
        active proctype Q() { g == 1; g = 2 }
        ltl p { <> (g == 2) }";
    for (notion, expected) in [(Notion::None, false), (Notion::Weak(Level::Process), true)] {
        let (holds, merged) = ask(text, &Question::Formula(0), notion, Reduction::Merging);
        assert_eq!((holds, merged), (expected, true));
        assert_eq!(ask(text, &Question::Formula(0), notion, Reduction::Off), (expected, false));
    }
}

/// A run that is found with statements merged has every one of them as a step of its own.
#[test]
fn a_run_shows_every_statement() {
    let text = "byte g; active proctype P() { byte x; x = 3; x = x + 1; g = x; assert(g == 1) }";
    let runs = [Reduction::Off, Reduction::Merging, Reduction::Local].map(|reduction| {
        let mut file = PromelaFile::parse(text, &[]).expect("a model");
        let effort = Effort { reduction, any_run: true, ..Effort::default() };
        let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
        let ClaimOutcome::Violated(Some(run)) = verdict.outcome else { panic!("{verdict:?}") };
        let system = file.interpreter();
        let names: Vec<String> = run
            .prefix
            .steps
            .iter()
            .flat_map(|step| system.action(step.action).moves.clone())
            .map(|id| system.signature().moves[id.index()].name.clone())
            .collect();
        (names, verdict.reductions.iter().any(|it| it.starts_with("statements merged")))
    });
    assert_eq!(runs[0].0.len(), 4);
    assert_eq!([&runs[1].0, &runs[2].0], [&runs[0].0; 2]);
    assert_eq!([runs[0].1, runs[1].1, runs[2].1], [false, true, true]);
}

/// Where a run is looked for again with nothing merged, to show a shorter one, nothing is taken to be.
#[test]
fn a_shorter_run_is_one_of_the_whole_system() {
    let text = "byte g; active [2] proctype P() { byte x; x = g; x++; g = x; x = 0 }
        active proctype Q() { assert(g < 2) }";
    for reduction in [Reduction::Merging, Reduction::Local, Reduction::Sound] {
        let mut file = PromelaFile::parse(text, &[]).expect("a model");
        let effort = Effort { reduction, ..Effort::default() };
        let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
        let ClaimOutcome::Violated(Some(run)) = verdict.outcome else { panic!("{verdict:?}") };
        assert_eq!(run.prefix.steps.len(), 7);
    }
}

/// Processes that are alike stay alike, and are followed through their permutations; the run that is found is
/// one of the whole system, or it would not stand up to replay.
#[test]
fn alike_and_merged() {
    let text =
        "byte g; active [4] proctype P() { byte x; do :: g == 0 -> x = 1; x = 2; g = x; g = 0 od }
        ltl p { <> (g == 3) }
        ltl q { [] (g < 3) }";
    for (at, expected) in [(0, false), (1, true)] {
        for notion in [Notion::None, Notion::Strong(Level::Process)] {
            let mut file = PromelaFile::parse(text, &[]).expect("a model");
            let question = Question::Formula(at);
            let mut property = file.property(&question).expect("a formula").expect("a formula");
            let options = Options { any_run: true, ..Options::default() };
            let verdict =
                check(file.interpreter(), &mut property, &Assumption::of(notion), &options);
            let verdict = verdict.expect("it stands up to replay");
            assert_eq!(decided(&verdict), Some(expected));
            let said = &verdict.stamp.reductions;
            assert!(said.iter().any(|it| it.starts_with("symmetry")), "{said:?}");
            assert!(said.iter().any(|it| it.starts_with("statements merged")), "{said:?}");
        }
    }
}

/// Two processes that go round: `a`, then twice a statement that no other process sees.
const ROUND: &str = "model atomicity priority, exit any
    event e0 idle : idle
    event e1 a : visible
    event e2 b : visible
    event e3 c : visible
    template t0 P parameters 0 {
      local l0 x : 0..3 = 0
      location q0 start { -> q1 on e1 as a }
      location q1 after { -> q2 on e2 do { l0 := 1 } as b }
      location q2 last { -> q0 on e3 do { l0 := 2 } as c }
    }
    slot p0 P : t0 start t0()
    slot p1 Q : t0 start t0()";

/// How many locations are passed when a formula is asked of [`ROUND`], and whether the answer is the same.
fn passed(text: &str, constraint: Option<&str>, notion: Notion, model: Model) -> usize {
    let mut system = ModelSystem::new(ModelSpace::new(model, None), None);
    let mut assumption = Assumption::of(notion);
    if let Some(constraint) = constraint {
        let parsed = fairly_front::case::parse_constraint(constraint).expect("a constraint");
        assumption.add(&parsed, &mut system).expect("its names");
    }
    let mut ask = |reduction| {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(text).expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, &mut system).expect("its names");
        let options = Options { reduction, any_run: true, ..Options::default() };
        check(&mut system, &mut property, &assumption, &options).expect("runs stand up to replay")
    };
    let (whole, merged) = (ask(Reduction::Off), ask(Reduction::Merging));
    assert_eq!(decided(&whole), decided(&merged), "{text}");
    let said = merged.stamp.reductions.first().map(String::as_str);
    said.map_or(0, |said| if said.contains(": 1 location ") { 1 } else { 2 })
}

/// There is no row without a test: the match names every kind.
#[test]
fn every_row_of_the_table() {
    let round = || fairly_model::text::parse(ROUND).expect("a model");
    let (none, formula) = (Notion::None, Question::Formula(0));
    let of = |text: &str| passed(text, None, none, round());
    let under = |notion| passed("G F a", None, notion, round());
    let with = |constraint| passed("G F a", Some(constraint), none, round());
    let promela = |text: &str, question: &Question, notion| {
        usize::from(ask(text, question, notion, Reduction::Merging).1)
    };
    let errors = "byte g; active [2] proctype P() { byte x; do :: x = 1; x = 2; g = x od }";
    for row in MERGING {
        let count = match row.kind {
            RowKind::Errors => promela(errors, &Question::Errors, none),
            RowKind::StateFormula => of("G F \"P@start\""),
            RowKind::EventFormula | RowKind::NoFairness => of("G F a"),
            RowKind::ProcessFairness | RowKind::MachineClosure => {
                under(Notion::Weak(Level::Process)) & under(Notion::Strong(Level::Process))
            }
            RowKind::Justice => with("justice(a)"),
            RowKind::Looked => {
                assert_eq!([of("G F a"), of("G F b"), of("G F \"P@last\"")], [2, 1, 0]);
                0
            }
            RowKind::Meeting => {
                let text = "chan c = [0] of { bit };
                    active proctype P() { byte x; do :: c?0 :: x = 1; x = 2 od }
                    active proctype R() { do :: c!0 od } ltl p { [] true }";
                assert_eq!(promela(text, &formula, none), 1);
                promela(text, &formula, Notion::Weak(Level::Process))
            }
            RowKind::Waiting => {
                let text = "active proctype P() { byte x; do :: timeout -> x = 1; x = 2 od }
                    ltl p { [] true }";
                assert_eq!(promela(text, &formula, none), 1);
                promela(text, &formula, Notion::Weak(Level::Process))
            }
            RowKind::Next => of("G (a -> X b)"),
            RowKind::Counting => of("a U c"),
            RowKind::Stopping => of("G !\"deadlock\""),
            RowKind::Never => {
                let text = format!("{errors} never {{ accept: do :: g == 3 od }}");
                promela(&text, &Question::Never(0), none)
            }
            RowKind::EventFairness => {
                under(Notion::Weak(Level::Event))
                    | under(Notion::Strong(Level::Action))
                    | under(Notion::StrongLive)
                    | with("wf(a)")
            }
            RowKind::CountingConstraint => with("justice(!a)"),
            RowKind::Several => {
                let mut system = ModelSystem::new(ModelSpace::new(round(), None), None);
                let free = Assumption::of(none);
                let merging = Reduction::Merging;
                usize::from(reduced_for_several(&mut system, "G F a", &free, merging))
            }
            RowKind::Global => under(Notion::Global),
            RowKind::Inherent => under(Notion::Inherent(PrefixKind::Run)),
            RowKind::Refinement => {
                let mut system = ModelSystem::new(ModelSpace::new(round(), None), None);
                let verdict = claim::nonterminating(&mut system, Bounds::default());
                verdict.expect("no failure").reductions.len()
            }
            RowKind::Last => {
                let text = format!("{errors} ltl p {{ [] (_last >= 0) }}");
                promela(&text, &formula, none)
            }
            RowKind::Open => {
                let mut model = round();
                model.templates[0].locations[0].atomic = true;
                passed("G F a", None, none, model)
            }
            kind => panic!("{kind:?}: a row of another table"),
        };
        assert_eq!(count > 0, row.kept, "{}", row.what);
    }
}

/// `R` takes `bad` where no process receives. With `x` merged into the statement that lets `R` go on, some
/// process always would.
const RANKED: &str = "model atomicity priority, exit any
    event e0 idle : idle
    event e1 go : visible
    event e2 own : visible
    event e3 bad : visible
    event e4 meet : visible
    variable g0 g : 0..1 = 0
    channel c0 c capacity 0 : (0..1)
    template t0 P parameters 0 {
      local l0 x : 0..1 = 0
      location q0 a { -> q1 on e1 do { g0 := 1 } as go }
      location q1 b { -> q2 on e2 do { l0 := 1 } as own }
      location q2 c { -> q2 receive 0 (_) on e4 as meet }
    }
    template t1 R parameters 0 {
      location q0 a { -> q1 if g0 on e1 as go }
      location q1 b { -> q1 send 0 (0) on e4 as meet -> q1 rank 1 on e3 as bad }
    }
    slot p0 P : t0 start t0()
    slot p1 R : t1 start t1()";

#[test]
fn what_waits_for_a_rendezvous_that_nobody_is_ready_for() {
    let model = fairly_model::text::parse(RANKED).expect("a model");
    verify(&model).expect("a model");
    assert_eq!(passed("G !bad", None, Notion::None, model.clone()), 0);
    // Where nothing waits for it, it makes no difference who is ready.
    let mut plain = model;
    plain.templates[1].locations[1].edges.as_mut().expect("its edges").truncate(1);
    assert_eq!(passed("G !bad", None, Notion::None, plain), 1);
}

/// Whether a state in which nothing can be done is a deadlock depends on whether the last step to it was
/// termination.
#[test]
fn termination_is_taken_by_itself() {
    for (first, then, expected) in [("e1", "e2", false), ("e2", "e1", true), ("e2", "e2", false)] {
        let text = format!(
            "model atomicity priority, exit any
            event e0 idle : idle
            event e1 end : termination
            event e2 own : visible
            template t0 P parameters 0 {{
              location q0 a {{ -> q1 on {first} as first }}
              location q1 b {{ -> q2 on {then} as then }}
              location q2 c {{}}
            }}
            slot p0 P : t0 start t0()"
        );
        let model = fairly_model::text::parse(&text).expect("a model");
        for reduction in [Reduction::Off, Reduction::Merging] {
            let mut system = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
            let effort = Effort { reduction, any_run: true, ..Effort::default() };
            let verdict =
                claim::deadlock_free(&mut system, effort).expect("it stands up to replay");
            let holds = matches!(verdict.outcome, ClaimOutcome::Holds(_));
            assert_eq!(holds, expected, "{first} {then} {reduction:?}");
        }
    }
}

/// A step may run so many statements and no more. One with a loop is left as it is, or what is merged into it
/// might be the one too many.
#[test]
fn a_loop_that_just_ends_is_not_lengthened() {
    let fails = |rounds: usize, reduction: Reduction| {
        let text = format!(
            "model atomicity priority, exit any
            event e0 idle : idle
            event e1 own : visible
            template t0 P parameters 0 {{
              local l0 x : 0..200000 = 0
              location q0 a {{ -> q1 on e1 do {{ while l0 < {rounds} {{ l0 := l0 + 1 }} }} as own }}
              location q1 b {{ -> q2 on e1 do {{ l0 := 0; l0 := 1; l0 := 2 }} as own }}
              location q2 c {{}}
            }}
            slot p0 P : t0 start t0()"
        );
        let model = fairly_model::text::parse(&text).expect("a model");
        let mut interpreter = ModelSpace::new(model, None);
        interpreter.set_limits(Limits { statements: 100_000, ..Limits::default() });
        let mut system = ModelSystem::new(interpreter, None);
        let effort = Effort { reduction, any_run: true, ..Effort::default() };
        let verdict = claim::faultless(&mut system, &[], |_| None, effort);
        !matches!(verdict.expect("it stands up to replay").outcome, ClaimOutcome::Holds(_))
    };
    let (mut most, mut too_many) = (1, 200_000);
    assert!(!fails(most, Reduction::Off) && fails(too_many, Reduction::Off));
    while most + 1 < too_many {
        let middle = usize::midpoint(most, too_many);
        match fails(middle, Reduction::Off) {
            true => too_many = middle,
            false => most = middle,
        }
    }
    assert!(!fails(most, Reduction::Merging));
}
