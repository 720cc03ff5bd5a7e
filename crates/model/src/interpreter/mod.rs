//! The reference interpreter: [`Interpreter`] says what a model means.
//!
//! What a state's steps are is worked out in this order, one file each: [`offers`] finds what single
//! processes can do, [`join`] what comes of it together and what ranks and atomicity leave of that,
//! [`step`] what each action does to the state.

mod atoms;
mod blocked;
mod expand;
mod growth;
mod join;
mod merging;
mod names;
mod natively;
mod offers;
mod program;
mod show;
mod space;
mod step;

use std::cell::RefCell;

use fairly_omega::{StateId, Stop};
use fairly_store::{Numbers, StateIndex};
use fairly_system::{
    Action, ActionId, AtomIndex, Blocked, Fault, Growth, Interrupt, MoveId, Signature, StateValues,
    Steps, Transition, TransitionSystem,
};
use hashbrown::HashMap;

pub(crate) use self::expand::Keep;
use self::join::Joints;
use self::merging::Apart;
use self::natively::Accelerator;
pub(crate) use self::natively::{Batch, unnumbered};
use self::offers::Offers;
pub(crate) use self::program::Program;
pub use self::space::ModelSpace;
use self::space::Work;
use crate::eval::{Faulty, View};
use crate::forget::Memory;
use crate::layout::Layout;
use crate::limits::Limits;
use crate::model::{Model, Unfold};

/// The reference interpreter: the meaning of a [`Model`], as a transition system that is explored on
/// demand.
///
/// ```
/// use fairly_model::{Interpreter, text};
/// use fairly_system::TransitionSystem;
/// let model = text::parse("model atomicity priority, exit any
///     event e0 idle : idle
///     event e1 tick : visible
///     variable g0 x : wrap 0..3 = 3
///     template t0 Clock parameters 0 {
///       location q0 on { -> q0 on e1 do { g0 := g0 + 1 } as tick }
///     }
///     slot p0 Clock : t0 start t0()").unwrap();
/// let mut system = Interpreter::new(model);
/// let initial = system.initial()[0];
/// assert_eq!(system.describe(initial), "x=3 Clock@on");
/// let mut steps = Vec::new();
/// system.enabled(initial, &mut steps);
/// assert_eq!(system.describe(steps[0].target), "x=0 Clock@on");
/// ```
///
/// # What is enabled
///
/// First, what single processes offer. The parts of an edge are evaluated in this order, and not
/// beyond the first that says no:
///
/// 1. for an edge that leaves its slot, the rule of [`crate::Exit`];
/// 2. the guard, unless it reads the message that is received;
/// 3. the channel, and whether messages there have as many cells as the edge's;
/// 4. whether a buffered channel has room for a message, or a message;
/// 5. the cells of the message that is sent, or all values of the pattern;
/// 6. for each message that may be received, whether it matches, then the guard that reads it; in a
///    rendezvous only when there is someone who sends it;
/// 7. the values of the label.
///
/// Second, what comes of the offers: an event alone, a rendezvous of two slots, or a gathering. A
/// rendezvous has the event of the sender, and is not gathered even if that event otherwise is. An
/// edge is *possible* if it is part of an action by these rules. Actions fall away in which some
/// process would take an edge although one of smaller rank is possible for it. Whether the partners
/// of that smaller edge would really take part, having ranks of their own, is not asked: where ranks
/// bar each other in a ring there would be no answer. If nothing is left, all of this is done again
/// with [`Expr::Timeout`](crate::Expr::Timeout) true.
///
/// Third, atomic locations: with [`Atomicity::Priority`](crate::Atomicity::Priority) ranks at such
/// locations take nothing away, and only actions with an edge of rank 0 out of one are left, if
/// there are any. With [`Atomicity::Exclusive`](crate::Atomicity::Exclusive) only those of the
/// holder, if there is one; a rendezvous counts as a step of the one that sends.
///
/// # What a step does
///
/// One participant after the other communicates, runs its effect and goes to its next location: in
/// the order of their slots, in a rendezvous the sender first. An index of a place that is assigned
/// is evaluated when its turn comes. The last mover is the one who acts last.
///
/// # Faults
///
/// Whatever goes wrong in an action leads to a state of its own, which has no steps: see
/// [`TransitionSystem::fault`]. If it goes wrong before the action has an event, in a guard, a
/// label or a message, the process takes the internal event `fault` alone. More than 2²⁰ ways to
/// take events together in one state, and a location that cannot be unfolded, are faults of
/// the kind [`FaultKind::Limit`](fairly_system::FaultKind::Limit).
///
/// # Moves
///
/// There is one move for each slot, template, location, edge and event. An edge whose event does not
/// depend on the state has one move whatever it takes part in: also when it receives in a rendezvous,
/// where the event of the action is that of the sender, or ends in a fault. So a move that is taken
/// is always one that was offered. An edge that receives in a rendezvous and whose event is that of
/// the message has one move for each channel, with the internal event `c?`, because it is ready
/// before there is a message.
pub struct Interpreter {
    space: ModelSpace,
    states: Numbers,
    /// States that something went wrong in the step to.
    faults: HashMap<StateId, Broken>,
    fault_ids: HashMap<Broken, StateId>,
    /// By state, as far as it has been asked: whether it has no steps.
    stuck: Vec<Option<bool>>,
    /// Whether steps have been left out of some state.
    left_out: bool,
    work: Work,
    /// The words of the state whose steps are looked for.
    base: Vec<u64>,
    steps: Steps,
    native: Option<Accelerator>,
    /// Native code that is not to be used for a while.
    paused: Option<Accelerator>,
    batch: Batch,
    /// The state that was read last, unpacked.
    reading: RefCell<Reading>,
    memory: Memory,
    /// The steps that are not taken now: as they are, or merged.
    apart: Option<Apart>,
    /// By template: whether steps of it have ever been merged.
    ever_passed: Vec<bool>,
    /// When to prepare nothing any more.
    stop: Stop,
}

