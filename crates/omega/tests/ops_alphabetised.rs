//! The alphabetised product against its meaning: words are projected on each component's events.

use fairly_omega::ops::{AlphabetisedConfig, Deadlock, Kripke, Waiting, alphabetised_product};
use fairly_omega::{Acceptance, Automaton, Builder, Import, Limits, MarkSet, Prop, StateId};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, TinyWord, random_condition,
    random_graph,
};

use crate::common::{automaton, cases, first_seed, oracle_accepts};

const EVENTS: [&str; 3] = ["a", "b", "c"];

struct Component {
    graph: TinyGraph,
    condition: TinyCondition,
    automaton: Automaton,
    /// Positions of its events among all.
    events: Vec<usize>,
}

/// A random component over these events.
fn component(rng: &mut Rng, events: &[usize]) -> Component {
    let propositions = events.len() as u32;
    let shape = GraphShape { most_nodes: 3, most_edges: 7, marks: 2, propositions };
    let graph = random_graph(rng, &shape);
    let kind = *rng.pick(&ConditionKind::ALL);
    let condition = random_condition(rng, kind, shape.marks);
    let plain = automaton(&graph, &condition);
    let mut builder = Builder::new(events.iter().map(|&at| EVENTS[at].to_owned()).collect());
    builder.set_acceptance(plain.acceptance().clone(), plain.mark_count());
    builder.add_states(plain.state_count());
    let rename: Vec<Prop> = (0..propositions).map(Prop).collect();
    let mut import = Import::new(plain.letters(), &rename);
    for state in plain.states() {
        for edge in plain.edges(state) {
            let label = import.label(builder.letters_mut(), edge.label).unwrap();
            builder.add_edge(state, label, plain.marks(edge.marks).clone(), edge.target);
        }
    }
    plain.initial().iter().for_each(|&state| builder.add_initial(state));
    Component { graph, condition, automaton: builder.build(), events: events.to_vec() }
}

impl Component {
    /// The events of a word that concern the component, as its own letters.
    fn project(&self, events: &[usize]) -> Vec<u8> {
        let own = events.iter().filter_map(|event| self.events.iter().position(|e| e == event));
        own.map(|at| 1 << at).collect()
    }

    /// Whether Definition 5, read as the module says, accepts a word of events.
    fn accepts(&self, stem: &[usize], cycle: &[usize], waiting: Waiting) -> bool {
        let (stem, cycle) = (self.project(stem), self.project(cycle));
        if !cycle.is_empty() {
            return oracle_accepts(&self.automaton, &TinyWord { stem, cycle });
        }
        // It waits for ever where the stem has led it.
        let mut at = self.graph.initial.clone();
        for letter in stem {
            let takes = |from: usize| {
                let edges = self.graph.edges.iter();
                edges.filter(move |e| e.from == from && e.letters >> letter & 1 == 1)
            };
            at = at.into_iter().flat_map(|from| takes(from).map(|edge| edge.to)).collect();
        }
        let one_hot = self.events.iter().enumerate().fold(0u8, |all, (at, _)| all | 1 << (1 << at));
        at.into_iter().any(|state| {
            let edges = self.graph.edges.iter();
            let marks = edges
                .filter(|edge| edge.from == state && edge.letters & one_hot != 0)
                .map(|edge| edge.marks)
                .reduce(|all, marks| all & marks)
                .unwrap_or(0);
            self.condition.accepts(if waiting == Waiting::Silent { 0 } else { marks })
        })
    }
}

#[test]
fn words_are_judged_by_their_projections() {
    let alphabets: [&[usize]; 7] = [&[0, 1], &[1, 2], &[0], &[2, 0], &[1], &[0, 1, 2], &[2]];
    let (mut accepted, mut waited) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(2_000) {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(3);
        let components: Vec<Component> = (0..count)
            .map(|_| {
                let alphabet = *rng.pick(&alphabets);
                component(&mut rng, alphabet)
            })
            .collect();
        let automata: Vec<&Automaton> = components.iter().map(|part| &part.automaton).collect();
        let case = components.iter().fold(format!("seed {seed}"), |text, part| {
            format!("{text}; {:?}: {} on {}", part.events, part.condition, part.graph)
        });
        for waiting in [Waiting::RepeatsStateMarks, Waiting::Silent] {
            let config = AlphabetisedConfig { waiting, limits: Limits::default() };
            let whole = alphabetised_product(&automata, &config).unwrap();
            let position =
                |event: usize| whole.propositions().iter().position(|name| name == EVENTS[event]);
            let known: Vec<usize> = (0..3).filter(|&event| position(event).is_some()).collect();
            for _ in 0..4 {
                let mut events = |count: usize| -> Vec<usize> {
                    (0..count).map(|_| *rng.pick(&known)).collect()
                };
                let (stem, cycle) = (events(2), events(2));
                let letters = |events: &[usize]| -> Vec<u8> {
                    events.iter().map(|&event| 1 << position(event).unwrap()).collect()
                };
                let word = TinyWord { stem: letters(&stem), cycle: letters(&cycle) };
                let expected = components.iter().all(|part| part.accepts(&stem, &cycle, waiting));
                let waits = components.iter().any(|part| part.project(&cycle).is_empty());
                accepted += usize::from(expected);
                waited += usize::from(expected && waits);
                assert_eq!(
                    oracle_accepts(&whole, &word),
                    expected,
                    "{case}; {waiting:?} reading {stem:?}({cycle:?})"
                );
                // Letters that are no single event are never taken.
                let two = TinyWord { stem: vec![], cycle: vec![0] };
                assert!(!oracle_accepts(&whole, &two), "{case}");
            }
        }
    }
    assert!(accepted > 300 && waited > 100, "{accepted} {waited}");
}

