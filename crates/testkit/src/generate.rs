//! Random graphs, conditions and words, each a function of an [`Rng`] alone.

use crate::condition::TinyCondition::{self, And, False, Fin, Inf, Or, True};
use crate::graph::{TinyEdge, TinyGraph};
use crate::rng::Rng;
use crate::words::TinyWord;

/// How large a random graph may become.
#[derive(Clone, Copy, Debug)]
pub struct GraphShape {
    /// One to this many nodes.
    pub most_nodes: usize,
    /// None to this many edges.
    pub most_edges: usize,
    /// Edges carry marks below this number, at most 64.
    pub marks: u32,
    /// Letters are valuations of this many propositions, at most 3.
    pub propositions: u32,
}

impl Default for GraphShape {
    /// Six nodes, fourteen edges, six marks, no propositions: the largest that the naive answers
    /// decide in well under a millisecond.
    fn default() -> Self {
        GraphShape { most_nodes: 6, most_edges: 14, marks: 6, propositions: 0 }
    }
}

/// A random graph.
///
/// Independent random edges alone would rarely give a component with an interesting choice in it,
/// so some graphs are grown around a ring, get self-loops, or get copies of edges with other marks.
/// Unreachable parts, dead ends and graphs without an initial node come up as they may.
pub fn random_graph(rng: &mut Rng, shape: &GraphShape) -> TinyGraph {
    let nodes = 1 + rng.below(shape.most_nodes);
    let most = rng.below(shape.most_edges + 1);
    let (mark_chance, letter_chance) = (1 + rng.below(5) as u32, 1 + rng.below(6) as u32);
    let marks = |rng: &mut Rng| -> u64 {
        (0..shape.marks).filter(|_| rng.chance(mark_chance, 8)).fold(0, |set, mark| set | 1 << mark)
    };
    let letters = |rng: &mut Rng| -> u8 {
        let all = 1u32 << shape.propositions;
        if shape.propositions == 0 || rng.chance(1, 8) {
            return if rng.chance(1, 40) { 0 } else { (u16::MAX >> (16 - all)) as u8 };
        }
        (0..all).filter(|_| rng.chance(letter_chance, 8)).fold(0, |set, letter| set | 1 << letter)
    };
    let mut edges: Vec<TinyEdge> = Vec::new();
    if rng.chance(1, 2) {
        let length = 1 + rng.below(nodes);
        for at in 0..length.min(most) {
            let (marks, letters) = (marks(rng), letters(rng));
            edges.push(TinyEdge { from: at, to: (at + 1) % length, marks, letters });
        }
    }
    let style = rng.below(3);
    while edges.len() < most {
        let mut edge = TinyEdge {
            from: rng.below(nodes),
            to: rng.below(nodes),
            marks: marks(rng),
            letters: letters(rng),
        };
        if style == 1 && rng.chance(1, 3) {
            edge.to = edge.from;
        }
        if style == 2 && !edges.is_empty() && rng.chance(1, 3) {
            let twin = *rng.pick(&edges);
            (edge.from, edge.to) = (twin.from, twin.to);
        }
        let at = rng.below(edges.len() + 1);
        edges.insert(at, edge);
    }
    let mut initial = Vec::new();
    if !rng.chance(1, 50) {
        initial.push(if rng.chance(1, 2) { 0 } else { rng.below(nodes) });
        let second = rng.below(nodes);
        if rng.chance(1, 5) && !initial.contains(&second) {
            initial.push(second);
        }
    }
    TinyGraph { nodes, initial, propositions: shape.propositions, edges }
}

/// The kinds of conditions that [`random_condition`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionKind {
    /// `t` or `f`.
    Constant,
    /// One `Inf`.
    Buchi,
    /// A conjunction of `Inf`.
    GeneralizedBuchi,
    /// One `Fin`.
    CoBuchi,
    /// A disjunction of `Fin`.
    GeneralizedCoBuchi,
    /// A conjunction of `Fin | Inf`.
    Streett,
    /// A conjunction of disjunctions of `Fin` and `Inf`, of any sizes.
    GeneralizedStreett,
    /// A disjunction of `Fin & Inf`.
    Rabin,
    /// A disjunction of `Fin` with any number of `Inf`.
    GeneralizedRabin,
    /// The parity of the largest or smallest mark.
    Parity,
    /// Any formula.
    EmersonLei,
}

