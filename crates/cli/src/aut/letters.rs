//! Labels as short formulas over the names of propositions.

use fairly_omega::formats::word;
use fairly_omega::{Automaton, Label};

/// The label as word notation shows it.
pub(super) fn label_text(automaton: &Automaton, label: Label) -> String {
    let mut letters = automaton.letters().clone();
    word::print_letter(label, &mut letters, automaton.propositions())
        .unwrap_or_else(|_| "…".to_owned())
}
