//! The lossless table: rows in the order of their numbers, and an index from rows to numbers.
//!
//! # The index
//!
//! It consists of shards, chosen by the highest bits of the hash, and a shard of buckets. A bucket is
//! one cache line: twelve numbers of 32 bits, and a tag of 8 bits for each. A row belongs into its home
//! bucket or, if that is full, the next ones around the shard. Looking for a row reads one line of the
//! index, nearly always, and the rows whose tag is the same: one if the row is there and otherwise
//! none, nearly always.
//!
//! A shard's buckets need not be a power of two, and shards start with different sizes, so that they grow at
//! different times and the load of the whole stays about the same. Stopping the world means stopping one of up
//! to 64 shards while its rows are placed anew, and threads that wait for a large one help to place them; the
//! buckets stay where they are and others are added, so
//! nothing is ever freed while a thread may be reading it, and no scheme of reclamation is needed.
//!
//! # How threads share it
//!
//! A slot is [`EMPTY`], then [`BUSY`] with the tag of the row that a thread is about to store, then the
//! row's number. This is the lockless table of Laarman, van de Pol and Weber ("Boosting multi-core
//! reachability performance with shared hash tables", FMCAD 2010), with numbers in place of rows.
//! There are no locks, except around the allocation of memory. But it is not lock-free in the strict
//! sense: numbers are dense, so a row's number is taken only once it is certain that the row is new,
//! and a thread that looks for a row with the same tag in the same bucket waits for it. It also waits
//! while its shard grows.
//!
//! Why every row gets one number: all threads look at the slots for a row in the same order and claim
//! the first empty one; a slot that was claimed is not empty again until the shard grows. So of two
//! threads with the same row, the second finds the claim of the first, and waits for the row.
//!
//! Why growing loses nothing: the growing thread makes the version odd and then every empty slot [`FROZEN`],
//! and waits for the busy ones. A thread that claims a slot looks at the version again. If it has changed, the
//! claim may be at the wrong place: the slot becomes [`DEAD`] and the thread starts over. It cannot miss the
//! change: the slot it claimed was either empty since before the freezing, then the growing thread has waited
//! for it; or has been emptied since, with release, then it sees the version that was stored before. A row that
//! it finds needs no check: numbers and their rows never change. A row that it does not find is not there if
//! the version is still the same.

use crate::memory::{Array, Bucket, Budget, Pieces, Shape, Shard};
use crate::rows::{Reserve, Rows};
use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Mutex, Ordering, Patience};
use crate::{Rapid, RowHash, StateIndex, States, StoreError};
use std::sync::Arc;

/// Nothing is there, and nothing is beyond in the order of probing.
const EMPTY: u32 = 0;
/// With a tag in the lowest byte: a thread is storing a row here.
const BUSY: u32 = 0xffff_fe00;
/// Was claimed in vain.
const DEAD: u32 = 0xffff_fffe;
/// The number of no row.
const NONE: u32 = u32::MAX;
/// Was empty before its shard began to grow.
const FROZEN: u32 = 0xffff_ffff;

/// From how many buckets on the rows of a shard are counted by samples: the counter would otherwise
/// be a cache line that all threads fight for.
const SAMPLED: u32 = 32;
/// How many rows a sample stands for.
const SAMPLE: u32 = 16;

/// Enough that threads hardly ever wait for each other, and that a shard does not take long to grow.
/// Few enough that what is needed to find a bucket, a line of the directory for each, stays in the
/// first caches: with 1024 of them half of the time of a search went into that.
const MOST_SHARDS: usize = 1 << 6;

/// How many rows of a batch are under way at once.
const BATCH: usize = 32;

/// How wide the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    bits: usize,
}

impl Width {
    /// Rows of so many bits, the lowest ones of their words; the others are 0. A row takes as many
    /// multiples of 32 bits as it needs.
    ///
    /// # Panics
    /// If it is none, or more than 2^32.
    pub fn bits(bits: usize) -> Width {
        assert!(bits > 0 && bits <= 1 << 32, "rows of {bits} bits");
        Width { bits }
    }

