//! Watched subjects, which a reduction has to leave as they are: those that a property and the constraints look
//! at.
//!
//! A step is *quiet* if, in every state where it can be taken, it changes no proposition that is
//! watched, and leaves every constraint's demand as it is: what was enabled, or ready, still is, and
//! what was not still is not (`demand.rs`). Only the step's own event, and whether it is taken, can be
//! seen from the action itself. All this is found out once, from the steps, and never by looking at one
//! state: a step that changes nothing here may do so elsewhere (`docs/papers.md` 004-22).

use fairly_fairness::{Constraint, Predicate, StepFormula};
use fairly_model::{Expr, native::Part};
use fairly_system::{Action, AtomIndex, EventId, EventSet, MoveId, Signature};

use crate::bits::Bits;
use crate::skeleton::{Skeleton, Tone};

/// Watched subjects.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// State propositions.
    pub atoms: Vec<AtomIndex>,
    /// Values of expressions that no process evaluates.
    pub values: Vec<Expr>,
    /// A proposition that is looked up in states without steps, and nowhere else.
    pub looked_up: Option<AtomIndex>,
    /// Events.
    pub events: Vec<EventSet>,
    /// Constraints on runs.
    pub constraints: Vec<Constraint>,
    /// Whether constraints about processes that are permuted are followed through the permutations. Only
    /// symmetry asks.
    pub followed: bool,
}

impl Watched {
    /// State propositions, those of constraints included.
    pub(crate) fn all_atoms(&self) -> Vec<AtomIndex> {
        let mut atoms = self.atoms.clone();
        for formula in self.step_formulas() {
            walk(formula, &mut |part| {
                if let StepFormula::State(atom) = part {
                    atoms.push(*atom);
                }
            });
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.constraints.iter().flat_map(|constraint| [&constraint.when, &constraint.then])
    }

    fn step_formulas(&self) -> impl Iterator<Item = &StepFormula> {
        self.predicates().filter_map(|predicate| match predicate {
            Predicate::Step(formula) => Some(formula),
            _ => None,
        })
    }

    /// Whether a property or a constraint asks for an event.
    pub(crate) fn asks_for(&self, event: EventId, signature: &Signature) -> bool {
        let mut spoken_of = self.events.iter().any(|events| events.contains(event, signature));
        for formula in self.step_formulas() {
            walk(formula, &mut |part| {
                spoken_of |=
                    matches!(part, StepFormula::Event(all) if all.contains(event, signature));
            });
        }
        spoken_of
    }

    /// Whether a constraint asks who is enabled.
    pub(crate) fn asks_who_is_enabled(&self) -> bool {
        self.predicates().any(|it| !matches!(it, Predicate::True | Predicate::Step(_)))
    }

    /// Whether the action itself is watched. That of a constraint is if taking it is a demand; where
    /// it is what was demanded, a reduction keeps all of it, and more does no harm.
    pub(crate) fn sees(&self, action: &Action, signature: &Signature) -> bool {
        let has = |events: &EventSet| {
            events.contains(action.event, signature)
                || action
                    .moves
                    .iter()
                    .any(|id| events.contains(signature.moves[id.index()].event, signature))
        };
        let mut spoken_of = false;
        for formula in self.step_formulas() {
            walk(formula, &mut |part| {
                spoken_of |= matches!(part, StepFormula::Event(events) if has(events));
            });
        }
        let demanded = self.constraints.iter().any(|constraint| match &constraint.when {
            Predicate::Taken(selector) => selector.selects(action, signature),
            _ => false,
        });
        spoken_of || demanded || self.events.iter().any(has)
    }
}

pub(crate) fn walk<'a>(formula: &'a StepFormula, visit: &mut dyn FnMut(&'a StepFormula)) {
    visit(formula);
    match formula {
        StepFormula::Event(_) | StepFormula::State(_) => {}
        StepFormula::Not(inner) => walk(inner, visit),
        StepFormula::And(parts) | StepFormula::Or(parts) => {
            parts.iter().for_each(|part| walk(part, visit));
        }
    }
}

/// A set of places of one kind of process that a proposition is about.
pub(crate) struct Place {
    pub(crate) slot: usize,
    pub(crate) variant: usize,
    /// By location.
    pub(crate) inside: Vec<bool>,
}

/// Names of a system that are needed to judge single steps.
pub(crate) struct Names<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) part: &'a dyn Fn(MoveId) -> Option<Part>,
}

/// Marks the steps that change what propositions read.
pub(crate) fn hide_from_atoms(skeleton: &mut Skeleton, reads: &Bits, places: &[Place]) {
    for (slot, variants) in skeleton.slots.iter_mut().enumerate() {
        for (variant, spots) in variants.iter_mut().enumerate() {
            let of = |place: &&Place| (place.slot, place.variant) == (slot, variant);
            let places: Vec<&Place> = places.iter().filter(of).collect();
            for (from, spot) in spots.iter_mut().enumerate() {
                for step in &mut spot.steps {
                    let is_inside = |place: &Place, to: Option<u32>| {
                        to.is_some_and(|to| place.inside[to as usize])
                    };
                    let moves = places
                        .iter()
                        .any(|place| place.inside[from] != is_inside(place, step.target));
                    if moves || step.writes.meets(reads) {
                        step.tone = Tone::Loud;
                    }
                }
            }
        }
    }
}
