//! Merged statements: what is left is stuttering bisimilar to the system, by a naive comparison of both;
//! verdicts and runs are those of the whole system; what each condition is for; what is saved.
//!
//! `FAIRLY_RANDOM_CASES` says how many random models and programs, `FAIRLY_SEED` the seed of the first.

#[path = "promela_random/program.rs"]
#[allow(dead_code, reason = "the comparison with SPIN uses more of it")]
mod program;
#[path = "promela_random/generate.rs"]
mod promela_generate;
mod reduced;

use std::collections::{BTreeSet, HashMap};

use fairly_check::claim::{ClaimOutcome, Effort};
use fairly_check::promela::{PromelaFile, Question};
use fairly_check::{Assumption, Options, Outcome, Property, Reduction, Verdict, check};
use fairly_fairness::{Constraint, Level, Notion, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::{
    Collapsed, Communication, Expr, Interpreter, Model, StatementKind, Target, verify,
};
use fairly_omega::StateId;
use fairly_reduce::{Reduced, Reducible, Watched};
use fairly_search::Bounds;
use fairly_system::{AtomIndex, ProcessId, RunStep, Transition, TransitionSystem};
use fairly_testkit::Rng;
use fairly_witness::follow;
use program::Form;
use reduced::given::{cases, first_seed};
use reduced::{any_formula, loose_model, small_enough};

/// A model whose processes often do something that is only about themselves.
fn private_model(rng: &mut Rng) -> Model {
    let mut model = loose_model(rng);
    let plain = rng.chance(1, 2);
    for template in &mut model.templates {
        for location in &mut template.locations {
            let Some(edges) = &mut location.edges else { continue };
            if !rng.chance(1, 2) {
                continue;
            }
            edges.truncate(1);
            for edge in edges {
                edge.guard = Expr::TRUE;
                if plain || rng.chance(2, 3) {
                    edge.communication = Communication::None;
                    edge.hold = false;
                    let of_own = |kind: &StatementKind| match kind {
                        StatementKind::Assign(pairs) => pairs.iter().all(|(place, _)| {
                            matches!(place.variable, fairly_model::AnyVariable::Local(_))
                        }),
                        _ => false,
                    };
                    edge.effect.retain(|statement| of_own(&statement.kind));
                }
                if let (Target::Exit, true) = (edge.target, rng.chance(1, 2)) {
                    edge.target = Target::Location(fairly_model::LocationId(0));
                }
            }
        }
    }
    model
}

/// A system as a graph: what is seen of each state, and where its steps lead.
struct Graph {
    labels: Vec<String>,
    steps: Vec<BTreeSet<usize>>,
}

/// The graph of a system; `None` if it has many states.
fn graph(system: &mut Reduced<'_, Collapsed>, atoms: &[AtomIndex]) -> Option<Graph> {
    const MOST: usize = 300;
    let mut numbers: HashMap<StateId, usize> = HashMap::new();
    let mut order = system.initial();
    numbers.extend(order.iter().enumerate().map(|(at, &state)| (state, at)));
    let mut graph = Graph { labels: Vec::new(), steps: Vec::new() };
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        if next > MOST {
            return None;
        }
        let mut out: Vec<Transition> = Vec::new();
        system.enabled(state, &mut out);
        let holding: Vec<bool> = atoms.iter().map(|&atom| system.holds(state, atom)).collect();
        let fault = system.fault(state).map(|fault| fault.message.clone());
        graph.labels.push(format!("{holding:?} {fault:?} {}", out.is_empty()));
        let mut number = |target: StateId| {
            *numbers.entry(target).or_insert_with(|| {
                order.push(target);
                order.len() - 1
            })
        };
        graph.steps.push(out.iter().map(|step| number(step.target)).collect());
    }
    Some(graph)
}

/// Whether the first states of two graphs are stuttering bisimilar, runs that stay among states that are
/// told from each other by nothing included. States are told apart by what is seen of them, then by where
/// they can go through states like themselves, until no more are.
fn bisimilar(one: &Graph, other: &Graph) -> bool {
    let second = one.labels.len();
    let mut steps: Vec<Vec<usize>> = one.steps.iter().map(|to| to.iter().copied().collect()).collect();
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
        let model = private_model(&mut rng);
        if verify(&model).is_err() {
            continue;
        }
        let mut system = Collapsed::new(Interpreter::new(model.clone()));
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
        if system.merge(&watched) == 0 {
            continue;
        }
        merged += 1;
        let mut reduced = Reduced::whole(&mut system);
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        let small = graph(&mut reduced, &atoms)
            .unwrap_or_else(|| panic!("more states than before: {}", what()));
        assert!(small.labels.len() <= whole.labels.len(), "more states: {}", what());
        assert!(bisimilar(&whole, &small), "not bisimilar: {}", what());
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
    reduced: &mut Reduced<'_, Collapsed>,
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
    let lifted = reduced.lift_steps(start, &steps).unwrap_or_else(|| panic!("{}", what()));
    let is_there = reduced.fault(at).is_some() || lifted.last().is_none_or(|last| last.to == at);
    assert!(is_there && lifted.len() >= steps.len(), "{}", what());
    (start, lifted)
}

/// What a question about a system is answered with; whether statements were merged.
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
fn assumption(rng: &mut Rng, system: &Collapsed) -> Assumption {
    let mut assumption = Assumption::of(*rng.pick(&[
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
    let wanted = cases(9_000);
    for seed in first_seed(1).. {
        if compared >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let model = private_model(&mut rng);
        if verify(&model).is_err() {
            continue;
        }
        let mut system = Collapsed::new(Interpreter::new(model.clone()));
        if !small_enough(&mut system) {
            continue;
        }
        let mut atoms: Vec<String> =
            model.propositions.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        for slot in &model.slots {
            let location = rng.pick(&model.template(slot.templates[0]).locations);
            atoms.push(format!("\"{}@{}\"", slot.name, location.name));
        }
        let events = model.events.iter().skip(1);
        atoms.extend(events.map(|event| format!("event({})", event.name)));
        atoms.push("\"deadlock\"".to_owned());
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
                    holds, same,
                    "{text} under {assumption} {:?} {reduction:?} FAIRLY_SEED={seed}\n{}",
                    assumption.extra, what()
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
    assert!(merged * 5 > compared, "too little was merged");
}

const BOUNDS: Bounds = Bounds { nodes: Some(3000), deadline: None, bytes: None, watch: None };

fn answers(file: &mut PromelaFile, question: &Question, reduction: Reduction) -> Vec<(Option<bool>, bool)> {
    let is_merged =
        |all: &[String]| all.iter().any(|it: &String| it.starts_with("statements merged"));
    match file.property(question) {
        Err(_) => Vec::new(),
        Ok(None) => {
            let effort = Effort { bounds: BOUNDS, reduction, any_run: true };
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

fn decided(verdict: &Verdict) -> Option<bool> {
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
