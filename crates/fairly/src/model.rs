//! The trait that a program implements to have a protocol checked.

use std::fmt::Debug;
use std::hash::Hash;

pub use fairly_system::Annotation;

use crate::shown;

/// A system with states and actions.
///
/// Four items describe it: the states and actions, where runs begin, what may be done in a state, and what comes of
/// it. Everything else has a default. A state is whatever tells what can happen from now on; two states that are equal
/// are one state. The same state must always give the same actions in the same order: a model that looks at a clock,
/// a random number or the order of a `HashMap` has no runs that can be replayed.
///
/// A state in which nothing can be done is a deadlock, and a run that comes there stays there for ever.
///
/// ```
/// use fairly::{Model, check, strong, weak};
///
/// /// Two users of a lock.
/// #[derive(Clone)]
/// struct Lock;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// struct State {
///     holder: Option<usize>,
///     waits: [bool; 2],
/// }
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Action {
///     Ask(usize),
///     Enter(usize),
///     Leave(usize),
/// }
/// use Action::{Ask, Enter, Leave};
///
/// impl Model for Lock {
///     type State = State;
///     type Action = Action;
///
///     fn init(&self) -> Vec<State> {
///         vec![State { holder: None, waits: [false; 2] }]
///     }
///
///     fn actions(&self, state: &State, actions: &mut Vec<Action>) {
///         for user in 0..2 {
///             match state.holder {
///                 Some(holder) if holder == user => actions.push(Leave(user)),
///                 _ if !state.waits[user] => actions.push(Ask(user)),
///                 None => actions.push(Enter(user)),
///                 Some(_) => {}
///             }
///         }
///     }
///
///     fn next(&self, state: &State, action: Action) -> Option<State> {
///         let mut next = state.clone();
///         match action {
///             Ask(user) => next.waits[user] = true,
///             Enter(user) => (next.holder, next.waits[user]) = (Some(user), false),
///             Leave(_) => next.holder = None,
///         }
///         Some(next)
///     }
///
///     fn processes(&self) -> Vec<String> {
///         vec!["User0".to_owned(), "User1".to_owned()]
///     }
///
///     fn process(&self, action: &Action) -> usize {
///         match *action {
///             Ask(user) | Enter(user) | Leave(user) => user,
///         }
///     }
/// }
///
/// let served = || check(&Lock).leads_to("served", |s| s.waits[0], |s| s.holder == Some(0));
/// assert!(served().assume(weak().processes()).verdict().is_violated());
/// served().assume(strong().processes()).assert_holds();
/// ```
pub trait Model: Clone + Send + Sync + 'static {
    /// Everything that tells what can happen from now on. Reports show it by its `Debug` text.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// One thing that can be done in a state.
    type Action: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The states that runs begin in.
    fn init(&self) -> Vec<Self::State>;

    /// Appends what may be done in a state.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// The state after an action; `None` if the action cannot be taken here after all.
    fn next(&self, state: &Self::State, action: Self::Action) -> Option<Self::State>;

    /// The names of the processes; there must be at least one.
    fn processes(&self) -> Vec<String> {
        vec!["system".to_owned()]
    }

    /// The process that takes an action, by its position among [`processes`](Model::processes).
    fn process(&self, _action: &Self::Action) -> usize {
        0
    }

    /// Events that are known before any state is explored. Every other event is known once it is met, so this is only
    /// needed for events that formulas name and that may never happen.
    fn events(&self) -> Vec<String> {
        Vec::new()
    }

    /// The name of the event that an observer sees in an action. Formulas and fairness speak of events by name and
    /// by pattern. The default is made of the `Debug` text: `Send { to: 1, what: Ping }` is `Send.1.Ping`, which the
    /// pattern `Send.*` names.
    fn event(&self, action: &Self::Action) -> String {
        shown::event_name(action)
    }

    /// The parts that processes have in an action. The default is one part, of the action's
    /// [`process`](Model::process). An action that several processes take together has one part for each.
    fn parts(&self, action: &Self::Action) -> Vec<Part> {
        vec![Part::new(self.process(action), self.event(action))]
    }

    /// Appends the parts that single processes offer in a state, whether or not the others join in. *Live* fairness
    /// is about these. The default is the parts of what can be done.
    fn offered(&self, state: &Self::State, offers: &mut Vec<Part>) {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        for action in actions {
            if self.next(state, action.clone()).is_some() {
                offers.extend(self.parts(&action));
            }
        }
    }

    /// The parts of a state by name, as reports show them. The default is made of the `Debug` text: the fields of a
    /// struct, and of what is in it as far as it is long.
    fn show(&self, state: &Self::State) -> Vec<(String, String)> {
        shown::fields(state)
    }
}

/// The part that one process has in an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The process, by its position among [`Model::processes`].
    pub process: usize,
    /// The event that this part is of.
    pub event: String,
    /// The name of the part, which tells parts of one process apart that have the same event.
    pub name: String,
    /// The fairness that the model itself asks of this part, for [`annotated`](crate::annotated).
    pub annotation: Option<Annotation>,
}

impl Part {
    /// The part of a process in an event, which is called like the event.
    ///
    /// ```
    /// let part = fairly::Part::new(1, "leave");
    /// assert_eq!((part.process, part.name.as_str()), (1, "leave"));
    /// ```
    pub fn new(process: usize, event: impl Into<String>) -> Part {
        let event = event.into();
        Part { process, name: event.clone(), event, annotation: None }
    }
}
