//! Ultimately periodic words: some letters once, then some letters for ever.
//!
//! A [`Word`] holds labels and is read with the [`crate::Letters`] that they belong to. A label may
//! leave propositions open; such a word stands for every way to close them, at each position and on
//! each lap of the cycle anew.

use crate::automaton::Automaton;
use crate::letters::{Cube, Label, Letters, Prop};
use crate::refused::BudgetError;

/// An ultimately periodic word `stem · cycle · cycle · …` over the labels of some store.
///
/// ```
/// use fairly_omega::{Builder, Prop, Word};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// let word = Word { stem: vec![], cycle: vec![p] };
/// assert_eq!(word.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Read once.
    pub stem: Vec<Label>,
    /// Read for ever; not empty.
    pub cycle: Vec<Label>,
}

impl Word {
    /// How many letters are written down.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// Whether nothing is written down; no infinite word is empty, so this marks a mistake.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position that is read after `position`.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 == self.len() { self.stem.len() } else { position + 1 }
    }

    /// All letters that are written down, the stem first.
    pub fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        self.stem.iter().chain(&self.cycle).copied()
    }
}

/// A word with definite letters that brings its propositions along, as found by a comparison of two
/// automata whose propositions may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefiniteWord {
    /// The propositions that the letters are valuations of.
    pub propositions: Vec<String>,
    /// Read once. Every cube has all propositions, in order.
    pub stem: Vec<Cube>,
    /// Read for ever; not empty.
    pub cycle: Vec<Cube>,
}

impl DefiniteWord {
    /// The word as `automaton` reads it: propositions that it does not know are left out.
    ///
    /// # Errors
    /// When the automaton's letters are full.
    pub fn read_by(&self, automaton: &mut Automaton) -> Result<Word, BudgetError> {
        let known: Vec<Option<Prop>> = self
            .propositions
            .iter()
            .map(|name| {
                let at = automaton.propositions().iter().position(|other| other == name)?;
                Some(Prop(u32::try_from(at).expect("propositions are numbered by u32")))
            })
            .collect();
        self.translated(automaton.letters_mut(), |prop| known[prop.0 as usize])
    }

    /// The word over another store, whose name for each proposition is given by `rename`;
    /// propositions without one are left out.
    ///
    /// # Errors
    /// When the store is full.
    pub fn translated(
        &self,
        into: &mut Letters,
        mut rename: impl FnMut(Prop) -> Option<Prop>,
    ) -> Result<Word, BudgetError> {
        let mut labels = |cubes: &[Cube]| -> Result<Vec<Label>, BudgetError> {
            let mut labels = Vec::with_capacity(cubes.len());
            for cube in cubes {
                let literals: Cube = cube
                    .iter()
                    .filter_map(|&(prop, value)| rename(prop).map(|prop| (prop, value)))
                    .collect();
                labels.push(into.cube(&literals)?);
            }
            Ok(labels)
        };
        Ok(Word { stem: labels(&self.stem)?, cycle: labels(&self.cycle)? })
    }
}
