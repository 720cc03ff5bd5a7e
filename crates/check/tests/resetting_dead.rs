//! Variables that are dead: what is left when they are reset is strongly bisimilar to the system, by a
//! naive comparison of both; verdicts and runs are those of the whole system; what is saved.
//!
//! `FAIRLY_RANDOM_CASES` says how many random models and programs, `FAIRLY_SEED` the seed of the first.
//! Verdicts under random formulas and fairness are compared in `reduction.rs`, too.

use std::collections::{BTreeSet, HashMap};

use fairly_check::claim::{ClaimOutcome, ClaimVerdict, Effort};
use fairly_check::soundness::{RESETTING_DEAD, RowKind};
use fairly_check::{Answer, Assumption, Options, Outcome, Property, Reduction, check};
use fairly_fairness::{Level, Notion, PrefixKind};
use fairly_logic::Formulas;
use fairly_model::{ModelSpace, text, verify};
use fairly_omega::StateId;
use fairly_reduce::{ModelSystem, Reduced, Watched};
use fairly_search::Bounds;
use fairly_system::{ActionId, AtomIndex, RunStep, TransitionSystem};
use fairly_testkit::Rng;
use fairly_witness::follow;

use crate::common::languages::{PromelaFile, Question};
use crate::promela_random::generate as promela_generate;
use crate::promela_random::program::Form;
use crate::reduced::numbered;
use crate::workers::reduced_for_several;
use fairly_modelkit::{Shape, cases, first_seed, random_model};

/// A system as a graph: what is seen of each state, and its steps.
struct Graph {
    labels: Vec<String>,
    steps: Vec<BTreeSet<(ActionId, usize)>>,
}

/// The graph of a system; `None` if it has many states.
fn graph(system: &mut Reduced<'_, ModelSystem>, atoms: &[AtomIndex]) -> Option<Graph> {
    let mut graph = Graph { labels: Vec::new(), steps: Vec::new() };
    for (state, steps) in numbered(system, 400)? {
        let mut offered = Vec::new();
        system.offered(state, &mut offered);
        offered.sort_unstable();
        let holding: Vec<bool> = atoms.iter().map(|&atom| system.holds(state, atom)).collect();
        let fault = system.fault(state).map(|fault| fault.message.clone());
        graph.labels.push(format!("{holding:?} {offered:?} {fault:?}"));
        graph.steps.push(steps.into_iter().collect());
    }
    Some(graph)
}

/// Key that tells a state from others: its class before, its observations, and the classes its steps lead to.
type Kind<'a> = (usize, &'a str, BTreeSet<(ActionId, usize)>);

/// Whether the first states of two graphs are strongly bisimilar: states are told apart by what is seen of
/// them, then by where their steps lead, until no more are.
fn bisimilar(one: &Graph, other: &Graph) -> bool {
    let second = one.labels.len();
    let mut class = vec![0; second + other.labels.len()];
    let mut classes = 0;
    loop {
        let mut known: HashMap<Kind<'_>, usize> = HashMap::new();
        let mut refined = Vec::with_capacity(class.len());
        for (graph, first) in [(one, 0), (other, second)] {
            for (at, label) in graph.labels.iter().enumerate() {
                let steps = graph.steps[at].iter().map(|&(action, to)| (action, class[first + to]));
                let key = (class[first + at], label.as_str(), steps.collect());
                let new = known.len();
                refined.push(*known.entry(key).or_insert(new));
            }
        }
        if known.len() == classes {
            return class[0] == class[second];
        }
        classes = known.len();
        class = refined;
    }
}

