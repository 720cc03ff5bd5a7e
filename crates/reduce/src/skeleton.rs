//! Skeletons of systems: processes with locations, steps that leave them, and for each step the parts of a
//! state that it reads and writes and the partners that it needs.
//!
//! Parts of a state are numbers; their meaning is known to the maker of the skeleton ([`crate::of_model`],
//! [`crate::of_network`]).

use fairly_model::Strip;
use fairly_model::native::Part;
use fairly_system::EventId;

use crate::bits::Bits;

/// A whole system.
#[derive(Debug)]
pub struct Skeleton {
    /// By slot, kind of process in it, and location.
    pub(crate) slots: Vec<Vec<Vec<Spot>>>,
    /// How many parts a state has.
    pub(crate) parts: usize,
    /// How many things can be offered to others.
    pub(crate) offers: usize,
    /// Whether a process ends only when all in slots behind it have.
    pub(crate) last_first: bool,
    /// Whether processes are started.
    pub(crate) starts: bool,
    /// By slot: parts of a state that belong to the process in it. No other process writes them while it is
    /// there, and others that read them read whether the slot is in use, too.
    pub(crate) own: Vec<Bits>,
    /// Whether slots of processes cannot be told apart.
    pub(crate) anonymous: bool,
    /// Where a state says who alone may move, if it does.
    pub(crate) holder: Option<Strip>,
    /// Whether processes end successfully only all together.
    pub(crate) ends_together: bool,
    /// Who ever reads, writes and offers what.
    pub(crate) users: Users,
}

/// By part of a state, or by what can be offered: who ever has to do with it.
#[derive(Debug, Default)]
pub(crate) struct Users {
    readers: Vec<User>,
    writers: Vec<User>,
    offering: Vec<User>,
    /// Who needs an offer for an action to go on.
    needing: Vec<User>,
    /// By slot: what it ever offers.
    offers: Vec<Bits>,
}

/// How many slots, and which if it is one.
#[derive(Clone, Copy, Debug, Default)]
struct User {
    count: u32,
    first: u32,
}

impl User {
    fn add(&mut self, slot: usize) {
        if self.count == 0 {
            self.first = u32::try_from(slot).expect("a slot");
        }
        self.count += 1;
    }

    /// How many others there are.
    fn others(self, slot: usize) -> usize {
        // Of several, whether this slot is one of them is not kept, and makes little difference.
        match self.count {
            0 => 0,
            1 => usize::from(self.first as usize != slot),
            count => count as usize - 1,
        }
    }
}

/// A location of a process in one slot.
#[derive(Debug, Default)]
pub(crate) struct Spot {
    pub(crate) steps: Vec<Step>,
    /// Steps that the process can take from here on, if none waits for everything else to stop.
    pub(crate) future: Future,
    /// Its offers to others here.
    pub(crate) offers: Bits,
    /// Whether no other process ever has anything to do with what is done here.
    pub(crate) free: bool,
}

/// Steps that a process can still take, its end apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Future {
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
    pub(crate) end_reads: Bits,
    pub(crate) end_writes: Bits,
    pub(crate) offers: Bits,
    /// Offers that others must make for actions to go on in which it holds. Where there are none, such an
    /// action ends.
    pub(crate) later: Bits,
}

/// Partners that a step needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The processes in all of these slots, all of which offer the same.
    All { slots: Vec<u32>, offer: u32 },
    /// Some of these.
    Some { slots: Vec<u32>, offer: u32 },
    /// Anybody who offers this.
    Partner { offer: u32 },
}

/// Effect of a step on the number of messages in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// One more.
    Puts,
    /// One less.
    Takes,
    /// Some more, or as many.
    MayPut,
    /// Some less, or as many.
    MayTake,
}

impl Fill {
    /// Whether there may be more afterwards, and not less.
    pub(crate) fn puts(self) -> bool {
        matches!(self, Fill::Puts | Fill::MayPut)
    }

