//! Processes that can be exchanged for each other, and one state for all that differ in that only.
//!
//! [`Symmetry`] lists *groups* of slots. Exchanging what is in two slots of a group, all of it, changes
//! nothing that a property or a constraint can see, and turns steps into steps: every such exchange is an
//! automorphism of the system. So a state may stand for all that come of it by exchanges (its *orbit*).
//! The one that does has the slots of each group sorted by what is in them: how many processes are where
//! is all that is left, and `n` processes with `k` places each have polynomially many states in place of
//! `k^n`. Of the steps of a state, one of processes with the same in their slots stands for all.
//!
//! The paper that sorts processes (004, section 4.2) takes the symmetry of interleaving for its reason.
//! That is not enough: a property or a constraint may tell processes apart (004-27). Here whatever is
//! named is in no group, so the quotient is bisimilar to the system in all that is watched, and keeps the
//! answer to every question about single runs that is asked of it, with X, automata and fairness: see
//! Emerson and Sistla (*Symmetry and model checking*, 1996). What fairness of *all* processes needs, an
//! index that is followed through the exchanges (*Utilizing symmetry when model-checking under fairness
//! assumptions*, 1997), is not built: all processes are then named, and none is in a group.
//!
//! Strong global fairness is not kept (against 004-27 and Zhang, Sun and Liu): two processes that swap places
//! with either of two events take both events in the one state of the quotient, when in either state of the
//! system it is always the same one.

mod detect;

use fairly_model::native::Part;
use fairly_model::{Exchange, Strip};
use fairly_system::{Action, EventId, MoveId};
use hashbrown::HashMap;

pub(crate) use detect::detect;

/// Why no processes are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asymmetric {
    /// What the processes do is only worked out as they do it.
    Open,
    /// The model asks for processes by numbers that it computes, or for who moved last.
    Numbers,
    /// No two processes are alike.
    Different,
    /// Some are, but the property or the constraints name all of them, or all but one.
    Named,
    /// The system is of a kind that nothing is known of.
    Unknown,
}

/// Where what is in a slot is kept.
#[derive(Clone, Debug)]
struct Content {
    strips: Vec<Strip>,
}

impl Content {
    /// The bits of what is in the slot, appended to `out`.
    fn read(&self, words: &[u64], out: &mut Vec<u64>) {
        for strip in &self.strips {
            for element in 0..strip.length {
                let (word, shift) = strip.position(element);
                out.push(if strip.width == 0 { 0 } else { words[word] >> shift & strip.mask() });
            }
        }
    }

    fn write(&self, bits: &[u64], words: &mut [u64]) {
        let mut bits = bits.iter();
        for strip in &self.strips {
            for element in 0..strip.length {
                let value = bits.next().expect("as many as were read");
                if strip.width > 0 {
                    let (word, shift) = strip.position(element);
                    words[word] = words[word] & !(strip.mask() << shift) | value << shift;
                }
            }
        }
    }
}

/// Slots whose processes can be exchanged for each other.
#[derive(Clone, Debug)]
struct Group {
    slots: Vec<usize>,
    contents: Vec<Content>,
    /// How many values one slot has, with whether it holds.
    length: usize,
}

/// What can be exchanged in a system.
#[derive(Clone, Debug)]
pub struct Symmetry {
    groups: Vec<Group>,
    /// By slot: its group.
    group_of: Vec<Option<u32>>,
    /// Events that only one process has, and that go with it when it is exchanged: those with the same
    /// entry stand for each other.
    events: HashMap<EventId, (u32, u32)>,
    holder: Option<Strip>,
    /// By slot, in the state that was looked at last: the first slot of the group with the same in it,
    /// and how many of them there are before this one.
    alike: Vec<(u32, u32)>,
    values: Vec<u64>,
    order: Vec<usize>,
    /// States that were looked at, and how many of the system they stand for together.
    looked_at: usize,
    stood_for: f64,
}

/// What an action is, up to an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    event: Result<EventId, (u32, u32)>,
    parts: Vec<(bool, u32, Option<[u32; 3]>)>,
}

impl Symmetry {
    fn new(groups: Vec<Group>, slots: usize, holder: Option<Strip>) -> Symmetry {
        let mut group_of = vec![None; slots];
        for (number, group) in (0u32..).zip(&groups) {
            group.slots.iter().for_each(|&slot| group_of[slot] = Some(number));
        }
        Symmetry {
            groups,
            group_of,
            events: HashMap::new(),
            holder,
            alike: vec![(0, 0); slots],
            values: Vec::new(),
            order: Vec::new(),
            looked_at: 0,
            stood_for: 0.0,
        }
    }

