//! A check of a model, put together step by step.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fairly_check::workers::Workers;
use fairly_check::{Options, Reduction};
use fairly_search::Bounds;

use crate::answers;
use crate::fairness::Fairness;
use crate::formula::{
    Formula, IntoFormula, StateTest, always, eventually, eventually_always, infinitely_often,
    leads_to, never, state,
};
use crate::model::Model;
use crate::sweep::Keep;
use crate::verdict::{Mistake, Size, Verdict, Verdicts};

/// Begins a check of a model: what is assumed, what is promised, how much may be explored.
///
/// ```
/// # use fairly::{Model, check};
/// # #[derive(Clone)]
/// # struct Counter;
/// # impl Model for Counter {
/// #     type State = u8;
/// #     type Action = &'static str;
/// #     fn init(&self) -> Vec<u8> { vec![0] }
/// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
/// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
/// # }
/// check(&Counter).always("small", |n| *n < 5).eventually("four", |n| *n == 4).assert_holds();
/// ```
pub fn check<M: Model>(model: &M) -> Check<M> {
    Check {
        model: model.clone(),
        assumed: Vec::new(),
        conditions: Vec::new(),
        properties: Vec::new(),
        atoms: Vec::new(),
        limits: Limits::default(),
        allows_unknown: false,
        folder: Folder::Usual,
        least: true,
        keep: Keep::default(),
    }
}

/// A check that has not been run: made by [`check`].
#[must_use = "nothing is checked until it is run: `.assert_holds()`"]
pub struct Check<M: Model> {
    pub(crate) model: M,
    pub(crate) assumed: Vec<Fairness>,
    pub(crate) conditions: Vec<Condition<M::State>>,
    pub(crate) properties: Vec<Promise<M>>,
    pub(crate) atoms: Vec<(String, StateTest<M::State>)>,
    pub(crate) limits: Limits,
    pub(crate) allows_unknown: bool,
    pub(crate) folder: Folder,
    pub(crate) least: bool,
    /// What is kept of states where only single states matter.
    pub(crate) keep: Keep,
}

/// A promise and its name.
pub(crate) type Promise<M> = (String, Formula<<M as Model>::State, <M as Model>::Action>);

/// A condition on runs that is about states.
pub(crate) enum Condition<S> {
    /// Again and again this is so.
    Justice(String, StateTest<S>),
    /// If the first is so again and again, the second is.
    Compassion((String, StateTest<S>), (String, StateTest<S>)),
}

impl<S> Clone for Condition<S> {
    fn clone(&self) -> Self {
        match self {
            Condition::Justice(name, test) => Condition::Justice(name.clone(), Arc::clone(test)),
            Condition::Compassion(when, then) => Condition::Compassion(when.clone(), then.clone()),
        }
    }
}

/// Where traces are saved.
pub(crate) enum Folder {
    /// In `fairly` in the folder that Cargo builds in.
    Usual,
    Chosen(PathBuf),
    Nowhere,
}

/// How much may be explored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    states: Option<usize>,
    timeout: Option<Duration>,
    pub(crate) memory: Option<usize>,
    pub(crate) workers: Option<NonZeroUsize>,
}

impl Limits {
    pub(crate) fn options(self, started: Instant) -> Options {
        let bounds = Bounds {
            nodes: self.states,
            deadline: self.timeout.and_then(|timeout| started.checked_add(timeout)),
            bytes: self.memory,
            watch: None,
        };
        let count = self.workers.unwrap_or(NonZeroUsize::MIN);
        let workers = Workers { count, ..Workers::default() };
        Options { bounds, workers, reduction: Reduction::Sound, ..Options::default() }
    }
}

impl<M: Model> Check<M> {
    /// Assumes fairness. Several assumptions are assumed together.
    ///
    /// ```
    /// # use fairly::{Model, check, strong, weak};
    /// # #[derive(Clone)]
    /// # struct Coin;
    /// # impl Model for Coin {
    /// #     type State = bool;
    /// #     type Action = bool;
    /// #     fn init(&self) -> Vec<bool> { vec![false] }
    /// #     fn actions(&self, _: &bool, actions: &mut Vec<bool>) { actions.extend([false, true]); }
    /// #     fn next(&self, _: &bool, side: bool) -> Option<bool> { Some(side) }
    /// # }
    /// check(&Coin).assume(weak().event("true")).eventually("heads", |side| *side).assert_holds();
    /// ```
    pub fn assume(mut self, fairness: impl Into<Fairness>) -> Self {
        self.assumed.push(fairness.into());
        self
    }

