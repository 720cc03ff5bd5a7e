//! Numbers for pairs of a state of the system and a state of the automaton.

use std::hash::BuildHasher;

use fairly_omega::StateId;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Automata with so many states at the most have their pairs numbered by position. An engine keeps
/// four bytes a number, so what that wastes on pairs that do not occur is less than a table costs.
const NARROW: usize = 8;

/// Pairs and their numbers.
pub(super) enum Nodes {
    /// `state · width + at`: nothing is stored, and nothing is looked up.
    ByPosition { width: u32 },
    /// In the order in which they are met; about 20 bytes each.
    AsMet { pairs: Vec<(StateId, StateId)>, numbers: HashTable<u32>, hasher: DefaultHashBuilder },
}

impl Nodes {
    /// For an automaton with so many states.
    pub(super) fn new(automaton_states: usize) -> Self {
        match u32::try_from(automaton_states.max(1)) {
            Ok(width) if automaton_states <= NARROW => Nodes::ByPosition { width },
            _ => Nodes::AsMet {
                pairs: Vec::new(),
                numbers: HashTable::new(),
                hasher: DefaultHashBuilder::default(),
            },
        }
    }

    /// The number of a pair; `None` when the numbers have run out.
    #[inline]
    pub(super) fn number(&mut self, state: StateId, at: StateId) -> Option<StateId> {
        match self {
            Nodes::ByPosition { width } => {
                state.0.checked_mul(*width)?.checked_add(at.0).map(StateId)
            }
            Nodes::AsMet { pairs, numbers, hasher } => {
                number_as_met(pairs, numbers, hasher, (state, at))
            }
        }
    }

    /// The pair with a number.
    pub(super) fn pair(&self, node: StateId) -> (StateId, StateId) {
        match self {
            Nodes::ByPosition { width } => (StateId(node.0 / width), StateId(node.0 % width)),
            Nodes::AsMet { pairs, .. } => pairs[node.index()],
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Nodes::ByPosition { .. } => 0,
            Nodes::AsMet { pairs, numbers, .. } => {
                pairs.capacity() * size_of::<(StateId, StateId)>() + numbers.allocation_size()
            }
        }
    }
}

fn number_as_met(
    pairs: &mut Vec<(StateId, StateId)>,
    numbers: &mut HashTable<u32>,
    hasher: &DefaultHashBuilder,
    pair: (StateId, StateId),
) -> Option<StateId> {
    let is_same = |&number: &u32| pairs[number as usize] == pair;
    let rehash = |&number: &u32| hasher.hash_one(pairs[number as usize]);
    match numbers.entry(hasher.hash_one(pair), is_same, rehash) {
        Entry::Occupied(known) => Some(StateId(*known.get())),
        Entry::Vacant(free) => {
            let number = u32::try_from(pairs.len()).ok()?;
            free.insert(number);
            pairs.push(pair);
            Some(StateId(number))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_from_their_numbers() {
        for width in [1, 3, NARROW, NARROW + 1, 1000] {
            let mut nodes = Nodes::new(width);
            for (state, at) in [(0, 0), (7, width - 1), (7, 0), (7, width - 1), (1_000_000, 0)] {
                let pair = (StateId::from_index(state), StateId::from_index(at));
                let number = nodes.number(pair.0, pair.1).unwrap();
                assert_eq!(nodes.pair(number), pair, "width {width}");
                assert_eq!(nodes.number(pair.0, pair.1), Some(number));
            }
        }
    }

    #[test]
    fn numbers_that_run_out_are_no_numbers() {
        let mut nodes = Nodes::new(2);
        assert!(nodes.number(StateId(u32::MAX / 2), StateId(1)).is_some());
        assert_eq!(nodes.number(StateId(u32::MAX / 2 + 1), StateId(0)), None);
    }
}
