//! Reachability: by hand, and random networks against a naive answer.

use fairly_explore::Explored;
use fairly_omega::{Builder, Label, MarkSet, StateId};
use fairly_search::reach::{self, Size};
use fairly_search::{Binding, Bounds, Cut, Negation, Prefix, Product, closure, global, survey};
use fairly_system::{
    Action, ActionId, AtomIndex, Event, EventId, EventKind, EventPosition, Fault, MoveId, RunStep,
    Signature, Transition, TransitionSystem,
};
use fairly_testkit::Rng;

use crate::common;
use crate::common::plain::Plain;

const FREE: Bounds = Bounds { nodes: None, deadline: None, bytes: None, watch: None };

/// States `0 …`, transitions `(from, event, to)`. The event `end` is termination. A state in `faults`
/// was entered by an error.
struct Drawn {
    transitions: Vec<(u32, EventId, u32)>,
    signature: Signature,
    actions: Vec<Action>,
    faults: Vec<u32>,
    fault: Fault,
    limits: Vec<u32>,
    limit: Fault,
    /// How many of several states are expanded before it is time to stop.
    at_once: Option<usize>,
}

fn drawn(transitions: &[(u32, &str, u32)], faults: &[u32]) -> Drawn {
    let signature = Signature::new(vec!["P".to_owned()]);
    let mut list = Vec::new();
    for &(from, name, to) in transitions {
        let event = signature.event(name).unwrap_or_else(|| {
            let kind = if name == "end" { EventKind::Termination } else { EventKind::Visible };
            signature.events.push(Event { name: name.to_owned(), kind });
            EventId::from_index(signature.events.len() - 1)
        });
        list.push((from, event, to));
    }
    let action = |event| Action { event, participants: vec![], moves: vec![] };
    let actions = signature.event_ids().map(action).collect();
    Drawn {
        transitions: list,
        signature,
        actions,
        faults: faults.to_vec(),
        fault: Fault::error("division by zero", None),
        limits: vec![],
        limit: Fault::limit("too many processes", None),
        at_once: None,
    }
}

impl TransitionSystem for Drawn {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        for &state in states.iter().take(self.at_once.unwrap_or(states.len())) {
            self.enabled(state, out);
            ends.push(out.len());
        }
    }

    fn initial(&mut self) -> Vec<StateId> {
        vec![StateId(0)]
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let leaving = self.transitions.iter().filter(|&&(from, ..)| from == state.0);
        out.extend(
            leaving.map(|&(_, event, to)| Transition {
                target: StateId(to),
                action: ActionId(event.0),
            }),
        );
    }

    fn action(&self, action: ActionId) -> &Action {
        &self.actions[action.index()]
    }

    fn offered(&mut self, _: StateId, _: &mut Vec<MoveId>) {}

    fn atom(&mut self, _: &str) -> Option<AtomIndex> {
        None
    }

    fn holds(&self, _: StateId, _: AtomIndex) -> bool {
        false
    }

    fn describe(&self, state: StateId) -> String {
        state.to_string()
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        if self.limits.contains(&state.0) {
            return Some(&self.limit);
        }
        self.faults.contains(&state.0).then_some(&self.fault)
    }
}

/// The states that a way goes through.
fn states(prefix: Option<Prefix>) -> Option<Vec<u32>> {
    let prefix = prefix?;
    let start = [prefix.start.0];
    Some(start.into_iter().chain(prefix.steps.iter().map(|step| step.to.0)).collect())
}

fn deadlock(system: &mut Drawn) -> Option<Vec<u32>> {
    states(reach::deadlock(system, FREE, |_, _| false).unwrap().prefix)
}

#[test]
fn what_ends_well_is_no_deadlock() {
    let stuck = &[(0, "a", 1), (1, "b", 2), (0, "c", 3), (3, "c", 3)];
    assert_eq!(deadlock(&mut drawn(stuck, &[])), Some(vec![0, 1, 2]));
    let ended = &[(0, "a", 1), (1, "end", 2), (0, "c", 3), (3, "c", 3)];
    assert_eq!(deadlock(&mut drawn(ended, &[])), None);
    // The same state, entered by termination and otherwise: nearer, and farther away.
    let both = &[(0, "end", 2), (0, "a", 1), (1, "b", 2)];
    assert_eq!(deadlock(&mut drawn(both, &[])), Some(vec![0, 1, 2]));
    let both = &[(0, "a", 2), (0, "b", 1), (1, "end", 2)];
    assert_eq!(deadlock(&mut drawn(both, &[])), Some(vec![0, 2]));
    // An error is another thing, and so is what the model calls an end.
    assert_eq!(deadlock(&mut drawn(stuck, &[2])), None);
    let is_end = |_: &Drawn, state: StateId| state.0 == 2;
    let found = reach::deadlock(&mut drawn(stuck, &[]), FREE, is_end).unwrap();
    assert_eq!((found.prefix, found.size), (None, Size { states: 4, transitions: 4 }));
    // A system that cannot begin is stuck at once.
    assert_eq!(deadlock(&mut drawn(&[], &[])), Some(vec![0]));
}

