//! How short can an accepted lasso be? Answered naively, for graphs of some thousand nodes.
//!
//! A lasso enters its cycle somewhere. For every node that can be that place, the closed walks from it are
//! enumerated by their length, as pairs of a node and the set of marks collected so far. Nothing is pruned but
//! what is too long to matter.

use std::collections::{HashMap, HashSet};

/// A graph with marks on its edges, as lists of successors.
#[derive(Clone, Debug, Default)]
pub struct MarkedGraph {
    /// Where a run may start.
    pub initial: Vec<usize>,
    /// The edges out of each node: where they lead, and their marks, as bits.
    pub edges: Vec<Vec<(usize, u128)>>,
}

/// There were too many pairs of a node and marks to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// The number of steps of a shortest accepted lasso, stem and cycle together, if it has fewer than `below`.
///
/// # Errors
/// When that is not known after so many pairs.
///
/// ```
/// use fairly_testkit::shortest::{MarkedGraph, shortest_lasso};
/// let graph = MarkedGraph { initial: vec![0], edges: vec![vec![(1, 0)], vec![(0, 1), (1, 0)]] };
/// assert_eq!(shortest_lasso(&graph, |marks| marks == 0, 9, 100), Ok(Some(2)));
/// assert_eq!(shortest_lasso(&graph, |marks| marks == 1, 9, 100), Ok(Some(2)));
/// assert_eq!(shortest_lasso(&graph, |marks| marks == 1, 2, 100), Ok(None));
/// ```
pub fn shortest_lasso(
    graph: &MarkedGraph,
    accepts: impl Fn(u128) -> bool,
    below: usize,
    effort: usize,
) -> Result<Option<usize>, TooMany> {
    let mut known: HashMap<u128, bool> = HashMap::new();
    let mut accepts = |marks: u128| *known.entry(marks).or_insert_with(|| accepts(marks));
    let (mut best, mut left) = (below, effort);
    let component = components(graph);
    for (start, depth) in by_depth(graph) {
        if depth + 1 >= best {
            break;
        }
        let mut met = HashSet::new();
        let mut front = vec![(start, 0u128)];
        let mut length = 0;
        'walks: while !front.is_empty() && depth + length + 1 < best {
            length += 1;
            let mut next = Vec::new();
            for (node, collected) in front {
                for &(target, marks) in &graph.edges[node] {
                    let pair = (target, collected | marks);
                    if target == start && accepts(pair.1) {
                        best = depth + length;
                        break 'walks;
                    }
                    if component[target] == component[start] && met.insert(pair) {
                        left = left.checked_sub(1).ok_or(TooMany)?;
                        next.push(pair);
                    }
                }
            }
            front = next;
        }
    }
    Ok((best < below).then_some(best))
}

/// The nodes that can be reached, with their distances, the nearest first.
fn by_depth(graph: &MarkedGraph) -> Vec<(usize, usize)> {
    let mut met: HashSet<usize> = HashSet::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    order.extend(graph.initial.iter().filter(|&&it| met.insert(it)).map(|&node| (node, 0)));
    let mut at = 0;
    while let Some(&(node, depth)) = order.get(at) {
        let targets = graph.edges[node].iter().map(|&(target, _)| target);
        order.extend(targets.filter(|&it| met.insert(it)).map(|target| (target, depth + 1)));
        at += 1;
    }
    order
}

/// A number for each node, the same for two that can be reached from each other: found by going forwards, and
/// then backwards in the opposite order (Kosaraju, after Sharir 1981).
fn components(graph: &MarkedGraph) -> Vec<usize> {
    let nodes = graph.edges.len();
    let mut backwards = vec![Vec::new(); nodes];
    for (from, edges) in graph.edges.iter().enumerate() {
        edges.iter().for_each(|&(to, _)| backwards[to].push(from));
    }
    let (mut met, mut left) = (vec![false; nodes], Vec::new());
    for root in 0..nodes {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut met[root], true) {
            continue;
        }
        while let Some((node, at)) = path.last_mut() {
            match graph.edges[*node].get(*at) {
                Some(&(target, _)) => {
                    *at += 1;
                    if !std::mem::replace(&mut met[target], true) {
                        path.push((target, 0));
                    }
                }
                None => {
                    left.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &root in left.iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(&backwards[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{ConditionKind, GraphShape, random_condition, random_graph};
    use crate::oracle::{has_accepting_run_by_lassos, judge_lasso};
    use crate::rng::Rng;
    use crate::{TinyCondition, TinyGraph};

    /// The shortest lasso by judging all walks, the shorter ones first.
    fn by_judging(graph: &TinyGraph, condition: &TinyCondition, most: usize) -> Option<usize> {
        let mut walks: Vec<Vec<usize>> = vec![Vec::new()];
        for length in 1..=most {
            let longer = |walk: &Vec<usize>| {
                let walk = walk.clone();
                (0..graph.edges.len()).filter_map(move |edge| {
                    let is_next = match walk.last() {
                        Some(&last) => graph.edges[last].to == graph.edges[edge].from,
                        None => graph.initial.contains(&graph.edges[edge].from),
                    };
                    is_next.then(|| [&walk[..], &[edge]].concat())
                })
            };
            walks = walks.iter().flat_map(longer).collect();
            for walk in &walks {
                let is_lasso = |stem: usize| {
                    judge_lasso(graph, condition, &walk[..stem], &walk[stem..]).is_ok()
                };
                if (0..length).any(is_lasso) {
                    return Some(length);
                }
            }
            if walks.len() > 2_000 {
                return None;
            }
        }
        None
    }

    #[test]
    fn no_walk_is_shorter() {
        let (mut found, mut nothing) = (0, 0);
        for seed in 0..3_000 {
            let mut rng = Rng::new(seed);
            let kind = ConditionKind::ALL[seed as usize % ConditionKind::ALL.len()];
            let shape = GraphShape::default();
            let graph = random_graph(&mut rng, &shape);
            let condition = random_condition(&mut rng, kind, shape.marks);
            let mut marked = MarkedGraph {
                initial: graph.initial.clone(),
                edges: vec![Vec::new(); graph.nodes],
            };
            for edge in graph.edges.iter().filter(|edge| edge.letters != 0) {
                marked.edges[edge.from].push((edge.to, u128::from(edge.marks)));
            }
            let accepts = |marks: u128| condition.accepts(marks as u64);
            let shortest = shortest_lasso(&marked, accepts, usize::MAX, 1_000_000).expect("small");
            let exists = has_accepting_run_by_lassos(&graph, &condition);
            assert_eq!(shortest.is_some(), exists, "seed {seed}");
            if let Some(judged) = by_judging(&graph, &condition, 6) {
                assert_eq!(shortest, Some(judged), "seed {seed}: {condition} on {graph}");
                found += 1;
            }
            nothing += usize::from(!exists);
        }
        assert!(found > 300 && nothing > 300, "{found} and {nothing}");
    }
}