    /// How many states of the system one state has stood for, on average.
    pub fn stood_for(&self) -> f64 {
        if self.looked_at == 0 { 1.0 } else { self.stood_for / self.looked_at as f64 }
    }

    /// How many processes are in each group.
    pub fn groups(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().map(|group| group.slots.len())
    }

    /// How many states one may stand for at the most, or more.
    pub fn orbit(&self) -> u64 {
        let factorial = |count: usize| (1..=count as u64).fold(1, u64::saturating_mul);
        self.groups().map(factorial).fold(1, u64::saturating_mul)
    }

    /// What an action is, up to an exchange.
    pub(crate) fn kind(
        &self,
        action: &Action,
        slot_of: impl Fn(MoveId) -> usize,
        part: impl Fn(MoveId) -> Option<Part>,
    ) -> Kind {
        let event = self.events.get(&action.event).map_or(Ok(action.event), |&known| Err(known));
        let mut parts: Vec<_> = action
            .moves
            .iter()
            .map(|&id| {
                let slot = slot_of(id);
                let edge = part(id).map(|part| [part.variant, part.location, part.edge]);
                match self.group_of[slot] {
                    Some(group) => (true, group, edge),
                    None => (false, u32::try_from(slot).expect("a slot"), edge),
                }
            })
            .collect();
        parts.sort_unstable();
        Kind { event, parts }
    }

    /// Reads what is in the slots of a group, one after the other. Whether a process holds is a part of
    /// it, which the state keeps elsewhere.
    fn read(&mut self, group: usize, words: &[u64]) {
        let group = &self.groups[group];
        let holder = self.holder.and_then(|strip| usize::try_from(strip.get(words, 0)).ok());
        self.values.clear();
        for (content, &slot) in group.contents.iter().zip(&group.slots) {
            content.read(words, &mut self.values);
            self.values.push(u64::from(holder == Some(slot)));
        }
    }

    /// What was read of the slot at a position of its group.
    fn value(&self, group: &Group, at: usize) -> &[u64] {
        &self.values[at * group.length..(at + 1) * group.length]
    }
}

impl Exchange for Symmetry {
    fn turn_to(&mut self, words: &[u64]) {
        let mut orbit = 1.0;
        for number in 0..self.groups.len() {
            self.read(number, words);
            let group = &self.groups[number];
            let mut first = (group.slots[0], 0);
            for (at, &slot) in group.slots.iter().enumerate() {
                // The state is the one that stands for others, so what is the same stands together.
                if at > 0 && self.value(group, at) != self.value(group, at - 1) {
                    first = (slot, at);
                }
                let small = |number: usize| u32::try_from(number).expect("a slot");
                self.alike[slot] = (small(first.0), small(at - first.1));
                // `n!`, divided by `k!` for any `k` that are alike.
                orbit *= (at + 1) as f64 / (at - first.1 + 1) as f64;
            }
        }
        self.looked_at += 1;
        self.stood_for += orbit;
    }

    fn keeps(&self, slots: &[u32]) -> bool {
        // Of those that are alike, the first take part.
        slots.iter().all(|&slot| {
            if self.group_of[slot as usize].is_none() {
                return true;
            }
            let (first, before) = self.alike[slot as usize];
            let same = |other: &&u32| {
                self.group_of[**other as usize].is_some() && self.alike[**other as usize].0 == first
            };
            (before as usize) < slots.iter().filter(same).count()
        })
    }

    fn make_canonical(&mut self, words: &mut [u64]) {
        for number in 0..self.groups.len() {
            self.read(number, words);
            let group = &self.groups[number];
            let count = group.slots.len();
            if (1..count).all(|at| self.value(group, at - 1) <= self.value(group, at)) {
                continue;
            }
            let mut order = std::mem::take(&mut self.order);
            order.clear();
            order.extend(0..count);
            order.sort_by(|&one, &other| self.value(group, one).cmp(self.value(group, other)));
            for (to, &from) in order.iter().enumerate() {
                let value = self.value(group, from);
                group.contents[to].write(value, words);
                if let (Some(strip), Some(1)) = (self.holder, value.last()) {
                    let slot = i64::try_from(group.slots[to]).expect("a slot");
                    strip.set(words, 0, slot);
                }
            }
            self.order = order;
        }
    }
}