#[test]
fn faults_are_found_by_a_shortest_way() {
    let way = &[(0, "a", 1), (1, "b", 2), (2, "c", 3), (0, "d", 4), (4, "d", 5)];
    let found = reach::fault(&mut drawn(way, &[3, 5]), FREE).unwrap();
    assert_eq!(states(found.prefix), Some(vec![0, 4, 5]));
    assert_eq!(reach::fault(&mut drawn(way, &[7]), FREE).unwrap().prefix, None);
    let at_once = reach::fault(&mut drawn(way, &[0]), FREE).unwrap();
    assert_eq!(at_once.prefix, Some(Prefix { start: StateId(0), steps: vec![] }));
    assert_eq!(at_once.size, Size::default());
}

#[test]
fn the_least_and_the_greatest_value() {
    let way = &[(0, "a", 1), (1, "b", 2), (2, "c", 3), (0, "d", 4), (4, "d", 2)];
    let value = |_: &Drawn, state: StateId| [None, Some(5), Some(-3), Some(5), None][state.index()];
    let found = reach::extremes(&mut drawn(way, &[]), FREE, value).unwrap();
    let (least, way_there) = found.least.unwrap();
    assert_eq!((least, states(Some(way_there))), (-3, Some(vec![0, 1, 2])));
    let (greatest, way_there) = found.greatest.unwrap();
    // The nearest of those with that value.
    assert_eq!((greatest, states(Some(way_there))), (5, Some(vec![0, 1])));
    assert_eq!(found.size, Size { states: 5, transitions: 5 });
    let none = reach::extremes(&mut drawn(way, &[]), FREE, |_, _| None).unwrap();
    assert_eq!((none.least, none.greatest), (None, None));
}

/// A shortest way is one whatever the numbers of the states are, and however many there are.
#[test]
fn long_ways_are_found_again() {
    const STATES: u32 = 500;
    for factor in [1, 7, 499] {
        let renamed = |state: u32| state * factor % STATES;
        let mut transitions = Vec::new();
        for state in 0..STATES {
            transitions.push((renamed(state), "on", renamed((state + 1) % STATES)));
            if state % 50 == 3 {
                transitions.push((renamed(state), "far", renamed(state * state % STATES)));
                transitions.push((renamed(state), "end", renamed(state + 9)));
            }
        }
        let system = &mut drawn(&transitions, &[]);
        let mut distances = vec![None; STATES as usize];
        let mut queue = vec![(0, 0)];
        let mut next = 0;
        while let Some(&(state, distance)) = queue.get(next) {
            next += 1;
            if distances[state as usize].is_none() {
                distances[state as usize] = Some(distance);
                let leaving = transitions.iter().filter(|&&(from, ..)| from == state);
                queue.extend(leaving.map(|&(.., to)| (to, distance + 1)));
            }
        }
        for goal in (0..STATES).step_by(37) {
            let found = reach::state(system, FREE, |_, state| state.0 == goal).unwrap();
            let prefix = found.prefix.expect("every state can be reached");
            assert_eq!(Some(prefix.steps.len()), distances[goal as usize], "{factor} {goal}");
            assert_eq!((prefix.start, prefix.end()), (StateId(0), StateId(goal)));
            let mut at = prefix.start;
            for step in &prefix.steps {
                assert_eq!(step.from, at);
                let mut enabled = Vec::new();
                system.enabled(at, &mut enabled);
                assert!(enabled.contains(&Transition { target: step.to, action: step.action }));
                at = step.to;
            }
        }
    }
}