#[test]
fn what_is_left_is_bisimilar() {
    let (mut compared, mut smaller) = (0, 0);
    let wanted = cases(3000);
    for seed in first_seed(1).. {
        if compared >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let (remote, channels) = (rng.chance(1, 3), rng.below(2));
        let shape = Shape { variables: 3, channels, depth: 1, remote, ..Shape::default() };
        let model = random_model(&mut rng, &shape);
        if verify(&model).is_err() {
            continue;
        }
        let mut system = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
        let mut names: Vec<String> = vec!["deadlock".to_owned(), "terminated".to_owned()];
        names.extend(model.propositions.iter().map(|(name, _)| name.clone()));
        let atoms: Vec<AtomIndex> = names
            .iter()
            .filter(|_| rng.chance(2, 3))
            .filter_map(|name| system.atom(name))
            .collect();
        let watched = Watched { atoms: atoms.clone(), ..Watched::default() };
        let Some(whole) = graph(&mut Reduced::whole(&mut system), &atoms) else { continue };
        let mut reduced = Reduced::whole(&mut system).resetting_dead(&watched);
        if reduced.dead_resets().is_none() || whole.labels.len() < 6 {
            continue;
        }
        let small = graph(&mut reduced, &atoms).expect("no more states than before");
        let what = || format!("seed {seed}\n{}", text::print(&model));
        assert!(small.labels.len() <= whole.labels.len(), "more states: {}", what());
        assert!(bisimilar(&whole, &small), "not bisimilar: {}", what());
        compared += 1;
        smaller += u64::from(small.labels.len() < whole.labels.len());
        let (start, lifted) = walk(&mut rng, &mut reduced, &atoms, &what);
        drop(reduced);
        follow(&mut system, start, &lifted).unwrap_or_else(|flaw| panic!("{flaw}: {}", what()));
    }
    println!("{compared} models, {smaller} of them smaller");
    assert!(smaller * 12 > compared, "too little was forgotten");
}

/// A random walk through a system in which something is reset, as one of the whole system: the same
/// actions, and the same is seen.
fn walk(
    rng: &mut Rng,
    reduced: &mut Reduced<'_, ModelSystem>,
    atoms: &[AtomIndex],
    what: &dyn Fn() -> String,
) -> (StateId, Vec<RunStep>) {
    let start = reduced.initial()[0];
    let mut steps: Vec<RunStep> = Vec::new();
    let mut at = start;
    for _ in 0..12 {
        let mut out = Vec::new();
        reduced.enabled(at, &mut out);
        if out.is_empty() {
            break;
        }
        let step = *rng.pick(&out);
        steps.push(RunStep { from: at, action: step.action, to: step.target });
        at = step.target;
    }
    let lifted = reduced.lift_steps(start, &steps).unwrap_or_else(|_| panic!("{}", what()));
    let start = reduced.start_of(start).expect("an initial state");
    for (small, step) in steps.iter().zip(&lifted) {
        assert_eq!(small.action, step.action, "{}", what());
        for &atom in atoms {
            let (small, step) =
                (reduced.holds(small.to, atom), reduced.inner().holds(step.to, atom));
            assert_eq!(small, step, "{}", what());
        }
    }
    (start, lifted)
}

const BOUNDS: Bounds = Bounds { nodes: Some(3000), deadline: None, bytes: None, watch: None };

/// Answer, whether a variable was reset, and how many states there were.
pub(crate) type Said = (Option<bool>, bool, usize);

pub(crate) fn of_claim(verdict: &ClaimVerdict) -> Said {
    let holds = match verdict.outcome {
        ClaimOutcome::Holds(_) => Some(true),
        ClaimOutcome::Violated(_) => Some(false),
        ClaimOutcome::Unknown(_) => None,
    };
    (holds, !verdict.reductions.is_empty(), verdict.size.map_or(0, |size| size.states))
}

pub(crate) fn of_formula(verdict: &Answer) -> Said {
    let holds = match verdict.outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Violated(_) | Outcome::Doomed(_) => Some(false),
        Outcome::Unknown(_) => None,
    };
    (holds, !verdict.stamp.reductions.is_empty(), verdict.stamp.system.0)
}

