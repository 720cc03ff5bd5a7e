//! The numbers by which code says who does what in a step.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fairly_model::native::Part;

use fairly_model::native::plan::{Plan, small};

/// Even numbers are steps of one edge, twice its number; odd ones are steps of several, one after the
/// other: of processes that act together, or of one that goes on. A number is given out once and keeps
/// its meaning; which of two steps gets the smaller one depends on which thread asks first.
pub(crate) struct Commands {
    /// By edge.
    alone: Vec<Part>,
    several: Mutex<Several>,
}

/// Steps of several edges, by their edges, and the edges by number.
#[derive(Default)]
struct Several {
    numbers: HashMap<Box<[u32]>, u32>,
    edges: Vec<Box<[u32]>>,
}

impl Commands {
    pub(crate) fn new(plan: &Plan) -> Commands {
        let alone = plan.places.iter().map(|place| place.part).collect();
        Commands { alone, several: Mutex::default() }
    }

    /// The number of a step of one process that begins with an edge.
    pub(crate) fn alone(&self, first: u32, rest: &[u32]) -> u32 {
        if rest.is_empty() {
            return first * 2;
        }
        self.several(&[&[first], rest].concat())
    }

    /// The number of a step of several edges. It takes a lock: threads remember what they asked for.
    pub(crate) fn several(&self, edges: &[u32]) -> u32 {
        let mut several = self.lock();
        if let Some(&known) = several.numbers.get(edges) {
            return known;
        }
        let number = small(several.edges.len() * 2 + 1);
        several.edges.push(edges.into());
        several.numbers.insert(edges.into(), number);
        number
    }

    /// Who takes part in a step.
    pub(crate) fn parts(&self, command: u32) -> Vec<Part> {
        let at = (command / 2) as usize;
        match command.is_multiple_of(2) {
            true => vec![self.alone[at]],
            false => self.lock().edges[at].iter().map(|&edge| self.alone[edge as usize]).collect(),
        }
    }

    /// A thread that held the lock and panicked had added nothing yet, or all of it but the number.
    fn lock(&self) -> MutexGuard<'_, Several> {
        self.several.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
