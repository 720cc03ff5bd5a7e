//! Many threads: every row gets one number, numbers are dense, and each is that of its row.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fairly_store::{
    Bitstate, Fingerprint, Fingerprints, Rapid, RowHash, StateIndex, States, StoreError, Table,
    TreeTable, Width,
};

use crate::common::{Constant, Masked, Random, operations, row, seed};

/// Answers that a thread got: the row's number in the test, the number in the table, and whether it was new.
type Told = Vec<(u64, u32, bool)>;

/// The answers of all threads fit together, and are what the table says afterwards.
fn judge(told: &[Told], distinct: u64, length: usize, context: &str) -> Vec<Option<u32>> {
    let mut ids: Vec<Option<u32>> = vec![None; distinct as usize];
    let mut rows: Vec<Option<u64>> = vec![None; length];
    let mut new = 0;
    for &(row, id, was_new) in told.iter().flatten() {
        let known = ids[row as usize].get_or_insert(id);
        assert_eq!(*known, id, "row {row} has two numbers, {context}");
        let known = rows[id as usize].get_or_insert(row);
        assert_eq!(*known, row, "number {id} has two rows, {context}");
        new += usize::from(was_new);
    }
    assert_eq!(new, length, "each row is new once, {context}");
    assert!(rows.iter().all(Option::is_some), "numbers are dense, {context}");
    ids
}

fn hammer<H: RowHash>(
    threads: u64,
    bits: usize,
    limit: usize,
    hasher: H,
    each: u64,
    distinct: u64,
) {
    let seed = seed();
    let context = format!("seed {seed}, {threads} threads, {bits} bits, limit {limit}");
    let table = Table::with_hasher(Width::bits(bits), limit, hasher).expect("room");
    let barrier = Barrier::new(threads as usize);
    let work = |thread: u64| {
        let mut random = Random(seed.wrapping_mul(1000) + thread);
        let mut told = Told::new();
        let mut stored = vec![0; bits.div_ceil(64)];
        barrier.wait();
        while (told.len() as u64) < each {
            if random.below(2) == 0 {
                let number = random.skewed(distinct);
                let (id, new) = table.insert_or_find(&row(number, bits)).expect("room");
                told.push((number, id.0, new));
                table.get(id, &mut stored);
                assert_eq!(stored, row(number, bits), "{context}");
                assert_eq!(table.find(&stored), Some(id), "{context}");
            } else {
                // Everyone at the same rows at about the same time.
                let base = told.len() as u64 * distinct / each / 2;
                let numbers: Vec<u64> =
                    (0..24).map(|_| (base + random.below(64)) % distinct).collect();
                let rows: Vec<u64> = numbers.iter().flat_map(|&it| row(it, bits)).collect();
                let mut answers = Vec::new();
                table.insert_batch(&rows, &mut answers).expect("room");
                for (number, (id, new)) in numbers.into_iter().zip(answers) {
                    told.push((number, id.0, new));
                }
            }
        }
        told
    };
    let told: Vec<Told> = thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads).map(|it| scope.spawn(move || work(it))).collect();
        handles.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    let ids = judge(&told, distinct, table.len(), &context);
    let mut stored = vec![0; bits.div_ceil(64)];
    for (number, id) in ids.into_iter().enumerate() {
        let row = row(number as u64, bits);
        assert_eq!(table.find(&row), id.map(StateIndex), "{context}");
        if let Some(id) = id {
            table.get(StateIndex(id), &mut stored);
            assert_eq!(stored, row, "{context}");
        }
    }
    assert!(table.bytes() <= limit);
}

#[test]
fn many_threads_agree_while_the_table_grows() {
    for threads in [2, 3, 4, 8] {
        let each = operations(800_000) / threads;
        for bits in [40, 64, 96, 256] {
            hammer(threads, bits, 1 << 30, Rapid, each, 1 << 18);
            // One shard, so that everyone is in it while it grows.
            hammer(threads, bits, (1 << 21) - 1, Rapid, each / 8, 1 << 13);
        }
    }
}

#[test]
fn many_threads_agree_on_bad_hashes() {
    for threads in [2, 8] {
        hammer(threads, 64, 1 << 21, Constant(0), 5_000, 1 << 10);
        hammer(threads, 64, 1 << 30, Masked(!0xff), 100_000, 1 << 16);
        hammer(threads, 256, 1 << 30, Masked(!0 << 40), 100_000, 1 << 14);
    }
}

