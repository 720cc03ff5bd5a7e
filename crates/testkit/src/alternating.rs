//! Alternating automata on ultimately periodic words, by the game that defines their runs.
//!
//! On a word, one player chooses an edge of the current state and the other one of its targets; the
//! first wants the marks of the play to be accepted. Places of an ultimately periodic word repeat,
//! so the game is finite. It is solved by McNaughton's recursion on the marks ("Infinite games
//! played on finite graphs", APAL 1993), which knows nothing of automata.

use std::collections::BTreeSet;

use crate::condition::TinyCondition;
use crate::rng::Rng;
use crate::words::TinyWord;

/// An alternating automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyAlternating {
    /// How many states there are.
    pub states: usize,
    /// Starting points: each is a conjunction of states.
    pub initial: Vec<Vec<usize>>,
    /// How many propositions letters are valuations of; at most 3.
    pub propositions: u32,
    /// All edges.
    pub edges: Vec<TinyBranch>,
}

/// An edge to several states at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyBranch {
    /// The source.
    pub from: usize,
    /// The targets; at least one.
    pub to: Vec<usize>,
    /// The marks, as bits.
    pub marks: u64,
    /// The letters it can be taken on, as bits.
    pub letters: u8,
}

/// A position of a game: who moves, the marks that are met in it, where it leads.
struct Position {
    chooser: bool,
    marks: u64,
    next: Vec<usize>,
}

/// Whether the automaton has a run on the word all of whose branches are accepted.
///
/// ```
/// use fairly_testkit::{TinyAlternating, TinyBranch, TinyCondition, TinyWord, accepts_by_game};
/// // From one state to both of two, of which the second has no edges.
/// let branch = |from, to: &[usize]| TinyBranch { from, to: to.to_vec(), marks: 0, letters: 1 };
/// let both = TinyAlternating {
///     states: 3,
///     initial: vec![vec![0]],
///     propositions: 0,
///     edges: vec![branch(0, &[1, 2]), branch(1, &[1])],
/// };
/// let word = TinyWord { stem: vec![], cycle: vec![0] };
/// assert!(!accepts_by_game(&both, &TinyCondition::True, &word));
/// ```
///
/// # Panics
/// If the cycle of the word is empty.
pub fn accepts_by_game(
    automaton: &TinyAlternating,
    condition: &TinyCondition,
    word: &TinyWord,
) -> bool {
    assert!(!word.cycle.is_empty(), "an infinite word has a cycle");
    let places = word.stem.len() + word.cycle.len();
    // States at places come first, then a position for each edge at each place, then the end in
    // which a state without an edge loses: a loop with a mark of its own.
    let lost = automaton.states * places;
    let mut game: Vec<Position> = Vec::new();
    for _ in 0..lost {
        game.push(Position { chooser: true, marks: 0, next: Vec::new() });
    }
    game.push(Position { chooser: true, marks: 1 << 63, next: vec![lost] });
    for (place, letter) in word.stem.iter().chain(&word.cycle).enumerate() {
        let after = if place + 1 == places { word.stem.len() } else { place + 1 };
        for edge in automaton.edges.iter().filter(|edge| edge.letters >> letter & 1 == 1) {
            let next = edge.to.iter().map(|to| to + after * automaton.states).collect();
            game.push(Position { chooser: false, marks: edge.marks, next });
            let here = game.len() - 1;
            game[edge.from + place * automaton.states].next.push(here);
        }
    }
    for position in game.iter_mut().filter(|position| position.next.is_empty()) {
        position.next.push(lost);
    }
    let wins = |seen: u64| seen >> 63 == 0 && condition.accepts(seen);
    let won = winning(&game, &(0..game.len()).collect(), &wins);
    automaton.initial.iter().any(|states| states.iter().all(|state| won.contains(state)))
}

