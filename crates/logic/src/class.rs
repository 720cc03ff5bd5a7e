//! Where a formula stands in the hierarchy of Manna and Pnueli, judged by its syntax.
//!
//! The grammar is that of Černá and Pelánek (MFCS 2003), with rules for `W` and `M` by duality
//! and with the operators that are not in negation normal form. A class that is reported is
//! right; a formula may well be in a smaller class than its syntax shows (`F G G F p`), so
//! simplify first. The exact classes need automata and live with the translator.
//!
//! Invariance under repeated letters: [`Formulas::is_next_free`]; under inserted invisible
//! events: [`Formulas::is_interruptible`].

use std::fmt;

use hashbrown::HashMap;

use crate::formula::{Formula, Formulas, Node};

/// The smallest class a formula is seen to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Both safety and guarantee: a bounded prefix decides it.
    Bounded,
    /// Every violation shows in a finite prefix.
    Safety,
    /// Every satisfaction shows in a finite prefix (co-safety).
    Guarantee,
    /// A Boolean combination of safety and guarantee.
    Obligation,
    /// Something good happens infinitely often; deterministic Büchi automata.
    Recurrence,
    /// From some point on nothing bad happens; deterministic co-Büchi automata.
    Persistence,
    /// Any other: a Boolean combination of recurrence and persistence.
    Reactivity,
}

impl Class {
    /// The class in plain words, one sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Class::Bounded => {
                "a bounded property: the first few steps decide it, whatever comes after"
            }
            Class::Safety => {
                "a safety property: something bad never happens; \
                 a violation is seen after finitely many steps, and fairness does not matter"
            }
            Class::Guarantee => {
                "a guarantee property: something good happens at least once; \
                 once it has happened nothing can undo it"
            }
            Class::Obligation => {
                "an obligation property: a combination of things that never happen and things \
                 that happen at least once"
            }
            Class::Recurrence => {
                "a recurrence property: something good happens again and again; \
                 no finite part of a run decides it, and it usually needs fairness"
            }
            Class::Persistence => {
                "a persistence property: from some point on nothing bad happens any more; \
                 no finite part of a run decides it"
            }
            Class::Reactivity => {
                "a reactivity property: a combination of things that happen again and again and \
                 things that hold from some point on"
            }
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Bounded => "bounded",
            Class::Safety => "safety",
            Class::Guarantee => "guarantee",
            Class::Obligation => "obligation",
            Class::Recurrence => "recurrence",
            Class::Persistence => "persistence",
            Class::Reactivity => "reactivity",
        })
    }
}

/// All classes a formula is seen to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classes {
    /// A violation shows in a finite prefix.
    pub safety: bool,
    /// A satisfaction shows in a finite prefix.
    pub guarantee: bool,
    /// A Boolean combination of the two.
    pub obligation: bool,
    /// Recognised by a deterministic Büchi automaton.
    pub recurrence: bool,
    /// Recognised by a deterministic co-Büchi automaton.
    pub persistence: bool,
}

impl Classes {
    const ALL: Classes = Classes {
        safety: true,
        guarantee: true,
        obligation: true,
        recurrence: true,
        persistence: true,
    };

    /// The smallest of them.
    pub fn smallest(self) -> Class {
        match self {
            Classes { safety: true, guarantee: true, .. } => Class::Bounded,
            Classes { safety: true, .. } => Class::Safety,
            Classes { guarantee: true, .. } => Class::Guarantee,
            Classes { obligation: true, .. } => Class::Obligation,
            Classes { recurrence: true, .. } => Class::Recurrence,
            Classes { persistence: true, .. } => Class::Persistence,
            _ => Class::Reactivity,
        }
    }

    fn negated(self) -> Classes {
        Classes {
            safety: self.guarantee,
            guarantee: self.safety,
            obligation: self.obligation,
            recurrence: self.persistence,
            persistence: self.recurrence,
        }
    }

    fn and(self, other: Classes) -> Classes {
        Classes {
            safety: self.safety && other.safety,
            guarantee: self.guarantee && other.guarantee,
            obligation: self.obligation && other.obligation,
            recurrence: self.recurrence && other.recurrence,
            persistence: self.persistence && other.persistence,
        }
    }

