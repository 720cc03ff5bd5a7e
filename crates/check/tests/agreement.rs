//! The same question in different words: single checks, the ladder and the least sets never disagree, and
//! what is printed of a constraint means that constraint.
//!
//! `FAIRLY_RANDOM_CASES` says how many systems of each kind, `FAIRLY_SEED` the seed of the first.

use std::path::Path;

use fairly_check::SystemIndex;
use fairly_check::{
    Assumption, Elsewhere, Ladder, Least, Options, Outcome, Property, WhyUnknown, check,
    ladder_heard, least_heard,
};
use fairly_explore::Explored;
use fairly_fairness::{Constraint, Level, Notion, Predicate, Selector};
use fairly_front::case::{self, parse_constraint};
use fairly_front::csp::syntax::Claim;
use fairly_reduce::{ModelSystem, Reducible};
use fairly_search::{Bounds, survey};
use fairly_system::{EventPosition, Network, TransitionSystem};
use fairly_testkit::Rng;
use fairly_testkit::csp::generate as csp_generate;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, random_network, random_propositions};

use crate::common::languages::{CspFile, PromelaFile};
use crate::common::{network_of, property, seeds, written};
use crate::promela_random::generate as promela_generate;
use crate::promela_random::program::Form;
use crate::symmetry_random;

const BOUNDS: Bounds = Bounds { nodes: Some(1000), deadline: None, bytes: None, watch: None };
const MOST_MOVES: usize = 80;
const LEVELS: [Level; 3] = [Level::Process, Level::Event, Level::Action];

/// Counts of comparisons.
#[derive(Debug, Default)]
struct Tally {
    holding: usize,
    violated: usize,
    sets: usize,
    constraints: usize,
    elsewhere: usize,
}

fn options() -> Options {
    Options { bounds: BOUNDS, ..Options::default() }
}

/// Whether the property holds; none if that is not known.
fn single<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    told: &dyn Fn() -> String,
) -> Option<bool> {
    let verdict = check(system, property, assumption, &options());
    match verdict.unwrap_or_else(|why| panic!("{}\n{assumption}: {why}", told())).outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Violated(_) | Outcome::Doomed(_) => Some(false),
        Outcome::Unknown(_) => None,
    }
}

/// Reads constraints as they were printed; none if the system is too large for that.
fn read_back<S: Reducible>(
    system: &mut S,
    names: &[String],
    told: &dyn Fn() -> String,
) -> Option<Assumption> {
    let mut assumption = Assumption::of(Notion::None);
    for name in names {
        let read =
            parse_constraint(name).unwrap_or_else(|wrong| panic!("{}\n{name}: {wrong:?}", told()));
        let added = assumption.add_within(&read, system, BOUNDS).ok()?;
        added.unwrap_or_else(|wrong| panic!("{}\n{name}: {wrong}", told()));
    }
    Some(assumption)
}

/// Subjects of a constraint, move by move.
fn selected<S: TransitionSystem>(system: &S, constraint: &Constraint) -> Vec<bool> {
    let signature = system.signature();
    let Predicate::Taken(selector) = &constraint.then else { panic!("{constraint:?}") };
    let mut selected: Vec<bool> =
        signature.move_ids().map(|id| selector.selects_move(id, signature)).collect();
    // Two events that no move has are still different ones.
    if let Selector::Events(events) = selector {
        selected.extend(signature.event_ids().map(|event| events.contains(event, signature)));
    }
    selected
}

/// Every constraint of every notion means what its name says.
fn names<S: Reducible>(system: &mut S, tally: &mut Tally, told: &dyn Fn() -> String) {
    let levels = LEVELS.into_iter().flat_map(|level| [Notion::Weak(level), Notion::Strong(level)]);
    for notion in levels.chain([Notion::WeakLive, Notion::StrongLive]) {
        let Ok(constraints) = Assumption::of(notion).constraints(system, BOUNDS) else { return };
        for constraint in constraints {
            let name = constraint.name.clone();
            let Some(read) = read_back(system, std::slice::from_ref(&name), told) else { return };
            let [read] = read.extra.as_slice() else { panic!("{}\n{name}", told()) };
            assert_eq!(read.name, name, "{}", told());
            assert_eq!(read.strength, constraint.strength, "{}\n{name}", told());
            let is_same = selected(system, read) == selected(system, &constraint);
            assert!(is_same, "{}\n{notion}: {name}", told());
            tally.constraints += 1;
        }
    }
}

/// A system and a property of it.
trait Asked {
    type System: Reducible;

    fn both(&mut self) -> (&mut Self::System, &mut Property);
}

impl Asked for (Explored<Network>, Property) {
    type System = Explored<Network>;

    fn both(&mut self) -> (&mut Explored<Network>, &mut Property) {
        (&mut self.0, &mut self.1)
    }
}

