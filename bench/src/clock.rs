//! Clocks: the cost of a piece of work on a machine that others use too.

use std::time::{Duration, Instant};

/// The processor time of this thread so far. The kernel brings it up to date a few hundred times a
/// second, so it says nothing about less than that.
fn processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Below this, the wall clock is the better one: few processes are interrupted that soon.
const SHORT: Duration = Duration::from_millis(40);

/// Does the work and tells how long it took: processor time where there is such a thing and it is
/// long enough to be measured so, else time on the wall.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (before, start) = (processor(), Instant::now());
    let result = work();
    let (wall, after) = (start.elapsed(), processor());
    let time = match (before, after) {
        (Some(before), Some(after)) if wall >= SHORT => after.saturating_sub(before),
        _ => wall,
    };
    (result, time)
}