/// Under these notions a formula is asked.
const NOTIONS: [Notion; 9] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Weak(Level::Action),
    Notion::StrongLive,
    Notion::Inherent(PrefixKind::Run),
    Notion::Inherent(PrefixKind::Trace),
    Notion::Global,
];

fn answers(file: &mut PromelaFile, question: &Question, reduction: Reduction) -> Vec<Said> {
    match file.property(question) {
        Err(_) => Vec::new(),
        Ok(None) => {
            let effort = Effort { bounds: BOUNDS, reduction, any_run: true, ..Effort::default() };
            let verdict = file.claim(question, effort).expect("it stands up to replay");
            vec![of_claim(&verdict)]
        }
        Ok(Some(mut property)) => {
            let options =
                Options { bounds: BOUNDS, reduction, any_run: true, ..Options::default() };
            let ask = |notion| {
                let assumption = Assumption::of(notion);
                let system = file.interpreter();
                let verdict = check(system, &mut property, &assumption, &options);
                of_formula(&verdict.expect("it stands up to replay"))
            };
            // Inherent fairness is not asked of automata.
            let is_formula = !matches!(question, Question::Never(_));
            let asked = |notion: &Notion| is_formula || !matches!(notion, Notion::Inherent(_));
            NOTIONS.into_iter().filter(asked).map(ask).collect()
        }
    }
}

#[test]
fn random_promela() {
    let (mut compared, mut dead_resets) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(150) {
        let text = promela_generate::program(seed).text(Form::Formulas);
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        for question in file.questions() {
            let whole = answers(&mut file, &question, Reduction::Off);
            for reduction in [Reduction::DeadVariables, Reduction::Sound] {
                let small = answers(&mut file, &question, reduction);
                for (whole, small) in whole.iter().zip(&small) {
                    let told = || format!("{question:?} {reduction:?} FAIRLY_SEED={seed}\n{text}");
                    let (Some(holds), Some(same)) = (whole.0, small.0) else { continue };
                    assert_eq!(holds, same, "{}", told());
                    // Where everything was looked at, it was not more.
                    assert!(!holds || small.2 <= whole.2, "{whole:?} {small:?} {}", told());
                    compared += 1;
                    dead_resets += usize::from(small.1);
                }
            }
        }
    }
    println!("{compared} verdicts, {dead_resets} of them with less than everything");
    assert!(dead_resets * 12 > compared, "too little was forgotten");
}

fn ask(file: &mut PromelaFile, notion: Notion, reduction: Reduction) -> Answer {
    let mut property = file.property(&Question::Formula(0)).expect("a formula").expect("a formula");
    let options = Options { reduction, ..Options::default() };
    let assumption = Assumption::of(notion);
    check(file.interpreter(), &mut property, &assumption, &options)
        .expect("runs stand up to replay")
}

/// The value that a state is shown with.
fn shown(file: &mut PromelaFile, state: StateId, name: &str) -> String {
    let all = file.interpreter().valuation(state);
    let found = all.iter().find(|(known, _)| known.ends_with(name));
    found.unwrap_or_else(|| panic!("{name} in {all:?}")).1.clone()
}

/// `x` is dead where the run ends, and is shown as it is.
#[test]
fn a_run_shows_what_was_dead_resets() {
    let text = "byte g; active proctype P() { byte x; x = 3; g = x; g = 0; assert(g == 1) }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let effort = Effort { reduction: Reduction::Sound, ..Effort::default() };
    let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
    assert!(verdict.reductions.iter().any(|it| it.contains("dead variables")), "{verdict:?}");
    let ClaimOutcome::Violated(Some(run)) = verdict.outcome else { panic!("{verdict:?}") };
    assert_eq!(shown(&mut file, run.prefix.end(), "x"), "3");
}

