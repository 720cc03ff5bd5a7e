//! Classes of nodes such that no fair run stays in one.
//!
//! The strongly connected components of a graph are put into classes, from those that nothing leaves on: each into
//! the lowest class for which no edge leads up and whose reason no edge inside breaks. So a class may have many
//! components, and there are few classes. One whose reason is strong constraints is divided again, without the edges
//! on which their *when* comes.

use fairly_omega::{Mark, MarkSet};
use hashbrown::HashMap;

/// A graph with sets of marks on its edges.
#[derive(Default)]
pub(super) struct Marked {
    /// By node: where its edges begin; one more for the end.
    pub(super) first: Vec<usize>,
    /// Target, and the position of the marks.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) marks: Vec<MarkSet>,
    /// Under strong global fairness, by node: the state of the system; by edge: the step; by state: how many.
    pub(super) global: Option<Global>,
}

/// Steps of the system behind edges.
#[derive(Default)]
pub(super) struct Global {
    pub(super) states: Vec<u32>,
    pub(super) steps: Vec<u32>,
    pub(super) counts: HashMap<u32, usize>,
}

/// Conditions that a fair run meets.
#[derive(Default)]
pub(super) struct Conditions {
    /// Marks that come again and again.
    pub(super) again: Vec<Mark>,
    /// Pairs: if the first comes again and again, then so does the second.
    pub(super) pairs: Vec<(Mark, Mark)>,
}

/// Why no fair run stays in a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reason {
    /// There is no edge inside.
    Acyclic,
    /// The condition at this position among those of marks that come again and again.
    Never(usize),
    /// Pairs whose second mark is on no edge inside.
    Pairs(Vec<usize>),
    /// Steps of states that are on no edge inside.
    Global,
}

/// A class: the one that it is a part of, and its reason. A class of a lower position is of a lower rank.
pub(super) type Class = (Option<u32>, Reason);

/// Classes, and the class of each node; or a node on a fair run, as there is none then. With `forged`, a component
/// with fair runs gets this reason, which is wrong.
pub(super) fn divide(
    graph: &Marked,
    conditions: &Conditions,
    forged: Option<Reason>,
) -> Result<(Vec<Class>, Vec<u32>), u32> {
    let count = graph.first.len().saturating_sub(1);
    let mut division = Division {
        graph,
        conditions,
        region: vec![0; count],
        is_dead: vec![false; count],
        classes: Vec::new(),
        of: vec![0; count],
        component: vec![0; count],
        low: vec![0; count],
        forged,
    };
    let all = (0..count).map(|node| u32::try_from(node).expect("fewer than 2^32 nodes")).collect();
    let mut open = vec![Part { nodes: all, parent: None, gone: MarkSet::new() }];
    let mut number = 0;
    while let Some(part) = open.pop() {
        number += 1;
        division.split(&part, number, &mut open)?;
    }
    Ok((division.classes, division.of))
}

/// Nodes that are to be put into classes, and the marks of edges that do not count.
struct Part {
    nodes: Vec<u32>,
    parent: Option<u32>,
    gone: MarkSet,
}

struct Division<'a> {
    graph: &'a Marked,
    conditions: &'a Conditions,
    /// The part that a node is in.
    region: Vec<u32>,
    /// Nodes whose edges do not count.
    is_dead: Vec<bool>,
    classes: Vec<Class>,
    of: Vec<u32>,
    component: Vec<u32>,
    low: Vec<u32>,
    forged: Option<Reason>,
}

/// A place of a component: its level, and its reason by position.
type Place = (u32, u32);

