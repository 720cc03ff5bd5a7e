//! Path-based search for strongly connected components, with acceptance judged on the way.
//!
//! The component stack of Gabow (2000) with the marks that Couvreur (FM 1999) accumulates at the
//! roots. Whenever a step closes a cycle, the roots above its target merge into one, and the marks
//! inside the merged partial component are judged at once: a partial component is strongly
//! connected, so a path can go round in it taking all of its edges so far, and that path's marks
//! are known exactly. This also settles `Fin` conditions early: the path only takes edges that
//! have been seen. When a component is complete and was not accepted, it is either dead for good
//! (nothing but `Inf`, engine `scc`) or handed to [`super::component`] to be pruned and decomposed
//! again (engine `streett`).
//!
//! When a node is opened, its steps are looked at once: those into dead components are dropped, those
//! that close a cycle merge at once, and only those to nodes not seen yet wait on the stack. So few
//! wait, and what they lead to is asked of the memory together, not one after the other.
//!
//! Memory for a path of ten million nodes matters. A number of the graph costs four bytes, a node that
//! is not dead four more, one on the path eight, a root eight, a step that waits eight; marks are kept
//! only for roots that have an inner edge.

use crate::acceptance::{Acceptance, Clause};
use crate::automaton::StateId;
use crate::graph::{Graph, Step, Visit};
use crate::marks::{Mark, MarkSet, MarkSetId};
use crate::refused::{BudgetError, Resource};
use crate::tables::grow;

use super::component::{Component, Region};
use super::statistics::Why;
use super::watching::{Event, Observer};
use super::{Answer, Effort, paths, walk};

/// Treatment of a complete component that is not accepted as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// Nothing in it is accepted either: the condition only has `Inf`.
    Leave,
    /// Look for an accepted part.
    Prune,
}

/// The condition in a form that is quick to judge again and again.
struct Judge {
    acceptance: Acceptance,
    clauses: Option<Vec<Clause>>,
}

impl Judge {
    fn new(acceptance: &Acceptance) -> Self {
        Judge { acceptance: acceptance.clone(), clauses: acceptance.clauses() }
    }

    /// A mark of a clause.
    fn asked_by(&self, clause: u32) -> Option<Mark> {
        let clause = self.clauses.as_ref()?.get(clause as usize)?;
        clause.inf.iter().next()
    }

    /// Whether exactly these marks are accepted. `watch` is a clause that failed last time; it
    /// usually still does, so that a condition of any width costs one clause a merge.
    fn accepts(&self, seen: &MarkSet, watch: &mut u32) -> bool {
        let Some(clauses) = &self.clauses else { return self.acceptance.accepts(seen) };
        if clauses.get(*watch as usize).is_some_and(|clause| !clause.accepts(seen)) {
            return false;
        }
        match (0u32..).zip(clauses).find(|(_, clause)| !clause.accepts(seen)) {
            Some((failing, _)) => {
                *watch = failing;
                false
            }
            None => true,
        }
    }
}

/// A node of the current path.
struct Frame {
    /// Its position on the component stack.
    position: u32,
    /// Where its steps begin on the stack of steps not yet taken.
    begin: u32,
}

/// A partial component: everything on the component stack from `start` to the next root.
struct Root {
    start: u32,
    /// Marks of the edge that leads into it from the partial component below.
    entry: MarkSetId,
}

/// Contents of a partial component that has an edge.
struct Inside {
    /// Which root.
    root: u32,
    watch: u32,
    marks: MarkSet,
    /// Marks that were added last, and judged: the same again change nothing.
    last: Option<MarkSetId>,
}

impl Inside {
    /// The entry of the topmost root.
    fn of(inside: &mut Vec<Inside>, root: usize) -> &mut Inside {
        let root = u32::try_from(root).expect("fewer roots than nodes");
        if inside.last().is_none_or(|inside| inside.root < root) {
            inside.push(Inside { root, watch: 0, marks: MarkSet::new(), last: None });
        }
        inside.last_mut().expect("just made")
    }
}

/// Not seen yet.
const NEW: u32 = 0;
/// In a complete component that holds no accepted path.
const DEAD: u32 = u32::MAX;

struct Search<'a, G, O> {
    graph: &'a mut G,
    observer: &'a mut O,
    judge: Judge,
    /// `NEW`, `DEAD`, or the position on the component stack plus one.
    number: Vec<u32>,
    live: Vec<StateId>,
    path: Vec<Frame>,
    pending: Vec<Step>,
    roots: Vec<Root>,
    inside: Vec<Inside>,
    effort: Effort,
}