/// Where the cycle begins `x` is dead: first 7, then 1 for ever. The cycle of the system begins one round
/// later.
#[test]
fn a_cycle_closes_after_one_more_round() {
    let text = "byte g; active proctype P() {
            byte x = 5; x = 7; g = x;
            do :: x = 1; g = x; g = 0 od
        }
        ltl p { <> (g == 2) }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let verdict = ask(&mut file, Notion::None, Reduction::DeadVariables);
    assert_eq!(verdict.stamp.reductions.len(), 1);
    let Outcome::Violated(found) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
    let values: Vec<String> =
        found.run.steps().map(|step| shown(&mut file, step.from, "x")).collect();
    assert!(values.contains(&"7".to_owned()), "{values:?}");
    for step in &found.run.cycle {
        assert_eq!(shown(&mut file, step.from, "x"), "1");
    }
}

/// A sequence that is not interrupted is one step up to where it comes to a state again. Changes on the way are
/// remembered, or it would be there one round earlier.
#[test]
fn rounds_of_atomic_sequences_are_the_same() {
    let text = "active proctype P() {
            byte t = 3;
            do :: atomic { do :: true; if :: true :: true fi; t = 0 :: break od } od
        }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let system = file.interpreter();
    let whole = graph(&mut Reduced::whole(system), &[]).expect("small");
    let mut reduced = Reduced::whole(system).resetting_dead(&Watched::default());
    let small = graph(&mut reduced, &[]).expect("small");
    assert!(bisimilar(&whole, &small));
}

/// A variable of a process that a formula reads is not reset for that formula, and is for others.
#[test]
fn what_a_formula_reads_is_kept() {
    let text = "byte g; active proctype P() { byte x; x = 3; g = x; g = 0; g = 5 }
        ltl p { <> (P:x == 3 && g == 5) }
        ltl q { <> (g == 5) }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    for (at, resets_dead) in [(0, false), (1, true)] {
        let [said] = answers(&mut file, &Question::Formula(at), Reduction::DeadVariables)[..1]
        else {
            panic!("one notion")
        };
        assert_eq!((said.0, said.1), (Some(true), resets_dead), "{at}");
    }
}

/// One location, two events, each of which sets a variable that is never read: the run with `a` and `b` in turn
/// takes only one of them in either state, and both in the one that is left.
const HALVES: &str = "model atomicity priority, exit any
    event e0 idle : idle
    event e1 a : visible
    event e2 b : visible
    template t0 P parameters 0 {
      local l0 x : 0..1 = 0
      location q0 here { -> q0 on e1 do { l0 := 0 } as a -> q0 on e2 do { l0 := 1 } as b }
    }
    slot p0 P : t0 start t0()";

#[test]
fn strong_global_fairness_is_not_kept() {
    let mut system =
        ModelSystem::new(ModelSpace::new(text::parse(HALVES).expect("a model"), None), None);
    let mut formulas = Formulas::new();
    let parsed = formulas.parse("!F G ((a -> X b) && (b -> X a))").expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, &mut system).expect("its names");
    let fair = Assumption::of(Notion::Global);
    let options = Options::default();
    let verdict = check(&mut system, &mut property, &fair, &options).expect("runs stand up");
    assert!(matches!(verdict.outcome, Outcome::Holds(_)));
    let mut reduced = Reduced::whole(&mut system).resetting_dead(&Watched::default());
    assert_eq!(graph(&mut reduced, &[]).expect("small").labels.len(), 1);
    drop(reduced);
    assert_eq!(graph(&mut Reduced::whole(&mut system), &[]).expect("small").labels.len(), 2);
}

/// An unbounded counter that is never read.
const COUNTER: &str = "int n; byte g; active proctype P() { do :: n++ :: n = n * 3; g = 1 - g od }
    ltl served { [] <> (g == 1) }
    ltl small { [] (g < 2) }
    ltl seen { [] (n == 0 || g < 2) }";

