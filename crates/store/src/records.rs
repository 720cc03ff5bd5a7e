//! A few words for each number, written once by whichever thread comes first and read by all.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::growing::Growing;
use crate::memory::prefetch;
use crate::sync::Patience;

/// Words that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// Of a number: nothing is written, and no thread has claimed to.
const NONE: u64 = 0;
/// Of a number: a thread has claimed to write.
const CLAIMED: u64 = 1;
/// Added to the place of what is written.
const WRITTEN: u64 = 2;

/// A few words for each number. The thread that [claims](Records::claim) a number writes them; what is written never
/// changes.
///
/// ```
/// use fairly_store::{RecordWriter, Records};
/// let records = Records::default();
/// assert!(records.claim(7) && !records.claim(7));
/// records.put(7, &[1, 2, 3], &mut RecordWriter::default());
/// let read = records.get(7).map(|record| record.words().collect::<Vec<u32>>());
/// assert_eq!(read, Some(vec![1, 2, 3]));
/// assert!(records.get(8).is_none());
/// ```
#[derive(Debug, Default)]
pub struct Records {
    /// By number: where its words are.
    places: Growing<AtomicU64>,
    chunks: Growing<OnceLock<Box<[AtomicU32]>>>,
    chunk_count: AtomicUsize,
    bytes: AtomicUsize,
}

/// The chunk that a thread writes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordWriter {
    chunk: usize,
    /// The next free word, and those behind it.
    next: usize,
    left: usize,
}

/// The words of a number.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a>(&'a [AtomicU32]);

impl Record<'_> {
    /// One of them.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub fn word(&self, at: usize) -> u32 {
        self.0[at].load(Ordering::Relaxed)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|word| word.load(Ordering::Relaxed))
    }
}

impl Records {
    fn place(&self, number: u32) -> &AtomicU64 {
        self.places.get_or_add(number as usize, || AtomicU64::new(NONE))
    }

    /// The words of a number, if they are written.
    #[inline]
    pub fn get(&self, number: u32) -> Option<Record<'_>> {
        // Acquire, with the release in `put`: a thread that sees the place sees the words.
        let place = self.places.get(number as usize)?.load(Ordering::Acquire);
        let place = place.checked_sub(WRITTEN)?;
        let chunk = self.chunks.get((place >> 32) as usize)?.get()?;
        let from = &chunk[place as u32 as usize..];
        let (length, words) = from.split_first()?;
        Some(Record(&words[..length.load(Ordering::Relaxed) as usize]))
    }

    /// Asks for where the words of a number are.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(place) = self.places.get(number as usize) {
            prefetch(place);
        }
    }

    /// Whether it is for this thread to write the words of a number, or to [give them up](Records::give_up).
    pub fn claim(&self, number: u32) -> bool {
        let place = self.place(number);
        let (new, old) = (Ordering::Acquire, Ordering::Relaxed);
        place.load(Ordering::Relaxed) == NONE
            && place.compare_exchange(NONE, CLAIMED, new, old).is_ok()
    }

    /// Lets another thread write the words of a number that this one has claimed.
    pub fn give_up(&self, number: u32) {
        self.place(number).store(NONE, Ordering::Release);
    }

    /// Waits as long as another thread is about to write the words of a number.
    pub fn wait(&self, number: u32) {
        let mut patience = Patience::default();
        while self.place(number).load(Ordering::Acquire) == CLAIMED {
            patience.wait();
        }
    }

    /// Writes the words of a number that this thread has claimed.
    ///
    /// # Panics
    /// If there are 2³² words or more.
    pub fn put(&self, number: u32, words: &[u32], writer: &mut RecordWriter) {
        let length = u32::try_from(words.len()).expect("a few words");
        if writer.left <= words.len() {
            let length = CHUNK.max(words.len() + 1);
            let chunk = self.chunk_count.fetch_add(1, Ordering::Relaxed);
            self.chunks.get_or_add(chunk, OnceLock::new).get_or_init(|| {
                self.bytes.fetch_add(length * size_of::<AtomicU32>(), Ordering::Relaxed);
                std::iter::repeat_with(|| AtomicU32::new(0)).take(length).collect()
            });
            *writer = RecordWriter { chunk, next: 0, left: length };
        }
        let chunk = self.chunks.get(writer.chunk).and_then(OnceLock::get).expect("it was added");
        let place = (writer.chunk as u64) << 32 | writer.next as u64;
        let cells = &chunk[writer.next..=writer.next + words.len()];
        for (cell, &word) in cells.iter().zip(std::iter::once(&length).chain(words)) {
            cell.store(word, Ordering::Relaxed);
        }
        writer.next += words.len() + 1;
        writer.left -= words.len() + 1;
        self.place(number).store(place + WRITTEN, Ordering::Release);
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) + self.places.bytes() + self.chunks.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_read_what_one_of_them_has_written() {
        let records = Records::default();
        let words = |number: u32| vec![number; number as usize % 37 + 1];
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let records = &records;
                scope.spawn(move || {
                    let mut writer = RecordWriter::default();
                    for step in 0..20_000u32 {
                        let number = step.wrapping_mul(7919 + 2 * thread) % 10_000;
                        while records.get(number).is_none() {
                            match records.claim(number) {
                                true if step % 5 == 4 => records.give_up(number),
                                true => records.put(number, &words(number), &mut writer),
                                false => records.wait(number),
                            }
                            if step % 5 == 4 {
                                break;
                            }
                        }
                        if let Some(record) = records.get(number) {
                            assert!(record.words().eq(words(number)), "{number}");
                        }
                    }
                });
            }
        });
        assert!((0..10_000).all(|number| records.get(number).is_some_and(|it| !it.is_empty())));
    }

    #[test]
    fn long_records_have_a_chunk_of_their_own() {
        let (records, mut writer) = (Records::default(), RecordWriter::default());
        let long: Vec<u32> = (0..3 * CHUNK as u32).collect();
        for (number, words) in [&long[..10], &long, &long[..CHUNK - 1], &[]].iter().enumerate() {
            assert!(records.claim(number as u32));
            records.put(number as u32, words, &mut writer);
        }
        let read = |number| records.get(number).map(|it| it.words().collect::<Vec<u32>>());
        assert_eq!(read(0), Some(long[..10].to_vec()));
        assert_eq!(read(1), Some(long.clone()));
        assert_eq!(read(2), Some(long[..CHUNK - 1].to_vec()));
        assert_eq!(read(3), Some(Vec::new()));
        assert!(records.bytes() >= 5 * CHUNK * 4);
    }
}
