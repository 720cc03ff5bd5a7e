//! Nested depth-first search, for Büchi acceptance on edges.
//!
//! The search of Courcoubetis, Vardi, Wolper and Yannakakis (FMSD 1992; Algorithm 14 of Malinen and
//! Luukkainen 2003) with the colours of Schwoon and Esparza (TACAS 2005), moved from accepting
//! states to accepting edges: when the outer search backtracks over an accepting edge `s → t`, the
//! inner one looks from `t` for a node on the outer path, from which `s` can be reached. Generalized
//! Büchi conditions go through [`Degeneralized`], other conjunctions of clauses through
//! [`Monitored`] first. It is the reference that the other engines are compared with; they are
//! faster.

use crate::acceptance::Acceptance;
use crate::automaton::StateId;
use crate::graph::{Graph, Hop};
use crate::marks::MarkSet;

use super::degeneralized::{Degeneralized, LevelStep};
use super::monitors::Monitored;
use super::watching::{self, Event, Observer, Unwatched};
use super::{Answer, Effort, EmptinessError, paths};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    /// Not seen.
    White,
    /// On the path of the outer search.
    Cyan,
    /// The outer search is done with it.
    Blue,
    /// The inner search has been there: no accepting cycle goes through it.
    Red,
}

struct Frame {
    node: StateId,
    /// Where its steps begin on the stack of steps not yet taken.
    begin: usize,
    /// Whether the edge it was entered by is accepting.
    accepting: bool,
}

/// The accepting edge of a cycle, in the degeneralized graph.
struct Found {
    from: StateId,
    to: StateId,
}

struct Search<'a, 'o, G, O> {
    graph: Degeneralized<'a, G>,
    observer: &'o mut O,
    colours: Vec<Colour>,
    effort: Effort,
}

/// An accepting cycle, and what was seen before it was found.
struct Outcome {
    cycle: Option<Vec<Hop>>,
    /// By node of the graph, whether it was seen; only filled in when there is a cycle.
    seen: Vec<bool>,
    effort: Effort,
}

pub(super) fn search<G: Graph, O: Observer>(
    graph: &mut G,
    acceptance: &Acceptance,
    observer: &mut O,
) -> Result<Answer, EmptinessError> {
    let Outcome { cycle, seen, effort } = match acceptance.inf_clauses() {
        Some(sets) => accepting_cycle(graph, sets, observer)?,
        None => monitored_cycle(graph, acceptance, observer)?,
    };
    observer.count(|statistics| {
        statistics.copies = effort.nodes;
        statistics.walk = cycle.as_ref().map_or(0, Vec::len);
    });
    let known = |node: StateId| seen.get(node.index()).is_some_and(|&seen| seen);
    let lasso = cycle.map(|cycle| paths::with_shortest_stem(graph, cycle, known));
    Ok(Answer { lasso, effort })
}

/// The search on the product with monitors, told in terms of the graph itself.
fn monitored_cycle<G: Graph, O: Observer>(
    graph: &mut G,
    acceptance: &Acceptance,
    observer: &mut O,
) -> Result<Outcome, EmptinessError> {
    let clauses = acceptance.clauses().expect("the engine was asked for what it decides");
    let mut monitored = Monitored::new(graph, clauses);
    let sets = monitored.acceptance().inf_clauses().expect("monitors leave only `Inf`");
    let levels = u32::try_from(sets.len()).unwrap_or(u32::MAX).max(1);
    let outcome = if O::SEES {
        // Only after the search is it known which node each copy is of.
        let mut events = Vec::new();
        let outcome = accepting_cycle(&mut monitored, sets, &mut events)?;
        let of_copy = |node: u32, level: u32| {
            let copy = monitored.copy(StateId(node)).saturating_mul(levels).saturating_add(level);
            (monitored.base(StateId(node)).0, copy)
        };
        for event in events {
            observer.observe(|| match event {
                Event::Coloured { node, level, colour } => {
                    let (node, level) = of_copy(node, level);
                    Event::Coloured { node, level, colour }
                }
                Event::Seed { node, level } => {
                    let (node, level) = of_copy(node, level);
                    Event::Seed { node, level }
                }
                other => other,
            });
        }
        outcome
    } else {
        accepting_cycle(&mut monitored, sets, &mut Unwatched)?
    };
    if monitored.overflowed() {
        return Err(EmptinessError::TooLarge);
    }
    let mut effort = outcome.effort;
    effort.bytes += monitored.bytes();
    let cycle = outcome
        .cycle
        .map(|cycle| cycle.into_iter().map(|hop| monitored.base_hop(hop)).collect::<Vec<_>>());
    let pairs = (0..outcome.seen.len()).filter(|&pair| outcome.seen[pair]);
    let seen = flags(pairs.map(|pair| monitored.base(StateId::from_index(pair))));
    Ok(Outcome { cycle, seen, effort })
}

