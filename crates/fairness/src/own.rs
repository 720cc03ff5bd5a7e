//! The conditions that components put on their own runs, as constraints.
//!
//! A component read from an automaton may come with an acceptance condition. A clause of it becomes
//! a constraint: `Inf` a justice, `Fin | Inf` a compassion. Where the marks are on the component's
//! states, waiting in a marked state counts as seeing its mark again and again, as in Malinen and
//! Luukkainen's product; where they are on transitions, only taking one does. Marks are taken to be
//! on states when all transitions that leave a state carry the same, for every state of the
//! component. A state without transitions shows no mark: automata do not keep it.

use fairly_omega::{Acceptance, MarkSet};
use fairly_system::{Component, MoveId, Network, ProcessId, Space};

use crate::constraint::{Constraint, Predicate, Selector, StepFormula, Strength};

/// A condition that is no set of constraints.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the component `{component}` has the acceptance condition {acceptance}, which is no conjunction of Inf and \
     Fin | Inf; turn it into one with `fairly aut degeneralize` first"
)]
pub struct FairnessError {
    /// The component.
    pub component: String,
    /// Its condition.
    pub acceptance: Acceptance,
}

/// The constraints that the components' own conditions amount to.
///
/// # Errors
/// When a condition is not a conjunction of clauses with at most one `Fin` each.
pub fn own_constraints(network: &Network) -> Result<Vec<Constraint>, FairnessError> {
    let mut constraints = Vec::new();
    for (at, component) in network.components().to_vec().into_iter().enumerate() {
        let process = ProcessId::from_index(at);
        let acceptance = component.acceptance().clone();
        if acceptance == Acceptance::True {
            continue;
        }
        let refuse = || FairnessError {
            component: component.name().to_owned(),
            acceptance: acceptance.clone(),
        };
        for clause in acceptance.clauses().ok_or_else(refuse)? {
            let name = format!("{}: {}", component.name(), written(&clause.fin, &clause.inf));
            constraints.push(match clause.fin.len() {
                0 => Constraint {
                    name,
                    strength: Strength::Weak,
                    when: Predicate::True,
                    then: seen(process, &component, &clause.inf, network),
                },
                1 => Constraint {
                    name,
                    strength: Strength::Strong,
                    when: seen(process, &component, &clause.fin, network),
                    then: seen(process, &component, &clause.inf, network),
                },
                _ => return Err(refuse()),
            });
        }
    }
    Ok(constraints)
}

fn written(fin: &MarkSet, inf: &MarkSet) -> String {
    let fins = fin.iter().map(Acceptance::Fin);
    Acceptance::or(fins.chain(inf.iter().map(Acceptance::Inf))).to_string()
}

/// The steps on which the component shows one of these marks.
fn seen(
    process: ProcessId,
    component: &Component,
    marks: &MarkSet,
    network: &Network,
) -> Predicate {
    match state_marks(component) {
        Some(of_state) => {
            let marked = (0u32..).zip(&of_state).filter(|(_, shown)| shown.intersects(marks));
            let atoms = marked.map(|(state, _)| StepFormula::State(network.at(process, state)));
            Predicate::Step(StepFormula::Or(atoms.collect()))
        }
        None => {
            // The moves of a component are its transitions, in the same order.
            let signature = network.signature();
            let of_process = |id: &MoveId| signature.moves[id.index()].process == process;
            let moves = signature.move_ids().filter(of_process).zip(component.transitions());
            let marked = moves.filter(|(_, local)| local.marks.intersects(marks));
            Predicate::Taken(Selector::Moves(marked.map(|(id, _)| id).collect()))
        }
    }
}

/// The marks of each local state, if all transitions that leave one carry the same.
fn state_marks(component: &Component) -> Option<Vec<MarkSet>> {
    let mut marks: Vec<Option<MarkSet>> = vec![None; component.states().len()];
    for transition in component.transitions() {
        let here = marks[transition.from as usize].get_or_insert_with(|| transition.marks.clone());
        if *here != transition.marks {
            return None;
        }
    }
    Some(marks.into_iter().map(Option::unwrap_or_default).collect())
}
