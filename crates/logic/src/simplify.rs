//! Making a formula smaller without changing what it means.
//!
//! [`Simplifier::simplify`] (or [`Formulas::simplify`]) returns an equivalent formula in negation
//! normal form, no larger than [`Formulas::nnf`] gives. It is meant to help a translator: fewer
//! temporal operators, `X` and suspendable parts (`GF`, `FG`) moved outwards.
//!
//! The laws are those of Somenzi and Bloem (CAV 2000) and of Etessami and Holzmann (CONCUR 2000),
//! with the forms for `W` and `M`. Every law has a dual, got by swapping `&` and `|`, `F` and
//! `G`, `U` and `R`, `W` and `M`, eventual and universal, and turning entailments round. Each
//! pair is written once, below, over a `Side`; the comments give the plain member.
//!
//! Rejected: laws that help some translators but write more, such as `GF(a & F b)` to
//! `GF a & GF b`. [`Formulas::lift`] undoes the one that matters, `G(a & F b)`.

mod join;

use hashbrown::HashMap;

use crate::entail::Entailment;
use crate::formula::{Formula, Formulas, Node, Op};

/// Beyond this many operands, operands are no longer compared pair by pair.
const MAX_PAIRWISE: usize = 64;

/// Passes over a formula before it is taken as it is; two are usual.
const MAX_PASSES: usize = 8;

/// A law or its dual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Plain,
    Dual,
}

use Side::{Dual, Plain};

impl Side {
    fn other(self) -> Side {
        match self {
            Plain => Dual,
            Dual => Plain,
        }
    }

    fn op(self, plain: Op) -> Op {
        match self {
            Plain => plain,
            Dual => plain.dual(),
        }
    }

    /// The larger constant: `true`.
    fn top(self) -> Formula {
        match self {
            Plain => Formula::TRUE,
            Dual => Formula::FALSE,
        }
    }

    fn bottom(self) -> Formula {
        self.other().top()
    }

    /// `F e = e`.
    fn eventual(self, fs: &Formulas, f: Formula) -> bool {
        match self {
            Plain => fs.is_eventual(f),
            Dual => fs.is_universal(f),
        }
    }

    fn universal(self, fs: &Formulas, f: Formula) -> bool {
        self.other().eventual(fs, f)
    }
}

/// Neither adding nor removing letters in front changes it: `X s = F s = G s = s`.
fn suspendable(fs: &Formulas, f: Formula) -> bool {
    fs.is_eventual(f) && fs.is_universal(f)
}

/// Simplifies formulas of one arena and remembers what it found.
///
/// ```
/// use fairly_logic::{Formulas, Simplifier};
/// let mut formulas = Formulas::new();
/// let mut simplifier = Simplifier::new();
/// for (long, short) in [
///     ("FGF a", "GF a"),
///     ("F(a U b)", "F b"),
///     ("X a & X b", "X(a & b)"),
///     ("GF a | GF b", "GF(a | b)"),
///     ("a U (a U b)", "a U b"),
/// ] {
///     let long = formulas.parse(long).unwrap();
///     let short = formulas.parse(short).unwrap();
///     assert_eq!(simplifier.simplify(&mut formulas, long), short);
/// }
/// ```
#[derive(Default)]
pub struct Simplifier {
    done: HashMap<Formula, Formula>,
    negations: HashMap<Formula, Formula>,
    entailment: Entailment,
}

impl Formulas {
    /// [`Simplifier::simplify`] with nothing remembered from before.
    pub fn simplify(&mut self, f: Formula) -> Formula {
        Simplifier::new().simplify(self, f)
    }
}

impl Simplifier {
    /// Nothing known yet.
    pub fn new() -> Self {
        Simplifier::default()
    }

    /// An equivalent formula in negation normal form that is no larger. Simplifying the result
    /// again gives the result.
    pub fn simplify(&mut self, fs: &mut Formulas, f: Formula) -> Formula {
        let mut current = fs.nnf(f);
        for _ in 0..MAX_PASSES {
            let next = self.pass(fs, current);
            if next == current {
                break;
            }
            current = next;
        }
        self.done.insert(current, current);
        current
    }

    /// The entailments found on the way, for further questions.
    pub fn entails(&mut self, fs: &Formulas, a: Formula, b: Formula) -> bool {
        self.entailment.entails(fs, a, b)
    }

