//! Atomic sequences as single steps.
//!
//! While a process holds ([`crate::Atomicity::Exclusive`]), nobody else can move. SPIN passes through
//! the states in between: it does not store them, a claim does not read them, and fairness does not
//! ask who is enabled there. [`Collapsed`] does the same with an [`Interpreter`]: a step leads from
//! one state in which nobody holds to the next, and its action has the moves of all the steps on the
//! way.
//!
//! A sequence that never ends cannot be passed through; neither is one with very many steps or ways.
//! Then states inside it are states like others.

use fairly_omega::StateId;
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, Signature, Transition, TransitionSystem,
};
use hashbrown::{HashMap, HashSet};

use crate::interpreter::Interpreter;

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
    /// States inside sequences that are shown as states after all.
    shown: HashSet<StateId>,
    /// The steps of states that sequences start in: what is shown later must not change them.
    known: HashMap<StateId, Vec<Transition>>,
}

impl Collapsed {
    /// Of an interpreter.
    pub fn new(inner: Interpreter) -> Collapsed {
        let idle = inner.action(ActionId::IDLE).clone();
        Collapsed {
            holds: inner.layout().holder.is_some(),
            inner,
            actions: vec![idle],
            ids: HashMap::from([(Vec::new(), ActionId::IDLE)]),
            shown: HashSet::new(),
            known: HashMap::new(),
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

    /// Whether a state is passed through.
    fn passes(&self, state: StateId) -> bool {
        self.inner.is_held(state) && !self.shown.contains(&state)
    }
}

impl TransitionSystem for Collapsed {
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
        if let Some(known) = self.known.get(&state) {
            out.extend_from_slice(known);
            return;
        }
        let start = out.len();
        let mut passed = false;
        // Depth first, in the order of the interpreter; a frame is what is still to be tried.
        let mut steps = Vec::new();
        self.inner.enabled(state, &mut steps);
        steps.reverse();
        let mut frames: Vec<Vec<Transition>> = vec![steps];
        let mut chain: Vec<ActionId> = Vec::new();
        let mut path: Vec<StateId> = Vec::new();
        while let Some(frame) = frames.last_mut() {
            let Some(Transition { target, action }) = frame.pop() else {
                frames.pop();
                chain.pop();
                path.pop();
                continue;
            };
            chain.push(action);
            if self.passes(target) {
                let endless = path.contains(&target) || target == state;
                let too_much = chain.len() >= MOST_STEPS || out.len() - start >= MOST_WAYS;
                if endless || too_much {
                    self.shown.insert(target);
                } else {
                    passed = true;
                    let mut steps = Vec::new();
                    self.inner.enabled(target, &mut steps);
                    steps.reverse();
                    frames.push(steps);
                    path.push(target);
                    continue;
                }
            }
            let joint = Transition { target, action: self.action_id(&chain) };
            if !out[start..].contains(&joint) {
                out.push(joint);
            }
            chain.pop();
        }
        if passed {
            self.known.insert(state, out[start..].to_vec());
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

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.inner.fault(state)
    }
}
