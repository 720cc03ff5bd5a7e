//! Places of a process beside its slot, which a permutation moves with it: cells of arrays that its number is
//! the index of, and its number wherever it is kept.
//!
//! The state that stands for others has the slots of each group sorted by what belongs to them. Of a
//! process that another one keeps the number of, what belongs to the other is looked at too, as far as
//! sorting has told processes apart; what is not told apart so stays in its order. So two states that are the
//! same up to a permutation may be represented by different ones where processes know each other. That costs
//! states and is never wrong: any state of an orbit may stand for it, since the permutation is remembered.

use fairly_model::Strip;
use hashbrown::HashMap;

use super::permutations::Permutation;
use super::scheme::Shift;

/// One value of a state.
pub(super) type Cell = (Strip, u32);

/// The numbers by which processes are known somewhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Domain {
    /// By slot that is permuted.
    pub(super) numbers: HashMap<usize, i64>,
    pub(super) slots: HashMap<i64, usize>,
}

impl Domain {
    /// A process has a number; `false` if it has another one, or another has this one.
    pub(super) fn insert(&mut self, slot: usize, number: i64) -> bool {
        let known = *self.numbers.entry(slot).or_insert(number);
        let same = *self.slots.entry(number).or_insert(slot);
        (known, same) == (number, slot)
    }

    pub(super) fn after(&self, value: i64, moved: &Permutation) -> i64 {
        self.slots.get(&value).map_or(value, |&slot| self.numbers[&moved.of(slot)])
    }
}

/// A number of a process that is kept in no slot that is permuted.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) cell: Cell,
    pub(super) domain: usize,
    /// It is there if this has the value, or is greater than it.
    pub(super) only_if: Option<(Strip, Need)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    Is(i64),
    Above(i64),
}

impl Reference {
    fn is_there(&self, words: &[u64]) -> bool {
        self.only_if.is_none_or(|(strip, need)| match need {
            Need::Is(value) => strip.get(words, 0) == value,
            Need::Above(value) => strip.get(words, 0) > value,
        })
    }
}

/// The same value of each process of a group, in the order of the group.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) cells: Vec<Cell>,
    /// If it is the number of a process.
    pub(super) domain: Option<usize>,
}

/// A value for every two processes, one of a group and any.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// By process of the group: the cells, by slot.
    pub(super) cells: Vec<HashMap<usize, Cell>>,
    pub(super) domain: Option<usize>,
}

/// Places of the processes of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Belongings {
    pub(super) slots: Vec<usize>,
    pub(super) columns: Vec<Column>,
    pub(super) matrices: Vec<Matrix>,
}

/// Everything that a permutation moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) groups: Vec<Belongings>,
    pub(super) domains: Vec<Domain>,
    pub(super) references: Vec<Reference>,
    pub(super) holder: Option<Strip>,
}

/// Processes of a group with what they are sorted by.
pub(super) struct Sorted {
    /// By slot: how many kinds of processes of its group come before it.
    pub(super) ranks: HashMap<usize, usize>,
    /// Whether processes of the same rank can be permuted without any change.
    pub(super) is_exact: bool,
}

/// By slot: its position among these.
pub(super) fn positions(slots: &[usize]) -> HashMap<usize, usize> {
    slots.iter().enumerate().map(|(at, &slot)| (slot, at)).collect()
}

fn get((strip, element): Cell, words: &[u64]) -> i64 {
    strip.get(words, element)
}

impl Places {
    /// Permutes processes of a packed state.
    pub(super) fn permute(&self, words: &mut [u64], moved: &Permutation) {
        let before = words.to_vec();
        let after = |domain: Option<usize>, value: i64| match domain {
            Some(domain) => self.domains[domain].after(value, moved),
            None => value,
        };
        for group in &self.groups {
            let places = positions(&group.slots);
            for (at, &slot) in group.slots.iter().enumerate() {
                let to = places[&moved.of(slot)];
                for Column { cells, domain } in &group.columns {
                    let value = after(*domain, get(cells[at], &before));
                    let (strip, element) = cells[to];
                    strip.set(words, element, value);
                }
                for Matrix { cells, domain } in &group.matrices {
                    for (&other, &cell) in &cells[at] {
                        let value = after(*domain, get(cell, &before));
                        let (strip, element) = cells[to][&moved.of(other)];
                        strip.set(words, element, value);
                    }
                }
            }
        }
        for reference in self.references.iter().filter(|it| it.is_there(&before)) {
            let (strip, element) = reference.cell;
            let value = after(Some(reference.domain), get(reference.cell, &before));
            strip.set(words, element, value);
        }
        if let Some(strip) = self.holder
            && let Ok(slot) = usize::try_from(strip.get(&before, 0))
        {
            strip.set(words, 0, i64::try_from(moved.of(slot)).expect("a slot"));
        }
    }