    fn pass(&mut self, fs: &mut Formulas, f: Formula) -> Formula {
        for g in fs.subformulas(f) {
            if self.done.contains_key(&g) {
                continue;
            }
            let children: Vec<Formula> = fs.children(g).iter().map(|c| self.done[c]).collect();
            let new = match fs.op(g) {
                Op::True | Op::False | Op::Atom | Op::Not => g,
                Op::And => self.join(fs, Dual, &children),
                Op::Or => self.join(fs, Plain, &children),
                Op::Next => self.next(fs, children[0]),
                Op::Finally => self.finally(fs, Plain, children[0]),
                Op::Globally => self.finally(fs, Dual, children[0]),
                Op::Until => self.until(fs, Plain, children[0], children[1]),
                Op::Release => self.until(fs, Dual, children[0], children[1]),
                Op::WeakUntil => self.weak(fs, Plain, children[0], children[1]),
                Op::StrongRelease => self.weak(fs, Dual, children[0], children[1]),
                Op::Implies | Op::Iff | Op::Xor => unreachable!("not in negation normal form"),
            };
            let new = if fs.size(new) <= fs.size(g) { new } else { g };
            self.done.insert(g, new);
        }
        self.done[&f]
    }

    // ---- questions ------------------------------------------------------------------------

    /// The negation, from the negations of the operands: [`Formulas::negate`] would walk the
    /// whole formula every time, which is quadratic on a deep one.
    fn negation(&mut self, fs: &mut Formulas, f: Formula) -> Formula {
        let mut todo = vec![f];
        while let Some(&g) = todo.last() {
            if self.negations.contains_key(&g) {
                todo.pop();
                continue;
            }
            let missing = todo.len();
            todo.extend(fs.children(g).iter().filter(|c| !self.negations.contains_key(*c)));
            if todo.len() > missing && fs.literal(g).is_none() {
                continue;
            }
            todo.truncate(missing);
            let negated = match fs.op(g) {
                Op::Atom | Op::Not => fs.not(g),
                op => {
                    let children: Vec<Formula> =
                        fs.children(g).iter().map(|c| self.negations[c]).collect();
                    fs.make(op.dual(), &children)
                }
            };
            self.negations.insert(g, negated);
            self.negations.insert(negated, g);
        }
        self.negations[&f]
    }

    /// `a` entails `b`.
    fn below(&mut self, fs: &Formulas, side: Side, a: Formula, b: Formula) -> bool {
        match side {
            Plain => self.entailment.entails(fs, a, b),
            Dual => self.entailment.entails(fs, b, a),
        }
    }

    /// `a | b` always holds.
    fn total(&mut self, fs: &mut Formulas, side: Side, a: Formula, b: Formula) -> bool {
        match side {
            Plain => {
                let not_a = self.negation(fs, a);
                self.entailment.entails(fs, not_a, b)
            }
            Dual => {
                let not_b = self.negation(fs, b);
                self.entailment.entails(fs, a, not_b)
            }
        }
    }

    /// The operands if `f` is a `|`.
    fn joined(fs: &Formulas, side: Side, f: Formula) -> Option<Vec<Formula>> {
        (fs.op(f) == side.op(Op::Or)).then(|| fs.children(f).to_vec())
    }

    /// The operands if `f` is a `&`.
    fn met(fs: &Formulas, side: Side, f: Formula) -> Option<Vec<Formula>> {
        Self::joined(fs, side.other(), f)
    }

    fn raw(fs: &mut Formulas, side: Side, plain: Op, children: &[Formula]) -> Formula {
        fs.make(side.op(plain), children)
    }

    // ---- one operand ----------------------------------------------------------------------

    fn next(&mut self, fs: &mut Formulas, a: Formula) -> Formula {
        if suspendable(fs, a) { a } else { fs.next(a) }
    }

