//! Tiny graphs with marks on the edges, as plain data.
//!
//! Everything is public and nothing is checked on the way in: tests build the strangest cases by
//! hand. What a graph *means* is said once, in [`crate::oracle`].

use std::fmt;

/// A graph small enough to enumerate everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyGraph {
    /// Nodes are `0..nodes`.
    pub nodes: usize,
    /// Where a run may start; there may be none.
    pub initial: Vec<usize>,
    /// Letters are the valuations of this many propositions, at most 3.
    pub propositions: u32,
    /// The edges, in any order; two may differ in nothing but their marks, or in nothing at all.
    pub edges: Vec<TinyEdge>,
}

/// An edge of a [`TinyGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinyEdge {
    /// The node it leaves.
    pub from: usize,
    /// The node it leads to.
    pub to: usize,
    /// Bit `m` is set when the edge carries the mark `m`.
    pub marks: u64,
    /// Bit `v` is set when the edge is taken on the letter `v`, where bit `p` of `v` is the value
    /// of the proposition `p`. An edge without a letter can never be taken.
    pub letters: u8,
}

impl TinyGraph {
    /// A graph without propositions that starts in node 0: each edge is
    /// `(from, marks, to)`. For cases written by hand.
    pub fn of(nodes: usize, edges: &[(usize, &[u32], usize)]) -> Self {
        let edge = |&(from, marks, to): &(usize, &[u32], usize)| TinyEdge {
            from,
            to,
            marks: marks.iter().fold(0, |set, mark| set | 1 << mark),
            letters: 1,
        };
        TinyGraph {
            nodes,
            initial: vec![0],
            propositions: 0,
            edges: edges.iter().map(edge).collect(),
        }
    }

    /// How many letters there are.
    pub fn letter_count(&self) -> u32 {
        1 << self.propositions
    }
}

impl fmt::Display for TinyGraph {
    /// One line that a person can draw: `3 nodes from [0]: 0 -{1}-> 2, 2 -{}-> 0 on {0,3}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes from {:?}:", self.nodes, self.initial)?;
        for (at, edge) in self.edges.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            let marks = members(edge.marks);
            write!(f, "{separator} {} -{{{marks}}}-> {}", edge.from, edge.to)?;
            if self.propositions > 0 {
                write!(f, " on {{{}}}", members(u64::from(edge.letters)))?;
            }
        }
        Ok(())
    }
}

fn members(set: u64) -> String {
    let names: Vec<String> =
        (0..64).filter(|bit| set >> bit & 1 == 1).map(|bit: u32| bit.to_string()).collect();
    names.join(",")
}
