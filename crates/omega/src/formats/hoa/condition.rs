//! `Acceptance:` and `acc-name:`.

use fairly_source::{Diagnostic, Span};

use crate::acceptance::{Acceptance, Class, MAX_DEPTH};
use crate::formats::hoa::lexer::{Lexer, ParseError, Token};
use crate::marks::{Mark, MarkSet};

/// More acceptance sets than this are refused. Nothing is allocated per declared set, but numbers near 2³¹
/// would overflow once such automata are multiplied, and no real file has them.
pub(super) const MAX_SETS: u32 = 1 << 20;

/// Contents of `Acceptance:`.
#[derive(Debug)]
pub(super) struct Condition {
    /// How many sets are declared.
    pub(super) declared: u32,
    pub(super) formula: Acceptance,
    /// For each set under `!`, the mark after the declared ones that stands for its complement.
    pub(super) complements: Vec<(Mark, Mark)>,
    pub(super) span: Span,
}

/// A formula with the number of nested connectives in it, kept beside because computing it would
/// recurse over a formula that may be too deep.
struct Part {
    formula: Acceptance,
    depth: u32,
}

/// Joins parts; the depth is that of the flattened result.
fn join(parts: Vec<Part>, conjunction: bool) -> Part {
    let depth = |part: &Part| match part.formula {
        Acceptance::And(_) if conjunction => part.depth,
        Acceptance::Or(_) if !conjunction => part.depth,
        _ => part.depth + 1,
    };
    if parts.len() == 1 {
        return parts.into_iter().next().expect("one part");
    }
    let depth = parts.iter().map(depth).max().unwrap_or(0);
    let parts = parts.into_iter().map(|part| part.formula);
    let formula = if conjunction { Acceptance::and(parts) } else { Acceptance::or(parts) };
    let depth = match formula {
        Acceptance::And(_) | Acceptance::Or(_) => depth,
        _ => 0,
    };
    Part { formula, depth }
}

/// One level of parentheses: finished disjuncts and the conjuncts of the one being read.
#[derive(Default)]
struct Frame {
    ors: Vec<Part>,
    ands: Vec<Part>,
}

impl Frame {
    fn end_conjunction(&mut self) {
        let conjunction = join(std::mem::take(&mut self.ands), true);
        self.ors.push(conjunction);
    }

    fn end(mut self) -> Part {
        self.end_conjunction();
        join(self.ors, false)
    }
}

/// Reads what stands after `Acceptance:`.
pub(super) fn read(lexer: &mut Lexer<'_>) -> Result<Condition, ParseError> {
    let (declared, count_span) = lexer.expect_number("the number of acceptance sets")?;
    if declared > MAX_SETS {
        let message = format!("{declared} acceptance sets are too many");
        return Err(Diagnostic::error("E0214", message, count_span)
            .label(format!("at most {MAX_SETS} can be declared"))
            .into());
    }
    let mut condition = Condition {
        declared,
        formula: Acceptance::True,
        complements: Vec::new(),
        span: count_span,
    };
    let start = lexer.span();
    let mut known = hashbrown::HashMap::new();
    let mut outer: Vec<Frame> = Vec::new();
    let mut frame = Frame::default();
    loop {
        if lexer.token == Token::Sign(b'(') {
            outer.push(std::mem::take(&mut frame));
            lexer.advance()?;
            continue;
        }
        condition.span = start.to(lexer.span());
        let formula = atom(lexer, &mut condition, &mut known)?;
        frame.ands.push(Part { formula, depth: 0 });
        loop {
            match lexer.token {
                Token::Sign(b'&') => {
                    lexer.advance()?;
                    break;
                }
                Token::Sign(b'|') => {
                    frame.end_conjunction();
                    lexer.advance()?;
                    break;
                }
                Token::Sign(b')') if !outer.is_empty() => {
                    let inner = std::mem::replace(&mut frame, outer.pop().expect("not empty"));
                    let part = inner.end();
                    if part.depth >= MAX_DEPTH {
                        return Err(too_deep(lexer.span()));
                    }
                    frame.ands.push(part);
                    condition.span = start.to(lexer.span());
                    lexer.advance()?;
                }
                _ if outer.is_empty() => {
                    let part = frame.end();
                    if part.depth > MAX_DEPTH {
                        return Err(too_deep(condition.span));
                    }
                    condition.formula = part.formula;
                    return Ok(condition);
                }
                _ => return Err(lexer.unexpected("`)` or an operator")),
            }
        }
    }
}

