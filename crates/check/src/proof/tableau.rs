//! The automaton of a property's negation, or of the property, whose states are sets of formulas.
//!
//! The verifier makes the same expansions letter by letter. The subformulas are written in the certificate: operands
//! first, from the left, each once. The rules are those of Gerth, Peled, Vardi
//! and Wolper (PSTV 1995); where the first way to satisfy a formula is a matter of the letter alone, the letter
//! decides between the ways.

use std::collections::BTreeSet;

use fairly_logic::{AtomId, Formula, Formulas, Node};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Label, Mark, MarkSet, Prop, Resource, StateId,
};
use hashbrown::HashMap;

/// A formula in which only propositions are negated; operands are positions among the subformulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Normal {
    True,
    False,
    Atom(usize, bool),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// The rest that is asked for, what is postponed, and the letters.
type Expansion = (Vec<usize>, BTreeSet<usize>, Label);

/// States that an automaton may have, and partial expansions of one of them.
const STATES: usize = 1 << 14;
const EXPANSIONS: usize = 1 << 16;

/// The automaton of a property's negation, or of the property.
pub(super) struct Tableau {
    pub(super) automaton: Automaton,
    /// Of each state, the formulas that the rest of a run satisfies.
    pub(super) sets: Vec<Vec<usize>>,
    /// The subformula behind each mark, which is on the edges that do not postpone it.
    pub(super) untils: Vec<usize>,
}

struct Maker<'a> {
    formulas: &'a Formulas,
    atoms: &'a [AtomId],
    nodes: Vec<Normal>,
    known: HashMap<Normal, usize>,
    /// The letters that satisfy a subformula, if it has no temporal operator.
    labels: Vec<Option<Label>>,
    builder: Builder,
}

/// Formulas that are still to be expanded, and what the others ask.
#[derive(Clone)]
struct Partial {
    open: Vec<usize>,
    done: BTreeSet<usize>,
    next: BTreeSet<usize>,
    postponed: BTreeSet<usize>,
    label: Label,
}

impl std::fmt::Display for Normal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Normal::True => f.write_str("true"),
            Normal::False => f.write_str("false"),
            Normal::Atom(at, true) => write!(f, "a{at}"),
            Normal::Atom(at, false) => write!(f, "not a{at}"),
            Normal::And(one, other) => write!(f, "and {one} {other}"),
            Normal::Or(one, other) => write!(f, "or {one} {other}"),
            Normal::Next(one) => write!(f, "X {one}"),
            Normal::Until(one, other) => write!(f, "U {one} {other}"),
            Normal::Release(one, other) => write!(f, "R {one} {other}"),
        }
    }
}

/// The subformulas of a formula, or of its negation, and the position of itself among them. They are those of its
/// [`Tableau`].
pub(super) fn subformulas(
    formulas: &Formulas,
    (formula, holds): (Formula, bool),
    atoms: &[AtomId],
) -> Result<(Vec<Normal>, usize), BudgetError> {
    let mut maker = Maker::new(formulas, atoms);
    let root = maker.add(formula, holds)?;
    Ok((maker.nodes, root))
}

impl Tableau {
    /// The automaton of the negation of a formula; its propositions are the formula's.
    ///
    /// # Errors
    /// When it becomes too large.
    pub(super) fn of_negation(
        formulas: &Formulas,
        formula: Formula,
        atoms: &[AtomId],
    ) -> Result<Tableau, BudgetError> {
        Tableau::make(formulas, (formula, false), atoms)
    }

    /// The automaton of a formula.
    ///
    /// # Errors
    /// When it becomes too large.
    pub(super) fn of(
        formulas: &Formulas,
        formula: Formula,
        atoms: &[AtomId],
    ) -> Result<Tableau, BudgetError> {
        Tableau::make(formulas, (formula, true), atoms)
    }

    fn make(
        formulas: &Formulas,
        (formula, holds): (Formula, bool),
        atoms: &[AtomId],
    ) -> Result<Tableau, BudgetError> {
        let mut maker = Maker::new(formulas, atoms);
        let root = maker.add(formula, holds)?;
        maker.automaton(root)
    }
}

