//! Refinement, divergence, determinism and termination, compared with the definitions on random
//! systems, and on systems by hand. Every run that is shown is replayed and judged.

mod by_hand;
mod fair;
mod lts;
mod oracle;
mod witness;

use fairly_search::Bounds;
use fairly_search::refinement::{
    Answer, Determinism, Model, deterministic, divergence_free, nonterminating, refines,
};
use fairly_testkit::Rng;

use lts::{Tiny, shrink};
use witness::{judge_divergence, judge_end, judge_nondeterminism, judge_violation};

/// How many random cases: `FAIRLY_RANDOM_CASES`, or else `usual`.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<u64>().expect("a number"));
    let first = number("FAIRLY_SEED").unwrap_or(0);
    first..first + number("FAIRLY_RANDOM_CASES").unwrap_or(usual)
}

fn answer(implementation: &Tiny, specification: &Tiny, model: Model) -> bool {
    let mut systems = (implementation.system(), specification.system());
    let answer = refines(&mut systems.0, &mut systems.1, model, Bounds::default()).unwrap();
    answer == Answer::Refines
}

/// Runs a test on systems, and shrinks them before it fails.
fn check(seed: u64, systems: Vec<Tiny>, test: impl Fn(&[Tiny]) -> Result<(), String>) {
    let Err(error) = test(&systems) else { return };
    let small = shrink(systems, |systems| test(systems).is_err());
    let small_error = test(&small).unwrap_err();
    let drawn: Vec<String> = small.iter().map(Tiny::to_string).collect();
    panic!("seed {seed}: {error}\nsmaller: {small_error}\n{}", drawn.join("\n"));
}

/// Two systems, often related so that refinement is not rare.
fn random_pair(rng: &mut Rng, most: usize) -> Vec<Tiny> {
    let specification = Tiny::random(rng, most);
    let implementation =
        if rng.chance(1, 2) { specification.varied(rng) } else { Tiny::random(rng, most) };
    vec![implementation, specification]
}

/// Compares one answer with the oracle and judges its witness.
fn agrees(systems: &[Tiny], model: Model, traces: &[Vec<lts::Label>]) -> Result<bool, String> {
    let [implementation, specification] = systems else { unreachable!("a pair") };
    let mut system = implementation.system();
    let mut other = specification.system();
    let answer = refines(&mut system, &mut other, model, Bounds::default()).unwrap();
    let expected = oracle::refines(implementation, specification, model, traces);
    if expected != (answer == Answer::Refines) {
        return Err(format!("{model:?}: refines is {expected}, not {answer:?}"));
    }
    if let Answer::Violated(violation) = &answer {
        judge_violation(&mut system, implementation, specification, model, violation)
            .map_err(|error| format!("{model:?}: {error}: {violation:?}"))?;
    }
    Ok(expected)
}

#[test]
fn random_pairs_refine_as_the_definitions_say() {
    for model in Model::ALL {
        let mut yes = 0u64;
        let range = seeds(20_000);
        for seed in range.clone() {
            let systems = random_pair(&mut Rng::new(seed), 5);
            let test = |systems: &[Tiny]| {
                let traces = oracle::traces(&[&systems[0], &systems[1]]);
                agrees(systems, model, &traces)
            };
            yes += u64::from(test(&systems).unwrap_or(false));
            check(seed, systems, |systems| test(systems).map(|_| ()));
        }
        println!("{model:?}: {yes} of {} pairs refine", range.end - range.start);
        assert!(range.end - range.start < 1000 || yes * 10 > range.end - range.start);
    }
}

/// For two states each, all traces up to |implementation| · 2^|specification| steps are few enough
/// to be looked at one by one.
#[test]
fn random_tiny_pairs_refine_as_all_traces_say() {
    let traces = oracle::literally(8);
    for seed in seeds(500) {
        let mut systems = random_pair(&mut Rng::new(seed), 2);
        for (_, label, _) in systems.iter_mut().flat_map(|system| &mut system.edges) {
            *label = (*label).min(lts::B);
        }
        check(seed, systems, |systems| {
            Model::ALL.into_iter().try_for_each(|model| agrees(systems, model, &traces).map(|_| ()))
        });
    }
}

