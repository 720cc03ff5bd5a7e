//! Recorded histories of concurrent calls, and whether an object that does one call at a time explains them.
//!
//! A history is *linearizable* if its calls can be put in an order in which each takes effect between its invocation
//! and its return (Herlihy and Wing, 1990). It is *sequentially consistent* if there is an order that only keeps the
//! order of each caller (Lamport, 1979). A call that has not returned may have taken effect or not.
//!
//! The search is the one of Wing and Gong (1993), which remembers where it has been, as Lowe (2017) does.
//!
//! ```
//! use fairly::history::{History, Register, RegisterCall, RegisterReturn};
//!
//! let mut history = History::new();
//! history.invoke("A", RegisterCall::Write(1))?;
//! history.invoke("B", RegisterCall::Read)?;
//! history.returns("B", RegisterReturn::Read(1))?;
//! // A's call has not returned, and has taken effect all the same.
//! assert!(history.is_linearizable(&Register(0)));
//! history.returns("A", RegisterReturn::Written)?;
//! history.invoke("B", RegisterCall::Read)?;
//! history.returns("B", RegisterReturn::Read(0))?;
//! assert!(!history.is_linearizable(&Register(0)));
//! # Ok::<(), fairly::history::Misuse>(())
//! ```

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Debug};
use std::hash::Hash;

use crate::Permute;

/// An object that does one call at a time: what its calls return one after the other.
pub trait Sequential: Clone + Eq + Hash {
    /// A call with its arguments.
    type Call;
    /// The value that a call returns.
    type Return: Eq;

    /// Does a call.
    fn call(&mut self, call: &Self::Call) -> Self::Return;
}

/// A memory cell.
///
/// ```
/// use fairly::history::{Register, RegisterCall, RegisterReturn, Sequential};
///
/// let mut cell = Register(0);
/// assert_eq!(cell.call(&RegisterCall::Write(3)), RegisterReturn::Written);
/// assert_eq!(cell.call(&RegisterCall::Read), RegisterReturn::Read(3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Register<V>(pub V);

/// A call of a [`Register`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
pub enum RegisterCall<V> {
    /// Asks for the value.
    Read,
    /// Gives another one.
    Write(V),
}

/// Result of a call of a [`Register`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
pub enum RegisterReturn<V> {
    /// The value.
    Read(V),
    /// Nothing.
    Written,
}

impl<V: Clone + Eq + Hash> Sequential for Register<V> {
    type Call = RegisterCall<V>;
    type Return = RegisterReturn<V>;

    fn call(&mut self, call: &RegisterCall<V>) -> RegisterReturn<V> {
        match call {
            RegisterCall::Read => RegisterReturn::Read(self.0.clone()),
            RegisterCall::Write(value) => {
                self.0 = value.clone();
                RegisterReturn::Written
            }
        }
    }
}

/// A call in a history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
struct Recorded<T: Ord, C, R> {
    call: C,
    /// How many calls of each other caller had returned when it began; none is not listed.
    after: BTreeMap<T, usize>,
    returned: Option<R>,
}

/// The calls of several callers, each of which calls one thing after the other.
///
/// Two histories are equal if they have the same calls with the same returns, and the same calls came before others.
/// So a history can be a part of the state of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
pub struct History<T: Ord, C, R> {
    callers: BTreeMap<T, Vec<Recorded<T, C, R>>>,
}

/// A record that is none of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// A caller calls again before the call before has returned.
    Busy,
    /// A return without a call.
    NothingCalled,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misuse::Busy => "a caller calls again before its last call has returned",
            Misuse::NothingCalled => "a call returns that was not invoked",
        })
    }
}

impl std::error::Error for Misuse {}

impl<T: Ord, C, R> Default for History<T, C, R> {
    fn default() -> Self {
        History { callers: BTreeMap::new() }
    }
}

impl<T: Clone + Ord, C, R: Eq> History<T, C, R> {
    /// A history without calls.
    #[must_use]
    pub fn new() -> History<T, C, R> {
        History::default()
    }

    /// Records that a caller calls something.
    ///
    /// # Errors
    /// If its last call has not returned.
    pub fn invoke(&mut self, caller: T, call: C) -> Result<(), Misuse> {
        let completed = |calls: &Vec<Recorded<T, C, R>>| {
            calls.iter().filter(|call| call.returned.is_some()).count()
        };
        let is_other = |(other, count): &(T, usize)| *other != caller && *count > 0;
        let all = self.callers.iter().map(|(other, calls)| (other.clone(), completed(calls)));
        let after = all.filter(is_other).collect();
        let own = self.callers.entry(caller).or_default();
        if own.last().is_some_and(|last| last.returned.is_none()) {
            return Err(Misuse::Busy);
        }
        own.push(Recorded { call, after, returned: None });
        Ok(())
    }

    /// Records what the last call of a caller returns.
    ///
    /// # Errors
    /// If there is no such call, or it has returned already.
    #[expect(clippy::needless_pass_by_value, reason = "callers are given as to `invoke`")]
    pub fn returns(&mut self, caller: T, returned: R) -> Result<(), Misuse> {
        let last = self.callers.get_mut(&caller).and_then(|calls| calls.last_mut());
        match last.filter(|last| last.returned.is_none()) {
            Some(last) => {
                last.returned = Some(returned);
                Ok(())
            }
            None => Err(Misuse::NothingCalled),
        }
    }

    /// How many calls there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.callers.values().map(Vec::len).sum()
    }

    /// Whether there is no call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the object explains the history with every call taking effect between invocation and return.
    #[must_use]
    pub fn is_linearizable<S>(&self, object: &S) -> bool
    where
        S: Sequential<Call = C, Return = R>,
    {
        self.is_explained(object, true)
    }

    /// Whether the object explains the history with the calls of each caller in their order.
    #[must_use]
    pub fn is_sequentially_consistent<S>(&self, object: &S) -> bool
    where
        S: Sequential<Call = C, Return = R>,
    {
        self.is_explained(object, false)
    }

    fn is_explained<S>(&self, object: &S, keeps_time: bool) -> bool
    where
        S: Sequential<Call = C, Return = R>,
    {
        let names: Vec<&T> = self.callers.keys().collect();
        let callers: Vec<&Vec<Recorded<T, C, R>>> = self.callers.values().collect();
        let is_over = |taken: &[usize]| {
            let rest = callers.iter().zip(taken).flat_map(|(calls, &at)| &calls[at..]);
            rest.into_iter().all(|call| call.returned.is_none())
        };
        let is_late_enough = |call: &Recorded<T, C, R>, taken: &[usize]| {
            let all = names.iter().zip(taken);
            !keeps_time
                || all
                    .into_iter()
                    .all(|(name, &at)| call.after.get(*name).is_none_or(|&it| it <= at))
        };
        let start = (vec![0; callers.len()], object.clone());
        let mut seen = HashSet::from([start.clone()]);
        let mut left = vec![start];
        while let Some((taken, object)) = left.pop() {
            if is_over(&taken) {
                return true;
            }
            for (who, calls) in callers.iter().enumerate() {
                let Some(call) = calls.get(taken[who]) else { continue };
                if !is_late_enough(call, &taken) {
                    continue;
                }
                let mut after = object.clone();
                let returned = after.call(&call.call);
                if call.returned.as_ref().is_some_and(|it| *it != returned) {
                    continue;
                }
                let mut taken = taken.clone();
                taken[who] += 1;
                let next = (taken, after);
                if seen.insert(next.clone()) {
                    left.push(next);
                }
            }
        }
        false
    }
}
