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

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, Signature, Transition, TransitionSystem,
};
use hashbrown::HashMap;

use crate::interpreter::{Interpreter, Keep, Steps};

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
    ids: HashMap<Vec<ActionId>, ActionId>,
    /// The steps that are still to be looked at, one frame for each state that is passed through.
    frames: Vec<Frame>,
    /// Steps that lead to states in which nobody holds.
    ends: Steps,
    chain: Vec<ActionId>,
    base: Vec<u64>,
    row: Vec<u64>,
}

/// A state on the way, and its steps.
#[derive(Default)]
struct Frame {
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
            ids: HashMap::from([(Vec::new(), ActionId::IDLE)]),
            frames: Vec::new(),
            ends: Steps::default(),
            chain: Vec::new(),
            row: Vec::new(),
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

    fn action_id(&mut self, chain: &[ActionId]) -> ActionId {
        if let Some(&known) = self.ids.get(chain) {
            return known;
        }
        let first = self.inner.action(chain[0]);
        let mut action = Action { event: first.event, participants: vec![], moves: vec![] };
        for &step in chain {
            let step = self.inner.action(step);
            action.participants.extend(&step.participants);
            action.moves.extend(&step.moves);
        }
        action.participants.sort_unstable();
        action.participants.dedup();
        let id = ActionId::from_index(self.actions.len());
        self.actions.push(action);
        self.ids.insert(chain.to_vec(), id);
        id
    }

    /// Whether a process holds in a packed state.
    fn is_held(&self, words: &[u64]) -> bool {
        self.inner.layout().holder.is_some_and(|strip| strip.get(words, 0) >= 0)
    }

    /// Makes the frame at a depth that of a state.
    fn open(&mut self, depth: usize, words: &[u64], keep: Option<Keep<'_>>) {
        if self.frames.len() == depth {
            self.frames.push(Frame::default());
        }
        let mut frame = std::mem::take(&mut self.frames[depth]);
        frame.words.clear();
        frame.words.extend_from_slice(words);
        frame.next = 0;
        self.inner.expand_some(words, &mut frame.steps, keep);
        self.frames[depth] = frame;
    }

    /// Collects in `ends` the steps out of a packed state. Depth first, in the order of the
    /// interpreter.
    fn pass_through(&mut self, words: &[u64], keep: Option<Keep<'_>>) {
        self.ends.clear();
        self.open(0, words, keep);
        let mut depth = 0;
        let mut chain = std::mem::take(&mut self.chain);
        let mut row = std::mem::take(&mut self.row);
        chain.clear();
        loop {
            let frame = &mut self.frames[depth];
            let at = frame.next;
            if at == frame.steps.actions.len() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                chain.pop();
                continue;
            }
            frame.next += 1;
            chain.push(frame.steps.actions[at]);
            let fault = frame.steps.fault(at).cloned();
            row.clear();
            row.extend_from_slice(self.frames[depth].row(at));
            if fault.is_none() && self.is_held(&row) {
                let endless = self.frames[..=depth].iter().any(|frame| frame.words == row);
                let too_much = chain.len() >= MOST_STEPS || self.ends.actions.len() >= MOST_WAYS;
                if !endless && !too_much {
                    depth += 1;
                    self.open(depth, &row, None);
                    continue;
                }
            }
            self.end(&chain, &row, fault);
            chain.pop();
        }
        self.chain = chain;
        self.row = row;
    }

    /// Appends the steps out of a state, whose targets wait for numbers.
    fn defer(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if self.inner.fault(state).is_some() {
            return;
        }
        let mut words = std::mem::take(&mut self.base);
        self.inner.read(state, &mut words);
        self.pass_through(&words, None);
        let ends = std::mem::take(&mut self.ends);
        self.inner.defer(state, &words, &ends, out);
        self.ends = ends;
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
            exchange.turn_to(&words);
            self.expand_some(&words, Some(&|slots| exchange.keeps(slots)));
            let faults = &self.ends.faults;
            for (at, row) in self.ends.rows.chunks_exact_mut(words.len()).enumerate() {
                if faults.iter().all(|(faulty, _)| *faulty != at) {
                    exchange.make_canonical(row);
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
            return state;
        }
        let mut words = self.inner.packed(state);
        exchange.make_canonical(&mut words);
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
        let mut ends = std::mem::take(&mut self.ends);
        ends.retain(self.base.len(), keep);
        self.inner.settle(state, &self.base, &ends, out);
        self.ends = ends;
    }

    /// Adds a step that a chain of steps makes up, unless it is there.
    fn end(&mut self, chain: &[ActionId], row: &[u64], fault: Option<Fault>) {
        let action = self.action_id(chain);
        let known = self.ends.rows.chunks_exact(row.len()).zip(&self.ends.actions).enumerate();
        for (at, (other, &same)) in known {
            if same == action && other == row && self.ends.fault(at) == fault.as_ref() {
                return;
            }
        }
        if let Some(fault) = fault {
            self.ends.faults.push((self.ends.actions.len(), fault));
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
        self.defer(state, out);
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
        for &state in states {
            self.defer(state, out);
            ends.push(out.len());
        }
        self.inner.give_numbers(out);
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

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.inner.fault(state)
    }
}
