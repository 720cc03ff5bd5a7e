//! When the ample sets of a paper are followed as they are printed.

use fairly_fairness::{Constraint, Predicate, Selector, Strength};
use fairly_reduce::{Flaw, Reduced, Reducible, Unsuited, Watched};

use super::{Refusal, RowKind, watched};
use crate::property::Property;
use fairly_fairness::Notion;

/// Subjects that the paper calls visible, for a property under constraints.
///
/// # Errors
/// When the paper has no such question, or its theorem is wrong for it.
pub(crate) fn seen(
    property: Option<&Property>,
    constraints: &[Constraint],
) -> Result<Watched, Refusal> {
    if !constraints.iter().all(is_of_events) {
        return Err(Refusal::Printed(RowKind::Unannotated));
    }
    watched(property, Notion::None, constraints).map_err(|why| match why {
        Refusal::Table(RowKind::Counting) => Refusal::Printed(RowKind::PrintedEvents),
        Refusal::Table(RowKind::Asked | RowKind::Never) => Refusal::Printed(RowKind::Never),
        Refusal::Table(RowKind::CountingConstraint) => Refusal::Printed(RowKind::Unannotated),
        Refusal::Table(kind) => Refusal::Printed(kind),
        other => other,
    })
}

/// Whether a constraint is fairness or liveness of an event, by name or where it is written.
fn is_of_events(constraint: &Constraint) -> bool {
    let (Predicate::Enabled(asked) | Predicate::Ready(asked), Predicate::Taken(taken)) =
        (&constraint.when, &constraint.then)
    else {
        return false;
    };
    let is_event = matches!(asked, Selector::Events(_) | Selector::Part(..) | Selector::Moves(_));
    matches!(constraint.strength, Strength::Weak | Strength::Strong) && is_event && asked == taken
}

/// Leaves out what the paper leaves out.
///
/// # Errors
/// When that may be too much, or nothing is left out.
pub(super) fn leave_out<S: Reducible>(
    reduced: &mut Reduced<'_, S>,
    watched: &Watched,
) -> Result<(), Refusal> {
    let figure = reduced.figure3(watched).map_err(|why| match why {
        Unsuited::Open | Unsuited::Priorities => Refusal::Printed(RowKind::Foreign),
        Unsuited::Stuck => Refusal::Printed(RowKind::Stopping),
        other => other.into(),
    })?;
    match figure.flaw(reduced.inner().signature()) {
        Some(Flaw::Ends) => Err(Refusal::Printed(RowKind::PrintedEnds)),
        Some(Flaw::Silent) => Err(Refusal::Printed(RowKind::PrintedSilent)),
        Some(Flaw::Guards) => Err(Refusal::Printed(RowKind::PrintedGuards)),
        Some(Flaw::Foreign) => Err(Refusal::Printed(RowKind::Foreign)),
        None => Ok(reduced.follow_as_printed(&figure)?),
    }
}
