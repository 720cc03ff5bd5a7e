//! Classes of a formula by its language, not by its syntax.
//!
//! [`classify`] translates the formula and its negation and compares automata; it is exact, where
//! [`Formulas::classes`] and [`Formulas::is_next_free`] only see what the syntax shows. The single questions
//! are functions on a pair of automata, `yes` for the formula and `no` for its negation over the same
//! propositions, for callers that have these already.
//!
//! | question | answered by |
//! |---|---|
//! | safety | the closure of `yes` (every prefix can go on) does not meet `no` |
//! | guarantee | safety of the negation |
//! | obligation | the weak powerset automaton of `yes` does not meet `no` (Dax, Eisinger, Klaedtke 2007) |
//! | recurrence | a deterministic automaton has no accepted cycle inside a rejected one (Landweber 1969) |
//! | persistence | recurrence of the negation |
//! | liveness | the closure of `yes` has every word |
//! | stutter-invariance | `yes` and `no`, with letters repeated at will, do not meet (after Michaud and Duret-Lutz, SPIN 2015) |

use std::fmt;

use hashbrown::HashMap;

use fairly_logic::{Classes, Formula, Formulas};
use fairly_omega::ops::{self, ProductGraph};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Components, Import, Label, Letters, Limits, Mark,
    MarkSet, Prop, Resource, StateId, emptiness,
};

use crate::fast::weak_powerset;
use crate::{Options, translate};

/// Classes of the language of a formula.
///
/// Its `Display` is plain words, a line for each thing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticClasses {
    /// Where it stands among safety, guarantee … reactivity.
    pub hierarchy: Classes,
    /// Whether every finite prefix has a continuation that satisfies it.
    pub liveness: bool,
    /// Whether repeating a letter, or leaving out a repetition, changes nothing.
    pub stutter_invariant: bool,
}

impl fmt::Display for SemanticClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.hierarchy.smallest().describe())?;
        if self.liveness {
            writeln!(f, "liveness: no finite part of a run can violate it")?;
        }
        f.write_str(if self.stutter_invariant {
            "stutter-invariant: how often a position is repeated does not matter"
        } else {
            "not stutter-invariant: repeating a position can change the answer"
        })
    }
}

/// The classes of a formula's language.
///
/// ```
/// use fairly_logic::{Class, Formulas};
/// use fairly_translate::{Options, classes::classify};
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("F(p & X !p)").unwrap();
/// let found = classify(&mut formulas, f, &Options::default()).unwrap();
/// assert_eq!(found.hierarchy.smallest(), Class::Guarantee);
/// assert!(found.liveness && found.stutter_invariant);
/// ```
///
/// # Errors
/// When an automaton on the way is too large.
pub fn classify(
    formulas: &mut Formulas,
    f: Formula,
    options: &Options,
) -> Result<SemanticClasses, BudgetError> {
    let negated = formulas.not(f);
    let yes = translate(formulas, f, options)?;
    let no = translate(formulas, negated, options)?;
    let safety = is_safety(&yes, &no)?;
    let guarantee = is_safety(&no, &yes)?;
    let obligation = safety || guarantee || is_obligation(&yes, &no)?;
    Ok(SemanticClasses {
        hierarchy: Classes {
            safety,
            guarantee,
            obligation,
            recurrence: obligation || is_recurrence(&yes, options.limits)?,
            persistence: obligation || is_recurrence(&no, options.limits)?,
        },
        liveness: is_liveness(&yes, options.limits)?,
        stutter_invariant: is_stutter_invariant(&yes, &no)?,
    })
}

/// Whether a violation always shows in a finite prefix.
///
/// # Errors
/// When the labels of both do not fit in one store; so for the questions below.
pub fn is_safety(yes: &Automaton, no: &Automaton) -> Result<bool, BudgetError> {
    disjoint(&closure(yes), no)
}

/// Whether every finite prefix has a continuation that is accepted.
///
/// # Errors
/// When the subsets of states that have to be looked at are too many.
pub fn is_liveness(yes: &Automaton, limits: Limits) -> Result<bool, BudgetError> {
    ops::is_universal(&closure(yes), limits)
}

/// Whether the language is a Boolean combination of safety and guarantee: recognised by a weak
/// deterministic automaton.
///
/// # Errors
/// When that automaton is too large.
pub fn is_obligation(yes: &Automaton, no: &Automaton) -> Result<bool, BudgetError> {
    disjoint(&weak_powerset(yes)?, no)
}

