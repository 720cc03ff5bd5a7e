//! Networks of tiny components under fairness, judged by the definitions.
//!
//! Runs, enabled processes, ready events and fair runs are defined here once more, as shortly as possible, for
//! comparison with the crates that do it fast:
//!
//! - an event is taken jointly by all components that have it in their alphabet, or by one alone if
//!   it is interleaved; a state in which nothing is enabled has one idle step, and no other has;
//! - a run is fair when each [`TinyDemand`] is met on the steps that it takes infinitely often;
//! - whether a fair run exists that an automaton accepts is decided by trying *all* strongly
//!   connected sets of nodes of the product (there is no pruning that could be wrong), see
//!   [`live_nodes`]; [`as_graph`] hands the same question to [`crate::oracle`], which tries sets
//!   of edges or closed walks instead.
//!
//! ```
//! use fairly_testkit::network::*;
//! // Two components that loop on their own: a for ever is unfair to the second.
//! let own = |event| TinyComponent::of(1, &[event], &[(0, event, 0, None)]);
//! let network = TinyNetwork { components: vec![own(0), own(1)], events: 2, interleaved: vec![] };
//! let system = network.expand();
//! let never_b = TinyProperty::eventually_never(TinyProposition::Event(vec![1]));
//! let violated = |notion| has_fair_run(&system, &demands(&network, &system, notion), &never_b);
//! assert_eq!(violated(TinyNotion::None), Some(true));
//! assert_eq!(violated(TinyNotion::WeakProcess), Some(false));
//! ```
//!
//! One file on purpose, though a long one: an oracle is believed by reading it from top to bottom. Random networks
//! are made in `network/random.rs`.

mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use random::{NetworkShape, random_network, random_property, random_propositions};

use crate::condition::TinyCondition;
use crate::graph::{TinyEdge, TinyGraph};
use crate::words::{TinyWord, accepts_word};

/// Demand on a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TinyAnnotation {
    /// `wf`
    WeakFair,
    /// `sf`
    StrongFair,
    /// `wl`
    WeakLive,
    /// `sl`
    StrongLive,
}

impl TinyAnnotation {
    /// All of them.
    pub const ALL: [TinyAnnotation; 4] = [
        TinyAnnotation::WeakFair,
        TinyAnnotation::StrongFair,
        TinyAnnotation::WeakLive,
        TinyAnnotation::StrongLive,
    ];

    fn is_strong(self) -> bool {
        matches!(self, TinyAnnotation::StrongFair | TinyAnnotation::StrongLive)
    }

    fn is_live(self) -> bool {
        matches!(self, TinyAnnotation::WeakLive | TinyAnnotation::StrongLive)
    }
}

/// A local transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinyTransition {
    /// The local state it leaves.
    pub from: usize,
    /// Its event.
    pub event: usize,
    /// The local state it leads to.
    pub to: usize,
    /// Its demand.
    pub annotation: Option<TinyAnnotation>,
}

/// A component: local states `0..states`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyComponent {
    /// How many local states there are.
    pub states: usize,
    /// Where it may start.
    pub initial: Vec<usize>,
    /// The events it takes part in, those of its transitions among them.
    pub alphabet: Vec<usize>,
    /// Its transitions.
    pub transitions: Vec<TinyTransition>,
}

impl TinyComponent {
    /// A component that starts in state 0; transitions are `(from, event, to, annotation)`.
    pub fn of(
        states: usize,
        alphabet: &[usize],
        transitions: &[(usize, usize, usize, Option<TinyAnnotation>)],
    ) -> Self {
        let transition =
            |&(from, event, to, annotation)| TinyTransition { from, event, to, annotation };
        TinyComponent {
            states,
            initial: vec![0],
            alphabet: alphabet.to_vec(),
            transitions: transitions.iter().map(transition).collect(),
        }
    }

    fn offers(&self, state: usize, event: usize) -> bool {
        self.transitions.iter().any(|it| it.from == state && it.event == event)
    }
}

/// Components that synchronise on shared events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyNetwork {
    /// The components.
    pub components: Vec<TinyComponent>,
    /// Events are `0..events`.
    pub events: usize,
    /// Events that a component takes alone.
    pub interleaved: Vec<usize>,
}

impl fmt::Display for TinyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, component) in self.components.iter().enumerate() {
            write!(f, "P{at}{:?} over {:?}:", component.initial, component.alphabet)?;
            for TinyTransition { from, event, to, annotation } in &component.transitions {
                let annotation = annotation.map_or(String::new(), |it| format!("({it:?})"));
                write!(f, " {from} -e{event}{annotation}-> {to},")?;
            }
            write!(f, " ")?;
        }
        write!(f, "interleaving {:?}", self.interleaved)
    }
}

