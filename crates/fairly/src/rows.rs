//! A model as a [`Space`]: its states are rows of one word, its actions are numbered as they are met.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fairly_system::{
    ActionId, AtomIndex, EventId, EventKind, Fault, Holder, Move, MoveId, ProcessId, Scratch, Seen,
    SequenceLimits, Sequences, Signature, Space, StateValues, Steps, Value,
};
use hashbrown::HashMap;

use crate::formula::{ActionTest, StateTest};
use crate::memory;
use crate::model::{Model, Part};
use crate::states::States;

/// The event of a step that the model itself does not come back from when it is asked for actions.
const ASKING: &str = "asking for actions";

/// States that are expanded between two looks at the memory of the process.
const SELDOM: usize = 1 << 12;

/// A model with its states and the names of its actions.
pub(crate) struct Rows<M: Model> {
    model: M,
    signature: Signature,
    states: States<M::State>,
    atoms: Vec<(String, StateTest<M::State>)>,
    tests: Vec<(String, ActionTest<M::Action>)>,
    names: Mutex<Names>,
    /// Whether a test of states did not come back.
    has_wrong_test: AtomicBool,
    /// Bytes that the process may have, if there is a limit.
    memory: Option<usize>,
}

/// The events and parts that have been met.
#[derive(Default)]
struct Names {
    events: HashMap<String, EventId>,
    parts: HashMap<Part, MoveId>,
    /// By event, in the order of their numbers: which tests its actions pass, and one of its actions as it is shown.
    passed: Vec<Option<(Vec<bool>, String)>>,
    failures: Failures,
}

/// Faults of a model beside its steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    /// Whether a step did not come back.
    pub(crate) has_faults: bool,
    /// A test that did not come back, or that tells actions of one event apart.
    pub(crate) test: Option<String>,
}

/// Memory of one worker.
struct Work<A> {
    seen: Seen,
    known: HashMap<A, ActionId>,
    actions: Vec<A>,
    parts: Vec<Part>,
    expanded: usize,
    /// Whether there is no more memory.
    is_full: bool,
}

impl<M: Model> Rows<M> {
    pub(crate) fn new(
        model: M,
        atoms: Vec<(String, StateTest<M::State>)>,
        tests: Vec<(String, ActionTest<M::Action>)>,
        memory: Option<usize>,
    ) -> Rows<M> {
        let mut signature = Signature::new(model.processes());
        signature.complete = false;
        let mut names = Names::default();
        for event in model.events() {
            names.event(&event, &signature);
        }
        let names = Mutex::new(names);
        let memory = memory.map(|more| memory::resident().unwrap_or(0).saturating_add(more));
        let has_wrong_test = AtomicBool::new(false);
        let states = States::new();
        Rows { model, signature, states, atoms, tests, names, has_wrong_test, memory }
    }

    pub(crate) fn model(&self) -> &M {
        &self.model
    }

    pub(crate) fn states(&self) -> &States<M::State> {
        &self.states
    }

    /// The state of a row.
    pub(crate) fn state(&self, row: &[u64]) -> &M::State {
        self.states.get(row[0])
    }

    pub(crate) fn failures(&self) -> Failures {
        self.names().failures.clone()
    }

    /// The events, among those that have been met, whose actions pass a test.
    pub(crate) fn passing(&self, test: &str) -> Vec<EventId> {
        let Some(at) = self.tests.iter().position(|(name, _)| name == test) else {
            return Vec::new();
        };
        let names = self.names();
        let passed = names.passed.iter().enumerate();
        let all = passed.filter(|(_, it)| it.as_ref().is_some_and(|(passed, _)| passed[at]));
        all.map(|(event, _)| EventId::from_index(event)).collect()
    }

    /// How often an event has passed a test.
    #[cfg(feature = "explorer")]
    pub(crate) fn passed_tests(&self) -> usize {
        let names = self.names();
        let passed = names.passed.iter().flatten().flat_map(|(passed, _)| passed);
        passed.filter(|&&is_passed| is_passed).count()
    }

