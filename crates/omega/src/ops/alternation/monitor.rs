//! Deterministic monitors of a condition: alternating automata with a simpler one.
//!
//! A monitor reads the marks along each branch and is in one state at a time, so pairs of a state
//! and a monitor's state branch as the states alone do.

use hashbrown::HashMap;

use super::{Branching, Choice};
use crate::acceptance::{Acceptance, Disjunct};
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits, Resource};

/// One Büchi set instead of several: a counter waits for them one after the other.
pub(super) fn counted(
    branching: &Branching,
    clauses: &[MarkSet],
    limits: Limits,
) -> Result<Branching, BudgetError> {
    monitored(branching, &0usize, Acceptance::buchi(), limits, |&at, marks| {
        let mut at = at;
        while at < clauses.len() && clauses[at].intersects(marks) {
            at += 1;
        }
        if at == clauses.len() { (0, MarkSet::first(1)) } else { (at, MarkSet::new()) }
    })
}

/// A Rabin condition instead of any: in each disjunct `Fin(f) & Inf(i) & Inf(j) & …` a counter waits
/// for `i`, `j`, … one after the other, and its coming round is one mark.
pub(super) fn counted_pairs(
    branching: &Branching,
    disjuncts: &[Disjunct],
    limits: Limits,
) -> Result<Branching, BudgetError> {
    let clauses: Vec<(&MarkSet, Vec<Mark>)> =
        disjuncts.iter().map(|it| (&it.fin, it.inf.iter().collect())).collect();
    let rabin = Acceptance::rabin(u32::try_from(clauses.len()).expect("a small condition"));
    let start = vec![0usize; clauses.len()];
    monitored(branching, &start, rabin, limits, |counters, seen| {
        let mut counters = counters.clone();
        let mut marks = MarkSet::new();
        for ((at, (fin, inf)), pair) in counters.iter_mut().zip(&clauses).zip((0..).step_by(2)) {
            if fin.intersects(seen) {
                marks.insert(Mark(pair));
            }
            while *at < inf.len() && seen.contains(inf[*at]) {
                *at += 1;
            }
            if *at == inf.len() {
                *at = 0;
                marks.insert(Mark(pair + 1));
            }
        }
        (counters, marks)
    })
}

/// A parity condition instead of any: the record of which marks were met latest. The marks of the
/// condition stand in a row, and those of an edge move to the front. How far back the last of them
/// stood is a number `p`; the marks that are met infinitely often are in the end the first `p` of
/// the row, for the largest `p` that comes up infinitely often. So `p` decides, and the condition
/// says of these first marks which way.
pub(super) fn latest(branching: &Branching, limits: Limits) -> Result<Branching, BudgetError> {
    let marks: Vec<Mark> = branching.acceptance.marks().iter().collect();
    let condition = &branching.acceptance;
    let colours = 2 * u32::try_from(marks.len()).expect("a small condition") + 2;
    let parity = Acceptance::parity(true, false, colours);
    monitored(branching, &marks, parity, limits, |row, seen| {
        let (mut front, mut back) = (Vec::with_capacity(row.len()), Vec::new());
        let mut depth = 0;
        for (at, &mark) in row.iter().enumerate() {
            if seen.contains(mark) {
                depth = at + 1;
                front.push(mark);
            } else {
                back.push(mark);
            }
        }
        let first: MarkSet = row[..depth].iter().copied().collect();
        let colour = 2 * depth as u32 + u32::from(!condition.accepts(&first));
        front.append(&mut back);
        (front, [Mark(colour)].into_iter().collect())
    })
}

/// Pairs of a state and a state of the monitor that can be reached.
fn monitored<M: Clone + Eq + std::hash::Hash>(
    branching: &Branching,
    start: &M,
    acceptance: Acceptance,
    limits: Limits,
    step: impl Fn(&M, &MarkSet) -> (M, MarkSet),
) -> Result<Branching, BudgetError> {
    let mut numbers: HashMap<(u32, M), u32> = HashMap::new();
    let mut todo: Vec<(u32, M)> = Vec::new();
    let mut number = |pair: (u32, M), todo: &mut Vec<(u32, M)>| {
        let fresh = numbers.len() as u32;
        if fresh as usize >= limits.states {
            return Err(BudgetError { resource: Resource::States, limit: limits.states });
        }
        Ok(*numbers.entry(pair).or_insert_with_key(|pair| {
            todo.push(pair.clone());
            fresh
        }))
    };
    let mut initial = Vec::new();
    for states in &branching.initial {
        let mut pairs = Vec::new();
        for &state in states {
            pairs.push(number((state, start.clone()), &mut todo)?);
        }
        pairs.sort_unstable();
        initial.push(pairs);
    }
    let mut choices: Vec<Vec<Choice>> = Vec::new();
    let mut done = 0;
    while done < todo.len() {
        let (state, monitor) = todo[done].clone();
        done += 1;
        let mut of_pair = Vec::new();
        for choice in &branching.choices[state as usize] {
            let (next, marks) = step(&monitor, &choice.marks);
            let mut targets = Vec::new();
            for &target in &choice.targets {
                targets.push(number((target, next.clone()), &mut todo)?);
            }
            targets.sort_unstable();
            of_pair.push(Choice { label: choice.label, marks, targets });
        }
        choices.push(of_pair);
    }
    Ok(Branching { choices, initial, acceptance })
}
