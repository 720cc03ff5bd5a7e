//! Parity conditions with as few marks as the structure of the automaton allows.
//!
//! Carton and Maceiras ("Computing the Rabin index of a parity automaton", RAIRO 1999): in a
//! strongly connected part, the edges of the largest priority only have to beat what can happen
//! without them. So take them away, number the components that are left, and give them the least
//! priority of their parity that is not smaller. Here priorities are on edges, and all parts of the
//! same depth are decomposed in one pass, so that the work is linear in the edges for each of the
//! original priorities, and nothing recurses.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge, StateId};
use crate::marks::{Mark, MarkSet};
use crate::scc::Components;

/// A part of the automaton on one level of the decomposition.
struct Part {
    parent: usize,
    largest: u32,
    /// The largest new priority among the parts inside it.
    inside: Option<u32>,
}

const NONE: usize = usize::MAX;

/// An automaton with a parity condition of the largest mark, in the fewest marks.
pub(crate) struct Coloured {
    pub(crate) automaton: Automaton,
    /// The priority of a run that sees no mark, 0 or 1. The mark `m` has the priority
    /// `least + 1 + m`; even priorities accept.
    pub(crate) least: u32,
}

impl Coloured {
    /// The priority of a set of marks.
    pub(crate) fn priority(&self, marks: &MarkSet) -> u32 {
        self.least + marks.iter().last().map_or(0, |mark| mark.0 + 1)
    }
}

/// Writes a parity condition with the fewest marks: the largest priority that is seen infinitely
/// often accepts when it is even. The acceptance condition that the automaton has now is not
/// looked at.
pub(crate) fn fewest(automaton: &Automaton, priority: impl Fn(&MarkSet) -> u32) -> Coloured {
    let edges = automaton.all_edges();
    let by_set: Vec<u32> = automaton.mark_table().iter().map(|(_, set)| priority(set)).collect();
    let priority = |edge: &Edge| by_set[edge.marks.index()];
    let position = |edge: &Edge| edges.element_offset(edge).expect("an edge of the automaton");

    let mut parts: Vec<Part> = Vec::new();
    // The innermost part that an edge is in so far, and the part whose largest priority it has.
    let mut inside = vec![NONE; edges.len()];
    let mut settled = vec![NONE; edges.len()];
    let mut active = vec![true; edges.len()];
    let states: Vec<StateId> = automaton.states().collect();
    let mut any = !edges.is_empty();
    while any {
        any = false;
        let components =
            Components::restricted(automaton, &states, |_, edge| active[position(edge)]);
        let mut part_of = vec![NONE; components.count()];
        for &state in &states {
            for edge in automaton.edges(state) {
                let at = position(edge);
                if !active[at] {
                    continue;
                }
                if !components.together(state, edge.target) {
                    active[at] = false;
                    continue;
                }
                any = true;
                let component = components.component(state).expect("every state is a root");
                let part = &mut part_of[component.index()];
                if *part == NONE {
                    *part = parts.len();
                    parts.push(Part { parent: inside[at], largest: 0, inside: None });
                }
                inside[at] = *part;
                parts[*part].largest = parts[*part].largest.max(priority(edge));
            }
        }
        for (at, edge) in edges.iter().enumerate() {
            if active[at] && parts[inside[at]].largest == priority(edge) {
                active[at] = false;
                settled[at] = inside[at];
            }
        }
    }

    // Parts come after the parts around them.
    let mut colour = vec![0; parts.len()];
    for part in (0..parts.len()).rev() {
        let Part { parent, largest, inside } = parts[part];
        colour[part] = match inside {
            None => largest % 2,
            Some(inside) => inside + (inside + largest) % 2,
        };
        if parent != NONE {
            let around = &mut parts[parent].inside;
            *around = Some(around.map_or(colour[part], |other| other.max(colour[part])));
        }
    }
    let used = || settled.iter().filter(|&&part| part != NONE).map(|&part| colour[part]);
    let least = used().min().unwrap_or(1);
    let most = used().max().unwrap_or(1);
    // The least priority needs no mark: a run that sees none has it. The others are renumbered
    // from 0, which keeps the condition a parity condition of HOA, of the other name if the least
    // priority was even.
    let acceptance = Acceptance::parity(true, least % 2 == 0, most - least);
    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    builder.set_acceptance(acceptance, most - least);
    *builder.mark_table_mut() = Default::default();
    builder.add_states(automaton.state_count());
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    for &state in &states {
        for edge in automaton.edges(state) {
            let marks: MarkSet = match settled[position(edge)] {
                NONE => MarkSet::new(),
                part => (colour[part] > least)
                    .then(|| Mark(colour[part] - least - 1))
                    .into_iter()
                    .collect(),
            };
            builder.add_edge(state, edge.label, marks, edge.target);
        }
    }
    Coloured { automaton: builder.build(), least }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Label};

    /// Closed walks keep their verdict, and nothing stays larger than it must in known cases.
    #[test]
    fn every_cycle_keeps_its_verdict() {
        let mut x = 11u64;
        let mut random = |below: u64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 33) % below
        };
        let mut shorter = 0;
        for case in 0..300 {
            let states = 1 + random(6);
            let mut builder = Builder::new(vec![]);
            builder.add_states(states as usize);
            builder.add_initial(StateId(0));
            for from in 0..states {
                for _ in 0..1 + random(3) {
                    let marks = [Mark(random(7) as u32)].into_iter().collect();
                    let to = StateId(random(states) as u32);
                    builder.add_edge(StateId(from as u32), Label::TRUE, marks, to);
                }
            }
            let before = builder.build();
            let priority = |marks: &MarkSet| marks.iter().last().map_or(0, |mark| mark.0);
            let after = fewest(&before, priority);
            shorter += u32::from(after.automaton.mark_count() < 5);
            for _ in 0..30 {
                // A random walk; every closed part of it is a cycle to judge.
                let mut walk = vec![(StateId(0), 0, MarkSet::new())];
                for _ in 0..30 {
                    let at = walk.last().unwrap().0;
                    let nth = random(before.edges(at).len() as u64) as usize;
                    let (old, new) = (before.edges(at)[nth], after.automaton.edges(at)[nth]);
                    assert_eq!(old.target, new.target);
                    let seen = priority(before.marks(old.marks));
                    walk.push((old.target, seen, after.automaton.marks(new.marks).clone()));
                }
                for from in 0..walk.len() {
                    for to in from + 1..walk.len() {
                        if walk[from].0 != walk[to].0 {
                            continue;
                        }
                        let lap = &walk[from + 1..=to];
                        let largest = lap.iter().map(|step| step.1).max().unwrap();
                        let seen = lap.iter().fold(MarkSet::new(), |all, step| all.union(&step.2));
                        let accepted = after.automaton.acceptance().accepts(&seen);
                        assert_eq!(accepted, largest % 2 == 0, "case {case}");
                        assert_eq!(after.priority(&seen) % 2 == 0, accepted, "case {case}");
                    }
                }
            }
        }
        assert!(shorter > 200, "{shorter} of 300 got fewer marks");
    }
}
