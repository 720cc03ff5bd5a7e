//! Breadth first over the rows of a space, by several workers at once.
//!
//! [`Explored`](crate::Explored) numbers states for one search that asks for them in any order; this is for
//! questions that need every state once, and the shortest way to one of them.
//!
//! # How the work is shared
//!
//! The states go into one table that all workers share ([`SharedRows`]). Its numbers
//! are dense and never given back, so the states at one distance from the start are a range of numbers: those
//! that were new while the distance before was expanded. No queue is needed. A worker takes the next
//! numbers of the range from a counter ([`Pace::batch`]), expands their rows at once, and inserts what they lead to at
//! once. When the range is done, the next one is what is new.
//!
//! Distances are kept apart, so the first distance at which something is found is the smallest, whatever the
//! workers do. Which of several states at that distance is found depends on the scheduler.
//!
//! A distance gets as many workers as there are enough states for ([`Pace::share`]). They are started when they are
//! needed first, and wait between two distances ([`Crew`]). A panic in one of them ends the search instead of leaving
//! the others waiting. Between them they share the table, the predecessors, and two words.
//!
//! Several workers take numbers ahead, so that they do not meet at the counter for each new state. Numbers that are
//! left at the end of a distance are those of no state, and are skipped at the next (`Search::gaps`).
//!
//! # The way to a state
//!
//! Of each state its first predecessor is kept, four bytes. The actions are found by expanding the states of
//! the way again.
//!
//! A state without steps is stuck only if it is entered by a step that is not termination. Where its first
//! predecessor has no such step, all states are expanded once more at the end, to see whether another one has.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use hashbrown::HashMap;

use fairly_omega::Stop;
pub use fairly_store::StateIndex;
use fairly_store::{Crew, Links, RowNodes, SharedRows, StoreError};
use fairly_system::{ActionId, EventKind, Fault, FaultKind, Growth, Scratch, Space, Steps};

/// No state.
const NONE: u32 = Links::NONE;

/// Aim of a search, and how it learns of it.
pub trait Sought: Sync {
    /// Whether it is an error of the model.
    fn fault(&self, fault: &Fault) -> bool {
        let _ = fault;
        false
    }

    /// Whether it is a state without steps, which was not entered by termination.
    fn stuck(&self, row: &[u64], scratch: &mut Scratch) -> bool {
        let _ = (row, scratch);
        false
    }

    /// Takes note of a state, once. Of two states, the one that is farther from the start has the greater number.
    fn meet(&self, state: StateIndex, row: &[u64]) {
        let _ = (state, row);
    }

    /// The state that is the result once all have been met, if there is one.
    fn best(&self) -> Option<StateIndex> {
        None
    }

    /// Takes note that a worker has expanded so many states by now.
    fn expanded(&self, worker: usize, states: usize) {
        let _ = (worker, states);
    }

    /// Takes note of what kept growing, if the search is cut and something did.
    fn grew(&self, growth: Growth) {
        let _ = growth;
    }

    /// Whether it is this state.
    fn state(&self, row: &[u64], scratch: &mut Scratch) -> bool {
        let _ = (row, scratch);
        false
    }
}

/// Nothing: all states are counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Sought for Everything {}

/// How a search is done.
#[derive(Clone)]
pub struct Breadth {
    /// Workers at the most; at least one.
    pub workers: usize,
    /// Bytes that the states and their predecessors may take.
    pub memory: usize,
    /// States that may be expanded, about: a worker finishes what it has taken.
    pub states: Option<usize>,
    /// When to stop; asked before each batch, and inside steps that take long.
    pub stop: Stop,
    /// How the work is cut into pieces.
    pub pace: Pace,
}

/// How the work of a search is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// States that a worker takes at a time.
    pub batch: usize,
    /// States at one distance that are worth a worker of their own.
    pub share: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { batch: 64, share: 2048 }
    }
}

/// How large a space is, as far as it was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States that were expanded.
    pub states: usize,
    /// Steps out of them.
    pub steps: usize,
    /// Steps in which something goes wrong, those to initial states included.
    pub faults: usize,
}

/// End of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// A state that was looked for was found, and this is a shortest way there.
    Found(Way),
    /// It is nowhere.
    Exhausted,
    /// It was not found before a limit was reached.
    Cut(Cut),
    /// The search [beside](Breadth::search_beside) ended it.
    Beside,
}

