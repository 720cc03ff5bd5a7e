//! Strong fairness of many processes: one Streett pair a process, and no width at which it ends.
//!
//! The system is the semaphore of `semaphore.rs`, which has as many states as processes and one
//! more, so that what grows is the number of constraints alone.

use fairly_check::{Assumption, Counterexample, Least, Options, Outcome, Property, check, least};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_logic::Formulas;
use fairly_search::Engine;
use fairly_system::{Component, ComponentBuilder, Composition, Network, Run, TransitionSystem};

fn component(name: &str, states: usize, transitions: &[(u32, String, u32)]) -> Component {
    let mut builder = ComponentBuilder::new(name);
    for state in 0..states {
        builder.add_state(state.to_string());
    }
    builder.add_initial(0);
    for (from, event, to) in transitions {
        builder.add_transition(*from, event, *to, None);
    }
    builder.build()
}

/// `n` processes that take a semaphore, `p1 … pn`, and give it back, `v1 … vn`.
fn semaphore(n: u32) -> Explored<Network> {
    let mut components = Vec::new();
    let mut semaphore = Vec::new();
    for i in 1..=n {
        let (take, give) = (format!("p{i}"), format!("v{i}"));
        semaphore.extend([(0, take.clone(), 1), (1, give.clone(), 0)]);
        components.push(component(&format!("P{i}"), 2, &[(0, take, 1), (1, give, 0)]));
    }
    components.push(component("Sem", 2, &semaphore));
    Explored::new(Network::new(components, &Composition::default()).unwrap())
}

fn property(network: &mut Explored<Network>, text: &str) -> Property {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(text).unwrap();
    Property::bind("live", formulas, formula, network).unwrap()
}

fn events<'a>(network: &'a Explored<Network>, run: &Run) -> Vec<&'a str> {
    let event = |step: &fairly_system::RunStep| network.action(step.action).event;
    run.cycle.iter().map(|step| network.signature().event_name(event(step))).collect()
}

/// Strong fairness of every process, or of all but one.
fn strong(network: &Explored<Network>, without: Option<&str>) -> Assumption {
    let mut assumption = Assumption::of(Notion::None);
    assumption.extra = Notion::Strong(Level::Process).constraints(network.signature()).unwrap();
    assumption.extra.retain(|constraint| Some(constraint.name.as_str()) != without);
    assumption
}

fn refuted(
    network: &mut Explored<Network>,
    property: &mut Property,
    under: &Assumption,
) -> Counterexample {
    let verdict = check(network, property, under, &Options::default()).unwrap();
    let Outcome::Violated(found) = verdict.outcome else { panic!("{verdict:?}") };
    *found
}

/// Facts about the semaphore, whatever the number of processes.
fn judge(n: u32) {
    let mut network = semaphore(n);
    // The last process: its marks are the ones a fixed width would lose.
    let last = format!("p{n}");
    let mut live = property(&mut network, &format!("G F {last}"));

    let all = Assumption::of(Notion::Strong(Level::Process));
    let verdict = check(&mut network, &mut live, &all, &Options::default()).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{n}: {verdict:?}");
    assert_eq!(verdict.stamp.constraints.len(), n as usize + 1);
    assert_eq!(verdict.stamp.system.0, n as usize + 1);

    // Weak fairness asks nothing for who is disabled whenever another has the semaphore.
    let weak = Assumption::of(Notion::Weak(Level::Process));
    let found = refuted(&mut network, &mut live, &weak);
    assert!(found.run.stem.len() <= 2 && found.run.cycle.len() == 2, "{n}: {:?}", found.run);
    let upgrade = found.upgrade.unwrap();
    assert_eq!((upgrade.constraint, upgrade.suffices), (format!("sf(P{n})"), Some(true)));

    // Without the last constraint everybody else is served in turn, and only it is not.
    let but_last = strong(&network, Some(&format!("sf(P{n})")));
    let found = refuted(&mut network, &mut live, &but_last);
    let taken = events(&network, &found.run);
    assert!(!taken.contains(&last.as_str()), "{n}: {taken:?}");
    for other in 1..n {
        assert!(taken.contains(&format!("p{other}").as_str()), "{n}: p{other} in {taken:?}");
    }
    assert!(taken.len() <= 2 * (n as usize - 1), "{n}: a cycle of {}", taken.len());
}

#[test]
fn sixty_four() {
    judge(63);
    judge(64);
    judge(65);
}

#[test]
fn two_hundred() {
    judge(200);
}

#[test]
fn every_pair_counts() {
    let n = 130;
    let mut network = semaphore(n);
    let options = Options::default();
    for served in [1, 31, 32, 63, 64, 65, 127, 128, 129, 130] {
        let mut live = property(&mut network, &format!("G F p{served}"));
        let all = strong(&network, None);
        let verdict = check(&mut network, &mut live, &all, &options).unwrap();
        assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{served}: {verdict:?}");
        let but_one = strong(&network, Some(&format!("sf(P{served})")));
        refuted(&mut network, &mut live, &but_one);
    }
}

/// Monitors multiply the states by 2ⁿ, so `ndfs` is asked about few processes under strong
/// fairness; under weak fairness it only counts, and takes as many as the others.
#[test]
fn the_reference_engine_agrees() {
    let options = Options { engine: Engine::named("ndfs"), ..Options::default() };
    let mut network = semaphore(64);
    let mut live = property(&mut network, "G F p64");
    let weak = Assumption::of(Notion::Weak(Level::Process));
    let streett = check(&mut network, &mut live, &weak, &Options::default()).unwrap();
    assert!(matches!(streett.outcome, Outcome::Violated(_)), "{streett:?}");
    let ndfs = check(&mut network, &mut live, &weak, &options).unwrap();
    assert!(matches!(ndfs.outcome, Outcome::Violated(_)), "{ndfs:?}");

    let mut network = semaphore(6);
    let mut live = property(&mut network, "G F p6");
    let all = Assumption::of(Notion::Strong(Level::Process));
    let verdict = check(&mut network, &mut live, &all, &options).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{verdict:?}");
}

#[test]
fn the_least_fairness_of_ten() {
    let mut network = semaphore(10);
    let mut live = property(&mut network, "G F p10");
    let answer = least(&mut network, &mut live, Level::Process, &[], &Options::default()).unwrap();
    let Least::Sets { sets, questions, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(sets, [["sf(P10)"]]);
    assert!(questions <= 40, "{questions}");
}
