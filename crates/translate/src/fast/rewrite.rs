//! Equivalent formulas that translate better, though they are not smaller.
//!
//! [`fairly_logic::Simplifier`] never makes a formula larger, and keeps apart what others want to
//! lift. These laws are for the explorer alone.

use hashbrown::HashMap;

use fairly_logic::{Formula, Formulas, Node};

/// The formula, in negation normal form, with the laws below applied from the inside out.
pub(super) fn prepare(formulas: &mut Formulas, f: Formula) -> Formula {
    let mut done: HashMap<Formula, Formula> = HashMap::new();
    for g in formulas.subformulas(f) {
        let children: Vec<Formula> = formulas.children(g).iter().map(|child| done[child]).collect();
        let new = match formulas.node(g) {
            Node::And(_) => {
                let parts = first_occurrence(formulas, children, true);
                formulas.and(parts)
            }
            Node::Or(_) => {
                let parts = first_occurrence(formulas, children, false);
                formulas.or(parts)
            }
            Node::Next(_) => formulas.next(children[0]),
            Node::Finally(_) => formulas.finally(children[0]),
            Node::Globally(_) => always(formulas, children[0]),
            Node::Until(..) => formulas.until(children[0], children[1]),
            Node::Release(..) => formulas.release(children[0], children[1]),
            Node::WeakUntil(..) => formulas.weak_until(children[0], children[1]),
            Node::StrongRelease(..) => formulas.strong_release(children[0], children[1]),
            _ => g,
        };
        done.insert(g, new);
    }
    factored(formulas, done[&f])
}

/// `G a` with eventualities set free: `G(a & X F b)` is `G a & GF b`, and `GF(a & F b)` is
/// `GF a & GF b`. Each is then a condition of its own instead of a state.
fn always(formulas: &mut Formulas, a: Formula) -> Formula {
    let mut todo = vec![a];
    let mut plain = Vec::new();
    let mut parts = Vec::new();
    while let Some(part) = todo.pop() {
        match formulas.node(part) {
            Node::And(inner) => todo.extend(inner),
            Node::Next(inner) if formulas.is_eventual(inner) => todo.push(inner),
            Node::Finally(inner) => {
                let (eventual, rest): (Vec<Formula>, Vec<Formula>) = match formulas.node(inner) {
                    Node::And(items) => items.iter().partition(|&&item| is_late(formulas, item)),
                    _ => (Vec::new(), vec![inner]),
                };
                todo.extend(eventual);
                let rest = formulas.and(rest);
                let often = formulas.finally(rest);
                parts.push(formulas.globally(often));
            }
            _ => plain.push(part),
        }
    }
    if !plain.is_empty() {
        let plain = formulas.and(plain);
        parts.push(formulas.globally(plain));
    }
    formulas.and(parts)
}

/// Whether the formula is eventual up to some `X` in front.
fn is_late(formulas: &Formulas, f: Formula) -> bool {
    let mut f = f;
    while let Node::Next(inner) = formulas.node(f) {
        f = inner;
    }
    formulas.is_eventual(f)
}

/// `G !a | F(a & e)` with an eventual `e` is `!a W (a & e)`, and `F a & G(!a | u)` with a universal
/// `u` is `!a U (a & u)`: only the first `a` counts, and no choice is left to guess.
fn first_occurrence(formulas: &mut Formulas, parts: Vec<Formula>, dual: bool) -> Vec<Formula> {
    let mut parts = parts;
    'again: loop {
        for (at, &plain) in parts.iter().enumerate() {
            let a = match formulas.node(plain) {
                Node::Globally(not_a) if !dual => formulas.negate(not_a),
                Node::Finally(a) if dual => a,
                _ => continue,
            };
            let not_a = formulas.negate(a);
            for (bt, &other) in parts.iter().enumerate() {
                let inner = match formulas.node(other) {
                    Node::Finally(inner) if !dual && at != bt => inner,
                    Node::Globally(inner) if dual && at != bt => inner,
                    _ => continue,
                };
                let key = if dual { not_a } else { a };
                let Some(rest) = without(formulas, inner, key, dual) else { continue };
                let new = if dual {
                    let rest = formulas.or(rest);
                    let first = formulas.and([a, rest]);
                    formulas.until(not_a, first)
                } else {
                    let rest = formulas.and(rest);
                    let first = formulas.and([a, rest]);
                    formulas.weak_until(not_a, first)
                };
                parts = parts.iter().copied().filter(|&p| p != plain && p != other).collect();
                parts.push(new);
                continue 'again;
            }
        }
        return parts;
    }
}

