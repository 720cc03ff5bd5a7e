//! One thread, against a hash map of the standard library.

use std::collections::HashMap;

use fairly_store::{
    Bitstate, Fingerprint, Fingerprints, Rapid, RowHash, StateIndex, States, StoreError, Table,
    TreeTable, Width,
};

use crate::common::{Constant, Masked, Random, operations, row, seed};

const PLENTY: usize = 1 << 32;

/// Random insertions and look-ups; numbers are those of the map.
fn compare<H: RowHash>(bits: usize, limit: usize, hasher: H, operations: u64, distinct: u64) {
    let seed = seed();
    let context = format!("seed {seed}, {bits} bits, limit {limit}");
    let mut random = Random(seed);
    let table = Table::with_hasher(Width::bits(bits), limit, hasher).expect("room");
    let mut oracle: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut stored = vec![0; bits.div_ceil(64)];
    let mut batch = Vec::new();
    for _ in 0..operations {
        let row = row(random.skewed(distinct), bits);
        match random.below(8) {
            0 => {
                let expected = oracle.get(&row).map(|&id| StateIndex(id));
                assert_eq!(table.find(&row), expected, "{context}");
            }
            1 if !oracle.is_empty() => {
                let id = random.below(oracle.len() as u64) as u32;
                table.get(StateIndex(id), &mut stored);
                assert_eq!(oracle.get(&stored), Some(&id), "{context}");
            }
            2 => batch.push(row),
            _ => {
                let next = oracle.len() as u32;
                let new = !oracle.contains_key(&row);
                let id = *oracle.entry(row.clone()).or_insert(next);
                let answer = table.insert_or_find(&row).expect("room");
                assert_eq!(answer, (StateIndex(id), new), "{context}");
            }
        }
        if batch.len() > 40 {
            let mut answers = Vec::new();
            table.insert_batch(&batch.concat(), &mut answers).expect("room");
            for (row, answer) in batch.drain(..).zip(answers) {
                let next = oracle.len() as u32;
                let new = !oracle.contains_key(&row);
                let id = *oracle.entry(row).or_insert(next);
                assert_eq!(answer, (StateIndex(id), new), "{context}");
            }
        }
    }
    assert_eq!(table.len(), oracle.len(), "{context}");
    assert!(table.bytes() <= limit, "{context}");
    for (row, &id) in &oracle {
        assert_eq!(table.find(row), Some(StateIndex(id)), "{context}");
        table.get(StateIndex(id), &mut stored);
        assert_eq!(stored, *row, "{context}");
    }
}

#[test]
fn random_operations_on_all_kinds_of_widths() {
    for bits in [20, 32, 33, 40, 63, 64, 65, 96, 128, 200, 256, 1024] {
        compare(bits, PLENTY, Rapid, operations(400_000), 1 << 19);
        // One shard.
        compare(bits, 1 << 20, Rapid, 20_000, 1 << 12);
    }
}

#[test]
fn bad_hashes_are_slow_and_right() {
    for hash in [0, u64::MAX, 0x1234_5678_9abc_def0] {
        compare(64, 1 << 22, Constant(hash), 5_000, 1 << 11);
    }
    let equal_low_bits = Masked(!0 << 32);
    compare(64, PLENTY, equal_low_bits, 200_000, 1 << 18);
    // All tags are the same; all shards; a few buckets.
    compare(40, PLENTY, Masked(!0xff), 200_000, 1 << 18);
    compare(256, PLENTY, Masked(u64::MAX >> 10), 200_000, 1 << 18);
    compare(64, PLENTY, Masked(0x0000_000f_0000_00ff), 5_000, 1 << 12);
}