    /// Whether there certainly are more, or less.
    pub(crate) fn surely(self) -> bool {
        matches!(self, Fill::Puts | Fill::Takes)
    }
}

/// Effect of a step on a variable of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    By(i64),
    Otherwise,
}

/// A value that a step makes larger, or smaller, each time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Climb {
    pub(crate) strip: Strip,
    pub(crate) by: i64,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// Who can tell when a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tone {
    /// None.
    Quiet,
    /// Only constraints whose demands last until they are met: it may be put before others, but not in
    /// where it was not taken at all.
    Early,
    /// The property or a constraint: it is never in an ample set that leaves something out.
    Loud,
}

/// Step of one process, alone or with others.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// `None` if the process ends.
    pub(crate) target: Option<u32>,
    /// Whether the process goes on alone, in the same action as far as others are concerned.
    pub(crate) holds: bool,
    /// Whether it is taken only when nothing else can be.
    pub(crate) waits: bool,
    /// Whether it is known that this process never takes it, as with a claim about channels that another process uses.
    pub(crate) never: bool,
    pub(crate) rank: u8,
    /// Parts that decide whether it is enabled.
    pub(crate) enabling: Bits,
    /// The same where a channel is not empty whose first message it waits for, and where the state has its length:
    /// who puts another message behind that one does not enable it.
    pub(crate) at_head: Option<(Strip, Bits)>,
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
    /// The same, with what is done in the same action after it.
    pub(crate) all_reads: Bits,
    pub(crate) all_writes: Bits,
    /// Offers that others must make for the later steps of the same action.
    pub(crate) later: Bits,
    pub(crate) offers: Vec<u32>,
    pub(crate) needs: Vec<Need>,
    /// Whether its event, and so its partners, depend on the state.
    pub(crate) varies: bool,
    /// Its event, if that does not depend on the state.
    pub(crate) event: Option<EventId>,
    /// Whether it may be successful termination.
    pub(crate) ends: bool,
    /// Slots and kinds of the processes that it may start.
    pub(crate) starts: Vec<(u32, u32)>,
    /// How many processes it may start.
    pub(crate) start_count: u32,
    /// Whether it, or a step of smaller rank, can be taken in any state.
    pub(crate) always_enabled: bool,
    /// Whether it, or a step of smaller rank, is offered in any state.
    pub(crate) always_offered: bool,
    pub(crate) changes: Vec<(u32, Change)>,
    /// Buffered channels that it puts messages into, or takes messages from.
    pub(crate) fills: Vec<(u32, Fill)>,
    /// Who can tell when it is taken.
    pub(crate) tone: Tone,
    /// Whether a constraint sees to it that it, or something else of its process, is taken where it stays
    /// enabled.
    pub(crate) owed: bool,
    pub(crate) climb: Option<Climb>,
    /// Whether no other process ever has anything to do with it.
    pub(crate) lonely: bool,
}

impl Future {
    pub(crate) fn new(parts: usize, offers: usize) -> Future {
        Future {
            reads: Bits::new(parts),
            writes: Bits::new(parts),
            end_reads: Bits::new(parts),
            end_writes: Bits::new(parts),
            offers: Bits::new(offers),
            later: Bits::new(offers),
        }
    }

    fn join(&mut self, other: &Future) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        self.end_reads.join(&other.end_reads);
        self.end_writes.join(&other.end_writes);
        self.offers.join(&other.offers);
        self.later.join(&other.later);
    }
}

impl Step {
    /// Whether it may disturb something that a process does in its future, or be disturbed.
    pub(crate) fn disturbs(&self, future: &Future, with_end: bool) -> bool {
        self.all_writes.meets(&future.reads)
            || self.all_writes.meets(&future.writes)
            || self.all_reads.meets(&future.writes)
            || with_end
                && (self.all_writes.meets(&future.end_reads)
                    || self.all_writes.meets(&future.end_writes)
                    || self.all_reads.meets(&future.end_writes))
    }

