//! Helpers that the tests of this crate share.

use fairly_logic::{Formula, Formulas};
use fairly_omega::{Automaton, Prop, Word, ops};
use fairly_testkit::TinyWord;

/// Reads a formula that is known to be right.
pub(crate) fn parse(formulas: &mut Formulas, text: &str) -> Formula {
    match formulas.parse(text) {
        Ok(f) => f,
        Err(diagnostic) => panic!("{text}: {diagnostic:?}"),
    }
}

/// A word as text, for messages.
pub(crate) fn word_text(word: &TinyWord) -> String {
    format!("{:?} ({:?})^w", word.stem, word.cycle)
}

/// Whether the automaton, whose propositions are `p0`, `p1` …, accepts the word.
pub(crate) fn accepts(automaton: &Automaton, word: &TinyWord) -> bool {
    let mut automaton = automaton.clone();
    let bits: Vec<u32> = automaton
        .propositions()
        .iter()
        .map(|name| name[1..].parse().expect("propositions are p0, p1 …"))
        .collect();
    let mut read = |letters: &[u8]| {
        letters
            .iter()
            .map(|letter| {
                let cube: Vec<(Prop, bool)> = (0..)
                    .map(Prop)
                    .zip(&bits)
                    .map(|(p, &bit)| (p, letter >> bit & 1 == 1))
                    .collect();
                automaton.letters_mut().cube(&cube).expect("a few propositions")
            })
            .collect()
    };
    let word = Word { stem: read(&word.stem), cycle: read(&word.cycle) };
    ops::accepts(&automaton, &word).expect("a small automaton").is_some()
}