    /// Rows of so many words.
    ///
    /// # Panics
    /// If it is none, or more than 2^26.
    pub fn words(words: usize) -> Width {
        Width::bits(words.saturating_mul(64))
    }

    /// How many words a row has.
    pub fn in_words(self) -> usize {
        self.bits.div_ceil(64)
    }

    pub(crate) fn halves(self) -> usize {
        self.bits.div_ceil(32)
    }

    /// The bits that the last word can have.
    fn mask(self) -> u64 {
        u64::MAX >> ((64 - self.bits % 64) % 64)
    }
}

/// A set of rows of one width, numbered from 0 in the order in which they were stored.
///
/// All threads may use it through a shared reference. The numbers are dense at all times; those of one
/// thread ascend, and if it is the only one they count up from 0.
///
/// ```
/// use fairly_store::{StateIndex, Table, Width};
///
/// let table = Table::new(Width::bits(40), 1 << 20)?;
/// assert_eq!(table.insert_or_find(&[7])?, (StateIndex(0), true));
/// assert_eq!(table.insert_or_find(&[8])?, (StateIndex(1), true));
/// assert_eq!(table.insert_or_find(&[7])?, (StateIndex(0), false));
/// let mut row = [0];
/// table.get(StateIndex(1), &mut row);
/// assert_eq!(row, [8]);
/// # Ok::<(), fairly_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Table<H = Rapid> {
    width: Width,
    hasher: H,
    budget: Arc<Budget>,
    rows: Rows,
    shards: Array<Shard>,
    /// `log2` of how many shards there are.
    shard_bits: u32,
    /// The buckets of all shards, [`Shape::SPAN`] pieces each.
    buckets: Pieces<Bucket>,
    /// Shards whose rows are being placed anew, for threads that wait for one of them.
    placing: Mutex<Vec<Arc<Placing>>>,
}

/// The rows of a shard that grows, which several threads place anew.
#[derive(Debug)]
struct Placing {
    shard: usize,
    /// How many buckets there will be.
    buckets: u32,
    numbers: Vec<u32>,
    /// The next of them, and how many have been placed.
    next: AtomicUsize,
    done: AtomicUsize,
}

/// Rows of a shard from which on others help to place them anew, and how many a thread takes at a time.
const HELP: usize = if cfg!(loom) { 1 } else { 1 << 12 };
const SOME: usize = if cfg!(loom) { 1 } else { 1 << 9 };

/// A shard as it is between two growths.
#[derive(Clone, Copy)]
struct View<'a> {
    number: usize,
    shard: &'a Shard,
    version: u32,
    buckets: u32,
}

/// Where a row belongs in a shard as it was at a version.
struct Home<'a> {
    bucket: &'a Bucket,
    version: u32,
}

enum Probe<'a> {
    Found(u32),
    /// The first empty slot, with the place of its tag.
    Vacant(&'a AtomicU32, &'a AtomicU64, u32),
    /// Every slot of the shard is taken.
    Exhausted,
    /// The shard grows.
    Moved,
}

#[inline]
pub(crate) fn tag_of(hash: u64) -> u32 {
    // 0 is no tag; 255 values are left, of which one is twice as likely.
    (hash as u8).max(1).into()
}

/// The highest bit of each byte that is 0, and nothing else.
#[inline]
pub(crate) fn zero_bytes(word: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    !(((word & LOW) + LOW) | word | LOW)
}

/// The tags of the first and the second word that belong to slots.
#[cfg(not(loom))]
const TAGGED: [u64; 2] = [0x8080_8080_8080_8080, 0x8080_8080];
#[cfg(loom)]
const TAGGED: [u64; 1] = [0x80];

impl Table<Rapid> {
    /// An empty table that takes at most `limit` bytes.
    ///
    /// # Errors
    /// If the limit does not even pay for that: about 1 KiB, and three thousandths of the limit.
    pub fn new(width: Width, limit: usize) -> Result<Table, StoreError> {
        Table::with_hasher(width, limit, Rapid)
    }
}