impl Asked for (CspFile, SystemIndex, Property) {
    type System = ModelSystem;

    fn both(&mut self) -> (&mut ModelSystem, &mut Property) {
        (self.0.interpreter(self.1), &mut self.2)
    }
}

impl Asked for (PromelaFile, Property) {
    type System = ModelSystem;

    fn both(&mut self) -> (&mut ModelSystem, &mut Property) {
        (self.0.interpreter(), &mut self.1)
    }
}

/// Compares all ways to ask. `fresh` makes the system and the property anew.
fn agree<A: Asked>(fresh: &dyn Fn() -> A, tally: &mut Tally, told: &dyn Fn() -> String) {
    let mut asked = fresh();
    let (system, property) = asked.both();
    // Every constraint is a question here.
    if survey(system, BOUNDS).is_err() || system.signature().moves.len() > MOST_MOVES {
        return;
    }
    names(system, tally, told);
    let mut heard: Vec<Ladder> = Vec::new();
    let hear = &mut |ladder: &Ladder| heard.push(ladder.clone());
    let rungs = ladder_heard(system, property, &[], &options(), hear)
        .unwrap_or_else(|why| panic!("{}\n{why}", told()))
        .rungs;
    // If the work had been ended after a rung, the rungs until then would have been answered, and no others.
    assert_eq!(heard.len(), rungs.len());
    for (until, ladder) in heard.into_iter().enumerate() {
        let ladder = ladder.ended("stopped");
        assert_eq!(ladder.rungs.len(), rungs.len());
        for (at, (rung, answered)) in ladder.rungs.iter().zip(&rungs).enumerate() {
            assert_eq!(rung.notion, answered.notion);
            let why = if at == until + 1 { "stopped" } else { "not begun" };
            let left = Err(WhyUnknown::Ended(why.to_owned()));
            let expected = if at <= until { &answered.holds } else { &left };
            assert_eq!(&rung.holds, expected, "{}\n{}", told(), rung.notion);
        }
    }
    let mut singles: Vec<(Notion, Option<bool>)> = Vec::new();
    for rung in &rungs {
        let holds = single(system, property, &Assumption::of(rung.notion), told);
        if let (Some(holds), Ok(rung_holds)) = (holds, &rung.holds) {
            assert_eq!(holds, *rung_holds, "{}\n{}", told(), rung.notion);
            *(if holds { &mut tally.holding } else { &mut tally.violated }) += 1;
        }
        singles.push((rung.notion, holds));
    }
    let known = |notion: Notion| singles.iter().find(|(it, _)| *it == notion).and_then(|it| it.1);
    for level in LEVELS {
        let mut heard: Vec<Vec<Vec<String>>> = Vec::new();
        let hear = &mut |sets: &[Vec<String>]| heard.push(sets.to_vec());
        let answer = least_heard(system, property, level, &[], &options(), hear)
            .unwrap_or_else(|why| panic!("{}\n{why}", told()));
        let (Least::Sets { sets: all, .. } | Least::Some { sets: all, .. }) = &answer else {
            continue;
        };
        // One more each time, and all of them are least in the end.
        assert!(heard.iter().map(Vec::len).eq(1..=all.len()), "{}\n{heard:?}", told());
        assert!(heard.iter().flatten().all(|set| all.contains(set)), "{}\n{heard:?}", told());
        let Least::Sets { sets, elsewhere, level: at, .. } = answer else { continue };
        assert_eq!(at, level);
        if let Some(holds) = known(Notion::None) {
            assert_eq!(holds, sets == [Vec::<String>::new()], "{}\n{sets:?}", told());
        }
        if let Some(holds) = known(Notion::Strong(level)) {
            assert_eq!(holds, !sets.is_empty(), "{}\n{level}: {sets:?}", told());
        }
        if known(Notion::Weak(level)) == Some(true) {
            let weak = sets.iter().any(|set| set.iter().all(|name| name.starts_with("wf(")));
            assert!(weak, "{}\n{level}: {sets:?}", told());
        }
        match elsewhere {
            Some(Elsewhere::Holds(other)) => {
                assert_ne!(known(Notion::Strong(other)), Some(false), "{}", told());
                tally.elsewhere += 1;
            }
            Some(Elsewhere::Nowhere) => {
                for other in LEVELS {
                    assert_ne!(known(Notion::Strong(other)), Some(true), "{}", told());
                }
            }
            None => {}
        }
        for set in sets.iter().take(3) {
            // As another command reads them: on a system of which nothing is known yet.
            let mut asked = fresh();
            let (system, property) = asked.both();
            let Some(assumption) = read_back(system, set, told) else { continue };
            assert_eq!(assumption.extra.len(), set.len(), "{}\n{set:?}", told());
            let holds = single(system, property, &assumption, told);
            assert_ne!(holds, Some(false), "{}\n{set:?}", told());
            tally.sets += usize::from(holds.is_some());
            for left_out in 0..set.len() {
                let mut smaller = assumption.clone();
                smaller.extra.remove(left_out);
                let holds = single(system, property, &smaller, told);
                assert_ne!(holds, Some(true), "{}\n{set:?} without one", told());
            }
        }
    }
}

