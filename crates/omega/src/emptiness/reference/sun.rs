//! On-the-fly model checking under event-based fairness as Sun, Liu, Dong and Wang (2008, Figure 2) print it,
//! repaired; without an automaton it is their check of feasibility.
//!
//! Tarjan's algorithm in the form of Nuutila and Soisalon-Soininen (1994): `working` is the path, `stack`
//! holds what may belong to a component. Where a step leads back to the path, the loop is judged at once. A
//! component that is Büchi-fair and not fair loses its *bad* vertices and is searched again
//! (*OnTheFlyMC2*). The cycle is that of Kesten, Pnueli and Raviv, to which the paper refers.
//!
//! Weak fairness and the automaton's condition are Büchi sets here, strong fairness is a pair: *bad* is the
//! same set for both papers. Deviations (rows of `docs/papers.md`): `done` is set in every round (004-14), a
//! part without an edge is never fair, and nothing is searched again that has lost nothing (004-15), *bad* is
//! found again in every part (004-17), taken events stay in vertices (004-18), a loop on the path ends the
//! search only if it is accepted (004-19). Steps of a vertex are looked at once each, not from the first one
//! in every round.

use crate::automaton::StateId;
use crate::graph::{Graph, Hop, Step, Visit};
use crate::marks::MarkSet;

use super::super::EmptinessError;
use super::super::statistics::Why;
use super::super::watching::{Event, Observer};
use super::latvala::Search;
use super::pairs::{self, Pair, Stored, Tables};
use super::round::{self, Round};
use super::{Found, Seen};

/// A vertex of `working`, with its steps.
struct Frame {
    vertex: StateId,
    begin: usize,
    /// The next step to look at.
    next: usize,
}

/// Tables of *OnTheFlyMC1*, by vertex.
#[derive(Default)]
struct Orders {
    /// 0 before it is numbered.
    preorder: Vec<u32>,
    lowlink: Vec<u32>,
    found: Vec<bool>,
    /// Position in `working` plus one, while it is there.
    on_path: Vec<u32>,
    next: u32,
}

impl Orders {
    fn preorder(&self, vertex: StateId) -> u32 {
        self.preorder.get(vertex.index()).copied().unwrap_or(0)
    }

    fn enter(&mut self, vertex: StateId, position: usize) {
        if vertex.index() >= self.preorder.len() {
            let size = vertex.index() + 1;
            self.preorder.resize(size, 0);
            self.lowlink.resize(size, 0);
            self.found.resize(size, false);
            self.on_path.resize(size, 0);
        }
        self.next += 1;
        self.preorder[vertex.index()] = self.next;
        self.on_path[vertex.index()] =
            u32::try_from(position + 1).expect("vertices are numbered by u32");
    }
}

impl<G: Graph, O: Observer> Search<'_, '_, G, O> {
    /// *OnTheFlyMC1*.
    pub(super) fn on_the_fly(&mut self) -> Result<Option<Found>, EmptinessError> {
        let mut orders = Orders::default();
        let mut working: Vec<Frame> = Vec::new();
        let mut stack: Vec<StateId> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        for start in self.graph.initial() {
            if orders.preorder(start) != 0 {
                continue;
            }
            if !self.graph.allows(self.effort.nodes) {
                return Ok(None);
            }
            self.enter(start, &mut orders, &mut working, &mut steps);
            while let Some(frame) = working.last_mut() {
                let vertex = frame.vertex;
                if let Some(&Step { target, .. }) = steps.get(frame.next) {
                    let nth = u32::try_from(frame.next - frame.begin)
                        .map_err(|_| EmptinessError::TooLarge)?;
                    frame.next += 1;
                    if orders.preorder(target) == 0 {
                        if !self.graph.allows(self.effort.nodes) {
                            return Ok(None);
                        }
                        self.enter(target, &mut orders, &mut working, &mut steps);
                    } else if let Some(position) = orders.on_path[target.index()].checked_sub(1)
                        && self.is_accepted(&working[position as usize..])
                    {
                        let cycle = loop_of(
                            &working[position as usize..],
                            &steps,
                            Hop { from: vertex, nth, to: target },
                        );
                        return Ok(Some(Found { cycle, seen: Seen(orders.preorder) }));
                    }
                    continue;
                }
                let begin = frame.begin;
                working.pop();
                orders.on_path[vertex.index()] = 0;
                let own = orders.preorder(vertex);
                let lowest = steps[begin..]
                    .iter()
                    .map(|step| step.target)
                    .filter(|w| !orders.found[w.index()]);
                let lowest = lowest.map(|w| match orders.preorder(w) > own {
                    true => orders.lowlink[w.index()],
                    false => orders.preorder(w),
                });
                let lowest = lowest.fold(own, u32::min);
                steps.truncate(begin);
                orders.lowlink[vertex.index()] = lowest;
                if lowest != own {
                    stack.push(vertex);
                    continue;
                }
                let mut scc = vec![vertex];
                while let Some(other) = stack.pop_if(|other| orders.preorder(*other) > own) {
                    scc.push(other);
                }
                if let Some(cycle) = self.complete(&scc, &orders) {
                    return Ok(Some(Found { cycle, seen: Seen(orders.preorder) }));
                }
                scc.iter().for_each(|member| orders.found[member.index()] = true);
            }
        }
        Ok(None)
    }

