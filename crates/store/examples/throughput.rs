//! Time and memory of the state tables, beside a hash map that owns its rows.
//!
//! ```sh
//! cargo run --release -p fairly-store --example throughput            # 1 and 8 million states
//! cargo run --release -p fairly-store --example throughput -- 100000  # another number
//! ```
//!
//! Nanoseconds for an operation, each the minimum of several runs. `insert` is of new rows only and pays
//! for the growth of the table and the first touch of its memory; `find` is of the same rows in another
//! order; an operation of `batch` is one row of 32. The rows are made in advance, in blocks, and their
//! making is not timed. Time is what the processor spent, where Linux tells, so that other processes
//! do not count. With two threads each has half of the rows, and the time of the slower one is divided
//! by all rows: half of the time of one thread is a perfect speed-up.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, LazyLock, Mutex};
use std::time::{Duration, Instant};

use fairly_store::{
    Bitstate, Fingerprint, Fingerprints, Rapid, RowHash, StateIndex, States, Table, TreeTable,
    Width,
};

const BLOCK: u64 = 1 << 14;

/// Half more than needed: a limit of a user who knows how many states there will be.
fn limit(count: u64, words: usize) -> usize {
    count as usize * (words * 8 + 8) * 3 / 2
}

fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Rows `from..from + count` of one width, different from each other.
fn fill(rows: &mut Vec<u64>, numbers: impl Iterator<Item = u64>, words: usize) {
    rows.clear();
    for number in numbers {
        let start = mix(number.wrapping_add(1));
        rows.extend((0..words as u64).map(|it| start.wrapping_mul(2 * it + 1)));
    }
}

/// The numbers of a block when rows are visited in another order than they came in: blocks of rows
/// that are far from each other.
fn scattered(block: u64, count: u64) -> impl Iterator<Item = u64> {
    let blocks = count / BLOCK;
    (0..BLOCK).map(move |it| it * blocks + (block * 7 + it * 13) % blocks)
}

/// Processor time of this thread. The kernel brings the number up to date a few hundred times a second, which
/// is nothing for the sums here.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split(' ').next()?.parse().ok());
    spent.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Runs `work` on every block of its share in each thread; the time per row of all of them together.
fn timed(threads: u64, count: u64, words: usize, find: bool, work: impl Fn(&[u64]) + Sync) -> f64 {
    let barrier = Barrier::new(threads as usize);
    let slowest = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (barrier, slowest, work) = (&barrier, &slowest, &work);
            scope.spawn(move || {
                let mut rows = Vec::new();
                let mut time = Duration::ZERO;
                barrier.wait();
                for block in (thread..count / BLOCK).step_by(threads as usize) {
                    match find {
                        false => {
                            fill(&mut rows, block * BLOCK..(block + 1) * BLOCK, words);
                        }
                        true => fill(&mut rows, scattered(block, count), words),
                    }
                    let start = now();
                    work(&rows);
                    time += now() - start;
                }
                slowest.fetch_max(time.as_nanos() as u64, Ordering::Relaxed);
            });
        }
    });
    slowest.into_inner() as f64 / (count / BLOCK * BLOCK) as f64
}

#[derive(Clone, Copy)]
struct Sample {
    insert: f64,
    find: f64,
    batch_insert: f64,
    batch_find: f64,
    bytes: f64,
}

impl Sample {
    fn least(self, other: Sample) -> Sample {
        Sample {
            insert: self.insert.min(other.insert),
            find: self.find.min(other.find),
            batch_insert: self.batch_insert.min(other.batch_insert),
            batch_find: self.batch_find.min(other.batch_find),
            bytes: self.bytes.min(other.bytes),
        }
    }
}

fn table(threads: u64, count: u64, words: usize) -> Sample {
    let one_by_one = |table: &Table, rows: &[u64]| {
        for row in rows.chunks_exact(words) {
            black_box(table.insert_or_find(row).expect("room"));
        }
    };
    let batches = |table: &Table, rows: &[u64]| {
        let mut out = Vec::with_capacity(32);
        for rows in rows.chunks(32 * words) {
            out.clear();
            table.insert_batch(rows, &mut out).expect("room");
            black_box(&out);
        }
    };
    let table = Table::new(Width::words(words), limit(count, words)).expect("room");
    let insert = timed(threads, count, words, false, |rows| one_by_one(&table, rows));
    let find = timed(threads, count, words, true, |rows| one_by_one(&table, rows));
    let bytes = table.bytes() as f64 / table.len() as f64;
    drop(table);
    let table = Table::new(Width::words(words), limit(count, words)).expect("room");
    let batch_insert = timed(threads, count, words, false, |rows| batches(&table, rows));
    let batch_find = timed(threads, count, words, true, |rows| batches(&table, rows));
    Sample { insert, find, batch_insert, batch_find, bytes }
}

/// The map that a search would begin with. Memory: entries of 24 bytes and a control byte for each
/// bucket, and a block of the allocator for each row.
fn map(count: u64, words: usize) -> Sample {
    // Locked once for a block, which costs nothing.
    let map = Mutex::new(hashbrown::HashMap::<Box<[u64]>, u32>::new());
    let insert_or_find = |rows: &[u64]| {
        let mut map = map.lock().expect("one thread");
        for row in rows.chunks_exact(words) {
            let next = map.len() as u32;
            if let Some(known) = map.get(row) {
                black_box(known);
            } else {
                map.insert(row.into(), next);
            }
        }
    };
    let insert = timed(1, count, words, false, insert_or_find);
    let find = timed(1, count, words, true, insert_or_find);
    let length = map.lock().expect("one thread").len();
    let buckets = (length * 8).div_ceil(7).next_power_of_two();
    let row = (words * 8 + 8).next_multiple_of(16).max(32);
    let bytes = (buckets * 25 + length * row) as f64 / length as f64;
    Sample { insert, find, batch_insert: f64::NAN, batch_find: f64::NAN, bytes }
}

