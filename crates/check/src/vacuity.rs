//! Vacuity: reasons why a "holds" is worth less than it looks. A demand never comes up, or an antecedent never
//! occurs.

use std::ops::ControlFlow;
use std::time::Instant;

use fairly_fairness::{Constraint, Predicate, Selector};
use fairly_logic::{Formula, Formulas, Node};
use fairly_omega::{StateId, Stop};
use fairly_search::{Binding, Bounds};
use fairly_system::{ActionId, EventId, EventPosition, FaultKind, Transition, TransitionSystem};

use crate::property::Property;

/// States, met or expanded, after which nothing is said, unless the caller's bound is tighter.
const ENOUGH: usize = 300_000;

/// How many states and transitions the system has; zeros if the walk does not end in bounds.
pub(crate) fn size<S: TransitionSystem>(system: &mut S, bounds: Bounds) -> (usize, usize) {
    let mut size = (0, 0);
    let walked = walk(system, bounds, |_, _, steps| {
        size.0 += 1;
        size.1 += steps.len();
        ControlFlow::Continue(())
    });
    if walked == Walked::All { size } else { (0, 0) }
}

/// Remarks on a property that holds, from one walk over the system. Nothing is said if the walk
/// does not end within the bounds.
pub(crate) fn notes<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    constraints: &[Constraint],
    bounds: Bounds,
) -> Vec<String> {
    let antecedent = antecedent(&property.formulas, property.formula);
    // Whether what is enabled ever comes up is not looked for.
    let antecedent = antecedent.filter(|_| !property.asks_fairness());
    let mut asked = vec![false; constraints.len()];
    let mut occurs = false;
    let mut notes = Vec::new();
    if antecedent.is_none() && constraints.is_empty() {
        return notes;
    }
    if let (Some(antecedent), EventPosition::Entering) = (antecedent, property.reading) {
        let starts = system.initial();
        occurs = starts.iter().any(|&state| holds(system, property, state, None, antecedent));
    }
    let walked = walk(system, bounds, |system, state, steps| {
        for (asked, constraint) in asked.iter_mut().zip(constraints) {
            *asked = *asked || is_asked(system, state, steps, &constraint.when);
        }
        if let Some(antecedent) = antecedent {
            occurs = occurs
                || steps.iter().any(|step| {
                    let event = Some(system.action(step.action).event);
                    let read = match property.reading {
                        EventPosition::Leaving => state,
                        EventPosition::Entering => step.target,
                    };
                    holds(system, property, read, event, antecedent)
                });
        }
        // Once everything has come up there is nothing to remark on, however large the system is.
        let nothing_missing = asked.iter().all(|&asked| asked) && (occurs || antecedent.is_none());
        if nothing_missing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if walked != Walked::All {
        return notes;
    }
    if let Some(antecedent) = antecedent.filter(|_| !occurs) {
        notes.push(format!(
            "`{}` never occurs, so the property asks for nothing",
            property.formulas.display(antecedent)
        ));
    }
    for (constraint, _) in constraints.iter().zip(&asked).filter(|(_, asked)| !**asked) {
        notes.push(format!("{} never asks for anything in this system", constraint.name));
    }
    notes
}

/// `a` in a property `G(a -> …)`, if it is about one position.
fn antecedent(formulas: &Formulas, formula: Formula) -> Option<Formula> {
    let Node::Globally(inner) = formulas.node(formula) else { return None };
    let Node::Implies(antecedent, _) = formulas.node(inner) else { return None };
    formulas.is_propositional(antecedent).then_some(antecedent)
}

/// How far a walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// Through all reachable states.
    All,
    /// To where enough was known, or to a bound or a limit of the system.
    Some,
}

/// Goes through the reachable states, until `look` breaks.
pub(crate) fn walk<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
    look: impl FnMut(&mut S, StateId, &[Transition]) -> ControlFlow<()>,
) -> Walked {
    system.stop_at(bounds.stop());
    let walked = walk_within(system, bounds, look);
    system.stop_at(Stop::default());
    walked
}

fn walk_within<S: TransitionSystem>(
    system: &mut S,
    bounds: Bounds,
    mut look: impl FnMut(&mut S, StateId, &[Transition]) -> ControlFlow<()>,
) -> Walked {
    let most = bounds.nodes.unwrap_or(ENOUGH).min(ENOUGH);
    let mut queue = system.initial();
    let mut known: Vec<bool> = Vec::new();
    let mut see = |state: StateId| {
        if state.index() >= known.len() {
            known.resize(state.index() + 1, false);
        }
        !std::mem::replace(&mut known[state.index()], true)
    };
    queue.retain(|&state| see(state));
    let mut count = 0;
    let mut steps = Vec::new();
    while let Some(state) = queue.pop() {
        count += 1;
        let late = bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || bounds.watch.is_some_and(fairly_search::Watch::is_stopped);
        if count > most || queue.len() > ENOUGH || late {
            return Walked::Some;
        }
        if system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Limit) {
            return Walked::Some;
        }
        steps.clear();
        system.steps(state, &mut steps);
        if look(system, state, &steps).is_break() {
            return Walked::Some;
        }
        queue.extend(steps.iter().map(|step| step.target).filter(|&target| see(target)));
    }
    Walked::All
}

fn is_asked<S: TransitionSystem>(
    system: &mut S,
    state: StateId,
    steps: &[Transition],
    when: &Predicate,
) -> bool {
    match when {
        Predicate::True => true,
        Predicate::Enabled(selector) | Predicate::Taken(selector) => {
            some_selected(system, state, steps, selector)
        }
        Predicate::Disabled(selector) => !some_selected(system, state, steps, selector),
        Predicate::Ready(selector) => {
            let mut offered = Vec::new();
            system.offered(state, &mut offered);
            offered.iter().any(|&id| selector.selects_move(id, system.signature()))
        }
        Predicate::Step(formula) => steps.iter().any(|step| {
            let event = system.action(step.action).event;
            formula.holds(event, system.signature(), &|atom| system.holds(state, atom))
        }),
    }
}

fn some_selected<S: TransitionSystem>(
    system: &mut S,
    state: StateId,
    steps: &[Transition],
    selector: &Selector,
) -> bool {
    let mut actions: Vec<ActionId> = steps.iter().map(|step| step.action).collect();
    system.left_out(state, &mut actions);
    actions.into_iter().any(|action| {
        action != ActionId::IDLE && selector.selects(system.action(action), system.signature())
    })
}

/// Whether a formula without temporal operators holds of an event and a state.
fn holds<S: TransitionSystem>(
    system: &S,
    property: &Property,
    state: StateId,
    event: Option<EventId>,
    formula: Formula,
) -> bool {
    let of = |part: Formula| holds(system, property, state, event, part);
    match property.formulas.node(formula) {
        Node::True => true,
        Node::Atom(atom) => match property.binding(atom) {
            Binding::Event(events) => {
                event.is_some_and(|event| events.contains(event, system.signature()))
            }
            Binding::State(atom) => system.holds(state, atom),
            Binding::Enabled(_) | Binding::Taken(_) => false,
        },
        Node::Not(a) => !of(a),
        Node::And(parts) => parts.iter().all(|&part| of(part)),
        Node::Or(parts) => parts.iter().any(|&part| of(part)),
        Node::Implies(a, b) => !of(a) || of(b),
        Node::Iff(a, b) => of(a) == of(b),
        Node::Xor(a, b) => of(a) != of(b),
        _ => false,
    }
}