/// The state that was read last.
struct Reading {
    state: Option<StateId>,
    words: Vec<u64>,
    /// Whether the cells are those of the words.
    unpacked: bool,
    cells: Vec<i64>,
}

/// How the steps of a model are taken. States of the same words have the same steps in the same mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mode {
    merged: u32,
    forgets: u32,
}

/// What went wrong, and in which state; in none if it is in the initial one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Broken {
    fault: Fault,
    before: Option<StateId>,
}

impl Interpreter {
    /// Gives a model its meaning.
    ///
    /// # Panics
    /// If it is not one that [`verify()`](crate::verify()) accepts, or does not
    /// [fit](Layout::fits).
    pub fn new(model: Model) -> Interpreter {
        Interpreter::with(model, None)
    }

    /// Gives a model its meaning some of whose locations are only made when they are met.
    ///
    /// # Panics
    /// If it is not one that [`verify_open`](crate::verify_open) accepts, or does not
    /// [fit](Layout::fits).
    pub fn open(model: Model, unfold: Box<dyn Unfold>) -> Interpreter {
        Interpreter::with(model, Some(unfold))
    }

    fn with(model: Model, unfold: Option<Box<dyn Unfold>>) -> Interpreter {
        let space = ModelSpace::new(model, unfold);
        let (words, cells) = (space.layout().words, space.layout().cells);
        Interpreter {
            states: Numbers::new(words),
            reading: RefCell::new(Reading {
                state: None,
                words: vec![0; words],
                unpacked: false,
                cells: vec![0; cells],
            }),
            apart: None,
            ever_passed: vec![false; space.model().templates.len()],
            faults: HashMap::new(),
            fault_ids: HashMap::new(),
            stuck: Vec::new(),
            left_out: false,
            work: space.work(),
            base: vec![0; words],
            steps: Steps::default(),
            native: None,
            paused: None,
            batch: Batch::default(),
            memory: Memory::default(),
            stop: Stop::default(),
            space,
        }
    }

    /// The behaviour of the model, without numbers for its states.
    pub fn space(&self) -> &ModelSpace {
        &self.space
    }

    pub(crate) fn program(&self) -> &Program {
        &self.space.program
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// The model, without what of it has been unfolded.
    pub fn model(&self) -> &Model {
        self.space.model()
    }

    /// Where everything of a state is.
    pub fn layout(&self) -> &Layout {
        self.space.layout()
    }

    /// The words of a state, as [`Interpreter::layout`] has them; those of the state before for a
    /// state in which something went wrong.
    pub fn packed(&self, state: StateId) -> Vec<u64> {
        let mut words = vec![0; self.space.program.layout.words];
        self.states.get(index(self.shown(state).unwrap_or(state)), &mut words);
        words
    }

    /// Sets the most bytes that the states may take, before there are many. A step to a state that
    /// there is no room for leads to a fault of the kind
    /// [`FaultKind::Limit`](fairly_system::FaultKind::Limit).
    pub fn limit_memory(&mut self, bytes: usize) {
        self.states.limit(bytes);
    }

    /// Of how many states the successors may wait for numbers together: of fewer if they are wide.
    pub(crate) fn at_once(&self) -> usize {
        const WORDS: usize = 1 << 16;
        (WORDS / self.space.program.layout.words).max(1)
    }

    /// How much work one step may take.
    pub fn limits(&self) -> Limits {
        self.space.program.limits
    }

    /// Sets how much work one step may take, before anything is explored and before native code is made.
    pub fn set_limits(&mut self, limits: Limits) {
        self.space.program.limits = limits;
    }

    /// Which steps are taken now: what is merged and what is forgotten.
    pub(crate) fn mode(&self) -> Mode {
        Mode {
            merged: self.apart.as_ref().map_or(0, Apart::version),
            forgets: self.memory.forget.as_ref().map_or(0, |forget| forget.version),
        }
    }

    /// Says when to prepare nothing any more: then no more native code is made, and reductions that look at
    /// the model first are given up. Steps are made as ever.
    pub fn heed(&mut self, stop: Stop) {
        self.stop = stop;
        if let Some(native) = &self.native {
            native.code.heed(stop);
        }
    }

    /// When to prepare nothing any more.
    pub fn stop(&self) -> Stop {
        self.stop
    }

    /// How many bytes the states take.
    pub fn state_bytes(&self) -> usize {
        self.states.bytes()
    }

    /// How many states have been met.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// Says that events with this first part may come, for a model whose labels are not all there
    /// yet.
    pub fn add_family(&mut self, family: &str) {
        let families = &self.signature().families;
        if !families.iter().any(|other| other == family) {
            families.push(family.to_owned());
        }
    }

    /// The state to show for a state: itself, or the one before something went wrong.
    fn shown(&self, state: StateId) -> Option<StateId> {
        match self.faults.get(&state) {
            Some(broken) => broken.before,
            None => Some(state),
        }
    }

    fn broken(&mut self, fault: Fault, before: Option<StateId>) -> StateId {
        let broken = Broken { fault, before };
        if let Some(&known) = self.fault_ids.get(&broken) {
            return known;
        }
        let id = StateId(self.states.push_apart().0);
        self.faults.insert(id, broken.clone());
        self.fault_ids.insert(broken, id);
        id
    }

    /// The words of the initial state.
    pub(crate) fn first_row(&self) -> Faulty<Vec<u64>> {
        self.space.first_row()
    }
}

impl Interpreter {
    /// Whether to stop inside a step.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.work.effort.is_interrupted()
    }
}

