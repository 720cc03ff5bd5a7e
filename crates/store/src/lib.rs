//! State tables that respect memory.
//!
//! | what | keeps | for |
//! |---|---|---|
//! | [`Table`] | rows of a fixed width, each once, with dense numbers | states of up to a few words |
//! | [`TreeTable`] | the same, as trees of shared pairs | wide states that resemble each other |
//! | [`Words`], [`Trees`] | the same two, of single words and of trees | one thread, which is faster without others |
//! | [`Numbers`] | a list of a few rows, then one of those two | one thread that numbers states as it meets them |
//! | [`SharedRows`] | rows in one of the first two | rows of any width, by many threads |
//! | [`Links`], [`Marked`] | a number or a bit for each node | how nodes were reached, by many threads |
//! | [`Components`] | sets of nodes that are united, with marks | strongly connected components, by many threads |
//! | [`Fingerprints`] | a hash of 32 or 64 bits for each state | looking for faults when memory is short |
//! | [`Bitstate`] | a few bits for each state | the same, when it is shorter still |
//!
//! All but [`Words`], [`Trees`] and [`Numbers`] can be used by many threads through a shared reference, and have
//! [`States`] in common. All of them are created with a limit in bytes.
//!
//! # Memory
//!
//! An insertion for which there is no room returns [`StoreError`]; what was there before stays, and can still
//! be found. It is also what an insertion returns if the system refuses memory.
//!
//! `bytes()` is exactly what has been allocated, and is never above the limit. Three things are not in
//! it: the value itself, a few hundred bytes; what the allocator needs to manage some hundred large
//! blocks; and, while a shard of the index grows, four bytes for each of its slots, once for every
//! thread that is growing one. A shard has a share of the table's rows of 1 in `limit / 1 MiB`, but not
//! less than 1 in 64, so this is about half a percent of a table with a limit of 64 MiB or more.
//!
//! Memory is taken in segments of up to 2 MiB (4 MiB if a row's size is no power of two), less if the
//! limit is less than 128 MiB, and never returned before the table is dropped. So rows and index are
//! each at most one segment ahead of what is used. The lossy tables take all of theirs at once.
//!
//! The tables for one thread begin with a few kilobytes. One of their 16 shards is there twice while it
//! grows, and so is the segment of words that is being filled: up to 2 MiB, and not more than 1 in 64 of
//! the limit. It grows by a quarter of all words, as long as it is not full.
//!
//! [`meter`] counts and bounds the memory of the whole program, beside the tables.
//!
//! # Bytes for each state
//!
//! In a [`Table`] the rows have 4 bytes for every 32 bits. A slot of the index has 5⅓ bytes, and of every
//! shard 29/32 are used before it grows: by about √2 if rows have up to 64 bits, otherwise by 2. Shards
//! grow at different times, so that their load is about 0.71 and 0.63 together. That makes less than 16
//! bytes for a state of 64 bits, and 8 to 9 more than its row for a wider one, besides the segments that
//! are not full yet.
//!
//! [`Words`] have as many bytes as the largest of their segment needs. As long as there are less than 2^24 a
//! slot of the index has 4 bytes, then 5⅓; shards grow by 1.7, and 5.9 bytes of index belong to a word
//! on average. So 1 to 3 million words of 64 bits take 14.3 bytes each, of 40 bits 11.1. The root of a
//! tree has 6 bytes, or 8 if there are more than 2^24 inner nodes, and is indexed in the same way.
//!
//! # Hashing
//!
//! [`Rapid`] is rapidhash V3: the same on every machine and in every run, without which a lossy search
//! could not be repeated, and every bit of it is as good as the others, which the index relies on.
//! Measured with `examples/throughput.rs` on rows in the cache, in nanoseconds (AMD EPYC, 2.6 GHz):
//!
//! | words | rapidhash | foldhash 0.2 | SipHash-1-3 |
//! |---|---|---|---|
//! | 1 | 1.2 | 1.0 | 11 |
//! | 2 | 1.1 | 1.0 | 13 |
//! | 4 | 1.5 | 3.0 | 15 |
//! | 16 | 6.1 | 5.0 | 32 |
//!
//! foldhash is as fast, but promises no particular function from one version to the next; SipHash would take as
//! long as a look-up in the cache. Against inputs made to collide, bring another [`RowHash`]; a lossless table
//! is right with any.
//!
//! # What may be relied on
//!
//! `unsafe` code is in two modules, whose contracts are at their tops. `meter` passes requests on to the
//! system's allocator. `memory` does five things:
//! zeroed arrays, references to arrays that are added while others are read, words of a few bytes that are
//! read and written at once, prefetching, and comparing sixteen bytes at once. All that threads share is atomic, so there are no data races, whatever the callers do. The orderings are
//! explained where they are used. `tests/loom.rs` has the core checked by a model checker on a table
//! with buckets of one slot.
//!
//! # Papers
//!
//! - A. Laarman, J. van de Pol, M. Weber: Boosting multi-core reachability performance with shared hash
//!   tables. FMCAD 2010. Claiming a slot, then writing the row: [`Table`].
//! - A. Laarman, J. van de Pol, M. Weber: Parallel recursive state compression for free. SPIN 2011.
//!   [`TreeTable`].
//! - V. Bloemen, A. Laarman, J. van de Pol: Multi-core on-the-fly SCC decomposition. PPoPP 2016.
//!   [`Components`].
//! - U. Stern, D. Dill: Improved probabilistic verification by hash compaction. CHARME 1995.
//!   [`Fingerprints`].
//! - G. Holzmann: An analysis of bitstate hashing. Formal Methods in System Design 13, 1998.
//! - P. Dillinger, P. Manolios: Bloom filters in probabilistic verification. FMCAD 2004. Both for
//!   [`Bitstate`].

