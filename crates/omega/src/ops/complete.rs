//! Completion: an edge on every letter from every state.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::letters::Label;
use crate::marks::{Mark, MarkSet};
use crate::ops::parts::rejected_marks;
use crate::refused::BudgetError;

/// The automaton with a sink that takes every letter for which a state had no edge, and that no
/// run is accepted in. Nothing is added if nothing is missing. Without an initial state the sink
/// becomes one, so that every word has a run.
///
/// The sink's loop carries marks that the condition rejects. A condition that rejects nothing,
/// such as `t`, is replaced by `Inf(0)` with the mark 0 on all edges but the sink's loop.
///
/// # Errors
/// When the labels do not fit in the store, or no rejected set of marks is found in a condition
/// that is too large to expand.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Prop, ops::complete};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_edge(state, p, Default::default(), state);
/// let complete = complete(&builder.build()).unwrap();
/// assert_eq!((complete.state_count(), complete.edge_count()), (2, 3));
/// assert_eq!(complete.acceptance(), &Acceptance::buchi());
/// ```
pub fn complete(automaton: &Automaton) -> Result<Automaton, BudgetError> {
    let mut builder = automaton.to_builder();
    let mut missing = Vec::new();
    for state in automaton.states() {
        let mut used = Label::FALSE;
        for edge in automaton.edges(state) {
            used = builder.letters_mut().or(used, edge.label)?;
        }
        if used != Label::TRUE {
            missing.push((state, builder.letters_mut().not(used)?));
        }
    }
    if missing.is_empty() && !automaton.initial().is_empty() {
        return Ok(automaton.clone());
    }
    // In an automaton whose condition is on states the new edges keep it there.
    let (rejected, leaving): (MarkSet, Vec<MarkSet>) = match rejected_marks(automaton.acceptance())?
    {
        Some(marks) => {
            let on_states = automaton.state_marks().unwrap_or_default();
            (marks, on_states.iter().map(|&id| automaton.marks(id).clone()).collect())
        }
        None => {
            let marked = MarkSet::from_iter([Mark(0)]);
            builder.map_marks(|_| marked.clone());
            builder.set_acceptance(Acceptance::buchi(), 1);
            (MarkSet::new(), vec![marked; automaton.state_count()])
        }
    };
    let sink = builder.add_state();
    builder.add_edge(sink, Label::TRUE, rejected, sink);
    if automaton.initial().is_empty() {
        builder.add_initial(sink);
    }
    for (state, label) in missing {
        let marks = leaving.get(state.index()).cloned().unwrap_or_default();
        builder.add_edge(state, label, marks, sink);
    }
    Ok(builder.build())
}
