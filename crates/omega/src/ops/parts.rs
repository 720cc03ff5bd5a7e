//! Helpers for operations on several operands: propositions in common, marks without gaps, parts of an
//! automaton, and mark sets that are certain to be accepted or rejected.

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, Edge, StateId};
use crate::letters::{Import, Label, Letters, Prop};
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits, Resource};

/// The union of the propositions of several automata: those of the first, then what each next
/// one adds; and for each automaton the new position of its propositions.
pub(crate) fn join_propositions(automata: &[&Automaton]) -> (Vec<String>, Vec<Vec<Prop>>) {
    let mut propositions: Vec<String> = Vec::new();
    let mut known: HashMap<&str, Prop> = HashMap::new();
    let mut renames = Vec::with_capacity(automata.len());
    for automaton in automata {
        let mut rename = Vec::with_capacity(automaton.propositions().len());
        for name in automaton.propositions() {
            let fresh = Prop(u32::try_from(propositions.len()).expect("fewer than 2^32 names"));
            let prop = *known.entry(name.as_str()).or_insert(fresh);
            if prop == fresh {
                propositions.push(name.clone());
            }
            rename.push(prop);
        }
        renames.push(rename);
    }
    (propositions, renames)
}

/// The label of every edge of `automaton` in another store, in the order of
/// [`Automaton::all_edges`].
pub(crate) fn import_labels(
    automaton: &Automaton,
    rename: &[Prop],
    into: &mut Letters,
) -> Result<Vec<Label>, BudgetError> {
    let mut import = Import::new(automaton.letters(), rename);
    automaton.all_edges().iter().map(|edge| import.label(into, edge.label)).collect()
}

/// The position of a state's first edge in [`Automaton::all_edges`].
pub(crate) fn first_edges(automaton: &Automaton) -> Vec<usize> {
    let mut next = 0;
    automaton
        .states()
        .map(|state| {
            let first = next;
            next += automaton.edges(state).len();
            first
        })
        .collect()
}

/// An automaton's condition over marks without gaps: only the marks that the condition names are
/// kept, numbered from some offset in their old order.
pub(crate) struct Renumbered {
    pub(crate) acceptance: Acceptance,
    /// How many marks are left.
    pub(crate) width: u32,
    /// The new set of each old one, by the old set's id.
    pub(crate) sets: Vec<MarkSet>,
}

impl Renumbered {
    pub(crate) fn of(automaton: &Automaton, offset: u32) -> Self {
        let used: Vec<Mark> = automaton.acceptance().marks().iter().collect();
        let rename = |mark: Mark| {
            let at = used.binary_search(&mark).ok()?;
            Some(Mark(offset + u32::try_from(at).expect("a formula names fewer than 2^32 marks")))
        };
        Renumbered {
            acceptance: automaton
                .acceptance()
                .rename(|mark| rename(mark).expect("every mark of the condition is used")),
            width: u32::try_from(used.len()).expect("a formula names fewer than 2^32 marks"),
            sets: automaton.mark_table().iter().map(|(_, set)| set.map(rename)).collect(),
        }
    }
}

/// The automaton with only the states that `keep` lets pass and the edges that `edge` leaves,
/// changed as it likes; initial states, names and order are kept.
pub(crate) fn restrict(
    automaton: &Automaton,
    keep: impl Fn(StateId) -> bool,
    mut edge: impl FnMut(&mut Builder, StateId, &Edge) -> Option<Edge>,
) -> Automaton {
    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    let mut new: Vec<Option<StateId>> = vec![None; automaton.state_count()];
    for state in automaton.states().filter(|&state| keep(state)) {
        let fresh = builder.add_state();
        new[state.index()] = Some(fresh);
        if let Some(name) = automaton.state_name(state) {
            builder.set_state_name(fresh, name.to_owned());
        }
    }
    for &state in automaton.initial() {
        if let Some(fresh) = new[state.index()] {
            builder.add_initial(fresh);
        }
    }
    for state in automaton.states() {
        let Some(from) = new[state.index()] else { continue };
        for old in automaton.edges(state) {
            if new[old.target.index()].is_none() {
                continue;
            }
            if let Some(mut changed) = edge(&mut builder, state, old)
                && let Some(target) = new[changed.target.index()]
            {
                changed.target = target;
                builder.add_interned(from, changed);
            }
        }
    }
    builder.build()
}

