//! Formulas to text: one printer, one table of spellings.
//!
//! [`Formulas::display`] is what Fairly shows; [`Formulas::spell`] writes the spelling of another
//! tool. Every spelling is read back by [`Formulas::parse`] as the same formula, except that
//! operators which a tool lacks are written out with those it has, and then the formula read back
//! is an equivalent one. A proposition is spelled alike everywhere: other tools need a name
//! where Fairly has an expression.
//!
//! The canonical and Spot's spelling use as few parentheses as the precedences of
//! [`crate::parser`] allow. The others put parentheses round every binary operand of a binary
//! operator, because SPIN groups to the left and TLA+ refuses to mix `/\` with `\/`.
//!
//! A formula shared in many places is small in the arena and may be astronomically large as
//! text; [`Formulas::spell`] says so instead of writing it, and `display` cuts it short.

use crate::formula::{Formula, Formulas, Node, Op};

/// Whose spelling of the operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// Fairly's own: `G(p -> F q)`, `true`.
    Canonical,
    /// SPIN 6: `[](p -> <>q)`, `V` for release, `W` for weak until; no `M`, no exclusive or.
    Spin,
    /// Spot: `G(p -> F q)`, `1`.
    Spot,
    /// PAT: `[](p -> <>q)`, `R`; neither `W` nor `M` nor exclusive or.
    Pat,
    /// Like TLA+: `[](p => <>q)`, `~`, `/\`, `\/`, `TRUE`, and words for what TLA+ does not have.
    Tla,
}

impl Spelling {
    /// All of them, with the name for a command line.
    pub const ALL: [(&'static str, Spelling); 5] = [
        ("fairly", Spelling::Canonical),
        ("spin", Spelling::Spin),
        ("spot", Spelling::Spot),
        ("pat", Spelling::Pat),
        ("tla", Spelling::Tla),
    ];

    fn table(self) -> &'static Table {
        match self {
            Spelling::Canonical => &CANONICAL,
            Spelling::Spin => &SPIN,
            Spelling::Spot => &SPOT,
            Spelling::Pat => &PAT,
            Spelling::Tla => &TLA,
        }
    }
}

struct Table {
    constants: [&'static str; 2],
    not: &'static str,
    and: &'static str,
    or: &'static str,
    implies: &'static str,
    iff: &'static str,
    xor: Option<&'static str>,
    next: &'static str,
    finally: &'static str,
    globally: &'static str,
    until: &'static str,
    release: &'static str,
    weak_until: Option<&'static str>,
    strong_release: Option<&'static str>,
    /// Parentheses round every binary operand of a binary operator.
    cautious: bool,
}

const CANONICAL: Table = Table {
    constants: ["true", "false"],
    not: "!",
    and: " & ",
    or: " | ",
    implies: " -> ",
    iff: " <-> ",
    xor: Some(" xor "),
    next: "X",
    finally: "F",
    globally: "G",
    until: " U ",
    release: " R ",
    weak_until: Some(" W "),
    strong_release: Some(" M "),
    cautious: false,
};

const SPOT: Table = Table { constants: ["1", "0"], ..CANONICAL };

const SPIN: Table = Table {
    and: " && ",
    or: " || ",
    xor: None,
    finally: "<>",
    globally: "[]",
    release: " V ",
    strong_release: None,
    cautious: true,
    ..CANONICAL
};

const PAT: Table = Table { release: " R ", weak_until: None, ..SPIN };

const TLA: Table = Table {
    constants: ["TRUE", "FALSE"],
    not: "~",
    and: " /\\ ",
    or: " \\/ ",
    implies: " => ",
    iff: " <=> ",
    xor: None,
    next: "next",
    finally: "<>",
    globally: "[]",
    until: " until ",
    release: " release ",
    weak_until: Some(" weakuntil "),
    strong_release: Some(" strongrelease "),
    cautious: true,
};

/// The text of a formula would be too large to be of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("written out, the formula would be longer than {MAX_PRINTED} bytes")]
pub struct SpellError;

/// The longest text [`Formulas::spell`] gives. Twice what the parser reads, so that what was read
/// can be written in any spelling that has the operators.
pub const MAX_PRINTED: usize = 2 * crate::parser::MAX_TEXT;

/// How tightly the outermost operator of a written formula binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implication,
    Xor,
    Or,
    And,
    Temporal,
    Tight,
}

