//! Strong global fairness: every transition of a state that is visited infinitely often is taken
//! infinitely often.
//!
//! The states that such a run visits infinitely often have no transition to any other, and each can
//! be reached from each: they are a bottom strongly connected component of the system, idle steps
//! included, and all transitions of it are taken infinitely often. So there is nothing to prune for
//! this notion. What is looked for is a bottom component `B` and a strongly connected part of the
//! product above it that
//!
//! - covers every transition of `B`, which a part of a part does only if the part does;
//! - is accepted by the automaton and the other constraints, by the recursion of Emerson and Lei.
//!
//! A constraint on the system's steps is decided by `B` alone, since all of its steps are taken. A
//! transition is a source, an action and a target: parallel transitions with different actions are
//! different ones (`c05-parallel-edges.net` and `c16-coin.net` of `corpus/systems`). One strong pair
//! a transition, the normal form of `docs/papers.md` 0-4, would say the same with as many marks as
//! the system has transitions.
//!
//! Without other constraints the notion is feasible and machine closed for every finite system:
//! from every state a bottom component can be reached, and a path can go round in it for ever
//! taking all of its transitions. With others it need not be: [`closure()`].

use fairly_fairness::Constraint;
use fairly_omega::emptiness::{AcceptedPart, Explored};
use fairly_omega::{Graph, Hop, MarkSet, StateId, Step};
use fairly_system::{ActionId, Run, TransitionSystem};
use hashbrown::HashMap;

use crate::bounded::{Bounds, Budget, Cut};
use crate::closure::Closure;
use crate::product::{Negation, Product};
use crate::stored::{Stored, anything};

/// A run that is strongly globally fair, fair to the constraints, and violates the property; its
/// cycle takes all transitions of a bottom component. `None` if there is none.
///
/// # Errors
/// When a bound is reached.
pub fn find<S: TransitionSystem>(
    system: &mut S,
    negation: Negation<'_>,
    constraints: Vec<Constraint>,
    bounds: Bounds,
) -> Result<Option<Run>, Cut> {
    let budget = Budget::new(bounds);
    let whole = stored_system(system, vec![], bounds)?;
    let bottoms = Bottoms::of(system, &whole);
    drop(whole);
    let stored = Stored::of(&mut Product::new(system, negation, constraints), bounds)?;
    let covers = bottoms.covers(&stored);
    let mut coverage = Coverage::new(&stored.explored, &covers, bottoms.count);
    let part = stored.explored.accepted_part(|members, avoided| {
        let bottom = bottoms.of_state(stored.states[members[0].index()]);
        bottom.is_some_and(|size| coverage.count(members, avoided) == size)
    })?;
    let Some(part) = part else { return Ok(None) };
    let mut cycle = coverage.cycle(&part, &budget)?;
    // Nodes are numbered by distance, so the stem to the smallest one is the shortest.
    let nearest = (0..cycle.len()).min_by_key(|&at| cycle[at].from).expect("a cycle has a step");
    cycle.rotate_left(nearest);
    let stem = stored.explored.path_to(cycle[0].from);
    let steps = |hops: Vec<Hop>| hops.iter().map(|hop| stored.run_step(hop)).collect();
    Ok(Some(Run { stem: steps(stem), cycle: steps(cycle) }))
}

/// Feasibility and machine closure of strong global fairness together with constraints.
///
/// # Errors
/// When a bound is reached.
pub fn closure<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    bounds: Bounds,
) -> Result<Closure, Cut> {
    let stored = stored_system(system, constraints, bounds)?;
    let acceptance = stored.explored.acceptance();
    let fair = bottom_components(system, &stored)
        .into_iter()
        .filter(|(_, present)| acceptance.accepts(present))
        .map(|(members, _)| members[0]);
    let fair = stored.explored.can_reach(fair);
    Ok(Closure::of(system, &stored, &fair))
}

fn stored_system<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    bounds: Bounds,
) -> Result<Stored, Cut> {
    let anything = anything();
    let mut product = Product::new(system, Negation::new(&anything, vec![]), constraints);
    Stored::of(&mut product, bounds)
}