#[test]
fn a_limit_on_bytes_ends_a_walk() {
    let chain: Vec<_> = (0..3000).map(|state| (state, "on", state + 1)).collect();
    let bounds = |bytes| Bounds { bytes: Some(bytes), ..Bounds::default() };
    assert_eq!(reach::count(&mut drawn(&chain, &[]), bounds(0)), Err(Cut::Memory(0)));
    // In the order of the numbers, a walk needs next to nothing.
    assert!(reach::count(&mut drawn(&chain, &[]), bounds(1000)).is_ok());
    let reversed: Vec<_> = (0..3000).map(|at| ((3001 - at) % 3001, "on", 3000 - at)).collect();
    assert_eq!(reach::count(&mut drawn(&reversed, &[]), bounds(1000)), Err(Cut::Memory(1000)));
}

#[test]
fn a_bound_that_is_reached_is_no_answer() {
    let way = &[(0, "a", 1), (1, "b", 2), (2, "c", 3), (3, "c", 3)];
    let nodes = |nodes| Bounds { nodes: Some(nodes), ..Bounds::default() };
    let system = &mut drawn(way, &[]);
    let goal = |_: &Drawn, state: StateId| state.0 == 3;
    assert_eq!(reach::state(system, nodes(2), goal), Err(Cut::Nodes(2)));
    // A state that is met is looked at, even if it is not expanded any more.
    assert!(reach::state(system, nodes(3), goal).unwrap().prefix.is_some());
    assert_eq!(reach::count(system, nodes(3)), Err(Cut::Nodes(3)));
    assert_eq!(reach::count(system, nodes(4)), Ok(Size { states: 4, transitions: 4 }));
    assert_eq!(survey(system, nodes(3)), Err(Cut::Nodes(3)));
    assert_eq!(reach::extremes(system, nodes(3), |_, _| Some(0)), Err(Cut::Nodes(3)));
    let late = Bounds { deadline: Some(std::time::Instant::now()), ..Bounds::default() };
    assert!(matches!(reach::count(system, late), Err(Cut::Time(_))));
}

#[test]
fn states_that_are_not_expanded_any_more_are_no_deadlocks() {
    let mut system = drawn(&[(0, "a", 1), (0, "b", 2), (1, "c", 0), (2, "d", 0)], &[]);
    assert_eq!(deadlock(&mut system), None);
    system.at_once = Some(1);
    let found = reach::deadlock(&mut system, FREE, |_, _| false);
    assert_eq!(found, Err(Cut::Interrupted(2)));
    assert_eq!(reach::count(&mut system, FREE), Err(Cut::Interrupted(2)));
    let found = reach::state(&mut system, FREE, |_: &Drawn, state: StateId| state.0 == 2).unwrap();
    assert_eq!(states(found.prefix), Some(vec![0, 2]), "what is met before still counts");
}

#[test]
fn where_the_system_goes_no_further_only_what_is_found_counts() {
    let way = &[(0, "a", 1), (0, "b", 2), (2, "c", 3)];
    let mut system = drawn(way, &[3]);
    system.limits = vec![1];
    // Properties of such a state are not known either.
    for goal in [1, 9] {
        let goal = |_: &Drawn, state: StateId| state.0 == goal;
        assert_eq!(reach::state(&mut system, FREE, goal), Err(Cut::Limit(StateId(1))));
    }
    assert_eq!(reach::count(&mut system, FREE), Err(Cut::Limit(StateId(1))));
    assert_eq!(survey(&mut system, FREE), Err(Cut::Limit(StateId(1))));
    assert_eq!(reach::extremes(&mut system, FREE, |_, _| Some(0)), Err(Cut::Limit(StateId(1))));
    // Neither a deadlock nor an error, although nothing is enabled there.
    let found = reach::deadlock(&mut system, FREE, |_, _| false);
    assert_eq!(found, Err(Cut::Limit(StateId(1))));
    assert_eq!(states(reach::fault(&mut system, FREE).unwrap().prefix), Some(vec![0, 2, 3]));
    system.faults.clear();
    assert_eq!(deadlock(&mut system), Some(vec![0, 2, 3]));
    assert_eq!(reach::fault(&mut system, FREE), Err(Cut::Limit(StateId(1))));
    // Idling there would be a run that is not known to be one.
    assert_eq!(closure::check(&mut system, vec![], FREE), Err(Cut::Limit(StateId(1))));
    assert_eq!(global::closure(&mut system, vec![], FREE), Err(Cut::Limit(StateId(1))));
    system.transitions.retain(|&(.., to)| to == 1);
    let mut anything = Builder::new(vec![]);
    let here = anything.add_state();
    anything.add_initial(here);
    anything.add_edge(here, Label::TRUE, MarkSet::new(), here);
    let anything = anything.build();
    // Nor does it matter that the automaton would not read what is there.
    let mut nothing = Builder::new(vec!["a".to_owned()]);
    let (first, second) = (nothing.add_state(), nothing.add_state());
    nothing.add_initial(first);
    nothing.add_edge(first, Label::TRUE, MarkSet::new(), second);
    let nothing = nothing.build();
    let never = vec![Binding::Event(vec![].into())];
    for reading in [EventPosition::Leaving, EventPosition::Entering] {
        for (automaton, bindings) in [(&anything, vec![]), (&nothing, never.clone())] {
            let negation = Negation::new(automaton, bindings).reading(reading);
            let mut product = Product::new(&mut system, negation, vec![]);
            let lasso = fairly_omega::emptiness::find_lasso(&mut product).unwrap();
            assert_eq!((lasso, product.limit()), (None, Some(StateId(1))), "{reading:?}");
        }
    }
}

