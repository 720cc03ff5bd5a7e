//! Alternation removal by guessing a strategy; see the module above for why it is right.

use hashbrown::HashMap;

use super::{Branching, blank, union_of};
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Import, Label, Letters, Prop};
use crate::marks::MarkSet;
use crate::ops::complement;
use crate::ops::parts::MOST_DISJUNCTS;
use crate::refused::{BudgetError, Limits, Resource};

/// Most propositions for the choices of a strategy: the automaton that judges strategies tells
/// apart letters over all of them.
const MOST_PROPOSITIONS: u32 = 16;

/// Most nodes for the letters of the automaton that judges strategies.
const MOST_NODES: usize = 1 << 19;

/// Most states of the automaton that judges strategies.
const MOST_STATES: usize = 20_000;

/// The nondeterministic automaton; the condition is Rabin.
pub(super) fn guess(
    branching: &Branching,
    base: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let own = u32::try_from(base.propositions().len()).expect("a reader has counted them");
    // The propositions that say what each state chooses: from the first, so many.
    let mut next = own;
    let mut places = Vec::new();
    let mut letters = Letters::with_limit(MOST_NODES);
    let same: Vec<Prop> = (0..own).map(Prop).collect();
    let mut import = Import::new(base.letters(), &same);
    for choices in &branching.choices {
        let mut labels = Vec::with_capacity(choices.len());
        for choice in choices {
            labels.push(import.label(&mut letters, choice.label)?);
        }
        let numbers = numbers(&mut letters, &labels)?;
        let count = numbers.iter().max().map_or(0, |&most| most + 1);
        let width = usize::BITS - count.saturating_sub(1).leading_zeros();
        places.push(Place { first: next, width, numbers, labels });
        next += width;
        if next - own > MOST_PROPOSITIONS {
            let limit = 1 << MOST_PROPOSITIONS;
            return Err(BudgetError { resource: Resource::LetterClasses, limit });
        }
    }
    let mut propositions = base.propositions().to_vec();
    propositions.extend((own..next).map(|at| format!("choice {}", at - own)));
    let mut refuting_builder = Builder::new(propositions);
    *refuting_builder.letters_mut() = letters;
    let refuting = refuting(branching, refuting_builder, &places)?;
    let limits = Limits { states: limits.states.min(MOST_STATES), ..limits };
    let mut all = Vec::new();
    for states in &branching.initial {
        let mut builder = refuting.clone();
        builder.set_initial(states.iter().map(|&state| StateId(state)).collect());
        let winning = complement(&builder.build(), limits)?;
        all.push(without_choices(&winning, base, own)?);
    }
    union_of(all, base, limits)
}

/// How the choices of one state are told apart.
struct Place {
    /// The first of the propositions that say the number of a choice, and how many there are.
    first: u32,
    width: u32,
    /// The number of each choice.
    numbers: Vec<usize>,
    /// The letters of each choice.
    labels: Vec<Label>,
}

/// A number for each choice, such that those that share a letter have different ones: what the
/// letter decides needs no proposition.
fn numbers(letters: &mut Letters, labels: &[Label]) -> Result<Vec<usize>, BudgetError> {
    let mut used: Vec<Label> = Vec::new();
    let mut numbers = Vec::with_capacity(labels.len());
    for &label in labels {
        let mut number = used.len();
        for (at, &taken) in used.iter().enumerate() {
            if letters.and(taken, label)? == Label::FALSE {
                number = at;
                break;
            }
        }
        if number == used.len() {
            used.push(Label::FALSE);
        }
        used[number] = letters.or(used[number], label)?;
        numbers.push(number);
    }
    Ok(numbers)
}

/// The automaton, still without initial states, that reads a word with a strategy and accepts if
/// the strategy is not allowed or has a branch that is not accepted.
fn refuting(
    branching: &Branching,
    mut builder: Builder,
    places: &[Place],
) -> Result<Builder, BudgetError> {
    let condition = branching.acceptance.dual();
    let declared = condition.marks().iter().last().map_or(0, |mark| mark.0 + 1);
    // Where the strategy is not allowed, everything is accepted from there on.
    let refuted: MarkSet = condition.disjuncts(MOST_DISJUNCTS)?.remove(0).inf;
    builder.set_acceptance(condition, declared);
    builder.add_states(branching.choices.len());
    let lost = builder.add_state();
    builder.add_edge(lost, Label::TRUE, refuted, lost);
    for (state, choices) in branching.choices.iter().enumerate() {
        let from = StateId::from_index(state);
        let Place { first, width, numbers, labels } = &places[state];
        let mut allowed = Label::FALSE;
        for ((choice, number), &label) in choices.iter().zip(numbers).zip(labels) {
            let bits = (0..*width).map(|bit| (Prop(first + bit), number >> bit & 1 == 1));
            let chosen = builder.letters_mut().cube(&bits.collect::<Vec<_>>())?;
            let label = builder.letters_mut().and(chosen, label)?;
            allowed = builder.letters_mut().or(allowed, label)?;
            for &target in &choice.targets {
                builder.add_edge(from, label, choice.marks.clone(), StateId(target));
            }
        }
        let forbidden = builder.letters_mut().not(allowed)?;
        builder.add_edge(from, forbidden, MarkSet::new(), lost);
    }
    Ok(builder)
}

/// The automaton that accepts a word if there is a strategy with which it was accepted: what its
/// edges say of choices is dropped. Propositions from `own` on are choices.
fn without_choices(
    automaton: &Automaton,
    base: &Automaton,
    own: u32,
) -> Result<Automaton, BudgetError> {
    let mut letters = automaton.letters().clone();
    let mut known: HashMap<Label, Label> = HashMap::new();
    let mut labels = Vec::with_capacity(automaton.edge_count());
    for edge in automaton.all_edges() {
        labels.push(satisfiable(&mut letters, edge.label, own, &mut known)?);
    }
    let mut builder = blank(base, letters);
    builder.set_acceptance(automaton.acceptance().clone(), automaton.mark_count());
    builder.add_states(automaton.state_count());
    builder.set_initial(automaton.initial().to_vec());
    let mut labels = labels.into_iter();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let label = labels.next().expect("one for each edge");
            builder.add_edge(state, label, automaton.marks(edge.marks).clone(), edge.target);
        }
    }
    Ok(builder.build())
}

/// The letters over the first `own` propositions that can be extended to one of `label`. Diagrams
/// ask for propositions in their order, so where one asks for a choice, nothing else is left.
fn satisfiable(
    letters: &mut Letters,
    label: Label,
    own: u32,
    known: &mut HashMap<Label, Label>,
) -> Result<Label, BudgetError> {
    known.insert(Label::TRUE, Label::TRUE);
    known.insert(Label::FALSE, Label::FALSE);
    for node in letters.reachable(label) {
        if known.contains_key(&node) {
            continue;
        }
        let (prop, low, high) = letters.branch(node).expect("an inner node");
        let result = match prop.0 >= own {
            true => Label::TRUE,
            false => {
                let (low, high) = (known[&low], known[&high]);
                let yes = letters.prop(prop)?;
                let with = letters.and(yes, high)?;
                let without = letters.minus(low, yes)?;
                letters.or(with, without)?
            }
        };
        known.insert(node, result);
    }
    Ok(known[&label])
}
