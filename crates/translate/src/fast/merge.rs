//! Merging states by trial.
//!
//! Merging two states, their edges put together, loses no run, so the language can only grow; and
//! it has not grown beyond the formula's if the result still shares no word with the automaton of
//! the negation. That is one emptiness test of a product for each pair of states, and finds merges
//! that no simulation relation justifies (a state need not be simulated by, nor even have the
//! language of, the state it is merged with). Marks are dropped from the condition in the same way.
//!
//! A pair that cannot be merged now cannot be merged later, when the language is larger, so every
//! pair is tried once a round. The product is of small automata; larger ones are left alone.

use fairly_omega::ops;
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Import, Label, Letters, Mark, MarkSet, Prop, StateId,
};

/// Steps of the product that all trials of one round together may look at.
const MOST_STEPS: usize = 4_000_000;

/// The automaton with states merged and marks dropped as far as it still does not meet `opposite`,
/// the automaton of the negation over the same propositions.
pub(super) fn merge_states(
    automaton: Automaton,
    opposite: &Automaton,
) -> Result<Automaton, BudgetError> {
    let mut current = automaton;
    loop {
        let Some(merged) = round(&current, opposite)? else { return Ok(current) };
        let merged = ops::reduce(&merged)?;
        if merged.state_count() < current.state_count() {
            current = merged;
        } else if merged.state_count() == current.state_count()
            && merged.mark_count() < current.mark_count()
        {
            return Ok(merged);
        } else {
            return Ok(current);
        }
    }
}

/// One pass over all pairs; `None` if nothing changed or the automata are too large.
fn round(automaton: &Automaton, opposite: &Automaton) -> Result<Option<Automaton>, BudgetError> {
    let Some(product) = Product::new(automaton, opposite)? else { return Ok(None) };
    let states = automaton.state_count();
    let mut merged: Vec<u32> = (0..states as u32).collect();
    let mut dropped = 0u64;
    let mut changed = false;
    if states.saturating_mul(states).saturating_mul(product.steps.len()) > MOST_STEPS {
        return Ok(None);
    }
    for one in 0..states as u32 {
        for other in one + 1..states as u32 {
            if merged[one as usize] == merged[other as usize] || merged[other as usize] != other {
                continue;
            }
            let mut trial = merged.clone();
            let into = merged[one as usize];
            trial.iter_mut().filter(|class| **class == other).for_each(|class| *class = into);
            if product.is_empty(&trial, dropped) {
                merged = trial;
                changed = true;
            }
        }
    }
    for mark in 0..automaton.mark_count() {
        let trial = dropped | 1 << mark;
        if product.is_empty(&merged, trial) {
            dropped = trial;
            changed = true;
        }
    }
    if !changed {
        return Ok(None);
    }
    let kept: Vec<Mark> =
        (0..automaton.mark_count()).filter(|mark| dropped >> mark & 1 == 0).map(Mark).collect();
    let mut builder = automaton.like();
    builder.map_marks(|set: &MarkSet| {
        set.map(|mark| kept.binary_search(&mark).ok().map(|at| Mark(at as u32)))
    });
    let count = kept.len() as u32;
    builder.set_acceptance(Acceptance::generalized_buchi(count), count);
    let classes: Vec<u32> = (0..states as u32).filter(|&s| merged[s as usize] == s).collect();
    let number = |state: StateId| {
        let class = merged[state.index()];
        StateId::from_index(classes.binary_search(&class).expect("a class stands for itself"))
    };
    builder.add_states(classes.len());
    automaton.initial().iter().for_each(|&state| builder.add_initial(number(state)));
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let marks = automaton
                .marks(edge.marks)
                .map(|mark| kept.binary_search(&mark).ok().map(|at| Mark(at as u32)));
            builder.add_edge(number(state), edge.label, marks, number(edge.target));
        }
    }
    Ok(Some(builder.build()))
}

/// All pairs of states of two automata, with the steps that both can take together.
struct Product {
    /// Steps of the pair `a * others + b` are `steps[first[..]..first[.. + 1]]`.
    first: Vec<u32>,
    steps: Vec<Step>,
    others: u32,
    initial: Vec<(u32, u32)>,
    all: u64,
}

#[derive(Clone, Copy)]
struct Step {
    a: u32,
    b: u32,
    marks: u64,
}