/// A step of the expanded system. No event and no moves: the idle step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyStep {
    /// The state it leaves, a position in [`TinySystem::states`].
    pub from: usize,
    /// The state it leads to.
    pub to: usize,
    /// Its event; `None` for the idle step.
    pub event: Option<usize>,
    /// Who takes part with which of its transitions: `(component, transition)`, ascending.
    pub moves: Vec<(usize, usize)>,
}

/// All reachable states of a network, and all steps between them.
#[derive(Clone, Debug)]
pub struct TinySystem {
    /// Tuples of local states.
    pub states: Vec<Vec<usize>>,
    /// Where runs start.
    pub initial: Vec<usize>,
    /// The steps.
    pub steps: Vec<TinyStep>,
}

impl TinyNetwork {
    /// The states that runs start in.
    fn starts(&self) -> Vec<Vec<usize>> {
        let mut starts: Vec<Vec<usize>> = vec![vec![]];
        for component in &self.components {
            let longer = starts.iter().flat_map(|start| {
                component.initial.iter().map(move |&state| [start.as_slice(), &[state]].concat())
            });
            starts = longer.collect();
        }
        starts
    }

    /// Joint moves that are possible in a state: the moves of each action.
    fn possible(&self, tuple: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        for event in 0..self.events {
            let local = |at: usize| -> Vec<(usize, usize)> {
                let numbered = self.components[at].transitions.iter().enumerate();
                let mine = numbered.filter(|(_, it)| it.from == tuple[at] && it.event == event);
                mine.map(|(number, _)| (at, number)).collect()
            };
            let members: Vec<usize> = (0..self.components.len())
                .filter(|&at| self.components[at].alphabet.contains(&event))
                .collect();
            if self.interleaved.contains(&event) {
                for at in members {
                    found.extend(local(at).into_iter().map(|it| vec![it]));
                }
            } else if !members.is_empty() {
                let mut ways: Vec<Vec<(usize, usize)>> = vec![vec![]];
                for at in members {
                    let choices = local(at);
                    let longer = ways.iter().flat_map(|way| {
                        choices.iter().map(move |&it| [way.as_slice(), &[it]].concat())
                    });
                    ways = longer.collect();
                }
                found.extend(ways);
            }
        }
        found
    }

    fn after(&self, tuple: &[usize], moves: &[(usize, usize)]) -> Vec<usize> {
        let mut next = tuple.to_vec();
        for &(at, number) in moves {
            next[at] = self.components[at].transitions[number].to;
        }
        next
    }

    /// The reachable system.
    pub fn expand(&self) -> TinySystem {
        let mut states: Vec<Vec<usize>> = Vec::new();
        let number = |states: &mut Vec<Vec<usize>>, tuple: Vec<usize>| {
            states.iter().position(|known| *known == tuple).unwrap_or_else(|| {
                states.push(tuple);
                states.len() - 1
            })
        };
        let initial: BTreeSet<usize> =
            self.starts().into_iter().map(|tuple| number(&mut states, tuple)).collect();
        let mut steps = Vec::new();
        let mut from = 0;
        while from < states.len() {
            let tuple = states[from].clone();
            let possible = self.possible(&tuple);
            if possible.is_empty() {
                steps.push(TinyStep { from, to: from, event: None, moves: vec![] });
            }
            for moves in possible {
                let (at, transition) = moves[0];
                let event = Some(self.components[at].transitions[transition].event);
                let to = number(&mut states, self.after(&tuple, &moves));
                steps.push(TinyStep { from, to, event, moves });
            }
            from += 1;
        }
        TinySystem { states, initial: initial.into_iter().collect(), steps }
    }
}

/// A demand on the steps that a run takes infinitely often: *when* and *then* of each step of the
/// system.
///
/// Weak: infinitely often not *when*, or *then*. Strong: *when* infinitely often implies *then*
/// infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TinyDemand {
    /// Strong or weak.
    pub strong: bool,
    /// Where something is owed, by step.
    pub when: Vec<bool>,
    /// Where it is given, by step.
    pub then: Vec<bool>,
}

impl TinyDemand {
    /// A demand whose *when* is about states and whose *then* is about steps.
    pub fn new(
        system: &TinySystem,
        strong: bool,
        when: impl Fn(usize) -> bool,
        then: impl Fn(&TinyStep) -> bool,
    ) -> Self {
        TinyDemand {
            strong,
            when: system.steps.iter().map(|step| when(step.from)).collect(),
            then: system.steps.iter().map(then).collect(),
        }
    }

