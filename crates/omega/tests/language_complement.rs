//! Complement and determinization against the oracle, word by word.

use fairly_omega::ops::{
    complement, complement_to_buchi, determinize, intersection, is_empty, is_universal,
    rejected_word, union,
};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Class, Label, Limits, Mark, Prop, Resource,
    StateId,
};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, TinyWord, accepts_word, all_words,
    random_condition, random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed, tiny};

const LIMITS: Limits = Limits { states: 100_000, edges: 1_000_000 };

/// Judges a word by following the only run there is: cheaper than the oracle, and a second opinion.
fn follows(graph: &TinyGraph, condition: &TinyCondition, word: &TinyWord) -> bool {
    assert!(graph.initial.len() <= 1, "not deterministic");
    let Some(&start) = graph.initial.first() else { return false };
    let (mut at, mut position) = (start, 0);
    let mut path: Vec<(usize, usize, u64)> = Vec::new();
    loop {
        if let Some(lap) = path.iter().position(|&(p, s, _)| (p, s) == (position, at)) {
            return condition.accepts(path[lap..].iter().fold(0, |all, step| all | step.2));
        }
        let letter = if position < word.stem.len() {
            word.stem[position]
        } else {
            word.cycle[position - word.stem.len()]
        };
        let mut edges =
            graph.edges.iter().filter(|edge| edge.from == at && edge.letters >> letter & 1 == 1);
        let Some(edge) = edges.next() else { return false };
        assert!(edges.next().is_none(), "not deterministic");
        path.push((position, at, edge.marks));
        at = edge.to;
        position += 1;
        if position == word.stem.len() + word.cycle.len() {
            position = word.stem.len();
        }
    }
}

/// All words with short stems and cycles; with two propositions, those and some longer ones.
fn words(rng: &mut Rng, propositions: u32) -> Vec<TinyWord> {
    if propositions < 2 {
        return all_words(propositions, 2, 3);
    }
    let mut words = all_words(propositions, 1, 1);
    words.extend((0..60).map(|_| random_word(rng, propositions, 2, 3)));
    words
}

fn shape(rng: &mut Rng, marks: u32) -> GraphShape {
    GraphShape {
        most_nodes: 5,
        most_edges: 12,
        marks,
        propositions: if rng.chance(1, 4) { 2 } else { 1 },
    }
}

/// Every word is accepted by exactly one of the two, and the determinization agrees with the first.
fn judge(rng: &mut Rng, graph: &TinyGraph, condition: &TinyCondition, case: &str) -> (u32, u32) {
    let automaton = automaton(graph, condition);
    let negation = complement(&automaton, LIMITS).unwrap();
    let determined = determinize(&automaton, LIMITS).unwrap();
    assert!(determined.is_complete().unwrap(), "{case}");
    let (negated, parity) = (tiny(&negation), tiny(&determined));
    let (mut accepted, mut rejected) = (0, 0);
    for word in words(rng, graph.propositions) {
        let expected = accepts_word(graph, condition, &word);
        assert_eq!(follows(&negated.0, &negated.1, &word), !expected, "complement, {word}: {case}");
        assert_eq!(follows(&parity.0, &parity.1, &word), expected, "determinized, {word}: {case}");
        *(if expected { &mut accepted } else { &mut rejected }) += 1;
    }
    (accepted, rejected)
}

#[test]
fn buchi_automata_are_complemented() {
    let (mut accepted, mut rejected) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(1_500) {
        let mut rng = Rng::new(seed);
        let shape = shape(&mut rng, 1);
        let graph = random_graph(&mut rng, &shape);
        let case = format!("seed {seed}: {graph}");
        let counted = judge(&mut rng, &graph, &TinyCondition::Inf(0), &case);
        accepted += counted.0;
        rejected += counted.1;
    }
    assert!(accepted > 10_000 && rejected > 10_000, "{accepted} against {rejected}");
}

/// Few edges leave little choice; here a state has several edges on every letter.
#[test]
fn dense_buchi_automata_are_complemented() {
    let first = first_seed(100_000);
    for seed in first..first + cases(300) {
        let mut rng = Rng::new(seed);
        let nodes = 2 + rng.below(3);
        let graph = dense(&mut rng, nodes);
        let case = format!("seed {seed}: {graph}");
        judge(&mut rng, &graph, &TinyCondition::Inf(0), &case);
    }
}

