//! Minimal weak deterministic automata of obligation properties.
//!
//! C. Dax, J. Eisinger, F. Klaedtke, "Mechanizing the powerset construction for restricted classes
//! of ω-automata", ATVA 2007: if a language is recognised by some weak deterministic automaton, then
//! by the powerset of any automaton for it with each component accepting or not; and such an
//! automaton has a smallest one, as for finite words.
//!
//! Deviations: whether a component accepts is read off the product of the powerset with the
//! automaton instead of a loop's word: it does if the automaton has an accepting cycle on a cycle of
//! the component. Then no accepted word is ever lost, and for a formula that is not an obligation
//! by its syntax it is enough to see that the result does not meet the automaton of the negation.

use hashbrown::HashMap;

use fairly_omega::ops::{self, ProductGraph};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Components, Label, MarkSet, Resource, StateId,
    emptiness,
};

/// Most sets of states. A deterministic automaton that is much larger than the one at hand is not
/// wanted, and reducing it costs time; but minimization may make a large one small.
const MOST_SETS: usize = 256;

/// Most classes of letters at one set.
const MOST_CLASSES: usize = 256;

/// Most pairs of an edge and a class of letters that are looked at.
const MOST_WORK: usize = 300_000;

/// The minimal weak deterministic automaton, or `None` if there is none, or it is not found
/// cheaply. `obligation` says that there is one; otherwise the automaton of the negation decides.
pub(super) fn minimal_weak(
    automaton: &Automaton,
    opposite: Option<&Automaton>,
    obligation: bool,
) -> Option<Automaton> {
    if opposite.is_none() && !obligation {
        return None;
    }
    let weak = powerset(automaton).ok()?;
    let weak = ops::reduce(&weak).ok()?;
    if !obligation {
        let mut both = ProductGraph::new(&weak, opposite?).ok()?;
        if emptiness::find_lasso(&mut both).ok()?.is_some() {
            return None;
        }
    }
    Some(weak)
}

/// The powerset with components that accept if they can: the smallest language around that some
/// weak deterministic automaton with these sets recognises.
///
/// # Errors
/// When it is too large.
pub(crate) fn powerset(automaton: &Automaton) -> Result<Automaton, BudgetError> {
    let mut builder = automaton.like();
    builder.set_acceptance(Acceptance::buchi(), 1);
    let mut sets: Vec<Vec<StateId>> = Vec::new();
    let mut known: HashMap<Vec<StateId>, StateId> = HashMap::new();
    let mut initial = automaton.initial().to_vec();
    initial.sort_unstable();
    known.insert(initial.clone(), StateId(0));
    sets.push(initial);

    // The runs of the automaton inside the powerset: pairs of a set and one of its states.
    let mut runs = Builder::new(Vec::new());
    runs.set_acceptance(automaton.acceptance().clone(), automaton.mark_count());
    let mut pairs: HashMap<(StateId, StateId), StateId> = HashMap::new();
    let mut set_of: Vec<StateId> = Vec::new();
    let mut pair = |runs: &mut Builder, set: StateId, state: StateId| {
        *pairs.entry((set, state)).or_insert_with(|| {
            let fresh = runs.add_state();
            runs.add_initial(fresh);
            set_of.push(set);
            fresh
        })
    };

    let mut steps: Vec<(StateId, Label, StateId)> = Vec::new();
    let mut at = 0;
    let mut work = 0;
    while at < sets.len() {
        let from = StateId::from_index(at);
        let set = sets[at].clone();
        at += 1;
        let mut labels: Vec<Label> =
            set.iter().flat_map(|&s| automaton.edges(s).iter().map(|edge| edge.label)).collect();
        let edges = labels.len();
        labels.sort_unstable();
        labels.dedup();
        let mut classes = vec![Label::TRUE];
        let letters = builder.letters_mut();
        for &label in &labels {
            letters.split(&mut classes, label, MOST_CLASSES)?;
        }
        work += edges * classes.len();
        if work > MOST_WORK {
            return Err(BudgetError { resource: Resource::Edges, limit: MOST_WORK });
        }
        let mut row: HashMap<StateId, Label> = HashMap::new();
        for class in classes {
            let mut moves: Vec<(StateId, &MarkSet, StateId)> = Vec::new();
            for &state in &set {
                for edge in automaton.edges(state) {
                    if builder.letters_mut().and(class, edge.label)? != Label::FALSE {
                        moves.push((state, automaton.marks(edge.marks), edge.target));
                    }
                }
            }
            let mut next: Vec<StateId> = moves.iter().map(|&(_, _, target)| target).collect();
            if next.is_empty() {
                continue;
            }
            next.sort_unstable();
            next.dedup();
            let to = match known.get(&next) {
                Some(&to) => to,
                None => {
                    if sets.len() >= MOST_SETS {
                        return Err(BudgetError { resource: Resource::States, limit: MOST_SETS });
                    }
                    let to = StateId::from_index(sets.len());
                    known.insert(next.clone(), to);
                    sets.push(next);
                    to
                }
            };
            for (state, marks, target) in moves {
                let source = pair(&mut runs, from, state);
                let target = pair(&mut runs, to, target);
                runs.add_edge(source, Label::TRUE, marks.clone(), target);
            }
            let known = row.get(&to).copied().unwrap_or(Label::FALSE);
            row.insert(to, builder.letters_mut().or(known, class)?);
        }
        let mut row: Vec<(StateId, Label)> = row.into_iter().collect();
        row.sort_unstable();
        steps.extend(row.into_iter().map(|(to, label)| (from, label, to)));
    }
    builder.add_states(sets.len());
    builder.add_initial(StateId(0));
    for &(from, label, to) in &steps {
        builder.add_edge(from, label, MarkSet::new(), to);
    }
    let plain = builder.build();
    let components = Components::of(&plain);
    let mut accepting = vec![false; components.count()];
    let runs = runs.build();
    let run_components = Components::of(&runs);
    for id in run_components.ids() {
        if !run_components.is_trivial(id)
            && runs.acceptance().accepts(run_components.marks(id))
            && let Some(component) =
                components.component(set_of[run_components.members(id)[0].index()])
        {
            accepting[component.index()] = true;
        }
    }
    let mut builder = plain.like();
    builder.add_states(sets.len());
    builder.add_initial(StateId(0));
    for (from, label, to) in steps {
        let inside = components.component(from).filter(|_| components.together(from, to));
        let marked = inside.is_some_and(|component| accepting[component.index()]);
        builder.add_edge(from, label, MarkSet::first(u32::from(marked)), to);
    }
    Ok(builder.build())
}
