//! Between the testkit's plain data and the automata under test.
//!
//! The translations are kept dumb: a mistake here would look like a mistake of an engine.

// `oracle_emptiness` has a copy of this module and uses a part of it.
#![allow(dead_code)]

use std::borrow::Cow;

use fairly_omega::{
    Acceptance, Automaton, Builder, Graph, Label, Lasso, Mark, MarkSet, MarkSetId, MarkTable, Prop,
    StateId, Step,
};
use fairly_testkit::{TinyCondition, TinyEdge, TinyGraph, TinyWord};
pub(crate) use fairly_testkit::{cases, first_seed};

/// Mark `m` becomes mark `m`.
pub(crate) const NARROW: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
/// Marks on both sides of every boundary in the representation of mark sets.
pub(crate) const WIDE: [u32; 8] = [127, 0, 128, 1_000_000, 64, 191, 192, 63];

/// The graph and the condition as an automaton with the same numbers.
pub(crate) fn automaton(graph: &TinyGraph, condition: &TinyCondition) -> Automaton {
    automaton_with_marks(graph, condition, &NARROW)
}

/// The same with mark `m` renumbered to `names[m]`.
pub(crate) fn automaton_with_marks(
    graph: &TinyGraph,
    condition: &TinyCondition,
    names: &[u32],
) -> Automaton {
    let propositions = (0..graph.propositions).map(|at| format!("p{at}")).collect();
    let mut builder = Builder::new(propositions);
    builder.add_states(graph.nodes);
    for &node in &graph.initial {
        builder.add_initial(StateId::from_index(node));
    }
    for edge in &graph.edges {
        let label = label(&mut builder, graph.propositions, edge.letters);
        builder.add_edge(
            StateId::from_index(edge.from),
            label,
            mark_set(edge.marks, names),
            StateId::from_index(edge.to),
        );
    }
    let used = graph.edges.iter().fold(0, |all, edge| all | edge.marks);
    let declared = mark_set(used, names).iter().last().map_or(0, |mark| mark.0 + 1);
    builder.set_acceptance(acceptance(condition, names), declared);
    builder.build()
}

fn label(builder: &mut Builder, propositions: u32, letters: u8) -> Label {
    let mut label = Label::FALSE;
    for letter in (0..1u32 << propositions).filter(|letter| letters >> letter & 1 == 1) {
        let literals: Vec<(Prop, bool)> =
            (0..propositions).map(|prop| (Prop(prop), letter >> prop & 1 == 1)).collect();
        let cube = builder.letters_mut().cube(&literals).expect("a tiny diagram");
        label = builder.letters_mut().or(label, cube).expect("a tiny diagram");
    }
    label
}

/// The set of marks with the bits of `marks`, renumbered.
pub(crate) fn mark_set(marks: u64, names: &[u32]) -> MarkSet {
    (0..64).filter(|bit| marks >> bit & 1 == 1).map(|bit: usize| Mark(names[bit])).collect()
}

/// The condition with mark `m` renumbered to `names[m]`.
pub(crate) fn acceptance(condition: &TinyCondition, names: &[u32]) -> Acceptance {
    match condition {
        TinyCondition::True => Acceptance::True,
        TinyCondition::False => Acceptance::False,
        TinyCondition::Inf(mark) => Acceptance::Inf(Mark(names[*mark as usize])),
        TinyCondition::Fin(mark) => Acceptance::Fin(Mark(names[*mark as usize])),
        TinyCondition::And(parts) => {
            Acceptance::and(parts.iter().map(|part| acceptance(part, names)))
        }
        TinyCondition::Or(parts) => {
            Acceptance::or(parts.iter().map(|part| acceptance(part, names)))
        }
    }
}

/// An automaton with at most 3 propositions and 64 marks as plain data: for judging what an
/// operation made.
pub(crate) fn tiny(automaton: &Automaton) -> (TinyGraph, TinyCondition) {
    let propositions = automaton.propositions().len();
    assert!(propositions <= 3, "{propositions} propositions are too many for the oracle");
    let mut edges = Vec::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let on = |letter: u32| {
                automaton.letters().holds(edge.label, |prop| letter >> prop.0 & 1 == 1)
            };
            edges.push(TinyEdge {
                from: state.index(),
                to: edge.target.index(),
                marks: automaton.marks(edge.marks).iter().fold(0, |set, mark| set | bit(mark)),
                letters: (0..1 << propositions)
                    .filter(|&letter| on(letter))
                    .fold(0, |set, letter| set | 1 << letter),
            });
        }
    }
    let graph = TinyGraph {
        nodes: automaton.state_count(),
        initial: automaton.initial().iter().map(|state| state.index()).collect(),
        propositions: propositions as u32,
        edges,
    };
    (graph, tiny_condition(automaton.acceptance()))
}