    /// Assumes that a test of states is true again and again.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Coin;
    /// # impl Model for Coin {
    /// #     type State = bool;
    /// #     type Action = bool;
    /// #     fn init(&self) -> Vec<bool> { vec![false] }
    /// #     fn actions(&self, _: &bool, actions: &mut Vec<bool>) { actions.extend([false, true]); }
    /// #     fn next(&self, _: &bool, side: bool) -> Option<bool> { Some(side) }
    /// # }
    /// check(&Coin).justice("heads", |side| *side).eventually("heads", |side| *side).assert_holds();
    /// ```
    pub fn justice(
        mut self,
        name: &str,
        test: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.conditions.push(Condition::Justice(name.to_owned(), Arc::new(test)));
        self
    }

    /// Assumes that if the first test of states is true again and again, so is the second.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Coin;
    /// # impl Model for Coin {
    /// #     type State = bool;
    /// #     type Action = bool;
    /// #     fn init(&self) -> Vec<bool> { vec![false] }
    /// #     fn actions(&self, _: &bool, actions: &mut Vec<bool>) { actions.extend([false, true]); }
    /// #     fn next(&self, _: &bool, side: bool) -> Option<bool> { Some(side) }
    /// # }
    /// check(&Coin)
    ///     .compassion(("tails", |side| !*side), ("heads", |side| *side))
    ///     .eventually("heads", |side| *side)
    ///     .assert_holds();
    /// ```
    pub fn compassion(
        mut self,
        when: (&str, impl Fn(&M::State) -> bool + Send + Sync + 'static),
        then: (&str, impl Fn(&M::State) -> bool + Send + Sync + 'static),
    ) -> Self {
        let when: (String, StateTest<M::State>) = (when.0.to_owned(), Arc::new(when.1));
        let then: (String, StateTest<M::State>) = (then.0.to_owned(), Arc::new(then.1));
        self.conditions.push(Condition::Compassion(when, then));
        self
    }

    /// Adds a promise: every fair run satisfies a formula.
    ///
    /// ```
    /// # use fairly::{Model, check, leads_to};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
    /// # }
    /// let returns = leads_to(|n: &u8| *n == 3, |n: &u8| *n == 0);
    /// check(&Counter).property("returns", returns).property("ticks", "G F tick").assert_holds();
    /// ```
    pub fn property<K>(
        mut self,
        name: impl Into<String>,
        formula: impl IntoFormula<M::State, M::Action, K>,
    ) -> Self {
        let name = name.into();
        let formula = formula.into_formula(&name);
        self.properties.push((name, formula));
        self
    }

    /// Explains a name in the texts of all formulas: a test of states.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
    /// # }
    /// check(&Counter).atom("zero", |n| *n == 0).property("returns", "G F zero").assert_holds();
    /// ```
    pub fn atom(
        mut self,
        name: &str,
        test: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.atoms.push((name.to_owned(), Arc::new(test)));
        self
    }

    /// Adds the promise that a test is true in every state of every run: see [`always`].
    pub fn always(
        self,
        name: &str,
        good: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, always(state(name, good)))
    }

    /// Adds the promise that a test is true in no state: see [`never()`](crate::never()).
    pub fn never(
        self,
        name: &str,
        bad: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, never(state(name, bad)))
    }

