//! Formulas from the literature, as data with their sources.
//!
//! The sets by which translators of LTL are compared: [`DWYER`], [`SOMENZI_BLOEM`],
//! [`ETESSAMI_HOLZMANN`], and the families that grow with a number, [`FAMILIES`]. The formulas
//! are text in a spelling that `fairly-logic` and Spot read alike. For random formulas see
//! [`crate::ltl`].

/// A set of formulas.
#[derive(Clone, Copy, Debug)]
pub struct FormulaSet {
    /// A short name for tables.
    pub name: &'static str,
    /// Where the formulas were published.
    pub source: &'static str,
    /// The formulas, in the order of the source.
    pub formulas: &'static [&'static str],
}

/// A formula for every number from 1.
#[derive(Clone, Copy)]
pub struct FormulaFamily {
    /// A short name for tables.
    pub name: &'static str,
    /// Where the family was published, or what it shows.
    pub source: &'static str,
    /// The formula of a number.
    pub formula: fn(usize) -> String,
}

/// The sets, in the order in which tables show them.
pub const SETS: [&FormulaSet; 3] = [&DWYER, &SOMENZI_BLOEM, &ETESSAMI_HOLZMANN];

/// Eleven patterns in five scopes each: globally, before r, after q, between q and r, after q
/// until r. The patterns are absence, existence, bounded existence (at most two), universality,
/// precedence, response, the two precedence chains, the two response chains, constrained chain.
pub const DWYER: FormulaSet = FormulaSet {
    name: "dwyer",
    source: "M. Dwyer, G. Avrunin, J. Corbett: Property Specification Patterns for Finite-State \
             Verification, FMSP 1998 (formulas as on the authors' patterns pages)",
    formulas: &[
        "[]!p",
        "<>r -> (!p U r)",
        "[](q -> []!p)",
        "[]((q & !r & <>r) -> (!p U r))",
        "[](q & !r -> (!p W r))",
        "<>p",
        "!r W (p & !r)",
        "[]!q | <>(q & <>p)",
        "[](q & !r -> (!r W (p & !r)))",
        "[](q & !r -> (!r U (p & !r)))",
        "!p W (p W (!p W (p W []!p)))",
        "<>r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
        "<>q -> (!q U (q & (!p W (p W (!p W (p W []!p))))))",
        "[]((q & <>r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
        "[](q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | []p)))))))))",
        "[]p",
        "<>r -> (p U r)",
        "[](q -> []p)",
        "[]((q & !r & <>r) -> (p U r))",
        "[](q & !r -> (p W r))",
        "!p W s",
        "<>r -> (!p U (s | r))",
        "[]!q | <>(q & (!p W s))",
        "[]((q & !r & <>r) -> (!p U (s | r)))",
        "[](q & !r -> (!p W (s | r)))",
        "[](p -> <>s)",
        "<>r -> (p -> (!r U (s & !r))) U r",
        "[](q -> [](p -> <>s))",
        "[]((q & !r & <>r) -> ((p -> (!r U (s & !r))) U r))",
        "[](q & !r -> ((p -> (!r U (s & !r))) W r))",
        "<>p -> (!p U (s & !p & X(!p U t)))",
        "<>r -> (!p U (r | (s & !p & X(!p U t))))",
        "[]!q | (!q U (q & <>p -> (!p U (s & !p & X(!p U t)))))",
        "[]((q & <>r) -> (!p U (r | (s & !p & X(!p U t)))))",
        "[](q -> (<>p -> (!p U (r | (s & !p & X(!p U t))))))",
        "<>(s & X<>t) -> (!s U p)",
        "<>r -> (!(s & !r & X(!r U (t & !r))) U (r | p))",
        "[]!q | (!q U (q & (<>(s & X<>t) -> (!s U p))))",
        "[]((q & <>r) -> (!(s & !r & X(!r U (t & !r))) U (r | p)))",
        "[](q -> (!(s & !r & X(!r U (t & !r))) U (r | p) | []!(s & X<>t)))",
        "[](s & X<>t -> X<>(t & <>p))",
        "<>r -> (s & X(!r U t) -> X(!r U (t & <>p))) U r",
        "[](q -> [](s & X<>t -> X(!t U (t & <>p))))",
        "[]((q & <>r) -> (s & X(!r U t) -> X(!r U (t & <>p))) U r)",
        "[](q -> (s & X(!r U t) -> X(!r U (t & <>p))) U (r | [](s & X(!r U t) -> X(!r U (t & <>p)))))",
        "[](p -> <>(s & X<>t))",
        "<>r -> (p -> (!r U (s & !r & X(!r U t)))) U r",
        "[](q -> [](p -> (s & X<>t)))",
        "[]((q & <>r) -> (p -> (!r U (s & !r & X(!r U t)))) U r)",
        "[](q -> (p -> (!r U (s & !r & X(!r U t)))) U (r | [](p -> (s & X<>t))))",
        "[](p -> <>(s & !z & X(!z U t)))",
        "<>r -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r",
        "[](q -> [](p -> (s & !z & X(!z U t))))",
        "[]((q & <>r) -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r)",
        "[](q -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U (r | [](p -> (s & !z & X(!z U t)))))",
    ],
};

