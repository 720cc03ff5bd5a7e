//! The condition on cycles: what a cycle leaves out has to be taken somewhere on it.
//!
//! The usual provisos look at the search: no ample set may lead back to its stack, or to a state that
//! has been decided before. Then what is left out depends on the order of the search. This one is that
//! of Kurshan, Levin, Minea, Peled and Yenigün (*Static partial order reduction*, TACAS 1998): on every
//! cycle of states, every process that moves goes around a cycle of its locations. It is enough to name,
//! on every cycle of locations, a step that no proper ample set has. Then an ample set is a function
//! of the state, whatever the order of the search and however many search.
//!
//! Two things make that cheap. The steps named are, where there is a choice, those that have most to
//! do with other processes, which are rarely ample anyway. And a cycle of locations that counts, in a
//! variable of the process that its steps only increase, closes no cycle of states: there it is enough
//! that the step that counts is seen to increase the variable, which a look at the state tells.
//!
//! Not every process needs a step of its own. On a cycle of states each channel has as many messages at the end as at
//! the beginning: one that takes a message out of a channel goes around only where another puts one in, and the other
//! way round. So once a step is named in one station of a ring, none has to be named in the others: what they receive
//! comes from there in the end. That is not in the paper; it holds because the channels of each process are known
//! (`known.rs`), and as long as no process is started or leaves on the cycle, which [`start_in_turn`] is about.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use crate::skeleton::{Change, Climb, Skeleton, Step, Tone};

/// Rounds after which cycles are broken in the simplest way.
const ROUNDS: usize = 200;

/// Facts about the variables of a process: where they are, and their ranges.
pub(crate) type Climbs<'a> = dyn Fn(usize, usize, u32, i64) -> Option<Climb> + 'a;

/// Steps that are looked at to break the cycles of all processes together, in all rounds.
const WORK: usize = 20_000_000;

/// A step of a process: from, position, to.
type Way = (usize, usize, usize);

/// Makes sure of the condition, by taking steps out of all proper ample sets.
pub(crate) fn break_all(skeleton: &mut Skeleton, climbs: &Climbs<'_>) {
    let kinds = |(slot, variants): (usize, &Vec<_>)| (0..variants.len()).map(move |it| (slot, it));
    let all: Vec<(usize, usize)> = skeleton.slots.iter().enumerate().flat_map(kinds).collect();
    // Those that start others first: on a cycle that is left they do not move.
    let (starters, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|&(slot, variant)| {
        let mut steps = skeleton.slots[slot][variant].iter().flat_map(|spot| &spot.steps);
        steps.any(|step| !step.starts.is_empty())
    });
    for (slot, variant) in starters {
        Control::new(skeleton, slot, variant).break_cycles(climbs);
    }
    let mut alive: Vec<(usize, usize, Vec<Way>)> = Vec::new();
    for (slot, variant) in others {
        let ways = Control::new(skeleton, slot, variant).alive;
        alive.push((slot, variant, ways));
    }
    let has_fills = skeleton
        .slots
        .iter()
        .flatten()
        .flatten()
        .any(|spot| spot.steps.iter().any(|step| !step.fills.is_empty()));
    if has_fills && start_in_turn(skeleton) {
        break_together(skeleton, &mut alive, climbs);
    }
    for (slot, variant, alive) in alive {
        Control { skeleton: &mut *skeleton, slot, variant, alive }.break_cycles(climbs);
    }
}

/// Whether every process that is started on a cycle of states, without a step that all ample sets leave to others,
/// would be started by one that is there all the time: then there is none, for one that is there all the time goes
/// around a cycle of its locations, and those of the processes that start others are broken.
fn start_in_turn(skeleton: &Skeleton) -> bool {
    let mut numbers = HashMap::new();
    for (slot, variants) in skeleton.slots.iter().enumerate() {
        for variant in 0..variants.len() {
            let next = numbers.len();
            numbers.insert((slot, variant), next);
        }
    }
    let mut edges = Vec::new();
    for (&(slot, variant), &from) in &numbers {
        let steps = skeleton.slots[slot][variant].iter().flat_map(|spot| &spot.steps);
        for (slot, variant) in steps.filter(|it| it.tone < Tone::Loud).flat_map(|it| &it.starts) {
            edges.push((from, numbers[&(*slot as usize, *variant as usize)]));
        }
    }
    let component = components(numbers.len(), edges.iter().copied());
    edges.iter().all(|&(from, to)| component[from] != component[to])
}