    /// Whether a message waits in the channel that it receives from first, in a state with this row.
    pub(crate) fn has_message(&self, row: &[u64]) -> bool {
        self.at_head.as_ref().is_some_and(|(length, _)| length.get(row, 0) > 0)
    }

    /// Whether something that a process does in its future may enable it, which it is not, in a state in which a
    /// [message](Step::has_message) waits, or does not.
    pub(crate) fn is_enabled_by(&self, future: &Future, with_end: bool, message: bool) -> bool {
        let enabling = match &self.at_head {
            Some((_, enabling)) if message => enabling,
            _ => &self.enabling,
        };
        enabling.meets(&future.writes) || with_end && enabling.meets(&future.end_writes)
    }
}

impl Skeleton {
    /// Every place that a process can be at: slot, kind, location.
    pub(crate) fn spots(&self) -> impl DoubleEndedIterator<Item = (usize, usize, usize)> + use<> {
        let mut all = Vec::new();
        for (slot, variants) in self.slots.iter().enumerate() {
            for (variant, spots) in variants.iter().enumerate() {
                all.extend((0..spots.len()).map(|location| (slot, variant, location)));
            }
        }
        all.into_iter()
    }

    pub(crate) fn spot(&self, slot: usize, variant: usize, location: usize) -> &Spot {
        &self.slots[slot][variant][location]
    }

    /// A step, if it is there.
    pub(crate) fn step(&self, part: &Part) -> Option<&Step> {
        let spot = self.spot(part.slot as usize, part.variant as usize, part.location as usize);
        spot.steps.get(part.edge as usize)
    }

    /// Works out all that follows from the steps themselves.
    pub(crate) fn complete(&mut self) {
        for (slot, variant, location) in self.spots() {
            let mut offers = Bits::new(self.offers);
            let mut future = Future::new(self.parts, self.offers);
            let spot = &mut self.slots[slot][variant][location];
            for step in &mut spot.steps {
                step.offers.iter().for_each(|&offer| {
                    offers.insert(offer as usize);
                });
                step.all_reads = step.reads.clone();
                step.all_writes = step.writes.clone();
                step.later = Bits::new(self.offers);
                // A step that waits for everything else to stop is not taken while something else
                // can be, which is as long as an ample set matters.
                if step.waits || step.never {
                    continue;
                }
                let ends = step.target.is_none();
                if ends {
                    future.end_reads.join(&step.reads);
                    future.end_writes.join(&step.writes);
                } else {
                    future.reads.join(&step.reads);
                    future.writes.join(&step.writes);
                }
            }
            future.offers.join(&offers);
            spot.offers = offers;
            spot.future = future;
        }
        self.hulls();
        self.futures();
        self.note_users();
        for (slot, variant, location) in self.spots() {
            let steps = &self.slots[slot][variant][location].steps;
            let lonely: Vec<bool> =
                steps.iter().map(|step| self.disturbed(slot, step) == 0 && !step.varies).collect();
            let spot = &mut self.slots[slot][variant][location];
            spot.free = lonely.iter().all(|&it| it);
            spot.steps.iter_mut().zip(lonely).for_each(|(step, lonely)| step.lonely = lonely);
        }
    }

    /// Later steps of the same action belong to it.
    fn hulls(&mut self) {
        let mut grown = true;
        while grown {
            grown = false;
            for (slot, variant, location) in self.spots().rev() {
                for at in 0..self.slots[slot][variant][location].steps.len() {
                    let step = &self.slots[slot][variant][location].steps[at];
                    let (true, Some(target)) = (step.holds, step.target) else { continue };
                    let mut step = step.clone();
                    let next = self.slots[slot][variant][target as usize].steps.iter();
                    for next in next.filter(|next| !next.never) {
                        // Whether it goes on depends on what it could go on with.
                        grown |= step.all_reads.join(&next.enabling);
                        grown |= step.all_reads.join(&next.all_reads);
                        grown |= step.all_writes.join(&next.all_writes);
                        grown |= step.later.join(&next.later);
                        for need in &next.needs {
                            grown |= step.later.insert(need.offer());
                        }
                    }
                    self.slots[slot][variant][location].steps[at] = step;
                }
            }
        }
    }

