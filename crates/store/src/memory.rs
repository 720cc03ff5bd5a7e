//! Memory that is counted, zeroed, shared, and never moved: the only module with `unsafe` code.
//!
//! # Contracts
//!
//! - [`Zeroable`] (unsafe to implement): zero bytes are a value, there is nothing to drop, and the
//!   type may be shared between threads. [`Array`] relies on it.
//! - [`Array`] owns its memory alone, from one allocation with the layout that it computes again when it frees
//!   it. No other owner frees it.
//! - [`Pieces`] hands out `&[T]` for as long as it is borrowed. It relies on this, which holds because
//!   the fields are private to this module: a pointer is written once, under the lock, from null to
//!   the start of [`Shape::length`] elements inside an array that `owned` keeps until the whole value
//!   is dropped; `Shape::length` is a function of the piece's number alone.
//! - [`Strides`] reads and writes eight bytes at the start of a word of fewer. It relies on its array
//!   having `room * stride + 8 - stride` bytes, which is how it is made, and its fields never change.
//! - `prefetch` may be given any address: it never faults.
//!
//! Everything outside may rely on references and slices being valid, and needs no `unsafe` of its
//! own: what threads share are atomics only, so that no interleaving is a data race.
#![allow(unsafe_code)]

use std::alloc::Layout;
use std::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Mutex, Ordering};
use crate::{StoreError, meter};

/// How many bytes may be taken, and how many are.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Changes only while one thread has the table, so the model checker need not look at it.
    limit: std::sync::atomic::AtomicUsize,
    used: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Budget {
        Budget { limit: limit.into(), used: AtomicUsize::new(0) }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Allows so many bytes from now on.
    pub(crate) fn allow(&self, limit: usize) {
        self.limit.store(limit, std::sync::atomic::Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The counter orders nothing but itself: the memory itself is published by other means.
    fn take(&self, bytes: usize) -> Result<(), StoreError> {
        let limit = self.limit();
        let more = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(()),
            Err(_) => Err(StoreError::Budget { limit }),
        }
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Types that an [`Array`] can hold.
///
/// # Safety
/// Zero bytes are a value of the type, and dropping it does nothing.
pub(crate) unsafe trait Zeroable: Send + Sync {
    /// The value that zero bytes are; the model checker's atomics have to be made one by one.
    #[cfg(loom)]
    fn zero() -> Self;
}

// SAFETY: an atomic has the representation of its integer, and does not need to be dropped.
unsafe impl Zeroable for AtomicU32 {
    #[cfg(loom)]
    fn zero() -> Self {
        AtomicU32::new(0)
    }
}

// SAFETY: as above.
unsafe impl Zeroable for AtomicU64 {
    #[cfg(loom)]
    fn zero() -> Self {
        AtomicU64::new(0)
    }
}

// SAFETY: zero bytes are the null pointer, and the pointer owns nothing here.
unsafe impl<T: Zeroable> Zeroable for AtomicPtr<T> {
    #[cfg(loom)]
    fn zero() -> Self {
        AtomicPtr::new(ptr::null_mut())
    }
}

/// A bucket of the index: one cache line.
///
/// A tag is 0 until the slot's number is known. The second word has room for four tags only.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Bucket {
    pub(crate) tags: [AtomicU64; Bucket::SLOTS.div_ceil(8)],
    pub(crate) slots: [AtomicU32; Bucket::SLOTS],
}

impl Bucket {
    /// As many as fit; the model checker needs less to see everything that can happen.
    pub(crate) const SLOTS: usize = if cfg!(loom) { 1 } else { 12 };
}

// SAFETY: atomics in an array, without padding that matters.
unsafe impl Zeroable for Bucket {
    #[cfg(loom)]
    fn zero() -> Self {
        Bucket {
            tags: std::array::from_fn(|_| AtomicU64::new(0)),
            slots: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }
}

// SAFETY: bytes have no values that zero is not, and nothing to drop.
unsafe impl Zeroable for u8 {
    #[cfg(loom)]
    fn zero() -> Self {
        0
    }
}

/// A bucket of an index that one thread has for itself: sixteen tags of one byte, and 48 bytes of
/// numbers, as many as fit.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u8; 64]);

// SAFETY: bytes, as above.
unsafe impl Zeroable for Line {
    #[cfg(loom)]
    fn zero() -> Self {
        Line([0; 64])
    }
}

/// The state of one shard of the index.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Shard {
    pub(crate) view: Looked,
    pub(crate) rows: Counted,
}

/// The part of a shard's state that every look-up reads and only a growth writes: a cache line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Looked {
    /// Even while rows are looked up, odd while it grows; never the same again after it has grown.
    pub(crate) version: AtomicU32,
    /// How many buckets it has.
    pub(crate) buckets: AtomicU32,
    /// 1 while its rows are placed anew by as many threads as like to.
    pub(crate) is_placing: AtomicU32,
}

/// The part that new rows write.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Counted {
    /// About how many rows are in the shard.
    pub(crate) count: AtomicU32,
    /// How many there may be before it grows.
    pub(crate) most: AtomicU32,
}

