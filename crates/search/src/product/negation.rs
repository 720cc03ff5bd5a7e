//! The property's part of a product.

use fairly_fairness::Selector;
use fairly_omega::{Acceptance, Automaton, Label, Mark};
use fairly_system::{AtomIndex, EventPosition, EventSet};

/// Meaning of a proposition of the automaton in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The step has one of these events.
    Event(EventSet),
    /// The state has this proposition.
    State(AtomIndex),
    /// In the state some selected action is enabled, also one that a reduction leaves out.
    Enabled(Selector),
    /// The step is a selected action. It is the step whose event is read.
    Taken(Selector),
}

/// A mark on every step whose letter satisfies a label of the automaton: how a fairness premise of
/// the formula enters the product without a state of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LetterMark {
    /// Which letters.
    pub label: Label,
    /// The mark they get; one that the automaton does not use.
    pub mark: Mark,
}

/// The property's part of a product: the automaton of its negation, and conditions on letters.
#[derive(Clone, Debug)]
pub struct Negation<'a> {
    /// Accepts the words that violate the property, the premises aside.
    pub automaton: &'a Automaton,
    /// Meanings of its propositions in the system, in order.
    pub bindings: Vec<Binding>,
    /// Marks for premises; numbered from the automaton's mark count on.
    pub letter_marks: Vec<LetterMark>,
    /// The condition over them.
    pub letter_acceptance: Acceptance,
    /// Which event a position reads.
    pub reading: EventPosition,
}

impl<'a> Negation<'a> {
    /// An automaton without premises.
    pub fn new(automaton: &'a Automaton, bindings: Vec<Binding>) -> Self {
        assert_eq!(bindings.len(), automaton.propositions().len(), "one binding a proposition");
        let letter_acceptance = Acceptance::True;
        let reading = EventPosition::default();
        Negation { automaton, bindings, letter_marks: Vec::new(), letter_acceptance, reading }
    }

    /// The same with events read so.
    #[must_use]
    pub fn reading(mut self, reading: EventPosition) -> Self {
        self.reading = reading;
        self
    }

    /// Adds marks for a premise: `Inf` of the letters in `inf`, or else `Fin` of those in `fin`.
    pub fn add_premise(&mut self, fin: Option<Label>, inf: Option<Label>) {
        let mut atoms = Vec::new();
        for (label, make) in
            [(fin, Acceptance::Fin as fn(Mark) -> Acceptance), (inf, Acceptance::Inf)]
        {
            if let Some(label) = label {
                let mark = self.end();
                self.letter_marks.push(LetterMark { label, mark });
                atoms.push(make(mark));
            }
        }
        let both = [self.letter_acceptance.clone(), Acceptance::or(atoms)];
        self.letter_acceptance = Acceptance::and(both);
    }

    /// The first mark that is not used.
    pub fn end(&self) -> Mark {
        let used = u32::try_from(self.letter_marks.len()).expect("marks are numbered by u32");
        Mark(self.automaton.mark_count() + used)
    }
}