impl ConditionKind {
    /// Every kind.
    pub const ALL: [ConditionKind; 11] = [
        ConditionKind::Constant,
        ConditionKind::Buchi,
        ConditionKind::GeneralizedBuchi,
        ConditionKind::CoBuchi,
        ConditionKind::GeneralizedCoBuchi,
        ConditionKind::Streett,
        ConditionKind::GeneralizedStreett,
        ConditionKind::Rabin,
        ConditionKind::GeneralizedRabin,
        ConditionKind::Parity,
        ConditionKind::EmersonLei,
    ];
}

/// A random condition over marks below `marks`. Half of them number the marks in a row, as HOA
/// does; in the others pairs may share marks. Without marks it is a constant.
pub fn random_condition(rng: &mut Rng, kind: ConditionKind, marks: u32) -> TinyCondition {
    if marks == 0 || kind == ConditionKind::Constant {
        return if rng.chance(1, 4) { False } else { True };
    }
    let in_a_row = rng.chance(1, 2);
    let mut used = 0;
    let mut mark = |rng: &mut Rng| {
        used += 1;
        if in_a_row { (used - 1) % marks } else { rng.below(marks as usize) as u32 }
    };
    let sets = 1 + rng.below(marks as usize);
    let pairs = 1 + rng.below((marks as usize / 2).max(1));
    match kind {
        ConditionKind::Constant => True,
        ConditionKind::Buchi => Inf(mark(rng)),
        ConditionKind::GeneralizedBuchi => And((0..sets).map(|_| Inf(mark(rng))).collect()),
        ConditionKind::CoBuchi => Fin(mark(rng)),
        ConditionKind::GeneralizedCoBuchi => Or((0..sets).map(|_| Fin(mark(rng))).collect()),
        ConditionKind::Streett => {
            And((0..pairs).map(|_| Or(vec![Fin(mark(rng)), Inf(mark(rng))])).collect())
        }
        ConditionKind::Rabin => {
            Or((0..pairs).map(|_| And(vec![Fin(mark(rng)), Inf(mark(rng))])).collect())
        }
        ConditionKind::GeneralizedStreett => {
            let mut clause = |rng: &mut Rng| {
                let mut atoms = Vec::new();
                for _ in 0..1 + rng.below(3) {
                    let mark = mark(rng);
                    atoms.push(if rng.chance(1, 2) { Fin(mark) } else { Inf(mark) });
                }
                Or(atoms)
            };
            And((0..1 + rng.below(4)).map(|_| clause(rng)).collect())
        }
        ConditionKind::GeneralizedRabin => {
            let mut pair = |rng: &mut Rng| {
                let mut atoms = vec![Fin(mark(rng))];
                for _ in 0..rng.below(3) {
                    atoms.push(Inf(mark(rng)));
                }
                And(atoms)
            };
            Or((0..1 + rng.below(3)).map(|_| pair(rng)).collect())
        }
        ConditionKind::Parity => {
            let colours = 1 + rng.below(marks as usize) as u32;
            let (largest, odd) = (rng.chance(1, 2), rng.chance(1, 2));
            parity(largest, odd, colours)
        }
        ConditionKind::EmersonLei => {
            let depth = 1 + rng.below(3);
            random_formula(rng, marks, depth)
        }
    }
}

/// The parity condition over the marks below `colours`: the largest or smallest mark that is met
/// infinitely often is odd, or even. A run that meets no mark is accepted when the weakest mark is
/// a bad one, which is what the formulas in HOA come to.
pub fn parity(largest: bool, odd: bool, colours: u32) -> TinyCondition {
    // Said as "some good mark is met and no stronger one", which is not how engines write it; only
    // the run that meets nothing needs a word of its own.
    let stronger = |mark: u32| if largest { mark + 1..colours } else { 0..mark };
    let good = |mark: u32| (mark % 2 == 1) == odd;
    let mut ways: Vec<TinyCondition> = Vec::new();
    for mark in (0..colours).filter(|&mark| good(mark)) {
        let mut way = vec![Inf(mark)];
        way.extend(stronger(mark).filter(|&other| !good(other)).map(Fin));
        ways.push(And(way));
    }
    let weakest = if largest { 0 } else { colours.saturating_sub(1) };
    let nothing_accepts = if colours == 0 { largest == odd } else { !good(weakest) };
    if nothing_accepts {
        ways.push(And((0..colours).filter(|&mark| !good(mark)).map(Fin).collect()));
    }
    Or(ways)
}

