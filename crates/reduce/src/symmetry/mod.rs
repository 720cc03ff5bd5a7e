//! Processes that can be permuted, and one state for all that differ in that only.
//!
//! [`Symmetry`] lists *groups* of slots. Permuting what is in two slots of a group, all of it, changes
//! nothing that a property or a constraint can see, and turns steps into steps: every such permutation is an
//! automorphism of the system. So a state may stand for all that come of it by permutations (its *orbit*).
//! The one that does has the slots of each group sorted by what is in them: how many processes are where
//! is all that is left, and `n` processes with `k` places each have polynomially many states in place of
//! `k^n`. Of the steps of a state, one of processes with the same in their slots stands for all.
//!
//! The paper that sorts processes (004, section 4.2) takes the symmetry of interleaving for its reason.
//! That is not enough: a property or a constraint may tell processes apart (004-27), and so may channels,
//! arrays and names of events. So which processes can be permuted is found in two stages.
//!
//! - A *guess* says which processes look alike and which values are their numbers: `detect.rs` for processes
//!   that know no numbers, `numbered.rs` and `numbers.rs` for those that differ by a number, or keep some.
//! - A *check* decides (`automorphism.rs`, `events.rs`): generators of all permutations of a group act on the
//!   whole model and on what is watched, and the group is used only if nothing changes. What they move in a
//!   packed state (`places.rs`) is compared with that (`scheme.rs`).
//!
//! So a guess that is wrong costs a reduction, and never an answer. A process that is named is in no group, so
//! the quotient is bisimilar to the system in all that is watched, and keeps the answer to every question about
//! single runs that is asked of it, with X, automata and fairness: see Emerson and Sistla (*Symmetry and model
//! checking*, 1996). Under fairness of *all* processes, the permutation that each step ends with is remembered
//! (`permutations.rs`), for searches that follow the processes through them: `fairly_search::threaded`. Then all
//! steps are taken, since they are steps of different processes.
//!
//! Only all permutations of a group are known of: that a ring looks the same from everywhere is not. Channels
//! stay where they are, so processes that have a channel each are not permuted.
//!
//! Strong global fairness is not kept (against 004-27 and Zhang, Sun and Liu): two processes that swap places
//! with either of two events take both events in the one state of the quotient, when in either state of the
//! system it is always the same one.

mod automorphism;
mod detect;
mod events;
mod expressions;
mod named;
mod numbered;
mod numbers;
mod permutations;
mod places;
mod scheme;

use fairly_model::native::Part;
use fairly_model::{Layout, ModelSpace, Strip};
use fairly_omega::Stop;
use fairly_system::{Action, EventId, MoveId, ProcessId};
use hashbrown::HashMap;

use crate::watched::Watched;
use automorphism::Subject;
pub(crate) use permutations::ExactKind;
use permutations::Followed;
pub use permutations::{Permutation, PermutationId};
use places::Places;
use scheme::Shift;

/// Finds permutations of processes that cannot be noticed by the watched question: of processes that have no
/// numbers, or with their numbers, whichever is more.
pub(crate) fn detect(
    system: &ModelSpace,
    watched: &Watched,
    stop: Stop,
) -> Result<Symmetry, Asymmetric> {
    let nameless = detect::detect(system, watched, stop);
    match (nameless, numbered::detect(system, watched, stop)) {
        (Ok(nameless), Ok(numbered)) if nameless.orbit() >= numbered.orbit() => Ok(nameless),
        (_, Ok(numbered)) => Ok(numbered),
        (Ok(nameless), Err(_)) => Ok(nameless),
        // How numbers are used says more than that there are some, but not that none are alike.
        (Err(why), Err(Asymmetric::Different)) | (Err(_), Err(why)) => Err(why),
    }
}

/// Groups of at most so many processes are looked through for smaller ones, if not all of them can be permuted.
const FEW: usize = 64;

/// Those of these groups, or parts of them, that a model keeps: within each group that is returned, every
/// permutation is an automorphism.
fn kept_by(
    subject: &Subject<'_>,
    groups: &[Vec<usize>],
    stop: Stop,
) -> Result<Vec<Vec<usize>>, Asymmetric> {
    let all = subject.model.slots.len();
    let keeps = |slots: &[usize]| subject.keeps(&Permutation::cycle(all, slots), slots);
    let mut kept = Vec::new();
    let mut why = None;
    for group in groups {
        heed(stop)?;
        if !subject.starts_only_in(group) {
            let first = &subject.model.slots[group[0]].name;
            why.get_or_insert(format!("the slot of {first}"));
            continue;
        }
        // Two of them, and all of them round in a circle, make every permutation.
        let circle = if group.len() > 2 { keeps(group) } else { Ok(()) };
        let Err(changed) = circle.and_then(|()| keeps(&group[..2])) else {
            kept.push(group.clone());
            continue;
        };
        why.get_or_insert(changed);
        // Of slots that processes are started in, all are permuted or none.
        if group.len() > FEW || subject.starts_in(group) {
            continue;
        }
        // One with each of the others does so too.
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for &slot in group {
            heed(stop)?;
            match parts.iter_mut().find(|part| keeps(&[part[0], slot]).is_ok()) {
                Some(part) => part.push(slot),
                None => parts.push(vec![slot]),
            }
        }
        kept.extend(parts.into_iter().filter(|part| part.len() > 1));
    }
    match why {
        Some(changed) if kept.is_empty() => Err(Asymmetric::Changed(changed)),
        _ => Ok(kept),
    }
}

