//! Feasibility and machine closure: the cases by hand, and random systems against a naive
//! answer.

use fairly_explore::Explored;
use fairly_fairness::{
    AnnotationLevel, Constraint, Level, Notion, Predicate, StepFormula, Strength,
};
use fairly_omega::{Builder, Label, MarkSet};
use fairly_search::closure::{self, Closure};
use fairly_search::{Bounds, Cut, global};
use fairly_system::{EventId, EventPosition, Network, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::plain::{Plain, PlainGraph};
use crate::common::{self, cases::CASES, network_of};

const NOTIONS: [(&str, Notion); 9] = [
    ("none", Notion::None),
    ("weak_process", Notion::Weak(Level::Process)),
    ("strong_process", Notion::Strong(Level::Process)),
    ("wf_all", Notion::Weak(Level::Event)),
    ("sf_all", Notion::Strong(Level::Event)),
    ("wl_all", Notion::WeakLive),
    ("sl_all", Notion::StrongLive),
    ("annotated_name", Notion::Annotated(AnnotationLevel::Name)),
    ("annotated_occurrence", Notion::Annotated(AnnotationLevel::Occurrence)),
];

/// Checks that a doomed prefix is one of a run, and gives its length.
fn doomed_length(network: &mut Explored<Network>, closure: &Closure) -> Option<usize> {
    let prefix = closure.doomed.as_ref()?;
    assert!(network.initial().contains(&prefix.start));
    common::walk(network, prefix.start, &prefix.steps);
    Some(prefix.steps.len())
}

#[test]
fn cases() {
    for case in CASES {
        let mut network = network_of(case);
        for (name, notion) in NOTIONS {
            let constraints = notion.constraints(network.signature()).unwrap();
            let by_form = closure::find(&mut network, constraints.clone(), Bounds::default());
            let found = closure::check(&mut network, constraints, Bounds::default()).unwrap();
            assert_eq!(by_form.unwrap(), found, "{} {name}", case.name);
            doomed_length(&mut network, &found);
            assert_eq!(found.feasible, !case.infeasible.contains(&name), "{} {name}", case.name);
            let closed = !case.not_closed.contains(&name);
            assert_eq!(found.machine_closed(), closed, "{} {name}", case.name);
        }
        let found = global::closure(&mut network, vec![], Bounds::default()).unwrap();
        assert_eq!(found, Closure { feasible: true, doomed: None }, "{}", case.name);
    }
}

/// Some of the constraints of all kinds that a network gives, and compassion at random.
fn random_constraints(rng: &mut Rng, network: &Explored<Network>) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let notion = *rng.pick(&[
            Notion::Weak(Level::Process),
            Notion::Strong(Level::Process),
            Notion::Strong(Level::Event),
            Notion::Strong(Level::Action),
            Notion::WeakLive,
            Notion::StrongLive,
            Notion::None,
            Notion::None,
        ]);
        let all = notion.constraints(network.signature()).unwrap();
        if !all.is_empty() {
            constraints.push(rng.pick(&all).clone());
            continue;
        }
        let mut event = || {
            let event = EventId::from_index(rng.below(network.signature().events.len()));
            Predicate::Step(StepFormula::Event(event.into()))
        };
        let (when, then) = (event(), event());
        let strength = if rng.chance(1, 4) { Strength::Weak } else { Strength::Strong };
        constraints.push(Constraint { name: "compassion".into(), strength, when, then });
    }
    constraints
}

#[test]
fn random_systems() {
    let seeds = common::seeds(20_000);
    let mut anything = Builder::new(vec![]);
    let here = anything.add_state();
    anything.add_initial(here);
    anything.add_edge(here, Label::TRUE, MarkSet::new(), here);
    let anything = anything.build();
    let mut counts = [0u32; 3];
    let mut about_actions = 0;
    for seed in seeds.clone() {
        let rng = &mut Rng::new(seed);
        let mut network = common::random_network(rng, 3);
        let constraints = random_constraints(rng, &network);
        let plain = Plain::of(&mut network);
        let product = PlainGraph::product(
            &network,
            &plain,
            &anything,
            &[],
            EventPosition::default(),
            &constraints,
        );
        let (live, distance) = (product.live(), product.distances());
        let feasible = plain.initial.iter().any(|&state| live[state]);
        let doomed =
            (0..product.nodes).filter(|&node| !live[node]).filter_map(|n| distance[n]).min();
        about_actions += u32::from(constraints.iter().all(Constraint::is_about_actions));
        let by_form = closure::find(&mut network, constraints.clone(), Bounds::default()).unwrap();
        let found = closure::check(&mut network, constraints, Bounds::default()).unwrap();
        assert_eq!(by_form, found, "seed {seed}");
        assert_eq!(found.feasible, feasible, "seed {seed}");
        assert_eq!(doomed_length(&mut network, &found), doomed, "seed {seed}");
        if let Some(prefix) = &found.doomed {
            assert!(!live[plain.number(prefix.end())], "seed {seed}: {prefix:?}");
        }
        counts[usize::from(feasible) + usize::from(doomed.is_none())] += 1;
    }
    println!("seeds {seeds:?}: infeasible, feasible but not closed, closed: {counts:?}");
    assert!(seeds.end - seeds.start < 1000 || about_actions > 50);
    assert!(seeds.end - seeds.start < 1000 || counts.iter().all(|&count| count > 50));
}

#[test]
fn a_bound_is_kept() {
    let mut network = network_of(&CASES[1]);
    let bounds = Bounds { nodes: Some(2), ..Bounds::default() };
    assert_eq!(closure::check(&mut network, vec![], bounds), Err(Cut::Nodes(2)));
}
