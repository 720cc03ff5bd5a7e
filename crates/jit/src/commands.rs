//! The numbers by which code says who does what in a step.

use std::collections::HashMap;

use fairly_model::native::Part;

use crate::plan::{Plan, small};

/// Even numbers are steps of one edge, twice its number; odd ones are steps of several, one after the
/// other: of processes that act together, or of one that goes on.
pub(crate) struct Commands {
    /// By edge.
    alone: Vec<Part>,
    /// Steps of several edges, by their edges, and their parts by number.
    several: HashMap<Box<[u32]>, u32>,
    parts: Vec<Vec<Part>>,
}

impl Commands {
    pub(crate) fn new(plan: &Plan) -> Commands {
        let alone = plan.places.iter().map(|place| place.part).collect();
        Commands { alone, several: HashMap::new(), parts: Vec::new() }
    }

    /// The number of a step of one process that begins with an edge.
    pub(crate) fn alone(&mut self, first: u32, rest: &[u32]) -> u32 {
        if rest.is_empty() {
            return first * 2;
        }
        self.several(&[&[first], rest].concat())
    }

    /// The number of a step of several edges.
    pub(crate) fn several(&mut self, edges: &[u32]) -> u32 {
        if let Some(&known) = self.several.get(edges) {
            return known;
        }
        let number = small(self.parts.len() * 2 + 1);
        self.parts.push(edges.iter().map(|edge| self.alone[*edge as usize]).collect());
        self.several.insert(edges.into(), number);
        number
    }

    /// Who takes part in a step.
    pub(crate) fn parts(&self, command: u32) -> &[Part] {
        let at = (command / 2) as usize;
        if command.is_multiple_of(2) { &self.alone[at..=at] } else { &self.parts[at] }
    }
}
