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

use hashbrown::{HashMap, HashSet};

use crate::skeleton::{Change, Climb, Skeleton, Tone};

/// Rounds after which cycles are broken in the simplest way.
const ROUNDS: usize = 200;

/// What is known of the variables of a process: where they are, and their ranges.
pub(crate) type Climbs<'a> = dyn Fn(usize, usize, u32, i64) -> Option<Climb> + 'a;

/// Makes sure of the condition, by taking steps out of all proper ample sets.
pub(crate) fn break_all(skeleton: &mut Skeleton, climbs: &Climbs<'_>) {
    for slot in 0..skeleton.slots.len() {
        for variant in 0..skeleton.slots[slot].len() {
            let mut control = Control { skeleton, slot, variant, alive: Vec::new() };
            control.alive = control.unheard();
            control.break_cycles(climbs);
        }
    }
}

struct Control<'a> {
    skeleton: &'a mut Skeleton,
    slot: usize,
    variant: usize,
    /// Steps that are looked at: from, position, to.
    alive: Vec<(usize, usize, usize)>,
}

impl Control<'_> {
    /// The steps that may be in an ample set that leaves something out.
    fn unheard(&self) -> Vec<(usize, usize, usize)> {
        let spots = self.skeleton.slots[self.slot][self.variant].iter().enumerate();
        let mut all = Vec::new();
        for (from, spot) in spots {
            for (at, step) in spot.steps.iter().enumerate() {
                if let (true, Some(to)) = (step.tone < Tone::Loud, step.target) {
                    all.push((from, at, to as usize));
                }
            }
        }
        all
    }

    fn break_cycles(&mut self, climbs: &Climbs<'_>) {
        for round in 0.. {
            let components = components(
                self.skeleton.slots[self.slot][self.variant].len(),
                self.alive.iter().map(|&(from, _, to)| (from, to)),
            );
            let inside =
                |&(from, _, to): &(usize, usize, usize)| components[from] == components[to];
            self.alive.retain(inside);
            if self.alive.is_empty() {
                return;
            }
            if round == ROUNDS {
                return self.break_simply();
            }
            let mut by_component: HashMap<usize, Vec<(usize, usize, usize)>> = HashMap::new();
            for &step in &self.alive {
                by_component.entry(components[step.0]).or_default().push(step);
            }
            let mut dead = Vec::new();
            for steps in by_component.values() {
                if !self.count(steps, climbs, &mut dead) {
                    self.stop(steps, &mut dead);
                }
            }
            let dead: HashSet<_> = dead.into_iter().collect();
            self.alive.retain(|step| !dead.contains(step));
        }
    }

    /// Breaks the cycles that count; `false` if there is no variable that does.
    fn count(
        &mut self,
        steps: &[(usize, usize, usize)],
        climbs: &Climbs<'_>,
        dead: &mut Vec<(usize, usize, usize)>,
    ) -> bool {
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

    /// Takes the steps of one location out of all proper ample sets: of the one that has most to do
    /// with others.
    fn stop(&mut self, steps: &[(usize, usize, usize)], dead: &mut Vec<(usize, usize, usize)>) {
        let score = |&(from, at, _): &(usize, usize, usize)| {
            let step = &self.skeleton.slots[self.slot][self.variant][from].steps[at];
            (self.skeleton.disturbed(self.slot, step), from)
        };
        let Some(&(chosen, ..)) = steps.iter().max_by_key(|step| score(step)) else { return };
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
