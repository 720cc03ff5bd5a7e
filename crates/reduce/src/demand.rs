//! Demands of constraints, and the steps that change whether they are raised.
//!
//! A constraint *demands* something in the states where its *when* holds: where what is fair is enabled,
//! or what is live is ready. A step that may begin or end a demand is loud, unless the demand lasts
//! (`lasting.rs`).

use fairly_fairness::{Constraint, Predicate};

use crate::bits::Bits;
use crate::index::{Asked, Index};
use crate::lasting::Asking;
use crate::skeleton::{Need, Skeleton, Tone};
use crate::watched::Names;

/// Marks the steps that may change whether a constraint asks for something, and those that are owed.
pub(crate) fn hide_from_constraints(
    skeleton: &mut Skeleton,
    constraints: &[Constraint],
    names: &Names<'_>,
) {
    let index = Index::new(skeleton);
    let mut heard = vec![(Tone::Quiet, false); index.step_count()];
    for constraint in constraints {
        let mut tone = Tone::Loud;
        if let Some(asking) = Asking::of(constraint, &index, names) {
            asking.owed().into_iter().for_each(|id| heard[id].1 = true);
            if asking.lasts() {
                tone = Tone::Early;
            }
        }
        for predicate in [&constraint.when, &constraint.then] {
            let demand = match predicate {
                Predicate::Enabled(selector) | Predicate::Disabled(selector) => {
                    Demand::enabled(Asked::new(&index, selector, names))
                }
                Predicate::Ready(selector) => Demand::ready(Asked::new(&index, selector, names)),
                Predicate::True | Predicate::Taken(_) | Predicate::Step(_) => continue,
            };
            demand.changing(&mut |id| heard[id].0 = heard[id].0.max(tone));
        }
    }
    let steps = skeleton.slots.iter_mut().flatten().flatten().flat_map(|spot| &mut spot.steps);
    for (step, (tone, owed)) in steps.zip(heard) {
        step.tone = step.tone.max(tone);
        step.owed = owed;
    }
}

/// Facts that decide whether something is enabled, or ready.
struct Demand<'a> {
    asked: Asked<'a>,
    reads: Bits,
    /// Spots where it makes a difference that a process is there, in order.
    matters: Vec<usize>,
    /// Those of them where it is so wherever the others are.
    settles: Vec<usize>,
}

impl<'a> Demand<'a> {
    fn of(asked: Asked<'a>) -> Demand<'a> {
        let reads = Bits::new(asked.index.skeleton.parts);
        Demand { asked, reads, matters: Vec::new(), settles: Vec::new() }
    }

    /// Demand for being ready: the facts that decide whether a process offers something that is asked for.
    fn ready(asked: Asked<'a>) -> Demand<'a> {
        let mut demand = Demand::of(asked);
        let index = demand.asked.index;
        for &id in &demand.asked.steps {
            let (spot, step) = (index.spot(id), index.step(id));
            demand.matters.push(spot);
            demand.reads.join(&step.enabling);
            if step.always_offered && demand.asked.surely(id) && demand.comes_first(id) {
                demand.settles.push(spot);
            }
        }
        demand.sorted()
    }

    /// Demand for being enabled: the facts that decide whether an action that is asked for is enabled.
    fn enabled(asked: Asked<'a>) -> Demand<'a> {
        let mut demand = Demand::of(asked);
        let index = demand.asked.index;
        // A step leads to those after it in the same action.
        let mut leading = demand.asked.steps.clone();
        let mut known: hashbrown::HashSet<usize> = leading.iter().copied().collect();
        let mut next = 0;
        while let Some(&id) = leading.get(next) {
            next += 1;
            let before = index.entering(index.spot(id)).iter().copied();
            leading.extend(before.filter(|&it| index.step(it).holds && known.insert(it)));
        }
        let mut needed = Vec::new();
        for id in leading {
            let (spot, step) = (index.spot(id), index.step(id));
            demand.matters.push(spot);
            demand.reads.join(&step.enabling);
            demand.reads.join(&step.all_reads);
            needed.extend(step.needs.iter().map(Need::offer));
            needed.extend(step.later.iter());
            if step.always_enabled && demand.asked.surely(id) && demand.comes_first(id) {
                demand.settles.push(spot);
            }
        }
        needed.sort_unstable();
        needed.dedup();
        for &id in needed.iter().flat_map(|&offer| index.offering(offer)) {
            let step = index.step(id);
            demand.matters.push(index.spot(id));
            demand.reads.join(&step.enabling);
            demand.reads.join(&step.all_reads);
        }
        demand.sorted()
    }

    fn sorted(mut self) -> Self {
        for spots in [&mut self.matters, &mut self.settles] {
            spots.sort_unstable();
            spots.dedup();
        }
        self
    }

    /// Whether steps that could keep this one from being taken are asked for, too.
    fn comes_first(&self, id: usize) -> bool {
        let index = self.asked.index;
        let rank = index.step(id).rank;
        let mut others = index.steps(index.spot(id));
        others.all(|other| index.step(other).rank >= rank || self.asked.surely(other))
    }

    /// Calls for every step that may change it, perhaps more than once.
    fn changing(&self, visit: &mut dyn FnMut(usize)) {
        let index = self.asked.index;
        let is_in = |spots: &[usize], spot: usize| spots.binary_search(&spot).is_ok();
        for part in self.reads.iter() {
            index.writing(part).iter().for_each(|&id| visit(id));
        }
        for &spot in &self.matters {
            for id in index.steps(spot).chain(index.entering(spot).iter().copied()) {
                let (from, to) = (index.spot(id), index.target(id));
                // Where it can be taken, it is itself something that is enabled.
                let before = is_in(&self.settles, from) || self.asked.surely(id);
                let same = before && to.is_some_and(|to| is_in(&self.settles, to));
                if to != Some(from) && !same {
                    visit(id);
                }
            }
        }
    }
}
