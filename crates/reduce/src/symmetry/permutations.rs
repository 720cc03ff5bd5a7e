//! Who is where after a permutation.

use fairly_model::native::Part;
use fairly_system::{Action, EventId, MoveId};
use hashbrown::HashMap;

use super::Symmetry;
use super::places::positions;

/// A bijection of slots: the contents of each slot go to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation(Vec<u32>);

impl Permutation {
    /// Nothing moves.
    pub fn identity(slots: usize) -> Permutation {
        Permutation((0..).take(slots).collect())
    }

    /// Where the process in a slot goes.
    pub fn of(&self, slot: usize) -> usize {
        self.0[slot] as usize
    }

    /// Where the process in a slot goes, if there is such a slot.
    pub(super) fn try_of(&self, slot: usize) -> Option<usize> {
        self.0.get(slot).map(|&to| to as usize)
    }

    /// Each of these slots goes to the next one, and the last to the first.
    pub fn cycle(slots: usize, through: &[usize]) -> Permutation {
        let mut moved = Permutation::identity(slots);
        for (at, &slot) in through.iter().enumerate() {
            moved.set(slot, through[(at + 1) % through.len()]);
        }
        moved
    }

    pub(super) fn set(&mut self, from: usize, to: usize) {
        self.0[from] = u32::try_from(to).expect("a slot");
    }

    /// This one, before another.
    #[must_use]
    pub fn then(&self, next: &Permutation) -> Permutation {
        Permutation(self.0.iter().map(|&slot| next.0[slot as usize]).collect())
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Permutation {
        let mut inverse = Permutation::identity(self.0.len());
        (0..self.0.len()).for_each(|slot| inverse.set(self.of(slot), slot));
        inverse
    }
}

/// How many kinds of processes that look the same are told apart to find out how many can be permuted.
const MOST_KINDS: usize = 16;

/// The number of a permutation that has been met; the first one permutes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PermutationId(pub u32);

/// Permutations that have been met, and the constraints that go with the processes.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    permutations: Vec<Permutation>,
    numbers: HashMap<Permutation, PermutationId>,
    /// Those of the steps of the state that was looked at last.
    steps: Vec<PermutationId>,
    /// By slot: the constraints about its process.
    families: Vec<Vec<u32>>,
    constraints: usize,
    /// Whether there are any about processes that are permuted.
    is_asked: bool,
    /// Whether permutations are numbered as they are met.
    pub(super) is_numbered: bool,
}

impl Followed {
    pub(super) fn turn(&mut self) {
        self.steps.clear();
    }

    pub(super) fn note(&mut self, moved: &Permutation) {
        if !self.is_numbered {
            return;
        }
        let number = self.number(moved);
        self.steps.push(number);
    }

    fn number(&mut self, moved: &Permutation) -> PermutationId {
        if let Some(&known) = self.numbers.get(moved) {
            return known;
        }
        let new = PermutationId(u32::try_from(self.permutations.len()).expect("fewer than states"));
        self.permutations.push(moved.clone());
        self.numbers.insert(moved.clone(), new);
        new
    }
}

/// Identity of an action, up to a permutation of its participants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExactKind {
    event: Result<EventId, (usize, u32)>,
    parts: Vec<(usize, Option<[u32; 3]>)>,
}

impl Symmetry {
    /// Has permutations remembered, if there are constraints about the processes that are permuted, or they
    /// have numbers.
    pub(super) fn follow(&mut self, families: Vec<Vec<u32>>, constraints: usize) {
        let asked = |slot: usize| self.is_permuted(slot) && !families[slot].is_empty();
        let is_asked = (0..families.len()).any(asked);
        if is_asked || self.has_numbers() {
            let mut followed = Followed {
                permutations: Vec::new(),
                numbers: HashMap::new(),
                steps: Vec::new(),
                families,
                constraints,
                is_asked,
                is_numbered: true,
            };
            followed.number(&Permutation::identity(self.group_of.len()));
            self.followed = Some(followed);
        }
    }

    /// Whether a process is permuted with others.
    pub(super) fn is_permuted(&self, slot: usize) -> bool {
        self.group_of[slot].is_some()
    }

    /// Whether there are constraints about processes that are permuted: a search then has to follow the
    /// permutations.
    pub fn is_followed(&self) -> bool {
        self.followed.as_ref().is_some_and(|followed| followed.is_asked)
    }

