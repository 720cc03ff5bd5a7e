//! Promises about every state, in one pass over the states.
//!
//! Whether a test is true in all states needs no automaton, no numbers and no names of events, so none are made: states
//! are followed in about the order of their distance, and each is kept once. Nothing is kept of how a state was reached. Where a
//! test fails, or the model panics, the engines look again and find the run.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fairly_check::WhyUnknown;
use fairly_search::{Bounds, Cut};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::formula::Invariant;
use crate::memory;
use crate::model::Model;
use crate::rows::message;
use crate::states::States;

/// States that one worker takes at once.
const BLOCK: usize = 256;
/// States that are followed between two looks at the limits.
const SELDOM: usize = 1 << 10;
/// Parts of a table, each with a lock of its own.
const SHARDS: usize = 64;
/// Bytes of packed states that are allocated at once.
const CHUNK: usize = 1 << 13;
/// One of so many packed states is kept as it is, too, to be compared with.
const SAMPLED: u64 = 256;

/// The part of a state that is kept once its steps have been followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// All of it.
    #[default]
    Whole,
    /// What it feeds to a hasher.
    Packed,
    /// A hash of 64 bits.
    Hash,
}

/// Result of a pass.
#[derive(Debug)]
pub(crate) enum Swept {
    /// All tests are true in all states.
    Holds { states: usize, transitions: usize },
    /// There is something that the engines have to look at.
    Abandoned,
    /// A limit was reached, after so many states.
    Cut(WhyUnknown, usize),
    /// Why no answer would mean anything: a test panics, or two states that differ feed the same to a hasher.
    Wrong(String),
}

/// Follows all states of a model.
pub(crate) fn sweep<M: Model>(
    model: &M,
    promises: &[Invariant<M::State>],
    (bounds, memory, workers): (Bounds, Option<usize>, usize),
    keep: Keep,
) -> Swept {
    let limit = memory.map(|more| memory::resident().unwrap_or(0).saturating_add(more));
    let within = (bounds, limit);
    match keep {
        Keep::Whole => Pass::new(model, promises, &Whole(States::new()), within).run(workers),
        Keep::Packed => Pass::new(model, promises, &Packed::new(), within).run(workers),
        Keep::Hash => Pass::new(model, promises, &Hashes::new(), within).run(workers),
    }
}

/// The states that have been met.
trait Known<S>: Sync {
    /// What waits until its steps are followed.
    type Waiting: Send;

    /// Takes note of a state; nothing if it was known.
    fn add(&self, state: S, scratch: &mut Vec<u8>) -> Result<Option<Self::Waiting>, Swept>;

    fn state<'a>(&'a self, waiting: &'a Self::Waiting) -> &'a S;

    fn len(&self) -> usize;
}

/// States as they are.
struct Whole<S>(States<S>);

impl<S: Eq + Hash + Send + Sync> Known<S> for Whole<S> {
    type Waiting = u64;

    fn add(&self, state: S, _: &mut Vec<u8>) -> Result<Option<u64>, Swept> {
        let (row, is_new) = self.0.meet(state);
        Ok(is_new.then_some(row))
    }

