//! `properties:` that can be checked at little cost, and the same facts for the printer.
//!
//! A property is redundant by definition, so a wrong one means that the file is not what its
//! author thinks; that is an error rather than a warning. Properties that would need a search
//! (`weak`, `unambiguous`, `stutter-invariant`, …) and unknown ones are ignored. Of the negated
//! properties of version 1.1, `!univ-branch` is checked, and that the same property is not claimed
//! as well; the others say only that something was not found to hold.

use fairly_source::{Diagnostic, Span};
use hashbrown::{HashMap, HashSet};

use crate::automaton::{Automaton, StateId};
use crate::formats::hoa::header::Property;
use crate::formats::hoa::lexer::ParseError;
use crate::letters::Label;

/// Where a body first used each way of writing things.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) state_label: Option<Span>,
    pub(super) edge_label: Option<Span>,
    pub(super) implicit_label: Option<Span>,
    pub(super) state_marks: Option<Span>,
    pub(super) edge_marks: Option<Span>,
    pub(super) conjunction: Option<Span>,
}

/// Checks the properties about how the file is written, and that none contradicts another.
pub(super) fn check_writing(properties: &[Property<'_>], uses: &Uses) -> Result<(), ParseError> {
    let mut claims: HashMap<&str, bool> = HashMap::new();
    for &Property { name, claimed, span } in properties {
        // Version 1 has a name of its own for what version 1.1 negates.
        let (name, claimed) =
            if name == "no-univ-branch" { ("univ-branch", !claimed) } else { (name, claimed) };
        if *claims.entry(name).or_insert(claimed) != claimed {
            let message = format!("the file claims to be `{name}` and not to be");
            let wrong = Diagnostic::error("E0226", message, span);
            return Err(wrong.label("the opposite is claimed before").into());
        }
        let counterexample = match (name, claimed) {
            // A state label is explicit as well, so it contradicts `trans-labels` only; Spot
            // writes both `state-labels` and `explicit-labels` for such automata.
            ("state-labels", true) => uses.edge_label.or(uses.implicit_label),
            ("trans-labels", true) => uses.state_label,
            ("implicit-labels", true) => uses.edge_label.or(uses.state_label),
            ("explicit-labels", true) => uses.implicit_label,
            ("state-acc", true) => uses.edge_marks,
            ("trans-acc", true) => uses.state_marks,
            ("univ-branch", false) => uses.conjunction,
            _ => None,
        };
        if let Some(place) = counterexample {
            if !claimed {
                let message = format!("the file claims not to be `{name}` but is");
                let wrong = Diagnostic::error("E0226", message, place);
                return Err(wrong.label("this contradicts it").into());
            }
            return Err(contradiction(name, place, "this contradicts it"));
        }
    }
    Ok(())
}

/// Checks `colored`, which speaks of the `declared` sets only, `deterministic` and `complete`, of
/// the first `states` states.
pub(super) fn check_shape(
    properties: &[Property<'_>],
    automaton: &Automaton,
    states: usize,
    declared: u32,
) -> Result<(), ParseError> {
    let claim = |name| {
        let found = properties.iter().find(|property| property.name == name && property.claimed);
        found.map(|property| (property.name, property.span))
    };
    // Without sets there is no colour to have: the test files of the format call parity automata of no colours colored.
    if let Some((property, span)) = claim("colored").filter(|_| declared > 0) {
        let one: Vec<bool> = automaton
            .mark_table()
            .iter()
            .map(|(_, set)| set.iter().filter(|mark| mark.0 < declared).count() == 1)
            .collect();
        if !automaton.all_edges().iter().all(|edge| one[edge.marks.index()]) {
            let says = "some edge is not in exactly one acceptance set";
            return Err(contradiction(property, span, says));
        }
    }
    let (deterministic, complete) = (claim("deterministic"), claim("complete"));
    if deterministic.is_none() && complete.is_none() {
        return Ok(());
    }
    let shape = Shape::of(automaton, states);
    if let Some((property, span)) = deterministic {
        if automaton.initial().len() > 1 {
            return Err(contradiction(property, span, "there are several initial states"));
        }
        if let Verdict::No(state) = shape.deterministic {
            let says = format!("edges of state {state} share a letter");
            return Err(contradiction(property, span, &says));
        }
    }
    if let Some((property, span)) = complete {
        if states == 0 {
            return Err(contradiction(property, span, "there is no state"));
        }
        if let Verdict::No(state) = shape.complete {
            let says = format!("state {state} has no edge for some letter");
            return Err(contradiction(property, span, &says));
        }
    }
    Ok(())
}

fn contradiction(property: &str, span: Span, says: &str) -> ParseError {
    let message = format!("the file claims to be `{property}` but is not");
    Diagnostic::error("E0226", message, span).label(says).into()
}

/// Whether something holds of every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Yes,
    /// Not of this one.
    No(StateId),
    /// It would have cost too much to tell.
    Unknown,
}

/// Whether the edges of each state exclude each other and leave no letter out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) deterministic: Verdict,
    pub(super) complete: Verdict,
}

impl Shape {
    /// Judges the first `states` states; those with the same labels are judged once.
    pub(super) fn of(automaton: &Automaton, states: usize) -> Shape {
        const REMEMBERED: usize = 1 << 16;
        let mut shape = Shape { deterministic: Verdict::Yes, complete: Verdict::Yes };
        let mut letters = automaton.letters().clone();
        let mut known: HashSet<Vec<Label>> = HashSet::new();
        let mut labels = Vec::new();
        for state in automaton.states().take(states) {
            labels.clear();
            labels.extend(automaton.edges(state).iter().map(|edge| edge.label));
            if known.contains(&labels) {
                continue;
            }
            let mut used = Label::FALSE;
            let mut judge = || {
                for &label in &labels {
                    if shape.deterministic == Verdict::Yes
                        && letters.and(used, label)? != Label::FALSE
                    {
                        shape.deterministic = Verdict::No(state);
                    }
                    used = letters.or(used, label)?;
                }
                if shape.complete == Verdict::Yes && used != Label::TRUE {
                    shape.complete = Verdict::No(state);
                }
                Ok::<_, crate::refused::BudgetError>(())
            };
            if judge().is_err() {
                for verdict in [&mut shape.deterministic, &mut shape.complete] {
                    if *verdict == Verdict::Yes {
                        *verdict = Verdict::Unknown;
                    }
                }
            }
            if shape.deterministic != Verdict::Yes && shape.complete != Verdict::Yes {
                break;
            }
            if known.len() < REMEMBERED {
                known.insert(labels.clone());
            }
        }
        shape
    }
}
