//! Properties that rest on nothing the system does: true of every word, or of every word that meets
//! the constraints.
//!
//! The constraints of `justice` and `compassion` are formulas, so they can be asked of a system that can
//! do anything: if none of its runs meets them and violates the property, the property was assumed. What
//! is enabled there is anybody's guess, so constraints about that are left out, which only makes fewer
//! properties implied.

use fairly_fairness::{Constraint, Predicate, StepFormula, Strength};
use fairly_logic::{Atom, Formula, Formulas};
use fairly_omega::{Limits, emptiness};
use fairly_search::Binding;
use fairly_system::EventPosition;
use fairly_translate::{Options, translate};

use crate::property::Property;

/// How many constraints are looked at, and how large a formula: a remark must not cost more than a moment.
const MOST_CONSTRAINTS: usize = 8;
const MOST_NODES: u32 = 80;
const LIMITS: Limits = Limits { states: 2_000, edges: 20_000 };

/// A remark, if the property would hold of any system.
pub(crate) fn note(property: &mut Property, constraints: &[Constraint]) -> Option<String> {
    if property.never.is_some() {
        return None;
    }
    if is_implied(property, &[]) {
        return Some(
            "it is true of every run of any system, so it says nothing of this one".into(),
        );
    }
    let mut premises = Vec::new();
    for constraint in constraints {
        if let Some(formula) = premise(property, constraint) {
            premises.push((constraint.name.as_str(), formula));
        }
    }
    if premises.is_empty() || premises.len() > MOST_CONSTRAINTS {
        return None;
    }
    for &(name, formula) in &premises {
        if is_implied(property, &[formula]) {
            return Some(format!(
                "{name} assumes the property itself: it implies it in any system"
            ));
        }
    }
    let all: Vec<Formula> = premises.iter().map(|&(_, formula)| formula).collect();
    if all.len() < 2 || !is_implied(property, &all) {
        return None;
    }
    let names: Vec<&str> = premises.iter().map(|&(name, _)| name).collect();
    Some(format!(
        "{} together assume the property itself: they imply it in any system",
        names.join(", ")
    ))
}

/// Whether every word that satisfies the premises satisfies the property; no if that is hard to say.
fn is_implied(property: &mut Property, premises: &[Formula]) -> bool {
    let formulas = &mut property.formulas;
    let negated = formulas.not(property.formula);
    let violated = formulas.and(premises.iter().copied().chain([negated]));
    if formulas.size(violated) > MOST_NODES {
        return false;
    }
    let options = Options { limits: LIMITS, ..Options::default() };
    let Ok(automaton) = translate(formulas, violated, &options) else { return false };
    matches!(emptiness::find_lasso(&mut automaton.graph()), Ok(None))
}

/// A constraint as a formula over the propositions of the property, and others; none if it is none.
fn premise(property: &mut Property, constraint: &Constraint) -> Option<Formula> {
    let (when, then) = (&constraint.when, &constraint.then);
    // A position of the property has another event than a step, or another state: what is about one of
    // them happens again and again in both readings.
    let is_apart = property.reading == EventPosition::Entering;
    let mixed = |predicates: &[&Predicate]| {
        let asks = |of: fn(&StepFormula) -> bool| {
            predicates.iter().any(|it| matches!(it, Predicate::Step(step) if any(step, of)))
        };
        let states = asks(|leaf| matches!(leaf, StepFormula::State(_)));
        let events = asks(|leaf| matches!(leaf, StepFormula::Event(_)));
        is_apart && states && events
    };
    let is_mixed = match constraint.strength {
        Strength::Weak => mixed(&[when, then]),
        Strength::Strong => mixed(&[when]) || mixed(&[then]),
    };
    if is_mixed {
        return None;
    }
    let when = predicate(property, when)?;
    let then = predicate(property, then)?;
    let formulas = &mut property.formulas;
    Some(match constraint.strength {
        Strength::Weak => {
            let not_asked = formulas.not(when);
            let given = formulas.or([not_asked, then]);
            again(formulas, given)
        }
        Strength::Strong => {
            let (asked, given) = (again(formulas, when), again(formulas, then));
            formulas.implies(asked, given)
        }
    })
}

/// Again and again.
fn again(formulas: &mut Formulas, what: Formula) -> Formula {
    let at_last = formulas.finally(what);
    formulas.globally(at_last)
}

/// Whether a formula has such a leaf.
fn any(step: &StepFormula, is: fn(&StepFormula) -> bool) -> bool {
    match step {
        StepFormula::Event(_) | StepFormula::State(_) => is(step),
        StepFormula::Not(inner) => any(inner, is),
        StepFormula::And(parts) | StepFormula::Or(parts) => parts.iter().any(|it| any(it, is)),
    }
}

fn predicate(property: &mut Property, predicate: &Predicate) -> Option<Formula> {
    match predicate {
        Predicate::True => Some(Formula::TRUE),
        Predicate::Step(step) => Some(formula(property, step)),
        _ => None,
    }
}

fn formula(property: &mut Property, step: &StepFormula) -> Formula {
    let parts_of = |property: &mut Property, parts: &[StepFormula]| -> Vec<Formula> {
        parts.iter().map(|part| formula(property, part)).collect()
    };
    match step {
        StepFormula::Event(events) => leaf(property, &Binding::Event(events.clone())),
        StepFormula::State(atom) => leaf(property, &Binding::State(*atom)),
        StepFormula::Not(inner) => {
            let inner = formula(property, inner);
            property.formulas.not(inner)
        }
        StepFormula::And(parts) => {
            let parts = parts_of(property, parts);
            property.formulas.and(parts)
        }
        StepFormula::Or(parts) => {
            let parts = parts_of(property, parts);
            property.formulas.or(parts)
        }
    }
}

/// The proposition of the property with this meaning, or one that it does not have.
fn leaf(property: &mut Property, meaning: &Binding) -> Formula {
    if let Some(known) = property.bound_to(meaning) {
        return property.formulas.atom_with_id(known);
    }
    // No text of a model reads so.
    property.formulas.atom(Atom::State(format!("assumed: {meaning:?}")))
}