    fn state<'a>(&'a self, row: &'a u64) -> &'a S {
        self.0.get(*row)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// What states feed to a hasher.
struct Packed<S> {
    shards: Vec<Mutex<Texts<S>>>,
    hasher: DefaultHashBuilder,
    count: AtomicUsize,
}

struct Texts<S> {
    /// Where each text begins.
    index: HashTable<u32>,
    chunks: Vec<Box<[u8]>>,
    /// Bytes of the last chunk that are used.
    used: usize,
    /// Some of the states, by where their texts begin.
    samples: HashMap<u32, S>,
}

impl<S> Packed<S> {
    fn new() -> Packed<S> {
        let shard = || {
            let (index, chunks, samples) = (HashTable::new(), Vec::new(), HashMap::new());
            Mutex::new(Texts { index, chunks, used: CHUNK, samples })
        };
        let shards = (0..SHARDS).map(|_| shard()).collect();
        Packed { shards, hasher: DefaultHashBuilder::default(), count: AtomicUsize::new(0) }
    }
}

impl<S: Clone + Eq + Hash + std::fmt::Debug + Send + Sync> Known<S> for Packed<S> {
    type Waiting = S;

    fn add(&self, state: S, text: &mut Vec<u8>) -> Result<Option<S>, Swept> {
        text.clear();
        state.hash(&mut Fed(text));
        // The length stands in front, so no text begins with another one.
        let length = text.len();
        append(text, length as u64);
        let prefix = text.len() - length;
        text.rotate_right(prefix);
        if text.len() > CHUNK {
            return Err(Swept::Abandoned);
        }
        let hash = hash_of(&self.hasher, text);
        let mut shard = lock(&self.shards[(hash >> 58) as usize]);
        let Texts { index, chunks, used, samples } = &mut *shard;
        let is_it = |&at: &u32| {
            let chunk = &chunks[at as usize / CHUNK];
            chunk[at as usize % CHUNK..].starts_with(text)
        };
        if let Some(at) = index.find(hash, is_it) {
            return match samples.get(at) {
                Some(known) if *known != state => Err(Swept::Wrong(format!(
                    "two states that differ feed the same to a hasher, so `packed` cannot tell them apart: \
                     {known:?} and {state:?}"
                ))),
                _ => Ok(None),
            };
        }
        if *used + text.len() > CHUNK {
            chunks.push(vec![0; CHUNK].into_boxed_slice());
            *used = 0;
        }
        let last = chunks.len() - 1;
        let Ok(at) = u32::try_from(last * CHUNK + *used) else { return Err(Swept::Abandoned) };
        chunks[last][*used..*used + text.len()].copy_from_slice(text);
        *used += text.len();
        index.insert_unique(hash, at, |&at| hash_of(&self.hasher, text_at(chunks, at)));
        if hash.is_multiple_of(SAMPLED) {
            samples.insert(at, state.clone());
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(Some(state))
    }

    fn state<'a>(&'a self, state: &'a S) -> &'a S {
        state
    }

    fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

fn hash_of(hasher: &DefaultHashBuilder, text: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(text);
    hasher.finish()
}

/// The text that begins at a place, with its length.
fn text_at(chunks: &[Box<[u8]>], at: u32) -> &[u8] {
    let rest = &chunks[at as usize / CHUNK][at as usize % CHUNK..];
    let (mut length, mut prefix) = (0, 0);
    loop {
        let byte = rest[prefix];
        length |= usize::from(byte & 127) << (7 * prefix);
        prefix += 1;
        if byte < 128 {
            return &rest[..prefix + length];
        }
    }
}

/// Appends a number, seven bits a byte: small ones, which most are, take one.
fn append(text: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        text.push(number as u8 | 128);
        number >>= 7;
    }
    text.push(number as u8);
}

/// Keeps what is fed to it. What a derived `Hash` feeds tells values apart: which kind of number comes next follows from
/// those before it, and no number as it is written here begins with another one of its kind.
struct Fed<'a>(&'a mut Vec<u8>);

impl Hasher for Fed<'_> {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn write_u8(&mut self, number: u8) {
        self.0.push(number);
    }

    fn write_u16(&mut self, number: u16) {
        append(self.0, number.into());
    }

    fn write_u32(&mut self, number: u32) {
        append(self.0, number.into());
    }

    fn write_u64(&mut self, number: u64) {
        append(self.0, number);
    }

    fn write_usize(&mut self, number: usize) {
        append(self.0, number as u64);
    }

    fn write_i16(&mut self, number: i16) {
        self.write_i64(number.into());
    }

    fn write_i32(&mut self, number: i32) {
        self.write_i64(number.into());
    }

    fn write_i64(&mut self, number: i64) {
        append(self.0, (number << 1 ^ number >> 63) as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_i64(number as i64);
    }
}

/// Hashes of states.
struct Hashes {
    shards: Vec<Mutex<HashTable<u64>>>,
    hasher: DefaultHashBuilder,
    count: AtomicUsize,
}

impl Hashes {
    fn new() -> Hashes {
        let shards = (0..SHARDS).map(|_| Mutex::new(HashTable::new())).collect();
        Hashes { shards, hasher: DefaultHashBuilder::default(), count: AtomicUsize::new(0) }
    }
}

impl<S: Hash + Send> Known<S> for Hashes {
    type Waiting = S;

    fn add(&self, state: S, _: &mut Vec<u8>) -> Result<Option<S>, Swept> {
        let hash = self.hasher.hash_one(&state);
        let mut shard = lock(&self.shards[(hash >> 58) as usize]);
        if shard.find(hash, |&known| known == hash).is_some() {
            return Ok(None);
        }
        shard.insert_unique(hash, hash, |&known| known);
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(Some(state))
    }

