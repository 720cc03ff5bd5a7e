//! When to stop, for work that may take long and is no search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A deadline, and a wish that another thread may have. Never, by default.
///
/// It is passed to whatever may take long: reading, lowering and preparing models, judging runs. Such work asks
/// [`is_due`](Stop::is_due) now and then and gives up, with an error that its caller turns into *unknown*, or
/// with a result that is right without it, such as no reduction.
///
/// ```
/// use std::time::Instant;
/// use fairly_omega::Stop;
/// assert!(!Stop::default().is_due());
/// assert!(Stop { deadline: Some(Instant::now()), wish: None }.is_due());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop {
    /// When there is no more time.
    pub deadline: Option<Instant>,
    /// Flag that becomes true once a stop was requested.
    pub wish: Option<&'static AtomicBool>,
}

impl Stop {
    /// Whether to stop now. It looks at the clock, which takes as long as some ten operations.
    pub fn is_due(&self) -> bool {
        self.wish.is_some_and(|wish| wish.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
