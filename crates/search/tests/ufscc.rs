//! Components by several workers against the sequential engines: the same answers, and paths that are accepted.

use fairly_omega::emptiness::{self, Algorithm};
use fairly_omega::{Acceptance, Automaton, Builder, Label, Lasso, Mark, MarkSet, StateId, Stop};
use fairly_search::ufscc::{Cut, Options, Outcome, SharedAutomaton, search};
use fairly_testkit::Rng;

const WORKERS: [usize; 4] = [1, 2, 3, 8];

fn options(workers: usize) -> Options {
    let (alone, kept) = (Options::ALONE, Options::KEPT);
    Options {
        workers,
        memory: 1 << 26,
        nodes: None,
        alone,
        kept,
        stop: Stop::default(),
        watch: None,
    }
}

fn condition(rng: &mut Rng, marks: u32, depth: u32) -> Acceptance {
    let mark = Mark(rng.below(marks as usize) as u32);
    match if depth == 0 { rng.below(4) } else { rng.below(8) } {
        0 | 1 => Acceptance::Inf(mark),
        2 | 3 => Acceptance::Fin(mark),
        4 | 5 => Acceptance::and((0..2).map(|_| condition(rng, marks, depth - 1))),
        _ => Acceptance::or((0..2).map(|_| condition(rng, marks, depth - 1))),
    }
}

/// Any condition, or one of the kinds that fairness gives.
fn some_condition(rng: &mut Rng, marks: u32) -> Acceptance {
    match rng.below(4) {
        0 => Acceptance::generalized_buchi(marks),
        1 => Acceptance::streett(marks / 2),
        _ => condition(rng, marks, 3),
    }
}

fn random(rng: &mut Rng, states: usize, density: u32) -> Automaton {
    let mut marks = 1 + rng.below(5) as u32;
    // As many as no word has bits for.
    let beyond = if rng.chance(1, 4) { 60 + 5 * rng.below(40) as u32 } else { 0 };
    let mut builder = Builder::new(vec![]);
    let mut acceptance = some_condition(rng, marks);
    if beyond > 0 {
        acceptance = acceptance.rename(|mark| Mark(mark.0 * (beyond / marks) + mark.0));
        marks = (marks - 1) * (beyond / marks) + marks;
    }
    builder.set_acceptance(acceptance, marks);
    let states: Vec<StateId> = (0..states).map(|_| builder.add_state()).collect();
    for _ in 0..1 + rng.below(2) {
        builder.add_initial(*rng.pick(&states));
    }
    for &from in &states {
        for _ in 0..rng.below(1 + density as usize) {
            let carried: MarkSet = (0..marks).filter(|_| rng.chance(1, 5)).map(Mark).collect();
            builder.add_edge(from, Label::TRUE, carried, *rng.pick(&states));
        }
    }
    builder.build()
}

/// Whether a lasso is a path of the automaton that is accepted.
fn judge(automaton: &Automaton, lasso: &Lasso) -> bool {
    let hops = lasso.stem.iter().chain(&lasso.cycle);
    let mut at = hops.clone().next().expect("a path has steps").from;
    let begins = automaton.initial().contains(&at);
    let mut seen = MarkSet::new();
    for (number, hop) in hops.enumerate() {
        let edge = &automaton.edges(hop.from)[hop.nth as usize];
        if hop.from != at || edge.target != hop.to {
            return false;
        }
        at = hop.to;
        if number >= lasso.stem.len() {
            seen.union_with(automaton.marks(edge.marks));
        }
    }
    let first = lasso.cycle.first().expect("a cycle has steps").from;
    begins && at == first && automaton.acceptance().accepts(&seen)
}

/// Compares the answer of the search, which leaves components with more nodes than `alone` to all workers; how many
/// there were.
fn compare(automaton: &Automaton, workers: usize, alone: usize, expected: bool) -> usize {
    // Steps are asked for again in every other search, for each node or for some.
    let kept = [Options::KEPT, automaton.state_count() % 9][alone % 2];
    let shared = SharedAutomaton::new(automaton, 1 << 24).expect("room");
    let options = Options { alone, kept, ..options(workers) };
    let Outcome { lasso, cut, pruned, .. } = search(&shared, &options);
    assert_eq!(cut, None);
    assert_eq!(lasso.is_some(), expected, "{workers} workers, {alone} nodes alone");
    if let Some(lasso) = lasso {
        assert!(judge(automaton, &lasso), "{lasso:?}");
    }
    pruned
}

fn is_expected(automaton: &Automaton) -> bool {
    let answer = emptiness::check(&mut automaton.graph(), Algorithm::Streett).expect("small");
    answer.lasso.is_some()
}