/// Whether the language is recognised by a deterministic Büchi automaton.
///
/// # Errors
/// When a deterministic automaton for it is too large.
pub fn is_recurrence(yes: &Automaton, limits: Limits) -> Result<bool, BudgetError> {
    let deterministic = ops::determinize(yes, limits)?;
    let condition = deterministic.acceptance();
    let states: Vec<StateId> = deterministic.states().collect();
    // The condition is a parity condition: the largest mark decides. So the largest rejected cycles
    // are the components of what is left when all marks above some mark are taken away.
    for top in 0..deterministic.mark_count() {
        let low = |set: &MarkSet| set.iter().all(|mark| mark.0 <= top);
        let parts = Components::restricted(&deterministic, &states, |_, edge| {
            low(deterministic.marks(edge.marks))
        });
        let above = (top + 1..deterministic.mark_count()).map(|mark| Acceptance::Fin(Mark(mark)));
        let inner = Acceptance::and(above.chain([condition.clone()]));
        for id in parts.ids().filter(|&id| !parts.is_trivial(id)) {
            if !condition.accepts(parts.marks(id))
                && emptiness::has_accepting_cycle(&deterministic, parts.members(id), &inner)
                    .unwrap_or(true)
            {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether the language cannot tell a word from one with letters repeated.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_translate::{Options, classes::is_stutter_invariant, translate};
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("p & X p").unwrap();
/// let not_f = formulas.not(f);
/// let yes = translate(&mut formulas, f, &Options::default()).unwrap();
/// let no = translate(&mut formulas, not_f, &Options::default()).unwrap();
/// assert!(!is_stutter_invariant(&yes, &no).unwrap());
/// ```
///
/// # Errors
/// When there are too many classes of letters to tell apart.
pub fn is_stutter_invariant(yes: &Automaton, no: &Automaton) -> Result<bool, BudgetError> {
    // Two words differ by repetitions only if there is a third one that has those of both. So a
    // word of `yes` and one of `no` that differ so exist exactly if both automata, allowed to read
    // a letter several times, meet. Letters that no label of either tells apart need not be told
    // apart here, since one can stand for all.
    let mut letters = yes.letters().clone();
    let same: Vec<Prop> = (0..).map(Prop).take(yes.propositions().len()).collect();
    assert_eq!(yes.propositions(), no.propositions(), "of one formula");
    let mut import = Import::new(no.letters(), &same);
    let mut classes = vec![Label::TRUE];
    let mut labels: [Vec<Label>; 2] = [Vec::new(), Vec::new()];
    labels[0].extend(yes.all_edges().iter().map(|edge| edge.label));
    for edge in no.all_edges() {
        labels[1].push(import.label(&mut letters, edge.label)?);
    }
    let mut distinct: Vec<Label> = labels.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    for label in distinct {
        letters.split(&mut classes, label, MOST_CLASSES)?;
    }
    let yes = repeating(yes, &labels[0], &letters, &classes)?;
    let no = repeating(no, &labels[1], &letters, &classes)?;
    disjoint(&yes, &no)
}

/// Most classes of letters that the test for stutter-invariance tells apart.
const MOST_CLASSES: usize = 1024;

/// Most edges of an automaton that may repeat letters.
const MOST_EDGES: usize = 1_000_000;

/// The automaton that may read each letter several times, finitely often. Letters are read by
/// class; `labels` are those of the automaton's edges in `letters`.
fn repeating(
    automaton: &Automaton,
    labels: &[Label],
    letters: &Letters,
    classes: &[Label],
) -> Result<Automaton, BudgetError> {
    let mut builder = Builder::new(automaton.propositions().to_vec());
    *builder.letters_mut() = letters.clone();
    let step = Mark(automaton.mark_count());
    let condition = Acceptance::and([automaton.acceptance().clone(), Acceptance::Inf(step)]);
    builder.set_acceptance(condition, step.0 + 1);
    // A state and the class of the letter read last; none at the start.
    let mut known: HashMap<(StateId, Option<usize>), StateId> = HashMap::new();
    let mut todo: Vec<(StateId, Option<usize>)> = Vec::new();
    let mut first = vec![0usize];
    for state in automaton.states() {
        first.push(first[state.index()] + automaton.edges(state).len());
    }
    let mut number = |builder: &mut Builder, todo: &mut Vec<_>, key| {
        *known.entry(key).or_insert_with(|| {
            todo.push(key);
            builder.add_state()
        })
    };
    for &state in automaton.initial() {
        let fresh = number(&mut builder, &mut todo, (state, None));
        builder.add_initial(fresh);
    }
    while let Some(key) = todo.pop() {
        let from = number(&mut builder, &mut todo, key);
        let (state, last) = key;
        if let Some(class) = last {
            builder.add_edge(from, classes[class], MarkSet::new(), from);
        }
        for (at, edge) in automaton.edges(state).iter().enumerate() {
            let label = labels[first[state.index()] + at];
            let mut marks = automaton.marks(edge.marks).clone();
            marks.insert(step);
            for (class, &on) in classes.iter().enumerate() {
                if builder.letters_mut().and(on, label)? != Label::FALSE {
                    let to = number(&mut builder, &mut todo, (edge.target, Some(class)));
                    builder.add_edge(from, on, marks.clone(), to);
                }
            }
        }
        if builder.edge_count() > MOST_EDGES {
            return Err(BudgetError { resource: Resource::Edges, limit: MOST_EDGES });
        }
    }
    Ok(builder.build())
}

/// The least safety language around: every word all of whose prefixes some accepted word has.
fn closure(automaton: &Automaton) -> Automaton {
    let mut builder = ops::trim(automaton).to_builder();
    builder.map_marks(|_| MarkSet::new());
    builder.set_acceptance(Acceptance::True, 0);
    builder.build()
}

fn disjoint(one: &Automaton, other: &Automaton) -> Result<bool, BudgetError> {
    let mut both = ProductGraph::new(one, other)?;
    Ok(emptiness::find_lasso(&mut both)?.is_none())
}
