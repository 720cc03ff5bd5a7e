//! Several workers against one: the same verdicts, and shortest ways of the same length, on random models and
//! networks, under random formulas, fairness and reductions.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of comparisons of each test, `FAIRLY_SEED` is the first seed. Workers are
//! more than there are processors most of the time; with `FAIRLY_DISTURBED` other threads take processors away from them
//! at random moments, too.

use std::num::NonZeroUsize;

use fairly_check::claim::{self, ClaimOutcome, ClaimVerdict, Effort};
use fairly_check::workers::Workers;
use fairly_check::{Answer, Assumption, Options, Outcome, Property, Reduction, check};
use fairly_fairness::Notion;
use fairly_logic::Formulas;
use fairly_model::{ModelSpace, verify};
use fairly_modelkit::{cases, first_seed};
use fairly_reduce::{ModelSystem, Reducible};
use fairly_search::Bounds;
use fairly_search::engines::{Engine, Procedure};
use fairly_system::{AtomIndex, EventPosition, TransitionSystem};
use fairly_testkit::Rng;

use crate::reduced::{any_formula, loose_model, loose_network, network_of, small_enough};
use crate::reduction::{assumption, multiply, names};

const COUNTS: [usize; 5] = [1, 2, 3, 8, 16];
const REDUCTIONS: [Reduction; 3] = [Reduction::Sound, Reduction::Symmetry, Reduction::Off];

/// Whether several workers search a reduced system; the verdict is that of one worker.
pub(crate) fn reduced_for_several<S: Reducible>(
    system: &mut S,
    text: &str,
    assumption: &Assumption,
    reduction: Reduction,
) -> bool {
    let mut ask = |workers| {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(text).expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
        let options = Options { reduction, any_run: true, workers, ..Options::default() };
        check(system, &mut property, assumption, &options).expect("runs stand up to replay")
    };
    let count = NonZeroUsize::new(3).expect("some");
    let [one, several] =
        [Workers::default(), Workers { count, alone: 0, ..Workers::default() }].map(&mut ask);
    let holds = |verdict: &Answer| matches!(verdict.outcome, Outcome::Holds(_));
    assert_eq!(holds(&one), holds(&several), "{text}");
    let shared = Engine::of(Procedure::Shared);
    let is_shared = several.stamp.engine.is_some_and(|engine| std::ptr::eq(engine, shared));
    is_shared && !several.stamp.reductions.is_empty()
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    violated: usize,
    /// Comparisons of formulas in which several workers did the search.
    shared: usize,
}

fn several(rng: &mut Rng, count: usize) -> Workers {
    let count = NonZeroUsize::new(count).expect("at least one");
    Workers { count, alone: *rng.pick(&[0, 0, 0, 3, 20]), ..Workers::default() }
}

/// The outcome of a claim, and the length of the run that shows it.
fn said(verdict: &ClaimVerdict) -> (bool, Option<usize>) {
    match &verdict.outcome {
        ClaimOutcome::Holds(shown) => (true, shown.as_ref().map(|shown| shown.prefix.steps.len())),
        ClaimOutcome::Violated(shown) => {
            (false, shown.as_ref().map(|shown| shown.prefix.steps.len()))
        }
        ClaimOutcome::Unknown(why) => panic!("unknown: {why}"),
    }
}

/// Answers of all claims about reachable states.
fn claims<S: Reducible>(
    system: &mut S,
    goal: Option<AtomIndex>,
    effort: Effort,
) -> Vec<(bool, Option<usize>)> {
    let confirmed = "runs stand up to replay";
    let errors = claim::faultless(system, &[], |_| None, effort).expect(confirmed);
    let stuck = claim::deadlock_free(system, effort).expect(confirmed);
    let (error, both) = claim::faultless_and_stops_well(system, None, effort).expect(confirmed);
    let mut all = vec![said(&errors), said(&stuck), said(&error)];
    assert_eq!(said(&error).0, said(&errors).0);
    assert!(both.is_none_or(|both| said(&both).0 == said(&stuck).0));
    all.extend(goal.map(|goal| said(&claim::reaches(system, goal, effort).expect(confirmed))));
    all
}

/// Whether something is found, and after how many steps.
type Found = (bool, Option<usize>);

