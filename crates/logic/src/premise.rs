//! Fairness premises lifted out of a formula.
//!
//! A property is often written `(∧ cᵢ) -> ψ` with fairness assumptions `cᵢ`: `GF b`, `FG b` or
//! `GF a -> GF b`. Translated to an automaton each premise multiplies the states; as an
//! acceptance condition it costs none (`docs/papers.md` 004-30). What is translated is the
//! negation, `(∧ cᵢ) ∧ ¬ψ`, so lifting works on a conjunction: [`Formulas::lift`] takes it apart, and
//! [`Formulas::lift_negation`] does the same for the negation of a property.
//!
//! Only what stands at the top is lifted; `p U GF q` is for [`crate::Simplifier`] to bring up.

use crate::formula::{Formula, Formulas, Node};

/// A condition on what happens infinitely often, over one position at a time: the operands are
/// propositional and in negation normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Premise {
    /// `GF b`
    Justice(Formula),
    /// `FG b`
    Persistence(Formula),
    /// `GF a -> GF b`
    Compassion(Formula, Formula),
}

impl Premise {
    /// The premise as a formula.
    pub fn formula(self, formulas: &mut Formulas) -> Formula {
        let infinitely_often = |formulas: &mut Formulas, a| {
            let eventually = formulas.finally(a);
            formulas.globally(eventually)
        };
        match self {
            Premise::Justice(b) => infinitely_often(formulas, b),
            Premise::Persistence(b) => {
                let always = formulas.globally(b);
                formulas.finally(always)
            }
            Premise::Compassion(a, b) => {
                let a = infinitely_often(formulas, a);
                let b = infinitely_often(formulas, b);
                formulas.implies(a, b)
            }
        }
    }
}

/// A conjunction taken apart: it is equivalent to all premises and the rest together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifted {
    /// The premises, in the order of the conjuncts.
    pub premises: Vec<Premise>,
    /// The remaining formula, in negation normal form; `true` if nothing remains.
    pub rest: Formula,
}

impl Formulas {
    /// Takes the fairness premises out of a conjunction. Conjuncts under one `G` are looked at
    /// one by one, so `G(a & F b)` gives the premise `GF b` and the rest `G a`.
    ///
    /// ```
    /// use fairly_logic::{Formulas, Premise};
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("GF a & (GF b -> GF c) & F q & FG d").unwrap();
    /// let lifted = formulas.lift(f);
    /// let names = ["a", "b", "c", "d"].map(|name| formulas.name(name));
    /// let [a, b, c, d] = names;
    /// assert_eq!(lifted.premises.len(), 3);
    /// assert!(lifted.premises.contains(&Premise::Justice(a)));
    /// assert!(lifted.premises.contains(&Premise::Compassion(b, c)));
    /// assert!(lifted.premises.contains(&Premise::Persistence(d)));
    /// assert_eq!(formulas.display(lifted.rest), "F q");
    /// ```
    pub fn lift(&mut self, f: Formula) -> Lifted {
        let f = self.nnf(f);
        let mut premises = Vec::new();
        let mut rest = Vec::new();
        let conjuncts = self.conjuncts(f);
        for conjunct in conjuncts {
            if let Some(premise) = self.premise(conjunct) {
                premises.push(premise);
                continue;
            }
            let Node::Globally(inner) = self.node(conjunct) else {
                rest.push(conjunct);
                continue;
            };
            let mut kept = Vec::new();
            for part in self.conjuncts(inner) {
                let always = self.globally(part);
                match self.premise(always) {
                    Some(premise) => premises.push(premise),
                    None => kept.push(part),
                }
            }
            if !kept.is_empty() {
                let kept = self.and(kept);
                rest.push(self.globally(kept));
            }
        }
        let mut seen = hashbrown::HashSet::new();
        premises.retain(|&premise| seen.insert(premise));
        Lifted { premises, rest: self.and(rest) }
    }

