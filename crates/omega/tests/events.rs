//! Events and statistics of searches: what is told fits together, and telling changes no answer.

use std::collections::BTreeMap;

use fairly_omega::emptiness::{
    self, Algorithm, Colour, Counting, Event, Observer, Statistics, degeneralization,
};
use fairly_omega::ops;
use fairly_testkit::{ConditionKind, GraphShape, Rng, random_condition, random_graph};

use crate::common;

/// Sees and counts everything.
#[derive(Default)]
struct Both {
    events: Vec<Event>,
    statistics: Statistics,
}

impl Observer for Both {
    const COUNTS: bool = true;

    fn observe(&mut self, event: impl FnOnce() -> Event) {
        self.events.push(event());
    }

    fn count(&mut self, count: impl FnOnce(&mut Statistics)) {
        count(&mut self.statistics);
    }
}

#[test]
fn events_of_random_searches() {
    let (cases, first) = (common::cases(2_000), common::first_seed(0));
    let (mut told, mut pruned) = (0, 0);
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let kind = *rng.pick(&ConditionKind::ALL);
        let shape = GraphShape { marks: rng.below(7) as u32, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let condition = random_condition(&mut rng, kind, shape.marks);
        let automaton = common::automaton_with_marks(&graph, &condition, &common::NARROW);
        for algorithm in Algorithm::ALL.into_iter().filter(|it| it.decides(automaton.acceptance()))
        {
            let place = format!("seed {seed}, {algorithm:?}");
            let mut both = Both::default();
            let seen = emptiness::check_observed(&mut automaton.graph(), algorithm, &mut both);
            let Both { events, statistics } = both;
            let unseen = emptiness::check(&mut automaton.graph(), algorithm);
            let mut counting = Counting::default();
            let counted =
                emptiness::check_observed(&mut automaton.graph(), algorithm, &mut counting);
            let seen = seen.expect("an answer");
            let (unseen, counted) = (unseen.expect("an answer"), counted.expect("an answer"));
            assert_eq!(seen.lasso, unseen.lasso, "{place}");
            assert_eq!(seen.lasso, counted.lasso, "{place}");
            assert_eq!((seen.effort, unseen.effort), (unseen.effort, counted.effort), "{place}");
            assert_eq!(statistics, counting.statistics, "{place}");
            told += events.len();
            let accepted = matches!(events.last(), Some(Event::Accepted { .. }));
            assert_eq!(accepted, seen.lasso.is_some(), "{place}");
            follow_colours(&events, &place);
            let opened = events.iter().filter(|it| matches!(it, Event::Opened { .. })).count();
            if algorithm != Algorithm::NestedDfs {
                assert_eq!(opened, seen.effort.nodes, "{place}");
            }
            assert!(statistics.largest <= seen.effort.nodes, "{place}: {statistics:?}");
            assert!(statistics.nesting <= statistics.rounds, "{place}: {statistics:?}");
            assert!(statistics.removed >= statistics.rounds, "{place}: {statistics:?}");
            pruned += usize::from(statistics.rounds > 0);
            if let Some(lasso) = &seen.lasso {
                assert!(statistics.walk > 0 && lasso.cycle.len() <= statistics.walk, "{place}");
            }
        }
    }
    assert!(cases < 1_000 || (told > 10_000 && pruned > 100), "{told} {pruned}");
}

/// A node is cyan once, then blue or red; blue becomes red; nothing becomes of red.
fn follow_colours(events: &[Event], place: &str) {
    let mut colours: BTreeMap<(u32, u32), Colour> = BTreeMap::new();
    for event in events {
        let Event::Coloured { node, level, colour } = event else { continue };
        let before = colours.insert((*node, *level), *colour);
        let is_allowed = matches!(
            (before, colour),
            (None, Colour::Cyan)
                | (Some(Colour::Cyan), Colour::Blue)
                | (Some(Colour::Blue), Colour::Red)
        );
        assert!(is_allowed, "{place}: {before:?} to {colour:?}");
    }
}

/// The steps of the degeneralization make an automaton that accepts something iff the graph does.
#[test]
fn a_degeneralization_has_an_accepting_cycle_where_the_graph_has() {
    let (cases, first) = (common::cases(2_000), common::first_seed(0));
    let mut counts = [0; 2];
    for seed in first..first + cases {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { marks: 3, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let condition = random_condition(&mut rng, ConditionKind::GeneralizedBuchi, 3);
        let automaton = common::automaton_with_marks(&graph, &condition, &common::NARROW);
        let events = degeneralization(&mut automaton.graph()).expect("few nodes");
        let events = events.expect("a conjunction of Inf");
        // By naive reachability: an accepting step whose end leads back to its start.
        let step = |event: &Event| match event {
            Event::Level { from, level, to, next, accepting } => {
                ((*from, *level), (*to, *next), *accepting)
            }
            other => panic!("{other:?} is no step"),
        };
        let steps: Vec<_> = events.iter().map(step).collect();
        let leads = |start: (u32, u32), goal: (u32, u32)| {
            let mut met = vec![start];
            let mut at = 0;
            while at < met.len() {
                let from = met[at];
                at += 1;
                let next = steps.iter().filter(|step| step.0 == from).map(|step| step.1);
                let fresh: Vec<_> = next.filter(|it| !met.contains(it)).collect();
                met.extend(fresh);
            }
            met.contains(&goal)
        };
        let accepts = steps.iter().any(|&(from, to, accepting)| accepting && leads(to, from));
        assert_eq!(accepts, !ops::is_empty(&automaton).unwrap(), "seed {seed}");
        counts[usize::from(accepts)] += 1;
    }
    assert!(cases < 1_000 || counts.iter().all(|&count| count > 20), "{counts:?}");
}