    /// A constraint: enabled somewhere, and `chosen` is to be taken.
    pub fn of_enabled(
        system: &TinySystem,
        strong: bool,
        chosen: impl Fn(&TinyStep) -> bool,
    ) -> Self {
        let enabled =
            |state: usize| system.steps.iter().any(|step| step.from == state && chosen(step));
        TinyDemand::new(system, strong, enabled, &chosen)
    }

    /// Whether a run meets the demand that takes exactly these steps infinitely often.
    pub fn is_met(&self, steps: &[usize]) -> bool {
        let given = steps.iter().any(|&step| self.then[step]);
        if self.strong {
            given || !steps.iter().any(|&step| self.when[step])
        } else {
            given || steps.iter().any(|&step| !self.when[step])
        }
    }
}

/// A family of demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TinyNotion {
    /// None at all.
    None,
    /// Of every component.
    WeakProcess,
    /// Of every component.
    StrongProcess,
    /// `wf` of every event.
    WeakEvent,
    /// `sf` of every event.
    StrongEvent,
    /// Of every local transition.
    WeakAction,
    /// Of every local transition.
    StrongAction,
    /// `wl` of every event.
    WeakLive,
    /// `sl` of every event.
    StrongLive,
    /// Demands of the annotations on the event names.
    AnnotatedName,
    /// Demands of the annotations on the annotated transitions.
    AnnotatedOccurrence,
    /// Every step of a state that is visited infinitely often.
    Global,
}

impl TinyNotion {
    /// All of them.
    pub const ALL: [TinyNotion; 12] = [
        TinyNotion::None,
        TinyNotion::WeakProcess,
        TinyNotion::StrongProcess,
        TinyNotion::WeakEvent,
        TinyNotion::StrongEvent,
        TinyNotion::WeakAction,
        TinyNotion::StrongAction,
        TinyNotion::WeakLive,
        TinyNotion::StrongLive,
        TinyNotion::AnnotatedName,
        TinyNotion::AnnotatedOccurrence,
        TinyNotion::Global,
    ];
}

/// The demand of `kind` on an event, regardless of who takes or offers it.
pub fn event_demand(
    network: &TinyNetwork,
    system: &TinySystem,
    kind: TinyAnnotation,
    event: usize,
) -> TinyDemand {
    let taken = |step: &TinyStep| step.event == Some(event);
    if !kind.is_live() {
        return TinyDemand::of_enabled(system, kind.is_strong(), taken);
    }
    let ready = |state: usize| {
        let tuple = &system.states[state];
        network.components.iter().zip(tuple).any(|(component, &at)| component.offers(at, event))
    };
    TinyDemand::new(system, kind.is_strong(), ready, taken)
}

/// The demand of `kind` on transitions of one component.
pub fn moves_demand(
    network: &TinyNetwork,
    system: &TinySystem,
    kind: TinyAnnotation,
    component: usize,
    transitions: &[usize],
) -> TinyDemand {
    let taken = |step: &TinyStep| {
        step.moves.iter().any(|(at, number)| *at == component && transitions.contains(number))
    };
    if !kind.is_live() {
        return TinyDemand::of_enabled(system, kind.is_strong(), taken);
    }
    let ready = |state: usize| {
        let at = system.states[state][component];
        transitions.iter().any(|&it| network.components[component].transitions[it].from == at)
    };
    TinyDemand::new(system, kind.is_strong(), ready, taken)
}

/// The demand that a component moves.
pub fn process_demand(system: &TinySystem, strong: bool, component: usize) -> TinyDemand {
    TinyDemand::of_enabled(system, strong, |step| step.moves.iter().any(|it| it.0 == component))
}

