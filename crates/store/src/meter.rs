//! Every byte that a program asks for, counted and bounded by its allocator.
//!
//! The tables of this crate keep to their limits by themselves. What else a search holds is in vectors and
//! maps of many modules, and of libraries, none of which can be relied on to count. So the program counts
//! where all of it comes from: it makes [`Metered`] its global allocator. Programs that do not, such as
//! tests, have nothing counted and nothing limited here.
//!
//! A limit is kept in three ways, the mildest first.
//!
//! - Searches ask [`is_exceeded`] before each node, and stop if it is.
//! - Requests that can be refused, those of the tables here and those inside of [`fallibly`], are refused if
//!   they would exceed the limit, *before* the memory is taken.
//! - A request that cannot be refused and would exceed the limit by more than [`MARGIN`] ends the work. The
//!   thread that made it never goes on. A thread that called [`stand_guard`] sees [`exhausted`] and reports
//!   what has been found out so far; without one, the process says that it ran out of memory and ends with
//!   the exit code 3. The same happens if the system refuses memory, instead of an abort. Some memory is kept
//!   in reserve for the report.
//!
//! The `cap` crate counts too, but refuses by returning null, which makes vectors abort the process.
//!
//! # What is counted
//!
//! The bytes of every request, and what an allocator needs to manage it. Each thread counts by itself up to
//! [`BATCH`] bytes and then adds that to what all threads share, so that counting costs a few instructions.
//! The rest has a fixed share of the limit, [`PROGRAM`]: the program's code, stacks, and memory that was given back
//! and is kept by the allocator for later requests.
//!
//! # Contracts
//!
//! `Metered` passes every request to the system's allocator with its layout unchanged, so that it keeps the
//! contract of [`GlobalAlloc`] exactly if that one does. Counting allocates nothing: thread-local cells are
//! initialised by constants and have no destructors.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};

/// Bytes that a thread counts by itself.
pub const BATCH: usize = 32 << 10;
/// Reserve beyond a limit for requests that cannot be refused: one in so many bytes of it, and not less than 1
/// MiB.
pub const MARGIN: usize = 50;
/// Part of a limit that is not for requests: the program's code, its stacks, the reserve of its allocator.
/// Measured are 20 MiB resident after a small model was checked.
pub const PROGRAM: usize = 20 << 20;
/// The least that may be requested, whatever the limit.
pub const LEAST: usize = 8 << 20;
/// Kept for the report when memory is exhausted.
const RESERVE: usize = 4 << 20;

static USED: AtomicUsize = AtomicUsize::new(0);
/// The limit as it was given.
static GIVEN: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Limit for requests that can be refused, and limit that ends the work; none at first.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
/// 0, or what has run out.
static EXHAUSTED: AtomicU8 = AtomicU8::new(0);
static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static IS_GUARDED: AtomicBool = AtomicBool::new(false);
static KEPT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Bytes that this thread has taken since it last added them to the common count.
    static TAKEN: Cell<isize> = const { Cell::new(0) };
    static IS_FALLIBLE: Cell<bool> = const { Cell::new(false) };
    static IS_GUARD: Cell<bool> = const { Cell::new(false) };
}

/// The limit that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The limit was reached.
    Limit,
    /// The system has no more memory.
    System,
}

/// The system's allocator, with what it gives counted.
#[derive(Debug)]
pub struct Metered;

/// Begins to count, in a program whose global allocator is [`Metered`].
pub fn begin() {
    IS_COUNTING.store(true, Ordering::Relaxed);
    keep_one_arena();
    let layout = Layout::new::<[u8; RESERVE]>();
    // SAFETY: the layout has a size.
    let kept = unsafe { System.alloc(layout) };
    let before = KEPT.swap(kept, Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: it came from the same allocator with the same layout, and no other owner is left.
        unsafe { System.dealloc(before, layout) };
    }
}

/// Has all threads share what the C library keeps of memory that was given back. Otherwise each may keep some,
/// and reserves 64 MiB of addresses for itself.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_one_arena() {
    use std::ffi::c_int;
    unsafe extern "C" {
        fn mallopt(option: c_int, value: c_int) -> c_int;
    }
    const M_ARENA_MAX: c_int = -8;
    // SAFETY: it sets a number; nothing depends on whether it is taken.
    unsafe { mallopt(M_ARENA_MAX, 1) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_one_arena() {}

/// Sets the most bytes that the program may use from now on, [`PROGRAM`] among them.
pub fn limit(bytes: usize) {
    GIVEN.store(bytes, Ordering::Relaxed);
    let bytes = bytes.saturating_sub(PROGRAM).max(LEAST);
    LIMIT.store(bytes, Ordering::Relaxed);
    let margin = (bytes / MARGIN).max(1 << 20);
    CEILING.store(bytes.saturating_add(margin), Ordering::Relaxed);
}

/// How many bytes the program uses; `None` if they are not counted.
#[inline]
pub fn used() -> Option<usize> {
    // Threads may have given back what others have taken and not yet added.
    let used = USED.load(Ordering::Relaxed).cast_signed().max(0).cast_unsigned();
    IS_COUNTING.load(Ordering::Relaxed).then_some(used)
}

/// Whether the program uses more than the limit.
#[inline]
pub fn is_exceeded() -> bool {
    used().is_some_and(|used| used > LIMIT.load(Ordering::Relaxed))
}

/// The limit, if it does not allow so many more bytes.
pub fn limit_before(bytes: usize) -> Option<usize> {
    let limit = LIMIT.load(Ordering::Relaxed);
    let exceeds = used().is_some_and(|used| used.saturating_add(bytes) > limit);
    exceeds.then(|| GIVEN.load(Ordering::Relaxed))
}

/// Lets requests for memory fail while `work` is done, in this thread: for those who can deal with it, as
/// [`Vec::try_reserve`] lets them.
pub fn fallibly<T>(work: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_FALLIBLE.set(self.0);
        }
    }
    let _before = Before(IS_FALLIBLE.replace(true));
    work()
}

