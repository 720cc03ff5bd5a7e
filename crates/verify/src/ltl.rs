//! Formulas, and the expansions of sets of them.
//!
//! A formula is a table of its subformulas, operands first, in which only propositions are negated. Where a claim is
//! that every run satisfies something, the table is of the negation, so that nothing has to be negated here; what is
//! printed is its opposite. `F f` is `true U f`, and `G f` is `false R f`.
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

use std::collections::BTreeSet;

use crate::forms::Forms;
use crate::rejected::{Rejected, Rule, reject};

/// A subformula; operands are positions in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Subformulas, characters of a formula as it is printed, truths on the word of a run, and work on the expansions of one
/// set under one letter.
const MOST: usize = 100_000;
const LONGEST: usize = 1 << 17;
const TRUTHS: usize = 1 << 28;
const EXPANSIONS: usize = 1 << 18;

/// The subformulas of a certificate, each after its operands.
#[derive(Debug, Default)]
pub(crate) struct Formulas {
    pub(crate) nodes: Vec<Node>,
    /// Whether each has no temporal operator.
    plain: Vec<bool>,
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

impl Formulas {
    /// Reads the next subformula: `true`, `false`, `a0`, `not a0`, or an operator and the positions of its operands.
    pub(crate) fn read(&mut self, words: &mut Forms<'_>) -> Result<(), Rejected> {
        let before = *words;
        let known = self.nodes.len();
        if known >= MOST {
            return reject(Rule::Statement, "a formula has too many subformulas");
        }
        let operand = |words: &mut Forms<'_>| match words.number()? {
            at if at < known => Ok(at),
            _ => before.fail("an operand that comes before"),
        };
        let node = if let Some(atom) = words.takes_id('a') {
            Node::Atom(atom, true)
        } else {
            match words.word()? {
                "true" => Node::True,
                "false" => Node::False,
                "not" => Node::Atom(words.id('a')?, false),
                "and" => Node::And(operand(words)?, operand(words)?),
                "or" => Node::Or(operand(words)?, operand(words)?),
                "X" => Node::Next(operand(words)?),
                "U" => Node::Until(operand(words)?, operand(words)?),
                "R" => Node::Release(operand(words)?, operand(words)?),
                _ => return before.fail("a formula"),
            }
        };
        self.plain.push(match node {
            Node::True | Node::False | Node::Atom(..) => true,
            Node::And(one, other) | Node::Or(one, other) => self.plain[one] && self.plain[other],
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        });
        self.nodes.push(node);
        Ok(())
    }

    /// Whether there is such a formula, and it has no temporal operator.
    pub(crate) fn is_plain(&self, at: usize) -> bool {
        self.plain.get(at) == Some(&true)
    }

    /// A formula, or its negation, with the names of its propositions.
    pub(crate) fn show(
        &self,
        (at, negated): (usize, bool),
        names: &[String],
        out: &mut String,
    ) -> Result<(), Rejected> {
        if out.len() > LONGEST {
            return reject(Rule::Limit, "a formula is too long to be printed");
        }
        let mut both = |one, sign: &str, other| {
            out.push('(');
            self.show((one, negated), names, out)?;
            out.push_str(sign);
            self.show((other, negated), names, out)?;
            out.push(')');
            Ok(())
        };
        let alone = match self.nodes[at] {
            Node::True | Node::False => {
                let holds = (self.nodes[at] == Node::True) != negated;
                out.push_str(if holds { "true" } else { "false" });
                return Ok(());
            }
            Node::Atom(atom, holds) => {
                out.push_str(if holds == negated { "!" } else { "" });
                out.push_str(&names[atom]);
                return Ok(());
            }
            Node::And(one, other) => return both(one, if negated { " | " } else { " & " }, other),
            Node::Or(one, other) => return both(one, if negated { " & " } else { " | " }, other),
            Node::Next(one) => ("X ", one),
            Node::Until(one, other) if self.nodes[one] == Node::True => {
                (if negated { "G " } else { "F " }, other)
            }
            Node::Release(one, other) if self.nodes[one] == Node::False => {
                (if negated { "F " } else { "G " }, other)
            }
            Node::Until(one, other) => {
                return both(one, if negated { " R " } else { " U " }, other);
            }
            Node::Release(one, other) => {
                return both(one, if negated { " U " } else { " R " }, other);
            }
        };
        out.push_str(alone.0);
        self.show((alone.1, negated), names, out)
    }

