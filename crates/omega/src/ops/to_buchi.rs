//! From any condition to (generalized) Büchi, by guessing.
//!
//! A run is accepted by `Fin(f) & Inf(i)` when from some point on it avoids `f` and meets `i` again
//! and again. The automaton guesses that point: it jumps into a copy of the component that has no
//! edges with `f`. Only components whose own marks make a `Fin` matter are copied, one copy for
//! each disjunct of what the condition comes to there, and of each copy only the parts in which a
//! cycle meets what it must. Without `Fin` nothing is copied or guessed, and a deterministic
//! automaton stays so.

use std::collections::BTreeMap;

use crate::acceptance::{Acceptance, Disjunct};
use crate::automaton::{Automaton, Builder, StateId};
use crate::marks::{Mark, MarkSet};
use crate::ops::degeneralize::degeneralize;
use crate::ops::parts::{MOST_DISJUNCTS, within};
use crate::refused::{BudgetError, Limits};
use crate::scc::{ComponentId, Components};

/// Sets that must each be met infinitely often; `None` for a part in which nothing is accepted.
type Clauses = Option<Vec<MarkSet>>;

/// An automaton for the same language with the condition `Inf(0)`: [`to_generalized_buchi`], then
/// [`degeneralize`].
///
/// # Errors
/// When the result would pass the limits, or the condition has too many disjuncts.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Limits, Mark, Prop, ops::to_buchi};
/// // Finitely often p.
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::co_buchi(), 1);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// let not_p = builder.letters_mut().not(p).unwrap();
/// builder.add_edge(state, p, [Mark(0)].into_iter().collect(), state);
/// builder.add_edge(state, not_p, Default::default(), state);
/// let buchi = to_buchi(&builder.build(), Limits::default()).unwrap();
/// assert_eq!(buchi.acceptance(), &Acceptance::buchi());
/// assert_eq!(buchi.state_count(), 2);
/// ```
pub fn to_buchi(automaton: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
    degeneralize(automaton, limits)
}

/// An automaton for the same language with a condition `Inf(0) & … & Inf(n-1)`.
///
/// An automaton whose condition is of that form already is returned as it is; unreachable states
/// are dropped otherwise.
///
/// # Errors
/// When the result would pass the limits, or the condition has too many disjuncts.
pub fn to_generalized_buchi(
    automaton: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    if let Some(clauses) = automaton.acceptance().inf_clauses()
        && *automaton.acceptance() == Acceptance::generalized_buchi(clauses.len() as u32)
    {
        return Ok(automaton.clone());
    }
    let components = Components::of(automaton);
    // Translation of each component: clauses for the original, and copies.
    let mut main: Vec<Clauses> = Vec::with_capacity(components.count());
    let mut copies: Vec<Branch> = Vec::new();
    // Components by disjunct: each search costs as much as the automaton has states.
    let mut guesses: BTreeMap<(MarkSet, MarkSet), Vec<ComponentId>> = BTreeMap::new();
    for id in components.ids() {
        if components.is_trivial(id) {
            main.push(None);
            continue;
        }
        let condition = automaton.acceptance().restrict(components.marks(id));
        if condition.polarity().0.is_empty() {
            main.push(conjunctive(&condition)?);
            continue;
        }
        let (plain, guessed): (Vec<Disjunct>, Vec<Disjunct>) = condition
            .disjuncts(MOST_DISJUNCTS)?
            .into_iter()
            .partition(|disjunct| disjunct.fin.is_empty());
        for disjunct in guessed {
            guesses.entry((disjunct.fin, disjunct.inf)).or_default().push(id);
        }
        let plain = Acceptance::or(plain.into_iter().map(|disjunct| {
            Acceptance::and(disjunct.inf.iter().map(Acceptance::Inf).collect::<Vec<_>>())
        }));
        main.push(conjunctive(&plain)?);
    }
    for ((fin, inf), ids) in guesses {
        copies.extend(Branch::new(automaton, &components, &ids, &Disjunct { fin, inf }));
    }
    let widths = main.iter().flatten().map(Vec::len);
    let rejecting =
        components.ids().any(|id| !components.is_trivial(id) && main[id.index()].is_none());
    let width = widths.chain(copies.iter().map(|copy| copy.clauses.len())).max().unwrap_or(0);
    let width = u32::try_from(width.max(usize::from(rejecting))).expect("a small condition");

    let mut builder = automaton.like();
    builder.set_name(automaton.name().map(str::to_owned));
    builder.set_acceptance(Acceptance::generalized_buchi(width), width);
    let mut new: Vec<Option<StateId>> = vec![None; automaton.state_count()];
    for state in automaton.states().filter(|&state| components.reached(state)) {
        new[state.index()] = Some(add_state(&mut builder, automaton, state));
    }
    // Where a run that is about to enter a state in the original may go instead.
    let mut ways: Vec<Vec<StateId>> = vec![Vec::new(); automaton.state_count()];
    for copy in &mut copies {
        for &member in &copy.members {
            let fresh = add_state(&mut builder, automaton, member);
            copy.new.push(fresh);
            ways[member.index()].push(fresh);
        }
        within(&builder, limits)?;
    }
    for &state in automaton.initial() {
        new[state.index()].iter().chain(&ways[state.index()]).for_each(|&s| builder.add_initial(s));
    }
    for state in automaton.states() {
        let Some(from) = new[state.index()] else { continue };
        let component = components.component(state).expect("reached");
        for edge in automaton.edges(state) {
            let inside = components.component(edge.target) == Some(component);
            let marks = match &main[component.index()] {
                Some(clauses) if inside => met(clauses, automaton.marks(edge.marks), width),
                _ => MarkSet::new(),
            };
            let target = new[edge.target.index()].expect("reached from a reached state");
            builder.add_edge(from, edge.label, marks, target);
            for &way in &ways[edge.target.index()] {
                builder.add_edge(from, edge.label, MarkSet::new(), way);
            }
            within(&builder, limits)?;
        }
    }
    for copy in &copies {
        let mut place: hashbrown::HashMap<StateId, StateId> = hashbrown::HashMap::new();
        place.extend(copy.members.iter().copied().zip(copy.new.iter().copied()));
        for &state in &copy.members {
            for edge in automaton.edges(state) {
                let marks = automaton.marks(edge.marks);
                if let Some(&target) = place.get(&edge.target)
                    && !copy.avoid.intersects(marks)
                {
                    let marks = met(&copy.clauses, marks, width);
                    builder.add_edge(place[&state], edge.label, marks, target);
                }
            }
        }
        within(&builder, limits)?;
    }
    Ok(builder.build())
}