/// The operands of `f`, a `&` (or `|`, if `dual`), other than those of `key`, if they are there and
/// the others are eventual (universal).
fn without(formulas: &Formulas, f: Formula, key: Formula, dual: bool) -> Option<Vec<Formula>> {
    let operands = |f: Formula| match formulas.node(f) {
        Node::And(items) if !dual => items.to_vec(),
        Node::Or(items) if dual => items.to_vec(),
        _ => vec![f],
    };
    let key = operands(key);
    let all = operands(f);
    let rest: Vec<Formula> = all.iter().copied().filter(|item| !key.contains(item)).collect();
    let late = |f| if dual { formulas.is_universal(f) } else { formulas.is_eventual(f) };
    let fits = rest.len() + key.len() == all.len() && !rest.is_empty();
    (fits && rest.iter().all(|&item| late(item))).then_some(rest)
}

/// `FG a | FG b | …` as `F(G a | G b) | …`, with suspendable conjuncts (`FG a & GF c`) moved in:
/// one state waits for all of them. Only at the root; below it the simplifier knows best.
fn factored(formulas: &mut Formulas, f: Formula) -> Formula {
    let Node::Or(items) = formulas.node(f) else { return f };
    let items = items.to_vec();
    let mut waits = Vec::new();
    let mut rest = Vec::new();
    for item in items {
        match persistent(formulas, item) {
            Some(inner) => waits.push(inner),
            None => rest.push(item),
        }
    }
    if waits.len() < 2 {
        return f;
    }
    let inner = formulas.or(waits);
    rest.push(formulas.finally(inner));
    formulas.or(rest)
}

/// The `a` of a formula that is `F a` for a universal `a`.
fn persistent(formulas: &mut Formulas, f: Formula) -> Option<Formula> {
    let parts = match formulas.node(f) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![f],
    };
    let mut inner = None;
    let mut suspended = Vec::new();
    for part in parts {
        match formulas.node(part) {
            Node::Finally(a) if formulas.is_universal(a) && inner.is_none() => inner = Some(a),
            _ if formulas.is_universal(part) && formulas.is_eventual(part) => suspended.push(part),
            _ => return None,
        }
    }
    suspended.push(inner?);
    Some(formulas.and(suspended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws() {
        let mut formulas = Formulas::new();
        for (before, after) in [
            ("G(p & XF(q & XF(r & XF s)))", "G p & GF q & GF r & GF s"),
            ("GF(a & F b)", "GF a & GF b"),
            ("G!t | F(t & F p)", "!t W (t & F p)"),
            ("F t & G(!t | G p)", "!t U (t & G p)"),
            ("F(a & b) & G(!a | !b | G p)", "(!a | !b) U (a & b & G p)"),
            ("GF q | FG a | FG b", "GF q | F(G a | G b)"),
            ("GF q | (FG a & GF c) | FG b", "GF q | F((G a & GF c) | G b)"),
            ("G!t | F(t & X p)", "G!t | F(t & X p)"),
        ] {
            let f = formulas.parse(before).expect("well-formed");
            let f = formulas.nnf(f);
            let expected = formulas.parse(after).expect("well-formed");
            let got = prepare(&mut formulas, f);
            assert_eq!(got, expected, "{before} became {}", formulas.display(got));
        }
    }
}