/// Why a search did not see everything.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// So many states were expanded.
    States(usize),
    /// There was no room for another one.
    Store(StoreError),
    /// The search was asked to stop.
    Interrupted,
    /// The space itself went no further in some step: a limit of the tool.
    Limit(Fault),
}

/// A finite run by its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The rows, from an initial one on.
    pub rows: Vec<Box<[u64]>>,
    /// The actions between them.
    pub actions: Vec<ActionId>,
    /// The step behind the last row in which something goes wrong, if that was looked for; without an action
    /// if the initial state itself does.
    pub fault: Option<(Option<ActionId>, Fault)>,
}

impl Breadth {
    /// Looks for something in all rows of a space, nearest first.
    ///
    /// # Panics
    /// If a worker does.
    pub fn search<S: Space + ?Sized>(&self, space: &S, sought: &impl Sought) -> (Ended, Size) {
        self.search_beside(space, sought, &mut |_| false)
    }

    /// The same, with another search that gets a turn in this thread before each batch, while other workers go on.
    /// It is given the number of states that have been expanded by then, about, and says whether to end.
    ///
    /// # Panics
    /// If a worker does.
    pub fn search_beside<S: Space + ?Sized>(
        &self,
        space: &S,
        sought: &impl Sought,
        turn: &mut dyn FnMut(usize) -> bool,
    ) -> (Ended, Size) {
        let kept = match SharedRows::with_tail(space.width(), &space.tail(), self.memory) {
            Ok(kept) => kept,
            Err(full) => return (Ended::Cut(Cut::Store(full)), Size::default()),
        };
        let search = Search {
            options: self,
            space,
            sought,
            kept,
            before: Links::default(),
            next: AtomicUsize::new(0),
            gaps: Mutex::new(Vec::new()),
            is_over: AtomicBool::new(false),
            is_beside: AtomicBool::new(false),
            outcome: Mutex::new(Outcome::default()),
        };
        search.run(turn)
    }
}

/// Shared by all workers.
struct Search<'a, S: Space + ?Sized, W> {
    options: &'a Breadth,
    space: &'a S,
    sought: &'a W,
    kept: SharedRows,
    before: Links,
    /// The next state of the range that is expanded.
    next: AtomicUsize,
    /// Numbers of no state, in the range that is expanded and beyond.
    gaps: Mutex<Vec<Range<u32>>>,
    /// Whether no more batches are to be taken.
    is_over: AtomicBool,
    /// Whether the search beside ended it.
    is_beside: AtomicBool,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    hit: Option<Hit>,
    cut: Option<Cut>,
    size: Size,
    /// States without steps that are entered by termination, and by nothing else as far as is known.
    ended: Vec<StateIndex>,
}

/// The confirmed result.
struct Hit {
    /// The state; none if the initial one could not be made.
    state: Option<StateIndex>,
    /// The state before it, if it is not the first predecessor.
    after: Option<StateIndex>,
    fault: Option<(Option<ActionId>, Fault)>,
}

/// Owned by one worker.
struct Worker<'t> {
    /// The search beside, if this worker gives it its turns.
    turn: Option<&'t mut dyn FnMut(usize) -> bool>,
    scratch: Scratch,
    nodes: RowNodes,
    /// The states that are expanded at once, and their rows.
    batch: Vec<StateIndex>,
    rows: Vec<u64>,
    steps: Steps,
    found: Vec<(StateIndex, bool)>,
    /// The numbers of no state at this distance.
    gaps: Vec<Range<u32>>,
    size: Size,
    number: usize,
    /// States that this worker has expanded.
    expanded: usize,
}

