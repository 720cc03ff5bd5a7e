//! The behaviour of a system, without numbers for its states.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use fairly_omega::Stop;

use crate::action::{ActionId, MoveId, Signature};
use crate::blocked::Blocked;
use crate::growth::Growth;
use crate::transition_system::{AtomIndex, Fault};
use crate::value::StateValues;

/// The behaviour of a system: what can happen in a state, and what is true there.
///
/// A state is a row of words. Two states are the same exactly if their words are. A space does not change while
/// it is explored, but for the lists of its [`Signature`], and any number of threads may use it at once, each
/// with a [`Scratch`] of its own. The same row has the same steps in the same order every time.
///
/// A space gives no numbers to states and keeps none of them: that is the work of `explore`.
pub trait Space: Send + Sync {
    /// The processes, events, moves and actions.
    fn signature(&self) -> &Signature;

    /// Words of a row; at least one.
    fn width(&self) -> usize;

    /// The first words of a row, without those at its end that matter only inside steps and are nearly always the same
    /// in states that are stored. It is a guess: any row may end in any way.
    fn lasting(&self) -> usize {
        self.width()
    }

    /// How nearly all rows end, beyond the words that [last](Space::lasting).
    fn tail(&self) -> Vec<u64> {
        let (lasting, width) = (self.lasting(), self.width());
        if lasting >= width {
            return Vec::new();
        }
        let mut steps = Steps::default();
        self.initial(&mut self.scratch(), &mut steps);
        match steps.fault(0) {
            None => steps.rows.get(lasting..width).map_or_else(Vec::new, <[u64]>::to_vec),
            Some(_) => Vec::new(),
        }
    }

    /// Memory for one worker.
    fn scratch(&self) -> Scratch;

    /// Appends the initial states to `out`, as steps out of a row that there is not.
    fn initial(&self, scratch: &mut Scratch, out: &mut Steps);

    /// Appends the steps that are enabled in some rows, which follow each other, one row after the other.
    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps);

    /// Appends the moves that single processes offer in a row, whether or not others join in: readiness is
    /// about these.
    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>);

    /// The state proposition with this text, if the space understands it. Asking twice gives the same index.
    fn atom(&self, text: &str) -> Option<AtomIndex>;

    /// Whether a proposition holds in a row.
    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool;

    /// The parts of a state by name, with types.
    fn values(&self, row: &[u64]) -> StateValues;

    /// The parts of a state by name as they are shown, in an order that does not depend on the state.
    fn valuation(&self, _row: &[u64]) -> Vec<(String, String)> {
        Vec::new()
    }

    /// A state on one line.
    fn describe(&self, row: &[u64]) -> String {
        let parts = self.valuation(row).into_iter().map(|(name, value)| format!("{name}={value}"));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The reasons why processes cannot move in a state in which nothing is enabled. Processes that have
    /// ended are not listed.
    fn blocked(&self, _row: &[u64], _scratch: &mut Scratch) -> Vec<Blocked> {
        Vec::new()
    }

    /// Part that kept growing in rows that were met in this order. `read` copies the row at a position, or says that
    /// there is none because something went wrong in the step to it.
    fn growth(
        &self,
        _count: usize,
        _read: &mut dyn FnMut(usize, &mut [u64]) -> bool,
    ) -> Option<Growth> {
        None
    }
}

/// A space in which a process can *hold*: as long as it does, no other process can move, so what it does until it
/// no longer holds is an atomic sequence.
pub trait Sequences: Space {
    /// Where a row says whether a process holds; `None` if none ever does.
    fn holder(&self) -> Option<Holder>;

    /// Whether some process may hold in some state.
    fn may_hold(&self) -> bool {
        self.holder().is_some()
    }

    /// Whether a process holds in a row.
    fn is_held(&self, row: &[u64]) -> bool {
        self.holder().is_some_and(|holder| holder.is_held(row))
    }

    /// Limits on what is passed through in one step.
    fn sequence_limits(&self) -> SequenceLimits;

    /// How many steps of a process that holds [`expand`](Space::expand) may make at once, at the most: up to
    /// [`MOST_AT_ONCE`].
    fn most_at_once(&self) -> usize {
        1
    }

    /// As [`expand`](Space::expand), with every step by itself.
    fn expand_singly(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        self.expand(rows, scratch, out);
    }
}

/// Bits of a row that are all zero exactly where no process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Position of the word that they are in.
    pub word: usize,
    /// The bits.
    pub mask: u64,
}

impl Holder {
    /// Whether a process holds in a row.
    #[inline]
    pub fn is_held(self, row: &[u64]) -> bool {
        row[self.word] & self.mask != 0
    }
}

/// Steps of a process that holds which a space may make at once, at the most.
pub const MOST_AT_ONCE: usize = 17;