/// The components that no edge leaves, with the marks of their edges. Actions that are enabled and
/// [left out](TransitionSystem::left_out) are not taken in them, so those with one are not among them.
fn bottom_components<S: TransitionSystem>(
    system: &mut S,
    stored: &Stored,
) -> Vec<(Vec<StateId>, MarkSet)> {
    let explored = &stored.explored;
    let mut owner = vec![usize::MAX; explored.node_count()];
    let mut components = explored.components();
    for (number, (members, _)) in components.iter().enumerate() {
        members.iter().for_each(|member| owner[member.index()] = number);
    }
    let mut number = 0;
    components.retain(|(members, _)| {
        let mine = number;
        number += 1;
        let inside = |step: Step| owner[step.target.index()] == mine;
        members.iter().all(|&member| {
            explored.steps_of(member).all(inside)
                && !system.is_committed(stored.states[member.index()])
        })
    });
    components
}

/// No transition of a bottom component.
pub(crate) const NONE: u32 = u32::MAX;

/// The bottom components of a system, by their transitions.
struct Bottoms {
    /// By state that is in one: how many transitions its component has.
    sizes: HashMap<StateId, usize>,
    /// The number of a transition.
    numbers: HashMap<(StateId, ActionId, StateId), u32>,
    count: usize,
}

impl Bottoms {
    fn of<S: TransitionSystem>(system: &mut S, stored: &Stored) -> Self {
        let mut sizes = HashMap::new();
        let mut numbers = HashMap::new();
        for (members, _) in bottom_components(system, stored) {
            let before = numbers.len();
            for &member in &members {
                let from = stored.states[member.index()];
                for transition in &stored.transitions[stored.explored.positions(member)] {
                    let next = u32::try_from(numbers.len()).expect("steps are numbered by u32");
                    numbers.entry((from, transition.action, transition.target)).or_insert(next);
                }
            }
            let size = numbers.len() - before;
            sizes.extend(members.iter().map(|member| (stored.states[member.index()], size)));
        }
        let count = numbers.len();
        Bottoms { sizes, numbers, count }
    }

    /// How many transitions the bottom component of a state has, if it is in one.
    fn of_state(&self, state: StateId) -> Option<usize> {
        self.sizes.get(&state).copied()
    }

    /// The transition that each step of a product covers, by position.
    fn covers(&self, product: &Stored) -> Vec<u32> {
        let mut covers = Vec::with_capacity(product.transitions.len());
        for node in product.explored.nodes() {
            let from = product.states[node.index()];
            let steps = &product.transitions[product.explored.positions(node)];
            covers.extend(steps.iter().map(|transition| {
                let key = (from, transition.action, transition.target);
                self.numbers.get(&key).copied().unwrap_or(NONE)
            }));
        }
        covers
    }
}

/// Which transitions parts of a product cover, with tables that are allocated once.
pub(crate) struct Coverage<'a> {
    explored: &'a Explored,
    covers: &'a [u32],
    /// The part that a node was last in.
    inside: Vec<u32>,
    part: u32,
    /// The part in which a transition was last seen.
    seen: Vec<u32>,
}

impl<'a> Coverage<'a> {
    pub(crate) fn new(explored: &'a Explored, covers: &'a [u32], transitions: usize) -> Self {
        let inside = vec![0; explored.node_count()];
        Coverage { explored, covers, inside, part: 0, seen: vec![0; transitions] }
    }

    /// How many transitions of bottom components are covered between `members` by steps without
    /// the marks `avoided`.
    pub(crate) fn count(&mut self, members: &[StateId], avoided: &MarkSet) -> usize {
        self.part += 1;
        members.iter().for_each(|member| self.inside[member.index()] = self.part);
        let mut count = 0;
        for &member in members {
            let steps = self.explored.steps_of(member).zip(self.explored.positions(member));
            for (step, position) in steps {
                let covered = self.covers[position];
                if covered != NONE
                    && self.inside[step.target.index()] == self.part
                    && self.seen[covered as usize] != self.part
                    && !self.explored.mark_set(step.marks).intersects(avoided)
                {
                    self.seen[covered as usize] = self.part;
                    count += 1;
                }
            }
        }
        count
    }