#[test]
fn a_table_that_is_full_stays_usable() {
    for (limit, bits) in [(1 << 16, 64), (1 << 20, 64), (1 << 20, 1024), (9 << 20, 40)] {
        let table = Table::new(Width::bits(bits), limit).expect("room");
        let refused = AtomicUsize::new(0);
        let threads = 4;
        let distinct = 2_000_000;
        let work = |thread: u64| {
            let mut random = Random(seed() + thread);
            let mut told = Told::new();
            let mut own = 0;
            while own < 3000 {
                let number = random.below(distinct);
                match table.insert_or_find(&row(number, bits)) {
                    Ok((id, new)) => told.push((number, id.0, new)),
                    Err(full) => {
                        assert_eq!(full, StoreError::Budget { limit });
                        refused.fetch_add(1, Ordering::Relaxed);
                        own += 1;
                    }
                }
            }
            told
        };
        let told: Vec<Told> = thread::scope(|scope| {
            let work = &work;
            let handles: Vec<_> = (0..threads).map(|it| scope.spawn(move || work(it))).collect();
            handles.into_iter().map(|it| it.join().expect("no panic")).collect()
        });
        let context = format!("seed {}, limit {limit}, {bits} bits", seed());
        assert!(table.bytes() <= limit, "{context}");
        let ids = judge(&told, distinct, table.len(), &context);
        for (number, id) in ids.into_iter().enumerate() {
            assert_eq!(table.find(&row(number as u64, bits)), id.map(StateIndex), "{context}");
        }
    }
}

#[test]
fn trees_agree_with_many_threads() {
    let (threads, words, distinct) = (4, 9, 1u64 << 14);
    let table = TreeTable::new(words, 1 << 30).expect("room");
    let state = |number: u64| -> Vec<u64> { (0..9).map(|it| number >> it & 7).collect() };
    let work = |thread: u64| {
        let mut random = Random(seed() + thread);
        let mut nodes = table.nodes();
        let mut told = Told::new();
        let mut before = state(0);
        table.insert(&before, &mut nodes).map(|(id, new)| told.push((0, id.0, new))).expect("room");
        for _ in 0..50_000 {
            let number = random.skewed(distinct);
            let row = state(number);
            let changed: Vec<usize> = (0..words).filter(|&it| row[it] != before[it]).collect();
            let (id, new) = table.insert_delta(&row, &changed, &mut nodes).expect("room");
            // The state says no more than its 9 + 2 lowest bits.
            told.push((number & 0x7ff, id.0, new));
            let (mut stored, mut again) = (vec![0; words], table.nodes());
            table.get(id, &mut stored, &mut again);
            assert_eq!((&stored, &again), (&row, &nodes));
            before = row;
        }
        told
    };
    let told: Vec<Told> = thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads).map(|it| scope.spawn(move || work(it))).collect();
        handles.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    judge(&told, distinct, table.len(), &format!("seed {}", seed()));
}

#[test]
fn lossy_sets_lose_nothing_between_threads() {
    let prints = Fingerprints::new(Fingerprint::Full, 1 << 22).expect("room");
    let bits = Bitstate::new(3, 1 << 22).expect("room");
    let new: Vec<(usize, usize)> = thread::scope(|scope| {
        let work = |thread: u64| {
            let mut random = Random(seed() + thread);
            let mut new = (0, 0);
            for _ in 0..200_000 {
                let row = row(random.below(1 << 17), 128);
                new.0 += usize::from(prints.insert(&row).expect("room"));
                new.1 += usize::from(bits.insert(&row).expect("room"));
                assert!(prints.contains(&row) && bits.contains(&row));
            }
            new
        };
        let handles: Vec<_> = (0..4).map(|it| scope.spawn(move || work(it))).collect();
        handles.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    assert_eq!(new.iter().map(|it| it.0).sum::<usize>(), prints.len());
    assert_eq!(new.iter().map(|it| it.1).sum::<usize>(), bits.len());
    let seen = (0..1 << 17).filter(|&it| prints.contains(&row(it, 128))).count();
    assert_eq!(seen, prints.len());
}
