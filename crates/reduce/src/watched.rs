//! What a reduction has to leave as it is: what a property and the constraints look at.
//!
//! A step is *quiet* if, in every state where it can be taken, it changes no proposition that is
//! watched, and leaves every constraint's demand as it is: what was enabled, or ready, still is, and
//! what was not still is not. Only the step's own event, and whether it is taken, can be seen from the
//! action itself. All this is found out once, from the steps, and never by looking at one state: a
//! step that changes nothing here may do so elsewhere (`docs/papers.md` 004-22).

use fairly_fairness::{Constraint, Predicate, Selector, StepFormula};
use fairly_model::{Expr, native::Part};
use fairly_system::{Action, AtomIndex, EventSet, MoveId, ProcessId, Signature};

use crate::bits::Bits;
use crate::skeleton::{Skeleton, Step};

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// State propositions.
    pub atoms: Vec<AtomIndex>,
    /// Values of expressions that no process evaluates.
    pub values: Vec<Expr>,
    /// Events.
    pub events: Vec<EventSet>,
    /// Constraints on runs.
    pub constraints: Vec<Constraint>,
    /// Whether constraints about processes that are exchanged are followed through the exchanges. Only
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

/// What single steps need to know of a system to be judged.
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
                        step.quiet = false;
                    }
                }
            }
        }
    }
}

/// Marks the steps that may change whether a constraint asks for something.
pub(crate) fn hide_from_constraints(
    skeleton: &mut Skeleton,
    constraints: &[Constraint],
    names: &Names<'_>,
) {
    for constraint in constraints {
        for predicate in [&constraint.when, &constraint.then] {
            match predicate {
                Predicate::Enabled(selector) | Predicate::Disabled(selector) => {
                    Demand::enabled(skeleton, selector, names).hide(skeleton);
                }
                Predicate::Ready(selector) => {
                    Demand::ready(skeleton, selector, names).hide(skeleton);
                }
                Predicate::True | Predicate::Taken(_) | Predicate::Step(_) => {}
            }
        }
    }
}

/// What decides whether something is enabled, or ready.
struct Demand {
    reads: Bits,
    /// By slot, kind and location: whether it makes a difference that a process is there.
    matters: Vec<Vec<Vec<bool>>>,
    /// The same: whether it is so wherever the others are.
    settles: Vec<Vec<Vec<bool>>>,
    /// By slot, kind, location and step: whether it may be one of those that are asked for.
    selected: Vec<Vec<Vec<Vec<bool>>>>,
    /// Whether a step whose event depends on the state is one of them for sure.
    sure: bool,
}

impl Demand {
    fn of(skeleton: &Skeleton, selector: &Selector, names: &Names<'_>) -> Demand {
        let selects = |slot: usize, variant: usize, location: usize, at: usize, step: &Step| {
            let of_events = |events: &EventSet| {
                step.event.is_none_or(|event| events.contains(event, names.signature))
            };
            match selector {
                Selector::Process(process) => process.index() == slot,
                Selector::Events(events) => of_events(events),
                Selector::Part(process, events) => process.index() == slot && of_events(events),
                Selector::Moves(moves) => moves.iter().any(|&id| {
                    let same = |part: Part| {
                        let Part { slot: of, variant: kind, location: from, edge } = part;
                        [of, kind, from, edge].map(|it| it as usize)
                            == [slot, variant, location, at]
                    };
                    let of = names.signature.moves.get(id.index()).map(|it| it.process);
                    of == Some(ProcessId::from_index(slot)) && (names.part)(id).is_some_and(same)
                }),
            }
        };
        let mut selected = Vec::new();
        for (slot, variants) in skeleton.slots.iter().enumerate() {
            let mut of_slot = Vec::new();
            for (variant, spots) in variants.iter().enumerate() {
                let of_spot = spots.iter().enumerate().map(|(location, spot)| {
                    let steps = spot.steps.iter().enumerate();
                    steps.map(|(at, step)| selects(slot, variant, location, at, step)).collect()
                });
                of_slot.push(of_spot.collect());
            }
            selected.push(of_slot);
        }
        let blank: Vec<Vec<Vec<bool>>> = skeleton
            .slots
            .iter()
            .map(|variants| variants.iter().map(|spots| vec![false; spots.len()]).collect())
            .collect();
        Demand {
            reads: Bits::new(skeleton.parts),
            matters: blank.clone(),
            settles: blank,
            selected,
            sure: matches!(selector, Selector::Process(_)),
        }
    }

