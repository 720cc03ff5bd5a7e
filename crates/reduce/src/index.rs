//! Where the steps of a skeleton are: by event, by process, by what they offer, write and lead to.
//!
//! A system may have as many constraints as events, so what one of them is about has to be found without
//! looking at all steps.

use std::ops::Range;

use fairly_fairness::Selector;
use fairly_model::native::Part;
use fairly_system::{EventId, EventSet};
use hashbrown::HashMap;

use crate::skeleton::{Skeleton, Step};
use crate::watched::Names;

/// Steps and spots by number, in the order of slots, kinds, locations and edges.
pub(crate) struct Index<'a> {
    pub(crate) skeleton: &'a Skeleton,
    /// By spot: slot, kind, location.
    spots: Vec<[usize; 3]>,
    /// By spot: its first step; one more for the end.
    first: Vec<usize>,
    /// By step: the spot that it leaves.
    leaves: Vec<usize>,
    /// By slot and kind: the first spot.
    begins: Vec<Vec<usize>>,
    of_event: HashMap<EventId, Vec<usize>>,
    /// Steps whose event depends on the state.
    unnamed: Vec<usize>,
    offering: Vec<Vec<usize>>,
    writing: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton) -> Index<'a> {
        let mut index = Index {
            skeleton,
            spots: Vec::new(),
            first: vec![0],
            leaves: Vec::new(),
            begins: Vec::new(),
            of_event: HashMap::new(),
            unnamed: Vec::new(),
            offering: vec![Vec::new(); skeleton.offers],
            // A set of parts may have been filled beyond the bound.
            writing: vec![Vec::new(); skeleton.parts.next_multiple_of(64)],
            entering: Vec::new(),
        };
        for (slot, variants) in skeleton.slots.iter().enumerate() {
            let mut begins = Vec::new();
            for (variant, spots) in variants.iter().enumerate() {
                begins.push(index.spots.len());
                for (location, spot) in spots.iter().enumerate() {
                    let number = index.spots.len();
                    index.spots.push([slot, variant, location]);
                    index.leaves.extend(spot.steps.iter().map(|_| number));
                    index.first.push(index.leaves.len());
                }
            }
            index.begins.push(begins);
        }
        index.entering = vec![Vec::new(); index.spots.len()];
        for id in 0..index.leaves.len() {
            let step = index.step(id);
            match step.event {
                Some(event) => index.of_event.entry(event).or_default().push(id),
                None => index.unnamed.push(id),
            }
            step.offers.iter().for_each(|&offer| index.offering[offer as usize].push(id));
            step.writes.iter().for_each(|part| index.writing[part].push(id));
            if let Some(to) = index.target(id) {
                index.entering[to].push(id);
            }
        }
        index
    }

    pub(crate) fn step_count(&self) -> usize {
        self.leaves.len()
    }

    pub(crate) fn step(&self, id: usize) -> &'a Step {
        let spot = self.leaves[id];
        let [slot, variant, location] = self.spots[spot];
        &self.skeleton.slots[slot][variant][location].steps[id - self.first[spot]]
    }

    /// The process that takes a step.
    pub(crate) fn slot(&self, id: usize) -> usize {
        self.spots[self.leaves[id]][0]
    }

    /// The spot that a step leaves.
    pub(crate) fn spot(&self, id: usize) -> usize {
        self.leaves[id]
    }

    /// The spot that it leads to; `None` if the process ends.
    pub(crate) fn target(&self, id: usize) -> Option<usize> {
        let [slot, variant, _] = self.spots[self.leaves[id]];
        self.step(id).target.map(|to| self.begins[slot][variant] + to as usize)
    }

    /// The steps that leave a spot.
    pub(crate) fn steps(&self, spot: usize) -> Range<usize> {
        self.first[spot]..self.first[spot + 1]
    }

    /// The steps that lead to a spot.
    pub(crate) fn entering(&self, spot: usize) -> &[usize] {
        &self.entering[spot]
    }

    /// The steps that offer something to others.
    pub(crate) fn offering(&self, offer: usize) -> &[usize] {
        &self.offering[offer]
    }

    /// The steps that write a part of a state.
    pub(crate) fn writing(&self, part: usize) -> &[usize] {
        &self.writing[part]
    }

    /// The steps that may be selected, in order; those whose event depends on the state may be.
    fn selected(&self, selector: &Selector, names: &Names<'_>) -> Vec<usize> {
        let of_events = |events: &EventSet| {
            let named = events.members().iter().filter_map(|event| self.of_event.get(event));
            let mut found: Vec<usize> = named.flatten().chain(&self.unnamed).copied().collect();
            found.sort_unstable();
            debug_assert!(
                found.iter().copied().eq((0..self.step_count()).filter(|&id| {
                    let event = self.step(id).event;
                    event.is_none_or(|event| events.contains(event, names.signature))
                })),
                "the events of steps are listed before a pattern is asked for them"
            );
            found
        };
        match selector {
            Selector::Process(process) => {
                let spot = self.spots.partition_point(|spot| spot[0] < process.index());
                let next = self.spots.partition_point(|spot| spot[0] <= process.index());
                (self.first[spot]..self.first[next]).collect()
            }
            Selector::Events(events) => of_events(events),
            Selector::Part(process, events) => {
                let mut found = of_events(events);
                found.retain(|&id| self.slot(id) == process.index());
                found
            }
            Selector::Moves(moves) => {
                let mut found: Vec<usize> = moves
                    .iter()
                    .filter_map(|&id| {
                        let Part { slot, variant, location, edge } = (names.part)(id)?;
                        let begin = self.begins[slot as usize][variant as usize];
                        Some(self.first[begin + location as usize] + edge as usize)
                    })
                    .collect();
                found.sort_unstable();
                found.dedup();
                found
            }
        }
    }
}

/// The steps that something asks for.
pub(crate) struct Asked<'a> {
    pub(crate) index: &'a Index<'a>,
    /// Those that may be asked for, in order.
    pub(crate) steps: Vec<usize>,
    /// Whether those whose event depends on the state are asked for, whatever it is.
    any_event: bool,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(index: &'a Index<'a>, selector: &Selector, names: &Names<'_>) -> Asked<'a> {
        let any_event = matches!(selector, Selector::Process(_));
        Asked { index, steps: index.selected(selector, names), any_event }
    }

    /// Whether a step is asked for, whatever the state.
    pub(crate) fn surely(&self, id: usize) -> bool {
        let is_known = self.any_event || self.index.step(id).event.is_some();
        is_known && self.steps.binary_search(&id).is_ok()
    }
}
