//! Formulas that do not see invisible events, and a way to make any formula so.
//!
//! A reduction, or a model with more components, inserts steps that no proposition of the formula
//! is about: at a letter with states σ and event *e*, a letter with the same σ and none of the
//! formula's events comes before it. A formula whose truth never changes by such insertions is
//! *interruptible* (Siegel and Yan, CAV 2020). Without events that is invariance under
//! stuttering, and a formula without `X` has it. With events it has not (`docs/papers.md` 004-21):
//! `a U b` holds of *aab* and not of *τaab*.
//!
//! [`Formulas::is_interruptible`] is a sufficient test by syntax; [`Formulas::project`] rewrites
//! a formula so that it speaks of the visible events only and passes the test.
//!
//! # The test
//!
//! Let *w'* be *w* with finite blocks of invisible letters inserted, and send each position of
//! *w'* to a position of *w*: an old letter to itself, an inserted one to the next old one. Call a
//! formula *steady* if at every old letter it has its old value. At an inserted letter compare it
//! with its value at the next old letter: it is *low* if true here implies true there, *high* if
//! true there implies true here; *off* if always false here, *on* if always true. Off implies
//! low, on implies high; steady, low and high together is interruptible.
//!
//! - A state proposition is low and high, an event is off. `&`, `|` and `!` work point by point.
//! - `F a` is interruptible if `a` is low: a witness in *w* is one in *w'*, and a witness at an
//!   inserted letter gives one at the next old letter.
//! - `a U b`, `a W b` are interruptible if `b` is low and either `a` is on, or `a` and `b` are
//!   high. Take a witness for `b` in *w*; in *w'* the inserted letters just before it are sent to
//!   it, where `a` need not hold: they are harmless if `a` is on, or if `b` holds there already.
//! - `G`, `R`, `M` by duality.
//! - `X a` is steady if `a` is interruptible, but neither low nor high; so it must stand beside an
//!   event, as in `G(a -> X b)` with interruptible `b`.
//! - A name of undecided kind gets what states and events have in common: steady and low.

use hashbrown::HashMap;

use crate::atom::Atom;
use crate::formula::{Formula, Formulas, Node};

#[derive(Clone, Copy)]
struct Shape {
    steady: bool,
    low: bool,
    high: bool,
    off: bool,
    on: bool,
}

impl Shape {
    const INTERRUPTIBLE: Shape =
        Shape { steady: true, low: true, high: true, off: false, on: false };
    const EVENT: Shape = Shape { steady: true, low: true, high: false, off: true, on: false };
    const UNDECIDED: Shape = Shape { steady: true, low: true, high: false, off: false, on: false };
    const UNKNOWN: Shape = Shape { steady: false, low: false, high: false, off: false, on: false };

    fn is_interruptible(self) -> bool {
        self.steady && self.low && self.high
    }

    fn not(self) -> Shape {
        Shape { steady: self.steady, low: self.high, high: self.low, off: self.on, on: self.off }
    }

    fn and(self, other: Shape) -> Shape {
        let (off, on) = (self.off || other.off, self.on && other.on);
        Shape {
            steady: self.steady && other.steady,
            low: self.low && other.low || off,
            high: self.high && other.high || on,
            off,
            on,
        }
    }

    fn or(self, other: Shape) -> Shape {
        self.not().and(other.not()).not()
    }

    fn until(a: Shape, b: Shape) -> Shape {
        let good = a.steady && b.steady && b.low && (a.on || a.high && b.high);
        if good { Shape::INTERRUPTIBLE } else { Shape::UNKNOWN }
    }

    fn next(a: Shape) -> Shape {
        if !a.is_interruptible() {
            return Shape::UNKNOWN;
        }
        Shape { steady: true, ..Shape::UNKNOWN }
    }
}