impl<S: Space + ?Sized, W: Sought> Search<'_, S, W> {
    fn run(self, turn: &mut dyn FnMut(usize) -> bool) -> (Ended, Size) {
        let mut own = self.worker(0);
        own.turn = Some(turn);
        self.begin(&mut own);
        self.expand_all(&mut own);
        self.report(&mut own);
        let Outcome { hit, cut, size, ended } = std::mem::take(&mut *self.outcome());
        if self.is_beside.load(Ordering::Acquire) && hit.is_none() {
            return (Ended::Beside, size);
        }
        own.turn = None;
        // Stopped or not, what has been met so far has its predecessors.
        self.is_over.store(false, Ordering::Release);
        let other = (!ended.is_empty()).then(|| self.look_again(&mut own, &ended)).flatten();
        let cut = cut.or(self.outcome().cut.take());
        let is_whole = cut.is_none() && hit.is_none();
        let best = self.sought.best().filter(|_| is_whole);
        let best = best.map(|state| Hit { state: Some(state), after: None, fault: None });
        let hits = [hit, other, best].into_iter().flatten();
        let ways = hits.map(|hit| self.way(&mut own, hit));
        let ended = match (ways.min_by_key(|way| way.rows.len()), cut) {
            (Some(way), _) => Ended::Found(way),
            (None, Some(cut)) => {
                self.look_for_growth(&mut own, &cut);
                Ended::Cut(cut)
            }
            (None, None) => Ended::Exhausted,
        };
        (ended, size)
    }

    /// Tells what kept growing in the states that were met, unless the space itself went no further.
    fn look_for_growth(&self, own: &mut Worker<'_>, cut: &Cut) {
        if matches!(cut, Cut::Limit(_)) {
            return;
        }
        let mut gaps = self.gaps().clone();
        gaps.sort_unstable_by_key(|gap| gap.start);
        let growth = self.space.growth(self.kept.len(), &mut |at, row| {
            let state = number(at);
            let before = gaps.partition_point(|gap| gap.start <= state.0);
            let is_there = before == 0 || !gaps[before - 1].contains(&state.0);
            if is_there {
                self.kept.get(state, row, &mut own.nodes);
            }
            is_there
        });
        if let Some(growth) = growth {
            self.sought.grew(growth);
        }
    }

    /// Expands the states at one distance after the other.
    fn expand_all(&self, own: &mut Worker<'_>) {
        let mut range = 0..self.kept.len();
        let crew = Crew::default();
        std::thread::scope(|scope| {
            let _dismissed = crew.dismissed_at_the_end();
            let mut started = 1;
            let mut most = self.options.workers.max(1);
            while !range.is_empty() && !self.is_over.load(Ordering::Acquire) {
                let worth = range.len() / self.options.pace.share.max(1);
                let wanted = worth.clamp(1, most);
                self.next.store(range.start, Ordering::Release);
                // Where the machine gives no more threads, those that there are do the work.
                let refused = (started..wanted).find(|&number| {
                    let crew = &crew;
                    let work = move || self.serve(crew, number);
                    Builder::new().spawn_scoped(scope, work).is_err()
                });
                most = refused.unwrap_or(most);
                let workers = wanted.min(most);
                started = started.max(workers);
                crew.call(workers, range.clone());
                self.expand_range(own, range.clone(), workers > 1);
                crew.wait();
                if crew.is_broken() {
                    break;
                }
                range = range.end..self.kept.len();
            }
        });
    }

    /// Work of a further worker.
    fn serve(&self, crew: &Crew, number: usize) {
        let mut worker = self.worker(number);
        let mut known = 0;
        while let Some(range) = crew.next(number, &mut known) {
            let _done = crew.done_at_the_end();
            self.expand_range(&mut worker, range, true);
            self.report(&mut worker);
        }
    }

    /// Expands states of a range, together with others or not.
    fn expand_range(&self, worker: &mut Worker<'_>, range: Range<usize>, is_shared: bool) {
        worker.nodes.reserve(is_shared);
        let is_here = |gap: &&Range<u32>| (gap.start as usize) < range.end;
        // Those at one distance follow those at the distances before.
        let is_before = |gap: &&Range<u32>| gap.end as usize <= range.start;
        worker.gaps.clear();
        let gaps = self.gaps();
        let here = gaps.iter().rev().take_while(|gap| !is_before(gap)).filter(is_here);
        worker.gaps.extend(here.cloned());
        drop(gaps);
        self.expand(worker, range.end);
        let left = worker.nodes.reserve(false);
        if !left.is_empty() {
            self.gaps().push(left);
        }
    }

    fn gaps(&self) -> MutexGuard<'_, Vec<Range<u32>>> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets workers do something with all states; one of them is there already.
    fn share(&self, own: &mut Worker<'_>, work: impl Fn(&Self, &mut Worker<'_>, usize) + Sync) {
        let end = self.kept.len();
        self.next.store(0, Ordering::Release);
        let worth = end / self.options.pace.share.max(1);
        let workers = worth.clamp(1, self.options.workers.max(1));
        std::thread::scope(|scope| {
            let work = &work;
            for number in 1..workers {
                scope.spawn(move || {
                    let mut worker = self.worker(number);
                    work(self, &mut worker, end);
                    self.report(&mut worker);
                });
            }
            work(self, own, end);
        });
    }

    fn outcome(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker<'t>(&self, number: usize) -> Worker<'t> {
        let mut scratch = self.space.scratch();
        scratch.stop = self.options.stop;
        Worker {
            turn: None,
            scratch,
            nodes: self.kept.nodes(),
            batch: Vec::new(),
            gaps: Vec::new(),
            rows: Vec::new(),
            steps: Steps::default(),
            found: Vec::new(),
            size: Size::default(),
            number,
            expanded: 0,
        }
    }

    /// Adds what a worker has counted to what the others have.
    fn report(&self, worker: &mut Worker<'_>) {
        let mut outcome = self.outcome();
        outcome.size.states += worker.size.states;
        outcome.size.steps += worker.size.steps;
        outcome.size.faults += worker.size.faults;
        worker.size = Size::default();
    }

    /// Ends the search with a state, or what goes wrong in a step out of it.
    fn hit(&self, state: Option<StateIndex>, fault: Option<(Option<ActionId>, Fault)>) {
        let mut outcome = self.outcome();
        // Of those at one distance, the one with the smallest number.
        if outcome.hit.as_ref().is_none_or(|known| state < known.state) {
            outcome.hit = Some(Hit { state, after: None, fault });
        }
        self.is_over.store(true, Ordering::Release);
    }

    /// Notes that something will be missing. Only some reasons are worth ending the search for.
    fn cut(&self, cut: Cut) {
        // Elsewhere there may be what is looked for.
        let goes_on = matches!(cut, Cut::Limit(_));
        let mut outcome = self.outcome();
        // The one that ends it is the one to tell.
        if outcome.cut.is_none() || !goes_on {
            outcome.cut = Some(cut);
        }
        if !goes_on {
            self.is_over.store(true, Ordering::Release);
        }
    }

    /// Stores the initial rows.
    fn begin(&self, worker: &mut Worker<'_>) {
        let mut steps = std::mem::take(&mut worker.steps);
        self.space.initial(&mut worker.scratch, &mut steps);
        worker.size.faults += steps.faults.len();
        for (at, row) in steps.rows.chunks_exact(self.space.width()).enumerate() {
            match steps.fault(at) {
                None => match self.kept.insert(row, &mut worker.nodes) {
                    Ok((state, true)) => self.before.set(state.0, NONE),
                    Ok((_, false)) => {}
                    Err(full) => self.cut(Cut::Store(full)),
                },
                Some(fault) if self.sought.fault(fault) => {
                    self.hit(None, Some((None, fault.clone())));
                }
                Some(fault) if fault.kind == FaultKind::Limit => {
                    self.cut(Cut::Limit(fault.clone()));
                }
                Some(_) => {}
            }
        }
        steps.clear();
        worker.steps = steps;
    }

    /// Expands batches of the range that ends here until there are none left.
    fn expand(&self, worker: &mut Worker<'_>, end: usize) {
        while let Some(first) = self.take(worker, end) {
            if let Some(most) = self.options.states.filter(|&most| first >= most) {
                return self.cut(Cut::States(most));
            }
            worker.size.states += worker.batch.len();
            worker.size.steps += worker.steps.actions.len();
            worker.size.faults += worker.steps.faults.len();
            worker.expanded += worker.batch.len();
            self.sought.expanded(worker.number, worker.expanded);
            self.look(worker);
            self.store(worker);
        }
    }

    /// Takes the next batch of the range that ends here, and makes its rows and steps known; the first number of the
    /// batch.
    fn take(&self, worker: &mut Worker<'_>, end: usize) -> Option<usize> {
        if self.is_over.load(Ordering::Acquire) {
            return None;
        }
        if self.options.stop.is_due() {
            self.cut(Cut::Interrupted);
            return None;
        }
        if let Some(turn) = &mut worker.turn
            && turn(self.next.load(Ordering::Acquire))
        {
            self.is_beside.store(true, Ordering::Release);
            self.is_over.store(true, Ordering::Release);
            return None;
        }
        let (width, size) = (self.space.width(), self.options.pace.batch.max(1));
        let first = self.next.fetch_add(size, Ordering::AcqRel);
        if first >= end {
            return None;
        }
        let Worker { batch, rows, nodes, gaps, steps, scratch, .. } = worker;
        batch.clear();
        let is_state = |state: &StateIndex| gaps.iter().all(|gap| !gap.contains(&state.0));
        batch.extend((first..(first + size).min(end)).map(number).filter(is_state));
        rows.resize(batch.len() * width, 0);
        for (&state, row) in batch.iter().zip(rows.chunks_exact_mut(width)) {
            self.kept.get(state, row, nodes);
        }
        steps.clear();
        self.space.expand(rows, scratch, steps);
        Some(first)
    }

    /// Looks among all states for the first one with a step that is not termination to one of these.
    fn look_again(&self, own: &mut Worker<'_>, ended: &[StateIndex]) -> Option<Hit> {
        let width = self.space.width();
        let row = |state: &StateIndex| {
            let mut row = vec![0; width];
            self.kept.get(*state, &mut row, &mut self.kept.nodes());
            (row, *state)
        };
        let rows: HashMap<Vec<u64>, StateIndex> = ended.iter().map(row).collect();
        let first = AtomicUsize::new(usize::MAX);
        let work = |this: &Self, worker: &mut Worker<'_>, end: usize| {
            worker.gaps.clone_from(&this.gaps());
            while let Some(begin) = this.take(worker, end) {
                if begin > first.load(Ordering::Acquire) {
                    break;
                }
                let mut begin = 0;
                for (from, &end) in worker.batch.iter().zip(&worker.steps.ends) {
                    let steps = std::mem::replace(&mut begin, end)..end;
                    if this.step_to(&worker.steps, steps, &rows).is_some() {
                        first.fetch_min(from.index(), Ordering::AcqRel);
                    }
                }
            }
        };
        self.share(own, work);
        let from = first.into_inner();
        if from == usize::MAX {
            return None;
        }
        own.rows.resize(width, 0);
        self.kept.get(number(from), &mut own.rows, &mut own.nodes);
        own.steps.clear();
        self.space.expand(&own.rows, &mut own.scratch, &mut own.steps);
        let state = self.step_to(&own.steps, 0..own.steps.actions.len(), &rows);
        Some(Hit { state, after: Some(number(from)), fault: None })
    }

    /// The state, of some, that one of these steps leads to which is not termination.
    fn step_to(
        &self,
        steps: &Steps,
        mut of: Range<usize>,
        rows: &HashMap<Vec<u64>, StateIndex>,
    ) -> Option<StateIndex> {
        let width = self.space.width();
        of.find_map(|at| {
            let state = rows.get(&steps.rows[at * width..(at + 1) * width])?;
            let is_it = steps.fault(at).is_none() && !self.terminates(steps.actions[at]);
            is_it.then_some(*state)
        })
    }

    /// Whether an action is termination.
    fn terminates(&self, action: ActionId) -> bool {
        let signature = self.space.signature();
        let event = signature.action(action).event;
        signature.events[event.index()].kind == EventKind::Termination
    }

    /// Asks of the states of a batch whether they are what is looked for.
    fn look(&self, worker: &mut Worker<'_>) {
        let width = self.space.width();
        let mut begin = 0;
        for at in 0..worker.batch.len() {
            let state = worker.batch[at];
            let end = worker.steps.ends[at];
            let is_stuck = std::mem::replace(&mut begin, end) == end;
            let Worker { rows, scratch, .. } = worker;
            let row = &rows[at * width..(at + 1) * width];
            self.sought.meet(state, row);
            if self.sought.state(row, scratch) {
                self.hit(Some(state), None);
            } else if is_stuck && self.sought.stuck(row, scratch) {
                match self.is_entered_by_termination(worker, at, state) {
                    true => self.outcome().ended.push(state),
                    false => self.hit(Some(state), None),
                }
            }
        }
    }

    /// Whether all steps from the first predecessor of a state, whose row is at a position of the batch, to it are
    /// termination.
    fn is_entered_by_termination(
        &self,
        worker: &mut Worker<'_>,
        at: usize,
        state: StateIndex,
    ) -> bool {
        let before = self.before.get(state.0);
        let mut events = self.space.signature().events.iter();
        if before == NONE || !events.any(|event| event.kind == EventKind::Termination) {
            return false;
        }
        let width = self.space.width();
        let (mut row, mut steps) = (vec![0; width], Steps::default());
        self.kept.get(StateIndex(before), &mut row, &mut worker.nodes);
        self.space.expand(&row, &mut worker.scratch, &mut steps);
        let own = &worker.rows[at * width..(at + 1) * width];
        let targets = steps.rows.chunks_exact(width).enumerate();
        let mut to_it = targets.filter(|(at, row)| *row == own && steps.fault(*at).is_none());
        to_it.all(|(at, _)| self.terminates(steps.actions[at]))
    }

    /// Stores what the states of a batch lead to.
    fn store(&self, worker: &mut Worker<'_>) {
        let mut steps = std::mem::take(&mut worker.steps);
        if !steps.faults.is_empty() {
            self.without_faults(&mut steps, &worker.batch);
        }
        self.insert(worker, &steps.rows, &steps.ends);
        worker.steps = steps;
    }

    /// Looks at the steps in which something goes wrong, and takes their rows out.
    fn without_faults(&self, steps: &mut Steps, batch: &[StateIndex]) {
        let width = self.space.width();
        let mut faults = std::mem::take(&mut steps.faults).into_iter().peekable();
        let (mut kept, mut begin) = (0, 0);
        for (&state, end) in batch.iter().zip(&mut steps.ends) {
            for at in begin..*end {
                if let Some((_, fault)) = faults.next_if(|(step, _)| *step == at) {
                    if self.sought.fault(&fault) {
                        self.hit(Some(state), Some((Some(steps.actions[at]), fault)));
                    } else if fault.kind == FaultKind::Limit {
                        self.cut(Cut::Limit(fault));
                    }
                } else {
                    steps.rows.copy_within(at * width..(at + 1) * width, kept * width);
                    kept += 1;
                }
            }
            begin = std::mem::replace(end, kept);
        }
        steps.rows.truncate(kept * width);
    }

    /// Inserts the rows that states of a batch lead to; `ends` says where those of each end.
    fn insert(&self, worker: &mut Worker<'_>, rows: &[u64], ends: &[usize]) {
        worker.found.clear();
        let inserted =
            self.kept.insert_all(rows, self.space.width(), &mut worker.nodes, &mut worker.found);
        let mut sources = worker.batch.iter().zip(ends);
        let mut source = sources.next();
        for (at, &(state, is_new)) in worker.found.iter().enumerate() {
            while source.as_ref().is_some_and(|(_, end)| at >= **end) {
                source = sources.next();
            }
            if let (true, Some((from, _))) = (is_new, &source) {
                self.before.set(state.0, from.0);
            }
        }
        if let Err(full) = inserted {
            return self.cut(Cut::Store(full));
        }
        if self.kept.bytes() + self.before.bytes() > self.options.memory {
            self.cut(Cut::Store(StoreError::Budget { limit: self.options.memory }));
        }
    }

    /// The way to what was found.
    fn way(&self, worker: &mut Worker<'_>, hit: Hit) -> Way {
        let width = self.space.width();
        let mut states = Vec::new();
        let mut at = hit.state.map_or(NONE, |state| state.0);
        if let Some(after) = hit.after {
            states.push(StateIndex(at));
            at = after.0;
        }
        while at != NONE {
            states.push(StateIndex(at));
            at = self.before.get(at);
        }
        states.reverse();
        let row = |state: &StateIndex, worker: &mut Worker| {
            let mut row = vec![0; width];
            self.kept.get(*state, &mut row, &mut worker.nodes);
            row.into_boxed_slice()
        };
        let rows: Vec<Box<[u64]>> = states.iter().map(|state| row(state, worker)).collect();
        // The run has been stepped through once; only asking to stop could make it another step now.
        worker.scratch.stop = Stop::default();
        let actions = rows.windows(2).map(|pair| {
            worker.steps.clear();
            self.space.expand(&pair[0], &mut worker.scratch, &mut worker.steps);
            let steps = &worker.steps;
            let targets = steps.rows.chunks_exact(width).enumerate();
            let fits = targets.filter(|(at, row)| **row == *pair[1] && steps.fault(*at).is_none());
            // A state that was entered by termination only is not stuck.
            let found = fits.map(|(at, _)| steps.actions[at]).min_by_key(|&it| self.terminates(it));
            found.expect("the same row has the same steps every time")
        });
        let actions = actions.collect();
        Way { rows, actions, fault: hit.fault }
    }
}

fn number(at: usize) -> StateIndex {
    StateIndex(u32::try_from(at).expect("states have numbers of 32 bits"))
}