/// All states of sixteen processes with three states each, up to `count` of them, as a search meets
/// them: a successor differs from its parent in one word.
fn tree(count: u64) -> Sample {
    const WORDS: usize = 16;
    let table = TreeTable::new(WORDS, limit(count, 1)).expect("room");
    let (mut row, mut nodes, mut parent) = ([0; WORDS], table.nodes(), table.nodes());
    table.insert(&row, &mut nodes).expect("room");
    let (mut next, mut tried) = (0, 0);
    let start = now();
    'search: while next < table.len() as u32 {
        table.get(StateIndex(next), &mut row, &mut parent);
        for word in 0..WORDS {
            let before = row[word];
            // Something that takes a word's bits, as packed variables would.
            row[word] = if before == 0 { mix(word as u64 + 1) } else { before.wrapping_add(1) };
            if row[word] > mix(word as u64 + 1).wrapping_add(1) {
                row[word] = 0;
            }
            nodes.copy_from(&parent);
            black_box(table.insert_delta(&row, &[word], &mut nodes).expect("room"));
            row[word] = before;
            tried += 1;
            if table.len() as u64 >= count {
                break 'search;
            }
        }
        next += 1;
    }
    let insert = (now() - start).as_nanos() as f64 / f64::from(tried);
    let bytes = table.bytes() as f64 / table.len() as f64;
    Sample { insert, find: f64::NAN, batch_insert: f64::NAN, batch_find: f64::NAN, bytes }
}

fn lossy(make: impl Fn() -> Box<dyn States>, threads: u64, count: u64, words: usize) -> Sample {
    let states = make();
    let run = |find| {
        timed(threads, count, words, find, |rows| {
            for row in rows.chunks_exact(words) {
                black_box(states.insert(row).expect("room"));
            }
        })
    };
    let (insert, find) = (run(false), run(true));
    let bytes = states.bytes() as f64 / states.len() as f64;
    Sample { insert, find, batch_insert: f64::NAN, batch_find: f64::NAN, bytes }
}

fn print(name: &str, words: usize, count: u64, threads: u64, runs: u32, run: impl Fn() -> Sample) {
    let best = (1..runs).fold(run(), |best, _| best.least(run()));
    let cell = |x: f64| if x.is_nan() { "–".to_owned() } else { format!("{x:.0}") };
    println!(
        "| {name} | {words} | {:.1} M | {threads} | {} | {} | {} | {} | {:.1} |",
        count as f64 / 1e6,
        cell(best.insert),
        cell(best.find),
        cell(best.batch_insert),
        cell(best.batch_find),
        best.bytes,
    );
}

/// Nanoseconds for the hash of a row that is in the cache.
fn hashes() {
    fn time(rows: &[u64], words: usize, hash: impl Fn(&[u64]) -> u64) -> f64 {
        let once = || {
            let start = Instant::now();
            for _ in 0..200 {
                for row in rows.chunks_exact(words) {
                    black_box(hash(row));
                }
            }
            start.elapsed().as_nanos() as f64 / (200 * (rows.len() / words)) as f64
        };
        (0..9).map(|_| once()).fold(f64::MAX, f64::min)
    }
    use std::hash::BuildHasher;
    let (fold, sip) = (hashbrown::DefaultHashBuilder::default(), std::hash::RandomState::new());
    println!("| words | rapidhash | foldhash | SipHash |\n|---|---|---|---|");
    for words in [1, 2, 4, 16] {
        let mut rows = Vec::new();
        fill(&mut rows, 0..1024, words);
        let rapid = time(&rows, words, |row| Rapid.hash(row));
        let fold = time(&rows, words, |row| fold.hash_one(row));
        let sip = time(&rows, words, |row| sip.hash_one(row));
        println!("| {words} | {rapid:.1} | {fold:.1} | {sip:.1} |");
    }
    println!();
}

fn main() {
    let given: Vec<u64> =
        std::env::args().skip(1).map(|it| it.parse().expect("how many states")).collect();
    let counts = if given.is_empty() { vec![1_000_000, 8_000_000] } else { given };
    hashes();
    println!(
        "| table | words | states | threads | insert | find | batch insert | batch find | bytes/state |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for count in counts {
        let runs = if count > 2_000_000 { 2 } else { 5 };
        for words in [1, 2, 4, 16] {
            for threads in [1, 2] {
                print("Table", words, count, threads, runs, || table(threads, count, words));
            }
            print("HashMap", words, count, 1, 2, || map(count, words));
        }
        print("TreeTable, delta", 16, count, 1, runs, || tree(count));
        let limit = count as usize * 5;
        for threads in [1, 2] {
            let prints = || -> Box<dyn States> {
                Box::new(Fingerprints::new(Fingerprint::Half, limit).expect("room"))
            };
            print("Fingerprints", 4, count, threads, runs, || lossy(prints, threads, count, 4));
            let bits =
                || -> Box<dyn States> { Box::new(Bitstate::new(3, limit / 2).expect("room")) };
            print("Bitstate", 4, count, threads, runs, || lossy(bits, threads, count, 4));
        }
    }
}
