//! Events with all their data, and sets of them: alphabets and what is hidden.

use std::fmt::Write as _;

use hashbrown::{HashMap, HashSet};

use crate::csp::syntax::{EventId, Specification};

/// An event whose data are known: `get.0.1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Concrete {
    /// The first word.
    pub(super) family: EventId,
    /// The data.
    pub(super) values: Vec<i64>,
}

impl Concrete {
    /// As it is written.
    pub(super) fn name(&self, specification: &Specification) -> String {
        let mut name = specification.events[self.family.index()].clone();
        for value in &self.values {
            write!(name, ".{value}").expect("a string takes everything");
        }
        name
    }
}

/// A set of events in [`Sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetId(u32);

/// Sets of events, each stored once.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sets: Vec<HashSet<Concrete>>,
    ids: HashMap<Vec<Concrete>, SetId>,
}

impl Sets {
    /// The set with these events.
    pub(super) fn intern(&mut self, events: HashSet<Concrete>) -> SetId {
        let mut sorted: Vec<Concrete> = events.iter().cloned().collect();
        sorted.sort();
        let sets = &mut self.sets;
        *self.ids.entry(sorted).or_insert_with(|| {
            sets.push(events);
            SetId(u32::try_from(sets.len() - 1).expect("fewer than 2^32 sets"))
        })
    }

    /// The events of a set.
    pub(super) fn get(&self, id: SetId) -> &HashSet<Concrete> {
        &self.sets[id.0 as usize]
    }
}