/// Ends work on symmetry when it is time to stop.
fn heed(stop: Stop) -> Result<(), Asymmetric> {
    if stop.is_due() { Err(Asymmetric::Stopped) } else { Ok(()) }
}

/// Why no processes are permuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asymmetric {
    /// The processes are only worked out while they are explored.
    Open,
    /// The model asks for who moved last.
    Numbers,
    /// The number of a process is used here as something else, or without being understood.
    Used(String),
    /// A permutation of processes that look alike would change this.
    Changed(String),
    /// No two processes are alike.
    Different,
    /// Some are, but the property or the constraints name all of them, or all but one.
    Named,
    /// The system is of a kind that nothing is known of.
    Unknown,
    /// The time was up before it was known.
    Stopped,
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

/// Slots whose processes can be permuted.
#[derive(Clone, Debug)]
struct Group {
    slots: Vec<usize>,
    contents: Vec<Content>,
    /// How many values one slot has, with whether it holds.
    length: usize,
    /// Whether its processes are started.
    is_started: bool,
    /// How many permutations of them lead to processes with the same arguments.
    saved: u64,
}

/// Permutations that a system allows.
#[derive(Clone, Debug)]
pub struct Symmetry {
    groups: Vec<Group>,
    /// By slot: its group.
    group_of: Vec<Option<u32>>,
    /// Events that only one process has, and that go with it when it is permuted: those with the same
    /// entry stand for each other: whose they are, and which of its own.
    events: HashMap<EventId, (usize, u32)>,
    holder: Option<Strip>,
    /// Places of processes that have numbers; contents of groups are then not used.
    places: Option<Places>,
    /// Whether events may have numbers in their names.
    carries: bool,
    /// Whether processes in the state that was looked at last that look alike can be permuted.
    is_exact: bool,
    /// Positions of processes after the permutations, if they are followed.
    followed: Option<Followed>,
    /// By slot, in the state that was looked at last: the first slot of the group with the same in it,
    /// and how many of them there are before this one.
    alike: Vec<(u32, u32)>,
    values: Vec<u64>,
    order: Vec<usize>,
    /// States that were looked at, and how many of the system they stand for together.
    looked_at: usize,
    stood_for: f64,
}

/// Identity of an action, up to a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    event: Result<EventId, (u32, u32)>,
    parts: Vec<(bool, u32, Option<[u32; 3]>)>,
}

impl Symmetry {
    /// Permutations of processes without numbers in these slots, whether or not the model keeps them: for tests
    /// that show what becomes of a quotient that is wrong.
    #[doc(hidden)]
    pub fn unchecked(system: &ModelSpace, groups: &[Vec<usize>]) -> Symmetry {
        Symmetry::nameless(system.layout(), groups)
    }

    /// Of processes without numbers.
    fn nameless(layout: &Layout, groups: &[Vec<usize>]) -> Symmetry {
        let group = |slots: &Vec<usize>| {
            let strips = |&slot: &usize| detect::stored(layout, slot).copied().collect();
            let contents: Vec<Content> =
                slots.iter().map(|slot| Content { strips: strips(slot) }).collect();
            let values = contents[0].strips.iter().map(|strip| strip.length as usize);
            let length = values.sum::<usize>() + 1;
            Group { slots: slots.clone(), contents, length, is_started: false, saved: 1 }
        };
        Symmetry::new(groups.iter().map(group).collect(), layout.slots.len(), layout.holder)
    }

    /// Takes note of the groups whose processes are started, by their first slots, and of how much they save.
    fn note_started(&mut self, saved: &HashMap<usize, u64>) {
        for group in &mut self.groups {
            if let Some(&saved) = saved.get(&group.slots[0]) {
                (group.is_started, group.saved) = (true, saved);
            }
        }
    }

    /// Events that only one process has, in the same order for all that are alike.
    fn own_events(&mut self, own: &[Vec<EventId>]) {
        for (slot, own) in own.iter().enumerate() {
            if self.is_permuted(slot) {
                self.events.extend((0u32..).zip(own).map(|(at, &event)| (event, (slot, at))));
            }
        }
    }