#[test]
fn a_limit_is_kept_and_what_was_stored_stays() {
    for bits in [20, 64, 96, 256, 1024] {
        for limit in [1 << 16, 1 << 18, 1 << 20, 5 << 20, 40 << 20] {
            let table = Table::new(Width::bits(bits), limit).expect("room for an empty table");
            let mut stored = 0;
            let refusal = loop {
                match table.insert_or_find(&row(stored, bits)) {
                    Ok((id, new)) => assert!(new && u64::from(id.0) == stored),
                    Err(full) => break full,
                }
                stored += 1;
                if bits == 20 && stored == 1 << 20 {
                    break StoreError::Budget { limit };
                }
            };
            assert_eq!(refusal, StoreError::Budget { limit });
            assert!(table.bytes() <= limit);
            // Refused or, in a shard with room, stored, again and again; what is there stays.
            for more in 0..1000.min((1u64 << bits.min(40)) - stored) {
                let _ = table.insert_or_find(&row(stored + more, bits));
            }
            for number in 0..stored {
                let row = row(number, bits);
                assert_eq!(table.insert_or_find(&row).map(|it| u64::from(it.0.0)), Ok(number));
            }
            assert!(table.bytes() <= limit);
            let used = stored as f64 * (bits.div_ceil(32) * 4) as f64 / limit as f64;
            assert!(used > 0.1 || bits == 20, "{bits} bits, limit {limit}: {used}");
        }
    }
}

#[test]
fn limits_too_small_for_anything_are_refused() {
    for limit in 0..3000 {
        match Table::new(Width::words(1), limit) {
            Err(full) => assert_eq!(full, StoreError::Budget { limit }),
            Ok(table) => {
                assert!(table.bytes() <= limit);
                let _ = table.insert_or_find(&[1]);
                assert!(table.bytes() <= limit);
            }
        }
    }
    assert!(TreeTable::new(4, 10).is_err());
    assert!(Fingerprints::new(Fingerprint::Half, 3).is_err());
    assert!(Bitstate::new(3, 7).is_err());
}

#[test]
#[should_panic(expected = "not one of")]
fn bits_beyond_the_width_are_not_lost_silently() {
    let table = Table::new(Width::bits(40), 1 << 20).expect("room");
    let _ = table.insert_or_find(&[1 << 40]);
}

/// Narrow states cost at most 16 bytes, besides what rows and index have in advance: a segment each.
#[test]
fn narrow_states_take_at_most_sixteen_bytes() {
    let table = Table::new(Width::bits(64), 96 << 20).expect("room");
    let (mut worst, mut sum): (f64, f64) = (0.0, 0.0);
    for number in 0..3_000_000u64 {
        table.insert_or_find(&row(number, 64)).expect("room");
        if number >= 100_000 && number % 1000 == 0 {
            let bytes = table.bytes() as f64;
            worst = worst.max((bytes - f64::from(4 << 20)) / number as f64);
            sum += bytes / number as f64;
        }
    }
    println!("at most {worst:.2} bytes for a state of 64 bits, {:.2} on average", sum / 2900.0);
    assert!(worst <= 16.0, "{worst}");
}

#[test]
fn trees_agree_with_the_map() {
    for words in [1, 2, 3, 5, 8, 16, 33, 100] {
        let seed = seed();
        let context = format!("seed {seed}, {words} words");
        let mut random = Random(seed);
        let table = TreeTable::new(words, PLENTY).expect("room");
        let mut oracle: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut nodes = table.nodes();
        let (mut row, mut stored) = (vec![0; words], vec![0; words]);
        table.insert(&row, &mut nodes).expect("room");
        oracle.insert(row.clone(), 0);
        for _ in 0..operations(30_000) {
            if random.below(10) == 0 {
                // Back to one that was seen.
                let id = StateIndex(random.below(oracle.len() as u64) as u32);
                table.get(id, &mut row, &mut nodes);
                assert_eq!(oracle.get(&row), Some(&id.0), "{context}");
            }
            let mut changed = Vec::new();
            for _ in 0..random.below(4) {
                let word = random.below(words as u64) as usize;
                row[word] = random.skewed(1 << 6) << random.below(58);
                changed.push(word);
            }
            let next = oracle.len() as u32;
            let new = !oracle.contains_key(&row);
            assert_eq!(States::contains(&table, &row), !new, "{context}");
            let id = *oracle.entry(row.clone()).or_insert(next);
            let answer = if random.below(4) == 0 {
                table.insert(&row, &mut nodes)
            } else {
                table.insert_delta(&row, &changed, &mut nodes)
            };
            assert_eq!(answer, Ok((StateIndex(id), new)), "{context}");
            let mut again = table.nodes();
            table.get(StateIndex(id), &mut stored, &mut again);
            assert_eq!((&stored, &again), (&row, &nodes), "{context}");
        }
        assert_eq!(table.len(), oracle.len(), "{context}");
    }
}