impl Division<'_> {
    /// Whether an edge out of a node counts.
    fn counts(&self, node: u32, edge: usize, part: &Part) -> bool {
        let (target, marks) = self.graph.edges[edge];
        !self.is_dead[node as usize]
            && self.region[target as usize] == self.region[node as usize]
            && (part.gone.is_empty() || !self.graph.marks[marks as usize].intersects(&part.gone))
    }

    /// The edges out of a node that count, as targets and positions.
    fn edges<'s>(&'s self, node: u32, part: &'s Part) -> impl Iterator<Item = (u32, usize)> + 's {
        let all = self.graph.first[node as usize]..self.graph.first[node as usize + 1];
        let counts = move |edge: &usize| self.counts(node, *edge, part);
        all.filter(counts).map(|edge| (self.graph.edges[edge].0, edge))
    }

    fn marks(&self, edge: usize) -> &MarkSet {
        &self.graph.marks[self.graph.edges[edge].1 as usize]
    }

    /// Puts the nodes of a part into classes; those that are to be divided again go to `open`.
    fn split(&mut self, part: &Part, number: u32, open: &mut Vec<Part>) -> Result<(), u32> {
        for &node in &part.nodes {
            self.region[node as usize] = number;
        }
        let components = self.components(part);
        let mut reasons: Vec<Reason> = vec![Reason::Acyclic];
        let mut places: Vec<Place> = Vec::new();
        for (at, members) in components.iter().enumerate() {
            let candidates = self.candidates(part, at, members, &places, &mut reasons)?;
            let best = candidates
                .into_iter()
                .map(|reason| (self.level(part, at, members, &places, (reason, &reasons)), reason))
                .min();
            places.push(best.expect("a component has a reason, or no run stays outside"));
        }
        let mut order: Vec<Place> = places.clone();
        order.sort_unstable();
        order.dedup();
        let first = self.classes.len();
        let classes =
            order.iter().map(|&(_, reason)| (part.parent, reasons[reason as usize].clone()));
        self.classes.extend(classes);
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        for (members, place) in components.iter().zip(&places) {
            let at = order.binary_search(place).expect("it is among them");
            let class = u32::try_from(first + at).expect("fewer than 2^32 classes");
            members.iter().for_each(|&node| self.of[node as usize] = class);
            if let Reason::Pairs(_) | Reason::Global = self.classes[first + at].1 {
                inside[at].extend(members);
            }
        }
        for (at, nodes) in inside.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            let class = first + at;
            let mut gone = part.gone.clone();
            match &self.classes[class].1 {
                Reason::Pairs(pairs) => {
                    let known = pairs.iter().filter_map(|&it| self.conditions.pairs.get(it));
                    known.for_each(|it| gone.insert(it.0));
                }
                Reason::Global => {
                    let one = u32::try_from(class).expect("fewer than 2^32 classes");
                    for node in self.uncovered(part, &nodes, |node| self.of[node as usize] == one) {
                        self.is_dead[node as usize] = true;
                    }
                }
                Reason::Acyclic | Reason::Never(_) => {}
            }
            let parent = Some(u32::try_from(class).expect("fewer than 2^32 classes"));
            open.push(Part { nodes, parent, gone });
        }
        Ok(())
    }

    /// Reasons that a component may have.
    fn candidates(
        &self,
        part: &Part,
        at: usize,
        members: &[u32],
        places: &[Place],
        reasons: &mut Vec<Reason>,
    ) -> Result<Vec<u32>, u32> {
        /// Conditions that are tried for a component that has no edge inside, beside those of its successors.
        const FEW: usize = 4;
        let mut number = |reason: Reason| -> u32 {
            let known = reasons.iter().position(|other| *other == reason);
            let at = known.unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            u32::try_from(at).expect("few reasons")
        };
        let mut inside = MarkSet::new();
        let mut is_cyclic = false;
        let mut behind: Vec<u32> = Vec::new();
        for &node in members {
            for (target, edge) in self.edges(node, part) {
                let to = self.component[target as usize] as usize;
                if to == at {
                    is_cyclic = true;
                    inside.union_with(self.marks(edge));
                } else if !behind.contains(&places[to].1) {
                    behind.push(places[to].1);
                }
            }
        }
        let again = self.conditions.again.iter().enumerate();
        let missing = again.filter(|(_, mark)| !inside.contains(**mark)).map(|(at, _)| at);
        let mut found: Vec<u32> = match is_cyclic {
            true => missing.map(|at| number(Reason::Never(at))).collect(),
            false => missing.take(FEW).map(|at| number(Reason::Never(at))).chain([0]).collect(),
        };
        if !is_cyclic {
            found.extend(behind);
        } else if found.is_empty() {
            let pairs = self.conditions.pairs.iter().enumerate();
            let owed =
                pairs.filter(|(_, (when, then))| inside.contains(*when) && !inside.contains(*then));
            let owed: Vec<usize> = owed.map(|(at, _)| at).collect();
            if !owed.is_empty() {
                found.push(number(Reason::Pairs(owed)));
            } else {
                let own = |node: u32| self.component[node as usize] as usize == at;
                if self.graph.global.is_some() && !self.uncovered(part, members, own).is_empty() {
                    // Of components together, more steps may be inside, so each is a class of its own.
                    reasons.push(Reason::Global);
                    found.push(u32::try_from(reasons.len() - 1).expect("few reasons"));
                } else {
                    // A part that is divided again must become smaller.
                    let wrong = self.forged.clone().ok_or(members[0])?;
                    found.push(number(if part.parent.is_some() { Reason::Acyclic } else { wrong }));
                }
            }
        }
        Ok(found)
    }

    /// The lowest level at which a component may have a reason.
    fn level(
        &self,
        part: &Part,
        at: usize,
        members: &[u32],
        places: &[Place],
        (reason, reasons): (u32, &[Reason]),
    ) -> u32 {
        let mut least = 0;
        for &node in members {
            for (target, edge) in self.edges(node, part) {
                let to = self.component[target as usize] as usize;
                if to == at {
                    continue;
                }
                let (level, other) = places[to];
                let same = other == reason && self.may_be_inside(edge, &reasons[reason as usize]);
                least = least.max(if reason > other || same { level } else { level + 1 });
            }
        }
        least
    }

    /// Whether an edge may be inside a class with this reason.
    fn may_be_inside(&self, edge: usize, reason: &Reason) -> bool {
        let marks = self.marks(edge);
        match reason {
            Reason::Acyclic | Reason::Global => false,
            Reason::Never(at) => {
                !self.conditions.again.get(*at).is_some_and(|&mark| marks.contains(mark))
            }
            Reason::Pairs(pairs) => pairs
                .iter()
                .filter_map(|&it| self.conditions.pairs.get(it))
                .all(|it| !marks.contains(it.1)),
        }
    }

    /// Nodes of states some of whose steps are on no edge inside.
    fn uncovered(&self, part: &Part, nodes: &[u32], is_inside: impl Fn(u32) -> bool) -> Vec<u32> {
        let Some(Global { states, steps, counts }) = &self.graph.global else { return Vec::new() };
        let mut taken: HashMap<u32, Vec<u32>> = HashMap::new();
        for &node in nodes {
            let of = taken.entry(states[node as usize]).or_default();
            for (target, edge) in self.edges(node, part) {
                if is_inside(target) && !of.contains(&steps[edge]) {
                    of.push(steps[edge]);
                }
            }
        }
        let is_open = |state: u32| taken[&state].len() < counts[&state];
        nodes.iter().copied().filter(|&node| is_open(states[node as usize])).collect()
    }

    /// The strongly connected components of a part, those that nothing leaves first (Tarjan 1972, without
    /// recursion).
    fn components(&mut self, part: &Part) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        const DONE: u32 = u32::MAX - 1;
        let mut low = std::mem::take(&mut self.low);
        part.nodes.iter().for_each(|&node| low[node as usize] = NEW);
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        // Nodes with when they were found, and their edges from the next one on.
        let mut path: Vec<(u32, u32, usize)> = Vec::new();
        let mut found = 0;
        for &start in &part.nodes {
            let mut enter = Some(start).filter(|&start| low[start as usize] == NEW);
            loop {
                if let Some(node) = enter.take() {
                    low[node as usize] = found;
                    stack.push(node);
                    path.push((node, found, self.graph.first[node as usize]));
                    found += 1;
                }
                let Some(top) = path.last_mut() else { break };
                let (node, since, edge) = *top;
                if edge < self.graph.first[node as usize + 1] {
                    top.2 += 1;
                    let target = self.graph.edges[edge].0;
                    if !self.counts(node, edge, part) {
                        continue;
                    }
                    match low[target as usize] {
                        NEW => enter = Some(target),
                        DONE => {}
                        other => low[node as usize] = other.min(low[node as usize]),
                    }
                    continue;
                }
                path.pop();
                let reached = low[node as usize];
                if let Some(&(before, ..)) = path.last() {
                    low[before as usize] = reached.min(low[before as usize]);
                }
                if reached == since {
                    let from = stack.iter().rposition(|&other| other == node);
                    let members = stack.split_off(from.expect("it is on the stack"));
                    let number = u32::try_from(components.len()).expect("fewer than 2^32");
                    for &member in &members {
                        low[member as usize] = DONE;
                        self.component[member as usize] = number;
                    }
                    components.push(members);
                }
            }
        }
        self.low = low;
        components
    }
}
