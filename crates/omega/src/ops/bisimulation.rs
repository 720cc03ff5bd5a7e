//! Bisimulation: states that do the same, letter by letter and mark by mark, become one.
//!
//! Partition refinement by signatures. The signature of a state is what its edges say once targets
//! are replaced by their classes: for each class and set of marks, the letters. A state is looked
//! at again only when a target of its edges has moved to another class, and when a class is split
//! its largest part keeps the name, so that a state moves at most log *n* times (Hopcroft's
//! argument: "An n log n algorithm for minimizing states in a finite automaton", 1971). Automata
//! with 10⁵ states take a fraction of a second.
//!
//! This is exact for every condition, because merged runs carry the same marks. It merges less
//! than simulation ([`crate::ops::reduce`]), which is quadratic.

use hashbrown::HashMap;

use crate::automaton::{Automaton, Builder, Edge, StateId};
use crate::letters::{Label, Letters};
use crate::marks::MarkSetId;
use crate::refused::BudgetError;

/// The quotient by the coarsest bisimulation: the reachable states, bisimilar ones merged, edges
/// with one target and the same marks merged into one. The first state of each class gives the
/// name.
///
/// # Errors
/// When the labels do not fit in the store.
///
/// ```
/// use fairly_omega::{Builder, Label, ops::bisimulation_quotient};
/// let mut builder = Builder::new(vec![]);
/// let (one, two) = (builder.add_state(), builder.add_state());
/// builder.add_initial(one);
/// builder.add_edge(one, Label::TRUE, Default::default(), two);
/// builder.add_edge(two, Label::TRUE, Default::default(), one);
/// assert_eq!(bisimulation_quotient(&builder.build()).unwrap().state_count(), 1);
/// ```
pub fn bisimulation_quotient(automaton: &Automaton) -> Result<Automaton, BudgetError> {
    let mut letters = automaton.letters().clone();
    let classes = Partition::new(automaton).refine(automaton, &mut letters)?;
    quotient(automaton, &classes)
}

