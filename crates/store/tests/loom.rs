//! Every interleaving, and every order in which weak memory may show writes, of a few threads on a
//! table with buckets of one slot: `bash crates/store/loom`.

#![cfg(loom)]

use std::sync::Arc;

use fairly_store::{RowHash, StateIndex, StoreError, Table, Width};
use loom::thread;

/// The row is its hash, so that a test says where rows belong and which tags they have.
#[derive(Clone, Copy, Debug)]
struct Own;

impl RowHash for Own {
    fn hash(&self, row: &[u64]) -> u64 {
        row[0]
    }
}

/// A row with a tag whose home is the bucket with this number among four.
const fn quarter(home: u64, tag: u64) -> u64 {
    tag | home << 46
}

/// A row with a tag whose home is at the start of a shard, or at its end.
const fn low(tag: u64, more: u64) -> u64 {
    tag | more << 8
}

const fn high(tag: u64) -> u64 {
    tag | 0xffff_ffff << 16
}

fn table() -> Table<Own> {
    Table::with_hasher(Width::words(1), 1 << 16, Own).expect("room")
}

fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 100_000;
    // Enough to end, for all but the two largest tests.
    builder.max_duration = Some(std::time::Duration::from_secs(12));
    builder.check(check);
}

/// Each thread inserts its rows in order; then every row has one number, and all are there.
fn race(preemptions: usize, before: &[u64], threads: &[&[u64]]) {
    let before = before.to_vec();
    let threads: Vec<Vec<u64>> = threads.iter().map(|rows| rows.to_vec()).collect();
    model(preemptions, move || {
        let table = Arc::new(table());
        let mut told: Vec<(u64, StateIndex, bool)> = Vec::new();
        let insert = |table: &Table<Own>, rows: &[u64]| -> Vec<(u64, StateIndex, bool)> {
            let told = rows.iter().map(|&row| {
                let (id, new) = table.insert_or_find(&[row]).expect("room");
                let mut stored = [!row];
                table.get(id, &mut stored);
                assert_eq!(stored, [row], "a number is known before its row");
                (row, id, new)
            });
            told.collect()
        };
        told.extend(insert(&table, &before));
        let handles: Vec<_> = threads[1..]
            .iter()
            .map(|rows| {
                let (table, rows) = (Arc::clone(&table), rows.clone());
                thread::spawn(move || insert(&table, &rows))
            })
            .collect();
        told.extend(insert(&table, &threads[0]));
        for handle in handles {
            told.extend(handle.join().expect("no panic"));
        }
        let mut seen = vec![None; table.len()];
        for &(row, id, _) in &told {
            assert_eq!(*seen[id.index()].get_or_insert(row), row, "one row for each number");
            assert_eq!(table.find(&[row]), Some(id), "one number for each row");
        }
        assert!(seen.iter().all(Option::is_some), "dense");
        assert_eq!(told.iter().filter(|it| it.2).count(), table.len(), "new once");
    });
}

#[test]
fn the_same_row_twice() {
    race(2, &[], &[&[low(1, 0)], &[low(1, 0)]]);
}

#[test]
fn rows_with_the_same_tag() {
    race(2, &[], &[&[low(1, 0)], &[low(1, 1)]]);
}

#[test]
fn rows_with_other_tags() {
    race(2, &[], &[&[low(1, 0)], &[low(2, 0)]]);
}

#[test]
fn the_shard_grows_under_two_threads() {
    race(2, &[low(1, 0)], &[&[high(3)], &[high(3)]]);
}

#[test]
fn the_shard_grows_while_rows_are_found() {
    race(2, &[low(1, 0)], &[&[low(3, 0)], &[low(1, 0)]]);
}

/// The empty slot that one thread has seen is taken by another, and empty again after the growth, when
/// it is the wrong one.
#[test]
fn the_shard_grows_between_look_and_claim() {
    race(1, &[], &[&[quarter(1, 4)], &[quarter(3, 2), quarter(2, 3)]]);
}

