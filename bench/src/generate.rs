//! Generated automata for the emptiness benchmarks.
//!
//! One shape at every size, so that sizes can be compared: a giant component made of blocks.
//! Blocks of 32 states follow each other; every state has two edges forward (inside its block or
//! to the next ones) and one back inside its block, and the first state of each block has one edge
//! back to an earlier block. A run of the fairness pairs through it looks like a real system's:
//!
//! - process `p` is *enabled* (mark `2p`) on the inner back edges of some blocks,
//! - it is *taken* (mark `2p + 1`) on edges back between blocks,
//! - pair 0 is enabled on every edge back between blocks and never taken.
//!
//! So the whole is one component that fails pair 0; without the edges back between blocks the
//! blocks fall apart, and each fails the pairs enabled in it, since they were taken outside; without
//! those back edges no cycle is left. Three decompositions, however many pairs: this is the depth
//! that fairness problems were seen to have.

use fairly_omega::{Acceptance, Automaton, Builder, Edge, Label, Mark, MarkSet, StateId};

/// States in a block.
const BLOCK: usize = 32;
/// Edges of a state, the edges between blocks aside.
const DEGREE: usize = 3;

/// Whether the automaton has an accepted run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// None: everything has to be searched.
    Empty,
    /// One block, about half-way, is accepted.
    NonEmpty,
}

/// A small generator of our own keeps the graphs the same whatever crate versions are used.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound as u64).expect("below a usize")
    }
}

/// An automaton with about `edges` edges and `pairs` Streett pairs; with no pairs, a Büchi
/// condition whose mark lies on no cycle (or, non-empty, on one).
pub fn blocks(edges: usize, pairs: u32, language: Language) -> Automaton {
    let block_count = (edges / (BLOCK * DEGREE)).max(2);
    let states = block_count * BLOCK;
    let lucky = block_count / 2;
    let mut random = Random(edges as u64 ^ u64::from(pairs) << 40);
    let mut builder = Builder::new(vec![]);
    match pairs {
        0 => builder.set_acceptance(Acceptance::buchi(), 1),
        _ => builder.set_acceptance(Acceptance::streett(pairs), 2 * pairs),
    }
    builder.add_states(states);
    builder.add_initial(StateId(0));
    let mut add = |from: usize, to: usize, marks: MarkSet| {
        let marks = builder.mark_table_mut().intern(marks);
        let edge = Edge { target: StateId::from_index(to), label: Label::TRUE, marks };
        builder.add_interned(StateId::from_index(from), edge);
    };
    let process = |random: &mut Random| match pairs {
        0 | 1 => None,
        _ => Some(1 + u32::try_from(random.below(pairs as usize - 1)).expect("fewer pairs")),
    };
    for block in 0..block_count {
        let base = block * BLOCK;
        // Two processes are enabled in a block.
        let enabled: MarkSet =
            (0..2).filter_map(|_| process(&mut random)).map(|p| Mark(2 * p)).collect();
        for at in 0..BLOCK {
            let from = base + at;
            let near = base + (at + 1).min(BLOCK - 1);
            let far = (from + 1 + random.below(2 * BLOCK)).min(states - 1);
            if near > from {
                add(from, near, MarkSet::new());
            }
            if far > from {
                add(from, far, MarkSet::new());
            }
            let back = base + random.below(at + 1);
            let back = if at == BLOCK - 1 { base } else { back };
            let mut marks = enabled.clone();
            if language == Language::NonEmpty && block == lucky && at == BLOCK - 1 {
                marks = match pairs {
                    0 => MarkSet::from_iter([Mark(0)]),
                    _ => (0..pairs).map(|p| Mark(2 * p + 1)).collect(),
                };
            }
            add(from, back, marks);
        }
        if block > 0 {
            let mut marks = MarkSet::new();
            if pairs > 0 {
                marks.insert(Mark(0));
                if let Some(taken) = process(&mut random) {
                    marks.insert(Mark(2 * taken + 1));
                }
            }
            let target = random.below(block) * BLOCK;
            add(base, target, marks);
        }
    }
    builder.build()
}