/// The demands of a notion.
pub fn demands(network: &TinyNetwork, system: &TinySystem, notion: TinyNotion) -> Vec<TinyDemand> {
    let processes = |strong| -> Vec<TinyDemand> {
        (0..network.components.len()).map(|at| process_demand(system, strong, at)).collect()
    };
    let events = |kind| -> Vec<TinyDemand> {
        (0..network.events).map(|event| event_demand(network, system, kind, event)).collect()
    };
    let actions = |kind| -> Vec<TinyDemand> {
        let all = network.components.iter().enumerate();
        all.flat_map(|(at, component)| {
            (0..component.transitions.len())
                .map(move |number| moves_demand(network, system, kind, at, &[number]))
        })
        .collect()
    };
    match notion {
        TinyNotion::None => vec![],
        TinyNotion::WeakProcess => processes(false),
        TinyNotion::StrongProcess => processes(true),
        TinyNotion::WeakEvent => events(TinyAnnotation::WeakFair),
        TinyNotion::StrongEvent => events(TinyAnnotation::StrongFair),
        TinyNotion::WeakLive => events(TinyAnnotation::WeakLive),
        TinyNotion::StrongLive => events(TinyAnnotation::StrongLive),
        TinyNotion::WeakAction => actions(TinyAnnotation::WeakFair),
        TinyNotion::StrongAction => actions(TinyAnnotation::StrongFair),
        TinyNotion::AnnotatedName => {
            let transitions = network.components.iter().flat_map(|it| &it.transitions);
            let asked: BTreeSet<(usize, TinyAnnotation)> =
                transitions.filter_map(|it| it.annotation.map(|kind| (it.event, kind))).collect();
            let demand = |(event, kind)| event_demand(network, system, kind, event);
            asked.into_iter().map(demand).collect()
        }
        TinyNotion::AnnotatedOccurrence => {
            let mut asked: BTreeMap<(usize, usize, TinyAnnotation), Vec<usize>> = BTreeMap::new();
            for (at, component) in network.components.iter().enumerate() {
                for (number, it) in component.transitions.iter().enumerate() {
                    if let Some(kind) = it.annotation {
                        asked.entry((at, it.event, kind)).or_default().push(number);
                    }
                }
            }
            let demand = |((at, _, kind), transitions): (_, Vec<usize>)| {
                moves_demand(network, system, kind, at, &transitions)
            };
            asked.into_iter().map(demand).collect()
        }
        TinyNotion::Global => (0..system.steps.len())
            .map(|number| {
                let step = &system.steps[number];
                TinyDemand::new(system, true, |state| state == step.from, |other| other == step)
            })
            .collect(),
    }
}

/// Meaning of a proposition of a property's automaton for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TinyProposition {
    /// It has one of these events.
    Event(Vec<usize>),
    /// It is the idle step.
    Idle,
    /// The component is in this local state before the step.
    At(usize, usize),
}

/// An automaton that reads runs: of a property or of its negation.
#[derive(Clone, Debug)]
pub struct TinyProperty {
    /// The automaton, over at most three propositions.
    pub graph: TinyGraph,
    /// Which of its runs accept.
    pub condition: TinyCondition,
    /// Meanings of its propositions.
    pub propositions: Vec<TinyProposition>,
}

impl TinyProperty {
    /// Accepts every run.
    pub fn anything() -> Self {
        let graph = TinyGraph::of(1, &[(0, &[], 0)]);
        TinyProperty { graph, condition: TinyCondition::True, propositions: vec![] }
    }

    /// From some position on, never the proposition: the negation of "again and again".
    pub fn eventually_never(proposition: TinyProposition) -> Self {
        let mut graph = TinyGraph::of(2, &[(0, &[], 0), (0, &[], 1), (1, &[0], 1)]);
        graph.propositions = 1;
        for (edge, letters) in graph.edges.iter_mut().zip([0b11, 0b11, 0b01]) {
            edge.letters = letters;
        }
        let condition = TinyCondition::Inf(0);
        TinyProperty { graph, condition, propositions: vec![proposition] }
    }

    /// Letter that the automaton reads when the system takes a step.
    pub fn letter(&self, system: &TinySystem, step: &TinyStep) -> u8 {
        let holds = |proposition: &TinyProposition| match proposition {
            TinyProposition::Event(events) => step.event.is_some_and(|it| events.contains(&it)),
            TinyProposition::Idle => step.event.is_none(),
            TinyProposition::At(component, state) => system.states[step.from][*component] == *state,
        };
        let numbered = self.propositions.iter().enumerate();
        numbered.filter(|(_, it)| holds(it)).fold(0, |letter, (at, _)| letter | 1 << at)
    }
}

/// The product of a system and an automaton: all reachable pairs.
#[derive(Clone, Debug)]
pub struct TinyProduct {
    /// State of the system, node of the automaton.
    pub nodes: Vec<(usize, usize)>,
    /// The nodes to start in.
    pub initial: Vec<usize>,
    /// `(from, to, step of the system, marks of the automaton's edge)`
    pub edges: Vec<(usize, usize, usize, u64)>,
}

