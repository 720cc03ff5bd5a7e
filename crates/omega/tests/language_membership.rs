//! Membership of words against the oracle, with every run that is given judged.

use fairly_omega::ops::{accepted_word, accepts, is_empty};
use fairly_omega::{Builder, Cube, Label, Letters, Prop, StateId, Word};
use fairly_testkit::{
    ConditionKind, GraphShape, Rng, TinyWord, accepts_word, has_accepting_run_by_lassos,
    judge_lasso, random_condition, random_graph, random_word,
};

use crate::common::{automaton, cases, first_seed, lasso_edges};

fn letter(letters: &mut Letters, propositions: u32, letter: u8) -> Label {
    let cube: Cube = (0..propositions).map(|at| (Prop(at), letter >> at & 1 == 1)).collect();
    letters.cube(&cube).unwrap()
}

fn word(letters: &mut Letters, propositions: u32, word: &TinyWord) -> Word {
    let mut labels =
        |from: &[u8]| from.iter().map(|&at| letter(letters, propositions, at)).collect();
    Word { stem: labels(&word.stem), cycle: labels(&word.cycle) }
}

#[test]
fn runs_on_words_are_found_and_are_runs() {
    let (mut accepted, mut rejected) = (0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(4_000) {
        let mut rng = Rng::new(seed);
        let propositions = rng.below(3) as u32;
        let shape = GraphShape { propositions, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let mut here = automaton(&graph, &condition);
        let tiny = random_word(&mut rng, propositions, 3, 4);
        let read = word(here.letters_mut(), propositions, &tiny);
        let case = format!("seed {seed}: {condition} on {graph} reading {tiny}");
        let expected = accepts_word(&graph, &condition, &tiny);
        let answer = accepts(&here, &read).unwrap();
        assert_eq!(answer.is_some(), expected, "{case}");
        *(if expected { &mut accepted } else { &mut rejected }) += 1;
        let Some(lasso) = answer else { continue };
        let (stem, cycle) =
            lasso_edges(&graph, &lasso, StateId::index).unwrap_or_else(|e| panic!("{e}: {case}"));
        assert_eq!(judge_lasso(&graph, &condition, &stem, &cycle), Ok(()), "{case}");
        // The run reads the word: its stem ends where the word's cycle has begun, and its cycle is
        // whole laps.
        let mut position = 0;
        for &edge in stem.iter().chain(&cycle) {
            let letter = tiny.stem.iter().chain(&tiny.cycle).nth(position).unwrap();
            assert!(graph.edges[edge].letters >> letter & 1 == 1, "{case}");
            position = read.next(position);
        }
        assert!(stem.len() >= tiny.stem.len() && cycle.len() % tiny.cycle.len() == 0, "{case}");
    }
    assert!(accepted > 300 && rejected > 300, "{accepted} against {rejected}");
}

/// An open letter is accepted when some way to close it is.
#[test]
fn open_letters_are_closed_somehow() {
    let first = first_seed(100_000);
    for seed in first..first + cases(1_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { most_nodes: 4, most_edges: 9, marks: 3, propositions: 2 };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let mut here = automaton(&graph, &condition);
        // A set of letters in place of each letter of the word; the oracle gets a graph in which
        // an edge can be taken when it shares a letter with the set.
        let sets: Vec<u8> = (0..1 + rng.below(3)).map(|_| 1 + rng.below(15) as u8).collect();
        let stem = rng.below(sets.len());
        let mut edges = Vec::new();
        for (position, set) in sets.iter().enumerate() {
            let next = if position + 1 == sets.len() { stem } else { position + 1 };
            for edge in graph.edges.iter().filter(|edge| edge.letters & set != 0) {
                edges.push(fairly_testkit::TinyEdge {
                    from: edge.from + position * graph.nodes,
                    to: edge.to + next * graph.nodes,
                    ..*edge
                });
            }
        }
        let runs =
            fairly_testkit::TinyGraph { nodes: graph.nodes * sets.len(), edges, ..graph.clone() };
        let labels: Vec<Label> = sets
            .iter()
            .map(|set| {
                (0..4).filter(|at| set >> at & 1 == 1).fold(Label::FALSE, |all, at| {
                    let one = letter(here.letters_mut(), 2, at);
                    here.letters_mut().or(all, one).unwrap()
                })
            })
            .collect();
        let read = Word { stem: labels[..stem].to_vec(), cycle: labels[stem..].to_vec() };
        assert_eq!(
            accepts(&here, &read).unwrap().is_some(),
            has_accepting_run_by_lassos(&runs, &condition),
            "seed {seed}: {condition} on {graph} reading {sets:?} from {stem}"
        );
    }
}

#[test]
fn an_accepted_word_is_accepted() {
    let first = first_seed(200_000);
    for seed in first..first + cases(1_000) {
        let mut rng = Rng::new(seed);
        let shape = GraphShape { propositions: 2, ..GraphShape::default() };
        let graph = random_graph(&mut rng, &shape);
        let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
        let condition = random_condition(&mut rng, kind, shape.marks);
        let mut here = automaton(&graph, &condition);
        let expected = has_accepting_run_by_lassos(&graph, &condition);
        let case = format!("seed {seed}: {condition} on {graph}");
        assert_eq!(is_empty(&here), Ok(!expected), "{case}");
        let found = accepted_word(&here).unwrap();
        assert_eq!(found.is_some(), expected, "{case}");
        if let Some(found) = found {
            let read = found.read_by(&mut here).unwrap();
            assert!(accepts(&here, &read).unwrap().is_some(), "{case}");
        }
    }
}

#[test]
fn a_long_word_overflows_nothing() {
    let mut builder = Builder::new(vec!["p".into()]);
    let here = builder.add_state();
    builder.add_initial(here);
    builder.add_edge(here, Label::TRUE, Default::default(), here);
    let p = builder.letters_mut().prop(Prop(0)).unwrap();
    let word = Word { stem: vec![p; 100_000], cycle: vec![Label::TRUE; 100_000] };
    let lasso = accepts(&builder.build(), &word).unwrap().unwrap();
    assert_eq!(lasso.cycle.len(), 100_000);
    // A letter that nothing satisfies is read by nothing.
    let mut builder = Builder::new(vec![]);
    let here = builder.add_state();
    builder.add_initial(here);
    builder.add_edge(here, Label::TRUE, Default::default(), here);
    let word = Word { stem: vec![], cycle: vec![Label::FALSE] };
    assert_eq!(accepts(&builder.build(), &word), Ok(None));
}
