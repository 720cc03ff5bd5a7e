//! Reduction: a smaller automaton for the same language.
//!
//! [`reduce`] repeats until nothing gets smaller: trim, simplify the marks and the condition,
//! merge bisimilar states ([`bisimulation_quotient`]), and, for automata of moderate size, merge
//! states and drop edges by direct simulation forwards and backwards (the proofs are with the code,
//! in `simulation.rs`).
//!
//! Marks stand in the way of merging where they do not matter. So before each round
//!
//! - in components that accept nothing all edges get the same rejected marks, in components where
//!   every cycle is accepted the same accepted ones;
//! - edges between components, whose marks never matter, get the worst marks in one round and the
//!   best in the next: with the worst they are easily answered, with the best they answer easily;
//! - an automaton in which every component is of one of these kinds (inherently weak) gets the
//!   condition `Inf(0)`, on states. Its transient states then take the colour that Löding
//!   ("Efficient minimization of deterministic weak ω-automata", IPL 2001) gives them, in every
//!   other round; for deterministic weak automata the result is minimal.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::emptiness::has_accepting_cycle;
use crate::marks::{Mark, MarkSet, MarkSetId};
use crate::ops::bisimulation::bisimulation_quotient;
use crate::ops::parts::{accepted_marks, rejected_marks, restrict};
use crate::ops::simulation::{Direction, reduce_by_simulation};
use crate::ops::trim::{accepting_components, purge, renumber_marks, trim};
use crate::refused::BudgetError;
use crate::scc::Components;

/// Configuration of [`reduce_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Replace it by a simpler one where the automaton allows: `t` or `Inf(0)` for weak
    /// automata, without sets that others imply, marks in a row.
    #[default]
    Simplify,
    /// Leave the formula as it is; only marks on edges change.
    Keep,
}

/// How [`reduce_with`] works.
#[derive(Clone, Copy, Debug)]
pub struct ReduceConfig {
    /// Permitted changes to the acceptance condition.
    pub condition: Condition,
    /// Automata with more states are reduced by bisimulation only, since simulation compares
    /// all pairs of states.
    pub simulation_states: usize,
}

impl Default for ReduceConfig {
    fn default() -> Self {
        ReduceConfig { condition: Condition::Simplify, simulation_states: 3_000 }
    }
}

/// The automaton reduced with the default [`ReduceConfig`].
///
/// # Errors
/// When the labels do not fit in the store.
///
/// ```
/// use fairly_omega::{Builder, Prop, Label, ops::reduce};
/// // Eventually p, with the wait on every letter and a doubled end.
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(fairly_omega::Acceptance::buchi(), 1);
/// let mark = fairly_omega::MarkSet::first(1);
/// let wait = builder.add_states(3);
/// let (one, two) = (fairly_omega::StateId(1), fairly_omega::StateId(2));
/// builder.add_initial(wait);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_edge(wait, Label::TRUE, Default::default(), wait);
/// builder.add_edge(wait, p, Default::default(), one);
/// builder.add_edge(one, Label::TRUE, mark.clone(), two);
/// builder.add_edge(two, Label::TRUE, mark, one);
/// let reduced = reduce(&builder.build()).unwrap();
/// assert_eq!((reduced.state_count(), reduced.edge_count()), (2, 3));
/// assert!(reduced.is_deterministic().unwrap());
/// ```
pub fn reduce(automaton: &Automaton) -> Result<Automaton, BudgetError> {
    reduce_with(automaton, &ReduceConfig::default())
}

/// The automaton reduced: never more states, the same language. Marks of the result need not be
/// on states even if those of the operand are ([`crate::ops::to_state_based`]).
///
/// # Errors
/// When the labels do not fit in the store.
pub fn reduce_with(automaton: &Automaton, config: &ReduceConfig) -> Result<Automaton, BudgetError> {
    // Before any mark is changed: copies of a state may lie in components of different kinds, and
    // would be told apart by the marks that `prepare` gives them.
    let mut current = bisimulation_quotient(&trim(automaton))?;
    let mut round = Round::First;
    let mut idle = 0;
    while idle < 2 && current.state_count() > 0 {
        let size = (current.state_count(), current.edge_count());
        current = bisimulation_quotient(&prepare(&current, config, round))?;
        if current.state_count() <= config.simulation_states {
            for direction in [Direction::Forward, Direction::Backward] {
                if let Some(smaller) = reduce_by_simulation(&current, direction)? {
                    current = smaller;
                }
            }
            current = trim(&current);
        }
        let unchanged = size == (current.state_count(), current.edge_count());
        idle = if unchanged { idle + 1 } else { 0 };
        round = round.next();
    }
    Ok(finish(&current, config))
}