/// A part of a component that avoids some marks and can meet all it must.
struct Branch {
    members: Vec<StateId>,
    avoid: MarkSet,
    clauses: Vec<MarkSet>,
    /// The states of the result, in the order of `members`.
    new: Vec<StateId>,
}

impl Branch {
    /// The copies that one disjunct needs, of the components whose conditions it is part of.
    fn new(
        automaton: &Automaton,
        components: &Components,
        ids: &[ComponentId],
        disjunct: &Disjunct,
    ) -> Vec<Branch> {
        let allowed = |from: StateId, edge: &crate::Edge| {
            components.together(from, edge.target)
                && !disjunct.fin.intersects(automaton.marks(edge.marks))
        };
        let roots: Vec<StateId> =
            ids.iter().flat_map(|&id| components.members(id).iter().copied()).collect();
        let inner = Components::restricted(automaton, &roots, allowed);
        let useful = |&part: &ComponentId| {
            !inner.is_trivial(part) && disjunct.inf.is_subset(inner.marks(part))
        };
        let copy = |part| Branch {
            members: inner.members(part).to_vec(),
            avoid: disjunct.fin.clone(),
            clauses: disjunct.inf.iter().map(|mark| MarkSet::from_iter([mark])).collect(),
            new: Vec::new(),
        };
        inner.ids().filter(useful).map(copy).collect()
    }
}

/// A condition without `Fin` as a conjunction of disjunctions of `Inf`.
fn conjunctive(condition: &Acceptance) -> Result<Clauses, BudgetError> {
    if *condition == Acceptance::False {
        return Ok(None);
    }
    // The dual is a disjunction of conjunctions of `Fin`.
    let clauses = condition.dual().disjuncts(MOST_DISJUNCTS)?;
    Ok(Some(clauses.into_iter().map(|clause| clause.fin).collect()))
}

/// The new marks of an edge: one for each clause it meets, and those beyond the last clause.
fn met(clauses: &[MarkSet], marks: &MarkSet, width: u32) -> MarkSet {
    (0..width)
        .filter(|&at| clauses.get(at as usize).is_none_or(|clause| clause.intersects(marks)))
        .map(Mark)
        .collect()
}

fn add_state(builder: &mut Builder, automaton: &Automaton, state: StateId) -> StateId {
    let fresh = builder.add_state();
    if let Some(name) = automaton.state_name(state) {
        builder.set_state_name(fresh, name.to_owned());
    }
    fresh
}