/// Limits on the states inside the atomic sequences that begin in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceLimits {
    /// States.
    pub states: usize,
    /// Words of those states together.
    pub words: usize,
    /// Steps along all ways through those states.
    pub ways: usize,
}

macro_rules! space_through_pointer {
    ($pointer:ident) => {
        impl<S: Space + ?Sized> Space for $pointer<S> {
            fn signature(&self) -> &Signature {
                (**self).signature()
            }

            fn width(&self) -> usize {
                (**self).width()
            }

            fn lasting(&self) -> usize {
                (**self).lasting()
            }

            fn scratch(&self) -> Scratch {
                (**self).scratch()
            }

            fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
                (**self).initial(scratch, out);
            }

            fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
                (**self).expand(rows, scratch, out);
            }

            fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
                (**self).offered(row, scratch, out);
            }

            fn atom(&self, text: &str) -> Option<AtomIndex> {
                (**self).atom(text)
            }

            fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool {
                (**self).holds(row, atom, scratch)
            }

            fn values(&self, row: &[u64]) -> StateValues {
                (**self).values(row)
            }

            fn valuation(&self, row: &[u64]) -> Vec<(String, String)> {
                (**self).valuation(row)
            }

            fn describe(&self, row: &[u64]) -> String {
                (**self).describe(row)
            }

            fn blocked(&self, row: &[u64], scratch: &mut Scratch) -> Vec<Blocked> {
                (**self).blocked(row, scratch)
            }

            fn growth(
                &self,
                count: usize,
                read: &mut dyn FnMut(usize, &mut [u64]) -> bool,
            ) -> Option<Growth> {
                (**self).growth(count, read)
            }
        }
    };
}

space_through_pointer!(Arc);
space_through_pointer!(Box);

impl<S: Sequences + ?Sized> Sequences for Arc<S> {
    fn holder(&self) -> Option<Holder> {
        (**self).holder()
    }

    fn sequence_limits(&self) -> SequenceLimits {
        (**self).sequence_limits()
    }

    fn most_at_once(&self) -> usize {
        (**self).most_at_once()
    }

    fn expand_singly(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        (**self).expand_singly(rows, scratch, out);
    }
}

/// Implements [`Space`] for a space that changes nothing but steps: all else is asked of the field that is named,
/// with the worker's memory that the expression finds.
#[macro_export]
macro_rules! delegate_space {
    ($inner:ident, $work:ty) => {
        fn signature(&self) -> &$crate::Signature {
            self.$inner.signature()
        }

        fn width(&self) -> usize {
            self.$inner.width()
        }

        fn lasting(&self) -> usize {
            self.$inner.lasting()
        }

        fn offered(
            &self,
            row: &[u64],
            scratch: &mut $crate::Scratch,
            out: &mut Vec<$crate::MoveId>,
        ) {
            self.$inner.offered(row, &mut scratch.of::<$work>().inner, out);
        }

        fn atom(&self, text: &str) -> Option<$crate::AtomIndex> {
            self.$inner.atom(text)
        }

        fn holds(
            &self,
            row: &[u64],
            atom: $crate::AtomIndex,
            scratch: &mut $crate::Scratch,
        ) -> bool {
            self.$inner.holds(row, atom, &mut scratch.of::<$work>().inner)
        }

        fn values(&self, row: &[u64]) -> $crate::StateValues {
            self.$inner.values(row)
        }

        fn valuation(&self, row: &[u64]) -> Vec<(String, String)> {
            self.$inner.valuation(row)
        }

        fn describe(&self, row: &[u64]) -> String {
            self.$inner.describe(row)
        }

        fn blocked(&self, row: &[u64], scratch: &mut $crate::Scratch) -> Vec<$crate::Blocked> {
            self.$inner.blocked(row, &mut scratch.of::<$work>().inner)
        }

        fn growth(
            &self,
            count: usize,
            read: &mut dyn FnMut(usize, &mut [u64]) -> bool,
        ) -> Option<$crate::Growth> {
            self.$inner.growth(count, read)
        }
    };
}

/// Memory that one worker reuses from one call of a [`Space`] to the next.
pub struct Scratch {
    own: Box<dyn Any + Send>,
    /// When to stop, asked now and then while a single step takes long. Then the step ends in a fault of the
    /// kind [`FaultKind::Limit`](crate::FaultKind::Limit).
    pub stop: Stop,
    /// Bytes of what is remembered from one row to the next, about, if that grows.
    pub bytes: usize,
}

impl Scratch {
    /// Memory of a type that a space chooses.
    pub fn new<T: Any + Send>(own: T) -> Scratch {
        Scratch { own: Box::new(own), stop: Stop::default(), bytes: 0 }
    }

