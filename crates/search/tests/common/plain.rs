//! A network as plain data, and naive answers about it.

use std::collections::{BTreeMap, BTreeSet};

use fairly_explore::Explored;
use fairly_fairness::{Constraint, Predicate, Selector, Strength};
use fairly_omega::{Acceptance, Automaton, Disjunct, Mark, MarkSet, Prop, StateId};
use fairly_search::Binding;
use fairly_system::{Action, ActionId, EventPosition, MoveId, Network, TransitionSystem};

/// A step of a system: number of the source, action, number of the target.
#[derive(Clone, Debug)]
pub(crate) struct PlainStep {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) id: ActionId,
    pub(crate) action: Action,
}

/// All reachable states and steps of a network, idle steps included.
pub(crate) struct Plain {
    pub(crate) states: Vec<StateId>,
    pub(crate) initial: Vec<usize>,
    pub(crate) steps: Vec<PlainStep>,
    pub(crate) offered: Vec<Vec<MoveId>>,
}

impl Plain {
    pub(crate) fn of(network: &mut Explored<Network>) -> Self {
        let mut states = network.initial();
        let initial = (0..states.len()).collect();
        let mut steps = Vec::new();
        let mut offered = Vec::new();
        let mut at = 0;
        while at < states.len() {
            let mut found = Vec::new();
            network.steps(states[at], &mut found);
            for transition in found {
                let to = states.iter().position(|&s| s == transition.target).unwrap_or_else(|| {
                    states.push(transition.target);
                    states.len() - 1
                });
                let id = transition.action;
                let action = network.action(id).clone();
                steps.push(PlainStep { from: at, to, id, action });
            }
            let mut moves = Vec::new();
            network.offered(states[at], &mut moves);
            offered.push(moves);
            at += 1;
        }
        Plain { states, initial, steps, offered }
    }

    pub(crate) fn number(&self, state: StateId) -> usize {
        self.states.iter().position(|&other| other == state).unwrap()
    }

    /// Whether a predicate is true of a step, by its definition.
    pub(crate) fn holds(
        &self,
        network: &Explored<Network>,
        predicate: &Predicate,
        step: &PlainStep,
    ) -> bool {
        let selects = |selector: &Selector, action: &Action| match selector {
            Selector::Process(process) => action.participants.contains(process),
            Selector::Events(events) => events.members().contains(&action.event),
            Selector::Moves(moves) => moves.iter().any(|id| action.moves.contains(id)),
            Selector::Part(..) => unreachable!("no notion gives one"),
        };
        let of = |id: &MoveId| &network.signature().moves[id.index()];
        let offers = |selector: &Selector, id: &MoveId| match selector {
            Selector::Process(process) => of(id).process == *process,
            Selector::Events(events) => events.members().contains(&of(id).event),
            Selector::Moves(moves) => moves.contains(id),
            Selector::Part(..) => unreachable!("no notion gives one"),
        };
        match predicate {
            Predicate::True => true,
            Predicate::Enabled(selector) => self.steps.iter().any(|other| {
                other.from == step.from
                    && other.id != ActionId::IDLE
                    && selects(selector, &other.action)
            }),
            Predicate::Disabled(selector) => !self.steps.iter().any(|other| {
                other.from == step.from
                    && other.id != ActionId::IDLE
                    && selects(selector, &other.action)
            }),
            Predicate::Ready(selector) => {
                self.offered[step.from].iter().any(|id| offers(selector, id))
            }
            Predicate::Taken(selector) => selects(selector, &step.action),
            Predicate::Step(formula) => {
                let state = self.states[step.from];
                let signature = network.signature();
                formula.holds(step.action.event, signature, &|atom| network.holds(state, atom))
            }
        }
    }

    /// The marks of steps and the condition for constraints, from the definition: a weak one has
    /// one mark on steps where it is settled, a strong one two.
    pub(crate) fn marks(
        &self,
        network: &Explored<Network>,
        constraints: &[Constraint],
        first: u32,
    ) -> (Vec<MarkSet>, Acceptance) {
        let mut marks = vec![MarkSet::new(); self.steps.len()];
        let mut parts = Vec::new();
        for (at, constraint) in (0u32..).zip(constraints) {
            let (asked, given) = (Mark(first + 2 * at), Mark(first + 2 * at + 1));
            for (set, step) in marks.iter_mut().zip(&self.steps) {
                let when = self.holds(network, &constraint.when, step);
                let then = self.holds(network, &constraint.then, step);
                match constraint.strength {
                    Strength::Weak if !when || then => set.insert(given),
                    Strength::Weak => {}
                    Strength::Strong => {
                        if when {
                            set.insert(asked);
                        }
                        if then {
                            set.insert(given);
                        }
                    }
                }
            }
            parts.push(match constraint.strength {
                Strength::Weak => Acceptance::Inf(given),
                Strength::Strong => {
                    Acceptance::or([Acceptance::Fin(asked), Acceptance::Inf(given)])
                }
            });
        }
        (marks, Acceptance::and(parts))
    }
}

/// A graph with marks on its edges, each of which stands for a step of a system.
pub(crate) struct PlainGraph {
    pub(crate) nodes: usize,
    pub(crate) initial: Vec<usize>,
    /// Source, target, marks, step of the system.
    pub(crate) edges: Vec<(usize, usize, MarkSet, usize)>,
    pub(crate) condition: Acceptance,
    /// State of the system and of the automaton.
    pub(crate) pairs: Vec<(usize, usize)>,
}