/// Winning positions of the chooser, in the part `inside` of the game, which no player is forced to leave.
fn winning(
    game: &[Position],
    inside: &BTreeSet<usize>,
    wins: &impl Fn(u64) -> bool,
) -> BTreeSet<usize> {
    if inside.is_empty() {
        return BTreeSet::new();
    }
    let marks = inside.iter().fold(0, |all, &at| all | game[at].marks);
    // Who wins if all marks are met again and again.
    let chooser = wins(marks);
    for mark in (0..64).filter(|mark| marks >> mark & 1 == 1) {
        let met = inside.iter().copied().filter(|&at| game[at].marks >> mark & 1 == 1).collect();
        let without = inside - &attracted(game, inside, &met, chooser);
        let won = winning(game, &without, wins);
        let other = if chooser { &without - &won } else { won };
        if !other.is_empty() {
            // The other player wins here, and from wherever the play can be led here.
            let taken = attracted(game, inside, &other, !chooser);
            let rest = winning(game, &(inside - &taken), wins);
            return if chooser { rest } else { &rest | &taken };
        }
    }
    if chooser { inside.clone() } else { BTreeSet::new() }
}

/// From where one of the players can lead the play into `goal`.
fn attracted(
    game: &[Position],
    inside: &BTreeSet<usize>,
    goal: &BTreeSet<usize>,
    chooser: bool,
) -> BTreeSet<usize> {
    let mut reached = goal.clone();
    loop {
        let leads = |at: &&usize| {
            let position = &game[**at];
            let mut next = position.next.iter().filter(|to| inside.contains(to));
            if position.chooser == chooser {
                next.any(|to| reached.contains(to))
            } else {
                next.all(|to| reached.contains(to))
            }
        };
        let more: Vec<usize> = (inside - &reached).iter().filter(leads).copied().collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

/// A random alternating automaton over two propositions; about half of the edges branch.
pub fn random_alternating(rng: &mut Rng, most_states: usize, marks: u32) -> TinyAlternating {
    let states = 1 + rng.below(most_states);
    let conjunction = |rng: &mut Rng| {
        let mut all: Vec<usize> = (0..1 + rng.below(2)).map(|_| rng.below(states)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let initial = (0..1 + rng.below(2)).map(|_| conjunction(rng)).collect();
    let mut edges = Vec::new();
    for from in 0..states {
        for _ in 0..1 + rng.below(2) {
            let letters = *rng.pick(&[0b1111, 0b1010, 0b0101, 0b1100, 0b0011, 0b1000, 0b0111]);
            let to = conjunction(rng);
            let marks = (0..marks).filter(|_| rng.chance(1, 3)).fold(0, |set, bit| set | 1 << bit);
            edges.push(TinyBranch { from, to, marks, letters });
        }
    }
    TinyAlternating { states, initial, propositions: 2, edges }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{ConditionKind, GraphShape, random_condition, random_graph, random_word};
    use crate::words::accepts_word;

    /// Without conjunctions a run is a path, which the other oracles judge.
    #[test]
    fn games_of_one_player_are_paths() {
        let mut accepted = 0;
        for seed in 0..1_000 {
            let mut rng = Rng::new(seed);
            let shape = GraphShape { propositions: 2, most_edges: 9, ..GraphShape::default() };
            let graph = random_graph(&mut rng, &shape);
            let kind = *rng.pick(&ConditionKind::ALL);
            let condition = random_condition(&mut rng, kind, shape.marks);
            let word = random_word(&mut rng, 2, 2, 3);
            let branch = |edge: &crate::TinyEdge| TinyBranch {
                from: edge.from,
                to: vec![edge.to],
                marks: edge.marks,
                letters: edge.letters,
            };
            let alternating = TinyAlternating {
                states: graph.nodes,
                initial: graph.initial.iter().map(|&state| vec![state]).collect(),
                propositions: 2,
                edges: graph.edges.iter().map(branch).collect(),
            };
            let answer = accepts_word(&graph, &condition, &word);
            assert_eq!(accepts_by_game(&alternating, &condition, &word), answer, "seed {seed}");
            accepted += usize::from(answer);
        }
        assert!((100..900).contains(&accepted), "{accepted}");
    }
}
