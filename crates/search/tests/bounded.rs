//! A limit ends every engine, also the one that makes many nodes out of one of the graph's.

use std::time::{Duration, Instant};

use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_logic::Formulas;
use fairly_omega::Acceptance;
use fairly_search::engines::Engine;
use fairly_search::{Binding, Bounded, Bounds, Cut, Negation, Product, Seen, Watch};
use fairly_system::{ComponentBuilder, Composition, Network, TransitionSystem};
use fairly_translate::{Options, translate};

/// The engines that decide strong fairness.
fn general() -> impl Iterator<Item = &'static Engine> {
    Engine::of_graphs().filter(|engine| engine.decides(&Acceptance::streett(1)))
}

/// Processes that want a semaphore, `w1`, take it, `p1`, and give it back, `v1`. That one is enabled
/// no more can be guessed of any set of those who do not have it, so monitors multiply the states.
fn semaphore(n: u32) -> Explored<Network> {
    let mut semaphore = ComponentBuilder::new("Sem");
    semaphore.add_state("free");
    semaphore.add_state("taken");
    semaphore.add_initial(0);
    let mut components = Vec::new();
    for i in 1..=n {
        let mut process = ComponentBuilder::new(&format!("P{i}"));
        process.add_state("out");
        process.add_state("waiting");
        process.add_state("in");
        process.add_initial(0);
        let (want, take, give) = (format!("w{i}"), format!("p{i}"), format!("v{i}"));
        process.add_transition(0, &want, 1, None);
        process.add_transition(1, &take, 2, None);
        process.add_transition(2, &give, 0, None);
        semaphore.add_transition(0, &take, 1, None);
        semaphore.add_transition(1, &give, 0, None);
        components.push(process.build());
    }
    components.push(semaphore.build());
    Explored::new(Network::new(components, &Composition::default()).unwrap())
}

/// Whether a run without `p1` for ever that is strongly fair to all is found within the bounds, and
/// the limit that was reached. There is no such run.
fn search(n: u32, engine: &Engine, bounds: Bounds) -> (bool, Option<Cut>) {
    let mut network = semaphore(n);
    let mut formulas = Formulas::new();
    let never = formulas.parse("F G !p1").unwrap();
    let automaton = translate(&mut formulas, never, &Options::default()).unwrap();
    let event = network.signature().event("p1").unwrap();
    let negation = Negation::new(&automaton, vec![Binding::Event(event.into())]);
    let constraints = Notion::Strong(Level::Process).constraints(network.signature()).unwrap();
    let mut product = Product::new(&mut network, negation, constraints);
    let mut bounded = Bounded::new(&mut product, bounds);
    let answer = engine.find_path(&mut bounded).unwrap();
    (answer.lasso.is_some(), bounded.cut())
}

#[test]
fn a_limit_on_nodes_counts_the_copies_of_monitors() {
    let ndfs = Engine::named("ndfs").unwrap();
    // The graph itself has fewer than 3,000 nodes; with monitors there are sixty times as many.
    let bounds = Bounds { nodes: Some(5_000), ..Bounds::default() };
    assert_eq!(search(8, ndfs, bounds), (false, Some(Cut::Nodes(5_000))));
    let streett = Engine::named("streett").unwrap();
    assert_eq!(search(8, streett, bounds), (false, None));
}

#[test]
fn a_deadline_ends_a_search_with_monitors() {
    let ndfs = Engine::named("ndfs").unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    let (found, cut) = search(11, ndfs, Bounds { deadline, ..Bounds::default() });
    assert!(!found && matches!(cut, Some(Cut::Time(_))), "{cut:?}");
}

#[test]
fn a_limit_on_bytes_ends_every_engine() {
    for engine in general() {
        let bounds = |bytes| Bounds { bytes: Some(bytes), ..Bounds::default() };
        // With more processes a node with monitors has thousands of successors, which takes long and shows no more.
        let cut = search(9, engine, bounds(1 << 17));
        assert_eq!(cut, (false, Some(Cut::Memory(1 << 17))), "{}", engine.name);
        assert_eq!(search(4, engine, bounds(1 << 24)), (false, None), "{}", engine.name);
    }
}

#[test]
fn no_limit_is_reached_by_a_small_search() {
    for engine in general() {
        let bounds = Bounds { nodes: Some(100_000), ..Bounds::default() };
        assert_eq!(search(3, engine, bounds), (false, None), "{}", engine.name);
    }
}

#[test]
fn a_search_that_is_stopped_by_hand_is_cut_and_tells_how_far_it_was() {
    for engine in general() {
        let watch: &'static Watch = Box::leak(Box::default());
        let watched = Bounds { watch: Some(watch), ..Bounds::default() };
        assert_eq!(search(4, engine, watched), (false, None), "{}", engine.name);
        assert!(watch.seen().nodes > 0 && watch.seen().steps > 0, "{}", engine.name);
        watch.begin();
        assert_eq!(watch.seen(), Seen::default());
        watch.stop();
        let (found, cut) = search(4, engine, watched);
        assert!(!found && matches!(cut, Some(Cut::Interrupted(_))), "{}: {cut:?}", engine.name);
    }
}
