//! Atomic sequences as single steps.
//!
//! While a process holds ([`crate::Atomicity::Exclusive`]), nobody else can move. SPIN passes through
//! the states in between: it does not store them, a claim does not read them, and fairness does not
//! ask who is enabled there. [`Collapsed`] does the same with an [`Interpreter`]: a step leads from
//! one state in which nobody holds to the next, and its action has the moves of all the steps on the
//! way.
//!
//! The states that are passed through get no numbers, and are not stored.
//!
//! A sequence that never ends cannot be passed through; neither is one with very many steps or ways.
//! Then it ends in a state inside it, from which the next one begins. Where that is depends on the
//! state that the sequence begins in alone, so that the same state always has the same steps.

mod packed;

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, EventId, Fault, MoveId, Signature, Transition, TransitionSystem,
};

use hashbrown::HashMap;

use crate::interpreter::{Batch, Interpreter, Keep, Steps, unnumbered};

/// Steps of one sequence, and sequences out of one state, that are passed through.
const MOST_STEPS: usize = 2_000;
const MOST_WAYS: usize = 5_000;

/// An interpreter whose atomic sequences are single steps.
pub struct Collapsed {
    inner: Interpreter,
    /// Whether there is anything to collapse.
    holds: bool,
    /// The actions of sequences; those of single steps among them.
    actions: Vec<Action>,
    ids: HashMap<(EventId, Vec<MoveId>), ActionId>,
    /// Sequences of steps; the first is the empty one.
    chains: Vec<Chain>,
    /// By action of the interpreter: the sequence of it alone; the empty one if it was not met.
    alone: Vec<usize>,
    /// The action of that sequence; idling if it was not met.
    names: Vec<ActionId>,
    /// The steps that are still to be looked at, one frame for each state that is passed through.
    frames: Vec<Frame>,
    /// Steps that lead to states in which nobody holds.
    ends: Steps,
    /// By action: the last expansion that it was met in.
    met: Vec<u64>,
    /// Whether a sequence was ended because there was too much of it.
    is_cut: bool,
    /// How many states have been expanded.
    expansions: u64,
    base: Vec<u64>,
    held: Vec<u64>,
    batch: Batch,
}

/// Steps of the interpreter that follow each other. Nearly all have one or two, so the longer ones are
/// found by looking at all that begin alike.
struct Chain {
    /// All steps but the last, and the last; of the empty one, nothing.
    before: usize,
    last: ActionId,
    /// Those that have one step more.
    longer: Vec<usize>,
    /// What it is called. Native code makes several steps at once, so that the same one may be made
    /// of different pieces.
    action: ActionId,
}

/// The sequence without steps.
const EMPTY: usize = 0;

/// A state on the way, and its steps.
struct Frame {
    /// The steps that led here.
    chain: usize,
    length: usize,
    words: Vec<u64>,
    steps: Steps,
    next: usize,
}

impl Frame {
    fn row(&self, at: usize) -> &[u64] {
        &self.steps.rows[at * self.words.len()..][..self.words.len()]
    }
}

impl Collapsed {
    /// Of an interpreter.
    pub fn new(inner: Interpreter) -> Collapsed {
        let idle = inner.action(ActionId::IDLE).clone();
        Collapsed {
            holds: inner.layout().holder.is_some(),
            base: vec![0; inner.layout().words],
            inner,
            actions: vec![idle],
            ids: HashMap::new(),
            chains: vec![Chain {
                before: EMPTY,
                last: ActionId::IDLE,
                longer: Vec::new(),
                action: ActionId::IDLE,
            }],
            alone: Vec::new(),
            names: Vec::new(),
            frames: Vec::new(),
            ends: Steps::default(),
            met: vec![0],
            is_cut: false,
            expansions: 0,
            held: Vec::new(),
            batch: Batch::default(),
        }
    }

    /// The interpreter, whose states have the same numbers.
    pub fn interpreter(&self) -> &Interpreter {
        &self.inner
    }

    /// The interpreter, for adding propositions to it.
    pub fn interpreter_mut(&mut self) -> &mut Interpreter {
        &mut self.inner
    }

    /// Whether a sequence of steps was cut off because there was too much of it. Where that is depends on
    /// the order of the processes.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next of the steps that are merged into the one that led to a state, with nothing being merged
    /// or forgotten; `None` if no process is on its way there.
    pub fn passed(&mut self, state: StateId) -> Option<Transition> {
        if self.inner.fault(state).is_some() {
            return None;
        }
        let (slot, location) = self.inner.passing(state)?;
        let mut out = Vec::new();
        self.enabled(state, &mut out);
        out.into_iter().find(|step| {
            let first = self.action(step.action).moves.first().copied();
            let part = first.and_then(|first| self.inner.part(first));
            part.is_some_and(|part| (part.slot, part.location) == (slot, location))
        })
    }