impl Product {
    /// `None` if a condition is not generalized Büchi or the product is too large.
    fn new(left: &Automaton, right: &Automaton) -> Result<Option<Self>, BudgetError> {
        let (width, other_width) = (left.mark_count(), right.mark_count());
        let generalized = |automaton: &Automaton| {
            let marks = automaton.mark_count();
            *automaton.acceptance() == Acceptance::generalized_buchi(marks)
        };
        let pairs = left.state_count().saturating_mul(right.state_count());
        let joint = left.edge_count().saturating_mul(right.edge_count());
        let small = pairs < 1 << 16 && joint < 1 << 20 && width + other_width < 64;
        if !small || !generalized(left) || !generalized(right) {
            return Ok(None);
        }
        assert_eq!(left.propositions(), right.propositions());
        let mut letters = left.letters().clone();
        let same: Vec<Prop> = (0..).map(Prop).take(left.propositions().len()).collect();
        let mut import = Import::new(right.letters(), &same);
        let mut labels = Vec::with_capacity(right.edge_count());
        for edge in right.all_edges() {
            labels.push(import.label(&mut letters, edge.label)?);
        }
        let mut others: Vec<Vec<(Label, u32, u64)>> = Vec::new();
        let mut next = labels.into_iter();
        for state in right.states() {
            let edges = right.edges(state).iter();
            others.push(
                edges
                    .map(|edge| {
                        let label = next.next().expect("as many labels as edges");
                        (label, edge.target.0, bits(right.marks(edge.marks)) << width)
                    })
                    .collect(),
            );
        }
        let mut this = Product {
            first: vec![0],
            steps: Vec::new(),
            others: right.state_count() as u32,
            initial: Vec::new(),
            all: (1 << (width + other_width)) - 1,
        };
        for &a in left.initial() {
            this.initial.extend(right.initial().iter().map(|b| (a.0, b.0)));
        }
        let mut meets = hashbrown::HashMap::new();
        for state in left.states() {
            for row in &others {
                for edge in left.edges(state) {
                    for &(label, b, marks) in row {
                        let key = (edge.label, label);
                        let meet = match meets.get(&key) {
                            Some(&known) => known,
                            None => {
                                let meet = meet(&mut letters, edge.label, label)?;
                                meets.insert(key, meet);
                                meet
                            }
                        };
                        if meet {
                            let marks = marks | bits(left.marks(edge.marks));
                            this.steps.push(Step { a: edge.target.0, b, marks });
                        }
                    }
                }
                this.first.push(this.steps.len() as u32);
            }
        }
        Ok(Some(this))
    }

    /// Whether no run is accepted when the left states are merged into the classes given and the
    /// left marks of `dropped` are not asked for. Components by Tarjan's algorithm.
    fn is_empty(&self, merged: &[u32], dropped: u64) -> bool {
        let all = self.all & !dropped;
        let others = self.others as usize;
        let node = |a: u32, b: u32| merged[a as usize] as usize * others + b as usize;
        let members: Vec<Vec<u32>> = {
            let mut members = vec![Vec::new(); merged.len()];
            for (state, &class) in merged.iter().enumerate() {
                members[class as usize].push(state as u32);
            }
            members
        };
        // The step of a node with this position, over all members of its class.
        let step = |at: usize, nth: &mut (usize, usize)| -> Option<Step> {
            let (class, b) = (at / others, at % others);
            loop {
                let member = *members[class].get(nth.0)? as usize;
                let pair = member * others + b;
                let from = self.first[pair] as usize + nth.1;
                if from < self.first[pair + 1] as usize {
                    nth.1 += 1;
                    return Some(self.steps[from]);
                }
                *nth = (nth.0 + 1, 0);
            }
        };
        const CLOSED: u32 = u32::MAX;
        let mut order = vec![0u32; merged.len() * others];
        let mut count = 0;
        // Open nodes with the marks seen inside their component so far, kept at its root.
        let mut open: Vec<usize> = Vec::new();
        struct Frame {
            at: usize,
            number: u32,
            low: u32,
            nth: (usize, usize),
            /// Marks of the step that led here, and those inside the component below.
            entry: u64,
            inside: u64,
            cyclic: bool,
        }
        let mut path: Vec<Frame> = Vec::new();
        for &(a, b) in &self.initial {
            let root = node(a, b);
            if order[root] != 0 {
                continue;
            }
            count += 1;
            order[root] = count;
            open.push(root);
            let frame = |at, number, entry| Frame {
                at,
                number,
                low: number,
                nth: (0, 0),
                entry,
                inside: 0,
                cyclic: false,
            };
            path.push(frame(root, count, 0));
            while let Some(top) = path.last_mut() {
                if let Some(step) = step(top.at, &mut top.nth) {
                    let target = node(step.a, step.b);
                    match order[target] {
                        0 => {
                            count += 1;
                            order[target] = count;
                            open.push(target);
                            path.push(frame(target, count, step.marks));
                        }
                        CLOSED => {}
                        number => {
                            top.low = top.low.min(number);
                            top.inside |= step.marks;
                            top.cyclic = true;
                            // Everything from the target up to here is one component; its marks are
                            // gathered when the frames are popped.
                        }
                    }
                    continue;
                }
                let done = path.pop().expect("just looked at");
                if done.low == done.number {
                    if done.cyclic && done.inside & all == all {
                        return false;
                    }
                    while let Some(member) = open.pop() {
                        order[member] = CLOSED;
                        if member == done.at {
                            break;
                        }
                    }
                } else {
                    let parent = path.last_mut().expect("a root closes its own component");
                    parent.low = parent.low.min(done.low);
                    parent.inside |= done.inside | done.entry;
                    parent.cyclic = true;
                }
            }
        }
        true
    }
}

fn bits(set: &MarkSet) -> u64 {
    set.iter().fold(0, |bits, mark| bits | 1 << mark.0)
}

fn meet(letters: &mut Letters, a: Label, b: Label) -> Result<bool, BudgetError> {
    Ok(letters.and(a, b)? != Label::FALSE)
}