impl TransitionSystem for Interpreter {
    fn by_reference(&mut self, on: bool) {
        self.pause_native(on);
    }

    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        self.differ_faintly(one, other)
    }

    fn interrupt(&mut self, stop: Option<Interrupt>) {
        self.work.effort.interrupt = stop;
    }

    fn bytes(&self) -> usize {
        self.state_bytes()
    }

    fn signature(&self) -> &Signature {
        &self.space.program.names.signature
    }

    fn initial(&mut self) -> Vec<StateId> {
        match self.first_row() {
            Ok(words) => vec![self.intern(&words)],
            Err(fault) => vec![self.broken(*fault, None)],
        }
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.defer_all(&[state], out, |_| {});
        self.give_numbers(out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        for some in states.chunks(self.at_once()) {
            self.defer_all(some, out, |end| ends.push(end));
            self.give_numbers(out);
        }
    }

    fn action(&self, action: ActionId) -> &Action {
        self.signature().action(action)
    }

    /// The moves whose guard holds, and no edge of smaller rank is enabled: whoever joins in, and
    /// whatever is atomic. A guard that reads the message of a rendezvous is taken to hold.
    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        if self.fault(state).is_some() {
            return;
        }
        let words = self.packed(state);
        self.space.offers(&words, &mut self.work, out);
    }

    /// - `deadlock`: nothing is enabled and some process is where it may not stay for ever;
    /// - `terminated`: nothing is enabled and all processes, if any, are where they may stay. So a
    ///   front end lets the event of termination lead to such a location;
    /// - the name of a proposition of the model;
    /// - `P@q`: the process in the slot called `P` is at a location that is called `q` or has the
    ///   label `q`.
    ///
    /// In a state that something went wrong in the step to, `deadlock` and `terminated` do not hold,
    /// and the others do if they did in the state before.
    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.space.find_atom(text)
    }

    /// A proposition in which something goes wrong does not hold:
    /// see [`Interpreter::proposition_fault`].
    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.test_atom(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.show(state)
    }

    fn state_values(&self, state: StateId) -> StateValues {
        Interpreter::state_values(self, state)
    }

    fn blocked(&mut self, state: StateId) -> Vec<Blocked> {
        let mut offered = Vec::new();
        self.offered(state, &mut offered);
        self.reading(state, |cells| self.space.find_blocked(cells, &offered)).unwrap_or_default()
    }

    fn growth(&self) -> Option<Growth> {
        self.find_growth()
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        Interpreter::valuation(self, state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        // Most models have none, and this is asked of every state.
        if self.faults.is_empty() {
            return None;
        }
        self.faults.get(&state).map(|broken| &broken.fault)
    }
}

/// A state as the store knows it.
#[inline]
pub(crate) fn index(state: StateId) -> StateIndex {
    StateIndex(state.0)
}

/// Whether the process in a slot has an enabled edge; atomic locations make no difference.
pub(crate) fn executable(view: &View<'_>, slot: usize) -> bool {
    let (mut offers, mut joints) = (Offers::default(), Joints::default());
    let View { program, cells, timeout, .. } = *view;
    offers.collect(program, cells, timeout, true);
    offers.look_up(program);
    joints.find(program, cells, &mut offers, timeout, true);
    let slot_of = |at: &u32| offers.all[*at as usize].slot as usize;
    joints.all.iter().any(|&joint| joints.members(joint).iter().any(|at| slot_of(at) == slot))
}

/// Whether nothing is enabled in an unpacked state, with this value of a timeout.
fn nothing(program: &Program, cells: &[i64], timeout: bool) -> bool {
    let (mut offers, mut joints) = (Offers::default(), Joints::default());
    offers.collect(program, cells, timeout, false);
    offers.look_up(program);
    joints.find(program, cells, &mut offers, timeout, false);
    joints.all.is_empty()
}