fn too_deep(span: Span) -> ParseError {
    let message = format!("this condition is nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error("E0213", message, span).into()
}

/// `t`, `f`, `Inf(3)`, `Fin(!3)`.
fn atom(
    lexer: &mut Lexer<'_>,
    condition: &mut Condition,
    known: &mut hashbrown::HashMap<Mark, Mark>,
) -> Result<Acceptance, ParseError> {
    let inf = match (lexer.token, lexer.slice()) {
        (Token::Word, "t" | "f") => {
            let constant = if lexer.slice() == "t" { Acceptance::True } else { Acceptance::False };
            lexer.advance()?;
            return Ok(constant);
        }
        (Token::Word, "Inf") => true,
        (Token::Word, "Fin") => false,
        _ => return Err(lexer.unexpected("`Inf`, `Fin`, `t`, `f` or `(`")),
    };
    lexer.advance()?;
    lexer.expect_sign(b'(')?;
    let complemented = lexer.token == Token::Sign(b'!');
    if complemented {
        lexer.advance()?;
    }
    let (set, span) = lexer.expect_number("the number of an acceptance set")?;
    if set >= condition.declared {
        return Err(unknown_mark(set, condition.declared, span));
    }
    lexer.expect_sign(b')')?;
    let mut mark = Mark(set);
    if complemented {
        let complements = &mut condition.complements;
        mark = *known.entry(mark).or_insert_with(|| {
            let fresh = Mark(condition.declared + complements.len() as u32);
            complements.push((mark, fresh));
            fresh
        });
    }
    Ok(if inf { Acceptance::Inf(mark) } else { Acceptance::Fin(mark) })
}

/// The error for a set that is not declared.
pub(super) fn unknown_mark(set: u32, declared: u32, span: Span) -> ParseError {
    let message = format!("there is no acceptance set {set}");
    let label = match declared {
        0 => "no set is declared".into(),
        1 => "only set 0 is declared".into(),
        _ => format!("sets 0 to {} are declared", declared - 1),
    };
    Diagnostic::error("E0207", message, span).label(label).into()
}

/// Contents of `acc-name:`.
#[derive(Debug)]
pub(super) struct Name<'a> {
    pub(super) span: Span,
    name: &'a str,
    arguments: Vec<Argument<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument<'a> {
    Number(u64),
    Word(&'a str),
}

impl<'a> Name<'a> {
    /// Reads the name and its parameters of any kind.
    pub(super) fn read(lexer: &mut Lexer<'a>) -> Result<Self, ParseError> {
        if lexer.token != Token::Word {
            return Err(lexer.unexpected("the name of an acceptance condition"));
        }
        let mut name = Name { span: lexer.span(), name: lexer.slice(), arguments: Vec::new() };
        loop {
            lexer.advance()?;
            let argument = match lexer.token {
                Token::Word => Argument::Word(lexer.slice()),
                Token::Int => Argument::Number(lexer.value),
                _ => return Ok(name),
            };
            name.span = name.span.to(lexer.span());
            name.arguments.push(argument);
        }
    }

    /// Whether the name, if it is one that HOA specifies, is that of `formula`.
    ///
    /// The specification wants the one canonical spelling; members in another order and, for
    /// small conditions, formulas that merely mean the same are let through.
    pub(super) fn agrees(&self, formula: &Acceptance) -> bool {
        use Argument::{Number, Word};
        let count = |n: u64| u32::try_from(n).ok();
        let class = match (self.name, self.arguments.as_slice()) {
            ("all", []) => Some(Class::All),
            ("none", []) => Some(Class::None),
            ("Buchi", []) => Some(Class::Buchi),
            ("co-Buchi", []) => Some(Class::CoBuchi),
            ("generalized-Buchi", &[Number(n)]) => count(n).map(Class::GeneralizedBuchi),
            ("generalized-co-Buchi", &[Number(n)]) => count(n).map(Class::GeneralizedCoBuchi),
            ("Streett", &[Number(n)]) => count(n).map(Class::Streett),
            ("Rabin", &[Number(n)]) => count(n).map(Class::Rabin),
            ("generalized-Rabin", &[Number(pairs), ref infs @ ..])
                if pairs == infs.len() as u64 =>
            {
                let number = |infs: &Argument<'_>| match *infs {
                    Number(n) => count(n),
                    Word(_) => None,
                };
                infs.iter().map(number).collect::<Option<_>>().map(Class::GeneralizedRabin)
            }
            (
                "parity",
                &[Word(end @ ("min" | "max")), Word(kind @ ("even" | "odd")), Number(n)],
            ) => count(n).map(|colours| Class::Parity {
                max: end == "max",
                odd: kind == "odd",
                colours,
            }),
            (
                "all"
                | "none"
                | "Buchi"
                | "co-Buchi"
                | "generalized-Buchi"
                | "generalized-co-Buchi"
                | "Streett"
                | "Rabin"
                | "generalized-Rabin"
                | "parity",
                _,
            ) => None,
            _ => return true,
        };
        let Some(class) = class else { return false };
        let marks = formula.marks();
        // The number of marks is compared first, so that the formula of a name is never larger
        // than the formula in the file.
        if width(&class) != marks.len() as u64 {
            return false;
        }
        let Some(canonical) = canonical(&class) else { return false };
        if canonical == *formula {
            return true;
        }
        let (mine, theirs) = (canonical.class(), formula.class());
        (mine == theirs && mine != Class::EmersonLei) || equivalent(&canonical, formula)
    }
}

