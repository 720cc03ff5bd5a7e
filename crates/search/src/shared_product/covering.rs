//! Components that cover all steps of their states: strong global fairness.
//!
//! A run that is strongly globally fair takes every transition of each state that it visits infinitely often
//! ([`crate::global`]). So what it visits infinitely often is a part of a component of the product whose steps are all
//! transitions of its states; that these states are a bottom component of the system follows. A component is judged by
//! the worker that has completed it, while the others go on.

use fairly_omega::emptiness::{EmptinessError, Explored};
use fairly_omega::{Hop, Lasso};
use fairly_store::StateIndex;
use fairly_system::{ActionId, Space};
use hashbrown::{HashMap, HashSet};

use super::{IS_COMMITTED, Memory, SharedProduct};
use crate::bounded::Budget;
use crate::global::{Coverage, NONE};
use crate::sets::SetsMemory;
use crate::ufscc::{Cut, Part, SharedGraph, SharedStep};

/// Transitions of a system with their numbers.
type Numbered = HashMap<(StateIndex, ActionId, StateIndex), u32>;

impl<S: Space + ?Sized> SharedProduct<'_, S> {
    /// A path in a component that takes all transitions of the states that it visits and is accepted, if there is one.
    pub(super) fn covering_path(
        &self,
        is_inside: &dyn Fn(u32) -> bool,
        node: u32,
        memory: &mut Memory,
    ) -> Result<Option<Lasso>, Cut> {
        let has = |step: &SharedStep, _: &mut SetsMemory| is_inside(step.target);
        let mut part = Part::new(self, node, &has, memory).heeding(self.stop);
        let explored = Explored::of(&mut part).map_err(Cut::Component)?;
        if part.is_cut() {
            return Err(Cut::Interrupted);
        }
        let nodes: Vec<u32> =
            explored.nodes().map(|node| part.node(explored.original(node))).collect();
        drop(part);
        let Some((numbers, count)) = self.transitions_of(&nodes, memory) else { return Ok(None) };
        // The transition that each step of the component covers.
        let mut covers = Vec::with_capacity(explored.edge_count());
        let mut steps = Vec::new();
        for &node in &nodes {
            steps.clear();
            self.steps(node, memory, &mut steps);
            let behind = std::mem::take(&mut memory.behind);
            let (from, _) = self.pair(node, memory);
            for (step, &action) in steps.iter().zip(&behind) {
                if is_inside(step.target) {
                    let (to, _) = self.pair(step.target, memory);
                    covers.push(numbers.get(&(from, action, to)).copied().unwrap_or(NONE));
                }
            }
            memory.behind = behind;
        }
        debug_assert_eq!(covers.len(), explored.edge_count());
        let mut coverage = Coverage::new(&explored, &covers, count);
        let found =
            explored.accepted_part(|members, avoided| coverage.count(members, avoided) == count);
        let found = found.map_err(|hard| Cut::Component(EmptinessError::TooHard(hard)))?;
        let Some(found) = found else { return Ok(None) };
        let budget = Budget::new(self.bounds);
        let cycle = coverage.cycle(&found, &budget).map_err(|_| Cut::Interrupted)?;
        let stem = cycle.first().map_or(Vec::new(), |hop| explored.path_to(hop.from));
        let mut part = Part::new(self, node, &has, memory);
        let mut number = HashMap::new();
        let outside = |hop: &Hop, part: &mut Part<'_, Self>| {
            let from = nodes[hop.from.index()];
            let next = *number.entry(from).or_insert_with(|| part.add(from));
            part.outside(&Hop { from: next, ..*hop })
        };
        let mut outside = outside;
        let stem = stem.iter().map(|hop| outside(hop, &mut part)).collect();
        let cycle = cycle.iter().map(|hop| outside(hop, &mut part)).collect();
        Ok(Some(Lasso { stem, cycle }))
    }

    /// The transitions of the states of some nodes, numbered; `None` if runs are committed in one of them, so that not
    /// all of its transitions are there.
    fn transitions_of(&self, nodes: &[u32], memory: &mut Memory) -> Option<(Numbered, usize)> {
        let (mut numbers, mut known) = (HashMap::new(), HashSet::new());
        for &node in nodes {
            let (state, _) = self.pair(node, memory);
            if !known.insert(state) {
                continue;
            }
            let record = self.record(state, memory)?;
            if record.word(0) & IS_COMMITTED != 0 {
                return None;
            }
            for place in (self.layout.head()..record.len()).step_by(self.layout.step) {
                let (to, action) = (record.word(place), record.word(place + 1));
                let next = u32::try_from(numbers.len()).expect("steps are numbered by u32");
                numbers.entry((state, ActionId(action), StateIndex(to))).or_insert(next);
            }
        }
        let count = numbers.len();
        Some((numbers, count))
    }
}
