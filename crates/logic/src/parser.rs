//! The one grammar that reads SPIN's, PAT's, Spot's and TLA-like spellings.
//!
//! You want [`Formulas::parse`]; printing is in [`crate::print`], what propositions may look like
//! in [`crate::atom`]. All spellings may be mixed:
//!
//! | meaning | written |
//! |---|---|
//! | constants | `true` `false` in any case, `1` `0` |
//! | not | `!` `~` `not` `¬` |
//! | next, eventually, always | `X` `next` `○` · `F` `<>` `eventually` `◇` · `G` `[]` `always` `□` |
//! | until, weak until | `U` `until` `stronguntil` · `W` `weakuntil` |
//! | release, strong release | `R` `V` `release` · `M` `strongrelease` |
//! | and | `&` `&&` `/\` `and` `∧` |
//! | or | `\|` `\|\|` `\/` `or` `∨` |
//! | exclusive or | `^` `xor` `⊕` |
//! | implies | `->` `=>` `-->` `implies` `→` `⇒` |
//! | equivalent | `<->` `<=>` `<-->` `equivalent` `↔` `⇔` |
//! | leads to, `G(a -> F b)` | `~>` `↝` |
//!
//! Precedence, tightest first: the prefix operators; `U` `R` `W` `M`; and; or; exclusive or;
//! `->` `<->` `~>`. These are Spot's. All binary operators group to the right, so `a U b U c` is
//! `a U (b U c)` and `a -> b -> c` is `a -> (b -> c)`; SPIN groups to the left, so parenthesise
//! what is meant for both.
//!
//! A word made of `F`, `G`, `X` and then a small letter or underscore is operators glued to a
//! name, as in Spot: `GFp` is `G F p`, and `Finished` is `F inished`. To use such a name, quote
//! it, or pass [`Formulas::parse_with`] the names of the model. Before a digit (`X1`) or another
//! capital (`FIFO`) the word is a name.
//!
//! # Errors
//!
//! | code | what is wrong | example |
//! |---|---|---|
//! | E0501 | a character that starts nothing | `p $ q` |
//! | E0502 | a quote, brace or `event(` without its end | `"x == 3` |
//! | E0503 | an operator or `)` where an operand should be | `p & & q` |
//! | E0504 | the text ends where an operand should be | `a U` |
//! | E0505 | a `(` without its `)` | `(p & q` |
//! | E0506 | a `)` without its `(` | `p)` |
//! | E0507 | two operands without an operator between them | `p q` |
//! | E0508 | an expression of the model outside quotes | `x == 3` |
//! | E0509 | nested deeper than [`MAX_DEPTH`] | 501 parentheses |
//! | E0510 | no formula at all | `` |
//! | E0511 | text longer than [`MAX_TEXT`] | |
//! | E0512 | an empty proposition | `""` |
//! | E0513 | an event name that stops at a dot | `eat.` |

use fairly_source::{Diagnostic, Span};

use crate::formula::{Formula, Formulas};
use crate::lexer::{Kind, Sign, Token, tokens};

/// How deep a formula may nest: parentheses, prefix operators, and binary operators to the right.
pub const MAX_DEPTH: usize = 500;

/// How many bytes a formula's text may have.
pub const MAX_TEXT: usize = 1 << 20;

impl Formulas {
    /// Reads a formula; see the [module](crate::parser) for the grammar and the errors.
    ///
    /// ```
    /// use fairly_logic::Formulas;
    /// let mut formulas = Formulas::new();
    /// let spin = formulas.parse("[]<>p && (q U r)").unwrap();
    /// assert_eq!(formulas.parse("GFp /\\ (q until r)").unwrap(), spin);
    /// let wrong = formulas.parse("x = 3 -> p").unwrap_err();
    /// assert_eq!((wrong.code, wrong.span.start), ("E0508", 2));
    /// assert_eq!(wrong.help.unwrap(), "write the expression in quotes: `\"x == 3\"`");
    /// ```
    pub fn parse(&mut self, text: &str) -> Result<Formula, Diagnostic> {
        self.parse_with(text, &|_| false)
    }

