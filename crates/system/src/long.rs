//! States whose steps take much work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

/// Remembers which states took much work, so that a limit that is reached again and again is not paid
/// for each time.
///
/// After a few states whose steps reached a limit, others are allowed a small share of the work only. A
/// state must have the same steps whenever it is asked, so what was decided about one that took more
/// than that share is remembered.
#[derive(Debug, Default)]
pub struct Long {
    /// Whether anything is known.
    any: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    failures: u32,
    /// By state: whether it stayed within the limits.
    states: HashMap<Box<[u64]>, bool>,
}

/// So many states may reach a limit before others are allowed less.
const PATIENCE: u32 = 2;

impl Long {
    /// The part of a limit that is always allowed.
    pub const SHARE: usize = 64;

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By how much limits are to be divided for a state.
    #[inline]
    pub fn share(&self, words: &[u64]) -> usize {
        if !self.any.load(Ordering::Relaxed) {
            return 1;
        }
        let known = self.known();
        match known.states.get(words) {
            Some(true) => 1,
            None if known.failures < PATIENCE => 1,
            _ => Long::SHARE,
        }
    }

    /// Takes note of a state that took more than the share, and stayed within the limits.
    pub fn succeed(&self, words: &[u64]) {
        self.any.store(true, Ordering::Relaxed);
        self.known().states.entry(words.into()).or_insert(true);
    }

    /// Takes note of a state that reached a limit.
    pub fn fail(&self, words: &[u64]) {
        self.any.store(true, Ordering::Relaxed);
        let mut known = self.known();
        if known.states.insert(words.into(), false).is_none() {
            known.failures += 1;
        }
    }

    /// Whether a state has reached a limit.
    pub fn has_failed(&self) -> bool {
        self.any.load(Ordering::Relaxed) && self.known().failures > 0
    }
}
