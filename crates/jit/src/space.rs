//! The native program of a model as a [`Space`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fairly_model::ModelSpace;
use fairly_model::native::{Compile, MOST_AT_ONCE, Native, Stop};
use fairly_system::{
    ActionId, AtomIndex, Blocked, Growth, Holder, MoveId, Scratch, Seen, SequenceLimits, Sequences,
    Signature, Space, StateValues, Steps,
};

use crate::rows::Rows;
use crate::{Compiled, Settings, run};

/// A model whose steps machine code makes.
///
/// It gives the same rows as the [`ModelSpace`] that it is made of, in an order of its own, and leaves to it what the
/// code declines: so whatever goes wrong is found and worded in one place. Names are those of that space.
pub struct NativeSpace {
    reference: Arc<ModelSpace>,
    code: Compiled,
    declined: AtomicU64,
    made: AtomicU64,
}

/// Memory for one worker.
struct Work {
    reference: Scratch,
    native: run::Scratch,
    rows: Rows,
    /// By command; [`UNKNOWN`] if it has not been met.
    actions: Vec<ActionId>,
    seen: Seen,
    /// Edges that are offered; by edge, the move, if it has been asked for.
    edges: Vec<u32>,
    moves: Vec<Option<MoveId>>,
    /// Steps of a row that is asked about for a proposition.
    steps: Steps,
    /// How many rows the code is asked about next, at most: few if it declines often.
    ask: usize,
}

/// The code is not asked about more rows at once.
const MOST: usize = 64;

/// No action.
const UNKNOWN: ActionId = ActionId(u32::MAX);

impl NativeSpace {
    /// Machine code for a model; `None` if none can be made on this machine, or the model is one that is
    /// unfolded while it is explored.
    pub fn new(reference: Arc<ModelSpace>, settings: Settings) -> Option<NativeSpace> {
        let code = Compiled::new(&reference, settings)?;
        Some(NativeSpace { reference, code, declined: AtomicU64::new(0), made: AtomicU64::new(0) })
    }

    /// Makes the code that every row needs now, rather than when it is worth it.
    pub fn prepare(&self) {
        self.code.prepare();
    }

    /// Makes what it takes to have native code made for a model and its merged forms.
    pub fn compile(settings: Settings) -> Compile {
        Arc::new(move |model| {
            let space = NativeSpace::new(Arc::clone(model), settings)?;
            Some(Arc::new(space) as Arc<dyn Native>)
        })
    }

    /// The space that says what the steps are.
    pub fn reference(&self) -> &ModelSpace {
        &self.reference
    }

    /// The action of a command.
    fn action(&self, command: u32, seen: &mut Seen) -> ActionId {
        let mut parts = self.code.parts(command);
        let event = parts.first().and_then(|&first| self.reference.known(first));
        let (event, _) = event.expect("native code takes only edges whose event is known");
        parts.sort_by_key(|part| part.slot);
        let moves = parts.iter().filter_map(|&part| self.reference.known(part));
        let moves: Vec<MoveId> = moves.map(|(_, id)| id).collect();
        self.signature().action_id(seen, event, &moves)
    }

    /// Appends the actions of commands.
    #[inline]
    fn name(&self, commands: &[u32], work: &mut Work, out: &mut Vec<ActionId>) {
        let first = out.len();
        let mut unknown = false;
        out.extend(commands.iter().map(|&command| {
            let action = work.actions.get(command as usize).copied().unwrap_or(UNKNOWN);
            unknown |= action == UNKNOWN;
            action
        }));
        if unknown {
            for (action, &command) in out[first..].iter_mut().zip(commands) {
                let at = command as usize;
                *action = self.action(command, &mut work.seen);
                work.actions.resize(work.actions.len().max(at + 1), UNKNOWN);
                work.actions[at] = *action;
            }
        }
    }

    /// Appends the steps of the first row as the reference interpreter has them.
    #[cold]
    fn decline(&self, row: &[u64], reference: &mut Scratch, out: &mut Steps) {
        let faults = out.faults.len();
        self.reference.expand(row, reference, out);
        if out.faults.len() > faults
            && let Some(most) = self.reference.statements_left()
        {
            self.code.limit_statements(most);
        }
    }
}

impl Native for NativeSpace {
    fn prepare(&self) {
        self.code.prepare();
    }

    fn heed(&self, stop: Stop) {
        self.code.heed(stop);
    }

    fn counts(&self) -> (u64, u64) {
        (self.declined.load(Ordering::Relaxed), self.made.load(Ordering::Relaxed))
    }
}

