//! The atomics, and under `cfg(loom)` those of the model checker that tries their interleavings.

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

/// Waits a little for another thread, longer the more often it was called.
///
/// The other one may have been preempted in the middle of what it does, so spinning gives up its
/// turn early.
#[derive(Default)]
pub(crate) struct Patience {
    #[cfg(not(loom))]
    spins: u32,
}

impl Patience {
    #[cold]
    pub(crate) fn wait(&mut self) {
        #[cfg(loom)]
        loom::thread::yield_now();
        #[cfg(not(loom))]
        if self.spins < 64 {
            self.spins += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