    fn names(&self) -> std::sync::MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an action.
    fn action_id(&self, work: &mut Work<M::Action>, action: &M::Action) -> ActionId {
        if let Some(&known) = work.known.get(action) {
            return known;
        }
        let event = self.model.event(action);
        let mut parts = self.model.parts(action);
        parts.sort_by_key(|part| part.process);
        let mut names = self.names();
        let id = names.event(&event, &self.signature);
        let moves: Vec<MoveId> =
            parts.into_iter().map(|part| names.part(part, &self.signature)).collect();
        if !self.tests.is_empty() {
            self.test(&mut names, id, action);
        }
        drop(names);
        let number = self.signature.action_id(&mut work.seen, id, &moves);
        work.known.insert(action.clone(), number);
        number
    }

    /// Takes note which tests an action passes.
    fn test(&self, names: &mut Names, event: EventId, action: &M::Action) {
        let mut passed = Vec::with_capacity(self.tests.len());
        for (name, test) in &self.tests {
            let answer = catch_unwind(AssertUnwindSafe(|| test(action)));
            passed.push(answer.unwrap_or_else(|panic| {
                names.failures.note(format!("`{name}` panicked: {}", message(&*panic)));
                false
            }));
        }
        if names.passed.len() <= event.index() {
            names.passed.resize(event.index() + 1, None);
        }
        match &names.passed[event.index()] {
            Some((known, first)) if *known != passed => {
                let at = known.iter().zip(&passed).position(|(one, other)| one != other);
                let test = at.map_or("", |at| self.tests[at].0.as_str());
                let said = format!(
                    "`{test}` tells {action:?} from {first}, which have the same event `{}`: give them \
                     different events",
                    self.signature.event_name(event)
                );
                names.failures.note(said);
            }
            Some(_) => {}
            None => names.passed[event.index()] = Some((passed, format!("{action:?}"))),
        }
    }

    /// Appends the steps of a state.
    fn steps(&self, state: &M::State, work: &mut Work<M::Action>, out: &mut Steps) {
        let mut actions = std::mem::take(&mut work.actions);
        actions.clear();
        let mut taken = None;
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.model.actions(state, &mut actions);
            for action in actions.drain(..) {
                let id = self.action_id(work, &action);
                taken = Some(id);
                if let Some(next) = self.model.next(state, action) {
                    out.push(id, &[self.states.intern(next)]);
                }
            }
        }));
        if let Err(panic) = done {
            let id = taken.unwrap_or_else(|| {
                let event = self.names().event(ASKING, &self.signature);
                self.signature.action_id(&mut work.seen, event, &[])
            });
            let fault = Fault::error(format!("the model panicked: {}", message(&*panic)), None);
            self.names().failures.has_faults = true;
            out.push_fault(id, fault, 1);
        }
        actions.clear();
        work.actions = actions;
    }

    /// Whether the process has more memory than it may have, asked now and then.
    fn is_full(&self, work: &mut Work<M::Action>) -> bool {
        let Some(limit) = self.memory else { return false };
        work.expanded += 1;
        if work.expanded.is_multiple_of(SELDOM) {
            work.is_full = memory::resident().is_some_and(|bytes| bytes > limit)
                || self.states.bytes() > limit;
        }
        work.is_full
    }

    /// Whether nothing can be done in a state.
    fn is_stuck(&self, state: &M::State) -> bool {
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        actions.into_iter().all(|action| self.model.next(state, action).is_none())
    }

    /// The action of a state that has this number and leads to a state; with none, the first with this number.
    pub(crate) fn find_action(
        &self,
        from: &M::State,
        wanted: ActionId,
        to: Option<&M::State>,
    ) -> Option<M::Action> {
        let mut work = self.work();
        let mut actions = Vec::new();
        self.model.actions(from, &mut actions);
        let leads = |action: &M::Action| match to {
            Some(to) => self.model.next(from, action.clone()).as_ref() == Some(to),
            None => true,
        };
        actions
            .into_iter()
            .find(|action| self.action_id(&mut work, action) == wanted && leads(action))
    }

    /// Whether this is the name of a test of actions.
    pub(crate) fn is_test(&self, name: &str) -> bool {
        self.tests.iter().any(|(known, _)| known == name)
    }

    fn work(&self) -> Work<M::Action> {
        Work {
            seen: Seen::default(),
            known: HashMap::new(),
            actions: Vec::new(),
            parts: Vec::new(),
            expanded: 0,
            is_full: false,
        }
    }
}

impl Names {
    fn event(&mut self, name: &str, signature: &Signature) -> EventId {
        if let Some(&known) = self.events.get(name) {
            return known;
        }
        let event = signature.add_event(name, EventKind::Visible);
        self.events.insert(name.to_owned(), event);
        event
    }

