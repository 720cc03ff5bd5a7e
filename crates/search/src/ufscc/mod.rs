//! Strongly connected components by several workers at once, and whether one of them is accepting.
//!
//! After Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", PPoPP 2016), whose union-find is
//! [`fairly_store::Components`]. Every worker searches depth first, with a path of its own, and each goes through the
//! steps of a node in another order. What one of them learns of a component, all others know: the nodes that are in
//! it, those that are left to explore, and that it is complete.
//!
//! For the acceptance condition a part of a component has the marks of the steps inside it that have been seen
//! (Bloemen, Duret-Lutz and van de Pol, "Model checking with generalized Rabin and Fin-less automata", STTT 2019, do the
//! same). Marks are only ever added. There may be any number of them: a word stands for a set ([`SharedSets`]).
//!
//! - If the condition has no `Fin`, a part that has the marks it needs ends the search.
//! - Otherwise a part may still get a mark that it must not have, and while two sets are being united the marks of the
//!   steps between them may not be there yet. So a part whose marks are accepted is searched by the sequential engine,
//!   which ends the search if it finds a path there. Such trials take a small share of the effort.
//! - A component whose marks are not accepted when it is complete, but would be for some `Fin`, is searched by the
//!   worker that has completed it, while the others go on. If it is large, it is searched by all workers in the end: the
//!   steps with marks that each accepted path has to avoid are taken out, and what is left is decomposed again
//!   (`View`), as Emerson and Lei (1987) do it.
//! - Other conditions on a component as a whole are asked of the graph when it is complete ([`SharedGraph::judge`]).
//!
//! Deviations from the papers: a step that leads back into the path is in the set of its source by then, and one
//! behind which a search has ended is looked at again, so that every step inside a set gives its marks. A worker leaves
//! a node that another one has explored to the end. The first predecessor of a node is kept, for the way to what is
//! found.
//!
//! The search finds a node of an accepting component. The path is the sequential engine's, in the part of the graph
//! that the workers have found to be connected with it.

mod part;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fairly_omega::emptiness::EmptinessError;
use fairly_omega::{Acceptance, Automaton, Lasso, MarkSet, StateId, Stop};
use fairly_store::{Components, Links, StoreError, WorkerId};

use crate::sets::{SetReader, SetsMemory, SharedSets};
use crate::watch::Watch;
pub(crate) use part::Part;
use part::View;
use worker::Worker;

/// A step from a node: where to, and with which marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedStep {
    /// The node it leads to.
    pub target: u32,
    /// The marks of the step, one of the graph's [sets](SharedGraph::sets).
    pub marks: u64,
}

/// A graph with marks on its steps that many threads explore at once.
///
/// As [`Graph`](fairly_omega::Graph), with memory for each worker. A node has the same steps in the same order for
/// every worker.
pub trait SharedGraph: Sync {
    /// Owned by one worker.
    type Worker: Send;

    /// Memory for another worker.
    fn worker(&self) -> Self::Worker;

    /// The nodes to start from.
    fn initial(&self, worker: &mut Self::Worker) -> Vec<u32>;

    /// Appends the steps of a node.
    fn steps(&self, node: u32, worker: &mut Self::Worker, steps: &mut Vec<SharedStep>);

    /// Which infinite paths are accepted.
    fn acceptance(&self) -> &Acceptance;

    /// Sets of marks, with one number more than there are marks: it is left to the search.
    fn sets(&self) -> &SharedSets;

    /// Whether more is asked of a component than what its marks say: [`SharedGraph::judge`].
    fn asks_more(&self) -> bool {
        false
    }

    /// An accepted path in a complete component whose marks may be accepted, if more is asked: the component of a node,
    /// given the nodes that it has.
    ///
    /// # Errors
    /// When a limit is reached.
    fn judge(
        &self,
        is_inside: &dyn Fn(u32) -> bool,
        node: u32,
        worker: &mut Self::Worker,
    ) -> Result<Option<Lasso>, Cut> {
        let _ = (is_inside, node, worker);
        Ok(None)
    }

    /// Whether something was met that makes another engine necessary.
    fn gives_up(&self) -> bool {
        false
    }

    /// Bytes that it holds for what has been explored.
    fn bytes(&self) -> usize {
        0
    }
}

/// An automaton for several workers.
#[derive(Debug)]
pub struct SharedAutomaton<'a> {
    automaton: &'a Automaton,
    sets: SharedSets,
}

