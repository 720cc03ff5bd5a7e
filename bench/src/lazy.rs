//! The lazy counterexample of Latvala and Heljanko (2000, Figures 2 and 3), as printed and repaired.
//!
//! A search breadth first from the root; the path is fixed wherever a set *L* is met for the first time, or a *U* that
//! an earlier *L* asks for, and the search begins again there. It ends with a step to the root when nothing that was
//! asked for is missing.
//!
//! As printed, a *U* that was met before its *L* is put among the seen ones by `lockpath` without being taken off the
//! count of what is missing, and nothing takes it off later: the queue runs empty (docs/papers.md 002-9). The repair
//! counts again after each `lockpath`.

use std::collections::VecDeque;

use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, MarkSet, StateId};

use crate::generate::Random;

/// A strongly connected component with Streett pairs on its vertices; at most 64 of them.
pub struct Component {
    /// By vertex, where its edges lead.
    pub successors: Vec<Vec<usize>>,
    /// By vertex, the sets *L* that it belongs to, a bit each.
    pub asks: Vec<u64>,
    /// By vertex, the sets *U*.
    pub meets: Vec<u64>,
    /// How many pairs.
    pub pairs: u32,
}

/// How a random component is made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Vertices.
    pub vertices: usize,
    /// Edges of a vertex, one of which closes a cycle through all.
    pub degree: usize,
    /// Streett pairs.
    pub pairs: u32,
    /// One vertex in so many belongs to an *L*.
    pub one_in: usize,
}

impl Component {
    /// A good component: every *U* has a vertex.
    pub fn random(shape: Shape, seed: u64) -> Component {
        let Shape { vertices, degree, pairs, one_in } = shape;
        let mut random =
            Random::new(seed ^ (vertices as u64) << 32 ^ u64::from(pairs) << 24 ^ degree as u64);
        let mut successors = Vec::with_capacity(vertices);
        let (mut asks, mut meets) = (vec![0; vertices], vec![0; vertices]);
        for from in 0..vertices {
            let mut own = vec![(from + 1) % vertices];
            own.extend((1..degree).map(|_| random.below(vertices)));
            successors.push(own);
        }
        for pair in 0..pairs {
            meets[random.below(vertices)] |= 1 << pair;
            for ask in &mut asks {
                *ask |= u64::from(random.below(one_in) == 0) << pair;
            }
        }
        Component { successors, asks, meets, pairs }
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// The same as an automaton, with the marks of a vertex on its edges.
    pub fn automaton(&self) -> Automaton {
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(Acceptance::streett(self.pairs), 2 * self.pairs);
        builder.add_states(self.successors.len());
        builder.add_initial(StateId(0));
        for (from, successors) in self.successors.iter().enumerate() {
            let bits = |set: u64, offset: u32| {
                let pairs = (0..self.pairs).filter(move |pair| set >> pair & 1 == 1);
                pairs.map(move |pair| Mark(2 * pair + offset))
            };
            let marks: MarkSet =
                bits(self.asks[from], 0).chain(bits(self.meets[from], 1)).collect();
            for &to in successors {
                let (from, to) = (StateId::from_index(from), StateId::from_index(to));
                builder.add_edge(from, Label::TRUE, marks.clone(), to);
            }
        }
        builder.build()
    }

    /// Steps of the counterexample from vertex 0 back to it; nothing if the queue runs empty.
    pub fn lazy_walk(&self, is_repaired: bool) -> Option<usize> {
        let mut search = Walk {
            component: self,
            before: vec![None; self.successors.len()],
            queue: VecDeque::new(),
            start: 0,
            fixed: 0,
            seen_asks: 0,
            seen_meets: 0,
            missing: 0,
            is_repaired,
        };
        search.begin(0);
        search.run()
    }
}

/// State of the search. Its two sets and its counter are local to `checkstate` as printed, which cannot be meant (002-8).
struct Walk<'a> {
    component: &'a Component,
    /// By vertex that was visited since the path was fixed, the vertex before and the number of steps.
    before: Vec<Option<(usize, usize)>>,
    queue: VecDeque<usize>,
    /// Where the path was fixed last.
    start: usize,
    /// Steps until there.
    fixed: usize,
    seen_asks: u64,
    seen_meets: u64,
    missing: i64,
    is_repaired: bool,
}