    /// By formula without temporal operators: whether it holds of a letter.
    pub(crate) fn truths(&self, letter: &[bool]) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            truths.push(match *node {
                Node::True => true,
                Node::Atom(at, holds) => letter[at] == holds,
                Node::And(one, other) => truths[one] && truths[other],
                Node::Or(one, other) => truths[one] || truths[other],
                _ => false,
            });
        }
        truths
    }

    /// By formula and position: whether it holds on the word of these letters, whose last is followed by the one at
    /// `back`.
    ///
    /// # Errors
    /// When that is too much.
    pub(crate) fn evaluate(
        &self,
        letters: &[Vec<bool>],
        back: usize,
    ) -> Result<Vec<Vec<bool>>, Rejected> {
        let count = letters.len();
        if self.nodes.len() * count > TRUTHS {
            return reject(Rule::Limit, "a formula or a run is too long");
        }
        let next = |at: usize| if at + 1 < count { at + 1 } else { back };
        let mut truths: Vec<Vec<bool>> = Vec::new();
        for node in &self.nodes {
            let of = |it: usize, at: usize| truths[it][at];
            let mut truth = vec![matches!(node, Node::Release(..)); count];
            // Twice round is enough: what holds at a position depends on the positions behind it, once each.
            for at in (0..count).rev().chain((0..count).rev()) {
                truth[at] = match *node {
                    Node::True => true,
                    Node::False => false,
                    Node::Atom(atom, holds) => letters[at][atom] == holds,
                    Node::And(one, other) => of(one, at) && of(other, at),
                    Node::Or(one, other) => of(one, at) || of(other, at),
                    Node::Next(one) => of(one, next(at)),
                    Node::Until(one, other) => of(other, at) || of(one, at) && truth[next(at)],
                    Node::Release(one, other) => of(other, at) && (of(one, at) || truth[next(at)]),
                };
            }
            truths.push(truth);
        }
        Ok(truths)
    }

    /// All expansions of a set of formulas under a letter.
    pub(crate) fn expand(
        &self,
        set: &[usize],
        letter: &[bool],
    ) -> Result<Vec<Expansion>, Rejected> {
        let truths = self.truths(letter);
        // The letter decides about a subformula, if it has no temporal operator.
        let decided = |at: usize| self.plain[at].then(|| truths[at]);
        let mut found = BTreeSet::new();
        let mut partials = vec![Partial { open: set.to_vec(), ..Partial::default() }];
        let mut steps = 0;
        while let Some(mut partial) = partials.pop() {
            let Some(at) = partial.open.pop() else {
                let Partial { next, postponed, .. } = partial;
                let (next, postponed) = (Vec::from_iter(next), Vec::from_iter(postponed));
                found.insert(Expansion { next, postponed });
                continue;
            };
            // What a step costs depends on how much is there.
            let Partial { open, done, next, .. } = &partial;
            steps += 1 + (open.len() + done.len() + next.len()) / 16;
            if steps > EXPANSIONS {
                return reject(Rule::Limit, "a state of the automaton has too many expansions");
            }
            if !partial.done.insert(at) || decided(at) == Some(true) {
                partials.push(partial);
                continue;
            }
            if decided(at) == Some(false) {
                continue;
            }
            let mut add = |open: &[usize], later: Option<usize>, postponed: bool| {
                let mut one = partial.clone();
                one.open.extend(open);
                one.next.extend(later.filter(|&later| self.nodes[later] != Node::True));
                one.postponed.extend(postponed.then_some(at));
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