    /// A sequence with one step more.
    #[inline]
    fn followed(&mut self, chain: usize, step: ActionId) -> usize {
        let known = if chain == EMPTY {
            self.alone.get(step.index()).copied().filter(|&known| known != EMPTY)
        } else {
            let mut longer = self.chains[chain].longer.iter().copied();
            longer.find(|&longer| self.chains[longer].last == step)
        };
        known.unwrap_or_else(|| self.lengthen(chain, step))
    }

    /// Makes a sequence with one step more.
    #[cold]
    fn lengthen(&mut self, before: usize, last: ActionId) -> usize {
        let chain = self.chains.len();
        let mut steps = vec![last];
        let mut at = before;
        while at != EMPTY {
            steps.push(self.chains[at].last);
            at = self.chains[at].before;
        }
        steps.reverse();
        let event = self.inner.action(steps[0]).event;
        let mut action = Action { event, participants: vec![], moves: vec![] };
        for step in steps {
            let step = self.inner.action(step);
            action.participants.extend(&step.participants);
            action.moves.extend(&step.moves);
        }
        action.participants.sort_unstable();
        action.participants.dedup();
        let new = ActionId::from_index(self.actions.len());
        let action_id = *self.ids.entry((event, action.moves.clone())).or_insert(new);
        if action_id == new {
            self.actions.push(action);
            self.met.push(0);
        }
        if before == EMPTY {
            let length = self.alone.len().max(last.index() + 1);
            self.alone.resize(length, EMPTY);
            self.alone[last.index()] = chain;
            self.names.resize(length, ActionId::IDLE);
            self.names[last.index()] = action_id;
        } else {
            self.chains[before].longer.push(chain);
        }
        self.chains.push(Chain { before, last, longer: Vec::new(), action: action_id });
        chain
    }

    /// Whether a process holds in a packed state.
    #[inline]
    fn is_held(&self, words: &[u64]) -> bool {
        self.inner.layout().is_held(words)
    }

    /// Makes the frame at a depth that of a state, which a sequence of steps leads to; with some of its
    /// steps, if others are not wanted.
    fn open(
        &mut self,
        depth: usize,
        words: &[u64],
        (chain, length): (usize, usize),
        keep: Option<Keep<'_>>,
    ) {
        if self.frames.len() == depth {
            let (words, steps) = (Vec::new(), Steps::default());
            self.frames.push(Frame { chain, length, words, steps, next: 0 });
        }
        let frame = &mut self.frames[depth];
        (frame.chain, frame.length, frame.next) = (chain, length, 0);
        frame.words.clear();
        frame.words.extend_from_slice(words);
        self.inner.expand_some(words, &mut frame.steps, keep);
    }

    /// Collects in `ends` the steps out of a packed state. Depth first, in the order of the
    /// interpreter.
    fn pass_through(&mut self, words: &[u64], keep: Option<Keep<'_>>) {
        self.ends.clear();
        self.expansions += 1;
        self.open(0, words, (EMPTY, 0), keep);
        if self.is_simple() {
            return;
        }
        self.ends.clear();
        self.expansions += 1;
        let mut depth = 0;
        let mut held = std::mem::take(&mut self.held);
        loop {
            let frame = &mut self.frames[depth];
            let at = frame.next;
            let Some(&step) = frame.steps.actions.get(at) else {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                continue;
            };
            frame.next += 1;
            let (chain, length) = (frame.chain, frame.length + 1);
            let chain = self.followed(chain, step);
            let frame = &self.frames[depth];
            let row = frame.row(at);
            if self.is_held(row) && frame.steps.fault(at).is_none() {
                let endless = self.frames[..=depth].iter().any(|frame| frame.words == row);
                let too_much = length >= MOST_STEPS || self.ends.actions.len() >= MOST_WAYS;
                self.is_cut |= too_much;
                if !endless && !too_much {
                    held.clear();
                    held.extend_from_slice(row);
                    depth += 1;
                    self.open(depth, &held, (chain, length), None);
                    continue;
                }
            }
            self.end(self.chains[chain].action, depth, at);
        }
        self.held = held;
    }

    /// Makes `ends` the steps of the first frame, if nobody holds behind any of them and no two have the
    /// same action; otherwise it says so, and `ends` is anything.
    fn is_simple(&mut self) -> bool {
        let mut steps = std::mem::take(&mut self.frames[0].steps);
        let is_simple = steps.faults.is_empty()
            && !self.is_any_held(&steps.rows)
            && self.are_simple(&steps.actions);
        if is_simple {
            std::mem::swap(&mut self.ends.rows, &mut steps.rows);
        }
        self.frames[0].steps = steps;
        is_simple
    }