    fn state<'a>(&'a self, state: &'a S) -> &'a S {
        state
    }

    fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panics while it is held is a bug of ours, and ends the pass.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pass over the states.
struct Pass<'a, M: Model, K: Known<M::State>> {
    model: &'a M,
    promises: &'a [Invariant<M::State>],
    known: &'a K,
    bounds: Bounds,
    /// Bytes that the process may have.
    limit: Option<usize>,
    started: Instant,
    queue: Mutex<Queue<K::Waiting>>,
    is_there: Condvar,
    /// Why it ends early.
    why: Mutex<Option<Swept>>,
    is_over: AtomicBool,
    transitions: AtomicUsize,
}

/// Blocks of states that wait.
struct Queue<W> {
    blocks: VecDeque<Vec<W>>,
    /// Workers that may still find states.
    busy: usize,
}

impl<'a, M: Model, K: Known<M::State>> Pass<'a, M, K> {
    fn new(
        model: &'a M,
        promises: &'a [Invariant<M::State>],
        known: &'a K,
        (bounds, limit): (Bounds, Option<usize>),
    ) -> Self {
        Pass {
            model,
            promises,
            known,
            bounds,
            limit,
            started: Instant::now(),
            queue: Mutex::new(Queue { blocks: VecDeque::new(), busy: 0 }),
            is_there: Condvar::new(),
            why: Mutex::new(None),
            is_over: AtomicBool::new(false),
            transitions: AtomicUsize::new(0),
        }
    }

