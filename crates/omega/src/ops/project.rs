//! Projections: an automaton of which an observer sees less.
//!
//! Two things can be hidden, and they are different questions:
//!
//! - [`forget`] drops propositions from the letters. Every step stays and is read; the result accepts a word if the
//!   automaton accepts one that differs from it in the propositions dropped. Any acceptance condition is kept.
//! - [`visible`] hides events of a system, as [`super::alphabetised_product`] reads one: of the propositions exactly one
//!   holds at a time. A step with a hidden event is not seen at all. The result is the minimal deterministic automaton
//!   of the visible words, and says whether what is inherently fair of it is so of the system
//!   ([`super::abstraction`]).

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, Edge, StateId};
use crate::letters::{Cube, Label, Prop};
use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Limits};

use super::abstraction::{Beginning, Labelled, LetterId, abstraction, not_continued};
use super::{AlphabetisedConfig, alphabetised_product, trim};

/// The automaton without some of its propositions: a letter of the result stands for all letters that differ from it
/// only there.
///
/// ```
/// use fairly_omega::{Builder, Prop, ops};
/// let mut builder = Builder::new(vec!["p".into(), "q".into()]);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// let both = builder.letters_mut().cube(&[(Prop(0), true), (Prop(1), true)]).unwrap();
/// builder.add_edge(here, both, Default::default(), here);
/// let seen = ops::forget(&builder.build(), &[Prop(0)]).unwrap();
/// assert_eq!(seen.propositions(), ["q"]);
/// assert_eq!(seen.edge_count(), 1);
/// ```
///
/// # Errors
/// When the labels of the result are too large to be stored.
pub fn forget(automaton: &Automaton, hidden: &[Prop]) -> Result<Automaton, BudgetError> {
    let is_hidden = |prop: Prop| hidden.contains(&prop);
    let mut names = Vec::new();
    let mut rename: Vec<Option<Prop>> = Vec::new();
    for (prop, name) in (0..).map(Prop).zip(automaton.propositions()) {
        rename.push((!is_hidden(prop)).then(|| {
            names.push(name.clone());
            Prop(u32::try_from(names.len() - 1).expect("fewer than 2^32 names"))
        }));
    }
    let mut builder = Builder::new(names);
    builder.set_name(automaton.name().map(str::to_owned));
    *builder.mark_table_mut() = automaton.mark_table().clone();
    builder.set_acceptance(automaton.acceptance().clone(), automaton.mark_count());
    builder.add_states(automaton.state_count());
    builder.set_initial(automaton.initial().to_vec());
    let old = automaton.letters();
    let mut known: HashMap<Label, Label> =
        HashMap::from([(Label::TRUE, Label::TRUE), (Label::FALSE, Label::FALSE)]);
    for from in automaton.states() {
        if let Some(name) = automaton.state_name(from) {
            builder.set_state_name(from, name.to_owned());
        }
        for edge in automaton.edges(from) {
            for node in old.reachable(edge.label) {
                if known.contains_key(&node) {
                    continue;
                }
                let (prop, low, high) = old.branch(node).expect("an inner node");
                let (low, high) = (known[&low], known[&high]);
                let letters = builder.letters_mut();
                let made = match rename[prop.0 as usize] {
                    None => letters.or(low, high)?,
                    Some(prop) => {
                        let is = letters.prop(prop)?;
                        let (with, without) = (letters.and(is, high)?, letters.minus(low, is)?);
                        letters.or(with, without)?
                    }
                };
                known.insert(node, made);
            }
            let label = known[&edge.label];
            builder.add_interned(from, Edge { label, ..*edge });
        }
    }
    Ok(builder.build())
}

/// A system with events hidden.
#[derive(Clone, Debug)]
pub struct Visible {
    /// The visible words: deterministic, with as few states as possible, all of them accepting. Of a system whose
    /// visible words end somewhere ([`Visible::ends`]) it accepts the infinite ones.
    pub automaton: Automaton,
    /// A shortest visible word after which nothing visible can come. If there is one, inherent fairness cannot be asked
    /// of the result: words end that a property takes to be infinite.
    pub ends: Option<Vec<String>>,
    /// If the result is not weakly continuation-closed: a shortest word of the system, hidden events included, after
    /// which it can no longer do what the result promises.
    pub broken: Option<Vec<String>>,
}