/// The search on the degeneralized graph, told in terms of the graph itself.
fn accepting_cycle<G: Graph, O: Observer>(
    graph: &mut G,
    sets: Vec<MarkSet>,
    observer: &mut O,
) -> Result<Outcome, EmptinessError> {
    let graph = Degeneralized::new(graph, sets);
    let mut search = Search { graph, observer, colours: Vec::new(), effort: Effort::default() };
    let (mut cycle, mut seen) = (None, Vec::new());
    for start in search.graph.initial()? {
        if search.colour(start) != Colour::White {
            continue;
        }
        // Once it may not go on, the path of the outer search is left as it is: no search may
        // follow.
        if !search.graph.allows(search.effort.nodes) {
            break;
        }
        if let Some(found) = search.outer(start)? {
            cycle = Some(search.cycle(&found)?);
            let Search { graph, colours, .. } = &search;
            let pairs = (0..colours.len()).filter(|&pair| colours[pair] != Colour::White);
            seen = flags(pairs.map(|pair| graph.base(StateId::from_index(pair))));
            break;
        }
    }
    search.effort.bytes += search.colours.capacity();
    Ok(Outcome { cycle, seen, effort: search.effort })
}

/// By node, whether it is one of these.
fn flags(nodes: impl Iterator<Item = StateId>) -> Vec<bool> {
    let mut flags = Vec::new();
    for node in nodes {
        if node.index() >= flags.len() {
            flags.resize(node.index() + 1, false);
        }
        flags[node.index()] = true;
    }
    flags
}

impl<G: Graph, O: Observer> Search<'_, '_, G, O> {
    fn colour(&self, node: StateId) -> Colour {
        self.colours.get(node.index()).copied().unwrap_or(Colour::White)
    }

    fn paint(&mut self, node: StateId, colour: Colour) {
        if node.index() >= self.colours.len() {
            self.colours.resize(node.index() + 1, Colour::White);
        }
        self.colours[node.index()] = colour;
        let Search { graph, observer, .. } = self;
        observer.observe(|| {
            let (base, level) = graph.parts(node);
            let colour = match colour {
                Colour::White | Colour::Cyan => watching::Colour::Cyan,
                Colour::Blue => watching::Colour::Blue,
                Colour::Red => watching::Colour::Red,
            };
            Event::Coloured { node: base.0, level, colour }
        });
    }

    /// Paints `node` and puts its steps on the stack, first one on top.
    fn open(
        &mut self,
        node: StateId,
        colour: Colour,
        pending: &mut Vec<LevelStep>,
    ) -> Result<usize, EmptinessError> {
        self.paint(node, colour);
        let begin = pending.len();
        self.graph.steps(node, pending)?;
        pending[begin..].reverse();
        self.effort.steps += pending.len() - begin;
        Ok(begin)
    }