    fn run(self, workers: usize) -> Swept {
        // A model that panics is asked again by those who find the run to it.
        let begun = catch_unwind(AssertUnwindSafe(|| {
            let (mut first, mut text) = (Vec::new(), Vec::new());
            for state in self.model.init() {
                self.ask(&state)?;
                first.extend(self.known.add(state, &mut text)?);
            }
            Ok(first)
        }));
        match begun {
            Ok(Ok(first)) => lock(&self.queue).blocks.push_back(first),
            Ok(Err(why)) => return why,
            Err(_) => return Swept::Abandoned,
        }
        if workers <= 1 {
            self.work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| self.work());
                }
            });
        }
        if let Some(why) = lock(&self.why).take() {
            return why;
        }
        let transitions = self.transitions.load(Ordering::Relaxed);
        Swept::Holds { states: self.known.len(), transitions }
    }

    /// # Errors
    /// If a promise is not kept in a state, or cannot be asked there.
    fn ask(&self, state: &M::State) -> Result<(), Swept> {
        for Invariant { name, test, wanted } in self.promises {
            // A panic writes its message, so it is not asked for again.
            match catch_unwind(AssertUnwindSafe(|| test(state))) {
                Ok(found) if found == *wanted => {}
                Ok(_) => return Err(Swept::Abandoned),
                Err(panic) => {
                    let said = format!("`{name}` panicked in {state:?}: {}", message(&*panic));
                    return Err(Swept::Wrong(said));
                }
            }
        }
        Ok(())
    }

    /// Ends the pass.
    fn end(&self, why: Swept) {
        lock(&self.why).get_or_insert(why);
        // While nobody is between looking and waiting.
        let _queue = lock(&self.queue);
        self.is_over.store(true, Ordering::Relaxed);
        self.is_there.notify_all();
    }

    /// Takes block after block, until there is none and nobody can find another one.
    fn work(&self) {
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut found = Vec::new();
            let (mut actions, mut text) = (Vec::new(), Vec::new());
            let (mut followed, mut transitions) = (0_usize, 0);
            while let Some(block) = self.take() {
                for waiting in block {
                    let state = self.known.state(&waiting);
                    self.model.actions(state, &mut actions);
                    let before = transitions;
                    for action in actions.drain(..) {
                        let Some(next) = self.model.next(state, action) else { continue };
                        transitions += 1;
                        if let Err(why) = self.meet(next, &mut text, &mut found) {
                            return self.end(why);
                        }
                    }
                    // A state in which nothing can be done has its idle step.
                    transitions += usize::from(transitions == before);
                    if found.len() >= BLOCK {
                        self.put(std::mem::replace(&mut found, Vec::with_capacity(BLOCK)));
                    }
                    followed += 1;
                    if followed.is_multiple_of(SELDOM)
                        && let Err(why) = self.look()
                    {
                        return self.end(why);
                    }
                }
                if !found.is_empty() {
                    let mut rest = std::mem::take(&mut found);
                    rest.shrink_to_fit();
                    self.put(rest);
                }
                self.rest();
            }
            self.transitions.fetch_add(transitions, Ordering::Relaxed);
        }));
        if done.is_err() {
            self.end(Swept::Abandoned);
        }
    }

    fn meet(
        &self,
        state: M::State,
        text: &mut Vec<u8>,
        found: &mut Vec<K::Waiting>,
    ) -> Result<(), Swept> {
        if let Some(new) = self.known.add(state, text)? {
            self.ask(self.known.state(&new))?;
            found.push(new);
            // As many as there may be is no limit that was reached.
            if let Some(most) = self.bounds.nodes.filter(|&most| self.known.len() > most) {
                return Err(Swept::Cut(WhyUnknown::Cut(Cut::Nodes(most)), most));
            }
        }
        Ok(())
    }

    /// Whether a limit on time or memory is reached.
    fn look(&self) -> Result<(), Swept> {
        let states = self.known.len();
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Swept::Abandoned);
        }
        if self.bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let time = Cut::Time(self.started.elapsed());
            return Err(Swept::Cut(WhyUnknown::Cut(time), states));
        }
        match self.limit {
            Some(limit) if memory::resident().is_some_and(|bytes| bytes > limit) => {
                let why = WhyUnknown::Limit("the limit on memory is reached".to_owned());
                Err(Swept::Cut(why, states))
            }
            _ => Ok(()),
        }
    }

    fn take(&self) -> Option<Vec<K::Waiting>> {
        let mut queue = lock(&self.queue);
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(block) = queue.blocks.pop_front() {
                queue.busy += 1;
                return Some(block);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.is_there.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put(&self, block: Vec<K::Waiting>) {
        lock(&self.queue).blocks.push_back(block);
        self.is_there.notify_one();
    }

    /// Takes note that a worker finds nothing more until it takes another block.
    fn rest(&self) {
        let mut queue = lock(&self.queue);
        queue.busy -= 1;
        if queue.busy == 0 && queue.blocks.is_empty() {
            self.is_there.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn fed(value: &impl Hash) -> Vec<u8> {
        let mut text = Vec::new();
        value.hash(&mut Fed(&mut text));
        text
    }

    #[test]
    fn what_is_fed_tells_values_apart() {
        type Value = (Vec<u8>, Option<i32>, BTreeSet<u64>, String, (bool, i64));
        let bytes = [vec![], vec![0], vec![0, 0], vec![127, 128], vec![1; 300]];
        let sets = [vec![], vec![0], vec![0, 1], vec![127], vec![128], vec![16384, u64::MAX]];
        let texts = ["", "a", "a\u{ff}", "aa"];
        let mut all: Vec<Value> = Vec::new();
        for one in &bytes {
            for option in [None, Some(0), Some(-1), Some(63), Some(64), Some(i32::MIN)] {
                for set in &sets {
                    for text in texts {
                        for number in [0, -64, i64::MIN, i64::MAX] {
                            let set = set.iter().copied().collect();
                            all.push((one.clone(), option, set, text.to_owned(), (true, number)));
                        }
                    }
                }
            }
        }
        let texts: BTreeSet<Vec<u8>> = all.iter().map(fed).collect();
        assert_eq!(texts.len(), all.len());
    }

    #[test]
    fn a_packed_state_is_known_once() {
        let known = Packed::<Vec<u32>>::new();
        let mut text = Vec::new();
        for round in 0..2 {
            for number in 0..20_000 {
                let state = vec![number, number % 7, 1 << (number % 32)];
                let is_new = known.add(state, &mut text).expect("room").is_some();
                assert_eq!(is_new, round == 0);
            }
        }
        assert_eq!(Known::<Vec<u32>>::len(&known), 20_000);
        let large = vec![7; CHUNK];
        assert!(matches!(known.add(large, &mut text), Err(Swept::Abandoned)));
    }

    /// Two states are equal only if all of it is, and only a part is hashed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Partly(u32, u32);

    impl Hash for Partly {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn a_hash_of_a_part_is_noticed() {
        let known = Packed::<Partly>::new();
        let mut text = Vec::new();
        let mut add = |one, other| known.add(Partly(one, other), &mut text);
        let noticed = (0..4 * SAMPLED as u32).any(|number| {
            add(number, 0).expect("it is new");
            matches!(add(number, 1), Err(Swept::Wrong(_)))
        });
        assert!(noticed);
    }
}