/// Breaks cycles of several processes, one after the other, as long as there is time for it.
fn break_together(
    skeleton: &mut Skeleton,
    all: &mut [(usize, usize, Vec<Way>)],
    climbs: &Climbs<'_>,
) {
    let mut work = WORK;
    loop {
        let size: usize = all.iter().map(|(.., ways)| ways.len()).sum();
        if size == 0 || work < size {
            return;
        }
        work -= size;
        if leave_messages(skeleton, all) {
            continue;
        }
        // Counting costs nothing, and neither does a step of a process that has no messages to wait for.
        let mut changed = false;
        let mut best: Option<(usize, usize, Vec<Way>)> = None;
        for (at, (slot, variant, ways)) in all.iter_mut().enumerate() {
            let alive = std::mem::take(ways);
            let mut control =
                Control { skeleton: &mut *skeleton, slot: *slot, variant: *variant, alive };
            let mut dead = Vec::new();
            for steps in control.components() {
                if control.count(&steps, climbs, &mut dead) {
                    continue;
                }
                if !steps.iter().any(|way| !control.step(way).fills.is_empty()) {
                    control.stop(&steps, &mut dead);
                } else if let Some(score) = steps.iter().map(|way| control.score(way).0).max()
                    && best.as_ref().is_none_or(|(known, ..)| *known < score)
                {
                    best = Some((score, at, steps));
                }
            }
            changed |= !dead.is_empty();
            control.remove(dead);
            *ways = std::mem::take(&mut control.alive);
        }
        if let (false, Some((_, at, steps))) = (changed, best) {
            let (slot, variant, ways) = &mut all[at];
            let alive = std::mem::take(ways);
            let mut control =
                Control { skeleton: &mut *skeleton, slot: *slot, variant: *variant, alive };
            let mut dead = Vec::new();
            control.stop(&steps, &mut dead);
            control.remove(dead);
            *ways = std::mem::take(&mut control.alive);
        }
    }
}

/// Leaves only steps that are on cycles of locations, and whose messages come from, or go to, others of them.
/// Whether there were more.
fn leave_messages(skeleton: &Skeleton, all: &mut [(usize, usize, Vec<Way>)]) -> bool {
    let mut filled: HashSet<(u32, bool)> = HashSet::new();
    for (slot, variant, ways) in all.iter() {
        for &(from, at, _) in ways {
            let fills = &skeleton.slots[*slot][*variant][from].steps[at].fills;
            filled.extend(fills.iter().map(|&(channel, fill)| (channel, fill.puts())));
        }
    }
    let mut changed = false;
    for (slot, variant, ways) in all.iter_mut() {
        let before = ways.len();
        let spots = &skeleton.slots[*slot][*variant];
        ways.retain(|&(from, at, _)| {
            let mut fills = spots[from].steps[at].fills.iter();
            fills
                .all(|(channel, fill)| !fill.surely() || filled.contains(&(*channel, !fill.puts())))
        });
        let component = components(spots.len(), ways.iter().map(|&(from, _, to)| (from, to)));
        ways.retain(|&(from, _, to)| component[from] == component[to]);
        changed |= ways.len() < before;
    }
    changed
}

struct Control<'a> {
    skeleton: &'a mut Skeleton,
    slot: usize,
    variant: usize,
    /// Steps that are looked at.
    alive: Vec<Way>,
}