impl<'a> SharedAutomaton<'a> {
    /// An automaton whose sets of marks take at most so many bytes.
    ///
    /// # Errors
    /// If the memory does not pay for an empty table.
    pub fn new(automaton: &'a Automaton, memory: usize) -> Result<Self, StoreError> {
        let used = automaton.acceptance().marks().iter().map(|mark| mark.0 + 1).max();
        let marks = used.unwrap_or(0).max(automaton.mark_count());
        Ok(SharedAutomaton { automaton, sets: SharedSets::new(marks + 1, memory)? })
    }
}

impl SharedGraph for SharedAutomaton<'_> {
    type Worker = SetsMemory;

    fn worker(&self) -> SetsMemory {
        SetsMemory::default()
    }

    fn initial(&self, _: &mut SetsMemory) -> Vec<u32> {
        self.automaton.initial().iter().map(|state| state.0).collect()
    }

    fn steps(&self, node: u32, memory: &mut SetsMemory, steps: &mut Vec<SharedStep>) {
        let edges = self.automaton.edges(StateId(node)).iter();
        steps.extend(edges.map(|edge| {
            let marks = self.automaton.marks(edge.marks).iter().map(|mark| mark.0);
            let known = marks.filter(|&mark| mark + 1 < self.sets.members());
            SharedStep { target: edge.target.0, marks: self.sets.set(known, memory) }
        }));
    }

    fn acceptance(&self) -> &Acceptance {
        self.automaton.acceptance()
    }

    fn sets(&self) -> &SharedSets {
        &self.sets
    }
}

/// How a search is done.
#[derive(Clone)]
pub struct Options {
    /// Workers; at least one, at most [`WorkerId::MOST`].
    pub workers: usize,
    /// Bytes that the graph and the search may take together.
    pub memory: usize,
    /// Nodes that may be expanded, about.
    pub nodes: Option<usize>,
    /// Nodes of a component that one worker searches for an accepted part while the others go on.
    pub alone: usize,
    /// Steps of the nodes on its path that each worker keeps, about; it asks for the others again.
    pub kept: usize,
    /// When to stop.
    pub stop: Stop,
    /// Who watches.
    pub watch: Option<&'static Watch>,
}

impl Options {
    /// Nodes of a component that one worker searches, unless told otherwise.
    pub const ALONE: usize = 20_000;
    /// Steps that a worker keeps, unless told otherwise: 16 MiB.
    pub const KEPT: usize = 1 << 20;
}

/// End of a search.
#[derive(Debug)]
pub struct Outcome {
    /// An accepted path.
    pub lasso: Option<Lasso>,
    /// Nodes that were met, and steps that were looked at by all workers together.
    pub size: (usize, usize),
    /// Components that were searched by all workers once more, without some of their steps.
    pub pruned: usize,
    /// The limit that was reached, if one was: then no path means nothing.
    pub cut: Option<Cut>,
}

/// The limit that a search has reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// So many nodes were expanded.
    Nodes(usize),
    /// There was no more room.
    Store(StoreError),
    /// The search was asked to stop.
    Interrupted,
    /// The graph [gives up](SharedGraph::gives_up).
    GivenUp,
    /// The sequential engine gave up in one component.
    Component(EmptinessError),
}

/// Looks for an accepted path with several workers.
///
/// # Panics
/// If a worker panics.
pub fn search<G: SharedGraph>(graph: &G, options: &Options) -> Outcome {
    search_in(graph, None, options)
}

/// The same in a part of the graph.
fn search_in<G: SharedGraph>(graph: &G, view: Option<View<'_>>, options: &Options) -> Outcome {
    let search = match Search::new(graph, view, options) {
        Ok(search) => search,
        Err(full) => {
            let cut = Some(Cut::Store(full));
            return Outcome { lasso: None, size: (0, 0), pruned: 0, cut };
        }
    };
    let workers = options.workers.clamp(1, WorkerId::MOST);
    std::thread::scope(|scope| {
        let search = &search;
        for number in 1..workers {
            let work = move || Worker::new(search, number).run();
            // Where the machine gives no more threads, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        Worker::new(search, 0).run();
    });
    search.outcome()
}

/// Shared by all workers.
struct Search<'a, G> {
    graph: &'a G,
    /// The part of it that is searched, if it is not all of it.
    view: Option<View<'a>>,
    options: &'a Options,
    components: Components,
    /// By node: the one that it was first met from.
    links: Links,
    /// Whether a part of a component may end the search.
    is_early: bool,
    is_over: AtomicBool,
    nodes: AtomicUsize,
    steps: AtomicUsize,
    /// All nodes that were met are below this one, once all workers have reported.
    end: AtomicU32,
    /// The next node to start from, in a part of a graph.
    next_start: AtomicUsize,
    /// Nodes that were looked at in parts without an accepted path, before components were complete.
    tried: Mutex<usize>,
    ended: Mutex<Ended>,
}

