//! Independent pieces of work on all processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Results of `work` for every item, in the order of the items.
///
/// A test has one thread. One that takes long by itself, when the others are through, leaves processors idle
/// unless it shares its work.
///
/// ```
/// use fairly_testkit::side_by_side;
///
/// assert_eq!(side_by_side(&["a", "bb", "ccc"], |text| text.len()), [1, 2, 3]);
/// ```
///
/// # Panics
/// If `work` does.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match items.get(at) {
                Some(item) => made.push((at, work(item))),
                None => return made,
            }
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let mut made = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..processors.min(items.len())).map(|_| scope.spawn(worker)).collect();
        let all =
            threads.into_iter().flat_map(|it| it.join().unwrap_or_else(|why| resume_unwind(why)));
        all.collect::<Vec<_>>()
    });
    made.sort_by_key(|&(at, _)| at);
    made.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_in_its_place() {
        let items: Vec<usize> = (0..1000).collect();
        let count = AtomicUsize::new(0);
        let squares = side_by_side(&items, |&item| {
            count.fetch_add(1, Ordering::Relaxed);
            item * item
        });
        assert_eq!(count.into_inner(), 1000);
        assert!(squares.iter().enumerate().all(|(at, &square)| square == at * at));
        assert!(side_by_side(&[0_u8; 0], |_| ()).is_empty());
    }

    #[test]
    #[should_panic(expected = "the seventh")]
    fn a_panic_is_passed_on() {
        side_by_side(&[6, 7, 8], |&item| assert!(item != 7, "the seventh"));
    }
}