/// The automaton whose states are classes of states: every edge of a member is an edge of the
/// class. Classes are numbered anew in the order they are reached; unreachable ones are dropped.
pub(crate) fn quotient(automaton: &Automaton, classes: &[u32]) -> Result<Automaton, BudgetError> {
    let count = classes.iter().map(|&class| class as usize + 1).max().unwrap_or(0);
    let mut first: Vec<u32> = vec![0; count + 1];
    for &class in classes {
        first[class as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut members = vec![StateId(0); classes.len()];
    let mut next = first.clone();
    for (at, &class) in classes.iter().enumerate() {
        members[next[class as usize] as usize] = StateId::from_index(at);
        next[class as usize] += 1;
    }

    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    let mut new: Vec<Option<StateId>> = vec![None; count];
    let mut queue: Vec<u32> = Vec::new();
    let mut reach = |builder: &mut Builder, queue: &mut Vec<u32>, state: StateId| {
        let class = classes[state.index()];
        *new[class as usize].get_or_insert_with(|| {
            queue.push(class);
            let fresh = builder.add_state();
            let first = members[first[class as usize] as usize];
            if let Some(name) = automaton.state_name(first) {
                builder.set_state_name(fresh, name.to_owned());
            }
            fresh
        })
    };
    for &state in automaton.initial() {
        let fresh = reach(&mut builder, &mut queue, state);
        builder.add_initial(fresh);
    }
    let mut merged = Merged::default();
    let mut at = 0;
    while at < queue.len() {
        let class = queue[at] as usize;
        let from = StateId::from_index(at);
        at += 1;
        for &member in &members[first[class] as usize..first[class + 1] as usize] {
            for &old in automaton.edges(member) {
                let mut edge = old;
                edge.target = reach(&mut builder, &mut queue, old.target);
                merged.add(builder.letters_mut(), edge)?;
            }
        }
        merged.drain().for_each(|edge| builder.add_interned(from, edge));
    }
    Ok(builder.build())
}

/// Collects the edges of one state, those with the same target and marks as one.
#[derive(Default)]
pub(crate) struct Merged {
    edges: Vec<Edge>,
    known: HashMap<(StateId, MarkSetId), usize>,
}

impl Merged {
    /// Above this many edges a table finds the edge to merge with; below, looking is faster.
    const FEW: usize = 16;

    pub(crate) fn add(&mut self, letters: &mut Letters, edge: Edge) -> Result<(), BudgetError> {
        let key = (edge.target, edge.marks);
        let found = if self.edges.len() < Self::FEW {
            self.edges.iter().position(|other| (other.target, other.marks) == key)
        } else {
            if self.known.is_empty() {
                let keys = self.edges.iter().map(|other| (other.target, other.marks));
                self.known.extend(keys.zip(0..));
            }
            self.known.get(&key).copied()
        };
        match found {
            Some(at) => self.edges[at].label = letters.or(self.edges[at].label, edge.label)?,
            None => {
                if !self.known.is_empty() {
                    self.known.insert(key, self.edges.len());
                }
                self.edges.push(edge);
            }
        }
        Ok(())
    }

    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Edge> + '_ {
        self.known.clear();
        self.edges.drain(..)
    }
}

/// A partition of the states into classes, of which some members must be looked at again.
struct Partition {
    class: Vec<u32>,
    /// Members of each class; those to look at again come first.
    members: Vec<Vec<u32>>,
    /// How many come first.
    dirty: Vec<usize>,
    /// Where each state is in its class.
    place: Vec<usize>,
    /// Classes with members to look at, each once.
    queue: Vec<u32>,
}

impl Partition {
    /// One class, every state to be looked at.
    fn new(automaton: &Automaton) -> Self {
        let count = automaton.state_count();
        let all = (0..count as u32).collect();
        Partition {
            class: vec![0; count],
            members: vec![all],
            dirty: vec![count],
            place: (0..count).collect(),
            queue: if count > 0 { vec![0] } else { vec![] },
        }
    }

    fn refine(
        mut self,
        automaton: &Automaton,
        letters: &mut Letters,
    ) -> Result<Vec<u32>, BudgetError> {
        let sources = Sources::of(automaton);
        while let Some(class) = self.queue.pop() {
            for moved in self.split(automaton, letters, class)? {
                for &source in sources.of_target(moved) {
                    self.look_again(source);
                }
            }
        }
        Ok(self.class)
    }

    /// Splits a class by the signatures of its members; returns the states that left it.
    fn split(
        &mut self,
        automaton: &Automaton,
        letters: &mut Letters,
        class: u32,
    ) -> Result<Vec<u32>, BudgetError> {
        let at = class as usize;
        let dirty = std::mem::take(&mut self.dirty[at]);
        let clean = self.members[at].get(dirty).copied();
        if clean.is_none() && dirty == 1 {
            return Ok(Vec::new());
        }
        // Group 0 holds the members that need not be looked at: they have one signature.
        let mut known: HashMap<Vec<(u32, MarkSetId, Label)>, usize> = HashMap::new();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        if let Some(clean) = clean {
            known.insert(self.signature(automaton, letters, clean)?, 0);
            groups.push(Vec::new());
        }
        for position in 0..dirty {
            let state = self.members[at][position];
            let fresh = known.len();
            let group = *known.entry(self.signature(automaton, letters, state)?).or_insert(fresh);
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(state);
        }
        if groups.len() == 1 {
            return Ok(Vec::new());
        }
        // The largest part stays. What leaves is taken out one by one, so that the cost is that
        // of the smaller parts.
        let untouched = self.members[at].len() - dirty;
        let size = |group: usize| {
            groups[group].len() + if group == 0 && clean.is_some() { untouched } else { 0 }
        };
        let largest = (0..groups.len()).max_by_key(|&group| size(group)).expect("groups");
        if clean.is_some() && largest != 0 {
            groups[0].extend_from_slice(&self.members[at][dirty..]);
        }
        groups.swap_remove(largest);
        for &state in groups.iter().flatten() {
            let place = self.place[state as usize];
            self.members[at].swap_remove(place);
            if let Some(&filler) = self.members[at].get(place) {
                self.place[filler as usize] = place;
            }
        }
        let mut moved = Vec::new();
        for group in groups {
            let fresh = self.members.len() as u32;
            for (position, &state) in group.iter().enumerate() {
                self.class[state as usize] = fresh;
                self.place[state as usize] = position;
            }
            moved.extend_from_slice(&group);
            self.members.push(group);
            self.dirty.push(0);
        }
        Ok(moved)
    }

    fn look_again(&mut self, state: u32) {
        let class = self.class[state as usize] as usize;
        let (place, border) = (self.place[state as usize], self.dirty[class]);
        if place < border {
            return;
        }
        if border == 0 {
            self.queue.push(class as u32);
        }
        let other = self.members[class][border];
        self.members[class].swap(place, border);
        (self.place[state as usize], self.place[other as usize]) = (border, place);
        self.dirty[class] += 1;
    }

    fn signature(
        &self,
        automaton: &Automaton,
        letters: &mut Letters,
        state: u32,
    ) -> Result<Vec<(u32, MarkSetId, Label)>, BudgetError> {
        let edges = automaton.edges(StateId(state));
        let mut signature: Vec<(u32, MarkSetId, Label)> = edges
            .iter()
            .map(|edge| (self.class[edge.target.index()], edge.marks, edge.label))
            .collect();
        signature.sort_unstable();
        let mut kept = 0;
        for at in 1..signature.len() {
            let (last, next) = (signature[kept], signature[at]);
            if (last.0, last.1) == (next.0, next.1) {
                signature[kept].2 = letters.or(last.2, next.2)?;
            } else {
                kept += 1;
                signature[kept] = next;
            }
        }
        signature.truncate(kept + 1);
        Ok(signature)
    }
}

/// For each state the sources of the edges that lead to it.
struct Sources {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Sources {
    fn of(automaton: &Automaton) -> Self {
        let mut first = vec![0u32; automaton.state_count() + 1];
        for edge in automaton.all_edges() {
            first[edge.target.index() + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut list = vec![0; automaton.edge_count()];
        let mut next = first.clone();
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let place = &mut next[edge.target.index()];
                list[*place as usize] = state.0;
                *place += 1;
            }
        }
        Sources { first, list }
    }

    fn of_target(&self, target: u32) -> &[u32] {
        let at = target as usize;
        &self.list[self.first[at] as usize..self.first[at + 1] as usize]
    }
}