    fn finally(&mut self, fs: &mut Formulas, side: Side, a: Formula) -> Formula {
        if side.eventual(fs, a) {
            return a;
        }
        let children = fs.children(a).to_vec();
        let op = fs.op(a);
        // F X a = X F a
        if op == Op::Next {
            let inner = self.finally(fs, side, children[0]);
            return self.next(fs, inner);
        }
        // F(a U b) = F b
        if op == side.op(Op::Until) {
            return self.finally(fs, side, children[1]);
        }
        // F(a M b) = F(a & b)
        if op == side.op(Op::StrongRelease) {
            let both = self.join(fs, side.other(), &children);
            return self.finally(fs, side, both);
        }
        // F(a | e) = F a | e
        let finally = |me: &mut Self, fs: &mut Formulas, rest| me.finally(fs, side, rest);
        let late = |fs: &Formulas, c| side.eventual(fs, c);
        let items = Self::joined(fs, side, a);
        if let Some(out) = self.taken_out(fs, side, items, late, finally) {
            return out;
        }
        // F(a & s) = F a & s
        let items = Self::met(fs, side, a);
        if let Some(out) = self.taken_out(fs, side.other(), items, suspendable, finally) {
            return out;
        }
        // F G(a & X b) = F G(a & b)
        if op == side.op(Op::Globally)
            && let Some(items) = Self::met(fs, side, children[0])
            && items.iter().any(|&c| fs.op(c) == Op::Next)
        {
            let stripped: Vec<Formula> = items
                .iter()
                .map(|&c| if fs.op(c) == Op::Next { fs.children(c)[0] } else { c })
                .collect();
            let inner = self.join(fs, side.other(), &stripped);
            let always = self.finally(fs, side.other(), inner);
            return self.finally(fs, side, always);
        }
        Self::raw(fs, side, Op::Finally, &[a])
    }

    // ---- two operands ---------------------------------------------------------------------

    fn until(&mut self, fs: &mut Formulas, side: Side, a: Formula, b: Formula) -> Formula {
        if a == side.top() {
            return self.finally(fs, side, b);
        }
        // a U e = e; a U b = b if a entails b
        if a == side.bottom() || side.eventual(fs, b) || self.below(fs, side, a, b) {
            return b;
        }
        // a U b = F b if a | b always holds
        if self.total(fs, side, a, b) {
            return self.finally(fs, side, b);
        }
        if let Some((x, y)) = both_next(fs, a, b) {
            let inner = self.until(fs, side, x, y);
            return self.next(fs, inner);
        }
        if let Some(shorter) = self.shorter_left(fs, side, a, b) {
            return self.until(fs, side, shorter, b);
        }
        // (a U b) U b = (a W b) U b = a U b
        if let Some((c, _)) = ends_in(fs, side, a, b) {
            return self.until(fs, side, c, b);
        }
        if self.absorbs(fs, side, a, b, true) {
            return b;
        }
        // a U (b | e) = (a U b) | e
        let until = |me: &mut Self, fs: &mut Formulas, rest| me.until(fs, side, a, rest);
        let late = |fs: &Formulas, c| side.eventual(fs, c);
        let items = Self::joined(fs, side, b);
        if let Some(out) = self.taken_out(fs, side, items, late, until) {
            return out;
        }
        // a U (b & s) = (a U b) & s
        let items = Self::met(fs, side, b);
        if let Some(out) = self.taken_out(fs, side.other(), items.clone(), suspendable, until) {
            return out;
        }
        // a U (a & b) = b M a
        if let Some(rest) = items.and_then(|items| self.without(fs, side, &items, a)) {
            return self.weak(fs, side.other(), rest, a);
        }
        Self::raw(fs, side, Op::Until, &[a, b])
    }

    fn weak(&mut self, fs: &mut Formulas, side: Side, a: Formula, b: Formula) -> Formula {
        if b == side.bottom() {
            return self.finally(fs, side.other(), a);
        }
        if a == side.bottom() || b == side.top() || self.below(fs, side, a, b) {
            return b;
        }
        if a == side.top() || self.total(fs, side, a, b) {
            return side.top();
        }
        // u W b = u | b
        if side.universal(fs, a) {
            return self.join(fs, side, &[a, b]);
        }
        if let Some((x, y)) = both_next(fs, a, b) {
            let inner = self.weak(fs, side, x, y);
            return self.next(fs, inner);
        }
        if let Some(shorter) = self.shorter_left(fs, side, a, b) {
            return self.weak(fs, side, shorter, b);
        }
        // (a U b) W b = a U b, (a W b) W b = a W b
        if let Some((c, strong)) = ends_in(fs, side, a, b) {
            return if strong { self.until(fs, side, c, b) } else { self.weak(fs, side, c, b) };
        }
        if self.absorbs(fs, side, a, b, false) {
            return b;
        }
        // a W (b | e) = (a W b) | e
        let (late, items) = (|fs: &Formulas, c| side.eventual(fs, c), Self::joined(fs, side, b));
        let weak = |me: &mut Self, fs: &mut Formulas, rest| me.weak(fs, side, a, rest);
        if let Some(out) = self.taken_out(fs, side, items, late, weak) {
            return out;
        }
        // (a | s) W b = (a W b) | s
        let items = Self::joined(fs, side, a);
        let weak = |me: &mut Self, fs: &mut Formulas, rest| me.weak(fs, side, rest, b);
        if let Some(out) = self.taken_out(fs, side, items, suspendable, weak) {
            return out;
        }
        // a W (a & b) = b R a
        if let Some(items) = Self::met(fs, side, b)
            && let Some(rest) = self.without(fs, side, &items, a)
        {
            return self.until(fs, side.other(), rest, a);
        }
        Self::raw(fs, side, Op::WeakUntil, &[a, b])
    }