    /// Reads a formula knowing which words are names: `Finished` is then that name and not
    /// `F inished`. Operators that are whole words (`U`, `until`) stay operators.
    pub fn parse_with(
        &mut self,
        text: &str,
        is_name: &dyn Fn(&str) -> bool,
    ) -> Result<Formula, Diagnostic> {
        if text.len() > MAX_TEXT {
            return Err(Diagnostic::error("E0511", "the formula is too long", Span::at(0))
                .label(format!("more than {MAX_TEXT} bytes")));
        }
        let tokens = tokens(text, is_name);
        if tokens.len() == 1 {
            return Err(Diagnostic::error("E0510", "there is no formula", Span::at(0))
                .label("expected a formula"));
        }
        let mut parser = Parser { formulas: self, text, tokens, next: 0, depth: 0 };
        let formula = parser.binary(Level::Implication)?;
        match parser.peek() {
            Kind::End => Ok(formula),
            Kind::Close => Err(Diagnostic::error("E0506", "a `)` too many", parser.span())
                .label("no `(` is open here")),
            _ => Err(parser.no_operator()),
        }
    }
}

/// How tightly a binary operator binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implication,
    Xor,
    Or,
    And,
    Temporal,
}

fn level(sign: Sign) -> Option<Level> {
    match sign {
        Sign::Implies | Sign::Iff | Sign::LeadsTo => Some(Level::Implication),
        Sign::Xor => Some(Level::Xor),
        Sign::Or => Some(Level::Or),
        Sign::And => Some(Level::And),
        Sign::Until | Sign::Release | Sign::WeakUntil | Sign::StrongRelease => {
            Some(Level::Temporal)
        }
        Sign::Not | Sign::Next | Sign::Finally | Sign::Globally => None,
    }
}