    /// A closed walk in the part that covers what the part covers and sees the marks it seeks: each
    /// time to the nearest step that brings something new, and back in the end.
    pub(crate) fn cycle(&mut self, part: &AcceptedPart, budget: &Budget) -> Result<Vec<Hop>, Cut> {
        let mut left = self.count(&part.members, &part.avoided);
        let (explored, covers) = (self.explored, self.covers);
        let current = self.part;
        let inside = &self.inside;
        let usable = |step: &Step| {
            inside[step.target.index()] == current
                && !explored.mark_set(step.marks).intersects(&part.avoided)
        };
        let start = *part.members.iter().min().expect("a part has a node");
        let mut sought = part.sought.clone();
        let mut at = start;
        let mut walk: Vec<Hop> = Vec::new();
        let mut search = Breadth::new(explored);
        loop {
            let done = left == 0 && sought.is_empty();
            if done && at == start && !walk.is_empty() {
                return Ok(walk);
            }
            budget.in_time()?;
            let seen = &self.seen;
            let is_new = |step: &Step, position: usize| {
                let covered = covers[position];
                covered != NONE && seen[covered as usize] == current
                    || explored.mark_set(step.marks).intersects(&sought)
            };
            let path = search.nearest(at, usable, |step, position| {
                if done { step.target == start } else { is_new(step, position) }
            });
            for hop in path {
                let position = explored.positions(hop.from).start + hop.nth as usize;
                let step = explored.steps_of(hop.from).nth(hop.nth as usize).expect("a step");
                let covered = covers[position];
                if covered != NONE && self.seen[covered as usize] == current {
                    self.seen[covered as usize] = 0;
                    left -= 1;
                }
                sought = sought.difference(explored.mark_set(step.marks));
                at = hop.to;
                walk.push(hop);
            }
        }
    }
}

/// Breadth-first search with tables that are allocated once.
struct Breadth<'a> {
    explored: &'a Explored,
    /// The round in which a node was last reached.
    round: Vec<u32>,
    current: u32,
    /// A node, the position of its parent in this queue, and which step of the parent led here.
    queue: Vec<(StateId, usize, u32)>,
}

impl<'a> Breadth<'a> {
    fn new(explored: &'a Explored) -> Self {
        let round = vec![0; explored.node_count()];
        Breadth { explored, round, current: 0, queue: Vec::new() }
    }

    /// A shortest path of usable steps whose last one is a goal. There must be one.
    fn nearest(
        &mut self,
        from: StateId,
        usable: impl Fn(&Step) -> bool,
        goal: impl Fn(&Step, usize) -> bool,
    ) -> Vec<Hop> {
        self.current += 1;
        self.queue.clear();
        self.queue.push((from, 0, 0));
        self.round[from.index()] = self.current;
        let mut head = 0;
        loop {
            let (node, ..) = self.queue[head];
            let steps = self.explored.steps_of(node).zip(self.explored.positions(node));
            for (nth, (step, position)) in (0u32..).zip(steps) {
                if !usable(&step) {
                    continue;
                }
                if goal(&step, position) {
                    return self.path(head, Hop { from: node, nth, to: step.target });
                }
                if self.round[step.target.index()] != self.current {
                    self.round[step.target.index()] = self.current;
                    self.queue.push((step.target, head, nth));
                }
            }
            head += 1;
        }
    }

    /// The way to the node at a position of the queue, and one hop more.
    fn path(&self, position: usize, last: Hop) -> Vec<Hop> {
        let mut path = vec![last];
        let mut at = position;
        while at != 0 {
            let (to, parent, nth) = self.queue[at];
            path.push(Hop { from: self.queue[parent].0, nth, to });
            at = parent;
        }
        path.reverse();
        path
    }
}