fn dense(rng: &mut Rng, nodes: usize) -> TinyGraph {
    let mut edges = Vec::new();
    for from in 0..nodes {
        for letter in 0..2 {
            for to in (0..nodes).filter(|_| rng.chance(2, 5)).collect::<Vec<_>>() {
                let marks = u64::from(rng.chance(1, 3));
                edges.push(fairly_testkit::TinyEdge { from, to, marks, letters: 1 << letter });
            }
        }
    }
    TinyGraph { nodes, initial: vec![0], propositions: 1, edges }
}

#[test]
fn every_condition_is_complemented() {
    let first = first_seed(200_000);
    for seed in first..first + cases(660) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 3, most_edges: 8, ..shape(&mut rng, 4) };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let case = format!("seed {seed}: {condition} on {graph}");
        judge(&mut rng, &graph, &condition, &case);
    }
}

#[test]
fn a_language_and_its_complement_share_nothing_and_miss_nothing() {
    let first = first_seed(300_000);
    for seed in first..first + cases(400) {
        let mut rng = Rng::new(seed);
        let shape = shape(&mut rng, 1);
        let graph = random_graph(&mut rng, &shape);
        let here = automaton(&graph, &TinyCondition::Inf(0));
        let there = complement(&here, LIMITS).unwrap();
        let both = intersection(&here, &there, LIMITS).unwrap();
        assert!(is_empty(&both).unwrap(), "seed {seed}: {graph}");
        let either = union(&here, &there, LIMITS).unwrap();
        assert_eq!(rejected_word(&either, LIMITS), Ok(None), "seed {seed}: {graph}");
        let buchi = complement_to_buchi(&here, LIMITS).unwrap();
        assert!(matches!(buchi.acceptance().class(), Class::Buchi | Class::All), "seed {seed}");
        let back = complement(&buchi, LIMITS).unwrap();
        let (back, condition) = tiny(&back);
        for _ in 0..20 {
            let word = random_word(&mut rng, shape.propositions, 3, 4);
            assert_eq!(
                follows(&back, &condition, &word),
                accepts_word(&graph, &TinyCondition::Inf(0), &word),
                "twice, seed {seed}, {word}: {graph}"
            );
        }
    }
}

#[test]
fn de_morgan() {
    let first = first_seed(400_000);
    for seed in first..first + cases(150) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 3, most_edges: 8, marks: 2, propositions: 1 };
        let mut operand = || {
            let kind = *rng.pick(&ConditionKind::ALL);
            let graph = random_graph(&mut rng, &shape);
            (graph, random_condition(&mut rng, kind, shape.marks))
        };
        let (a, b) = (operand(), operand());
        let case = format!("seed {seed}: {} on {} and {} on {}", a.1, a.0, b.1, b.0);
        let (one, two) = (automaton(&a.0, &a.1), automaton(&b.0, &b.1));
        let not = |automaton: &Automaton| complement(automaton, LIMITS).unwrap();
        // Not (not a or not b) is a and b.
        let by_negation = not(&union(&not(&one), &not(&two), LIMITS).unwrap());
        let (graph, condition) = tiny(&by_negation);
        for word in all_words(1, 2, 3) {
            let expected = accepts_word(&a.0, &a.1, &word) && accepts_word(&b.0, &b.1, &word);
            assert_eq!(follows(&graph, &condition, &word), expected, "{word}: {case}");
        }
    }
}