    /// [`lift`](Formulas::lift) of the negation of a property: for `(∧ cᵢ) -> ψ` the premises
    /// are the `cᵢ`, and the rest is `¬ψ` (which may hold premises of its own).
    pub fn lift_negation(&mut self, f: Formula) -> Lifted {
        let negated = self.negate(f);
        self.lift(negated)
    }

    fn conjuncts(&self, f: Formula) -> Vec<Formula> {
        match self.node(f) {
            Node::And(items) => items.to_vec(),
            Node::True => Vec::new(),
            _ => vec![f],
        }
    }

    /// `f` as a premise; `f` is in negation normal form.
    fn premise(&mut self, f: Formula) -> Option<Premise> {
        if let Some(b) = self.often(f) {
            return Some(Premise::Justice(b));
        }
        if let Some(b) = self.almost_always(f) {
            return Some(Premise::Persistence(b));
        }
        // FG !a | GF b | …, perhaps under a G or F that changes nothing.
        let mut inner = f;
        while let Node::Globally(a) | Node::Finally(a) | Node::Next(a) = self.node(inner)
            && self.is_eventual(a)
            && self.is_universal(a)
        {
            inner = a;
        }
        let items = match self.node(inner) {
            Node::Or(items) => items.to_vec(),
            _ => return if inner == f { None } else { self.premise(inner) },
        };
        let mut goals = Vec::new();
        let mut never = None;
        for item in items {
            if let Some(b) = self.often(item) {
                goals.push(b);
            } else if let Some(b) = self.almost_always(item)
                && never.is_none()
            {
                never = Some(b);
            } else {
                return None;
            }
        }
        let goal = self.or(goals);
        match never {
            Some(never) if goal != Formula::FALSE => {
                Some(Premise::Compassion(self.negate(never), goal))
            }
            Some(never) => Some(Premise::Persistence(never)),
            None => Some(Premise::Justice(goal)),
        }
    }

    /// The `b` of `GF b`, if it is propositional.
    fn often(&self, f: Formula) -> Option<Formula> {
        let Node::Globally(inner) = self.node(f) else { return None };
        let Node::Finally(b) = self.node(inner) else { return None };
        self.is_propositional(b).then_some(b)
    }

    /// The `b` of `FG b`, if it is propositional.
    fn almost_always(&self, f: Formula) -> Option<Formula> {
        let Node::Finally(inner) = self.node(f) else { return None };
        let Node::Globally(b) = self.node(inner) else { return None };
        self.is_propositional(b).then_some(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifted(text: &str) -> (Vec<String>, String) {
        let mut fs = Formulas::new();
        let f = fs.parse(text).unwrap();
        let lifted = fs.lift_negation(f);
        let shown = lifted.premises.iter().map(|premise| {
            let f = premise.formula(&mut fs);
            fs.display(f)
        });
        (shown.collect(), fs.display(lifted.rest))
    }

    #[test]
    fn premises_of_an_implication() {
        for (text, premises, rest) in [
            ("GF a && GF b -> G(p -> F q)", &["GF a", "GF b"][..], "F(p & G!q)"),
            ("(GF a -> GF b) -> p U q", &["GF a -> GF b"], "!p R !q"),
            ("FG a -> p", &["FG a"], "!p"),
            ("GF a -> GF b", &["GF a", "FG!b"], "true"),
            ("G(p & F a) -> q", &["GF a"], "!q & G p"),
            ("GF (X a) -> q", &[], "!q & GFX a"),
            ("G(FG a | GF b) -> q", &["GF!a -> GF b"], "!q"),
            ("(GF a | GF b) -> q", &["GF(a | b)"], "!q"),
            ("(FG a | FG b | GF c) -> q", &[], "!q & (FG a | FG b | GF c)"),
            ("p -> q", &[], "p & !q"),
            ("false", &[], "true"),
        ] {
            let (got_premises, got_rest) = lifted(text);
            assert_eq!(got_premises, premises, "{text}");
            let mut fs = Formulas::new();
            assert_eq!(fs.parse(&got_rest).unwrap(), fs.parse(rest).unwrap(), "{text}: {got_rest}");
        }
    }
}