impl Space for NativeSpace {
    fn signature(&self) -> &Signature {
        self.reference.signature()
    }

    fn width(&self) -> usize {
        self.reference.width()
    }

    fn lasting(&self) -> usize {
        self.reference.lasting()
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(Work {
            reference: self.reference.scratch(),
            native: self.code.scratch(),
            rows: Rows::default(),
            actions: Vec::new(),
            seen: Seen::default(),
            edges: Vec::new(),
            moves: Vec::new(),
            steps: Steps::default(),
            ask: 1,
        })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        self.reference.initial(&mut scratch.of::<Work>().reference, out);
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let width = self.width();
        let stop = scratch.stop;
        let work = scratch.of::<Work>();
        work.reference.stop = stop;
        let mut left = rows;
        let (mut made, mut declined) = (0, 0);
        while !left.is_empty() {
            let asked = left.len().min(work.ask * width);
            let mut found = std::mem::take(&mut work.rows);
            found.clear();
            // The words of the first rows are written where they stay.
            let is_first = out.rows.is_empty();
            if is_first {
                std::mem::swap(&mut out.rows, &mut found.words);
            }
            let done = self.code.steps(&left[..asked], &mut work.native, &mut found);
            match is_first {
                true => std::mem::swap(&mut out.rows, &mut found.words),
                false => out.rows.extend_from_slice(&found.words),
            }
            let first = out.actions.len();
            self.name(&found.commands, work, &mut out.actions);
            out.ends.extend(found.ends.iter().map(|end| first + end));
            work.rows = found;
            made += done as u64;
            let done = done * width;
            left = &left[done..];
            work.ask = (work.ask * 2).min(MOST);
            if done < asked {
                work.ask = 1;
                declined += 1;
                self.decline(&left[..width], &mut work.reference, out);
                left = &left[width..];
            }
        }
        self.made.fetch_add(made, Ordering::Relaxed);
        self.declined.fetch_add(declined, Ordering::Relaxed);
    }

    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
        let work = scratch.of::<Work>();
        if !self.code.offered(row, &mut work.native, &mut work.edges) {
            return self.reference.offered(row, &mut work.reference, out);
        }
        let Work { edges, moves, .. } = work;
        out.extend(edges.iter().filter_map(|&edge| {
            let at = edge as usize;
            if at >= moves.len() {
                moves.resize(at + 1, None);
            }
            let known = || Some(self.reference.known(self.code.part(edge))?.1);
            moves[at] = moves[at].or_else(known);
            moves[at]
        }));
    }

    fn atom(&self, text: &str) -> Option<AtomIndex> {
        self.reference.atom(text)
    }

    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool {
        let known = match self.reference.condition(atom) {
            Some((at, expr)) => self.code.holds(row, at, expr),
            None if self.reference.asks_whether_stuck(atom) => {
                let mut steps = std::mem::take(&mut scratch.of::<Work>().steps);
                steps.clear();
                self.expand(row, scratch, &mut steps);
                let moves = !steps.actions.is_empty();
                scratch.of::<Work>().steps = steps;
                moves.then_some(false)
            }
            None => None,
        };
        known
            .unwrap_or_else(|| self.reference.holds(row, atom, &mut scratch.of::<Work>().reference))
    }

    fn values(&self, row: &[u64]) -> StateValues {
        self.reference.values(row)
    }

    fn valuation(&self, row: &[u64]) -> Vec<(String, String)> {
        self.reference.valuation(row)
    }

    fn describe(&self, row: &[u64]) -> String {
        self.reference.describe(row)
    }

    fn blocked(&self, row: &[u64], scratch: &mut Scratch) -> Vec<Blocked> {
        self.reference.blocked(row, &mut scratch.of::<Work>().reference)
    }

    fn growth(
        &self,
        count: usize,
        read: &mut dyn FnMut(usize, &mut [u64]) -> bool,
    ) -> Option<Growth> {
        self.reference.growth(count, read)
    }
}

impl Sequences for NativeSpace {
    fn holder(&self) -> Option<Holder> {
        self.reference.holder()
    }

    fn sequence_limits(&self) -> SequenceLimits {
        self.reference.sequence_limits()
    }

    fn most_at_once(&self) -> usize {
        MOST_AT_ONCE
    }

    fn expand_singly(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let stop = scratch.stop;
        let work = scratch.of::<Work>();
        work.reference.stop = stop;
        self.reference.expand(rows, &mut work.reference, out);
    }
}