impl<H: RowHash> Table<H> {
    /// As [`Table::new`], with another function that spreads the rows.
    ///
    /// # Errors
    /// As for [`Table::new`].
    pub fn with_hasher(width: Width, limit: usize, hasher: H) -> Result<Table<H>, StoreError> {
        Table::sharing(width, Arc::new(Budget::new(limit)), hasher)
    }

    pub(crate) fn sharing(
        width: Width,
        budget: Arc<Budget>,
        hasher: H,
    ) -> Result<Table<H>, StoreError> {
        // One for each mebibyte, so that the memory for shards that are hardly used does not count.
        let shards =
            (budget.limit() >> 20).clamp(1, MOST_SHARDS).next_power_of_two().min(MOST_SHARDS);
        let slab = (budget.limit() >> 6).clamp(1 << 10, 1 << 21).next_power_of_two();
        let slab = if cfg!(loom) { 1 } else { slab / size_of::<Bucket>() };
        let rows = Rows::new(width, &budget)?;
        let headers = Array::zeroed(shards, &budget)?;
        let buckets = Pieces::new(Shape::Geometric, shards * Shape::SPAN, slab, &budget)?;
        let shard_bits = shards.ilog2();
        let placing = Mutex::new(Vec::new());
        Ok(Table { width, hasher, budget, rows, shards: headers, shard_bits, buckets, placing })
    }

    /// How wide its rows are.
    pub fn width(&self) -> Width {
        self.width
    }

