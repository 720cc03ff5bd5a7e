//! Formulas, their negation, and the expansions of sets of them.
//!
//! A state of the automaton of a formula is the set of formulas that the rest of the run is to satisfy. Reading a
//! letter, every formula of the set is *expanded* into what it asks of the letter and what it asks of the rest:
//!
//! | formula | ways to satisfy it |
//! |---|---|
//! | without temporal operators | the letter satisfies it |
//! | `f & g` | both |
//! | `f \| g` | `f`, or `g` |
//! | `X f` | `f` from the next position on |
//! | `f U g` | `g`, or `f` and `f U g` from the next position on: it is *postponed* |
//! | `f R g` | `g` and `f`, or `g` and `f R g` from the next position on |
//!
//! Where `f` of `f | g` or of `f R g`, or `g` of `f U g` or `f | g`, has no temporal operator, the letter decides
//! whether it holds, and the first way is the only one if it does, and none if it does not. A run is accepted if
//! no until is postponed from some position on for ever. These are the rules of Gerth, Peled, Vardi and Wolper
//! (PSTV 1995). For every word that satisfies all formulas of a set there is an expansion such that the rest
//! of the word satisfies the next set, and which postpones an until only if its right side does not hold: that
//! is all that the soundness of a certificate needs.

use std::collections::{BTreeSet, HashMap};

use crate::rejected::{Rejected, Rule, reject};
use crate::words::Words;

/// A formula as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    True,
    False,
    Atom(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<[Formula; 2]>),
    Iff(Box<[Formula; 2]>),
    Xor(Box<[Formula; 2]>),
    Next(Box<Formula>),
    Finally(Box<Formula>),
    Globally(Box<Formula>),
    Until(Box<[Formula; 2]>),
    Release(Box<[Formula; 2]>),
    WeakUntil(Box<[Formula; 2]>),
    StrongRelease(Box<[Formula; 2]>),
}

/// How deep formulas may be nested, and how many subformulas a negation may have.
const NESTING: usize = 2_000;
const MOST: usize = 100_000;
/// Work on the expansions of one set under one letter.
const EXPANSIONS: usize = 1 << 18;

impl Formula {
    /// Reads a formula: `true`, `false`, `a0`, or an operator with its operands in brackets.
    pub(crate) fn read(words: &mut Words<'_>, depth: usize) -> Result<Formula, Rejected> {
        if depth > NESTING {
            return reject(Rule::Statement, "a formula is nested too deep");
        }
        if words.takes("true") {
            return Ok(Formula::True);
        }
        if words.takes("false") {
            return Ok(Formula::False);
        }
        if !words.takes("(") {
            return Ok(Formula::Atom(words.id('a')?));
        }
        let operator = words.next()?;
        let mut operands = Vec::new();
        while !words.takes(")") {
            operands.push(Formula::read(words, depth + 1)?);
        }
        let unknown = || reject(Rule::Statement, format!("`{operator}` has not so many operands"));
        match operator {
            "and" => return Ok(Formula::And(operands)),
            "or" => return Ok(Formula::Or(operands)),
            _ => {}
        }
        if let [_] = operands[..] {
            let operand = Box::new(operands.remove(0));
            return Ok(match operator {
                "not" => Formula::Not(operand),
                "X" => Formula::Next(operand),
                "F" => Formula::Finally(operand),
                "G" => Formula::Globally(operand),
                _ => return unknown(),
            });
        }
        let Ok(both) = <[Formula; 2]>::try_from(operands) else { return unknown() };
        let both = Box::new(both);
        Ok(match operator {
            "implies" => Formula::Implies(both),
            "iff" => Formula::Iff(both),
            "xor" => Formula::Xor(both),
            "U" => Formula::Until(both),
            "R" => Formula::Release(both),
            "W" => Formula::WeakUntil(both),
            "M" => Formula::StrongRelease(both),
            _ => return unknown(),
        })
    }