/// Where an accepted path was found.
struct Found {
    component: Component,
    region: Region,
}

pub(super) fn search<G: Graph, O: Observer>(
    graph: &mut G,
    acceptance: &Acceptance,
    on_failure: OnFailure,
    observer: &mut O,
) -> Result<Answer, BudgetError> {
    let mut search = Search {
        graph,
        observer,
        judge: Judge::new(acceptance),
        number: Vec::new(),
        live: Vec::new(),
        path: Vec::new(),
        pending: Vec::new(),
        roots: Vec::new(),
        inside: Vec::new(),
        effort: Effort::default(),
    };
    let found = search.run(on_failure)?;
    search.effort.bytes = search.number.capacity() * 4
        + search.live.capacity() * 4
        + search.path.capacity() * size_of::<Frame>()
        + search.pending.capacity() * size_of::<Step>()
        + search.roots.capacity() * size_of::<Root>()
        + search.inside.capacity() * size_of::<Inside>();
    let effort = search.effort;
    let Search { graph, number, observer, .. } = search;
    observer.count(|statistics| statistics.copies = effort.nodes);
    let lasso = found.map(|found| {
        let cycle = walk::cycle(graph, &found.component, found.region, observer);
        let known = |node: StateId| number.get(node.index()).is_some_and(|&seen| seen != NEW);
        paths::with_shortest_stem(graph, cycle, known)
    });
    Ok(Answer { lasso, effort })
}

/// Nodes between two reports of what the search holds.
const REPORT: usize = 1 << 10;