    /// The values of a state that a permutation touches, but for the process that holds.
    pub(super) fn shifts(&self, moved: &Permutation) -> Vec<Shift> {
        let number = |(strip, element): Cell| strip.cell + element;
        let mut shifts = Vec::new();
        for group in &self.groups {
            let places = positions(&group.slots);
            for (at, &slot) in group.slots.iter().enumerate() {
                let to = places[&moved.of(slot)];
                for Column { cells, domain } in &group.columns {
                    shifts.push((number(cells[at]), number(cells[to]), *domain));
                }
                for Matrix { cells, domain } in &group.matrices {
                    for (&other, &cell) in &cells[at] {
                        let there = cells[to][&moved.of(other)];
                        shifts.push((number(cell), number(there), *domain));
                    }
                }
            }
        }
        for Reference { cell, domain, only_if: _ } in &self.references {
            shifts.push((number(*cell), number(*cell), Some(*domain)));
        }
        shifts
    }

    /// Sorts the processes of a packed state by what belongs to them.
    pub(super) fn sort(&self, words: &[u64]) -> Sorted {
        let holder = self.holder.and_then(|strip| usize::try_from(strip.get(words, 0)).ok());
        let mut kept: HashMap<usize, Vec<i64>> = HashMap::new();
        for (at, reference) in (0i64..).zip(&self.references) {
            let value = get(reference.cell, words);
            if let Some(&slot) = self.domains[reference.domain].slots.get(&value)
                && reference.is_there(words)
            {
                kept.entry(slot).or_default().push(at);
            }
        }
        let mut ranks: HashMap<usize, usize> = HashMap::new();
        let mut kinds = 0;
        loop {
            let mut found = 0;
            let mut is_exact = true;
            let mut next = HashMap::new();
            for group in &self.groups {
                let mut keys: Vec<(Vec<i64>, usize)> = Vec::with_capacity(group.slots.len());
                for (at, &slot) in group.slots.iter().enumerate() {
                    let known = ranks.get(&slot).copied().unwrap_or(0);
                    let mut key = vec![i64::try_from(known).expect("few processes")];
                    let mut add = |domain: Option<usize>, value: i64, key: &mut Vec<i64>| {
                        let slots = domain.map(|domain| &self.domains[domain].slots);
                        match slots.and_then(|slots| slots.get(&value)) {
                            None => key.extend([0, value]),
                            Some(&other) if other == slot => key.extend([1, 0]),
                            Some(other) => {
                                is_exact = false;
                                let rank = ranks.get(other).copied().unwrap_or(0);
                                key.extend([2, i64::try_from(rank).expect("few processes")]);
                            }
                        }
                    };
                    for Column { cells, domain } in &group.columns {
                        add(*domain, get(cells[at], words), &mut key);
                    }
                    for Matrix { cells, domain } in &group.matrices {
                        let mut others = Vec::new();
                        for (&other, &cell) in &cells[at] {
                            let rank = ranks.get(&other).copied().unwrap_or(0);
                            let mut part = vec![i64::from(other != slot)];
                            part.push(i64::try_from(rank).expect("few processes"));
                            add(*domain, get(cell, words), &mut part);
                            others.push(part);
                        }
                        others.sort_unstable();
                        key.extend(others.concat());
                    }
                    key.push(i64::from(holder == Some(slot)));
                    key.extend(kept.get(&slot).into_iter().flatten());
                    keys.push((key, slot));
                }
                is_exact &= group.matrices.is_empty();
                keys.sort_unstable();
                let mut rank = 0;
                for (at, (key, slot)) in keys.iter().enumerate() {
                    if at > 0 && keys[at - 1].0 != *key {
                        rank += 1;
                    }
                    next.insert(*slot, rank);
                }
                found += rank + 1;
            }
            ranks = next;
            // Processes that keep no number of another are told apart at once.
            if is_exact || found == kinds {
                return Sorted { ranks, is_exact };
            }
            kinds = found;
        }
    }
}
