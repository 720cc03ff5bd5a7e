//! Threads that do one piece of work after the other together.

use std::ops::Range;
use std::sync::PoisonError;

use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// Times that a thread looks before it sleeps: a piece of work mostly follows the last one at once.
const LOOKS: u32 = if cfg!(loom) { 0 } else { 2_000 };

/// Threads that do one piece of work after the other together. One of them calls the others, works too, and waits for
/// them.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use fairly_store::Crew;
/// let (crew, sum) = (Crew::default(), AtomicUsize::new(0));
/// let work = |range: std::ops::Range<usize>| _ = sum.fetch_add(range.len(), Ordering::Relaxed);
/// std::thread::scope(|scope| {
///     let _dismissed = crew.dismissed_at_the_end();
///     scope.spawn(|| {
///         let mut known = 0;
///         while let Some(range) = crew.next(1, &mut known) {
///             let _done = crew.done_at_the_end();
///             work(range);
///         }
///     });
///     for end in [3, 5] {
///         crew.call(2, 0..end);
///         work(0..end);
///         crew.wait();
///     }
///     assert_eq!(sum.load(Ordering::Relaxed), 16);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Crew {
    /// The number of the present piece of work; 0 before the first.
    piece: AtomicU64,
    /// Threads that are at it, besides the one that called.
    busy: AtomicUsize,
    /// Whether one of them has panicked.
    is_broken: AtomicUsize,
    called: Mutex<Called>,
    /// A piece of work is there, or none will be.
    changed: Condvar,
    /// The last thread is done.
    done: Condvar,
}

#[derive(Debug, Default)]
struct Called {
    piece: u64,
    /// The threads with smaller numbers are to work.
    workers: usize,
    range: Range<usize>,
    is_dismissed: bool,
}

/// Says that a thread is done when it is dropped, also in a panic.
#[derive(Debug)]
pub struct Done<'a>(&'a Crew);

/// Lets all threads go when it is dropped, also when the one that calls them panics.
#[derive(Debug)]
pub struct Dismissed<'a>(&'a Crew);

impl Crew {
    fn called(&self) -> MutexGuard<'_, Called> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls so many threads, the own one among them, to work on a range.
    pub fn call(&self, workers: usize, range: Range<usize>) {
        if workers < 2 {
            return;
        }
        let mut called = self.called();
        self.busy.store(workers - 1, Ordering::Release);
        let piece = called.piece + 1;
        *called = Called { piece, workers, range, is_dismissed: false };
        self.piece.store(piece, Ordering::Release);
        drop(called);
        self.changed.notify_all();
    }

    /// Waits for a range for the thread with this number. `known` is the last piece of work that it knows of.
    pub fn next(&self, number: usize, known: &mut u64) -> Option<Range<usize>> {
        loop {
            let mut looks = 0;
            while self.piece.load(Ordering::Acquire) == *known && looks < LOOKS {
                looks += 1;
                pause(looks);
            }
            let mut called = self.called();
            while called.piece == *known && !called.is_dismissed {
                called = self.changed.wait(called).unwrap_or_else(PoisonError::into_inner);
            }
            if called.is_dismissed {
                return None;
            }
            *known = called.piece;
            if number < called.workers {
                return Some(called.range.clone());
            }
        }
    }

    /// Says that a thread is done when this is dropped.
    pub fn done_at_the_end(&self) -> Done<'_> {
        Done(self)
    }

    /// Waits until all threads that were called are done.
    pub fn wait(&self) {
        let mut looks = 0;
        while self.busy.load(Ordering::Acquire) > 0 && looks < LOOKS {
            looks += 1;
            pause(looks);
        }
        let mut called = self.called();
        while self.busy.load(Ordering::Acquire) > 0 {
            called = self.done.wait(called).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether a thread has panicked, so that it will not come again.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire) == 1
    }

    /// Lets all threads go when this is dropped.
    pub fn dismissed_at_the_end(&self) -> Dismissed<'_> {
        Dismissed(self)
    }
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(1, Ordering::Release);
        }
        if self.0.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
            // With the lock, so that the one that waits has looked before or is asleep.
            drop(self.0.called());
            self.0.done.notify_all();
        }
    }
}

impl Drop for Dismissed<'_> {
    fn drop(&mut self) {
        let mut called = self.0.called();
        called.is_dismissed = true;
        self.0.piece.store(u64::MAX, Ordering::Release);
        drop(called);
        self.0.changed.notify_all();
    }
}

/// Lets a moment pass; the thread gives up its turn now and then, since there may be more threads than cores.
fn pause(looks: u32) {
    if looks.is_multiple_of(128) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