/// Which marks edges that are taken finitely often get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    First,
    Second,
}

impl Round {
    fn next(self) -> Self {
        match self {
            Round::First => Round::Second,
            Round::Second => Round::First,
        }
    }
}

/// How a component judges the runs that stay in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Trivial,
    Accepts,
    Rejects,
    Mixed,
}

fn kinds(automaton: &Automaton, components: &Components, accepting: &[bool]) -> Vec<Kind> {
    let dual = automaton.acceptance().dual();
    components
        .ids()
        .map(|id| {
            if components.is_trivial(id) {
                return Kind::Trivial;
            }
            if !accepting[id.index()] {
                return Kind::Rejects;
            }
            let rejecting = dual.restrict(components.marks(id));
            if has_accepting_cycle(automaton, components.members(id), &rejecting).unwrap_or(true) {
                Kind::Mixed
            } else {
                Kind::Accepts
            }
        })
        .collect()
}

/// Gives all edges marks that make merging easier.
fn prepare(automaton: &Automaton, config: &ReduceConfig, round: Round) -> Automaton {
    let components = Components::of(automaton);
    let accepting = accepting_components(automaton, &components);
    let kinds = kinds(automaton, &components, &accepting);
    if config.condition == Condition::Simplify && !kinds.contains(&Kind::Mixed) {
        return weak(automaton, &components, &kinds, round);
    }
    let mut simple = automaton.clone();
    if config.condition == Condition::Simplify {
        simple = simplify(&purge(automaton));
    }
    let condition = simple.acceptance().clone();
    let (fin, inf) = condition.polarity();
    let transient = match round {
        Round::First => fin.difference(&inf),
        Round::Second => inf.difference(&fin),
    };
    // Without them, for conditions too large to find them, components keep their marks.
    let rejected = rejected_marks(&condition).ok().flatten();
    let accepted = accepted_marks(&condition).ok().flatten();
    let used = fin.union(&inf);
    let table = simple.mark_table().len();
    let mut kept: Vec<Option<MarkSetId>> = vec![None; table];
    restrict(
        &simple,
        |_| true,
        |builder, state, &old| {
            let mut edge = old;
            let own = components.component(state);
            let uniform = match own {
                Some(id) if components.component(old.target) == own => match kinds[id.index()] {
                    Kind::Accepts => accepted.as_ref(),
                    Kind::Rejects => rejected.as_ref(),
                    Kind::Mixed | Kind::Trivial => None,
                },
                _ => Some(&transient),
            };
            edge.marks = match uniform {
                Some(marks) => builder.mark_table_mut().intern(marks.clone()),
                None => *kept[old.marks.index()].get_or_insert_with(|| {
                    let marks = simple.marks(old.marks).intersection(&used);
                    builder.mark_table_mut().intern(marks)
                }),
            };
            Some(edge)
        },
    )
}

/// The automaton, in which every component accepts or rejects as a whole, with `Inf(0)` on states,
/// or `t` if no component rejects.
fn weak(automaton: &Automaton, components: &Components, kinds: &[Kind], round: Round) -> Automaton {
    let trivial = !kinds.contains(&Kind::Rejects);
    let mut colour = vec![0u32; components.count()];
    for id in components.ids() {
        let mut highest = 0;
        for &state in components.members(id) {
            for edge in automaton.edges(state) {
                let target = components.component(edge.target).expect("reached");
                if target != id {
                    highest = highest.max(colour[target.index()]);
                }
            }
        }
        colour[id.index()] = match (kinds[id.index()], round) {
            (Kind::Trivial, Round::First) => highest,
            (Kind::Accepts, _) => highest + highest % 2,
            (Kind::Trivial, Round::Second) | (Kind::Rejects | Kind::Mixed, _) => {
                highest + 1 - highest % 2
            }
        };
    }
    let mut builder = automaton.like();
    builder.map_marks(|_| MarkSet::new());
    let marked = builder.mark_table_mut().intern(MarkSet::from_iter([Mark(0)]));
    let condition = if trivial { Acceptance::True } else { Acceptance::buchi() };
    builder.set_acceptance(condition, u32::from(!trivial));
    let accepts = |state: StateId| {
        let id = components.component(state).expect("trimmed");
        !trivial && colour[id.index()].is_multiple_of(2)
    };
    builder.set_name(automaton.name().map(str::to_owned));
    builder.add_states(automaton.state_count());
    for state in automaton.states() {
        if let Some(name) = automaton.state_name(state) {
            builder.set_state_name(state, name.to_owned());
        }
        for &old in automaton.edges(state) {
            let mut edge = old;
            edge.marks = if accepts(state) { marked } else { MarkSetId::EMPTY };
            builder.add_interned(state, edge);
        }
    }
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    builder.build()
}