#[test]
fn random_systems_diverge_branch_and_end_as_the_definitions_say() {
    let mut counts = [0; 4];
    for seed in seeds(20_000) {
        let system = Tiny::random(&mut Rng::new(seed), 5);
        let test = |systems: &[Tiny]| {
            let tiny = &systems[0];
            let same = |what: &str, expected: bool, found: bool| {
                if expected == found { Ok(()) } else { Err(format!("{what} is {expected}")) }
            };
            let bounds = Bounds::default();
            let mut system = tiny.system();
            let found = divergence_free(&mut system, bounds).unwrap();
            let expected = !oracle::diverges(tiny, &oracle::reachable(tiny));
            same("divergence-free", expected, found.is_none())?;
            found.as_ref().map_or(Ok(()), |run| judge_divergence(&mut system, run))?;

            let mut system = tiny.system();
            let found = deterministic(&mut system, Determinism::Failures, bounds).unwrap();
            let csp = oracle::deterministic(tiny);
            same("deterministic", csp, found.is_none())?;
            found.as_ref().map_or(Ok(()), |it| judge_nondeterminism(&mut system, tiny, it))?;

            let mut system = tiny.system();
            let found = deterministic(&mut system, Determinism::Transitions, bounds).unwrap();
            let pat = oracle::unbranched(tiny);
            same("unbranched", pat, found.is_none())?;
            found.as_ref().map_or(Ok(()), |it| judge_nondeterminism(&mut system, tiny, it))?;

            let mut system = tiny.system();
            let found = nonterminating(&mut system, bounds).unwrap();
            let goes_on = oracle::goes_on(tiny);
            same("nonterminating", goes_on, found.is_none())?;
            found.as_ref().map_or(Ok(()), |it| judge_end(&mut system, it))?;
            Ok([expected, csp, pat, goes_on])
        };
        if let Ok(answers) = test(std::slice::from_ref(&system)) {
            counts.iter_mut().zip(answers).for_each(|(count, it)| *count += u64::from(it));
        }
        check(seed, vec![system], |systems| test(systems).map(|_| ()));
    }
    println!("divergence-free, deterministic, unbranched, nonterminating: {counts:?}");
}

#[test]
fn laws_hold_of_random_triples() {
    for seed in seeds(5_000) {
        let rng = &mut Rng::new(seed);
        let one = Tiny::random(rng, 5);
        let (two, three) = (one.varied(rng), one.varied(rng));
        check(seed, vec![one, two, three], |systems| {
            let [one, two, three] = systems else { unreachable!("a triple") };
            let law = |holds: bool, name: &str| if holds { Ok(()) } else { Err(name.to_owned()) };
            let [t, f, fd] = Model::ALL.map(|model| move |p: &Tiny, q: &Tiny| answer(p, q, model));
            for model in Model::ALL {
                law(answer(one, one, model), "reflexive")?;
                let chain = answer(one, two, model) && answer(two, three, model);
                law(!chain || answer(one, three, model), "transitive")?;
            }
            law(!f(one, two) || t(one, two), "failures give traces")?;
            let quiet = |system: &Tiny| {
                divergence_free(&mut system.system(), Bounds::default()).unwrap().is_none()
            };
            if quiet(two) {
                law(!fd(one, two) || (f(one, two) && quiet(one)), "no chaos to hide in")?;
            }
            if quiet(one) {
                law(!f(one, two) || fd(one, two), "failures are enough without divergence")?;
            }
            let settled =
                deterministic(&mut two.system(), Determinism::Failures, Bounds::default());
            if settled.unwrap().is_none() && fd(one, two) {
                law(fd(two, one), "nothing refines a deterministic system but itself")?;
            }
            Ok(())
        });
    }
}