/// The family of Michel ("Complementation is more difficult with automata on infinite words", CNET
/// 1988): letters 1..n and #; a word is accepted when it has infinitely often, for some letters
/// that follow each other in a circle, every pair of neighbours. The complement of the automaton of
/// n + 1 states needs n! states at least.
fn michel(n: u32) -> Automaton {
    // Letter v is the valuation of enough propositions that reads v in binary; 0 is #.
    let bits = u32::BITS - n.leading_zeros();
    let mut builder = Builder::new((0..bits).map(|bit| format!("b{bit}")).collect());
    builder.set_acceptance(Acceptance::buchi(), 1);
    let hub = builder.add_states(n as usize + 1);
    let letter = |builder: &mut Builder, value: u32| {
        let cube: Vec<_> = (0..bits).map(|bit| (Prop(bit), value >> bit & 1 == 1)).collect();
        builder.letters_mut().cube(&cube).unwrap()
    };
    for i in 1..=n {
        let state = StateId(hub.0 + i);
        builder.add_initial(state);
        for other in 0..=n {
            let label = letter(&mut builder, other);
            builder.add_edge(state, label, Default::default(), state);
        }
        let own = letter(&mut builder, i);
        builder.add_edge(state, own, [Mark(0)].into_iter().collect(), hub);
        builder.add_edge(hub, own, Default::default(), state);
    }
    builder.build()
}

#[test]
fn the_family_of_michel() {
    let mut sizes = Vec::new();
    for n in 2..=4 {
        let family = michel(n);
        let negation = complement(&family, LIMITS).unwrap();
        assert!(is_empty(&intersection(&family, &negation, LIMITS).unwrap()).unwrap(), "{n}");
        let least: usize = (1..=n as usize).product();
        // The number of history trees of n + 1 states with ages is below 2 (n + 1)^(n+1) (n + 1)!.
        let m = n as usize + 1;
        let most = 2 * m.pow(m as u32) * (1..=m).product::<usize>();
        assert!(negation.state_count() >= least, "{n}: {}", negation.state_count());
        assert!(negation.state_count() <= most, "{n}: {}", negation.state_count());
        sizes.push(negation.state_count());
    }
    println!("complements of Michel's automata: {sizes:?} states");
}

#[test]
fn too_large_is_refused() {
    let tight = Limits { states: 10, edges: 1_000 };
    let refused = complement(&michel(4), tight);
    assert_eq!(refused.unwrap_err(), BudgetError { resource: Resource::States, limit: 10 });
    let tight = Limits { states: 1_000, edges: 10 };
    let refused = determinize(&michel(4), tight);
    assert_eq!(refused.unwrap_err(), BudgetError { resource: Resource::Edges, limit: 10 });
}

#[test]
fn conditions_stay_what_they_are() {
    // Deterministic automata keep their structure and get the dual condition.
    for (condition, class) in [
        (Acceptance::streett(2), Class::Rabin(2)),
        (Acceptance::rabin(3), Class::Streett(3)),
        (Acceptance::buchi(), Class::CoBuchi),
        (Acceptance::generalized_buchi(3), Class::GeneralizedCoBuchi(3)),
    ] {
        let mut builder = Builder::new(vec!["p".into()]);
        let width = condition.marks().len() as u32;
        builder.set_acceptance(condition, width);
        let here = builder.add_state();
        builder.add_initial(here);
        let p = builder.letters_mut().prop(Prop(0)).unwrap();
        let not_p = builder.letters_mut().not(p).unwrap();
        builder.add_edge(here, p, (0..width).map(Mark).collect(), here);
        builder.add_edge(here, not_p, Default::default(), here);
        let negation = complement(&builder.build(), LIMITS).unwrap();
        assert_eq!(negation.acceptance().class(), class);
        assert!(negation.state_count() <= 1);
    }
    // A set of states can decide these without marks: "p some time" and "p at once".
    let mut builder = Builder::new(vec!["p".into()]);
    builder.set_acceptance(Acceptance::buchi(), 1);
    let (wait, done) = (builder.add_state(), builder.add_state());
    builder.add_initial(wait);
    let p = builder.letters_mut().prop(Prop(0)).unwrap();
    builder.add_edge(wait, Label::TRUE, Default::default(), wait);
    builder.add_edge(wait, p, Default::default(), done);
    builder.add_edge(done, Label::TRUE, [Mark(0)].into_iter().collect(), done);
    let never = complement(&builder.build(), LIMITS).unwrap();
    assert_eq!(never.acceptance().class(), Class::All);
    assert_eq!((never.state_count(), never.edge_count()), (1, 1));
    assert!(
        is_universal(&complement(&Builder::new(vec![]).build(), LIMITS).unwrap(), LIMITS).unwrap()
    );
}