/// Drops from the condition what the edges inside components decide: marks that all of them carry
/// or none does, marks that always come together, and, in conjunctions of `Inf`, sets that contain
/// another.
fn simplify(automaton: &Automaton) -> Automaton {
    let components = Components::of(automaton);
    let mut inside = vec![false; automaton.mark_table().len()];
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            inside[edge.marks.index()] |= components.together(state, edge.target);
        }
    }
    let sets: Vec<&MarkSet> = automaton
        .mark_table()
        .iter()
        .filter(|(id, _)| inside[id.index()])
        .map(|(_, set)| set)
        .collect();
    let (mut some, mut all) = (MarkSet::new(), None::<MarkSet>);
    for set in &sets {
        some.union_with(set);
        all = Some(all.map_or_else(|| (*set).clone(), |all| all.intersection(set)));
    }
    let all = all.unwrap_or_default();
    let old = automaton.acceptance();
    let mut condition = old.restrict(&some).map(&mut |atom| match atom {
        Acceptance::Inf(mark) if all.contains(*mark) => Acceptance::True,
        Acceptance::Fin(mark) if all.contains(*mark) => Acceptance::False,
        other => other.clone(),
    });
    // Marks by the sets they are in; a mark that occurs with another always stands for it.
    let marks: Vec<Mark> = condition.marks().iter().collect();
    if marks.len() * marks.len() * sets.len() <= MOST_COMPARED {
        let same = |a: Mark, b: Mark| sets.iter().all(|set| set.contains(a) == set.contains(b));
        condition = condition.rename(|mark| {
            *marks.iter().find(|&&first| first == mark || same(first, mark)).expect("itself")
        });
        let inf_only = condition
            .inf_clauses()
            .is_some_and(|clauses| clauses.iter().all(|clause| clause.len() == 1));
        if inf_only {
            let marks: Vec<Mark> = condition.marks().iter().collect();
            let implies = |a: Mark, b: Mark| {
                a != b && sets.iter().all(|set| !set.contains(a) || set.contains(b))
            };
            condition = condition.map(&mut |atom| match atom {
                Acceptance::Inf(mark) if marks.iter().any(|&other| implies(other, *mark)) => {
                    Acceptance::True
                }
                other => other.clone(),
            });
        }
    }
    if condition == *old && automaton.mark_count() == condition.marks().len() as u32 {
        return automaton.clone();
    }
    let mut builder = automaton.to_builder();
    builder.set_acceptance(condition, 0);
    renumber_marks(&builder.build())
}

/// Comparisons above which marks that say the same are not looked for.
const MOST_COMPARED: usize = 1 << 22;

/// The last touch: marks where they matter only.
fn finish(automaton: &Automaton, config: &ReduceConfig) -> Automaton {
    if config.condition == Condition::Keep {
        return purge(automaton);
    }
    if automaton.state_count() == 0 {
        let mut builder = automaton.like();
        builder.set_name(automaton.name().map(str::to_owned));
        builder.set_acceptance(Acceptance::False, 0);
        return builder.build();
    }
    let components = Components::of(automaton);
    let accepting = accepting_components(automaton, &components);
    let kinds = kinds(automaton, &components, &accepting);
    if !kinds.contains(&Kind::Mixed) {
        return weak(automaton, &components, &kinds, Round::First);
    }
    simplify(&purge(automaton))
}