    /// Whether a process holds in one of some packed states.
    fn is_any_held(&self, rows: &[u64]) -> bool {
        rows.chunks_exact(self.inner.layout().words).any(|row| self.is_held(row))
    }

    /// Whether no two of these steps out of one state, behind none of which anybody holds, have the same
    /// action. Then the actions of `ends` are theirs.
    #[inline]
    fn are_simple(&mut self, steps: &[ActionId]) -> bool {
        self.ends.actions.clear();
        for &step in steps {
            let action = self.name(step);
            if self.met[action.index()] == self.expansions {
                return false;
            }
            self.met[action.index()] = self.expansions;
            self.ends.actions.push(action);
        }
        true
    }

    /// What a step of the interpreter is called if it is alone.
    #[inline]
    fn name(&mut self, step: ActionId) -> ActionId {
        match self.names.get(step.index()) {
            Some(&action) if action != ActionId::IDLE => action,
            _ => {
                let chain = self.lengthen(EMPTY, step);
                self.chains[chain].action
            }
        }
    }

    /// Appends the steps of a batch, if nobody holds behind any of them and no two out of one state have
    /// the same action; otherwise it says so, and appends nothing.
    fn defer_simple(
        &mut self,
        states: &[StateId],
        batch: &mut Batch,
        out: &mut Vec<Transition>,
    ) -> bool {
        if self.is_any_held(&batch.rows.words) {
            return false;
        }
        let before = out.len();
        let (mut begin, mut is_simple) = (0, true);
        out.reserve(batch.actions.len());
        for &end in &batch.rows.ends {
            self.expansions += 1;
            for &step in &batch.actions[begin..end] {
                let action = self.name(step);
                let met = &mut self.met[action.index()];
                is_simple &= *met != self.expansions;
                *met = self.expansions;
                out.push(unnumbered(action));
            }
            begin = end;
        }
        if is_simple {
            self.inner.defer_batch(states, batch);
        } else {
            out.truncate(before);
        }
        is_simple
    }