impl Control<'_> {
    fn new(skeleton: &mut Skeleton, slot: usize, variant: usize) -> Control<'_> {
        let mut control = Control { skeleton, slot, variant, alive: Vec::new() };
        control.alive = control.unheard();
        control
    }

    fn step(&self, &(from, at, _): &Way) -> &Step {
        &self.skeleton.slots[self.slot][self.variant][from].steps[at]
    }

    /// The steps that may be in an ample set that leaves something out.
    fn unheard(&self) -> Vec<Way> {
        let spots = self.skeleton.slots[self.slot][self.variant].iter().enumerate();
        let mut all = Vec::new();
        for (from, spot) in spots {
            for (at, step) in spot.steps.iter().enumerate() {
                if let (true, Some(to)) = (step.tone < Tone::Loud && !step.never, step.target) {
                    all.push((from, at, to as usize));
                }
            }
        }
        all
    }

    /// The steps that are on cycles of locations, by component; others are not looked at any more.
    fn components(&mut self) -> Vec<Vec<Way>> {
        let components = components(
            self.skeleton.slots[self.slot][self.variant].len(),
            self.alive.iter().map(|&(from, _, to)| (from, to)),
        );
        self.alive.retain(|&(from, _, to)| components[from] == components[to]);
        let mut by_component: BTreeMap<usize, Vec<Way>> = BTreeMap::new();
        for &step in &self.alive {
            by_component.entry(components[step.0]).or_default().push(step);
        }
        by_component.into_values().collect()
    }

    fn remove(&mut self, dead: Vec<Way>) {
        let dead: HashSet<_> = dead.into_iter().collect();
        self.alive.retain(|step| !dead.contains(step));
    }

    fn break_cycles(&mut self, climbs: &Climbs<'_>) {
        for round in 0.. {
            let components = self.components();
            if self.alive.is_empty() {
                return;
            }
            if round == ROUNDS {
                return self.break_simply();
            }
            let mut dead = Vec::new();
            for steps in components {
                if !self.count(&steps, climbs, &mut dead) {
                    self.stop(&steps, &mut dead);
                }
            }
            self.remove(dead);
        }
    }

    /// Breaks the cycles that count; `false` if there is no variable that does.
    fn count(&mut self, steps: &[Way], climbs: &Climbs<'_>, dead: &mut Vec<Way>) -> bool {
        let mut variables: HashMap<u32, Option<i64>> = HashMap::new();
        for &(from, at, _) in steps {
            let step = &self.skeleton.slots[self.slot][self.variant][from].steps[at];
            for &(variable, change) in &step.changes {
                let known = variables.get(&variable).copied();
                let sign = match (change, known) {
                    (Change::By(by), None) if by != 0 => Some(by.signum()),
                    (Change::By(by), Some(Some(sign))) if by.signum() == sign => Some(sign),
                    _ => None,
                };
                variables.insert(variable, sign);
            }
        }
        let mut counting: Vec<u32> =
            variables.iter().filter(|(_, sign)| sign.is_some()).map(|(&it, _)| it).collect();
        counting.sort_unstable();
        for variable in counting {
            let mut found = Vec::new();
            for &(from, at, to) in steps {
                let step = &self.skeleton.slots[self.slot][self.variant][from].steps[at];
                let change = step.changes.iter().find(|(other, _)| *other == variable);
                let Some((_, Change::By(by))) = change else { continue };
                let Some(climb) = climbs(self.slot, self.variant, variable, *by) else {
                    found.clear();
                    break;
                };
                found.push(((from, at, to), climb));
            }
            if found.is_empty() {
                continue;
            }
            for (step, climb) in found {
                let of = &mut self.skeleton.slots[self.slot][self.variant][step.0].steps[step.1];
                of.climb = Some(climb);
                dead.push(step);
            }
            return true;
        }
        false
    }

    /// How much a step has to do with others, and where it begins.
    fn score(&self, way: &Way) -> (usize, usize) {
        (self.skeleton.disturbed(self.slot, self.step(way)), way.0)
    }

    /// Takes the steps of one location out of all proper ample sets: of the one that has most to do
    /// with others.
    fn stop(&mut self, steps: &[Way], dead: &mut Vec<Way>) {
        let Some(&(chosen, ..)) = steps.iter().max_by_key(|step| self.score(step)) else { return };
        for &step in steps.iter().filter(|(from, ..)| *from == chosen) {
            self.skeleton.slots[self.slot][self.variant][step.0].steps[step.1].tone = Tone::Loud;
            dead.push(step);
        }
    }

    /// Every cycle has a step that does not lead to a location with a greater number.
    fn break_simply(&mut self) {
        for &(from, at, to) in &self.alive {
            if to <= from {
                self.skeleton.slots[self.slot][self.variant][from].steps[at].tone = Tone::Loud;
            }
        }
    }
}

/// The strongly connected component of every node, by number; Tarjan's algorithm without recursion. A component
/// has a greater number than those that it leads to.
pub(crate) fn components(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    edges.for_each(|(from, to)| next[from].push(to));
    let (mut index, mut low) = (vec![NONE; count], vec![0; count]);
    let mut component = vec![NONE; count];
    let (mut stack, mut path, mut met, mut found) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..count {
        if index[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 && index[node] == NONE {
                (index[node], low[node]) = (met, met);
                met += 1;
                stack.push(node);
            }
            match next[node].get(*at).copied() {
                Some(to) => {
                    *at += 1;
                    if index[to] == NONE {
                        path.push((to, 0));
                    } else if component[to] == NONE {
                        low[node] = low[node].min(index[to]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                    if low[node] == index[node] {
                        while let Some(member) = stack.pop() {
                            component[member] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    component
}
