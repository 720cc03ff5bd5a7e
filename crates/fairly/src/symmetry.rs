//! Models in which things of one kind may be exchanged: threads that run the same program, servers that are alike.
//!
//! One state then stands for all that come of it by exchanging them, and there are up to n! times fewer. Which one does
//! is the least of them. That keeps the answers to questions about states without fairness (Emerson and Sistla, 1996).
//! What a program declares is not believed: on a sample of states, and for exchanges that make all others, the steps and
//! the propositions have to be the same.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use fairly_logic::{Atom, Formulas};

use crate::check::Check;
use crate::formula::{Formula, Meaning, Proposition, StateTest};
use crate::model::{Model, Part};
use crate::verdict::{Mistake, Outcome, Verdict, Verdicts};

/// A model with things that may be exchanged.
///
/// ```
/// use fairly::{Model, Symmetric, check, permuted};
///
/// /// Threads that each count to two.
/// #[derive(Clone)]
/// struct Threads(usize);
///
/// impl Model for Threads {
///     type State = Vec<u8>;
///     type Action = usize;
///
///     fn init(&self) -> Vec<Vec<u8>> {
///         vec![vec![0; self.0]]
///     }
///
///     fn actions(&self, state: &Vec<u8>, actions: &mut Vec<usize>) {
///         actions.extend((0..self.0).filter(|&thread| state[thread] < 2));
///     }
///
///     fn next(&self, state: &Vec<u8>, thread: usize) -> Option<Vec<u8>> {
///         let mut next = state.clone();
///         next[thread] += 1;
///         Some(next)
///     }
/// }
///
/// impl Symmetric for Threads {
///     fn interchangeable(&self) -> usize {
///         self.0
///     }
///
///     fn permute(&self, state: &Vec<u8>, places: &[usize]) -> Vec<u8> {
///         permuted(state, places)
///     }
/// }
///
/// let counts = |threads| check(&Threads(threads)).eventually("over", |s| s.iter().all(|&n| n == 2));
/// // 15 sorted states stand for 81.
/// let verdicts = counts(4).up_to_symmetry()?;
/// assert!(verdicts.all_hold());
/// assert!(verdicts.of("over").states() <= 15);
/// # Ok::<(), fairly::Mistake>(())
/// ```
pub trait Symmetric: Model<State: Ord> {
    /// How many things may be exchanged, each for every other; at most [`MOST_INTERCHANGEABLE`].
    fn interchangeable(&self) -> usize;

    /// The state in which thing `i` is thing `places[i]`, wherever it is spoken of.
    fn permute(&self, state: &Self::State, places: &[usize]) -> Self::State;
}

/// The most things that are exchanged: every order of them is tried.
pub const MOST_INTERCHANGEABLE: usize = 7;

/// States in which what is declared is tested.
const SAMPLE: usize = 1_000;

/// A list in which the member at position `i` has moved to `places[i]`.
///
/// ```
/// assert_eq!(fairly::permuted(&['a', 'b', 'c'], &[2, 0, 1]), ['b', 'c', 'a']);
/// ```
///
/// # Panics
/// If `places` is no permutation of the positions.
#[must_use]
pub fn permuted<T: Clone>(list: &[T], places: &[usize]) -> Vec<T> {
    let from = |to: usize| places.iter().position(|&place| place == to).expect("a permutation");
    assert_eq!(list.len(), places.len(), "a permutation of the positions");
    (0..list.len()).map(|to| list[from(to)].clone()).collect()
}

/// All orders of so many things, the first of which changes nothing.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let more = |order: &Vec<usize>| {
            let left = (0..count).filter(|thing| !order.contains(thing));
            left.map(|thing| [order.as_slice(), &[thing]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(more).collect();
    }
    all
}

/// A model in which the least state stands for all that come of it by exchanges.
#[derive(Clone)]
struct Quotient<M> {
    model: M,
    orders: Vec<Vec<usize>>,
}

impl<M: Symmetric> Quotient<M> {
    fn least(&self, state: M::State) -> M::State {
        let others = self.orders.iter().skip(1).map(|places| self.model.permute(&state, places));
        match others.min() {
            Some(other) if other < state => other,
            _ => state,
        }
    }
}

impl<M: Symmetric> Model for Quotient<M> {
    type State = M::State;
    type Action = M::Action;

    fn init(&self) -> Vec<M::State> {
        let all: BTreeSet<M::State> =
            self.model.init().into_iter().map(|it| self.least(it)).collect();
        all.into_iter().collect()
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<M::Action>) {
        self.model.actions(state, actions);
    }

    fn next(&self, state: &M::State, action: M::Action) -> Option<M::State> {
        self.model.next(state, action).map(|next| self.least(next))
    }

    fn processes(&self) -> Vec<String> {
        self.model.processes()
    }

    fn event(&self, action: &M::Action) -> String {
        self.model.event(action)
    }

    fn parts(&self, action: &M::Action) -> Vec<Part> {
        self.model.parts(action)
    }

    fn show(&self, state: &M::State) -> Vec<(String, String)> {
        self.model.show(state)
    }
}