    fn futures(&mut self) {
        let mut grown = true;
        while grown {
            grown = false;
            for (slot, variant, location) in self.spots().rev() {
                let spot = &self.slots[slot][variant][location];
                let mut future = spot.future.clone();
                for step in spot.steps.iter().filter(|step| !step.waits) {
                    future.later.join(&step.later);
                    if let Some(target) = step.target {
                        future.join(&self.slots[slot][variant][target as usize].future);
                    }
                    for &(slot, variant) in &step.starts {
                        let child = &self.slots[slot as usize][variant as usize][0].future;
                        // The parts of a process in this slot now are out of reach of one that comes after it.
                        // A process that reads them from elsewhere reads whether the slot is in use, and
                        // starting a process there changes that.
                        let own = &self.own[slot as usize];
                        future.reads.join_without(&child.reads, own);
                        future.reads.join_without(&child.end_reads, own);
                        future.writes.join_without(&child.writes, own);
                        future.writes.join_without(&child.end_writes, own);
                        future.offers.join(&child.offers);
                        future.later.join(&child.later);
                    }
                }
                let spot = &mut self.slots[slot][variant][location];
                if spot.future != future {
                    grown = true;
                    spot.future = future;
                }
            }
        }
    }

    fn note_users(&mut self) {
        let blank = |count: usize| vec![User::default(); count.next_multiple_of(64)];
        let mut users = Users {
            readers: blank(self.parts),
            writers: blank(self.parts),
            offering: blank(self.offers),
            needing: blank(self.offers),
            offers: Vec::new(),
        };
        for (slot, variants) in self.slots.iter().enumerate() {
            let mut total = Future::new(self.parts, self.offers);
            variants.iter().flatten().for_each(|spot| total.join(&spot.future));
            total.reads.join(&total.end_reads);
            total.writes.join(&total.end_writes);
            total.reads.iter().for_each(|part| users.readers[part].add(slot));
            total.writes.iter().for_each(|part| users.writers[part].add(slot));
            total.offers.iter().for_each(|offer| users.offering[offer].add(slot));
            total.later.iter().for_each(|offer| users.needing[offer].add(slot));
            users.offers.push(total.offers);
        }
        self.users = users;
    }

    /// How much a step may ever have to do with other processes; 0 only if it has nothing to do with any.
    pub(crate) fn disturbed(&self, slot: usize, step: &Step) -> usize {
        let Users { readers, writers, offering, needing, offers } = &self.users;
        let sum = |bits: &Bits, users: &[User]| -> usize {
            bits.iter().map(|at| users[at].others(slot)).sum()
        };
        let disturbs = sum(&step.all_writes, readers) + sum(&step.all_writes, writers);
        let is_disturbed = sum(&step.all_reads, writers) + sum(&step.enabling, writers);
        let needs = if step.needs.is_empty() { 0 } else { self.slots.len() };
        // A process that moves may offer something else then.
        let met = sum(&step.later, offering) + sum(&offers[slot], needing);
        disturbs + is_disturbed + met + needs
    }

    /// Whether processes end successfully only all together, so that nothing comes after it.
    pub fn ends_together(&self) -> bool {
        self.ends_together
    }

    /// Whether some ample set may ever leave something out.
    pub fn is_reducible(&self) -> bool {
        let steps = self.slots.iter().flatten().flatten().flat_map(|spot| &spot.steps);
        self.slots.len() > 1 && steps.into_iter().any(|step| step.tone < Tone::Loud)
    }
}

impl Need {
    /// The offer that is needed.
    pub(crate) fn offer(&self) -> usize {
        match self {
            Need::All { offer, .. } | Need::Some { offer, .. } | Need::Partner { offer } => {
                *offer as usize
            }
        }
    }
}