    /// Whether it holds of a letter; none if it has a temporal operator.
    pub(crate) fn holds(&self, letter: &[bool]) -> Option<bool> {
        let both = |parts: &[Formula; 2]| Some((parts[0].holds(letter)?, parts[1].holds(letter)?));
        Some(match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Atom(at) => *letter.get(*at)?,
            Formula::Not(inner) => !inner.holds(letter)?,
            Formula::And(parts) => {
                let all: Option<Vec<bool>> = parts.iter().map(|part| part.holds(letter)).collect();
                all?.into_iter().all(|holds| holds)
            }
            Formula::Or(parts) => {
                let all: Option<Vec<bool>> = parts.iter().map(|part| part.holds(letter)).collect();
                all?.into_iter().any(|holds| holds)
            }
            Formula::Implies(parts) => both(parts).map(|(left, right)| !left || right)?,
            Formula::Iff(parts) => both(parts).map(|(left, right)| left == right)?,
            Formula::Xor(parts) => both(parts).map(|(left, right)| left != right)?,
            _ => return None,
        })
    }

    /// The formula with the names of its propositions.
    pub(crate) fn show(&self, names: &[String]) -> String {
        let one = |inner: &Formula| inner.show(names);
        let two = |parts: &[Formula; 2], sign: &str| {
            format!("({} {sign} {})", one(&parts[0]), one(&parts[1]))
        };
        let all = |parts: &[Formula], sign: &str| {
            let parts: Vec<String> = parts.iter().map(one).collect();
            format!("({})", parts.join(sign))
        };
        match self {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::Atom(at) => names.get(*at).cloned().unwrap_or_default(),
            Formula::Not(inner) => format!("!{}", one(inner)),
            Formula::And(parts) => all(parts, " & "),
            Formula::Or(parts) => all(parts, " | "),
            Formula::Implies(parts) => two(parts, "->"),
            Formula::Iff(parts) => two(parts, "<->"),
            Formula::Xor(parts) => two(parts, "xor"),
            Formula::Next(inner) => format!("X {}", one(inner)),
            Formula::Finally(inner) => format!("F {}", one(inner)),
            Formula::Globally(inner) => format!("G {}", one(inner)),
            Formula::Until(parts) => two(parts, "U"),
            Formula::Release(parts) => two(parts, "R"),
            Formula::WeakUntil(parts) => two(parts, "W"),
            Formula::StrongRelease(parts) => two(parts, "M"),
        }
    }
}

/// A formula in which only propositions are negated; operands are positions among the subformulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    /// A proposition, and whether it is to hold.
    Atom(usize, bool),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// The subformulas of a formula in which only propositions are negated, each once, operands first and from the
/// left. A certificate names them by their positions.
#[derive(Debug, Default)]
pub(crate) struct Normal {
    pub(crate) nodes: Vec<Node>,
    /// Whether each has no temporal operator.
    plain: Vec<bool>,
    known: HashMap<Node, usize>,
    /// What has been added, by its place in memory and whether it is to hold: an equivalence adds its operands
    /// twice, and so their operands four times.
    added: HashMap<(usize, bool), usize>,
    pub(crate) root: usize,
}

/// The demands of a set of formulas on the rest of a run, and the untils that are postponed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expansion {
    pub(crate) next: Vec<usize>,
    pub(crate) postponed: Vec<usize>,
}

/// Formulas that are still to be expanded, and what the others ask.
#[derive(Clone, Default)]
struct Partial {
    open: Vec<usize>,
    done: BTreeSet<usize>,
    next: BTreeSet<usize>,
    postponed: BTreeSet<usize>,
}

impl Normal {
    /// The normal form of a formula, or of its negation.
    pub(crate) fn of(formula: &Formula, holds: bool) -> Result<Normal, Rejected> {
        let mut normal = Normal::default();
        normal.root = normal.add(formula, holds)?;
        normal.added.clear();
        Ok(normal)
    }

    fn intern(&mut self, node: Node) -> Result<usize, Rejected> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        if self.nodes.len() >= MOST {
            return reject(Rule::Statement, "a formula has too many subformulas");
        }
        let plain = match node {
            Node::True | Node::False | Node::Atom(..) => true,
            Node::And(one, other) | Node::Or(one, other) => self.plain[one] && self.plain[other],
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        };
        self.nodes.push(node);
        self.plain.push(plain);
        self.known.insert(node, self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }

    /// Adds a formula, or its negation. The table in the documentation of the format says what becomes of each
    /// operator, and in which order.
    fn add(&mut self, formula: &Formula, holds: bool) -> Result<usize, Rejected> {
        let key = (std::ptr::from_ref(formula).addr(), holds);
        if let Some(&known) = self.added.get(&key) {
            return Ok(known);
        }
        let added = self.add_new(formula, holds)?;
        self.added.insert(key, added);
        Ok(added)
    }