impl PlainGraph {
    /// All pairs, reachable or not.
    pub(crate) fn product(
        network: &Explored<Network>,
        plain: &Plain,
        automaton: &Automaton,
        bindings: &[Binding],
        reading: EventPosition,
        constraints: &[Constraint],
    ) -> Self {
        let (of_step, fair) = plain.marks(network, constraints, 100);
        let width = automaton.state_count();
        let mut edges = Vec::new();
        for (at, step) in plain.steps.iter().enumerate() {
            let state = match reading {
                EventPosition::Leaving => plain.states[step.from],
                EventPosition::Entering => plain.states[step.to],
            };
            let reads = |Prop(prop): Prop| match &bindings[prop as usize] {
                Binding::Event(events) => events.members().contains(&step.action.event),
                Binding::State(atom) => network.holds(state, *atom),
                Binding::Enabled(_) | Binding::Taken(_) => unreachable!("refused for prefixes"),
            };
            for state in automaton.states() {
                for edge in automaton.edges(state) {
                    if automaton.letters().holds(edge.label, reads) {
                        let from = step.from * width + state.index();
                        let to = step.to * width + edge.target.index();
                        let marks = of_step[at].union(automaton.marks(edge.marks));
                        edges.push((from, to, marks, at));
                    }
                }
            }
        }
        let mut initial = Vec::new();
        for &q in &plain.initial {
            for &p in automaton.initial() {
                if reading == EventPosition::Leaving {
                    initial.push(q * width + p.index());
                    continue;
                }
                // Nothing has happened yet, but the first state is read.
                let reads = |Prop(prop): Prop| match &bindings[prop as usize] {
                    Binding::Event(_) | Binding::Enabled(_) | Binding::Taken(_) => false,
                    Binding::State(atom) => network.holds(plain.states[q], *atom),
                };
                let edges = automaton.edges(p).iter();
                let read = edges.filter(|edge| automaton.letters().holds(edge.label, reads));
                initial.extend(read.map(|edge| q * width + edge.target.index()));
            }
        }
        let nodes = plain.states.len() * width;
        let condition = Acceptance::and([automaton.acceptance().clone(), fair]);
        let pairs = (0..nodes).map(|node| (node / width, node % width)).collect();
        PlainGraph { nodes, initial, edges, condition, pairs }
    }

    /// Which nodes can be reached, each in how many steps.
    pub(crate) fn distances(&self) -> Vec<Option<usize>> {
        let mut distance = vec![None; self.nodes];
        self.initial.iter().for_each(|&node| distance[node] = Some(0));
        for round in 0..self.nodes {
            for &(from, to, ..) in &self.edges {
                if distance[from] == Some(round) && distance[to].is_none() {
                    distance[to] = Some(round + 1);
                }
            }
        }
        distance
    }

    /// From which nodes an accepted path starts: by disjunct of the condition, by the transitive
    /// closure of what it leaves.
    pub(crate) fn live(&self) -> Vec<bool> {
        let all = closure(self.nodes, self.edges.iter().map(|edge| (edge.0, edge.1)));
        let mut live = vec![false; self.nodes];
        for Disjunct { fin, inf } in self.condition.disjuncts(1 << 16).unwrap() {
            let kept = || self.edges.iter().filter(|edge| !edge.2.intersects(&fin));
            let reach = closure(self.nodes, kept().map(|edge| (edge.0, edge.1)));
            for node in (0..self.nodes).filter(|&node| reach[node][node]) {
                let there = |x: usize, y: usize| x == y || reach[x][y];
                let met = |mark| {
                    kept().any(|edge| {
                        edge.2.contains(mark) && there(node, edge.0) && there(edge.1, node)
                    })
                };
                if inf.iter().all(met) {
                    live[node] = true;
                    (0..self.nodes).filter(|&x| all[x][node]).for_each(|x| live[x] = true);
                }
            }
        }
        live
    }
}

fn closure(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes]; nodes];
    edges.for_each(|(from, to)| reach[from][to] = true);
    for k in 0..nodes {
        let onwards = reach[k].clone();
        for row in reach.iter_mut().filter(|row| row[k]) {
            row.iter_mut().zip(&onwards).for_each(|(reached, &next)| *reached |= next);
        }
    }
    reach
}

/// The length of a shortest word of a system that no live node of the product is reached by; `label`
/// says what the word reads in a step. By determinizing both: the states and the nodes that a word
/// leads to.
pub(crate) fn shortest_doomed(
    plain: &Plain,
    product: &PlainGraph,
    label: impl Fn(usize) -> usize,
) -> Option<usize> {
    let live = product.live();
    let start: (BTreeSet<usize>, BTreeSet<usize>) =
        (plain.initial.iter().copied().collect(), product.initial.iter().copied().collect());
    let doomed = |set: &(BTreeSet<usize>, BTreeSet<usize>)| !set.1.iter().any(|&node| live[node]);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut layer = vec![start];
    for length in 0.. {
        if layer.iter().any(doomed) {
            return Some(length);
        }
        let mut next = Vec::new();
        for (states, nodes) in layer {
            let mut after: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
            for (at, step) in plain.steps.iter().enumerate() {
                if states.contains(&step.from) {
                    after.entry(label(at)).or_default().0.insert(step.to);
                }
            }
            for &(from, to, _, at) in &product.edges {
                if nodes.contains(&from) {
                    after.get_mut(&label(at)).unwrap().1.insert(to);
                }
            }
            next.extend(after.into_values().filter(|sets| seen.insert(sets.clone())));
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    unreachable!("there are finitely many sets")
}