/// How many marks the canonical formula of `class` has.
fn width(class: &Class) -> u64 {
    match class {
        Class::All | Class::None | Class::EmersonLei => 0,
        Class::Buchi | Class::CoBuchi => 1,
        Class::GeneralizedBuchi(n) | Class::GeneralizedCoBuchi(n) => u64::from(*n),
        Class::Streett(n) | Class::Rabin(n) => 2 * u64::from(*n),
        Class::GeneralizedRabin(infs) => infs.iter().map(|&n| u64::from(n) + 1).sum(),
        Class::Parity { colours, .. } => u64::from(*colours),
    }
}

/// The formula that HOA gives for a name, if it is one and not too deep.
fn canonical(class: &Class) -> Option<Acceptance> {
    Some(match class {
        Class::All => Acceptance::True,
        Class::None => Acceptance::False,
        Class::Buchi => Acceptance::buchi(),
        Class::CoBuchi => Acceptance::co_buchi(),
        Class::GeneralizedBuchi(n) => Acceptance::generalized_buchi(*n),
        Class::GeneralizedCoBuchi(n) => Acceptance::generalized_buchi(*n).dual(),
        Class::Streett(n) => Acceptance::streett(*n),
        Class::Rabin(n) => Acceptance::rabin(*n),
        Class::GeneralizedRabin(infs) => Acceptance::generalized_rabin(infs),
        Class::Parity { colours, .. } if *colours > MAX_DEPTH => return None,
        Class::Parity { max, odd, colours } => Acceptance::parity(*max, *odd, *colours),
        Class::EmersonLei => return None,
    })
}

/// Whether two conditions over few marks agree on every set of them.
fn equivalent(a: &Acceptance, b: &Acceptance) -> bool {
    const FEW: u32 = 10;
    let all = MarkSet::first(FEW);
    if !a.marks().is_subset(&all) || !b.marks().is_subset(&all) {
        return false;
    }
    (0..1u32 << FEW).all(|bits| {
        let seen = (0..FEW).filter(|bit| bits >> bit & 1 == 1).map(Mark).collect();
        a.accepts(&seen) == b.accepts(&seen)
    })
}

/// The name to print for a condition over `declared` sets: only when the formula is spelled exactly
/// as HOA gives it, because readers may go by the name alone.
pub(super) fn name(formula: &Acceptance, declared: u32) -> Option<Class> {
    let colours = declared;
    // `class` goes by the meaning and may name the same condition differently. Parity formulas
    // are costly to build, and all but the smallest have two members at the top.
    let parity =
        matches!(formula, Acceptance::And(parts) | Acceptance::Or(parts) if parts.len() == 2);
    let parities = [(false, false), (false, true), (true, false), (true, true)]
        .map(|(max, odd)| Class::Parity { max, odd, colours });
    let parities = parities.into_iter().filter(|_| parity);
    std::iter::once(formula.class()).chain(parities).find(|class| {
        width(class) == u64::from(declared) && canonical(class).as_ref() == Some(formula)
    })
}
