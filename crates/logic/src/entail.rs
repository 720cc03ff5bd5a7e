//! A sound syntactic entailment: `a` entails `b` if every word that satisfies `a` satisfies `b`.
//!
//! "Yes" is proved by structural rules; "no" means only that they found no proof. The rules are
//! those of Somenzi and Bloem (CAV 2000) for `U` and `R`, extended to `W` and `M` and to pure
//! eventualities. [`crate::Simplifier`] is the main customer; for an exact answer compare automata.

use hashbrown::HashMap;

use crate::formula::{Formula, Formulas, Node};

/// Proofs longer than this are not looked for: the search recurses over both formulas.
const MAX_DEPTH: u32 = 60;

/// Pairs that are looked at before giving up; keeps a formula with thousands of operands cheap.
const MAX_PAIRS: usize = 1 << 18;

/// The entailments found so far, for one arena.
///
/// ```
/// use fairly_logic::{Entailment, Formulas};
/// let mut formulas = Formulas::new();
/// let mut known = Entailment::new();
/// let strong = formulas.parse("p U (q & G r)").unwrap();
/// let weak = formulas.parse("F q & (p | q)").unwrap();
/// assert!(known.entails(&formulas, strong, weak));
/// assert!(!known.entails(&formulas, weak, strong));
/// ```
#[derive(Default)]
pub struct Entailment {
    memo: HashMap<(Formula, Formula), bool>,
}

impl Entailment {
    /// Nothing found yet.
    pub fn new() -> Self {
        Entailment::default()
    }

    /// Whether `a` is found to entail `b`. Both should be in negation normal form; below `->`,
    /// `<->`, `xor` and negation only equality is seen.
    pub fn entails(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        self.search(formulas, a, b, 0)
    }

    fn search(&mut self, fs: &Formulas, a: Formula, b: Formula, depth: u32) -> bool {
        if a == b || a == Formula::FALSE || b == Formula::TRUE {
            return true;
        }
        if a == Formula::TRUE && fs.literal(b).is_some() || depth > MAX_DEPTH {
            return false;
        }
        if let Some(&known) = self.memo.get(&(a, b)) {
            return known;
        }
        if self.memo.len() >= MAX_PAIRS {
            return false;
        }
        let found = self.rules(fs, a, b, depth + 1);
        self.memo.insert((a, b), found);
        found
    }

    fn rules(&mut self, fs: &Formulas, a: Formula, b: Formula, depth: u32) -> bool {
        // These two lose nothing.
        if let Node::Or(items) = fs.node(a) {
            return items.iter().all(|&item| self.search(fs, item, b, depth));
        }
        if let Node::And(items) = fs.node(b) {
            return items.iter().all(|&item| self.search(fs, a, item, depth));
        }
        self.by_premise(fs, a, b, depth)
            || self.by_conclusion(fs, a, b, depth)
            || self.monotone(fs, a, b, depth)
    }

    /// Entailment through the premise: a consequence that `a` has at this position, or at some later one if `b`
    /// is eventual.
    fn by_premise(&mut self, fs: &Formulas, a: Formula, b: Formula, depth: u32) -> bool {
        let eventual = fs.is_eventual(b);
        match fs.node(a) {
            Node::And(items) => items.iter().any(|&item| self.search(fs, item, b, depth)),
            Node::Globally(c) => self.search(fs, c, b, depth),
            Node::Next(c) | Node::Finally(c) => eventual && self.search(fs, c, b, depth),
            Node::Until(c, d) => {
                self.search(fs, d, b, depth) && (eventual || self.search(fs, c, b, depth))
            }
            Node::WeakUntil(c, d) => self.search(fs, c, b, depth) && self.search(fs, d, b, depth),
            Node::Release(_, d) => self.search(fs, d, b, depth),
            Node::StrongRelease(c, d) => {
                self.search(fs, d, b, depth) || eventual && self.search(fs, c, b, depth)
            }
            _ => false,
        }
    }

    /// Entailment through the conclusion: a condition that suffices for `b` at this position, or at every later
    /// one if `a` is universal.
    fn by_conclusion(&mut self, fs: &Formulas, a: Formula, b: Formula, depth: u32) -> bool {
        let universal = fs.is_universal(a);
        match fs.node(b) {
            Node::Or(items) => items.iter().any(|&item| self.search(fs, a, item, depth)),
            Node::Finally(c) => self.search(fs, a, c, depth),
            Node::Next(c) | Node::Globally(c) => universal && self.search(fs, a, c, depth),
            Node::Until(_, d) => self.search(fs, a, d, depth),
            Node::WeakUntil(c, d) => {
                self.search(fs, a, d, depth) || universal && self.search(fs, a, c, depth)
            }
            Node::Release(c, d) => {
                self.search(fs, a, d, depth) && (universal || self.search(fs, a, c, depth))
            }
            Node::StrongRelease(c, d) => {
                self.search(fs, a, c, depth) && self.search(fs, a, d, depth)
            }
            _ => false,
        }
    }

