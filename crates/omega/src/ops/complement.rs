//! Complement: an automaton for the words that another one rejects.
//!
//! If you only want to know whether the complement meets some language, ask [`super::includes`]: it
//! determinizes on the way and stops at the first answer.

use super::determinize::{self, colours};
use super::{complete, reduce, to_buchi, trim};
use crate::acceptance::Class;
use crate::automaton::Automaton;
use crate::marks::Mark;
use crate::refused::{BudgetError, Limits};

/// An automaton for exactly the words over the same propositions that `automaton` rejects.
///
/// A deterministic automaton keeps its structure, is completed, and gets the dual condition:
/// Streett becomes Rabin, Büchi co-Büchi. Any other is reduced and, if that is
/// not enough, determinized ([`super::determinize()`]); the result then has a parity condition with
/// the fewest marks. Either way the result is deterministic
/// and has no useless states, so it need not be complete.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Class, Label, Limits, Mark, Prop, ops};
/// // Infinitely often p, and the complement: from some point on never.
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_edge(here, Label::TRUE, Default::default(), here);
/// builder.add_edge(here, p, [Mark(0)].into_iter().collect(), here);
/// let often = builder.build();
/// let never = ops::complement(&often, Limits::default()).unwrap();
/// assert_eq!(never.acceptance().class(), Class::CoBuchi);
/// ```
///
/// # Errors
/// When determinization passes the limits or the letters are full.
pub fn complement(automaton: &Automaton, limits: Limits) -> Result<Automaton, BudgetError> {
    if automaton.is_deterministic()? {
        return Ok(with_pairs_in_order(trim(&dual(&complete(automaton)?))));
    }
    let reduced = reduce(automaton)?;
    if reduced.is_deterministic()? {
        return Ok(with_pairs_in_order(reduce(&dual(&complete(&reduced)?))?));
    }
    let deterministic = determinize::coloured(&reduced, limits)?;
    let trimmed = trim(&dual(&deterministic.automaton));
    // Without the states that accepted everything, fewer marks may do.
    Ok(colours::fewest(&trimmed, |marks| deterministic.priority(marks) + 1).automaton)
}

/// The same automaton with the opposite condition. The name would be a lie now.
fn dual(automaton: &Automaton) -> Automaton {
    let mut builder = automaton.to_builder();
    builder.set_name(None);
    builder.set_acceptance(automaton.acceptance().dual(), automaton.mark_count());
    builder.build()
}

/// Of a pair, HOA numbers the mark under `Fin` first. In the dual of a condition with pairs the two
/// have changed places, and change back here, so that the condition has a name again.
fn with_pairs_in_order(automaton: Automaton) -> Automaton {
    let turned = |mark: Mark| Mark(mark.0 ^ 1);
    let condition = automaton.acceptance().rename(turned);
    if !matches!(condition.class(), Class::Streett(_) | Class::Rabin(_)) {
        return automaton;
    }
    let mut builder = automaton.to_builder();
    builder.map_marks(|marks| marks.map(|mark| Some(turned(mark))));
    builder.set_acceptance(condition, automaton.mark_count());
    builder.build()
}

/// The complement as a Büchi automaton, which is what never claims and nested depth-first search
/// need. It is nondeterministic in general: no deterministic one exists for some languages.
///
/// ```
/// use fairly_omega::{Builder, Class, Label, Limits, ops};
/// let nothing = Builder::new(vec!["p".into()]).build();
/// let everything = ops::complement_to_buchi(&nothing, Limits::default()).unwrap();
/// assert_eq!((everything.state_count(), everything.edge_count()), (1, 1));
/// ```
///
/// # Errors
/// As [`complement`].
pub fn complement_to_buchi(
    automaton: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    to_buchi(&complement(automaton, limits)?, limits)
}