#[test]
fn random_networks() {
    let seeds = common::seeds(5_000);
    let (mut stuck, mut free, mut longest) = (0u32, 0u32, 0);
    for seed in seeds.clone() {
        let rng = &mut Rng::new(seed);
        let mut network = common::random_network(rng, 3);
        let plain = Plain::of(&mut network);
        // How far each state is, by going over all steps until nothing changes.
        let mut distance = vec![usize::MAX; plain.states.len()];
        plain.initial.iter().for_each(|&state| distance[state] = 0);
        for _ in 0..plain.states.len() {
            for step in &plain.steps {
                let beyond = distance[step.from].saturating_add(1);
                distance[step.to] = distance[step.to].min(beyond);
            }
        }
        let real = || plain.steps.iter().filter(|step| step.id != ActionId::IDLE);
        let size = Size { states: plain.states.len(), transitions: real().count() };
        assert_eq!(reach::count(&mut network, FREE), Ok(size), "seed {seed}");
        assert_eq!(survey(&mut network, FREE), Ok(size), "seed {seed}");

        let idling = plain.steps.iter().filter(|step| step.id == ActionId::IDLE);
        let expected = idling.map(|step| distance[step.from]).min();
        let found = reach::deadlock(&mut network, FREE, |_, _| false).unwrap().prefix;
        let length = found.as_ref().map(|prefix| prefix.steps.len());
        assert_eq!(length, expected, "seed {seed}");
        if let Some(prefix) = found {
            stuck += 1;
            longest = longest.max(prefix.steps.len());
            let end = common::walk(&mut network, prefix.start, &prefix.steps);
            let mut enabled = Vec::new();
            network.enabled(end, &mut enabled);
            assert!(end == prefix.end() && enabled.is_empty(), "seed {seed}: {prefix:?}");
        } else {
            free += 1;
        }

        let goal = network.atom("P@1");
        let holds = |network: &Explored<fairly_system::Network>, state| {
            goal.is_some_and(|goal| network.holds(state, goal))
        };
        let there = (0..plain.states.len()).filter(|&at| holds(&network, plain.states[at]));
        let expected = there.map(|at| distance[at]).min();
        let found = reach::state(&mut network, FREE, holds).unwrap().prefix;
        let length = found.as_ref().map(|prefix| prefix.steps.len());
        assert_eq!(length, expected, "seed {seed}");
        if let Some(prefix) = found {
            assert!(holds(&network, prefix.end()), "seed {seed}: {prefix:?}");
            let joined = |pair: &[RunStep]| pair[0].to == pair[1].from;
            assert!(prefix.steps.windows(2).all(joined));
        }

        // Some states have no value.
        let value_of = |at: usize| (!at.is_multiple_of(3)).then_some((at as i64 * 7) % 5 - 2);
        let value = |_: &Explored<fairly_system::Network>, state| value_of(plain.number(state));
        let all = (0..plain.states.len()).filter_map(|at| Some((value_of(at)?, distance[at])));
        let all: Vec<(i64, usize)> = all.collect();
        let found = reach::extremes(&mut network, FREE, value).unwrap();
        let length = |(value, prefix): (i64, Prefix)| (value, prefix.steps.len());
        assert_eq!(found.least.map(length), all.iter().copied().min(), "seed {seed}");
        let nearest = |&(value, distance): &(i64, usize)| (value, std::cmp::Reverse(distance));
        let greatest = all.iter().copied().max_by_key(nearest);
        assert_eq!(found.greatest.map(length), greatest, "seed {seed}");
    }
    println!(
        "seeds {seeds:?}: {stuck} with a deadlock, the farthest {longest} away, {free} without"
    );
    assert!(seeds.end - seeds.start < 1000 || stuck.min(free) > 500);
}
