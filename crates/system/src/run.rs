//! Infinite runs of a system, written down as a lasso.

use fairly_omega::StateId;

use crate::action::ActionId;

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunStep {
    /// The state it leaves.
    pub from: StateId,
    /// Kinds of actions.
    pub action: ActionId,
    /// The state it leads to.
    pub to: StateId,
}

/// A run: the stem once, then the cycle for ever. The cycle is not empty and returns to where it
/// starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// From an initial state to the first state of the cycle.
    pub stem: Vec<RunStep>,
    /// The part that repeats.
    pub cycle: Vec<RunStep>,
}

impl Run {
    /// All steps that are written down, the stem first.
    pub fn steps(&self) -> impl Iterator<Item = &RunStep> {
        self.stem.iter().chain(&self.cycle)
    }

    /// The same infinite run written down as shortly as possible: the cycle goes round once, and the
    /// stem holds nothing that the cycle repeats. A lasso of a product may be longer than that,
    /// because there the property's automaton moves too.
    #[must_use]
    pub fn folded(mut self) -> Run {
        let length = self.cycle.len();
        let repeats = |period: usize| {
            length.is_multiple_of(period)
                && (period..length).all(|at| self.cycle[at] == self.cycle[at - period])
        };
        if let Some(period) = (1..length).find(|&period| repeats(period)) {
            self.cycle.truncate(period);
        }
        // Rotated once: either part may have millions of steps.
        let round = self.cycle.iter().rev().cycle();
        let repeated = self.stem.iter().rev().zip(round).take_while(|(here, there)| here == there);
        let repeated = repeated.count();
        self.stem.truncate(self.stem.len() - repeated);
        if let Some(rest) = repeated.checked_rem(self.cycle.len()) {
            self.cycle.rotate_right(rest);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(from: u32, to: u32) -> RunStep {
        RunStep { from: StateId(from), action: ActionId(1), to: StateId(to) }
    }

    #[test]
    fn folding_removes_repetitions_and_nothing_else() {
        let run = Run {
            stem: vec![step(9, 0), step(0, 1)],
            cycle: vec![step(1, 0), step(0, 1), step(1, 0), step(0, 1)],
        };
        let folded = run.folded();
        assert_eq!(folded.stem, [step(9, 0)]);
        assert_eq!(folded.cycle, [step(0, 1), step(1, 0)]);
        // The stem goes round the cycle more than once.
        let stem = [(9, 0), (0, 1), (1, 2), (2, 0), (0, 1), (1, 2), (2, 0), (0, 1)];
        let cycle = [(1, 2), (2, 0), (0, 1)];
        let steps = |all: &[(u32, u32)]| all.iter().map(|&(from, to)| step(from, to)).collect();
        let folded = Run { stem: steps(&stem), cycle: steps(&cycle) }.folded();
        assert_eq!(folded.stem, [step(9, 0)]);
        assert_eq!(folded.cycle, [step(0, 1), step(1, 2), step(2, 0)]);
        // Nothing is left of the stem.
        let folded = Run { stem: steps(&stem[1..4]), cycle: steps(&stem[1..4]) }.folded();
        assert_eq!((folded.stem, folded.cycle), (Vec::new(), steps(&stem[1..4])));
        let short = Run { stem: vec![step(0, 1)], cycle: vec![step(1, 1)] };
        assert_eq!(short.clone().folded(), short);
    }
}