    /// What decides whether a process offers something that is selected.
    fn ready(skeleton: &Skeleton, selector: &Selector, names: &Names<'_>) -> Demand {
        let mut demand = Demand::of(skeleton, selector, names);
        for (slot, variant, location) in skeleton.spots() {
            let spot = skeleton.spot(slot, variant, location);
            for (at, step) in spot.steps.iter().enumerate() {
                if demand.selected[slot][variant][location][at] {
                    demand.matters[slot][variant][location] = true;
                    demand.reads.join(&step.enabling);
                    demand.settles[slot][variant][location] |= step.always_offered
                        && demand.is_sure(step)
                        && demand.comes_first([slot, variant, location], spot, step);
                }
            }
        }
        demand
    }

    /// What decides whether an action that is selected is enabled.
    fn enabled(skeleton: &Skeleton, selector: &Selector, names: &Names<'_>) -> Demand {
        let mut demand = Demand::of(skeleton, selector, names);
        // A step leads to those after it in the same action.
        let mut leads = demand.selected.clone();
        let mut grown = true;
        while grown {
            grown = false;
            for (slot, variant, location) in skeleton.spots().rev() {
                let spot = skeleton.spot(slot, variant, location);
                for (at, step) in spot.steps.iter().enumerate() {
                    let (true, Some(target)) = (step.holds, step.target) else { continue };
                    let ahead = leads[slot][variant][target as usize].iter().any(|&it| it);
                    if ahead && !leads[slot][variant][location][at] {
                        leads[slot][variant][location][at] = true;
                        grown = true;
                    }
                }
            }
        }
        let mut needed = Bits::new(skeleton.offers);
        for (slot, variant, location) in skeleton.spots() {
            let spot = skeleton.spot(slot, variant, location);
            for (at, step) in spot.steps.iter().enumerate() {
                if !leads[slot][variant][location][at] {
                    continue;
                }
                demand.matters[slot][variant][location] = true;
                demand.reads.join(&step.enabling);
                demand.reads.join(&step.all_reads);
                step.needs.iter().for_each(|need| {
                    needed.insert(need.offer());
                });
                needed.join(&step.later);
                demand.settles[slot][variant][location] |= demand.selected[slot][variant][location]
                    [at]
                    && step.always_enabled
                    && demand.is_sure(step)
                    && demand.comes_first([slot, variant, location], spot, step);
            }
        }
        for (slot, variant, location) in skeleton.spots() {
            let spot = skeleton.spot(slot, variant, location);
            for step in &spot.steps {
                if step.offers.iter().any(|&offer| needed.contains(offer as usize)) {
                    demand.matters[slot][variant][location] = true;
                    demand.reads.join(&step.enabling);
                    demand.reads.join(&step.all_reads);
                }
            }
        }
        demand
    }

    /// Whether steps that could keep this one from being taken are asked for, too.
    fn comes_first(&self, at: [usize; 3], spot: &crate::skeleton::Spot, step: &Step) -> bool {
        let [slot, variant, location] = at;
        let mut others = spot.steps.iter().zip(&self.selected[slot][variant][location]);
        others.all(|(other, &selected)| other.rank >= step.rank || selected && self.is_sure(other))
    }

    /// Whether a step that may be asked for is asked for.
    fn is_sure(&self, step: &Step) -> bool {
        self.sure || step.event.is_some()
    }

    /// Marks the steps that may change it.
    fn hide(&self, skeleton: &mut Skeleton) {
        for (slot, variants) in skeleton.slots.iter_mut().enumerate() {
            for (variant, spots) in variants.iter_mut().enumerate() {
                let matters = &self.matters[slot][variant];
                let settles = &self.settles[slot][variant];
                for (from, spot) in spots.iter_mut().enumerate() {
                    for (at, step) in spot.steps.iter_mut().enumerate() {
                        let to = step.target.map(|to| to as usize);
                        let goes = to != Some(from);
                        let difference =
                            goes && (matters[from] || to.is_some_and(|to| matters[to]));
                        // Where it can be taken, it is itself something that is enabled.
                        let selected = self.selected[slot][variant][from][at] && self.is_sure(step);
                        let before = settles[from] || selected;
                        let same = before && to.is_some_and(|to| settles[to]);
                        if step.writes.meets(&self.reads) || difference && !same {
                            step.quiet = false;
                        }
                    }
                }
            }
        }
    }
}