// SAFETY: atomics and padding.
unsafe impl Zeroable for Shard {
    #[cfg(loom)]
    fn zero() -> Self {
        let zero = || AtomicU32::new(0);
        Shard {
            view: Looked { version: zero(), buckets: zero(), is_placing: zero() },
            rows: Counted { count: zero(), most: zero() },
        }
    }
}

/// A node of the union-find of `components.rs`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Member {
    pub(crate) parent: AtomicU32,
    pub(crate) next: AtomicU32,
    pub(crate) status: AtomicU32,
    pub(crate) listed: AtomicU32,
    pub(crate) workers: AtomicU64,
    pub(crate) marks: AtomicU64,
}

// SAFETY: atomics without padding.
unsafe impl Zeroable for Member {
    #[cfg(loom)]
    fn zero() -> Self {
        let zero = || AtomicU32::new(0);
        Member {
            parent: zero(),
            next: zero(),
            status: zero(),
            listed: zero(),
            workers: AtomicU64::new(0),
            marks: AtomicU64::new(0),
        }
    }
}

/// Huge pages are this big. Without them half of the time of a look-up in a large table is spent on
/// translating addresses.
const HUGE: usize = 1 << 21;

#[cfg(all(target_os = "linux", not(loom), not(miri)))]
fn ask_for_huge_pages(start: *mut u8, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    // SAFETY: the range is one allocation of ours; the advice changes no contents, and it does not
    // matter whether it is taken.
    unsafe { madvise(start.cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(loom), not(miri))))]
fn ask_for_huge_pages(_: *mut u8, _: usize) {}

/// Zeroed memory of a fixed length.
#[derive(Debug)]
pub(crate) struct Array<T: Zeroable> {
    start: NonNull<T>,
    length: usize,
}

// SAFETY: it owns values that may be sent and shared, and gives out shared references only.
unsafe impl<T: Zeroable> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable> Sync for Array<T> {}

impl<T: Zeroable> Array<T> {
    /// An array of zeros that the budget pays for.
    pub(crate) fn zeroed(length: usize, budget: &Budget) -> Result<Array<T>, StoreError> {
        let layout = Array::<T>::layout(length).ok_or(StoreError::System)?;
        budget.take(layout.size())?;
        match meter::fallibly(|| Array::allocate(length, layout)) {
            Some(start) => Ok(Array { start, length }),
            None => {
                budget.give_back(layout.size());
                Err(match meter::limit_before(layout.size()) {
                    Some(limit) => StoreError::Budget { limit },
                    None => StoreError::System,
                })
            }
        }
    }

    fn layout(length: usize) -> Option<Layout> {
        let layout = Layout::array::<T>(length).ok()?;
        layout.align_to(if layout.size() >= HUGE { HUGE } else { 1 }).ok()
    }

    #[cfg(not(loom))]
    fn allocate(length: usize, layout: Layout) -> Option<NonNull<T>> {
        if length == 0 || size_of::<T>() == 0 {
            return Some(NonNull::dangling());
        }
        // SAFETY: the layout's size is not 0. The bytes are set to 0 in either case, which makes
        // values of them since `T` is `Zeroable`.
        let start = unsafe {
            if layout.align() < HUGE {
                // The system gives zeros that cost nothing until they are touched.
                std::alloc::alloc_zeroed(layout)
            } else {
                let start = std::alloc::alloc(layout);
                if !start.is_null() {
                    ask_for_huge_pages(start, layout.size());
                    ptr::write_bytes(start, 0, layout.size());
                }
                start
            }
        };
        NonNull::new(start.cast())
    }

    #[cfg(loom)]
    fn allocate(length: usize, _: Layout) -> Option<NonNull<T>> {
        let values: Box<[T]> = (0..length).map(|_| T::zero()).collect();
        ask_for_huge_pages(ptr::null_mut(), 0);
        NonNull::new(Box::into_raw(values).cast())
    }
}