/// A counter that is never read costs nothing, but for the formula that asks for it. A run that counts for ever
/// is shown with the values of the counter, and goes round although it is never the same.
#[test]
fn a_counter_that_nobody_reads() {
    let mut file = PromelaFile::parse(COUNTER, &[]).expect("a model");
    let effort = Effort::default();
    for question in [Question::Errors, Question::EndStates] {
        let said = of_claim(&file.claim(&question, effort).expect("it stands up to replay"));
        assert!(said.0 == Some(true) && said.2 <= 4, "{said:?}");
    }
    let small = answers(&mut file, &Question::Formula(1), Reduction::DeadVariables);
    for (notion, said) in NOTIONS.iter().zip(small) {
        let wanted = (*notion != Notion::Global).then_some(true);
        assert_eq!(said.0, wanted, "{notion}");
        assert!(said.2 <= 4 || wanted.is_none(), "{said:?}");
    }
    for reduction in [Reduction::DeadVariables, Reduction::Sound] {
        let verdict = ask(&mut file, Notion::None, reduction);
        let Outcome::Violated(found) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
        let (first, last) = (found.run.cycle[0].from, found.run.cycle.last().expect("a cycle").to);
        let values = [first, last].map(|state| shown(&mut file, state, "n").parse::<i64>());
        let [Ok(first), Ok(last)] = values else { panic!("{values:?}") };
        assert!(first < last, "{first} {last}");
    }
    let seen = answers(&mut file, &Question::Formula(2), Reduction::Sound);
    assert_eq!(seen[0].0, None, "its states do not end");
}

/// A process that counts in vain comes back to where it was, and must not keep others from moving for ever. A
/// counter of several processes does not make them depend on each other.
#[test]
fn a_counter_that_nobody_reads_hides_nobody() {
    for declared in ["int n; active proctype P() {", "active proctype P() { int n;"] {
        let text = format!(
            "byte g; {declared} do :: n++ od }}
            active proctype Q() {{ g = 1; assert(false) }}
            ltl p {{ <> (g == 1) }}"
        );
        let mut file = PromelaFile::parse(&text, &[]).expect("a model");
        for reduction in [Reduction::DeadVariables, Reduction::Sound] {
            let effort = Effort { reduction, ..Effort::default() };
            let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
            assert_eq!(of_claim(&verdict).0, Some(false), "{reduction:?} {text}");
            for (notion, holds) in [(Notion::None, false), (Notion::Weak(Level::Process), true)] {
                let verdict = ask(&mut file, notion, reduction);
                assert_eq!(of_formula(&verdict).0, Some(holds), "{reduction:?} {notion} {text}");
            }
        }
    }
    // With steps that are never merged beside it.
    let text = "byte h;
        active proctype P() { byte n; do :: n++; skip od }
        active proctype R() { do :: h = 1 - h od }
        active proctype Q() { h = 3; assert(h != 3) }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    for reduction in [Reduction::DeadVariables, Reduction::Sound] {
        let effort = Effort { reduction, ..Effort::default() };
        let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
        assert_eq!(of_claim(&verdict).0, Some(false), "{reduction:?}");
    }
    let text = "int n; active [6] proctype P() { byte x; n++; n = n + 2; x = n; n++ }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let verdict = file.claim(&Question::Errors, Effort::default()).expect("it stands up to replay");
    let said = of_claim(&verdict);
    assert!(said.0 == Some(true) && said.2 <= 40, "{said:?}");
}