/// A set of marks that the condition rejects when exactly these are seen again and again, or
/// `None` when it rejects nothing.
///
/// The marks under `Fin` are tried first: they reject every condition in which no mark is under
/// both `Fin` and `Inf`, unless it is `t` in disguise.
pub(crate) fn rejected_marks(acceptance: &Acceptance) -> Result<Option<MarkSet>, BudgetError> {
    let (fin, inf) = acceptance.polarity();
    if !acceptance.accepts(&fin) {
        return Ok(Some(fin));
    }
    if !fin.intersects(&inf) {
        return Ok(None);
    }
    let ways = acceptance.dual().disjuncts(MOST_DISJUNCTS)?;
    Ok(ways.into_iter().next().map(|way| way.inf))
}

/// A set of marks that the condition accepts, or `None` when it accepts nothing.
pub(crate) fn accepted_marks(acceptance: &Acceptance) -> Result<Option<MarkSet>, BudgetError> {
    rejected_marks(&acceptance.dual())
}

/// Most disjuncts (or clauses) of a condition that an operation works with.
pub(crate) const MOST_DISJUNCTS: usize = 4096;

/// Refuses a result that is larger than it may be.
pub(crate) fn within(builder: &Builder, limits: Limits) -> Result<(), BudgetError> {
    if builder.state_count() > limits.states {
        return Err(BudgetError { resource: Resource::States, limit: limits.states });
    }
    if builder.edge_count() > limits.edges {
        return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
    }
    Ok(())
}

/// Numbers keys in the order they come up.
#[derive(Clone, Debug)]
pub(crate) struct Numbering<K> {
    known: HashMap<K, StateId>,
    keys: Vec<K>,
    /// How many keys have been given by [`Numbering::next`].
    given: usize,
}

impl<K: Copy + Eq + std::hash::Hash> Numbering<K> {
    pub(crate) fn new() -> Self {
        Numbering { known: HashMap::new(), keys: Vec::new(), given: 0 }
    }

    /// The number of a key, a new one if it has none.
    pub(crate) fn id(&mut self, key: K) -> StateId {
        *self.known.entry(key).or_insert_with(|| {
            let id = StateId::from_index(self.keys.len());
            self.keys.push(key);
            id
        })
    }

    /// The number of a key, which is a state of an automaton that is built.
    pub(crate) fn state(&mut self, key: K, builder: &mut Builder) -> StateId {
        let state = self.id(key);
        builder.add_states(self.len() - builder.state_count());
        state
    }

    /// The next key, in the order of their numbers, until all of them have been given.
    pub(crate) fn next(&mut self) -> Option<(StateId, K)> {
        let &key = self.keys.get(self.given)?;
        self.given += 1;
        Some((StateId::from_index(self.given - 1), key))
    }

    /// The key with this number.
    pub(crate) fn key(&self, id: StateId) -> K {
        self.keys[id.index()]
    }

    /// All keys, by number.
    pub(crate) fn into_keys(self) -> Vec<K> {
        self.keys
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_marks_are_rejected() {
        let tautology = Acceptance::or([Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(0))]);
        assert_eq!(rejected_marks(&tautology), Ok(None));
        assert_eq!(rejected_marks(&Acceptance::True), Ok(None));
        let mixed = Acceptance::or([
            Acceptance::and([Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(1))]),
            Acceptance::and([Acceptance::Fin(Mark(1)), Acceptance::Inf(Mark(0))]),
        ]);
        for condition in [
            mixed,
            Acceptance::False,
            Acceptance::buchi(),
            Acceptance::co_buchi(),
            Acceptance::streett(3),
            Acceptance::rabin(3),
            Acceptance::parity(true, true, 4),
        ] {
            let marks = rejected_marks(&condition).unwrap().unwrap();
            assert!(!condition.accepts(&marks), "{condition} on {marks:?}");
            if condition != Acceptance::False {
                let marks = accepted_marks(&condition).unwrap().unwrap();
                assert!(condition.accepts(&marks), "{condition} on {marks:?}");
            }
        }
    }
}