fn bit(mark: Mark) -> u64 {
    assert!(mark.0 < 64, "mark {mark} is too large for the oracle");
    1 << mark.0
}

fn tiny_condition(acceptance: &Acceptance) -> TinyCondition {
    let all = |parts: &[Acceptance]| parts.iter().map(tiny_condition).collect();
    match acceptance {
        Acceptance::True => TinyCondition::True,
        Acceptance::False => TinyCondition::False,
        Acceptance::Inf(mark) => TinyCondition::Inf(mark.0),
        Acceptance::Fin(mark) => TinyCondition::Fin(mark.0),
        Acceptance::And(parts) => TinyCondition::And(all(parts)),
        Acceptance::Or(parts) => TinyCondition::Or(all(parts)),
    }
}

/// Whether the oracle says that the automaton accepts the word.
pub(crate) fn oracle_accepts(automaton: &Automaton, word: &TinyWord) -> bool {
    let (graph, condition) = tiny(automaton);
    fairly_testkit::accepts_word(&graph, &condition, word)
}

/// A lasso of an engine as positions in `graph.edges`: stem and cycle. `node` says which node of
/// the graph a number in the lasso means.
pub(crate) fn lasso_edges(
    graph: &TinyGraph,
    lasso: &Lasso,
    node: impl Fn(StateId) -> usize,
) -> Result<(Vec<usize>, Vec<usize>), String> {
    let position = |hop: &fairly_omega::Hop| {
        // Edges without a letter are left out of automata, so they are not counted.
        let mut leaving = (0..graph.edges.len())
            .filter(|&at| graph.edges[at].from == node(hop.from) && graph.edges[at].letters != 0);
        let at = leaving
            .nth(hop.nth as usize)
            .ok_or_else(|| format!("{hop:?} takes a step that does not exist"))?;
        if graph.edges[at].to == node(hop.to) {
            Ok(at)
        } else {
            Err(format!("{hop:?} takes edge {at}, which leads to {}", graph.edges[at].to))
        }
    };
    let positions =
        |hops: &[fairly_omega::Hop]| hops.iter().map(position).collect::<Result<Vec<_>, _>>();
    Ok((positions(&lasso.stem)?, positions(&lasso.cycle)?))
}

/// A tiny graph that is explored on the fly: nodes are numbered in the order in which they are
/// first asked about, and mark sets are interned when an edge is first seen.
pub(crate) struct OnTheFly<'a> {
    graph: &'a TinyGraph,
    acceptance: Acceptance,
    marks: MarkTable,
    names: &'a [u32],
    met: Vec<usize>,
}

impl<'a> OnTheFly<'a> {
    pub(crate) fn new(
        graph: &'a TinyGraph,
        condition: &TinyCondition,
        names: &'a [u32],
    ) -> OnTheFly<'a> {
        let acceptance = acceptance(condition, names);
        OnTheFly { graph, acceptance, marks: MarkTable::new(), names, met: Vec::new() }
    }

    /// The node of the tiny graph behind a number.
    pub(crate) fn node(&self, id: StateId) -> usize {
        self.met[id.index()]
    }

    fn id(&mut self, node: usize) -> StateId {
        let known = self.met.iter().position(|&other| other == node);
        StateId::from_index(known.unwrap_or_else(|| {
            self.met.push(node);
            self.met.len() - 1
        }))
    }
}

impl Graph for OnTheFly<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        let graph = self.graph;
        graph.initial.iter().map(|&node| self.id(node)).collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let (graph, from) = (self.graph, self.node(node));
        for edge in graph.edges.iter().filter(|edge| edge.from == from && edge.letters != 0) {
            let target = self.id(edge.to);
            let marks = self.marks.intern(mark_set(edge.marks, self.names));
            steps.push(Step { target, marks });
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.marks.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}
