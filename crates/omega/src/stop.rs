//! When to stop: the one answer to that for all work that may take long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A deadline, a wish that another thread may have, and a limit on memory. Never, by default.
///
/// It is passed to whatever may take long: reading, lowering and preparing models, single steps of a search, judging
/// and showing runs. Such work asks [`is_due`](Stop::is_due) now and then and gives up, with an error that its caller
/// turns into *unknown*, or with a result that is right without it, such as no reduction.
///
/// ```
/// use std::time::Instant;
/// use fairly_omega::Stop;
/// assert!(!Stop::default().is_due());
/// assert!(Stop { deadline: Some(Instant::now()), ..Stop::default() }.is_due());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop {
    /// When there is no more time.
    pub deadline: Option<Instant>,
    /// Flag that becomes true once a stop was requested.
    pub wish: Option<&'static AtomicBool>,
    /// Tells whether the program uses more memory than it may, if there is a limit.
    pub memory: Option<fn() -> bool>,
}

impl Stop {
    /// Whether to stop now. It looks at the clock, which takes as long as some ten operations.
    pub fn is_due(&self) -> bool {
        self.wish.is_some_and(|wish| wish.load(Ordering::Relaxed))
            || self.memory.is_some_and(|is_exceeded| is_exceeded())
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