impl<T: Zeroable> std::ops::Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `start` is the first of `length` values, which live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> std::ops::DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is the only way to them while it is borrowed: `Pieces`, which
        // hands out more, never borrows its arrays so.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> Array<T> {
    /// Frees it, and lets the budget that paid for it have the bytes again.
    pub(crate) fn give_back(self, budget: &Budget) {
        budget.give_back(Array::<T>::layout(self.length).map_or(0, |layout| layout.size()));
    }
}

impl<T: Zeroable> Drop for Array<T> {
    fn drop(&mut self) {
        let layout = Array::<T>::layout(self.length).expect("it was one when it was allocated");
        if layout.size() > 0 {
            #[cfg(not(loom))]
            // SAFETY: allocated with this layout; references to it have ended with the borrows.
            unsafe {
                std::alloc::dealloc(self.start.as_ptr().cast(), layout);
            }
            #[cfg(loom)]
            // SAFETY: made by `Box::into_raw` from a slice of this length.
            drop(unsafe {
                Box::from_raw(ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.length))
            });
        }
    }
}

/// Room for words that have the same few bytes each, zeros at first.
#[derive(Debug)]
pub(crate) struct Strides {
    bytes: Array<u8>,
    /// Bytes of a word, and the bits that it can have in them.
    stride: usize,
    mask: u64,
    /// How many words there is room for.
    room: usize,
}

impl Strides {
    /// Room for words of 1 to 8 bytes.
    pub(crate) fn zeroed(
        room: usize,
        stride: usize,
        budget: &Budget,
    ) -> Result<Strides, StoreError> {
        assert!((1..=size_of::<u64>()).contains(&stride), "words of {stride} bytes");
        // A word is read and written with what is behind it, up to eight bytes.
        let bytes =
            room.checked_mul(stride).and_then(|it| it.checked_add(size_of::<u64>() - stride));
        let bytes = Array::zeroed(bytes.ok_or(StoreError::System)?, budget)?;
        Ok(Strides { bytes, stride, mask: u64::MAX >> (64 - 8 * stride), room })
    }

    pub(crate) fn room(&self) -> usize {
        self.room
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> u64 {
        assert!(at < self.room, "a word that is there");
        // SAFETY: the eight bytes from the start of every word on are within the array.
        let word = unsafe {
            self.bytes.start.as_ptr().add(at * self.stride).cast::<u64>().read_unaligned()
        };
        u64::from_le(word) & self.mask
    }

    /// Writes a word, and zeros over the bytes behind it; `false` if there is no room for it.
    #[inline]
    #[must_use]
    pub(crate) fn put(&mut self, at: usize, word: u64) -> bool {
        let fits = at < self.room && word <= self.mask;
        if fits {
            // SAFETY: as above, and no other thread reads or writes while `self` is borrowed.
            unsafe {
                let start = self.bytes.start.as_ptr().add(at * self.stride);
                start.cast::<u64>().write_unaligned(word.to_le());
            }
        }
        fits
    }

    /// Takes over the first words of another one with words of as many bytes.
    pub(crate) fn copy(&mut self, words: usize, from: &Strides) {
        assert_eq!(self.stride, from.stride, "bytes of a word");
        let taken = words * self.stride;
        self.bytes[..taken].copy_from_slice(&from.bytes[..taken]);
    }

    /// Asks for a word that will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        prefetch_address(self.bytes.start.as_ptr().wrapping_add(at * self.stride));
    }

    /// Frees it, and lets the budget that paid for it have the bytes again.
    pub(crate) fn give_back(self, budget: &Budget) {
        self.bytes.give_back(budget);
    }
}

/// How long the pieces are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// All alike.
    Even(usize),
    /// Rows of [`Shape::SPAN`] pieces, each of which has four pieces of 1 and then four of each power
    /// of two from 1 on: it can grow by a quarter or less, and a division finds the piece.
    Geometric,
}

impl Shape {
    /// Enough for 2^29 elements.
    pub(crate) const SPAN: usize = if cfg!(loom) { 12 } else { 112 };

    fn length(self, piece: usize) -> usize {
        match self {
            Shape::Even(length) => length,
            Shape::Geometric => match piece % Shape::SPAN {
                0..4 => 1,
                piece => 1 << (piece / 4 - 1),
            },
        }
    }

    /// The piece of the `i`-th element of a geometric row, and the element's place in the piece.
    #[inline]
    pub(crate) fn place(i: usize) -> (usize, usize) {
        if i < 4 {
            return (i, 0);
        }
        let power = i.ilog2() as usize;
        // The two bits below the highest choose among the four pieces of this power.
        let piece = 4 * (power - 2) + (i >> (power - 2));
        (piece, i & ((1 << (power - 2)) - 1))
    }
}