struct Parser<'a> {
    formulas: &'a mut Formulas,
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Kind {
        &self.tokens[self.next].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.next].span
    }

    /// One level deeper at the current token.
    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Diagnostic::error(
                "E0509",
                "the formula is nested too deeply",
                self.span(),
            )
            .label(format!("this is level {}, and {MAX_DEPTH} is the limit", self.depth)));
        }
        Ok(())
    }

    /// An operand and all operators after it that bind at least as tightly as `min`.
    fn binary(&mut self, min: Level) -> Result<Formula, Diagnostic> {
        let mut left = self.unary()?;
        while let Kind::Sign(sign) = *self.peek() {
            let Some(level) = level(sign).filter(|&level| level >= min) else { break };
            left = match level {
                // Flat, and collected in one go: adding one operand at a time to a set of n
                // would make a chain of n quadratic.
                Level::And | Level::Or => {
                    let tighter = if level == Level::And { Level::Temporal } else { Level::And };
                    let mut items = vec![left];
                    while *self.peek() == Kind::Sign(sign) {
                        self.next += 1;
                        items.push(self.binary(tighter)?);
                    }
                    match level {
                        Level::And => self.formulas.and(items),
                        _ => self.formulas.or(items),
                    }
                }
                _ => {
                    self.enter()?;
                    self.next += 1;
                    let right = self.binary(level)?;
                    self.depth -= 1;
                    self.apply(sign, left, right)
                }
            };
        }
        Ok(left)
    }

    fn apply(&mut self, sign: Sign, left: Formula, right: Formula) -> Formula {
        let formulas = &mut *self.formulas;
        match sign {
            Sign::Xor => formulas.xor(left, right),
            Sign::Implies => formulas.implies(left, right),
            Sign::Iff => formulas.iff(left, right),
            Sign::LeadsTo => formulas.leads_to(left, right),
            Sign::Until => formulas.until(left, right),
            Sign::Release => formulas.release(left, right),
            Sign::WeakUntil => formulas.weak_until(left, right),
            Sign::StrongRelease => formulas.strong_release(left, right),
            Sign::And => formulas.and([left, right]),
            Sign::Or => formulas.or([left, right]),
            Sign::Not | Sign::Next | Sign::Finally | Sign::Globally => {
                unreachable!("not a binary operator")
            }
        }
    }

    /// Prefix operators, then a proposition or a parenthesis.
    fn unary(&mut self) -> Result<Formula, Diagnostic> {
        let outside = self.depth;
        let mut prefixes = Vec::new();
        while let Kind::Sign(sign) = *self.peek()
            && sign.is_prefix()
        {
            self.enter()?;
            prefixes.push(sign);
            self.next += 1;
        }
        let mut formula = self.operand()?;
        for sign in prefixes.into_iter().rev() {
            formula = match sign {
                Sign::Not => self.formulas.not(formula),
                Sign::Next => self.formulas.next(formula),
                Sign::Finally => self.formulas.finally(formula),
                _ => self.formulas.globally(formula),
            };
        }
        self.depth = outside;
        // `p[0]`, `x == 3`: said here, where both sides are at hand, rather than as a missing
        // operator further up.
        if *self.peek() == Kind::Foreign {
            return Err(self.not_quoted());
        }
        Ok(formula)
    }

    fn operand(&mut self) -> Result<Formula, Diagnostic> {
        let span = self.span();
        let formula = match self.peek() {
            Kind::True => Formula::TRUE,
            Kind::False => Formula::FALSE,
            Kind::Atom(atom) => {
                let atom = atom.clone();
                self.formulas.atom(atom)
            }
            Kind::Open => return self.parenthesis(),
            Kind::Bad(diagnostic) => return Err((**diagnostic).clone()),
            Kind::Foreign => return Err(self.not_quoted()),
            Kind::End => {
                return Err(Diagnostic::error("E0504", "the formula ends too early", span)
                    .label("expected a proposition here"));
            }
            Kind::Close | Kind::Sign(_) => return Err(self.no_operand()),
        };
        self.next += 1;
        Ok(formula)
    }

    fn parenthesis(&mut self) -> Result<Formula, Diagnostic> {
        let open = self.span();
        self.enter()?;
        self.next += 1;
        let formula = self.binary(Level::Implication)?;
        match self.peek() {
            Kind::Close => self.next += 1,
            Kind::End => {
                return Err(Diagnostic::error("E0505", "a `(` that is not closed", open)
                    .label("the `)` for this one is missing"));
            }
            _ => return Err(self.no_operator()),
        }
        self.depth -= 1;
        Ok(formula)
    }

    fn shown(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    fn no_operand(&self) -> Diagnostic {
        let span = self.span();
        let found = self.shown(span);
        let mut wrong =
            Diagnostic::error("E0503", format!("expected a proposition, found `{found}`"), span)
                .label("something is missing before this");
        if self.next > 0 && self.shown(self.tokens[self.next - 1].span) == found && found.len() == 1
        {
            let doubled = format!("{found}{found}");
            if doubled == "&&" || doubled == "||" {
                wrong = wrong
                    .help(format!("the operator is `{found}` or `{doubled}`, without a space"));
            }
        }
        wrong
    }

    /// After an operand something stands that is no operator.
    fn no_operator(&self) -> Diagnostic {
        let span = self.span();
        if let Kind::Bad(diagnostic) = self.peek() {
            return (**diagnostic).clone();
        }
        let found = self.shown(span);
        let wrong =
            Diagnostic::error("E0507", format!("expected an operator, found `{found}`"), span)
                .label("two operands without an operator between them");
        match found {
            "u" | "r" | "v" | "w" | "m" => {
                wrong.help(format!("the operator is written `{}`", found.to_uppercase()))
            }
            _ => wrong,
        }
    }

    /// The current token belongs to the model's language.
    fn not_quoted(&self) -> Diagnostic {
        let span = self.span();
        let part = |token: &Token| {
            matches!(token.kind, Kind::Foreign | Kind::Atom(_) | Kind::True | Kind::False)
        };
        let mut first = self.next;
        while first > 0 && part(&self.tokens[first - 1]) {
            first -= 1;
        }
        let mut last = self.next;
        while part(&self.tokens[last + 1]) {
            last += 1;
        }
        let mut expression = String::new();
        let mut from = self.tokens[first].span.start;
        for token in &self.tokens[first..=last] {
            expression.push_str(&self.text[from..token.span.start]);
            let text = self.shown(token.span);
            expression.push_str(if text == "=" { "==" } else { text });
            from = token.span.end;
        }
        let found = self.shown(span);
        let what = if found.starts_with(|c: char| c.is_ascii_digit()) {
            "a number is not a proposition".to_owned()
        } else {
            format!("`{found}` is not an operator of the logic")
        };
        let wrong =
            Diagnostic::error("E0508", what, span).label("part of an expression of the model?");
        if expression.len() > 60 || expression.contains(['"', '\n']) {
            return wrong.help("write expressions of the model in quotes or braces: `{x == 3}`");
        }
        wrong.help(format!("write the expression in quotes: `\"{expression}\"`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom::Atom;

    fn read(text: &str) -> String {
        let mut fs = Formulas::new();
        match fs.parse(text) {
            Ok(f) => fs.display(f),
            Err(wrong) => panic!("{text}: {wrong}"),
        }
    }

    #[test]
    fn the_spellings_agree() {
        for (texts, canonical) in [
            (
                &["[]<>p", "GFp", "G F p", "always eventually p", "□◇p", "GF(p)", "[] <> (p)"][..],
                "GF p",
            ),
            (&["p U q", "p until q", "(p) U (q)", "p stronguntil q"], "p U q"),
            (&["p V q", "p R q", "p release q"], "p R q"),
            (&["p -> q", "p => q", "p implies q", "p --> q", "p → q"], "p -> q"),
            (&["p <-> q", "p <=> q", "p equivalent q"], "p <-> q"),
            (&["p && q", "p & q", "p /\\ q", "p and q"], "p & q"),
            (&["p || q", "p | q", "p \\/ q", "p or q"], "p | q"),
            (&["p ~> q", "[](p -> <>q)"], "G(p -> F q)"),
            (&["p ^ q", "p xor q"], "p xor q"),
            (&["~p", "!p", "not p", "¬p", "!!!p"], "!p"),
            (&["1", "true", "TRUE", "True", "!0"], "true"),
            (&["\"x == 3\"", "{x == 3}", "{ x == 3 }", "state(x == 3)"], "\"x == 3\""),
            (&["X next p", "XXp", "X X p"], "XX p"),
            (&["p W q", "p weakuntil q"], "p W q"),
        ] {
            for text in texts {
                assert_eq!(read(text), canonical, "{text}");
            }
        }
    }

    #[test]
    fn precedence_and_grouping() {
        for (text, same) in [
            ("!a U b", "(!a) U b"),
            ("a U b U c", "a U (b U c)"),
            ("a & b U c", "a & (b U c)"),
            ("a | b & c", "a | (b & c)"),
            ("a xor b | c", "a xor (b | c)"),
            ("a -> b xor c", "a -> (b xor c)"),
            ("a -> b -> c", "a -> (b -> c)"),
            ("a <-> b -> c", "a <-> (b -> c)"),
            ("a -> b <-> c", "a -> (b <-> c)"),
            ("F a U G b", "(F a) U (G b)"),
            ("a U b R c", "a U (b R c)"),
            ("a & b | c & d", "(a & b) | (c & d)"),
            ("[] p -> <> q", "([] p) -> (<> q)"),
        ] {
            assert_eq!(read(text), read(same), "{text}");
        }
        assert_ne!(read("(a -> b) -> c"), read("a -> b -> c"));
    }

    #[test]
    fn propositions() {
        let mut fs = Formulas::new();
        for (text, atom) in [
            ("p", Atom::Name("p".into())),
            ("FIFO", Atom::Name("FIFO".into())),
            ("X1", Atom::Name("X1".into())),
            ("Running", Atom::Name("Running".into())),
            ("event", Atom::Name("event".into())),
            ("eat.0", Atom::Event("eat.0".into())),
            ("eat.*", Atom::Event("eat.*".into())),
            ("get.*.1", Atom::Event("get.*.1".into())),
            ("G.0", Atom::Event("G.0".into())),
            ("event(eat)", Atom::Event("eat".into())),
            ("event( c!(1) )", Atom::Event("c!(1)".into())),
            ("event(\"c)\")", Atom::Event("c)".into())),
            ("state(p)", Atom::State("p".into())),
            ("{a == {1}}", Atom::State("a == {1}".into())),
            ("\"s == \\\"a\\\"\"", Atom::State("s == \"a\"".into())),
            ("\"GFp\"", Atom::State("GFp".into())),
        ] {
            let f = fs.parse(text).unwrap();
            assert_eq!(f, fs.atom(atom), "{text}");
        }
        assert_eq!(read("GFeat.0"), "GF eat.0");
        assert_eq!(read("Xp1"), "X p1");
        let finished = fs.parse_with("G Finished", &|word| word == "Finished").unwrap();
        assert_eq!(fs.display(finished), "G Finished");
    }

    /// One line for each code of the table: the text, the code, where, and the help.
    #[test]
    fn every_error_has_its_place() {
        let cases: &[(&str, &str, Span, Option<&str>)] = &[
            ("p $ q", "E0501", Span::new(2, 3), None),
            ("'x'", "E0501", Span::new(0, 1), Some("double quotes")),
            ("p & \"x == 3", "E0502", Span::new(4, 5), None),
            ("{x == {3}", "E0502", Span::new(0, 1), None),
            ("event(eat", "E0502", Span::new(0, 6), None),
            ("p & & q", "E0503", Span::new(4, 5), Some("`&&`")),
            ("p & | q", "E0503", Span::new(4, 5), None),
            ("U q", "E0503", Span::new(0, 1), None),
            ("()", "E0503", Span::new(1, 2), None),
            ("a U", "E0504", Span::at(3), None),
            ("a U \n", "E0504", Span::at(3), None),
            ("[]", "E0504", Span::at(2), None),
            ("(p & (q | r)", "E0505", Span::new(0, 1), None),
            ("p)", "E0506", Span::new(1, 2), None),
            ("p q", "E0507", Span::new(2, 3), None),
            ("p u q", "E0507", Span::new(2, 3), Some("`U`")),
            ("(p q)", "E0507", Span::new(3, 4), None),
            ("p ! q", "E0507", Span::new(2, 3), None),
            ("x == 3", "E0508", Span::new(2, 4), Some("`\"x == 3\"`")),
            ("G(x = 3 -> p)", "E0508", Span::new(4, 5), Some("`\"x == 3\"`")),
            ("x != y & p", "E0508", Span::new(2, 4), Some("`\"x != y\"`")),
            ("x <= 3", "E0508", Span::new(2, 4), Some("`\"x <= 3\"`")),
            ("p[0] & q", "E0508", Span::new(1, 2), Some("`\"p[0]\"`")),
            ("3", "E0508", Span::new(0, 1), Some("`\"3\"`")),
            ("x + 1 > y", "E0508", Span::new(2, 3), Some("`\"x + 1 > y\"`")),
            ("", "E0510", Span::at(0), None),
            (" \n", "E0510", Span::at(0), None),
            ("\"\"", "E0512", Span::new(0, 2), None),
            ("p & { }", "E0512", Span::new(4, 7), None),
            ("event()", "E0512", Span::new(0, 7), None),
            ("eat.", "E0513", Span::new(3, 4), None),
            ("eat..0", "E0513", Span::new(3, 4), None),
        ];
        for (text, code, span, help) in cases {
            let mut fs = Formulas::new();
            let wrong = fs.parse(text).expect_err(text);
            assert_eq!((wrong.code, wrong.span), (*code, *span), "{text}: {wrong}");
            if let Some(help) = help {
                let given = wrong.help.unwrap_or_default();
                assert!(given.contains(help), "{text}: {given}");
            }
        }
    }

    #[test]
    fn the_earliest_error_is_the_one_shown() {
        let mut fs = Formulas::new();
        assert_eq!(fs.parse("p & & \"x").unwrap_err().code, "E0503");
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let mut fs = Formulas::new();
        for deep in [
            format!("{}p", "(".repeat(100_000)),
            format!("{}p", "!".repeat(100_000)),
            format!("{}p", "G".repeat(100_000)),
            format!("{}p", "[]".repeat(100_000)),
            "p U ".repeat(100_000),
            "p -> ".repeat(100_000),
            "p ^ ".repeat(100_000),
            "(p & ".repeat(100_000),
        ] {
            assert_eq!(fs.parse(&deep).unwrap_err().code, "E0509", "{}", &deep[..20]);
        }
        let open = format!("{}p{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
        assert!(fs.parse(&open).is_ok());
        assert!(fs.parse(&format!("({open})")).is_err());
        let long = " ".repeat(MAX_TEXT + 1);
        assert_eq!(fs.parse(&long).unwrap_err().code, "E0511");
        // Wide is fine: a flat chain costs no depth.
        let wide: Vec<String> = (0..100_000).map(|i| format!("p{i}")).collect();
        let f = fs.parse(&wide.join("&")).unwrap();
        assert_eq!(fs.children(f).len(), 100_000);
    }
}
