//! Demands that last, and steps that are owed.
//!
//! The demand of a fairness constraint *lasts* if nothing but a step that it asks for puts an end to it.
//! A run breaks such a constraint exactly if from some point on there is a demand and nothing of it is
//! taken, whether the constraint is weak or strong; and one state after that point is enough to know. So
//! it makes no difference when the demand begins or ends, only whether it does, and a step that changes
//! it may be put before others ([`Tone::Early`](crate::skeleton::Tone::Early)). It may not be put into a
//! run that does not take it, which would then owe something new. That never has to be done if a step of
//! the ample set is *owed*: if it stays enabled for ever, a constraint asks for it for ever, and whatever
//! would meet the constraint is a step of the same process. `docs/papers.md` 004-31 has the argument.
//!
//! Everything here is decided from the steps alone, and no is a safe answer.

use fairly_fairness::{Constraint, Predicate};

use crate::index::{Asked, Index};
use crate::skeleton::{Need, Step};
use crate::watched::Names;

/// A constraint that asks for something and is met when that is taken.
pub(crate) struct Asking<'a> {
    asked: Asked<'a>,
    when: When,
}

/// When it asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Enabled,
    Ready,
}

impl<'a> Asking<'a> {
    /// Demand of a constraint; `None` if it is of another kind, or nothing is known of it.
    pub(crate) fn of(
        constraint: &Constraint,
        index: &'a Index<'a>,
        names: &Names<'_>,
    ) -> Option<Asking<'a>> {
        // A process that holds keeps all others from being enabled.
        if index.skeleton.holder.is_some() {
            return None;
        }
        let Predicate::Taken(given) = &constraint.then else { return None };
        let when = match &constraint.when {
            Predicate::True => When::Always,
            Predicate::Enabled(asked) if asked == given => When::Enabled,
            Predicate::Ready(asked) if asked == given => When::Ready,
            _ => return None,
        };
        Some(Asking { asked: Asked::new(index, given, names), when })
    }

    /// The steps that have to be taken sooner or later, or another one of the same process, where they
    /// stay enabled: all that is asked for is done by one process, alone or with others.
    pub(crate) fn owed(&self) -> Vec<usize> {
        let Asked { index, steps, .. } = &self.asked;
        let mut common: Option<Vec<usize>> = None;
        for &id in steps {
            let takes_part = |slot: &usize| *slot == index.slot(id) || needs(index.step(id), *slot);
            match &mut common {
                Some(slots) => slots.retain(takes_part),
                None => {
                    let mut slots = vec![index.slot(id)];
                    for need in &index.step(id).needs {
                        if let Need::All { slots: others, .. } = need {
                            slots.extend(others.iter().map(|&slot| slot as usize));
                        }
                    }
                    common = Some(slots);
                }
            }
        }
        if common.is_none_or(|slots| slots.is_empty()) {
            return Vec::new();
        }
        steps.iter().copied().filter(|&id| self.asked.surely(id)).collect()
    }

    /// Whether only what is asked for puts an end to a demand.
    pub(crate) fn lasts(&self) -> bool {
        match self.when {
            When::Always => true,
            When::Ready => {
                let is_asked = |id: usize| self.asked.surely(id);
                self.asked.steps.iter().all(|&id| {
                    is_asked(id)
                        && is_steady(self.asked.index.step(id))
                        && self.stays(id, &is_asked)
                })
            }
            When::Enabled => self.asked.steps.iter().all(|&id| self.stays_enabled(id)),
        }
    }

    /// Whether, where a step can be taken, it or another one that is asked for can still be taken after
    /// everything that is not.
    fn stays_enabled(&self, id: usize) -> bool {
        let index = self.asked.index;
        let step = index.step(id);
        if !self.asked.surely(id) || !is_steady(step) {
            return false;
        }
        let (slots, offer) = match step.needs.as_slice() {
            [] => {
                let alone = |it: usize| self.asked.surely(it) && index.step(it).needs.is_empty();
                return self.stays(id, &alone);
            }
            [Need::All { slots, offer }] => (slots, *offer),
            _ => return false,
        };
        let offers = |it: usize| index.step(it).offers == [offer];
        let is_of = |slot: usize| move |it: &usize| index.slot(*it) == slot;
        let all = || index.offering(offer as usize).iter().copied();
        let slots = || slots.iter().map(|&slot| slot as usize).chain([index.slot(id)]);
        // It is taken by a process that is asked for just that, so it is asked for.
        let is_met = slots().any(|slot| all().filter(is_of(slot)).all(|it| self.asked.surely(it)));
        is_met
            && slots().all(|slot| {
                all().filter(is_of(slot)).all(|it| {
                    let step = index.step(it);
                    offers(it) && is_steady(step) && is_joint(step) && self.stays(it, &offers)
                })
            })
    }

    /// Whether a process that leaves the spot of a step comes to one where a step has the same to offer,
    /// unless it takes such a step or one that is asked for.
    fn stays(&self, id: usize, same: &dyn Fn(usize) -> bool) -> bool {
        let index = self.asked.index;
        index.steps(index.spot(id)).all(|other| {
            let step = index.step(other);
            let is_equal = step.rank == index.step(id).rank && !step.holds;
            let leads_on = || index.target(other).is_some_and(|to| index.steps(to).any(same));
            is_equal && (same(other) || self.asked.surely(other) || leads_on())
        })
    }
}

/// Whether a process offers a step wherever the others are and whatever they have done.
fn is_steady(step: &Step) -> bool {
    step.always_offered && !step.holds && !step.waits && !step.varies
}

/// Whether a step is taken together with others, and always the same ones.
fn is_joint(step: &Step) -> bool {
    matches!(step.needs.as_slice(), [Need::All { .. }])
}

/// Whether a step is taken only together with the process in a slot.
fn needs(step: &Step, slot: usize) -> bool {
    step.needs.iter().any(|need| match need {
        Need::All { slots, .. } => slots.iter().any(|&other| other as usize == slot),
        _ => false,
    })
}