/// Pieces that are still to be written, the next one last.
enum Item {
    Text(&'static str),
    /// A prefix operator, set apart from what follows where the two would run together.
    Prefix(&'static str),
    /// A formula, in parentheses if it binds less tightly than that.
    Formula(Formula, Level),
}

impl Formulas {
    /// The formula in Fairly's spelling; a formula too large to print is cut short with `…`.
    pub fn display(&self, f: Formula) -> String {
        let mut out = String::new();
        if self.write(f, Spelling::Canonical.table(), &mut out).is_err() {
            let mut cut = 1000;
            while !out.is_char_boundary(cut) {
                cut -= 1;
            }
            out.truncate(cut);
            out.push('…');
        }
        out
    }

    /// The formula as another tool spells it.
    ///
    /// ```
    /// use fairly_logic::{Formulas, Spelling};
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("G(a | b -> c M d)").unwrap();
    /// assert_eq!(formulas.spell(f, Spelling::Spin).unwrap(), "[]((a || b) -> !(!c W !d))");
    /// assert_eq!(formulas.spell(f, Spelling::Pat).unwrap(), "[]((a || b) -> (d U (c && d)))");
    /// ```
    pub fn spell(&self, f: Formula, spelling: Spelling) -> Result<String, SpellError> {
        let mut out = String::new();
        self.write(f, spelling.table(), &mut out)?;
        Ok(out)
    }

    /// The formula in the prefix notation of LBT, propositions as `p` with their atom's index:
    /// `G F p0` is `"G F p0"`, `p0 U p1` is `"U p0 p1"`. No parentheses, no precedences: what
    /// other programs read most easily.
    pub fn to_lbt(&self, f: Formula) -> Result<String, SpellError> {
        if self.size(f) as usize > MAX_PRINTED / 4 {
            return Err(SpellError);
        }
        let mut out = String::new();
        let mut todo = vec![f];
        while let Some(g) = todo.pop() {
            if !out.is_empty() {
                out.push(' ');
            }
            let name = match self.op(g) {
                Op::True => "t",
                Op::False => "f",
                Op::Atom => "p",
                Op::Not => "!",
                Op::And => "&",
                Op::Or => "|",
                Op::Implies => "i",
                Op::Iff => "e",
                Op::Xor => "^",
                Op::Next => "X",
                Op::Finally => "F",
                Op::Globally => "G",
                Op::Until => "U",
                Op::Release => "V",
                Op::WeakUntil => "W",
                Op::StrongRelease => "M",
            };
            out.push_str(name);
            if let Node::Atom(id) = self.node(g) {
                out.push_str(&id.index().to_string());
            }
            let children = self.children(g);
            for _ in 2..children.len() {
                out.push(' ');
                out.push_str(name);
            }
            todo.extend(children.iter().rev());
        }
        Ok(out)
    }

    fn write(&self, f: Formula, table: &Table, out: &mut String) -> Result<(), SpellError> {
        let mut todo = vec![Item::Formula(f, Level::Implication)];
        // The prefix operator just written, if what follows might run into it.
        let mut pending: Option<&'static str> = None;
        while let Some(item) = todo.pop() {
            if out.len() > MAX_PRINTED {
                return Err(SpellError);
            }
            let (text, prefix) = match item {
                Item::Text(text) => (text.to_owned(), None),
                Item::Prefix(text) => (text.to_owned(), Some(text)),
                Item::Formula(f, min) => match self.node(f) {
                    Node::Atom(id) => (self.atom_of(id).to_string(), None),
                    _ => {
                        self.expand(f, min, table, &mut todo);
                        continue;
                    }
                },
            };
            if let Some(before) = pending {
                let letters = |s: &str| s.len() == 1 && s.starts_with(|c: char| c.is_alphabetic());
                let glue = letters(before) && prefix.is_some_and(letters);
                if !glue && text.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                    out.push(' ');
                }
            }
            out.push_str(&text);
            pending = prefix.filter(|p| p.ends_with(|c: char| c.is_alphanumeric()));
        }
        Ok(())
    }

    /// Puts the parts of `f` on the stack, the last one first.
    fn expand(&self, f: Formula, min: Level, table: &Table, todo: &mut Vec<Item>) {
        use Item::{Formula as Sub, Prefix, Text};
        let tight = |own: Level| if table.cautious { Level::Tight } else { own };
        let (level, parts) = match self.node(f) {
            Node::True => (Level::Tight, vec![Text(table.constants[0])]),
            Node::False => (Level::Tight, vec![Text(table.constants[1])]),
            Node::Atom(_) => unreachable!("written by the caller"),
            Node::Not(a) => (Level::Tight, vec![Prefix(table.not), Sub(a, Level::Tight)]),
            Node::Next(a) => (Level::Tight, vec![Prefix(table.next), Sub(a, Level::Tight)]),
            Node::Finally(a) => (Level::Tight, vec![Prefix(table.finally), Sub(a, Level::Tight)]),
            Node::Globally(a) => (Level::Tight, vec![Prefix(table.globally), Sub(a, Level::Tight)]),
            Node::And(items) => (Level::And, self.joined(items, table.and, tight(Level::Temporal))),
            Node::Or(items) => (Level::Or, self.joined(items, table.or, tight(Level::And))),
            Node::Implies(a, b) => {
                let sub = (tight(Level::Xor), tight(Level::Implication));
                (Level::Implication, vec![Sub(a, sub.0), Text(table.implies), Sub(b, sub.1)])
            }
            Node::Iff(a, b) => {
                let sub = (tight(Level::Xor), tight(Level::Implication));
                (Level::Implication, vec![Sub(a, sub.0), Text(table.iff), Sub(b, sub.1)])
            }
            Node::Xor(a, b) => match table.xor {
                Some(xor) => {
                    let sub = (tight(Level::Or), tight(Level::Xor));
                    (Level::Xor, vec![Sub(a, sub.0), Text(xor), Sub(b, sub.1)])
                }
                None => (
                    Level::Tight,
                    vec![
                        Prefix(table.not),
                        Text("("),
                        Sub(a, Level::Tight),
                        Text(table.iff),
                        Sub(b, Level::Tight),
                        Text(")"),
                    ],
                ),
            },
            Node::Until(a, b) => (
                Level::Temporal,
                vec![Sub(a, Level::Tight), Text(table.until), Sub(b, tight(Level::Temporal))],
            ),
            Node::Release(a, b) => (
                Level::Temporal,
                vec![Sub(a, Level::Tight), Text(table.release), Sub(b, tight(Level::Temporal))],
            ),
            Node::WeakUntil(a, b) => match table.weak_until {
                Some(weak) => (
                    Level::Temporal,
                    vec![Sub(a, Level::Tight), Text(weak), Sub(b, tight(Level::Temporal))],
                ),
                // a W b = b R (a | b)
                None => (
                    Level::Temporal,
                    vec![
                        Sub(b, Level::Tight),
                        Text(table.release),
                        Text("("),
                        Sub(a, Level::Tight),
                        Text(table.or),
                        Sub(b, Level::Tight),
                        Text(")"),
                    ],
                ),
            },
            Node::StrongRelease(a, b) => match (table.strong_release, table.weak_until) {
                (Some(strong), _) => (
                    Level::Temporal,
                    vec![Sub(a, Level::Tight), Text(strong), Sub(b, tight(Level::Temporal))],
                ),
                // a M b = !(!a W !b), which repeats nothing.
                (None, Some(weak)) => (
                    Level::Tight,
                    vec![
                        Prefix(table.not),
                        Text("("),
                        Prefix(table.not),
                        Sub(a, Level::Tight),
                        Text(weak),
                        Prefix(table.not),
                        Sub(b, Level::Tight),
                        Text(")"),
                    ],
                ),
                // a M b = b U (a & b)
                (None, None) => (
                    Level::Temporal,
                    vec![
                        Sub(b, Level::Tight),
                        Text(table.until),
                        Text("("),
                        Sub(a, Level::Tight),
                        Text(table.and),
                        Sub(b, Level::Tight),
                        Text(")"),
                    ],
                ),
            },
        };
        let parenthesise = level < min;
        if parenthesise {
            todo.push(Text(")"));
        }
        todo.extend(parts.into_iter().rev());
        if parenthesise {
            todo.push(Text("("));
        }
    }

    fn joined(&self, items: &[Formula], between: &'static str, level: Level) -> Vec<Item> {
        let mut parts = Vec::with_capacity(2 * items.len());
        for &item in items {
            if !parts.is_empty() {
                parts.push(Item::Text(between));
            }
            parts.push(Item::Formula(item, level));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_formula_in_every_spelling() {
        let mut fs = Formulas::new();
        let f = fs.parse("G(p -> X(q W r) & !s) | FG(1 U (p xor q))").unwrap();
        for (spelling, text) in [
            (Spelling::Canonical, "G(p -> X(q W r) & !s) | FG(true U (p xor q))"),
            (Spelling::Spot, "G(p -> X(q W r) & !s) | FG(1 U (p xor q))"),
            (Spelling::Spin, "[](p -> (X(q W r) && !s)) || <>[](true U !(p <-> q))"),
            (Spelling::Pat, "[](p -> (X(r R (q || r)) && !s)) || <>[](true U !(p <-> q))"),
            (
                Spelling::Tla,
                "[](p => (next(q weakuntil r) /\\ ~s)) \\/ <>[](TRUE until ~(p <=> q))",
            ),
        ] {
            assert_eq!(fs.spell(f, spelling).unwrap(), text);
        }
    }

    #[test]
    fn parentheses_only_where_needed() {
        let mut fs = Formulas::new();
        for text in [
            "a U b U c",
            "(a U b) U c",
            "a -> b -> c",
            "(a -> b) -> c",
            "a & b | c & d",
            "a & (b | c)",
            "G(a & b)",
            "X!a U F b",
            "!(a U b)",
            "(a xor b) xor c",
            "a xor b xor c",
            "G Running",
            "FG\"x == 3\"",
            "G!{s == \"a\"}",
        ] {
            let f = fs.parse(text).unwrap();
            assert_eq!(fs.display(f), text);
        }
    }

    #[test]
    fn a_text_beyond_reason_is_refused_or_cut() {
        let mut fs = Formulas::new();
        let mut f = fs.name("p");
        for i in 0..200 {
            let q = fs.name(&format!("q{i}"));
            f = fs.iff(f, q);
        }
        let f = fs.nnf(f);
        assert_eq!(fs.spell(f, Spelling::Spin), Err(SpellError));
        assert_eq!(fs.to_lbt(f), Err(SpellError));
        assert!(fs.display(f).len() < 1100);
    }
}