    /// How many rows it has. While others insert, some of them may not be written yet.
    pub fn len(&self) -> usize {
        self.rows.len() as usize
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes it has allocated: rows, index and directories, also what is not used yet.
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// The most bytes it may allocate.
    pub fn limit(&self) -> usize {
        self.budget.limit()
    }

    /// The number of a row, and whether it is new.
    ///
    /// # Errors
    /// If the row is new and there is no room for it. The table is as it was, and still finds
    /// everything; rows may be refused while others, in shards with room, are not.
    ///
    /// # Panics
    /// If the row is not as wide as the table's.
    #[inline]
    pub fn insert_or_find(&self, row: &[u64]) -> Result<(StateIndex, bool), StoreError> {
        self.check(row);
        self.insert_hashed(row, self.hasher.hash(row), None, None)
    }

    /// The same with numbers from a reserve.
    ///
    /// # Errors
    /// As [`insert_or_find`](Table::insert_or_find).
    ///
    /// # Panics
    /// As there.
    #[inline]
    pub fn insert_reserving(
        &self,
        row: &[u64],
        reserve: &mut Reserve,
    ) -> Result<(StateIndex, bool), StoreError> {
        self.check(row);
        self.insert_hashed(row, self.hasher.hash(row), None, Some(reserve))
    }

    /// Stores a row that is not to be found, for what has a number beside the rows.
    ///
    /// # Errors
    /// If there is no room for it.
    ///
    /// # Panics
    /// If the row is not as wide as the table's.
    pub fn push_apart(&self, row: &[u64]) -> Result<StateIndex, StoreError> {
        self.check(row);
        let number = self.rows.take(&self.budget)?;
        self.rows.write(number, row);
        Ok(StateIndex(number))
    }

    /// The number of a row, if it is there.
    ///
    /// # Panics
    /// If the row is not as wide as the table's.
    pub fn find(&self, row: &[u64]) -> Option<StateIndex> {
        self.check(row);
        let hash = self.hasher.hash(row);
        loop {
            let view = self.view(hash);
            match self.probe(view, row, hash, None) {
                Probe::Found(number) => return Some(StateIndex(number)),
                Probe::Moved => {}
                // Slots are loaded with acquire, so this is not loaded before them.
                Probe::Vacant(..) | Probe::Exhausted
                    if view.shard.view.version.load(Ordering::Acquire) == view.version =>
                {
                    return None;
                }
                Probe::Vacant(..) | Probe::Exhausted => {}
            }
        }
    }

    /// Copies the row of a number that this table has given out.
    ///
    /// # Panics
    /// If it has given out nothing near that number, or `row` is not as wide as the table's.
    #[inline]
    pub fn get(&self, state: StateIndex, row: &mut [u64]) {
        assert_eq!(row.len(), self.width.in_words(), "words of a row");
        assert!(self.rows.read(state.0, row), "{state:?} is not of this table");
    }

    /// Does the work of [`insert_or_find`](Table::insert_or_find) for each of the rows that follow each other
    /// in `rows`, faster than one by one: the memory for all of them is on its way before the first is looked
    /// at. Appends to `out`.
    ///
    /// # Errors
    /// If there is no room for one of them. Then `out` has the answers for those before it.
    ///
    /// # Panics
    /// If `rows` is not made of rows as wide as the table's.
    pub fn insert_batch(
        &self,
        rows: &[u64],
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        self.insert_all(rows, None, out)
    }

    /// The same with numbers from a reserve.
    ///
    /// # Errors
    /// As [`insert_batch`](Table::insert_batch).
    ///
    /// # Panics
    /// As there.
    pub fn insert_batch_reserving(
        &self,
        rows: &[u64],
        reserve: &mut Reserve,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        self.insert_all(rows, Some(reserve), out)
    }

    fn insert_all(
        &self,
        rows: &[u64],
        mut reserve: Option<&mut Reserve>,
        out: &mut Vec<(StateIndex, bool)>,
    ) -> Result<(), StoreError> {
        let words = self.width.in_words();
        assert!(rows.len().is_multiple_of(words), "{} words are not rows of {words}", rows.len());
        out.reserve(rows.len() / words);
        for rows in rows.chunks(words * BATCH) {
            let mut under_way: [Option<Home<'_>>; BATCH] = [const { None }; BATCH];
            let mut hashes = [0; BATCH];
            for ((row, hash), home) in rows.chunks_exact(words).zip(&mut hashes).zip(&mut under_way)
            {
                self.check(row);
                *hash = self.hasher.hash(row);
                *home = self.home(*hash);
                home.as_ref().inspect(|home| crate::memory::prefetch(home.bucket));
            }
            let mut candidates = [NONE; BATCH];
            let homes = hashes.iter().zip(&under_way).take(rows.len() / words);
            for ((hash, home), candidate) in homes.zip(&mut candidates) {
                if let Some(home) = home {
                    *candidate = self.candidate(home.bucket, *hash);
                }
            }
            let of_rows = rows.chunks_exact(words).zip(&hashes).zip(&under_way).zip(candidates);
            for (((row, &hash), home), candidate) in of_rows {
                // Most rows are there. Whatever happened since, a number and its row never change.
                if candidate != NONE && self.rows.equal(candidate, row) {
                    out.push((StateIndex(candidate), false));
                    continue;
                }
                let reserve = reserve.as_deref_mut();
                out.push(self.insert_hashed(row, hash, home.as_ref(), reserve)?);
            }
        }
        Ok(())
    }

    #[inline]
    fn check(&self, row: &[u64]) {
        let fits =
            row.len() == self.width.in_words() && row[row.len() - 1] & !self.width.mask() == 0;
        assert!(fits, "the row is not one of {:?}", self.width);
    }

    #[inline]
    fn insert_hashed(
        &self,
        row: &[u64],
        hash: u64,
        home: Option<&Home<'_>>,
        mut reserve: Option<&mut Reserve>,
    ) -> Result<(StateIndex, bool), StoreError> {
        let tag = tag_of(hash);
        loop {
            let view = self.view(hash);
            let home = home.filter(|home| home.version == view.version).map(|home| home.bucket);
            let (slot, tags, shift) = match self.probe(view, row, hash, home) {
                Probe::Found(number) => return Ok((StateIndex(number), false)),
                Probe::Vacant(slot, tags, shift) => (slot, tags, shift),
                Probe::Moved => continue,
                Probe::Exhausted => {
                    self.grow(view)?;
                    continue;
                }
            };
            // Before the claim: a table that is full would otherwise fill up with dead slots.
            match reserve.as_deref_mut() {
                None => self.rows.make_room(&self.budget)?,
                Some(reserve) if reserve.is_empty() => self.rows.refill(reserve, &self.budget)?,
                Some(_) => {}
            }
            // Acquire: see the version of before the slot was emptied. Release is not needed, since a
            // claim says nothing but itself.
            let claim =
                slot.compare_exchange(EMPTY, BUSY | tag, Ordering::Acquire, Ordering::Relaxed);
            if claim.is_err() {
                continue;
            }
            if view.shard.view.version.load(Ordering::Acquire) != view.version {
                slot.store(DEAD, Ordering::Release);
                continue;
            }
            let taken = match reserve.as_deref_mut() {
                None => self.rows.take(&self.budget),
                Some(reserve) => Ok(reserve.take()),
            };
            let number = match taken {
                Ok(number) => number,
                Err(full) => {
                    // Others were faster, at most once for each thread.
                    slot.store(DEAD, Ordering::Release);
                    return Err(full);
                }
            };
            self.rows.write(number, row);
            // Relaxed: a tag that is seen late costs a look at the row.
            tags.fetch_or(u64::from(tag) << shift, Ordering::Relaxed);
            // Release: a thread that sees the number sees the row, and a growing thread the tag.
            slot.store(number + 1, Ordering::Release);
            self.count(view, number);
            return Ok((StateIndex(number), true));
        }
    }

    #[inline]
    fn shard_of(&self, hash: u64) -> usize {
        // Two shifts, since one by 64 is none.
        (hash >> 1 >> (63 - self.shard_bits)) as usize
    }

    /// The bucket where a row belongs among so many. The bits are neither those of the shard nor those
    /// of the tag.
    #[inline]
    fn position(hash: u64, buckets: u32) -> u32 {
        (((hash >> 16 & 0xffff_ffff) * u64::from(buckets)) >> 32) as u32
    }

    /// The shard of a row once it is not growing.
    #[inline]
    fn view(&self, hash: u64) -> View<'_> {
        let number = self.shard_of(hash);
        let shard = &self.shards[number];
        let mut patience = Patience::default();
        loop {
            // Acquire: see everything that the last growth has stored.
            let version = shard.view.version.load(Ordering::Acquire);
            if version.is_multiple_of(2) {
                let buckets = shard.view.buckets.load(Ordering::Acquire);
                return View { number, shard, version, buckets };
            }
            // Acquire, with the release of the thread that lets it grow.
            let is_placing = shard.view.is_placing.load(Ordering::Acquire) == 1;
            if !(is_placing && self.help(number)) {
                patience.wait();
            }
        }
    }

    /// Places some rows of a shard that grows; `false` if there is nothing to do.
    #[cold]
    fn help(&self, shard: usize) -> bool {
        let placing = {
            let placing = self.placing.lock().expect("nothing panics while it is held");
            placing.iter().find(|placing| placing.shard == shard).map(Arc::clone)
        };
        let Some(placing) = placing else { return false };
        let mut row = vec![0; self.width.in_words()];
        self.place_some(&placing, &mut row)
    }

    #[inline]
    fn bucket(&self, shard: usize, bucket: u32) -> &Bucket {
        let (piece, offset) = Shape::place(bucket as usize);
        // The count of buckets is stored after the pieces, with release.
        let piece = self.buckets.get(shard * Shape::SPAN + piece).expect("buckets that were added");
        &piece[offset]
    }

    /// Where a row belongs, if its shard has buckets and is not growing.
    #[inline]
    fn home(&self, hash: u64) -> Option<Home<'_>> {
        let number = self.shard_of(hash);
        let shard = &self.shards[number];
        // Acquire, each: the count of buckets is that of the version, or of a later one; then the
        // version will be found to have changed.
        let version = shard.view.version.load(Ordering::Acquire);
        let buckets = shard.view.buckets.load(Ordering::Acquire);
        if buckets == 0 || !version.is_multiple_of(2) {
            return None;
        }
        Some(Home { bucket: self.bucket(number, Self::position(hash, buckets)), version })
    }