    /// Appends the steps out of states, whose targets wait for numbers, and says where those of each
    /// of them end.
    fn defer_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        mut end: impl FnMut(usize),
    ) {
        let mut batch = std::mem::take(&mut self.batch);
        let width = self.inner.layout().words;
        let mut left = states;
        while !left.is_empty() {
            let (done, declines) = self.inner.expand_all(left, &mut batch);
            let before = out.len();
            if self.defer_simple(left, &mut batch, out) {
                batch.rows.ends.iter().for_each(|&to| end(before + to));
            } else {
                let mut begin = 0;
                let mut base = vec![0; width];
                for (&state, &to) in left.iter().zip(&batch.rows.ends) {
                    self.expansions += 1;
                    let rows = &batch.rows.words[begin * width..to * width];
                    let actions = &batch.actions[begin..to];
                    if !self.is_any_held(rows) && self.are_simple(actions) {
                        // Another one may have been read since.
                        self.inner.read(state, &mut base);
                        self.inner.defer_sound(state, &self.ends.actions, rows, out);
                    } else {
                        self.defer(state, out);
                    }
                    end(out.len());
                    begin = to;
                }
            }
            left = &left[done..];
            if declines && let [state, rest @ ..] = left {
                self.defer(*state, out);
                end(out.len());
                left = rest;
            }
        }
        self.batch = batch;
    }

    /// Appends the steps out of a state, whose targets wait for numbers.
    fn defer(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if self.inner.fault(state).is_some() {
            return;
        }
        let mut words = std::mem::take(&mut self.base);
        self.inner.read(state, &mut words);
        self.pass_through(&words, None);
        self.inner.defer(state, &self.ends, out);
        self.base = words;
    }

    /// Works out the steps of a state before what they lead to has numbers, so that a reduction can
    /// [leave out](Collapsed::follow) some; `false` if there are none because something went wrong in
    /// the step to it.
    pub fn look(&mut self, state: StateId) -> bool {
        self.look_up_to(state, None)
    }

    /// The same, with one step for all those that are the same up to an exchange of processes, and to
    /// the state that stands for those which are.
    pub fn look_up_to(&mut self, state: StateId, exchange: Option<&mut dyn Exchange>) -> bool {
        if self.inner.fault(state).is_some() {
            self.ends.clear();
            return false;
        }
        let mut words = std::mem::take(&mut self.base);
        self.inner.read(state, &mut words);
        if let Some(exchange) = exchange {
            self.inner.note_left_out();
            exchange.turn_to(&words);
            self.expand_some(&words, Some(&|slots| exchange.keeps(slots)));
            let faults = &self.ends.faults;
            for (at, row) in self.ends.rows.chunks_exact_mut(words.len()).enumerate() {
                match faults.iter().any(|(faulty, _)| *faulty == at) {
                    true => exchange.leave(),
                    false => exchange.make_canonical(row),
                }
            }
        } else {
            self.expand_some(&words, None);
        }
        self.base = words;
        true
    }

    fn expand_some(&mut self, words: &[u64], keep: Option<Keep<'_>>) {
        if self.holds {
            self.pass_through(words, keep);
        } else {
            self.inner.expand_some(words, &mut self.ends, keep);
        }
    }

    /// The number of the state that stands for a state; its own if something went wrong in the step
    /// to it.
    pub fn canonical(&mut self, state: StateId, exchange: &mut dyn Exchange) -> StateId {
        if self.inner.fault(state).is_some() {
            exchange.leave();
            return state;
        }
        self.changed(state, |words| exchange.make_canonical(words))
    }

    /// The words of a state.
    pub fn words(&self, state: StateId) -> Vec<u64> {
        self.inner.packed(state)
    }

    /// The number of the state that comes of changing the words of one.
    pub fn changed(&mut self, state: StateId, change: impl FnOnce(&mut [u64])) -> StateId {
        let mut words = self.inner.packed(state);
        change(&mut words);
        self.inner.intern(&words)
    }

    /// The steps of the state that was looked at last.
    pub fn pending(&self) -> Pending<'_> {
        Pending { words: &self.base, actions: &self.ends.actions, ends: &self.ends }
    }

    /// Appends the steps of the state that was [looked at](Collapsed::look) last which are to be
    /// kept, by position. The others lead nowhere: what they lead to is not stored.
    pub fn follow(
        &mut self,
        state: StateId,
        keep: impl FnMut(usize) -> bool,
        out: &mut Vec<Transition>,
    ) {
        let before = self.ends.actions.len();
        self.ends.retain(self.base.len(), keep);
        if self.ends.actions.len() < before {
            self.inner.note_left_out();
        }
        self.inner.settle(state, &self.ends, out);
    }

    /// Adds a step that is a sequence of steps, the last of which is one of a frame, unless it is
    /// there.
    fn end(&mut self, action: ActionId, depth: usize, at: usize) {
        let is_first =
            std::mem::replace(&mut self.met[action.index()], self.expansions) != self.expansions;
        let frame = &self.frames[depth];
        let (row, fault) = (frame.row(at), frame.steps.fault(at));
        if !is_first {
            let known = self.ends.rows.chunks_exact(row.len()).zip(&self.ends.actions).enumerate();
            for (at, (other, &same)) in known {
                if same == action && other == row && self.ends.fault(at) == fault {
                    return;
                }
            }
        }
        if let Some(fault) = fault {
            self.ends.faults.push((self.ends.actions.len(), fault.clone()));
        }
        self.ends.actions.push(action);
        self.ends.rows.extend_from_slice(row);
    }
}

/// Processes that can be exchanged for each other without changing what can happen.
pub trait Exchange {
    /// Looks at a packed state whose steps are asked for next.
    fn turn_to(&mut self, words: &[u64]);

    /// Whether a step in which these slots take part stands for all that are the same in the state that
    /// was looked at last. If there are steps, it does so for one at least.
    fn keeps(&self, slots: &[u32]) -> bool;

    /// Makes a packed state the one that stands for all that are the same.
    fn make_canonical(&mut self, words: &mut [u64]);

    /// Takes note that the next state is left as it is, because something went wrong in the step to it.
    fn leave(&mut self) {}
}

/// Steps whose targets have no numbers yet.
pub struct Pending<'a> {
    /// The state that they leave.
    pub words: &'a [u64],
    /// Their actions.
    pub actions: &'a [ActionId],
    ends: &'a Steps,
}

impl Pending<'_> {
    /// Whether something goes wrong in the step at a position.
    pub fn is_faulty(&self, at: usize) -> bool {
        self.ends.fault(at).is_some()
    }
}

impl TransitionSystem for Collapsed {
    fn by_reference(&mut self, on: bool) {
        self.inner.pause_native(on);
    }

    fn bytes(&self) -> usize {
        self.interpreter().state_bytes()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.inner.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if !self.holds {
            return self.inner.enabled(state, out);
        }
        self.defer_all(&[state], out, |_| {});
        self.inner.give_numbers(out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        if !self.holds {
            return self.inner.enabled_in_all(states, out, ends);
        }
        for some in states.chunks(self.inner.at_once()) {
            self.defer_all(some, out, |end| ends.push(end));
            self.inner.give_numbers(out);
        }
    }

    fn action(&self, action: ActionId) -> &Action {
        if self.holds { &self.actions[action.index()] } else { self.inner.action(action) }
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.inner.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.inner.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.inner.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.inner.describe(state)
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.inner.valuation(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.inner.fault(state)
    }
}