#[test]
fn a_tree_with_a_limit_keeps_it() {
    let limit = 1 << 18;
    let table = TreeTable::new(8, limit).expect("room");
    let mut nodes = table.nodes();
    let mut stored = Vec::new();
    let mut random = Random(seed());
    let full = loop {
        let row: Vec<u64> = (0..8).map(|_| random.next()).collect();
        match table.insert(&row, &mut nodes) {
            Ok(_) => stored.push(row),
            Err(full) => break full,
        }
    };
    assert_eq!(full, StoreError::Budget { limit });
    assert!(table.bytes() <= limit && stored.len() > 500, "{} states", stored.len());
    for (id, row) in stored.iter().enumerate() {
        assert_eq!(table.find(row), Some(StateIndex(id as u32)));
        assert_eq!(table.insert(row, &mut nodes), Ok((StateIndex(id as u32), false)));
    }
}

/// A lossy set never takes a state for new that it has, and forgets about as many as it says.
fn lossy(states: &dyn States, count: u64) -> f64 {
    for number in 0..count {
        let row = row(number, 128);
        let new = states.insert(&row).expect("room");
        assert!(states.contains(&row));
        assert!(!states.insert(&row).expect("room"), "{number} was {new}");
    }
    count as f64 - states.len() as f64
}

#[test]
fn hash_compaction_omits_what_it_estimates() {
    let full = Fingerprints::new(Fingerprint::Full, 1 << 24).expect("room");
    assert_eq!(lossy(&full, 1_000_000), 0.0);
    assert!(full.omission_probability() < 1e-6 && full.omission_probability() > 0.0);
    // With twelve good bits in the fingerprint, what 32 would do is 2^20 times as likely.
    let twelve = Masked(!0xf_ffff);
    let half = Fingerprints::with_hasher(Fingerprint::Half, 1 << 22, twelve).expect("room");
    let omitted = lossy(&half, 800_000);
    let estimated = half.expected_omissions() * f64::from(1 << 20);
    println!("hash compaction: {omitted} omitted, {estimated:.1} estimated");
    assert!((omitted / estimated - 1.0).abs() < 0.2, "{omitted} of {estimated}");
    let limit = 1 << 16;
    let small = Fingerprints::new(Fingerprint::Half, limit).expect("room");
    let refused = (0..20_000).find(|&number| small.insert(&row(number, 128)).is_err());
    assert_eq!(refused, Some(limit as u64 / 4 * 7 / 8));
    assert!(!small.insert(&row(0, 128)).expect("it is there"));
}

#[test]
fn bitstate_omits_what_it_estimates() {
    for (hashes, count) in [(1, 200_000), (2, 400_000), (3, 1_000_000), (5, 1_000_000)] {
        let states = Bitstate::new(hashes, 1 << 20).expect("room");
        let omitted = lossy(&states, count);
        let estimated = states.expected_omissions();
        println!("bitstate, {hashes} bits: {omitted} omitted, {estimated:.1} estimated");
        assert!((omitted / estimated - 1.0).abs() < 0.1, "{omitted} of {estimated}");
        assert!(states.omission_probability() > 0.99);
    }
}