    /// Whether permutations are remembered.
    pub(crate) fn remembers(&self) -> bool {
        self.followed.is_some()
    }

    /// The permutations of the steps of the state that was looked at last.
    pub(crate) fn permutations(&self) -> &[PermutationId] {
        self.followed.as_ref().map_or(&[], |followed| &followed.steps)
    }

    /// The permutation of the state that was made canonical last.
    pub(crate) fn last_permutation(&self) -> PermutationId {
        self.permutations().last().copied().unwrap_or_default()
    }

    /// Where processes go in a permutation.
    pub(crate) fn permutation(&self, permuted: PermutationId) -> Permutation {
        match &self.followed {
            Some(followed) => followed.permutations[permuted.0 as usize].clone(),
            None => Permutation::identity(self.group_of.len()),
        }
    }

    /// By permutation that has been met: which constraint each constraint is after it.
    pub fn constraints_after(&self) -> Vec<Vec<u32>> {
        let Some(followed) = &self.followed else { return Vec::new() };
        let after = |permutation: &Permutation| {
            let mut after: Vec<u32> = (0..).take(followed.constraints).collect();
            for slot in (0..self.group_of.len()).filter(|&slot| self.is_permuted(slot)) {
                let there = &followed.families[permutation.of(slot)];
                for (&constraint, &same) in followed.families[slot].iter().zip(there) {
                    after[constraint as usize] = same;
                }
            }
            after
        };
        followed.permutations.iter().map(after).collect()
    }

    /// Image of an action under a permutation of its participants.
    pub(crate) fn exact_kind(
        &self,
        action: &Action,
        moved: &Permutation,
        slot_of: impl Fn(MoveId) -> usize,
        part: impl Fn(MoveId) -> Option<Part>,
    ) -> ExactKind {
        let event = match self.events.get(&action.event) {
            Some(&(slot, at)) => Err((moved.of(slot), at)),
            // Its name goes with the numbers; who does what says enough.
            None if self.carries => Ok(EventId::IDLE),
            None => Ok(action.event),
        };
        let edge = |id| part(id).map(|part| [part.variant, part.location, part.edge]);
        let part_of = |&id: &MoveId| (moved.of(slot_of(id)), edge(id));
        let mut parts: Vec<_> = action.moves.iter().map(part_of).collect();
        parts.sort_unstable();
        ExactKind { event, parts }
    }

    /// Permutes what is in the slots of a packed state.
    pub fn permute(&mut self, words: &mut [u64], moved: &Permutation) {
        if let Some(places) = &self.places {
            return places.permute(words, moved);
        }
        for number in 0..self.groups.len() {
            self.read(number, words);
            let group = &self.groups[number];
            let places = positions(&group.slots);
            for (from, &slot) in group.slots.iter().enumerate() {
                let to = places[&moved.of(slot)];
                let value = self.value(group, from);
                group.contents[to].write(value, words);
                if let (Some(strip), Some(1)) = (self.holder, value.last()) {
                    let slot = i64::try_from(group.slots[to]).expect("a slot");
                    strip.set(words, 0, slot);
                }
            }
        }
    }

    /// How many permutations leave a packed state as it is, or somewhat less.
    pub(crate) fn permutations_of(&mut self, words: &[u64]) -> u64 {
        let slots = self.group_of.len();
        let ranks = self.ranks(words);
        let mut count: u64 = 1;
        for group in 0..self.groups.len() {
            // Where nothing has been started yet, everything looks the same.
            if self.groups[group].is_started {
                count = count.saturating_mul(self.groups[group].saved);
                continue;
            }
            // Only those that look the same can be permuted without a change.
            let mut alike: HashMap<usize, Vec<(usize, u64)>> = HashMap::new();
            for at in 0..self.groups[group].slots.len() {
                let slot = self.groups[group].slots[at];
                let firsts = alike.entry(ranks[&slot]).or_default();
                let same = firsts.iter_mut().take(MOST_KINDS).find(|(first, _)| {
                    let mut swapped = words.to_vec();
                    self.permute(&mut swapped, &Permutation::cycle(slots, &[*first, slot]));
                    swapped == words
                });
                match same {
                    Some((_, many)) => {
                        *many += 1;
                        count = count.saturating_mul(*many);
                    }
                    None => firsts.push((slot, 1)),
                }
                if count == u64::MAX {
                    return count;
                }
            }
        }
        count
    }
}