impl<G: Graph, O: Observer> Search<'_, G, O> {
    fn run(&mut self, on_failure: OnFailure) -> Result<Option<Found>, BudgetError> {
        for start in self.graph.initial() {
            if self.number_of(start) == NEW && self.open(start, MarkSetId::EMPTY)? {
                return Ok(Some(self.partial()));
            }
            while let Some(&Frame { position, begin }) = self.path.last() {
                if self.pending.len() > begin as usize {
                    let step = self.pending.pop().expect("a step is left");
                    let is_accepted = match self.number_of(step.target) {
                        NEW => self.open(step.target, step.marks)?,
                        DEAD => false,
                        number => self.merge(number - 1, step.marks),
                    };
                    if is_accepted {
                        return Ok(Some(self.partial()));
                    }
                    continue;
                }
                self.path.pop();
                if self.roots.last().is_some_and(|root| root.start == position)
                    && let Some(found) = self.close(on_failure)?
                {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn number_of(&self, node: StateId) -> u32 {
        self.number.get(node.index()).copied().unwrap_or(NEW)
    }

    /// Puts a node that has not been seen on the path. Tells whether one of its steps closes a partial
    /// component that is accepted.
    fn open(&mut self, node: StateId, entry: MarkSetId) -> Result<bool, BudgetError> {
        if node.index() >= self.number.len() {
            grow(&mut self.number, node.index(), NEW);
        }
        let position = u32::try_from(self.live.len()).expect("nodes are numbered by u32");
        self.number[node.index()] = position + 1;
        self.live.push(node);
        self.roots.push(Root { start: position, entry });
        self.observer.observe(|| Event::Opened { node: node.0 });
        let begin = self.pending.len();
        self.graph.steps(node, &mut self.pending);
        self.effort.nodes += 1;
        self.effort.steps += self.pending.len() - begin;
        if self.effort.nodes.is_multiple_of(REPORT) {
            self.graph.charge(self.bytes());
            self.graph.visit(Visit::Depth(self.path.len()));
        }
        let mut kept = begin;
        for at in begin..self.pending.len() {
            let step = self.pending[at];
            match self.number_of(step.target) {
                NEW => {
                    self.pending[kept] = step;
                    kept += 1;
                }
                DEAD => {}
                number => {
                    if self.merge(number - 1, step.marks) {
                        return Ok(true);
                    }
                }
            }
        }
        self.pending.truncate(kept);
        self.pending[begin..].reverse();
        let limit = u32::MAX as usize;
        let too_many = |_| BudgetError { resource: Resource::Edges, limit };
        self.path.push(Frame { position, begin: u32::try_from(begin).map_err(too_many)? });
        Ok(false)
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        self.number.len() * 4
            + self.live.len() * 4
            + self.path.len() * size_of::<Frame>()
            + self.pending.len() * size_of::<Step>()
            + self.roots.len() * size_of::<Root>()
            + self.inside.len() * size_of::<Inside>()
    }

    /// Merges the partial components above `position`, closed into one by a step with `marks`.
    /// Tells whether the result is accepted.
    fn merge(&mut self, position: u32, marks: MarkSetId) -> bool {
        let mut top = self.roots.len() - 1;
        if self.roots[top].start <= position {
            return self.add(top, marks);
        }
        let mut gathered = MarkSet::new();
        self.graph.add_marks(marks, &mut gathered);
        while self.roots[top].start > position {
            self.graph.add_marks(self.roots[top].entry, &mut gathered);
            self.roots.pop();
            top -= 1;
        }
        while let Some(inner) = self.inside.pop_if(|inside| inside.root as usize > top) {
            gathered.union_with(&inner.marks);
        }
        let Search { inside, judge, observer, roots, live, .. } = self;
        let inside = Inside::of(inside, top);
        inside.marks.union_with(&gathered);
        observer.observe(|| Event::Merged {
            nodes: live[roots[top].start as usize..].iter().map(|node| node.0).collect(),
            marks: Event::marks(&inside.marks),
        });
        judge.accepts(&inside.marks, &mut inside.watch)
    }

    /// Adds an edge with `marks` to the topmost partial component. Tells whether it is accepted now.
    fn add(&mut self, top: usize, marks: MarkSetId) -> bool {
        let Search { inside, judge, graph, .. } = self;
        let inside = Inside::of(inside, top);
        if inside.last.replace(marks) == Some(marks) {
            return false;
        }
        graph.add_marks(marks, &mut inside.marks);
        judge.accepts(&inside.marks, &mut inside.watch)
    }

    /// The topmost partial component, which was accepted with the marks seen in it.
    fn partial(&mut self) -> Found {
        let start = self.roots.last().expect("just merged").start;
        let seen = self.inside.last().expect("just merged").marks.clone();
        let component = self.component(start, |marks| marks.is_subset(&seen));
        let region = component.whole(&self.judge.acceptance, &seen);
        Found { component, region }
    }

    /// Copies the part of the graph above `start` on the component stack, with the edges whose
    /// marks `keep` admits.
    fn component(&mut self, start: u32, keep: impl Fn(&MarkSet) -> bool) -> Component {
        let Search { graph, number, live, .. } = self;
        Component::copy(*graph, &live[start as usize..], keep, |node| {
            match number.get(node.index()).copied().unwrap_or(NEW) {
                NEW | DEAD => None,
                position => (position - 1).checked_sub(start),
            }
        })
    }

    /// Tells the observer of a complete component with an edge.
    fn tell(&mut self, start: u32, inside: &Inside, on_failure: OnFailure) {
        let Search { observer, judge, live, .. } = self;
        let members = &live[start as usize..];
        observer.count(|statistics| {
            statistics.component(members.len());
            let is_hopeless = on_failure == OnFailure::Leave
                || judge.acceptance.restrict(&inside.marks) == Acceptance::False;
            if is_hopeless {
                statistics.fails(judge.asked_by(inside.watch), Why::NeverMet);
            }
        });
        let nodes = || members.iter().map(|node| node.0).collect();
        observer.observe(|| Event::Component { nodes: nodes() });
    }

    /// Takes the topmost component, which is complete, off the stack.
    fn close(&mut self, on_failure: OnFailure) -> Result<Option<Found>, BudgetError> {
        let root = self.roots.pop().expect("a component is complete");
        let top = u32::try_from(self.roots.len()).expect("fewer roots than nodes");
        let inside = self.inside.pop_if(|inside| inside.root == top);
        if (O::SEES || O::COUNTS)
            && let Some(inside) = &inside
        {
            self.tell(root.start, inside, on_failure);
        }
        let is_cyclic = inside.is_some();
        if on_failure == OnFailure::Prune
            && let Some(inside) = inside
        {
            let rest = self.judge.acceptance.restrict(&inside.marks);
            if rest != Acceptance::False {
                let component = self.component(root.start, |_| true);
                self.graph.charge(self.bytes() + component.bytes());
                let Search { graph, observer, .. } = self;
                let part = component.accepted_part(*graph, &rest, &inside.marks, *observer)?;
                if let Some(region) = part {
                    return Ok(Some(Found { component, region }));
                }
            }
        }
        if is_cyclic {
            self.graph.visit(Visit::Rejected);
        }
        self.observer.observe(|| Event::Closed { node: self.live[root.start as usize].0 });
        for node in self.live.drain(root.start as usize..) {
            self.number[node.index()] = DEAD;
        }
        Ok(None)
    }
}