    fn part(&mut self, part: Part, signature: &Signature) -> MoveId {
        if let Some(&known) = self.parts.get(&part) {
            return known;
        }
        assert!(
            part.process < signature.processes.len(),
            "an action of process {} of {}: see `Model::processes`",
            part.process,
            signature.processes.len()
        );
        let process = ProcessId::from_index(part.process);
        let event = self.event(&part.event, signature);
        let (annotation, name) = (part.annotation, part.name.clone());
        let made = Move { process, event, annotation, name, span: None };
        let id = MoveId::from_index(signature.moves.push(made));
        self.parts.insert(part, id);
        id
    }
}

impl Failures {
    fn note(&mut self, said: String) {
        self.test.get_or_insert(said);
    }
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

impl<M: Model> Space for Rows<M> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn width(&self) -> usize {
        1
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(self.work())
    }

    fn initial(&self, _: &mut Scratch, out: &mut Steps) {
        let first = catch_unwind(AssertUnwindSafe(|| self.model.init()));
        match first {
            Ok(states) => {
                for state in states {
                    out.push(ActionId::IDLE, &[self.states.intern(state)]);
                }
            }
            Err(panic) => {
                let said = format!("the model panicked at the start: {}", message(&*panic));
                self.names().failures.has_faults = true;
                out.push_fault(ActionId::IDLE, Fault::error(said, None), 1);
            }
        }
        out.end_row();
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let work = scratch.of::<Work<M::Action>>();
        for &row in rows {
            if self.is_full(work) {
                let fault = Fault::limit("the limit on memory is reached", None);
                out.push_fault(ActionId::IDLE, fault, 1);
            } else {
                self.steps(self.states.get(row), work, out);
                self.states.note_expanded(row);
            }
            out.end_row();
        }
        scratch.bytes = self.states.bytes();
    }

    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
        let work = scratch.of::<Work<M::Action>>();
        work.parts.clear();
        let state = self.state(row);
        let asked = catch_unwind(AssertUnwindSafe(|| self.model.offered(state, &mut work.parts)));
        if asked.is_err() {
            work.parts.clear();
        }
        let mut names = self.names();
        let before = out.len();
        for part in work.parts.drain(..) {
            let id = names.part(part, &self.signature);
            if !out[before..].contains(&id) {
                out.push(id);
            }
        }
    }

    fn atom(&self, text: &str) -> Option<AtomIndex> {
        let at = self.atoms.iter().position(|(name, _)| name == text);
        let at = at.or((text == "deadlock").then_some(self.atoms.len()))?;
        Some(AtomIndex(u32::try_from(at).ok()?))
    }

    fn holds(&self, row: &[u64], atom: AtomIndex, _: &mut Scratch) -> bool {
        // There is no answer any more, and each panic writes its message.
        if self.has_wrong_test.load(Ordering::Relaxed) {
            return false;
        }
        let state = self.state(row);
        let answer = catch_unwind(AssertUnwindSafe(|| match self.atoms.get(atom.0 as usize) {
            Some((_, test)) => test(state),
            None => self.is_stuck(state),
        }));
        answer.unwrap_or_else(|panic| {
            let name = self.atoms.get(atom.0 as usize).map_or("deadlock", |(name, _)| name);
            let said = format!("`{name}` panicked in {state:?}: {}", message(&*panic));
            self.names().failures.note(said);
            self.has_wrong_test.store(true, Ordering::Relaxed);
            false
        })
    }

    fn values(&self, row: &[u64]) -> StateValues {
        let value = |text: String| match text.as_str() {
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            number => number.parse().map_or_else(|_| Value::Name(text.clone()), Value::Number),
        };
        let variables = self.valuation(row).into_iter().map(|(name, text)| (name, value(text)));
        StateValues { variables: variables.collect(), ..StateValues::default() }
    }

    fn valuation(&self, row: &[u64]) -> Vec<(String, String)> {
        self.model.show(self.state(row))
    }

    fn describe(&self, row: &[u64]) -> String {
        format!("{:?}", self.state(row))
    }
}

impl<M: Model> Sequences for Rows<M> {
    fn holder(&self) -> Option<Holder> {
        None
    }

    fn sequence_limits(&self) -> SequenceLimits {
        SequenceLimits { states: 0, words: 0, ways: 0 }
    }
}