/// The product of a system and an automaton.
pub fn product(system: &TinySystem, property: &TinyProperty) -> TinyProduct {
    let mut nodes: Vec<(usize, usize)> = Vec::new();
    for &state in &system.initial {
        for &at in &property.graph.initial {
            nodes.push((state, at));
        }
    }
    let initial = (0..nodes.len()).collect();
    let mut edges = Vec::new();
    let mut from = 0;
    while from < nodes.len() {
        let (state, at) = nodes[from];
        for (number, step) in system.steps.iter().enumerate().filter(|(_, it)| it.from == state) {
            let letter = property.letter(system, step);
            let read = |edge: &&TinyEdge| edge.from == at && edge.letters >> letter & 1 == 1;
            for edge in property.graph.edges.iter().filter(read) {
                let target = (step.to, edge.to);
                let to = nodes.iter().position(|it| *it == target).unwrap_or_else(|| {
                    nodes.push(target);
                    nodes.len() - 1
                });
                edges.push((from, to, number, edge.marks));
            }
        }
        from += 1;
    }
    TinyProduct { nodes, initial, edges }
}

/// The most nodes of a strongly connected part whose subsets are tried.
pub const MOST_NODES: usize = 12;

/// From which nodes of the product an accepted fair run starts, by trying all strongly connected
/// sets of nodes with all the steps inside them.
///
/// Taking all steps inside a set is the best that a run can do there: only what is owed can speak
/// against a step, and that is the same for all steps of a state. `None` where this is not so (the
/// condition has a `Fin`, a strong demand's *when* depends on the step) and where there is too much
/// to try.
pub fn live_nodes(
    product: &TinyProduct,
    demands: &[TinyDemand],
    condition: &TinyCondition,
) -> Option<Vec<bool>> {
    let count = product.nodes.len();
    let uniform = |demand: &TinyDemand| {
        let same = |a: &(usize, usize, usize, u64), b: &(usize, usize, usize, u64)| {
            product.nodes[a.0].0 != product.nodes[b.0].0 || demand.when[a.2] == demand.when[b.2]
        };
        !demand.strong || product.edges.iter().all(|a| product.edges.iter().all(|b| same(a, b)))
    };
    if demands.len() > 128 || has_fin(condition) || !demands.iter().all(uniform) {
        return None;
    }
    let reach = closure(count, product.edges.iter().map(|edge| (edge.0, edge.1)));
    let mut live = vec![false; count];
    let mut tried = vec![false; count];
    for root in 0..count {
        // The nodes that lie on a closed walk through the root.
        let part: Vec<usize> =
            (root..count).filter(|&at| reach[root][at] && reach[at][root]).collect();
        if tried[root] || part.is_empty() {
            continue;
        }
        part.iter().for_each(|&at| tried[at] = true);
        if part.len() > MOST_NODES {
            return None;
        }
        if some_set_is_fair(product, demands, condition, &part) {
            for at in 0..count {
                live[at] |= at == root || reach[at][root];
            }
        }
    }
    Some(live)
}

/// Which node is reached from which by one step or more.
fn closure(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; count]; count];
    for (from, to) in edges {
        reach[from][to] = true;
    }
    for middle in 0..count {
        for from in 0..count {
            if reach[from][middle] {
                let onward = reach[middle].clone();
                for (reached, further) in reach[from].iter_mut().zip(onward) {
                    *reached = *reached || further;
                }
            }
        }
    }
    reach
}

fn has_fin(condition: &TinyCondition) -> bool {
    match condition {
        TinyCondition::Fin(_) => true,
        TinyCondition::And(parts) | TinyCondition::Or(parts) => parts.iter().any(has_fin),
        _ => false,
    }
}

fn some_set_is_fair(
    product: &TinyProduct,
    demands: &[TinyDemand],
    condition: &TinyCondition,
    part: &[usize],
) -> bool {
    struct Inside {
        from: u32,
        to: u32,
        marks: u64,
        /// Bit `d`: what demand `d` wants is owed, or given.
        owed: u128,
        given: u128,
    }
    let place = |node: usize| part.iter().position(|&it| it == node);
    let bits = |of: &dyn Fn(&TinyDemand) -> bool| -> u128 {
        let numbered = demands.iter().enumerate();
        numbered.filter(|(_, it)| of(it)).fold(0, |set, (at, _)| set | 1 << at)
    };
    let inside: Vec<Inside> = product
        .edges
        .iter()
        .filter_map(|&(from, to, step, marks)| {
            Some(Inside {
                from: 1 << place(from)?,
                to: 1 << place(to)?,
                marks,
                owed: bits(&|it| it.strong && it.when[step]),
                given: bits(&|it| it.then[step] || (!it.strong && !it.when[step])),
            })
        })
        .collect();
    let weak = bits(&|it| !it.strong);
    let (mut after, mut before) = (vec![0u32; part.len()], vec![0u32; part.len()]);
    for edge in &inside {
        after[edge.from.trailing_zeros() as usize] |= edge.to;
        before[edge.to.trailing_zeros() as usize] |= edge.from;
    }
    // Nodes that are reached inside the set from its first node.
    let reached = |set: u32, next: &[u32]| {
        let mut found = set & set.wrapping_neg();
        loop {
            let ahead = (0..part.len()).filter(|at| found >> at & 1 == 1);
            let more = ahead.fold(found, |all, at| all | next[at] & set);
            if more == found {
                return found;
            }
            found = more;
        }
    };
    (1u32..1 << part.len()).any(|set| {
        if reached(set, &after) != set || reached(set, &before) != set {
            return false;
        }
        let (mut marks, mut owed, mut given, mut any) = (0, weak, 0, false);
        for edge in inside.iter().filter(|it| set & it.from != 0 && set & it.to != 0) {
            any = true;
            marks |= edge.marks;
            owed |= edge.owed;
            given |= edge.given;
        }
        any && owed & !given == 0 && condition.accepts(marks)
    })
}