fn compare<S: Reducible>(
    rng: &mut Rng,
    system: &mut S,
    atoms: &[String],
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    let reduction = *rng.pick(&REDUCTIONS);
    let goal = system.atom(rng.pick(atoms).trim_matches('"'));
    let count = *rng.pick(&COUNTS);
    let workers = several(rng, count);
    let alone = Effort { reduction, any_run: true, ..Effort::default() };
    let (one, many) =
        (claims(system, goal, alone), claims(system, goal, Effort { workers, ..alone }));
    let lengths_count = reduction == Reduction::Off;
    let same =
        |(one, many): (&Found, &Found)| one.0 == many.0 && (!lengths_count || one.1 == many.1);
    let are_same = one.iter().zip(&many).all(same);
    assert!(are_same, "{one:?}, with {workers:?} and {reduction:?} {many:?}\n{}", what());

    let few: Vec<String> = (0..1 + rng.below(2)).map(|_| rng.pick(atoms).clone()).collect();
    let text = any_formula(rng, &few);
    let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
    let mut assumption = assumption(rng, system);
    if rng.chance(1, 6) {
        assumption.notion = Notion::Global;
    }
    let engine = rng.chance(1, 2).then(|| Engine::of(Procedure::Shared));
    let ask = |system: &mut S, workers, engine| {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&text).expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, system).ok()?;
        property.reading = reading;
        let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
        let options = Options { bounds, reduction, workers, engine, ..Options::default() };
        let verdict = check(system, &mut property, &assumption, &options).ok()?;
        let is_shared =
            verdict.stamp.engine.is_some_and(|it| std::ptr::eq(it, Engine::of(Procedure::Shared)));
        match verdict.outcome {
            Outcome::Holds(_) => Some((true, is_shared)),
            Outcome::Violated(_) => Some((false, is_shared)),
            _ => None,
        }
    };
    let Some((holds, _)) = ask(system, Workers::default(), None) else { return };
    // The engine declines what it cannot decide if it is asked for by name.
    let Some((same, is_shared)) =
        ask(system, workers, engine).or_else(|| ask(system, workers, None))
    else {
        panic!("{text} under {assumption}: no answer with {workers:?}\n{}", what())
    };
    tally.compared += 1;
    tally.violated += usize::from(!holds);
    tally.shared += usize::from(is_shared);
    let extra = &assumption.extra;
    assert_eq!(
        holds,
        same,
        "{text} under {assumption} ({extra:?}), {reading:?}, {workers:?}, {reduction:?}\n{}",
        what()
    );
}

/// Lets threads run and rest at random beside the comparisons, if that is asked for.
fn disturbed(work: impl FnOnce()) {
    if std::env::var_os("FAIRLY_DISTURBED").is_none() {
        return work();
    }
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..std::thread::available_parallelism().map_or(2, NonZeroUsize::get) {
            let is_done = &is_done;
            scope.spawn(move || {
                let mut rng = Rng::new(number as u64);
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    for _ in 0..rng.below(20_000) {
                        std::hint::spin_loop();
                    }
                    std::thread::sleep(std::time::Duration::from_micros(rng.below(50) as u64));
                }
            });
        }
        let _done = Done(&is_done);
        work();
    });
}

/// Sets a flag when it is dropped, also in a panic.
struct Done<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn random_models_have_the_same_verdicts() {
    disturbed(models_have_the_same_verdicts);
}

fn models_have_the_same_verdicts() {
    let mut tally = Tally::default();
    let (first, wanted) = (first_seed(1), cases(2_500));
    for seed in first.. {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let mut model = loose_model(&mut rng);
        if rng.chance(1, 2) {
            multiply(&mut rng, &mut model);
        }
        if verify(&model).is_err() {
            continue;
        }
        let mut whole = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
        if !small_enough(&mut whole) {
            continue;
        }
        let atoms = names(&mut rng, &model);
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("models: {tally:?}");
    assert!(tally.shared * 4 > tally.compared && tally.violated * 10 > tally.compared, "{tally:?}");
}

#[test]
fn random_networks_have_the_same_verdicts() {
    disturbed(networks_have_the_same_verdicts);
}

fn networks_have_the_same_verdicts() {
    let mut tally = Tally::default();
    let (first, wanted) = (first_seed(1), cases(2_500));
    for seed in first.. {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let tiny = loose_network(&mut rng);
        let mut whole = network_of(&tiny);
        let components = tiny.iter().enumerate();
        let mut atoms: Vec<String> = components
            .map(|(at, (states, _))| format!("\"P{at}@{}\"", rng.below(*states as usize)))
            .collect();
        let events: Vec<String> =
            whole.signature().events.iter().skip(1).map(|event| event.name.clone()).collect();
        if events.is_empty() {
            continue;
        }
        atoms.extend(events.iter().map(|event| format!("event({event})")));
        let what = || format!("seed {seed}\n{tiny:#?}");
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("networks: {tally:?}");
    assert!(tally.shared * 4 > tally.compared && tally.violated * 10 > tally.compared, "{tally:?}");
}
