//! Procedures of the papers as they are printed, but for what is wrong in them: references to compare with.
//!
//! They share no code with the engines that are meant to be used, up to the copy of a component. All of them work on vertices that
//! carry marks ([`entered`]), decide conjunctions of `Fin(l) ∨ Inf(u)` and `Inf(u)`, and are slower than
//! `scc` and `streett`.

mod entered;
mod latvala;
mod pairs;
mod round;
mod sun;

use crate::acceptance::Acceptance;
use crate::automaton::StateId;
use crate::graph::{Graph, Hop};

use super::watching::Observer;
use super::{Answer, Effort, EmptinessError, paths};
use entered::Entered;
use latvala::Search;
use round::Round;

/// Which procedure.
#[derive(Clone, Copy)]
pub(super) enum Printed {
    /// Figure 1 of Latvala and Heljanko with the lazy counterexample of Figures 2 and 3.
    Latvala,
    /// The same with the counterexample of Kesten, Pnueli and Raviv.
    Kesten,
    /// Figure 2 of Sun, Liu, Dong and Wang.
    Sun,
}

/// Whether the condition is made of pairs.
pub(super) fn decides(acceptance: &Acceptance) -> bool {
    pairs::pairs_of(acceptance).is_some()
}

/// A cycle of vertices.
struct Found {
    cycle: Vec<Hop>,
    seen: Seen,
}

/// By vertex, a number that is not 0 if it was met.
struct Seen(Vec<u32>);

pub(super) fn search<G: Graph, O: Observer>(
    graph: &mut G,
    acceptance: &Acceptance,
    printed: Printed,
    observer: &mut O,
) -> Result<Answer, EmptinessError> {
    let pairs = pairs::pairs_of(acceptance).expect("the engine was asked for what it decides");
    let effort = Effort::default();
    let mut search = Search { graph: Entered::new(graph), pairs, observer, effort };
    let found = match printed {
        Printed::Latvala => search.run(Round::Lazy),
        Printed::Kesten => search.run(Round::Eager),
        Printed::Sun => search.on_the_fly(),
    }?;
    let Search { graph: entered, observer, mut effort, .. } = search;
    if found.is_none() && entered.overflowed() {
        return Err(EmptinessError::TooLarge);
    }
    effort.bytes += entered.own_bytes() + effort.nodes * 8;
    observer.count(|statistics| statistics.copies = effort.nodes);
    let lasso = found.map(|Found { cycle, seen }| {
        let mut known = vec![false; 0];
        let met = (0..seen.0.len()).filter(|&vertex| seen.0[vertex] != 0);
        for node in met.map(|vertex| entered.base(StateId::from_index(vertex))) {
            if node.index() >= known.len() {
                known.resize(node.index() + 1, false);
            }
            known[node.index()] = true;
        }
        let cycle: Vec<Hop> = cycle.iter().map(|hop| entered.base_hop(hop)).collect();
        (cycle, known)
    });
    let lasso = lasso.map(|(cycle, known)| {
        observer.count(|statistics| statistics.walk = cycle.len());
        paths::with_shortest_stem(graph, cycle, |node| {
            known.get(node.index()).is_some_and(|&it| it)
        })
    });
    Ok(Answer { lasso, effort })
}