/// The same question for [`crate::oracle`]: the product as a graph, with marks for the demands.
/// `None` with more than 64 marks.
pub fn as_graph(
    product: &TinyProduct,
    demands: &[TinyDemand],
    condition: &TinyCondition,
    marks: u32,
) -> Option<(TinyGraph, TinyCondition)> {
    if marks as usize + 2 * demands.len() > 64 {
        return None;
    }
    let mut parts = vec![condition.clone()];
    for (demand, at) in demands.iter().zip((marks..).step_by(2)) {
        parts.push(if demand.strong {
            TinyCondition::streett_pair(at, at + 1)
        } else {
            TinyCondition::Inf(at)
        });
    }
    let edge = |&(from, to, step, carried): &(usize, usize, usize, u64)| {
        let mut set = carried;
        for (demand, at) in demands.iter().zip((marks..).step_by(2)) {
            let (when, then) = (demand.when[step], demand.then[step]);
            let (first, second) = if demand.strong { (when, then) } else { (!when || then, false) };
            set |= u64::from(first) << at | u64::from(second) << (at + 1);
        }
        TinyEdge { from, to, marks: set, letters: 1 }
    };
    let graph = TinyGraph {
        nodes: product.nodes.len(),
        initial: product.initial.clone(),
        propositions: 0,
        edges: product.edges.iter().map(edge).collect(),
    };
    Some((graph, TinyCondition::And(parts)))
}

/// Whether some fair run is accepted by the automaton; with the automaton of a property's negation,
/// whether the property is violated. `None` if there is too much to try.
pub fn has_fair_run(
    system: &TinySystem,
    demands: &[TinyDemand],
    property: &TinyProperty,
) -> Option<bool> {
    let product = product(system, property);
    let live = live_nodes(&product, demands, &property.condition)?;
    Some(product.initial.iter().any(|&node| live[node]))
}

/// Whether there is a fair run at all.
pub fn is_feasible(system: &TinySystem, demands: &[TinyDemand]) -> Option<bool> {
    has_fair_run(system, demands, &TinyProperty::anything())
}

/// Whether every reachable state has a fair continuation.
pub fn is_machine_closed(system: &TinySystem, demands: &[TinyDemand]) -> Option<bool> {
    let product = product(system, &TinyProperty::anything());
    let live = live_nodes(&product, demands, &TinyCondition::True)?;
    Some(live.iter().all(|&live| live))
}

/// How relative liveness reads a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefixes {
    /// As a word: events and propositions.
    Traces,
    /// As a run: the steps themselves.
    Runs,
}

/// Whether every finite prefix of the system has a continuation that the automaton accepts (the
/// automaton of the property itself, not of its negation), by exploring what may be known after a
/// prefix: the state or states of the system, and the product nodes with a future.
pub fn holds_inherently(
    system: &TinySystem,
    property: &TinyProperty,
    prefixes: Prefixes,
) -> Option<bool> {
    let product = product(system, property);
    let live = live_nodes(&product, &[], &property.condition)?;
    type Known = (BTreeSet<usize>, BTreeSet<usize>);
    let start = |states: BTreeSet<usize>| -> Known {
        let nodes = product.initial.iter().copied();
        let nodes = nodes.filter(|&it| live[it] && states.contains(&product.nodes[it].0)).collect();
        (states, nodes)
    };
    let mut open: Vec<Known> = match prefixes {
        Prefixes::Traces => vec![start(system.initial.iter().copied().collect())],
        Prefixes::Runs => system.initial.iter().map(|&it| start(BTreeSet::from([it]))).collect(),
    };
    let mut known: BTreeSet<Known> = BTreeSet::new();
    while let Some((states, nodes)) = open.pop() {
        if nodes.is_empty() {
            return Some(false);
        }
        if !known.insert((states.clone(), nodes.clone())) {
            continue;
        }
        let from_here =
            (0..system.steps.len()).filter(|&it| states.contains(&system.steps[it].from));
        // Steps that look the same lead to one successor together.
        let mut groups: BTreeMap<(Option<usize>, u8, usize), BTreeSet<usize>> = BTreeMap::new();
        for number in from_here {
            let step = &system.steps[number];
            let key = match prefixes {
                Prefixes::Traces => (step.event, property.letter(system, step), 0),
                Prefixes::Runs => (None, 0, number),
            };
            groups.entry(key).or_default().insert(number);
        }
        for steps in groups.into_values() {
            let taken = |it: &&(usize, usize, usize, u64)| {
                steps.contains(&it.2) && nodes.contains(&it.0) && live[it.1]
            };
            let next = product.edges.iter().filter(taken).map(|it| it.1).collect();
            open.push((steps.iter().map(|&it| system.steps[it].to).collect(), next));
        }
    }
    Some(true)
}

