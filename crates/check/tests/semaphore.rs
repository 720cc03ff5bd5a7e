//! The semaphore of Malinen and Luukkainen: violated under weak fairness, kept under strong.

use fairly_check::{Assumption, Least, Options, Outcome, Property, check, ladder, least};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_logic::Formulas;
use fairly_system::{Component, ComponentBuilder, Composition, Network, TransitionSystem};

fn component(name: &str, transitions: &[(u32, &str, u32)]) -> Component {
    let mut builder = ComponentBuilder::new(name);
    let states = transitions.iter().map(|&(from, _, to)| from.max(to)).max().unwrap_or(0);
    (0..=states).for_each(|state| {
        builder.add_state(state.to_string());
    });
    builder.add_initial(0);
    for &(from, event, to) in transitions {
        builder.add_transition(from, event, to, None);
    }
    builder.build()
}

/// `n` processes that take a semaphore in turns.
fn semaphore(n: u32) -> Explored<Network> {
    let mut components = Vec::new();
    let mut holder = Vec::new();
    let events: Vec<(String, String)> =
        (1..=n).map(|i| (format!("p{i}"), format!("v{i}"))).collect();
    for ((take, give), at) in events.iter().zip(1..) {
        components.push(component(&format!("P{at}"), &[(0, take, 1), (1, give, 0)]));
        holder.push((0, take.as_str(), at));
        holder.push((at, give.as_str(), 0));
    }
    components.push(component("Sem", &holder));
    Explored::new(Network::new(components, &Composition::default()).unwrap())
}

fn property(network: &mut Explored<Network>, text: &str) -> Property {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(text).unwrap();
    Property::bind("live", formulas, formula, network).unwrap()
}

#[test]
fn weak_fairness_is_not_enough_and_strong_is() {
    let mut network = semaphore(2);
    let mut live = property(&mut network, "G F p1");
    let options = Options::default();
    let weak = Assumption::of(Notion::Weak(Level::Process));
    let verdict = check(&mut network, &mut live, &weak, &options).unwrap();
    let Outcome::Violated(found) = &verdict.outcome else { panic!("{verdict:?}") };
    let events: Vec<&str> = found
        .run
        .cycle
        .iter()
        .map(|step| network.signature().event_name(network.action(step.action).event))
        .collect();
    assert_eq!(events, ["p2", "v2"]);
    let p1 = &found.ledger.entries[0];
    assert_eq!((p1.name.as_str(), p1.asked.len(), p1.given.len()), ("wf(P1)", 1, 0));
    let upgrade = found.upgrade.as_ref().unwrap();
    assert_eq!((upgrade.constraint.as_str(), upgrade.suffices), ("sf(P1)", Some(true)));

    let strong = Assumption::of(Notion::Strong(Level::Process));
    let verdict = check(&mut network, &mut live, &strong, &options).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{verdict:?}");
}

#[test]
fn the_ladder_needs_few_searches() {
    let mut network = semaphore(3);
    let mut live = property(&mut network, "G F p1");
    let ladder = ladder(&mut network, &mut live, &[], &Options::default()).unwrap();
    let holds: Vec<bool> = ladder.rungs.iter().map(|rung| rung.holds.clone().unwrap()).collect();
    assert_eq!(holds, [false, false, false, false, true, true, true, true, true, true]);
    assert!(ladder.searches <= 4, "{ladder:?}");
}

#[test]
fn the_least_fairness_is_found() {
    let mut network = semaphore(3);
    let mut live = property(&mut network, "G F p1");
    let answer = least(&mut network, &mut live, Level::Process, &[], &Options::default()).unwrap();
    let Least::Sets { sets, .. } = answer else { panic!("{answer:?}") };
    // The process that holds the semaphore can only give it back, so nothing is asked of the others.
    assert_eq!(sets, [["sf(P1)"]]);
}

#[test]
fn a_property_that_is_assumed_is_said_to_be() {
    let mut network = semaphore(2);
    let mut live = property(&mut network, "G F p1");
    let mut assumption = Assumption::of(Notion::None);
    let itself = fairly_front::case::parse_constraint("justice( p1 )").unwrap();
    assumption.add(&itself, &mut network).unwrap();
    let verdict = check(&mut network, &mut live, &assumption, &Options::default()).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{verdict:?}");
    assert!(verdict.notes.iter().any(|note| note.contains("assumes the property itself")));
}

/// The remarks on a property of two processes and a semaphore that holds under constraints.
fn notes(formula: &str, constraints: &[&str]) -> Vec<String> {
    let mut network = semaphore(2);
    let mut property = property(&mut network, formula);
    let mut assumption = Assumption::of(Notion::None);
    for text in constraints {
        let constraint = fairly_front::case::parse_constraint(text).unwrap();
        assumption.add(&constraint, &mut network).unwrap();
    }
    let options = Options::default();
    let verdict = check(&mut network, &mut property, &assumption, &options).unwrap();
    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{formula}: {verdict:?}");
    verdict.notes
}

#[test]
fn a_property_that_the_constraints_imply_is_said_to_be_assumed() {
    let is_assumed = |formula: &str, constraints: &[&str]| {
        notes(formula, constraints).iter().any(|note| note.contains("the property itself"))
    };
    // In other words, as a part of it, or by several of them together.
    assert!(is_assumed("G (p2 -> F p1)", &["justice(p1)"]));
    assert!(is_assumed("G F (p1 | p2)", &["justice(p1)"]));
    assert!(is_assumed("G F p1", &["compassion(p2, p1)", "justice(p2)"]));
    assert!(is_assumed("G F p2 -> G F p1", &["compassion(p2, p1)"]));
    // These take the system to hold.
    assert!(!is_assumed("G F p1", &["compassion(p2, p1)"]));
    assert!(!is_assumed("G F (p1 | p2)", &["justice(v1 | v2)"]));
    assert!(!is_assumed("G F p1", &["sf(P1)"]));
}

#[test]
fn a_property_that_is_always_true_is_said_to_be() {
    let says = |formula: &str| {
        notes(formula, &[]).iter().any(|note| note.contains("true of every run of any system"))
    };
    assert!(says("G F p1 | F G !p1"));
    assert!(says("G (p1 -> F (p1 | p2))"));
    assert!(!says("G F (p1 | p2)"));
}