/// Variables that may have no value, may leave their range, or decide a guard, an index, a message or an
/// argument are not reset, and neither are those from which they are computed, through any number of others.
#[test]
fn what_something_depends_on_is_kept() {
    for text in [
        "byte n, z; active proctype P() { do :: n++; z = 10 / n od }",
        "byte n; byte a[3]; active proctype P() { do :: n++; a[n] = 1 od }",
        "byte n; byte a[3]; active proctype P() { do :: n++; a[n] = a[n] + 1 od }",
        "byte n, z; byte a[3]; active proctype P() { do :: n++; z = z + a[n] od }",
        "byte n, z; byte a[3], b[3]; active proctype P() { do :: n++; z = a[b[n]] od }",
        "byte n; byte a[3], b[3]; active proctype P() { do :: n++; b[0] = n; a[b[0]] = 1 od }",
        "byte a[2]; active [3] proctype P() { do :: a[_pid] = a[_pid] + 1 od }",
        "byte n, m; active proctype P() { do :: n++; m = n; if :: m == 7 -> assert(false) :: else fi od }",
        "byte n; chan c = [1] of { byte }; active proctype P() { byte x; do :: n++; c!n; c?x; assert(x != 7) od }",
        "byte n; proctype W(byte x) { assert(x != 7) } active proctype P() { do :: n++; run W(n); _nr_pr == 1 od }",
        "byte n; active proctype P() { byte x; do :: n++; x = n; d_step { n = x; assert(n != 7) } od }",
    ] {
        let mut file = PromelaFile::parse(text, &[]).expect("a model");
        for reduction in [Reduction::DeadVariables, Reduction::Sound, Reduction::Off] {
            let effort = Effort { reduction, any_run: true, ..Effort::default() };
            let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
            assert_eq!(of_claim(&verdict).0, Some(false), "{reduction:?} {text}");
        }
    }
    // The same, with values that are certain to be there.
    for text in [
        "byte n, z; active proctype P() { do :: n++; z = n / 10 od }",
        "byte n; byte a[3]; active proctype P() { do :: n++; a[n % 3] = a[n % 3] + n od }",
        "byte n, m; active proctype P() { do :: n++; m = n; n = m + 1 od }",
        "int a[2]; active [2] proctype P() { do :: a[_pid]++ od }",
        "int a[2]; bit i; active proctype P() { do :: a[i] = a[i] + a[1 - i]; i = 1 - i od }",
        "int a[2]; byte i; active proctype P() { do :: i < 1 -> a[i]++; i++ od }",
        "byte n; proctype W(byte x) { byte y; y = x } active proctype P() { do :: n++; run W(n); _nr_pr == 1 od }",
    ] {
        let mut file = PromelaFile::parse(text, &[]).expect("a model");
        let effort = Effort { reduction: Reduction::DeadVariables, ..Effort::default() };
        let verdict = file.claim(&Question::Errors, effort).expect("it stands up to replay");
        let said = of_claim(&verdict);
        assert!(said.0 == Some(true) && said.2 <= 6, "{said:?} {text}");
    }
}

/// Every row of the table that is about formulas.
#[test]
fn every_row_of_the_table() {
    let text = "byte g; active [2] proctype P() { byte x; do :: x = 1; g = x; g = 0 :: x = 2 od }
        ltl p { [] (g != 2) -> [] <> (g == 0) }";
    for row in RESETTING_DEAD {
        let notion = match row.kind {
            RowKind::NoFairness | RowKind::Alike => Notion::None,
            RowKind::ProcessFairness | RowKind::MachineClosure => Notion::Strong(Level::Process),
            RowKind::Global => Notion::Global,
            RowKind::Inherent => Notion::Inherent(PrefixKind::Run),
            RowKind::Several => {
                let mut file = PromelaFile::parse(text, &[]).expect("a model");
                let (free, dead) = (Assumption::of(Notion::None), Reduction::DeadVariables);
                let used = reduced_for_several(file.interpreter(), "G F \"g == 0\"", &free, dead);
                assert_eq!(used, row.kept, "{}", row.what);
                continue;
            }
            // Asked elsewhere.
            _ => continue,
        };
        let mut file = PromelaFile::parse(text, &[]).expect("a model");
        let whole = ask(&mut file, notion, Reduction::Off);
        let small = ask(&mut file, notion, Reduction::DeadVariables);
        assert_eq!(of_formula(&whole).0, of_formula(&small).0, "{}", row.what);
        assert_eq!(!small.stamp.reductions.is_empty(), row.kept, "{}", row.what);
    }
}