#[test]
fn networks() {
    let mut tally = Tally::default();
    for seed in seeds(150) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let of = random_propositions(&mut rng, &tiny, 3);
        let shape = LtlShape { size: 2 + rng.below(6), ..LtlShape::default() };
        let text = written(&random_formula(&mut rng, &shape), &of, &network_of(&tiny));
        let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
        let fresh = || {
            let mut network = network_of(&tiny);
            let property = property(&mut network, &text, reading);
            (network, property)
        };
        agree(&fresh, &mut tally, &|| format!("FAIRLY_SEED={seed}\n{tiny:?}\n{text}"));
    }
    println!("{tally:?}");
    assert!(tally.sets > 50 && tally.constraints > 1000, "{tally:?}");
}

/// The systems of the corpus, which tell notions apart that random systems seldom do.
#[test]
fn corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/systems");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "net"))
        .collect();
    paths.sort();
    let mut tally = Tally::default();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let case =
            case::parse(&text).unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        for asked in &case.properties {
            let fresh = || {
                let mut network = Explored::new(case.network().expect("the file was checked"));
                let property = property(&mut network, &asked.formula.text, EventPosition::Leaving);
                (network, property)
            };
            agree(&fresh, &mut tally, &|| format!("{}: {}", path.display(), asked.name));
        }
    }
    println!("{tally:?}");
    assert!(tally.sets > 50 && tally.constraints > 1000, "{tally:?}");
}

/// A file with the system and the formula of its last assertion.
fn last_of(text: &str) -> Option<(CspFile, SystemIndex, Property)> {
    let mut file = CspFile::parse(text).ok()?;
    let assertion = file.specification().assertions.last()?.clone();
    let Claim::Satisfies(formula) = &assertion.claim else { return None };
    let system = file.system(&assertion.process).ok()?;
    let property = file.property(system, "it", formula).ok()?;
    Some((file, system, property))
}

#[test]
fn csp() {
    let mut tally = Tally::default();
    for seed in seeds(150) {
        let spec = csp_generate::generate(&mut Rng::new(seed));
        let formula = *Rng::new(seed).pick(&["[]<> a", "[](a -> <> b)", "<>[] !a", "[] !b"]);
        let text = format!("{spec}#assert P0() |= {formula};\n");
        if last_of(&text).is_none() {
            continue;
        }
        let fresh = || last_of(&text).expect("it was read before");
        agree(&fresh, &mut tally, &|| format!("FAIRLY_SEED={seed}\n{text}"));
    }
    println!("{tally:?}");
    assert!(tally.sets > 20 && tally.constraints > 500, "{tally:?}");
}

#[test]
fn promela() {
    let mut tally = Tally::default();
    for seed in seeds(60) {
        let text = match seed % 3 {
            0 => symmetry_random::program(&mut Rng::new(seed)),
            _ => promela_generate::program(seed).text(Form::Formulas),
        };
        let read = || {
            let mut file = PromelaFile::parse(&text, &[]).ok()?;
            let mut properties = Vec::new();
            for question in file.questions() {
                properties.extend(file.property(&question).ok()?);
            }
            let property = properties.into_iter().next_back()?;
            Some((file, property))
        };
        if read().is_none() {
            continue;
        }
        let fresh = || read().expect("it was read before");
        agree(&fresh, &mut tally, &|| format!("FAIRLY_SEED={seed}\n{text}"));
    }
    println!("{tally:?}");
    assert!(tally.sets > 10 && tally.constraints > 500, "{tally:?}");
}

#[test]
fn names_that_would_mean_something_else_are_told_apart() {
    let read = |text: &str| last_of(text).expect("a model");
    // A hidden event and one that is seen, and twice the same event of one process.
    let mut asked = read(
        "P() = a -> b -> a -> P(); Q() = (a -> Q()) \\ {a}; System() = P() ||| Q();
         #assert System() |= []<> a;",
    );
    let (system, _) = asked.both();
    names(system, &mut Tally::default(), &String::new);
    let all: Vec<String> = [Level::Event, Level::Action]
        .into_iter()
        .flat_map(|level| Assumption::of(Notion::Weak(level)).constraints(system, BOUNDS).unwrap())
        .map(|constraint| constraint.name)
        .collect();
    let mut different = all.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), all.len(), "{all:?}");
}