#[test]
fn three_threads() {
    race(2, &[], &[&[low(1, 0)], &[low(1, 0)], &[low(2, 0)]]);
}

/// A look-up that finds nothing is right about the moment at which it looked.
#[test]
fn what_was_inserted_before_is_found() {
    model(2, || {
        let table = Arc::new(table());
        table.insert_or_find(&[high(2)]).expect("room");
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.insert_or_find(&[high(3)]).expect("room"))
        };
        assert_eq!(table.find(&[high(2)]), Some(StateIndex(0)));
        let early = table.find(&[high(3)]);
        let (id, new) = other.join().expect("no panic");
        assert!(new && early.is_none_or(|it| it == id));
        assert_eq!(table.find(&[high(3)]), Some(id));
    });
}

/// Two threads take numbers ahead; every row still has one number, and what is left is that of no row.
#[test]
fn numbers_are_taken_ahead() {
    use fairly_store::Reserve;
    model(2, || {
        let table = Arc::new(table());
        let insert = |table: &Table<Own>, rows: &[u64]| {
            let mut reserve = Reserve::default();
            let told: Vec<(u64, StateIndex)> = rows
                .iter()
                .map(|&row| (row, table.insert_reserving(&[row], &mut reserve).expect("room").0))
                .collect();
            (told, reserve.left())
        };
        let other = Arc::clone(&table);
        let handle = thread::spawn(move || insert(&other, &[low(1, 0), low(2, 0)]));
        let (mut told, left) = insert(&table, &[low(1, 0)]);
        let (more, more_left) = handle.join().expect("no panic");
        told.extend(more);
        for &(row, number) in &told {
            assert_eq!(table.find(&[row]), Some(number));
            assert!(!left.contains(&number.0) && !more_left.contains(&number.0));
        }
        assert_eq!(told[0].1, told[1].1, "one number for the row of both");
    });
}

/// One thread calls another to two pieces of work, and is told when each is done; then all are let go.
#[test]
fn a_crew_ends() {
    use fairly_store::Crew;
    use loom::sync::atomic::{AtomicUsize, Ordering};
    model(2, || {
        let (crew, done) = (Arc::new(Crew::default()), Arc::new(AtomicUsize::new(0)));
        let (other, its_done) = (Arc::clone(&crew), Arc::clone(&done));
        let handle = thread::spawn(move || {
            let mut known = 0;
            while let Some(range) = other.next(1, &mut known) {
                let _done = other.done_at_the_end();
                its_done.fetch_add(range.len(), Ordering::Relaxed);
            }
        });
        let dismissed = crew.dismissed_at_the_end();
        for (piece, end) in [1usize, 2].into_iter().enumerate() {
            crew.call(2, 0..end);
            crew.wait();
            assert_eq!(done.load(Ordering::Relaxed), [1, 3][piece], "the work is done");
        }
        drop(dismissed);
        handle.join().expect("no panic");
    });
}

/// Two threads want the last bytes.
#[test]
fn one_of_two_is_refused() {
    // Memory for two rows; a third needs another segment.
    let limit = {
        let bytes = std::sync::atomic::AtomicUsize::new(0);
        let bytes = Arc::new(bytes);
        let inner = Arc::clone(&bytes);
        loom::model(move || {
            let table = table();
            table.insert_or_find(&[low(1, 0)]).expect("room");
            table.insert_or_find(&[low(2, 0)]).expect("room");
            inner.store(table.bytes(), std::sync::atomic::Ordering::Relaxed);
        });
        bytes.load(std::sync::atomic::Ordering::Relaxed)
    };
    model(2, move || {
        let table = Arc::new(Table::with_hasher(Width::words(1), limit, Own).expect("room"));
        table.insert_or_find(&[low(1, 0)]).expect("room");
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.insert_or_find(&[low(2, 0)]))
        };
        let own = table.insert_or_find(&[low(3, 0)]);
        let other = other.join().expect("no panic");
        let stored = [own, other].iter().filter(|it| it.is_ok()).count();
        assert_eq!(stored + 1, table.len());
        // Both may be refused: the slot that is left can die as the claim of a thread that was late.
        for answer in [own, other] {
            assert!(matches!(answer, Ok((_, true)) | Err(StoreError::Budget { .. })));
        }
        assert!(table.bytes() <= limit);
        assert_eq!(table.find(&[low(1, 0)]), Some(StateIndex(0)));
        assert_eq!(table.find(&[low(2, 0)]), other.ok().map(|it| it.0));
        assert_eq!(table.find(&[low(3, 0)]), own.ok().map(|it| it.0));
    });
}