    /// The memory, as the space that made it knows it.
    ///
    /// # Panics
    /// If another space made it.
    #[inline]
    pub fn of<T: Any + Send>(&mut self) -> &mut T {
        self.own.downcast_mut().expect("a worker's memory goes to the space that made it")
    }
}

/// Steps out of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The action of each step.
    pub actions: Vec<ActionId>,
    /// The rows that the steps lead to, one after the other. A step in which something goes wrong has a row
    /// that means nothing.
    pub rows: Vec<u64>,
    /// By row that was expanded: where its steps end.
    pub ends: Vec<usize>,
    /// The steps in which something goes wrong, by position and in order.
    pub faults: Vec<(usize, Fault)>,
    /// Actions that are enabled although there are no steps of them here, because a reduction leaves them out
    /// or because they leave a cycle that is shown: each with the position of its row among those expanded.
    pub omitted: Vec<(usize, ActionId)>,
    /// The rows, by position among those expanded, from which on no run takes an action that is omitted there,
    /// although it could have gone on otherwise had it not come there: see
    /// [`TransitionSystem::is_committed`](crate::TransitionSystem::is_committed).
    pub committed: Vec<usize>,
}

impl Steps {
    /// Removes all steps.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.rows.clear();
        self.ends.clear();
        self.faults.clear();
        self.omitted.clear();
        self.committed.clear();
    }

    /// The rows that the steps at some positions lead to; rows have so many words.
    pub fn rows_of(&self, steps: Range<usize>, width: usize) -> &[u64] {
        &self.rows[steps.start * width..steps.end * width]
    }

    /// The positions of the steps out of each row that was expanded.
    pub fn by_row(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| begin..end)
    }

    /// Appends a step.
    pub fn push(&mut self, action: ActionId, row: &[u64]) {
        self.actions.push(action);
        self.rows.extend_from_slice(row);
    }

    /// Appends a step in which something goes wrong; rows have so many words.
    pub fn push_fault(&mut self, action: ActionId, fault: Fault, width: usize) {
        self.faults.push((self.actions.len(), fault));
        self.actions.push(action);
        self.rows.resize(self.rows.len() + width, 0);
    }

    /// Appends the steps out of one row that has not [ended](Steps::end_row); rows have so many words.
    pub fn append(&mut self, other: &Steps, width: usize) {
        debug_assert_eq!(other.rows.len(), other.actions.len() * width);
        let first = self.actions.len();
        self.actions.extend_from_slice(&other.actions);
        self.rows.extend_from_slice(&other.rows);
        self.faults.extend(other.faults.iter().map(|(at, fault)| (first + at, fault.clone())));
    }

    /// Makes these the steps at some positions of others, as those out of one row that has not
    /// [ended](Steps::end_row); rows have so many words.
    pub fn take_from(&mut self, other: &Steps, of: Range<usize>, width: usize) {
        self.clear();
        self.actions.extend_from_slice(&other.actions[of.clone()]);
        self.rows.extend_from_slice(other.rows_of(of.clone(), width));
        let faults = other.faults.iter().filter(|(at, _)| of.contains(at));
        self.faults.extend(faults.map(|(at, fault)| (at - of.start, fault.clone())));
    }

    /// Makes the steps from a position on, which are those of a row that has not [ended](Steps::end_row), a single
    /// one in which it is time to stop; rows have so many words. None of the others may stay: what is enabled in
    /// the state would be wrong.
    pub fn stop(&mut self, first: usize, action: ActionId, width: usize) {
        self.actions.truncate(first);
        self.rows.truncate(first * width);
        self.faults.retain(|(at, _)| *at < first);
        self.push_fault(action, Fault::stopped(), width);
    }

    /// Says that the steps of one more row are there.
    pub fn end_row(&mut self) {
        self.ends.push(self.actions.len());
    }

    /// The fault of the step at a position.
    pub fn fault(&self, at: usize) -> Option<&Fault> {
        self.faults.iter().find(|(step, _)| *step == at).map(|(_, fault)| fault)
    }

    /// Drops steps that are not to be kept, by position; rows have so many words. Only while the steps are those
    /// of a single row that has not [ended](Steps::end_row).
    pub fn retain(&mut self, width: usize, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.actions.len() {
            let is_kept = keep(at);
            match self.faults.iter().position(|(step, _)| *step == at) {
                Some(fault) if is_kept => self.faults[fault].0 = kept,
                Some(fault) => {
                    self.faults.remove(fault);
                }
                None => {}
            }
            if is_kept {
                self.actions[kept] = self.actions[at];
                self.rows.copy_within(at * width..(at + 1) * width, kept * width);
                kept += 1;
            }
        }
        self.actions.truncate(kept);
        self.rows.truncate(kept * width);
    }
}
