//! Hiding events of a system: what an observer of the others sees, as a small system of its own.
//!
//! The small system is a network of one deterministic component, the minimal automaton of the visible words. Inherent
//! fairness can be asked of it instead of the system: what it does not have, the system does not have either; what it has,
//! the system has if the abstraction is weakly continuation-closed ([`fairly_omega::ops::abstraction`] says what that is
//! and cites the paper). A property then speaks of the visible events alone, as if the others took no time: a run has it if it has
//! infinitely many visible events and their sequence has it.
//!
//! Deciding it takes the whole system, explored once, and pairs of sets of its states; no formula takes part in that. So it
//! serves any number of formulas, and none of them is multiplied with what is hidden.

use fairly_fairness::PrefixKind;
use fairly_omega::ops::abstraction::{self, Abstraction, Beginning, Labelled, LetterId};
use fairly_omega::{BudgetError, Limits, StateId};
use fairly_system::{
    ComponentBuilder, Composition, EventKind, EventSet, Network, NetworkError, TransitionSystem,
};
use hashbrown::HashMap;

use crate::bounded::{Bounds, Budget, Cut};
use crate::product::is_limit;

/// A system with some of its events hidden.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// The visible words.
    pub network: Network,
    /// States of the system.
    pub whole: usize,
    /// States of what is left.
    pub left: usize,
    /// If the abstraction is not weakly continuation-closed: a shortest beginning after which the system can no longer
    /// do what the abstraction promises, whatever comes; empty if that is so from the start.
    pub broken: Option<Vec<String>>,
}

/// Why there is no abstraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HidingError {
    /// After this visible word nothing visible can come, so words end that properties take to be infinite.
    Ends(Vec<String>),
    /// A bound was reached.
    Cut(Cut),
    /// Too many sets of states.
    TooLarge(BudgetError),
    /// An event has a name that networks do not have.
    Name(NetworkError),
}

impl From<Cut> for HidingError {
    fn from(cut: Cut) -> Self {
        HidingError::Cut(cut)
    }
}

impl From<BudgetError> for HidingError {
    fn from(refused: BudgetError) -> Self {
        HidingError::TooLarge(refused)
    }
}

/// Name of the component that is left.
const OBSERVER: &str = "visible";

/// Hides events.
///
/// # Errors
/// When a bound is reached, or nothing visible can come at some point.
pub fn hide<S: TransitionSystem>(
    system: &mut S,
    hidden: &[String],
    prefixes: PrefixKind,
    bounds: Bounds,
) -> Result<Hidden, HidingError> {
    let Explored { labelled, names, visible } = explored(system, hidden, bounds)?;
    // No more sets than states may be explored; without a bound, what fits in some gigabytes.
    let limits = Limits::default();
    let limits = Limits { states: bounds.nodes.unwrap_or(limits.states), ..limits };
    let word = |letters: Vec<LetterId>| -> Vec<String> {
        letters.into_iter().map(|letter| names[letter as usize].clone()).collect()
    };
    let small = abstraction::abstraction(&labelled, &visible, limits)?;
    if let Some(ends) = small.ends {
        return Err(HidingError::Ends(word(ends)));
    }
    let beginning = match prefixes {
        PrefixKind::Trace => Beginning::Word,
        PrefixKind::Run => Beginning::Run,
    };
    let broken = abstraction::not_continued(&labelled, &visible, beginning, limits)?;
    let network = network(&small, &names, &visible).map_err(HidingError::Name)?;
    let (whole, left) = (labelled.steps.len(), small.steps.len());
    Ok(Hidden { network, whole, left, broken: broken.map(word) })
}

fn network(
    small: &Abstraction,
    names: &[String],
    visible: &[bool],
) -> Result<Network, NetworkError> {
    let mut builder = ComponentBuilder::new(OBSERVER);
    for state in 0..small.steps.len() {
        builder.add_state(state.to_string());
    }
    builder.add_initial(0);
    let seen = names.iter().zip(visible).filter(|(_, visible)| **visible);
    seen.for_each(|(name, _)| builder.add_event(name));
    for (from, steps) in (0u32..).zip(&small.steps) {
        for &(letter, to) in steps {
            builder.add_transition(from, &names[letter as usize], to, None);
        }
    }
    Network::new(vec![builder.build()], &Composition::default())
}

/// A system with letters, their names, and which of them are visible.
struct Explored {
    labelled: Labelled,
    names: Vec<String>,
    visible: Vec<bool>,
}

/// Explores a system. Idling in a deadlock is no step: the word ends.
fn explored<S: TransitionSystem>(
    system: &mut S,
    hidden: &[String],
    bounds: Bounds,
) -> Result<Explored, Cut> {
    let mut labelled = Labelled::default();
    let (mut names, mut visible): (Vec<String>, Vec<bool>) = (Vec::new(), Vec::new());
    let mut letters: HashMap<(String, bool), LetterId> = HashMap::new();
    let mut numbers: HashMap<StateId, u32> = HashMap::new();
    let mut order: Vec<StateId> = Vec::new();
    let mut patterns: Vec<EventSet> =
        hidden.iter().map(|pattern| EventSet::matching(pattern, system.signature())).collect();
    let mut meet = |state: StateId, order: &mut Vec<StateId>, labelled: &mut Labelled| {
        *numbers.entry(state).or_insert_with(|| {
            order.push(state);
            labelled.add_state()
        })
    };
    for state in system.initial() {
        let at = meet(state, &mut order, &mut labelled);
        labelled.initial.push(at);
    }
    let budget = Budget::new(bounds);
    let (mut at, mut steps, mut edges) = (0, Vec::new(), 0);
    while at < order.len() {
        // A number, a place in the order, a list of steps.
        budget.allows(at, || order.len() * 48 + edges * 8)?;
        let state = order[at];
        if is_limit(system, state) || system.fault(state).is_some() {
            return Err(Cut::Limit(state));
        }
        steps.clear();
        system.enabled(state, &mut steps);
        patterns.iter_mut().for_each(|pattern| pattern.learn(system.signature()));
        edges += steps.len();
        for step in &steps {
            let event = system.action(step.action).event;
            let signature = system.signature();
            let is_hidden = match signature.event_kind(event) {
                EventKind::Internal => true,
                EventKind::Idle => continue,
                EventKind::Visible | EventKind::Termination => {
                    patterns.iter().any(|pattern| pattern.contains(event, signature))
                }
            };
            // An observer of a beginning does not tell internal steps apart.
            let name = match signature.event_kind(event) {
                EventKind::Internal => "τ",
                _ => signature.event_name(event),
            };
            let letter =
                *letters.entry((name.to_owned(), is_hidden)).or_insert_with_key(|(name, _)| {
                    names.push(name.clone());
                    visible.push(!is_hidden);
                    LetterId::try_from(names.len() - 1).expect("fewer letters than steps")
                });
            let to = meet(step.target, &mut order, &mut labelled);
            labelled.add_step(u32::try_from(at).expect("states have numbers"), letter, to);
        }
        at += 1;
    }
    labelled.letters = LetterId::try_from(names.len()).expect("fewer letters than steps");
    Ok(Explored { labelled, names, visible })
}