    /// Operator against operator. Each of `U`, `W`, `M`, `R` holds something (`hold`) until
    /// something (`goal`) comes; what `a` holds must give what `b` holds, and the goal of `a` must
    /// give `b` itself. A weak `a` never gives a strong `b`.
    fn monotone(&mut self, fs: &Formulas, a: Formula, b: Formula, depth: u32) -> bool {
        if let (Node::Next(c), Node::Next(d)) = (fs.node(a), fs.node(b)) {
            return self.search(fs, c, d, depth);
        }
        let (hold_b, strong_b) = match fs.node(b) {
            Node::Until(c, _) => (c, true),
            Node::WeakUntil(c, _) => (c, false),
            Node::StrongRelease(_, d) => (d, true),
            Node::Release(_, d) => (d, false),
            _ => return false,
        };
        match fs.node(a) {
            // d, or c now and the same again: by induction b, if d gives b and c what b holds.
            Node::Until(c, d) => self.search(fs, c, hold_b, depth) && self.search(fs, d, b, depth),
            Node::WeakUntil(c, d) => {
                !strong_b && self.search(fs, c, hold_b, depth) && self.search(fs, d, b, depth)
            }
            // c and d at the goal, d before it.
            Node::Release(c, d) | Node::StrongRelease(c, d) => {
                let strong_a = matches!(fs.node(a), Node::StrongRelease(..));
                (strong_a || !strong_b)
                    && self.search(fs, d, hold_b, depth)
                    && self.goal(fs, c, d, b, depth)
            }
            _ => false,
        }
    }

    /// Whether `c & d`, which need not be in the arena, entails `b`.
    fn goal(&mut self, fs: &Formulas, c: Formula, d: Formula, b: Formula, depth: u32) -> bool {
        if self.search(fs, c, b, depth) || self.search(fs, d, b, depth) {
            return true;
        }
        match fs.node(b) {
            Node::Release(e, g) | Node::StrongRelease(e, g) => {
                (self.search(fs, c, e, depth) || self.search(fs, d, e, depth))
                    && (self.search(fs, c, g, depth) || self.search(fs, d, g, depth))
            }
            Node::Until(_, g) | Node::WeakUntil(_, g) => match fs.node(g) {
                Node::And(items) => items.iter().all(|&item| {
                    self.search(fs, c, item, depth) || self.search(fs, d, item, depth)
                }),
                _ => self.search(fs, c, g, depth) || self.search(fs, d, g, depth),
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str) -> bool {
        let mut fs = Formulas::new();
        let (a, b) = (fs.parse(a).unwrap(), fs.parse(b).unwrap());
        Entailment::new().entails(&fs, a, b)
    }

    #[test]
    fn proofs_that_are_found() {
        for (a, b) in [
            ("p & q", "p"),
            ("p", "p | q"),
            ("G p", "p U (G p)"),
            ("G p", "p W q"),
            ("G p", "q R p"),
            ("G p", "X X p"),
            ("G p", "F p"),
            ("p U q", "p W q"),
            ("p U q", "F q"),
            ("p U q", "(p | r) U (q | s)"),
            ("p M q", "p R q"),
            ("p M q", "F p"),
            ("p M q", "q U p"),
            ("p M q", "q U (p & q)"),
            ("p R q", "q W p"),
            ("p R q", "q W (p & q)"),
            ("GF p", "F p"),
            ("FG p", "F p"),
            ("X F p", "F p"),
            ("G p", "GX p"),
            ("p U (p U q)", "p U q"),
            ("X(p U q)", "F q"),
            ("p & G q", "(F p) & X q"),
        ] {
            assert!(check(a, b), "{a} entails {b}");
        }
    }

    #[test]
    fn what_does_not_follow_is_not_found() {
        for (a, b) in
            [("p", "X p"), ("p W q", "p U q"), ("F p", "GF p"), ("p R q", "F p"), ("true", "F p")]
        {
            assert!(!check(a, b), "{a} does not entail {b}");
        }
    }
}
