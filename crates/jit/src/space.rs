//! The native program of a model as a [`Space`].

use std::sync::Arc;

use fairly_model::ModelSpace;
use fairly_model::native::{Native, NativeScratch, Rows};
use fairly_system::{
    ActionId, AtomIndex, Blocked, MoveId, Scratch, Seen, Signature, Space, StateValues, Steps,
};

use crate::{Compiled, Settings};

/// A model whose steps machine code makes.
///
/// It gives the same rows as the [`ModelSpace`] that it is made of, in an order of its own, and leaves to it what the
/// code declines: so whatever goes wrong is found and worded in one place. Names are those of that space.
pub struct NativeSpace {
    reference: Arc<ModelSpace>,
    code: Compiled,
}

/// Memory for one worker.
struct Work {
    reference: Scratch,
    native: NativeScratch,
    rows: Rows,
    /// By command, if it has been met.
    actions: Vec<Option<ActionId>>,
    seen: Seen,
    /// How many rows the code is asked about next, at most: few if it declines often.
    ask: usize,
}

/// The code is not asked about more rows at once.
const MOST: usize = 64;

impl NativeSpace {
    /// Machine code for a model; `None` if none can be made on this machine, or the model is one that is
    /// unfolded while it is explored.
    pub fn new(reference: Arc<ModelSpace>, settings: Settings) -> Option<NativeSpace> {
        let code = Compiled::new(&reference, settings)?;
        Some(NativeSpace { reference, code })
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
    fn name(&self, commands: &[u32], work: &mut Work, out: &mut Vec<ActionId>) {
        for &command in commands {
            let at = command as usize;
            let action = match work.actions.get(at).copied().flatten() {
                Some(known) => known,
                None => {
                    let action = self.action(command, &mut work.seen);
                    work.actions.resize(work.actions.len().max(at + 1), None);
                    work.actions[at] = Some(action);
                    action
                }
            };
            out.push(action);
        }
    }
}

impl Space for NativeSpace {
    fn signature(&self) -> &Signature {
        self.reference.signature()
    }

    fn width(&self) -> usize {
        self.reference.width()
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(Work {
            reference: self.reference.scratch(),
            native: self.code.scratch(),
            rows: Rows::default(),
            actions: Vec::new(),
            seen: Seen::default(),
            ask: 1,
        })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        self.reference.initial(&mut scratch.of::<Work>().reference, out);
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let width = self.width();
        let interrupt = scratch.interrupt.clone();
        let work = scratch.of::<Work>();
        let mut left = rows;
        while !left.is_empty() {
            let asked = left.len().min(work.ask * width);
            let mut found = std::mem::take(&mut work.rows);
            found.clear();
            let done = self.code.steps(&left[..asked], &mut work.native, &mut found) * width;
            let first = out.actions.len();
            self.name(&found.commands, work, &mut out.actions);
            match out.rows.is_empty() {
                true => std::mem::swap(&mut out.rows, &mut found.words),
                false => out.rows.extend_from_slice(&found.words),
            }
            out.ends.extend(found.ends.iter().map(|end| first + end));
            work.rows = found;
            left = &left[done..];
            work.ask = (work.ask * 2).min(MOST);
            if done < asked {
                work.ask = 1;
                work.reference.interrupt.clone_from(&interrupt);
                self.reference.expand(&left[..width], &mut work.reference, out);
                left = &left[width..];
            }
        }
    }

    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
        self.reference.offered(row, &mut scratch.of::<Work>().reference, out);
    }

    fn atom(&self, text: &str) -> Option<AtomIndex> {
        self.reference.atom(text)
    }

    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool {
        let condition = self.reference.condition(atom);
        let known = condition.and_then(|(at, expr)| self.code.holds(row, at, expr));
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
}