    /// The larger classes follow from the smaller ones, and the two largest together make an
    /// obligation.
    fn closed(self) -> Classes {
        let obligation =
            self.obligation || self.safety || self.guarantee || self.recurrence && self.persistence;
        Classes {
            obligation,
            recurrence: self.recurrence || obligation,
            persistence: self.persistence || obligation,
            ..self
        }
    }

    fn until(a: Classes, b: Classes) -> Classes {
        Classes {
            safety: false,
            guarantee: a.guarantee && b.guarantee,
            obligation: a.obligation && b.guarantee,
            recurrence: a.recurrence && b.guarantee,
            persistence: a.persistence && b.persistence,
        }
    }

    fn weak_until(a: Classes, b: Classes) -> Classes {
        Classes {
            safety: a.safety && b.safety,
            guarantee: false,
            obligation: a.safety && b.obligation,
            recurrence: a.recurrence && b.recurrence,
            persistence: a.safety && b.persistence,
        }
    }
}

impl Formulas {
    /// The classes of `f` by its syntax.
    ///
    /// ```
    /// use fairly_logic::{Class, Formulas};
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("G(request -> F grant)").unwrap();
    /// assert_eq!(formulas.classes(f).smallest(), Class::Recurrence);
    /// assert!(Class::Recurrence.describe().contains("again and again"));
    /// ```
    pub fn classes(&self, f: Formula) -> Classes {
        let mut known: HashMap<Formula, Classes> = HashMap::new();
        for g in self.subformulas(f) {
            let of = |f: Formula| known[&f];
            let classes = match self.node(g) {
                Node::True | Node::False | Node::Atom(_) => Classes::ALL,
                Node::Not(a) => of(a).negated(),
                Node::And(items) | Node::Or(items) => {
                    items.iter().fold(Classes::ALL, |all, &item| all.and(of(item)))
                }
                Node::Implies(a, b) => of(a).negated().and(of(b)),
                Node::Iff(a, b) | Node::Xor(a, b) => {
                    let both = of(a).and(of(b));
                    both.and(both.negated())
                }
                Node::Next(a) => of(a),
                Node::Finally(a) => Classes::until(Classes::ALL, of(a)),
                Node::Globally(a) => Classes::weak_until(of(a), Classes::ALL),
                Node::Until(a, b) => Classes::until(of(a), of(b)),
                // a R b = !(!a U !b), a M b = !(!a W !b)
                Node::Release(a, b) => Classes::until(of(a).negated(), of(b).negated()).negated(),
                Node::WeakUntil(a, b) => Classes::weak_until(of(a), of(b)),
                Node::StrongRelease(a, b) => {
                    Classes::weak_until(of(a).negated(), of(b).negated()).negated()
                }
            };
            known.insert(g, classes.closed());
        }
        known[&f]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_examples() {
        let mut fs = Formulas::new();
        for (text, class) in [
            ("p & X q", Class::Bounded),
            ("G p", Class::Safety),
            ("p W q", Class::Safety),
            ("p R q", Class::Safety),
            ("!F p", Class::Safety),
            ("F p", Class::Guarantee),
            ("p U q", Class::Guarantee),
            ("p M q", Class::Guarantee),
            ("G p -> q", Class::Guarantee),
            ("G p | F q", Class::Obligation),
            ("F p -> F q", Class::Obligation),
            ("G p <-> G q", Class::Obligation),
            ("GF p", Class::Recurrence),
            ("G(p -> F q)", Class::Recurrence),
            ("FG p", Class::Persistence),
            ("p U G q", Class::Persistence),
            ("F(p & G q)", Class::Persistence),
            ("GF p -> GF q", Class::Reactivity),
            ("FG p | GF q", Class::Reactivity),
        ] {
            let f = fs.parse(text).unwrap();
            assert_eq!(fs.classes(f).smallest(), class, "{text}");
            let negated = fs.negate(f);
            assert_eq!(fs.classes(negated), fs.classes(f).negated(), "{text}");
        }
    }
}