/// The visible words of a system in which some events are hidden. What counts as its words are the beginnings of those
/// that it accepts.
///
/// ```
/// use fairly_omega::formats::aut;
/// use fairly_omega::{Limits, Prop, ops};
/// // `b` is possible again and again, until the hidden `c` has been taken.
/// let text = "des (0, 4, 2)\n(0, \"a\", 0)\n(0, \"b\", 0)\n(0, \"c\", 1)\n(1, \"a\", 1)\n";
/// let system = aut::parse(text).unwrap();
/// let seen = ops::visible(&system, &[Prop(2)], Limits::default()).unwrap();
/// assert_eq!((seen.automaton.state_count(), seen.ends), (1, None));
/// assert_eq!(seen.broken, Some(vec!["c".to_owned()]));
/// ```
///
/// # Errors
/// When there are more sets of states than the limits allow.
pub fn visible(
    automaton: &Automaton,
    hidden: &[Prop],
    limits: Limits,
) -> Result<Visible, BudgetError> {
    let config = AlphabetisedConfig { limits, ..AlphabetisedConfig::default() };
    let system = trim(&alphabetised_product(&[automaton], &config)?);
    let names = automaton.propositions();
    let is_visible: Vec<bool> =
        (0..).map(Prop).zip(names).map(|(prop, _)| !hidden.contains(&prop)).collect();
    let labelled = labelled(&system);
    let small = abstraction(&labelled, &is_visible, limits)?;
    let broken = match small.ends {
        Some(_) => None,
        None => not_continued(&labelled, &is_visible, Beginning::Word, limits)?,
    };
    let word = |letters: Vec<LetterId>| -> Vec<String> {
        letters.into_iter().map(|letter| names[letter as usize].clone()).collect()
    };
    let seen: Vec<u32> = (0..).zip(&is_visible).filter_map(|(at, &it)| it.then_some(at)).collect();
    let mut builder = Builder::new(seen.iter().map(|&at| names[at as usize].clone()).collect());
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(small.steps.len());
    builder.add_initial(StateId(0));
    let marks: MarkSet = [Mark(0)].into_iter().collect();
    let mut labels: Vec<Option<Label>> = vec![None; names.len()];
    for (from, steps) in small.steps.iter().enumerate() {
        for &(letter, to) in steps {
            let label = match labels[letter as usize] {
                Some(label) => label,
                None => {
                    let one_hot: Cube = (0..)
                        .map(Prop)
                        .zip(&seen)
                        .map(|(prop, &at)| (prop, at == letter))
                        .collect();
                    *labels[letter as usize].insert(builder.letters_mut().cube(&one_hot)?)
                }
            };
            builder.add_edge(StateId::from_index(from), label, marks.clone(), StateId(to));
        }
    }
    Ok(Visible { automaton: builder.build(), ends: small.ends.map(word), broken: broken.map(word) })
}

/// The steps of an automaton whose labels are single events, as letters.
fn labelled(system: &Automaton) -> Labelled {
    let events = u32::try_from(system.propositions().len()).expect("fewer than 2^32 names");
    let mut labelled = Labelled::new(events);
    let mut letter_of: HashMap<Label, Option<LetterId>> = HashMap::new();
    for _ in system.states() {
        labelled.add_state();
    }
    labelled.initial = system.initial().iter().map(|state| state.0).collect();
    for from in system.states() {
        for edge in system.edges(from) {
            let letter = *letter_of.entry(edge.label).or_insert_with(|| {
                (0..events)
                    .find(|&event| system.letters().holds(edge.label, |prop| prop.0 == event))
            });
            if let Some(letter) = letter {
                labelled.add_step(from.0, letter, edge.target.0);
            }
        }
    }
    labelled
}