/// The example of `docs/papers.md` 000-4: b for ever, beside an automaton for a for ever.
#[test]
fn waiting_in_an_accepting_state() {
    let only = |event: &str| {
        let mut builder = Builder::new(vec![event.into()]);
        builder.set_acceptance(Acceptance::buchi(), 1);
        let state = builder.add_state();
        builder.add_initial(state);
        let label = builder.letters_mut().prop(Prop(0)).unwrap();
        builder.add_edge(state, label, MarkSet::first(1), state);
        builder.build()
    };
    let (a, b) = (only("a"), only("b"));
    let word = TinyWord { stem: vec![], cycle: vec![0b10] };
    let mut config = AlphabetisedConfig::default();
    let paper = alphabetised_product(&[&a, &b], &config).unwrap();
    assert!(oracle_accepts(&paper, &word), "as the paper has it");
    config.waiting = Waiting::Silent;
    let silent = alphabetised_product(&[&a, &b], &config).unwrap();
    assert!(!oracle_accepts(&silent, &word), "a must move again and again");
    let none = alphabetised_product(&[], &config).unwrap();
    assert_eq!((none.state_count(), none.edge_count()), (1, 0));
    let few = AlphabetisedConfig { limits: Limits { states: 10, edges: 1 }, ..config };
    assert!(alphabetised_product(&[&a, &b], &few).is_err());
}

/// Words of a random Kripke structure by walking it.
#[test]
fn kripke_structures_read_their_runs() {
    let (mut accepted, mut idled) = (0, 0);
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(4);
        let mut kripke = Kripke::new(vec!["p".into(), "q".into()]);
        let valuations: Vec<u8> = (0..count).map(|_| rng.below(4) as u8).collect();
        let mut states = Vec::new();
        for &valuation in &valuations {
            let holds: Vec<Prop> =
                (0..2).filter(|bit| valuation >> bit & 1 == 1).map(Prop).collect();
            states.push(kripke.add_state(&holds).unwrap());
        }
        kripke.add_initial(states[0]);
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        for _ in 0..rng.below(2 * count) {
            let (from, to) = (rng.below(count), rng.below(count));
            kripke.add_step(states[from], states[to]);
            next[from].push(to);
        }
        let dead: Vec<usize> = (0..count).filter(|&at| next[at].is_empty()).collect();
        assert_eq!(kripke.deadlocks().map(StateId::index).collect::<Vec<_>>(), dead, "seed {seed}");
        // A random walk of the structure, idling where it must, gives words that it has.
        let (mut walk, mut at) = (Vec::new(), 0);
        let mut seen = vec![None; count];
        let start = loop {
            if let Some(start) = seen[at] {
                break start;
            }
            seen[at] = Some(walk.len());
            walk.push(valuations[at]);
            if !next[at].is_empty() {
                at = *rng.pick(&next[at]);
            }
        };
        let word = TinyWord { stem: walk[..start].to_vec(), cycle: walk[start..].to_vec() };
        let idle = kripke.to_automaton(Deadlock::Idles);
        assert!(oracle_accepts(&idle, &word), "seed {seed}: {word}");
        accepted += 1;
        // Any other word is judged the same by a search through positions.
        let mut other = word.clone();
        let at = rng.below(other.cycle.len());
        other.cycle[at] = rng.below(4) as u8;
        let mut live: Vec<Vec<bool>> =
            vec![vec![true; count]; other.stem.len() + other.cycle.len()];
        let total = live.len();
        loop {
            let mut changed = false;
            for position in (0..total).rev() {
                let letter = other.stem.iter().chain(&other.cycle).nth(position).unwrap();
                let after = if position + 1 == total { other.stem.len() } else { position + 1 };
                for state in 0..count {
                    let onward = next[state].iter().any(|&to| live[after][to])
                        || next[state].is_empty() && live[after][state];
                    if live[position][state] && (valuations[state] != *letter || !onward) {
                        live[position][state] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        assert_eq!(oracle_accepts(&idle, &other), live[0][0], "seed {seed}: {other}");
        let dropped = kripke.to_automaton(Deadlock::Dropped);
        let stuck = dead.iter().any(|&state| state == at && next[state].is_empty());
        idled += usize::from(stuck && !oracle_accepts(&dropped, &word));
    }
    assert!(accepted > 1000 && idled > 100, "{accepted} {idled}");
}