mod alone;
mod components;
mod crew;
mod growing;
mod hash;
mod links;
mod lossy;
mod memory;
pub mod meter;
mod records;
mod rows;
mod shared;
mod sync;
mod table;
mod tree;

pub use alone::{Numbers, Trees, Words};
pub use components::{Claim, Components, Pick, WorkerId};
pub use crew::{Crew, Dismissed, Done};
pub use hash::{Rapid, RowHash};
pub use links::{Links, Marked};
pub use lossy::{Bitstate, Fingerprint, Fingerprints};
pub use records::{Record, RecordWriter, Records};
pub use rows::Reserve;
pub use shared::{RowNodes, SharedRows};
pub use table::{Table, Width};
pub use tree::{Nodes, TreeBatch, TreeTable};

/// The number of a stored state: its place among those of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateIndex(pub u32);

impl StateIndex {
    /// As an index of an array.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// There is no room for another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The limit has been reached.
    Budget {
        /// In bytes.
        limit: usize,
    },
    /// There are no more numbers of 32 bits.
    Numbers,
    /// The system refused to give more memory.
    System,
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::Budget { limit } if limit >> 20 == 0 => {
                write!(f, "the states do not fit into {limit} bytes")
            }
            StoreError::Budget { limit } => {
                write!(f, "the states do not fit into {} MiB", limit >> 20)
            }
            StoreError::Numbers => write!(f, "there are more states than numbers of 32 bits"),
            StoreError::System => write!(f, "the system has no more memory for states"),
        }
    }
}

impl std::error::Error for StoreError {}

/// A set of states that may forget some: what a search needs that only asks whether a state is new.
pub trait States: Sync {
    /// Adds a state and says whether it was not there.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    fn insert(&self, row: &[u64]) -> Result<bool, StoreError>;

    /// Whether a state is there, or seems to be.
    fn contains(&self, row: &[u64]) -> bool;

    /// How many states were new.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes it has allocated.
    fn bytes(&self) -> usize;

    /// How many states were taken for others that were there, as an estimate from how full it is. 0
    /// for lossless tables.
    fn expected_omissions(&self) -> f64;

    /// The probability that at least one state was omitted: a search that found nothing reports it. The states
    /// behind the omitted ones are not counted, since they are not known.
    fn omission_probability(&self) -> f64 {
        -(-self.expected_omissions()).exp_m1()
    }
}