/// The twenty-seven formulas of a much used table.
pub const SOMENZI_BLOEM: FormulaSet = FormulaSet {
    name: "somenzi-bloem",
    source: "F. Somenzi, R. Bloem: Efficient Büchi Automata from LTL Formulae, CAV 2000",
    formulas: &[
        "p U q",
        "p U (q U r)",
        "!(p U (q U r))",
        "GF p -> GF q",
        "F p U G q",
        "G p U q",
        "!(FF p <-> F q)",
        "!(GF p -> GF q)",
        "!(GF p <-> GF q)",
        "p R (p | q)",
        "(X p U X q) | !X(p U q)",
        "(X p U q) | !X(p U (p & q))",
        "G(p -> F q) & ((X p U q) | !X(p U (p & q)))",
        "G(p -> F q) & ((X p U X q) | !X(p U q))",
        "G(p -> F q)",
        "!G(p -> X(q R r))",
        "!(FG p | FG q)",
        "G(F p & F q)",
        "F p & F !p",
        "(X q & r) R X(((s U p) R r) U (s R r))",
        "(G(q | GF p) & G(r | GF !p)) | G q | G r",
        "(G(q | FG p) & G(r | FG !p)) | G q | G r",
        "!((G(q | GF p) & G(r | GF !p)) | G q | G r)",
        "!((G(q | FG p) & G(r | FG !p)) | G q | G r)",
        "G(q | XG p) & G(r | XG !p)",
        "G(q | (X p & X !p))",
        "(p U p) | (q U p)",
    ],
};

/// The twelve formulas of the paper's comparison.
pub const ETESSAMI_HOLZMANN: FormulaSet = FormulaSet {
    name: "etessami-holzmann",
    source: "K. Etessami, G. Holzmann: Optimizing Büchi Automata, CONCUR 2000",
    formulas: &[
        "p U (q & G r)",
        "p U (q & X(r U s))",
        "p U (q & X(r & F(s & XF(t & XF(u & XF v)))))",
        "F(p & XG q)",
        "F(p & X(q & XF r))",
        "F(p & X(q U r))",
        "FG p | GF q",
        "G(p -> (q U r))",
        "G(p & XF(q & XF(r & XF s)))",
        "GF p & GF q & GF r & GF s & GF t",
        "(p U (q U r)) | (q U (r U p)) | (r U (p U q))",
        "G(p -> (q U (G r | G s)))",
    ],
};