impl<M: Symmetric> Check<M> {
    /// Answers all properties with one state for all that are the same but for exchanges. Where a property is violated,
    /// the run is looked for in the model itself.
    ///
    /// # Errors
    /// As [`try_run`](Check::try_run); and if fairness is assumed, or a property speaks of actions, of which nothing is
    /// known after an exchange; or if what is declared is found to be wrong.
    pub fn up_to_symmetry(self) -> Result<Verdicts<M>, Mistake> {
        if !self.assumed.is_empty() || !self.conditions.is_empty() {
            return Err(Mistake::new(
                "exchanges keep the answers to questions without fairness only: use `run`",
            ));
        }
        let count = self.model.interchangeable();
        if count > MOST_INTERCHANGEABLE {
            return Err(Mistake::new(format!(
                "{count} things are exchanged, and {MOST_INTERCHANGEABLE} is the most"
            )));
        }
        let explained: Vec<&str> = self.atoms.iter().map(|(name, _)| name.as_str()).collect();
        let mut tests: Vec<StateTest<M::State>> =
            self.atoms.iter().map(|(_, test)| Arc::clone(test)).collect();
        for (_, formula) in &self.properties {
            if let Some(name) = speaks_of_actions(formula, &explained) {
                let said = format!("`{name}` speaks of actions, and exchanges are about states");
                return Err(Mistake::new(said));
            }
            let mut propositions = Vec::new();
            formula.propositions(&mut propositions);
            for proposition in propositions {
                if let Meaning::State(test) = proposition.meaning {
                    tests.push(test);
                }
            }
        }
        let model = self.model.clone();
        refuse_wrong(&model, &tests)?;
        let again = Check {
            model: Quotient { model: model.clone(), orders: orders(count) },
            assumed: Vec::new(),
            conditions: Vec::new(),
            properties: self.properties.clone(),
            atoms: self.atoms.clone(),
            limits: self.limits,
            allows_unknown: self.allows_unknown,
            folder: crate::check::Folder::Nowhere,
            least: false,
            keep: self.keep,
        };
        let found = again.try_run()?;
        let is_clean = found.iter().all(|verdict| !verdict.is_violated());
        let outcomes: Vec<Outcome> = found.iter().map(Verdict::outcome).collect();
        if is_clean {
            return Ok(found.without_runs());
        }
        // A run of the model itself is shown, so it is searched as it is.
        let whole = self.try_run()?;
        for (verdict, before) in whole.iter().zip(outcomes) {
            if verdict.holds() && before == Outcome::Violated {
                return Err(Mistake::new(format!(
                    "`{}` holds in the model, and not up to exchanges: they are no symmetry",
                    verdict.property()
                )));
            }
        }
        Ok(whole)
    }
}

/// A proposition of a formula that is not about states alone, if there is one.
fn speaks_of_actions<S, A>(formula: &Formula<S, A>, explained: &[&str]) -> Option<String> {
    const STATE: &str = "state";
    let atom = |it: &Proposition<S, A>| match it.meaning {
        Meaning::State(_) => Atom::state(STATE),
        Meaning::Event if explained.contains(&it.name.as_str()) => Atom::state(STATE),
        Meaning::Action(_) | Meaning::Event => Atom::event(&it.name),
    };
    let mut formulas = Formulas::new();
    // A text that cannot be read is told when it is checked.
    let built = formula.build(&mut formulas, explained, &atom).ok()?;
    let is_state = |text: &str| text == STATE || text == "deadlock";
    let atoms = formulas.atoms(built).into_iter().map(|id| formulas.atom_of(id).clone());
    let other = atoms.filter(|atom| !matches!(atom, Atom::State(text) if is_state(text)));
    other.map(|atom| atom.text().to_owned()).next()
}

type Tests<S> = [StateTest<S>];

/// # Errors
/// If an exchange is seen to be no symmetry in some state.
fn refuse_wrong<M: Symmetric>(model: &M, tests: &Tests<M::State>) -> Result<(), Mistake> {
    let count = model.interchangeable();
    if count < 2 {
        return Ok(());
    }
    // Two of them, and all of them round in a circle, make every order.
    let mut swap: Vec<usize> = (0..count).collect();
    swap.swap(0, 1);
    let circle: Vec<usize> = (0..count).map(|thing| (thing + 1) % count).collect();
    let after = |state: &M::State| -> BTreeSet<M::State> {
        let mut actions = Vec::new();
        model.actions(state, &mut actions);
        actions.into_iter().filter_map(|action| model.next(state, action)).collect()
    };
    let first: BTreeSet<M::State> = model.init().into_iter().collect();
    for places in [&swap, &circle] {
        let moved: BTreeSet<M::State> = first.iter().map(|it| model.permute(it, places)).collect();
        if moved != first {
            let said = format!("the exchange {places:?} makes other initial states: {moved:?}");
            return Err(Mistake::new(said));
        }
    }
    let mut seen: HashSet<M::State> = first.iter().cloned().collect();
    let mut left: VecDeque<M::State> = first.into_iter().collect();
    let mut sampled = 0;
    while let Some(state) = left.pop_front() {
        sampled += 1;
        if sampled > SAMPLE {
            break;
        }
        let next = after(&state);
        for places in [&swap, &circle] {
            let image = model.permute(&state, places);
            let expected: BTreeSet<M::State> =
                next.iter().map(|it| model.permute(it, places)).collect();
            if after(&image) != expected {
                return Err(Mistake::new(format!(
                    "the exchange {places:?} is no symmetry: {state:?} becomes {image:?}, which has other steps"
                )));
            }
            if tests.iter().any(|test| test(&state) != test(&image)) {
                return Err(Mistake::new(format!(
                    "a proposition tells {state:?} from {image:?}, which are the same up to the exchange {places:?}"
                )));
            }
        }
        left.extend(next.into_iter().filter(|it| seen.insert(it.clone())));
    }
    Ok(())
}