impl Formulas {
    /// Whether `f` is, by its syntax, insensitive to inserted invisible events; see the
    /// [module](crate::event) for the rules and why they are right. "No" means only that the
    /// syntax does not show it.
    ///
    /// ```
    /// use fairly_logic::Formulas;
    /// let mut formulas = Formulas::new();
    /// let mut ask = |text| {
    ///     let f = formulas.parse(text).unwrap();
    ///     formulas.is_interruptible(f)
    /// };
    /// assert!(ask("G(eat.0 -> F eat.1)"));
    /// assert!(ask("!eat.0 U eat.1"));
    /// assert!(ask("G(eat.0 -> X(!eat.0 W eat.1))"));
    /// assert!(!ask("eat.0 U eat.1"));
    /// assert!(ask("{x > 0} U {x == 0}"));
    /// ```
    pub fn is_interruptible(&self, f: Formula) -> bool {
        let mut known: HashMap<Formula, Shape> = HashMap::new();
        for g in self.subformulas(f) {
            let of = |f: Formula| known[&f];
            let shape = match self.node(g) {
                Node::True => Shape { on: true, ..Shape::INTERRUPTIBLE },
                Node::False => Shape { off: true, ..Shape::INTERRUPTIBLE },
                Node::Atom(id) => match self.atom_of(id) {
                    Atom::State(_) => Shape::INTERRUPTIBLE,
                    Atom::Event(_) => Shape::EVENT,
                    Atom::Name(_) => Shape::UNDECIDED,
                },
                Node::Not(a) => of(a).not(),
                Node::And(items) => {
                    items.iter().map(|&item| of(item)).reduce(Shape::and).expect("two at least")
                }
                Node::Or(items) => {
                    items.iter().map(|&item| of(item)).reduce(Shape::or).expect("two at least")
                }
                Node::Implies(a, b) => of(a).not().or(of(b)),
                Node::Iff(a, b) => of(a).and(of(b)).or(of(a).not().and(of(b).not())),
                Node::Xor(a, b) => of(a).and(of(b).not()).or(of(a).not().and(of(b))),
                Node::Next(a) => Shape::next(of(a)),
                Node::Finally(a) => Shape::until(known_on(), of(a)),
                Node::Globally(a) => Shape::until(known_on(), of(a).not()),
                Node::Until(a, b) | Node::WeakUntil(a, b) => Shape::until(of(a), of(b)),
                Node::Release(a, b) | Node::StrongRelease(a, b) => {
                    Shape::until(of(a).not(), of(b).not())
                }
            };
            known.insert(g, shape);
        }
        known[&f].is_interruptible()
    }

    /// The formula that holds of a word iff `f` holds of its projection to the visible events:
    /// those that some event of `f` names. Where no visible event comes any more, the projection
    /// goes on with letters that have none.
    ///
    /// An event *a* becomes `!vis U a`, and `X a` becomes "after the next visible event"; the
    /// other operators stay (`docs/papers.md` 004-21). `None` if a proposition is of undecided
    /// kind, or if `f` has `X` and state propositions: then it is not clear which step is the next.
    ///
    /// ```
    /// use fairly_logic::Formulas;
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("eat.0 U eat.1").unwrap();
    /// let g = formulas.project(f).unwrap();
    /// assert!(formulas.is_interruptible(g));
    /// let same = formulas.parse(
    ///     "(!(eat.0 | eat.1) U eat.0) U (!(eat.0 | eat.1) U eat.1)").unwrap();
    /// assert_eq!(g, same);
    /// ```
    pub fn project(&mut self, f: Formula) -> Option<Formula> {
        let atoms = self.atoms(f);
        let mut events = Vec::new();
        for &id in &atoms {
            match self.atom_of(id) {
                Atom::Event(_) => events.push(id),
                Atom::State(_) if self.is_next_free(f) => {}
                Atom::State(_) | Atom::Name(_) => return None,
            }
        }
        let events: Vec<Formula> = events.into_iter().map(|id| self.atom_with_id(id)).collect();
        let visible = self.or(events.iter().copied());
        let invisible = self.not(visible);
        let never = self.globally(invisible);
        let mut done: HashMap<Formula, Formula> = HashMap::new();
        for g in self.subformulas(f) {
            let new = match self.node(g) {
                Node::Atom(_) if events.contains(&g) => self.until(invisible, g),
                Node::Atom(_) => g,
                Node::Next(a) => {
                    let inner = done[&a];
                    let after = self.next(inner);
                    let step = self.and([visible, after]);
                    let some = self.until(invisible, step);
                    let none = self.and([never, inner]);
                    self.or([some, none])
                }
                _ => {
                    let children: Vec<Formula> =
                        self.children(g).iter().map(|child| done[child]).collect();
                    self.make(self.op(g), &children)
                }
            };
            done.insert(g, new);
        }
        Some(done[&f])
    }
}

/// The left operand of `F a = true U a`.
fn known_on() -> Shape {
    Shape { on: true, ..Shape::INTERRUPTIBLE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undecided_names_are_taken_for_the_worse() {
        let mut fs = Formulas::new();
        for (text, interruptible) in [
            ("F p", true),
            ("p U q", false),
            ("state(p) U state(q)", true),
            ("G p", false),
            ("G state(p)", true),
            ("G !event(p)", true),
            ("event(a) W event(b)", false),
            ("X F event(a)", false),
            ("F(event(a) & X F event(b))", true),
            ("F(event(a) & X event(b))", false),
            ("state(p) U event(a)", false),
            ("state(p) W (state(q) & F event(a))", true),
            ("!event(a) W event(b)", true),
            ("event(b) R !event(a)", true),
            ("event(a) R event(b)", false),
        ] {
            let f = fs.parse(text).unwrap();
            assert_eq!(fs.is_interruptible(f), interruptible, "{text}");
        }
    }

    #[test]
    fn only_decided_formulas_are_projected() {
        let mut fs = Formulas::new();
        for (text, possible) in
            [("F p", false), ("F event(p)", true), ("X state(p)", false), ("X event(p)", true)]
        {
            let f = fs.parse(text).unwrap();
            assert_eq!(fs.project(f).is_some(), possible, "{text}");
        }
    }
}