    /// The items of a list that need not stand inside an operator, before it: `inside` puts the operator on the
    /// others. Nothing if there are none of them.
    fn taken_out(
        &mut self,
        fs: &mut Formulas,
        list: Side,
        items: Option<Vec<Formula>>,
        is_out: impl Fn(&Formulas, Formula) -> bool,
        inside: impl FnOnce(&mut Self, &mut Formulas, Formula) -> Formula,
    ) -> Option<Formula> {
        let (mut out, rest): (Vec<_>, Vec<_>) = items?.iter().partition(|&&item| is_out(fs, item));
        if out.is_empty() {
            return None;
        }
        let rest = self.join(fs, list, &rest);
        out.push(inside(self, fs, rest));
        Some(self.join(fs, list, &out))
    }

    /// Operands of the left side that cannot matter: in `(a | c) U b` a `c` that entails `b`, in
    /// `(a & c) U b` a `c` that holds wherever `b` does not. The same for `W`.
    fn shorter_left(
        &mut self,
        fs: &mut Formulas,
        side: Side,
        a: Formula,
        b: Formula,
    ) -> Option<Formula> {
        let joined = Self::joined(fs, side, a);
        let list = if joined.is_some() { side } else { side.other() };
        let items = joined.or_else(|| Self::met(fs, side, a))?;
        if items.len() > MAX_PAIRWISE {
            return None;
        }
        let mut rest = Vec::new();
        for &item in &items {
            let idle = if list == side {
                self.below(fs, side, item, b)
            } else {
                self.total(fs, side, b, item)
            };
            if !idle {
                rest.push(item);
            }
        }
        (rest.len() < items.len()).then(|| self.join(fs, list, &rest))
    }

    /// Whether `a U b` (or `a W b`) is `b` because `b` can begin earlier: it holds something that
    /// `a` entails.
    fn absorbs(&mut self, fs: &Formulas, side: Side, a: Formula, b: Formula, strong: bool) -> bool {
        let op = fs.op(b);
        let children = fs.children(b);
        let held = if op == side.op(Op::WeakUntil) || strong && op == side.op(Op::Until) {
            children[0]
        } else if op == side.op(Op::Release) || strong && op == side.op(Op::StrongRelease) {
            children[1]
        } else if op == side.op(Op::Globally) {
            children[0]
        } else {
            return false;
        };
        self.below(fs, side, a, held)
    }

    /// `items`, met, without `a` or without all operands of `a`, if those are there.
    fn without(
        &mut self,
        fs: &mut Formulas,
        side: Side,
        items: &[Formula],
        a: Formula,
    ) -> Option<Formula> {
        let parts = Self::met(fs, side, a).unwrap_or_else(|| vec![a]);
        if parts.len() >= items.len() || !parts.iter().all(|part| items.binary_search(part).is_ok())
        {
            return None;
        }
        let rest: Vec<Formula> =
            items.iter().copied().filter(|item| parts.binary_search(item).is_err()).collect();
        Some(self.join(fs, side.other(), &rest))
    }
}

/// The operands of two `X`.
fn both_next(fs: &Formulas, a: Formula, b: Formula) -> Option<(Formula, Formula)> {
    match (fs.node(a), fs.node(b)) {
        (Node::Next(x), Node::Next(y)) => Some((x, y)),
        _ => None,
    }
}