    fn enter(
        &mut self,
        vertex: StateId,
        orders: &mut Orders,
        working: &mut Vec<Frame>,
        steps: &mut Vec<Step>,
    ) {
        orders.enter(vertex, working.len());
        let begin = steps.len();
        self.graph.steps(vertex, steps);
        self.effort.nodes += 1;
        self.effort.steps += steps.len() - begin;
        working.push(Frame { vertex, begin, next: begin });
        let base = self.graph.base(vertex);
        self.observer.observe(|| Event::Opened { node: base.0 });
    }

    /// *early-fair-loop-detection*: whether the loop along the end of the path is accepted.
    fn is_accepted(&self, path: &[Frame]) -> bool {
        let mut present = MarkSet::new();
        path.iter().for_each(|frame| present.union_with(&self.graph.marks_of(frame.vertex)));
        self.pairs.iter().all(|pair| {
            pair.met.intersects(&present)
                || pair.asked.is_some_and(|asked| !present.contains(asked))
        })
    }

    /// Lines 21 to 23, with *OnTheFlyMC2*.
    fn complete(&mut self, scc: &[StateId], orders: &Orders) -> Option<Vec<Hop>> {
        let mut positions: Vec<(StateId, u32)> = scc.iter().copied().zip(0..).collect();
        positions.sort_unstable();
        let position = |vertex: StateId| {
            let is_member = orders.preorder(vertex) != 0 && !orders.found[vertex.index()];
            let at = positions.binary_search_by_key(&vertex, |&(member, _)| member);
            at.ok().filter(|_| is_member).map(|at| positions[at].1)
        };
        let stored = Stored::of(&mut self.graph, scc, position);
        self.effort.bytes = self.effort.bytes.max(stored.rows.bytes());
        let mut owner = vec![1u32; scc.len()];
        let mut next_owner = 2;
        let mut tables = Tables::new(scc.len());
        let mut tasks: Vec<(Vec<u32>, usize)> = vec![((0..).take(scc.len()).collect(), 0)];
        while let Some((part, depth)) = tasks.pop() {
            if !stored.is_nontrivial(&part) {
                continue;
            }
            if depth == 0 {
                self.observer.count(|it| it.component(part.len()));
            }
            let graph = &self.graph;
            let named =
                |part: &[u32]| part.iter().map(|&it| graph.base(stored.rows.node(it)).0).collect();
            self.observer.observe(|| Event::Component { nodes: named(&part) });
            let present = stored.present(&part);
            let is_missed = |pair: &&Pair| pair.asked.is_none() && !pair.met.intersects(&present);
            if let Some(pair) = self.pairs.iter().find(is_missed) {
                self.observer.count(|it| it.fails(pair.met.iter().next(), Why::NeverMet));
                continue;
            }
            let bad = stored.bad(&part, &self.pairs);
            if bad.is_empty() {
                self.observer.count(|it| it.obligations += pairs::asked(&self.pairs, &present));
                return Some(round::cycle(&stored, &part, &self.pairs, Round::Eager));
            }
            for pair in self.pairs.iter().filter(|pair| !pair.met.intersects(&present)) {
                if let Some(asked) = pair.asked.filter(|&asked| present.contains(asked)) {
                    self.observer.count(|it| it.fails(Some(asked), Why::AskedInVain));
                }
            }
            self.observer.count(|it| it.removed += bad.len());
            self.observer.observe(|| Event::Removed { nodes: named(&bad) });
            bad.iter().for_each(|&vertex| owner[vertex as usize] = 0);
            let left: Vec<u32> = part.into_iter().filter(|&it| owner[it as usize] != 0).collect();
            self.observer.count(|it| it.decomposes(depth + 1));
            for part in stored.components(&left, &owner, &mut tables) {
                part.iter().for_each(|&vertex| owner[vertex as usize] = next_owner);
                next_owner += 1;
                tasks.push((part, depth + 1));
            }
        }
        self.graph.visit(Visit::Rejected);
        None
    }
}

/// The loop along the end of the path, closed by `last`.
fn loop_of(path: &[Frame], steps: &[Step], last: Hop) -> Vec<Hop> {
    let inner = path[..path.len() - 1].iter().map(|frame| {
        // The step that was looked at last is the one that leads on.
        let at = frame.next - 1;
        let nth = u32::try_from(at - frame.begin).expect("steps were counted");
        Hop { from: frame.vertex, nth, to: steps[at].target }
    });
    inner.chain([last]).collect()
}
