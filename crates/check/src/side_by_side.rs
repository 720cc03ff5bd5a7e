//! Pieces of work at the same time.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Results of `work` for every item, in the order of the items: each in a thread of its own, as far as the machine gives
/// threads, and in this one otherwise.
///
/// # Panics
/// If `work` does.
pub(crate) fn side_by_side<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    // A thread that could not be started would take its item along.
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    let work = |item: &Mutex<Option<T>>| {
        let item = item.lock().unwrap_or_else(PoisonError::into_inner).take();
        work(item.expect("each item is taken once"))
    };
    scope(|scope| {
        let work = &work;
        let start = |item| Builder::new().spawn_scoped(scope, move || work(item)).ok();
        let threads: Vec<_> = items.iter().map(start).collect();
        let result = |(thread, item): (Option<ScopedJoinHandle<'_, R>>, _)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => work(item),
        };
        threads.into_iter().zip(&items).map(result).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_in_its_place() {
        let items: Vec<usize> = (0..50).collect();
        let squares = side_by_side(items, |item| item * item);
        assert!(squares.iter().enumerate().all(|(at, &square)| square == at * at));
        assert!(side_by_side(Vec::<u8>::new(), |_| ()).is_empty());
    }
}