impl<'a> Maker<'a> {
    fn new(formulas: &'a Formulas, atoms: &'a [AtomId]) -> Maker<'a> {
        let names = atoms.iter().map(|&atom| formulas.atom_of(atom).text().to_owned()).collect();
        let (nodes, known, labels) = (Vec::new(), HashMap::new(), Vec::new());
        Maker { formulas, atoms, nodes, known, labels, builder: Builder::new(names) }
    }

    fn intern(&mut self, node: Normal) -> Result<usize, BudgetError> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let letters = self.builder.letters_mut();
        let label = match node {
            Normal::True => Some(Label::TRUE),
            Normal::False => Some(Label::FALSE),
            Normal::Atom(at, holds) => {
                let prop = Prop(u32::try_from(at).expect("few propositions"));
                Some(letters.cube(&[(prop, holds)])?)
            }
            Normal::And(one, other) => match (self.labels[one], self.labels[other]) {
                (Some(one), Some(other)) => Some(letters.and(one, other)?),
                _ => None,
            },
            Normal::Or(one, other) => match (self.labels[one], self.labels[other]) {
                (Some(one), Some(other)) => Some(letters.or(one, other)?),
                _ => None,
            },
            Normal::Next(_) | Normal::Until(..) | Normal::Release(..) => None,
        };
        self.nodes.push(node);
        self.labels.push(label);
        self.known.insert(node, self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }

    /// Adds a formula, or its negation.
    fn add(&mut self, formula: Formula, holds: bool) -> Result<usize, BudgetError> {
        let node = match self.formulas.node(formula) {
            Node::True | Node::False => {
                if (formula == Formula::TRUE) == holds {
                    Normal::True
                } else {
                    Normal::False
                }
            }
            Node::Atom(id) => {
                let at = self.atoms.iter().position(|&atom| atom == id);
                Normal::Atom(at.expect("an atom of the formula"), holds)
            }
            Node::Not(inner) => return self.add(inner, !holds),
            Node::And(parts) => return self.chain(parts, holds, holds),
            Node::Or(parts) => return self.chain(parts, !holds, holds),
            Node::Implies(one, other) => {
                let (one, other) = (self.add(one, !holds)?, self.add(other, holds)?);
                if holds { Normal::Or(one, other) } else { Normal::And(one, other) }
            }
            node @ (Node::Iff(left, right) | Node::Xor(left, right)) => {
                let same = matches!(node, Node::Iff(..)) == holds;
                let (one, other) = (self.add(left, true)?, self.add(right, same)?);
                let both = self.intern(Normal::And(one, other))?;
                let (one, other) = (self.add(left, false)?, self.add(right, !same)?);
                let neither = self.intern(Normal::And(one, other))?;
                Normal::Or(both, neither)
            }
            Node::Next(inner) => Normal::Next(self.add(inner, holds)?),
            node @ (Node::Finally(inner) | Node::Globally(inner)) => {
                let until = matches!(node, Node::Finally(_)) == holds;
                let left = self.intern(if until { Normal::True } else { Normal::False })?;
                let right = self.add(inner, holds)?;
                if until { Normal::Until(left, right) } else { Normal::Release(left, right) }
            }
            node @ (Node::Until(one, other) | Node::Release(one, other)) => {
                let until = matches!(node, Node::Until(..)) == holds;
                let (one, other) = (self.add(one, holds)?, self.add(other, holds)?);
                if until { Normal::Until(one, other) } else { Normal::Release(one, other) }
            }
            node @ (Node::WeakUntil(one, other) | Node::StrongRelease(one, other)) => {
                let weak = matches!(node, Node::WeakUntil(..)) == holds;
                let (one, other) = (self.add(one, holds)?, self.add(other, holds)?);
                let both = match weak {
                    true => self.intern(Normal::Or(one, other))?,
                    false => self.intern(Normal::And(one, other))?,
                };
                if weak { Normal::Release(other, both) } else { Normal::Until(other, both) }
            }
        };
        self.intern(node)
    }

    fn chain(&mut self, parts: &[Formula], and: bool, holds: bool) -> Result<usize, BudgetError> {
        let Some((&first, rest)) = parts.split_first() else {
            return self.intern(if and { Normal::True } else { Normal::False });
        };
        let mut chain = self.add(first, holds)?;
        for &part in rest {
            let part = self.add(part, holds)?;
            let node = if and { Normal::And(chain, part) } else { Normal::Or(chain, part) };
            chain = self.intern(node)?;
        }
        Ok(chain)
    }

    fn automaton(mut self, root: usize) -> Result<Tableau, BudgetError> {
        let is_until = |at: &usize| matches!(self.nodes[*at], Normal::Until(..));
        let untils: Vec<usize> = (0..self.nodes.len()).filter(is_until).collect();
        let mark = |at: usize| Mark(u32::try_from(at).expect("few untils"));
        let (mut sets, mut numbers) = (vec![vec![root]], HashMap::new());
        numbers.insert(vec![root], self.builder.add_state());
        self.builder.add_initial(StateId(0));
        let mut at = 0;
        while at < sets.len() {
            for (next, postponed, label) in self.expand(&sets[at])? {
                let target = match numbers.get(&next) {
                    Some(&known) => known,
                    None => {
                        if sets.len() == STATES {
                            return Err(BudgetError { resource: Resource::States, limit: STATES });
                        }
                        let new = self.builder.add_state();
                        numbers.insert(next.clone(), new);
                        sets.push(next);
                        new
                    }
                };
                let kept = (0..untils.len()).filter(|&it| !postponed.contains(&untils[it]));
                let marks: MarkSet = kept.map(mark).collect();
                self.builder.add_edge(StateId::from_index(at), label, marks, target);
            }
            at += 1;
        }
        let infinitely = (0..untils.len()).map(|at| Acceptance::Inf(mark(at)));
        let count = mark(untils.len()).0;
        self.builder.set_acceptance(Acceptance::and(infinitely), count);
        Ok(Tableau { automaton: self.builder.build(), sets, untils })
    }

    /// The expansions of a set: what they ask of the rest, what they postpone, and of which letters they are.
    fn expand(&mut self, set: &[usize]) -> Result<Vec<Expansion>, BudgetError> {
        let none = BTreeSet::new();
        let mut partials = vec![Partial {
            open: set.to_vec(),
            done: none.clone(),
            next: none.clone(),
            postponed: none,
            label: Label::TRUE,
        }];
        let mut found: Vec<(Vec<usize>, BTreeSet<usize>, Label)> = Vec::new();
        let mut steps = 0;
        while let Some(mut partial) = partials.pop() {
            steps += 1;
            if steps > EXPANSIONS {
                return Err(BudgetError { resource: Resource::Edges, limit: EXPANSIONS });
            }
            if partial.label == Label::FALSE {
                continue;
            }
            let Some(at) = partial.open.pop() else {
                let next: Vec<usize> = partial.next.into_iter().collect();
                let letters = self.builder.letters_mut();
                match found.iter_mut().find(|it| it.0 == next && it.1 == partial.postponed) {
                    Some(known) => known.2 = letters.or(known.2, partial.label)?,
                    None => found.push((next, partial.postponed, partial.label)),
                }
                continue;
            };
            if !partial.done.insert(at) {
                partials.push(partial);
                continue;
            }
            if let Some(label) = self.labels[at] {
                partial.label = self.builder.letters_mut().and(partial.label, label)?;
                partials.push(partial);
                continue;
            }
            for way in self.ways(at)? {
                let mut one = partial.clone();
                one.label = self.builder.letters_mut().and(one.label, way.label)?;
                one.open.extend(way.now);
                one.next.extend(way.later);
                if way.postpones {
                    one.postponed.insert(at);
                }
                partials.push(one);
            }
        }
        Ok(found)
    }

    /// The ways to satisfy a formula that has a temporal operator.
    fn ways(&mut self, at: usize) -> Result<Vec<Way>, BudgetError> {
        let way = |label, now: &[usize], later: Option<usize>| Way {
            label,
            now: now.to_vec(),
            later,
            postpones: false,
        };
        Ok(match self.nodes[at] {
            Normal::And(one, other) => vec![way(Label::TRUE, &[one, other], None)],
            Normal::Or(one, other) => {
                let (plain, rest) =
                    if self.labels[one].is_some() { (one, other) } else { (other, one) };
                match self.labels[plain] {
                    Some(now) => {
                        let not = self.builder.letters_mut().not(now)?;
                        vec![way(now, &[], None), way(not, &[rest], None)]
                    }
                    None => vec![way(Label::TRUE, &[one], None), way(Label::TRUE, &[other], None)],
                }
            }
            Normal::Next(one) => {
                let later = Some(one).filter(|&one| self.nodes[one] != Normal::True);
                vec![way(Label::TRUE, &[], later)]
            }
            Normal::Until(one, other) => {
                let (now, later) = self.split(other)?;
                let postponed = Way { postpones: true, ..way(later, &[one], Some(at)) };
                vec![way(now, &[other], None), postponed]
            }
            Normal::Release(one, other) => {
                let (now, later) = self.split(one)?;
                vec![way(now, &[other, one], None), way(later, &[other], Some(at))]
            }
            Normal::True | Normal::False | Normal::Atom(..) => unreachable!("they have labels"),
        })
    }

    /// The letters on which a formula may hold, and those on which it may not.
    fn split(&mut self, at: usize) -> Result<(Label, Label), BudgetError> {
        Ok(match self.labels[at] {
            Some(label) => (label, self.builder.letters_mut().not(label)?),
            None => (Label::TRUE, Label::TRUE),
        })
    }
}

/// A way to satisfy a formula: on which letters, what is to hold now, and what from the next position on.
struct Way {
    label: Label,
    now: Vec<usize>,
    later: Option<usize>,
    postpones: bool,
}
