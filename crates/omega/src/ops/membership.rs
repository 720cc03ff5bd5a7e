//! Words and automata: is this word accepted, is any, are all?

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::inclusion::includes;
use super::parts::Numbering;
use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::emptiness::find_lasso;
use crate::graph::{Graph, Hop, Lasso, Step};
use crate::letters::{Cube, Label, Letters, Prop};
use crate::marks::{MarkSet, MarkSetId};
use crate::refused::{BudgetError, Limits, Resource};
use crate::word::{DefiniteWord, Word};

/// An accepting run of the automaton on a word, whose labels are the automaton's; `None` when the
/// word is rejected. Hop `nth` is an edge of [`Automaton::edges`].
///
/// Where the word leaves propositions open, some way to close them is enough; an open letter of
/// the cycle may be closed differently each time it is read.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark, Prop, Word, ops};
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// let not_p = builder.letters_mut().not(p).unwrap();
/// builder.add_edge(here, p, [Mark(0)].into_iter().collect(), here);
/// builder.add_edge(here, not_p, Default::default(), here);
/// let often = builder.build();
/// let word = |cycle: &[Label]| Word { stem: vec![p], cycle: cycle.to_vec() };
/// assert!(ops::accepts(&often, &word(&[not_p, p])).unwrap().is_some());
/// assert!(ops::accepts(&often, &word(&[not_p])).unwrap().is_none());
/// ```
///
/// # Errors
/// When there are more than 2³² positions of the word in states of the automaton, or the letters
/// are full.
///
/// # Panics
/// If the cycle is empty.
pub fn accepts(automaton: &Automaton, word: &Word) -> Result<Option<Lasso>, BudgetError> {
    assert!(!word.cycle.is_empty(), "an infinite word has a cycle");
    let most = u32::MAX as usize - 1;
    if word.len().checked_mul(automaton.state_count()).is_none_or(|nodes| nodes > most) {
        return Err(BudgetError { resource: Resource::States, limit: most });
    }
    let mut readable = HashMap::new();
    let mut letters = automaton.letters().clone();
    let labels: HashSet<Label> = automaton.all_edges().iter().map(|edge| edge.label).collect();
    for letter in word.labels() {
        if readable.contains_key(&letter) {
            continue;
        }
        let mut fitting = HashSet::new();
        for &label in &labels {
            if letters.and(letter, label)? != Label::FALSE {
                fitting.insert(label);
            }
        }
        readable.insert(letter, fitting);
    }
    let word_labels: Vec<Label> = word.labels().collect();
    let mut runs =
        Runs { automaton, word, labels: &word_labels, readable, nodes: Numbering::new() };
    let Some(lasso) = find_lasso(&mut runs)? else { return Ok(None) };
    let hops = |hops: &[Hop]| hops.iter().map(|&hop| runs.edge_of(hop)).collect();
    Ok(Some(Lasso { stem: hops(&lasso.stem), cycle: hops(&lasso.cycle) }))
}

/// The runs of an automaton on a word: positions of the word with states.
struct Runs<'a> {
    automaton: &'a Automaton,
    word: &'a Word,
    labels: &'a [Label],
    /// The labels of edges that each letter of the word can be read by.
    readable: HashMap<Label, HashSet<Label>>,
    nodes: Numbering<(u32, StateId)>,
}

impl Runs<'_> {
    /// A hop of the runs as one of the automaton.
    fn edge_of(&self, hop: Hop) -> Hop {
        let (position, from) = self.nodes.key(hop.from);
        let fitting = &self.readable[&self.labels[position as usize]];
        let (nth, edge) = (0..)
            .zip(self.automaton.edges(from))
            .filter(|(_, edge)| fitting.contains(&edge.label))
            .nth(hop.nth as usize)
            .expect("hops are steps");
        Hop { from, nth, to: edge.target }
    }
}

