//! Where it pays to look for an ample set.
//!
//! A group of processes begins with one of them, at its place: its slot, its kind and its location. Beginning at some
//! places never leaves anything out, and asking again in every state is most of what a reduction costs. So a place is
//! given up after many attempts of which none left anything out.
//!
//! A row must have the same steps whenever it is asked about. It has, because a place from which something was left
//! out is never given up, and one that is given up never was where a set that was followed began.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use crate::processes::Position;
use crate::skeleton::Skeleton;

/// Attempts after which a place is given up from which nothing has been left out.
const ENOUGH: u32 = 2048;

/// A number for each place of each process.
#[derive(Clone, Debug)]
pub(crate) struct PlaceNumbers {
    /// By slot and kind of process: the number of its first place.
    first: Vec<Vec<usize>>,
    count: usize,
}

impl PlaceNumbers {
    pub(crate) fn new(skeleton: &Skeleton) -> PlaceNumbers {
        let mut count = 0;
        let of_slot = |variants: &Vec<Vec<_>>| {
            let first = variants.iter().map(|spots| {
                count += spots.len();
                count - spots.len()
            });
            first.collect()
        };
        let first = skeleton.slots.iter().map(of_slot).collect();
        PlaceNumbers { first, count }
    }

    /// How many places there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn of(&self, slot: usize, position: Position) -> usize {
        self.first[slot][position.variant as usize] + position.location as usize
    }
}

/// Results of looking for ample sets, by number of a place.
#[derive(Debug)]
pub(crate) struct Attempts(Vec<Attempt>);

#[derive(Debug, Default)]
struct Attempt {
    failed: AtomicU32,
    /// A [`Worth`].
    worth: AtomicU8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Worth {
    Unknown,
    LeavesOut,
    GivenUp,
}

impl Attempts {
    pub(crate) fn new(places: &PlaceNumbers) -> Attempts {
        Attempts((0..places.count()).map(|_| Attempt::default()).collect())
    }

    pub(crate) fn is_given_up(&self, place: usize) -> bool {
        self.0[place].worth.load(Ordering::Relaxed) == Worth::GivenUp as u8
    }

    /// Counts an attempt that did not decide what is followed.
    pub(crate) fn fails(&self, place: usize) {
        let attempt = &self.0[place];
        if attempt.worth.load(Ordering::Relaxed) == Worth::Unknown as u8
            && attempt.failed.fetch_add(1, Ordering::Relaxed) + 1 >= ENOUGH
        {
            attempt.decide(Worth::GivenUp);
        }
    }

    /// Notes that what is followed in a state begins at a place; `false` if another worker has given it up meanwhile,
    /// and nothing may be left out.
    pub(crate) fn succeeds(&self, place: usize) -> bool {
        self.0[place].decide(Worth::LeavesOut)
    }

    /// Places that have been given up.
    pub(crate) fn given_up(&self) -> usize {
        (0..self.0.len()).filter(|&place| self.is_given_up(place)).count()
    }
}

impl Attempt {
    /// Decides, if nothing has been decided yet; whether it is decided so now.
    fn decide(&self, worth: Worth) -> bool {
        let (unknown, order) = (Worth::Unknown as u8, Ordering::Relaxed);
        match self.worth.compare_exchange(unknown, worth as u8, order, order) {
            Ok(_) => true,
            Err(now) => now == worth as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts() -> Attempts {
        Attempts((0..2).map(|_| Attempt::default()).collect())
    }

    #[test]
    fn a_place_that_never_leaves_anything_out_is_given_up_for_good() {
        let attempts = attempts();
        (1..ENOUGH).for_each(|_| attempts.fails(0));
        assert!(!attempts.is_given_up(0));
        attempts.fails(0);
        assert!(attempts.is_given_up(0) && !attempts.is_given_up(1));
        assert!(!attempts.succeeds(0), "what was given up leaves nothing out any more");
        assert_eq!(attempts.given_up(), 1);
    }

    #[test]
    fn a_place_that_left_something_out_once_is_never_given_up() {
        let attempts = attempts();
        assert!(attempts.succeeds(0));
        (0..2 * ENOUGH).for_each(|_| attempts.fails(0));
        assert!(!attempts.is_given_up(0) && attempts.succeeds(0));
    }
}
