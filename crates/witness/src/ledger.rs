//! The ledger of a run: the demand of every fairness constraint, and why it counts as met.

use fairly_fairness::{Constraint, Predicate, Selector, Strength};
use fairly_omega::{StateId, Stop};
use fairly_system::{ActionId, MoveId, Run, RunStep, Transition, TransitionSystem};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Why the cycle meets a constraint, or that it does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// The demand never comes up on the cycle.
    NeverAsked,
    /// The demand lapses at this step of the run, counted from 0; weak fairness asks nothing then.
    Lapses(usize),
    /// It is given at this step of the run, counted from 0.
    Given(usize),
    /// It is not met: the run is not fair.
    NotMet,
}

/// Behaviour of the cycle under one constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The constraint, as it is written.
    pub name: String,
    /// Weak or strong.
    pub strength: Strength,
    /// Steps of the cycle on which the demand is up: enabled, ready, or whatever is asked.
    pub asked: Vec<usize>,
    /// Steps of the cycle on which it is given: taken.
    pub given: Vec<usize>,
    /// Why the run meets it.
    pub reason: Reason,
}

impl Entry {
    /// Whether the run meets the constraint.
    pub fn met(&self) -> bool {
        self.reason != Reason::NotMet
    }
}

/// One entry for each constraint. Steps are counted from 0 over the whole run, stem included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The entries, in the order of the constraints.
    pub entries: Vec<Entry>,
    /// How many steps the cycle has.
    pub cycle: usize,
}

impl Ledger {
    /// Judges every constraint on the run, by its definition.
    pub fn of<S: TransitionSystem>(
        system: &mut S,
        run: &Run,
        constraints: &[Constraint],
    ) -> Ledger {
        Ledger::of_until(system, run, constraints, Stop::default()).expect("no time to stop")
    }

    /// The same; `None` if it is time to stop before all are judged.
    pub fn of_until<S: TransitionSystem>(
        system: &mut S,
        run: &Run,
        constraints: &[Constraint],
        stop: Stop,
    ) -> Option<Ledger> {
        // Asked once a state: there may be as many constraints as steps, and a state that many
        // processes move from is dear.
        let mut offers: HashMap<StateId, Offer> = HashMap::new();
        for step in &run.cycle {
            if stop.is_due() {
                return None;
            }
            offers.entry(step.from).or_insert_with(|| Offer::of(system, step.from));
        }
        let holds = |step: &RunStep, predicate: &Predicate| {
            holds(system, step, &offers[&step.from], predicate)
        };
        let entries: Option<Vec<Entry>> = constraints
            .iter()
            .map(|constraint| {
                if stop.is_due() {
                    return None;
                }
                let mut asked = Vec::new();
                let mut given = Vec::new();
                let mut lapse = None;
                for (at, step) in (run.stem.len()..).zip(&run.cycle) {
                    if holds(step, &constraint.when) {
                        asked.push(at);
                    } else {
                        lapse = lapse.or(Some(at));
                    }
                    if holds(step, &constraint.then) {
                        given.push(at);
                    }
                }
                let reason = match (constraint.strength, given.first(), lapse) {
                    _ if asked.is_empty() => Reason::NeverAsked,
                    (_, Some(&at), _) => Reason::Given(at),
                    (Strength::Weak, None, Some(at)) => Reason::Lapses(at),
                    (_, None, _) => Reason::NotMet,
                };
                Some(Entry {
                    name: constraint.name.clone(),
                    strength: constraint.strength,
                    asked,
                    given,
                    reason,
                })
            })
            .collect();
        Some(Ledger { entries: entries?, cycle: run.cycle.len() })
    }

    /// Whether every constraint is met.
    pub fn is_fair(&self) -> bool {
        self.entries.iter().all(Entry::met)
    }
}

/// Actions and moves that are possible in a state.
struct Offer {
    enabled: Vec<ActionId>,
    ready: Vec<MoveId>,
}

impl Offer {
    fn of<S: TransitionSystem>(system: &mut S, state: StateId) -> Self {
        let mut offer = Offer { enabled: Vec::new(), ready: Vec::new() };
        let mut enabled: Vec<Transition> = Vec::new();
        system.enabled(state, &mut enabled);
        offer.enabled.extend(enabled.iter().map(|transition| transition.action));
        // Actions that the run leaves out because of an earlier choice are enabled all the same.
        system.left_out(state, &mut offer.enabled);
        system.offered(state, &mut offer.ready);
        offer
    }
}

/// Whether the predicate is true of the step, out of a state that offers this.
fn holds<S: TransitionSystem>(
    system: &S,
    step: &RunStep,
    offer: &Offer,
    predicate: &Predicate,
) -> bool {
    let signature = system.signature();
    let enabled = |selector: &Selector| {
        let actions = offer.enabled.iter().map(|&action| system.action(action));
        actions.into_iter().any(|action| selector.selects(action, signature))
    };
    match predicate {
        Predicate::True => true,
        Predicate::Enabled(selector) => enabled(selector),
        Predicate::Disabled(selector) => !enabled(selector),
        Predicate::Ready(selector) => {
            offer.ready.iter().any(|&id| selector.selects_move(id, signature))
        }
        Predicate::Taken(selector) => selector.selects(system.action(step.action), signature),
        Predicate::Step(formula) => {
            let event = system.action(step.action).event;
            formula.holds(event, signature, &|atom| system.holds(step.from, atom))
        }
    }
}