/// Threads find the cycles of one graph and share what they find.
mod components {
    use super::*;
    use fairly_store::{Claim, Components, Pick, WorkerId};

    /// Two threads unite three nodes in opposite orders, and give marks; then all are one set with all marks.
    #[test]
    fn sets_that_are_united_in_any_order_are_one() {
        model(3, || {
            let components = Arc::new(Components::new(1 << 16).expect("room"));
            let (one, two) = (WorkerId::new(0), WorkerId::new(1));
            for node in 0..3 {
                assert_eq!(components.claim(node, one), Ok(Claim::New));
                assert_eq!(components.claim(node, two), Ok(Claim::Entered));
            }
            let other = Arc::clone(&components);
            let handle = thread::spawn(move || {
                other.unite(0, 1);
                other.mark(1, 0b01);
                assert_eq!(other.claim(0, two), Ok(Claim::Known), "its own bit is never lost");
            });
            components.unite(1, 2);
            components.mark(0, 0b10);
            components.unite(2, 0);
            assert_eq!(components.claim(1, one), Ok(Claim::Known), "its own bit is never lost");
            handle.join().expect("no panic");
            assert!(components.are_united(0, 1) && components.are_united(1, 2));
            assert_eq!(components.marks(2), 0b11);
            let mut left = 0;
            while let Pick::Node(node) = components.pick(1) {
                components.finish(node);
                left += 1;
            }
            assert_eq!(left, 3, "every node is listed");
            assert!(components.is_dead(0));
        });
    }

    /// One thread meets a node while the other one does, and only one of them is the first.
    #[test]
    fn a_node_is_new_once() {
        model(3, || {
            let components = Arc::new(Components::new(1 << 16).expect("room"));
            let other = Arc::clone(&components);
            let handle = thread::spawn(move || other.claim(1, WorkerId::new(1)));
            let here = components.claim(1, WorkerId::new(0));
            let claims = [here, handle.join().expect("no panic")];
            assert!(claims.contains(&Ok(Claim::New)) && claims.contains(&Ok(Claim::Entered)));
        });
    }

    /// A component is completed by one thread only, whatever the other one finishes or unites meanwhile.
    #[test]
    fn a_component_is_completed_once() {
        model(3, || {
            let components = Arc::new(Components::new(1 << 16).expect("room"));
            let (one, two) = (WorkerId::new(0), WorkerId::new(1));
            for node in 0..2 {
                assert_eq!(components.claim(node, one), Ok(Claim::New));
                assert_eq!(components.claim(node, two), Ok(Claim::Entered));
            }
            let end = |components: &Components| {
                components.unite(0, 1);
                loop {
                    match components.pick(0) {
                        Pick::Node(node) => components.finish(node),
                        pick => break pick,
                    }
                }
            };
            let other = Arc::clone(&components);
            let handle = thread::spawn(move || end(&other));
            let picks = [end(&components), handle.join().expect("no panic")];
            assert!(picks.contains(&Pick::Completed) && picks.contains(&Pick::Dead));
            assert!(components.are_united(0, 1));
        });
    }
}