impl Walk<'_> {
    fn begin(&mut self, vertex: usize) {
        self.before.fill(None);
        self.before[vertex] = Some((vertex, 0));
        self.queue.clear();
        self.queue.push_back(vertex);
        self.start = vertex;
    }

    fn run(&mut self) -> Option<usize> {
        let root = 0;
        while let Some(vertex) = self.queue.pop_front() {
            let mut steps = self.before[vertex].expect("it was visited").1;
            if self.check(vertex) {
                self.lock(vertex);
                // What comes next is searched from here.
                self.queue.clear();
                steps = 0;
            }
            let component = self.component;
            let successors = &component.successors[vertex];
            if successors.contains(&root) && self.missing == 0 {
                return Some(self.fixed + steps + 1);
            }
            for &next in successors {
                if self.before[next].is_none() {
                    self.before[next] = Some((vertex, steps + 1));
                    self.queue.push_back(next);
                }
            }
        }
        None
    }

    /// `checkstate`: whether the path is fixed here.
    fn check(&mut self, vertex: usize) -> bool {
        let new_asks = self.component.asks[vertex] & !self.seen_asks;
        self.seen_asks |= new_asks;
        self.missing += i64::from((new_asks & !self.seen_meets).count_ones());
        let met = self.component.meets[vertex] & !self.seen_meets & self.seen_asks;
        self.missing -= i64::from(met.count_ones());
        new_asks != 0 || met != 0
    }

    /// `lockpath`: the sets *U* on the path count as seen.
    fn lock(&mut self, vertex: usize) {
        self.fixed += self.before[vertex].expect("it was visited").1;
        let mut at = vertex;
        loop {
            self.seen_meets |= self.component.meets[at];
            if at == self.start {
                break;
            }
            at = self.before[at].expect("it was visited").0;
        }
        if self.is_repaired {
            self.missing = i64::from((self.seen_asks & !self.seen_meets).count_ones());
        }
        self.begin(vertex);
    }
}

/// Steps of a shortest cycle that meets every *U* whose *L* it meets: breadth first over pairs of a vertex and the sets
/// met, from every vertex. For a few pairs.
pub fn shortest(component: &Component) -> usize {
    let (vertices, pairs) = (component.successors.len(), component.pairs);
    let sets = 1usize << (2 * pairs);
    let of = |vertex: usize| (component.asks[vertex] | component.meets[vertex] << pairs) as usize;
    let is_fair = |set: usize| {
        let (asks, meets) = (set & ((1 << pairs) - 1), set >> pairs);
        asks & !meets == 0
    };
    let mut best = usize::MAX;
    for root in 0..vertices {
        let mut met = vec![false; vertices * sets];
        let mut layer = vec![(root, 0)];
        met[root * sets] = true;
        let mut steps = 0;
        while !layer.is_empty() && steps + 1 < best {
            steps += 1;
            let mut next = Vec::new();
            for (vertex, set) in layer {
                let set = set | of(vertex);
                for &to in &component.successors[vertex] {
                    if to == root && is_fair(set) {
                        best = steps;
                    }
                    if !std::mem::replace(&mut met[to * sets + set], true) {
                        next.push((to, set));
                    }
                }
            }
            layer = next;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_is_met_before_it_is_asked_for_is_counted_for_ever_as_printed() {
        // docs/papers.md 002-9: the root meets what the other vertex asks for.
        let component = Component {
            successors: vec![vec![1], vec![0]],
            asks: vec![0, 1],
            meets: vec![1, 0],
            pairs: 1,
        };
        assert_eq!(component.lazy_walk(false), None);
        assert_eq!(component.lazy_walk(true), Some(2));
        assert_eq!(shortest(&component), 2);
    }

    #[test]
    fn a_repaired_walk_always_ends_and_is_no_shorter_than_the_shortest() {
        for seed in 0..300 {
            let shape = Shape { vertices: 9, degree: 2, pairs: 1 + (seed % 3) as u32, one_in: 4 };
            let component = Component::random(shape, seed);
            let repaired = component.lazy_walk(true).expect("the component is good");
            let least = shortest(&component);
            assert!(least <= repaired, "{seed}: {least} {repaired}");
            assert!(component.lazy_walk(false).is_none_or(|printed| printed >= least), "{seed}");
            let bound = shape.vertices * (shape.vertices.min(2 * shape.pairs as usize) + 1);
            assert!(repaired <= bound, "{seed}: {repaired}");
        }
    }
}
