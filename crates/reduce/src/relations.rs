//! Which processes have to be in a group because of the place of one of its members, worked out once for each pair
//! of places.
//!
//! [`crate::ample`] asks this in state after state, and nearly always about pairs that it has met before: which
//! process is where, and which of its steps can be taken, repeats much more often than the values of variables do.
//! A look-up replaces some ten intersections of sets, and sets of processes are single words here. Steps that ask for
//! the offers of all of several processes ([`Need::All`]) are no matter of pairs; the chooser looks at those itself.

use std::collections::HashMap;

use crate::attempts::PlaceNumbers;
use crate::processes::Position;
use crate::skeleton::{Need, Skeleton, Spot, Step};

/// Which steps of a process can be taken, and for which of them a message waits: a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Able {
    pub(crate) able: u64,
    pub(crate) message: u64,
}

/// A step in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// Whether it may be one that can be taken.
    pub(crate) is_able: bool,
    /// Whether it may be one that cannot.
    pub(crate) is_unable: bool,
    /// Whether a [message](Step::has_message) waits for it.
    pub(crate) message: bool,
}

impl Able {
    /// A step by its number. Whether one beyond the first 64 can be taken is unknown.
    pub(crate) fn of(self, step: usize) -> Now {
        let is_known = step < 64;
        let has = |bits: u64| is_known && bits >> step & 1 == 1;
        let is_able = !is_known || has(self.able);
        Now { is_able, is_unable: !is_known || !is_able, message: has(self.message) }
    }
}

/// A process at its place.
#[derive(Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) slot: usize,
    pub(crate) spot: &'a Spot,
}

impl Skeleton {
    pub(crate) fn located(&self, slot: usize, position: Position) -> Located<'_> {
        let (variant, location) = (position.variant as usize, position.location as usize);
        Located { slot, spot: self.spot(slot, variant, location) }
    }

    /// Whether a step of a process, which can be taken or cannot be, has to do with what another process may do from
    /// its place on, partners apart.
    pub(crate) fn concerns(
        &self,
        step: &Step,
        now: Now,
        own: Located<'_>,
        other: Located<'_>,
    ) -> bool {
        let future = &other.spot.future;
        // A process with another behind it cannot end before that one.
        let with_end = !(self.last_first && other.slot < own.slot);
        now.is_able && step.disturbs(future, with_end)
            || now.is_unable && step.is_enabled_by(future, with_end, now.message)
            || future.offers.meets(&step.later)
            // Whether the other goes on in one action depends on what is offered here by then.
            || now.is_able && future.later.meets(&own.spot.future.offers)
    }

    /// Whether some step of a process has to do with another process, which may be the partner of one. No step of the
    /// first asks for the offers of all of several.
    fn relates(&self, able: Able, own: Located<'_>, other: Located<'_>) -> bool {
        own.spot.steps.iter().enumerate().any(|(at, step)| {
            let now = able.of(at);
            if step.lonely || step.waits && !now.is_able {
                return false;
            }
            let is_partner = |need: &Need| match need {
                Need::Some { slots, .. } => slots.iter().any(|&slot| slot as usize == other.slot),
                Need::All { .. } | Need::Partner { .. } => true,
            };
            let may_join =
                |need: &Need| is_partner(need) && other.spot.future.offers.contains(need.offer());
            step.needs.iter().any(may_join) || self.concerns(step, now, own, other)
        })
    }
}

/// The pairs that have been met.
pub(crate) struct Relations {
    /// By number of a place: whether a step out of it asks for the offers of all of several processes, or there are
    /// very many steps.
    is_no_matter_of_pairs: Vec<bool>,
    /// By place, and which steps can be taken: a row.
    rows: HashMap<(usize, Able), usize>,
    /// By row and place of another process.
    met: Vec<Met>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    Apart,
    Related,
}

/// Pairs that one worker keeps, at most: a byte each.
const PAIRS: usize = 1 << 22;

impl Relations {
    /// Without any pairs; `None` if there are more processes than a word has bits.
    pub(crate) fn new(skeleton: &Skeleton) -> Option<Relations> {
        if skeleton.slots.len() > 64 {
            return None;
        }
        let asks = |spot: &Spot| {
            let mut needs = spot.steps.iter().flat_map(|step| &step.needs);
            // Whether messages wait is kept for the first 64 steps only.
            needs.any(|need| matches!(need, Need::All { .. })) || spot.steps.len() > 64
        };
        let is_no_matter_of_pairs = skeleton.slots.iter().flatten().flatten().map(asks).collect();
        Some(Relations { is_no_matter_of_pairs, rows: HashMap::new(), met: Vec::new() })
    }

    /// The processes, a bit each, that have to be in a group with the one in a slot; `None` if that is no matter of
    /// pairs, or there are too many pairs.
    pub(crate) fn of(
        &mut self,
        skeleton: &Skeleton,
        places: &PlaceNumbers,
        (slot, able, row): (usize, u64, &[u64]),
        positions: &[Option<Position>],
    ) -> Option<u64> {
        let Some(position) = positions[slot] else { return Some(0) };
        let place = places.of(slot, position);
        let steps = skeleton.located(slot, position).spot.steps.iter().take(64).enumerate();
        let message = steps.filter(|(_, step)| step.has_message(row));
        let message = message.fold(0, |all, (at, _)| all | 1 << at);
        let able = Able { able, message };
        if self.is_no_matter_of_pairs[place] {
            return None;
        }
        let width = self.is_no_matter_of_pairs.len();
        let row = match self.rows.get(&(place, able)) {
            Some(&row) => row,
            None => {
                let row = self.rows.len();
                if (row + 1).checked_mul(width)? > PAIRS {
                    return None;
                }
                self.met.resize((row + 1) * width, Met::Never);
                self.rows.insert((place, able), row);
                row
            }
        };
        let mut related = 0;
        for (other, at) in positions.iter().enumerate() {
            let Some(at) = at.filter(|_| other != slot) else { continue };
            let pair = row * width + places.of(other, at);
            if self.met[pair] == Met::Never {
                let (own, other) = (skeleton.located(slot, position), skeleton.located(other, at));
                let is_related = skeleton.relates(able, own, other);
                self.met[pair] = if is_related { Met::Related } else { Met::Apart };
            }
            related |= u64::from(self.met[pair] == Met::Related) << other;
        }
        Some(related)
    }
}