/// A run: moves `(component, transition)` of each step, none for the idle step.
#[derive(Clone, Debug)]
pub struct TinyRun {
    /// The local states it starts in.
    pub start: Vec<usize>,
    /// The steps that are taken once.
    pub stem: Vec<Vec<(usize, usize)>>,
    /// The steps that are taken for ever.
    pub cycle: Vec<Vec<(usize, usize)>>,
}

/// Judges a run: it starts in an initial state, every step is one that the components can take
/// there, the cycle closes, the demands are met on it, and the automaton accepts.
///
/// # Errors
/// The error, in words.
pub fn judge_run(
    network: &TinyNetwork,
    system: &TinySystem,
    demands: &[TinyDemand],
    property: &TinyProperty,
    run: &TinyRun,
) -> Result<(), String> {
    if !network.starts().contains(&run.start) {
        return Err(format!("{:?} is not initial", run.start));
    }
    if run.cycle.is_empty() {
        return Err("the cycle is empty".into());
    }
    let mut at = run.start.clone();
    let mut head = at.clone();
    let mut taken = Vec::new();
    for (position, moves) in run.stem.iter().chain(&run.cycle).enumerate() {
        if position == run.stem.len() {
            head.clone_from(&at);
        }
        can_happen(network, &at, moves).map_err(|wrong| format!("step {position}: {wrong}"))?;
        let state = system.states.iter().position(|it| *it == at);
        let step = system
            .steps
            .iter()
            .position(|it| Some(it.from) == state && it.moves == *moves)
            .ok_or_else(|| format!("step {position}: the expanded system has no such step"))?;
        taken.push(step);
        at = network.after(&at, moves);
    }
    if at != head {
        return Err(format!("the cycle starts in {head:?} but ends in {at:?}"));
    }
    let cycle = &taken[run.stem.len()..];
    if let Some(number) = demands.iter().position(|it| !it.is_met(cycle)) {
        return Err(format!("demand {number} is not met: {:?} on {cycle:?}", demands[number]));
    }
    let letters: Vec<u8> =
        taken.iter().map(|&it| property.letter(system, &system.steps[it])).collect();
    let (stem, cycle) = letters.split_at(run.stem.len());
    let word = TinyWord { stem: stem.to_vec(), cycle: cycle.to_vec() };
    if !accepts_word(&property.graph, &property.condition, &word) {
        return Err(format!("the automaton does not accept {word}"));
    }
    Ok(())
}

