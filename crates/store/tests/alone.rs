//! The tables for one thread, against a hash map of the standard library.

use std::collections::HashMap;

use fairly_store::{Rapid, RowHash, StateIndex, StoreError, Trees, Words};

use crate::common::{Constant, Masked, Random, operations, seed};

const PLENTY: usize = 1 << 32;

/// A model of a set: its answers for a row, by a map.
#[derive(Default)]
struct Oracle(HashMap<Vec<u64>, u32>);

impl Oracle {
    fn insert(&mut self, row: &[u64]) -> (StateIndex, bool) {
        let next = self.0.len() as u32;
        let new = !self.0.contains_key(row);
        (StateIndex(*self.0.entry(row.to_vec()).or_insert(next)), new)
    }
}

fn compare_words<H: RowHash>(hasher: H, operations: u64, distinct: u64) {
    compare_words_of(
        |at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        hasher,
        operations,
        distinct,
        PLENTY,
    );
}

fn compare_words_of<H: RowHash>(
    make: impl Fn(u64) -> u64,
    hasher: H,
    operations: u64,
    distinct: u64,
    limit: usize,
) {
    let seed = seed();
    let mut random = Random(seed);
    let mut words = Words::with_hasher(limit, hasher).expect("room");
    let mut oracle = Oracle::default();
    let (mut batch, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..operations {
        let word = make(random.skewed(distinct));
        if random.below(4) == 0 {
            assert_eq!(words.insert(word), Ok(oracle.insert(&[word])), "seed {seed}");
        } else {
            batch.push(word);
        }
        if random.below(100) == 0 {
            answers.clear();
            words.insert_batch(&batch, &mut answers).expect("room");
            let expected: Vec<_> = batch.drain(..).map(|word| oracle.insert(&[word])).collect();
            assert_eq!(answers, expected, "seed {seed}");
        }
    }
    assert_eq!(words.len(), oracle.0.len(), "seed {seed}");
    for (row, &number) in &oracle.0 {
        assert_eq!(words.get(StateIndex(number)), row[0], "seed {seed}");
    }
}

#[test]
fn words_agree_with_the_map() {
    compare_words(Rapid, operations(100_000), 1 << 8);
    compare_words(Rapid, operations(1_000_000), 1 << 40);
}

/// Words of any number of bytes, in many segments.
#[test]
fn words_of_different_sizes_agree_with_the_map() {
    let limit = 1 << 25;
    for bits in [1, 7, 8, 9, 24, 31, 40, 57] {
        compare_words_of(|at| at << bits, Rapid, operations(30_000), 1 << 12, limit);
    }
    // Larger and larger ones.
    for step in [1, 7, 60] {
        let grown = |at: u64| 1 << (at / (step * 100)).min(63) | at;
        compare_words_of(grown, Rapid, operations(200_000), 6400 * step, limit);
    }
    compare_words_of(u64::reverse_bits, Rapid, operations(300_000), 1 << 20, limit);
}

#[test]
fn words_agree_on_bad_hashes() {
    for hash in [0, u64::MAX, 0xff] {
        compare_words(Constant(hash), operations(3_000), 1 << 10);
    }
    for mask in [0xff, 0xffff_0000, 0xf000_0000_0000_0000, 0x0003_0000_0000_0007] {
        compare_words(Masked(mask), operations(6_000), 1 << 12);
    }
}

/// Rows like those of a search: successors of some state that is read, and now and then any row.
fn compare_trees<H: RowHash + Clone>(words: usize, hasher: H, operations: u64) {
    let seed = seed();
    let context = format!("seed {seed}, {words} words");
    let mut random = Random(seed);
    let mut trees = Trees::with_hasher(words, PLENTY, hasher).expect("room");
    let mut oracle = Oracle::default();
    let (mut base, mut stored) = (vec![0; words], vec![0; words]);
    // Before any row was read, too.
    let mut has_read = false;
    for _ in 0..operations {
        if has_read || random.below(4) == 0 {
            let start: Vec<u64> = (0..words).map(|_| random.skewed(4)).collect();
            assert_eq!(trees.insert(&start), Ok(oracle.insert(&start)), "{context}");
        }
        let mut added = Vec::new();
        for _ in 0..random.below(6) {
            if !oracle.0.is_empty() && random.below(4) > 0 {
                let number = StateIndex(random.below(oracle.0.len() as u64) as u32);
                trees.read(number, &mut base);
                has_read = true;
                assert_eq!(oracle.0.get(&base), Some(&number.0), "{context}");
            }
            for _ in 0..random.below(5) {
                let mut row = base.clone();
                for _ in 0..random.below(3) {
                    row[random.below(words as u64) as usize] =
                        random.skewed(64) << random.below(58);
                }
                trees.add(&row);
                added.push(row);
            }
        }
        assert_eq!(trees.added(), added.len(), "{context}");
        let mut answers = Vec::new();
        trees.insert_added(&mut answers).expect("room");
        let expected: Vec<_> = added.iter().map(|row| oracle.insert(row)).collect();
        assert_eq!(answers, expected, "{context}");
    }
    assert_eq!(trees.len(), oracle.0.len(), "{context}");
    for (row, &number) in &oracle.0 {
        trees.get(StateIndex(number), &mut stored);
        assert_eq!(stored, *row, "{context}");
    }
}

#[test]
fn trees_agree_with_the_map() {
    for words in [2, 3, 4, 5, 8, 16, 33, 100] {
        compare_trees(words, Rapid, operations(3_000));
    }
    compare_trees(5, Masked(0xff), operations(200));
}

/// When there is no room, that is said; what was there is still found.
#[test]
fn limits_are_kept() {
    let limit = 1 << 18;
    let mut words = Words::new(limit).expect("room");
    let mut random = Random(seed());
    let mut stored = Vec::new();
    let full = loop {
        let word = random.next();
        match words.insert(word) {
            Ok(_) => stored.push(word),
            Err(full) => break full,
        }
        assert!(words.bytes() <= limit);
    };
    assert_eq!(full, StoreError::Budget { limit });
    assert!(stored.len() > 8_000, "{} words", stored.len());
    for (number, &word) in stored.iter().enumerate() {
        assert_eq!(words.insert(word), Ok((StateIndex(number as u32), false)));
    }

    let mut trees = Trees::new(8, limit).expect("room");
    let mut stored = Vec::new();
    let full = loop {
        let row: Vec<u64> = (0..8).map(|_| random.next()).collect();
        trees.add(&row);
        match trees.insert_added(&mut Vec::new()) {
            Ok(()) => stored.push(row),
            Err(full) => break full,
        }
        assert!(trees.bytes() <= limit);
    };
    assert_eq!(full, StoreError::Budget { limit });
    assert_eq!(trees.added(), 0);
    assert!(stored.len() > 500, "{} states", stored.len());
    for (number, row) in stored.iter().enumerate() {
        assert_eq!(trees.insert(row), Ok((StateIndex(number as u32), false)));
    }
    // With more room it goes on.
    let before = trees.len();
    trees.allow(2 * limit);
    for at in 0..100 {
        assert_eq!(trees.insert(&[at; 8]), Ok((StateIndex(before as u32 + at as u32), true)));
    }
    assert!(limit < trees.bytes() && trees.bytes() <= 2 * limit, "{}", trees.bytes());
    assert!(Words::new(10).is_err() && Trees::new(4, 10).is_err());
}

/// A word costs at most 16 bytes, beside a segment that has been begun; on average, with that. One that
/// has zeros at the top costs as many bytes less.
#[test]
fn words_take_sixteen_bytes() {
    for (bits, most) in [(64, 15.0), (56, 14.0), (40, 12.0)] {
        let mut words = Words::new(PLENTY).expect("room");
        let (mut worst, mut sum): (f64, f64) = (0.0, 0.0);
        for number in 1..=3_000_000u64 {
            // The highest bits of a product with an odd number differ for small factors.
            let word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
            words.insert(word).expect("room");
            if number >= 1_000_000 && number % 1000 == 0 {
                let (bytes, words) = (words.bytes() as f64, words.len() as f64);
                worst = worst.max((bytes - f64::from(2 << 20)) / words);
                sum += bytes / words;
            }
        }
        let average = sum / 2001.0;
        println!("{bits} bits: at most {worst:.2} bytes a word, {average:.2} on average");
        assert!(words.len() > 2_990_000, "{} words", words.len());
        assert!(worst <= most && average <= most, "{worst} {average}");
    }
}
