//! Schemes: the effect of a permutation of processes on values, written down once.
//!
//! A [`Scheme`] says which values are numbers of processes, and which arrays have them for indices. It is a
//! guess. The image of a model (`automorphism.rs`) is derived from it, and so is that of a packed state:
//! [`Scheme::shifts`] lists the cells that move, and a permutation of packed states must move the same ones.

use fairly_model::{Layout, Model, Strip};
use hashbrown::HashMap;

use super::permutations::Permutation;
use super::places::Domain;

/// A domain of numbers, by position in [`Scheme::domains`]; `None` for values that no permutation changes.
pub(super) type Kind = Option<usize>;

/// The domain of slot numbers.
pub(super) const SLOTS: usize = 0;

/// Meaning of the values of a variable and, of an array, of its indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) value: Kind,
    pub(super) index: Kind,
}

/// Which values are numbers of processes.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    /// The first is that of slot numbers.
    pub(super) domains: Vec<Domain>,
    pub(super) variables: Vec<Kinds>,
    /// By template.
    pub(super) locals: Vec<Vec<Kinds>>,
    /// By channel.
    pub(super) cells: Vec<Vec<Kind>>,
    /// By the first part of an event's name and the number of values behind it.
    pub(super) families: HashMap<(String, usize), Vec<Kind>>,
}

/// One value of a state that a permutation moves, changes, or both: where it is, by cell of an unpacked state,
/// where it goes, and what it is a number of.
pub(super) type Shift = (u32, u32, Kind);

impl Scheme {
    /// Nothing is a number but the number of a slot.
    pub(super) fn nameless(model: &Model) -> Scheme {
        let mut own = Domain::default();
        for slot in 0..model.slots.len() {
            own.insert(slot, i64::try_from(slot).expect("a slot"));
        }
        let none = Kinds::default();
        Scheme {
            domains: vec![own],
            variables: vec![none; model.variables.len()],
            locals: model.templates.iter().map(|it| vec![none; it.locals.len()]).collect(),
            cells: model.channels.iter().map(|it| vec![None; it.cells.len()]).collect(),
            families: HashMap::new(),
        }
    }

    /// Whether nothing is a number but the number of a slot.
    pub(super) fn is_nameless(&self) -> bool {
        let none = |kinds: &Kinds| *kinds == Kinds::default();
        self.variables.iter().all(none)
            && self.locals.iter().flatten().all(none)
            && self.cells.iter().flatten().all(Option::is_none)
            && self.families.is_empty()
    }

    /// The number that a number becomes.
    pub(super) fn after(&self, kind: Kind, value: i64, moved: &Permutation) -> i64 {
        kind.map_or(value, |domain| self.domains[domain].after(value, moved))
    }

    /// The values of a state that a permutation touches, in increasing order.
    pub(super) fn shifts(&self, layout: &Layout, moved: &Permutation) -> Vec<Shift> {
        let mut shifts = Vec::new();
        let is_stored = |strip: &Strip| (strip.cell as usize) < layout.state_cells;
        let array = |kinds: &Kinds, from: &Strip, to: &Strip, shifts: &mut Vec<Shift>| {
            if !is_stored(from) || (kinds == &Kinds::default() && from.cell == to.cell) {
                return;
            }
            let index = kinds.index.filter(|_| from.length > 1);
            for element in 0..from.length {
                let there = self.after(index, i64::from(element), moved);
                let there = u32::try_from(there).unwrap_or(element);
                shifts.push((from.cell + element, to.cell + there, kinds.value));
            }
        };
        for (strip, kinds) in layout.variables.iter().zip(&self.variables) {
            array(kinds, strip, strip, &mut shifts);
        }
        for (channel, kinds) in layout.channels.iter().zip(&self.cells) {
            for (column, &kind) in channel.columns.iter().zip(kinds) {
                shifts.extend(column.cells().map(|cell| {
                    let cell = u32::try_from(cell).expect("a cell");
                    (cell, cell, kind)
                }));
            }
        }
        for (slot, from) in layout.slots.iter().enumerate() {
            let to = &layout.slots[moved.of(slot)];
            for (from, to) in [(&from.kind, &to.kind), (&from.location, &to.location)] {
                shifts.push((from.cell, to.cell, None));
            }
            for (from, to) in from.variants.iter().zip(&to.variants) {
                let kinds = &self.locals[from.template.index()];
                for ((from, to), kinds) in from.locals.iter().zip(&to.locals).zip(kinds) {
                    array(kinds, from, to, &mut shifts);
                }
            }
        }
        if let Some(holder) = layout.holder {
            shifts.push((holder.cell, holder.cell, Some(SLOTS)));
        }
        shifts.retain(|(from, to, kind)| from != to || kind.is_some());
        shifts.sort_unstable();
        shifts
    }
}