    /// The number of the row that is probably the one looked for, which is asked of the memory; [`NONE`] if there is none.
    #[inline]
    fn candidate(&self, bucket: &Bucket, hash: u64) -> u32 {
        let pattern = u64::from(tag_of(hash)) * 0x0101_0101_0101_0101;
        for (word, tagged) in TAGGED.iter().enumerate() {
            let tags = bucket.tags[word].load(Ordering::Relaxed);
            let same = zero_bytes(tags ^ pattern) & tagged;
            if same != 0 {
                let slot = word * 8 + same.trailing_zeros() as usize / 8;
                // Acquire: see the row of the number.
                let value = bucket.slots[slot].load(Ordering::Acquire);
                if value != EMPTY && value < BUSY {
                    self.rows.prefetch(value - 1);
                    return value - 1;
                }
                return NONE;
            }
        }
        NONE
    }

    /// Looks for a row from its home on.
    #[inline]
    fn probe<'a>(
        &'a self,
        view: View<'_>,
        row: &[u64],
        hash: u64,
        home: Option<&'a Bucket>,
    ) -> Probe<'a> {
        let tag = tag_of(hash);
        let pattern = u64::from(tag) * 0x0101_0101_0101_0101;
        let mut at = Self::position(hash, view.buckets);
        let mut home = home;
        for _ in 0..view.buckets {
            let bucket = home.take().unwrap_or_else(|| self.bucket(view.number, at));
            for (word, tagged) in TAGGED.iter().enumerate() {
                // Relaxed: a tag that is not 0 is right forever, up to the next growth, and where it
                // is 0 the slot is looked at.
                let tags = bucket.tags[word].load(Ordering::Relaxed);
                let mut open = (zero_bytes(tags ^ pattern) | zero_bytes(tags)) & tagged;
                while open != 0 {
                    let byte = open.trailing_zeros() / 8;
                    let slot = &bucket.slots[word * 8 + byte as usize];
                    match self.look(slot, tag, row) {
                        Look::Same(number) => return Probe::Found(number),
                        Look::Other => open &= open - 1,
                        Look::Empty => {
                            return Probe::Vacant(slot, &bucket.tags[word], byte * 8);
                        }
                        Look::Frozen => return Probe::Moved,
                    }
                }
            }
            at = if at + 1 == view.buckets { 0 } else { at + 1 };
        }
        Probe::Exhausted
    }

    #[inline]
    fn look(&self, slot: &AtomicU32, tag: u32, row: &[u64]) -> Look {
        let mut patience = Patience::default();
        loop {
            // Acquire: see the row of the number.
            match slot.load(Ordering::Acquire) {
                EMPTY => return Look::Empty,
                FROZEN => return Look::Frozen,
                DEAD => return Look::Other,
                value if value < BUSY => {
                    let same = self.rows.equal(value - 1, row);
                    return if same { Look::Same(value - 1) } else { Look::Other };
                }
                value if value == BUSY | tag => patience.wait(),
                _ => return Look::Other,
            }
        }
    }

    /// Counts a new row, and lets the shard grow if there are many.
    #[inline]
    fn count(&self, view: View<'_>, number: u32) {
        let step = match view.buckets < SAMPLED {
            true => 1,
            // Which rows are in which shard is as good as random, so every sixteenth number will do.
            false if number.is_multiple_of(SAMPLE) => SAMPLE,
            false => return,
        };
        // Relaxed: an estimate.
        let count = view.shard.rows.count.fetch_add(step, Ordering::Relaxed) + step;
        if count > view.shard.rows.most.load(Ordering::Relaxed) {
            // The row is in. If there is no memory, the slots that are left will do for a while.
            let _ = self.grow(view);
        }
    }

    /// How many buckets a shard has after so many.
    ///
    /// Narrow rows grow by about the square root of 2, so that the index has a load of 0.8 and not 0.7
    /// on average; wide ones double, since placing rows anew has to read them.
    fn more_buckets(&self, shard: usize, buckets: u32) -> u32 {
        if buckets < 4 {
            // Four classes of shards, so that they grow one after the other.
            if cfg!(loom) && buckets == 0 {
                return 1;
            }
            return 4 + (shard % 4) as u32;
        }
        // Small ones double, too: they are never many bytes, and the smaller, the more often.
        if self.width.halves() > 2 || buckets < 64 {
            return buckets * 2;
        }
        let power = buckets.ilog2() - 2;
        let quarters = match buckets >> power {
            4 => 6,
            5 => 7,
            6 => 8,
            _ => 10,
        };
        quarters << power
    }

    /// Gives a shard more buckets, unless it is not any more as it was seen.
    #[cold]
    #[inline(never)]
    fn grow(&self, view: View<'_>) -> Result<(), StoreError> {
        let View { number, shard, version, buckets } = view;
        // Acquire: nothing of the growth happens before. Losing against another thread is fine.
        let turn = shard.view.version.compare_exchange(
            version,
            version + 1,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        if turn.is_err() {
            return Ok(());
        }
        match self.room_to_grow(number, buckets) {
            Ok((more, mut numbers, mut row)) => {
                self.freeze(number, buckets, &mut numbers);
                let count = numbers.len();
                self.place_anew(number, more, numbers, &mut row);
                self.thaw(number, buckets);
                let slots = u64::from(more) * Bucket::SLOTS as u64;
                let most = if cfg!(loom) { slots } else { slots * 29 / 32 };
                shard.rows.count.store(count as u32, Ordering::Relaxed);
                shard.rows.most.store(u32::try_from(most).unwrap_or(u32::MAX), Ordering::Relaxed);
                // Release, each: a thread that sees it sees the buckets as they are now.
                shard.view.buckets.store(more, Ordering::Release);
                shard.view.version.store(version + 2, Ordering::Release);
                Ok(())
            }
            Err(full) => {
                // Nothing has changed, so the version is the old one. Do not try again with each row.
                shard.rows.most.store(u32::MAX, Ordering::Relaxed);
                shard.view.version.store(version, Ordering::Release);
                Err(full)
            }
        }
    }

    /// How many buckets there will be, which are allocated; and memory to work with, which the budget
    /// does not pay for.
    fn room_to_grow(
        &self,
        shard: usize,
        buckets: u32,
    ) -> Result<(u32, Vec<u32>, Vec<u64>), StoreError> {
        let more = self.more_buckets(shard, buckets);
        let (mut numbers, mut row) = (Vec::new(), Vec::new());
        numbers
            .try_reserve_exact(buckets as usize * Bucket::SLOTS)
            .map_err(|_| StoreError::System)?;
        row.try_reserve_exact(self.width.in_words()).map_err(|_| StoreError::System)?;
        row.resize(self.width.in_words(), 0);
        let last = Shape::place(more as usize - 1).0;
        if last >= Shape::SPAN {
            return Err(StoreError::Numbers);
        }
        for piece in 0..=last {
            let piece = shard * Shape::SPAN + piece;
            if self.buckets.get(piece).is_none() {
                self.buckets.add(piece, &self.budget)?;
            }
        }
        Ok((more, numbers, row))
    }

    /// Closes all slots of a shard, and says what was in them.
    ///
    /// Release, each: a thread that finds a slot closed sees that the version is odd, and waits for that.
    fn freeze(&self, shard: usize, buckets: u32, numbers: &mut Vec<u32>) {
        for bucket in 0..buckets {
            let bucket = self.bucket(shard, bucket);
            for slot in &bucket.slots {
                let mut patience = Patience::default();
                loop {
                    // Acquire: see the row, and that its tag was set before it is cleared below.
                    let value = slot.load(Ordering::Acquire);
                    if value == EMPTY {
                        let frozen = slot.compare_exchange(
                            EMPTY,
                            FROZEN,
                            Ordering::Release,
                            Ordering::Relaxed,
                        );
                        if frozen.is_ok() {
                            break;
                        }
                    } else if value < BUSY {
                        numbers.push(value - 1);
                        slot.store(FROZEN, Ordering::Release);
                        break;
                    } else if value == DEAD {
                        slot.store(FROZEN, Ordering::Release);
                        break;
                    } else {
                        patience.wait();
                    }
                }
            }
            for tags in &bucket.tags {
                tags.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Puts rows where they belong among so many buckets, with the help of threads that wait for the shard.
    fn place_anew(&self, shard: usize, buckets: u32, numbers: Vec<u32>, row: &mut [u64]) {
        let is_shared = numbers.len() >= HELP;
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let placing = Arc::new(Placing { shard, buckets, numbers, next, done });
        let list = || self.placing.lock().expect("nothing panics while it is held");
        if is_shared {
            list().push(Arc::clone(&placing));
            self.shards[shard].view.is_placing.store(1, Ordering::Release);
        }
        while self.place_some(&placing, row) {}
        if is_shared {
            self.shards[shard].view.is_placing.store(0, Ordering::Release);
            list().retain(|other| other.shard != shard);
            let mut patience = Patience::default();
            // Acquire: see what the others have placed.
            while placing.done.load(Ordering::Acquire) < placing.numbers.len() {
                patience.wait();
            }
        }
    }

    /// Takes some rows and puts them where they belong; `false` if none are left to take.
    fn place_some(&self, placing: &Placing, row: &mut [u64]) -> bool {
        const AHEAD: usize = 24;
        let Placing { shard, buckets, numbers, next, done } = placing;
        // Relaxed: the numbers were made known by the lock around the list.
        let first = next.fetch_add(SOME, Ordering::Relaxed);
        let last = (first + SOME).min(numbers.len());
        if first >= last {
            return false;
        }
        for (i, &number) in numbers.iter().enumerate().take(last).skip(first) {
            if let Some(&later) = numbers.get(i + AHEAD) {
                self.rows.prefetch(later);
            }
            self.rows.read(number, row);
            self.place(*shard, *buckets, number, self.hasher.hash(row));
        }
        // Release, with the acquire of the thread that lets the shard grow.
        done.fetch_add(last - first, Ordering::Release);
        true
    }

    /// Puts a row into the first bucket from its home on that has room for it.
    #[inline]
    fn place(&self, shard: usize, buckets: u32, number: u32, hash: u64) {
        let mut at = Self::position(hash, buckets);
        loop {
            let bucket = self.bucket(shard, at);
            for (word, tagged) in TAGGED.iter().enumerate() {
                // Relaxed, here and below: a tag is claimed by one thread, and says nothing but itself.
                let mut tags = bucket.tags[word].load(Ordering::Relaxed);
                loop {
                    let free = zero_bytes(tags) & tagged;
                    if free == 0 {
                        break;
                    }
                    let byte = free.trailing_zeros() / 8;
                    let more = tags | u64::from(tag_of(hash)) << (byte * 8);
                    let (new, old) = (Ordering::Relaxed, Ordering::Relaxed);
                    match bucket.tags[word].compare_exchange(tags, more, new, old) {
                        // Release: a thread that is late may find the number here, and reads the row.
                        Ok(_) => {
                            let slot = &bucket.slots[word * 8 + byte as usize];
                            return slot.store(number + 1, Ordering::Release);
                        }
                        Err(now) => tags = now,
                    }
                }
            }
            at = if at + 1 == buckets { 0 } else { at + 1 };
        }
    }

    /// Opens the slots again that nothing was put into.
    fn thaw(&self, shard: usize, buckets: u32) {
        for bucket in 0..buckets {
            for slot in &self.bucket(shard, bucket).slots {
                if slot.load(Ordering::Relaxed) == FROZEN {
                    // Release: who claims it sees that the version has changed.
                    slot.store(EMPTY, Ordering::Release);
                }
            }
        }
    }
}

enum Look {
    Same(u32),
    Other,
    Empty,
    Frozen,
}

impl<H: RowHash> States for Table<H> {
    fn insert(&self, row: &[u64]) -> Result<bool, StoreError> {
        self.insert_or_find(row).map(|(_, new)| new)
    }

    fn contains(&self, row: &[u64]) -> bool {
        self.find(row).is_some()
    }

    fn len(&self) -> usize {
        Table::len(self)
    }

    fn bytes(&self) -> usize {
        Table::bytes(self)
    }

    fn expected_omissions(&self) -> f64 {
        0.0
    }
}