    /// Adds the promise that a test is true at some time on every fair run: see [`eventually`].
    pub fn eventually(
        self,
        name: &str,
        goal: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, eventually(state(name, goal)))
    }

    /// Adds the promise that whenever the first test is true, the second is true then or later: see [`leads_to`].
    pub fn leads_to(
        self,
        name: &str,
        cause: impl Fn(&M::State) -> bool + Send + Sync + 'static,
        effect: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, leads_to(cause, effect))
    }

    /// Adds the promise that a test is true again and again, for ever: see [`infinitely_often`].
    pub fn infinitely_often(
        self,
        name: &str,
        recurring: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, infinitely_often(state(name, recurring)))
    }

    /// Adds the promise that from some time on a test is true in every state: see [`eventually_always`].
    pub fn eventually_always(
        self,
        name: &str,
        stable: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.property(name, eventually_always(state(name, stable)))
    }

    /// Adds the promise that no run comes to a state in which nothing can be done.
    pub fn never_stuck(self) -> Self {
        self.property("never stuck", "G !deadlock")
    }

    /// Explores at most so many states, or pairs of states of the model and of a property. More than that is
    /// *unknown*.
    pub fn max_states(mut self, states: usize) -> Self {
        self.limits.states = Some(states);
        self
    }

    /// Takes at most so long for all properties together. What is not answered by then is *unknown*.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// Takes at most so many more bytes of memory, about. Where the operating system is not Linux, only the states
    /// themselves count, without what they hold elsewhere.
    pub fn max_memory(mut self, bytes: usize) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Searches large systems with so many threads; a single one is the default.
    pub fn workers(mut self, workers: usize) -> Self {
        self.limits.workers = NonZeroUsize::new(workers);
        self
    }

    /// Keeps of each state what it feeds to a hasher, instead of the state, where all promises are tests that are true in
    /// every state (or false in every one) and no fairness is assumed. It takes a few bytes a state.
    ///
    /// Two states that feed the same are then one state. That is right where `Hash` is derived, for the state and for all
    /// that is in it; it is wrong where an implementation leaves out something that `Eq` compares, and "holds" rests on
    /// it. One in 256 states is kept as it is and compared, so that a wrong one is noticed in most models.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
    /// # }
    /// check(&Counter).packed().always("small", |n| *n < 5).assert_holds();
    /// ```
    pub fn packed(mut self) -> Self {
        self.keep = Keep::Packed;
        self
    }

    /// Keeps a hash of each state, instead of the state, where all promises are tests that are true in every state (or
    /// false in every one) and no fairness is assumed. A state whose hash another one has is passed over, so what is not
    /// violated is *unknown*: this looks for violations in little memory.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
    /// # }
    /// let verdict = check(&Counter).lossy().always("small", |n| *n < 5).verdict();
    /// assert!(!verdict.holds() && !verdict.is_violated());
    /// ```
    pub fn lossy(mut self) -> Self {
        self.keep = Keep::Hash;
        self
    }

    /// Accepts *unknown* where [`assert_holds`](Check::assert_holds) asks for an answer: a limit that is reached is
    /// then no failure of the test.
    pub fn allow_unknown(mut self) -> Self {
        self.allows_unknown = true;
        self
    }

    /// Saves the runs of violations in a folder, instead of `fairly` in the folder that Cargo builds in.
    pub fn save_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Folder::Chosen(folder.into());
        self
    }

    /// Saves no runs.
    pub fn save_nothing(mut self) -> Self {
        self.folder = Folder::Nowhere;
        self
    }

    /// Does not look for the least fairness that a violated property needs.
    pub fn without_least(mut self) -> Self {
        self.least = false;
        self
    }

    /// Answers all properties.
    ///
    /// # Panics
    /// If the check itself is wrong: see [`try_run`](Check::try_run).
    #[track_caller]
    pub fn run(self) -> Verdicts<M> {
        // No closure: the mistake is the caller's, and is shown at its line.
        match self.try_run() {
            Ok(verdicts) => verdicts,
            Err(mistake) => panic!("{mistake}"),
        }
    }

    /// Answers all properties.
    ///
    /// # Errors
    /// If a formula is wrong, an assumption means nothing, or a test of states panics.
    pub fn try_run(self) -> Result<Verdicts<M>, Mistake> {
        answers::run(self)
    }

    /// Answers the only property.
    ///
    /// # Panics
    /// If there is none, or more than one, or the check itself is wrong.
    #[track_caller]
    pub fn verdict(self) -> Verdict<M> {
        let count = self.properties.len();
        assert!(count == 1, "`verdict` is for one property, and there are {count}: use `run`");
        self.run().into_first()
    }

    /// Answers all properties, and panics unless all of them hold.
    ///
    /// # Panics
    /// With a report, if a property is violated, or unknown and that is not [allowed](Check::allow_unknown), or if
    /// there is no property.
    #[track_caller]
    pub fn assert_holds(self) {
        let allows_unknown = self.allows_unknown;
        let verdicts = self.run();
        if let Some(report) = verdicts.failure(allows_unknown) {
            panic!("{report}");
        }
    }

    /// Explores all states, whatever is promised of them.
    ///
    /// # Errors
    /// Which limit was reached, or how the model panicked.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 5) }
    /// # }
    /// assert_eq!(check(&Counter).size()?.states, 5);
    /// # Ok::<(), fairly::Mistake>(())
    /// ```
    pub fn size(self) -> Result<Size, Mistake> {
        answers::size(self)
    }

    /// The verdict on each property under every notion of fairness, as a table to read.
    ///
    /// # Errors
    /// As [`try_run`](Check::try_run).
    pub fn ladder(self) -> Result<String, Mistake> {
        answers::ladder(self)
    }
}