    /// Makes sure that permutations move the same values of a packed state as they do in the model.
    fn moves_as(&self, subject: &Subject<'_>) -> Result<(), Asymmetric> {
        let all = self.group_of.len();
        for group in &self.groups {
            for slots in [&group.slots[..2], &group.slots] {
                let moved = Permutation::cycle(all, slots);
                if self.shifts(&moved) != subject.scheme.shifts(subject.layout, &moved) {
                    return Err(Asymmetric::Changed("the state".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// The values of a state that a permutation touches, in increasing order.
    fn shifts(&self, moved: &Permutation) -> Vec<Shift> {
        let mut shifts = match &self.places {
            Some(places) => places.shifts(moved),
            None => {
                let mut shifts = Vec::new();
                for group in &self.groups {
                    let places = places::positions(&group.slots);
                    for (from, slot) in group.contents.iter().zip(&group.slots) {
                        let to = &group.contents[places[&moved.of(*slot)]];
                        for (from, to) in from.strips.iter().zip(&to.strips) {
                            let elements = 0..from.length;
                            shifts.extend(elements.map(|at| (from.cell + at, to.cell + at, None)));
                        }
                    }
                }
                shifts
            }
        };
        let holder = self.holder.or(self.places.as_ref().and_then(|places| places.holder));
        shifts.extend(holder.map(|strip| (strip.cell, strip.cell, Some(scheme::SLOTS))));
        shifts.retain(|(from, to, kind)| from != to || kind.is_some());
        shifts.sort_unstable();
        shifts
    }

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
            places: None,
            carries: false,
            is_exact: true,
            followed: None,
            alike: vec![(0, 0); slots],
            values: Vec::new(),
            order: Vec::new(),
            looked_at: 0,
            stood_for: 0.0,
        }
    }

    /// Of processes with numbers.
    fn numbered(places: Places, slots: usize, carries: bool) -> Symmetry {
        let group = |slots: &Vec<usize>| Group {
            slots: slots.clone(),
            contents: Vec::new(),
            length: 0,
            is_started: false,
            saved: 1,
        };
        let groups = places.groups.iter().map(|of| group(&of.slots)).collect();
        let mut symmetry = Symmetry::new(groups, slots, None);
        symmetry.places = Some(places);
        symmetry.carries = carries;
        symmetry
    }

    /// Whether processes that are permuted have numbers.
    pub fn has_numbers(&self) -> bool {
        self.places.is_some()
    }

    /// By slot that is permuted: a number such that only processes with the same one may have the same in a
    /// packed state.
    fn ranks(&mut self, words: &[u64]) -> HashMap<usize, usize> {
        if let Some(places) = &self.places {
            return places.sort(words).ranks;
        }
        let mut ranks = HashMap::new();
        for number in 0..self.groups.len() {
            self.read(number, words);
            let group = &self.groups[number];
            let mut kinds: HashMap<&[u64], usize> = HashMap::new();
            for (at, &slot) in group.slots.iter().enumerate() {
                let next = kinds.len();
                ranks.insert(slot, *kinds.entry(self.value(group, at)).or_insert(next));
            }
        }
        ranks
    }

    /// Notes which processes are alike, by their rank in their group.
    fn note_alike(&mut self, ranks: &HashMap<usize, usize>) -> f64 {
        let mut orbit = 1.0;
        for group in &self.groups {
            let mut first = (group.slots[0], 0);
            for (at, &slot) in group.slots.iter().enumerate() {
                if at > 0 && ranks[&slot] != ranks[&group.slots[at - 1]] {
                    first = (slot, at);
                }
                let small = |number: usize| u32::try_from(number).expect("a slot");
                self.alike[slot] = (small(first.0), small(at - first.1));
                orbit *= (at + 1) as f64 / (at - first.1 + 1) as f64;
            }
        }
        orbit
    }

    /// The permutation that leads to the state that stands for a packed state of processes with numbers.
    fn sorting(places: &Places, words: &[u64], slots: usize) -> Permutation {
        let sorted = places.sort(words);
        let mut moved = Permutation::identity(slots);
        for group in &places.groups {
            let mut order = group.slots.clone();
            order.sort_by_key(|slot| sorted.ranks[slot]);
            order.iter().zip(&group.slots).for_each(|(&from, &to)| moved.set(from, to));
        }
        moved
    }

    /// The same for a worker that expands rows, and does not number permutations.
    pub(crate) fn for_worker(&self) -> Symmetry {
        let mut worker = self.clone();
        if let Some(followed) = &mut worker.followed {
            followed.is_numbered = false;
        }
        (worker.looked_at, worker.stood_for) = (0, 0.0);
        worker
    }

    /// How many states were looked at since this was asked last, and how many of the system they stand for
    /// together.
    pub(crate) fn take_counts(&mut self) -> (usize, f64) {
        (std::mem::take(&mut self.looked_at), std::mem::take(&mut self.stood_for))
    }

    /// The slots of each group.
    pub fn slots(&self) -> impl Iterator<Item = &[usize]> {
        self.groups.iter().map(|group| group.slots.as_slice())
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

    /// Identity of an action, up to a permutation.
    pub(crate) fn kind(
        &self,
        action: &Action,
        slot_of: impl Fn(MoveId) -> usize,
        part: impl Fn(MoveId) -> Option<Part>,
    ) -> Kind {
        let group_of = |slot: usize| self.group_of[slot].expect("it is permuted");
        let event = match self.events.get(&action.event) {
            Some(&(slot, at)) => Err((group_of(slot), at)),
            None => Ok(action.event),
        };
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

    /// Contents of the slot at a position of its group.
    fn value(&self, group: &Group, at: usize) -> &[u64] {
        &self.values[at * group.length..(at + 1) * group.length]
    }
}

impl Symmetry {
    /// The permutation of slots that were free before that turns one packed state into another, if there is one: a
    /// process that is started goes to the first of them.
    pub(crate) fn exchange(
        &mut self,
        before: &[u64],
        from: &[u64],
        to: &[u64],
    ) -> Option<Permutation> {
        let mut moved = Permutation::identity(self.group_of.len());
        for number in 0..self.groups.len() {
            if !self.groups[number].is_started || self.places.is_some() {
                continue;
            }
            let [before, from, to] = [before, from, to].map(|words| {
                self.read(number, words);
                self.values.clone()
            });
            let group = &self.groups[number];
            let of = |values: &[u64], at: usize| {
                values[at * group.length..(at + 1) * group.length].to_vec()
            };
            let mut differing: Vec<usize> =
                (0..group.slots.len()).filter(|&at| of(&from, at) != of(&to, at)).collect();
            for at in differing.clone() {
                let is_free = of(&before, at)[0] == 0;
                let target = differing.iter().position(|&it| of(&to, it) == of(&from, at));
                let target = differing.remove(target.filter(|_| is_free)?);
                moved.set(group.slots[at], group.slots[target]);
            }
        }
        Some(moved)
    }

    /// Looks at a packed state whose steps are asked for next.
    pub(crate) fn turn_to(&mut self, words: &[u64]) {
        if let Some(followed) = &mut self.followed {
            followed.turn();
        }
        self.looked_at += 1;
        if let Some(places) = &self.places {
            let sorted = places.sort(words);
            self.is_exact = sorted.is_exact;
            self.stood_for += self.note_alike(&sorted.ranks);
            return;
        }
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
        self.stood_for += orbit;
    }

    /// Whether a step in which these slots take part stands for all that are the same in the state that
    /// was looked at last. If there are steps, it does so for one at least.
    pub(crate) fn keeps(&self, slots: &[ProcessId]) -> bool {
        // A process that is followed is told apart.
        if self.is_followed() || !self.is_exact {
            return true;
        }
        // Of those that are alike, the first take part.
        slots.iter().all(|&slot| {
            let slot = slot.index();
            if self.group_of[slot].is_none() {
                return true;
            }
            let (first, before) = self.alike[slot];
            let same = |other: &&ProcessId| {
                let other = other.index();
                self.group_of[other].is_some() && self.alike[other].0 == first
            };
            (before as usize) < slots.iter().filter(same).count()
        })
    }

    /// Takes note that the next state is left as it is, because something went wrong in the step to it.
    pub(crate) fn leave(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.note(&Permutation::identity(self.group_of.len()));
        }
    }

    /// Makes a packed state the one that stands for all that are the same.
    pub(crate) fn make_canonical(&mut self, words: &mut [u64]) {
        if let Some(places) = &self.places {
            let moved = Symmetry::sorting(places, words, self.group_of.len());
            places.permute(words, &moved);
            if let Some(followed) = &mut self.followed {
                followed.note(&moved);
            }
            return;
        }
        let mut moved = self.followed.is_some().then(|| Permutation::identity(self.group_of.len()));
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
                if let Some(moved) = &mut moved {
                    moved.set(group.slots[from], group.slots[to]);
                }
                if let (Some(strip), Some(1)) = (self.holder, value.last()) {
                    let slot = i64::try_from(group.slots[to]).expect("a slot");
                    strip.set(words, 0, slot);
                }
            }
            self.order = order;
        }
        if let (Some(followed), Some(moved)) = (&mut self.followed, moved) {
            followed.note(&moved);
        }
    }
}