    fn add_new(&mut self, formula: &Formula, holds: bool) -> Result<usize, Rejected> {
        let node = match formula {
            Formula::True | Formula::False => {
                if matches!(formula, Formula::True) == holds {
                    Node::True
                } else {
                    Node::False
                }
            }
            Formula::Atom(at) => Node::Atom(*at, holds),
            Formula::Not(inner) => return self.add(inner, !holds),
            Formula::And(parts) => return self.chain(parts, holds, holds),
            Formula::Or(parts) => return self.chain(parts, !holds, holds),
            Formula::Implies(parts) => {
                let (one, other) = (self.add(&parts[0], !holds)?, self.add(&parts[1], holds)?);
                if holds { Node::Or(one, other) } else { Node::And(one, other) }
            }
            Formula::Iff(parts) | Formula::Xor(parts) => {
                let same = matches!(formula, Formula::Iff(_)) == holds;
                let (one, other) = (self.add(&parts[0], true)?, self.add(&parts[1], same)?);
                let left = self.intern(Node::And(one, other))?;
                let (one, other) = (self.add(&parts[0], false)?, self.add(&parts[1], !same)?);
                let right = self.intern(Node::And(one, other))?;
                Node::Or(left, right)
            }
            Formula::Next(inner) => Node::Next(self.add(inner, holds)?),
            Formula::Finally(inner) | Formula::Globally(inner) => {
                let until = matches!(formula, Formula::Finally(_)) == holds;
                let left = self.intern(if until { Node::True } else { Node::False })?;
                let right = self.add(inner, holds)?;
                if until { Node::Until(left, right) } else { Node::Release(left, right) }
            }
            Formula::Until(parts) | Formula::Release(parts) => {
                let until = matches!(formula, Formula::Until(_)) == holds;
                let (one, other) = (self.add(&parts[0], holds)?, self.add(&parts[1], holds)?);
                if until { Node::Until(one, other) } else { Node::Release(one, other) }
            }
            // `f W g` is `g R (f | g)`, and `f M g` is `g U (f & g)`.
            Formula::WeakUntil(parts) | Formula::StrongRelease(parts) => {
                let weak = matches!(formula, Formula::WeakUntil(_)) == holds;
                let (one, other) = (self.add(&parts[0], holds)?, self.add(&parts[1], holds)?);
                let both =
                    self.intern(if weak { Node::Or(one, other) } else { Node::And(one, other) })?;
                if weak { Node::Release(other, both) } else { Node::Until(other, both) }
            }
        };
        self.intern(node)
    }

    /// Operands of a conjunction or a disjunction, from the left.
    fn chain(&mut self, parts: &[Formula], and: bool, holds: bool) -> Result<usize, Rejected> {
        let Some((first, rest)) = parts.split_first() else {
            return self.intern(if and { Node::True } else { Node::False });
        };
        let mut chain = self.add(first, holds)?;
        for part in rest {
            let part = self.add(part, holds)?;
            chain =
                self.intern(if and { Node::And(chain, part) } else { Node::Or(chain, part) })?;
        }
        Ok(chain)
    }

    /// By subformula without temporal operators: whether it holds of a letter.
    fn truths(&self, letter: &[bool]) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let truth = match *node {
                Node::True => true,
                Node::Atom(at, holds) => letter.get(at).is_some_and(|&it| it == holds),
                Node::And(one, other) => truths[one] && truths[other],
                Node::Or(one, other) => truths[one] || truths[other],
                _ => false,
            };
            truths.push(truth);
        }
        truths
    }

    /// All expansions of a set of formulas under a letter.
    pub(crate) fn expand(
        &self,
        set: &[usize],
        letter: &[bool],
    ) -> Result<Vec<Expansion>, Rejected> {
        let truths = self.truths(letter);
        let mut found = BTreeSet::new();
        let mut partials = vec![Partial { open: set.to_vec(), ..Partial::default() }];
        let mut steps = 0;
        while let Some(mut partial) = partials.pop() {
            let Some(at) = partial.open.pop() else {
                let next = partial.next.into_iter().collect();
                found
                    .insert(Expansion { next, postponed: partial.postponed.into_iter().collect() });
                continue;
            };
            // What a step costs depends on how much is there.
            let Partial { open, done, next, .. } = &partial;
            steps += 1 + (open.len() + done.len() + next.len()) / 16;
            if steps > EXPANSIONS {
                return reject(Rule::Limit, "a state of the automaton has too many expansions");
            }
            if !partial.done.insert(at) {
                partials.push(partial);
                continue;
            }
            // The letter decides about a subformula, if it has no temporal operator.
            let decided = |at: usize| self.plain[at].then(|| truths[at]);
            if let Some(holds) = decided(at) {
                if holds {
                    partials.push(partial);
                }
                continue;
            }
            let mut add = |open: &[usize], later: Option<usize>, postponed: bool| {
                let mut one = partial.clone();
                one.open.extend(open);
                one.next.extend(later.filter(|&later| self.nodes[later] != Node::True));
                if postponed {
                    one.postponed.insert(at);
                }
                partials.push(one);
            };
            match self.nodes[at] {
                Node::And(one, other) => add(&[one, other], None, false),
                Node::Or(one, other) => match (decided(one), decided(other)) {
                    (Some(true), _) | (_, Some(true)) => add(&[], None, false),
                    (Some(false), _) => add(&[other], None, false),
                    (_, Some(false)) => add(&[one], None, false),
                    (None, None) => {
                        add(&[one], None, false);
                        add(&[other], None, false);
                    }
                },
                Node::Next(one) => add(&[], Some(one), false),
                Node::Until(one, other) => {
                    if decided(other) != Some(false) {
                        add(&[other], None, false);
                    }
                    if decided(other) != Some(true) {
                        add(&[one], Some(at), true);
                    }
                }
                Node::Release(one, other) => {
                    if decided(one) != Some(false) {
                        add(&[other, one], None, false);
                    }
                    if decided(one) != Some(true) {
                        add(&[other], Some(at), false);
                    }
                }
                Node::True | Node::False | Node::Atom(..) => {}
            }
        }
        Ok(found.into_iter().collect())
    }
}
