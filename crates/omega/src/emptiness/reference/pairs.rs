//! Streett pairs on vertices, and components of a part that is stored.

use crate::acceptance::{Acceptance, Clause};
use crate::automaton::StateId;
use crate::graph::Graph;
use crate::marks::{Mark, MarkSet};

use super::super::component::Component;
use super::entered::Entered;

/// A pair `(L, U)`: who visits `L` again and again visits `U` again and again.
pub(super) struct Pair {
    /// The mark of `L`; `None` for a Büchi set, whose `L` is all vertices (002-3).
    pub(super) asked: Option<Mark>,
    /// The marks of `U`.
    pub(super) met: MarkSet,
}

/// The condition as pairs, if it is a conjunction of `Fin(l) ∨ Inf(u)` and `Inf(u)`.
pub(super) fn pairs_of(acceptance: &Acceptance) -> Option<Vec<Pair>> {
    let pair = |clause: Clause| {
        let mut asked = clause.fin.iter();
        let first = asked.next();
        asked.next().is_none().then(|| Pair { asked: first, met: clause.inf.clone() })
    };
    acceptance.clauses()?.into_iter().map(pair).collect()
}

/// How many pairs a part with these marks asks for.
pub(super) fn asked(pairs: &[Pair], present: &MarkSet) -> usize {
    pairs.iter().filter(|pair| pair.asked.is_none_or(|asked| present.contains(asked))).count()
}

/// A component with its edges and the marks of its vertices.
pub(super) struct Stored {
    pub(super) rows: Component,
    /// By vertex: its marks.
    pub(super) marks: Vec<MarkSet>,
}

impl Stored {
    /// Copies these vertices and the edges between them. `position` gives the place of one among them.
    pub(super) fn of<G: Graph>(
        graph: &mut Entered<'_, G>,
        members: &[StateId],
        position: impl Fn(StateId) -> Option<u32>,
    ) -> Self {
        let rows = Component::copy(graph, members, |_| true, position);
        let marks = members.iter().map(|&vertex| graph.marks_of(vertex).into_owned()).collect();
        Stored { rows, marks }
    }

    /// The marks of the vertices of a part.
    pub(super) fn present(&self, part: &[u32]) -> MarkSet {
        let mut present = MarkSet::new();
        part.iter().for_each(|&vertex| present.union_with(&self.marks[vertex as usize]));
        present
    }

    /// *Bad*: the vertices of a part in some `L` of which the part has no vertex in `U`.
    pub(super) fn bad(&self, part: &[u32], pairs: &[Pair]) -> Vec<u32> {
        let present = self.present(part);
        let failed: Vec<&Pair> =
            pairs.iter().filter(|pair| !pair.met.intersects(&present)).collect();
        let is_bad = |vertex: &u32| {
            let marks = &self.marks[*vertex as usize];
            failed.iter().any(|pair| pair.asked.is_none_or(|asked| marks.contains(asked)))
        };
        part.iter().copied().filter(is_bad).collect()
    }

    /// Whether a part that is strongly connected has an edge.
    pub(super) fn is_nontrivial(&self, part: &[u32]) -> bool {
        let looping = |&vertex: &u32| self.rows.edges(vertex).any(|edge| edge.target == vertex);
        part.len() > 1 || part.first().is_some_and(looping)
    }

    /// All strongly connected components of a part, the trivial ones too (002-7), by Tarjan's algorithm
    /// (1972). A part is the vertices with its number in `owner`.
    pub(super) fn components(
        &self,
        part: &[u32],
        owner: &[u32],
        tables: &mut Tables,
    ) -> Vec<Vec<u32>> {
        let Some(&first) = part.first() else { return Vec::new() };
        let number_of_part = owner[first as usize];
        let Tables { number, low } = tables;
        let (mut found, mut live, mut path) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 1;
        for &start in part {
            if number[start as usize] != 0 {
                continue;
            }
            path.push((start, self.rows.range(start).start));
            (number[start as usize], low[start as usize]) = (next, next);
            next += 1;
            live.push(start);
            while let Some(&mut (vertex, ref mut at)) = path.last_mut() {
                if *at < self.rows.range(vertex).end {
                    let target = self.rows.target(*at);
                    *at += 1;
                    if owner[target as usize] != number_of_part {
                        continue;
                    }
                    match number[target as usize] {
                        0 => {
                            (number[target as usize], low[target as usize]) = (next, next);
                            next += 1;
                            live.push(target);
                            path.push((target, self.rows.range(target).start));
                        }
                        DONE => {}
                        seen => low[vertex as usize] = low[vertex as usize].min(seen),
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[vertex as usize]);
                }
                if low[vertex as usize] == number[vertex as usize] {
                    let from = live.iter().rposition(|&other| other == vertex);
                    let component = live.split_off(from.expect("the root is on the stack"));
                    component.iter().for_each(|&member| number[member as usize] = DONE);
                    found.push(component);
                }
            }
        }
        part.iter().for_each(|&vertex| number[vertex as usize] = 0);
        found
    }
}

const DONE: u32 = u32::MAX;

/// Tables of [`Stored::components`], allocated once.
pub(super) struct Tables {
    number: Vec<u32>,
    low: Vec<u32>,
}

impl Tables {
    pub(super) fn new(vertices: usize) -> Self {
        Tables { number: vec![0; vertices], low: vec![0; vertices] }
    }
}