#[derive(Default)]
struct Ended {
    /// A node of an accepting component.
    node: Option<u32>,
    /// An accepted path inside a component.
    inside: Option<Lasso>,
    cut: Option<Cut>,
    /// Nodes of large components that may have an accepted part.
    jobs: Vec<u32>,
}

/// Whether a condition is satisfied by a path that sees exactly these marks infinitely often.
fn accepts(acceptance: &Acceptance, marks: SetReader<'_>) -> bool {
    holds(acceptance, &|mark| marks.has(mark), &|mark| marks.has(mark))
}

/// Whether a condition can be satisfied by a path that sees some of these marks infinitely often.
fn may_accept(acceptance: &Acceptance, marks: SetReader<'_>) -> bool {
    holds(acceptance, &|mark| marks.has(mark), &|_| false)
}

/// Evaluates a condition with the marks that are seen for `Inf`, and those for `Fin`.
fn holds(acceptance: &Acceptance, inf: &impl Fn(u32) -> bool, fin: &impl Fn(u32) -> bool) -> bool {
    match acceptance {
        Acceptance::True => true,
        Acceptance::False => false,
        Acceptance::Inf(mark) => inf(mark.0),
        Acceptance::Fin(mark) => !fin(mark.0),
        Acceptance::And(parts) => parts.iter().all(|part| holds(part, inf, fin)),
        Acceptance::Or(parts) => parts.iter().any(|part| holds(part, inf, fin)),
    }
}

