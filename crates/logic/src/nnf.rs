//! Negation normal form: negation at atoms only, and no `->`, `<->`, `xor`.
//!
//! This pushes negation down and does nothing else; [`crate::Simplifier`] makes formulas smaller.

use hashbrown::HashMap;

use crate::formula::{Formula, Formulas, Node, Op};

const PLAIN: u8 = 1;
const NEGATED: u8 = 2;

impl Formulas {
    /// The formula in negation normal form. Linear in the arena; written out as a tree it may be
    /// exponentially larger where `<->` and `xor` nest.
    ///
    /// ```
    /// use fairly_logic::Formulas;
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("!(p U q -> GF r)").unwrap();
    /// let g = formulas.nnf(f);
    /// assert_eq!(formulas.display(g), "p U q & FG!r");
    /// ```
    pub fn nnf(&mut self, f: Formula) -> Formula {
        if self.is_nnf(f) {
            return f;
        }
        self.push_down(f, PLAIN)
    }

    /// The negation of `f` in negation normal form.
    pub fn negate(&mut self, f: Formula) -> Formula {
        self.push_down(f, NEGATED)
    }

    fn push_down(&mut self, f: Formula, polarity: u8) -> Formula {
        let order = self.subformulas(f);
        let position: HashMap<Formula, usize> =
            order.iter().enumerate().map(|(i, &g)| (g, i)).collect();

        // Parents first: in which polarities is each subformula needed?
        let mut needed = vec![0u8; order.len()];
        needed[order.len() - 1] = polarity;
        for (i, &g) in order.iter().enumerate().rev() {
            let here = needed[i];
            let flipped = (here & PLAIN) << 1 | (here & NEGATED) >> 1;
            match self.node(g) {
                Node::Not(a) => needed[position[&a]] |= flipped,
                Node::Implies(a, b) => {
                    needed[position[&a]] |= flipped;
                    needed[position[&b]] |= here;
                }
                Node::Iff(a, b) | Node::Xor(a, b) => {
                    needed[position[&a]] |= PLAIN | NEGATED;
                    needed[position[&b]] |= PLAIN | NEGATED;
                }
                _ => {
                    for child in self.children(g) {
                        needed[position[child]] |= here;
                    }
                }
            }
        }

        // Children first: build what is needed.
        let mut built = vec![[Formula::TRUE; 2]; order.len()];
        for (i, &g) in order.iter().enumerate() {
            for negated in [false, true] {
                let wanted = if negated { NEGATED } else { PLAIN };
                if needed[i] & wanted != 0 {
                    let child =
                        |f: Formula, flip: bool| built[position[&f]][usize::from(negated ^ flip)];
                    built[i][usize::from(negated)] = self.pushed(g, negated, child);
                }
            }
        }
        built[order.len() - 1][usize::from(polarity == NEGATED)]
    }

    /// `g` or its negation, from children that are done; `child(f, true)` is the other polarity.
    fn pushed(
        &mut self,
        g: Formula,
        negated: bool,
        child: impl Fn(Formula, bool) -> Formula,
    ) -> Formula {
        match self.node(g) {
            Node::True | Node::False | Node::Atom(_) => {
                if negated {
                    self.not(g)
                } else {
                    g
                }
            }
            Node::Not(a) => child(a, true),
            Node::Implies(a, b) => {
                let (a, b) = (child(a, true), child(b, false));
                self.make(if negated { Op::And } else { Op::Or }, &[a, b])
            }
            Node::Iff(a, b) | Node::Xor(a, b) => {
                // Equal iff both or neither; child(_, negated) is the plain polarity.
                let (plain_a, not_a) = (child(a, negated), child(a, !negated));
                let (plain_b, not_b) = (child(b, negated), child(b, !negated));
                let equal = (self.op(g) == Op::Iff) != negated;
                let (one, other) = if equal { (plain_b, not_b) } else { (not_b, plain_b) };
                let left = self.and([plain_a, one]);
                let right = self.and([not_a, other]);
                self.or([left, right])
            }
            _ => {
                let children: Vec<Formula> =
                    self.children(g).iter().map(|&c| child(c, false)).collect();
                let op = if negated { self.op(g).dual() } else { self.op(g) };
                self.make(op, &children)
            }
        }
    }
}

impl Op {
    /// The operator that negation turns this one into when it moves inwards.
    pub(crate) fn dual(self) -> Op {
        match self {
            Op::True => Op::False,
            Op::False => Op::True,
            Op::And => Op::Or,
            Op::Or => Op::And,
            Op::Finally => Op::Globally,
            Op::Globally => Op::Finally,
            Op::Until => Op::Release,
            Op::Release => Op::Until,
            Op::WeakUntil => Op::StrongRelease,
            Op::StrongRelease => Op::WeakUntil,
            Op::Next => Op::Next,
            Op::Atom | Op::Not | Op::Implies | Op::Iff | Op::Xor => {
                unreachable!("{self:?} has no dual of its own")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_moves_in() {
        let mut fs = Formulas::new();
        for (text, expected) in [
            ("!(a U b)", "!a R !b"),
            ("!(a W b)", "!a M !b"),
            ("!X F G a", "XGF !a"),
            ("!(a <-> b)", "(a & !b) | (!a & b)"),
            ("a <-> b", "(a & b) | (!a & !b)"),
            ("!(a xor b)", "(a & b) | (!a & !b)"),
            ("!(a -> b)", "a & !b"),
            ("!true", "false"),
            ("!(a & (b | 0))", "!a | !b"),
        ] {
            let f = fs.parse(text).unwrap();
            let g = fs.nnf(f);
            let expected = fs.parse(expected).unwrap();
            assert_eq!(g, expected, "{text}: {}", fs.display(g));
            assert!(fs.is_nnf(g));
            let negated = fs.negate(g);
            let back = fs.negate(negated);
            assert_eq!(back, g);
        }
    }
}