/// The `c` of an `a` that is `c U b` (then true) or `c W b` (then false).
fn ends_in(fs: &Formulas, side: Side, a: Formula, b: Formula) -> Option<(Formula, bool)> {
    let op = fs.op(a);
    let children = fs.children(a);
    if op != side.op(Op::Until) && op != side.op(Op::WeakUntil) || children[1] != b {
        return None;
    }
    Some((children[0], op == side.op(Op::Until)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each law once, with its dual checked by negating both sides.
    #[test]
    fn laws() {
        let mut fs = Formulas::new();
        for (long, short) in [
            ("X true", "true"),
            ("X GF a", "GF a"),
            ("FF a", "F a"),
            ("FGF a", "GF a"),
            ("GFG a", "FG a"),
            ("F X a", "X F a"),
            ("F(a U b)", "F b"),
            ("F(a M b)", "F(a & b)"),
            ("G(a W b)", "G(a | b)"),
            ("F(a | F b)", "F(a | b)"),
            ("F(a & GF b)", "F a & GF b"),
            ("FG(a & X b)", "FG(a & b)"),
            ("GF(a | XX b | X c)", "GF(a | b | c)"),
            ("true U a", "F a"),
            ("a U F b", "F b"),
            ("(a & b) U b", "b"),
            ("!a U a", "F a"),
            ("X a U X b", "X(a U b)"),
            ("(a | b) U b", "a U b"),
            ("(a & !b) U b", "a U b"),
            ("(a U b) U b", "a U b"),
            ("(a W b) U b", "a U b"),
            ("(a U b) W b", "a U b"),
            ("a U (a U b)", "a U b"),
            ("a U (a W b)", "a W b"),
            ("(a & c) U (b R a)", "b R a"),
            ("a U G a", "G a"),
            ("a U (b | F c)", "(a U b) | F c"),
            ("a U (b & GF c)", "(a U b) & GF c"),
            ("a U (a & b)", "b M a"),
            ("a W (a & b)", "b R a"),
            ("a W false", "G a"),
            ("a W !a", "true"),
            ("(G a) W b", "G a | b"),
            ("(a | GF c) W b", "(a W b) | GF c"),
            ("a W (b | F c)", "(a W b) | F c"),
            ("X a & X b", "X(a & b)"),
            ("F a | F b", "F(a | b)"),
            ("GF a | GF b", "GF(a | b)"),
            ("FG a & FG b", "FG(a & b)"),
            ("(a U b) | (a U c)", "a U (b | c)"),
            ("(a U b) | (a W c)", "a W (b | c)"),
            ("(a U b) & (c U b)", "(a & c) U b"),
            ("(a R b) & (a R c)", "a R (b & c)"),
            ("(a R b) | (c M b)", "(a | c) R b"),
            ("(a U b) | G a", "a W b"),
            ("(a W b) & F b", "a U b"),
            ("(a R b) & F a", "a M b"),
            ("(a M b) | G b", "a R b"),
            ("a | X F a", "F a"),
            ("a & b & XG(a & b)", "G(a & b)"),
            ("a | (a & b)", "a"),
            ("a & !a", "false"),
            ("F a | G !a", "true"),
            ("a | (!a & b)", "a | b"),
            ("G a & F b & a", "G a & F b"),
            ("GF a & GF b", "GF a & GF b"),
            ("G F a & F a", "GF a"),
        ] {
            let f = fs.parse(long).unwrap();
            let expected = fs.parse(short).unwrap();
            let got = fs.simplify(f);
            assert_eq!(got, expected, "{long} became {}", fs.display(got));
            let (f, expected) = (fs.negate(f), fs.negate(expected));
            let got = fs.simplify(f);
            assert_eq!(got, expected, "not {long} became {}", fs.display(got));
        }
    }

    #[test]
    fn wide_and_deep_formulas_stay_cheap() {
        let mut fs = Formulas::new();
        let item: [fn(usize) -> String; 4] = [
            |i| format!("(GF p{i} | X q{i})"),
            |i| format!("F p{i}"),
            |i| format!("(p{} U q{i})", i / 2),
            |i| format!("(q{i} U p{})", i / 2),
        ];
        for item in item {
            let wide: Vec<String> = (0..20_000).map(item).collect();
            for between in [" & ", " | "] {
                let f = fs.parse(&wide.join(between)).unwrap();
                fs.simplify(f);
            }
        }
        let mut deep = fs.name("p");
        for i in 0..3000 {
            let q = fs.name(&format!("q{}", i % 7));
            deep = match i % 4 {
                0 => fs.until(q, deep),
                1 => fs.next(deep),
                2 => fs.iff(q, deep),
                _ => fs.weak_until(deep, q),
            };
        }
        fs.simplify(deep);
    }
}