/// Makes this thread the one that reports when memory is exhausted. It may take more than the limit, and has
/// to look at [`exhausted`] often, because others wait for it to end the process.
pub fn stand_guard() {
    IS_GUARD.set(true);
    IS_GUARDED.store(true, Ordering::Relaxed);
}

/// The limit that has run out, if any.
pub fn exhausted() -> Option<Exhausted> {
    match EXHAUSTED.load(Ordering::Acquire) {
        0 => None,
        1 => Some(Exhausted::Limit),
        _ => Some(Exhausted::System),
    }
}

/// Memory that a block of so many bytes takes, as common allocators manage it: a word in front, and a multiple
/// of two words.
#[inline]
fn gross(size: usize) -> usize {
    (size.saturating_add(23) & !15).max(32)
}

/// Counts what is about to be taken; `false` if it must not be.
#[inline]
fn take(bytes: usize) -> bool {
    let taken = TAKEN.get().wrapping_add_unsigned(bytes);
    if taken < BATCH.cast_signed() {
        TAKEN.set(taken);
        return true;
    }
    take_more(taken, bytes)
}

#[cold]
fn take_more(taken: isize, bytes: usize) -> bool {
    let used = USED.fetch_add(taken.cast_unsigned(), Ordering::Relaxed);
    let used = used.wrapping_add_signed(taken);
    TAKEN.set(0);
    if used.cast_signed() <= 0 || IS_GUARD.get() {
        return true;
    }
    if IS_FALLIBLE.get() {
        let fits = used <= LIMIT.load(Ordering::Relaxed);
        if !fits {
            give(bytes);
        }
        return fits;
    }
    if used > CEILING.load(Ordering::Relaxed) {
        run_out(1);
    }
    true
}

/// Counts what has been given back.
#[inline]
fn give(bytes: usize) {
    let taken = TAKEN.get().wrapping_sub_unsigned(bytes);
    if taken > -BATCH.cast_signed() {
        TAKEN.set(taken);
    } else {
        USED.fetch_add(taken.cast_unsigned(), Ordering::Relaxed);
        TAKEN.set(0);
    }
}

/// There is no more memory for a request that cannot be refused.
#[cold]
fn run_out(what: u8) {
    let first = EXHAUSTED.compare_exchange(0, what, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    if first {
        let kept = KEPT.swap(ptr::null_mut(), Ordering::AcqRel);
        if !kept.is_null() {
            // SAFETY: `begin` had it from this allocator with this layout; the swap makes it ours alone.
            unsafe { System.dealloc(kept, Layout::new::<[u8; RESERVE]>()) };
        }
    }
    if IS_GUARDED.load(Ordering::Relaxed) {
        loop {
            // The guard ends the process.
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
    end();
}

/// Ends the process at once: there is no reporter, or no memory even for a report.
#[cold]
fn end() -> ! {
    const SAID: &[u8] = b"unknown: out of memory\n";
    const UNKNOWN: i32 = 3;
    #[cfg(unix)]
    {
        use std::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn write(file: c_int, text: *const c_void, length: usize) -> isize;
            fn _exit(code: c_int) -> !;
        }
        // SAFETY: the text is there and has this length. Nothing that runs at exit can be relied on now.
        unsafe {
            write(2, SAID.as_ptr().cast(), SAID.len());
            _exit(UNKNOWN)
        }
    }
    #[cfg(not(unix))]
    {
        use std::io::Write;
        let _ = std::io::stderr().write_all(SAID);
        std::process::exit(UNKNOWN)
    }
}

/// The system has refused a request. Returns whether the caller may be told.
#[cold]
fn refused(bytes: usize) {
    give(bytes);
    if !IS_FALLIBLE.get() {
        if IS_GUARD.get() {
            end();
        }
        run_out(2);
    }
}

// SAFETY: every request goes to the system's allocator as it is, and so does what it returns, except that a
// request may be refused, with null, without asking. Counting does not allocate or unwind.
unsafe impl GlobalAlloc for Metered {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = gross(layout.size());
        if !take(bytes) {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of the same function.
        let start = unsafe { System.alloc(layout) };
        if start.is_null() {
            refused(bytes);
        }
        start
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let bytes = gross(layout.size());
        if !take(bytes) {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of the same function.
        let start = unsafe { System.alloc_zeroed(layout) };
        if start.is_null() {
            refused(bytes);
        }
        start
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        give(gross(layout.size()));
        // SAFETY: the caller keeps the contract of the same function.
        unsafe { System.dealloc(start, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (old, new) = (gross(layout.size()), gross(size));
        if new > old && !take(new - old) {
            return ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of the same function.
        let start = unsafe { System.realloc(start, layout, size) };
        if start.is_null() {
            refused(new.saturating_sub(old));
        } else if new < old {
            give(old - new);
        }
        start
    }
}