fn random_formula(rng: &mut Rng, marks: u32, depth: usize) -> TinyCondition {
    if depth == 0 || rng.chance(1, 8) {
        let mark = rng.below(marks as usize) as u32;
        return match rng.below(20) {
            0 => True,
            1 => False,
            even if even % 2 == 0 => Inf(mark),
            _ => Fin(mark),
        };
    }
    let parts = (0..1 + rng.below(3)).map(|_| random_formula(rng, marks, depth - 1)).collect();
    if rng.chance(1, 2) { And(parts) } else { Or(parts) }
}

/// A random word with at most `stem` letters before a cycle of one to `cycle` letters.
pub fn random_word(rng: &mut Rng, propositions: u32, stem: usize, cycle: usize) -> TinyWord {
    let (stem, cycle) = (rng.below(stem + 1), 1 + rng.below(cycle));
    let mut letters = |count: usize| -> Vec<u8> {
        (0..count).map(|_| rng.below(1 << propositions) as u8).collect()
    };
    TinyWord { stem: letters(stem), cycle: letters(cycle) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_case() {
        let shape = GraphShape { propositions: 3, ..GraphShape::default() };
        let case = |seed| {
            let mut rng = Rng::new(seed);
            let graph = random_graph(&mut rng, &shape);
            (graph, random_condition(&mut rng, ConditionKind::EmersonLei, shape.marks))
        };
        assert_eq!(case(5), case(5));
        assert_ne!(case(5), case(6));
    }

    #[test]
    fn every_oddity_comes_up() {
        let shape = GraphShape { propositions: 1, ..GraphShape::default() };
        let graphs: Vec<TinyGraph> =
            (0..500).map(|seed| random_graph(&mut Rng::new(seed), &shape)).collect();
        let some = |what: &str, is: &dyn Fn(&TinyGraph) -> bool| {
            assert!(graphs.iter().filter(|graph| is(graph)).count() >= 5, "{what}");
        };
        some("no initial node", &|graph| graph.initial.is_empty());
        some("two initial nodes", &|graph| graph.initial.len() == 2);
        some("no edge", &|graph| graph.edges.is_empty());
        some("self-loop", &|graph| graph.edges.iter().any(|edge| edge.from == edge.to));
        some("silent edge", &|graph| graph.edges.iter().any(|edge| edge.letters == 0));
        some("dead end", &|graph| {
            (0..graph.nodes).any(|node| {
                graph.edges.iter().any(|edge| edge.to == node)
                    && graph.edges.iter().all(|edge| edge.from != node)
            })
        });
        some("parallel edges with different marks", &|graph| {
            graph.edges.iter().any(|one| {
                graph
                    .edges
                    .iter()
                    .any(|two| (one.from, one.to) == (two.from, two.to) && one.marks != two.marks)
            })
        });
        some("largest", &|graph| graph.edges.len() == 14);
    }

    #[test]
    fn parity_is_what_it_says() {
        for (largest, odd) in [(false, false), (false, true), (true, false), (true, true)] {
            for colours in 1..6 {
                let condition = parity(largest, odd, colours);
                for seen in 1u64..1 << colours {
                    let deciding =
                        if largest { 63 - seen.leading_zeros() } else { seen.trailing_zeros() };
                    assert_eq!(condition.accepts(seen), (deciding % 2 == 1) == odd, "{condition}");
                }
            }
        }
        // HOA: parity min even 4 is Inf(0) | (Fin(1) & (Inf(2) | Fin(3))), which the empty set meets.
        assert!(parity(false, false, 4).accepts(0));
        assert!(!parity(false, false, 3).accepts(0));
        // parity max odd 2 is Inf(1) | Fin(0).
        assert!(parity(true, true, 2).accepts(0));
    }
}
