//! Threads that hold systems and do one piece of work after the other.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fairly_check::{Execution, Systems};
use fairly_report::document::Problem;

use sha2::{Digest, Sha256};

use crate::ask::problem;
use crate::model::Model;

/// Stack that parsers need for the deepest nesting that they allow.
const STACK: usize = 16 << 20;
/// Bytes of states that a bench keeps for later questions; with more, it begins again.
const MOST_BYTES: usize = 256 << 20;

/// A piece of work.
type Work = Box<dyn FnOnce(&mut Bench) + Send>;

/// The model as it was read last.
struct Made {
    text: Option<String>,
    formulas: Vec<String>,
    /// Contents of the files then.
    stood: Option<String>,
    systems: Systems,
}

/// Systems, held by one thread.
pub(crate) struct Bench {
    pub(crate) model: Arc<dyn Model>,
    made: Option<Made>,
}

impl Bench {
    /// The systems of the model with a text and formulas. Those of the last request are used again, with what is known
    /// of them, if it was about the same.
    ///
    /// # Errors
    /// Errors in the model.
    pub(crate) fn systems(
        &mut self,
        text: Option<&str>,
        formulas: &[String],
    ) -> Result<&mut Systems, Vec<Problem>> {
        // A file that has changed is another model.
        let stood = match text {
            Some(_) => None,
            None => self.model.text()?.map(|text| text.text),
        };
        let is_same = |made: &Made| {
            made.text.as_deref() == text && made.formulas == formulas && made.stood == stood
        };
        if !self.made.as_ref().is_some_and(is_same) {
            // First, so that the memory of two is never needed.
            self.made = None;
            let loaded = self.model.load(text, formulas)?;
            let systems = Systems::new(loaded, Execution::default());
            let (text, formulas) = (text.map(str::to_owned), formulas.to_vec());
            self.made = Some(Made { text, formulas, stood, systems });
        }
        Ok(&mut self.made.as_mut().expect("made above").systems)
    }

    /// A digest of the contents of the file, which tells them from earlier ones.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn revision(&self) -> Result<String, Vec<Problem>> {
        let text = self.model.text()?.map(|text| text.text).unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        Ok(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    }

    /// # Errors
    /// If the file has changed since a client read it, so that its numbers mean something else by now.
    pub(crate) fn expect(&self, revision: Option<&str>) -> Result<(), Vec<Problem>> {
        match revision {
            Some(known) if self.revision()? != known => {
                Err(problem("the file has changed since it was read: read it again"))
            }
            _ => Ok(()),
        }
    }

    /// Gives back the memory of what was explored.
    pub(crate) fn forget(&mut self) {
        self.made = None;
    }

    /// The same if it is so much.
    pub(crate) fn forget_much(&mut self, bytes: usize) {
        if bytes > MOST_BYTES {
            self.forget();
        }
    }
}

/// Work that waits for a bench.
#[derive(Default)]
struct Waiting {
    work: VecDeque<(u64, Work)>,
    /// How much has been put here.
    next: u64,
}

/// A thread with a bench, and the work that waits for it.
pub(crate) struct Worker {
    waiting: Arc<(Mutex<Waiting>, Condvar)>,
    most: usize,
}

/// There is no room for more work.
#[derive(Debug)]
pub(crate) struct Full;

impl Worker {
    /// Starts the thread; so many pieces of work may wait.
    pub(crate) fn start(name: &str, model: Arc<dyn Model>, most: usize) -> std::io::Result<Worker> {
        let waiting: Arc<(Mutex<Waiting>, Condvar)> = Arc::default();
        let of_thread = Arc::clone(&waiting);
        let work = move || {
            let mut bench = Bench { model, made: None };
            loop {
                let next = take(&of_thread);
                // What panics says so by dropping what it would have answered with.
                if catch_unwind(AssertUnwindSafe(|| next(&mut bench))).is_err() {
                    bench.forget();
                }
            }
        };
        std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work)?;
        Ok(Worker { waiting, most })
    }

    /// Puts work behind what waits already; returns its number.
    pub(crate) fn put(&self, work: Work) -> Result<u64, Full> {
        let (waiting, is_there) = &*self.waiting;
        let mut waiting = lock(waiting);
        if waiting.work.len() >= self.most {
            return Err(Full);
        }
        let number = waiting.next;
        waiting.next += 1;
        waiting.work.push_back((number, work));
        is_there.notify_one();
        Ok(number)
    }

    /// How much goes before this work; none once it has begun.
    pub(crate) fn before(&self, number: u64) -> Option<usize> {
        let waiting = lock(&self.waiting.0);
        waiting.work.iter().position(|(other, _)| *other == number).map(|at| at + 1)
    }

    /// Takes work back if it has not begun.
    pub(crate) fn withdraw(&self, number: u64) {
        lock(&self.waiting.0).work.retain(|(other, _)| *other != number);
    }
}

fn take(waiting: &(Mutex<Waiting>, Condvar)) -> Work {
    let (waiting, is_there) = waiting;
    let mut waiting = lock(waiting);
    loop {
        if let Some((_, work)) = waiting.work.pop_front() {
            return work;
        }
        waiting = is_there.wait(waiting).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    // Nothing is left half done while it is held.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