/// Whether the components can take these moves together, asked move by move.
fn can_happen(
    network: &TinyNetwork,
    tuple: &[usize],
    moves: &[(usize, usize)],
) -> Result<(), String> {
    let Some(&(first, number)) = moves.first() else {
        let offers = |at: usize, event: usize| network.components[at].offers(tuple[at], event);
        let members = |event: usize| {
            (0..tuple.len()).filter(move |&at| network.components[at].alphabet.contains(&event))
        };
        let enabled = (0..network.events).find(|&event| {
            if network.interleaved.contains(&event) {
                members(event).any(|at| offers(at, event))
            } else {
                members(event).count() > 0 && members(event).all(|at| offers(at, event))
            }
        });
        return match enabled {
            Some(event) => Err(format!("it idles although event {event} is enabled")),
            None => Ok(()),
        };
    };
    let event = network.components[first].transitions[number].event;
    for &(at, number) in moves {
        let transition = &network.components[at].transitions[number];
        if transition.event != event {
            return Err(format!("events {event} and {} in one step", transition.event));
        }
        if transition.from != tuple[at] {
            return Err(format!("component {at} is in {}, not {}", tuple[at], transition.from));
        }
    }
    let who: Vec<usize> = moves.iter().map(|it| it.0).collect();
    let members: Vec<usize> =
        (0..tuple.len()).filter(|&at| network.components[at].alphabet.contains(&event)).collect();
    let right = if network.interleaved.contains(&event) { who.len() == 1 } else { who == members };
    if right { Ok(()) } else { Err(format!("event {event} taken by {who:?} of {members:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{MOST_EDGES, has_accepting_run_by_lassos, has_accepting_run_by_subsets};
    use crate::rng::Rng;

    #[test]
    fn sets_of_nodes_agree_with_sets_of_edges_and_with_walks() {
        let (mut by_edges, mut by_walks, mut yes, mut no) = (0, 0, 0, 0);
        for seed in 0..1_500 {
            let mut rng = Rng::new(seed);
            let shape = NetworkShape { most_components: 2, ..NetworkShape::default() };
            let network = random_network(&mut rng, &shape);
            let system = network.expand();
            let property = random_property(&mut rng, &network);
            let product = product(&system, &property);
            for notion in TinyNotion::ALL {
                let demands = demands(&network, &system, notion);
                let Some(answer) = has_fair_run(&system, &demands, &property) else { continue };
                *(if answer { &mut yes } else { &mut no }) += 1;
                let Some((graph, condition)) = as_graph(&product, &demands, &property.condition, 2)
                else {
                    continue;
                };
                if graph.edges.len() <= MOST_EDGES.min(12) {
                    by_edges += 1;
                    let other = has_accepting_run_by_subsets(&graph, &condition);
                    assert_eq!(answer, other, "seed {seed}, {notion:?}: {network}");
                }
                if demands.len() <= 4 && graph.nodes <= 8 {
                    by_walks += 1;
                    let other = has_accepting_run_by_lassos(&graph, &condition);
                    assert_eq!(answer, other, "seed {seed}, {notion:?}: {network}");
                }
            }
        }
        assert!(
            by_edges > 3_000 && by_walks > 3_000 && yes > 1_000 && no > 1_000,
            "{by_edges} {by_walks} {yes} {no}"
        );
    }

    #[test]
    fn notions_are_ordered_by_strength() {
        // A property that holds under one notion holds under a stronger one, so a fair run of the stronger is
        // one of the weaker (docs/papers.md 0-7).
        use TinyNotion::*;
        let chains: [&[TinyNotion]; 4] = [
            &[None, WeakProcess, StrongProcess, Global],
            &[None, WeakEvent, StrongEvent, Global],
            &[None, WeakEvent, WeakLive, StrongLive],
            &[StrongEvent, StrongLive],
        ];
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let network = random_network(&mut rng, &NetworkShape::default());
            let system = network.expand();
            let property = random_property(&mut rng, &network);
            let runs = |notion: &TinyNotion| {
                has_fair_run(&system, &demands(&network, &system, *notion), &property)
            };
            for chain in chains {
                let answers: Vec<bool> = chain.iter().filter_map(runs).collect();
                assert!(answers.is_sorted_by(|a, b| a >= b), "seed {seed}: {chain:?} {network}");
            }
        }
    }

    #[test]
    fn runs_are_judged() {
        // 0 -a-> 0, and a component that can stop the first with d, which blocks a.
        let loops = TinyComponent::of(2, &[0, 1], &[(0, 0, 0, None), (0, 1, 1, None)]);
        let network = TinyNetwork { components: vec![loops], events: 2, interleaved: vec![] };
        let system = network.expand();
        assert_eq!((system.states.len(), system.steps.len()), (2, 3));
        let weak = demands(&network, &system, TinyNotion::WeakEvent);
        let judge = |stem: &[&[(usize, usize)]], cycle: &[&[(usize, usize)]]| {
            let steps = |moves: &[&[(usize, usize)]]| moves.iter().map(|it| it.to_vec()).collect();
            let run = TinyRun { start: vec![0], stem: steps(stem), cycle: steps(cycle) };
            judge_run(&network, &system, &weak, &TinyProperty::anything(), &run)
        };
        assert_eq!(judge(&[&[(0, 1)]], &[&[]]), Ok(()));
        let wrong = |stem: &[&[(usize, usize)]], cycle: &[&[(usize, usize)]]| {
            judge(stem, cycle).unwrap_err()
        };
        assert!(wrong(&[], &[&[(0, 0)]]).contains("demand 1"));
        assert!(wrong(&[], &[&[]]).contains("it idles"));
        assert!(wrong(&[&[(0, 1)]], &[&[(0, 0)]]).contains("component 0 is in 1"));
        assert!(wrong(&[], &[&[(0, 1)]]).contains("ends in"));
        assert!(wrong(&[], &[]).contains("empty"));
    }
}