/// The families, in the order in which tables show them.
pub const FAMILIES: [FormulaFamily; 16] = [
    FormulaFamily {
        name: "theta",
        source: "P. Gastin, D. Oddoux: Fast LTL to Büchi Automata Translation, CAV 2001",
        formula: |n| format!("!(({}) -> G(q -> F r))", list(n, " & ", |i| format!("GF p{i}"))),
    },
    FormulaFamily {
        name: "fair-weak",
        source: "the premises of Sun and others, ICFEM 2008: weak fairness, negated for checking",
        formula: |n| format!("!(({}) -> GF q)", list(n, " & ", |i| format!("GF p{i}"))),
    },
    FormulaFamily {
        name: "fair-strong",
        source: "the same with strong fairness",
        formula: |n| {
            format!("!(({}) -> GF s)", list(n, " & ", |i| format!("(GF p{i} -> GF q{i})")))
        },
    },
    FormulaFamily {
        name: "fair-weak-positive",
        source: "weak fairness implies recurrence, not negated",
        formula: |n| format!("({}) -> GF q", list(n, " & ", |i| format!("GF p{i}"))),
    },
    FormulaFamily {
        name: "fair-strong-positive",
        source: "strong fairness implies recurrence, not negated",
        formula: |n| format!("({}) -> GF s", list(n, " & ", |i| format!("(GF p{i} -> GF q{i})"))),
    },
    FormulaFamily {
        name: "u-left",
        source: "J. Geldenhuys, H. Hansen: Larger Automata and Less Work for LTL Model Checking, \
                 SPIN 2006 (U1)",
        formula: |n| nested_left(n, "U"),
    },
    FormulaFamily {
        name: "u-right",
        source: "Geldenhuys and Hansen 2006 (U2); also Gastin and Oddoux 2001",
        formula: |n| nested_right(n, "U"),
    },
    FormulaFamily {
        name: "r-left",
        source: "K. Rozier, M. Vardi: LTL Satisfiability Checking, SPIN 2007",
        formula: |n| nested_left(n, "R"),
    },
    FormulaFamily {
        name: "r-right",
        source: "Rozier and Vardi 2007",
        formula: |n| nested_right(n, "R"),
    },
    FormulaFamily {
        name: "and-gf",
        source: "Geldenhuys and Hansen 2006 (C1's conjunctive form)",
        formula: |n| list(n, " & ", |i| format!("GF p{i}")),
    },
    FormulaFamily {
        name: "or-fg",
        source: "dual of and-gf",
        formula: |n| list(n, " | ", |i| format!("FG p{i}")),
    },
    FormulaFamily {
        name: "or-gf",
        source: "Geldenhuys and Hansen 2006 (C1)",
        formula: |n| list(n, " | ", |i| format!("GF p{i}")),
    },
    FormulaFamily {
        name: "and-f",
        source: "Geldenhuys and Hansen 2006 (E)",
        formula: |n| list(n, " & ", |i| format!("F p{i}")),
    },
    FormulaFamily {
        name: "or-g",
        source: "Geldenhuys and Hansen 2006 (S)",
        formula: |n| list(n, " | ", |i| format!("G p{i}")),
    },
    FormulaFamily {
        name: "q",
        source: "Geldenhuys and Hansen 2006 (Q)",
        formula: |n| list(n, " & ", |i| format!("(F p{i} | G p{})", i + 1)),
    },
    FormulaFamily {
        name: "r",
        source: "Geldenhuys and Hansen 2006 (R)",
        formula: |n| list(n, " & ", |i| format!("(GF p{i} | FG p{})", i + 1)),
    },
];

fn list(n: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (1..=n).map(item).collect::<Vec<_>>().join(between)
}

/// `((p1 U p2) U p3) …`
fn nested_left(n: usize, operator: &str) -> String {
    (2..=n).fold("p1".to_owned(), |inner, i| format!("({inner}) {operator} p{i}"))
}

/// `p1 U (p2 U (p3 …`
fn nested_right(n: usize, operator: &str) -> String {
    (1..n).rev().fold(format!("p{n}"), |inner, i| format!("p{i} {operator} ({inner})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_are_complete() {
        let counts = SETS.map(|set| set.formulas.len());
        assert_eq!(counts, [55, 27, 12]);
    }

    #[test]
    fn the_families_look_as_published() {
        let of = |name: &str, n| {
            (FAMILIES.iter().find(|family| family.name == name).unwrap().formula)(n)
        };
        assert_eq!(of("theta", 2), "!((GF p1 & GF p2) -> G(q -> F r))");
        assert_eq!(of("u-left", 3), "((p1) U p2) U p3");
        assert_eq!(of("u-right", 3), "p1 U (p2 U (p3))");
        assert_eq!(of("q", 2), "(F p1 | G p2) & (F p2 | G p3)");
        assert_eq!(of("u-right", 1), "p1");
    }
}