/// Arrays that are added while others are read, and stay where they are.
#[derive(Debug)]
pub(crate) struct Pieces<T: Zeroable> {
    shape: Shape,
    /// Each is null, or the start of a piece, and then never changes again.
    pointers: Array<AtomicPtr<T>>,
    owned: Mutex<Owned<T>>,
    /// How many elements are allocated at once; pieces that are larger come alone.
    slab: usize,
}

#[derive(Debug)]
struct Owned<T: Zeroable> {
    slabs: Vec<Array<T>>,
    /// The slab that small pieces are cut from, and how much of it is taken.
    open: Option<usize>,
    taken: usize,
}

impl<T: Zeroable> Pieces<T> {
    /// Room for the pointers of so many pieces, none of which is there.
    pub(crate) fn new(
        shape: Shape,
        pieces: usize,
        slab: usize,
        budget: &Budget,
    ) -> Result<Pieces<T>, StoreError> {
        let pointers = Array::zeroed(pieces, budget)?;
        let owned = Owned { slabs: Vec::new(), open: None, taken: 0 };
        Ok(Pieces { shape, pointers, owned: Mutex::new(owned), slab })
    }

    /// A piece, if it is there.
    #[inline]
    pub(crate) fn get(&self, piece: usize) -> Option<&[T]> {
        // Acquire, with the release in `add`: a thread that sees the pointer sees the zeros behind it.
        let start = self.pointers.get(piece)?.load(Ordering::Acquire);
        if start.is_null() {
            return None;
        }
        // SAFETY: the pointer is not null, so it was published by `add`, and points to so many
        // elements that live as long as `self`.
        Some(unsafe { std::slice::from_raw_parts(start, self.shape.length(piece)) })
    }

    /// Makes a piece be there.
    #[cold]
    pub(crate) fn add(&self, piece: usize, budget: &Budget) -> Result<(), StoreError> {
        let Some(pointer) = self.pointers.get(piece) else { return Err(StoreError::Numbers) };
        let mut owned = self.owned.lock().expect("nothing panics while it is held");
        let owned = &mut *owned;
        if !pointer.load(Ordering::Relaxed).is_null() {
            return Ok(());
        }
        let length = self.shape.length(piece);
        owned.slabs.try_reserve(1).map_err(|_| StoreError::System)?;
        let start = if length > self.slab / 2 {
            let array = Array::zeroed(length, budget)?;
            let start = array.start;
            owned.slabs.push(array);
            start
        } else {
            if owned.open.is_none() || owned.taken + length > self.slab {
                // The rest of the last slab is at most half of it, and lost.
                let array = Array::zeroed(self.slab, budget)?;
                owned.slabs.push(array);
                (owned.open, owned.taken) = (Some(owned.slabs.len() - 1), 0);
            }
            let slab: &[T] = &owned.slabs[owned.open.expect("just set")];
            let elements = &slab[owned.taken..owned.taken + length];
            owned.taken += length;
            NonNull::from(elements).cast()
        };
        pointer.store(start.as_ptr(), Ordering::Release);
        Ok(())
    }
}

/// Asks for the cache line of a value that will be read soon.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_address(ptr::from_ref(value).cast());
}

#[inline]
fn prefetch_address(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    // SAFETY: a hint that has no effect but on caches.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(loom))))]
    let _ = address;
}

/// A bit for each of sixteen bytes that is this one.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn equal_bytes(tags: &[u8; 16], tag: u8) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: every machine of this architecture has the instructions, and they read sixteen bytes
    // that need no alignment.
    unsafe {
        let all = _mm_loadu_si128(tags.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(tag.cast_signed()))).cast_unsigned()
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn equal_bytes(tags: &[u8; 16], tag: u8) -> u32 {
    let bits = |word: [u8; 8]| {
        let word = u64::from_le_bytes(word);
        let same = crate::table::zero_bytes(word ^ u64::from(tag) * 0x0101_0101_0101_0101);
        // The highest bit of byte `i`, at `8 i + 7`, goes to the place `56 + i`.
        ((same >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    };
    let (words, _) = tags.as_chunks::<8>();
    bits(words[0]) | bits(words[1]) << 8
}

/// The bytes of a row, in the order of a machine that puts the lowest first.
#[cfg(target_endian = "little")]
#[inline]
pub(crate) fn bytes_of(row: &[u64]) -> &[u8] {
    // SAFETY: the same memory, initialised; bytes need no alignment and every pattern is one.
    unsafe { std::slice::from_raw_parts(row.as_ptr().cast(), size_of_val(row)) }
}