#[test]
fn small_random_automata_have_the_same_answers() {
    let (first, all) = (first_seed(), cases(3000));
    let (mut accepted, mut pruned) = (0, 0);
    for seed in first..first + all {
        let mut rng = Rng::new(seed);
        let (states, density) = (1 + rng.below(12), 1 + rng.below(3) as u32);
        let automaton = random(&mut rng, states, density);
        let expected = is_expected(&automaton);
        accepted += u64::from(expected);
        let alone = *rng.pick(&[0, 0, 1, 1, 5, Options::ALONE]);
        for workers in WORKERS {
            let compare = || compare(&automaton, workers, alone, expected);
            let result = std::panic::catch_unwind(compare);
            pruned += result.unwrap_or_else(|_| panic!("seed {seed}, {workers} workers"));
        }
    }
    assert!(accepted > all / 5 && accepted < all - all / 5, "{accepted} of {all}");
    assert!(pruned as u64 > all / 20, "{pruned} of {all} pruned");
}

#[test]
fn large_random_automata_have_the_same_answers() {
    for seed in first_seed()..first_seed() + cases(3000) / 100 {
        let mut rng = Rng::new(seed);
        let density = 2 + rng.below(3) as u32;
        let automaton = random(&mut rng, 3000, density);
        let expected = is_expected(&automaton);
        let alone = *rng.pick(&[50, 51, Options::ALONE, Options::ALONE + 1]);
        for workers in WORKERS {
            let compare = || compare(&automaton, workers, alone, expected);
            let result = std::panic::catch_unwind(compare);
            result.unwrap_or_else(|_| panic!("seed {seed}, {workers} workers"));
        }
    }
}

/// One component of all states, in which every strong constraint but one can be met.
#[test]
fn one_giant_component_is_pruned() {
    let mut builder = Builder::new(vec![]);
    builder.set_acceptance(Acceptance::streett(2), 4);
    let states: Vec<StateId> = (0..20_000).map(|_| builder.add_state()).collect();
    builder.add_initial(states[0]);
    let marks = |marks: &[u32]| marks.iter().copied().map(Mark).collect::<MarkSet>();
    for (at, &from) in states.iter().enumerate() {
        let carried = if at % 1000 == 7 { marks(&[0]) } else { marks(&[]) };
        builder.add_edge(from, Label::TRUE, carried, states[(at + 1) % states.len()]);
        builder.add_edge(from, Label::TRUE, marks(&[0]), states[at / 2]);
    }
    // The only cycle without the mark that asks for something.
    builder.add_edge(states[503], Label::TRUE, marks(&[]), states[490]);
    let automaton = builder.build();
    for workers in WORKERS {
        // It may be found before the component is complete.
        assert!(compare(&automaton, workers, 1000, true) <= 2);
    }
}

/// One component in which every mark that is asked for comes with one that is forbidden: it is pruned again and again.
#[test]
fn a_giant_component_without_an_accepted_part_is_pruned_by_all() {
    let pairs = 40;
    let mut builder = Builder::new(vec![]);
    builder.set_acceptance(Acceptance::streett(pairs), 2 * pairs);
    let states: Vec<StateId> = (0..8000).map(|_| builder.add_state()).collect();
    builder.add_initial(states[0]);
    for (at, &from) in states.iter().enumerate() {
        // Pair `k` asks for what only steps have that pair `k + 1` forbids; the last one cannot be met.
        let pair = at as u32 % pairs;
        let mut carried: MarkSet = [Mark(2 * pair)].into_iter().collect();
        if pair > 0 {
            carried.insert(Mark(2 * (pair - 1) + 1));
        }
        builder.add_edge(from, Label::TRUE, carried.clone(), states[(at + 1) % states.len()]);
        builder.add_edge(from, Label::TRUE, carried, states[at / 2]);
    }
    let automaton = builder.build();
    assert!(!is_expected(&automaton));
    for workers in WORKERS {
        assert!(compare(&automaton, workers, 100, false) > 0, "{workers} workers");
    }
}

#[test]
fn a_limit_is_no_answer() {
    let mut builder = Builder::new(vec![]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let states: Vec<StateId> = (0..50_000).map(|_| builder.add_state()).collect();
    builder.add_initial(states[0]);
    for pair in states.windows(2) {
        builder.add_edge(pair[0], Label::TRUE, MarkSet::new(), pair[1]);
    }
    let whole = builder.build();
    let automaton = &SharedAutomaton::new(&whole, 1 << 20).expect("room");
    for workers in WORKERS {
        let few = Options { nodes: Some(1000), ..options(workers) };
        assert_eq!(search(automaton, &few).cut, Some(Cut::Nodes(1000)));
        let small = Options { memory: 1 << 20, ..options(workers) };
        assert!(matches!(search(automaton, &small).cut, Some(Cut::Store(_))));
        let stop = Stop { deadline: Some(std::time::Instant::now()), ..Stop::default() };
        let stopped = Options { stop, ..options(workers) };
        assert_eq!(search(automaton, &stopped).cut, Some(Cut::Interrupted));
        assert!(search(automaton, &options(workers)).lasso.is_none());
    }
}

fn cases(default: u64) -> u64 {
    fairly_testkit::cases(default)
}

fn first_seed() -> u64 {
    fairly_testkit::first_seed(1)
}