    fn outer(&mut self, start: StateId) -> Result<Option<Found>, EmptinessError> {
        let mut pending = Vec::new();
        let begin = self.open(start, Colour::Cyan, &mut pending)?;
        self.effort.nodes += 1;
        let mut path = vec![Frame { node: start, begin, accepting: false }];
        let mut longest = 0;
        while let Some(frame) = path.last() {
            let node = frame.node;
            if pending.len() > frame.begin {
                let step = pending.pop().expect("a step is left");
                let suspect = match self.colour(step.target) {
                    Colour::White => {
                        if !self.graph.allows(self.effort.nodes) {
                            break;
                        }
                        let begin = self.open(step.target, Colour::Cyan, &mut pending)?;
                        self.effort.nodes += 1;
                        let accepting = step.accepting;
                        path.push(Frame { node: step.target, begin, accepting });
                        longest = longest.max(path.len());
                        continue;
                    }
                    Colour::Cyan => step.accepting,
                    Colour::Blue => step.accepting && self.inner(step.target)?,
                    Colour::Red => false,
                };
                if suspect {
                    return Ok(Some(Found { from: node, to: step.target }));
                }
                continue;
            }
            let done = path.pop().expect("the frame just looked at");
            self.paint(done.node, Colour::Blue);
            let Some(parent) = path.last() else { break };
            if done.accepting && self.inner(done.node)? {
                return Ok(Some(Found { from: parent.node, to: done.node }));
            }
        }
        self.effort.bytes = self.effort.bytes.max(longest * size_of::<Frame>());
        Ok(None)
    }

    /// Whether a node on the outer path can be reached from `start`, which the outer search has
    /// left; paints red what it sees.
    fn inner(&mut self, start: StateId) -> Result<bool, EmptinessError> {
        if self.colour(start) == Colour::Red {
            return Ok(false);
        }
        let Search { graph, observer, .. } = self;
        observer.observe(|| {
            let (base, level) = graph.parts(start);
            Event::Seed { node: base.0, level }
        });
        let mut pending = Vec::new();
        self.open(start, Colour::Red, &mut pending)?;
        // The order does not matter, only what is reached, so no path is kept.
        while let Some(step) = pending.pop() {
            match self.colour(step.target) {
                Colour::Cyan => return Ok(true),
                Colour::Blue => {
                    if !self.graph.allows(self.effort.nodes) {
                        break;
                    }
                    self.open(step.target, Colour::Red, &mut pending)?;
                }
                // A white node would be one that the outer search has not seen below a node it has
                // left without meeting its own path first; there is none.
                Colour::White | Colour::Red => {}
            }
        }
        Ok(false)
    }

    /// The accepting edge and a shortest way back to where it starts, in the graph underneath.
    fn cycle(&mut self, found: &Found) -> Result<Vec<Hop>, EmptinessError> {
        let mut cycle =
            vec![self.hop(found.from, |step| step.accepting && step.target == found.to)?];
        // Breadth first over the nodes seen; the way back exists among them.
        let mut parent: hashbrown::HashMap<StateId, StateId> = hashbrown::HashMap::new();
        let mut queue = std::collections::VecDeque::from([found.to]);
        let mut steps = Vec::new();
        parent.insert(found.to, found.to);
        while !parent.contains_key(&found.from) {
            let node = queue.pop_front().expect("the accepting edge lies on a cycle of seen nodes");
            steps.clear();
            self.graph.steps(node, &mut steps)?;
            for step in &steps {
                if self.colour(step.target) != Colour::White && !parent.contains_key(&step.target) {
                    parent.insert(step.target, node);
                    queue.push_back(step.target);
                }
            }
        }
        let mut back = vec![found.from];
        while let Some(&node) = back.last().filter(|&&node| node != found.to) {
            back.push(parent[&node]);
        }
        back.reverse();
        for pair in back.windows(2) {
            cycle.push(self.hop(pair[0], |step| step.target == pair[1])?);
        }
        Ok(cycle)
    }

    fn hop(
        &mut self,
        from: StateId,
        wanted: impl Fn(&LevelStep) -> bool,
    ) -> Result<Hop, EmptinessError> {
        let mut steps = Vec::new();
        self.graph.steps(from, &mut steps)?;
        let nth = steps.iter().position(wanted).expect("the step was taken");
        Ok(Hop {
            from: self.graph.base(from),
            nth: u32::try_from(nth).map_err(|_| EmptinessError::TooLarge)?,
            to: self.graph.base(steps[nth].target),
        })
    }
}
