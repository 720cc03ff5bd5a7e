//! A Büchi automaton made ready for subset constructions: only what can still be accepted, with
//! each edge saying what it means for the acceptance.

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge, StateId};
use crate::letters::{Label, Letters};
use crate::refused::BudgetError;
use crate::scc::Components;

/// Meaning of an edge for a run that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// It stays in its component and accepts.
    Accepting,
    /// It stays in a component that accepts by other edges.
    Plain,
    /// It is in no accepting component: it leaves one, or is on the way. A run takes such an edge
    /// finitely often or is rejected, so whatever was known of the run may be forgotten.
    Passing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NbaEdge {
    pub(crate) target: u32,
    pub(crate) label: Label,
    pub(crate) kind: Kind,
    /// It leads to another component, so a run takes it at most once.
    pub(crate) leaves: bool,
}

/// The prepared automaton. States are numbered anew; those with an empty language are gone.
#[derive(Clone, Debug)]
pub(crate) struct Nba {
    pub(crate) propositions: Vec<String>,
    pub(crate) letters: Letters,
    pub(crate) initial: Vec<u32>,
    pub(crate) edges: Vec<Vec<NbaEdge>>,
    /// States that are known to accept every word.
    pub(crate) universal: Vec<bool>,
    /// Most nodes of a history tree: every node but the root has a state of its own that is in an
    /// accepting component.
    pub(crate) ages: u32,
}

/// Whether the condition is one that [`Nba::new`] takes: `t`, `f`, or a disjunction of `Inf`.
pub(crate) fn is_buchi(acceptance: &Acceptance) -> bool {
    acceptance.inf_clauses().is_some_and(|clauses| clauses.len() <= 1)
}

impl Nba {
    /// Prepares an automaton whose condition [`is_buchi`].
    pub(crate) fn new(automaton: &Automaton) -> Result<Self, BudgetError> {
        let clauses = automaton.acceptance().inf_clauses().expect("a Büchi condition");
        debug_assert!(clauses.len() <= 1);
        let accepts = |edge: &Edge| {
            clauses.first().is_none_or(|marks| automaton.marks(edge.marks).intersects(marks))
        };
        let components = Components::of(automaton);
        let count = components.count();
        let (mut accepting, mut alive) = (vec![false; count], vec![false; count]);
        // Components come after those they lead to, so one pass knows all of the future.
        for id in components.ids() {
            for &state in components.members(id) {
                for edge in automaton.edges(state) {
                    let inside = components.together(state, edge.target);
                    accepting[id.index()] |= inside && accepts(edge);
                    let next = components.component(edge.target).expect("reached");
                    alive[id.index()] |= accepting[id.index()] || alive[next.index()];
                }
            }
        }
        // Where no cycle avoids the accepting edges, all edges may as well accept: the component
        // is weak, and a subset construction then needs no history for it.
        let roots: Vec<StateId> = automaton.states().filter(|&s| components.reached(s)).collect();
        let avoiding = Components::restricted(automaton, &roots, |state, edge| {
            components.together(state, edge.target) && !accepts(edge)
        });
        let mut weak = accepting.clone();
        for id in avoiding.ids().filter(|&id| !avoiding.is_trivial(id)) {
            let around = components.component(avoiding.members(id)[0]).expect("reached");
            weak[around.index()] = false;
        }

        let mut number = vec![u32::MAX; automaton.state_count()];
        let mut kept: Vec<StateId> = Vec::new();
        for state in automaton.states() {
            if components.component(state).is_some_and(|id| alive[id.index()]) {
                number[state.index()] = StateId::from_index(kept.len()).0;
                kept.push(state);
            }
        }
        let mut letters = automaton.letters().clone();
        let mut edges = Vec::with_capacity(kept.len());
        for &state in &kept {
            let component = components.component(state).expect("kept states are reached").index();
            let mut merged: HashMap<(u32, Kind), Label> = HashMap::new();
            for edge in automaton.edges(state) {
                let target = number[edge.target.index()];
                if target == u32::MAX {
                    continue;
                }
                let kind = if !components.together(state, edge.target) || !accepting[component] {
                    Kind::Passing
                } else if weak[component] || accepts(edge) {
                    Kind::Accepting
                } else {
                    Kind::Plain
                };
                let label = merged.entry((target, kind)).or_insert(Label::FALSE);
                *label = letters.or(*label, edge.label)?;
            }
            let mut list: Vec<NbaEdge> = merged
                .into_iter()
                .map(|((target, kind), label)| {
                    let leaves = !components.together(state, kept[target as usize]);
                    NbaEdge { target, label, kind, leaves }
                })
                .collect();
            list.sort_unstable_by_key(|edge| (edge.target, edge.kind));
            edges.push(list);
        }
        let mut initial: Vec<u32> = automaton
            .initial()
            .iter()
            .map(|state| number[state.index()])
            .filter(|&state| state != u32::MAX)
            .collect();
        initial.sort_unstable();
        initial.dedup();
        let stays: Vec<u32> = kept
            .iter()
            .map(|&state| components.component(state).expect("kept states are reached").0)
            .collect();
        let universal = universal(&mut letters, &edges, &stays)?;
        let lasting = stays.iter().filter(|&&component| accepting[component as usize]).count();
        Ok(Nba {
            propositions: automaton.propositions().to_vec(),
            letters,
            initial,
            universal,
            ages: StateId::from_index((lasting + 1).min(edges.len()).max(1)).0,
            edges,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }
}

/// The largest set of states that can read every letter without leaving the set, by edges that
/// accept or change the component. From such a state every word is accepted. (Others may accept
/// every word too; to know that takes the construction itself.)
fn universal(
    letters: &mut Letters,
    edges: &[Vec<NbaEdge>],
    component: &[u32],
) -> Result<Vec<bool>, BudgetError> {
    let mut universal = vec![true; edges.len()];
    // Components that others lead to first: what fails below is known above in the same pass.
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|&state| component[state]);
    loop {
        let mut changed = false;
        for &state in &order {
            if !universal[state] {
                continue;
            }
            let mut read = Label::FALSE;
            for edge in &edges[state] {
                let answers = edge.kind == Kind::Accepting || edge.leaves;
                if universal[edge.target as usize] && answers {
                    read = letters.or(read, edge.label)?;
                }
            }
            if read != Label::TRUE {
                universal[state] = false;
                changed = true;
            }
        }
        if !changed {
            return Ok(universal);
        }
    }
}