impl Graph for Runs<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        self.automaton.initial().iter().map(|&state| self.nodes.id((0, state))).collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let (position, state) = self.nodes.key(node);
        let fitting = &self.readable[&self.labels[position as usize]];
        let next = self.word.next(position as usize) as u32;
        for edge in self.automaton.edges(state) {
            if fitting.contains(&edge.label) {
                let target = self.nodes.id((next, edge.target));
                steps.push(Step { target, marks: edge.marks });
            }
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.automaton.marks(id))
    }

    fn acceptance(&self) -> &Acceptance {
        self.automaton.acceptance()
    }
}

/// Whether the automaton accepts no word.
///
/// ```
/// use fairly_omega::{Builder, ops};
/// assert_eq!(ops::is_empty(&Builder::new(vec![]).build()), Ok(true));
/// ```
///
/// # Errors
/// When the condition is too hard to decide.
pub fn is_empty(automaton: &Automaton) -> Result<bool, BudgetError> {
    Ok(find_lasso(&mut automaton.graph())?.is_none())
}

/// A word that the automaton accepts, or `None` when it accepts none.
///
/// ```
/// use fairly_omega::{Builder, Prop, ops};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// let p = builder.letters_mut().prop(Prop(0)).unwrap();
/// builder.add_edge(here, p, Default::default(), here);
/// let word = ops::accepted_word(&builder.build()).unwrap().unwrap();
/// assert_eq!(word.cycle, [[(Prop(0), true)]]);
/// ```
///
/// # Errors
/// When the condition is too hard to decide.
pub fn accepted_word(automaton: &Automaton) -> Result<Option<DefiniteWord>, BudgetError> {
    let Some(lasso) = find_lasso(&mut automaton.graph())? else { return Ok(None) };
    let propositions = automaton.propositions();
    let cubes = |hops: &[Hop]| {
        hops.iter()
            .map(|hop| {
                let label = automaton.edges(hop.from)[hop.nth as usize].label;
                definite(automaton.letters(), label, propositions.len())
            })
            .collect()
    };
    Ok(Some(DefiniteWord {
        propositions: propositions.to_vec(),
        stem: cubes(&lasso.stem),
        cycle: cubes(&lasso.cycle),
    }))
}

/// A word that the automaton rejects, or `None` when it accepts every word over its propositions.
///
/// ```
/// use fairly_omega::{Builder, Label, Limits, ops};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// builder.add_edge(here, Label::TRUE, Default::default(), here);
/// assert_eq!(ops::rejected_word(&builder.build(), Limits::default()), Ok(None));
/// ```
///
/// # Errors
/// As [`includes`].
pub fn rejected_word(
    automaton: &Automaton,
    limits: Limits,
) -> Result<Option<DefiniteWord>, BudgetError> {
    let mut builder = Builder::new(automaton.propositions().to_vec());
    let here = builder.add_state();
    builder.add_initial(here);
    builder.add_edge(here, Label::TRUE, MarkSet::new(), here);
    includes(&builder.build(), automaton, limits)
}

/// Whether the automaton accepts every word over its propositions; [`rejected_word`] gives one that
/// it does not.
///
/// ```
/// use fairly_omega::{Builder, Limits, ops};
/// assert_eq!(ops::is_universal(&Builder::new(vec![]).build(), Limits::default()), Ok(false));
/// ```
///
/// # Errors
/// As [`includes`].
pub fn is_universal(automaton: &Automaton, limits: Limits) -> Result<bool, BudgetError> {
    Ok(rejected_word(automaton, limits)?.is_none())
}

/// One letter of a satisfiable label, as a value for every proposition. What the label leaves open
/// is false.
pub(super) fn definite(letters: &Letters, label: Label, propositions: usize) -> Cube {
    let witness = letters.witness(label).expect("edges have satisfiable labels");
    let count = u32::try_from(propositions).expect("propositions are numbered by u32");
    let mut given = witness.into_iter().peekable();
    (0..count)
        .map(|prop| {
            let value = given.next_if(|&(at, _)| at == Prop(prop)).is_some_and(|(_, value)| value);
            (Prop(prop), value)
        })
        .collect()
}