impl<'a, G: SharedGraph> Search<'a, G> {
    /// A search of a graph, or of a part of it, that has not begun.
    fn new(graph: &'a G, view: Option<View<'a>>, options: &'a Options) -> Result<Self, StoreError> {
        let components = Components::new(options.memory)?;
        let (fins, _) = graph.acceptance().polarity();
        Ok(Search {
            graph,
            view,
            options,
            components,
            links: Links::default(),
            is_early: fins.is_empty(),
            is_over: AtomicBool::new(false),
            nodes: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            end: AtomicU32::new(0),
            next_start: AtomicUsize::new(0),
            tried: Mutex::new(0),
            ended: Mutex::new(Ended::default()),
        })
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> usize {
        self.components.bytes()
            + self.links.bytes()
            + self.graph.bytes()
            + self.graph.sets().bytes()
    }

    /// The number beside the marks that says that a set has a step inside.
    fn inside(&self) -> u32 {
        self.graph.sets().members() - 1
    }

    /// Ends the search with a node of an accepting component.
    fn find(&self, node: u32) {
        self.ended().node.get_or_insert(node);
        self.is_over.store(true, Ordering::Release);
    }

    /// Ends the search with an accepted path inside a component.
    fn find_path(&self, inside: Lasso) {
        self.ended().inside.get_or_insert(inside);
        self.is_over.store(true, Ordering::Release);
    }

    /// Ends the search without an answer.
    fn cut(&self, cut: Cut) {
        self.ended().cut.get_or_insert(cut);
        self.is_over.store(true, Ordering::Release);
    }

    /// The marks of the component of a node.
    fn marks_of(&self, node: u32, memory: &mut SetsMemory) -> MarkSet {
        let reader = self.graph.sets().reader(self.components.marks(node), memory);
        (0..self.inside()).filter(|&mark| reader.has(mark)).map(fairly_omega::Mark).collect()
    }

    fn outcome(mut self) -> Outcome {
        let mut pruned = 0;
        let mut memory = SetsMemory::default();
        let Ended { mut node, mut inside, mut cut, jobs } = std::mem::take(&mut *self.ended());
        if self.graph.sets().is_full() || self.graph.gives_up() {
            // Some marks or propositions are lost, so nothing may follow from those that are there.
            (node, inside) = (None, None);
            cut = Some(Cut::Store(StoreError::Budget { limit: self.options.memory }));
        }
        let mut worker = self.graph.worker();
        if let (None, Some(node)) = (&inside, node) {
            let within = self.find_within(node, usize::MAX, &mut worker);
            // A set need not be connected in itself, so more and more is looked at: a path that is accepted is one
            // wherever it is found.
            let found = match within {
                Ok(None) => self.find_among_met(node, &mut worker),
                within => within,
            };
            let found = match found {
                Ok(None) => self.find_from_start_of(node, &mut worker),
                found => found,
            };
            match found {
                Ok(found) => {
                    inside = found;
                    assert!(inside.is_some() || cut.is_some(), "a component with these marks");
                }
                Err(unfinished) => cut = Some(unfinished.into()),
            }
        }
        for node in jobs {
            if inside.is_some() || cut.is_some() {
                break;
            }
            pruned += 1;
            let outcome = self.search_without(node, &mut worker, &mut memory);
            let Outcome { lasso, size, pruned: more, cut: reached } = outcome;
            *self.steps.get_mut() += size.1;
            pruned += more;
            (inside, cut) = (lasso, reached);
        }
        let is_whole = self.view.is_none();
        let lasso = inside.map(|inside| match is_whole {
            true => self.with_way(&inside, &mut worker),
            // The way to the part is that of the whole graph.
            false => inside,
        });
        let size = (self.nodes.into_inner(), self.steps.into_inner());
        Outcome { lasso, size, pruned, cut }
    }

    /// Searches a component once more, by all workers and without the steps that every accepted path of it avoids.
    fn search_without(
        &self,
        node: u32,
        worker: &mut G::Worker,
        memory: &mut SetsMemory,
    ) -> Outcome {
        let present = self.marks_of(node, memory);
        let mut avoided = demanded(&self.graph.acceptance().restrict(&present));
        if avoided.is_empty() {
            // There is a choice of what to avoid.
            let searched = self.find_within(node, usize::MAX, worker);
            let (lasso, cut) = match searched {
                Ok(lasso) => (lasso, None),
                Err(unfinished) => (None, Some(unfinished.into())),
            };
            return Outcome { lasso, size: (0, 0), pruned: 0, cut };
        }
        if let Some(view) = &self.view {
            avoided.union_with(&view.avoided);
        }
        let end = self.end.load(Ordering::Acquire);
        let view = View { components: &self.components, node, end, avoided };
        let memory = self.options.memory.saturating_sub(self.components.bytes());
        search_in(self.graph, Some(view), &Options { memory, ..self.options.clone() })
    }
}

/// The marks that each path avoids which satisfies a condition, as far as its form tells.
fn demanded(acceptance: &Acceptance) -> MarkSet {
    let conjuncts = match acceptance {
        Acceptance::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let fins = conjuncts.iter().filter_map(|part| match part {
        Acceptance::Fin(mark) => Some(*mark),
        _ => None,
    });
    fins.collect()
}

#[cfg(test)]
mod tests {
    use fairly_omega::{Builder, Label, Mark};

    use super::*;

    /// A worker came 0 → 1 → 2 → 3 → 0 and united 3 with 2, when 3 and 0 were in one set already because of 0 → 3,
    /// which another worker took. So it stopped, and the mark of 2 → 3 is in a set without 1.
    #[test]
    fn parts_that_are_not_connected_in_themselves_have_accepted_paths() {
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(Acceptance::generalized_buchi(1), 1);
        let states: Vec<StateId> = (0..4).map(|_| builder.add_state()).collect();
        builder.add_initial(states[0]);
        for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 3)] {
            let carried: MarkSet = (from == 2).then_some(Mark(0)).into_iter().collect();
            builder.add_edge(states[from], Label::TRUE, carried, states[to]);
        }
        let automaton = builder.build();
        let graph = SharedAutomaton::new(&automaton, 1 << 22).expect("memory");
        let options = Options {
            workers: 1,
            memory: 1 << 26,
            nodes: None,
            alone: Options::ALONE,
            kept: Options::KEPT,
            stop: Stop::default(),
            watch: None,
        };
        let search = Search::new(&graph, None, &options).expect("memory");
        let worker = WorkerId::new(0);
        for node in 0..4 {
            search.components.claim(node, worker).expect("memory");
            search.links.set(node, node.checked_sub(1).unwrap_or(Links::NONE));
        }
        search.components.unite(0, 3);
        search.components.unite(2, 3);
        search.find(3);
        let lasso = search.outcome().lasso.expect("an accepted path");
        assert!(lasso.cycle.iter().any(|hop| hop.from == states[2]));
    }
}
