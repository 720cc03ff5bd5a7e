//! How many processes there may be at a time.
//!
//! Where slots of processes cannot be told apart (`anonymous.rs`), one that has ended leaves as soon as it can.
//! In the whole system it may stay, and so may all others, until there is no room for another one. The reduced
//! system has every start that the whole one has, though perhaps elsewhere: the most starts on a path, together
//! with the processes that are there at first, bound how many there are at a time.

use fairly_omega::{StateId, Stop};
use hashbrown::{HashMap, HashSet};

use crate::cycles::components;

/// Processes at a time, as SPIN has room for: a model that may have more is not decided.
pub(crate) const MOST_PROCESSES: u64 = 255;

/// Steps between two questions whether to stop.
const ASKED: usize = 4096;

/// Starts of processes, as they are met.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// Processes that are there at first.
    pub(crate) first: u64,
    /// States whose steps are known.
    known: HashSet<StateId>,
    steps: Vec<(StateId, StateId, u32)>,
}

impl Starts {
    pub(crate) fn new(first: usize) -> Starts {
        Starts { first: first as u64, ..Starts::default() }
    }

    /// Takes note of the steps of a state, with how many processes each may start.
    pub(crate) fn note(&mut self, state: StateId, steps: impl Iterator<Item = (StateId, u32)>) {
        if self.known.insert(state) {
            self.steps.extend(steps.map(|(target, count)| (state, target, count)));
        }
    }

    /// Whether there may be too many processes at a time; `None` if it was time to stop before that was known.
    pub(crate) fn are_too_many(&self, stop: Stop) -> Option<bool> {
        if self.steps.iter().all(|&(_, _, by)| by == 0) {
            return Some(self.first > MOST_PROCESSES);
        }
        let mut numbers: HashMap<StateId, usize> = HashMap::new();
        let mut number = |state: StateId| {
            let next = numbers.len();
            *numbers.entry(state).or_insert(next)
        };
        let mut steps: Vec<(usize, usize, u32)> = Vec::with_capacity(self.steps.len());
        for some in self.steps.chunks(ASKED) {
            // A search that ended because it had to stop leaves nothing to know here.
            if stop.is_due() {
                return None;
            }
            steps.extend(some.iter().map(|&(from, to, by)| (number(from), number(to), by)));
        }
        let component = components(numbers.len(), steps.iter().map(|&(from, to, _)| (from, to)));
        // A component is finished after those that it leads to, so it has a greater number.
        let mut by_component: Vec<Vec<(usize, u32)>> = vec![Vec::new(); numbers.len()];
        for &(from, to, by) in &steps {
            let (from, to) = (component[from], component[to]);
            if from == to && by > 0 {
                return Some(true);
            }
            by_component[from].push((to, by));
        }
        let mut most = vec![0_u64; numbers.len()];
        for at in 0..by_component.len() {
            let after = by_component[at].iter();
            let after = after.map(|&(to, by)| most[to].saturating_add(u64::from(by)));
            most[at] = after.max().unwrap_or(0);
        }
        Some(most.into_iter().max().unwrap_or(0).saturating_add(self.first) > MOST_PROCESSES)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(StateId, StateId, u32)>()
            + self.known.capacity() * size_of::<StateId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(steps: &[(u32, u32, u32)]) -> bool {
        let mut starts = Starts::new(1);
        for &(from, ..) in steps {
            let here = steps.iter().filter(|step| step.0 == from);
            starts.note(StateId(from), here.map(|&(_, to, by)| (StateId(to), by)));
        }
        starts.are_too_many(Stop::default()).unwrap()
    }

    #[test]
    fn the_most_on_a_path() {
        assert!(!of(&[(0, 1, 254), (0, 2, 100), (2, 1, 100)]));
        assert!(of(&[(0, 1, 155), (1, 2, 100)]));
        assert!(!of(&[(0, 1, 155), (0, 2, 155), (2, 2, 0)]));
        assert!(of(&[(0, 1, 0), (1, 2, 1), (2, 1, 0)]));
    }

    #[test]
    fn nothing_is_said_once_it_is_time_to_stop() {
        let mut starts = Starts::new(1);
        starts.note(StateId(0), [(StateId(1), 1)].into_iter());
        let stop = Stop { deadline: Some(std::time::Instant::now()), ..Stop::default() };
        assert_eq!(starts.are_too_many(stop), None);
    }
}
